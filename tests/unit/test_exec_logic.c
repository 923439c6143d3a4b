/* Logic, shifts, permutation and moves against bit-by-bit references. */
#include "exec_harness.h"

static uint64_t sext(uint64_t x, unsigned bits)
{
	return bits < 64 && x >> (bits - 1) & 1 ? x | ~UINT64_C(0) << bits : x;
}

static void ref_bitwise(struct xlane *x, const void *arg)
{
	(void)arg;
	uint64_t a = x->s[0], b = x->s[1];
	if (x->in->type != T_PRED) {
		a = inst_src(x->in, 0)->mod & OPND_NOT ? ~a : a;
		b = x->in->ns > 1 && inst_src(x->in, 1)->mod & OPND_NOT ? ~b : b;
	}
	switch (x->in->op) {
	case OP_AND: x->d[0] = a & b; break;
	case OP_OR: x->d[0] = a | b; break;
	case OP_XOR: x->d[0] = a ^ b; break;
	case OP_NOT: x->d[0] = ~a; break;
	case OP_CNOT: x->d[0] = a == 0; break;
	}
}

static void test_bitwise(void **state)
{
	static const uint8_t ops[] = {OP_AND, OP_OR, OP_XOR, OP_NOT, OP_CNOT};
	static const uint8_t types[] = {T_PRED, T_B16, T_B32, T_B64};
	(void)state;
	for (unsigned k = 0; k < sizeof ops; k++)
		for (unsigned t = 0; t < sizeof types; t++)
			for (unsigned neg = 0; neg < 4; neg++) {
				uint8_t ty = types[t];
				bool one = ops[k] == OP_NOT || ops[k] == OP_CNOT;
				struct xop x;
				if ((ops[k] == OP_CNOT && ty == T_PRED) ||
				    (neg && (one || ty == T_B64)))
					continue;
				xop_make(&x, ops[k], ty, 1, one ? 2 : 3, XT(ty, ty, ty));
				x.opnd[1].mod = neg & 1 ? OPND_NOT : 0;
				x.opnd[2].mod = neg & 2 ? OPND_NOT : 0;
				xop_check(&x, bind_logic, ref_bitwise, NULL, xvals_of(ty),
					  xvals_of(ty));
			}
}

static void test_pred_constant(void **state)
{
	(void)state;
	for (int64_t imm = 0; imm < 2; imm++) {
		struct xop x;
		xop_make(&x, OP_XOR, T_PRED, 1, 3, XT(T_PRED, T_PRED, T_PRED));
		x.opnd[2].kind = OPND_IMM;
		x.opnd[2].imm = imm;
		xop_check(&x, bind_logic, ref_bitwise, NULL, xvals_of(T_PRED), xvals_of(T_PRED));
	}
}

static void ref_lop3(struct xlane *x, const void *arg)
{
	uint32_t r = 0;
	(void)arg;
	for (unsigned k = 0; k < 32; k++) {
		unsigned ix = (unsigned)((x->s[0] >> k & 1) << 2 | (x->s[1] >> k & 1) << 1 |
					 (x->s[2] >> k & 1));
		r |= (uint32_t)(x->in->imm >> ix & 1) << k;
	}
	x->d[0] = r;
	if (x->in->nd == 2)
		x->d[1] = x->in->bop == BOP_OR ? (r != 0) | x->s[3] : (r != 0) & x->s[3];
}

static void test_lop3(void **state)
{
	(void)state;
	for (unsigned table = 0; table < 256; table++) {
		struct xop x;
		xop_make(&x, OP_LOP3, T_B32, 1, 4, XT(T_B32, T_B32, T_B32, T_B32));
		x.in.imm = table;
		static const uint64_t few[] = {0x0f0f3355, 0xff00f00f, 0xaaaaaaaa};
		xop_check(&x, bind_logic, ref_lop3, NULL, XVALS(few), XVALS(few), XVALS(few));
	}
	for (unsigned k = 0; k < 8; k++) {
		struct xop x;
		xop_make(&x, OP_LOP3, T_B32, 2, 6, XT(T_B32, T_PRED, T_B32, T_B32, T_B32, T_PRED));
		x.in.imm = k & 1 ? 0x80 : 0x96;
		x.in.bop = k & 2 ? BOP_OR : BOP_AND;
		x.opnd[5].mod = k & 1 ? OPND_NOT : 0;
		if (k & 4)
			x.opnd[0].kind = OPND_SINK;
		static const uint64_t few[] = {0, 1, 0x80000000, 0xffffffff};
		xop_check(&x, bind_logic, ref_lop3, NULL, XVALS(few), XVALS(few), XVALS(few),
			  xvals_of(T_PRED));
	}
}

static void ref_shift(struct xlane *x, const void *arg)
{
	unsigned bits = type_bits(x->in->type);
	uint64_t n = x->s[1], a = x->s[0];
	(void)arg;
	if (x->in->op == OP_SHL)
		x->d[0] = n >= bits ? 0 : a << n;
	else if (type_is_signed(x->in->type))
		x->d[0] = (uint64_t)((int64_t)sext(a, bits) >> (n > 63 ? 63 : n));
	else
		x->d[0] = n >= bits ? 0 : a >> n;
}

