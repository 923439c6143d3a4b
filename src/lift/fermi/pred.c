/* Lifts Fermi's comparisons, predicates and flags. */
#include "lift/gen.h"

_Static_assert(OP_COUNT <= UINT8_MAX + 1, "tables of operations have bytes");
const uint8_t gen_logic[3] = {OP_AND, OP_OR, OP_XOR}, gen_bop[3] = {BOP_AND, BOP_OR, BOP_XOR};
const uint8_t gen_int_cmp[8] = {CMP_NONE, CMP_LT, CMP_EQ, CMP_LE, CMP_GT, CMP_NE, CMP_GE, CMP_NONE};

/* ---- comparison ---- */

/* Compares A - B - borrow with zero, given the lower words' flags: 1 where the comparison is true,
 * else 0. */
static struct opnd extended_compare(struct ngen *g, unsigned a, unsigned b)
{
	const struct ninst *in = g->in;
	struct opnd old = gen_cc(g), x = gen_raw(g, a), y = gen_raw(g, b);
	gen_mods(g, OP_SUBC, T_U32, M_CC, gen_t(g), x, y);
	struct opnd now = gen_cc(g), z = gen_t(g), lt = gen_t(g), t = gen_t(g);
	gen_ctl_reg(g, NCTL_SETCC, old, 0); /* the comparison does not change the flags */
	gen(g, OP_AND, T_B32, z, old, now);
	gen(g, OP_AND, T_B32, z, z, imm(1));
	if (in->mod[NM_SIGN]) {
		gen(g, OP_SHR, T_U32, lt, now, imm(2));
		gen(g, OP_XOR, T_B32, lt, lt, now);
		gen(g, OP_SHR, T_U32, lt, lt, imm(1));
	} else {
		gen(g, OP_SHR, T_U32, lt, now, imm(2));
		gen(g, OP_NOT, T_B32, lt, lt);
	}
	gen(g, OP_AND, T_B32, lt, lt, imm(1));
	/* index z + 2 lt (never both): each row is the set of indices for which a comparison is
	 * true */
	static const uint8_t holds[8] = {0x0, 0xc, 0xa, 0xe, 0x1, 0x5, 0x3, 0xf};
	gen_mode(g, OP_MAD, T_U32, MUL_LO, t, lt, imm(2), z);
	gen(g, OP_SHR, T_U32, t, imm(holds[in->mod[NM_CMP] & 7]), t);
	gen(g, OP_AND, T_B32, t, t, imm(1));
	return t;
}

/* Combines a comparison with the source predicate at operand p and writes the instruction's
 * destination. */
static void put_comparison(struct ngen *g, struct compare c, unsigned p, bool to_pred)
{
	const struct ninst *in = g->in;
	c.bop = gen_bop[in->mod[NM_LOGIC] % 3];
	c.p = p < in->nop ? gen_pred(g, p) : val_pt();
	struct opnd d = to_pred ? gen_pred_dst(g, 0) : gen_dst(g, 0);
	if (to_pred) {
		gen_setp_both(g, &c, d, in->o[1].kind == NO_PRED ? gen_pred_dst(g, 1) : gen_q(g));
	} else {
		gen_set_with(g, &c, in->mod[NM_BF] ? T_F32 : T_U32, d);
		gen_flags_of(g, d);
	}
}

/* Combines a Boolean value (0 or not 0) with the source predicate at operand p and writes the
 * destination. */
static void put_boolean(struct ngen *g, struct opnd v, unsigned p, bool to_pred)
{
	put_comparison(g, (struct compare){.cmp = CMP_NE, .type = T_U32, .a = v, .b = imm(0)}, p,
		       to_pred);
}

