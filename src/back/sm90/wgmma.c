/* Products of a warp group on sm_90: wgmma. Descriptors of matrices in shared memory and the decision whether the accumulators are added
 * are operands of the uniform datapath; accumulators are registers in a row, which the machine changes after the instruction:
 *
 *	wgmma.mma_async ... {x0, x1, ...}, da, db, p, 1, 1;
 *
 *	R2UR UR8, da.0;  R2UR UR9, da.1;  R2UR UR10, db.0;  R2UR UR11, db.1;  UP0 = p
 *	GATHER x0, x1, ...;  HGMMA.64x8x16.F32 ?, gdesc[UR8], ?, UP0;  SCATTER x0, x1, ...;
 *
 * GATHER and SCATTER name the accumulators until tuples.c gives them a place; flight.c then keeps other instructions away from
 * registers that a product may still change. */
#include <string.h>
#include "back/sm90/sm90.h"

/* Uniform registers of a product: those of descriptors change from product to product. */
enum { FIRST_UR = 8, URS = 4, UR_SETS = 4, CONDITION_UR = 24 };

bool sm90_is_product(const struct mi *in)
{
	return in->name && (mi_is(in, "HGMMA") || mi_is(in, "QGMMA") || mi_is(in, "IGMMA") ||
			    mi_is(in, "BGMMA"));
}

bool sm90_ends_group(const struct mi *in)
{
	const struct mo *o = &in->o[in->n - 1];
	return in->n && o->kind == MO_TEXT && !strcmp(o->text, "gsb0");
}

/* A product that multiplies nothing and ends a group. */
struct mi sm90_empty_group(void)
{
	return (struct mi){.name = "HGMMA.64x8x16.F16",
			   .guard = V_TRUE,
			   .n = 5,
			   .o = {mo_zero(), mo_text("gdesc[URZ]"), mo_zero(), mo_text("!UPT"),
				 mo_text("gsb0")}};
}

static const char *element_name(unsigned type)
{
	switch (type) {
	case T_BF16: return ".BF16";
	case T_TF32: return ".TF32";
	case T_E4M3: return ".E4M3";
	case T_E5M2: return ".E5M2";
	case T_S8: return ".S8";
	case T_U8: return ".U8";
	default: return "";
	}
}

static const char *product_name(struct sel *s)
{
	const struct inst *in = s->in;
	bool sparse = in->imm & WG_SPARSE;
	unsigned columns = 8u * in->mode, depth = 256 / type_bits(in->atype) * (sparse ? 2 : 1);
	const char *sp = sparse ? ".SP" : "", *sum = in->type == T_F16 ? "F16" : "F32";
	switch (in->atype) {
	case T_F16:
	case T_BF16:
	case T_TF32:
		if (in->atype == T_TF32)
			depth = sparse ? 16 : 8;
		return sel_text(s, "HGMMA%s.64x%ux%u.%s%s", sp, columns, depth, sum,
				element_name(in->atype));
	case T_E4M3:
	case T_E5M2:
		return sel_text(s, "QGMMA%s.64x%ux%u.%s%s%s", sp, columns, depth, sum,
				element_name(in->atype), element_name(in->btype));
	case T_S8:
	case T_U8:
		return sel_text(s, "IGMMA%s.64x%ux%u%s%s%s", sp, columns, depth,
				element_name(in->atype), element_name(in->btype),
				in->mods & M_SATFINITE ? ".SAT" : "");
	case T_B1: return sel_text(s, "BGMMA.64x%ux256.AND.POPC", columns);
	default: return NULL;
	}
}

static void to_uniform(struct sel *s, unsigned ur, struct mo r)
{
	OP(s, "R2UR", 0, mo_text(sel_text(s, "UR%u", ur)), r);
}

/* The only instruction of the kernel that writes a register; NULL: there are several, or it has a guard. */
static const struct inst *only_writer(const struct sel *s, unsigned kind, uint32_t reg)
{
	const struct inst *found = NULL;
	for (size_t i = 0; i < s->f->code.n; i++) {
		const struct inst *in = &s->f->code.v[i];
		for (unsigned d = 0; d < in->nd; d++) {
			const struct opnd *o = inst_dst(in, d);
			if (o->kind != kind || o->reg != reg)
				continue;
			if (found)
				return NULL;
			found = in;
		}
	}
	return found && found->guard == NO_REG ? found : NULL;
}

static bool is_number(const struct sel *s, const struct opnd *o, uint32_t *number)
{
	if (o->kind == OPND_REG) {
		const struct inst *in = only_writer(s, o->kind, o->reg);
		if (!in || in->op != OP_MOV || type_bits(in->type) != 32 || in->mods)
			return false;
		o = inst_src(in, 0);
	}
	*number = (uint32_t)o->imm;
	return o->kind == OPND_IMM;
}

/* A predicate that one comparison of numbers writes becomes true or false. */
static struct mo known_predicate(const struct sel *s, unsigned i, struct mo p)
{
	const struct opnd *o = inst_src(s->in, i);
	const struct inst *in = o->kind == OPND_IMM ? NULL : only_writer(s, o->kind, o->reg);
	uint32_t a, b;
	if (!in || in->op != OP_SETP || in->nd != 1 || in->ns != 2 || type_bits(in->stype) != 32 ||
	    (in->cmp != CMP_NE && in->cmp != CMP_EQ) || type_is_float(in->stype) ||
	    !is_number(s, inst_src(in, 0), &a) || !is_number(s, inst_src(in, 1), &b))
		return p;
	bool yes = (a == b) == (in->cmp == CMP_EQ);
	return yes != p.neg ? mo_pred(V_TRUE) : mo_not(V_TRUE);
}

