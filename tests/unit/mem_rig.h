/* Helpers of the memory system's tests: a system driven by SMs that send requests from a generator. */
#ifndef TESTS_MEM_RIG_H
#define TESTS_MEM_RIG_H
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "conf/machine.h"
#include "mem/memsys.h"
#include "stat/stat.h"

static inline uint64_t rng_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* ---- a driver: SMs that send requests from a generator ---- */

struct traffic {
	uint64_t seed;
	unsigned sms, count;    /* requests of each SM */
	unsigned percent;       /* probability of a request per cycle, in percent */
	unsigned write, atomic; /* percent */
	uint64_t span;          /* addresses: [0, span), or a stream of lines if 0 */
	uint32_t line;
	unsigned threads;
	cycle_t window; /* 0: the longest */
	bool chase;     /* one request at a time, each after the reply to the last */
};

struct outcome {
	cycle_t end;
	uint64_t hash;    /* hash of all replies: SM, id, time */
	uint64_t latency; /* latency of SM 0's last reply */
	double seconds;
	uint64_t requests;
};

struct sm {
	uint64_t rng;
	unsigned sent, got;
	bool *seen;
	struct msg next;
	bool has_next;
	cycle_t *sent_at;
	uint64_t hash;
};

static inline void make_request(const struct traffic *t, unsigned sm, struct sm *s)
{
	uint64_t r = rng_next(&s->rng);
	struct msg *m = &s->next;
	*m = (struct msg){.id = s->sent, .bytes = (uint16_t)t->line, .full = true};
	uint64_t line = t->span ? r % (t->span / t->line) : (uint64_t)s->sent * t->sms + sm;
	m->addr = line * t->line;
	unsigned k = (unsigned)(rng_next(&s->rng) % 100);
	m->kind = k < t->write ? MSG_WRITE : k < t->write + t->atomic ? MSG_ATOMIC : MSG_READ;
	m->pieces = t->line / MSG_PIECE >= 32 ? UINT32_MAX : (1u << t->line / MSG_PIECE) - 1;
	if (t->span && m->kind != MSG_READ) { /* part of a line */
		m->pieces &= (uint32_t)rng_next(&s->rng);
		m->full = rng_next(&s->rng) & 1;
		if (!m->pieces)
			m->pieces = 1;
		m->bytes = (uint16_t)(__builtin_popcount(m->pieces) * MSG_PIECE);
	}
	s->has_next = true;
}

static inline void run_sm(const struct traffic *t, unsigned i, struct sm *s, struct port *p,
			  cycle_t from, cycle_t to, struct outcome *o)
{
	for (cycle_t now = from; now < to; now++) {
		for (const struct msg *m; (m = port_peek(p, now)); port_pop(p)) {
			assert_true(m->id < t->count && !s->seen[m->id]);
			assert_int_equal(m->sm, i);
			s->seen[m->id] = true;
			s->got++;
			s->hash = (s->hash ^ m->id) * 0x100000001b3ull;
			s->hash = (s->hash ^ m->time) * 0x100000001b3ull;
			o->latency = now - s->sent_at[m->id];
		}
		if (!s->has_next && s->sent < t->count && (!t->chase || s->sent == s->got) &&
		    (t->percent == 100 || rng_next(&s->rng) % 100 < t->percent))
			make_request(t, i, s);
		while (s->has_next && port_ready(p, now, &s->next)) {
			s->sent_at[s->sent] = now;
			port_send(p, now, &s->next);
			s->sent++;
			s->has_next = false;
			if (t->percent == 100 && s->sent < t->count && !t->chase)
				make_request(t, i, s);
		}
	}
}

struct worker {
	struct memsys *m;
	pthread_barrier_t *go, *done;
	unsigned index, threads;
	cycle_t *to;
	bool *stop;
};

static inline void *work(void *arg)
{
	struct worker *w = arg;
	for (;;) {
		pthread_barrier_wait(w->go);
		if (*w->stop)
			return NULL;
		for (unsigned p = w->index; p < memsys_parts(w->m); p += w->threads)
			memsys_part(w->m, p, *w->to);
		pthread_barrier_wait(w->done);
	}
}

