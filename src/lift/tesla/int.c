/* Lifts Tesla's integer instructions. */
#include "lift/tesla/tesla.h"

/* A sum with all options of the adder at once. */
static void full_adder(struct ngen *g, struct gen_sum s, int carry)
{
	bool cc = g->in->cc_write != NREG_NONE;
	if (cc)
		s.flags = gen_t(g);
	if (carry >= 0)
		s.carry = tesla_flags(g, (unsigned)carry);
	struct opnd r = gen_sum(g, &s);
	if (cc)
		tesla_flags_put(g, g->in->cc_write, s.flags);
	tesla_put_word(g, r);
}

/* x + y + carry in 32 bits, with the flags that are read. */
static struct opnd with_carry(struct ngen *g, struct opnd x, struct opnd y, unsigned carry)
{
	struct opnd t = gen_t(g);
	if (g->in->cc_write != NREG_NONE) {
		struct opnd f = gen_t(g);
		gen_ctl_reg(g, NCTL_SETCC, tesla_flags(g, carry), 0);
		gen_mods(g, OP_ADDC, T_U32, M_CC, t, x, y);
		gen(g, OP_MOV, T_U32, f, sreg(SREG_NATIVE_CC, 0));
		tesla_flags_put(g, g->in->cc_write, f);
	} else {
		struct opnd sum = gen_t(g);
		gen(g, OP_ADD, T_U32, sum, x, y);
		gen(g, OP_ADD, T_U32, t, sum, tesla_carry_word(g, carry));
	}
	return t;
}

/* x + y or x - y in 32 bits; the carry of a sum is computed by a comparison. */
static struct opnd without_carry(struct ngen *g, enum op op, struct opnd x, struct opnd y)
{
	bool cc = g->in->cc_write != NREG_NONE,
	     word = cc && (tesla_wants_overflow(g) || (op == OP_SUB && tesla_wants_carry(g)));
	struct opnd t = gen_t(g), f;
	gen_mods(g, op, T_U32, word ? M_CC : 0, t, x, y);
	if (word) {
		f = gen_t(g);
		gen(g, OP_MOV, T_U32, f, sreg(SREG_NATIVE_CC, 0));
		tesla_flags_put(g, g->in->cc_write, f);
	} else if (cc) {
		tesla_flags_of_sum(g, t, x);
	}
	return t;
}

/* x + y, with one operand negated or the carry of a C register. 16-bit operands are computed in the
 * upper halves, so that carry, overflow and saturation are those of 16 bits. */
static void add_with_carry(struct ngen *g, struct opnd x, bool neg_x, struct opnd y, bool neg_y,
			   bool wide, bool sat, int carry)
{
	struct opnd t = gen_t(g);
	enum op op = neg_x || neg_y ? OP_SUB : OP_ADD;
	if ((sat && (g->in->cc_write != NREG_NONE || carry >= 0)) || (carry >= 0 && !wide)) {
		full_adder(g,
			   (struct gen_sum){.x = x,
					    .y = y,
					    .neg_x = neg_x,
					    .neg_y = neg_y,
					    .saturate = sat,
					    .bits = wide ? 32 : 16},
			   carry);
		return;
	}
	if (!wide) {
		struct opnd a = gen_t(g), b = gen_t(g);
		gen(g, OP_SHL, T_B32, a, x, imm(16));
		gen(g, OP_SHL, T_B32, b, y, imm(16));
		x = a, y = b;
	}
	if (neg_x) {
		struct opnd s = x;
		x = y, y = s;
	}
	if (carry >= 0)
		t = with_carry(g, x, y, (unsigned)carry);
	else if (sat)
		gen_mods(g, op, T_S32, M_SAT, t, x, y);
	else
		t = without_carry(g, op, x, y);
	if (!wide)
		gen(g, OP_SHR, T_U32, t, t, imm(16));
	tesla_put_word(g, t);
}

/* The C register for add mode 3, by the two mode bits of each form; -1: another mode. */
int tesla_carry(const struct ninst *in)
{
	bool mad_long = in->op == NI_IMAD && in->size == 8 && (in->word & 3) == 1 &&
			(in->word >> 32 & 3) != 3;
	unsigned both =
		mad_long ? in->word >> 58 & 3 : (in->word >> 22 & 1) | (in->word >> 28 & 1) << 1;
	return both == 3 ? in->mod[NM_X] : -1;
}

