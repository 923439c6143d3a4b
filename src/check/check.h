/* --check race,init: finds data races, reads of memory that nothing has written, wrong barriers and
 * wrong member masks. A finding is a report, one per kind and place of the source, and the launch
 * goes on. Results of a launch do not depend on the checks. Checked launches run on one host thread.
 *
 * How events reach the checker:
 *   loads, stores, atomics   run after the wrapper of checked_bind(), which sees the warp first
 *   other operations         through struct observer (exec/observer.h, here observer.c)
 *   barriers, calls, returns by the functions below, called by kernel/ and func/
 *
 * Findings of each file:
 *   shadow.c          bytes that must not be touched or are not written; splits accesses by sectors
 *   marks.h, races.c  two accesses of the same bytes of which neither happens before the other
 *   happens_before.c  what a thread knows of others, by barriers, fences and atomics (know.h)
 *   arrivals.c        barriers and warp operations in divergent code
 *   copies.c          uses of shared memory while an asynchronous copy is under way
 *   products.c        registers of wgmma that are used before the wait for it
 *   proxies.c         shared memory that wgmma and bulk copies read without fence.proxy.async
 *   mbarriers.c       mbarriers that a store has overwritten
 *   frames.c          local variables: unwritten, or beyond their end
 *   escapes.c         pointers to local or shared variables that another thread or block uses */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H
#include "exec/observer.h"
#include "check/know.h"

struct report {
	struct fault f;    /* the first finding at this place */
	uint32_t other_pc; /* pc of the other access, or NO_PC */
	uint64_t other_block;
	uint32_t other_thread;
	const struct image *other_img; /* code of the other access; NULL: that of this launch */
	const char *why;               /* the cause, in a few words; reports with different
				        * causes are kept separate */
	uint64_t count;                /* findings */
};

/* Knowledge that stores and atomics at an address published: that of their threads when they ran. */
struct published {
	uint64_t addr;
	struct others *gpu;  /* published to all threads of the GPU */
	struct others *cta;  /* published to the threads of block number `block` */
	struct others *done; /* mbarrier: published by phases that have ended */
	uint32_t block;
	bool used;
};
struct published_map {
	struct published *v;
	uint32_t n, cap; /* cap: a power of two */
};

/* Another launch that is not ordered with the checked one: the two may run concurrently. */
struct beside {
	uint64_t grid_id;
	const struct image *img;
	uint32_t grid[3], block[3];
};

struct launch_check {
	uint32_t now; /* checked warp instructions executed so far */
	struct published_map global;
	struct alloc *last; /* allocation of the last access */
	/* Reads of an allocation that the launch cannot store to need no marks. true: the
	 * allocations that it may store to are known: those whose stored_to is the launch's number.
	 * false: not known; all reads get marks. */
	bool spares;
	VEC(struct report) reports;
	uint64_t left_off; /* findings that were dropped because no more reports are kept */
	const struct beside *beside;
	uint32_t nbeside;
	const struct heddle_other *others; /* copies and accesses by the host that are concurrent
	                                    * with the launch */
	uint32_t nothers;
};

