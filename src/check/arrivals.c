/* --check race: which threads arrive at barriers and at operations of a warp, and which are missing. A
 * barrier of the block is for all its threads, an operation of a warp for all lanes that its mask names.
 * Threads that have exited cannot arrive, and the hardware does not wait for them. A lane that exits
 * while others of its warp wait for it is reported: the lane went past the operation, as after a loop
 * that it left before them. What each file of the checker finds is listed in check/check.h. */
#include "check/check.h"

/* ---- barriers ---- */

/* Reports lanes of one warp that arrive at two barrier instructions: the barrier is in divergent
 * code. */
static void check_warp_arrives(struct warp *w, const struct uop *u, struct bar_check *bar,
			       uint32_t lanes)
{
	const struct image *img = w->cta->l->img;
	uint32_t pc = (uint32_t)(u - img->code), first = bar->pc[w->id];
	char a[100], b[100], at[PLACE_TEXT];
	struct report *r;
	bar->pc[w->id] = first ? first : pc + 1;
	if (!(u->in->mods & M_ALIGNED))
		return;
	if (first && first != pc + 1 &&
	    (r = check_report(w, u, (unsigned)__builtin_ctz(lanes), HEDDLE_FAULT_BARRIER, 0, 0,
			      first - 1, "two places"))) {
		check_where(img, first - 1, at, sizeof at);
		report_text(
			r,
			"barrier in divergent code: lanes %s of the warp arrive here, lanes %s at the barrier at %s",
			check_lanes(a, sizeof a, lanes), check_lanes(b, sizeof b, bar->in[w->id]),
			at);
	}
}

/* Reports lanes that arrive at a barrier after other lanes of their warp have left the kernel. */
static void check_warp_whole(struct warp *w, const struct bar_check *bar)
{
	uint32_t gone = w->init & ~w->live, lanes = bar->in[w->id];
	const struct uop *u = bar->pc[w->id] ? &w->cta->l->img->code[bar->pc[w->id] - 1] : NULL;
	char a[100], b[100];
	if (!gone || !lanes || !u || !(u->in->mods & M_ALIGNED) || w->cta->l->img->native)
		return;
	w->pc = bar->pc[w->id] - 1;
	struct report *r = check_report(w, u, (unsigned)__builtin_ctz(lanes), HEDDLE_FAULT_BARRIER,
					0, 0, NO_PC, "exited");
	if (r)
		report_text(
			r,
			"barrier after an early return: lanes %s of the warp arrive, lanes %s have exited",
			check_lanes(a, sizeof a, lanes), check_lanes(b, sizeof b, gone));
}

/* Barriers count warps, so a thread count that is not a multiple of the warp size is reported. */
static void check_bar_expects(struct warp *w, const struct uop *u, unsigned id, uint32_t lanes)
{
	uint32_t want = w->cta->bar[id].expected, size = w->cta->l->warp_size;
	if (!(want % size))
		return;
	struct report *r = check_report(w, u, (unsigned)__builtin_ctz(lanes), HEDDLE_FAULT_BARRIER,
					id, 0, NO_PC, "not whole warps");
	if (r)
		report_text(
			r,
			"barrier %u expects %u threads, which is not a multiple of the warp size, %u",
			id, want, size);
}

void arrivals_begin(struct warp *w, const struct uop *u, unsigned id, uint32_t lanes)
{
	w->pc = (uint32_t)(u - w->cta->l->img->code);
	check_warp_arrives(w, u, &w->cta->check->bar[id], lanes);
	check_bar_expects(w, u, id, lanes);
}

/* Reports whole warps that have left the kernel. */
static void check_warps_left(const struct cta *b, const struct bar_check *bar)
{
	struct warp *w = NULL;
	uint32_t gone = 0, nwarps = b->l->nwarps < 32 ? b->l->nwarps : 32;
	for (uint32_t i = 0; i < nwarps; i++) {
		if (bar->pc[i] && !w)
			w = b->check->warp[i];
		else if (!bar->pc[i] && b->check->warp[i]->init && !b->check->warp[i]->live)
			gone |= 1u << i;
	}
	const struct uop *u = w ? &b->l->img->code[bar->pc[w->id] - 1] : NULL;
	if (!gone || !u || !(u->in->mods & M_ALIGNED) || b->l->img->native)
		return;
	char warps[100];
	w->pc = bar->pc[w->id] - 1;
	struct report *r = check_report(w, u, (unsigned)__builtin_ctz(bar->in[w->id]),
					HEDDLE_FAULT_BARRIER, 0, 0, NO_PC, "warps exited");
	if (r)
		report_text(
			r,
			"barrier after an early return: warps %s of the block have exited, but it is for all threads "
			"of a block",
			check_lanes(warps, sizeof warps, gone));
}

