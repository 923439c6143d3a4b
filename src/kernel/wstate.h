/* A warp of a block and its private storage, as both modes keep it: registers of all frames, thread
 * indices, recent polls and the token stack of native code. The mode (func/ or sm/diverge/) decides
 * which of the warp's lanes run next. */
#ifndef KERNEL_WSTATE_H
#define KERNEL_WSTATE_H
#include "exec/context.h"

/* Where a function's registers, predicates and local memory start in the storage of its warp. */
struct frame {
	/* index of the frame's first row; index of its first predicate; byte offset of its local
	 * memory */
	uint32_t rows, preds, lbase;
	uint16_t depth; /* number of active calls */
};

/* An entry of the token stack of native code. */
enum token_type {
	TOKEN_SSY,
	TOKEN_DIV,
	TOKEN_PBK,
	TOKEN_PCNT,
	TOKEN_CALL,
	TOKEN_PRET,
	TOKEN_PLONGJMP,
	TOKEN_WHILE
};
struct token {
	uint8_t type;
	uint32_t mask, pc;
};
/* Threads that are switched off until the token that ends the state is popped. */
enum { OFF_BROKEN, OFF_CONTINUED, OFF_RETURNED, OFF_LONGJUMPED, OFF_COUNT };

struct exchange;
struct wstate {
	struct warp w;
	uint8_t *rows; /* register rows of all frames */
	uint32_t *preds;
	struct spin { /* recent polls, to detect a warp that waits for another */
		uint32_t pc;
		uint64_t key;
	} spin[4];
	uint32_t spins;
	uint32_t tid[3][LANES]; /* storage of w.tid */
	uint32_t dyn[LANES];    /* storage of w.dyn */
	struct token *token;    /* native code: the token stack, token[0 .. ntokens-1] */
	uint32_t ntokens, token_cap;
	uint32_t off[OFF_COUNT];
	struct exchange *exchange; /* kernel/exchange.h; NULL until lanes publish something */
};

/* The block's thread in lane 0 of wstate i, and the lanes of a full wstate. */
static inline uint32_t wstate_thread(const struct launch *l, uint32_t i)
{
	return i / l->parts * l->warp_size + i % l->parts * LANES;
}
static inline uint32_t wstate_lanes(const struct launch *l, uint32_t i)
{
	uint32_t n = l->warp_size - i % l->parts * LANES;
	return n < LANES ? n : LANES;
}

/* Makes a frame the current one, for lanes `active`. */
static inline void wstate_load_frame(struct wstate *ws, const struct frame *f, uint32_t active)
{
	struct warp *w = &ws->w;
	w->base[BASE_REG] = ws->rows + (size_t)f->rows * ROW;
	w->base[BASE_FRAME] = w->local + (size_t)f->lbase * LANES;
	w->pred = ws->preds + f->preds;
	w->lbase = f->lbase;
	w->active = active;
}

#endif
