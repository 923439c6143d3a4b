/* Lifts branches, calls and convergence barriers. */
#include "lift/sm70/lift.h"

/* The number of the instruction at an address of the kernel's program. */
static bool number_of(struct lift *l, uint64_t addr, uint32_t *n)
{
	int builtin = lift_builtin_number(addr);
	*n = 0;
	for (unsigned i = 0; i < l->nparts; i++) {
		const struct lift_part *p = &l->part[i];
		if (builtin >= 0)
			/* the functions of the driver follow the last part */
			*n = p->first + p->n + (uint32_t)builtin;
		if (addr < p->base || addr - p->base >= 16ull * p->n || (addr - p->base) % 16)
			continue;
		*n = p->first + (uint32_t)((addr - p->base) / 16);
		return true;
	}
	if (builtin >= 0)
		return true;
	lift_refuse(l, "its target 0x%llx is not an instruction", (unsigned long long)addr);
	return false;
}

/* The target that the instruction has as a number: an address, absolute or made from the distance. */
static const struct sm70_operand *target_operand(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++) {
		const struct sm70_operand *o = &l->in->o[i];
		if (o->kind == SM70_K_TARGET || (o->kind == SM70_K_IMM && o->role == SM70_R_T))
			return o;
	}
	return NULL;
}

/* Makes the predicate beside the guard part of the guard. */
static void join_guard(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *o = opd(l, SM70_R_PA);
	if (!o || (o->kind != SM70_K_PRED && o->kind != SM70_K_UPRED) ||
	    (o->reg == SM70_PT && !o->neg))
		return;
	struct guard was = gen_guard(g, (struct guard){0});
	struct opnd p = lift_pred(l, SM70_R_PA);
	if (was.pred.kind) {
		struct opnd q = was.pred;
		gen(g, OP_AND, T_PRED, val_pg(), p, was.neg ? val_not(q) : q);
	} else {
		gen(g, OP_MOV, T_PRED, val_pg(), p);
	}
	g->guard = (struct guard){val_pg(), false};
}

static void branch_to(struct lift *l, uint64_t addr)
{
	uint32_t n;
	if (number_of(l, addr, &n))
		gen_ctl(&l->g, NCTL_BRA, n, 0);
}

/* U.ANY: all lanes of the path take a branch that one of them takes. */
static void guard_by_any(struct lift *l)
{
	struct ngen *g = &l->g;
	struct guard was = gen_guard(g, (struct guard){0});
	struct opnd q = gen_q(g);
	if (!was.pred.kind)
		return;
	gen_mode(g, OP_VOTE, T_PRED, VOTE_ANY, q, was.neg ? val_not(was.pred) : was.pred);
	g->guard = (struct guard){q, false};
}

/* DIV: the branch is taken unless all lanes of the mask are in this path; CONV: if all are. */
static void do_bra(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *t = target_operand(l), *u = NULL;
	bool div = has(l, SM70_W_DIV), conv = has(l, SM70_W_CONV);
	if (!t) {
		lift_refuse(l, "it has no target");
		return;
	}
	join_guard(l);
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_UGPR)
			u = &l->in->o[i];
	if (div || conv) {
		struct opnd q = gen_q(g), mask = lift_reg(l, u ? lift_int(l, u) : imm(0xffffffff));
		gen_emit(g,
			 (struct inst){.op = OP_NATIVE, .type = T_U32, .mode = NCTL_HERE, .nd = 1},
			 GEN_LIST(q, mask));
		struct guard was = g->guard;
		if (was.pred.kind) {
			gen_guard(g, (struct guard){0});
			gen(g, OP_AND, T_PRED, val_pg(), div ? val_not(q) : q,
			    was.neg ? val_not(was.pred) : was.pred);
			g->guard = (struct guard){val_pg(), false};
		} else {
			g->guard = (struct guard){q, div};
		}
	}
	if (has(l, SM70_W_ANY))
		guard_by_any(l);
	branch_to(l, t->imm);
}

/* Jumps to the sum of a register and an address. */
static void jump_to_register(struct lift *l, const struct sm70_operand *r, int64_t off)
{
	struct opnd s = lift_reg(l, lift_raw(l, r));
	gen_ctl_reg(&l->g, NCTL_BRX, s, off);
}

