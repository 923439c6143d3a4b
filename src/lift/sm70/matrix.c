/* Lifts tensor core instructions: products of matrices that are spread over the registers of a
 * warp. */
#include "lift/sm70/lift.h"

#include <stdio.h>
#include <string.h>

/* A shape, with the number of 32-bit registers that a, b and an accumulator of 32-bit elements
 * take. */
struct shape_row {
	uint16_t word, type; /* SM70_W_*: type 0: any */
	uint8_t op; /* element type: 'h' halves, 't' tf32, 'i' bytes, 'n' nibbles, 'b' bits, 'd'
	             * doubles */
	uint8_t shape, a, b, c;
};

static const struct shape_row shapes[] = {
	{SM70_W__1688, 0, 'h', SHAPE_M16N8K8, 2, 1, 4},
	{SM70_W__16816, 0, 'h', SHAPE_M16N8K16, 4, 2, 4},
	{SM70_W__1684, 0, 't', SHAPE_M16N8K4, 2, 1, 4},
	{SM70_W__1688, 0, 't', SHAPE_M16N8K8, 4, 2, 4},
	{SM70_W__8816, 0, 'i', SHAPE_M8N8K16, 1, 1, 2},
	{SM70_W__16816, 0, 'i', SHAPE_M16N8K16, 2, 1, 4},
	{SM70_W__16832, 0, 'i', SHAPE_M16N8K32, 4, 2, 4},
	{SM70_W__8832, 0, 'n', SHAPE_M8N8K32, 1, 1, 2},
	{SM70_W__16832, 0, 'n', SHAPE_M16N8K32, 2, 1, 4},
	{SM70_W__16864, 0, 'n', SHAPE_M16N8K64, 4, 2, 4},
	{SM70_W__88128, 0, 'b', SHAPE_M8N8K128, 1, 1, 2},
	{SM70_W__168128, 0, 'b', SHAPE_M16N8K128, 2, 1, 4},
	{SM70_W__168256, 0, 'b', SHAPE_M16N8K256, 4, 2, 4},
	{SM70_W__884, 0, 'd', SHAPE_M8N8K4, 1, 1, 2}, /* before sm_90 */
	{SM70_W__8x8x4, 0, 'd', SHAPE_M8N8K4, 1, 1, 2},
	{SM70_W__16x8x4, 0, 'd', SHAPE_M16N8K4, 2, 1, 4},
	{SM70_W__16x8x8, 0, 'd', SHAPE_M16N8K8, 4, 2, 4},
	{SM70_W__16x8x16, 0, 'd', SHAPE_M16N8K16, 8, 4, 4},
};

/* Shapes of sparse products, whose A has half of the depth. */
static const struct shape_row sparse_shapes[] = {
	{SM70_W__16816, 0, 'h', SHAPE_M16N8K16, 2, 2, 4},
	{SM70_W__16832, 0, 'h', SHAPE_M16N8K32, 4, 4, 4},
	{SM70_W__1688, 0, 't', SHAPE_M16N8K8, 2, 2, 4},
	{SM70_W__16816, 0, 't', SHAPE_M16N8K16, 4, 4, 4},
	{SM70_W__16832, 0, 'i', SHAPE_M16N8K32, 2, 2, 4},
	{SM70_W__16864, 0, 'i', SHAPE_M16N8K64, 4, 4, 4},
	{SM70_W__16864, 0, 'n', SHAPE_M16N8K64, 2, 2, 4},
	{SM70_W__168128, 0, 'n', SHAPE_M16N8K128, 4, 4, 4},
};

static bool is_sparse(const struct lift *l) { return mod(l, SM70_MOD_SP) != SM70_W_NONE; }

static const struct shape_row *shape_of(const struct lift *l, char op)
{
	const struct shape_row *row = is_sparse(l) ? sparse_shapes : shapes;
	size_t n = is_sparse(l) ? sizeof sparse_shapes / sizeof *row : sizeof shapes / sizeof *row;
	for (size_t i = 0; i < n; i++)
		if (row[i].op == (uint8_t)op && mod(l, SM70_MOD_SHAPE) == row[i].word)
			return &row[i];
	return NULL;
}

