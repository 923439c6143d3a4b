/* Fragments: groups of one warp that part and never meet again, for `none` and `mimd`.
 *
 * A fragment is a group: lanes of one warp at one pc, in one chain of calls. An instruction that
 * parts a fragment makes new ones at issue; they become visible when the instruction commits.
 * Warp-level operations belong to the warp: fragments that execute one wait for the lanes it names,
 * the last to arrive executes it for all of them, and at commit they part again.
 *
 * The functions implement struct div_ops; a policy adds how its warps start. */
#ifndef SM_DIVERGE_FRAGMENTS_H
#define SM_DIVERGE_FRAGMENTS_H
#include "sm/sm.h"

/* Fragment k of warp w is group w * by_warp + k * by_place. */
void frag_init(struct div *d, unsigned by_warp, unsigned by_place);
void frag_fini(struct div *d);
/* Starts lanes of a warp at pc, as its fragment number `place`. */
void frag_start(struct div *d, unsigned w, unsigned place, lanemask lanes, uint32_t pc,
		uint64_t age);

void frag_step(struct div *d, int g, uint32_t next);
void frag_branch(struct div *d, int g, const struct uop *u, lanemask taken);
void frag_ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target);
void frag_call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
	       uint32_t back);
lanemask frag_caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret);
void frag_ret(struct div *d, int g, lanemask lanes);
void frag_exit(struct div *d, int g, lanemask done);
void frag_wait(struct div *d, int g, lanemask lanes, unsigned bar);
void frag_wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn);
lanemask frag_waiting(const struct div *d, unsigned w, unsigned bar);
uint32_t frag_where(const struct div *d, unsigned w, unsigned lane);
bool frag_meet(struct div *d, int g, lanemask lanes, const lanemask *need);
void frag_yield(struct div *d, int g);
void frag_commit(struct div *d, int g);
bool frag_check(const struct div *d, struct diag *why);

#define FRAGMENT_OPS                                                                               \
	.fini = frag_fini, .step = frag_step, .branch = frag_branch, .ibranch = frag_ibranch,      \
	.call = frag_call, .caller = frag_caller, .ret = frag_ret, .exit = frag_exit,              \
	.wait = frag_wait, .wake = frag_wake, .waiting = frag_waiting, .where = frag_where,        \
	.meet = frag_meet, .yield = frag_yield, .commit = frag_commit, .check = frag_check

#endif
