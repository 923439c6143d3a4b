/* The surroundings of an operation beside its warp: the launch, the block, the host thread that
 * runs it, and the place where a fault is recorded. Operations do not know how a warp's threads
 * take turns: kernel/wstate.h has the state of a warp that both modes keep, func/ and sm/ the
 * rest. */
#ifndef EXEC_CONTEXT_H
#define EXEC_CONTEXT_H
#include <stdatomic.h>
#include "devmem/devmem.h"
#include "exec/image.h"
#include "exec/warp.h"
#include "heddle.h"

/* Why a warp left the run loop. */
enum stop { STOP_NONE, STOP_FAULT, STOP_BARRIER, STOP_YIELD, STOP_DONE, STOP_LIMIT, STOP_BUDGET };

/* Shared memory that the system reserves for a block (PTX: %reserved_smem_offset_*), after the
 * program's own. Compilers' cooperative groups of several warps synchronise in its second half. */
enum { RESERVED_SMEM = 1024 };
/* From sm_90 on the reserved part lies before the program's shared memory; the system uses this
 * many bytes of the part. */
enum { RESERVED_USED = 0x120 };

struct textures; /* exec/tex/tex.h: handle -> descriptor */
struct heap;     /* devmem/heap.h: device malloc */

struct child_launch; /* kernel/child.h */

struct wstate;
struct launch {
	const struct image *img;
	uint32_t grid[3], block[3];
	uint32_t cluster[3], cluster_blocks; /* blocks per cluster; 1: no clusters */
	uint32_t nthreads, nwarps;           /* per block; nwarps counts struct wstate */
	uint32_t warp_size;                  /* 1..64 */
	/* number of struct wstate per warp: 1, or 2 for warps of more than 32 threads */
	uint32_t parts;
	uint32_t shared_bytes; /* shared memory per block, bytes: static, dynamic and the
			        * system's */
	uint32_t dyn_shared;
	uint32_t reserved_at; /* offset from which shared memory is the system's */
	uint8_t *crows;       /* constant rows of this launch, for each rank of a cluster */
	struct window param;
	struct devmem *mem;
	struct textures *tex;
	struct heap *heap;
	uint64_t grid_id;
	uint32_t stack_bytes;             /* local memory per thread, calls included */
	uint32_t frame_rows, frame_preds; /* registers per warp, calls included */
	bool cooperative;
	/* one host thread runs all blocks: an atomic needs no host atomic */
	bool alone;
	bool check;            /* check bounds of accesses */
	bool reverse;          /* functional mode: the last block runs first, and its last warp
	                        * first */
	uint8_t shared_fill;   /* initial value of the bytes of shared memory */
	bool copies_in_pieces; /* a copy reports its bytes to the mbarrier in several pieces
			        * (heddle_options) */
	bool check_race, check_init;
	struct launch_check *checks;     /* state of the checks, check/check.h; NULL: none */
	const struct observer *observer; /* exec/observer.h; NULL unless checks is set */
	struct strays *strays;           /* --check warn, exec/memory/strays.h; or NULL */
	void (*output)(void *arg, const char *text, size_t n);
	void *output_arg;
	/* Launches a kernel from this one (kernel/child.h), or, if c->f is NULL, waits for the
	 * block's launches. False: the reason is in `why`. */
	bool (*child)(void *arg, const struct child_launch *c, char *why, size_t n);
	/* Answers a question of the kernel about a kernel or (f NULL) the device; below 0: no
	 * answer. NULL: questions are not supported. */
	int64_t (*answer)(void *arg, const struct func *f, const int64_t question[3]);
	void *child_arg; /* argument of child() and answer() */
	uint64_t nblocks;
	uint32_t nsm;
	uint32_t envreg[32];
	uint64_t (*clock)(const struct warp *w); /* %clock64 */
	double clock_ns;                         /* nanoseconds per clock step, for %globaltimer */
	/* Native code: called before each native instruction of a warp; NULL: no call. */
	void (*trace)(void *arg, const struct wstate *ws, uint32_t pc);
	void *trace_arg;
	bool while_masks; /* native code: backward branches push nothing (token_flow.c) */
	/* A debugger, called before each UOP_SHOWN of a warp; NULL: none. True: the launch ends. */
	bool (*debug)(void *arg, struct cta *b, uint32_t warp, uint32_t pc);
	void *debug_arg;
};

