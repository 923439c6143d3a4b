/* Routines, in PTX, for operations that the machines lack; they are compiled like any other code
 * where they are used. Quotients and roots of floats are computed in double precision, whose
 * rounding to single is correct. Quotients and roots of doubles use Newton's method on the first
 * bits of the reciprocal, with the remainder as last step; near the ends of the exponent range they
 * are computed bit by bit. */
#include "back/routines/routines.h"
#include "back/select/sel.h"

/* Quotients and roots of singles. The last addition turns any NaN into the machine's. A double that
 * happens to be a single is the exact result, so that all roundings are right.
 *
 * A quotient z = x r of an approximate reciprocal r is improved twice by its remainder e, each time
 * by as many bits as r has. For zeros, infinities and NaNs e is zero or a NaN, and z is the
 * result. */
#define TWICE_BETTER                                                                               \
	"\tfma.rn.f64 e, y, z, x;\n"                                                               \
	"\tsetp.ne.f64 p, e, 0d0000000000000000;\n"                                                \
	"\t@p fma.rn.f64 z, e, r, z;\n"                                                            \
	"\tfma.rn.f64 e, y, z, x;\n"                                                               \
	"\t@p fma.rn.f64 z, e, r, z;\n"
#define DIV_F32(name, round, ftz)                                                                  \
	".func (.reg .f32 q) " name " (.reg .f32 a, .reg .f32 b)\n"                                \
	"{\n"                                                                                      \
	"\t.reg .f64 x, y, z, r, e;\n"                                                             \
	"\t.reg .pred p;\n"                                                                        \
	"\tcvt" ftz ".f64.f32 x, a;\n"                                                             \
	"\tcvt" ftz ".f64.f32 y, b;\n"                                                             \
	"\trcp.approx.ftz.f64 r, y;\n"                                                             \
	"\tneg.f64 y, y;\n"                                                                        \
	"\tmul.rn.f64 z, x, r;\n" TWICE_BETTER "\tcvt." round ftz ".f32.f64 q, z;\n"               \
	"\tadd.rn" ftz ".f32 q, q, 0f80000000;\n"                                                  \
	"\tret;\n"                                                                                 \
	"}\n"
/* Improves a root by its remainder, times half of its reciprocal. */
#define BETTER_ROOT                                                                                \
	"\tneg.f64 n, y;\n"                                                                        \
	"\tfma.rn.f64 e, n, y, x;\n"                                                               \
	"\tfma.rn.f64 y, e, h, y;\n"
#define SQRT_F32(name, round, ftz)                                                                 \
	".func (.reg .f32 q) " name " (.reg .f32 a)\n"                                             \
	"{\n"                                                                                      \
	"\t.reg .f64 x, y, r, h, n, e;\n"                                                          \
	"\t.reg .pred p;\n"                                                                        \
	"\tcvt" ftz ".f64.f32 x, a;\n"                                                             \
	"\trsqrt.approx.ftz.f64 r, x;\n"                                                           \
	"\tmul.rn.f64 y, x, r;\n"                                                                  \
	"\tmul.rn.f64 h, r, 0d3fe0000000000000;\n" BETTER_ROOT BETTER_ROOT "\tcvt." round ftz      \
	".f32.f64 q, y;\n"                                                                         \
	"\tsetp.equ" ftz ".f32 p, a, 0f00000000;\n"                                                \
	"\tsetp.eq.or" ftz ".f32 p, a, 0f7f800000, p;\n"                                           \
	"\tselp.f32 q, a, q, p;\n"                                                                 \
	"\tadd.rn" ftz ".f32 q, q, 0f80000000;\n"                                                  \
	"\tret;\n"                                                                                 \
	"}\n"
/* q = the operand itself if it is a NaN, a NaN if it is negative. */
#define NO_NUMBER                                                                                  \
	"\tsetp.lt.f64 p, a, 0d0000000000000000;\n"                                                \
	"\tselp.f64 q, 0dfff8000000000000, q, p;\n"                                                \
	"\tadd.rn.f64 e, a, a;\n"                                                                  \
	"\tsetp.nan.f64 p, a, a;\n"                                                                \
	"\tselp.f64 q, e, q, p;\n"
