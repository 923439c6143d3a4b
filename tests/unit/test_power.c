/* Energy: the worked examples of the model, its identities, options and calibration files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "conf/machine.h"
#include "power/energy.h"
#include "power/import.h"
#include "sm/sm.h"
#include "mem/dram.h"
#include "mem/cache.h"
#include "mem/icnt.h"
#include "mem/msg.h"
#include "mem/partition.h"

/* Relative difference of at most one in a thousand. */
#define near_to(have, want) near_(have, want, __LINE__)
static void near_(double have, double want, int line)
{
	if (fabs(have - want) > 1e-3 * fabs(want)) {
		print_error("line %d: have %.10g, want %.10g\n", line, have, want);
		fail();
	}
}

static struct machine *machine(const char *name, const char *const *set)
{
	struct diag d = {0};
	struct machine *m = machine_read(name, set, &d);
	if (!m)
		print_error("%s\n", d.msg[0].text);
	assert_non_null(m);
	diag_free(&d);
	return m;
}

static struct power_model *model(const struct machine *m)
{
	struct diag d = {0};
	struct power_model *p = power_new(m, &d);
	if (!p)
		print_error("%s\n", d.msg[0].text);
	assert_non_null(p);
	diag_free(&d);
	return p;
}

static double pj(const struct power_model *p, const char *event)
{
	assert_non_null(power_find(p, event));
	return power_event(p, event) * 1e12;
}

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
	/* 64 bit of a large array: four columns a bit */
	a = (struct array){.bits = 64 * 8192, .width = 32};
	near_to(array_cost(&t, &a).read, 10340);
	near_to(t.wire, 239.6);
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

/* Areas of register arrays and crossbars that Lucas 2015 has in its Table I, within 5 %. */
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

/* fma of 8 of 32 threads on the machine of Lucas 2015, register arrays a lane wide. */
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

/* One SM and one channel stand for all of their kind: sums are what counts. */
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
	/* 16 instructions a warp */
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

/* Half the clock at the same voltage: events unchanged, leakage twice. At 0.8 of the voltage: events x 0.64. */
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

/* Two halves of the L2: half an edge more for every second access, and both are looked into. */
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

/* By hand: 15 SMs of leakage and idle clock, closed rows of six channels, the other leakage, the constant. */
static void test_idle(void **state)
{
	(void)state;
	const char *die[] = {"power.die_mm2=529", NULL}, *given[] = {"power.idle_sm=1.59", NULL};
	struct machine *m = machine("gtx480", die), *g = machine("gtx480", given);
	struct power_model *p = model(m), *q = model(g);
	near_to(power_idle(p), 0.14 * 529 + 15 * 150e-12 * 1.4e9 + 6 * 2 * 0.375 + 10);
	near_to(power_idle(q), 15 * 1.59 + 6 * 2 * 0.375 + 10 + 6 * power_event(q, "l2_leak"));
	power_free(p), power_free(q);
	machine_free(m), machine_free(g);
}

/* With V ~ f the power of fixed work a cycle is b f^3 + t f + constant: five clocks give the constant back. */
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

/* Gating takes off what is gated, and nothing else. */
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

/* ---- options ---- */

static void refused(const char *name, const char *const *set, const char *why)
{
	struct diag d = {0};
	struct machine *m = machine_read(name, set, &d);
	struct power_model *p = m ? power_new(m, &d) : NULL;
	assert_null(p);
	assert_true(d.errors > 0);
	if (!strstr(d.msg[0].text, why))
		print_error("%s\n", d.msg[0].text);
	assert_non_null(strstr(d.msg[0].text, why));
	machine_free(m);
	diag_free(&d);
}

static void test_refusals(void **state)
{
	(void)state;
	static const char *const set[][2] = {
		{"power.node=3", NULL},
		{"power.vdd=0.1", NULL},
		{"power.scale.unit=2", NULL},
		{"power.scale.rf=1000", NULL},
		{"power.vdd_curve=1000:0.9,900:0.8", NULL},
		{"power.vdd_curve=fast", NULL},
		{"power.rf_width=33", NULL},
		{"power.calibration=nowhere", NULL},
		{"power.activity=2", NULL},
		{"power.event.rf_raed=2", NULL},
		{"power.event.constant=2", NULL},
		{"power.event.rf_read=-2", NULL},
		{"power.event.rf_read=inf", NULL},
	};
	static const char *const why[] = {"from 5 to 130",       "0.3 to 1.5 V",
					  "did you mean units?", "from 0.01 to 100",
					  "rising clock",        "MHz:V",
					  "multiple of 32",      "neither a readable file",
					  "from 0 to 1",         "did you mean rf_read?",
					  "goes with time",      "from 0 to 1000000000",
					  "from 0 to 1000000000"};
	for (unsigned i = 0; i < sizeof why / sizeof *why; i++)
		refused("gtx480", set[i], why[i]);
}

