/* The forms of add, sub and mad that read or write the condition code. */
#ifndef EXEC_CARRY_H
#define EXEC_CARRY_H
#include "exec/uop.h"

bind_fn bind_carry;

#endif
