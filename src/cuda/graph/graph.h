/* Graphs of work: built by hand or by capturing streams, run as a whole. */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H
#include "cuda/rt.h"
#include "cuda/process/site.h"

struct CUgraphNode_st {
	struct CUgraph_st *graph;
	struct work w;
	enum cudaGraphNodeType type;
	struct CUgraphNode_st **dep; /* what it waits for */
	size_t ndep;
	const struct CUgraphNode_st *origin; /* of a clone: the node it was cloned from */
	bool disabled;
	struct site site; /* --check race: the call that made a copy or fill */
	/* As given, for queries; kernelParams point into kernel.l.params. */
	struct cudaMemcpy3DParms copy;
	struct cudaMemsetParams fill;
	struct cudaMemAllocNodeParams alloc;
	void **args;
	bool mark;
};

struct condition {
	uint64_t handle;
	unsigned start, flags;
};
struct held {
	struct CUuserObject_st *object;
	unsigned count;
};

struct CUgraph_st {
	struct CUgraphNode_st **node;
	size_t n;
	unsigned refs;
	struct condition *condition; /* made for it */
	size_t conditions;
	struct held *held; /* objects of the program that live as long as it */
	size_t nheld;
};

struct CUgraphExec_st {
	struct CUgraph_st *g; /* a clone in an order that fits the dependencies */
	unsigned long long flags;
};

/* A graph of another graph, or of one that runs; graph_give() makes it the program's. */
struct CUgraph_st *graph_new(void);
struct CUgraph_st *graph_give(struct CUgraph_st *g);
struct CUgraph_st *graph_retain(struct CUgraph_st *g);
void graph_release(struct CUgraph_st *g);
struct CUgraph_st *graph_clone(const struct CUgraph_st *g);
cudaError_t graph_run(struct CUgraph_st *g); /* by the executing thread */
/* together.c: the same with --check race; `alone` runs a node that is no launch. */
cudaError_t graph_run_together(struct CUgraph_st *g, cudaError_t (*alone)(struct CUgraphNode_st *));
struct work graph_work(struct CUgraph_st *g);  /* a piece of work that runs the graph and owns it */
cudaError_t graph_start(struct CUgraph_st *g); /* with conditions at their first values */
/* A launched graph's event waits are submitted before it and its records after it: to other streams
 * they belong to the whole graph. A record's time is that of its node. */
cudaError_t graph_events(const struct CUgraph_st *g, enum work_kind kind, struct CUstream_st *s);
/* A node that owns what *w owned. NULL: a dependency is not of the graph (or named twice). */
struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const cudaGraphNode_t *dep, size_t n,
				 struct work *w, enum cudaGraphNodeType type);
void node_free(struct CUgraphNode_st *n);
void exec_free(struct CUgraphExec_st *x);
bool graph_known(const struct CUgraph_st *g);
bool node_known(const struct CUgraphNode_st *n);
bool exec_known(const struct CUgraphExec_st *x);
/* Orders the nodes; false: the dependencies form a circle. */
bool graph_sort(struct CUgraph_st *g);
/* The node of an executable graph that a graph's node became; the graph is not one that runs. NULL:
 * none. */
struct CUgraphNode_st *exec_node(cudaGraphExec_t e, cudaGraphNode_t n);
/* Compares two graphs' nodes; the result tells whether, where and how they differ. */
enum cudaGraphExecUpdateResult graph_differs(const struct CUgraph_st *a, const struct CUgraph_st *b,
					     struct CUgraphNode_st **bad);

/* ---- memory of graphs: counted, it goes with the last graph that names it ---- */
void graph_mem_release(uint64_t addr);

/* ---- cond.c: conditional nodes, and the program's objects that graphs hold ---- */
cudaError_t conditional_work(struct CUgraph_st *g, struct cudaConditionalNodeParams *p,
			     struct work *w);
void graph_extras_clone(struct CUgraph_st *to, const struct CUgraph_st *from);
void graph_extras_free(struct CUgraph_st *g);
cudaError_t conditions_start(const struct CUgraph_st *g);

/* With process.lock: work of a stream that is being captured. */
cudaError_t capture_add(struct CUstream_st *s, struct work *w);

/* cudaEventRecord() in a capturing stream, cudaStreamWaitEvent() on an event recorded in one. */
cudaError_t capture_mark(struct CUstream_st *s, struct CUevent_st *e);
cudaError_t capture_join(struct CUstream_st *s, struct CUevent_st *e);

#endif
