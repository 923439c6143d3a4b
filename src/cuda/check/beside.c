/* --check race: compares pieces of work that no order relates: copies with copies, the host with
 * copies. Kernels get a list of the work that is concurrent with them. */
#include "cuda/check/beside.h"

#include "cuda/process/failure.h"
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"

/* ---- concurrent copies ---- */

/* Returns the first byte that both a and b touch; 0: none. */
static uint64_t common_byte(const struct heddle_other *a, const struct heddle_other *b)
{
	if (a->rows > b->rows)
		return common_byte(b, a);
	for (uint64_t i = 0; i < a->rows; i++) {
		uint64_t lo = a->addr + i * a->pitch, hi = lo + a->bytes;
		uint64_t k = lo < b->addr ? 0 : (lo - b->addr) / b->pitch;
		for (uint64_t n = 0; n < 2 && k < b->rows; n++, k++) {
			uint64_t at = b->addr + k * b->pitch;
			if (at < hi && lo < at + b->bytes)
				return at > lo ? at : lo;
		}
	}
	return 0;
}

static const char *deed(const struct heddle_other *o)
{
	return o->does ? o->does : o->writes ? "written" : "read";
}

void beside_look(const struct others *x, const struct site *xs, const struct others *y,
		 const struct site *ys)
{
	for (unsigned i = 0; i < x->n; i++)
		for (unsigned k = 0; k < y->n; k++) {
			const struct heddle_other *a = &x->v[i], *b = &y->v[k];
			uint64_t at = (a->writes || b->writes) && !(a->does && b->does)
					      ? common_byte(a, b)
					      : 0;
			if (!at)
				continue;
			rt_fail("data race at 0x%llx: %s by %s, %s by %s: nothing orders the two",
				(unsigned long long)at, deed(a), site_text(xs), deed(b),
				site_text(ys));
			return;
		}
}

/* ---- the host ---- */

/* Adds the host's accesses since `seq`; with host not 0, only the accesses of that host
 * function. */
static void add_touches(struct others *o, uint64_t seq, uint64_t host)
{
	for (unsigned i = 0; i < touch_count(); i++) {
		const struct touch *t = touch_at(i);
		struct site s = site_at(t->pc);
		if (t->seq >= seq && t->host == host)
			others_put(o, (struct heddle_other){.addr = t->addr,
							    .bytes = 1,
							    .pitch = 1,
							    .rows = 1,
							    .writes = t->writes,
							    .what = site_text(&s),
							    .host = true});
	}
}

/* True if the byte is part of the copy's source or destination. */
static bool rows_have(const struct rows *p, const struct copy *c, uint64_t addr)
{
	uint64_t pitch = p->pitch ? p->pitch : c->width,
		 slice = p->slice ? p->slice : pitch * c->height;
	uint64_t off = addr - p->addr, z = c->depth > 1 ? off / slice : 0;
	uint64_t in_slice = off - z * slice, y = c->height > 1 ? in_slice / pitch : 0;
	return addr >= p->addr && z < c->depth && y < c->height && in_slice - y * pitch < c->width;
}

/* Reports that the host, or a host function, writes bytes that a copy has yet to read, or uses
 * bytes that it has yet to write. */
static void look_at_copy(const struct queued *e, uint64_t host)
{
	const struct copy copy = beside_copy(&e->w), *c = &copy;
	for (unsigned i = 0; i < touch_count(); i++) {
		const struct touch *t = touch_at(i);
		bool to = rows_have(&c->dst, c, t->addr),
		     from = !c->staged && rows_have(&c->src, c, t->addr);
		struct site s = site_at(t->pc);
		if (t->host != host || (!host && t->seq < e->seq) || !(to || (from && t->writes)))
			continue;
		rt_fail("data race in the host's memory at %p: %s by %s, which may be under way, %s by %s: nothing waits for it",
			(void *)(uintptr_t)t->addr, to ? "written" : "read", site_text(&e->site),
			t->writes ? "written" : "read", site_text(&s));
	}
}