/* Puts n registers (or pairs), from the operand's on, into o. */
static unsigned put_registers(struct lift *l, struct opnd *o, unsigned role, unsigned n,
			      unsigned type, bool dst)
{
	const struct sm70_operand *s = opd(l, role);
	unsigned rows = type_rows(type);
	for (unsigned i = 0; i < n; i++) {
		bool none = !s || s->reg == SM70_RZ;
		if (rows == 2) {
			o[i] = none ? gen_d(&l->g) : val_r(s->reg + 2 * i);
			if (none && !dst)
				gen(&l->g, OP_MOV, T_B64, o[i], imm_as(T_B64, 0));
		} else {
			o[i] = none ? dst ? gen_t(&l->g) : lift_reg(l, imm(0)) : val_r(s->reg + i);
		}
		o[i].type = (uint8_t)type;
	}
	return n;
}

/* Applies the signs of a source to its n elements; `sign` has the positions of an element's signs. */
static void put_signs(struct lift *l, struct opnd *o, unsigned role, unsigned n, uint64_t sign)
{
	const struct sm70_operand *s = opd(l, role);
	for (unsigned i = 0; s && (s->neg || s->abs) && i < n; i++) {
		bool wide = type_rows(o[i].type) == 2;
		unsigned type = wide ? T_B64 : T_B32;
		struct opnd t = wide ? gen_d(&l->g) : gen_t(&l->g), from = o[i];
		from.type = (uint8_t)type;
		if (s->abs)
			gen(&l->g, OP_AND, type, t, from,
			    imm_as(type, wide ? ~sign : (uint32_t)~sign));
		if (s->neg)
			gen(&l->g, OP_XOR, type, t, s->abs ? t : from, imm_as(type, sign));
		t.type = o[i].type;
		o[i] = t;
	}
}

/* The positions of the signs in a register, or a pair, with elements of the type. */
static uint64_t sign_bits_of(unsigned type)
{
	return type == T_F64 ? 1ull << 63 : type_bits(type) == 16 ? 0x80008000 : 0x80000000;
}

static void emit_product(struct lift *l, const struct shape_row *s, struct inst in)
{
	struct opnd o[26];
	unsigned n = 0, reg = in.type == T_F64 ? T_F64 : T_B32;
	unsigned nd = in.type == T_F16 ? s->c / 2u : s->c,
		 nc = in.stype == T_F16 ? s->c / 2u : s->c;
	in.op = is_sparse(l) ? OP_MMA_SP : OP_MMA;
	in.mode = s->shape;
	in.mods |= M_COL_B;
	in.grp[0] = (uint8_t)nd;
	in.grp[1] = s->a;
	in.grp[2] = s->b;
	in.grp[3] = (uint8_t)nc;
	in.nd = (uint8_t)nd;
	n += put_registers(l, o, SM70_R_D, nd, reg, true);
	static const uint8_t roles[] = {SM70_R_A, SM70_R_B, SM70_R_C};
	const unsigned count[] = {s->a, s->b, nc};
	for (unsigned i = 0; i < 3; i++) {
		put_registers(l, o + n, roles[i], count[i], reg, false);
		put_signs(l, o + n, roles[i], count[i], sign_bits_of(i == 2 ? in.stype : in.atype));
		n += count[i];
	}
	if (is_sparse(l)) {
		n += put_registers(l, o + n, SM70_R_E, 1, T_B32, false);
		in.imm = imm_of(l, SM70_R_I, 0);
		o[n++] = imm_as(T_U32, in.imm);
	}
	gen_emit(&l->g, in, o, n);
}

/* HMMA.884: one of the parts of m8n8k4 on Turing, two registers of D from two of C. With singles in D there are four
 * steps, whose C is the same pair for two of them if it has halves; with halves there are two. */
