/* Internal interface of the library behind include/heddle.h: the structs of a GPU, a module, a
 * kernel and a launch's record, and the functions that the files of api/ share. */
#ifndef API_API_H
#define API_API_H
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include "back/back.h"
#include "base/choice.h"
#include "exec/context.h"
#include "devmem/heap.h"
#include "heddle.h"
#include "ir/module.h"
#include "power/opclass.h"
#include "stat/stat.h"

struct debug;
struct gpu;
struct gpu_result;
struct machine;
struct record;
struct prof;
struct profile;
struct sampler;
struct tracer;
struct checkpoint;
struct sampled;
struct thin;
struct power_model;

struct native_count {
	unsigned mnemonic; /* enum native_op of isa/native.h */
	uint64_t warp, thread;
};

struct launch_record {
	struct heddle_stats s;
	/* executions per operation by warps and by threads, OP_COUNT elements each */
	uint64_t *by_op_warp, *by_op_thread;
	/* figures of timing mode; NULL: functional mode. A report without the rows of SMs, slices
	 * and channels has their traffic in `spread` */
	struct stat_report *report;
	uint64_t *spread; /* traffic of SMs, slices and channels, as in struct traffic; NULL: the
			  * report has all rows */
	/* figures of all launches that ran together (struct gpu_result); NULL: the launch ran alone */
	struct stat_report *together;
	struct json_t *issues; /* recorded issues of an SM; NULL: nothing was recorded */
	uint32_t blocks_per_sm;
	struct thin
		*thin; /* parts of a thinned launch, malloc'ed; NULL: all blocks were simulated */
	/* counts of native instructions, which are counted by mnemonic instead */
	VEC(struct native_count) native;
};

/* Positions in stat_report_units() of the figures with the traffic of SMs, slices and channels.
 * List i of SPREADS ends before position end[i]. */
enum { SPREADS = 7 };
struct traffic_place {
	uint32_t unit, place;
};
struct traffic {
	VEC(struct traffic_place) place;
	size_t end[SPREADS];
};

struct launch_range {
	uint32_t from, to;
};
struct chosen {
	bool some;                       /* true: only some launches are timed */
	VEC(struct launch_range) ranges; /* numbers in --launches; empty: all launches */
	choice_kernels kernels;          /* items in --kernels; empty: all kernels */
};

/* A file that grows during the run. It is written under a temporary name and renamed when it is
 * complete, so that an interrupted run or a full disk leaves an existing file unchanged. */
struct observed {
	FILE *f; /* NULL: not written */
	/* temporary name, until the file is complete; NULL: a device, which is written directly */
	char *part;
};

/* A point in a kernel about which a warning has been given. */
struct warned {
	const struct func *kernel;
	const struct inst *in;
};

/* Execution counts per instruction of a functional launch: timing mode's structure, of which three
 * members are used. The memory is kept from launch to launch, because launches of large kernels are
 * frequent. */
struct kept_counts {
	struct prof *v;
	uint32_t room;
};

