/* Graphs of work: built by hand or by capturing streams, run as a whole. graph.c runs and captures,
 * node.c and params.c build nodes, cond.c has conditional nodes. */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H
#include "cuda/rt.h"
#include "cuda/process/site.h"

struct CUgraphNode_st {
	struct CUgraph_st *graph;
	struct work w;
	enum cudaGraphNodeType type;
	struct CUgraphNode_st **dep; /* nodes that this node waits for */
	size_t ndep;
	/* the node that this node was cloned from; NULL: no clone */
	const struct CUgraphNode_st *origin;
	bool disabled;
	struct site site; /* --check race: the call that made the copy or fill; else empty */
	/* Copy parameters as the program gave them, for queries; kernelParams point into
	 * kernel.l.params. */
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
	struct condition *condition; /* conditions that were made for this graph; NULL: none */
	size_t conditions;
	struct held *held; /* objects of the program that live as long as this graph; NULL: none */
	size_t nheld;
};

struct CUgraphExec_st {
	/* a copy of the program's graph, with the nodes sorted by their dependencies */
	struct CUgraph_st *g;
	unsigned long long flags;
};

/* Makes a graph inside another graph or an executable graph; graph_give() hands it to the
 * program. */
struct CUgraph_st *graph_new(void);
struct CUgraph_st *graph_give(struct CUgraph_st *g);
struct CUgraph_st *graph_retain(struct CUgraph_st *g);
void graph_release(struct CUgraph_st *g);
struct CUgraph_st *graph_clone(const struct CUgraph_st *g);
cudaError_t graph_run(struct CUgraph_st *g); /* runs in the executing thread */
/* Runs a graph with --check race (together.c); `alone` runs a node that is not a launch. */
cudaError_t graph_run_together(struct CUgraph_st *g, cudaError_t (*alone)(struct CUgraphNode_st *));
struct work graph_work(struct CUgraph_st *g);  /* a piece of work that runs the graph and owns it */
cudaError_t graph_start(struct CUgraph_st *g); /* sets conditions to their initial values */
/* Submits the event waits of a launched graph before the graph, and its event records after it: to
 * other streams, the graph waits and records as a whole. A record's time is that of its node. */
cudaError_t graph_events(const struct CUgraph_st *g, enum work_kind kind, struct CUstream_st *s);
/* Adds a node that takes over what *w owned. NULL: a dependency is not of the graph, or is named
 * twice. */
struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const cudaGraphNode_t *dep, size_t n,
				 struct work *w, enum cudaGraphNodeType type);
void node_free(struct CUgraphNode_st *n);
void exec_free(struct CUgraphExec_st *x);
bool graph_known(const struct CUgraph_st *g);
bool node_known(const struct CUgraphNode_st *n);
bool exec_known(const struct CUgraphExec_st *x);
/* Orders the nodes by their dependencies; false: the dependencies have a cycle. */
bool graph_sort(struct CUgraph_st *g);
/* Returns the node of an executable graph that corresponds to node n of the graph it was made from;
 * NULL: none. */
struct CUgraphNode_st *exec_node(cudaGraphExec_t e, cudaGraphNode_t n);
/* Compares the nodes of two graphs; the result says whether, where and how they differ. */
enum cudaGraphExecUpdateResult graph_differs(const struct CUgraph_st *a, const struct CUgraph_st *b,
					     struct CUgraphNode_st **bad);

/* ---- memory of graphs: counted, and freed with the last graph that names it ---- */
void graph_mem_release(uint64_t addr);

/* ---- cond.c: conditional nodes, and the program's objects that graphs hold ---- */
cudaError_t conditional_work(struct CUgraph_st *g, struct cudaConditionalNodeParams *p,
			     struct work *w);
void graph_extras_clone(struct CUgraph_st *to, const struct CUgraph_st *from);
void graph_extras_free(struct CUgraph_st *g);
cudaError_t conditions_start(const struct CUgraph_st *g);

/* Adds work to the graph that captures stream s. Call with process.lock. */
cudaError_t capture_add(struct CUstream_st *s, struct work *w);

/* cudaEventRecord() in a capturing stream, and cudaStreamWaitEvent() on an event recorded in a
 * capturing stream. */
cudaError_t capture_mark(struct CUstream_st *s, struct CUevent_st *e);
cudaError_t capture_join(struct CUstream_st *s, struct CUevent_st *e);

#endif
