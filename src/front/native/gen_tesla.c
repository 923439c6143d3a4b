/* Tesla's instructions as PTX statements. Registers are %r; halves of them are taken out and put back with
 * bit-field statements; address registers are %a, condition codes %c (Z S C O in bits 0 to 3). Shared memory
 * begins with the launch's header and the parameters, which the block's start puts there (func/cta.c). */
#include "front/native/gen.h"

static const char *const rounding[] = {"rn", "rm", "rp", "rz"};
static const char *const integral[] = {"rni", "rmi", "rpi", "rzi"};
static const char *const int_cmp[] = {"", "lt", "eq", "le", "gt", "ne", "ge", ""};
static const char *const float_cmp[] = {"", "lt", "eq", "le", "gt", "ne", "ge", "num", "nan", "ltu", "equ", "leu", "gtu", "neu",
					"geu", ""};
static const char *const logic_name[] = {"and", "or", "xor"};

/* ---- condition, tail ---- */

void tesla_guard(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (in->cc_test == 15 || in->op == OP_VOTE)
		return;
	const char *t = gen_cc_bit(g, gen_text(g, "%%c%u", in->cc_reg), in->cc_test);
	gen(g, "setp.ne.u32 %%pg, %s, 0", t);
	snprintf(g->guard, sizeof g->guard, "@%%pg ");
}

void tesla_tail(struct ngen *g)
{
	if (g->in->exit)
		gen_ctl(g, NK_EXIT, 0, 0);
	if (!g->in->pop)
		return;
	g->guard[0] = 0; /* all active threads join */
	gen_ctl(g, NK_TPOP, 0, 0);
}

/* ---- operands ---- */

/* Address of an indexed operand: An + off, or An alone and then incremented. */
static const char *indexed(struct ngen *g, const struct nop *o, const char *base)
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

static const char *mem_type(const struct nop *o)
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
		gen_const_load(g, &at, mem_type(o), t);
		return t;
	}
	const char *base = gen_bank_name(g, o->bank);
	at.index = NREG_NONE;
	if (!gen_has_bank(g, o->bank)) {
		gen_refuse(g, "its constant bank is not in the file");
		return t;
	}
	gen(g, "ld.const.%s %s, [%s]", mem_type(o), t, indexed(g, o, base));
	return t;
}

/* Operand i as 32 bits; halves extended by sext. No sign modifiers. */
static const char *raw(struct ngen *g, unsigned i, bool sext)
{
	const struct nop *o = &g->in->o[i];
	const char *t;
	switch (o->kind) {
	case NO_REG: return gen_reg(g, o->reg);
	case NO_HALF:
		if (gen_is_zero(g, o->reg >> 1))
			return "0";
		t = gen_t(g);
		gen(g, "bfe.%s %s, %%r%u, %u, 16", sext ? "s32" : "u32", t, o->reg >> 1, o->reg & 1 ? 16 : 0);
		return t;
	case NO_IMM: return gen_text(g, "0x%x", (uint32_t)o->imm);
	case NO_CONST: t = constant(g, o, 0); break;
	case NO_MEM:
		t = gen_t(g);
		gen(g, "ld.shared.%s %s, [%s]", mem_type(o), t, indexed(g, o, NULL));
		break;
	default: gen_refuse(g, "operand"); return "0";
	}
	if (o->unit == 2 && sext)
		gen(g, "bfe.s32 %s, %s, 0, 16", t, t);
	return t;
}

