/* The GPU in time: SMs, memory system and dispatcher, driven window by window. One window:
 *
 *	1  each SM simulates its cycles alone                               any host thread
 *	2  operations between blocks, in order of (cycle, SM, sequence)     one thread
 *	3  the memory system simulates the same cycles                      any host thread
 *	4  blocks that ended make room for new ones                         one thread
 *
 * A window is as long as the constant part of the path from an SM to the L2, so messages that SMs and
 * memory send in one window arrive in the next. Where requests of a window cannot affect the memory
 * partitions before the next window, 1 and 3 run side by side. No result depends on the number of host
 * threads. SMs are in sm/sm.h, the memory system in mem/memsys.h, the loop over windows in gpu/run.c. */
#ifndef GPU_GPU_H
#define GPU_GPU_H
#include "gpu/dispatch.h"
#include "sm/record.h"
#include "sm/sm.h"

struct workers;
struct memsys;
struct power_model;
struct sampler;
struct thin;
struct tracer;
struct gpu {
	const struct machine *m;
	struct sm **sm;
	unsigned nsm, threads;
	struct disp disp;
	struct block_rule rule; /* how the dispatcher shares an SM */
	struct workers *workers;
	struct memsys *mem;
	struct power_model *power;
	struct stat_report *live; /* view of all counters */
	struct power_view *view;  /* energy model bound to `live` */
	uint64_t *waked;          /* [SM]: value of sm.wakings at the run's start */
	bool blocks_only; /* in this run an SM's counters change only by its own blocks and by
			   * passing cycles */
	uint32_t *
		like; /* [unit of `live`]: first unit with equal counters, for stat_report_copy() */
	cycle_t now;
	cycle_t window;
	bool in_step;     /* scale.scope = gpu */
	bool idle_holds;  /* scale.idle_holds */
	unsigned kernels; /* launches that may be resident at once */
	uint64_t placed;  /* number of blocks given to SMs */
};

enum { SAMPLERS = 2 };
struct gpu_opts {
	unsigned threads;
	uint64_t max_cycles, max_instructions; /* 0: no limit */
	bool profile;                          /* counts the causes of waits per pc */
	struct sampler *sampler[SAMPLERS]; /* time series: to a file, kept in memory; NULL: none */
	uint64_t number;                   /* number of the first launch in the statistics */
	struct tracer *tracer;             /* timeline; NULL: none */
	atomic_bool *interrupt;
	void (*progress)(void *arg, uint64_t done, uint64_t total, uint64_t warp_instructions);
	void *arg;
	struct record *record; /* filled by the SM it names; NULL: none */
};

struct gpu_result {
	enum stop stop; /* STOP_DONE, STOP_FAULT, STOP_LIMIT */
	bool interrupted, no_memory, stuck, over_cycles, over_instructions;
	bool alone; /* no other launch shared the GPU; otherwise `report` covers everything that ran */
	bool lost; /* requests without an answer or contradictory figures: a bug of the
		    * simulator, described in `why` */
	char *why; /* stuck: which warps wait for what; free() it */
	struct fault fault;
	cycle_t cycles;
	struct prof *prof; /* profile by pc of all SMs; free() it */
	uint64_t warp_instructions;
	uint32_t blocks_per_sm; /* blocks per SM that fit */
	struct stat_report *report;
	/* Set with the last of several concurrent launches: figures and energy of the time in which any
	 * of them ran. */
	struct stat_report *together;
};

/* NULL, and errors in d: the machine cannot be built. */
struct gpu *gpu_new(const struct machine *m, unsigned threads, struct diag *d);
void gpu_free(struct gpu *g);
void gpu_reset(struct gpu *g); /* returns to the state after gpu_new() */
void gpu_host_copied(struct gpu *g, uint64_t addr,
		     uint64_t bytes); /* the host copied to or from the device */
/* Why a launch cannot run on this machine at all; NULL: it can run. */
const char *gpu_refuses(const struct gpu *g, const struct kern *k, char *buf, size_t n);
/* True if native code runs by its token stack; otherwise it needs flattened code. */
bool gpu_has_tokens(const struct gpu *g);
bool gpu_wants_tokens(const struct gpu *g); /* the machine runs only token-stack code */
/* True if the machine's policies and options can be built together; otherwise false, and the errors
 * in d say which conflict. */
