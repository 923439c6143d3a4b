/* Routines in PTX for floats on sm_13: quotients and roots of singles, for which the special
 * function unit gives approximations; the first bits of a double's reciprocal and root, which it
 * has for singles only. */
#include "back/routines/routines.h"
#include "back/tesla/tesla.h"

/* Quotients of singles, correctly rounded. The divisor is scaled so that its reciprocal r is not
 * flushed, and the dividend with it. Both products flush subnormal operands, as r does. The
 * quotient z = x r is improved twice by its remainder e, each time by as many bits as r has, so
 * that it has a double's precision. For zeros, infinities and NaNs e is zero or a NaN, and z is the
 * result. */
#define DIV(round)                                                                                 \
	".func (.reg .f32 q) t_div_" round " (.reg .f32 a, .reg .f32 b)\n"                         \
	"{\n"                                                                                      \
	"\t.reg .f32 f, g, h;\n"                                                                   \
	"\t.reg .f64 x, y, z, r, e;\n"                                                             \
	"\t.reg .pred p;\n"                                                                        \
	"\tabs.f32 f, b;\n"                                                                        \
	"\tsetp.gt.f32 p, f, 0f7e000000;\n"                                                        \
	"\tselp.f32 h, 0f3d800000, 0f3f800000, p;\n"                                               \
	"\tmul.rn.f32 f, a, h;\n"                                                                  \
	"\tmul.rn.f32 g, b, h;\n"                                                                  \
	"\trcp.approx.ftz.f32 h, g;\n"                                                             \
	"\tneg.f32 g, g;\n"                                                                        \
	"\tcvt.f64.f32 x, f;\n"                                                                    \
	"\tcvt.f64.f32 y, g;\n"                                                                    \
	"\tcvt.f64.f32 r, h;\n"                                                                    \
	"\tmul.rn.f64 z, x, r;\n"                                                                  \
	"\tfma.rn.f64 e, y, z, x;\n"                                                               \
	"\tsetp.ne.f64 p, e, 0d0000000000000000;\n"                                                \
	"\t@p fma.rn.f64 z, e, r, z;\n"                                                            \
	"\tfma.rn.f64 e, y, z, x;\n"                                                               \
	"\t@p fma.rn.f64 z, e, r, z;\n"                                                            \
	"\tcvt." round ".f32.f64 q, z;\n"                                                          \
	"\tadd.rn.f32 q, q, 0f80000000;\n"                                                         \
	"\tret;\n"                                                                                 \
	"}\n"
/* Improves a root y = x r by its remainder, with half the reciprocal root h. */
#define SQRT(round)                                                                                \
	".func (.reg .f32 q) t_sqrt_" round " (.reg .f32 a)\n"                                     \
	"{\n"                                                                                      \
	"\t.reg .f32 f, g, k;\n"                                                                   \
	"\t.reg .f64 x, y, r, h, n, e;\n"                                                          \
	"\t.reg .pred p;\n"                                                                        \
	"\tmul.rn.f32 f, a, 0f3f800000;\n"                                                         \
	"\trsqrt.approx.ftz.f32 g, f;\n"                                                           \
	"\tmul.rn.f32 k, g, 0f3f000000;\n"                                                         \
	"\tcvt.f64.f32 x, f;\n"                                                                    \
	"\tcvt.f64.f32 r, g;\n"                                                                    \
	"\tcvt.f64.f32 h, k;\n"                                                                    \
	"\tmul.rn.f64 y, x, r;\n"                                                                  \
	"\tneg.f64 n, y;\n"                                                                        \
	"\tfma.rn.f64 e, n, y, x;\n"                                                               \
	"\tfma.rn.f64 y, e, h, y;\n"                                                               \
	"\tneg.f64 n, y;\n"                                                                        \
	"\tfma.rn.f64 e, n, y, x;\n"                                                               \
	"\tfma.rn.f64 y, e, h, y;\n"                                                               \
	"\tcvt." round ".f32.f64 q, y;\n"                                                          \
	"\tsetp.eq.f32 p, f, 0f00000000;\n"                                                        \
	"\tsetp.eq.or.f32 p, f, 0f7f800000, p;\n"                                                  \
	"\tselp.f32 q, f, q, p;\n"                                                                 \
	"\tadd.rn.f32 q, q, 0f80000000;\n"                                                         \
	"\tret;\n"                                                                                 \
	"}\n"

