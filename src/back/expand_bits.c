/* Later integer instructions: dot products, masks, pairs of 16-bit integers, logic of three with a
 * predicate, the n-th set bit; on sm_13 also the modes of prmt. */
#include "back/expand.h"

/* Element k of n bits of a source, as a word. */
static void element(char from, unsigned k, unsigned bits, bool sign, const char *to, FILE *f)
{
	fprintf(f, "shl.b32 %s, %c, %u;\nshr.%c32 %s, %s, %u;\n", to, from, 32 - bits * (k + 1),
		sign ? 's' : 'u', to, to, 32 - bits);
}

static void dot(const struct inst *in, FILE *f)
{
	bool two = in->op == OP_DP2A, sa = in->atype == T_S32, sb = in->btype == T_S32;
	fprintf(f, "mov.b32 r, c;\n");
	for (unsigned k = 0; k < (two ? 2u : 4u); k++) {
		element('a', k, two ? 16 : 8, sa, "s", f);
		element('b', two && in->mode == MUL_HI ? k + 2 : k, 8, sb, "t", f);
		fprintf(f, "mad.lo.s32 r, s, t, r;\n");
	}
}

/* A mask of b bits from bit a on. */
static void mask(const struct inst *in, FILE *f)
{
	if (in->mode == WM_WRAP)
		fprintf(f, "and.b32 s, a, 31;\nand.b32 t, b, 31;\n");
	else
		fprintf(f, "min.u32 s, a, 32;\nmin.u32 t, b, 32;\n");
	fprintf(f, "mov.b32 r, 1;\nshl.b32 r, r, t;\nsub.u32 r, r, 1;\nshl.b32 r, r, s;\n");
}

/* The lower b bits of a, extended. */
static void extend(const struct inst *in, FILE *f)
{
	char sg = in->type == T_S32 ? 's' : 'u';
	if (in->mode == WM_WRAP)
		fprintf(f, "and.b32 s, b, 31;\n");
	else
		fprintf(f, "min.u32 s, b, 32;\n");
	fprintf(f,
		"sub.u32 t, 32, s;\nshl.b32 r, a, t;\nshr.%c32 r, r, t;\n"
		"setp.eq.u32 p, s, 0;\nselp.b32 r, 0, r, p;\n",
		sg);
}

static void pairs(const struct inst *in, FILE *f)
{
	bool sign = in->type == T_S16X2;
	const char *name = in->op == OP_ADD ? "add" : in->op == OP_MIN ? "min" : "max";
	for (unsigned k = 0; k < 2; k++) {
		element('a', k, 16, sign, "s", f);
		element('b', k, 16, sign, "t", f);
		fprintf(f, "%s.%c32 s, s, t;\n", name, sign ? 's' : 'u');
		if (in->mods & M_RELU)
			fprintf(f, "max.s32 s, s, 0;\n");
		fprintf(f, k ? "shl.b32 s, s, 16;\nor.b32 r, r, s;\n" : "and.b32 r, s, 0xffff;\n");
	}
}

static void logic(const struct inst *in, FILE *f)
{
	fprintf(f,
		"lop3.b32 r, a, b, c, %u;\nsetp.ne.u32 p, r, 0;\nsetp.ne.u32 o, d, 0;\n"
		"%s.pred p, p, o;\nselp.b32 q, 1, 0, p;\n",
		(unsigned)in->imm, in->bop == BOP_AND ? "and" : "or");
}

static bool is_pairs(const struct inst *in)
{
	return (in->type == T_S16X2 || in->type == T_U16X2) &&
	       (in->op == OP_ADD || in->op == OP_MIN || in->op == OP_MAX);
}

bool expand_bits(const struct inst *in, unsigned sm, FILE *f)
{
	void (*how)(const struct inst *in, FILE *f) = NULL;
	(void)sm;
	switch (in->op) {
	case OP_DP4A:
	case OP_DP2A: how = dot; break;
	case OP_BMSK: how = mask; break;
	case OP_SZEXT: how = extend; break;
	case OP_LOP3: how = in->nd > 1 ? logic : NULL; break;
	default: how = is_pairs(in) ? pairs : NULL; break;
	}
	if (!how || !f)
		return how != NULL;
	fprintf(f, ".reg .b32 s, t;\n.reg .pred o, p;\n");
	how(in, f);
	return true;
}
