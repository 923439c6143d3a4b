/* Declarations shared by the files of lift/tesla: operands with their halves, shared memory and
 * constants, and results with their flags. */
#ifndef LIFT_TESLA_TESLA_H
#define LIFT_TESLA_TESLA_H
#include "lift/gen.h"

/* Sources. tesla_at: the address of a load or store in g[] or local[]. The other functions return
 * operand i, in the order of the declarations: by the type of an access; as bits, sign-extended if
 * asked, without and with modifiers; as a float; as 64 bits without modifiers; as a double. */
struct opnd tesla_at(struct ngen *g, const struct nop *o);
unsigned tesla_mem_type(const struct nop *o);
struct opnd tesla_raw(struct ngen *g, unsigned i, bool sext);
struct opnd tesla_source(struct ngen *g, unsigned i, bool sext);
struct opnd tesla_fsource(struct ngen *g, unsigned i);
struct opnd tesla_pair(struct ngen *g, unsigned i);
struct opnd tesla_dsource(struct ngen *g, unsigned i);
/* Results: written to the register or its half, and to the C register that the instruction writes. */
bool tesla_half_dst(const struct ninst *in);
void tesla_put_word(struct ngen *g, struct opnd v);
void tesla_put_int(struct ngen *g, struct opnd v, bool wide);
void tesla_put_float(struct ngen *g, struct opnd v);
void tesla_put_pair(struct ngen *g, struct opnd d, bool is_float);

/* tesla/flags.c: condition codes. */
void tesla_flags_begin(struct ngen *g);  /* called before a kernel's first instruction */
int tesla_carry(const struct ninst *in); /* C register whose carry IADD or IMAD adds; -1: none */
struct opnd tesla_flags(struct ngen *g, unsigned c);               /* Z S C O as bits 0 to 3 */
struct opnd tesla_test(struct ngen *g, unsigned c, unsigned test); /* 1 if the test is true, else
                                                                    * 0 */
/* flag C as a word: 0 or 1 */
struct opnd tesla_carry_word(struct ngen *g, unsigned c);
/* Write flags to the C register that the instruction writes. In the order of the declarations:
 * flags of a value of a type, with C and O 0; of a sum with x; of a comparison whose result is not
 * used (false: the result is used); given as a word. */
void tesla_flags_of(struct ngen *g, unsigned type, struct opnd v);
void tesla_flags_of_sum(struct ngen *g, struct opnd sum, struct opnd x);
bool tesla_flags_of_compare(struct ngen *g, const struct compare *c);
void tesla_flags_carry_overflow(struct ngen *g, struct opnd word);
bool tesla_wants_carry(const struct ngen *g);
bool tesla_wants_overflow(const struct ngen *g);
/* Write flags to C register c: given as a word; or from a predicate: Z is its complement, and the
 * other flags are 0. */
void tesla_flags_put(struct ngen *g, unsigned c, struct opnd word);
void tesla_flags_nonzero(struct ngen *g, unsigned c, struct opnd pred);
/* Returns the predicate that a test for nonzero writes: the flag register, if some instruction
 * reads the flag. */
struct opnd tesla_flag_nonzero(const struct ngen *g, unsigned c);

/* Lift instructions by kind. false: the function does not handle the instruction. */
bool tesla_integer(struct ngen *g);
bool tesla_float(struct ngen *g); /* conversions included */
bool tesla_memory(struct ngen *g);
#endif
