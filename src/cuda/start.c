/* Start and end of the library: opens the device at its first use, and reports when the program
 * ends. This file uses all rooms; the other files reach it only through process.device.open and the
 * destructor. */
#include <stdlib.h>
#include <unistd.h>
#include "cuda/check/segv.h"
#include "cuda/device/device.h"
#include "cuda/module/native.h"
#include "cuda/process/failure.h"
#include "cuda/rt.h"

static void open_device(void)
{
	struct heddle_options o;
	options_read(&o);
	o.answer = device_answer;
	o.refuse_late = true; /* programs contain kernels that they never launch */
	if (heddle_open(&process.device.h, &o)) {
		rt_fail("%s",
			process.device.h ? heddle_message(process.device.h) : "out of memory");
		heddle_close(process.device.h);
		process.device.h = NULL;
		process.device.open_failed = true;
		return;
	}
	if (!process.report.quiet && *heddle_message(process.device.h))
		rt_say("%s", heddle_message(process.device.h));
	process.device.timing = o.timing;
	process.check.any = o.check_race || o.check_init;
	process.check.race = o.check_race;
	process.report.opened_by = getpid();
	heddle_device(process.device.h, &process.device.info);
	process.contexts.initialised = true;
	segv_watch();
}

__attribute__((constructor)) static void start(void) { process.device.open = open_device; }

/* Runs after the program's own destructors. A child that the program forked has run nothing, so it
 * does not report. */
__attribute__((destructor)) static void finish(void)
{
	if (process.report.opened_by && process.report.opened_by != getpid())
		return;
	if (process.report.opened_by) {
		device_wait();
		pthread_mutex_lock(&process.device.lock);
		native_report();
		report_once();
		pthread_mutex_unlock(&process.device.lock);
	}
	if (!process.device.h && !process.device.open_failed && getenv("HEDDLE_FAIL_ON_FAULT") &&
	    !getenv("HEDDLE_QUIET"))
		rt_say("the program never used the device: nothing was simulated");
	failure_exit();
}
