/* The functional simulator's reconvergence stack: post-dominator reconvergence, with forward progress.
 *
 * Entries above another are lanes of it that took a path of their own and will come back to its pc. A
 * lane is *at* the topmost entry that has it. Beyond the textbook stack, an entry may wait (at a
 * barrier, for lanes of a .sync operation, or because it polls): then any other entry's own lanes may
 * run first, detached from the stack's order. That gives the independent thread scheduling that
 * programs for sm_70 and later rely on, and costs nothing while nobody waits.                        */
#ifndef FUNC_SIMT_H
#define FUNC_SIMT_H
#include "exec/context.h"

static inline struct split *simt_top(struct wstate *ws) { return &ws->stack[ws->sp - 1]; }
void simt_start(struct wstate *ws, uint32_t pc, uint32_t mask);
/* A branch at `pc` where lanes `taken` go to target and `rest` to pc + 1; both not empty. */
void simt_diverge(struct wstate *ws, uint32_t pc, uint32_t target, uint32_t reconv, uint32_t taken,
		  uint32_t rest);
void simt_push(struct wstate *ws, struct split s);
/* Lanes leave the kernel, or the function whose entries are on top. */
void simt_exit(struct wstate *ws, uint32_t lanes);
void simt_return(struct wstate *ws, uint32_t lanes);
/* The entry that lanes of the top's function return to. Others' may be between, if the top waited. */
struct split *simt_caller(struct wstate *ws, uint32_t lanes);
/* The top's lanes top->at are at a .sync operation that names lanes top->need: do they wait for some of them?
 * If not, or if it is forced, *m are all who execute it now; those who waited for that go on behind it. */
bool simt_sync_waits(struct wstate *ws, uint32_t *m);
/* The top arrived where it reconverges: the entry below goes on. */
void simt_reconverge(struct wstate *ws);
/* Brings an entry that can run to the top; false: all wait, or none is left. With `other`, one that is
 * not the present top and has not polled in vain. */
bool simt_pick(struct wstate *ws, bool other);
/* The top polls in vain: another entry runs, each in its turn; false: there is none. */
bool simt_yield(struct wstate *ws);

#endif
