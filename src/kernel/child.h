/* Launches from kernels: see child.c. The launch decides who runs them (struct launch, child). */
#ifndef KERNEL_CHILD_H
#define KERNEL_CHILD_H
#include "kernel/wstate.h"

/* How a block waits for what it has launched. */
enum child_wait {
	CHILD_WAIT,        /* an error where nothing can be waited for */
	CHILD_WAIT_IF_ANY, /* the same, if it has launched something */
	CHILD_WAIT_IF_POSSIBLE
};

struct child_launch {
	uint64_t kernel; /* its address */
	uint32_t grid[3], block[3], shared;
	uint64_t params; /* device address */
	uint64_t stream;
	/* set by child_launch: */
	const struct func *f; /* NULL: no launch, a wait for those of the block */
	enum child_wait wait; /* of a wait */
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
/* The answer to a question about the kernel at an address (0: about the device), below 0: there is none. False
 * after a fault. */
bool child_ask(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t kernel,
	       const int64_t question[3], int64_t *answer);
/* Waits for all that the block launched. False after a fault. */
bool child_wait(struct wstate *ws, const struct uop *u, uint32_t lane, enum child_wait how);

#endif
