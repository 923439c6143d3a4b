/* Fermi's single and double precision and its conversions as PTX statements. */
#include "front/lift/gen.h"

static const char *const rounding[] = {"rn", "rm", "rp", "rz"};
static const char *const integral[] = {"rni", "rmi", "rpi", "rzi"};
static const char *const float_cmp[] = {"",    "lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num",
					"nan", "ltu", "equ", "leu", "gtu", "neu", "geu", ""};
static const char *const logic_name[] = {"and", "or", "xor"};

#define F(i) gen_src(g, (i), NSRC_FLOAT)

/* Flags of a result of a type: Z where it is zero, S where negative, of floats both where it is no number. */
static void type_flags(struct ngen *g, const char *type, const char *d)
{
	if (!g->in->o[0].cc)
		return;
	bool is_float = type[0] == 'f', wide = type[1] == '6';
	const char *z = gen_q(g), *s = gen_q(g), *t = gen_t(g), *u = gen_t(g),
		   *or_nan = is_float ? "u" : "";
	const char *zero = !is_float ? "0" : wide ? "0d0000000000000000" : "0f00000000";
	if (type[1] == '1') {
		const char *single = gen_t(g);
		gen(g, "cvt.f32.f16 %s, %s", single, d);
		d = single, type = "f32";
	}
	gen(g, "setp.eq%s.%s %s, %s, %s", or_nan, type, z, d, zero);
	gen(g, "setp.lt%s.%s %s, %s, %s", or_nan, type, s, d, zero);
	gen(g, "selp.b32 %s, 1, 0, %s", t, z);
	gen(g, "selp.b32 %s, 2, 0, %s", u, s);
	gen(g, "or.b32 %s, %s, %s", t, t, u);
	gen_ctl_reg(g, NCTL_SETCC, t, 0, 7);
}

static void float_flags(struct ngen *g, const char *d) { type_flags(g, "f32", d); }

static const char *ftz(const struct ninst *in) { return in->mod[NM_FTZ] ? ".ftz" : ""; }
static const char *sat(const struct ninst *in) { return in->mod[NM_SAT] ? ".sat" : ""; }

/* FMZ: a product with a zero factor is zero, whatever the other is. Both factors become zero. */
static void zero_factors(struct ngen *g, const char **a, const char **b)
{
	const char *p = gen_q(g), *q = gen_q(g), *x = gen_t(g), *y = gen_t(g);
	gen(g, "setp.eq.ftz.f32 %s, %s, 0f00000000", p, *a);
	gen(g, "setp.eq.or.ftz.f32 %s, %s, 0f00000000, %s", q, *b, p);
	gen(g, "selp.f32 %s, 0f00000000, %s, %s", x, *a, q);
	gen(g, "selp.f32 %s, 0f00000000, %s, %s", y, *b, q);
	*a = x, *b = y;
}

static void gen_fmul(struct ngen *g)
{
	static const char *const scale[] = {NULL,         "0f3f000000", "0f3e800000", "0f3e000000",
					    "0f41000000", "0f40800000", "0f40000000"};
	const struct ninst *in = g->in;
	const char *a = F(1), *b = F(2), *d = gen_dst(g, 0), *r = rounding[in->mod[NM_RND] & 3];
	if (in->mod[NM_FTZ] == 2)
		zero_factors(g, &a, &b);
	const char *by = scale[in->mod[NM_SCALE] % 7];
	if (by) {
		const char *t = gen_t(g);
		gen(g, "mul.%s%s.f32 %s, %s, %s", r, ftz(in), t, a, b);
		gen(g, "mul.%s%s%s.f32 %s, %s, %s", r, ftz(in), sat(in), d, t, by);
	} else {
		gen(g, "mul.%s%s%s.f32 %s, %s, %s", r, ftz(in), sat(in), d, a, b);
	}
	float_flags(g, d);
}

