/* Fermi's integer, logic, predicate and move instructions as PTX statements. The adder, the compares
 * and the logic on predicates are the same few statements everywhere, so they are functions. */
#include "front/lift/gen.h"

static const char *const logic_name[] = {"and", "or", "xor"};
static const char *const int_cmp[] = {"", "lt", "eq", "le", "gt", "ne", "ge", ""};

const char *gen_reg32(struct ngen *g, const char *s)
{
	if (s[0] == '%')
		return s;
	const char *t = gen_t(g);
	gen(g, "mov.u32 %s, %s", t, s);
	return t;
}

/* Flags of a result where carry and overflow are zero. */
static void flags_of(struct ngen *g, const char *d)
{
	if (g->in->o[0].cc)
		gen(g, "add.cc.u32 %s, %s, 0", gen_t(g), d);
}

/* ---- the adder ---- */

struct add {
	const char *x, *y;
	bool neg_x, neg_y, po, carry, cc, sat;
};

/* x + y with either negated (its complement plus one) or plus one; carry: the flag replaces the one. */
static void adder(struct ngen *g, const char *d, struct add a)
{
	const char *op = a.carry ? "addc" : "add", *x = a.x, *y = a.y;
	if (a.sat && (a.carry || a.cc || a.po)) {
		const char *in = a.carry ? gen_cc(g) : NULL, *out = a.cc ? gen_t(g) : NULL;
		struct gen_sum s = {x, y, in, out, a.neg_x, a.neg_y, a.po, true, 32};
		gen(g, "mov.u32 %s, %s", d, gen_sum(g, &s));
		if (out)
			gen_ctl_reg(g, NCTL_SETCC, out, 0, 7);
		return;
	}
	if (a.neg_x) {
		const char *t = x;
		x = y;
		y = t;
	}
	if (a.neg_x || a.neg_y)
		op = a.carry ? "subc" : "sub";
	if (a.po && !a.carry) { /* x + y + 1 = x - ~y */
		const char *t = gen_t(g);
		gen(g, "not.b32 %s, %s", t, y);
		y = t;
		op = "sub";
	}
	if (a.sat)
		gen(g, "%s.sat.s32 %s, %s, %s", op, d, x, y);
	else
		gen(g, "%s%s.u32 %s, %s, %s", op, a.cc ? ".cc" : "", d, x, y);
}

static void gen_iadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *x = gen_raw(g, 1), *y = gen_raw(g, 2);
	adder(g, gen_dst(g, 0),
	      (struct add){x, y, in->o[1].neg, in->o[2].neg, in->mod[NM_PO] == 3, in->mod[NM_X],
			   in->o[0].cc, in->mod[NM_SAT]});
}

/* The product's low or high word; types: bit 0 second operand signed, bit 1 first. */
static const char *product(struct ngen *g, const char *a, const char *b, unsigned types, bool hi)
{
	const char *t = gen_t(g);
	if (g->in->size == 4 && types) /* the 4-byte forms have one bit for both */
		types = 3;
	if (!hi || types == 0 || types == 3) {
		gen(g, "mul.%s.%s %s, %s, %s", hi ? "hi" : "lo", types == 3 ? "s32" : "u32", t, a,
		    b);
		return t;
	}
	const char *x = gen_d(g), *y = gen_d(g);
	gen(g, "cvt.%s.%s %s, %s", types & 2 ? "s64" : "u64", types & 2 ? "s32" : "u32", x,
	    gen_reg32(g, a));
	gen(g, "cvt.%s.%s %s, %s", types & 1 ? "s64" : "u64", types & 1 ? "s32" : "u32", y,
	    gen_reg32(g, b));
	gen(g, "mul.lo.u64 %s, %s, %s", x, x, y);
	gen(g, "mov.b64 {%s, %s}, %s", gen_t(g), t, x);
	return t;
}

static void gen_imad(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *p = product(g, gen_raw(g, 1), gen_raw(g, 2), in->mod[NM_TYPES], in->mod[NM_HI]);
	const char *c = gen_raw(g, 3);
	adder(g, gen_dst(g, 0),
	      (struct add){p, c, in->o[1].neg, in->o[3].neg, in->mod[NM_PO] == 3, in->mod[NM_X],
			   in->o[0].cc, in->mod[NM_SAT]});
}

