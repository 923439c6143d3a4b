/* Comparisons of halves, by their bits as integers: both machines compare words, and neither
 * flushes subnormal numbers that way. */
#include "back/routines/expand.h"

static const char *order_name(unsigned cmp)
{
	static const char *const name[] = {
		[CMP_EQ] = "eq",  [CMP_NE] = "ne",  [CMP_LT] = "lt",  [CMP_LE] = "le",
		[CMP_GT] = "gt",  [CMP_GE] = "ge",  [CMP_EQU] = "eq", [CMP_NEU] = "ne",
		[CMP_LTU] = "lt", [CMP_LEU] = "le", [CMP_GTU] = "gt", [CMP_GEU] = "ge"};
	return cmp < sizeof name / sizeof *name ? name[cmp] : NULL;
}

/* Converts the half at a bit of a source to a number that orders as the value does, in kx; m has
 * the magnitude. */
static void write_key(char source, unsigned at, bool flush, FILE *f)
{
	char x = source == 'a' ? 'x' : 'y';
	fprintf(f,
		"shr.u32 s, %c, %u;\n"
		"and.b32 m%c, s, 0x7fff;\n",
		source, at, x);
	fprintf(f, "and.b32 s, s, 0x8000;\nmov.b32 k%c, m%c;\n", x, x);
	if (flush)
		fprintf(f, "setp.lt.u32 n, m%c, 0x400;\nselp.b32 k%c, 0, k%c, n;\n", x, x, x);
	fprintf(f,
		"setp.ne.u32 n, s, 0;\n"
		"neg.s32 s, k%c;\n"
		"selp.b32 k%c, s, k%c, n;\n",
		x, x, x);
}

/* p: the comparison of the two halves at a bit. */
static void write_half(const struct inst *in, unsigned at, FILE *f)
{
	const char *inf = expand_is_bf16(in->stype) ? "0x7f80" : "0x7c00",
		   *name = order_name(in->cmp);
	bool flush = in->mods & M_FTZ && !expand_is_bf16(in->stype);
	write_key('a', at, flush, f);
	write_key('b', at, flush, f);
	fprintf(f, "setp.gt.u32 n, mx, %s;\nsetp.gt.or.u32 n, my, %s, n;\nnot.pred o, n;\n", inf,
		inf);
	if (in->cmp == CMP_NUM || in->cmp == CMP_NAN)
		fprintf(f, "mov.pred p, %c;\n", in->cmp == CMP_NUM ? 'o' : 'n');
	else
		fprintf(f, "setp.%s.s32 p, kx, ky;\n%s;\n", name,
			in->cmp >= CMP_EQU ? "or.pred p, p, n" : "and.pred p, p, o");
}

static void write_combine(const struct inst *in, FILE *f)
{
	static const char *const name[] = {[BOP_AND] = "and", [BOP_OR] = "or", [BOP_XOR] = "xor"};
	if (in->bop)
		fprintf(f, "setp.ne.u32 o, c, 0;\n%s.pred p, p, o;\n", name[in->bop]);
}

/* The value of a true comparison in a half of the result. */
static unsigned truth_value(unsigned type)
{
	return type == T_F16 || type == T_F16X2 ? 0x3c00 : expand_is_half(type) ? 0x3f80 : 0xffff;
}

static void write_set(const struct inst *in, FILE *f)
{
	uint32_t one = truth_value(in->type), whole = type_is_float(in->type) ? one : ~0u;
	if (in->type == T_F32)
		whole = 0x3f800000;
	write_half(in, 0, f);
	write_combine(in, f);
	fprintf(f, "selp.b32 r, %u, 0, p;\n", expand_is_pair(in->stype) ? one : whole);
	if (!expand_is_pair(in->stype))
		return;
	write_half(in, 16, f);
	write_combine(in, f);
	fprintf(f, "selp.b32 s, %u, 0, p;\nor.b32 r, r, s;\n", one << 16);
}

static void write_setp(const struct inst *in, FILE *f)
{
	write_half(in, 0, f);
	if (in->nd > 1 && !expand_is_pair(in->stype))
		fprintf(f, "not.pred z, p;\n");
	write_combine(in, f);
	fprintf(f, "selp.b32 r, 1, 0, p;\n");
	if (in->nd < 2)
		return;
	if (expand_is_pair(in->stype))
		write_half(in, 16, f);
	else
		fprintf(f, "mov.pred p, z;\n");
	write_combine(in, f);
	fprintf(f, "selp.b32 q, 1, 0, p;\n");
}

bool expand_compare(const struct inst *in, unsigned sm, FILE *f)
{
	(void)sm;
	if ((in->op != OP_SET && in->op != OP_SETP) || !expand_is_half(in->stype) ||
	    (in->cmp != CMP_NUM && in->cmp != CMP_NAN && !order_name(in->cmp)))
		return false;
	if (!f)
		return true;
	fprintf(f, ".reg .b32 s, mx, my, kx, ky;\n.reg .pred n, o, p, z;\n");
	(in->op == OP_SET ? write_set : write_setp)(in, f);
	return true;
}
