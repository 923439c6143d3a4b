/* Execution of native machine code: kernels in both assembly languages compared with results
 * computed on the host, under the token stack, its other rule for loops, and the post-dominator
 * stack, in functional and timing mode. */
#include <math.h>
#include "api/api.h"
#include "native_rig.h"

/* ---- whole kernels, each way of reconverging ---- */

/* Kernels that exist in both machine codes and in PTX. */
enum { PTX = 2 };

static const char *const versions[] = {"tests/native/fermi.sass", "tests/native/tesla.sass",
				       "tests/native/twins.ptx"};

static void fig9(void **state)
{
	(void)state;
	EACH_WAY (how)
		for (uint32_t n = 1; n <= 70; n += 23) {
			struct rig r = rig_open(how, "tests/native/fig9.sass");
			uint64_t out = buffer(&r, NULL, 96 * 4);
			uint32_t params[16] = {0, 0, (uint32_t)out, n};
			float got[96];
			must(&r, run(&r, "loop_sum", 3, 1, 32, 1, params));
			back(&r, got, out, sizeof got);
			for (uint32_t i = 0; i < 96; i++) {
				float want = i < n ? 1.0f : 0.0f;
				for (uint32_t j = 1; j <= i && i < n; j++)
					want += (float)j;
				assert_true(got[i] == want);
			}
			rig_close(&r);
		}
}

static void vecadd(void **state)
{
	(void)state;
	EACH_WAY (how)
		for (int tesla = 0; tesla < 2; tesla++) {
			struct rig r = rig_open(how, tesla ? "tests/native/tesla.sass"
							   : "tests/native/fermi.sass");
			float a[200], b[200], c[200];
			for (int i = 0; i < 200; i++)
				a[i] = (float)i * 0.25f, b[i] = 100.0f - (float)i;
			uint64_t p[8] = {buffer(&r, a, sizeof a), buffer(&r, b, sizeof b),
					 buffer(&r, NULL, sizeof c), 170};
			uint32_t q[16] = {(uint32_t)p[0], (uint32_t)p[1], (uint32_t)p[2], 170};
			must(&r, run(&r, "vecadd", 4, 1, 64, 1, tesla ? (void *)q : (void *)p));
			back(&r, c, p[2], sizeof c);
			for (int i = 0; i < 200; i++)
				assert_true(c[i] == (i < 170 ? a[i] + b[i] : 0));
			rig_close(&r);
		}
}

static void matmul(void **state)
{
	(void)state;
	enum { N = 32 };
	static float a[N * N], b[N * N], c[N * N];
	for (int i = 0; i < N * N; i++)
		a[i] = (float)(i % 17), b[i] = (float)(i % 13) - 6.0f;
	EACH_WAY (how)
		for (unsigned isa = 0; isa < 3; isa++) {
			if (how == TIMED_NAMED && isa == PTX)
				continue;
			struct rig r = rig_open(how, versions[isa]);
			uint32_t p[16] = {(uint32_t)buffer(&r, a, sizeof a),
					  (uint32_t)buffer(&r, b, sizeof b),
					  (uint32_t)buffer(&r, NULL, sizeof c), N};
			must(&r, run(&r, "matmul", N / 16, N / 16, 16, 16, p));
			back(&r, c, p[2], sizeof c);
			for (int y = 0; y < N; y++)
				for (int x = 0; x < N; x++) {
					float s = 0;
					for (int k = 0; k < N; k++)
						s = fmaf(a[y * N + k], b[k * N + x], s);
					assert_true(c[y * N + x] == s);
				}
			rig_close(&r);
		}
}

static void reduce(void **state)
{
	(void)state;
	EACH_WAY (how)
		for (int tesla = 0; tesla < 2; tesla++) {
			struct rig r = rig_open(how, tesla ? "tests/native/tesla.sass"
							   : "tests/native/fermi.sass");
			uint32_t block = tesla ? 64 : 256, in[1024], out[16], n = 1024 / block;
			for (uint32_t i = 0; i < 1024; i++)
				in[i] = i * i + 7;
			uint32_t p[16] = {(uint32_t)buffer(&r, in, sizeof in),
					  (uint32_t)buffer(&r, NULL, sizeof out)};
			must(&r, run(&r, "reduce", n, 1, block, 1, p));
			back(&r, out, p[1], sizeof out);
			for (uint32_t b = 0; b < n; b++) {
				uint32_t s = 0;
				for (uint32_t i = 0; i < block; i++)
					s += in[b * block + i];
				assert_int_equal(out[b], s);
			}
			rig_close(&r);
		}
}

