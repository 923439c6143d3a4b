/* Comparison: setp and set; bind_cmp also asks select.c.
 *
 * A comparison of two rows gives a word of 32 truth values, one bit per lane. The plain setp, with
 * one destination and no combining predicate, stores that word; nearly all instructions have that
 * form. The general setp and set find the word's function in a table.
 *
 * Comparisons that differ only in a negation share one computation: `not less` is the complement of
 * `less`, and an unordered form (true if an operand is NaN) is the complement of the opposite
 * ordered one. Halves are compared by their bits as integers, so the host needs no 16-bit floats;
 * all 14 comparisons of two halves follow from three words. */
#include "exec/alu/float.h"
#include "exec/alu/select.h"
#include "exec/alu/int_type.h"

typedef uint32_t word_fn(const struct warp *w, const struct uop *u);

struct comparison {
	struct fnpair setp; /* the plain setp */
	word_fn *word;
};

/* NAME_word: LANE makes a and b from pa[i], pb[i], qa[i], qb[i]; COND compares them. */
#define COMPARE_WORD(name, LANE, COND)                                                             \
	__attribute__((unused))                                                                    \
	ALWAYS_INLINE uint32_t name##_body(const struct warp *w, const struct uop *u)              \
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
	static NOINLINE uint32_t name##_word(const struct warp *w, const struct uop *u)            \
	{                                                                                          \
		return name##_body(w, u);                                                          \
	}
/* COMPARE_NOT: NAME is the complement of OF. COMPARE_SAME: NAME is an alias of OF. */
#define COMPARE_NOT(name, of)                                                                      \
	__attribute__((unused))                                                                    \
	ALWAYS_INLINE uint32_t name##_body(const struct warp *w, const struct uop *u)              \
	{                                                                                          \
		return ~of##_body(w, u);                                                           \
	}                                                                                          \
	static uint32_t name##_word(const struct warp *w, const struct uop *u)                     \
	{                                                                                          \
		return ~of##_word(w, u);                                                           \
	}
#define COMPARE_SAME(name, of)                                                                     \
	__attribute__((unused))                                                                    \
	ALWAYS_INLINE uint32_t name##_body(const struct warp *w, const struct uop *u)              \
	{                                                                                          \
		return of##_body(w, u);                                                            \
	}                                                                                          \
	static uint32_t name##_word(const struct warp *w, const struct uop *u)                     \
	{                                                                                          \
		return of##_word(w, u);                                                            \
	}

/* The plain setp of NAME. HOW is body for frequent comparisons, whose loop becomes part of the
 * function (full warps), or word where a call costs little in comparison. */
#define PLAIN_SETP(name, HOW)                                                                      \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->pred[u->d] = name##_##HOW(w, u);                                                \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		pred_write(w, u->d, name##_word(w, u), w->mask);                                   \
	}
#define ENTRY(name)                                                                                \
	{                                                                                          \
		FN(name), name##_word                                                              \
	}

