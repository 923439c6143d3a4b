/* The control flow of native code: the effect of an instruction on a warp's token stack, active mask
 * and pc. The functional run loop (func/tokens.c) and the timing model (sm/native.c) both call it, so
 * they agree. The rules are described in token_flow.c. */
#ifndef KERNEL_TOKEN_FLOW_H
#define KERNEL_TOKEN_FLOW_H
#include "kernel/wstate.h"

struct token_flow { /* the effect of one instruction */
	struct wstate *ws;
	const struct uop *u;
	const struct frame *frame; /* frame of the running code, for calls of built-in functions */
	uint32_t pc, active, next; /* active, next: mask and pc after the instruction */
	uint32_t exited;           /* threads that ended: a barrier may be full now */
	bool diverges;
};

/* Performs control flow other than a barrier by threads t on f->active and f->next. t is not empty,
 * except for the BRA of the while rule. A fault stops the warp (ws->w.stop). */
void token_control(struct token_flow *f, uint32_t t);

/* Address of a native instruction -> pc in the image; NO_PC: no such instruction. */
uint32_t native_address(const struct image *img, uint32_t addr);

/* True for a branch of the while rule, which is executed even when no thread takes it. */
static inline bool token_always(const struct launch *l, const struct uop *u)
{
	return l->while_masks && uop_is_native(u, NCTL_BRA);
}

/* Threads that no token resumes: they have ended, or wait for a token that ends their state. */
static inline uint32_t token_off(const struct wstate *ws)
{
	uint32_t off = ~ws->w.live;
	for (unsigned i = 0; i < OFF_COUNT; i++)
		off |= ws->off[i];
	return off;
}

/* True if the instruction pushes a token and nothing else: the same threads go on behind it. */
static inline bool token_pushes(const struct uop *u)
{
	return (u->flags & UOP_NATIVE) && u->aux <= NCTL_PLONGJMP;
}
#endif
