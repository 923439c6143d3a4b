/* Live handles: a table by kind and value, and for each kind a list in the order of creation, so
 * that a context releases its objects in the same order in every run. */
#include "cuda/process/handles.h"
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

struct owned {
	struct owned *next, **at; /* links of the list of its kind */
	struct CUctx_st *ctx;     /* context that owns the handle; NULL: inner */
	uint64_t handle;
};
/* Combines kind and handle: addresses have 48 bits and texture handles fewer, so the kind fits
 * above. */
static const void *key(enum own_kind kind, uint64_t handle)
{
	return (const void *)(uintptr_t)(handle | (uint64_t)(kind + 1) << 56);
}

static void enter_handle(enum own_kind kind, uint64_t handle, struct CUctx_st *ctx)
{
	struct owned *o = rt_alloc(sizeof *o);
	pthread_mutex_lock(&process.handles.lock);
	if (!process.handles.list[kind].tail)
		process.handles.list[kind].tail = &process.handles.list[kind].first;
	*o = (struct owned){NULL, process.handles.list[kind].tail, ctx, handle};
	*process.handles.list[kind].tail = o;
	process.handles.list[kind].tail = &o->next;
	ptrmap_put(&process.handles.table, key(kind, handle), o);
	pthread_mutex_unlock(&process.handles.lock);
}

void own_add(enum own_kind kind, uint64_t handle) { enter_handle(kind, handle, context_current()); }
void own_add_inner(enum own_kind kind, uint64_t handle) { enter_handle(kind, handle, NULL); }

void own_remove(enum own_kind kind, uint64_t handle)
{
	pthread_mutex_lock(&process.handles.lock);
	struct owned *o = ptrmap_get(&process.handles.table, key(kind, handle));
	if (o) {
		*o->at = o->next;
		if (o->next)
			o->next->at = o->at;
		else
			process.handles.list[kind].tail = o->at;
		ptrmap_put(&process.handles.table, key(kind, handle), NULL);
	}
	pthread_mutex_unlock(&process.handles.lock);
	free(o);
}

bool own_has(enum own_kind kind, uint64_t handle)
{
	pthread_mutex_lock(&process.handles.lock);
	bool yes = handle && ptrmap_get(&process.handles.table, key(kind, handle));
	pthread_mutex_unlock(&process.handles.lock);
	return yes;
}

struct CUctx_st *own_context(enum own_kind kind, uint64_t handle)
{
	pthread_mutex_lock(&process.handles.lock);
	const struct owned *o =
		handle ? ptrmap_get(&process.handles.table, key(kind, handle)) : NULL;
	struct CUctx_st *c = o ? o->ctx : NULL;
	pthread_mutex_unlock(&process.handles.lock);
	return c;
}

bool own_is_inner(enum own_kind kind, uint64_t handle) { return !own_context(kind, handle); }

uint64_t own_first(enum own_kind kind, const struct CUctx_st *c)
{
	pthread_mutex_lock(&process.handles.lock);
	const struct owned *o = process.handles.list[kind].first;
	while (o && o->ctx != c)
		o = o->next;
	uint64_t h = o ? o->handle : 0;
	pthread_mutex_unlock(&process.handles.lock);
	return h;
}
