/* Lifts Fermi's integer, logic and move instructions. */
#include "lift/gen.h"

/* Writes the flags of a result whose carry and overflow are zero. */
void gen_flags_of(struct ngen *g, struct opnd d)
{
	if (g->in->o[0].cc)
		gen_mods(g, OP_ADD, T_U32, M_CC, gen_t(g), d, imm(0));
}

/* ---- the adder ---- */

struct add {
	struct opnd x, y;
	bool neg_x, neg_y, po, carry, cc, sat;
};

/* x + y with one operand negated (complement plus one), or plus one; with carry, the carry flag
 * replaces that one. */
static void add_with_carry(struct ngen *g, struct opnd d, struct add a)
{
	struct opnd x = a.x, y = a.y;
	bool minus = a.neg_x || a.neg_y;
	if (a.sat && (a.carry || a.cc || a.po)) {
		struct gen_sum s = {.x = x,
				    .y = y,
				    .neg_x = a.neg_x,
				    .neg_y = a.neg_y,
				    .plus_one = a.po,
				    .saturate = true,
				    .bits = 32};
		if (a.carry)
			s.carry = gen_cc(g);
		if (a.cc)
			s.flags = gen_t(g);
		gen(g, OP_MOV, T_U32, d, gen_sum(g, &s));
		if (a.cc)
			gen_ctl_reg(g, NCTL_SETCC, s.flags, 0);
		return;
	}
	if (a.neg_x) {
		struct opnd t = x;
		x = y;
		y = t;
	}
	if (a.po && !a.carry) { /* x + y + 1 = x - ~y */
		struct opnd t = gen_t(g);
		gen(g, OP_NOT, T_B32, t, y);
		y = t;
		minus = true;
	}
	enum op op = a.carry ? (minus ? OP_SUBC : OP_ADDC) : minus ? OP_SUB : OP_ADD;
	if (a.sat)
		gen_mods(g, op, T_S32, M_SAT, d, x, y);
	else
		gen_mods(g, op, T_U32, a.cc ? M_CC : 0, d, x, y);
}

static void gen_iadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd x = gen_raw(g, 1), y = gen_raw(g, 2);
	add_with_carry(g, gen_dst(g, 0),
		       (struct add){x, y, in->o[1].neg, in->o[2].neg, in->mod[NM_PO] == 3,
				    in->mod[NM_X], in->o[0].cc, in->mod[NM_SAT]});
}

/* The product's low or high word; types: bit 0 second operand signed, bit 1 first. */
static struct opnd product_of(struct ngen *g, struct opnd a, struct opnd b, unsigned types, bool hi)
{
	struct opnd t = gen_t(g);
	if (g->in->size == 4 && types) /* the 4-byte forms have one bit for both */
		types = 3;
	if (!hi || types == 0 || types == 3) {
		gen_mode(g, OP_MUL, types == 3 ? T_S32 : T_U32, hi ? MUL_HI : MUL_LO, t, a, b);
		return t;
	}
	struct opnd x = gen_d(g), y = gen_d(g);
	gen_cvt(g, types & 2 ? T_S64 : T_U64, types & 2 ? T_S32 : T_U32, x, gen_reg32(g, a));
	gen_cvt(g, types & 1 ? T_S64 : T_U64, types & 1 ? T_S32 : T_U32, y, gen_reg32(g, b));
	gen_mode(g, OP_MUL, T_U64, MUL_LO, x, x, y);
	gen_unpack(g, gen_t(g), t, x);
	return t;
}

static void gen_imad(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd p =
		product_of(g, gen_raw(g, 1), gen_raw(g, 2), in->mod[NM_TYPES], in->mod[NM_HI]);
	struct opnd c = gen_raw(g, 3);
	add_with_carry(g, gen_dst(g, 0),
		       (struct add){p, c, in->o[1].neg, in->o[3].neg, in->mod[NM_PO] == 3,
				    in->mod[NM_X], in->o[0].cc, in->mod[NM_SAT]});
}

