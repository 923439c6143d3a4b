/* Placing blocks on the SMs in turn, for several dispatchers of gpu/dispatch.h. */
#include "gpu/dispatch.h"

/* Places a block on the next SM with room; the search starts after the last SM used, so blocks spread. */
static int in_turn(struct disp *d, const struct kern *k,
		   bool (*fits)(const struct sm *, const struct kern *))
{
	for (unsigned i = 1; i <= d->nsm; i++) {
		unsigned n = (d->last + i) % d->nsm;
		if (fits(d->sm[n], k)) {
			d->last = n;
			return (int)n;
		}
	}
	return -1;
}

int disp_whole(struct disp *d, const struct kern *k) { return in_turn(d, k, block_fits); }
int disp_part(struct disp *d, const struct kern *k) { return in_turn(d, k, block_fits_partly); }

int disp_whole_or_part(struct disp *d, const struct kern *k)
{
	int n = disp_whole(d, k);
	return n >= 0 || k->l->cooperative ? n : disp_part(d, k);
}
