/* Selects the code of a kernel: its blocks in order, the instructions of each block by the table of
 * operations, and the branches between blocks as the token stack requires (tokens.c). */
#include <string.h>
#include "back/select/operations.h"
#include "pass/pass.h"

static void make_values(struct sel *s)
{
	s->value = ARENA_ARRAY(s->m.a, uint32_t, s->f->regs.n + 1);
	for (uint32_t r = 0; r < s->f->regs.n; r++)
		s->value[r] = mval_new(&s->m, sel_width(s, r));
}

static void select_inst(struct sel *s, const struct inst *in)
{
	s->in = in;
	if (type_bits(in->type) == 128 &&
	    !(s->how->quads &&
	      in->op == OP_ATOM)) /* an atomic of 128 bits: lower/split.c has split all other
	                           * operations */
		sel_refuse(s, op_info[in->op].facts & OF_ATOMIC ? "atomics of more than 64 bits"
								: "operations of 128 bits");
	else
		sel_function(in, s->how->column)(s);
}

/* Emits a branch, or a wait where the edge ends a region, under a predicate (V_TRUE: always). */
static void put_edge(struct sel *s, const struct tokens *t, uint32_t from, uint32_t to,
		     uint32_t pred, bool neg, uint32_t next)
{
	bool pop = tokens_pop(t, from, to);
	bool straight = s->how->joins ? pop == t->meets[to] : !pop;
	if (straight && pred == V_TRUE && to == next)
		return;
	s->how->branch(s, pop, pop && s->how->joins ? s->join_label[to] : s->block_label[to], pred,
		       neg);
}

/* Emits a switch as a chain of comparisons. */
static void switch_to(struct sel *s, const struct cfg *c, const struct tokens *t, uint32_t b,
		      const struct inst *in)
{
	const struct targets *x = &s->f->targets.v[in->imm];
	if (in->guard != NO_REG) {
		sel_refuse(s, "with a guard");
		return;
	}
	for (uint32_t i = 0; i + 1 < x->n; i++)
		put_edge(s, t, b, c->block_of[x->pc[i]], s->how->equal(s, i), false, NO_NODE);
	if (x->n)
		put_edge(s, t, b, c->block_of[x->pc[x->n - 1]], V_TRUE, false, NO_NODE);
}

/* Emits a guarded backward branch through a stub after the code: the threads that take the branch
 * run after the others. */
static void go_by_stub(struct sel *s, uint32_t from, uint32_t to)
{
	struct stub x = {sel_label(s), from, to, s->in};
	s->how->branch(s, false, x.label, s->value[s->in->guard], s->in->guard_neg);
	vec_push(&s->stubs, x);
}

static void place_stubs(struct sel *s, const struct tokens *t)
{
	for (size_t i = 0; i < s->stubs.n; i++) {
		s->in = s->stubs.v[i].in;
		sel_place(s, s->stubs.v[i].label);
		put_edge(s, t, s->stubs.v[i].from, s->stubs.v[i].to, V_TRUE, false, NO_NODE);
	}
	vec_free(&s->stubs);
}

static void end_block(struct sel *s, const struct cfg *c, const struct tokens *t, uint32_t b,
		      uint32_t next)
{
	const struct basic_block *k = &c->block[b];
	const struct inst *in = k->end > k->first ? &s->f->code.v[k->end - 1] : NULL;
	uint32_t after = b + 1;
	for (uint32_t r = t->first[b]; r < t->first[b + 1]; r++) {
		uint32_t meet = t->region[r].meet;
		bool join = s->how->joins && !s->how->behind_join;
		s->how->push(s, join ? s->join_label[meet] : s->block_label[meet], t->level[meet]);
	}
	if (in && in->op == OP_BRA) {
		uint32_t to = c->block_of[in->target];
		s->in = in;
		bool back = in->guard != NO_REG && to <= b,
		     waits = s->how->joins && tokens_pop(t, b, to);
		if (back && !s->how->any_branch &&
		    (waits || (!tokens_pop(t, b, to) && !tokens_pop(t, b, after)))) {
			/* A loop's test that continues elsewhere than at the exit must not become a
			 * backward branch: the rule that drops threads at backward branches would
			 * apply to it. */
			if (in->mode == BRA_LAST) {
				go_by_stub(s, b, to);
				put_edge(s, t, b, after, V_TRUE, false, next);
				return;
			}
			put_edge(s, t, b, after, s->value[in->guard], !in->guard_neg, NO_NODE);
			put_edge(s, t, b, to, V_TRUE, false, next);
		} else if (in->guard != NO_REG) {
			put_edge(s, t, b, to, s->value[in->guard], in->guard_neg, NO_NODE);
			put_edge(s, t, b, after, V_TRUE, false, next);
		} else {
			put_edge(s, t, b, to, V_TRUE, false, next);
		}
	} else if (in && in->op == OP_BRX) {
		s->in = in;
		switch_to(s, c, t, b, in);
	} else if (in && (in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP)) {
		s->in = in;
		s->how->leave(s);
		if (in->guard != NO_REG)
			put_edge(s, t, b, after, V_TRUE, false, next);
	} else if (after <= c->n) {
		put_edge(s, t, b, after, V_TRUE, false, next);
	}
}