static void gen_iadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd x = tesla_raw(g, 1, false), y = tesla_raw(g, 2, false);
	add_with_carry(g, x, in->o[1].neg, y, in->o[2].neg, in->mod[NM_W32], in->mod[NM_SAT],
		       tesla_carry(in));
}

/* A factor of 16 bits; higher bits are ignored. */
static struct opnd factor16(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	if (o->kind == NO_HALF && !(o->reg & 1) && !gen_is_zero(g, o->reg >> 1))
		return val_r(o->reg >> 1);
	return tesla_raw(g, i, false);
}

/* The product of 16-bit factors a and b; sa, sb: the factor is signed. */
static struct opnd product16(struct ngen *g, bool sa, bool sb)
{
	struct opnd a = factor16(g, 1), b = factor16(g, 2), t = gen_t(g);
	if (sa == sb) {
		gen_mode(g, OP_MUL, sa ? T_S16 : T_U16, MUL_WIDE, t, a, b);
		return t;
	}
	struct opnd x = gen_t(g), y = gen_t(g);
	gen(g, OP_BFE, sa ? T_S32 : T_U32, x, a, imm(0), imm(16));
	gen(g, OP_BFE, sb ? T_S32 : T_U32, y, b, imm(0), imm(16));
	gen_mode(g, OP_MUL, T_U32, MUL_LO, t, x, y);
	return t;
}

static void gen_imul(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool lng = in->size == 8 && (in->word >> 32 & 3) != 3;
	bool is24 = lng ? in->word >> 48 & 1 : in->word >> 22 & 1;
	unsigned ty = in->mod[NM_TYPES];
	struct opnd t = gen_t(g);
	if (is24) {
		struct opnd a = tesla_raw(g, 1, false), b = tesla_raw(g, 2, false);
		gen_mode(g, OP_MUL24, ty & 2 ? T_S32 : T_U32, ty & 1 ? MUL_HI : MUL_LO, t, a, b);
	} else {
		t = product16(g, ty & 2, ty & 1);
	}
	tesla_put_int(g, t, true);
}

static void gen_imad(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool lng = in->size == 8 && (in->word >> 32 & 3) != 3,
	     hi7 = lng && (in->word >> 28 & 15) == 7;
	unsigned ty =
		hi7 ? 8
		    : in->mod[NM_TYPES]; /* 0 u16 1 s16 2 s16.sat 3 u24 4 s24 5 s24.sat 6 hi.u24 7 hi.s24 8 hi.s24.sat */
	bool sat = ty == 2 || ty == 5 || ty == 8;
	struct opnd p = gen_t(g);
	if (ty < 2 && !in->o[1].neg && !in->o[3].neg && in->cc_write == NREG_NONE &&
	    tesla_carry(in) < 0) {
		struct opnd a = factor16(g, 1), b = factor16(g, 2),
			    c = gen_reg32(g, tesla_raw(g, 3, false));
		gen_mode(g, OP_MAD, ty ? T_S16 : T_U16, MUL_WIDE, p, a, b, c);
		tesla_put_word(g, p);
		return;
	}
	if (ty <= 2) {
		p = product16(g, ty != 0, ty != 0);
	} else {
		struct opnd a = tesla_raw(g, 1, false), b = tesla_raw(g, 2, false);
		gen_mode(g, OP_MUL24, ty == 3 || ty == 6 ? T_U32 : T_S32, ty >= 6 ? MUL_HI : MUL_LO,
			 p, a, b);
	}
	struct opnd c = tesla_raw(g, 3, false);
	add_with_carry(g, p, in->o[1].neg, c, in->o[3].neg, true, sat, tesla_carry(in));
}

/* The type by a code: bit 0: 32 bits, bit 1: signed. */
static unsigned int_type(unsigned dt) { return dt & 2 ? T_S32 : T_U32; }

static void gen_iset(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT], cmp = (unsigned)in->o[3].imm & 7;
	struct opnd a = tesla_raw(g, 1, dt & 2), b = tesla_raw(g, 2, dt & 2), t = gen_t(g);
	struct compare c = {.cmp = gen_int_cmp[cmp], .type = int_type(dt), .a = a, .b = b};
	if (cmp == 0 || cmp == 7)
		gen(g, OP_MOV, T_U32, t, imm(cmp ? 0xffffffff : 0));
	else if (tesla_flags_of_compare(g, &c))
		return;
	else
		gen_set_with(g, &c, T_U32, t);
	tesla_put_int(g, t, dt & 1);
}

