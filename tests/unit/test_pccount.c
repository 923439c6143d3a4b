/* Number of groups at each pc, for schedulers that use it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "sm/sched/pccount.h"

/* As many pcs as a scheduler has groups: each is counted, none is lost. */
static void no_pc_is_lost(void **state)
{
	(void)state;
	struct sched s = {.n = 2048};
	struct pc_count c = {0};
	pc_count_init(&c, &s);
	for (unsigned round = 0; round < 3; round++) {
		c.round++;
		for (uint32_t pc = 0; pc < 2048; pc++)
			pc_count(&c, pc * 8, pc % 3 + 1);
		for (uint32_t pc = 0; pc < 2048; pc++)
			assert_int_equal(pc_count(&c, pc * 8, 0), pc % 3 + 1);
	}
	pc_count_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_pc_is_lost)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
