/* Energy: the worked examples of the model, a launch by hand, and identities. */
#include "power/report.h"
#include "power_rig.h"

#include "mem/cache.h"
#include "mem/dram.h"
#include "mem/icnt.h"
#include "mem/msg.h"
#include "mem/partition.h"
#include "sm/sm.h"

/* ---- worked examples ---- */

static void test_array(void **state)
{
	(void)state;
	struct machine *m = machine("gtx480", NULL);
	struct tech t;
	struct diag d = {0};
	assert_true(tech_of(&t, m, &d));
	struct array a = {.bits = 64 * 8192, .width = 32, .mux = 4};
	struct array_cost c = array_cost(&t, &a);
	near_to(c.rows, 4096);
	near_to(c.subarrays, 16);
	near_to(c.wordline, 60.4);
	near_to(c.bitlines, 1430);
	near_to(c.sense, 176);
	near_to(c.decode, 1568);
	near_to(c.tree, 7102);
	near_to(c.read, 10340);
	near_to(c.write, 12190);
	near_to(c.area, 0.2315);
	near_to(c.leak, 31.15e-3);
	a = (struct array){.bits = 8192, .width = 32, .lane = true};
	near_to(array_cost(&t, &a).read, 2283);
	near_to(array_cost(&t, &a).write, 4134);
	a = (struct array){.bits = 65536, .width = 256, .lane = true};
	near_to(array_cost(&t, &a).read, 17560);
	near_to(array_cost(&t, &a).write, 32360);
	/* 64-bit access to a large array: four columns per bit */
	a = (struct array){.bits = 64 * 8192, .width = 32};
	near_to(array_cost(&t, &a).read, 10340);
	near_to(t.wire, 239.6);
	machine_free(m);
}

/* If a row lists the terms of its energy, the terms add up to all of it. */
static void test_terms(void **state)
{
	(void)state;
	static const char *const machines[] = {"gtx480", "quadro-fx5800", "hws", "stsimt", "h200"};
	enum { MACHINES = sizeof machines / sizeof *machines };
	static const char *const data[][2] = {{"power.data=mean"}, {"power.data=counted"}};
	unsigned rows = 0;
	for (unsigned n = 0; n < 2 * MACHINES; n++) {
		unsigned k = n / 2;
		struct machine *m = machine(machines[k], data[n % 2]);
		struct diag d = {0};
		struct power_model *p = power_new(m, &d);
		assert_non_null(p);
		for (size_t i = 0; i < p->rows.n; i++) {
			const struct power_row *r = &p->rows.v[i];
			double sum = 0;
			for (unsigned t = 0; t < r->nterms; t++)
				sum += r->term[t].joule;
			if (r->nterms && fabs(sum - r->joule) > 1e-9 * r->joule)
				fail_msg("%s, %s: terms of %g J, the event has %g", machines[k],
					 r->event, sum, r->joule);
			rows += r->nterms > 1;
		}
		power_free(p);
		machine_free(m);
	}
	assert_true(rows > 20);
}

/* The printed table has every row. */
static void test_print(void **state)
{
	(void)state;
	struct machine *m = machine("gtx480", NULL);
	struct diag d = {0};
	struct power_model *p = power_new(m, &d);
	char *text = NULL;
	size_t size;
	assert_non_null(p);
	FILE *f = open_memstream(&text, &size);
	power_print(p, f);
	fclose(f);
	for (size_t i = 0; i < p->rows.n; i++) {
		char name[64];
		snprintf(name, sizeof name, " %s ", p->rows.v[i].event);
		if (!strstr(text, name))
			fail_msg("no row of %s", p->rows.v[i].event);
	}
	free(text);
	power_free(p);
	machine_free(m);
}

/* An unknown event is reported: the first of several. */
static void test_unknown_event(void **state)
{
	(void)state;
	static const char *const set[] = {"power.event.fetsch=1", "power.event.skedule=1", NULL};
	struct machine *m = machine("gtx480", set);
	struct diag d = {0};
	struct power_model *p = power_new(m, &d);
	assert_int_equal(d.errors, 1);
	assert_non_null(strstr(d.msg[0].text, ": no such event; did you mean"));
	power_free(p);
	diag_free(&d);
	machine_free(m);
}

/* Without a memory system an SM's events have their given energies, and other events have no
 * row. */
