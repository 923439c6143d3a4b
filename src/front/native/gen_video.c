/* Fermi's video instructions: both operands are parts of registers, extended to 64 bits, so that the primary
 * result is exact; then saturation, then the secondary operation. Those of two and four lanes do so for each
 * lane of their mask; lanes outside it are those of the third operand. */
#include "front/native/gen.h"

enum { SEC_MRG_16H, SEC_MRG_16L, SEC_MRG_8B0, SEC_MRG_8B2, SEC_ACC, SEC_MIN, SEC_MAX, SEC_NONE };

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
	unsigned sel = (unsigned)(in->word >> sel_bit & 7), pos = sel < 4 ? sel * 8 : sel == 5 ? 16 : 0;
	gen(g, "bfe.%s %s, %s, %u, %u", type, t, gen_reg32(g, gen_reg(g, o->reg)), pos, sel < 4 ? 8u : sel < 6 ? 16u : 32u);
	gen(g, "cvt.%s.%s %s, %s", is_signed ? "s64" : "u64", type, d, t);
	return d;
}

static void clamp(struct ngen *g, const char *d, bool is_signed, unsigned bits)
{
	int64_t lo = is_signed ? -(1ll << (bits - 1)) : 0, hi = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
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
	case OP_VADD:
		if (in->o[1].neg)
			gen(g, "sub.s64 %s, %s, %s", t, b, a);
		else
			gen(g, "%s.s64 %s, %s, %s", in->o[2].neg ? "sub" : "add", t, a, b);
		if (in->mod[NM_PO] == 3)
			gen(g, "add.s64 %s, %s, 1", t, t);
		break;
	case OP_VMNMX: gen(g, "%s.s64 %s, %s, %s", in->mod[NM_MODE] ? "max" : "min", t, a, b); break;
	case OP_VABSDIFF:
		gen(g, "sub.s64 %s, %s, %s", t, a, b);
		gen(g, "abs.s64 %s, %s", t, t);
		break;
	case OP_VSET: gen(g, "cvt.u64.u32 %s, %s", t, compare(g, a, b)); break;
	case OP_VSHR: gen(g, "shr.s64 %s, %s, %s", t, a, shift_count(g, b)); break;
	case OP_VSHL: gen(g, "shl.b64 %s, %s, %s", t, a, shift_count(g, b)); break;
	default: { /* VMAD */
		static const uint8_t shift[] = {0, 7, 15, 0};
		const char *c = gen_d(g);
		bool sc = in->mod[NM_TYPES] || in->o[1].neg || in->o[3].neg;
		gen(g, "mul.lo.s64 %s, %s, %s", t, a, b);
		gen(g, "cvt.%s.%s %s, %s", sc ? "s64" : "u64", sc ? "s32" : "u32", c, gen_reg32(g, gen_reg(g, in->o[3].reg)));
		if (in->o[1].neg)
			gen(g, "sub.s64 %s, %s, %s", t, c, t);
		else
			gen(g, "%s.s64 %s, %s, %s", in->o[3].neg ? "sub" : "add", t, t, c);
		if (in->mod[NM_PO] == 3)
			gen(g, "add.s64 %s, %s, 1", t, t);
		gen(g, "shr.s64 %s, %s, %u", t, t, shift[in->mod[NM_SH] & 3]);
	}
	}
	return t;
}

