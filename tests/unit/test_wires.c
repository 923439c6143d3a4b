/* power.data = counted: bits that change on the data wires of caches, network and DRAM, and their
 * energy. */
#include "timing.h"
#include <math.h>
#include "devmem/devmem.h"
#include "mem/wires.h"
#include "power/model.h"

/* ---- wires ---- */

static void a_bit_that_differs_is_a_transition(void **state)
{
	(void)state;
	struct devmem mem;
	uint64_t out = 0, in = 0;
	devmem_init(&mem, 1 << 20);
	struct alloc *a = devmem_alloc(&mem, 256, ALLOC_DEVICE, 256);
	memset(a->host + 32, 0xff, 32);
	memset(a->host + 96, 0x0f, 32);
	struct wires *w = wires_new(32, &out, &in);
	wires_note_pieces(w, WIRES_OUT, a->lo, 0x7); /* zeros, ones, zeros */
	assert_int_equal(out, 0);                    /* at the window's end */
	wires_count(w, &mem);
	assert_int_equal(out, 256 + 256);
	wires_note(w, WIRES_OUT, a->lo + 96, 32);
	wires_count(w, &mem);
	assert_int_equal(out, 512 + 128);
	wires_note(w, WIRES_IN, a->lo + 32, 32); /* the other direction has separate wires */
	wires_count(w, &mem);
	assert_int_equal(in, 256);
	assert_int_equal(w->bits[WIRES_OUT], 4 * 256);
	wires_free(w);
	/* twice as wide: the data seen by each half repeats */
	w = wires_new(64, &out, &in);
	out = 0;
	for (unsigned i = 0; i < 3; i++)
		wires_note_pieces(w, WIRES_OUT, a->lo, 0x3);
	wires_count(w, &mem);
	assert_int_equal(out, 256);
	wires_free(w);
	devmem_fini(&mem);
}

static void what_has_no_bytes_is_of_mean_activity(void **state)
{
	(void)state;
	struct devmem mem;
	uint64_t out = 0, in = 0;
	devmem_init(&mem, 1 << 20);
	struct alloc *a = devmem_alloc(&mem, 40, ALLOC_DEVICE, 256);
	memset(a->host, 0xff, 40);
	struct wires *w = wires_new(32, &out, &in);
	wires_note(w, WIRES_OUT, 0x4000000000ull, 32);
	wires_count(w, &mem);
	assert_int_equal(out, 128);
	wires_note(w, WIRES_OUT, 0x4000000000ull, 32);
	wires_note(w, WIRES_OUT, a->lo, 32); /* ones after zeros, in one window */
	wires_count(w, &mem);
	assert_int_equal(out, 128 + 128 + 256);
	wires_note_pieces(w, WIRES_IN, a->lo, 0x3); /* 24 bytes lie beyond the line's end */
	wires_count(w, &mem);
	assert_int_equal(in, 256);
	assert_true(devmem_free(&mem, a->lo));
	wires_note(w, WIRES_IN, a->lo, 32);
	wires_count(w, &mem);
	assert_int_equal(in, 256 + 128);
	wires_free(w);
	wires_count(NULL, &mem);
	devmem_fini(&mem);
}

/* ---- runs ---- */

enum { LINES = 16, LINE = 128, WIDE = 64 }; /* WIDE: a line of gtx480's caches */

/* One warp reads line after line, each when the previous one has arrived; then it stores the
 * last. */
static const char reads[] =
	HEAD ".reg .u32 %r<4>; .reg .u64 %d<6>; .reg .pred %p;\n"
	     "ld.param.u64 %d0, [pin]; ld.param.u64 %d1, [pout]; ld.param.u32 %r0, [n0];\n"
	     "mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d0, %d0, %d2;\n"
	     "add.u64 %d1, %d1, %d2;\n"
	     "L: ld.global.u32 %r2, [%d0]; and.b32 %r3, %r2, 0; cvt.u64.u32 %d3, %r3;\n"
	     "add.u64 %d0, %d0, %d3; add.u64 %d0, %d0, 128; sub.u32 %r0, %r0, 1;\n"
	     "setp.ne.u32 %p, %r0, 0; @%p bra L;\n"
	     "st.global.u32 [%d1], %r2; ret;\n}\n";

struct counts {
	uint64_t l1d_read, l1d_write, l2_read, l2_write, net, other, dram, cycles;
};

