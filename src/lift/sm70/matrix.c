/* Tensor cores: products of matrices whose parts are in the registers of a warp. */
#include "lift/sm70/lift.h"

/* A shape, with the registers of 32 bits that a, b and an accumulator of 32-bit elements have. */
struct shape_row {
	uint16_t word, type; /* SM70_W_*: type 0: any */
	uint8_t op; /* what is multiplied: 'h' halves, 't' tf32, 'i' bytes, 'n' nibbles, 'b' bits, 'd' doubles */
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
	{SM70_W__8x8x4, 0, 'd', SHAPE_M8N8K4, 1, 1, 2},
	{SM70_W__16x8x4, 0, 'd', SHAPE_M16N8K4, 2, 1, 4},
	{SM70_W__16x8x8, 0, 'd', SHAPE_M16N8K8, 4, 2, 4},
	{SM70_W__16x8x16, 0, 'd', SHAPE_M16N8K16, 8, 4, 4},
};

static const struct shape_row *shape_of(const struct lift *l, char op)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (shapes[i].op == (uint8_t)op && mod(l, SM70_MOD_SHAPE) == shapes[i].word)
			return &shapes[i];
	return NULL;
}

/* n registers (or pairs of them) from the operand's on. */
static unsigned put(struct lift *l, struct opnd *o, unsigned role, unsigned n, unsigned type,
		    bool dst)
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

static void multiply(struct lift *l, const struct shape_row *s, struct inst in)
{
	struct opnd o[24];
	unsigned n = 0, reg = in.type == T_F64 ? T_F64 : T_B32;
	unsigned nd = in.type == T_F16 ? s->c / 2u : s->c,
		 nc = in.stype == T_F16 ? s->c / 2u : s->c;
	if (!s || mod(l, SM70_MOD_SP)) {
		lift_refuse(l, "%s", "");
		return;
	}
	in.op = OP_MMA;
	in.mode = s->shape;
	in.mods |= M_COL_B;
	in.grp[0] = (uint8_t)nd;
	in.grp[1] = s->a;
	in.grp[2] = s->b;
	in.grp[3] = (uint8_t)nc;
	in.nd = (uint8_t)nd;
	n += put(l, o, SM70_R_D, nd, reg, true);
	n += put(l, o + n, SM70_R_A, s->a, reg, false);
	n += put(l, o + n, SM70_R_B, s->b, reg, false);
	n += put(l, o + n, SM70_R_C, nc, reg, false);
	gen_emit(&l->g, in, o, n);
}

static void do_hmma(struct lift *l)
{
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
	multiply(l, s,
		 (struct inst){.type = (uint8_t)sum,
			       .stype = (uint8_t)sum,
			       .atype = (uint8_t)element,
			       .btype = (uint8_t)element});
}

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
	multiply(l, s,
		 (struct inst){.type = T_S32,
			       .stype = T_S32,
			       .atype = (uint8_t)a,
			       .btype = (uint8_t)b,
			       .mods = has(l, SM70_W_SAT) ? M_SATFINITE : 0});
}

static void do_bmma(struct lift *l)
{
	const struct shape_row *s = shape_of(l, 'b');
	if (!s) {
		lift_refuse(l, "a shape of no known meaning");
		return;
	}
	multiply(l, s,
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
	multiply(l, s,
		 (struct inst){.type = T_F64,
			       .stype = T_F64,
			       .atype = T_F64,
			       .btype = T_F64,
			       .rnd = (uint8_t)lift_rounding(l)});
}

bool lift_matrix(struct lift *l)
{
	switch (l->in->op) {
	case SM70_HMMA: do_hmma(l); return true;
	case SM70_IMMA: do_imma(l); return true;
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
