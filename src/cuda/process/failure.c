/* Counts errors, keeps the first fault and the failed calls, and summarises them at the end.
 * failure.h explains why. */
#include "cuda/process/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

static void count_up(unsigned *n) { __atomic_add_fetch(n, 1, __ATOMIC_RELAXED); }

void rt_fail(const char *fmt, ...)
{
	va_list ap;
	count_up(&process.failures.errors);
	va_start(ap, fmt);
	rt_vsay(fmt, ap);
	va_end(ap);
}

/* Reports a failure of one of the libraries in cudalib/. The exit status to use is known once the
 * device is open. */
RT_TYPE(void, __heddleFail, (const char *message))
{
	device_open();
	rt_fail("%s", message);
}

/* Keeps the first report, with the indented lines that belong to it, as one line. */
static void keep_first(const char *message)
{
	size_t n = 0;
	for (const char *p = message; *p && n < sizeof process.failures.first - 1; p++) {
		if (*p == '\n' && p[1] != ' ') {
			process.failures.several = true;
			break;
		}
		if (*p == '\n')
			p += strspn(p, "\n ") - 1;
		process.failures.first[n++] = *p;
	}
	process.failures.first[n] = 0;
}

void failure_launch(const char *message, bool in_page)
{
	count_up(&process.failures.launches);
	if (!*process.failures.first) {
		keep_first(message);
		process.failures.unnoticed = in_page;
	}
	rt_fail("%s", message);
}

void failure_skipped(void) { count_up(&process.failures.skipped); }

/* ---- failed calls whose error the program did not query ---- */

enum { CALLS = 64 };
struct failed {
	struct site site;
	int error;
};

/* True for an error that is a mistake of the program; false for a query whose answer is no. */
static bool is_mistake(int e)
{
	switch (e) {
	case cudaErrorInvalidValue:
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidSymbol:
	case cudaErrorInvalidMemcpyDirection:
	case cudaErrorInvalidResourceHandle:
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorInvalidDevicePointer:
	case cudaErrorInvalidTexture:
	case cudaErrorInvalidTextureBinding:
	case cudaErrorInvalidChannelDescriptor:
	case cudaErrorMissingConfiguration:
	case cudaErrorLaunchOutOfResources:
	case cudaErrorCooperativeLaunchTooLarge:
	case cudaErrorStreamCaptureUnsupported:
	case cudaErrorStreamCaptureInvalidated:
	case cudaErrorStreamCaptureMerge:
	case cudaErrorStreamCaptureUnmatched:
	case cudaErrorStreamCaptureUnjoined:
	case cudaErrorStreamCaptureIsolation:
	case cudaErrorStreamCaptureImplicit:
	case cudaErrorStreamCaptureWrongThread:
	case cudaErrorCapturedEvent:
	case cudaErrorHostMemoryAlreadyRegistered:
	case cudaErrorHostMemoryNotRegistered: return true;
	default: return false;
	}
}

void failure_call(int e)
{
	if (!is_mistake(e) || process.device.sticky || process.device.async_error)
		return;
	struct site s = site_here();
	if (!s.pc[0])
		return; /* the error belongs to no call */
	pthread_mutex_lock(&process.failures.lock);
	unsigned i = 0;
	while (i < process.failures.ncalls && (process.failures.call[i].error != e ||
					       process.failures.call[i].site.pc[0] != s.pc[0]))
		i++;
	if (!process.failures.call)
		process.failures.call = rt_alloc(CALLS * sizeof *process.failures.call);
	if (i == process.failures.ncalls && i < CALLS)
		process.failures.call[process.failures.ncalls++] = (struct failed){s, e};
	pthread_mutex_unlock(&process.failures.lock);
}

void failure_seen(int e)
{
	pthread_mutex_lock(&process.failures.lock);
	unsigned n = 0;
	for (unsigned i = 0; i < process.failures.ncalls; i++)
		if (process.failures.call[i].error != e)
			process.failures.call[n++] = process.failures.call[i];
	process.failures.ncalls = n;
	pthread_mutex_unlock(&process.failures.lock);
}

/* True if the failed call left data somewhere else than the program believes; a launch of an empty
 * grid does not. */
static bool is_lost(const struct failed *f)
{
	const char *name = site_text(&f->site);
	size_t n = strcspn(name, " ");
	return memmem(name, n, "Memcpy", 6) || memmem(name, n, "Memset", 6) ||
	       (memmem(name, n, "Launch", 6) && f->error != cudaErrorInvalidConfiguration);
}

static void report_calls(bool checked)
{
	for (unsigned i = 0; i < process.failures.ncalls; i++)
		checked |= is_lost(&process.failures.call[i]);
	if (!process.failures.ncalls || (process.report.quiet && !checked))
		return;
	(checked ? rt_fail
		 : rt_say)("%u CUDA call%s failed, and the program did not check for an error:",
			   process.failures.ncalls, process.failures.ncalls == 1 ? "" : "s");
	for (unsigned i = 0; i < process.failures.ncalls; i++)
		rt_say("  %s: %s", site_text(&process.failures.call[i].site),
		       error_text(process.failures.call[i].error));
}

/* ---- the end ---- */

static void on_end(int s, void *arg)
{
	(void)arg;
	process.failures.status = s;
}

void failure_status(int s) { process.failures.status = s; }

void failure_watch(bool exit_status)
{
	process.failures.fails = exit_status;
	on_exit(on_end, NULL);
}

void failure_report(bool checked)
{
	report_calls(checked);
	if (!process.failures.launches)
		return;
	bool said_once = process.failures.errors == 1 && !process.failures.several;
	rt_say("THIS RUN FAILED: %u kernel launch%s ended in an error, %u later one%s did not run%s%s%s%s",
	       process.failures.launches, process.failures.launches == 1 ? "" : "es",
	       process.failures.skipped, process.failures.skipped == 1 ? "" : "s",
	       process.failures.status ? ""
	       : process.failures.fails
		       ? ". The exit status is 1 (--no-fail-on-fault leaves it 0)"
		       : ". Results printed after the error are invalid; HEDDLE_FAIL_ON_FAULT=1 makes the exit status 1",
	       process.failures.unnoticed
		       ? ". A GPU checks pages, not allocations, and would have continued, as Heddle does with "
			 "--check warn (HEDDLE_CHECK=warn)"
		       : "",
	       said_once ? "" : "\nfirst error: ", said_once ? "" : process.failures.first);
}

/* Ends the process; called last. Output in the program's buffers is written first, as exit()
 * does. */
void failure_exit(void)
{
	if (!process.failures.errors || !process.failures.fails || process.failures.status != 0)
		return;
	fflush(NULL);
	syscall(SYS_exit_group, 1); /* not _exit(), which exit.c redefines */
}
