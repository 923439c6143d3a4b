/* Routines in PTX for operations on bits and 64-bit integers that neither machine has: classes of
 * floats, saturating 64-bit conversions, bit fields, sums of differences. lib.c explains how they
 * are used. */
#include "back/routines/routines.h"
#include "back/select/sel.h"

/* True if the float's magnitude, as an integer, is one of the n values from lo on, or if `more` is
 * true. */
#define KIND(name, bits, mask, lo, n, more)                                                        \
	".func (.reg .u32 r) " name " (.reg .b" bits " a)\n"                                       \
	"{\n"                                                                                      \
	"\t.reg .u" bits " x, y;\n"                                                                \
	"\t.reg .pred p;\n"                                                                        \
	"\tand.b" bits " x, a, " mask ";\n"                                                        \
	"\tsub.u" bits " y, x, " lo ";\n"                                                          \
	"\tsetp.lt.u" bits " p, y, " n ";\n" more "\tselp.u32 r, 1, 0, p;\n"                       \
	"\tret;\n"                                                                                 \
	"}\n"
#define KIND32(name, lo, n, more) KIND(name "_f32", "32", "0x7fffffff", lo, n, more)
#define KIND64(name, lo, n, more) KIND(name "_f64", "64", "0x7fffffffffffffff", lo, n, more)
#define OR_ZERO(bits)             "\tsetp.eq.or.u" bits " p, x, 0, p;\n"

/* Clamps a 64-bit integer between two limits; r has 32 or 64 bits. */
#define CLAMP_S(to, lo, hi)                                                                        \
	".func (.reg .u32 r) sat_" to "_s64 (.reg .s64 a)\n"                                       \
	"{\n"                                                                                      \
	"\t.reg .s64 x;\n"                                                                         \
	"\tmax.s64 x, a, " lo ";\n"                                                                \
	"\tmin.s64 x, x, " hi ";\n"                                                                \
	"\tcvt.u32.u64 r, x;\n"                                                                    \
	"\tret;\n"                                                                                 \
	"}\n"
#define CLAMP_U(to, hi)                                                                            \
	".func (.reg .u32 r) sat_" to "_u64 (.reg .u64 a)\n"                                       \
	"{\n"                                                                                      \
	"\t.reg .u64 x;\n"                                                                         \
	"\tmin.u64 x, a, " hi ";\n"                                                                \
	"\tcvt.u32.u64 r, x;\n"                                                                    \
	"\tret;\n"                                                                                 \
	"}\n"
#define CLAMP(to, lo, hi) CLAMP_S(to, lo, hi) CLAMP_U(to, hi)

#define SAD64(type)                                                                                \
	".func (.reg .u64 r) sad_" type " (.reg ." type " a, .reg ." type " b, .reg .u64 c)\n"     \
	"{\n"                                                                                      \
	"\t.reg ." type " x, y;\n"                                                                 \
	"\tmax." type " x, a, b;\n"                                                                \
	"\tmin." type " y, a, b;\n"                                                                \
	"\tsub.s64 x, x, y;\n"                                                                     \
	"\tadd.s64 r, x, c;\n"                                                                     \
	"\tret;\n"                                                                                 \
	"}\n"

/* The upper part of a product plus a sum that saturates. */
#define MAD_SAT(name, mul)                                                                         \
	".func (.reg .s32 r) " name " (.reg .s32 a, .reg .s32 b, .reg .s32 c)\n"                   \
	"{\n"                                                                                      \
	"\t.reg .s32 x;\n"                                                                         \
	"\t" mul ".s32 x, a, b;\n"                                                                 \
	"\tadd.sat.s32 r, x, c;\n"                                                                 \
	"\tret;\n"                                                                                 \
	"}\n"

