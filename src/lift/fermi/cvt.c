/* Lifts Fermi's conversions. */
#include "lift/gen.h"

/* Types by the codes of NM_DT, NM_ST: floats 1 f16 2 f32 3 f64; integers 0..3 unsigned, 4..7
 * signed. */
static const uint8_t ftype[] = {T_NONE, T_F16, T_F32, T_F64};
static const uint8_t itype[] = {T_U8, T_U16, T_U32, T_U64, T_S8, T_S16, T_S32, T_S64};

static struct opnd new_result(struct ngen *g, bool wide) { return wide ? gen_d(g) : gen_t(g); }

/* A float source, sign modifiers applied, as a register of its type's size (f16: in 32 bits). */
static struct opnd float_source(struct ngen *g, unsigned st)
{
	const struct ninst *in = g->in;
	if (st == 3)
		return gen_src64(g, 1, true);
	if (st == 2)
		return gen_src(g, 1, NSRC_FLOAT);
	struct opnd s = gen_reg32(g, gen_raw(g, 1)), t = gen_t(g);
	bool high = in->o[1].sel == 6 || in->mod[NM_H1];
	gen(g, OP_SHR, T_U32, t, s, imm(high ? 16 : 0));
	if (in->o[1].abs)
		gen(g, OP_AND, T_B32, t, t, imm(0x7fff));
	if (in->o[1].neg)
		gen(g, OP_XOR, T_B32, t, t, imm(0x8000));
	return t;
}

/* Writes the result, and the flags that its type defines. */
static void put_result(struct ngen *g, unsigned type, struct opnd v)
{
	if (type_bits(type) == 64)
		gen_put64(g, 0, v);
	else
		gen(g, OP_MOV, T_U32, gen_dst(g, 0), v);
	gen_type_flags(g, type, v);
}

static void gen_f2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? 2 : in->mod[NM_DT] & 3, st = sh ? 2 : in->mod[NM_ST] & 3,
		 rnd = in->mod[NM_RND];
	struct opnd s = float_source(g, st), d = new_result(g, dt == 3);
	bool to_int = sh ? in->word & 0x200 : rnd & 4, f32 = dt == 2 || st == 2;
	unsigned integral = gen_integral[rnd & 3];
	unsigned z = f32 ? gen_ftz(in) : 0, sat = gen_sat(in);
	struct opnd half = dt == 1 ? gen_t(g) : d;
	if (dt == 1 && st == 2 &&
	    in->mod[NM_FTZ]) { /* flush before rounding, also when rounding up */
		struct opnd t = gen_t(g);
		gen_cvt_as(g, T_F32, T_F32, RND_NONE, M_FTZ, t, s);
		s = t;
	}
	if (dt == st)
		gen_cvt_as(g, ftype[dt], ftype[st], to_int ? integral : RND_NONE,
			   (dt == 2 ? z : 0) | sat, half, s);
	else
		gen_cvt_as(g, ftype[dt], ftype[st], dt < st ? gen_rounding[rnd & 3] : RND_NONE,
			   z | sat, half, s);
	if (dt == 2 && st == 2) { /* cvt passes a NaN on unchanged */
		struct opnd nan = gen_q(g);
		gen_setp(g, CMP_NAN, T_F32, nan, half, half);
		gen(g, OP_SELP, T_B32, half, imm(0x7fffffff), half, nan);
	}
	if (dt != st && to_int) { /* round to an integral value after the conversion */
		struct opnd t = new_result(g, dt == 3);
		gen_cvt_as(g, ftype[dt], ftype[dt], integral, 0, t, half);
		half = t;
	}
	if (dt == 1) {
		gen(g, OP_AND, T_B32, d, half, imm(0xffff));
		half = d;
	}
	put_result(g, ftype[dt], half);
}

/* Native conversions turn NaN into 0; PTX's cvt has another result for 64-bit integers and
 * doubles. */
void gen_no_number(struct ngen *g, struct opnd d, bool wide, unsigned type, struct opnd s)
{
	struct opnd q = gen_q(g);
	if (type == T_F16) {
		struct opnd t = gen_t(g);
		gen_cvt(g, T_F32, T_F16, t, s);
		s = t, type = T_F32;
	}
	gen_setp(g, CMP_NUM, type, q, s, s);
	gen(g, OP_SELP, wide ? T_B64 : T_B32, d, d, imm(0), q);
}

static void gen_f2i(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? (in->mod[NM_DT] ? 6 : 2) : in->mod[NM_DT] & 7,
		 st = sh ? 2 : in->mod[NM_ST] & 3;
	bool wide = (dt & 3) == 3;
	struct opnd s = float_source(g, st), d = new_result(g, wide);
	gen_cvt_as(g, itype[dt], ftype[st], gen_integral[in->mod[NM_RND] & 3],
		   st == 2 ? gen_ftz(in) : 0, d, s);
	if (wide || st == 3)
		gen_no_number(g, d, wide, ftype[st], s);
	put_result(g, wide ? T_S64 : T_S32, d);
}

/* True for a 64-bit integer with a sign modifier that becomes a float: its magnitude may need a
 * 65th bit. */
static bool signed_wide(const struct ninst *in, unsigned st)
{
	return in->op == NI_I2F && (st & 3) == 3 && (in->o[1].neg || in->o[1].abs);
}

/* The pair at operand 1 without its modifiers. */
static struct opnd raw_pair(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct ninst plain = *in;
	plain.o[1].neg = plain.o[1].abs = false;
	g->in = &plain;
	struct opnd d = gen_src64(g, 1, false);
	g->in = in;
	return d;
}

