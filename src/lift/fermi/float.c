/* Lifts Fermi's single and double precision instructions. */
#include "lift/gen.h"

const uint8_t gen_rounding[4] = {RND_RN, RND_RM, RND_RP, RND_RZ};
const uint8_t gen_integral[4] = {RND_RNI, RND_RMI, RND_RPI, RND_RZI};
const uint8_t gen_float_cmp[16] = {CMP_NONE, CMP_LT,  CMP_EQ,  CMP_LE,  CMP_GT,  CMP_NE,
				   CMP_GE,   CMP_NUM, CMP_NAN, CMP_LTU, CMP_EQU, CMP_LEU,
				   CMP_GTU,  CMP_NEU, CMP_GEU, CMP_NONE};

#define F(i) gen_src(g, (i), NSRC_FLOAT)

unsigned gen_ftz(const struct ninst *in) { return in->mod[NM_FTZ] ? M_FTZ : 0; }
unsigned gen_sat(const struct ninst *in) { return in->mod[NM_SAT] ? M_SAT : 0; }
static unsigned rounding(const struct ninst *in) { return gen_rounding[in->mod[NM_RND] & 3]; }

struct opnd gen_sign_flags(struct ngen *g, unsigned type, struct opnd d, struct opnd to)
{
	struct opnd z = gen_q(g), s = gen_q(g), t = gen_t(g), u = gen_t(g);
	if (type == T_F16) {
		struct opnd single = gen_t(g);
		gen_cvt(g, T_F32, T_F16, single, d);
		d = single, type = T_F32;
	}
	gen_setp(g, type_is_float(type) ? CMP_EQU : CMP_EQ, type, z, d, imm(0));
	gen_setp(g, type_is_float(type) ? CMP_LTU : CMP_LT, type, s, d, imm(0));
	gen(g, OP_SELP, T_B32, t, imm(1), imm(0), z);
	gen(g, OP_SELP, T_B32, u, imm(2), imm(0), s);
	to = to.kind ? to : t;
	gen(g, OP_OR, T_B32, to, t, u);
	return to;
}

void gen_type_flags(struct ngen *g, unsigned type, struct opnd d)
{
	if (g->in->o[0].cc)
		gen_ctl_reg(g, NCTL_SETCC, gen_sign_flags(g, type, d, (struct opnd){0}), 0);
}

static void float_flags(struct ngen *g, struct opnd d) { gen_type_flags(g, T_F32, d); }

/* FMZ: a product with a zero factor is zero, whatever the other factor is. Both factors become
 * zero. */
static void zero_factors(struct ngen *g, struct opnd *a, struct opnd *b)
{
	struct opnd p = gen_q(g), q = gen_q(g), x = gen_t(g), y = gen_t(g);
	struct compare c = {.cmp = CMP_EQ, .type = T_F32, .mods = M_FTZ, .a = *a, .b = imm(0)};
	gen_setp_with(g, &c, p);
	c.a = *b, c.bop = BOP_OR, c.p = p;
	gen_setp_with(g, &c, q);
	gen(g, OP_SELP, T_F32, x, imm(0), *a, q);
	gen(g, OP_SELP, T_F32, y, imm(0), *b, q);
	*a = x, *b = y;
}

static void gen_fmul(struct ngen *g)
{
	/* scale factors by the code of NM_SCALE: 1, 1/2, 1/4, 1/8, 8, 4, 2 */
	static const uint32_t scale[] = {0,          0x3f000000, 0x3e800000, 0x3e000000,
					 0x41000000, 0x40800000, 0x40000000};
	const struct ninst *in = g->in;
	struct opnd a = F(1), b = F(2), d = gen_dst(g, 0);
	unsigned r = rounding(in);
	if (in->mod[NM_FTZ] == 2)
		zero_factors(g, &a, &b);
	uint32_t by = scale[in->mod[NM_SCALE] % 7];
	if (by) {
		struct opnd t = gen_t(g);
		gen_float_op(g, OP_MUL, T_F32, r, gen_ftz(in), t, a, b);
		gen_float_op(g, OP_MUL, T_F32, r, gen_ftz(in) | gen_sat(in), d, t, imm(by));
	} else {
		gen_float_op(g, OP_MUL, T_F32, r, gen_ftz(in) | gen_sat(in), d, a, b);
	}
	float_flags(g, d);
}

