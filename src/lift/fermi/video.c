/* Fermi's video instructions. Both operands are parts of registers, extended to 64 bits, so that the primary result is exact;
 * saturation follows, then the secondary operation. Forms of two and four lanes do this for each lane of their mask; other
 * lanes keep the third operand's bits. */
#include "lift/gen.h"

enum { SEC_MRG_16H, SEC_MRG_16L, SEC_MRG_8B0, SEC_MRG_8B2, SEC_ACC, SEC_MIN, SEC_MAX, SEC_NONE };
enum { PLUS_ONE = 3, AVERAGE = 3 }; /* codes of NM_PO, in scalar and in SIMD forms */

/* Operand i: selector (0-3 byte, 4-5 half, 6 word) at bit `sel` of the word. */
static struct opnd operand_part(struct ngen *g, unsigned i, bool is_signed, unsigned sel_bit)
{
	const struct ninst *in = g->in;
	const struct nop *o = &in->o[i];
	struct opnd d = gen_d(g), t = gen_t(g);
	unsigned type = is_signed ? T_S32 : T_U32;
	if (o->kind == NO_IMM) {
		int64_t v = is_signed ? (int16_t)o->imm : (int64_t)(o->imm & 0xffff);
		gen(g, OP_MOV, T_U64, d, imm((uint64_t)v));
		return d;
	}
	unsigned sel = (unsigned)(in->word >> sel_bit & 7), pos = sel < 4    ? sel * 8
								  : sel == 5 ? 16
									     : 0;
	gen(g, OP_BFE, type, t, gen_reg32(g, gen_reg(g, o->reg)), imm(pos),
	    imm(sel < 4   ? 8u
		: sel < 6 ? 16u
			  : 32u));
	gen_cvt(g, is_signed ? T_S64 : T_U64, type, d, t);
	return d;
}

static void clamp_result(struct ngen *g, struct opnd d, bool is_signed, unsigned bits)
{
	int64_t lo = is_signed ? -(1ll << (bits - 1)) : 0,
		hi = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
	gen(g, OP_MAX, T_S64, d, d, imm((uint64_t)lo));
	gen(g, OP_MIN, T_S64, d, d, imm((uint64_t)hi));
}

/* Shift counts are at most 32 without .W, and modulo 32 with it. Values: register with the count in
 * 32 bits. */
static struct opnd shift_count(struct ngen *g, struct opnd b)
{
	struct opnd t = gen_t(g);
	gen_cvt(g, T_U32, T_U64, t, b);
	if (g->in->mod[NM_WRAP])
		gen(g, OP_AND, T_B32, t, t, imm(31));
	else
		gen(g, OP_MIN, T_U32, t, t, imm(32));
	return t;
}

static struct opnd compare_values(struct ngen *g, struct opnd a, struct opnd b)
{
	unsigned cmp = g->in->mod[NM_CMP] & 7;
	struct opnd t = gen_t(g), q = gen_q(g);
	if (cmp == NC_F || cmp == NC_T_INT) {
		gen(g, OP_MOV, T_U32, t, imm(cmp == NC_T_INT));
		return t;
	}
	gen_setp(g, gen_int_cmp[cmp], T_S64, q, a, b);
	gen(g, OP_SELP, T_B32, t, imm(1), imm(0), q);
	return t;
}

/* Unsigned products and shifts use all 64 bits, but clamp_result() compares signed. Values above 2^62
 * exceed every limit, so they are reduced to 2^62 first. */
static void keep_positive(struct ngen *g, struct opnd t, bool is_unsigned)
{
	if (g->in->mod[NM_SAT] && is_unsigned)
		gen(g, OP_MIN, T_U64, t, t, imm(1ull << 62));
}

