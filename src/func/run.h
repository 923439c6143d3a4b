/* Running one thread block, functionally. */
#ifndef FUNC_RUN_H
#define FUNC_RUN_H
#include "exec/context.h"

/* Runs a warp until it ends (STOP_DONE), all its lanes wait at barriers (STOP_BARRIER), it polls for
 * something another warp must do (STOP_YIELD), its share of instructions is used up or it gives way
 * (STOP_BUDGET), or the launch must end (STOP_FAULT). */
enum stop warp_run(struct wstate *ws);

/* tokens.c: the same for native code, by its token stack. */
enum stop tokens_run(struct wstate *ws);

/* pace.c: marks the stores that let other warps go first; whether the warp at such a store does so now:
 * once at each of a few between two barriers. */
void pace_mark(struct image *img);
bool pace_gives_way(struct wstate *ws, uint32_t pc);
/* Between blocks: lanes m of the warp have executed the poll u, and wait there or go on; its block is set aside; the
 * operation u, which others can see, is left to the block's next part. */
void pace_looks(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m, bool waits);
void pace_set_aside(struct cta *b);
void pace_goes_on(struct cta *b); /* it has its turn again */
bool pace_leaves_part(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m);

/* Runs a block: STOP_DONE, STOP_YIELD (every warp waits for other blocks), or as above. */
enum stop cta_run(struct cta *b);

/* sync.c: a warp's lanes `m` execute the barrier instruction u at its top entry's pc. Returns true if
 * they wait (the top entry is marked). */
bool bar_arrive(struct wstate *ws, const struct uop *u, uint32_t m);
/* Threads have exited: barriers that waited for them may be full. */
void bar_exited(struct cta *b);
/* The parts of it, for who has a stack of his own. Counts lanes m in and returns the barrier's number,
 * or -1 after a fault; whether a barrier is full; the result of bar.red for lanes of a frame. */
int bar_count(struct wstate *ws, const struct uop *u, uint32_t m);
bool bar_full(const struct cta *b, const struct barrier *bar);
void bar_result(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t lanes,
		const struct barrier *bar);
/* All warps wait. Legacy barriers may open anyway; else the fault is recorded. */
bool bar_deadlock(struct cta *b);

/* call.c */
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
/* Lanes m of the top entry call; its pc becomes the return address. False after a fault. */
bool call_enter(struct wstate *ws, const struct uop *u, uint32_t m);
/* Lanes m of the top entry return: results are copied to the caller's frame. */
void call_leave(struct wstate *ws, uint32_t m);

/* The parts of it: the function a lane calls (NULL after a fault); arguments to the new frame, for which
 * *f is the caller's frame and becomes the callee's; results from the callee's local frame at byte
 * `frame`; a whole call of a function of the simulator. The caller's frame is loaded. */
const struct image_func *call_target(struct wstate *ws, const struct uop *u, uint32_t lane);
bool call_frame(struct wstate *ws, const struct uop *u, const struct image_func *callee,
		struct frame *f, uint32_t m);
void call_results(struct wstate *ws, const struct uop *u, const struct frame *caller,
		  uint32_t frame, uint32_t m);
bool call_builtin(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t m);

/* The poll u of lanes m brought the same answer again and again: somebody else must run. */
bool warp_polls(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m);
/* Lanes that a .sync operation of lanes m names. */
uint32_t warp_members(const struct warp *w, const struct uop *u, uint32_t m);

/* builtin.c: lanes m call a function of the simulator; its frame starts at byte `frame`. */
bool builtin_call(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		  uint32_t m);

#endif
