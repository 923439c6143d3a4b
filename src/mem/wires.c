#include "mem/wires.h"

#include "devmem/devmem.h"
#include "mem/msg.h"

struct wires *wires_new(uint32_t width, uint64_t *out, uint64_t *in)
{
	struct wires *w = xcalloc(1, sizeof *w);
	w->width = width;
	w->last = xcalloc(WIRES_WAYS, width);
	w->changed[WIRES_OUT] = out;
	w->changed[WIRES_IN] = in;
	return w;
}

void wires_free(struct wires *w)
{
	if (w) {
		vec_free(&w->noted);
		free(w->last);
	}
	free(w);
}

void wires_note_pieces(struct wires *w, enum wires_way way, uint64_t addr, uint32_t pieces)
{
	for (; w && pieces; pieces &= pieces - 1)
		wires_note(w, way, addr + MSG_PIECE * (uint64_t)__builtin_ctz(pieces), MSG_PIECE);
}

/* The wires carry `width` bytes at a time; each byte uses the wire of its address. */
static uint64_t pass_bytes(struct wires *w, enum wires_way way, uint64_t addr, const uint8_t *data,
			   uint32_t n)
{
	uint8_t *last = w->last + (size_t)way * w->width;
	uint64_t changed = 0;
	for (uint32_t i = 0, at = (uint32_t)(addr % w->width); i < n; i++) {
		changed += (unsigned)__builtin_popcount(last[at] ^ data[i]);
		last[at] = data[i];
		at = at + 1 < w->width ? at + 1 : 0;
	}
	return changed;
}

void wires_count(struct wires *w, const struct devmem *mem)
{
	const struct alloc *a = NULL;
	for (size_t i = 0; w && i < w->noted.n; i++) {
		const struct wires_move *m = &w->noted.v[i];
		w->bits[m->way] += 8ull * m->bytes;
		if (!a || m->addr - a->lo >= a->size)
			a = devmem_find(mem, m->addr);
		if (!a || a->freed) {
			*w->changed[m->way] += 4ull * m->bytes;
			continue;
		}
		/* bytes past the allocation's end do not change */
		uint64_t off = m->addr - a->lo, left = a->size - off;
		uint32_t n = left < m->bytes ? (uint32_t)left : m->bytes;
		*w->changed[m->way] += pass_bytes(w, m->way, m->addr, a->host + off, n);
	}
	if (w)
		w->noted.n = 0;
}
