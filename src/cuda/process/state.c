/* The device of the process: opened at first use with the options of the environment, reported on
 * when the program ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "cuda/process/failure.h"
#include "cuda/check/segv.h"
#include "cuda/process/alloc.h"
#include "cuda/module/native.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"
#include "cuda/process/site.h"

struct rt rt = {.lock = PTHREAD_MUTEX_INITIALIZER, .device = PTHREAD_MUTEX_INITIALIZER};
static struct heddle_device info;
static struct timespec launch_start;
static pid_t opened_by; /* a child that it forks has not run anything; 0: all is said */
static bool drew;

void rt_vsay(const char *fmt, va_list ap)
{
	static const char name[] = "heddle: ";
	char few[2048],
		*line = few; /* a handler of a signal may come here: no malloc for a few words */
	size_t at = sizeof name - 1;
	va_list again;
	va_copy(again, ap);
	int k = vsnprintf(few + at, sizeof few - at, fmt, ap);
	size_t n = at + (k > 0 ? (size_t)k : 0);
	if (n >= sizeof few && (line = malloc(n + 1))) {
		vsnprintf(line + at, n + 1 - at, fmt, again);
	} else if (n >= sizeof few) {
		line = few;
		n = sizeof few - 1;
	}
	va_end(again);
	memcpy(line, name, at);
	for (size_t i = 0; i < n; i++) { /* bytes of broken files stay off terminals */
		unsigned char c = (unsigned char)line[i];
		if ((c < 32 && c != '\n' && c != '\t') || c == 127)
			line[i] = '?';
	}
	line[n++] = '\n';
	fflush(stdout);
	for (size_t done = 0; done < n;) {
		ssize_t w = write(STDERR_FILENO, line + done, n - done);
		if (w < 0 && errno != EINTR)
			break;
		done += w > 0 ? (size_t)w : 0;
	}
	if (line != few)
		free(line);
}

void rt_say(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	rt_vsay(fmt, ap);
	va_end(ap);
}

/* ---- options ---- */

static uint64_t number(const char *name, uint64_t low, uint64_t high, uint64_t otherwise)
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

static bool flag(const char *name)
{
	const char *s = getenv(name);
	return s && *s && strcmp(s, "0");
}

static const char *text(const char *name)
{
	const char *s = getenv(name);
	return s && *s ? s : NULL;
}

/* HEDDLE_SET: "key=value" separated by commas or blanks. */
static const char *const *settings(char *s)
{
	const char **list = rt_alloc((strlen(s) + 2) * sizeof *list);
	size_t n = 0;
	char *save;
	for (char *w = strtok_r(s, ", \t\n", &save); w; w = strtok_r(NULL, ", \t\n", &save))
		list[n++] = w;
	return list;
}

static void checks(struct heddle_options *o)
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
		else if ((n == 4 && !strncmp(s, "none", 4)) || (n == 1 && *s == '0'))
			o->no_check = true;
		else
			rt_fail("HEDDLE_CHECK=%s: expected race, init, scalar, warn or none",
				getenv("HEDDLE_CHECK"));
		s += n + (s[n] == ',');
	}
}

static void progress(void *arg, uint64_t done, uint64_t blocks, uint64_t insts)
{
	struct timespec now;
	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double s = (double)(now.tv_sec - launch_start.tv_sec) +
		   1e-9 * (double)(now.tv_nsec - launch_start.tv_nsec);
	if (s < 1)
		return;
	fprintf(stderr, "\r\033[K%llu of %llu blocks, %.1f M warp instructions/s",
		(unsigned long long)done, (unsigned long long)blocks, (double)insts / s / 1e6);
	if (done)
		fprintf(stderr, ", %.0f s left", s * (double)(blocks - done) / (double)done);
	drew = true;
}

static enum heddle_native_stack native_stack(void)
{
	const char *s = getenv("HEDDLE_NATIVE_STACK");
	if (!s || !*s || !strcmp(s, "token") || !strcmp(s, "tokens"))
		return HEDDLE_TOKENS;
	if (strcmp(s, "while") && strcmp(s, "pdom"))
		rt_fail("HEDDLE_NATIVE_STACK=%s: expected token, while or pdom; token it is", s);
	return !strcmp(s, "while")  ? HEDDLE_TOKENS_WHILE
	       : !strcmp(s, "pdom") ? HEDDLE_PDOM
				    : HEDDLE_TOKENS;
}

/* Reports now if a file cannot be written when the program ends. */
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

/* HEDDLE_CODE, or what the program was built for. */
static void code(struct heddle_options *o)
{
	const char *s = text("HEDDLE_CODE"), *wrong = s ? heddle_code_parse(s, o) : NULL;
	unsigned sm = s ? 0 : modules_machine();
	if (sm)
		o->code = sm == 13 ? HEDDLE_CODE_TESLA : HEDDLE_CODE_FERMI;
	if (wrong)
		rt_fail("HEDDLE_CODE=%s: %s; ptx it is", s, wrong);
}

