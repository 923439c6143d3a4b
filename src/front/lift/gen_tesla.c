/* Tesla's instructions as PTX statements. Registers are %r; halves of them are taken out and put back with
 * bit-field statements; address registers are %a, condition codes %c (Z S C O in bits 0 to 3). Shared memory
 * begins with the launch's header and the parameters, which the block's start puts there (kernel/cta.c). */
#include "front/lift/gen_tesla.h"

/* ---- condition, tail ---- */

void tesla_guard(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (in->cc_test == 15 || in->op == NI_VOTE)
		return;
	const char *t = gen_cc_bit(g, gen_text(g, "%%c%u", in->cc_reg), in->cc_test);
	gen(g, "setp.ne.u32 %%pg, %s, 0", t);
	snprintf(g->guard, sizeof g->guard, "@%%pg ");
}

void tesla_tail(struct ngen *g)
{
	if (g->in->exit)
		gen_ctl(g, NCTL_EXIT, 0, 0);
	if (!g->in->pop)
		return;
	g->guard[0] = 0; /* all active threads join */
	gen_ctl(g, NCTL_TPOP, 0, 0);
}

/* ---- operands ---- */

/* Address of an indexed operand: An + off, or An alone and then incremented. */
const char *tesla_indexed(struct ngen *g, const struct nop *o, const char *base)
{
	const char *t = gen_t(g);
	int32_t off = o->off * (o->unit ? o->unit : 1);
	if (o->index == NREG_NONE) {
		gen(g, "mov.u32 %s, %s", t, base ? base : "0");
		if (off)
			gen(g, "add.u32 %s, %s, %d", t, t, off);
		return t;
	}
	gen(g, "add.u32 %s, %%a%u, %d", t, o->index, o->postinc ? 0 : off);
	gen(g, "and.b32 %s, %s, 0xffff", t, t);
	if (base) {
		const char *b = gen_t(g);
		gen(g, "mov.u32 %s, %s", b, base);
		gen(g, "add.u32 %s, %s, %s", t, t, b);
	}
	if (o->postinc) {
		gen(g, "add.u32 %%a%u, %%a%u, %d", o->index, o->index, off);
		gen(g, "and.b32 %%a%u, %%a%u, 0xffff", o->index, o->index);
	}
	return t;
}

const char *tesla_mem_type(const struct nop *o)
{
	switch (o->sel) {
	case 1: return "u8";
	case 2: return "u16";
	case 3: return "s16";
	default: return o->unit == 2 ? "u16" : o->unit == 1 ? "u8" : "b32";
	}
}

/* A word (or half word) of constant memory; w: which word of a pair. */
static const char *constant(struct ngen *g, const struct nop *o, unsigned w)
{
	const char *t = gen_t(g);
	struct nop at = *o;
	at.off = o->off * o->unit + (int32_t)w * 4;
	at.unit = 1;
	if (o->index == NREG_NONE) {
		gen_const_load(g, &at, tesla_mem_type(o), t);
		return t;
	}
	const char *base = gen_bank_name(g, o->bank);
	at.index = NREG_NONE;
	if (!gen_has_bank(g, o->bank)) {
		gen_no_bank(g);
		return t;
	}
	gen(g, "ld.const.%s %s, [%s]", tesla_mem_type(o), t, tesla_indexed(g, o, base));
	return t;
}

/* Operand i as 32 bits; halves extended by sext. No sign modifiers. */
const char *tesla_raw(struct ngen *g, unsigned i, bool sext)
{
	const struct nop *o = &g->in->o[i];
	const char *t;
	switch (o->kind) {
	case NO_GPR: return gen_reg(g, o->reg);
	case NO_HALF:
		if (gen_is_zero(g, o->reg >> 1))
			return "0";
		t = gen_t(g);
		gen(g, "bfe.%s %s, %%r%u, %u, 16", sext ? "s32" : "u32", t, o->reg >> 1,
		    o->reg & 1 ? 16 : 0);
		return t;
	case NO_IMM: return gen_text(g, "0x%x", (uint32_t)o->imm);
	case NO_CONST: t = constant(g, o, 0); break;
	case NO_MEM:
		t = gen_t(g);
		gen(g, "ld.shared.%s %s, [%s]", tesla_mem_type(o), t, tesla_indexed(g, o, NULL));
		break;
	default: gen_refuse(g, "operand"); return "0";
	}
	if (o->unit == 2 && sext)
		gen(g, "bfe.s32 %s, %s, 0, 16", t, t);
	return t;
}

