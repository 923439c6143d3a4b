/* Loads. Ways tried in turn:
 *   full warps, four lanes alike (quads.h)     one pass of checks, eight vector copies
 *   consecutive lanes, consecutive addresses   one range check, one (de-interleaving) copy
 *   all lanes the same address                 one range check, broadcast; at once if it is constant
 *   anything else                              lane by lane
 * Kernel parameters and function parameters at constant addresses are rows already: they are
 * moves. */
#include "exec/memory/locals.h"
#include "exec/memory/quads.h"

/* Row operand of word k of the destination vector; 64-bit elements are two rows each. */
static inline int32_t word_row(const struct uop *u, unsigned k, bool wide)
{
	return wide ? u->v[k >> 1] + (int32_t)(k & 1) * ROW : u->v[k];
}

static inline void put_row(struct warp *w, int32_t o, const uint32_t *t, bool full)
{
	if (full)
		memcpy(row_u32(w, o), t, ROW);
	else
		row_blend(row_u32(w, o), t, w->mask);
}

static uint64_t extend(const uint8_t *p, unsigned size, bool sign)
{
	uint64_t x = 0;
	memcpy(&x, p, size);
	unsigned sh = 64 - 8 * size;
	return sign ? (uint64_t)((int64_t)(x << sh) >> sh) : x;
}

/* Any load, lane by lane: the reference for the fast paths. */
static void ld_lanes(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	unsigned es = type_bytes(in->type), n = in->nd;
	bool sign = type_is_signed(in->type);
	uint8_t buf[64] = {0};
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		mem_load(w, u, i, lane_addr(w, u, (int)i), buf, es * n, es * n);
		if (w->stop)
			return;
		for (unsigned k = 0; k < n; k++) {
			if (u->v[k] == SINK)
				continue;
			uint32_t *d = row_u32(w, u->v[k]);
			if (es <= 8) {
				uint64_t x = extend(buf + k * es, es, sign);
				d[i] = (uint32_t)x;
				if (type_rows(in->opnd[k].type) == 2)
					d[i + LANES] = (uint32_t)(x >> 32);
			} else {
				for (unsigned j = 0; j < es / 4; j++)
					memcpy(&d[i + j * LANES], buf + k * es + j * 4, 4);
			}
		}
	}
}

static void ld_lanes_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	ld_lanes(w, u);
}

/* Words of all lanes, lane by lane as in memory, into rows. */
ALWAYS_INLINE void put_words(struct warp *w, const struct uop *u, const uint32_t *t, unsigned nw,
			     bool wide, bool full)
{
	for (unsigned k = 0; k < nw; k++) {
		uint32_t r[LANES];
		for (int i = 0; i < LANES; i++)
			r[i] = t[(unsigned)i * nw + k];
		put_row(w, word_row(u, k, wide), r, full);
	}
}

static inline uint32_t word_at(const uint8_t *p)
{
	uint32_t x;
	memcpy(&x, p, 4);
	return x;
}

/* One word per lane, scattered over a window. Results are assembled in registers: words stored one
 * by one and loaded again as a vector would wait for the slowest of all 32. */
ALWAYS_INLINE vec4 word4_at(const uint8_t *host, const uint32_t *off)
{
	return (vec4){word_at(host + off[0]), word_at(host + off[1]), word_at(host + off[2]),
		      word_at(host + off[3])};
}

/* Four lanes of consecutive words; of one word. */
ALWAYS_INLINE vec4 run4_at(const uint8_t *host, const uint32_t *off)
{
	return *(const vec4_at *)(host + off[0]);
}
ALWAYS_INLINE vec4 same4_at(const uint8_t *host, const uint32_t *off)
{
	return (vec4){0} + word_at(host + off[0]);
}

/* The same. Tiles are often read in short runs: if every four lanes read consecutive words, or all
 * the same one, eight vector loads are enough. */
ALWAYS_INLINE void gather_words(uint32_t *d, const uint8_t *host, const uint32_t *off, bool full,
				uint32_t mask)
{
	uint32_t run = 0, same = 0;
	for (int j = 0; j < LANES; j += 4)
		for (int k = 0; k < 4; k++) {
			run |= off[j + k] - off[j] - 4 * (uint32_t)k;
			same |= off[j + k] - off[j];
		}
	if (!run)
		ROW_OF(d, run4_at, host, off, full, mask);
	else if (!same)
		ROW_OF(d, same4_at, host, off, full, mask);
	else
		ROW_OF(d, word4_at, host, off, full, mask);
}

