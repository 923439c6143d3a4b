/* Dispatchers: which SM gets the next block, or the first warps of a block, and which resources its
 * warps hold separately.
 *
 *   dispatcher --(between windows)--> block_reserve() of an SM --> workload buffer --> warps
 *
 * A dispatcher is one file in gpu/dispatch/ with one table, `const struct disp_ops disp_NAME`. It
 * is called between windows, on one host thread, when a launch has blocks left and resources were
 * released since its last call. It may read all SMs. It may change only bs->spatial and bs->limit
 * of an SM, pause blocks (block_pause()), and set sm->woken, so that no window is skipped; its own
 * memory is d->state. Events within a window (a warp ends and a warp of the workload buffer takes its
 * place) are internal to the SM and need no dispatcher: sm/block.h. */
#ifndef GPU_DISPATCH_H
#define GPU_DISPATCH_H
#include "sm/sm.h"

struct disp {
	const struct disp_ops *ops;
	const struct machine *m;
	struct sm **sm;
	unsigned nsm, last; /* last: SM that got the last block */
	void *state;        /* ops->p.state_size bytes, zeroed when the GPU is built */
};

struct disp_ops {
	struct policy p;
	bool cuts; /* the dispatcher splits blocks: each warp is placed as a block of its own */
	/* MAY. Sets how blocks and warps hold an SM's resources (sm/block.h); On entry r is set for
	 * whole blocks (HOLD_BLOCK, no partial blocks, sm.max_blocks). Called once, before the SMs
	 * are built. */
	void (*rule)(const struct machine *m, struct block_rule *r);
	/* MAY. Writes into buf why the machine's other options conflict with the dispatcher; NULL: no
	 * conflict. */
	const char *(*refuses)(const struct machine *m, const struct div_ops *div, char *buf,
			       size_t n);
	/* MAY. Writes into buf why a launch conflicts with the dispatcher; NULL: no conflict. k:
	 * resources that the launch's blocks take. */
	const char *(*refuses_launch)(const struct machine *m, const struct kern *k, char *buf,
				      size_t n);
	/* MAY. Called when a run begins at cycle `at`: all figures of the SMs are zero. */
	void (*begin)(struct disp *d, cycle_t at);
	/* MAY. Called when a launch begins and no other one runs. */
	void (*launch)(struct disp *d);
	/* MAY. Sets sm[] to the SMs in the order in which they get the blocks of a launch on an
	 * idle GPU. NULL: in ascending order of their numbers. */
	void (*order)(struct disp *d, uint16_t *sm);
	/* MUST. The SM that gets the kernel's next block; block_fits() or block_fits_partly() is
	 * true there. -1: no SM can; the call is repeated when resources have been released. */
	int (*place)(struct disp *d, const struct kern *k);
	/* MAY. Called when a window has ended at cycle `now`; true: an SM may take blocks now that it
	 * refused before. */
	bool (*tick)(struct disp *d, cycle_t now);
};
POLICY_FINDER(disp)

/* ---- for dispatchers ---- */
/* The next SM, round robin after the last one that got a block, that has room for a whole block, or
 * for part of one; -1: none. */
int disp_whole(struct disp *d, const struct kern *k);
int disp_part(struct disp *d, const struct kern *k);
/* Places whole blocks where they fit, then parts. A cooperative launch gets no parts: its other blocks may
 * wait for them. */
int disp_whole_or_part(struct disp *d, const struct kern *k);
/* warp.partial_blocks, for all dispatchers that allocate warp by warp. */
extern const struct option_table disp_warp_options;
/* rule() and refusals of the warp-level dispatchers, which allocate warp by warp (Xiang 2014,
 * section 4). */
void disp_rule_warp(const struct machine *m, struct block_rule *r);
const char *disp_refuses_warp(const struct machine *m, const struct div_ops *div, char *buf,
			      size_t n);
const char *disp_refuses_partial(const struct machine *m, const struct kern *k, char *buf,
				 size_t n);
bool disp_has_barrier(const struct kern *k);
/* describe() for dispatchers whose SMs have a buffer of blocks and start their warps themselves. */
void disp_describe_buffers(const struct machine *m, struct facts *f);

#endif
