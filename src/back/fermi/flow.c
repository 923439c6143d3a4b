/* Control flow of sm_20. */
#include "back/select/operations.h"

static void begin_kernel(struct sel *s) { s->argument[0] = s->argument[1] = V_NONE; }

static void put_branch(struct sel *s, bool pop, uint32_t label, uint32_t pred, bool neg)
{
	struct mi *in =
		pop ? mi_add(&s->m, "NOP", 0, 1, (struct mo[]){mo_text("CC.T")})
		    : mi_add(&s->m, "BRA", 0, 1, &(struct mo){.kind = MO_LABEL, .imm = label});
	in->pop = pop;
	in->guard = pred;
	in->guard_neg = neg;
	in->ends = true;
	in->label = label + 1;
	in->line = s->in ? s->in->line : 0;
}

static void push_region(struct sel *s, uint32_t label, unsigned level)
{
	(void)level;
	mi_add(&s->m, "SSY", 0, 1, &(struct mo){.kind = MO_LABEL, .imm = label});
}

static void leave_thread(struct sel *s)
{
	if (s->in && s->in->op == OP_TRAP)
		OP(s, "BPT.TRAP", 0, mo_imm(0));
	OP(s, "EXIT", 0)->ends = true;
}

static uint32_t equal(struct sel *s, uint32_t n)
{
	uint32_t p = sel_temp(s, 0);
	struct mo a = sel_reg(s, 0, 0);
	OP(s, "ISETP.EQ.AND", 2, mo_pred(p), mo_pred(V_TRUE), a, sel_word(s, n), mo_pred(V_TRUE));
	return p;
}

const struct selector selector_fermi = {.column = ON_FERMI,
					.begin = begin_kernel,
					.branch = put_branch,
					.push = push_region,
					.leave = leave_thread,
					.equal = equal,
					.op = sel_op,
					.reg = sel_reg,
					.logic = sel_logic2,
					.number = sel_word,
					.global = fermi_global,
					.right = "SHR"};
