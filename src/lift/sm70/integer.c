/* Lifts integer sums, products, comparisons and related instructions. */
#include "lift/sm70/lift.h"

/* ---- sums of three with carries ---- */

/* d = x + y + carry; the carry out goes to predicate `out` unless its kind is OPND_NONE. All in 64
 * bits, so that the carry is bit 32 of the sum. */
static struct opnd widen_word(struct lift *l, struct opnd s)
{
	struct opnd d = gen_d(&l->g);
	if (is_imm(s))
		return imm_as(T_B64, (uint32_t)s.imm);
	gen_pack(&l->g, d, s, lift_reg(l, imm(0)));
	return d;
}

static bool has_destination(const struct lift *l, unsigned role)
{
	const struct sm70_operand *o = opd(l, role);
	return o && (o->kind == SM70_K_PRED || o->kind == SM70_K_UPRED) && o->reg != SM70_PT;
}

/* A source of a sum with carries. A negated source is its complement, and one is added. Without
 * carries the operation negates. */
static struct opnd complement_of(struct lift *l, const struct sm70_operand *o)
{
	struct opnd s = lift_raw(l, o);
	if (!o || (!o->neg && !o->inv))
		return s;
	if (is_imm(s))
		return imm(~(uint32_t)s.imm);
	struct opnd t = gen_t(&l->g);
	gen(&l->g, OP_NOT, T_B32, t, s);
	return t;
}

static bool is_nothing(struct lift *l, const struct sm70_operand *o)
{
	struct opnd s = o && o->kind != SM70_K_CONST ? lift_raw(l, o) : imm(!!o);
	return is_imm(s) && !s.imm && !(o && o->inv);
}

static bool is_register(struct opnd a, struct opnd b)
{
	return a.kind == OPND_REG && b.kind == OPND_REG && a.reg == b.reg;
}

/* d = a + b, out: the carry. A sum that is less than one of its terms has wrapped around. */
static void add_out(struct lift *l, struct opnd d, struct opnd a, struct opnd b, struct opnd out)
{
	struct ngen *g = &l->g;
	if (is_register(d, b)) { /* b is compared with the sum, so it must outlive the addition */
		struct opnd swap = a;
		a = b;
		b = swap;
	}
	struct opnd sum = is_register(d, b) ? gen_t(g) : d;
	gen(g, OP_ADD, T_U32, sum, lift_reg(l, a), b);
	gen_setp(g, CMP_LT, T_U32, out, sum, b);
	if (is_register(d, b))
		gen(g, OP_MOV, T_U32, d, sum);
}

/* Terms of a sum modulo 2^32. A complemented term is subtracted, and one more. */
struct terms {
	struct opnd v[6];
	bool minus[6];
	unsigned n, ones;
};

static void add_term(struct terms *t, struct opnd v, bool minus)
{
	t->v[t->n] = v;
	t->minus[t->n++] = minus;
}

/* Adds the carry that a predicate has: 1 or 0; or, if a 1 is still to be subtracted, 0 or -1. */
static void add_carry_in(struct lift *l, struct terms *t, unsigned role)
{
	if (!opd(l, role) || lift_pred_is(l, role, false))
		return;
	bool minus = t->ones > 0;
	t->ones -= minus;
	if (!lift_pred_is(l, role, true)) {
		struct opnd p = lift_pred(l, role);
		add_term(t, lift_pred_word(l, minus ? val_not(p) : p, 1), minus);
	} else if (!minus) {
		add_term(t, imm(1), false);
	}
}

static void sum_terms(struct lift *l, struct opnd d, struct terms *t)
{
	struct ngen *g = &l->g;
	unsigned first = 0;
	if (t->ones)
		add_term(t, imm(-(uint32_t)t->ones), false);
	while (first < t->n && t->minus[first])
		first++;
	struct opnd sum = first < t->n ? t->v[first] : imm(0), part = gen_t(g);
	unsigned left = t->n - (first < t->n);
	if (!left)
		gen(g, OP_MOV, T_U32, d, sum);
	for (unsigned i = 0; i < t->n; i++) {
		if (i == first)
			continue;
		struct opnd to = --left ? part : d;
		gen(g, t->minus[i] ? OP_SUB : OP_ADD, T_U32, to, lift_reg(l, sum), t->v[i]);
		sum = to;
	}
}

