/* Fermi's floats and conversions, word by word, against a separate model. */
#include "native_fermi_model.h"

/* ---- operands and results ---- */

static struct soft modified(struct soft x, bool abs, bool neg)
{
	x.neg = (abs ? false : x.neg) != neg;
	return x;
}

static struct soft single(uint64_t v, bool ftz) { return soft_get((uint32_t)v, F32, ftz); }

/* A and B with the sign bits of most instructions: 9 and 7, 8 and 6. */
static struct soft a_signed(const struct machine *m, uint64_t w, bool ftz)
{
	return modified(single(a_of(m, w, false), ftz), bits(w, 7, 1), bits(w, 9, 1));
}
static struct soft b_signed(const struct machine *m, uint64_t w, bool ftz)
{
	return modified(single(b_of(m, w, B_F32), ftz), bits(w, 6, 1), bits(w, 8, 1));
}
static struct soft wide_a(const struct machine *m, uint64_t w)
{
	return soft_get(a_of(m, w, true), F64, false);
}
static struct soft wide_b(const struct machine *m, uint64_t w)
{
	return soft_get(b_of(m, w, B_F64), F64, false);
}

static void put_single(struct machine *m, uint64_t w, struct soft x, unsigned rnd, bool ftz,
		       bool sat)
{
	uint32_t v = (uint32_t)soft_put(x, F32, rnd, ftz);
	if (sat)
		v = (uint32_t)model_clamp(v, F32);
	put(m, w, v, model_float_flags(soft_get(v, F32, false)));
}

static void put_double(struct machine *m, uint64_t w, struct soft x, unsigned rnd)
{
	uint64_t v = soft_put(x, F64, rnd, false);
	put(m, w, (uint32_t)v, model_float_flags(soft_get(v, F64, false)));
	m->r[bits(w, 14, 6) + 1] = (uint32_t)(v >> 32);
}

static unsigned rnd_at(uint64_t w, unsigned lo) { return model_rnd[bits(w, lo, 2)]; }
static bool compares(uint64_t w, struct soft a, struct soft b)
{
	return bits(w, 55, 4) & model_order(a, b);
}

/* ---- singles ---- */

static void fadd(struct machine *m, uint64_t w)
{
	bool ftz = bits(w, 5, 1);
	unsigned rnd = rnd_at(w, 55);
	put_single(m, w, soft_add(a_signed(m, w, ftz), b_signed(m, w, ftz), rnd), rnd, ftz,
		   bits(w, 49, 1));
}

static void fadd32i(struct machine *m, uint64_t w)
{
	bool ftz = bits(w, 5, 1);
	struct soft b = modified(single(bits(w, 26, 32), ftz), bits(w, 6, 1), bits(w, 8, 1));
	put_single(m, w, soft_add(a_signed(m, w, ftz), b, RND_RN), RND_RN, ftz, false);
}

static bool is_zero(struct soft x) { return x.cls == SOFT_FINITE && !x.sig; }

/* FMZ (bit 7): operands are flushed, and zero times anything is zero. */
static struct soft times(uint64_t w, uint64_t a, uint64_t b, bool neg)
{
	bool fmz = bits(w, 7, 1), ftz = bits(w, 6, 1) || fmz;
	struct soft x = single(a, ftz), y = single(b, ftz), zero = {.cls = SOFT_FINITE};
	if (fmz && (is_zero(x) || is_zero(y)))
		return zero;
	return modified(soft_mul(x, y), false, neg);
}

static void fmul(struct machine *m, uint64_t w)
{
	static const int8_t scale[] = {0, -1, -2, -3, 3, 2, 1};
	bool ftz = bits(w, 6, 2);
	unsigned rnd = rnd_at(w, 55);
	struct soft p = times(w, a_of(m, w, false), b_of(m, w, B_F32), bits(w, 57, 1));
	if (bits(w, 49, 3)) { /* the result, times a power of two */
		p = soft_get(soft_put(p, F32, rnd, ftz), F32, ftz);
		p.exp += scale[bits(w, 49, 3)];
	}
	put_single(m, w, p, rnd, ftz, bits(w, 5, 1));
}

static void fmul32i(struct machine *m, uint64_t w)
{
	put_single(m, w, times(w, a_of(m, w, false), bits(w, 26, 32), false), RND_RN, bits(w, 6, 2),
		   bits(w, 5, 1));
}

static void fused(struct machine *m, uint64_t w, uint64_t b, uint64_t c, unsigned rnd)
{
	bool ftz = bits(w, 6, 2);
	struct soft p = times(w, a_of(m, w, false), b, bits(w, 9, 1)),
		    x = modified(single(c, ftz), false, bits(w, 8, 1));
	put_single(m, w, soft_add(p, x, rnd), rnd, ftz, bits(w, 5, 1));
}
static void ffma(struct machine *m, uint64_t w)
{
	fused(m, w, b_of(m, w, B_F32), c_of(m, w, false), rnd_at(w, 55));
}
static void ffma32i(struct machine *m, uint64_t w)
{
	fused(m, w, bits(w, 26, 32), m->r[bits(w, 14, 6)], RND_RN);
}

