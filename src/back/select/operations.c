/* The table of operations.def, by operation, operands and machine. */
#include "back/select/operations.h"

#define SELECT(operation, operands, fermi, tesla, sm90)                                            \
	[OP_##operation][SEL_##operands] = {fermi, tesla, sm90},
static select_fn *const function[OP_COUNT][SEL_OPERANDS][SEL_COLUMNS] = {
#include "back/select/operations.def"
};
#undef SELECT

enum sel_operands sel_operands_of(const struct inst *in)
{
	bool compares = in->op == OP_SET || in->op == OP_SETP;
	unsigned type = compares ? in->stype : in->type;
	if (type == T_PRED)
		return SEL_PREDICATE;
	if (type == T_F16 || type == T_BF16 || type == T_F16X2 || type == T_BF16X2)
		return SEL_HALF;
	if (type_is_float(type))
		return type == T_F32 ? SEL_SINGLE : type == T_F64 ? SEL_DOUBLE : SEL_OTHER;
	if (type == T_U16X2 || type == T_S16X2 || type_bits(type) > 64)
		return SEL_OTHER;
	return type_bits(type) == 64 ? SEL_LONG : SEL_WORD;
}

select_fn *sel_function(const struct inst *in, enum sel_column machine)
{
	select_fn *f = function[in->op][sel_operands_of(in)][machine];
	f = f ? f : function[in->op][SEL_ANY][machine];
	return f ? f : sel_lacks;
}

void sel_none(struct sel *s) { (void)s; }

/* Reports why no machine can perform the operation, if its name does not say so. */
void sel_lacks(struct sel *s)
{
	switch (s->in->op) {
	case OP_MMA:
	case OP_WMMA_MMA:
	case OP_WMMA_LOAD:
	case OP_WMMA_STORE:
		sel_refuse(s, "a matrix unit, which cuts its sums where no adder does");
		break;
	case OP_MBARRIER: sel_refuse(s, "barriers that are words of memory"); break;
	default: sel_refuse(s, "");
	}
}
