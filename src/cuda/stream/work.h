/* Work that streams and graphs hold (kernels, copies, fills, host functions and so on), and the
 * streams and events that order it. work.c executes one piece, queue.c decides when. */
#ifndef CUDA_WORK_H
#define CUDA_WORK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>
#include "heddle.h"

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
	struct cudaArray *array; /* array that the program named, for graph queries; NULL: none */
};
struct copy {
	struct rows dst, src;
	uint64_t width, height, depth; /* bytes, rows, slices */
	/* pageable source, copied during the call; NULL: not staged */
	void *staged;
};
struct fill {
	uint64_t addr, pitch, slice;
	uint64_t width, height, depth; /* elements, rows, slices */
	uint32_t value;
	unsigned size; /* bytes per element */
};

struct work {
	enum work_kind kind;
	union {
		struct {
			struct kernel *k;
			struct heddle_launch l; /* params: a copy that the work owns */
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
			/* seq: for WAIT, number of the record waited for; for RECORD, not 0 if a graph sets
		 * the event's time */
		} event;
		struct {
			uint64_t addr, size;
		} mem;
		struct {
			uint64_t addr, value;
			unsigned size, op;
		} value;
		struct CUgraph_st *graph; /* WORK_GRAPH */
		struct {
			uint64_t handle; /* device address of the condition's word */
			unsigned type, n;
			struct CUgraph_st **body;
		} cond; /* WORK_CONDITIONAL: graph/cond.c */
	};
	/* operations of WORK_GRAPH and WORK_CONDITIONAL, defined in graph/; NULL for all other
	 * kinds */
	const struct work_ops *ops;
};
struct work_ops {
	cudaError_t (*run)(struct work *w);
	/* called for a copied struct work, whose pointers are still the original's: gives the copy
	 * duplicates of the parts */
	void (*clone)(struct work *w);
	void (*free)(struct work *w);
};
void work_free(struct work *w); /* releases everything that *w owns and leaves WORK_EMPTY */
struct work work_clone(const struct work *w);

struct CUstream_st {
	unsigned flags;
	int priority;
	uint64_t id;
	unsigned pending;           /* number of unfinished entries */
	struct CUgraph_st *capture; /* graph that captures the stream; NULL: none */
	/* adds captured work to the graph */
	cudaError_t (*capture_add)(struct CUstream_st *s, struct work *w);
	struct CUgraphNode_st **last; /* capture: nodes that the next node depends on */
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
	bool recorded; /* true: has been recorded at least once */
	uint64_t seq;  /* number of the last record; the record is done when `pending` is 0 */
	bool pending;
	double time; /* device time of the last record, in seconds */
	/* graph into which the last record was captured; NULL: the record was not captured */
	struct CUgraph_st *capture;
	struct CUgraphNode_st **last;
	size_t nlast;
	unsigned users; /* number of unfinished work items that name the event */
	bool destroyed;
};

/* Appends work to a stream, or to the graph that captures the stream. Takes ownership of everything
 * that *w owns. */
cudaError_t work_submit(struct CUstream_st *s, struct work *w);
/* Wait for a stream, for an event, for everything; print device output; return a sticky error if
 * there is one. */
cudaError_t stream_wait(struct CUstream_st *s);
cudaError_t event_wait(struct CUevent_st *e);
cudaError_t device_wait(void);
bool stream_idle(struct CUstream_st *s);
bool work_frees(uint64_t addr); /* true: waiting work will free the allocation */
/* called when the program queries the event: makes sure that the event can occur */
void work_release(const struct CUevent_st *e);
/* executes *w immediately; for the executing thread */
cudaError_t work_run(struct work *w);
/* WORK_WAIT_VALUE: true if the value has been written */
bool work_value_ready(const struct work *w);

/* Converts NULL, cudaStreamLegacy and cudaStreamPerThread to streams; NULL if the handle is no
 * stream. */
struct CUstream_st *stream_of(cudaStream_t s);
struct CUstream_st *stream_new(unsigned flags, int priority);
void stream_free(struct CUstream_st *s);
void event_free(struct CUevent_st *e);
/* Iterates over all streams except the legacy one (NULL: the first). Call with process.lock. */
struct CUstream_st *stream_next(const struct CUstream_st *s);
bool stream_captures(const struct CUgraph_st *g); /* true: a stream is being captured into g */
#define NONBLOCKING cudaStreamNonBlocking
enum { PRIORITY_LEAST = 0, PRIORITY_GREATEST = -5 };

#endif
