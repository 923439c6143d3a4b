/* Constant folding: an sm_20 instruction whose sources are all numbers becomes a copy of its
 * result. mir/fold.c finds the numbers. */
#include <string.h>
#include "back/mir/mir.h"

static bool evaluate_inst(const char *name, unsigned n, const uint32_t *v, uint32_t *r)
{
	if (n == 2 && !strcmp(name, "IADD"))
		*r = v[0] + v[1];
	else if (n == 2 && !strcmp(name, "SHL"))
		*r = v[1] < 32 ? v[0] << v[1] : 0;
	else if (n == 2 && !strcmp(name, "SHR.U32"))
		*r = v[1] < 32 ? v[0] >> v[1] : 0;
	else if (n == 2 && !strcmp(name, "IMUL"))
		*r = v[0] * v[1];
	else if (n == 3 && !strcmp(name, "IMAD"))
		*r = v[0] * v[1] + v[2];
	else if (n == 3 && !strcmp(name, "ISCADD"))
		*r = (v[0] << (v[2] & 31)) + v[1];
	else if (n == 2 && (!strcmp(name, "LOP.AND") || !strcmp(name, "LOP32I.AND")))
		*r = v[0] & v[1];
	else if (n == 2 && (!strcmp(name, "LOP.OR") || !strcmp(name, "LOP32I.OR")))
		*r = v[0] | v[1];
	else if (n == 3 && !strcmp(name, "BFI") && v[1] == 0x808) /* the description of a field */
		*r = (v[2] & ~0xff00u) | (v[0] & 0xff) << 8;
	else
		return false;
	return true;
}

bool mir_constant(struct mi *in, const uint32_t *v)
{
	uint32_t r;
	if (in->nd != 1 || in->cc || in->pop || in->keep || in->o[0].wide || in->o[0].half ||
	    !evaluate_inst(in->name, in->n - in->nd, v, &r))
		return false;
	int32_t s = (int32_t)r;
	in->name = s >= -0x80000 && s < 0x80000 ? "MOV" : "MOV32I";
	in->n = 2;
	in->o[1] = !r ? mo_zero() : mo_imm(!strcmp(in->name, "MOV") ? s : (int64_t)r);
	if (!r)
		in->name = "MOV";
	return true;
}