static void gen_ffma(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd a = F(1), b = F(2), c = F(3), d = gen_dst(g, 0);
	if (in->mod[NM_FTZ] == 2)
		zero_factors(g, &a, &b);
	gen_float_op(g, OP_FMA, T_F32, rounding(in), gen_ftz(in) | gen_sat(in), d, a, b, c);
	float_flags(g, d);
}

static void gen_fadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd a = F(1), b = F(2), d = gen_dst(g, 0);
	gen_float_op(g, OP_ADD, T_F32, rounding(in), gen_ftz(in) | gen_sat(in), d, a, b);
	float_flags(g, d);
}

static void gen_fmnmx(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *p = &in->o[3];
	struct opnd a = F(1), b = F(2), d = gen_dst(g, 0);
	if (p->reg == 7) {
		gen_mods(g, p->neg ? OP_MAX : OP_MIN, T_F32, gen_ftz(in), d, a, b);
	} else {
		struct opnd lo = gen_t(g), hi = gen_t(g);
		gen_mods(g, OP_MIN, T_F32, gen_ftz(in), lo, a, b);
		gen_mods(g, OP_MAX, T_F32, gen_ftz(in), hi, a, b);
		gen(g, OP_SELP, T_B32, d, p->neg ? hi : lo, p->neg ? lo : hi, val_p(p->reg));
	}
	float_flags(g, d);
}

/* The comparison of FSET, FSETP, DSET and DSETP, from operand a on. "Always" and "never" compare 1
 * and 0 against 0. */
static struct compare float_compare(struct ngen *g, unsigned a, bool wide)
{
	const struct ninst *in = g->in;
	unsigned cmp = in->mod[NM_CMP] & 15;
	struct compare c = {.cmp = gen_float_cmp[cmp], .type = wide ? T_F64 : T_F32};
	if (cmp == NC_F || cmp == NC_T)
		return (struct compare){
			.cmp = CMP_NE, .type = T_U32, .a = imm(cmp == NC_T), .b = imm(0)};
	c.mods = wide ? 0 : gen_ftz(in);
	c.a = wide ? gen_src64(g, a, true) : F(a);
	c.b = wide ? gen_src64(g, a + 1, true) : F(a + 1);
	return c;
}

static void gen_fset(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool to_pred = in->op == NI_FSETP || in->op == NI_DSETP,
	     wide = in->op == NI_DSET || in->op == NI_DSETP;
	unsigned a = to_pred && in->o[1].kind == NO_PRED ? 2 : 1;
	struct opnd d = to_pred ? gen_pred_dst(g, 0) : gen_dst(g, 0), e = {0};
	if (to_pred)
		e = in->o[1].kind == NO_PRED ? gen_pred_dst(g, 1) : gen_q(g);
	struct compare c = float_compare(g, a, wide);
	c.bop = gen_bop[in->mod[NM_LOGIC] % 3];
	c.p = a + 2 < in->nop ? gen_pred(g, a + 2) : val_pt();
	if (to_pred) {
		gen_setp_both(g, &c, d, e);
		return;
	}
	gen_set_with(g, &c, in->mod[NM_BF] ? T_F32 : T_U32, d);
	gen_flags_of(g, d);
}

static void gen_fcmp(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned cmp = in->mod[NM_CMP] & 15;
	struct opnd a = gen_raw(g, 1), b = gen_raw(g, 2), d = gen_dst(g, 0), q = gen_q(g);
	if (cmp == NC_F || cmp == NC_T) {
		gen(g, OP_MOV, T_U32, d, cmp == NC_T ? a : b);
	} else {
		struct compare c = {.cmp = gen_float_cmp[cmp],
				    .type = T_F32,
				    .mods = gen_ftz(in),
				    .a = F(3),
				    .b = imm(0)};
		gen_setp_with(g, &c, q);
		gen(g, OP_SELP, T_B32, d, a, b, q);
	}
	gen_type_flags(g, T_S32, d); /* flags of the copied word */
}

