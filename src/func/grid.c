/* Blocks are handed out in order. A block runs on one host thread; while it only computes, blocks run
 * in parallel. Before its first operation that communicates between blocks it waits for its turn: until
 * every block before it is done (or waits for others itself). Blocks that wait for others are set aside
 * and go on, in order, in the next round. So the order of everything that blocks can see of each other
 * is that of one thread, whatever the number of threads.                                            */
#include "func/grid.h"

#include <pthread.h>
#include <sched.h>
#include "func/cta.h"
#include "func/run.h"

enum { FUEL = 1 << 18, MAX_THREADS = 256, SLOT_ROWS = 64 };
#define IDLE UINT64_MAX

struct worker {
	struct exec x;
	struct grid *g;
	struct cta *spare; /* a context to use for the next new block */
	uint64_t position; /* in this round, IDLE: none; under g->lock */
	uint64_t done_instructions;
	pthread_t thread;
	unsigned id;
};

struct grid {
	struct launch *l;
	const struct grid_opts *o;
	struct worker *worker;
	unsigned nworkers;
	pthread_mutex_t lock;
	int64_t fuel;         /* warp instructions between two looks at the limits */
	uint64_t next, count; /* positions of this round */
	bool *waited;         /* per pc: a block was set aside there */
	struct awaited awaited;
	struct cta **resume;       /* NULL: round of new blocks */
	VEC(struct cta *) waiting; /* set aside in this round */
	uint64_t stop_at;          /* no position above this is started: a fault was there */
	struct fault fault;
	atomic_bool limit, no_memory;
	_Atomic uint64_t executed, blocks_done;
};

static uint64_t functional_clock(const struct warp *w)
{
	const struct wstate *ws = (const struct wstate *)w;
	return ws->ninst + (w->pc - ws->seg) + 1;
}

/* ---- turns ---- */

static bool has_turn(struct grid *g, uint64_t position)
{
	bool first = true;
	pthread_mutex_lock(&g->lock);
	for (unsigned i = 0; i < g->nworkers; i++)
		first &= g->worker[i].position >= position;
	pthread_mutex_unlock(&g->lock);
	return first;
}

static void take_turn(struct cta *b)
{
	struct grid *g = b->x->grid;
	while (!has_turn(g, b->position))
		sched_yield();
	b->turn = true;
	pace_goes_on(b);
}

/* ---- limits and progress ---- */

static enum stop refuel(struct exec *x)
{
	struct grid *g = x->grid;
	struct worker *wk = (struct worker *)x;
	uint64_t used = (uint64_t)(g->fuel - x->fuel);
	uint64_t total = atomic_fetch_add(&g->executed, used) + used;
	x->fuel = g->fuel;
	if (wk->id == 0 && g->o->progress)
		g->o->progress(g->o->arg, atomic_load(&g->blocks_done), g->l->nblocks, total);
	if (g->o->interrupt && atomic_load(g->o->interrupt))
		return STOP_LIMIT;
	if (g->o->max_instructions && total > g->o->max_instructions) {
		g->limit = true;
		return STOP_LIMIT;
	}
	pthread_mutex_lock(&g->lock);
	bool late = wk->position > g->stop_at;
	pthread_mutex_unlock(&g->lock);
	return late ? STOP_LIMIT : STOP_NONE;
}

/* ---- workers ---- */

static bool next_position(struct worker *wk)
{
	struct grid *g = wk->g;
	pthread_mutex_lock(&g->lock);
	bool more = g->next < g->count && g->next <= g->stop_at;
	wk->position = more ? g->next++ : IDLE;
	pthread_mutex_unlock(&g->lock);
	return more;
}

static struct cta *take_cta(struct worker *wk)
{
	struct grid *g = wk->g;
	struct cta *b;
	if (g->resume) {
		b = g->resume[wk->position];
		g->resume[wk->position] = NULL;
	} else {
		b = wk->spare ? wk->spare : cta_new(g->l);
		wk->spare = NULL;
		if (b)
			cta_start(b, wk->position, 0, b->l->nwarps);
	}
	if (b) {
		b->x = &wk->x;
		b->position = wk->position;
		b->part++;
		b->turn = false;
	}
	return b;
}

static void end_at(struct grid *g, uint64_t position, const struct fault *f)
{
	pthread_mutex_lock(&g->lock);
	if (position < g->stop_at) {
		g->stop_at = position;
		if (f)
			g->fault = *f;
	}
	pthread_mutex_unlock(&g->lock);
}

static void keep_spare(struct worker *wk, struct cta *b)
{
	if (wk->spare)
		cta_free(b);
	else
		wk->spare = b;
}

static void *work(void *arg)
{
	struct worker *wk = arg;
	struct grid *g = wk->g;
	while (next_position(wk)) {
		struct cta *b = take_cta(wk);
		if (!b) {
			g->no_memory = true;
			end_at(g, wk->position, NULL);
			continue;
		}
		enum stop st = cta_run(b);
		if (b->awaits && !b->turn) /* it did not look again, and will not */
			take_turn(b);
		if (st == STOP_YIELD) {
			pthread_mutex_lock(&g->lock);
			vec_push(&g->waiting, b);
			pthread_mutex_unlock(&g->lock);
			continue;
		}
		if (st == STOP_FAULT)
			end_at(g, wk->position, &wk->x.fault);
		else if (st == STOP_LIMIT)
			end_at(g, wk->position, NULL);
		atomic_fetch_add(&g->blocks_done, 1);
		keep_spare(wk, b);
	}
	return NULL;
}

