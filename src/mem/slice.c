/* One cycle of an L2 slice: data from DRAM into the cache, finished requests to the reply queue,
 * replies to the network, the next request into the cache, the next miss to DRAM. Each stage
 * returns whether it did something; when none did, the slice sleeps until the first known time or a
 * wake. */
#include "mem/far.h"

#include <assert.h>

/* ---- from the network ---- */

static bool rop_full(const struct slice *s)
{
	return ring_count(&s->rop) + s->unseen >= s->rop.cap;
}

/* Takes requests from the network while rop has room. now: the L2 cycle in which a slot became
 * free; 0: slots were free from the start. */
static void take_requests(struct slice *s, cycle_t now)
{
	struct partition *p = s->partition;
	if (ring_empty(&s->end.in))
		return;
	cycle_t freed = now ? ratio_up(p->l2_to_icnt, now) : 0;
	while (!ring_empty(&s->end.in) && !rop_full(s)) {
		const struct msg *m = ring_front(&s->end.in);
		cycle_t start = m->time > s->taking ? m->time : s->taking;
		start = start > freed ? start : freed;
		s->taking = start + m->flits;
		struct timed_msg *r = ring_push(&s->rop);
		r->msg = *m;
		r->ready = ratio_up(p->icnt_to_l2, s->taking) + p->rop;
		if (ring_count(&s->rop) == 1)
			slice_wake(s, r->ready);
		p->net->ops->taken(p->net, s->dest, m, s->taking);
		ring_pop(&s->end.in);
		STAT(&s->stats, requests)++;
		s->stats.classes[r->msg.class]++;
		if (r->msg.kind != MSG_READ)
			STAT(&s->stats, write_bytes) += r->msg.bytes;
	}
	if (!ring_empty(&s->end.in))
		STAT(&s->stats, stall_input)++;
}

/* The first request has left for the cache, so rop can take a request from the network. If the
 * window's requests are not known yet, the free entry is only recorded. */
static void made_room(struct slice *s, cycle_t now)
{
	if (s->partition->beside)
		s->room[s->unseen++] = now;
	else
		take_requests(s, now);
}

void slice_take(struct slice *s)
{
	uint32_t n = s->unseen;
	if (ring_empty(&s->end.in)) {
		s->unseen = 0;
		return;
	}
	take_requests(s, 0);
	for (uint32_t i = 0; i < n; i++) {
		s->unseen--;
		take_requests(s, s->room[i]);
	}
}

/* ---- requests in progress ---- */

/* The message is stored only when all lines have been looked up and some are missing. */
uint32_t slice_pend_new(struct slice *s)
{
	uint32_t i = s->free_pend;
	struct slice_pend *q = &s->pend[i];
	s->free_pend = i == s->top_pend ? ++s->top_pend : q->next;
	q->left = 0;
	q->closed = q->linked = false;
	s->npend++;
	return i;
}

void slice_pend_free(struct slice *s, uint32_t i)
{
	s->nlinked -= s->pend[i].linked;
	s->pend[i].next = s->free_pend;
	s->free_pend = i;
	s->npend--;
}

static void send_reply(struct timed_msg *r, const struct msg *m, cycle_t ready)
{
	r->msg = *m;
	r->ready = ready;
}

/* ---- data from DRAM ---- */

void slice_data(struct slice *s, uint32_t fetch, cycle_t ready)
{
	assert(!ring_full(&s->fills));
	/* Inserts in order of `ready`, because answers of the partner take longer than others. */
	uint32_t at = ring_count(&s->fills);
	(void)ring_push(&s->fills);
	for (; at && ring_at(&s->fills, at - 1)->ready > ready; at--)
		*ring_at(&s->fills, at) = *ring_at(&s->fills, at - 1);
	*ring_at(&s->fills, at) = (struct slice_fill){ready, fetch};
	if (s->has_cache && !s->fetch[fetch].passed)
		cache_prefetch_fill(&s->cache, s->fetch[fetch].owner);
	slice_wake(s, ready);
}

