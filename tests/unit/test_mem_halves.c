/* An L2 of two halves, and the network of a chip with GPCs. Latencies are of single requests. */
#include "mem_rig.h"

#include "conf/floorplan.h"
#include "mem/far.h"

struct chip {
	struct machine *machine;
	struct memsys *mem;
	cycle_t now;
};

static struct diag errors;

static void chip_open(struct chip *c, const char *const *set)
{
	c->machine = machine_read(NULL, set, &errors);
	assert_non_null(c->machine);
	c->mem = memsys_new(c->machine, &errors);
	assert_non_null(c->mem);
	c->now = 0;
}

static void chip_close(struct chip *c)
{
	c->now = memsys_drain(c->mem, c->now);
	check_empty(c->mem);
	memsys_free(c->mem);
	machine_free(c->machine);
}

/* Cycles from an SM's request to its reply. */
static unsigned ask(struct chip *c, unsigned sm, unsigned kind, uint64_t line)
{
	struct msg m = {.addr = line * 128,
			.bytes = 128,
			.pieces = 15,
			.kind = (uint8_t)kind,
			.full = true};
	struct port *p = memsys_port(c->mem, sm);
	cycle_t width = memsys_window_max(c->mem), sent = c->now;
	assert_true(port_ready(p, c->now, &m));
	port_send(p, c->now, &m);
	for (;;) {
		memsys_window(c->mem, c->now, c->now + width);
		c->now += width;
		const struct msg *r = port_peek(p, c->now + 10000);
		if (!r)
			continue;
		unsigned latency = (unsigned)(r->time - sent);
		c->now = r->time > c->now ? r->time : c->now;
		port_pop(p);
		return latency;
	}
}

/* Four SMs, two GPCs, one next to each half; four slices over two channels. */
#define TWO_HALVES                                                                                 \
	"gpu.sms=4", "gpu.gpcs=Ab", "mem.partitions=2", "mem.slices=2", "l2.halves=2",             \
		"mem.rop_latency=40", "l2.latency=10", "l2.link_latency=50", "icnt.latency=8",     \
		"mem.dram_latency=200", "l2.line=128", "mem.interleave=128", "gpu.core_mhz=1000",  \
		"gpu.icnt_mhz=1000", "gpu.l2_mhz=1000", "gpu.dram_mhz=1000"

/* The test's lines, by the half that is their home: linear interleaving over four slices. */
enum { HOME_A = 0, HOME_B = 2 };

/* bench/h200/l2_halves.tsv has these latencies of an H200: 282 cycles near, 457 far, 530 and 703
 * from DRAM. */
static void reads_of_both_halves(void **state)
{
	(void)state;
	struct chip c;
	chip_open(&c, (const char *const[]){TWO_HALVES, NULL});
	unsigned cold_near = ask(&c, 0, MSG_READ, HOME_A), cold_far = ask(&c, 0, MSG_READ, HOME_B),
		 near = ask(&c, 0, MSG_READ, HOME_A), copy = ask(&c, 0, MSG_READ, HOME_B);
	assert_int_equal(near, copy); /* the requested slice keeps a copy of a far line */
	/* two crossings of the link; the second line finds its DRAM row open */
	assert_in_range(cold_far - cold_near, 2 * 50 - 12, 2 * 50);
	/* the other half: its own home line is near, the other line is far once */
	assert_int_equal(ask(&c, 2, MSG_READ, HOME_B), near);
	unsigned far = ask(&c, 2, MSG_READ, HOME_A);
	assert_int_equal(far - near,
			 2 * 50); /* the home's lookup takes as long as the near lookup */
	assert_int_equal(ask(&c, 2, MSG_READ, HOME_A), near);
	chip_close(&c);
}

