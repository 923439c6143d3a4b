/* power.data = counted: the number of bits that change on the data wires of memories. The count does
 * not depend on host threads, and no cycle changes. The energy of a transition is in power/energy.c.
 *
 *	a cache's data array    sectors or lines that it delivers or takes
 *	an SM's port, a slice   flits of requests, of replies
 *	a DRAM channel          beats of its bus
 *
 * Each set of wires keeps the last bytes that passed in either direction; each bit of the next bytes
 * that differs is a transition. Transfers are noted by address while a window runs and compared after
 * it, when no thread writes memory. So the data are those of the window's end. Addresses without bytes
 * behind them (local memory, parameters, code) count half of the bits. */
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
	VEC(struct wires_move) noted; /* transfers of this window */
	uint32_t width;               /* bytes that the wires carry side by side */
	uint8_t *last;                /* last bytes per direction, WIRES_WAYS x width */
	uint64_t bits[WIRES_WAYS];    /* bits that passed */
	uint64_t *changed[WIRES_WAYS];
};

/* Makes wires that add their transitions to *out and *in. */
struct wires *wires_new(uint32_t width, uint64_t *out, uint64_t *in);
void wires_free(struct wires *w);
void wires_count(struct wires *w, const struct devmem *mem); /* w = NULL: does nothing */

/* Notes a transfer; w = NULL (power.data = mean): does nothing. */
static inline void wires_note(struct wires *w, enum wires_way way, uint64_t addr, uint32_t bytes)
{
	if (__builtin_expect(w != NULL, 0))
		vec_push(&w->noted, (struct wires_move){addr, bytes, way});
}

/* Notes a transfer of the 32-byte pieces in the mask, counted from addr. */
void wires_note_pieces(struct wires *w, enum wires_way way, uint64_t addr, uint32_t pieces);

#endif
