/* Operations with several addresses (ir/parts.h): cp.async has two, cp.async.bulk three. Each
 * address is a memory operand, represented by a separate uop in the structure below; uop.copy
 * points to the structure. */
#ifndef EXEC_ASYNC_H
#define EXEC_ASYNC_H
#include "exec/uop.h"
#include "ir/parts.h"

struct async_copy {
	union {
		struct uop part[PART_COUNT];
		struct {
			struct uop to, from, bar;
			struct uop global; /* cp.async.bulk.tensor: memory operand for the
					    * tensor's rows */
		};
	};
	const struct uop *timed; /* the part whose addresses the timing model sees */
};

/* Bytes that a lane's cp.async reads; the rest of the bytes it writes are zeros. */
uint32_t cp_async_reads(const struct warp *w, const struct uop *u, unsigned lane);

#endif