static void test_shift(void **state)
{
	static const uint8_t types[] = {T_B16, T_U16, T_S16, T_B32, T_U32,
					T_S32, T_B64, T_U64, T_S64};
	(void)state;
	for (unsigned t = 0; t < sizeof types; t++)
		for (int right = 0; right < 2; right++) {
			struct xop x;
			uint8_t ty = types[t];
			xop_make(&x, right ? OP_SHR : OP_SHL, ty, 1, 3, XT(ty, ty, T_U32));
			xop_check(&x, bind_logic, ref_shift, NULL, xvals_of(ty), xvals_of(T_U32));
			for (int64_t n = 0; n < 70; n++) {
				static const uint64_t any[] = {0};
				x.opnd[2].kind = OPND_IMM;
				x.opnd[2].imm = n == 69 ? 0xffffffff : n;
				xop_check(&x, bind_logic, ref_shift, NULL, xvals_of(ty),
					  XVALS(any));
			}
		}
}

static void ref_shf(struct xlane *x, const void *arg)
{
	uint64_t v = x->s[1] << 32 | x->s[0], n = x->s[2];
	bool wrap = x->in->mode == SHF_L_WRAP || x->in->mode == SHF_R_WRAP;
	(void)arg;
	n = wrap ? n & 31 : n > 32 ? 32 : n;
	x->d[0] = x->in->mode <= SHF_L_WRAP ? (v << n) >> 32 : v >> n;
}

static const char *const prmt_text[][4] = {
	/* byte numbers of d, most significant first */
	[PRMT_F4E] = {"3210", "4321", "5432", "6543"},
	[PRMT_B4E] = {"5670", "6701", "7012", "0123"},
	[PRMT_RC8] = {"0000", "1111", "2222", "3333"},
	[PRMT_ECL] = {"3210", "3211", "3222", "3333"},
	[PRMT_ECR] = {"0000", "1110", "2210", "3210"},
	[PRMT_RC16] = {"1010", "3232", "1010", "3232"},
};
static void ref_prmt(struct xlane *x, const void *arg)
{
	uint64_t v = x->s[1] << 32 | x->s[0], d = 0;
	(void)arg;
	for (unsigned k = 0; k < 4; k++) {
		unsigned sel = (unsigned)(x->s[2] >> 4 * k & 15);
		if (x->in->mode != PRMT_INDEX)
			sel = (unsigned)(prmt_text[x->in->mode][x->s[2] & 3][3 - k] - '0');
		uint64_t byte = v >> 8 * (sel & 7) & 0xff;
		if (sel & 8)
			byte = byte & 0x80 ? 0xff : 0;
		d |= byte << 8 * k;
	}
	x->d[0] = d;
}

static void test_shf_prmt(void **state)
{
	static const uint64_t sel[] = {0x3210, 0x7654,     0xfedc, 0xba98, 0x0123,
				       0x8f07, 0x10005416, 1,      2,      3};
	struct xop x;
	(void)state;
	for (uint8_t mode = SHF_L_CLAMP; mode <= SHF_R_WRAP; mode++) {
		xop_make(&x, OP_SHF, T_B32, 1, 4, XT(T_B32, T_B32, T_B32, T_U32));
		x.in.mode = mode;
		xop_check(&x, bind_logic, ref_shf, NULL, xvals_short(T_B32), xvals_short(T_B32),
			  xvals_of(T_U32));
	}
	for (uint8_t mode = PRMT_INDEX; mode <= PRMT_RC16; mode++) {
		xop_make(&x, OP_PRMT, T_B32, 1, 4, XT(T_B32, T_B32, T_B32, T_B32));
		x.in.mode = mode;
		xop_check(&x, bind_logic, ref_prmt, NULL, xvals_short(T_B32), xvals_short(T_B32),
			  XVALS(sel));
		x.opnd[3].kind = OPND_IMM;
		for (unsigned k = 0; k < sizeof sel / sizeof *sel; k++) {
			x.opnd[3].imm = (int64_t)sel[k];
			xop_check(&x, bind_logic, ref_prmt, NULL, xvals_short(T_B32),
				  xvals_short(T_B32), XVALS(xv_pred));
		}
	}
}

/* ---- moves ---- */
static void ref_mov(struct xlane *x, const void *arg)
{
	(void)arg;
	x->d[0] = x->in->op == OP_CREATEPOLICY ? 0 : x->s[0];
}

static void ref_pack(struct xlane *x, const void *arg)
{
	unsigned n = x->in->ns, bits = type_bits(x->in->type) / n;
	(void)arg;
	x->d[0] = 0;
	for (unsigned k = 0; k < n; k++)
		x->d[0] |= (x->s[k] & (bits == 32 ? 0xffffffff : (1u << bits) - 1)) << k * bits;
}

static void ref_unpack(struct xlane *x, const void *arg)
{
	unsigned bits = type_bits(x->in->type) / x->in->nd;
	(void)arg;
	for (unsigned k = 0; k < x->in->nd; k++)
		x->d[k] = x->s[0] >> k * bits;
}

