/* Tesla's condition codes. Each of C0 to C3 is four predicates: S, C, O, and "not zero" in place of
 * Z, since most tests need that. Flags that no instruction of the kernel reads are not computed: in
 * compiled code mostly one of the four remains, which the comparison writes and the branch
 * tests. */
#include "lift/tesla/tesla.h"

enum { FLAG_Z = 1, FLAG_S = 2, FLAG_C = 4, FLAG_O = 8 };

static struct opnd flag_register(unsigned c, unsigned bit)
{
	unsigned n = (unsigned)__builtin_ctz(bit);
	return val_reg(RC_C, 4 * c + n, T_PRED);
}

/* ---- flags that are read ---- */

/* The flags that decide a test, as a mask. */
static unsigned flags_deciding(struct ngen *g, unsigned test)
{
	unsigned table = gen_cc_table(g, test), bits = 0;
	for (unsigned v = 0; v < 16; v++)
		for (unsigned b = 1; b < 16; b <<= 1)
			if ((table >> v ^ table >> (v ^ b)) & 1)
				bits |= b;
	return bits;
}

static void find_read(struct ngen *g, const struct ninst *in)
{
	enum { ALL = FLAG_Z | FLAG_S | FLAG_C | FLAG_O, ALWAYS = 15 };
	int carry = in->op == NI_IADD || in->op == NI_IMAD ? tesla_carry(in) : -1;
	if (in->cc_test != ALWAYS && in->op != NI_VOTE)
		g->flags_read[in->cc_reg & 3] |= flags_deciding(g, in->cc_test);
	if (in->op == NI_VOTE)
		g->flags_read[in->o[1].reg & 3] |= flags_deciding(g, (unsigned)in->o[1].off);
	if (in->op == NI_C2R)
		g->flags_read[in->o[1].reg & 3] |= ALL;
	if (carry >= 0)
		g->flags_read[carry & 3] |= FLAG_C;
}

void tesla_flags_begin(struct ngen *g)
{
	memset(g->flags_read, 0, sizeof g->flags_read);
	for (size_t p = 0; (g->code = native_part(g->m, g->k, p)); p++)
		for (size_t i = 0; i < g->code->ninst; i++)
			find_read(g, &g->code->inst[i]);
	g->code = g->k;
	for (unsigned c = 0; c < 4; c++) /* a kernel begins with all flags 0 */
		if (g->flags_read[c] & FLAG_Z)
			gen(g, OP_MOV, T_PRED, flag_register(c, FLAG_Z), val_pt());
}

/* ---- tests ---- */

static bool writes_flags(const struct ninst *in, unsigned c)
{
	bool special = in->op == NI_R2C || in->op == NI_VOTE;
	return in->cc_write == c || (special && in->o[0].reg == c);
}

void tesla_guard(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned table, bits;
	if (in->cc_test == 15 || in->op == NI_VOTE)
		return;
	table = gen_cc_table(g, in->cc_test);
	bits = flags_deciding(g, in->cc_test);
	struct guard now = {.pred = val_pg()};
	if (bits && !(bits & (bits - 1))) { /* one flag decides: its predicate is the guard */
		bool set = table >> bits & 1;
		now = (struct guard){flag_register(in->cc_reg, bits), bits == FLAG_Z ? set : !set};
		if (writes_flags(in, in->cc_reg)) {
			gen(g, OP_MOV, T_PRED, val_pg(), now.pred);
			now.pred = val_pg();
		}
	} else {
		gen_setp(g, CMP_NE, T_U32, val_pg(), tesla_test(g, in->cc_reg, in->cc_test),
			 imm(0));
	}
	g->guard = now;
}

struct opnd tesla_flags(struct ngen *g, unsigned c)
{
	struct opnd word = gen_t(g);
	gen(g, OP_SELP, T_B32, word, imm(0), imm(1), flag_register(c, FLAG_Z));
	for (unsigned b = FLAG_S; b <= FLAG_O; b <<= 1) {
		struct opnd t = gen_t(g);
		gen(g, OP_SELP, T_B32, t, imm(b), imm(0), flag_register(c, b));
		gen(g, OP_OR, T_B32, word, word, t);
	}
	return word;
}

struct opnd tesla_test(struct ngen *g, unsigned c, unsigned test)
{
	return gen_cc_bit(g, tesla_flags(g, c), test);
}

