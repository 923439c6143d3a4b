/* Register allocation: virtual registers to those of the machine.
 *
 * Requires: code; analyses of its own. Provides: rows (pass/rows.h) that are registers, counts, and
 * where registers do not suffice the code with its spills.
 *
 *	ld.param.u64 %rd1, [p]     R0-R1       a value of 64 (128) bits has a pair (quad) at a
 *	mov.u32      %r1, %tid.x   R2          multiple of two (four)
 *	setp.lt.u32  %p1, %r1, 8   P0          predicates have a file of their own
 *	mov.u32      %r2, 5        S0          scalar registers (pass/scalar.h) too: one copy a warp
 *
 * The graph of registers that are live together is coloured as Briggs does: those with fewer
 * neighbours than there are colours are put aside, then, optimistically, the cheapest of the
 * others; they get the lowest colours in turn, last first. The number of colours aimed at is what
 * is live at once, for a thread has as many registers as its kernel needs. The same is tried with
 * wide registers first, and in the order of the code, which is optimal without branches; the least
 * wins. Moves are not coalesced but biased: both ends get one colour if it is free. They stay
 * instructions of the program, so coalescing would gain nothing and could make colouring harder.
 *
 * Scalar registers are coloured apart, after the vector ones. Threads that wait for the other side
 * of a divergent branch need theirs when that is done: what is live where one side begins, where
 * the sides meet, or where threads of the one side may wait, is live on all of the other side.
 *
 * Above the limit the register that is cheapest, for how long it is live, is kept in local memory:
 * stored after each write, loaded before each read. A spilled scalar register is a vector one then.
 * A predicate above its limit is kept in a register of 32 bits, which may be spilled in turn: selp
 * after each write, setp before each read. If an instruction's own operands do not fit, the limit
 * is passed. */
#ifndef PASS_ALLOC_H
#define PASS_ALLOC_H
#include "pass/pass.h"
#include "pass/scalar.h"

struct alloc_opts {
	enum scalar_rule scalar;
	unsigned limit; /* registers a thread may have; 0: what the target's instructions name */
	unsigned preds; /* predicates, and as many scalar ones; 0: no limit */
};

struct allocation {
	struct func *f; /* with spills; in the arena */
	struct rows rows;
	uint8_t *why;             /* [pc]: enum scalar_why; NULL: no scalars */
	unsigned vector, scalars; /* registers of 32 bits: a thread's, a warp's scalar ones */
	uint32_t spill_bytes;     /* that registers in local memory take there */
};

void alloc_run(struct allocation *out, struct arena *a, const struct func *f,
	       const struct alloc_opts *o);

/* ---- the parts ---- */

/* color.c: registers that share a file. */
struct coloring {
	uint32_t n;        /* nodes */
	uint8_t *width;    /* 1, 2, 4: at multiples of itself */
	double *cost;      /* what it costs not to have a register */
	uint32_t *at;      /* n + 1: segments of each node */
	struct seg *seg;   /* ascending, none adjacent */
	struct edge *hint; /* nodes that should have one colour */
	uint32_t nhint;
	uint32_t points; /* all segments end there or before */
	/* the result: */
	uint32_t *color; /* first of `width` */
	uint32_t colors; /* used */
};
void color(struct coloring *c);

/* spill.c: a copy of f in which the registers marked in `out` live in local memory from byte `at`
 * of its frame on, and marked predicates in registers; *at is advanced. New registers have numbers
 * from f->regs.n on. */
extern const char spill_temp[]; /* name of those that live for one instruction alone */
struct func *spill_code(const struct func *f, struct arena *a, const bool *out, uint32_t *at);

#endif
