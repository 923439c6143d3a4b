/* Prints a graph as text for Graphviz: one cluster per graph, with its nodes, their work and the
 * edges. */
#include "cuda/graph/graph.h"

#include <stdio.h>

static const char *kind_name(enum cudaGraphNodeType type)
{
	static const char *const name[] = {
		"KERNEL",    "MEMCPY",     "MEMSET",       "HOST",       "GRAPH",
		"EMPTY",     "WAIT_EVENT", "EVENT_RECORD", "SEM_SIGNAL", "SEM_WAIT",
		"MEM_ALLOC", "MEM_FREE",   "BATCH_MEM_OP", "CONDITIONAL"};
	return (unsigned)type < sizeof name / sizeof *name ? name[type] : "NODE";
}

static void put_detail(FILE *f, const struct CUgraphNode_st *n)
{
	const struct work *w = &n->w;
	switch (w->kind) {
	case WORK_KERNEL:
		fprintf(f, "\\n%s\\n(%u, %u, %u) x (%u, %u, %u), %u bytes", w->kernel.k->name,
			w->kernel.l.grid[0], w->kernel.l.grid[1], w->kernel.l.grid[2],
			w->kernel.l.block[0], w->kernel.l.block[1], w->kernel.l.block[2],
			w->kernel.l.shared_bytes);
		break;
	case WORK_COPY:
		fprintf(f, "\\n%llu x %llu x %llu bytes", (unsigned long long)w->copy.width,
			(unsigned long long)w->copy.height, (unsigned long long)w->copy.depth);
		break;
	case WORK_FILL:
		fprintf(f, "\\n%u in %llu x %llu of %u bytes", w->fill.value,
			(unsigned long long)w->fill.width, (unsigned long long)w->fill.height,
			w->fill.size);
		break;
	case WORK_ALLOC: fprintf(f, "\\n%llu bytes", (unsigned long long)w->mem.size); break;
	case WORK_CONDITIONAL:
		fprintf(f, "\\n%s",
			w->cond.type == cudaGraphCondTypeIf      ? "if"
			: w->cond.type == cudaGraphCondTypeWhile ? "while"
								 : "switch");
		break;
	default: break;
	}
}

/* Prints a graph and the graphs inside it. Graphs, and the nodes of a graph, are numbered in the
 * order of printing. */
static void print_graph(FILE *f, const struct CUgraph_st *g, unsigned *graphs, bool verbose)
{
	unsigned id = (*graphs)++;
	fprintf(f, "subgraph cluster_%u {\nlabel=\"graph_%u\"\n", id, id);
	for (size_t i = 0; i < g->n; i++) {
		const struct CUgraphNode_st *n = g->node[i];
		fprintf(f, "\"graph_%u_node_%zu\" [label=\"%zu\\n%s", id, i, i, kind_name(n->type));
		if (verbose || n->w.kind == WORK_KERNEL)
			put_detail(f, n);
		fprintf(f, "\"];\n");
	}
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->node[i]->ndep; k++) {
			size_t from = 0;
			while (g->node[from] != g->node[i]->dep[k])
				from++;
			fprintf(f, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\";\n", id, from,
				id, i);
		}
	for (size_t i = 0; i < g->n; i++) {
		const struct work *w = &g->node[i]->w;
		if (w->kind == WORK_GRAPH)
			print_graph(f, w->graph, graphs, verbose);
		for (unsigned k = 0; w->kind == WORK_CONDITIONAL && k < w->cond.n; k++)
			print_graph(f, w->cond.body[k], graphs, verbose);
	}
	fprintf(f, "}\n");
}

RT(cudaGraphDebugDotPrint, (cudaGraph_t g, const char *path, unsigned flags))
{
	FILE *f = graph_known(g) && path ? fopen(path, "w") : NULL;
	unsigned graphs = 1;
	if (!f)
		return rt_error(cudaErrorInvalidValue);
	fprintf(f, "digraph dot {\n");
	print_graph(f, g, &graphs, flags != 0);
	fprintf(f, "}\n");
	return fclose(f) ? rt_error(cudaErrorOperatingSystem) : cudaSuccess;
}
