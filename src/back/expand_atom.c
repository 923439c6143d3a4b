/* Atomics of 16 bits, and sums of halves: loops around the exchange of the word under a comparison,
 * which both machines have. */
#include "back/expand.h"

/* The half that the address names becomes m in `new`. */
static void insert(FILE *f)
{
	fprintf(f, "mov.u32 k, 0xffff;\nshl.b32 k, k, bit;\nnot.b32 k, k;\nand.b32 new, seen, k;\n"
		   "and.b32 m, m, 0xffff;\nshl.b32 m, m, bit;\nor.b32 new, new, m;\n");
}

static void next_value(const struct inst *in, FILE *f)
{
	fprintf(f, "shr.u32 val, seen, bit;\n");
	if (in->mode == ATOM_CAS) {
		fprintf(f, "and.b32 val, val, 0xffff;\nand.b32 m, b, 0xffff;\n"
			   "setp.ne.u32 p, val, m;\n@p bra DONE;\nmov.b32 m, c;\n");
		insert(f);
	} else if (!expand_is_pair(in->type)) {
		expand_half_sum(in->type, "val", "b", 0, f);
		insert(f);
	} else {
		expand_half_sum(in->type, "val", "b", 0, f);
		fprintf(f, "mov.b32 new, m;\n");
		expand_half_sum(in->type, "val", "b", 16, f);
		fprintf(f, "shl.b32 m, m, 16;\nor.b32 new, new, m;\n");
	}
}

static bool is_ours(const struct inst *in)
{
	if ((in->op != OP_ATOM && in->op != OP_RED) || in->vec > 1)
		return false;
	return (in->mode == ATOM_ADD && expand_is_half(in->type)) ||
	       (in->mode == ATOM_CAS && type_bits(in->type) == 16);
}

bool expand_atom(const struct inst *in, unsigned sm, FILE *f)
{
	(void)sm;
	if (!is_ours(in) || !f)
		return is_ours(in);
	unsigned space = sel_space(in);
	const char *in_space = space == SP_SHARED ? ".shared" : space == SP_GLOBAL ? ".global" : "";
	bool half = type_bits(in->type) == 16;
	expand_registers(f);
	fprintf(f,
		".reg .b32 old, seen, new, val, bit;\n.reg .b64 at;\n"
		"and.b64 at, a, 0xfffffffffffffffc;\ncvt.u32.u64 bit, a;\nand.b32 bit, bit, %u;\n"
		"shl.b32 bit, bit, 3;\nld.volatile%s.u32 old, [at];\nAGAIN:\nmov.b32 seen, old;\n",
		half ? 2u : 0u, in_space);
	next_value(in, f);
	fprintf(f,
		"atom%s.cas.b32 old, [at], seen, new;\nsetp.ne.u32 p, old, seen;\n@p bra AGAIN;\n"
		"DONE:\nshr.u32 r, old, bit;\n%s",
		in_space, half ? "and.b32 r, r, 0xffff;\n" : "");
	return true;
}