static const char *source(struct ngen *g, unsigned i, bool sext)
{
	const struct nop *o = &g->in->o[i];
	const char *s = raw(g, i, sext);
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

static const char *fsource(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	const char *s = raw(g, i, false), *t = gen_t(g);
	gen(g, "mov.b32 %s, %s", t, s);
	if (o->abs)
		gen(g, "and.b32 %s, %s, 0x7fffffff", t, t);
	if (o->neg)
		gen(g, "xor.b32 %s, %s, 0x80000000", t, t);
	return t;
}

static const char *dsource(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	const char *d = gen_d(g), *lo, *hi;
	if (o->kind == NO_CONST) {
		lo = constant(g, o, 0), hi = constant(g, o, 1);
	} else if (o->kind == NO_REG) {
		lo = gen_reg32(g, gen_reg(g, o->reg)), hi = gen_reg32(g, gen_is_zero(g, o->reg) ? "0" : gen_reg(g, o->reg + 1u));
	} else if (o->kind == NO_MEM && o->space == NS_SHARED) {
		gen(g, "ld.shared.b64 %s, [%s]", d, indexed(g, o, NULL));
		lo = NULL;
	} else {
		gen_refuse(g, "operand");
		return d;
	}
	if (lo)
		gen(g, "mov.b64 %s, {%s, %s}", d, lo, hi);
	if (o->abs)
		gen(g, "and.b64 %s, %s, 0x7fffffffffffffff", d, d);
	if (o->neg)
		gen(g, "xor.b64 %s, %s, 0x8000000000000000", d, d);
	return d;
}

/* ---- results ---- */

static bool half_dst(const struct ninst *in) { return in->o[0].kind == NO_HALF; }

static void put(struct ngen *g, const char *v)
{
	const struct nop *o = &g->in->o[0];
	if (o->kind == NO_REG && !gen_is_zero(g, o->reg))
		gen(g, "mov.b32 %%r%u, %s", o->reg, v);
	else if (o->kind == NO_HALF && !gen_is_zero(g, o->reg >> 1))
		gen(g, "bfi.b32 %%r%u, %s, %%r%u, %u, 16", o->reg >> 1, gen_reg32(g, v), o->reg >> 1, o->reg & 1 ? 16 : 0);
}

/* Result and, where the instruction writes them, flags Z and S. wide: 32 bits. */
static void put_int(struct ngen *g, const char *v, bool wide)
{
	if (g->in->cc_write != NREG_NONE) {
		const char *t = gen_t(g);
		gen(g, "shl.b32 %s, %s, %u", t, v, wide ? 0u : 16u);
		gen(g, "add.cc.u32 %s, %s, 0", t, t);
		gen(g, "mov.u32 %%c%u, %%native_cc", g->in->cc_write);
	}
	put(g, v);
}

static void put_float(struct ngen *g, const char *v)
{
	if (g->in->cc_write != NREG_NONE) {
		const char *z = gen_q(g), *s = gen_q(g), *t = gen_t(g), *u = gen_t(g);
		gen(g, "setp.equ.f32 %s, %s, 0f00000000", z, v);
		gen(g, "setp.ltu.f32 %s, %s, 0f00000000", s, v);
		gen(g, "selp.b32 %s, 1, 0, %s", t, z);
		gen(g, "selp.b32 %s, 2, 0, %s", u, s);
		gen(g, "or.b32 %%c%u, %s, %s", g->in->cc_write, t, u);
	}
	put(g, v);
}

static void put_double(struct ngen *g, const char *d)
{
	if (g->in->cc_write != NREG_NONE)
		gen_refuse(g, "condition codes of a double");
	if (g->in->o[0].kind == NO_REG)
		gen_put64(g, 0, d);
}

/* ---- integer ---- */

/* x + y, either negated, or with the carry of a C register; 16 bits: in the upper halves, so that carry,
 * overflow and saturation are those of 16 bits. */
static void adder(struct ngen *g, const char *x, bool neg_x, const char *y, bool neg_y, bool wide, bool sat, int carry)
{
	const struct ninst *in = g->in;
	const char *t = gen_t(g), *op = neg_x || neg_y ? "sub" : "add";
	if (!wide) {
		const char *a = gen_t(g), *b = gen_t(g);
		gen(g, "shl.b32 %s, %s, 16", a, x);
		gen(g, "shl.b32 %s, %s, 16", b, y);
		x = a, y = b;
	}
	if (neg_x) {
		const char *s = x;
		x = y, y = s;
	}
	bool cc = in->cc_write != NREG_NONE;
	if ((sat && (cc || carry >= 0)) || (carry >= 0 && !wide)) {
		gen_refuse(g, "carry in this form");
		return;
	}
	if (carry >= 0) {
		gen_ctl_reg(g, NK_SETCC, gen_text(g, "%%c%d", carry), 0, 7);
		gen(g, "addc%s.u32 %s, %s, %s", cc ? ".cc" : "", t, x, y);
	} else if (sat) {
		gen(g, "%s.sat.s32 %s, %s, %s", op, t, x, y);
	} else {
		gen(g, "%s%s.u32 %s, %s, %s", op, cc ? ".cc" : "", t, x, y);
	}
	if (cc)
		gen(g, "mov.u32 %%c%u, %%native_cc", in->cc_write);
	if (!wide)
		gen(g, "shr.u32 %s, %s, 16", t, t);
	put(g, t);
}

/* Which C register's carry is added; -1: none. Add mode 3 by the two mode bits of each form. */
static int carry_of(const struct ninst *in)
{
	bool mad_long = in->op == OP_IMAD && in->size == 8 && (in->word & 3) == 1 && (in->word >> 32 & 3) != 3;
	unsigned both = mad_long ? in->word >> 58 & 3 : (in->word >> 22 & 1) | (in->word >> 28 & 1) << 1;
	return both == 3 ? in->mod[NM_X] : -1;
}

static void gen_iadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *x = raw(g, 1, false), *y = raw(g, 2, false);
	adder(g, x, in->o[1].neg, y, in->o[2].neg, in->mod[NM_W32], in->mod[NM_SAT], carry_of(in));
}

