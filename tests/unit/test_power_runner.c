/* How heddle power validate obtains the power of a program: the command, the place of the figures,
 * and that launches of other kernels are excluded. The run itself is replaced here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "command/command.h"
#include "cli/measure.h"
#include "cli/power.h"
#include "heddle.h"

static char words[4096], stats_path[512];
static bool succeeds;
static const char *writes;
static unsigned errors;

bool measure_run(const char *const *argv)
{
	*words = 0;
	for (; *argv; argv++) {
		strcat(strcat(words, *argv), " ");
		if (!strcmp(argv[0], "--stats"))
			snprintf(stats_path, sizeof stats_path, "%s", argv[1]);
	}
	FILE *f = fopen(stats_path, "w");
	assert_non_null(f);
	fputs(writes, f);
	fclose(f);
	return succeeds;
}

void cli_error(const char *cmd, const char *fmt, ...)
{
	(void)cmd;
	(void)fmt;
	errors++;
}

#define LAUNCH(name, dynamic, all, clock, seconds)                                                 \
	"{\"kernel\": \"" name "\", \"timing\": {\"energy\": {\"dynamic\": " dynamic               \
	", \"static\": " all ", \"clock.static\": " clock ", \"seconds\": " seconds "}}}"

static const char three[] = "{\"launches\": [" LAUNCH("_Z4workPf", "6", "5", "2", "0.5") "," LAUNCH(
	"_Z5otherv", "1e9", "1e9", "1", "7") "," LAUNCH("_Z4workPf", "1", "4", "1",
							"1.5") ", {\"kernel\": \"_Z4workPf\"}]}";

static bool run(const char *kernel, const char *const *set, double w[2])
{
	w[0] = w[1] = -1;
	return power_runner.run(power_runner.arg, "HS", kernel, "qv100", set, w);
}

/* Joules of both launches of the kernel divided by their seconds; clock energy is added to event
 * energy. */
static void watts_of_one_kernel(void **state)
{
	(void)state;
	static const char *const set[] = {"gpu.sms=12", "power.node=40", NULL};
	double w[2];
	succeeds = true;
	writes = three;
	assert_true(run("work", set, w));
	assert_true(w[0] == (5 - 2 + 4 - 1) / 2.0 && w[1] == (6 + 2 + 1 + 1) / 2.0);
	assert_non_null(strstr(words, "heddle workload HS --size small --config qv100 "));
	assert_non_null(strstr(words, " --set gpu.sms=12 --set power.node=40 "));
	assert_int_not_equal(access(stats_path, F_OK), 0); /* nothing is left behind */
}

static void what_gives_no_power(void **state)
{
	(void)state;
	double w[2];
	writes = three;
	succeeds = true;
	assert_false(run("absent", NULL, w));
	writes = "{\"launches\": [";
	assert_false(run("work", NULL, w));
	writes = three;
	succeeds = false;
	assert_false(run("work", NULL, w));
	/* more settings than fit: leaving some out would simulate another machine */
	static const char *many[101];
	for (unsigned i = 0; i < 100; i++)
		many[i] = "gpu.sms=1";
	succeeds = true;
	*words = 0;
	assert_false(run("work", many, w));
	assert_string_equal(words, "");
}

static void files_go_to_tmpdir(void **state)
{
	(void)state;
	char dir[] = "/tmp/heddle-test-XXXXXX";
	double w[2];
	assert_non_null(mkdtemp(dir));
	setenv("TMPDIR", dir, 1);
	succeeds = true;
	writes = three;
	assert_true(run("work", NULL, w));
	assert_memory_equal(stats_path, dir, strlen(dir));
	assert_int_equal(rmdir(dir), 0);
	errors = 0;
	assert_false(run("work", NULL, w)); /* the folder is gone */
	assert_int_equal(errors, 1);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watts_of_one_kernel),
		cmocka_unit_test(what_gives_no_power),
		cmocka_unit_test(files_go_to_tmpdir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
