/* Video instructions of sm_20. An operand is a byte, half or word of a register, named by the
 * mnemonic's types and the operand's suffix. In forms with two or four lanes each lane takes its
 * own part, and PRMT reorders the lanes first if PTX selects others. Results merge into a part of
 * the third operand: the machine can merge both halves and bytes 0 and 2, BFI merges the other
 * bytes. */
#include "back/select/operations.h"

static const struct row {
	uint16_t op;
	const char *name;
	uint8_t lanes;
	bool sub;
	const char *kind; /* text after the types */
} rows[] = {
	{OP_VADD, "VADD", 1, false, ""},           {OP_VSUB, "VADD", 1, true, ""},
	{OP_VABSDIFF, "VABSDIFF", 1, false, ""},   {OP_VMIN, "VMNMX", 1, false, ""},
	{OP_VMAX, "VMNMX", 1, false, ".MX"},       {OP_VSHL, "VSHL", 1, false, ""},
	{OP_VSHR, "VSHR", 1, false, ""},           {OP_VSET, "VSET", 1, false, ""},
	{OP_VADD2, "VADD2", 2, false, ""},         {OP_VSUB2, "VADD2", 2, true, ""},
	{OP_VAVRG2, "VADD2", 2, false, ".AVG"},    {OP_VABSDIFF2, "VABSDIFF2", 2, false, ""},
	{OP_VMIN2, "VMNMX2", 2, false, ""},        {OP_VMAX2, "VMNMX2", 2, false, ".MX"},
	{OP_VSET2, "VSET2", 2, false, ""},         {OP_VADD4, "VADD4", 4, false, ""},
	{OP_VSUB4, "VADD4", 4, true, ""},          {OP_VAVRG4, "VADD4", 4, false, ".AVG"},
	{OP_VABSDIFF4, "VABSDIFF4", 4, false, ""}, {OP_VMIN4, "VMNMX4", 4, false, ""},
	{OP_VMAX4, "VMNMX4", 4, false, ".MX"},     {OP_VSET4, "VSET4", 4, false, ""},
};

static unsigned part_bits(unsigned part)
{
	return part == VPART_WORD ? 32 : part >= VPART_H0 ? 16 : 8;
}

/* Source i in a register, with the suffix for its part. */
static struct mo part_of(struct sel *s, unsigned i)
{
	static const uint8_t suffix[] = {
		[VPART_B1] = 1, [VPART_B2] = 2, [VPART_B3] = 3, [VPART_H1] = 4};
	struct mo o = sel_reg(s, i, 0);
	unsigned part = s->in->vsel[1 + i];
	if (o.kind == MO_REG && part)
		o.half = suffix[part];
	return o;
}

/* The types as ".U16.S8"; two signed types of the widest kind are not printed. */
static const char *type_names(struct sel *s, unsigned widest, unsigned a, unsigned b)
{
	bool sa = s->in->atype == T_S32, sb = s->in->btype == T_S32;
	if (sa && sb && a == widest && b == widest)
		return "";
	return sel_text(s, ".%c%u.%c%u", sa ? 'S' : 'U', a, sb ? 'S' : 'U', b);
}

static const char *unsigned_result(const struct inst *in) { return in->type == T_S32 ? "" : ".UD"; }

static const char *compares_lanes(struct sel *s)
{
	bool set = s->in->op == OP_VSET || s->in->op == OP_VSET2 || s->in->op == OP_VSET4;
	return set ? sel_text(s, ".%s", sel_cmp(s, s->in->cmp, false)) : "";
}

/* The secondary operation; *at: position for a byte that the machine cannot merge, else 0. */
static const char *secondary_name(unsigned mode, unsigned *at)
{
	static const char *const name[] = {"",         ".ACC",     ".MIN",     ".MAX",
					   ".MRG_8B0", ".MRG_8B0", ".MRG_8B2", ".MRG_8B0",
					   ".MRG_16L", ".MRG_16H"};
	*at = mode == VSEC_MRG_B1 ? 8 : mode == VSEC_MRG_B3 ? 24 : 0;
	return name[mode];
}

