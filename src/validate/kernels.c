/* Compares power of programs that others measured on boards with kernels of the workload suite that
 * use the same algorithms; programs, inputs and compilers differ. Power is taken uncalibrated, then
 * with AccelWattch's imported energies (tuned by its authors on other programs), then with one
 * factor for events and clocks that is fitted on every second kernel and judged on the others. */
#include <math.h>
#include <stdlib.h>
#include "validate/validate.h"
#include "heddle.h"

static const struct target {
	const char *id, *what, *workload, *kernel;
	double watts;
} targets[] = {
	{"10", "QV100 hotspot", "HS", "hotspot", 229.55},
	{"11a", "QV100 backprop_k1", "BP", "bp_forward", 219.80},
	{"11b", "QV100 backprop_k2", "BP", "bp_adjust", 152.12},
	{"12", "QV100 sgemm, another tiling", "MM", "multiply", 217.49},
	{"13", "QV100 mergeSort_k2", "MGST", "merge_intervals", 201.34},
	{"14", "QV100 srad_v1", "SR", "coefficients", 188.55},
	{"15", "QV100 mergeSort_k1", "MGST", "sort_tiles", 172.88},
	{"16", "QV100 pathfinder", "PF", "advance", 152.56},
	{"QH", "QV100 histogram", "HG", "count", 194.55},
};
enum { N = sizeof targets / sizeof *targets };

static const char source[] = "AccelWattch, validation on a board";

struct errors { /* errors over some of the kernels */
	unsigned n;
	double all, sign, worst;
};

static void add_error(struct errors *e, double have, double want)
{
	double x = have / want - 1;
	e->n++;
	e->all += fabs(x);
	e->sign += x;
	e->worst = fmax(e->worst, fabs(x));
}

static void errors_line(struct verdicts *n, const char *id, const char *what,
			const struct errors *e, double most, const char *from)
{
	char text[96], why[64];
	if (!e->n)
		return;
	snprintf(text, sizeof text, "mean error, %s, of %u", what, e->n);
	snprintf(why, sizeof why, "signed %+.0f %%, worst %.0f %%", 100 * e->sign / e->n,
		 100 * e->worst);
	validate_most(n, id, text, 100 * e->all / e->n, most, "%", from, why);
}

static bool watts_of(struct verdicts *n, const struct target *t, const char *machine,
		     const char *const *set, double w[2])
{
	const struct heddle_power_runner *r = n->runner;
	const char **all = validate_settings(n, set);
	bool ok = r && r->run(r->arg, t->workload, t->kernel, machine, all, w);
	free(all);
	return ok;
}

/* Returns the factor of events and clocks that fits best, with time-proportional power
 * unchanged. */
static double fit_factor(double w[N][2], const bool *ran)
{
	double up = 0, down = 0;
	for (unsigned i = 0; i < N; i += 2)
		if (ran[i]) {
			up += w[i][1] * (targets[i].watts - w[i][0]);
			down += w[i][1] * w[i][1];
		}
	double a = down > 0 ? up / down : 1;
	return a < 0.3 ? 0.3 : a > 5 ? 5 : a;
}

static void judge_volta(struct verdicts *n)
{
	static const char *const theirs[] = {"power.calibration=qv100-accelwattch", NULL};
	struct errors plain = {0}, imported = {0}, half[2] = {{0}};
	double w[N][2], v[2];
	bool ran[N];
	for (unsigned i = 0; i < N; i++) {
		const struct target *t = &targets[i];
		ran[i] = watts_of(n, t, "qv100", NULL, w[i]);
		if (!ran[i]) {
			validate_open(n, t->id, t->what, "the workload did not run");
			continue;
		}
		char why[96];
		snprintf(why, sizeof why, "%.0f W go with time; events and clocks, %.0f W, x %.2g",
			 w[i][0], w[i][1], (t->watts - w[i][0]) / w[i][1]);
		validate_line(n, t->id, t->what, w[i][0] + w[i][1], t->watts, 0.15, "W", source,
			      why);
		add_error(&plain, w[i][0] + w[i][1], t->watts);
		if (watts_of(n, t, "qv100", theirs, v))
			add_error(&imported, v[0] + v[1], t->watts);
	}
	validate_open(n, "17", "QV100 kmeans, 151.9 W", "no such program in the suite");
	double a = fit_factor(w, ran);
	for (unsigned i = 0; i < N; i++)
		if (ran[i])
			add_error(&half[i % 2], w[i][0] + a * w[i][1], targets[i].watts);
	char fitted[48];
	snprintf(fitted, sizeof fitted, "fitted, events and clocks x %.2f", a);
	errors_line(n, "QU", "uncalibrated", &plain, 15, source);
	errors_line(n, "QA", "AccelWattch's energies", &imported, 15, source);
	errors_line(n, "QF", fitted, &half[0], 15, source);
	errors_line(n, "QJ", "judged by that factor", &half[1], 15, source);
	errors_line(
		n, "8", "judged, against GPUSimPow's own", &half[1], 11.7,
		"GPUSimPow: 11.7 % on a GT240, 10.8 % on a GTX580, whose kernels are not public");
}

/* GT200's SM, as in GT215, at 40 nm: 12 SMs and two channels of GDDR5. */
static void compare_black_scholes(struct verdicts *n)
{
	static const char *const set[] = {
		"gpu.sms=12",     "gpu.capability=12", "gpu.core_mhz=1340", "gpu.icnt_mhz=550",
		"gpu.l2_mhz=550", "gpu.dram_mhz=850",  "dram.data_rate=4",  "mem.partitions=2",
		"power.node=40",  "power.dram=gddr5",  "power.die_mm2=144", NULL};
	const struct target t = {"9", "BlackScholes on a GT240", "BS", "black_scholes",
				 17.9 + 19.2};
	double w[2];
	if (!watts_of(n, &t, "quadro-fx5800", set, w)) {
		validate_open(n, t.id, t.what, "the workload did not run");
		return;
	}
	validate_line(n, "9a", "BlackScholes on a GT240: with time", w[0], 17.9, 0.2, "W",
		      "GPUSimPow (doubtful)",
		      "the board's constant, 10 W, and DRAM in standby are in it");
	validate_line(n, "9b", "the same: events and clocks", w[1], 19.2, 0.2, "W",
		      "GPUSimPow (doubtful)", "uncalibrated");
	validate_line(n, "9", "the same: both", w[0] + w[1], t.watts, 0.2, "W",
		      "GPUSimPow (doubtful)", "uncalibrated");
}

void validate_kernels(struct verdicts *n)
{
	judge_volta(n);
	compare_black_scholes(n);
}