static void gen_imul(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd p =
		product_of(g, gen_raw(g, 1), gen_raw(g, 2), in->mod[NM_TYPES], in->mod[NM_HI]);
	struct opnd d = gen_dst(g, 0);
	gen(g, OP_MOV, T_U32, d, p);
	gen_flags_of(g, d);
}

static void gen_iscadd(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd t = gen_t(g), b = gen_raw(g, 2);
	gen(g, OP_SHL, T_B32, t, gen_raw(g, 1), imm((unsigned)in->o[3].imm));
	add_with_carry(g, gen_dst(g, 0),
		       (struct add){t, b, in->o[1].neg, in->o[2].neg, in->mod[NM_PO] == 3, false,
				    in->o[0].cc, false});
}

/* ---- minimum and maximum ---- */

/* The minimum of 64-bit pairs is IMNMX.XHI D.CC of the upper words, then IMNMX.XLO of the lower
 * ones. The flags of the upper words tell which pair's lower word to take; where the upper words
 * are equal, the lower ones are compared without sign. */
enum { MNMX_LO = 1, MNMX_MED, MNMX_HI, TEST_LESS = 9, TEST_EQUAL = 10, TEST_BORROW = 17 };

static void low_by_flags(struct ngen *g, struct opnd x, struct opnd y, struct opnd lo,
			 struct opnd hi)
{
	struct opnd cc = gen_cc(g), q = gen_q(g), equal = gen_q(g), less = gen_q(g), t = gen_t(g);
	unsigned test = g->in->mod[NM_SIGN] ? TEST_LESS : TEST_BORROW;
	gen_setp(g, CMP_NE, T_U32, equal, gen_cc_bit(g, cc, TEST_EQUAL), imm(0));
	gen_setp(g, CMP_NE, T_U32, q, gen_cc_bit(g, cc, test), imm(0));
	gen_setp(g, CMP_LT, T_U32, less, x, y);
	gen(g, OP_SELP, T_B32, t, imm(1), imm(0), q);
	gen(g, OP_SELP, T_B32, lo, imm(1), imm(0), less);
	gen(g, OP_SELP, T_B32, t, lo, t, equal);
	gen_setp(g, CMP_NE, T_U32, q, t, imm(0));
	gen(g, OP_SELP, T_B32, lo, x, y, q);
	gen(g, OP_SELP, T_B32, hi, y, x, q);
}

/* Flags that the lower words' comparison reads: S for less, Z and C for equal, C for greater. S and
 * "no carry" then agree, so the lower words may test either, even if the pair is signed and its
 * lower word is not. */
static struct opnd order_flags(struct ngen *g, struct opnd x, struct opnd y, unsigned type)
{
	struct opnd q = gen_q(g), f = gen_t(g);
	gen_setp(g, CMP_LT, type, q, x, y);
	gen(g, OP_SELP, T_B32, f, imm(2), imm(4), q);
	gen_setp(g, CMP_EQ, T_U32, q, x, y);
	gen(g, OP_SELP, T_B32, f, imm(5), f, q);
	return f;
}

/* Passes on the flags of the upper words; if the upper words were equal, the flags of these
 * words. */
static void pass_flags(struct ngen *g, struct opnd x, struct opnd y)
{
	struct opnd old = gen_cc(g), q = gen_q(g), t = gen_t(g), f = order_flags(g, x, y, T_U32);
	gen(g, OP_AND, T_B32, t, old, imm(1));
	gen_setp(g, CMP_NE, T_U32, q, t, imm(0));
	gen(g, OP_SELP, T_B32, f, f, old, q);
	gen_ctl_reg(g, NCTL_SETCC, f, 0);
}

