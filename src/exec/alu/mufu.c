/* The special unit: tables of parabolas. An argument is reduced to a fixed-point number. Its upper
 * bits select a row (c0, c1, c2) of the function's table, and the next 17 bits are x:
 *
 *            +-----------+----------------------------+
 *            |    row    |             x              |
 *            +-----------+----------------------------+
 *
 *   sum = c0 * 2^15 + round + slope * c1 * x + 4 * curve * c2 * square(x)        in units of 2^-41
 *
 * The sum is exact, and the result is its leading bits, truncated. Besides the parabola itself,
 * only the square is approximate: the unit adds only those partial products of x * x whose weight
 * is at least 2^19. `round` compensates on average for both truncations; slope and curve are powers
 * of two with a sign.
 *
 * The unit complements negative numbers instead of negating them: the fraction of an exponent, a
 * logarithm, the angle in quadrants where a function runs backwards.
 *
 * mufu.def has the rows. They, and the constants in this file, were derived from an H200's results
 * for all arguments (bench/h200/mufu.py). tests/unit/test_exec_mufu.c compares with recorded
 * results. */
#include "exec/alu/mufu.h"
#include "exec/alu/float.h"

/* A table row: c0 in the low 27 bits and the upper 5 bits of c1; c2 in 16 bits and the lower 16
 * bits of c1. */
struct row {
	uint32_t c0, c21;
};
#define ROW(c0, c1, c2) {c0 | (c1##u >> 16) << 27, c1##u << 16 | c2},
static const struct row rows[] = {
#include "exec/alu/mufu.def"
};
#undef ROW
enum { ROWS_RCP, ROWS_RSQ = 128, ROWS_SQRT = 256, ROWS_EX2 = 384, ROWS_LG2 = 448, ROWS_SIN = 512 };
enum { ROWS_TANH = 576, ROWS_ALL = 627 };
_Static_assert(sizeof rows / sizeof *rows == ROWS_ALL, "as many rows as the functions have");

struct factors {
	int32_t round, slope, curve;
};

/* The lanes' values between the steps of a function. */
struct state {
	int32_t number[LANES], x[LANES]; /* number of the table row; position in the row */
	struct row row[LANES];
	uint16_t square[LANES]; /* square of x, in units of 2^19 */
};

/* With x = 512 a + b: all of a * a except its lowest bit, the upper partial products of a * b,
 * nothing of b * b. */
LANE_FN void square_arguments(struct state *s)
{
	uint16_t a[LANES], b[LANES];
	LANE_LOOP {
		a[i] = (uint16_t)(s->x[i] >> 9);
		b[i] = (uint16_t)(s->x[i] & 511);
	}
	LANE_LOOP {
		uint16_t sum = (uint16_t)((uint16_t)(a[i] * a[i]) >> 1);
		for (int k = 1; k < 8; k++) {
			uint16_t on = (uint16_t)((int16_t)(uint16_t)(a[i] << (15 - k)) >> 15);
			sum = (uint16_t)(sum + (on & (uint16_t)(b[i] >> (9 - k))));
		}
		s->square[i] = sum;
	}
}

/* d[i] = table[k[i]] for all lanes. The fences keep the compiler from extracting the indices from
 * vector registers: loading them again is faster. */
#define LOOK_UP(d, table, k)                                                                       \
	do {                                                                                       \
		memory_fence(k);                                                                   \
		UNROLL_8                                                                           \
		for (int i = 0; i < LANES; i++)                                                    \
			memcpy(&(d)[i], &(table)[(k)[i]], sizeof *(d));                            \
		memory_fence(d);                                                                   \
	} while (0)

LANE_FN void look_up(struct state *s)
{
	LOOK_UP(s->row, rows, s->number);
	square_arguments(s);
}
LANE_FN int32_t get_c0(struct row r) { return (int32_t)(r.c0 & 0x7ffffff); }
LANE_FN int32_t get_c1(struct row r) { return (int32_t)(r.c0 >> 27 << 16 | r.c21 >> 16); }
LANE_FN int32_t get_c2(struct row r) { return (int32_t)(r.c21 & 0xffff); }

