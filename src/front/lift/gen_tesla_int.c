/* Tesla's integer instructions as PTX statements. */
#include "front/lift/gen_tesla.h"

static const char *const int_cmp[] = {"", "lt", "eq", "le", "gt", "ne", "ge", ""};
static const char *const logic_name[] = {"and", "or", "xor"};

/* x + y, either negated, or with the carry of a C register; 16 bits: in the upper halves, so that carry,
 * overflow and saturation are those of 16 bits. */
static void adder(struct ngen *g, const char *x, bool neg_x, const char *y, bool neg_y, bool wide,
		  bool sat, int carry)
{
	const struct ninst *in = g->in;
	const char *t = gen_t(g), *op = neg_x || neg_y ? "sub" : "add";
	bool cc = in->cc_write != NREG_NONE;
	if ((sat && (cc || carry >= 0)) || (carry >= 0 && !wide)) {
		const char *flags = cc ? gen_t(g) : NULL,
			   *c = carry >= 0 ? gen_text(g, "%%c%d", carry) : NULL;
		struct gen_sum s = {x, y, c, flags, neg_x, neg_y, false, sat, wide ? 32 : 16};
		const char *r = gen_sum(g, &s);
		if (cc)
			gen(g, "mov.u32 %%c%u, %s", in->cc_write, flags);
		tesla_put_word(g, r);
		return;
	}
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
	if (carry >= 0) {
		gen_ctl_reg(g, NCTL_SETCC, gen_text(g, "%%c%d", carry), 0, 7);
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
	tesla_put_word(g, t);
}

/* Which C register's carry is added; -1: none. Add mode 3 by the two mode bits of each form. */
static int carry_of(const struct ninst *in)
{
	bool mad_long = in->op == NI_IMAD && in->size == 8 && (in->word & 3) == 1 &&
			(in->word >> 32 & 3) != 3;
	unsigned both =
		mad_long ? in->word >> 58 & 3 : (in->word >> 22 & 1) | (in->word >> 28 & 1) << 1;
	return both == 3 ? in->mod[NM_X] : -1;
}

static void gen_iadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *x = tesla_raw(g, 1, false), *y = tesla_raw(g, 2, false);
	adder(g, x, in->o[1].neg, y, in->o[2].neg, in->mod[NM_W32], in->mod[NM_SAT], carry_of(in));
}

/* A factor of 16 bits. */
static const char *factor16(struct ngen *g, unsigned i, bool is_signed)
{
	const char *s = tesla_raw(g, i, is_signed), *t = gen_t(g);
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
		const char *a = tesla_raw(g, 1, false), *b = tesla_raw(g, 2, false);
		gen(g, "mul24.%s.%s %s, %s, %s", ty & 1 ? "hi" : "lo", ty & 2 ? "s32" : "u32", t, a,
		    b);
	} else {
		const char *a = factor16(g, 1, ty & 2), *b = factor16(g, 2, ty & 1);
		gen(g, "mul.lo.u32 %s, %s, %s", t, a, b);
	}
	tesla_put_int(g, t, true);
}

static void gen_imad(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool lng = in->size == 8 && (in->word >> 32 & 3) != 3,
	     hi7 = lng && (in->word >> 28 & 15) == 7;
	unsigned ty =
		hi7 ? 8
		    : in->mod[NM_TYPES]; /* 0 u16 1 s16 2 s16.sat 3 u24 4 s24 5 s24.sat 6 hi.u24 7 hi.s24 8 hi.s24.sat */
	bool sat = ty == 2 || ty == 5 || ty == 8;
	const char *p = gen_t(g);
	if (ty <= 2) {
		const char *a = factor16(g, 1, ty != 0), *b = factor16(g, 2, ty != 0);
		gen(g, "mul.lo.u32 %s, %s, %s", p, a, b);
	} else {
		const char *a = tesla_raw(g, 1, false), *b = tesla_raw(g, 2, false);
		gen(g, "mul24.%s.%s %s, %s, %s", ty >= 6 ? "hi" : "lo",
		    ty == 3 || ty == 6 ? "u32" : "s32", p, a, b);
	}
	const char *c = tesla_raw(g, 3, false);
	adder(g, p, in->o[1].neg, c, in->o[3].neg, true, sat, carry_of(in));
}

/* Types: bit 0 32 bits, bit 1 signed. */
static const char *int_type(unsigned dt) { return dt & 2 ? "s32" : "u32"; }

static void gen_iset(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT], cmp = (unsigned)in->o[3].imm & 7;
	const char *a = tesla_raw(g, 1, dt & 2), *b = tesla_raw(g, 2, dt & 2), *t = gen_t(g);
	if (cmp == 0 || cmp == 7)
		gen(g, "mov.u32 %s, %s", t, cmp ? "0xffffffff" : "0");
	else
		gen(g, "set.%s.u32.%s %s, %s, %s", int_cmp[cmp], int_type(dt), t, a, b);
	tesla_put_int(g, t, dt & 1);
}

