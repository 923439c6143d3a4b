/* Builds and frees the lanes of an SM. */
#include "sm/sm.h"

void lanes_init(struct sm *sm)
{
	const struct machine *m = sm->m;
	bool alone = m->diverge->groups == GROUPS_THREAD && !m->facts.locked_depth;
	const struct lane_ops *ops = alone && m->lanes->alone ? m->lanes->alone : m->lanes;
	struct lanes *l = &sm->lanes;
	*l = (struct lanes){.ops = ops, .sm = sm, .n = ops->count ? ops->count(m) : 1};
	l->set = xcalloc_lines(l->n, sizeof *l->set);
	for (unsigned i = 0; i < l->n; i++)
		lane_set_init(&l->set[i], m);
	l->state = xcalloc(1, ops->p.state_size);
	if (ops->p.stats)
		l->stats = xcalloc(stat_slots(ops->p.stats), sizeof(uint64_t));
	ops->init(l);
}

void lanes_free(struct sm *sm)
{
	struct lanes *l = &sm->lanes;
	if (l->ops->fini)
		l->ops->fini(l);
	for (unsigned i = 0; i < l->n; i++)
		lane_set_free(&l->set[i]);
	free(l->set);
	free(l->state);
	free(l->stats);
}
