/* Lifts Tesla's floating point instructions and conversions. */
#include "lift/tesla/tesla.h"

static unsigned rounding_of(const struct ninst *in) { return gen_rounding[in->mod[NM_RND] & 3]; }
static unsigned integral_rounding(const struct ninst *in)
{
	return gen_integral[in->mod[NM_RND] & 3];
}

/* ---- float ---- */

/* The product is truncated before the addition; if the addend is zero, the product is rounded
 * instead. PTX defines mad.f32 of sm_1x so, and published hardware tests measured it. */
static void gen_fmad(struct ngen *g, struct opnd t, struct opnd a, struct opnd b)
{
	const struct ninst *in = g->in;
	struct opnd c = tesla_fsource(g, 3), whole = gen_t(g), q = gen_q(g);
	unsigned r = rounding_of(in);
	if (r == RND_RN) { /* the executor has one operation for this case */
		gen_emit(g,
			 (struct inst){.op = OP_MAD,
				       .type = T_F32,
				       .rnd = RND_RN,
				       .mods = M_FTZ | gen_sat(in),
				       .mode = MAD_CUT,
				       .nd = 1},
			 GEN_LIST(t, a, b, c));
		return;
	}
	gen_float_op(g, OP_MUL, T_F32, r, M_FTZ, whole, a, b);
	gen_float_op(g, OP_MUL, T_F32, RND_RZ, M_FTZ, t, a, b);
	gen_setp_with(
		g,
		&(struct compare){.cmp = CMP_EQ, .type = T_F32, .mods = M_FTZ, .a = c, .b = imm(0)},
		q);
	gen(g, OP_SELP, T_B32, t, whole, t, q);
	gen_float_op(g, OP_ADD, T_F32, r, M_FTZ | gen_sat(in), t, t, c);
}

static void gen_f32(struct ngen *g)
{
	enum { APPROX = M_APPROX | M_FTZ };
	const struct ninst *in = g->in;
	struct opnd a = tesla_fsource(g, 1), t = gen_t(g), b = imm(0);
	unsigned r = rounding_of(in);
	bool minus = in->op == NI_FADD && in->o[2].neg && !in->o[2].abs;
	if (minus)
		b = tesla_raw(g, 2, false);
	else if (in->nop > 2 && in->o[2].kind != NO_WORD)
		b = tesla_fsource(g, 2);
	switch (in->op) {
	case NI_FADD:
		gen_float_op(g, minus ? OP_SUB : OP_ADD, T_F32, r, M_FTZ | gen_sat(in), t, a, b);
		break;
	case NI_FMUL: gen_float_op(g, OP_MUL, T_F32, r, M_FTZ | gen_sat(in), t, a, b); break;
	case NI_FMAX: gen_mods(g, OP_MAX, T_F32, M_FTZ, t, a, b); break;
	case NI_FMIN: gen_mods(g, OP_MIN, T_F32, M_FTZ, t, a, b); break;
	case NI_RCP: gen_mods(g, OP_RCP, T_F32, APPROX, t, a); break;
	case NI_RSQ: gen_mods(g, OP_RSQRT, T_F32, APPROX, t, a); break;
	case NI_LG2: gen_mods(g, OP_LG2, T_F32, APPROX, t, a); break;
	case NI_SIN: gen_mods(g, OP_SIN, T_F32, APPROX, t, a); break;
	case NI_COS: gen_mods(g, OP_COS, T_F32, APPROX, t, a); break;
	case NI_EX2:
		gen_mods(g, OP_EX2, T_F32, APPROX, t, a);
		if (in->mod[NM_SAT])
			gen_cvt_as(g, T_F32, T_F32, RND_NONE, M_SAT, t, t);
		break;
	case NI_RRO: t = a; break; /* sin and ex2 reduce themselves */
	default: gen_fmad(g, t, a, b);
	}
	tesla_put_float(g, t);
}

static void gen_fswz(struct ngen *g)
{
	struct opnd a = tesla_fsource(g, 1), b = tesla_fsource(g, 2);
	tesla_put_float(g, gen_quad(g, gen_reg32(g, a), b, RND_RN, M_FTZ));
}

static void gen_fset(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned cmp = (unsigned)in->o[3].imm & 15;
	bool wide = in->op == NI_DSET;
	struct opnd a = wide ? tesla_dsource(g, 1) : tesla_fsource(g, 1),
		    b = wide ? tesla_dsource(g, 2) : tesla_fsource(g, 2), t = gen_t(g);
	struct compare c = {.cmp = gen_float_cmp[cmp],
			    .type = wide ? T_F64 : T_F32,
			    .mods = wide ? 0 : M_FTZ,
			    .a = a,
			    .b = b};
	if (cmp == 0 || cmp == 15)
		gen(g, OP_MOV, T_U32, t, imm(cmp ? 0xffffffff : 0));
	else if (tesla_flags_of_compare(g, &c))
		return;
	else
		gen_set_with(g, &c, T_U32, t);
	tesla_put_int(g, t, true);
}