/* Moves a root y of x by one unit in its last place if y * y is beyond x. */
#define STEP(cmp, op)                                                                              \
	"\tneg.f64 e, y;\n"                                                                        \
	"\tfma.rn.f64 e, e, y, x;\n"                                                               \
	"\tsetp." cmp ".f64 p, e, 0d0000000000000000;\n"                                           \
	"\tmov.b64 b, y;\n"                                                                        \
	"\t@p " op ".u64 b, b, 1;\n"                                                               \
	"\tmov.b64 y, b;\n"
#define SQRT_F64(name, step)                                                                       \
	".func (.reg .f64 q) " name " (.reg .f64 a)\n"                                             \
	"{\n"                                                                                      \
	"\t.reg .f64 x, y, s, e;\n"                                                                \
	"\t.reg .u64 b;\n"                                                                         \
	"\t.reg .pred p, t;\n"                                                                     \
	"\tsetp.lt.f64 t, a, 0d0360000000000000;\n"                                                \
	"\tselp.f64 s, 0d46b0000000000000, 0d3ff0000000000000, t;\n"                               \
	"\tmul.rn.f64 x, a, s;\n"                                                                  \
	"\tcall (y), root, (x);\n" step                                                            \
	"\tselp.f64 s, 0d3c90000000000000, 0d3ff0000000000000, t;\n"                               \
	"\tmul.rn.f64 y, y, s;\n"                                                                  \
	"\tsetp.equ.f64 p, a, 0d0000000000000000;\n"                                               \
	"\tsetp.eq.or.f64 p, a, 0d7ff0000000000000, p;\n"                                          \
	"\tselp.f64 q, a, y, p;\n" NO_NUMBER "\tret;\n"                                            \
	"}\n"

/* A product with the reciprocal; both numbers are scaled where that of b would not be normal. */
#define SCALE_SMALL                                                                                \
	"\tsetp.lt.f32 p, m, 0f00800000;\n"                                                        \
	"\tselp.f32 s, 0f4b800000, s, p;\n"
#define SCALE_LARGE                                                                                \
	"\tsetp.gt.f32 p, m, 0f7e800000;\n"                                                        \
	"\tselp.f32 s, 0f3e800000, s, p;\n"
#define DIV_SCALED(name, ftz, scale)                                                               \
	".func (.reg .f32 q) " name " (.reg .f32 a, .reg .f32 b)\n"                                \
	"{\n"                                                                                      \
	"\t.reg .f32 m, s, x, y;\n"                                                                \
	"\t.reg .pred p;\n"                                                                        \
	"\tmov.f32 s, 0f3f800000;\n"                                                               \
	"\tabs.f32 m, b;\n" scale "\tmul.rn" ftz ".f32 x, a, s;\n"                                 \
	"\tmul.rn" ftz ".f32 y, b, s;\n"                                                           \
	"\trcp.approx.ftz.f32 y, y;\n"                                                             \
	"\tmul.rn" ftz ".f32 q, x, y;\n"                                                           \
	"\tret;\n"                                                                                 \
	"}\n"

