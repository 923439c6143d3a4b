/* cp.async has two addresses, cp.async.bulk three: each is a memory operand of its own, in uop
 * form. uop.imm points here. */
#ifndef EXEC_ASYNC_H
#define EXEC_ASYNC_H
#include "exec/uop.h"

struct async_copy {
	struct uop to, from, bar;
	struct uop global; /* cp.async.bulk.tensor: for the tensor's rows */
};

/* Bytes that a lane's cp.async reads; the rest of what it writes is zeros. */
uint32_t cp_async_reads(const struct warp *w, const struct uop *u, unsigned lane);

#endif
