/* Atomics: read, combine, write, lane by lane in lane order. Several host threads may run blocks of
 * one launch. Operations whose outcome depends on the order of blocks run under the block's turn
 * (UOP_ORDERED, see docs/machine/determinism.md). The others combine integers commutatively without using
 * the old value, so a host atomic is enough. */
#include "exec/cluster.h"
#include "exec/memory/access.h"
#include "exec/memory/atom.h"
#include "exec/memory/pending.h"

struct cell { /* up to 128 bits */
	uint64_t lo, hi;
};

static uint64_t minmax(unsigned type, uint64_t a, uint64_t b, bool max)
{
	bool less;
	switch (type) {
	case T_S32: less = (int32_t)b < (int32_t)a; break;
	case T_S64: less = (int64_t)b < (int64_t)a; break;
	default: less = b < a; break;
	}
	return less != max ? b : a;
}

/* f16 and bf16 minimum and maximum of memory atomics, for one half. -0 < +0; a number is preferred
 * to a NaN. */
static uint32_t half_minmax(uint32_t a, uint32_t b, uint32_t inf, bool max)
{
	bool na = (a & 0x7fff) > inf, nb = (b & 0x7fff) > inf;
	if (na || nb)
		return na && nb ? F16_NAN : na ? b : a;
	int32_t ka = a & 0x8000 ? -(int32_t)(a & 0x7fff) - 1 : (int32_t)a;
	int32_t kb = b & 0x8000 ? -(int32_t)(b & 0x7fff) - 1 : (int32_t)b;
	return (kb < ka) != max ? b : a;
}

static uint64_t combine_half(unsigned mode, unsigned t, uint64_t a, uint64_t b)
{
	bool bf = t == T_BF16 || t == T_BF16X2, two = t == T_F16X2 || t == T_BF16X2;
	uint64_t r = 0;
	for (unsigned k = 0; k <= two; k++) {
		uint32_t x = a >> 16 * k & 0xffff, y = b >> 16 * k & 0xffff, z;
		if (mode == ATOM_ADD)
			z = bf ? bf16_add_bits(x, y) : f16_add_bits(x, y);
		else
			z = half_minmax(x, y, bf ? BF16_INF : F16_INF, mode == ATOM_MAX);
		r |= (uint64_t)(z & 0xffff) << 16 * k;
	}
	return r;
}

uint64_t atom_combine(unsigned mode, unsigned t, uint64_t a, uint64_t b, uint64_t c, bool shared)
{
	if (t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2)
		if (mode == ATOM_ADD || mode == ATOM_MIN || mode == ATOM_MAX)
			return combine_half(mode, t, a, b);
	switch (mode) {
	case ATOM_AND: return a & b;
	case ATOM_OR: return a | b;
	case ATOM_XOR: return a ^ b;
	case ATOM_EXCH: return b;
	case ATOM_CAS: return a == b ? c : a;
	case ATOM_ADD:
		return t == T_F32   ? atom_add_f32((uint32_t)a, (uint32_t)b, shared)
		       : t == T_F64 ? atom_add_f64(a, b, shared)
				    : a + b;
	case ATOM_INC: return (uint32_t)a >= (uint32_t)b ? 0 : (uint32_t)a + 1;
	case ATOM_DEC:
		return (uint32_t)a == 0 || (uint32_t)a > (uint32_t)b ? (uint32_t)b
								     : (uint32_t)a - 1;
	case ATOM_MIN: return minmax(t, a, b, false);
	default: return minmax(t, a, b, true);
	}
}

static uint64_t combine(const struct uop *u, uint64_t a, uint64_t b, uint64_t c, bool shared)
{
	return atom_combine(u->in->atom, u->type, a, b, c, shared);
}

static uint64_t get_value(const struct warp *w, int32_t o, unsigned lane, unsigned bytes)
{
	const uint32_t *p = row_u32(w, o);
	uint64_t x = bytes > 4 ? pair_get(p, (int)lane) : p[lane];
	return bytes < 4 ? x & 0xffff : x;
}

static void put_value(struct warp *w, int32_t o, unsigned lane, unsigned bytes, uint64_t x)
{
	if (o == SINK)
		return;
	uint32_t *p = row_u32(w, o);
	p[lane] = (uint32_t)x;
	if (bytes > 4)
		p[lane + LANES] = (uint32_t)(x >> 32);
}

/* With checks off an address may be misaligned; no GPU defines the result. The update is made under
 * a lock, because a host's compare-and-swap would end the process. */
static uint64_t update_split(const struct uop *u, uint8_t *p, unsigned bytes, uint64_t b,
			     uint64_t c, bool shared)
{
	static bool busy;
	uint64_t old = 0, next;
	while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
		;
	memcpy(&old, p, bytes);
	next = combine(u, old, b, c, shared);
	memcpy(p, &next, bytes);
	__atomic_clear(&busy, __ATOMIC_RELEASE);
	return old;
}

