/* Spill code: a register in local memory is stored after each instruction that writes it and loaded
 * before each that reads it, through a temporary register that lives for that instruction only. The
 * registers to spill are chosen in alloc.c.
 *
 *	@%p add.u32 %r1, %r1, 1        ld.local.b32 %s9, [spill+8]
 *	                               @%p add.u32 %s9, %s9, 1
 *	                               @%p st.local.b32 [spill+8], %s9
 *
 * The store has the instruction's guard. A branch to the instruction goes to its loads. A predicate
 * is kept in a register instead:
 *
 *	@%p1 bra L                     setp.ne.u32 %s9, %k3, 0
 *	                               @%s9 bra L */
#include "pass/alloc.h"
#include "pass/regs.h"

struct spiller {
	const struct func *f;
	struct func *g;
	struct arena *a;
	const bool *out;
	/* [register]: its byte in `var`; for a predicate, the register that holds it */
	uint32_t *slot;
	uint32_t *start; /* [instruction of f]: first of the instructions of g that replace it */
	struct var *var;
	VEC(struct inst) code;
	VEC(struct reg) regs;
};

static unsigned memory_type(unsigned t)
{
	switch (type_bits(t)) {
	case 128: return T_B128;
	case 64: return T_B64;
	case 16: return T_B16;
	case 8: return T_B8;
	default: return T_B32;
	}
}

const char spill_temp[] = "%spill";

static struct inst inst_beside(const struct inst *at, enum op op, struct opnd *o)
{
	return (struct inst){.op = (uint16_t)op,
			     .guard = NO_REG,
			     .target = NO_PC,
			     .reconv = NO_PC,
			     .line = at->line,
			     .col = at->col,
			     .src_file = at->src_file,
			     .src_line = at->src_line,
			     .src_col = at->src_col,
			     .inlined = at->inlined,
			     .vec = 1,
			     .opnd = o};
}

static void keep_pred(struct spiller *s, const struct inst *at, bool write, uint32_t reg,
		      uint32_t temp)
{
	struct opnd *o = ARENA_ARRAY(s->a, struct opnd, 4);
	struct opnd pred = {.kind = OPND_PRED, .type = T_PRED, .reg = temp},
		    kept = {.kind = OPND_REG, .type = T_U32, .reg = s->slot[reg]},
		    zero = {.kind = OPND_IMM, .type = T_U32}, one = zero;
	struct inst in = inst_beside(at, write ? OP_SELP : OP_SETP, o);
	one.imm = 1;
	in.nd = 1;
	if (write) {
		memcpy(o, ((struct opnd[]){kept, one, zero, pred}), 4 * sizeof *o);
		in.ns = 3;
		in.type = T_U32;
		in.text = "selp.u32 (spill)";
		in.guard = at->guard;
		in.guard_neg = at->guard_neg;
	} else {
		memcpy(o, ((struct opnd[]){pred, kept, zero}), 3 * sizeof *o);
		in.ns = 2;
		in.stype = T_U32;
		in.cmp = CMP_NE;
		in.bop = BOP_NONE;
		in.text = "setp.ne.u32 (spill)";
	}
	vec_push(&s->code, in);
}

static void emit_access(struct spiller *s, const struct inst *at, bool store, uint32_t reg,
			uint32_t temp)
{
	uint8_t type = s->regs.v[temp].type;
	if (type == T_PRED) {
		keep_pred(s, at, store, reg, temp);
		return;
	}
	struct opnd *o = ARENA_ARRAY(s->a, struct opnd, 2);
	struct inst in = inst_beside(at, store ? OP_ST : OP_LD, o);
	in.type = (uint8_t)memory_type(type);
	in.space = SP_LOCAL;
	struct opnd mem = {.kind = OPND_MEM, .reg = NO_REG, .imm = s->slot[reg], .sym = s->var},
		    data = {.kind = OPND_REG, .type = type, .reg = temp};
	in.nd = !store;
	in.ns = store ? 2 : 1;
	in.text = store ? "st.local (spill)" : "ld.local (spill)";
	o[!store] = mem;
	o[store] = data;
	if (store) {
		in.guard = at->guard;
		in.guard_neg = at->guard_neg;
	}
	vec_push(&s->code, in);
}

static bool has_reg(const struct opnd *o)
{
	return o->kind == OPND_REG || o->kind == OPND_PRED || (o->kind == OPND_MEM && !o->sym);
}

/* The temporary of a spilled register in this instruction: one per register for all operands. */
static uint32_t temp_of(struct spiller *s, uint32_t reg, uint32_t *was, uint32_t *is, unsigned *n)
{
	for (unsigned i = 0; i < *n; i++)
		if (was[i] == reg)
			return is[i];
	vec_push(&s->regs, ((struct reg){spill_temp, s->f->regs.v[reg].type}));
	was[*n] = reg;
	is[*n] = (uint32_t)s->regs.n - 1;
	return is[(*n)++];
}

