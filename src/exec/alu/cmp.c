/* Comparison: setp and set; bind_cmp also asks select.c.
 *
 * A comparison of two rows gives a word of 32 truth values. setp without a second destination or a
 * combining predicate, nearly all there are, stores that word; the general setp and set take it
 * from a table of word functions. Halves compare by their bits as integers, so the host needs no
 * 16-bit floats. */
#include "exec/alu/float.h"
#include "exec/alu/select.h"
#include "exec/alu/int_type.h"

typedef uint32_t word_fn(const struct warp *w, const struct uop *u);

struct comparison {
	struct fnpair setp; /* the plain setp */
	word_fn *word;
};

/* LANE makes a and b (and for halves `un`, a NaN is there) from pa[i], pb[i], qa[i], qb[i]. */
#define OP_COMPARE(name, LANE, COND)                                                               \
	static inline __attribute__((always_inline))                                               \
	uint32_t name##_body(const struct warp *w, const struct uop *u)                            \
	{                                                                                          \
		PAIR_ROWS(a)                                                                       \
		PAIR_ROWS(b)                                                                       \
		uint32_t m = 0;                                                                    \
		(void)qa;                                                                          \
		(void)qb;                                                                          \
		LANE_LOOP {                                                                        \
			LANE;                                                                      \
			m += (COND) ? lane_bit[i] : 0;                                             \
		}                                                                                  \
		return m;                                                                          \
	}                                                                                          \
	static __attribute__((noinline))                                                           \
	uint32_t name##_word(const struct warp *w, const struct uop *u)                            \
	{                                                                                          \
		return name##_body(w, u);                                                          \
	}                                                                                          \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->pred[u->d] = name##_body(w, u);                                                 \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		pred_write(w, u->d, name##_word(w, u), w->mask);                                   \
	}
#define ENTRY(name)                                                                                \
	{                                                                                          \
		FN(name), name##_word                                                              \
	}

