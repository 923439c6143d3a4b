/* Runs the blocks of a launch. Blocks are handed out in order, each to one host thread; while they
 * only compute, they run in parallel. Before its first operation that communicates between blocks,
 * a block waits for its turn: until every block before it is done (or waits for others itself).
 * Blocks that wait for others are set aside and continue, in order, in the next round. So the order
 * of everything that blocks can see of each other is that of one thread, whatever the number of
 * threads. */
#include "func/grid.h"
#include "kernel/poll.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include "check/check.h"
#include "exec/cluster.h"
#include "exec/tma/mbarrier.h"
#include "func/func.h"
#include "func/still.h"

enum { FUEL = 1 << 18, MAX_THREADS = 256 };
#define IDLE UINT64_MAX

struct seat { /* a host thread and the block that it runs */
	struct worker k;
	struct grid *g;
	struct fblock *spare; /* storage for the next new block or cluster; NULL: none */
	uint64_t position;    /* position in this round; IDLE: none; guarded by g->lock */
	pthread_t thread;
	unsigned id;
	uint64_t refilled; /* warp instructions up to the last refuel() */
	bool retired;      /* the thread takes no more blocks, because with it the launch is slower
		       * than without */
	/* the present measurement of speed: blocks since its start; blocks after which the clock is
	 * read again; the thread's processor time at its start, in seconds */
	uint64_t blocks, look;
	double since;
};

struct grid {
	struct launch *l;
	const struct grid_opts *o;
	struct seat *seat;
	unsigned nseats;
	double speed;        /* blocks per processor second of the first thread alone; 0: unknown */
	bool slower;         /* several threads are slower than one */
	atomic_uint helpers; /* threads at work beside the first one */
	pthread_mutex_t lock;
	int64_t fuel;         /* warp instructions between two checks of the limits */
	uint64_t next, count; /* next position to hand out in this round; number of positions */
	bool *waited;         /* per pc: a block was set aside there */
	struct awaited awaited;
	struct fblock **resume;       /* NULL: a round of new blocks */
	VEC(struct fblock *) waiting; /* blocks set aside in this round */
	/* no position above this is started, because of a fault there */
	uint64_t stop_at;
	struct fault fault;
	uint64_t limit_block;
	uint32_t limit_pc, limit_thread;
	atomic_bool limit, no_memory, moved;
	_Atomic uint64_t executed, blocks_done;
};

/* ---- turns ---- */

static bool has_turn(struct grid *g, uint64_t position)
{
	bool first = true;
	pthread_mutex_lock(&g->lock);
	for (unsigned i = 0; i < g->nseats; i++)
		first &= g->seat[i].position >= position;
	pthread_mutex_unlock(&g->lock);
	return first;
}

static void take_turn(struct fblock *b)
{
	struct grid *g = b->cta->x->own;
	while (!has_turn(g, b->position))
		sched_yield();
	b->turn = true;
	pace_goes_on(b);
}

/* ---- limits and progress ---- */

