#include "pass/scalar.h"

#include <stdio.h>
#include "pass/pass.h"
#include "pass/regs.h"

enum {
	MAX_SIDES = 31
}; /* further targets of a brx count as one side, which conflicts with itself */

struct finder {
	const struct func *f;
	const struct cfg *c;
	const struct domtree *pdom;
	const struct live *l;
	enum scalar_rule rule;
	struct scalar *out;
	bool locals;    /* generic addresses may be local addresses */
	bool *done;     /* [block]: its branch is known to diverge and has been treated */
	bool *waits;    /* [block]: contains an instruction at which threads may wait */
	uint32_t *mark; /* [block]: mask of sides of the current branch that reach it */
	uint32_t *region, nregion, *stack;
	uint32_t *written; /* [register]: mask of sides that write it */
	bool changed;
};

/* ---- properties of an instruction ---- */

bool inst_may_wait(const struct inst *in)
{
	return (op_info[in->op].facts & OF_WAITS) || inst_may_poll(in) || (in->mods & M_SYNC);
}

static enum scalar_why sreg_why(unsigned reg)
{
	switch (reg) {
	case SREG_TID:
	case SREG_LANEID:
	case SREG_LANEMASK_EQ:
	case SREG_LANEMASK_LE:
	case SREG_LANEMASK_LT:
	case SREG_LANEMASK_GE:
	case SREG_LANEMASK_GT:
	case SREG_NATIVE_CC: return VEC_THREAD;
	case SREG_CLOCK:
	case SREG_CLOCK_HI:
	case SREG_CLOCK64:
	case SREG_PM:
	case SREG_PM64:
	case SREG_GLOBALTIMER:
	case SREG_GLOBALTIMER_LO:
	case SREG_GLOBALTIMER_HI: return VEC_CLOCK;
	default: return VEC_NOT;
	}
}

static bool names_frame(const struct opnd *o)
{
	const struct var *v = o->sym;
	if (o->kind != OPND_SYM || !v)
		return false;
	v = v->def ? v->def : v;
	return v->space == SP_LOCAL || v->space == SP_FRAME;
}

/* True if the function may have a local address in a register. */
static bool has_local_addresses(const struct func *f)
{
	if (!f->entry || f->calls.n)
		return true;
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		if (op_info[in->op].scalar == OPS_LOCAL)
			return true;
		for (unsigned k = 0; k < in->ns; k++)
			if (names_frame(inst_src(in, k)) ||
			    (inst_is(in, OF_REBASES) && in->space == SP_LOCAL))
				return true;
	}
	return false;
}

static enum scalar_why access_why(const struct finder *s, const struct inst *in)
{
	bool strong = inst_is_strong(in);
	switch (in->space) {
	case SP_LOCAL:
	case SP_FRAME: return VEC_LOCAL;
	case SP_PARAM: return s->f->entry ? VEC_NOT : VEC_LOCAL;
	case SP_NONE:
	case SP_GENERIC: return s->locals ? VEC_LOCAL : strong ? VEC_EACH : VEC_NOT;
	default: return strong ? VEC_EACH : VEC_NOT;
	}
}

/* Why the instruction is vector by its kind; its registers are examined later. */
static enum scalar_why own_why(const struct finder *s, const struct inst *in)
{
	for (unsigned k = 0; k < in->ns; k++)
		if (inst_src(in, k)->kind == OPND_SREG && sreg_why(inst_src(in, k)->reg))
			return sreg_why(inst_src(in, k)->reg);
	if (in->mods & M_CC)
		return VEC_CARRY;
	switch ((enum op_scalar)op_info[in->op].scalar) {
	case OPS_ACCESS: return access_why(s, in);
	case OPS_ADDRESS: /* the address of a function's frame differs between threads */
		return !s->f->entry && in->ns && names_frame(inst_src(in, 0)) ? VEC_LOCAL : VEC_NOT;
	case OPS_BAR: return in->bar == BAR_RED ? VEC_EACH : VEC_NOT;
	case OPS_CARRY: return VEC_CARRY;
	case OPS_LOCAL: return VEC_LOCAL;
	case OPS_EACH: return VEC_EACH;
	case OPS_LANES: return VEC_LANES;
	case OPS_CALL: return VEC_CALL;
	case OPS_PLAIN: break;
	}
	return VEC_NOT;
}

