/* The PTX decoder: statement text -> fields and operands, row by row; refused statements and their
 * messages; every statement of the golden modules decodes, and every statement that ptxas refuses
 * is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <zlib.h>
#include "front/ptx/ptx.h"

static const char decls[] =
	".address_size 64\n"
	".global .u32 gv[4]; .const .u32 cv[4]; .shared .u32 sv[64];\n"
	".global .texref tref; .global .surfref sref; .global .samplerref samp;\n"
	".visible .func (.param .u32 fr) fn(.param .u32 fx) { ret; }\n"
	".visible .entry k(.param .u64 kp, .param .u32 kq) {\n"
	".reg .b8 %c<4>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .u32 %u<4>; .reg .f32 %f<20>;\n"
	".reg .b64 %rd<20>; .reg .f64 %fd<20>; .reg .b128 %q<4>; .reg .pred %p<9>; .local .u32 lv[4];\n"
	".param .u32 a0; .param .u32 a1;\n"
	"TAB: .branchtargets L, M; PROTO: .callprototype (.param .u32 _) _ (.param .u32 _);\n";

static struct diag diag;

static struct module *read_stmt(const char *version, const char *stmt)
{
	struct module *m = module_new();
	char text[4096];
	int n = snprintf(text, sizeof(text), "%s%s%s\nL: ret;\nM: exit;\n}\n", version, decls,
			 stmt);
	ptx_read(m, "t.ptx", text, (size_t)n, &diag);
	return m;
}

/* ---- operands as text ---- */

static void name_print(char *s, size_t n, const struct func *f, const struct opnd *o)
{
	const char *mod = o->mod & OPND_NOT ? "!" : o->mod & OPND_NEG ? "-" : "";
	const char *sym = o->sym ? ((const struct var *)o->sym)->name : "";
	switch (o->kind) {
	case OPND_REG:
	case OPND_PRED: snprintf(s, n, "%s%s", mod, f->regs.v[o->reg].name + 1); break;
	case OPND_IMM: snprintf(s, n, "#%llx", (unsigned long long)o->imm); break;
	case OPND_SREG: snprintf(s, n, "%s.%u", sreg_info[o->reg].name, o->sub); break;
	case OPND_MEM:
		snprintf(s, n, "[%s%+lld]",
			 o->sym             ? sym
			 : o->reg == NO_REG ? ""
					    : f->regs.v[o->reg].name + 1,
			 (long long)o->imm);
		break;
	case OPND_SYM: snprintf(s, n, "&%s%+lld", sym, (long long)o->imm); break;
	case OPND_FUNC: snprintf(s, n, "&%s", ((const struct func *)o->sym)->name); break;
	case OPND_PVAR: snprintf(s, n, "%s", sym); break;
	case OPND_SINK: snprintf(s, n, "_"); break;
	default: snprintf(s, n, "?");
	}
}

static const char *operands_print(const struct func *f, const struct inst *in)
{
	static char buf[512];
	size_t n = 0;
	buf[0] = 0;
	for (unsigned i = 0; i < (unsigned)in->nd + in->ns; i++) {
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%s",
				      i == in->nd ? (i ? " : " : ": ") : "",
				      i && i != in->nd ? " " : "");
		name_print(buf + n, sizeof(buf) - n, f, &in->opnd[i]);
		n += strlen(buf + n);
	}
	return buf;
}

/* ---- statements and their fields ---- */