static inline struct outcome drive(struct memsys *m, const struct traffic *t)
{
	struct outcome o = {.hash = 14695981039346656037ull};
	struct sm *sm = calloc(t->sms, sizeof *sm);
	pthread_barrier_t go, done;
	bool stop = false, beside = memsys_beside(m);
	cycle_t to = 0;
	struct worker w[8];
	pthread_t id[8];
	unsigned threads = t->threads ? t->threads : 1;
	memsys_share(m, threads);
	pthread_barrier_init(&go, NULL, threads);
	pthread_barrier_init(&done, NULL, threads);
	for (unsigned i = 1; i < threads; i++) {
		w[i] = (struct worker){m, &go, &done, i, threads, &to, &stop};
		pthread_create(&id[i], NULL, work, &w[i]);
	}
	for (unsigned i = 0; i < t->sms; i++) {
		sm[i].rng = t->seed * 0x9e3779b97f4a7c15ull + i + 1;
		sm[i].seen = calloc(t->count + 1, 1);
		sm[i].sent_at = calloc(t->count + 1, sizeof(cycle_t));
	}
	struct timespec a, b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	cycle_t now = 0, width = t->window ? t->window : memsys_window_max(m);
	for (unsigned left = t->sms; left; now += width) {
		left = 0;
		to = now + width;
		if (beside && threads > 1)
			pthread_barrier_wait(&go);
		for (unsigned i = 0; i < t->sms; i++) {
			memsys_deliver(m, i);
			run_sm(t, i, &sm[i], memsys_port(m, i), now, now + width, &o);
			left += sm[i].got < t->count;
		}
		if (!beside)
			memsys_requests(m, now, to);
		if (!beside && threads > 1)
			pthread_barrier_wait(&go);
		for (unsigned p = 0; p < memsys_parts(m); p += threads)
			memsys_part(m, p, to);
		if (threads > 1)
			pthread_barrier_wait(&done);
		if (beside)
			memsys_requests(m, now, to);
		memsys_replies(m, now, to);
		assert_true(now < 400000000); /* no progress */
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	o.seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
	stop = true;
	if (threads > 1)
		pthread_barrier_wait(&go);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	o.end = memsys_drain(m, now);
	for (unsigned i = 0; i < t->sms; i++) {
		o.requests += sm[i].sent;
		o.hash = (o.hash ^ sm[i].hash) * 0x100000001b3ull;
		assert_int_equal(sm[i].sent, t->count);
		free(sm[i].seen);
		free(sm[i].sent_at);
	}
	free(sm);
	pthread_barrier_destroy(&go);
	pthread_barrier_destroy(&done);
	return o;
}

static inline void check_empty(struct memsys *m)
{
	static struct diag d;
	bool ok = memsys_check(m, &d);
	if (!ok)
		diag_print(&d, stderr);
	assert_true(ok);
}

static inline struct machine *machine_with(const char *const *set)
{
	static struct diag d;
	struct machine *m = machine_read(NULL, set, &d);
	if (!m)
		diag_print(&d, stderr);
	assert_non_null(m);
	return m;
}

static inline struct memsys *memsys_with(const struct machine *m)
{
	static struct diag d;
	struct memsys *s = memsys_new(m, &d);
	if (!s)
		diag_print(&d, stderr);
	assert_non_null(s);
	return s;
}

static inline struct outcome run(const char *const *set, struct traffic t)
{
	struct machine *m = machine_with(set);
	struct memsys *s = memsys_with(m);
	t.sms = t.sms ? t.sms : m->sms;
	struct outcome o = drive(s, &t);
	check_empty(s);
	if (getenv("HEDDLE_TEST_STATS")) {
		struct stat_report *r = stat_report_new();
		memsys_report(s, r);
		stat_report_total(r);
		stat_print_text(r, stderr, 0);
		stat_report_free(r);
	}
	memsys_free(s);
	machine_free(m);
	return o;
}

#endif
