/* Conversions that neither machine has: of bfloat16, of 8-bit floats, of packs, to halves with
 * saturation; on sm_13 also between halves and 64-bit numbers. They go through double precision,
 * exactly or rounded to odd, and are rounded once. */
#include "back/routines/expand.h"

static bool is_pack(unsigned type)
{
	return expand_is_pair(type) || type == T_E4M3X2 || type == T_E5M2X2;
}

static bool is_late(unsigned type) { return is_pack(type) || type == T_BF16 || type == T_TF32; }

/* x = the integer a. If a has more bits than a double's fraction, the last bit of x is the OR of
 * all bits that do not fit (rounding to odd). */
static void integer_in(unsigned type, FILE *f)
{
	bool sg = type_is_signed(type);
	unsigned bits = type_bits(type);
	if (bits < 64) {
		fprintf(f, "shl.b32 k, a, %u;\nshr.%c32 k, k, %u;\ncvt.rn.f64.%c32 x, k;\n",
			32 - bits, sg ? 's' : 'u', 32 - bits, sg ? 's' : 'u');
		return;
	}
	fprintf(f,
		"%s.%c64 w, a;\nshr.u64 u, w, 53;\nsetp.ne.u64 q1, u, 0;\n"
		"and.b64 u, w, 0x7ff;\nsetp.ne.u64 p, u, 0;\nselp.b64 u, 0x800, 0, p;\n"
		"and.b64 v, w, 0xfffffffffffff800;\nor.b64 v, v, u;\nselp.b64 w, v, w, q1;\n"
		"cvt.rn.f64.u64 x, w;\n",
		sg ? "abs" : "mov", sg ? 's' : 'u');
	if (sg)
		fprintf(f, "setp.lt.s64 p, a, 0;\nneg.f64 y, x;\nselp.f64 x, y, x, p;\n");
}

static void number_in(const struct inst *in, const char *from, unsigned at, FILE *f)
{
	static const char *const integral[] = {
		[RND_RNI] = "rni", [RND_RZI] = "rzi", [RND_RMI] = "rmi", [RND_RPI] = "rpi"};
	bool flush = in->mods & M_FTZ && in->stype == T_F32 && in->type == T_BF16;
	if (in->stype == T_F64)
		fprintf(f, "mov.b64 x, a;\n");
	else if (!type_is_float(in->stype))
		integer_in(in->stype, f);
	else
		expand_float_in(expand_format(in->stype), flush, from, at, "x", f);
	if (type_is_float(in->type) && in->rnd >= RND_RNI && in->rnd <= RND_RPI)
		fprintf(f, "cvt.%s.f64.f64 x, x;\n", integral[in->rnd]);
}

static void to_small(const struct inst *in, FILE *f)
{
	const struct float_format *t = expand_format(in->type);
	unsigned rnd =
		in->rnd == RND_RZ || in->rnd == RND_RM || in->rnd == RND_RP ? in->rnd : RND_RN;
	uint32_t mods = in->mods & (M_SAT | M_RELU | M_SATFINITE);
	bool two = is_pack(in->type), pack = is_pack(in->stype);
	for (unsigned i = 0; i <= two; i++) {
		unsigned from = i && pack ? expand_format(in->stype)->bits : 0;
		number_in(in, two && !pack && !i ? "b" : "a", from, f);
		expand_float_out(t, mods, rnd, in->stype == T_F64 && !mods, f);
		expand_put(i * t->bits, f);
	}
}

/* A NaN becomes 0, or the lowest number in 64 bits, as in conversions of doubles. */
static void to_integer(const struct inst *in, FILE *f)
{
	static const char *const round[] = {
		[RND_RNI] = "rni", [RND_RZI] = "rzi", [RND_RMI] = "rmi", [RND_RPI] = "rpi"};
	unsigned rnd = in->rnd >= RND_RNI && in->rnd <= RND_RPI ? in->rnd : RND_RZI;
	number_in(in, "a", 0, f);
	fprintf(f, "cvt.%s.%c%u.f64 r, x;\n", round[rnd], type_is_signed(in->type) ? 's' : 'u',
		type_bits(in->type));
	if (type_bits(in->type) < 64)
		fprintf(f, "setp.nan.f64 p, x, x;\nselp.b32 r, 0, r, p;\n");
}