/* A factor of 16 bits. */
static const char *factor16(struct ngen *g, unsigned i, bool is_signed)
{
	const char *s = raw(g, i, is_signed), *t = gen_t(g);
	gen(g, "bfe.%s %s, %s, 0, 16", is_signed ? "s32" : "u32", t, s);
	return t;
}

static void gen_imul(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool lng = in->size == 8 && (in->word >> 32 & 3) != 3;
	bool is24 = lng ? in->word >> 48 & 1 : in->word >> 22 & 1;
	unsigned ty = in->mod[NM_TYPES];
	const char *t = gen_t(g);
	if (is24) {
		const char *a = raw(g, 1, false), *b = raw(g, 2, false);
		gen(g, "mul24.%s.%s %s, %s, %s", ty & 1 ? "hi" : "lo", ty & 2 ? "s32" : "u32", t, a, b);
	} else {
		const char *a = factor16(g, 1, ty & 2), *b = factor16(g, 2, ty & 1);
		gen(g, "mul.lo.u32 %s, %s, %s", t, a, b);
	}
	put_int(g, t, true);
}

static void gen_imad(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool lng = in->size == 8 && (in->word >> 32 & 3) != 3, hi7 = lng && (in->word >> 28 & 15) == 7;
	unsigned ty = hi7 ? 8 : in->mod[NM_TYPES]; /* 0 u16 1 s16 2 s16.sat 3 u24 4 s24 5 s24.sat 6 hi.u24 7 hi.s24 8 hi.s24.sat */
	bool sat = ty == 2 || ty == 5 || ty == 8;
	const char *p = gen_t(g);
	if (ty <= 2) {
		const char *a = factor16(g, 1, ty != 0), *b = factor16(g, 2, ty != 0);
		gen(g, "mul.lo.u32 %s, %s, %s", p, a, b);
	} else {
		const char *a = raw(g, 1, false), *b = raw(g, 2, false);
		gen(g, "mul24.%s.%s %s, %s, %s", ty >= 6 ? "hi" : "lo", ty == 3 || ty == 6 ? "u32" : "s32", p, a, b);
	}
	const char *c = raw(g, 3, false);
	adder(g, p, in->o[1].neg, c, in->o[3].neg, true, sat, carry_of(in));
}

/* Types: bit 0 32 bits, bit 1 signed. */
static const char *int_type(unsigned dt) { return dt & 2 ? "s32" : "u32"; }

static void gen_iset(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT], cmp = (unsigned)in->o[3].imm & 7;
	const char *a = raw(g, 1, dt & 2), *b = raw(g, 2, dt & 2), *t = gen_t(g);
	if (cmp == 0 || cmp == 7)
		gen(g, "mov.u32 %s, %s", t, cmp ? "0xffffffff" : "0");
	else
		gen(g, "set.%s.u32.%s %s, %s, %s", int_cmp[cmp], int_type(dt), t, a, b);
	put_int(g, t, dt & 1);
}

