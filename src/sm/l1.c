#include "sm/l1.h"

#include <string.h>
#include "base/pages.h"
#include "sm/pipeline.h"

static const struct stat_def past_defs[] = {STAT_DEFS(PAST_STATS)};
const struct stat_table past_stats = STAT_TABLE_PLAIN("past", past_defs);

/* Kind of a reply, in the upper bits of its id. */
enum { COMBINED_BYTES = 128 };
enum { ID_FILL, ID_DATA = L1_COUNT, ID_ACK, ID_NOTHING, ID_SHIFT = 28 };

static void cache_on(struct l1 *l, enum l1_kind k, uint32_t kind, const struct cache_conf *c)
{
	l->on[k] = kind != KIND_OFF;
	if (l->on[k])
		cache_init(&l->cache[k], c, &l->arena);
}

struct l1 *l1_new(const struct machine *m, struct port *port, struct diag *d)
{
	struct l1 *l = xcalloc(1, sizeof *l);
	l->lacks = l->direct_lacks = -1;
	struct cache_conf c[L1_COUNT];
	arena_use_pages(&l->arena);
	l->port = port;
	l->posted_most = m->posted_most;
	/* Only stores that the L2 acknowledges are combined: with write-back or kept lines the L1D
	 * completes stores itself. */
	bool combines = m->l1d_kind != KIND_OFF && m->l1d_kind != KIND_WB &&
			m->l1d_local != LOCAL_KEEP && m->l1d_line == COMBINED_BYTES;
	l->combine_most = combines ? m->combine_lines : 0;
	if (l->combine_most)
		l->combined = ARENA_ARRAY(&l->arena, struct combined, l->combine_most);
	l->kept = machine_quirk(m, QUIRK_LAUNCH_KEEPS_CACHES);
	if (!CACHE_CONF(m, l1d, &c[L1D], d) || !CACHE_CONF(m, l1c, &c[L1C], d) ||
	    !CACHE_CONF(m, l1t, &c[L1T], d) || !CACHE_CONF(m, l1i, &c[L1I], d)) {
		l1_free(l);
		return NULL;
	}
	if (m->l1d_room > m->l1d_queue) {
		diag_error(d, "l1d.miss_room = %u: the queue has %u places (l1d.miss_queue)",
			   m->l1d_room, m->l1d_queue);
		l1_free(l);
		return NULL;
	}
	c[L1D].room = m->l1d_room;
	cache_on(l, L1D, m->l1d_kind, &c[L1D]);
	cache_on(l, L1C, m->l1c_kind, &c[L1C]);
	cache_on(l, L1T, m->l1t_kind, &c[L1T]);
	cache_on(l, L1I, m->l1i_kind, &c[L1I]);
	for (unsigned k = 0; k < L1_COUNT && m->power_data == DATA_COUNTED; k++)
		if (l->on[k] && k != L1I)
			cache_count_data(&l->cache[k]);
	return l;
}

void l1_free(struct l1 *l)
{
	for (unsigned k = 0; l && k < L1_COUNT; k++)
		wires_free(l->cache[k].wires);
	if (l)
		arena_free(&l->arena);
	free(l);
}

void l1_launch(struct l1 *l)
{
	for (unsigned k = 0; k < L1_COUNT; k++) {
		if (!l->on[k])
			continue;
		if (k == L1D && l->cache[k].write != CACHE_WB)
			cache_forget_dirty(
				&l->cache[k]); /* removes local memory of a launch that has ended */
		if (k == L1D || (k != L1I && !l->kept))
			cache_invalidate_all(&l->cache[k]);
	}
}

void l1_begin(struct l1 *l)
{
	l->posted = 0;
	l->past = (struct past_stats){0};
	l1_launch(l);
	for (unsigned k = 0; k < L1_COUNT; k++)
		if (l->on[k])
			l->cache[k].stats = (struct cache_stats){0};
}

/* ---- sending ---- */

static const uint8_t class_of[L1_COUNT] = {MSG_GLOBAL, MSG_CONST, MSG_TEX, MSG_INST};

static uint32_t sectors_to_pieces(const struct cache *c, uint32_t sectors)
{
	unsigned n = 1u << (c->sector_shift - 5); /* 32-byte pieces of a sector */
	uint32_t one = (uint32_t)((1ull << n) - 1), pieces = 0;
	if (c->all == 1) /* in most caches a sector is a line */
		return sectors ? one : 0;
	for (; sectors; sectors &= sectors - 1)
		pieces |= one << (unsigned)__builtin_ctz(sectors) * n;
	return pieces;
}