static void fmnmx(struct machine *m, uint64_t w)
{
	bool ftz = bits(w, 5, 1);
	put_single(m, w, model_lesser(a_signed(m, w, ftz), b_signed(m, w, ftz), pred_at(m, w, 49)),
		   RND_RN, ftz, false);
}

static bool fset_holds(const struct machine *m, uint64_t w)
{
	bool ftz = bits(w, 59, 1);
	return compares(w, a_signed(m, w, ftz), b_signed(m, w, ftz));
}
static void fset(struct machine *m, uint64_t w) { put_set(m, w, fset_holds(m, w), 5); }
static void fsetp(struct machine *m, uint64_t w) { put_setp(m, w, fset_holds(m, w)); }

static void fcmp(struct machine *m, uint64_t w)
{
	struct soft c = single(c_of(m, w, false), bits(w, 5, 1)), zero = {.cls = SOFT_FINITE};
	put_zs(m, w, (uint32_t)(compares(w, c, zero) ? a_of(m, w, false) : b_of(m, w, B_F32)));
}

/* ---- doubles ---- */

static struct soft wide_a_signed(const struct machine *m, uint64_t w)
{
	return modified(wide_a(m, w), bits(w, 7, 1), bits(w, 9, 1));
}
static struct soft wide_b_signed(const struct machine *m, uint64_t w)
{
	return modified(wide_b(m, w), bits(w, 6, 1), bits(w, 8, 1));
}

static void dadd(struct machine *m, uint64_t w)
{
	put_double(m, w, soft_add(wide_a_signed(m, w), wide_b_signed(m, w), rnd_at(w, 55)),
		   rnd_at(w, 55));
}
static void dmul(struct machine *m, uint64_t w)
{
	put_double(m, w, modified(soft_mul(wide_a(m, w), wide_b(m, w)), false, bits(w, 9, 1)),
		   rnd_at(w, 55));
}
static void dfma(struct machine *m, uint64_t w)
{
	struct soft p = modified(soft_mul(wide_a(m, w), wide_b(m, w)), false, bits(w, 9, 1));
	struct soft c = modified(soft_get(c_of(m, w, true), F64, false), false, bits(w, 8, 1));
	put_double(m, w, soft_add(p, c, rnd_at(w, 55)), rnd_at(w, 55));
}
static void dmnmx(struct machine *m, uint64_t w)
{
	put_double(m, w, model_lesser(wide_a_signed(m, w), wide_b_signed(m, w), pred_at(m, w, 49)),
		   RND_RN);
}
static void dset(struct machine *m, uint64_t w)
{
	put_set(m, w, compares(w, wide_a_signed(m, w), wide_b_signed(m, w)), 5);
}
static void dsetp(struct machine *m, uint64_t w)
{
	put_setp(m, w, compares(w, wide_a_signed(m, w), wide_b_signed(m, w)));
}

/* ---- conversions: types of 20-21 and 23-24 ---- */

static struct soft_fmt format(unsigned code) { return code == 1 ? F16 : code == 2 ? F32 : F64; }

static struct soft float_source(const struct machine *m, uint64_t w)
{
	struct soft_fmt f = format(bits(w, 23, 2));
	uint64_t v = b_of(m, w, bits(w, 23, 2) == 3 ? B_F64 : B_F32);
	if (f.mbits == 10)
		v = v >> (bits(w, 56, 1) ? 16 : 0) & 0xffff;
	struct soft x =
		soft_get(f.mbits == 52 ? v : (uint32_t)v, f, f.mbits == 23 && bits(w, 55, 1));
	return modified(x, bits(w, 6, 1), bits(w, 8, 1));
}

static void f2f(struct machine *m, uint64_t w)
{
	struct soft_fmt to = format(bits(w, 20, 2));
	struct soft x = float_source(m, w);
	bool whole = bits(w, 7, 1), ftz = bits(w, 55, 1) && to.mbits == 23;
	unsigned rnd = rnd_at(w, 49);
	uint64_t v = soft_put(whole ? model_whole(x, rnd) : x, to, rnd, ftz);
	if (bits(w, 5, 1))
		v = model_clamp(v, to);
	put(m, w, (uint32_t)v, model_float_flags(soft_get(v, to, false)));
	if (to.mbits == 52)
		m->r[bits(w, 14, 6) + 1] = (uint32_t)(v >> 32);
}