static void warned(void *arg, const char *text)
{
	(void)arg;
	rt_say("%s", text);
}

static void options(struct heddle_options *o)
{
	const char *mode = getenv("HEDDLE_MODE"), *set = getenv("HEDDLE_SET"),
		   *config = getenv("HEDDLE_CONFIG");
	*o = (struct heddle_options){.output = device_output,
				     .warn = warned,
				     .allocated_at = site_of,
				     .answer = device_answer};
	o->threads = (unsigned)number("HEDDLE_THREADS", 1, 1024, 1);
	o->max_instructions = number("HEDDLE_MAX_INSTRUCTIONS", 1, UINT64_MAX, 0);
	o->reverse = flag("HEDDLE_REVERSE");
	o->check_report = getenv("HEDDLE_CHECK_REPORT");
	o->max_cycles = number("HEDDLE_MAX_CYCLES", 1, UINT64_MAX, 0);
	o->config = config && *config ? config : NULL;
	o->set = set && *set ? settings(rt_string(set)) : NULL;
	/* a machine is for timing, unless the mode says otherwise */
	o->timing = mode && *mode ? !strcmp(mode, "timing") : o->config || o->set;
	if (mode && *mode && !o->timing && strcmp(mode, "functional"))
		rt_fail("HEDDLE_MODE=%s: expected functional or timing; functional it is", mode);
	o->record = getenv("HEDDLE_RECORD");
	o->launches = text("HEDDLE_LAUNCHES");
	o->kernels = text("HEDDLE_KERNELS");
	o->skip = number("HEDDLE_SKIP", 0, UINT32_MAX, 0);
	o->warm = flag("HEDDLE_WARM");
	o->sample = number("HEDDLE_SAMPLE", 1, UINT64_MAX / 2, 0);
	o->sample_file = getenv("HEDDLE_SAMPLE_FILE");
	o->series = (unsigned)number("HEDDLE_SERIES", 2, 65536, 0);
	o->sums = flag("HEDDLE_STATS_SUMS");
	o->trace_file = getenv("HEDDLE_TRACE");
	o->trace_from = number("HEDDLE_TRACE_FROM", 0, UINT64_MAX / 2, 0);
	o->trace_to = number("HEDDLE_TRACE_TO", 1, UINT64_MAX / 2, 0);
	o->trace_sm = getenv("HEDDLE_TRACE_SM");
	o->native_stack = native_stack();
	code(o);
	rt.quiet = flag("HEDDLE_QUIET");
	rt.stats = getenv("HEDDLE_STATS");
	o->profile = rt.stats && *rt.stats;
	checks(o);
	failure_watch(flag("HEDDLE_FAIL_ON_FAULT"));
	try_output(rt.stats);
	try_output(o->trace_file);
	try_output(o->sample ? o->sample_file : NULL);
	if (!rt.quiet && isatty(STDERR_FILENO))
		o->progress = progress;
}

/* ---- opening ---- */

