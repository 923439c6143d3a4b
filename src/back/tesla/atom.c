/* Atomics on sm_13: of global memory by instructions, of shared memory by the machine's locks. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

static const char *atom_name(unsigned mode)
{
	static const char *const n[] = {
		[ATOM_AND] = "AND",   [ATOM_OR] = "OR",    [ATOM_XOR] = "XOR", [ATOM_CAS] = "CAS",
		[ATOM_EXCH] = "EXCH", [ATOM_ADD] = "IADD", [ATOM_INC] = "INC", [ATOM_DEC] = "DEC",
		[ATOM_MIN] = "IMIN",  [ATOM_MAX] = "IMAX"};
	return n[mode];
}

static struct mo address_operand(struct sel *s)
{
	const struct opnd *o = inst_src(s->in, 0);
	struct opnd v = {.kind = OPND_SYM, .sym = o->sym, .imm = o->imm};
	struct inst in = {.op = OP_MOV,
			  .ns = 1,
			  .opnd = &v,
			  .guard = NO_REG,
			  .line = s->in->line,
			  .col = s->in->col,
			  .text = s->in->text};
	if (o->sym) {
		const struct inst *was = s->in;
		s->in = &in;
		struct mo r = t_reg(s, 0, 0);
		s->in = was;
		return r;
	}
	if (o->reg == NO_REG)
		return t_num(s, (uint32_t)o->imm);
	struct mo r = mo_word(s->value[o->reg], 0);
	if (!o->imm)
		return r;
	uint32_t t = sel_temp(s, 1);
	t_addi(s, mo_reg(t), r, (uint32_t)o->imm);
	return mo_reg(t);
}

static bool has_global(const struct inst *in)
{
	bool wide = type_bits(in->type) == 64, cas = in->mode == ATOM_CAS;
	bool moves = in->mode == ATOM_EXCH || cas;
	if (in->vec > 1 || type_bits(in->type) < 32)
		return false;
	if (type_is_float(in->type))
		return in->type == T_F32 && moves;
	return !wide || moves || in->mode == ATOM_ADD;
}

static void global_atomic(struct sel *s)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->type) == 64, cas = in->mode == ATOM_CAS;
	if (!has_global(in)) {
		sel_refuse(s, "");
		return;
	}
	bool sg = type_is_signed(in->type) && (in->mode == ATOM_MIN || in->mode == ATOM_MAX);
	const char *type = wide ? ".S64" : sg ? ".S32" : ".U32";
	struct mo a = address_operand(s), m = {.kind = MO_GLOBAL, .v = a.v, .word = a.word};
	struct mo x = wide ? t_pair(s, 1) : t_reg(s, 1, 0), y;
	if (in->op == OP_RED && !cas && in->mode != ATOM_EXCH) {
		T(s, sel_text(s, "GRED.%s%s", atom_name(in->mode), type), 0, m, x);
		return;
	}
	uint32_t t = t_value(s, wide ? 2 : 1);
	struct mo d = wide ? mo_wide(t) : mo_reg(t);
	if (cas) {
		y = wide ? t_pair(s, 2) : t_reg(s, 2, 0);
		T(s, sel_text(s, "GATOM.CAS%s", type), 1, d, m, x, y)->keep = true;
	} else {
		T(s, sel_text(s, "GATOM.%s%s", atom_name(in->mode), type), 1, d, m, x)->keep = true;
	}
	if (in->nd && inst_dst(in, 0)->kind != OPND_SINK)
		sel_move(s, sel_dst(s, 0), t);
}

/* Computes the new value n of a shared word from its old value o and operand x; false: unknown
 * operation. */
static bool combine_word(struct sel *s, uint32_t n, struct mo o, struct mo x, struct mo y)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type);
	struct mo d = mo_reg(n);
	struct tpred p = t_pred_new(s), q = t_pred_new(s);
	uint32_t t = sel_temp(s, 1);
	switch (in->mode) {
	case ATOM_ADD: T(s, in->type == T_F32 ? "FADD" : "IADD", 1, d, o, x); return true;
	case ATOM_AND: T(s, "LOP.AND", 1, d, o, x); return true;
	case ATOM_OR: T(s, "LOP.OR", 1, d, o, x); return true;
	case ATOM_XOR: T(s, "LOP.XOR", 1, d, o, x); return true;
	case ATOM_MIN: T(s, sg ? "IMIN.S32" : "IMIN", 1, d, o, x); return true;
	case ATOM_MAX: T(s, sg ? "IMAX.S32" : "IMAX", 1, d, o, x); return true;
	case ATOM_CAS:
		T(s, "ISET", 2, mo_reg(p.word), t_flag(p.flag), o, x, mo_text("EQ"));
		t_choose(s, n, &y, &o, 1, p.flag, false);
		return true;
	case ATOM_INC: /* o >= x ? 0 : o + 1 */
		T(s, "ISET", 1, mo_reg(p.word), o, x, mo_text("GE"));
		t_addi(s, mo_reg(t), o, 1);
		T(s, "LOP.AND", 1, d, mo_reg(t), t_inv(mo_reg(p.word)));
		return true;
	case ATOM_DEC: /* o == 0 || o > x ? x : o - 1 */
		T(s, "ISET", 1, mo_reg(q.word), o, x, mo_text("GT"));
		T(s, "ISET", 1, mo_reg(t), o, mo_zero(), mo_text("EQ"));
		T(s, "LOP.OR", 2, mo_reg(p.word), t_flag(p.flag), mo_reg(q.word), mo_reg(t));
		t_addi(s, mo_reg(t), o, 0xffffffff);
		t_choose(s, n, &x, &(struct mo){.kind = MO_REG, .v = t}, 1, p.flag, false);
		return true;
	default: return false;
	}
}

