/* The pointers through which a kernel may store. The kernel leaves memory behind all other pointers
 * unchanged.
 *
 *     ld.param.u64 %rd1, [k_param_0];     pointer 0
 *     ld.param.u64 %rd2, [k_param_1];     pointer 1
 *     add.s64 %rd3, %rd2, %rd9;           1
 *     ld.global.u32 %r1, [%rd1];
 *     st.global.u32 [%rd3], %r1;          the kernel stores through pointer 1 alone
 *
 * A pointer is known by its place in the parameters. A pointer from memory, from a variable's
 * address or from anything but plain arithmetic may point anywhere; so may the stores of a called
 * function. */
#ifndef PASS_STORES_H
#define PASS_STORES_H
#include "ir/module.h"

enum { STORES_SLOTS = 63 };
#define STORES_ANYWHERE (1ull << STORES_SLOTS)
/* Bit k: a store's address may be derived from the 8 bytes of the parameters from 8 * k on. */
uint64_t stores_find(const struct func *f);

#endif
