/* How common each pc is. */
#ifndef SM_SCHED_PCCOUNT_H
#define SM_SCHED_PCCOUNT_H
#include "sm/sched/pick.h"

struct pc_count {
	struct {
		uint32_t pc, n, round;
	} * bucket;
	uint32_t mask, round; /* buckets less one: at least twice as many as there can be pcs */
};

/* Each of a scheduler's groups may be at a pc of its own, and none is lost. */
void pc_count_init(struct pc_count *c, const struct sched *s);
void pc_count_fini(struct pc_count *c);
/* Adds to the count of a pc; the sum. */
unsigned pc_count(struct pc_count *c, uint32_t pc, unsigned add);
/* Counts anew what the scheduler's groups at each pc count for: one each, ready or in the pipeline;
 * where groups form in a pool, the threads that are in it, as in Fung's majority heap. */
void pc_count_all(struct pc_count *c, const struct sched *s);

#endif