/* The new value of an exchange of 64 bits: y where o equals x. lib_atom.c builds the other
 * operations from it. */
static void exchange_64(struct sel *s, uint32_t n, uint32_t o, const struct mo x[2],
			const struct mo y[2])
{
	struct tpred p = t_pred_new(s);
	uint32_t a = sel_temp(s, 1), b = sel_temp(s, 1);
	struct mo was[2] = {mo_word(o, 0), mo_word(o, 1)};
	T(s, "LOP.XOR", 1, mo_reg(a), was[0], x[0]);
	T(s, "LOP.XOR", 1, mo_reg(b), was[1], x[1]);
	T(s, "LOP.OR", 1, mo_reg(a), mo_reg(a), mo_reg(b));
	T(s, "ISET", 2, mo_reg(p.word), t_flag(p.flag), mo_reg(a), mo_zero(), mo_text("EQ"));
	t_choose(s, n, y, was, 2, p.flag, false);
}

static void branch_back(struct sel *s, uint32_t label, uint32_t flag, bool neg)
{
	s->how->branch(s, false, label, flag, neg);
}

/* The thread that gets the lock operates, the other threads try again; threads that the guard
 * excludes wait. */
static void shared_atomic(struct sel *s)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->type) == 64;
	unsigned n = wide ? 2 : 1;
	unsigned bytes = type_bytes(in->type) < 4 ? type_bytes(in->type) : 4;
	if (!sel_has_shared(in)) {
		sel_refuse(s, "in shared memory");
		return;
	}
	const struct inst *was = s->in;
	struct inst bare = *in;
	bare.guard = NO_REG;
	s->in = &bare;
	struct mo x[2], y[2] = {mo_zero(), mo_zero()}, m[2];
	for (unsigned w = 0; w < n; w++) {
		x[w] = t_reg(s, 1, w);
		if (in->mode == ATOM_CAS)
			y[w] = t_reg(s, 2, w);
		m[w] = t_shared(s, bytes, 4 * (int64_t)w);
	}
	uint32_t again = sel_label(s), done = sel_label(s), got = sel_temp(s, 0),
		 old = sel_temp(s, n), new = sel_temp(s, n);
	s->how->push(s, done, 0);
	if (was->guard != NO_REG)
		branch_back(s, done, s->value[was->guard], !was->guard_neg);
	sel_place(s, again);
	T(s, "G2R.U32.LOCK", 2, mo_word(old, 0), t_flag(got), m[0])->keep = true;
	bool ok = true;
	if (wide) /* the first word's lock covers both words */
		T(s, "G2R.U32", 1, mo_word(old, 1), m[1]);
	if (in->mode == ATOM_EXCH)
		; /* x is the new value */
	else if (wide)
		exchange_64(s, new, old, x, y);
	else
		ok = combine_word(s, new, mo_reg(old), x[0], y[0]);
	if (wide)
		T(s, "R2G.U32.U32", 0, m[1], in->mode == ATOM_EXCH ? x[1] : mo_word(new, 1))
			->guard = got;
	T(s, sel_text(s, "R2G.U32.U%u.UNLOCK", 8 * bytes), 0, m[0],
	  in->mode == ATOM_EXCH ? x[0] : mo_word(new, 0))
		->guard = got;
	branch_back(s, again, got, true);
	sel_place(s, done);
	s->how->joins(s, 0);
	t_address_forget(s);
	s->in = was;
	/* after the loop: the word that a thread loaded last was loaded under the lock */
	for (unsigned w = 0; w < n && was->nd && inst_dst(was, 0)->kind != OPND_SINK; w++)
		T(s, "MOV", 1, mo_word(sel_dst(s, 0), w), mo_word(old, w));
	if (!ok)
		sel_refuse(s, "in shared memory");
}

void tesla_atomic(struct sel *s)
{
	unsigned sp = sel_space(s->in);
	const struct opnd *o = inst_src(s->in, 0);
	if ((sp == SP_GENERIC || sp == SP_NONE) && !o->sym && o->reg != NO_REG)
		sp = s->space[o->reg] == SP_NONE && !s->mixed ? SP_GLOBAL : s->space[o->reg];
	if (sp == SP_NONE || sp == SP_GENERIC) {
		sel_refuse(s, "where its address may be of any space");
		return;
	}
	(sp == SP_SHARED ? shared_atomic : global_atomic)(s);
}