/* The usual sums of pairs, low word and high word: two terms and a carry out, or carries in alone. */
static bool sum_of_pairs(struct lift *l, struct opnd d)
{
	bool x = mod(l, SM70_MOD_X) != SM70_W_NONE;
	const struct sm70_operand *o[3] = {opd(l, SM70_R_A), opd(l, SM70_R_B), opd(l, SM70_R_C)};
	struct terms t = {.n = 0};
	if (has_destination(l, SM70_R_PD2) || (x && has_destination(l, SM70_R_PD)))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (!o[i] || (is_nothing(l, o[i]) && !o[i]->neg))
			continue;
		add_term(&t, lift_raw(l, o[i]), o[i]->neg || o[i]->inv);
		t.ones += x && o[i]->inv;
	}
	if (x) {
		add_carry_in(l, &t, SM70_R_PA);
		add_carry_in(l, &t, SM70_R_PB);
		sum_terms(l, d, &t);
		return true;
	}
	if (t.n > 2 || (t.n == 2 && t.minus[0] && t.minus[1]) || (t.n == 1 && t.minus[0]))
		return false;
	while (t.n < 2)
		add_term(&t, imm(0), false);
	unsigned from = t.minus[0];
	struct opnd p = lift_pred_dst(l, SM70_R_PD), a = t.v[from], b = t.v[!from];
	if (!t.minus[!from]) {
		add_out(l, d, a, b, p);
	} else { /* a + ~b + 1 carries unless it borrows */
		a = lift_reg(l, a);
		gen_setp(&l->g, CMP_GE, T_U32, p, a, b);
		gen(&l->g, OP_SUB, T_U32, d, a, b);
	}
	return true;
}

/* d = a + b + c with two predicates for carries out: bits 32 and 33 of the sum, as the number of
 * carries. */
static void sum_with_carries(struct lift *l, struct opnd d)
{
	struct ngen *g = &l->g;
	bool x = mod(l, SM70_MOD_X) != SM70_W_NONE;
	const struct sm70_operand *o[3] = {opd(l, SM70_R_A), opd(l, SM70_R_B), opd(l, SM70_R_C)};
	uint32_t ones = 0;
	if (sum_of_pairs(l, d))
		return;
	struct opnd sum = gen_d(g), s[3];
	for (unsigned i = 0; i < 3; i++) {
		s[i] = complement_of(l, o[i]);
		ones += !x && o[i] && o[i]->neg;
	}
	gen(g, OP_ADD, T_U64, sum, widen_word(l, s[0]), widen_word(l, s[1]));
	gen(g, OP_ADD, T_U64, sum, sum, widen_word(l, s[2]));
	if (ones)
		gen(g, OP_ADD, T_U64, sum, sum, imm_as(T_U64, ones));
	for (unsigned i = 0; x && i < 2; i++) {
		unsigned role = i ? SM70_R_PB : SM70_R_PA;
		if (!opd(l, role) || lift_pred_is(l, role, false))
			continue;
		gen(g, OP_ADD, T_U64, sum, sum,
		    widen_word(l, lift_pred_word(l, lift_pred(l, role), 1)));
	}
	struct opnd lo = gen_t(g), carries = gen_t(g);
	gen_unpack(g, lo, carries, sum);
	gen(g, OP_MOV, T_U32, d, lo);
	if (has_destination(l, SM70_R_PD))
		gen_setp(g, CMP_NE, T_U32, lift_pred_dst(l, SM70_R_PD), carries, imm(0));
	if (has_destination(l, SM70_R_PD2))
		gen_setp(g, CMP_GT, T_U32, lift_pred_dst(l, SM70_R_PD2), carries, imm(1));
}

/* d += s, with s negated or complemented as its operand says. */
static void add_to(struct lift *l, struct opnd d, struct opnd sum, const struct sm70_operand *o)
{
	struct opnd s = lift_raw(l, o);
	if (o && o->neg && !is_imm(s))
		gen(&l->g, OP_SUB, T_U32, d, sum, s);
	else
		gen(&l->g, OP_ADD, T_U32, d, sum, lift_int(l, o));
}