bool gpu_fits_together(const struct machine *m, struct diag *d);
/* True if all operations of one native instruction issue together. */
bool kern_joins_native(const struct machine *m);
bool gpu_wants_replays(const struct gpu *g); /* the machine runs only recorded paths */
bool gpu_converges(const struct gpu *g);     /* the machine runs code for sm_70 and later */
/* One of several concurrent launches. */
struct gpu_job {
	struct launch *l;
	/* indices of launches that must have ended before this one begins; all are earlier in the list */
	const unsigned *after;
	unsigned nafter;
	struct thin *thin; /* gpu/thin.h; NULL: every block is simulated */
	/* called when the launch has ended, before a launch that waits for it begins; NULL: no
	 * call */
	void (*ended)(void *arg);
	void *arg;
	struct gpu_result r;
	cycle_t from, to; /* start and end in cycles since the run's start */
};
/* Runs launches concurrently, as far as they find room, unless they wait for each other. If one
 * fails, all launches that have not ended are stopped; r.report tells which ones have begun. */
void gpu_run(struct gpu *g, struct gpu_job *jobs, unsigned n, const struct gpu_opts *o);
void gpu_result_free(struct gpu_result *r);

/* How the machine's dispatcher shares an SM among blocks, whatever their needs. */
struct block_rule gpu_block_rule(const struct machine *m);

/* ---- kern.c: what a block takes ---- */
void kern_init(struct kern *k, struct launch *l, const struct gpu *g, struct arena *a);
uint32_t kern_fit(const struct kern *k, const struct machine *m); /* blocks per SM */
/* Limit of registers per thread: `named`, unless launch bounds or lanes demand a lower one. */
uint32_t kern_register_limit(const struct machine *m, const struct func *f, uint32_t named);
/* Registers per thread of the kernel: the machine's option if set, otherwise the estimate, limited
 * by launch bounds. */
uint32_t kern_registers(const struct machine *m, const struct image *img);
/* Registers per thread if the block would not fit with kern_registers(). */
uint32_t kern_least_registers(const struct machine *m, const struct image *img);
/* Blocks per SM before any launch: regs per thread, shared bytes per block. 0: a block does not
 * fit. */
uint32_t block_fit(const struct machine *m, uint32_t threads, uint32_t regs, uint32_t shared);
/* Why an SM cannot hold a block of this shape, with the option that sets the limit; NULL: it can. */
const char *block_refuses(const struct machine *m, const char *kernel, uint32_t threads,
			  uint32_t regs, uint32_t shared, char *buf, size_t n);

/* ---- check.c: errors in d where figures of a run contradict each other ---- */
void gpu_check(const struct gpu *g, cycle_t cycles, struct diag *d);

/* ---- report.c ---- */
/* True if the SM has had no block since the run began, so that all such SMs have equal counters. */
bool gpu_is_untouched(const struct gpu *g, unsigned sm);
/* Brings counters of a run that began at `start` up to date at cycle `at`: some are only summed on
 * demand. */
void gpu_count_until(const struct gpu *g, cycle_t start, cycle_t at);
/* gpu_count_until() for SM i alone, and for the memory system alone. */
void gpu_count_sm(const struct gpu *g, unsigned i, cycle_t start, cycle_t at);
void gpu_count_memory(const struct gpu *g, cycle_t at);

/* ---- stats.c: the registry of what is counted ---- */
/* Adds all instances with counters, with their current or live values (stat_report_live). */
void gpu_instances(const struct gpu *g, struct stat_report *o);
extern const struct stat_table code_stats; /* statistics of a launch's code */
void gpu_print_statistics(FILE *f);        /* prints the manual's chapters as Markdown */

/* ---- workers.c: host threads that share numbered tasks ---- */
struct workers *workers_new(unsigned threads);
void workers_free(struct workers *p);
/* Runs tasks 0 to n - 1, n < 65536, in any order, all of them before it returns; `alone`: on the calling
 * thread. Returns the number of tasks that had something to do. */
unsigned workers_run(struct workers *p, bool (*task)(void *arg, unsigned i), void *arg, unsigned n,
		     bool alone);

#endif
