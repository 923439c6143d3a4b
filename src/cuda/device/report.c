/* Reports of a run: progress on a terminal, the summary at the end, and the file of statistics.
 * Also lets Ctrl-C end a launch. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cuda/check/segv.h"
#include "cuda/device/device.h"
#include "cuda/process/alloc.h"
#include "cuda/process/failure.h"
#include "cuda/process/process.h"

void report_progress(void *arg, uint64_t done, uint64_t blocks, uint64_t insts)
{
	struct timespec now;
	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double s = (double)(now.tv_sec - process.report.launch_start.tv_sec) +
		   1e-9 * (double)(now.tv_nsec - process.report.launch_start.tv_nsec);
	if (s < 1)
		return;
	fprintf(stderr, "\r\033[K%llu of %llu blocks, %.1f M warp instructions/s",
		(unsigned long long)done, (unsigned long long)blocks, (double)insts / s / 1e6);
	if (done)
		fprintf(stderr, ", %.0f s left", s * (double)(blocks - done) / (double)done);
	double cycles, half;
	if (heddle_sampled_cycles(process.device.h, &cycles, &half))
		fprintf(stderr, "; launches before: %.4g cycles +- %.2g %%", cycles,
			100 * half / cycles);
	process.report.drew = true;
}

/* True if a launch before launch i is of the same kernel. */
static bool is_named_before(unsigned i)
{
	const struct heddle_stats *s = heddle_stats_at(process.device.h, i);
	for (unsigned k = 0; k < i; k++)
		if (!strcmp(heddle_stats_at(process.device.h, k)->kernel, s->kernel))
			return true;
	return false;
}

/* Lists the kernels that could have been chosen when a chosen name matched none, since the name may
 * be mistyped. */
static void name_kernels(unsigned launches)
{
	enum { NAMES = 8 };
	char text[NAMES * (sizeof((struct heddle_stats *)0)->kernel + 2) + 8] = "";
	unsigned n = 0;
	for (unsigned i = 0; i < launches && n <= NAMES; i++) {
		if (is_named_before(i))
			continue;
		char plain[sizeof((struct heddle_stats *)0)->kernel];
		size_t len = strlen(text);
		snprintf(text + len, sizeof text - len, "%s%s", n ? ", " : "",
			 n == NAMES
				 ? "..."
				 : heddle_plain_name(heddle_stats_at(process.device.h, i)->kernel,
						     plain, sizeof plain));
		n++;
	}
	rt_say("the kernels of the launches are %s", text);
}

static void print_summary(void)
{
	unsigned n = heddle_stats_count(process.device.h);
	double wall = 0, gpu, threads = 0, warps = 0, joule;
	unsigned timed = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct heddle_stats *s = heddle_stats_at(process.device.h, i);
		wall += s->seconds;
		timed += s->timed;
		warps += (double)s->warp_instructions;
		threads += (double)s->thread_instructions;
	}
	if (!n) {
		if (process.report.by_command)
			rt_say("the program launched no kernel");
		return;
	}
	char sim[256] = "";
	char *cover = heddle_stats_cover(process.device.h);
	heddle_energy(process.device.h, &joule, &gpu);
	char *sampled = heddle_sampled_text(process.device.h);
	if (gpu > 0 && !sampled)
		snprintf(sim, sizeof sim, ", %.6g ms simulated, %.4g J, mean %.4g W (%s)",
			 gpu * 1e3, joule, joule / gpu, heddle_energy_note(process.device.h));
	rt_say("%u kernel launch%s, %.0f warp instructions, SIMD efficiency %.1f %%, %.3f s (%.1f "
	       "M warp instructions/s)%s",
	       n, n == 1 ? "" : "es", warps, warps > 0 ? 100 * threads / (32 * warps) : 0, wall,
	       wall > 0 ? warps / wall / 1e6 : 0, sim);
	if (sampled)
		rt_say("%s", sampled);
	else if (cover)
		rt_say("%u of the launches %s timed: %s", timed, timed == 1 ? "is" : "are", cover);
	if (cover && !timed && !sampled)
		name_kernels(n);
	free(sampled);
	free(cover);
}

