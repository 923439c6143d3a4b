/* What operations see besides their warp: the launch, the block, the host thread that runs it, and
 * where a fault is recorded. They do not know how a warp's threads take turns: kernel/wstate.h has
 * what both modes keep of a warp, func/ and sm/ the rest. */
#ifndef EXEC_CONTEXT_H
#define EXEC_CONTEXT_H
#include <stdatomic.h>
#include "devmem/devmem.h"
#include "exec/image.h"
#include "exec/warp.h"
#include "heddle.h"

/* Why a warp left the run loop. */
enum stop { STOP_NONE, STOP_FAULT, STOP_BARRIER, STOP_YIELD, STOP_DONE, STOP_LIMIT, STOP_BUDGET };

/* Shared memory that the system reserves for a block (PTX: %reserved_smem_offset_*), behind the
 * program's own. Its second half is where compilers' cooperative groups of several warps meet. */
enum { RESERVED_SMEM = 1024 };
/* From sm_90 on it lies before the program's own; the system uses so many bytes of it. */
enum { RESERVED_USED = 0x120 };

struct textures; /* exec/tex/tex.h: handle -> descriptor */
struct heap;     /* devmem/heap.h: device malloc */

struct child_launch; /* kernel/child.h */

struct wstate;
struct launch {
	const struct image *img;
	uint32_t grid[3], block[3];
	uint32_t cluster[3], cluster_blocks; /* blocks of a cluster; 1: there are none */
	uint32_t nthreads, nwarps;           /* a block; nwarps counts struct wstate */
	uint32_t warp_size;                  /* 1..64 */
	/* struct wstate of a warp: 2 above 32 threads, of 32 and the rest */
	uint32_t parts;
	uint32_t shared_bytes; /* static, dynamic, the system's */
	uint32_t dyn_shared;
	uint32_t reserved_at; /* shared memory from here on is the system's */
	uint8_t *crows;       /* constant rows of this launch, for each rank of a cluster */
	struct window param;
	struct devmem *mem;
	struct textures *tex;
	struct heap *heap;
	uint64_t grid_id;
	uint32_t stack_bytes;             /* local memory a thread, calls included */
	uint32_t frame_rows, frame_preds; /* registers a warp, calls included */
	bool cooperative;
	/* one host thread runs all blocks: an atomic needs no host atomic */
	bool alone;
	bool check;            /* bounds */
	bool reverse;          /* functional: the last block, and of it the last warp, is first */
	uint8_t shared_fill;   /* of shared memory, when a block starts */
	bool copies_in_pieces; /* mbarriers hear of copies piece by piece */
	bool check_race, check_init;
	struct launch_check *checks;     /* of these, check/check.h; or NULL */
	const struct observer *observer; /* exec/observer.h; NULL unless checks is set */
	struct strays *strays;           /* --check warn, exec/memory/strays.h; or NULL */
	void (*output)(void *arg, const char *text, size_t n);
	void *output_arg;
	/* A launch from this kernel (kernel/child.h), or, where c->f is NULL, the block waits for
	 * its launches. False: why not, in `why`. */
	bool (*child)(void *arg, const struct child_launch *c, char *why, size_t n);
	/* A question of the kernel's, about a kernel or (f NULL) the device; below 0: no answer. NULL: there are none. */
	int64_t (*answer)(void *arg, const struct func *f, const int64_t question[3]);
	void *child_arg; /* of both */
	uint64_t nblocks;
	uint32_t nsm;
	uint32_t envreg[32];
	uint64_t (*clock)(const struct warp *w); /* %clock64 */
	double clock_ns;                         /* nanoseconds a step of it, for %globaltimer */
	/* Native code: called before each native instruction of a warp; NULL: nobody wants to
	 * know. */
	void (*trace)(void *arg, const struct wstate *ws, uint32_t pc);
	void *trace_arg;
	bool while_masks; /* native code: backward branches push nothing (token_flow.c) */
};

/* Room for a place of the source with the calls into which it is inlined, and for a fault that names several. */
enum { PLACE_TEXT = 1024, FAULT_TEXT = 4096 };

struct fault {
	enum heddle_fault_kind kind;
	uint64_t block;
	uint32_t warp, lane, pc;
	uint64_t addr;
	uint32_t size;
	char text[FAULT_TEXT];
};

/* Programs name 0 to 15; the others are the cluster's and those of groups of four warps. */
enum {
	CLUSTER_BARRIER = 16,
	WARPGROUP_BARRIER,
	WARPGROUPS = 8,
	NBARRIERS = WARPGROUP_BARRIER + WARPGROUPS,
	NLOCKS = 256
};
struct barrier {
	uint32_t arrived;       /* threads in this phase */
	uint32_t counted;       /* the same as a counted barrier sees it: whole warps */
	uint32_t expected;      /* of a counted barrier; 0: all threads of the block */
	uint32_t pop, all, any; /* bar.red: true predicates, and whether all or any was */
	uint32_t pc;            /* of the first arrival in this phase */
	bool reduces;           /* somebody came by bar.red */
};

enum { CLUSTER_MAX = 16 };
/* Blocks that run at the same time and reach each other's shared memory. */
struct cluster {
	uint32_t n;
	struct cta *block
		[CLUSTER_MAX]; /* by rank; timing: NULL before it starts and when it has ended */
	uint32_t left;         /* timing: blocks that have not ended */
	uint32_t gone;         /* timing: arrivals of blocks that have ended */
};

struct cta { /* a thread block */
	struct launch *l;
	struct exec *x; /* host thread that runs it now */
	uint64_t index; /* linear in the grid */
	uint32_t ctaid[3];
	struct cluster *cluster; /* NULL: it has this block alone */
	uint32_t rank;           /* in the cluster */
	uint32_t sm;
	uint8_t *shared;
	struct window shared_win, shared_gen; /* as .shared and as generic addresses */
	struct window shared_low; /* of a cluster: as .shared::cta addresses without a rank */
	struct barrier bar[NBARRIERS];
	uint32_t barriers;     /* how many have opened */
	uint32_t live;         /* threads that have not exited */
	uint8_t lock[NLOCKS];  /* native code: LOCKED: such words of shared memory are; else 0 */
	struct wstate *warps;  /* l->nwarps (kernel/wstate.h) */
	struct shadow *shadow; /* of shared memory, --check */
	struct block_check *check; /* --check, check/check.h; or NULL */
	void *mem;                 /* everything above in one mapping */
	size_t mem_size;
	void *own; /* of the mode that runs it */
};

enum { LOCKED = 2 * LANES }; /* less are queues inside lock_loop.c */
/* The lock of a word of shared memory: by bits 2 to 9 of its address. */
static inline uint32_t lock_number(uint32_t addr) { return addr >> 2 & (NLOCKS - 1); }

struct place_log; /* exec/places.h */
struct pending;   /* exec/memory/pending.h */

/* One host thread. */
struct exec {
	struct launch *l;
	struct window *window; /* last allocation each memory instruction used */
	struct window heap;    /* part of the block of device malloc that was used last */
	struct fault fault;
	struct place_log *places; /* where texels and matrices are; NULL: nobody wants to know */
	struct pending *pending;  /* writes of the window under way; NULL in functional mode */
	void *own;                /* of the mode that runs */
};

/* Records a fault of one lane at the current operation and stops the warp. */
void exec_fault(struct warp *w, const struct uop *u, unsigned lane, enum heddle_fault_kind kind,
		uint64_t addr, uint32_t size, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

#endif
