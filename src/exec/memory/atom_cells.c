/* Fast atomics of 32 and 64 bits: the cells of all lanes lie in one window, and no other thread
 * accesses them meanwhile. That holds in shared memory, which is the block's own, and in global
 * memory when one host thread runs the launch. Then an atomic is a load, an operation and a store,
 * lane after lane; if all lanes have one cell, it stays in a register. atom_any handles the rest:
 * other types, lanes outside, several host threads, and .sys scope, whose cells the host program
 * may read at any time. */
#include "exec/memory/atom.h"
#include "exec/memory/pending.h"
#include "exec/memory/quads.h"

struct cells {
	uint8_t *host;       /* lane i's cell is at host + off[i], or at host */
	const uint32_t *off; /* offsets of the cells: the row of addresses itself, or the copy
			      * below */
	uint32_t room[LANES];
	bool one; /* all lanes use the cell at host */
	bool shared;
};

static bool all_alike(const uint32_t *lo)
{
	uint32_t x = 0;
	for (int i = 0; i < LANES; i++)
		x |= lo[i] ^ lo[0];
	return !x;
}

/* False: the cells are not all in one window, or other threads may access them. */
static __attribute__((noinline)) bool cells_locate(struct warp *w, const struct uop *u, uint32_t m,
						   uint32_t n, struct cells *s)
{
	const struct cta *b = w->cta;
	struct reach q;
	int how = m == ~0u ? quads_locate(w, u, n, ACC_ATOMIC, &q) : QUADS_OUTSIDE,
	    f = __builtin_ctz(m);
	uint8_t *first = NULL;
	if (how != QUADS_OUTSIDE) {
		s->host = (uint8_t *)q.add;
		s->off = row_u32(w, u->a);
		s->one = how == QUADS_SAME && all_alike(s->off);
		first = quads_at(&q, s->off[0]);
	} else {
		how = lanes_locate(w, u, m, f, n, ACC_ATOMIC, s->room, &first, &s->host);
		if (how == LANES_OUTSIDE)
			return false;
		s->off = s->room;
		s->one = how == LANES_UNIFORM;
	}
	if (s->one)
		s->host = first;
	unsigned space = u->aux & AUX_SPACE;
	s->shared = space == SP_SHARED ||
		    (space == SP_GENERIC && lane_addr(w, u, f) - SHARED_BASE < WINDOW_SPAN);
	return s->shared || (b->l->alone && !pending_of(w));
}

static inline uint32_t lane_u32(const uint32_t *p, unsigned i) { return p[i]; }
static inline uint64_t lane_u64(const uint32_t *p, unsigned i) { return pair_get(p, (int)i); }
static inline void lane_put_u32(uint32_t *p, unsigned i, uint32_t x) { p[i] = x; }
static inline void lane_put_u64(uint32_t *p, unsigned i, uint64_t x) { pair_put(p, (int)i, x); }

/* Computes the new value from the old one, a, and the operands b and c (only compare-and-swap has
 * c). Lane i's operands are read before its result is written: the rows may be identical. */
#define CELL_STEP(W, EXPR)                                                                         \
	const unsigned i = (unsigned)__builtin_ctz(left);                                          \
	const uint##W##_t b = lane_u##W(rb, i), c = lane_u##W(rc, i);                              \
	const uint##W##_t next = (uint##W##_t)(EXPR);                                              \
	(void)b, (void)c;                                                                          \
	if (d)                                                                                     \
	lane_put_u##W(d, i, a)