static const char text[] =
	".version 3.2\n"
	".target sm_20\n"
	".address_size 64\n"
	"\n"
	".func (.reg .u32 q, .reg .u32 r) udiv32 (.reg .u32 a, .reg .u32 b)\n"
	"{\n"
	"\t.reg .f32 f;\n"
	"\t.reg .u32 x, e, t, n;\n"
	"\t.reg .pred p;\n"
	"\tcvt.rp.f32.u32 f, b;\n"
	"\trcp.approx.ftz.f32 f, f;\n"
	"\tmov.b32 x, f;\n"
	"\tadd.u32 x, x, 0x0ffffffe;\n"
	"\tmov.b32 f, x;\n"
	"\tcvt.rzi.ftz.u32.f32 x, f;\n"
	"\tneg.s32 n, b;\n"
	"\tmul.lo.u32 e, x, n;\n"
	"\tmul.hi.u32 t, x, e;\n"
	"\tadd.u32 x, x, t;\n"
	"\tmul.hi.u32 q, x, a;\n"
	"\tmad.lo.u32 r, q, n, a;\n"
	"\tsetp.ge.u32 p, r, b;\n"
	"\t@p sub.u32 r, r, b;\n"
	"\t@p add.u32 q, q, 1;\n"
	"\tsetp.ge.u32 p, r, b;\n"
	"\t@p sub.u32 r, r, b;\n"
	"\t@p add.u32 q, q, 1;\n"
	"\tsetp.eq.u32 p, b, 0;\n"
	"\tselp.u32 q, 0xffffffff, q, p;\n"
	"\tselp.u32 r, 0xffffffff, r, p;\n"
	"\tret;\n"
	"}\n"
	".func (.reg .s32 q, .reg .s32 r) sdiv32 (.reg .s32 a, .reg .s32 b)\n"
	"{\n"
	"\t.reg .u32 x, y, u, v;\n"
	"\t.reg .s32 s, t;\n"
	"\t.reg .pred p;\n"
	"\tabs.s32 x, a;\n"
	"\tabs.s32 y, b;\n"
	"\tcall (u, v), udiv32, (x, y);\n"
	"\tshr.s32 s, a, 31;\n"
	"\txor.b32 t, a, b;\n"
	"\tshr.s32 t, t, 31;\n"
	"\txor.b32 q, u, t;\n"
	"\tsub.s32 q, q, t;\n"
	"\txor.b32 r, v, s;\n"
	"\tsub.s32 r, r, s;\n"
	"\tsetp.eq.s32 p, b, 0;\n"
	"\tselp.s32 q, 0xffffffff, q, p;\n"
	"\tselp.s32 r, 0xffffffff, r, p;\n"
	"\tret;\n"
	"}\n"
	".func (.reg .u64 q, .reg .u64 r) udiv64 (.reg .u64 a, .reg .u64 b)\n"
	"{\n"
	"\t.reg .u64 n, d, t, c;\n"
	"\t.reg .u32 i, lo, hi, bl, bh, u, v;\n"
	"\t.reg .pred p, g;\n"
	"\tor.b64 t, a, b;\n"
	"\tmov.b64 {lo, hi}, t;\n"
	"\tsetp.ne.u32 p, hi, 0;\n"
	"\t@p bra LONG;\n"
	"\tmov.b64 {lo, hi}, a;\n"
	"\tmov.b64 {bl, bh}, b;\n"
	"\tcall (u, v), udiv32, (lo, bl);\n"
	"\tcvt.u64.u32 q, u;\n"
	"\tcvt.u64.u32 r, v;\n"
	"\tbra DONE;\n"
	"LONG:\n"
	"\tmov.u64 n, a;\n"
	"\tmov.u64 d, 0;\n"
	"\tmov.u32 i, 64;\n"
	"NEXT:\n"
	"\tshr.u64 c, d, 63;\n"
	"\tshl.b64 d, d, 1;\n"
	"\tshr.u64 t, n, 63;\n"
	"\tor.b64 d, d, t;\n"
	"\tshl.b64 n, n, 1;\n"
	"\tsetp.ge.u64 p, d, b;\n"
	"\tsetp.ne.or.u64 g, c, 0, p;\n"
	"\t@g sub.u64 d, d, b;\n"
	"\t@g or.b64 n, n, 1;\n"
	"\tsub.u32 i, i, 1;\n"
	"\tsetp.ne.u32 p, i, 0;\n"
	"\t@p bra NEXT;\n"
	"\tmov.u64 q, n;\n"
	"\tmov.u64 r, d;\n"
	"DONE:\n"
	"\tsetp.eq.u64 p, b, 0;\n"
	"\tselp.u64 q, 0xffffffffffffffff, q, p;\n"
	"\tselp.u64 r, 0xffffffffffffffff, r, p;\n"
	"\tret;\n"
	"}\n"
	".func (.reg .s64 q, .reg .s64 r) sdiv64 (.reg .s64 a, .reg .s64 b)\n"
	"{\n"
	"\t.reg .u64 x, y, u, v;\n"
	"\t.reg .s64 s, t;\n"
	"\t.reg .pred p;\n"
	"\tabs.s64 x, a;\n"
	"\tabs.s64 y, b;\n"
	"\tcall (u, v), udiv64, (x, y);\n"
	"\tshr.s64 s, a, 63;\n"
	"\txor.b64 t, a, b;\n"
	"\tshr.s64 t, t, 63;\n"
	"\txor.b64 q, u, t;\n"
	"\tsub.s64 q, q, t;\n"
	"\txor.b64 r, v, s;\n"
	"\tsub.s64 r, r, s;\n"
	"\tsetp.eq.s64 p, b, 0;\n"
	"\tselp.s64 q, 0xffffffffffffffff, q, p;\n"
	"\tselp.s64 r, 0xffffffffffffffff, r, p;\n"
	"\tret;\n"
	"}\n"
	"\n"
	".func (.reg .f64 q) quotient (.reg .f64 x, .reg .f64 y)\n"
	"{\n"
	"\t.reg .f64 r, e, n;\n"
	"\trcp.approx.ftz.f64 r, y;\n"
	"\tneg.f64 n, y;\n"
	"\tfma.rn.f64 e, n, r, 0d3ff0000000000000;\n"
	"\tfma.rn.f64 r, r, e, r;\n"
	"\tfma.rn.f64 e, n, r, 0d3ff0000000000000;\n"
	"\tfma.rn.f64 r, r, e, r;\n"
	"\tfma.rn.f64 e, n, r, 0d3ff0000000000000;\n"
	"\tfma.rn.f64 r, r, e, r;\n"
	"\tmul.rn.f64 q, x, r;\n"
	"\tfma.rn.f64 e, n, q, x;\n"
	"\tfma.rn.f64 q, e, r, q;\n"
	"\tret;\n"
	"}\n" DIV_F32("div_f32", "rn", "") DIV_F32("div_rz_f32", "rz", "") DIV_F32(
		"div_rm_f32", "rm", "") DIV_F32("div_rp_f32", "rp",
						"") DIV_F32("div_ftz_f32", "rn",
							    ".ftz") DIV_F32("div_rz_ftz_f32", "rz",
									    ".ftz")
		DIV_F32("div_rm_ftz_f32", "rm", ".ftz") DIV_F32(
			"div_rp_ftz_f32", "rp",
			".ftz") ".func (.reg .f64 y) root (.reg .f64 x)\n"
				"{\n"
				"\t.reg .f64 r, h, e;\n"
				"\trsqrt.approx.ftz.f64 r, x;\n"
				"\tmul.rn.f64 y, x, r;\n"
				"\tmul.rn.f64 h, r, 0d3fe0000000000000;\n"
				"\tneg.f64 e, h;\n"
				"\tfma.rn.f64 e, e, y, 0d3fe0000000000000;\n"
				"\tfma.rn.f64 y, y, e, y;\n"
				"\tfma.rn.f64 h, h, e, h;\n"
				"\tneg.f64 e, h;\n"
				"\tfma.rn.f64 e, e, y, 0d3fe0000000000000;\n"
				"\tfma.rn.f64 y, y, e, y;\n"
				"\tfma.rn.f64 h, h, e, h;\n"
				"\tneg.f64 e, y;\n"
				"\tfma.rn.f64 e, e, y, x;\n"
				"\tfma.rn.f64 y, e, h, y;\n"
				"\tret;\n"
				"}\n" SQRT_F32("sqrt_f32", "rn", "") SQRT_F32(
					"sqrt_rz_f32", "rz",
					"") SQRT_F32("sqrt_rm_f32", "rm",
						     "") SQRT_F32("sqrt_rp_f32", "rp",
								  "") SQRT_F32("sqrt_ftz_f32", "rn",
									       ".ftz")
					SQRT_F32("sqrt_rz_ftz_f32", "rz", ".ftz") SQRT_F32(
						"sqrt_rm_ftz_f32", "rm",
						".ftz") SQRT_F32("sqrt_rp_ftz_f32", "rp",
								 ".ftz") SQRT_F64("sqrt_f64", "")
						SQRT_F64("sqrt_down_f64", STEP("lt", "sub")) SQRT_F64(
							"sqrt_rp_f64",
							STEP("gt",
							     "add")) ".func (.reg .f64 q) rsqrt_f64 (.reg .f64 a)\n"
								     "{\n"
								     "\t.reg .f64 x, r, s, e;\n"
								     "\t.reg .pred p, t;\n"
								     "\tsetp.lt.f64 t, a, 0d0360000000000000;\n"
								     "\tselp.f64 s, 0d46b0000000000000, 0d3ff0000000000000, t;\n"
								     "\tmul.rn.f64 x, a, s;\n"
								     "\trsqrt.approx.ftz.f64 r, x;\n"
								     "\tmul.rn.f64 e, r, r;\n"
								     "\tneg.f64 e, e;\n"
								     "\tfma.rn.f64 e, x, e, 0d3ff0000000000000;\n"
								     "\tfma.rn.f64 s, e, 0d3fd8000000000000, 0d3fe0000000000000;\n"
								     "\tmul.rn.f64 e, r, e;\n"
								     "\tfma.rn.f64 r, s, e, r;\n"
								     "\tselp.f64 s, 0d4350000000000000, 0d3ff0000000000000, t;\n"
								     "\tmul.rn.f64 q, r, s;\n"
								     "\trsqrt.approx.ftz.f64 r, a;\n"
								     "\tsetp.eq.f64 p, a, 0d0000000000000000;\n"
								     "\tsetp.eq.or.f64 p, a, 0d7ff0000000000000, p;\n"
								     "\tselp.f64 q, r, q, p;\n" NO_NUMBER
								     "\tret;\n"
								     "}\n"
								     ".func (.reg .f64 q) div_bits (.reg .f64 a, .reg .f64 b, .reg .u32 directed, .reg .u32 away)\n"
								     "{\n"
								     "\t.reg .u32 ea, eb, i, k, d, sign;\n"
								     "\t.reg .s32 e, f;\n"
								     "\t.reg .u64 s, x, y, m, n, z, w, one;\n"
								     "\t.reg .pred p, g, an, bn, ai, bi, az, bz, up, dir;\n"
								     "\tmov.b64 x, a;\n"
								     "\tmov.b64 y, b;\n"
								     "\txor.b64 s, x, y;\n"
								     "\tand.b64 s, s, 0x8000000000000000;\n"
								     "\tand.b64 x, x, 0x7fffffffffffffff;\n"
								     "\tand.b64 y, y, 0x7fffffffffffffff;\n"
								     "\tsetp.gt.u64 an, x, 0x7ff0000000000000;\n"
								     "\tsetp.gt.or.u64 bn, y, 0x7ff0000000000000, an;\n"
								     "\tmov.b64 m, a;\n"
								     "\tmov.b64 n, b;\n"
								     "\tselp.u64 w, m, n, an;\n"
								     "\tor.b64 w, w, 0x0008000000000000;\n"
								     "\tselp.u64 w, w, 0xfff8000000000000, bn;\n"
								     "\tshr.u64 m, s, 63;\n"
								     "\tcvt.u32.u64 sign, m;\n"
								     "\tshr.u32 sign, away, sign;\n"
								     "\tand.b32 sign, sign, 1;\n"
								     "\tsetp.ne.u32 up, sign, 0;\n"
								     "\tsetp.ne.u32 dir, directed, 0;\n"
								     "\tsetp.eq.u64 ai, x, 0x7ff0000000000000;\n"
								     "\tsetp.eq.u64 bi, y, 0x7ff0000000000000;\n"
								     "\tsetp.eq.u64 az, x, 0;\n"
								     "\tsetp.eq.u64 bz, y, 0;\n"
								     "\tand.pred p, ai, bi;\n"
								     "\tor.pred bn, bn, p;\n"
								     "\tand.pred p, az, bz;\n"
								     "\tor.pred bn, bn, p;\n"
								     "\tor.pred p, ai, bz;\n"
								     "\tselp.u64 z, 0x7ff0000000000000, 0, p;\n"
								     "\tor.b64 z, z, s;\n"
								     "\tselp.u64 z, w, z, bn;\n"
								     "\tmov.b64 q, z;\n"
								     "\tor.pred p, p, bn;\n"
								     "\tor.pred p, p, az;\n"
								     "\tor.pred p, p, bi;\n"
								     "\t@p bra DONE;\n"
								     "\tshr.u64 m, x, 52;\n"
								     "\tcvt.u32.u64 ea, m;\n"
								     "\tshr.u64 m, y, 52;\n"
								     "\tcvt.u32.u64 eb, m;\n"
								     "\tand.b64 x, x, 0x000fffffffffffff;\n"
								     "\tand.b64 y, y, 0x000fffffffffffff;\n"
								     "\tsetp.eq.u32 p, ea, 0;\n"
								     "\tor.b64 m, x, 0x0010000000000000;\n"
								     "\tclz.b64 i, x;\n"
								     "\tsub.u32 i, i, 11;\n"
								     "\tshl.b64 n, x, i;\n"
								     "\tselp.u64 x, n, m, p;\n"
								     "\tsub.u32 i, 1, i;\n"
								     "\tselp.u32 ea, i, ea, p;\n"
								     "\tsetp.eq.u32 p, eb, 0;\n"
								     "\tor.b64 m, y, 0x0010000000000000;\n"
								     "\tclz.b64 i, y;\n"
								     "\tsub.u32 i, i, 11;\n"
								     "\tshl.b64 n, y, i;\n"
								     "\tselp.u64 y, n, m, p;\n"
								     "\tsub.u32 i, 1, i;\n"
								     "\tselp.u32 eb, i, eb, p;\n"
								     "\tsub.s32 e, ea, eb;\n"
								     "\tsetp.lt.u64 p, x, y;\n"
								     "\t@p shl.b64 x, x, 1;\n"
								     "\t@p sub.s32 e, e, 1;\n"
								     "\tmov.u64 z, 0;\n"
								     "\tmov.u32 k, 56;\n"
								     "NEXT:\n"
								     "\tshl.b64 z, z, 1;\n"
								     "\tsetp.ge.u64 p, x, y;\n"
								     "\t@p sub.u64 x, x, y;\n"
								     "\t@p or.b64 z, z, 1;\n"
								     "\tshl.b64 x, x, 1;\n"
								     "\tsub.u32 k, k, 1;\n"
								     "\tsetp.ne.u32 p, k, 0;\n"
								     "\t@p bra NEXT;\n"
								     "\tsetp.ne.u64 p, x, 0;\n"
								     "\t@p or.b64 z, z, 1;\n"
								     "\tmov.s32 f, -1022;\n"
								     "\tsub.s32 f, f, e;\n"
								     "\tmax.s32 f, f, 0;\n"
								     "\tmin.s32 f, f, 58;\n"
								     "\tadd.u32 d, f, 3;\n"
								     "\tmov.u64 one, 1;\n"
								     "\tshl.b64 w, one, d;\n"
								     "\tsub.u64 w, w, 1;\n"
								     "\tand.b64 w, z, w;\n"
								     "\tshr.u64 m, z, d;\n"
								     "\tsub.u32 i, d, 1;\n"
								     "\tshl.b64 n, one, i;\n"
								     "\tand.b64 y, m, 1;\n"
								     "\tsetp.gt.u64 p, w, n;\n"
								     "\tsetp.eq.u64 g, w, n;\n"
								     "\tsetp.ne.and.u64 g, y, 0, g;\n"
								     "\tor.pred p, p, g;\n"
								     "\tsetp.ne.and.u64 g, w, 0, up;\n"
								     "\t@dir and.pred p, g, g;\n"
								     "\t@p add.u64 m, m, 1;\n"
								     "\tadd.s32 e, e, 1022;\n"
								     "\tmax.s32 i, e, 0;\n"
								     "\tsetp.ge.s32 p, e, 2046;\n"
								     "\tcvt.u64.u32 n, i;\n"
								     "\tshl.b64 n, n, 52;\n"
								     "\tadd.u64 m, m, n;\n"
								     "\tsetp.ge.or.u64 p, m, 0x7ff0000000000000, p;\n"
								     "\tselp.u64 n, 0x7ff0000000000000, 0x7fefffffffffffff, up;\n"
								     "\t@!dir mov.u64 n, 0x7ff0000000000000;\n"
								     "\tselp.u64 m, n, m, p;\n"
								     "\tor.b64 m, m, s;\n"
								     "\tmov.b64 q, m;\n"
								     "DONE:\n"
								     "\tret;\n"
								     "}\n"
								     ".func (.reg .f64 q) div_f64 (.reg .f64 a, .reg .f64 b)\n"
								     "{\n"
								     "\t.reg .u32 al, ah, bl, bh, i, k;\n"
								     "\t.reg .pred p;\n"
								     "\tmov.b64 {al, ah}, a;\n"
								     "\tmov.b64 {bl, bh}, b;\n"
								     "\tand.b32 i, ah, 0x7ff00000;\n"
								     "\tand.b32 k, bh, 0x7ff00000;\n"
								     "\tsub.u32 i, i, 0x20000000;\n"
								     "\tsub.u32 k, k, 0x20000000;\n"
								     "\tmax.u32 i, i, k;\n"
								     "\tsetp.gt.u32 p, i, 0x3fe00000;\n"
								     "\tsetp.eq.or.u32 p, bl, 0xffffffff, p;\n" /* a
								                                                 * reciprocal
								                                                 * just
								                                                 * above
								                                                 * half
								                                                 * way */
								     "\t@p bra SLOW;\n"
								     "\tcall (q), quotient, (a, b);\n"
								     "\tbra DONE;\n"
								     "SLOW:\n"
								     "\tcall (q), div_bits, (a, b, 0, 0);\n"
								     "DONE:\n"
								     "\tret;\n"
								     "}\n"
								     /* up, down: bits 0 and 1 are
								      * set where a positive, a
								      * negative quotient is rounded
								      * away from zero */
								     ".func (.reg .f64 q) div_rz_f64 (.reg .f64 a, .reg .f64 b)\n"
								     "{\n\tcall (q), div_bits, (a, b, 1, 0);\n\tret;\n}\n"
								     ".func (.reg .f64 q) div_rm_f64 (.reg .f64 a, .reg .f64 b)\n"
								     "{\n\tcall (q), div_bits, (a, b, 1, 2);\n\tret;\n}\n"
								     ".func (.reg .f64 q) div_rp_f64 (.reg .f64 a, .reg .f64 b)\n"
								     "{\n\tcall (q), div_bits, (a, b, 1, 1);\n\tret;\n}\n"
								     ".func (.reg .u64 r) bfe_u64 (.reg .u64 a, .reg .u32 p, .reg .u32 n)\n"
								     "{\n"
								     "\t.reg .u64 m, one;\n"
								     "\tshr.u64 r, a, p;\n"
								     "\tmov.u64 one, 1;\n"
								     "\tshl.b64 m, one, n;\n"
								     "\tsub.u64 m, m, 1;\n"
								     "\tand.b64 r, r, m;\n"
								     "\tret;\n"
								     "}\n"
								     ".func (.reg .u64 r) bfi_b64 (.reg .u64 a, .reg .u64 b, .reg .u32 p, .reg .u32 n)\n"
								     "{\n"
								     "\t.reg .u64 m, one, v;\n"
								     "\tmov.u64 one, 1;\n"
								     "\tshl.b64 m, one, n;\n"
								     "\tsub.u64 m, m, 1;\n"
								     "\tshl.b64 m, m, p;\n"
								     "\tshl.b64 v, a, p;\n"
								     "\tand.b64 v, v, m;\n"
								     "\tnot.b64 m, m;\n"
								     "\tand.b64 r, b, m;\n"
								     "\tor.b64 r, r, v;\n"
								     "\tret;\n"
								     "}\n" DIV_SCALED(
									     "div_approx_f32", "",
									     SCALE_SMALL)
									     DIV_SCALED(
										     "div_full_f32",
										     "",
										     SCALE_SMALL
											     SCALE_LARGE)
										     DIV_SCALED(
											     "div_full_ftz_f32",
											     ".ftz",
											     SCALE_LARGE) ".func (.reg .f32 q) div_approx_ftz_f32 (.reg .f32 a, .reg .f32 b)\n"
													  "{\n"
													  "\trcp.approx.ftz.f32 q, b;\n"
													  "\tmul.rn.ftz.f32 q, a, q;\n"
													  "\tret;\n"
													  "}\n";

