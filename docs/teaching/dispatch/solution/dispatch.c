/* The SM with the fewest blocks gets the next one. A launch of three or four blocks per SM is not given out at once: each SM holds half
 * of its share, so that blocks that turn out to take long leave the others to SMs that are done early.
 *
 *	waiting     . . . . . . . .            a block goes to an SM when one of its two has ended
 *	SM 0        A--------------            A takes long: SM 0 takes few others
 *	            b--  c--  d--
 *	SM 1        e-- f-- g-- h--            short blocks make room for the next
 *	            i-- j-- k-- */
#include "gpu/dispatch.h"

enum { FEW = 4 };

static int place(struct disp *d, const struct kern *k)
{
	uint64_t share = (k->blocks + d->nsm - 1) / d->nsm;
	unsigned most = share > 2 && share <= FEW ? (unsigned)(share + 1) / 2 : ~0u;
	int best = -1;
	for (unsigned i = 1; i <= d->nsm; i++) { /* in turn among equals */
		unsigned n = (d->last + i) % d->nsm;
		unsigned used = d->sm[n]->blocks.used;
		if (used < most && block_fits(d->sm[n], k) && (best < 0 || used < d->sm[best]->blocks.used))
			best = (int)n;
	}
	return best;
}

const struct disp_ops disp_least = {
	.p = {"least", "the SM with the fewest blocks, at first half of its share", ""},
	.place = place,
};