/* The sum in units of 2^-26, truncated, for functions whose results all lie within one power of
 * two. */
LANE_FN int32_t sum_upper(const struct state *s, int i, struct factors p)
{
	int32_t x = s->x[i], c1 = get_c1(s->row[i]), c2 = get_c2(s->row[i]);
	int32_t low = p.round + c1 * (x & 255) * p.slope + c2 * s->square[i] * (4 * p.curve);
	return get_c0(s->row[i]) + ((c1 * (x >> 8) * p.slope + (low >> 8)) >> 7);
}

/* The whole sum. */
LANE_FN double sum_all(const struct state *s, int i, struct factors p)
{
	int32_t x = s->x[i], c1 = get_c1(s->row[i]), c2 = get_c2(s->row[i]);
	return (double)get_c0(s->row[i]) * 32768.0 + (double)(c1 * (x >> 8)) * (256.0 * p.slope) +
	       (double)(c1 * (x & 255)) * p.slope + p.round +
	       (double)(c2 * s->square[i]) * (4.0 * p.curve);
}

/* The leading 24 bits of v >= 0. */
LANE_FN float cut_f32(double v) { return (float)as_f64(f64_bits(v) & ~0x1fffffffull); }

#define EXPONENT(a) ((a) >> 23 & 255)
#define FRACTION(a) ((a)&0x7fffff)
#define NO_SIGN(a)  ((a) & ~F32_SIGN)

/* ---- reciprocals and roots, of floats and of the upper words of doubles ---- */

/* Exponent bias of the format with that many fraction bits. */
LANE_FN uint32_t format_bias(int bits) { return bits == 23 ? 127 : 1023; }
LANE_FN uint32_t format_inf(int bits) { return bits == 23 ? F32_INF : 0x7ff00000; }
/* 17 bits of a fraction, below its `used` upper bits. */
LANE_FN int32_t lower_fraction(uint32_t a, int bits, int used)
{
	return (int32_t)(a << (17 + used - bits) & 0x1ffff);
}

LANE_FN void reciprocals(const uint32_t *a, uint32_t *d, const int bits)
{
	const uint32_t bias = format_bias(bits), inf = format_inf(bits);
	struct state s;
	LANE_LOOP {
		s.number[i] = (int32_t)(ROWS_RCP + (a[i] >> (bits - 7) & 127));
		s.x[i] = lower_fraction(a[i], bits, 7);
	}
	look_up(&s);
	LANE_LOOP {
		int32_t sum = sum_upper(&s, i, (struct factors){8092, -2, 1});
		uint32_t m = NO_SIGN(a[i]), e = m >> bits;
		uint32_t r = (uint32_t)(sum >> (25 - bits)) + ((2 * bias - 2 - e) << bits);
		r = m > (2 * bias - 1) << bits ? 0 : r; /* less than the least normal number */
		r = e ? r : inf;
		d[i] = m > inf ? F32_NAN : r | (a[i] & F32_SIGN);
	}
}

/* 1 for arguments in [2, 4), 0 for arguments in [1, 2), times any power of four. */
LANE_FN uint32_t odd_power(uint32_t a, int bits) { return ~a >> bits & 1; }

LANE_FN void find_root_rows(struct state *s, const uint32_t *a, int bits, uint32_t first)
{
	LANE_LOOP {
		s->number[i] =
			(int32_t)(first + (odd_power(a[i], bits) << 6) + (a[i] >> (bits - 6) & 63));
		s->x[i] = lower_fraction(a[i], bits, 6);
	}
	look_up(s);
}

/* Half the exponent of a power of four at or below a. */
LANE_FN uint32_t half_exponent(uint32_t a, int bits)
{
	uint32_t e = NO_SIGN(a) >> bits;
	return (uint32_t)((int32_t)(e - format_bias(bits) - odd_power(a, bits)) >> 1);
}

