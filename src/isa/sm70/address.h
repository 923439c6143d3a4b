/* Memory addresses of the 128-bit machine code. An instruction's address has the fields of one row
 * of kinds[]. Its text is [R24.scale + UR32 + offset], after desc[UR] if there is a descriptor. */
#ifndef ISA_SM70_ADDRESS_H
#define ISA_SM70_ADDRESS_H
#include "isa/sm70/table.h"

struct address_kind {
	const char *name;
	uint8_t reg, reg_bits; /* lowest bit of the register; 0: none */
	uint8_t ureg;          /* lowest bit of the uniform register or descriptor; 0: none */
	uint8_t off, off_w;    /* lowest bit and width of the signed offset; 0: none */
	uint8_t flags;         /* ADF_* */
	uint8_t scale;         /* lowest of the two bits of a scale */
	uint8_t desc, wide;    /* positions of the bits for ADF_DESC, ADF_WIDE; 0: 76, 90 */
};
enum {
	ADF_WIDE = 1,   /* a bit says that the register is a pair; clear: 32 bits beside a uniform
	                 * register */
	ADF_DESC = 2,   /* a bit says that the uniform register is a descriptor */
	ADF_SCALE = 4,  /* the register is scaled */
	ADF_64 = 8,     /* the register is always a pair, and printed as one */
	ADF_BARE = 16,  /* the address is a descriptor alone, shown if bit 76 is set */
	ADF_HIDE = 128, /* the uniform zero register is not shown beside a pair */
	ADF_UREG6 = 64, /* the uniform register has 6 bits on every chip */
	ADF_NEXT = 32,  /* the descriptor is the uniform register after the one named */
};
/* row i, counted from 1; NULL: no such row */
const struct address_kind *sm70_address_kind(unsigned i);
/* the row's number by name; 0: none */
unsigned sm70_address_named(const char *s, size_t n);

void sm70_address_get(const struct address_kind *k, unsigned sm, u128 w, struct sm70_operand *o);
/* Writes an address into a word. False: the address does not fit the fields. */
bool sm70_address_put(const struct address_kind *k, unsigned sm, u128 *w,
		      const struct sm70_operand *o);
#endif
