/* Later integer instructions: dot products, masks, pairs of 16-bit integers, logic of three
 * operands with a predicate, tests for the space of an address. */
#include "back/routines/expand.h"

/* Extracts element k of n bits from a source, as a word. */
static void write_element(char from, unsigned k, unsigned bits, bool sign, const char *to, FILE *f)
{
	fprintf(f, "shl.b32 %s, %c, %u;\nshr.%c32 %s, %s, %u;\n", to, from, 32 - bits * (k + 1),
		sign ? 's' : 'u', to, to, 32 - bits);
}

static void write_dot(const struct inst *in, FILE *f)
{
	bool two = in->op == OP_DP2A, sa = in->atype == T_S32, sb = in->btype == T_S32;
	fprintf(f, "mov.b32 r, c;\n");
	for (unsigned k = 0; k < (two ? 2u : 4u); k++) {
		write_element('a', k, two ? 16 : 8, sa, "s", f);
		write_element('b', two && in->mode == MUL_HI ? k + 2 : k, 8, sb, "t", f);
		fprintf(f, "mad.lo.s32 r, s, t, r;\n");
	}
}

/* Computes a mask of b bits from bit a on. */
static void write_mask(const struct inst *in, FILE *f)
{
	if (in->mode == WM_WRAP)
		fprintf(f, "and.b32 s, a, 31;\nand.b32 t, b, 31;\n");
	else
		fprintf(f, "min.u32 s, a, 32;\nmin.u32 t, b, 32;\n");
	fprintf(f, "mov.b32 r, 1;\nshl.b32 r, r, t;\nsub.u32 r, r, 1;\nshl.b32 r, r, s;\n");
}

/* Extends the lower b bits of a. */
static void write_extend(const struct inst *in, FILE *f)
{
	char sg = in->type == T_S32 ? 's' : 'u';
	if (in->mode == WM_WRAP)
		fprintf(f, "and.b32 s, b, 31;\n");
	else
		fprintf(f, "min.u32 s, b, 32;\n");
	fprintf(f,
		"sub.u32 t, 32, s;\nshl.b32 r, a, t;\nshr.%c32 r, r, t;\n"
		"setp.eq.u32 p, s, 0;\nselp.b32 r, 0, r, p;\n",
		sg);
}

static void write_pairs(const struct inst *in, FILE *f)
{
	bool sign = in->type == T_S16X2;
	const char *name = in->op == OP_ADD ? "add" : in->op == OP_MIN ? "min" : "max";
	for (unsigned k = 0; k < 2; k++) {
		write_element('a', k, 16, sign, "s", f);
		write_element('b', k, 16, sign, "t", f);
		fprintf(f, "%s.%c32 s, s, t;\n", name, sign ? 's' : 'u');
		if (in->mods & M_RELU)
			fprintf(f, "max.s32 s, s, 0;\n");
		fprintf(f, k ? "shl.b32 s, s, 16;\nor.b32 r, r, s;\n" : "and.b32 r, s, 0xffff;\n");
	}
}

/* Finds the c-th set bit of a from bit b on, upwards or downwards; c = 0: bit b itself. */
static void find_set(const struct inst *in, FILE *f)
{
	(void)in;
	fprintf(f, ".reg .b32 k, n;\nmov.b32 r, 0xffffffff;\nmov.b32 k, b;\nsetp.gt.u32 p, b, 31;\n"
		   "@p bra DONE;\nsetp.lt.s32 p, c, 0;\nselp.b32 n, 0xffffffff, 1, p;\n"
		   "setp.eq.u32 o, c, 0;\nabs.s32 t, c;\nselp.b32 t, 1, t, o;\n"
		   "NEXT:\nshr.u32 s, a, k;\nand.b32 s, s, 1;\nsub.u32 t, t, s;\n"
		   "setp.eq.u32 p, t, 0;\n@p mov.b32 r, k;\n@p bra DONE;\n@o bra DONE;\n"
		   "add.u32 k, k, n;\nsetp.le.u32 p, k, 31;\n@p bra NEXT;\nDONE:\n");
}

