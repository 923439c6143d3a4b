/* Running one thread block, functionally. */
#ifndef FUNC_RUN_H
#define FUNC_RUN_H
#include "exec/context.h"

/* Runs a warp until it ends (STOP_DONE), all its lanes wait at barriers (STOP_BARRIER), it polls for
 * something another warp must do (STOP_YIELD), its share of instructions is used up (STOP_BUDGET), or
 * the launch must end (STOP_FAULT, STOP_LIMIT). */
enum stop warp_run(struct wstate *ws);

/* Runs a block: STOP_DONE, STOP_YIELD (every warp waits for other blocks), or as above. */
enum stop cta_run(struct cta *b);

/* sync.c: a warp's lanes `m` execute the barrier instruction u at its top entry's pc. Returns true if
 * they wait (the top entry is marked). */
bool bar_arrive(struct wstate *ws, const struct uop *u, uint32_t m);
/* Threads have exited: barriers that waited for them may be full. */
void bar_exited(struct cta *b);
/* All warps wait. Legacy barriers may open anyway; else the fault is recorded. */
bool bar_deadlock(struct cta *b);

/* call.c */
struct call_uop {
	const struct image_func *callee; /* NULL: indirect */
	const struct func *builtin;      /* vprintf and the like */
	uint32_t rows, preds, lbase;     /* the caller's frame size */
	struct call_copy {
		int32_t from;            /* row operand (register, constant or frame), or frame of the callee */
		uint32_t at;             /* byte offset in the callee's frame */
		uint32_t words;
	} *arg, *ret;                    /* arguments in; results: `from` is the destination */
	uint32_t narg, nret;
	int32_t target;                  /* indirect: row operand of the function's address */
	bool target64;
};
/* Lanes m of the top entry call; its pc becomes the return address. False after a fault. */
bool call_enter(struct wstate *ws, const struct uop *u, uint32_t m);
/* Lanes m of the top entry return: results are copied to the caller's frame. */
void call_leave(struct wstate *ws, uint32_t m);

/* builtin.c: lanes m call a function of the simulator; its frame starts at byte `frame`. */
bool builtin_call(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame, uint32_t m);

#endif
