/* Numbers for mnemonics: the row, which table it is of, and whether it is the BRA that all threads take. */
#include "isa/table.h"

enum { TESLA = 1 << 14, UNIFORM = 1 << 15, ROW = TESLA - 1 };

unsigned native_mnemonic(const struct ninst *in)
{
	unsigned row = (unsigned)(in->row - native_tab((enum native_isa)in->isa)->row) + 1;
	return row | (in->isa == NATIVE_TESLA ? TESLA : 0) |
	       (in->op == NI_BRA && in->mod[NM_U] ? UNIFORM : 0);
}

static const struct native_row *row_of(unsigned n)
{
	return &native_tab(n & TESLA ? NATIVE_TESLA : NATIVE_FERMI)->row[(n & ROW) - 1];
}

const char *native_mnemonic_text(unsigned n)
{
	return n & UNIFORM ? "BRA.U" : n & ROW ? row_of(n)->name : "?";
}

unsigned native_mnemonic_op(unsigned n) { return n & ROW ? row_of(n)->op : NATIVE_NONE; }
