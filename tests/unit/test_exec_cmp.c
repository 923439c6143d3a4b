/* Comparison and selection against references that decode floats by hand. */
#include <math.h>
#include "exec_harness.h"

/* The value x of type t as a long double, which holds all types used here; applies .ftz for f16 and
 * f32. */
static long double value(uint64_t x, unsigned t, bool ftz)
{
	unsigned bits = type_bits(t);
	if (!type_is_float(t))
		return type_is_signed(t) && x >> (bits - 1) & 1
			       ? (long double)(int64_t)(bits == 64 ? x : x | ~UINT64_C(0) << bits)
			       : (long double)x;
	unsigned eb = t == T_F64 ? 11 : t == T_F16 ? 5 : 8, fb = bits - 1 - eb;
	uint64_t e = x >> fb & ((1u << eb) - 1), f = x & ((UINT64_C(1) << fb) - 1);
	long double v;
	if (e == (1u << eb) - 1)
		v = f ? NAN : INFINITY;
	else if (e == 0)
		v = ftz ? 0 : ldexpl((long double)f, 2 - (1 << (eb - 1)) - (int)fb);
	else
		v = ldexpl((long double)(f | UINT64_C(1) << fb),
			   (int)e + 1 - (1 << (eb - 1)) - (int)fb);
	return x >> (bits - 1) ? -v : v;
}

static bool holds(unsigned cmp, long double a, long double b)
{
	bool un = isnan(a) || isnan(b);
	switch (cmp) {
	case CMP_EQ: return !un && a == b;
	case CMP_NE: return !un && a != b;
	case CMP_LT:
	case CMP_LO: return !un && a < b;
	case CMP_LE:
	case CMP_LS: return !un && a <= b;
	case CMP_GT:
	case CMP_HI: return !un && a > b;
	case CMP_GE:
	case CMP_HS: return !un && a >= b;
	case CMP_EQU: return un || a == b;
	case CMP_NEU: return un || a != b;
	case CMP_LTU: return un || a < b;
	case CMP_LEU: return un || a <= b;
	case CMP_GTU: return un || a > b;
	case CMP_GEU: return un || a >= b;
	case CMP_NUM: return !un;
	default: return un;
	}
}

static bool bop(const struct inst *in, bool t, uint64_t c)
{
	return in->bop == BOP_AND   ? t & (c != 0)
	       : in->bop == BOP_OR  ? t | (c != 0)
	       : in->bop == BOP_XOR ? t ^ (c != 0)
				    : t;
}

static bool is_x2(unsigned t) { return t == T_F16X2 || t == T_BF16X2; }
static bool compare(const struct xlane *x, unsigned half)
{
	const struct inst *in = x->in;
	unsigned t = in->stype == T_F16X2 ? T_F16 : in->stype == T_BF16X2 ? T_BF16 : in->stype;
	uint64_t m = is_x2(in->stype) ? 0xffff : ~UINT64_C(0);
	return holds(in->cmp, value(x->s[0] >> half * 16 & m, t, in->mods & M_FTZ),
		     value(x->s[1] >> half * 16 & m, t, in->mods & M_FTZ));
}

static void ref_setp(struct xlane *x, const void *arg)
{
	bool p = compare(x, 0), q = is_x2(x->in->stype) ? compare(x, 1) : !p;
	(void)arg;
	x->d[0] = bop(x->in, p, x->s[2]);
	x->d[1] = bop(x->in, q, x->s[2]);
}

static void ref_set(struct xlane *x, const void *arg)
{
	static const uint32_t one[T_COUNT] = {[T_F32] = 0x3f800000,
					      [T_F16] = 0x3c00,
					      [T_BF16] = 0x3f80,
					      [T_F16X2] = 0x3c003c00,
					      [T_BF16X2] = 0x3f803f80};
	uint32_t yes = one[x->in->type] ? one[x->in->type] : ~0u;
	bool p = bop(x->in, compare(x, 0), x->s[2]);
	(void)arg;
	if (is_x2(x->in->stype))
		x->d[0] = (p ? yes & 0xffff : 0) |
			  (bop(x->in, compare(x, 1), x->s[2]) ? yes & 0xffff0000 : 0);
	else
		x->d[0] = p ? yes : 0;
}

static const uint8_t operands[] = {T_B16, T_U16, T_S16, T_B32, T_U32,  T_S32,   T_B64,   T_U64,
				   T_S64, T_F32, T_F64, T_F16, T_BF16, T_F16X2, T_BF16X2};

static bool allowed(unsigned t, unsigned cmp)
{
	if (type_is_float(t))
		return cmp <= CMP_GE || cmp >= CMP_EQU;
	if (type_is_signed(t))
		return cmp <= CMP_GE;
	return cmp <= CMP_HS;
}
static bool has_ftz(unsigned t) { return t == T_F32 || t == T_F16 || t == T_F16X2; }

static void test_setp(void **state)
{
	(void)state;
	for (unsigned k = 0; k < sizeof operands; k++)
		for (unsigned cmp = CMP_EQ; cmp <= CMP_NAN; cmp++)
			for (unsigned ftz = 0; ftz <= has_ftz(operands[k]); ftz++) {
				uint8_t t = operands[k];
				struct xop x;
				if (!allowed(t, cmp))
					continue;
				xop_make(&x, OP_SETP, T_PRED, 1, 3, XT(T_PRED, t, t));
				x.in.stype = t;
				x.in.cmp = (uint8_t)cmp;
				x.in.mods = ftz ? M_FTZ : 0;
				xop_check(&x, bind_cmp, ref_setp, NULL, xvals_of(t), xvals_of(t));
			}
}

