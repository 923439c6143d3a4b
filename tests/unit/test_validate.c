/* heddle power validate kernels: verdicts, and the factor that is fitted on one half of the boards
 * and judged on the other, with a runner that returns known watts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

struct fake {
	unsigned runs, refused,
		changed; /* changed: number of runs whose last setting was power.vdd=1 */
	double half;     /* events and clocks: share of a board's power above 40 W */
};

/* A board's watts as in the page of targets. */
static double board(const char *kernel)
{
	static const struct {
		const char *kernel;
		double watts;
	} known[] = {{"hotspot", 229.55},    {"bp_forward", 219.80},      {"bp_adjust", 152.12},
		     {"multiply", 217.49},   {"merge_intervals", 201.34}, {"coefficients", 188.55},
		     {"sort_tiles", 172.88}, {"advance", 152.56},         {"count", 194.55},
		     {"black_scholes", 37.1}};
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].kernel, kernel))
			return known[i].watts;
	fail_msg("no target %s", kernel);
	return 0;
}

static bool run(void *arg, const char *workload, const char *kernel, const char *machine,
		const char *const *set, double watts[2])
{
	struct fake *f = arg;
	while (set && *set && set[1])
		set++;
	f->changed += set && *set && !strcmp(*set, "power.vdd=1");
	assert_true(*workload && *machine);
	f->runs++;
	if (!strcmp(workload, "PF")) {
		f->refused++;
		return false;
	}
	watts[0] = 17.9;
	watts[1] = f->half * (board(kernel) - 17.9);
	return true;
}

static bool has(const char *text, const char *id, const char *words)
{
	const char *s = text;
	for (; s; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
		size_t n = strlen(id);
		if (strncmp(s, id, n) || s[n] != ' ')
			continue;
		const char *end = strchr(s, '\n');
		char line[512];
		snprintf(line, sizeof line, "%.*s", (int)(end - s), s);
		return strstr(line, words) != NULL;
	}
	return false;
}

static char *validate(struct fake *f)
{
	struct heddle_power_runner r = {run, f};
	char *text;
	assert_true(heddle_power_validate("kernels", NULL, f ? &r : NULL, &text));
	return text;
}

/* All power of the boards is halved: each target is missed by more than its 15 %, and one factor of
 * 2 corrects all. */
static void a_factor_mends_what_is_too_small_by_one(void **state)
{
	(void)state;
	struct fake f = {.half = 0.5};
	char *text = validate(&f);
	assert_true(has(text, "10", "MISSED"));
	assert_true(has(text, "10", "x 2"));
	assert_true(has(text, "16", "open")); /* the part did not run */
	assert_true(has(text, "17", "open"));
	assert_true(has(text, "QU", "MISSED"));
	assert_true(has(text, "QF", "x 2.00"));
	assert_true(has(text, "QF", "met"));
	assert_true(has(text, "QJ", "met"));
	assert_true(has(text, "8", "met"));
	assert_true(has(text, "9a", "met"));
	assert_true(has(text, "9b", "MISSED"));
	assert_int_equal(f.refused, 1);
	assert_int_equal(f.runs, 2 * 8 + 1 + 1);
	free(text);
}

static void right_watts_are_met(void **state)
{
	(void)state;
	struct fake f = {.half = 1};
	char *text = validate(&f);
	assert_true(has(text, "10", "met"));
	assert_true(has(text, "QU", "met"));
	assert_true(has(text, "QA", "met"));
	assert_true(has(text, "9", "met"));
	assert_non_null(strstr(text, " 0 missed"));
	free(text);
}

/* Settings are appended to every run; settings that no machine accepts are refused before any
 * run. */
static void settings_change_all_machines(void **state)
{
	(void)state;
	static const char *const set[] = {"power.vdd=1", NULL}, *const bad[] = {"power.vdd=9",
										NULL};
	struct fake f = {.half = 1};
	struct heddle_power_runner r = {run, &f};
	char *text;
	assert_true(heddle_power_validate("kernels", set, &r, &text));
	free(text);
	assert_true(f.runs > 10 && f.changed == f.runs);
	f.runs = 0;
	assert_false(heddle_power_validate("kernels", bad, &r, &text));
	assert_non_null(strstr(text, "power.vdd = 9"));
	assert_int_equal(f.runs, 0);
	free(text);
	char *plain;
	assert_true(heddle_power_validate("arrays", NULL, NULL, &plain));
	assert_true(heddle_power_validate("arrays", set, NULL, &text));
	assert_string_not_equal(plain, text);
	free(plain);
	free(text);
}

/* Without the suite all targets are open, and none is judged. */
static void without_a_runner_targets_stay_open(void **state)
{
	(void)state;
	char *text = validate(NULL);
	assert_true(has(text, "10", "open"));
	assert_true(has(text, "9", "open"));
	assert_non_null(strstr(text, "0 met, 0 missed, 11 cannot"));
	free(text);
	assert_false(heddle_power_validate("kernel", NULL, NULL, &text));
	assert_non_null(strstr(text, "kernels"));
	free(text);
}

int main(void)
{
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_factor_mends_what_is_too_small_by_one),
		cmocka_unit_test(right_watts_are_met),
		cmocka_unit_test(settings_change_all_machines),
		cmocka_unit_test(without_a_runner_targets_stay_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
