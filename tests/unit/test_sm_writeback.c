/* Write-back of loads: a separate port, waits for a bank that another result is written to; each
 * load's latency is counted once. */
#include "timing.h"

enum { ADDS = 20, ROUNDS = 64 };

/* A loop of a load whose result is unused and of independent additions. */
static struct timed run(unsigned warps, unsigned latency, const char *load, const char *banks,
			const char *reads)
{
	static char text[8192], lat[32];
	char *p = text;
	p += sprintf(p,
		     HEAD
		     ".reg .u32 %%r<80>; .reg .u64 %%d<3>; .reg .pred %%p;\n"
		     "ld.param.u64 %%d1, [pin]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %u;\nL:\n%s\n",
		     ROUNDS, load);
	for (unsigned i = 0; i < ADDS; i++)
		p += sprintf(p, "add.u32 %%r%u, %%r1, %u;\n", 4 + i, i);
	sprintf(p, "sub.u32 %%r2, %%r2, 1; setp.ne.u32 %%p, %%r2, 0; @%%p bra L;\nret;\n}\n");
	sprintf(lat, "l1d.latency=%u", latency);
	uint32_t data[32] = {0};
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32 * warps},
			  .config = "gtx480",
			  .in = data,
			  .in_bytes = sizeof data,
			  .set = {"gpu.sms=1", lat, "sm.writeback_ports=16", reads, banks}};
	return bench_run(&b);
}

#define LOAD "ld.global.u32 %r3, [%d1];"

/* With one bank for all registers a load's result often finds it taken by results of additions;
 * with 64 banks it waits only for another load's. */
static void a_load_waits_for_its_bank(void **state)
{
	(void)state;
	struct timed one = run(16, 40, LOAD, "sm.register_banks=1", "sm.bank_conflicts=yes"),
		     many = run(16, 40, LOAD, "sm.register_banks=64", "sm.bank_conflicts=yes");
	assert_in_range(figure(&many, "sm", "port_conflicts"), 1, ROUNDS);
	assert_true(figure(&one, "sm", "port_conflicts") >
		    10 * figure(&many, "sm", "port_conflicts"));
	/* a refused load is retried in each cycle, so there are more failed attempts than loads */
	assert_true(figure(&one, "sm", "port_conflicts") > 16 * ROUNDS);
	timed_free(&one);
	timed_free(&many);
}

/* How many loads took from 2^(i-1) to 2^i - 1 cycles, by i. */
static void buckets(const char *load, unsigned latency, unsigned *n)
{
	struct timed t = run(1, latency, load, "sm.register_banks=16", "sm.bank_conflicts=yes");
	json_t *h = json_object_get(json_object_get(json_object_get(t.launch, "timing"), "sm"),
				    "load_latency");
	assert_int_equal(json_array_size(h), 20);
	for (unsigned i = 0; i < 20; i++)
		n[i] = (unsigned)json_integer_value(json_array_get(h, i));
	timed_free(&t);
}

/* The first load misses, all others hit: the latency of the L1 and three cycles on each side. */
static void each_load_has_its_latency(void **state)
{
	(void)state;
	static const struct {
		unsigned latency, bucket;
	} c[] = {{9, 4}, {10, 5}, {40, 6}, {57, 6}, {58, 7}, {100, 7}};
	unsigned n[20];
	for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
		buckets(LOAD, c[i].latency, n);
		if (n[c[i].bucket] != ROUNDS - 1)
			fail_msg("latency %u: %u in bucket %u", c[i].latency, n[c[i].bucket],
				 c[i].bucket);
		unsigned slower = 0;
		for (unsigned k = c[i].bucket + 1; k < 20; k++)
			slower += n[k];
		assert_int_equal(slower, 1);
	}
}

/* Stores and shared-memory accesses do not count as loads that wait for memory. */
static void others_are_not_counted(void **state)
{
	(void)state;
	static const char *const other[] = {
		"st.global.u32 [%d1], %r1;",
		".shared .b32 s[4]; ld.shared.u32 %r3, [s];",
		"red.global.add.u32 [%d1], %r1;",
	};
	for (unsigned i = 0; i < 3; i++) {
		unsigned n[20];
		buckets(other[i], 40, n);
		for (unsigned k = 0; k < 20; k++)
			assert_int_equal(n[k], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_waits_for_its_bank),
		cmocka_unit_test(each_load_has_its_latency),
		cmocka_unit_test(others_are_not_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