const char *tesla_source(struct ngen *g, unsigned i, bool sext)
{
	const struct nop *o = &g->in->o[i];
	const char *s = tesla_raw(g, i, sext);
	if (!o->neg && !o->abs && !o->inv)
		return s;
	const char *t = gen_t(g);
	gen(g, "mov.u32 %s, %s", t, s);
	if (o->abs)
		gen(g, "abs.s32 %s, %s", t, t);
	if (o->neg)
		gen(g, "neg.s32 %s, %s", t, t);
	if (o->inv)
		gen(g, "not.b32 %s, %s", t, t);
	return t;
}

const char *tesla_fsource(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	const char *s = tesla_raw(g, i, false), *t = gen_t(g);
	gen(g, "mov.b32 %s, %s", t, s);
	if (o->abs)
		gen(g, "and.b32 %s, %s, 0x7fffffff", t, t);
	if (o->neg)
		gen(g, "xor.b32 %s, %s, 0x80000000", t, t);
	return t;
}

/* Operand i as 64 bits, without sign modifiers. */
const char *tesla_pair(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	const char *d = gen_d(g), *lo, *hi;
	if (o->kind == NO_CONST) {
		lo = constant(g, o, 0), hi = constant(g, o, 1);
	} else if (o->kind == NO_GPR) {
		lo = gen_reg32(g, gen_reg(g, o->reg)),
		hi = gen_reg32(g, gen_is_zero(g, o->reg) ? "0" : gen_reg(g, o->reg + 1u));
	} else if (o->kind == NO_MEM && o->space == NS_SHARED) {
		gen(g, "ld.shared.b64 %s, [%s]", d, tesla_indexed(g, o, NULL));
		lo = NULL;
	} else {
		gen_refuse(g, "operand");
		return d;
	}
	if (lo)
		gen(g, "mov.b64 %s, {%s, %s}", d, lo, hi);
	return d;
}

const char *tesla_dsource(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	const char *d = tesla_pair(g, i);
	if (o->abs)
		gen(g, "and.b64 %s, %s, 0x7fffffffffffffff", d, d);
	if (o->neg)
		gen(g, "xor.b64 %s, %s, 0x8000000000000000", d, d);
	return d;
}

/* ---- results ---- */

bool tesla_half_dst(const struct ninst *in) { return in->o[0].kind == NO_HALF; }

void tesla_put_word(struct ngen *g, const char *v)
{
	const struct nop *o = &g->in->o[0];
	if (o->kind == NO_GPR && !gen_is_zero(g, o->reg))
		gen(g, "mov.b32 %%r%u, %s", o->reg, v);
	else if (o->kind == NO_HALF && !gen_is_zero(g, o->reg >> 1))
		gen(g, "bfi.b32 %%r%u, %s, %%r%u, %u, 16", o->reg >> 1, gen_reg32(g, v),
		    o->reg >> 1, o->reg & 1 ? 16 : 0);
}

/* Result and, where the instruction writes them, flags Z and S. wide: 32 bits. */
void tesla_put_int(struct ngen *g, const char *v, bool wide)
{
	if (g->in->cc_write != NREG_NONE) {
		const char *t = gen_t(g);
		gen(g, "shl.b32 %s, %s, %u", t, v, wide ? 0u : 16u);
		gen(g, "add.cc.u32 %s, %s, 0", t, t);
		gen(g, "mov.u32 %%c%u, %%native_cc", g->in->cc_write);
	}
	tesla_put_word(g, v);
}

/* Z: zero, S: negative; of floats both where it is no number. */
static void sign_flags(struct ngen *g, const char *v, const char *type, const char *zero)
{
	const char *z = gen_q(g), *s = gen_q(g), *t = gen_t(g), *u = gen_t(g),
		   *or_nan = type[0] == 'f' ? "u" : "";
	gen(g, "setp.eq%s.%s %s, %s, %s", or_nan, type, z, v, zero);
	gen(g, "setp.lt%s.%s %s, %s, %s", or_nan, type, s, v, zero);
	gen(g, "selp.b32 %s, 1, 0, %s", t, z);
	gen(g, "selp.b32 %s, 2, 0, %s", u, s);
	gen(g, "or.b32 %%c%u, %s, %s", g->in->cc_write, t, u);
}

/* A single; a half where the register is one. */
void tesla_put_float(struct ngen *g, const char *v)
{
	if (g->in->cc_write != NREG_NONE) {
		const char *t = gen_t(g);
		gen(g, tesla_half_dst(g->in) ? "cvt.f32.f16 %s, %s" : "mov.b32 %s, %s", t, v);
		sign_flags(g, t, "f32", "0f00000000");
	}
	tesla_put_word(g, v);
}

