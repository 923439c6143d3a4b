/* Events on an SM, for a timeline: those of the present window, which gpu/trace.c writes out at its
 * end. Events are kept only for the SMs and cycles that were asked for. */
#ifndef SM_TRACE_H
#define SM_TRACE_H
#include "base/vec.h"
#include "sm/sm.h"

enum trace_kind {
	TRACE_ISSUE,   /* `value`: lanes that executed */
	TRACE_WAIT,    /* `value`: enum gstate */
	TRACE_MEMORY,  /* a memory instruction, from issue to result */
	TRACE_BLOCK,   /* `value`: index of the block; track: its slot */
	TRACE_REQUEST, /* request of the memory system, from the SM's port to its answer; `value`:
	                * address */
};

struct trace_event {
	cycle_t from, to;
	uint64_t value;
	const struct kern *k;
	uint32_t pc;    /* requests: number of bytes */
	uint16_t track; /* group, or slot of a block; requests: L2 slice */
	uint8_t kind;
	uint8_t op, class; /* requests: enum msg_kind, enum msg_class */
};

struct trace {
	cycle_t from, to; /* range of cycles that is kept */
	VEC(struct trace_event) ev;
};

void trace_add(struct trace *t, struct trace_event e);
/* Records waits and blocks that are under way at cycle `at` and will not be seen to their ends. */
void trace_rest(struct sm *sm, cycle_t at);

#endif
