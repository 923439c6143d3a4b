/* Block barriers in functional mode. The warps' stacks record which paths wait; kernel/barrier.c
 * counts. */
#include "kernel/barrier.h"
#include "check/check.h"
#include "func/func.h"

struct opening {
	struct wstate *ws;
	const struct barrier *bar;
};

/* Gives a path that arrived by bar.red its result. */
static void let_go(void *arg, const struct split *p)
{
	const struct opening *o = arg;
	bar_result(o->ws, &o->ws->w.cta->l->img->code[p->pc], &p->frame, (uint32_t)p->mask, o->bar);
}

/* Opens a barrier for one block; a cluster's barrier has a part in each block. */
static void open_part(struct fblock *b, unsigned id)
{
	struct cta *c = b->cta;
	struct barrier *bar = &c->bar[id];
	for (uint32_t i = 0; i < c->l->nwarps; i++) {
		if (id == CLUSTER_BARRIER)
			b->warp[i].ws->w.at_cluster = 0;
		reconv_wake(&b->warp[i].stack, id, bar->reduces ? let_go : NULL,
			    &(struct opening){b->warp[i].ws, bar});
	}
	if (c->check)
		check_bar_open(c, id, bar->expected != 0);
	c->barriers++;
	b->opened = !bar->expected && c->l->nwarps > 1;
	*bar = (struct barrier){.all = 1};
}

static void open_barrier(struct fblock *b, unsigned id)
{
	const struct cluster *c = b->cta->cluster;
	if (id != CLUSTER_BARRIER || !c)
		open_part(b, id);
	if (id == CLUSTER_BARRIER && c && b->cta->check)
		check_cluster_open(c);
	for (uint32_t i = 0; id == CLUSTER_BARRIER && c && i < c->n; i++)
		open_part(fblock_of(c->block[i]), id);
}

bool barrier_arrive(struct fwarp *fw, const struct uop *u, uint32_t m, uint32_t wait)
{
	struct cta *c = fw->ws->w.cta;
	int id = bar_count(fw->ws, u, m);
	bool waits = u->in->bar != BAR_ARRIVE;
	if (id < 0)
		return true;
	if (bar_passed(&fw->ws->w, u, id, m))
		return false;
	if (waits)
		reconv_wait(&fw->stack, wait, (unsigned)id);
	if (u->in->bar != BAR_WAIT && bar_full(c, &c->bar[id]))
		open_barrier(fblock_of(c), (unsigned)id);
	return waits;
}

void barriers_exited(struct fblock *b)
{
	const struct cta *c = b->cta;
	for (unsigned id = 0; id < NBARRIERS && c->l->img->barriers; id++)
		if ((c->bar[id].arrived || (c->cluster && id == CLUSTER_BARRIER)) &&
		    !c->bar[id].expected && bar_full(c, &c->bar[id]))
			open_barrier(b, id);
}

bool barriers_wait_for_cluster(const struct fblock *b)
{
	for (uint32_t i = 0; b->cta->cluster && i < b->cta->l->nwarps; i++)
		if (reconv_waiting(&b->warp[i].stack, CLUSTER_BARRIER))
			return true;
	return false;
}

/* True if every warp that still runs has lanes waiting at this barrier. */
static bool every_warp_waits(const struct fblock *b, unsigned id)
{
	for (uint32_t i = 0; i < b->cta->l->nwarps; i++)
		if (b->warp[i].stack.n && !reconv_waiting(&b->warp[i].stack, id))
			return false;
	return true;
}

bool barriers_deadlock(struct fblock *b)
{
	const struct launch *l = b->cta->l;
	for (unsigned id = 0; id < NBARRIERS && l->img->legacy_barrier; id++)
		if (b->cta->bar[id].arrived && every_warp_waits(b, id)) {
			open_barrier(b, id); /* before sm_70 a warp arrives as a whole */
			return true;
		}
	for (uint32_t i = 0; i < l->nwarps; i++) {
		const struct reconv *s = &b->warp[i].stack;
		for (uint32_t k = 0; k < s->n; k++) {
			const struct split *p = &s->path[k];
			if (p->state != SPLIT_BARRIER || !p->mask)
				continue;
			bar_never_fills(b->warp[i].ws, &l->img->code[p->pc],
					(unsigned)__builtin_ctzll(p->mask), p->bar);
			return false;
		}
	}
	return false;
}