/* True if neither of entries i, k happens before the other. */
static bool are_apart(const bool *before, size_t n, size_t i, size_t k)
{
	return i != k && !before[i * n + k] && !before[k * n + i];
}

/* True if k may change memory while i uses it. */
static bool are_beside(struct queued *const *at, const bool *before, size_t n, size_t i, size_t k)
{
	size_t older = i < k ? i : k;
	return (work_changes_memory(&at[k]->w) || at[k]->w.kind == WORK_GRAPH) &&
	       are_apart(before, n, i, k) && !(older == k && beside_is_done(at[k]));
}

static bool has_launches(const struct queued *e)
{
	return e->w.kind == WORK_KERNEL || e->w.kind == WORK_GRAPH;
}

enum { APART = 64 }; /* most concurrent launches before, and after, a launch that are named */

/* True after a host function or a wait for a value, which may create an order with other streams
 * that the queue does not see. */
static bool is_ordered_unseen(struct queued *const *at, const bool *before, size_t n, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		enum work_kind kind = at[k]->w.kind;
		if (before[i * n + k] &&
		    (kind == WORK_HOST || kind == WORK_CALLBACK || kind == WORK_WAIT_VALUE))
			return true;
	}
	return false;
}

static bool name_if_apart(struct queued *const *at, const bool *before, size_t n, size_t i,
			  size_t k)
{
	struct queued *e = at[i];
	if (!has_launches(at[k]) || !are_apart(before, n, i, k) ||
	    is_ordered_unseen(at, before, n, k))
		return false;
	e->apart = rt_grow(e->apart, (e->napart + 1) * sizeof *e->apart);
	e->apart[e->napart++] = at[k]->seq;
	return true;
}

/* Names concurrent launches by number. Launches that cannot run together, because each waits for
 * something else or belongs to a graph, are not in one batch. Launches of earlier epochs are left
 * out: whether they are done depends on the host's speed. */
static void name_launches(struct queued *const *at, const bool *before, size_t n, size_t i)
{
	unsigned older = 0, newer = 0;
	if (is_ordered_unseen(at, before, n, i))
		return;
	for (size_t k = i; k-- > 0 && older < APART && at[k]->epoch == at[i]->epoch;)
		older += name_if_apart(at, before, n, i, k);
	for (size_t k = i + 1; k < n && newer < APART && at[k]->epoch == at[i]->epoch; k++)
		newer += name_if_apart(at, before, n, i, k);
}

/* Returns the matrix of happens-before: [i * n + k] is true if k ends before i begins. */
static bool *find_order(struct queued *const *at, size_t n)
{
	bool *before = rt_alloc(n * n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k-- > 0;) {
			if (before[i * n + k] || !queued_waits(at[i], at[k]))
				continue;
			before[i * n + k] = true;
			for (size_t j = 0; j < k; j++)
				before[i * n + j] |= before[k * n + j];
		}
	return before;
}

/* Adds work submitted since the last examination to the lists of the launches that have not
 * begun. */
static void tell_launches(struct queued *const *at, const bool *before, const bool *fresh, size_t n,
			  size_t i, bool touches)
{
	struct queued *e = at[i];
	struct heddle_launch *l = e->w.kind == WORK_KERNEL ? &e->w.kernel.l : NULL;
	struct others o = {l ? (struct heddle_other *)(uintptr_t)l->others : e->others,
			   l ? l->nothers : e->nothers};
	for (size_t k = 0; k < n; k++)
		if ((fresh[i] || fresh[k]) && are_beside(at, before, n, i, k))
			others_add(&o, &at[k]->w, &at[k]->site);
	if (fresh[i])
		name_launches(at, before, n, i);
	if (!l) {
		e->others = o.v;
		e->nothers = o.n;
		return;
	}
	if (touches)
		add_touches(&o, e->seq, 0);
	l->others = o.v;
	l->nothers = o.n;
	l->ticket = e->seq;
	l->beside = e->apart;
	l->nbeside = e->napart;
}

