/* Conversions: what cvt.c and cvt_fast.c share. */
#ifndef EXEC_CVT_H
#define EXEC_CVT_H
#include "exec/uop.h"

/* The result of a cvt with one scalar source, extended to 64 bits; exact and slow. */
uint64_t cvt_value(const struct inst *in, uint64_t a);
/* Binds a vectorised loop if there is one for the instruction. */
bind_fn cvt_bind_fast;

#endif
