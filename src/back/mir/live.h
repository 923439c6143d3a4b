/* Liveness of values of machine code. Sets between blocks contain only values that some block reads
 * before it writes them; inside a block a walk from its end keeps a list. */
#ifndef BACK_MIR_LIVE_H
#define BACK_MIR_LIVE_H
#include "back/mir/blocks.h"

/* A set of values: v[0 .. n). */
struct mset {
	uint32_t n, *v;
	uint32_t *at; /* [value]: its index in v, if it is in the set */
};

struct mlive {
	const struct mfunc *m;
	struct mblocks b;
	uint32_t across; /* number of values that live across blocks */
	/* [value]: its index among the values that live across blocks, plus 1; 0: not one of them */
	uint32_t *number;
	uint32_t *value; /* [index]: the value */
	uint32_t words;  /* 64-bit words per set of these values */
	uint64_t *in, *out;
};

void mset_new(struct mset *s, const struct mfunc *m);
void mset_free(struct mset *s);
void mset_add(struct mset *s, uint32_t v);
void mset_drop(struct mset *s, uint32_t v);
/* Turns the set of values live after an instruction into the set live before it. */
void mset_back(struct mset *s, const struct mfunc *m, const struct mi *in);

void mlive_find(struct mlive *l, const struct mfunc *m);
void mlive_free(struct mlive *l);
void mlive_begin(const struct mlive *l, uint32_t block, struct mset *s);
void mlive_end(const struct mlive *l, uint32_t block, struct mset *s);

#endif
