/* Asynchronous work: the list in issue order and the threads that execute it (see rt.h). */
#include <signal.h>
#include <time.h>
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"
#include "cuda/check/beside.h"
#include "cuda/stream/queue.h"
#include "cuda/process/failure.h"
#include "cuda/rt.h"

static struct queued *first, **tail = &first;
static uint64_t last_seq;
enum { EPOCH_MAX = 4096 }; /* entries that may wait for the program to wait */
static unsigned unreleased;
static uint64_t epoch;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static pthread_t worker, host_worker;
static bool started, host_started;
static _Thread_local bool is_worker;
bool work_is_worker(void) { return is_worker; }
static const struct queued *running_graph;
const struct queued *queued_graph(void) { return running_graph; }

/* ---- what waits for what ---- */

bool queued_waits(const struct queued *e, const struct queued *older)
{
	if (e->stream == older->stream)
		return true;
	if (e->stream == &stream_legacy && stream_blocks(older->stream))
		return true;
	if (older->stream == &stream_legacy && stream_blocks(e->stream))
		return true;
	if (e->w.kind == WORK_GRAPH && older->w.kind == WORK_GRAPH && e->w.graph == older->w.graph)
		return true; /* a graph runs once at a time */
	return e->w.kind == WORK_WAIT && e->w.event.seq == older->seq;
}

static bool is_host_kind(const struct queued *e)
{
	return e->w.kind == WORK_HOST || e->w.kind == WORK_CALLBACK;
}

/* Which launches of different streams run together must not depend on the host's speed. So work is
 * held until the program waits for something; what was submitted until then is an epoch. Epochs are
 * executed one after the other. */
static bool by_epochs(void) { return device_info()->concurrent_kernels > 1; }

/* Of a list that is not empty. */
static struct queued *last_entry(void)
{
	return (struct queued *)((char *)tail - offsetof(struct queued, next));
}

/* The link to the first entry of no epoch. */
static struct queued **unreleased_link(void)
{
	struct queued **from = &first;
	for (struct queued *e = first; e; e = e->next)
		if (e->ends_epoch)
			from = &e->next;
	return from;
}

/* Of what is in no epoch, the work that the wait is for becomes one. With --check race the rest is held back, as if it were submitted
 * after the wait. */
static void release(const struct awaited *a)
{
	if (!rt.check_race || !by_epochs()) {
		last_entry()->ends_epoch = true;
		unreleased = 0;
		return;
	}
	struct queued **from = unreleased_link();
	size_t n = 0, i = 0;
	for (const struct queued *e = *from; e; e = e->next)
		n++;
	struct queued **at = rt_alloc((n + 1) * sizeof *at);
	for (struct queued *e = *from; e; e = e->next)
		at[i++] = e;
	size_t now = awaited_first(at, n, a);
	for (i = 0, tail = from; i < n; i++) {
		*tail = at[i];
		tail = &at[i]->next;
		at[i]->ends_epoch = i + 1 == now;
		at[i]->epoch += i >= now;
	}
	*tail = NULL;
	unreleased = (unsigned)(n - now);
	free(at);
}

/* With rt.lock: what the program waits for (NULL: everything submitted so far) is an epoch. */
static void end_epoch(const struct awaited *a)
{
	if (tail == &first)
		return;
	if (rt.check_race) {
		beside_find(first);
		touch_end();
	}
	release(a);
	epoch++;
	pthread_cond_broadcast(&more);
}

/* With rt.lock, after a wait: the host must not touch what work that is held back uses. */
static void watch_held(void)
{
	for (const struct queued *e = *unreleased_link(); e && rt.check_race; e = e->next)
		touch_watch(e, true);
}

void work_release(const struct CUevent_st *ev)
{
	pthread_mutex_lock(&rt.lock);
	end_epoch(&(struct awaited){.event = ev});
	pthread_mutex_unlock(&rt.lock);
}

/* The last entry of the epoch that begins with e; NULL: the program has not waited since. */
static const struct queued *epoch_end(const struct queued *e)
{
	if (!e)
		return NULL;
	if (!by_epochs())
		return last_entry();
	while (e->next && !e->ends_epoch)
		e = e->next;
	return e->ends_epoch ? e : NULL;
}

