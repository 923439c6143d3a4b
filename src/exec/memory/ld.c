/* Loads. Ways tried in turn:
 *   full warps, four lanes alike (quads.h)     one pass of checks, eight vector copies
 *   few lanes, lanes far apart (quads.h)       one by one, or one pass of checks and a gather
 *   consecutive lanes, consecutive addresses   one range check, one (de-interleaving) copy
 *   all lanes one address                      one range check, broadcast; at once if it is constant
 *   anything else                              lane by lane
 * Kernel parameters and function parameters at constant addresses are rows already: they are
 * moves.
 *
 * Frequent forms are compiled separately for each width. Full warps nearly always take the first
 * path, and warps with inactive lanes the second or third, so these are specialised for one, two
 * and four words; the remaining forms (load_rest, load_small_rest) take the width as an
 * argument. */
#include "exec/memory/locals.h"
#include "exec/memory/quads.h"

/* Bit of a memory uop's aux, beside those of access.h: elements have 64 bits, two rows each. */
enum { AUX_PAIRS = 128 };

/* Row operand of word k of the destination vector. */
static inline int32_t word_row(const struct uop *u, unsigned k)
{
	return (u->aux & AUX_PAIRS) ? u->v[k >> 1] + (int32_t)(k & 1) * ROW : u->v[k];
}

/* Copies lanes m of a row; full: all 32 lanes. */
static inline void put_row(struct warp *w, int32_t o, const uint32_t *t, bool full, uint32_t m)
{
	if (full)
		memcpy(row_u32(w, o), t, ROW);
	else
		row_blend(row_u32(w, o), t, m);
}

static uint64_t extend_value(const uint8_t *p, unsigned size, bool sign)
{
	uint64_t x = 0;
	memcpy(&x, p, size);
	unsigned sh = 64 - 8 * size;
	return sign ? (uint64_t)((int64_t)(x << sh) >> sh) : x;
}

/* Performs any load lane by lane: the reference for the fast paths. */
void ld_lanes(struct warp *w, const struct uop *u)
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
				uint64_t x = extend_value(buf + k * es, es, sign);
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