static void run_round(struct grid *g)
{
	unsigned n = g->nworkers;
	if (g->count < 2)
		n = 1;
	for (unsigned i = 0; i < g->nworkers; i++)
		g->worker[i].position = IDLE;
	unsigned started = 1;
	while (started < n &&
	       !pthread_create(&g->worker[started].thread, NULL, work, &g->worker[started]))
		started++;
	work(&g->worker[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(g->worker[i].thread, NULL);
}

static int by_index(const void *a, const void *b)
{
	const struct cta *x = *(struct cta *const *)a, *y = *(struct cta *const *)b;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* ---- set-up and result ---- */

static void worker_init(struct worker *wk, struct grid *g, unsigned id)
{
	size_t n = (size_t)g->l->img->ncode + 2;
	*wk = (struct worker){.g = g, .id = id, .position = IDLE};
	struct exec *x = &wk->x;
	x->l = g->l;
	x->grid = g;
	x->slot = xcalloc(g->l->img->nslots, sizeof *x->slot);
	x->waited = g->waited;
	x->awaited = &g->awaited;
	x->scratch = aligned_alloc(ROW, SLOT_ROWS * ROW);
	x->issued = xcalloc(n, sizeof *x->issued);
	x->lanes = xcalloc(n, sizeof *x->lanes);
	x->off = xcalloc(n, sizeof *x->off);
	x->divergent = xcalloc(n, sizeof *x->divergent);
	x->fuel = x->quantum = g->fuel;
	x->refuel = refuel;
	x->take_turn = take_turn;
}

static void worker_fini(struct worker *wk)
{
	cta_free(wk->spare);
	free(wk->x.slot);
	free(wk->x.scratch);
	free(wk->x.issued);
	free(wk->x.lanes);
	free(wk->x.off);
	free(wk->x.divergent);
}

static void add_up(struct grid *g, struct grid_result *r)
{
	uint32_t n = g->l->img->ncode;
	r->issued = xcalloc(n + 1, sizeof *r->issued);
	r->lanes = xcalloc(n + 1, sizeof *r->lanes);
	r->divergent = xcalloc(n + 1, sizeof *r->divergent);
	for (unsigned k = 0; k < g->nworkers; k++) {
		struct exec *x = &g->worker[k].x;
		int64_t issued = 0, lanes = 0;
		for (uint32_t pc = 0; pc < n; pc++) {
			issued += x->issued[pc];
			lanes += x->lanes[pc];
			r->issued[pc] += (uint64_t)issued;
			r->lanes[pc] += (uint64_t)lanes - x->off[pc];
			r->divergent[pc] += x->divergent[pc];
		}
	}
	for (uint32_t pc = 0; pc < n; pc++) {
		r->warp_instructions += r->issued[pc];
		r->thread_instructions += r->lanes[pc];
	}
}

void grid_run(struct launch *l, const struct grid_opts *o, struct grid_result *r)
{
	unsigned threads = o->threads ? o->threads : 1;
	threads = threads > MAX_THREADS ? MAX_THREADS : threads;
	threads = threads > l->nblocks ? (unsigned)l->nblocks : threads;
	/* clang-format off */
	struct grid g = {.l = l, .o = o, .nworkers = threads, .count = l->nblocks, .stop_at = IDLE - 1, .fuel = FUEL};
	/* clang-format on */
	if (o->max_instructions && o->max_instructions < FUEL)
		g.fuel = (int64_t)o->max_instructions;
	l->clock = functional_clock;
	l->clock_ns = 1;
	l->alone = threads == 1;
	*r = (struct grid_result){.stop = STOP_DONE};
	pthread_mutex_init(&g.lock, NULL);
	g.waited = xcalloc(l->img->ncode + 1, sizeof *g.waited);
	g.worker = xcalloc(threads, sizeof *g.worker);
	for (unsigned i = 0; i < threads; i++)
		worker_init(&g.worker[i], &g, i);
	run_round(&g);
	struct cta **resume = NULL;
	while (g.waiting.n && g.stop_at == IDLE - 1) {
		free(resume);
		g.resume = resume = g.waiting.v;
		g.count = g.waiting.n;
		g.next = 0;
		g.waiting.v = NULL;
		g.waiting.n = g.waiting.cap = 0;
		qsort(resume, g.count, sizeof *resume, by_index);
		run_round(&g);
		if (o->interrupt && atomic_load(o->interrupt))
			g.stop_at = 0;
	}
	for (uint64_t i = 0; resume && i < g.count; i++)
		cta_free(resume[i]);
	free(resume);
	for (size_t i = 0; i < g.waiting.n; i++)
		cta_free(g.waiting.v[i]);
	vec_free(&g.waiting);
	add_up(&g, r);
	r->interrupted = o->interrupt && atomic_load(o->interrupt);
	r->no_memory = g.no_memory;
	r->fault = g.fault;
	if (g.fault.kind)
		r->stop = STOP_FAULT;
	else if (g.limit || r->interrupted || g.no_memory ||
		 (o->max_instructions && r->warp_instructions > o->max_instructions))
		r->stop = STOP_LIMIT;
	for (unsigned i = 0; i < threads; i++)
		worker_fini(&g.worker[i]);
	free(g.worker);
	free(g.waited);
	vec_free(&g.awaited.words);
	pthread_mutex_destroy(&g.lock);
}
