#include "ir/inst.h"

#define OP(e, s, u) [OP_##e] = {s, UNIT_##u},
const struct op_info op_info[OP_COUNT] = {
#include "ir/ops.def"
};
#undef OP

#define X(e, s, n, t) [SREG_##e] = {s, n, T_##t},
const struct sreg_info sreg_info[SREG_COUNT] = {SREGS(X)};
#undef X

enum unit inst_unit(const struct inst *in)
{
	enum unit u = op_info[in->op].unit;
	bool dp = in->type == T_F64 || in->stype == T_F64;
	if ((u == UNIT_ALU || u == UNIT_SFU) && dp && in->op != OP_MOV)
		return UNIT_DP;
	return u;
}
