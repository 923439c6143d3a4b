#include "cuda/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/rt.h"

static unsigned errors, launches, skipped; /* atomically */
static char first[1024];                   /* with rt.device */
static bool unnoticed;                     /* the first one: by a GPU */
static bool fails;                         /* an error makes the exit status 1 */
static int status = -1;                    /* the program's own; -1: it did not call exit() */

static void count(unsigned *n) { __atomic_add_fetch(n, 1, __ATOMIC_RELAXED); }

void rt_fail(const char *fmt, ...)
{
	char line[2048];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	count(&errors);
	rt_say("%s", line);
}

/* As one line. */
static void keep_first(const char *message)
{
	size_t n = 0;
	for (const char *p = message; *p && n < sizeof first - 1; p++) {
		if (*p == '\n')
			p += strspn(p, "\n ") - 1;
		first[n++] = *p == '\n' ? ' ' : *p;
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

static void on_end(int s, void *arg)
{
	(void)arg;
	status = s;
}

void failure_watch(bool exit_status)
{
	fails = exit_status;
	on_exit(on_end, NULL);
}

void failure_report(void)
{
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
	_exit(1);
}
