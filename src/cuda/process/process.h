/* The one process that uses the simulated device: everything of this library that changes while a
 * program runs, and the calls with which every entry point begins and ends.
 *
 * `process` is the only mutable object of the library, `thread` its part that each thread has for
 * itself; a test looks for others (tests/check-links). Each room has a member and is the only one
 * to change it; what a member's types are is said in the room's header.
 *
 * Locks: process.lock guards lists and tables; process.device.lock guards the struct heddle and is
 * held while a kernel runs. A thread that needs both takes process.device.lock first. The small
 * locks of handles, calls, sites and output are taken last and held for a few lines. */
#ifndef CUDA_PROCESS_H
#define CUDA_PROCESS_H
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "cuda/check/touch.h"
#include "cuda/export.h"
#include "cuda/process/handles.h"
#include "cuda/process/ptrmap.h"
#include "cuda/process/site.h"
#include "cuda/stream/work.h"
#include "heddle.h"

struct launch_conf {
	dim3 grid, block;
	size_t shared; /* dynamic, bytes */
	cudaStream_t stream;
	bool cooperative;
	dim3 cluster; /* blocks of a cluster; x 0: what the kernel says */
};

/* A context. A destroyed one is kept, because threads may still have it as their own. */
struct CUctx_st {
	unsigned flags;
	bool dead;
	struct CUctx_st *next;
};

struct CUmemPoolHandle_st {
	uint64_t used, high,
		threshold; /* bytes: in use, the most in use, cudaMemPoolAttrReleaseThreshold */
	int reuse[4];      /* attributes by number: kept, they change nothing */
};

struct process {
	pthread_mutex_t lock;

	struct { /* device/ */
		pthread_once_t once;
		void (*open)(void); /* opens it at first use; set by start.c */
		pthread_mutex_t lock;
		struct heddle *h; /* NULL: not open */
		struct heddle_device info;
		bool open_failed;
		bool timing;             /* launches are timed */
		bool host_memory;        /* the program has memory that both it and kernels see */
		cudaError_t sticky;      /* a fault that the program has seen; 0: none */
		cudaError_t async_error; /* a fault that no call has returned yet; 0: none */
		double time;             /* device time since the start, in seconds */
		unsigned flags;          /* cudaSetDeviceFlags() */
		size_t printf_fifo, sync_depth, pending_launches, l2_granularity, l2_persisting;
		enum cudaFuncCache cache;       /* preferences: kept, they change nothing */
		enum cudaSharedMemConfig banks; /* likewise */
	} device;

	struct {                 /* device/report.c */
		pid_t opened_by; /* the process that opened the device; 0: the report is out */
		bool quiet;
		bool by_command;   /* `heddle run` started the program */
		const char *stats; /* file for statistics; NULL or "": none */
		struct timespec launch_start;
		bool drew; /* a line of progress is on the terminal */
		volatile sig_atomic_t ended_by;
		struct report_local { /* device/kernels.c: local memory of kernels by `heddle cc` */
			char kernel[256]; /* the first one launched */
			unsigned bytes;   /* of its threads; 0: there is no such kernel */
			unsigned others;
		} local;
	} report;

	struct {          /* which checks are on */
		bool any; /* --check race or init */
		bool race;
	} check;

	struct { /* contexts: process/context.c */
		struct CUctx_st primary, *destroyed;
		unsigned primary_uses;
		bool initialised; /* by cuInit() or by the runtime's first use of the device */
		bool bound;       /* the runtime uses the primary context */
		int cache, banks; /* preferences of the driver API */
	} contexts;

	struct { /* process/handles.c */
		pthread_mutex_t lock;
		struct {
			struct owned *first, **tail;
		} list[OWN_KINDS];
		struct ptrmap table;
	} handles;

	struct {                                    /* process/failure.c */
		unsigned errors, launches, skipped; /* counts; atomic */
		char first[4096];                   /* the first fault's message */
		bool several;                       /* its message goes on with other faults */
		bool unnoticed; /* the first fault: a GPU would not have noticed it */
		bool fails;     /* an error makes the exit status 1 */
		int status;     /* the program's exit status; -1: it has not called exit() */
		pthread_mutex_t lock;
		struct failed *call; /* calls that failed and that nobody asked about */
		unsigned ncalls;
		struct said *said; /* unsupported names that were reported */
	} failures;

