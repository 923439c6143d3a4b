/* The registries of the SM's policy families: their folders, as the build lists them. */
#include "sm/sm.h"

#define POLICY(x) extern const struct sched_ops sched_##x;
#include "sm_sched.def"
#undef POLICY
#define POLICY(x) extern const struct div_ops div_##x;
#include "sm_diverge.def"
#undef POLICY
#define POLICY(x) extern const struct lane_ops lanes_##x;
#include "sm_lanes.def"
#undef POLICY

static const struct sched_ops *const scheds[] = {
#define POLICY(x) &sched_##x,
#include "sm_sched.def"
#undef POLICY
};
static const struct div_ops *const divs[] = {
#define POLICY(x) &div_##x,
#include "sm_diverge.def"
#undef POLICY
};
static const struct lane_ops *const lanes[] = {
#define POLICY(x) &lanes_##x,
#include "sm_lanes.def"
#undef POLICY
};

#define FIND(list)                                                                                 \
	for (size_t i = 0; i < sizeof(list) / sizeof *(list); i++)                                 \
		if (!strcmp((list)[i]->p.name, name))                                              \
			return (list)[i];                                                          \
	return NULL

const struct sched_ops *sched_find(const char *name) { FIND(scheds); }
const struct div_ops *div_find(const char *name) { FIND(divs); }
const struct lane_ops *lane_find(const char *name) { FIND(lanes); }

#define EACH(list)                                                                                 \
	for (size_t i = 0; i < sizeof(list) / sizeof *(list); i++)                                 \
	fn(&(list)[i]->p, arg)

void policies_each(void (*fn)(const struct policy *p, void *arg), void *arg)
{
	EACH(scheds);
	EACH(divs);
	EACH(lanes);
}
