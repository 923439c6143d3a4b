/* Blocks of machine code. A label begins a block, and so does the instruction after a branch. */
#ifndef BACK_MIR_BLOCKS_H
#define BACK_MIR_BLOCKS_H
#include "back/mir/mir.h"
#include "pass/graph.h"

struct mblocks {
	uint32_t n;
	uint32_t *first; /* n + 1 entries: first instruction of each block */
	uint32_t *of_label;
};

void mblocks_find(struct mblocks *b, const struct mfunc *m);
void mblocks_free(struct mblocks *b);
/* Writes to to[] the blocks to which control may go from block k; returns their number. */
unsigned mblocks_next(const struct mblocks *b, const struct mfunc *m, uint32_t k, uint32_t to[2]);
void mblocks_graph(const struct mblocks *b, const struct mfunc *m, struct graph *g,
		   struct arena *a);

/* Returns the first instruction that a backward branch may reach: a thread executes the
 * instructions before it at most once. */
uint32_t mblocks_first_loop(const struct mfunc *m);

#endif