static void gen_ffma(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *a = F(1), *b = F(2), *c = F(3), *d = gen_dst(g, 0);
	if (in->mod[NM_FTZ] == 2)
		zero_factors(g, &a, &b);
	gen(g, "fma.%s%s%s.f32 %s, %s, %s, %s", rounding[in->mod[NM_RND] & 3], ftz(in), sat(in), d,
	    a, b, c);
	float_flags(g, d);
}

static void gen_fadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *a = F(1), *b = F(2), *d = gen_dst(g, 0);
	gen(g, "add.%s%s%s.f32 %s, %s, %s", rounding[in->mod[NM_RND] & 3], ftz(in), sat(in), d, a,
	    b);
	float_flags(g, d);
}

static void gen_fmnmx(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *p = &in->o[3];
	const char *a = F(1), *b = F(2), *d = gen_dst(g, 0);
	if (p->reg == 7) {
		gen(g, "%s%s.f32 %s, %s, %s", p->neg ? "max" : "min", ftz(in), d, a, b);
	} else {
		const char *lo = gen_t(g), *hi = gen_t(g);
		gen(g, "min%s.f32 %s, %s, %s", ftz(in), lo, a, b);
		gen(g, "max%s.f32 %s, %s, %s", ftz(in), hi, a, b);
		gen(g, "selp.b32 %s, %s, %s, %%p%u", d, p->neg ? hi : lo, p->neg ? lo : hi, p->reg);
	}
	float_flags(g, d);
}

/* FSET, FSETP, DSET, DSETP. */
static void gen_fset(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool to_pred = in->op == NI_FSETP || in->op == NI_DSETP,
	     wide = in->op == NI_DSET || in->op == NI_DSETP;
	unsigned a = to_pred && in->o[1].kind == NO_PRED ? 2 : 1, cmp = in->mod[NM_CMP] & 15;
	const char *log = logic_name[in->mod[NM_LOGIC] % 3],
		   *d = to_pred ? gen_pred_dst(g, 0) : gen_dst(g, 0);
	const char *e = to_pred ? (in->o[1].kind == NO_PRED ? gen_pred_dst(g, 1) : gen_q(g)) : NULL;
	const char *q = a + 2 < in->nop ? gen_pred(g, a + 2) : "%pt";
	bool constant = cmp == NC_F || cmp == NC_T;
	const char *x = constant ? (cmp == NC_T ? "1" : "0") : wide ? gen_src64(g, a, true) : F(a);
	const char *y = constant ? "0" : wide ? gen_src64(g, a + 1, true) : F(a + 1);
	const char *name = constant ? "ne" : float_cmp[cmp], *type = constant ? "u32"
								     : wide   ? "f64"
									      : "f32";
	const char *z = constant || wide ? "" : ftz(in);
	if (to_pred) {
		gen(g, "setp.%s.%s%s.%s %s|%s, %s, %s, %s", name, log, z, type, d, e, x, y, q);
		return;
	}
	gen(g, "set.%s.%s%s.%s.%s %s, %s, %s, %s", name, log, z, in->mod[NM_BF] ? "f32" : "u32",
	    type, d, x, y, q);
	if (in->o[0].cc)
		gen(g, "add.cc.u32 %s, %s, 0", gen_t(g), d);
}

static void gen_fcmp(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned cmp = in->mod[NM_CMP] & 15;
	const char *a = gen_raw(g, 1), *b = gen_raw(g, 2), *d = gen_dst(g, 0), *q = gen_q(g);
	if (cmp == NC_F || cmp == NC_T) {
		gen(g, "mov.u32 %s, %s", d, cmp == NC_T ? a : b);
	} else {
		gen(g, "setp.%s%s.f32 %s, %s, 0f00000000", float_cmp[cmp], ftz(in), q, F(3));
		gen(g, "selp.b32 %s, %s, %s, %s", d, a, b, q);
	}
	type_flags(g, "s32", d); /* of the word that is copied */
}

