/* Integers of up to 32 bits on sm_13, except products (mul.c). */
#include <string.h>
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

static struct mo extended_source(struct sel *s, unsigned i) { return t_ext(s, i, s->in->type); }

void tesla_add(struct sel *s)
{
	bool sub = sel_subtracts(s);
	const struct inst *in = s->in;
	bool carry = in->op == OP_ADDC || in->op == OP_SUBC, cc = in->mods & M_CC;
	struct mo d = mo_reg(sel_dst(s, 0));
	int64_t k;
	if (!carry && !cc && !(in->mods & M_SAT) && sel_is_imm(s, 1, &k)) {
		t_addi(s, d, t_reg(s, 0, 0), sub ? 0u - (uint32_t)k : (uint32_t)k);
		return;
	}
	if (!carry && !cc && !sub && !(in->mods & M_SAT) && sel_is_imm(s, 0, &k)) {
		t_addi(s, d, t_reg(s, 1, 0), (uint32_t)k);
		return;
	}
	struct mo a = t_reg(s, 0, 0), b = carry && sub ? t_reg(s, 1, 0) : sel_src(s, 1, 0);
	if (sub && carry) { /* there is no difference with carry: the complement is added */
		uint32_t t = sel_temp(s, 1);
		T(s, "LOP.PASS_B", 1, mo_reg(t), mo_zero(), t_inv(b));
		b = mo_reg(t);
	} else if (sub) {
		b = mo_neg(b);
	}
	const char *name = carry ? "IADD.CARRY@" : in->mods & M_SAT ? "IADD.SAT" : "IADD";
	struct mo flag = cc ? t_flag(s->carry) : (struct mo){0};
	if (carry)
		T(s, name, 2, d, flag, a, b, t_flag(s->carry));
	else
		T(s, name, 2, d, flag, a, b);
}

void tesla_minmax(struct sel *s)
{
	const struct inst *in = s->in;
	const char *name = in->op == OP_MIN ? "IMIN" : "IMAX";
	struct mo a = extended_source(s, 0), b = extended_source(s, 1);
	struct mo d = mo_reg(sel_dst(s, 0)), t = in->mods & M_RELU ? mo_reg(sel_temp(s, 1)) : d;
	T(s, type_is_signed(in->type) ? sel_text(s, "%s.S32", name) : name, 1, t, a, b);
	if (in->mods & M_RELU) /* and at least 0 */
		T(s, "IMAX.S32", 1, d, t, t_lit(s, 0));
}

void tesla_shift(struct sel *s)
{
	const struct inst *in = s->in;
	bool left = in->op == OP_SHL;
	const char *name = left ? "SHL" : type_is_signed(in->type) ? "SHR.S32" : "SHR";
	struct mo d = mo_reg(sel_dst(s, 0)), a = left ? t_reg(s, 0, 0) : extended_source(s, 0);
	int64_t n;
	if (sel_is_imm(s, 1, &n))
		t_shift(s, name, d, a, (uint32_t)n > 32 ? 32 : (unsigned)n);
	else
		T(s, name, 1, d, a, sel_src(s, 1, 0));
}

void tesla_funnel(struct sel *s)
{
	const struct inst *in = s->in;
	bool left = in->mode == SHF_L_CLAMP || in->mode == SHF_L_WRAP,
	     wrap = in->mode == SHF_L_WRAP || in->mode == SHF_R_WRAP;
	uint32_t n = sel_temp(s, 1), m = sel_temp(s, 1), x = sel_temp(s, 1), y = sel_temp(s, 1);
	struct mo lo = t_reg(s, 0, 0), hi = t_reg(s, 1, 0), c = t_reg(s, 2, 0);
	if (wrap)
		t_logi(s, "AND", mo_reg(n), c, 31);
	else
		T(s, "IMIN", 1, mo_reg(n), c, t_lit(s, 32));
	T(s, "IADD", 1, mo_reg(m), mo_neg(mo_reg(n)), t_lit(s, 32));
	T(s, "SHL", 1, mo_reg(x), hi, left ? mo_reg(n) : mo_reg(m));
	T(s, "SHR", 1, mo_reg(y), lo, left ? mo_reg(m) : mo_reg(n));
	T(s, "LOP.OR", 1, mo_reg(sel_dst(s, 0)), mo_reg(x), mo_reg(y));
}

