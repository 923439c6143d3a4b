/* A word that the assembler builds from text by one form. */
#ifndef ISA_SM70_ENCODE_H
#define ISA_SM70_ENCODE_H
#include "isa/sm70/scan.h"

struct draft {
	const struct sm70_form *form;
	unsigned nibble;
	u128 w;
	uint16_t mod[SM70_MOD_COUNT];
	bool any; /* an operand has been read, so a comma precedes the next one */
};

/* Reads the modifiers and operands after the mnemonic by the form, with the given code of bits
 * 9-11. False: the text does not fit the form. Guard and control bits of the word are left 0. */
bool sm70_encode(struct scan *s, const struct sm70_form *f, unsigned nibble, struct draft *d);

static inline void put_bits(u128 *w, unsigned lo, unsigned n, uint64_t v)
{
	field_put(&(struct sm70_field){1, {(uint8_t)lo}, {(uint8_t)n}}, w, v);
}

#endif
