/* Video instructions against the PTX manual's definition, written out on integers. */
#include "exec_harness.h"

typedef __int128 wide;

static wide field(uint64_t x, unsigned at, unsigned bits, bool sign)
{
	wide v = (wide)(x >> at & ((UINT64_C(1) << bits) - 1));
	return sign && v >> (bits - 1) ? v - ((wide)1 << bits) : v;
}
static wide limit(wide v, unsigned bits, bool sign)
{
	wide hi = ((wide)1 << (sign ? bits - 1 : bits)) - 1, lo = sign ? -hi - 1 : 0;
	return v > hi ? hi : v < lo ? lo : v;
}
static bool holds(unsigned cmp, wide a, wide b)
{
	return cmp == CMP_EQ   ? a == b
	       : cmp == CMP_NE ? a != b
	       : cmp == CMP_LT ? a < b
	       : cmp == CMP_LE ? a <= b
	       : cmp == CMP_GT ? a > b
			       : a >= b;
}

static const unsigned at_of[] = {0, 0, 8, 16, 24, 0, 16}, bits_of[] = {32, 8, 8, 8, 8, 16, 16};

static void ref_scalar(struct xlane *x, const void *arg)
{
	const struct inst *in = x->in;
	bool sign = in->type == T_S32;
	wide a = field(x->s[0], at_of[in->vsel[1]], bits_of[in->vsel[1]], in->atype == T_S32);
	wide b = field(x->s[1], at_of[in->vsel[2]], bits_of[in->vsel[2]], in->btype == T_S32), t;
	unsigned part = in->vsel[0], at = at_of[part], bits = bits_of[part];
	(void)arg;
	switch (in->op) {
	case OP_VADD: t = a + b; break;
	case OP_VSUB: t = a - b; break;
	case OP_VABSDIFF: t = a > b ? a - b : b - a; break;
	case OP_VMIN: t = a < b ? a : b; break;
	case OP_VMAX: t = a > b ? a : b; break;
	case OP_VSET: t = holds(in->cmp, a, b); break;
	default:
		b = in->mods & M_WRAP ? b % 32 : b > 32 ? 32 : b;
		t = in->op == OP_VSHL ? a * ((wide)1 << b) : a >> b;
	}
	if (in->mods & M_SAT)
		t = limit(t, bits, sign);
	wide tc = field((uint64_t)t, 0, 32, sign), c = field(x->s[2], 0, 32, sign);
	uint64_t ones = ((UINT64_C(1) << bits) - 1) << at;
	switch (in->mode) {
	case VSEC_NONE: x->d[0] = (uint64_t)t; break;
	case VSEC_ADD: x->d[0] = (uint64_t)(t + c); break;
	case VSEC_MIN: x->d[0] = (uint64_t)(tc < c ? tc : c); break;
	case VSEC_MAX: x->d[0] = (uint64_t)(tc > c ? tc : c); break;
	default: x->d[0] = ((uint64_t)t << at & ones) | (x->s[2] & ~ones);
	}
}

static const uint64_t few[] = {0, 0xffffffff, 0x80000000, 0x7fffffff, 0x80ff7f01, 0x1234fe21};
static const uint64_t third[] = {0x12345678, 0x80ff7f01, 0xfffe0021};

static void test_scalar(void **state)
{
	static const uint8_t ops[] = {OP_VADD, OP_VSUB, OP_VABSDIFF, OP_VMIN,
				      OP_VMAX, OP_VSHL, OP_VSHR,     OP_VSET};
	(void)state;
	for (unsigned k = 0; k < sizeof ops; k++)
		for (unsigned types = 0; types < 8; types++)
			for (unsigned mode = VSEC_NONE; mode <= VSEC_MRG_H1; mode++)
				for (unsigned form = 0; form < 4; form++) {
					struct xop x;
					bool shift = ops[k] == OP_VSHL || ops[k] == OP_VSHR;
					if (ops[k] == OP_VSET && (types & 1 || form & 1))
						continue;
					xop_make(&x, ops[k], types & 1 ? T_S32 : T_U32, 1,
						 mode ? 4 : 3, XT(T_U32, T_U32, T_U32, T_U32));
					x.in.atype = types & 2 ? T_S32 : T_U32;
					x.in.btype = types & 4 && !shift ? T_S32 : T_U32;
					x.in.mode = (uint8_t)mode;
					x.in.vsel[0] =
						mode >= VSEC_MRG_B0
							? (uint8_t)(VPART_B0 + mode - VSEC_MRG_B0)
							: 0;
					x.in.vsel[1] = (uint8_t)((form + mode + types) % 7);
					x.in.vsel[2] = (uint8_t)((form * 3 + mode) % 7);
					x.in.mods = (form & 1 ? M_SAT : 0) |
						    (form & 2 ? M_WRAP : M_CLAMP);
					x.in.cmp = (uint8_t)(CMP_EQ + (form + mode) % 6);
					xop_check(&x, bind_video, ref_scalar, NULL, XVALS(few),
						  XVALS(few), XVALS(third));
				}
}