struct row {
	const char *stmt, *operands;
	struct inst in;
};
#define R(stmt, operands, op_, ...)                                                                \
	{                                                                                          \
		stmt, operands, { .op = OP_##op_, __VA_ARGS__ }                                    \
	}

static void row_check(const char *version, const struct row *r)
{
	struct module *m = read_stmt(version, r->stmt);
	if (diag.errors) {
		char *s = diag_string(&diag);
		fail_msg("%s\n%s", r->stmt, s);
	}
	struct func *f = module_kernel(m, "k");
	const struct inst *in = &f->code.v[f->code.n - 3], *w = &r->in;
#define SAME(field)                                                                                \
	if (in->field != w->field)                                                                 \
	fail_msg("%s: " #field " is %llu, not %llu", r->stmt, (unsigned long long)in->field,       \
		 (unsigned long long)w->field)
	SAME(op);
	SAME(type);
	SAME(stype);
	SAME(atype);
	SAME(btype);
	SAME(mode);
	SAME(rnd);
	SAME(cmp);
	SAME(bop);
	SAME(space);
	SAME(scope);
	SAME(sem);
	SAME(cop);
	SAME(geom);
	SAME(mods);
	SAME(vmask);
	SAME(imm);
	for (unsigned i = 0; i < 4; i++) {
		SAME(vsel[i]);
		SAME(grp[i]);
	}
	if (in->vec != (w->vec ? w->vec : 1))
		fail_msg("%s: vec is %u", r->stmt, in->vec);
	if (strcmp(operands_print(f, in), r->operands))
		fail_msg("%s: operands are '%s', not '%s'", r->stmt, operands_print(f, in),
			 r->operands);
	if (!strstr(r->stmt, "const[")) /* the bank is not stored */
		assert_memory_equal(in->text, r->stmt, strlen(in->text));
	module_free(m);
	diag_free(&diag);
}

static const struct row modern[] = {
	R("add.u16 %h1,%h2,-1;", "h1 : h2 #ffff", ADD, .type = T_U16),
	R("add.sat.s32 %r1,%r2,%r3;", "r1 : r2 r3", ADD, .type = T_S32, .mods = M_SAT),
	R("add.cc.u64 %rd1,%rd2,5;", "rd1 : rd2 #5", ADD, .type = T_U64, .mods = M_CC),
	R("add.f32 %f1,%f2,0.1;", "f1 : f2 #3dcccccd", ADD, .type = T_F32, .rnd = RND_RN),
	R("add.sat.ftz.rz.f32 %f1,%f2,0d3ff0000000000000;", "f1 : f2 #3f800000", ADD, .type = T_F32,
	  .rnd = RND_RZ, .mods = M_SAT | M_FTZ),
	R("add.f64 %fd1,%fd2,0f3f800000;", "fd1 : fd2 #3ff0000000000000", ADD, .type = T_F64,
	  .rnd = RND_RN),
	R("fma.rn.f32x2 %rd1,%rd2,%rd3,%rd4;", "rd1 : rd2 rd3 rd4", FMA, .type = T_F32X2,
	  .rnd = RND_RN),
	R("subc.cc.s32 %r1,%r2,%r3;", "r1 : r2 r3", SUBC, .type = T_S32, .mods = M_CC),
	R("mul.wide.s32 %rd1,%r1,-5;", "rd1 : r1 #fffffffb", MUL, .type = T_S32, .mode = MUL_WIDE),
	R("mad.wide.u16 %r1,%h1,%h2,%r2;", "r1 : h1 h2 r2", MAD, .type = T_U16, .mode = MUL_WIDE),
	R("mad.hi.sat.s32 %r1,%r2,%r3,%r4;", "r1 : r2 r3 r4", MAD, .type = T_S32, .mode = MUL_HI,
	  .mods = M_SAT),
	R("mad.rn.f32 %f1,%f2,%f3,%f4;", "f1 : f2 f3 f4", FMA, .type = T_F32, .rnd = RND_RN),
	R("fma.rn.oob.relu.bf16x2 %r1,%r2,%r3,%r4;", "r1 : r2 r3 r4", FMA, .type = T_BF16X2,
	  .rnd = RND_RN, .mods = M_OOB | M_RELU),
	R("madc.lo.cc.u32 %r1,%r2,%r3,%r4;", "r1 : r2 r3 r4", MADC, .type = T_U32, .mode = MUL_LO,
	  .mods = M_CC),
	R("div.full.ftz.f32 %f1,%f2,%f3;", "f1 : f2 f3", DIV, .type = T_F32,
	  .mods = M_FULL | M_FTZ),
	R("min.NaN.xorsign.abs.f16x2 %r1,%r2,%r3;", "r1 : r2 r3", MIN, .type = T_F16X2,
	  .mods = M_NAN | M_XORSIGN | M_ABS),
	R("max.f32 %f1,%f2,%f3,%f4;", "f1 : f2 f3 f4", MAX, .type = T_F32),
	R("rcp.approx.ftz.f64 %fd1,%fd2;", "fd1 : fd2", RCP, .type = T_F64,
	  .mods = M_APPROX | M_FTZ),
	R("testp.subnormal.f64 %p1,%fd1;", "p1 : fd1", TESTP, .stype = T_F64,
	  .mode = TESTP_SUBNORMAL),
	R("bfind.shiftamt.s64 %r1,%rd1;", "r1 : rd1", BFIND, .type = T_S64, .mods = M_SHIFTAMT),
	R("bfi.b64 %rd1,%rd2,%rd3,%r1,3;", "rd1 : rd2 rd3 r1 #3", BFI, .type = T_B64),
	R("dp2a.hi.u32.s32 %r1,%r2,%r3,%r4;", "r1 : r2 r3 r4", DP2A, .type = T_S32, .atype = T_U32,
	  .btype = T_S32, .mode = MUL_HI),
	R("lop3.b32 %r1,%r2,%r3,%r4,0x96;", "r1 : r2 r3 r4", LOP3, .type = T_B32, .imm = 0x96),
	R("lop3.or.b32 _|%p1,%r2,%r3,%r4,0x3f,!%p2;", "_ p1 : r2 r3 r4 !p2", LOP3, .type = T_B32,
	  .bop = BOP_OR, .imm = 0x3f),
	R("shf.r.wrap.b32 %r1,%r2,%r3,5;", "r1 : r2 r3 #5", SHF, .type = T_B32, .mode = SHF_R_WRAP),
	R("prmt.b32.rc16 %r1,%r2,%r3,%r4;", "r1 : r2 r3 r4", PRMT, .type = T_B32,
	  .mode = PRMT_RC16),
	R("set.ltu.xor.ftz.f16.f32 %h1,%f1,%f2,!%p1;", "h1 : f1 f2 !p1", SET, .type = T_F16,
	  .stype = T_F32, .cmp = CMP_LTU, .bop = BOP_XOR, .mods = M_FTZ),
	R("setp.hs.and.u64 %p1|_,%rd1,5,%p2;", "p1 _ : rd1 #5 p2", SETP, .stype = T_U64,
	  .cmp = CMP_HS, .bop = BOP_AND),
	R("setp.num.bf16x2 %p1|%p2,%r1,%r2;", "p1 p2 : r1 r2", SETP, .stype = T_BF16X2,
	  .cmp = CMP_NUM),
	R("selp.b32 %r1,1,%f1,1;", "r1 : #1 f1 #1", SELP, .type = T_B32),
	R("slct.ftz.u64.f32 %rd1,%rd2,%rd3,%f1;", "rd1 : rd2 rd3 f1", SLCT, .type = T_U64,
	  .stype = T_F32, .mods = M_FTZ),
	R("mov.b32 %r1,0f3f800000;", "r1 : #3f800000", MOV, .type = T_B32),
	R("mov.pred %p1,!%p2;", "p1 : !p2", MOV, .type = T_PRED),
	R("mov.u64 %rd1,gv+4;", "rd1 : &gv+4", MOV, .type = T_U64),
	R("mov.u64 %rd1,fn;", "rd1 : &fn", MOV, .type = T_U64),
	R("mov.b64 %rd1,{%f1,7};", "rd1 : f1 #7", PACK, .type = T_B64),
	R("mov.b32 {%h1,_},%f1;", "h1 _ : f1", UNPACK, .type = T_B32),
	R("mov.b128 {%rd1,%rd2},%q1;", "rd1 rd2 : q1", UNPACK, .type = T_B128),
	R("mov.u16 %h1,%tid.y;", "h1 : tid.1", SREG, .type = T_U16, .stype = T_U16),
	R("mov.u64 %rd1,%clock64;", "rd1 : clock64.0", SREG, .type = T_U64, .stype = T_U64),
	R("cvt.u64.u32 %rd1,%ctaid.z;", "rd1 : ctaid.2", SREG, .type = T_U64, .stype = T_U32),
	R("cvt.rn.f32.u32 %f1,%tid.x;", "f1 : sreg", CVT, .type = T_F32, .stype = T_U32,
	  .rnd = RND_RN),
	R("cvt.rzi.ftz.sat.u8.f32 %r1,%f1;", "r1 : f1", CVT, .type = T_U8, .stype = T_F32,
	  .rnd = RND_RZI, .mods = M_FTZ | M_SAT),
	R("cvt.s32.s8 %r1,%rd1;", "r1 : rd1", CVT, .type = T_S32, .stype = T_S8),
	R("cvt.rn.satfinite.relu.e4m3x2.f32 %h1,%f1,%f2;", "h1 : f1 f2", CVT, .type = T_E4M3X2,
	  .stype = T_F32, .rnd = RND_RN, .mods = M_SATFINITE | M_RELU),
	R("cvt.rna.satfinite.tf32.f32 %r1,%f1;", "r1 : f1", CVT, .type = T_TF32, .stype = T_F32,
	  .rnd = RND_RNA, .mods = M_SATFINITE),
	R("cvt.pack.sat.u8.s32.b32 %r1,%r2,%r3,0;", "r1 : r2 r3 #0", CVT_PACK, .type = T_U8,
	  .stype = T_S32, .atype = T_B32, .mods = M_SAT),
	R("cvta.to.shared.u64 %rd1,%rd2;", "rd1 : rd2", CVTA, .type = T_U64, .space = SP_SHARED,
	  .mods = M_TO),
	R("cvta.global.u64 %rd1,gv;", "rd1 : &gv+0", CVTA, .type = T_U64, .space = SP_GLOBAL),
	R("isspacep.shared::cta %p1,%rd1;", "p1 : rd1", ISSPACEP, .space = SP_SHARED),
	/* memory */
	R("ld.param.u64 %rd1,[kp];", "rd1 : [kp+0]", LD, .type = T_U64, .space = SP_PARAM),
	R("ld.param.b32 %r1,[a0];", "r1 : [a0+0]", LD, .type = T_B32, .space = SP_FRAME),
	R("ld.param.b32 %r1,[%rd1+4];", "r1 : [rd1+4]", LD, .type = T_B32, .space = SP_PARAM),
	R("st.param.b32 [a0],%f1;", ": [a0+0] f1", ST, .type = T_B32, .space = SP_FRAME),
	R("ld.u32 %r1,[sv+8];", "r1 : [sv+8]", LD, .type = T_U32, .space = SP_SHARED),
	R("ld.s8 %rd1,[%rd2+-4];", "rd1 : [rd2-4]", LD, .type = T_S8, .space = SP_GENERIC),
	R("ld.global.u32 %r1,[16];", "r1 : [+16]", LD, .type = T_U32, .space = SP_GLOBAL),
	R("ld.const[3].u32 %r1,[cv+8];", "r1 : [cv+8]", LD, .type = T_U32, .space = SP_CONST),
	R("ld.volatile.shared.v2.f32 {%f1,_},[%r1];", "f1 _ : [r1+0]", LD, .type = T_F32,
	  .space = SP_SHARED, .vec = 2, .mods = M_VOLATILE),
	R("ld.acquire.gpu.global.b64 %fd1,[%rd1];", "fd1 : [rd1+0]", LD, .type = T_B64,
	  .space = SP_GLOBAL, .sem = SEM_ACQUIRE, .scope = SCOPE_GPU),
	R("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%r1,%r2,%r3,%r4},[%rd1],%rd2;",
	  "r1 r2 r3 r4 : [rd1+0]", LD, .type = T_U32, .space = SP_GLOBAL, .vec = 4, .mods = M_NC),
	R("ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},[%rd1];",
	  "r1 r2 r3 r4 r5 r6 r7 r8 : [rd1+0]", LD, .type = T_B32, .space = SP_GLOBAL, .vec = 8),
	R("st.global.cs.v2.f64 [%rd1],{%fd1,1.0};", ": [rd1+0] fd1 #3ff0000000000000", ST,
	  .type = T_F64, .space = SP_GLOBAL, .cop = COP_CS, .vec = 2),
	R("st.global.u8 [gv],300;", ": [gv+0] #2c", ST, .type = T_U8, .space = SP_GLOBAL),
	R("atom.acq_rel.sys.global.cas.b128 _,[%rd1],%q1,%q2;", "_ : [rd1+0] q1 q2", ATOM,
	  .type = T_B128, .space = SP_GLOBAL, .mode = ATOM_CAS, .sem = SEM_ACQ_REL,
	  .scope = SCOPE_SYS),
	R("atom.global.v2.add.noftz.f16x2 {%r1,%r2},[%rd1],{%r3,%r4};", "r1 r2 : [rd1+0] r3 r4",
	  ATOM, .type = T_F16X2, .space = SP_GLOBAL, .mode = ATOM_ADD, .vec = 2, .mods = M_NOFTZ),
	R("red.relaxed.gpu.shared.inc.u32 [%r1],7;", ": [r1+0] #7", RED, .type = T_U32,
	  .space = SP_SHARED, .mode = ATOM_INC, .sem = SEM_RELAXED, .scope = SCOPE_GPU),
	R("cp.async.ca.shared.global.L2::cache_hint [%r1],[%rd1],8,%r2,%rd3;",
	  ": [r1+0] [rd1+0] r2", CP_ASYNC, .space = SP_SHARED, .cop = COP_CA, .imm = 8),
	R("cp.async.cg.shared.global [sv],[gv],16,%p1;", ": [sv+0] [gv+0] p1", CP_ASYNC,
	  .space = SP_SHARED, .cop = COP_CG, .imm = 16),
	R("cp.async.wait_group 3;", "", CP_ASYNC_WAIT, .mode = CPW_GROUP, .imm = 3),
	R("cp.async.mbarrier.arrive.noinc.shared.b64 [%rd1];", ": [rd1+0]", MBARRIER, .type = T_B64,
	  .space = SP_SHARED, .mode = MB_CP_ASYNC_ARRIVE, .mods = M_NOINC),
	R("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _,[%rd1],%r1;", "_ : [rd1+0] r1",
	  MBARRIER, .type = T_B64, .space = SP_SHARED, .mode = MB_ARRIVE, .imm = MBF_EXPECT_TX,
	  .sem = SEM_RELEASE, .scope = SCOPE_CTA),
	R("mbarrier.try_wait.parity.shared.b64 %p1,[%rd1],%r1,100;", "p1 : [rd1+0] r1 #64",
	  MBARRIER, .type = T_B64, .space = SP_SHARED, .mode = MB_TRY_WAIT, .imm = MBF_PARITY),
	R("createpolicy.fractional.L2::evict_last.b64 %rd1,0.5;", "rd1 : #3f000000", CREATEPOLICY,
	  .type = T_B64),
	/* warp and block */
	R("shfl.sync.bfly.b32 %f1|%p1,%f2,1,0x1f,-1;", "f1 p1 : f2 #1 #1f #ffffffff", SHFL,
	  .type = T_B32, .mode = SHFL_BFLY, .mods = M_SYNC),
	R("vote.sync.ballot.b32 %r1,!%p1,%r2;", "r1 : !p1 r2", VOTE, .type = T_B32,
	  .mode = VOTE_BALLOT, .mods = M_SYNC),
	R("match.all.sync.b64 %r1|%p1,%rd1,-1;", "r1 p1 : rd1 #ffffffff", MATCH, .type = T_B64,
	  .mode = VOTE_ALL, .mods = M_SYNC),
	R("redux.sync.max.s32 %r1,%r2,255;", "r1 : r2 #ff", REDUX, .type = T_S32, .mode = ATOM_MAX,
	  .mods = M_SYNC),
	R("elect.sync _|%p1,-1;", "_ p1 : #ffffffff", ELECT, .mods = M_SYNC),
	R("bar.sync 0;", ": #0", BAR, .mode = BAR_SYNC, .mods = M_ALIGNED),
	R("bar.red.popc.u32 %r1,1,64,!%p1;", "r1 : #1 #40 !p1", BAR, .type = T_U32, .mode = BAR_RED,
	  .bop = BOP_POPC, .mods = M_ALIGNED, .imm = BAR_HAS_COUNT | BAR_HAS_PRED),
	R("barrier.cta.red.or.pred %p1,%r1,%p2;", "p1 : r1 p2", BAR, .type = T_PRED,
	  .mode = BAR_RED, .bop = BOP_OR, .imm = BAR_HAS_PRED),
	R("barrier.arrive 2,%r1;", ": #2 r1", BAR, .mode = BAR_ARRIVE, .imm = BAR_HAS_COUNT),
	R("bar.warp.sync %r1;", ": r1", BAR_WARP, .mods = M_SYNC),
	R("membar.gl;", "", MEMBAR, .scope = SCOPE_GPU, .sem = SEM_SC),
	R("fence.cta;", "", MEMBAR, .scope = SCOPE_CTA, .sem = SEM_ACQ_REL),
	/* textures, surfaces */
	R("tex.a2d.v4.f32.f32 {%f1,%f2,_,%f4}|%p1,[tref,samp,{%r1,%f5,%f6,%f7}],{%r2,%r3},%f8;",
	  "f1 f2 _ f4 p1 : &tref+0 &samp+0 r1 f5 f6 r2 r3 f8", TEX, .type = T_F32, .stype = T_F32,
	  .geom = GEOM_A2D, .vec = 4, .grp = {1, 3, 0, 2}, .imm = TEX_DREF | TEX_RESIDENT),
	R("tex.grad.3d.v4.s32.f32 {%r1,%r2,%r3,%r4},[%rd1,{%f1,%f2,%f3,%f3}],{%f4,%f5,%f6,%f6},{%f7,%f8,%f9,%f9};",
	  "r1 r2 r3 r4 : rd1 f1 f2 f3 f4 f5 f6 f7 f8 f9", TEX, .type = T_S32, .stype = T_F32,
	  .geom = GEOM_3D, .mode = TEX_GRAD, .vec = 4, .grp = {0, 3, 6, 0}),
	R("tex.level.1d.v4.f32.s32 {%f1,%f2,%f3,%f4},[tref,%r1],%r2,%r3;",
	  "f1 f2 f3 f4 : &tref+0 r1 r2 r3", TEX, .type = T_F32, .stype = T_S32, .geom = GEOM_1D,
	  .mode = TEX_LEVEL, .vec = 4, .grp = {0, 1, 1, 1}),
	R("tld4.b.2d.v4.u32.f32 {%r1,%r2,%r3,%r4},[%rd1,{%f1,%f2}];", "r1 r2 r3 r4 : rd1 f1 f2",
	  TLD4, .type = T_U32, .stype = T_F32, .geom = GEOM_2D, .mode = 2, .vec = 4,
	  .grp = {0, 2, 0, 0}),
	R("txq.level.height.b32 %r1,[tref],%r2;", "r1 : &tref+0 r2", TXQ, .type = T_B32,
	  .mode = Q_HEIGHT),
	R("suld.b.2d.v2.b16.zero {%h1,%r1},[sref,{%r2,%r3}];", "h1 r1 : &sref+0 r2 r3", SULD,
	  .type = T_B16, .geom = GEOM_2D, .mode = SU_ZERO, .vec = 2, .grp = {0, 2}),
	R("sust.p.1d.v4.b32.trap [%rd1,{%r1}],{%f1,%r2,%f3,%f4};", ": rd1 r1 f1 r2 f3 f4", SUST,
	  .type = T_B32, .geom = GEOM_1D, .mode = SU_TRAP, .vec = 4, .grp = {0, 1},
	  .mods = M_FORMATTED),
	R("sured.b.max.2d.s64.clamp [%rd1,{%r1,%r2}],%rd2;", ": rd1 r1 r2 rd2", SURED,
	  .type = T_S64, .geom = GEOM_2D, .mode = SU_CLAMP, .vsel = {ATOM_MAX}, .grp = {0, 2}),
	R("suq.width.b32 %r1,[sref];", "r1 : &sref+0", SUQ, .type = T_B32, .mode = Q_WIDTH),
	/* matrices */
	R("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},"
	  "{%f4,%f5,%f6,%f7};",
	  "f0 f1 f2 f3 : r0 r1 r2 r3 r4 r5 f4 f5 f6 f7", MMA, .type = T_F32, .stype = T_F32,
	  .atype = T_BF16, .btype = T_BF16, .mode = SHAPE_M16N8K16, .grp = {4, 4, 2, 4},
	  .mods = M_SYNC | M_ALIGNED | M_COL_B),
	R("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7},{%r0,%r1},{%r2,%r3},"
	  "{%r4,%r5,%r6,%r7};",
	  "f0 f1 f2 f3 f4 f5 f6 f7 : r0 r1 r2 r3 r4 r5 r6 r7", MMA, .type = T_F32, .stype = T_F16,
	  .atype = T_F16, .btype = T_F16, .mode = SHAPE_M8N8K4, .grp = {8, 2, 2, 4},
	  .mods = M_SYNC | M_ALIGNED | M_COL_A),
	R("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r0,%r1,%r2,%r3},{%r4,%r5,%r6,%r7},"
	  "{%r8,%r9},{%r0,%r1,%r2,%r3};",
	  "r0 r1 r2 r3 : r4 r5 r6 r7 r8 r9 r0 r1 r2 r3", MMA, .type = T_S32, .stype = T_S32,
	  .atype = T_B1, .btype = T_B1, .mode = SHAPE_M16N8K256, .bop = BOP_AND,
	  .grp = {4, 4, 2, 4}, .mods = M_SYNC | M_ALIGNED | M_COL_B),
	R("wmma.load.b.sync.aligned.col.m8n32k16.shared.u8 {%r0,%r1,%r2,%r3},[%rd1],%r4;",
	  "r0 r1 r2 r3 : [rd1+0] r4", WMMA_LOAD, .type = T_U8, .mode = SHAPE_M8N32K16,
	  .space = SP_SHARED, .imm = MM_B, .grp = {4}, .mods = M_SYNC | M_ALIGNED | M_COL_B),
	R("wmma.store.d.sync.aligned.row.m16n16k16.f16 [%rd1],{%r0,%r1,%r2,%r3};",
	  ": [rd1+0] r0 r1 r2 r3", WMMA_STORE, .type = T_F16, .mode = SHAPE_M16N16K16,
	  .space = SP_GENERIC, .imm = MM_D, .grp = {4}, .mods = M_SYNC | M_ALIGNED),
	R("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r0,%r1},[%rd1];", "r0 r1 : [rd1+0]",
	  LDMATRIX, .type = T_B16, .mode = SHAPE_M8N8, .space = SP_SHARED, .vec = 2,
	  .mods = M_SYNC | M_ALIGNED | M_TRANS),
	/* control */
	R("brx.idx.uni %r1,TAB;", ": r1", BRX, .mods = M_UNI),
	R("call.uni (a0),fn,(a1);", "a0 : a1", CALL, .mods = M_UNI),
	R("call (a0),%rd1,(a1),PROTO;", "a0 : rd1 a1", CALL),
	R("nanosleep.u32 100;", ": #64", NANOSLEEP, .type = T_U32),
	R("setmaxnreg.inc.sync.aligned.u32 64;", "", NOP, .type = T_U32, .imm = 64,
	  .mods = M_SYNC | M_ALIGNED),
	R("alloca.u64 %rd1,%rd2,16;", "rd1 : rd2", ALLOCA, .type = T_U64, .imm = 16),
	/* video */
	R("vadd.s32.u32.s32.sat.min %r1,%r2.b3,%r3.h1,%r4;", "r1 : r2 r3 r4", VADD, .type = T_S32,
	  .atype = T_U32, .btype = T_S32, .mode = VSEC_MIN, .vsel = {0, VPART_B3, VPART_H1},
	  .mods = M_SAT),
	R("vset.u32.s32.lt %r1.h0,%r2,%r3.b1,%r4;", "r1 : r2 r3 r4", VSET, .type = T_U32,
	  .atype = T_U32, .btype = T_S32, .cmp = CMP_LT, .mode = VSEC_MRG_H0,
	  .vsel = {VPART_H0, 0, VPART_B1}),
	R("vshr.u32.s32.u32.wrap %r1,%r2,%r3;", "r1 : r2 r3", VSHR, .type = T_U32, .atype = T_S32,
	  .btype = T_U32, .mods = M_WRAP),
	R("vmad.s32.u32.s32.sat.shr7 %r1,%r2.b0,-%r3.h1,%r4;", "r1 : r2 -r3 r4", VMAD,
	  .type = T_S32, .atype = T_U32, .btype = T_S32, .mode = 7, .vsel = {0, VPART_B0, VPART_H1},
	  .mods = M_SAT),
	R("vmad.u32.u32.u32 %r1,-%r2,-%r3,-%r4;", "r1 : r2 r3 -r4", VMAD, .type = T_U32,
	  .atype = T_U32, .btype = T_U32),
	R("vadd2.u32.u32.u32 %r1,%r2,%r3,%r4;", "r1 : r2 r3 r4", VADD2, .type = T_U32,
	  .atype = T_U32, .btype = T_U32, .vmask = 3, .vsel = {0x20, 0x31}),
	R("vabsdiff4.u32.u32.s32.add %r1.b20,%r2.b7012,%r3.b4567,%r4;", "r1 : r2 r3 r4", VABSDIFF4,
	  .type = T_U32, .atype = T_U32, .btype = T_S32, .mode = VSEC_ADD, .vmask = 5,
	  .vsel = {0x72, 0x61, 0x50, 0x47}),
};

static void fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(modern) / sizeof(modern[0]); i++)
		row_check(".version 8.8\n.target sm_100\n", &modern[i]);
}

