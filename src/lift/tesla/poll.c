/* Loads that wait for other threads. Each Tesla load reads memory; none has a mark for waiting, as Fermi's .CV is one. A load from
 * the same address in every round of a loop that stores nothing is taken for a wait, because a compiler moves any other load
 * out of the loop. It becomes volatile, so that other blocks run meanwhile. */
#include <stdlib.h>
#include "lift/gen.h"

enum { LONGEST = 128 }; /* instructions of a loop that waits */
enum { FIRST_READ = 1, WRITTEN = 2, VARIES = 4 };

struct wait_loop {
	struct func *f;
	size_t from, to;
	uint8_t *reg; /* what the loop does with each */
};

static uint32_t reg_of(const struct opnd *o)
{
	return o->kind == OPND_REG || o->kind == OPND_PRED || o->kind == OPND_MEM ? o->reg : NO_REG;
}

static void reads(struct wait_loop *l, uint32_t r)
{
	if (r != NO_REG && !(l->reg[r] & WRITTEN))
		l->reg[r] |= FIRST_READ;
}

/* False: it stores, or all threads meet in it. */
static bool look(struct wait_loop *l)
{
	memset(l->reg, 0, l->f->regs.n);
	for (size_t i = l->from; i <= l->to; i++) {
		const struct inst *in = &l->f->code.v[i];
		if (in->op == OP_ST || in->op == OP_BAR)
			return false;
		reads(l, in->guard);
		for (unsigned k = in->nd; k < in->nd + in->ns; k++)
			reads(l, reg_of(&in->opnd[k]));
		for (unsigned k = 0; k < in->nd; k++) {
			uint32_t r = reg_of(&in->opnd[k]);
			if (in->guard != NO_REG)
				reads(l, r); /* what it was may stay */
			if (r != NO_REG)
				l->reg[r] |= WRITTEN;
		}
	}
	for (size_t r = 0; r < l->f->regs.n; r++)
		if (l->reg[r] == (FIRST_READ | WRITTEN))
			l->reg[r] |= VARIES;
	return true;
}

static bool reg_varies(const struct wait_loop *l, uint32_t r)
{
	return r != NO_REG && l->reg[r] & VARIES;
}

static bool varies(const struct wait_loop *l, const struct inst *in)
{
	bool yes = reg_varies(l, in->guard);
	for (unsigned k = in->nd; k < in->nd + in->ns; k++)
		yes |= reg_varies(l, reg_of(&in->opnd[k]));
	return yes;
}

/* Follows what varies through the loop and marks loads from addresses that do not. */
static void mark(struct wait_loop *l)
{
	for (size_t i = l->from; i <= l->to; i++) {
		struct inst *in = &l->f->code.v[i];
		bool load = in->op == OP_LD && in->space == SP_GLOBAL;
		if (load && !reg_varies(l, reg_of(inst_src(in, 0))))
			in->mods |= M_VOLATILE;
		bool now = load || in->op == OP_ATOM || varies(l, in);
		for (unsigned k = 0; k < in->nd; k++) {
			uint32_t r = reg_of(&in->opnd[k]);
			if (r != NO_REG && now)
				l->reg[r] |= VARIES;
			else if (r != NO_REG && in->guard == NO_REG)
				l->reg[r] &= (uint8_t)~VARIES;
		}
	}
}

void gen_polls(struct ngen *g)
{
	struct func *f = g->f;
	struct wait_loop l = {.f = f, .reg = xmalloc(f->regs.n + 1)};
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *b = &f->code.v[i];
		if (b->op != OP_NATIVE || b->target > i || i - b->target > LONGEST)
			continue;
		l.from = b->target;
		l.to = i;
		if (look(&l))
			mark(&l);
	}
	free(l.reg);
}
