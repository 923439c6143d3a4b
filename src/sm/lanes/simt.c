/* One SIMD pipeline: a warp takes warp_size / simd_width cycles, whatever its mask.
 *
 * With sm.divergence = mimd, where groups are single threads, each SIMD lane has its own scheduler and issues one
 * thread per cycle. Outside of the locked pipeline such a lane has one thread's width of every unit of the SM, with
 * collectors and register banks of its own:
 *
 *	simt     scheduler -> unit, simd_width threads wide                a full warp takes n cycles of it
 *	mimd     scheduler 0 -> unit 0, scheduler 1 -> unit 1, ...         a thread takes 1/n of that */
#include "sm/lanes/sub-cores.h"

static unsigned schedulers(const struct machine *m, const struct div_ops *div)
{
	return div->groups == GROUPS_THREAD ? m->simd_width : m->schedulers;
}

/* Cycles of a full warp. */
static unsigned warp_beats(const struct machine *m)
{
	return (m->warp_size + m->simd_width - 1) / m->simd_width;
}

static void init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	uint16_t n = (uint16_t)warp_beats(m);
	bool alone = m->diverge->groups == GROUPS_THREAD;
	l->plan = alone ? (struct plan){1, 1, 0} : (struct plan){n, n, 0};
}

/* ---- single threads ---- */

static unsigned count(const struct machine *m) { return m->simd_width; }

/* The lane that issues the thread: that of its scheduler, unless another lane has nothing to issue. */
static unsigned lane_of(const struct sm *sm, const struct group *g)
{
	return sm->lent >= 0 ? (unsigned)sm->lent : (unsigned)(g - sm->div.group) % sm->nsched;
}

static bool can(struct lanes *l, const struct group *g, unsigned unit)
{
	return lane_set_takes(&l->set[lane_of(l->sm, g)], unit, l->sm->now, &l->sm->unit_wake);
}

static void take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	unsigned beats = warp_beats(l->sm->m);
	*out = (struct plan){.port = 1,
			     .beats = 1,
			     .lane = (uint16_t)lane_of(l->sm, g),
			     .ii = (uint16_t)((t->ii + beats - 1) / beats)};
}

static const struct lane_ops alone = {
	.p = {"simt", "each lane issues threads of its own", ""},
	.schedulers = schedulers,
	.count = count,
	.init = init,
	.can = can,
	.take = take,
};

const struct lane_ops lane_simt = {
	.p = {"simt",
	      "one SIMD pipeline; a warp takes warp_size / simd_width cycles whatever its mask",
	      ""},
	.alone = &alone,
	.inside = &sub_cores_ops,
	.schedulers = schedulers,
	.init = init,
};
