/* The scoreboard of machines whose groups part and merge while instructions are in flight.
 *
 * If a group keeps its threads for life, one set of pending registers per group is enough
 * (gslot.pend). A group that parts leaves instructions in flight whose results belong to both
 * children, and a group that merges brings instructions in flight with it. So each thread has its
 * own set of pending registers:
 *
 * 	issue of  r1 = ...          by t0 t1 t2 t3      r1 is pending in t0 t1 t2 t3
 * 	branch                      t0 t1 | t2 t3       nothing is copied: both groups wait for r1
 * 	t2 t3 merge with t4 t5      t2 t3 t4 t5         the group waits for r1 until t2 and t3 have it
 * 	r1 is written               in t0 t1 t2 t3      wakes the groups that have these threads now
 *
 * A group waits for a register while it is pending in one of the group's threads. In hardware that
 * is one bit per register and thread, stored beside each lane's registers and read with the
 * operands, and an AND over the lanes; an instruction in flight carries its threads, which its
 * write-back needs in any case. */
#ifndef SM_THREADS_H
#define SM_THREADS_H
#include "sm/sm.h"

struct flight_threads { /* the threads of an instruction in flight */
	uint8_t n, nhomes;
	uint16_t thread[MAX_LANES]; /* numbers of the threads: warp * warp size + lane */
	uint16_t home[MAX_LANES];   /* home warps of these threads, each once */
};

/* Builds the table if the divergence mechanism needs it; otherwise sm->threads stays NULL. */
void threads_init(struct sm *sm);
void threads_free(struct sm *sm);

/* Called when the group issues t, before t has its effect. The registers that t writes become
 * pending in the group's threads, and their home warps have an instruction in flight until
 * threads_let_go(). */
void threads_issue(struct sm *sm, int g, const struct tinst *t);
/* Called after the issued instruction has had its effect and has entered the pipeline: ends warps
 * that have nothing in flight. */
void threads_let_go(struct sm *sm);
/* threads_take_off(): the instruction being issued is now in flight. threads_land(): the
 * instruction is no longer in flight. */
void threads_take_off(struct sm *sm, struct flight *op);
void threads_land(struct sm *sm, struct flight *op);
/* Computes the states of the groups that may have waited for the instruction, which is no longer in flight. */
void threads_wake(struct sm *sm, const struct flight *op);
const struct flight_threads *threads_of(const struct sm *sm, const struct flight *op);
/* Home warp of the first thread of the instruction being issued, whose register banks stand for
 * those of all its threads. */
unsigned threads_first_home(const struct sm *sm);

/* Called when the group's threads, or their operations in flight, have changed: computes slot.pend
 * and slot.atomics again. */
void threads_look(struct sm *sm, int g);
/* The kind of operation that the group's next instruction t waits for, a register of t being pending. */
enum wait_kind threads_producer(const struct sm *sm, int g, const struct tinst *t);
/* True if instruction t of the group must wait for operations of its home warps that are deferred. */
bool threads_wait_for_deferred(const struct sm *sm, const struct group *g, const struct tinst *t);
/* True if a thread of the group has a memory operation in flight. */
bool threads_access(const struct sm *sm, const struct group *g);
/* The group that has the thread; -1: the thread waits and belongs to no group. */
int threads_group(const struct sm *sm, unsigned warp, unsigned lane);
/* Computes the states of all groups that wait for deferred operations. */
void threads_ordered(struct sm *sm);

#endif