static void open_device(void)
{
	struct heddle_options o;
	options(&o);
	if (heddle_open(&rt.h, &o)) {
		rt_fail("%s", rt.h ? heddle_message(rt.h) : "out of memory");
		heddle_close(rt.h);
		rt.h = NULL;
		rt.open_failed = true;
		return;
	}
	if (!rt.quiet && *heddle_message(rt.h))
		rt_say("%s", heddle_message(rt.h));
	rt.timing = o.timing;
	rt.checked = o.check_race || o.check_init;
	rt.check_race = o.check_race;
	opened_by = getpid();
	heddle_device(rt.h, &info);
	driver_ready();
	segv_watch();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

struct heddle *device_lock(void)
{
	pthread_once(&once, open_device);
	pthread_mutex_lock(&rt.device);
	return rt.h;
}

void device_unlock(void) { pthread_mutex_unlock(&rt.device); }

cudaError_t device_open(void)
{
	pthread_once(&once, open_device);
	return rt.open_failed ? cudaErrorNoDevice : rt.sticky;
}

cudaError_t rt_open(void)
{
	cudaError_t e = device_open();
	if (!e)
		context_bind();
	return e;
}

const struct heddle_device *device_info(void)
{
	device_open();
	return &info;
}

/* ---- the end ---- */

/* Whether an earlier launch than i is of the same kernel. */
static bool named_before(unsigned i)
{
	const struct heddle_stats *s = heddle_stats_at(rt.h, i);
	for (unsigned k = 0; k < i; k++)
		if (!strcmp(heddle_stats_at(rt.h, k)->kernel, s->kernel))
			return true;
	return false;
}

/* Names that could have been chosen: those of a list may be mistyped. */
static void name_kernels(unsigned launches)
{
	enum { NAMES = 8 };
	char text[NAMES * (sizeof((struct heddle_stats *)0)->kernel + 2) + 8] = "";
	unsigned n = 0;
	for (unsigned i = 0; i < launches && n <= NAMES; i++) {
		if (named_before(i))
			continue;
		char plain[sizeof((struct heddle_stats *)0)->kernel];
		size_t len = strlen(text);
		snprintf(text + len, sizeof text - len, "%s%s", n ? ", " : "",
			 n == NAMES ? "..."
				    : heddle_plain_name(heddle_stats_at(rt.h, i)->kernel, plain,
							sizeof plain));
		n++;
	}
	rt_say("the kernels of the launches are %s", text);
}

static void summary(void)
{
	unsigned n = heddle_stats_count(rt.h);
	double wall = 0, gpu, threads = 0, warps = 0, joule;
	unsigned timed = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct heddle_stats *s = heddle_stats_at(rt.h, i);
		wall += s->seconds;
		timed += s->timed;
		warps += (double)s->warp_instructions;
		threads += (double)s->thread_instructions;
	}
	if (!n)
		return;
	char sim[256] = "";
	char *cover = heddle_stats_cover(rt.h);
	heddle_energy(rt.h, &joule, &gpu);
	if (gpu > 0)
		snprintf(sim, sizeof sim, ", %.6g ms simulated, %.4g J, mean %.4g W (%s)",
			 gpu * 1e3, joule, joule / gpu, heddle_energy_note(rt.h));
	rt_say("%u kernel launch%s, %.0f warp instructions, SIMD efficiency %.1f %%, %.3f s (%.1f "
	       "M warp instructions/s)%s",
	       n, n == 1 ? "" : "es", warps, warps > 0 ? 100 * threads / (32 * warps) : 0, wall,
	       wall > 0 ? warps / wall / 1e6 : 0, sim);
	if (cover)
		rt_say("%u of the launches %s timed: %s", timed, timed == 1 ? "is" : "are", cover);
	if (cover && !timed)
		name_kernels(n);
	free(cover);
}

static void write_stats(void)
{
	char *text = heddle_stats_print(rt.h, rt.stats);
	FILE *f = fopen(rt.stats, "w");
	bool ok = f && text && fputs(text, f) >= 0;
	if (f && fclose(f))
		ok = false;
	if (!ok)
		rt_fail("cannot write %s: %s", rt.stats, strerror(errno));
	free(text);
}

/* ---- around a launch ---- */

static const int ending[] = {SIGINT, SIGTERM};
static volatile sig_atomic_t ended_by = SIGINT;

static void on_interrupt(int sig)
{
	ended_by = sig;
	if (heddle_interrupt(rt.h))
		return;
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Ctrl-C or SIGTERM during a launch ends it, unless the program has its own idea of that; a second
 * one ends the program. */
static void interrupts_begin(void)
{
	struct sigaction act = {.sa_handler = on_interrupt}, now;
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!sigaction(ending[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == SIG_DFL)
			sigaction(ending[i], &act, NULL);
}

static void interrupts_end(void)
{
	struct sigaction now;
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!sigaction(ending[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == on_interrupt)
			signal(ending[i], SIG_DFL);
}

void launch_begin(void)
{
	clock_gettime(CLOCK_MONOTONIC, &launch_start);
	interrupts_begin();
}

void launch_end(void)
{
	interrupts_end();
	if (drew)
		fprintf(stderr, "\r\033[K");
	drew = false;
}

static void report(void)
{
	if (heddle_finish(rt.h))
		rt_fail("%s", heddle_message(rt.h));
	char *unused = heddle_unused(rt.h);
	if (unused)
		rt_say("note: %s: the program launched no such kernel", unused);
	free(unused);
	if (rt.stats && *rt.stats)
		write_stats();
	if (!rt.quiet)
		summary();
	failure_report(rt.checked);
}

void launch_interrupted(void)
{
	report();
	rt.stats = NULL;
	rt.quiet = true;
	signal(ended_by, SIG_DFL);
	kill(getpid(), ended_by); /* as if nobody had caught it: another thread takes it */
	for (;;)
		pause();
}

/* With the device locked. */
static void last_words(void)
{
	if (opened_by)
		report();
	opened_by = 0;
}

void rt_leave(void)
{
	if (opened_by && opened_by != getpid())
		return;
	if (!pthread_mutex_trylock(&rt.device)) {
		last_words();
		pthread_mutex_unlock(&rt.device);
	}
	failure_exit();
}

/* The library's last act; the program's own destructors are done. */
__attribute__((destructor)) static void finish(void)
{
	if (opened_by && opened_by != getpid())
		return;
	if (opened_by) {
		device_wait();
		pthread_mutex_lock(&rt.device);
		native_report();
		last_words();
		pthread_mutex_unlock(&rt.device);
	}
	failure_exit();
}