static bool is_end(const struct inst *in)
{
	return in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET || in->op == OP_EXIT ||
	       in->op == OP_TRAP;
}

/* Emits the waits of regions that end at this block. */
static void begin_block(struct sel *s, const struct tokens *t, uint32_t b)
{
	if (s->how->joins && t->meets[b]) {
		sel_place(s, s->join_label[b]);
		s->how->joins(s, t->level[b]);
	}
	sel_place(s, s->block_label[b]);
	if (s->how->block)
		s->how->block(s);
}

/* True if control can go on after the code so far: by falling through or to the label. */
static bool may_reach(const struct sel *s, uint32_t label)
{
	const struct mi *last = s->m.code.n ? &s->m.code.v[s->m.code.n - 1] : NULL;
	bool reach = !last || !last->name || !last->ends || last->guard != V_TRUE;
	for (size_t i = 0; i < s->m.code.n && !reach; i++) {
		const struct mi *in = &s->m.code.v[i];
		reach = in->name && in->label == label + 1;
		for (unsigned k = 0; in->name && k < in->n; k++)
			reach |= in->o[k].kind == MO_LABEL && in->o[k].imm == label;
	}
	return reach;
}

/* True if the kernel calls a function that the driver provides: other calls have been copied. */
static bool has_calls(const struct func *f)
{
	for (size_t i = 0; i < f->code.n; i++)
		if (f->code.v[i].op == OP_CALL)
			return true;
	return false;
}

bool sel_kernel(struct sel *s, const struct func *f, struct layout *l, struct diag *d)
{
	s->f = f;
	s->lay = l;
	s->d = d;
	struct cfg *c = cfg_build(s->m.a, f);
	struct tokens t;
	s->m.calls = has_calls(f);
	tokens_place(&t, f, c, s->m.a, s->m.calls ? s->how->levels_with_calls : s->how->levels,
		     s->how->any_branch);
	make_values(s);
	s->block_label = ARENA_ARRAY(s->m.a, uint32_t, c->n + 1);
	s->join_label = ARENA_ARRAY(s->m.a, uint32_t, c->n + 1);
	for (uint32_t b = 0; b <= c->n; b++) {
		s->block_label[b] = sel_label(s);
		s->join_label[b] = sel_label(s);
	}
	if (s->how->begin)
		s->how->begin(s);
	for (uint32_t b = 0; b < c->n && !s->bad; b++) {
		if (!cfg_reached(c, b))
			continue;
		begin_block(s, &t, b);
		s->apart = t.apart && (t.apart[b] || s->m.calls);
		for (uint32_t i = c->block[b].first; i < c->block[b].end && !s->bad; i++) {
			if (!is_end(&f->code.v[i]))
				select_inst(s, &f->code.v[i]);
			s->apart &= !tokens_gathers(&f->code.v[i]);
			s->apart |= t.apart && f->code.v[i].op == OP_CALL;
		}
		uint32_t next = b + 1;
		while (next < c->n && !cfg_reached(c, next))
			next++;
		end_block(s, c, &t, b, next);
	}
	if (may_reach(s, s->block_label[c->n])) { /* past the last instruction */
		sel_place(s, s->block_label[c->n]);
		s->in = NULL;
		s->how->leave(s);
	}
	place_stubs(s, &t);
	s->m.local = f->frame_bytes;
	return !s->bad;
}
