/* Matrix operations. Fragments are filled by the formulas of the PTX manual, one element at a time;
 * operands are small integers, so that every type and order of summation gives the same sums. wmma
 * and ldmatrix/stmatrix run as programs, whose fragments only the library sees. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/alu/float.h"
#include "heddle.h"

static uint32_t rows[40][LANES];
static unsigned rnd(void)
{
	static uint32_t s = 12345;
	s = s * 1664525 + 1013904223;
	return s >> 16;
}

/* An 8-bit float with m fraction bits. */
static uint64_t tiny(int v, unsigned m, unsigned bias)
{
	unsigned mag = (unsigned)abs(v), e = mag ? 31 - (unsigned)__builtin_clz(mag) : 0;
	uint64_t sign = v < 0 ? 0x80 : 0;
	return mag ? sign | (e + bias) << m | ((mag << m >> e) & ((1u << m) - 1)) : 0;
}

/* An element's value from a small integer, and back. */
static uint64_t encode(int v, unsigned type)
{
	switch (type) {
	case T_E4M3: return tiny(v, 3, 7);
	case T_E5M2: return tiny(v, 2, 15);
	case T_F16: return f32_to_f16((float)v);
	case T_BF16: return f32_to_bf16((float)v);
	case T_F32:
	case T_TF32: return f32_bits((float)v);
	case T_F64: return f64_bits(v);
	default: return (uint64_t)v;
	}
}
static int decode(uint64_t x, unsigned type)
{
	switch (type) {
	case T_F16: return (int)f16_to_f32((uint32_t)x);
	case T_F32: return (int)as_f32((uint32_t)x);
	case T_F64: return (int)as_f64(x);
	default: return (int)(int32_t)x;
	}
}
static int draw(unsigned type)
{
	int v = (int)(rnd() % 16);
	return type == T_U4 || type == T_U8 || type == T_B1 ? type == T_B1 ? v & 1 : v : v % 15 - 7;
}

/* Stores element i of a lane's fragment that starts at row r. */
static void put(unsigned r, unsigned type, unsigned lane, unsigned i, uint64_t x)
{
	unsigned bits = type_bits(type), per = bits >= 32 ? 1 : 32 / bits;
	if (bits == 64) {
		rows[r + 2 * i][lane] = (uint32_t)x;
		rows[r + 2 * i + 1][lane] = (uint32_t)(x >> 32);
	} else {
		uint32_t m = bits == 32 ? ~0u : (1u << bits) - 1, s = i % per * bits;
		rows[r + i / per][lane] = (rows[r + i / per][lane] & ~(m << s)) | ((uint32_t)x & m)
											  << s;
	}
}
static uint64_t get(unsigned r, unsigned type, unsigned lane, unsigned i)
{
	if (type == T_F64)
		return rows[r + 2 * i][lane] | (uint64_t)rows[r + 2 * i + 1][lane] << 32;
	return type == T_F16 ? rows[r + i / 2][lane] >> 16 * (i & 1) & 0xffff : rows[r + i][lane];
}

struct form {
	unsigned shape, m, k, ab, b, cd;
};

/* The manual's positions for n = 8: element i of lane. e: elements of a 32-bit register (f64:
 * 1). */
static void place_a(const struct form *f, unsigned e, unsigned lane, unsigned i, unsigned *row,
		    unsigned *k)
{
	unsigned g = lane >> 2, t = lane % 4, reg = i / e;
	*row = f->m == 8 || reg % 2 == 0 ? g : g + 8;
	*k = t * e + i % e + (f->m == 8 ? reg : reg / 2) * 4 * e;
}
static void place_b(unsigned e, unsigned lane, unsigned i, unsigned *k, unsigned *col)
{
	*k = (lane % 4) * e + i % e + i / e * 4 * e;
	*col = lane >> 2;
}
static void place_c(unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
	*row = (lane >> 2) + (i < 2 ? 0 : 8);
	*col = lane % 4 * 2 + (i & 1);
}