/* A source of a sum of 64 bits; immediates are extended by their sign. */
static struct opnd long_source(struct lift *l, const struct sm70_operand *o)
{
	struct opnd s = o && o->kind == SM70_K_IMM ? imm_as(T_B64, (uint64_t)(int32_t)o->imm)
						   : lift_raw64(l, o);
	if (!o || !o->neg || o->kind == SM70_K_IMM)
		return s;
	struct opnd d = gen_d(&l->g);
	gen(&l->g, OP_NEG, T_S64, d, s);
	return d;
}

/* UIADD3.64: pairs of registers. */
static void add_longs(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd a = long_source(l, opd(l, SM70_R_A)), b = long_source(l, opd(l, SM70_R_B)),
		    c = long_source(l, opd(l, SM70_R_C)), sum = gen_d(g);
	gen(g, OP_ADD, T_U64, sum, lift_reg(l, a), b);
	gen(g, OP_ADD, T_U64, lift_dst64(l), sum, c);
}

static void do_iadd3(struct lift *l)
{
	struct ngen *g = &l->g;
	if (has(l, SM70_W__64)) {
		if (mod(l, SM70_MOD_X) || has_destination(l, SM70_R_PD) ||
		    has_destination(l, SM70_R_PD2))
			lift_refuse(l, "a sum of 64 bits with carries");
		else
			add_longs(l);
		return;
	}
	struct opnd d = lift_dst(l), t = gen_t(g);
	if (mod(l, SM70_MOD_X) || has_destination(l, SM70_R_PD) || has_destination(l, SM70_R_PD2)) {
		sum_with_carries(l, d);
		return;
	}
	const struct sm70_operand *a = opd(l, SM70_R_A), *b = opd(l, SM70_R_B),
				  *c = opd(l, SM70_R_C);
	struct opnd x = lift_int(l, a);
	if (is_nothing(l, c)) {
		add_to(l, d, x, b);
		return;
	}
	add_to(l, t, x, b);
	add_to(l, d, t, c);
}

/* Adds two pairs of halves: (x & 0x7fff7fff) + (y & 0x7fff7fff) ^ (x ^ y) & 0x80008000. */
static void add_halves(struct lift *l, struct opnd d, struct opnd x, struct opnd y, bool minus)
{
	struct ngen *g = &l->g;
	struct opnd s = gen_t(g), t = gen_t(g);
	if (minus) {
		struct opnd n = gen_t(g), m = gen_t(g);
		gen(g, OP_NOT, T_B32, n, y);
		gen(g, OP_AND, T_B32, m, n, imm(0x7fff7fff));
		gen(g, OP_ADD, T_U32, m, m, imm(0x00010001));
		gen(g, OP_AND, T_B32, n, n, imm(0x80008000));
		gen(g, OP_XOR, T_B32, n, n, m);
		y = n;
	}
	gen(g, OP_AND, T_B32, s, x, imm(0x7fff7fff));
	gen(g, OP_AND, T_B32, t, y, imm(0x7fff7fff));
	gen(g, OP_ADD, T_U32, s, s, t);
	gen(g, OP_XOR, T_B32, t, x, y);
	gen(g, OP_AND, T_B32, t, t, imm(0x80008000));
	gen(g, OP_XOR, T_B32, d, s, t);
}

static void do_viadd(struct lift *l)
{
	const struct sm70_operand *a = opd(l, SM70_R_A), *b = opd(l, SM70_R_B);
	b = b ? b : opd(l, SM70_R_C);
	unsigned type = mod(l, SM70_MOD_TYPE);
	bool halves = type == SM70_W__16x2, sat = has(l, SM70_W_ISAT);
	bool known = halves || type == SM70_W_NONE || type == SM70_W__32 || type == SM70_W_S32;
	if (!known || (sat && type != SM70_W_S32) || (a->neg && (sat || halves)))
		lift_refuse(l, "a sum of this type");
	else if (sat)
		gen_mods(&l->g, b && b->neg ? OP_SUB : OP_ADD, T_S32, M_SAT, lift_dst(l),
			 lift_reg(l, lift_raw(l, a)), lift_reg(l, lift_raw(l, b)));
	else if (halves)
		add_halves(l, lift_dst(l), lift_raw(l, a), lift_raw(l, b), b && b->neg);
	else
		add_to(l, lift_dst(l), lift_int(l, a), b);
}

/* ---- products ---- */

