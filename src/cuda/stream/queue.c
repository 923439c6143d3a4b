/* Asynchronous work: the list of entries in the order of submission, and the threads that execute
 * it. cuda/rt.h explains the rules, order.c decides which entry waits for which. */
#include <signal.h>
#include <time.h>
#include "cuda/process/alloc.h"
#include "cuda/check/beside.h"
#include "cuda/stream/queue.h"
#include "cuda/process/failure.h"
#include "cuda/rt.h"

/* most entries without an epoch: more end an epoch even though the program does not wait */
enum { EPOCH_MAX = 4096 };

const struct queued *queued_graph(void) { return process.queue.running_graph; }

/* ---- epochs ---- */

/* Work is deferred until the program waits for something, because the set of launches that run
 * together must not depend on the host's speed. Work submitted until then is an epoch; epochs are
 * executed one after the other. */
static bool by_epochs(void) { return device_info()->concurrent_kernels > 1; }

/* Returns the last entry of the list, which must not be empty. */
static struct queued *last_entry(void)
{
	return (struct queued *)((char *)process.queue.tail - offsetof(struct queued, next));
}

/* Returns the link to the first entry that belongs to no epoch. */
static struct queued **unreleased_link(void)
{
	struct queued **from = &process.queue.first;
	for (struct queued *e = process.queue.first; e; e = e->next)
		if (e->ends_epoch)
			from = &e->next;
	return from;
}

/* Makes an epoch of the entries that the wait concerns. With --check race, the other entries are
 * deferred, as if they were submitted after the wait. */
