/* Fermi's video instructions: both operands are parts of registers, extended to 64 bits, so that the primary
 * result is exact; then saturation, then the secondary operation. Those of two and four lanes do so for each
 * lane of their mask; lanes outside it are those of the third operand. */
#include "front/lift/gen.h"

enum { SEC_MRG_16H, SEC_MRG_16L, SEC_MRG_8B0, SEC_MRG_8B2, SEC_ACC, SEC_MIN, SEC_MAX, SEC_NONE };
enum { PLUS_ONE = 3, AVERAGE = 3 }; /* NM_PO, of one lane and of several */

static const char *lit(struct ngen *g, int64_t v) { return gen_text(g, "%lld", (long long)v); }

/* Operand i: selector (0-3 byte, 4-5 half, 6 word) at bit `sel` of the word. */
static const char *part(struct ngen *g, unsigned i, bool is_signed, unsigned sel_bit)
{
	const struct ninst *in = g->in;
	const struct nop *o = &in->o[i];
	const char *d = gen_d(g), *t = gen_t(g), *type = is_signed ? "s32" : "u32";
	if (o->kind == NO_IMM) {
		int64_t v = is_signed ? (int16_t)o->imm : (int64_t)(o->imm & 0xffff);
		gen(g, "mov.u64 %s, %s", d, lit(g, v));
		return d;
	}
	unsigned sel = (unsigned)(in->word >> sel_bit & 7), pos = sel < 4    ? sel * 8
								  : sel == 5 ? 16
									     : 0;
	gen(g, "bfe.%s %s, %s, %u, %u", type, t, gen_reg32(g, gen_reg(g, o->reg)), pos,
	    sel < 4   ? 8u
	    : sel < 6 ? 16u
		      : 32u);
	gen(g, "cvt.%s.%s %s, %s", is_signed ? "s64" : "u64", type, d, t);
	return d;
}

static void clamp(struct ngen *g, const char *d, bool is_signed, unsigned bits)
{
	int64_t lo = is_signed ? -(1ll << (bits - 1)) : 0,
		hi = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
	gen(g, "max.s64 %s, %s, %s", d, d, lit(g, lo));
	gen(g, "min.s64 %s, %s, %s", d, d, lit(g, hi));
}

/* Shift counts: without .W at most 32, else modulo 32. Values: register with the count in 32 bits. */
static const char *shift_count(struct ngen *g, const char *b)
{
	const char *t = gen_t(g);
	gen(g, "cvt.u32.u64 %s, %s", t, b);
	if (g->in->mod[NM_WRAP])
		gen(g, "and.b32 %s, %s, 31", t, t);
	else
		gen(g, "min.u32 %s, %s, 32", t, t);
	return t;
}

static const char *compare(struct ngen *g, const char *a, const char *b)
{
	static const char *const name[] = {"", "lt", "eq", "le", "gt", "ne", "ge", ""};
	unsigned cmp = g->in->mod[NM_CMP] & 7;
	const char *t = gen_t(g), *q = gen_q(g);
	if (cmp == NC_F || cmp == NC_T_INT) {
		gen(g, "mov.u32 %s, %u", t, cmp == NC_T_INT);
		return t;
	}
	gen(g, "setp.%s.s64 %s, %s, %s", name[cmp], q, a, b);
	gen(g, "selp.b32 %s, 1, 0, %s", t, q);
	return t;
}

