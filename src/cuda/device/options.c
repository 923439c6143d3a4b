/* Reads the device's options from the environment: `heddle run` sets HEDDLE_CONFIG and so on, and
 * the user of a program started by hand may. docs/use/cuda-runtime.md lists them. A value that
 * cannot be read is reported and ignored. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "cuda/device/device.h"
#include "cuda/process/alloc.h"
#include "cuda/process/failure.h"
#include "cuda/process/process.h"

static uint64_t read_number(const char *name, uint64_t low, uint64_t high, uint64_t otherwise)
{
	const char *s = getenv(name);
	char *end;
	if (!s || !*s)
		return otherwise;
	uint64_t v = strtoull(s, &end, 0);
	if (*end || *s == '-' || v < low || v > high) {
		rt_fail("%s=%s: expected a number from %llu to %llu; it is ignored", name, s,
			(unsigned long long)low, (unsigned long long)high);
		return otherwise;
	}
	return v;
}

static bool read_flag(const char *name)
{
	const char *s = getenv(name);
	return s && *s && strcmp(s, "0");
}

static const char *read_text(const char *name)
{
	const char *s = getenv(name);
	return s && *s ? s : NULL;
}

/* Splits HEDDLE_SET: "key=value" separated by commas or blanks. */
static const char *const *split_settings(char *s)
{
	const char **list = rt_alloc((strlen(s) + 2) * sizeof *list);
	size_t n = 0;
	char *save;
	for (char *w = strtok_r(s, ", \t\n", &save); w; w = strtok_r(NULL, ", \t\n", &save))
		list[n++] = w;
	return list;
}

static void read_checks(struct heddle_options *o)
{
	const char *s = getenv("HEDDLE_CHECK");
	while (s && *s) {
		size_t n = strcspn(s, ",");
		if (n == 4 && !strncmp(s, "race", 4))
			o->check_race = true;
		else if (n == 4 && !strncmp(s, "init", 4))
			o->check_init = true;
		else if (n == 6 && !strncmp(s, "scalar", 6))
			o->check_scalar = true;
		else if (n == 4 && !strncmp(s, "warn", 4))
			o->check_warn = true;
		else if (n == 12 && !strncmp(s, "control-bits", 12))
			o->check_control = true;
		else if ((n == 4 && !strncmp(s, "none", 4)) || (n == 1 && *s == '0'))
			o->no_check = true;
		else
			rt_fail("HEDDLE_CHECK=%s: expected race, init, scalar, warn, control-bits or none",
				getenv("HEDDLE_CHECK"));
		s += n + (s[n] == ',');
	}
}

static enum heddle_native_stack read_native_stack(void)
{
	const char *s = getenv("HEDDLE_NATIVE_STACK");
	if (!s || !*s || !strcmp(s, "token") || !strcmp(s, "tokens"))
		return HEDDLE_TOKENS;
	if (strcmp(s, "while") && strcmp(s, "pdom"))
		rt_fail("HEDDLE_NATIVE_STACK=%s: expected token, while or pdom; using token", s);
	return !strcmp(s, "while")  ? HEDDLE_TOKENS_WHILE
	       : !strcmp(s, "pdom") ? HEDDLE_PDOM
				    : HEDDLE_TOKENS;
}

/* Reports early, at the start, that a file cannot be written when the program ends. */
static void try_output(const char *path)
{
	if (!path || !*path)
		return;
	bool was = !access(path, F_OK);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0) {
		rt_fail("cannot write %s: %s", path, strerror(errno));
		return;
	}
	close(fd);
	if (!was)
		unlink(path);
}

/* Reads HEDDLE_CODE; by default, the code that the program was built for. */
static void read_code(struct heddle_options *o)
{
	const char *s = read_text("HEDDLE_CODE"), *wrong = s ? heddle_code_parse(s, o) : NULL;
	unsigned sm = s ? 0 : process.modules.machine;
	if (sm)
		o->code = sm == 13   ? HEDDLE_CODE_TESLA
			  : sm == 90 ? HEDDLE_CODE_SM90
				     : HEDDLE_CODE_FERMI;
	if (wrong)
		rt_fail("HEDDLE_CODE=%s: %s; using ptx", s, wrong);
}

