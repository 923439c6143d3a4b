/* The places of an instruction's data, if its operands do not give them: texels, pieces of
 * matrices. The executor records them for observers (struct exec.places; NULL: none). Lanes follow
 * each other; in a matrix instruction all lanes have an equal number of pieces. */
#ifndef EXEC_PLACES_H
#define EXEC_PLACES_H
#include "exec/context.h"

/* most places: 32 lanes with 8 texels of two mip levels each */
enum { PLACES = 32 * 8 * 2 };
struct place_log {
	uint32_t n;
	uint32_t bytes; /* bytes of the last place */
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

/* The addresses at which the lanes of a sured reduce, before it is performed; returns those lanes.
 * After a fault (w->stop) some are missing. */
uint32_t surface_addresses(struct warp *w, const struct uop *u, uint32_t mask, uint64_t *addr);

#endif