static void copy_inst(struct spiller *s, uint32_t pc)
{
	struct inst in = s->f->code.v[pc];
	uint32_t was[INST_REGS], is[INST_REGS], r[INST_REGS];
	unsigned n = 0, k, any = 0;
	s->start[pc] = (uint32_t)s->code.n;
	k = inst_uses(s->f, &in, r);
	while (k--)
		any |= s->out[r[k]];
	k = inst_defs(s->f, &in, r);
	while (k--)
		any |= s->out[r[k]];
	if (!any) {
		vec_push(&s->code, in);
		return;
	}
	k = inst_uses(s->f, &s->f->code.v[pc], r);
	for (unsigned i = 0; i < k; i++)
		if (s->out[r[i]])
			temp_of(s, r[i], was, is, &n);
	/* A guarded write leaves part of the old value, so the value is loaded too; otherwise the temporary
	 * would live earlier. */
	k = inst_kills(&in) ? 0 : inst_defs(s->f, &s->f->code.v[pc], r);
	for (unsigned i = 0; i < k; i++)
		if (s->out[r[i]])
			temp_of(s, r[i], was, is, &n);
	for (unsigned i = 0; i < n; i++)
		emit_access(s, &in, false, was[i], is[i]);
	struct opnd *o = ARENA_ARRAY(s->a, struct opnd, in.nd + in.ns + 1u);
	memcpy(o, in.opnd, (in.nd + in.ns) * sizeof *o);
	for (unsigned i = 0; i < in.nd + in.ns; i++)
		if (has_reg(&o[i]) && o[i].reg < s->f->regs.n && s->out[o[i].reg])
			o[i].reg = temp_of(s, o[i].reg, was, is, &n);
	in.opnd = o;
	if (in.guard != NO_REG && in.guard < s->f->regs.n && s->out[in.guard])
		in.guard = temp_of(s, in.guard, was, is, &n);
	vec_push(&s->code, in);
	k = inst_defs(s->f, &s->f->code.v[pc], r);
	for (unsigned i = 0; i < k; i++)
		if (s->out[r[i]])
			emit_access(s, &in, true, r[i], temp_of(s, r[i], was, is, &n));
}

static void move_targets(struct spiller *s)
{
	struct func *g = s->g;
	for (size_t i = 0; i < s->code.n; i++)
		if (inst_is(&s->code.v[i], OF_BRANCH))
			s->code.v[i].target = s->start[s->code.v[i].target];
	g->targets.v = ARENA_ARRAY(s->a, struct targets, g->targets.n + 1);
	for (size_t i = 0; i < g->targets.n; i++) {
		const struct targets *t = &s->f->targets.v[i];
		g->targets.v[i] = (struct targets){t->n, ARENA_ARRAY(s->a, uint32_t, t->n + 1)};
		for (uint32_t k = 0; k < t->n; k++)
			g->targets.v[i].pc[k] = s->start[t->pc[k]];
	}
}

static void place_spills(struct spiller *s, uint32_t *at)
{
	for (uint32_t r = 0; r < s->f->regs.n; r++) {
		uint32_t bytes = 4 * type_rows(s->f->regs.v[r].type);
		if (!s->out[r])
			continue;
		if (s->f->regs.v[r].type == T_PRED) {
			s->slot[r] = (uint32_t)s->regs.n;
			vec_push(&s->regs, ((struct reg){"%kept", T_U32}));
			continue;
		}
		*at = (*at + bytes - 1) & ~(bytes - 1);
		s->slot[r] = *at;
		*at += bytes;
	}
}

struct func *spill_code(const struct func *f, struct arena *a, const bool *out, uint32_t *at)
{
	struct spiller s = {.f = f,
			    .g = ARENA_NEW(a, struct func),
			    .a = a,
			    .out = out,
			    .slot = ARENA_ARRAY(a, uint32_t, f->regs.n + 1),
			    .start = ARENA_ARRAY(a, uint32_t, f->code.n + 1),
			    .var = ARENA_NEW(a, struct var)};
	*s.g = *f;
	*at = (*at + 15u) & ~15u;
	s.var->name = "spill";
	s.var->space = SP_LOCAL;
	s.var->type = T_B8;
	s.var->align = 16;
	s.var->owner = f;
	for (size_t i = 0; i < f->regs.n; i++)
		vec_push(&s.regs, f->regs.v[i]);
	place_spills(&s, at);
	s.var->size = *at;
	for (uint32_t pc = 0; pc < f->code.n; pc++)
		copy_inst(&s, pc);
	s.start[f->code.n] = (uint32_t)s.code.n;
	move_targets(&s);
	s.g->frame_bytes = *at;
	s.g->regs.v = ARENA_ARRAY(a, struct reg, s.regs.n + 1);
	s.g->regs.n = s.g->regs.cap = s.regs.n;
	memcpy(s.g->regs.v, s.regs.v, s.regs.n * sizeof *s.regs.v);
	s.g->code.v = ARENA_ARRAY(a, struct inst, s.code.n + 1);
	s.g->code.n = s.g->code.cap = s.code.n;
	memcpy(s.g->code.v, s.code.v, s.code.n * sizeof *s.code.v);
	vec_free(&s.code);
	vec_free(&s.regs);
	return s.g;
}
