/* Basic blocks and the flow of control of one function.
 *
 * Requires: code with targets resolved. Provides: blocks in code order, edges, reverse post-order.
 *
 *	 0  setp.lt %p, %a, %b        block 0 [0,2) -> 1, 2
 *	 1  @%p bra 3
 *	 2  @%q exit                  block 1 [2,3) -> 2, end
 *	 3  st.global [%x], %y        block 2 [3,5) -> end
 *	 4  ret
 *
 * A block begins at the entry, at a branch target and after an instruction that may leave: bra,
 * brx, ret, exit, trap, a call to a .noreturn function. Other calls come back and do not end a
 * block. A guarded one of these also goes on to the next instruction. All ways out of the function
 * lead to one virtual block, number n, empty, at index code.n: falling or branching past the last
 * instruction is such a way. enum leave says by which way a block goes there.
 *
 * Edges are unique: a switch with a hundred cases on one label is one edge. */
#ifndef PASS_CFG_H
#define PASS_CFG_H
#include "ir/module.h"
#include "pass/graph.h"

/* How a block leaves the function, the most regular way first (pdom.c relies on the order). */
enum leave {
	LEAVE_RET,  /* ret; in a kernel only if unguarded */
	LEAVE_FALL, /* falls past the last instruction */
	LEAVE_EXIT, /* exit */
	LEAVE_TRAP, /* trap, or a call that does not return */
	LEAVE_SOME, /* guarded exit or trap, or a kernel's guarded ret: some threads end, the others go on */
	LEAVE_NEVER, /* the block does not leave */
};

struct basic_block {
	uint32_t first, end; /* instructions first .. end - 1 */
	uint8_t leave;       /* enum leave */
};

struct cfg {
	uint32_t n;                /* blocks; number n is the virtual exit */
	struct basic_block *block; /* n + 1 elements */
	uint32_t *block_of;        /* instruction (and code.n) -> block */
	struct graph g;            /* n + 1 nodes */
	struct order rpo; /* order from block 0; includes the virtual exit if it is reached */
	struct arena *arena;
};

struct cfg *cfg_build(struct arena *a, const struct func *f);
static inline bool cfg_reached(const struct cfg *c, uint32_t b)
{
	return c->rpo.index[b] != NO_NODE;
}

#endif
