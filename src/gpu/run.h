/* The state of a run, shared by the files that place blocks (place.c), report launches (report.c),
 * stop launches (stop.c) and advance time (run.c). The interface to the rest of the simulator is gpu/gpu.h. */
#ifndef GPU_RUN_H
#define GPU_RUN_H
#include "gpu/gpu.h"
#include "gpu/meter.h"

struct timed_launch {
	struct kern k; /* must be first: a block finds its launch through its kern */
	struct gpu_job *j;
	struct gpu_result *r;
	bool started, ended, alone; /* alone: no other launch was on the GPU at the same time */
	cycle_t start, end;
	struct stat_report *before; /* all counters at the launch's start */
	struct power_range watts;   /* least and most power of windows of power.window cycles */
};

struct run {
	struct gpu *g;
	struct timed_launch *job;
	unsigned n, running, done;
	/* launches before `open` have ended; launches from `opened` on have not begun */
	unsigned open, opened, started; /* started: launches that have begun */
	/* earliest start of a launch that has not begun and waits only for its start time; NEVER:
	 * there is none */
	cycle_t due;
	unsigned due_at; /* started + done + 1 for which `due` holds; 0: none */
	const struct gpu_opts *o;
	VEC(struct defer) ordered;
	cycle_t start, end; /* cycle at which the run began; cycle at which the present window
			     * begins */
	cycle_t len;        /* length of the present window */
	cycle_t counted;    /* cycle up to which counters are complete */
	uint64_t windows;
	unsigned busy; /* SMs and partitions that had something to do in the last window */
	unsigned *awake, nawake; /* SMs with something to do, in order */
	bool *asleep;            /* [SM]: the SM is idle until it receives a block */
	struct meter meter;
	struct stat_report *before; /* all counters when the first of the running launches began */
	cycle_t began;              /* cycle in which the first of the running launches began */
	bool full;                  /* the next block found no room, and no block has ended since */
	bool stopped;               /* the run was stopped early */
};

/* ---- report.c ---- */
/* The counters at cycle `at`, of all instances. */
struct stat_report *run_figures(struct run *r, cycle_t at);
void run_report(struct run *r,
		struct timed_launch *j); /* reports a launch that has ended, or is ended early */

/* ---- run.c ---- */
void run_meter(struct run *r); /* closes the current window of power.window cycles, if any */

/* ---- place.c ---- */
/* True if a launch that runs has clusters of several blocks. One host thread runs all SMs then,
 * because blocks access each other's shared memory. */
bool run_has_clusters(const struct run *r);
/* Earliest cycle from now on at which a launch that has not begun may begin; NEVER: each such
 * launch waits for the end of another. */
cycle_t run_next_start(struct run *r);
bool run_start_blocks(struct run *r); /* false: no memory for a block */
void run_end_launch(struct run *r, struct timed_launch *j);
void run_collect_ended(struct run *r); /* releases the resources of blocks that have ended */

/* ---- stop.c ---- */
bool run_take_fault(struct run *r); /* true: a fault has occurred */
bool run_must_stop(struct run *r);  /* true: a limit or a signal; checked every few windows */
void run_stuck(struct run *r);      /* called when no event is pending: finds the cause */
void run_stop_all(struct run *r);   /* ends all launches under way */

#endif