/* Parts that older ISAs omit get the values that those ISAs define. */
static void legacy(void **state)
{
	(void)state;
	static const struct row v13[] = {
		R("div.f32 %f1,%f2,%f3;", "f1 : f2 f3", DIV, .type = T_F32,
		  .mods = M_APPROX | M_FTZ),
		R("sin.f32 %f1,%f2;", "f1 : f2", SIN, .type = T_F32, .mods = M_APPROX | M_FTZ),
		R("sqrt.f64 %fd1,%fd2;", "fd1 : fd2", SQRT, .type = T_F64, .rnd = RND_RN),
		R("mad.f32 %f1,%f2,%f3,%f4;", "f1 : f2 f3 f4", MAD, .type = T_F32, .mods = M_FTZ),
		R("add.f32 %f1,%f2,%f3;", "f1 : f2 f3", ADD, .type = T_F32, .rnd = RND_RN,
		  .mods = M_FTZ),
		R("setp.lt.f32 %p1,%f2,%f3;", "p1 : f2 f3", SETP, .stype = T_F32, .cmp = CMP_LT,
		  .mods = M_FTZ),
		R("add.f64 %fd1,%fd2,%fd3;", "fd1 : fd2 fd3", ADD, .type = T_F64, .rnd = RND_RN),
		R("cvt.f32.f64 %f1,%fd2;", "f1 : fd2", CVT, .type = T_F32, .stype = T_F64,
		  .rnd = RND_RN, .mods = M_FTZ),
		R("cvt.u32.u16 %r1,%tid.x;", "r1 : tid.0", SREG, .type = T_U32, .stype = T_U16),
	};
	static const struct row sm20[] = {
		R("shfl.up.b32 %r1,%r2,1,0;", "r1 : r2 #1 #0", SHFL, .type = T_B32,
		  .mode = SHFL_UP),
		R("add.f32 %f1,%f2,%f3;", "f1 : f2 f3", ADD, .type = T_F32, .rnd = RND_RN),
		R("mad.rz.f32 %f1,%f2,%f3,%f4;", "f1 : f2 f3 f4", FMA, .type = T_F32,
		  .rnd = RND_RZ),
	};
	for (size_t i = 0; i < sizeof(v13) / sizeof(v13[0]); i++)
		row_check(".version 1.3\n.target sm_13\n", &v13[i]);
	for (size_t i = 0; i < sizeof(sm20) / sizeof(sm20[0]); i++)
		row_check(".version 2.3\n.target sm_20\n", &sm20[i]);
}