/* ---- calibration files ---- */

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_calibration(void **state)
{
	(void)state;
	char path[] = "/tmp/heddle-cal-XXXXXX.cal", set[100];
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	close(fd);
	snprintf(set, sizeof set, "power.calibration=%s", path);
	const char *with[] = {set, NULL}, *over[] = {"power.scale.rf=3", set, NULL};
	write_file(path, "error = 0.12\n[power]\nscale.rf = 2\nconstant = 33\n"
			 "[origin]\nscale.rf = fitted\nconstant = idle board\n");
	struct machine *plain = machine("gtx480", NULL), *m = machine("gtx480", with),
		       *o = machine("gtx480", over);
	struct power_model *a = model(plain), *b = model(m), *c = model(o);
	near_to(pj(b, "rf_read"), 2 * pj(a, "rf_read"));
	near_to(pj(c, "rf_read"), 3 * pj(a, "rf_read")); /* --set goes before the file */
	near_to(m->power_constant, 33);
	near_to(m->cal.error, 0.12);
	assert_true(m->cal.hash != 0 && !plain->cal.name);
	uint64_t hash = m->cal.hash;
	power_free(a), power_free(b), power_free(c);
	machine_free(plain), machine_free(m), machine_free(o);
	/* another file has another hash */
	write_file(path, "[power]\nscale.rf = 2.5\n[origin]\nscale.rf = fitted\n");
	m = machine("gtx480", with);
	assert_true(m->cal.hash != hash && m->cal.error < 0);
	machine_free(m);
	/* no origin, unknown keys, numbers out of range */
	static const char *const bad[] = {"[power]\nscale.rf = 2\n",
					  "[power]\nnonsense = 2\n[origin]\nnonsense = x\n",
					  "[power]\nscale.rf = -2\n[origin]\nscale.rf = x\n",
					  "speed = 3\n",
					  "error = many\n",
					  "[power]\nconstant 3\n"};
	static const char *const why[] = {"no line in [origin]", "unknown option",
					  "from 0.01 to 100",    "expected error",
					  "from 0 to 10",        "key = value"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		write_file(path, bad[i]);
		refused("gtx480", with, why[i]);
	}
	unlink(path);
}

/* ---- XML ---- */

#define PARAM(name, value) "<param name=\"" name "\" value=\"" value "\"/>"
static const char gpuwattch[] =
	"<?xml version=\"1.0\"?><component id=\"root\"><component id=\"system\">"
	/* clang-format off */
	PARAM("core_tech_node", "40") PARAM("temperature", "380") PARAM("idle_core_power", "1.59")
	PARAM("TOT_INST", "2.00") PARAM("FP_INT", "4.57") PARAM("IC_H", "2.14") PARAM("IC_M", "22.47")
	PARAM("DC_RH", "22.14") PARAM("DC_RM", "24.66") PARAM("DC_WH", "1.53") PARAM("DC_WM", "39.79")
	PARAM("REG_RD", "0.14") PARAM("REG_WR", "0.21") PARAM("SP_ACC", "2.38") PARAM("SFU_ACC", "0.51")
	PARAM("L2_RH", "13.79") PARAM("L2_WH", "43.07") PARAM("NOC_A", "305.48") PARAM("MEM_RD", "0.33")
	PARAM("MEM_PRE", "0.11") PARAM("PIPE_A", "2.57") PARAM("CONST_DYNAMICN", "11")
	/* clang-format on */
	"<component id=\"core0\">" PARAM("temperature", "5") "</component></component></component>";

static char *imported(const char *text, size_t n, char *why, size_t room)
{
	struct diag d = {0};
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	bool ok = power_import_text("x.xml", text, n, f, &d);
	fclose(f);
	assert_int_equal(d.errors, ok ? 0 : 1); /* one clear message */
	snprintf(why, room, "%s", ok ? "" : d.msg[0].text);
	if (!ok)
		assert_int_equal(size, 0); /* nothing half-written */
	diag_free(&d);
	return out;
}

