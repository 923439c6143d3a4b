#include "sm/lanes/channels.h"

#include "sm/lanes/squeeze.h"

#define CHANNEL_STATS(X)                                                                           \
	X(full, STAT_SUM, 1, "cycles",                                                             \
	  "cycles that instructions take if whole warps pass the units")                           \
	X(bcc, STAT_SUM, 1, "cycles", "cycles without those whose channels are all inactive")      \
	X(scc, STAT_SUM, 1, "cycles", "cycles if a crossbar packs the active channels")
struct stats {
	STAT_FIELDS(CHANNEL_STATS)
};
static const struct stat_def defs[] = {STAT_DEFS(CHANNEL_STATS)};
const struct stat_table channel_stats = STAT_TABLE_PLAIN("channels", defs);

unsigned channels_aligned(lanemask active, unsigned size, unsigned width)
{
	unsigned n = squeeze_parts(active, size, width);
	return n ? n : 1;
}

unsigned channels_packed(lanemask active, unsigned width)
{
	unsigned n = (lanes_in(active) + width - 1) / width;
	return n ? n : 1;
}

const char *channels_refuse(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	if (div->groups != GROUPS_THREAD)
		return NULL;
	snprintf(
		buf, n,
		"sm.lanes = %s: sm.divergence = %s issues each thread alone, in no warp to compact",
		policy_name(m->lanes), policy_name(m->diverge));
	return buf;
}

lanemask channels_active(const struct lanes *l, const struct group *g, const struct tinst *t)
{
	if ((t->flags & T_NATIVE) || (t->u->flags & UOP_BRANCH))
		return g->active;
	return exec_lanes(l->sm, g, t->u);
}

void channels_count(struct lanes *l, lanemask active, unsigned width)
{
	const struct machine *m = l->sm->m;
	struct stats *s = l->stats;
	STAT(s, full) += (m->warp_size + width - 1) / width;
	STAT(s, bcc) += channels_aligned(active, m->warp_size, width);
	STAT(s, scc) += channels_packed(active, width);
}

void channels_plan(struct lanes *l, const struct tinst *t, lanemask active, unsigned n,
		   struct plan *out)
{
	const struct machine *m = l->sm->m;
	unsigned full = (m->warp_size + m->simd_width - 1) / m->simd_width;
	n = t->scalar ? 1 : n; /* a scalar instruction is computed by one thread */
	uint32_t ii = t->ii > full ? t->ii : full;
	*out = (struct plan){.port = (uint16_t)n,
			     .beats = (uint16_t)n,
			     .ii = (uint16_t)((n * ii + full - 1) / full)};
	channels_count(l, active, m->simd_width);
}
