/* sm.collector_order = ready: the cycles in which instructions leave their collectors and enter
 * units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/pages.h"
#include "sm/collect.h"

extern const struct coll_ops coll_ready;

static struct machine machine = {.coll_order = &coll_ready, .writeback = 2, .write_lat = 3};

static struct sm *sm_with(unsigned sp, unsigned sfu)
{
	struct sm *sm = xcalloc(1, sizeof *sm);
	sm->m = &machine;
	sm->now = 1000; /* not the ring's first round */
	struct lane_set *set = sm->lanes.set = xcalloc_lines(1, sizeof *set);
	set->unit[UNIT_SP].n = (uint8_t)sp;
	set->unit[UNIT_SFU].n = (uint8_t)sfu;
	set->wb.banks = PAGES_ARRAY(uint64_t, WB_AHEAD);
	set->wb.results = PAGES_ARRAY(uint8_t, WB_AHEAD);
	set->wb.from = sm->now;
	set->order = &coll_ready;
	coll_ready.init(set);
	return sm;
}

static void drop(struct sm *sm)
{
	lane_set_free(sm->lanes.set);
	free(sm->lanes.set);
	free(sm);
}

/* Expects an instruction whose operands are ready at cycle 1000 + ready to leave its collector and
 * enter its unit in the given cycles. */
static void expect(struct sm *sm, unsigned u, cycle_t lat, cycle_t ii, cycle_t ready,
		   cycle_t leaves, cycle_t enters)
{
	cycle_t left = 1000 + ready, at = entry_take(sm, sm->lanes.set, u, 2, lat, ii, &left),
		wb = at + lat + machine.write_lat;
	assert_int_equal(left, 1000 + leaves);
	assert_int_equal(at, 1000 + enters);
	ahead_writes(&sm->lanes.set->wb, wb, 0);
}

static void who_is_ready_passes(void **state)
{
	(void)state;
	struct sm *sm = sm_with(2, 0);
	expect(sm, UNIT_SP, 4, 1, 10, 10, 10); /* waits for its operands */
	expect(sm, UNIT_SP, 4, 1, 3, 3, 3);
	expect(sm, UNIT_SP, 4, 1, 3, 3, 3);
	expect(sm, UNIT_SP, 4, 1, 3, 4, 4);    /* two registers */
	expect(sm, UNIT_SP, 4, 1, 10, 10, 10); /* beside the first */
	expect(sm, UNIT_SP, 4, 1, 10, 11, 11);
	drop(sm);
}

static void a_unit_ends_one_a_cycle(void **state)
{
	(void)state;
	struct sm *sm = sm_with(2, 0);
	expect(sm, UNIT_SP, 5, 1, 3, 3, 3); /* in unit 0 until cycle 8 */
	expect(sm, UNIT_SP, 4, 1, 4, 4, 4); /* refused by unit 0, taken by unit 1 */
	expect(sm, UNIT_SP, 4, 1, 4, 4, 5); /* unit 0 was offered it too early */
	expect(sm, UNIT_SP, 1, 1, 4, 5, 5); /* unit 1: the registers were full */
	drop(sm);
	sm = sm_with(1, 0);
	expect(sm, UNIT_SP, 5, 1, 3, 3, 3);
	expect(sm, UNIT_SP, 4, 1, 3, 3, 5); /* not 4: both would finish at 8 */
	expect(sm, UNIT_SP, 9, 1, 3, 4, 6); /* behind it, although the unit could take it at 4 */
	drop(sm);
}

static void intervals_and_ports(void **state)
{
	(void)state;
	struct sm *sm = sm_with(1, 1);
	expect(sm, UNIT_SP, 4, 2, 3, 3, 3);
	expect(sm, UNIT_SP, 4, 2, 3, 3, 5);
	expect(sm, UNIT_SP, 4, 2, 3, 4, 7);
	drop(sm);
	sm = sm_with(2, 1);
	expect(sm, UNIT_SP, 8, 1, 3, 3, 3);
	expect(sm, UNIT_SP, 8, 1, 3, 3, 3);
	assert_int_equal(STAT(&sm->stats, port_conflicts), 0);
	expect(sm, UNIT_SFU, 8, 8, 3, 3, 4); /* two write-back ports */
	assert_int_equal(STAT(&sm->stats, port_conflicts), 1);
	drop(sm);
}

/* In the last cycle that the rings cover, an instruction enters whatever leaves the ports in that
 * cycle. */
static void nothing_is_known_behind_the_rings(void **state)
{
	(void)state;
	struct sm *sm = sm_with(1, 0);
	const cycle_t last = WB_AHEAD - 1 - 4 - machine.write_lat;
	expect(sm, UNIT_SP, 4, 1, last - 1, last - 1, last - 1);
	for (unsigned i = 0; i < machine.writeback; i++)
		ahead_writes(&sm->lanes.set->wb, sm->now + WB_AHEAD - 1, 0);
	expect(sm, UNIT_SP, 4, 1, last - 1, last - 1, last);
	assert_int_equal(STAT(&sm->stats, port_conflicts), 0);
	drop(sm);
}

/* Intervals longer than the rings are respected: one unit, one instruction per 600 cycles. */
static void long_intervals(void **state)
{
	(void)state;
	struct machine m = machine;
	struct sm *sm = xcalloc(1, sizeof *sm);
	const struct tinst t = {.unit = UNIT_SP, .lat = 4, .ii = 600};
	m.sp_units = 1;
	m.coll_sp = 6;
	m.ports_sp = m.read_lat = 1;
	m.reg_banks = 16;
	sm->m = &m;
	sm->now = 1000;
	sm->lanes.set = xcalloc_lines(1, sizeof *sm->lanes.set);
	lane_set_init(sm->lanes.set, &m);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(unit_start(sm, sm->lanes.set, 0, &t, 1, t.ii), 1001 + 600 * i + 4);
	drop(sm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_ready_passes),
		cmocka_unit_test(a_unit_ends_one_a_cycle),
		cmocka_unit_test(intervals_and_ports),
		cmocka_unit_test(nothing_is_known_behind_the_rings),
		cmocka_unit_test(long_intervals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
