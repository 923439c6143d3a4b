/* Operations that no vectors of a GPU have: pairs of floats in a 64-bit register, numbers of
 * clusters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { BYTES = 4096 };

/* Runs kernel k(address) and gives what it leaves there. */
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

/* Both halves are operated on by themselves; .ftz makes zeros of denormals, a rounding is that of
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

/* Without clusters each block is one of its own, with its number; there is no fourth dimension. */
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_of_floats),
					   cmocka_unit_test(a_block_is_a_cluster)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