/* Two destinations, either a sink, and a combining predicate, also negated. */
static void test_setp_forms(void **state)
{
	static const uint8_t types[] = {T_S32, T_F32, T_U64, T_F16X2};
	(void)state;
	for (unsigned k = 0; k < sizeof types; k++)
		for (unsigned form = 0; form < 4 * 3 * 2; form++) {
			uint8_t t = types[k], op = (uint8_t)(form / 3 % 4);
			struct xop x;
			xop_make(&x, OP_SETP, T_PRED, 2, op ? 5 : 4,
				 XT(T_PRED, T_PRED, t, t, T_PRED));
			x.in.stype = t;
			x.in.cmp = CMP_LT;
			x.in.bop = op;
			if (form % 3)
				x.opnd[form % 3 - 1].kind = OPND_SINK;
			if (form >= 12)
				x.opnd[4].mod = OPND_NOT;
			xop_check(&x, bind_cmp, ref_setp, NULL, xvals_short(t), xvals_short(t),
				  xvals_of(T_PRED));
		}
}

static void test_set(void **state)
{
	static const uint8_t results[] = {T_U32, T_S32, T_F32, T_F16, T_BF16, T_U16, T_S16};
	(void)state;
	for (unsigned k = 0; k < sizeof operands; k++)
		for (unsigned r = 0; r < sizeof results; r++)
			for (unsigned op = 0; op < 4; op++) {
				uint8_t t = operands[k], d = is_x2(t) && r < 2 ? t : results[r];
				struct xop x;
				if (is_x2(t) && r > 2)
					continue;
				d = is_x2(t) && r == 2 ? T_U32 : d;
				xop_make(&x, OP_SET, d, 1, op ? 4 : 3, XT(d, t, t, T_PRED));
				x.in.stype = t;
				x.in.cmp = op & 1 ? CMP_EQ : CMP_NE;
				x.in.bop = (uint8_t)op;
				xop_check(&x, bind_cmp, ref_set, NULL, xvals_short(t),
					  xvals_short(t), xvals_of(T_PRED));
			}
}

static void ref_select(struct xlane *x, const void *arg)
{
	long double c =
		x->in->op == OP_SELP ? 0 : value(x->s[2], x->in->stype, x->in->mods & M_FTZ);
	(void)arg;
	x->d[0] = x->in->op == OP_SELP ? x->s[2] ? x->s[0] : x->s[1] : c >= 0 ? x->s[0] : x->s[1];
}

static void test_select(void **state)
{
	static const uint8_t types[] = {T_B16, T_U32, T_F32, T_B64, T_F64};
	(void)state;
	for (unsigned k = 0; k < sizeof types; k++) {
		uint8_t t = types[k];
		struct xop x;
		for (unsigned neg = 0; neg < 2; neg++) {
			xop_make(&x, OP_SELP, t, 1, 4, XT(t, t, t, T_PRED));
			x.opnd[3].mod = neg ? OPND_NOT : 0;
			xop_check(&x, bind_cmp, ref_select, NULL, xvals_short(t), xvals_short(t),
				  xvals_of(T_PRED));
		}
		for (unsigned c = 0; c < 3; c++) {
			uint8_t ct = c ? T_F32 : T_S32;
			xop_make(&x, OP_SLCT, t, 1, 4, XT(t, t, t, ct));
			x.in.stype = ct;
			x.in.mods = c == 2 ? M_FTZ : 0;
			xop_check(&x, bind_cmp, ref_select, NULL, xvals_short(t), xvals_short(t),
				  xvals_of(ct));
		}
	}
}

static void ref_testp(struct xlane *x, const void *arg)
{
	unsigned t = x->in->stype;
	long double v = value(x->s[0], t, false);
	long double least = t == T_F64 ? 0x1p-1022L : 0x1p-126L;
	bool sub = v != 0 && fabsl(v) < least;
	(void)arg;
	switch (x->in->mode) {
	case TESTP_FINITE: x->d[0] = isfinite(v); break;
	case TESTP_INFINITE: x->d[0] = isinf(v); break;
	case TESTP_NUMBER: x->d[0] = !isnan(v); break;
	case TESTP_NOTANUMBER: x->d[0] = isnan(v); break;
	case TESTP_NORMAL: x->d[0] = isfinite(v) && !sub; break;
	default: x->d[0] = sub;
	}
}

static void ref_copysign(struct xlane *x, const void *arg)
{
	uint64_t sign = UINT64_C(1) << (type_bits(x->in->type) - 1);
	(void)arg;
	x->d[0] = (x->s[1] & ~sign) | (x->s[0] & sign);
}

static void test_classes(void **state)
{
	struct xop x;
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		uint8_t t = k ? T_F64 : T_F32;
		for (uint8_t mode = TESTP_FINITE; mode <= TESTP_SUBNORMAL; mode++) {
			xop_make(&x, OP_TESTP, T_PRED, 1, 2, XT(T_PRED, t));
			x.in.stype = t;
			x.in.mode = mode;
			xop_check(&x, bind_cmp, ref_testp, NULL, xvals_of(t));
		}
		xop_make(&x, OP_COPYSIGN, t, 1, 3, XT(t, t, t));
		xop_check(&x, bind_cmp, ref_copysign, NULL, xvals_of(t), xvals_of(t));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_setp),    cmocka_unit_test(test_setp_forms),
		cmocka_unit_test(test_set),     cmocka_unit_test(test_select),
		cmocka_unit_test(test_classes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
