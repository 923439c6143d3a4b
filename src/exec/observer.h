/* The reports that operations make to a checker of the program (check/) while they run. The
 * simulator has a checker in launches with --check race or init; launch.observer is NULL otherwise.
 *
 * Loads, stores and atomics are not reported here: check/checked.c wraps them for a whole warp. */
#ifndef EXEC_OBSERVER_H
#define EXEC_OBSERVER_H
#include "exec/memory/access.h"

struct async_copy;

/* The effect of one lane's operation on an mbarrier. */
enum mb_event {
	MB_COPIES_TOLD, /* the completion of the lane's asynchronous copies counts as an arrival */
	MB_ARRIVES,
	MB_ENDS,     /* the phase has ended */
	MB_FOUND_END /* a wait found the phase ended */
};

struct observer {
	/* One lane accesses n bytes of local memory from a byte offset on. */
	void (*local)(struct warp *w, const struct uop *u, unsigned lane, uint64_t off, uint32_t n,
		      enum access acc);
	/* One lane accesses n bytes of shared or global memory; al: the allocation, NULL for shared
	 * memory. */
	void (*access)(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		       enum access acc, enum space sp, struct alloc *al);
	/* One lane accesses n bytes at an offset of the shared memory of `owner`, a block of the
	 * lane's cluster. */
	void (*shared)(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		       uint32_t at, uint32_t n, enum access acc);
	/* One lane operates on the mbarrier at an offset of the shared memory of `owner`. */
	void (*mbarrier_used)(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
			      uint32_t at);
	/* The effect of an operation on an mbarrier, after mbarrier_used(). */
	void (*mbarrier)(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
			 uint32_t at, enum mb_event e);
	/* One lane has copied n bytes to an offset of the shared memory of `owner` by an operation
	 * that the mbarrier there at offset `mbarrier` tracks; c: the operation's parts. */
	void (*bulk_copy)(struct warp *w, const struct async_copy *c, unsigned lane,
			  struct cta *owner, uint32_t at, uint32_t n, uint32_t mbarrier);
	/* One lane has copied n bytes at an offset of its block's shared memory to global memory by
	 * an operation of a bulk group, which writes the `bytes` bytes from `to` on; 0: several
	 * ranges. */
	void (*bulk_store)(struct warp *w, const struct uop *u, unsigned lane, uint32_t at,
			   uint32_t n, uint64_t to, uint32_t bytes);
	/* Writes ", the last at PLACE": where the last thread of a block has exited. */
	void (*ended)(const struct cta *b, char *text, size_t n);
	/* The async proxy reads or has written n bytes at an offset of a block's shared memory. */
	void (*async_read)(struct warp *w, const struct uop *u, unsigned lane, uint32_t at,
			   uint32_t n);
	void (*async_written)(struct cta *b, uint32_t at, uint32_t n);
};

#endif
