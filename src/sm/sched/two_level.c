/* The option that schedulers of two levels share. */
#include "sm/sched/two_level.h"

struct values {
	uint32_t active;
};
static const struct option rows[] = {
	OPTION_NUM(struct values, active, "sm.scheduler_active", 8, 1, 64, "warps",
		   "two-level-active: size of the active set of each scheduler; two-level-groups: "
		   "warps of a fetch group"),
};
const struct option_table two_level_options = {OPTION_TABLE(rows, struct values), .alone = true};

unsigned two_level_active(const struct sched *s)
{
	const struct values *o = machine_own(s->sm->m, &two_level_options);
	return o->active;
}