static void gen_mufu(struct ngen *g)
{
	static const char *const fn[] = {"cos.approx.ftz.f32", "sin.approx.ftz.f32",
					 "ex2.approx.ftz.f32", "lg2.approx.ftz.f32",
					 "rcp.approx.ftz.f32", "rsqrt.approx.ftz.f32",
					 "rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"};
	const struct ninst *in = g->in;
	unsigned f = in->mod[NM_FN] & 7;
	const char *d = gen_dst(g, 0);
	if (f >= 6) { /* the upper words of doubles */
		const char *x = gen_d(g), *zero = gen_t(g);
		gen(g, "mov.u32 %s, 0", zero);
		gen(g, "mov.b64 %s, {%s, %s}", x, zero, gen_reg32(g, gen_src(g, 1, NSRC_INT)));
		gen(g, "%s %s, %s", fn[f], x, x);
		gen(g, "mov.b64 {%s, %s}, %s", gen_t(g), d, x);
		return;
	}
	if (in->mod[NM_SAT]) {
		const char *t = gen_t(g);
		gen(g, "%s %s, %s", fn[f], t, F(1));
		gen(g, "cvt.sat.f32.f32 %s, %s", d, t);
	} else {
		gen(g, "%s %s, %s", fn[f], d, F(1));
	}
	float_flags(g, d);
}

/* ---- double ---- */

static void gen_double(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *r = rounding[in->mod[NM_RND] & 3], *a = gen_src64(g, 1, true),
		   *b = gen_src64(g, 2, true), *d = gen_d(g);
	switch (in->op) {
	case NI_DADD: gen(g, "add.%s.f64 %s, %s, %s", r, d, a, b); break;
	case NI_DMUL: gen(g, "mul.%s.f64 %s, %s, %s", r, d, a, b); break;
	case NI_DFMA: gen(g, "fma.%s.f64 %s, %s, %s, %s", r, d, a, b, gen_src64(g, 3, true)); break;
	default: { /* DMNMX */
		const struct nop *p = &in->o[3];
		if (p->reg == 7) {
			gen(g, "%s.f64 %s, %s, %s", p->neg ? "max" : "min", d, a, b);
			break;
		}
		const char *hi = gen_d(g);
		gen(g, "min.f64 %s, %s, %s", d, a, b);
		gen(g, "max.f64 %s, %s, %s", hi, a, b);
		gen(g, "selp.b64 %s, %s, %s, %%p%u", d, p->neg ? hi : d, p->neg ? d : hi, p->reg);
	}
	}
	gen_put64(g, 0, d);
	type_flags(g, "f64", d);
}

/* ---- conversions ---- */

