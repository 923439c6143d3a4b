#include "ir/inst.h"

#define OP(e, text, u, kind, counts, scalar, nd_min, nd_max, ns_min, ns_max, facts)                \
	[OP_##e] = {text,   facts,  UNIT_##u, OPK_##kind, OPS_##scalar,                            \
		    nd_min, nd_max, ns_min,   ns_max},
const struct op_info op_info[OP_COUNT] = {
#include "ir/ops.def"
};
#undef OP

#define X(e, s, n, t) [SREG_##e] = {s, n, T_##t},
const struct sreg_info sreg_info[SREG_COUNT] = {SREGS(X)};
#undef X

const struct shape_dims shape_dims[SHAPE_COUNT] = {
	[SHAPE_M8N8K4] = {8, 8, 4},       [SHAPE_M8N8K16] = {8, 8, 16},
	[SHAPE_M8N8K32] = {8, 8, 32},     [SHAPE_M8N8K128] = {8, 8, 128},
	[SHAPE_M16N8K4] = {16, 8, 4},     [SHAPE_M16N8K8] = {16, 8, 8},
	[SHAPE_M16N8K16] = {16, 8, 16},   [SHAPE_M16N8K32] = {16, 8, 32},
	[SHAPE_M16N8K64] = {16, 8, 64},   [SHAPE_M16N8K128] = {16, 8, 128},
	[SHAPE_M16N8K256] = {16, 8, 256}, [SHAPE_M16N16K16] = {16, 16, 16},
	[SHAPE_M32N8K16] = {32, 8, 16},   [SHAPE_M8N32K16] = {8, 32, 16},
	[SHAPE_M16N16K8] = {16, 16, 8},
};

enum unit inst_unit(const struct inst *in)
{
	const struct op_info *o = &op_info[in->op];
	bool dp = in->type == T_F64 || in->stype == T_F64;
	bool computes = (o->unit == UNIT_SP || o->unit == UNIT_SFU) && o->kind != OPK_MOVE;
	return dp && computes ? UNIT_DP : o->unit;
}