static const char *primary(struct ngen *g, unsigned op, const char *a, const char *b)
{
	const struct ninst *in = g->in;
	const char *t = gen_d(g);
	switch (op) {
	case NI_VADD:
		if (in->o[1].neg)
			gen(g, "sub.s64 %s, %s, %s", t, b, a);
		else
			gen(g, "%s.s64 %s, %s, %s", in->o[2].neg ? "sub" : "add", t, a, b);
		if (in->op == NI_VADD && in->mod[NM_PO] == PLUS_ONE)
			gen(g, "add.s64 %s, %s, 1", t, t);
		break;
	case NI_VMNMX:
		gen(g, "%s.s64 %s, %s, %s", in->mod[NM_MODE] ? "max" : "min", t, a, b);
		break;
	case NI_VABSDIFF:
		gen(g, "sub.s64 %s, %s, %s", t, a, b);
		gen(g, "abs.s64 %s, %s", t, t);
		break;
	case NI_VSET: gen(g, "cvt.u64.u32 %s, %s", t, compare(g, a, b)); break;
	case NI_VSHR: gen(g, "shr.s64 %s, %s, %s", t, a, shift_count(g, b)); break;
	case NI_VSHL: gen(g, "shl.b64 %s, %s, %s", t, a, shift_count(g, b)); break;
	default: { /* VMAD */
		static const uint8_t shift[] = {0, 7, 15, 0};
		const char *c = gen_d(g);
		bool sc = in->mod[NM_TYPES] || in->o[1].neg || in->o[3].neg;
		gen(g, "mul.lo.s64 %s, %s, %s", t, a, b);
		gen(g, "cvt.%s.%s %s, %s", sc ? "s64" : "u64", sc ? "s32" : "u32", c,
		    gen_reg32(g, gen_reg(g, in->o[3].reg)));
		if (in->o[1].neg)
			gen(g, "sub.s64 %s, %s, %s", t, c, t);
		else
			gen(g, "%s.s64 %s, %s, %s", in->o[3].neg ? "sub" : "add", t, t, c);
		if (in->mod[NM_PO] == PLUS_ONE)
			gen(g, "add.s64 %s, %s, 1", t, t);
		gen(g, "shr.s64 %s, %s, %u", t, t, shift[in->mod[NM_SH] & 3]);
	}
	}
	return t;
}

static void secondary(struct ngen *g, const char *t)
{
	const struct ninst *in = g->in;
	unsigned sec = in->op == NI_VMAD ? SEC_NONE : in->mod[NM_SEC];
	bool is_signed = in->mod[NM_UD];
	const char *d = gen_dst(g, 0), *c = in->nop > 3 ? gen_raw(g, 3) : "0",
		   *type = is_signed ? "s32" : "u32", *r = gen_t(g);
	if (in->mod[NM_SAT])
		clamp(g, t, is_signed, sec <= SEC_MRG_16L ? 16 : sec <= SEC_MRG_8B2 ? 8 : 32);
	gen(g, "cvt.u32.u64 %s, %s", r, t);
	switch (sec) {
	case SEC_ACC: gen(g, "add.u32 %s, %s, %s", d, r, c); break;
	case SEC_MIN: gen(g, "min.%s %s, %s, %s", type, d, r, c); break;
	case SEC_MAX: gen(g, "max.%s %s, %s, %s", type, d, r, c); break;
	case SEC_MRG_16H: gen(g, "bfi.b32 %s, %s, %s, 16, 16", d, r, c); break;
	case SEC_MRG_16L: gen(g, "bfi.b32 %s, %s, %s, 0, 16", d, r, c); break;
	case SEC_MRG_8B0: gen(g, "bfi.b32 %s, %s, %s, 0, 8", d, r, c); break;
	case SEC_MRG_8B2: gen(g, "bfi.b32 %s, %s, %s, 16, 8", d, r, c); break;
	default: gen(g, "mov.u32 %s, %s", d, r);
	}
	if (in->o[0].cc)
		gen(g, "add.cc.u32 %s, %s, 0", gen_t(g), d);
}

/* ---- two and four lanes ---- */

/* Lanes of operands by the code of a four-lane selector, that of lane 0 first: 0 to 3 are bytes of A, 4 to 7 of
 * B. A two-lane selector has two bits for each lane: halves 0 and 1 of A, 2 and 3 of B. */
static const char *const select_a[16] = {"0000", "1111", "2222", "3333", "0123", "1234", "2345",
					 "3456", "1023", "2103", "3120", "0213", "0321", "0132"};
static const char *const select_b[16] = {"4444", "5555", "6666", "7777", "4567", "3456",
					 "2345", "1234", "7654", "5476", "6745"};
