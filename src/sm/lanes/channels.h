/* Compaction inside a warp, as published for Intel's GPUs: a warp of 16 channels passes an arithmetic unit of four
 * in four cycles, and cycles without an active channel are left out.
 *
 *	channels   0123 4567 89ab cdef     full: 4 cycles
 *	active     x..x .... .x.. .x..     bcc: 3, the aligned four 4567 have none
 *	                                   scc: 1, a crossbar brings 0, 3, 9, d together
 *
 * bcc.c and scc.c are the two policies. A channel whose guard is false is not active, except at a branch, which
 * every thread evaluates. */
#ifndef SM_LANES_CHANNELS_H
#define SM_LANES_CHANNELS_H
#include "sm/sm.h"

extern const struct stat_table channel_stats;

/* Cycles that the active channels take side by side in `width` units: with holes between them (bcc), or packed by
 * a crossbar (scc). At least 1: an instruction without active channels issues too. */
unsigned channels_aligned(lanemask active, unsigned size, unsigned width);
unsigned channels_packed(lanemask active, unsigned width);

/* For the tables of the policies. channels_plan() plans an instruction that takes `n` of the warp's cycles and
 * counts the cycles of all three rules, as channels_count() does for units of any width. */
const char *channels_refuse(const struct machine *m, const struct div_ops *div, char *buf,
			    size_t n);
lanemask channels_active(const struct lanes *l, const struct group *g, const struct tinst *t);
void channels_count(struct lanes *l, lanemask active, unsigned width);
void channels_plan(struct lanes *l, const struct tinst *t, lanemask active, unsigned n,
		   struct plan *out);

#endif
