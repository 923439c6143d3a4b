/* Scalar execution by value: tracks at run time which registers hold one value in several threads.
 *
 * pass/scalar.h finds instructions that a warp may execute once; that analysis relies on threads meeting where the
 * compiler expects. A mechanism that lets threads meet elsewhere, or mixes threads of several warps, must compare values
 * at run time. Each register of a home warp has a base value and a bit per thread that holds it:
 *
 *	r1 = [c]      t0 t1 t2 t3      base 7, bits 1111
 *	r1 = 9        t2 t3            base 7, bits 1100     as many threads hold the old value, so it stays the base
 *	r1 = 9        t1               base 7, bits 1000
 *	r2 = r1 + 1   t2 t3            vector: the bits do not show that t2 and t3 are equal
 *	r1 = 9        t0 t1 t2 t3      base 9, bits 1111
 *	r2 = r1 + 1   t2 t3            scalar: their bits are set
 *
 * An instruction is executed once if, for each operand, the bits of all threads that execute it are set, and its home
 * warps have one base value; predicates are compared directly. The bits are read with the scoreboard when the
 * instruction issues. They are written with the result, which is compared with the base value before write-back: results
 * arrive a cycle later, each compared word costs energy, and the bits cost area (power/units.c). */
#ifndef SM_EQUAL_H
#define SM_EQUAL_H
#include "sm/sm.h"

#define EQUAL_STATS(X)                                                                             \
	X(compares, STAT_SUM, 1, "words",                                                          \
	  "result words compared with their register's base value")                                \
	X(scalars, STAT_SUM, 1, "instructions", "instructions that one thread executed for all")
struct equal_stats {
	STAT_FIELDS(EQUAL_STATS)
};
extern const struct stat_table equal_stats;

/* True on machines that find scalar instructions by value: the compiler's classes hold only where
 * threads meet by the compiler's own rule, not where machine code with control bits names the
 * meeting points itself. */
static inline bool equal_is_needed(const struct machine *m)
{
	return m->scalar != SCALARS_NO && (!m->diverge->as_compiled || m->facts.control_bits);
}

void equal_init(struct sm *sm); /* sm->equal stays NULL if equal_is_needed() is false */
void equal_free(struct sm *sm);
/* equal_counts: counters since equal_forget(), which a run calls at its start; NULL: sm->equal is NULL. */
const void *equal_counts(const struct sm *sm);
void equal_forget(struct sm *sm);
/* Called when a warp starts: no register is known to be equal in any threads. */
void equal_begin(struct sm *sm, unsigned warp);
/* Called before group g executes t for lanes m: returns t, or its form for one thread. */
const struct tinst *equal_choose(struct sm *sm, int g, const struct tinst *t, lanemask m);
/* Called after the instruction has had its effect: compares its results. */
void equal_results(struct sm *sm, const struct tinst *t);

#endif