/* Makes the slice retry all accesses that the cache has refused. */
static void retry_refused(struct slice *s) { s->blocked = s->link_blocked = false; }

/* Counts the arrival of one line of a request; true if it was the last. */
static bool pend_line(struct slice *s, uint32_t i, cycle_t now)
{
	struct slice_pend *q = &s->pend[i];
	if (--q->left || !q->closed)
		return false;
	if (q->linked)
		far_answer(s, q, now);
	else
		send_reply(ring_push(&s->filled), &q->msg, now);
	slice_pend_free(s, i);
	return true;
}

static bool step_fill(struct slice *s, cycle_t now)
{
	if (ring_empty(&s->fills) || ring_front(&s->fills)->ready > now)
		return false;
	uint32_t i = ring_front(&s->fills)->fetch;
	struct slice_fetch *f = &s->fetch[i];
	if (s->has_cache && !f->passed) {
		cache_fill(&s->cache, f->addr, f->sectors, f->owner);
	} else {
		if (ring_full(&s->filled))
			return false;
		pend_line(s, f->owner, now);
	}
	retry_refused(s);
	ring_pop(&s->fills);
	s->nfar -= f->far;
	f->next = s->free_fetch;
	s->free_fetch = i;
	s->nfetch--;
	return true;
}

static bool step_finish(struct slice *s, cycle_t now)
{
	uint32_t token;
	if (!s->has_cache || ring_full(&s->filled) || !cache_ready(&s->cache, &token))
		return false;
	pend_line(s, token, now);
	retry_refused(s);
	return true;
}

/* ---- replies ---- */

/* Collects the credits due up to `seen`; credits that came back since that window are due later. A
 * reply that enters after the window's end collects at once. */
static void collect_credits(struct slice *s, unsigned to)
{
	struct credit *c = &s->end.credits.to[to];
	if (!c->seen)
		return;
	slice_settle(s, to);
	credit_collect(&s->end.credits, to, c->seen);
	c->seen = 0;
}

static bool reply_enters(struct slice *s, const struct msg *m, cycle_t now, cycle_t *at)
{
	struct partition *p = s->partition;
	cycle_t t = ratio_up(p->l2_to_icnt, now);
	*at = t;
	if (s->end.unlimited)
		return true;
	if (s->end.inject > t) { /* the link may still be free in this cycle */
		if (s->end.inject >= ratio_up(p->l2_to_icnt, now + 1))
			return false;
		*at = s->end.inject;
	}
	unsigned to = s->end.one_class ? 0 : m->sm;
	struct credit *c = &s->end.credits.to[to];
	c->seen = *at;
	if (c->free < m->flits || *at >= p->late)
		collect_credits(s, to);
	if (c->free < m->flits)
		return false;
	c->free -= m->flits;
	s->end.inject = *at + (m->flits + p->net->reply_flits - 1) / p->net->reply_flits;
	return true;
}

/* The reply that has been ready for longest. */
static struct timed_msg *reply_front(struct slice *s)
{
	if (ring_empty(&s->filled))
		return ring_empty(&s->hits) ? NULL : ring_front(&s->hits);
	struct timed_msg *f = ring_front(&s->filled), *h = ring_front(&s->hits);
	return ring_empty(&s->hits) || f->ready < h->ready ? f : h;
}

static void reply_pop(struct slice *s, const struct timed_msg *r)
{
	if (r == ring_front(&s->hits))
		ring_pop(&s->hits);
	else
		ring_pop(&s->filled);
}

static uint16_t reply_flits(const struct partition *p, const struct msg *m, unsigned data)
{
	if (!p->split)
		return (uint16_t)flits_of(p->flit, p->header, data);
	return (uint16_t)(__builtin_popcount(m->pieces) *
			  flits_of(p->flit, p->header, data ? MSG_PIECE : 0));
}

