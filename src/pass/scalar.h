/* Scalarization: which instructions a warp may execute once instead of once a thread, and which
 * registers need one copy a warp.
 *
 * Requires: cfg, pdom, live. Provides: a class for each instruction and each register.
 *
 *	 0  mov  %i, 0                  scalar
 *	 1  mov  %t, %tid.x             vector: differs between threads
 *	 2  add  %i, %i, 1              scalar: the threads in the loop count together
 *	 3  mul  %a, %i, 4              scalar: dead where the loop's threads meet
 *	 4  setp.lt %p, %i, %t          vector: reads %t
 *	 5  @%p bra 2                   vector: parts the threads, they meet at 6
 *	 6  st.global [%x], %i          now %i is vector: each thread left the loop with its own,
 *	                                and so are 0, 2 and 3, by and by
 *
 * A scalar register has one copy a warp: what one group of threads writes, all see. So a register
 * stays scalar only if no write can reach threads that still need the old value. Threads wait for
 * others of their warp
 *	- where a divergent branch sent them, until the other side is done,
 *	- where the sides meet,
 *	- at an instruction that waits or polls: a barrier, .sync, a strong load, an atomic, a call
 *	  (something in the callee may wait). Threads that have met the branch's end may run on
 *	  meanwhile.
 * A register written on one side of a divergent branch is vector if it is live where threads of
 * another side wait, or where the sides meet. (The paper says only the last.)
 *
 * An instruction is vector if it reads a vector register, its guard included; if it writes one
 * (each thread's copy must be written); or by what it is:
 *	- special registers: %tid, %laneid and %lanemask_* differ between threads; clocks, timers and
 *	  counters are read once a thread, at its time. All others are the warp's.
 *	- thread-local memory: ld and st of .local, of a function's parameters, alloca. Generic
 *	  addresses are local ones only if the code takes the address of a local variable, or if it
 *	  is not a kernel without calls.
 *	- each thread must do it: atomics, red, volatile and other strong accesses, mbarrier,
 *	  cp.async, sured, bar.red. A weak load of what another thread may write is scalar: if it is
 *	  a race, that all threads see one value is one of its outcomes.
 *	- other threads' registers: shfl, vote, match, redux, activemask, elect, mma and its loads.
 *	- the condition code: add.cc, addc and so on; it has no scalar copy.
 *	- call: the callee has its own frame for each thread. Functions are classified like kernels,
 *	  their parameters are local memory.
 *	- native code by its token stack: its flow is not in its edges. (Flattened code is as PTX.)
 * A function may be run by one group of a warp while another waits in it: registers that are live
 * where it may wait are vector.
 *
 * Textures and surfaces read with equal coordinates are scalar, so are stores of one value to one
 * address. Lanes that exited or never were do not count. */
#ifndef PASS_SCALAR_H
#define PASS_SCALAR_H
#include "pass/dom.h"
#include "pass/live.h"

enum scalar_rule {
	SCALAR_NONE,       /* everything is vector */
	SCALAR_ALL,        /* as above */
	SCALAR_CONVERGENT, /* everything under a branch that may diverge is vector */
};

/* Why it is vector: X(enum, text). %s in the text is the register in scalar.cause. */
#define SCALAR_WHY(X)                                                                              \
	X(NOT, "")                                                                                 \
	X(THREAD, "differs between threads")                                                       \
	X(CLOCK, "each thread reads it at its time")                                               \
	X(LOCAL, "thread-local memory")                                                            \
	X(EACH, "each thread must do it")                                                          \
	X(LANES, "sees other threads' registers")                                                  \
	X(CARRY, "condition code")                                                                 \
	X(CALL, "call")                                                                            \
	X(NATIVE, "token stack")                                                                   \
	X(READS, "reads vector %s")                                                                \
	X(WRITES, "writes vector %s")                                                              \
	X(DIVERGENT, "under divergent control")

enum scalar_why {
#define X(e, t) VEC_##e,
	SCALAR_WHY(X)
#undef X
};

/* How a register became vector. */
enum { REG_SCALAR, REG_BY_INST, REG_MEETS, REG_WAITS };

struct scalar {
	uint8_t *why;    /* [pc]: enum scalar_why; VEC_NOT: scalar */
	uint32_t *cause; /* [pc]: VEC_READS, VEC_WRITES: the register */
	uint8_t *reg;    /* [register]: REG_* */
	uint32_t *at;    /* [register]: the instruction that made it so; REG_MEETS, REG_WAITS:
	                           the branch */
	uint32_t insts, scalars; /* instructions that are reached, scalar ones of them */
};

void scalar_find(struct scalar *out, struct arena *a, const struct func *f, const struct cfg *c,
		 const struct domtree *pdom, const struct live *l, enum scalar_rule rule);

/* Threads of a warp may wait at it while others of the warp run. */
bool inst_may_wait(const struct inst *in);

/* "writes vector %r5, written under the branch in line 12 and live where its sides meet" */
const char *scalar_text(const struct scalar *s, const struct func *f, uint32_t pc, char *buf,
			size_t n);

#endif
