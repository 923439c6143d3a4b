/* cvt between all integer and float types with all roundings and modifiers, against 128-bit integer
 * arithmetic. */
#include "exec_harness.h"
#include "soft_ref.h"

static bool is_half(unsigned t) { return t == T_F16 || t == T_BF16; }

static struct soft soft_int(uint64_t v, unsigned type)
{
	unsigned n = type_bits(type);
	struct soft x = {.neg = type_is_signed(type) && v >> (n - 1) & 1};
	x.sig = x.neg ? ((soft_u128)1 << n) - v : v;
	return soft_norm(x);
}

/* Rounds to the nearest integer as soft_round() rounds to a format of 64 bits with ulp 1. */
static struct soft soft_integral(struct soft x, unsigned rnd)
{
	static const uint8_t mode[] = {
		[RND_RNI] = RND_RN, [RND_RZI] = RND_RZ, [RND_RMI] = RND_RM, [RND_RPI] = RND_RP};
	if (x.cls != SOFT_FINITE || x.exp >= 0 || !x.sig)
		return x;
	if (-x.exp < SOFT_TOP - 62) /* no fraction: below 2^63 only */
		return x;
	x.sig = soft_round(x.sig, -x.exp, x.neg, mode[rnd]);
	x.exp = 0;
	return soft_norm(x);
}

static uint64_t to_int(struct soft x, unsigned type)
{
	unsigned n = type_bits(type);
	bool sig = type_is_signed(type);
	uint64_t max = ~0ull >> (64 - n + sig), min = sig ? 1ull << (n - 1) : 0,
		 limit = x.neg ? min : max;
	if (x.cls == SOFT_FINITE && !x.sig)
		return 0;
	if (x.cls == SOFT_INF || x.exp + SOFT_TOP > 63)
		return x.neg ? -limit : limit;
	uint64_t mag = -x.exp > 127 ? 0 : (uint64_t)(x.sig >> -x.exp);
	mag = mag > limit ? limit : mag;
	return x.neg ? -mag : mag;
}

static uint64_t nan_bits(uint64_t a, unsigned from, unsigned to, uint32_t mods)
{
	struct soft_fmt f = soft_fmt(to), g = soft_fmt(from);
	uint64_t inf = ((1ull << f.ebits) - 1) << f.mbits, ones = (1ull << f.mbits) - 1;
	uint64_t sign = (a >> (g.ebits + g.mbits) & 1) << (f.ebits + f.mbits);
	uint64_t frac = (a & ((1ull << g.mbits) - 1)) << (64 - g.mbits) >> (64 - f.mbits);
	if (mods & M_SAT)
		return 0;
	if (to == T_F64 && from == T_F32 && mods & M_FTZ)
		return 0x7fffffffe0000000ull;
	if (from == T_F64 || to == T_F64)
		return sign | inf | 1ull << (f.mbits - 1) | frac;
	if (from == T_BF16 && to == T_F32 && !(mods & M_FTZ))
		return a << 16;
	return inf | ones;
}

static uint64_t ref_value(const struct inst *in, uint64_t a)
{
	unsigned from = in->stype, to = in->type, rnd = in->rnd;
	bool ffrom = type_is_float(from), integral = rnd >= RND_RNI && rnd <= RND_RPI;
	bool ftz = in->mods & M_FTZ, keeps = to == T_F16 && (rnd == RND_RM || rnd == RND_RP);
	struct soft_fmt f = soft_fmt(to);
	struct soft x = ffrom ? soft_get(a, soft_fmt(from), ftz && from == T_F32 && !keeps)
			      : soft_int(a, from);
	if (from == to && rnd == RND_NONE && !in->mods && !is_half(from))
		return a;
	if (!type_is_float(to)) {
		if (x.cls == SOFT_NAN)
			return from == T_F64 || type_bits(to) == 64 ? 1ull << (type_bits(to) - 1)
								    : 0;
		if (!ffrom && !(in->mods & M_SAT))
			return a << (64 - type_bits(from)) >> (64 - type_bits(from)) |
			       (x.neg && type_bits(from) < 64 ? ~0ull << type_bits(from) : 0);
		return to_int(ffrom ? soft_integral(x, rnd) : x, to);
	}
	if (x.cls == SOFT_NAN)
		return nan_bits(a, from, to, in->mods);
	if (integral)
		x = soft_integral(x, rnd);
	uint64_t r = soft_put(x, f, integral || rnd == RND_NONE ? RND_RN : rnd, ftz && to == T_F32);
	uint64_t one = (uint64_t)((1 << (f.ebits - 1)) - 1) << f.mbits;
	return in->mods & M_SAT ? x.neg ? 0 : r > one ? one : r : r;
}

