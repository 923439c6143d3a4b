/* Fetch: each cycle, the next few groups in round robin whose instruction buffer is empty. The
 * instructions of one fetch arrive together, after the instruction cache and decoding.
 *
 * When a group jumps, fetch follows it at once. With the quirk late-redirect, fetch continues along
 * the old path until the group's scheduler reaches the group, in its own order, and finds
 * instructions that do not belong to the group's pc; then the buffer is discarded. A branch then
 * costs the time of fetch and decode, and the wrong fetch delays other groups. */
#include "sm/l1.h"

void fetch_init(struct sm *sm)
{
	sm->fetch_words = (sm->ngroups + 63) / 64;
	sm->want_fetch = xcalloc(sm->fetch_words, sizeof *sm->want_fetch);
	sm->late_redirect = machine_quirk(sm->m, QUIRK_LATE_REDIRECT);
	sm->one_fill = machine_quirk(sm->m, QUIRK_ONE_FILL);
}

/* ---- redirection ---- */

static void set_stale(struct sm *sm, int g, bool on)
{
	struct gslot *s = &sm->slot[g];
	if (s->stale == on)
		return;
	s->stale = on;
	sm->found[s->sched].again = 0; /* the scheduler must consider the group again */
	sm_set(sm, s->sched, SET_STALE)[s->k / 64] ^= 1ull << s->k % 64;
	sm->issuer[s->sched].nstale = (uint16_t)(sm->issuer[s->sched].nstale + (on ? 1 : -1));
}

bool fetch_has_next(struct sm *sm, int g)
{
	const struct group *gr = &sm->div.group[g];
	struct gslot *s = &sm->slot[g];
	bool next = s->ib_n && s->ib_pc == gr->pc;
	set_stale(sm, g, sm->late_redirect && s->ib_n && !next);
	if (next || s->stale)
		return next;
	if (!sm->late_redirect) {
		s->ib_n = 0;
		s->ib_pc = gr->pc;
	}
	fetch_want(sm, g);
	return false;
}

static void flush_buffer(struct sm *sm, int g)
{
	struct gslot *s = &sm->slot[g];
	if (s->state != GS_IBUFFER)
		return; /* the group waits for something other than instructions */
	set_stale(sm, g, false);
	s->ib_n = 0;
	s->ib_pc = sm->div.group[g].pc;
	fetch_want(sm, g);
	sm->progress = true;
}

void fetch_looked_at(struct sm *sm, unsigned sched, int k)
{
	const struct sched *sc = &sm->sched[sched];
	for (unsigned w = 0; w < sm->words; w++)
		for (uint64_t set = sm_set(sm, sched, SET_STALE)[w]; set; set &= set - 1) {
			int j = (int)(w * 64 + (unsigned)__builtin_ctzll(set));
			if (k < 0 || !sc->ops->before || sc->ops->before(sc, j, k))
				flush_buffer(sm, j * (int)sm->nsched + (int)sched);
		}
}

/* ---- fetching ---- */

