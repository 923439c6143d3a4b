/* Where an instruction's data lies, if its operands do not say: texels, pieces of matrices. The
 * executor notes it for observers (struct exec.places; NULL: there is none). Lanes follow each
 * other; in a matrix instruction all lanes have the same number of pieces. */
#ifndef EXEC_PLACES_H
#define EXEC_PLACES_H
#include "exec/context.h"

/* 32 lanes, 8 texels of two levels each. */
enum { PLACES = 32 * 8 * 2 };
struct place_log {
	uint32_t n;
	uint32_t bytes; /* of the last one */
	uint64_t addr[PLACES];
};

static inline void place_note(const struct warp *w, uint64_t addr, uint32_t bytes)
{
	struct place_log *l = w->cta->x->places;
	if (!l || l->n == PLACES)
		return;
	l->addr[l->n++] = addr;
	l->bytes = bytes;
}

/* Where the lanes of a sured reduce, before it is performed; returns those lanes. After a fault
 * (w->stop) some are missing. */
uint32_t surface_addresses(struct warp *w, const struct uop *u, uint32_t mask, uint64_t *addr);

#endif