static const char text[] =
	".version 3.2\n"
	".target sm_20\n"
	".address_size 64\n"
	"\n" DIV("rn") DIV("rz") DIV("rm") DIV("rp") SQRT("rn") SQRT("rz") SQRT("rm")
		SQRT("rp") ".func (.reg .f32 q) t_div_approx (.reg .f32 a, .reg .f32 b)\n"
			   "{\n"
			   "\t.reg .f32 r;\n"
			   "\trcp.approx.ftz.f32 r, b;\n"
			   "\tmul.rn.ftz.f32 q, a, r;\n"
			   "\tret;\n"
			   "}\n"
			   ".func (.reg .f32 q) t_div_full (.reg .f32 a, .reg .f32 b)\n"
			   "{\n"
			   "\t.reg .f32 r, x, y;\n"
			   "\t.reg .pred p;\n"
			   "\tabs.f32 x, b;\n"
			   "\tsetp.gt.f32 p, x, 0f7e800000;\n"
			   "\tselp.f32 r, 0f3e800000, 0f3f800000, p;\n"
			   "\tmul.rn.f32 x, a, r;\n"
			   "\tmul.rn.f32 y, b, r;\n"
			   "\trcp.approx.ftz.f32 r, y;\n"
			   "\tmul.rn.f32 q, x, r;\n"
			   "\tret;\n"
			   "}\n"
			   ".func (.reg .f32 q) t_sqrt_approx (.reg .f32 a)\n"
			   "{\n"
			   "\t.reg .f32 r, z;\n"
			   "\t.reg .f64 x, y, n, h;\n"
			   "\t.reg .pred p;\n"
			   "\trsqrt.approx.ftz.f32 r, a;\n"
			   "\trcp.approx.ftz.f32 z, r;\n" /* zeros, infinity, NaNs */
			   "\tcvt.f64.f32 x, a;\n"
			   "\tcvt.f64.f32 h, r;\n"
			   "\tmul.rn.f64 y, x, h;\n"
			   "\tneg.f64 n, y;\n"
			   "\tfma.rn.f64 x, n, y, x;\n"
			   "\tmul.rn.f64 h, h, 0d3fe0000000000000;\n"
			   "\tfma.rn.f64 y, x, h, y;\n"
			   "\tcvt.rn.f32.f64 q, y;\n"
			   "\tsetp.gt.f32 p, r, 0f00000000;\n"
			   "\tsetp.lt.and.f32 p, r, 0f7f800000, p;\n"
			   "\tselp.f32 q, q, z, p;\n"
			   "\tret;\n"
			   "}\n"
			   ".func (.reg .f64 q) t_rcp64 (.reg .f64 a)\n"
			   "{\n"
			   "\t.reg .u32 lo, hi, e, m, s, t, n;\n"
			   "\t.reg .f64 x;\n"
			   "\t.reg .f32 f;\n"
			   "\t.reg .pred p, z;\n"
			   "\tmov.b64 {n, hi}, a;\n"
			   "\tand.b32 e, hi, 0x7ff00000;\n"
			   "\tand.b32 s, hi, 0x80000000;\n"
			   "\tand.b32 t, hi, 0x000fffff;\n"
			   "\tor.b32 n, n, t;\n"
			   "\tor.b32 m, t, 0x3ff00000;\n"
			   "\tmov.b64 x, {0, m};\n"
			   "\tcvt.rn.f32.f64 f, x;\n"
			   "\trcp.approx.ftz.f32 f, f;\n"
			   "\tcvt.f64.f32 x, f;\n"
			   "\tmov.b64 {lo, m}, x;\n"
			   "\tsub.u32 t, 0x3ff00000, e;\n"
			   "\tadd.u32 m, m, t;\n"
			   "\tsetp.lt.s32 p, m, 0x00100000;\n"
			   "\tselp.u32 m, 0, m, p;\n"
			   "\tselp.u32 lo, 0, lo, p;\n"
			   "\tsetp.eq.u32 p, e, 0;\n"
			   "\tselp.u32 m, 0x7ff00000, m, p;\n"
			   "\tselp.u32 lo, 0, lo, p;\n"
			   "\tsetp.eq.u32 p, e, 0x7ff00000;\n"
			   "\tsetp.ne.and.u32 z, n, 0, p;\n"
			   "\tselp.u32 m, 0, m, p;\n"
			   "\tselp.u32 lo, 0, lo, p;\n"
			   "\tselp.u32 m, 0x7ff80000, m, z;\n"
			   "\tor.b32 m, m, s;\n"
			   "\tmov.b64 q, {lo, m};\n"
			   "\tret;\n"
			   "}\n"
			   ".func (.reg .f64 q) t_rsqrt64 (.reg .f64 a)\n"
			   "{\n"
			   "\t.reg .u32 lo, hi, e, m, s, t, n, k;\n"
			   "\t.reg .f64 x;\n"
			   "\t.reg .f32 f;\n"
			   "\t.reg .pred p, z;\n"
			   "\tmov.b64 {n, hi}, a;\n"
			   "\tand.b32 e, hi, 0x7ff00000;\n"
			   "\tand.b32 s, hi, 0x80000000;\n"
			   "\tand.b32 t, hi, 0x000fffff;\n"
			   "\tor.b32 n, n, t;\n"
			   "\tshr.u32 k, e, 20;\n"
			   "\tsub.u32 k, k, 1023;\n"
			   "\tand.b32 m, k, 1;\n"
			   "\tadd.u32 m, m, 1023;\n"
			   "\tshl.b32 m, m, 20;\n"
			   "\tor.b32 m, m, t;\n"
			   "\tmov.b64 x, {0, m};\n"
			   "\tcvt.rn.f32.f64 f, x;\n"
			   "\trsqrt.approx.ftz.f32 f, f;\n"
			   "\tcvt.f64.f32 x, f;\n"
			   "\tmov.b64 {lo, m}, x;\n"
			   "\tshr.s32 k, k, 1;\n"
			   "\tshl.b32 k, k, 20;\n"
			   "\tsub.u32 m, m, k;\n"
			   "\tsetp.eq.u32 z, e, 0;\n"
			   "\tsetp.ne.u32 p, s, 0;\n"
			   "\tselp.u32 m, 0x7ff80000, m, p;\n"
			   "\tselp.u32 lo, 0, lo, p;\n"
			   "\tor.b32 s, s, 0x7ff00000;\n"
			   "\tselp.u32 m, s, m, z;\n"
			   "\tselp.u32 lo, 0, lo, z;\n"
			   "\tsetp.eq.u32 p, hi, 0x7ff00000;\n"
			   "\tsetp.eq.and.u32 p, n, 0, p;\n"
			   "\tselp.u32 m, 0, m, p;\n"
			   "\tselp.u32 lo, 0, lo, p;\n"
			   "\tsetp.eq.u32 p, e, 0x7ff00000;\n"
			   "\tsetp.ne.and.u32 p, n, 0, p;\n"
			   "\tselp.u32 m, 0x7ff80000, m, p;\n"
			   "\tmov.b64 q, {lo, m};\n"
			   "\tret;\n"
			   "}\n";

