/* Handles that exist, and the context that owns each. A handle is registered when it is made and
 * removed when it is destroyed, so that a stale handle is refused instead of followed. A handle
 * belongs to the context in which it was made, and is destroyed when that context is destroyed or
 * reset. */
#ifndef CUDA_OWN_H
#define CUDA_OWN_H
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;

/* Kinds of handles in the order in which a context releases them: an object's users before the
 * object. */
enum own_kind {
	OWN_EXEC,
	OWN_GRAPH,
	OWN_NODE,
	OWN_EVENT,
	OWN_STREAM,
	OWN_TEXTURE,
	OWN_SURFACE,
	OWN_MIPMAP,
	OWN_ARRAY,
	OWN_MODULE,
	OWN_POOL,
	OWN_MEMORY,
	OWN_HOST,
	/* objects of the program (cudaUserObject_t), released with their last reference */
	OWN_OBJECT,
	OWN_KINDS
};

/* The calling thread's context; NULL: none. */
struct CUctx_st *context_current(void);
/* Gives a thread without a context the primary one, as calls of the runtime do. */
void context_bind(void);
void context_choose(void); /* cudaSetDevice(): the thread's context becomes the primary one */
/* Resets the primary context: no thread uses it until it is bound again (driver/release.c). */
void context_reset(void);
void context_free(
	/* Destroys all objects of a context; no call may be using any of them. */
	struct CUctx_st *c);
/* If the calling thread has no current context, gives it context c (NULL: the primary context) until
 * context_give_back(). Returns true if it did. */
bool context_borrow(struct CUctx_st *c);
void context_give_back(bool borrowed);

/* Registers a handle for the calling thread's context. own_add_inner: the handle belongs to another
 * handle, which releases it. */
void own_add(enum own_kind kind, uint64_t handle);
void own_add_inner(enum own_kind kind, uint64_t handle);
void own_remove(enum own_kind kind, uint64_t handle);
bool own_has(enum own_kind kind, uint64_t handle);
bool own_is_inner(enum own_kind kind, uint64_t handle);
/* Returns the context that owns a handle; NULL: the handle belongs to another handle, or does not
 * exist. */
struct CUctx_st *own_context(enum own_kind kind, uint64_t handle);
uint64_t own_first(enum own_kind kind,
		   /* Returns the oldest handle of a context; 0: the context has none. */
		   const struct CUctx_st *c);

#define HANDLE(p) ((uint64_t)(uintptr_t)(p))

#endif