static void check_form(const struct form *f, unsigned bop)
{
	static int a[16][256], b[256][8], c[16][8], want[16][8];
	struct opnd none[40] = {0};
	int32_t v[40];
	unsigned bits = type_bits(f->ab), e = bits >= 32 ? 1 : 32 / bits;
	unsigned na = f->m * f->k / 32, nb = 8 * f->k / 32, nc = f->m * 8 / 32;
	unsigned wide = bits == 64 ? 2 : 1, cwide = f->cd == T_F64 ? 2 : 1,
		 ce = f->cd == T_F16 ? 2 : 1;
	struct inst in = {.op = OP_MMA,
			  .mode = (uint8_t)f->shape,
			  .type = (uint8_t)f->cd,
			  .stype = (uint8_t)f->cd,
			  .atype = (uint8_t)f->ab,
			  .btype = (uint8_t)f->b,
			  .bop = (uint8_t)bop,
			  .opnd = none,
			  .mods = M_COL_B,
			  .grp = {(uint8_t)(nc / ce), (uint8_t)((na + e - 1) / e),
				  (uint8_t)((nb + e - 1) / e), (uint8_t)(nc / ce)}};
	memset(rows, 0xa5, sizeof rows);
	for (unsigned i = 0; i < f->m; i++)
		for (unsigned k = 0; k < f->k; k++)
			a[i][k] = draw(f->ab);
	for (unsigned k = 0; k < f->k; k++)
		for (unsigned j = 0; j < 8; j++)
			b[k][j] = draw(f->b);
	for (unsigned i = 0; i < f->m; i++)
		for (unsigned j = 0; j < 8; j++) {
			want[i][j] = c[i][j] = (int)(rnd() % 200) - 100;
			for (unsigned k = 0; k < f->k; k++)
				want[i][j] += bop == BOP_XOR   ? a[i][k] ^ b[k][j]
					      : bop == BOP_AND ? a[i][k] & b[k][j]
							       : a[i][k] * b[k][j];
		}
	unsigned ra = 8, rb = 16 + 8, rc = 0, r, s;
	for (unsigned l = 0; l < LANES; l++) {
		for (unsigned i = 0; i < na; i++) {
			place_a(f, e, l, i, &r, &s);
			put(ra, f->ab, l, i, encode(a[r][s], f->ab));
		}
		for (unsigned i = 0; i < nb; i++) {
			place_b(e, l, i, &r, &s);
			put(rb, f->b, l, i, encode(b[r][s], f->b));
		}
		for (unsigned i = 0; i < nc; i++) {
			place_c(l, i, &r, &s);
			put(rc, f->cd, l, i, encode(c[r][s], f->cd));
		}
	}
	unsigned n = 0, x;
	for (x = 0; x < in.grp[0]; x++)
		v[n++] = (int32_t)(rc + x * cwide) * ROW; /* d on c's registers */
	for (x = 0; x < in.grp[1]; x++)
		v[n++] = (int32_t)(ra + x * wide) * ROW;
	for (x = 0; x < in.grp[2]; x++)
		v[n++] = (int32_t)(rb + x * wide) * ROW;
	for (x = 0; x < in.grp[3]; x++)
		v[n++] = (int32_t)(rc + x * cwide) * ROW;
	in.nd = in.grp[0];
	in.ns = (uint8_t)(n - in.nd);
	struct uop u = {.in = &in, .v = v, .d = v[0], .a = v[in.nd]};
	struct warp w = {.base = {(uint8_t *)rows, (uint8_t *)rows, NULL}, .mask = ~0u};
	assert_true(bind_mma(&in, &u));
	u.full(&w, &u);
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned i = 0; i < nc; i++) {
			place_c(l, i, &r, &s);
			assert_int_equal(decode(get(rc, f->cd, l, i), f->cd), want[r][s]);
		}
}