/* The oldest entry of a thread's kind, up to `end`, that nothing older holds back. */
static struct queued *runnable(bool host, const struct queued *end)
{
	const struct queued *before = NULL;
	for (struct queued *e = first; e && before != end; before = e, e = e->next) {
		if (e->running || is_host_kind(e) != host)
			continue;
		struct queued *o = first;
		while (o != e && !queued_waits(e, o))
			o = o->next;
		if (o == e)
			return e;
	}
	return NULL;
}

static bool host_runs(const struct queued *end)
{
	const struct queued *e = first;
	while (e != end && !(e->running && is_host_kind(e)))
		e = e->next;
	return e->running && is_host_kind(e);
}

/* The next entry of the first epoch; a host function may also wait for what comes after it. */
static struct queued *next_entry(bool host)
{
	for (const struct queued *end = epoch_end(first); end; end = epoch_end(end->next)) {
		struct queued *e = runnable(host, end);
		if (e || !host_runs(end))
			return e;
	}
	return NULL;
}

/* ---- executing ---- */

static void callback_run(struct queued *e)
{
	if (e->w.kind == WORK_CALLBACK)
		e->w.host.callback(e->stream == &stream_legacy ? NULL : e->stream, rt.async_error,
				   e->w.host.arg);
	else if (!rt.async_error)
		e->w.host.fn(e->w.host.arg);
}

static void event_release(struct CUevent_st *ev)
{
	if (!--ev->users && ev->destroyed)
		free(ev);
}

/* With rt.lock: the entry is done. */
static void retire(struct queued *e)
{
	struct queued **p = &first, *before = NULL;
	for (; *p != e; p = &(*p)->next)
		before = *p;
	if (e->ends_epoch && before) /* it goes on without its last entry */
		before->ends_epoch = true;
	*p = e->next;
	if (tail == &e->next)
		tail = p;
	/* programs wait for streams that have no work left and for events: they sleep on till
	 * then */
	bool awaited = !--e->stream->pending;
	if (e->stream->destroyed && !e->stream->pending)
		free(e->stream);
	if (e->w.kind == WORK_RECORD && e->w.event.event->seq == e->seq) {
		e->w.event.event->pending = false;
		awaited = true;
	}
	if (e->w.kind == WORK_RECORD || e->w.kind == WORK_WAIT)
		event_release(e->w.event.event);
	work_free(&e->w);
	free(e->apart);
	free(e->others);
	free(e);
	if (awaited)
		pthread_cond_broadcast(&done);
	pthread_cond_broadcast(&more);
}

/* --check init: a copy to the host of memory of which nothing has written any byte, once for each call of the program. */
static void look_for_unwritten(const struct queued *e)
{
	enum { CALLS = 64 };
	static const char *said[CALLS];
	static unsigned n;
	if (e->w.kind != WORK_COPY || !copy_is_unwritten(&e->w.copy))
		return;
	const struct copy *c = &e->w.copy;
	const char *call = site_text(&e->site), *by = site_of(NULL, c->src.addr);
	for (unsigned i = 0; i < n && i < CALLS; i++)
		if (said[i] == call)
			return;
	said[n++ % CALLS] = call;
	rt_fail("read of %llu bytes at 0x%llx%s%s%s that nothing has written, by %s",
		(unsigned long long)(c->width * c->height * c->depth),
		(unsigned long long)c->src.addr, by ? " (allocated by " : "", by ? by : "",
		by ? ")" : "", call);
}

