/* Compares the execution of one instruction word with a model: a kernel loads registers and flags,
 * executes the word, and stores the results. Modifier bits of the word are drawn at random. A model
 * reads the bits as the machine's tables define them, so it shares neither decoder nor executor with
 * the code under test. */
#ifndef TEST_NATIVE_MODEL_H
#define TEST_NATIVE_MODEL_H
#include "isa/native.h"
#include "native_rig.h"
#include "soft_ref.h"

enum { MODEL_LANES = 96, MODEL_IN = 8, MODEL_OUT = 4 };

static inline uint64_t model_random(void)
{
	static uint64_t x = 0x2545f4914f6cdd1dull;
	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static inline uint32_t model_pick(const uint32_t *v, unsigned n) { return v[model_random() % n]; }

/* A random word: near the edges of integers or floats, small, or arbitrary. */
static inline uint32_t model_word(void)
{
	static const uint32_t edge[] = {
		0,          1,          2,          0x7fffffff, 0x80000000, 0xffffffff, 0x80000001,
		0x7fff,     0x8000,     0xffff,     0x10000,    0x7f,       0x80,       0xff,
		31,         32,         33,         16,         0x3f800000, 0xbf800000, 0x7f800000,
		0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x00800000, 0x80800000, 0x007fffff,
		0x00000001, 0x80000001, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3fc00000, 0x4b000001,
		0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x42c80000, 0x477fe000, 0x38800000,
		0x40200000, 0xc0200000, 0x3f7fffff};
	switch (model_random() % 6) {
	case 0: return (uint32_t)model_random() & 63;
	case 1: return (uint32_t)(int8_t)model_random();
	case 2: return (uint32_t)(int16_t)model_random();
	case 3: return (uint32_t)model_random();
	case 4: /* a float near one */ return (uint32_t)(model_random() & 0x81ffffff) + 0x3e800000;
	default: return model_pick(edge, sizeof edge / sizeof *edge);
	}
}

static inline void model_inputs(uint32_t in[MODEL_LANES][MODEL_IN], bool doubles)
{
	for (unsigned i = 0; i < MODEL_LANES; i++)
		for (unsigned k = 0; k < MODEL_IN; k++)
			in[i][k] = model_word();
	for (unsigned i = 0; doubles && i < MODEL_LANES; i++)
		for (unsigned k = 0; k < MODEL_IN;
		     k += 2) { /* singles as doubles, close to each other */
			union {
				uint32_t u;
				float f;
			} s = {in[i][k]};
			double d = s.f;
			uint64_t b;
			memcpy(&b, &d, sizeof b);
			if (i % 3)
				in[i][k] = (uint32_t)b | (i & 1),
				in[i][k + 1] = (uint32_t)(b >> 32);
		}
}

/* Runs kernel k of the listing: one block of lanes, parameters: out, in. */
static inline void model_run(const char *text, uint32_t in[MODEL_LANES][MODEL_IN],
			     uint32_t out[MODEL_LANES][MODEL_OUT])
{
	struct rig r = rig_text(BY_TOKENS, text);
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof(uint32_t[MODEL_LANES][MODEL_OUT])),
			  (uint32_t)buffer(&r, in, sizeof(uint32_t[MODEL_LANES][MODEL_IN]))};
	must(&r, run(&r, "k", 1, 1, MODEL_LANES, 1, p));
	back(&r, out, p[0], sizeof(uint32_t[MODEL_LANES][MODEL_OUT]));
	rig_close(&r);
}

static inline uint32_t bits(uint64_t w, unsigned lo, unsigned n)
{
	return (uint32_t)(w >> lo & ((1ull << n) - 1));
}

/* ---- integers ---- */

/* x + y + c in `width` bits; *flags: Z S C O. */
static inline uint32_t model_sum(uint32_t x, uint32_t y, unsigned c, bool sat, unsigned width,
				 unsigned *flags)
{
	uint64_t m = (1ull << width) - 1, u = (x & m) + (y & m) + c;
	uint32_t v = (uint32_t)(u & m);
	unsigned top = width - 1;
	bool over = (x >> top & 1) == (y >> top & 1) && (x >> top & 1) != (v >> top & 1);
	if (sat && over)
		v = x >> top & 1 ? 1u << top : (1u << top) - 1;
	*flags = (v == 0) | (v >> top & 1) << 1 | (unsigned)(u >> width & 1) << 2 |
		 (unsigned)over << 3;
	return v;
}

