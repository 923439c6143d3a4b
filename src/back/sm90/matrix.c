/* Tensor core products, and loads and stores of matrices in shared memory, on sm_90. A fragment is
 * a value of one, two or four words. */
#include "back/sm90/sm90.h"

/* Sources from..from + n as one operand. */
static struct mo fragment_operand(struct sel *s, unsigned from, unsigned n)
{
	if (n == 1)
		return sm90_reg(s, from, 0);
	uint32_t t = sel_temp(s, n);
	for (unsigned i = 0; i < n; i++)
		sm90_mov(s, mo_word(t, i), sm90_src(s, from + i, 0))->fresh = !i;
	return mo_wide(t);
}

/* Sources of 64 bits. */
static struct mo doubles_operand(struct sel *s, unsigned from, unsigned n)
{
	if (n == 1)
		return sm90_pair(s, from);
	uint32_t t = sel_temp(s, 2 * n);
	for (unsigned i = 0; i < 2 * n; i++)
		sm90_mov(s, mo_word(t, i), sm90_src(s, from + i / 2, i % 2))->fresh = !i;
	return mo_wide(t);
}

static void put_results(struct sel *s, uint32_t t, unsigned n, unsigned words)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned w = 0; w < words && inst_dst(s->in, i)->kind != OPND_SINK; w++)
			sm90_mov(s, mo_word(sel_dst(s, i), w), mo_word(t, words * i + w))->fresh =
				!w;
}

static const char *int_name(unsigned t)
{
	return t == T_U8 ? "U8" : t == T_S8 ? "S8" : t == T_U4 ? "U4" : "S4";
}

/* Mnemonic of a product; NULL: the machine has none. */
static const char *product_name(struct sel *s)
{
	const struct inst *in = s->in;
	struct shape_dims x = shape_dims[in->mode];
	if (x.n != 8 || in->mods & M_COL_A || !(in->mods & M_COL_B))
		return NULL;
	const char *sat = in->mods & M_SATFINITE ? ".SAT" : "";
	switch (in->atype) {
	case T_F16:
	case T_BF16:
		if (x.m != 16 || (x.k != 8 && x.k != 16) || in->type != in->stype)
			return NULL;
		return sel_text(s, "HMMA.16%s.%s%s", x.k == 8 ? "88" : "816",
				in->type == T_F32 ? "F32" : "F16",
				in->atype == T_BF16 ? ".BF16" : "");
	case T_TF32:
		if (x.m != 16 || (x.k != 4 && x.k != 8))
			return NULL;
		return sel_text(s, "HMMA.168%u.F32.TF32", x.k);
	case T_U8:
	case T_S8:
		if ((x.m != 16 || (x.k != 16 && x.k != 32)) && (x.m != 8 || x.k != 16))
			return NULL;
		return sel_text(s, "IMMA.%u8%u.%s.%s%s", x.m, x.k, int_name(in->atype),
				int_name(in->btype), sat);
	case T_B1:
		if ((x.m != 8 && x.m != 16) || (x.k != 128 && x.k != 256))
			return NULL;
		return sel_text(s, "BMMA.%u8%u.AND.POPC", x.m, x.k);
	case T_F64:
		if (x.m != 8 || x.k != 4)
			return NULL;
		return sel_text(s, "DMMA.8x8x4%s", sm90_rounding(in->rnd));
	default: return NULL;
	}
}

/* True for products whose text names the matrix stored by rows. */
static bool has_order(const char *name) { return name[0] == 'I' || name[0] == 'B'; }

/* Elements of eight bits become halves: the lower two of each word, or the upper two. */
static struct mo unpack_bytes(struct sel *s, struct mo a, unsigned n, unsigned type, bool upper)
{
	uint32_t t = sel_temp(s, n);
	const char *name = type == T_E4M3 ? "F2FP.F16.E4M3.UNPACK_B" : "F2FP.F16.E5M2.UNPACK_B";
	for (unsigned w = 0; w < n; w++) {
		struct mo x = n > 1 ? mo_word(a.v, w) : a;
		if (x.kind == MO_REG && upper)
			x.half = 3;
		OP(s, name, 1, n > 1 ? mo_word(t, w) : mo_reg(t), x)->fresh = !w;
	}
	return n > 1 ? mo_wide(t) : mo_reg(t);
}

