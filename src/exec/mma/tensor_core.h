/* The arithmetic of Hopper's tensor core for narrow floats (wgmma, machine code's HGMMA, QGMMA).
 *
 * All products of an instruction and the addend are one block: exact products, each with the sum of
 * its operands' exponents (a denormal has that of the smallest normal; operands are not normalised).
 * The largest exponent E among the nonzero terms sets a window: each term is truncated towards zero
 * to a multiple of 2^(E - F), and the sum of the truncated terms is exact. The sum becomes f32 by
 * truncation, or f16 by rounding to nearest even. F is 25, or 13 for 8-bit floats, whose f32
 * results have 14 significant bits.
 *
 * A large product is a row of A by a strip of B: tc_multiply() computes it with the host's vectors,
 * tc_element() computes one element by integers, whatever the operands are. A small product has
 * one element in each lane of a warp, as mma's fragments have them: tc_multiply_lanes(). */
#ifndef EXEC_TENSOR_CORE_H
#define EXEC_TENSOR_CORE_H
#include <stdbool.h>
#include <stdint.h>

enum { TC_DEPTH = 64, TC_COLUMNS = 32 }; /* most products per result; columns of a strip */
enum { TC_NO_EXP = -8000 };              /* exponent that stands for a zero operand */

/* Operand types and their properties. */
struct tc_format {
	uint8_t ebits, mbits, ignored; /* ignored: low bits of the word (tf32) */
	bool no_inf;                   /* e4m3: one NaN, no infinity */
	uint8_t window;                /* bits of fraction that the window keeps: F in the
				        * description above */
};

/* A row of A: element p meets row place[p] of B; in a dense row that is p. */
struct tc_row {
	uint32_t bits[TC_DEPTH];
	uint8_t place[TC_DEPTH];
	unsigned stored;
	/* indexed by row of B from here on: */
	float value[TC_DEPTH];
	int16_t exp[TC_DEPTH];
	bool special; /* the row needs the slow path: an infinity or NaN, an exponent out of
		       * range, or two elements with one place */
};
/* A strip of B, transposed so that columns are neighbours. */
struct tc_strip {
	uint32_t bits[TC_DEPTH][TC_COLUMNS];
	float value[TC_DEPTH][TC_COLUMNS];
	int16_t exp[TC_DEPTH][TC_COLUMNS];
	bool special;
};
/* Compute the other members from bits, place and stored. `depth`: rows of B. */
void tc_row_decode(struct tc_row *r, unsigned depth, unsigned type);
void tc_strip_decode(struct tc_strip *s, unsigned depth, unsigned type);

struct tc_job {
	unsigned depth, atype, btype, dtype; /* rows of B; types, dtype T_F32 or T_F16 */
	bool negate;                         /* the products' sign is flipped */
	unsigned columns; /* columns of the strip to compute; 0: all. Results of other columns
			   * are undefined */
};
/* One element: a row of A by column n of the strip, plus c (f32 or f16 bits). */
uint32_t tc_element(const struct tc_job *j, const struct tc_row *a, const struct tc_strip *b,
		    unsigned n, uint32_t c);
/* d[n] = c[n] + a * b for all columns of the strip; d may be c. */
void tc_multiply(const struct tc_job *j, const struct tc_row *a, const struct tc_strip *b,
		 const uint32_t *c, uint32_t *d);

/* One operand of each lane's element: in lane i, value[k][i] of A meets value[k][i] of B. */
enum { TC_LANES_DEPTH = 16 };
struct tc_lanes {
	float value[TC_LANES_DEPTH][TC_COLUMNS];
	int16_t exp[TC_LANES_DEPTH][TC_COLUMNS];
};
/* Decodes the bits from `shift` on of each lane's register. True: a number is not finite or too
 * large or small for tc_multiply_lanes(). */
bool tc_lanes_decode(const uint32_t *reg, unsigned shift, unsigned type, float *value,
		     int16_t *exp);
/* d[i] = c[i] + the products of lane i; d may be c. False, without a result: tc_element() must
 * compute them. */
bool tc_multiply_lanes(const struct tc_job *j, const struct tc_lanes *a, const struct tc_lanes *b,
		       const uint32_t *c, uint32_t *d);

#endif