static void write_stats(void)
{
	const char *path = process.report.stats;
	char *text = heddle_stats_print(process.device.h, path), part[4096];
	struct stat st;
	/* A regular file is written under another name and renamed, so that a full disk does not
	 * leave half a file. Devices are written directly. */
	bool beside = (stat(path, &st) || S_ISREG(st.st_mode)) && strlen(path) + 6 < sizeof part;
	snprintf(part, sizeof part, beside ? "%s.part" : "%s", path);
	FILE *f = fopen(part, "w");
	bool ok = f && text && fputs(text, f) >= 0;
	if (f && fclose(f))
		ok = false;
	if (ok && beside)
		ok = !rename(part, path);
	if (!ok) {
		rt_fail("cannot write %s: %s", path, strerror(errno));
		if (beside)
			unlink(part);
	}
	free(text);
}

/* ---- around a launch ---- */

static const int ending[] = {SIGINT, SIGTERM};

static void on_interrupt(int sig)
{
	process.report.ended_by = sig;
	if (heddle_interrupt(process.device.h))
		return;
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Lets Ctrl-C or SIGTERM during a launch end the launch, unless the program has a handler of its
 * own; segv_watch()'s report is none. A second signal ends the program. */
static void interrupts_begin(void)
{
	struct sigaction act = {.sa_handler = on_interrupt}, now;
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!sigaction(ending[i], NULL, &now) && segv_is_own(&now))
			sigaction(ending[i], &act, &process.report.before[i]);
}

static void interrupts_end(void)
{
	struct sigaction now;
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (!sigaction(ending[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == on_interrupt)
			sigaction(ending[i], &process.report.before[i], NULL);
}

void launch_begin(void)
{
	clock_gettime(CLOCK_MONOTONIC, &process.report.launch_start);
	interrupts_begin();
}

void launch_end(void)
{
	interrupts_end();
	if (process.report.drew)
		fprintf(stderr, "\r\033[K");
	process.report.drew = false;
}

static void print_report(void)
{
	/* a debugger that is told of the end may close the files that the program writes to */
	fflush(NULL);
	if (heddle_finish(process.device.h))
		rt_fail("%s", heddle_message(process.device.h));
	char *unused = heddle_unused(process.device.h);
	if (unused)
		rt_say("note: %s: the program launched no such kernel", unused);
	free(unused);
	if (process.report.stats && *process.report.stats)
		write_stats();
	if (!process.report.quiet) {
		print_summary();
		report_kernels();
		report_local_memory();
	}
	failure_report(process.check.any);
}

void launch_interrupted(void)
{
	print_report();
	process.report.stats = NULL;
	process.report.quiet = true;
	signal(process.report.ended_by, SIG_DFL);
	kill(getpid(),
	     /* as if no handler existed: another thread may take the signal */
	     process.report.ended_by);
	for (;;)
		pause();
}

void report_once(void)
{
	if (process.report.opened_by)
		print_report();
	process.report.opened_by = 0;
}

void report_crash(int sig)
{
	if (process.report.opened_by != getpid())
		return;
	/* the crash may have left a lock of the C library taken, and the report must not hang */
	signal(SIGALRM, SIG_DFL);
	alarm(10);
	if (!pthread_mutex_trylock(&process.device.lock)) {
		unsigned n = heddle_stats_count(process.device.h);
		rt_fail("the program was ended by signal %d (%s) after %u launch%s", sig,
			strsignal(sig), n, n == 1 ? "" : "es");
		report_once();
		pthread_mutex_unlock(&process.device.lock);
	}
	alarm(0);
}

void rt_leave(void)
{
	if (process.report.opened_by && process.report.opened_by != getpid())
		return;
	if (!pthread_mutex_trylock(&process.device.lock)) {
		report_once();
		pthread_mutex_unlock(&process.device.lock);
	}
	failure_exit();
}
