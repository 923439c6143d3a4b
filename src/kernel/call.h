/* Calls. A callee's frame (registers, predicates, local memory) starts where the caller's ends; its
 * results and parameters are the first bytes of its local frame, so a caller needs no further
 * knowledge of it. Arguments are copied there for the calling lanes, results back at the return.
 * The lanes themselves are moved by the mode (kernel/control.h). */
#ifndef KERNEL_CALL_H
#define KERNEL_CALL_H
#include "kernel/wstate.h"

struct call_uop {
	const struct image_func *callee; /* NULL: indirect */
	const struct func *builtin;      /* function that the simulator implements, such as vprintf;
				      * NULL: none */
	uint32_t rows, preds, lbase;     /* size of the caller's frame */
	struct call_copy {
		int32_t from; /* row operand in the caller: a register, constant or frame row */
		uint32_t at;  /* byte offset in the callee's frame */
		uint32_t words;
	} * arg, *ret; /* arguments in; results, where `from` is the destination */
	uint32_t narg, nret;
	int32_t target; /* indirect call: row operand of the function's address */
	bool target64;
};

/* the caller's frame must be loaded */

/* The function that a lane calls; NULL: a fault. */
const struct image_func *call_target(struct wstate *ws, const struct uop *u, uint32_t lane);
/* Copies arguments of lanes m to the new frame: *f is the caller's frame and becomes the callee's. False:
 * a fault. */
bool call_frame(struct wstate *ws, const struct uop *u, const struct image_func *callee,
		struct frame *f, uint32_t m);
/* Copies results from the callee's local frame at byte `frame` to the caller's. */
void call_results(struct wstate *ws, const struct uop *u, const struct frame *caller,
		  uint32_t frame, uint32_t m);
/* Performs a whole call of a function of the simulator; false: a fault. */
bool call_builtin(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t m);

/* builtin.c: performs a call of f by lanes m; the frame starts at byte `frame`. */
bool builtin_call(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		  uint32_t m);

#endif
