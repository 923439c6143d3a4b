/* Batches: launches of several streams that run on the GPU together. A member of a batch waits only
 * for other members. Events between launches are members too, because they take no time: a record
 * gets the time at which the last launch before it ended. */
#include "cuda/stream/queue.h"
#include "cuda/device/device.h"

#include "cuda/process/alloc.h"
#include "cuda/module/native.h"

enum { LAUNCHES = 64, MEMBERS = 256 };

struct batch {
	struct member {
		struct queued *e;
		uint64_t after; /* launches of the batch that the member waits for, one bit each */
		int launch;     /* number among the batch's launches; -1: an event */
	} m[MEMBERS];
	unsigned n, launches;
	struct heddle_task task[LAUNCHES];
	unsigned order[LAUNCHES][LAUNCHES];
};

unsigned batch_size(const struct batch *b) { return b->n; }
struct queued *batch_entry(const struct batch *b, unsigned i) { return b->m[i].e; }
void batch_free(struct batch *b) { free(b); }

static const struct member *member_of(const struct batch *b, const struct queued *e)
{
	for (unsigned i = 0; i < b->n; i++)
		if (b->m[i].e == e)
			return &b->m[i];
	return NULL;
}

/* True if e may join the batch; *after: the launches of the batch that it waits for. */
static bool fits_batch(const struct batch *b, const struct queued *first, const struct queued *e,
		       uint64_t *after)
{
	bool launch = e->w.kind == WORK_KERNEL;
	*after = 0;
	if (e->running || (!launch && e->w.kind != WORK_RECORD && e->w.kind != WORK_WAIT))
		return false;
	if (launch && (e->w.kernel.l.cooperative || b->launches == LAUNCHES))
		return false;
	for (const struct queued *o = first; o != e; o = o->next) {
		if (!queued_waits(e, o))
			continue;
		const struct member *m = member_of(b, o);
		if (!m)
			return false;
		*after |= m->after | (m->launch >= 0 ? 1ull << m->launch : 0);
	}
	return true;
}

struct batch *batch_new(void) { return rt_alloc(sizeof(struct batch)); }

int batch_add(struct batch *b, struct queued *e, uint64_t after)
{
	if (b->launches == LAUNCHES || b->n == MEMBERS)
		return -1;
	b->m[b->n++] = (struct member){e, after, (int)b->launches};
	return (int)b->launches++;
}

struct batch *batch_gather(struct queued *first, const struct queued *last, struct queued *start)
{
	struct batch *b = batch_new();
	const struct queued *before = NULL;
	uint64_t after;
	for (struct queued *e = first; e && before != last && b->n < MEMBERS;
	     before = e, e = e->next) {
		bool launch = e->w.kind == WORK_KERNEL;
		if (fits_batch(b, first, e, &after) || e == start)
			b->m[b->n++] = (struct member){e, after, launch ? (int)b->launches++ : -1};
		if (e == start && e->w.kernel.l.cooperative)
			break; /* e needs the GPU for itself */
	}
	return b;
}

/* ---- running ---- */

static void make_task(struct batch *b, const struct member *m)
{
	struct heddle_task *t = &b->task[m->launch];
	const struct kernel *k = m->e->w.kernel.k;
	*t = (struct heddle_task){.launch = k->native
						    ? native_launch(k->native, k, &m->e->w.kernel.l)
						    : m->e->w.kernel.l,
				  .after = b->order[m->launch]};
	for (uint64_t q = m->after; q; q &= q - 1)
		b->order[m->launch][t->nafter++] = (unsigned)__builtin_ctzll(q);
}

/* Returns when the last of some launches ended, in seconds from the start of the batch. */
static double end_of(const struct batch *b, uint64_t launches)
{
	double t = 0;
	for (; launches; launches &= launches - 1) {
		const struct heddle_task *k = &b->task[__builtin_ctzll(launches)];
		t = k->to > t ? k->to : t;
	}
	return t;
}

/* Sets the times of launches. Without timing, launches run one after the other and take their
 * nominal times. */
static void set_times(struct batch *b)
{
	double at = 0;
	for (unsigned i = 0; i < b->launches; i++) {
		struct heddle_task *t = &b->task[i];
		if (t->to > 0)
			return;
		t->from = at;
		t->to = at += t->ran ? launch_time(t->stats) : 0;
	}
}

cudaError_t batch_run(struct batch *b)
{
	struct heddle *h = device_lock();
	for (unsigned i = 0; i < b->n; i++)
		if (b->m[i].launch >= 0)
			make_task(b, &b->m[i]);
	launch_begin();
	enum heddle_status st = heddle_launch_many(h, b->task, b->launches);
	launch_end();
	set_times(b);
	cudaError_t e = launch_error(st);
	for (unsigned i = 0; i < b->n; i++) {
		const struct member *m = &b->m[i];
		if (m->e->w.kind == WORK_RECORD && !m->e->w.event.seq)
			m->e->w.event.event->time = process.device.time + end_of(b, m->after);
		if (m->launch >= 0 && m->e->w.kernel.k->native)
			free((void *)(uintptr_t)b->task[m->launch].launch.params);
	}
	process.device.time += end_of(b, b->launches < 64 ? (1ull << b->launches) - 1 : UINT64_MAX);
	device_unlock();
	return e;
}
