/* Inside a run: launches under way, between the files that place their blocks (place.c), report
 * them (report.c), end them (stop.c) and move time (run.c). */
#ifndef GPU_RUN_H
#define GPU_RUN_H
#include "gpu/gpu.h"
#include "gpu/meter.h"

struct timed_launch {
	struct kern k; /* first: a block knows its kern */
	struct gpu_job *j;
	struct gpu_result *r;
	bool started, ended, alone; /* alone: no other launch was on the GPU with it */
	cycle_t start, end;
	struct stat_report *before; /* all figures at its start */
	struct power_range watts;   /* of windows of power.window cycles */
};

struct run {
	struct gpu *g;
	struct timed_launch *job;
	unsigned n, running, done;
	const struct gpu_opts *o;
	VEC(struct defer) ordered;
	cycle_t start, end; /* of the run, of the present window */
	cycle_t len;        /* of the present window */
	cycle_t counted;    /* figures are complete up to here */
	uint64_t windows;
	unsigned busy;           /* SMs and partitions that had something to do in the last one */
	unsigned *awake, nawake; /* SMs with something to do, in order */
	bool *asleep;            /* by SM: it has nothing until a block comes */
	struct meter meter;
	struct stat_report *before; /* all figures when the first of those that run began, */
	cycle_t began;              /* and when that was */
	bool full;                  /* the next block found no room, and none has ended since */
	bool stopped;               /* something ended it before its time */
};

/* ---- report.c ---- */
struct stat_report *run_figures(struct run *r,
				cycle_t at); /* everything that is counted, as it stands then */
void run_report(struct run *r, struct timed_launch *j); /* the launch has ended, or is ended */

/* ---- run.c ---- */
void run_meter(struct run *r); /* a window of power ends here, if it has begun */

/* ---- place.c ---- */
/* True if the launch may begin; *when: not before this cycle. */
bool run_may_start(const struct run *r, const struct timed_launch *j, cycle_t *when);
bool run_start_blocks(struct run *r); /* false: no memory for a block */
void run_end_launch(struct run *r, struct timed_launch *j);
void run_collect_ended(struct run *r); /* blocks that ended make room */

/* ---- stop.c ---- */
bool run_take_fault(struct run *r); /* true: there is one */
bool run_must_stop(struct run *r);  /* limits and signals, looked at every few windows */
void run_stuck(struct run *r);      /* nothing can happen any more: why */
void run_stop_all(struct run *r);   /* what was under way ends here */

#endif
