/* What a running kernel needs besides its warps: the image (pre-decoded program), the launch, the
 * block, and the context of one host thread. */
#ifndef EXEC_CONTEXT_H
#define EXEC_CONTEXT_H
#include <stdatomic.h>
#include "devmem/devmem.h"
#include "exec/warp.h"
#include "heddle.h"
#include "ir/module.h"

/* Why a warp left the run loop. */
enum stop { STOP_NONE, STOP_FAULT, STOP_BARRIER, STOP_YIELD, STOP_DONE, STOP_LIMIT, STOP_BUDGET };

/* A function inside an image. */
struct image_func {
	const struct func *f;
	uint32_t start, end;        /* pcs */
	uint32_t nrows, npreds;     /* frame size */
	uint32_t frame_bytes;       /* local frame */
	uint32_t *zero, nzero;      /* rows that must read zero when the function is entered */
};

struct param_row {                  /* a constant row filled from the parameter block */
	uint32_t row, offset;
	uint8_t size;               /* bytes, 1..4 */
	bool sext;
};

/* One kernel with every function it can reach, pre-decoded. Shared by all warps and launches. */
struct image {
	const struct func *kernel;
	struct uop *code;
	uint32_t ncode;
	struct image_func *funcs;
	uint32_t nfuncs;
	int32_t *func_of;           /* module func index -> image func, -1: not in this image */
	uint8_t *crows;             /* constant rows, the template of a launch's own */
	uint32_t ncrows;
	struct param_row *params;
	uint32_t nparams;
	uint32_t nslots;            /* memory instructions */
	uint32_t rows_max, preds_max, local_max; /* of the deepest call chain, without recursion */
	/* then frames end with a word that keeps wstate.dyn during calls */
	bool has_alloca;
	/* or indirect calls, or alloca: frames grow up to the stack limit */
	bool recursive;
	uint32_t shared_bytes;      /* static */
	/* asks where the system's part of shared memory is: it has one then */
	bool reserved_smem;
	uint32_t dyn_align;
	uint32_t registers;         /* a thread, estimate for occupancy */
	uint32_t scheduled; /* the same of code that is scheduled for latency (pass/pressure.h) */
	/* Registers of allocated code: a thread's, a warp's scalar ones; local memory of spills. */
	uint32_t vector_regs, scalar_regs, spill_bytes;
	uint8_t *scalar;            /* [pc]: executed once a warp; NULL: not looked for */
	struct once *once;          /* [pc]: of those; NULL: they are executed for each thread */
	bool ordered;               /* has operations that communicate between blocks */
	bool legacy_barrier;        /* target below sm_70: barriers count warps */
	/* Fermi or Tesla code, run by the token stack (func/tokens.c) */
	bool native;
	struct arena arena;
};

/* Shared memory that the system reserves for a block (PTX: %reserved_smem_offset_*), behind the
 * program's own. Its second half is where compilers' cooperative groups of several warps meet. */
enum { RESERVED_SMEM = 1024 };

/* Function pointers: FUNC_BASE + number of the function in its module * FUNC_STEP. */
#define FUNC_BASE 0x00100000ull
#define FUNC_STEP 16

struct textures;                    /* exec/tex/tex.h: handle -> descriptor */
struct heap;                        /* devmem/heap.h: device malloc */

struct wstate;
struct launch {
	const struct image *img;
	uint32_t grid[3], block[3];
	uint32_t nthreads, nwarps;  /* a block; nwarps counts struct wstate */
	uint32_t warp_size;         /* 1..64 */
	/* struct wstate of a warp: 2 above 32 threads, of 32 and the rest */
	uint32_t parts;
	uint32_t shared_bytes;      /* static, dynamic, the system's */
	uint32_t dyn_shared;
	uint32_t reserved_at;       /* shared memory from here on is the system's */
	uint8_t *crows;             /* constant rows of this launch */
	struct window param;
	struct devmem *mem;
	struct textures *tex;
	struct heap *heap;
	uint64_t grid_id;
	uint32_t stack_bytes;       /* local memory a thread, calls included */
	uint32_t frame_rows, frame_preds; /* registers a warp, calls included */
	bool cooperative;
	/* one host thread runs all blocks: an atomic needs no host atomic */
	bool alone;
	bool check;                 /* bounds */
	bool check_race, check_init;
	void (*output)(void *arg, const char *text, size_t n);
	void *output_arg;
	uint64_t nblocks;
	uint32_t nsm;
	uint32_t envreg[32];
	uint64_t (*clock)(const struct warp *w); /* %clock64 */
	double clock_ns;            /* nanoseconds a step of it, for %globaltimer */
	/* Native code: called before each native instruction of a warp; NULL: nobody wants to
	 * know. */
	void (*trace)(void *arg, const struct wstate *ws, uint32_t pc);
	void *trace_arg;
	bool while_masks;           /* native code: backward branches push nothing (tokens.c) */
};

struct fault {
	enum heddle_fault_kind kind;
	uint64_t block;
	uint32_t warp, lane, pc;
	uint64_t addr;
	uint32_t size;
	char text[512];
};

enum { CLUSTER_BARRIER = 16, NBARRIERS, NLOCKS = 256 }; /* programs name 0 to 15 */
struct barrier {
	uint32_t arrived;           /* threads in this phase */
	uint32_t counted;           /* the same as a counted barrier sees it: whole warps */
	uint32_t expected;          /* of a counted barrier; 0: all threads of the block */
	uint32_t pop, all, any;     /* bar.red: true predicates, and whether all or any was */
};

/* Where a function's registers, predicates and local memory start in the storage of its warp. */
struct frame {
	uint32_t rows, preds, lbase; /* row and predicate index, byte offset */
	uint16_t depth;              /* of calls */
};

