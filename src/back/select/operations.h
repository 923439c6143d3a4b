/* From an operation of the decoded program to the function that selects a machine's instructions for it. The rows are in
 * operations.def; a machine is a column. */
#ifndef BACK_SELECT_OPERATIONS_H
#define BACK_SELECT_OPERATIONS_H
#include "back/select/sel.h"

enum sel_column { ON_FERMI, ON_TESLA, ON_SM90, SEL_COLUMNS };

/* The operands' type: that of the result, or, for comparisons, of the operands. */
enum sel_operands {
	SEL_ANY,
	SEL_PREDICATE,
	SEL_WORD, /* an integer of up to 32 bits; not a pair of 16 bits */
	SEL_LONG, /* an integer of 64 bits */
	SEL_SINGLE,
	SEL_DOUBLE,
	SEL_HALF,  /* floats of 16 bits, alone and in pairs */
	SEL_OTHER, /* packs: no row names this value */
	SEL_OPERANDS
};

typedef void select_fn(struct sel *s);
select_fn sel_none, sel_lacks, sel_lop3;
#define SELECT(operation, operands, fermi, tesla, sm90) select_fn fermi, tesla, sm90;
#include "back/select/operations.def"
#undef SELECT

enum sel_operands sel_operands_of(const struct inst *in);
/* The function for the instruction; sel_lacks where there is none. */
select_fn *sel_function(const struct inst *in, enum sel_column machine);

#endif