enum { NO_LANE = 255 };

static unsigned element_of_a(const struct ninst *in, unsigned lanes, unsigned k)
{
	const char *by = select_a[in->word >> 40 & 15];
	if (lanes == 2 &&
	    in->o[2].kind == NO_IMM) /* one bit a lane: the others are the immediate's */
		return in->word >> (42 + k) & 1;
	if (lanes == 2)
		return in->word >> (40 + 2 * k) & 3;
	return by ? (unsigned)(by[k] - '0') : NO_LANE;
}

static unsigned element_of_b(const struct ninst *in, unsigned lanes, unsigned k)
{
	const char *by = select_b[in->word >> 36 & 15];
	if (lanes == 2 && in->o[2].kind == NO_IMM)
		return 2 + k;
	if (lanes == 2)
		return in->word >> (36 + 2 * k) & 3;
	return by ? (unsigned)(by[k] - '0') : NO_LANE;
}

/* Bits of a register from `at` on, extended to 64. */
static const char *bits_of(struct ngen *g, const char *reg, bool is_signed, unsigned at, unsigned w)
{
	const char *d = gen_d(g), *t = gen_t(g), *type = is_signed ? "s32" : "u32";
	gen(g, "bfe.%s %s, %s, %u, %u", type, t, gen_reg32(g, reg), at, w);
	gen(g, "cvt.%s.%s %s, %s", is_signed ? "s64" : "u64", type, d, t);
	return d;
}

/* Element e of B:A, of w bits each. An immediate is every element of B. */
static const char *element(struct ngen *g, unsigned e, bool is_signed, unsigned w)
{
	const struct ninst *in = g->in;
	unsigned n = 32 / w;
	const struct nop *o = &in->o[e < n ? 1 : 2];
	if (o->kind == NO_IMM)
		return bits_of(g, gen_text(g, "0x%x", (unsigned)o->imm), is_signed, 0, w);
	return bits_of(g, gen_reg(g, o->reg), is_signed, e % n * w, w);
}

static const struct simd {
	uint16_t op, scalar;
	uint8_t lanes;
} simd[] = {
	{NI_VADD4, NI_VADD, 4},         {NI_VMNMX4, NI_VMNMX, 4}, {NI_VABSDIFF4, NI_VABSDIFF, 4},
	{NI_VSET4, NI_VSET, 4},         {NI_VSHR4, NI_VSHR, 4},   {NI_VSHL4, NI_VSHL, 4},
	{NI_VSEL4, NI_SEL, 4},          {NI_VADD2, NI_VADD, 2},   {NI_VMNMX2, NI_VMNMX, 2},
	{NI_VABSDIFF2, NI_VABSDIFF, 2}, {NI_VSET2, NI_VSET, 2},   {NI_VSHR2, NI_VSHR, 2},
	{NI_VSHL2, NI_VSHL, 2},         {NI_VSEL2, NI_SEL, 2},
};

/* What one lane computes. */
static const char *lane_primary(struct ngen *g, unsigned op, const char *a, const char *b)
{
	const struct nop *p = &g->in->o[3];
	if (op == NI_SEL) {
		const char *t = gen_d(g), *q = p->reg == 7 ? "%pt" : gen_text(g, "%%p%u", p->reg);
		gen(g, "selp.b64 %s, %s, %s, %s", t, p->neg ? b : a, p->neg ? a : b, q);
		return t;
	}
	const char *t = primary(g, op, a, b);
	if (op == NI_VADD &&
	    g->in->mod[NM_PO] == AVERAGE) { /* rounded up, below zero down, as PTX's vavrg */
		const char *up = gen_d(g);
		gen(g, "shr.u64 %s, %s, 63", up, t);
		gen(g, "sub.s64 %s, %s, %s", t, t, up);
		gen(g, "add.s64 %s, %s, 1", t, t);
		gen(g, "shr.s64 %s, %s, 1", t, t);
	}
	return t;
}

