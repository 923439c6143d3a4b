/* Arithmetic of two singles in one register, and the minimum or maximum of three, which are single
 * instructions in PTX. */
#include "back/routines/expand.h"

static const char *ftz_name(const struct inst *in) { return in->mods & M_FTZ ? ".ftz" : ""; }

static bool of_three(const struct inst *in)
{
	return (in->op == OP_MIN || in->op == OP_MAX) && in->type == T_F32 && in->ns == 3;
}

static void write_three(const struct inst *in, FILE *f)
{
	const char *nan = in->mods & M_NAN ? ".NaN" : "", *op = in->op == OP_MIN ? "min" : "max";
	fprintf(f, ".reg .b32 x, y, z;\n");
	for (unsigned i = 0; i < 3; i++)
		fprintf(f, "and.b32 %c, %c, %u;\n", 'x' + i, 'a' + i,
			in->mods & M_ABS ? 0x7fffffffu : ~0u);
	fprintf(f, "%s%s%s.f32 x, x, y;\n%s%s%s.f32 r, x, z;\n", op, ftz_name(in), nan, op,
		ftz_name(in), nan);
}

static const char *pair_op(const struct inst *in)
{
	if (in->type != T_F32X2)
		return NULL;
	switch (in->op) {
	case OP_ADD: return "add";
	case OP_SUB: return "sub";
	case OP_MUL: return "mul";
	case OP_FMA: return "fma";
	default: return NULL;
	}
}

static void write_pair(const struct inst *in, FILE *f)
{
	static const char *const rnd[] = {[RND_NONE] = ".rn",
					  [RND_RN] = ".rn",
					  [RND_RZ] = ".rz",
					  [RND_RM] = ".rm",
					  [RND_RP] = ".rp"};
	fprintf(f, ".reg .f32 x<2>, y<2>, z<2>;\nmov.b64 {x0, x1}, a;\nmov.b64 {y0, y1}, b;\n");
	if (in->ns > 2)
		fprintf(f, "mov.b64 {z0, z1}, c;\n");
	for (unsigned i = 0; i < 2; i++) {
		fprintf(f, "%s%s%s.f32 x%u, x%u, y%u", pair_op(in), rnd[in->rnd], ftz_name(in), i,
			i, i);
		fprintf(f, in->ns > 2 ? ", z%u;\n" : ";\n", i);
	}
	fprintf(f, "mov.b64 r, {x0, x1};\n");
}

bool expand_extreme(const struct inst *in, unsigned sm, FILE *f)
{
	(void)sm;
	bool is_pair = pair_op(in) != NULL;
	if ((!of_three(in) && !is_pair) || !f)
		return of_three(in) || is_pair;
	(is_pair ? write_pair : write_three)(in, f);
	return true;
}
