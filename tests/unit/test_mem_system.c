/* The memory system as a whole: no message is lost or duplicated with any queue sizes; results do
 * not depend on the number of threads or the window length; latencies in closed form; bandwidth
 * limits. */
#include "mem_rig.h"

static const char *const nets[] = {"icnt.kind=crossbar", "icnt.kind=mesh", "icnt.kind=ideal",
				   "icnt.kind=islip", "icnt.kind=input-queued"};
enum { NETS = sizeof nets / sizeof *nets };

/* After a window its replies are available to every SM, also if host threads exchange them by mail:
 * no SM has to ask for them. */
static void windows_deliver_replies(void **state)
{
	(void)state;
	static const char *const set[] = {"gpu.sms=3", "icnt.kind=crossbar", NULL};
	static struct diag d;
	cycle_t at[2][3] = {0};
	for (unsigned mailed = 0; mailed < 2; mailed++) {
		struct machine *m = machine_read(NULL, set, &d);
		struct memsys *s = memsys_new(m, &d);
		assert_non_null(s);
		memsys_share(s, 1 + mailed);
		cycle_t now = 0, w = memsys_window_max(s);
		for (unsigned i = 0; i < 3; i++) {
			struct msg r = {
				.kind = MSG_READ, .addr = i * 128, .bytes = 128, .pieces = 0xf};
			assert_true(port_ready(memsys_port(s, i), 0, &r));
			port_send(memsys_port(s, i), 0, &r);
		}
		for (unsigned left = 3; left; now += w) {
			memsys_window(s, now, now + w);
			assert_true(now < 10000);
			for (unsigned i = 0; i < 3; i++)
				for (cycle_t c = now + w; c < now + 2 * w && !at[mailed][i]; c++)
					if (port_peek(memsys_port(s, i), c)) {
						port_pop(memsys_port(s, i));
						at[mailed][i] = c;
						left--;
					}
		}
		memsys_free(s);
		machine_free(m);
	}
	assert_memory_equal(at[0], at[1], sizeof at[0]);
}

static void nothing_lost_in_random_traffic(void **state)
{
	(void)state;
	static const char *const l2[] = {"l2.kind=wb", "l2.kind=off", "l2.kind=wt", "l2.sector=32"};
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned k = 0; k < 4; k++)
			for (unsigned sched = 0; sched < 2; sched++) {
				const char *set[] = {
					nets[n],
					l2[k],
					sched ? "dram.scheduler=fcfs" : "dram.scheduler=fr-fcfs",
					"gpu.sms=5",
					"mem.slices=2",
					"dram.tREFI=900",
					"dram.tRFC=60",
					n & 1 ? "mem.fetch_sectors=yes" : "mem.fetch_sectors=no",
					NULL};
				run(set, (struct traffic){.seed = n * 8 + k * 2 + sched + 1,
							  .count = 1500,
							  .percent = 40,
							  .write = 30,
							  .atomic = 10,
							  .span = 1 << 20,
							  .line = 128});
			}
}

static void nothing_lost_with_tiny_queues(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned k = 0; k < 6; k++) {
			const char *set[] = {nets[n],
					     "gpu.sms=7",
					     "mem.partitions=3",
					     "mem.queue=1",
					     "mem.rop_latency=0",
					     "l2.mshrs=1",
					     k & 1 ? "l2.mshr_merge=1" : "l2.mshr_merge=3",
					     "l2.miss_queue=1",
					     "l2.sets=2",
					     "l2.ways=1",
					     "dram.queue=1",
					     "dram.write_queue=1",
					     "icnt.buffer_flits=5",
					     "icnt.outstanding=3",
					     "mem.dram_latency=0",
					     k & 2 ? "l2.sector=32" : "l2.sector=0",
					     k & 1 ? "mem.fetch_sectors=yes"
						   : "mem.fetch_sectors=no",
					     k == 4 ? "l2.kind=off" : "l2.kind=wb",
					     k == 5 ? "gpu.l2_mhz=97.5" : "gpu.l2_mhz=700",
					     NULL};
			run(set, (struct traffic){.seed = 99 + n * 8 + k,
						  .count = 400,
						  .percent = 100,
						  .write = 40,
						  .atomic = 10,
						  .span = 1 << 14,
						  .line = 128});
		}
}

