/* Special registers, barriers, votes and control flow on sm_13. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

/* Loads a half word of the launch's header in shared memory. */
static void load_header(struct sel *s, struct mo d, unsigned byte)
{
	T(s, "I2I.U32.U16", 1, d,
	  (struct mo){.kind = MO_SHARED, .v = V_NONE, .imm = byte, .bank = 2});
}

static bool load_position(struct sel *s, struct mo d, unsigned reg, unsigned sub)
{
	uint32_t t = sel_temp(s, 1);
	struct mo tid = mo_reg(s->tid);
	switch (reg) {
	case SREG_TID:
		if (sub == 0)
			T(s, "I2I.U32.U16", 1, d, t_lo(tid));
		else if (sub == 1) {
			T(s, "I2I.U32.U16", 1, mo_reg(t), t_hi(tid));
			t_logi(s, "AND", d, mo_reg(t), 0x3ff);
		} else if (sub == 2)
			t_shift(s, "SHR", d, tid, 26);
		else
			t_set(s, d, 0);
		return true;
	case SREG_NTID:
		if (sub < 3)
			load_header(s, d, 2 + 2 * sub);
		else
			t_set(s, d, 0);
		return true;
	case SREG_CTAID:
		if (sub < 2) {
			load_header(s, d, 0xc + 2 * sub);
		} else if (sub == 2) {
			load_header(s, mo_reg(t), 0);
			t_logi(s, "AND", d, mo_reg(t), 0xff);
		} else {
			t_set(s, d, 0);
		}
		return true;
	case SREG_NCTAID:
		if (sub < 2) {
			load_header(s, d, 8 + 2 * sub);
		} else if (sub == 2) {
			load_header(s, mo_reg(t), 0);
			t_shift(s, "SHR", d, mo_reg(t), 8);
		} else {
			t_set(s, d, 0);
		}
		return true;
	default: return false;
	}
}

static bool load_lane(struct sel *s, struct mo d, unsigned reg)
{
	uint32_t n = sel_temp(s, 1), t = sel_temp(s, 1);
	struct mo ones = mo_zero();
	T(s, "S2R", 1, mo_reg(n), mo_text("SR0"));
	if (reg == SREG_WARPID || reg == SREG_SMID) {
		t_shift(s, "SHR", mo_reg(t), mo_reg(n), reg == SREG_WARPID ? 8 : 16);
		t_logi(s, "AND", d, mo_reg(t), 0xff);
		return true;
	}
	if (reg == SREG_LANEID) {
		t_logi(s, "AND", d, mo_reg(n), 0xff);
		return true;
	}
	t_logi(s, "AND", mo_reg(n), mo_reg(n), 0xff);
	ones = t_num(s, reg == SREG_LANEMASK_EQ                              ? 1
			: reg == SREG_LANEMASK_GT || reg == SREG_LANEMASK_LE ? 0xfffffffe
									     : 0xffffffff);
	bool inverted = reg == SREG_LANEMASK_LT || reg == SREG_LANEMASK_LE;
	T(s, "SHL", 1, inverted ? mo_reg(t) : d, ones, mo_reg(n));
	if (inverted)
		T(s, "LOP.PASS_B", 1, d, mo_zero(), t_inv(mo_reg(t)));
	return true;
}

void tesla_special(struct sel *s)
{
	const struct opnd *o = inst_src(s->in, 0);
	uint32_t d = sel_dst(s, 0);
	struct mo lo = mo_word(d, 0);
	bool done = true;
	switch (o->reg) {
	case SREG_LANEID:
	case SREG_WARPID:
	case SREG_SMID:
	case SREG_LANEMASK_EQ:
	case SREG_LANEMASK_LT:
	case SREG_LANEMASK_LE:
	case SREG_LANEMASK_GT:
	case SREG_LANEMASK_GE: done = load_lane(s, lo, o->reg); break;
	case SREG_CLOCK:
	case SREG_CLOCK64: T(s, "S2R", 1, lo, mo_text("SR1"))->keep = true; break;
	default: done = load_position(s, lo, o->reg, o->sub);
	}
	if (!done) {
		sel_refuse(s, sel_text(s, "the special register %%%s", sreg_info[o->reg].name));
		return;
	}
	s->m.code.v[s->m.code.n - 1].fresh = true;
	if (s->m.val.v[d].words == 2)
		T(s, "MOV", 1, mo_word(d, 1), mo_zero());
}

void tesla_barrier(struct sel *s)
{
	const struct inst *in = s->in;
	int64_t id, n = 0xfff;
	if (in->imm & BAR_CLUSTER || in->mode == BAR_WAIT || in->mode == BAR_RED) {
		sel_refuse(s, "");
		return;
	}
	if (!sel_is_imm(s, 0, &id) || (in->imm & BAR_HAS_COUNT && !sel_is_imm(s, 1, &n))) {
		sel_refuse(s, "with its number or count in a register");
		return;
	}
	if (in->guard != NO_REG) {
		sel_refuse(s, "with a guard");
		return;
	}
	T(s, in->mode == BAR_ARRIVE ? "BAR.ARV" : "BAR.ARV.WAIT", 0,
	  mo_text(sel_text(s, "b%u", (unsigned)id)), mo_imm(n));
}

