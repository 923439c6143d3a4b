/* Short branches become guards. One arm of a branch, or both, with few instructions that cannot diverge, is executed under the
 * branch's predicate; fermi/skip.c branches over guarded code that no thread needs.
 *
 *	@p bra J;            a guarded by !p           @p bra E; a; bra J; E: b; J:    a by !p, b by p
 *	a; J:
 *
 * A branch over a branch is turned around first. Removed instructions become no-operations, so that indices stay valid. */
#include <stdlib.h>
#include "back/lower/lower.h"

/* Most instructions in one arm, which skip.c can skip, and in two arms. */
enum { MOST = 24, MOST_TESLA = 4, MOST_BOTH = 7 };
/* On sm_90 a branch to the end of the thread is one instruction: most instructions that are guarded instead. */
enum { MOST_BEFORE_END = 2, QUOTIENT = 8 };

struct pass {
	struct func *f;
	uint32_t *targets; /* [index]: number of branches to it */
	unsigned most;
	bool ends; /* a branch to the end of the thread is the end itself */
};

static void count_targets(struct pass *p)
{
	for (size_t i = 0; i < p->f->code.n; i++)
		if (p->f->code.v[i].op == OP_BRA)
			p->targets[p->f->code.v[i].target]++;
	for (size_t t = 0; t < p->f->targets.n; t++)
		for (uint32_t k = 0; k < p->f->targets.v[t].n; k++)
			p->targets[p->f->targets.v[t].pc[k]]++;
}

static void remove_inst(struct pass *p, size_t i)
{
	struct inst *in = &p->f->code.v[i];
	if (in->op == OP_BRA)
		p->targets[in->target]--;
	in->op = OP_NOP;
	in->nd = in->ns = 0;
	in->guard = NO_REG;
}

/* @p bra X; bra Y; X:  becomes  @!p bra Y; X: */
static void turn_around(struct pass *p, size_t i)
{
	struct inst *a = &p->f->code.v[i], *b = a + 1;
	if (i + 2 > p->f->code.n || a->op != OP_BRA || a->guard == NO_REG || a->target != i + 2 ||
	    b->op != OP_BRA || b->guard != NO_REG || p->targets[i + 1])
		return;
	p->targets[a->target]--;
	p->targets[b->target]++;
	a->target = b->target;
	a->guard_neg = !a->guard_neg;
	a->mods &= ~(unsigned)M_UNI;
	remove_inst(p, i + 1);
}

static bool may_guard(const struct inst *in, uint32_t pred)
{
	switch (in->op) {
	case OP_BRA:
	case OP_BRX:
	case OP_RET:
	case OP_EXIT:
	case OP_TRAP:
	case OP_CALL:
	case OP_BAR:
	case OP_BAR_WARP:
	case OP_VOTE:
	case OP_ACTIVEMASK:
	case OP_TEX:
	case OP_ATOM:
	case OP_RED:
	case OP_SHFL: return false;
	}
	if (in->guard != NO_REG || in->mods & M_CC || in->op == OP_ADDC || in->op == OP_SUBC ||
	    in->op == OP_MADC)
		return false;
	for (unsigned k = 0; k < in->nd; k++)
		if ((in->opnd[k].kind == OPND_REG || in->opnd[k].kind == OPND_PRED) &&
		    in->opnd[k].reg == pred)
			return false;
	return true;
}

/* The number of instructions from a to before b, if all may be guarded and no branch goes between
 * them; else -1. */
static int count_arm(const struct pass *p, size_t a, size_t b, uint32_t pred)
{
	int n = 0;
	for (size_t i = a; i < b; i++) {
		const struct inst *in = &p->f->code.v[i];
		if ((i > a && p->targets[i]) || n > (int)p->most)
			return -1;
		if (in->op == OP_NOP)
			continue;
		if (!may_guard(in, pred))
			return -1;
		bool quotient =
			p->ends && (in->op == OP_DIV || in->op == OP_REM || in->op == OP_SQRT);
		n += quotient ? QUOTIENT : type_bits(in->type) == 64 ? 2 : 1;
	}
	return n > (int)p->most ? -1 : n;
}

static void guard_arm(struct pass *p, size_t a, size_t b, uint32_t pred, bool neg)
{
	for (size_t i = a; i < b; i++)
		if (p->f->code.v[i].op != OP_NOP) {
			p->f->code.v[i].guard = pred;
			p->f->code.v[i].guard_neg = neg;
		}
}

static void convert_branch(struct pass *p, size_t i)
{
	struct inst *in = &p->f->code.v[i];
	if (in->op != OP_BRA || in->guard == NO_REG || in->target <= i + 1)
		return;
	uint32_t pred = in->guard, to = in->target;
	bool neg = in->guard_neg;
	if (p->targets[i + 1])
		return;
	int n = count_arm(p, i + 1, to, pred);
	const struct inst *after = to < p->f->code.n ? &p->f->code.v[to] : NULL;
	if (p->ends && n > MOST_BEFORE_END && after &&
	    (after->op == OP_RET || after->op == OP_EXIT) && after->guard == NO_REG)
		return;
	if (n > 0) { /* only one arm has instructions */
		guard_arm(p, i + 1, to, pred, !neg);
		remove_inst(p, i);
		return;
	}
	struct inst *last = &p->f->code.v[to - 1];
	if (last->op != OP_BRA || last->guard != NO_REG || last->target < to || p->targets[to] != 1)
		return;
	int a = count_arm(p, i + 1, to - 1, pred), b = count_arm(p, to, last->target, pred);
	if (a < 0 || b < 0 || a + b > (int)p->most || a + b > MOST_BOTH || p->targets[to - 1])
		return;
	guard_arm(p, i + 1, to - 1, pred, !neg);
	guard_arm(p, to, last->target, pred, neg);
	remove_inst(p, to - 1);
	remove_inst(p, i);
}

void lower_predicates(struct lowering *x)
{
	struct func *f = x->f;
	struct pass p = {.f = f};
	p.ends = x->target->sm >= 70;
	p.most = x->target->sm >= 20 ? MOST : MOST_TESLA;
	p.targets = xcalloc(f->code.n + 2, sizeof *p.targets);
	count_targets(&p);
	for (size_t i = 0; i + 1 < f->code.n; i++)
		turn_around(&p, i);
	for (size_t i = f->code.n; i-- > 0 && !(x->without & FUSE_PREDICATE);)
		if (i + 1 < f->code.n)
			convert_branch(&p, i);
	free(p.targets);
}
