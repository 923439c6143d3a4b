/* Graphs of work: built by hand or by capturing streams, run as a whole. */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H
#include "cuda/rt.h"

struct CUgraphNode_st {
	struct CUgraph_st *graph;
	struct work w;
	enum cudaGraphNodeType type;
	struct CUgraphNode_st **dep;     /* what it waits for */
	size_t ndep;
	const struct CUgraphNode_st *origin; /* of a clone: the node it was cloned from */
	bool disabled;
	/* As given, for queries; kernelParams point into kernel.l.params. */
	struct cudaMemcpy3DParms copy;
	struct cudaMemsetParams fill;
	struct cudaMemAllocNodeParams alloc;
	void **args;
	bool mark;
};

struct CUgraph_st {
	struct CUgraphNode_st **node;
	size_t n;
	unsigned refs;
};

struct CUgraphExec_st {
	struct CUgraph_st *g;            /* a clone in an order that fits the dependencies */
	unsigned long long flags;
};

struct CUgraph_st *graph_new(void);
struct CUgraph_st *graph_retain(struct CUgraph_st *g);
void graph_release(struct CUgraph_st *g);
struct CUgraph_st *graph_clone(const struct CUgraph_st *g);
cudaError_t graph_run(struct CUgraph_st *g);   /* by the executing thread */
/* A node that owns what *w owned. NULL: a dependency is not of the graph (or named twice). */
struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const cudaGraphNode_t *dep, size_t n,
                                 struct work *w, enum cudaGraphNodeType type);
void node_free(struct CUgraphNode_st *n);
/* Orders the nodes; false: the dependencies form a circle. */
bool graph_sort(struct CUgraph_st *g);
/* With rt.lock: work of a stream that is being captured. */
cudaError_t capture_add(struct CUstream_st *s, struct work *w);

/* cudaEventRecord() in a capturing stream, cudaStreamWaitEvent() on an event recorded in one. */
cudaError_t capture_mark(struct CUstream_st *s, struct CUevent_st *e);
cudaError_t capture_join(struct CUstream_st *s, struct CUevent_st *e);

#endif
