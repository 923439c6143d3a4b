/* PTXPlus: machine code in the spelling of PTX, one line an instruction. Kothiya's thesis, section
 * 4.1, has Fermi's form; Tesla's is the one that GPGPU-Sim reads. What those two leave out (flags,
 * modifiers, the ends of regions) stands behind the name as the machine's own modifier in small
 * letters, so that a text means one instruction and can be read back.
 *
 *   ptxplus_names.c   names: printing one, and all native mnemonics that a name may stand for
 *   ptxplus.c         operands, and whole files
 *   ptxplus_read.c    the way back, to the text of a full listing
 *   ptxplus_operands.c   operands on that way */
#ifndef FRONT_SASS_PTXPLUS_H
#define FRONT_SASS_PTXPLUS_H
#include "base/text.h"
#include "front/native/module.h"
#include "isa/table.h"

/* Appends the instruction's name. True: it holds the word operand (a comparison) too. */
bool ptxplus_name(struct text *t, const struct ninst *in);

/* A reading of a name. */
struct px_match {
	const struct native_row *row;
	char mnemonic[96]; /* native, without .S, .Cn and .EXIT */
	const char *word;  /* the word operand that the name holds, or NULL */
	bool pop, exit;
};
/* Calls `take` with every reading until it returns true, which is the result. */
bool ptxplus_readings(enum native_isa isa, const char *name, size_t len,
		      bool (*take)(void *arg, const struct px_match *m), void *arg);

/* Memory operands of these are written as in the thesis: the register, then the offset as an
 * operand of its own. */
static inline bool ptxplus_flat(unsigned op)
{
	return op == NI_LD || op == NI_ST || op == NI_LDS || op == NI_STS || op == NI_LDL ||
	       op == NI_STL || op == NI_LDU || op == NI_LD_LDU;
}

/* The name of a word that holds the launch's shape: a special register of Fermi by number, a word
 * of its constant bank 0 or of Tesla's shared memory by place. */
const char *ptxplus_shape(enum native_isa isa, unsigned place); /* NULL: none */
/* The name of a special register. */
void ptxplus_sreg(struct text *t, enum native_isa isa, unsigned n);

/* ---- reading ---- */

enum { PTXPLUS_WAYS = 8, PTXPLUS_TOKEN = 320 };
struct px_ways { /* to write one operand natively, the likeliest first */
	unsigned n;
	char v[PTXPLUS_WAYS][PTXPLUS_TOKEN];
};
/* The ways to write operand s of an instruction of kind `op` (enum native_op); none: it is no
 * operand. */
void ptxplus_operand(enum native_isa isa, const char *s, unsigned op, struct px_ways *w);
void ptxplus_way(struct px_ways *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Read a hexadecimal number (*digits: how many it has) or a decimal one. Return what follows; NULL:
 * no number. */
const char *ptxplus_hex(const char *s, uint64_t *v, unsigned *digits);
const char *ptxplus_number(const char *s, unsigned *v);

#endif
