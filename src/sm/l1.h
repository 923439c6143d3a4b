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

struct tx { /* one access of a memory instruction */
	uint64_t addr;
	uint32_t pieces; /* bit per 32-byte piece from addr on */
	uint16_t bytes;
	bool full;
	uint32_t words; /* stores: bit per four-byte word that is written, as far as known */
};

/* A line whose stores leave the SM together. */
struct combined {
	uint64_t line;        /* address */
	uint32_t pieces;      /* 32-byte pieces that are written */
	uint32_t words;       /* words that are written, as far as known */
	uint16_t group, warp; /* of the first store: its warp awaits the acknowledgement */
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
	uint32_t posted; /* sectors of posted writes and reductions that are not acknowledged */
	uint32_t posted_most;      /* they are never more; 0: no limit */
	struct combined *combined; /* stores that have not left the SM: a queue, oldest first */
	uint32_t ncombined, combine_most;
	bool flushing;          /* they leave as soon as there is room for them */
	bool waiting[L1_COUNT]; /* per cache: something waits to be sent */
	cycle_t retry;          /* cycle of the next attempt to send it */
	cycle_t direct_retry;   /* cycle of the next attempt for accesses that were refused and wait
	                         * in the load/store unit */
	bool moved;             /* something moved since the load/store unit was refused */
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
/* Global and local stores of a group. PENDING: an acknowledgement will come to warp `warp`. */
enum l1_result l1_write(struct sm *sm, const struct tx *t, unsigned group, unsigned warp,
			bool local);
/* Accesses that bypass the caches: atomics (with or without a result) and strong loads. */
enum l1_result l1_past(struct sm *sm, const struct tx *t, bool atomic, uint32_t token);
/* An atomic without a result. PENDING: an acknowledgement will come to warp `warp`. */
enum l1_result l1_reduce(struct sm *sm, const struct tx *t, unsigned warp);
/* Sends a write past the L1 that nothing waits for. */
enum l1_result l1_send_write(struct sm *sm, const struct tx *t);
/* From now on the L1D keeps the owners of its lines, and reports accesses and evictions to the schedulers. */
void l1_tell_schedulers(struct sm *sm);
void l1_fence(struct l1 *l); /* invalidates the L1D, whose data may be stale */
/* A store to the lines of `tx` begins: the lines that were written before leave the SM unless they are among them. */
void l1_store(struct sm *sm, const struct tx *tx, unsigned n);
void l1_flush(struct sm *sm); /* written lines leave the SM */
void l1_cycle(struct sm *sm); /* receives arrived replies and sends waiting requests */
cycle_t l1_wake(const struct sm *sm);
bool l1_idle(const struct l1 *l);
bool l1_quiet(const struct l1 *l); /* true if nothing is to be sent and no answer is outstanding */
/* power.data = counted: counts the data that passed the data arrays since the last call. */
void l1_count_data(struct l1 *l, const struct devmem *mem);
void l1_report(const struct l1 *l, struct stat_report *r, int sm);

#endif
