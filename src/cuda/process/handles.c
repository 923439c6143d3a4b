/* Live handles: a table by kind and value, and for each kind a list in the order of making, so that
 * a context gives up its things in the same order in every run. */
#include "cuda/process/handles.h"
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"

struct owned {
	struct owned *next, **at; /* in the list of its kind */
	struct CUctx_st *ctx;     /* NULL: inner */
	uint64_t handle;
};
static struct {
	struct owned *first, **tail;
} list[OWN_KINDS];
static struct ptrmap table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Addresses have 48 bits and texture handles fewer: the kind fits above them. */
static const void *key(enum own_kind kind, uint64_t handle)
{
	return (const void *)(uintptr_t)(handle | (uint64_t)(kind + 1) << 56);
}

static void enter(enum own_kind kind, uint64_t handle, struct CUctx_st *ctx)
{
	struct owned *o = rt_alloc(sizeof *o);
	pthread_mutex_lock(&lock);
	if (!list[kind].tail)
		list[kind].tail = &list[kind].first;
	*o = (struct owned){NULL, list[kind].tail, ctx, handle};
	*list[kind].tail = o;
	list[kind].tail = &o->next;
	ptrmap_put(&table, key(kind, handle), o);
	pthread_mutex_unlock(&lock);
}

void own_add(enum own_kind kind, uint64_t handle) { enter(kind, handle, context_current()); }
void own_add_inner(enum own_kind kind, uint64_t handle) { enter(kind, handle, NULL); }

void own_remove(enum own_kind kind, uint64_t handle)
{
	pthread_mutex_lock(&lock);
	struct owned *o = ptrmap_get(&table, key(kind, handle));
	if (o) {
		*o->at = o->next;
		if (o->next)
			o->next->at = o->at;
		else
			list[kind].tail = o->at;
		ptrmap_put(&table, key(kind, handle), NULL);
	}
	pthread_mutex_unlock(&lock);
	free(o);
}

bool own_has(enum own_kind kind, uint64_t handle)
{
	pthread_mutex_lock(&lock);
	bool yes = handle && ptrmap_get(&table, key(kind, handle));
	pthread_mutex_unlock(&lock);
	return yes;
}

struct CUctx_st *own_context(enum own_kind kind, uint64_t handle)
{
	pthread_mutex_lock(&lock);
	const struct owned *o = handle ? ptrmap_get(&table, key(kind, handle)) : NULL;
	struct CUctx_st *c = o ? o->ctx : NULL;
	pthread_mutex_unlock(&lock);
	return c;
}

bool own_is_inner(enum own_kind kind, uint64_t handle) { return !own_context(kind, handle); }

/* ---- the end of a context ---- */

#define P(handle) ((void *)(uintptr_t)(handle))

static void destroy(enum own_kind kind, uint64_t h)
{
	switch (kind) {
	case OWN_EXEC: exec_free(P(h)); break;
	case OWN_GRAPH: graph_release(P(h)); break;
	case OWN_EVENT: event_free(P(h)); break;
	case OWN_STREAM: stream_free(P(h)); break;
	case OWN_TEXTURE: object_free(h, false); break;
	case OWN_SURFACE: object_free(h, true); break;
	case OWN_MIPMAP: mipmap_free(P(h)); break;
	case OWN_ARRAY: array_free(P(h)); break;
	case OWN_MODULE: module_remove(P(h)); break;
	case OWN_POOL: pool_free(P(h)); break;
	case OWN_MEMORY: mem_free(h); break;
	case OWN_HOST: host_forget(P(h)); break;
	default: break;
	}
}

static uint64_t first_of(enum own_kind kind, const struct CUctx_st *c)
{
	pthread_mutex_lock(&lock);
	const struct owned *o = list[kind].first;
	while (o && o->ctx != c)
		o = o->next;
	uint64_t h = o ? o->handle : 0;
	pthread_mutex_unlock(&lock);
	return h;
}

void own_free(struct CUctx_st *c)
{
	for (int kind = 0; kind < OWN_KINDS; kind++)
		for (uint64_t h; (h = first_of((enum own_kind)kind, c));) {
			destroy((enum own_kind)kind, h);
			own_remove((enum own_kind)kind, h);
		}
}
