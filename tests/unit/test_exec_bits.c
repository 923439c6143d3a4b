/* Bit counts, fields and dot products against bitwise references. */
#include "exec_harness.h"

static unsigned bit(uint64_t x, uint64_t k) { return k < 64 ? x >> k & 1 : 0; }

static void ref_count(struct xlane *x, const void *arg)
{
	unsigned n = type_bits(x->in->type), ones = 0, lead = 0;
	uint64_t rev = 0;
	(void)arg;
	for (unsigned k = 0; k < n; k++) {
		ones += bit(x->s[0], k);
		rev |= (uint64_t)bit(x->s[0], k) << (n - 1 - k);
	}
	while (lead < n && !bit(x->s[0], n - 1 - lead))
		lead++;
	x->d[0] = x->in->op == OP_POPC ? ones : x->in->op == OP_CLZ ? lead : rev;
}

static void ref_bfind(struct xlane *x, const void *arg)
{
	unsigned n = type_bits(x->in->type);
	unsigned skip = type_is_signed(x->in->type) ? bit(x->s[0], n - 1) : 0;
	(void)arg;
	x->d[0] = 0xffffffff;
	for (unsigned k = 0; k < n; k++)
		if (bit(x->s[0], k) != skip)
			x->d[0] = x->in->mods & M_SHIFTAMT ? n - 1 - k : k;
}

static void test_count(void **state)
{
	static const uint8_t ops[] = {OP_POPC, OP_CLZ, OP_BREV};
	static const uint8_t types[] = {T_U32, T_S32, T_U64, T_S64};
	struct xop x;
	(void)state;
	for (unsigned k = 0; k < 6; k++) {
		uint8_t t = k & 1 ? T_B64 : T_B32;
		xop_make(&x, ops[k / 2], t, 1, 2,
			 XT(ops[k / 2] == OP_BREV ? t : (uint8_t)T_U32, t));
		xop_check(&x, bind_bits, ref_count, NULL, xvals_of(t));
	}
	for (unsigned k = 0; k < 8; k++) {
		xop_make(&x, OP_BFIND, types[k / 2], 1, 2, XT(T_U32, types[k / 2]));
		x.in.mods = k & 1 ? M_SHIFTAMT : 0;
		xop_check(&x, bind_bits, ref_bfind, NULL, xvals_of(types[k / 2]));
	}
}

static void ref_fns(struct xlane *x, const void *arg)
{
	int32_t n = (int32_t)x->s[2], step = n < 0 ? -1 : 1;
	(void)arg;
	x->d[0] = 0xffffffff;
	if (x->s[1] > 31)
		return;
	if (n == 0)
		n = bit(x->s[0], x->s[1]) ? 1 : 99;
	for (int k = (int)x->s[1]; k >= 0 && k < 32; k += step)
		if (bit(x->s[0], (uint64_t)k) && (n -= step) == 0) {
			x->d[0] = (uint64_t)k;
			return;
		}
}

/* Field of len bits at pos: bits beyond the word and the field are the sign, or zero. */
static void ref_bfe(struct xlane *x, const void *arg)
{
	unsigned n = type_bits(x->in->type);
	uint64_t pos = x->s[1], len = x->s[2], d = 0;
	(void)arg;
	if (n == 32) {
		pos &= 0xff;
		len &= 0xff;
	}
	unsigned sign = type_is_signed(x->in->type) && len
				? bit(x->s[0], pos + len - 1 < n ? pos + len - 1 : n - 1)
				: 0;
	for (unsigned k = 0; k < n; k++)
		d |= (uint64_t)(k < len && pos + k < n ? bit(x->s[0], pos + k) : sign) << k;
	x->d[0] = d;
}

static void ref_bfi(struct xlane *x, const void *arg)
{
	unsigned n = type_bits(x->in->type);
	uint64_t pos = x->s[2], len = x->s[3], d = x->s[1];
	(void)arg;
	if (n == 32) {
		pos &= 0xff;
		len &= 0xff;
	}
	for (uint64_t k = 0; k < len && pos + k < n; k++)
		d = (d & ~(UINT64_C(1) << (pos + k))) | (uint64_t)bit(x->s[0], k) << (pos + k);
	x->d[0] = d;
}