static void gen_imul(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *p = product(g, gen_raw(g, 1), gen_raw(g, 2), in->mod[NM_TYPES], in->mod[NM_HI]);
	const char *d = gen_dst(g, 0);
	gen(g, "mov.u32 %s, %s", d, p);
	flags_of(g, d);
}

static void gen_iscadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *t = gen_t(g), *b = gen_raw(g, 2);
	gen(g, "shl.b32 %s, %s, %u", t, gen_raw(g, 1), (unsigned)in->o[3].imm);
	adder(g, gen_dst(g, 0),
	      (struct add){t, b, in->o[1].neg, in->o[2].neg, in->mod[NM_PO] == 3, false,
			   in->o[0].cc, false});
}

/* ---- comparison ---- */

/* A - B - borrow against zero, with the lower words' flags: 1 where the comparison holds, else 0. */
static const char *extended_compare(struct ngen *g, unsigned a, unsigned b)
{
	const struct ninst *in = g->in;
	const char *old = gen_cc(g), *x = gen_raw(g, a), *y = gen_raw(g, b);
	gen(g, "subc.cc.u32 %s, %s, %s", gen_t(g), x, y);
	const char *now = gen_cc(g), *z = gen_t(g), *lt = gen_t(g), *t = gen_t(g);
	gen_ctl_reg(g, NCTL_SETCC, old, 0, 7); /* the comparison leaves the flags alone */
	gen(g, "and.b32 %s, %s, %s", z, old, now);
	gen(g, "and.b32 %s, %s, 1", z, z);
	if (in->mod[NM_SIGN]) {
		gen(g, "shr.u32 %s, %s, 2", lt, now);
		gen(g, "xor.b32 %s, %s, %s", lt, lt, now);
		gen(g, "shr.u32 %s, %s, 1", lt, lt);
	} else {
		gen(g, "shr.u32 %s, %s, 2", lt, now);
		gen(g, "not.b32 %s, %s", lt, lt);
	}
	gen(g, "and.b32 %s, %s, 1", lt, lt);
	/* index z + 2 lt (both cannot be): the set of indices for which each comparison holds */
	static const uint8_t holds[8] = {0x0, 0xc, 0xa, 0xe, 0x1, 0x5, 0x3, 0xf};
	gen(g, "mad.lo.u32 %s, %s, 2, %s", t, lt, z);
	gen(g, "shr.u32 %s, 0x%x, %s", t, holds[in->mod[NM_CMP] & 7], t);
	gen(g, "and.b32 %s, %s, 1", t, t);
	return t;
}

/* Boolean value v (0 or not), combined with the source predicate at operand p. */
static void set_from(struct ngen *g, const char *v, unsigned p, bool to_pred)
{
	const char *log = logic_name[g->in->mod[NM_LOGIC] % 3],
		   *q = p < g->in->nop ? gen_pred(g, p) : "%pt";
	if (to_pred) {
		const char *d = gen_pred_dst(g, 0),
			   *e = g->in->o[1].kind == NO_PRED ? gen_pred_dst(g, 1) : gen_q(g);
		gen(g, "setp.ne.%s.u32 %s|%s, %s, 0, %s", log, d, e, v, q);
	} else {
		const char *d = gen_dst(g, 0);
		gen(g, "set.ne.%s.%s.u32 %s, %s, 0, %s", log, g->in->mod[NM_BF] ? "f32" : "u32", d,
		    v, q);
		flags_of(g, d);
	}
}

static void gen_isetp(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool to_pred = in->op == NI_ISETP;
	unsigned a = to_pred && in->o[1].kind == NO_PRED ? 2 : 1, cmp = in->mod[NM_CMP] & 7;
	const char *type = in->size == 4 || in->mod[NM_SIGN] ? "s32" : "u32",
		   *log = logic_name[in->mod[NM_LOGIC] % 3];
	if (in->mod[NM_X]) {
		set_from(g, extended_compare(g, a, a + 1), a + 2, to_pred);
		return;
	}
	if (cmp == NC_F || cmp == NC_T_INT) {
		set_from(g, cmp == NC_F ? "0" : "1", a + 2, to_pred);
		return;
	}
	const char *x = gen_raw(g, a), *y = gen_raw(g, a + 1),
		   *q = a + 2 < in->nop ? gen_pred(g, a + 2) : "%pt";
	if (to_pred) {
		const char *d = gen_pred_dst(g, 0),
			   *e = in->o[1].kind == NO_PRED ? gen_pred_dst(g, 1) : gen_q(g);
		gen(g, "setp.%s.%s.%s %s|%s, %s, %s, %s", int_cmp[cmp], log, type, d, e, x, y, q);
		return;
	}
	const char *d = gen_dst(g, 0);
	gen(g, "set.%s.%s.%s.%s %s, %s, %s, %s", int_cmp[cmp], log, in->mod[NM_BF] ? "f32" : "u32",
	    type, d, x, y, q);
	flags_of(g, d);
}

