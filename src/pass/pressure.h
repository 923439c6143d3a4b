/* Registers that a thread needs when its code is scheduled for latency. The number approximates what
 * ptxas reports; the text itself is not reordered. pass/regcount.h turns it into a kernel's registers.
 *
 * Requires: cfg, live. Provides: a number.
 *
 * PTX is in the order in which a program was written; a vendor's assembler moves the loads of a
 * basic block to its front, so that they overlap, and their results wait in registers. Values that can
 * be recomputed for nothing, parameters and immediates, are operands of the instruction that needs
 * them and have no register; words that nothing reads have none either (words.h):
 *
 *	 0  ld.param %a, [p]         %a: none
 *	 1  ld.global %b, [%x]       1 3 5 2 4: %b, %c, %d are live together: 3 registers;
 *	 2  add %s, %s, %b           in the order of the text one of them is, with %s: 2
 *	 3  ld.global %c, [%x + 4]
 *	 4  add %s, %s, %c
 *	 5  ld.global %d, [%x + 8]
 *
 * A loop of one block that loads counts as if four of its rounds were one block: assemblers unroll
 * such loops. Each block is scheduled by its critical path: the instruction with the longest path to
 * the end of the block goes first, and no instruction before its operands are computed. Loads
 * do not pass stores to the same memory, and no memory access passes a barrier. Above
 * `limit` registers, the instruction that frees most goes first. */
#ifndef PASS_PRESSURE_H
#define PASS_PRESSURE_H
#include "pass/live.h"

/* 64 registers let 1,024 threads share 65,536, and ptxas 13 for sm_75 stops moving loads forward
 * at about that number. This limit, the four rounds of a loop and the two cycles of a memory instruction
 * were chosen by comparison with its register counts (docs/evidence/gpgpu-sim.md). */
enum { PRESSURE_LIMIT = 64 };

/* The most 32-bit registers live at once in f alone. limit: PRESSURE_LIMIT less the registers that
 * are never free. */
unsigned pressure_scheduled(const struct func *f, const struct cfg *c, const struct live *l,
			    unsigned limit);

#endif