/* The machine multiplies bytes as halves: the elements with k mod 4 of 0 and 1, then the others on top of that sum, then an ordinary
 * sum with C. */
static void product_of_bytes(struct sel *s)
{
	const struct inst *in = s->in;
	struct shape_dims x = shape_dims[in->mode];
	unsigned na = in->grp[1], nb = in->grp[2], nd = in->grp[0];
	bool half = in->type == T_F16;
	if (x.m != 16 || x.n != 8 || (x.k != 16 && x.k != 32)) {
		sel_refuse(s, "products of matrices of these types and sizes");
		return;
	}
	const char *name =
		sel_text(s, "HMMA.%s.%s", x.k == 16 ? "1688" : "16816", half ? "F16" : "F32");
	struct mo a = fragment_operand(s, 0, na), b = fragment_operand(s, na, nb), c = ZERO;
	for (unsigned upper = 0; upper < 2; upper++) {
		struct mo p = unpack_bytes(s, a, na, in->atype, upper),
			  q = unpack_bytes(s, b, nb, in->btype, upper),
			  d = mo_wide(sel_temp(s, nd));
		OP(s, name, 1, d, p, q, c)->keep = true;
		c = d;
	}
	uint32_t t = sel_temp(s, nd);
	for (unsigned i = 0; i < nd; i++)
		OP(s, half ? "HADD2" : "FADD", 1, mo_word(t, i), mo_word(c.v, i),
		   sm90_reg(s, na + nb + i, 0))
			->fresh = !i;
	put_results(s, t, nd, 1);
}

/* A product of doubles of 16 rows is made of products of 8 rows and a depth of 4, one after the other in k. */
static void product_of_doubles(struct sel *s)
{
	const struct inst *in = s->in;
	struct shape_dims x = shape_dims[in->mode];
	const char *name = sel_text(s, "DMMA.8x8x4%s", sm90_rounding(in->rnd));
	unsigned na = in->grp[1], nb = in->grp[2];
	uint32_t t[2];
	for (unsigned row = 0; row < 2; row++) {
		struct mo c = doubles_operand(s, na + nb + 2 * row, 2);
		for (unsigned k = 0; k < x.k / 4u; k++) {
			struct mo d = mo_wide(sel_temp(s, 4));
			OP(s, name, 1, d, sm90_pair(s, 2 * k + row), sm90_pair(s, na + k), c)
				->keep = true;
			c = d;
		}
		t[row] = c.v;
	}
	for (unsigned i = 0; i < 4; i++)
		for (unsigned w = 0; w < 2 && inst_dst(in, i)->kind != OPND_SINK; w++)
			sm90_mov(s, mo_word(sel_dst(s, i), w), mo_word(t[i / 2], i % 2 * 2 + w))
				->fresh = !w;
}

/* The upper or lower four bits of each byte, moved to the upper four bits. */
static struct mo split_nibbles(struct sel *s, struct mo a, unsigned n, bool upper)
{
	uint32_t t = sel_temp(s, n);
	for (unsigned w = 0; w < n; w++) {
		struct mo x = n > 1 ? mo_word(a.v, w) : a;
		if (!upper) {
			struct mo y = mo_reg(sel_temp(s, 1));
			OP(s, "SHF.L.U32", 1, y, x, mo_imm(4), ZERO);
			x = y;
		}
		sm90_lut(s, mo_word(t, w), x, mo_imm(0xf0f0f0f0), ZERO, LUT_AND)->fresh = !w;
	}
	return mo_wide(t);
}

/* Four-bit elements are multiplied as bytes that are 16 times larger, even and odd elements in
 * separate products; the sum is 256 times the result. */
