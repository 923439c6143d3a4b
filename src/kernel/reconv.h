/* The reconvergence stack of a warp: reconvergence at the immediate post-dominator, with forward
 * progress. Functional mode has one for each warp, and so has `sm.divergence = pdom`.
 *
 *	path      pc   rpc  mask        A path above another has lanes of it that took a way of
 *	[2] top   then join 1111 ....   their own and come back to its pc. A lane is at the topmost
 *	[1]       else join .... 1111   path that has it. The top runs; at its rpc it is dropped and
 *	[0]       join end  1111 1111   the one below goes on.
 *
 * A path (struct split) may have to wait: at a barrier, for lanes that a .sync operation names, or because it
 * polls. Then the own lanes of any other path may run first, detached from the stack's order:
 * programs for sm_70 and later rely on independent thread scheduling. While nobody waits it is the
 * textbook's stack. */
#ifndef KERNEL_RECONV_H
#define KERNEL_RECONV_H
#include "kernel/wstate.h"

typedef uint64_t lanemask; /* lanes of a warp of up to 64 */

enum split_state {
	SPLIT_READY,
	SPLIT_BARRIER, /* waits at barrier `bar`, at its pc */
	SPLIT_SYNC,    /* waits for lanes of the .sync operation at its pc */
	SPLIT_FORCED   /* executes that operation without those who cannot come */
};

struct split {
	uint32_t pc, rpc; /* rpc: where it reconverges, or NO_PC */
	lanemask mask;
	struct frame frame;
	lanemask at, need; /* SPLIT_SYNC: lanes to execute the operation, lanes they name */
	uint8_t state, bar;
	bool polls; /* in vain: others first */
};

struct reconv {
	struct split *path; /* path[0 .. n-1] */
	uint32_t n, cap;
};

static inline struct split *reconv_top(const struct reconv *s) { return &s->path[s->n - 1]; }
/* The only path is lanes `mask` at `pc`. */
void reconv_start(struct reconv *s, uint32_t pc, lanemask mask);
void reconv_free(struct reconv *s);

/* Brings a path that can run to the top and drops those that have arrived where they reconverge. If
 * there is none, lanes of a .sync operation whose partners cannot come go on without them. False:
 * all that are left wait at barriers. */
bool reconv_settle_slowly(struct reconv *s);
static inline bool reconv_settle(struct reconv *s)
{
	const struct split *top = s->n ? reconv_top(s) : NULL;
	if (top && top->mask && top->state == SPLIT_READY && top->pc != top->rpc)
		return true;
	return reconv_settle_slowly(s);
}

/* The top's lanes go two ways that meet at `rpc`, neither without lanes; `first` runs first. */
struct way {
	uint32_t pc;
	lanemask mask;
};
void reconv_branch(struct reconv *s, uint32_t rpc, struct way first, struct way then);
/* Lanes `who` of the top go each to its own target, the others behind its pc; all meet at `rpc`. */
void reconv_branch_indexed(struct reconv *s, uint32_t rpc, lanemask who, const uint32_t *target);
/* Lanes of the top enter a function at `pc` with frame `f`; they come back to `back`. An indirect
 * call enters several, one after the other. */
void reconv_call(struct reconv *s, lanemask lanes, uint32_t pc, const struct frame *f,
		 uint32_t back);
/* The path that lanes of the top's function return to. */
const struct split *reconv_caller(const struct reconv *s, lanemask lanes);
/* Lanes leave the top's function; lanes have ended, and `live` are left. */
void reconv_return(struct reconv *s, lanemask lanes);
void reconv_exit(struct reconv *s, lanemask lanes, lanemask live);

/* Lanes of the top wait at barrier `bar`, the others go on behind it. */
void reconv_wait(struct reconv *s, lanemask lanes, unsigned bar);
/* Those who wait at it go on, `fn` called for each path of them first; false: nobody does. */
bool reconv_wake(struct reconv *s, unsigned bar, void (*fn)(void *arg, const struct split *p),
		 void *arg);
/* Lanes that wait at a barrier; NBARRIERS: at any. */
lanemask reconv_waiting(const struct reconv *s, unsigned bar);
/* The pc at which a lane is. */
uint32_t reconv_where(const struct reconv *s, unsigned lane);

/* Lanes of the top are at a .sync operation that names lanes `need`. 0: they wait for some that
 * live and are not there. Else all who execute it now; those who waited for that go on behind it,
 * with the top where their way back is the same. */
lanemask reconv_sync(struct reconv *s, lanemask lanes, lanemask need, lanemask live);

/* The top polls in vain, so another path runs, each in its turn. RECONV_ROUND: all had theirs, and
 * the first of the next round is on top. RECONV_ALONE: there is no other. */
enum reconv_turn { RECONV_NEXT, RECONV_ROUND, RECONV_ALONE };
enum reconv_turn reconv_yield(struct reconv *s);

#endif