/* bf16 is the upper half of a single. */
static void to_single(const struct inst *in, FILE *f)
{
	fprintf(f, "shl.b32 r, a, 16;\n");
	if (in->mods & M_FTZ)
		fprintf(f, "and.b32 m, r, 0x7fffffff;\nand.b32 h, r, 0x80000000;\n"
			   "setp.lt.u32 p, m, 0x800000;\nselp.b32 r, h, r, p;\n"
			   "setp.gt.u32 p, m, 0x7f800000;\nselp.b32 r, 0x7fffffff, r, p;\n");
}

static void to_double(const struct inst *in, FILE *f)
{
	number_in(in, "a", 0, f);
	if (in->mods & M_SAT)
		fprintf(f,
			"max.f64 x, x, 0d0000000000000000;\nmin.f64 x, x, 0d3ff0000000000000;\n");
	fprintf(f, "add.rn.f64 r, x, 0d8000000000000000;\n"); /* a NaN becomes quiet */
}

/* tf32 is a single whose last 13 bits are 0. rna rounds a NaN as if it were a number, and with
 * .satfinite to one less. */
static void to_tf32(const struct inst *in, FILE *f)
{
	bool finite = in->mods & M_SATFINITE, to_nearest = in->rnd == RND_RN,
	     cut = in->rnd == RND_RZ;
	fprintf(f, "and.b32 m, a, 0x7fffffff;\nand.b32 h, a, 0x80000000;\n"
		   "setp.gt.u32 p, m, 0x7f800000;\nmov.b32 i, m;\n");
	if (to_nearest)
		fprintf(f, "shr.u32 k, m, 13;\nand.b32 k, k, 1;\nadd.u32 i, m, k;\n"
			   "add.u32 i, i, 0xfff;\n");
	else if (!cut)
		fprintf(f, "add.u32 i, m, 0x1000;\n");
	fprintf(f, "and.b32 i, i, 0xffffe000;\nmin.u32 i, i, 0x%x;\nand.b32 j, a, 0xffffe000;\n",
		finite ? 0x7f7fe000 : 0x7f800000);
	if (to_nearest || cut)
		fprintf(f, "mov.b32 j, 0x7fffe000;\n");
	else if (finite)
		fprintf(f, "sub.u32 j, j, 0x2000;\n");
	if (in->mods & M_RELU)
		fprintf(f, "setp.ne.u32 q1, h, 0;\nselp.b32 i, 0, i, q1;\nmov.b32 h, 0;\n");
	fprintf(f, "or.b32 i, i, h;\nselp.b32 r, j, i, p;\n");
}

/* Packs two integers, each limited to its width, a above b, and c above them. */
static void write_pack(const struct inst *in, FILE *f)
{
	unsigned bits = type_bits(in->type);
	int lo = type_is_signed(in->type) ? -(1 << (bits - 1)) : 0,
	    hi = (1 << (type_is_signed(in->type) ? bits - 1 : bits)) - 1;
	for (unsigned i = 0; i < 2; i++) {
		fprintf(f, "max.s32 m, %c, %d;\nmin.s32 m, m, %d;\nand.b32 m, m, %d;\n",
			i ? 'a' : 'b', lo, hi, (1 << bits) - 1);
		expand_put(i * bits, f);
	}
	if (in->ns > 2)
		fprintf(f, "shl.b32 m, c, %u;\nor.b32 r, r, m;\n", 2 * bits);
}

static bool is_lacking(const struct inst *in, unsigned sm)
{
	bool half = in->type == T_F16 && type_is_float(in->stype) &&
		    in->mods & (M_SAT | M_RELU | M_SATFINITE),
	     wide = sm < 20 && ((in->type == T_F16 && type_bits(in->stype) == 64) ||
				(in->stype == T_F16 && type_bits(in->type) == 64));
	return half || wide || is_late(in->type) || is_late(in->stype);
}

bool expand_convert(const struct inst *in, unsigned sm, FILE *f)
{
	if (in->op != OP_CVT_PACK && (in->op != OP_CVT || !is_lacking(in, sm)))
		return false;
	if (!f)
		return true;
	expand_registers(f);
	if (in->op == OP_CVT_PACK)
		write_pack(in, f);
	else if (in->type == T_TF32)
		to_tf32(in, f);
	else if (!type_is_float(in->type))
		to_integer(in, f);
	else if (in->type == T_F64)
		to_double(in, f);
	else if (in->type == T_F32)
		to_single(in, f);
	else
		to_small(in, f);
	return true;
}