static void test_events_of_an_sm_alone(void **state)
{
	(void)state;
	static const char *const set[] = {"gpu.perfect_memory=yes", "power.event.l1d_write_miss=5",
					  "power.event.mc_read=7", NULL};
	struct machine *m = machine("gtx480", set);
	struct power_model *p = model(m);
	near_to(pj(p, "l1d_write_miss"), 5);
	assert_null(power_find(p, "mc_read"));
	power_free(p);
	machine_free(m);
}

/* Against eight arrays of CACTI at 65 nm, 512 bits wide: within a factor of 1.5 in the mean. */
static void test_cacti(void **state)
{
	(void)state;
	static const struct {
		double kb, pj;
	} published[] = {{8, 49.2},  {16, 57.8}, {32, 81.6}, {64, 224},
			 {128, 214}, {256, 284}, {512, 438}, {1024, 646}};
	const char *set[] = {"power.node=65", NULL};
	struct machine *m = machine("gtx480", set);
	struct tech t;
	struct diag d = {0};
	double logs = 0;
	assert_true(tech_of(&t, m, &d));
	for (unsigned i = 0; i < 8; i++) {
		struct array a = {.bits = published[i].kb * 8192, .width = 512};
		double r = published[i].pj / (array_cost(&t, &a).read * 1e-3);
		logs += log(r);
		assert_true(r > 0.4 && r < 2.5);
	}
	assert_true(fabs(logs / 8) < log(1.5));
	machine_free(m);
}

/* Areas of register arrays and crossbars within 5 % of Table I of Lucas 2015. */
static void test_area(void **state)
{
	(void)state;
	struct machine *m = machine("gtx480", NULL);
	struct tech t;
	struct diag d = {0};
	assert_true(tech_of(&t, m, &d));
	const struct {
		double have, want;
	} a[] = {{array_cost(&t, &(struct array){.bits = 65536, .width = 256, .lane = true}).area,
		  0.0296},
		 {array_cost(&t, &(struct array){.bits = 8192, .width = 32, .lane = true}).area,
		  0.0036},
		 {crossbar_area(&t, 8, 8, 256), 2.030},
		 {crossbar_area(&t, 8, 8, 32), 0.0333}};
	for (unsigned i = 0; i < 4; i++)
		assert_true(fabs(a[i].have / a[i].want - 1) < 0.05);
	machine_free(m);
}

static double warp_read(const struct power_model *p, double arrays)
{
	return arrays * pj(p, "rf_read");
}
static double warp_write(const struct power_model *p, double arrays, double words)
{
	return arrays * pj(p, "rf_write") + words * pj(p, "rf_word");
}

static void test_fma(void **state)
{
	(void)state;
	struct machine *m = machine("gtx480", NULL);
	struct power_model *p = model(m);
	near_to(warp_read(p, 8), 165.83);
	near_to(warp_write(p, 8, 32), 133.20);
	near_to(pj(p, "control"), 77.3);
	near_to(3 * warp_read(p, 8) + warp_write(p, 8, 32) + 32 * pj(p, "unit_fp32_fma") +
			pj(p, "control"),
		1124.0);
	near_to(pj(p, "fetch"), 6.1);
	near_to(pj(p, "l1d_lookup"), 4.276);
	near_to(pj(p, "l1d_read"), 43.2);
	near_to(pj(p, "l1d_write"), 72.8);
	near_to(pj(p, "l2_lookup"), 15.93);
	near_to(pj(p, "l2_read"), 146.3);
	near_to(pj(p, "l2_write"), 175.9);
	power_free(p);
	machine_free(m);
}

/* fma in 8 of 32 threads on the machine of Lucas 2015, with register arrays one lane wide. */
static void test_stsimt(void **state)
{
	(void)state;
	const char *set[] = {"sm.register_banks=8", "power.rf_width=32", NULL};
	const char *wide[] = {"sm.register_banks=8", "power.rf_layout=monolithic", NULL};
	struct machine *m = machine("stsimt", set), *n = machine("stsimt", wide);
	struct power_model *p = model(m), *q = model(n);
	double rest = 8 * pj(p, "unit_fp32_fma") + pj(p, "control");
	near_to(pj(p, "rf_read"), 4.936);
	near_to(warp_write(p, 1, 1), 5.779);
	near_to(3 * warp_read(p, 32) + warp_write(p, 8, 8) + rest, 701.4);
	near_to(3 * warp_read(p, 8) + warp_write(p, 8, 8) + rest, 346.0);
	near_to(3 * warp_read(p, 32) + warp_write(p, 32, 32) + 32 * pj(p, "unit_fp32_fma") +
			pj(p, "control"),
		1152.1);
	near_to(3 * warp_read(p, 1) + warp_write(p, 1, 1) + pj(p, "unit_fp32_fma") +
			pj(p, "control"),
		110.9);
	near_to(warp_read(q, 1) / 8, 15.42);
	near_to(warp_write(q, 1, 8) / 8, 11.46);
	power_free(p);
	power_free(q);
	machine_free(m);
	machine_free(n);
}

