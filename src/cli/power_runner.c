/* Measures the power of one kernel of a workload by a run of heddle workload, for heddle power
 * validate kernels. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"
#include "cli/measure.h"
#include "cli/power.h"
#include "heddle.h"

enum { WORDS = 64 };

static double number_of(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

/* Reads joules first and then divides, because launches of one kernel differ in length. */
static bool read_watts(const char *path, const char *kernel, double watts[2])
{
	json_t *all = json_load_file(path, 0, NULL), *l;
	double timed = 0, moving = 0, seconds = 0;
	size_t i;
	json_array_foreach (json_object_get(all, "launches"), i, l) {
		const char *name = json_string_value(json_object_get(l, "kernel"));
		const json_t *e = json_object_get(json_object_get(l, "timing"), "energy");
		if (!e || !name || !strstr(name, kernel))
			continue;
		double clock = number_of(e, "clock.static");
		timed += number_of(e, "static") - clock;
		moving += number_of(e, "dynamic") + clock;
		seconds += number_of(e, "seconds");
	}
	json_decref(all);
	watts[0] = seconds > 0 ? timed / seconds : 0;
	watts[1] = seconds > 0 ? moving / seconds : 0;
	return seconds > 0;
}

static bool run(void *arg, const char *workload, const char *kernel, const char *machine,
		const char *const *set, double watts[2])
{
	(void)arg;
	char *path = cli_temp("power", "");
	const char *argv[WORDS] = {"heddle",       "workload", workload, "--size",
				   "small",        "--config", machine,  "--quiet",
				   "--stats-sums", "--stats",  path};
	unsigned n = 11;
	for (; set && *set && n + 3 < WORDS; set++) {
		argv[n++] = "--set";
		argv[n++] = *set;
	}
	bool ok = path && !(set && *set) && measure_run(argv) && read_watts(path, kernel, watts);
	cli_temp_end(path);
	return ok;
}

const struct heddle_power_runner power_runner = {.run = run};
