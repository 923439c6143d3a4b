/* The kernels of tests/kernels on many machines: memory is that of the host. */
#include "forms.h"

static void warps_as_they_are(void **state)
{
	(void)state;
	run_kernels(plain_machine, COUNT_OF(plain_machine), 2, 1);
}

static void regrouped(void **state)
{
	(void)state;
	run_kernels(regroup_machine, COUNT_OF(regroup_machine), 2, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warps_as_they_are),
		cmocka_unit_test(regrouped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