static void ref_vmad(struct xlane *x, const void *arg)
{
	const struct inst *in = x->in;
	bool sa = in->atype == T_S32, sb = in->btype == T_S32;
	bool np = (inst_src(in, 0)->mod ^ inst_src(in, 1)->mod) & OPND_NEG,
	     nc = inst_src(in, 2)->mod & OPND_NEG;
	bool sign = sa || sb || np || nc;
	wide p = field(x->s[0], at_of[in->vsel[1]], bits_of[in->vsel[1]], sa) *
		 field(x->s[1], at_of[in->vsel[2]], bits_of[in->vsel[2]], sb);
	(void)arg;
	/* -c is the complement, extended, plus one: it equals the negation except for the
	 * extension. */
	wide c = field(nc ? ~x->s[2] & 0xffffffff : x->s[2], 0, 32, sign);
	wide t = (np ? -p : p) + c + (nc || in->mods & M_PO);
	for (unsigned k = 0; k < in->mode; k++)
		t = t < 0 ? (t - 1) / 2 : t / 2;
	if (in->mods & M_SAT)
		t = limit(t, 32, sign);
	x->d[0] = (uint64_t)t;
}

static void test_vmad(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 4 * 3 * 4 * 2; k++) {
		struct xop x;
		unsigned neg = k / 12 % 4;
		xop_make(&x, OP_VMAD, T_U32, 1, 4, XT(T_U32, T_U32, T_U32, T_U32));
		x.in.atype = k & 1 ? T_S32 : T_U32;
		x.in.btype = k & 2 ? T_S32 : T_U32;
		x.in.mode = (uint8_t[]){0, 7, 15}[k / 4 % 3];
		x.in.mods = (neg == 3 ? M_PO : 0) | (k >= 48 ? M_SAT : 0);
		x.opnd[1].mod = neg == 1 ? OPND_NEG : 0;
		x.opnd[3].mod = neg == 2 ? OPND_NEG : 0;
		x.in.vsel[1] = (uint8_t)(k % 7);
		x.in.vsel[2] = (uint8_t)(k % 3 * 3);
		xop_check(&x, bind_video, ref_vmad, NULL, XVALS(few), XVALS(few), XVALS(third));
	}
}

static void ref_simd(struct xlane *x, const void *arg)
{
	const struct inst *in = x->in;
	const unsigned *ops = arg; /* operation in the order below, elements */
	unsigned n = ops[1], bits = 32 / n;
	uint64_t v = x->s[1] << 32 | x->s[0], sum = x->s[2], d = 0;
	for (unsigned k = 0; k < n; k++) {
		wide a = field(v, (in->vsel[k] & 15) * bits, bits, in->atype == T_S32);
		wide b = field(v, (in->vsel[k] >> 4) * bits, bits, in->btype == T_S32), t = 0;
		switch (ops[0]) {
		case 0: t = a + b; break;
		case 1: t = a - b; break;
		case 2: t = a + b >= 0 ? (a + b + 1) / 2 : (a + b - 1) / 2; break;
		case 3: t = a > b ? a - b : b - a; break;
		case 4: t = a < b ? a : b; break;
		case 5: t = a > b ? a : b; break;
		case 6: t = holds(in->cmp, a, b); break;
		}
		if (in->mods & M_SAT)
			t = limit(t, bits, in->type == T_S32);
		if (!(in->vmask >> k & 1))
			t = field(x->s[2], k * bits, bits, false);
		else
			sum += (uint64_t)t;
		d |= ((uint64_t)t & ((1u << bits) - 1)) << k * bits;
	}
	x->d[0] = in->mode == VSEC_ADD ? sum : d;
}

static void test_simd(void **state)
{
	static const uint8_t op2[] = {OP_VADD2, OP_VSUB2, OP_VAVRG2, OP_VABSDIFF2,
				      OP_VMIN2, OP_VMAX2, OP_VSET2};
	static const uint8_t op4[] = {OP_VADD4, OP_VSUB4, OP_VAVRG4, OP_VABSDIFF4,
				      OP_VMIN4, OP_VMAX4, OP_VSET4};
	(void)state;
	for (unsigned k = 0; k < 7; k++)
		for (unsigned form = 0; form < 64; form++) {
			unsigned n = form & 32 ? 4 : 2, arg[] = {k, n};
			struct xop x;
			xop_make(&x, n == 4 ? op4[k] : op2[k], form & 1 ? T_S32 : T_U32, 1, 4,
				 XT(T_U32, T_U32, T_U32, T_U32));
			x.in.atype = form & 2 ? T_S32 : T_U32;
			x.in.btype = form & 4 ? T_S32 : T_U32;
			x.in.mode = form & 8 ? VSEC_ADD : VSEC_NONE;
			x.in.mods = form & 16 && !(form & 8) && k != 6 ? M_SAT : 0;
			x.in.cmp = (uint8_t)(CMP_EQ + form % 6);
			x.in.vmask = (uint8_t)(form % 3 ? (1u << n) - 1
							: 1 + xrandom() % ((1u << n) - 1));
			for (unsigned i = 0; i < n; i++)
				x.in.vsel[i] =
					(uint8_t)(xrandom() % (2 * n) | (xrandom() % (2 * n)) << 4);
			xop_check(&x, bind_video, ref_simd, arg, XVALS(few), XVALS(few),
				  XVALS(third));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalar),
		cmocka_unit_test(test_vmad),
		cmocka_unit_test(test_simd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