static void gen_isetp(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool to_pred = in->op == NI_ISETP;
	unsigned a = to_pred && in->o[1].kind == NO_PRED ? 2 : 1, cmp = in->mod[NM_CMP] & 7;
	if (in->mod[NM_X]) {
		put_boolean(g, extended_compare(g, a, a + 1), a + 2, to_pred);
		return;
	}
	if (cmp == NC_F || cmp == NC_T_INT) {
		put_boolean(g, imm(cmp == NC_T_INT), a + 2, to_pred);
		return;
	}
	struct compare c = {.cmp = gen_int_cmp[cmp],
			    .type = in->size == 4 || in->mod[NM_SIGN] ? T_S32 : T_U32};
	c.a = gen_raw(g, a);
	c.b = gen_raw(g, a + 1);
	put_comparison(g, c, a + 2, to_pred);
}

static void gen_icmp(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned cmp = in->mod[NM_CMP] & 7;
	struct opnd x = gen_raw(g, 1), y = gen_raw(g, 2), d = gen_dst(g, 0), q = gen_q(g);
	if (cmp == NC_F || cmp == NC_T_INT) {
		gen(g, OP_MOV, T_U32, d, cmp == NC_F ? y : x);
	} else {
		struct opnd tested = gen_raw(g, 3);
		gen_setp(g, gen_int_cmp[cmp], in->mod[NM_SIGN] ? T_S32 : T_U32, q, tested, imm(0));
		gen(g, OP_SELP, T_B32, d, x, y, q);
	}
	gen_flags_of(g, d);
}

/* ---- predicates ---- */

/* Source predicate i in a register, with its negation applied. */
static struct opnd pred_value(struct ngen *g, unsigned i)
{
	struct opnd p = gen_pred(g, i);
	if (!(p.mod & OPND_NOT))
		return p;
	struct opnd q = gen_q(g);
	gen(g, OP_NOT, T_PRED, q, val_not(p));
	return q;
}

static void gen_pset(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool to_pred = in->op == NI_PSETP;
	unsigned a = to_pred ? 2 : 1;
	enum op log = gen_logic[in->mod[NM_LOGIC] % 3];
	if (in->size == 4) { /* one result of two sources */
		struct opnd x = pred_value(g, 1), y = pred_value(g, 2);
		gen(g, log, T_PRED, gen_pred_dst(g, 0), x, y);
		return;
	}
	struct opnd p = pred_value(g, a), q = pred_value(g, a + 1), s = pred_value(g, a + 2),
		    t = gen_q(g), u = gen_q(g), v = gen_q(g);
	gen(g, gen_logic[in->mod[NM_LOGIC2] % 3], T_PRED, t, p, q);
	gen(g, OP_NOT, T_PRED, u, t);
	gen(g, log, T_PRED, t, t, s);
	gen(g, log, T_PRED, v, u, s);
	if (to_pred) {
		gen(g, OP_MOV, T_PRED, gen_pred_dst(g, 0), t);
		gen(g, OP_MOV, T_PRED, gen_pred_dst(g, 1), v);
	} else {
		struct opnd d = gen_dst(g, 0);
		gen(g, OP_SELP, T_B32, d, imm(in->mod[NM_BF] ? 0x3f800000 : 0xffffffff), imm(0), t);
		gen_flags_of(g, d);
	}
}

static void gen_cset(struct ngen *g)
{
	bool to_pred = g->in->op == NI_CSETP;
	put_boolean(g, gen_cc_bit(g, gen_cc(g), g->in->mod[NM_CMP]), to_pred ? 3 : 2, to_pred);
}

/* P2R D, PR, A, B: D = A | (PR & B). PR: predicates in bits 0 to 6, Z S C O in bits 12 to 15. */
static void gen_p2r(struct ngen *g)
{
	struct opnd a = gen_raw(g, 2), b = gen_raw(g, 3), t = gen_t(g), one = gen_t(g);
	gen(g, OP_SHL, T_B32, t, gen_cc(g), imm(12));
	for (unsigned i = 0; i < 7; i++) {
		gen(g, OP_SELP, T_B32, one, imm(1u << i), imm(0), val_p(i));
		gen(g, OP_OR, T_B32, t, t, one);
	}
	gen(g, OP_AND, T_B32, t, t, b);
	if (g->in->mod[NM_H1]) /* the predicates go to the upper half */
		gen(g, OP_SHL, T_B32, t, t, imm(16));
	gen(g, OP_OR, T_B32, gen_dst(g, 0), t, a);
}