static void test_dram(void **state)
{
	(void)state;
	struct machine *m = machine("gtx480", NULL);
	struct power_model *p = model(m);
	near_to(pj(p, "dram_activate"), 12006);
	near_to(pj(p, "dram_activate") + 14 * pj(p, "dram_read"), 68805);
	near_to(pj(p, "dram_write"), 2 * 1420.7 + 1536);
	near_to(power_event(p, "dram_open") * m->dram_mhz * 1e6, 2 * 0.675);
	near_to(power_event(p, "dram_closed") * m->dram_mhz * 1e6, 2 * 0.375);
	near_to(pj(p, "phy_burst"), 6.667 * 512);
	power_free(p);
	machine_free(m);
}

/* ---- a launch by hand: vecadd of 65536 floats on gtx480 ---- */

struct hand {
	struct sm_stats sm;
	struct cache_stats l1d, l2;
	struct icnt_stats net;
	struct dram_stats dram;
	struct slice_stats slice;
};

/* One SM and one channel stand for all, since only sums matter. */
static struct stat_report *hand_report(struct hand *h)
{
	struct stat_report *r = stat_report_new();
	stat_report_add(r, &sm_stats, "sm", 0, &h->sm);
	stat_report_add(r, &cache_stat_table, "l1d", 0, &h->l1d);
	stat_report_add(r, &icnt_stat_table, "icnt", -1, &h->net);
	stat_report_add(r, &slice_stat_table, "slice", 0, &h->slice);
	stat_report_add(r, &cache_stat_table, "l2", 0, &h->l2);
	stat_report_add(r, &dram_stat_table, "dram", 0, &h->dram);
	return r;
}

static const struct stat_entry *entry(const struct stat_report *r, const char *name)
{
	const struct stat_entry *e;
	for (size_t i = 0; (e = stat_report_at(r, i)); i++)
		if (!strcmp(e->name, name))
			return e;
	fail();
	return NULL;
}

static double value(const struct stat_report *r, const char *name, const char *field)
{
	const struct stat_entry *e = entry(r, name);
	unsigned slots;
	int k = stat_find(e->t, field, &slots);
	assert_true(k >= 0);
	return stat_real(e->values[k]);
}

static void vecadd(struct hand *h)
{
	enum { WARPS = 2048 };
	struct sm_stats *s = &h->sm;
	STAT(s, cycles) = 15 * 6540;
	STAT(s, busy_cycles) = 92109;
	s->idle_cycles[5] = 98100 - 92109;
	STAT(s, warp_instructions) = 32768;
	STAT(s, thread_instructions) = 32768 * 32;
	STAT(s, fetches) = 16384;
	s->rf_reads[OPC_move] = 51200 * 8;
	s->rf_writes[OPC_move] = 43008 * 8;
	s->rf_words[OPC_move] = 43008 * 32;
	/* 16 instructions per warp */
	static const struct {
		enum opclass c;
		unsigned n;
	} mix[] = {{OPC_move, 4},     {OPC_int_add, 3}, {OPC_int_mul, 3}, {OPC_cvt, 1},
		   {OPC_fp32_add, 1}, {OPC_global, 3},  {OPC_control, 1}};
	for (unsigned i = 0; i < sizeof mix / sizeof *mix; i++) {
		s->ops[mix[i].c] = WARPS * mix[i].n;
		s->op_threads[mix[i].c] = s->unit_threads[mix[i].c] = WARPS * mix[i].n * 32;
	}
	STAT(s, mem_instructions) = 6144;
	STAT(s, transactions) = 12288;
	STAT(&h->l1d, accesses) = 12288;
	STAT(&h->l1d, misses) = STAT(&h->l1d, fills) = 8192;
	STAT(&h->l1d, data_reads) = STAT(&h->l1d, data_writes) = 8192;
	STAT(&h->net, flit_hops) = 49242;
	h->slice.classes[MSG_GLOBAL] = 12318;
	STAT(&h->l2, accesses) = 12318;
	STAT(&h->l2, data_reads) = 8192;
	STAT(&h->l2, data_writes) = 12288;
	STAT(&h->dram, read_bursts) = STAT(&h->dram, reads) = 8194;
	STAT(&h->dram, activates) = 572;
	STAT(&h->dram, open_cycles) = 6 * 4316;
}

