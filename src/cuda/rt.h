/* What the files of the CUDA libraries share: the device, work and streams, modules, errors.
 *
 * Asynchronous work of all streams is one list in issue order. One thread executes it, oldest
 * first; an entry may run when nothing older that it must wait for is unfinished: the same stream's
 * work, the event it waits for, and across the legacy default stream all streams but non-blocking
 * ones. In timing mode launches of different streams that need not wait for each other run together
 * (batch.c); so that it is the same in every run which, work waits until the program waits for
 * something (queue.c). Host functions run in a thread of their own, so that one that waits stops
 * only what depends on it.
 *
 * Locks: rt.lock guards lists and tables of this library; rt.device guards the struct heddle and is
 * held while a kernel runs. rt.device is taken first. */
#ifndef CUDA_RT_H
#define CUDA_RT_H
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cuda/export.h"
#include "heddle.h"

struct module;
struct graph;
struct node;

/* ---- work ---- */

enum work_kind {
	WORK_EMPTY,
	WORK_KERNEL,
	WORK_COPY,
	WORK_FILL,
	WORK_HOST,
	WORK_CALLBACK,
	WORK_RECORD,
	WORK_WAIT,
	WORK_ALLOC,
	WORK_FREE,
	WORK_WAIT_VALUE,
	WORK_WRITE_VALUE,
	WORK_GRAPH,
	WORK_CONDITIONAL,
};

/* Rows of bytes in device or host memory: one end of a copy. */
struct rows {
	uint64_t addr;
	uint64_t pitch, slice;
	bool device;
	struct cudaArray *array; /* what the program named, for graph queries; or NULL */
};
struct copy {
	struct rows dst, src;
	uint64_t width, height, depth; /* bytes, rows, slices */
	void *staged;                  /* pageable source, copied when the call was made */
};
struct fill {
	uint64_t addr, pitch, slice;
	uint64_t width, height, depth; /* elements, rows, slices */
	uint32_t value;
	unsigned size; /* of an element */
};

struct work {
	enum work_kind kind;
	union {
		struct {
			struct kernel *k;
			struct heddle_launch l; /* params: own copy */
		} kernel;
		struct copy copy;
		struct fill fill;
		struct {
			cudaHostFn_t fn;
			cudaStreamCallback_t callback;
			void *arg;
		} host;
		struct {
			struct CUevent_st *event;
			uint64_t seq;
		} event; /* WAIT: of the record waited for; RECORD: not 0 if a graph set the time */
		struct {
			uint64_t addr, size;
		} mem;
		struct {
			uint64_t addr, value;
			unsigned size, op;
		} value;
		struct CUgraph_st *graph; /* a node that is a graph */
		struct {
			uint64_t handle; /* address of the word that decides */
			unsigned type, n;
			struct CUgraph_st **body;
		} cond; /* see graph/cond.c */
	};
};
void work_free(struct work *w); /* what it owns */
struct work work_clone(const struct work *w);

struct CUstream_st {
	unsigned flags;
	int priority;
	uint64_t id;
	unsigned pending;             /* unfinished entries */
	struct CUgraph_st *capture;   /* being captured into, or NULL */
	struct CUgraphNode_st **last; /* capture: what the next node depends on */
	size_t nlast;
	uint64_t capture_id;
	bool capture_origin, capture_broken;
	int capture_mode;
	struct cudaAccessPolicyWindow window;
	int sync_policy;
	bool destroyed;
	struct CUstream_st *next;
};

struct CUevent_st {
	unsigned flags;
	bool recorded; /* ever */
	uint64_t seq;  /* of the last record; done when not pending */
	bool pending;
	double time;                /* of the device, at the last record */
	struct CUgraph_st *capture; /* last recorded in a capture */
	struct CUgraphNode_st **last;
	size_t nlast;
	unsigned users; /* unfinished work that names it */
	bool destroyed;
};

/* Appends work to a stream (or to the graph that captures it). Takes over what *w owns. */
cudaError_t work_submit(struct CUstream_st *s, struct work *w);
/* Waits; device output is shown. They return a sticky error if there is one. */
cudaError_t stream_wait(struct CUstream_st *s);
cudaError_t event_wait(struct CUevent_st *e);
cudaError_t device_wait(void);
bool stream_idle(struct CUstream_st *s);
bool work_frees(uint64_t addr);                /* is it to be freed by work that is waiting? */
void work_release(const struct CUevent_st *e); /* the program looks whether it is done */
cudaError_t work_run(struct work *w);          /* at once, by the executing thread */
bool work_value_ready(const struct work *w);   /* WORK_WAIT_VALUE: is it there? */
void device_output(void *arg, const char *text, size_t n);
void output_flush(void); /* shows it */

