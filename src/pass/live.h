/* Liveness: at which points of the program each register's value may still be read.
 *
 * Requires: cfg. Provides: for each register a list of segments of the code.
 *
 * Instruction i reads at point 2i and writes at point 2i + 1. A value is live from the point of its
 * write up to and including the point of its last read, and segments are half-open:
 *
 *	 0  mov %a, 1          %a  [1, 7)       written at 1, last read at 6
 *	 1  mov %b, 2          %b  [3, 5)
 *	 2  add %c, %a, %b     %c  [5, 7)       shares its first point with no source that ends here
 *	 3  add %d, %a, %c     %d  [7, 8)       never read
 *
 * Segments follow the order of the code, not of execution: a register that is live around a loop
 * covers all of it; a register that is dead in an else part has a hole there. A register that may be
 * read before it is written is live from point 0; `entry` lists such registers.
 *
 * Liveness is that of one thread. It holds for rows shared by 32 threads too, because a thread
 * reads and writes only its own column; operations across columns are treated in pass/rows.h.
 * Only code that is reached from the entry counts. */
#ifndef PASS_LIVE_H
#define PASS_LIVE_H
#include "pass/cfg.h"

struct seg {
	uint32_t from, to;
};

struct live {
	uint32_t nregs;
	/* segments of register r: seg[at[r]] .. seg[at[r + 1] - 1], ascending, none adjacent */
	uint32_t *at;
	struct seg *seg;
	uint32_t *entry, nentry;
};

void live_build(struct live *l, const struct func *f,
		const struct cfg *c); /* results are in c's arena */
bool live_at(const struct live *l, uint32_t reg, uint32_t point);

#endif
