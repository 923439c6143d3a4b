/* Liveness of values of machine code. Sets between blocks have only the values that some block reads before it writes them;
 * inside a block a walk from its end keeps a list. */
#ifndef BACK_MIR_LIVE_H
#define BACK_MIR_LIVE_H
#include "back/mir/blocks.h"

/* A set of values: v[0 .. n). */
struct mset {
	uint32_t n, *v;
	uint32_t *at; /* [value]: its place in v, if it has one */
};

struct mlive {
	const struct mfunc *m;
	struct mblocks b;
	uint32_t across;  /* values that live across blocks */
	uint32_t *number; /* [value]: which of them it is, plus 1 */
	uint32_t *value;  /* [number] */
	uint32_t words;   /* of a set of them */
	uint64_t *in, *out;
};

void mset_new(struct mset *s, const struct mfunc *m);
void mset_free(struct mset *s);
void mset_add(struct mset *s, uint32_t v);
void mset_drop(struct mset *s, uint32_t v);
/* What is live behind an instruction becomes what is live before it. */
void mset_back(struct mset *s, const struct mfunc *m, const struct mi *in);

void mlive_find(struct mlive *l, const struct mfunc *m);
void mlive_free(struct mlive *l);
void mlive_begin(const struct mlive *l, uint32_t block, struct mset *s);
void mlive_end(const struct mlive *l, uint32_t block, struct mset *s);

#endif
