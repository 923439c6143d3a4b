#include "pass/words.h"

#include "pass/regs.h"

static bool is_wide(const struct func *f, const struct opnd *o)
{
	return o->kind == OPND_REG && o->reg < f->regs.n && type_rows(f->regs.v[o->reg].type) == 2;
}

/* True if the lower word of the result depends only on the lower words of the sources. */
static bool goes_up(const struct inst *in)
{
	unsigned kind = op_info[in->op].kind;
	bool product = kind == OPK_MUL || kind == OPK_MAD;
	return inst_is(in, OF_LOW_WORD) && !type_is_float(in->type) &&
	       !(in->mods & (M_CC | M_SAT)) && (!product || in->mul == MUL_LO);
}

static bool is_narrow_address(const struct inst *in)
{
	return in->space == SP_SHARED || in->space == SP_LOCAL;
}

/* True if the instruction reads the upper word of its wide sources other than addresses. */
static bool reads_upper(const struct func *f, const struct inst *in, const bool *upper)
{
	if (inst_is(in, OF_CONVERTS))
		return type_is_float(in->type) || type_is_float(in->stype) ||
		       type_bits(in->type) > 32 || (in->mods & M_SAT);
	if (!goes_up(in) || in->nd != 1 || !is_wide(f, inst_dst(in, 0)))
		return true;
	return upper[inst_dst(in, 0)->reg];
}

static bool mark_upper(const struct func *f, const struct opnd *o, bool *upper)
{
	uint32_t r[INST_REGS];
	bool any = false;
	for (unsigned n = opnd_regs(f, o, r); n--;) {
		any |= !upper[r[n]];
		upper[r[n]] = true;
	}
	return any;
}

static bool visit_inst(const struct func *f, const struct inst *in, bool *upper)
{
	bool all = reads_upper(f, in, upper), any = false;
	for (unsigned i = 0; i < (unsigned)in->nd + in->ns; i++) {
		const struct opnd *o = &in->opnd[i];
		bool address = o->kind == OPND_MEM;
		if (address ? !is_narrow_address(in) : i >= in->nd && all)
			any |= mark_upper(f, o, upper);
	}
	return any;
}

/* Finds registers written once, by an instruction that extends a sign or zeros. */
static void find_widened(const struct func *f, uint8_t *rows, struct arena *a)
{
	uint8_t *writes = ARENA_ARRAY(a, uint8_t, f->regs.n + 1);
	regs_writes(f, writes);
	for (uint32_t pc = 0; pc < f->code.n; pc++) {
		const struct inst *in = &f->code.v[pc];
		if (inst_is(in, OF_CONVERTS) && is_wide(f, inst_dst(in, 0)) &&
		    writes[inst_dst(in, 0)->reg] == 1 && type_bits(in->stype) <= 32 &&
		    !type_is_float(in->stype) && !type_is_float(in->type))
			rows[inst_dst(in, 0)->reg] = 1;
	}
}

void words_find(const struct func *f, uint8_t *rows)
{
	struct arena a = {0};
	bool *upper = ARENA_ARRAY(&a, bool, f->regs.n + 1), any = true;
	while (any) {
		any = false;
		for (size_t pc = f->code.n; pc-- > 0;)
			any |= visit_inst(f, &f->code.v[pc], upper);
	}
	for (uint32_t r = 0; r < f->regs.n; r++) {
		unsigned n = type_rows(f->regs.v[r].type);
		rows[r] = (uint8_t)(n == 2 && !upper[r] ? 1 : n);
	}
	find_widened(f, rows, &a);
	arena_free(&a);
}