static void test_mov(void **state)
{
	static const uint8_t types[] = {T_PRED, T_B16, T_U32, T_F32, T_B64, T_F64};
	struct xop x;
	(void)state;
	for (unsigned t = 0; t < sizeof types; t++) {
		xop_make(&x, OP_MOV, types[t], 1, 2, XT(types[t], types[t]));
		xop_check(&x, bind_mov, ref_mov, NULL, xvals_of(types[t]));
	}
	xop_make(&x, OP_MOV, T_PRED, 1, 2, XT(T_PRED, T_PRED));
	x.opnd[1].mod = OPND_NOT;
	xop_check(&x, bind_mov, ref_mov, NULL, xvals_of(T_PRED));
	xop_make(&x, OP_CREATEPOLICY, T_B64, 1, 1, XT(T_B64));
	xop_check_v(&x, bind_mov, ref_mov, NULL, NULL);
}

static void test_pack(void **state)
{
	static const struct {
		uint8_t whole, piece, n;
	} shape[] = {
		{T_B16, T_B8, 2},  {T_B32, T_B8, 4},  {T_B32, T_B16, 2},
		{T_B64, T_B16, 4}, {T_B64, T_B32, 2},
	};
	(void)state;
	for (unsigned s = 0; s < sizeof shape / sizeof *shape; s++) {
		uint8_t w = shape[s].whole, p = shape[s].piece;
		static const uint64_t few[] = {0x12345678, 0xfedcba98, 0xaa};
		struct xop x;
		/* A b8 piece lives in a b16 or wider register, so its upper bits are arbitrary
		 * too. */
		xop_make(&x, OP_PACK, w, 1, 1u + shape[s].n, XT(w, p, p, p, p));
		xop_check(&x, bind_mov, ref_pack, NULL, XVALS(few), XVALS(few), XVALS(few),
			  XVALS(few));
		for (unsigned sink = 0; sink <= shape[s].n; sink++) {
			xop_make(&x, OP_UNPACK, w, shape[s].n, 1u + shape[s].n,
				 shape[s].n == 2 ? XT(p, p, w) : XT(p, p, p, p, w));
			if (sink < shape[s].n)
				x.opnd[sink].kind = OPND_SINK;
			xop_check(&x, bind_mov, ref_unpack, NULL, xvals_of(w));
		}
	}
}

/* b128: to and from {b64, b64} and {b32, b32, b32, b32}, and a plain move. */
static void test_b128(void **state)
{
	static _Alignas(ROW) uint32_t row[32][LANES];
	(void)state;
	for (unsigned n = 2; n <= 4; n += 2) {
		struct xop pack, mov, unpack;
		uint8_t p = n == 2 ? T_B64 : T_B32;
		int32_t step = (int32_t)(4 / n) * ROW;
		xop_make(&pack, OP_PACK, T_B128, 1, 1 + n, XT(T_B128, p, p, p, p));
		xop_make(&mov, OP_MOV, T_B128, 1, 2, XT(T_B128, T_B128));
		xop_make(&unpack, OP_UNPACK, T_B128, n, 1 + n,
			 n == 2 ? XT(p, p, T_B128) : XT(p, p, p, p, T_B128));
		int32_t v1[5] = {8 * ROW}, v2[2] = {16 * ROW, 8 * ROW}, v3[5];
		for (unsigned k = 0; k < n; k++) {
			v1[1 + k] = (int32_t)k * step;
			v3[k] = 24 * ROW + (int32_t)k * step;
		}
		v3[n] = 16 * ROW;
		struct uop u1 = {.d = v1[0], .a = v1[1], .b = v1[2], .v = v1, .in = &pack.in};
		struct uop u2 = {.d = v2[0], .a = v2[1], .v = v2, .in = &mov.in};
		struct uop u3 = {.d = v3[0], .a = v3[n], .v = v3, .in = &unpack.in};
		assert_true(bind_mov(&pack.in, &u1) && bind_mov(&mov.in, &u2) &&
			    bind_mov(&unpack.in, &u3));
		for (unsigned pass = 0; pass < 2; pass++) {
			struct warp w = {.base = {(uint8_t *)row}, .mask = pass ? 0x00ff0f01 : ~0u};
			for (unsigned r = 0; r < 32; r++)
				for (unsigned l = 0; l < LANES; l++)
					row[r][l] = r * 1000 + l;
			(pass ? u1.part : u1.full)(&w, &u1);
			(pass ? u2.part : u2.full)(&w, &u2);
			(pass ? u3.part : u3.full)(&w, &u3);
			for (unsigned r = 0; r < 32; r++)
				for (unsigned l = 0; l < LANES; l++) {
					bool written = r % 8 < 4 && w.mask >> l & 1;
					assert_int_equal(row[r][l],
							 (written ? r % 8 : r) * 1000 + l);
				}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bitwise),  cmocka_unit_test(test_pred_constant),
		cmocka_unit_test(test_lop3),     cmocka_unit_test(test_shift),
		cmocka_unit_test(test_shf_prmt), cmocka_unit_test(test_mov),
		cmocka_unit_test(test_pack),     cmocka_unit_test(test_b128),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
