/* Tesla's floating point instructions and conversions as PTX statements. */
#include "front/lift/gen_tesla.h"

static const char *const rounding[] = {"rn", "rm", "rp", "rz"};
static const char *const integral[] = {"rni", "rmi", "rpi", "rzi"};
static const char *const float_cmp[] = {"",    "lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num",
					"nan", "ltu", "equ", "leu", "gtu", "neu", "geu", ""};

/* ---- float ---- */

static const char *sat(const struct ninst *in) { return in->mod[NM_SAT] ? ".sat" : ""; }

/* The product is cut off, then added; with a zero there is nothing to cut it for and it is rounded (PTX's mad.f32 of
 * sm_1x, and the machine as the open tests of it have measured it). */
static void gen_fmad(struct ngen *g, const char *t, const char *a, const char *b)
{
	const struct ninst *in = g->in;
	const char *c = tesla_fsource(g, 3), *whole = gen_t(g), *q = gen_q(g),
		   *r = rounding[in->mod[NM_RND] & 3];
	gen(g, "mul.%s.ftz.f32 %s, %s, %s", r, whole, a, b);
	gen(g, "mul.rz.ftz.f32 %s, %s, %s", t, a, b);
	gen(g, "setp.eq.ftz.f32 %s, %s, 0f00000000", q, c);
	gen(g, "selp.b32 %s, %s, %s, %s", t, whole, t, q);
	gen(g, "add.%s.ftz%s.f32 %s, %s, %s", r, sat(in), t, t, c);
}

static void gen_f32(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *r = rounding[in->mod[NM_RND] & 3], *a = tesla_fsource(g, 1), *t = gen_t(g);
	const char *b = in->nop > 2 && in->o[2].kind != NO_WORD ? tesla_fsource(g, 2) : "";
	switch (in->op) {
	case NI_FADD: gen(g, "add.%s.ftz%s.f32 %s, %s, %s", r, sat(in), t, a, b); break;
	case NI_FMUL: gen(g, "mul.%s.ftz%s.f32 %s, %s, %s", r, sat(in), t, a, b); break;
	case NI_FMAX: gen(g, "max.ftz.f32 %s, %s, %s", t, a, b); break;
	case NI_FMIN: gen(g, "min.ftz.f32 %s, %s, %s", t, a, b); break;
	case NI_RCP: gen(g, "rcp.approx.ftz.f32 %s, %s", t, a); break;
	case NI_RSQ: gen(g, "rsqrt.approx.ftz.f32 %s, %s", t, a); break;
	case NI_LG2: gen(g, "lg2.approx.ftz.f32 %s, %s", t, a); break;
	case NI_SIN: gen(g, "sin.approx.ftz.f32 %s, %s", t, a); break;
	case NI_COS: gen(g, "cos.approx.ftz.f32 %s, %s", t, a); break;
	case NI_EX2:
		gen(g, "ex2.approx.ftz.f32 %s, %s", t, a);
		if (in->mod[NM_SAT])
			gen(g, "cvt.sat.f32.f32 %s, %s", t, t);
		break;
	case NI_RRO: t = a; break; /* sin and ex2 reduce themselves */
	default: gen_fmad(g, t, a, b);
	}
	tesla_put_float(g, t);
}

static void gen_fswz(struct ngen *g)
{
	const char *a = tesla_fsource(g, 1), *b = tesla_fsource(g, 2);
	tesla_put_float(g, gen_quad(g, gen_reg32(g, a), b, "rn.ftz"));
}

static void gen_fset(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned cmp = (unsigned)in->o[3].imm & 15;
	bool wide = in->op == NI_DSET;
	const char *a = wide ? tesla_dsource(g, 1) : tesla_fsource(g, 1),
		   *b = wide ? tesla_dsource(g, 2) : tesla_fsource(g, 2), *t = gen_t(g);
	if (cmp == 0 || cmp == 15)
		gen(g, "mov.u32 %s, %s", t, cmp ? "0xffffffff" : "0");
	else
		gen(g, "set.%s%s.u32.%s %s, %s, %s", float_cmp[cmp], wide ? "" : ".ftz",
		    wide ? "f64" : "f32", t, a, b);
	tesla_put_int(g, t, true);
}

