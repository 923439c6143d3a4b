/* Integers of up to 32 bits on sm_90. */
#include "back/sm90/sm90.h"

static bool is_narrow(unsigned type) { return type_bits(type) < 32; }

static struct mo a_of(struct sel *s, unsigned i) { return sm90_ext(s, i, s->in->type); }
static struct mo reg_of(struct sel *s, unsigned i) { return sm90_ext_reg(s, i, s->in->type); }

/* The carry of add.cc and sub.cc; a difference sets it if it borrows nothing. */
static struct mo carry_of(struct sel *s)
{
	if (s->carry == V_NONE)
		s->carry = mval_new(&s->m, 0);
	return mo_pred(s->carry);
}

/* A saturating sum: it overflows if both operands have a sign different from the sum's. */
void sm90_saturating(struct sel *s, struct mo d, struct mo a, struct mo b, bool sub)
{
	uint32_t sum = sel_temp(s, 1), over = sel_temp(s, 1), top = sel_temp(s, 1),
		 p = sel_temp(s, 0);
	b = sm90_force(s, b);
	OP(s, "IADD3", 1, mo_reg(sum), a, sub ? mo_neg(b) : b, ZERO);
	/* (a ^ sum) & ~(a ^ b), of a difference (a ^ sum) & (a ^ b): by a, b, sum */
	sm90_lut(s, mo_reg(over), a, b, mo_reg(sum),
		 sub ? (LUT_A ^ LUT_C) & (LUT_A ^ LUT_B)
		     : (LUT_A ^ LUT_C) & ~(LUT_A ^ LUT_B) & 0xff);
	OP(s, "SHF.R.S32.HI", 1, mo_reg(top), ZERO, mo_imm(31), a);
	sm90_lut(s, mo_reg(top), mo_reg(top), mo_imm(0x7fffffff), ZERO, LUT_XOR);
	OP(s, "ISETP.LT.AND", 2, mo_pred(p), PT, mo_reg(over), ZERO, PT);
	OP(s, "SEL", 1, d, mo_reg(top), mo_reg(sum), mo_pred(p));
}

/* d = a + b or a - b, with the carries that the instruction reads and sets. */
void sm90_add(struct sel *s)
{
	const struct inst *in = s->in;
	bool sub = sel_subtracts(s), carry = in->op == OP_ADDC || in->op == OP_SUBC,
	     cc = in->mods & M_CC;
	struct mo d = mo_reg(sel_dst(s, 0)), a, b;
	if (sub || in->mods & M_SAT) {
		a = sm90_src(s, 0, 0);
		b = sm90_src(s, 1, 0);
	} else {
		sm90_two(s, 0, &a, &b);
	}
	if (in->mods & M_SAT) {
		sm90_saturating(s, d, sm90_force(s, a), b, sub);
		return;
	}
	a = sm90_force(s, a);
	if (sub && b.kind == MO_IMM && !cc && !carry)
		b = sm90_word(0u - (uint32_t)b.imm);
	else if (sub)
		b = sm90_force(s, b);
	if (sub && b.kind != MO_IMM && (b.kind == MO_REG || cc || carry)) {
		b.neg = !carry;
		b.inv = carry;
	}
	if (carry && cc)
		OP(s, "IADD3.X", 2, d, carry_of(s), a, b, ZERO, carry_of(s), PF);
	else if (carry)
		OP(s, "IADD3.X", 1, d, a, b, ZERO, carry_of(s), PF);
	else if (cc)
		OP(s, "IADD3", 2, d, carry_of(s), a, b, ZERO);
	else
		OP(s, "IADD3", 1, d, a, b, ZERO);
}

static const char *wide_name(bool sg) { return sg ? "IMAD.WIDE" : "IMAD.WIDE.U32"; }

/* The product of two words in a pair. */
static uint32_t put_wide_product(struct sel *s, struct mo a, struct mo b, bool sg)
{
	uint32_t t = sel_temp(s, 2);
	OP(s, wide_name(sg), 1, mo_wide(t), sm90_force(s, a), b, ZERO);
	return t;
}

void sm90_mul(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type);
	struct mo d = mo_reg(sel_dst(s, 0)), a = a_of(s, 0), b = a_of(s, 1);
	if (a.kind != MO_REG && b.kind == MO_REG) {
		struct mo t = a;
		a = b;
		b = t;
	}
	a = sm90_force(s, a);
	if (in->mode == MUL_WIDE && !is_narrow(in->type)) {
		sel_move(s, sel_dst(s, 0), put_wide_product(s, a, b, sg));
	} else if (in->mode == MUL_HI && is_narrow(in->type)) {
		uint32_t t = sel_temp(s, 1);
		OP(s, "IMAD", 1, mo_reg(t), a, b, ZERO);
		OP(s, sg ? "SHF.R.S32.HI" : "SHF.R.U32.HI", 1, d, ZERO, mo_imm(16), mo_reg(t));
	} else if (in->mode == MUL_HI) {
		OP(s, sg ? "IMAD.HI" : "IMAD.HI.U32", 1, d, a, b, ZERO);
	} else {
		OP(s, "IMAD", 1, d, a, b, ZERO);
	}
}

