/* Operands and moves of sm_13, predicates, and sums with a carry under a guard, for the files of
 * tesla/. */
#include "back/tesla/tesla.h"
#include <string.h>

static bool only_temps(const struct sel *s, const struct mi *in)
{
	bool load = !strncmp(in->name, "GLD", 3) || !strncmp(in->name, "LLD", 3) ||
		    !strncmp(in->name, "G2R", 3) ||
		    (!strcmp(in->name, "MVC") && in->o[1].v != V_NONE);
	if (!in->nd || in->keep || load) /* an instruction that may fault keeps its guard */
		return false;
	for (unsigned k = 0; k < in->nd; k++) {
		uint32_t v = mo_value(&in->o[k]);
		if (v != V_NONE && !s->m.val.v[v].temp)
			return false;
	}
	return true;
}

static struct mi *add_op(struct sel *s, const char *name, unsigned nd, unsigned n,
			 const struct mo *o)
{
	struct mi *in = sel_op(s, name, nd, n, o);
	if (only_temps(s, in)) {
		in->guard = V_TRUE;
		in->guard_neg = false;
	}
	for (unsigned k = 0; k < nd; k++)
		if (mo_value(&in->o[k]) != V_NONE)
			t_address_written(s, in->o[k].v);
	return in;
}

/* True if the instruction reads a carry and would have a guard. One field of the word selects both
 * the register whose carry is added and the register whose flags are tested, so no instruction can
 * do both. */
static bool guards_carry(const struct sel *s, const char *name, unsigned nd, const struct mo *o)
{
	if (!s->in || s->in->guard == NO_REG || !strchr(name, '@'))
		return false;
	for (unsigned k = 0; k < nd; k++)
		if (mo_value(&o[k]) != V_NONE && !s->m.val.v[o[k].v].temp)
			return true;
	return false;
}

/* A sum with a carry under a guard: the sum goes to temporaries without a guard, and is copied
 * under the guard. A predicate's flag follows from its word, the carry of add.cc from a sum with an
 * equal carry. */
static struct mi *add_guarded_carry(struct sel *s, const char *name, unsigned n, const struct mo *o)
{
	struct mo t[MI_OPS];
	memcpy(t, o, n * sizeof *o);
	bool flag = o[1].kind == MO_FLAG, carry = flag && o[1].v == s->carry;
	t[0] = mo_reg(sel_temp(s, 1));
	if (carry)
		t[1] = t_flag(sel_temp(s, 0));
	else
		t[1] = (struct mo){0};
	struct mo c = carry ? mo_reg(sel_temp(s, 1)) : mo_zero();
	add_op(s, name, 2, n, t);
	if (carry) {
		T(s, "IADD.CARRY@", 2, c, (struct mo){0}, mo_zero(), mo_zero(), t[1]);
		T(s, "IADD", 2, (struct mo){.kind = MO_DISCARD}, o[1], c, t_lit(s, 0xffffffff));
	}
	return flag && !carry ? T(s, "LOP.PASS_B", 2, o[0], o[1], mo_zero(), t[0])
			      : T(s, "MOV", 1, o[0], t[0]);
}

struct mi *t_op(struct sel *s, const char *name, unsigned nd, unsigned n, const struct mo *o)
{
	return guards_carry(s, name, nd, o) ? add_guarded_carry(s, name, n, o)
					    : add_op(s, name, nd, n, o);
}

uint32_t t_value(struct sel *s, unsigned words) { return mval_new(&s->m, words); }

bool t_free(const struct sel *s, struct mo d)
{
	return !s->in || s->in->guard == NO_REG || s->m.val.v[d.v].temp;
}

struct mo t_flag(uint32_t v) { return (struct mo){.kind = MO_FLAG, .v = v}; }

struct mo t_inv(struct mo o)
{
	o.inv = !o.inv;
	return o;
}

struct mo t_lo(struct mo r)
{
	r.half = 1;
	return r;
}

struct mo t_hi(struct mo r)
{
	r.half = 2;
	return r;
}

struct mo t_num(struct sel *s, uint32_t w)
{
	if (!w)
		return mo_zero();
	uint32_t t = sel_temp(s, 1);
	T(s, "MVI", 1, mo_reg(t), mo_imm((int64_t)w));
	return mo_reg(t);
}

struct mo t_lit(struct sel *s, uint32_t w)
{
	struct mo o;
	if (!w)
		return mo_zero();
	return mir_literal(&s->m, w, &o) ? o : t_num(s, w);
}

