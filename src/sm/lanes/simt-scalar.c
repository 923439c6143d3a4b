/* A SIMD pipeline with a scalar datapath beside it, as AMD's GCN has: separate scalar registers, a
 * scalar unit of each kind, and a broadcast to the SIMD lanes. A scalar instruction takes one cycle
 * there; all others take warp_size / simd_width cycles of the SIMD pipeline, whatever their
 * mask. */
#include "sm/lanes/inside.h"
#include "sm/pipeline.h"

enum { SIMD, SCALAR };

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	if (div->groups != GROUPS_THREAD)
		return NULL;
	snprintf(
		buf, n,
		"sm.lanes = simt-scalar: sm.divergence = %s issues each thread alone, and a scalar "
		"datapath serves what the threads of a warp share",
		policy_name(m->diverge));
	return buf;
}

static unsigned count(const struct machine *m)
{
	(void)m;
	return 2;
}

static void init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	uint16_t n = (uint16_t)((m->warp_size + m->simd_width - 1) / m->simd_width);
	l->plan = (struct plan){.port = n, .beats = n};
}

static bool can(struct lanes *l, const struct group *g, unsigned unit)
{
	const struct tinst *t = &sm_home(l->sm, g)->code[g->pc];
	return lane_set_takes(&l->set[t->scalar ? SCALAR : SIMD], unit, l->sm->now,
			      &l->sm->unit_wake);
}

static void take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	const struct machine *m = l->sm->m;
	(void)g;
	*out = l->plan;
	/* Where scalars are found by value, can() has asked for the SIMD pipeline: the instruction may wait before
	 * the scalar collectors. */
	if (t->scalar) {
		uint32_t beats = (m->warp_size + m->simd_width - 1) / m->simd_width;
		*out = (struct plan){.port = 1,
				     .beats = 1,
				     .lane = SCALAR,
				     .ii = (uint16_t)((t->ii + beats - 1) / beats)};
	}
}

static void describe(const struct machine *m, struct facts *f)
{
	(void)m;
	f->scalar_file = true;
}

/* Each sub-core has a scalar datapath, the uniform one, which executes scalar instructions instead
 * of the vector pipes. */
static const struct inside_preset preset = {.rule = PARTS_ALL, .uniform = true};
static const struct lane_ops beside = {
	.p = {"simt-scalar", "scalar instructions take the uniform datapath of their sub-core",
	      "Lucas et al. 2015, section 5.9", INSIDE_POLICY},
	.preset = &preset,
	INSIDE_OPS,
};

const struct lane_ops lane_simt_scalar = {
	.p = {"simt-scalar", "simt with a scalar datapath and scalar registers of its own",
	      "Lucas et al. 2015, section 5.9", .describe = describe},
	.scalars = true,
	.inside = &beside,
	.refuses = refuses,
	.count = count,
	.init = init,
	.can = can,
	.take = take,
};
