/* Fermi's adder with all its options at once: carry in, saturation, flags, 16 or 32 bits. A sum is
 * computed in 64 bits, once signed and once unsigned. Sums that need only one operation are in
 * int.c. */
#include "lift/gen.h"

/* Bit `at` of a value of 64 bits as bit `to` of a word. */
static struct opnd move_bit(struct ngen *g, struct opnd d, unsigned at, unsigned to)
{
	struct opnd s = gen_d(g), t = gen_t(g);
	gen(g, OP_SHR, T_U64, s, d, imm(at));
	gen(g, OP_AND, T_B64, s, s, imm(1));
	gen_cvt(g, T_U32, T_U64, t, s);
	gen(g, OP_SHL, T_B32, t, t, imm(to));
	return t;
}

/* The operand (its complement for a difference) extended to 64 bits: *u unsigned, *s signed. */
static void extend_operand(struct ngen *g, struct opnd v, bool complement, unsigned bits,
			   struct opnd *u, struct opnd *s)
{
	struct opnd t = gen_t(g);
	gen(g, complement ? OP_NOT : OP_MOV, T_B32, t, v);
	*u = gen_d(g), *s = gen_d(g);
	gen(g, OP_BFE, T_S32, t, t, imm(0), imm(bits));
	gen_cvt(g, T_S64, T_S32, *s, t);
	gen(g, OP_AND, T_B64, *u, *s, imm((1ull << bits) - 1));
}

/* The carry into the lowest bit. */
static struct opnd carry_in(struct ngen *g, const struct gen_sum *a)
{
	struct opnd t = gen_t(g), c = gen_d(g);
	gen(g, OP_MOV, T_U32, t,
	    a->carry.kind ? a->carry : imm(a->neg_x || a->neg_y || a->plus_one ? 4 : 0));
	gen(g, OP_BFE, T_U32, t, t, imm(2), imm(1));
	gen_cvt(g, T_U64, T_U32, c, t);
	return c;
}

struct opnd gen_sum(struct ngen *g, const struct gen_sum *a)
{
	struct opnd ux, sx, uy, sy, c = carry_in(g, a), r = gen_t(g), wide = gen_d(g),
				    back = gen_d(g);
	extend_operand(g, a->x, a->neg_x, a->bits, &ux, &sx);
	extend_operand(g, a->y, a->neg_y, a->bits, &uy, &sy);
	gen(g, OP_ADD, T_S64, sx, sx, sy);
	gen(g, OP_ADD, T_S64, sx, sx, c); /* the sum */
	gen(g, OP_ADD, T_S64, ux, ux, uy);
	gen(g, OP_ADD, T_S64, ux, ux, c); /* bit `bits` is the carry of the sum */
	gen(g, OP_MOV, T_B64, wide, sx);
	if (a->saturate) {
		gen(g, OP_MAX, T_S64, wide, wide, imm((uint64_t) - (1ll << (a->bits - 1))));
		gen(g, OP_MIN, T_S64, wide, wide, imm((1ull << (a->bits - 1)) - 1));
	}
	gen_cvt(g, T_U32, T_U64, r, wide);
	if (a->bits < 32)
		gen(g, OP_AND, T_B32, r, r, imm((1u << a->bits) - 1));
	if (!a->flags.kind)
		return r;
	struct opnd t = gen_t(g), q = gen_q(g), f = a->flags;
	gen_setp(g, CMP_EQ, T_U32, q, r, imm(0));
	gen(g, OP_SELP, T_B32, t, imm(1), imm(0), q);
	gen(g, OP_OR, T_B32, t, t, move_bit(g, wide, a->bits - 1, 1));
	gen(g, OP_OR, T_B32, t, t, move_bit(g, ux, a->bits, 2));
	/* overflow: the sum does not fit `bits` bits with sign */
	gen(g, OP_SHL, T_B64, back, sx, imm(64 - a->bits));
	gen(g, OP_SHR, T_S64, back, back, imm(64 - a->bits));
	gen_setp(g, CMP_NE, T_S64, q, back, sx);
	struct opnd o = gen_t(g);
	gen(g, OP_SELP, T_B32, o, imm(8), imm(0), q);
	gen(g, OP_OR, T_B32, f, t, o);
	return r;
}