static void gen_minmax(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT];
	const char *a = tesla_raw(g, 1, dt & 2), *b = tesla_raw(g, 2, dt & 2), *t = gen_t(g);
	gen(g, "%s.%s %s, %s, %s", in->op == NI_IMAX ? "max" : "min", int_type(dt), t, a, b);
	tesla_put_int(g, t, dt & 1);
}

/* Differences of 16 or 32 bits, their sum of 32 bits with the flags of the addition. */
static void gen_isad(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT];
	bool sg = in->size == 4 ? dt & 1 : dt & 2;
	const char *a = tesla_raw(g, 1, sg), *b = tesla_raw(g, 2, sg), *c = tesla_raw(g, 3, sg),
		   *t = gen_t(g);
	gen(g, "sad.%s %s, %s, %s, 0", sg ? "s32" : "u32", t, a, b);
	adder(g, t, false, c, false, true, false, -1);
}

/* C: the last bit shifted out, 0 where all are. O: a shift by one changed the sign. As the open tests of these
 * machines have measured it. */
static void shift_flags(struct ngen *g, const char *a, const char *n, const char *result,
			bool right, unsigned width)
{
	unsigned cc = g->in->cc_write;
	const char *k = gen_t(g), *o = gen_t(g), *inside = gen_q(g);
	if (right)
		gen(g, "sub.u32 %s, %s, 1", k, n);
	else
		gen(g, "sub.u32 %s, %u, %s", k, width, n);
	gen(g, "shr.u32 %s, %s, %s", k, a, k); /* by no places: from beyond the word */
	gen(g, "and.b32 %s, %s, 1", k, k);
	gen(g, "shl.b32 %s, %s, 2", k, k);
	gen(g, "setp.lt.u32 %s, %s, %u", inside, n, width);
	gen(g, "selp.b32 %s, %s, 0, %s", k, k, inside);
	gen(g, "or.b32 %%c%u, %%c%u, %s", cc, cc, k);
	gen(g, "xor.b32 %s, %s, %s", o, a, result);
	gen(g, "bfe.u32 %s, %s, %u, 1", o, o, width - 1);
	gen(g, "shl.b32 %s, %s, 3", o, o);
	gen(g, "setp.eq.u32 %s, %s, 1", inside, n);
	gen(g, "selp.b32 %s, %s, 0, %s", o, o, inside);
	gen(g, "or.b32 %%c%u, %%c%u, %s", cc, cc, o);
}

static void gen_shift(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool right = in->op == NI_SHR, wide = right ? in->mod[NM_DT] & 1 : in->mod[NM_W32];
	bool sg = right && in->mod[NM_DT] & 2, flags = in->cc_write != NREG_NONE;
	const char *a = tesla_raw(g, 1, sg), *n = tesla_raw(g, 2, false), *t = gen_t(g);
	if (flags) { /* the result may take their place */
		const char *x = gen_t(g), *y = gen_t(g);
		gen(g, "mov.u32 %s, %s", x, a);
		gen(g, "mov.u32 %s, %s", y, n);
		a = x, n = y;
	}
	if (right)
		gen(g, "shr.%s %s, %s, %s", sg ? "s32" : "u32", t, a, n);
	else
		gen(g, "shl.b32 %s, %s, %s", t, a, n);
	tesla_put_int(g, t, wide);
	if (flags)
		shift_flags(g, a, n, t, right, wide ? 32 : 16);
}

static void gen_lop(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *a = tesla_source(g, 1, false), *b = tesla_source(g, 2, false), *t = gen_t(g);
	if (in->mod[NM_LOGIC] == 3)
		gen(g, "mov.u32 %s, %s", t, b);
	else
		gen(g, "%s.b32 %s, %s, %s", logic_name[in->mod[NM_LOGIC]], t, a, b);
	tesla_put_int(g, t,
		      !tesla_half_dst(in) &&
			      (in->size == 4 || in->mod[NM_W32] || (in->word >> 32 & 3) == 3));
}

bool tesla_integer(struct ngen *g)
{
	switch (g->in->op) {
	case NI_IADD: gen_iadd(g); return true;
	case NI_IMUL: gen_imul(g); return true;
	case NI_IMAD: gen_imad(g); return true;
	case NI_ISET: gen_iset(g); return true;
	case NI_IMAX:
	case NI_IMIN: gen_minmax(g); return true;
	case NI_ISAD: gen_isad(g); return true;
	case NI_SHL:
	case NI_SHR: gen_shift(g); return true;
	case NI_LOP: gen_lop(g); return true;
	default: return false;
	}
}