static void gen_imnmx(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *p = &in->o[3];
	struct opnd x = gen_raw(g, 1), y = gen_raw(g, 2), d = gen_dst(g, 0);
	unsigned type = in->mod[NM_SIGN] ? T_S32 : T_U32;
	struct opnd lo = gen_t(g), hi = gen_t(g);
	unsigned part = in->mod[NM_X];
	if (!part && p->reg == 7) {
		gen(g, p->neg ? OP_MAX : OP_MIN, type, d, x, y);
		gen_flags_of(g, d);
		return;
	}
	if (part == MNMX_LO || part == MNMX_MED) {
		low_by_flags(g, x, y, lo, hi);
		if (in->o[0].cc)
			pass_flags(g, x, y);
	} else {
		gen(g, OP_MIN, type, lo, x, y);
		gen(g, OP_MAX, type, hi, x, y);
	}
	if (part == MNMX_HI && in->o[0].cc)
		gen_ctl_reg(g, NCTL_SETCC, order_flags(g, x, y, type), 0);
	if (p->reg == 7)
		gen(g, OP_MOV, T_U32, d, p->neg ? hi : lo);
	else
		gen(g, OP_SELP, T_B32, d, p->neg ? hi : lo, p->neg ? lo : hi, val_p(p->reg));
	if (!part)
		gen_flags_of(g, d);
}

/* ---- shifts and bits ---- */

static void gen_shift(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd x = gen_raw(g, 1), n = gen_raw(g, 2), d = gen_dst(g, 0);
	if (in->mod[NM_X]) {
		gen_refuse(g, "extended shift");
		return;
	}
	if (in->mod[NM_BREV]) {
		struct opnd t = gen_t(g);
		gen(g, OP_BREV, T_B32, t, x);
		x = t;
	}
	if (in->mod[NM_WRAP]) {
		struct opnd t = gen_t(g);
		gen(g, OP_AND, T_B32, t, n, imm(31));
		n = t;
	}
	if (in->op == NI_SHL)
		gen(g, OP_SHL, T_B32, d, x, n);
	else
		gen(g, OP_SHR, in->size == 4 || in->mod[NM_SIGN] ? T_S32 : T_U32, d, x, n);
	gen_flags_of(g, d);
}

static void gen_lop(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd x = gen_src(g, 1, NSRC_INT), y = gen_src(g, 2, NSRC_INT), d = gen_dst(g, 0);
	bool joins = in->mod[NM_X] && in->o[0].cc;
	struct opnd above = {0};
	if (joins)
		above = gen_cc(g);
	if (in->mod[NM_LOGIC] == 3)
		gen(g, OP_MOV, T_U32, d, y);
	else
		gen(g, gen_logic[in->mod[NM_LOGIC]], T_B32, d, x, y);
	gen_flags_of(g, d);
	if (!joins)
		return;
	struct opnd z = gen_t(g),
		    now = gen_cc(g); /* .X: zero only if the lower words are zero too, as in
		                      * comparisons */
	gen(g, OP_OR, T_B32, z, above, imm(14));
	gen(g, OP_AND, T_B32, z, z, now);
	gen_ctl_reg(g, NCTL_SETCC, z, 0);
}

/* Position and length of a bit field: bytes 0 and 1 of operand i. */
static void read_field(struct ngen *g, unsigned i, struct opnd *pos, struct opnd *len)
{
	struct opnd b = gen_raw(g, i);
	*pos = gen_t(g);
	*len = gen_t(g);
	gen(g, OP_AND, T_B32, *pos, b, imm(255));
	gen(g, OP_SHR, T_U32, *len, b, imm(8));
	gen(g, OP_AND, T_B32, *len, *len, imm(255));
}

