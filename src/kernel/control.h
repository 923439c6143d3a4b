/* Control flow of code with reconvergence points, other than a branch: what each operation requires of
 * the lanes that execute it, for functional and timing mode alike. How lanes move is the mode's
 * (reconvergence stack, or a divergence mechanism): it does so behind struct control_ops.
 *
 *   brx          every lane finds its target              branch_indexed
 *   call         a callee's frame and arguments are made  call, once per function called
 *   ret          results go to the caller's frame         caller, leave
 *   exit         lanes end (so does ret of the kernel)    ended
 *   trap         a fault
 *
 * Native code too takes its exits, traps and calls of built-in functions through here. The control flow
 * that it has of its own is in kernel/token_flow.h and kernel/converge.h. Barriers belong to the modes
 * (kernel/barrier.h counts arrivals). */
#ifndef KERNEL_CONTROL_H
#define KERNEL_CONTROL_H
#include "kernel/reconv.h"

/* The lanes of one wstate that execute an instruction together with others. A mask of `lanemask`
 * counts positions in the executing group; lanes of a share are those of its wstate. */
struct share {
	struct wstate *ws;
	/* lanes that execute the instruction; lanes that the group has here */
	uint32_t lanes, active;
	uint16_t warp; /* timing mode: home warp */
	uint8_t shift; /* position of lane 0 in the home warp's masks: 0 or 32 */
	lanemask pos;  /* positions of `lanes` in the group */
};

/* An instruction that is about to be executed. */
struct control {
	const struct control_ops *ops;
	void *mode; /* owned by the ops: the warp, or the SM */
	int group;  /* timing mode: the group's number */
	const struct uop *u;
	uint32_t pc;
	lanemask lanes;      /* positions that execute the instruction, at least one */
	struct frame frame;  /* frame of the running function, loaded in all shares */
	struct share *share; /* one per wstate */
	unsigned n;
	/* per position: lane of its thread in the home warp; NULL: identical */
	const uint8_t *lane;
};

struct control_ops {
	/* Moves the group to pc. */
	void (*step)(const struct control *c, uint32_t pc);
	/* Moves position p to to[p]. */
	void (*branch_indexed)(const struct control *c, const uint32_t *to);
	/* Lets positions enter a function, which returns to pc + 1. */
	void (*call)(const struct control *c, lanemask lanes, const struct image_func *f,
		     const struct frame *callee);
	/* The positions in `lanes` (not empty) that return to the same frame and pc as the lowest
	 * one; *to and *back become that frame and pc. */
	lanemask (*caller)(const struct control *c, lanemask lanes, struct frame *to,
			   uint32_t *back);
	/* Writes the shares that `lanes` have; returns the number of shares. */
	unsigned (*shares)(const struct control *c, lanemask lanes, struct share *out);
	/* All positions return. */
	void (*leave)(const struct control *c);
	/* All positions have ended: they are no longer live. */
	void (*ended)(const struct control *c);
};

/* Executes the instruction. False: a fault stopped a warp. */
bool control_run(struct control *c);
/* Removes the lanes, whose threads have ended at pc, from the live threads of their warp and
 * block. */
void control_end_lanes(struct wstate *ws, uint32_t lanes, uint32_t pc);

#endif
