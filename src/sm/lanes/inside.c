/* How long an instruction keeps a pipe of its sub-core: by the parts of the warp that have threads. inside.h has the
 * picture. */
#include "sm/lanes/inside.h"

#include "isa/sm70/issue.h"
#include "sm/lanes/squeeze.h"

static const struct inside_preset *preset_of(const struct machine *m)
{
	const struct inside_preset *p = lanes_in_use(m)->preset;
	return p->choose ? p->choose(m) : p;
}

/* Threads that the pipes for arithmetic take side by side. */
static unsigned sub_core_width(const struct machine *m)
{
	return m->warp_size / sm70_class_info[SM70_CLASS_alu].interval;
}

unsigned inside_lanes(const struct machine *m)
{
	const struct lane_ops *ops = lanes_in_use(m);
	unsigned width = ops->in_pipes ? preset_of(m)->width : 0;
	return width ? sub_core_width(m) / width : 1;
}

bool inside_takes_uniform(const struct machine *m) { return preset_of(m)->uniform; }

const char *inside_refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	const struct inside_preset *p = preset_of(m);
	if (p->width && sub_core_width(m) % p->width)
		snprintf(
			buf, n,
			"sm.lanes = %s: lanes of %u threads do not divide a sub-core's pipes of %u",
			policy_name(m->lanes), p->width, sub_core_width(m));
	else if (inside_lanes(m) > MAX_INSIDE)
		snprintf(buf, n, "sm.lanes = %s: a sub-core would have %u lanes, it has at most %u",
			 policy_name(m->lanes), inside_lanes(m), MAX_INSIDE);
	else
		return sub_cores_refuse(m, div, buf, n);
	return buf;
}

unsigned inside_most(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last)
{
	return sub_cores_fit(m, inside_lanes(m), warps, regs, last);
}

void inside_init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	struct inside_state *s = l->state;
	sub_cores_divide(l, inside_lanes(m));
	s->preset = preset_of(m);
	unsigned bundles = s->preset->width ? m->warp_size / s->preset->width : 1;
	l->plan = (struct plan){.port = 1, .beats = (uint16_t)bundles};
}

/* ---- instructions ---- */

/* True if threads pass the instruction's pipe side by side, in parts: not where lanes exchange values or the warp is
 * one operand. */
static bool passes_in_parts(const struct tinst *t)
{
	if (!t->issue)
		return t->unit != UNIT_MMA && !(t->flags & (T_CTL | T_SYNC | T_GATHER));
	unsigned class = t->issue->class, pipe = sm70_class_info[class].pipe;
	if (class == SM70_CLASS_shuffle || class == SM70_CLASS_redux || class == SM70_CLASS_match ||
	    class == SM70_CLASS_to_uniform || class == SM70_CLASS_mbarrier ||
	    class == SM70_CLASS_constant)
		return false;
	return pipe == SM70_PIPE_ALU || pipe == SM70_PIPE_FMA || pipe == SM70_PIPE_HEAVY ||
	       pipe == SM70_PIPE_FP64 || pipe == SM70_PIPE_XU || pipe == SM70_PIPE_MEMORY;
}

static bool uses_memory(const struct tinst *t)
{
	return t->issue ? sm70_class_info[t->issue->class].pipe == SM70_PIPE_MEMORY
			: t->unit == UNIT_MEM;
}

/* Parts of `width` lanes that take a cycle; at least one, because the instruction passes in any case. */
static unsigned count_parts(const struct machine *m, enum part_rule rule, lanemask active,
			    unsigned width)
{
	switch (rule) {
	case PARTS_ALL: return m->warp_size / width;
	case PARTS_PACKED: return channels_packed(active, width);
	case PARTS_SQUEEZED:
		return channels_aligned(squeeze(active, m->warp_size, width, NULL), m->warp_size,
					width);
	default: return channels_aligned(active, m->warp_size, width);
	}
}

/* The largest power of two that is no larger than a pipe that takes `interval` cycles for a warp. */
static unsigned pipe_width(const struct machine *m, unsigned interval)
{
	unsigned width = m->warp_size;
	while (width > 1 && width * interval > m->warp_size)
		width /= 2;
	return width;
}

void inside_take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	const struct machine *m = l->sm->m;
	const struct inside_state *s = l->state;
	const struct inside_preset *p = s->preset;
	unsigned interval = t->issue ? sm70_class_info[t->issue->class].interval : t->ii;
	unsigned lane = sm_home(l->sm, g)->lane;
	*out = l->plan;
	out->lane = (uint16_t)(lane % s->room.cores);
	out->ii = (uint16_t)interval;
	if (!passes_in_parts(t))
		return;
	bool divided = p->width && !uses_memory(t);
	unsigned width = divided ? p->width : pipe_width(m, interval), whole = m->warp_size / width;
	unsigned n = t->scalar ? 1 : count_parts(m, p->rule, channels_active(l, g, t), width);
	/* A divided pipe has the throughput of the undivided one in all lanes together; this lane
	 * uses only its own part. */
	unsigned time = n * interval * (divided ? s->room.inside : 1);
	out->ii = (uint16_t)((time + whole - 1) / whole);
	if (p->width)
		out->beats =
			(uint16_t)(t->scalar ? 1
					     : count_parts(m, p->rule, channels_active(l, g, t),
							   p->width));
	channels_count(l, channels_active(l, g, t), width);
}
