/* Launches from kernels: see child.c. The launch decides who runs them (struct launch, child). */
#ifndef KERNEL_CHILD_H
#define KERNEL_CHILD_H
#include "kernel/wstate.h"

struct child_launch {
	uint64_t kernel; /* its address */
	uint32_t grid[3], block[3], shared;
	uint64_t params; /* device address */
	uint64_t stream;
	/* set by child_launch: */
	const struct func *f; /* NULL: no launch, a wait for those of the block */
	const uint8_t *bytes; /* its parameters; valid during the call */
	uint64_t from_block;
};

/* The kernel with that address; NULL: none has it. */
const struct func *child_kernel(const struct launch *l, uint64_t addr);
/* Room for the parameters of c's kernel, 0 if the heap is full. False after a fault. */
bool child_buffer(struct wstate *ws, const struct uop *u, uint32_t lane,
		  const struct child_launch *c, uint64_t *buffer);
/* Launches c; told: kernel and shape are those its buffer was made for. False after a fault. */
bool child_launch(struct wstate *ws, const struct uop *u, uint32_t lane, struct child_launch *c,
		  bool told);
/* Waits for all that the block launched. False after a fault. */
bool child_wait(struct wstate *ws, const struct uop *u, uint32_t lane);

#endif
