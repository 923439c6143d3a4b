/* Facts about instructions for statistics: a number for its mnemonic (from the row, its
 * table, and whether it is a BRA that all threads take), and the class of its operation. */
#include "isa/sm70/sm70.h"
#include "isa/table.h"

enum { TESLA = 1 << 14, UNIFORM = 1 << 15, SM70 = 1 << 13, ROW = SM70 - 1 };

unsigned native_mnemonic(const struct ninst *in)
{
	unsigned row = (unsigned)(in->row - native_tab((enum native_isa)in->isa)->row) + 1;
	return row | (in->isa == NATIVE_TESLA ? TESLA : 0) |
	       (in->op == NI_BRA && in->mod[NM_U] ? UNIFORM : 0);
}

unsigned native_sm70_mnemonic(unsigned op) { return SM70 | op; }

static const struct native_row *row_of(unsigned n)
{
	return &native_tab(n & TESLA ? NATIVE_TESLA : NATIVE_FERMI)->row[(n & ROW) - 1];
}

const char *native_mnemonic_text(unsigned n)
{
	return n & UNIFORM ? "BRA.U"
	       : n & SM70  ? sm70_op_name(n & ROW)
	       : n & ROW   ? row_of(n)->name
			   : "?";
}

unsigned native_mnemonic_op(unsigned n)
{
	return n & ROW && !(n & SM70) ? row_of(n)->op : NATIVE_NONE;
}

unsigned native_op_class(unsigned op)
{
	static const uint8_t of[] = {
		NCLASS_OTHER,
#define NATIVE_OP(x, c) NCLASS_##c,
#include "isa/ops.def"
#undef NATIVE_OP
	};
	return of[op < NATIVE_NOPS ? op : 0];
}

const char *native_class_name(unsigned c)
{
#define X(e, s) s,
	static const char *const name[] = {NATIVE_CLASSES(X)};
#undef X
	return name[c < NCLASS_COUNT ? c : 0];
}