static void ref_cvt(struct xlane *x, const void *arg)
{
	const struct inst *in = x->in;
	unsigned n = type_bits(in->type);
	uint64_t r = ref_value(in, x->s[0]);
	(void)arg;
	r = n == 64 ? r : r & ((1ull << n) - 1);
	if (type_is_signed(in->type) && r >> (n - 1)) /* extended to a wider register */
		r |= n == 64 ? 0 : ~0ull << n;
	x->d[0] = r;
}

/* Edge values, values next to every power of two, random bits. */
static struct xvals values(unsigned type)
{
	static uint64_t v[512];
	unsigned n = 0, bits = type_bits(type);
	uint64_t mask = ~0ull >> (64 - bits);
	struct xvals edge = xvals_of(type);
	while (n < edge.n && n < 64)
		v[n] = edge.v[n] & mask, n++;
	struct soft_fmt f = soft_fmt(type);
	for (int p = -27; p <= 65 && type_is_float(type) && n < 440; p++) {
		int bias = (1 << (f.ebits - 1)) - 1, e = p + bias;
		if (e < 1 || e >= 2 * bias + 1)
			continue;
		uint64_t b = (uint64_t)e << f.mbits;
		v[n++] = b + (xrandom() & 1);
		v[n++] = b - 1;
		v[n++] = (b + (1ull << (f.mbits - 1)) + xrandom() % 3 - 1) | 1ull << (bits - 1);
		v[n++] = b + (xrandom() & ((1ull << f.mbits) - 1));
	}
	for (unsigned p = 0; p < bits && !type_is_float(type); p++) {
		v[n++] = ((1ull << p) + xrandom() % 3 - 1) & mask;
		v[n++] = (xrandom() & mask) >> p;
		v[n++] = (3ull << p >> 1 | xrandom() % 2) & mask;
	}
	while (n & 31 || n < 128)
		v[n++] = xrandom() & mask;
	return (struct xvals){v, n};
}

static const uint8_t ints[] = {T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};
static const uint8_t floats[] = {T_F16, T_BF16, T_F32, T_F64};

static void check(unsigned to, unsigned reg, unsigned from, unsigned rnd, uint32_t mods)
{
	struct xop x;
	xop_make(&x, OP_CVT, to, 1, 2, XT((uint8_t)reg, (uint8_t)from));
	x.in.stype = (uint8_t)from;
	x.in.rnd = (uint8_t)rnd;
	x.in.mods = mods;
	xop_check(&x, bind_cvt, ref_cvt, NULL, values(from));
}

static void int_to_int(void **state)
{
	(void)state;
	for (unsigned t = 0; t < 8; t++)
		for (unsigned s = 0; s < 8; s++)
			for (unsigned sat = 0; sat < 2; sat++) {
				check(ints[t], ints[t], ints[s], RND_NONE, sat ? M_SAT : 0);
				check(ints[t], t < 6 ? T_B32 : T_B64, ints[s], RND_NONE,
				      sat ? M_SAT : 0);
				check(ints[t], T_B64, ints[s], RND_NONE, sat ? M_SAT : 0);
			}
}

