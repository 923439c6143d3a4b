/* A record of a warp's last copy instruction, for a timing model: the pieces of global memory that
 * it read or wrote, in their order, and the mbarriers that it completed. The copy itself is
 * performed at once; struct exec.copies is NULL if no caller needs them. */
#ifndef EXEC_TMA_LOG_H
#define EXEC_TMA_LOG_H
#include "base/vec.h"
#include "exec/context.h"

struct copied_piece {
	uint64_t addr;
	uint32_t bytes;
};
struct copied_barrier {
	const struct cta *block; /* block whose shared memory has the mbarrier */
	uint32_t at;             /* offset of the mbarrier in that shared memory */
};
struct copy_log {
	VEC(struct copied_piece) piece;
	VEC(struct copied_barrier) barrier;
	bool write; /* the copy wrote the pieces of global memory */
};

static inline void copy_log_begin(const struct warp *w)
{
	struct copy_log *l = w->cta->x->copies;
	if (l) {
		l->piece.n = l->barrier.n = 0;
		l->write = false;
	}
}

static inline void copy_log_piece(const struct warp *w, uint64_t addr, uint32_t bytes, bool write)
{
	struct copy_log *l = w->cta->x->copies;
	if (l && bytes) {
		vec_push(&l->piece, (struct copied_piece){addr, bytes});
		l->write |= write;
	}
}

static inline void copy_log_barrier(const struct warp *w, const struct cta *block, uint32_t at)
{
	struct copy_log *l = w->cta->x->copies;
	if (l)
		vec_push(&l->barrier, (struct copied_barrier){block, at});
}

#endif