static uint32_t pieces_to_sectors(const struct cache *c, uint32_t pieces)
{
	uint32_t sectors = 0;
	if (c->all == 1)
		return pieces != 0;
	for (; pieces; pieces &= pieces - 1)
		sectors |= 1u << ((unsigned)__builtin_ctz(pieces) >> (c->sector_shift - 5));
	return sectors;
}

/* The first entry of the cache's queue, as a message. */
static struct msg next_out(const struct l1 *l, unsigned k)
{
	const struct cache *c = &l->cache[k];
	const struct cache_out *o = ring_front(&c->out);
	struct msg m = {.addr = o->addr,
			.class = class_of[k],
			.pieces = o->pieces ? o->pieces : sectors_to_pieces(c, o->sectors)};
	m.bytes = (uint16_t)(__builtin_popcount(m.pieces) * MSG_PIECE);
	m.kind = o->kind == CACHE_FETCH ? MSG_READ : MSG_WRITE;
	m.full = o->full;
	m.words = o->words;
	m.id = o->kind == CACHE_FETCH  ? (ID_FILL + k) << ID_SHIFT | o->entry
	       : o->kind == CACHE_PASS ? (uint32_t)ID_ACK << ID_SHIFT | o->token
				       : (uint32_t)ID_NOTHING << ID_SHIFT;
	return m;
}

static void send_waiting(struct sm *sm)
{
	struct l1 *l = sm->l1;
	l->retry = NEVER;
	l->lacks = -1;
	for (unsigned k = 0; k < L1_COUNT; k++) {
		while (l->waiting[k]) {
			struct msg m = next_out(l, k);
			if (!port_ready(l->port, sm->now, &m)) {
				l->retry = port_retry(l->port, sm->now, &m);
				l->lacks = port_lacks(l->port, &m);
				return;
			}
			port_send(l->port, sm->now, &m);
			ring_pop(&l->cache[k].out);
			l->waiting[k] = !ring_empty(&l->cache[k].out);
			l->moved = sm->progress = true;
		}
	}
}

/* ---- accesses ---- */

static enum l1_result send_now(struct sm *sm, struct msg *m)
{
	struct l1 *l = sm->l1;
	if (!port_ready(l->port, sm->now, m)) {
		l->direct_retry = port_retry(l->port, sm->now, m);
		l->direct_lacks = port_lacks(l->port, m);
		return L1_REFUSED;
	}
	port_send(l->port, sm->now, m);
	return L1_PENDING;
}

static struct msg make_message(const struct tx *t, unsigned kind, unsigned class, uint32_t id)
/* clang-format off */
{
	return (struct msg){.addr = t->addr, .pieces = t->pieces, .bytes = t->bytes, .full = t->full, .words = t->words, .kind = (uint8_t)kind,
			    .class = (uint8_t)class, .id = id};
	/* clang-format on */
}

static uint32_t sectors_of(const struct cache *c, const struct tx *t)
{
	uint64_t off = t->addr & ((1ull << c->line_shift) - 1);
	return pieces_to_sectors(c, t->pieces << off / MSG_PIECE);
}

/* ---- events for schedulers ---- */

static void tell_scheduler(struct sm *sm, unsigned g, enum l1d_event what, uint64_t line)
{
	struct sched *s = &sm->sched[sm->slot[g].sched];
	s->ops->l1d(s, sm->slot[g].k, what, line);
}

static void report_eviction(void *sm, uint64_t line, uint16_t owner)
{
	tell_scheduler(sm, owner, L1D_EVICTED, line);
}

void l1_tell_schedulers(struct sm *sm)
{
	struct l1 *l = sm->l1;
	sm->hears = l->on[L1D];
	if (sm->hears)
		cache_keep_owners(&l->cache[L1D], &l->arena, report_eviction, sm);
}

/* Reads the L1D and reports the access to the scheduler of the group. */
static enum cache_result read_told(struct sm *sm, const struct tx *t, uint32_t sectors,
				   uint32_t token)
{
	static const uint8_t what[] = {[CACHE_HIT] = L1D_HIT,
				       [CACHE_HIT_RESERVED] = L1D_MERGED,
				       [CACHE_MISS] = L1D_MISSED,
				       [CACHE_FAIL] = L1D_REFUSED};
	struct cache *c = &sm->l1->cache[L1D];
	unsigned g = sm->flights.v[token]->group;
	c->who = (uint16_t)g;
	enum cache_result r = cache_access(c, CACHE_READ, t->addr, sectors, false, token);
	tell_scheduler(sm, g, what[r], t->addr >> c->line_shift);
	return r;
}

