/* Builds and frees the lanes of an SM. */
#include "base/pages.h"
#include "sm/pipeline.h"

const struct lane_ops *lanes_in_use(const struct machine *m)
{
	return m->pipeline->sub_cores && m->lanes->inside ? m->lanes->inside : m->lanes;
}

void lanes_init(struct sm *sm)
{
	const struct machine *m = sm->m;
	bool alone = m->diverge->groups == GROUPS_THREAD && !m->facts.locked_depth;
	const struct lane_ops *ops = alone && m->lanes->alone ? m->lanes->alone : lanes_in_use(m);
	struct lanes *l = &sm->lanes;
	*l = (struct lanes){.ops = ops, .sm = sm, .n = ops->count ? ops->count(m) : 1};
	l->set = PAGES_ARRAY(struct lane_set, l->n);
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
	pages_free(l->set);
	free(l->state);
	free(l->stats);
}
