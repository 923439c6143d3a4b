/* Host threads. A job is started by a counter that all watch, and ended by another: both spin for a
 * while, since windows are short, then yield. Jobs are dealt out in a fixed pattern; nothing a job does
 * may depend on the thread it runs on. */
#include "gpu/gpu.h"

#include <pthread.h>
#include <sched.h>

enum { SPIN = 2000 };

struct pool {
	unsigned n;
	atomic_uint round, left;
	atomic_bool quit;
	void (*job)(void *arg, unsigned i);
	void *arg;
	unsigned jobs;
	struct helper {
		struct pool *p;
		unsigned id;
		pthread_t thread;
	} helper[64];
};

static void pause_a_bit(unsigned *spins)
{
	if (++*spins > SPIN)
		sched_yield();
}

static void run_share(struct pool *p, unsigned id)
{
	for (unsigned i = id; i < p->jobs; i += p->n)
		p->job(p->arg, i);
}

static void *help(void *arg)
{
	struct helper *h = arg;
	struct pool *p = h->p;
	unsigned seen = 0;
	for (;;) {
		unsigned spins = 0, r;
		while ((r = atomic_load_explicit(&p->round, memory_order_acquire)) == seen)
			pause_a_bit(&spins);
		seen = r;
		if (atomic_load(&p->quit))
			return NULL;
		run_share(p, h->id);
		atomic_fetch_sub_explicit(&p->left, 1, memory_order_release);
	}
}

struct pool *pool_new(unsigned threads)
{
	struct pool *p = xcalloc(1, sizeof *p);
	p->n = 1;
	while (p->n < threads && p->n < 64) {
		struct helper *h = &p->helper[p->n];
		*h = (struct helper){.p = p, .id = p->n};
		if (pthread_create(&h->thread, NULL, help, h))
			break;
		p->n++;
	}
	return p;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	atomic_store(&p->quit, true);
	atomic_fetch_add(&p->round, 1);
	for (unsigned i = 1; i < p->n; i++)
		pthread_join(p->helper[i].thread, NULL);
	free(p);
}

void pool_run(struct pool *p, void (*job)(void *arg, unsigned i), void *arg, unsigned n)
{
	p->job = job;
	p->arg = arg;
	p->jobs = n;
	if (p->n > 1) {
		unsigned spins = 0;
		atomic_store_explicit(&p->left, p->n - 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&p->round, 1, memory_order_release);
		run_share(p, 0);
		while (atomic_load_explicit(&p->left, memory_order_acquire))
			pause_a_bit(&spins);
	} else {
		run_share(p, 0);
	}
}