/* ---- steps 2 and 3: registers ---- */

static void reg_vector(struct finder *s, uint32_t reg, unsigned how, uint32_t at)
{
	if (s->out->reg[reg] != REG_SCALAR)
		return;
	s->out->reg[reg] = (uint8_t)how;
	s->out->at[reg] = at;
	s->changed = true;
}

static void inst_vector(struct finder *s, uint32_t pc, enum scalar_why why, uint32_t cause)
{
	if (s->out->why[pc] != VEC_NOT)
		return;
	s->out->why[pc] = (uint8_t)why;
	s->out->cause[pc] = cause;
	s->changed = true;
}

static void look_at(struct finder *s, uint32_t pc)
{
	const struct inst *in = &s->f->code.v[pc];
	uint32_t r[INST_REGS];
	unsigned n = inst_uses(s->f, in, r);
	for (unsigned k = 0; k < n; k++)
		if (s->out->reg[r[k]] != REG_SCALAR)
			inst_vector(s, pc, VEC_READS, r[k]);
	n = inst_defs(s->f, in, r);
	for (unsigned k = 0; k < n; k++)
		if (s->out->reg[r[k]] != REG_SCALAR)
			inst_vector(s, pc, VEC_WRITES, r[k]);
	for (unsigned k = 0; k < n && s->out->why[pc] != VEC_NOT; k++)
		reg_vector(s, r[k], REG_BY_INST, pc);
}

/* ---- step 4: divergent branches ---- */

/* Marks the blocks that one side reaches before `stop`. */
static void mark_reached(struct finder *s, uint32_t from, uint32_t stop, uint32_t side)
{
	uint32_t n = 0;
	if (from == stop || from == s->c->n || (s->mark[from] & side))
		return;
	s->stack[n++] = from;
	if (!s->mark[from])
		s->region[s->nregion++] = from;
	s->mark[from] |= side;
	while (n) {
		uint32_t b = s->stack[--n];
		graph_each_succ (&s->c->g, b, t) {
			if (t == stop || t == s->c->n || (s->mark[t] & side))
				continue;
			if (!s->mark[t])
				s->region[s->nregion++] = t;
			s->mark[t] |= side;
			s->stack[n++] = t;
		}
	}
}

static void reach_all(struct finder *s, uint32_t b, uint32_t stop)
{
	unsigned side = 0;
	s->nregion = 0;
	graph_each_succ (&s->c->g, b, t) {
		mark_reached(s, t, stop, 1u << side);
		side += side < MAX_SIDES;
	}
}

static void forget_written(struct finder *s)
{
	for (uint32_t i = 0; i < s->nregion; i++)
		s->mark[s->region[i]] = 0;
}

/* True if a thread of a side in mask `a` and a thread of a side in mask `b` may belong to different sides. */
static bool may_conflict(uint32_t a, uint32_t b)
{
	uint32_t both = a | b;
	return a && b && ((both & (both - 1)) || both >> MAX_SIDES);
}

/* True if the register is live at a place where threads wait that did not write it: threads of
 * another side of the branch. */
static bool is_waited_for(struct finder *s, uint32_t b, uint32_t reg, bool inside)
{
	const struct cfg *c = s->c;
	uint32_t by = s->written[reg];
	unsigned side = 0;
	graph_each_succ (&c->g, b, t) {
		if (t != c->n && may_conflict(by, 1u << side) &&
		    live_at(s->l, reg, 2 * c->block[t].first))
			return true;
		side += side < MAX_SIDES;
	}
	for (uint32_t i = 0; i < s->nregion && inside; i++) {
		uint32_t q = s->region[i];
		if (!s->waits[q] || !may_conflict(by, s->mark[q]))
			continue;
		for (uint32_t pc = c->block[q].first; pc < c->block[q].end; pc++)
			if (inst_may_wait(&s->f->code.v[pc]) &&
			    (live_at(s->l, reg, 2 * pc) || live_at(s->l, reg, 2 * pc + 1)))
				return true;
	}
	return false;
}

