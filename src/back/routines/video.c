/* Video instructions of one lane for sm_13, which has none: operands are bytes, halves or words
 * extended to 64 bits, where no intermediate result overflows. */
#include "back/routines/expand.h"

struct place {
	uint8_t at, bits;
};
static const struct place part[] = {
	[VPART_WORD] = {0, 32}, [VPART_B0] = {0, 8},  [VPART_B1] = {8, 8},  [VPART_B2] = {16, 8},
	[VPART_B3] = {24, 8},   [VPART_H0] = {0, 16}, [VPART_H1] = {16, 16}};
static const uint8_t merged[] = {
	[VSEC_MRG_B0] = VPART_B0, [VSEC_MRG_B1] = VPART_B1, [VSEC_MRG_B2] = VPART_B2,
	[VSEC_MRG_B3] = VPART_B3, [VSEC_MRG_H0] = VPART_H0, [VSEC_MRG_H1] = VPART_H1};

static const char *const comparison[] = {
	[CMP_EQ] = "eq", [CMP_NE] = "ne", [CMP_LT] = "lt", [CMP_LE] = "le", [CMP_GT] = "gt",
	[CMP_GE] = "ge", [CMP_LO] = "lt", [CMP_LS] = "le", [CMP_HI] = "gt", [CMP_HS] = "ge"};

/* Extracts bits of a source as a word, extended as the type says. */
static void extract_part(char from, struct place p, bool sign, const char *to, FILE *f)
{
	fprintf(f, "shl.b32 %s, %c, %u;\nshr.%c32 %s, %s, %u;\n", to, from, 32u - p.bits - p.at,
		sign ? 's' : 'u', to, to, 32u - p.bits);
}

static void write_limit(unsigned bits, bool sign, unsigned width, const char *x, FILE *f)
{
	long long hi = (1ll << (sign ? bits - 1 : bits)) - 1, lo = sign ? -hi - 1 : 0;
	fprintf(f, "max.s%u %s, %s, %lld;\nmin.s%u %s, %s, %lld;\n", width, x, x, lo, width, x, x,
		hi);
}

static void write_operands(const struct inst *in, FILE *f)
{
	for (unsigned i = 0; i < 2; i++) {
		bool sign = (i ? in->btype : in->atype) == T_S32;
		extract_part((char)('a' + i), part[in->vsel[1 + i]], sign, "s", f);
		fprintf(f, "cvt.s64.%c32 %c, s;\n", sign ? 's' : 'u', i ? 'y' : 'x');
	}
}

/* Shifts x up by y in two steps; in between x is limited to a value that saturates in any case. */
static void shift_up(const struct inst *in, FILE *f)
{
	fprintf(f, "min.u32 t, s, 31;\nsub.u32 s, s, t;\nshl.b64 x, x, t;\n");
	if (in->mods & M_SAT)
		fprintf(f, "max.s64 x, x, -0x10000000000;\nmin.s64 x, x, 0x10000000000;\n");
	fprintf(f, "shl.b64 x, x, s;\n");
}

static void write_primary(const struct inst *in, FILE *f)
{
	switch (in->op) {
	case OP_VADD: fprintf(f, "add.s64 x, x, y;\n"); return;
	case OP_VSUB: fprintf(f, "sub.s64 x, x, y;\n"); return;
	case OP_VABSDIFF:
		fprintf(f, "max.s64 z, x, y;\nmin.s64 x, x, y;\nsub.s64 x, z, x;\n");
		return;
	case OP_VMIN: fprintf(f, "min.s64 x, x, y;\n"); return;
	case OP_VMAX: fprintf(f, "max.s64 x, x, y;\n"); return;
	case OP_VSET:
		fprintf(f, "setp.%s.s64 p, x, y;\nselp.s64 x, 1, 0, p;\n", comparison[in->cmp]);
		return;
	default: break;
	}
	fprintf(f, in->mods & M_WRAP ? "and.b32 s, s, 31;\n" : "min.u32 s, s, 32;\n");
	if (in->op == OP_VSHL)
		shift_up(in, f);
	else
		fprintf(f, "shr.s64 x, x, s;\n");
}

static void write_secondary(const struct inst *in, FILE *f)
{
	char sg = in->type == T_S32 ? 's' : 'u';
	switch (in->mode) {
	case VSEC_NONE: return;
	case VSEC_ADD: fprintf(f, "add.u32 r, r, c;\n"); return;
	case VSEC_MIN: fprintf(f, "min.%c32 r, r, c;\n", sg); return;
	case VSEC_MAX: fprintf(f, "max.%c32 r, r, c;\n", sg); return;
	default: break;
	}
	struct place p = part[merged[in->mode]];
	uint32_t mask = ((1u << p.bits) - 1) << p.at;
	fprintf(f, "shl.b32 r, r, %u;\nand.b32 r, r, 0x%x;\nand.b32 t, c, 0x%x;\nor.b32 r, r, t;\n",
		p.at, mask, ~mask);
}

static void one_lane(const struct inst *in, FILE *f)
{
	unsigned bits = in->mode >= VSEC_MRG_B0 ? part[merged[in->mode]].bits : 32;
	write_operands(in, f);
	write_primary(in, f);
	if (in->mods & M_SAT)
		write_limit(bits, in->type == T_S32, 64, "x", f);
	fprintf(f, "cvt.u32.u64 r, x;\n");
	write_secondary(in, f);
}

