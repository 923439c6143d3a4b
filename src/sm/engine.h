/* The copy engine of an SM since Hopper, and the instructions that wait for asynchronous copies.
 *
 * The executor performs a copy at once; this file computes when it would have ended. The engine requests the copy's
 * lines from the memory system, one per cycle and one copy after the other. When the last line has arrived, the copy's
 * mbarrier awaits one copy fewer; when it awaits none, the instructions that wait for it continue. Copies by lanes
 * (LDGSTS) run in the load/store unit; this file counts them per warp.
 *
 * A pipeline owns an engine, passes it every event for which engine_event() returns true, and calls engine_ended() for
 * every instruction that ends. */
#ifndef SM_ENGINE_H
#define SM_ENGINE_H
#include "sm/flight.h"

struct engine;
struct copy_times {        /* cycles */
	uint32_t interval; /* cycles from the start of a copy to shared memory to the start of the
			   * next copy */
	uint32_t store_interval; /* cycles from the start of a copy from shared memory to the
				  * start of the next copy */
	uint32_t delay;          /* cycles from issue to the first line, if the engine is idle */
	uint32_t wake;           /* cycles from the end of a copy until waiting instructions
				  * continue */
};

struct engine *engine_new(const struct copy_times *t);
void engine_free(struct engine *c);
/* Handles the event if it belongs to the engine. False: it does not. */
bool engine_event(struct sm *sm, struct engine *c, struct event *ev);

/* Starts the copy that sm->copies describes; op ends when the copy does. */
void engine_copy(struct sm *sm, struct engine *c, struct flight *op);
/* Called when a copy by lanes begins. */
void engine_lanes(struct engine *c, unsigned warp);
/* Called when any instruction ends. */
void engine_ended(struct sm *sm, struct engine *c, const struct flight *op);

/* Make op wait: for the engine's copies that an mbarrier awaits; for the warp's copies by lanes; for the warp's copies to
 * global memory. True: op ends after them. False: no such copy is in flight. */
bool engine_wait_barrier(struct sm *sm, struct engine *c, struct flight *op, const struct cta *b,
			 uint32_t at);
bool engine_wait_lanes(struct engine *c, struct flight *op);
bool engine_wait_stores(struct engine *c, struct flight *op);
/* Makes the mbarrier await the warp's copies by lanes that are in flight. */
void engine_arrive(struct engine *c, unsigned warp, const struct cta *b, uint32_t at);

#endif