struct thread_check {
	struct know *k; /* what the thread knows, if warp_check.differ is set */
	/* knowledge at the last fence, which later stores publish to the GPU and to the block;
	 * stamps of these fences */
	struct know *rel, *rel_cta;
	uint32_t rel_at, rel_cta_at;
	/* published knowledge read by relaxed loads: it counts from the next fence on, of the GPU's
	 * scope or of any scope */
	struct others *acq, *acq_cta;
};
/* products.c: a register of a product that no wait has ended. */
struct under_product {
	uint32_t reg, pc; /* register of the kernel; pc of the wgmma */
	uint32_t group;   /* number of its group, or NOT_COMMITTED */
	bool result;      /* true: an accumulator; false: an operand, which other instructions
			   * may read */
};
enum { NOT_COMMITTED = 0xffffffff };
/* Lanes that a barrier has released have equal knowledge and share one reference. */
struct warp_check {
	struct know *k; /* knowledge that all lanes share, unless they differ */
	bool differ;    /* lanes have different knowledge, each in thread_check.k */
	bool fenced;    /* a lane has executed a fence, or read a word that a fence published */
	uint32_t told;  /* stamp of the last publication of knowledge by a lane */
	/* arrivals.c: lanes that others wait for at an operation of the warp, its pc, and the lanes
	 * that have accessed memory since */
	uint32_t awaited, awaited_at, passed;
	VEC(struct under_product) products;
	/* groups of products committed so far; groups for which a wait has completed */
	uint32_t committed, waited;
	uint32_t read_from, read_end; /* range of the units that products in flight read */
};
struct bar_check {
	bool used;
	struct know *sum; /* joint knowledge of the lanes that have arrived */
	struct others *rel, *acq;
	uint32_t *in, *waits; /* per warp: lanes that have arrived; lanes among them that wait */
	uint32_t *relaxed;    /* per warp: lanes whose arrival does not release */
	bool any_relaxed;
	uint32_t *pc; /* per warp: pc + 1 of its first arrival */
};
/* copies.c: an asynchronous copy to or from shared memory that nothing has waited for. */
struct under_way {
	uint32_t thread, at, n; /* thread that copies; offset in shared memory; bytes */
	uint64_t block;         /* block of that thread: one of the cluster */
	uint64_t from;          /* address in global memory */
	uint32_t reads;         /* bytes read there: the rest is filled with zeros */
	bool stores;  /* reads shared memory and writes the `reads` bytes in global memory */
	bool reduces; /* a reduction: combines with the bytes at the destination, element by
		       * element */
	uint32_t pc;
	/* groups that the thread had committed before, or IN_NO_GROUP; stores: bulk groups */
	uint32_t group;
	uint32_t mbarrier; /* offset of the mbarrier whose phase completes the copy; NO_MBARRIER:
			    * none */
	uint32_t ended;    /* number of that phase once it has ended; else 0 */
};
enum { NO_MBARRIER = 0xffffffff, IN_NO_GROUP = 0xffffffff };
/* A phase of an mbarrier that has ended, with copies that some thread does not know to be done. */
struct ended_phase {
	uint32_t number, mbarrier;
	uint32_t copies, finders;
	uint32_t *found; /* per thread: stamp at which it first found the end, or 0 */
};
/* mbarriers.c: an mbarrier in shared memory; lost: a store at `pc` by `thread` has overwritten it. */
struct mb_object {
	uint32_t at, pc, thread;
	uint64_t block; /* of the thread */
	bool lost;
};
struct copies {
	VEC(struct under_way) v;
	VEC(struct ended_phase) ended;
	uint32_t phases;  /* ended phases so far */
	uint32_t *groups; /* per thread: groups committed so far */
	uint32_t *stores; /* per thread: bulk groups committed so far */
};
/* products.c: the last product of a warp that reads a unit of shared memory. */
struct product_read {
	uint32_t pc;
	uint32_t group; /* number of its group in the warp; 0: none, or the wait has recorded the
			 * read */
};
/* proxies.c: the last store of a thread to a unit of shared memory. */
struct generic_store {
	uint32_t when; /* number of the event in the block; 0: no store */
	uint32_t thread, pc;
};
struct block_check {
	struct generic_store *stored;  /* by unit; NULL: nothing has been stored */
	struct product_read **read_by; /* [warp][unit]; NULL: no product of the warp has read */
	uint32_t *fenced;              /* per thread: event of its last fence.proxy.async, or 0 */
	uint32_t events;               /* stores and fences so far */
	struct copies copies;
	VEC(struct mb_object) mbarriers;
	struct thread_check *t;
	struct warp_check *w;
	struct warp **warp; /* nwarps of them; kernel/cta.c sets them */
	struct bar_check bar[NBARRIERS];
	struct published_map shared;
	uint32_t nthreads, nwarps;
	uint32_t ended_at; /* pc at which the last thread has exited; NO_PC: threads run */
	/* frames.c, [warp * stack_bytes + byte]: lanes for which the byte of local memory is not
	 * written, and lies between variables; NULL: local memory is not checked */
	uint32_t *unwritten, *between;
	uint32_t stack_bytes;
};

/* Thread of the block in the warp's lane 0. */
static inline uint32_t check_first(const struct launch *l, uint32_t warp)
{
	return warp / l->parts * l->warp_size + warp % l->parts * LANES;
}

/* The knowledge of a lane; the caller does not own a reference. */
static inline const struct know *check_know(const struct block_check *c, const struct launch *l,
					    uint32_t warp, unsigned lane)
{
	const struct warp_check *k = &c->w[warp];
	return k->differ ? c->t[check_first(l, warp) + lane].k : k->k;
}

void launch_check_free(struct launch_check *c);
struct block_check *block_check_new(const struct launch *l);
void block_check_start(struct cta *b); /* resets the storage for another block */
/* The block belongs to a cluster: other blocks reach its shared memory, so accesses by blocks that
 * were in this storage before are forgotten. */
void block_check_join(struct cta *b);
void block_check_free(struct block_check *c);

/* Wraps the operation for checks. room: CHECKED_ROOM words after the operands, in which the
 * unwrapped functions are kept. */
enum { CHECKED_ROOM = 2 * sizeof(exec_fn *) / sizeof(int32_t) };
void checked_bind(struct uop *u, int32_t *room, bool products); /* products: the kernel has wgmma */

