/* Arithmetic of halves in double precision, which both machines have: sums and products of two are
 * exact there or cannot be rounded wrongly twice, and a multiply-add is rounded to odd. A half
 * becomes a double by shifting its bits into place and multiplying by a power of two, and back;
 * doubles' own subnormal numbers take those of the half. */
#include "back/expand.h"

struct format {
	unsigned shift;        /* from the half's fraction to the double's */
	unsigned inf, one;     /* as bits */
	const char *up, *down; /* powers of two between the exponents' zeros */
};
static const struct format f16 = {42, 0x7c00, 0x3c00, "0d7ef0000000000000", "0d00f0000000000000"};
static const struct format bf16 = {45, 0x7f80, 0x3f80, "0d77f0000000000000", "0d07f0000000000000"};

static const struct format *format_of(unsigned type) { return expand_is_bf16(type) ? &bf16 : &f16; }

/* Half of source `from` at a bit, as the double `to`; h keeps its bits. */
static void in_half(const struct format *t, bool flush, char from, unsigned at, const char *to,
		    FILE *f)
{
	fprintf(f, "shr.u32 h, %c, %u;\nand.b32 m, h, 0x7fff;\nand.b32 h, h, 0x8000;\n", from, at);
	if (flush)
		fprintf(f, "setp.lt.u32 p, m, 0x400;\nselp.b32 m, 0, m, p;\n");
	fprintf(f,
		"cvt.u64.u32 w, m;\nshl.b64 w, w, %u;\nor.b64 v, w, 0x7ff0000000000000;\n"
		"mov.b64 %s, w;\nmul.rn.f64 %s, %s, %s;\nmov.b64 w, %s;\n"
		"setp.ge.u32 p, m, %u;\nselp.b64 w, v, w, p;\n"
		"cvt.u64.u32 v, h;\nshl.b64 v, v, 48;\nor.b64 w, w, v;\nmov.b64 %s, w;\n",
		t->shift, to, to, to, t->up, to, t->inf, to);
}

/* The double x as a half in m: rounded to nearest, exact or rounded to odd before. */
static void out_half(const struct format *t, uint32_t mods, FILE *f)
{
	fprintf(f,
		"mov.b64 w, x;\nshr.u64 v, w, 48;\ncvt.u32.u64 h, v;\nand.b32 h, h, 0x8000;\n"
		"abs.f64 y, x;\nmul.rz.f64 z, y, %s;\nmov.b64 w, z;\n"
		"mul.rn.f64 z, z, %s;\nsetp.neu.f64 p, z, y;\nor.b64 v, w, 1;\nselp.b64 w, v, w, p;\n",
		t->down, t->up);
	fprintf(f,
		"shr.u64 v, w, %u;\nand.b64 v, v, 1;\nadd.u64 w, w, v;\nadd.u64 w, w, 0x%llx;\n"
		"shr.u64 w, w, %u;\nmin.u64 w, w, %u;\ncvt.u32.u64 m, w;\n",
		t->shift, (1ull << (t->shift - 1)) - 1, t->shift, t->inf);
	if (mods & M_FTZ && t == &f16) /* 2^-14 - 2^-26: rounded to 11 bits it is subnormal */
		fprintf(f, "setp.lt.f64 p, y, 0d3f0ffe0000000000;\nselp.b32 m, 0, m, p;\n");
	fprintf(f, "setp.nan.f64 p, x, x;\nselp.b32 m, 0x7fff, m, p;\n");
	if (mods & M_SAT)
		fprintf(f, "min.u32 m, m, %u;\nsetp.ne.or.u32 p, h, 0, p;\nselp.b32 m, 0, m, p;\n",
			t->one);
	else if (mods & M_RELU)
		fprintf(f, "setp.ne.u32 q1, h, 0;\nselp.b32 h, 0, 1, q1;\nsetp.ne.or.u32 p, h, 0, "
			   "p;\nselp.b32 m, m, 0, p;\n");
	else
		fprintf(f, "selp.b32 h, 0, h, p;\nor.b32 m, m, h;\n");
}

static void put(const struct inst *in, unsigned at, FILE *f)
{
	if (!at)
		fprintf(f, "mov.b32 r, m;\n");
	else
		fprintf(f, "shl.b32 m, m, 16;\nor.b32 r, r, m;\n");
	(void)in;
}

