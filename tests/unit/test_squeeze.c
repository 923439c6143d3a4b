/* The squeeze of hybrid warp size: properties checked for every mask by brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sm/lanes/squeeze.h"

static unsigned fullest_lane(uint64_t m, unsigned size, unsigned width)
{
	unsigned most = 0;
	for (unsigned lane = 0; lane < width; lane++) {
		unsigned n = 0;
		for (unsigned p = lane; p < size; p += width)
			n += m >> p & 1;
		most = n > most ? n : most;
	}
	return most;
}

static void check(uint64_t m, unsigned size, unsigned width)
{
	uint8_t from[64];
	uint64_t s = squeeze(m, size, width, from), seen = 0;
	for (unsigned p = 0; p < size; p++) {
		if (!(s >> p & 1))
			continue;
		assert_int_equal(from[p] % width, p % width); /* each thread stays in its lane */
		seen |= 1ull << from[p];
	}
	assert_true(seen == m); /* the set of threads is unchanged */
	assert_int_equal(__builtin_popcountll(s), __builtin_popcountll(m));
	/* the optimum */
	assert_int_equal(squeeze_parts(s, size, width), fullest_lane(m, size, width));
	assert_true(squeeze(s, size, width, NULL) == s); /* idempotent */
}

static void test_small_exhaustive(void **state)
{
	(void)state;
	for (uint64_t m = 0; m < 1u << 16; m++) {
		check(m, 16, 4);
		check(m, 16, 2);
		check(m, 16, 16);
	}
	for (uint64_t m = 0; m < 1u << 12; m++)
		check(m, 12, 3); /* widths that are no power of two */
}

static void test_random(void **state)
{
	(void)state;
	uint64_t r = 0x9e3779b97f4a7c15u;
	for (int i = 0; i < 200000; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		uint64_t sparse = r & (r >> 21) & (i & 1 ? ~0ull : r >> 37);
		check(sparse & 0xffffffff, 32, 8);
		check(r & 0xffffffff, 32, 8);
		check(r, 64, 16);
		check(sparse, 64, 8);
	}
}

static void test_full_and_empty_are_untouched(void **state)
{
	(void)state;
	assert_true(squeeze(0xffffffff, 32, 8, NULL) == 0xffffffff);
	assert_true(squeeze(0, 32, 8, NULL) == 0);
	assert_int_equal(squeeze_parts(0, 32, 8), 0);
}

/* The example of the header. */
static void test_worked_example(void **state)
{
	(void)state;
	uint64_t m = 0x03ull | 0x8cull << 8 | 0x01ull << 16 | 0x60ull << 24; /* bit 0 is lane 0 */
	uint64_t s = squeeze(m, 32, 8, NULL);
	assert_true(s == (0x01ull | 0xefull << 8));
	assert_int_equal(squeeze_parts(m, 32, 8), 4);
	assert_int_equal(squeeze_parts(s, 32, 8), 2);
}

/* Appendix A of the thesis: no thread is lost or leaves its lane, but more parts may remain than
 * necessary. */
static void test_printed(void **state)
{
	(void)state;
	uint64_t r = 0x9e3779b97f4a7c15u, all = 0;
	unsigned worse = 0;
	for (int i = 0; i < 100000; i++) {
		uint8_t from[64];
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		uint64_t m = r & (i & 1 ? r >> 32 : ~0ull) & 0xffffffff, seen = 0,
			 s = squeeze_printed(m, 32, 8, from);
		for (unsigned p = 0; p < 32; p++)
			if (s >> p & 1) {
				assert_int_equal(from[p] % 8, p % 8);
				seen |= 1ull << from[p];
				all = all * 31 + from[p];
			}
		assert_true(seen == m);
		unsigned parts = squeeze_parts(s, 32, 8);
		assert_true(parts >= fullest_lane(m, 32, 8) && parts <= squeeze_parts(m, 32, 8));
		worse += parts > fullest_lane(m, 32, 8);
	}
	assert_true(worse > 1000);
	assert_true(all == 0x6b02044636366e1cu); /* recorded result of the appendix's algorithm */
	/* lanes:          7654 3210: part 0 has lane 0, part 1 lane 0, part 2 lane 1, part 3 lane
	 * 1 */
	uint64_t m = 0x01 | 0x01 << 8 | 0x02 << 16 | (uint64_t)0x02 << 24;
	assert_int_equal(squeeze_parts(squeeze(m, 32, 8, NULL), 32, 8), 2);
	/* part 0 takes part 3's thread; part 1 finds part 3 empty and does not examine part 2 */
	assert_int_equal(squeeze_parts(squeeze_printed(m, 32, 8, NULL), 32, 8), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_exhaustive),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_printed),
		cmocka_unit_test(test_full_and_empty_are_untouched),
		cmocka_unit_test(test_worked_example),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