static bool step_reply(struct slice *s, cycle_t now)
{
	for (unsigned n = 0; n < ICNT_REPLIES; n++) {
		struct timed_msg *r = reply_front(s);
		if (!r || r->ready > now)
			return n > 0;
		struct msg *m = &r->msg;
		unsigned data = m->kind == MSG_WRITE ? 0 : m->bytes;
		cycle_t at;
		m->flits = s->end.unlimited ? 0 : reply_flits(s->partition, m, data);
		if (!reply_enters(s, m, now, &at)) {
			STAT(&s->stats, stall_reply)++;
			return n > 0;
		}
		m->time = at;
		outbox_put(&s->end.out, &s->partition->net->reply, s->dest, m, m->sm);
		STAT(&s->stats, replies)++;
		STAT(&s->stats, read_bytes) += data;
		if (data && m->flits)
			wires_note_pieces(s->end.wires, WIRES_OUT, m->addr, m->pieces);
		reply_pop(s, r);
	}
	return true;
}

/* Cycle in which a reply that the network holds back may enter it; slice_next() considers
 * credits. */
static cycle_t reply_time(struct slice *s, const struct timed_msg *r, cycle_t now)
{
	const struct partition *p = s->partition;
	if (r->ready > now)
		return r->ready;
	if (s->end.unlimited)
		return now + 1;
	cycle_t inject = ratio_down(p->icnt_to_l2, s->end.inject);
	unsigned to = s->end.one_class ? 0 : r->msg.sm;
	cycle_t t = now + 1 > inject ? now + 1 : inject;
	if (s->end.credits.to[to].free < r->msg.flits)
		collect_credits(s, to);
	if (s->end.credits.to[to].free >= r->msg.flits)
		return t;
	s->credit = (int)to;
	return CYCLE_NEVER;
}

/* ---- into the cache ---- */

struct lookup { /* the pieces of a request that lie in one line */
	uint64_t line;
	uint32_t sectors;
	uint8_t after; /* number of the next piece to look up */
	bool full;
};

static struct lookup next_lookup(const struct slice *s, const struct msg *m)
{
	const struct cache *c = &s->cache;
	unsigned first = m->done + (unsigned)__builtin_ctz(m->pieces >> m->done);
	uint64_t addr = m->addr + (uint64_t)first * MSG_PIECE;
	struct lookup r = {.line = cache_line_addr(c, addr)};
	/* pieces of the request that are left and lie in this line */
	unsigned left = (unsigned)((r.line + (1ull << c->line_shift) - addr) / MSG_PIECE);
	unsigned after = first + left < 32 ? first + left : 32;
	uint32_t pieces = m->pieces & (uint32_t)((1ull << after) - (1ull << first));
	uint32_t bytes = (uint32_t)__builtin_popcount(pieces) * MSG_PIECE;
	if (c->all == 1)
		r.sectors = 1;
	else
		for (uint32_t p = pieces >> first; p; p &= p - 1)
			r.sectors |= cache_sectors(c, addr + MSG_PIECE * (uint64_t)__builtin_ctz(p),
						   MSG_PIECE);
	r.after = (uint8_t)after;
	r.full = m->full && bytes >= (uint32_t)__builtin_popcount(r.sectors) << c->sector_shift;
	return r;
}

static bool last_lookup(const struct msg *m, unsigned after)
{
	return after >= 32 || !(m->pieces >> after);
}

uint32_t slice_atomic_cycles(struct slice *s, unsigned sectors, uint32_t words)
{
	const struct partition *p = s->partition;
	unsigned n = words ? (unsigned)__builtin_popcount(words) : sectors * (MSG_PIECE / 4);
	s->rest += sectors * p->atomic_sector + n * p->atomic_word;
	uint32_t cycles = s->rest / 100;
	s->rest %= 100;
	return cycles > p->atomic ? cycles : p->atomic;
}

