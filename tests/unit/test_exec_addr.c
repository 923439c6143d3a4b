/* Addresses and spaces: isspacep, addresses of a cluster, memory from a thread's stack; and special
 * registers that describe the launch. Each is executed by a whole warp and by part of a warp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

#define KERNEL(code)                                                                                           \
	".version 8.0\n.target sm_90\n.address_size 64\n.const .u32 c[4] = {1, 2, 3, 4};\n"                    \
	".visible .entry k(.param .u64 p)\n{\n"                                                                \
	".reg .u32 %r<16>; .reg .u64 %d<16>; .reg .pred %p<8>;\n"                                              \
	".shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];\n"                                           \
	"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d15, %d1, %d2;\n" code \
	"st.global.u32 [%d15], %r15;\nret;\n}\n"

/* Runs a block of `threads` threads; returns the message and the words that the threads store. */
static const char *run(const char *text, unsigned threads, uint32_t *words)
{
	static char said[512];
	struct heddle *h;
	struct heddle_module *m;
	uint64_t at;
	assert_int_equal(heddle_open(&h, &(struct heddle_options){0}), HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"t.ptx", text, strlen(text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, 128, &at), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, at, 0xff, 1, 128), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
				  .params = &at,
				  .grid = {1, 1, 1},
				  .block = {threads, 1, 1},
				  .shared_bytes = 256};
	enum heddle_status st = heddle_launch(h, &l);
	snprintf(said, sizeof said, "%s", st ? heddle_message(h) : "");
	if (!st)
		assert_int_equal(heddle_read(h, words, at, 128), HEDDLE_OK);
	heddle_close(h);
	return said;
}

/* Asserts that every thread stores this word. */
static void leaves(const char *text, uint32_t want)
{
	static const unsigned threads[] = {32, 20};
	uint32_t got[32];
	for (unsigned i = 0; i < 2; i++) {
		const char *said = run(text, threads[i], got);
		if (*said)
			fail_msg("%s", said);
		for (unsigned k = 0; k < threads[i]; k++)
			assert_int_equal(got[k], want);
	}
}

static void faults(const char *text, const char *what)
{
	static const unsigned threads[] = {32, 20};
	uint32_t got[32];
	for (unsigned i = 0; i < 2; i++) {
		const char *said = run(text, threads[i], got);
		if (!strstr(said, what))
			fail_msg("lacks \"%s\": %s", what, said);
	}
}

/* Four addresses: global, shared, local and constant; bit 4 i + j is set if address i belongs to
 * space j. */
static void each_address_is_of_one_space(void **state)
{
	(void)state;
#define ASK(space)                                                                                 \
	"isspacep." space                                                                          \
	" %p1, %d3; selp.u32 %r2, 1, 0, %p1; shl.b32 %r15, %r15, 1; or.b32 %r15, %r15, %r2;\n"
#define ALL ASK("const") ASK("local") ASK("shared") ASK("global")
	leaves(KERNEL("mov.u32 %r15, 0;\n"
		      "mov.u64 %d3, c; cvta.const.u64 %d3, %d3;\n" ALL
		      "mov.u64 %d3, l; cvta.local.u64 %d3, %d3;\n" ALL
		      "mov.u64 %d3, s; cvta.shared.u64 %d3, %d3;\n" ALL "mov.u64 %d3, %d1;\n" ALL),
	       0x8421);
}

/* A block without a cluster is a cluster of its own: cluster addresses are its addresses, and its
 * rank is 0. */
static void a_cluster_of_one_block(void **state)
{
	(void)state;
	leaves(KERNEL("mov.u32 %r2, s; mov.u32 %r3, 0; mapa.shared::cluster.u32 %r4, %r2, %r3;\n"
		      "sub.u32 %r15, %r4, %r2;\n"
		      "mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; mapa.u64 %d4, %d3, %r3; sub.u64 %d4, %d4, %d3;\n"
		      "cvt.u32.u64 %r5, %d4; or.b32 %r15, %r15, %r5;\n"
		      "getctarank.shared::cluster.u32 %r6, %r2; or.b32 %r15, %r15, %r6;\n"
		      "createpolicy.fractional.L2::evict_last.b64 %d5, 1.0;\n"),
	       0);
	faults(KERNEL("mov.u32 %r3, 1; mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; mapa.u64 %d4, %d3, %r3;\n"
		      "ld.u32 %r15, [%d4];\n"),
	       "read of 4 bytes at 0xfffffffffffffff0");
}

/* Two aligned, disjoint pieces of the stack below the saved pointer; restoring it gives the stack
 * back. */
#define TAKE                                                                                       \
	"stacksave.u64 %d3; mov.u64 %d4, 40; alloca.u64 %d5, %d4, 16; alloca.u64 %d6, %d4, 64;\n"