/* Converts a flag to a word. */
static void word_of(struct sel *s, struct tpred p)
{
	struct mo ones = t_lit(s, 0xffffffff);
	uint32_t t = t_value(s, 1);
	struct mi *in = T(s, "MOV", 1, mo_reg(t), mo_zero());
	in->guard = V_TRUE;
	t_mov(s, mo_reg(t), ones);
	in = &s->m.code.v[s->m.code.n - 1];
	in->guard = p.flag;
	in->guard_neg = false;
	T(s, "MOV", 1, mo_reg(p.word), mo_reg(t));
}

void tesla_vote(struct sel *s)
{
	const struct inst *in = s->in;
	if (in->mode == VOTE_BALLOT || in->guard != NO_REG) {
		sel_refuse(s, in->mode == VOTE_BALLOT ? "" : "with a guard");
		return;
	}
	struct tpred d = t_pred_dst(s, 0);
	bool neg;
	uint32_t p = t_pred_flag(s, 0, &neg);
	struct mo src = mo_pred(p);
	src.neg = neg;
	if (in->mode != VOTE_UNI) {
		T(s, in->mode == VOTE_ALL ? "VOTE.ALL" : "VOTE.ANY", 1, mo_pred(d.flag), src);
		word_of(s, d);
		return;
	}
	struct tpred all = t_pred_new(s), any = t_pred_new(s);
	T(s, "VOTE.ALL", 1, mo_pred(all.flag), src);
	T(s, "VOTE.ANY", 1, mo_pred(any.flag), src);
	word_of(s, all);
	word_of(s, any);
	T(s, "LOP.OR", 2, mo_reg(d.word), t_flag(d.flag), mo_reg(all.word),
	  t_inv(mo_reg(any.word)));
}

/* ---- control ---- */

/* The thread's indices are in R0 at the start. */
static void begin_kernel(struct sel *s)
{
	s->truth = ARENA_ARRAY(s->m.a, uint32_t, s->f->regs.n + 1);
	for (uint32_t r = 0; r < s->f->regs.n; r++)
		s->truth[r] = s->f->regs.v[r].type == T_PRED ? mval_new(&s->m, 1) : V_NONE;
	s->carry = mval_new(&s->m, 0);
	s->tid = mval_new(&s->m, 1);
	s->in = NULL;
	mi_add(&s->m, "MOV", 1, 2, (struct mo[]){mo_reg(s->tid), mo_text("R0")});
	t_address_forget(s);
	tesla_ranges(s);
}

static void put_branch(struct sel *s, bool pop, uint32_t label, uint32_t pred, bool neg)
{
	struct mi *in = mi_add(&s->m, "BRA", 0, 1, &(struct mo){.kind = MO_LABEL, .imm = label});
	(void)pop;
	in->guard = pred;
	in->guard_neg = neg;
	in->ends = true;
	in->label = label + 1;
	in->line = s->in ? s->in->line : 0;
}

static void push_region(struct sel *s, uint32_t label, unsigned level)
{
	(void)level;
	mi_add(&s->m, "SSY", 0, 1, &(struct mo){.kind = MO_LABEL, .imm = label});
}

static void join_threads(struct sel *s, unsigned level)
{
	(void)level;
	mi_add(&s->m, "NOP", 0, 0, NULL)->pop = true;
}

static void leave_thread(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t guard = in && in->guard != NO_REG ? s->value[in->guard] : V_TRUE;
	if (in && in->op == OP_TRAP) {
		uint32_t skip = sel_label(s);
		if (guard != V_TRUE)
			put_branch(s, false, skip, guard, !in->guard_neg);
		mi_add(&s->m, "BPT.TRAP", 0, 0, NULL)->line = in->line;
		if (guard != V_TRUE) {
			sel_place(s, skip);
			return;
		}
	}
	struct mi *x = mi_add(&s->m, guard == V_TRUE ? "NOP.EXIT" : "RET", 0, 0, NULL);
	x->guard = guard;
	x->guard_neg = in && in->guard_neg;
	x->ends = true;
	x->line = in ? in->line : 0;
}

static uint32_t equal(struct sel *s, uint32_t n)
{
	struct tpred p = t_pred_new(s);
	struct mo a = t_reg(s, 0, 0);
	T(s, "ISET", 2, mo_reg(p.word), t_flag(p.flag), a, t_lit(s, n), mo_text("EQ"));
	return p.flag;
}

const struct selector selector_tesla = {.column = ON_TESLA,
					.begin = begin_kernel,
					.branch = put_branch,
					.block = t_address_forget,
					.push = push_region,
					.joins = join_threads,
					.leave = leave_thread,
					.equal = equal,
					.op = t_op,
					.reg = t_reg,
					.logic = t_logic2,
					.number = t_lit,
					.global = t_global,
					.right = "SHR.S32"};