static void secondary(struct ngen *g, const char *t)
{
	const struct ninst *in = g->in;
	unsigned sec = in->op == OP_VMAD ? SEC_NONE : in->mod[NM_SEC];
	bool is_signed = in->mod[NM_UD];
	const char *d = gen_dst(g, 0), *c = in->nop > 3 ? gen_raw(g, 3) : "0", *type = is_signed ? "s32" : "u32", *r = gen_t(g);
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

/* Lane k of w bits of a register. */
static const char *lane(struct ngen *g, unsigned reg, bool is_signed, unsigned k, unsigned w)
{
	const char *d = gen_d(g), *t = gen_t(g), *type = is_signed ? "s32" : "u32";
	gen(g, "bfe.%s %s, %s, %u, %u", type, t, gen_reg32(g, gen_reg(g, reg)), k * w, w);
	gen(g, "cvt.%s.%s %s, %s", is_signed ? "s64" : "u64", type, d, t);
	return d;
}

static const struct { uint16_t op, scalar; uint8_t lanes; } simd[] = {
	{OP_VADD4, OP_VADD, 4}, {OP_VMNMX4, OP_VMNMX, 4}, {OP_VABSDIFF4, OP_VABSDIFF, 4}, {OP_VSET4, OP_VSET, 4},
	{OP_VSHR4, OP_VSHR, 4}, {OP_VSHL4, OP_VSHL, 4}, {OP_VADD2, OP_VADD, 2}, {OP_VMNMX2, OP_VMNMX, 2},
	{OP_VABSDIFF2, OP_VABSDIFF, 2}, {OP_VSET2, OP_VSET, 2}, {OP_VSHR2, OP_VSHR, 2}, {OP_VSHL2, OP_VSHL, 2},
};

/* What the sources leave open is refused: lanes that change places, averages, immediates, other secondary
 * operations than the sum of the lanes. */
static bool gen_simd(struct ngen *g)
{
	const struct ninst *in = g->in;
	size_t i = 0;
	while (i < sizeof simd / sizeof *simd && simd[i].op != in->op)
		i++;
	if (i == sizeof simd / sizeof *simd)
		return false;
	enum { SIMD_NONE, SIMD_ACC = 4, IDENTITY = 4 };
	unsigned w = 32u / simd[i].lanes, sec = in->mod[NM_SEC];
	unsigned mask = (unsigned)((in->word >> 55 & 3) | (simd[i].lanes == 4 ? (in->word >> 34 & 3) << 2 : 0));
	if ((in->word >> 40 & 15) != IDENTITY || (in->word >> 36 & 15) != IDENTITY || in->o[2].kind != NO_REG || in->mod[NM_PO] == 3 ||
	    (sec != SIMD_NONE && sec != SIMD_ACC)) {
		gen_refuse(g, "this form of it");
		return true;
	}
	const char *sum = gen_t(g);
	gen(g, "mov.u32 %s, %s", sum, gen_raw(g, 3));
	for (unsigned k = 0; k < simd[i].lanes; k++) {
		unsigned t0 = g->nt, d0 = g->nd;
		if (!(mask >> k & 1))
			continue;
		const char *a = lane(g, in->o[1].reg, in->word >> 6 & 1, k, w), *b = lane(g, in->o[2].reg, in->word >> 5 & 1, k, w);
		const char *t = primary(g, simd[i].scalar, a, b), *r = gen_t(g);
		if (in->mod[NM_SAT])
			clamp(g, t, in->mod[NM_UD], w);
		gen(g, "cvt.u32.u64 %s, %s", r, t);
		if (sec == SIMD_ACC)
			gen(g, "add.u32 %s, %s, %s", sum, sum, r);
		else
			gen(g, "bfi.b32 %s, %s, %s, %u, %u", sum, r, sum, k * w, w);
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
	case OP_VADD: case OP_VMNMX: case OP_VABSDIFF: case OP_VSET: case OP_VSHR: case OP_VSHL: case OP_VMAD: case OP_VSETP: break;
	default: return gen_simd(g);
	}
	unsigned i = in->op == OP_VSETP ? 2 : 1;
	const char *a = part(g, i, in->word >> 6 & 1, 44), *b = part(g, i + 1, in->word >> 5 & 1, 32);
	if (in->op == OP_VSETP) {
		const char *v = compare(g, a, b), *p = gen_pred_dst(g, 0), *q = gen_pred_dst(g, 1);
		gen(g, "setp.ne.%s.u32 %s|%s, %s, 0, %s", logic_name[in->mod[NM_LOGIC] % 3], p, q, v, gen_pred(g, 4));
		return true;
	}
	secondary(g, primary(g, in->op, a, b));
	return true;
}
