/* f64 arithmetic, warp-wide. The host computes in the required rounding mode; lanes whose result is
 * NaN, which are rare, are computed again by the hardware's payload rules: which operand's NaN
 * survives depends on the operation. */
#include "exec/alu/float.h"

typedef uint64_t nan_fn(uint64_t a, uint64_t b, uint64_t c);
static uint64_t nan_ba(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	return f64_nan2(b, a);
}
static uint64_t nan_ab(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	return f64_nan2(a, b);
}
static uint64_t nan_a(uint64_t a, uint64_t b, uint64_t c)
{
	(void)b, (void)c;
	return f64_nan2(a, a);
}
static uint64_t nan_bca(uint64_t a, uint64_t b, uint64_t c)
{
	return f64_is_nan(b) ? b | F64_QUIET : f64_nan2(c, a);
}

static void fix_nans(double *r, const uint32_t *a, const uint32_t *b, const uint32_t *c,
		     nan_fn *rule)
{
	for (int i = 0; i < LANES; i++)
		if (r[i] != r[i])
			r[i] = as_f64(rule(pair_get(a, i), pair_get(b, i), pair_get(c, i)));
}

/* Rows that an operation lacks are given as its first source: readable, and unused. */
#define F64_ROWS(name, pb_, pc_, RULE, EXPR)                                                       \
	OP_ROWS(name, 2, {                                                                         \
		double r[LANES];                                                                   \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		const uint32_t *pb = row_u32(w, pb_);                                              \
		const uint32_t *pc = row_u32(w, pc_);                                              \
		unsigned nan = 0;                                                                  \
		const unsigned rnd = u->aux & AUX_RND;                                             \
		round_set(rnd, r);                                                                 \
		LANE_LOOP {                                                                        \
			double a = as_f64(pair_get(pa, i));                                        \
			double b = as_f64(pair_get(pb, i));                                        \
			double c = as_f64(pair_get(pc, i));                                        \
			(void)b;                                                                   \
			(void)c;                                                                   \
			r[i] = (EXPR);                                                             \
		}                                                                                  \
		round_reset(rnd, r);                                                               \
		LANE_LOOP                                                                          \
			nan |= r[i] != r[i];                                                       \
		if (nan)                                                                           \
			fix_nans(r, pa, pb, pc, RULE);                                             \
		LANE_LOOP                                                                          \
			pair_put(out, i, f64_bits(r[i]));                                          \
	})

F64_ROWS(add, u->b, u->a, nan_ba, a + b)
F64_ROWS(sub, u->b, u->a, nan_ba, a - b)
/* clang-format off */
F64_ROWS(mul, u->b, u->a, nan_ba, a * b)
/* clang-format on */
F64_ROWS(fma, u->b, u->c, nan_bca, fma(a, b, c))
F64_ROWS(div, u->b, u->a, nan_ab, a / b)
F64_ROWS(rcp, u->a, u->a, nan_a, 1.0 / a)
F64_ROWS(sqrt, u->a, u->a, nan_a, sqrt(a))

LANE_FN uint64_t abs_f64(uint64_t a) { return f64_is_nan(a) ? a | F64_QUIET : a & ~F64_SIGN; }
LANE_FN uint64_t neg_f64(uint64_t a) { return f64_is_nan(a) ? a | F64_QUIET : a ^ F64_SIGN; }
OP_Q_Q(abs, uint64_t, abs_f64(a))
OP_Q_Q(neg, uint64_t, neg_f64(a))

/* Integers in the order of the doubles they stand for, -0 before +0. */
LANE_FN int64_t order_f64(uint64_t x) { return (int64_t)(x ^ ((uint64_t)((int64_t)x >> 63) >> 1)); }
LANE_FN uint64_t minmax(uint64_t a, uint64_t b, bool max)
{
	bool na = f64_is_nan(a), nb = f64_is_nan(b);
	bool first = max ? order_f64(a) > order_f64(b) : order_f64(a) < order_f64(b);
	uint64_t r = (first && !na) || nb ? a : b;
	return na && nb ? b | F64_QUIET : r;
}
OP_Q_QQ(min, uint64_t, uint64_t, minmax(a, b, false))
OP_Q_QQ(max, uint64_t, uint64_t, minmax(a, b, true))

bool bind_f64(const struct inst *in, struct uop *u)
{
	if (in->type != T_F64 || in->mods & M_APPROX)
		return false;
	u->aux = aux_of(in);
	switch (in->op) {
	case OP_ADD: return bind_pair(u, FN(add));
	case OP_SUB: return bind_pair(u, FN(sub));
	case OP_MUL: return bind_pair(u, FN(mul));
	case OP_MAD:
	case OP_FMA: return bind_pair(u, FN(fma));
	case OP_DIV: return bind_pair(u, FN(div));
	case OP_RCP: return bind_pair(u, FN(rcp));
	case OP_SQRT: return bind_pair(u, FN(sqrt));
	case OP_ABS: return bind_pair(u, FN(abs));
	case OP_NEG: return bind_pair(u, FN(neg));
	case OP_MIN: return bind_pair(u, FN(min));
	case OP_MAX: return bind_pair(u, FN(max));
	default: return false;
	}
}