/* The result of an integer type in a register, or in two. */
static void put_integer(struct machine *m, uint64_t w, uint64_t v, unsigned width, bool is_signed)
{
	if (width == 64) {
		put(m, w, (uint32_t)v, (v == 0) | (unsigned)(v >> 63) << 1);
		m->r[bits(w, 14, 6) + 1] = (uint32_t)(v >> 32);
		return;
	}
	v &= (1ull << width) - 1;
	if (is_signed && v >> (width - 1) & 1)
		v |= ~0ull << width;
	put_zs(m, w, (uint32_t)v);
}

static void f2i(struct machine *m, uint64_t w)
{
	unsigned width = 8u << bits(w, 20, 2);
	bool is_signed = bits(w, 7, 1);
	put_integer(m, w, model_f2i(float_source(m, w), rnd_at(w, 49), width, is_signed), width,
		    is_signed);
}

/* The magnitude of the source and its sign. */
static uint64_t int_source(const struct machine *m, uint64_t w, bool *neg)
{
	unsigned size = bits(w, 23, 2), width = 8u << size,
		 at = size == 0   ? 8 * bits(w, 55, 2)
		      : size == 1 ? 16 * bits(w, 56, 1)
				  : 0;
	uint64_t v = b_of(m, w, size == 3 ? B_F64 : B_INT);
	v = size == 3 ? v : (uint32_t)v >> at;
	if (size < 3)
		v &= (1ull << width) - 1;
	*neg = bits(w, 9, 1) && v >> (width - 1) & 1;
	if (*neg)
		v = size == 3 ? -v : (1ull << width) - v;
	if (bits(w, 6, 1))
		*neg = false;
	*neg = (*neg != bits(w, 8, 1)) && v;
	return v;
}

static void i2f(struct machine *m, uint64_t w)
{
	bool neg;
	uint64_t mag = int_source(m, w, &neg);
	struct soft_fmt to = format(bits(w, 20, 2));
	uint64_t v = soft_put(model_integer(mag, neg), to, rnd_at(w, 49), false);
	put(m, w, (uint32_t)v, model_float_flags(soft_get(v, to, false)));
	if (to.mbits == 52)
		m->r[bits(w, 14, 6) + 1] = (uint32_t)(v >> 32);
}

static void i2i(struct machine *m, uint64_t w)
{
	bool neg, is_signed = bits(w, 7, 1);
	unsigned width = 8u << bits(w, 20, 2);
	uint64_t v = int_source(m, w, &neg), least = is_signed ? 1ull << (width - 1) : 0,
		 most = is_signed ? least - 1 : (1ull << width) - 1;
	if (bits(w, 5, 1))
		v = neg ? -(v > least ? least : v) : v > most ? most : v;
	else
		v = neg ? -v : v;
	put_integer(m, w, v, width, is_signed);
}

/* ---- words ---- */

