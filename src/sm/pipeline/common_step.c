/* A pipeline that moves in common issue steps of all SMs (scale.pipeline = steps).
 *
 * The simulator of the hybrid-warp-size thesis moves all instructions of all SMs by one logical
 * stage per step, and a step takes as many cycles as the largest warp issued in it has parts; a
 * step without an issue takes the cycles of a full warp (Jin 2012, section 4.2, step 3, appendix C,
 * and the 0.807 of table 6.1: a warp alone issues in one step of six). So small warps shorten the
 * latency, not only the issue. In hardware a superpipelined stage takes its cycles whatever it
 * contains: scale.pipeline = cycles. */
#include "sm/sm.h"

void sm_stages_init(struct sm *sm)
{
	sm->nstages = sm->depth / (sm->m->warp_size / sm->m->simd_width);
	sm->stage = xcalloc(sm->nstages, sizeof(struct event *));
}

void sm_stage(struct sm *sm, struct event *commit)
{
	struct event **s = &sm->stage[sm->at_stage];
	commit->next = *s;
	*s = commit;
	sm->staged++;
}

void sm_next_step(struct sm *sm, cycle_t at)
{
	sm->at_stage = (sm->at_stage + 1) % sm->nstages;
	struct event *e = sm->stage[sm->at_stage];
	sm->stage[sm->at_stage] = NULL;
	while (e) {
		struct event *next = e->next;
		wheel_post(&sm->wheel, e, at);
		sm->staged--;
		e = next;
	}
}