static void nest(void **state)
{
	(void)state;
	EACH_WAY (how)
		for (unsigned isa = 0; isa < 3; isa++) {
			if (how == TIMED_NAMED && isa == PTX)
				continue;
			struct rig r = rig_open(how, versions[isa]);
			uint32_t out[64];
			int limit = 900;
			uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)limit};
			must(&r, run(&r, "nest", 1, 1, 64, 1, p));
			back(&r, out, p[0], sizeof out);
			for (int t = 0; t < 64; t++) {
				int s = 0;
				for (int i = 0; i < t; i++)
					for (int j = 0; j < 20; j++) {
						if (i * j % 3 == t % 3)
							continue;
						if (s > limit) {
							i = t;
							break;
						}
						s += i + j;
					}
				assert_int_equal(out[t], s);
			}
			rig_close(&r);
		}
}

static void pick_by(enum how how)
{
	struct rig r = rig_open(how, "tests/native/fermi.sass");
	static const uint32_t table[4] = {0x30, 0x40, 0x50, 0x60};
	uint32_t out[64];
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
			  (uint32_t)buffer(&r, table, sizeof table)};
	must(&r, run(&r, "pick", 1, 1, 64, 1, p));
	back(&r, out, p[0], sizeof out);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t want[4] = {100, t + 1, t * 8, t * t};
		assert_int_equal(out[t], want[t % 4]);
	}
	static const uint32_t bad[4] = {0x30, 0x40, 0x50, 0x64};
	assert_int_equal(heddle_write(r.h, p[1], bad, sizeof bad), HEDDLE_OK);
	assert_int_equal(run(&r, "pick", 1, 1, 64, 1, p), HEDDLE_FAULT);
	assert_non_null(strstr(heddle_message(r.h), r.h->native_pdom ? "trap" : "0x64"));
	assert_int_equal(heddle_fault(r.h)->thread[0] % 32, 3); /* timing: of either warp */
	rig_close(&r);
}

static void tesla_pick(enum how how)
{
	struct rig r = rig_open(how, "tests/native/tesla.sass");
	uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
	must(&r, run(&r, "pick", 1, 1, 64, 1, p));
	back(&r, out, p[0], sizeof out);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t want[4] = {100, t + 1, t * 8, t * t};
		assert_int_equal(out[t], want[t % 4]);
	}
	rig_close(&r);
}

/* A loop that is left from below the label for its next iteration, and an iteration that is left
 * from below a convergence label: out[t] is the sum of 100 + i over the odd i below t. If a loop is
 * never left, the kernel still ends and stores nothing. */
static void leaves(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\nS2R R0, SR_Tid_X;\nMOV R2, RZ;\nMOV R3, RZ;\nPBK done;\n"
		"loop:\nPCNT again;\nISETP.GE.AND P0, pt, R3, R0, pt;\n@P0 BRK;\n"
		"SSY keep;\nLOP.AND R4, R3, 0x1;\nISETP.EQ.AND P1, pt, R4, RZ, pt;\n@P1 CONT;\n"
		"IADD R2, R2, R3;\nNOP.S CC.T;\nkeep:\nIADD R2, R2, 0x64;\nCONT;\n"
		"again:\nIADD R3, R3, 0x1;\nISETP.GT.AND P2, pt, R3, 0x40, pt;\n@P2 EXIT;\nBRA loop;\n"
		"done:\nISCADD R8, R0, c [0x0] [0x20], 0x2;\nST [R8], R2;\nEXIT;\n";
	EACH_WAY (how) {
		struct rig r = rig_text(how, text);
		uint32_t out[48];
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 48, 1, p));
		back(&r, out, p[0], sizeof out);
		for (unsigned t = 0; t < 48; t++) {
			unsigned s = 0;
			for (unsigned i = 1; i < t; i += 2)
				s += 100 + i;
			assert_int_equal(out[t], s);
		}
		rig_close(&r);
	}
}

static void pick(void **state)
{
	(void)state;
	EACH_WAY (how) {
		pick_by(how);
		tesla_pick(how);
	}
}

