/* Integer quotients and remainders by a constant, exact for all operands. A power of two is a
 * shift, which rounds negative numbers to zero after d - 1 is added to them. Other divisors are
 * products with a reciprocal of N bits: for a multiplier m = 2^(N+s) / d rounded up, m * d =
 * 2^(N+s) + e, the upper half of a * m, shifted by s, is the quotient of every a with a * e <
 * 2^(N+s).
 *
 * Division by 0 is left to the routine of the library. */
#include "back/routines/expand.h"

struct divide {
	unsigned bits; /* width of the arithmetic: 32 or 64 */
	uint64_t d;    /* the divisor's magnitude */
	bool neg, rem;
};

static unsigned log2_up(uint64_t d) { return d < 2 ? 0 : 64 - (unsigned)__builtin_clzll(d - 1); }

static bool is_power(uint64_t d) { return !(d & (d - 1)); }

static uint64_t cut_bits(uint64_t v, unsigned bits) { return bits == 64 ? v : v & 0xffffffffu; }

static bool divide_of(const struct inst *in, struct divide *v)
{
	if ((in->op != OP_DIV && in->op != OP_REM) || type_is_float(in->type) || in->ns != 2 ||
	    inst_src(in, 1)->kind != OPND_IMM)
		return false;
	unsigned narrow = 64 - type_bits(in->type);
	uint64_t k = (uint64_t)inst_src(in, 1)->imm << narrow;
	v->neg = type_is_signed(in->type) && k >> 63;
	v->d = (v->neg ? 0 - k : k) >> narrow;
	v->bits = type_bits(in->type) == 64 ? 64 : 32;
	v->rem = in->op == OP_REM;
	return v->d != 0;
}

/* Finds the multiplier for dividends below 2^(bits - spare) and its shift; false: the multiplier
 * has more than `bits` bits. */
static bool find_multiplier(unsigned bits, unsigned spare, uint64_t d, uint64_t *m, unsigned *shift)
{
	unsigned most = log2_up(d);
	for (unsigned s = 0; s < most; s++) {
		/* 2^(bits + s) / d, rounded up: d is no power of two */
		unsigned __int128 top = (unsigned __int128)1 << (bits + s - 1);
		unsigned __int128 q = top / d * 2 + (top % d * 2 >= d);
		uint64_t left = (uint64_t)((top % d * 2) % d), e = d - left;
		if (s + spare < 64 && e > (uint64_t)1 << (s + spare))
			continue;
		*m = (uint64_t)(q + 1);
		*shift = s;
		return true;
	}
	return false;
}

/* t = n / d, unsigned; spare: upper bits of n that are 0. */
static void by_product(const struct divide *v, unsigned spare, FILE *f)
{
	unsigned b = v->bits, s, even = (unsigned)__builtin_ctzll(v->d);
	uint64_t m;
	if (find_multiplier(b, spare, v->d, &m, &s)) {
		fprintf(f, "mul.hi.u%u t, n, 0x%llx;\n", b, (unsigned long long)m);
	} else if (even && find_multiplier(b, spare + even, v->d >> even, &m, &s)) {
		fprintf(f, "shr.u%u t, n, %u;\nmul.hi.u%u t, t, 0x%llx;\n", b, even, b,
			(unsigned long long)m);
	} else { /* one bit more: 2^bits + m, whose sum with n is halved before it can overflow */
		s = log2_up(v->d) - 1;
		unsigned __int128 top = (unsigned __int128)1 << b;
		uint64_t over = ((uint64_t)2 << s) - v->d;
		m = (uint64_t)(top * over / v->d + 1);
		fprintf(f,
			"mul.hi.u%u t, n, 0x%llx;\nsub.u%u u, n, t;\nshr.u%u u, u, 1;\n"
			"add.u%u t, t, u;\n",
			b, (unsigned long long)m, b, b, b);
	}
	if (s)
		fprintf(f, "shr.u%u t, t, %u;\n", b, s);
}

/* t = n / |d|, signed. The magnitude of a dividend is at most 2^(bits - 1), one bit less. */
static void by_signed_product(const struct divide *v, FILE *f)
{
	unsigned b = v->bits, s = 0;
	uint64_t m = 0, half = (uint64_t)1 << (b - 1);
	find_multiplier(b, 1, v->d, &m, &s);
	fprintf(f, "mul.hi.s%u t, n, %lld;\n", b,
		b == 64 ? (long long)m : (long long)(int32_t)(uint32_t)m);
	if (m & half) /* the multiplier is read as m - 2^bits */
		fprintf(f, "add.s%u t, t, n;\n", b);
	if (s)
		fprintf(f, "shr.s%u t, t, %u;\n", b, s);
	fprintf(f, "shr.u%u u, n, %u;\nadd.s%u t, t, u;\n", b, b - 1, b); /* towards zero */
}

static void by_shift(const struct divide *v, bool sign, FILE *f)
{
	unsigned b = v->bits, k = log2_up(v->d);
	if (sign && k > 1)
		fprintf(f, "shr.s%u t, n, %u;\nshr.u%u t, t, %u;\nadd.s%u t, t, n;\n", b, b - 1, b,
			b - k, b);
	else if (sign)
		fprintf(f, "shr.u%u t, n, %u;\nadd.s%u t, t, n;\n", b, b - 1, b);
	else
		fprintf(f, "mov.b%u t, n;\n", b);
	if (v->rem) /* the remainder is what the shift drops */
		fprintf(f, "and.b%u t, t, 0x%llx;\nsub.s%u r, n, t;\n", b,
			(unsigned long long)cut_bits(0 - v->d, b), b);
	else
		fprintf(f, "shr.%c%u t, t, %u;\n", sign ? 's' : 'u', b, k);
}

bool expand_divide(const struct inst *in, unsigned sm, FILE *f)
{
	struct divide v;
	bool sign = type_is_signed(in->type);
	unsigned bits = type_bits(in->type), b;
	(void)sm;
	if (!divide_of(in, &v) || !f)
		return divide_of(in, &v);
	b = v.bits;
	fprintf(f, ".reg .b%u n, t, u;\n", b);
	if (bits < 32) /* the upper bits of a are undefined */
		fprintf(f, "shl.b32 n, a, %u;\nshr.%c32 n, n, %u;\n", 32 - bits, sign ? 's' : 'u',
			32 - bits);
	else
		fprintf(f, "mov.b%u n, a;\n", b);
	if (v.d == 1 && v.rem) {
		fprintf(f, "mov.b%u r, 0;\n", b);
		return true;
	}
	if (!sign && v.rem && is_power(v.d)) {
		fprintf(f, "and.b%u r, n, 0x%llx;\n", b, (unsigned long long)v.d - 1);
		return true;
	}
	if (v.d == 1)
		fprintf(f, "mov.b%u t, n;\n", b);
	else if (is_power(v.d))
		by_shift(&v, sign, f);
	else if (sign)
		by_signed_product(&v, f);
	else
		by_product(&v, bits < 32 ? 32 - bits : 0, f);
	if (v.rem && !is_power(v.d))
		fprintf(f, "mad.lo.s%u r, t, %lld, n;\n", b,
			b == 64 ? (long long)(0 - v.d) : (long long)(int32_t)(uint32_t)(0 - v.d));
	else if (!v.rem)
		fprintf(f, v.neg ? "neg.s%u r, t;\n" : "mov.b%u r, t;\n", b);
	return true;
}
