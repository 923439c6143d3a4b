#include "ir/verify.h"

struct checker {
	const struct func *f;
	struct diag *d;
	const struct inst *in;
	bool ok;
};

static void report_error(struct checker *c, const char *what)
{
	const struct func *f = c->f;
	const struct inst *in = c->in;
	struct srcloc at = {f->text_name, f->text, f->text_end, in->line, in->col};
	c->ok = false;
	diag_at(c->d, DIAG_ERROR, &at, "%s: %s at instruction %zu (%s)", f->name ? f->name : "?",
		what, (size_t)(in - f->code.v),
		in->text            ? in->text
		: in->op < OP_COUNT ? op_info[in->op].name
				    : "?");
}

static void check_that(struct checker *c, bool holds, const char *what)
{
	if (!holds)
		report_error(c, what);
}

static bool reg_is(const struct func *f, uint32_t r, bool pred)
{
	return r < f->regs.n && (f->regs.v[r].type == T_PRED) == pred;
}

static void check_opnd(struct checker *c, const struct opnd *o, bool dst)
{
	const struct func *f = c->f;
	check_that(c, o->type < T_COUNT, "operand type out of range");
	switch (o->kind) {
	case OPND_REG: check_that(c, reg_is(f, o->reg, false), "not a data register"); break;
	case OPND_PRED: check_that(c, reg_is(f, o->reg, true), "not a predicate register"); break;
	case OPND_SREG:
		check_that(c, o->reg < SREG_COUNT && !dst, "not a readable special register");
		break;
	case OPND_MEM:
		check_that(c, o->sym || o->reg == NO_REG || reg_is(f, o->reg, false),
			   "bad address register");
		check_that(c, !dst, "an address as destination");
		break;
	case OPND_SYM:
	case OPND_FUNC: check_that(c, o->sym && !dst, "symbol missing or as destination"); break;
	case OPND_PVAR:
		check_that(c, o->sym && inst_is(c->in, OF_CALL),
			   "parameter variable not of a call");
		break;
	case OPND_IMM: check_that(c, !dst, "an immediate as destination"); break;
	case OPND_SINK: break;
	case OPND_NONE:
	default: report_error(c, "operand of no kind");
	}
}

static void check_flow(struct checker *c)
{
	const struct func *f = c->f;
	const struct inst *in = c->in;
	if (inst_is(in, OF_BRANCH))
		check_that(c, in->target <= f->code.n, "branch target out of range");
	if (inst_is(in, OF_INDEXED) && in->list < f->targets.n) {
		const struct targets *t = &f->targets.v[in->list];
		check_that(c, t->n > 0, "empty table of branch targets");
		for (uint32_t i = 0; i < t->n; i++)
			check_that(c, t->pc[i] <= f->code.n, "branch target out of range");
	} else if (inst_is(in, OF_INDEXED)) {
		report_error(c, "no table of branch targets");
	}
	if (inst_is(in, OF_CALL) && in->call < f->calls.n) {
		const struct call *k = &f->calls.v[in->call];
		check_that(c, in->nd == k->nret, "call results do not fit");
		check_that(c, in->ns == k->narg + !k->name, "call arguments do not fit");
		check_that(c, k->name || (in->ns && inst_src(in, 0)->kind == OPND_REG),
			   "indirect call without a register");
	} else if (inst_is(in, OF_CALL)) {
		report_error(c, "no call record");
	}
}

static void check_inst(struct checker *c)
{
	const struct inst *in = c->in;
	if (in->op >= OP_COUNT) {
		report_error(c, "no such operation");
		return;
	}
	check_that(c,
		   in->type < T_COUNT && in->stype < T_COUNT && in->atype < T_COUNT &&
			   in->btype < T_COUNT,
		   "type out of range");
	check_that(c, in->guard == NO_REG || reg_is(c->f, in->guard, true),
		   "guard is not a predicate");
	if (in->nd + in->ns && !in->opnd) {
		report_error(c, "operands missing");
		return;
	}
	for (unsigned i = 0; i < in->nd + in->ns; i++)
		check_opnd(c, &in->opnd[i], i < in->nd);
	const struct op_info *o = &op_info[in->op];
	if (o->nd_max || o->ns_max) {
		check_that(c, in->nd >= o->nd_min && in->nd <= o->nd_max,
			   "wrong number of destinations");
		check_that(c, in->ns >= o->ns_min && in->ns <= o->ns_max,
			   "wrong number of sources");
	}
	if ((o->facts & OF_ADDRESS) && in->ns)
		check_that(c, inst_src(in, 0)->kind == OPND_MEM, "source 0 is not an address");
	check_flow(c);
}

bool func_verify(const struct func *f, struct diag *d)
{
	struct checker c = {.f = f, .d = d, .ok = true};
	for (size_t i = 0; i < f->code.n; i++) {
		c.in = &f->code.v[i];
		check_inst(&c);
	}
	return c.ok;
}
