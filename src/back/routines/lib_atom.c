/* Atomics that the machines lack, as routines in PTX (lib.c): loops around compare-and-swap, which
 * both have. sm_20 has sums of 64 bits in global memory; sm_13 has no sums of floats there. */
#include "back/routines/routines.h"
#include "back/select/sel.h"

#define LOOP(name, space, bits, op)                                                                \
	".func (.reg .b" bits " old) atom_" name " (.reg .u64 at, .reg .b" bits " x)\n"            \
	"{\n"                                                                                      \
	"\t.reg .b" bits " seen, new;\n"                                                           \
	"\t.reg .pred p;\n"                                                                        \
	"\tld.volatile" space ".u" bits " old, [at];\n"                                            \
	"AGAIN:\n"                                                                                 \
	"\tmov.b" bits " seen, old;\n"                                                             \
	"\t" op ";\n"                                                                              \
	"\tatom" space ".cas.b" bits " old, [at], seen, new;\n"                                    \
	"\tsetp.ne.u" bits " p, old, seen;\n"                                                      \
	"\t@p bra AGAIN;\n"                                                                        \
	"\tret;\n"                                                                                 \
	"}\n"
#define SPACES(name, bits, op)                                                                     \
	LOOP(name "_global", ".global", bits, op) LOOP(name "_shared", ".shared", bits, op)

/* The sum is a NaN in global memory, or preferably a NaN that is added to it, with all its bits; a
 * signalling NaN stays signalling. */
#define GLOBAL_SUM                                                                                 \
	"add.rn.f64 new, seen, x;\n"                                                               \
	"\tsetp.nan.f64 p, seen, seen;\n"                                                          \
	"\t@p mov.b64 new, seen;\n"                                                                \
	"\tsetp.nan.f64 p, x, x;\n"                                                                \
	"\t@p mov.b64 new, x"

static const char text[] = ".version 3.2\n"
			   ".target sm_20\n"
			   ".address_size 64\n"
			   "\n"
	/* clang-format off */
	SPACES("min_u64", "64", "min.u64 new, seen, x")
	SPACES("min_s64", "64", "min.s64 new, seen, x")
	SPACES("max_u64", "64", "max.u64 new, seen, x")
	SPACES("max_s64", "64", "max.s64 new, seen, x")
	SPACES("and_b64", "64", "and.b64 new, seen, x")
	SPACES("or_b64", "64", "or.b64 new, seen, x")
	SPACES("xor_b64", "64", "xor.b64 new, seen, x")
	SPACES("add_u64", "64", "add.u64 new, seen, x")
	LOOP("add_f64_global", ".global", "64", GLOBAL_SUM)
	LOOP("add_f64_shared", ".shared", "64", "add.rn.f64 new, x, seen") /* the order decides
	                                                                    * which of two NaNs
	                                                                    * results */
	SPACES("add_f32", "32", "add.rn.f32 new, seen, x");
/* clang-format on */

const char *back_library_atom(void) { return text; }

static const char *loop_name(const struct inst *in)
{
	bool sg = type_is_signed(in->type);
	switch (in->mode) {
	case ATOM_MIN: return sg ? "min_s64" : "min_u64";
	case ATOM_MAX: return sg ? "max_s64" : "max_u64";
	case ATOM_AND: return "and_b64";
	case ATOM_OR: return "or_b64";
	case ATOM_XOR: return "xor_b64";
	case ATOM_ADD:
		return in->type == T_F64 ? "add_f64" : in->type == T_F32 ? "add_f32" : "add_u64";
	default: return NULL;
	}
}

bool back_routine_atom(const struct inst *in, unsigned sm, char name[ROUTINE_NAME])
{
	if ((in->op != OP_ATOM && in->op != OP_RED) || in->vec > 1 || in->mode == ATOM_CAS)
		return false;
	unsigned space = sel_space(in);
	if (sel_any_space(in)) /* routines/atom.c tests the address */
		return false;
	bool shared = space == SP_SHARED, wide = type_bits(in->type) == 64;
	bool has = wide && in->type != T_F64 &&
		   ((in->mode == ATOM_ADD && !shared) || in->mode == ATOM_EXCH);
	if (sm >=
	    70) /* lacks 64-bit atomics and sums of floats in shared memory, and sums of floats
	         * whose rounding matters */
		has = wide && (!shared || in->mode == ATOM_EXCH);
	bool lacks = wide       ? !has
		     : sm >= 70 ? shared && in->type == T_F32 && in->mode == ATOM_ADD
				: in->type == T_F32 && in->mode == ATOM_ADD && sm < 20 && !shared;
	const char *op = lacks ? loop_name(in) : NULL;
	if (op)
		snprintf(name, ROUTINE_NAME, "atom_%s_%s", op, shared ? "shared" : "global");
	return op != NULL;
}
