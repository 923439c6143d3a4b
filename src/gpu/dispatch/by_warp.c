/* The common part of dispatchers that allocate warp by warp (Xiang 2014, section 4): their rule, and
 * the machines and launches that they refuse. */
#include "gpu/dispatch.h"

#include "kernel/image.h"

struct warp_options {
	uint32_t partial; /* most partial blocks per SM */
};
static const struct option warp_rows[] = {
	OPTION_NUM(struct warp_options, partial, "warp.partial_blocks", 1, 1, 64, "blocks",
		   "dispatchers that allocate warp by warp: most partly "
		   "started blocks per SM; more than one only for kernels "
		   "without barriers"),
};
const struct option_table disp_warp_options = {OPTION_TABLE(warp_rows, struct warp_options)};

static uint32_t partial_blocks(const struct machine *m)
{
	const struct warp_options *o = machine_own(m, &disp_warp_options);
	return o->partial;
}

void disp_rule_warp(const struct machine *m, struct block_rule *r)
{
	r->hold = HOLD_WARP;
	r->partial = partial_blocks(m);
}

const char *disp_refuses_warp(const struct machine *m, const struct div_ops *div, char *buf,
			      size_t n)
{
	if (div->groups != GROUPS_BLOCK || partial_blocks(m) < 2)
		return NULL;
	snprintf(
		buf, n,
		"warp.partial_blocks = %u: sm.divergence = %s runs a block when all its warps have started, "
		"and two partly started blocks could wait for each other's room",
		partial_blocks(m), policy_name(m->diverge));
	return buf;
}

bool disp_has_barrier(const struct kern *k)
{
	for (uint32_t pc = 0; pc < k->l->img->ncode; pc++)
		if (uop_is(&k->l->img->code[pc], OF_BARRIER))
			return true;
	return false;
}

const char *disp_refuses_partial(const struct machine *m, const struct kern *k, char *buf, size_t n)
{
	if (partial_blocks(m) < 2 || !disp_has_barrier(k))
		return NULL;
	snprintf(buf, n,
		 "warp.partial_blocks = %u: the kernel has barriers, and two blocks that wait at "
		 "one for warps without room could wait for each other",
		 partial_blocks(m));
	return buf;
}

void disp_describe_buffers(const struct machine *m, struct facts *f)
{
	(void)m;
	f->buffers = true;
}