static void ref_mask(struct xlane *x, const void *arg)
{
	bool wrap = x->in->mode == WM_WRAP;
	uint64_t a = x->s[0], n = wrap ? x->s[1] & 31 : x->s[1], d = 0;
	(void)arg;
	if (x->in->op == OP_BMSK) {
		uint64_t pos = wrap ? a & 31 : a;
		for (unsigned k = 0; k < 32; k++)
			d |= (uint64_t)(k >= pos && k < pos + n) << k;
	} else {
		for (unsigned k = 0; k < 32; k++) {
			unsigned top = type_is_signed(x->in->type) && n ? bit(a, n - 1) : 0;
			d |= (uint64_t)(k < n ? bit(a, k) : top) << k;
		}
	}
	x->d[0] = d;
}

static void test_fields(void **state)
{
	static const uint64_t off[] = {0,  1,  2,          3,          8,          16,        31,
				       32, 33, 0xffffffff, 0xfffffffe, 0xfffffff0, 0x80000000};
	static const uint64_t pos[] = {0,  1,  5,  8,   31,  32,    33,        40,
				       63, 64, 65, 255, 256, 0x101, 0xffffffff};
	static const uint8_t types[] = {T_U32, T_S32, T_U64, T_S64};
	struct xop x;
	(void)state;
	xop_make(&x, OP_FNS, T_B32, 1, 4, XT(T_B32, T_B32, T_B32, T_S32));
	xop_check(&x, bind_bits, ref_fns, NULL, xvals_of(T_B32), XVALS(pos), XVALS(off));
	for (unsigned k = 0; k < 4; k++) {
		xop_make(&x, OP_BFE, types[k], 1, 4, XT(types[k], types[k], T_U32, T_U32));
		xop_check(&x, bind_bits, ref_bfe, NULL, xvals_short(types[k]), XVALS(pos),
			  XVALS(pos));
	}
	for (unsigned k = 0; k < 2; k++) {
		uint8_t t = k ? T_B64 : T_B32;
		xop_make(&x, OP_BFI, t, 1, 5, XT(t, t, t, T_U32, T_U32));
		static const uint64_t few[] = {0, ~UINT64_C(0), 0x0123456789abcdef};
		xop_check(&x, bind_bits, ref_bfi, NULL, XVALS(few), XVALS(few), XVALS(pos),
			  XVALS(pos));
	}
	for (unsigned k = 0; k < 6; k++) {
		uint8_t t = k < 2 ? T_B32 : k < 4 ? T_U32 : T_S32;
		xop_make(&x, k < 2 ? OP_BMSK : OP_SZEXT, t, 1, 3, XT(t, t, T_U32));
		x.in.mode = k & 1 ? WM_WRAP : WM_CLAMP;
		xop_check(&x, bind_bits, ref_mask, NULL, k < 2 ? XVALS(pos) : xvals_of(t),
			  XVALS(pos));
	}
}

static void ref_dot(struct xlane *x, const void *arg)
{
	const struct inst *in = x->in;
	unsigned n = in->op == OP_DP4A ? 4 : 2, w = 32 / n, first = in->mode == MUL_HI ? 2 : 0;
	int64_t sum = (int64_t)x->s[2];
	(void)arg;
	for (unsigned k = 0; k < n; k++) {
		int64_t a = (int64_t)(x->s[0] >> k * w & ((1u << w) - 1));
		int64_t b = (int64_t)(x->s[1] >> (first + k) * 8 & 0xff);
		if (type_is_signed(in->atype) && a >> (w - 1))
			a -= 1 << w;
		if (type_is_signed(in->btype) && b >> 7)
			b -= 256;
		sum += a * b;
	}
	x->d[0] = (uint64_t)sum;
}

static void test_dot(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 12; k++) {
		struct xop x;
		xop_make(&x, k < 4 ? OP_DP4A : OP_DP2A, T_S32, 1, 4,
			 XT(T_U32, T_U32, T_U32, T_U32));
		x.in.atype = k & 1 ? T_S32 : T_U32;
		x.in.btype = k & 2 ? T_S32 : T_U32;
		x.in.mode = k < 4 ? MUL_NONE : k < 8 ? MUL_LO : MUL_HI;
		xop_check(&x, bind_bits, ref_dot, NULL, xvals_of(T_U32), xvals_of(T_U32),
			  xvals_short(T_U32));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_dot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