static void select_scalar(struct sel *s, const struct row *r)
{
	const struct inst *in = s->in;
	unsigned at;
	const char *sec = secondary_name(in->mode, &at);
	const char *name =
		sel_text(s, "%s%s%s%s%s%s%s%s", r->name, compares_lanes(s), unsigned_result(in),
			 type_names(s, 32, part_bits(in->vsel[1]), part_bits(in->vsel[2])), r->kind,
			 in->mods & M_WRAP ? ".W" : "", in->mods & M_SAT ? ".SAT" : "", sec);
	struct mo a = part_of(s, 0), b = part_of(s, 1), d = mo_reg(sel_dst(s, 0)),
		  c = in->mode == VSEC_NONE ? mo_zero() : sel_reg(s, 2, 0);
	b.neg = r->sub;
	if (!at) {
		OP(s, name, 1, d, a, b, c);
		return;
	}
	uint32_t t = sel_temp(s, 1);
	OP(s, name, 1, mo_reg(t), a, b, mo_zero());
	OP(s, "BFI", 1, d, mo_reg(t), mo_imm(0x800 + at), c);
}

/* a * b + c with signs. With a negated product and a negated c, -1 - c is the complement of c, and
 * PTX means -p - c - 1. */
void fermi_vmad(struct sel *s)
{
	const struct inst *in = s->in;
	bool neg_p = ((inst_src(in, 0)->mod ^ inst_src(in, 1)->mod) & OPND_NEG) != 0,
	     neg_c = inst_src(in, 2)->mod & OPND_NEG;
	bool is_signed = in->atype == T_S32 || in->btype == T_S32 || neg_p || neg_c;
	const char *name =
		sel_text(s, "VMAD%s%s%s%s%s", is_signed ? "" : ".UD",
			 type_names(s, 32, part_bits(in->vsel[1]), part_bits(in->vsel[2])),
			 in->mods & M_PO ? ".PO" : "",
			 in->mode == 7    ? ".SHR_7"
			 : in->mode == 15 ? ".SHR_15"
					  : "",
			 in->mods & M_SAT ? ".SAT" : "");
	struct mo a = part_of(s, 0), b = part_of(s, 1), c = sel_reg(s, 2, 0);
	a.neg = neg_p;
	if (neg_p && neg_c) {
		uint32_t t = sel_temp(s, 1);
		c.inv = true;
		OP(s, "LOP.PASS_B", 1, mo_reg(t), mo_zero(), c);
		c = mo_reg(t);
	} else {
		c.neg = neg_c;
	}
	OP(s, name, 1, mo_reg(sel_dst(s, 0)), a, b, c);
}

/* The lanes that PTX selects for operand a (shift 0) or b (4), in order in one register. */
static struct mo lanes_of(struct sel *s, unsigned lanes, unsigned shift)
{
	const struct inst *in = s->in;
	unsigned bytes = 4 / lanes, select = 0, own = shift ? 0x7654 : 0x3210;
	for (unsigned k = 0; k < 4; k++) {
		unsigned e = in->vsel[k / bytes] >> shift & 15;
		if (!(in->vmask >> k / bytes & 1)) /* not selected: stays in its place */
			e = k / bytes + (shift ? lanes : 0);
		select |= (e * bytes + k % bytes) << 4 * k;
	}
	struct mo a = sel_reg(s, 0, 0), b = sel_reg(s, 1, 0);
	if (select == own)
		return shift ? b : a;
	uint32_t t = sel_temp(s, 1);
	OP(s, "PRMT", 1, mo_reg(t), a, mo_imm(select), b);
	return mo_reg(t);
}

static void select_lanes(struct sel *s, const struct row *r)
{
	const struct inst *in = s->in;
	unsigned bits = 32 / r->lanes;
	const char *name =
		sel_text(s, "%s%s%s%s%s%s%s", r->name, compares_lanes(s), unsigned_result(in),
			 type_names(s, bits, bits, bits), r->kind, in->mods & M_SAT ? ".SAT" : "",
			 in->mode == VSEC_ADD ? ".ACC" : "");
	struct mo a = lanes_of(s, r->lanes, 0), b = lanes_of(s, r->lanes, 4);
	b.neg = r->sub;
	OP(s, name, 1, mo_reg(sel_dst(s, 0)), a, b, sel_reg(s, 2, 0), mo_imm(in->vmask),
	   mo_imm(r->lanes == 4 ? 0x44 : 0x4e));
}

void fermi_video(struct sel *s)
{
	const struct row *r = rows;
	while (r->op != s->in->op)
		r++;
	(r->lanes > 1 ? select_lanes : select_scalar)(s, r);
}
