/* Operations without recorded results of a GPU: pairs of floats in a 64-bit register, sums of mixed
 * precision, minima of three and of a warp, transposed matrices, mbarriers, numbers of clusters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { BYTES = 4096 };

/* Runs kernel k(address) and returns the words that it stores. */
static void run(const char *text, const uint32_t grid[3], const uint32_t block[3], void *data)
{
	struct heddle *h;
	struct heddle_module *m;
	uint64_t at;
	assert_int_equal(heddle_open(&h, &(struct heddle_options){.max_instructions = 100000}),
			 HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"t.ptx", text, strlen(text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, BYTES, &at), HEDDLE_OK);
	assert_int_equal(heddle_write(h, at, data, BYTES), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"), .params = &at};
	memcpy(l.grid, grid, sizeof l.grid);
	memcpy(l.block, block, sizeof l.block);
	if (heddle_launch(h, &l))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_read(h, data, at, BYTES), HEDDLE_OK);
	heddle_close(h);
}

/* Both halves are computed separately; .ftz flushes denormals to zero, and a rounding applies to
 * both. */
static void pairs_of_floats(void **state)
{
	(void)state;
	enum { TINY = 0x00000001, ONE = 0x3f800000, TWO = 0x40000000, THREE = 0x40400000 };
	static const struct {
		const char *op;
		unsigned n; /* operands */
		uint32_t in[3][2], out[2];
	} c[] = {
		{"add.rn.f32x2", 2, {{ONE, TWO}, {TWO, ONE}}, {THREE, THREE}},
		{"add.rn.f32x2", 2, {{TINY, 0x80000001}, {TINY, 0}}, {2, 0x80000001}},
		{"add.rn.ftz.f32x2", 2, {{TINY, 0x80000001}, {ONE, 0}}, {ONE, 0}},
		{"add.rn.ftz.f32x2", 2, {{0x00400000, ONE}, {0x00400000, ONE}}, {0, TWO}},
		{"add.rz.f32x2", 2, {{ONE, ONE}, {0x33800001, 0x33000000}}, {ONE, ONE}},
		{"add.rp.f32x2", 2, {{ONE, ONE}, {0x33000000, 0}}, {0x3f800001, ONE}},
		{"add.rm.f32x2",
		 2,
		 {{ONE, 0xbf800000}, {0x33000000, 0xb3000000}},
		 {ONE, 0xbf800001}},
		{"mul.rn.f32x2", 2, {{TWO, TINY}, {ONE, TWO}}, {TWO, 2}},
		{"mul.rn.ftz.f32x2", 2, {{TWO, TINY}, {ONE, TWO}}, {TWO, 0}},
		{"fma.rn.f32x2", 3, {{ONE, TWO}, {TWO, ONE}, {ONE, ONE}}, {THREE, THREE}},
		{"fma.rn.ftz.f32x2", 3, {{ONE, TWO}, {TWO, ONE}, {TINY, TINY}}, {TWO, TWO}},
		{"sub.rn.f32x2", 2, {{THREE, TINY}, {ONE, 0}}, {TWO, TINY}},
		{"sub.rn.ftz.f32x2", 2, {{THREE, TINY}, {ONE, 0}}, {TWO, 0}},
		{"sub.rz.f32x2", 2, {{ONE, TWO}, {0x33000000, ONE}}, {0x3f7fffff, ONE}},
		{"mul.rz.f32x2", 2, {{0x3f800001, ONE}, {0x3f800001, TWO}}, {0x3f800002, TWO}},
		{"mul.rp.f32x2", 2, {{ONE, 0x3f800001}, {TWO, 0x3f800001}}, {TWO, 0x3f800003}},
		{"fma.rm.f32x2",
		 3,
		 {{ONE, ONE}, {ONE, TWO}, {0xb3000000, ONE}},
		 {0x3f7fffff, THREE}},
		{"fma.rp.f32x2",
		 3,
		 {{ONE, ONE}, {TWO, ONE}, {ONE, 0x33000000}},
		 {THREE, 0x3f800001}},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		char text[1024];
		uint32_t data[BYTES / 4] = {0};
		memcpy(data, c[i].in, sizeof c[i].in);
		snprintf(
			text, sizeof text,
			".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
			".reg .b64 %%d<8>; ld.param.u64 %%d1, [p]; ld.global.u64 %%d2, [%%d1];\n"
			"ld.global.u64 %%d3, [%%d1+8]; ld.global.u64 %%d4, [%%d1+16];\n"
			"%s %%d5, %%d2, %%d3%s; st.global.u64 [%%d1+24], %%d5; ret;\n}\n",
			c[i].op, c[i].n == 3 ? ", %d4" : "");
		run(text, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, data);
		if (data[6] != c[i].out[0] || data[7] != c[i].out[1])
			fail_msg("%s, %zu: %08x %08x, expected %08x %08x", c[i].op, i, data[6],
				 data[7], c[i].out[0], c[i].out[1]);
	}
}

