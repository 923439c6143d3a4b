/* A time series of bounded length: rows are joined; total amounts and times are preserved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "gpu/series.h"

/* Rows of 1, 2, 3, ... cycles with an amount of ten per cycle and a constant of one. */
static void test_joined(void **state)
{
	(void)state;
	struct series s;
	uint64_t cycles = 0;
	unsigned joined = 0;
	series_init(&s, 7, 2); /* eight: pairs */
	for (unsigned i = 1; i <= 1000; i++) {
		double row[2] = {10.0 * i, 1};
		joined += series_add(&s, i, row);
		cycles += i;
		assert_true(s.n <= 8);
		assert_true(i < 9 || s.n > 4);
		assert_int_equal(s.end[s.n - 1], cycles);
		double sum = 0, rows = 0;
		for (unsigned k = 0; k < s.n; k++) {
			uint64_t from = k ? s.end[k - 1] : 0;
			assert_float_equal(s.value[2 * k], 10.0 * (double)(s.end[k] - from), 0);
			sum += s.value[2 * k];
			rows += s.value[2 * k + 1];
		}
		assert_float_equal(sum, 10.0 * (double)cycles, 0);
		assert_float_equal(rows, i, 0);
	}
	assert_true(joined > 100);
	series_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_joined)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