/* A read without a header takes a flit and a credit as other packets do: buffers do not
 * overflow. */
static void packets_without_header(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++) {
		const char *set[] = {nets[n],
				     "gpu.sms=9",
				     "mem.partitions=2",
				     "icnt.header_bytes=0",
				     "icnt.buffer_flits=4",
				     "mem.queue=1",
				     NULL};
		run(set, (struct traffic){.seed = n + 1,
					  .count = 400,
					  .percent = 100,
					  .write = 10,
					  .span = 1 << 16,
					  .line = 128});
	}
}

static void same_for_any_threads(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++) {
		/* clang-format off */
		const char *set[] = {nets[n], "mem.slices=2", "mem.address_map=xor",
		                     "gpu.dram_mhz=923.7", NULL};
		struct traffic t = {.seed = 5, .count = 1500, .percent = 60, .write = 30, .atomic = 5, .span = 1 << 22, .line = 128};
		/* clang-format on */
		struct outcome one = run(set, t);
		t.threads = 2;
		struct outcome two = run(set, t);
		t.threads = 3;
		struct outcome three = run(set, t);
		assert_true(one.hash == two.hash && one.hash == three.hash);
	}
}

static void same_for_any_window(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++) {
		const char *set[] = {nets[n], NULL};
		/* clang-format off */
		struct traffic t = {.seed = 5, .count = 800, .percent = 50, .write = 30, .span = 1 << 22, .line = 128};
		/* clang-format on */
		struct outcome a = run(set, t);
		t.window = 1;
		struct outcome b = run(set, t);
		t.window = 7;
		struct outcome c = run(set, t);
		assert_true(a.hash == b.hash && a.hash == c.hash);
	}
}

static bool runs_beside(const char *const *set)
{
	struct machine *m = machine_with(set);
	struct memsys *s = memsys_with(m);
	bool yes = memsys_beside(s);
	memsys_free(s);
	machine_free(m);
	return yes;
}

/* Partitions that run concurrently with the SMs, before the SMs' messages are known, give the
 * results of partitions that run after the SMs. The path before the cache is short and mostly full,
 * so that requests wait for room. A long mem.atomic_interval, without any atomics, makes partitions
 * run after the SMs. */
static void same_beside_and_after(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned k = 0; k < 4; k++) {
			/* clang-format off */
			const char *set[] = {
				nets[n], "mem.atomic_interval=1", "mem.rop_latency=25", "mem.queue=1",
				"mem.partitions=2", k & 1 ? "l2.kind=off" : "l2.banks=4",
				k & 2 ? "gpu.l2_mhz=500" : "mem.slices=2", NULL};
			struct traffic t = {.seed = 7 + k, .count = 600, .percent = 100, .write = 30,
			                    .span = 1 << 18, .line = 128};
			/* clang-format on */
			assert_true(runs_beside(set));
			struct outcome beside = run(set, t);
			t.threads = 2;
			struct outcome two = run(set, t);
			t.threads = 0;
			t.window = 1;
			struct outcome cycles = run(set, t);
			t.window = 0;
			set[1] = "mem.atomic_interval=1000";
			assert_false(runs_beside(set));
			struct outcome after = run(set, t);
			assert_true(beside.hash == after.hash && beside.hash == two.hash);
			assert_true(beside.hash == cycles.hash);
		}
}

/* Partitions run concurrently with the SMs if the path is longer than a window: both directions of
 * the network, one cycle, and the time that one request occupies the slice. At exactly that length
 * results are equal; with one cycle less, partitions run after the SMs. */