uint32_t slice_write_cycles(const struct slice *s, unsigned bytes, bool full)
{
	const struct partition *p = s->partition;
	uint32_t n = p->write_port ? (bytes + p->write_port - 1) / p->write_port : 0;
	return full ? n : n + p->write_part;
}

/* Called when all lines of the first request have been looked up. passed: the partner performs the
 * request. */
static void head_done(struct slice *s, cycle_t now, bool passed)
{
	const struct msg *m = &ring_front(&s->rop)->msg;
	struct slice_pend *q = &s->pend[s->head_pend];
	q->closed = true;
	if (q->left) {
		q->msg = *m;
	} else {
		send_reply(ring_push(&s->hits), m, now + s->partition->hit);
		slice_pend_free(s, s->head_pend);
	}
	uint32_t port = s->partition->port;
	if (m->kind != MSG_WRITE)
		s->busy = port ? now + (m->bytes + port - 1) / port : s->busy;
	else if (!passed)
		s->busy = now + slice_write_cycles(s, m->bytes, m->full);
	if (s->partition->split)
		s->busy = now + (unsigned)__builtin_popcount(m->pieces);
	if (m->kind == MSG_ATOMIC) {
		STAT(&s->stats, atomics)++;
		cycle_t done = now + slice_atomic_cycles(s, (unsigned)__builtin_popcount(m->pieces),
							 m->words);
		if (s->busy < done)
			s->busy = done;
	}
	s->head_open = false;
	ring_pop(&s->rop);
	made_room(s, now);
	if (s->has_cache && !ring_empty(&s->rop))
		cache_prefetch(&s->cache, ring_front(&s->rop)->msg.addr);
}

/* The words of a line that a partial write has written. A message knows the words of its first 128
 * bytes. */
static uint32_t words_in_line(const struct msg *m, uint64_t line)
{
	uint32_t words = m->words; /* never more words than a line has */
	if (m->addr >= line)
		return words << (m->addr - line) / 4;
	return line - m->addr < 128 ? words >> (line - m->addr) / 4 : 0;
}

static uint32_t fetch_new(struct slice *s, uint64_t addr, uint32_t sectors, uint32_t owner)
{
	uint32_t i = s->free_fetch;
	s->free_fetch = i == s->top_fetch ? ++s->top_fetch : s->fetch[i].next;
	s->fetch[i] = (struct slice_fetch){.addr = addr, .sectors = sectors, .owner = owner};
	s->nfetch++;
	return i;
}

/* Marks a fetch that the partner answers. */
static uint32_t far_new(struct slice *s, uint32_t fetch, bool passed)
{
	s->fetch[fetch].far = true;
	s->fetch[fetch].passed = passed;
	return fetch;
}

/* The home, which is the partner, performs the write or atomic of the first request. */
static void pass_on(struct slice *s, const struct msg *m, const struct lookup *at, cycle_t now)
{
	uint32_t fetch = fetch_new(s, at->line, at->sectors, s->head_pend);
	s->pend[s->head_pend].left++;
	s->nfar++;
	far_pass(s, now,
		 &(struct far_pass){.line = at->line,
				    .sectors = at->sectors,
				    .words = words_in_line(m, at->line),
				    .fetch = far_new(s, fetch, true),
				    .kind = m->kind,
				    .full = at->full});
}

/* Looks up the next line of the first request. *passed: the request is a write that the partner
 * performs, which takes none of the slice's time. */