/* a * b + c; a negated factor negates the product, by complement and a one in the sum. */
static void multiply_add(const struct inst *in, FILE *f)
{
	bool neg_c = inst_src(in, 2)->mod & OPND_NEG;
	bool neg_p = ((inst_src(in, 0)->mod ^ inst_src(in, 1)->mod) & OPND_NEG) != 0;
	bool both = in->atype != T_S32 && in->btype != T_S32;
	bool sign = !both || neg_p || neg_c, sat = in->mods & M_SAT;
	write_operands(in, f);
	fprintf(f, "mul.lo.s64 x, x, y;\n");
	if (both && sign && sat) /* 64 bits and a sign; from here on it saturates anyway */
		fprintf(f, "min.u64 x, x, 0x4000000000000000;\n");
	fprintf(f, "%s.b32 s, c;\ncvt.s64.%c32 y, s;\n", neg_c ? "not" : "mov", sign ? 's' : 'u');
	if (neg_p)
		fprintf(f, "not.b64 x, x;\n");
	fprintf(f, "add.s64 x, x, y;\n");
	if (neg_p || neg_c || in->mods & M_PO)
		fprintf(f, "add.s64 x, x, 1;\n");
	fprintf(f, "shr.%c64 x, x, %u;\n", sign ? 's' : 'u', in->mode);
	if (sat && !sign)
		fprintf(f, "min.u64 x, x, 0xffffffff;\n");
	else if (sat)
		write_limit(32, true, 64, "x", f);
	fprintf(f, "cvt.u32.u64 r, x;\n");
}

bool expand_video(const struct inst *in, unsigned sm, FILE *f)
{
	bool mad = in->op == OP_VMAD;
	switch (in->op) {
	case OP_VMAD:
	case OP_VADD:
	case OP_VSUB:
	case OP_VABSDIFF:
	case OP_VMIN:
	case OP_VMAX:
	case OP_VSHL:
	case OP_VSHR:
	case OP_VSET: break;
	default: return false;
	}
	if (sm == 20 || !f)
		return sm != 20;
	fprintf(f, ".reg .b32 s, t;\n.reg .b64 x, y, z;\n.reg .pred p;\n");
	(mad ? multiply_add : one_lane)(in, f);
	return true;
}

/* ---- two and four lanes ---- */

static void write_lane(const struct inst *in, unsigned k, unsigned bits, const char *op, FILE *f)
{
	unsigned n = 32 / bits, x = in->vsel[k] & 15, y = in->vsel[k] >> 4;
	extract_part(x & n ? 'b' : 'a',
		     (struct place){(uint8_t)((x & (n - 1)) * bits), (uint8_t)bits},
		     in->atype == T_S32, "s", f);
	extract_part(y & n ? 'b' : 'a',
		     (struct place){(uint8_t)((y & (n - 1)) * bits), (uint8_t)bits},
		     in->btype == T_S32, "t", f);
	fprintf(f, op, comparison[in->cmp]);
	if (in->mods & M_SAT)
		write_limit(bits, in->type == T_S32, 32, "s", f);
	if (in->mode == VSEC_ADD)
		fprintf(f, "add.u32 r, r, s;\n");
	else {
		uint32_t mask = ((1u << bits) - 1) << k * bits;
		fprintf(f,
			"shl.b32 s, s, %u;\nand.b32 s, s, 0x%x;\nand.b32 r, r, 0x%x;\nor.b32 r, r, s;\n",
			k * bits, mask, ~mask);
	}
}

bool expand_video_lanes(const struct inst *in, unsigned sm, FILE *f)
{
	static const struct {
		uint16_t two, four;
		const char *op;
	} row[] = {
		{OP_VADD2, OP_VADD4, "add.s32 s, s, t;\n"},
		{OP_VSUB2, OP_VSUB4, "sub.s32 s, s, t;\n"},
		{OP_VAVRG2, OP_VAVRG4,
		 "add.s32 s, s, t;\nsetp.ge.s32 p, s, 0;\nselp.b32 t, 1, 0, p;\nadd.s32 s, s, t;\n"
		 "shr.s32 s, s, 1;\n"},
		{OP_VABSDIFF2, OP_VABSDIFF4, "sub.s32 s, s, t;\nabs.s32 s, s;\n"},
		{OP_VMIN2, OP_VMIN4, "min.s32 s, s, t;\n"},
		{OP_VMAX2, OP_VMAX4, "max.s32 s, s, t;\n"},
		{OP_VSET2, OP_VSET4, "setp.%s.s32 p, s, t;\nselp.b32 s, 1, 0, p;\n"},
	};
	const char *op = NULL;
	bool four = false;
	for (size_t i = 0; i < sizeof row / sizeof *row && !op; i++)
		if (in->op == row[i].two || in->op == row[i].four) {
			op = row[i].op;
			four = in->op == row[i].four;
		}
	if (sm == 20 || !op || !f)
		return sm != 20 && op;
	fprintf(f, ".reg .b32 s, t;\n.reg .pred p;\nmov.b32 r, c;\n");
	for (unsigned k = 0; k < (four ? 4u : 2u); k++)
		if (in->vmask >> k & 1)
			write_lane(in, k, four ? 8 : 16, op, f);
	return true;
}