/* ---- integers: equality is the same for signed and unsigned ones ---- */
#define PLAIN_SETPS(t, HOW)                                                                        \
	PLAIN_SETP(t##_eq, HOW)                                                                    \
	PLAIN_SETP(t##_ne, HOW)                                                                    \
	PLAIN_SETP(t##_lt, HOW)                                                                    \
	PLAIN_SETP(t##_le, HOW)                                                                    \
	PLAIN_SETP(t##_gt, HOW)                                                                    \
	PLAIN_SETP(t##_ge, HOW)
#define ENTRIES_INT(t)                                                                             \
	[CMP_EQ] = ENTRY(t##_eq), [CMP_NE] = ENTRY(t##_ne), [CMP_LT] = ENTRY(t##_lt),              \
	[CMP_LE] = ENTRY(t##_le), [CMP_GT] = ENTRY(t##_gt), [CMP_GE] = ENTRY(t##_ge)

/* clang-format off */
/* 64 bits by halves: T gives the upper half its sign. */
#define LESS64(T, x, y) (((T)x##h < (T)y##h) | ((x##h == y##h) & (x##l < y##l)))
COMPARE_WORD(u16_eq, uint32_t a = U16(pa[i]); uint32_t b = U16(pb[i]), a == b)
COMPARE_WORD(u16_lt, uint32_t a = U16(pa[i]); uint32_t b = U16(pb[i]), a < b)
COMPARE_WORD(u16_gt, uint32_t a = U16(pa[i]); uint32_t b = U16(pb[i]), a > b)
COMPARE_WORD(s16_lt, int32_t a = S16(pa[i]); int32_t b = S16(pb[i]), a < b)
COMPARE_WORD(s16_gt, int32_t a = S16(pa[i]); int32_t b = S16(pb[i]), a > b)
COMPARE_WORD(u32_eq, uint32_t a = pa[i]; uint32_t b = pb[i], a == b)
COMPARE_WORD(u32_lt, uint32_t a = pa[i]; uint32_t b = pb[i], a < b)
COMPARE_WORD(u32_gt, uint32_t a = pa[i]; uint32_t b = pb[i], a > b)
COMPARE_WORD(s32_lt, int32_t a = (int32_t)pa[i]; int32_t b = (int32_t)pb[i], a < b)
COMPARE_WORD(s32_gt, int32_t a = (int32_t)pa[i]; int32_t b = (int32_t)pb[i], a > b)
COMPARE_WORD(u64_eq, PAIR(a); PAIR(b), ((al ^ bl) | (ah ^ bh)) == 0)
COMPARE_WORD(u64_lt, PAIR(a); PAIR(b), LESS64(uint32_t, a, b))
COMPARE_WORD(u64_gt, PAIR(a); PAIR(b), LESS64(uint32_t, b, a))
COMPARE_WORD(s64_lt, PAIR(a); PAIR(b), LESS64(int32_t, a, b))
COMPARE_WORD(s64_gt, PAIR(a); PAIR(b), LESS64(int32_t, b, a))
#define SIGNED_AND_UNSIGNED(s, u, HOW)                                                             \
	COMPARE_NOT(u##_ne, u##_eq)                                                                   \
	COMPARE_NOT(u##_ge, u##_lt)                                                                   \
	COMPARE_NOT(u##_le, u##_gt)                                                                   \
	COMPARE_SAME(s##_eq, u##_eq)                                                                  \
	COMPARE_SAME(s##_ne, u##_ne)                                                                  \
	COMPARE_NOT(s##_ge, s##_lt)                                                                   \
	COMPARE_NOT(s##_le, s##_gt)                                                                   \
	PLAIN_SETPS(u, HOW)                                                                           \
	PLAIN_SETPS(s, HOW)
SIGNED_AND_UNSIGNED(s16, u16, word)
SIGNED_AND_UNSIGNED(s32, u32, body)
SIGNED_AND_UNSIGNED(s64, u64, word)
/* clang-format on */

/* ---- f32, f64: the host's comparisons ---- */
#define COMPARE_FLOAT(t, LANE, HOW)                                                                \
	COMPARE_WORD(t##_eq, LANE, a == b)                                                         \
	COMPARE_WORD(t##_ne, LANE, (a < b) | (a > b))                                              \
	COMPARE_WORD(t##_lt, LANE, a < b)                                                          \
	COMPARE_WORD(t##_le, LANE, a <= b)                                                         \
	COMPARE_WORD(t##_gt, LANE, a > b)                                                          \
	COMPARE_WORD(t##_ge, LANE, a >= b)                                                         \
	COMPARE_WORD(t##_num, LANE, (a == a) & (b == b))                                           \
	COMPARE_NOT(t##_equ, t##_ne)                                                               \
	COMPARE_NOT(t##_neu, t##_eq)                                                               \
	COMPARE_NOT(t##_ltu, t##_ge)                                                               \
	COMPARE_NOT(t##_leu, t##_gt)                                                               \
	COMPARE_NOT(t##_gtu, t##_le)                                                               \
	COMPARE_NOT(t##_geu, t##_lt)                                                               \
	COMPARE_NOT(t##_nan, t##_num)                                                              \
	PLAIN_SETPS(t, HOW)                                                                        \
	PLAIN_SETP(t##_equ, HOW)                                                                   \
	PLAIN_SETP(t##_neu, HOW)                                                                   \
	PLAIN_SETP(t##_ltu, HOW)                                                                   \
	PLAIN_SETP(t##_leu, HOW)                                                                   \
	PLAIN_SETP(t##_gtu, HOW)                                                                   \
	PLAIN_SETP(t##_geu, HOW)                                                                   \
	PLAIN_SETP(t##_num, word)                                                                  \
	PLAIN_SETP(t##_nan, word)
#define ENTRIES_FLOAT(t)                                                                           \
	ENTRIES_INT(t), [CMP_EQU] = ENTRY(t##_equ), [CMP_NEU] = ENTRY(t##_neu),                    \
			[CMP_LTU] = ENTRY(t##_ltu), [CMP_LEU] = ENTRY(t##_leu),                    \
			[CMP_GTU] = ENTRY(t##_gtu), [CMP_GEU] = ENTRY(t##_geu),                    \
			[CMP_NUM] = ENTRY(t##_num), [CMP_NAN] = ENTRY(t##_nan)

/* clang-format off */
COMPARE_FLOAT(f32, float a = as_f32(pa[i]); float b = as_f32(pb[i]), body)
COMPARE_FLOAT(f32z, float a = as_f32(f32_flush(pa[i])); float b = as_f32(f32_flush(pb[i])), word)
COMPARE_FLOAT(f64, double a = as_f64(pair_get(pa, i)); double b = as_f64(pair_get(pb, i)), word)
/* clang-format on */

/* ---- halves ---- */

/* The relation of two rows of halves, a bit per lane: at most one of the three is set; none:
 * greater. */
struct relations {
	uint32_t less, equal, unordered;
};
typedef struct relations relations_fn(const struct warp *w, const struct uop *u);

/* Converts sign and magnitude to a number that orders as the value does; both zeros become 0. */
static inline int32_t half_key(uint32_t x, uint32_t flush_below)
{
	int32_t mag = (int32_t)(x & 0x7fff);
	mag = (uint32_t)mag < flush_below ? 0 : mag;
	return x & 0x8000 ? -mag : mag;
}
#define RELATIONS(name, shift, inf, flush)                                                         \
	static struct relations name(const struct warp *w, const struct uop *u)                    \
	{                                                                                          \
		const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b);                     \
		uint32_t less = 0, equal = 0, unordered = 0;                                       \
		LANE_LOOP {                                                                        \
			uint32_t x = pa[i] >> (shift), y = pb[i] >> (shift);                       \
			bool un = ((x & 0x7fff) > (inf)) | ((y & 0x7fff) > (inf));                 \
			int32_t a = half_key(x, flush), b = half_key(y, flush);                    \
			less += (!un & (a < b)) ? lane_bit[i] : 0;                                 \
			equal += (!un & (a == b)) ? lane_bit[i] : 0;                               \
			unordered += un ? lane_bit[i] : 0;                                         \
		}                                                                                  \
		return (struct relations){less, equal, unordered};                                 \
	}
#define F16_MIN_NORMAL 0x400
RELATIONS(f16_relations, 0, F16_INF, 0)
RELATIONS(f16_hi_relations, 16, F16_INF, 0)
RELATIONS(f16z_relations, 0, F16_INF, F16_MIN_NORMAL)
RELATIONS(f16z_hi_relations, 16, F16_INF, F16_MIN_NORMAL)
RELATIONS(bf16_relations, 0, BF16_INF, 0)
RELATIONS(bf16_hi_relations, 16, BF16_INF, 0)

/* ---- the tables ---- */

/* Types in the view of the operations. For halves, _HI is the upper half of a pair and follows the
 * lower. */
/* clang-format off */
enum kind {
	K_U16, K_S16, K_U32, K_S32, K_U64, K_S64, K_F32, K_F32Z, K_F64, K_WORDS,
	K_F16 = K_WORDS, K_F16_HI, K_F16Z, K_F16Z_HI, K_BF16, K_BF16_HI, K_COUNT,
};
/* clang-format on */

static const struct comparison compare[K_WORDS][CMP_NAN + 1] = {
	[K_U16] = {ENTRIES_INT(u16)},   [K_S16] = {ENTRIES_INT(s16)},
	[K_U32] = {ENTRIES_INT(u32)},   [K_S32] = {ENTRIES_INT(s32)},
	[K_U64] = {ENTRIES_INT(u64)},   [K_S64] = {ENTRIES_INT(s64)},
	[K_F32] = {ENTRIES_FLOAT(f32)}, [K_F32Z] = {ENTRIES_FLOAT(f32z)},
	[K_F64] = {ENTRIES_FLOAT(f64)},
};

static relations_fn *const half_relations[K_COUNT - K_WORDS] = {
	[K_F16 - K_WORDS] = f16_relations,   [K_F16_HI - K_WORDS] = f16_hi_relations,
	[K_F16Z - K_WORDS] = f16z_relations, [K_F16Z_HI - K_WORDS] = f16z_hi_relations,
	[K_BF16 - K_WORDS] = bf16_relations, [K_BF16_HI - K_WORDS] = bf16_hi_relations,
};

/* The relations for which a comparison of halves is true; 0: none. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
static const uint8_t holds[CMP_NAN + 1] = {
	[CMP_EQ] = EQUAL,
	[CMP_NE] = LESS | GREATER,
	[CMP_LT] = LESS,
	[CMP_LE] = LESS | EQUAL,
	[CMP_GT] = GREATER,
	[CMP_GE] = GREATER | EQUAL,
	[CMP_EQU] = EQUAL | UNORDERED,
	[CMP_NEU] = LESS | GREATER | UNORDERED,
	[CMP_LTU] = LESS | UNORDERED,
	[CMP_LEU] = LESS | EQUAL | UNORDERED,
	[CMP_GTU] = GREATER | UNORDERED,
	[CMP_GEU] = GREATER | EQUAL | UNORDERED,
	[CMP_NUM] = LESS | EQUAL | GREATER,
	[CMP_NAN] = UNORDERED,
};

static uint32_t half_word(const struct warp *w, const struct uop *u, unsigned kind, unsigned cmp)
{
	struct relations r = half_relations[kind - K_WORDS](w, u);
	uint32_t greater = ~(r.less | r.equal | r.unordered);
	return (holds[cmp] & LESS ? r.less : 0) | (holds[cmp] & EQUAL ? r.equal : 0) |
	       (holds[cmp] & GREATER ? greater : 0) | (holds[cmp] & UNORDERED ? r.unordered : 0);
}

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

/* ---- setp, set: u->compare is kind << 8 | cmp, for set the value of true in the upper word ---- */
static inline uint32_t compare_word(const struct warp *w, const struct uop *u, unsigned half)
{
	unsigned kind = (unsigned)(u->compare >> 8 & 0xff) + half, cmp = u->compare & 0xff;
	return kind < K_WORDS ? compare[kind][cmp].word(w, u) : half_word(w, u, kind, cmp);
}

/* Applies the combining predicate, if there is one. */
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
	uint32_t p = compare_word(w, u, 0);
	uint32_t q = is_x2(u->in->stype) ? compare_word(w, u, 1) : ~p;
	p = combine(w, u, p);
	q = combine(w, u, q);
	pred_write(w, u->d, p, mask);
	if (u->in->nd > 1)
		pred_write(w, u->v[1], q, mask);
}
OP_RUN(setp)

static inline void set_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t t[LANES], yes = (uint32_t)(u->compare >> 32);
	uint32_t p = combine(w, u, compare_word(w, u, 0)), q = p;
	if (is_x2(u->in->stype))
		q = combine(w, u, compare_word(w, u, 1));
	LANE_LOOP
		t[i] = lane_pick(p & lane_bit[i], yes & 0xffff, 0) |
		       lane_pick(q & lane_bit[i], yes & 0xffff0000, 0);
	row_blend(row_u32(w, u->d), t, mask);
}
OP_RUN(set)

static uint32_t true_value(unsigned type)
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
	if (k == K_COUNT || c > CMP_NAN || (k < K_WORDS ? !compare[k][c].word : !holds[c]))
		return false;
	if (k < K_WORDS && in->op == OP_SETP && in->nd == 1 && in->bop == BOP_NONE && u->d != SINK)
		return bind_pair(u, compare[k][c].setp);
	bind_preds(in, u);
	u->compare = (uint64_t)k << 8 | c;
	if (in->op == OP_SETP)
		return bind_pair(u, FN(setp));
	u->compare |= (uint64_t)true_value(in->type) << 32;
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
