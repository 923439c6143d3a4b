/* The control flow of native code: the effect of an instruction on a warp's token stack, active mask
 * and pc. The functional run loop (func/tokens.c) and the timing model (sm/native.c) both call it, so
 * they agree. The rules are described in token_flow.c; the inline functions here are the cases that
 * loops need. */
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

/* Threads that are switched off whatever token is popped next: they have ended, or wait for a token
 * of one type (OFF_*). */
static inline uint32_t token_off(const struct wstate *ws)
{
	uint32_t off = ~ws->w.live;
	for (unsigned i = 0; i < OFF_COUNT; i++)
		off |= ws->off[i];
	return off;
}

/* True if the instruction only pushes a token: the active threads go on after it unchanged. */
static inline bool token_pushes(const struct uop *u)
{
	return (u->flags & UOP_NATIVE) && u->aux <= NCTL_PLONGJMP;
}

/* True for a branch that all threads take, under the rule that pushes tokens: only the pc
 * changes. */
static inline bool token_goes_together(const struct launch *l, const struct uop *u, uint32_t t,
				       uint32_t active)
{
	return (uop_is_native(u, NCTL_BRA) || uop_is_native(u, NCTL_BRA_U)) && t == active &&
	       !l->while_masks;
}

/* Pushes a token if the stack need not grow; false: the stack is full. */
static inline bool token_push(struct wstate *ws, unsigned type, uint32_t mask, uint32_t pc)
{
	if (ws->ntokens == ws->token_cap)
		return false;
	ws->token[ws->ntokens++] = (struct token){(uint8_t)type, mask, pc};
	return true;
}

/* Executes the control flow of loops inline: a branch of some threads, and the .S after it where
 * the others have yet to come or wait for these. False: another instruction. */
static inline bool token_loop_part(struct token_flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	unsigned kind = f->u->flags & UOP_NATIVE ? f->u->aux : NCTL_EXIT;
	if (kind == NCTL_BRA && !ws->w.cta->l->while_masks &&
	    token_push(ws, TOKEN_DIV, t, f->u->target)) {
		f->active &= ~t;
		f->diverges = true;
		return true;
	}
	if (!ws->ntokens || (kind != NCTL_TPOP && (kind != NCTL_POP || t != f->active)))
		return false;
	const struct token *top = &ws->token[ws->ntokens - 1];
	uint32_t others = top->mask & ~token_off(ws);
	if ((top->type != TOKEN_DIV && top->type != TOKEN_SSY) || !others)
		return false;
	f->active = others;
	if (top->type == TOKEN_DIV || kind == NCTL_POP)
		f->next = top->pc; /* otherwise: the address after this instruction, which
				    * Tesla's SSY names */
	ws->ntokens--;
	return true;
}
#endif