/* The machine with an imported text as its calibration. */
static struct power_model *calibrated(const char *base, const char *text, struct machine **m)
{
	char path[] = "/tmp/heddle-cal-XXXXXX.cal", set[100];
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	close(fd);
	write_file(path, text);
	snprintf(set, sizeof set, "power.calibration=%s", path);
	const char *with[] = {set, NULL};
	*m = machine(base, with);
	unlink(path);
	return model(*m);
}

/* The counts of 500 cycles that GPUWattch's log of a 400 x 400 product has as its mean, with the energies of
 * GTX480's own file, are the watts that the log has by component. */
static void test_import(void **state)
{
	(void)state;
	char why[400];
	char *text = imported(gpuwattch, strlen(gpuwattch), why, sizeof why);
	assert_string_equal(why, "");
	assert_non_null(strstr(text, "no leakage term"));
	struct machine *m;
	struct power_model *p = calibrated("gtx480-700", text, &m);
	const double s = 500 / 700e6 * 1e12;
#define LOG(have, want, limit) assert_true(fabs((have) / s / (want)-1) < (limit))
	LOG(159.637 * pj(p, "control") + 154.956 * pj(p, "schedule"), 0.000807721 + 0.0119077,
	    0.01);
	LOG(79.8471 * pj(p, "fetch") + 0.0179429 * pj(p, "fetch_miss"), 0.00714557, 0.01);
	LOG(565.192 * pj(p, "l1d_read_hit") + 578.73 * pj(p, "l1d_read_miss") +
		    5.06402 * pj(p, "l1d_write_hit") + 1100.17 * pj(p, "l1d_write_miss"),
	    6.27261, 0.001);
	LOG(2300.48 * pj(p, "l2_read") + 1102.35 * pj(p, "l2_write"), 30.4133, 0.001);
	LOG(5104.13 * pj(p, "flit_hop"), 13.8527, 0.002);
	LOG(14.4475 * pj(p, "dram_read") + 1.91381 * pj(p, "dram_activate"), 0.528438, 0.002);
	LOG(1100.17 * pj(p, "mc_store") + 14.4475 * pj(p, "mc_read") +
		    6 * 924.0 / 700 * 500 * pj(p, "mc_cycle"),
	    3.06849, 0.02);
	LOG(159.637 * pj(p, "pipe"), 0.26731, 0.03);
#undef LOG
	near_to(m->power_constant, 9.82);
	near_to(m->power_idle_sm, 1.59);
	assert_true(pj(p, "clock_busy") == 0 && pj(p, "l2_lookup") == 0);
	power_free(p);
	machine_free(m);
	free(text);
	static const char accel[] = "<component id=\"root\">" PARAM("constant_power", "32.3")
		PARAM("idle_core_power", "0.283") PARAM("core_tech_node", "23")
			PARAM("TOT_INST", "10") PARAM("static_cat2_flane", "18.6")
				PARAM("static_cat2_addlane", "0.645") PARAM("INT_ACC", "14.988")
					PARAM("L2_RH", "1.2609") "</component>";
	text = imported(accel, strlen(accel), why, sizeof why);
	assert_non_null(strstr(text, "AccelWattch"));
	p = calibrated("gtx480", text, &m);
	near_to(m->power_constant, 32.3);
	near_to(m->power_idle_sm, 0.283);
	near_to(pj(p, "unit_int_add"), 2.69 * 14.988 / 2.38 * 23 / 40);
	near_to(pj(p, "l2_read"), 2805 * 1.2609 / 13.79 * 23 / 40);
	/* an SM with blocks: a fifteenth of first lane and 31 others */
	near_to(power_event(p, "sm_active") * 1.4e9, (18.6 + 31 * 0.645) / 15);
	power_free(p);
	machine_free(m);
	free(text);
}

static void test_hostile_xml(void **state)
{
	(void)state;
	char why[400];
	/* every truncation */
	for (size_t n = 0; n + 1 < sizeof gpuwattch; n++) {
		free(imported(gpuwattch, n, why, sizeof why));
		assert_true(*why);
	}
	static const char *const bad[] = {
		"<!DOCTYPE a [<!ENTITY x \"xxxxxxxx\"><!ENTITY y \"&x;&x;&x;&x;\">]><a>&y;</a>",
		"<a/>",
		"no xml",
		"<component>" PARAM("TOT_INST", "fast") "</component>",
		"<component>" PARAM("TOT_INST", "-3") "</component>",
		"<component><param name=\"TOT_INST\"/></component>",
		"<component>" PARAM("core_tech_node", "1e99") "</component>",
		"<component>" PARAM("TOT_INST", "nan") "</component>",
	};
	static const char *const reason[] = {"document type",     "no parameter TOT_INST",
					     "syntax error",      "expected a number",
					     "expected a number", "expected a number",
					     "expected a number", "expected a number"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		free(imported(bad[i], strlen(bad[i]), why, sizeof why));
		if (!strstr(why, reason[i]))
			print_error("%u: %s\n", i, why);
		assert_non_null(strstr(why, reason[i]));
	}
	char *deep = calloc(1, 3 * 10000 + 1);
	for (unsigned i = 0; i < 10000; i++)
		memcpy(deep + 3 * i, "<a>", 3);
	free(imported(deep, strlen(deep), why, sizeof why));
	assert_non_null(strstr(why, "too deeply"));
	free(deep);
}