/* A special register that needs more than a move gets an instruction of its own before the
 * conversion. */
static void helper_instruction(void **state)
{
	(void)state;
	struct module *m =
		read_stmt(".version 8.8\n.target sm_90\n", "@%p1 cvt.rn.f32.u32 %f1,%tid.x;");
	struct func *f = module_kernel(m, "k");
	assert_int_equal(f->code.n, 4);
	const struct inst *mov = &f->code.v[0], *cvt = &f->code.v[1];
	assert_int_equal(mov->op, OP_SREG);
	assert_int_equal(mov->guard, NO_REG);
	assert_int_equal(cvt->opnd[1].reg, mov->opnd[0].reg);
	assert_int_not_equal(cvt->guard, NO_REG);
	module_free(m);
	diag_free(&diag);
}

/* ---- refusals ---- */

static void refusals(void **state)
{
	(void)state;
	static const struct {
		const char *stmt;
		unsigned col;
		const char *text;
	} t[] = {
		{"ad.u32 %r1,%r2,%r3;", 1, "unknown instruction 'ad'; did you mean 'add'?"},
		{"tcgen05.wait::ld.sync.aligned;", 1,
		 "instruction 'tcgen05.wait::ld.sync.aligned' is not supported: it needs .target sm_100 or later"},
		{"st.bulk.weak.shared::cta [%r1],64,0;", 1,
		 "instruction 'st.bulk.weak.shared::cta' is not supported: it needs .target sm_100 or later"},
		{"multimem.red.global.add.e4m3x4 [%rd1],%r1;", 24,
		 "'multimem.red.global.add.e4m3x4': modifier '.e4m3x4' needs .target sm_100 or later"},
		{"setmaxnreg.inc.sync.aligned.u32 20;", 33,
		 "'setmaxnreg.inc.sync.aligned.u32': the number of registers is a multiple of 8 from 24 to 256, not 20"},
		{"fma.f32 %f1,%f2,%f3,%f4;", 1,
		 "'fma.f32' needs one of the modifiers .rn, .rz, .rm, .rp"},
		{"add.sat.u16 %h1,%h2,%h3;", 4,
		 "modifier '.sat' does not apply to 'add.sat.u16'; no further one is allowed"},
		{"add.foo.f32 %f1,%f2,%f3;", 4,
		 "unknown modifier '.foo' in 'add.foo.f32'; allowed here: .rn, .rz, .rm, .rp, .ftz, .sat"},
		{"popc.u32 %r1,%r2;", 5,
		 "type '.u32' does not apply to 'popc.u32'; allowed here: .b32, .b64"},
		{"add.u32 %r1,%r2;", 1, "'add.u32' takes 3 operands, not 2"},
		{"add.u32 %r1,%r2,%r3,%r4;", 21, "'add.u32' takes 3 operands, not 4"},
		{"add.u32 %r1,%r2,%rd3;", 17,
		 "register '%rd3' is .b64, but 'add.u32' expects .u32 here"},
		{"add.u32 %r1,%r2,%p1;", 17,
		 "register '%p1' is .pred, but 'add.u32' expects .u32 here"},
		{"add.f32 %f1,%f2,1;", 17, "an integer cannot stand where 'add.f32' expects .f32"},
		{"add.u32 %r1,%tid.x,1;", 13,
		 "a special register can only be read by mov and cvt, not 'add.u32'"},
		{"add.u32 5,%r1,%r2;", 9,
		 "the destination of 'add.u32' is a register, not an integer"},
		{"ld.global.u32 %r1,[sv];", 20,
		 "'sv' is in .shared, 'ld.global.u32' accesses .global"},
		{"ld.global.u32 %r1,[%f1];", 20,
		 "register '%f1' is .f32: an address is a 32- or 64-bit integer"},
		{"ld.global.v2.u32 %r1,[%rd1];", 18,
		 "'ld.global.v2.u32' expects a vector of 2 here, not a register"},
		{"ld.global.v4.b128 {%q1,%q1,%q1,%q1},[%rd1];", 1,
		 "'ld.global.v4.b128': a vector access is at most 128 bits, or 256 of 32- or 64-bit elements, not 512"},
		{"ld.global.v4.b64 {%rd1,%rd2,%rd3,%rd1},[%rd1];", 1,
		 "'ld.global.v4.b64': vectors of 256 bits need .target sm_100 or later, not sm_90"},
		{"ldu.global.v4.b64 {%rd1,%rd2,%rd3,%rd1},[%rd1];", 1,
		 "'ldu.global.v4.b64': a vector access is at most 128 bits, not 256"},
		{"mov.v4.b64 {%rd1,%rd2,%rd3,%rd1},{%rd1,%rd2,%rd3,%rd1};", 1,
		 "mov.v4 has elements of at most 32 bits, no predicates"},
		{"mov.v2.pred {%p1,%p2},{%p1,%p2};", 1,
		 "mov.v2 has elements of at most 64 bits, no predicates"},
		{"mov.u16 %h1,%laneid;", 13,
		 "special register '%laneid' is .u32, but 'mov.u16' expects .u16"},
		{"ld.relaxed.u32 %r1,[%rd1];", 1,
		 "'ld.relaxed.u32' needs one of the modifiers .cta, .cluster, .gpu, .sys"},
		{"ld.relaxed.cta.v2.u32 %r1,[%rd1];", 23,
		 "'ld.relaxed.cta.v2.u32' expects a vector of 2 here, not a register"},
		{"setp.lt.f16 %p1|%p2,%h1,%h2;", 13, "'setp.lt.f16' has one destination, not two"},
		{"shfl.up.b32 %r1,%r2,%r1,%r2;", 1, "'shfl.up.b32' needs the modifier .sync"},
		{"vote.all.pred %p1,%p2;", 1, "'vote.all.pred' needs the modifier .sync"},
		{"tex.cube.v4.u32.s32 {%r1,%r2,%r1,%r2},[%rd1,{%r1,%r2,%r1,%r2}];", 1,
		 "'tex.cube.v4.u32.s32': a cube's coordinates are .f32"},
		{"st.param.u32 [kq],%r1;", 15,
		 "'kq' is a kernel's parameter: it cannot be written"},
		{"setp.lt.and.s32 %p1,%r1,%r2;", 1, "'setp.lt.and.s32' takes 4 operands, not 3"},
		{"setp.lt.b32 %p1,%r1,%r2;", 5,
		 "modifier '.lt' does not apply to 'setp.lt.b32'; allowed here: .eq, .ne, .and, .or, .xor"},
		{"cvt.sat.s64.u8 %rd1,%r1;", 1,
		 "modifier '.sat' does not apply to 'cvt.sat.s64.u8': every .u8 is a .s64"},
		{"bar.sync 16;", 10, "a barrier's number is 0 to 15"},
		{"vadd.u32.u32.u32 %r1,%r2.b4,%r3;", 22,
		 "'.b4' is not a part of a register; the parts are .b0 to .b3, .h0 and .h1"},
		{"call (a0),fn;", 11, "'fn' has 1 result and 1 parameter, the call 1 and 0"},
		{"brx.idx %r1,L;", 13, "'brx.idx' expects the label of a .branchtargets list"},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {%f0,%f1,%f2,%f3},{%r0,%r1},{%r2},{%r3,%r4};",
		 1,
		 "'mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16': the sum cannot be .f16 with a .f32 result"},
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct module *m = read_stmt(".version 8.8\n.target sm_90\n", t[i].stmt);
		assert_int_equal(diag.errors, 1);
		assert_string_equal(diag.msg[0].text, t[i].text);
		assert_int_equal(diag.msg[0].col, t[i].col);
		assert_int_equal(diag.msg[0].line, 12);
		module_free(m);
		diag_free(&diag);
	}
}

