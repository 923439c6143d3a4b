/* Dispatchers: which SM gets the next block, or part of one. Resources are a vector: blocks, warps,
 * threads, registers, shared memory. They are asked between windows. */
#ifndef GPU_DISPATCH_H
#define GPU_DISPATCH_H
#include "sm/sm.h"

struct disp {
	const struct disp_ops *ops;
	struct sm **sm;
	unsigned nsm, last;
	void *state;
};

struct disp_ops {
	struct policy p;
	/* The SM that gets the kernel's next block; -1: none has room, and it is asked again when a
	 * block has ended. */
	int (*place)(struct disp *, const struct kern *k);
	/* Warps of it to start at once; the others when admit is asked again. NULL: all. */
	unsigned (*admit)(struct disp *, const struct kern *k, unsigned sm);
	/* A block (or, where warps are released alone, a warp) ended on an SM. */
	void (*done)(struct disp *, unsigned sm, const struct block *b);
	/* The figures of an SM, at intervals. */
	void (*epoch)(struct disp *, unsigned sm, const struct sm_stats *s);
};
const struct disp_ops *disp_find(const char *name);
void disp_each(void (*fn)(const struct policy *p, void *arg), void *arg);

#endif