static void a_write_drops_the_other_copy(void **state)
{
	(void)state;
	struct chip c;
	chip_open(&c, (const char *const[]){TWO_HALVES, NULL});
	for (unsigned sm = 0; sm < 4; sm += 2)
		for (unsigned line = 0; line < 4; line += 2)
			ask(&c, sm, MSG_READ, line);
	unsigned near = ask(&c, 0, MSG_READ, HOME_A);
	ask(&c, 0, MSG_WRITE, HOME_A);
	assert_int_equal(ask(&c, 0, MSG_READ, HOME_A), near);
	assert_int_equal(ask(&c, 2, MSG_READ, HOME_A), near + 100); /* the write dropped the copy */
	assert_int_equal(ask(&c, 2, MSG_READ, HOME_A), near);
	ask(&c, 2, MSG_WRITE, HOME_A); /* writes through to the home, and updates the copy */
	assert_int_equal(ask(&c, 2, MSG_READ, HOME_A), near);
	assert_int_equal(ask(&c, 0, MSG_READ, HOME_A), near);
	chip_close(&c);
}

static void an_atomic_is_performed_at_the_home(void **state)
{
	(void)state;
	struct chip c;
	chip_open(&c, (const char *const[]){TWO_HALVES, NULL});
	ask(&c, 0, MSG_READ, HOME_A);
	ask(&c, 0, MSG_READ, HOME_B);
	ask(&c, 0, MSG_READ, HOME_B);
	unsigned near = ask(&c, 0, MSG_ATOMIC, HOME_A), far = ask(&c, 0, MSG_ATOMIC, HOME_B);
	assert_int_equal(far - near, 100);
	assert_true(ask(&c, 0, MSG_READ, HOME_B) > 150); /* the copy was dropped */
	chip_close(&c);
}

static void distances_differ_by_gpc_and_slice(void **state)
{
	(void)state;
	struct chip c;
	unsigned sum[2] = {0}, differ = 0;
	chip_open(&c, (const char *const[]){"gpu.sms=4", "gpu.gpcs=AABB", "icnt.kind=gpc",
					    "icnt.spread=40", "mem.partitions=8",
					    "mem.interleave=128", "l2.line=128", NULL});
	for (unsigned line = 0; line < 8; line++) {
		ask(&c, 0, MSG_READ, line);
		unsigned a = ask(&c, 0, MSG_READ, line), b = ask(&c, 2, MSG_READ, line);
		assert_int_equal(ask(&c, 1, MSG_READ, line), a); /* another SM of the GPC */
		differ += a != b;
		sum[0] += a;
		sum[1] += b;
	}
	assert_int_equal(differ, 8);
	assert_int_equal(sum[0], sum[1]); /* every GPC is adjacent to equally many slices */
	chip_close(&c);
}

/* Replies per cycle to SMs that ask for lines of the L2, with a GPC's link of 32 bytes per cycle and SM. */
static double rate(const char *const *set, unsigned sms)
{
	struct chip c;
	chip_open(&c, set);
	struct traffic t = {
		.seed = 1, .sms = sms, .count = 4000, .percent = 100, .span = 1 << 14, .line = 128};
	struct outcome o = drive(c.mem, &t);
	double r = (double)o.requests / (double)o.end;
	check_empty(c.mem);
	memsys_free(c.mem);
	machine_free(c.machine);
	return r;
}

#define GPC_NETWORK                                                                                \
	"icnt.kind=gpc", "icnt.gpc_bytes=32", "icnt.flit_bytes=32", "icnt.header_bytes=0",         \
		"icnt.buffer_flits=256", "mem.partitions=8", "gpu.core_mhz=1000",                  \
		"gpu.icnt_mhz=1000", "gpu.l2_mhz=1000", "l2.line=128", "mem.interleave=128",       \
		"icnt.slice_flits=4"

static void sms_of_a_gpc_share_its_link(void **state)
{
	(void)state;
	double one = rate((const char *const[]){GPC_NETWORK, "gpu.sms=4", "gpu.gpcs=AAAA", NULL},
			  1),
	       all = rate((const char *const[]){GPC_NETWORK, "gpu.sms=4", "gpu.gpcs=AAAA", NULL},
			  4);
	/* 4 SMs x 32 bytes are one line per cycle, for a single SM as for all together */
	assert_true(one > 0.9 && one <= 1.0);
	assert_true(all > 0.9 && all <= 1.0);
}

