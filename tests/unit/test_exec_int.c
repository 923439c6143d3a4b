/* Integer arithmetic against references in 128-bit arithmetic. */
#include "exec_harness.h"

typedef __int128 wide;

static bool is_signed(unsigned t) { return type_is_signed(t); }
static unsigned part_bits(unsigned t) { return t == T_S16X2 || t == T_U16X2 ? 16 : type_bits(t); }

/* The value of the low bits of x in type t. */
static wide val(uint64_t x, unsigned t)
{
	unsigned n = part_bits(t);
	wide v = (wide)(n >= 64 ? x : x & ((UINT64_C(1) << n) - 1));
	return is_signed(t) && v >> (n - 1) & 1 ? v - ((wide)1 << n) : v;
}
static wide clamp32(wide v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v; }
static wide mask128(wide v, unsigned n)
{
	return (wide)((unsigned __int128)v & (((unsigned __int128)1 << n) - 1));
}

static wide product(const struct inst *in, wide a, wide b)
{
	wide p = (wide)((unsigned __int128)a * (unsigned __int128)b);
	if (in->mode != MUL_HI)
		return p;
	return is_signed(in->type) ? p >> type_bits(in->type)
				   : (wide)((unsigned __int128)p >> type_bits(in->type));
}

/* Low 128 bits of a sum that may overflow. */
static wide plus(wide a, wide b) { return (wide)((unsigned __int128)a + (unsigned __int128)b); }

static wide arith(const struct inst *in, wide a, wide b, wide c)
{
	wide r = 0;
	switch (in->op) {
	case OP_ADD: r = a + b; break;
	case OP_SUB: r = a - b; break;
	case OP_MUL: r = product(in, a, b); break;
	case OP_MAD: r = plus(product(in, a, b), c); break;
	case OP_SAD: r = (a < b ? b - a : a - b) + c; break;
	case OP_DIV: r = b == 0 ? -1 : a / b; break;
	case OP_REM: r = b == 0 ? -1 : a % b; break;
	case OP_ABS: r = a < 0 ? -a : a; break;
	case OP_NEG: r = -a; break;
	case OP_MIN: r = a < b ? a : b; break;
	case OP_MAX: r = a > b ? a : b; break;
	}
	if (in->mods & M_SAT)
		r = clamp32(r);
	if (in->mods & M_RELU && r < 0)
		r = 0;
	return r;
}

static void ref_arith(struct xlane *x, const void *arg)
{
	const struct inst *in = x->in;
	unsigned t = in->type, n = part_bits(t);
	unsigned ct = in->ns > 2 ? inst_src(in, 2)->type : t;
	(void)arg;
	x->d[0] = 0;
	for (unsigned k = 0; k < type_bits(t); k += n) {
		wide c = in->mode == MUL_WIDE ? (wide)x->s[2] : val(x->s[2] >> k, ct);
		wide r = arith(in, val(x->s[0] >> k, t), val(x->s[1] >> k, t), c);
		x->d[0] |= n == type_bits(t) ? (uint64_t)r : (uint64_t)mask128(r, n) << k;
	}
}

static void check(unsigned op, unsigned type, unsigned mode, uint32_t mods)
{
	static const uint8_t ns_of[OP_COUNT] = {
		[OP_MAD] = 3,
		[OP_SAD] = 3,
		[OP_ABS] = 1,
		[OP_NEG] = 1,
	};
	unsigned ns = ns_of[op] ? ns_of[op] : 2;
	unsigned dt = mode != MUL_WIDE ? type : type_bits(type) == 16 ? T_U32 : T_U64;
	struct xop x;
	xop_make(&x, op, type, 1, 1 + ns,
		 XT((uint8_t)dt, (uint8_t)type, (uint8_t)type, (uint8_t)dt));
	x.in.mode = (uint8_t)mode;
	x.in.mods = mods;
	if (ns == 3)
		xop_check(&x, bind_int, ref_arith, NULL, xvals_short(type), xvals_short(type),
			  xvals_short(dt));
	else
		xop_check(&x, bind_int, ref_arith, NULL, xvals_of(type), xvals_of(type));
}

static const uint8_t all[] = {T_U16, T_S16, T_U32, T_S32, T_U64, T_S64};

static void test_arith(void **state)
{
	static const uint8_t ops[] = {OP_ADD, OP_SUB, OP_SAD, OP_DIV, OP_REM, OP_MIN, OP_MAX};
	(void)state;
	for (unsigned t = 0; t < sizeof all; t++) {
		for (unsigned k = 0; k < sizeof ops; k++)
			check(ops[k], all[t], MUL_NONE, 0);
		if (is_signed(all[t])) {
			check(OP_ABS, all[t], MUL_NONE, 0);
			check(OP_NEG, all[t], MUL_NONE, 0);
		}
	}
	check(OP_ADD, T_S32, MUL_NONE, M_SAT);
	check(OP_SUB, T_S32, MUL_NONE, M_SAT);
}

