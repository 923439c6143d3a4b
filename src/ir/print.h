/* The decoded program as text close to PTX, for debugging: each line is an instruction with its
 * index; branch targets are indices. The text is not meant to be parsed again; `heddle` prints it after
 * each pass (pass/pass.h).
 *
 *	   12  @!%p1 bra 20
 *	   13  ld.global.v2.f32 {%f1, %f2}, [%rd4+16] */
#ifndef IR_PRINT_H
#define IR_PRINT_H
#include <stdio.h>
#include "ir/module.h"

void inst_print(FILE *out, const struct func *f, const struct inst *in); /* without a newline */
/* Prints the whole body. `before` is called before and `after` after each instruction, to
 * write lines of their own or remarks on the same line; NULL: not called. */
typedef void print_note(FILE *out, uint32_t pc, const void *ctx);
void func_print(FILE *out, const struct func *f, print_note *before, print_note *after,
		const void *ctx);

#endif
