/* Instructions that meet the table of pending writes (pending.h). Loads that do not meet it, which are
 * nearly all, take their usual way; the others go lane by lane through mem_load(), which looks into the
 * table. Stores of neighbouring lanes enter the table at once. */
#include "exec/memory/access.h"
#include "exec/memory/atom.h"
#include "exec/memory/pending.h"

static bool any_lane_global(const struct warp *w, const struct uop *u)
{
	for (uint32_t m = w->mask; m; m &= m - 1)
		if (mem_is_global(w, u, lane_addr(w, u, __builtin_ctz(m))))
			return true;
	return false;
}

static bool load_meets(struct warp *w, const struct uop *u, const struct pending *p)
{
	uint32_t m = w->mask, off[LANES], n = type_bytes(u->in->type) * u->in->nd;
	int f = __builtin_ctz(m), last = 31 - __builtin_clz(m);
	uint8_t *first, *host;
	switch (lanes_locate(w, u, m, f, n, ACC_READ, off, &first, &host)) {
	case LANES_UNIFORM: return pending_meets(p, first, n);
	case LANES_CONTIGUOUS: return pending_meets(p, first, (uint64_t)(last - f + 1) * n);
	case LANES_OUTSIDE: return any_lane_global(w, u);
	}
	for (; m; m &= m - 1)
		if (pending_meets(p, host + off[__builtin_ctz(m)], n))
			return true;
	return false;
}

/* Gathers a lane's elements in memory order, side by side. */
static inline void gather_lane(const struct warp *w, const struct uop *u, unsigned es,
			       unsigned lane, uint8_t *to)
{
	for (unsigned k = 0; k + 1 < u->in->ns; k++) {
		const uint32_t *s = row_u32(w, u->v[1 + k]) + lane;
		if (es == 4)
			memcpy(to + k * 4, s, 4);
		else
			for (unsigned j = 0; j < es; j += 4)
				memcpy(to + k * es + j, s + j / 4 * LANES, es < 4 ? es : 4);
	}
}

enum { STORED_MOST = 32 }; /* most bytes per lane */

/* Stores lanes m one after the other while each lies inside the instruction's window. Returns the
 * lanes that are left from the first one outside. */
static uint32_t store_lanes(struct warp *w, const struct uop *u, struct pending *p, uint32_t m,
			    unsigned es, uint32_t n)
{
	uint8_t bytes[STORED_MOST];
	for (; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t a = lane_addr(w, u, (int)i);
		const struct window *win = mem_window(w, u, a);
		if (!mem_is_global(w, u, a) || !win || !window_has(win, a, n) || a & (n - 1))
			break;
		gather_lane(w, u, es, i, bytes);
		pending_store(p, win->host + (a - win->lo), bytes, n);
	}
	return m;
}

/* Stores all lanes in one copy. False: their addresses are not consecutive, or not in global
 * memory. */
static bool store_run(struct warp *w, const struct uop *u, struct pending *p, unsigned es,
		      uint32_t n)
{
	uint32_t m = w->mask, off[LANES];
	unsigned f = (unsigned)__builtin_ctz(m), last = 31 - (unsigned)__builtin_clz(m);
	uint8_t *first, *host, room[LANES * STORED_MOST];
	const uint8_t *from = room;
	if ((m >> f) & ((m >> f) + 1)) /* the active lanes are not contiguous */
		return false;
	int how = lanes_locate(w, u, m, (int)f, n, ACC_WRITE, off, &first, &host);
	if ((how != LANES_UNIFORM && how != LANES_CONTIGUOUS) ||
	    !mem_is_global(w, u, lane_addr(w, u, (int)f)))
		return false;
	if (how == LANES_UNIFORM) /* in lane order the last lane's value remains */
		f = last;
	if (n == 4 && es == 4)
		from = (const uint8_t *)(row_u32(w, u->v[1]) + f);
	else
		for (unsigned i = f; i <= last; i++)
			gather_lane(w, u, es, i, room + (i - f) * n);
	pending_store(p, first, from, (last - f + 1) * n);
	return true;
}

static bool store_pending(struct warp *w, const struct uop *u, struct pending *p)
{
	enum { FEW_LANES = 4 };
	unsigned es = type_bytes(u->in->type), n = es * (u->in->ns - 1u);
	bool fits = n <= STORED_MOST && !(n & (n - 1));
	if (fits && __builtin_popcount(w->mask) > FEW_LANES && store_run(w, u, p, es, n))
		return true;
	uint32_t left = fits ? store_lanes(w, u, p, w->mask, es, n) : w->mask;
	if (left == w->mask && !any_lane_global(w, u))
		return false;
	w->mask = left;
	if (left)
		st_lanes(w, u);
	return true;
}

bool pending_access(struct warp *w, const struct uop *u)
{
	struct pending *p = pending_of(w);
	unsigned space = u->aux & AUX_SPACE;
	if (!p || (space != SP_GLOBAL && space != SP_GENERIC) || !w->mask)
		return false;
	if (u->op == OP_ST)
		return store_pending(w, u, p);
	if ((u->op != OP_LD && u->op != OP_LDU) || !p->n || !load_meets(w, u, p))
		return false;
	ld_lanes(w, u);
	return true;
}

static uint64_t reduced_cell(const struct late_reduction *r, uint64_t old)
{
	return atom_combine(r->op, r->type, old, r->operand, 0, r->plain);
}

static bool is_stored(const struct pending *p, const uint8_t *cell)
{
	const struct sector *s = pending_find(p, (uintptr_t)cell / PENDING_BYTES * PENDING_BYTES);
	return s && s->stored >> (uintptr_t)cell % PENDING_BYTES & 1;
}

uint64_t pending_reduce(struct pending *p, const struct late_reduction *r, uint32_t n)
{
	uint64_t x = 0;
	memcpy(&x, r->cell, n);
	pending_load(p, r->cell, &x, n);
	pending_show(p, r->cell, reduced_cell(r, x), n);
	if (!is_stored(p, r->cell))
		vec_push(&p->late, *r);
	return x;
}

/* Reductions of the SM are applied before its stores: a reduction issued after a store is already
 * part of the stored value. */
void pending_commit(struct pending *p)
{
	for (size_t i = 0; i < p->late.n; i++) {
		const struct late_reduction *r = &p->late.v[i];
		unsigned n = type_bytes(r->type);
		uint64_t x = 0;
		memcpy(&x, r->cell, n);
		x = reduced_cell(r, x);
		memcpy(r->cell, &x, n);
	}
	p->late.n = 0;
	pending_flush(p);
}
