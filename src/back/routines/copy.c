/* Copies from global to shared memory that PTX performs while threads go on (cp.async): here each
 * thread performs its copy at once, and there is nothing to wait for. */
#include "back/routines/expand.h"

/* x = the word at byte `at` of b, of which c bytes are read; the bytes after them are 0. */
static void part_of_word(unsigned at, FILE *f)
{
	fprintf(f, "mov.u32 x, 0;\n");
	for (unsigned i = 0; i < 4; i++)
		fprintf(f,
			"setp.gt.u32 p, c, %u;\nmov.u32 y, 0;\n@p ld.global.u8 y, [b+%u];\n"
			"shl.b32 y, y, %u;\nor.b32 x, x, y;\n",
			at + i, at + i, 8 * i);
}

static void write_copy(const struct inst *in, FILE *f)
{
	unsigned n = (unsigned)in->imm;
	fprintf(f, ".reg .b32 x, y, x<4>;\n.reg .pred p;\n");
	if (in->ns > 2 && inst_src(in, 2)->kind == OPND_PRED) /* true: nothing is read */
		fprintf(f, "setp.eq.u32 p, c, 0;\nselp.u32 c, %u, 0, p;\n", n);
	if (in->ns > 2) {
		fprintf(f, "setp.ge.u32 p, c, %u;\n@p bra WHOLE;\n", n);
		for (unsigned at = 0; at < n; at += 4) {
			part_of_word(at, f);
			fprintf(f, "st.shared.u32 [a+%u], x;\n", at);
		}
		fprintf(f, "ret;\nWHOLE:\n");
	}
	static const char *const word[] = {"u32", "v2.u32", "v4.u32"}, *const reg[] = {
									       "x0", "{x0, x1}",
									       "{x0, x1, x2, x3}"};
	unsigned k = n / 8;
	fprintf(f, "ld.global.%s %s, [b];\nst.shared.%s [a], %s;\n", word[k], reg[k], word[k],
		reg[k]);
}

bool expand_copy(const struct inst *in, unsigned sm, FILE *f)
{
	if (sm >= 70) /* the machine has the instruction */
		return false;
	if (in->op == OP_CP_ASYNC && f)
		write_copy(in, f);
	return in->op == OP_CP_ASYNC || in->op == OP_CP_ASYNC_WAIT;
}