/* Lists each scalar register that is written in the region, once. */
static void written_in_region(struct finder *s, uint32_t *list, uint32_t *n)
{
	uint32_t r[INST_REGS];
	*n = 0;
	for (uint32_t i = 0; i < s->nregion; i++) {
		const struct basic_block *q = &s->c->block[s->region[i]];
		for (uint32_t pc = q->first; pc < q->end; pc++) {
			unsigned k = inst_defs(s->f, &s->f->code.v[pc], r);
			while (k--) {
				if (s->out->reg[r[k]] != REG_SCALAR)
					continue;
				if (!s->written[r[k]])
					list[(*n)++] = r[k];
				s->written[r[k]] |= s->mark[s->region[i]];
			}
		}
	}
}

static bool region_waits(const struct finder *s)
{
	for (uint32_t i = 0; i < s->nregion; i++)
		if (s->waits[s->region[i]])
			return true;
	return false;
}

static void treat_divergent(struct finder *s, uint32_t b, uint32_t *list)
{
	const struct cfg *c = s->c;
	uint32_t pc = c->block[b].end - 1, meet = s->pdom->idom[b], n;
	reach_all(s, b, meet);
	if (s->rule == SCALAR_CONVERGENT)
		for (uint32_t i = 0; i < s->nregion; i++)
			for (uint32_t k = c->block[s->region[i]].first;
			     k < c->block[s->region[i]].end; k++)
				inst_vector(s, k, VEC_DIVERGENT, 0);
	bool inside = region_waits(s);
	written_in_region(s, list, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (meet < c->n && live_at(s->l, list[i], 2 * c->block[meet].first))
			reg_vector(s, list[i], REG_MEETS, pc);
		s->written[list[i]] = 0;
	}
	if (inside) { /* threads of one side may be far beyond the meeting point */
		forget_written(s);
		reach_all(s, b, NO_NODE);
	}
	written_in_region(s, list, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (is_waited_for(s, b, list[i], inside))
			reg_vector(s, list[i], REG_WAITS, pc);
		s->written[list[i]] = 0;
	}
	forget_written(s);
}

static void look_at_branches(struct finder *s, uint32_t *list)
{
	const struct cfg *c = s->c;
	for (uint32_t b = 0; b < c->n; b++) {
		uint32_t pc = c->block[b].end - 1;
		if (s->done[b] || !cfg_reached(c, b) || s->out->why[pc] == VEC_NOT ||
		    !inst_may_diverge(&s->f->code.v[pc]))
			continue;
		s->done[b] = true;
		treat_divergent(s, b, list);
	}
}

/* ---- functions ---- */

/* Treats all code of a function as divergent: the caller may have split the threads. */
static void waits_in_function(struct finder *s)
{
	if (s->f->entry)
		return;
	for (uint32_t b = 0; b < s->c->n; b++)
		for (uint32_t pc = s->c->block[b].first; s->waits[b] && pc < s->c->block[b].end;
		     pc++)
			for (uint32_t r = 0; r < s->f->regs.n && inst_may_wait(&s->f->code.v[pc]);
			     r++)
				if (live_at(s->l, r, 2 * pc) || live_at(s->l, r, 2 * pc + 1))
					reg_vector(s, r, REG_WAITS, pc);
}

/* ---- all together ---- */

