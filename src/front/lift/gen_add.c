/* The adder with all that it can have at once: a carry in, saturation, flags, 16 or 32 bits. Sums
 * are made in 64 bits, once with the operands' signs and once without; forms that PTX has a
 * statement for are written without this. */
#include "front/lift/gen.h"

/* Bit `at` of a value of 64 bits as bit `to` of a word. */
static const char *bit(struct ngen *g, const char *d, unsigned at, unsigned to)
{
	const char *s = gen_d(g), *t = gen_t(g);
	gen(g, "shr.u64 %s, %s, %u", s, d, at);
	gen(g, "and.b64 %s, %s, 1", s, s);
	gen(g, "cvt.u32.u64 %s, %s", t, s);
	gen(g, "shl.b32 %s, %s, %u", t, t, to);
	return t;
}

/* An operand's bits, its complement's for a difference; *u, *s: without and with sign, in 64 bits.
 */
static void extend(struct ngen *g, const char *v, bool complement, unsigned bits, const char **u,
		   const char **s)
{
	const char *t = gen_t(g);
	gen(g, "%s.b32 %s, %s", complement ? "not" : "mov", t, v);
	*u = gen_d(g), *s = gen_d(g);
	gen(g, "bfe.s32 %s, %s, 0, %u", t, t, bits);
	gen(g, "cvt.s64.s32 %s, %s", *s, t);
	gen(g, "and.b64 %s, %s, 0x%llx", *u, *s, (1ull << bits) - 1);
}

/* What comes in below the lowest bit. */
static const char *carry_in(struct ngen *g, const struct gen_sum *a)
{
	const char *t = gen_t(g), *c = gen_d(g);
	gen(g, "mov.u32 %s, %s", t,
	    a->carry                              ? a->carry
	    : a->neg_x || a->neg_y || a->plus_one ? "4"
						  : "0");
	gen(g, "bfe.u32 %s, %s, 2, 1", t, t);
	gen(g, "cvt.u64.u32 %s, %s", c, t);
	return c;
}

const char *gen_sum(struct ngen *g, const struct gen_sum *a)
{
	const char *ux, *sx, *uy, *sy, *c = carry_in(g, a), *r = gen_t(g), *wide = gen_d(g),
				       *back = gen_d(g);
	extend(g, a->x, a->neg_x, a->bits, &ux, &sx);
	extend(g, a->y, a->neg_y, a->bits, &uy, &sy);
	gen(g, "add.s64 %s, %s, %s", sx, sx, sy);
	gen(g, "add.s64 %s, %s, %s", sx, sx, c); /* the sum */
	gen(g, "add.s64 %s, %s, %s", ux, ux, uy);
	gen(g, "add.s64 %s, %s, %s", ux, ux, c); /* its carry is bit `bits` */
	gen(g, "mov.b64 %s, %s", wide, sx);
	if (a->saturate) {
		gen(g, "max.s64 %s, %s, %lld", wide, wide, -(1ll << (a->bits - 1)));
		gen(g, "min.s64 %s, %s, %lld", wide, wide, (1ll << (a->bits - 1)) - 1);
	}
	gen(g, "cvt.u32.u64 %s, %s", r, wide);
	if (a->bits < 32)
		gen(g, "and.b32 %s, %s, 0x%x", r, r, (1u << a->bits) - 1);
	if (!a->flags)
		return r;
	const char *t = gen_t(g), *q = gen_q(g), *f = a->flags;
	gen(g, "setp.eq.u32 %s, %s, 0", q, r);
	gen(g, "selp.b32 %s, 1, 0, %s", t, q);
	gen(g, "or.b32 %s, %s, %s", t, t, bit(g, wide, a->bits - 1, 1));
	gen(g, "or.b32 %s, %s, %s", t, t, bit(g, ux, a->bits, 2));
	/* overflow: the sum is none of `bits` bits with sign */
	gen(g, "shl.b64 %s, %s, %u", back, sx, 64 - a->bits);
	gen(g, "shr.s64 %s, %s, %u", back, back, 64 - a->bits);
	gen(g, "setp.ne.s64 %s, %s, %s", q, back, sx);
	const char *o = gen_t(g);
	gen(g, "selp.b32 %s, 8, 0, %s", o, q);
	gen(g, "or.b32 %s, %s, %s", f, t, o);
	return r;
}