static bool is_unsigned(const struct lift *l)
{
	unsigned t = mod(l, SM70_MOD_TYPE);
	return t == SM70_W_U32 || t == SM70_W_U64;
}

static void do_wide(struct lift *l)
{
	struct ngen *g = &l->g;
	unsigned type = is_unsigned(l) ? T_U32 : T_S32, wide = is_unsigned(l) ? T_U64 : T_S64;
	struct opnd a = lift_int(l, opd(l, SM70_R_A)), b = lift_int(l, opd(l, SM70_R_B));
	const struct sm70_operand *co = opd(l, SM70_R_C);
	struct opnd c = lift_raw64(l, co), d = has(l, SM70_W_HI) ? imm(0) : lift_dst64(l);
	bool x = mod(l, SM70_MOD_X) != SM70_W_NONE;
	if (co && co->neg) {
		struct opnd n = gen_d(g);
		gen(g, OP_NEG, T_S64, n, c);
		c = n;
	}
	if (co && co->inv) {
		struct opnd n = gen_d(g);
		gen(g, OP_NOT, T_B64, n, c);
		c = n;
	}
	bool high = has(l, SM70_W_HI); /* only the upper word */
	struct opnd upper = high ? lift_dst(l) : d;
	if (high)
		d = gen_d(g);
	if (!x && !has_destination(l, SM70_R_PD)) {
		if (is_imm(c) && !c.imm && high) {
			gen_mode(g, OP_MUL, type, MUL_HI, upper, a, b);
			return;
		}
		if (is_imm(c) && !c.imm)
			gen_mode(g, OP_MUL, type, MUL_WIDE, d, a, b);
		else
			gen_mode(g, OP_MAD, type, MUL_WIDE, d, a, b,
				 c.kind == OPND_IMM ? imm_as(wide, (uint64_t)c.imm) : c);
		if (high)
			gen_unpack(g, gen_t(g), upper, d);
		return;
	}
	struct opnd p = gen_d(g), s = gen_d(g), carry = gen_q(g), q = gen_q(g);
	gen_mode(g, OP_MUL, type, MUL_WIDE, p, a, b);
	gen(g, OP_ADD, T_U64, s, p, c);
	gen_setp(g, CMP_LT, T_U64, carry, s, p);
	if (x && !lift_pred_is(l, SM70_R_PA, false)) {
		struct opnd one = widen_word(l, lift_pred_word(l, lift_pred(l, SM70_R_PA), 1)),
			    u = gen_d(g);
		gen(g, OP_ADD, T_U64, u, s, one);
		gen_setp(g, CMP_LT, T_U64, q, u, s);
		gen(g, OP_OR, T_PRED, carry, carry, q);
		s = u;
	}
	if (high)
		gen_unpack(g, gen_t(g), upper, s);
	else
		gen(g, OP_MOV, T_U64, d, s);
	if (has_destination(l, SM70_R_PD))
		gen(g, OP_MOV, T_PRED, lift_pred_dst(l, SM70_R_PD), carry);
}

/* IMAD: a * b + c as one operation if c's sign allows. */
static void do_imad(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *ao = opd(l, SM70_R_A), *bo = opd(l, SM70_R_B),
				  *co = opd(l, SM70_R_C);
	if (has(l, SM70_W_WIDE) ||
	    has(l, SM70_W_HI)) { /* HI: the upper word of a * b plus the pair c */
		do_wide(l);
		return;
	}
	struct opnd a = lift_int(l, ao), b = lift_int(l, bo), d = lift_dst(l);
	bool nothing = (is_imm(a) && !a.imm) || (is_imm(b) && !b.imm);
	if (mod(l, SM70_MOD_X)) { /* a * b + c + carry */
		struct opnd one = lift_pred_word(l, lift_pred(l, SM70_R_PA), 1), t = gen_t(g);
		if (nothing)
			gen(g, OP_ADD, T_U32, d, complement_of(l, co), one);
		else {
			gen_mode(g, OP_MAD, T_U32, MUL_LO, t, a, b, complement_of(l, co));
			gen(g, OP_ADD, T_U32, d, t, one);
		}
		return;
	}
	if (nothing) {
		gen(g, OP_MOV, T_U32, d, lift_int(l, co));
	} else if (is_imm(b) && b.imm == 1) {
		add_to(l, d, a, co);
	} else if (is_nothing(l, co)) {
		gen_mode(g, OP_MUL, T_U32, MUL_LO, d, a, b);
	} else {
		gen_mode(g, OP_MAD, T_U32, MUL_LO, d, a, b, lift_int(l, co));
	}
}

