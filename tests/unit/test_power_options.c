/* Energy: options, calibration files and imported GPUWattch files; every machine and mechanism has
 * a model. */
#include "power_rig.h"

#include <unistd.h>
#include "power/import.h"
#include "sm/sm.h"

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
		{"power.vdd_curve=", NULL},
		{"power.vdd_curve=1e99:1", NULL},
		{"power.calibration=/dev/zero", NULL},
	};
	static const char *const why[] = {"from 5 to 130",
					  "0.3 to 1.5 V",
					  "did you mean units?",
					  "from 0.01 to 100",
					  "rising clock",
					  "MHz:V",
					  "multiple of 32",
					  "neither a readable file",
					  "from 0 to 1",
					  "did you mean rf_read?",
					  "proportional to time",
					  "from 0 to 1000000000",
					  "from 0 to 1000000000",
					  "MHz:V",
					  "MHz:V",
					  "expected text"};
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
	near_to(pj(c, "rf_read"), 3 * pj(a, "rf_read")); /* --set applies before the file */
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
	static const char *const bad[] = {
		"[power]\nscale.rf = 2\n",
		"[power]\nnonsense = 2\n[origin]\nnonsense = x\n",
		"[power]\nscale.rf = -2\n[origin]\nscale.rf = x\n",
		"speed = 3\n",
		"error = many\n",
		"[power]\nconstant 3\n",
		"",
		"error = 0.1\n",
		"[power]\nscale.rf = 2\nscale.rf = 3\n[origin]\nscale.rf = x\n",
		"[power]\nscale.rf = 2\n[origin]\nscale.rf = x\nscale.rf = y\n",
		"[power]\nscale.rf = 2\n[origin]\nscale.rf = x\nscale.l2 = y\n"};
	static const char *const why[] = {
		"no line in [origin]",      "unknown option",        "from 0.01 to 100",
		"expected error",           "from 0 to 10",          "key = value",
		"nothing is calibrated",    "nothing is calibrated", "occurs twice",
		"occurs twice in [origin]", "has no number"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		write_file(path, bad[i]);
		refused("gtx480", with, why[i]);
	}
	/* a file that ends or begins too early: one message for everything missing */
	static const char *const cut[][2] = {
		{"[power]\nscale.rf = 2\nscale.l2 = 2\nscale.noc = 2\n[origin]\n",
		 "scale.rf and 2 more have no line in [origin]"},
		{"scale.rf = 2\nscale.l2 = 2\n[origin]\nscale.rf = x\nscale.l2 = x\n",
		 "scale.rf: expected error"}};
	for (unsigned i = 0; i < sizeof cut / sizeof *cut; i++) {
		struct diag d = {0};
		write_file(path, cut[i][0]);
		machine_free(machine_read("gtx480", with, &d));
		assert_int_equal(d.errors, 1);
		assert_non_null(strstr(d.msg[0].text, cut[i][1]));
		diag_free(&d);
	}
	/* no end in sight */
	FILE *f = fopen(path, "w");
	for (unsigned i = 0; i < 20000; i++)
		fprintf(f, "; %u\n", i);
	fclose(f);
	refused("gtx480", with, "more than 64 KB");
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

/* A machine's model with an imported text as its calibration. */
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

/* The mean counts per 500 cycles in GPUWattch's log of a 400 x 400 product, with the energies of
 * the file for GTX480, give the watts of that log by component. */
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
	/* ends of ranges are valid */
	static const char *const ends[] = {
		"<component id=\"root\">" PARAM("core_tech_node", "5") PARAM("temperature", "300")
			PARAM("idle_core_power", "0") PARAM("constant_power", "200")
				PARAM("TOT_INST", "10") "</component>",
		"<component id=\"root\">" PARAM("core_tech_node", "130") PARAM("temperature", "400")
			PARAM("idle_core_power", "20") PARAM("constant_power", "0")
				PARAM("TOT_INST", "10") "</component>"};
	for (unsigned i = 0; i < 2; i++) {
		free(imported(ends[i], strlen(ends[i]), why, sizeof why));
		assert_null(strstr(why, "expected a number"));
	}
	text = imported(accel, strlen(accel), why, sizeof why);
	assert_non_null(strstr(text, "AccelWattch"));
	p = calibrated("gtx480", text, &m);
	near_to(m->power_constant, 32.3);
	near_to(m->power_idle_sm, 0.283);
	near_to(pj(p, "unit_int_add"), 2.69 * 14.988 / 2.38 * 23 / 40);
	near_to(pj(p, "l2_read"), 2805 * 1.2609 / 13.79 * 23 / 40);
	/* an SM with blocks has the power of the first lane and 31 others, divided by the 15 SMs */
	near_to(power_event(p, "sm_active") * 1.4e9, (18.6 + 31 * 0.645) / 15);
	power_free(p);
	machine_free(m);
	free(text);
}

/* Events that only a calibration file names: their component, and whether they scale with time. */
static void test_named_events(void **state)
{
	(void)state;
	static const struct {
		const char *event;
		enum power_component comp;
		bool timed;
	} want[] = {{"schedule", COMP_control, false},   {"pipe", COMP_clock, false},
		    {"fetch_miss", COMP_fetch, false},   {"l1d_read_hit", COMP_l1d, false},
		    {"l1d_read_miss", COMP_l1d, false},  {"l1d_write_hit", COMP_l1d, false},
		    {"l1d_write_miss", COMP_l1d, false}, {"mc_read", COMP_mc, false},
		    {"mc_store", COMP_mc, false},        {"mc_cycle", COMP_mc, true}};
	for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
		char text[64];
		snprintf(text, sizeof text, "power.event.%s=7", want[i].event);
		const char *set[] = {text, NULL};
		struct machine *m = machine("gtx480", set);
		struct power_model *p = model(m);
		const struct power_row *r = power_find(p, want[i].event);
		assert_non_null(r);
		assert_int_equal(r->comp, want[i].comp);
		assert_int_equal(r->timed, want[i].timed);
		near_to(r->joule, 7e-12);
		power_free(p);
		machine_free(m);
	}
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
		"<component>" PARAM("TOT_INST", "2") "\n<a/>" PARAM("TOT_INST", "3") "</component>",
	};
	static const char *const reason[] = {"document type",
					     "no parameter TOT_INST",
					     "syntax error",
					     "expected a number",
					     "expected a number",
					     "expected a number",
					     "expected a number",
					     "expected a number",
					     "the component has it with 2 in line 1"};
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

/* Each mechanism has hardware of its own, whose area and leakage the other mechanisms lack. */
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

/* Every shipped machine has finite energies; only energy that gating removes is negative. */
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
		cmocka_unit_test(test_refusals),     cmocka_unit_test(test_calibration),
		cmocka_unit_test(test_import),       cmocka_unit_test(test_hostile_xml),
		cmocka_unit_test(test_named_events), cmocka_unit_test(test_mechanisms),
		cmocka_unit_test(test_machines),
	};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