static void int_to_float(void **state)
{
	(void)state;
	for (unsigned t = 0; t < 4; t++)
		for (unsigned s = 0; s < 8; s++)
			for (unsigned rnd = RND_RN; rnd <= RND_RP; rnd++) {
				check(floats[t], floats[t], ints[s], rnd, 0);
				if (floats[t] != T_BF16)
					check(floats[t], floats[t], ints[s], rnd, M_SAT);
			}
}

static void float_to_int(void **state)
{
	(void)state;
	for (unsigned t = 0; t < 8; t++)
		for (unsigned s = 0; s < 4; s++)
			for (unsigned rnd = RND_RNI; rnd <= RND_RPI; rnd++) {
				check(ints[t], ints[t], floats[s], rnd, 0);
				check(ints[t], T_B64, floats[s], rnd, M_SAT);
				if (floats[s] == T_F32)
					check(ints[t], ints[t], floats[s], rnd, M_FTZ);
			}
}

static void float_to_float(void **state)
{
	(void)state;
	for (unsigned t = 0; t < 4; t++)
		for (unsigned s = 0; s < 4; s++) {
			bool narrows = type_bits(floats[t]) < type_bits(floats[s]) ||
				       (t != s && is_half(floats[s]) && is_half(floats[t]));
			bool f32 = floats[t] == T_F32 || floats[s] == T_F32;
			for (unsigned rnd = narrows ? RND_RN : RND_NONE;
			     rnd <= (narrows ? RND_RP : RND_NONE); rnd++)
				for (unsigned m = 0; m < 4; m++) {
					if ((m & 1 && !f32) ||
					    (m & 2 && (floats[t] == T_BF16 || floats[s] == T_BF16)))
						continue;
					if (m & 1 && t == s && !(m & 2))
						continue;
					check(floats[t], floats[t], floats[s], rnd,
					      (m & 1 ? M_FTZ : 0) | (m & 2 ? M_SAT : 0));
				}
		}
	for (unsigned t = 0; t < 4; t++)
		for (unsigned rnd = RND_RNI; rnd <= RND_RPI; rnd++) {
			check(floats[t], floats[t], floats[t], rnd, 0);
			if (floats[t] == T_F32)
				check(T_F32, T_F32, T_F32, rnd, M_FTZ);
		}
}

/* Two f32 to a pair of halves, the first in the upper one. */
static void ref_pack(struct xlane *x, const void *arg)
{
	struct inst in = *x->in;
	in.type = in.type == T_F16X2 ? T_F16 : T_BF16;
	in.mods = 0;
	(void)arg;
	uint64_t r[2];
	for (int k = 0; k < 2; k++) {
		r[k] = ref_value(&in, x->s[k]);
		struct soft_fmt f = soft_fmt(in.type);
		uint64_t inf = ((1ull << f.ebits) - 1) << f.mbits;
		if (x->in->mods & M_SATFINITE && (r[k] & 0x7fff) == inf)
			r[k]--;
		if (x->in->mods & M_RELU && r[k] >> 15)
			r[k] = 0;
	}
	x->d[0] = r[0] << 16 | r[1];
}
static void float_pairs(void **state)
{
	struct xop x;
	(void)state;
	for (unsigned t = 0; t < 2; t++)
		for (unsigned m = 0; m < 4; m++)
			for (unsigned rnd = RND_RN; rnd <= RND_RZ; rnd++) {
				xop_make(&x, OP_CVT, t ? T_BF16X2 : T_F16X2, 1, 3,
					 XT(T_B32, T_F32, T_F32));
				x.in.stype = T_F32;
				x.in.rnd = (uint8_t)rnd;
				x.in.mods = (m & 1 ? M_RELU : 0) | (m & 2 ? M_SATFINITE : 0);
				xop_check(&x, bind_cvt, ref_pack, NULL, xvals_of(T_F32),
					  xvals_of(T_F32));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(int_to_int),   cmocka_unit_test(int_to_float),
		cmocka_unit_test(float_to_int), cmocka_unit_test(float_to_float),
		cmocka_unit_test(float_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
