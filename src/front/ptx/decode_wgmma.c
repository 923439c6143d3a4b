/* Operands of warp group matrix instructions (wgmma) and of sparse mma. */
#include "front/ptx/decode.h"

#include <string.h>

/* True if the products take scale operands, which only float factors have. */
static bool has_scales(const struct inst *in) { return type_is_float(in->atype); }
static bool has_transposes(const struct inst *in)
{
	return in->atype == T_F16 || in->atype == T_BF16;
}

static bool is_word(const struct ptx_word *w, const char *s)
{
	return w->len == strlen(s) && !memcmp(w->s, s, w->len);
}

/* Integer products have 8, 16, 24, 32 and from there on multiples of 16 columns. */
static bool columns_fit(struct dec *d)
{
	if (type_is_float(d->in->atype) || d->columns <= 32 || d->columns % 16 == 0)
		return true;
	return dec_error(d, NULL,
			 "'%s': an integer product of more than 24 columns has a multiple of 16",
			 dec_mnemonic(d));
}

/* Takes matrix A: four registers, or a 64-bit register that holds a descriptor. */
static bool operand_a(struct dec *d, const struct ptx_opnd *o)
{
	if (o->kind != PO_VEC)
		return dec_src(d, o, T_B64, false);
	d->in->grp[1] = 4;
	return dec_src_vec(d, o, 4, T_B32, false);
}

static bool sign_of(struct dec *d, const struct ptx_opnd *o, bool *minus)
{
	uint64_t v;
	if (!dec_imm(d, o, &v))
		return false;
	*minus = (int64_t)v == -1;
	return *minus || v == 1 || dec_error(d, o, "'%s': a scale is 1 or -1", dec_mnemonic(d));
}

static bool transpose_of(struct dec *d, const struct ptx_opnd *o, uint64_t bit)
{
	uint64_t v;
	if (!dec_imm(d, o, &v))
		return false;
	d->in->imm |= v ? bit : 0;
	return v <= 1 || dec_error(d, o, "'%s': a transposition is 0 or 1", dec_mnemonic(d));
}

static bool selector(struct dec *d, const struct ptx_opnd *o)
{
	uint64_t v,
		most = d->in->atype == T_F16 || d->in->atype == T_BF16 || d->in->atype == T_TF32;
	if (!dec_imm(d, o, &v))
		return false;
	d->in->imm |= v << WG_SELECTOR;
	return v <= most ||
	       dec_error(d, o, "'%s': the selector is at most %u", dec_mnemonic(d), (unsigned)most);
}

/* {d}, a, b[, metadata, selector], scale-d[, scale-a, scale-b[, [trans-a,] trans-b]] */
bool decode_wgmma(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	struct inst *in = d->in;
	bool sparse = is_word(&d->s->word[2], "sp"), minus_a = false, minus_b = false;
	bool in_registers = d->s->nopnd > 1 && o[1].kind == PO_VEC;
	unsigned scales = has_scales(in) ? 2 : 0, at = 3;
	unsigned transposes = has_transposes(in) ? in_registers ? 1 : 2 : 0;
	unsigned n = 4 + 2 * sparse + scales + transposes;
	unsigned regs = d->columns / (in->type == T_F16 ? 4 : 2),
		 type = in->type == T_F16 ? T_B32 : in->type;
	if (!columns_fit(d) || !dec_count(d, n, n))
		return false;
	in->mode = (uint8_t)(d->columns / 8);
	in->grp[0] = (uint8_t)regs;
	in->grp[1] = 0;
	if (!dec_dst_vec(d, &o[0], regs, type, false, false) ||
	    !dec_src_vec(d, &o[0], regs, type, false) || !operand_a(d, &o[1]) ||
	    !dec_src(d, &o[2], T_B64, false))
		return false;
	if (sparse) {
		in->imm |= WG_SPARSE;
		if (!dec_src(d, &o[at], T_B32, false) || !selector(d, &o[at + 1]))
			return false;
		at += 2;
	}
	if (!dec_src(d, &o[at++], T_PRED, false))
		return false;
	if (scales && (!sign_of(d, &o[at], &minus_a) || !sign_of(d, &o[at + 1], &minus_b)))
		return false;
	in->imm |= minus_a != minus_b ? WG_NEGATE : 0;
	at += scales;
	if (transposes == 2 && !transpose_of(d, &o[at++], WG_TRANS_A))
		return false;
	return !transposes || transpose_of(d, &o[at], WG_TRANS_B);
}

/* A product of four warps begins when all four have reached it: what each has stored before counts. The fence
 * that comes before is the barrier at which they meet; it may leave all groups of products in flight. */
bool decode_wgmma_fence(struct dec *d)
{
	d->in->vmask = WG_LEAVES_ALL;
	d->in->imm = BAR_WARPGROUP;
	return dec_count(d, 0, 0);
}

/* A wait is a barrier of the warp group: a warp continues after all earlier products of its group
 * are done. */
bool decode_wgmma_wait(struct dec *d)
{
	uint64_t n;
	if (!dec_count(d, 1, 1) || !dec_imm(d, &d->s->opnd[0], &n))
		return false;
	if (n > 7)
		return dec_error(d, &d->s->opnd[0], "'%s': at most 7 groups may be left",
				 dec_mnemonic(d));
	d->in->vmask = (uint8_t)n;
	d->in->imm = BAR_WARPGROUP;
	return true;
}

/* Returns the number of registers of a matrix of a sparse product; A has half as many elements as
 * in a dense one. */
static unsigned sparse_regs(const struct inst *in, unsigned part, unsigned type)
{
	unsigned m = shape_dims[in->mode].m, n = shape_dims[in->mode].n, k = shape_dims[in->mode].k;
	unsigned elements = part == MM_A ? m * k / 2 : part == MM_B ? k * n : m * n;
	return elements / 32 * type_bits(type) / 32;
}

/* Returns the largest selector: the number of threads of a quad that can hold the metadata, less
 * one; it depends on the metadata bits per row. */
static unsigned most_selector(const struct inst *in)
{
	unsigned bits = shape_dims[in->mode].k / 2 *
			(in->atype == T_TF32         ? 4
			 : type_bits(in->atype) == 4 ? 1
						     : 2);
	return bits == 16 ? 3 : bits == 32 ? 1 : 0;
}

/* {d}, {a}, {b}, {c}, metadata, selector */
bool decode_mma_sp(struct dec *d)
{
	struct inst *in = d->in;
	const struct ptx_opnd *o = d->s->opnd;
	const unsigned type[] = {in->type, in->atype, in->btype, in->stype};
	const enum tensor_part part[] = {MM_D, MM_A, MM_B, MM_C};
	uint64_t sel;
	if (in->type != in->stype)
		return dec_error(d, NULL, "'%s': the sum cannot be .%s with a .%s result",
				 dec_mnemonic(d), type_info[in->stype].name,
				 type_info[in->type].name);
	if (!dec_count(d, 6, 6))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		unsigned n = sparse_regs(in, part[i], type[i]);
		unsigned t = type[i] == T_F32 || type[i] == T_S32 ? type[i] : T_B32;
		in->grp[i] = (uint8_t)n;
		if (!(i ? dec_src_vec(d, &o[i], n, t, false)
			: dec_dst_vec(d, &o[i], n, t, false, false)))
			return false;
	}
	if (!dec_src(d, &o[4], T_B32, false) || !dec_imm(d, &o[5], &sel))
		return false;
	if (sel > most_selector(in))
		return dec_error(d, &o[5], "'%s': the selector is at most %u", dec_mnemonic(d),
				 most_selector(in));
	in->imm = sel;
	return true;
}