static void gen_bits(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd pos, len, d, x;
	switch (in->op) {
	case NI_BFE:
		x = gen_raw(g, 1);
		read_field(g, 2, &pos, &len);
		if (in->mod[NM_BREV]) {
			struct opnd t = gen_t(g);
			gen(g, OP_BREV, T_B32, t, x);
			x = t;
		}
		d = gen_dst(g, 0);
		gen(g, OP_BFE, in->mod[NM_SIGN] ? T_S32 : T_U32, d, x, pos, len);
		break;
	case NI_BFI:
		x = gen_raw(g, 1);
		read_field(g, 2, &pos, &len);
		struct opnd c = gen_raw(g, 3);
		d = gen_dst(g, 0);
		gen(g, OP_BFI, T_B32, d, x, c, pos, len);
		break;
	case NI_FLO:
		x = gen_src(g, 1, NSRC_INT);
		d = gen_dst(g, 0);
		gen_mods(g, OP_BFIND, in->mod[NM_SIGN] ? T_S32 : T_U32,
			 in->mod[NM_SH] ? M_SHIFTAMT : 0, d, x);
		break;
	default: { /* POPC */
		x = gen_src(g, 1, NSRC_INT);
		struct opnd y = gen_src(g, 2, NSRC_INT), t = gen_t(g);
		d = gen_dst(g, 0);
		gen(g, OP_AND, T_B32, t, x, y);
		gen(g, OP_POPC, T_B32, d, t);
	}
	}
	gen_flags_of(g, d);
}

static void gen_prmt(struct ngen *g)
{
	struct opnd a = gen_raw(g, 1), sel = gen_raw(g, 2), c = gen_raw(g, 3), d = gen_dst(g, 0);
	gen_mode(g, OP_PRMT, T_B32, g->in->mod[NM_MODE] % 7, d, a, c, sel); /* enum prmt */
	gen_flags_of(g, d);
}

static void gen_isad(struct ngen *g)
{
	struct opnd a = gen_raw(g, 1), b = gen_raw(g, 2), c = gen_raw(g, 3), d = gen_dst(g, 0);
	gen(g, OP_SAD, g->in->mod[NM_SIGN] ? T_S32 : T_U32, d, a, b, c);
	gen_flags_of(g, d);
}

/* ---- moves ---- */

/* Packs x into bits 0 to 15, y into 16 to 25, z into 26 to 31. */
static void gen_packed(struct ngen *g, enum sreg r, struct opnd d)
{
	struct opnd t = gen_t(g), u = gen_t(g);
	gen(g, OP_MOV, T_U32, t, sreg(r, 0));
	gen(g, OP_MOV, T_U32, u, sreg(r, 1));
	gen(g, OP_BFI, T_B32, t, u, t, imm(16), imm(10));
	gen(g, OP_MOV, T_U32, u, sreg(r, 2));
	gen(g, OP_BFI, T_B32, d, u, t, imm(26), imm(6));
}

