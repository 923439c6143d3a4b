/* Host threads that share numbered jobs. Each thread has a share, the same numbers in every round, so
 * that a job's data stays in the cache of one core. A thread that has finished its share takes the last
 * jobs of another's. So the others wait for a thread that the host has put aside only if it is in the
 * middle of a job. Nothing a job does may depend on the thread it runs on.
 *
 * A share is one word: the first and the end of its places not yet taken. A thread takes a job by changing
 * the word, and reads what the round needs (job, arg) only after that, when the round cannot end without
 * it. Rounds are short: a waiting thread first polls memory, then yields, then sleeps. */
#include "gpu/gpu.h"

#include <pthread.h>
#include <sched.h>

enum { SPINS = 8000, YIELDS = 2000, MOST = 64, PLACES = 16 }; /* PLACES: bits of a place */

struct helper {
	_Alignas(ARENA_LINES) atomic_uint share; /* end << PLACES | first */
	atomic_bool quit;
	_Alignas(ARENA_LINES) atomic_uint done; /* jobs, of all rounds; nobody else writes */
	unsigned worked;                        /* how many of them had something to do */
	struct pool *p;
	unsigned id;
	pthread_t thread;
};

struct pool {
	unsigned n;
	bool (*job)(void *arg, unsigned i);
	void *arg;
	unsigned done, worked; /* the caller's sums of all rounds */
	atomic_uint sleepers;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct arena arena;         /* it lies in */
	struct helper helper[MOST]; /* the first is the caller */
};

/* ---- jobs ---- */

static unsigned first(unsigned share) { return share & ((1u << PLACES) - 1); }

static unsigned untaken(unsigned share) { return (share >> PLACES) - first(share); }

/* The place taken, from the front of a share or from its end; -1: none is left. */
static int take(atomic_uint *share, bool front)
{
	unsigned s = atomic_load_explicit(share, memory_order_relaxed), then;
	do {
		if (!untaken(s))
			return -1;
		then = front ? s + 1 : s - (1u << PLACES);
	} while (!atomic_compare_exchange_weak_explicit(share, &s, then, memory_order_acquire,
							memory_order_relaxed));
	return (int)(front ? first(s) : then >> PLACES);
}

static void do_job(struct helper *h, unsigned owner, int place)
{
	struct pool *p = h->p;
	h->worked += p->job(p->arg, owner + (unsigned)place * p->n);
	unsigned done = atomic_load_explicit(&h->done, memory_order_relaxed);
	atomic_store_explicit(&h->done, done + 1, memory_order_release);
}

/* Its own share, then the last ones of others', until nothing is left to take. */
static void work(struct helper *h)
{
	struct pool *p = h->p;
	int place;
	while ((place = take(&h->share, true)) >= 0)
		do_job(h, h->id, place);
	for (unsigned k = 1; k < p->n; k++) {
		unsigned other = (h->id + k) % p->n;
		while ((place = take(&p->helper[other].share, false)) >= 0)
			do_job(h, other, place);
	}
}

/* ---- waiting ---- */

static void sleep_until_called(struct helper *h)
{
	struct pool *p = h->p;
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add(&p->sleepers, 1); /* before the last look at the share: see publish() */
	while (!untaken(atomic_load(&h->share)) && !atomic_load(&h->quit))
		pthread_cond_wait(&p->wake, &p->lock);
	atomic_fetch_sub(&p->sleepers, 1);
	pthread_mutex_unlock(&p->lock);
}

static void call(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

static void *help(void *arg)
{
	struct helper *h = arg;
	for (unsigned waits = 0; !atomic_load_explicit(&h->quit, memory_order_relaxed); waits++) {
		/* with what was written before it was published, even if others have taken all by now */
		if (untaken(atomic_load_explicit(&h->share, memory_order_acquire))) {
			work(h);
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

struct pool *pool_new(unsigned threads)
{
	struct arena a = {0};
	struct pool *p = ARENA_APART(&a, struct pool, 1);
	p->arena = a;
	p->n = 1;
	p->helper[0].p = p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	for (; p->n < threads && p->n < MOST; p->n++) {
		struct helper *h = &p->helper[p->n];
		h->p = p;
		h->id = p->n;
		if (pthread_create(&h->thread, NULL, help, h))
			break;
	}
	return p;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	for (unsigned i = 1; i < p->n; i++)
		atomic_store(&p->helper[i].quit, true);
	call(p);
	for (unsigned i = 1; i < p->n; i++)
		pthread_join(p->helper[i].thread, NULL);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	struct arena a = p->arena;
	arena_free(&a);
}

/* Fills all shares. A helper that is about to sleep first counts itself and then looks at its share; here
 * the order is the reverse, so that one of the two always sees the other. */
static void publish(struct pool *p, unsigned jobs)
{
	for (unsigned i = 0; i < p->n && i < jobs; i++)
		atomic_store(&p->helper[i].share, (jobs - i + p->n - 1) / p->n << PLACES);
	if (atomic_load(&p->sleepers))
		call(p);
}

static unsigned all_done(const struct pool *p)
{
	unsigned n = 0;
	for (unsigned i = 0; i < p->n; i++)
		n += atomic_load_explicit(&p->helper[i].done, memory_order_acquire);
	return n;
}

static unsigned run_shared(struct pool *p, unsigned jobs)
{
	publish(p, jobs);
	work(&p->helper[0]);
	p->done += jobs;
	for (unsigned waits = 0; all_done(p) != p->done; waits++)
		if (waits >= SPINS)
			sched_yield();
	unsigned before = p->worked;
	p->worked = 0;
	for (unsigned i = 0; i < p->n; i++)
		p->worked += p->helper[i].worked;
	return p->worked - before;
}

unsigned pool_run(struct pool *p, bool (*job)(void *arg, unsigned i), void *arg, unsigned jobs,
		  bool alone)
{
	unsigned worked = 0;
	p->job = job;
	p->arg = arg;
	if (p->n > 1 && !alone)
		return run_shared(p, jobs);
	for (unsigned i = 0; i < jobs; i++)
		worked += job(arg, i);
	return worked;
}