/* The result t of lane k joins those before it in `sum`, which began as the third operand. */
static void lane_join(struct ngen *g, const char *sum, const char *t, unsigned k, unsigned w)
{
	enum { LANES_MIN = 1, LANES_MAX, SUM = 4, LEAST, GREATEST };
	const struct ninst *in = g->in;
	bool is_signed = in->mod[NM_UD];
	const char *r = gen_t(g);
	unsigned sec = in->mod[NM_SEC];
	if (sec == LANES_MIN || sec == LANES_MAX)
		gen(g, "%s.s64 %s, %s, %s", sec == LANES_MIN ? "min" : "max", t, t,
		    bits_of(g, sum, is_signed, k * w, w));
	gen(g, "cvt.u32.u64 %s, %s", r, t);
	if (sec == SUM)
		gen(g, "add.u32 %s, %s, %s", sum, sum, r);
	else if (sec == LEAST || sec == GREATEST)
		gen(g, "%s.%s %s, %s, %s", sec == LEAST ? "min" : "max", is_signed ? "s32" : "u32",
		    sum, sum, r);
	else
		gen(g, "bfi.b32 %s, %s, %s, %u, %u", sum, r, sum, k * w, w);
}

static bool gen_simd(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct simd *q = simd;
	while (q < simd + sizeof simd / sizeof *simd && q->op != in->op)
		q++;
	if (q == simd + sizeof simd / sizeof *simd)
		return false;
	unsigned w = 32u / q->lanes,
		 mask = (unsigned)((in->word >> 55 & 3) |
				   (q->lanes == 4 ? (in->word >> 34 & 3) << 2 : 0));
	bool selects = q->scalar ==
		       NI_SEL; /* a predicate stands in the third operand's place, which is zero */
	const char *sum = gen_t(g);
	gen(g, "mov.u32 %s, %s", sum, selects ? "0" : gen_raw(g, 3));
	for (unsigned k = 0; k < q->lanes; k++) {
		unsigned t0 = g->nt, d0 = g->nd, x = element_of_a(in, q->lanes, k),
			 y = element_of_b(in, q->lanes, k);
		if (!(mask >> k & 1))
			continue;
		if (x == NO_LANE || y == NO_LANE) {
			gen_refuse(g, "no selection of lanes has this code");
			return true;
		}
		const char *a = element(g, x, in->word >> 6 & 1, w),
			   *b = element(g, y, in->word >> 5 & 1, w);
		const char *t = lane_primary(g, q->scalar, a, b);
		if (in->mod[NM_SAT])
			clamp(g, t, in->mod[NM_UD], w);
		lane_join(g, sum, t, k, w);
		g->nt = t0, g->nd = d0; /* the next lane uses the same scratch */
	}
	gen(g, "mov.u32 %s, %s", gen_dst(g, 0), sum);
	if (in->o[0].cc)
		gen(g, "add.cc.u32 %s, %s, 0", gen_t(g), sum);
	return true;
}

bool gen_video(struct ngen *g)
{
	static const char *const logic_name[] = {"and", "or", "xor"};
	const struct ninst *in = g->in;
	switch (in->op) {
	case NI_VADD:
	case NI_VMNMX:
	case NI_VABSDIFF:
	case NI_VSET:
	case NI_VSHR:
	case NI_VSHL:
	case NI_VMAD:
	case NI_VSETP: break;
	default: return gen_simd(g);
	}
	unsigned i = in->op == NI_VSETP ? 2 : 1;
	const char *a = part(g, i, in->word >> 6 & 1, 44),
		   *b = part(g, i + 1, in->word >> 5 & 1, 32);
	if (in->op == NI_VSETP) {
		const char *v = compare(g, a, b), *p = gen_pred_dst(g, 0), *q = gen_pred_dst(g, 1);
		gen(g, "setp.ne.%s.u32 %s|%s, %s, 0, %s", logic_name[in->mod[NM_LOGIC] % 3], p, q,
		    v, gen_pred(g, 4));
		return true;
	}
	secondary(g, primary(g, in->op, a, b));
	return true;
}
