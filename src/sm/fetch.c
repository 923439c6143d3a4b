/* Fetch: each cycle the next few groups, round robin, whose instruction buffer is empty. The instructions
 * of one fetch arrive together, after the instruction cache and decoding. */
#include "sm/sm.h"

void fetch_init(struct sm *sm)
{
	sm->fetch_words = (sm->ngroups + 63) / 64;
	sm->want_fetch = xcalloc(sm->fetch_words, sizeof *sm->want_fetch);
}

void fetch_want(struct sm *sm, int g)
{
	if (sm->slot[g].fetching)
		return;
	sm->want_fetch[g / 64] |= 1ull << g % 64;
	sm->fetch_any = true;
}

static int next_group(struct sm *sm)
{
	unsigned from = (sm->fetch_last + 1) % sm->ngroups, w = from / 64;
	uint64_t bits = sm->want_fetch[w] >> from % 64 << from % 64;
	for (unsigned k = 0; k <= sm->fetch_words; k++) {
		if (bits)
			return (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
		w = (w + 1) % sm->fetch_words;
		bits = sm->want_fetch[w];
	}
	return -1;
}

static void start(struct sm *sm, int g)
{
	struct gslot *s = &sm->slot[g];
	sm->want_fetch[g / 64] &= ~(1ull << g % 64);
	sm->fetch_last = (unsigned)g;
	const struct group *gr = &sm->div.group[g];
	if (gr->wait != GROUP_RUNS || (s->ib_n && s->ib_pc == gr->pc))
		return; /* it waits since, or went elsewhere */
	s->fetching = true;
	s->fetch_pc = gr->pc;
	s->fill.kind = EV_FILL;
	s->fill.arg = (uint32_t)g;
	STAT(&sm->stats, fetches)++;
	wheel_post(&sm->wheel, &s->fill, sm->now + sm->m->l1i_lat + sm->m->decode_cycles);
}

void fetch_cycle(struct sm *sm)
{
	if (!sm->fetch_any)
		return;
	sm->progress = true;
	for (unsigned i = 0; i < sm->m->fetch_width; i++) {
		int g = next_group(sm);
		if (g < 0) {
			sm->fetch_any = false;
			return;
		}
		start(sm, g);
	}
}

void fetch_filled(struct sm *sm, int g)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	s->fetching = false;
	if (!gr->active)
		return;
	if (gr->pc == s->fetch_pc) {
		uint32_t n = sm->m->fetch_bytes / sm->m->inst_bytes, left = sm_home(sm, gr)->b->k->ncode - gr->pc;
		n = n < sm->m->ibuffer ? n : sm->m->ibuffer;
		s->ib_pc = gr->pc;
		s->ib_n = (uint8_t)(n ? (n < left ? n : left) : 1);
	}
	sm_group_changed(sm, g);
}