/* Compares each copy with later copies only, so that each pair is compared once. */
static void look_at_copies(struct queued *const *at, const struct others *place, const bool *before,
			   const bool *fresh, size_t n, size_t i)
{
	for (size_t k = i + 1; k < n && place[i].n; k++)
		if ((fresh[i] || fresh[k]) && place[k].n && are_beside(at, before, n, k, i))
			beside_look(&place[i], &at[i]->site, &place[k], &at[k]->site);
}

static void find_all(struct queued *first, bool touches)
{
	size_t n = 0, kernels = 0, copies = 0;
	const struct CUstream_st *stream = NULL;
	bool several = false; /* true: at least two streams have launches */
	for (const struct queued *e = first; e; e = e->next, n++) {
		if (touches && beside_is_late(e) && !e->running)
			look_at_copy(e, 0);
		kernels += has_launches(e) && !e->running;
		copies += work_changes_memory(&e->w);
		if (!has_launches(e))
			continue;
		several |= stream && stream != e->stream;
		stream = e->stream;
	}
	if (copies < 2 && (!kernels || (!copies && !touch_count() && !several)))
		return;
	struct queued **at = rt_alloc(n * sizeof *at);
	struct others *place = rt_alloc(n * sizeof *place);
	size_t i = 0;
	for (struct queued *e = first; e; e = e->next, i++) {
		at[i] = e;
		place[i] = beside_places(&e->w);
	}
	bool *before = find_order(at, n), *fresh = rt_alloc(n);
	for (i = 0; i < n; i++)
		fresh[i] = !at[i]->looked;
	for (i = 0; i < n; i++) {
		at[i]->looked = true;
		if (at[i]->running)
			continue;
		if (has_launches(at[i]))
			tell_launches(at, before, fresh, n, i, touches);
		else
			look_at_copies(at, place, before, fresh, n, i);
	}
	for (i = 0; i < n; i++)
		free(place[i].v);
	free(place);
	free(fresh);
	free(before);
	free(at);
}

void beside_find(struct queued *first) { find_all(first, true); }

void beside_find_fresh(struct queued *first)
{
	const struct queued *e = first;
	while (e && e->looked)
		e = e->next;
	if (e)
		find_all(first, false);
}

/* ---- host functions ---- */

/* Calls f for each kernel and copy of the list that has not begun and that is not ordered with
 * e. */
static void each_beside(struct queued *first, const struct queued *e,
			void (*f)(struct queued *, const struct queued *))
{
	size_t n = 0, me = 0, i = 0;
	for (const struct queued *o = first; o; o = o->next, n++)
		me = o == e ? n : me;
	struct queued **at = rt_alloc(n * sizeof *at);
	for (struct queued *o = first; o; o = o->next)
		at[i++] = o;
	bool *before = find_order(at, n);
	for (i = 0; i < n; i++)
		if (i != me && !at[i]->running && !before[i * n + me] && !before[me * n + i] &&
		    (at[i]->w.kind == WORK_KERNEL || beside_is_late(at[i])))
			f(at[i], e);
	free(before);
	free(at);
}

static void watch_for(struct queued *o, const struct queued *e)
{
	(void)e;
	touch_watch_for_host(o);
}

static void tell_of(struct queued *o, const struct queued *e)
{
	if (o->w.kind != WORK_KERNEL) {
		look_at_copy(o, e->seq);
		return;
	}
	struct others x = {(struct heddle_other *)(uintptr_t)o->w.kernel.l.others,
			   o->w.kernel.l.nothers};
	add_touches(&x, 0, e->seq);
	o->w.kernel.l.others = x.v;
	o->w.kernel.l.nothers = x.n;
}

void beside_host_begin(struct queued *first, const struct queued *e)
{
	touch_by_host(e->seq);
	each_beside(first, e, watch_for);
}

void beside_host_end(struct queued *first, const struct queued *e)
{
	touch_by_host(0);
	if (touch_count())
		each_beside(first, e, tell_of);
}
