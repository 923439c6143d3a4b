/* Which registers an instruction reads and writes. Data and predicate registers share one id space,
 * func->regs. The guard and the base register of an address are reads; registers among a call's
 * arguments and results count; sinks do not. Users are the analyses of pass/, above all pass/live.h.
 *
 * A write replaces the whole register of each thread that executes the instruction. So an unguarded
 * write ends the life of the old value; a guarded write does not, because threads whose guard is false
 * keep it (inst_kills).
 *
 * An operand, or the base of an address, wider than its register (the native ISAs' pairs: a 64-bit
 * operand R4 of 32-bit registers) stands for consecutive registers. */
#ifndef PASS_REGS_H
#define PASS_REGS_H
#include "ir/module.h"

enum { INST_REGS = 2 * 255 * 4 + 1 }; /* the most registers of any instruction */

/* Write the ids into out[INST_REGS], in operand order, with duplicates; return their number. */
unsigned inst_uses(const struct func *f, const struct inst *in, uint32_t *out);
unsigned inst_defs(const struct func *f, const struct inst *in, uint32_t *out);
static inline bool inst_kills(const struct inst *in) { return in->guard == NO_REG; }
/* inst_uses() for one operand; MEM gives its base register. */
unsigned opnd_regs(const struct func *f, const struct opnd *o, uint32_t *out);

/* writes[register], zeroed by the caller: number of instructions that write it; 2 stands for more than one. */
void regs_writes(const struct func *f, uint8_t *writes);

#endif