static void beside_from_a_length_on(void **state)
{
	(void)state;
	static const struct {
		const char *l2;
		unsigned keeps, least; /* interconnect at 700 MHz, 8 cycles a direction */
	} t[] = {{"gpu.l2_mhz=700", 1, 16 + 1 + 1},
		 {"gpu.l2_mhz=700", 9, 16 + 1 + 9},
		 {"gpu.l2_mhz=350", 2, 8 + 1 + 2}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char rop[40], keeps[40];
		const char *set[] = {keeps, rop, t[i].l2, "mem.queue=1", "mem.partitions=2", NULL};
		struct traffic u = {.seed = 3 + i,
				    .count = 600,
				    .percent = 100,
				    .write = 30,
				    .span = 1 << 18,
				    .line = 128};
		snprintf(keeps, sizeof keeps, "mem.atomic_interval=%u", t[i].keeps);
		snprintf(rop, sizeof rop, "mem.rop_latency=%u", t[i].least);
		assert_false(runs_beside(set));
		snprintf(rop, sizeof rop, "mem.rop_latency=%u", t[i].least + 1);
		assert_true(runs_beside(set));
		struct outcome beside = run(set, u);
		strcpy(keeps, "mem.atomic_interval=1000");
		assert_false(runs_beside(set));
		assert_true(beside.hash == run(set, u).hash);
	}
}

/* A chase by one SM: network (one flit, header only) + ROP + L2 + reply (header and 128 bytes in
 * flits of 32: five), all clocks equal. */
static void latency_of_a_hit(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=1", "gpu.dram_mhz=700", NULL};
	struct outcome o = run(set, (struct traffic){.seed = 1,
						     .count = 100,
						     .percent = 100,
						     .span = 128,
						     .line = 128,
						     .chase = true});
	assert_int_equal(o.latency, 8 + 1 + 120 + 20 + 5 + 8);
	const char *ideal[] = {"gpu.sms=1", "gpu.dram_mhz=700", "icnt.kind=ideal", NULL};
	o = run(ideal, (struct traffic){.seed = 1,
					.count = 100,
					.percent = 100,
					.span = 128,
					.line = 128,
					.chase = true});
	assert_int_equal(o.latency, 8 + 120 + 20 + 8);
}

/* A miss in a closed bank: the path to DRAM, tRCD, the second of two column accesses (same group:
 * tCCDL), tCL, and its burst. */
static void latency_of_a_miss(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=1", "gpu.dram_mhz=700", NULL};
	struct outcome o = run(
		set, (struct traffic){
			     .seed = 1, .count = 1, .percent = 100, .line = 128, .chase = true});
	assert_int_equal(o.latency, 8 + 1 + 120 + 100 + 12 + 3 + 12 + 2 + 5 + 8);
}

static void perfect_memory_answers_at_once(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=2", "gpu.perfect_memory=yes", NULL};
	struct outcome o = run(set, (struct traffic){.seed = 1,
						     .count = 100,
						     .percent = 100,
						     .span = 1 << 20,
						     .line = 128,
						     .chase = true});
	assert_true(o.latency <= 1);
}

/* Streaming reads reach at least 85 % of the bandwidth of the data bus (or of the reply ports, if
 * those are slower), and never exceed it. */
static void bandwidth_of_a_stream(void **state)
{
	(void)state;
	static const char *const set[] = {"mem.slices=2", "icnt.outstanding=128", NULL};
	struct outcome o =
		run(set, (struct traffic){.seed = 1, .count = 4000, .percent = 100, .line = 128});
	double bytes = (double)o.requests * 128, peak = 6 * 8 * 4 * 924e6;
	double rate = bytes / ((double)o.end / 700e6);
	print_message("stream: %.1f of %.1f GB/s, %.0f ns a request\n", rate / 1e9, peak / 1e9,
		      1e9 * o.seconds / (double)o.requests);
	assert_true(rate < peak);
	assert_true(rate > 0.85 * peak);
}

