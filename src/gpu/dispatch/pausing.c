#include "gpu/dispatch/pausing.h"

#include "kernel/cta.h"

/* The youngest block that issues (paused = false), or the oldest paused block; NULL: none. */
static struct block *find_block(struct sm *sm, bool paused)
{
	struct block *best = NULL;
	for (unsigned i = 0; i < sm->blocks.n; i++) {
		struct block *b = &sm->blocks.block[i];
		if (!b->used || b->paused != paused)
			continue;
		if (!best ||
		    (paused ? b->cta->index < best->cta->index : b->cta->index > best->cta->index))
			best = b;
	}
	return best;
}

void pausing_adjust(struct sm *sm, unsigned most)
{
	while (sm->blocks.used - sm->npaused > most) {
		unsigned before = sm->npaused;
		block_pause(sm, find_block(sm, false), true);
		if (sm->npaused == before)
			return; /* the youngest block cannot be paused, because other blocks may
				 * wait for it */
	}
	while (sm->npaused && sm->blocks.used - sm->npaused < most)
		block_pause(sm, find_block(sm, true), false);
}
