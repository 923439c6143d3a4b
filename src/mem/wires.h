/* power.data = counted: how many bits change on the data wires of memories.
 *
 *	a cache's data array    sectors or lines that it delivers or takes
 *	an SM's port, a slice   flits of requests, of replies
 *	a DRAM channel          beats of its bus
 *
 * Each keeps the last bytes that passed in either direction; each bit of the next ones that differs
 * is a transition. Transfers are noted by address while a window runs and compared after it, when
 * nobody writes memory. So the count does not depend on host threads, and the data are those of the
 * window's end. Addresses without bytes behind them (local memory, parameters, code) count half of
 * the bits. No cycle changes. */
#ifndef MEM_WIRES_H
#define MEM_WIRES_H
#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

struct devmem;

enum wires_way { WIRES_OUT, WIRES_IN, WIRES_WAYS };

struct wires_move {
	uint64_t addr;
	uint32_t bytes;
	uint32_t way;
};

struct wires {
	VEC(struct wires_move) noted; /* in this window */
	uint32_t width;               /* bytes side by side */
	uint8_t *last;                /* of each way */
	uint64_t bits[WIRES_WAYS];    /* that passed */
	uint64_t *changed[WIRES_WAYS];
};

/* Transitions are added to *out and *in. */
struct wires *wires_new(uint32_t width, uint64_t *out, uint64_t *in);
void wires_free(struct wires *w);
void wires_count(struct wires *w, const struct devmem *mem); /* NULL: there are none */

/* NULL: power.data = mean. */
static inline void wires_note(struct wires *w, enum wires_way way, uint64_t addr, uint32_t bytes)
{
	if (__builtin_expect(w != NULL, 0))
		vec_push(&w->noted, (struct wires_move){addr, bytes, way});
}

/* The 32-byte pieces from addr on that the mask names. */
void wires_note_pieces(struct wires *w, enum wires_way way, uint64_t addr, uint32_t pieces);

#endif
