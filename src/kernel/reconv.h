/* The reconvergence stack of a warp: reconvergence at the immediate post-dominator, with forward
 * progress. Functional mode has one per warp, and so has `sm.divergence = pdom`. Reconvergence points
 * come from pass/reconv.c.
 *
 *	path      pc   rpc  mask        A path holds lanes of the path below it that branched
 *	[2] top   then join 1111 ....   away and will come back to its pc. A lane is at the topmost
 *	[1]       else join .... 1111   path that has it. The top runs; at its rpc it is popped and
 *	[0]       join end  1111 1111   the path below continues.
 *
 * A path (struct split) may have to wait: at a barrier, for lanes that a .sync operation names, or
 * because it polls. Then any other path may run first, out of the stack's order, with the lanes
 * that are only in that path: programs for sm_70 and later rely on independent thread scheduling. As
 * long as no path waits, the stack is that of the textbooks. */
#ifndef KERNEL_RECONV_H
#define KERNEL_RECONV_H
#include "kernel/wstate.h"

typedef uint64_t lanemask; /* lanes of a warp of up to 64 */

enum split_state {
	SPLIT_READY,
	SPLIT_BARRIER, /* waits at barrier `bar`, at its pc */
	SPLIT_SYNC,    /* waits for lanes of the .sync operation at its pc */
	SPLIT_FORCED   /* executes the .sync operation without lanes that cannot arrive */
};

/* Where the lanes that an operation names meet. */
enum sync_place {
	SYNC_HERE,     /* at this instruction */
	SYNC_ANYWHERE, /* each at an operation of this kind, and goes on there (bar.warp.sync) */
	SYNC_GATHERS,  /* likewise, but all go on where the last has come (WARPSYNC.COLLECTIVE) */
	SYNC_EXCHANGES =
		1
		<< 24, /* and above: each at an operation with this number, which it executes there */
};

struct split {
	uint32_t pc, rpc; /* rpc: reconvergence point; NO_PC: none */
	lanemask mask;
	struct frame frame;
	lanemask at, need; /* SPLIT_SYNC: lanes that execute the operation; lanes that their
			    * member masks name */
	/* kernel/converge.c: pc of the instruction at which the path waits; 0: none */
	uint32_t waited_at;
	uint8_t state, bar;
	uint32_t place; /* SPLIT_SYNC: enum sync_place */
	bool polls;     /* the last poll failed: other paths run first */
};

struct reconv {
	struct split *path; /* the stack: path[0 .. n-1] */
	uint32_t n, cap;
};

static inline struct split *reconv_top(const struct reconv *s) { return &s->path[s->n - 1]; }
/* Starts with one path: lanes `mask` at `pc`. */
void reconv_start(struct reconv *s, uint32_t pc, lanemask mask);
void reconv_free(struct reconv *s);

/* Pops paths that have reached their rpc and brings a path that can run to the top. If no path can
 * run, lanes at a .sync operation continue without partners that cannot arrive. False: all
 * remaining paths wait at barriers. */
bool reconv_settle_slowly(struct reconv *s);
static inline bool reconv_settle(struct reconv *s)
{
	const struct split *top = s->n ? reconv_top(s) : NULL;
	if (top && top->mask && top->state == SPLIT_READY && top->pc != top->rpc)
		return true;
	if (s->n == 1 && top->mask && top->state == SPLIT_BARRIER) /* the whole warp waits */
		return false;
	return reconv_settle_slowly(s);
}

/* Splits the top's lanes into two paths, neither empty, that meet at `rpc`; path `first` runs
 * first. */
struct way {
	uint32_t pc;
	lanemask mask;
};
void reconv_branch(struct reconv *s, uint32_t rpc, struct way first, struct way then);
/* Sends each lane of `who` to its own target and the top's other lanes to the next pc; all meet at
 * `rpc`. */
void reconv_branch_indexed(struct reconv *s, uint32_t rpc, lanemask who, const uint32_t *target);
/* Lets lanes of the top enter a function at `pc` with frame `f`, to return to `back`. An indirect
 * call enters several functions, one after the other. */
void reconv_call(struct reconv *s, lanemask lanes, uint32_t pc, const struct frame *f,
		 uint32_t back);
/* The path to which lanes of the top's function return. */
const struct split *reconv_caller(const struct reconv *s, lanemask lanes);
/* reconv_return(): lanes leave the top's function; reconv_exit(): lanes have ended, and `live` are left. */
void reconv_return(struct reconv *s, lanemask lanes);
void reconv_exit(struct reconv *s, lanemask lanes, lanemask live);

/* Makes lanes of the top wait at barrier `bar`; the others go on after it. */
void reconv_wait(struct reconv *s, lanemask lanes, unsigned bar);
/* Continues paths that wait at the barrier; `fn` is called for each of them first, unless NULL.
 * False: no path waits. */
bool reconv_wake(struct reconv *s, unsigned bar, void (*fn)(void *arg, const struct split *p),
		 void *arg);
/* Lanes that wait at a barrier; NBARRIERS: at any barrier. */
lanemask reconv_waiting(const struct reconv *s, unsigned bar);
/* Returns the pc of a lane. */
uint32_t reconv_where(const struct reconv *s, unsigned lane);

/* Lanes of the top are at a .sync operation that names lanes `need`. 0: they wait for live lanes that have not arrived.
 * Otherwise the lanes that execute the operation now: lanes that waited continue after it, in the top's path if they have
 * its rpc, and its pc or SYNC_GATHERS. SYNC_EXCHANGES: lanes that have come elsewhere execute the operation there. */
lanemask reconv_sync(struct reconv *s, lanemask lanes, lanemask need, lanemask live,
		     uint32_t place);
/* Removes paths without lanes below the top; otherwise machine code whose paths part and meet in
 * loops would leave more and more of them. Only allowed if no path has an rpc, because an empty
 * path is where the paths above it continue. The top may move: pointers to it become invalid. */
void reconv_drop_empty(struct reconv *s);

/* Makes waiting paths check their condition again, because lanes that a .sync operation names have
 * ended or moved. */
void reconv_look_again(struct reconv *s);

/* The top's poll has failed: the next path runs. RECONV_ROUND: every path has run, and a new
 * round begins. RECONV_ALONE: there is no other path. */
enum reconv_turn { RECONV_NEXT, RECONV_ROUND, RECONV_ALONE };
enum reconv_turn reconv_yield(struct reconv *s);

#endif