/* An integer source of at most 32 bits as a word, without its modifiers. */
static struct opnd word_source(struct ngen *g, unsigned st)
{
	static const uint8_t width[] = {8, 16, 32};
	const struct nop *o = &g->in->o[1];
	struct opnd s = gen_raw(g, 1), t = gen_t(g);
	unsigned pos = o->sel >= 1 && o->sel <= 4 ? (o->sel - 1u) * 8 : o->sel == 6 ? 16 : 0;
	if (!pos && width[st & 3] == 32 && s.kind == OPND_REG)
		return s;
	gen(g, OP_BFE, st & 4 ? T_S32 : T_U32, t, s, imm(pos), imm(width[st & 3]));
	return t;
}

/* True for a source of at most 32 bits without sign modifiers, which a conversion takes as it is.
 * Most are. */
static bool is_word(const struct ninst *in, unsigned st)
{
	return (st & 3) != 3 && !in->o[1].neg && !in->o[1].abs;
}
static unsigned word_type(unsigned st) { return st & 4 ? T_S32 : T_U32; }

/* The integer source extended to 64 bits, with its sign modifiers applied, except where
 * signed_wide() is true: then gen_signed_i2f() applies them. */
static struct opnd int_source(struct ngen *g, unsigned st)
{
	const struct nop *o = &g->in->o[1];
	struct opnd d;
	if ((st & 3) == 3) {
		d = raw_pair(g);
	} else {
		struct opnd s = word_source(g, st);
		d = gen_d(g);
		gen_cvt(g, st & 4 ? T_S64 : T_U64, word_type(st), d, s);
	}
	if (signed_wide(g->in, st))
		return d;
	if (o->abs && st & 4)
		gen(g, OP_ABS, T_S64, d, d);
	if (o->neg)
		gen(g, OP_NEG, T_S64, d, d);
	return d;
}

/* Converts an integer with sign to a float: the magnitude is rounded in the direction that fits the
 * sign, then the sign is applied, also to zero if `zero` is true. */
struct opnd gen_signed_i2f(struct ngen *g, struct opnd s, bool is_signed, unsigned dt, bool zero)
{
	static const uint8_t mirrored[] = {RND_RN, RND_RP, RND_RM, RND_RZ};
	const struct nop *o = &g->in->o[1];
	unsigned rnd = g->in->mod[NM_RND] & 3, bits = type_bits(dt);
	bool big = bits == 64;
	struct opnd minus = gen_q(g), mag = gen_d(g), up = new_result(g, big),
		    down = new_result(g, big);
	if (is_signed)
		gen_setp(g, CMP_LT, T_S64, minus, s, imm(0));
	else
		gen(g, OP_MOV, T_PRED, minus, val_pf());
	gen(g, OP_NEG, T_S64, mag, s);
	gen(g, OP_SELP, T_B64, mag, mag, s, minus);
	if (o->abs)
		gen(g, OP_MOV, T_PRED, minus, val_pf());
	if (o->neg)
		gen(g, OP_NOT, T_PRED, minus, minus);
	if (!zero)
		gen_setp_with(g,
			      &(struct compare){.cmp = CMP_NE,
						.bop = BOP_AND,
						.type = T_U64,
						.a = mag,
						.b = imm(0),
						.p = minus},
			      minus);
	gen_cvt_as(g, dt, T_U64, gen_rounding[rnd], 0, up, mag);
	gen_cvt_as(g, dt, T_U64, mirrored[rnd], 0, down, mag);
	gen(g, OP_XOR, big ? T_B64 : T_B32, down, down, imm(1ull << (bits - 1)));
	gen(g, OP_SELP, big ? T_B64 : T_B32, up, down, up, minus);
	return up;
}

static void gen_i2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? 2 : in->mod[NM_DT] & 3,
		 st = sh ? (in->mod[NM_ST] ? 6 : 2) : in->mod[NM_ST] & 7;
	bool word = is_word(in, st);
	struct opnd s = word ? word_source(g, st) : int_source(g, st), d = new_result(g, dt == 3);
	if (signed_wide(in, st))
		d = gen_signed_i2f(g, s, st & 4, ftype[dt], false);
	else
		gen_cvt_as(g, ftype[dt],
			   word      ? word_type(st)
			   : st == 3 ? T_U64
				     : T_S64,
			   gen_rounding[in->mod[NM_RND] & 3], 0, d, s);
	if (dt == 1)
		gen(g, OP_AND, T_B32, d, d, imm(0xffff));
	put_result(g, ftype[dt], d);
}

static void gen_i2i(struct ngen *g)
{
	static const uint8_t short_dt[] = {1, 5, 2, 6}, short_st[] = {1, 2, 5, 6};
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? short_dt[in->mod[NM_DT] & 3] : in->mod[NM_DT] & 7;
	unsigned st = sh ? short_st[in->mod[NM_ST] & 3] : in->mod[NM_ST] & 7;
	bool word = is_word(in, st) && (dt & 3) != 3, is_u64 = st == 3 && !in->o[1].neg;
	struct opnd s = word ? word_source(g, st) : int_source(g, st);
	if ((dt & 3) == 3) {
		put_result(g, T_S64, s);
		return;
	}
	struct opnd d = gen_t(g);
	gen_cvt_as(g, itype[dt],
		   word     ? word_type(st)
		   : is_u64 ? T_U64
			    : T_S64,
		   RND_NONE, gen_sat(in), d, s);
	put_result(g, T_S32, d);
}

bool gen_convert(struct ngen *g)
{
	switch (g->in->op) {
	case NI_F2F: gen_f2f(g); return true;
	case NI_F2I: gen_f2i(g); return true;
	case NI_I2F: gen_i2f(g); return true;
	case NI_I2I: gen_i2i(g); return true;
	default: return false;
	}
}
