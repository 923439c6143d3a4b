/* Reconvergence points: where the threads that a branch has parted meet again.
 *
 * Requires: code with targets resolved. Provides: inst.reconv.
 *
 *	2  @%p bra 5       reconv = 6: the first instruction of the immediate post-dominator
 *	3  add             of the block that ends in the branch
 *	4  bra 6           reconv = NO_PC: all threads go the same way
 *	5  sub
 *	6  st
 *
 * Guarded bra and brx get one, also with .uni, so that a wrong .uni costs nothing but time; NO_PC
 * there means that the paths meet only at the function's end. Every other instruction has NO_PC:
 * threads that leave by a guarded ret or exit vanish, the others go on. */
#include "pass/pass.h"

bool inst_may_diverge(const struct inst *in)
{
	return inst_is(in, OF_INDEXED) || (inst_is(in, OF_BRANCH) && in->guard != NO_REG);
}

void reconv_set(struct func *f, const struct cfg *c, const struct domtree *pdom)
{
	for (size_t i = 0; i < f->code.n; i++)
		f->code.v[i].reconv = NO_PC;
	for (uint32_t b = 0; b < c->n; b++) {
		struct inst *in = &f->code.v[c->block[b].end - 1];
		uint32_t p = pdom->idom[b];
		if (inst_may_diverge(in) && p != NO_NODE && p != c->n)
			in->reconv = c->block[p].first;
	}
}

void reconv_run(struct func *f)
{
	struct arena a = {0};
	struct cfg *c = cfg_build(&a, f);
	struct domtree pdom;
	pdom_build(&pdom, c);
	reconv_set(f, c, &pdom);
	arena_free(&a);
}
