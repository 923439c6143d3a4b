/* cp.async has two addresses, cp.async.bulk three: each is a memory operand of its own, in uop
 * form. uop.imm points here. */
#ifndef EXEC_ASYNC_H
#define EXEC_ASYNC_H
#include "exec/uop.h"

struct async_copy {
	struct uop to, from, bar;
};

#endif