static const char text[] = ".version 3.2\n"
			   ".target sm_20\n"
			   ".address_size 64\n"
			   "\n"
	/* clang-format off */
	KIND32("normal", "0x00800000", "0x7f000000", OR_ZERO("32"))
	KIND32("subnormal", "1", "0x007fffff", "")
	KIND64("finite", "0", "0x7ff0000000000000", "")
	KIND64("infinite", "0x7ff0000000000000", "1", "")
	KIND64("number", "0", "0x7ff0000000000001", "")
	KIND64("notanumber", "0x7ff0000000000001", "0x000fffffffffffff", "")
	KIND64("normal", "0x0010000000000000", "0x7fe0000000000000", OR_ZERO("64"))
	KIND64("subnormal", "1", "0x000fffffffffffff", "")
	CLAMP("u8", "0", "0xff")
	CLAMP("s8", "-0x80", "0x7f")
	CLAMP("u16", "0", "0xffff")
	CLAMP("s16", "-0x8000", "0x7fff")
	CLAMP("u32", "0", "0xffffffff")
	CLAMP("s32", "-0x80000000", "0x7fffffff")
	SAD64("s64")
	SAD64("u64")
	MAD_SAT("mad_hi_sat", "mul.hi")
	MAD_SAT("mad24_hi_sat", "mul24.hi")
	/* clang-format on */
	".func (.reg .u64 r) sat_u64_s64 (.reg .s64 a)\n"
	"{\n"
	"\tmax.s64 r, a, 0;\n"
	"\tret;\n"
	"}\n"
	".func (.reg .u64 r) sat_s64_u64 (.reg .u64 a)\n"
	"{\n"
	"\tmin.u64 r, a, 0x7fffffffffffffff;\n"
	"\tret;\n"
	"}\n"
	".func (.reg .u64 r) cnot_b64 (.reg .u64 a)\n"
	"{\n"
	"\t.reg .pred p;\n"
	"\tsetp.eq.u64 p, a, 0;\n"
	"\tselp.u64 r, 1, 0, p;\n"
	"\tret;\n"
	"}\n"
	/* Shifts up to the field's end or bit 63, then down with the sign: positions past 63 read
	 * bit 63. */
	".func (.reg .s64 r) bfe_s64 (.reg .s64 a, .reg .u32 p, .reg .u32 n)\n"
	"{\n"
	"\t.reg .u32 at, size, end, k;\n"
	"\t.reg .s64 x;\n"
	"\t.reg .pred none;\n"
	"\tmin.u32 at, p, 64;\n"
	"\tmin.u32 size, n, 64;\n"
	"\tadd.u32 end, at, size;\n"
	"\tmin.u32 end, end, 64;\n"
	"\tsub.u32 k, 64, end;\n"
	"\tshl.b64 x, a, k;\n"
	"\tadd.u32 k, k, at;\n"
	"\tshr.s64 x, x, k;\n"
	"\tsetp.eq.u32 none, size, 0;\n"
	"\tselp.s64 r, 0, x, none;\n"
	"\tret;\n"
	"}\n";

const char *back_library_bits(void) { return text; }

static const char *testp(const struct inst *in)
{
	static const char *const f32[] = {
		[TESTP_NORMAL] = "normal_f32", [TESTP_SUBNORMAL] = "subnormal_f32"};
	static const char *const f64[] = {
		[TESTP_FINITE] = "finite_f64", [TESTP_INFINITE] = "infinite_f64",
		[TESTP_NUMBER] = "number_f64", [TESTP_NOTANUMBER] = "notanumber_f64",
		[TESTP_NORMAL] = "normal_f64", [TESTP_SUBNORMAL] = "subnormal_f64"};
	return (in->stype == T_F64 ? f64 : f32)[in->mode];
}

static const char *saturate(const struct inst *in)
{
	/* by the destination's bytes, as a power of two; signed types follow */
	static const char *const from_s[] = {"sat_u8_s64",  "sat_u16_s64", "sat_u32_s64",
					     "sat_u64_s64", "sat_s8_s64",  "sat_s16_s64",
					     "sat_s32_s64", NULL};
	static const char *const from_u[] = {"sat_u8_u64",  "sat_u16_u64", "sat_u32_u64",
					     NULL,          "sat_s8_u64",  "sat_s16_u64",
					     "sat_s32_u64", "sat_s64_u64"};
	bool wide = type_bits(in->type) == 64, sg = type_is_signed(in->stype);
	if (type_is_float(in->type) || type_is_float(in->stype) || !(in->mods & M_SAT) ||
	    (!wide && type_bits(in->stype) != 64))
		return NULL;
	unsigned k =
		(unsigned)__builtin_ctz(type_bytes(in->type)) + (type_is_signed(in->type) ? 4 : 0);
	return (sg ? from_s : from_u)[k];
}

const char *back_routine_bits(const struct inst *in)
{
	bool wide = type_bits(in->type) == 64, sg = type_is_signed(in->type);
	bool hi = in->mode == MUL_HI && in->mods & M_SAT && in->type == T_S32;
	switch (in->op) {
	case OP_TESTP: return testp(in);
	case OP_CVT: return saturate(in);
	case OP_SAD: return !wide ? NULL : sg ? "sad_s64" : "sad_u64";
	case OP_BFE: return wide && sg ? "bfe_s64" : NULL;
	case OP_CNOT: return wide ? "cnot_b64" : NULL;
	case OP_MAD: return hi ? "mad_hi_sat" : NULL;
	case OP_MAD24: return hi ? "mad24_hi_sat" : NULL;
	default: return NULL;
	}
}