/* Transposes words of lanes m from lane order, as in memory, into rows. */
ALWAYS_INLINE void put_words(struct warp *w, const struct uop *u, const uint32_t *t, unsigned nw,
			     bool full, uint32_t m)
{
	for (unsigned k = 0; k < nw; k++) {
		uint32_t r[LANES];
		for (int i = 0; i < LANES; i++)
			r[i] = t[(unsigned)i * nw + k];
		put_row(w, word_row(u, k), r, full, m);
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

/* Four lanes that read consecutive words. */
ALWAYS_INLINE vec4 run4_at(const uint8_t *host, const uint32_t *off)
{
	return *(const vec4_at *)(host + off[0]);
}
/* Four lanes that read one word. */
ALWAYS_INLINE vec4 same4_at(const uint8_t *host, const uint32_t *off)
{
	return (vec4){0} + word_at(host + off[0]);
}

/* One word per lane, scattered. If every four lanes read consecutive words, or one word, as where
 * tiles are read in short runs, eight vector loads do. */
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

/* One word per lane of a full warp, by quads. False: some lane is outside the window. */
ALWAYS_INLINE bool load_quads(struct warp *w, const struct uop *u)
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

/* Two words per lane, scattered, into rows d and e. A piece's offsets are read before it is written. */
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

/* nw words per lane of a full warp, two or four, by quads. False: some lane is outside the window. */
ALWAYS_INLINE bool load_quads_wide(struct warp *w, const struct uop *u, unsigned nw)
{
	const uint32_t *lo = row_u32(w, u->a);
	struct reach q;
	uint32_t t[LANES * 4];
	int shape = quads_locate(w, u, nw * 4, ACC_READ, &q);
	if (shape == QUADS_OUTSIDE)
		return false;
	if (shape != QUADS_RUN && nw == 2) {
		gather_pairs(row_u32(w, word_row(u, 0)), row_u32(w, word_row(u, 1)),
			     (uint8_t *)q.add, lo, true, 0);
		return true;
	}
	if (shape == QUADS_RUN)
		for (unsigned j = 0; j < LANES; j += 4)
			memcpy(t + j * nw, quads_at(&q, lo[j]), 16 * nw);
	else
		UNROLL_8 for (unsigned i = 0; i < LANES; i++)
			memcpy(t + i * nw, quads_at(&q, lo[i]), 4 * nw);
	put_words(w, u, t, nw, true, ~0u);
	return true;
}

/* Loads words of local memory for lanes m. False: some lane's words are in other memory. */
static NOINLINE bool load_local(struct warp *w, const struct uop *u, unsigned nw, uint32_t m)
{
	uint32_t off[LANES], t[8][LANES];
	int f = __builtin_ctz(m);
	switch (locals_locate(w, u, m, f, nw * 4, off)) {
	case LANES_OUTSIDE: return false;
	case LANES_UNIFORM: memcpy(t, local_word(w, off[f], 0), nw * ROW); break;
	default:
		for (unsigned k = 0; k < nw; k++)
			for (unsigned i = 0; i < LANES; i++)
				t[k][i] = *local_word(w, off[i] + 4 * k, i);
	}
	for (unsigned k = 0; k < nw; k++)
		put_row(w, word_row(u, k), t[k], m == ~0u, m);
	return true;
}

/* Loads one or two words for a few lanes. False: there are more lanes, or some lane is outside the
 * window. */
ALWAYS_INLINE bool load_few(struct warp *w, const struct uop *u, unsigned nw)
{
	unsigned lane[FEW];
	uint8_t *at[FEW];
	if (!few_locate(w, u, w->mask, nw * 4, ACC_READ, lane, at))
		return false;
	for (unsigned r = 0; r < nw; r++) {
		uint32_t *d = row_u32(w, word_row(u, r));
		EACH_FEW
		d[lane[k]] = word_at(at[k] + 4 * r);
	}
	return true;
}

/* Loads nw words per lane for lanes m, by the fast paths of access.h. False: the caller must load
 * lane by lane. */
ALWAYS_INLINE bool load_located(struct warp *w, const struct uop *u, unsigned nw, uint32_t m)
{
	uint32_t off[LANES], t[LANES * 8];
	int f = __builtin_ctz(m), last = 31 - __builtin_clz(m);
	uint8_t *p, *host;
	switch (lanes_locate(w, u, m, f, nw * 4, ACC_READ, off, &p, &host)) {
	case LANES_CONTIGUOUS:
		memcpy(t + (unsigned)f * nw, p, (size_t)(last - f + 1) * nw * 4);
		break;
	case LANES_UNIFORM:
		for (unsigned i = 0; i < LANES * nw; i += nw)
			memcpy(t + i, p, nw * 4);
		break;
	case LANES_SCATTERED:
		if (__builtin_constant_p(nw) && nw == 1) {
			gather_words(row_u32(w, u->v[0]), host, off, false, m);
			return true;
		}
		if (__builtin_constant_p(nw) && nw == 2) {
			gather_pairs(row_u32(w, word_row(u, 0)), row_u32(w, word_row(u, 1)), host,
				     off, false, m);
			return true;
		}
		UNROLL_8 for (unsigned i = 0; i < LANES; i++)
			memcpy(t + i * nw, host + off[i], nw * 4);
		break;
	default: return load_local(w, u, nw, m);
	}
	put_words(w, u, t, nw, false, m);
	return true;
}

/* Loads of any width that quads did not serve. */
static NOCLONE bool load_rest(struct warp *w, const struct uop *u, unsigned nw, uint32_t m)
{
	return load_located(w, u, nw, m);
}

/* One or two words of a warp with some lanes inactive and many active. */
ALWAYS_INLINE bool load_many(struct warp *w, const struct uop *u, unsigned nw)
{
	uint32_t m = w->mask, off[LANES];
	struct reach q;
	const uint32_t *at = spread_locate(w, u, m, nw * 4, ACC_READ, &q, off);
	if (!at)
		return load_located(w, u, nw, m);
	const uint8_t *host = (uint8_t *)q.add;
	if (nw == 1)
		ROW_OF(row_u32(w, u->v[0]), word4_at, host, at, false, m);
	else
		gather_pairs(row_u32(w, word_row(u, 0)), row_u32(w, word_row(u, 1)), host, at,
			     false, m);
	return true;
}
static NOINLINE bool load_many_1(struct warp *w, const struct uop *u) { return load_many(w, u, 1); }
static NOINLINE bool load_many_2(struct warp *w, const struct uop *u) { return load_many(w, u, 2); }

static void ld_1_full(struct warp *w, const struct uop *u)
{
	if (!load_quads(w, u) && !load_rest(w, u, 1, ~0u))
		ld_lanes_full(w, u);
}
static void ld_1_part(struct warp *w, const struct uop *u)
{
	if (!load_few(w, u, 1) && !load_many_1(w, u))
		ld_lanes(w, u);
}
static void ld_2_full(struct warp *w, const struct uop *u)
{
	if (!load_quads_wide(w, u, 2) && !load_rest(w, u, 2, ~0u))
		ld_lanes_full(w, u);
}
static void ld_2_part(struct warp *w, const struct uop *u)
{
	if (!load_few(w, u, 2) && !load_many_2(w, u))
		ld_lanes(w, u);
}
static void ld_4_full(struct warp *w, const struct uop *u)
{
	if (!load_quads_wide(w, u, 4) && !load_rest(w, u, 4, ~0u))
		ld_lanes_full(w, u);
}
static void ld_4_part(struct warp *w, const struct uop *u)
{
	if (!load_rest(w, u, 4, w->mask))
		ld_lanes(w, u);
}
static void ld_8_full(struct warp *w, const struct uop *u)
{
	if (!load_rest(w, u, 8, ~0u))
		ld_lanes_full(w, u);
}
static void ld_8_part(struct warp *w, const struct uop *u)
{
	if (!load_rest(w, u, 8, w->mask))
		ld_lanes(w, u);
}

/* A word at a constant address: mostly parameters and counters in shared memory of native code. */
ALWAYS_INLINE bool load_same(struct warp *w, const struct uop *u, bool full)
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
	if (!load_same(w, u, true))
		ld_1_full(w, u);
}
static void ld_same_part(struct warp *w, const struct uop *u)
{
	if (!load_same(w, u, false))
		ld_1_part(w, u);
}

/* Bytes and halfwords, one element per lane, zero-extended into one row. True: all lanes have theirs.
 * few: some lanes, at most FEW; many: any number with lanes off. */
#define LOAD_SMALL(name, T)                                                                        \
	static inline uint32_t name##_at(const uint8_t *p)                                         \
	{                                                                                          \
		T x;                                                                               \
		memcpy(&x, p, sizeof x);                                                           \
		return x;                                                                          \
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
	static bool name##_few(struct warp *w, const struct uop *u)                                \
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
	static NOINLINE bool name##_many(struct warp *w, const struct uop *u)                      \
	{                                                                                          \
		uint32_t off[LANES];                                                               \
		struct reach q;                                                                    \
		const uint32_t *at = spread_locate(w, u, w->mask, sizeof(T), ACC_READ, &q, off);   \
		if (at)                                                                            \
			ROW_OF(row_u32(w, u->v[0]), name##4_at, (uint8_t *)q.add, at, false,       \
			       w->mask);                                                           \
		return at;                                                                         \
	}                                                                                          \
	static bool name##_quads(struct warp *w, const struct uop *u)                              \
	{                                                                                          \
		uint32_t *d = row_u32(w, u->v[0]), *lo = row_u32(w, u->a);                         \
		struct reach q;                                                                    \
		switch (quads_locate(w, u, sizeof(T), ACC_READ, &q)) {                             \
		case QUADS_RUN: ROW_OF(d, name##_run4, (uint8_t *)q.add, lo, true, 0);             \
			return true;                                                               \
		case QUADS_SCATTERED:                                                              \
		case QUADS_SAME: ROW_OF(d, name##4_at, (uint8_t *)q.add, lo, true, 0);             \
			return true;                                                               \
		default: return false;                                                             \
		}                                                                                  \
	}
LOAD_SMALL(byte, uint8_t)
LOAD_SMALL(halfword, uint16_t)

/* Loads es bytes per lane for lanes m that the fast paths did not serve. */
static NOCLONE bool load_small_rest(struct warp *w, const struct uop *u, unsigned es, uint32_t m)
{
	uint32_t off[LANES], r[LANES];
	int f = __builtin_ctz(m), last = 31 - __builtin_clz(m);
	uint8_t *p, *host, t[2 * LANES];
	switch (lanes_locate(w, u, m, f, es, ACC_READ, off, &p, &host)) {
	case LANES_CONTIGUOUS: memcpy(t + (unsigned)f * es, p, (size_t)(last - f + 1) * es); break;
	case LANES_UNIFORM:
		for (unsigned i = 0; i < LANES * es; i += es)
			memcpy(t + i, p, es);
		break;
	case LANES_SCATTERED:
		for (unsigned i = 0; i < LANES; i++)
			memcpy(t + i * es, host + off[i], es);
		break;
	default:
		if (locals_locate(w, u, m, f, es, off) == LANES_OUTSIDE)
			return false;
		for (unsigned i = 0; i < LANES; i++)
			memcpy(t + i * es, local_byte(w, off[u->a == SINK ? f : (int)i], i), es);
	}
	for (unsigned i = 0; i < LANES; i++)
		r[i] = es == 1 ? byte_at(t + i) : halfword_at(t + 2 * i);
	put_row(w, u->v[0], r, false, m);
	return true;
}

ALWAYS_INLINE bool load_small(struct warp *w, const struct uop *u, unsigned es, bool full)
{
	if (full      ? es == 1 ? byte_quads(w, u) : halfword_quads(w, u)
		 : es == 1 ? byte_few(w, u) || byte_many(w, u)
		      : halfword_few(w, u) || halfword_many(w, u))
		return true;
	return load_small_rest(w, u, es, full ? ~0u : w->mask);
}

/* Sign-extends the elements of es bytes in a row that has them zero-extended (or sign-extended, by
 * ld_lanes). After a fault the row stays as it was. */
ALWAYS_INLINE void put_sign(struct warp *w, const struct uop *u, unsigned es, bool full)
{
	uint32_t *d = row_u32(w, u->v[0]), m = w->mask, shift = 32 - 8 * es;
	for (int j = 0; j < LANES && !w->stop; j += PIECE) {
		piece x = *(const piece_at *)(d + j) << shift;
		typedef int32_t spiece __attribute__((vector_size(sizeof x)));
		piece_put(d, j, (piece)((spiece)x >> (int)shift), full, m);
	}
}

#define LD_SMALL(u_name, s_name, es)                                                               \
	static void u_name##_full(struct warp *w, const struct uop *u)                             \
	{                                                                                          \
		if (!load_small(w, u, es, true))                                                   \
			ld_lanes_full(w, u);                                                       \
	}                                                                                          \
	static void u_name##_part(struct warp *w, const struct uop *u)                             \
	{                                                                                          \
		if (!load_small(w, u, es, false))                                                  \
			ld_lanes(w, u);                                                            \
	}                                                                                          \
	static void s_name##_full(struct warp *w, const struct uop *u)                             \
	{                                                                                          \
		u_name##_full(w, u);                                                               \
		put_sign(w, u, es, true);                                                          \
	}                                                                                          \
	static void s_name##_part(struct warp *w, const struct uop *u)                             \
	{                                                                                          \
		u_name##_part(w, u);                                                               \
		put_sign(w, u, es, false);                                                         \
	}
LD_SMALL(ld_u8, ld_s8, 1)
LD_SMALL(ld_u16, ld_s16, 2)

/* Loads an element of at most a word into a register of two words: the upper word is the sign or
 * 0. */
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

/* Vectors of bytes and halfwords of 2, 4 or 8 bytes (uchar4, short2). First loads the containing
 * words, each into the row of its first element; then unpacks that row. */
static bool load_packed(struct warp *w, const struct uop *u, unsigned bytes, bool full)
{
	switch (bytes) {
	case 2: return load_small(w, u, 2, full);
	case 4: return full ? load_quads(w, u) || load_rest(w, u, 1, ~0u) : load_many_1(w, u);
	default:
		return full ? load_quads_wide(w, u, 2) || load_rest(w, u, 2, ~0u)
			    : load_many_2(w, u);
	}
}

static void ld_packed(struct warp *w, const struct uop *u, bool full)
{
	const struct inst *in = u->in;
	unsigned bits = 8 * type_bytes(in->type), n = in->nd, bytes = n * bits / 8,
		 each = bytes == 8 ? n / 2 : n;
	int32_t first[2] = {u->v[0], u->v[each % n]};
	bool sign = type_is_signed(in->type);
	struct uop t = *u;
	t.v = first;
	if (!load_packed(w, &t, bytes, full)) {
		w->mask = full ? ~0u : w->mask;
		ld_lanes(w, u);
		return;
	}
	for (unsigned k = n; k-- > 0;) { /* the first row comes last, because it holds the packed
					  * word */
		const uint32_t *s = row_u32(w, u->v[k / each * each]);
		uint32_t r[LANES], at = k % each * bits;
		for (int i = 0; i < LANES; i++) {
			uint32_t x = s[i] << (32 - bits - at);
			r[i] = sign ? (uint32_t)((int32_t)x >> (32 - bits)) : x >> (32 - bits);
		}
		put_row(w, u->v[k], r, full, w->mask);
	}
}
static void ld_packed_full(struct warp *w, const struct uop *u) { ld_packed(w, u, true); }
static void ld_packed_part(struct warp *w, const struct uop *u) { ld_packed(w, u, false); }

/* Words that are rows already: parameters (base 1) and the local frame (base 2). */
static inline void ld_rows(struct warp *w, const struct uop *u, bool full)
{
	unsigned nw = u->in->nd * (u->aux & AUX_PAIRS ? 2 : 1);
	uint32_t t[8][LANES];
	for (unsigned k = 0; k < nw; k++)
		memcpy(t[k], row_u32(w, u->a + (int32_t)k * ROW), ROW);
	for (unsigned k = 0; k < nw; k++)
		put_row(w, word_row(u, k), t[k], full, w->mask);
}
static void ld_rows_full(struct warp *w, const struct uop *u) { ld_rows(w, u, true); }
static void ld_rows_part(struct warp *w, const struct uop *u) { ld_rows(w, u, false); }

static void ld_local(struct warp *w, const struct uop *u, bool full)
{
	if (!load_local(w, u, u->in->nd * type_bytes(u->in->type) / 4, full ? ~0u : w->mask)) {
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
	if (type_bytes(in->type) == 8)
		u->aux |= AUX_PAIRS;
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

static bool bind_small(const struct inst *in, struct uop *u, unsigned es)
{
	bool s = type_is_signed(in->type);
	if (in->nd == 1 && exact_width(in, 2))
		return bind_pair(u, es == 1   ? (s ? FN(ld_s8_upper) : FN(ld_u8_upper))
				    : es == 2 ? (s ? FN(ld_s16_upper) : FN(ld_u16_upper))
					      : (s ? FN(ld_s32_upper) : FN(ld_u32_upper)));
	if (es > 2 || !exact_width(in, 1))
		return true;
	if (in->nd == 1)
		return bind_pair(u, es == 1 ? (s ? FN(ld_s8) : FN(ld_u8))
					    : (s ? FN(ld_s16) : FN(ld_u16)));
	if ((in->nd == 2 || in->nd == 4) && all_different(u->v, in->nd))
		return bind_pair(u, FN(ld_packed));
	return true;
}

bool bind_ld(const struct inst *in, struct uop *u)
{
	unsigned es = type_bytes(in->type), nw = in->nd * es / 4;
	u->flags |= UOP_FAULTS;
	u->full = ld_lanes_full;
	u->part = ld_lanes;
	if (!(es == 4 && exact_width(in, 1)) && !(es == 8 && exact_width(in, 2)))
		return es > 4 || bind_small(in, u, es);
	if (es == 8)
		u->aux |= AUX_PAIRS;
	if ((u->aux & AUX_SPACE) == SP_LOCAL)
		return bind_pair(u, FN(ld_local));
	if (nw == 1 && u->a == SINK)
		return bind_pair(u, FN(ld_same));
	switch (nw) {
	case 1: return bind_pair(u, FN(ld_1));
	case 2: return bind_pair(u, FN(ld_2));
	case 4: return bind_pair(u, FN(ld_4));
	case 8: return bind_pair(u, FN(ld_8));
	default: return true;
	}
}