void arrivals_end(const struct cta *b, const struct bar_check *bar)
{
	for (uint32_t i = 0; i < b->l->nwarps; i++)
		check_warp_whole(b->check->warp[i], bar);
	check_warps_left(b, bar);
}

/* ---- operations of a warp ---- */

void arrivals_wait(const struct warp *w, uint32_t pc, uint32_t away)
{
	struct warp_check *c = &w->cta->check->w[w->id];
	if (!c->awaited || c->awaited_at != pc)
		c->passed = 0;
	c->awaited |= away;
	c->awaited_at = pc;
}

/* Lanes of the mask for which others waited here and that executed something else and exited. */
static uint32_t passed_by(struct warp *w, uint32_t mask)
{
	const struct warp_check *c = &w->cta->check->w[w->id];
	return c->awaited_at == w->pc ? c->awaited & c->passed & mask & ~w->live : 0;
}

static void mask_report(struct warp *w, const struct uop *u, unsigned lane, const char *why,
			uint32_t mask, const char *what, uint32_t lanes)
{
	char a[100], b[100];
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_WARP_MASK, mask, 0, NO_PC, why);
	if (r)
		report_text(r, "%s: the mask 0x%08x names %s%s, %s %s",
			    u->in->text ? u->in->text : op_info[u->in->op].name, mask,
			    mask ? "lanes " : "no lane", check_lanes(a, sizeof a, mask), what,
			    check_lanes(b, sizeof b, lanes));
}

/* The lane that a shuffle reads; the lane itself if the source is outside its segment. */
static unsigned shuffle_source(const struct warp *w, const struct uop *u, unsigned i)
{
	const int32_t *s = u->v + u->in->nd;
	uint32_t b = row_u32(w, s[1])[i] & 31, c = row_u32(w, s[2])[i];
	uint32_t seg = c >> 8 & 31, limit = (i & seg) | ((c & 31) & ~seg);
	int j;
	switch (u->in->shfl) {
	case SHFL_UP: j = (int)i - (int)b; return j >= (int)limit ? (unsigned)j : i;
	case SHFL_DOWN: j = (int)(i + b); break;
	case SHFL_BFLY: j = (int)(i ^ b); break;
	default: j = (int)((i & seg) | (b & ~seg)); break;
	}
	return j <= (int)limit ? (unsigned)j : i;
}

/* Checks member masks: each lane is in its own mask, all lanes of a mask hold that mask, all lanes
 * that it names have arrived, and a shuffle reads one of these lanes, unless a select may discard
 * its result. */
static void check_members(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	const uint32_t *mm = row_u32(w, u->v[in->nd + in->ns - 1]);
	bool shuffles = op_info[in->op].kind == OPK_SHUFFLE;
	for (uint32_t m = w->mask, done = 0; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t exist = w->live & mm[i], away = (exist | passed_by(w, mm[i])) & ~w->mask,
			 other = 0;
		if (!(mm[i] >> i & 1)) {
			mask_report(w, u, i, "own lane", mm[i], "but is executed by lane", 1u << i);
			return;
		}
		for (uint32_t q = exist & w->mask; q; q &= q - 1)
			if (mm[__builtin_ctz(q)] != mm[i])
				other |= q & -q;
		if (other) {
			mask_report(w, u, i, "masks differ", mm[i],
				    "another mask is named by lanes", other);
			return;
		}
		if (away) {
			mask_report(w, u, i, "do not arrive", mm[i],
				    "of which do not arrive:", away);
			return;
		}
		unsigned j = shuffles ? shuffle_source(w, u, i) : i;
		if (shuffles && j != i && !((mm[i] & w->mask) >> j & 1) && frames_uses(w, in)) {
			mask_report(w, u, i, "reads", mm[i],
				    mm[i] >> j & 1 ? "the shuffle reads one that has exited:"
						   : "but the shuffle reads lane",
				    1u << j);
			return;
		}
		if (!(done >> i & 1) && !inst_is(in, OF_NO_SYNC))
			check_warp_sync(w, exist & w->mask);
		done |= exist & w->mask;
	}
}

void arrivals_members(struct warp *w, const struct uop *u)
{
	struct warp_check *c = &w->cta->check->w[w->id];
	check_members(w, u);
	if (c->awaited && c->awaited_at == w->pc)
		c->awaited = 0;
}
