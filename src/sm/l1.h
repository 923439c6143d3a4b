/* An SM's side of the memory system: first-level caches for data, constants, textures and
 * instructions, and the port that their misses, passed writes, atomics and uncached accesses leave
 * by. Answers come back as a count on the instruction (struct flight) or as a finished fetch. */
#ifndef SM_L1_H
#define SM_L1_H
#include "mem/cache.h"
#include "mem/port.h"
#include "sm/sm.h"

enum l1_kind { L1D, L1C, L1T, L1I, L1_COUNT };

struct tx { /* one access of a memory instruction */
	uint64_t addr;
	uint32_t pieces; /* 32-byte pieces from addr on */
	uint16_t bytes;
	bool full;
	uint32_t words; /* stores: written, four bytes each, as far as known */
};

struct l1 {
	struct arena arena;
	struct cache cache[L1_COUNT];
	bool on[L1_COUNT];
	bool kept; /* quirk launch-keeps-caches: what is not the L1D outlives a launch */
	struct port *port;
	bool waiting[L1_COUNT]; /* something to send */
	cycle_t retry;          /* cycle of the next try to send what waits */
	cycle_t direct_retry; /* the same for accesses that were refused and wait in the load/store unit */
	bool moved;           /* since the load/store unit was refused */
};

/* How an access went: it is done at a known time, will be answered, or must be tried again. */
enum l1_result { L1_DONE, L1_PENDING, L1_REFUSED };

struct l1 *l1_new(const struct machine *m, struct port *port,
		  struct diag *d); /* NULL: errors in d */
void l1_free(struct l1 *l);
void l1_begin(struct l1 *l); /* a launch begins: data may have changed, figures start */
enum l1_result l1_read(struct sm *sm, enum l1_kind k, const struct tx *t, uint32_t token);
/* Global and local stores. PENDING: an acknowledgement will come to warp `warp`. */
enum l1_result l1_write(struct sm *sm, const struct tx *t, unsigned warp, bool local);
/* Past the caches: atomics (with or without a result) and strong loads. */
enum l1_result l1_past(struct sm *sm, const struct tx *t, bool atomic, uint32_t token);
/* An atomic without a result. PENDING: an acknowledgement will come to warp `warp`. */
enum l1_result l1_reduce(struct sm *sm, const struct tx *t, unsigned warp);
void l1_fence(struct l1 *l);  /* what the L1D holds may be old */
void l1_cycle(struct sm *sm); /* takes what arrived, sends what waits */
cycle_t l1_wake(const struct sm *sm);
bool l1_idle(const struct l1 *l);
bool l1_quiet(const struct l1 *l); /* nothing to send, no answer to come */
/* power.data = counted: what passed the data arrays since the last call. */
void l1_count_data(struct l1 *l, const struct devmem *mem);
void l1_report(const struct l1 *l, struct stat_report *r, int sm);

#endif