const char *back_library(void) { return text; }

const char *back_routine(const struct inst *in)
{
	/* by rounding: nearest, to zero, down, up */
	static const char *const div32[] = {"div_f32", "div_rz_f32", "div_rm_f32", "div_rp_f32"},
				 *const div32ftz[] = {"div_ftz_f32", "div_rz_ftz_f32",
						      "div_rm_ftz_f32", "div_rp_ftz_f32"},
				 *const div64[] = {"div_f64", "div_rz_f64", "div_rm_f64",
						   "div_rp_f64"},
				 *const sqrt32[] = {"sqrt_f32", "sqrt_rz_f32", "sqrt_rm_f32",
						    "sqrt_rp_f32"},
				 *const sqrt32ftz[] = {"sqrt_ftz_f32", "sqrt_rz_ftz_f32",
						       "sqrt_rm_ftz_f32", "sqrt_rp_ftz_f32"},
				 *const sqrt64[] = {"sqrt_f64", "sqrt_down_f64", "sqrt_down_f64",
						    "sqrt_rp_f64"};
	bool flt = in->type == T_F32, ftz = in->mods & M_FTZ;
	unsigned way = in->rnd == RND_RZ ? 1 : in->rnd == RND_RM ? 2 : in->rnd == RND_RP ? 3 : 0;
	if ((in->op == OP_DIV || in->op == OP_REM) && !type_is_float(in->type)) {
		bool wide = type_bits(in->type) == 64;
		return type_is_signed(in->type) ? (wide ? "sdiv64" : "sdiv32")
						: (wide ? "udiv64" : "udiv32");
	}
	if (back_routine_bits(in))
		return back_routine_bits(in);
	if (in->op == OP_BFE && in->type == T_U64)
		return "bfe_u64";
	if (in->op == OP_BFI && type_bits(in->type) == 64)
		return "bfi_b64";
	if (in->op == OP_DIV && flt && in->mods & M_APPROX)
		return ftz ? "div_approx_ftz_f32" : "div_approx_f32";
	if (in->op == OP_DIV && flt && in->mods & M_FULL)
		return ftz ? "div_full_ftz_f32" : "div_full_f32";
	if (in->op == OP_RSQRT && in->type == T_F64 && !ftz)
		return "rsqrt_f64";
	if (in->mods & M_APPROX && !(in->op == OP_SQRT && flt))
		return NULL;
	if ((in->op == OP_DIV || in->op == OP_RCP) && (flt || in->type == T_F64))
		return flt ? (ftz ? div32ftz : div32)[way] : div64[way];
	if (in->op == OP_SQRT && (flt || in->type == T_F64))
		return flt ? (ftz ? sqrt32ftz : sqrt32)[way] : sqrt64[way];
	return NULL;
}