static struct opnd primary_result(struct ngen *g, unsigned op, struct opnd a, struct opnd b)
{
	const struct ninst *in = g->in;
	struct opnd t = gen_d(g);
	switch (op) {
	case NI_VADD:
		if (in->o[1].neg)
			gen(g, OP_SUB, T_S64, t, b, a);
		else
			gen(g, in->o[2].neg ? OP_SUB : OP_ADD, T_S64, t, a, b);
		if (in->op == NI_VADD && in->mod[NM_PO] == PLUS_ONE)
			gen(g, OP_ADD, T_S64, t, t, imm(1));
		break;
	case NI_VMNMX: gen(g, in->mod[NM_MODE] ? OP_MAX : OP_MIN, T_S64, t, a, b); break;
	case NI_VABSDIFF:
		gen(g, OP_SUB, T_S64, t, a, b);
		gen(g, OP_ABS, T_S64, t, t);
		break;
	case NI_VSET: gen_cvt(g, T_U64, T_U32, t, compare_values(g, a, b)); break;
	case NI_VSHR: gen(g, OP_SHR, T_S64, t, a, shift_count(g, b)); break;
	case NI_VSHL:
		gen(g, OP_SHL, T_B64, t, a, shift_count(g, b));
		keep_positive(g, t, !(in->word >> 6 & 1));
		break;
	default: { /* VMAD */
		static const uint8_t shift[] = {0, 7, 15, 0};
		struct opnd c = gen_d(g);
		bool sc = in->mod[NM_TYPES] || in->o[1].neg || in->o[3].neg;
		gen_mode(g, OP_MUL, T_S64, MUL_LO, t, a, b);
		keep_positive(g, t, !in->mod[NM_TYPES]);
		gen_cvt(g, sc ? T_S64 : T_U64, sc ? T_S32 : T_U32, c,
			gen_reg32(g, gen_reg(g, in->o[3].reg)));
		if (in->o[1].neg)
			gen(g, OP_SUB, T_S64, t, c, t);
		else
			gen(g, in->o[3].neg ? OP_SUB : OP_ADD, T_S64, t, t, c);
		if (in->mod[NM_PO] == PLUS_ONE)
			gen(g, OP_ADD, T_S64, t, t, imm(1));
		gen(g, OP_SHR, T_S64, t, t, imm(shift[in->mod[NM_SH] & 3]));
	}
	}
	return t;
}

static void apply_secondary(struct ngen *g, struct opnd t)
{
	const struct ninst *in = g->in;
	unsigned sec = in->op == NI_VMAD ? SEC_NONE : in->mod[NM_SEC];
	bool is_signed = in->mod[NM_UD];
	struct opnd d = gen_dst(g, 0), c = in->nop > 3 ? gen_raw(g, 3) : imm(0), r = gen_t(g);
	unsigned type = is_signed ? T_S32 : T_U32;
	if (in->mod[NM_SAT])
		clamp_result(g, t, is_signed,
			     sec <= SEC_MRG_16L   ? 16
			     : sec <= SEC_MRG_8B2 ? 8
						  : 32);
	gen_cvt(g, T_U32, T_U64, r, t);
	switch (sec) {
	case SEC_ACC: gen(g, OP_ADD, T_U32, d, r, c); break;
	case SEC_MIN: gen(g, OP_MIN, type, d, r, c); break;
	case SEC_MAX: gen(g, OP_MAX, type, d, r, c); break;
	case SEC_MRG_16H: gen(g, OP_BFI, T_B32, d, r, c, imm(16), imm(16)); break;
	case SEC_MRG_16L: gen(g, OP_BFI, T_B32, d, r, c, imm(0), imm(16)); break;
	case SEC_MRG_8B0: gen(g, OP_BFI, T_B32, d, r, c, imm(0), imm(8)); break;
	case SEC_MRG_8B2: gen(g, OP_BFI, T_B32, d, r, c, imm(16), imm(8)); break;
	default: gen(g, OP_MOV, T_U32, d, r);
	}
	if (in->o[0].cc)
		gen_mods(g, OP_ADD, T_U32, M_CC, gen_t(g), d, imm(0));
}

/* ---- two and four lanes ---- */

/* Lane selectors. A four-lane selector is a code: each row gives the byte for each lane, lane 0
 * first (0 to 3: bytes of A, 4 to 7: of B). A two-lane selector has two bits per lane: halves 0 and
 * 1 of A, 2 and 3 of B. */
static const char *const select_a[16] = {"0000", "1111", "2222", "3333", "0123", "1234", "2345",
					 "3456", "1023", "2103", "3120", "0213", "0321", "0132"};
