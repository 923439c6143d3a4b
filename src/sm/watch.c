/* An SM that is watched: what groups wait for before each instruction. Runs that nobody looks at do not
 * pay for it: one branch at each change of a group's state. */
#include "sm/sm.h"

const char *sm_stall_name(unsigned i)
{
	return i < STALL_COUNT - 1 ? slot_stats.def[SLOT_barrier + i].name : "ready";
}

static bool waits(enum gstate s) { return s >= GS_BARRIER && s < GS_READY; }

/* Counts what the group has waited for at its instruction; that it was ready is counted at issue. */
void watch_state(struct sm *sm, int g, enum gstate from, enum gstate to)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	if (waits(from) && s->at && sm->now > s->since)
		s->at->stall[from - GS_BARRIER] += sm->now - s->since;
	s->since = sm->now > s->since ? sm->now : s->since;
	if (waits(to) && (gr->active || gr->warp != GROUP_MIXED))
		s->at = &sm_home(sm, gr)->b->prof[gr->pc];
}

void watch_issue(struct sm *sm, int g, const struct uop *u, lanemask m)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	(void)u;
	(void)m;
	if (sm->now > s->since)
		sm_home(sm, gr)->b->prof[gr->pc].stall[STALL_COUNT - 1] += sm->now - s->since;
	s->since = sm->now + 1;
}
