/* Stores: consecutive lanes in one copy, other patterns lane by lane. Lanes that store to one
 * address take effect in lane order: the highest lane's value remains. */
#include "exec/memory/locals.h"
#include "exec/memory/quads.h"

static inline int32_t word_row(const struct uop *u, unsigned k, bool wide)
{
	const int32_t *v = u->v + 1; /* v[0] is the address */
	return wide ? v[k >> 1] + (int32_t)(k & 1) * ROW : v[k];
}

void st_lanes(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	unsigned es = type_bytes(in->type), n = in->ns - 1u;
	uint8_t buf[64];
	for (uint32_t m = w->mask; m && !w->stop; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		for (unsigned k = 0; k < n; k++) {
			const uint32_t *s = row_u32(w, u->v[1 + k]);
			for (unsigned j = 0; j < (es + 3) / 4; j++)
				memcpy(buf + k * es + j * 4, &s[i + j * LANES], es < 4 ? es : 4);
		}
		mem_store(w, u, i, lane_addr(w, u, (int)i), buf, es * n, es * n);
	}
}

static void st_lanes_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	st_lanes(w, u);
}

/* Stores one word of each of the 32 lanes, in lane order. False: the pattern is another. */
ALWAYS_INLINE bool st_quads(struct warp *w, const struct uop *u, const uint32_t *s)
{
	const uint32_t *lo = row_u32(w, u->a);
	struct reach q;
	switch (quads_locate(w, u, 4, ACC_WRITE, &q)) {
	case QUADS_RUN:
		for (int j = 0; j < LANES; j += 4)
			*(vec4_at *)quads_at(&q, lo[j]) = *(const vec4_at *)(s + j);
		return true;
	case QUADS_SAME:
		for (int j = 0; j < LANES; j += 4)
			memcpy(quads_at(&q, lo[j]), s + j + 3, 4);
		return true;
	case QUADS_SCATTERED:
		UNROLL_8 for (int i = 0; i < LANES; i++) memcpy(quads_at(&q, lo[i]), s + i, 4);
		return true;
	default: return false;
	}
}

/* Stores words to local memory. False: not all lanes have local memory there. */
static bool st_local_words(struct warp *w, const struct uop *u, uint32_t m,
			   const uint32_t *const *s, unsigned nw)
{
	uint32_t off[LANES];
	int f = __builtin_ctz(m), how = locals_locate(w, u, m, f, nw * 4, off);
	if (how == LANES_OUTSIDE)
		return false;
	for (unsigned k = 0; k < nw; k++) {
		if (how == LANES_UNIFORM)
			row_blend(local_word(w, off[f] + 4 * k, 0), s[k], m);
		else
			for (uint32_t q = m; q; q &= q - 1) {
				unsigned i = (unsigned)__builtin_ctz(q);
				*local_word(w, off[i] + 4 * k, i) = s[k][i];
			}
	}
	return true;
}

/* Stores the low n bytes of s for a few lanes. False: there are more lanes, or their pattern is
 * another. */
ALWAYS_INLINE bool st_few(const struct warp *w, const struct uop *u, const uint32_t *s, uint32_t n)
{
	unsigned lane[FEW];
	uint8_t *at[FEW];
	if (!few_locate(w, u, w->mask, n, ACC_WRITE, lane, at))
		return false;
	EACH_FEW
	memcpy(at[k], s + lane[k], n);
	return true;
}

/* Stores words s[0 .. nw - 1] of each lane. False: the caller must store lane by lane. */
ALWAYS_INLINE bool st_words_at_once(struct warp *w, const struct uop *u, const uint32_t *const *s,
				    unsigned nw, bool full)
{
	uint32_t m = full ? ~0u : w->mask, off[LANES], t[LANES * 8];
	int f = full ? 0 : __builtin_ctz(m), last = full ? LANES - 1 : 31 - __builtin_clz(m);
	bool hole = !full && ((m >> f) & ((m >> f) + 1)); /* a lane between the first and the
							   * last is inactive */
	uint8_t *p, *host;
	if (full && nw == 1 && st_quads(w, u, s[0]))
		return true;
	struct reach to;
	const uint32_t *at;
	if (!full && nw == 1 && (at = spread_locate(w, u, m, 4, ACC_WRITE, &to, off))) {
		for (uint32_t q = m; q; q &= q - 1) {
			unsigned i = (unsigned)__builtin_ctz(q);
			memcpy(quads_at(&to, at[i]), s[0] + i, 4);
		}
		return true;
	}
	int how = lanes_locate(w, u, m, f, nw * 4, ACC_WRITE, off, &p, &host);
	if (how == LANES_OUTSIDE)
		return st_local_words(w, u, m, s, nw);
	if (how == LANES_CONTIGUOUS && !hole && nw == 1) {
		memcpy(p, s[0] + f, (size_t)(last - f + 1) * 4);
		return true;
	}
	for (unsigned k = 0; k < nw; k++)
		for (int i = 0; i < LANES; i++)
			t[(unsigned)i * nw + k] = s[k][i];
	if (how == LANES_CONTIGUOUS && !hole) {
		memcpy(p, t + (unsigned)f * nw, (size_t)(last - f + 1) * nw * 4);
	} else if (how == LANES_UNIFORM) {
		memcpy(p, t + (unsigned)last * nw, nw * 4); /* in lane order, so the highest lane's
							     * value remains */
	} else {
		for (uint32_t q = m; q; q &= q - 1) {
			unsigned i = (unsigned)__builtin_ctz(q);
			memcpy(host + off[i], t + i * nw, nw * 4);
		}
	}
	return true;
}