/* The modes of prmt, on sm_13: c selects one of four selections. */
static void select_bytes(const struct inst *in, FILE *f)
{
	static const char *const four[] = {
		[PRMT_F4E] = "0x6543543243213210", [PRMT_B4E] = "0x0123701267015670",
		[PRMT_RC8] = "0x3333222211110000", [PRMT_ECL] = "0x3333322232113210",
		[PRMT_ECR] = "0x3210221011100000", [PRMT_RC16] = "0x3232101032321010"};
	fprintf(f,
		".reg .b64 x;\nand.b32 s, c, 3;\nshl.b32 s, s, 4;\nmov.b64 x, %s;\n"
		"shr.u64 x, x, s;\ncvt.u32.u64 t, x;\nand.b32 t, t, 0xffff;\nprmt.b32 r, a, b, t;\n",
		four[in->mode]);
}

static void write_logic(const struct inst *in, FILE *f)
{
	fprintf(f,
		"lop3.b32 r, a, b, c, %u;\nsetp.ne.u32 p, r, 0;\nsetp.ne.u32 o, d, 0;\n"
		"%s.pred p, p, o;\nselp.b32 q, 1, 0, p;\n",
		(unsigned)in->imm, in->bop == BOP_AND ? "and" : "or");
}

/* Shared and local memory are windows of 16 MB among the generic addresses; all other addresses are
 * global. On sm_13, whose windows are defined by this compiler, cvta.to drops the upper bits. */
static void write_window(const struct inst *in, unsigned sm, FILE *f)
{
	static const char *const find[] = {"cvta.to.shared.u64 y, x;\ncvt.u32.u64 s, y;\n",
					   "cvta.to.local.u64 y, x;\ncvt.u32.u64 s, y;\n",
					   "cvt.u32.u64 s, x;\nsub.u32 s, s, 0x1000000;\n",
					   "cvt.u32.u64 s, x;\nsub.u32 s, s, 0x2000000;\n"};
	bool global = in->space == SP_GLOBAL, wide = type_bits(inst_src(in, 0)->type) == 64;
	fprintf(f, ".reg .b64 x, y;\n%s x, a;\nmov.b32 r, %u;\n", wide ? "mov.b64" : "cvt.u64.u32",
		global);
	for (unsigned i = 0; i < 2; i++)
		if (global || in->space == (i ? SP_LOCAL : SP_SHARED))
			fprintf(f, "%ssetp.lt.u32 p, s, 0x1000000;\nselp.b32 r, %u, r, p;\n",
				find[i + (sm < 20 ? 2 : 0)], !global);
}

static bool has_window(const struct inst *in)
{
	return in->op == OP_ISSPACEP &&
	       (in->space == SP_SHARED || in->space == SP_LOCAL || in->space == SP_GLOBAL);
}

static bool is_pairs(const struct inst *in)
{
	return (in->type == T_S16X2 || in->type == T_U16X2) &&
	       (in->op == OP_ADD || in->op == OP_MIN || in->op == OP_MAX);
}

bool expand_bits(const struct inst *in, unsigned sm, FILE *f)
{
	void (*how)(const struct inst *in, FILE *f) = NULL;
	bool space = has_window(in), own = sm >= 70; /* sm_70 and later have instructions for
	                                              * some */
	if (own && (space || in->op == OP_DP4A || in->op == OP_DP2A || in->op == OP_BMSK ||
		    in->op == OP_SZEXT || in->op == OP_LOP3))
		return false;
	switch (in->op) {
	case OP_DP4A:
	case OP_DP2A: how = write_dot; break;
	case OP_BMSK: how = write_mask; break;
	case OP_SZEXT: how = write_extend; break;
	case OP_FNS: how = find_set; break;
	case OP_PRMT: how = sm < 20 && in->mode != PRMT_INDEX ? select_bytes : NULL; break;
	case OP_LOP3: how = in->nd > 1 ? write_logic : NULL; break;
	default: how = is_pairs(in) ? write_pairs : NULL; break;
	}
	if ((!how && !space) || !f)
		return how || space;
	fprintf(f, ".reg .b32 s, t;\n.reg .pred o, p;\n");
	if (space)
		write_window(in, sm, f);
	else
		how(in, f);
	return true;
}
