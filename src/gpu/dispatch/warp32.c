/* The software alternative to warp-level management: blocks are split into blocks of one warp each;
 * an SM holds as many as it has scheduler entries. Threads keep their indices, so programs compute
 * the same values; but the warps of a block no longer run side by side on one SM. Only for kernels
 * whose warps share nothing. */
#include "gpu/dispatch.h"

static void rule(const struct machine *m, struct block_rule *r) { r->slots = m->max_warps; }

static const char *refuses_launch(const struct machine *m, const struct kern *k, char *buf,
				  size_t n)
{
	(void)m;
	if (k->l->shared_bytes)
		snprintf(
			buf, n,
			"gpu.dispatch = warp32 cuts blocks into warps: the kernel's share %u bytes "
			"of shared memory",
			k->l->shared_bytes);
	else if (disp_has_barrier(k))
		snprintf(buf, n,
			 "gpu.dispatch = warp32 cuts blocks into warps: the kernel's meet at "
			 "barriers");
	else
		return NULL;
	return buf;
}

const struct disp_ops disp_warp32 = {
	.p = {"warp32", "blocks cut into blocks of one warp, for kernels whose warps share nothing",
	      "Xiang 2014, section 4.3", .describe = disp_describe_buffers},
	.cuts = true,
	.rule = rule,
	.refuses_launch = refuses_launch,
	.place = disp_whole,
};
