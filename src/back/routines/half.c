/* Arithmetic of halves in double precision, which both machines have: sums and products of two are
 * exact there or safe from double rounding, and a multiply-add is rounded to odd. Minima and maxima
 * that keep a NaN or the product of the signs, of singles too, are comparisons of bits. */
#include "back/routines/expand.h"

void expand_half_sum(unsigned type, const char *a, const char *b, unsigned at, FILE *f)
{
	const struct float_format *t = expand_format(type);
	expand_float_in(t, false, a, at, "x", f);
	expand_float_in(t, false, b, at, "y", f);
	fprintf(f, "add.rn.f64 x, x, y;\n");
	expand_float_out(t, 0, RND_RN, false, f);
}

static void write_arithmetic(const struct inst *in, unsigned at, FILE *f)
{
	static const char *const from[] = {"a", "b", "c"}, *const to[] = {"x", "y", "z"};
	const struct float_format *t = expand_format(in->type);
	bool flush = in->mods & M_FTZ && !expand_is_bf16(in->type),
	     three = in->op == OP_FMA || in->op == OP_MAD;
	for (unsigned i = 0; i < (three ? 3u : 2u); i++)
		expand_float_in(t, flush, from[i], at, to[i], f);
	if (in->op == OP_ADD || in->op == OP_SUB)
		fprintf(f, "%s.rn.f64 x, x, y;\n", in->op == OP_ADD ? "add" : "sub");
	else if (!three)
		fprintf(f, "mul.rn.f64 x, x, y;\n");
	else
		fprintf(f, "fma.rm.f64 lo, x, y, z;\nfma.rp.f64 hi, x, y, z;\n"
			   "fma.rz.f64 odd, x, y, z;\nfma.rn.f64 x, x, y, z;\n"
			   "setp.ne.f64 p, lo, hi;\nmov.b64 v, odd;\nor.b64 v, v, 1;\n"
			   "mov.b64 w, x;\nselp.b64 w, v, w, p;\nmov.b64 x, w;\n");
	expand_float_out(t, in->mods, RND_RN, false, f);
	if (in->mods & M_OOB) /* the NaN that stands for an element outside a tensor */
		for (char c = 'a'; c <= 'b'; c++)
			fprintf(f,
				"shr.u32 h, %c, %u;\nand.b32 h, h, 0x7fff;\n"
				"setp.eq.u32 p, h, 0x7ff7;\nselp.b32 m, 0, m, p;\n",
				c, at);
	expand_put(at, f);
}

/* Flushes a number whose magnitude is subnormal. */
static void flush_bits(const struct float_format *t, char to, FILE *f)
{
	fprintf(f,
		"and.b32 h, %c, %u;\nand.b32 l, %c, %u;\nsetp.eq.u32 p, h, 0;\n"
		"selp.b32 %c, l, %c, p;\n",
		to, t->inf, to, 1u << (t->bits - 1), to, to);
}

static void write_sign(const struct inst *in, unsigned at, FILE *f)
{
	const struct float_format *t = expand_format(in->type);
	fprintf(f, "shr.u32 m, a, %u;\nand.b32 m, m, 0xffff;\n", at);
	if (in->mods & M_FTZ)
		flush_bits(t, 'm', f);
	fprintf(f,
		"and.b32 l, m, 0x7fff;\nsetp.gt.u32 p, l, %u;\n%s.b32 m, m, %s;\n"
		"selp.b32 m, 0x7fff, m, p;\n",
		t->inf, in->op == OP_NEG ? "xor" : "and", in->op == OP_NEG ? "0x8000" : "0x7fff");
	expand_put(at, f);
}

/* k = the number in s as an integer in the order of the numbers, -0 before +0. */
static void write_order(const struct float_format *t, char s, char k, FILE *f)
{
	fprintf(f, "shl.b32 h, %c, %u;\nshr.s32 h, h, 31;\nand.b32 h, h, %u;\nxor.b32 %c, %c, h;\n",
		s, 32 - t->bits, ~(1u << (t->bits - 1)), k, s);
}

