/* Bitwise operations, selections, moves and predicates on sm_90, of any width. */
#include "back/sm90/sm90.h"

void sm90_predicate_logic(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_pred(sel_dst(s, 0)), a = sel_predicate(s, 0), b = PT;
	unsigned table = LUT_A;
	if (in->op == OP_NOT) {
		a.neg = !a.neg;
	} else if (in->op != OP_MOV) {
		b = sel_predicate(s, 1);
		table = in->op == OP_AND ? LUT_AND : in->op == OP_OR ? LUT_OR : LUT_XOR;
	}
	OP(s, "PLOP3.LUT", 2, d, PT, a, b, PT, mo_imm(table), mo_imm(0));
}

void sm90_logic(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t d = sel_dst(s, 0);
	for (unsigned w = 0; w < n; w++) {
		struct mo a, b = ZERO;
		if (in->op == OP_NOT)
			a = sm90_reg(s, 0, w);
		else
			sm90_two(s, w, &a, &b);
		sm90_lut(s, mo_word(d, w), a, b, ZERO,
			 in->op == OP_NOT   ? 0x0f
			 : in->op == OP_AND ? LUT_AND
			 : in->op == OP_OR  ? LUT_OR
					    : LUT_XOR)
			->fresh = !w;
	}
}

/* lop3; its predicate form also combines "the result is not 0" with d. */
void sm90_lop3(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo a = sm90_reg(s, 0, 0), b = sm90_src(s, 1, 0), c = sm90_reg(s, 2, 0),
		  t = mo_imm((int64_t)in->imm & 255);
	struct mo r = in->nd && inst_dst(in, 0)->kind != OPND_SINK ? mo_reg(sel_dst(s, 0)) : ZERO;
	if (in->nd < 2) {
		OP(s, "LOP3.LUT", 1, mo_reg(sel_dst(s, 0)), a, b, c, t, PF);
		return;
	}
	struct mo q = sel_predicate(s, 3);
	if (in->bop == BOP_AND)
		OP(s, "LOP3.LUT.PAND", 2, mo_pred(sel_dst(s, 1)), r, a, b, c, t, q);
	else
		OP(s, "LOP3.LUT", 2, mo_pred(sel_dst(s, 1)), r, a, b, c, t, q);
}

void sm90_selp(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t d = sel_dst(s, 0);
	struct mo p = sel_predicate(s, 2);
	for (unsigned w = 0; w < n; w++)
		OP(s, "SEL", 1, mo_word(d, w), sm90_reg(s, 0, w), sm90_src(s, 1, w), p)->fresh = !w;
}

/* c >= 0 ? a : b; with a float c, -0 is not below 0, and a NaN is. */
void sm90_slct(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t p = sel_temp(s, 0), d = sel_dst(s, 0);
	struct mo c = sm90_reg(s, 2, 0);
	if (in->stype == T_F32)
		OP(s, in->mods & M_FTZ ? "FSETP.GE.FTZ.AND" : "FSETP.GE.AND", 2, mo_pred(p), PT, c,
		   ZERO, PT);
	else
		OP(s, "ISETP.GE.AND", 2, mo_pred(p), PT, c, ZERO, PT);
	for (unsigned w = 0; w < n; w++)
		OP(s, "SEL", 1, mo_word(d, w), sm90_reg(s, 0, w), sm90_src(s, 1, w), mo_pred(p))
			->fresh = !w;
}

void sm90_pack(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned bits = type_bits(in->type), part = bits / in->ns, words = bits > 32 ? 2 : 1;
	uint32_t t = sel_temp(s, words);
	if (part == 32) {
		for (unsigned w = 0; w < 2; w++)
			sm90_mov(s, mo_word(t, w), sm90_src(s, w, 0))->fresh = !w;
	} else if (part == 16) {
		for (unsigned w = 0; w < words; w++)
			OP(s, "PRMT", 1, mo_word(t, w), sm90_reg(s, 2 * w, 0), mo_imm(0x5410),
			   sm90_reg(s, 2 * w + 1, 0))
				->fresh = !w;
	} else if (part == 8) {
		for (unsigned w = 0; w < (bits + 31) / 32; w++) {
			struct mo x[2];
			unsigned pairs = bits < 32 ? 1 : 2;
			for (unsigned i = 0; i < pairs; i++) {
				x[i] = mo_reg(sel_temp(s, 1));
				OP(s, "PRMT", 1, x[i], sm90_reg(s, 4 * w + 2 * i, 0), mo_imm(0x40),
				   sm90_reg(s, 4 * w + 2 * i + 1, 0));
			}
			if (pairs == 2)
				OP(s, "PRMT", 1, mo_word(t, w), x[0], mo_imm(0x5410), x[1])->fresh =
					!w;
			else
				sm90_mov(s, mo_word(t, w), x[0]);
		}
	} else {
		sel_refuse(s, "parts of this size");
		return;
	}
	sel_move(s, sel_dst(s, 0), t);
}

void sm90_unpack(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned bits = type_bits(in->type), part = bits / in->nd;
	if (part != 8 && part != 16 && part != 32) {
		sel_refuse(s, "parts of this size");
		return;
	}
	uint32_t t[8];
	for (unsigned i = 0; i < in->nd && i < 8; i++) {
		unsigned at = i * part % 32, w = i * part / 32;
		t[i] = sel_temp(s, 1);
		if (inst_dst(in, i)->kind == OPND_SINK)
			continue;
		if (at)
			OP(s, "SHF.R.U32.HI", 1, mo_reg(t[i]), ZERO, mo_imm(at), sm90_reg(s, 0, w));
		else
			sm90_mov(s, mo_reg(t[i]), sm90_src(s, 0, w));
	}
	for (unsigned i = 0; i < in->nd && i < 8; i++)
		if (inst_dst(in, i)->kind != OPND_SINK)
			sm90_mov(s, mo_reg(sel_dst(s, i)), mo_reg(t[i]));
}

void sm90_move(struct sel *s)
{
	uint32_t d = sel_dst(s, 0);
	if (inst_src(s->in, 0)->kind == OPND_FUNC) {
		sel_refuse(s, "the address of a function");
		return;
	}
	unsigned n = s->m.val.v[d].words;
	struct mo a[4];
	for (unsigned w = 0; w < n; w++)
		a[w] = sm90_src(s, 0, w);
	for (unsigned w = 0; w < n; w++)
		sm90_mov(s, mo_word(d, w), a[w])->fresh = !w;
}