/* The condition for adding the accumulators: a predicate of the uniform datapath. */
static struct mo put_condition(struct sel *s, unsigned i)
{
	struct mo p = known_predicate(s, i, sel_predicate(s, i));
	if (p.v == V_TRUE)
		return mo_text(p.neg ? "!UPT" : "UPT");
	uint32_t t = sel_temp(s, 1);
	OP(s, "SEL", 1, mo_reg(t), ZERO, mo_imm(1), p);
	to_uniform(s, CONDITION_UR, mo_reg(t));
	OP(s, "UISETP.EQ.U32.AND", 0, mo_text("UP0"), mo_text("UPT"),
	   mo_text(sel_text(s, "UR%u", CONDITION_UR)), mo_text("URZ"), mo_text("UPT"));
	return mo_text("UP0");
}

static unsigned next_set(const struct sel *s)
{
	unsigned n = 0;
	for (size_t i = 0; i < s->m.code.n; i++)
		n += sm90_is_product(&s->m.code.v[i]);
	return FIRST_UR + n % UR_SETS * URS;
}

/* The registers of A, or metadata, as one operand; their place is that of a product's operands. */
static struct mo put_fragment(struct sel *s, unsigned from, unsigned n)
{
	uint32_t t = sel_temp(s, n);
	for (unsigned i = 0; i < n; i++)
		sm90_mov(s, n > 1 ? mo_word(t, i) : mo_reg(t), sm90_src(s, from + i, 0))->fresh =
			!i;
	s->m.val.v[t].group = 4;
	return n > 1 ? mo_wide(t) : mo_reg(t);
}

static void name_accumulators(struct sel *s, bool results)
{
	unsigned n = s->in->grp[0];
	struct mo o[MI_OPS];
	for (unsigned i = 0; i < n; i += MI_OPS) {
		unsigned count = n - i < MI_OPS ? n - i : MI_OPS;
		for (unsigned k = 0; k < count; k++)
			o[k] = results ? mo_reg(sel_dst(s, i + k)) : sm90_src(s, i + k, 0);
		sel_op(s, results ? "SCATTER" : "GATHER", results ? count : 0, count, o)->keep =
			true;
	}
}

void sm90_wgmma(struct sel *s)
{
	const struct inst *in = s->in;
	const char *name = product_name(s);
	unsigned n = 0, at = in->grp[0], ur = next_set(s);
	bool in_registers = in->grp[1], sparse = in->imm & WG_SPARSE, minus = in->imm & WG_NEGATE;
	struct mo o[MI_OPS], a = ZERO, e = ZERO;
	if (!name) {
		sel_refuse(s, "products of these types");
		return;
	}
	if (s->apart)
		OP(s, "WARPSYNC.ALL", 0);
	if (in_registers) {
		a = put_fragment(s, at, in->grp[1]);
		a.neg = minus;
		at += in->grp[1];
	} else {
		to_uniform(s, ur, sm90_reg(s, at, 0));
		to_uniform(s, ur + 1, sm90_reg(s, at, 1));
		at++;
	}
	to_uniform(s, ur + 2, sm90_reg(s, at, 0));
	to_uniform(s, ur + 3, sm90_reg(s, at, 1));
	at++;
	if (sparse)
		e = put_fragment(s, at++, 1);
	struct mo condition = put_condition(s, at);
	bool adds = condition.text[0] != '!';
	o[n++] = ZERO; /* the accumulators: tuples.c */
	if (in_registers)
		o[n++] = a;
	o[n++] = mo_text(sel_text(s, "gdesc[UR%u]%s%s%s", ur, minus && !in_registers ? ".negA" : "",
				  in->imm & WG_TRANS_A ? ".tnspA" : "",
				  in->imm & WG_TRANS_B ? ".tnspB" : ""));
	o[n++] = ZERO; /* the accumulators again */
	o[n++] = condition;
	if (sparse)
		o[n++] = e;
	if (sparse && name[0] == 'H')
		o[n++] = mo_imm((int64_t)(in->imm >> WG_SELECTOR));
	if (adds)
		name_accumulators(s, false);
	sel_op(s, name, 0, n, o);
	name_accumulators(s, true);
}

/* Marks the last product before the end of a group, if both are in one block. */
static void end_group(struct sel *s)
{
	for (size_t i = s->m.code.n; i-- > 0;) {
		struct mi *in = &s->m.code.v[i];
		if (!in->name || in->label || in->ends)
			break;
		if (!sm90_is_product(in))
			continue;
		if (in->guard != V_TRUE || s->in->guard != NO_REG || sm90_ends_group(in) ||
		    in->n == MI_OPS)
			break;
		in->o[in->n++] = mo_text("gsb0");
		return;
	}
	struct mi none = sm90_empty_group();
	sel_op(s, none.name, none.nd, none.n, none.o);
}

void sm90_wgmma_group(struct sel *s) { end_group(s); }

void sm90_wgmma_wait(struct sel *s)
{
	if (s->in->vmask != WG_LEAVES_ALL) {
		OP(s, "WARPGROUP.DEPBAR.LE", 0, mo_text("gsb0"), mo_imm(s->in->vmask));
		return;
	}
	if (s->apart)
		OP(s, "WARPSYNC.ALL", 0);
	OP(s, "WARPGROUP.ARRIVE", 0);
}