static void test_vecadd(void **state)
{
	(void)state;
	const char *set[] = {"power.die_mm2=529", NULL};
	struct machine *m = machine("gtx480", set);
	struct power_model *p = model(m);
	struct hand h = {0};
	vecadd(&h);
	/* DRAM background is a state's time: 4.6714 us of all channels, open */
	double seconds = 6540 / 1.4e9;
	STAT(&h.dram, open_cycles) = (uint64_t)llround(6 * seconds * m->dram_mhz * 1e6);
	struct stat_report *r = hand_report(&h);
	power_report(p, r, seconds, NULL);
	near_to(value(r, "energy", "rf.dynamic"), 14.22e-6);
	near_to(value(r, "energy", "control") + value(r, "energy", "fetch.dynamic"), 2.633e-6);
	near_to(value(r, "energy", "lsu"), 0.5407e-6);
	near_to(value(r, "energy", "l1d.dynamic"), 1.077e-6);
	near_to(value(r, "energy", "noc"), 18.06e-6);
	near_to(value(r, "energy", "l2.dynamic"), 3.556e-6);
	near_to(value(r, "energy", "mc"), 28.15e-6);
	near_to(value(r, "energy", "dram.dynamic"), 40.11e-6);
	near_to(value(r, "energy", "dram.static"), 37.84e-6);
	near_to(value(r, "energy", "clock"), 42.35e-6);
	near_to(value(r, "energy", "constant"), 46.71e-6);
	double leak = value(r, "energy", "static") - value(r, "energy", "clock") -
		      value(r, "energy", "constant") - value(r, "energy", "dram.static");
	near_to(leak, 345.97e-6);
	assert_true(fabs(value(r, "energy", "units.dynamic") / 3.62e-6 - 1) <
		    0.05); /* the mix is ours */
	near_to(value(r, "energy", "total"), 584.8e-6);
	near_to(value(r, "power", "mean"), 125.2);
	near_to(value(r, "energy", "edp"), 2.732e-9);
	assert_true(fabs(value(r, "energy", "time_share_unclocked") - 0.736) < 0.001);
	assert_true(fabs(value(r, "energy", "time_share") - 0.809) < 0.001);
	stat_report_free(r);
	power_free(p);
	machine_free(m);
}

/* ---- identities ---- */

static void test_classes(void **state)
{
	(void)state;
	struct machine *m = machine("gtx480", NULL);
	struct power_model *p = model(m);
	struct hand h = {0};
	vecadd(&h);
	STAT(&h.sm, mma_products) = 1000;
	h.sm.shared_words[0] = 77;
	h.slice.classes[MSG_INST] = 500;
	h.slice.classes[MSG_TEX] = 300;
	struct stat_report *r = hand_report(&h);
	power_report(p, r, 1e-5, NULL);
	const struct stat_entry *e = entry(r, "energy");
	double sum = 0, comps = 0;
	for (unsigned i = 0; i < e->t->n; i++) {
		if (!strncmp(e->t->def[i].name, "class.", 6))
			sum += stat_real(e->values[i]);
		for (unsigned c = 0; c < COMP_COUNT; c++)
			if (!strcmp(e->t->def[i].name, power_components[c].name))
				comps += stat_real(e->values[i]);
	}
	double total = value(r, "energy", "total");
	assert_true(fabs(sum / total - 1) < 1e-12);
	assert_true(fabs(comps / total - 1) < 1e-12);
	assert_true(fabs((value(r, "energy", "dynamic") + value(r, "energy", "static")) / total -
			 1) < 1e-12);
	assert_true(value(r, "energy", "class.mma") > 0);
	assert_true(value(r, "energy", "class.texture") > 0);
	/* instances add up */
	double all = 0;
	for (size_t i = 0; (e = stat_report_at(r, i)); i++)
		if (!strncmp(e->name, "energy_", 7))
			all += stat_real(e->values[0]);
	all += value(r, "energy", "noc") + value(r, "energy", "constant") +
	       value(r, "energy", "other") + value(r, "energy", "dispatch");
	assert_true(fabs(all / total - 1) < 1e-12);
	stat_report_free(r);
	power_free(p);
	machine_free(m);
}