/* A word of a global variable's address, which is a word of bank 14. */
struct mo t_global(struct sel *s, const struct var *v, int64_t offset, unsigned word)
{
	if (word)
		return mo_zero();
	size_t i = 0;
	while (i < s->lay->global.n && s->lay->global.v[i] != v)
		i++;
	if (i == s->lay->global.n)
		sel_refuse(s, "the address of a variable that is not in the kernel's layout");
	uint32_t t = sel_temp(s, 1);
	T(s, "MVC", 1, mo_reg(t), mo_const(ADDRESS_BANK, 4 * (uint32_t)i));
	if (offset)
		t_addi(s, mo_reg(t), mo_reg(t), (uint32_t)offset);
	return mo_reg(t);
}

struct mo t_reg(struct sel *s, unsigned i, unsigned word)
{
	int64_t k;
	if (sel_is_imm(s, i, &k))
		return t_num(s, (uint32_t)((uint64_t)k >> 32 * word));
	struct mo o = sel_src(s, i, word);
	if (o.kind == MO_REG || o.kind == MO_ZERO)
		return o;
	uint32_t t = sel_temp(s, 1);
	t_mov(s, mo_reg(t), o);
	return mo_reg(t);
}

struct mo t_pair(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_src(s->in, i);
	if (o->kind == OPND_REG && sel_width(s, o->reg) == 2)
		return mo_wide(s->value[o->reg]);
	uint32_t t = sel_temp(s, 2);
	for (unsigned w = 0; w < 2; w++) {
		t_mov(s, mo_word(t, w), sel_src(s, i, w));
		s->m.code.v[s->m.code.n - 1].fresh = !w;
	}
	return mo_wide(t);
}

struct mo t_ext(struct sel *s, unsigned i, unsigned type)
{
	struct mo o = t_reg(s, i, 0);
	bool sg = type_is_signed(type);
	if (type_bits(type) >= 32 || o.kind == MO_ZERO)
		return o;
	uint32_t t = sel_temp(s, 1);
	if (type_bits(type) == 16)
		T(s, sg ? "I2I.S32.S16" : "I2I.U32.U16", 1, mo_reg(t), t_lo(o));
	else
		T(s, sg ? "I2I.S32.S8" : "I2I.U32.U8", 1, mo_reg(t), o);
	return mo_reg(t);
}

void t_set(struct sel *s, struct mo d, uint32_t w)
{
	if (!w) {
		T(s, "MOV", 1, d, mo_zero());
	} else if (t_free(s, d)) {
		T(s, "MVI", 1, d, mo_imm((int64_t)w));
	} else {
		t_mov(s, d, t_lit(s, w));
	}
}

void t_mov(struct sel *s, struct mo d, struct mo a)
{
	T(s, a.kind == MO_CONST ? "MVC" : "MOV", 1, d, a);
}

void t_addi(struct sel *s, struct mo d, struct mo a, uint32_t k)
{
	if (a.kind == MO_ZERO)
		t_set(s, d, k);
	else if (!k)
		T(s, "MOV", 1, d, a);
	else if (t_free(s, d) && !a.neg)
		T(s, "IADD32I", 1, d, a, mo_imm((int64_t)k));
	else
		T(s, "IADD", 1, d, a, t_lit(s, k));
}

void t_logi(struct sel *s, const char *op, struct mo d, struct mo a, uint32_t k)
{
	if (t_free(s, d) && a.kind == MO_REG)
		T(s, sel_text(s, "LOP32I.%s", op), 1, d, a, mo_imm((int64_t)k));
	else
		T(s, sel_text(s, "LOP.%s", op), 1, d, a, t_lit(s, k));
}

void t_shift(struct sel *s, const char *name, struct mo d, struct mo a, unsigned n)
{
	T(s, name, 1, d, a, mo_imm(n > 32 ? 32 : n));
}

/* ---- predicates ---- */

struct tpred t_pred_new(struct sel *s) { return (struct tpred){sel_temp(s, 1), sel_temp(s, 0)}; }

struct tpred t_pred_dst(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_dst(s->in, i);
	if (o->kind == OPND_SINK)
		return t_pred_new(s);
	return (struct tpred){s->truth[o->reg], s->value[o->reg]};
}

struct mo t_pred_word(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_src(s->in, i);
	if (o->kind == OPND_IMM)
		return o->imm ? t_num(s, 0xffffffff) : mo_zero();
	struct mo w = mo_reg(s->truth[o->reg]);
	w.inv = o->mod & OPND_NOT;
	return w;
}

