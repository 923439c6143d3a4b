/* A warp's architectural state in the executor's view: up to 32 threads whose registers are the
 * columns of rows. Larger warps of a configuration are several of these; mechanisms that regroup
 * threads run an instruction on each home warp with the mask of its lanes, so thread state never
 * moves. */
#ifndef EXEC_WARP_H
#define EXEC_WARP_H
#include "exec/uop.h"

struct cta;

struct warp {
	uint8_t *base[3]; /* bases of row operands, by BASE_* (uop.h); [BASE_REG] and
			   * [BASE_FRAME] move with calls */
	uint32_t *pred;   /* predicate words of the current frame */
	uint32_t mask;    /* lanes that execute the current operation */
	uint32_t cc[4];   /* condition code Z S C O, a bit per lane; PTX's CC.CF is cc[CC_C] */
	uint32_t stop;    /* enum stop: reason for leaving the run loop; 0: continue */
	uint32_t active;  /* lanes of the group that is running */
	uint32_t live;    /* lanes that have not exited */
	uint32_t init;    /* lanes that existed at the start */
	uint32_t pc;
	uint32_t lbase; /* byte offset of the current local frame */
	uint8_t *local; /* local memory: row of byte address x at local + x / 4 * 128 */
	struct cta *cta;
	uint64_t ninst; /* warp instructions executed, up to the straight-line run under way */
	uint32_t (*tid)[LANES]; /* per dimension x, y, z: each lane's thread index (%tid) */
	uint32_t *dyn;          /* alloca: bytes in use at the top of each thread's local memory */
	uint32_t local_used; /* bytes of local memory touched by frames: cleared between blocks */
	uint16_t id;         /* number of the warp in the block */
	uint32_t at_cluster; /* lanes that have arrived at the cluster's barrier in its present
			      * phase */
};
enum { CC_Z, CC_S, CC_C, CC_O };

static inline void *row_at(const struct warp *w, int32_t o) { return w->base[o & 3] + (o & ~3); }
static inline uint32_t *row_u32(const struct warp *w, int32_t o) { return row_at(w, o); }

#endif
