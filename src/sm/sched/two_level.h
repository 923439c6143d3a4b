/* Schedulers of two levels: how many warps are in the first. */
#ifndef SM_SCHED_TWO_LEVEL_H
#define SM_SCHED_TWO_LEVEL_H
#include "sm/sched/pick.h"

struct two_level_options {
	uint32_t active; /* warps of the active set, or of a fetch group */
};
extern const struct option_table two_level_options; /* two-level-active.c */

static inline unsigned two_level_active(const struct sched *s)
{
	const struct two_level_options *o = machine_own(s->sm->m, &two_level_options);
	return o->active;
}

#endif