static void execute(struct queued *e, bool host)
{
	cudaError_t err = cudaSuccess;
	e->running = true;
	if (host)
		pthread_cond_broadcast(
			&more); /* it may wait for what comes after it: see next_entry() */
	bool dead = rt.async_error !=
		    cudaSuccess; /* after a fault nothing runs; events still complete */
	struct CUgraph_st *graph = e->w.kind == WORK_GRAPH ? e->w.graph : NULL;
	if (host && rt.check_race)
		beside_host_begin(first, e);
	pthread_mutex_unlock(&rt.lock);
	if (dead && e->w.kind == WORK_KERNEL)
		failure_skipped();
	if (host)
		callback_run(e);
	else if (e->w.kind == WORK_WAIT_VALUE)
		while (!rt.async_error && !work_value_ready(&e->w)) {
			struct timespec nap = {0, 100000};
			nanosleep(&nap, NULL);
		}
	else if (!dead || e->w.kind == WORK_RECORD) {
		if (rt.checked)
			look_for_unwritten(e);
		running_graph = graph ? e : NULL;
		err = work_run(&e->w);
		running_graph = NULL;
	}
	if (graph) /* not under the lock: memory and the program's objects may go with it */
		graph_release(graph);
	pthread_mutex_lock(&rt.lock);
	if (host && rt.check_race)
		beside_host_end(first, e);
	if (graph)
		e->w.kind = WORK_EMPTY;
	if (err && !rt.async_error)
		rt.async_error = err;
	retire(e);
}

/* Launches that may run with e, which may run now. */
static void execute_together(struct queued *e)
{
	struct batch *b = batch_gather(first, epoch_end(e), e);
	if (batch_size(b) < 2) {
		batch_free(b);
		execute(e, false);
		return;
	}
	for (unsigned i = 0; i < batch_size(b); i++)
		batch_entry(b, i)->running = true;
	pthread_mutex_unlock(&rt.lock);
	cudaError_t err = batch_run(b);
	pthread_mutex_lock(&rt.lock);
	if (err && !rt.async_error)
		rt.async_error = err;
	for (unsigned i = 0; i < batch_size(b); i++)
		retire(batch_entry(b, i));
	batch_free(b);
}

/* A program may poll memory that kernels write, without a call: after a while its work runs
 * anyway. */