/* f16 or bf16 sources, an f32 sum, rounded once. */
static void sums_of_mixed_precision(void **state)
{
	(void)state;
	enum {
		ONE = 0x3f800000,
		TWO = 0x40000000,
		HALF1 = 0x3c00,
		HALF2 = 0x4000,
		BRAIN1 = 0x3f80
	};
	static const struct {
		const char *op;
		unsigned n;
		uint32_t a, b, c, out;
	} c[] = {
		{"add.rn.f32.f16", 2, HALF1, 0, ONE, TWO},
		{"add.rz.f32.bf16", 2, BRAIN1, 0, 0x33000000, ONE},
		{"add.rp.f32.bf16", 2, BRAIN1, 0, 0x33000000, 0x3f800001},
		{"add.rn.sat.f32.f16", 2, HALF2, 0, ONE, ONE},
		{"sub.rn.f32.f16", 2, HALF2, 0, ONE, ONE},
		{"sub.rm.f32.bf16", 2, BRAIN1, 0, 0x33000000, 0x3f7fffff},
		{"fma.rn.f32.f16", 3, HALF2, 0x3e00, ONE, 0x40800000}, /* 2 * 1.5 + 1 */
		{"fma.rm.f32.bf16", 3, BRAIN1, BRAIN1, 0xb3000000, 0x3f7fffff},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		char text[1024];
		uint32_t data[BYTES / 4] = {c[i].a, c[i].b, c[i].c};
		snprintf(
			text, sizeof text,
			".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
			".reg .b64 %%d1; .reg .b16 %%h<3>; .reg .f32 %%f<3>; ld.param.u64 %%d1, [p];\n"
			"ld.global.b16 %%h1, [%%d1]; ld.global.b16 %%h2, [%%d1+4]; ld.global.f32 %%f1, [%%d1+8];\n"
			"%s %%f2, %%h1%s, %%f1; st.global.f32 [%%d1+12], %%f2; ret;\n}\n",
			c[i].op, c[i].n == 3 ? ", %h2" : "");
		run(text, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, data);
		if (data[3] != c[i].out)
			fail_msg("%s, %zu: %08x, expected %08x", c[i].op, i, data[3], c[i].out);
	}
}

/* Minimum and maximum of three operands, and of all lanes of a warp. A NaN is the result only with
 * .NaN. */
static void minima_of_several(void **state)
{
	(void)state;
	enum { NAN1 = 0x7fc00001, QUIET = 0x7fffffff, M5 = 0xc0a00000, TWO = 0x40000000 };
	enum { M1 = 0xbf800000, P5 = 0x40a00000, P1 = 0x3f800000 };
	static const struct {
		const char *op;
		uint32_t a, b, c, out;
	} c[] = {
		{"min.f32", TWO, M5, M1, M5},
		{"min.f32", TWO, M1, M5, M5},
		{"max.f32", M5, M1, TWO, TWO},
		{"min.f32", NAN1, TWO, P5, TWO},
		{"min.NaN.f32", TWO, M5, NAN1, QUIET},
		{"max.abs.f32", TWO, M5, M1, P5},
		{"min.abs.f32", TWO, M5, M1, P1},
		{"redux.sync.min.f32", TWO, M5, M1, M5},
		{"redux.sync.max.f32", M5, TWO, M1, TWO},
		{"redux.sync.max.abs.f32", TWO, M5, M1, P5},
		{"redux.sync.min.f32", NAN1, TWO, P5, TWO},
		{"redux.sync.max.f32", TWO, NAN1, M5, TWO},
		{"redux.sync.min.NaN.f32", TWO, M5, NAN1, QUIET},
		{"redux.sync.min.f32", NAN1, NAN1, NAN1, QUIET},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		bool warp = c[i].op[0] == 'r';
		char text[1024];
		uint32_t data[BYTES / 4] = {c[i].a, c[i].b, c[i].c};
		snprintf(
			text, sizeof text,
			".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
			".reg .b64 %%d<4>; .reg .f32 %%f<6>; .reg .u32 %%r<3>; ld.param.u64 %%d1, [p];\n"
			"mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 4; add.u64 %%d3, %%d1, %%d2;\n"
			"ld.global.f32 %%f1, [%%d1]; ld.global.f32 %%f2, [%%d1+4]; ld.global.f32 %%f3, [%%d1+8];\n"
			"ld.global.f32 %%f4, [%%d3]; %s %%f5, %s; st.global.f32 [%%d3+128], %%f5; ret;\n}\n",
			c[i].op, warp ? "%f4, 7" : "%f1, %f2, %f3");
		run(text, (uint32_t[]){1, 1, 1}, (uint32_t[]){3, 1, 1}, data);
		for (unsigned k = 0; k < 3; k++)
			if (data[32 + k] != c[i].out)
				fail_msg("%s, %zu: %08x, expected %08x", c[i].op, i, data[32 + k],
					 c[i].out);
	}
}

