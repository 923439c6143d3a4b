/* An estimate of the hardware registers a thread needs, for occupancy. The estimate is the largest
 * number of 32-bit registers live at once (64-bit values count two; predicates count none, because
 * they have their own file), at any point of the function or of any function it may call, plus
 * REGS_ABI, at most .maxnreg and the number that the target's instructions can name. A compiler that
 * rematerialises and uses constant operands needs somewhat fewer; a compiler that unrolls and schedules
 * for latency needs more (pass/pressure.h). Requires: code; runs analyses of its own. Provides: a number. */
#ifndef PASS_REGCOUNT_H
#define PASS_REGCOUNT_H
#include "pass/live.h"

/* R1, the stack pointer, is never free. From sm_70 on ptxas counts two registers above the highest
 * that the code names, presumably for each thread's program counter. */
enum { REGS_ABI = 1, REGS_THREAD_STATE = 2, REGS_THREAD_STATE_SM = 70 };

unsigned live_regs_max(const struct func *f,
		       const struct live *l); /* most at one point, of f alone */
/* `scheduled`: counts live registers in the order of pressure.h instead of the text's, plus the
 * target's thread state, like ptxas. */
unsigned regs_per_thread(const struct func *f, bool scheduled);

/* The number of registers that an instruction of the function's target can name. */
unsigned regs_named(const struct func *f);

#endif