/* Types by the codes of NM_DT, NM_ST: floats 1 f16 2 f32 3 f64; integers 0..3 unsigned, 4..7 signed. */
static const char *const ftype[] = {"", "f16", "f32", "f64"};
static const char *const itype[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"};

/* A float source, sign modifiers applied, as a register of its type's size (f16: in 32 bits). */
static const char *float_source(struct ngen *g, unsigned st)
{
	const struct ninst *in = g->in;
	if (st == 3)
		return gen_src64(g, 1, true);
	if (st == 2)
		return F(1);
	const char *s = gen_reg32(g, gen_raw(g, 1)), *t = gen_t(g);
	bool high = in->o[1].sel == 6 || in->mod[NM_H1];
	gen(g, "shr.u32 %s, %s, %u", t, s, high ? 16u : 0u);
	if (in->o[1].abs)
		gen(g, "and.b32 %s, %s, 0x7fff", t, t);
	if (in->o[1].neg)
		gen(g, "xor.b32 %s, %s, 0x8000", t, t);
	return t;
}

/* The result and its flags, as a type has them: "f16", "f32", "f64", "s32", "s64". */
static void put(struct ngen *g, const char *type, const char *v)
{
	if (type[1] == '6')
		gen_put64(g, 0, v);
	else
		gen(g, "mov.u32 %s, %s", gen_dst(g, 0), v);
	type_flags(g, type, v);
}

static void gen_f2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? 2 : in->mod[NM_DT] & 3, st = sh ? 2 : in->mod[NM_ST] & 3,
		 rnd = in->mod[NM_RND];
	const char *s = float_source(g, st), *d = dt == 3 ? gen_d(g) : gen_t(g);
	bool to_int = sh ? in->word & 0x200 : rnd & 4, f32 = dt == 2 || st == 2;
	const char *z = f32 ? ftz(in) : "", *half = dt == 1 ? gen_t(g) : d;
	if (dt == 1 && st == 2 && in->mod[NM_FTZ]) { /* before it is rounded, upwards too */
		const char *t = gen_t(g);
		gen(g, "cvt.ftz.f32.f32 %s, %s", t, s);
		s = t;
	}
	if (dt == st)
		gen(g, "cvt%s%s%s%s.%s.%s %s, %s", to_int ? "." : "",
		    to_int ? integral[rnd & 3] : "", dt == 2 ? z : "", sat(in), ftype[dt],
		    ftype[st], half, s);
	else if (dt < st)
		gen(g, "cvt.%s%s%s.%s.%s %s, %s", rounding[rnd & 3], z, sat(in), ftype[dt],
		    ftype[st], half, s);
	else
		gen(g, "cvt%s%s.%s.%s %s, %s", z, sat(in), ftype[dt], ftype[st], half, s);
	if (dt == 2 && st == 2) { /* PTX passes what is no number on as it is */
		const char *nan = gen_q(g);
		gen(g, "setp.nan.f32 %s, %s, %s", nan, half, half);
		gen(g, "selp.b32 %s, 0x7fffffff, %s, %s", half, half, nan);
	}
	if (dt != st && to_int) { /* rounded to an integral value after the conversion */
		const char *t = dt == 3 ? gen_d(g) : gen_t(g);
		gen(g, "cvt.%s.%s.%s %s, %s", integral[rnd & 3], ftype[dt], ftype[dt], t, half);
		half = t;
	}
	if (dt == 1) {
		gen(g, "and.b32 %s, %s, 0xffff", d, half);
		half = d;
	}
	put(g, ftype[dt], half);
}

/* What is no number becomes 0, also of and in 64 bits, where PTX has another value. */
void gen_no_number(struct ngen *g, const char *d, bool wide, const char *type, const char *s)
{
	const char *q = gen_q(g);
	if (type[1] == '1') {
		const char *t = gen_t(g);
		gen(g, "cvt.f32.f16 %s, %s", t, s);
		s = t, type = "f32";
	}
	gen(g, "setp.num.%s %s, %s, %s", type, q, s, s);
	gen(g, "selp.b%u %s, %s, 0, %s", wide ? 64 : 32, d, d, q);
}

static void gen_f2i(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? (in->mod[NM_DT] ? 6 : 2) : in->mod[NM_DT] & 7,
		 st = sh ? 2 : in->mod[NM_ST] & 3;
	const char *s = float_source(g, st), *d = (dt & 3) == 3 ? gen_d(g) : gen_t(g);
	gen(g, "cvt.%s%s.%s.%s %s, %s", integral[in->mod[NM_RND] & 3], st == 2 ? ftz(in) : "",
	    itype[dt], ftype[st], d, s);
	if ((dt & 3) == 3 || st == 3)
		gen_no_number(g, d, (dt & 3) == 3, ftype[st], s);
	put(g, (dt & 3) == 3 ? "s64" : "s32", d);
}

/* A number of 64 bits with a sign modifier, which may need one bit more, that becomes a float. */
static bool signed_wide(const struct ninst *in, unsigned st)
{
	return in->op == NI_I2F && (st & 3) == 3 && (in->o[1].neg || in->o[1].abs);
}