/* A product that is added to c word by word with carries (.cc, madc). */
static void mad_with_carries(struct sel *s, struct mo d)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type), hi = in->mode == MUL_HI, x = in->op == OP_MADC
	, cc = in->mods & M_CC;
	uint32_t t = put_wide_product(s, sm90_src(s, 0, 0), sm90_src(s, 1, 0), sg);
	struct mo w = mo_word(t, hi), c = sm90_src(s, 2, 0);
	if (x && cc)
		OP(s, "IADD3.X", 2, d, carry_of(s), w, c, ZERO, carry_of(s), PF);
	else if (x)
		OP(s, "IADD3.X", 1, d, w, c, ZERO, carry_of(s), PF);
	else
		OP(s, "IADD3", 2, d, carry_of(s), w, c, ZERO);
}

void sm90_mad(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type), narrow = is_narrow(in->type);
	struct mo d = mo_reg(sel_dst(s, 0));
	if (in->mods & M_SAT) {
		sel_refuse(s, "");
		return;
	}
	if (in->op == OP_MADC || in->mods & M_CC) {
		mad_with_carries(s, d);
		return;
	}
	struct mo a = a_of(s, 0), b = a_of(s, 1);
	if (a.kind != MO_REG && b.kind == MO_REG) {
		struct mo t = a;
		a = b;
		b = t;
	}
	a = sm90_force(s, a);
	if (in->mode == MUL_WIDE && !narrow) {
		uint32_t t = sel_temp(s, 2);
		OP(s, wide_name(sg), 1, mo_wide(t), a, b, sm90_pair(s, 2));
		sel_move(s, sel_dst(s, 0), t);
	} else if (in->mode == MUL_HI) {
		uint32_t t = sel_temp(s, 1);
		if (narrow) {
			OP(s, "IMAD", 1, mo_reg(t), a, b, ZERO);
			OP(s, sg ? "SHF.R.S32.HI" : "SHF.R.U32.HI", 1, mo_reg(t), ZERO, mo_imm(16),
			   mo_reg(t));
		} else {
			OP(s, sg ? "IMAD.HI" : "IMAD.HI.U32", 1, mo_reg(t), a, b, ZERO);
		}
		OP(s, "IADD3", 1, d, mo_reg(t), sm90_src(s, 2, 0), ZERO);
	} else {
		OP(s, "IMAD", 1, d, a, b,
		   b.kind == MO_REG || b.kind == MO_ZERO ? sm90_src(s, 2, 0) : sm90_reg(s, 2, 0));
	}
}

static struct mo low24_source(struct sel *s, unsigned i)
{
	uint32_t t = sel_temp(s, 1);
	bool sg = type_is_signed(s->in->type);
	OP(s, sg ? "SGXT" : "SGXT.U32", 1, mo_reg(t), sm90_reg(s, i, 0), mo_imm(24));
	return mo_reg(t);
}

void sm90_mul24(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type), mad = in->op == OP_MAD24;
	struct mo a = low24_source(s, 0), b = low24_source(s, 1), d = mo_reg(sel_dst(s, 0)), t;
	if (in->mods & M_SAT) {
		sel_refuse(s, "");
		return;
	}
	if (in->mode == MUL_HI) { /* bits 47 to 16 */
		uint32_t p = put_wide_product(s, a, b, sg);
		t = mo_reg(sel_temp(s, 1));
		OP(s, "SHF.R.U64", 1, t, mo_word(p, 0), mo_imm(16), mo_word(p, 1));
	} else {
		t = mo_reg(sel_temp(s, 1));
		OP(s, "IMAD", 1, t, a, b, ZERO);
	}
	if (mad)
		OP(s, "IADD3", 1, d, t, sm90_src(s, 2, 0), ZERO);
	else
		sm90_mov(s, d, t);
}

void sm90_minmax(struct sel *s)
{
	const struct inst *in = s->in;
	bool relu = in->mods & M_RELU, sg = type_is_signed(in->type);
	struct mo a = a_of(s, 0), b = a_of(s, 1), p = in->op == OP_MIN ? PT : PF;
	if (a.kind != MO_REG) {
		struct mo t = a;
		a = b;
		b = t;
	}
	OP(s,
	   relu ? "VIMNMX.RELU"
	   : sg ? "VIMNMX"
		: "VIMNMX.U32",
	   1, mo_reg(sel_dst(s, 0)), sm90_force(s, a), b, p);
}