static void gen_icmp(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned cmp = in->mod[NM_CMP] & 7;
	const char *x = gen_raw(g, 1), *y = gen_raw(g, 2), *d = gen_dst(g, 0), *q = gen_q(g);
	if (cmp == NC_F || cmp == NC_T_INT) {
		gen(g, "mov.u32 %s, %s", d, cmp == NC_F ? y : x);
	} else {
		gen(g, "setp.%s.%s %s, %s, 0", int_cmp[cmp], in->mod[NM_SIGN] ? "s32" : "u32", q,
		    gen_raw(g, 3));
		gen(g, "selp.b32 %s, %s, %s, %s", d, x, y, q);
	}
	flags_of(g, d);
}

/* The minimum of pairs is IMNMX.XHI D.CC of the upper words, then IMNMX.XLO of the lower ones. The flags of the
 * upper words' difference say whose lower word it is; where they are equal the lower ones decide, without sign. */
enum { MNMX_LO = 1, MNMX_MED, MNMX_HI, TEST_LESS = 9, TEST_EQUAL = 10, TEST_BORROW = 17 };

static void low_by_flags(struct ngen *g, const char *x, const char *y, const char *lo,
			 const char *hi)
{
	const char *cc = gen_cc(g), *q = gen_q(g), *equal = gen_q(g), *less = gen_q(g),
		   *t = gen_t(g);
	unsigned test = g->in->mod[NM_SIGN] ? TEST_LESS : TEST_BORROW;
	gen(g, "setp.ne.u32 %s, %s, 0", equal, gen_cc_bit(g, cc, TEST_EQUAL));
	gen(g, "setp.ne.u32 %s, %s, 0", q, gen_cc_bit(g, cc, test));
	gen(g, "setp.lt.u32 %s, %s, %s", less, x, y);
	gen(g, "selp.b32 %s, 1, 0, %s", t, q);
	gen(g, "selp.b32 %s, 1, 0, %s", lo, less);
	gen(g, "selp.b32 %s, %s, %s, %s", t, lo, t, equal);
	gen(g, "setp.ne.u32 %s, %s, 0", q, t);
	gen(g, "selp.b32 %s, %s, %s, %s", lo, x, y, q);
	gen(g, "selp.b32 %s, %s, %s, %s", hi, y, x, q);
}

/* Flags for the words below: less S, equal Z and C, greater C. S then says the same as no carry, so that the
 * lower words find out who is less with either test: theirs have no sign, also where the pair has one. */
static const char *order_flags(struct ngen *g, const char *x, const char *y, const char *type)
{
	const char *q = gen_q(g), *f = gen_t(g);
	gen(g, "setp.lt.%s %s, %s, %s", type, q, x, y);
	gen(g, "selp.b32 %s, 2, 4, %s", f, q);
	gen(g, "setp.eq.u32 %s, %s, %s", q, x, y);
	gen(g, "selp.b32 %s, 5, %s, %s", f, f, q);
	return f;
}

/* The flags of the words above, or where they were equal of these. */
static void pass_flags(struct ngen *g, const char *x, const char *y)
{
	const char *old = gen_cc(g), *q = gen_q(g), *t = gen_t(g), *f = order_flags(g, x, y, "u32");
	gen(g, "and.b32 %s, %s, 1", t, old);
	gen(g, "setp.ne.u32 %s, %s, 0", q, t);
	gen(g, "selp.b32 %s, %s, %s, %s", f, f, old, q);
	gen_ctl_reg(g, NCTL_SETCC, f, 0, 7);
}