static void gen_fcmp(struct ngen *g)
{
	const char *a = tesla_raw(g, 1, false), *b = tesla_raw(g, 2, false),
		   *c = tesla_fsource(g, 3), *q = gen_q(g), *t = gen_t(g);
	gen(g, "setp.ge.ftz.f32 %s, %s, 0f00000000", q, c);
	gen(g, "selp.b32 %s, %s, %s, %s", t, a, b, q);
	if (g->in->cc_write !=
	    NREG_NONE) { /* of the word that is copied: Z either zero, S its sign else */
		const char *f = gen_t(g), *zero = gen_q(g);
		gen(g, "and.b32 %s, %s, 0x7fffffff", f, t);
		gen(g, "setp.eq.u32 %s, %s, 0", zero, f);
		gen(g, "shr.u32 %s, %s, 31", f, t);
		gen(g, "shl.b32 %s, %s, 1", f, f);
		gen(g, "selp.b32 %%c%u, 1, %s, %s", g->in->cc_write, f, zero);
	}
	tesla_put_word(g, t);
}

static void gen_double(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *r = rounding[in->mod[NM_RND] & 3], *a = tesla_dsource(g, 1),
		   *b = tesla_dsource(g, 2), *d = gen_d(g);
	switch (in->op) {
	case NI_DADD: gen(g, "add.%s.f64 %s, %s, %s", r, d, a, b); break;
	case NI_DMUL: gen(g, "mul.%s.f64 %s, %s, %s", r, d, a, b); break;
	case NI_DMIN: gen(g, "min.f64 %s, %s, %s", d, a, b); break;
	case NI_DMAX: gen(g, "max.f64 %s, %s, %s", d, a, b); break;
	default: gen(g, "fma.%s.f64 %s, %s, %s, %s", r, d, a, b, tesla_dsource(g, 3));
	}
	tesla_put_pair(g, d, true);
}

/* ---- conversions ---- */

static bool form64(const struct ninst *in) { return in->word >> 54 & 1; }

/* Integer source in 64 bits; without its modifiers where it becomes a float. */
static const char *int_source(struct ngen *g)
{
	static const struct {
		uint8_t bits;
		bool sg;
	} types[] = {{16, 0}, {32, 0}, {8, 0}, {8, 0}, {16, 1}, {32, 1}, {8, 1}, {8, 1}};
	const struct ninst *in = g->in;
	unsigned st = in->mod[NM_ST] & 7;
	const char *d = gen_d(g), *t = gen_t(g);
	if (in->op == NI_I2F && form64(in) && st & 1)
		return tesla_pair(g, 1);
	bool s64 = in->op == NI_I2F && form64(in);
	bool sg = s64 ? st & 4 : types[st].sg;
	gen(g, "bfe.%s %s, %s, 0, %u", sg ? "s32" : "u32", t, tesla_raw(g, 1, sg),
	    s64 ? 32u : types[st].bits);
	gen(g, "cvt.%s.%s %s, %s", sg ? "s64" : "u64", sg ? "s32" : "u32", d, t);
	if (in->op == NI_I2F)
		return d;
	if (in->o[1].abs)
		gen(g, "abs.s64 %s, %s", d, d);
	if (in->o[1].neg)
		gen(g, "neg.s64 %s, %s", d, d);
	return d;
}

/* Float source and its type: halves are f16. */
static const char *float_source(struct ngen *g, const char **type)
{
	const struct ninst *in = g->in;
	bool big = in->mod[NM_ST];
	if (form64(in)) {
		*type = big ? "f64" : "f32";
		return big ? tesla_dsource(g, 1) : tesla_fsource(g, 1);
	}
	*type = big ? "f32" : "f16";
	if (big)
		return tesla_fsource(g, 1);
	const char *t = gen_t(g);
	gen(g, "mov.u32 %s, %s", t, tesla_raw(g, 1, false));
	if (in->o[1].abs)
		gen(g, "and.b32 %s, %s, 0x7fff", t, t);
	if (in->o[1].neg)
		gen(g, "xor.b32 %s, %s, 0x8000", t, t);
	return t;
}

