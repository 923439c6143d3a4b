/* Compares the energy model with published measurements and models: each target with its value, its
 * source, the limit and a verdict. A target that cannot be computed here states the reason. Nothing
 * is fitted to the targets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "validate/validate.h"
#include "conf/machine.h"

/* A loop of independent fma instructions: all lanes of all SMs are busy, and memory is idle. */
static const char fma_ptx[] =
	".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry stress()\n{\n"
	"	.reg .f32 %f<9>;\n	.reg .b32 %r<2>;\n	.reg .pred %p;\n"
	"	mov.f32 %f0, 0f3F800000;\n	mov.f32 %f1, %f0;\n	mov.f32 %f2, %f0;\n	mov.f32 %f3, %f0;\n"
	"	mov.f32 %f4, %f0;\n	mov.f32 %f5, %f0;\n	mov.f32 %f6, %f0;\n	mov.f32 %f7, %f0;\n	mov.u32 %r0, 0;\nL:\n"
	"	fma.rn.f32 %f0, %f0, %f7, %f1;\n	fma.rn.f32 %f1, %f1, %f7, %f2;\n	fma.rn.f32 %f2, %f2, %f7, %f3;\n"
	"	fma.rn.f32 %f3, %f3, %f7, %f4;\n	fma.rn.f32 %f4, %f4, %f7, %f5;\n	fma.rn.f32 %f5, %f5, %f7, %f6;\n"
	"	fma.rn.f32 %f6, %f6, %f7, %f0;\n	fma.rn.f32 %f0, %f0, %f7, %f2;\n"
	"	add.u32 %r0, %r0, 1;\n	setp.lt.u32 %p, %r0, 16;\n	@%p bra L;\n	ret;\n}\n";

/* A stress test that keeps memory busy too: 24 fma for each word that a thread reads, the ratio
 * with the highest power among those from 8 to 48. */
enum { LOADS = 16 };
static const char both_ptx[] =
	".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry stress(.param .u64 in)\n{\n"
	"	.reg .f32 %f<9>;\n	.reg .b32 %r<5>;\n	.reg .b64 %d<3>;\n	.reg .pred %p;\n"
	"	ld.param.u64 %d0, [in];\n	mov.u32 %r0, %tid.x;\n	mov.u32 %r1, %ctaid.x;\n	mov.u32 %r2, %ntid.x;\n"
	"	mov.u32 %r3, %nctaid.x;\n	mad.lo.u32 %r4, %r1, %r2, %r0;\n	mul.wide.u32 %d1, %r4, 4;\n"
	"	add.u64 %d0, %d0, %d1;\n	mul.lo.u32 %r3, %r3, %r2;\n	mul.wide.u32 %d2, %r3, 4;\n"
	"	mov.f32 %f0, 0f3F800000;\n	mov.f32 %f1, %f0;\n	mov.f32 %f2, %f0;\n	mov.f32 %f3, %f0;\n"
	"	mov.f32 %f4, %f0;\n	mov.f32 %f5, %f0;\n	mov.f32 %f6, %f0;\n	mov.f32 %f7, %f0;\n	mov.u32 %r0, 0;\nL:\n"
	"	ld.global.f32 %f8, [%d0];\n	add.u64 %d0, %d0, %d2;\n"
#define EIGHT                                                                                      \
	"	fma.rn.f32 %f0, %f0, %f7, %f1;\n	fma.rn.f32 %f1, %f1, %f7, %f2;\n"                       \
	"	fma.rn.f32 %f2, %f2, %f7, %f3;\n	fma.rn.f32 %f3, %f3, %f7, %f4;\n"                       \
	"	fma.rn.f32 %f4, %f4, %f7, %f5;\n	fma.rn.f32 %f5, %f5, %f7, %f6;\n"                       \
	"	fma.rn.f32 %f6, %f6, %f7, %f0;\n	fma.rn.f32 %f0, %f0, %f7, %f2;\n"
	EIGHT EIGHT EIGHT
	"	add.f32 %f6, %f6, %f8;\n	add.u32 %r0, %r0, 1;\n	setp.lt.u32 %p, %r0, 16;\n	@%p bra L;\n	ret;\n}\n";
