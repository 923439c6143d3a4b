/* --check race: what copies, fills and the host may do to memory while a kernel runs. Work that was submitted since the
 * program last waited is looked at when it waits again, before any of it runs (queue.c). */
#ifndef CUDA_BESIDE_H
#define CUDA_BESIDE_H
#include "cuda/queue.h"

/* With rt.lock, for the whole list: kernels get the others that nothing orders (struct heddle_other). What the host did to
 * memory of a copy is said at once. */
void beside_find(struct queued *first);

/* Managed memory that a kernel's parameters point to, and pinned memory of a copy, is watched from when it is submitted until
 * the program waits: who touches a page of it first is remembered. With rt.lock. */
void touch_watch(const struct queued *e);
void touch_end(void);
/* The touches since the kernel was submitted, of memory that its parameters point to. */
struct touch {
	uint64_t addr;
	bool writes;
	const void *pc;
	uint64_t seq; /* of the last work submitted before */
};
unsigned touch_count(void);
const struct touch *touch_at(unsigned i);
#endif