ALWAYS_INLINE void st_words(struct warp *w, const struct uop *u, unsigned nw, bool wide, bool full)
{
	const uint32_t *s[8];
	for (unsigned k = 0; k < nw; k++)
		s[k] = row_u32(w, word_row(u, k, wide));
	if (st_words_at_once(w, u, s, nw, full))
		return;
	if (full)
		w->mask = ~0u;
	st_lanes(w, u);
}

#define ST_WORDS(name, nw, wide)                                                                   \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		st_words(w, u, nw, wide, true);                                                    \
	}                                                                                          \
	static NOINLINE void name##_many(struct warp *w, const struct uop *u)                      \
	{                                                                                          \
		st_words(w, u, nw, wide, false);                                                   \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		if (nw > 1 || !st_few(w, u, row_u32(w, u->v[1]), 4))                               \
			name##_many(w, u);                                                         \
	}
ST_WORDS(st_1, 1, false)
ST_WORDS(st_2, 2, false)
ST_WORDS(st_4, 4, false)
ST_WORDS(st_8, 8, false)
ST_WORDS(st_w2, 2, true)
ST_WORDS(st_w4, 4, true)
ST_WORDS(st_w8, 8, true)

/* A store of native code that releases its word's lock. One loop stores, releases and checks the
 * address, because the host can hardly predict where the loop ends. Lanes that hold a lock are few,
 * and rarely neighbours. */
static void st_unlock_part(struct warp *w, const struct uop *u)
{
	uint32_t m = w->mask, off = (uint32_t)u->offset;
	uint8_t *lock = w->cta->lock;
	const struct window *win = &w->cta->shared_win;
	bool word = type_bytes(u->in->type) == 4 && u->in->ns == 2;
	struct reach q;
	if (word && u->a != SINK && quads_range(w, u, win, 4, &q)) {
		const uint32_t *lo = row_u32(w, u->a), *s = row_u32(w, u->v[1]);
		for (; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);
			if (lo[i] - q.first > q.last || lo[i] & 3)
				break;
			memcpy(quads_at(&q, lo[i]), s + i, 4);
			lock[lock_number(lo[i] + off)] = 0;
		}
		if (!m)
			return;
		w->mask = m;
	}
	(word ? st_1_part : st_lanes)(w, u);
	for (; m && !w->stop; m &= m - 1)
		lock[lock_number((uint32_t)lane_addr(w, u, __builtin_ctz(m)))] = 0;
}
static void st_unlock_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	st_unlock_part(w, u);
}

#define ST_SMALL(name, T)                                                                          \
	static NOINLINE void name##_many(struct warp *w, const struct uop *u)                      \
	{                                                                                          \
		uint32_t m = w->mask, off[LANES];                                                  \
		int f = __builtin_ctz(m), last = 31 - __builtin_clz(m);                            \
		const uint32_t *s = row_u32(w, u->v[1]);                                           \
		uint8_t *p, *host;                                                                 \
		int how = lanes_locate(w, u, m, f, sizeof(T), ACC_WRITE, off, &p, &host);          \
		T t[LANES];                                                                        \
		for (int i = 0; i < LANES; i++)                                                    \
			t[i] = (T)s[i];                                                            \
		if (how == LANES_OUTSIDE) {                                                        \
			if (locals_locate(w, u, m, f, sizeof(T), off) == LANES_OUTSIDE) {          \
				st_lanes(w, u);                                                    \
				return;                                                            \
			}                                                                          \
			for (uint32_t q = m; q; q &= q - 1) {                                      \
				unsigned i = (unsigned)__builtin_ctz(q);                           \
				memcpy(local_byte(w, off[u->a == SINK ? f : (int)i], i), t + i,    \
				       sizeof(T));                                                 \
			}                                                                          \
		} else if (how == LANES_CONTIGUOUS && !((m >> f) & ((m >> f) + 1)))                \
			memcpy(p, t + f, (size_t)(last - f + 1) * sizeof(T));                      \
		else if (how == LANES_UNIFORM)                                                     \
			memcpy(p, t + last, sizeof(T));                                            \
		else                                                                               \
			for (uint32_t q = m; q; q &= q - 1)                                        \
				memcpy(host + off[__builtin_ctz(q)], t + __builtin_ctz(q),         \
				       sizeof(T));                                                 \
	}                                                                                          \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->mask = ~0u;                                                                     \
		name##_many(w, u);                                                                 \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		if (!st_few(w, u, row_u32(w, u->v[1]), sizeof(T)))                                 \
			name##_many(w, u);                                                         \
	}
