/* An SM's side of the memory system: first-level caches for data, constants, textures and
 * instructions, and the port through which misses, passed writes, atomics and uncached accesses
 * leave. Answers come back as a count on the instruction (struct flight) or as a completed
 * fetch. */
#ifndef SM_L1_H
#define SM_L1_H
#include "mem/cache.h"
#include "mem/port.h"
#include "sm/sm.h"

enum l1_kind { L1D, L1C, L1T, L1I, L1_COUNT };

struct tx { /* one access that a memory instruction makes */
	uint64_t addr;
	uint32_t pieces; /* mask of 32-byte pieces accessed, from addr on */
	uint16_t bytes;
	bool full;
	uint32_t words; /* stores: mask of the 4-byte words known to be written, from addr on */
};

/* A cache line whose stores are combined: they leave the SM as one message. */
struct combined {
	uint64_t line;        /* address */
	uint32_t pieces;      /* mask of the 32-byte pieces written */
	uint32_t words;       /* mask of the 4-byte words known to be written */
	uint16_t group, warp; /* group and warp of the first store; that warp awaits the
			       * acknowledgement */
	bool local;
};

#define PAST_STATS(X)                                                                              \
	X(reads, STAT_SUM, 1, "accesses", "reads that went past the L1D instead of waiting")
struct past_stats {
	STAT_FIELDS(PAST_STATS)
};
extern const struct stat_table past_stats;

struct l1 {
	struct arena arena;
	struct cache cache[L1_COUNT];
	struct past_stats past; /* repl_ops.bypasses */
	bool on[L1_COUNT];
	bool kept; /* quirk launch-keeps-caches: caches other than the L1D keep their lines between
	            * launches */
	struct port *port;
	uint32_t posted;           /* unacknowledged sectors of posted writes and reductions */
	uint32_t posted_most;      /* upper limit of `posted`; 0: no limit */
	struct combined *combined; /* combined stores still in the SM: a queue, oldest first */
	uint32_t ncombined, combine_most;
	bool flushing;          /* the combined stores leave as soon as the network has room */
	bool waiting[L1_COUNT]; /* per cache: a message waits to be sent */
	cycle_t retry;          /* cycle of the next attempt to send the waiting messages */
	cycle_t direct_retry;   /* cycle of the next attempt for accesses that were refused and wait
	                         * in the load/store unit */
	bool moved;             /* something has made progress since an access of the load/store
				 * unit was refused */
	int lacks;              /* slice whose credits the message of `retry` lacks; -1: none */
	int direct_lacks;       /* slice whose credits the last refused access lacks; -1: none */
};

/* Outcome of an access: done at a known time, answered later, or to be tried again. */
enum l1_result { L1_DONE, L1_PENDING, L1_REFUSED };

struct l1 *l1_new(const struct machine *m, struct port *port,
		  struct diag *d); /* returns NULL after an error, which is in d */
void l1_free(struct l1 *l);
void l1_begin(struct l1 *l);  /* a run begins: l1_launch(), and figures start from zero */
void l1_launch(struct l1 *l); /* a launch begins on an empty GPU: data may have changed */
enum l1_result l1_read(struct sm *sm, enum l1_kind k, const struct tx *t, uint32_t token);
/* Global and local stores of a group. PENDING: warp `warp` will receive an acknowledgement. */
enum l1_result l1_write(struct sm *sm, const struct tx *t, unsigned group, unsigned warp,
			bool local);
/* Accesses that bypass the caches: atomics (with or without a result) and strong loads. */
enum l1_result l1_past(struct sm *sm, const struct tx *t, bool atomic, uint32_t token);
/* An atomic without a result. PENDING: warp `warp` will receive an acknowledgement. */
enum l1_result l1_reduce(struct sm *sm, const struct tx *t, unsigned warp);
/* Sends a write that bypasses the L1 and whose acknowledgement nothing awaits. */
enum l1_result l1_send_write(struct sm *sm, const struct tx *t);
/* Makes the L1D keep the owners of its lines, and report accesses and evictions to the
 * schedulers. */
void l1_tell_schedulers(struct sm *sm);
void l1_fence(struct l1 *l); /* invalidates the L1D, whose data may be stale */
/* A store to the lines of tx[0 .. n - 1] begins: combined stores to other lines leave the SM. */
void l1_store(struct sm *sm, const struct tx *tx, unsigned n);
void l1_flush(struct sm *sm); /* sends all combined stores */
void l1_cycle(struct sm *sm); /* receives arrived replies and sends waiting requests */
cycle_t l1_wake(const struct sm *sm);
bool l1_idle(const struct l1 *l);
bool l1_quiet(const struct l1 *l); /* true if nothing is to be sent and no answer is outstanding */
/* power.data = counted: counts the data read from and written to the data arrays since the last
 * call. */
void l1_count_data(struct l1 *l, const struct devmem *mem);
void l1_report(const struct l1 *l, struct stat_report *r, int sm);

#endif