static void product_of_nibbles(struct sel *s)
{
	const struct inst *in = s->in;
	struct shape_dims x = shape_dims[in->mode];
	unsigned na = in->grp[1], nb = in->grp[2], nd = in->grp[0];
	const char *name =
		sel_text(s, "IMMA.%u8%u.%s.%s", x.m, x.k / 2, in->atype == T_S4 ? "S8" : "U8",
			 in->btype == T_S4 ? "S8" : "U8");
	struct mo a = fragment_operand(s, 0, na), b = fragment_operand(s, na, nb), c = ZERO;
	for (unsigned upper = 0; upper < 2; upper++) {
		struct mo p = split_nibbles(s, a, na, upper), q = split_nibbles(s, b, nb, upper),
			  d = mo_wide(sel_temp(s, nd));
		p.half = 1;
		q.half = 2;
		OP(s, name, 1, d, p, q, c)->keep = true;
		c = d;
	}
	uint32_t t = sel_temp(s, nd);
	for (unsigned i = 0; i < nd; i++) {
		struct mo v = mo_reg(sel_temp(s, 1)), z = sm90_reg(s, na + nb + i, 0),
			  r = mo_reg(sel_temp(s, 1));
		OP(s, "SHF.R.S32.HI", 1, v, ZERO, mo_imm(8), mo_word(c.v, i));
		if (in->mods & M_SATFINITE)
			sm90_saturating(s, r, v, z, false);
		else
			OP(s, "IADD3", 1, r, v, z, ZERO);
		sm90_mov(s, mo_word(t, i), r)->fresh = !i;
	}
	put_results(s, t, nd, 1);
}

static struct mo invert_bits(struct sel *s, struct mo a, unsigned n)
{
	uint32_t t = sel_temp(s, n);
	for (unsigned w = 0; w < n; w++)
		sm90_lut(s, mo_word(t, w), n > 1 ? mo_word(a.v, w) : a, ZERO, ZERO, 0x0f)->fresh =
			!w;
	return n > 1 ? mo_wide(t) : mo_reg(t);
}

/* The machine counts bits of a & b. The bits of a ^ b are those of a & ~b plus those of b & ~a. */
static void product_of_differences(struct sel *s, const char *name)
{
	const struct inst *in = s->in;
	unsigned na = in->grp[1], nb = in->grp[2], nc = in->grp[3], nd = in->grp[0];
	struct mo a = fragment_operand(s, 0, na), b = fragment_operand(s, na, nb),
		  c = fragment_operand(s, na + nb, nc);
	for (unsigned i = 0; i < 2; i++) {
		struct mo p = i ? invert_bits(s, a, na) : a, q = i ? b : invert_bits(s, b, nb),
			  d = mo_wide(sel_temp(s, nd));
		p.half = 1;
		q.half = 2;
		OP(s, name, 1, d, p, q, c)->keep = true;
		c = d;
	}
	put_results(s, c.v, nd, 1);
}

static bool is_nibbles(const struct inst *in)
{
	struct shape_dims x = shape_dims[in->mode];
	bool four = in->atype == T_U4 || in->atype == T_S4;
	return four && (x.m == 8 ? x.k == 32 : x.m == 16 && (x.k == 32 || x.k == 64));
}

void sm90_mma(struct sel *s)
{
	const struct inst *in = s->in;
	if (is_nibbles(in)) {
		product_of_nibbles(s);
		return;
	}
	if (in->atype == T_E4M3 || in->atype == T_E5M2) {
		product_of_bytes(s);
		return;
	}
	if (in->atype == T_F64 && shape_dims[in->mode].m == 16 && shape_dims[in->mode].n == 8) {
		product_of_doubles(s);
		return;
	}
	const char *name = product_name(s);
	unsigned na = in->grp[1], nb = in->grp[2], nc = in->grp[3], nd = in->grp[0];
	if (!name || na > 4 || nb > 4 || nc > 4 || nd > 4 || na == 3 || nb == 3) {
		sel_refuse(s, "products of matrices of these types and sizes");
		return;
	}
	if (in->atype == T_B1 && in->bop != BOP_AND) {
		product_of_differences(s, name);
		return;
	}
	bool wide = in->atype == T_F64;
	struct mo a = wide ? doubles_operand(s, 0, na) : fragment_operand(s, 0, na),
		  b = wide ? doubles_operand(s, na, nb) : fragment_operand(s, na, nb),
		  c = wide ? doubles_operand(s, na + nb, nc) : fragment_operand(s, na + nb, nc);
	uint32_t t = sel_temp(s, wide ? 2 * nd : nd);
	if (has_order(name)) {
		a.half = 1;
		b.half = 2;
	}
	OP(s, name, 1, mo_wide(t), a, b, c)->keep = true;
	put_results(s, t, nd, wide ? 2 : 1);
}