/* One divergent path of a warp: an entry of the functional reconvergence stack. */
struct split {
	uint32_t pc, rpc, mask;
	uint8_t state;              /* SPLIT_* */
	uint8_t bar;                /* SPLIT_BARRIER: which */
	uint16_t depth;             /* of calls */
	uint32_t rows, preds, lbase; /* its frame: row and predicate index, byte offset */
	/* SPLIT_SYNC: lanes to execute the operation, lanes they name */
	uint32_t at, need;
	bool polls;                 /* in vain: others first */
};
enum { SPLIT_READY, SPLIT_BARRIER, SPLIT_SYNC, SPLIT_FORCED };

/* An entry of the token stack of native code. */
enum token_type { TOKEN_SSY, TOKEN_DIV, TOKEN_PBK, TOKEN_PCNT, TOKEN_CALL, TOKEN_PRET, TOKEN_PLONGJMP, TOKEN_WHILE };
struct token {
	uint8_t type;
	uint32_t mask, pc;
};
/* Threads switched off until the token that ends it is popped. */
enum { OFF_BROKEN, OFF_CONTINUED, OFF_RETURNED, OFF_LONGJUMPED, OFF_COUNT };

enum { GIVES_WAY_MAX = 4 };

struct wstate {                     /* a warp and its private storage */
	struct warp w;
	struct split *stack;
	uint32_t sp, cap;           /* entries in use: stack[0 .. sp-1] */
	uint8_t *rows;              /* register rows of all frames */
	uint32_t *preds;
	uint32_t tid[3][LANES];
	struct spin {               /* recent polls, to notice a warp that waits for another */
		uint32_t pc;
		uint64_t key;
	} spin[4];
	uint32_t spins;
	uint32_t seg;               /* start of the straight-line run being counted */
	uint32_t gave_way;          /* barriers the block had passed when this warp last gave way */
	uint32_t way[GIVES_WAY_MAX], nway; /* where it did since then */
	/* pc of its last poll of what other blocks change, if in vain; else NO_PC */
	uint32_t waits_at;
	uint64_t waits_for;         /* the address of that poll */
	/* part of the block in which it last passed a place where blocks wait */
	uint32_t looked;
	/* part that left its last operation that others see to the next; or 0 */
	uint32_t left;
	/* alloca: bytes in use at the top of each thread's local memory */
	uint32_t dyn[LANES];
	/* bytes of local memory touched by frames: cleared between blocks */
	uint32_t local_used;
	uint64_t ninst;             /* warp instructions executed so far */
	struct token *token;        /* native code: token[0 .. ntokens-1] */
	uint32_t ntokens, token_cap;
	uint32_t off[OFF_COUNT];
};

struct cta {                        /* a thread block */
	struct launch *l;
	struct exec *x;             /* host thread that runs it now */
	uint64_t index;             /* linear in the grid */
	uint32_t ctaid[3];
	uint32_t sm;
	uint8_t *shared;
	struct window shared_win, shared_gen; /* as .shared and as generic addresses */
	struct barrier bar[NBARRIERS];
	uint32_t live;              /* threads that have not exited */
	uint32_t lock[NLOCKS / 32]; /* native code: words of shared memory that are locked */
	struct wstate *warps;       /* l->nwarps */
	bool turn;                  /* all blocks before it are done in this round */
	bool opened;                /* all warps passed a barrier: the first one goes on first */
	uint64_t position;          /* in the round */
	bool awaits;                /* set aside, and in exec.awaited */
	uint32_t part;              /* rounds it has had a part in, from 1 on */
	uint64_t sync_clock;        /* --check race: last communication, see shadow.c */
	uint32_t barriers;          /* how many have opened */
	struct shadow *shadow;      /* of shared memory, --check */
	void *mem;                  /* everything above in one mapping */
	size_t mem_size;
	struct cta *next;
};

/* Words that blocks which are set aside poll. */
struct awaited_word {
	uint64_t addr, block;
};
struct awaited {
	VEC(struct awaited_word) words;
};

struct place_log;                   /* exec/places.h */

/* One host thread. */
struct exec {
	struct launch *l;
	struct window *slot;        /* last allocation each memory instruction used */
	struct window heap;         /* part of the block of device malloc that was used last */
	uint8_t *scratch;
	struct fault fault;
	bool *waited;               /* per pc: a block was set aside there; all threads', in turn */
	struct awaited *awaited;    /* what blocks that are set aside wait for; the same */
	int64_t *issued, *lanes;    /* per pc, as differences: prefix sums give the counts */
	uint64_t *off, *divergent;  /* lanes switched off by guards; divergent branches */
	int64_t fuel; /* warp instructions until the warp stops with STOP_BUDGET; between warps:
	               * until refuel is called */
	int64_t quantum;            /* a warp's fuel */
	enum stop (*refuel)(struct exec *x); /* limits, interrupts, progress */
	void (*take_turn)(struct cta *b);    /* waits until all blocks before b are done */
	void *grid;
	struct place_log *places;   /* where texels and matrices are; NULL: nobody wants to know */
};

/* Records a fault of one lane at the current operation and stops the warp. */
void exec_fault(struct warp *w, const struct uop *u, unsigned lane, enum heddle_fault_kind kind,
                uint64_t addr, uint32_t size, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

/* Thread of the block in lane 0 of wstate i, and how many lanes a full one has. */
static inline uint32_t wstate_thread(const struct launch *l, uint32_t i)
{
	return i / l->parts * l->warp_size + i % l->parts * LANES;
}
static inline uint32_t wstate_lanes(const struct launch *l, uint32_t i)
{
	uint32_t n = l->warp_size - i % l->parts * LANES;
	return n < LANES ? n : LANES;
}

static inline struct wstate *wstate_of(struct warp *w) { return (struct wstate *)w; }

#endif