static void gen_i2i(struct ngen *g)
{
	static const char *const dt[] = {"u16", "u32", "s16", "s32", "u8", "u8", "s8", "s8"};
	const struct ninst *in = g->in;
	const char *s = int_source(g), *t = gen_t(g);
	gen(g, "cvt.sat.%s.s64 %s, %s", dt[in->mod[NM_DT] & 7], t, s);
	tesla_put_int(g, t, in->mod[NM_DT] & 1);
}

static void gen_i2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool w = form64(in), big = in->mod[NM_DT];
	const char *dt = w ? (big ? "f64" : "f32") : big ? "f32" : "f16", *s = int_source(g);
	const char *t = w && big ? gen_d(g) : gen_t(g);
	bool is_signed = in->mod[NM_ST] & 4;
	if (in->o[1].neg || in->o[1].abs)
		t = gen_signed_i2f(g, s, is_signed, dt, true);
	else
		gen(g, "cvt.%s.%s.%s %s, %s", rounding[in->mod[NM_RND] & 3], dt,
		    is_signed ? "s64" : "u64", t, s);
	if (w && big)
		tesla_put_pair(g, t, true);
	else
		tesla_put_float(g, t);
}

static void gen_f2i(struct ngen *g)
{
	static const char *const dt[] = {"u16", "u32", "s16", "s32"}, *const dt64[] = {"u32", "u64",
										       "s32",
										       "s64"};
	const struct ninst *in = g->in;
	const char *type, *s = float_source(g, &type);
	unsigned k = in->mod[NM_DT] & 3;
	bool w = form64(in) && k & 1;
	const char *t = w ? gen_d(g) : gen_t(g);
	gen(g, "cvt.%s%s.%s.%s %s, %s", integral[in->mod[NM_RND] & 3], type[1] == '3' ? ".ftz" : "",
	    form64(in) ? dt64[k] : dt[k], type, t, s);
	if (form64(in))
		gen_no_number(g, t, w, type, s);
	if (w)
		tesla_put_pair(g, t, false);
	else
		tesla_put_int(g, t, form64(in) || k & 1);
}

static void gen_f2f(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *type, *s = float_source(g, &type);
	bool w = form64(in), big = in->mod[NM_DT], to_int = in->mod[NM_RND] & 4;
	const char *dt = w     ? (big ? "f64" : "f32")
			 : big ? "f32"
			       : "f16",
		   *t = w && big ? gen_d(g) : gen_t(g);
	bool same = in->mod[NM_DT] == in->mod[NM_ST], f32 = dt[1] == '3' || type[1] == '3';
	if (to_int && !same) { /* to an integral number of its own type, then to the other */
		const char *whole = type[1] == '6' ? gen_d(g) : gen_t(g);
		gen(g, "cvt.%s%s.%s.%s %s, %s", integral[in->mod[NM_RND] & 3],
		    type[1] == '3' ? ".ftz" : "", type, type, whole, s);
		s = whole;
	}
	if (same)
		gen(g, "cvt%s%s%s%s.%s.%s %s, %s", to_int ? "." : "",
		    to_int ? integral[in->mod[NM_RND] & 3] : "", f32 ? ".ftz" : "", sat(in), dt,
		    type, t, s);
	else if (!big)
		gen(g, "cvt.%s%s%s.%s.%s %s, %s", to_int ? "rz" : rounding[in->mod[NM_RND] & 3],
		    f32 ? ".ftz" : "", sat(in), dt, type, t, s);
	else
		gen(g, "cvt%s%s.%s.%s %s, %s", f32 ? ".ftz" : "", sat(in), dt, type, t, s);
	if (w && big)
		tesla_put_pair(g, t, true);
	else
		tesla_put_float(g, t);
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
