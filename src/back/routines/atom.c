/* Atomics of 16 bits, sums of halves, and atomics of vectors, element by element: loops around the
 * compare-and-swap of a word, which both machines have. */
#include "back/routines/expand.h"

/* The order and scope of the atomics inside a routine: relaxed, of the instruction's scope. The fences of
 * its order stand around the routine (lower/inline.c). sm_13 and sm_20 have neither. */
static const char *scope_text(const struct inst *in, unsigned sm)
{
	if (sm < 70)
		return "";
	switch (in->scope) {
	case SCOPE_CTA: return ".relaxed.cta";
	case SCOPE_CLUSTER: return ".relaxed.cluster";
	case SCOPE_SYS: return ".relaxed.sys";
	default: return ".relaxed.gpu";
	}
}

/* Writes m to the half of `new` that the address names. */
static void insert_half(FILE *f)
{
	fprintf(f, "mov.u32 k, 0xffff;\nshl.b32 k, k, bit;\nnot.b32 k, k;\nand.b32 new, seen, k;\n"
		   "and.b32 m, m, 0xffff;\nshl.b32 m, m, bit;\nor.b32 new, new, m;\n");
}

/* Writes m or new: the next value of the halves in val. */
static void write_extreme(const struct inst *in, const char *b, const char *to, FILE *f)
{
	fprintf(f, "%s.%s %s, val, %s;\n", in->mode == ATOM_MIN ? "min" : "max",
		expand_is_bf16(in->type) ? "bf16x2" : "f16x2", to, b);
}

static void next_value(const struct inst *in, const char *b, FILE *f)
{
	bool sum = in->mode == ATOM_ADD;
	fprintf(f, "shr.u32 val, seen, bit;\n");
	if (in->mode == ATOM_CAS) {
		fprintf(f, "and.b32 val, val, 0xffff;\nand.b32 m, b, 0xffff;\n"
			   "setp.ne.u32 p, val, m;\n@p bra DONE0;\nmov.b32 m, c;\n");
		insert_half(f);
	} else if (!expand_is_pair(in->type)) {
		if (sum)
			expand_half_sum(in->type, "val", b, 0, f);
		else
			write_extreme(in, b, "m", f);
		insert_half(f);
	} else if (!sum) {
		write_extreme(in, b, "new", f);
	} else {
		expand_half_sum(in->type, "val", b, 0, f);
		fprintf(f, "mov.b32 new, m;\n");
		expand_half_sum(in->type, "val", b, 16, f);
		fprintf(f, "shl.b32 m, m, 16;\nor.b32 new, new, m;\n");
	}
}

static bool is_ours(const struct inst *in)
{
	if (in->op != OP_ATOM && in->op != OP_RED)
		return false;
	bool extreme = in->mode == ATOM_MIN || in->mode == ATOM_MAX;
	if (in->vec > 1 && in->vec <= 8)
		return (in->mode == ATOM_ADD && in->type == T_F32) ||
		       ((in->mode == ATOM_ADD || extreme) && expand_is_half(in->type));
	return in->vec <= 1 && ((in->mode == ATOM_ADD && expand_is_half(in->type)) ||
				(in->mode == ATOM_CAS && type_bits(in->type) == 16));
}

/* Performs the atomic on element i; its result goes to `to`; where: scope and space. */
static void write_element(const struct inst *in, unsigned i, const char *where,
			  const char *in_space, const char *to, FILE *f)
{
	bool half = type_bits(in->type) == 16;
	unsigned at = i * type_bytes(in->type);
	const char *b = expand_source(1 + i);
	if (in->type == T_F32) {
		fprintf(f, "atom%s.add.f32 %s, [a+%u], %s;\n", where, to, at, b);
		return;
	}
	fprintf(f,
		"add.u64 at, a, %u;\ncvt.u32.u64 bit, at;\nand.b64 at, at, 0xfffffffffffffffc;\n"
		"and.b32 bit, bit, %u;\nshl.b32 bit, bit, 3;\nld.volatile%s.u32 old, [at];\n"
		"AGAIN%u:\nmov.b32 seen, old;\n",
		at, half ? 2u : 0u, in_space, i);
	next_value(in, b, f);
	fprintf(f,
		"atom%s.cas.b32 old, [at], seen, new;\nsetp.ne.u32 p, old, seen;\n@p bra AGAIN%u;\n"
		"DONE%u:\nshr.u32 %s, old, bit;\n",
		where, i, i, to);
	if (half)
		fprintf(f, "and.b32 %s, %s, 0xffff;\n", to, to);
}