/* LEA: (a << n) + b; HI: the upper word of the pair c:a shifted; SX32: c is a's sign. A negated a with a carry is
 * ~(a << n) + 1, whose carry is 1 for a = 0, too; X: the 1 is in the carry of the lower word, and a is complemented. */
static void do_lea(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *ao = opd(l, SM70_R_A), *bo = opd(l, SM70_R_B),
				  *co = opd(l, SM70_R_C);
	uint32_t shift = (uint32_t)imm_of(l, SM70_R_I, 0) & 31;
	bool high = has(l, SM70_W_HI), x = mod(l, SM70_MOD_X) != SM70_W_NONE;
	struct opnd a = lift_raw(l, ao), t = gen_t(g), d = lift_dst(l);
	bool negated = ao && ao->neg, inverted = ao && ao->inv;
	bool carries = x || has_destination(l, SM70_R_PD);
	if (high) {
		struct opnd c;
		if (mod(l, SM70_MOD_SX32)) {
			c = gen_t(g);
			gen(g, OP_SHR, T_S32, c, lift_reg(l, a), imm(31));
		} else {
			c = lift_raw(l, co);
		}
		if (negated) { /* the pair's negation */
			struct opnd n = gen_d(g), lo = gen_t(g), hi = gen_t(g);
			gen_pack(g, n, lift_reg(l, a), lift_reg(l, c));
			gen(g, OP_NEG, T_S64, n, n);
			gen_unpack(g, lo, hi, n);
			a = lo;
			c = hi;
		}
		gen_mode(g, OP_SHF, T_B32, SHF_L_WRAP, t, lift_reg(l, a), lift_reg(l, c),
			 imm(shift));
	} else {
		gen(g, OP_SHL, T_B32, t, lift_reg(l, a), imm(shift));
		if (negated && !carries)
			gen(g, OP_NEG, T_S32, t, t);
	}
	if (inverted || (negated && carries && !high))
		gen(g, OP_NOT, T_B32, t, t);
	if (!carries) {
		add_to(l, d, t, bo);
		return;
	}
	uint32_t one = (!x && bo && bo->neg) + (negated && !high);
	if (x && !has_destination(l, SM70_R_PD) && !one) {
		bool minus = bo && bo->inv;
		struct terms terms = {.n = 0, .ones = minus};
		add_term(&terms, t, false);
		add_term(&terms, lift_raw(l, bo), minus);
		add_carry_in(l, &terms, SM70_R_PA);
		sum_terms(l, d, &terms);
		return;
	}
	if (!x && !one) {
		add_out(l, d, t, lift_raw(l, bo), lift_pred_dst(l, SM70_R_PD));
		return;
	}
	struct opnd sum = gen_d(g), lo = gen_t(g), carry = gen_t(g);
	gen(g, OP_ADD, T_U64, sum, widen_word(l, t), widen_word(l, complement_of(l, bo)));
	if (one)
		gen(g, OP_ADD, T_U64, sum, sum, imm_as(T_U64, one));
	if (x && !lift_pred_is(l, SM70_R_PA, false))
		gen(g, OP_ADD, T_U64, sum, sum,
		    widen_word(l, lift_pred_word(l, lift_pred(l, SM70_R_PA), 1)));
	gen_unpack(g, lo, carry, sum);
	gen(g, OP_MOV, T_U32, d, lo);
	if (has_destination(l, SM70_R_PD))
		gen_setp(g, CMP_NE, T_U32, lift_pred_dst(l, SM70_R_PD), carry, imm(0));
}

/* ---- minima ---- */

static unsigned minmax_type(const struct lift *l)
{
	switch (mod(l, SM70_MOD_TYPE)) {
	case SM70_W_U32: return T_U32;
	case SM70_W_U16x2: return T_U16X2;
	case SM70_W_S16x2: return T_S16X2;
	case SM70_W_U64: return T_U64;
	case SM70_W_S64: return T_S64;
	default: return T_S32;
	}
}