LANE_FN void reciprocal_roots(const uint32_t *a, uint32_t *d, const int bits)
{
	const uint32_t inf = format_inf(bits);
	struct state s;
	find_root_rows(&s, a, bits, ROWS_RSQ);
	LANE_LOOP {
		int32_t sum = sum_upper(&s, i, (struct factors){32766, -2, 2});
		/* powers of four are exact */
		sum = a[i] << (31 - bits) << 1 == 0 && !odd_power(a[i], bits) ? 1 << 26 : sum;
		uint32_t r = (uint32_t)(sum >> (25 - bits)) +
			     ((format_bias(bits) - 2 - half_exponent(a[i], bits)) << bits);
		r = a[i] == inf ? 0 : r;
		r = a[i] > inf ? F32_NAN : r;
		d[i] = NO_SIGN(a[i]) >> bits ? r : inf | (a[i] & F32_SIGN);
	}
}

void mufu_rcp(const uint32_t *a, uint32_t *d) { reciprocals(a, d, 23); }
void mufu_rcp64h(const uint32_t *a, uint32_t *d) { reciprocals(a, d, 20); }
void mufu_rsq(const uint32_t *a, uint32_t *d) { reciprocal_roots(a, d, 23); }
void mufu_rsq64h(const uint32_t *a, uint32_t *d) { reciprocal_roots(a, d, 20); }

void mufu_sqrt(const uint32_t *a, uint32_t *d)
{
	struct state s;
	find_root_rows(&s, a, 23, ROWS_SQRT);
	LANE_LOOP {
		int32_t sum = sum_upper(&s, i, (struct factors){32766, 2, -1});
		uint32_t r = (uint32_t)(sum >> 3) + ((126 + half_exponent(a[i], 23)) << 23);
		r = a[i] == F32_INF ? F32_INF : r;
		r = a[i] > F32_INF ? F32_NAN : r;
		d[i] = EXPONENT(a[i]) ? r : a[i] & F32_SIGN;
	}
}

/* ---- exponential and logarithm ---- */

/* The argument is a fixed-point number with 23 fraction bits. */
void mufu_ex2(const uint32_t *a, uint32_t *d)
{
	struct state s;
	int32_t power[LANES];
	LANE_LOOP {
		float m = as_f32(NO_SIGN(a[i]));
		int32_t t = (int32_t)((m < 255.0f ? m : 255.0f) * 0x1p23f);
		int32_t whole = FRACTION(t) == 0;
		t = a[i] >> 31 ? ~t + whole : t;
		power[i] = t >> 23;
		s.number[i] = ROWS_EX2 + (FRACTION(t) >> 17);
		s.x[i] = t & 0x1ffff;
	}
	look_up(&s);
	LANE_LOOP {
		int32_t sum = sum_upper(&s, i, (struct factors){16144, 8, 2}), n = power[i];
		uint32_t r = (uint32_t)(sum >> 3) + ((uint32_t)(n + 126) << 23);
		r = n > 127 ? F32_INF : r;
		r = n < -126 ? 0 : r;
		d[i] = f32_is_nan(a[i]) ? F32_NAN : r;
	}
}

/* The sum is truncated to units of 2^-36 before the exponent is added. */
void mufu_lg2(const uint32_t *a, uint32_t *d)
{
	struct state s;
	LANE_LOOP {
		s.number[i] = (int32_t)(ROWS_LG2 + (FRACTION(a[i]) >> 17));
		s.x[i] = (int32_t)(a[i] & 0x1ffff);
	}
	look_up(&s);
	LANE_LOOP {
		double v = sum_all(&s, i, (struct factors){6696, 8, -4}) * 0x1p-5;
		v = (v - 31.0 / 64 + 0x1p52) - 0x1p52; /* the floor of 32nds */
		v += (double)((int32_t)EXPONENT(a[i]) - 127) * 0x1p36;
		uint32_t sign = v < 0 ? F32_SIGN : 0;
		v = v < 0 ? -1.0 - v : v;
		uint32_t r = f32_bits(cut_f32(v) * 0x1p-36f) | sign;
		r = a[i] == 0x3f800000 ? 0 : r;
		r = a[i] == F32_INF ? F32_INF : r;
		r = a[i] > F32_INF ? F32_NAN : r;
		r = EXPONENT(a[i]) ? r : F32_SIGN | F32_INF;
		d[i] = NO_SIGN(a[i]) > F32_INF ? F32_NAN : r;
	}
}