static void do_hmma_step(struct lift *l)
{
	bool single_d = mod(l, SM70_MOD_TYPE) == SM70_W_F32,
	     single_c = mod(l, SM70_MOD_TYPE2) == SM70_W_F32;
	static const uint16_t steps[] = {SM70_W_STEP0, SM70_W_STEP1, SM70_W_STEP2, SM70_W_STEP3};
	unsigned step = 0, n = 0, nd = single_d ? 8 : 4, nc = single_c ? 8 : 4;
	while (step < 4 && mod(l, SM70_MOD_MODE) != steps[step])
		step++;
	if (step * 2 >= nd || has(l, SM70_W_SATFINITE)) {
		lift_refuse(l, "a step of no known meaning");
		return;
	}
	struct inst in = {.op = OP_MMA,
			  .type = single_d ? T_F32 : T_F16,
			  .stype = single_c ? T_F32 : T_F16,
			  .atype = T_F16,
			  .btype = T_F16,
			  .mode = SHAPE_M8N8K4,
			  .nd = (uint8_t)nd,
			  .grp = {(uint8_t)nd, 2, 2, (uint8_t)nc}};
	const struct sm70_operand *a = opd(l, SM70_R_A), *b = opd(l, SM70_R_B);
	in.mods |= a && a->part == SM70_W_COL ? M_COL_A : 0;
	in.mods |= b && b->part == SM70_W_COL ? M_COL_B : 0;
	struct opnd o[20], zero = lift_reg(l, imm(0));
	unsigned at = single_c == single_d ? 2 * step : 2 * (step / 2);
	zero.type = T_B32;
	for (; n < nd; n++)
		o[n] = gen_t(&l->g);
	put_registers(l, o + n, SM70_R_A, 2, T_B32, false);
	put_signs(l, o + n, SM70_R_A, 2, sign_bits_of(T_F16));
	put_registers(l, o + n + 2, SM70_R_B, 2, T_B32, false);
	put_signs(l, o + n + 2, SM70_R_B, 2, sign_bits_of(T_F16));
	n += 4;
	for (unsigned i = 0; i < nc; i++)
		o[n + i] = zero;
	put_registers(l, o + n + at, SM70_R_C, 2, T_B32, false);
	gen_emit(&l->g, in, o, n + nc);
	for (unsigned i = 0; i < 2; i++)
		gen(&l->g, OP_MOV, T_U32, lift_dst_word(l, i), o[2 * step + i]);
}

static void do_hmma(struct lift *l)
{
	if (mod(l, SM70_MOD_SHAPE) == SM70_W__884) {
		do_hmma_step(l);
		return;
	}
	bool tf32 = has(l, SM70_W_TF32);
	unsigned element = tf32                  ? T_TF32
			   : has(l, SM70_W_BF16) ? T_BF16
						 : T_F16,
		 sum = has(l, SM70_W_F32) ? T_F32 : T_F16;
	const struct shape_row *s = shape_of(l, tf32 ? 't' : 'h');
	if (!s) {
		lift_refuse(l, "a shape of no known meaning");
		return;
	}
	emit_product(l, s,
		     (struct inst){.type = (uint8_t)sum,
				   .stype = (uint8_t)sum,
				   .atype = (uint8_t)element,
				   .btype = (uint8_t)element});
}

static unsigned fp8_type(unsigned word) { return word == SM70_W_E5M2 ? T_E5M2 : T_E4M3; }

static unsigned integer_type(unsigned word)
{
	switch (word) {
	case SM70_W_U8: return T_U8;
	case SM70_W_S4: return T_S4;
	case SM70_W_U4: return T_U4;
	default: return T_S8;
	}
}

static void do_imma(struct lift *l)
{
	unsigned a = integer_type(mod(l, SM70_MOD_TYPE)), b = integer_type(mod(l, SM70_MOD_TYPE2));
	const struct shape_row *s = shape_of(l, type_bits(a) == 4 ? 'n' : 'i');
	if (!s) {
		lift_refuse(l, "a shape of no known meaning");
		return;
	}
	emit_product(l, s,
		     (struct inst){.type = T_S32,
				   .stype = T_S32,
				   .atype = (uint8_t)a,
				   .btype = (uint8_t)b,
				   .mods = has(l, SM70_W_SAT) ? M_SATFINITE : 0});
}