/* NULL, cudaStreamLegacy, cudaStreamPerThread become streams; NULL if the handle is no stream. */
struct CUstream_st *stream_of(cudaStream_t s);
struct CUstream_st *stream_new(unsigned flags, int priority);
void stream_free(struct CUstream_st *s);
void event_free(struct CUevent_st *e);
/* With rt.lock: all streams but the legacy one; is any captured into g? */
struct CUstream_st *stream_next(const struct CUstream_st *s);
bool stream_captures(const struct CUgraph_st *g);
extern struct CUstream_st stream_legacy;
#define NONBLOCKING cudaStreamNonBlocking

/* ---- the device ---- */

struct rt {
	pthread_mutex_t lock, device;
	struct heddle *h; /* opened at first use */
	bool open_failed;
	bool quiet;
	bool timing;
	cudaError_t sticky;      /* after a fault; seen by the program once it waited */
	cudaError_t async_error; /* a fault that no call has returned yet */
	double time;             /* seconds of device time since the start */
	unsigned device_flags;
	bool checked, check_race; /* --check race or init; race */
	bool host_memory;         /* the program has memory that it and kernels see */
	const char *stats;
};
extern struct rt rt;

/* Opens the device. Every call that needs it begins so; the error is a sticky one or that the
 * device cannot be opened. */
cudaError_t rt_open(void);
cudaError_t device_open(void); /* the same, but no context is taken */
struct heddle *device_lock(void);
void device_unlock(void);
const struct heddle_device *device_info(void);
void launch_begin(void), launch_end(void); /* progress on a terminal, Ctrl-C */
void rt_leave(void); /* the program ends at once: the report, unless a kernel runs */
_Noreturn void launch_interrupted(void); /* Ctrl-C ended one: the report, then the program's end */

/* ---- errors ---- */