/* ---- everything the GPU ran, everything ptxas refuses ---- */

static char *gunzip(const char *path, size_t *n)
{
	gzFile f = gzopen(path, "rb");
	assert_non_null(f);
	char *buf = NULL;
	size_t cap = 0;
	*n = 0;
	for (int k = 1; k > 0; *n += (size_t)k) {
		if (cap - *n < 65536)
			buf = xrealloc(buf, cap = cap * 2 + 65536);
		k = gzread(f, buf + *n, (unsigned)(cap - *n));
		assert_true(k >= 0);
	}
	gzclose(f);
	return buf;
}

static void golden_modules(void **state)
{
	(void)state;
	size_t n, files = 0, kernels = 0;
	char *tar = gunzip("tests/golden/ptx.tar.gz", &n);
	/* header block, then the file in blocks of 512 */
	for (size_t at = 0; at + 512 <= n && tar[at];) {
		size_t size = strtoull(tar + at + 124, NULL, 8);
		if (size && tar[at + 156] != '5' && strstr(tar + at, ".ptx")) {
			struct module *m = module_new();
			if (!ptx_read(m, tar + at, tar + at + 512, size, &diag))
				fail_msg("%s: %s", tar + at, diag.msg[0].text);
			files++;
			kernels += m->funcs.n;
			module_free(m);
			diag_free(&diag);
		}
		at += 512 + (size + 511) / 512 * 512;
	}
	free(tar);
	assert_int_equal(files, 73);
	assert_int_equal(kernels, 9635);
}