static void gen_minmax(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT];
	const char *a = raw(g, 1, dt & 2), *b = raw(g, 2, dt & 2), *t = gen_t(g);
	gen(g, "%s.%s %s, %s, %s", in->op == OP_IMAX ? "max" : "min", int_type(dt), t, a, b);
	put_int(g, t, dt & 1);
}

static void gen_isad(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT];
	bool sg = in->size == 4 ? dt & 1 : dt & 2, wide = in->size == 4 ? dt & 2 : dt & 1;
	const char *a = raw(g, 1, sg), *b = raw(g, 2, sg), *c = raw(g, 3, sg), *t = gen_t(g);
	gen(g, "sad.%s %s, %s, %s, %s", sg ? "s32" : "u32", t, a, b, c);
	put_int(g, t, wide);
}

static void gen_shift(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool right = in->op == OP_SHR, wide = right ? in->mod[NM_DT] & 1 : in->mod[NM_W32], sg = right && in->mod[NM_DT] & 2;
	const char *a = raw(g, 1, sg), *n = raw(g, 2, false), *t = gen_t(g);
	if (right)
		gen(g, "shr.%s %s, %s, %s", sg ? "s32" : "u32", t, a, n);
	else
		gen(g, "shl.b32 %s, %s, %s", t, a, n);
	put_int(g, t, wide);
	if (right || in->cc_write == NREG_NONE)
		return;
	/* C: the last bit shifted out */
	const char *k = gen_t(g), *q = gen_q(g);
	unsigned width = wide ? 32 : 16;
	gen(g, "sub.u32 %s, %u, %s", k, width, n);
	gen(g, "shr.u32 %s, %s, %s", k, a, k);
	gen(g, "and.b32 %s, %s, 1", k, k);
	gen(g, "shl.b32 %s, %s, 2", k, k);
	gen(g, "setp.lt.u32 %s, %s, %u", q, n, width);
	gen(g, "selp.b32 %s, %s, 0, %s", k, k, q);
	gen(g, "or.b32 %%c%u, %%c%u, %s", in->cc_write, in->cc_write, k);
}

static void gen_lop(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *a = source(g, 1, false), *b = source(g, 2, false), *t = gen_t(g);
	if (in->mod[NM_LOGIC] == 3)
		gen(g, "mov.u32 %s, %s", t, b);
	else
		gen(g, "%s.b32 %s, %s, %s", logic_name[in->mod[NM_LOGIC]], t, a, b);
	put_int(g, t, !half_dst(in) && (in->size == 4 || in->mod[NM_W32] || (in->word >> 32 & 3) == 3));
}

/* ---- float ---- */

static const char *sat(const struct ninst *in) { return in->mod[NM_SAT] ? ".sat" : ""; }

static void gen_f32(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *r = rounding[in->mod[NM_RND] & 3], *a = fsource(g, 1), *t = gen_t(g);
	const char *b = in->nop > 2 && in->o[2].kind != NO_WORD ? fsource(g, 2) : "";
	switch (in->op) {
	case OP_FADD: gen(g, "add.%s.ftz%s.f32 %s, %s, %s", r, sat(in), t, a, b); break;
	case OP_FMUL: gen(g, "mul.%s.ftz%s.f32 %s, %s, %s", r, sat(in), t, a, b); break;
	case OP_FMAX: gen(g, "max.ftz.f32 %s, %s, %s", t, a, b); break;
	case OP_FMIN: gen(g, "min.ftz.f32 %s, %s, %s", t, a, b); break;
	case OP_RCP: gen(g, "rcp.approx.ftz.f32 %s, %s", t, a); break;
	case OP_RSQ: gen(g, "rsqrt.approx.ftz.f32 %s, %s", t, a); break;
	case OP_LG2: gen(g, "lg2.approx.ftz.f32 %s, %s", t, a); break;
	case OP_SIN: gen(g, "sin.approx.ftz.f32 %s, %s", t, a); break;
	case OP_COS: gen(g, "cos.approx.ftz.f32 %s, %s", t, a); break;
	case OP_EX2:
		gen(g, "ex2.approx.ftz.f32 %s, %s", t, a);
		if (in->mod[NM_SAT])
			gen(g, "cvt.sat.f32.f32 %s, %s", t, t);
		break;
	case OP_RRO: t = a; break; /* sin and ex2 reduce themselves */
	default: { /* FMAD: the product is cut off, then added */
		const char *c = fsource(g, 3);
		gen(g, "mul.rz.ftz.f32 %s, %s, %s", t, a, b);
		gen(g, "add.rn.ftz%s.f32 %s, %s, %s", sat(in), t, t, c);
	}
	}
	put_float(g, t);
}

