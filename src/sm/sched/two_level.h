/* Declarations that the schedulers of two levels share. */
#ifndef SM_SCHED_TWO_LEVEL_H
#define SM_SCHED_TWO_LEVEL_H
#include "sm/sched/pick.h"

extern const struct option_table two_level_options;
/* Warps of the scheduler's active set, or of a fetch group. */
unsigned two_level_active(const struct sched *s);

#endif
