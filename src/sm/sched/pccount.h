/* Counts how common each pc is among a scheduler's groups. */
#ifndef SM_SCHED_PCCOUNT_H
#define SM_SCHED_PCCOUNT_H
#include "sm/sched/pick.h"

struct pc_count {
	struct {
		uint32_t pc, n, round;
	} * bucket;
	uint32_t mask, round; /* mask: buckets less one; there are at least twice as many buckets as
	                       * groups */
};

/* Makes room for all groups of the scheduler at different pcs. */
void pc_count_init(struct pc_count *c, const struct sched *s);
void pc_count_fini(struct pc_count *c);
/* Adds to the count of a pc; returns the sum. */
unsigned pc_count(struct pc_count *c, uint32_t pc, unsigned add);
/* Counts the pcs of the scheduler's groups again. A group counts once, ready or in the pipeline;
 * where groups form in a pool, it counts with its number of threads, as in Fung's majority heap. */
void pc_count_all(struct pc_count *c, const struct sched *s);

#endif