/* Element (r, c) of eight rows of eight is half of the word of lane 4 r + c / 2. */
static void a_matrix_is_transposed(void **state)
{
	(void)state;
	static const char text[] =
		".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .b64 %d<4>; .reg .b32 %r<4>; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n"
		"mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r2, [%d3];\n"
		"movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r2; st.global.u32 [%d3], %r3; ret;\n}\n";
	uint32_t data[BYTES / 4] = {0};
	for (uint32_t l = 0; l < 32; l++)
		data[l] = (2 * l) | (2 * l + 1) << 16; /* 8 r + c */
	run(text, (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, data);
	for (uint32_t l = 0; l < 32; l++) {
		uint32_t r = l / 4, c = 2 * (l % 4);
		assert_int_equal(data[l], (8 * c + r) | (8 * (c + 1) + r) << 16);
	}
}

/* Arrivals, arrivals that leave, and expected and received bytes: the phase ends with the last of
 * them. */
static void phases_of_an_mbarrier(void **state)
{
	(void)state;
#define ENDED(parity, at)                                                                          \
	"mbarrier.test_wait.parity.shared.b64 %p1, [%r1], " #parity                                \
	"; selp.u32 %r2, 1, 0, %p1; st.global.u32 [%d1+" #at "], %r2;\n"
#define ARRIVE      "mbarrier.arrive.shared.b64 %d2, [%r1];\n"
#define PENDING(at) "mbarrier.pending_count.b64 %r2, %d2; st.global.u32 [%d1+" #at "], %r2;\n"
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p<2>; .shared .align 8 .b64 bar;\n"
		"ld.param.u64 %d1, [p]; mov.u32 %r1, bar; mbarrier.init.shared.b64 [%r1], 2;\n" ARRIVE PENDING(
			0) ENDED(0, 4) ARRIVE PENDING(8)
			ENDED(0, 12) "mbarrier.arrive_drop.shared.b64 %d2, [%r1];\n" ENDED(1, 16) ARRIVE ENDED(
				1,
				20) "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 48;\n" ARRIVE
				ENDED(0, 24) "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 32;\n" ENDED(
					0,
					28) "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 16;\n" ENDED(0,
														  32) "ret;\n}\n";
	static const uint32_t want[] = {2, 0, 1, 1, 0, 1, 0, 0, 1};
	uint32_t data[BYTES / 4] = {0};
	run(text, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 1}, data);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		assert_int_equal(data[i], want[i]);
}

/* A copy whose predicate says so reads nothing and writes zeros. */
static void a_copy_without_its_source(void **state)
{
	(void)state;
#define COPIES(way)                                                                                \
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"     \
	".reg .b64 %d<4>; .reg .b32 %r<6>; .reg .pred %p<2>; .shared .align 16 .b8 s[128];\n"      \
	"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;\n"                  \
	"add.u64 %d3, %d1, %d2; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n"     \
	"and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1;\n"                                          \
	"cp.async.ca.shared.global [%r3], [%d3], 4, " way                                          \
	"; cp.async.wait_all; ld.shared.u32 %r5, [%r3]; st.global.u32 [%d3+128], %r5; ret;\n}\n"
	for (unsigned inverted = 0; inverted < 2; inverted++) {
		uint32_t data[BYTES / 4] = {0};
		for (uint32_t i = 0; i < 32; i++)
			data[i] = 100 + i;
		run(inverted ? COPIES("!%p1") : COPIES("%p1"), (uint32_t[]){1, 1, 1},
		    (uint32_t[]){32, 1, 1}, data);
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(data[32 + i], (i & 1) != inverted ? 0 : 100 + i);
	}
}

/* Without clusters each block is a cluster of its own, with the block's number; there is no fourth
 * dimension. */
static void a_block_is_a_cluster(void **state)
{
	(void)state;
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .u32 %r<16>; .reg .u64 %d<4>; ld.param.u64 %d1, [p];\n"
		"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;\n"
		"mad.lo.u32 %r4, %r3, 3, %r2; mad.lo.u32 %r4, %r4, 2, %r1; mul.wide.u32 %d2, %r4, 16;\n"
		"add.u64 %d1, %d1, %d2; mov.u32 %r5, %clusterid.x; mov.u32 %r6, %clusterid.y;\n"
		"mov.u32 %r7, %clusterid.z; mov.u32 %r8, %clusterid.w; st.global.u32 [%d1], %r5;\n"
		"st.global.u32 [%d1+4], %r6; st.global.u32 [%d1+8], %r7; st.global.u32 [%d1+12], %r8;\n"
		"ret;\n}\n";
	uint32_t data[BYTES / 4] = {0};
	run(text, (uint32_t[]){2, 3, 4}, (uint32_t[]){1, 1, 1}, data);
	for (uint32_t i = 0; i < 24; i++) {
		assert_int_equal(data[4 * i], i % 2);
		assert_int_equal(data[4 * i + 1], i / 2 % 3);
		assert_int_equal(data[4 * i + 2], i / 6);
		assert_int_equal(data[4 * i + 3], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_floats),
		cmocka_unit_test(sums_of_mixed_precision),
		cmocka_unit_test(minima_of_several),
		cmocka_unit_test(a_matrix_is_transposed),
		cmocka_unit_test(phases_of_an_mbarrier),
		cmocka_unit_test(a_copy_without_its_source),
		cmocka_unit_test(a_block_is_a_cluster),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