static void wait_for_work(void)
{
	struct timespec t;
	if (!first || !by_epochs() || !rt.host_memory) {
		pthread_cond_wait(&more, &rt.lock);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	if (pthread_cond_timedwait(&more, &rt.lock, &t) && !epoch_end(first))
		end_epoch(NULL);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --check race: host functions go first, so that kernels can be told what they touched, whatever the host's speed. One that
 * takes a second may wait for a kernel. True: one has gone first, or had the chance. */
static bool lets_host_first(void)
{
	const struct queued *end = epoch_end(first), *before = NULL;
	struct queued *h = rt.check_race && end ? runnable(true, end) : NULL;
	for (struct queued *e = first; rt.check_race && !h && e && before != end;
	     before = e, e = e->next)
		h = e->running && is_host_kind(e) ? e : NULL;
	if (!h || (h->waited > 0 && now() - h->waited > 1))
		return false;
	h->waited = h->waited > 0 ? h->waited : now();
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_cond_timedwait(&more, &rt.lock, &t);
	return true;
}

static void execute_now(struct queued *e, bool host)
{
	if (rt.check_race && by_epochs() && !host)
		beside_find_fresh(first);
	if (e->w.kind == WORK_KERNEL && by_epochs() && !rt.async_error)
		execute_together(e);
	else
		execute(e, host);
}

static void *work_loop(void *arg)
{
	bool host = arg != NULL;
	is_worker = true;
	pthread_mutex_lock(&rt.lock);
	for (;;) {
		struct queued *e = next_entry(host);
		if (!e)
			wait_for_work();
		else if (!host && lets_host_first())
			;
		else
			execute_now(e, host);
	}
	return NULL;
}

static bool start(pthread_t *t, bool *flag, void *arg)
{
	sigset_t all, old;
	if (*flag)
		return true;
	sigfillset(
		&all); /* signals are the program's threads', but for a thread's own faults (touch.c) */
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	*flag = !pthread_create(t, NULL, work_loop, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (*flag)
		pthread_detach(*t);
	return *flag;
}

/* ---- submitting ---- */

static void append(struct CUstream_st *s, struct work *w)
{
	struct queued *e = rt_alloc(sizeof *e);
	e->w = *w;
	e->stream = s;
	e->seq = ++last_seq;
	e->epoch = epoch;
	s->pending++;
	if (w->kind == WORK_RECORD) {
		w->event.event->seq = e->seq;
		w->event.event->recorded = w->event.event->pending = true;
	}
	if (w->kind == WORK_RECORD || w->kind == WORK_WAIT)
		w->event.event->users++;
	*tail = e;
	tail = &e->next;
	if (rt.checked && work_changes_memory(w))
		e->site = site_here();
	if (rt.check_race)
		touch_watch(e, false);
	if (!by_epochs() || rt.host_memory)
		pthread_cond_broadcast(&more);
	if (by_epochs() && ++unreleased >= EPOCH_MAX)
		end_epoch(NULL);
}

bool work_frees(uint64_t addr)
{
	bool found = false;
	pthread_mutex_lock(&rt.lock);
	for (const struct queued *e = first; e && !found; e = e->next)
		found = e->w.kind == WORK_FREE && e->w.mem.addr == addr;
	pthread_mutex_unlock(&rt.lock);
	return found;
}

cudaError_t work_submit(struct CUstream_st *s, struct work *w)
{
	bool capture = false;
	cudaError_t e = cudaSuccess;
	pthread_mutex_lock(&rt.lock);
	if (s->capture)
		capture = true;
	else if (!start(&worker, &started, NULL) ||
		 ((w->kind == WORK_HOST || w->kind == WORK_CALLBACK) &&
		  !start(&host_worker, &host_started, &host_worker)))
		e = cudaErrorOperatingSystem;
	else if (w->kind == WORK_WAIT && !w->event.event->pending)
		; /* nothing to wait for */
	else {
		if (w->kind == WORK_WAIT)
			w->event.seq = w->event.event->seq;
		append(s, w);
		w->kind = WORK_EMPTY;
	}
	if (capture)
		e = capture_add(s, w);
	pthread_mutex_unlock(&rt.lock);
	if (!capture && w->kind != WORK_EMPTY)
		work_free(w);
	return e;
}

/* ---- waiting ---- */

static cudaError_t surface(void)
{
	if (rt.async_error)
		rt.sticky = rt.async_error;
	return rt.sticky;
}

/* Those whose work a legacy stream waits for: all but non-blocking ones. */
static bool legacy_idle(void)
{
	for (const struct queued *e = first; e; e = e->next)
		if (stream_blocks(e->stream))
			return false;
	return true;
}

bool stream_idle(struct CUstream_st *s)
{
	pthread_mutex_lock(&rt.lock);
	end_epoch(&(struct awaited){.stream = s});
	bool idle = s == &stream_legacy ? legacy_idle() : !s->pending;
	if (idle)
		watch_held();
	pthread_mutex_unlock(&rt.lock);
	if (idle)
		output_flush();
	return idle;
}

cudaError_t stream_wait(struct CUstream_st *s)
{
	if (is_worker)
		return stream_idle(s) ? cudaSuccess : cudaErrorNotPermitted;
	pthread_mutex_lock(&rt.lock);
	end_epoch(&(struct awaited){.stream = s});
	while (s == &stream_legacy ? !legacy_idle() : s->pending != 0)
		pthread_cond_wait(&done, &rt.lock);
	watch_held();
	cudaError_t e = surface();
	pthread_mutex_unlock(&rt.lock);
	output_flush();
	return e;
}

cudaError_t event_wait(struct CUevent_st *ev)
{
	pthread_mutex_lock(&rt.lock);
	if (is_worker) { /* a host function may ask, but not wait */
		bool pending = ev->pending;
		pthread_mutex_unlock(&rt.lock);
		return pending ? cudaErrorNotPermitted : cudaSuccess;
	}
	end_epoch(&(struct awaited){.event = ev});
	while (ev->pending)
		pthread_cond_wait(&done, &rt.lock);
	watch_held();
	cudaError_t e = surface();
	pthread_mutex_unlock(&rt.lock);
	output_flush();
	return e;
}

cudaError_t device_wait(void)
{
	if (is_worker)
		return cudaErrorNotPermitted;
	pthread_mutex_lock(&rt.lock);
	end_epoch(NULL);
	while (first)
		pthread_cond_wait(&done, &rt.lock);
	cudaError_t e = surface();
	pthread_mutex_unlock(&rt.lock);
	output_flush();
	return e;
}