static void do_qmma(struct lift *l)
{
	const struct shape_row *s = shape_of(l, 'i');
	unsigned sum = has(l, SM70_W_F32) ? T_F32 : T_F16;
	if (!s || s->shape == SHAPE_M8N8K16) {
		lift_refuse(l, "a shape of no known meaning");
		return;
	}
	emit_product(l, s,
		     (struct inst){.type = (uint8_t)sum,
				   .stype = (uint8_t)sum,
				   .atype = (uint8_t)fp8_type(mod(l, SM70_MOD_TYPE2)),
				   .btype = (uint8_t)fp8_type(mod(l, SM70_MOD_ST))});
}

static void do_bmma(struct lift *l)
{
	const struct shape_row *s = shape_of(l, 'b');
	if (!s) {
		lift_refuse(l, "a shape of no known meaning");
		return;
	}
	emit_product(l, s,
		     (struct inst){.type = T_S32,
				   .stype = T_S32,
				   .atype = T_B1,
				   .btype = T_B1,
				   .bop = has(l, SM70_W_AND) ? BOP_AND : BOP_XOR});
}

static void do_dmma(struct lift *l)
{
	const struct shape_row *s = shape_of(l, 'd');
	if (!s) {
		lift_refuse(l, "a shape of no known meaning");
		return;
	}
	emit_product(l, s,
		     (struct inst){.type = T_F64,
				   .stype = T_F64,
				   .atype = T_F64,
				   .btype = T_F64,
				   .rnd = (uint8_t)lift_rounding(l)});
}

/* ---- products of a warp group ---- */

enum { GROUP_ROWS = 64 };

/* True if a descriptor operand, such as gdesc[UR4].negA.tnspB, has the word. */
static bool descriptor_says(const struct sm70_operand *o, const char *word)
{
	return strstr(sm70_word_text(o->part), word) != NULL;
}

/* The number of columns of the result, from the shape's text (64x128x16). 0: the text has none. */
static unsigned group_columns(const struct sm70_inst *in)
{
	unsigned rows, columns, depth;
	const char *text = sm70_word_text(in->mod[SM70_MOD_SHAPE]);
	bool known = sscanf(text, "%ux%ux%u", &rows, &columns, &depth) == 3;
	return known && rows == GROUP_ROWS && columns <= 256 && columns % 8 == 0 ? columns : 0;
}

static bool sums_are_halves(const struct sm70_inst *in)
{
	return (in->op == SM70_HGMMA || in->op == SM70_QGMMA) &&
	       in->mod[SM70_MOD_TYPE] == SM70_W_F16;
}

unsigned lift_accumulators(const struct sm70_inst *in)
{
	return group_columns(in) / (sums_are_halves(in) ? 4 : 2);
}

static void group_types(const struct lift *l, struct inst *in)
{
	unsigned element = has(l, SM70_W_TF32) ? T_TF32 : has(l, SM70_W_BF16) ? T_BF16 : T_F16;
	in->type = sums_are_halves(l->in) ? T_F16 : T_F32;
	switch (l->in->op) {
	case SM70_QGMMA:
		in->atype = (uint8_t)fp8_type(mod(l, SM70_MOD_TYPE2));
		in->btype = (uint8_t)fp8_type(mod(l, SM70_MOD_ST));
		break;
	case SM70_IGMMA:
		in->type = T_S32;
		in->atype = (uint8_t)integer_type(mod(l, SM70_MOD_TYPE));
		in->btype = (uint8_t)integer_type(mod(l, SM70_MOD_TYPE2));
		in->mods |= has(l, SM70_W_SAT) ? M_SATFINITE : 0;
		break;
	case SM70_BGMMA:
		in->type = T_S32;
		in->atype = in->btype = T_B1;
		in->bop = BOP_AND;
		break;
	default: in->atype = in->btype = (uint8_t)element;
	}
}

/* Two of the uniform registers of a descriptor operand, as 64 bits. */
static struct opnd descriptor_pair(struct lift *l, const struct sm70_operand *o, unsigned at)
{
	if (o->reg == SM70_URZ)
		return lift_reg(l, imm_as(T_B64, 0));
	return lift_pair(l, val_u(o->reg + at), val_u(o->reg + at + 1u));
}

/* True for gsb0: the product is the last of its group. */
static bool ends_group(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_WORD && l->in->o[i].part == SM70_W_gsb0)
			return true;
	return false;
}