struct heddle {
	struct heddle_options opt;
	struct traffic traffic; /* empty before the first launch in timing mode */
	struct devmem mem;
	struct heap heap;
	struct textures *tex;
	VEC(struct heddle_module *) modules;
	uint32_t loaded; /* number of modules loaded so far */
	char *message;
	struct heddle_fault fault;
	VEC(struct launch_record) launches;
	VEC(struct profile *) profiles; /* one per kernel */
	struct kept_counts counts;      /* execution counts of the last functional launch */
	/* execution counts of the last range of that launch's blocks */
	struct kept_counts counts_of_range;
	/* storage of the names in records, because modules may be unloaded before the records are
	 * written */
	struct arena names;
	atomic_bool interrupt;
	/* time of the interrupt, ns; 0: none during this launch */
	atomic_uint_least64_t interrupted_at;
	uint64_t grid_id;
	struct recent *recent; /* --check race: earlier launches (apart.c); NULL: none yet */
	unsigned nrecent;
	/* number of kernels that launched this launch, directly or indirectly (children.h) */
	uint32_t nested;
	uint64_t heap_bytes;  /* bytes for device malloc */
	uint32_t stack_extra; /* additional stack per thread for recursion, bytes */
	uint32_t nsm;
	/* observer of each instruction (struct launch, trace); NULL: none */
	void (*trace)(void *arg, const struct wstate *ws, uint32_t pc);
	void *trace_arg;
	bool while_masks;
	struct debug *debug; /* NULL: no debugger */
	bool native_pdom;    /* native code runs by the post-dominator stack */
	/* device address of the words that barriers of cooperative launches use; 0: not allocated
	 * yet */
	uint64_t grid_barrier;
	struct machine *machine; /* NULL: functional mode without a machine */
	/* default machine for energies if `machine` is NULL; NULL: not needed yet */
	struct machine *plain;
	struct power_model *events;    /* energy model of functional mode; NULL: not needed yet */
	struct gpu *gpu;               /* NULL: functional mode */
	struct chosen chosen;          /* the launches that are timed */
	struct checkpoint *checkpoint; /* checkpoint.h; NULL: none */
	struct sampled *sampled;       /* sampled mode (sampled.h); NULL: off */
	VEC(struct warned) warned;     /* --check warn: places that have been warned about */
	json_t *reports;               /* --check-report: all reports so far; NULL: off */
	/* --check control-bits: text of the findings about this call's launches; NULL: none */
	char *control;
	bool control_idle; /* --check control-bits has reported a kernel without control bits */
	/* sampler: writes a file; series: for the statistics; NULL: off */
	struct sampler *sampler, *series;
	struct tracer *tracer;
	struct observed sample_file, trace_file;
	struct {
		unsigned sm, launch;
		uint64_t from, to;
		/* recording begins with the SM's first issue and lasts `to` cycles */
		bool first;
	} record; /* to = 0: recording is off */
};

struct heddle_kernel {
	struct heddle_module *m;
	struct func *f;
	struct image *img; /* NULL until the first launch */
	/* reason why the kernel has no code for the machine that PTX is compiled for; NULL: it has
	 * code */
	const struct diag *refused;
	bool control_checked; /* --check control-bits has seen the kernel */
};

struct const_copy {
	uint64_t from, to, size;
};

struct cubin_module {
	const char *path;
	struct heddle_module *m;
};

/* A kernel that cannot be executed, and the reason. */
struct refusal {
	char *kernel;
	struct diag *why;
};

struct heddle_module {
	struct heddle *h;
	struct module *ir;
	struct heddle_kernel *kernel;
	unsigned nkernels;
	VEC(uint64_t) allocs; /* memory of the module's variables */
	/* constants that native code also reads from constant banks; copied at each launch */
	VEC(struct const_copy) copies;
	struct map by_name;
	/* machine code that replaces some of the module's kernels, one entry per file (cubins.c) */
	VEC(struct cubin_module) beside;
	struct back_report compiled;  /* result of compiling PTX: why some kernels are refused */
	VEC(struct refusal) refusals; /* kernels with instructions that are not supported */
};