static int next_group(struct sm *sm)
{
	unsigned from = sm->fetch_last + 1 < sm->ngroups ? sm->fetch_last + 1 : 0, w = from / 64;
	uint64_t bits = sm->want_fetch[w] >> from % 64 << from % 64;
	for (unsigned k = 0; k <= sm->fetch_words; k++) {
		if (bits)
			return (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
		w = w + 1 < sm->fetch_words ? w + 1 : 0;
		bits = sm->want_fetch[w];
	}
	return -1;
}

static void post_arrival(struct sm *sm, int g, cycle_t at)
{
	struct gslot *s = &sm->slot[g];
	s->fill.kind = EV_FILL;
	s->fill.arg = (uint32_t)g;
	wheel_post(&sm->wheel, &s->fill, at);
}

void fetch_arrived(struct sm *sm, int g)
{
	post_arrival(sm, g, sm->now + sm->m->decode_cycles + 1);
}

/* Cycles until a hit arrives, at least one: this cycle's arrivals have been handled already. */
static cycle_t hit_cycles(const struct sm *sm)
{
	cycle_t t = sm->m->l1i_lat + sm->m->decode_cycles;
	return t ? t : 1;
}

/* Address of the group's instruction at pc in code memory. */
static uint64_t code_address(const struct sm *sm, const struct group *gr, uint32_t pc)
{
	const struct kern *k = sm_home(sm, gr)->b->k;
	return k->code_base + (uint64_t)k->code[pc].at * sm->m->inst_bytes;
}

static enum l1_result look_up_line(struct sm *sm, int g, const struct group *gr)
{
	struct gslot *s = &sm->slot[g];
	uint64_t addr = code_address(sm, gr, s->ib_pc);
	uint64_t line = sm->m->l1i_line; /* a power of two */
	struct cache *c = &sm->l1->cache[L1I];
	if (sm->perfect || (sm->l1->on[L1I] && cache_hits_at(c, s->fetch_at, addr, c->all)))
		return L1_DONE;
	struct tx t = {.addr = addr & -line,
		       .bytes = (uint16_t)line,
		       .pieces = (uint32_t)((1ull << line / MSG_PIECE) - 1)};
	enum l1_result r = l1_read(sm, L1I, &t, (uint32_t)g);
	if (r == L1_DONE)
		s->fetch_at = c->hit;
	return r;
}

/* Starts a fetch for the group. True if it used a port of the cache. */
static bool start_fetch(struct sm *sm, int g)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	sm->fetch_last = (unsigned)g;
	if (s->ib_n ||
	    (sm->late_redirect ? gr->wait == GROUP_NONE || !gr->active : gr->wait != GROUP_RUNS)) {
		/* the group no longer waits for these instructions, or has branched */
		sm->want_fetch[g / 64] &= ~(1ull << g % 64);
		return false;
	}
	enum l1_result r = look_up_line(sm, g, gr);
	if (r == L1_REFUSED) {
		if (++sm->fetch_refused < sm->ngroups)
			sm->progress = true; /* another group's instructions may have become
			                      * available */
		return true;
	}
	sm->fetch_refused = 0;
	sm->want_fetch[g / 64] &= ~(1ull << g % 64);
	s->fetching = true;
	s->fetch_pc = s->ib_pc;
	STAT(&sm->stats, fetches)++;
	if (r == L1_PENDING)
		STAT(&sm->stats, fetch_misses)++;
	else
		post_arrival(sm, g, sm->now + hit_cycles(sm));
	sm->progress = true;
	return true;
}

unsigned fetch_streamed(struct sm *sm, int g, unsigned miss)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	struct cache *c = &sm->l1->cache[L1I];
	if (s->ib_n && s->ib_pc == gr->pc)
		return 0;
	uint64_t addr = code_address(sm, gr, gr->pc);
	bool hit = sm->perfect || !sm->l1->on[L1I] || cache_probe(c, addr, c->all);
	if (!hit)
		cache_place(c, addr, c->all);
	s->ib_pc = gr->pc;
	look_up_line(sm, g, gr); /* a hit: the cache records the use */
	s->ib_n = sm_home(sm, gr)->code[gr->pc].fetched;
	STAT(&sm->stats, fetches)++;
	STAT(&sm->stats, fetch_misses) += !hit;
	return hit ? 0 : miss;
}

/* quirk one-fill: instructions that came from memory take precedence over cache hits. */
static bool take_filled(struct sm *sm)
{
	uint32_t g;
	if (!sm->one_fill || !sm->l1->on[L1I] || !cache_ready(&sm->l1->cache[L1I], &g))
		return false;
	fetch_arrived(sm, (int)g);
	sm->progress = true;
	return true;
}

void fetch_cycle(struct sm *sm)
{
	for (unsigned n = 0; n < sm->m->fetch_width;) {
		if (take_filled(sm)) {
			n++;
			continue;
		}
		int g = next_group(sm);
		if (g < 0) {
			sm->fetch_any = false;
			return;
		}
		n += start_fetch(sm, g);
	}
}

void fetch_filled(struct sm *sm, int g)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	s->fetching = false;
	if (!gr->active)
		return;
	if (s->ib_pc == s->fetch_pc && (sm->late_redirect || s->ib_pc == gr->pc))
		s->ib_n = sm_home(sm, gr)->code[s->ib_pc].fetched;
	sm_group_changed(sm, g);
}