static void gen_mufu(struct ngen *g)
{
	static const uint8_t fn[] = {OP_COS, OP_SIN,   OP_EX2, OP_LG2,
				     OP_RCP, OP_RSQRT, OP_RCP, OP_RSQRT};
	const struct ninst *in = g->in;
	unsigned f = in->mod[NM_FN] & 7;
	struct opnd d = gen_dst(g, 0);
	if (f >= 6) { /* the upper words of doubles */
		struct opnd x = gen_d(g), zero = gen_copy(g, imm(0));
		gen_pack(g, x, zero, gen_reg32(g, gen_src(g, 1, NSRC_INT)));
		gen_mods(g, fn[f], T_F64, M_APPROX | M_FTZ, x, x);
		gen_unpack(g, gen_t(g), d, x);
		return;
	}
	if (in->mod[NM_SAT]) {
		struct opnd t = gen_t(g);
		gen_mods(g, fn[f], T_F32, M_APPROX | M_FTZ, t, F(1));
		gen_cvt_as(g, T_F32, T_F32, RND_NONE, M_SAT, d, t);
	} else {
		gen_mods(g, fn[f], T_F32, M_APPROX | M_FTZ, d, F(1));
	}
	float_flags(g, d);
}

static void gen_rro(struct ngen *g) /* sin and ex2 reduce the range themselves */
{
	struct opnd s = F(1);
	gen(g, OP_MOV, T_B32, gen_dst(g, 0), s);
}

/* ---- double ---- */

static void gen_double(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd a = gen_src64(g, 1, true), b = gen_src64(g, 2, true), d = gen_d(g);
	unsigned r = rounding(in);
	switch (in->op) {
	case NI_DADD: gen_float_op(g, OP_ADD, T_F64, r, 0, d, a, b); break;
	case NI_DMUL: gen_float_op(g, OP_MUL, T_F64, r, 0, d, a, b); break;
	case NI_DFMA: gen_float_op(g, OP_FMA, T_F64, r, 0, d, a, b, gen_src64(g, 3, true)); break;
	default: { /* DMNMX */
		const struct nop *p = &in->o[3];
		if (p->reg == 7) {
			gen(g, p->neg ? OP_MAX : OP_MIN, T_F64, d, a, b);
			break;
		}
		struct opnd hi = gen_d(g);
		gen(g, OP_MIN, T_F64, d, a, b);
		gen(g, OP_MAX, T_F64, hi, a, b);
		gen(g, OP_SELP, T_B64, d, p->neg ? hi : d, p->neg ? d : hi, val_p(p->reg));
	}
	}
	gen_put64(g, 0, d);
	gen_type_flags(g, T_F64, d);
}

/* ---- quads ---- */

struct opnd gen_quad(struct ngen *g, struct opnd a, struct opnd b, unsigned rnd, unsigned mods)
{
	enum { WITHIN_QUADS = 0x1c1f };
	const struct ninst *in = g->in;
	unsigned lane = in->mod[NM_LANE], ops = (unsigned)in->o[3].imm;
	struct opnd other = gen_t(g), op = gen_t(g), d = gen_t(g), r[3], q = gen_q(g);
	gen_mode(g, OP_SHFL, T_B32, lane < 4 ? SHFL_IDX : SHFL_BFLY, other, a,
		 imm(lane < 4 ? lane : lane - 3), imm(WITHIN_QUADS));
	gen(g, OP_MOV, T_U32, op, sreg(SREG_LANEID, 0));
	gen(g, OP_NOT, T_B32, op, op); /* lane 0 has the upper two bits */
	gen(g, OP_AND, T_B32, op, op, imm(3));
	gen(g, OP_SHL, T_B32, op, op, imm(1));
	gen(g, OP_SHR, T_U32, op, imm(ops), op);
	gen(g, OP_AND, T_B32, op, op, imm(3));
	for (unsigned i = 0; i < 3; i++) {
		r[i] = gen_t(g);
		gen_float_op(g, i ? OP_SUB : OP_ADD, T_F32, rnd, mods, r[i], i == 1 ? b : other,
			     i == 1 ? other : b);
	}
	gen(g, OP_MOV, T_F32, d, b);
	for (unsigned i = 0; i < 3; i++) {
		gen_setp(g, CMP_EQ, T_U32, q, op, imm(i));
		gen(g, OP_SELP, T_B32, d, r[i], d, q);
	}
	return d;
}

static void gen_swizzle(struct ngen *g)
{
	struct opnd b = F(2), a = gen_reg32(g, gen_raw(g, 1));
	struct opnd d = gen_quad(g, a, b, rounding(g->in), gen_ftz(g->in));
	gen(g, OP_MOV, T_B32, gen_dst(g, 0), d);
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
	case NI_RRO: gen_rro(g); return true;
	case NI_DADD:
	case NI_DMUL:
	case NI_DFMA:
	case NI_DMNMX: gen_double(g); return true;
	default: return false;
	}
}
