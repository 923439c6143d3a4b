/* Invariants of a decoded function, which every pass and the executor rely on.
 *
 * - operations, types, operand kinds and ids are in range; a register operand's kind fits its
 *   register (OPND_PRED for predicates, OPND_REG for others), a guard is a predicate;
 * - destinations are registers, predicates, sinks or, of calls, .param variables;
 * - branch targets are instructions or the function's end; tables and call records exist;
 * - operations have as many operands as ops.def says.
 * A front end that breaks one of these has a bug. The violation is reported like an error in the program,
 * at the instruction's place in the text, because neither kind of error may end the simulator. */
#ifndef IR_VERIFY_H
#define IR_VERIFY_H
#include "ir/module.h"

bool func_verify(const struct func *f, struct diag *d);

#endif
