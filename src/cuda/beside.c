#include "cuda/beside.h"

#include "cuda/failure.h"
#include "cuda/mem.h"

static void add(struct others *o, struct heddle_other x)
{
	if (!x.bytes || !x.rows)
		return;
	o->v = rt_grow(o->v, (o->n + 1) * sizeof *o->v);
	o->v[o->n++] = x;
}

/* A slice at a time. */
static void add_place(struct others *o, uint64_t addr, uint64_t pitch, uint64_t slice,
		      uint64_t bytes, uint64_t rows, uint64_t slices, bool writes, const char *what)
{
	for (uint64_t z = 0; z < slices; z++)
		add(o, (struct heddle_other){addr + z * slice, bytes, pitch ? pitch : bytes, rows,
					     writes, what, NULL});
}

void others_add(struct others *o, const struct work *w, const struct site *site)
{
	const struct copy *c = &w->copy;
	const struct fill *f = &w->fill;
	const char *what = site_text(site);
	if (w->kind == WORK_FILL)
		add_place(o, f->addr, f->pitch, f->slice, f->width * f->size, f->height, f->depth,
			  true, what);
	if (w->kind == WORK_FREE || w->kind == WORK_ALLOC)
		add(o, (struct heddle_other){w->mem.addr, w->mem.size, w->mem.size, 1, true, what,
					     w->kind == WORK_FREE ? "freed" : "allocated"});
	if (w->kind != WORK_COPY)
		return;
	if (c->dst.device)
		add_place(o, c->dst.addr, c->dst.pitch, c->dst.slice, c->width, c->height, c->depth,
			  true, what);
	if (c->src.device && !c->staged)
		add_place(o, c->src.addr, c->src.pitch, c->src.slice, c->width, c->height, c->depth,
			  false, what);
}

static void add_touches(struct others *o, const struct queued *e)
{
	for (unsigned i = 0; i < touch_count(); i++) {
		const struct touch *t = touch_at(i);
		struct site s = site_at(t->pc);
		if (t->seq >= e->seq)
			add(o, (struct heddle_other){t->addr, 1, 1, 1, t->writes, site_text(&s),
						     NULL});
	}
}

/* True if the byte is part of the copy's place. */
static bool rows_have(const struct rows *p, const struct copy *c, uint64_t addr)
{
	uint64_t pitch = p->pitch ? p->pitch : c->width,
		 slice = p->slice ? p->slice : pitch * c->height;
	uint64_t off = addr - p->addr, z = c->depth > 1 ? off / slice : 0;
	uint64_t in_slice = off - z * slice, y = c->height > 1 ? in_slice / pitch : 0;
	return addr >= p->addr && z < c->depth && y < c->height && in_slice - y * pitch < c->width;
}

/* Reports that the host changes what a copy has yet to read, or uses what it has yet to write. */
static void look_at_copy(const struct queued *e)
{
	const struct copy *c = &e->w.copy;
	for (unsigned i = 0; i < touch_count(); i++) {
		const struct touch *t = touch_at(i);
		bool to = rows_have(&c->dst, c, t->addr),
		     from = !c->staged && rows_have(&c->src, c, t->addr);
		struct site s = site_at(t->pc);
		if (t->seq < e->seq || !(to || (from && t->writes)))
			continue;
		rt_fail("data race in the host's memory at %p: %s by %s, which may be under way, %s by %s: nothing waits for it",
			(void *)(uintptr_t)t->addr, to ? "written" : "read", site_text(&e->site),
			t->writes ? "written" : "read", site_text(&s));
	}
}

/* cudaMemset() returns before it is done, but programs take it as done, and on hardware it nearly
 * always is. */
static bool counts_as_done(const struct queued *older)
{
	return older->w.kind == WORK_FILL && older->stream == &stream_legacy;
}

void beside_find(struct queued *first)
{
	size_t n = 0, kernels = 0, copies = 0;
	for (const struct queued *e = first; e; e = e->next, n++) {
		if (e->w.kind == WORK_COPY && !e->running)
			look_at_copy(e);
		kernels += e->w.kind == WORK_KERNEL && !e->looked;
		copies += work_changes_memory(&e->w);
	}
	if (!kernels || (!copies && !touch_count()))
		return;
	struct queued **at = rt_alloc(n * sizeof *at);
	bool *before = rt_alloc(n * n); /* [i * n + k]: k ends before i begins */
	size_t i = 0;
	for (struct queued *e = first; e; e = e->next, i++) {
		at[i] = e;
		for (size_t k = i; k-- > 0;) {
			if (before[i * n + k] || !queued_waits(e, at[k]))
				continue;
			before[i * n + k] = true;
			for (size_t j = 0; j < k; j++)
				before[i * n + j] |= before[k * n + j];
		}
	}
	for (i = 0; i < n; i++) {
		struct others o = {0};
		if (at[i]->w.kind != WORK_KERNEL || at[i]->running || at[i]->looked)
			continue;
		at[i]->looked = true;
		for (size_t k = 0; k < n; k++)
			if (work_changes_memory(&at[k]->w) && !before[i * n + k] &&
			    !before[k * n + i] && !(k < i && counts_as_done(at[k])))
				others_add(&o, &at[k]->w, &at[k]->site);
		add_touches(&o, at[i]);
		at[i]->w.kernel.l.others = o.v;
		at[i]->w.kernel.l.nothers = o.n;
	}
	free(before);
	free(at);
}
