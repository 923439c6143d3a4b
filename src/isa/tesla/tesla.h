/* Tesla operand kinds and the functions behind its table. A word is w0 | w1 << 32. */
#ifndef ISA_TESLA_TESLA_H
#define ISA_TESLA_TESLA_H
#include "isa/table.h"

enum tesla_kind {
	TK_NONE,
	TK_D,   /* destination of a long form: a register, or o[n] */
	TK_REG, /* w-bit register (half register, by sz) at lo */
	TK_A,   /* src1 of a long form: register or shared memory */
	TK_AS,  /* as TK_A, in a short or immediate form */
	TK_B,
	TK_BS,   /* src2: register or constant */
	TK_C,    /* src3: register or constant */
	TK_ECHO, /* the destination again, as a source */
	TK_IMM32,
	TK_IMM,
	TK_CN,    /* C register at lo */
	TK_CTEST, /* C register with test, as data */
	TK_AN,    /* address register in bits 26-27 and 34 */
	TK_AD,    /* address register written, bits 2-4 */
	TK_SREG,
	TK_WORD,
	TK_SHARED, /* R2G, G2R: shared memory by full address */
	TK_CMEM,   /* MVC */
	TK_LOCAL,
	TK_GLOBAL,
	TK_TARGET,
	TK_BAR,
	TK_CBRX,
	TK_SWZ,
};
bool tesla_get(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o);
bool tesla_put(const struct nopf *f, const struct nop *o, uint64_t *w, const struct ninst *in);
void tesla_finish(struct ninst *in);
const char *tesla_sreg(unsigned n, enum native_style st);
#endif