static void gen_fset(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned cmp = (unsigned)in->o[3].imm & 15;
	bool wide = in->op == OP_DSET;
	const char *a = wide ? dsource(g, 1) : fsource(g, 1), *b = wide ? dsource(g, 2) : fsource(g, 2), *t = gen_t(g);
	if (cmp == 0 || cmp == 15)
		gen(g, "mov.u32 %s, %s", t, cmp ? "0xffffffff" : "0");
	else
		gen(g, "set.%s%s.u32.%s %s, %s, %s", float_cmp[cmp], wide ? "" : ".ftz", wide ? "f64" : "f32", t, a, b);
	put_int(g, t, true);
}

static void gen_fcmp(struct ngen *g)
{
	const char *a = raw(g, 1, false), *b = raw(g, 2, false), *c = fsource(g, 3), *q = gen_q(g), *t = gen_t(g);
	gen(g, "setp.ge.ftz.f32 %s, %s, 0f00000000", q, c);
	gen(g, "selp.b32 %s, %s, %s, %s", t, a, b, q);
	put_float(g, t);
}

static void gen_double(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *r = rounding[in->mod[NM_RND] & 3], *a = dsource(g, 1), *b = dsource(g, 2), *d = gen_d(g);
	switch (in->op) {
	case OP_DADD: gen(g, "add.%s.f64 %s, %s, %s", r, d, a, b); break;
	case OP_DMUL: gen(g, "mul.%s.f64 %s, %s, %s", r, d, a, b); break;
	case OP_DMIN: gen(g, "min.f64 %s, %s, %s", d, a, b); break;
	case OP_DMAX: gen(g, "max.f64 %s, %s, %s", d, a, b); break;
	default: gen(g, "fma.%s.f64 %s, %s, %s, %s", r, d, a, b, dsource(g, 3));
	}
	put_double(g, d);
}

/* ---- conversions ---- */

static bool form64(const struct ninst *in) { return in->word >> 54 & 1; }

/* Integer source in 64 bits. */
static const char *int_source(struct ngen *g)
{
	static const struct { uint8_t bits; bool sg; } types[] = {{16, 0}, {32, 0}, {8, 0}, {8, 0}, {16, 1}, {32, 1}, {8, 1}, {8, 1}};
	const struct ninst *in = g->in;
	unsigned st = in->mod[NM_ST] & 7;
	const char *d = gen_d(g), *t = gen_t(g);
	if (in->op == OP_I2F && form64(in) && st & 1) {
		d = dsource(g, 1);
		if (in->o[1].neg || in->o[1].abs)
			gen_refuse(g, "a sign modifier of 64 bits");
		return d;
	}
	bool s64 = in->op == OP_I2F && form64(in);
	bool sg = s64 ? st & 4 : types[st].sg;
	gen(g, "bfe.%s %s, %s, 0, %u", sg ? "s32" : "u32", t, raw(g, 1, sg), s64 ? 32u : types[st].bits);
	gen(g, "cvt.%s.%s %s, %s", sg ? "s64" : "u64", sg ? "s32" : "u32", d, t);
	if (in->o[1].abs)
		gen(g, "abs.s64 %s, %s", d, d);
	if (in->o[1].neg)
		gen(g, "neg.s64 %s, %s", d, d);
	return d;
}