static const char *compare_name(struct sel *s)
{
	static const char *const name[] = {
		[CMP_EQ] = "EQ", [CMP_NE] = "NE", [CMP_LT] = "LT", [CMP_LE] = "LE",
		[CMP_GT] = "GT", [CMP_GE] = "GE", [CMP_LO] = "LT", [CMP_LS] = "LE",
		[CMP_HI] = "GT", [CMP_HS] = "GE"};
	if (s->in->cmp == CMP_NONE || s->in->cmp > CMP_HS) {
		sel_refuse(s, "this comparison");
		return "EQ";
	}
	return name[s->in->cmp];
}

void tesla_set(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned t = in->stype;
	bool sg = type_is_signed(t) && in->cmp < CMP_LO;
	struct tpred c = t_pred_for(s);
	struct mo a = t_ext(s, 0, t), b = type_bits(t) < 32 ? t_ext(s, 1, t) : sel_src(s, 1, 0);
	T(s, sg ? "ISET.S32" : "ISET", 2, mo_reg(c.word), t_flag(c.flag), a, b,
	  mo_text(compare_name(s)));
	if (in->op == OP_SETP)
		t_pred_put(s, c);
	else
		t_set_from(s, c);
}

/* A bit field at a known place. */
void tesla_field(struct sel *s)
{
	const struct inst *in = s->in;
	int64_t p, n;
	bool insert = in->op == OP_BFI;
	if (!sel_is_imm(s, 1 + insert, &p) || !sel_is_imm(s, 2 + insert, &n)) {
		sel_refuse(s, "");
		return;
	}
	unsigned at = (unsigned)p & 255, len = (unsigned)n & 255;
	struct mo d = mo_reg(sel_dst(s, 0)), a = t_reg(s, 0, 0);
	uint32_t t = sel_temp(s, 1), u = sel_temp(s, 1);
	if (insert) {
		uint64_t ones = len >= 32 ? 0xffffffffu : (1u << len) - 1;
		uint32_t mask = at >= 32 ? 0 : (uint32_t)(ones << at);
		t_shift(s, "SHL", mo_reg(t), a, at);
		t_logi(s, "AND", mo_reg(t), mo_reg(t), mask);
		t_logi(s, "AND", mo_reg(u), t_reg(s, 1, 0), ~mask);
		T(s, "LOP.OR", 1, d, mo_reg(t), mo_reg(u));
		return;
	}
	const char *right = type_is_signed(in->type) ? "SHR.S32" : "SHR";
	if (!len) {
		t_set(s, d, 0);
	} else if (at + len >= 32) {
		t_shift(s, right, d, a, at);
	} else {
		t_shift(s, "SHL", mo_reg(t), a, 32 - at - len);
		t_shift(s, right, d, mo_reg(t), 32 - len);
	}
}

void tesla_abs(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0));
	uint32_t t = sel_temp(s, 1);
	struct mo a = extended_source(s, 0);
	T(s, "IADD", 1, mo_reg(t), mo_neg(a), mo_zero());
	T(s, "IMAX.S32", 1, d, a, mo_reg(t));
}

void tesla_neg(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0));
	T(s, "IADD", 1, d, mo_neg(t_reg(s, 0, 0)), mo_zero());
}

void tesla_sad(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0)), a = extended_source(s, 0), b = extended_source(s, 1);
	T(s, type_is_signed(s->in->type) ? "ISAD.S32" : "ISAD.U32", 1, d, a, b, sel_src(s, 2, 0));
}

void tesla_cnot(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0));
	uint32_t t = sel_temp(s, 1);
	struct mo a = t_ext(s, 0, type_bits(s->in->type) < 32 ? T_U16 : T_U32);
	T(s, "ISET", 1, mo_reg(t), a, mo_zero(), mo_text("EQ"));
	t_logi(s, "AND", d, mo_reg(t), 1);
}