static void indirect_by(enum how how)
{
	struct rig r = rig_open(how, "tests/native/fermi.sass");
	static const uint32_t table[4] = {0x48, 0x58, 0x80, 0x58};
	uint32_t out[64];
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
			  (uint32_t)buffer(&r, table, sizeof table)};
	must(&r, run(&r, "indirect", 1, 1, 64, 1, p));
	back(&r, out, p[0], sizeof out);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t f1 = t < 16 ? t : 0u - t, want[4] = {t + 1000, f1, t * 7, f1};
		assert_int_equal(out[t], want[t % 4]);
	}
	rig_close(&r);
}

static void indirect(void **state)
{
	(void)state;
	EACH_WAY (how)
		indirect_by(how);
}

static void calls(void **state)
{
	(void)state;
	EACH_WAY (how)
		for (unsigned isa = 0; isa < 3; isa++) {
			if (how == TIMED_NAMED && isa == PTX)
				continue;
			struct rig r = rig_open(how, versions[isa]);
			uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
			must(&r, run(&r, "calls", 1, 1, 64, 1, p));
			back(&r, out, p[0], sizeof out);
			for (uint32_t t = 0; t < 64; t++) {
				uint32_t x = t;
				for (uint32_t k = 0; k <= t % 2; k++)
					x = x > 50 ? x : x * 3;
				assert_int_equal(out[t], x);
			}
			rig_close(&r);
		}
}

static void doubles(void **state)
{
	(void)state;
	EACH_WAY (how) {
		struct rig r = rig_open(how, "tests/native/fermi.sass");
		double a[32], b[32], out[32];
		for (int i = 0; i < 32; i++)
			a[i] = 0.1 * i - 1.3, b[i] = 1e300 / (i + 1) * (i % 2 ? 1e-300 : 1e-310);
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
				  (uint32_t)buffer(&r, a, sizeof a),
				  (uint32_t)buffer(&r, b, sizeof b)};
		must(&r, run(&r, "doubles", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int i = 0; i < 32; i++)
			assert_true(out[i] == fabs(a[i] * b[i] + 0.5));
		rig_close(&r);
	}
}

static void atomics(void **state)
{
	(void)state;
	EACH_WAY (how) {
		struct rig r = rig_open(how, "tests/native/fermi.sass");
		uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "atomics", 1, 1, 128, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 16; i++) {
			assert_int_equal(out[i], 8);
			assert_int_equal(out[19 + i], 8 * i + 16 * 28); /* i, i + 16, ... i + 112 */
		}
		assert_int_equal(out[16], 127 * 64);
		assert_int_equal(out[17], 127);
		assert_int_equal(out[18], 1);
		rig_close(&r);
	}
}

static void odds(void **state)
{
	(void)state;
	EACH_WAY (how) {
		struct rig r = rig_open(how, "tests/native/fermi.sass");
		uint32_t a[32], b[32], out[32 * 16], any = 0, lt[32];
		for (uint32_t i = 0; i < 32; i++) {
			a[i] = i * 0x9e3779b1u;
			b[i] = i % 5 == 0 ? a[i] : (31 - i) * 0x85ebca6bu;
			int64_t x = (int64_t)((uint64_t)b[i] << 32 | a[i]),
				y = (int64_t)((uint64_t)a[i] << 32 | b[i]);
			lt[i] = x < y;
			any |= lt[i] << i;
		}
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
				  (uint32_t)buffer(&r, a, sizeof a),
				  (uint32_t)buffer(&r, b, sizeof b)};
		must(&r, run(&r, "odds", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 32; i++) {
			const uint32_t *o = &out[i * 16];
			int64_t next = (int64_t)(int32_t)a[i] + 1;
			int32_t sb = (int32_t)b[i];
			uint32_t inv = a[i] ^ ~b[i];
			float f = (float)(int32_t)a[i];
			assert_int_equal(o[0], lt[i] ? a[i] : b[i]);
			assert_int_equal(o[1], a[i] >> 4 & 255);
			assert_int_equal(o[2], (a[i] & 0xffff00ffu) | (b[i] & 255) << 8);
			assert_int_equal((int32_t)o[3], (int32_t)next < sb ? (int32_t)next : sb);
			assert_int_equal(o[4], a[i] < b[i] ? a[i] : b[i]);
			assert_int_equal((int32_t)o[5], (int32_t)a[i] > sb ? (int32_t)a[i] : sb);
			assert_int_equal(o[6], a[i] ? 31 - (uint32_t)__builtin_clz(a[i]) : ~0u);
			assert_int_equal(o[7], (uint32_t)__builtin_popcount(a[i] & b[i]));
			assert_int_equal(o[8], a[i]);
			assert_int_equal(o[9], any);
			assert_int_equal(o[10], lt[i] | !lt[i] << 1 | (any != 0) << 2);
			assert_memory_equal(&o[11], &f, 4);
			assert_int_equal((int32_t)o[12],
					 f >= 2147483648.0f ? INT32_MAX : (int32_t)f);
			assert_int_equal(o[13], inv);
			assert_int_equal((int32_t)o[14], (int32_t)a[i] >> (b[i] > 31 ? 31 : b[i]));
			assert_int_equal(o[15], a[i] > b[i] ? 0x3f800000 : 0);
		}
		rig_close(&r);
	}
}

