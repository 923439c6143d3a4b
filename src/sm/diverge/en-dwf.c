/* Enhanced dynamic warp formation: a thread of the incoming (male) group whose position is taken in the
 * waiting (female) one may move to another part of the same lane that is empty in both. A lane holds as
 * many threads of a group as it has parts, so it is full only when all are taken. */
#include "sm/regroup.h"

/* Where each thread of the male goes; the conflicts that are left. */
static lanemask move(const struct regroup *r, lanemask male, lanemask female, uint8_t *to, unsigned *moved)
{
	lanemask left = 0, now = male;
	for (unsigned p = 0; p < r->size; p++)
		to[p] = (uint8_t)p;
	*moved = 0;
	for (unsigned lane = 0; lane < r->width; lane++)
		for (unsigned p = lane; p < r->size; p += r->width) {
			if (!(now & female & 1ull << p))
				continue;
			unsigned k = lane;
			while (k < r->size && ((now | female) >> k & 1))
				k += r->width;
			if (k >= r->size) {
				left |= 1ull << p;
				continue;
			}
			to[p] = (uint8_t)k;
			now = (now & ~(1ull << p)) | 1ull << k;
			++*moved;
		}
	return left;
}

static void place(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	struct group *male = &d->group[g];
	int f = regroup_newest(d, g);
	uint8_t to[MAX_LANES];
	unsigned moved;
	if (f < 0) {
		regroup_enter(d, g);
		return;
	}
	lanemask both = male->active & d->group[f].active;
	lanemask left = move(r, male->active, d->group[f].active, to, &moved);
	STAT(r->stats, merges_tried)++;
	STAT(r->stats, merges) += !left;
	STAT(r->stats, conflicts) += left != 0;
	STAT(r->stats, conflict_threads) += (unsigned)__builtin_popcountll(both);
	if (left && !r->divides) {
		regroup_enter(d, g);
		return;
	}
	STAT(r->stats, moved_threads) += moved;
	if (moved)
		regroup_arrange(d, g, to);
	lanemask fit = male->active & ~d->group[f].active;
	if (fit)
		regroup_join(d, g, fit, f);
	if (left)
		regroup_enter(d, g);
}

static void init(struct div *d) { regroup_init(d, place); }

const struct div_ops div_en_dwf = {
	.p = {"en-dwf", "dwf, and a thread whose position is taken may move to another part of its lane",
	      "Jin 2012, section 4.4 and appendix B", .stats = &regroup_stats},
	.merges = true,
	.init = init,
	REGROUP_OPS,
};