static const struct sm70_operand *register_of(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++) {
		const struct sm70_operand *o = &l->in->o[i];
		if ((o->kind == SM70_K_GPR || o->kind == SM70_K_UGPR) && o->reg != SM70_RZ)
			return o;
	}
	return NULL;
}

static const struct sm70_operand *constant_of(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_CONST)
			return &l->in->o[i];
	return NULL;
}

/* BRX and BRXU add the place after the instruction to register and offset; JMX, JMXU and RET do not. */
static void do_indirect(struct lift *l)
{
	const struct sm70_operand *r = register_of(l);
	bool here = l->in->op == SM70_BRX || l->in->op == SM70_BRXU;
	int64_t off = 0;
	if (has(l, SM70_W_DIV) || has(l, SM70_W_CONV)) {
		lift_refuse(l, "an indirect branch that depends on which threads are together");
		return;
	}
	join_guard(l);
	for (unsigned i = 0; i < l->in->nop; i++) {
		const struct sm70_operand *o = &l->in->o[i];
		if (o->kind == SM70_K_OFFSET || o->kind == SM70_K_IMM)
			off = (int64_t)o->imm + (here ? (int64_t)l->in->pc + 16 : 0);
		else if (o->kind == SM70_K_TARGET)
			off = (int64_t)o->imm;
	}
	if (r)
		jump_to_register(l, r, off);
	else
		branch_to(l, (uint64_t)off);
}

/* A call instruction stores no return address: the code puts it into registers itself. */
static void do_call(struct lift *l)
{
	const struct sm70_operand *t = target_operand(l), *r = register_of(l);
	r = r ? r : constant_of(l);
	join_guard(l);
	if (r)
		jump_to_register(l, r, t && has(l, SM70_W_REL) ? (int64_t)t->imm : 0);
	else if (t)
		branch_to(l, t->imm);
	else
		lift_refuse(l, "it has no target");
}

/* ---- convergence barriers ---- */

static struct opnd barrier_register(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_BARRIER && l->in->o[i].reg < 16)
			return val_reg(RC_B, l->in->o[i].reg, T_B32);
	return imm(0);
}

static void meet_lanes(struct lift *l, struct opnd mask, unsigned how)
{
	gen_emit(&l->g,
		 (struct inst){.op = OP_NATIVE,
			       .type = T_U32,
			       .mode = NCTL_MEET,
			       .imm = how | (has(l, SM70_W_EXCLUSIVE) ? NMEET_EXCLUSIVE : 0)},
		 GEN_LIST(lift_reg(l, mask)));
}

static void do_bssy(struct lift *l)
{
	struct opnd b = barrier_register(l);
	gen_emit(&l->g, (struct inst){.op = OP_ACTIVEMASK, .type = T_B32, .nd = 1}, &b, 1);
}

static void do_break(struct lift *l)
{
	join_guard(l);
	gen_emit(&l->g, (struct inst){.op = OP_NATIVE, .type = T_U32, .mode = NCTL_BREAK, .nd = 1},
		 GEN_LIST(barrier_register(l), barrier_register(l)));
}

/* BMOV: moves between barriers and registers; other fields of the thread's state are not kept. */
static void do_bmov(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *d = &l->in->o[0], *s = l->in->nop > 1 ? &l->in->o[1] : NULL;
	if (!s)
		return;
	struct opnd b = barrier_register(l);
	if (is_imm(b)) { /* state that only trap and atexit handlers read */
		if (d->kind == SM70_K_GPR)
			gen(g, OP_MOV, T_U32, lift_dst(l), imm(0));
		return;
	}
	if (d->kind == SM70_K_BARRIER) {
		gen(g, OP_MOV, T_U32, b, lift_raw(l, s));
		return;
	}
	gen(g, OP_MOV, T_U32, d->reg == SM70_RZ ? gen_t(g) : val_r(d->reg), b);
}

/* COLLECTIVE: lanes that wait at different places execute the next instruction together, at one of these places. Its
 * registers are the same at all. ENDCOLLECTIVE then sends each lane to the target that its own WARPSYNC has. */