/* SMs 0 to 3 ask for the same line, SM i `later[i]` cycles after the first; `cycles`: until their answers. */
static void ask_together(struct chip *c, const unsigned later[4], uint64_t line, unsigned cycles[4])
{
	cycle_t width = memsys_window_max(c->mem), begin = c->now;
	unsigned sent = 0, answered = 0;
	while (answered < 4) {
		for (unsigned i = sent; i < 4 && begin + later[i] < c->now + width; i = ++sent) {
			struct msg m = {
				.addr = line * 128, .bytes = 128, .pieces = 15, .kind = MSG_READ};
			struct port *p = memsys_port(c->mem, i);
			assert_true(port_ready(p, begin + later[i], &m));
			port_send(p, begin + later[i], &m);
		}
		memsys_window(c->mem, c->now, c->now + width);
		c->now += width;
		for (unsigned i = 0; i < 4; i++) {
			struct port *p = memsys_port(c->mem, i);
			const struct msg *r = port_peek(p, c->now + 10000);
			if (!r)
				continue;
			cycles[i] = (unsigned)(r->time - begin - later[i]);
			c->now = r->time > c->now ? r->time : c->now;
			port_pop(p);
			answered++;
		}
	}
}

/* bench/h200/share.cu: a load shares the answer of an SM of its GPC that has asked 51 cycles before, not 85 cycles
 * before, and never that of another GPC's SM. */
static void reads_of_a_gpc_are_merged(void **state)
{
	(void)state;
	struct chip c;
	unsigned t[4];
	chip_open(&c, (const char *const[]){GPC_NETWORK, "gpu.sms=4", "gpu.gpcs=AAAB",
					    "icnt.merge=70", "icnt.merge_most=2", NULL});
	ask(&c, 0, MSG_READ, 0);
	unsigned alone = ask(&c, 0, MSG_READ, 0);
	ask_together(&c, (const unsigned[]){0, 51, 60, 60}, 0, t);
	assert_in_range(t[0], alone, alone + 2);
	assert_in_range(t[1], alone - 51, alone - 51 + 8); /* the answer of SM 0 */
	assert_in_range(t[2], alone, alone + 8);           /* two reads share it already */
	assert_in_range(t[3], alone, alone + 8);           /* another GPC */
	ask_together(&c, (const unsigned[]){0, 85, 2000, 3000}, 0, t);
	assert_in_range(t[1], alone, alone + 2);
	chip_close(&c);
}

/* A line of the other half crosses the link in l2.link_bytes per cycle. */
static void far_lines_cross_the_link(void **state)
{
	(void)state;
	unsigned sum[2] = {0};
	for (unsigned i = 0; i < 2; i++) {
		struct chip c;
		chip_open(&c,
			  (const char *const[]){TWO_HALVES, "icnt.kind=gpc",
						i ? "l2.link_bytes=8" : "l2.link_bytes=32", NULL});
		for (uint64_t line = 0; line < 8; line++) {
			ask(&c, 0, MSG_WRITE, line); /* its home has it */
			sum[i] += ask(&c, 0, MSG_READ, line);
		}
		chip_close(&c);
	}
	/* half of the lines: twelve cycles more for the four sectors */
	assert_in_range(sum[1] - sum[0], 12, 8 * 26);
}

static void same_results_on_all_threads(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 6; seed++) {
		struct traffic t = {.seed = seed,
				    .sms = 8,
				    .count = 600,
				    .percent = 80,
				    .write = 30,
				    .atomic = 20,
				    .span = 1 << 16,
				    .line = 128};
		uint64_t hash = 0;
		for (unsigned threads = 1; threads < 4; threads++) {
			struct chip c;
			/* caches so small that far requests of both halves fill their MSHRs */
			chip_open(&c,
				  (const char *const[]){
					  TWO_HALVES, "gpu.sms=8", "gpu.gpcs=AbAb", "icnt.kind=gpc",
					  "icnt.spread=30", "icnt.merge=70", "l2.sets=4",
					  "l2.ways=2", "l2.mshrs=2", "l2.mshr_merge=2",
					  "mem.queue=2", "dram.refresh=bank", "dram.tREFI=4000",
					  "dram.tRFC=300", "mem.address_map=mix", NULL});
			t.threads = threads;
			struct outcome o = drive(c.mem, &t);
			check_empty(c.mem);
			assert_true(!hash || hash == o.hash);
			hash = o.hash;
			memsys_free(c.mem);
			machine_free(c.machine);
		}
	}
}

