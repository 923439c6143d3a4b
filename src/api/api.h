/* What is behind include/heddle.h. */
#ifndef API_API_H
#define API_API_H
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include "back/back.h"
#include "exec/context.h"
#include "devmem/heap.h"
#include "heddle.h"
#include "ir/module.h"
#include "power/opclass.h"
#include "stat/stat.h"

struct gpu;
struct gpu_result;
struct machine;
struct record;
struct prof;
struct profile;
struct sampler;
struct tracer;
struct power_model;

struct native_count {
	unsigned mnemonic; /* isa/native.h */
	uint64_t warp, thread;
};

struct launch_record {
	struct heddle_stats s;
	uint64_t *by_op_warp, *by_op_thread; /* OP_COUNT each */
	/* timing mode */
	struct stat_report *report;
	struct stat_report *together; /* see struct gpu_result */
	struct json_t *issues;        /* what an SM issued; NULL: nothing was recorded */
	uint32_t blocks_per_sm;
	VEC(struct native_count) native; /* native code: by mnemonic instead */
};

struct launch_range {
	uint32_t from, to;
};
struct chosen {
	bool some; /* not all launches are timed */
	VEC(struct launch_range) ranges;
};

/* A place of a kernel. */
struct warned {
	const struct func *kernel;
	const struct inst *in;
};

struct heddle {
	struct heddle_options opt;
	struct devmem mem;
	struct heap heap;
	struct textures *tex;
	VEC(struct heddle_module *) modules;
	uint32_t loaded; /* modules so far */
	char *message;
	struct heddle_fault fault;
	VEC(struct launch_record) launches;
	VEC(struct profile *) profiles; /* by kernel */
	struct arena names;             /* in records: modules may go before them */
	atomic_bool interrupt;
	atomic_uint_least64_t interrupted_at; /* ns; 0: not yet in this launch */
	uint64_t grid_id;
	struct recent *recent; /* --check race: see apart.c; NULL: none yet */
	unsigned nrecent;
	uint32_t nested;      /* launches from kernels around this one (children.h) */
	uint64_t heap_bytes;  /* device malloc */
	uint32_t stack_extra; /* for recursion, bytes a thread */
	uint32_t nsm;
	void (*trace)(void *arg, const struct wstate *ws, uint32_t pc); /* see struct launch */
	void *trace_arg;
	bool while_masks;
	bool native_pdom;           /* native code by the post-dominator stack */
	uint64_t grid_barrier;      /* device words of cooperative launches; 0: none yet */
	struct machine *machine;    /* NULL: functional mode without one */
	struct machine *plain;      /* then, for energy: the default one; NULL: nobody asked */
	struct power_model *events; /* of functional mode; NULL: nobody asked */
	struct gpu *gpu;            /* timing mode */
	struct chosen chosen;       /* launches that it times */
	VEC(struct warned) warned;  /* --check warn: places that are known */
	json_t *reports;            /* --check-report: all so far; or NULL */
	struct sampler *sampler, *series; /* to a file; for the statistics; or NULL */
	struct tracer *tracer;
	FILE *sample_file, *trace_file;
	struct {
		unsigned sm, launch;
		uint64_t from, to;
	} record; /* to = 0: nothing */
};

struct heddle_kernel {
	struct heddle_module *m;
	struct func *f;
	struct image *img; /* built at the first launch */
	/* why the kernel has no code for the machine that PTX was compiled for; NULL: it has */
	const struct diag *refused;
};

struct const_copy {
	uint64_t from, to, size;
};

struct cubin_module {
	const char *path;
	struct heddle_module *m;
};

/* A kernel that cannot be executed, and why. */
struct refusal {
	char *kernel;
	struct diag *why;
};

struct heddle_module {
	struct heddle *h;
	struct module *ir;
	struct heddle_kernel *kernel;
	unsigned nkernels;
	VEC(uint64_t) allocs; /* variables' memory */
	/* constants that are also in native banks, copied at each launch */
	VEC(struct const_copy) copies;
	struct map by_name;
	/* machine code that some of its kernels take (cubins.c), by file */
	VEC(struct cubin_module) beside;
	struct back_report compiled;  /* PTX that was compiled: why some kernels are refused */
	VEC(struct refusal) refusals; /* kernels with instructions that are not supported */
};

