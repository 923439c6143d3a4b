/* Barriers that reduce, on sm_13: a word of shared memory counts the threads with a true predicate,
 * between barriers of the same number. */
#include "back/routines/expand.h"

static const struct opnd *count_of(const struct inst *in)
{
	return in->imm & BAR_HAS_COUNT ? inst_src(in, 1) : NULL;
}

uint64_t expand_barrier_form(const struct inst *in)
{
	return (uint64_t)(uint32_t)inst_src(in, 0)->imm << 32 |
	       (count_of(in) ? (uint32_t)count_of(in)->imm : 0);
}

static void write_wait(const struct inst *in, FILE *f)
{
	fprintf(f, "bar.sync %u", (unsigned)inst_src(in, 0)->imm);
	if (count_of(in))
		fprintf(f, ", %u", (unsigned)count_of(in)->imm);
	fprintf(f, ";\n");
}

/* sm_13's barriers have their number and count in the instruction. */
static bool is_ours(const struct inst *in, unsigned sm)
{
	return sm < 20 && in->op == OP_BAR && in->mode == BAR_RED && !(in->imm & BAR_CLUSTER) &&
	       inst_src(in, 0)->kind == OPND_IMM &&
	       (!count_of(in) || count_of(in)->kind == OPND_IMM);
}

/* AND counts the threads with a false predicate. Exchanges between lanes use the word too
 * (routines/lanes.c), so all threads must arrive before it is cleared, and all must read it before
 * any thread goes on. */
bool expand_barrier(const struct inst *in, unsigned sm, FILE *f)
{
	if (!is_ours(in, sm) || !f)
		return is_ours(in, sm);
	char yes = count_of(in) ? 'c' : 'b';
	fprintf(f, ".reg .b32 x;\n.reg .pred p;\n");
	write_wait(in, f);
	fprintf(f, "st.volatile.shared.u32 [" EXCHANGE "], 0;\n");
	write_wait(in, f);
	fprintf(f, "%s.b32 x, %c, %u;\nred.shared.add.u32 [" EXCHANGE "], x;\n",
		in->bop == BOP_AND ? "xor" : "and", yes, 1u);
	write_wait(in, f);
	fprintf(f, "ld.volatile.shared.u32 r, [" EXCHANGE "];\n");
	if (in->bop != BOP_POPC)
		fprintf(f, "setp.%s.u32 p, r, 0;\nselp.b32 r, 1, 0, p;\n",
			in->bop == BOP_AND ? "eq" : "ne");
	write_wait(in, f);
	return true;
}