const char *tesla_library_float(void) { return text; }

const char *tesla_routine_float(const struct inst *in)
{
	/* by rounding: nearest, to zero, down, up */
	static const char *const div[] = {"t_div_rn", "t_div_rz", "t_div_rm", "t_div_rp"},
				 *const root[] = {"t_sqrt_rn", "t_sqrt_rz", "t_sqrt_rm",
						  "t_sqrt_rp"};
	unsigned way = in->rnd == RND_RZ ? 1 : in->rnd == RND_RM ? 2 : in->rnd == RND_RP ? 3 : 0;
	bool single = in->type == T_F32;
	switch (in->op) {
	case OP_DIV:
		if (!single)
			return NULL;
		return in->mods & M_APPROX ? "t_div_approx"
		       : in->mods & M_FULL ? "t_div_full"
					   : div[way];
	case OP_SQRT: return !single ? NULL : in->mods & M_APPROX ? "t_sqrt_approx" : root[way];
	case OP_RCP:
		if (single)
			return in->mods & M_APPROX ? NULL : div[way];
		return in->type == T_F64 && in->mods & M_APPROX ? "t_rcp64" : NULL;
	case OP_RSQRT: return in->type == T_F64 && in->mods & M_FTZ ? "t_rsqrt64" : NULL;
	default: return NULL;
	}
}