/* An integer source in 64 bits, extended by its type, sign modifiers applied but those of signed_wide. */
static const char *int_source(struct ngen *g, unsigned st)
{
	const struct nop *o = &g->in->o[1];
	const char *d;
	if ((st & 3) == 3) {
		struct ninst *in = (struct ninst *)(uintptr_t)g->in;
		bool neg = o->neg, abs = o->abs;
		in->o[1].neg = in->o[1].abs = false;
		d = gen_src64(g, 1, false);
		in->o[1].neg = neg, in->o[1].abs = abs;
	} else {
		const char *s = gen_raw(g, 1), *t = gen_t(g);
		unsigned pos = o->sel >= 1 && o->sel <= 4 ? (o->sel - 1u) * 8
			       : o->sel == 6              ? 16
							  : 0;
		static const uint8_t width[] = {8, 16, 32};
		gen(g, "bfe.%s %s, %s, %u, %u", st & 4 ? "s32" : "u32", t, s, pos, width[st & 3]);
		d = gen_d(g);
		gen(g, "cvt.%s.%s %s, %s", st & 4 ? "s64" : "u64", st & 4 ? "s32" : "u32", d, t);
	}
	if (signed_wide(g->in, st))
		return d;
	if (o->abs && st & 4)
		gen(g, "abs.s64 %s, %s", d, d);
	if (o->neg)
		gen(g, "neg.s64 %s, %s", d, d);
	return d;
}

/* An integer with a sign modifier is a sign and a magnitude: the magnitude is rounded the way the sign asks for, then
 * the sign is put on, on zero if `zero`. */
const char *gen_signed_i2f(struct ngen *g, const char *s, bool is_signed, const char *dt, bool zero)
{
	static const char *const mirrored[] = {"rn", "rp", "rm", "rz"};
	const struct nop *o = &g->in->o[1];
	unsigned rnd = g->in->mod[NM_RND] & 3;
	bool big = dt[1] == '6';
	const char *minus = gen_q(g), *mag = gen_d(g), *up = big ? gen_d(g) : gen_t(g),
		   *down = big ? gen_d(g) : gen_t(g);
	if (is_signed)
		gen(g, "setp.lt.s64 %s, %s, 0", minus, s);
	else
		gen(g, "mov.pred %s, %%pf", minus);
	gen(g, "neg.s64 %s, %s", mag, s);
	gen(g, "selp.b64 %s, %s, %s, %s", mag, mag, s, minus);
	if (o->abs)
		gen(g, "mov.pred %s, %%pf", minus);
	if (o->neg)
		gen(g, "not.pred %s, %s", minus, minus);
	if (!zero)
		gen(g, "setp.ne.and.u64 %s, %s, 0, %s", minus, mag, minus);
	gen(g, "cvt.%s.%s.u64 %s, %s", rounding[rnd], dt, up, mag);
	gen(g, "cvt.%s.%s.u64 %s, %s", mirrored[rnd], dt, down, mag);
	gen(g, "xor.b%u %s, %s, 0x%llx", big ? 64 : 32, down, down,
	    dt[1] == '1' ? 0x8000ull
	    : big        ? 1ull << 63
			 : 1ull << 31);
	gen(g, "selp.b%u %s, %s, %s, %s", big ? 64 : 32, up, down, up, minus);
	return up;
}

static void gen_i2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? 2 : in->mod[NM_DT] & 3,
		 st = sh ? (in->mod[NM_ST] ? 6 : 2) : in->mod[NM_ST] & 7;
	const char *s = int_source(g, st), *d = dt == 3 ? gen_d(g) : gen_t(g);
	if (signed_wide(in, st))
		d = gen_signed_i2f(g, s, st & 4, ftype[dt], false);
	else
		gen(g, "cvt.%s.%s.%s %s, %s", rounding[in->mod[NM_RND] & 3], ftype[dt],
		    st == 3 ? "u64" : "s64", d, s);
	if (dt == 1)
		gen(g, "and.b32 %s, %s, 0xffff", d, d);
	put(g, ftype[dt], d);
}