static void mma_fragments(void **state)
{
	/* clang-format off */
	static const struct form forms[] = {
		{SHAPE_M16N8K8, 16, 8, T_F16, T_F16, T_F32},     {SHAPE_M16N8K16, 16, 16, T_F16, T_F16, T_F32},
		{SHAPE_M16N8K16, 16, 16, T_F16, T_F16, T_F16},   {SHAPE_M16N8K8, 16, 8, T_BF16, T_BF16, T_F32},
		{SHAPE_M16N8K16, 16, 16, T_BF16, T_BF16, T_F32}, {SHAPE_M16N8K4, 16, 4, T_TF32, T_TF32, T_F32},
		{SHAPE_M16N8K8, 16, 8, T_TF32, T_TF32, T_F32},   {SHAPE_M8N8K4, 8, 4, T_F64, T_F64, T_F64},
		{SHAPE_M16N8K4, 16, 4, T_F64, T_F64, T_F64},     {SHAPE_M16N8K8, 16, 8, T_F64, T_F64, T_F64},
		{SHAPE_M16N8K16, 16, 16, T_F64, T_F64, T_F64},
		{SHAPE_M8N8K16, 8, 16, T_S8, T_U8, T_S32},       {SHAPE_M16N8K16, 16, 16, T_U8, T_S8, T_S32},
		{SHAPE_M16N8K32, 16, 32, T_S8, T_S8, T_S32},     {SHAPE_M8N8K32, 8, 32, T_S4, T_U4, T_S32},
		{SHAPE_M16N8K32, 16, 32, T_S4, T_S4, T_S32},     {SHAPE_M16N8K64, 16, 64, T_U4, T_S4, T_S32},
		{SHAPE_M16N8K32, 16, 32, T_E4M3, T_E4M3, T_F32}, {SHAPE_M16N8K32, 16, 32, T_E5M2, T_E4M3, T_F16},
		{SHAPE_M16N8K16, 16, 16, T_E4M3, T_E5M2, T_F32}, {SHAPE_M16N8K16, 16, 16, T_E5M2, T_E5M2, T_F16},
	};
	/* clang-format on */
	static const struct form bits[] = {
		{SHAPE_M8N8K128, 8, 128, T_B1, T_B1, T_S32},
		{SHAPE_M16N8K128, 16, 128, T_B1, T_B1, T_S32},
		{SHAPE_M16N8K256, 16, 256, T_B1, T_B1, T_S32},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
		check_form(&forms[i], BOP_NONE);
	for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
		check_form(&bits[i], BOP_XOR);
		check_form(&bits[i], BOP_AND);
	}
}

/* m8n8k4 of f16: quad pair p computes its own product. */
static void check_volta(bool col_a, bool col_b, unsigned cd)
{
	static int a[4][8][4], b[4][4][8], c[4][8][8], want[4][8][8];
	struct opnd none[40] = {0};
	int32_t v[40];
	unsigned nc = cd == T_F16 ? 4 : 8, n = 0;
	/* clang-format off */
	struct inst in = {.op = OP_MMA, .mode = SHAPE_M8N8K4, .type = (uint8_t)cd, .stype = (uint8_t)cd, .atype = T_F16,
			  .btype = T_F16, .opnd = none, .mods = (col_a ? M_COL_A : 0) | (col_b ? M_COL_B : 0),
			  .grp = {(uint8_t)nc, 2, 2, (uint8_t)nc}, .nd = (uint8_t)nc, .ns = (uint8_t)(4 + nc)};
	/* clang-format on */
	for (int *p = &a[0][0][0]; p < &a[3][7][4]; p++)
		*p = draw(T_F16);
	for (int *p = &b[0][0][0]; p < &b[3][3][8]; p++)
		*p = draw(T_F16);
	for (int p = 0; p < 4; p++)
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 8; j++) {
				want[p][i][j] = c[p][i][j] = draw(T_F16);
				for (int k = 0; k < 4; k++)
					want[p][i][j] += a[p][i][k] * b[p][k][j];
			}
	for (unsigned l = 0; l < LANES; l++) {
		unsigned p = l / 4 % 4, hi = l < 16 ? 0 : 4;
		for (unsigned i = 0; i < 4; i++) {
			put(8, T_F16, l, i,
			    encode(col_a ? a[p][i + hi][l % 4] : a[p][l % 4 + hi][i], T_F16));
			put(10, T_F16, l, i,
			    encode(col_b ? b[p][i][l % 4 + hi] : b[p][l % 4][i + hi], T_F16));
		}
		for (unsigned i = 0; i < 8; i++) {
			unsigned row = cd == T_F16 ? l % 4 + hi : (l & 1) + (i & 2) + hi;
			unsigned col = cd == T_F16 ? i : (i & 4) + (l & 2) + (i & 1);
			put(0, cd, l, i, encode(c[p][row][col], cd));
		}
	}
	for (unsigned i = 0; i < nc; i++)
		v[n++] = (int32_t)i * ROW;
	for (int i = 8; i < 12; i++)
		v[n++] = i * ROW;
	for (unsigned i = 0; i < nc; i++)
		v[n++] = (int32_t)i * ROW;
	struct uop u = {.in = &in, .v = v, .d = v[0], .a = v[in.nd]};
	struct warp w = {.base = {(uint8_t *)rows, (uint8_t *)rows, NULL}, .mask = ~0u};
	assert_true(bind_mma(&in, &u));
	u.full(&w, &u);
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned i = 0; i < 8; i++) {
			unsigned p = l / 4 % 4, hi = l < 16 ? 0 : 4;
			unsigned row = cd == T_F16 ? l % 4 + hi : (l & 1) + (i & 2) + hi;
			unsigned col = cd == T_F16 ? i : (i & 4) + (l & 2) + (i & 1);
			assert_int_equal(decode(get(0, cd, l, i), cd), want[p][row][col]);
		}
}
static void mma_quad_pairs(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		check_volta(k & 1, k & 2, T_F16);
		check_volta(k & 1, k & 2, T_F32);
	}
}

