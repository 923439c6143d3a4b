/* Two levels with fetch groups: warps are divided permanently into fetch groups of
 * sm.scheduler_active by their numbers. The present fetch group's warps come first, round robin;
 * only when all its warps wait (for memory, at a barrier, or have ended) the next fetch group takes
 * its place, so that the fetch groups reach long operations at different times. A warp that merely
 * waits for an earlier result does not end its group's turn: other warps fill such cycles. */
#include "sm/sched/two_level.h"

struct state {
	unsigned size;        /* warps per fetch group */
	unsigned group, next; /* the present fetch group; next warp in round robin inside it */
};

static void init(struct sched *s) { ((struct state *)s->state)->size = two_level_active(s); }

static unsigned size_of(const struct sched *s) { return ((const struct state *)s->state)->size; }
static unsigned groups(const struct sched *s) { return (s->n + size_of(s) - 1) / size_of(s); }

/* True if fetch group f has a warp that is alive and does not wait for long. */
static bool is_active(const struct sched *s, unsigned f)
{
	const struct sm *sm = s->sm;
	unsigned size = size_of(s), end = (f + 1) * size < s->n ? (f + 1) * size : s->n;
	for (unsigned k = f * size; k < end; k++) {
		const struct gslot *g = &sm->slot[k * sm->nsched + s->id];
		if (g->state != GS_FREE && !gstate_is_long(g->state) && !g->yields)
			return true;
	}
	return false;
}

/* A ready warp of fetch group f, starting at `next` if that is in the group; -1: none. */
static int ready_of(const struct sched *s, const uint64_t *ready, unsigned f, unsigned next)
{
	unsigned size = size_of(s), first = f * size, n = s->n - first < size ? s->n - first : size;
	unsigned from = next - first < n ? next - first : 0;
	for (unsigned i = 0; i < n; i++) {
		int k = (int)(first + (from + i) % n);
		if (set_has(ready, k))
			return k;
	}
	return -1;
}

static int pick(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	unsigned n = groups(s);
	for (unsigned i = 0; i < n && !is_active(s, st->group); i++)
		st->group = (st->group + 1) % n;
	for (unsigned i = 0; i < n; i++) {
		int k = ready_of(s, ready, (st->group + i) % n, st->next);
		if (k >= 0)
			return k;
	}
	return -1;
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->next = ((unsigned)k + 1) % s->n;
}

const struct sched_ops sched_two_level_groups = {
	.p = {"two-level-groups",
	      "fixed fetch groups; the next one comes first only when every warp of the present one waits",
	      "Narasiman et al., MICRO 2011", .state_size = sizeof(struct state),
	      .options = {&two_level_options}},
	.init = init,
	.pick = pick,
	.issued = issued,
};