/* Commits a group of products (gsb0). Code for an empty group has a product without a
 * destination. */
static void commit_group(struct lift *l)
{
	gen_emit(&l->g, (struct inst){.op = OP_WGMMA_GROUP}, NULL, 0);
}

static void do_group(struct lift *l)
{
	const struct sm70_operand *d = opd(l, SM70_R_D), *a = opd(l, SM70_R_A), *desc = NULL;
	const struct sm70_operand *scale = opd(l, SM70_R_PA);
	struct opnd o[2 * 128 + 10];
	struct inst in = {.op = OP_WGMMA};
	unsigned n = 0, regs = lift_accumulators(l->in);
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_GDESC)
			desc = &l->in->o[i];
	bool in_registers = a && a->kind == SM70_K_GPR;
	if (!regs || !desc || has(l, SM70_W_REGOFFSET)) {
		lift_refuse(l, "a product of no known meaning");
		return;
	}
	bool ends = ends_group(l);
	if (d->reg == SM70_RZ) {
		if (ends)
			commit_group(l);
		return;
	}
	group_types(l, &in);
	in.mode = (uint8_t)(group_columns(l->in) / 8);
	in.grp[0] = in.nd = (uint8_t)regs;
	in.grp[1] = in_registers ? 4 : 0;
	n += put_registers(l, o, SM70_R_D, regs, T_B32, true);
	n += put_registers(l, o + n, SM70_R_C, regs, T_B32, false);
	if (in_registers)
		n += put_registers(l, o + n, SM70_R_A, 4, T_B32, false);
	else
		o[n++] = descriptor_pair(l, desc, 0);
	o[n++] = descriptor_pair(l, desc, 2);
	bool minus_a = in_registers ? a->neg : descriptor_says(desc, "negA");
	in.imm = (minus_a != descriptor_says(desc, "negB") ? WG_NEGATE : 0) |
		 (descriptor_says(desc, "tnspA") ? WG_TRANS_A : 0) |
		 (descriptor_says(desc, "tnspB") ? WG_TRANS_B : 0);
	if (is_sparse(l)) {
		in.imm |= WG_SPARSE | imm_of(l, SM70_R_I, 0) << WG_SELECTOR;
		n += put_registers(l, o + n, SM70_R_E, 1, T_B32, false);
	}
	if (!scale || scale->reg == SM70_PT)
		o[n++] = imm_as(T_U32, !scale || !scale->neg);
	else
		o[n++] = lift_pred(l, SM70_R_PA);
	gen_emit(&l->g, in, o, n);
	if (ends)
		commit_group(l);
}

/* WARPGROUP.ARRIVE is wgmma.fence; DEPBAR waits until at most the given number of groups is
 * left. */
static void do_warpgroup(struct lift *l)
{
	bool fence = has(l, SM70_W_ARRIVE);
	gen_emit(&l->g,
		 (struct inst){.op = OP_BAR,
			       .type = T_U32,
			       .mode = BAR_SYNC,
			       .mods = M_ALIGNED,
			       .vmask = fence ? WG_LEAVES_ALL : (uint8_t)imm_of(l, SM70_R_I, 0),
			       .imm = BAR_WARPGROUP},
		 NULL, 0);
}

bool lift_matrix(struct lift *l)
{
	switch (l->in->op) {
	case SM70_HMMA: do_hmma(l); return true;
	case SM70_IMMA: do_imma(l); return true;
	case SM70_QMMA: do_qmma(l); return true;
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA: do_group(l); return true;
	case SM70_WARPGROUP: do_warpgroup(l); return true;
	case SM70_BMMA: do_bmma(l); return true;
	case SM70_DMMA: do_dmma(l); return true;
	case SM70_MOVM: {
		struct opnd s = lift_reg(
			l, lift_raw(l, opd(l, SM70_R_A) ? opd(l, SM70_R_A) : opd(l, SM70_R_B)));
		gen_emit(&l->g,
			 (struct inst){.op = OP_MOVMATRIX, .type = T_B16, .mods = M_TRANS, .nd = 1},
			 GEN_LIST(lift_dst(l), s));
		return true;
	}
	default: return false;
	}
}
