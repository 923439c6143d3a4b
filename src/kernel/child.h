/* Launches from kernels. This file checks arguments and finds the kernel; the parent's launch decides when
 * children run (struct launch, child). The calls of device code are described in child.c. */
#ifndef KERNEL_CHILD_H
#define KERNEL_CHILD_H
#include "kernel/wstate.h"

/* How a block waits for the launches that it made. */
enum child_wait {
	CHILD_WAIT,        /* waits; an error where waiting is impossible */
	CHILD_WAIT_IF_ANY, /* waits like CHILD_WAIT, if the block has launched anything */
	CHILD_WAIT_IF_POSSIBLE
};

struct child_launch {
	uint64_t kernel; /* address of the kernel */
	uint32_t grid[3], block[3], shared;
	uint64_t params; /* device address of the parameters */
	uint64_t stream;
	/* set by child_launch(): */
	/* kernel to launch; NULL: no launch, but a wait for the block's launches */
	const struct func *f;
	enum child_wait wait; /* kind of wait, if f is NULL */
	const uint8_t *bytes; /* the parameters; valid during the call */
	uint64_t from_block;
};

/* The kernel with that address; NULL: no such kernel. */
const struct func *child_kernel(const struct launch *l, uint64_t addr);
/* Allocates room for the parameters of c's kernel; the address is 0 if the heap is full. False: a fault. */
bool child_buffer(struct wstate *ws, const struct uop *u, uint32_t lane,
		  const struct child_launch *c, uint64_t *buffer);
/* Launches c. told: kernel, grid and block come from the record that child_buffer() stored with the
 * parameters. False: a fault. */
bool child_launch(struct wstate *ws, const struct uop *u, uint32_t lane, struct child_launch *c,
		  bool told);
/* Answers a query about the kernel at an address (0: about the device). An answer below 0: the
 * query is not supported. False: a fault. */
bool child_ask(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t kernel,
	       const int64_t question[3], int64_t *answer);
/* Waits for all launches of the block. False: a fault. */
bool child_wait(struct wstate *ws, const struct uop *u, uint32_t lane, enum child_wait how);

#endif
