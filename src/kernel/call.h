/* Calls. A callee's frame (registers, predicates, local memory) starts where the caller's ends; its
 * results and parameters are the first bytes of its local frame, so a caller needs to know nothing
 * else about it. Arguments are copied there for the calling lanes, results back when they return.
 * Where the lanes go is the mode's. */
#ifndef KERNEL_CALL_H
#define KERNEL_CALL_H
#include "kernel/wstate.h"

struct call_uop {
	const struct image_func *callee; /* NULL: indirect */
	const struct func *builtin;      /* vprintf and the like */
	uint32_t rows, preds, lbase;     /* the caller's frame size */
	struct call_copy {
		int32_t from; /* row operand (register, constant or frame), or frame of the callee */
		uint32_t at;  /* byte offset in the callee's frame */
		uint32_t words;
	} * arg, *ret; /* arguments in; results: `from` is the destination */
	uint32_t narg, nret;
	int32_t target; /* indirect: row operand of the function's address */
	bool target64;
};

/* The caller's frame is loaded. */

/* The function a lane calls; NULL after a fault. */
const struct image_func *call_target(struct wstate *ws, const struct uop *u, uint32_t lane);
/* Arguments of lanes m to the new frame: *f is the caller's frame and becomes the callee's. False
 * after a fault. */
bool call_frame(struct wstate *ws, const struct uop *u, const struct image_func *callee,
		struct frame *f, uint32_t m);
/* Results from the callee's local frame at byte `frame` to the caller's. */
void call_results(struct wstate *ws, const struct uop *u, const struct frame *caller,
		  uint32_t frame, uint32_t m);
/* A whole call of a function of the simulator; false after a fault. */
bool call_builtin(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t m);

/* builtin.c: lanes m call such a function; its frame starts at byte `frame`. */
bool builtin_call(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		  uint32_t m);

#endif