/* Atomics of shared and of global memory are different instructions: the code tests the address at
 * run time. */
static bool of_any_space(const struct inst *in)
{
	return (in->op == OP_ATOM || in->op == OP_RED) && sel_any_space(in) && in->vec <= 1 &&
	       type_bits(in->type) <= 64;
}

void back_atom_spaces(struct module *m)
{
	for (unsigned sets = 0; sets < 2; sets++)
		for (size_t i = 0; i < m->funcs.n; i++)
			for (size_t k = 0; k < m->funcs.v[i]->code.n; k++) {
				struct inst *in = &m->funcs.v[i]->code.v[k];
				if (in->op == OP_CVTA && !(in->mods & M_TO) &&
				    in->space == SP_SHARED)
					return;
				if (sets && (in->op == OP_ATOM || in->op == OP_RED) &&
				    sel_any_space(in))
					in->space = SP_GLOBAL;
			}
}

static void by_space(const struct inst *in, const char *scope, FILE *f)
{
	static const char *const op[] = {
		[ATOM_AND] = "and",   [ATOM_OR] = "or",   [ATOM_XOR] = "xor", [ATOM_CAS] = "cas",
		[ATOM_EXCH] = "exch", [ATOM_ADD] = "add", [ATOM_INC] = "inc", [ATOM_DEC] = "dec",
		[ATOM_MIN] = "min",   [ATOM_MAX] = "max"};
	const char *type = type_info[in->type].name, *more = in->ns > 2 ? ", c" : "";
	fprintf(f,
		".reg .pred p;\n.reg .b%u old;\nisspacep.shared p, a;\n@p bra SHARED;\n"
		"atom%s.global.%s.%s old, [a], b%s;\nbra DONE;\nSHARED:\n"
		"cvta.to.shared.u64 a, a;\natom%s.shared.%s.%s old, [a], b%s;\nDONE:\n",
		type_bits(in->type), scope, op[in->mode], type, more, scope, op[in->mode], type,
		more);
	if (in->nd && inst_dst(in, 0)->kind == OPND_REG)
		fprintf(f, "mov.b%u r, old;\n", type_bits(in->type));
}

bool expand_atom(const struct inst *in, unsigned sm, FILE *f)
{
	bool own = sm >= 70 && type_bits(in->type) == 32 && !type_is_float(in->type),
	     any = !own && !is_ours(in) && of_any_space(in);
	if (any && f)
		by_space(in, scope_text(in, sm), f);
	if (any || !is_ours(in) || !f)
		return any || is_ours(in);
	unsigned space = sel_space(in);
	const char *in_space = space == SP_SHARED ? ".shared" : space == SP_GLOBAL ? ".global" : "";
	char where[32];
	snprintf(where, sizeof where, "%s%s", scope_text(in, sm), in_space);
	expand_registers(f);
	fprintf(f, ".reg .b32 old, seen, new, val, bit;\n.reg .b64 at;\n");
	for (unsigned i = 0; i < (in->vec > 1 ? in->vec : 1u); i++) {
		char to[12] = "r";
		if (in->op == OP_ATOM && i == 1)
			snprintf(to, sizeof to, "q");
		else if (in->op == OP_ATOM && i > 1)
			snprintf(to, sizeof to, "r%u", i);
		write_element(in, i, where, in_space, to, f);
	}
	return true;
}
