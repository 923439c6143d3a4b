/* --check race: lists the memory that a copy, a fill or an allocation uses. */
#include "cuda/check/beside.h"
#include "cuda/graph/graph.h"
#include "cuda/memory/memory.h"
#include "cuda/process/alloc.h"

void others_put(struct others *o, struct heddle_other x)
{
	if (!x.bytes || !x.rows)
		return;
	o->v = rt_grow(o->v, (o->n + 1) * sizeof *o->v);
	o->v[o->n++] = x;
}

/* Adds one place slice by slice. */
static void add_place(struct others *o, uint64_t addr, uint64_t pitch, uint64_t slice,
		      uint64_t bytes, uint64_t rows, uint64_t slices, bool writes, const char *what)
{
	for (uint64_t z = 0; z < slices; z++)
		others_put(o, (struct heddle_other){addr + z * slice, bytes, pitch ? pitch : bytes,
						    rows, writes, what, NULL, false});
}

/* True for device memory, and for host memory that a copy uses after its call has returned. */
static bool is_used_late(const struct rows *p, bool host)
{
	return p->device || (host && host_find((const void *)(uintptr_t)p->addr));
}

/* Adds the places that the work reads or writes; host: in host memory too. */
static void add_places(struct others *o, const struct work *w, const char *what, bool host)
{
	const struct copy *c = &w->copy;
	const struct fill *f = &w->fill;
	if (w->kind == WORK_FILL)
		add_place(o, f->addr, f->pitch, f->slice, f->width * f->size, f->height, f->depth,
			  true, what);
	if (w->kind == WORK_FREE || w->kind == WORK_ALLOC)
		others_put(o, (struct heddle_other){
				      w->mem.addr, w->mem.size, w->mem.size, 1, true, what,
				      w->kind == WORK_FREE ? "freed" : "allocated", false});
	if (w->kind != WORK_COPY)
		return;
	if (is_used_late(&c->dst, host))
		add_place(o, c->dst.addr, c->dst.pitch, c->dst.slice, c->width, c->height, c->depth,
			  true, what);
	if (!c->staged && is_used_late(&c->src, host))
		add_place(o, c->src.addr, c->src.pitch, c->src.slice, c->width, c->height, c->depth,
			  false, what);
}

/* The places of a graph are those of its nodes. */
void others_add(struct others *o, const struct work *w, const struct site *site)
{
	if (w->kind != WORK_GRAPH) {
		add_places(o, w, site_text(site), false);
		return;
	}
	for (size_t i = 0; i < w->graph->n; i++) {
		const struct CUgraphNode_st *x = w->graph->node[i];
		if (!x->disabled && (work_changes_memory(&x->w) || x->w.kind == WORK_GRAPH))
			others_add(o, &x->w, &x->site);
	}
}

struct others beside_places(const struct work *w)
{
	struct others o = {0};
	add_places(&o, w, NULL, true);
	return o;
}

/* True for cudaMemset(): it may return before it is done, but programs treat it as done, and on
 * hardware it nearly always is. */
bool beside_is_done(const struct queued *older)
{
	return older->w.kind == WORK_FILL && older->stream == &process.streams.legacy;
}

bool beside_is_late(const struct queued *e)
{
	return e->w.kind == WORK_COPY || (e->w.kind == WORK_FILL && !beside_is_done(e));
}

/* Returns a fill as a copy that reads nothing. */
struct copy beside_copy(const struct work *w)
{
	const struct fill *f = &w->fill;
	if (w->kind == WORK_COPY)
		return w->copy;
	return (struct copy){.dst = {.addr = f->addr, .pitch = f->pitch, .slice = f->slice},
			     .width = f->width * f->size,
			     .height = f->height,
			     .depth = f->depth,
			     .src = {.addr = UINT64_MAX}};
}