/* The tensor core truncates: bits 25 places below the largest exponent are lost, and sums are not
 * rounded. */
static void mma_cuts(void **state)
{
	static const struct {
		float c, x, y, want; /* d = c + x * y + 1 * 1 */
	} t[] = {
		{0x1p24f, 0.5f, 1.0f, 0x1p24f}, /* 2^24 + 1.5 is cut to 2^24 */
		{0x1p24f, 1.0f, 1.0f, 0x1p24f + 2.0f},
		{-0x1p24f, 0.25f, 1.0f, -0x1p24f + 2.0f + -1.0f},
		{0x1p26f, 0.5f, 1.0f, 0x1p26f},
		{1.0f, 0x1p-13f, 0x1p-12f, 2.0f}, /* below the kept bits */
	};
	(void)state;
	for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
		struct opnd none[12] = {0};
		int32_t v[11];
		/* clang-format off */
		struct inst in = {.op = OP_MMA, .mode = SHAPE_M16N8K8, .type = T_F32, .stype = T_F32, .atype = T_F16,
				  .btype = T_F16, .opnd = none, .mods = M_COL_B, .grp = {4, 2, 1, 4}, .nd = 4, .ns = 7};
		/* clang-format on */
		memset(rows, 0, sizeof rows);
		for (int i = 0; i < 11; i++)
			v[i] = i * ROW;
		rows[4][0] = f32_to_f16(t[k].x) | f32_to_f16(1.0f) << 16; /* a(0,0), a(0,1) */
		rows[6][0] = f32_to_f16(t[k].y) | f32_to_f16(1.0f) << 16; /* b(0,0), b(1,0) */
		rows[7][0] = f32_bits(t[k].c);
		struct uop u = {.in = &in, .v = v};
		struct warp w = {.base = {(uint8_t *)rows, (uint8_t *)rows, NULL}, .mask = ~0u};
		assert_true(bind_mma(&in, &u));
		u.full(&w, &u);
		assert_int_equal(rows[0][0], f32_bits(t[k].want));
	}
}

/* ---- programs ---- */

static void run(const char *text, const void *in, size_t nin, void *out, size_t nout)
{
	struct heddle *h;
	struct heddle_module *m;
	struct heddle_options opt = {0};
	uint64_t p[2];
	assert_int_equal(heddle_open(&h, &opt), HEDDLE_OK);
	struct heddle_text t = {"test.ptx", text, strlen(text)};
	if (heddle_load(h, &t, 1, &m) != HEDDLE_OK)
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, nin, &p[0]), HEDDLE_OK);
	assert_int_equal(heddle_malloc(h, nout, &p[1]), HEDDLE_OK);
	heddle_write(h, p[0], in, nin);
	struct heddle_launch l = {.kernel = heddle_kernel_at(m, 0),
				  .grid = {1, 1, 1},
				  .block = {32, 1, 1},
				  .params = p};
	if (heddle_launch(h, &l) != HEDDLE_OK)
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_read(h, out, p[1], nout), HEDDLE_OK);
	heddle_close(h);
}

struct wform {
	const char *shape, *a, *b, *cd; /* element types as in the text */
	unsigned m, n, k, ta, tb, tc;
	unsigned ra, rb, rc;    /* registers */
	const char *reg, *creg; /* their types */
	bool fixed;             /* row.col only */
};

