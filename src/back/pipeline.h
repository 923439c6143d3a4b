/* The passes of the code generator in the order they run: pipeline.c, a line per pass. */
#ifndef BACK_PIPELINE_H
#define BACK_PIPELINE_H
#include "back/mir/mir.h"

struct var;

/* A kernel of PTX on its way to instruction selection. */
struct lowering {
	struct func *f; /* a copy of the kernel without calls (lower/inline.c) */
	struct arena *a;
	const struct mtarget *target;
	unsigned without; /* FUSE_*: passes to leave out */
	/* shared memory through which lanes exchange words; NULL: none */
	const struct var *exchange;
};
void pipeline_lower(struct lowering *x);

/* Limits of common-subexpression sharing. A result is reused up to `reach` instructions later; 0:
 * never. If room is not 0, it is reused farther away too, as long as at most `room` registers are
 * in use in between. */
struct sharing {
	uint32_t reach;
	unsigned room;
};
/* From selected code to renamed and folded values: everything before the choice of a sharing. */
void pipeline_prepare(struct mfunc *m, unsigned without);
void pipeline_share(struct mfunc *m, struct sharing s, unsigned without);
/* From values prepared by pipeline_prepare() to allocated registers; false: `registers` are too few
 * even with the permitted spills. */
bool pipeline_allocate(struct mfunc *m, unsigned registers, bool may_spill, unsigned without);
/* Passes over code with allocated registers. */
void pipeline_finish(struct mfunc *m, unsigned without);

#endif
