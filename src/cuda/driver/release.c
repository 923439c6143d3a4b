/* Ends a context: destroys everything that was made in it, an object's users before the object
 * itself. */
#include "cuda/graph/graph.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"

#define P(handle) ((void *)(uintptr_t)(handle))

static void destroy_handle(enum own_kind kind, uint64_t h)
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

void context_free(struct CUctx_st *c)
{
	for (int kind = 0; kind < OWN_KINDS; kind++)
		for (uint64_t h; (h = own_first((enum own_kind)kind, c));) {
			destroy_handle((enum own_kind)kind, h);
			own_remove((enum own_kind)kind, h);
		}
}

void context_reset(void)
{
	context_free(&process.contexts.primary);
	process.contexts.bound = false;
	if (thread.contexts.n == 1 && thread.contexts.ctx[0] == &process.contexts.primary &&
	    !process.contexts.primary_uses)
		thread.contexts.n = 0;
}