/* Lines of zeros; `ones`: every second line is all ones. */
static struct counts read_some(const char *data, bool ones, unsigned threads, unsigned lines)
{
	static uint8_t in[LINES * LINE], out[LINE];
	for (unsigned i = 0; i < LINES; i++)
		memset(in + i * LINE, ones && i % 2 ? 0xff : 0, LINE);
	struct bench b = {.text = reads,
			  .kernel = "k",
			  .block = {32},
			  .config = "gtx480",
			  .in = in,
			  .in_bytes = sizeof in,
			  .out = out,
			  .bytes = sizeof out,
			  .n = {lines},
			  .threads = threads,
			  .set = {"gpu.sms=1", "mem.partitions=1", data}};
	struct timed t = bench_run(&b);
	struct counts c = {figure(&t, "l1d", "read_toggles"),  figure(&t, "l1d", "write_toggles"),
			   figure(&t, "l2", "read_toggles"),   figure(&t, "l2", "write_toggles"),
			   figure(&t, "icnt", "data_toggles"), figure(&t, "icnt", "other_bits"),
			   figure(&t, "dram", "read_toggles"), t.cycles};
	timed_free(&t);
	return c;
}

static struct counts read_lines(const char *data, bool ones, unsigned threads)
{
	return read_some(data, ones, threads, LINES);
}

/* Each slice of a partition has separate wires: the alternating lines are distributed to two
 * slices. */
static void every_slice_has_wires(void **state)
{
	(void)state;
	static uint8_t in[LINES * LINE];
	for (unsigned i = 0; i < LINES; i++)
		memset(in + i * LINE, i / 4 % 2 ? 0xff : 0, LINE);
	struct bench b = {
		.text = reads,
		.kernel = "k",
		.block = {32},
		.config = "gtx480",
		.in = in,
		.in_bytes = sizeof in,
		.bytes = LINE,
		.n = {LINES},
		.set = {"gpu.sms=1", "mem.partitions=1", "mem.slices=2", "power.data=counted"}};
	struct timed t = bench_run(&b);
	assert_true(figure(&t, "l2.0", "read_toggles") > 0);
	assert_true(figure(&t, "l2.1", "read_toggles") > 0);
	timed_free(&t);
}

/* Bytes on the links that are not data: a read's request is one flit of 32 bytes; its reply of 64
 * bytes behind a header of 8 takes three. */
static void headers_are_the_rest_of_the_flits(void **state)
{
	(void)state;
	struct counts a = read_some("power.data=counted", false, 1, LINES / 2),
		      b = read_some("power.data=counted", false, 1, LINES);
	const uint64_t packets = LINES / 2 * LINE / WIDE;
	assert_int_equal(b.other - a.other, packets * ((1 + 3) * 32 - WIDE) * 8);
}

/* Other bytes on the wires (code, parameters) are equal in both runs. */
static void lines_that_alternate_change_every_wire(void **state)
{
	(void)state;
	struct counts z = read_lines("power.data=counted", false, 1),
		      o = read_lines("power.data=counted", true, 1);
	const uint64_t steps = LINES - 1;
	assert_int_equal(z.cycles, o.cycles);
	assert_int_equal(z.l1d_read, 0);
	assert_int_equal(o.l1d_read,
			 steps * WIDE * 8); /* the second half of LINE is as the first */
	assert_int_equal(o.l1d_write - z.l1d_write, steps * WIDE * 8);
	assert_int_equal(o.l2_read - z.l2_read, steps * WIDE * 8);
	/* the store of ones reaches the L2 while the last line read, also ones, is on its wires: no
	 * transition */
	assert_int_equal(o.l2_write - z.l2_write, steps * WIDE * 8);
	/* 32-byte flits, and those of the store, whose wires held zeros */
	assert_int_equal(o.net - z.net, steps * 32 * 8 + 32 * 8);
	assert_int_equal(o.dram - z.dram, steps * 8 * 8);
}

static void uncounted_it_is_nothing_and_the_same_time(void **state)
{
	(void)state;
	struct counts m = read_lines("power.data=mean", true, 1),
		      o = read_lines("power.data=counted", true, 1);
	assert_int_equal(m.l1d_read + m.l1d_write + m.l2_read + m.l2_write + m.net + m.dram, 0);
	assert_int_equal(m.cycles, o.cycles);
}