/* All lanes, one word each. False: the pattern is not so simple. */
ALWAYS_INLINE bool ld_quads(struct warp *w, const struct uop *u)
{
	const uint32_t *lo = row_u32(w, u->a);
	uint32_t *d = row_u32(w, u->v[0]);
	struct reach q;
	switch (quads_locate(w, u, 4, ACC_READ, &q)) {
	case QUADS_RUN: ROW_OF(d, run4_at, (uint8_t *)q.add, lo, true, 0); return true;
	case QUADS_SAME: ROW_OF(d, same4_at, (uint8_t *)q.add, lo, true, 0); return true;
	case QUADS_SCATTERED: ROW_OF(d, word4_at, (uint8_t *)q.add, lo, true, 0); return true;
	default: return false;
	}
}

/* The low and the high words of four lanes' pairs. */
ALWAYS_INLINE vec4 pair2_at(const uint8_t *host, const uint32_t *off)
{
	typedef uint64_t vec2 __attribute__((vector_size(16)));
	uint64_t x, y;
	memcpy(&x, host + off[0], 8);
	memcpy(&y, host + off[1], 8);
	return (vec4)(vec2){x, y};
}
ALWAYS_INLINE vec4 low4_at(const uint8_t *host, const uint32_t *off)
{
	vec4 a = pair2_at(host, off), b = pair2_at(host, off + 2);
	return (vec4){a[0], a[2], b[0], b[2]};
}
ALWAYS_INLINE vec4 high4_at(const uint8_t *host, const uint32_t *off)
{
	vec4 a = pair2_at(host, off), b = pair2_at(host, off + 2);
	return (vec4){a[1], a[3], b[1], b[3]};
}

/* Two words a lane, scattered: rows d and e. A piece's offsets are read before it is written. */
ALWAYS_INLINE void gather_pairs(uint32_t *d, uint32_t *e, const uint8_t *host, const uint32_t *off,
				bool full, uint32_t mask)
{
	for (int j = 0; j < LANES; j += PIECE) {
		piece low = PIECE_OF(low4_at, host, off + j),
		      high = PIECE_OF(high4_at, host, off + j);
		piece_put(d, j, low, full, mask);
		piece_put(e, j, high, full, mask);
	}
}

/* The same for nw words each. */
ALWAYS_INLINE bool ld_quads_wide(struct warp *w, const struct uop *u, unsigned nw, bool wide)
{
	const uint32_t *lo = row_u32(w, u->a);
	struct reach q;
	uint32_t t[LANES * 8];
	int shape = quads_locate(w, u, nw * 4, ACC_READ, &q);
	if (shape == QUADS_OUTSIDE)
		return false;
	if (shape != QUADS_RUN && nw == 2) {
		gather_pairs(row_u32(w, word_row(u, 0, wide)), row_u32(w, word_row(u, 1, wide)),
			     (uint8_t *)q.add, lo, true, 0);
		return true;
	}
	if (shape == QUADS_RUN)
		for (unsigned j = 0; j < LANES; j += 4)
			memcpy(t + j * nw, quads_at(&q, lo[j]), 16 * nw);
	else
		UNROLL_8 for (unsigned i = 0; i < LANES; i++)
			memcpy(t + i * nw, quads_at(&q, lo[i]), 4 * nw);
	put_words(w, u, t, nw, wide, true);
	return true;
}

/* Words of local memory. False: not all lanes' words are there. */
static bool ld_local_words(struct warp *w, const struct uop *u, unsigned nw, bool wide, bool full)
{
	uint32_t m = full ? ~0u : w->mask, off[LANES], t[8][LANES];
	int f = full ? 0 : __builtin_ctz(m);
	switch (locals_locate(w, u, m, f, nw * 4, off)) {
	case LANES_OUTSIDE: return false;
	case LANES_UNIFORM: memcpy(t, local_word(w, off[f], 0), nw * ROW); break;
	default:
		for (unsigned k = 0; k < nw; k++)
			for (unsigned i = 0; i < LANES; i++)
				t[k][i] = *local_word(w, off[i] + 4 * k, i);
	}
	for (unsigned k = 0; k < nw; k++)
		put_row(w, word_row(u, k, wide), t[k], full);
	return true;
}