static void gen_fcmp(struct ngen *g)
{
	struct opnd a = tesla_raw(g, 1, false), b = tesla_raw(g, 2, false), c = tesla_fsource(g, 3),
		    q = gen_q(g), t = gen_t(g);
	gen_setp_with(
		g,
		&(struct compare){.cmp = CMP_GE, .type = T_F32, .mods = M_FTZ, .a = c, .b = imm(0)},
		q);
	gen(g, OP_SELP, T_B32, t, a, b, q);
	if (g->in->cc_write !=
	    NREG_NONE) { /* flags of the word that is copied: Z if either half is zero, S its
	                  * sign */
		struct opnd f = gen_t(g), zero = gen_q(g);
		gen(g, OP_AND, T_B32, f, t, imm(0x7fffffff));
		gen_setp(g, CMP_EQ, T_U32, zero, f, imm(0));
		gen(g, OP_SHR, T_U32, f, t, imm(31));
		gen(g, OP_SHL, T_B32, f, f, imm(1));
		gen(g, OP_SELP, T_B32, f, imm(1), f, zero);
		tesla_flags_put(g, g->in->cc_write, f);
	}
	tesla_put_word(g, t);
}

static void gen_double(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd a = tesla_dsource(g, 1), b = tesla_dsource(g, 2), d = gen_d(g);
	unsigned r = rounding_of(in);
	switch (in->op) {
	case NI_DADD: gen_float_op(g, OP_ADD, T_F64, r, 0, d, a, b); break;
	case NI_DMUL: gen_float_op(g, OP_MUL, T_F64, r, 0, d, a, b); break;
	case NI_DMIN: gen(g, OP_MIN, T_F64, d, a, b); break;
	case NI_DMAX: gen(g, OP_MAX, T_F64, d, a, b); break;
	default: gen_float_op(g, OP_FMA, T_F64, r, 0, d, a, b, tesla_dsource(g, 3));
	}
	tesla_put_pair(g, d, true);
}

/* ---- conversions ---- */

static bool has_64_bits(const struct ninst *in) { return in->word >> 54 & 1; }

static const struct { /* indexed by the code of NM_ST */
	uint8_t bits;
	bool sg;
} int_types[] = {{16, 0}, {32, 0}, {8, 0}, {8, 0}, {16, 1}, {32, 1}, {8, 1}, {8, 1}};

/* The integer source in 64 bits; without its modifiers if it is converted to a float. */
static struct opnd int_source(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned st = in->mod[NM_ST] & 7;
	struct opnd d = gen_d(g), t = gen_t(g);
	if (in->op == NI_I2F && has_64_bits(in) && st & 1)
		return tesla_pair(g, 1);
	bool s64 = in->op == NI_I2F && has_64_bits(in);
	bool sg = s64 ? st & 4 : int_types[st].sg;
	struct opnd from = tesla_raw(g, 1, sg);
	gen(g, OP_BFE, sg ? T_S32 : T_U32, t, from, imm(0), imm(s64 ? 32u : int_types[st].bits));
	gen_cvt(g, sg ? T_S64 : T_U64, sg ? T_S32 : T_U32, d, t);
	if (in->op == NI_I2F)
		return d;
	if (in->o[1].abs)
		gen(g, OP_ABS, T_S64, d, d);
	if (in->o[1].neg)
		gen(g, OP_NEG, T_S64, d, d);
	return d;
}

/* The float type of a code, with or without 64 bits. */
static unsigned float_type(const struct ninst *in, bool big)
{
	return has_64_bits(in) ? (big ? T_F64 : T_F32) : big ? T_F32 : T_F16;
}

/* A float source of the given type; halves are f16. */
static struct opnd float_source(struct ngen *g, unsigned type)
{
	const struct ninst *in = g->in;
	if (type == T_F64)
		return tesla_dsource(g, 1);
	if (type == T_F32)
		return tesla_fsource(g, 1);
	struct opnd t = gen_t(g);
	gen(g, OP_MOV, T_U32, t, tesla_raw(g, 1, false));
	if (in->o[1].abs)
		gen(g, OP_AND, T_B32, t, t, imm(0x7fff));
	if (in->o[1].neg)
		gen(g, OP_XOR, T_B32, t, t, imm(0x8000));
	return t;
}

static struct opnd new_result(struct ngen *g, bool wide) { return wide ? gen_d(g) : gen_t(g); }

static void put_float_of(struct ngen *g, unsigned type, struct opnd t)
{
	if (type == T_F64)
		tesla_put_pair(g, t, true);
	else
		tesla_put_float(g, t);
}

/* An integer source of at most 32 bits as a word with its type, if it has no modifiers. False:
 * another source. */
static bool small_source(struct ngen *g, struct opnd *t, bool *sg, unsigned *bits)
{
	const struct ninst *in = g->in;
	const struct nop *o = &in->o[1];
	unsigned st = in->mod[NM_ST] & 7;
	if (o->neg || o->abs || (in->op == NI_I2F && has_64_bits(in)))
		return false;
	*sg = int_types[st].sg;
	*bits = int_types[st].bits;
	*t = tesla_raw(g, 1, *sg);
	if (*bits == 32 || (*bits == 16 && (o->kind == NO_HALF || o->unit == 2)))
		return true; /* a half has been extended */
	struct opnd part = gen_t(g);
	gen(g, OP_BFE, *sg ? T_S32 : T_U32, part, *t, imm(0), imm(*bits));
	*t = part;
	return true;
}