static void arithmetic(const struct inst *in, unsigned at, FILE *f)
{
	const struct format *t = format_of(in->type);
	bool flush = in->mods & M_FTZ && t == &f16, three = in->op == OP_FMA || in->op == OP_MAD;
	for (unsigned i = 0; i < (three ? 3u : 2u); i++)
		in_half(t, flush, (char)('a' + i), at, i == 0 ? "x" : i == 1 ? "y" : "z", f);
	if (in->op == OP_ADD || in->op == OP_SUB)
		fprintf(f, "%s.rn.f64 x, x, y;\n", in->op == OP_ADD ? "add" : "sub");
	else if (!three)
		fprintf(f, "mul.rn.f64 x, x, y;\n");
	else
		fprintf(f, "fma.rm.f64 lo, x, y, z;\nfma.rp.f64 hi, x, y, z;\n"
			   "fma.rz.f64 odd, x, y, z;\nfma.rn.f64 x, x, y, z;\n"
			   "setp.ne.f64 p, lo, hi;\nmov.b64 v, odd;\nor.b64 v, v, 1;\n"
			   "mov.b64 w, x;\nselp.b64 w, v, w, p;\nmov.b64 x, w;\n");
	out_half(t, in->mods, f);
	if (in->mods & M_OOB) /* the NaN that stands for an element outside a tensor */
		for (char c = 'a'; c <= 'b'; c++)
			fprintf(f,
				"shr.u32 h, %c, %u;\nand.b32 h, h, 0x7fff;\n"
				"setp.eq.u32 p, h, 0x7ff7;\nselp.b32 m, 0, m, p;\n",
				c, at);
	put(in, at, f);
}

/* Flushes m where its magnitude is subnormal; s: its sign. */
static void flush_bits(char to, FILE *f)
{
	fprintf(f,
		"and.b32 h, %c, 0x7c00;\nand.b32 l, %c, 0x8000;\nsetp.eq.u32 p, h, 0;\n"
		"selp.b32 %c, l, %c, p;\n",
		to, to, to, to);
}

static void sign(const struct inst *in, unsigned at, FILE *f)
{
	const struct format *t = format_of(in->type);
	fprintf(f, "shr.u32 m, a, %u;\nand.b32 m, m, 0xffff;\n", at);
	if (in->mods & M_FTZ)
		flush_bits('m', f);
	fprintf(f,
		"and.b32 l, m, 0x7fff;\nsetp.gt.u32 p, l, %u;\n%s.b32 m, m, %s;\n"
		"selp.b32 m, 0x7fff, m, p;\n",
		t->inf, in->op == OP_NEG ? "xor" : "and", in->op == OP_NEG ? "0x8000" : "0x7fff");
	put(in, at, f);
}

/* k: the half in s as an integer in the order of the numbers, -0 before +0. */
static void ordered(char s, char k, FILE *f)
{
	fprintf(f,
		"shl.b32 h, %c, 16;\nshr.s32 h, h, 31;\nand.b32 h, h, 0xffff7fff;\nxor.b32 %c, %c, h;\n",
		s, k, s);
}

static void extreme(const struct inst *in, unsigned at, FILE *f)
{
	const struct format *t = format_of(in->type);
	fprintf(f,
		"shr.u32 i, a, %u;\nand.b32 i, i, 0xffff;\nshr.u32 j, b, %u;\n"
		"and.b32 j, j, 0xffff;\n",
		at, at);
	fprintf(f, "xor.b32 g, i, j;\nand.b32 g, g, %s;\n", in->mods & M_XORSIGN ? "0x8000" : "0");
	for (char c = 'i'; c <= 'j'; c++) {
		if (in->mods & M_FTZ)
			flush_bits(c, f);
		if (in->mods & M_XORSIGN)
			fprintf(f, "and.b32 %c, %c, 0x7fff;\n", c, c);
	}
	ordered('i', 'k', f);
	ordered('j', 'l', f);
	fprintf(f,
		"setp.%s.s32 p, k, l;\n"
		"and.b32 h, i, 0x7fff;\nsetp.le.u32 q1, h, %u;\n"
		"and.b32 h, j, 0x7fff;\nsetp.gt.u32 q2, h, %u;\n"
		"and.pred p, p, q1;\nor.pred p, p, q2;\nselp.b32 m, i, j, p;\nor.b32 m, m, g;\n"
		"not.pred q1, q1;\n%s.pred p, q1, q2;\nselp.b32 m, 0x7fff, m, p;\n",
		in->op == OP_MAX ? "gt" : "lt", t->inf, t->inf, in->mods & M_NAN ? "or" : "and");
	put(in, at, f);
}

bool expand_half(const struct inst *in, unsigned sm, FILE *f)
{
	void (*how)(const struct inst *in, unsigned at, FILE *f) = NULL;
	(void)sm;
	if (!expand_is_half(in->type))
		return false;
	switch (in->op) {
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_MAD:
	case OP_FMA: how = arithmetic; break;
	case OP_ABS:
	case OP_NEG: how = sign; break;
	case OP_MIN:
	case OP_MAX: how = in->ns == 2 ? extreme : NULL; break;
	default: break;
	}
	if (!how || !f)
		return how != NULL;
	fprintf(f,
		".reg .b32 h, m, g, i, j, k, l;\n.reg .b64 v, w;\n.reg .f64 x, y, z, lo, hi, odd;\n"
		".reg .pred p, q1, q2;\n");
	how(in, 0, f);
	if (expand_is_pair(in->type))
		how(in, 16, f);
	return true;
}
