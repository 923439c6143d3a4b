/* The copy engine of an SM since Hopper, and what waits for asynchronous copies.
 *
 * The executor copies at once. This file says when the copy would have ended: the engine asks the memory system for the
 * copy's lines, one per cycle and one copy after the other; when the last answer is there, the copies that an mbarrier
 * still lacks become one fewer, and instructions that wait for it go on. Copies by lanes (LDGSTS) run in the load/store
 * unit; they are counted per warp here.
 *
 * A pipeline owns one, passes it the events that engine_event() recognises, and tells it of every instruction that ends. */
#ifndef SM_ENGINE_H
#define SM_ENGINE_H
#include "sm/flight.h"

struct engine;
struct copy_times {        /* cycles */
	uint32_t interval; /* from the start of a copy to the start of the next */
	uint32_t delay;    /* from issue to the first line of an idle engine */
	uint32_t wake;     /* from the end of a copy to the instructions that wait for it */
};

struct engine *engine_new(const struct copy_times *t);
void engine_free(struct engine *c);
/* True if the event is the engine's own; it is handled. */
bool engine_event(struct sm *sm, struct engine *c, struct event *ev);

/* The engine takes the copy that sm->copies describes; op ends with it. */
void engine_copy(struct sm *sm, struct engine *c, struct flight *op);
/* A copy by lanes begins. */
void engine_lanes(struct engine *c, unsigned warp);
/* An instruction ends: a copy, or anything else. */
void engine_ended(struct sm *sm, struct engine *c, const struct flight *op);

/* What an instruction may wait for: copies of the engine that an mbarrier lacks, the warp's copies by lanes, the warp's
 * copies to global memory. False: none is under way. True: op ends after them. */
bool engine_wait_barrier(struct sm *sm, struct engine *c, struct flight *op, const struct cta *b,
			 uint32_t at);
bool engine_wait_lanes(struct engine *c, struct flight *op);
bool engine_wait_stores(struct engine *c, struct flight *op);
/* The mbarrier lacks the warp's copies by lanes that are under way. */
void engine_arrive(struct engine *c, unsigned warp, const struct cta *b, uint32_t at);

#endif