/* Each mechanism has its own hardware, whose area and leakage the others do not have. */
static void test_mechanisms(void **state)
{
	(void)state;
	static const struct {
		const char *machine, *set[3], *what, *leak;
	} m[] = {
		{"hws", {"sm.divergence=dwf", NULL}, "tables of threads", "divergence_leak"},
		{"hws", {"sm.divergence=en-dwf", NULL}, "tables of threads", "divergence_leak"},
		{"hws", {"sm.divergence=tbc", NULL}, "tables of threads", "divergence_leak"},
		{"hws", {"sm.lanes=hws", NULL}, "tables of threads", "divergence_leak"},
		{"stsimt", {"sm.lanes=tsimt", NULL}, "instruction registers", "lanes_leak"},
		{"stsimt", {"sm.lanes=stsimt4", NULL}, "instruction registers", "lanes_leak"},
		{"stsimt",
		 {"sm.lanes=simt-scalar", "sm.scalar=all", NULL},
		 "scalar file",
		 "scalar_leak"},
		{"stsimt",
		 {"sm.lanes=simt-scalar", "sm.scalar=all", NULL},
		 "scalar unit",
		 "scalar_leak"},
		{"warpman",
		 {"gpu.dispatch=warp-temporal", NULL},
		 "workload buffers",
		 "dispatch_leak"},
	};
	for (unsigned i = 0; i < sizeof m / sizeof *m; i++) {
		const char *const plain[] = {"sm.divergence=pdom", "sm.lanes=simt",
					     "gpu.dispatch=block", NULL};
		struct machine *a = machine(m[i].machine, m[i].set),
			       *b = machine(m[i].machine, plain);
		struct power_model *p = model(a), *q = model(b);
		double mm2 = 0;
		for (size_t k = 0; k < p->areas.n; k++)
			mm2 += strcmp(p->areas.v[k].what, m[i].what) ? 0 : p->areas.v[k].mm2;
		for (size_t k = 0; k < q->areas.n; k++)
			assert_string_not_equal(q->areas.v[k].what, m[i].what);
		assert_true(mm2 > 0);
		assert_true(power_event(p, m[i].leak) > 0);
		assert_null(power_find(q, m[i].leak));
		assert_true(p->modelled > q->modelled);
		power_free(p), power_free(q);
		machine_free(a), machine_free(b);
	}
}

/* Every machine that is shipped has finite energies, none negative but what gating takes off. */
static void test_machines(void **state)
{
	(void)state;
	static const char *const names[] = {"gtx480", "gtx480-700",  "hws",  "quadro-fx5800",
					    "stsimt", "tesla-c2050", "h200", "a100"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		struct machine *m = machine(names[i], NULL);
		struct power_model *p = model(m);
		for (size_t k = 0; k < p->rows.n; k++) {
			assert_true(isfinite(p->rows.v[k].joule));
			assert_true(p->rows.v[k].joule >= 0);
			for (size_t n = 0; n < k; n++)
				assert_string_not_equal(p->rows.v[n].event, p->rows.v[k].event);
		}
		power_free(p);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_array),       cmocka_unit_test(test_cacti),
		cmocka_unit_test(test_area),        cmocka_unit_test(test_fma),
		cmocka_unit_test(test_stsimt),      cmocka_unit_test(test_dram),
		cmocka_unit_test(test_vecadd),      cmocka_unit_test(test_classes),
		cmocka_unit_test(test_halves),      cmocka_unit_test(test_idle),
		cmocka_unit_test(test_scaling),     cmocka_unit_test(test_dvfs),
		cmocka_unit_test(test_gating),      cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_calibration), cmocka_unit_test(test_import),
		cmocka_unit_test(test_hostile_xml), cmocka_unit_test(test_machines),
		cmocka_unit_test(test_mechanisms),
	};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