void tesla_put_pair(struct ngen *g, const char *d, bool is_float)
{
	if (g->in->cc_write != NREG_NONE)
		sign_flags(g, d, is_float ? "f64" : "s64", is_float ? "0d0000000000000000" : "0");
	if (g->in->o[0].kind == NO_GPR)
		gen_put64(g, 0, d);
}

/* ---- special moves ---- */

static void gen_special(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *t = gen_t(g);
	switch (in->op) {
	case NI_C2R:
		gen(g, "mov.u32 %s, %%c%u", t, in->o[1].reg);
		tesla_put_int(g, t, true);
		break;
	case NI_A2R:
		gen(g, "mov.u32 %s, %%a%u", t, in->o[1].reg);
		tesla_put_int(g, t, true);
		break;
	case NI_R2C: gen(g, "and.b32 %%c%u, %s, 15", in->o[0].reg, tesla_raw(g, 1, false)); break;
	case NI_R2A:
		gen(g, "shl.b32 %s, %s, %u", t, tesla_raw(g, 1, false),
		    (unsigned)in->o[2].imm & 15);
		if (in->o[0].reg)
			gen(g, "and.b32 %%a%u, %s, 0xffff", in->o[0].reg, t);
		break;
	case NI_ADA:
		gen(g, "add.u32 %s, %%a%u, %u", t, in->o[1].reg, (unsigned)in->o[2].imm);
		if (in->o[0].reg)
			gen(g, "and.b32 %%a%u, %s, 0xffff", in->o[0].reg, t);
		break;
	case NI_S2R: {
		const char *u = gen_t(g);
		unsigned n = in->o[1].reg;
		if (n == 0) { /* thread in bits 0 to 7, warp 8 to 15, processor above 16 */
			gen(g, "mov.u32 %s, %%laneid", t);
			gen(g, "mov.u32 %s, %%warpid", u);
			gen(g, "bfi.b32 %s, %s, %s, 8, 8", t, u, t);
			gen(g, "mov.u32 %s, %%smid", u);
			gen(g, "bfi.b32 %s, %s, %s, 16, 8", t, u, t);
		} else {
			gen(g, "mov.u32 %s, %s", t, n == 1 ? "%clock" : "0");
		}
		tesla_put_int(g, t, true);
		break;
	}
	default: { /* VOTE */
		const char *q = gen_q(g), *b = gen_cc_bit(g, gen_text(g, "%%c%u", in->o[1].reg),
							  (unsigned)in->o[1].off);
		gen(g, "setp.ne.u32 %s, %s, 0", q, b);
		gen(g, "vote.%s.pred %s, %s", in->mod[NM_MODE] == 2 ? "all" : "any", q, q);
		gen(g, "selp.b32 %%c%u, 0, 1, %s", in->o[0].reg, q);
	}
	}
}

static void gen_mov(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *s = tesla_raw(g, 1, false), *t = gen_t(g);
	gen(g, "mov.u32 %s, %s", t, s);
	if (in->nop > 2 && in->o[2].kind == NO_IMM && in->o[2].imm != 15)
		gen_refuse(g, "a part of each quad");
	tesla_put_int(g, t, !tesla_half_dst(in));
}

/* A barrier counts warps: .ARV adds one, .WAIT waits until as many have come as there are, or as have the threads
 * that the operand counts (all ones: all). */
static void gen_bar(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool arrive = in->mod[NM_MODE], wait = in->mod[NM_KIND];
	enum { ALL = 0xfff, WARP = 32 };
	unsigned n = in->nop > 1 ? (unsigned)in->o[1].imm : ALL;
	if (n != ALL && (!n || n % WARP)) {
		gen_refuse(
			g,
			"a barrier is for whole warps, a multiple of 0x20 threads, or for all (0xfff)");
		return;
	}
	if (arrive && n != ALL)
		gen(g, "bar.%s %u, %u", wait ? "sync" : "arrive", in->o[0].reg, n);
	else if (arrive)
		gen(g, wait ? "bar.sync %u" : "bar.arrive %u, 0", in->o[0].reg);
	else if (wait)
		gen_ctl_reg(g, NCTL_BAR_WAIT, gen_text(g, "%u", in->o[0].reg), 0, 7);
}

bool gen_tesla(struct ngen *g)
{
	switch (g->in->op) {
	case NI_MOV:
	case NI_MVC: gen_mov(g); return true;
	case NI_C2R:
	case NI_A2R:
	case NI_R2C:
	case NI_R2A:
	case NI_ADA:
	case NI_S2R:
	case NI_VOTE: gen_special(g); return true;
	case NI_BAR: gen_bar(g); return true;
	case NI_NOP: return true;
	default: return tesla_integer(g) || tesla_float(g) || tesla_memory(g);
	}
}