static void reglist(char *s, const char *name, unsigned n)
{
	s += sprintf(s, "{");
	for (unsigned i = 0; i < n; i++)
		s += sprintf(s, "%s%%%s%u", i ? ", " : "", name, i);
	sprintf(s, "}");
}

static void element_write(uint8_t *p, unsigned index, unsigned type, int v)
{
	uint64_t x = encode(v, type);
	unsigned bits = type_bits(type);
	if (bits < 8)
		p[index * bits / 8] |= (uint8_t)((x & ((1u << bits) - 1)) << index * bits % 8);
	else
		memcpy(p + index * bits / 8, &x, bits / 8);
}

/* Buffers: a at 0, b at 8192, c at 16384; leading dimensions exceed the minimum by 8 (b1: 128, s4:
 * 32). */
static void check_wmma(const struct wform *f, bool col_a, bool col_b, bool col_c)
{
	static uint8_t in[32768], out[16384];
	static int a[32][128], b[128][32], c[32][32];
	char text[4096], fa[256], fb[256], fc[256], fd[256];
	unsigned pad = f->ta == T_B1 ? 128 : f->ta == T_S4 ? 32 : 8;
	unsigned lda = (col_a ? f->m : f->k) + pad, ldb = (col_b ? f->k : f->n) + pad,
		 ldc = (col_c ? f->m : f->n) + 8;
	memset(in, 0, sizeof in);
	for (unsigned i = 0; i < f->m; i++)
		for (unsigned k = 0; k < f->k; k++)
			element_write(in, col_a ? k * lda + i : i * lda + k, f->ta,
				      a[i][k] = draw(f->ta));
	for (unsigned k = 0; k < f->k; k++)
		for (unsigned j = 0; j < f->n; j++)
			element_write(in + 8192, col_b ? j * ldb + k : k * ldb + j, f->tb,
				      b[k][j] = draw(f->tb));
	for (unsigned i = 0; i < f->m; i++)
		for (unsigned j = 0; j < f->n; j++)
			element_write(in + 16384, col_c ? j * ldc + i : i * ldc + j, f->tc,
				      c[i][j] = (int)(rnd() % 99) - 50);
	reglist(fa, "a", f->ra);
	reglist(fb, "b", f->rb);
	reglist(fc, "c", f->rc);
	reglist(fd, "d", f->rc);
	const char *la = col_a ? "col" : "row", *lb = col_b ? "col" : "row",
		   *lc = col_c ? "col" : "row";
	bool b1 = f->ta == T_B1, f16 = f->ta == T_F16;
	char types[64];
	if (f16)
		snprintf(types, sizeof types, ".%s.%s", f->cd, f->cd);
	else
		snprintf(types, sizeof types, ".%s.%s.%s.%s", f->cd, f->a, f->b, f->cd);
	snprintf(
		text, sizeof text,
		".version 7.1\n.target sm_80\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b64 %%p, %%q, %%o;\n.reg .b32 %%s;\n.reg .%s %%a<16>, %%b<16>;\n.reg .%s %%c<16>, %%d<16>;\n"
		"ld.param.u64 %%p, [in];\nld.param.u64 %%o, [out];\nmov.u32 %%s, %u;\n"
		"wmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%p], %%s;\n"
		"wmma.load.b.sync.aligned.%s.%s.global.%s %s, [%%p+8192], %u;\n"
		"wmma.load.c.sync.aligned.%s.%s.%s %s, [%%p+16384], %u;\n"
		"wmma.mma%s.sync.aligned.%s.%s.%s%s %s, %s, %s, %s;\n"
		"wmma.store.d.sync.aligned.%s.%s.global.%s [%%o], %s, %u;\nret;\n}\n",
		f->reg, f->creg, lda, la, f->shape, f->a, fa, lb, f->shape, f->b, fb, ldb, lc,
		f->shape, f->cd, fc, ldc, b1 ? ".xor.popc" : "", la, lb, f->shape, types, fd, fa,
		fb, fc, lc, f->shape, f->cd, fd, ldc);
	run(text, in, sizeof in, out, sizeof out);
	for (unsigned i = 0; i < f->m; i++)
		for (unsigned j = 0; j < f->n; j++) {
			int want = c[i][j];
			for (unsigned k = 0; k < f->k; k++)
				want += b1 ? a[i][k] ^ b[k][j] : a[i][k] * b[k][j];
			uint64_t x = 0;
			unsigned bytes = type_bits(f->tc) / 8,
				 at = (col_c ? j * ldc + i : i * ldc + j) * bytes;
			memcpy(&x, out + at, bytes);
			assert_int_equal(decode(x, f->tc), want);
		}
}