static void write_extreme(const struct inst *in, unsigned at, FILE *f)
{
	const struct float_format *t = expand_format(in->type);
	uint32_t top = 1u << (t->bits - 1), all = top | (top - 1);
	fprintf(f,
		"shr.u32 i, a, %u;\nand.b32 i, i, %u;\nshr.u32 j, b, %u;\n"
		"and.b32 j, j, %u;\n",
		at, all, at, all);
	fprintf(f, "xor.b32 g, i, j;\nand.b32 g, g, %u;\n", in->mods & M_XORSIGN ? top : 0);
	for (char c = 'i'; c <= 'j'; c++) {
		if (in->mods & M_FTZ)
			flush_bits(t, c, f);
		if (in->mods & M_XORSIGN)
			fprintf(f, "and.b32 %c, %c, %u;\n", c, c, top - 1);
	}
	write_order(t, 'i', 'k', f);
	write_order(t, 'j', 'l', f);
	fprintf(f,
		"setp.%s.s32 p, k, l;\n"
		"and.b32 h, i, %u;\nsetp.le.u32 q1, h, %u;\n"
		"and.b32 h, j, %u;\nsetp.gt.u32 q2, h, %u;\n"
		"and.pred p, p, q1;\nor.pred p, p, q2;\nselp.b32 m, i, j, p;\nor.b32 m, m, g;\n"
		"not.pred q1, q1;\n%s.pred p, q1, q2;\nselp.b32 m, %u, m, p;\n",
		in->op == OP_MAX ? "gt" : "lt", top - 1, t->inf, top - 1, t->inf,
		in->mods & M_NAN ? "or" : "and", t->nan);
	expand_put(at, f);
}

/* s = tanh(s) for a magnitude: near 0 by the first terms of its series, else 1 - 2 / (1 + exp(2
 * s)). */
static void tanh_single(FILE *f)
{
	fprintf(f, "mov.b32 j, s;\nand.b32 k, j, 0x80000000;\nabs.f32 s, s;\n"
		   "mul.rn.f32 t, s, s;\nmul.rn.f32 e, t, 0fBD5D0DD1;\n"
		   "add.rn.f32 e, e, 0f3E088889;\nmul.rn.f32 e, e, t;\n"
		   "add.rn.f32 e, e, 0fBEAAAAAB;\nmul.rn.f32 e, e, t;\n"
		   "mul.rn.f32 e, e, s;\nadd.rn.f32 e, e, s;\nmov.b32 i, e;\n"
		   "mul.rn.f32 e, s, 0f4038AA3B;\nex2.approx.f32 e, e;\n"
		   "add.rn.f32 e, e, 0f3F800000;\nrcp.approx.ftz.f32 e, e;\n"
		   "mul.rn.f32 e, e, 0fC0000000;\nadd.rn.f32 e, e, 0f3F800000;\nmov.b32 j, e;\n"
		   "setp.lt.f32 p, s, 0f3F000000;\nselp.b32 j, i, j, p;\nor.b32 j, j, k;\n"
		   "mov.b32 s, j;\n");
}

/* Computes in single precision, which has more digits than the bounds require. */
static void write_approximation(const struct inst *in, unsigned at, FILE *f)
{
	const struct float_format *t = expand_format(in->type);
	bool single = in->type == T_F32;
	if (single) {
		fprintf(f, "mov.b32 s, a;\n");
	} else {
		expand_float_in(t, in->mods & M_FTZ, "a", at, "x", f);
		fprintf(f, "cvt.rn.f32.f64 s, x;\n");
	}
	if (in->op == OP_TANH)
		tanh_single(f);
	else
		fprintf(f, "ex2.approx%s.f32 s, s;\n", in->mods & M_FTZ ? ".ftz" : "");
	if (single) {
		fprintf(f, "mov.b32 m, s;\n");
	} else {
		fprintf(f, "cvt.f64.f32 x, s;\n");
		expand_float_out(t, 0, RND_RN, false, f);
	}
	expand_put(at, f);
}

/* The machines have all single-precision instructions except a few. */
static bool is_ours(const struct inst *in)
{
	if (expand_is_half(in->type))
		return true;
	return in->type == T_F32 &&
	       (in->op == OP_TANH || ((in->op == OP_MIN || in->op == OP_MAX) && in->ns == 2 &&
				      in->mods & (M_NAN | M_XORSIGN)));
}

bool expand_half(const struct inst *in, unsigned sm, FILE *f)
{
	void (*how)(const struct inst *in, unsigned at, FILE *f) = NULL;
	bool own = sm >= 70 && in->ns <= 3 &&
		   !((in->op == OP_MIN || in->op == OP_MAX) && in->ns > 2 &&
		     in->type != T_F32); /* sm_70 and later have instructions for these */
	if (own || !is_ours(in))
		return false;
	switch (in->op) {
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_MAD:
	case OP_FMA: how = write_arithmetic; break;
	case OP_ABS:
	case OP_NEG: how = write_sign; break;
	case OP_MIN:
	case OP_MAX: how = in->ns == 2 ? write_extreme : NULL; break;
	case OP_TANH:
	case OP_EX2: how = write_approximation; break;
	default: break;
	}
	if (!how || !f)
		return how != NULL;
	expand_registers(f);
	how(in, 0, f);
	if (expand_is_pair(in->type))
		how(in, 16, f);
	return true;
}