static void gen_imnmx(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *p = &in->o[3];
	const char *x = gen_raw(g, 1), *y = gen_raw(g, 2), *d = gen_dst(g, 0),
		   *type = in->mod[NM_SIGN] ? "s32" : "u32";
	const char *lo = gen_t(g), *hi = gen_t(g);
	unsigned part = in->mod[NM_X];
	if (!part && p->reg == 7) {
		gen(g, "%s.%s %s, %s, %s", p->neg ? "max" : "min", type, d, x, y);
		flags_of(g, d);
		return;
	}
	if (part == MNMX_LO || part == MNMX_MED) {
		low_by_flags(g, x, y, lo, hi);
		if (in->o[0].cc)
			pass_flags(g, x, y);
	} else {
		gen(g, "min.%s %s, %s, %s", type, lo, x, y);
		gen(g, "max.%s %s, %s, %s", type, hi, x, y);
	}
	if (part == MNMX_HI && in->o[0].cc)
		gen_ctl_reg(g, NCTL_SETCC, order_flags(g, x, y, type), 0, 7);
	if (p->reg == 7)
		gen(g, "mov.u32 %s, %s", d, p->neg ? hi : lo);
	else
		gen(g, "selp.b32 %s, %s, %s, %%p%u", d, p->neg ? hi : lo, p->neg ? lo : hi, p->reg);
	if (!part)
		flags_of(g, d);
}

/* ---- shifts and bits ---- */

static void gen_shift(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *x = gen_raw(g, 1), *n = gen_raw(g, 2), *d = gen_dst(g, 0);
	if (in->mod[NM_X]) {
		gen_refuse(g, "extended shift");
		return;
	}
	if (in->mod[NM_BREV]) {
		const char *t = gen_t(g);
		gen(g, "brev.b32 %s, %s", t, x);
		x = t;
	}
	if (in->mod[NM_WRAP]) {
		const char *t = gen_t(g);
		gen(g, "and.b32 %s, %s, 31", t, n);
		n = t;
	}
	if (in->op == NI_SHL)
		gen(g, "shl.b32 %s, %s, %s", d, x, n);
	else
		gen(g, "shr.%s %s, %s, %s", in->size == 4 || in->mod[NM_SIGN] ? "s32" : "u32", d, x,
		    n);
	flags_of(g, d);
}

static void gen_lop(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *x = gen_src(g, 1, NSRC_INT), *y = gen_src(g, 2, NSRC_INT), *d = gen_dst(g, 0);
	const char *above = in->mod[NM_X] && in->o[0].cc ? gen_cc(g) : NULL;
	if (in->mod[NM_LOGIC] == 3)
		gen(g, "mov.u32 %s, %s", d, y);
	else
		gen(g, "%s.b32 %s, %s, %s", logic_name[in->mod[NM_LOGIC]], d, x, y);
	flags_of(g, d);
	if (!above)
		return;
	const char *z = gen_t(g),
		   *now = gen_cc(g); /* .X: zero if the words before were too, as in comparisons */
	gen(g, "or.b32 %s, %s, 14", z, above);
	gen(g, "and.b32 %s, %s, %s", z, z, now);
	gen_ctl_reg(g, NCTL_SETCC, z, 0, 7);
}

/* Position and length of a bit field: bytes 0 and 1 of operand i. */
static void field(struct ngen *g, unsigned i, const char **pos, const char **len)
{
	const char *b = gen_raw(g, i);
	*pos = gen_t(g);
	*len = gen_t(g);
	gen(g, "and.b32 %s, %s, 255", *pos, b);
	gen(g, "shr.u32 %s, %s, 8", *len, b);
	gen(g, "and.b32 %s, %s, 255", *len, *len);
}

static void gen_bits(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *pos, *len, *d, *x;
	switch (in->op) {
	case NI_BFE:
		x = gen_raw(g, 1);
		field(g, 2, &pos, &len);
		if (in->mod[NM_BREV]) {
			const char *t = gen_t(g);
			gen(g, "brev.b32 %s, %s", t, x);
			x = t;
		}
		d = gen_dst(g, 0);
		gen(g, "bfe.%s %s, %s, %s, %s", in->mod[NM_SIGN] ? "s32" : "u32", d, x, pos, len);
		break;
	case NI_BFI:
		x = gen_raw(g, 1);
		field(g, 2, &pos, &len);
		const char *c = gen_raw(g, 3);
		d = gen_dst(g, 0);
		gen(g, "bfi.b32 %s, %s, %s, %s, %s", d, x, c, pos, len);
		break;
	case NI_FLO:
		x = gen_src(g, 1, NSRC_INT);
		d = gen_dst(g, 0);
		gen(g, "bfind%s.%s %s, %s", in->mod[NM_SH] ? ".shiftamt" : "",
		    in->mod[NM_SIGN] ? "s32" : "u32", d, x);
		break;
	default: { /* POPC */
		x = gen_src(g, 1, NSRC_INT);
		const char *y = gen_src(g, 2, NSRC_INT), *t = gen_t(g);
		d = gen_dst(g, 0);
		gen(g, "and.b32 %s, %s, %s", t, x, y);
		gen(g, "popc.b32 %s, %s", d, t);
	}
	}
	flags_of(g, d);
}

