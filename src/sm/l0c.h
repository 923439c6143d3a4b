/* The first level of the constant caches in an SM since Volta: lines of c[bank][offset] whose data arrive at a known
 * cycle. A line that is requested while it is in flight arrives once. An SM has two such caches, one for operands at
 * issue (ULDC, c[][] of arithmetic) and one for LDC in the load/store unit. Their next level is the cache l1c, which
 * always contains a kernel's parameters and special constants (bank 0). */
#ifndef SM_L0C_H
#define SM_L0C_H
#include <stdint.h>
#include <string.h>
#include "sm/sm.h"

enum { L0C_LINE_SHIFT = 6, L0C_SETS = 8, L0C_WAYS = 4 }; /* 2 KB */

struct l0c_line {
	uint64_t tag;  /* address / 64 + 1; 0: no line */
	cycle_t ready; /* cycle in which the data arrive */
};
struct l0c {
	struct l0c_line line[L0C_SETS][L0C_WAYS]; /* per set, most recently used first */
};

static inline void l0c_clear(struct l0c *c) { memset(c, 0, sizeof *c); }

/* True if the line is there or on its way. */
static inline bool l0c_has(const struct l0c *c, uint64_t addr)
{
	uint64_t tag = (addr >> L0C_LINE_SHIFT) + 1;
	const struct l0c_line *set = c->line[(tag - 1) % L0C_SETS];
	for (unsigned k = 0; k < L0C_WAYS; k++)
		if (set[k].tag == tag)
			return true;
	return false;
}

/* The cycle in which a line's data are available; `miss`: cycles until a missing line arrives.
 * *missed: true if the line was missing. */
static inline cycle_t l0c_look_up(struct l0c *c, uint64_t addr, cycle_t now, uint32_t miss,
				  bool *missed)
{
	uint64_t tag = (addr >> L0C_LINE_SHIFT) + 1;
	struct l0c_line *set = c->line[(tag - 1) % L0C_SETS], l = {tag, now + miss};
	unsigned k = 0;
	while (k < L0C_WAYS - 1 && set[k].tag != tag)
		k++;
	*missed = set[k].tag != tag;
	if (!*missed)
		l = set[k];
	memmove(set + 1, set, k * sizeof *set);
	set[0] = l;
	return l.ready > now ? l.ready : now;
}

#endif
