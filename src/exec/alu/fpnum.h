/* Exact conversion between number formats, one value at a time, in integer arithmetic: a source is
 * decomposed into sign, exponent and a 64-bit significand, and rounded once into the destination.
 * Slow and simple: the reference for testing the vectorised conversions, and the implementation of
 * conversions too rare for a loop of their own. */
#ifndef EXEC_FPNUM_H
#define EXEC_FPNUM_H
#include <stdbool.h>
#include <stdint.h>
#include "ir/inst.h"

enum num_class { NUM_ZERO, NUM_FINITE, NUM_INF, NUM_NAN };

/* FINITE: (-1)^neg * sig * 2^(exp - 63), bit 63 of sig set. NAN: sig holds the fraction field,
 * left-aligned, so that payloads can travel between formats. */
struct num {
	uint8_t cls;
	bool neg, denormal; /* denormal: in the format of the source */
	int32_t exp;
	uint64_t sig;
};

struct num_format {
	uint8_t ebits, mbits;
	bool no_inf; /* e4m3: the top exponent holds numbers, only the last code is NaN */
};
/* The format of a float type; ebits 0: the type is not a float. Packed types give their element's
 * format. */
struct num_format num_format(unsigned type);

struct num num_from_float(uint64_t bits, struct num_format f);
struct num num_from_int(uint64_t bits, unsigned type);

enum {
	NUM_FLUSH = 1, /* tiny results (after rounding) become zero */
	NUM_SATFINITE = 2
}; /* overflow and infinity become the largest finite number */
/* Bits of x in format f; x is not NaN. rnd: RND_RN, RZ, RM, RP, RNA. */
uint64_t num_to_float(struct num x, struct num_format f, unsigned rnd, unsigned flags);
/* x rounded to an integral value; rnd: RND_RNI, RZI, RMI, RPI. */
struct num num_to_integral(struct num x, unsigned rnd);
/* x rounded to an integer and saturated to the integer type, extended to 64 bits; x is not NaN. */
uint64_t num_to_int(struct num x, unsigned type, unsigned rnd);
/* The integer `bits` of type `from` saturated to type `to`, extended to 64 bits. */
uint64_t int_saturate(uint64_t bits, unsigned from, unsigned to);
/* The low bits of x, extended by the signedness of the type. */
uint64_t int_extend(uint64_t x, unsigned type);

#endif