/* Sends a read past the L1D (repl_ops.bypasses). Its line is absent, or is being fetched with other
 * sectors. */
static enum l1_result read_past(struct sm *sm, const struct tx *t, uint32_t token)
{
	struct msg m = make_message(t, MSG_READ, MSG_GLOBAL, (uint32_t)ID_DATA << ID_SHIFT | token);
	enum l1_result r = send_now(sm, &m);
	STAT(&sm->l1->past, reads) += r == L1_PENDING;
	return r;
}

enum l1_result l1_read(struct sm *sm, enum l1_kind k, const struct tx *t, uint32_t token)
{
	struct l1 *l = sm->l1;
	if (!l->on[k]) {
		struct msg m = make_message(t, MSG_READ, class_of[k],
					    (uint32_t)ID_DATA << ID_SHIFT | token);
		if (k == L1I)
			m.id = (uint32_t)(ID_FILL + L1I) << ID_SHIFT | token;
		return send_now(sm, &m);
	}
	struct cache *c = &l->cache[k];
	uint32_t sectors = sectors_of(c, t);
	switch (sm->hears && k == L1D
			? read_told(sm, t, sectors, token)
			: cache_access(c, CACHE_READ, t->addr, sectors, false, token)) {
	case CACHE_HIT: return L1_DONE;
	case CACHE_MISS:
		l->waiting[k] = true;
		l->retry = sm->now;
		return L1_PENDING;
	case CACHE_HIT_RESERVED: return L1_PENDING;
	default: /* refused, but a victim may have been queued for writing back */
		l->waiting[k] = !ring_empty(&c->out);
		if (l->waiting[k])
			l->retry = sm->now;
		if (!c->conf.repl || !c->conf.repl->bypasses || !c->conf.repl->bypasses(c, c->why))
			return L1_REFUSED;
		return read_past(sm, t, token);
	}
}

/* True if the access fits under the limit of posted writes. Otherwise the access is tried again at
 * the next acknowledgement. */
static bool may_post(struct l1 *l, const struct tx *t)
{
	uint32_t n = (uint32_t)__builtin_popcount(t->pieces);
	if (!l->posted_most || !l->posted || l->posted + n <= l->posted_most)
		return true;
	l->direct_retry = NEVER;
	l->direct_lacks = -1;
	return false;
}

/* Counts the sectors of a posted access; the acknowledgement subtracts them. */
static enum l1_result note_posted(struct l1 *l, const struct tx *t, enum l1_result r)
{
	if (r == L1_PENDING)
		l->posted += (uint32_t)__builtin_popcount(t->pieces);
	return r;
}

static enum l1_result write_now(struct sm *sm, const struct tx *t, unsigned group, unsigned warp,
				bool local)
{
	struct l1 *l = sm->l1;
	if (!l->on[L1D]) {
		struct msg m = make_message(t, MSG_WRITE, local ? MSG_LOCAL : MSG_GLOBAL,
					    (uint32_t)ID_ACK << ID_SHIFT | warp);
		return send_now(sm, &m);
	}
	struct cache *c = &l->cache[L1D];
	enum cache_op op = local && sm->rule.keep_local ? CACHE_KEEP : CACHE_WRITE;
	c->who = (uint16_t)group;
	enum cache_result r = cache_access(c, op, t->addr, sectors_of(c, t), t->full, warp);
	if (sm->hears && r != CACHE_FAIL)
		tell_scheduler(sm, group, L1D_WRITTEN, t->addr >> c->line_shift);
	if (r == CACHE_PASSED) { /* the write passes, though the cache may lack its sectors */
		uint64_t off = t->addr - cache_line_addr(c, t->addr);
		ring_back(&c->out)->pieces = t->pieces << off / MSG_PIECE;
		ring_back(&c->out)->words = off < 128 ? t->words << off / 4 : 0;
	}
	l->waiting[L1D] = !ring_empty(&c->out);
	if (l->waiting[L1D])
		l->retry = sm->now;
	return r == CACHE_FAIL ? L1_REFUSED : r == CACHE_PASSED ? L1_PENDING : L1_DONE;
}

static enum l1_result post_write(struct sm *sm, const struct tx *t, unsigned group, unsigned warp,
				 bool local)
{
	if (!may_post(sm->l1, t))
		return L1_REFUSED;
	return note_posted(sm->l1, t, write_now(sm, t, group, warp, local));
}

