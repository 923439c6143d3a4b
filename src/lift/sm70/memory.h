/* Addresses of memory in native code for sm_70 and later. */
#ifndef LIFT_SM70_MEMORY_H
#define LIFT_SM70_MEMORY_H
#include "lift/sm70/lift.h"

enum {
	LIFT_SHARED_HIGH = 0x00fd0000, /* upper word of generic addresses of shared memory */
	LIFT_SHARED_RESERVED =
		0x400,            /* sm_90 on: bytes of shared memory before the program's own */
	LIFT_SHARED_USED = 0x120, /* number of these bytes that the system writes */
};

/* Returns the address of a memory operand, for an access to the given space. */
struct opnd lift_address(struct lift *l, const struct sm70_operand *o, enum space space);
/* Returns the memory at a generic address of 64 bits plus an offset. */
struct opnd lift_generic(struct lift *l, struct opnd base, int64_t off);
/* Computes, once per warp, the offset that lift_generic() adds to addresses of shared memory. */
void lift_window(struct lift *l);
#endif