/* Predicate true: the minimum. */
static void min_or_max(struct lift *l, unsigned role, unsigned type, unsigned mods, struct opnd d,
		       struct opnd a, struct opnd b)
{
	struct ngen *g = &l->g;
	if (lift_pred_is(l, role, true) || lift_pred_is(l, role, false)) {
		gen_mods(g, lift_pred_is(l, role, true) ? OP_MIN : OP_MAX, type, mods, d, a, b);
		return;
	}
	struct opnd lo = gen_t(g), hi = gen_t(g);
	gen_mods(g, OP_MIN, type, mods, lo, a, b);
	gen_mods(g, OP_MAX, type, mods, hi, a, b);
	gen(g, OP_SELP, T_B32, d, lo, hi, lift_pred(l, role));
}

static unsigned relu_modifier(const struct lift *l) { return has(l, SM70_W_RELU) ? M_RELU : 0; }

static void do_minmax(struct lift *l)
{
	min_or_max(l, SM70_R_PA, minmax_type(l), relu_modifier(l), lift_dst(l),
		   lift_int(l, opd(l, SM70_R_A)), lift_int(l, opd(l, SM70_R_B)));
}

/* min or max of a + b and c */
static void do_viaddmnmx(struct lift *l)
{
	const struct sm70_operand *a = opd(l, SM70_R_A), *b = opd(l, SM70_R_B);
	unsigned type = minmax_type(l);
	struct opnd t = gen_t(&l->g);
	if (type == T_U16X2 || type == T_S16X2)
		add_halves(l, t, lift_raw(l, a), lift_raw(l, b), b && b->neg);
	else
		add_to(l, t, lift_int(l, a), b);
	min_or_max(l, SM70_R_PA, type, relu_modifier(l), lift_dst(l), t,
		   lift_int(l, opd(l, SM70_R_C)));
}

static void do_minmax3(struct lift *l)
{
	struct opnd t = gen_t(&l->g);
	min_or_max(l, SM70_R_PA, minmax_type(l), 0, t, lift_int(l, opd(l, SM70_R_A)),
		   lift_int(l, opd(l, SM70_R_B)));
	min_or_max(l, opd(l, SM70_R_PB) ? SM70_R_PB : SM70_R_PA, minmax_type(l), relu_modifier(l),
		   lift_dst(l), t, lift_int(l, opd(l, SM70_R_C)));
}

/* ---- comparisons ---- */

/* Compares upper words of a 64-bit comparison: if they are equal, the lower words' result
 * counts. */
static void compare_upper(struct lift *l, struct opnd p, unsigned type, struct opnd a,
			  struct opnd b)
{
	struct ngen *g = &l->g;
	unsigned cmp = lift_cmp(l, false);
	struct opnd equal = gen_q(g), less = gen_q(g), low = lift_pred(l, SM70_R_PB), q = gen_q(g);
	gen_setp(g, CMP_EQ, T_U32, equal, a, b);
	gen(g, OP_AND, T_PRED, q, equal, low);
	if (cmp == CMP_EQ) {
		gen(g, OP_MOV, T_PRED, p, q);
		return;
	}
	unsigned strict = cmp == CMP_LE ? CMP_LT : cmp == CMP_GE ? CMP_GT : cmp;
	gen_setp(g, strict, type, less, a, b);
	gen(g, OP_OR, T_PRED, p, less, q);
}

static void do_isetp(struct lift *l)
{
	struct ngen *g = &l->g;
	unsigned type = is_unsigned(l) ? T_U32 : T_S32, w = mod(l, SM70_MOD_CMP);
	struct opnd a = lift_int(l, opd(l, SM70_R_A)), b = lift_int(l, opd(l, SM70_R_B));
	struct opnd p = lift_pred_dst(l, SM70_R_PD);
	bool second = has_destination(l, SM70_R_PD2),
	     plain = lift_pred_is(l, SM70_R_PA, true) && lift_bool(l) == BOP_AND;
	struct compare c = {.cmp = lift_cmp(l, false), .type = type, .a = a, .b = b};
	if (mod(l, SM70_MOD_EX) && c.cmp) {
		struct opnd q = gen_q(g);
		compare_upper(l, q, type, a, b);
		c = (struct compare){
			.cmp = CMP_NE, .type = T_U32, .a = lift_pred_word(l, q, 1), .b = imm(0)};
	} else if (!c.cmp) { /* F, T */
		c = (struct compare){.cmp = w == SM70_W_T ? CMP_EQ : CMP_NE,
				     .type = T_U32,
				     .a = imm(0),
				     .b = imm(0)};
	}
	if (!plain) {
		c.bop = lift_bool(l);
		c.p = lift_pred(l, SM70_R_PA);
	}
	if (second)
		gen_setp_both(g, &c, p, lift_pred_dst(l, SM70_R_PD2));
	else
		gen_setp_with(g, &c, p);
}