static void start_analysis(struct finder *s, struct arena *a)
{
	const struct func *f = s->f;
	bool tokens = false;
	*s->out = (struct scalar){
		.why = ARENA_ARRAY(a, uint8_t, f->code.n + 1),
		.cause = ARENA_ARRAY(a, uint32_t, f->code.n + 1),
		.reg = ARENA_ARRAY(a, uint8_t, f->regs.n + 1),
		.at = ARENA_ARRAY(a, uint32_t, f->regs.n + 1),
	};
	for (size_t i = 0; i < f->code.n; i++) /* flattened code contains no such instructions */
		tokens |= inst_is_native_flow(&f->code.v[i]);
	s->locals = has_local_addresses(f);
	for (uint32_t b = 0; b < s->c->n; b++)
		for (uint32_t pc = s->c->block[b].first; pc < s->c->block[b].end; pc++) {
			s->out->why[pc] = (uint8_t)((tokens && s->rule != SCALAR_KINDS) ||
								    s->rule == SCALAR_NONE
							    ? VEC_NATIVE
							    : own_why(s, &f->code.v[pc]));
			s->waits[b] |= inst_may_wait(&f->code.v[pc]);
		}
}

void scalar_find(struct scalar *out, struct arena *a, const struct func *f, const struct cfg *c,
		 const struct domtree *pdom, const struct live *l, enum scalar_rule rule)
{
	struct arena tmp = {0};
	struct finder s = {.f = f,
			   .c = c,
			   .pdom = pdom,
			   .l = l,
			   .rule = rule,
			   .out = out,
			   .done = ARENA_ARRAY(&tmp, bool, c->n + 1),
			   .waits = ARENA_ARRAY(&tmp, bool, c->n + 1),
			   .mark = ARENA_ARRAY(&tmp, uint32_t, c->n + 1),
			   .region = ARENA_ARRAY(&tmp, uint32_t, c->n + 1),
			   .stack = ARENA_ARRAY(&tmp, uint32_t, c->n + 1),
			   .written = ARENA_ARRAY(&tmp, uint32_t, f->regs.n + 1)};
	uint32_t *list = ARENA_ARRAY(&tmp, uint32_t, f->regs.n + 1);
	start_analysis(&s, a);
	waits_in_function(&s);
	do {
		s.changed = false;
		for (uint32_t i = 0; i < c->rpo.n; i++) {
			uint32_t b = c->rpo.node[i];
			for (uint32_t pc = c->block[b].first; b < c->n && pc < c->block[b].end;
			     pc++)
				look_at(&s, pc);
		}
		look_at_branches(&s, list);
	} while (s.changed);
	for (uint32_t b = 0; b < c->n; b++)
		for (uint32_t pc = c->block[b].first; cfg_reached(c, b) && pc < c->block[b].end;
		     pc++) {
			out->insts++;
			out->scalars += out->why[pc] == VEC_NOT;
		}
	arena_free(&tmp);
}

/* ---- the reason as text ---- */

static int reg_text(const struct scalar *s, const struct func *f, uint32_t reg, char *buf, size_t n)
{
	uint32_t line = f->code.v[s->at[reg]].line;
	switch (s->reg[reg]) {
	case REG_MEETS:
		return snprintf(buf, n,
				", written under the branch in line %u, live where its sides meet",
				line);
	case REG_WAITS:
		return snprintf(buf, n,
				", written while other threads wait with it, because of line %u",
				line);
	case REG_BY_INST: return snprintf(buf, n, ", written in line %u", line);
	default: return 0;
	}
}

const char *scalar_text(const struct scalar *s, const struct func *f, uint32_t pc, char *buf,
			size_t n)
{
	static const char *const text[] = {
#define X(e, t) t,
		SCALAR_WHY(X)
#undef X
	};
	unsigned why = s->why[pc];
	bool named = why == VEC_READS || why == VEC_WRITES;
	const char *name = named ? f->regs.v[s->cause[pc]].name : "";
	size_t k = 0;
	buf[0] = 0;
	if (named) {
		k = (size_t)snprintf(buf, n, "%s vector %s", why == VEC_READS ? "reads" : "writes",
				     name);
		if (k < n)
			reg_text(s, f, s->cause[pc], buf + k, n - k);
	} else {
		snprintf(buf, n, "%s", text[why]);
	}
	return buf;
}