static void gen_prmt(struct ngen *g)
{
	static const char *const mode[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
	const char *a = gen_raw(g, 1), *sel = gen_raw(g, 2), *c = gen_raw(g, 3), *d = gen_dst(g, 0);
	gen(g, "prmt.b32%s %s, %s, %s, %s", mode[g->in->mod[NM_MODE] % 7], d, a, c, sel);
	flags_of(g, d);
}

static void gen_isad(struct ngen *g)
{
	const char *a = gen_raw(g, 1), *b = gen_raw(g, 2), *c = gen_raw(g, 3), *d = gen_dst(g, 0);
	gen(g, "sad.%s %s, %s, %s, %s", g->in->mod[NM_SIGN] ? "s32" : "u32", d, a, b, c);
	flags_of(g, d);
}

/* ---- predicates ---- */

/* Source predicate i in a register, negation applied. */
static const char *pred_value(struct ngen *g, unsigned i)
{
	const char *p = gen_pred(g, i);
	if (p[0] != '!')
		return p;
	const char *q = gen_q(g);
	gen(g, "not.pred %s, %s", q, p + 1);
	return q;
}

static void gen_pset(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool to_pred = in->op == NI_PSETP;
	unsigned a = to_pred ? 2 : 1;
	if (in->size == 4) { /* one result of two sources */
		const char *x = pred_value(g, 1), *y = pred_value(g, 2);
		gen(g, "%s.pred %s, %s, %s", logic_name[in->mod[NM_LOGIC] % 3], gen_pred_dst(g, 0),
		    x, y);
		return;
	}
	const char *log = logic_name[in->mod[NM_LOGIC] % 3], *p = pred_value(g, a),
		   *q = pred_value(g, a + 1);
	const char *s = pred_value(g, a + 2), *t = gen_q(g), *u = gen_q(g), *v = gen_q(g);
	gen(g, "%s.pred %s, %s, %s", logic_name[in->mod[NM_LOGIC2] % 3], t, p, q);
	gen(g, "not.pred %s, %s", u, t);
	gen(g, "%s.pred %s, %s, %s", log, t, t, s);
	gen(g, "%s.pred %s, %s, %s", log, v, u, s);
	if (to_pred) {
		gen(g, "mov.pred %s, %s", gen_pred_dst(g, 0), t);
		gen(g, "mov.pred %s, %s", gen_pred_dst(g, 1), v);
	} else {
		const char *d = gen_dst(g, 0);
		gen(g, "selp.b32 %s, %s, 0, %s", d, in->mod[NM_BF] ? "0x3f800000" : "0xffffffff",
		    t);
		flags_of(g, d);
	}
}

static void gen_cset(struct ngen *g)
{
	bool to_pred = g->in->op == NI_CSETP;
	set_from(g, gen_cc_bit(g, gen_cc(g), g->in->mod[NM_CMP]), to_pred ? 3 : 2, to_pred);
}

/* P2R D, PR, A, B: D = A | (PR & B). PR: predicates in bits 0 to 6, Z S C O in bits 12 to 15. */
static void gen_p2r(struct ngen *g)
{
	const char *a = gen_raw(g, 2), *b = gen_raw(g, 3), *t = gen_t(g), *one = gen_t(g);
	gen(g, "shl.b32 %s, %s, 12", t, gen_cc(g));
	for (unsigned i = 0; i < 7; i++) {
		gen(g, "selp.b32 %s, %u, 0, %%p%u", one, 1u << i, i);
		gen(g, "or.b32 %s, %s, %s", t, t, one);
	}
	gen(g, "and.b32 %s, %s, %s", t, t, b);
	if (g->in->mod[NM_H1]) /* they go to the upper half */
		gen(g, "shl.b32 %s, %s, 16", t, t);
	gen(g, "or.b32 %s, %s, %s", gen_dst(g, 0), t, a);
}

/* R2P PR, A, B: PR = (PR & ~B) | (A & B). */
static void gen_r2p(struct ngen *g)
{
	const char *a = gen_reg32(g, gen_raw(g, 1)), *b = gen_raw(g, 2), *m = gen_t(g),
		   *v = gen_t(g), *q = gen_q(g);
	bool known = g->in->o[2].kind == NO_IMM;
	uint32_t mask = known ? (uint32_t)g->in->o[2].imm : 0xffff;
	if (g->in->mod[NM_H1]) { /* they come from the upper half */
		const char *t = gen_t(g);
		gen(g, "shr.u32 %s, %s, 16", t, a);
		a = t;
	}
	for (unsigned i = 0; i < 7; i++) {
		if (!(mask >> i & 1))
			continue;
		gen(g, "and.b32 %s, %s, %u", v, a, 1u << i);
		gen(g, "setp.ne.u32 %s, %s, 0", q, v);
		if (known) {
			gen(g, "mov.pred %%p%u, %s", i, q);
			continue;
		}
		const char *s = gen_q(g), *n = gen_q(g);
		gen(g, "and.b32 %s, %s, %u", m, b, 1u << i);
		gen(g, "setp.ne.u32 %s, %s, 0", s, m);
		gen(g, "and.pred %s, %s, %s", q, q, s);
		gen(g, "not.pred %s, %s", n, s);
		gen(g, "and.pred %s, %s, %%p%u", n, n, i);
		gen(g, "or.pred %%p%u, %s, %s", i, q, n);
	}
	if (!(mask & 0xf000))
		return;
	const char *cc = gen_cc(g), *keep = gen_t(g);
	gen(g, "shr.u32 %s, %s, 12", m, b);
	gen(g, "shr.u32 %s, %s, 12", v, a);
	gen(g, "and.b32 %s, %s, %s", v, v, m);
	gen(g, "not.b32 %s, %s", keep, m);
	gen(g, "and.b32 %s, %s, %s", keep, keep, cc);
	gen(g, "or.b32 %s, %s, %s", v, v, keep);
	gen_ctl_reg(g, NCTL_SETCC, v, 0, 7);
}

static void gen_sel(struct ngen *g)
{
	const struct nop *p = &g->in->o[3];
	const char *a = gen_raw(g, 1), *b = gen_raw(g, 2), *d = gen_dst(g, 0);
	gen(g, "selp.b32 %s, %s, %s, %s", d, p->neg ? b : a, p->neg ? a : b,
	    p->reg == 7 ? "%pt" : gen_text(g, "%%p%u", p->reg));
}

static void gen_vote(struct ngen *g)
{
	static const char *const mode[] = {"all", "any", "uni"};
	const char *p = pred_value(g, 2), *q = gen_q(g), *t = gen_t(g);
	gen(g, "vote.ballot.b32 %s, %s", t, p);
	gen(g, "vote.%s.pred %s, %s", mode[g->in->mod[NM_MODE] % 3], q, p);
	if (g->in->o[1].reg != 7)
		gen(g, "mov.pred %%p%u, %s", g->in->o[1].reg, q);
	gen(g, "mov.u32 %s, %s", gen_dst(g, 0), t);
}

/* ---- moves ---- */

static void gen_s2r(struct ngen *g)
{
	static const struct {
		uint8_t n;
		const char *text;
	} rows[] = {
		{0, "%laneid"},
		{1, "%clock"},
		{33, "%tid.x"},
		{34, "%tid.y"},
		{35, "%tid.z"},
		{37, "%ctaid.x"},
		{38, "%ctaid.y"},
		{39, "%ctaid.z"},
		{41, "%ntid.x"},
		{42, "%ntid.y"},
		{43, "%ntid.z"},
		{45, "%nctaid.x"},
		{46, "%nctaid.y"},
		{47, "%nctaid.z"},
		{50, "%total_smem_size"},
		{56, "%lanemask_eq"},
		{57, "%lanemask_lt"},
		{58, "%lanemask_le"},
		{59, "%lanemask_gt"},
		{60, "%lanemask_ge"},
		{80, "%clock"},
		{81, "%clock_hi"},
		{48, "0x01000000"},
		{49, "0x01000000"},
		{51, "32"},
		{52, "0x02000000"},
		{53, "0x01000000"},
		{64, "0"},
		{66, "0"},
		{67, "0"},
		{4, "0"},
		{5, "0"},
		{6, "0"},
		{7, "0"},
		{8, "0"},
		{9, "0"},
		{10, "0"},
		{11, "0"},
	};
	const char *d = gen_dst(g, 0), *t = gen_t(g);
	unsigned n = g->in->o[1].reg;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].n == n) {
			gen(g, "mov.u32 %s, %s", d, rows[i].text);
			return;
		}
	switch (n) {
	case 2:
	case 3: /* warps and processors; which of them */
		gen(g, "mov.u32 %s, %s", t, n == 2 ? "%nsmid" : "%smid");
		gen(g, "shl.b32 %s, %s, 20", t, t);
		if (n == 2) {
			gen(g, "or.b32 %s, %s, %u", d, t, 48u << 8);
		} else {
			const char *w = gen_t(g);
			gen(g, "mov.u32 %s, %%warpid", w);
			gen(g, "shl.b32 %s, %s, 8", w, w);
			gen(g, "or.b32 %s, %s, %s", d, t, w);
		}
		return;
	case 32:
	case 40: { /* packed: x in bits 0 to 15, y 16 to 25, z 26 to 31 */
		const char *u = gen_t(g), *r = n == 32 ? "tid" : "ntid";
		gen(g, "mov.u32 %s, %%%s.x", t, r);
		gen(g, "mov.u32 %s, %%%s.y", u, r);
		gen(g, "bfi.b32 %s, %s, %s, 16, 10", t, u, t);
		gen(g, "mov.u32 %s, %%%s.z", u, r);
		gen(g, "bfi.b32 %s, %s, %s, 26, 6", d, u, t);
		return;
	}
	default: gen_refuse(g, "a special register of graphics or of no known meaning");
	}
}

