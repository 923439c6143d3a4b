/* Instructions without a routine of their own in a library (lib.c): the routine is written when it
 * is needed, in PTX, for just that instruction. Sources are its parameters a to d, s4, s5, ..., predicates as 0
 * and 1; results are r and q, then r2, r3, ... A body may have such instructions itself, but for those
 * that exchange words between lanes. */
#ifndef BACK_ROUTINES_EXPAND_H
#define BACK_ROUTINES_EXPAND_H
#include "back/routines/routines.h"
#include "back/select/sel.h"

/* One kind of instruction: true if `in` is of it and sm needs a routine; the body goes to f if that
 * is not NULL. */
typedef bool expand_fn(const struct inst *in, unsigned sm, FILE *f);
expand_fn expand_compare, expand_half, expand_video, expand_video_lanes, expand_bits, expand_divide,
	expand_vote, expand_lanes, expand_convert, expand_atom, expand_barrier, expand_extreme,
	expand_copy, expand_matrix;

const char *expand_source(unsigned i); /* the name of a source */

/* routines/float.c: a format of floats of up to 32 bits. */
struct float_format {
	unsigned bits;
	unsigned shift; /* from its fraction to a double's */
	uint32_t inf;   /* the first magnitude that is not finite */
	uint32_t nan, one;
	const char *up, *down; /* powers of two between the exponents' zeros */
};
const struct float_format *expand_format(unsigned type); /* of a number or a pair; NULL: none */
/* Declares the registers that the next three use. */
void expand_registers(FILE *f);
/* The float of source `from` at a bit, as the double `to`. */
void expand_float_in(const struct float_format *t, bool flush, const char *from, unsigned at,
		     const char *to, FILE *f);
/* The double x, exact or rounded to odd before, as a float in m. payload: a NaN keeps its bits. */
void expand_float_out(const struct float_format *t, uint32_t mods, unsigned rnd, bool payload,
		      FILE *f);
void expand_put(unsigned at, FILE *f); /* m to the result, from a bit on */
/* routines/half.c: m is the sum of the halves of a and b at a bit. */
void expand_half_sum(unsigned type, const char *a, const char *b, unsigned at, FILE *f);

/* routines/lanes.c: registers for an exchange. l: the lane; base: where its warp's words are; own: its own. */
void expand_lanes_begin(FILE *f);
/* What the body for a shuffle takes as known of its operands. */
unsigned expand_shuffle_form(const struct inst *in);
uint64_t
expand_barrier_form(const struct inst *in); /* routines/barrier.c: the same for a barrier */

/* routines/vote.c: to = the active lanes where `from` is true. Needs registers k, l (the lane), t and a
 * predicate o. */
void expand_ballot(unsigned sm, const char *to, const char *from, FILE *f);

/* The format of a float of 16 bits or a pair of them. */
static inline bool expand_is_pair(unsigned type) { return type == T_F16X2 || type == T_BF16X2; }
static inline bool expand_is_bf16(unsigned type) { return type == T_BF16 || type == T_BF16X2; }
static inline bool expand_is_half(unsigned type)
{
	return type == T_F16 || type == T_BF16 || expand_is_pair(type);
}
#endif