static void gen_s2r(struct ngen *g)
{
	static const struct {
		uint8_t n, reg, component;
	} rows[] = {
		{0, SREG_LANEID, 0},       {1, SREG_CLOCK, 0},        {33, SREG_TID, 0},
		{34, SREG_TID, 1},         {35, SREG_TID, 2},         {37, SREG_CTAID, 0},
		{38, SREG_CTAID, 1},       {39, SREG_CTAID, 2},       {41, SREG_NTID, 0},
		{42, SREG_NTID, 1},        {43, SREG_NTID, 2},        {45, SREG_NCTAID, 0},
		{46, SREG_NCTAID, 1},      {47, SREG_NCTAID, 2},      {50, SREG_TOTAL_SMEM_SIZE, 0},
		{56, SREG_LANEMASK_EQ, 0}, {57, SREG_LANEMASK_LT, 0}, {58, SREG_LANEMASK_LE, 0},
		{59, SREG_LANEMASK_GT, 0}, {60, SREG_LANEMASK_GE, 0}, {80, SREG_CLOCK, 0},
		{81, SREG_CLOCK_HI, 0},
	};
	static const struct {
		uint8_t n;
		uint32_t value;
	} numbers[] = {
		{48, 0x01000000}, {49, 0x01000000}, {51, 32}, {52, 0x02000000},
		{53, 0x01000000}, {64, 0},          {66, 0},  {67, 0},
		{4, 0},           {5, 0},           {6, 0},   {7, 0},
		{8, 0},           {9, 0},           {10, 0},  {11, 0},
	};
	struct opnd d = gen_dst(g, 0);
	unsigned n = g->in->o[1].reg;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].n == n) {
			gen(g, OP_MOV, T_U32, d, sreg(rows[i].reg, rows[i].component));
			return;
		}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].n == n) {
			gen(g, OP_MOV, T_U32, d, imm(numbers[i].value));
			return;
		}
	struct opnd t, w;
	switch (n) {
	case 2:
	case 3: /* numbers of warps and processors; index of the present one */
		t = gen_t(g);
		gen(g, OP_MOV, T_U32, t, sreg(n == 2 ? SREG_NSMID : SREG_SMID, 0));
		gen(g, OP_SHL, T_B32, t, t, imm(20));
		if (n == 2) {
			gen(g, OP_OR, T_B32, d, t, imm(48u << 8));
			return;
		}
		w = gen_t(g);
		gen(g, OP_MOV, T_U32, w, sreg(SREG_WARPID, 0));
		gen(g, OP_SHL, T_B32, w, w, imm(8));
		gen(g, OP_OR, T_B32, d, t, w);
		return;
	case 32: gen_packed(g, SREG_TID, d); return;
	case 40: gen_packed(g, SREG_NTID, d); return;
	default: gen_refuse(g, "a special register of graphics or of no known meaning");
	}
}

static void gen_mov(struct ngen *g)
{
	const struct nop *lanes =
		g->in->nop > 2 && g->in->o[2].kind == NO_IMM ? &g->in->o[2] : NULL;
	struct opnd s = gen_raw(g, 1), d = gen_dst(g, 0);
	if (!lanes || lanes->imm == 15 || g->in->size == 4) {
		gen(g, OP_MOV, T_U32, d, s);
		return;
	}
	struct opnd t = gen_t(g), q = gen_q(g); /* only the selected lanes of each quad */
	gen(g, OP_MOV, T_U32, t, sreg(SREG_LANEID, 0));
	gen(g, OP_AND, T_B32, t, t, imm(3));
	gen(g, OP_SHR, T_U32, t, imm((unsigned)lanes->imm), t);
	gen(g, OP_AND, T_B32, t, t, imm(1));
	gen_setp(g, CMP_NE, T_U32, q, t, imm(0));
	gen(g, OP_SELP, T_B32, d, s, d, q);
}

bool gen_fermi(struct ngen *g)
{
	switch (g->in->op) {
	case NI_IADD:
	case NI_IADD32I: gen_iadd(g); return true;
	case NI_IMAD:
	case NI_IMAD32I: gen_imad(g); return true;
	case NI_IMUL:
	case NI_IMUL32I: gen_imul(g); return true;
	case NI_ISCADD:
	case NI_ISCADD32I: gen_iscadd(g); return true;
	case NI_IMNMX: gen_imnmx(g); return true;
	case NI_SHL:
	case NI_SHR: gen_shift(g); return true;
	case NI_LOP:
	case NI_LOP32I: gen_lop(g); return true;
	case NI_BFE:
	case NI_BFI:
	case NI_FLO:
	case NI_POPC: gen_bits(g); return true;
	case NI_PRMT: gen_prmt(g); return true;
	case NI_ISAD: gen_isad(g); return true;
	case NI_S2R: gen_s2r(g); return true;
	case NI_MOV:
	case NI_MOV32I: gen_mov(g); return true;
	case NI_LEPC: gen(g, OP_MOV, T_U32, gen_dst(g, 0), imm(g->in->pc)); return true;
	case NI_NOP: return true;
	default: return gen_predicate(g) || gen_float(g) || gen_convert(g) || gen_video(g);
	}
}