/* One element of 2, 4 or 8 bytes. Other host threads may update the same cell with commutative
 * operations at the same time: 4 and 8 bytes go through compare-and-swap. */
static uint64_t update_word(const struct uop *u, uint8_t *p, unsigned bytes, uint64_t b, uint64_t c,
			    bool shared)
{
	if ((uintptr_t)p & (bytes - 1))
		return update_split(u, p, bytes, b, c, shared);
	if (bytes == 4) {
		uint32_t *q = (uint32_t *)p, old = __atomic_load_n(q, __ATOMIC_RELAXED), next;
		do
			next = (uint32_t)combine(u, old, b, c, shared);
		while (!__atomic_compare_exchange_n(q, &old, next, true, __ATOMIC_ACQ_REL,
						    __ATOMIC_RELAXED));
		return old;
	}
	if (bytes == 8) {
		uint64_t *q = (uint64_t *)p, old = __atomic_load_n(q, __ATOMIC_RELAXED), next;
		do
			next = combine(u, old, b, c, shared);
		while (!__atomic_compare_exchange_n(q, &old, next, true, __ATOMIC_ACQ_REL,
						    __ATOMIC_RELAXED));
		return old;
	}
	uint16_t old, next;
	memcpy(&old, p, 2);
	next = (uint16_t)combine(u, old, b, c, shared);
	memcpy(p, &next, 2);
	return old;
}

/* Sources: MEM, vec values [, new value]; destinations: vec (none for red). */
void atom_any(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	unsigned es = type_bytes(in->type), n = in->vec ? in->vec : 1;
	const int32_t *src = u->v + in->nd;
	bool cas = in->atom == ATOM_CAS;
	struct pending *late = pending_of(w);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t *local;
		uint8_t *p = mem_lane(w, u, i, lane_addr(w, u, (int)i), es * n, es * n, ACC_ATOMIC,
				      &local);
		if (!p) {
			if (w->stop)
				return;
			continue;
		}
		bool shared = in_shared(w->cta, p);
		for (unsigned k = 0; k < n; k++) {
			uint64_t b = get_value(w, src[1 + k], i, es),
				 c = cas ? get_value(w, src[2], i, es) : 0, old;
			if (late && !shared) {
				struct late_reduction r = {.cell = p + k * es,
							   .operand = b,
							   .op = in->mode,
							   .type = u->type};
				old = pending_reduce(late, &r, es);
			} else {
				old = update_word(u, p + k * es, es, b, c, shared);
			}
			if (in->nd)
				put_value(w, u->v[k], i, es, old);
		}
	}
}
static void atom_any_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	atom_any(w, u);
}

/* 128 bits: exchange and compare-and-swap, which run only in the block's turn (ordered
 * operations). */
static void atom128_part(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	const int32_t *src = u->v + in->nd;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t *local, b[4], c[4], old[4];
		uint8_t *p = mem_lane(w, u, i, lane_addr(w, u, (int)i), 16, 16, ACC_ATOMIC, &local);
		if (!p) {
			if (w->stop)
				return;
			continue;
		}
		memcpy(old, p, 16);
		for (unsigned k = 0; k < 4; k++) {
			b[k] = row_u32(w, src[1])[i + k * LANES];
			c[k] = in->atom == ATOM_CAS ? row_u32(w, src[2])[i + k * LANES] : b[k];
		}
		if (in->atom == ATOM_EXCH || !memcmp(old, b, 16))
			memcpy(p, c, 16);
		for (unsigned k = 0; k < 4 && in->nd && u->v[0] != SINK; k++)
			row_u32(w, u->v[0])[i + k * LANES] = old[k];
	}
}
static void atom128_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	atom128_part(w, u);
}

/* Integer operations that commute: their order does not matter if no thread sees the old value. */
bool atom_commutes(const struct inst *in)
{
	return !type_is_float(in->type) && type_bytes(in->type) >= 4 && type_bytes(in->type) <= 8 &&
	       (in->atom == ATOM_ADD || in->atom == ATOM_MIN || in->atom == ATOM_MAX ||
		in->atom == ATOM_AND || in->atom == ATOM_OR || in->atom == ATOM_XOR);
}

static const struct fnpair any = {atom_any_full, atom_any};

bool bind_atom(const struct inst *in, struct uop *u)
{
	if (in->op != OP_ATOM && in->op != OP_RED)
		return false;
	u->flags |= UOP_FAULTS;
	bind_pair(u, type_bytes(in->type) == 16 ? FN(atom128) : any);
	return bind_atom_cells(in, u) || true;
}