static void gen_i2i(struct ngen *g)
{
	static const uint8_t short_dt[] = {1, 5, 2, 6}, short_st[] = {1, 2, 5, 6};
	const struct ninst *in = g->in;
	bool sh = in->size == 4;
	unsigned dt = sh ? short_dt[in->mod[NM_DT] & 3] : in->mod[NM_DT] & 7;
	unsigned st = sh ? short_st[in->mod[NM_ST] & 3] : in->mod[NM_ST] & 7;
	const char *s = int_source(g, st);
	if ((dt & 3) == 3) {
		put(g, "s64", s);
		return;
	}
	const char *d = gen_t(g);
	bool is_u64 = st == 3 && !in->o[1].neg;
	gen(g, "cvt%s.%s.%s %s, %s", sat(in), itype[dt], is_u64 ? "u64" : "s64", d, s);
	put(g, "s32", d);
}

const char *gen_quad(struct ngen *g, const char *a, const char *b, const char *mode)
{
	const struct ninst *in = g->in;
	unsigned lane = in->mod[NM_LANE], ops = (unsigned)in->o[3].imm;
	const char *other = gen_t(g), *op = gen_t(g), *d = gen_t(g), *r[3], *q = gen_q(g);
	gen(g, "shfl.%s.b32 %s, %s, %u, 0x1c1f", lane < 4 ? "idx" : "bfly", other, a,
	    lane < 4 ? lane : lane - 3);
	gen(g, "mov.u32 %s, %%laneid", op);
	gen(g, "not.b32 %s, %s", op, op); /* lane 0 has the upper two bits */
	gen(g, "and.b32 %s, %s, 3", op, op);
	gen(g, "shl.b32 %s, %s, 1", op, op);
	gen(g, "shr.u32 %s, 0x%x, %s", op, ops, op);
	gen(g, "and.b32 %s, %s, 3", op, op);
	for (unsigned i = 0; i < 3; i++) {
		r[i] = gen_t(g);
		gen(g, "%s.%s.f32 %s, %s, %s", i ? "sub" : "add", mode, r[i], i == 1 ? b : other,
		    i == 1 ? other : b);
	}
	gen(g, "mov.f32 %s, %s", d, b);
	for (unsigned i = 0; i < 3; i++) {
		gen(g, "setp.eq.u32 %s, %s, %u", q, op, i);
		gen(g, "selp.b32 %s, %s, %s, %s", d, r[i], d, q);
	}
	return d;
}

static void gen_swizzle(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *ftz = in->mod[NM_FTZ] ? ".ftz" : "", *b = gen_src(g, 2, NSRC_FLOAT);
	const char *mode = gen_text(g, "%s%s", rounding[in->mod[NM_RND] & 3], ftz);
	const char *d = gen_quad(g, gen_reg32(g, gen_raw(g, 1)), b, mode);
	gen(g, "mov.b32 %s, %s", gen_dst(g, 0), d);
}

bool gen_float(struct ngen *g)
{
	switch (g->in->op) {
	case NI_FADD:
	case NI_FADD32I: gen_fadd(g); return true;
	case NI_FMUL:
	case NI_FMUL32I: gen_fmul(g); return true;
	case NI_FFMA:
	case NI_FFMA32I: gen_ffma(g); return true;
	case NI_FMNMX: gen_fmnmx(g); return true;
	case NI_FSWZ: gen_swizzle(g); return true;
	case NI_FSET:
	case NI_FSETP:
	case NI_DSET:
	case NI_DSETP: gen_fset(g); return true;
	case NI_FCMP: gen_fcmp(g); return true;
	case NI_MUFU: gen_mufu(g); return true;
	case NI_RRO:
		gen(g, "mov.b32 %s, %s", gen_dst(g, 0), gen_src(g, 1, NSRC_FLOAT));
		return true; /* sin and ex2 reduce themselves */
	case NI_DADD:
	case NI_DMUL:
	case NI_DFMA:
	case NI_DMNMX: gen_double(g); return true;
	case NI_F2F: gen_f2f(g); return true;
	case NI_F2I: gen_f2i(g); return true;
	case NI_I2F: gen_i2f(g); return true;
	case NI_I2I: gen_i2i(g); return true;
	default: return false;
	}
}
