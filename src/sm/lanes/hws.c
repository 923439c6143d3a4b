/* Hybrid warp size: a warp takes as many cycles as it has parts of simd_width lanes with active
 * threads, after squeezing, if hws.squeeze enables it. Threads are squeezed here, for the duration
 * of the issue, or, with mechanisms that merge groups and if squeeze.when says so, before merging
 * (sm/diverge/regroup.c). */

#include "sm/lanes/inside.h"
#include "sm/lanes/squeeze.h"
#include "sm/pipeline.h"

#define SQUEEZE_WHEN(X) X(BEFORE_MERGE, "before-merge") X(AFTER_MERGE, "after-merge")
enum { SQUEEZE_WHEN(CHOICE_ENUM) };
#define SCALE_SCOPES(X) X(SCALE_SM, "sm") X(SCALE_GPU, "gpu")
enum { SCALE_SCOPES(CHOICE_ENUM) };
#define SCALE_PIPELINES(X) X(SCALE_CYCLES, "cycles") X(SCALE_STEPS, "steps")
enum { SCALE_PIPELINES(CHOICE_ENUM) };
struct options {
	bool squeeze;
	uint32_t when, scope, pipeline;
	bool idle_holds;
};
static const struct option rows[] = {
	OPTION_BOOL(struct options, squeeze, "hws.squeeze", true,
		    "sm.lanes = hws: threads are moved within their lanes so "
		    "that fewer parts are occupied"),
	OPTION_CHOICE(struct options, when, "squeeze.when", "before-merge", SQUEEZE_WHEN,
		      "hws.squeeze with a mechanism that merges: a group is squeezed before it is "
		      "merged with another, or when it is issued"),
	OPTION_CHOICE(struct options, scope, "scale.scope", "sm", SCALE_SCOPES,
		      "sm.lanes = hws: each SM issues as soon as its own warp "
		      "has left (sm), or all SMs together when the largest warp "
		      "has (gpu)"),
	OPTION_CHOICE(struct options, pipeline, "scale.pipeline", "cycles", SCALE_PIPELINES,
		      "scale.scope = gpu: an instruction takes sm.locked_depth "
		      "cycles, or a number of common steps of all SMs, which are "
		      "shorter when small warps issue"),
	OPTION_BOOL(struct options, idle_holds, "scale.idle_holds", false,
		    "scale.pipeline = steps: an SM that has warps and issues none in a step holds "
		    "all SMs to the step of a full warp"),
};
static const char *refuses_options(const struct machine *m, char *buf, size_t n);
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true,
					    .refuses = refuses_options};

struct state {
	bool squeezes; /* true: threads are squeezed at issue */
};

static const struct options *options_of(const struct machine *m)
{
	return machine_own(m, &options);
}

static void describe(const struct machine *m, struct facts *f)
{
	const struct options *o = options_of(m);
	f->regroups = true;
	f->squeezes = o->squeeze;
	f->in_step = o->scope == SCALE_GPU;
	f->steps = o->pipeline == SCALE_STEPS;
	f->idle_holds = o->idle_holds;
}

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	if (div->groups != GROUPS_THREAD)
		return NULL;
	snprintf(buf, n,
		 "sm.divergence = %s issues each thread alone: sm.lanes = hws has no warp to scale",
		 policy_name(m->diverge));
	return buf;
}

static void init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	const struct options *o = options_of(m);
	bool at_issue = !div_pools(m->diverge) || o->when == AFTER_MERGE;
	*(struct state *)l->state = (struct state){o->squeeze && at_issue};
	l->squeeze_first = o->squeeze && !at_issue;
}

static void take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	const struct machine *m = l->sm->m;
	const struct state *s = l->state;
	lanemask a = g->active;
	if (t->scalar) { /* a scalar instruction passes like a warp of one thread */
		uint32_t full = (m->warp_size + m->simd_width - 1) / m->simd_width;
		*out = (struct plan){
			.port = 1, .beats = 1, .ii = (uint16_t)((t->ii + full - 1) / full)};
		return;
	}
	if (s->squeezes) {
		a = machine_squeeze(m, a, NULL);
		STAT(&l->sm->stats, squeezed_threads) +=
			(unsigned)__builtin_popcountll(a & ~g->active);
	}
	unsigned n = squeeze_parts(a, m->warp_size, m->simd_width);
	out->port = out->beats = (uint16_t)(n ? n : 1);
	out->lane = 0;
}