/* R2P PR, A, B: PR = (PR & ~B) | (A & B). */
static void gen_r2p(struct ngen *g)
{
	struct opnd a = gen_reg32(g, gen_raw(g, 1)), b = gen_raw(g, 2), m = gen_t(g), v = gen_t(g),
		    q = gen_q(g);
	bool known = g->in->o[2].kind == NO_IMM;
	uint32_t mask = known ? (uint32_t)g->in->o[2].imm : 0xffff;
	if (g->in->mod[NM_H1]) { /* the predicates come from the upper half */
		struct opnd t = gen_t(g);
		gen(g, OP_SHR, T_U32, t, a, imm(16));
		a = t;
	}
	for (unsigned i = 0; i < 7; i++) {
		if (!(mask >> i & 1))
			continue;
		gen(g, OP_AND, T_B32, v, a, imm(1u << i));
		gen_setp(g, CMP_NE, T_U32, q, v, imm(0));
		if (known) {
			gen(g, OP_MOV, T_PRED, val_p(i), q);
			continue;
		}
		struct opnd s = gen_q(g), n = gen_q(g);
		gen(g, OP_AND, T_B32, m, b, imm(1u << i));
		gen_setp(g, CMP_NE, T_U32, s, m, imm(0));
		gen(g, OP_AND, T_PRED, q, q, s);
		gen(g, OP_NOT, T_PRED, n, s);
		gen(g, OP_AND, T_PRED, n, n, val_p(i));
		gen(g, OP_OR, T_PRED, val_p(i), q, n);
	}
	if (!(mask & 0xf000))
		return;
	struct opnd cc = gen_cc(g), keep = gen_t(g);
	gen(g, OP_SHR, T_U32, m, b, imm(12));
	gen(g, OP_SHR, T_U32, v, a, imm(12));
	gen(g, OP_AND, T_B32, v, v, m);
	gen(g, OP_NOT, T_B32, keep, m);
	gen(g, OP_AND, T_B32, keep, keep, cc);
	gen(g, OP_OR, T_B32, v, v, keep);
	gen_ctl_reg(g, NCTL_SETCC, v, 0);
}

static void gen_sel(struct ngen *g)
{
	const struct nop *p = &g->in->o[3];
	struct opnd a = gen_raw(g, 1), b = gen_raw(g, 2), d = gen_dst(g, 0);
	gen(g, OP_SELP, T_B32, d, p->neg ? b : a, p->neg ? a : b,
	    p->reg == 7 ? val_pt() : val_p(p->reg));
}

static void gen_vote(struct ngen *g)
{
	static const uint8_t mode[] = {VOTE_ALL, VOTE_ANY, VOTE_UNI};
	struct opnd p = pred_value(g, 2), q = gen_q(g), t = gen_t(g);
	gen_mode(g, OP_VOTE, T_B32, VOTE_BALLOT, t, p);
	gen_mode(g, OP_VOTE, T_PRED, mode[g->in->mod[NM_MODE] % 3], q, p);
	if (g->in->o[1].reg != 7)
		gen(g, OP_MOV, T_PRED, val_p(g->in->o[1].reg), q);
	gen(g, OP_MOV, T_U32, gen_dst(g, 0), t);
}

bool gen_predicate(struct ngen *g)
{
	switch (g->in->op) {
	case NI_ISETP:
	case NI_ISET: gen_isetp(g); return true;
	case NI_ICMP: gen_icmp(g); return true;
	case NI_PSET:
	case NI_PSETP: gen_pset(g); return true;
	case NI_CSET:
	case NI_CSETP: gen_cset(g); return true;
	case NI_P2R: gen_p2r(g); return true;
	case NI_R2P: gen_r2p(g); return true;
	case NI_SEL: gen_sel(g); return true;
	case NI_VOTE: gen_vote(g); return true;
	default: return false;
	}
}