static void test_packed(void **state)
{
	static const uint8_t ops[] = {OP_ADD, OP_SUB, OP_MIN, OP_MAX};
	(void)state;
	for (unsigned k = 0; k < sizeof ops; k++) {
		check(ops[k], T_U16X2, MUL_NONE, 0);
		check(ops[k], T_S16X2, MUL_NONE, 0);
	}
	for (unsigned k = 2; k < sizeof ops; k++) {
		check(ops[k], T_S16X2, MUL_NONE, M_RELU);
		check(ops[k], T_S32, MUL_NONE, M_RELU);
	}
}

static void test_mul(void **state)
{
	(void)state;
	for (unsigned t = 0; t < sizeof all; t++)
		for (unsigned mode = MUL_LO; mode <= MUL_WIDE; mode++)
			if (mode != MUL_WIDE || type_bits(all[t]) < 64) {
				check(OP_MUL, all[t], mode, 0);
				check(OP_MAD, all[t], mode, 0);
			}
	check(OP_MAD, T_S32, MUL_HI, M_SAT);
}

static void ref_24(struct xlane *x, const void *arg)
{
	bool s = x->in->type == T_S32;
	wide a = x->s[0] & 0xffffff, b = x->s[1] & 0xffffff;
	(void)arg;
	if (s && a >> 23)
		a -= 1 << 24;
	if (s && b >> 23)
		b -= 1 << 24;
	wide p = a * b;
	wide r = x->in->mode == MUL_HI ? p >> 16 : p;
	if (x->in->op == OP_MAD24)
		r += s ? (wide)(int32_t)x->s[2] : (wide)x->s[2];
	if (x->in->mods & M_SAT)
		r = clamp32(r);
	x->d[0] = (uint64_t)r;
}

static void test_mul24(void **state)
{
	(void)state;
	for (int k = 0; k < 9; k++) {
		unsigned t = k & 1 || k == 8 ? T_S32 : T_U32;
		bool mad = k & 4 || k == 8;
		struct xop x;
		xop_make(&x, mad ? OP_MAD24 : OP_MUL24, t, 1, mad ? 4 : 3,
			 XT((uint8_t)t, (uint8_t)t, (uint8_t)t, (uint8_t)t));
		x.in.mode = k & 2 || k == 8 ? MUL_HI : MUL_LO;
		x.in.mods = k == 8 ? M_SAT : 0;
		xop_check(&x, bind_int, ref_24, NULL, xvals_of(t), xvals_of(t), xvals_short(t));
	}
}

/* CF is the carry of the addition; a subtraction adds the complement. */
static void ref_carry(struct xlane *x, const void *arg)
{
	const struct inst *in = x->in;
	unsigned n = type_bits(in->type), op = in->op;
	bool mad = op == OP_MAD || op == OP_MADC
	, sub = op == OP_SUB || op == OP_SUBC;
	bool cin = op == OP_ADDC || op == OP_SUBC || op == OP_MADC;
	wide a = (wide)x->s[0], b = (wide)x->s[1];
	(void)arg;
	if (mad) {
		a = mask128(product(in, val(x->s[0], in->type), val(x->s[1], in->type)), n);
		b = (wide)x->s[2];
	}
	wide r = a + (sub ? mask128(~b, n) : b) + (cin ? (wide)x->cc[CC_C] : sub);
	x->d[0] = (uint64_t)r;
	if (!(in->mods & M_CC))
		return;
	unsigned st = n == 64 ? T_S64 : T_S32;
	wide exact = val((uint64_t)a, st) +
		     (sub ? -val((uint64_t)b, st) - 1 : val((uint64_t)b, st)) +
		     (cin ? (wide)x->cc[CC_C] : sub);
	x->cc[CC_C] = (uint32_t)(r >> n & 1);
	x->cc[CC_Z] = mask128(r, n) == 0;
	x->cc[CC_S] = (uint32_t)(r >> (n - 1) & 1);
	x->cc[CC_O] = exact != val((uint64_t)r, st);
}

static void test_carry(void **state)
{
	static const uint8_t ops[] = { OP_ADD, OP_ADDC, OP_SUB, OP_SUBC, OP_MAD, OP_MADC };
	(void)state;
	for (unsigned t = 2; t < sizeof all; t++)
		for (unsigned k = 0; k < sizeof ops; k++)
			for (int cc = 0; cc < 2; cc++)
				for (unsigned mode = MUL_LO; mode <= MUL_HI; mode++) {
					bool mad = ops[k] == OP_MAD || ops[k] == OP_MADC;
					uint8_t ty = all[t];
					struct xop x;
					if (!mad && mode == MUL_HI)
						continue;
					xop_make(&x, ops[k], ty, 1, mad ? 4 : 3,
						 XT(ty, ty, ty, ty));
					x.in.mode = mad ? (uint8_t)mode : MUL_NONE;
					x.in.mods = cc ? M_CC : 0;
					xop_check(&x, bind_int, ref_carry, NULL, xvals_short(ty),
						  xvals_short(ty), xvals_short(ty));
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arith), cmocka_unit_test(test_packed),
		cmocka_unit_test(test_mul),   cmocka_unit_test(test_mul24),
		cmocka_unit_test(test_carry),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