static void collatz(void **state)
{
	(void)state;
	EACH_WAY (how) {
		struct rig r = rig_open(how, "tests/native/tesla.sass");
		uint32_t out[64], limit = 40,
				  p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), limit};
		must(&r, run(&r, "collatz", 1, 1, 64, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t t = 0; t < 64; t++) {
			uint32_t n = 0;
			for (uint32_t x = t + 1; x != 1 && n < limit; n++)
				x = x % 2 ? 3 * x + 1 : x / 2;
			assert_int_equal(out[t], n);
		}
		rig_close(&r);
	}
}

static void tesla_odds(void **state)
{
	(void)state;
	EACH_WAY (how) {
		struct rig r = rig_open(how, "tests/native/tesla.sass");
		uint32_t a[32], b[32], out[32 * 16];
		for (uint32_t i = 0; i < 32; i++)
			a[i] = i * 0x9e3779b1u, b[i] = (31 - i) * 0x85ebca6bu;
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
				  (uint32_t)buffer(&r, a, sizeof a),
				  (uint32_t)buffer(&r, b, sizeof b)};
		must(&r, run(&r, "odds", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 32; i++) {
			const uint32_t *o = &out[i * 16], sum = a[i] + b[i],
				       d16 = (a[i] - b[i]) & 0xffff;
			int64_t a24 = (int32_t)(a[i] << 8) >> 8, b24 = (int32_t)(b[i] << 8) >> 8;
			float f = (float)(int32_t)a[i], sq = f * f;
			bool carry = sum < a[i], over = ((a[i] ^ sum) & (b[i] ^ sum)) >> 31;
			bool c16 = (a[i] & 0xffff) >= (b[i] & 0xffff),
			     o16 = ((a[i] ^ b[i]) & (a[i] ^ d16)) >> 15 & 1;
			assert_int_equal(o[0], sum);
			assert_int_equal(o[1], carry);
			assert_int_equal(o[2], a[i] * b[i]);
			assert_int_equal(o[3], (uint32_t)(a24 * b24 >> 16));
			assert_int_equal((int32_t)o[4], (int32_t)a[i] > (int32_t)b[i]
								? (int32_t)a[i]
								: (int32_t)b[i]);
			assert_memory_equal(&o[5], &f, 4);
			assert_int_equal(o[6], (a[i] & 0xffff) < b[i] >> 16 ? 7 : 0);
			assert_int_equal((int32_t)o[7],
					 f >= 2147483648.0f ? INT32_MAX : (int32_t)f);
			assert_int_equal(o[8], a[i] ^ ~b[i]);
			assert_int_equal(o[9], (b[i] & 0xffff0000u) | a[i] >> 16);
			assert_int_equal(o[10],
					 (d16 == 0) | (d16 >> 15) << 1 | c16 << 2 | o16 << 3);
			assert_int_equal((int32_t)o[11], (int32_t)a[i] >> 5);
			assert_int_equal((int32_t)o[12], -(int32_t)(int16_t)a[i]);
			if ((double)f * f == sq) /* the product is exact: nothing is truncated */
				assert_true(((const float *)o)[13] == sq + f);
			assert_int_equal((int32_t)o[14], (int16_t)a[i]);
			assert_int_equal(o[15],
					 (sum == 0) | (sum >> 31) << 1 | carry << 2 | over << 3);
		}
		rig_close(&r);
	}
}