/* Barriers: lanes of one warp arrive; the barrier opens for those that arrived and wait. */
void check_bar_arrive(struct warp *w, const struct uop *u, unsigned id, uint32_t lanes);
void check_bar_open(struct cta *b, unsigned id, bool counted);
/* The barrier of a cluster is about to open in each block: every thread of the cluster then knows
 * all actions of every block. */
void check_cluster_open(const struct cluster *c);
/* Lanes execute a barrier or a warp operation together: afterwards each knows the actions of
 * all. */
void check_warp_sync(struct warp *w, uint32_t lanes);
void check_fence(struct warp *w, unsigned lane, bool cta);
/* One lane's operation on the mbarrier at an offset of the shared memory of `owner`. */
void check_mbarrier(struct warp *w, unsigned lane, struct cta *owner, uint32_t at, enum mb_event e);
/* Records the effects of a strong access: the knowledge that it acquires and releases. owner: the
 * block in whose shared memory the address is an offset; NULL: global memory. */
void check_strong(struct warp *w, const struct uop *u, unsigned lane, uint64_t addr,
		  struct cta *owner, bool reads, bool writes);

/* arrivals.c, in the order of the declarations: lanes arrive at a barrier; the barrier opens; lanes
 * w->mask execute an operation of the warp with their masks; the operation waits for absent
 * lanes. */
void arrivals_begin(struct warp *w, const struct uop *u, unsigned id, uint32_t lanes);
void arrivals_end(const struct cta *b, const struct bar_check *bar);
void arrivals_members(struct warp *w, const struct uop *u);
void arrivals_wait(const struct warp *w, uint32_t pc, uint32_t away);

/* copies.c. Where in the block's own shared memory a lane's address is; false: elsewhere. */
bool shared_offset(const struct warp *w, const struct uop *u, uint64_t a, uint32_t n, uint32_t *at);
/* Lanes of the warp use shared memory or write to global memory, or one uses an offset of the
 * shared memory of `owner`: reports a copy that is under way there. */
void copies_look(struct warp *w, const struct uop *u, uint32_t n, enum access acc);
void copies_at(struct warp *w, const struct uop *u, unsigned lane, const struct cta *owner,
	       uint32_t at, uint32_t n, enum access acc);
void copies_begin(struct warp *w, const struct uop *u); /* cp.async */
void copies_wait(struct warp *w, const struct uop *u);  /* commit, wait */
/* copies_end(): a lane's copies are complete, except those of its last `left` groups. */
enum { COPIES_NONE_LEFT = 0xffffffff };
/* Attaches a lane's copies to an mbarrier. From here on they count as writes of the lane. They are
 * complete when the phase ends, for every thread that knows of a lane that has observed the end. */
void copies_tell(struct warp *w, const struct uop *u, unsigned lane, uint32_t mbarrier);
void copies_phase(struct cta *b, uint32_t mbarrier);
void copies_found(struct warp *w, unsigned lane, uint32_t mbarrier);
/* A lane has copied n bytes to an offset of the shared memory of `owner`; the mbarrier there
 * tracks the copy. */
struct async_copy;
void copies_bulk(struct warp *w, const struct async_copy *a, unsigned lane, struct cta *owner,
		 uint32_t at, uint32_t n, uint32_t mbarrier);
/* A lane has copied n bytes from an offset of shared memory to `bytes` bytes of global memory, as a
 * part of its current bulk group; the lanes of the warp commit a bulk group or wait for some. */
void copies_store(struct warp *w, const struct uop *u, unsigned lane, uint32_t at, uint32_t n,
		  uint64_t to, uint32_t bytes);
void copies_stores_wait(struct warp *w, const struct uop *u);
void copies_end(struct warp *w, const struct uop *u, unsigned lane, uint32_t left);
void copies_new(struct copies *c, uint32_t nthreads);
void copies_clear(struct copies *c, uint32_t nthreads);
void copies_free(struct copies *c);

/* Called when the block has ended: reports copies that no thread has waited for. */
void copies_left(struct warp *w);

/* products.c. products_watch(): true if the instruction must be passed to products_look().
 * products_look(): the warp is about to execute u. products_wait(): the warp waits until at most
 * `left` groups are in flight; reads of shared memory by the completed groups are then recorded. */
bool products_watch(const struct inst *in);
void products_look(struct warp *w, const struct uop *u);
void products_wait(struct warp *w, const struct uop *u, unsigned lane, uint32_t left);
/* A product of the warp reads n bytes of shared memory; a lane writes n bytes of that of `owner`. */
void products_read(struct warp *w, uint32_t at, uint32_t n);
void products_overwrite(struct warp *w, const struct uop *u, unsigned lane, const struct cta *owner,
			uint32_t at, uint32_t n);