static bool step_cached(struct slice *s, cycle_t now, bool *passed)
{
	struct msg *m = &ring_front(&s->rop)->msg;
	static const enum cache_op op[] = {
		[MSG_READ] = CACHE_READ, [MSG_WRITE] = CACHE_WRITE, [MSG_ATOMIC] = CACHE_ATOMIC};
	if (ring_full(&s->hits) || s->blocked)
		return false;
	if (!s->head_open) {
		if (s->npend - s->nlinked == s->pends)
			return false;
		s->head_pend = slice_pend_new(s);
		s->head_open = true;
	}
	struct lookup at = next_lookup(s, m);
	bool far = far_line(s, at.line);
	if (far && !far_room(s)) {
		s->blocked = true;
		return false;
	}
	if (far && m->kind != MSG_READ) {
		pass_on(s, m, &at, now);
		*passed = m->kind == MSG_WRITE;
		m->done = at.after;
		if (last_lookup(m, at.after))
			head_done(s, now, true);
		return true;
	}
	if (s->partner && m->kind != MSG_READ)
		cache_invalidate(&s->partner->cache, at.line);
	switch (cache_access(&s->cache, op[m->kind], at.line, at.sectors, at.full, s->head_pend)) {
	case CACHE_FAIL:
		STAT(&s->stats, stall_cache)++;
		s->blocked = true;
		return false;
	case CACHE_MISS: s->nfar += far; /* fall through */
	case CACHE_HIT_RESERVED: s->pend[s->head_pend].left++; break;
	default:
		if (s->cache.wrote && m->kind == MSG_WRITE && !at.full)
			cache_wrote(&s->cache, at.line, words_in_line(m, at.line));
		break;
	}
	m->done = at.after;
	if (last_lookup(m, at.after))
		head_done(s, now, false);
	return true;
}

/* ---- to DRAM ---- */

static void to_dram(struct slice *s, cycle_t now, uint64_t addr, uint32_t bytes, bool write,
		    uint32_t fetch)
{
	struct partition *p = s->partition;
	cycle_t t = ratio_up(p->l2_to_dram, now) + p->path;
	dram_push(&p->dram, t, addrmap_local(p->map, addr), bytes, write,
		  s->index << SLICE_TOKEN_BITS | fetch);
	wires_note(p->dram.wires, write ? WIRES_IN : WIRES_OUT, addr, bytes);
	if (write)
		STAT(&s->stats, dram_writes)++;
	else
		STAT(&s->stats, dram_reads)++;
}

static bool step_miss(struct slice *s, cycle_t now)
{
	struct cache *c = &s->cache;
	if (!s->has_cache || ring_empty(&c->out))
		return false;
	const struct cache_out *first_out = ring_front(&c->out);
	if (first_out->kind == CACHE_FETCH && far_line(s, first_out->addr)) {
		uint32_t fetch =
			fetch_new(s, first_out->addr, first_out->sectors, first_out->entry);
		far_fetch(s, now, first_out->addr, first_out->sectors, far_new(s, fetch, false));
		ring_pop(&c->out);
		retry_refused(s);
		return true;
	}
	s->wants_dram = !dram_has_room(&s->partition->dram);
	if (s->wants_dram) {
		STAT(&s->stats, stall_dram)++;
		return false;
	}
	struct cache_out *o = ring_front(&c->out);
	uint32_t sectors = o->kind == CACHE_FETCH && s->partition->by_sector
				   ? o->sectors & -o->sectors
				   : o->sectors;
	unsigned first = (unsigned)__builtin_ctz(sectors),
		 n = (unsigned)__builtin_popcount(sectors);
	uint64_t addr = o->addr + ((uint64_t)first << c->sector_shift);
	if (o->kind == CACHE_FETCH)
		to_dram(s, now, addr, n << c->sector_shift, false,
			fetch_new(s, o->addr, sectors, o->entry));
	else
		to_dram(s, now, addr, n << c->sector_shift, true, 0);
	if (o->sectors &= ~sectors)
		return true;
	ring_pop(&c->out);
	retry_refused(s);
	return true;
}

