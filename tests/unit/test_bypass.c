/* Reads that go past the L1D. */
#include "base/diag.h"
#include "conf/choices.h"
#include "mem/cache.h"
#include "timing.h"

/* Each lane loads a word of a line of its own; all lines are in one set of four ways. Four reserve the set. The others
 * wait for a line, four per round trip, or go past the cache. */
static void a_set_of_four_lines_and_a_warp(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .b32 %r<4>;\n.reg .b64 %d<4>;\nld.param.u64 %d0, [pin];\nld.param.u64 %d1, [pout];\n"
		"mov.u32 %r0, %tid.x;\nmul.wide.u32 %d2, %r0, 4096;\nadd.u64 %d2, %d0, %d2;\n"
		"ld.global.u32 %r1, [%d2];\nmul.wide.u32 %d3, %r0, 4;\nadd.u64 %d3, %d1, %d3;\n"
		"st.global.u32 [%d3], %r1;\nret;\n}\n";
	enum { LANES = 32, WAYS = 4, STRIDE = 4096 };
	static uint8_t in[LANES * STRIDE];
	uint64_t cycles[2];
	for (uint32_t i = 0; i < LANES; i++)
		in[i * STRIDE] = (uint8_t)(3 * i + 1);
	for (unsigned past = 0; past < 2; past++) {
		uint32_t out[LANES] = {0};
		struct bench b = {.config = "gtx480",
				  .set = {"gpu.sms=1", "l1d.sets=32", "l1d.ways=4",
					  "l1d.hash=linear",
					  past ? "l1d.replacement=mrpb" : "l1d.replacement=lru"},
				  .text = text,
				  .kernel = "k",
				  .block = {LANES},
				  .in = in,
				  .in_bytes = sizeof in,
				  .out = out,
				  .bytes = sizeof out};
		struct timed t = bench_run(&b);
		for (uint32_t i = 0; i < LANES; i++)
			assert_int_equal(out[i], 3 * i + 1);
		if (past)
			assert_int_equal(figure(&t, "past", "reads"), LANES - WAYS);
		assert_int_equal(figure(&t, "l1d", "read_misses"), past ? WAYS : LANES);
		cycles[past] = t.cycles;
		timed_free(&t);
	}
	assert_true(2 * cycles[1] < cycles[0]); /* one round trip instead of eight */
}

/* Only a conflict sends a read past, and only the L1D has a way past. */
static void other_refusals_wait(void **state)
{
	(void)state;
	const struct repl_ops *mrpb = repl_find("mrpb");
	static const uint32_t numbers[9] = {4, 2, 128, 0, 8, 4, 8, 1, 1};
	struct cache_conf k;
	struct diag d = {0};
	assert_true(mrpb->bypasses(NULL, CACHE_NO_LINE));
	assert_false(mrpb->bypasses(NULL, CACHE_NO_MSHR));
	assert_false(mrpb->bypasses(NULL, CACHE_QUEUE_FULL));
	assert_true(cache_conf_read(&k, &d, "l1d", KIND_WT, ALLOCATE_ON_MISS, mrpb, 0, numbers));
	assert_false(cache_conf_read(&k, &d, "l2", KIND_WB, ALLOCATE_ON_MISS, mrpb, 0, numbers));
	assert_non_null(strstr(diag_string(&d), "only the L1D has a way past it"));
	diag_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_of_four_lines_and_a_warp),
		cmocka_unit_test(other_refusals_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