/* Reads HEDDLE_DEBUG, "gdb:IN:OUT" or "prompt:IN:OUT" with open file descriptors. */
static void read_debugger(struct heddle_options *o)
{
	const char *s = read_text("HEDDLE_DEBUG");
	char kind[8];
	if (!s)
		return;
	bool ok = sscanf(s, "%7[a-z]:%d:%d", kind, &o->debug_in, &o->debug_out) == 3;
	if (ok && !strcmp(kind, "gdb"))
		o->debug = HEDDLE_DEBUG_GDB;
	else if (ok && !strcmp(kind, "prompt"))
		o->debug = HEDDLE_DEBUG_PROMPT;
	else
		rt_fail("HEDDLE_DEBUG=%s: expected gdb:IN:OUT or prompt:IN:OUT; the debugger is off",
			s);
}

static void read_error(struct heddle_options *o)
{
	const char *s = read_text("HEDDLE_ERROR");
	o->error = 0.02;
	if (s && !heddle_error_parse(s, &o->error))
		rt_fail("HEDDLE_ERROR=%s: expected a percentage below 100, such as 2%%; using 2%%",
			s);
}

static void print_warning(void *arg, const char *text)
{
	(void)arg;
	rt_say("%s", text);
}

void options_read(struct heddle_options *o)
{
	const char *mode = getenv("HEDDLE_MODE"), *set = getenv("HEDDLE_SET"),
		   *config = getenv("HEDDLE_CONFIG");
	*o = (struct heddle_options){
		.output = device_output, .warn = print_warning, .allocated_at = site_of};
	o->threads = (unsigned)read_number("HEDDLE_THREADS", 1, 1024, 1);
	o->max_instructions = read_number("HEDDLE_MAX_INSTRUCTIONS", 1, UINT64_MAX, 0);
	o->reverse = read_flag("HEDDLE_REVERSE");
	o->check_report = getenv("HEDDLE_CHECK_REPORT");
	o->max_cycles = read_number("HEDDLE_MAX_CYCLES", 1, UINT64_MAX, 0);
	o->config = config && *config ? config : NULL;
	o->set = set && *set ? split_settings(rt_string(set)) : NULL;
	/* a configured machine implies timing mode, unless HEDDLE_MODE says otherwise */
	o->sampled = mode && !strcmp(mode, "sampled");
	o->timing = o->sampled || (mode && *mode ? !strcmp(mode, "timing") : o->config || o->set);
	if (mode && *mode && !o->timing && strcmp(mode, "functional"))
		rt_fail("HEDDLE_MODE=%s: expected functional, timing or sampled; using functional",
			mode);
	read_error(o);
	o->save = read_text("HEDDLE_SAVE");
	o->restore = read_text("HEDDLE_RESTORE");
	o->accesses = read_flag("HEDDLE_ACCESSES");
	o->checkpoint_every = read_number("HEDDLE_CHECKPOINT_EVERY", 1, UINT64_MAX, 0);
	o->seed = read_number("HEDDLE_SEED", 0, UINT64_MAX, 0);
	o->record = getenv("HEDDLE_RECORD");
	o->launches = read_text("HEDDLE_LAUNCHES");
	o->kernels = read_text("HEDDLE_KERNELS");
	o->skip = read_number("HEDDLE_SKIP", 0, UINT32_MAX, 0);
	o->warm = read_flag("HEDDLE_WARM");
	o->sample = read_number("HEDDLE_SAMPLE", 1, UINT64_MAX / 2, 0);
	o->sample_file = getenv("HEDDLE_SAMPLE_FILE");
	o->series = (unsigned)read_number("HEDDLE_SERIES", 2, 65536, 0);
	o->sums = read_flag("HEDDLE_STATS_SUMS");
	o->trace_file = getenv("HEDDLE_TRACE");
	o->trace_from = read_number("HEDDLE_TRACE_FROM", 0, UINT64_MAX / 2, 0);
	o->trace_to = read_number("HEDDLE_TRACE_TO", 1, UINT64_MAX / 2, 0);
	o->trace_sm = getenv("HEDDLE_TRACE_SM");
	read_debugger(o);
	o->native_stack = read_native_stack();
	read_code(o);
	o->keep_code = true;
	process.report.quiet = read_flag("HEDDLE_QUIET");
	process.report.stats = getenv("HEDDLE_STATS");
	o->profile = process.report.stats && *process.report.stats;
	read_checks(o);
	process.report.by_command = getenv("HEDDLE_FAIL_ON_FAULT") != NULL;
	failure_watch(read_flag("HEDDLE_FAIL_ON_FAULT"));
	try_output(process.report.stats);
	try_output(o->trace_file);
	try_output(o->sample ? o->sample_file : NULL);
	if (!process.report.quiet && isatty(STDERR_FILENO))
		o->progress = report_progress;
}
