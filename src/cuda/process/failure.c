#include "cuda/process/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cuda/rt.h"
#include "cuda/process/site.h"

static unsigned errors, launches, skipped; /* atomically */
static char first[4096];                   /* with rt.device */
static bool unnoticed;                     /* the first one: by a GPU */
static bool fails;                         /* an error makes the exit status 1 */
static int status = -1;                    /* the program's own; -1: it did not call exit() */

static void count(unsigned *n) { __atomic_add_fetch(n, 1, __ATOMIC_RELAXED); }

void rt_fail(const char *fmt, ...)
{
	va_list ap;
	count(&errors);
	va_start(ap, fmt);
	rt_vsay(fmt, ap);
	va_end(ap);
}

/* For the libraries (cudalib/fails.h). What the exit status is to say is known once the device is open. */
RT_TYPE(void, __heddleFail, (const char *message))
{
	device_open();
	rt_fail("%s", message);
}

/* The first of its reports, with the indented lines that belong to it, as one line. */
static void keep_first(const char *message)
{
	size_t n = 0;
	for (const char *p = message; *p && n < sizeof first - 1; p++) {
		if (*p == '\n' && p[1] != ' ')
			break;
		if (*p == '\n')
			p += strspn(p, "\n ") - 1;
		first[n++] = *p;
	}
	first[n] = 0;
}

void failure_launch(const char *message, bool in_page)
{
	count(&launches);
	if (!*first) {
		keep_first(message);
		unnoticed = in_page;
	}
	rt_fail("%s", message);
}

void failure_skipped(void) { count(&skipped); }

/* ---- calls that failed, and nobody asked ---- */

enum { CALLS = 64 };
static struct failed {
	struct site site;
	int error;
} failed[CALLS];
static unsigned nfailed;
static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;

/* A mistake of the program, not a question whose answer is no. */
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
	if (!is_mistake(e) || rt.sticky || rt.async_error)
		return;
	struct site s = site_here();
	if (!s.pc[0])
		return; /* of no call */
	pthread_mutex_lock(&calls_lock);
	unsigned i = 0;
	while (i < nfailed && (failed[i].error != e || failed[i].site.pc[0] != s.pc[0]))
		i++;
	if (i == nfailed && i < CALLS)
		failed[nfailed++] = (struct failed){s, e};
	pthread_mutex_unlock(&calls_lock);
}

void failure_seen(int e)
{
	pthread_mutex_lock(&calls_lock);
	unsigned n = 0;
	for (unsigned i = 0; i < nfailed; i++)
		if (failed[i].error != e)
			failed[n++] = failed[i];
	nfailed = n;
	pthread_mutex_unlock(&calls_lock);
}

/* Whether data is not where the program believes it to be; a grid of no blocks has none to make. */
static bool is_lost(const struct failed *f)
{
	const char *name = site_text(&f->site);
	size_t n = strcspn(name, " ");
	return memmem(name, n, "Memcpy", 6) || memmem(name, n, "Memset", 6) ||
	       (memmem(name, n, "Launch", 6) && f->error != cudaErrorInvalidConfiguration);
}

static void report_calls(bool checked)
{
	for (unsigned i = 0; i < nfailed; i++)
		checked |= is_lost(&failed[i]);
	if (!nfailed || (rt.quiet && !checked))
		return;
	(checked ? rt_fail : rt_say)("%u call%s of the program failed, and it did not ask why:",
				     nfailed, nfailed == 1 ? "" : "s");
	for (unsigned i = 0; i < nfailed; i++)
		rt_say("  %s: %s", site_text(&failed[i].site), error_text(failed[i].error));
}

/* ---- the end ---- */

static void on_end(int s, void *arg)
{
	(void)arg;
	status = s;
}

void failure_status(int s) { status = s; }

void failure_watch(bool exit_status)
{
	fails = exit_status;
	on_exit(on_end, NULL);
}

void failure_report(bool checked)
{
	report_calls(checked);
	if (!launches)
		return;
	rt_say("THIS RUN FAILED: %u kernel launch%s ended in an error, %u later one%s did not run",
	       launches, launches == 1 ? "" : "es", skipped, skipped == 1 ? "" : "s");
	rt_say("first error: %s", first);
	if (unnoticed)
		rt_say("a GPU checks pages, not allocations, and would have gone on there: with --check warn "
		       "(HEDDLE_CHECK=warn) so does Heddle, and lists every such place");
	if (status == 0)
		rt_say("the program went on; what it printed after the error is not a result%s",
		       fails ? ". The exit status is 1 (--no-fail-on-fault leaves it 0)"
			     : ". HEDDLE_FAIL_ON_FAULT=1 makes the exit status 1");
}

/* Called last: output that the program left in its buffers is written, as exit() would. */
void failure_exit(void)
{
	if (!errors || !fails || status != 0)
		return;
	fflush(NULL);
	syscall(SYS_exit_group, 1); /* _exit() is our own (exit.c) */
}