/* ---- combined stores ----
 *
 * Lines that a store has written leave the SM when the load/store unit has no other store to perform, when the next
 * store writes a line that is not among them, or when their queue is full; until then stores to these lines join them.
 * What stores write can be read in the L1 at once. */

/* The words of the pieces, as bits. */
static uint32_t words_of_pieces(uint32_t pieces)
{
	uint32_t words = 0;
	for (; pieces; pieces &= pieces - 1)
		words |= 0xffu << 8 * (unsigned)__builtin_ctz(pieces);
	return words;
}

/* The pieces of which every word is among `words`. */
static uint32_t whole_pieces(uint32_t words)
{
	uint32_t pieces = 0;
	for (unsigned i = 0; i < COMBINED_BYTES / MSG_PIECE; i++)
		pieces |= (words >> 8 * i & 0xff) == 0xff ? 1u << i : 0;
	return pieces;
}

/* Sends the oldest line. False: the cache or the network refuses it. */
static bool send_combined(struct sm *sm)
{
	struct l1 *l = sm->l1;
	const struct combined *c = &l->combined[0];
	struct tx t = {.addr = c->line,
		       .pieces = c->pieces,
		       .bytes = (uint16_t)(__builtin_popcount(c->pieces) * MSG_PIECE),
		       .full = !(c->pieces & ~whole_pieces(c->words)),
		       .words = c->words};
	if (post_write(sm, &t, c->group, c->warp, c->local) == L1_REFUSED)
		return false;
	memmove(l->combined, l->combined + 1, --l->ncombined * sizeof *l->combined);
	return true;
}

static void flush_combined(struct sm *sm)
{
	struct l1 *l = sm->l1;
	while (l->ncombined && send_combined(sm))
		;
	l->flushing = l->ncombined != 0;
}

void l1_flush(struct sm *sm)
{
	if (sm->l1->ncombined)
		flush_combined(sm);
}

static struct combined *find_combined(struct l1 *l, uint64_t line)
{
	for (uint32_t i = l->ncombined; i--;)
		if (l->combined[i].line == line)
			return &l->combined[i];
	return NULL;
}

void l1_store(struct sm *sm, const struct tx *tx, unsigned n)
{
	struct l1 *l = sm->l1;
	if (!l->ncombined)
		return;
	for (unsigned i = 0; i < n; i++)
		if (!find_combined(l, cache_line_addr(&l->cache[L1D], tx[i].addr))) {
			flush_combined(sm);
			return;
		}
}

static enum l1_result combine_write(struct sm *sm, const struct tx *t, unsigned group,
				    unsigned warp, bool local)
{
	struct l1 *l = sm->l1;
	struct cache *c = &l->cache[L1D];
	uint64_t line = cache_line_addr(c, t->addr), off = t->addr - line;
	uint32_t pieces = t->pieces << off / MSG_PIECE;
	uint32_t words = t->full ? words_of_pieces(pieces) : t->words << off / 4;
	struct combined *x = find_combined(l, line);
	enum l1_result r = x ? L1_DONE : L1_PENDING;
	if (!x) {
		if (l->ncombined == l->combine_most && !send_combined(sm))
			return L1_REFUSED;
		x = &l->combined[l->ncombined++];
		*x = (struct combined){.line = line,
				       .group = (uint16_t)group,
				       .warp = (uint16_t)warp,
				       .local = local};
	} else {
		STAT(&c->stats, accesses)++;
		STAT(&c->stats, writes)++;
		STAT(&c->stats, hits)++;
	}
	x->pieces |= pieces;
	x->words |= words;
	uint32_t whole = whole_pieces(x->words) & x->pieces,
		 all = (1u << COMBINED_BYTES / MSG_PIECE) - 1;
	cache_place(c, line, pieces_to_sectors(c, whole) & ~pieces_to_sectors(c, all & ~whole));
	return r;
}

enum l1_result l1_write(struct sm *sm, const struct tx *t, unsigned group, unsigned warp,
			bool local)
{
	if (sm->l1->combine_most && sm->pipe->posts)
		return combine_write(sm, t, group, warp, local);
	return post_write(sm, t, group, warp, local);
}

enum l1_result l1_reduce(struct sm *sm, const struct tx *t, unsigned warp)
{
	struct l1 *l = sm->l1;
	if (!may_post(l, t))
		return L1_REFUSED;
	struct msg m = make_message(t, MSG_ATOMIC, MSG_GLOBAL, (uint32_t)ID_ACK << ID_SHIFT | warp);
	if (l->on[L1D])
		cache_invalidate(&l->cache[L1D], t->addr);
	return note_posted(l, t, send_now(sm, &m));
}