/* Without an L2: straight to the channel. An atomic is a read and a write. */
static bool step_uncached(struct slice *s, cycle_t now)
{
	struct msg *m = &ring_front(&s->rop)->msg;
	struct dram *d = &s->partition->dram;
	unsigned first = (unsigned)__builtin_ctz(m->pieces),
		 n = (unsigned)__builtin_popcount(m->pieces);
	uint64_t addr = m->addr + (uint64_t)first * MSG_PIECE;
	s->wants_dram = ring_room(&d->path) < 1u + (m->kind == MSG_ATOMIC);
	if (s->wants_dram || ring_full(&s->hits) || s->npend == s->pends)
		return false;
	if (m->kind != MSG_WRITE && s->nfetch == s->fetches)
		return false;
	s->head_pend = slice_pend_new(s);
	if (m->kind != MSG_WRITE) {
		s->pend[s->head_pend].left = 1;
		to_dram(s, now, addr, n * MSG_PIECE, false, fetch_new(s, addr, 1, s->head_pend));
	}
	if (m->kind != MSG_READ)
		to_dram(s, now, addr, n * MSG_PIECE, true, 0);
	head_done(s, now, false);
	return true;
}

static bool step_access(struct slice *s, cycle_t now)
{
	bool did = false;
	uint64_t used = 0; /* mask of the cache's banks used in this cycle */
	uint32_t n = s->has_cache ? s->cache.conf.banks : 1;
	if (s->partner && s->busy <= now && far_step(s, now)) {
		did = true;
		n--;
	}
	for (; n; n--) {
		if (ring_empty(&s->rop) || ring_front(&s->rop)->ready > now || s->busy > now)
			break;
		if (s->has_cache && s->cache.conf.banks > 1) {
			uint64_t line = next_lookup(s, &ring_front(&s->rop)->msg).line >>
					s->cache.line_shift;
			uint64_t bank = 1ull << line % s->cache.conf.banks;
			if (used & bank)
				break;
			used |= bank;
		}
		bool passed = false;
		if (!(s->has_cache ? step_cached(s, now, &passed) : step_uncached(s, now)))
			break;
		n += passed;
		did = true;
	}
	return did;
}

/* ---- the cycle ---- */

static cycle_t earlier(cycle_t a, cycle_t b) { return a < b ? a : b; }

/* The first cycle after `now` in which a stage may do something. A request that is ready but was
 * refused waits for another stage, or for a wake: a full miss queue or a missing MSHR until the
 * channel's data or its path makes room, a full reply queue until replies leave. So it is tried
 * again only after a cycle in which a stage `did` something. */
static cycle_t sleep_until(struct slice *s, cycle_t now, bool did)
{
	cycle_t again = did ? now + 1 : CYCLE_NEVER, t = CYCLE_NEVER;
	if (!ring_empty(&s->fills)) {
		cycle_t ready = ring_front(&s->fills)->ready;
		t = ready > now ? ready : again;
	}
	if (!ring_empty(&s->rop)) {
		cycle_t ready = ring_front(&s->rop)->ready;
		ready = ready > s->busy ? ready : s->busy;
		t = earlier(t, ready > now ? ready : s->blocked ? CYCLE_NEVER : again);
	}
	if (s->partner && !ring_empty(&s->link)) {
		cycle_t ready = ring_front(&s->link)->ready;
		ready = ready > s->busy ? ready : s->busy;
		t = earlier(t, ready > now ? ready : s->link_blocked ? CYCLE_NEVER : again);
	}
	if (s->has_cache && (cache_has_ready(&s->cache) || !ring_empty(&s->cache.out)))
		t = earlier(t, again);
	const struct timed_msg *r = reply_front(s);
	return r ? earlier(t, reply_time(s, r, now)) : t;
}

void slice_step(struct slice *s, cycle_t now)
{
	s->credit = -1;
	s->stepped = now + 1;
	bool did = step_fill(s, now);
	STAT(&s->stats, steps)++;
	did |= step_finish(s, now);
	did |= step_reply(s, now);
	did |= step_access(s, now);
	did |= step_miss(s, now);
	s->next = sleep_until(s, now, did);
}