enum heddle_status api_fail(struct heddle *h, enum heddle_status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Passes a warning to the program's handler; without a handler, prints it. */
void api_warn(const struct heddle *h, const char *text);
enum heddle_status api_fail_diag(struct heddle *h, enum heddle_status st, const struct diag *d);
/* Loads the machine code that HEDDLE_CUBINS names for kernels of m (cubins.c). */
enum heddle_status api_take_cubins(struct heddle *h, struct heddle_module *m);
/* Returns the kernel's image, made at its first use; NULL: an error, whose message is set. */
struct image *api_image(struct heddle *h, struct heddle_kernel *k);
/* Returns the registers per thread on this machine. */
uint32_t api_registers(const struct heddle *h, const struct image *img);
uint32_t api_least_registers(const struct heddle *h, const struct image *img);
uint32_t api_register_limit(const struct heddle *h, const struct func *f, uint32_t named);
/* Records a launch. prof: execution counts per pc. timing: the figures of timing mode, whose report
 * is moved into the record; NULL: functional mode. */
void api_record(struct heddle *h, const struct heddle_launch *l, const struct image *img,
		const struct prof *prof, double seconds, struct gpu_result *timing);
/* Drops the figures of a launch that is timed only to warm the caches. */
void api_forget_timing(struct launch_record *r);
bool api_uses_heap(const struct image *img); /* the kernel allocates memory or launches kernels */
/* ---- choose.c: the launches that are timed ---- */
enum launch_mode { LAUNCH_FUNCTIONAL, LAUNCH_WARMING, LAUNCH_TIMED };
enum heddle_status api_choose(struct heddle *h); /* reads the options */
enum launch_mode api_mode(const struct heddle *h, const char *kernel, size_t number);
/* describes the choice, malloc'ed; NULL: all launches are timed */
char *api_chosen(const struct heddle *h);

/* ---- replay.c: launches of traces ---- */

enum heddle_status api_check_replay(struct heddle *h, const struct heddle_launch *hl,
				    const struct image *img, enum launch_mode mode);
/* ---- record.c ---- */
enum heddle_status api_record_parse(struct heddle *h, const char *text);
/* Returns a record for the next launch; NULL: nothing is recorded. */
struct record *api_record_new(const struct heddle *h);
/* Returns the recorded issues of a kernel's launch, with the text of its instructions; frees the
 * record. */
struct json_t *api_record_json(struct record *r, const struct machine *m, const struct image *img);
/* Begins the file of --check-report (faults.c); false: it cannot be written. */
bool reports_open(struct heddle *h);
enum heddle_status api_report_checks(struct heddle *h, const struct launch *l,
				     enum heddle_status st);
void api_report_fault(struct heddle *h, const struct launch *l, const struct fault *f);

/* --check control-bits (control.c): checks a kernel before its first launch; returns the status of
 * the call that reports the findings. */
void api_control_check(struct heddle *h, struct heddle_kernel *k);
enum heddle_status api_control_report(struct heddle *h, enum heddle_status st);

/* opens the files of time series and timeline (observe.c) */
enum heddle_status api_observe_open(struct heddle *h);

/* ---- profile.c ---- */
/* Returns the opcode and the class under which statistics count an instruction. */
const char *api_opcode(const struct inst *in, const char **class);
void api_profile_add(struct heddle *h, const struct image *img, const struct prof *counts,
		     bool timed);
/* call before the image is freed */
void api_profile_forget(struct heddle *h, const struct image *img);

/* --check race (apart.c): collects the earlier launches that launch i of t is not ordered with.
 * Launches of t are identified by their ids (img NULL: not launched), launches of earlier calls by
 * their tickets. The caller frees the list after the launch. */
struct beside;
struct launch_check;
struct beside *api_apart_find(const struct heddle *h, const struct heddle_task *t, unsigned i,
			      const struct beside *ids, struct launch_check *c);
void api_apart_keep(struct heddle *h, uint64_t ticket,
		    /* remembers the launch for later calls */
		    const struct beside *id);
/* call before the image is freed */
void api_apart_forget(struct heddle *h, const struct image *img);
void api_profiles_free(struct heddle *h);
json_t *api_profiles_json(struct heddle *h);
struct sm_stats;
/* adds up all profiles, without times */
void api_profiles_count(const struct heddle *h, struct sm_stats *s);

/* ---- energy.c ---- */
struct pc_cost { /* the properties of an instruction that determine its energy */
	const struct prof *sum;
	/* accesses to the register file's arrays, for one operand and one result */
	uint64_t reads, writes;
	uint8_t opclass, nread, nwrite;
	uint32_t products;
};
const struct machine *api_machine(struct heddle *h);   /* the run's machine, or the default one */
const struct power_model *api_power(struct heddle *h); /* NULL: the model cannot be built */
void api_energy_free(struct heddle *h);
/* adds the run's objects energy and power_model to the statistics */
void api_energy_json(struct heddle *h, json_t *top);
double api_launch_joule(const struct stat_report *r);
/* Energy that several instructions share, and the weights by which it is divided among them. */
struct class_pool {
	double left[CLASS_COUNT], weight[CLASS_COUNT], issued;
};
/* Sets the joules of each instruction by its own events, and adds its weights to the pool, for the
 * shared energy. */
void api_energy_own(struct heddle *h, const struct pc_cost *pc, uint32_t n, double *event,
		    struct class_pool *w);
/* True if the lines of two kernels share the energy of their launches, because the energy of
 * concurrent launches cannot be separated. */
bool api_energy_shared(const struct heddle *h, const char *kernel, const char *other);
void api_energy_fill(const struct heddle *h, const char *kernel, struct class_pool *w);
/* Adds to each instruction its part of the pool. timed: divides the time-proportional energy. */
void api_energy_spread(const struct class_pool *w, const struct pc_cost *pc, uint32_t n,
		       double *event, double *timed);

#endif
