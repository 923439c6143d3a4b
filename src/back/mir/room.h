/* Register pressure: words in use at each instruction, for passes that keep values live longer. */
#ifndef BACK_MIR_ROOM_H
#define BACK_MIR_ROOM_H
#include "back/mir/live.h"

struct back_edge {
	uint32_t from, to; /* indices of the first and last instruction */
};

struct room {
	uint32_t most;   /* limit of words that may be live at once */
	uint32_t n;      /* number of instructions */
	uint16_t *words; /* [instruction]: words live at it */
	/* [value]: index of the last instruction at which the value is live, in code order */
	uint32_t *last;
	VEC(struct back_edge) back;
};

void room_find(struct room *r, const struct mfunc *m, uint32_t most);
void room_free(struct room *r);
/* True if the pressure permits keeping value v, computed at instruction `from`, live until
 * instruction i, which computes an equal value w. */
bool room_has(const struct room *r, const struct mfunc *m, uint32_t v, uint32_t from, uint32_t w,
	      uint32_t i);
/* Records that v stays live until instruction i. */
void room_take(struct room *r, const struct mfunc *m, uint32_t v, uint32_t from, uint32_t w,
	       uint32_t i);

#endif