static void wmma_programs(void **state)
{
	/* clang-format off */
	static const struct wform forms[] = {
		{"m16n16k16", "f16", "f16", "f32", 16, 16, 16, T_F16, T_F16, T_F32, 8, 8, 8, "b32", "f32", false},
		{"m16n16k16", "f16", "f16", "f16", 16, 16, 16, T_F16, T_F16, T_F16, 8, 8, 4, "b32", "b32", false},
		{"m32n8k16", "f16", "f16", "f32", 32, 8, 16, T_F16, T_F16, T_F32, 8, 8, 8, "b32", "f32", false},
		{"m8n32k16", "f16", "f16", "f32", 8, 32, 16, T_F16, T_F16, T_F32, 8, 8, 8, "b32", "f32", false},
		{"m16n16k16", "bf16", "bf16", "f32", 16, 16, 16, T_BF16, T_BF16, T_F32, 4, 4, 8, "b32", "f32", false},
		{"m32n8k16", "bf16", "bf16", "f32", 32, 8, 16, T_BF16, T_BF16, T_F32, 8, 2, 8, "b32", "f32", false},
		{"m16n16k8", "tf32", "tf32", "f32", 16, 16, 8, T_TF32, T_TF32, T_F32, 4, 4, 8, "b32", "f32", false},
		{"m8n8k4", "f64", "f64", "f64", 8, 8, 4, T_F64, T_F64, T_F64, 1, 1, 2, "f64", "f64", false},
		{"m16n16k16", "s8", "s8", "s32", 16, 16, 16, T_S8, T_S8, T_S32, 2, 2, 8, "b32", "s32", false},
		{"m8n32k16", "u8", "u8", "s32", 8, 32, 16, T_U8, T_U8, T_S32, 1, 4, 8, "b32", "s32", false},
		{"m8n8k32", "s4", "s4", "s32", 8, 8, 32, T_S4, T_S4, T_S32, 1, 1, 2, "b32", "s32", true},
		{"m8n8k128", "b1", "b1", "s32", 8, 8, 128, T_B1, T_B1, T_S32, 1, 1, 2, "b32", "s32", true},
	};
	/* clang-format on */
	(void)state;
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
		for (unsigned k = 0; k < 8; k++)
			if (!forms[i].fixed || (k & 3) == 2)
				check_wmma(&forms[i], k & 1, k & 2, k & 4);
}

/* stmatrix of the result of ldmatrix.trans: four transposed matrices. */
static void matrix_programs(void **state)
{
	static const char text[] =
		".version 7.8\n.target sm_90\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out)\n{\n"
		".shared .align 16 .b8 m[1024];\n.reg .b64 %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %x<2>;\n"
		"ld.param.u64 %p0, [in];\nld.param.u64 %p1, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %p2, %r0, 16;\n"
		"add.u64 %p0, %p0, %p2;\nadd.u64 %p1, %p1, %p2;\nmov.u32 %r1, m;\nmad.lo.u32 %r1, %r0, 16, %r1;\n"
		"ld.global.v2.b64 {%x0, %x1}, [%p0];\nst.shared.v2.b64 [%r1], {%x0, %x1};\nbar.warp.sync 0xffffffff;\n"
		"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r4, %r5, %r6, %r7}, [%r1];\n"
		"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1+512], {%r4, %r5, %r6, %r7};\nbar.warp.sync 0xffffffff;\n"
		"ld.shared.v2.b64 {%x0, %x1}, [%r1+512];\nst.global.v2.b64 [%p1], {%x0, %x1};\nret;\n}\n";
	uint16_t in[4][8][8], out[4][8][8];
	(void)state;
	for (uint16_t *p = &in[0][0][0]; p < &in[0][0][0] + 256; p++)
		*p = (uint16_t)rnd();
	run(text, in, sizeof in, out, sizeof out);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 8; j++)
				assert_int_equal(out[k][i][j], in[k][j][i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mma_fragments),   cmocka_unit_test(mma_quad_pairs),
		cmocka_unit_test(mma_cuts),        cmocka_unit_test(wmma_programs),
		cmocka_unit_test(matrix_programs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