/* Two files in one load: each has its own constant banks, and sees the variables of the other. */
static void two_files(void **state)
{
	(void)state;
	static const char one[] =
		"code for sm_20\n.const 2 0xb\n.global total 8 0x5 0x7\nFunction : one\n"
		"MOV R0, c [0x2] [0x0];\nMOV32I R2, 32@lo(total);\nMOV32I R3, 32@hi(total);\nLD.E "
		"R4, [R2+0x4];\nIADD R4, R4, R0;\n"
		"ST.E [R2], R4;\nEXIT;\n";
	static const char two[] = "code for sm_20\n.const 2 0x16\nFunction : two\n"
				  "MOV R0, c [0x2] [0x0];\nMOV32I R2, 32@lo(total);\nMOV32I R3, "
				  "32@hi(total);\nLD.E R4, [R2];\nIADD R4, R4, R0;\n"
				  "ST.E [R2+0x4], R4;\nEXIT;\n";
	struct rig r;
	struct heddle_options o = {0};
	struct heddle_text t[2] = {{"one.sass", one, sizeof one - 1},
				   {"two.sass", two, sizeof two - 1}};
	uint32_t params[16] = {0}, total[2];
	uint64_t addr, size;
	assert_int_equal(heddle_open(&r.h, &o), HEDDLE_OK);
	must(&r, heddle_load(r.h, t, 2, &r.m));
	must(&r, heddle_symbol(r.h, r.m, "total", &addr, &size));
	assert_int_equal(size, 8);
	must(&r, run(&r, "one", 1, 1, 1, 1, params));
	back(&r, total, addr, 8);
	assert_int_equal(total[0], 7 + 11);
	assert_int_equal(total[1], 7);
	must(&r, run(&r, "two", 1, 1, 1, 1, params));
	back(&r, total, addr, 8);
	assert_int_equal(total[1], 18 + 22);
	rig_close(&r);
	/* alone, the second file has an undefined symbol */
	assert_int_equal(rig_load(&r, BY_TOKENS, "two.sass", two, sizeof two - 1),
			 HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_message(r.h), "total"));
	rig_close(&r);
}

/* ---- code that must not run ---- */

static void bad(void **state)
{
	(void)state;
	static const struct {
		const char *code, *says;
		bool at_load;
	} rows[] = {
		{"NOP.S CC.T;\nEXIT;\n", "underflow", false},
		{"PBK 0x10;\nRET;\nEXIT;\n", "underflow", false},
		{"BRK;\nEXIT;\n", "underflow", false},
		{"SSY 0x0;\nBRA 0x0;\nEXIT;\n", "overflow", false},
		{"CAL 0x0;\nEXIT;\n", "overflow", false},
		{"BPT.TRAP 0x1;\nEXIT;\n", "trap", false},
		{"B2R R0, 0x10;\nEXIT;\n", "B2R", true},
		{"MOV R0, c [0x5] [0x10];\nEXIT;\n", "constant bank", true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[256];
		int n = snprintf(text, sizeof text, "code for sm_20\nFunction : k\n%s",
				 rows[i].code);
		struct rig r;
		uint32_t params[16] = {0};
		enum heddle_status st = rig_load(&r, BY_TOKENS, "bad.sass", text, (size_t)n);
		if (rows[i].at_load) {
			assert_int_equal(st, HEDDLE_BAD_INPUT);
		} else {
			must(&r, st);
			assert_int_equal(run(&r, "k", 1, 1, 32, 1, params), HEDDLE_FAULT);
		}
		if (!strstr(heddle_message(r.h), rows[i].says))
			fail_msg("%s: %s", rows[i].says, heddle_message(r.h));
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fig9),      cmocka_unit_test(vecadd),
		cmocka_unit_test(matmul),    cmocka_unit_test(reduce),
		cmocka_unit_test(nest),      cmocka_unit_test(leaves),
		cmocka_unit_test(pick),      cmocka_unit_test(indirect),
		cmocka_unit_test(calls),     cmocka_unit_test(doubles),
		cmocka_unit_test(atomics),   cmocka_unit_test(odds),
		cmocka_unit_test(collatz),   cmocka_unit_test(tesla_odds),
		cmocka_unit_test(two_files), cmocka_unit_test(bad),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
