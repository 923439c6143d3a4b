/* Work that streams and graphs hold: kernels, copies, fills, host functions and so on, and the
 * streams and events that order it. work.c runs one piece, queue.c decides when. */
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
	struct cudaArray *array; /* the array that the program named, for graph queries; or NULL */
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
	unsigned size; /* bytes of an element */
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
		} event; /* seq: WAIT: the record's number; RECORD: not 0 if a graph sets the time */
		struct {
			uint64_t addr, size;
		} mem;
		struct {
			uint64_t addr, value;
			unsigned size, op;
		} value;
		struct CUgraph_st *graph; /* WORK_GRAPH */
		struct {
			uint64_t handle; /* address of the word that decides */
			unsigned type, n;
			struct CUgraph_st **body;
		} cond; /* WORK_CONDITIONAL: graph/cond.c */
	};
	const struct work_ops *ops; /* WORK_GRAPH, WORK_CONDITIONAL: what graph/ does; else NULL */
};
struct work_ops {
	cudaError_t (*run)(struct work *w);
	void (*clone)(struct work *w); /* *w names the original's parts and gets its own */
	void (*free)(struct work *w);
};
void work_free(struct work *w); /* releases what *w owns and leaves WORK_EMPTY */
struct work work_clone(const struct work *w);

struct CUstream_st {
	unsigned flags;
	int priority;
	uint64_t id;
	unsigned pending;           /* unfinished entries */
	struct CUgraph_st *capture; /* being captured into, or NULL */
	cudaError_t (*capture_add)(struct CUstream_st *s, struct work *w); /* takes captured work */
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
	bool recorded; /* ever */
	uint64_t seq;  /* number of the last record; it is done when not pending */
	bool pending;
	double time;                /* device time of the last record, in seconds */
	struct CUgraph_st *capture; /* the capture of the last record, or NULL */
	struct CUgraphNode_st **last;
	size_t nlast;
	unsigned users; /* unfinished work that names the event */
	bool destroyed;
};

/* Appends work to a stream, or to the graph that captures the stream. Takes over what *w owns. */
cudaError_t work_submit(struct CUstream_st *s, struct work *w);
/* Wait for a stream, an event, everything; show device output; return a sticky error if there is one. */
cudaError_t stream_wait(struct CUstream_st *s);
cudaError_t event_wait(struct CUevent_st *e);
cudaError_t device_wait(void);
bool stream_idle(struct CUstream_st *s);
bool work_frees(uint64_t addr);                /* waiting work will free the allocation */
void work_release(const struct CUevent_st *e); /* the program asks for the event: lets it happen */
cudaError_t work_run(struct work *w);          /* at once, by the executing thread */
bool work_value_ready(const struct work *w);   /* WORK_WAIT_VALUE: the value is there */

/* NULL, cudaStreamLegacy, cudaStreamPerThread become streams; NULL if the handle is no stream. */
struct CUstream_st *stream_of(cudaStream_t s);
struct CUstream_st *stream_new(unsigned flags, int priority);
void stream_free(struct CUstream_st *s);
void event_free(struct CUevent_st *e);
/* With process.lock: iterates over all streams but the legacy one (NULL: the first). */
struct CUstream_st *stream_next(const struct CUstream_st *s);
bool stream_captures(const struct CUgraph_st *g); /* some stream is captured into g */
#define NONBLOCKING cudaStreamNonBlocking
enum { PRIORITY_LEAST = 0, PRIORITY_GREATEST = -5 };

#endif