enum heddle_status api_fail(struct heddle *h, enum heddle_status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
enum heddle_status api_fail_diag(struct heddle *h, enum heddle_status st, const struct diag *d);
/* cubins.c: gives kernels of m the machine code that HEDDLE_CUBINS has for them. */
enum heddle_status api_take_cubins(struct heddle *h, struct heddle_module *m);
struct image *api_image(struct heddle *h, struct heddle_kernel *k); /* NULL: message set */
/* of a thread, on this machine */
uint32_t api_registers(const struct heddle *h, const struct image *img);
uint32_t api_least_registers(const struct heddle *h, const struct image *img);
uint32_t api_register_limit(const struct heddle *h, const struct func *f, uint32_t named);
/* Records a launch. `prof`: what each pc did. `timing`: the figures of timing mode, or NULL; takes
 * over its report. */
void api_record(struct heddle *h, const struct heddle_launch *l, const struct image *img,
		const struct prof *prof, double seconds, struct gpu_result *timing);
/* For launches that are timed only to warm the caches: drops the figures. */
void api_forget_timing(struct launch_record *r);
/* ---- choose.c: which launches are timed ---- */
enum launch_mode { LAUNCH_FUNCTIONAL, LAUNCH_WARMING, LAUNCH_TIMED };
enum heddle_status api_choose(struct heddle *h); /* reads the options */
enum launch_mode api_mode(const struct heddle *h, const char *kernel, size_t number);
char *api_chosen(const struct heddle *h); /* in words, malloc'ed; NULL: all are timed */
/* ---- record.c ---- */
enum heddle_status api_record_parse(struct heddle *h, const char *text);
/* for the next launch; NULL: nothing is recorded */
struct record *api_record_new(const struct heddle *h);
/* What was recorded of a kernel's launch, with the text of its instructions; the record is
 * freed. */
struct json_t *api_record_json(struct record *r, const struct machine *m, const struct image *img);
/* faults.c. Begins the file of --check-report; false: it cannot be written. */
bool reports_open(struct heddle *h);
enum heddle_status api_report_checks(struct heddle *h, const struct launch *l,
				     enum heddle_status st);
void api_report_fault(struct heddle *h, const struct launch *l, const struct fault *f);

enum heddle_status api_observe_open(struct heddle *h); /* observe.c: time series and timeline */

/* ---- profile.c ---- */
/* The name and the class under which statistics count an instruction. */
const char *api_opcode(const struct inst *in, const char **class);
void api_profile_add(struct heddle *h, const struct image *img, const struct prof *counts,
		     bool timed);
void api_profile_forget(struct heddle *h, const struct image *img); /* the image goes */

/* apart.c, --check race. Tells launch i of t which earlier ones it does not wait for: of t by their ids (img NULL:
 * not launched), of earlier calls by its tickets. Returns the list, to be freed after the launch. */
struct beside;
struct launch_check;
struct beside *api_apart_find(const struct heddle *h, const struct heddle_task *t, unsigned i,
			      const struct beside *ids, struct launch_check *c);
void api_apart_keep(struct heddle *h, uint64_t ticket,
		    const struct beside *id);                     /* for later calls */
void api_apart_forget(struct heddle *h, const struct image *img); /* the image goes */
void api_profiles_free(struct heddle *h);
json_t *api_profiles_json(struct heddle *h);
struct sm_stats;
void api_profiles_count(const struct heddle *h, struct sm_stats *s); /* all of them, without time */

/* ---- energy.c ---- */
struct pc_cost { /* what an instruction pays by */
	const struct prof *sum;
	uint64_t reads, writes; /* register arrays, for one operand and one result */
	uint8_t opclass, nread, nwrite;
	uint32_t products;
};
const struct machine *api_machine(struct heddle *h);   /* the run's, or the default one */
const struct power_model *api_power(struct heddle *h); /* NULL: it cannot be built */
void api_energy_free(struct heddle *h);
void api_energy_json(struct heddle *h, json_t *top); /* energy and power_model of a run */
double api_launch_joule(const struct stat_report *r);
/* Energy that several instructions share, to be divided among them: see api_energy_fill(). */
struct class_pool {
	double left[CLASS_COUNT], weight[CLASS_COUNT], issued;
};
/* Joules of each instruction by its own events; the pool sums their weights for the rest. */
void api_energy_own(struct heddle *h, const struct pc_cost *pc, uint32_t n, double *event,
		    struct class_pool *w);
/* True if the lines of the two kernels share the energy of their launches, because launches that
 * ran side by side cannot be told apart. */
bool api_energy_shared(const struct heddle *h, const char *kernel, const char *other);
void api_energy_fill(const struct heddle *h, const char *kernel, struct class_pool *w);
/* Adds to each instruction its part of the pool; timed: of the time-proportional energy. */
void api_energy_spread(const struct class_pool *w, const struct pc_cost *pc, uint32_t n,
		       double *event, double *timed);

#endif
