/* Host threads that share numbered tasks.
 *
 * Each thread has a share, the same numbers in every round, so that a task's data stays in the
 * cache of one core. A thread that has finished its share takes the last tasks of another share. So a
 * thread that the host has descheduled delays the others only if it is in the middle of a task.
 * No task may depend on the thread it runs on. The interface is workers_run() of gpu/gpu.h.
 *
 * A share is one word: the first and the end of the places not yet taken. A thread takes a task by
 * changing the word, and reads the round's data (task, arg) only after that, when the round
 * cannot end without it. Rounds are short: a waiting thread first polls memory, then yields, then
 * sleeps. */
#include "gpu/gpu.h"

#include <pthread.h>
#include <sched.h>

/* PLACES: bits of a task number in `share` */
enum { SPINS = 8000, YIELDS = 2000, MOST = 64, PLACES = 16 };

struct worker {
	_Alignas(ARENA_LINES) atomic_uint share; /* end << PLACES | first */
	atomic_bool quit;
	/* number of tasks done in all rounds; written by this worker alone */
	_Alignas(ARENA_LINES) atomic_uint done;
	unsigned worked; /* number of these tasks that had something to do */
	struct workers *p;
	unsigned id;
	pthread_t thread;
};

struct workers {
	unsigned n;
	bool (*task)(void *arg, unsigned i);
	void *arg;
	unsigned done, worked; /* the caller's sums over all rounds */
	atomic_uint sleepers;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct arena arena;         /* the arena that contains this structure */
	struct worker worker[MOST]; /* worker 0 is the caller */
};

/* ---- tasks ---- */

static unsigned first_place(unsigned share) { return share & ((1u << PLACES) - 1); }

static unsigned count_untaken(unsigned share) { return (share >> PLACES) - first_place(share); }

/* Takes a task from the front or the end of a share; -1: none is left. */
static int take_place(atomic_uint *share, bool front)
{
	unsigned s = atomic_load_explicit(share, memory_order_relaxed), then;
	do {
		if (!count_untaken(s))
			return -1;
		then = front ? s + 1 : s - (1u << PLACES);
	} while (!atomic_compare_exchange_weak_explicit(share, &s, then, memory_order_acquire,
							memory_order_relaxed));
	return (int)(front ? first_place(s) : then >> PLACES);
}

static void do_task(struct worker *h, unsigned owner, int place)
{
	struct workers *p = h->p;
	h->worked += p->task(p->arg, owner + (unsigned)place * p->n);
	unsigned done = atomic_load_explicit(&h->done, memory_order_relaxed);
	atomic_store_explicit(&h->done, done + 1, memory_order_release);
}

/* Runs the tasks of the worker's own share, then takes the last tasks of other shares until none is
 * left. */
static void work_shares(struct worker *h)
{
	struct workers *p = h->p;
	int place;
	while ((place = take_place(&h->share, true)) >= 0)
		do_task(h, h->id, place);
	for (unsigned k = 1; k < p->n; k++) {
		unsigned other = (h->id + k) % p->n;
		while ((place = take_place(&p->worker[other].share, false)) >= 0)
			do_task(h, other, place);
	}
}

/* ---- waiting ---- */

static void sleep_until_called(struct worker *h)
{
	struct workers *p = h->p;
	pthread_mutex_lock(&p->lock);
	/* must precede the last look at the share: see publish_tasks() */
	atomic_fetch_add(&p->sleepers, 1);
	while (!count_untaken(atomic_load(&h->share)) && !atomic_load(&h->quit))
		pthread_cond_wait(&p->wake, &p->lock);
	atomic_fetch_sub(&p->sleepers, 1);
	pthread_mutex_unlock(&p->lock);
}

static void wake_helpers(struct workers *p)
{
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

static void *run_helper(void *arg)
{
	struct worker *h = arg;
	for (unsigned waits = 0; !atomic_load_explicit(&h->quit, memory_order_relaxed); waits++) {
		/* acquires the data written before publishing, even if other threads have taken all tasks
		 * already */
		if (count_untaken(atomic_load_explicit(&h->share, memory_order_acquire))) {
			work_shares(h);
			waits = 0;
		} else if (waits >= SPINS + YIELDS) {
			sleep_until_called(h);
			waits = 0;
		} else if (waits >= SPINS) {
			sched_yield();
		}
	}
	return NULL;
}

/* ---- the caller ---- */

struct workers *workers_new(unsigned threads)
{
	struct arena a = {0};
	struct workers *p = ARENA_APART(&a, struct workers, 1);
	p->arena = a;
	p->n = 1;
	p->worker[0].p = p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	for (; p->n < threads && p->n < MOST; p->n++) {
		struct worker *h = &p->worker[p->n];
		h->p = p;
		h->id = p->n;
		if (pthread_create(&h->thread, NULL, run_helper, h))
			break;
	}
	return p;
}

void workers_free(struct workers *p)
{
	if (!p)
		return;
	for (unsigned i = 1; i < p->n; i++)
		atomic_store(&p->worker[i].quit, true);
	wake_helpers(p);
	for (unsigned i = 1; i < p->n; i++)
		pthread_join(p->worker[i].thread, NULL);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	struct arena a = p->arena;
	arena_free(&a);
}

/* Fills all shares. A helper that is about to sleep first counts itself and then looks at its
 * share; here the order is the reverse, so that one of the two always sees the other. */
static void publish_tasks(struct workers *p, unsigned tasks)
{
	for (unsigned i = 0; i < p->n && i < tasks; i++)
		atomic_store(&p->worker[i].share, (tasks - i + p->n - 1) / p->n << PLACES);
	if (atomic_load(&p->sleepers))
		wake_helpers(p);
}

static unsigned all_done(const struct workers *p)
{
	unsigned n = 0;
	for (unsigned i = 0; i < p->n; i++)
		n += atomic_load_explicit(&p->worker[i].done, memory_order_acquire);
	return n;
}

static unsigned run_shared(struct workers *p, unsigned tasks)
{
	publish_tasks(p, tasks);
	work_shares(&p->worker[0]);
	p->done += tasks;
	for (unsigned waits = 0; all_done(p) != p->done; waits++)
		if (waits >= SPINS)
			sched_yield();
	unsigned before = p->worked;
	p->worked = 0;
	for (unsigned i = 0; i < p->n; i++)
		p->worked += p->worker[i].worked;
	return p->worked - before;
}

unsigned workers_run(struct workers *p, bool (*task)(void *arg, unsigned i), void *arg,
		     unsigned tasks, bool alone)
{
	unsigned worked = 0;
	p->task = task;
	p->arg = arg;
	if (p->n > 1 && !alone)
		return run_shared(p, tasks);
	for (unsigned i = 0; i < tasks; i++)
		worked += task(arg, i);
	return worked;
}