/* ---- circular and hyperbolic functions ---- */

/* An angle in turns has 25 fraction bits; the table covers a quarter, 2^23 units. */
LANE_FN void sines(const uint32_t *a, uint32_t *d, const uint32_t ahead, const uint32_t keep)
{
	struct state s;
	uint32_t angle[LANES];
	LANE_LOOP {
		uint32_t fits =
			-(uint32_t)(NO_SIGN(a[i]) < 0x4b800000); /* from 2^24 on, an argument is a
								  * whole number of turns */
		float m = as_f32(NO_SIGN(a[i]) & fits);
		angle[i] = (uint32_t)(int32_t)((m - (float)(int32_t)m) * 0x1p25f) + ahead;
		uint32_t back = -(angle[i] >> 23 & 1), t = (angle[i] ^ back) & 0x7fffff;
		s.number[i] = (int32_t)(ROWS_SIN + (t >> 17));
		s.x[i] = (int32_t)(t & 0x1ffff);
	}
	look_up(&s);
	LANE_LOOP {
		double v = sum_all(&s, i, (struct factors){0, 16, -4});
		uint32_t r = f32_bits(cut_f32(v < 0x1p41 ? v : 0x1p41) * 0x1p-41f);
		r |= (a[i] & keep) ^ (angle[i] << 7 & F32_SIGN);
		d[i] = (a[i] & F32_INF) == F32_INF ? F32_NAN : r;
	}
}
void mufu_sin(const uint32_t *a, uint32_t *d) { sines(a, d, 0, F32_SIGN); }
void mufu_cos(const uint32_t *a, uint32_t *d) { sines(a, d, 1 << 23, 0); }

/* Table rows by exponent, from 2^-8 on: each exponent has a power of two of them. */
void mufu_tanh(const uint32_t *a, uint32_t *d)
{
	enum { LEAST = 127 - 8, EXPONENTS = 11 };
	/* the first row, and the number of rows, of each exponent */
	static const _Alignas(4)
		uint16_t table[EXPONENTS][2] = {{0, 1},  {1, 1},  {2, 1},  {3, 2},   {5, 2}, {7, 4},
						{11, 4}, {15, 4}, {19, 8}, {27, 16}, {43, 8}};
	struct state s;
	uint32_t e[LANES], at[LANES];
	LANE_LOOP {
		e[i] = EXPONENT(a[i]) - LEAST;
		e[i] = e[i] < EXPONENTS ? e[i] : 0;
	}
	LOOK_UP(at, (const uint32_t *)table, e);
	LANE_LOOP {
		uint32_t m = FRACTION(a[i]) * (at[i] >> 16);
		s.number[i] = (int32_t)(ROWS_TANH + (at[i] & 0xffff) + (m >> 23));
		s.x[i] = (int32_t)(FRACTION(m) >> 6);
	}
	look_up(&s);
	LANE_LOOP {
		uint32_t m = NO_SIGN(a[i]);
		double v = sum_all(&s, i, (struct factors){0, 4, -2});
		uint32_t r = f32_bits(cut_f32(v < 0x1p41 ? v : 0x1p41) * 0x1p-41f);
		r = m < (uint32_t)LEAST << 23 ? m : r;
		r = m >= (uint32_t)(LEAST + EXPONENTS) << 23 ? 0x3f800000 : r;
		d[i] = m > F32_INF ? F32_NAN : r | (a[i] & F32_SIGN);
	}
}