void products_clear(struct cta *b);
void products_free(struct block_check *c);

/* proxies.c, in the order of the declarations: a lane stores to shared memory; lanes execute
 * fence.proxy.async; an asynchronous copy has written n bytes of the block; an instruction of the
 * async proxy reads them. */
void proxies_store(struct warp *w, unsigned lane, uint32_t at, uint32_t n);
void proxies_fence(struct warp *w);
void proxies_written(struct cta *b, uint32_t at, uint32_t n);
void proxies_read(struct warp *w, const struct uop *u, unsigned lane, uint32_t at, uint32_t n);
void proxies_clear(struct cta *b);
void proxies_free(struct block_check *c);

/* mbarriers.c, in the order of the declarations: a lane operates on the mbarrier at an offset of
 * the shared memory of `owner`; lanes of the warp store n bytes. */
void mbarriers_use(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		   uint32_t at);
void mbarriers_look(struct warp *w, const struct uop *u, uint32_t n);

/* frames.c. A function's frame begins for lanes m; its variables are unwritten. */
void frames_new(struct block_check *c, const struct launch *l);
void frames_free(struct block_check *c);
void frames_enter(const struct warp *w, const struct image_func *f, uint32_t lbase, uint32_t m);
void frames_leave(const struct warp *w, uint32_t lbase,
		  uint32_t m); /* the running function returns */
/* Lanes of the warp, or one of them, access local memory. Returns the lanes whose address is in
 * it. */
uint32_t frames_look(struct warp *w, const struct uop *u, uint32_t n, enum access acc);
void frames_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t off, uint32_t n,
		   enum access acc);
/* Uses of a register in a function. REG_USED: used for something other than a plain copy to memory.
 * REG_OWN_ADDRESS: may hold the generic address of a local variable. REG_ADDRESS: used as an
 * address. */
enum reg_use { REG_USED = 1, REG_OWN_ADDRESS = 2, REG_ADDRESS = 4 };
void frames_mark_used(const struct inst *in, uint8_t *used);
bool frames_uses(const struct warp *w, const struct inst *in); /* any result of a load or shuffle */
bool escapes_mark(const struct inst *in, uint8_t *used);       /* true: marked one more */

/* escapes.c. Lanes of the warp store or load n bytes each, not in local memory. */
void escapes_store(struct warp *w, const struct uop *u, uint32_t n);
void escapes_load(struct warp *w, const struct uop *u, uint32_t n);
void escapes_end(const struct launch *l); /* a checked launch has ended */

/* Counts another finding of a kind at a place; the first one gets its text. NULL: known already. */
struct report *check_report(struct warp *w, const struct uop *u, unsigned lane,
			    enum heddle_fault_kind kind, uint64_t addr, uint32_t size,
			    uint32_t other_pc, const char *why);
void report_text(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The source line of an instruction, with the calls into which it is inlined. If the program does
 * not record these calls, code from another file is placed near a line of the function's own file.
 * False: no line is known. */
bool check_place(const struct image *img, uint32_t pc, char *buf, size_t n);
/* check_place(), or the instruction's line in the PTX, or the address and text of machine code. */
void check_where(const struct image *img, uint32_t pc, char *buf, size_t n);
/* The object at an address: " (counter, byte 0 of 4)". Empty: memory that has neither name nor
 * allocation. */
const char *check_whose(char *buf, size_t n, const struct warp *w, bool shared, uint64_t addr);
/* " of block 1", if the lanes of w use the shared memory of another block; else "". */
const char *check_block(char *buf, size_t n, const struct warp *w, const struct cta *owner);
/* "thread 5 of block 0", or "thread (1,2,0) of block (0,1,0)" if the grid or the block has more
 * than one dimension. */
const char *check_who(char *buf, size_t n, const uint32_t grid[3], const uint32_t block[3],
		      uint32_t thread, uint64_t index);
/* Lanes as text: "0-15,17". */
const char *check_lanes(char *buf, size_t n, uint32_t lanes);

/* checked.c: reports copies in other streams, and accesses by the host, that use these bytes
 * concurrently. */
void check_others(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		  enum access acc);
/* shadow.c: one access of one lane, of operations that checked_bind does not wrap. */
void shadow_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		   enum access acc, enum space sp, struct alloc *al);
/* shadow.c: one access of one lane to an offset of the shared memory of `owner`. */
void shadow_shared(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		   uint32_t at, uint32_t n, enum access acc);
/* observer.c: functions that operations call while they run. */
extern const struct observer check_observer;
/* shadow.c: lanes of the warp access n bytes each. */
void shadow_lanes(struct warp *w, const struct uop *u, uint32_t n, enum access acc);

#endif