/* Float source and its type: halves are f16. */
static const char *float_source(struct ngen *g, const char **type)
{
	const struct ninst *in = g->in;
	bool big = in->mod[NM_ST];
	if (form64(in)) {
		*type = big ? "f64" : "f32";
		return big ? dsource(g, 1) : fsource(g, 1);
	}
	*type = big ? "f32" : "f16";
	if (big)
		return fsource(g, 1);
	const char *t = gen_t(g);
	gen(g, "mov.u32 %s, %s", t, raw(g, 1, false));
	if (in->o[1].abs)
		gen(g, "and.b32 %s, %s, 0x7fff", t, t);
	if (in->o[1].neg)
		gen(g, "xor.b32 %s, %s, 0x8000", t, t);
	return t;
}

static void gen_i2i(struct ngen *g)
{
	static const char *const dt[] = {"u16", "u32", "s16", "s32", "u8", "u8", "s8", "s8"};
	const struct ninst *in = g->in;
	const char *s = int_source(g), *t = gen_t(g);
	gen(g, "cvt.sat.%s.s64 %s, %s", dt[in->mod[NM_DT] & 7], t, s);
	put_int(g, t, in->mod[NM_DT] & 1);
}

static void gen_i2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool w = form64(in), big = in->mod[NM_DT];
	const char *dt = w ? (big ? "f64" : "f32") : big ? "f32" : "f16", *s = int_source(g);
	const char *t = w && big ? gen_d(g) : gen_t(g);
	gen(g, "cvt.%s.%s.%s %s, %s", rounding[in->mod[NM_RND] & 3], dt, w && in->mod[NM_ST] == 1 ? "u64" : "s64", t, s);
	if (w && big)
		put_double(g, t);
	else
		put_float(g, t);
}

static void gen_f2i(struct ngen *g)
{
	static const char *const dt[] = {"u16", "u32", "s16", "s32"}, *const dt64[] = {"u32", "u64", "s32", "s64"};
	const struct ninst *in = g->in;
	const char *type, *s = float_source(g, &type);
	unsigned k = in->mod[NM_DT] & 3;
	bool w = form64(in) && k & 1;
	const char *t = w ? gen_d(g) : gen_t(g);
	gen(g, "cvt.%s%s.%s.%s %s, %s", integral[in->mod[NM_RND] & 3], type[1] == '3' ? ".ftz" : "", form64(in) ? dt64[k] : dt[k], type, t, s);
	if (w)
		put_double(g, t);
	else
		put_int(g, t, form64(in) || k & 1);
}

static void gen_f2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *type, *s = float_source(g, &type);
	bool w = form64(in), big = in->mod[NM_DT], to_int = in->mod[NM_RND] & 4;
	const char *dt = w ? (big ? "f64" : "f32") : big ? "f32" : "f16", *t = w && big ? gen_d(g) : gen_t(g);
	bool same = in->mod[NM_DT] == in->mod[NM_ST], f32 = dt[1] == '3' || type[1] == '3';
	if (same)
		gen(g, "cvt%s%s%s%s.%s.%s %s, %s", to_int ? "." : "", to_int ? integral[in->mod[NM_RND] & 3] : "", f32 ? ".ftz" : "", sat(in), dt,
		    type, t, s);
	else if (!big)
		gen(g, "cvt.%s%s%s.%s.%s %s, %s", rounding[in->mod[NM_RND] & 3], f32 ? ".ftz" : "", sat(in), dt, type, t, s);
	else
		gen(g, "cvt%s%s.%s.%s %s, %s", f32 ? ".ftz" : "", sat(in), dt, type, t, s);
	if (w && big)
		put_double(g, t);
	else
		put_float(g, t);
}

/* ---- memory ---- */

static const char *const access_type[] = {"u8", "s8", "u16", "s16", "v2.b32", "v4.b32", "b32", "b32"};

static const char *regs_from(struct ngen *g, unsigned r, unsigned size, bool dst)
{
	unsigned n = size == 4 ? 2 : size == 5 ? 4 : 1;
	const char *t[4];
	for (unsigned i = 0; i < n; i++) {
		t[i] = gen_is_zero(g, r + i) ? gen_t(g) : gen_text(g, "%%r%u", r + i);
		if (gen_is_zero(g, r + i) && !dst)
			gen(g, "mov.u32 %s, 0", t[i]);
	}
	return n == 1 ? t[0] : n == 2 ? gen_text(g, "{%s, %s}", t[0], t[1]) : gen_text(g, "{%s, %s, %s, %s}", t[0], t[1], t[2], t[3]);
}