static void no_stride_prefers_a_slice(void **state)
{
	(void)state;
	struct machine *m = machine_read(NULL,
					 (const char *const[]){"mem.partitions=47", "mem.slices=2",
							       "mem.address_map=mix", NULL},
					 &errors);
	struct addrmap map;
	addrmap_init(&map, m);
	for (uint64_t stride = 256; stride <= 94 * 65536;
	     stride = stride < 65536 ? stride * 2 : stride + 94 * 4096) {
		unsigned count[94] = {0}, most = 0;
		for (uint64_t i = 0; i < 9400; i++)
			count[addrmap_dest(&map, i * stride)]++;
		for (unsigned d = 0; d < 94; d++)
			most = count[d] > most ? count[d] : most;
		assert_true(most <= 145); /* 100 each in the mean; the standard deviation is 10 */
	}
	machine_free(m);
}

/* l2.home_bytes: a page has its home in one half, and the map is one-to-one in each partition. */
static void pages_have_one_home(void **state)
{
	(void)state;
	enum { PAGE = 4096, UNIT = 256, PAGES = 470, UNITS = PAGES * PAGE / UNIT, PARTS = 5 };
	struct diag d = {0};
	struct machine *m = machine_read(NULL,
					 (const char *const[]){"mem.partitions=5", "mem.slices=2",
							       "l2.halves=2", "l2.home_bytes=4096",
							       "mem.interleave=256",
							       "mem.address_map=mix", NULL},
					 &d);
	assert_non_null(m);
	struct addrmap map;
	static uint8_t seen[PARTS * UNITS];
	unsigned count[2 * PARTS] = {0}, most = 0;
	addrmap_init(&map, m);
	for (uint64_t at = 0; at < (uint64_t)PAGES * PAGE; at += UNIT) {
		unsigned dest = addrmap_dest(&map, at + 32),
			 page = addrmap_dest(&map, at / PAGE * PAGE);
		uint64_t local = addrmap_local(&map, at + 32);
		assert_int_equal(dest / PARTS, page / PARTS);
		assert_int_equal(local % UNIT, 32);
		count[dest]++;
		uint64_t key = local / UNIT * PARTS + dest % PARTS;
		assert_true(key < PARTS * UNITS && !seen[key]);
		seen[key] = 1;
	}
	for (unsigned i = 0; i < 2 * PARTS; i++)
		most = count[i] > most ? count[i] : most;
	assert_true(most * 2 * PARTS < UNITS * 5 / 4);
	machine_free(m);
	assert_null(machine_read(NULL, (const char *const[]){"l2.home_bytes=3000", NULL}, &d));
	diag_free(&d);
}

static void bad_floor_plans(void **state)
{
	(void)state;
	static const char *const bad[][2] = {
		{"gpu.gpcs=AAA", "gpu.gpcs has 3 TPCs: they must divide gpu.sms = 4"},
		{"gpu.gpcs=A1", "gpu.gpcs = A1: \"1\" is not a letter"},
		{"gpu.gpcs=Ab",
		 "gpu.gpcs = Ab: \"b\" is not a GPC of an L2 with one half (l2.halves)"},
	};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct diag d = {0};
		struct machine *m =
			machine_read(NULL, (const char *const[]){"gpu.sms=4", bad[i][0], NULL}, &d);
		assert_null(memsys_new(m, &d));
		assert_non_null(strstr(d.msg[0].text, bad[i][1]));
		diag_free(&d);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_of_both_halves),
		cmocka_unit_test(a_write_drops_the_other_copy),
		cmocka_unit_test(an_atomic_is_performed_at_the_home),
		cmocka_unit_test(distances_differ_by_gpc_and_slice),
		cmocka_unit_test(sms_of_a_gpc_share_its_link),
		cmocka_unit_test(reads_of_a_gpc_are_merged),
		cmocka_unit_test(far_lines_cross_the_link),
		cmocka_unit_test(same_results_on_all_threads),
		cmocka_unit_test(no_stride_prefers_a_slice),
		cmocka_unit_test(pages_have_one_home),
		cmocka_unit_test(bad_floor_plans),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
