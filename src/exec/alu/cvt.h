/* Conversions: declarations that cvt.c and cvt_fast.c share. */
#ifndef EXEC_CVT_H
#define EXEC_CVT_H
#include "exec/uop.h"

/* Binds a vectorised loop if there is one for the instruction. */
bind_fn cvt_bind_fast;

#endif