static inline unsigned model_zs(uint32_t v, unsigned width)
{
	v &= (uint32_t)((1ull << width) - 1);
	return (v == 0) | (v >> (width - 1) & 1) << 1;
}

/* Condition codes 0 to 15 of both machines: Z S C O are bits 0 to 3. */
static inline bool model_test(unsigned code, unsigned cc)
{
	bool z = cc & 1, s = cc & 2, o = cc & 8;
	switch (code) {
	case 0: return false;
	case 1: return (s && !z) != o;
	case 2: return z && !s;
	case 3: return s != (z || o);
	case 4: return !z && s == o;
	case 5: return !z;
	case 6: return s == o;
	case 7: return !z || !s;
	case 8: return z && s;
	case 9: return s != o;
	case 10: return z;
	case 11: return z || s != o;
	case 12: return !s != (z || o);
	case 13: return !z || s;
	case 14: return (!s || z) != o;
	default: return true;
	}
}

/* ---- floats ---- */

static const struct soft_fmt F16 = {5, 10}, F32 = {8, 23}, F64 = {11, 52};
static const uint8_t model_rnd[] = {RND_RN, RND_RM, RND_RP, RND_RZ};

/* Result bits of a float comparison: less 1, equal 2, greater 4, unordered 8. */
static inline unsigned model_order(struct soft a, struct soft b)
{
	if (a.cls == SOFT_NAN || b.cls == SOFT_NAN)
		return 8;
	struct soft d = b;
	d.neg = !d.neg;
	if (a.cls == SOFT_INF && b.cls == SOFT_INF && a.neg == b.neg)
		return 2;
	d = soft_add(a, d, RND_RN);
	return d.cls == SOFT_FINITE && !d.sig ? 2 : d.neg ? 1 : 4;
}

/* Z: zero or NaN; S: negative or NaN. */
static inline unsigned model_float_flags(struct soft x)
{
	bool nan = x.cls == SOFT_NAN, zero = x.cls == SOFT_FINITE && !x.sig;
	return (unsigned)(nan || zero) | (unsigned)(nan || (x.neg && !zero)) << 1;
}

/* NaN loses against a number; -0 is less than 0. */
static inline struct soft model_lesser(struct soft a, struct soft b, bool least)
{
	if (a.cls == SOFT_NAN || b.cls == SOFT_NAN)
		return a.cls == SOFT_NAN ? b : a;
	unsigned o = model_order(a, b);
	return (o == 2 ? a.neg : o == 1) == least ? a : b;
}

static inline uint64_t model_clamp(uint64_t v, struct soft_fmt f)
{
	uint64_t one = (uint64_t)((1u << (f.ebits - 1)) - 1) << f.mbits,
		 top = 1ull << (f.ebits + f.mbits);
	bool nan = soft_get(v, f, false).cls == SOFT_NAN;
	return nan || v & top ? 0 : v > one ? one : v;
}

/* Rounds to an integer in the same format. */
static inline struct soft model_whole(struct soft x, unsigned rnd)
{
	if (x.cls != SOFT_FINITE || !x.sig || x.exp + SOFT_TOP >= 63)
		return x;
	if (x.exp < -126) { /* every bit is behind the binary point */
		x.sig = 3;  /* less than a half */
		x.exp = -126;
	}
	uint64_t q = soft_round(x.sig, -x.exp, x.neg, rnd);
	x.sig = q;
	x.exp = 0;
	return soft_norm(x);
}

/* Converts to an integer, clamped; NaN becomes 0. */
static inline uint64_t model_f2i(struct soft x, unsigned rnd, unsigned width, bool is_signed)
{
	uint64_t most = is_signed     ? (1ull << (width - 1)) - 1
			: width == 64 ? UINT64_MAX
				      : (1ull << width) - 1;
	uint64_t least = is_signed ? 1ull << (width - 1) : 0; /* magnitude */
	if (x.cls == SOFT_NAN)
		return 0;
	x = model_whole(x, rnd);
	uint64_t mag = UINT64_MAX;
	if (x.cls == SOFT_FINITE && !x.sig)
		mag = 0;
	else if (x.cls == SOFT_FINITE && x.exp + SOFT_TOP < 64)
		mag = (uint64_t)(x.exp >= 0 ? x.sig << x.exp : x.sig >> -x.exp);
	if (x.neg)
		return -(mag > least ? least : mag);
	return mag > most ? most : mag;
}

static inline struct soft model_integer(uint64_t mag, bool neg)
{
	struct soft x = {.neg = neg, .sig = mag};
	return soft_norm(x);
}

#endif