void sm90_shift(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0)), n = sm90_src(s, 1, 0);
	if (n.kind == MO_IMM && (uint32_t)n.imm > 32)
		n.imm = 32;
	if (in->op == OP_SHL)
		OP(s, "SHF.L.U32", 1, d, sm90_reg(s, 0, 0), n, ZERO);
	else
		OP(s, type_is_signed(in->type) ? "SHF.R.S32.HI" : "SHF.R.U32.HI", 1, d, ZERO, n,
		   reg_of(s, 0));
}

/* shf: n = c mod 32 or at most 32. */
void sm90_funnel(struct sel *s)
{
	static const char *const name[] = {[SHF_L_CLAMP] = "SHF.L.U64.HI",
					   [SHF_L_WRAP] = "SHF.L.W.U32.HI",
					   [SHF_R_CLAMP] = "SHF.R.U64",
					   [SHF_R_WRAP] = "SHF.R.W.U32"};
	unsigned mode = s->in->mode;
	bool clamp = mode == SHF_L_CLAMP || mode == SHF_R_CLAMP;
	struct mo lo = sm90_reg(s, 0, 0), hi = sm90_reg(s, 1, 0), n = sm90_src(s, 2, 0);
	if (clamp && n.kind == MO_IMM) {
		n.imm = (uint32_t)n.imm > 32 ? 32 : n.imm;
	} else if (clamp) {
		uint32_t t = sel_temp(s, 1);
		OP(s, "VIMNMX.U32", 1, mo_reg(t), sm90_force(s, n), mo_imm(32), PT);
		n = mo_reg(t);
	}
	OP(s, name[mode], 1, mo_reg(sel_dst(s, 0)), lo, n, hi);
}

void sm90_popc(struct sel *s) { OP(s, "POPC", 1, mo_reg(sel_dst(s, 0)), sm90_reg(s, 0, 0)); }
void sm90_brev(struct sel *s) { OP(s, "BREV", 1, mo_reg(sel_dst(s, 0)), sm90_reg(s, 0, 0)); }

void sm90_clz(struct sel *s)
{
	uint32_t t = sel_temp(s, 1);
	OP(s, "FLO.U32", 1, mo_reg(t), sm90_reg(s, 0, 0));
	OP(s, "IADD3", 1, mo_reg(sel_dst(s, 0)), mo_neg(mo_reg(t)), mo_imm(31), ZERO);
}

void sm90_bfind(struct sel *s)
{
	static const char *const name[2][2] = {{"FLO.U32", "FLO"}, {"FLO.U32.SH", "FLO.SH"}};
	bool sg = type_is_signed(s->in->type), amount = s->in->mods & M_SHIFTAMT;
	OP(s, name[amount][sg], 1, mo_reg(sel_dst(s, 0)), sm90_reg(s, 0, 0));
}

/* The lower eight bits of a position or a length. */
static struct mo byte_of(struct sel *s, unsigned i)
{
	int64_t v;
	if (sel_is_imm(s, i, &v))
		return sm90_word((uint32_t)v & 255);
	uint32_t t = sel_temp(s, 1);
	sm90_lut(s, mo_reg(t), sm90_reg(s, i, 0), mo_imm(255), ZERO, LUT_AND);
	return mo_reg(t);
}

/* Shifts the field down to bit 0, then fills the upper bits with 0 or the sign. A signed field that
 * ends beyond bit 31 has the sign bit that the shift brings in. */
void sm90_bfe(struct sel *s)
{
	bool sg = type_is_signed(s->in->type);
	uint32_t t = sel_temp(s, 1);
	struct mo at = byte_of(s, 1), n = byte_of(s, 2);
	OP(s, sg ? "SHF.R.S32.HI" : "SHF.R.U32.HI", 1, mo_reg(t), ZERO, at, sm90_reg(s, 0, 0));
	OP(s, sg ? "SGXT" : "SGXT.U32", 1, mo_reg(sel_dst(s, 0)), mo_reg(t),
	   n.kind == MO_ZERO ? sm90_force(s, n) : n);
}

/* Inserts the lowest d bits of a at bit c of b. */
void sm90_bfi(struct sel *s)
{
	uint32_t mask = sel_temp(s, 1), t = sel_temp(s, 1);
	struct mo at = byte_of(s, 2), n = byte_of(s, 3), a = sm90_reg(s, 0, 0),
		  b = sm90_reg(s, 1, 0);
	OP(s, "BMSK", 1, mo_reg(mask), sm90_force(s, at), n);
	OP(s, "SHF.L.U32", 1, mo_reg(t), a, at, ZERO);
	sm90_lut(s, mo_reg(sel_dst(s, 0)), mo_reg(mask), mo_reg(t), b, 0xca);
}