/* True if the refusal is about the mnemonic: types of registers are not tested here. */
static bool about_mnemonic(const char *text)
{
	return strstr(text, "does not apply to") || strstr(text, "needs") ||
	       strstr(text, "unknown");
}

static void refused_by_ptxas(void **state)
{
	(void)state;
	enum { BATCH = 90 };
	size_t n, total = 0;
	char *list = gunzip("tests/ptx/refused.txt.gz", &n), *line = list;
	while (line < list + n) {
		char text[32768];
		int len = snprintf(
			text, sizeof(text),
			".version 8.8\n.target sm_90\n.address_size 64\n.entry k() {\n"
			".reg .pred %%p,%%q; .reg .b64 %%cell,%%sa; .reg .b32 %%a,%%b,%%c,%%r0;\n");
		unsigned k = 0;
		char *first = line;
		for (; k < BATCH && line < list + n; k++) {
			char *end = memchr(line, '\n', (size_t)(list + n - line));
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%.*s\n",
					(int)(end - line), line);
			line = end + 1;
		}
		len += snprintf(text + len, sizeof(text) - (size_t)len, "}\n");
		struct module *m = module_new();
		ptx_read(m, "t.ptx", text, (size_t)len, &diag);
		unsigned good = 0, next = 6;
		for (unsigned i = 0; i < diag.n; i++) {
			bool about = about_mnemonic(diag.msg[i].text);
			if (!about)
				print_message("%s: %s\n", diag.msg[i].source, diag.msg[i].text);
			good += about;
			if (diag.msg[i].line != next++)
				fail_msg("line %u of the batch after '%.40s' is accepted", next - 6,
					 first);
		}
		assert_int_equal(good, k);
		total += k;
		module_free(m);
		diag_free(&diag);
	}
	free(list);
	assert_true(total > 31000);
}

/* The generated page is the table's. */
static void support_table(void **state)
{
	(void)state;
	char *want = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&want, &n);
	ptx_print_table(f);
	fclose(f);
	f = fopen("docs/reference/ptx-support.md", "rb");
	assert_non_null(f);
	char *have = xcalloc(1, n + 2);
	size_t got = fread(have, 1, n + 1, f);
	fclose(f);
	assert_int_equal(got, n);
	assert_memory_equal(have, want, n);
	free(have);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(legacy),
		cmocka_unit_test(helper_instruction),
		cmocka_unit_test(refusals),
		cmocka_unit_test(golden_modules),
		cmocka_unit_test(refused_by_ptxas),
		cmocka_unit_test(support_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