/* One or two words of a few lanes. False: they are more, or not as simple as that. */
ALWAYS_INLINE bool ld_few(struct warp *w, const struct uop *u, unsigned nw, bool wide)
{
	unsigned lane[FEW];
	uint8_t *at[FEW];
	if (!few_locate(w, u, w->mask, nw * 4, ACC_READ, lane, at))
		return false;
	for (unsigned r = 0; r < nw; r++) {
		uint32_t *d = row_u32(w, word_row(u, r, wide));
		EACH_FEW
		d[lane[k]] = word_at(at[k] + 4 * r);
	}
	return true;
}

/* nw 32-bit words a lane into the rows of u->v. False: lane by lane. */
ALWAYS_INLINE bool ld_words_at_once(struct warp *w, const struct uop *u, unsigned nw, bool wide,
				    bool full)
{
	uint32_t m = full ? ~0u : w->mask, off[LANES], t[LANES * 8];
	int f = full ? 0 : __builtin_ctz(m), last = full ? LANES - 1 : 31 - __builtin_clz(m);
	uint8_t *p, *host;
	if (full && (nw == 1 ? ld_quads(w, u) : ld_quads_wide(w, u, nw, wide)))
		return true;
	struct reach q;
	const uint32_t *at;
	if (!full && nw <= 2 && (at = spread_locate(w, u, m, nw * 4, ACC_READ, &q, off))) {
		host = (uint8_t *)q.add;
		if (nw == 1)
			ROW_OF(row_u32(w, u->v[0]), word4_at, host, at, false, m);
		else
			gather_pairs(row_u32(w, word_row(u, 0, wide)),
				     row_u32(w, word_row(u, 1, wide)), host, at, false, m);
		return true;
	}
	switch (lanes_locate(w, u, m, f, nw * 4, ACC_READ, off, &p, &host)) {
	case LANES_CONTIGUOUS:
		if (nw == 1 && full) {
			memcpy(row_u32(w, u->v[0]), p, ROW);
			return true;
		}
		memcpy(t + (unsigned)f * nw, p, (size_t)(last - f + 1) * nw * 4);
		put_words(w, u, t, nw, wide, full);
		return true;
	case LANES_UNIFORM:
		for (unsigned k = 0; k < nw; k++) {
			uint32_t r[LANES], x;
			memcpy(&x, p + k * 4, 4);
			for (int i = 0; i < LANES; i++)
				r[i] = x;
			put_row(w, word_row(u, k, wide), r, full);
		}
		return true;
	case LANES_SCATTERED:
		if (nw == 1) {
			gather_words(row_u32(w, u->v[0]), host, off, full, m);
			return true;
		}
		if (nw == 2) {
			gather_pairs(row_u32(w, word_row(u, 0, wide)),
				     row_u32(w, word_row(u, 1, wide)), host, off, full, m);
			return true;
		}
		UNROLL_8 for (int i = 0; i < LANES; i++)
			memcpy(t + (unsigned)i * nw, host + off[i], nw * 4);
		put_words(w, u, t, nw, wide, full);
		return true;
	default: return ld_local_words(w, u, nw, wide, full);
	}
}

/* The same, destinations exactly that wide. */
ALWAYS_INLINE void ld_words(struct warp *w, const struct uop *u, unsigned nw, bool wide, bool full)
{
	if (ld_words_at_once(w, u, nw, wide, full))
		return;
	if (full)
		w->mask = ~0u;
	ld_lanes(w, u);
}

#define LD_WORDS(name, nw, wide)                                                                   \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		ld_words(w, u, nw, wide, true);                                                    \
	}                                                                                          \
	static NOINLINE void name##_many(struct warp *w, const struct uop *u)                      \
	{                                                                                          \
		ld_words(w, u, nw, wide, false);                                                   \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		if (nw > 2 || !ld_few(w, u, nw, wide))                                             \
			name##_many(w, u);                                                         \
	}
LD_WORDS(ld_1, 1, false)
LD_WORDS(ld_2, 2, false)
LD_WORDS(ld_4, 4, false)
LD_WORDS(ld_8, 8, false)
LD_WORDS(ld_w2, 2, true)
LD_WORDS(ld_w4, 4, true)
LD_WORDS(ld_w8, 8, true)

