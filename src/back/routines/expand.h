/* Routines that are not in a library (lib.c): each is written on demand, in PTX, for one
 * instruction. Sources are its parameters a to d, s4, s5, ..., with predicates as 0 and 1; results
 * are r and q, then r2, r3, ... A body may itself contain such instructions, except those that
 * exchange words between lanes. */
#ifndef BACK_ROUTINES_EXPAND_H
#define BACK_ROUTINES_EXPAND_H
#include "back/routines/routines.h"
#include "back/select/sel.h"

/* One kind of instruction: true if `in` is of the kind and sm needs a routine; the body is written
 * to f if f is not NULL. */
typedef bool expand_fn(const struct inst *in, unsigned sm, FILE *f);
expand_fn expand_compare, expand_half, expand_video, expand_video_lanes, expand_bits, expand_divide,
	expand_vote, expand_lanes, expand_convert, expand_atom, expand_barrier, expand_extreme,
	expand_copy, expand_matrix;

const char *expand_source(unsigned i); /* name of source i in a routine */

/* routines/float.c: a format of floats of up to 32 bits. */
struct float_format {
	unsigned bits;
	unsigned shift; /* shift from its fraction to a double's */
	uint32_t inf;   /* the smallest magnitude that is not finite */
	uint32_t nan, one;
	const char *up, *down; /* powers of two that convert between the exponents' biases */
};
const struct float_format *expand_format(unsigned type); /* format of a number or a pair; NULL:
                                                          * none */
/* Declares the registers that the next three functions use. */
void expand_registers(FILE *f);
/* Converts the float at bit `at` of source `from` to the double `to`. */
void expand_float_in(const struct float_format *t, bool flush, const char *from, unsigned at,
		     const char *to, FILE *f);
/* Converts the double x (exact, or already rounded to odd) to a float in m. payload: a NaN keeps
 * its bits. */
void expand_float_out(const struct float_format *t, uint32_t mods, unsigned rnd, bool payload,
		      FILE *f);
void expand_put(unsigned at, FILE *f); /* writes m to the result, beginning at bit `at` */
/* routines/half.c: m = sum of the halves of a and b that begin at bit `at`. */
void expand_half_sum(unsigned type, const char *a, const char *b, unsigned at, FILE *f);

/* routines/lanes.c: registers for an exchange between lanes. l: number of the lane; base: address
 * of its warp's words; own: address of the lane's own word. */
void expand_lanes_begin(FILE *f);
/* Returns flags for the properties of the operands on which the body for a shuffle depends. */
unsigned expand_shuffle_form(const struct inst *in);
uint64_t
/* routines/barrier.c: returns flags for the properties of the operands on which the body for a
 * barrier depends */
expand_barrier_form(const struct inst *in);

/* routines/vote.c: to = the active lanes where `from` is true. Needs registers k, l (the lane), t and a
 * predicate o. */
void expand_ballot(unsigned sm, const char *to, const char *from, FILE *f);

/* True for a pair of floats of 16 bits. */
static inline bool expand_is_pair(unsigned type) { return type == T_F16X2 || type == T_BF16X2; }
static inline bool expand_is_bf16(unsigned type) { return type == T_BF16 || type == T_BF16X2; }
static inline bool expand_is_half(unsigned type)
{
	return type == T_F16 || type == T_BF16 || expand_is_pair(type);
}
#endif
