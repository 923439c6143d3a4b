/* Words in use at each instruction, for a pass that keeps values longer. */
#ifndef BACK_MIR_ROOM_H
#define BACK_MIR_ROOM_H
#include "back/mir/live.h"

struct back_edge {
	uint32_t from, to; /* instructions */
};

struct room {
	uint32_t most;   /* words that may be live at once */
	uint32_t n;      /* instructions */
	uint16_t *words; /* [instruction]: words live there */
	uint32_t *last;  /* [value]: last instruction at which it is live, in the order of the
	                  * code */
	VEC(struct back_edge) back;
};

void room_find(struct room *r, const struct mfunc *m, uint32_t most);
void room_free(struct room *r);
/* True if there is room to keep value v, of instruction `from`, until instruction i, which computes
 * value w, equal to v. */
bool room_has(const struct room *r, const struct mfunc *m, uint32_t v, uint32_t from, uint32_t w,
	      uint32_t i);
/* Records that v is kept until i. */
void room_take(struct room *r, const struct mfunc *m, uint32_t v, uint32_t from, uint32_t w,
	       uint32_t i);

#endif
