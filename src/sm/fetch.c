/* Fetch: each cycle the next few groups, round robin, whose instruction buffer is empty. The instructions
 * of one fetch arrive together, after the instruction cache and decoding. */
#include "sm/l1.h"

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

/* Instructions of one fetch: as many as there is room for, of one aligned piece of memory. */
static uint32_t count(const struct sm *sm, const struct kern *k, uint32_t pc)
{
	uint32_t n = sm->m->fetch_bytes / sm->m->inst_bytes, left = k->ncode - pc;
	uint64_t addr = k->code_base + (uint64_t)pc * sm->m->inst_bytes;
	uint32_t line = sm->m->l1i_line, same = (uint32_t)(line - addr % line) / sm->m->inst_bytes;
	n = n < sm->m->ibuffer ? n : sm->m->ibuffer;
	n = n < same ? n : same;
	n = n < left ? n : left;
	return n ? n : 1;
}

static void post(struct sm *sm, int g, cycle_t at)
{
	struct gslot *s = &sm->slot[g];
	s->fill.kind = EV_FILL;
	s->fill.arg = (uint32_t)g;
	wheel_post(&sm->wheel, &s->fill, at);
}

void fetch_arrived(struct sm *sm, int g) { post(sm, g, sm->now + sm->m->decode_cycles + 1); }

static enum l1_result lookup(struct sm *sm, int g, const struct group *gr)
{
	const struct kern *k = sm_home(sm, gr)->b->k;
	uint64_t addr = k->code_base + (uint64_t)gr->pc * sm->m->inst_bytes, line = sm->m->l1i_line;
	struct tx t = {.addr = addr / line * line, .bytes = (uint16_t)line,
		       .pieces = (uint32_t)((1ull << line / MSG_PIECE) - 1)};
	return sm->perfect ? L1_DONE : l1_read(sm, L1I, &t, (uint32_t)g);
}

/* True if a port of the cache was used. */
static bool start(struct sm *sm, int g)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	sm->fetch_last = (unsigned)g;
	if (gr->wait != GROUP_RUNS || (s->ib_n && s->ib_pc == gr->pc)) {
		sm->want_fetch[g / 64] &= ~(1ull << g % 64); /* it waits since, or went elsewhere */
		return false;
	}
	enum l1_result r = lookup(sm, g, gr);
	if (r == L1_REFUSED) {
		if (++sm->fetch_refused < sm->ngroups)
			sm->progress = true; /* another group's instructions may be there */
		return true;
	}
	sm->fetch_refused = 0;
	sm->want_fetch[g / 64] &= ~(1ull << g % 64);
	s->fetching = true;
	s->fetch_pc = gr->pc;
	STAT(&sm->stats, fetches)++;
	if (r == L1_PENDING)
		STAT(&sm->stats, fetch_misses)++;
	else
		post(sm, g, sm->now + sm->m->l1i_lat + sm->m->decode_cycles);
	sm->progress = true;
	return true;
}

void fetch_cycle(struct sm *sm)
{
	if (!sm->fetch_any)
		return;
	for (unsigned n = 0; n < sm->m->fetch_width;) {
		int g = next_group(sm);
		if (g < 0) {
			sm->fetch_any = false;
			return;
		}
		n += start(sm, g);
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
		s->ib_pc = gr->pc;
		s->ib_n = (uint8_t)count(sm, sm_home(sm, gr)->b->k, gr->pc);
	}
	sm_group_changed(sm, g);
}
