/* Barriers in both arms of a branch. PTX counts threads: threads of one arm may meet threads of the other. The
 * token stack runs one arm up to the meeting point before the other, so the first arm would wait for ever.
 * This pass joins the two barriers into one where the arms meet, and splits the arms again after it:
 *
 * 	@p bra A;                 @p bra A;
 * 	b; bar.sync 1; c; bra J;  b; r = 1; bra M;  C: c; bra J;
 * 	A: d; bar.sync 1; e; J:   A: d; r = 0; bra M;  E: e; J: ...
 * 	                          M: bar.sync 1; if (r == 0) goto E; goto C;
 *
 * Every path through an arm must pass its barrier exactly once. */
#include <stdlib.h>
#include <string.h>
#include "back/lower/lower.h"

enum { ROUNDS = 64, NONE = -1, SEVERAL = -2 };

static bool is_plain(const struct inst *in)
{
	return in->op == OP_BAR && in->mode == BAR_SYNC && in->guard == NO_REG &&
	       !(in->imm & (BAR_HAS_COUNT | BAR_CLUSTER)) && inst_src(in, 0)->kind == OPND_IMM;
}

/* The only barrier of the arm that begins in block `arm`; NONE, SEVERAL. */
static int64_t find_site(const struct func *f, const struct cfg *c, const struct domtree *dom,
			 const struct domtree *pdom, uint32_t arm, uint32_t meet)
{
	int64_t found = NONE;
	for (uint32_t b = 0; b < c->n; b++) {
		if (!cfg_reached(c, b) || !dominates(dom, arm, b) || dominates(dom, meet, b))
			continue;
		for (uint32_t i = c->block[b].first; i < c->block[b].end; i++)
			if (f->code.v[i].op == OP_BAR)
				found = found == NONE && is_plain(&f->code.v[i]) &&
							dominates(pdom, b, arm)
						? (int64_t)i
						: SEVERAL;
	}
	return found;
}

struct rewrite {
	struct func *f;
	struct arena *a;
	VEC(struct inst) code;
	uint32_t number, flag; /* registers: number of the arm; predicate that tests it */
};

static struct inst *put_inst(struct rewrite *x, const struct inst *like, unsigned op, unsigned type,
			     unsigned nd, unsigned ns, const struct opnd *o)
{
	vec_push(&x->code, inline_inst(x->a, like, op, type, nd, ns, o));
	return &x->code.v[x->code.n - 1];
}

void back_retarget(struct func *f, struct inst *code, size_t n, const uint32_t *to)
{
	for (size_t i = 0; i < n; i++)
		if (code[i].op == OP_BRA && code[i].target != NO_PC)
			code[i].target = to[code[i].target];
	for (size_t t = 0; t < f->targets.n; t++)
		for (uint32_t k = 0; k < f->targets.v[t].n; k++)
			f->targets.v[t].pc[k] = to[f->targets.v[t].pc[k]];
}

void back_take_code(struct func *f, struct inst *code, size_t n, size_t cap)
{
	vec_free(&f->code);
	f->code.v = code;
	f->code.n = n;
	f->code.cap = cap;
}

static void join_barriers(struct func *f, struct arena *a, const uint32_t at[2])
{
	struct rewrite x = {.f = f, .a = a};
	uint32_t *to = xmalloc((f->code.n + 1) * sizeof *to), leave[2] = {0};
	const struct inst *bar = &f->code.v[at[0]];
	vec_push(&f->regs, (struct reg){"%arm", T_U32});
	vec_push(&f->regs, (struct reg){"%first", T_PRED});
	x.number = (uint32_t)f->regs.n - 2;
	x.flag = x.number + 1;
	size_t old = f->code.n;
	for (size_t i = 0; i < old; i++) {
		to[i] = (uint32_t)x.code.n;
		if (i != at[0] && i != at[1]) {
			vec_push(&x.code, f->code.v[i]);
			continue;
		}
		unsigned k = i == at[1];
		put_inst(&x, &f->code.v[i], OP_MOV, T_U32, 1, 1,
			 (struct opnd[]){opnd_reg(x.number, T_U32), opnd_imm(k, T_U32)});
		put_inst(&x, &f->code.v[i], OP_BRA, T_NONE, 0, 0, NULL);
		leave[k] = (uint32_t)x.code.n; /* target of the arm after the barrier */
	}
	to[old] = (uint32_t)x.code.n;
	back_retarget(f, x.code.v, x.code.n, to);
	put_inst(&x, bar, OP_EXIT, T_NONE, 0, 0, NULL); /* replaces the end of the code, past the
	                                                 * last instruction */
	for (unsigned k = 0; k < 2; k++)
		x.code.v[leave[k] - 1].target = (uint32_t)x.code.n;
	vec_push(&x.code, *bar);
	struct opnd test[] = {opnd_reg(x.flag, T_PRED), opnd_reg(x.number, T_U32),
			      opnd_imm(0, T_U32)};
	put_inst(&x, bar, OP_SETP, T_PRED, 1, 2, test)->stype = T_U32;
	x.code.v[x.code.n - 1].cmp = CMP_EQ;
	struct inst *b = put_inst(&x, bar, OP_BRA, T_NONE, 0, 0, NULL);
	b->guard = x.flag;
	b->target = leave[0];
	put_inst(&x, bar, OP_BRA, T_NONE, 0, 0, NULL)->target = leave[1];
	back_take_code(f, x.code.v, x.code.n, x.code.cap);
	free(to);
}

/* Joins one pair of barriers; false: there is none. */
static bool join_one(struct func *f, struct arena *a)
{
	struct cfg *c = cfg_build(a, f);
	struct domtree dom, pdom;
	dom_build(&dom, c);
	pdom_build(&pdom, c);
	for (uint32_t b = 0; b + 1 < c->n; b++) {
		if (!cfg_reached(c, b) || c->block[b].end == c->block[b].first)
			continue;
		const struct inst *in = &f->code.v[c->block[b].end - 1];
		uint32_t meet = pdom.idom[b];
		if (in->op != OP_BRA || in->guard == NO_REG || in->mods & M_UNI ||
		    meet == NO_NODE || meet == c->n)
			continue;
		uint32_t arm[2] = {c->block_of[in->target], b + 1};
		if (arm[0] == meet || arm[1] == meet || arm[0] == arm[1])
			continue;
		int64_t s[2] = {find_site(f, c, &dom, &pdom, arm[0], meet),
				find_site(f, c, &dom, &pdom, arm[1], meet)};
		if (s[0] < 0 || s[1] < 0 || s[0] == s[1] ||
		    inst_src(&f->code.v[s[0]], 0)->imm != inst_src(&f->code.v[s[1]], 0)->imm)
			continue;
		join_barriers(f, a, (uint32_t[]){(uint32_t)s[0], (uint32_t)s[1]});
		return true;
	}
	return false;
}

void lower_barriers(struct lowering *x)
{
	struct func *f = x->f;
	unsigned n = 0;
	for (size_t i = 0; i < f->code.n; i++)
		n += f->code.v[i].op == OP_BAR;
	for (unsigned k = 0; n > 1 && k < ROUNDS && join_one(f, x->a); k++)
		;
}