struct opnd tesla_carry_word(struct ngen *g, unsigned c)
{
	struct opnd t = gen_t(g);
	gen(g, OP_SELP, T_B32, t, imm(1), imm(0), flag_register(c, FLAG_C));
	return t;
}

/* ---- results ---- */

static bool is_wanted(const struct ngen *g, unsigned c, unsigned bits)
{
	return c != NREG_NONE && g->flags_read[c & 3] & bits;
}

bool tesla_wants_carry(const struct ngen *g) { return is_wanted(g, g->in->cc_write, FLAG_C); }
bool tesla_wants_overflow(const struct ngen *g) { return is_wanted(g, g->in->cc_write, FLAG_O); }

static void clear_flags(struct ngen *g, unsigned c, unsigned bits)
{
	for (unsigned b = FLAG_Z; b <= FLAG_O; b <<= 1)
		if (bits & b && is_wanted(g, c, b))
			gen(g, OP_MOV, T_PRED, flag_register(c, b), val_pf());
}

/* Computes Z and S of a value of a type; both are set for a NaN. */
static void sign_flags(struct ngen *g, unsigned type, struct opnd v)
{
	unsigned c = g->in->cc_write;
	if (is_wanted(g, c, FLAG_Z))
		gen_setp(g, CMP_NE, type, flag_register(c, FLAG_Z), v, imm(0));
	if (is_wanted(g, c, FLAG_S))
		gen_setp(g, type_is_float(type) ? CMP_LTU : CMP_LT, type, flag_register(c, FLAG_S),
			 v, imm(0));
}

void tesla_flags_of(struct ngen *g, unsigned type, struct opnd v)
{
	sign_flags(g, type, v);
	clear_flags(g, g->in->cc_write, FLAG_C | FLAG_O);
}

void tesla_flags_of_sum(struct ngen *g, struct opnd sum, struct opnd x)
{
	sign_flags(g, T_S32, sum);
	if (tesla_wants_carry(g))
		gen_setp(g, CMP_LT, T_U32, flag_register(g->in->cc_write, FLAG_C), sum, x);
}

bool tesla_flags_of_compare(struct ngen *g, const struct compare *c)
{
	unsigned w = g->in->cc_write;
	const struct nop *o = &g->in->o[0];
	bool kept = (o->kind == NO_GPR && !gen_is_zero(g, o->reg)) || o->kind == NO_HALF;
	if (kept || w == NREG_NONE)
		return false;
	if (is_wanted(g, w, FLAG_Z | FLAG_S))
		gen_setp_with(g, c, flag_register(w, FLAG_Z));
	if (is_wanted(g, w, FLAG_S))
		gen(g, OP_MOV, T_PRED, flag_register(w, FLAG_S), flag_register(w, FLAG_Z));
	clear_flags(g, w, FLAG_C | FLAG_O);
	return true;
}

struct opnd tesla_flag_nonzero(const struct ngen *g, unsigned c)
{
	return is_wanted(g, c, FLAG_Z) ? flag_register(c, FLAG_Z) : val_p(0);
}

void tesla_flags_nonzero(struct ngen *g, unsigned c, struct opnd pred)
{
	if (is_wanted(g, c, FLAG_Z) && pred.reg != flag_register(c, FLAG_Z).reg)
		gen(g, OP_MOV, T_PRED, flag_register(c, FLAG_Z), pred);
	clear_flags(g, c, FLAG_S | FLAG_C | FLAG_O);
}

static void put_flags(struct ngen *g, unsigned c, struct opnd word, unsigned bits)
{
	for (unsigned b = FLAG_Z; b <= FLAG_O; b <<= 1) {
		if (!(bits & b) || !is_wanted(g, c, b))
			continue;
		struct opnd t = gen_t(g);
		gen(g, OP_AND, T_B32, t, word, imm(b));
		gen_setp(g, b == FLAG_Z ? CMP_EQ : CMP_NE, T_U32, flag_register(c, b), t, imm(0));
	}
}

void tesla_flags_put(struct ngen *g, unsigned c, struct opnd word)
{
	put_flags(g, c, word, FLAG_Z | FLAG_S | FLAG_C | FLAG_O);
}

void tesla_flags_carry_overflow(struct ngen *g, struct opnd word)
{
	put_flags(g, g->in->cc_write, word, FLAG_C | FLAG_O);
}