static const char *const select_b[16] = {"4444", "5555", "6666", "7777", "4567", "3456",
					 "2345", "1234", "7654", "5476", "6745"};
enum { NO_LANE = 255 };

static unsigned element_of_a(const struct ninst *in, unsigned lanes, unsigned k)
{
	const char *by = select_a[in->word >> 40 & 15];
	if (lanes == 2 &&
	    in->o[2].kind == NO_IMM) /* one bit per lane: the other bits are the immediate's */
		return in->word >> (42 + k) & 1;
	if (lanes == 2)
		return in->word >> (40 + 2 * k) & 3;
	return by ? (unsigned)(by[k] - '0') : NO_LANE;
}

static unsigned element_of_b(const struct ninst *in, unsigned lanes, unsigned k)
{
	const char *by = select_b[in->word >> 36 & 15];
	if (lanes == 2 && in->o[2].kind == NO_IMM)
		return 2 + k;
	if (lanes == 2)
		return in->word >> (36 + 2 * k) & 3;
	return by ? (unsigned)(by[k] - '0') : NO_LANE;
}

/* Bits of a register from `at` on, extended to 64. */
static struct opnd bits_of(struct ngen *g, struct opnd reg, bool is_signed, unsigned at, unsigned w)
{
	struct opnd d = gen_d(g), t = gen_t(g);
	unsigned type = is_signed ? T_S32 : T_U32;
	gen(g, OP_BFE, type, t, gen_reg32(g, reg), imm(at), imm(w));
	gen_cvt(g, is_signed ? T_S64 : T_U64, type, d, t);
	return d;
}

/* Element e of B:A, of w bits each. An immediate is every element of B. */
static struct opnd element_of(struct ngen *g, unsigned e, bool is_signed, unsigned w)
{
	const struct ninst *in = g->in;
	unsigned n = 32 / w;
	const struct nop *o = &in->o[e < n ? 1 : 2];
	if (o->kind == NO_IMM)
		return bits_of(g, imm((unsigned)o->imm), is_signed, 0, w);
	return bits_of(g, gen_reg(g, o->reg), is_signed, e % n * w, w);
}

static const struct simd {
	uint16_t op, scalar;
	uint8_t lanes;
} simd[] = {
	{NI_VADD4, NI_VADD, 4},         {NI_VMNMX4, NI_VMNMX, 4}, {NI_VABSDIFF4, NI_VABSDIFF, 4},
	{NI_VSET4, NI_VSET, 4},         {NI_VSHR4, NI_VSHR, 4},   {NI_VSHL4, NI_VSHL, 4},
	{NI_VSEL4, NI_SEL, 4},          {NI_VADD2, NI_VADD, 2},   {NI_VMNMX2, NI_VMNMX, 2},
	{NI_VABSDIFF2, NI_VABSDIFF, 2}, {NI_VSET2, NI_VSET, 2},   {NI_VSHR2, NI_VSHR, 2},
	{NI_VSHL2, NI_VSHL, 2},         {NI_VSEL2, NI_SEL, 2},
};

/* Computes the primary result of one lane. */
static struct opnd lane_primary(struct ngen *g, unsigned op, struct opnd a, struct opnd b)
{
	const struct nop *p = &g->in->o[3];
	if (op == NI_SEL) {
		struct opnd t = gen_d(g), q = p->reg == 7 ? val_pt() : val_p(p->reg);
		gen(g, OP_SELP, T_B64, t, p->neg ? b : a, p->neg ? a : b, q);
		return t;
	}
	struct opnd t = primary_result(g, op, a, b);
	if (op == NI_VADD &&
	    g->in->mod[NM_PO] == AVERAGE) { /* rounds up, or down below zero, as PTX's vavrg does */
		struct opnd up = gen_d(g);
		gen(g, OP_SHR, T_U64, up, t, imm(63));
		gen(g, OP_SUB, T_S64, t, t, up);
		gen(g, OP_ADD, T_S64, t, t, imm(1));
		gen(g, OP_SHR, T_S64, t, t, imm(1));
	}
	return t;
}