/* ---- integers ---- */
#define COMPARE_INT(t, LANE)                                                                       \
	OP_COMPARE(t##_eq, LANE, a == b)                                                           \
	OP_COMPARE(t##_ne, LANE, a != b)                                                           \
	OP_COMPARE(t##_lt, LANE, a < b)                                                            \
	OP_COMPARE(t##_le, LANE, a <= b)                                                           \
	OP_COMPARE(t##_gt, LANE, a > b)                                                            \
	OP_COMPARE(t##_ge, LANE, a >= b)
#define ENTRIES_INT(t)                                                                             \
	[CMP_EQ] = ENTRY(t##_eq), [CMP_NE] = ENTRY(t##_ne), [CMP_LT] = ENTRY(t##_lt),              \
	[CMP_LE] = ENTRY(t##_le), [CMP_GT] = ENTRY(t##_gt), [CMP_GE] = ENTRY(t##_ge)

COMPARE_INT(u16, uint32_t a = U16(pa[i]); uint32_t b = U16(pb[i]))
COMPARE_INT(s16, int32_t a = S16(pa[i]); int32_t b = S16(pb[i]))
COMPARE_INT(u32, uint32_t a = pa[i]; uint32_t b = pb[i])
COMPARE_INT(s32, int32_t a = (int32_t)pa[i]; int32_t b = (int32_t)pb[i])

/* 64 bits by halves: T gives the upper half its sign. */
#define LESS64(T, x, y) (((T)x##h < (T)y##h) | ((x##h == y##h) & (x##l < y##l)))
#define COMPARE_64(t, T)                                                                           \
	OP_COMPARE(t##_eq, PAIR(a); PAIR(b), ((al ^ bl) | (ah ^ bh)) == 0)                         \
	OP_COMPARE(t##_ne, PAIR(a); PAIR(b), ((al ^ bl) | (ah ^ bh)) != 0)                         \
	OP_COMPARE(t##_lt, PAIR(a); PAIR(b), LESS64(T, a, b))                                      \
	OP_COMPARE(t##_le, PAIR(a); PAIR(b), !LESS64(T, b, a))                                     \
	OP_COMPARE(t##_gt, PAIR(a); PAIR(b), LESS64(T, b, a))                                      \
	OP_COMPARE(t##_ge, PAIR(a); PAIR(b), !LESS64(T, a, b))
COMPARE_64(u64, uint32_t)
COMPARE_64(s64, int32_t)

/* ---- f32, f64: the host's comparisons; the unordered forms are negations ---- */
#define COMPARE_FLOAT(t, LANE)                                                                     \
	OP_COMPARE(t##_eq, LANE, a == b)                                                           \
	OP_COMPARE(t##_ne, LANE, (a < b) | (a > b))                                                \
	OP_COMPARE(t##_lt, LANE, a < b)                                                            \
	OP_COMPARE(t##_le, LANE, a <= b)                                                           \
	OP_COMPARE(t##_gt, LANE, a > b)                                                            \
	OP_COMPARE(t##_ge, LANE, a >= b)                                                           \
	OP_COMPARE(t##_equ, LANE, !((a < b) | (a > b)))                                            \
	OP_COMPARE(t##_neu, LANE, !(a == b))                                                       \
	OP_COMPARE(t##_ltu, LANE, !(a >= b))                                                       \
	OP_COMPARE(t##_leu, LANE, !(a > b))                                                        \
	OP_COMPARE(t##_gtu, LANE, !(a <= b))                                                       \
	OP_COMPARE(t##_geu, LANE, !(a < b))                                                        \
	OP_COMPARE(t##_num, LANE, (a == a) & (b == b))                                             \
	OP_COMPARE(t##_nan, LANE, (a != a) | (b != b))
#define ENTRIES_FLOAT(t)                                                                           \
	ENTRIES_INT(t), [CMP_EQU] = ENTRY(t##_equ), [CMP_NEU] = ENTRY(t##_neu),                    \
			[CMP_LTU] = ENTRY(t##_ltu), [CMP_LEU] = ENTRY(t##_leu),                    \
			[CMP_GTU] = ENTRY(t##_gtu), [CMP_GEU] = ENTRY(t##_geu),                    \
			[CMP_NUM] = ENTRY(t##_num), [CMP_NAN] = ENTRY(t##_nan)

COMPARE_FLOAT(f32, float a = as_f32(pa[i]); float b = as_f32(pb[i]))
COMPARE_FLOAT(f32z, float a = as_f32(f32_flush(pa[i])); float b = as_f32(f32_flush(pb[i])))
COMPARE_FLOAT(f64, double a = as_f64(pair_get(pa, i)); double b = as_f64(pair_get(pb, i)))

/* ---- halves ----
 * Sign and magnitude to a number that orders as the value does; both zeros become 0. */
static inline int32_t half_key(uint32_t x, uint32_t flush_below)
{
	int32_t mag = (int32_t)(x & 0x7fff);
	mag = (uint32_t)mag < flush_below ? 0 : mag;
	return x & 0x8000 ? -mag : mag;
}
#define COMPARE_HALF(t, LANE)                                                                      \
	OP_COMPARE(t##_eq, LANE, !un & (a == b))                                                   \
	OP_COMPARE(t##_ne, LANE, !un & (a != b))                                                   \
	OP_COMPARE(t##_lt, LANE, !un & (a < b))                                                    \
	OP_COMPARE(t##_le, LANE, !un & (a <= b))                                                   \
	OP_COMPARE(t##_gt, LANE, !un & (a > b))                                                    \
	OP_COMPARE(t##_ge, LANE, !un & (a >= b))                                                   \
	OP_COMPARE(t##_equ, LANE, un | (a == b))                                                   \
	OP_COMPARE(t##_neu, LANE, un | (a != b))                                                   \
	OP_COMPARE(t##_ltu, LANE, un | (a < b))                                                    \
	OP_COMPARE(t##_leu, LANE, un | (a <= b))                                                   \
	OP_COMPARE(t##_gtu, LANE, un | (a > b))                                                    \
	OP_COMPARE(t##_geu, LANE, un | (a >= b))                                                   \
	OP_COMPARE(t##_num, LANE; (void)a; (void)b, !un)                                           \
	OP_COMPARE(t##_nan, LANE; (void)a; (void)b, un)
#define HALF_LANE(shift, inf, flush)                                                               \
	uint32_t x = pa[i] >> (shift);                                                             \
	uint32_t y = pb[i] >> (shift);                                                             \
	bool un = ((x & 0x7fff) > (inf)) | ((y & 0x7fff) > (inf));                                 \
	int32_t a = half_key(x, flush);                                                            \
	int32_t b = half_key(y, flush)
#define F16_MIN_NORMAL 0x400
COMPARE_HALF(f16, HALF_LANE(0, F16_INF, 0))
COMPARE_HALF(f16_hi, HALF_LANE(16, F16_INF, 0))
COMPARE_HALF(f16z, HALF_LANE(0, F16_INF, F16_MIN_NORMAL))
COMPARE_HALF(f16z_hi, HALF_LANE(16, F16_INF, F16_MIN_NORMAL))
COMPARE_HALF(bf16, HALF_LANE(0, BF16_INF, 0))
COMPARE_HALF(bf16_hi, HALF_LANE(16, BF16_INF, 0))

/* ---- the table ---- */
enum kind {
	K_U16,
	K_S16,
	K_U32,
	K_S32,
	K_U64,
	K_S64,
	K_F32,
	K_F32Z,
	K_F64,
	K_F16,
	K_F16_HI,
	K_F16Z,
	K_F16Z_HI,
	K_BF16,
	K_BF16_HI, /* lower half, upper half */
	K_COUNT
};

static const struct comparison compare[K_COUNT][CMP_NAN + 1] = {
	[K_U16] = {ENTRIES_INT(u16)},           [K_S16] = {ENTRIES_INT(s16)},
	[K_U32] = {ENTRIES_INT(u32)},           [K_S32] = {ENTRIES_INT(s32)},
	[K_U64] = {ENTRIES_INT(u64)},           [K_S64] = {ENTRIES_INT(s64)},
	[K_F32] = {ENTRIES_FLOAT(f32)},         [K_F32Z] = {ENTRIES_FLOAT(f32z)},
	[K_F64] = {ENTRIES_FLOAT(f64)},         [K_F16] = {ENTRIES_FLOAT(f16)},
	[K_F16_HI] = {ENTRIES_FLOAT(f16_hi)},   [K_F16Z] = {ENTRIES_FLOAT(f16z)},
	[K_F16Z_HI] = {ENTRIES_FLOAT(f16z_hi)}, [K_BF16] = {ENTRIES_FLOAT(bf16)},
	[K_BF16_HI] = {ENTRIES_FLOAT(bf16_hi)},
};

static bool is_x2(unsigned type) { return type == T_F16X2 || type == T_BF16X2; }

static enum kind kind_of(const struct inst *in)
{
	bool ftz = in->mods & M_FTZ;
	switch (in->stype) {
	case T_F32: return ftz ? K_F32Z : K_F32;
	case T_F64: return K_F64;
	case T_F16:
	case T_F16X2: return ftz ? K_F16Z : K_F16;
	case T_BF16:
	case T_BF16X2: return K_BF16;
	}
	enum int_type s = int_type_of(in->stype);
	return s <= IT_S64 ? (enum kind)(K_U16 + (int)s) : K_COUNT;
}

/* lo, ls, hi, hs are the unsigned names of the orders. */
static unsigned cmp_of(const struct inst *in)
{
	switch (in->cmp) {
	case CMP_LO: return CMP_LT;
	case CMP_LS: return CMP_LE;
	case CMP_HI: return CMP_GT;
	case CMP_HS: return CMP_GE;
	}
	return in->cmp;
}

/* ---- setp, set: u->imm is kind << 8 | cmp, for set the value of true in the upper word ---- */
static inline uint32_t word_of(const struct warp *w, const struct uop *u, unsigned half)
{
	return compare[(u->imm >> 8 & 0xff) + half][u->imm & 0xff].word(w, u);
}

/* With the combining predicate, if there is one. */
static inline uint32_t combine(const struct warp *w, const struct uop *u, uint32_t t)
{
	unsigned bop = u->in->bop;
	if (bop == BOP_NONE)
		return t;
	uint32_t c = pred_read(w, u, u->c, 2);
	return bop == BOP_AND ? t & c : bop == BOP_OR ? t | c : t ^ c;
}

/* p|q: q has the complement, or for pairs of halves the upper halves' result. */
static inline void setp_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t p = word_of(w, u, 0);
	uint32_t q = is_x2(u->in->stype) ? word_of(w, u, 1) : ~p;
	p = combine(w, u, p);
	q = combine(w, u, q);
	pred_write(w, u->d, p, mask);
	if (u->in->nd > 1)
		pred_write(w, u->v[1], q, mask);
}
OP_RUN(setp)

static inline void set_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t t[LANES], yes = (uint32_t)(u->imm >> 32);
	uint32_t p = combine(w, u, word_of(w, u, 0)), q = p;
	if (is_x2(u->in->stype))
		q = combine(w, u, word_of(w, u, 1));
	LANE_LOOP
		t[i] = lane_pick(p & lane_bit[i], yes & 0xffff, 0) |
		       lane_pick(q & lane_bit[i], yes & 0xffff0000, 0);
	row_blend(row_u32(w, u->d), t, mask);
}
OP_RUN(set)

static uint32_t true_of(unsigned type)
{
	switch (type) {
	case T_F32: return 0x3f800000;
	case T_F16: return 0x3c00;
	case T_BF16: return 0x3f80;
	case T_F16X2: return 0x3c003c00;
	case T_BF16X2: return 0x3f803f80;
	}
	return ~0u;
}

static bool bind_compare(const struct inst *in, struct uop *u)
{
	enum kind k = kind_of(in);
	unsigned c = cmp_of(in);
	if (k == K_COUNT || c > CMP_NAN || !compare[k][c].word)
		return false;
	if (in->op == OP_SETP && in->nd == 1 && in->bop == BOP_NONE && u->d != SINK)
		return bind_pair(u, compare[k][c].setp);
	bind_preds(in, u);
	u->imm = (uint64_t)k << 8 | c;
	if (in->op == OP_SETP)
		return bind_pair(u, FN(setp));
	u->imm |= (uint64_t)true_of(in->type) << 32;
	return bind_pair(u, FN(set));
}

bool bind_cmp(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_SETP:
	case OP_SET: return bind_compare(in, u);
	}
	return bind_select(in, u);
}
