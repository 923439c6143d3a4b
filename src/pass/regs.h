/* Which registers an instruction reads and writes. Data and predicate registers share one id space,
 * func->regs. The guard and the base register of an address are reads, call arguments and results
 * that are registers count, sinks do not.
 *
 * A write replaces the whole register of each thread that executes the instruction, so an unguarded
 * one ends the life of the old value and a guarded one does not: threads whose guard is false keep
 * it (inst_kills).
 *
 * An operand, or the base of an address, wider than its register (the native ISAs' pairs: a 64-bit
 * operand R4 of 32-bit registers) is that many registers in a row. */
#ifndef PASS_REGS_H
#define PASS_REGS_H
#include "ir/module.h"

enum { INST_REGS = 2 * 255 * 4 + 1 }; /* room for all registers of any instruction */

/* Write the ids into out[INST_REGS], in operand order, duplicates as they come; return how many. */
unsigned inst_uses(const struct func *f, const struct inst *in, uint32_t *out);
unsigned inst_defs(const struct func *f, const struct inst *in, uint32_t *out);
static inline bool inst_kills(const struct inst *in) { return in->guard == NO_REG; }
/* The same for one operand; MEM gives its base register. */
unsigned opnd_regs(const struct func *f, const struct opnd *o, uint32_t *out);

/* writes[register], zeroed before: how many instructions write it; 2 stands for more than one. */
void regs_writes(const struct func *f, uint8_t *writes);

#endif
