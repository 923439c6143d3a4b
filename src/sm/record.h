/* Records what one SM issues in some cycles of a launch, thread by thread: for pictures and tests.
 * Its memory is allocated once; when it is full, later entries are dropped and `full` is set. */
#ifndef SM_RECORD_H
#define SM_RECORD_H
#include <limits.h>
#include "sm/lanes.h"

enum { RECORD_MAX = 4096, RECORD_LIVES = 16384, RECORD_POOL = 64 };
#define RECORD_ANY UINT_MAX

struct recorded_thread {
	uint32_t block, thread; /* number of the block in the grid; number of the thread in the
	                         * block */
	uint16_t warp;          /* home warp on the SM */
	uint8_t lane;           /* lane of the SIMD pipeline */
	uint16_t cycle; /* cycle at the issue port, from 0; for a lane with its own entrance:
			 * cycles since the issue */
	bool executed;  /* true: the instruction's guard is true for the thread */
};

enum recorded_wait {
	RW_READY,
	RW_BARRIER,
	RW_SYNC,
	RW_OPERANDS
}; /* RW_OPERANDS: waits for operands or any other cause */

struct recorded_waiter { /* a group other than the issuing one */
	uint32_t pc;
	uint16_t group, warp; /* warp: home warp of the group's first thread */
	uint8_t threads;
	uint8_t wait; /* enum recorded_wait */
};

struct recorded_issue {
	cycle_t cycle; /* cycle of the launch */
	uint32_t pc;
	uint16_t group, port, n; /* port: cycles at the issue port */
	struct recorded_thread thread[MAX_LANES];
	uint16_t npool; /* waiting groups; the first RECORD_POOL of them are kept */
	struct recorded_waiter pool[RECORD_POOL];
};

struct recorded_life {   /* life of a warp, from its start to the end of its last instruction */
	uint64_t block;  /* number in the grid */
	uint16_t warp;   /* number of the warp in the block */
	uint16_t slot;   /* warp slot on the SM */
	uint32_t issued; /* number of instructions */
	cycle_t start, end;
};

struct record {
	unsigned sm;             /* number of the recorded SM; RECORD_ANY: the first SM that
				  * receives a block */
	cycle_t start, from, to; /* start: cycle of the launch; from, to: cycles since then */
	bool first; /* nothing has been issued yet: the range begins with the first issue, and
		     * `to` is its length */
	unsigned n;
	bool full;
	struct recorded_issue issue[RECORD_MAX];
	unsigned nlives; /* lives of the whole launch; the first RECORD_LIVES that ended are kept */
	struct recorded_life life[RECORD_LIVES];
};

/* Group g is about to be issued for lanes `executed` with this plan. */
void record_issue(struct sm *sm, int g, const struct plan *p, lanemask executed);

/* The warp in a slot has ended. */
void record_life(struct sm *sm, unsigned slot);

#endif
