#include "pass/brief.h"

#include "pass/regs.h"

/* How an instruction breaks a run. */
enum pause {
	PAUSE_NONE,
	PAUSE_AFTER, /* lanes may wait when it has been executed */
	PAUSE_AT     /* lanes may wait at it, and its results arrive whenever they resume */
};

static enum pause pause_of(const struct inst *in)
{
	const struct op_info *o = &op_info[in->op];
	if (o->facts & OF_ENDS)
		return PAUSE_NONE; /* a branch ends the block, and with it the run */
	if (inst_is(in, OF_LOAD))
		return inst_may_wait(in) ? PAUSE_AFTER : PAUSE_NONE;
	return inst_may_wait(in) || (o->facts & OF_ORDER) || o->scalar == OPS_LANES ? PAUSE_AT
										    : PAUSE_NONE;
}

/* Numbers the runs: [point of the code] -> run; 0: in none. */
static uint32_t *runs_of(struct arena *a, const struct func *f, const struct cfg *c)
{
	uint32_t *run = ARENA_ARRAY(a, uint32_t, 2 * f->code.n + 3), at = 1;
	for (uint32_t pc = 0; pc < f->code.n; pc++) {
		enum pause p = pause_of(&f->code.v[pc]);
		at += c->block[c->block_of[pc]].first == pc;
		run[2 * pc] = p == PAUSE_AT ? 0 : at;
		at += p != PAUSE_NONE;
		run[2 * pc + 1] = p == PAUSE_AT ? 0 : at;
	}
	return run;
}

/* True if the segment begins with a write and ends with a read, or unread, in one run. A value that
 * is live across the edge of a block has a segment up to that edge, wherever its other segments
 * are: consecutive blocks need not be neighbours in the code. */
static bool in_one_run(struct seg s, const uint32_t *run, const struct cfg *c)
{
	bool written = s.from % 2, read = s.to % 2;
	uint32_t pc = (s.to - 1) / 2, end = c->block[c->block_of[pc]].end;
	return run[s.from] && run[s.from] == run[s.to - 1] && written && (read || s.to < 2 * end);
}

bool *brief_find(struct arena *a, const struct func *f, const struct cfg *c, const struct live *l)
{
	bool *brief = ARENA_ARRAY(a, bool, l->nregs);
	const uint32_t *run = runs_of(a, f, c);
	for (uint32_t r = 0; r < l->nregs; r++) {
		brief[r] = type_rows(f->regs.v[r].type) != 0;
		for (uint32_t i = l->at[r]; i < l->at[r + 1]; i++)
			brief[r] &= in_one_run(l->seg[i], run, c);
	}
	for (uint32_t i = 0; i < l->nentry; i++) /* registers live at entry begin with zeros */
		brief[l->entry[i]] = false;
	return brief;
}

bool brief_helps(const struct func *f, const struct cfg *c, const struct scalar *s)
{
	for (uint32_t b = 0; b < c->n; b++) {
		uint32_t pc = c->block[b].end - 1;
		if (cfg_reached(c, b) && s->why[pc] != VEC_NOT && inst_is_branch(&f->code.v[pc]))
			return true;
	}
	return false;
}

bool brief_op(const struct inst *in)
{
	const struct op_info *o = &op_info[in->op];
	bool quick = o->kind == OPK_LOGIC || o->kind == OPK_MOVE || o->kind == OPK_ADD ||
		     o->kind == OPK_MUL || o->kind == OPK_MAD || o->kind == OPK_MINMAX;
	return quick && (o->facts & OF_INPLACE) && o->scalar == OPS_PLAIN && in->nd == 1 &&
	       !(in->mods & M_CC) && !type_is_float(in->type);
}