/* Sizes of texts: PLACE_TEXT: a source position with the calls into which it is inlined;
 * FAULT_TEXT: a fault that names several positions. */
enum { PLACE_TEXT = 1024, FAULT_TEXT = 4096 };

struct fault {
	enum heddle_fault_kind kind;
	uint64_t block;
	uint32_t warp, lane, pc;
	uint64_t addr;
	uint32_t size;
	char text[FAULT_TEXT];
};

/* Barriers 0 to 15 are the program's; the numbers after them are the cluster's barrier and the
 * barriers of groups of four warps. */
enum {
	CLUSTER_BARRIER = 16,
	WARPGROUP_BARRIER,
	WARPGROUPS = 8,
	NBARRIERS = WARPGROUP_BARRIER + WARPGROUPS,
	NLOCKS = 256
};
struct barrier {
	uint32_t arrived;       /* threads that have arrived in this phase */
	uint32_t counted;       /* arrivals counted in whole warps, which is the rule of barriers
				 * with a count */
	uint32_t expected;      /* threads that a counted barrier expects; 0: all threads of the
	                         * block */
	uint32_t pop, all, any; /* bar.red: number of true predicates; whether all, whether any was
	                         * true */
	uint32_t pc;            /* pc of the first arrival in this phase */
	bool reduces;           /* a thread has arrived by bar.red */
};

enum { CLUSTER_MAX = 16 };
/* Blocks that run concurrently and can access each other's shared memory. */
struct cluster {
	uint32_t n;
	struct cta *block
		[CLUSTER_MAX]; /* blocks by rank; timing mode: NULL before the block has started
			        * and after it has ended */
	uint32_t left;         /* timing: blocks that have not ended */
	uint32_t gone;         /* timing: arrivals of blocks that have ended */
	uint64_t met; /* timing: cycle in which the last arrival at the cluster's barrier counts */
};

struct cta { /* a thread block */
	struct launch *l;
	struct exec *x; /* host thread that runs it now */
	uint64_t index; /* number in the grid */
	uint32_t ctaid[3];
	struct cluster *cluster; /* NULL: the block is a cluster by itself */
	uint32_t rank;           /* rank in the cluster */
	uint32_t sm;
	uint8_t *shared;
	struct window shared_win, shared_gen; /* shared memory as .shared and as generic
	                                       * addresses */
	struct window shared_low; /* clusters: shared memory as .shared::cta addresses without a
	                           * rank */
	struct barrier bar[NBARRIERS];
	uint32_t barriers;         /* barriers that have opened */
	uint32_t live;             /* threads that have not exited */
	uint8_t lock[NLOCKS];      /* native code, by lock_number(): LOCKED: the words that map to
			        * this lock are locked; 0: they are not */
	struct wstate *warps;      /* l->nwarps (kernel/wstate.h) */
	struct shadow *shadow;     /* shadow of shared memory, --check */
	struct block_check *check; /* --check, check/check.h; or NULL */
	void *mem;                 /* the host mapping that holds everything above */
	size_t mem_size;
	void *own; /* owned by the mode that runs the block */
};

enum { LOCKED = 2 * LANES }; /* smaller numbers are queues inside lock_loop.c */
/* The lock of a word of shared memory: by bits 2 to 9 of its address. */
static inline uint32_t lock_number(uint32_t addr) { return addr >> 2 & (NLOCKS - 1); }

struct place_log; /* exec/places.h */
struct copy_log;  /* exec/tma/log.h */
struct pending;   /* exec/memory/pending.h */

/* State of one host thread. */
struct exec {
	struct launch *l;
	struct window *window; /* per memory instruction: the allocation that it last accessed */
	struct window heap;    /* part of the last used block of device malloc */
	struct fault fault;
	struct place_log *places; /* addresses of texels and matrices accessed; NULL: not
				   * recorded */
	struct copy_log *copies;  /* record of the last copy instruction; NULL: not recorded */
	struct pending *pending;  /* writes of the window under way; NULL in functional mode */
	void *own;                /* owned by the mode that runs */
};

/* Records a fault of one lane at the current operation and stops the warp. */
void exec_fault(struct warp *w, const struct uop *u, unsigned lane, enum heddle_fault_kind kind,
		uint64_t addr, uint32_t size, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

#endif