#undef EIGHT

struct stress {
	double watts, idle, rf_share; /* rf_share: fraction of the SMs' dynamic energy */
	double moving;                /* part of `watts` due to events and clocks */
};

static struct stress stress(const struct verdicts *n, const char *machine, const char *const *set,
			    unsigned sms, bool memory)
{
	enum { BLOCKS = 4, THREADS = 256 };
	struct probe p = {.machine = machine,
			  .set = set,
			  .ptx = memory ? both_ptx : fma_ptx,
			  .grid = sms * BLOCKS,
			  .block = THREADS,
			  .bytes = memory ? 4ull * sms * BLOCKS * THREADS * LOADS : 0};
	struct measure m;
	if (!validate_run(n, &p, &m))
		return (struct stress){NAN, NAN, NAN, NAN};
	double sm = 0, all = m.of.timed[COMP_clock];
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		sm += power_components[c].home == HOME_SM ? m.of.dynamic[c] : 0;
		all += m.of.dynamic[c];
	}
	return (struct stress){m.mean, m.idle, m.of.dynamic[COMP_rf] / sm, all / m.seconds};
}

/* ---- verdicts ---- */

static void add_verdict(struct verdicts *n, bool ok, const char *id, const char *what, double have,
			double want, const char *unit, const char *limit, const char *source,
			const char *why)
{
	fprintf(n->f, "%-5s %-46s %10.4g %10.4g %-7s %-10s %-6s %s%s%s\n", id, what, have, want,
		unit, limit, ok ? "met" : "MISSED", source, ok ? "" : "; ", ok ? "" : why);
	n->met += ok;
	n->missed += !ok;
}

void validate_line(struct verdicts *n, const char *id, const char *what, double have, double want,
		   double limit, const char *unit, const char *source, const char *why)
{
	bool ratio = limit >= 1; /* a factor; otherwise a relative difference */
	bool ok = ratio ? have / want <= limit && want / have <= limit
			: fabs(have / want - 1) <= limit;
	char lim[32];
	if (ratio)
		snprintf(lim, sizeof lim, "factor %.3g", limit);
	else
		snprintf(lim, sizeof lim, "+- %.3g %%", 100 * limit);
	add_verdict(n, ok, id, what, have, want, unit, lim, source, why);
}

void validate_most(struct verdicts *n, const char *id, const char *what, double have, double most,
		   const char *unit, const char *source, const char *why)
{
	add_verdict(n, have <= most, id, what, have, most, unit, "at most", source, why);
}

void validate_open(struct verdicts *n, const char *id, const char *what, const char *why)
{
	fprintf(n->f, "%-5s %-46s %10s %10s %-7s %-10s %-6s %s\n", id, what, "", "", "", "", "open",
		why);
	n->open++;
}

static struct machine *machine_with(const struct verdicts *n, const char *name, const char *set)
{
	struct diag d = {0};
	const char **all = validate_settings(n, (const char *[]){set, NULL});
	struct machine *m = machine_read(name, all, &d);
	diag_free(&d);
	free(all);
	return m;
}

/* Prints a board's target. A missed target is reported as the factor that events and clocks would
 * need, with leakage and the constant part unchanged. */
static void compare_board(struct verdicts *n, const char *id, const char *what, const char *machine,
			  const char *const *set, unsigned sms, double tdp, double limit)
{
	struct stress s = stress(n, machine, set, sms, true);
	char why[128];
	snprintf(
		why, sizeof why,
		"uncalibrated: events and clocks, %.3g W here, would have to take %.2g times as much",
		s.moving, (tdp - s.watts + s.moving) / s.moving);
	validate_line(n, id, what, s.watts, tdp, limit, "W", "reviews", why);
}

