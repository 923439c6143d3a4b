/* PTXPlus: machine code in the spelling of PTX, one line per instruction. Kothiya's thesis, section
 * 4.1, defines Fermi's form; Tesla's is the form that GPGPU-Sim reads. Information that these lack
 * (flags, modifiers, the ends of regions) follows the name as the machine's own modifier in small
 * letters, so that a text means exactly one instruction and can be read back.
 *
 *   ptxplus_names.c   names: printing, and all native mnemonics that a name may stand for
 *   ptxplus.c         operands, and whole files
 *   ptxplus_read.c    reading: lines become the text of a full listing
 *   ptxplus_operands.c   reading of operands */
#ifndef FRONT_SASS_PTXPLUS_H
#define FRONT_SASS_PTXPLUS_H
#include "base/text.h"
#include "front/native/module.h"
#include "isa/table.h"

/* Appends the instruction's name. Returns true if the name includes the word operand (a
 * comparison). */
bool ptxplus_name(struct text *t, const struct ninst *in);

/* One native instruction that a PTXPlus name may stand for. */
struct px_match {
	const struct native_row *row;
	char mnemonic[96]; /* native, without .S, .Cn and .EXIT */
	const char *word;  /* the word operand that the name contains; NULL: none */
	bool pop, exit;
};
/* Calls `take` with every reading of a name until `take` returns true. Returns the last result of
 * `take`. */
bool ptxplus_readings(enum native_isa isa, const char *name, size_t len,
		      bool (*take)(void *arg, const struct px_match *m), void *arg);

/* True for operations whose memory operands are written as in the thesis: the register, then the
 * offset as a separate operand. */
static inline bool ptxplus_flat(unsigned op)
{
	return op == NI_LD || op == NI_ST || op == NI_LDS || op == NI_STS || op == NI_LDL ||
	       op == NI_STL || op == NI_LDU || op == NI_LD_LDU;
}

/* Returns the name of a word that holds the launch's shape; NULL: none. `place`: on Fermi, the
 * number of a special register or of a word of constant bank 0; on Tesla, an offset in shared
 * memory. */
const char *ptxplus_shape(enum native_isa isa, unsigned place); /* NULL: none */
/* Appends the name of a special register. */
void ptxplus_sreg(struct text *t, enum native_isa isa, unsigned n);

/* ---- reading ---- */

enum { PTXPLUS_WAYS = 8, PTXPLUS_TOKEN = 320 };
struct px_ways { /* native spellings of one operand, the likeliest first */
	unsigned n;
	char v[PTXPLUS_WAYS][PTXPLUS_TOKEN];
};
/* Finds the native spellings of operand s of an instruction of kind `op` (enum native_op). No
 * spelling: s is not an operand. */
void ptxplus_operand(enum native_isa isa, const char *s, unsigned op, struct px_ways *w);
void ptxplus_way(struct px_ways *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Read a hexadecimal number (*digits: its number of digits) or a decimal number. Return the
 * position after it; NULL: no number. */
const char *ptxplus_hex(const char *s, uint64_t *v, unsigned *digits);
const char *ptxplus_number(const char *s, unsigned *v);

#endif
