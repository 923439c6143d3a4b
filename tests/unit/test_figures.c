/* Contradictions between figures are detected: each kind, made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "conf/machine.h"
#include "gpu/gpu.h"
#include "sm/l1.h"

static struct gpu *gpu;
static struct machine *machine;

static int set_up(void **state)
{
	(void)state;
	struct diag d = {0};
	const char *set[] = {"gpu.sms=2", NULL};
	machine = machine_read(NULL, set, &d);
	gpu = machine ? gpu_new(machine, 1, &d) : NULL;
	diag_free(&d);
	return !gpu;
}

static int tear_down(void **state)
{
	(void)state;
	gpu_free(gpu);
	machine_free(machine);
	return 0;
}

static unsigned errors(cycle_t cycles, const char *word)
{
	struct diag d = {0};
	gpu_check(gpu, cycles, &d);
	unsigned n = d.errors;
	char *text = diag_string(&d);
	if (n && !strstr(text, word))
		fail_msg("\"%s\" is not in: %s", word, text);
	free(text);
	diag_free(&d);
	return n;
}

static void nothing_is_wrong_at_first(void **state)
{
	(void)state;
	assert_int_equal(errors(0, ""), 0);
}

static void slots_without_a_cause(void **state)
{
	(void)state;
	assert_int_equal(errors(5, "issue slots"), 2); /* both SMs */
	gpu->sm[0]->slots[SLOT_issued] = gpu->sm[1]->slots[SLOT_barrier] = 5 * gpu->sm[0]->nsched;
	assert_int_equal(errors(5, "issue slots"), 0);
	gpu->sm[0]->slots[SLOT_issued] = gpu->sm[1]->slots[SLOT_barrier] = 0;
}

static void instructions_without_lanes(void **state)
{
	(void)state;
	STAT(&gpu->sm[1]->stats, warp_instructions) = 2;
	STAT(&gpu->sm[1]->stats, thread_instructions) = 33;
	assert_int_equal(errors(0, "SM 1"), 4);
	gpu->sm[1]->stats.active_lanes[32] = gpu->sm[1]->stats.active_lanes[1] = 1;
	assert_int_equal(errors(0, "by class"), 2);
	gpu->sm[1]->stats.ops[OPC_move] = gpu->sm[1]->stats.ops[OPC_sfu] = 1;
	gpu->sm[1]->stats.op_threads[OPC_move] = 33;
	assert_int_equal(errors(0, ""), 0);
}

static void cycles_that_are_neither_busy_nor_idle(void **state)
{
	(void)state;
	STAT(&gpu->sm[0]->stats, cycles) = 7;
	STAT(&gpu->sm[0]->stats, busy_cycles) = 3;
	assert_int_equal(errors(0, "busy + idle"), 1);
	gpu->sm[0]->stats.idle_cycles[2] = 4;
	assert_int_equal(errors(0, ""), 0);
	STAT(&gpu->sm[0]->stats, cycles) = STAT(&gpu->sm[0]->stats, busy_cycles) = 0;
	gpu->sm[0]->stats.idle_cycles[2] = 0;
}

static void accesses_that_neither_hit_nor_miss(void **state)
{
	(void)state;
	struct cache_stats *s = &gpu->sm[0]->l1->cache[L1D].stats;
	STAT(s, accesses) = STAT(s, reads) = 3;
	STAT(s, hits) = 2;
	assert_int_equal(errors(0, "hits + merged + misses"), 1);
	STAT(s, misses) = 1;
	STAT(s, fetches) = 1;
	assert_int_equal(errors(0, "fetches, fills"), 1);
	STAT(s, fills) = 1;
	assert_int_equal(errors(0, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_wrong_at_first),
		cmocka_unit_test(slots_without_a_cause),
		cmocka_unit_test(instructions_without_lanes),
		cmocka_unit_test(cycles_that_are_neither_busy_nor_idle),
		cmocka_unit_test(accesses_that_neither_hit_nor_miss),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
