/* The list of asynchronous work (queue.c), the order of its entries (order.c), launches that run
 * together (batch.c), and the work that a wait concerns under --check race (check/awaited.c). */
#ifndef CUDA_QUEUE_H
#define CUDA_QUEUE_H
#include "cuda/rt.h"
#include "cuda/process/site.h"

struct queued {
	struct work w;
	struct CUstream_st *stream;
	uint64_t seq;
	uint64_t epoch;   /* number of the entry's epoch; 0: not assigned yet */
	bool running;     /* a thread is executing the entry */
	bool looked;      /* beside_find() has examined it */
	struct site site; /* --check race: the call that submitted a copy or fill */
	/* --check race: numbers of the launches and graphs that may run concurrently with this
	 * entry */
	uint64_t *apart;
	unsigned napart;
	struct heddle_other *others; /* a graph: copies concurrent with it; NULL: none */
	unsigned nothers;
	bool ends_epoch; /* the last entry of its epoch */
	/* a host function: time since which the device waits for it, in seconds; 0: the device
	 * does not wait */
	double waited;
	struct queued *next;
};
/* True for copies, fills and allocations, with which a kernel may race. */
static inline bool work_changes_memory(const struct work *w)
{
	return w->kind == WORK_COPY || w->kind == WORK_FILL || w->kind == WORK_ALLOC ||
	       w->kind == WORK_FREE;
}
/* true: e must wait for older */
bool queued_waits(const struct queued *e, const struct queued *older);
bool queued_is_host(const struct queued *e); /* true: a host function */
static inline bool stream_blocks(const struct CUstream_st *s) { return !(s->flags & NONBLOCKING); }
/* Returns the graph that is running; NULL: none. */
const struct queued *queued_graph(void);
cudaError_t launch_error(enum heddle_status st); /* prints the reason of a failure */
/* Returns the seconds that launch i of the statistics takes on the device. With timing, the
 * simulated time; without, a nominal time that depends on the work alone: a fixed cost, and one
 * warp instruction per cycle per SM quarter. */
double launch_time(unsigned i);

/* ---- awaited.c ---- */

/* The target of a program's wait: a stream or an event. */
struct awaited {
	const struct CUstream_st *stream;
	const struct CUevent_st *event;
};
/* Moves the entries that the wait concerns to the front and all other entries after them; order
 * within each group is kept. Returns the number of entries in the front group. All n entries are in
 * the front group for a wait for everything (NULL), and where deferring the others would change
 * what a correct program sees. Call with process.lock. */
size_t awaited_first(struct queued **at, size_t n, const struct awaited *a);

/* ---- batch.c ---- */

struct batch;
struct batch *batch_new(void);
/* Adds a launch; after: the launches that it waits for, one bit each. Returns the launch's number;
 * -1: the batch is full. */
int batch_add(struct batch *b, struct queued *e, uint64_t after);
/* Gathers launch e and those launches from `first` to `last` that wait only for each other, with
 * the events recorded and waited for between them. Call with process.lock. */
struct batch *batch_gather(struct queued *first, const struct queued *last, struct queued *e);
unsigned batch_size(const struct batch *b);
/* Returns entry i of the batch, in the list's order. */
struct queued *batch_entry(const struct batch *b, unsigned i);
/* Runs the batch, advances the device's time, and sets the times of recorded events. */
cudaError_t batch_run(struct batch *b);
void batch_free(struct batch *b);

#endif