/* Half the clock at the same voltage: event energies unchanged, leakage energy doubled. At 0.8 of
 * the voltage: event energies times 0.64. */
static void test_scaling(void **state)
{
	(void)state;
	const char *slow[] = {"gpu.core_mhz=700", NULL}, *low[] = {"power.vdd=0.768", NULL};
	struct machine *m = machine("gtx480", NULL), *s = machine("gtx480", slow),
		       *l = machine("gtx480", low);
	struct power_model *pm = model(m), *ps = model(s), *pl = model(l);
	static const char *const events[] = {"rf_read", "control",     "unit_fp32_fma",
					     "l2_read", "shared_read", "flit_hop"};
	for (unsigned i = 0; i < 6; i++) {
		near_to(pj(ps, events[i]), pj(pm, events[i]));
		near_to(pj(pl, events[i]), 0.64 * pj(pm, events[i]));
	}
	near_to(pj(ps, "rf_leak"), 2 * pj(pm, "rf_leak"));
	near_to(pj(pl, "rf_leak"), 0.8 * pj(pm, "rf_leak"));
	power_free(pm), power_free(ps), power_free(pl);
	machine_free(m), machine_free(s), machine_free(l);
}

/* Two halves of the L2: every second access crosses half an edge more, and both halves are looked
 * up. */
static void test_halves(void **state)
{
	(void)state;
	const char *one[] = {"power.l2_halves=1", NULL};
	struct machine *m = machine("h200", NULL), *n = machine("h200", one);
	struct power_model *p = model(m), *q = model(n);
	double bits = 256, more = bits * p->t.activity * p->t.wire * sqrt(814) / 4 * 1e-3;
	near_to(pj(p, "flit_hop") - pj(q, "flit_hop"), more);
	near_to(pj(p, "l2_read"), 1.5 * pj(q, "l2_read"));
	near_to(pj(p, "l2_lookup"), 1.5 * pj(q, "l2_lookup"));
	near_to(pj(p, "l1_deliver"), pj(p, "shuffle"));
	power_free(p), power_free(q);
	machine_free(m), machine_free(n);
}

/* By hand: leakage and idle clock of 15 SMs, closed rows of six channels, the other leakage, the
 * constant. */
static void test_idle(void **state)
{
	(void)state;
	const char *die[] = {"power.die_mm2=529", NULL}, *given[] = {"power.idle_sm=1.59", NULL};
	struct machine *m = machine("gtx480", die), *g = machine("gtx480", given);
	struct power_model *p = model(m), *q = model(g);
	near_to(power_idle(p), 0.14 * 529 + 15 * 150e-12 * 1.4e9 + 6 * 2 * 0.375 + 10);
	/* the whole die leaks: the components and the rest of it */
	double leak = p->t.leak * p->die, rest = 15 * 150e-12 * 1.4e9 + 6 * 2 * 0.375 + 10;
	assert_true(fabs(power_idle(p) - leak - rest) < 1e-9 * leak);
	near_to(power_idle(q), 15 * 1.59 + 6 * 2 * 0.375 + 10 + 6 * power_event(q, "l2_leak"));
	power_free(p), power_free(q);
	machine_free(m), machine_free(g);
}

/* An idle machine gates its SMs and powers its DRAM down, if it supports that. */
static void test_idle_gated(void **state)
{
	(void)state;
	static const char *const leak[] = {"l1i_leak", "rf_leak",  "units_leak", "shared_leak",
					   "l1d_leak", "l1c_leak", "l1t_leak",   "logic_leak"};
	const char *gated[] = {"power.gate_sm=yes", "power.dram_idle=100", NULL};
	struct machine *m = machine("gtx480", NULL), *g = machine("gtx480", gated);
	struct power_model *p = model(m), *q = model(g);
	double sm = 0;
	for (size_t i = 0; i < sizeof leak / sizeof *leak; i++)
		sm += power_event(p, leak[i]) * 1.4e9;
	near_to(power_idle(p) - power_idle(q), 15 * 0.95 * sm + 6 * 2 * 1.5 * (0.250 - 0.210));
	power_free(p), power_free(q);
	machine_free(m), machine_free(g);
}

/* With V ~ f the power of fixed work per cycle is b f^3 + t f + constant: five clocks determine the
 * constant. */
