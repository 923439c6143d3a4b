/* What one SM issues in some cycles of a launch, thread by thread: for pictures and tests. Its
 * memory is taken when it is made; when it is full, the rest is left out and `full` says so. */
#ifndef SM_RECORD_H
#define SM_RECORD_H
#include "sm/lanes.h"

enum { RECORD_MAX = 4096, RECORD_LIVES = 16384, RECORD_POOL = 64 };

struct recorded_thread {
	uint32_t block, thread; /* of the grid; of the block */
	uint16_t warp;          /* its home warp on the SM */
	uint8_t lane;           /* lane of the SIMD pipeline */
	uint16_t
		cycle; /* of those at the issue port, from 0; of a lane of its own: since the issue */
	bool executed; /* its guard is true */
};

enum recorded_wait { RW_READY, RW_BARRIER, RW_SYNC, RW_OPERANDS }; /* OPERANDS: or anything else */

struct recorded_waiter { /* a group that is not the one that issues */
	uint32_t pc;
	uint16_t group, warp; /* warp: home of its first thread */
	uint8_t threads;
	uint8_t wait; /* enum recorded_wait */
};

struct recorded_issue {
	cycle_t cycle; /* of the launch */
	uint32_t pc;
	uint16_t group, port, n; /* port: cycles at the issue port */
	struct recorded_thread thread[MAX_LANES];
	uint16_t npool; /* the first RECORD_POOL of those that wait */
	struct recorded_waiter pool[RECORD_POOL];
};

struct recorded_life {   /* of a warp, from its start to the end of all it had under way */
	uint64_t block;  /* of the grid */
	uint16_t warp;   /* its number in the block */
	uint16_t slot;   /* its place on the SM */
	uint32_t issued; /* instructions */
	cycle_t start, end;
};

struct record {
	unsigned sm;
	cycle_t start, from, to; /* start: of the launch; from, to: since then */
	unsigned n;
	bool full;
	struct recorded_issue issue[RECORD_MAX];
	unsigned nlives; /* of the whole launch; the first RECORD_LIVES that ended */
	struct recorded_life life[RECORD_LIVES];
};

/* Group g is about to be issued for lanes `executed` with this plan. */
void record_issue(struct sm *sm, int g, const struct plan *p, lanemask executed);

/* The warp in a slot has ended. */
void record_life(struct sm *sm, unsigned slot);

#endif