static lanemask place(const struct lanes *l, const struct group *g, uint8_t *from)
{
	const struct state *s = l->state;
	return s->squeezes ? machine_squeeze(l->sm->m, g->active, from) : g->active;
}

/* Inside a sub-core each pipe is as wide as its class says; threads are squeezed at issue. */
static const struct inside_preset squeezed = {.rule = PARTS_SQUEEZED},
				  in_place = {.rule = PARTS_ALIGNED};

static const struct inside_preset *choose_preset(const struct machine *m)
{
	return options_of(m)->squeeze ? &squeezed : &in_place;
}

static const struct lane_ops inside = {
	.p = {"hws",
	      "in each pipe of a sub-core; a warp takes a cycle for each part of the pipe's width that has threads",
	      "Jin 2012, sections 4.1 and 4.2", INSIDE_POLICY},
	.scales = true,
	.preset = &(const struct inside_preset){.choose = choose_preset},
	INSIDE_OPS,
};

const struct lane_ops lane_hws = {
	.p = {"hws",
	      "one SIMD pipeline; a warp takes a cycle for each part of simd_width lanes that has threads",
	      "Jin 2012, sections 4.1 and 4.2", .state_size = sizeof(struct state),
	      .options = {&options}, .describe = describe},
	.scales = true,
	.scalars = true,
	.inside = &inside,
	.refuses = refuses,
	.init = init,
	.take = take,
	.place = place,
};

/* A pipeline with common steps needs all SMs in step, and refuses options that add cycles of their
 * own. */
static bool refuses_steps(const struct machine *m, const struct options *o, char *buf, size_t n)
{
	uint32_t depth = m->facts.locked_depth;
	if (o->pipeline != SCALE_STEPS) {
		if (o->idle_holds)
			snprintf(buf, n,
				 "scale.idle_holds = yes: only scale.pipeline = steps has "
				 "steps to hold");
		return o->idle_holds;
	}
	if (o->scope != SCALE_GPU)
		snprintf(buf, n, "scale.pipeline = steps: only scale.scope = gpu has SMs in step");
	else if (!m->perfect_mem)
		snprintf(buf, n,
			 "scale.pipeline = steps: memory answers in cycles; "
			 "gpu.perfect_memory = yes is needed");
	else if (depth % (m->warp_size / m->simd_width))
		snprintf(buf, n,
			 "scale.pipeline = steps: sm.locked_depth = %u is not a number of steps of "
			 "%u cycles",
			 depth, m->warp_size / m->simd_width);
	else
		return false;
	return true;
}

static const char *refuses_options(const struct machine *m, char *buf, size_t n)
{
	const struct options *o = options_of(m);
	bool hws = m->lanes == &lane_hws, when = machine_is_set(m, "squeeze.when");
	char word[16];
	machine_text(m, "squeeze.when", word, sizeof word);
	if (when && !div_pools(m->diverge))
		snprintf(buf, n, "squeeze.when = %s: sm.divergence = %s merges no warps in a pool",
			 word, policy_name(m->diverge));
	else if (when && !(hws && o->squeeze))
		snprintf(buf, n,
			 "squeeze.when = %s: nothing is squeezed without sm.lanes = hws and "
			 "hws.squeeze = yes",
			 word);
	else if (refuses_steps(m, o, buf, n))
		return buf;
	else if (o->scope == SCALE_GPU && !hws)
		snprintf(buf, n, "scale.scope = gpu: sm.lanes = %s does not scale warps",
			 policy_name(m->lanes));
	else if (o->scope == SCALE_GPU && !m->facts.locked_depth)
		snprintf(buf, n,
			 "scale.scope = gpu: sm.pipeline = %s has no issue port for SMs to keep in "
			 "step; locked has",
			 policy_name(m->pipeline));
	else
		return NULL;
	return buf;
}