static void memory_of_the_stack(void **state)
{
	(void)state;
	leaves(KERNEL(TAKE
		      "add.u64 %d7, %d5, 40; setp.le.u64 %p1, %d7, %d3; selp.u32 %r15, 1, 0, %p1;\n"
		      "add.u64 %d7, %d6, 40; setp.le.u64 %p1, %d7, %d5; selp.u32 %r2, 2, 0, %p1; or.b32 %r15, %r15, %r2;\n"
		      "and.b64 %d7, %d5, 15; cvt.u32.u64 %r2, %d7; shl.b32 %r2, %r2, 8; or.b32 %r15, %r15, %r2;\n"
		      "and.b64 %d7, %d6, 63; cvt.u32.u64 %r2, %d7; shl.b32 %r2, %r2, 8; or.b32 %r15, %r15, %r2;\n"),
	       3);
	leaves(KERNEL(TAKE
		      "mov.u32 %r2, 7; st.local.u32 [%d5+36], %r2; mov.u32 %r2, 9; st.local.u32 [%d6+36], %r2;\n"
		      "ld.local.u32 %r15, [%d5+36]; ld.local.u32 %r3, [%d6+36]; shl.b32 %r3, %r3, 4; or.b32 %r15, %r15, %r3;\n"),
	       0x97);
	leaves(KERNEL(TAKE
		      "stackrestore.u64 %d3; stacksave.u64 %d7; sub.u64 %d7, %d7, %d3; cvt.u32.u64 %r15, %d7;\n"),
	       0);
	faults(KERNEL("mov.u64 %d4, 0x10000000; alloca.u64 %d5, %d4, 16; mov.u32 %r15, 0;\n"),
	       "stack overflow: alloca of 268435456 bytes");
	faults(KERNEL(TAKE "sub.u64 %d3, %d6, 8; stackrestore.u64 %d3; mov.u32 %r15, 0;\n"),
	       "which no stacksave gave");
}

/* Special registers in a launch of one block with 256 bytes of dynamic shared memory. */
static void what_a_launch_is(void **state)
{
	(void)state;
#define SAYS(code, want) leaves(KERNEL("mov.u32 %r15, " code ";\n"), want)
	SAYS("%nctaid.x", 1);
	SAYS("%nctaid.z", 1);
	SAYS("%ctaid.y", 0);
	SAYS("%nwarpid", 1);
	SAYS("%warpid", 0);
	SAYS("%nclusterid.x", 1);
	SAYS("%clusterid.x", 0);
	SAYS("%cluster_nctaid.y", 1);
	SAYS("%cluster_ctaid.x", 0);
	SAYS("%cluster_nctarank", 1);
	SAYS("%cluster_ctarank", 0);
	SAYS("%dynamic_smem_size", 256);
	SAYS("%envreg0", 0);
	/* the SM's number is below the number of SMs; clocks do not run backwards */
	leaves(KERNEL("mov.u32 %r2, %smid; mov.u32 %r3, %nsmid; setp.lt.u32 %p1, %r2, %r3; selp.u32 %r15, 1, 0, %p1;\n"),
	       1);
	leaves(KERNEL("mov.u32 %r2, %total_smem_size; setp.ge.u32 %p1, %r2, 256; selp.u32 %r15, 1, 0, %p1;\n"
		      "mov.u32 %r2, %aggr_smem_size; setp.ge.u32 %p1, %r2, 256; selp.u32 %r3, 2, 0, %p1; or.b32 %r15, %r15, %r3;\n"),
	       3);
#define CLOCK(size, name, a, b)                                                                    \
	leaves(KERNEL("mov.u" size " " a ", %" name "; mov.u" size " " b ", %" name                \
		      "; setp.le.u" size " %p1, " a ", " b "; selp.u32 %r15, 1, 0, %p1;\n"),       \
	       1)
	CLOCK("32", "clock", "%r2", "%r3");
	CLOCK("32", "clock_hi", "%r2", "%r3");
	CLOCK("64", "clock64", "%d3", "%d4");
	CLOCK("64", "globaltimer", "%d3", "%d4");
	CLOCK("32", "globaltimer_hi", "%r2", "%r3");
	leaves(KERNEL("mov.u32 %r2, %globaltimer_lo; mov.u64 %d3, %gridid; mov.u32 %r15, 0;\n"), 0);
	/* both halves of a register that held another value */
	leaves(KERNEL("mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 1000; mov.u64 %d3, -1; @%p1 mov.u64 %d3, %gridid;\n"
		      "shr.u64 %d3, %d3, 32; cvt.u32.u64 %r15, %d3;\n"),
	       0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_address_is_of_one_space),
		cmocka_unit_test(a_cluster_of_one_block),
		cmocka_unit_test(memory_of_the_stack),
		cmocka_unit_test(what_a_launch_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