void sm90_bmsk(struct sel *s)
{
	bool wrap = s->in->mode == WM_WRAP;
	OP(s, wrap ? "BMSK.W" : "BMSK", 1, mo_reg(sel_dst(s, 0)), sm90_reg(s, 0, 0),
	   sm90_src(s, 1, 0));
}

void sm90_szext(struct sel *s)
{
	static const char *const name[2][2] = {{"SGXT.U32", "SGXT"}, {"SGXT.W.U32", "SGXT.W"}};
	bool sg = s->in->type == T_S32, wrap = s->in->mode == WM_WRAP;
	OP(s, name[wrap][sg], 1, mo_reg(sel_dst(s, 0)), sm90_reg(s, 0, 0), sm90_src(s, 1, 0));
}

void sm90_prmt(struct sel *s)
{
	static const char *const name[] = {"PRMT",     "PRMT.F4E", "PRMT.B4E", "PRMT.RC8",
					   "PRMT.ECL", "PRMT.ECR", "PRMT.RC16"};
	struct mo a = sm90_reg(s, 0, 0), b = sm90_reg(s, 1, 0);
	OP(s, name[s->in->mode % 7], 1, mo_reg(sel_dst(s, 0)), a, sm90_src(s, 2, 0), b);
}

/* ISETP of sources 0 and 1. */
static void put_comparison(struct sel *s, struct mo p, struct mo q, struct mo with)
{
	static const char *const bop[] = {"AND", "AND", "OR", "XOR"};
	const struct inst *in = s->in;
	unsigned t = in->stype;
	bool sg = type_is_signed(t) && in->cmp != CMP_LO && in->cmp != CMP_LS &&
		  in->cmp != CMP_HI && in->cmp != CMP_HS;
	bool equal = in->cmp == CMP_EQ || in->cmp == CMP_NE;
	unsigned ext = type_bits(t) < 32 ? t : T_U32;
	struct mo a = sm90_ext_reg(s, 0, ext), b = sm90_ext(s, 1, ext);
	OP(s,
	   sel_text(s, "ISETP.%s%s.%s", sel_cmp(s, in->cmp, false), sg || equal ? "" : ".U32",
		    bop[in->bop & 3]),
	   2, p, q, a, b, with);
}

void sm90_set(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo with = in->bop != BOP_NONE ? sel_predicate(s, 2) : PT;
	if (in->op == OP_SETP) {
		put_comparison(s, mo_pred(sel_dst(s, 0)), in->nd > 1 ? mo_pred(sel_dst(s, 1)) : PT,
			       with);
		return;
	}
	uint32_t p = sel_temp(s, 0);
	put_comparison(s, mo_pred(p), PT, with);
	OP(s, "SEL", 1, mo_reg(sel_dst(s, 0)), ZERO, sm90_word(sel_truth(in->type)), mo_not(p));
}

void sm90_abs(struct sel *s) { OP(s, "IABS", 1, mo_reg(sel_dst(s, 0)), reg_of(s, 0)); }

void sm90_neg(struct sel *s)
{
	OP(s, "IADD3", 1, mo_reg(sel_dst(s, 0)), mo_neg(sm90_reg(s, 0, 0)), ZERO, ZERO);
}

void sm90_sad(struct sel *s)
{
	struct mo a = reg_of(s, 0), b = reg_of(s, 1), c = sm90_reg(s, 2, 0);
	OP(s, type_is_signed(s->in->type) ? "VABSDIFF" : "VABSDIFF.U32", 1, mo_reg(sel_dst(s, 0)),
	   a, b, c);
}

void sm90_cnot(struct sel *s)
{
	uint32_t p = sel_temp(s, 0);
	struct mo a = sm90_ext_reg(s, 0, type_bits(s->in->type) < 32 ? T_U16 : T_U32);
	OP(s, "ISETP.EQ.AND", 2, mo_pred(p), PT, a, ZERO, PT);
	OP(s, "SEL", 1, mo_reg(sel_dst(s, 0)), ZERO, mo_imm(1), mo_not(p));
}

/* dp4a, dp2a */
void sm90_dot(struct sel *s)
{
	const struct inst *in = s->in;
	const char *mode = in->op == OP_DP4A ? "4A" : in->mode == MUL_HI ? "2A.HI" : "2A.LO";
	const char *a = in->atype == T_S32 ? "S" : "U", *b = in->btype == T_S32 ? "S" : "U";
	struct mo x = sm90_reg(s, 0, 0), y = sm90_reg(s, 1, 0), z = sm90_reg(s, 2, 0);
	OP(s, sel_text(s, "IDP.%s.%s%s.%s8", mode, a, in->op == OP_DP4A ? "8" : "16", b), 1,
	   mo_reg(sel_dst(s, 0)), x, y, z);
}