#define CONVERT           (AB | NO_A | NO_IMM20)
#define SIGNS             (1ull << 6 | 1ull << 8)
#define FROM_TO(to, from) ((uint64_t)(to) << 20 | (uint64_t)(from) << 23)
#define RND49             (3ull << 49)
static const struct row rows[] = {
	{"FMNMX", OP5(1), 31ull << 5 | PRED49 | CCBIT, AB, fmnmx},
	{"FSET", OP5(2), 1ull << 59 | 31ull << 5 | 15ull << 55 | PRED49 | CCBIT, AB | COMBINES,
	 fset},
	{"FSETP", OP5(4), 1ull << 59 | 15ull << 6 | 15ull << 55 | PRED49, AB | COMBINES | SETP,
	 fsetp},
	{"FFMA", OP5(6), 1ull << 5 | 1ull << 6 | 3ull << 8 | 3ull << 55 | CCBIT, ABC, ffma},
	{"FFMA.FMZ", OP5(6) | 1ull << 7, 1ull << 5 | 3ull << 8 | 3ull << 55 | CCBIT, ABC, ffma},
	{"FCMP", OP5(7), 1ull << 5 | 15ull << 55 | CCBIT, ABC, fcmp},
	{"FADD", OP5(10), 31ull << 5 | 1ull << 49 | 3ull << 55 | CCBIT, AB, fadd},
	{"FMUL", OP5(11), 3ull << 5 | 7ull << 55 | CCBIT, AB, fmul},
	{"FMUL.FMZ", OP5(11) | 1ull << 7, 1ull << 5 | 7ull << 55 | CCBIT, AB, fmul},
	{"FMUL.D", OP5(11), 3ull << 5 | 3ull << 49 | 7ull << 55, AB, fmul},
	{"FMUL.M", OP5(11) | 4ull << 49, 3ull << 5 | 1ull << 49 | 7ull << 55, AB, fmul},
	{"FFMA32I", OP5(4) | 2, 3ull << 5 | 3ull << 8 | 1ull << 58, IMM32, ffma32i},
	{"FADD32I", OP5(5) | 2, 31ull << 5 | 1ull << 58, IMM32, fadd32i},
	{"FMUL32I", OP5(6) | 2, 3ull << 5 | 1ull << 58, IMM32, fmul32i},
	{"DMNMX", OP5(1) | 1, 15ull << 6 | PRED49 | CCBIT, AB | PAIRS | ANY_NAN, dmnmx},
	{"DSET", OP5(2) | 1, 31ull << 5 | 15ull << 55 | PRED49 | CCBIT, AB | PAIRS | COMBINES,
	 dset},
	{"DSETP", OP5(3) | 1, 15ull << 6 | 15ull << 55 | PRED49, AB | PAIRS | COMBINES | SETP,
	 dsetp},
	{"DFMA", OP5(4) | 1, 3ull << 8 | 3ull << 55 | CCBIT, ABC | PAIRS | ANY_NAN, dfma},
	{"DADD", OP5(9) | 1, 15ull << 6 | 3ull << 55 | CCBIT, AB | PAIRS | ANY_NAN, dadd},
	{"DMUL", OP5(10) | 1, 1ull << 9 | 3ull << 55 | CCBIT, AB | PAIRS | ANY_NAN, dmul},
	{"F2F.F32.F32", OP6(4) | 4 | FROM_TO(2, 2),
	 SIGNS | 1ull << 5 | 1ull << 7 | RND49 | 1ull << 55 | CCBIT, CONVERT, f2f},
	{"F2F.F64.F64", OP6(4) | 4 | FROM_TO(3, 3), SIGNS | 1ull << 7 | RND49 | CCBIT,
	 CONVERT | PAIRS | ANY_NAN, f2f},
	{"F2F.F64.F32", OP6(4) | 4 | FROM_TO(3, 2), SIGNS | 1ull << 55 | CCBIT, CONVERT | ANY_NAN,
	 f2f},
	{"F2F.F32.F64", OP6(4) | 4 | FROM_TO(2, 3), SIGNS | 1ull << 5 | RND49 | 1ull << 55 | CCBIT,
	 CONVERT | PAIRS | ANY_NAN32, f2f},
	{"F2F.F16.F32", OP6(4) | 4 | FROM_TO(1, 2), SIGNS | RND49 | 1ull << 55 | CCBIT, CONVERT,
	 f2f},
	{"F2F.F32.F16", OP6(4) | 4 | FROM_TO(2, 1), SIGNS | 1ull << 5 | 1ull << 56 | CCBIT, CONVERT,
	 f2f},
	{"F2I of singles", OP6(5) | 4 | FROM_TO(0, 2),
	 SIGNS | 1ull << 7 | 3ull << 20 | RND49 | 1ull << 55 | CCBIT, CONVERT, f2i},
	{"F2I of doubles", OP6(5) | 4 | FROM_TO(0, 3),
	 SIGNS | 1ull << 7 | 3ull << 20 | RND49 | CCBIT, CONVERT | PAIRS, f2i},
	{"I2F.F32", OP6(6) | 4 | FROM_TO(2, 0),
	 SIGNS | 1ull << 9 | 1ull << 23 | RND49 | 1ull << 56 | CCBIT, CONVERT, i2f},
	{"I2F.F32, bytes", OP6(6) | 4 | FROM_TO(2, 0), SIGNS | 1ull << 9 | 3ull << 55 | CCBIT,
	 CONVERT, i2f},
	{"I2F.F32, words", OP6(6) | 4 | FROM_TO(2, 2), SIGNS | 1ull << 9 | RND49 | CCBIT, CONVERT,
	 i2f},
	{"I2F.F32, 64 bits", OP6(6) | 4 | FROM_TO(2, 3), 1ull << 9 | 1ull << 6 | RND49 | CCBIT,
	 CONVERT | PAIRS, i2f},
	{"I2F.F64", OP6(6) | 4 | FROM_TO(3, 2), SIGNS | 1ull << 9 | 1ull << 23 | RND49 | CCBIT,
	 CONVERT | PAIRS, i2f},
	{"I2I, words", OP6(7) | 4 | FROM_TO(0, 2),
	 SIGNS | 1ull << 5 | 1ull << 7 | 1ull << 9 | 1ull << 20 | CCBIT, CONVERT, i2i},
	{"I2I to words", OP6(7) | 4 | FROM_TO(2, 0),
	 SIGNS | 1ull << 5 | 1ull << 7 | 1ull << 9 | 3ull << 55 | CCBIT, CONVERT, i2i},
	{"I2I of halves", OP6(7) | 4 | FROM_TO(2, 1),
	 SIGNS | 1ull << 5 | 1ull << 7 | 1ull << 9 | 1ull << 56 | CCBIT, CONVERT, i2i},
};

static void words(void **state)
{
	(void)state;
	check_rows(rows, sizeof rows / sizeof *rows, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
