/* The GPU in time: SMs, memory system and dispatcher, driven window by window. One window:
 *
 *	1  each SM simulates its cycles alone                               any host thread
 *	2  operations between blocks, in order of (cycle, SM, sequence)     one thread
 *	3  the memory system simulates the same cycles                      any host thread
 *	4  blocks that ended make room for new ones                         one thread
 *
 * A window is as long as the constant part of the way from an SM to the L2, so what SMs and memory
 * send in one window arrives in the next. Where requests of a window cannot affect the memory
 * partitions before the next one, 1 and 3 run side by side. No result depends on the number of host
 * threads. */
#ifndef GPU_GPU_H
#define GPU_GPU_H
#include "gpu/dispatch.h"
#include "sm/record.h"
#include "sm/sm.h"

struct workers;
struct memsys;
struct power_model;
struct sampler;
struct tracer;
struct gpu {
	const struct machine *m;
	struct sm **sm;
	unsigned nsm, threads;
	struct disp disp;
	struct block_rule rule; /* the dispatcher's */
	struct workers *workers;
	struct memsys *mem;
	struct power_model *power;
	cycle_t now;
	cycle_t window;
	bool in_step;     /* scale.scope = gpu */
	bool idle_holds;  /* scale.idle_holds */
	unsigned kernels; /* launches that may be resident together */
	uint64_t placed;  /* blocks that were given to SMs */
};

enum { SAMPLERS = 2 };
struct gpu_opts {
	unsigned threads;
	uint64_t max_cycles, max_instructions; /* 0: no limit */
	bool profile;                          /* count what instructions wait for */
	struct sampler *sampler[SAMPLERS];     /* sample.h: to a file, kept; or NULL */
	uint64_t number;                       /* of the first launch, as statistics count */
	struct tracer *tracer;                 /* trace.h, or NULL */
	atomic_bool *interrupt;
	void (*progress)(void *arg, uint64_t done, uint64_t total, uint64_t warp_instructions);
	void *arg;
	struct record *record; /* filled by the SM it names; NULL: none */
};

struct gpu_result {
	enum stop stop; /* STOP_DONE, STOP_FAULT, STOP_LIMIT */
	bool interrupted, no_memory, stuck, over_cycles, over_instructions;
	bool alone; /* no other launch was on the GPU with it; else `report` has all that ran */
	bool lost;  /* requests without answer, figures that contradict: a bug of ours, in `why` */
	char *why;  /* stuck: who waits for what, malloc'ed */
	struct fault fault;
	cycle_t cycles;
	struct prof *prof; /* by pc, of all SMs, malloc'ed */
	uint64_t warp_instructions;
	uint32_t blocks_per_sm; /* that fit */
	struct stat_report *report;
	/* With the last of several concurrent launches: figures and energy of the time in which any
	 * of them ran. */
	struct stat_report *together;
};

/* NULL and errors in d if the machine cannot be built. */
struct gpu *gpu_new(const struct machine *m, unsigned threads, struct diag *d);
void gpu_free(struct gpu *g);
void gpu_reset(struct gpu *g);                                      /* as new */
void gpu_host_copied(struct gpu *g, uint64_t addr, uint64_t bytes); /* to or from the device */
/* Why a launch cannot run on this machine at all; NULL: it can. */
const char *gpu_refuses(const struct gpu *g, const struct kern *k, char *buf, size_t n);
/* True if native code runs by its token stack; else it needs flattened code. */
bool gpu_has_tokens(const struct gpu *g);
bool gpu_wants_tokens(const struct gpu *g); /* it runs nothing else */
bool gpu_converges(const struct gpu *g);    /* it runs machine code for sm_70 and later */
/* One of several concurrent launches. */
struct gpu_job {
	struct launch *l;
	const unsigned *after; /* launches before it in the list that must have ended */
	unsigned nafter;
	struct gpu_result r;
	cycle_t from, to; /* its time, since the run's start */
};
/* Runs launches that do not wait for each other together, as far as they find room. If one fails,
 * those that have not ended are ended too; r.report tells which have begun. */
void gpu_run(struct gpu *g, struct gpu_job *jobs, unsigned n, const struct gpu_opts *o);
void gpu_result_free(struct gpu_result *r);

/* How the machine's dispatcher shares an SM among blocks, whatever they need. */
struct block_rule gpu_block_rule(const struct machine *m);

/* ---- kern.c: what a block takes ---- */
void kern_init(struct kern *k, struct launch *l, const struct gpu *g, struct arena *a);
uint32_t kern_fit(const struct kern *k, const struct machine *m); /* blocks an SM holds */
/* The most registers that a thread may have: `named`, or what launch bounds and lanes leave. */
uint32_t kern_register_limit(const struct machine *m, const struct func *f, uint32_t named);
/* Registers a thread of the kernel takes: what the machine says, else the estimate within launch
 * bounds. */
uint32_t kern_registers(const struct machine *m, const struct image *img);
/* Registers a thread gets where its block would not fit otherwise. */
uint32_t kern_least_registers(const struct machine *m, const struct image *img);
/* Blocks per SM before there is a launch: regs per thread, shared bytes per block. 0: not even one
 * fits. */
uint32_t block_fit(const struct machine *m, uint32_t threads, uint32_t regs, uint32_t shared);
/* Why an SM holds no such block, with the option that limits it; NULL: it does. */
const char *block_refuses(const struct machine *m, const char *kernel, uint32_t threads,
			  uint32_t regs, uint32_t shared, char *buf, size_t n);

/* ---- check.c: errors in d where figures of a run contradict each other ---- */
void gpu_check(const struct gpu *g, cycle_t cycles, struct diag *d);

/* ---- report.c ---- */
/* Some figures are only summed at the end. Brings those of a run that began at `start` up to date
 * at cycle `at`. */
void gpu_count_until(const struct gpu *g, cycle_t start, cycle_t at);
/* The same of SM i, and of the memory system. */
void gpu_count_sm(const struct gpu *g, unsigned i, cycle_t start, cycle_t at);
void gpu_count_memory(const struct gpu *g, cycle_t at);

/* ---- stats.c: the registry of what is counted ---- */
/* All instances that count something, with their current or live values (stat_report_live). */
void gpu_instances(const struct gpu *g, struct stat_report *o);
extern const struct stat_table code_stats; /* of a launch */
void gpu_print_statistics(FILE *f);        /* the manual's chapters, Markdown */

/* ---- workers.c: host threads that share numbered tasks ---- */
struct workers *workers_new(unsigned threads);
void workers_free(struct workers *p);
/* Runs tasks 0 to n - 1, n < 65536, in any order; `alone`: on the calling thread. All are done when
 * it returns. Returns how many had something to do. */
unsigned workers_run(struct workers *p, bool (*task)(void *arg, unsigned i), void *arg, unsigned n,
		     bool alone);

#endif