static const char *global_addr(struct ngen *g, const struct nop *o)
{
	const char *d = gen_d(g);
	if (o->bank != 14)
		gen_refuse(g, "a global space other than 14");
	gen(g, "cvt.u64.u32 %s, %s", d, gen_reg32(g, gen_reg(g, o->reg)));
	return d;
}

static void gen_memory_op(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool load = in->op == OP_GLD || in->op == OP_LLD, local = in->op == OP_LLD || in->op == OP_LST;
	unsigned size = in->mod[NM_SIZE] & 7;
	const struct nop *m = &in->o[load ? 1 : 0], *r = &in->o[load ? 0 : 1];
	const char *a = local ? indexed(g, m, NULL) : global_addr(g, m), *v = regs_from(g, r->reg, size, load);
	if (load)
		gen(g, "ld.%s.%s %s, [%s]", local ? "local" : "global", access_type[size], v, a);
	else
		gen(g, "st.%s.%s [%s], %s", local ? "local" : "global", access_type[size], a, v);
}

static void gen_atomic(struct ngen *g)
{
	static const char *const name[16] = {"add", "exch", "cas", NULL, "inc", "dec", "max", "min", NULL, NULL, "and", "or", "xor"};
	const struct ninst *in = g->in;
	bool red = in->op == OP_GRED, wide = in->mod[NM_SIZE] == 4;
	unsigned op = in->mod[NM_MODE] & 15, v = red ? 1 : 2;
	bool bitwise = op == 1 || op == 2 || op >= 10;
	if (!name[op] || (in->mod[NM_SIZE] != 6 && in->mod[NM_SIZE] != 7 && !wide)) {
		gen_refuse(g, "this operation on this type");
		return;
	}
	bool plain = op == 0 || op == 4 || op == 5; /* sums are the same for both signs */
	const char *type = wide ? (bitwise ? "b64" : "u64") : bitwise ? "b32" : !plain && in->mod[NM_SIZE] == 7 ? "s32" : "u32";
	const char *a = global_addr(g, &in->o[red ? 0 : 1]);
	const char *x = wide ? dsource(g, v) : gen_reg32(g, raw(g, v, false)), *y = "";
	if (op == 2)
		y = gen_text(g, ", %s", wide ? dsource(g, v + 1) : gen_reg32(g, raw(g, v + 1, false)));
	if (red && op != 1 && op != 2) {
		gen(g, "red.global.%s.%s [%s], %s", name[op], type, a, x);
		return;
	}
	const char *d = wide ? gen_d(g) : gen_t(g);
	gen(g, "atom.global.%s.%s %s, [%s], %s%s", name[op], type, d, a, x, y);
	if (!red && wide)
		gen_put64(g, 0, d);
	else if (!red)
		put(g, d);
}

static void gen_r2g(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = &in->o[0];
	const char *a = indexed(g, m, NULL), *v = gen_reg32(g, raw(g, 1, false));
	gen(g, "st.shared.%s [%s], %s", m->unit == 1 ? "u8" : m->unit == 2 ? "u16" : "b32", a, v);
	if (in->mod[NM_LOCK])
		gen_ctl_reg(g, NK_UNLOCK, a, 0, 7);
}

static void gen_g2r(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *a = indexed(g, &in->o[1], NULL), *t = gen_t(g);
	gen(g, "ld.shared.%s %s, [%s]", mem_type(&in->o[1]), t, a);
	if (in->mod[NM_LOCK]) { /* Z says that the lock was not obtained */
		gen_ctl_reg(g, NK_LOCK, a, 0, 0);
		if (in->cc_write != NREG_NONE)
			gen(g, "selp.b32 %%c%u, 0, 1, %%p0", in->cc_write);
		put(g, t);
		return;
	}
	put_int(g, t, !half_dst(in));
}

/* ---- special moves ---- */