/* ---- sums of products, of differences ---- */

static void do_idp(struct lift *l)
{
	bool four = has(l, SM70_W__4A);
	unsigned ta = mod(l, SM70_MOD_TYPE), tb = mod(l, SM70_MOD_TYPE2);
	bool sa = ta == SM70_W_S8 || ta == SM70_W_S16, sb = tb == SM70_W_S8 || tb == SM70_W_S16;
	struct opnd a = lift_int(l, opd(l, SM70_R_A)), b = lift_int(l, opd(l, SM70_R_B)),
		    c = lift_int(l, opd(l, SM70_R_C));
	gen_emit(&l->g,
		 (struct inst){.op = four ? OP_DP4A : OP_DP2A,
			       .type = sa || sb ? T_S32 : T_U32,
			       .atype = sa ? T_S32 : T_U32,
			       .btype = sb ? T_S32 : T_U32,
			       .mode = has(l, SM70_W_HI) ? MUL_HI : MUL_LO,
			       .nd = 1},
		 GEN_LIST(lift_dst(l), a, b, c));
}

static void do_vabsdiff(struct lift *l)
{
	struct opnd a = lift_raw(l, opd(l, SM70_R_A)), b = lift_raw(l, opd(l, SM70_R_B)),
		    c = lift_raw(l, opd(l, SM70_R_C));
	gen(&l->g, OP_SAD, is_unsigned(l) ? T_U32 : T_S32, lift_dst(l), a, b, c);
}

/* Differences of four bytes; ACC: their sum is added to c, else each goes to its byte. */
static void do_vabsdiff4(struct lift *l)
{
	bool acc = mod(l, SM70_MOD_ACC) != SM70_W_NONE, s = !has(l, SM70_W_U8);
	unsigned type = s ? T_S32 : T_U32;
	struct inst in = {.op = OP_VABSDIFF4,
			  .type = (uint8_t)type,
			  .atype = (uint8_t)type,
			  .btype = (uint8_t)type,
			  .mode = acc ? VSEC_ADD : VSEC_NONE,
			  .vmask = 15,
			  .vsel = {0x40, 0x51, 0x62, 0x73},
			  .nd = 1};
	struct opnd a = lift_reg(l, lift_raw(l, opd(l, SM70_R_A))),
		    b = lift_reg(l, lift_raw(l, opd(l, SM70_R_B)));
	gen_emit(&l->g, in,
		 GEN_LIST(lift_dst(l), a, b, lift_reg(l, lift_raw(l, opd(l, SM70_R_C)))));
}

bool lift_integer(struct lift *l)
{
	switch (l->in->op) {
	case SM70_IADD:
	case SM70_IADD3:
	case SM70_UIADD3: do_iadd3(l); return true;
	case SM70_VIADD: do_viadd(l); return true;
	case SM70_IMAD:
	case SM70_UIMAD: do_imad(l); return true;
	case SM70_LEA:
	case SM70_ULEA: do_lea(l); return true;
	case SM70_IMNMX:
	case SM70_VIMNMX: do_minmax(l); return true;
	case SM70_VIMNMX3: do_minmax3(l); return true;
	case SM70_VIADDMNMX: do_viaddmnmx(l); return true;
	case SM70_ISETP:
	case SM70_UISETP: do_isetp(l); return true;
	case SM70_IABS:
		gen(&l->g, OP_ABS, T_S32, lift_dst(l),
		    lift_int(l, opd(l, SM70_R_A) ? opd(l, SM70_R_A) : opd(l, SM70_R_B)));
		return true;
	case SM70_IDP: do_idp(l); return true;
	case SM70_VABSDIFF: do_vabsdiff(l); return true;
	case SM70_VABSDIFF4: do_vabsdiff4(l); return true;
	default: return false;
	}
}
