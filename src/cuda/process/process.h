/* The one process that uses the simulated device: all mutable state of this library, and the calls
 * with which every entry point begins and ends.
 *
 * `process` is the only mutable object of the library, `thread` the part that each thread has for
 * itself; tests/check-links looks for others. Each room has a member and is the only room that
 * changes it; the room's header describes the member's types.
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
	size_t shared; /* bytes of dynamic shared memory */
	cudaStream_t stream;
	bool cooperative;
	dim3 cluster; /* blocks per cluster; x 0: the kernel's own */
};

/* A context. A destroyed context is kept, because threads may still refer to it. */
struct CUctx_st {
	unsigned flags;
	bool dead;
	struct CUctx_st *next;
};

struct CUmemPoolHandle_st {
	uint64_t used, high,
		/* bytes in use, most bytes in use, and cudaMemPoolAttrReleaseThreshold */
		threshold;
	int reuse[4]; /* attributes by number; stored, without effect */
};

struct process {
	pthread_mutex_t lock;

	struct { /* device/ */
		pthread_once_t once;
		void (*open)(void); /* opens the device at first use; set by start.c */
		pthread_mutex_t lock;
		struct heddle *h; /* NULL: not open */
		struct heddle_device info;
		bool open_failed;
		bool timing; /* launches are timed */
		/* the program has memory that both the host and kernels see */
		bool host_memory;
		cudaError_t sticky;      /* a fault that the program has seen; 0: none */
		cudaError_t async_error; /* a fault that no call has returned yet; 0: none */
		double time;             /* device time since the start, in seconds */
		unsigned flags;          /* flags of cudaSetDeviceFlags() */
		size_t printf_fifo, sync_depth, pending_launches, l2_granularity, l2_persisting;
		enum cudaFuncCache cache;       /* preferences; stored, without effect */
		enum cudaSharedMemConfig banks; /* stored, without effect */
	} device;

	struct {                 /* device/report.c */
		pid_t opened_by; /* process that opened the device; 0: the report is done */
		bool quiet;
		bool by_command;   /* `heddle run` started the program */
		const char *stats; /* file for statistics; NULL or "": none */
		struct timespec launch_start;
		bool drew; /* a progress line is on the terminal */
		volatile sig_atomic_t ended_by;
		struct sigaction before[2]; /* what SIGINT and SIGTERM did before the launch */
		struct report_local { /* device/kernels.c: local memory of kernels by `heddle cc` */
			char kernel[256]; /* the first such kernel launched */
			unsigned bytes;   /* local memory per thread; 0: no such kernel */
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
		bool initialised; /* set by cuInit() or by the runtime's first use of the device */
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
		/* messages of further faults follow the first */
		bool several;
		bool unnoticed; /* a GPU would not have noticed the first fault */
		bool fails;     /* an error makes the exit status 1 */
		int status;     /* the program's exit status; -1: it has not called exit() */
		pthread_mutex_t lock;
		struct failed *call; /* failed calls whose error the program did not query */
		unsigned ncalls;
		struct said *said; /* unsupported names that have been reported */
	} failures;

	struct { /* process/site.c */
		pthread_mutex_t lock;
		struct ptrmap texts;     /* site -> its text */
		struct ptrmap allocated; /* address -> struct kept of live allocations */
		struct kept *freed;      /* ring of the allocations freed last */
		unsigned nfreed;
		char program[4096]; /* path of the executable; "": not determined yet */
		pthread_once_t once;
		uintptr_t code_from, code_to; /* address range of this library's code */
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
		struct graph_memory *graph; /* memory that graphs have allocated */
		uint64_t graph_now, graph_most;
		struct ptrmap textures;    /* texture and surface objects */
		struct physical *physical; /* memory made by cuMemCreate() */
	} memory;

	struct {                      /* module/ */
		struct module *first; /* modules in the order of registration */
		pthread_mutex_t loading;
		struct ptrmap kernels, symbols;
		struct managed *managed; /* managed variables of `heddle cc` */
		struct managed_part *managed_parts;
		/* architecture of the machine code that registered programs request; 0: none */
		unsigned machine;
		pthread_once_t native_once;
		struct choice *native; /* choices of HEDDLE_NATIVE */
	} modules;

	struct { /* stream/ */
		/* first: list of all streams except the legacy one */
		struct CUstream_st legacy, *first;
		uint64_t last_id, last_capture;
	} streams;

	struct { /* stream/queue.c */
		struct queued *first, **tail;
		uint64_t last_seq, epoch;
		unsigned unreleased; /* number of entries that belong to no epoch yet */
		pthread_cond_t more, done;
		pthread_t worker, host_worker;
		bool started, host_started;
		const struct queued *running_graph;
		/* calls whose copies --check init has reported; a ring */
		const char *unwritten[64];
		unsigned nunwritten;
	} queue;

	struct touches touches; /* check/touch.c */
};
extern struct process process;

/* State of each thread. */
struct thread {
	cudaError_t last_error;
	/* nesting of calls for which stream 0 is the thread's own stream */
	int own_stream_depth;
	struct CUstream_st *stream; /* the thread's own default stream; NULL: none */
	bool is_worker;             /* the thread executes work (stream/queue.c) */
	uint64_t host_function;     /* --check race: number of the host function it runs; 0: none */
	enum cudaStreamCaptureMode capture_mode;
	struct {
		struct CUctx_st *ctx[64];
		int n;
	} contexts; /* the stack of current contexts */
	struct {
		struct launch_conf conf[16];
		int n;
	} calls; /* <<< >>> launches whose configuration has been pushed */
	struct {
		struct launch_conf conf;
		uint8_t args[4096];
		bool set;
	} configured; /* configuration by cudaConfigureCall(), of compilers before CUDA 9.2 */
};
extern _Thread_local struct thread thread;

/* ---- the device ---- */

/* Every call that needs the device begins with rt_open(): opens it at first use, and gives the
 * thread a context. Returns the sticky error, or the error of opening. */
cudaError_t rt_open(void);
cudaError_t device_open(void); /* opens the device; the thread gets no context */
struct heddle *device_lock(void);
void device_unlock(void);
const struct heddle_device *device_info(void);

/* ---- errors and messages ---- */

/* Records an error for cudaGetLastError() and returns it. */
cudaError_t rt_error(cudaError_t e);
cudaError_t rt_status(enum heddle_status st); /* converts the result of a heddle_ call */
/* Prints "NAME is not supported", once per name, and returns the error for it. */
cudaError_t rt_unsupported(const char *name);
/* Prints one line on stderr with a single write. */
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void rt_vsay(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
/* NULL: no such error */
const char *error_name(int e), *error_driver_name(int e), *error_text(int e);

/* Returns from the calling function if e is an error. */
#define RETURN_IF_ERROR(e)                                                                         \
	do {                                                                                       \
		cudaError_t error_ = (e);                                                          \
		if (error_)                                                                        \
			return rt_error(error_);                                                   \
	} while (0)

/* Returns the contents of a whole file, zero-terminated (malloc'ed); NULL: the file cannot be
 * read. */
char *rt_read_file(const char *path, size_t *n);

/* ---- output of kernels: kept until the program waits ---- */
void device_output(void *arg, const char *text, size_t n);
void output_flush(void);

#endif