	struct { /* process/site.c */
		pthread_mutex_t lock;
		struct ptrmap texts;     /* site -> its text */
		struct ptrmap allocated; /* address -> struct kept */
		struct kept *freed;      /* ring of what was freed last */
		unsigned nfreed;
		char program[4096]; /* path of the executable; "": not asked for yet */
		pthread_once_t once;
		uintptr_t code_from, code_to; /* where this library's code is */
	} sites;

	struct { /* process/output.c */
		pthread_mutex_t lock;
		char *text;
		size_t n, cap;
	} output;

	struct { /* memory/ */
		struct host_info *hosts;
		struct pool_block *pool_blocks;
		struct CUmemPoolHandle_st default_pool, *pool; /* pool: the current one */
		pthread_mutex_t graph_lock;
		struct graph_memory *graph; /* memory that graphs allocated */
		uint64_t graph_now, graph_most;
		struct ptrmap textures;    /* texture and surface objects */
		struct physical *physical; /* cuMemCreate() */
	} memory;

	struct {                      /* module/ */
		struct module *first; /* in the order of registration */
		pthread_mutex_t loading;
		struct ptrmap kernels, symbols;
		struct managed *managed; /* managed variables of `heddle cc` */
		struct managed_part *managed_parts;
		unsigned machine; /* machine code that registered programs ask for; 0: none */
		pthread_once_t native_once;
		struct choice *native; /* HEDDLE_NATIVE */
	} modules;

	struct {                                   /* stream/ */
		struct CUstream_st legacy, *first; /* first: all but the legacy one */
		uint64_t last_id, last_capture;
	} streams;

	struct { /* stream/queue.c */
		struct queued *first, **tail;
		uint64_t last_seq, epoch;
		unsigned unreleased; /* entries of no epoch yet */
		pthread_cond_t more, done;
		pthread_t worker, host_worker;
		bool started, host_started;
		const struct queued *running_graph;
		const char *unwritten[64]; /* calls whose copies --check init reported; a ring */
		unsigned nunwritten;
	} queue;

	struct touches touches; /* check/touch.c */
};
extern struct process process;

/* What each thread has for itself. */
struct thread {
	cudaError_t last_error;
	int own_stream_depth;       /* calls of the form for which stream 0 is the thread's own */
	struct CUstream_st *stream; /* its own default stream, or NULL */
	bool is_worker;             /* it executes work; see queue.c */
	uint64_t host_function; /* number of the host function it runs under --check race, or 0 */
	enum cudaStreamCaptureMode capture_mode;
	struct {
		struct CUctx_st *ctx[64];
		int n;
	} contexts; /* the stack of current contexts */
	struct {
		struct launch_conf conf[16];
		int n;
	} calls; /* <<< >>> that are being made */
	struct {
		struct launch_conf conf;
		uint8_t args[4096];
		bool set;
	} configured; /* cudaConfigureCall() of compilers before CUDA 9.2 */
};
extern _Thread_local struct thread thread;

/* ---- the device ---- */

/* Every call that needs the device begins with rt_open(): opens it at first use, and gives the
 * thread a context. Returns the sticky error, or that the device cannot be opened. */
cudaError_t rt_open(void);
cudaError_t device_open(void); /* likewise, but the thread gets no context */
struct heddle *device_lock(void);
void device_unlock(void);
const struct heddle_device *device_info(void);

/* ---- errors and messages ---- */

/* Records an error for cudaGetLastError() and returns it. */
cudaError_t rt_error(cudaError_t e);
cudaError_t rt_status(enum heddle_status st); /* the error for a heddle_ call's result */
/* Prints "NAME is not supported", once per name, and returns the error for it. */
cudaError_t rt_unsupported(const char *name);
/* A line on stderr, in one piece. */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void rt_vsay(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
const char *error_name(int e), *error_driver_name(int e), *error_text(int e); /* NULL: no such */

/* Returns from the calling function if e is an error. */
#define RETURN_IF_ERROR(e)                                                                         \
	do {                                                                                       \
		cudaError_t error_ = (e);                                                          \
		if (error_)                                                                        \
			return rt_error(error_);                                                   \
	} while (0)

/* A whole file, zeros behind its end (malloc'ed); NULL: it cannot be read. */
char *rt_read_file(const char *path, size_t *n);

/* ---- what kernels print: kept until the program waits ---- */
void device_output(void *arg, const char *text, size_t n);
void output_flush(void);

#endif