static void test_dvfs(void **state)
{
	(void)state;
	double f[5], w[5], a[3][4] = {{0}};
	for (unsigned i = 0; i < 5; i++) {
		char mhz[40];
		f[i] = 1.0 + 0.1 * i;
		snprintf(mhz, sizeof mhz, "gpu.core_mhz=%.10g", 1000 * f[i]);
		const char *set[] = {
			mhz,
			"power.vdd_curve=1000:0.7,1100:0.77,1200:0.84,1300:0.91,1400:0.98",
			"power.constant=37",
			"power.dram_idle=0",
			"gpu.perfect_memory=no",
			NULL};
		struct machine *m = machine("gtx480", set);
		struct power_model *p = model(m);
		struct hand h = {0};
		STAT(&h.sm, cycles) = STAT(&h.sm, busy_cycles) = 15 * 10000;
		STAT(&h.sm, warp_instructions) = h.sm.ops[OPC_fp32_fma] = 200000;
		h.sm.op_threads[OPC_fp32_fma] = h.sm.unit_threads[OPC_fp32_fma] = 6400000;
		struct stat_report *r = hand_report(&h);
		power_report(p, r, 10000 / (1e9 * f[i]), NULL);
		w[i] = value(r, "power", "mean");
		stat_report_free(r);
		power_free(p);
		machine_free(m);
	}
	/* least squares of w = b f^3 + t f + c */
	for (unsigned i = 0; i < 5; i++) {
		double x[3] = {f[i] * f[i] * f[i], f[i], 1};
		for (unsigned j = 0; j < 3; j++) {
			for (unsigned k = 0; k < 3; k++)
				a[j][k] += x[j] * x[k];
			a[j][3] += x[j] * w[i];
		}
	}
	for (unsigned j = 0; j < 3; j++)
		for (unsigned k = 0; k < 3; k++)
			if (k != j) {
				double q = a[k][j] / a[j][j];
				for (unsigned n = 0; n < 4; n++)
					a[k][n] -= q * a[j][n];
			}
	near_to(a[2][3] / a[2][2], 37);
}

/* Gating removes the energy of gated components, and nothing else. */
static void test_gating(void **state)
{
	(void)state;
	const char *gate[] = {"power.gate_registers=yes", "power.gate_residual=0", NULL};
	struct machine *m = machine("gtx480", NULL), *g = machine("gtx480", gate);
	struct power_model *p = model(m), *q = model(g);
	struct hand h = {0};
	STAT(&h.sm, cycles) = STAT(&h.sm, busy_cycles) = 15 * 1000;
	STAT(&h.sm, alloc_registers) = (uint64_t)(15 * 1000.0 * m->registers * 0.7);
	struct stat_report *a = hand_report(&h), *b = hand_report(&h);
	power_report(p, a, 1e-6, NULL);
	power_report(q, b, 1e-6, NULL);
	near_to(value(b, "energy", "rf"), 0.7 * value(a, "energy", "rf"));
	near_to(value(b, "energy", "shared"), value(a, "energy", "shared"));
	stat_report_free(a);
	stat_report_free(b);
	power_free(p), power_free(q);
	machine_free(m), machine_free(g);
}

/* A rest at the launch's end belongs to the window before it; a rest as long as a window is a
 * window of its own. */
static void test_last_window(void **state)
{
	(void)state;
	struct power_range w = {0}, e;
	power_range_add(&w, 30, 3); /* 10 W */
	e = power_range_end(w, 30 + 40, 3 + 2, 3);
	near_to(e.peak, 14);
	near_to(e.least, 14);
	e = power_range_end(w, 30 + 60, 3 + 3, 3); /* 20 W over a whole window */
	near_to(e.peak, 20);
	near_to(e.least, 10);
	e = power_range_end((struct power_range){0}, 8, 2, 3);
	near_to(e.peak, 4);
	near_to(e.least, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_array),
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_unknown_event),
		cmocka_unit_test(test_events_of_an_sm_alone),
		cmocka_unit_test(test_cacti),
		cmocka_unit_test(test_area),
		cmocka_unit_test(test_fma),
		cmocka_unit_test(test_stsimt),
		cmocka_unit_test(test_dram),
		cmocka_unit_test(test_vecadd),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_scaling),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_gated),
		cmocka_unit_test(test_dvfs),
		cmocka_unit_test(test_gating),
		cmocka_unit_test(test_last_window),
	};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