/* A word at a constant address: of parameters and counters in native code's shared memory, mostly. */
ALWAYS_INLINE bool ld_same(struct warp *w, const struct uop *u, bool full)
{
	uint64_t a = lane_addr(w, u, 0);
	const uint8_t *p = a & 3 ? NULL : mem_find(w, u, a, 4, ACC_READ);
	if (!p)
		return false;
	piece x = (piece){0} + word_at(p);
	uint32_t *d = row_u32(w, u->v[0]), m = w->mask;
	UNROLL_8 for (int j = 0; j < LANES; j += PIECE) piece_put(d, j, x, full, m);
	return true;
}
static void ld_same_full(struct warp *w, const struct uop *u)
{
	if (!ld_same(w, u, true))
		ld_1_full(w, u);
}
static void ld_same_part(struct warp *w, const struct uop *u)
{
	if (!ld_same(w, u, false))
		ld_1_part(w, u);
}

/* Bytes and halfwords, one element, destination of one row. */
#define LD_SMALL(name, T)                                                                          \
	static inline uint32_t name##_at(const uint8_t *p)                                         \
	{                                                                                          \
		T x;                                                                               \
		memcpy(&x, p, sizeof x);                                                           \
		return (uint32_t)(int32_t)x;                                                       \
	}                                                                                          \
	ALWAYS_INLINE vec4 name##4_at(const uint8_t *host, const uint32_t *off)                    \
	{                                                                                          \
		return (vec4){name##_at(host + off[0]), name##_at(host + off[1]),                  \
			      name##_at(host + off[2]), name##_at(host + off[3])};                 \
	}                                                                                          \
	ALWAYS_INLINE vec4 name##_run4(const uint8_t *host, const uint32_t *off)                   \
	{                                                                                          \
		const uint8_t *p = host + off[0];                                                  \
		return (vec4){name##_at(p), name##_at(p + sizeof(T)),                              \
			      name##_at(p + 2 * sizeof(T)), name##_at(p + 3 * sizeof(T))};         \
	}                                                                                          \
	ALWAYS_INLINE bool name##_few(struct warp *w, const struct uop *u)                         \
	{                                                                                          \
		unsigned lane[FEW];                                                                \
		uint8_t *at[FEW];                                                                  \
		uint32_t *d = row_u32(w, u->v[0]);                                                 \
		if (!few_locate(w, u, w->mask, sizeof(T), ACC_READ, lane, at))                     \
			return false;                                                              \
		EACH_FEW                                                                           \
		d[lane[k]] = name##_at(at[k]);                                                     \
		return true;                                                                       \
	}                                                                                          \
	ALWAYS_INLINE bool name##_at_once(struct warp *w, const struct uop *u, bool full)          \
	{                                                                                          \
		uint32_t m = full ? ~0u : w->mask, off[LANES], r[LANES];                           \
		int f = full ? 0 : __builtin_ctz(m),                                               \
		    last = full ? LANES - 1 : 31 - __builtin_clz(m);                               \
		uint8_t *p, *host;                                                                 \
		T t[LANES] = {0};                                                                  \
		struct reach q;                                                                    \
		const uint32_t *at;                                                                \
		if (!full && (at = spread_locate(w, u, m, sizeof(T), ACC_READ, &q, off))) {        \
			ROW_OF(row_u32(w, u->v[0]), name##4_at, (uint8_t *)q.add, at, false, m);   \
			return true;                                                               \
		}                                                                                  \
		switch (full ? quads_locate(w, u, sizeof(T), ACC_READ, &q) : QUADS_OUTSIDE) {      \
		case QUADS_RUN:                                                                    \
			ROW_OF(row_u32(w, u->v[0]), name##_run4, (uint8_t *)q.add,                 \
			       row_u32(w, u->a), true, 0);                                         \
			return true;                                                               \
		case QUADS_SCATTERED:                                                              \
		case QUADS_SAME:                                                                   \
			ROW_OF(row_u32(w, u->v[0]), name##4_at, (uint8_t *)q.add,                  \
			       row_u32(w, u->a), true, 0);                                         \
			return true;                                                               \
		}                                                                                  \
		switch (lanes_locate(w, u, m, f, sizeof(T), ACC_READ, off, &p, &host)) {           \
		case LANES_CONTIGUOUS: memcpy(t + f, p, (size_t)(last - f + 1) * sizeof(T));       \
			break;                                                                     \
		case LANES_UNIFORM:                                                                \
			memcpy(t, p, sizeof(T));                                                   \
			for (int i = 1; i < LANES; i++)                                            \
				t[i] = t[0];                                                       \
			break;                                                                     \
		case LANES_SCATTERED:                                                              \
			ROW_OF(row_u32(w, u->v[0]), name##4_at, host, off, full, m);               \
			return true;                                                               \
		default:                                                                           \
			if (locals_locate(w, u, m, f, sizeof(T), off) == LANES_OUTSIDE)            \
				return false;                                                      \
			for (unsigned i = 0; i < LANES; i++)                                       \
				memcpy(t + i, local_byte(w, off[u->a == SINK ? f : (int)i], i),    \
				       sizeof(T));                                                 \
		}                                                                                  \
		for (int i = 0; i < LANES; i++)                                                    \
			r[i] = (uint32_t)(int32_t)t[i];                                            \
		put_row(w, u->v[0], r, full);                                                      \
		return true;                                                                       \
	}                                                                                          \
	ALWAYS_INLINE void name(struct warp *w, const struct uop *u, bool full)                    \
	{                                                                                          \
		if (name##_at_once(w, u, full))                                                    \
			return;                                                                    \
		w->mask = full ? ~0u : w->mask;                                                    \
		ld_lanes(w, u);                                                                    \
	}                                                                                          \
	static void name##_full(struct warp *w, const struct uop *u) { name(w, u, true); }         \
	static NOINLINE void name##_many(struct warp *w, const struct uop *u)                      \
	{                                                                                          \
		name(w, u, false);                                                                 \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		if (!name##_few(w, u))                                                             \
			name##_many(w, u);                                                         \
	}
LD_SMALL(ld_u8, uint8_t)
LD_SMALL(ld_s8, int8_t)
LD_SMALL(ld_u16, uint16_t)
LD_SMALL(ld_s16, int16_t)

/* An element of at most a word into a register of two: the upper word follows from the lower. */
ALWAYS_INLINE void put_upper(struct warp *w, const struct uop *u, bool sign, bool full)
{
	uint32_t *lo = row_u32(w, u->v[0]), m = w->mask;
	for (int j = 0; j < LANES && !w->stop; j += PIECE) {
		piece negative = 0 - (*(const piece_at *)(lo + j) >> 31);
		piece_put(lo + LANES, j, sign ? negative : (piece){0}, full, m);
	}
}
#define LD_UPPER(name, of, sign)                                                                   \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		of##_full(w, u);                                                                   \
		put_upper(w, u, sign, true);                                                       \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		of##_part(w, u);                                                                   \
		put_upper(w, u, sign, false);                                                      \
	}
LD_UPPER(ld_u8_upper, ld_u8, false)
LD_UPPER(ld_s8_upper, ld_s8, true)
LD_UPPER(ld_u16_upper, ld_u16, false)
LD_UPPER(ld_s16_upper, ld_s16, true)
LD_UPPER(ld_u32_upper, ld_1, false)
LD_UPPER(ld_s32_upper, ld_1, true)

/* Vectors of bytes and halfwords, 2, 4 or 8 bytes together (uchar4, short2): the words they are in, each in the row of
 * its first element; then that row is taken apart. */
ALWAYS_INLINE void ld_packed(struct warp *w, const struct uop *u, bool full)
{
	const struct inst *in = u->in;
	unsigned bits = 8 * type_bytes(in->type), n = in->nd, bytes = n * bits / 8,
		 each = bytes == 8 ? n / 2 : n;
	int32_t first[2] = {u->v[0], u->v[each % n]};
	bool sign = type_is_signed(in->type);
	struct uop t = *u;
	t.v = first;
	if (!(bytes == 2   ? ld_u16_at_once(w, &t, full)
	      : bytes == 4 ? ld_words_at_once(w, &t, 1, false, full)
			   : ld_words_at_once(w, &t, 2, false, full))) {
		w->mask = full ? ~0u : w->mask;
		ld_lanes(w, u);
		return;
	}
	for (unsigned k = n; k-- > 0;) { /* the first one's row last: it has the word */
		const uint32_t *s = row_u32(w, u->v[k / each * each]);
		uint32_t r[LANES], at = k % each * bits;
		for (int i = 0; i < LANES; i++) {
			uint32_t x = s[i] << (32 - bits - at);
			r[i] = sign ? (uint32_t)((int32_t)x >> (32 - bits)) : x >> (32 - bits);
		}
		put_row(w, u->v[k], r, full);
	}
}
static void ld_packed_full(struct warp *w, const struct uop *u) { ld_packed(w, u, true); }
static void ld_packed_part(struct warp *w, const struct uop *u) { ld_packed(w, u, false); }

/* Words that are rows already: parameters (base 1) and the local frame (base 2). */
static inline void ld_rows(struct warp *w, const struct uop *u, bool full)
{
	bool wide = type_bytes(u->in->type) == 8;
	unsigned nw = u->in->nd * (wide ? 2 : 1);
	uint32_t t[8][LANES];
	for (unsigned k = 0; k < nw; k++)
		memcpy(t[k], row_u32(w, u->a + (int32_t)k * ROW), ROW);
	for (unsigned k = 0; k < nw; k++)
		put_row(w, word_row(u, k, wide), t[k], full);
}
static void ld_rows_full(struct warp *w, const struct uop *u) { ld_rows(w, u, true); }
static void ld_rows_part(struct warp *w, const struct uop *u) { ld_rows(w, u, false); }

static void ld_local(struct warp *w, const struct uop *u, bool full)
{
	if (!ld_local_words(w, u, u->in->nd * type_bytes(u->in->type) / 4,
			    type_bytes(u->in->type) == 8, full)) {
		w->mask = full ? ~0u : w->mask;
		ld_lanes(w, u);
	}
}
static void ld_local_full(struct warp *w, const struct uop *u) { ld_local(w, u, true); }
static void ld_local_part(struct warp *w, const struct uop *u) { ld_local(w, u, false); }

static void ld_row1_full(struct warp *w, const struct uop *u)
{
	memcpy(row_u32(w, u->d), row_u32(w, u->a), ROW);
}
static void ld_row1_part(struct warp *w, const struct uop *u)
{
	uint32_t t[LANES];
	memcpy(t, row_u32(w, u->a), ROW);
	row_blend(row_u32(w, u->d), t, w->mask);
}

/* A 64-bit parameter, nearly always a pointer. */
static void ld_row2_full(struct warp *w, const struct uop *u)
{
	memmove(row_u32(w, u->d), row_u32(w, u->a), 2 * ROW);
}

bool bind_ld_rows(const struct inst *in, struct uop *u)
{
	if (in->nd == 1 && type_bytes(in->type) <= 4)
		return bind_pair(u, FN(ld_row1));
	bind_pair(u, FN(ld_rows));
	if (in->nd == 1)
		u->full = ld_row2_full;
	return true;
}

static bool exact_width(const struct inst *in, unsigned rows)
{
	for (unsigned k = 0; k < in->nd; k++)
		if (in->opnd[k].kind == OPND_SINK || type_rows(in->opnd[k].type) != rows)
			return false;
	return true;
}

static bool all_different(const int32_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			if (v[i] == v[k])
				return false;
	return true;
}

bool bind_ld(const struct inst *in, struct uop *u)
{
	unsigned es = type_bytes(in->type);
	u->flags |= UOP_FAULTS;
	u->full = ld_lanes_full;
	u->part = ld_lanes;
	if ((u->aux & AUX_SPACE) == SP_LOCAL)
		if ((es == 4 && exact_width(in, 1)) || (es == 8 && exact_width(in, 2)))
			return bind_pair(u, FN(ld_local));
	if (es == 4 && in->nd == 1 && exact_width(in, 1) && u->a == SINK)
		return bind_pair(u, FN(ld_same));
	if (es == 4 && exact_width(in, 1) &&
	    (in->nd == 1 || in->nd == 2 || in->nd == 4 || in->nd == 8))
		return bind_pair(u, in->nd == 1   ? FN(ld_1)
				    : in->nd == 2 ? FN(ld_2)
				    : in->nd == 4 ? FN(ld_4)
						  : FN(ld_8));
	if (es == 8 && exact_width(in, 2) && (in->nd == 1 || in->nd == 2 || in->nd == 4))
		return bind_pair(u, in->nd == 1 ? FN(ld_w2) : in->nd == 2 ? FN(ld_w4) : FN(ld_w8));
	bool s = type_is_signed(in->type);
	if (es <= 4 && in->nd == 1 && exact_width(in, 2))
		return bind_pair(u, es == 1   ? (s ? FN(ld_s8_upper) : FN(ld_u8_upper))
				    : es == 2 ? (s ? FN(ld_s16_upper) : FN(ld_u16_upper))
					      : (s ? FN(ld_s32_upper) : FN(ld_u32_upper)));
	if (es <= 2 && (in->nd == 2 || in->nd == 4) && exact_width(in, 1) &&
	    all_different(u->v, in->nd))
		return bind_pair(u, FN(ld_packed));
	if (es <= 2 && in->nd == 1 && exact_width(in, 1)) {
		return bind_pair(u, es == 1 ? (s ? FN(ld_s8) : FN(ld_u8))
					    : (s ? FN(ld_s16) : FN(ld_u16)));
	}
	return true;
}