static void gen_special(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *t = gen_t(g);
	switch (in->op) {
	case OP_C2R: gen(g, "mov.u32 %s, %%c%u", t, in->o[1].reg); put_int(g, t, true); break;
	case OP_A2R: gen(g, "mov.u32 %s, %%a%u", t, in->o[1].reg); put_int(g, t, true); break;
	case OP_R2C: gen(g, "and.b32 %%c%u, %s, 15", in->o[0].reg, raw(g, 1, false)); break;
	case OP_R2A:
		gen(g, "shl.b32 %s, %s, %u", t, raw(g, 1, false), (unsigned)in->o[2].imm & 15);
		if (in->o[0].reg)
			gen(g, "and.b32 %%a%u, %s, 0xffff", in->o[0].reg, t);
		break;
	case OP_ADA:
		gen(g, "add.u32 %s, %%a%u, %u", t, in->o[1].reg, (unsigned)in->o[2].imm);
		if (in->o[0].reg)
			gen(g, "and.b32 %%a%u, %s, 0xffff", in->o[0].reg, t);
		break;
	case OP_S2R: {
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
		put_int(g, t, true);
		break;
	}
	default: { /* VOTE */
		const char *q = gen_q(g), *b = gen_cc_bit(g, gen_text(g, "%%c%u", in->o[1].reg), (unsigned)in->o[1].off);
		gen(g, "setp.ne.u32 %s, %s, 0", q, b);
		gen(g, "vote.%s.pred %s, %s", in->mod[NM_MODE] == 2 ? "all" : "any", q, q);
		gen(g, "selp.b32 %%c%u, 0, 1, %s", in->o[0].reg, q);
	}
	}
}

static void gen_mov(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *s = raw(g, 1, false), *t = gen_t(g);
	gen(g, "mov.u32 %s, %s", t, s);
	if (in->nop > 2 && in->o[2].kind == NO_IMM && in->o[2].imm != 15)
		gen_refuse(g, "a part of each quad");
	put_int(g, t, !half_dst(in));
}

static void gen_bar(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (!in->mod[NM_MODE] || !in->mod[NM_KIND] || (in->nop > 1 && in->o[1].imm != 0xfff)) {
		gen_refuse(g, "a barrier other than .ARV.WAIT of all");
		return;
	}
	gen(g, "bar.sync %u", in->o[0].reg);
}

bool gen_tesla(struct ngen *g)
{
	switch (g->in->op) {
	case OP_MOV: case OP_MVC: gen_mov(g); return true;
	case OP_IADD: gen_iadd(g); return true;
	case OP_IMUL: gen_imul(g); return true;
	case OP_IMAD: gen_imad(g); return true;
	case OP_ISET: gen_iset(g); return true;
	case OP_IMAX: case OP_IMIN: gen_minmax(g); return true;
	case OP_ISAD: gen_isad(g); return true;
	case OP_SHL: case OP_SHR: gen_shift(g); return true;
	case OP_LOP: gen_lop(g); return true;
	case OP_FADD: case OP_FMUL: case OP_FMAD: case OP_FMAX: case OP_FMIN: case OP_RCP: case OP_RSQ: case OP_LG2:
	case OP_SIN: case OP_COS: case OP_EX2: case OP_RRO: gen_f32(g); return true;
	case OP_FSET: case OP_DSET: gen_fset(g); return true;
	case OP_FCMP: gen_fcmp(g); return true;
	case OP_DADD: case OP_DMUL: case OP_DFMA: case OP_DMIN: case OP_DMAX: gen_double(g); return true;
	case OP_I2I: gen_i2i(g); return true;
	case OP_I2F: gen_i2f(g); return true;
	case OP_F2I: gen_f2i(g); return true;
	case OP_F2F: gen_f2f(g); return true;
	case OP_GLD: case OP_GST: case OP_LLD: case OP_LST: gen_memory_op(g); return true;
	case OP_GRED: case OP_GATOM: gen_atomic(g); return true;
	case OP_R2G: gen_r2g(g); return true;
	case OP_G2R: gen_g2r(g); return true;
	case OP_C2R: case OP_A2R: case OP_R2C: case OP_R2A: case OP_ADA: case OP_S2R: case OP_VOTE: gen_special(g); return true;
	case OP_BAR: gen_bar(g); return true;
	case OP_NOP: return true;
	default: return false;
	}
}
