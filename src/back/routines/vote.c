/* Votes of the lanes that a mask names. Each lane may have a different mask, which PTX leaves open
 * and programs rely on. sm_13, whose votes return no mask, builds masks lane by lane. */
#include "back/routines/expand.h"

void expand_ballot(unsigned sm, const char *to, const char *from, FILE *f)
{
	if (sm >= 20)
		fprintf(f, "vote.sync.ballot.b32 %s, %s, 0xffffffff;\n", to, from);
	else
		fprintf(f,
			"mov.u32 %s, 0;\nmov.u32 k, 0;\nNEXT%s:\n"
			"setp.eq.and.u32 o, l, k, %s;\nvote.sync.any.pred o, o, 0xffffffff;\n"
			"selp.b32 t, 1, 0, o;\nshl.b32 t, t, k;\nor.b32 %s, %s, t;\n"
			"add.u32 k, k, 1;\nsetp.lt.u32 o, k, 32;\n@o bra NEXT%s;\n",
			to, to, from, to, to, to);
}

/* r = the outcome, from the lanes that voted yes and the lanes that voted no. */
static void write_outcome(unsigned mode, FILE *f)
{
	if (mode == VOTE_BALLOT || mode == VOTE_ANY)
		fprintf(f, "mov.b32 r, yes;\n");
	else
		fprintf(f, "setp.eq.u32 p, no, 0;\nselp.b32 r, 1, 0, p;\n");
	if (mode == VOTE_UNI)
		fprintf(f, "setp.eq.u32 p, yes, 0;\nselp.b32 r, 1, r, p;\n");
}

static bool names_all(const struct inst *in)
{
	const struct opnd *m = in->ns > 1 ? inst_src(in, 1) : NULL;
	return !m || (m->kind == OPND_IMM && (uint32_t)m->imm == 0xffffffff);
}

/* Collects the lanes with that answer among the lanes that the mask names. */
static void write_count(const struct inst *in, unsigned sm, const char *answer, FILE *f)
{
	expand_ballot(sm, answer, "p", f);
	if (in->ns > 1)
		fprintf(f, "and.b32 %s, %s, b;\n", answer, answer);
}

bool expand_vote(const struct inst *in, unsigned sm, FILE *f)
{
	bool mask = in->op == OP_ACTIVEMASK || (in->op == OP_VOTE && in->mode == VOTE_BALLOT);
	if (sm >= 70 || (mask ? sm >= 20 : in->op != OP_VOTE || names_all(in)))
		return false;
	if (!f)
		return true;
	unsigned mode = mask ? VOTE_BALLOT : in->mode;
	fprintf(f,
		".reg .b32 yes, no, k, l, t;\n.reg .pred o, p;\nmov.u32 l, %%laneid;\n"
		"mov.u32 t, %s;\nsetp.ne.u32 p, t, 0;\n",
		in->ns ? "a" : "1");
	if (mode != VOTE_ALL)
		write_count(in, sm, "yes", f);
	fprintf(f, "not.pred p, p;\n");
	if (mode == VOTE_ALL || mode == VOTE_UNI)
		write_count(in, sm, "no", f);
	write_outcome(mode, f);
	return true;
}