static void gen_mov(struct ngen *g)
{
	const struct nop *lanes =
		g->in->nop > 2 && g->in->o[2].kind == NO_IMM ? &g->in->o[2] : NULL;
	const char *s = gen_raw(g, 1), *d = gen_dst(g, 0);
	if (!lanes || lanes->imm == 15 || g->in->size == 4) {
		gen(g, "mov.u32 %s, %s", d, s);
		return;
	}
	const char *t = gen_t(g), *q = gen_q(g); /* only some lanes of each quad */
	gen(g, "mov.u32 %s, %%laneid", t);
	gen(g, "and.b32 %s, %s, 3", t, t);
	gen(g, "shr.u32 %s, %u, %s", t, (unsigned)lanes->imm, t);
	gen(g, "and.b32 %s, %s, 1", t, t);
	gen(g, "setp.ne.u32 %s, %s, 0", q, t);
	gen(g, "selp.b32 %s, %s, %s, %s", d, s, d, q);
}

bool gen_fermi(struct ngen *g)
{
	switch (g->in->op) {
	case NI_IADD:
	case NI_IADD32I: gen_iadd(g); return true;
	case NI_IMAD:
	case NI_IMAD32I: gen_imad(g); return true;
	case NI_IMUL:
	case NI_IMUL32I: gen_imul(g); return true;
	case NI_ISCADD:
	case NI_ISCADD32I: gen_iscadd(g); return true;
	case NI_ISETP:
	case NI_ISET: gen_isetp(g); return true;
	case NI_ICMP: gen_icmp(g); return true;
	case NI_IMNMX: gen_imnmx(g); return true;
	case NI_SHL:
	case NI_SHR: gen_shift(g); return true;
	case NI_LOP:
	case NI_LOP32I: gen_lop(g); return true;
	case NI_BFE:
	case NI_BFI:
	case NI_FLO:
	case NI_POPC: gen_bits(g); return true;
	case NI_PRMT: gen_prmt(g); return true;
	case NI_ISAD: gen_isad(g); return true;
	case NI_PSET:
	case NI_PSETP: gen_pset(g); return true;
	case NI_CSET:
	case NI_CSETP: gen_cset(g); return true;
	case NI_P2R: gen_p2r(g); return true;
	case NI_R2P: gen_r2p(g); return true;
	case NI_SEL: gen_sel(g); return true;
	case NI_VOTE: gen_vote(g); return true;
	case NI_S2R: gen_s2r(g); return true;
	case NI_MOV:
	case NI_MOV32I: gen_mov(g); return true;
	case NI_LEPC: gen(g, "mov.u32 %s, %u", gen_dst(g, 0), g->in->pc); return true;
	case NI_NOP: return true;
	default: return gen_float(g) || gen_video(g);
	}
}