/* The instruction for a product with a sparse A; NULL: the machine has none. */
static const char *sparse_name(struct sel *s)
{
	const struct inst *in = s->in;
	struct shape_dims x = shape_dims[in->mode];
	if (x.m != 16 || x.n != 8)
		return NULL;
	switch (in->atype) {
	case T_F16:
	case T_BF16:
		if ((x.k != 16 && x.k != 32) || in->type != in->stype)
			return NULL;
		return sel_text(s, "HMMA.SP.168%u.%s%s", x.k, in->type == T_F32 ? "F32" : "F16",
				in->atype == T_BF16 ? ".BF16" : "");
	case T_TF32:
		if (x.k != 8 && x.k != 16)
			return NULL;
		return sel_text(s, "HMMA.SP.168%u.F32.TF32", x.k);
	case T_U8:
	case T_S8:
		if (x.k != 32 && x.k != 64)
			return NULL;
		return sel_text(s, "IMMA.SP.168%u.%s.%s%s", x.k, int_name(in->atype),
				int_name(in->btype), in->mods & M_SATFINITE ? ".SAT" : "");
	default: return NULL;
	}
}

void sm90_mma_sparse(struct sel *s)
{
	const struct inst *in = s->in;
	const char *name = sparse_name(s);
	unsigned na = in->grp[1], nb = in->grp[2], nc = in->grp[3], nd = in->grp[0];
	if (!name || na > 4 || nb > 4 || nc > 4 || nd > 4 || na == 3 || nb == 3) {
		sel_refuse(s, "sparse products of matrices of these types and sizes");
		return;
	}
	struct mo a = fragment_operand(s, 0, na), b = fragment_operand(s, na, nb),
		  c = fragment_operand(s, na + nb, nc), e = sm90_reg(s, na + nb + nc, 0);
	uint32_t t = sel_temp(s, nd);
	if (has_order(name)) {
		a.half = 1;
		b.half = 2;
	}
	OP(s, name, 1, mo_wide(t), a, b, c, e, mo_imm((int64_t)in->imm))->keep = true;
	put_results(s, t, nd, 1);
}

static const char *count_name(unsigned n) { return n == 4 ? ".4" : n == 2 ? ".2" : ""; }

void sm90_ldmatrix(struct sel *s)
{
	const struct inst *in = s->in;
	if (in->type != T_B16 || sel_space(in) != SP_SHARED) {
		sel_refuse(s, "");
		return;
	}
	uint32_t t = sel_temp(s, in->vec);
	struct mo m = sm90_address(s, 0, SP_SHARED, 0);
	OP(s, sel_text(s, "LDSM.16.%s%s", in->mods & M_TRANS ? "MT88" : "M88", count_name(in->vec)),
	   1, mo_wide(t), m)
		->keep = true;
	put_results(s, t, in->vec, 1);
}

void sm90_stmatrix(struct sel *s)
{
	const struct inst *in = s->in;
	if (in->type != T_B16 || sel_space(in) != SP_SHARED) {
		sel_refuse(s, "");
		return;
	}
	struct mo m = sm90_address(s, 0, SP_SHARED, 0), v = fragment_operand(s, 1, in->vec);
	OP(s, sel_text(s, "STSM.16.%s%s", in->mods & M_TRANS ? "MT88" : "M88", count_name(in->vec)),
	   0, m, v);
}

void sm90_movmatrix(struct sel *s)
{
	struct mo a = sm90_reg(s, 0, 0);
	OP(s, "MOVM.16.MT88", 1, mo_reg(sel_dst(s, 0)), a)->keep = true;
}
