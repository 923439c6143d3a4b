/* Operands on sm_90. */
#include "back/sm90/sm90.h"

struct mo sm90_word(uint32_t w) { return w ? mo_imm((int64_t)w) : mo_zero(); }

struct mi *sm90_mov(struct sel *s, struct mo d, struct mo a) { return OP(s, "MOV", 1, d, a); }

struct mo sm90_force(struct sel *s, struct mo o)
{
	if ((o.kind == MO_REG && !o.neg && !o.abs && !o.inv) || o.kind == MO_ZERO)
		return o;
	uint32_t t = sel_temp(s, 1);
	sm90_mov(s, mo_reg(t), o);
	return mo_reg(t);
}

struct mo sm90_address_word(struct sel *s, const struct var *v, unsigned word)
{
	uint32_t at = 0;
	if (!v)
		return mo_const(0, SM90_CONSTANTS_AT + 4 * word);
	while (at < s->lay->global.n && s->lay->global.v[at] != v)
		at++;
	return mo_const(SM90_ADDRESSES, 8 * at + 4 * word);
}

/* Returns a word of the address of a variable plus an offset. */
static struct mo symbol_word(struct sel *s, const struct opnd *o, unsigned word)
{
	const struct var *v = o->sym;
	uint64_t at = 0;
	v = v->def ? v->def : v;
	if (v->space == SP_GLOBAL) {
		struct mo lo = sm90_address_word(s, v, 0), hi = sm90_address_word(s, v, 1);
		if (!o->imm)
			return word ? hi : lo;
		uint32_t t = sel_temp(s, 2);
		sm90_add64(s, t, lo, hi, sm90_word((uint32_t)o->imm),
			   sm90_word((uint32_t)((uint64_t)o->imm >> 32)), false);
		return mo_word(t, word);
	}
	if (!sel_offset(s, v, &at))
		sel_refuse(s, "the address of a variable that is not in the kernel's layout");
	at += (uint64_t)o->imm;
	if (v->space == SP_SHARED && s->ranked) {
		if (word)
			return mo_zero();
		uint32_t rank = sel_temp(s, 1), t = sel_temp(s, 1);
		OP(s, "S2R", 1, mo_reg(rank), mo_text("SR_CgaCtaId"));
		OP(s, "LEA", 1, mo_reg(t), mo_reg(rank), sm90_word((uint32_t)at), mo_imm(24));
		return mo_reg(t);
	}
	if (v->space != SP_LOCAL && v->space != SP_FRAME)
		return sm90_word((uint32_t)(at >> 32 * word));
	if (word)
		return mo_zero();
	uint32_t t = sel_temp(s, 1);
	OP(s, "IADD3", 1, mo_reg(t), mo_text("R1"), sm90_word((uint32_t)at), ZERO);
	return mo_reg(t);
}

struct mo sm90_symbol(struct sel *s, const struct opnd *o) { return symbol_word(s, o, 0); }

struct mo sm90_src(struct sel *s, unsigned i, unsigned word)
{
	const struct opnd *o = inst_src(s->in, i);
	switch (o->kind) {
	case OPND_REG:
		if (word && sel_width(s, o->reg) < 2)
			return mo_zero();
		return mo_word(s->value[o->reg], word);
	case OPND_IMM: return sm90_word((uint32_t)((uint64_t)o->imm >> 32 * word));
	case OPND_SYM: return symbol_word(s, o, word);
	default: break;
	}
	sel_refuse(s, "an operand of this kind");
	return mo_zero();
}

struct mo sm90_reg(struct sel *s, unsigned i, unsigned word)
{
	return sm90_force(s, sm90_src(s, i, word));
}

void sm90_two(struct sel *s, unsigned word, struct mo *a, struct mo *b)
{
	*a = sm90_src(s, 0, word);
	*b = sm90_src(s, 1, word);
	if (a->kind != MO_REG && b->kind == MO_REG) {
		struct mo t = *a;
		*a = *b;
		*b = t;
	}
	*a = sm90_force(s, *a);
}

struct mo sm90_extend(struct sel *s, struct mo o, unsigned type)
{
	bool sg = type_is_signed(type);
	unsigned bits = type_bits(type);
	if (bits >= 32 || o.kind == MO_ZERO)
		return o;
	if (o.kind == MO_IMM) {
		uint32_t w = (uint32_t)o.imm << (32 - bits);
		return sm90_word(sg ? (uint32_t)((int32_t)w >> (32 - bits)) : w >> (32 - bits));
	}
	uint32_t t = sel_temp(s, 1);
	o = sm90_force(s, o);
	if (sg)
		OP(s, "PRMT", 1, mo_reg(t), o, mo_imm(bits == 16 ? 0x9910 : 0x8880), ZERO);
	else
		sm90_lut(s, mo_reg(t), o, mo_imm(bits == 16 ? 0xffff : 0xff), ZERO, LUT_AND);
	return mo_reg(t);
}

struct mo sm90_ext(struct sel *s, unsigned i, unsigned type)
{
	return sm90_extend(s, sm90_src(s, i, 0), type);
}

struct mo sm90_ext_reg(struct sel *s, unsigned i, unsigned type)
{
	return sm90_force(s, sm90_ext(s, i, type));
}

struct mo sm90_pair_of(struct sel *s, struct mo lo, struct mo hi)
{
	uint32_t t = sel_temp(s, 2);
	sm90_mov(s, mo_word(t, 0), lo)->fresh = true;
	sm90_mov(s, mo_word(t, 1), hi);
	return mo_wide(t);
}

struct mo sm90_pair(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_src(s->in, i);
	if (o->kind == OPND_REG && sel_width(s, o->reg) == 2)
		return mo_wide(s->value[o->reg]);
	struct mo lo = sm90_src(s, i, 0), hi = sm90_src(s, i, 1);
	if (lo.kind == MO_ZERO && hi.kind == MO_ZERO)
		return lo;
	return sm90_pair_of(s, lo, hi);
}

void sm90_put(struct sel *s, struct mo w, bool sign)
{
	uint32_t d = sel_dst(s, 0);
	if (s->m.val.v[d].words == 1) {
		sm90_mov(s, mo_reg(d), w);
		return;
	}
	uint32_t t = sel_temp(s, 2);
	sm90_mov(s, mo_word(t, 0), w)->fresh = true;
	if (sign)
		OP(s, "SHF.R.S32.HI", 1, mo_word(t, 1), ZERO, mo_imm(31), mo_word(t, 0));
	else
		sm90_mov(s, mo_word(t, 1), ZERO);
	sel_move(s, d, t);
}

void sm90_add64(struct sel *s, uint32_t d, struct mo alo, struct mo ahi, struct mo blo,
		struct mo bhi, bool sub)
{
	struct mo carry = mo_pred(sel_temp(s, 0));
	alo = sm90_force(s, alo);
	ahi = sm90_force(s, ahi);
	if (sub) {
		blo = mo_neg(sm90_force(s, blo));
		bhi = sm90_force(s, bhi);
		bhi.inv = true;
	}
	OP(s, "IADD3", 2, mo_word(d, 0), carry, alo, blo, ZERO)->fresh = true;
	OP(s, "IADD3.X", 1, mo_word(d, 1), ahi, bhi, ZERO, carry, PF);
}

struct mi *sm90_lut(struct sel *s, struct mo d, struct mo a, struct mo b, struct mo c,
		    unsigned table)
{
	return OP(s, "LOP3.LUT", 1, d, a, b, c, mo_imm(table), PF);
}