static void bandwidth_of_random_accesses(void **state)
{
	(void)state;
	static const char *const set[] = {"mem.slices=2", "icnt.outstanding=128", NULL};
	struct outcome o = run(
		set,
		(struct traffic){
			.seed = 1, .count = 4000, .percent = 100, .span = 1ull << 30, .line = 128});
	double bytes = (double)o.requests * 128, peak = 6 * 8 * 4 * 924e6;
	double rate = bytes / ((double)o.end / 700e6);
	/* Every access opens a row: at most one per tRRD cycles. */
	double bound = 6 * 128 * 924e6 / 6;
	print_message("random: %.1f of %.1f GB/s (activates: %.1f), %.0f ns a request\n",
		      rate / 1e9, peak / 1e9, bound / 1e9, 1e9 * o.seconds / (double)o.requests);
	assert_true(rate <= bound * 1.01);
	assert_true(rate > 0.6 * bound);
}

/* Any ratio of clocks: exact, and nothing is lost. */
static void odd_clocks(void **state)
{
	(void)state;
	static const char *const clocks[][3] = {
		{"gpu.icnt_mhz=1401.3", "gpu.l2_mhz=333.3", "gpu.dram_mhz=2500"},
		{"gpu.icnt_mhz=350", "gpu.l2_mhz=1400", "gpu.dram_mhz=97"},
		{"gpu.icnt_mhz=700", "gpu.l2_mhz=700", "gpu.dram_mhz=700"},
	};
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned i = 0; i < 3; i++) {
			const char *set[] = {nets[n],      clocks[i][0], clocks[i][1],
					     clocks[i][2], "gpu.sms=4",  "mem.slices=2",
					     NULL};
			run(set, (struct traffic){.seed = 11,
						  .count = 1000,
						  .percent = 70,
						  .write = 30,
						  .atomic = 10,
						  .span = 1 << 19,
						  .line = 128});
		}
}

/* Requests larger than an L2 line are looked up line by line and answered once. */
static void lines_of_different_sizes(void **state)
{
	(void)state;
	static const char *const lines[] = {"l2.line=32", "l2.line=64", "l2.line=256"};
	for (unsigned i = 0; i < 3; i++) {
		const char *set[] = {lines[i], "gpu.sms=3", i == 1 ? "l2.sector=32" : "l2.sector=0",
				     NULL};
		run(set, (struct traffic){.seed = 4,
					  .count = 1500,
					  .percent = 50,
					  .write = 30,
					  .atomic = 10,
					  .span = 1 << 18,
					  .line = 128});
	}
}

/* A system whose options contradict each other is refused with a reason. */
static void bad_options_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"mem.interleave=96",   "mem.interleave=64", "icnt.buffer_flits=3", "l2.line=96",
		"l2.allocate=on-fill", "l2.sector=16",      "dram.tREFI=100"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		static struct diag d;
		const char *set[] = {bad[i], NULL};
		struct machine *m = machine_read(NULL, set, &d);
		if (!m) { /* refused even earlier */
			assert_true(d.errors > 0);
			continue;
		}
		unsigned before = d.errors;
		assert_null(memsys_new(m, &d));
		assert_true(d.errors > before);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latency_of_a_hit),
		cmocka_unit_test(latency_of_a_miss),
		cmocka_unit_test(perfect_memory_answers_at_once),
		cmocka_unit_test(windows_deliver_replies),
		cmocka_unit_test(nothing_lost_in_random_traffic),
		cmocka_unit_test(nothing_lost_with_tiny_queues),
		cmocka_unit_test(packets_without_header),
		cmocka_unit_test(same_for_any_threads),
		cmocka_unit_test(same_for_any_window),
		cmocka_unit_test(same_beside_and_after),
		cmocka_unit_test(beside_from_a_length_on),
		cmocka_unit_test(odd_clocks),
		cmocka_unit_test(lines_of_different_sizes),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(bandwidth_of_a_stream),
		cmocka_unit_test(bandwidth_of_random_accesses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
