/* Groups that wait forever. A group that polls and finds all its registers as they were at its last
 * poll of that place will repeat itself until another group changes memory: it is still. When all
 * groups of the GPU have been still for long, or wait at a barrier, no group will change memory.
 *
 * A loop that counts its polls is never still, because its counter is a register: it may end. */
#include <stdio.h>
#include "check/check.h"
#include "kernel/image.h"
#include "sm/sm.h"

enum {
	SETTLING = 64,   /* polls in vain before registers are compared */
	STILL = 8192,    /* polls after which a group counts as still: a longer time than any store
		        * takes */
	OTHER_POLLS = 64 /* largest number of polls at other pcs between two polls at one pc */
};

/* Hash of all registers and predicates of lanes m. */
static uint64_t hash_registers(const struct wstate *ws, const struct launch *l, uint32_t m,
			       uint64_t h)
{
	const uint64_t prime = 0x9e3779b97f4a7c15u;
	for (uint32_t r = 0; r < l->frame_rows; r++) {
		const uint32_t *row = (const uint32_t *)(const void *)(ws->rows + (size_t)r * ROW);
		for (uint32_t q = m; q; q &= q - 1)
			h = (h ^ row[__builtin_ctz(q)]) * prime;
	}
	for (uint32_t p = 0; p < l->frame_preds; p++)
		h = (h ^ (ws->preds[p] & m)) * prime;
	return h;
}

void sm_note_poll(struct sm *sm, int g, uint32_t pc, lanemask lanes, bool same)
{
	struct still *s = &sm->still[g];
	const struct group *gr = &sm->div.group[g];
	if (!same || gr->warp == GROUP_MIXED) {
		s->polls = 0;
		return;
	}
	if (s->polls && s->pc != pc) {
		if (++s->others > OTHER_POLLS)
			s->polls = 0;
		return;
	}
	s->pc = pc;
	s->others = 0;
	if (++s->polls < SETTLING)
		return;
	const struct sm_warp *w = &sm->warp[gr->warp];
	uint64_t h = lanes + gr->warp;
	for (unsigned k = 0; k < 2; k++)
		if ((uint32_t)(lanes >> 32 * k))
			h = hash_registers(w->ws[k], w->b->k->l, (uint32_t)(lanes >> 32 * k), h);
	if (s->polls > SETTLING && h != s->hash) /* registers changed: the group makes progress */
		s->polls = 0;
	s->hash = h;
}

bool sm_is_still(struct sm *sm, bool *any)
{
	bool all = true;
	for (unsigned g = 0; g < sm->ngroups; g++) {
		const struct group *gr = &sm->div.group[g];
		struct still *s = &sm->still[g];
		unsigned state = sm->slot[g].state;
		if (state == GS_FREE || !gr->active || state == GS_BARRIER || state == GS_SYNC)
			continue;
		bool polled = s->polls != s->seen;
		s->seen = s->polls;
		*any |= s->polls > STILL;
		all &= s->polls > STILL && polled;
	}
	return all;
}

void sm_describe_still(const struct sm *sm, FILE *f, unsigned *shown)
{
	enum { SHOWN = 8 };
	char lanes[100], at[300];
	for (unsigned g = 0; g < sm->ngroups; g++) {
		const struct group *gr = &sm->div.group[g];
		const struct still *s = &sm->still[g];
		unsigned state = sm->slot[g].state;
		if (state == GS_FREE || !gr->active || gr->warp == GROUP_MIXED ||
		    (*shown)++ >= SHOWN)
			continue;
		const struct sm_warp *w = &sm->warp[gr->warp];
		const struct image *img = w->b->k->l->img;
		uint32_t pc = s->polls ? s->pc : gr->pc;
		check_where(img, pc, at, sizeof at);
		fprintf(f, "  block %llu, warp %u, lanes %s: %s, %s\n",
			(unsigned long long)w->b->cta->index, w->index,
			check_lanes(lanes, sizeof lanes, (uint32_t)gr->active),
			state == GS_BARRIER ? "wait at a barrier"
			: state == GS_SYNC  ? "wait for lanes of their warp"
					    : "poll in vain",
			at);
	}
}