/* Inserts the result t of lane k into `sum`, which began as the third operand. */
static void lane_join(struct ngen *g, struct opnd sum, struct opnd t, unsigned k, unsigned w)
{
	enum { LANES_MIN = 1, LANES_MAX, SUM = 4, LEAST, GREATEST };
	const struct ninst *in = g->in;
	bool is_signed = in->mod[NM_UD];
	struct opnd r = gen_t(g);
	unsigned sec = in->mod[NM_SEC];
	if (sec == LANES_MIN || sec == LANES_MAX)
		gen(g, sec == LANES_MIN ? OP_MIN : OP_MAX, T_S64, t, t,
		    bits_of(g, sum, is_signed, k * w, w));
	gen_cvt(g, T_U32, T_U64, r, t);
	if (sec == SUM)
		gen(g, OP_ADD, T_U32, sum, sum, r);
	else if (sec == LEAST || sec == GREATEST)
		gen(g, sec == LEAST ? OP_MIN : OP_MAX, is_signed ? T_S32 : T_U32, sum, sum, r);
	else
		gen(g, OP_BFI, T_B32, sum, r, sum, imm(k * w), imm(w));
}

static bool gen_simd(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct simd *q = simd;
	while (q < simd + sizeof simd / sizeof *simd && q->op != in->op)
		q++;
	if (q == simd + sizeof simd / sizeof *simd)
		return false;
	unsigned w = 32u / q->lanes,
		 mask = (unsigned)((in->word >> 55 & 3) |
				   (q->lanes == 4 ? (in->word >> 34 & 3) << 2 : 0));
	bool selects = q->scalar ==
		       NI_SEL; /* a predicate takes the place of the third operand, which is zero */
	struct opnd sum = gen_t(g);
	gen(g, OP_MOV, T_U32, sum, selects ? imm(0) : gen_raw(g, 3));
	for (unsigned k = 0; k < q->lanes; k++) {
		unsigned t0 = g->nt, d0 = g->nd, x = element_of_a(in, q->lanes, k),
			 y = element_of_b(in, q->lanes, k);
		if (!(mask >> k & 1))
			continue;
		if (x == NO_LANE || y == NO_LANE) {
			gen_refuse(g, "no selection of lanes has this code");
			return true;
		}
		struct opnd a = element_of(g, x, in->word >> 6 & 1, w),
			    b = element_of(g, y, in->word >> 5 & 1, w);
		struct opnd t = lane_primary(g, q->scalar, a, b);
		if (in->mod[NM_SAT])
			clamp_result(g, t, in->mod[NM_UD], w);
		lane_join(g, sum, t, k, w);
		g->nt = t0, g->nd = d0; /* the next lane uses the same scratch */
	}
	gen(g, OP_MOV, T_U32, gen_dst(g, 0), sum);
	if (in->o[0].cc)
		gen_mods(g, OP_ADD, T_U32, M_CC, gen_t(g), sum, imm(0));
	return true;
}

bool gen_video(struct ngen *g)
{
	const struct ninst *in = g->in;
	switch (in->op) {
	case NI_VADD:
	case NI_VMNMX:
	case NI_VABSDIFF:
	case NI_VSET:
	case NI_VSHR:
	case NI_VSHL:
	case NI_VMAD:
	case NI_VSETP: break;
	default: return gen_simd(g);
	}
	unsigned i = in->op == NI_VSETP ? 2 : 1;
	struct opnd a = operand_part(g, i, in->word >> 6 & 1, 44),
		    b = operand_part(g, i + 1, in->word >> 5 & 1, 32);
	if (in->op == NI_VSETP) {
		struct opnd v = compare_values(g, a, b), p = gen_pred_dst(g, 0),
			    q = gen_pred_dst(g, 1);
		gen_setp_both(g,
			      &(struct compare){.cmp = CMP_NE,
						.bop = gen_bop[in->mod[NM_LOGIC] % 3],
						.type = T_U32,
						.a = v,
						.b = imm(0),
						.p = gen_pred(g, 4)},
			      p, q);
		return true;
	}
	apply_secondary(g, primary_result(g, in->op, a, b));
	return true;
}
