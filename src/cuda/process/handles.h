/* Handles that exist, and the context that owns each. A handle is registered when it is made and removed
 * when it goes, so that a stale handle is refused instead of followed. A handle belongs to the context
 * in which it was made, and goes when that context is destroyed or reset. */
#ifndef CUDA_OWN_H
#define CUDA_OWN_H
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;

/* In the order in which a context releases them: users before what they use. */
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
	OWN_OBJECT, /* the program's own: they end with their last reference */
	OWN_KINDS
};

/* The calling thread's context; NULL: none. */
struct CUctx_st *context_current(void);
/* The runtime's way: a thread that has no context takes the primary one. */
void context_bind(void);
void context_choose(void); /* cudaSetDevice(): the primary one, whatever it had */
/* The primary context is reset: nothing uses it until it is bound again (driver/release.c). */
void context_reset(void);
void context_free(
	struct CUctx_st *c); /* destroys everything of a context; nothing of it is in use */
/* A thread without a context has c, or the primary one (NULL), until it gives it back. True: it had none. */
bool context_borrow(struct CUctx_st *c);
void context_give_back(bool borrowed);

/* Registers a handle for the calling thread's context; inner: it belongs to another handle, which
 * releases it. */
void own_add(enum own_kind kind, uint64_t handle);
void own_add_inner(enum own_kind kind, uint64_t handle);
void own_remove(enum own_kind kind, uint64_t handle);
bool own_has(enum own_kind kind, uint64_t handle);
bool own_is_inner(enum own_kind kind, uint64_t handle);
struct CUctx_st *own_context(enum own_kind kind, uint64_t handle); /* NULL: inner, or no handle */
uint64_t own_first(enum own_kind kind,
		   const struct CUctx_st *c); /* the oldest of a context; 0: none */

#define HANDLE(p) ((uint64_t)(uintptr_t)(p))

#endif
