/* How many words of each register a compiler keeps. Any word that may be read is kept; pass/pressure.h
 * counts registers by the result.
 *
 * Requires: code. Provides: a number for each register.
 *
 *	mul.wide.s32 %rd1, %r1, 4      %rd1, %rd2: one word. Shared and local addresses have 32 bits,
 *	add.s64      %rd2, %rd3, %rd1  and the lower word of a sum needs the lower words alone
 *	ld.shared    %r2, [%rd2]
 *	cvt.s64.s32  %rd4, %r1         %rd4: one word. The upper word is derived from it again
 *
 * A word is needed anywhere or nowhere: control flow is not followed. */
#ifndef PASS_WORDS_H
#define PASS_WORDS_H
#include "ir/module.h"

/* rows[register]: type_rows of the register's type, or fewer. */
void words_find(const struct func *f, uint8_t *rows);

#endif
