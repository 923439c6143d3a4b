/* Scalarization: which instructions a warp may execute once instead of once per thread, and which
 * registers need one copy per warp.
 *
 * Requires: cfg, pdom, live. Provides: a class for each instruction and each register.
 *
 *	 0  mov  %i, 0                  scalar
 *	 1  mov  %t, %tid.x             vector: differs between threads
 *	 2  add  %i, %i, 1              scalar: the threads in the loop count together
 *	 3  mul  %a, %i, 4              scalar: dead where the loop's threads meet
 *	 4  setp.lt %p, %i, %t          vector: reads %t
 *	 5  @%p bra 2                   vector: parts the threads, which meet at 6
 *	 6  st.global [%x], %i          makes %i vector: each thread left the loop with its own value;
 *	                                so 0, 2 and 3 become vector in turn
 *
 * A scalar register has one copy per warp: a value written by one group of threads is seen by all. So
 * a register stays scalar only if no write can reach threads that still need the old value. Threads wait
 * for others of their warp
 *	- where a divergent branch sent them, until the other side is done,
 *	- where the sides meet,
 *	- at an instruction that waits or polls: a barrier, .sync, a strong load, an atomic, a call
 *	  (something in the callee may wait). Threads that have met the branch's end may run on
 *	  meanwhile.
 * A register written on one side of a divergent branch is vector if it is live where threads of
 * another side wait, or where the sides meet. (The paper names only the last case.)
 *
 * An instruction is vector if it reads a vector register, its guard included; if it writes one
 * (each thread's copy must be written); or by its kind:
 *	- special registers: %tid, %laneid and %lanemask_* differ between threads; clocks, timers and
 *	  counters are read once per thread, at the thread's time. All others are the warp's.
 *	- thread-local memory: ld and st of .local, of a function's parameters, alloca. Generic
 *	  addresses are local addresses only if the code takes the address of a local variable, or if
 *	  it is not a kernel without calls.
 *	- operations required of each thread: atomics, red, volatile and other strong accesses,
 *	  mbarrier, cp.async, sured, bar.red. A weak load of memory that another thread may write is
 *	  scalar: if the accesses race, one value for all threads is a possible outcome.
 *	- other threads' registers: shfl, vote, match, redux, activemask, elect, mma and its loads.
 *	- the condition code: add.cc, addc and so on; it has no scalar copy.
 *	- call: the callee has a frame per thread. Functions are classified like kernels;
 *	  their parameters are local memory.
 *	- native code by its token stack: its flow is not in its edges. (Flattened code is as PTX.)
 * A function may be run by one group of a warp while another waits in it: registers that are live
 * where it may wait are vector.
 *
 * Textures and surfaces read with equal coordinates are scalar, and so are stores of one value to one
 * address. Lanes that have exited or were never launched do not count. */
#ifndef PASS_SCALAR_H
#define PASS_SCALAR_H
#include "pass/dom.h"
#include "pass/live.h"

enum scalar_rule {
	SCALAR_NONE,       /* everything is vector */
	SCALAR_ALL,        /* the analysis described above */
	SCALAR_CONVERGENT, /* all code that depends on a branch that may diverge is vector */
	SCALAR_KINDS,      /* like SCALAR_ALL; code for the token stack is classified by kinds of
		       * instructions alone, which is all that scalar execution by value needs */
};

/* Why an instruction is vector: X(enum, text). %s in the text is the register in scalar.cause. */
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

/* A scalar register, or the reason for which a register is vector. */
enum { REG_SCALAR, REG_BY_INST, REG_MEETS, REG_WAITS };

struct scalar {
	uint8_t *why;    /* [pc]: enum scalar_why; VEC_NOT: scalar */
	uint32_t *cause; /* [pc]: VEC_READS, VEC_WRITES: the register */
	uint8_t *reg;    /* [register]: how it became vector, REG_* */
	/* [register]: the instruction that made it vector; REG_MEETS, REG_WAITS: the branch */
	uint32_t *at;
	uint32_t insts, scalars; /* reachable instructions; scalar ones among them */
};

void scalar_find(struct scalar *out, struct arena *a, const struct func *f, const struct cfg *c,
		 const struct domtree *pdom, const struct live *l, enum scalar_rule rule);

/* True if threads of a warp may wait at the instruction while others of the warp run. */
bool inst_may_wait(const struct inst *in);

/* "writes vector %r5, written under the branch in line 12 and live where its sides meet" */
const char *scalar_text(const struct scalar *s, const struct func *f, uint32_t pc, char *buf,
			size_t n);

#endif