static void boards(struct verdicts *n)
{
	const char *fermi[] = {"power.die_mm2=529", NULL}, *c2050[] = {"power.die_mm2=529", NULL},
		   *tesla[] = {"power.die_mm2=470", "power.node=55", NULL},
		   *gtx580[] = {"gpu.sms=16", "gpu.core_mhz=1544", "gpu.dram_mhz=1002",
				"power.die_mm2=520", NULL},
		   *gtx260[] = {"gpu.sms=24", "gpu.core_mhz=1242", "power.die_mm2=576",
				"power.node=65", NULL},
		   *low[] = {"power.vdd=1.0",
			     "gpu.sms=24",
			     "gpu.core_mhz=300",
			     "power.die_mm2=576",
			     "power.node=65",
			     "power.temperature=320",
			     NULL},
		   *const *rest = low + 1;
	compare_board(n, "1", "GTX 480, fma and loads, against its TDP", "gtx480", fermi, 15, 250,
		      0.2);
	compare_board(n, "2", "GTX 580, the same: gtx480 with its SMs and clocks", "gtx480", gtx580,
		      16, 244, 0.2);
	compare_board(n, "3", "Tesla C2050, the same", "tesla-c2050", c2050, 14, 238, 0.2);
	compare_board(n, "4", "GT200b (GTX 275), the same on quadro-fx5800", "quadro-fx5800", tesla,
		      30, 219, 0.25);
	compare_board(n, "5a", "GTX 260, the same: quadro-fx5800 with its SMs", "quadro-fx5800",
		      gtx260, 24, 182, 0.3);
	char why[128];
	snprintf(why, sizeof why, "with 1.0 V %.3g W; at full clock, 1.1 V and 380 K %.3g W",
		 stress(n, "quadro-fx5800", low, 24, false).idle,
		 stress(n, "quadro-fx5800", gtx260, 24, false).idle);
	validate_line(n, "5b", "GTX 260, idle at 300 MHz and 320 K",
		      stress(n, "quadro-fx5800", rest, 24, false).idle, 25, 0.3, "W", "reviews",
		      why);
	struct stress a = stress(n, "gtx480", fermi, 15, false);
	validate_line(
		n, "25", "share of the register file in SM dynamic power", 100 * a.rf_share, 17.5,
		0.43, "%", "10 to 25 % (doubtful)",
		"uncalibrated: an fma reads three operands of 165 pJ and computes for 13 pJ a thread");
}

static void judge_leakage(struct verdicts *n)
{
	struct machine *m = machine_with(n, "gtx480", NULL);
	struct diag d = {0};
	struct tech t;
	if (m && tech_of(&t, m, &d)) {
		validate_line(n, "7a", "static power of GT240, 144 mm^2", t.leak * 144, 17.6, 0.15,
			      "W", "GPUSimPow", "density of the node");
		validate_line(n, "7b", "static power of GTX580, 520 mm^2", t.leak * 520, 80, 0.15,
			      "W", "GPUSimPow", "density of the node");
	}
	struct machine *v = machine_with(n, "gtx480", "power.calibration=qv100-accelwattch");
	validate_line(n, "18a", "V100 constant, by the imported file", v ? v->power_constant : NAN,
		      32.3, 0.01, "W", "AccelWattch", "the file");
	validate_line(n, "18b", "V100 idle SM, by the imported file", v ? v->power_idle_sm : NAN,
		      0.283, 0.01, "W", "AccelWattch", "the file");
	machine_free(v);
	if (m) {
		const double have[] = {
			array_cost(&t, &(struct array){.bits = 65536, .width = 256, .lane = true})
				.area,
			array_cost(&t, &(struct array){.bits = 8192, .width = 32, .lane = true})
				.area,
			crossbar_area(&t, 8, 8, 256), crossbar_area(&t, 8, 8, 32)};
		validate_line(n, "21a", "register array 8 kB x 256", have[0], 0.0296, 0.05, "mm^2",
			      "Lucas 2015, Table I", "");
		validate_line(n, "21b", "register array 1 kB x 32", have[1], 0.0036, 0.05, "mm^2",
			      "Lucas 2015, Table I", "");
		validate_line(n, "21c", "crossbar 8 x 8 x 256", have[2], 2.030, 0.05, "mm^2",
			      "Lucas 2015, Table I", "");
		validate_line(n, "21d", "crossbar 8 x 8 x 32", have[3], 0.0333, 0.05, "mm^2",
			      "Lucas 2015, Table I", "");
	}
	diag_free(&d);
	machine_free(m);
}

