/* Runs a launch in functional mode: its blocks in order, on one or more host threads, with results
 * that do not depend on their number. */
#ifndef FUNC_GRID_H
#define FUNC_GRID_H
#include "exec/context.h"

struct grid_result {
	enum stop stop; /* STOP_DONE, STOP_FAULT, STOP_LIMIT */
	bool interrupted, no_memory;
	struct fault fault;
	uint64_t *issued, *lanes; /* per pc, ncode elements each; malloc'ed */
	uint64_t *divergent;
	uint64_t warp_instructions, thread_instructions;
	/* STOP_LIMIT by instructions: position of one of the running threads; limit_pc NO_PC:
	 * unknown */
	uint64_t limit_block;
	uint32_t limit_thread, limit_pc;
	char *why; /* description of the waits if no block can continue, malloc'ed; NULL: none */
};

struct grid_opts {
	unsigned threads;
	const struct touch *touch; /* observer of memory accesses (func/touch.h); requires one
				    * thread; NULL: none */
	uint64_t max_instructions; /* 0: no limit */
	/* launches without clusters: runs `count` blocks from block `first` on; count 0: all blocks */
	uint64_t first, count;
	/* launches without clusters: the warp instructions of block first + i are added to element i; NULL: they
	 * are not counted by block */
	uint64_t *block_instructions;
	atomic_bool *interrupt;
	void (*progress)(void *arg, uint64_t done, uint64_t total, uint64_t warp_instructions);
	void *arg;
};

void grid_run(struct launch *l, const struct grid_opts *o, struct grid_result *r);

#endif