/* Records an error for cudaGetLastError() and returns it. */
cudaError_t rt_error(cudaError_t e);
cudaError_t rt_status(enum heddle_status st); /* of a heddle_ call that failed */
/* "NAME is not supported", once for each name. */
cudaError_t rt_unsupported(const char *name);
/* A line on stderr, in one piece. */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void rt_vsay(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
const char *error_name(int e), *error_driver_name(int e), *error_text(int e);

#define TRY(e)                                                                                     \
	do {                                                                                       \
		cudaError_t try_ = (e);                                                            \
		if (try_)                                                                          \
			return rt_error(try_);                                                     \
	} while (0)

/* ---- programs ---- */

struct kernel {
	struct module *m;
	char *name;
	const void *host;        /* the program's function, or NULL */
	struct heddle_kernel *k; /* after loading */
	struct native *native;   /* native code in its place, or NULL (native.h) */
	struct heddle_kernel_info info;
	struct heddle_param_info *param;
	int max_dynamic, carveout, cache;
	unsigned block[3], shared; /* old driver launches: cuFuncSetBlockShape and so on */
	uint8_t args[4096];
	unsigned args_size;
	struct kernel *next;
};

enum symbol_kind { SYM_VAR, SYM_TEXTURE, SYM_SURFACE, SYM_MANAGED };
struct symbol {
	struct module *m;
	enum symbol_kind kind;
	char *name;
	const void *host;
	size_t size;
	bool norm, constant;
	int dim;
	uint64_t addr; /* variables, after loading */
	struct texref *ref;
	struct symbol *next;
};

struct module {
	struct heddle_module *m;   /* loaded at first use */
	cudaError_t failed;        /* why it could not be */
	const void *image;         /* fat binary, not looked at yet; NULL: none */
	const void *const *linked; /* further ones of the same program, or NULL */
	struct text {
		char *data;
		size_t size;
	} * text; /* PTX */
	unsigned ntext;
	unsigned native; /* architecture of machine code seen in place of PTX */
	bool read, grouped;
	struct module *group; /* the module it is linked into; itself */
	struct kernel *kernels;
	struct symbol *symbols;
	struct module *next;
	bool user;    /* loaded by cuModuleLoad and so on */
	bool library; /* by cuLibraryLoadData and so on: of no context */
	char *file;   /* what a file held, or NULL */
};

/* From what a compiler registers or a program loads: wrapper, fat binary, PTX text (n: its length,
 * 0: up to its NUL). NULL: none of these. */
struct module *module_new(const void *image, size_t n);
/* The architecture whose machine code the registered programs were built for (`heddle cc -code`);
 * 0: none. */
unsigned modules_machine(void);
void module_add(struct module *m);
void module_remove(struct module *m);
bool module_known(const struct module *m); /* registered or loaded, not removed */
cudaError_t module_load(struct module *m);
struct kernel *module_kernel(struct module *m,
			     const char *name); /* of a loaded module; NULL: none */
void kernel_add(struct module *m, const void *host, const char *name);
void symbol_add(struct module *m, const struct symbol *s);
cudaError_t kernel_load(struct kernel *k);
struct kernel *kernel_known(const void *host); /* registered function or handle; NULL: neither */
cudaError_t kernel_of(const void *host, struct kernel **out);    /* and loaded */
cudaError_t kernel_named(const char *name, struct kernel **out); /* the same, by its PTX name */
cudaError_t symbol_of(const void *host, struct symbol **out);    /* host variable, or a name */
cudaError_t symbol_load(struct symbol *s);
/* A variable by its name in a loaded module; nvcc calls a static variable of a file by its plain name,
 * clang by a mangled one. The device is locked. */
bool symbol_find(struct heddle *h, const struct module *m, const char *name, uint64_t *addr,
		 uint64_t *size);
char *rt_read_file(const char *path,
		   size_t *n); /* malloc'ed, zeros behind its end; NULL: cannot be read */
void modules_unload_all(void); /* cudaDeviceReset: those of no context */

struct launch_conf {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	bool cooperative;
};
cudaError_t kernel_launch(struct kernel *k, const struct launch_conf *c, void **args,
			  const void *block);
cudaError_t kernel_work(struct kernel *k, const struct launch_conf *c, void **args,
			const void *block, struct work *out);
int occupancy(const struct kernel *k, int threads, size_t dynamic); /* blocks a multiprocessor */
void func_attributes(const struct kernel *k, struct cudaFuncAttributes *a);
/* A kernel's question: device_side.c. */
int64_t device_answer(void *arg, const struct heddle_kernel *kernel, const int64_t question[3]);

/* ---- arrays ---- */

struct cudaArray {
	struct cudaChannelFormatDesc desc;
	uint64_t width, height, depth; /* as asked for; 0: dimension not there */
	unsigned flags;
	uint64_t addr, pitch, slice; /* depth slices: layers, faces */
	unsigned elem;               /* bytes */
	struct cudaMipmappedArray *owner;
};
struct cudaMipmappedArray {
	struct cudaArray *level;
	unsigned levels;
	uint64_t addr;
};
cudaError_t array_new(struct cudaArray **out, const struct cudaChannelFormatDesc *d,
		      struct cudaExtent e, unsigned flags);
cudaError_t mipmap_new(struct cudaMipmappedArray **out, const struct cudaChannelFormatDesc *d,
		       struct cudaExtent e, unsigned levels, unsigned flags);
cudaError_t array_free(struct cudaArray *a);
cudaError_t mipmap_free(struct cudaMipmappedArray *m);
bool array_known(const struct cudaArray *a); /* alive; a level of a mipmap is, too */
bool mipmap_known(const struct cudaMipmappedArray *m);
cudaError_t object_free(unsigned long long handle, bool surface); /* a texture or surface object */

/* ---- memory ---- */

/* Completes a copy's places: which are device memory; refuses what lies outside allocations. */
cudaError_t copy_resolve(struct copy *c, enum cudaMemcpyKind kind);
cudaError_t copy_submit(struct copy *c, enum cudaMemcpyKind kind, cudaStream_t s, bool wait);
cudaError_t copy_run(const struct copy *c);
/* --check init: the copy gives the host bytes that nothing has written. */
bool copy_is_unwritten(const struct copy *c);
cudaError_t copy_from_parms(struct copy *c, const struct cudaMemcpy3DParms *p);
cudaError_t fill_submit(const struct fill *f, cudaStream_t s);
cudaError_t fill_run(const struct fill *f);
cudaError_t mem_alloc(uint64_t size, uint64_t *addr);
cudaError_t mem_free(uint64_t addr);
cudaError_t host_alloc(size_t size, unsigned flags, bool managed, void **out);
cudaError_t host_free(void *p);
void host_forget(void *p); /* pinned, managed or registered: its context goes */
void pool_free(struct CUmemPoolHandle_st *pool);
struct CUmemPoolHandle_st *pool_of(uint64_t addr); /* of an allocation; NULL: of none */
void pool_unaccount(uint64_t addr);                /* an allocation of some pool, perhaps, goes */
enum { PITCH_ALIGN = 512 };
struct host_info {
	void *p;
	size_t size;
	unsigned flags;
	bool managed, registered;
	struct host_info *next;
};
struct host_info *host_find(const void *p); /* with rt.lock held */

/* ---- pointer tables ---- */

struct ptrmap {
	struct ptrmap_slot {
		const void *key;
		void *value;
	} * slot;
	size_t n, cap;
};
void *ptrmap_get(const struct ptrmap *m, const void *key);
void ptrmap_put(struct ptrmap *m, const void *key, void *value); /* value NULL: removes */

#endif