static void release_epoch(const struct awaited *a)
{
	if (!process.check.race || !by_epochs()) {
		last_entry()->ends_epoch = true;
		process.queue.unreleased = 0;
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
	for (i = 0, process.queue.tail = from; i < n; i++) {
		*process.queue.tail = at[i];
		process.queue.tail = &at[i]->next;
		at[i]->ends_epoch = i + 1 == now;
		at[i]->epoch += i >= now;
	}
	*process.queue.tail = NULL;
	process.queue.unreleased = (unsigned)(n - now);
	free(at);
}

/* Ends an epoch of the work that the program waits for (NULL: everything submitted so far). Call
 * with process.lock. */
static void end_epoch(const struct awaited *a)
{
	if (process.queue.tail == &process.queue.first)
		return;
	if (process.check.race) {
		beside_find(process.queue.first);
		touch_end();
	}
	release_epoch(a);
	process.queue.epoch++;
	pthread_cond_broadcast(&process.queue.more);
}

/* After a wait, watches the memory of deferred work, which the host must not touch. Call with
 * process.lock. */
static void watch_held(void)
{
	for (const struct queued *e = *unreleased_link(); e && process.check.race; e = e->next)
		touch_watch(e, true);
}

void work_release(const struct CUevent_st *ev)
{
	pthread_mutex_lock(&process.lock);
	end_epoch(&(struct awaited){.event = ev});
	pthread_mutex_unlock(&process.lock);
}

/* Returns the last entry of the epoch that begins with e; NULL: the program has not waited
 * since. */
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

/* Finds the oldest entry up to `end`, of the kind that this thread executes (host functions or
 * other work), that no older entry blocks. */
static struct queued *find_runnable(bool host, const struct queued *end)
{
	const struct queued *before = NULL;
	for (struct queued *e = process.queue.first; e && before != end; before = e, e = e->next) {
		if (e->running || queued_is_host(e) != host)
			continue;
		struct queued *o = process.queue.first;
		while (o != e && !queued_waits(e, o))
			o = o->next;
		if (o == e)
			return e;
	}
	return NULL;
}

static bool host_runs(const struct queued *end)
{
	const struct queued *e = process.queue.first;
	while (e != end && !(e->running && queued_is_host(e)))
		e = e->next;
	return e->running && queued_is_host(e);
}

/* Returns the next runnable entry of the first epoch. While a host function of that epoch runs,
 * later epochs are searched too, because the function may wait for their work. */
static struct queued *next_entry(bool host)
{
	for (const struct queued *end = epoch_end(process.queue.first); end;
	     end = epoch_end(end->next)) {
		struct queued *e = find_runnable(host, end);
		if (e || !host_runs(end))
			return e;
	}
	return NULL;
}

/* ---- executing ---- */

static void callback_run(struct queued *e)
{
	if (e->w.kind == WORK_CALLBACK)
		e->w.host.callback(e->stream == &process.streams.legacy ? NULL : e->stream,
				   process.device.async_error, e->w.host.arg);
	else if (!process.device.async_error)
		e->w.host.fn(e->w.host.arg);
}

static void event_release(struct CUevent_st *ev)
{
	if (!--ev->users && ev->destroyed)
		free(ev);
}

/* Removes an entry that is done. Call with process.lock. */
static void retire_entry(struct queued *e)
{
	struct queued **p = &process.queue.first, *before = NULL;
	for (; *p != e; p = &(*p)->next)
		before = *p;
	if (e->ends_epoch && before) /* the epoch now ends one entry earlier */
		before->ends_epoch = true;
	*p = e->next;
	if (process.queue.tail == &e->next)
		process.queue.tail = p;
	/* Programs wait for idle streams and for events, so only these completions wake them. */
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
		pthread_cond_broadcast(&process.queue.done);
	pthread_cond_broadcast(&process.queue.more);
}

/* --check init: reports a copy to the host of memory that was never written, once per call of the
 * program. */
static void look_for_unwritten(const struct queued *e)
{
	enum { CALLS = sizeof process.queue.unwritten / sizeof *process.queue.unwritten };
	const char **said = process.queue.unwritten;
	if (e->w.kind != WORK_COPY || !copy_is_unwritten(&e->w.copy))
		return;
	const struct copy *c = &e->w.copy;
	const char *call = site_text(&e->site), *by = site_of(NULL, c->src.addr);
	for (unsigned i = 0; i < process.queue.nunwritten && i < CALLS; i++)
		if (said[i] == call)
			return;
	said[process.queue.nunwritten++ % CALLS] = call;
	rt_fail("read of %llu bytes at 0x%llx%s%s%s that nothing has written, by %s",
		(unsigned long long)(c->width * c->height * c->depth),
		(unsigned long long)c->src.addr, by ? " (allocated by " : "", by ? by : "",
		by ? ")" : "", call);
}

static void execute_entry(struct queued *e, bool host)
{
	cudaError_t err = cudaSuccess;
	e->running = true;
	if (host)
		pthread_cond_broadcast(
			&process.queue
				 /* a host function may wait for work submitted after it: see
				  * next_entry() */
				 .more);
	bool dead = process.device.async_error !=
		    cudaSuccess; /* after a fault no work runs, but events still complete */
	bool graph = e->w.kind == WORK_GRAPH;
	struct work mine = e->w;
	if (host && process.check.race)
		beside_host_begin(process.queue.first, e);
	pthread_mutex_unlock(&process.lock);
	if (dead && e->w.kind == WORK_KERNEL)
		failure_skipped();
	if (host)
		callback_run(e);
	else if (e->w.kind == WORK_WAIT_VALUE)
		while (!process.device.async_error && !work_value_ready(&e->w)) {
			struct timespec nap = {0, 100000};
			nanosleep(&nap, NULL);
		}
	else if (!dead || e->w.kind == WORK_RECORD) {
		if (process.check.any)
			look_for_unwritten(e);
		process.queue.running_graph = graph ? e : NULL;
		err = work_run(&e->w);
		process.queue.running_graph = NULL;
	}
	/* outside the lock: memory and objects of the program may be freed with the graph */
	if (graph)
		work_free(&mine);
	pthread_mutex_lock(&process.lock);
	if (host && process.check.race)
		beside_host_end(process.queue.first, e);
	if (graph)
		e->w.kind = WORK_EMPTY;
	if (err && !process.device.async_error)
		process.device.async_error = err;
	retire_entry(e);
}

/* Executes launch e together with the launches that may run concurrently with it. */
static void execute_together(struct queued *e)
{
	struct batch *b = batch_gather(process.queue.first, epoch_end(e), e);
	if (batch_size(b) < 2) {
		batch_free(b);
		execute_entry(e, false);
		return;
	}
	for (unsigned i = 0; i < batch_size(b); i++)
		batch_entry(b, i)->running = true;
	pthread_mutex_unlock(&process.lock);
	cudaError_t err = batch_run(b);
	pthread_mutex_lock(&process.lock);
	if (err && !process.device.async_error)
		process.device.async_error = err;
	for (unsigned i = 0; i < batch_size(b); i++)
		retire_entry(batch_entry(b, i));
	batch_free(b);
}

/* Starts an epoch after a short time without one, because a program may poll memory that kernels
 * write, without a call. */
static void wait_for_work(void)
{
	struct timespec t;
	if (!process.queue.first || !by_epochs() || !process.device.host_memory) {
		pthread_cond_wait(&process.queue.more, &process.lock);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	if (pthread_cond_timedwait(&process.queue.more, &process.lock, &t) &&
	    !epoch_end(process.queue.first))
		end_epoch(NULL);
}

static double read_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --check race: lets host functions run first, so that kernels can be checked against their
 * accesses, whatever the host's speed. A host function that takes longer than a second may be
 * waiting for a kernel. Returns true if one has run or had the chance. */
static bool lets_host_first(void)
{
	const struct queued *end = epoch_end(process.queue.first), *before = NULL;
	struct queued *h = process.check.race && end ? find_runnable(true, end) : NULL;
	for (struct queued *e = process.queue.first; process.check.race && !h && e && before != end;
	     before = e, e = e->next)
		h = e->running && queued_is_host(e) ? e : NULL;
	if (!h || (h->waited > 0 && read_clock() - h->waited > 1))
		return false;
	h->waited = h->waited > 0 ? h->waited : read_clock();
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_cond_timedwait(&process.queue.more, &process.lock, &t);
	return true;
}

static void execute_now(struct queued *e, bool host)
{
	if (process.check.race && by_epochs() && !host)
		beside_find_fresh(process.queue.first);
	if (e->w.kind == WORK_KERNEL && by_epochs() && !process.device.async_error)
		execute_together(e);
	else
		execute_entry(e, host);
}

static void *work_loop(void *arg)
{
	bool host = arg != NULL;
	thread.is_worker = true;
	pthread_mutex_lock(&process.lock);
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

static bool start_thread(pthread_t *t, bool *flag, void *arg)
{
	sigset_t all, old;
	if (*flag)
		return true;
	sigfillset(
		/* signals go to the program's threads, except a thread's own faults
		 * (check/touch.c) */
		&all);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	*flag = !pthread_create(t, NULL, work_loop, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (*flag)
		pthread_detach(*t);
	return *flag;
}

/* ---- submitting ---- */

static void append_entry(struct CUstream_st *s, struct work *w)
{
	struct queued *e = rt_alloc(sizeof *e);
	e->w = *w;
	e->stream = s;
	e->seq = ++process.queue.last_seq;
	e->epoch = process.queue.epoch;
	s->pending++;
	if (w->kind == WORK_RECORD) {
		w->event.event->seq = e->seq;
		w->event.event->recorded = w->event.event->pending = true;
	}
	if (w->kind == WORK_RECORD || w->kind == WORK_WAIT)
		w->event.event->users++;
	*process.queue.tail = e;
	process.queue.tail = &e->next;
	if (process.check.any && work_changes_memory(w))
		e->site = site_here();
	if (process.check.race)
		touch_watch(e, false);
	if (!by_epochs() || process.device.host_memory)
		pthread_cond_broadcast(&process.queue.more);
	if (by_epochs() && ++process.queue.unreleased >= EPOCH_MAX)
		end_epoch(NULL);
}

bool work_frees(uint64_t addr)
{
	bool found = false;
	pthread_mutex_lock(&process.lock);
	for (const struct queued *e = process.queue.first; e && !found; e = e->next)
		found = e->w.kind == WORK_FREE && e->w.mem.addr == addr;
	pthread_mutex_unlock(&process.lock);
	return found;
}

cudaError_t work_submit(struct CUstream_st *s, struct work *w)
{
	bool capture = false;
	cudaError_t e = cudaSuccess;
	pthread_mutex_lock(&process.lock);
	if (s->capture)
		capture = true;
	else if (!start_thread(&process.queue.worker, &process.queue.started, NULL) ||
		 ((w->kind == WORK_HOST || w->kind == WORK_CALLBACK) &&
		  !start_thread(&process.queue.host_worker, &process.queue.host_started,
				&process.queue.host_worker)))
		e = cudaErrorOperatingSystem;
	else if (w->kind == WORK_WAIT && !w->event.event->pending)
		; /* nothing to wait for */
	else {
		if (w->kind == WORK_WAIT)
			w->event.seq = w->event.event->seq;
		append_entry(s, w);
		w->kind = WORK_EMPTY;
	}
	if (capture)
		e = s->capture_add(s, w);
	pthread_mutex_unlock(&process.lock);
	if (!capture && w->kind != WORK_EMPTY)
		work_free(w);
	return e;
}

/* ---- waiting ---- */

static cudaError_t surface_error(void)
{
	if (process.device.async_error)
		process.device.sticky = process.device.async_error;
	return process.device.sticky;
}

/* True if all streams that the legacy stream waits for are idle: all but non-blocking ones. */
static bool legacy_idle(void)
{
	for (const struct queued *e = process.queue.first; e; e = e->next)
		if (stream_blocks(e->stream))
			return false;
	return true;
}

bool stream_idle(struct CUstream_st *s)
{
	pthread_mutex_lock(&process.lock);
	end_epoch(&(struct awaited){.stream = s});
	bool idle = s == &process.streams.legacy ? legacy_idle() : !s->pending;
	if (idle)
		watch_held();
	pthread_mutex_unlock(&process.lock);
	if (idle)
		output_flush();
	return idle;
}

cudaError_t stream_wait(struct CUstream_st *s)
{
	if (thread.is_worker)
		return stream_idle(s) ? cudaSuccess : cudaErrorNotPermitted;
	pthread_mutex_lock(&process.lock);
	end_epoch(&(struct awaited){.stream = s});
	while (s == &process.streams.legacy ? !legacy_idle() : s->pending != 0)
		pthread_cond_wait(&process.queue.done, &process.lock);
	watch_held();
	cudaError_t e = surface_error();
	pthread_mutex_unlock(&process.lock);
	output_flush();
	return e;
}

cudaError_t event_wait(struct CUevent_st *ev)
{
	pthread_mutex_lock(&process.lock);
	if (thread.is_worker) { /* a host function may query, but not wait */
		bool pending = ev->pending;
		pthread_mutex_unlock(&process.lock);
		return pending ? cudaErrorNotPermitted : cudaSuccess;
	}
	end_epoch(&(struct awaited){.event = ev});
	while (ev->pending)
		pthread_cond_wait(&process.queue.done, &process.lock);
	watch_held();
	cudaError_t e = surface_error();
	pthread_mutex_unlock(&process.lock);
	output_flush();
	return e;
}

cudaError_t device_wait(void)
{
	if (thread.is_worker)
		return cudaErrorNotPermitted;
	pthread_mutex_lock(&process.lock);
	end_epoch(NULL);
	while (process.queue.first)
		pthread_cond_wait(&process.queue.done, &process.lock);
	cudaError_t e = surface_error();
	pthread_mutex_unlock(&process.lock);
	output_flush();
	return e;
}