static void do_warpsync(struct lift *l)
{
	const struct sm70_operand *m = register_of(l), *t = target_operand(l);
	unsigned how = NMEET_ANYWHERE;
	m = m ? m : constant_of(l);
	join_guard(l);
	if (has(l, SM70_W_COLLECTIVE)) {
		how |= NMEET_TOGETHER;
		gen(&l->g, OP_MOV, T_U32, val_reg(RC_END, 0, T_B32),
		    imm(t && t->kind == SM70_K_TARGET ? (uint32_t)t->imm : 0));
	}
	if (has(l, SM70_W_ALL))
		meet_lanes(l, imm(0xffffffff), how);
	else if (m)
		meet_lanes(l, lift_raw(l, m), how);
	else
		for (unsigned i = 0; i < l->in->nop; i++)
			if (l->in->o[i].kind == SM70_K_IMM) {
				meet_lanes(l, imm(l->in->o[i].imm), how);
				return;
			}
}

static void do_endcollective(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd q = gen_q(g), end = val_reg(RC_END, 0, T_B32);
	join_guard(l);
	struct guard was = gen_guard(g, (struct guard){0});
	gen_setp(g, CMP_NE, T_U32, q, end, imm(0));
	if (was.pred.kind)
		gen(g, OP_AND, T_PRED, q, q, was.neg ? val_not(was.pred) : was.pred);
	g->guard = (struct guard){q, false};
	gen_ctl_reg(g, NCTL_BRX, end, 0);
}

/* LEPC: the return address of a call by registers, as a pair; elsewhere unused. */
static void do_lepc(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *t = target_operand(l);
	uint64_t at = t ? t->imm : l->in->pc;
	gen(g, OP_MOV, T_U32, lift_dst(l), imm((uint32_t)at));
	gen(g, OP_MOV, T_U32, lift_dst_word(l, 1), imm(0));
}

/* RPCMOV: moves a word to or from the return pc, which code uses to keep a value. */
static void do_rpcmov(struct lift *l)
{
	const struct sm70_operand *d = &l->in->o[0], *s = &l->in->o[1];
	if (l->in->nop < 2 || (d->kind == SM70_K_RPC && d->reg > 1) ||
	    (s->kind == SM70_K_RPC && s->reg > 1))
		lift_refuse(l, "both words of the return pc");
	else if (d->kind == SM70_K_RPC)
		gen(&l->g, OP_MOV, T_U32, val_reg(RC_RPC, d->reg, T_B32), lift_raw(l, s));
	else
		gen(&l->g, OP_MOV, T_U32, lift_dst(l), val_reg(RC_RPC, s->reg, T_B32));
}

bool lift_control(struct lift *l)
{
	struct ngen *g = &l->g;
	switch (l->in->op) {
	case SM70_BRA:
	case SM70_JMP: do_bra(l); return true;
	case SM70_BRX:
	case SM70_BRXU:
	case SM70_JMX:
	case SM70_JMXU:
	case SM70_RET: do_indirect(l); return true;
	case SM70_CALL: do_call(l); return true;
	case SM70_EXIT:
		join_guard(l);
		gen_plain(g, OP_EXIT);
		return true;
	case SM70_BSSY: do_bssy(l); return true;
	case SM70_BSYNC:
		join_guard(l);
		meet_lanes(l, barrier_register(l), 0);
		return true;
	case SM70_BREAK: do_break(l); return true;
	case SM70_BMOV: do_bmov(l); return true;
	case SM70_WARPSYNC: do_warpsync(l); return true;
	case SM70_ENDCOLLECTIVE: do_endcollective(l); return true;
	case SM70_NOP:
	case SM70_PREEXIT:
	case SM70_ACQBULK: return true;
	case SM70_RPCMOV: do_rpcmov(l); return true;
	case SM70_YIELD: gen_ctl(g, NCTL_YIELD, 0, 0); return true;
	case SM70_NANOSLEEP: gen_ctl(g, NCTL_YIELD, 0, 0); return true;
	case SM70_BPT: gen_plain(g, has(l, SM70_W_TRAP) ? OP_TRAP : OP_BRKPT); return true;
	case SM70_LEPC: do_lepc(l); return true;
	default: return false;
	}
}
