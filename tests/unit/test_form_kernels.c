/* The kernels of tests/kernels under the mechanisms that form groups of their own: memory equals
 * the host's on every machine. The fragment mechanisms run a third of the kernels, because issuing
 * single threads is slow. */
#include "forms.h"

static void fragments(void **state)
{
	(void)state;
	run_kernels(fragment_machine, COUNT_OF(fragment_machine), 1, 3);
}

static void frontiers(void **state)
{
	(void)state;
	run_kernels(frontier_machine, COUNT_OF(frontier_machine), 2, 1);
}

static void compaction(void **state)
{
	(void)state;
	run_kernels(tbc_machine, COUNT_OF(tbc_machine), 2, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fragments),
		cmocka_unit_test(frontiers),
		cmocka_unit_test(compaction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
