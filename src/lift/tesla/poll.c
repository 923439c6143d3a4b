/* Finds loads that wait for other threads. Tesla's loads have no mark for waiting, as Fermi's .CV
 * is one. A load from a fixed address in every round of a loop that stores nothing is assumed to
 * wait, because a compiler moves any other such load out of the loop. It becomes volatile, so that
 * other blocks run meanwhile. */
#include <stdlib.h>
#include "lift/gen.h"

enum { LONGEST = 128 }; /* most instructions of a loop that waits */
enum { FIRST_READ = 1, WRITTEN = 2, VARIES = 4 };

struct wait_loop {
	struct func *f;
	size_t from, to;
	uint8_t *reg; /* per register: its role in the loop */
};

static uint32_t reg_of(const struct opnd *o)
{
	return o->kind == OPND_REG || o->kind == OPND_PRED || o->kind == OPND_MEM ? o->reg : NO_REG;
}

static void note_read(struct wait_loop *l, uint32_t r)
{
	if (r != NO_REG && !(l->reg[r] & WRITTEN))
		l->reg[r] |= FIRST_READ;
}

/* Examines the loop. False: it stores, or all threads meet in it. */
static bool examine_loop(struct wait_loop *l)
{
	memset(l->reg, 0, l->f->regs.n);
	for (size_t i = l->from; i <= l->to; i++) {
		const struct inst *in = &l->f->code.v[i];
		if (in->op == OP_ST || in->op == OP_BAR)
			return false;
		note_read(l, in->guard);
		for (unsigned k = in->nd; k < in->nd + in->ns; k++)
			note_read(l, reg_of(&in->opnd[k]));
		for (unsigned k = 0; k < in->nd; k++) {
			uint32_t r = reg_of(&in->opnd[k]);
			if (in->guard != NO_REG)
				note_read(l, r); /* a guarded write may leave the old value */
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

static bool has_varying_source(const struct wait_loop *l, const struct inst *in)
{
	bool yes = reg_varies(l, in->guard);
	for (unsigned k = in->nd; k < in->nd + in->ns; k++)
		yes |= reg_varies(l, reg_of(&in->opnd[k]));
	return yes;
}

/* Follows the registers that vary in the loop and marks loads from addresses that do not. */
static void mark_polls(struct wait_loop *l)
{
	for (size_t i = l->from; i <= l->to; i++) {
		struct inst *in = &l->f->code.v[i];
		bool load = in->op == OP_LD && in->space == SP_GLOBAL;
		if (load && !reg_varies(l, reg_of(inst_src(in, 0))))
			in->mods |= M_VOLATILE;
		bool now = load || in->op == OP_ATOM || has_varying_source(l, in);
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
		if (examine_loop(&l))
			mark_polls(&l);
	}
	free(l.reg);
}
