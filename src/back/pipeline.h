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
	unsigned without;           /* FUSE_*: passes to leave out */
	const struct var *exchange; /* shared memory that lanes exchange words in; NULL: none */
};
void pipeline_lower(struct lowering *x);

/* The sharing of repeated results: values up to `reach` instructions away are kept in registers, 0:
 * none; if room is not 0, farther values too, while no more than `room` registers are in use. */
struct sharing {
	uint32_t reach;
	unsigned room;
};
/* From selected code to renamed and folded values: everything before the choice of a sharing. */
void pipeline_prepare(struct mfunc *m, unsigned without);
void pipeline_share(struct mfunc *m, struct sharing s, unsigned without);
/* From there to allocated registers; false: `registers` are too few even with the permitted
 * spills. */
bool pipeline_allocate(struct mfunc *m, unsigned registers, bool may_spill, unsigned without);
/* Passes over code with allocated registers. */
void pipeline_finish(struct mfunc *m, unsigned without);

#endif