static void judge_cacti(struct verdicts *n)
{
	static const struct {
		double kb, pj;
	} a[] = {{8, 49.2},  {16, 57.8}, {32, 81.6}, {64, 224},
		 {128, 214}, {256, 284}, {512, 438}, {1024, 646}};
	struct machine *m = machine_with(n, "gtx480", "power.node=65");
	struct diag d = {0};
	struct tech t;
	for (unsigned i = 0; m && tech_of(&t, m, &d) && i < sizeof a / sizeof *a; i++) {
		char id[8], what[48];
		struct array x = {.bits = a[i].kb * 8192, .width = 512};
		snprintf(id, sizeof id, "22%c", 'a' + (char)i);
		snprintf(what, sizeof what, "CACTI array of %.0f kB x 512, 65 nm", a[i].kb);
		validate_line(
			n, id, what, array_cost(&t, &x).read * 1e-3, a[i].pj, 1.5, "pJ",
			"CACTI's batch results",
			"the way to CACTI's mats takes 35.6 pJ at 16 kB, 42.4 at 32 kB and 185 at 64 kB, where it has twice as many; our tree goes with the edge");
	}
	diag_free(&d);
	machine_free(m);
}

static void gtx480_fma(struct verdicts *n)
{
	struct machine *m = machine_with(n, "gtx480", NULL);
	struct diag d = {0};
	struct power_model *p = m ? power_new(m, &d) : NULL;
	if (p) {
		double e = (3 * 8 * power_event(p, "rf_read") + 8 * power_event(p, "rf_write") +
			    32 * power_event(p, "rf_word") + power_event(p, "control")) /
				   32 +
			   power_event(p, "unit_fp32_fma");
		validate_line(n, "24", "f32 fma thread instruction on a Fermi", e * 1e12, 85, 0.41,
			      "pJ", "50 to 120 pJ, calibrated (doubtful)", "uncalibrated");
	}
	power_free(p);
	machine_free(m);
	diag_free(&d);
}

static void arrays(struct verdicts *n)
{
	judge_leakage(n);
	judge_cacti(n);
	gtx480_fma(n);
}

/* Checks settings before any machine takes them; false: *text has the reason. */
static bool settings_ok(const char *const *set, char **text)
{
	struct diag d = {0};
	if (!set || !*set)
		return true;
	struct machine *m = machine_read("gtx480", set, &d);
	struct power_model *p = m ? power_new(m, &d) : NULL;
	bool ok = p;
	if (!ok)
		*text = diag_string(&d);
	power_free(p);
	machine_free(m);
	diag_free(&d);
	return ok;
}

bool heddle_power_validate(const char *part, const char *const *set,
			   const struct heddle_power_runner *runner, char **text)
{
	static const struct {
		const char *name;
		void (*run)(struct verdicts *n);
	} parts[] = {{"boards", boards},
		     {"arrays", arrays},
		     {"gpuwattch", validate_gpuwattch},
		     {"chips", validate_chips},
		     {"fit", validate_fit},
		     {"data", validate_data},
		     {"kernels", validate_kernels}};
	size_t size;
	if (!settings_ok(set, text))
		return false;
	FILE *f = open_memstream(text, &size);
	struct verdicts n = {.f = f, .runner = runner, .set = set};
	bool known = !part;
	if (!f)
		return false;
	for (unsigned i = 0; part && i < STAT_COUNT_OF(parts); i++)
		known |= !strcmp(part, parts[i].name);
	if (known)
		fprintf(f, "%-5s %-46s %10s %10s %-7s %-10s %-6s %s\n", "", "", "here", "published",
			"", "limit", "", "source");
	else
		fprintf(f,
			"heddle power: validate %s: expected boards, arrays, gpuwattch, chips, fit, data or kernels\n",
			part);
	for (unsigned i = 0; known && i < STAT_COUNT_OF(parts); i++)
		if (!part || !strcmp(part, parts[i].name))
			parts[i].run(&n);
	if (known)
		fprintf(f, "%u met, %u missed, %u cannot be computed here\n", n.met, n.missed,
			n.open);
	fclose(f);
	return known;
}