#define CELLS(name, W, EXPR)                                                                       \
	ALWAYS_INLINE void name##_run(struct warp *w, const struct uop *u, uint32_t mask)          \
	{                                                                                          \
		const struct inst *in = u->in;                                                     \
		const int32_t *src = u->v + in->nd;                                                \
		const uint32_t *rb = row_u32(w, src[1]);                                           \
		const uint32_t *rc = in->atom == ATOM_CAS ? row_u32(w, src[2]) : rb;               \
		uint32_t *d = in->nd && u->v[0] != SINK ? row_u32(w, u->v[0]) : NULL;              \
		struct cells s;                                                                    \
		if (!cells_locate(w, u, mask, sizeof(uint##W##_t), &s)) {                          \
			w->mask = mask;                                                            \
			atom_any(w, u);                                                            \
			return;                                                                    \
		}                                                                                  \
		uint##W##_t a;                                                                     \
		if (s.one) {                                                                       \
			memcpy(&a, s.host, sizeof a);                                              \
			for (uint32_t left = mask; left; left &= left - 1) {                       \
				CELL_STEP(W, EXPR);                                                \
				a = next;                                                          \
			}                                                                          \
			memcpy(s.host, &a, sizeof a);                                              \
			return;                                                                    \
		}                                                                                  \
		for (uint32_t left = mask; left; left &= left - 1) {                               \
			uint8_t *cell = s.host + s.off[__builtin_ctz(left)];                       \
			memcpy(&a, cell, sizeof a);                                                \
			CELL_STEP(W, EXPR);                                                        \
			memcpy(cell, &next, sizeof next);                                          \
		}                                                                                  \
	}                                                                                          \
	OP_RUN(name)

CELLS(add32, 32, a + b)
/* clang-format off */
CELLS(and32, 32, a & b)
CELLS(or32, 32, a | b)
CELLS(xor32, 32, a ^ b)
CELLS(exch32, 32, b)
CELLS(cas32, 32, a == b ? c : a)
CELLS(inc32, 32, a >= b ? 0 : a + 1)
CELLS(dec32, 32, a == 0 || a > b ? b : a - 1)
CELLS(min_u32, 32, b < a ? b : a)
CELLS(max_u32, 32, b > a ? b : a)
CELLS(min_s32, 32, (int32_t)b < (int32_t)a ? b : a)
CELLS(max_s32, 32, (int32_t)b > (int32_t)a ? b : a)
CELLS(add_f32, 32, atom_add_f32(a, b, s.shared))
CELLS(add64, 64, a + b)
CELLS(and64, 64, a & b)
/* clang-format on */
CELLS(or64, 64, a | b)
CELLS(xor64, 64, a ^ b)
CELLS(exch64, 64, b)
CELLS(cas64, 64, a == b ? c : a)
CELLS(min_u64, 64, b < a ? b : a)
CELLS(max_u64, 64, b > a ? b : a)
CELLS(min_s64, 64, (int64_t)b < (int64_t)a ? b : a)
CELLS(max_s64, 64, (int64_t)b > (int64_t)a ? b : a)
CELLS(add_f64, 64, atom_add_f64(a, b, s.shared))

static bool bind_32(const struct inst *in, struct uop *u)
{
	bool s = type_is_signed(in->type), f = type_is_float(in->type);
	switch (in->atom) {
	case ATOM_AND: return bind_pair(u, FN(and32));
	case ATOM_OR: return bind_pair(u, FN(or32));
	case ATOM_XOR: return bind_pair(u, FN(xor32));
	case ATOM_EXCH: return bind_pair(u, FN(exch32));
	case ATOM_CAS: return bind_pair(u, FN(cas32));
	case ATOM_INC: return bind_pair(u, FN(inc32));
	case ATOM_DEC: return bind_pair(u, FN(dec32));
	case ATOM_ADD: return bind_pair(u, f ? FN(add_f32) : FN(add32));
	case ATOM_MIN: return !f && bind_pair(u, s ? FN(min_s32) : FN(min_u32));
	case ATOM_MAX: return !f && bind_pair(u, s ? FN(max_s32) : FN(max_u32));
	}
	return false;
}

static bool bind_64(const struct inst *in, struct uop *u)
{
	bool s = type_is_signed(in->type), f = type_is_float(in->type);
	switch (in->atom) {
	case ATOM_AND: return bind_pair(u, FN(and64));
	case ATOM_OR: return bind_pair(u, FN(or64));
	case ATOM_XOR: return bind_pair(u, FN(xor64));
	case ATOM_EXCH: return bind_pair(u, FN(exch64));
	case ATOM_CAS: return bind_pair(u, FN(cas64));
	case ATOM_ADD: return bind_pair(u, f ? FN(add_f64) : FN(add64));
	case ATOM_MIN: return bind_pair(u, s ? FN(min_s64) : FN(min_u64)); /* integers only */
	case ATOM_MAX: return bind_pair(u, s ? FN(max_s64) : FN(max_u64));
	}
	return false;
}

bool bind_atom_cells(const struct inst *in, struct uop *u)
{
	if (in->vec > 1 || in->scope == SCOPE_SYS)
		return false;
	switch (in->type) {
	case T_B32:
	case T_U32:
	case T_S32:
	case T_F32: return bind_32(in, u);
	case T_B64:
	case T_U64:
	case T_S64:
	case T_F64: return bind_64(in, u);
	}
	return false;
}
