/* Memory operands of operations that have several (fact OF_PARTS): the source of each, and its
 * space. The executor and the timing model use this list and know none of these operations by name.
 * kernel/lower.c makes a separate memory operand of each (exec/async/async.h). */
#ifndef IR_PARTS_H
#define IR_PARTS_H
#include "ir/inst.h"

enum part {
	PART_TO,   /* destination */
	PART_FROM, /* source; for a tensor copy, the tensor map */
	PART_BAR,  /* mbarrier that counts the bytes */
	PART_REST, /* global memory at addresses computed from a tensor map; no operand */
	PART_COUNT
};
enum { NO_OPERAND = 0xff };

struct inst_part {
	uint8_t part;   /* enum part */
	uint8_t source; /* number of the source; NO_OPERAND: none */
	uint8_t space;  /* enum space of the address */
	bool elsewhere; /* M_CLUSTER: may be in another block's shared memory */
	bool timed;     /* the timing model sees the lanes' addresses of this part */
};

/* Writes the operation's parts, in the order of their windows, and returns their number. */
unsigned inst_parts(const struct inst *in, struct inst_part out[PART_COUNT]);

#endif
