/* The list of asynchronous work (queue.c), the order of its entries (order.c), launches that run together
 * (batch.c), and what a wait is for under --check race (check/awaited.c). */
#ifndef CUDA_QUEUE_H
#define CUDA_QUEUE_H
#include "cuda/rt.h"
#include "cuda/process/site.h"

struct queued {
	struct work w;
	struct CUstream_st *stream;
	uint64_t seq;
	uint64_t epoch;   /* see queue.c */
	bool running;     /* a thread executes it */
	bool looked;      /* beside_find() has examined it */
	struct site site; /* --check race: the call that submitted a copy or fill */
	/* --check race: numbers of launches and graphs that nothing orders with it */
	uint64_t *apart;
	unsigned napart;
	struct heddle_other *others; /* a graph: copies beside it */
	unsigned nothers;
	bool ends_epoch; /* see queue.c */
	double waited;   /* a host function: the device waits for it since then; 0: it does not */
	struct queued *next;
};
/* Copies, fills, allocations: what a kernel may race with. */
static inline bool work_changes_memory(const struct work *w)
{
	return w->kind == WORK_COPY || w->kind == WORK_FILL || w->kind == WORK_ALLOC ||
	       w->kind == WORK_FREE;
}
bool queued_waits(const struct queued *e, const struct queued *older); /* e must wait for older */
bool queued_is_host(const struct queued *e);                           /* a host function */
static inline bool stream_blocks(const struct CUstream_st *s) { return !(s->flags & NONBLOCKING); }
/* The graph that runs now; NULL: none. */
const struct queued *queued_graph(void);
cudaError_t launch_error(enum heddle_status st); /* says why, if it failed */
/* Seconds that launch i of the statistics takes on the device: the simulated time, or without timing a nominal
 * one that depends on nothing but the work: a fixed cost and one warp instruction a cycle and SM quarter. */
double launch_time(unsigned i);

/* ---- awaited.c ---- */

/* What the program waits for: a stream or an event. */
struct awaited {
	const struct CUstream_st *stream;
	const struct CUevent_st *event;
};
/* With process.lock: puts the work that the wait is for first, and the rest behind it, each in its order. Returns how much there
 * is of the first; all of it for a wait for everything (NULL), and where the rest cannot be held back without changing
 * what a correct program sees. */
size_t awaited_first(struct queued **at, size_t n, const struct awaited *a);

/* ---- batch.c ---- */

struct batch;
struct batch *batch_new(void);
/* One more launch, behind those of a bit each. Its number; -1: there is no room. */
int batch_add(struct batch *b, struct queued *e, uint64_t after);
/* With process.lock: e, a launch, and those launches from `first` to `last` that wait only for each
 * other, with the events recorded and waited for between them. */
struct batch *batch_gather(struct queued *first, const struct queued *last, struct queued *e);
unsigned batch_size(const struct batch *b);
struct queued *batch_entry(const struct batch *b, unsigned i); /* in order of the list */
/* Runs them; the device's time goes on, recorded events have theirs. */
cudaError_t batch_run(struct batch *b);
void batch_free(struct batch *b);

#endif