static enum stop refuel(struct worker *k)
{
	struct seat *wk = (struct seat *)k;
	struct grid *g = wk->g;
	uint64_t used = (uint64_t)(g->fuel - k->fuel);
	uint64_t total = atomic_fetch_add(&g->executed, used) + used;
	wk->refilled += used;
	k->fuel = g->fuel;
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

static bool next_position(struct seat *wk)
{
	struct grid *g = wk->g;
	pthread_mutex_lock(&g->lock);
	bool more = !wk->retired && g->next < g->count && g->next <= g->stop_at;
	wk->position = more ? g->next++ : IDLE;
	pthread_mutex_unlock(&g->lock);
	return more;
}

/* Returns the number of clusters, each of which is run as one; without clusters, of blocks. */
static uint64_t cluster_count(const struct launch *l) { return l->nblocks / l->cluster_blocks; }

/* Takes the next block, or the first block of the next cluster. */
static struct fblock *take_block(struct seat *wk)
{
	struct grid *g = wk->g;
	struct fblock *b;
	if (g->resume) {
		b = g->resume[wk->position];
		g->resume[wk->position] = NULL;
	} else {
		b = wk->spare ? wk->spare : fcluster_new(g->l);
		wk->spare = NULL;
		if (b)
			fcluster_start(b, g->o->first + (g->l->reverse ? g->count - 1 - wk->position
								       : wk->position));
	}
	for (struct fblock *k = b; k; k = k->next) {
		k->cta->x = &wk->k.x;
		k->position = wk->position;
		k->round++;
		k->turn = k->moved = false;
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

/* Records the position of the first running thread of the first running block. */
static void note_limit(struct grid *g, const struct fblock *b)
{
	while (b->next && b->done)
		b = b->next;
	const struct fwarp *fw = b->warp;
	while (fw < b->warp + g->l->nwarps && !fw->stack.n)
		fw++;
	pthread_mutex_lock(&g->lock);
	if (fw < b->warp + g->l->nwarps &&
	    (g->limit_pc == NO_PC || b->cta->index < g->limit_block)) {
		const struct split *s = reconv_top(&fw->stack);
		g->limit_block = b->cta->index;
		g->limit_pc = s->pc;
		g->limit_thread = wstate_thread(g->l, fw->ws->w.id) +
				  (s->mask ? (uint32_t)__builtin_ctzll(s->mask) : 0);
	}
	pthread_mutex_unlock(&g->lock);
}

static void keep_spare(struct seat *wk, struct fblock *b)
{
	if (wk->spare)
		fcluster_free(b);
	else
		wk->spare = b;
}

/* ---- the number of host threads that is worth while ---- */

/* Host threads that update the same words take the words' cache lines from each other: a histogram
 * can cost four times the processor time on two threads. So the first thread runs some blocks alone,
 * and another thread retires if, at its speed, all threads together are slower than one. */

static double processor_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure_from_now(struct seat *wk)
{
	wk->blocks = 0;
	wk->look = 1;
	wk->since = processor_seconds();
}

/* Counts a block. When enough blocks have been measured, returns the thread's blocks per second and
 * starts a new measurement; 0: not yet. The clock is read rarely, because blocks may be short. */
static double measure_speed(struct seat *wk)
{
	static const double enough = 2e-4;
	if (++wk->blocks < wk->look)
		return 0;
	double seconds = processor_seconds() - wk->since, speed = (double)wk->blocks / seconds;
	wk->look = seconds * 4 < enough ? wk->look * 2 : wk->look + (wk->look + 3) / 4;
	if (seconds < enough)
		return 0;
	uint64_t look = wk->blocks;
	measure_from_now(wk);
	wk->look = look;
	return speed;
}

/* True if the thread should continue. */
static bool thread_pays(struct seat *wk)
{
	struct grid *g = wk->g;
	static const double least_gain = 1.1;
	double speed = wk->id && g->speed > 0 ? measure_speed(wk) : 0;
	if (speed > 0 && speed * g->nseats < least_gain * g->speed) {
		wk->retired = true;
		g->slower = true;
	}
	/* the last thread needs no atomic operations of the host */
	if (!wk->id && !atomic_load(&g->helpers))
		g->l->alone = true;
	return !wk->retired;
}

/* ---- a thread's blocks ---- */

/* Returns the warp instructions of all blocks that the thread has run. */
static uint64_t count_instructions(const struct seat *wk)
{
	return wk->refilled + (uint64_t)(wk->g->fuel - wk->k.fuel);
}

/* Runs the block at the thread's position. */
static void run_position(struct seat *wk)
{
	struct grid *g = wk->g;
	uint64_t before = count_instructions(wk);
	struct fblock *b = take_block(wk);
	if (!b) {
		g->no_memory = true;
		end_at(g, wk->position, NULL);
		return;
	}
	enum stop st = fcluster_run(b);
	if (g->o->block_instructions)
		g->o->block_instructions[b->cta->index - g->o->first] +=
			count_instructions(wk) - before;
	if (b->moved || st != STOP_YIELD)
		g->moved = true;
	for (struct fblock *k = b; k; k = k->next)
		if (k->awaits && !k->turn) /* the block did not poll again in this round, and
					    * will not */
			take_turn(k);
	if (st == STOP_YIELD) {
		pthread_mutex_lock(&g->lock);
		vec_push(&g->waiting, b);
		pthread_mutex_unlock(&g->lock);
		return;
	}
	if (st == STOP_FAULT)
		end_at(g, wk->position, &wk->k.x.fault);
	else if (st == STOP_LIMIT)
		end_at(g, wk->position, NULL);
	if (st == STOP_LIMIT)
		note_limit(g, b);
	atomic_fetch_add(&g->blocks_done, g->l->cluster_blocks);
	keep_spare(wk, b);
}

static void *run_seat(void *arg)
{
	struct seat *wk = arg;
	measure_from_now(wk);
	while (thread_pays(wk) && next_position(wk))
		run_position(wk);
	if (wk->id) {
		next_position(
			wk); /* a retired thread holds no position, so that later blocks need not
			      * wait for its turn */
		atomic_fetch_sub(&wk->g->helpers, 1);
	}
	return NULL;
}

/* Runs blocks on the first thread until its speed is known. */
static void measure_alone(struct grid *g)
{
	struct seat *wk = &g->seat[0];
	g->l->alone = true;
	measure_from_now(wk);
	while (!(g->speed > 0) && next_position(wk)) {
		run_position(wk);
		g->speed = measure_speed(wk);
	}
}

static void run_round(struct grid *g)
{
	enum { MANY = 64 }; /* blocks of which some are run to measure */
	unsigned n = g->nseats;
	if (g->count < 2 || g->slower)
		n = 1;
	for (unsigned i = 0; i < g->nseats; i++)
		g->seat[i].position = IDLE;
	if (n > 1 && !(g->speed > 0) && g->count >= MANY)
		measure_alone(g);
	unsigned started = 1;
	g->l->alone = n == 1;
	atomic_store(&g->helpers, n - 1);
	while (started < n &&
	       !pthread_create(&g->seat[started].thread, NULL, run_seat, &g->seat[started]))
		started++;
	atomic_fetch_sub(&g->helpers, n - started);
	run_seat(&g->seat[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(g->seat[i].thread, NULL);
}

static int by_index(const void *a, const void *b)
{
	const struct cta *x = (*(struct fblock *const *)a)->cta,
			 *y = (*(struct fblock *const *)b)->cta;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* ---- no block can continue ---- */

/* Limits after which a launch is reported as stuck, unless its state repeats before (still.h):
 * rounds in which blocks only polled, each warp 64 times or more per round, and warp instructions.
 * They are high, because programs may count their polls and give up. */
enum { STUCK_ROUNDS = 512, STUCK_INSTRUCTIONS = 1 << 23, SHOWN = 8 };

/* True if the passage of time or the host program may end a wait that no device thread can end. */
static bool ends_by_itself(const struct grid *g)
{
	const struct image *img = g->l->img;
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		if (inst_reads_time(img->code[pc].in))
			return true;
	for (size_t i = 0; i < g->waiting.n; i++)
		for (uint32_t k = 0; k < g->l->nwarps; k++) {
			const struct fwarp *fw = &g->waiting.v[i]->warp[k];
			const struct alloc *a = fw->waits_at != NO_PC
							? devmem_find(g->l->mem, fw->waits_for)
							: NULL;
			if (fw->circle.host ||
			    (a && (a->kind == ALLOC_HOST || a->kind == ALLOC_MAPPED)))
				return true;
		}
	return false;
}

/* True if the blocks that wait after this idle round have only polled, and will wait forever. */
static bool state_repeats(const struct grid *g, struct still *s, uint32_t idle)
{
	uint64_t state = 0, writes = 0;
	if (idle < STILL_FIRST)
		return false;
	for (unsigned i = 0; i < g->nseats; i++)
		writes += still_writes(&g->seat[i].k, g->l->img);
	for (size_t i = 0; i < g->waiting.n; i++)
		state = still_hash(state, g->waiting.v[i]);
	return still_repeats(s, idle, state, writes);
}

static char *who_waits(const struct grid *g)
{
	char *text = NULL;
	size_t n = 0;
	unsigned shown = 0;
	FILE *f = open_memstream(&text, &n);
	for (size_t i = 0; i < g->waiting.n; i++)
		for (struct fblock *b = g->waiting.v[i]; b; b = b->next)
			for (uint32_t k = 0; k < g->l->nwarps; k++)
				warp_describe_waits(f, g->l, &b->warp[k], SHOWN, &shown);
	if (shown > SHOWN)
		fprintf(f, "  and %u more", shown - SHOWN);
	fclose(f);
	if (n && text[n - 1] == '\n')
		text[n - 1] = 0;
	return text;
}

/* ---- set-up and result ---- */

static void seat_init(struct seat *wk, struct grid *g, unsigned id)
{
	size_t n = (size_t)g->l->img->ncode + 2;
	*wk = (struct seat){.g = g, .id = id, .position = IDLE};
	struct worker *k = &wk->k;
	k->x.l = g->l;
	k->x.own = g;
	k->touch = g->o->touch;
	k->x.window = xcalloc(g->l->img->nwindows, sizeof *k->x.window);
	k->waited = g->waited;
	k->awaited = &g->awaited;
	k->issued = xcalloc(n, sizeof *k->issued);
	k->lanes = xcalloc(n, sizeof *k->lanes);
	k->off = xcalloc(n, sizeof *k->off);
	k->divergent = xcalloc(n, sizeof *k->divergent);
	k->fuel = k->quantum = g->fuel;
	k->refuel = refuel;
	k->take_turn = take_turn;
}

static void seat_fini(struct seat *wk)
{
	fcluster_free(wk->spare);
	free(wk->k.x.window);
	free(wk->k.issued);
	free(wk->k.lanes);
	free(wk->k.off);
	free(wk->k.divergent);
}

static void add_up(struct grid *g, struct grid_result *r)
{
	uint32_t n = g->l->img->ncode;
	r->issued = xcalloc(n + 1, sizeof *r->issued);
	r->lanes = xcalloc(n + 1, sizeof *r->lanes);
	r->divergent = xcalloc(n + 1, sizeof *r->divergent);
	for (unsigned k = 0; k < g->nseats; k++) {
		const struct worker *x = &g->seat[k].k;
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
	struct grid g = {.l = l, .o = o, .nseats = threads, .count = o->count ? o->count : cluster_count(l), .stop_at = IDLE - 1, .fuel = FUEL, .limit_pc = NO_PC};
	/* clang-format on */
	if (o->max_instructions && o->max_instructions < FUEL)
		g.fuel = (int64_t)o->max_instructions;
	l->clock = clock_read;
	l->clock_ns = 1;
	*r = (struct grid_result){.stop = STOP_DONE};
	pthread_mutex_init(&g.lock, NULL);
	g.waited = xcalloc(l->img->ncode + 1, sizeof *g.waited);
	g.seat = xcalloc(threads, sizeof *g.seat);
	for (unsigned i = 0; i < threads; i++)
		seat_init(&g.seat[i], &g, i);
	run_round(&g);
	struct fblock **resume = NULL;
	struct still still = {0};
	uint32_t idle = 0;
	uint64_t moved_at = 0;
	while (g.waiting.n && g.stop_at == IDLE - 1) {
		idle = g.moved ? 0 : idle + 1;
		g.moved = false;
		if (!idle)
			moved_at = atomic_load(&g.executed);
		qsort(g.waiting.v, g.waiting.n, sizeof *g.waiting.v, by_index);
		bool still_now = state_repeats(&g, &still, idle) ||
				 (idle >= STUCK_ROUNDS &&
				  atomic_load(&g.executed) - moved_at >= STUCK_INSTRUCTIONS);
		if (still_now && !ends_by_itself(&g)) {
			r->why = who_waits(&g);
			break;
		}
		free(resume);
		g.resume = resume = g.waiting.v;
		g.count = g.waiting.n;
		g.next = 0;
		g.waiting.v = NULL;
		g.waiting.n = g.waiting.cap = 0;
		run_round(&g);
		if (o->interrupt && atomic_load(o->interrupt))
			g.stop_at = 0;
	}
	for (uint64_t i = 0; resume && i < g.count; i++)
		fcluster_free(resume[i]);
	free(resume);
	for (size_t i = 0; i < g.waiting.n; i++)
		fcluster_free(g.waiting.v[i]);
	vec_free(&g.waiting);
	add_up(&g, r);
	r->interrupted = o->interrupt && atomic_load(o->interrupt);
	r->no_memory = g.no_memory;
	r->fault = g.fault;
	r->limit_block = g.limit_block;
	r->limit_thread = g.limit_thread;
	r->limit_pc = g.limit_pc;
	if (g.fault.kind)
		r->stop = STOP_FAULT;
	else if (r->why || g.limit || r->interrupted || g.no_memory ||
		 (o->max_instructions && r->warp_instructions > o->max_instructions))
		r->stop = STOP_LIMIT;
	for (unsigned i = 0; i < threads; i++)
		seat_fini(&g.seat[i]);
	free(g.seat);
	free(g.waited);
	vec_free(&g.awaited.words);
	pthread_mutex_destroy(&g.lock);
}
