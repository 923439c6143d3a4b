/* Control flow of sm_90. BSSY stores the executing threads in a convergence barrier; after a
 * divergent branch, BSYNC waits until all of them have arrived or exited. */
#include <stdlib.h>
#include <string.h>
#include "back/sm90/sm90.h"

/* True for code that may access shared memory of other blocks, or memory by addresses that such
 * code computes. */
static bool may_see_cluster(const struct func *f)
{
	if (f->cluster[0])
		return true;
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		switch (in->op) {
		case OP_MBARRIER:
		case OP_CP_BULK:
		case OP_CP_TENSOR:
		case OP_ST_ASYNC:
		case OP_RED_ASYNC:
		case OP_MAPA:
		case OP_GETCTARANK:
		case OP_WGMMA: return true;
		case OP_BAR:
			if (in->imm & BAR_CLUSTER)
				return true;
			break;
		case OP_SREG:
			if (inst_src(in, 0)->reg >= SREG_CLUSTERID &&
			    inst_src(in, 0)->reg <= SREG_CLUSTER_NCTARANK)
				return true;
			break;
		default: break;
		}
		if (in->mods & M_CLUSTER)
			return true;
	}
	return false;
}

static void begin_kernel(struct sel *s)
{
	s->carry = V_NONE;
	s->addr_clock = 0;
	s->ranked = may_see_cluster(s->f);
	s->argument[0] = s->argument[1] = s->argument[2] = s->link = V_NONE;
	sm90_load_handles(s);
	for (size_t i = 0; i < s->f->code.n; i++) {
		const struct inst *in = &s->f->code.v[i];
		bool access = in->ns && (op_info[in->op].facts & (OF_READS | OF_WRITES));
		if (access && (in->op == OP_CP_ASYNC || sm90_is_far(sm90_space(in)))) {
			OP(s, "ULDC.64", 0, mo_text(s->m.calls ? "UR36" : "UR4"),
			   mo_const(0, SM90_DESCRIPTOR));
			return;
		}
	}
}

static void put_branch(struct sel *s, bool pop, uint32_t label, uint32_t pred, bool neg)
{
	struct mi *in = mi_add(&s->m, "BRA", 0, 1, &(struct mo){.kind = MO_LABEL, .imm = label});
	(void)pop;
	in->guard = pred;
	in->guard_neg = neg;
	in->ends = true;
	in->label = label + 1;
	in->line = s->in ? s->in->line : 0;
}

static struct mo barrier_operand(struct sel *s, unsigned number)
{
	return mo_text(sel_text(s, "B%u", s->m.calls ? SM90_KEPT_BARRIER + number : number));
}

static void push_region(struct sel *s, uint32_t label, unsigned level)
{
	mi_add(&s->m, "BSSY", 0, 2,
	       (struct mo[]){barrier_operand(s, level), {.kind = MO_LABEL, .imm = label}});
}

static void join_threads(struct sel *s, unsigned level)
{
	mi_add(&s->m, "BSYNC", 0, 1, (struct mo[]){barrier_operand(s, level)});
}

static void leave_thread(struct sel *s)
{
	if (s->in && s->in->op == OP_TRAP)
		OP(s, "BPT.TRAP", 0, mo_imm(1));
	OP(s, "EXIT", 0)->ends = true;
}

/* A branch to the end of the thread is the end of the thread. */
void sm90_ends(struct mfunc *m)
{
	bool *ends = xcalloc(m->labels + 1, sizeof *ends), next = false;
	for (size_t i = m->code.n; i-- > 0;) {
		const struct mi *in = &m->code.v[i];
		if (in->name)
			next = mi_is(in, "EXIT") && in->guard == V_TRUE;
		else
			ends[in->label] = next;
	}
	for (size_t i = 0; i < m->code.n; i++) {
		struct mi *in = &m->code.v[i];
		if (!in->name || strcmp(in->name, "BRA") || !in->label || !ends[in->label - 1])
			continue;
		in->name = "EXIT";
		in->n = 0;
		in->label = 0;
	}
	free(ends);
}

static uint32_t equal(struct sel *s, uint32_t n)
{
	uint32_t p = sel_temp(s, 0);
	struct mo a = sm90_reg(s, 0, 0);
	OP(s, "ISETP.EQ.AND", 2, mo_pred(p), PT, a, sm90_word(n), PT);
	return p;
}

const struct selector selector_sm90 = {.column = ON_SM90,
				       .begin = begin_kernel,
				       .branch = put_branch,
				       .push = push_region,
				       .joins = join_threads,
				       .behind_join = true,
				       .any_branch = true,
				       .quads = true,
				       .levels = SM90_BARRIERS,
				       .levels_with_calls = SM90_BARRIERS - SM90_KEPT_BARRIER,
				       .leave = leave_thread,
				       .equal = equal,
				       .op = sel_op,
				       .reg = sm90_reg};