ST_SMALL(st_8b, uint8_t)
ST_SMALL(st_16b, uint16_t)

/* Vectors of bytes and halfwords, 4 or 8 bytes together, put into words. */
ALWAYS_INLINE void st_packed(struct warp *w, const struct uop *u, bool full)
{
	unsigned bits = 8 * type_bytes(u->in->type), n = u->in->ns - 1u, bytes = n * bits / 8;
	unsigned each = bytes == 8 ? n / 2 : n;
	uint32_t word[2][LANES] = {0};
	const uint32_t *s[2] = {word[0], word[1]};
	for (unsigned k = 0; k < n; k++) {
		const uint32_t *e = row_u32(w, u->v[1 + k]);
		uint32_t low = bits == 8 ? 0xff : 0xffff, at = k % each * bits;
		for (int i = 0; i < LANES; i++)
			word[k / each][i] |= (e[i] & low) << at;
	}
	if (bytes == 8 ? st_words_at_once(w, u, s, 2, full) : st_words_at_once(w, u, s, 1, full))
		return;
	if (full)
		w->mask = ~0u;
	st_lanes(w, u);
}
static void st_packed_full(struct warp *w, const struct uop *u) { st_packed(w, u, true); }
static void st_packed_part(struct warp *w, const struct uop *u) { st_packed(w, u, false); }

/* st.param to the local frame at a constant, word-aligned address: a move of rows. */
static void st_rows_part(struct warp *w, const struct uop *u)
{
	bool wide = type_bytes(u->in->type) == 8;
	unsigned nw = (u->in->ns - 1u) * (wide ? 2 : 1);
	for (unsigned k = 0; k < nw; k++) {
		uint32_t t[LANES];
		memcpy(t, row_u32(w, word_row(u, k, wide)), ROW);
		row_blend(row_u32(w, u->a + (int32_t)k * ROW), t, w->mask);
	}
}
static void st_rows_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	st_rows_part(w, u);
}

static void st_local_part(struct warp *w, const struct uop *u)
{
	bool wide = type_bytes(u->in->type) == 8;
	unsigned nw = (u->in->ns - 1u) * (wide ? 2 : 1);
	const uint32_t *s[8];
	for (unsigned k = 0; k < nw; k++)
		s[k] = row_u32(w, word_row(u, k, wide));
	if (!st_local_words(w, u, w->mask, s, nw))
		st_lanes(w, u);
}
static void st_local_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	st_local_part(w, u);
}

bool bind_st_rows(const struct inst *in, struct uop *u)
{
	(void)in;
	return bind_pair(u, FN(st_rows));
}

bool bind_st(const struct inst *in, struct uop *u)
{
	unsigned es = type_bytes(in->type), n = in->ns - 1u;
	u->flags |= UOP_FAULTS;
	u->full = st_lanes_full;
	u->part = st_lanes;
	if (in->mods & M_UNLOCK)
		return bind_pair(u, FN(st_unlock));
	if ((u->aux & AUX_SPACE) == SP_LOCAL && (es == 4 || es == 8))
		return bind_pair(u, FN(st_local));
	bool pow2 = n == 1 || n == 2 || n == 4 || n == 8;
	if (es == 4 && pow2)
		return bind_pair(u, n == 1   ? FN(st_1)
				    : n == 2 ? FN(st_2)
				    : n == 4 ? FN(st_4)
					     : FN(st_8));
	if (es == 8 && pow2 && n <= 4)
		return bind_pair(u, n == 1 ? FN(st_w2) : n == 2 ? FN(st_w4) : FN(st_w8));
	if (es <= 2 && (es * n == 4 || es * n == 8))
		return bind_pair(u, FN(st_packed));
	if (es <= 2 && n == 1)
		return bind_pair(u, es == 1 ? FN(st_8b) : FN(st_16b));
	return true;
}
