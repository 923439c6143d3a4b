/* What the files that write Tesla's instructions share: operands with their halves, shared memory
 * and constants, and results with their flags. */
#ifndef FRONT_LIFT_GEN_TESLA_H
#define FRONT_LIFT_GEN_TESLA_H
#include "front/lift/gen.h"

/* Sources. tesla_indexed: the address of g[] or c[] relative to base. Then, for operand i: the type
 * of an access; the bits, sign-extended if asked, without and with modifiers; a float; 64 bits
 * without modifiers; a double. */
struct opnd tesla_indexed(struct ngen *g, const struct nop *o, struct var *base);
unsigned tesla_mem_type(const struct nop *o);
struct opnd tesla_raw(struct ngen *g, unsigned i, bool sext);
struct opnd tesla_source(struct ngen *g, unsigned i, bool sext);
struct opnd tesla_fsource(struct ngen *g, unsigned i);
struct opnd tesla_pair(struct ngen *g, unsigned i);
struct opnd tesla_dsource(struct ngen *g, unsigned i);
/* Results: into the register or its half, with the C register the instruction writes. */
bool tesla_half_dst(const struct ninst *in);
void tesla_put_word(struct ngen *g, struct opnd v);
void tesla_put_int(struct ngen *g, struct opnd v, bool wide);
void tesla_put_float(struct ngen *g, struct opnd v);
void tesla_put_pair(struct ngen *g, struct opnd d, bool is_float);

/* Each knows some of the instructions; false: not this one. */
bool tesla_integer(struct ngen *g);
bool tesla_float(struct ngen *g); /* and conversions */
bool tesla_memory(struct ngen *g);
#endif