static void gen_minmax(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT];
	struct opnd a = tesla_raw(g, 1, dt & 2), b = tesla_raw(g, 2, dt & 2), t = gen_t(g);
	gen(g, in->op == NI_IMAX ? OP_MAX : OP_MIN, int_type(dt), t, a, b);
	tesla_put_int(g, t, dt & 1);
}

/* ISAD: a difference of 16 or 32 bits, summed in 32 bits, with the flags of the addition. */
static void gen_isad(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned dt = in->mod[NM_DT];
	bool sg = in->size == 4 ? dt & 1 : dt & 2;
	struct opnd a = tesla_raw(g, 1, sg), b = tesla_raw(g, 2, sg), c = tesla_raw(g, 3, sg),
		    t = gen_t(g);
	gen(g, OP_SAD, sg ? T_S32 : T_U32, t, a, b, imm(0));
	add_with_carry(g, t, false, c, false, true, false, -1);
}

/* Flags of a shift. C: the last bit shifted out, 0 if all bits were. O: a shift by one changed the
 * sign. Published hardware tests measured this. */
static void shift_flags(struct ngen *g, struct opnd a, struct opnd n, struct opnd result,
			bool right, unsigned width)
{
	struct opnd k = gen_t(g), o = gen_t(g), inside = gen_q(g);
	if (right)
		gen(g, OP_SUB, T_U32, k, n, imm(1));
	else
		gen(g, OP_SUB, T_U32, k, imm(width), n);
	gen(g, OP_SHR, T_U32, k, a, k); /* a shift by 0 reads a bit outside the word: 0 */
	gen(g, OP_AND, T_B32, k, k, imm(1));
	gen(g, OP_SHL, T_B32, k, k, imm(2));
	gen_setp(g, CMP_LT, T_U32, inside, n, imm(width));
	gen(g, OP_SELP, T_B32, k, k, imm(0), inside);
	gen(g, OP_XOR, T_B32, o, a, result);
	gen(g, OP_BFE, T_U32, o, o, imm(width - 1), imm(1));
	gen(g, OP_SHL, T_B32, o, o, imm(3));
	gen_setp(g, CMP_EQ, T_U32, inside, n, imm(1));
	gen(g, OP_SELP, T_B32, o, o, imm(0), inside);
	gen(g, OP_OR, T_B32, k, k, o);
	tesla_flags_carry_overflow(g, k);
}

static void gen_shift(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool right = in->op == NI_SHR, wide = right ? in->mod[NM_DT] & 1 : in->mod[NM_W32];
	bool sg = right && in->mod[NM_DT] & 2,
	     flags = tesla_wants_carry(g) || tesla_wants_overflow(g);
	struct opnd a = tesla_raw(g, 1, sg), n = tesla_raw(g, 2, false), t = gen_t(g);
	if (flags) { /* the flags are computed before the result overwrites the source */
		struct opnd x = gen_t(g), y = gen_t(g);
		gen(g, OP_MOV, T_U32, x, a);
		gen(g, OP_MOV, T_U32, y, n);
		a = x, n = y;
	}
	if (right)
		gen(g, OP_SHR, sg ? T_S32 : T_U32, t, a, n);
	else
		gen(g, OP_SHL, T_B32, t, a, n);
	tesla_put_int(g, t, wide);
	if (flags)
		shift_flags(g, a, n, t, right, wide ? 32 : 16);
}

static void gen_lop(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd a = tesla_source(g, 1, false), b = tesla_source(g, 2, false), t = gen_t(g);
	if (in->mod[NM_LOGIC] == 3)
		gen(g, OP_MOV, T_U32, t, b);
	else
		gen(g, gen_logic[in->mod[NM_LOGIC]], T_B32, t, a, b);
	tesla_put_int(g, t,
		      !tesla_half_dst(in) &&
			      (in->size == 4 || in->mod[NM_W32] || (in->word >> 32 & 3) == 3));
}

bool tesla_integer(struct ngen *g)
{
	switch (g->in->op) {
	case NI_IADD: gen_iadd(g); return true;
	case NI_IMUL: gen_imul(g); return true;
	case NI_IMAD: gen_imad(g); return true;
	case NI_ISET: gen_iset(g); return true;
	case NI_IMAX:
	case NI_IMIN: gen_minmax(g); return true;
	case NI_ISAD: gen_isad(g); return true;
	case NI_SHL:
	case NI_SHR: gen_shift(g); return true;
	case NI_LOP: gen_lop(g); return true;
	default: return false;
	}
}
