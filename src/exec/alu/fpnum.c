#include "exec/alu/fpnum.h"

struct num_format num_format(unsigned type)
{
	switch (type) {
	case T_F16:
	case T_F16X2: return (struct num_format){5, 10, false};
	case T_BF16:
	case T_BF16X2: return (struct num_format){8, 7, false};
	case T_F32: return (struct num_format){8, 23, false};
	case T_TF32: return (struct num_format){8, 10, false};
	case T_F64: return (struct num_format){11, 52, false};
	case T_E4M3:
	case T_E4M3X2: return (struct num_format){4, 3, true};
	case T_E5M2:
	case T_E5M2X2: return (struct num_format){5, 2, false};
	default: return (struct num_format){0, 0, false};
	}
}

static int bias_of(struct num_format f) { return (1 << (f.ebits - 1)) - 1; }
/* The first code above the finite numbers: infinity, or e4m3's NaN. */
static uint64_t overflow_code(struct num_format f)
{
	uint64_t inf = ((1ull << f.ebits) - 1) << f.mbits;
	return f.no_inf ? inf | ((1ull << f.mbits) - 1) : inf;
}

static void normalise(struct num *x)
{
	int n = __builtin_clzll(x->sig);
	x->sig <<= n;
	x->exp -= n;
}

struct num num_from_float(uint64_t bits, struct num_format f)
{
	unsigned width = 1u + f.ebits + f.mbits;
	uint64_t mag = bits & ((1ull << (width - 1)) - 1);
	uint64_t frac = mag & ((1ull << f.mbits) - 1);
	int e = (int)(mag >> f.mbits);
	struct num x = {.neg = bits >> (width - 1) & 1};
	if (mag >= overflow_code(f)) {
		x.cls = f.no_inf || frac ? NUM_NAN : NUM_INF;
		x.sig = frac << (64 - f.mbits);
		return x;
	}
	if (!mag)
		return x;
	x.cls = NUM_FINITE;
	x.denormal = !e;
	x.sig = e ? frac | 1ull << f.mbits : frac;
	x.exp = (e ? e : 1) - bias_of(f) - f.mbits + 63;
	normalise(&x);
	return x;
}

uint64_t int_extend(uint64_t x, unsigned type)
{
	unsigned shift = 64 - type_bits(type);
	return type_is_signed(type) ? (uint64_t)((int64_t)(x << shift) >> shift)
				    : x << shift >> shift;
}

struct num num_from_int(uint64_t bits, unsigned type)
{
	uint64_t v = int_extend(bits, type);
	struct num x = {.exp = 63};
	if (!v)
		return x;
	x.cls = NUM_FINITE;
	x.neg = type_is_signed(type) && v >> 63;
	x.sig = x.neg ? -v : v;
	normalise(&x);
	return x;
}

/* sig >> drop, rounded; drop may be anything from 0 up. A carry out of 64 bits cannot happen when
 * drop > 0. */
static uint64_t shift_round(uint64_t sig, unsigned drop, bool neg, unsigned rnd)
{
	if (!drop)
		return sig;
	uint64_t q = drop > 63 ? 0 : sig >> drop;
	uint64_t rest = drop > 64 ? 1 : drop == 64 ? sig : sig << (64 - drop);
	uint64_t half = 1ull << 63;
	if (!rest)
		return q;
	switch (rnd) {
	case RND_RZ:
	case RND_RZI: return q;
	case RND_RM:
	case RND_RMI: return q + neg;
	case RND_RP:
	case RND_RPI: return q + !neg;
	case RND_RNA: return q + (rest >= half);
	default: return q + (rest > half || (rest == half && q & 1));
	}
}

static bool rounds_to_inf(bool neg, unsigned rnd)
{
	return rnd == RND_RZ ? false : rnd == RND_RM ? neg : rnd == RND_RP ? !neg : true;
}

uint64_t num_to_float(struct num x, struct num_format f, unsigned rnd, unsigned flags)
{
	uint64_t sign = (uint64_t)x.neg << (f.ebits + f.mbits), over = overflow_code(f), mag;
	unsigned drop = 63u - f.mbits;
	int emin = 1 - bias_of(f);
	if (x.cls == NUM_ZERO)
		return sign;
	if (x.cls == NUM_INF)
		return sign | (flags & NUM_SATFINITE ? over - 1 : over);
	if (x.exp < emin) {
		bool carries =
			x.exp == emin - 1 && shift_round(x.sig, drop, x.neg, rnd) >> (f.mbits + 1);
		if (flags & NUM_FLUSH && !carries)
			return sign;
		mag = shift_round(x.sig, drop + (unsigned)(emin - x.exp), x.neg, rnd);
	} else if (x.exp > emin + (int)(over >> f.mbits)) {
		mag = over;
	} else {
		mag = shift_round(x.sig, drop, x.neg, rnd) + ((uint64_t)(x.exp - emin) << f.mbits);
	}
	if (mag >= over)
		mag = flags & NUM_SATFINITE || !rounds_to_inf(x.neg, rnd) ? over - 1 : over;
	return sign | mag;
}

struct num num_to_integral(struct num x, unsigned rnd)
{
	if (x.cls != NUM_FINITE || x.exp >= 63)
		return x;
	x.sig = shift_round(x.sig, (unsigned)(63 - x.exp), x.neg, rnd);
	x.exp = 63;
	x.denormal = false;
	x.cls = x.sig ? NUM_FINITE : NUM_ZERO;
	if (x.sig)
		normalise(&x);
	return x;
}

uint64_t num_to_int(struct num x, unsigned type, unsigned rnd)
{
	unsigned bits = type_bits(type);
	bool is_signed = type_is_signed(type);
	uint64_t limit = is_signed ? (1ull << (bits - 1)) - !x.neg
			 : x.neg   ? 0
				   : ~0ull >> (64 - bits);
	uint64_t mag = limit;
	if (x.cls == NUM_ZERO)
		return 0;
	if (x.cls == NUM_FINITE && x.exp <= 63)
		mag = shift_round(x.sig, (unsigned)(63 - x.exp), x.neg, rnd);
	if (mag > limit)
		mag = limit;
	return x.neg ? -mag : mag;
}

uint64_t int_saturate(uint64_t bits, unsigned from, unsigned to)
{
	uint64_t v = int_extend(bits, from);
	bool neg = type_is_signed(from) && v >> 63;
	unsigned n = type_bits(to);
	uint64_t max = ~0ull >> (64 - n + type_is_signed(to));
	if (neg) {
		uint64_t min = type_is_signed(to) ? ~max : 0;
		return !type_is_signed(to) || (int64_t)v < (int64_t)min ? min : v;
	}
	return v > max ? max : v;
}