uint32_t t_pred_flag(struct sel *s, unsigned i, bool *neg)
{
	const struct opnd *o = inst_src(s->in, i);
	*neg = o->mod & OPND_NOT;
	if (o->kind != OPND_IMM)
		return s->value[o->reg];
	struct tpred p = t_pred_new(s);
	T(s, "ISET", 2, mo_reg(p.word), t_flag(p.flag), mo_zero(), mo_zero(),
	  mo_text(o->imm ? "EQ" : "NE"));
	return p.flag;
}

struct tpred t_pred_for(struct sel *s)
{
	const struct inst *in = s->in;
	if (in->op == OP_SETP && in->nd == 1 && in->bop == BOP_NONE)
		return t_pred_dst(s, 0);
	return t_pred_new(s);
}

void t_pred_put(struct sel *s, struct tpred c)
{
	static const char *const op[] = {"LOP.PASS_B", "LOP.AND", "LOP.OR", "LOP.XOR"};
	const struct inst *in = s->in;
	if (in->nd == 1 && in->bop == BOP_NONE)
		return;
	struct mo with = in->bop != BOP_NONE ? t_pred_word(s, 2) : mo_zero();
	uint32_t keep = V_NONE;
	if (in->nd > 1 && with.kind == MO_REG) { /* the first result may be the operand */
		keep = sel_temp(s, 1);
		T(s, "LOP.PASS_B", 1, mo_reg(keep), mo_zero(), with);
		with = mo_reg(keep);
	}
	/* the result that is the guard itself comes last */
	bool first = in->nd > 1 && in->guard != NO_REG && inst_dst(in, 0)->kind != OPND_SINK &&
		     inst_dst(in, 0)->reg == in->guard;
	for (unsigned k = 0; k < in->nd; k++) {
		unsigned i = first ? 1 - k : k;
		struct tpred d = t_pred_dst(s, i);
		struct mo a = mo_reg(c.word);
		a.inv = i;
		if (in->bop == BOP_NONE)
			T(s, "LOP.PASS_B", 2, mo_reg(d.word), t_flag(d.flag), mo_zero(), a);
		else
			T(s, op[in->bop & 3], 2, mo_reg(d.word), t_flag(d.flag), a, with);
	}
}

void t_set_from(struct sel *s, struct tpred c)
{
	struct mo w = mo_reg(c.word);
	if (s->in->bop != BOP_NONE) {
		static const char *const op[] = {"LOP.PASS_B", "LOP.AND", "LOP.OR", "LOP.XOR"};
		uint32_t t = sel_temp(s, 1);
		T(s, op[s->in->bop & 3], 1, mo_reg(t), w, t_pred_word(s, 2));
		w = mo_reg(t);
	}
	struct mo d = mo_reg(sel_dst(s, 0));
	if (type_is_float(s->in->type))
		t_logi(s, "AND", d, w, sel_truth(s->in->type));
	else
		T(s, "MOV", 1, d, w);
}

void t_choose(struct sel *s, uint32_t d, const struct mo *a, const struct mo *b, unsigned words,
	      uint32_t flag, bool neg)
{
	bool same_a = true, same_b = true;
	for (unsigned w = 0; w < words; w++) {
		same_a &= a[w].kind == MO_REG && a[w].v == d && a[w].word == w;
		same_b &= b[w].kind == MO_REG && b[w].v == d && b[w].word == w;
	}
	if ((same_a || same_b) && t_free(s, mo_reg(d)) && !s->m.val.v[d].temp) {
		for (unsigned w = 0; w < words; w++) {
			t_mov(s, mo_word(d, w), same_a ? b[w] : a[w]);
			struct mi *in = &s->m.code.v[s->m.code.n - 1];
			in->guard = flag;
			in->guard_neg = same_a ? !neg : neg;
		}
		return;
	}
	uint32_t t = t_value(s, words);
	for (unsigned w = 0; w < words; w++) {
		t_mov(s, mo_word(t, w), b[w]);
		struct mi *in = &s->m.code.v[s->m.code.n - 1];
		in->fresh = !w;
		in->guard = V_TRUE;
		in->guard_neg = false;
	}
	for (unsigned w = 0; w < words; w++) {
		t_mov(s, mo_word(t, w), a[w]);
		struct mi *in = &s->m.code.v[s->m.code.n - 1];
		in->guard = flag;
		in->guard_neg = neg;
	}
	sel_move(s, d, t);
}