/* Blocks write words that other blocks read in the same windows. */
static const char races[] =
	HEAD ".reg .u32 %r<8>; .reg .u64 %d<6>; .reg .pred %p;\n"
	     "ld.param.u64 %d0, [pin]; ld.param.u32 %r0, [n0];\n"
	     "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 37, %r1;\n"
	     "L: and.b32 %r4, %r3, 1023; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d0, %d2;\n"
	     "ld.global.cg.u32 %r5, [%d3]; mad.lo.u32 %r6, %r5, 2654435761, %r3;\n"
	     "st.global.u32 [%d3], %r3; add.u32 %r3, %r3, 555; sub.u32 %r0, %r0, 1;\n"
	     "setp.ne.u32 %p, %r0, 0; @%p bra L; ret;\n}\n";

static double counted_joule(unsigned threads)
{
	static uint8_t in[4096];
	for (unsigned i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 167 >> 3);
	struct bench b = {.text = races,
			  .kernel = "k",
			  .grid = {24},
			  .block = {64},
			  .config = "gtx480",
			  .in = in,
			  .in_bytes = sizeof in,
			  .n = {20},
			  .threads = threads,
			  .set = {"power.data=counted"}};
	struct timed t = bench_run(&b);
	json_t *e = json_object_get(json_object_get(t.launch, "timing"), "energy");
	double joule = json_number_value(json_object_get(e, "noc")) +
		       json_number_value(json_object_get(e, "l2")) +
		       json_number_value(json_object_get(e, "dram"));
	timed_free(&t);
	return joule;
}

static void threads_change_nothing(void **state)
{
	(void)state;
	double one = counted_joule(1);
	assert_true(one > 0);
	for (unsigned n = 2; n < 5; n++)
		assert_true(counted_joule(n) == one);
}

/* ---- the model ---- */

static struct power_model *model(const char *machine, const char *data)
{
	struct diag d = {0};
	const char *set[] = {data, NULL};
	struct machine *m = machine_read(machine, set, &d);
	assert_non_null(m);
	struct power_model *p = power_new(m, &d);
	assert_non_null(p);
	return p;
}

static void model_free(struct power_model *p)
{
	struct machine *m = (struct machine *)p->m;
	power_free(p);
	machine_free(m);
}

/* Half of the bits change in random data: such data cost the mean energy. */
static void random_data_cost_the_mean(void **state)
{
	(void)state;
	static const struct {
		const char *event, *toggle;
		double bits;
	} row[] = {{"l1d_read", "l1d_read_toggle", 8 * WIDE},
		   {"l1d_write", "l1d_write_toggle", 8 * WIDE},
		   {"l2_read", "l2_read_toggle", 8 * WIDE},
		   {"l2_write", "l2_write_toggle", 8 * WIDE},
		   {"dram_read", "dram_read_toggle", 512},
		   {"dram_write", "dram_write_toggle", 512},
		   {"phy_burst", "phy_toggle", 512},
		   {"flit_hop", "flit_toggle", 256},
		   {"shared_read", "shared_result_toggle", 32}};
	setenv("HEDDLE_CONF", "conf", 0);
	struct power_model *mean = model("gtx480", "power.data=mean"),
			   *counted = model("gtx480", "power.data=counted");
	for (unsigned i = 0; i < STAT_COUNT_OF(row); i++) {
		double want = power_event(mean, row[i].event);
		double have = power_event(counted, row[i].event) +
			      row[i].bits / 2 * power_event(counted, row[i].toggle);
		if (!strcmp(row[i].event, "shared_read")) /* shared_read also moves an address */
			have += 16 * power_event(counted, "shared_operand_toggle");
		if (fabs(have - want) > 1e-9 * want)
			fail_msg("%s: %.9g, expected %.9g", row[i].event, have, want);
		assert_true(power_event(counted, row[i].event) < want);
	}
	assert_true(fabs(2 * power_event(counted, "flit_other") -
			 power_event(counted, "flit_toggle")) < 1e-20);
	model_free(mean);
	model_free(counted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bit_that_differs_is_a_transition),
		cmocka_unit_test(what_has_no_bytes_is_of_mean_activity),
		cmocka_unit_test(lines_that_alternate_change_every_wire),
		cmocka_unit_test(headers_are_the_rest_of_the_flits),
		cmocka_unit_test(every_slice_has_wires),
		cmocka_unit_test(uncounted_it_is_nothing_and_the_same_time),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(random_data_cost_the_mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
