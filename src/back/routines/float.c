/* Converts floats of 8, 16 and 32 bits to double precision and back, for routines that compute in
 * double precision: both machines have it, with subnormal numbers. A small float becomes a double
 * by shifting its bits into place and multiplying by a power of two, and the reverse. */
#include "back/routines/expand.h"

static const char up15[] = "0d7ef0000000000000", down15[] = "0d00f0000000000000",
		  up127[] = "0d77f0000000000000", down127[] = "0d07f0000000000000";
static const struct float_format
	f16 = {16, 42, 0x7c00, 0x7fff, 0x3c00, up15, down15},
	bf16 = {16, 45, 0x7f80, 0x7fff, 0x3f80, up127, down127},
	f32 = {32, 29, 0x7f800000, 0x7fffffff, 0x3f800000, up127, down127},
	e5m2 = {8, 50, 0x7c, 0x7f, 0x3c, up15, down15},
	e4m3 = {8, 49, 0x7f, 0x7f, 0x38, "0d7f70000000000000", "0d0070000000000000"};

const struct float_format *expand_format(unsigned type)
{
	switch (type) {
	case T_F16:
	case T_F16X2: return &f16;
	case T_BF16:
	case T_BF16X2: return &bf16;
	case T_F32: return &f32;
	case T_E5M2X2: return &e5m2;
	case T_E4M3X2: return &e4m3;
	default: return NULL;
	}
}

void expand_float_in(const struct float_format *t, bool flush, const char *from, unsigned at,
		     const char *to, FILE *f)
{
	uint32_t sign = 1u << (t->bits - 1);
	fprintf(f, "shr.u32 h, %s, %u;\nand.b32 m, h, %u;\nand.b32 h, h, %u;\n", from, at, sign - 1,
		sign);
	if (flush)
		fprintf(f, "setp.lt.u32 p, m, %u;\nselp.b32 m, 0, m, p;\n", 1u << (52 - t->shift));
	fprintf(f,
		"cvt.u64.u32 w, m;\nshl.b64 w, w, %u;\nor.b64 v, w, 0x7ff0000000000000;\n"
		"mov.b64 %s, w;\nmul.rn.f64 %s, %s, %s;\nmov.b64 w, %s;\n"
		"setp.ge.u32 p, m, %u;\nselp.b64 w, v, w, p;\n"
		"cvt.u64.u32 v, h;\nshl.b64 v, v, %u;\nor.b64 w, w, v;\nmov.b64 %s, w;\n",
		t->shift, to, to, to, t->up, to, t->inf, 64 - t->bits, to);
}

/* Rounds w, with a sticky bit below, at bit `shift`; result in m. */
static void round_bits(const struct float_format *t, uint32_t mods, unsigned rnd, FILE *f)
{
	unsigned long long unit = 1ull << t->shift;
	bool away = rnd == RND_RM || rnd == RND_RP, nearest = !away && rnd != RND_RZ;
	if (nearest)
		fprintf(f,
			"shr.u64 v, w, %u;\nand.b64 v, v, 1;\nadd.u64 w, w, v;\n"
			"add.u64 w, w, 0x%llx;\n",
			t->shift, unit / 2 - 1);
	if (away)
		fprintf(f, "setp.%s.u32 p, h, 0;\nselp.b64 v, 0x%llx, 0, p;\nadd.u64 w, w, v;\n",
			rnd == RND_RM ? "ne" : "eq", unit - 1);
	fprintf(f, "shr.u64 w, w, %u;\n", t->shift);
	if (nearest || mods & M_SATFINITE) {
		fprintf(f, "min.u64 w, w, %u;\n", t->inf - (mods & M_SATFINITE ? 1 : 0));
	} else { /* numbers stay finite if they are rounded to zero */
		fprintf(f, "setp.eq%s.f64 p, y, 0d7ff0000000000000%s;\n", away ? ".or" : "",
			away ? ", p" : "");
		fprintf(f, "selp.b64 v, %u, %u, p;\nmin.u64 w, w, v;\n", t->inf, t->inf - 1);
	}
	fprintf(f, "cvt.u32.u64 m, w;\n");
}

void expand_float_out(const struct float_format *t, uint32_t mods, unsigned rnd, bool payload,
		      FILE *f)
{
	uint32_t sign = 1u << (t->bits - 1), quiet = 1u << (51 - t->shift);
	fprintf(f,
		"mov.b64 w, x;\nshr.u64 v, w, %u;\ncvt.u32.u64 h, v;\nand.b32 h, h, %u;\n"
		"abs.f64 y, x;\nmul.rz.f64 z, y, %s;\nmov.b64 w, z;\n"
		"mul.rn.f64 z, z, %s;\nsetp.neu.f64 p, z, y;\nor.b64 v, w, 1;\nselp.b64 w, v, w, p;\n",
		64 - t->bits, sign, t->down, t->up);
	round_bits(t, mods, rnd, f);
	if (mods & M_FTZ && t == &f16) /* 2^-14 - 2^-26: rounded to 11 bits it is subnormal */
		fprintf(f, "setp.lt.f64 p, y, 0d3f0ffe0000000000;\nselp.b32 m, 0, m, p;\n");
	fprintf(f, "setp.nan.f64 p, x, x;\n");
	if (payload)
		fprintf(f,
			"mov.b64 v, x;\nshr.u64 v, v, %u;\ncvt.u32.u64 g, v;\nand.b32 g, g, %u;\n"
			"or.b32 g, g, %u;\nselp.b32 m, g, m, p;\n",
			t->shift, 2 * quiet - 1, t->inf | quiet);
	else
		fprintf(f, "selp.b32 m, %u, m, p;\n", t->nan);
	if (mods & M_SAT)
		fprintf(f, "min.u32 m, m, %u;\nsetp.ne.or.u32 p, h, 0, p;\nselp.b32 m, 0, m, p;\n",
			t->one);
	else if (mods & M_RELU)
		fprintf(f, "setp.ne.u32 q1, h, 0;\nselp.b32 h, 0, 1, q1;\nsetp.ne.or.u32 p, h, 0, "
			   "p;\nselp.b32 m, m, 0, p;\n");
	else
		fprintf(f, "%sor.b32 m, m, h;\n", payload ? "" : "selp.b32 h, 0, h, p;\n");
}

void expand_registers(FILE *f)
{
	fprintf(f, ".reg .b32 h, m, g, i, j, k, l;\n.reg .b64 u, v, w;\n"
		   ".reg .f64 x, y, z, lo, hi, odd;\n.reg .f32 s, t, e;\n"
		   ".reg .pred p, q1, q2;\n");
}

void expand_put(unsigned at, FILE *f)
{
	if (!at)
		fprintf(f, "mov.b32 r, m;\n");
	else
		fprintf(f, "shl.b32 m, m, %u;\nor.b32 r, r, m;\n", at);
}