enum l1_result l1_past(struct sm *sm, const struct tx *t, bool atomic, uint32_t token)
{
	struct l1 *l = sm->l1;
	struct msg m = make_message(t, atomic ? MSG_ATOMIC : MSG_READ, MSG_GLOBAL,
				    (uint32_t)ID_DATA << ID_SHIFT | token);
	if (l->on[L1D])
		cache_invalidate(&l->cache[L1D], t->addr);
	return send_now(sm, &m);
}

enum l1_result l1_send_write(struct sm *sm, const struct tx *t)
{
	struct msg m = make_message(t, MSG_WRITE, MSG_GLOBAL, (uint32_t)ID_NOTHING << ID_SHIFT);
	if (sm->l1->on[L1D])
		cache_invalidate(&sm->l1->cache[L1D], t->addr);
	return send_now(sm, &m);
}

void l1_fence(struct l1 *l)
{
	if (l->on[L1D])
		cache_invalidate_all(&l->cache[L1D]);
}

/* ---- answers ---- */

static void take_tokens(struct sm *sm, unsigned k)
{
	uint32_t token;
	if (k == L1I && sm->one_fill) {
		sm->fetch_any = true;
		return;
	}
	while (cache_ready(&sm->l1->cache[k], &token)) {
		if (k == L1I)
			fetch_arrived(sm, (int)token);
		else
			lsu_answer(sm, token);
	}
}

static void take_reply(struct sm *sm, const struct msg *m)
{
	struct l1 *l = sm->l1;
	unsigned what = m->id >> ID_SHIFT;
	uint32_t value = m->id & ((1u << ID_SHIFT) - 1);
	if (what < ID_DATA && l->on[what]) {
		cache_fill(&l->cache[what], m->addr, pieces_to_sectors(&l->cache[what], m->pieces),
			   value);
		l->waiting[what] = !ring_empty(&l->cache[what].out);
		take_tokens(sm, what);
	} else if (what == ID_FILL + L1I) {
		fetch_arrived(sm, (int)value);
	} else if (what == ID_DATA) {
		lsu_answer(sm, value);
	} else if (what == ID_ACK) {
		uint32_t n = (uint32_t)__builtin_popcount(m->pieces);
		assert_hot(l->posted >= n);
		l->posted -= n;
		lsu_acknowledged(sm, value);
	}
}

void l1_cycle(struct sm *sm)
{
	struct l1 *l = sm->l1;
	const struct msg *m;
	while ((m = port_peek(l->port, sm->now))) {
		struct msg reply = *m;
		port_pop(l->port);
		if (sm->trace)
			watch_reply(sm, &reply);
		take_reply(sm, &reply);
		l->moved = sm->progress = true;
		sm->fetch_refused = 0;
		l->retry = l->retry < sm->now ? l->retry : sm->now;
	}
	if (l->flushing)
		flush_combined(sm);
	if (l->retry <= sm->now)
		send_waiting(sm);
}

cycle_t l1_wake(const struct sm *sm)
{
	const struct l1 *l = sm->l1;
	cycle_t t = port_next(l->port);
	bool waiting = l->waiting[0] | l->waiting[1] | l->waiting[2] | l->waiting[3];
	return waiting && l->retry < t ? l->retry : t;
}

bool l1_quiet(const struct l1 *l)
{
	for (unsigned k = 0; k < L1_COUNT; k++)
		if (l->waiting[k])
			return false;
	return !l->port->outstanding && !l->ncombined;
}

void l1_count_data(struct l1 *l, const struct devmem *mem)
{
	for (unsigned k = 0; k < L1_COUNT; k++)
		wires_count(l->cache[k].wires, mem);
}

bool l1_idle(const struct l1 *l)
{
	for (unsigned k = 0; k < L1_COUNT; k++)
		if (l->on[k] && !cache_idle(&l->cache[k]))
			return false;
	return !l->port->outstanding && !l->ncombined;
}

void l1_report(const struct l1 *l, struct stat_report *r, int sm)
{
	static const char *const name[L1_COUNT] = {"l1d", "l1c", "l1t", "l1i"};
	const struct repl_ops *repl = l->cache[L1D].conf.repl;
	for (unsigned k = 0; k < L1_COUNT; k++)
		if (l->on[k])
			stat_report_add(r, &cache_stat_table, name[k], sm, &l->cache[k].stats);
	if (l->on[L1D] && repl && repl->bypasses)
		stat_report_add(r, &past_stats, "past", sm, &l->past);
}
