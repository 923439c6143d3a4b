/* Operands of matrix instructions (wmma, mma, ldmatrix): the number of registers in each
 * fragment. */
#include "front/ptx/decode.h"

static unsigned part_elements(unsigned shape, enum tensor_part part)
{
	unsigned m = shape_dims[shape].m, n = shape_dims[shape].n, k = shape_dims[shape].k;
	return part == MM_A ? m * k : part == MM_B ? k * n : m * n;
}

/* Returns the number of registers of a fragment in one lane. The elements are spread over the
 * warp's 32 lanes, narrow ones packed. The f16 fragments a and b of wmma hold each element twice;
 * mma.m8n8k4 of f16 is four products. */
static unsigned part_regs(const struct inst *in, enum tensor_part part, unsigned type)
{
	unsigned bits = part_elements(in->mode, part) / 32 * type_bits(type);
	bool ab = part == MM_A || part == MM_B;
	if (in->op != OP_MMA && ab && type == T_F16)
		return 8;
	if (in->op == OP_MMA && in->mode == SHAPE_M8N8K4 && type != T_F64 && in->atype == T_F16)
		return ab ? 2 : type == T_F16 ? 4 : 8;
	return type == T_F64 ? bits / 64 : bits / 32;
}

/* Returns the register type that holds a fragment's elements. */
static unsigned part_reg_type(unsigned type)
{
	return type == T_F32 || type == T_F64 || type == T_S32 ? type : T_B32;
}

static bool decode_fragments(struct dec *d)
{
	struct inst *in = d->in;
	const struct ptx_opnd *o = d->s->opnd;
	const unsigned type[] = {in->type, in->atype, in->btype, in->stype};
	const enum tensor_part part[] = {MM_D, MM_A, MM_B, MM_C};
	if (!dec_count(d, 4, 4))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		unsigned n = part_regs(in, part[i], type[i]), t = part_reg_type(type[i]);
		in->grp[i] = (uint8_t)n;
		if (!(i ? dec_src_vec(d, &o[i], n, t, false)
			: dec_dst_vec(d, &o[i], n, t, false, false)))
			return false;
	}
	return true;
}

bool decode_mma(struct dec *d)
{
	const struct inst *in = d->in;
	if (in->type != in->stype && (in->mode != SHAPE_M8N8K4 || in->type == T_F16))
		return dec_error(d, NULL, "'%s': the sum cannot be .%s with a .%s result",
				 dec_mnemonic(d), type_info[in->stype].name,
				 type_info[in->type].name);
	if (in->type == T_F64 && !in->rnd)
		d->in->rnd = RND_RN;
	return decode_fragments(d);
}

bool decode_wmma_mma(struct dec *d)
{
	struct inst *in = d->in;
	if (!in->atype)
		in->atype = in->btype = T_F16;
	if (in->atype != in->btype)
		return dec_error(d, NULL, "'%s': a and b have one type", dec_mnemonic(d));
	if (in->type == T_F64 && !in->rnd)
		in->rnd = RND_RN;
	return decode_fragments(d);
}

bool decode_wmma_load(struct dec *d)
{
	struct inst *in = d->in;
	const struct ptx_opnd *o = d->s->opnd;
	unsigned n = part_regs(in, (enum tensor_part)in->imm, in->type);
	in->grp[0] = (uint8_t)n;
	return dec_count(d, 2, 3) &&
	       dec_dst_vec(d, &o[0], n, part_reg_type(in->type), false, false) &&
	       dec_mem(d, &o[1], SP_NONE) && (d->s->nopnd == 2 || dec_src(d, &o[2], T_U32, false));
}

bool decode_wmma_store(struct dec *d)
{
	struct inst *in = d->in;
	const struct ptx_opnd *o = d->s->opnd;
	unsigned n = part_regs(in, MM_D, in->type);
	in->grp[0] = (uint8_t)n;
	return dec_count(d, 2, 3) && dec_mem(d, &o[0], SP_NONE) &&
	       dec_src_vec(d, &o[1], n, part_reg_type(in->type), false) &&
	       (d->s->nopnd == 2 || dec_src(d, &o[2], T_U32, false));
}
