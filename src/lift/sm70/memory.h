/* Where native code for sm_70 and later finds memory. */
#ifndef LIFT_SM70_MEMORY_H
#define LIFT_SM70_MEMORY_H
#include "lift/sm70/lift.h"

enum {
	LIFT_SHARED_HIGH = 0x00fd0000, /* upper word of shared memory's generic addresses */
	LIFT_SHARED_RESERVED =
		0x400, /* sm_90 on: bytes of shared memory in front of the program's */
};

/* The address that a memory operand means, for an access of that space. */
struct opnd lift_address(struct lift *l, const struct sm70_operand *o, enum space space);
#endif
