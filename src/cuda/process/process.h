/* The one process that uses the simulated device: all mutable state of this library, and the calls
 * with which every entry point begins and ends.
 *
 * `process` is the only mutable object of the library, `thread` the part that each thread has for
 * itself; tests/check-links looks for others. Each folder of the library has a member of `process`
 * and is the only code that changes the member; the folder's header describes the member's types.
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
	dim3 cluster; /* blocks per cluster; x 0: the size in the kernel's own attribute */
};

/* A context. A destroyed context is kept, because threads may still refer to it. */
struct CUctx_st {
	unsigned flags;
	bool dead;
	struct CUctx_st *next;
};

struct CUmemPoolHandle_st {
	uint64_t used, high,
		/* bytes in use; highest number of bytes in use; cudaMemPoolAttrReleaseThreshold, in
		 * bytes */
		threshold;
	/* values of the cudaMemPoolReuse* attributes, by number; stored, without effect */
	int reuse[4];
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
		/* the preference of cudaDeviceSetCacheConfig(); stored, without effect */
		enum cudaFuncCache cache;
		enum cudaSharedMemConfig banks; /* stored, without effect */
	} device;

	struct {                 /* device/report.c */
		pid_t opened_by; /* process that opened the device; 0: the report is done */
		bool quiet;
		bool by_command;   /* `heddle run` started the program */
		const char *stats; /* file for statistics; NULL or "": none */
		struct timespec launch_start;
		bool drew; /* a progress line is visible on the terminal */
		volatile sig_atomic_t ended_by;
		/* handlers of SIGINT and SIGTERM before the launch, to be restored */
		struct sigaction before[2];
		struct report_local { /* device/kernels.c: local memory of kernels by `heddle cc` */
			char kernel[256]; /* the first such kernel launched */
			/* local memory per thread, in bytes; 0: no such kernel has been launched */
			unsigned bytes;
			unsigned others;
		} local;
	} report;

	struct {          /* which checks are on */
		bool any; /* --check race or --check init is on */
		bool race;
	} check;

	struct { /* contexts: process/context.c */
		struct CUctx_st primary, *destroyed;
		unsigned primary_uses;
		bool initialised; /* set by cuInit() or by the runtime's first use of the device */
		bool bound;       /* the runtime uses the primary context */
		/* preferences of cuCtxSetCacheConfig() and the like; stored, without effect */
		int cache, banks;
	} contexts;

	struct { /* process/handles.c */
		pthread_mutex_t lock;
		struct {
			struct owned *first, **tail;
		} list[OWN_KINDS];
		struct ptrmap table;
	} handles;

	struct { /* process/failure.c */
		/* numbers of errors, of failed launches and of launches skipped after a failure;
		 * atomic */
		unsigned errors, launches, skipped;
		char first[4096]; /* the first fault's message */
		/* at least one further fault followed the first */
		bool several;
		bool unnoticed; /* the first fault would not have been noticed by a GPU */
		bool fails;     /* any error makes the program's exit status 1 */
		int status;     /* the program's exit status; -1: it has not called exit() */
		pthread_mutex_t lock;
		struct failed *call; /* failed calls whose error the program did not query */
		unsigned ncalls;
		/* names of unsupported functions that have been reported; each is reported once */
		struct said *said;
	} failures;

	struct { /* process/site.c */
		pthread_mutex_t lock;
		struct ptrmap texts; /* struct site -> its text */
		/* address -> struct kept, for allocations that exist */
		struct ptrmap allocated;
		/* ring of struct kept, for the allocations freed most recently */
		struct kept *freed;
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
		/* pool: the pool that the program made current */
		struct CUmemPoolHandle_st default_pool, *pool;
		pthread_mutex_t graph_lock;
		/* memory that graphs have allocated, with the number of graphs that name each
		 * allocation */
		struct graph_memory *graph;
		uint64_t graph_now, graph_most;
		struct ptrmap textures;    /* handle -> texture or surface object */
		struct physical *physical; /* memory made by cuMemCreate(); NULL: none */
	} memory;

	struct {                      /* module/ */
		struct module *first; /* modules in the order of registration */
		pthread_mutex_t loading;
		struct ptrmap kernels, symbols;
		struct managed *managed; /* managed variables that `heddle cc` registers */
		struct managed_part *managed_parts;
		/* architecture of the machine code that registered programs request; 0: none */
		unsigned machine;
		pthread_once_t native_once;
		struct choice *native; /* choices of kernel and native file in HEDDLE_NATIVE */
	} modules;

	struct { /* stream/ */
		/* first: list of all streams except the legacy one */
		struct CUstream_st legacy, *first;
		uint64_t last_id, last_capture;
	} streams;

	struct { /* stream/queue.c */
		struct queued *first, **tail;
		uint64_t last_seq, epoch;
		unsigned unreleased; /* number of queued entries that belong to no epoch yet */
		pthread_cond_t more, done;
		pthread_t worker, host_worker;
		bool started, host_started;
		const struct queued *running_graph;
		/* ring of calls whose copies of unwritten memory --check init has reported */
		const char *unwritten[64];
		unsigned nunwritten;
	} queue;

	struct touches touches; /* accesses of the host to watched memory (check/touch.h) */
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