static void gen_i2i(struct ngen *g)
{
	static const uint8_t dt[] = {T_U16, T_U32, T_S16, T_S32, T_U8, T_U8, T_S8, T_S8};
	const struct ninst *in = g->in;
	unsigned to = dt[in->mod[NM_DT] & 7], bits;
	bool sg, to_sg = type_is_signed(to);
	struct opnd s, t = gen_t(g);
	if (small_source(g, &s, &sg, &bits) &&
	    (sg == to_sg ? type_bits(to) >= bits : to_sg && type_bits(to) > bits)) {
		tesla_put_int(g, s, in->mod[NM_DT] & 1); /* nothing to clamp */
		return;
	}
	s = int_source(g);
	gen_cvt_as(g, dt[in->mod[NM_DT] & 7], T_S64, RND_NONE, M_SAT, t, s);
	tesla_put_int(g, t, in->mod[NM_DT] & 1);
}

static void gen_i2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = float_type(in, in->mod[NM_DT]), bits;
	bool sg;
	struct opnd s, t = new_result(g, dt == T_F64);
	if (small_source(g, &s, &sg, &bits)) {
		gen_cvt_as(g, dt, sg ? T_S32 : T_U32, rounding_of(in), 0, t, s);
		put_float_of(g, dt, t);
		return;
	}
	s = int_source(g);
	bool is_signed = in->mod[NM_ST] & 4;
	if (in->o[1].neg || in->o[1].abs)
		t = gen_signed_i2f(g, s, is_signed, dt, true);
	else
		gen_cvt_as(g, dt, is_signed ? T_S64 : T_U64, rounding_of(in), 0, t, s);
	put_float_of(g, dt, t);
}

static void gen_f2i(struct ngen *g)
{
	static const uint8_t dt[] = {T_U16, T_U32, T_S16, T_S32},
			     dt64[] = {T_U32, T_U64, T_S32, T_S64};
	const struct ninst *in = g->in;
	unsigned type = float_type(in, in->mod[NM_ST]), k = in->mod[NM_DT] & 3;
	struct opnd s = float_source(g, type);
	bool w = has_64_bits(in) && k & 1;
	struct opnd t = new_result(g, w);
	gen_cvt_as(g, has_64_bits(in) ? dt64[k] : dt[k], type, integral_rounding(in),
		   type == T_F32 ? M_FTZ : 0, t, s);
	if (has_64_bits(in))
		gen_no_number(g, t, w, type, s);
	if (w)
		tesla_put_pair(g, t, false);
	else
		tesla_put_int(g, t, has_64_bits(in) || k & 1);
}

static void gen_f2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned type = float_type(in, in->mod[NM_ST]), dt = float_type(in, in->mod[NM_DT]);
	struct opnd s = float_source(g, type), t = new_result(g, dt == T_F64);
	bool to_int = in->mod[NM_RND] & 4, same = in->mod[NM_DT] == in->mod[NM_ST];
	unsigned mods = (dt == T_F32 || type == T_F32 ? M_FTZ : 0) | gen_sat(in), rnd = RND_NONE;
	if (to_int && !same) { /* first to an integral number of the source's type, then to the
	                        * other type */
		struct opnd whole = new_result(g, type == T_F64);
		gen_cvt_as(g, type, type, integral_rounding(in), type == T_F32 ? M_FTZ : 0, whole,
			   s);
		s = whole;
	}
	if (same)
		rnd = to_int ? integral_rounding(in) : RND_NONE;
	else if (!in->mod[NM_DT])
		rnd = to_int ? RND_RZ : rounding_of(in);
	gen_cvt_as(g, dt, type, rnd, mods, t, s);
	put_float_of(g, dt, t);
}

bool tesla_float(struct ngen *g)
{
	switch (g->in->op) {
	case NI_FADD:
	case NI_FMUL:
	case NI_FMAD:
	case NI_FMAX:
	case NI_FMIN:
	case NI_RCP:
	case NI_RSQ:
	case NI_LG2:
	case NI_SIN:
	case NI_COS:
	case NI_EX2:
	case NI_RRO: gen_f32(g); return true;
	case NI_FSET:
	case NI_DSET: gen_fset(g); return true;
	case NI_FSWZ: gen_fswz(g); return true;
	case NI_FCMP: gen_fcmp(g); return true;
	case NI_DADD:
	case NI_DMUL:
	case NI_DFMA:
	case NI_DMIN:
	case NI_DMAX: gen_double(g); return true;
	case NI_I2I: gen_i2i(g); return true;
	case NI_I2F: gen_i2f(g); return true;
	case NI_F2I: gen_f2i(g); return true;
	case NI_F2F: gen_f2f(g); return true;
	default: return false;
	}
}
