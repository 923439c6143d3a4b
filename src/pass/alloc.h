/* Register allocation: virtual registers to those of the machine. Values that are live together never
 * share a register, for any schedule of the threads of a warp. Colouring is in color.c, spilling in
 * spill.c; rows are in pass/rows.h.
 *
 * Requires: code; runs analyses of its own. Provides: rows that are registers, counts, and
 * where registers do not suffice the code with its spills.
 *
 *	ld.param.u64 %rd1, [p]     R0-R1       a value of 64 (128) bits has a pair (quad) at a
 *	mov.u32      %r1, %tid.x   R2          multiple of two (four)
 *	setp.lt.u32  %p1, %r1, 8   P0          predicates have a file of their own
 *	mov.u32      %r2, 5        S0          scalar registers (pass/scalar.h) too: one copy per warp
 *
 * The graph of registers that are live together is coloured as Briggs does: nodes with fewer
 * neighbours than there are colours are removed, then, optimistically, the cheapest of the
 * others; nodes get the lowest free colour in reverse order of removal. The number of colours aimed
 * at is the number of registers live at once, since a thread has as many registers as its kernel
 * needs. Two other orders are tried: wide registers first, and the order of the code, which is
 * optimal without branches; the order with the fewest colours wins. Moves are not coalesced but
 * biased: both ends get one colour if it is free. Moves stay instructions of the program, so
 * coalescing would gain nothing and could make colouring harder.
 *
 * Scalar registers are coloured separately, after the vector ones. Threads that wait for the other
 * side of a divergent branch need their scalar registers afterwards: a register that is live where
 * one side begins, where the sides meet, or where threads of one side may wait, is live on all of
 * the other side.
 *
 * Above the limit the register with the lowest cost per point at which it is live is kept in local
 * memory: stored after each write, loaded before each read. A spilled scalar register becomes a
 * vector register. A predicate above its limit is kept in a register of 32 bits, which may be spilled
 * in turn: selp after each write, setp before each read. If an instruction's own operands do not fit,
 * the limit is exceeded. */
#ifndef PASS_ALLOC_H
#define PASS_ALLOC_H
#include "pass/pass.h"
#include "pass/scalar.h"

struct alloc_opts {
	enum scalar_rule scalar;
	unsigned limit; /* registers per thread; 0: what the target's instructions can name */
	unsigned preds; /* limit of vector predicates, and of scalar predicates; 0: no limit */
};

struct allocation {
	struct func *f; /* the function with spills, in the arena */
	struct rows rows;
	uint8_t *why;             /* [pc]: enum scalar_why; NULL: scalars are off */
	unsigned vector, scalars; /* registers of 32 bits: per thread; scalar ones per warp */
	uint32_t spill_bytes;     /* bytes of local memory that spilled registers take */
};

void alloc_run(struct allocation *out, struct arena *a, const struct func *f,
	       const struct alloc_opts *o);

/* ---- the parts ---- */

/* color.c: a problem of colouring, of registers that share a file. */
struct coloring {
	uint32_t n;      /* nodes */
	uint8_t *width;  /* registers per node: 1, 2, 4; a node starts at a multiple of its width */
	double *cost;    /* cost of leaving the node without a register */
	uint32_t *at;    /* n + 1 entries: first segment of each node */
	struct seg *seg; /* live ranges of each node, ascending, none adjacent */
	struct edge *hint; /* pairs of nodes that should get equal colours */
	uint32_t nhint;
	uint32_t points; /* number of points: every segment ends at or before it */
	/* set by the colouring: */
	uint32_t *color; /* per node: the first of its `width` colours */
	uint32_t colors; /* number of colours used */
};
void color(struct coloring *c);

/* spill.c: a copy of f in which the registers marked in `out` live in local memory from byte `at`
 * of its frame on, and marked predicates in registers; *at is advanced. New registers have numbers
 * from f->regs.n on. */
extern const char spill_temp[]; /* name of temporaries, which live for one instruction */
struct func *spill_code(const struct func *f, struct arena *a, const bool *out, uint32_t *at);

#endif
