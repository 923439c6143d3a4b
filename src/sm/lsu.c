/* The load/store unit: memory instructions in order of issue. Each becomes accesses (by the coalescing
 * rule, by bank conflicts, one for each constant address) when it enters; they start one after the other,
 * as many in a cycle as there are ports, and the instruction is done when the last is answered. When an
 * access is refused (no MSHR, no credit, ...) everything behind it waits.
 *
 * With l1d.lookup = last the accesses of the L1D go down a pipeline as long as its latency and look at the
 * tags at its end. One that is refused there waits; those behind it close up, until the pipeline is full. */
#include "exec/places.h"
#include "mem/coalesce.h"
#include "mem/shared.h"
#include "sm/l1.h"

enum { TX_MAX = 4 * COAL_MAX };
enum kind { K_DELAY, K_CONST, K_TEX, K_READ, K_WRITE, K_ATOMIC, K_PAST };

struct entry {
	struct flight *op;
	cycle_t at;                 /* its operands are there */
	uint8_t kind;
	bool local;
	uint32_t cycles, lat;       /* K_DELAY: it occupies the unit; from its last cycle to the result */
	uint32_t ntx, next;         /* accesses; the next to start */
	struct tx tx[TX_MAX];
};

struct stage {                      /* an access on its way to the tags */
	struct flight *op;
	struct tx tx;
	cycle_t at;                 /* it gets there */
	uint8_t kind;
	bool local;
};

struct lsu {
	struct entry *q;
	uint32_t head, n, cap, room; /* room: what issue may fill */
	cycle_t free;               /* the unit takes the next access */
	cycle_t blocked_at;         /* refused since; NEVER: not */
	cycle_t retry;              /* when the port may take it */
	struct stage *pipe;         /* l1d.lookup = last: a ring */
	uint32_t pipe_head, pipe_n, pipe_cap; /* pipe_cap 0: there is none */
	cycle_t pipe_blocked_at, pipe_retry;
	const struct coal_ops *coal;
	uint16_t line;              /* that coalescing looks at */
};

/* Where local memory and parameters lie for caches and partitions: above all allocations. */
#define LOCAL_PHYS (1ull << 44)
#define PARAM_PHYS (1ull << 43)

struct lsu *lsu_new(struct sm *sm)
{
	struct lsu *l = xcalloc(1, sizeof *l);
	const struct machine *m = sm->m;
	l->room = m->ports_mem + m->coll_mem + m->lsu_queue;
	l->cap = l->room + (sm->locked ? sm->ngroups : 0); /* locked: one for each group */
	l->q = xcalloc(l->cap, sizeof *l->q);
	l->blocked_at = l->pipe_blocked_at = NEVER;
	if (!strcmp(m->l1d_lookup, "last") && strcmp(m->l1d_kind, "off"))
		l->pipe_cap = m->l1d_lat * m->lsu_width;
	l->pipe = xcalloc(l->pipe_cap + 1, sizeof *l->pipe);
	l->coal = coal_find(m->coalesce);
	l->line = (uint16_t)(strcmp(m->l1d_kind, "off") ? m->l1d_line : 128);
	return l;
}

void lsu_free(struct lsu *l)
{
	if (l) {
		free(l->q);
		free(l->pipe);
	}
	free(l);
}

bool lsu_full(const struct sm *sm) { return sm->lsu->n >= sm->lsu->room; }
bool lsu_blocked(const struct sm *sm) { return sm->lsu->blocked_at != NEVER || sm->lsu->pipe_blocked_at != NEVER; }

/* ---- an instruction becomes accesses ---- */

static void add_accesses(struct sm *sm, struct entry *e, const struct lane_access *a, const uint64_t *addr, unsigned size)
{
	struct coal_tx out[COAL_MAX];
	struct coal_access c = {.addr = addr, .mask = a->lanes, .lanes = (uint8_t)sm->m->warp_size, .size = (uint8_t)size,
				.line = sm->lsu->line};
	unsigned n = sm->lsu->coal->split(&c, out);
	for (unsigned i = 0; i < n && e->ntx < TX_MAX; i++)
		e->tx[e->ntx++] = (struct tx){out[i].addr, out[i].pieces, out[i].bytes, out[i].full};
}

/* Lanes of `left` of which no two have one address: what atomics can be performed together. */
static lanemask apart(const struct lane_access *a, lanemask left)
{
	uint64_t seen[MAX_LANES];
	lanemask set = 0;
	unsigned n = 0;
	for (; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left), k = 0;
		while (k < n && seen[k] != a->addr[i])
			k++;
		if (k < n)
			continue;
		seen[n++] = a->addr[i];
		set |= left & -left;
	}
	return set;
}

/* The cache's line does not matter to what goes past it: the pieces with words of the lanes alone. */
static void trim(struct tx *t, const struct lane_access *a)
{
	uint32_t pieces = 0;
	for (lanemask m = a->lanes; m; m &= m - 1) {
		uint64_t at = (a->addr[__builtin_ctzll(m)] - t->addr) / MSG_PIECE;
		pieces |= at < 32 ? 1u << at : 0;
	}
	t->pieces &= pieces;
	t->bytes = (uint16_t)(__builtin_popcount(t->pieces) * MSG_PIECE);
}

static void split_atomic(struct sm *sm, struct entry *e, struct lane_access *a)
{
	for (lanemask left = a->lanes; left; left &= ~a->lanes) {
		uint32_t first = e->ntx;
		a->lanes = apart(a, left);
		add_accesses(sm, e, a, a->addr, a->bytes);
		for (uint32_t i = first; i < e->ntx; i++)
			trim(&e->tx[i], a);
	}
}

static void split_global(struct sm *sm, struct entry *e, struct lane_access *a)
{
	unsigned size = a->bytes > 16 ? 16 : a->bytes;
	if (size & (size - 1))
		size = 4; /* a vector of three */
	for (unsigned done = 0; done < a->bytes; done += size) {
		add_accesses(sm, e, a, a->addr, size);
		for (lanemask m = a->lanes; m; m &= m - 1)
			a->addr[__builtin_ctzll(m)] += size;
	}
}

/* A thread's words are as far apart as the GPU has threads, so that lanes lie side by side. */
static void split_local(struct sm *sm, struct entry *e, const struct lane_access *a)
{
	uint64_t addr[MAX_LANES], threads = (uint64_t)sm->m->sms * sm->nwarps * sm->m->warp_size;
	unsigned size = a->bytes < 4 ? a->bytes : 4;
	uint32_t first = a->mixed ? 0 : sm->warp[e->op->warp].hwthread;
	for (unsigned done = 0; done < a->bytes; done += size) {
		for (lanemask m = a->lanes; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctzll(m);
			uint64_t x = a->addr[i] + done;
			addr[i] = LOCAL_PHYS +
			          (x / 4 * threads + (a->mixed ? a->thread[i] : first + i)) * 4 +
			          x % 4;
		}
		add_accesses(sm, e, a, addr, size);
	}
}

/* One access for each address. */
static void split_const(struct sm *sm, struct entry *e, const struct lane_access *a)
{
	uint64_t seen[MAX_LANES];
	unsigned n = 0;
	for (lanemask m = a->lanes; m; m &= m - 1) {
		uint64_t x = a->addr[__builtin_ctzll(m)] + (a->space == SP_PARAM ? PARAM_PHYS : 0);
		unsigned i = 0;
		while (i < n && seen[i] != x)
			i++;
		if (i == n)
			seen[n++] = x;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t base = seen[i] & ~(uint64_t)(MSG_PIECE - 1);
		uint32_t pieces = msg_pieces(base, seen[i], a->bytes ? a->bytes : 4);
		e->tx[e->ntx++] = (struct tx){base, pieces & 1, MSG_PIECE, false};
	}
	STAT(&sm->stats, const_accesses)++;
	STAT(&sm->stats, const_cycles) += n;
}

/* One access for each line of the texture cache in which texels lie. */
static void split_texels(struct sm *sm, struct entry *e)
{
	const struct place_log *l = sm->places;
	uint64_t line = sm->m->l1t_line;
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t base = l->addr[i] / line * line;
		uint32_t k = 0;
		while (k < e->ntx && e->tx[k].addr != base)
			k++;
		if (k == TX_MAX)
			break;
		if (k == e->ntx)
			e->tx[e->ntx++] = (struct tx){.addr = base};
		e->tx[k].pieces |= 1u << (l->addr[i] - base) / MSG_PIECE;
		e->tx[k].bytes = (uint16_t)(__builtin_popcount(e->tx[k].pieces) * MSG_PIECE);
	}
}

static void delay(struct entry *e, uint32_t cycles, uint32_t lat)
{
	e->kind = K_DELAY;
	e->cycles = cycles;
	e->lat = lat;
}

static unsigned passes(const struct sm *sm, const struct lane_access *a, const uint64_t *addr, unsigned bytes)
{
	struct shared_access s = {.addr = addr, .mask = a->lanes, .lanes = (uint8_t)sm->m->warp_size,
				  .size = (uint8_t)(bytes > 16 ? 16 : bytes)};
	return shared_passes(&s, sm->m->shared_banks, sm->m->shared_half) * (bytes > 16 ? bytes / 16 : 1);
}

/* Fragments of a matrix: the lanes' first pieces together, then their second ones. */
static void split_matrix(struct sm *sm, struct entry *e, const struct lane_access *a)
{
	const struct place_log *l = sm->places;
	uint32_t per = l->n / (uint32_t)__builtin_popcountll(a->lanes), n = 0;
	for (uint32_t k = 0; k < per; k++) {
		uint64_t addr[MAX_LANES];
		const uint64_t *from = l->addr + k;
		for (lanemask m = a->lanes; m; m &= m - 1, from += per)
			addr[__builtin_ctzll(m)] = *from;
		if (a->space == SP_SHARED)
			n += passes(sm, a, addr, l->bytes);
		for (uint32_t done = 0; a->space != SP_SHARED && done < l->bytes; done += 16) {
			add_accesses(sm, e, a, addr, l->bytes < 16 ? l->bytes : 16);
			for (lanemask m = a->lanes; m; m &= m - 1)
				addr[__builtin_ctzll(m)] += 16;
		}
	}
	if (a->space != SP_SHARED)
		return;
	STAT(&sm->stats, shared_accesses)++;
	STAT(&sm->stats, shared_cycles) += n;
	delay(e, n, sm->m->shared_lat);
}

static void split_shared(struct sm *sm, struct entry *e, struct lane_access *a)
{
	unsigned n = 0;
	if (a->atomic)
		for (lanemask left = a->lanes; left; left &= ~a->lanes) {
			a->lanes = apart(a, left);
			n += passes(sm, a, a->addr, a->bytes);
		}
	else
		n = passes(sm, a, a->addr, a->bytes);
	STAT(&sm->stats, shared_accesses)++;
	STAT(&sm->stats, shared_cycles) += n;
	delay(e, n, sm->m->shared_lat);
}

static void count_accesses(struct sm *sm, const struct entry *e)
{
	STAT(&sm->stats, mem_instructions)++;
	STAT(&sm->stats, transactions) += e->ntx;
	const uint16_t *home;
	flight_homes(sm, e->op, &home);
	sm->warp[home[0]].b->prof[e->op->pc].transactions += e->ntx;
}

static void decide(struct sm *sm, struct entry *e, struct lane_access *a)
{
	uint16_t flags = e->op->t->flags;
	bool shared = a->space == SP_SHARED;
	if (a->space == SP_TEX && sm->places->n && !sm->perfect) {
		e->kind = flags & T_STORE ? K_WRITE : K_TEX;
		split_texels(sm, e);
		count_accesses(sm, e);
	} else if (!a->lanes) {
		delay(e, 1, a->space == SP_TEX ? sm->m->l1t_lat : 1);
	} else if (shared) {
		if (flags & T_MATRIX)
			split_matrix(sm, e, a);
		else
			split_shared(sm, e, a);
	} else if (sm->perfect) {
		delay(e, 1, strcmp(sm->m->l1d_kind, "off") ? sm->m->l1d_lat : 1);
	} else if (a->space == SP_CONST || a->space == SP_PARAM) {
		e->kind = K_CONST;
		split_const(sm, e, a);
	} else {
		e->local = a->space == SP_LOCAL;
		e->kind = flags & T_ATOMIC ? K_ATOMIC : flags & T_STORE ? K_WRITE : flags & T_PAST ? K_PAST : K_READ;
		if (flags & T_MATRIX)
			split_matrix(sm, e, a);
		else if (e->kind == K_ATOMIC && a->bytes <= 16)
			split_atomic(sm, e, a);
		else if (e->local)
			split_local(sm, e, a);
		else
			split_global(sm, e, a);
		count_accesses(sm, e);
	}
}

void lsu_put(struct sm *sm, struct flight *op, cycle_t at, struct lane_access *a)
{
	struct lsu *l = sm->lsu;
	struct entry *e = &l->q[(l->head + l->n++) % l->cap];
	e->op = op;
	e->at = at;
	e->ntx = e->next = 0;
	e->local = false;
	decide(sm, e, a);
	op->parts = e->kind == K_DELAY ? 0 : e->ntx;
	op->ready = 0;
	op->fenced = true;
	const uint16_t *home;
	for (unsigned n = flight_homes(sm, op, &home); n--;)
		sm->warp[home[n]].outstanding++;
}

/* ---- accesses run ---- */

/* All accesses have started and none is unanswered. */
static void complete(struct sm *sm, struct flight *op, cycle_t at)
{
	at = at > op->ready ? at : op->ready;
	if (!sm->locked)
		at += sm->m->write_lat;
	else if (at < op->issued + sm->m->locked_depth)
		at = op->issued + sm->m->locked_depth;
	if ((op->t->flags & T_DEFER) && at < sm->window_end)
		at = sm->window_end;
	wheel_post(&sm->wheel, &op->ev, at > sm->now ? at : sm->now + 1);
}

static void part_done(struct sm *sm, struct flight *op, cycle_t at)
{
	op->ready = at > op->ready ? at : op->ready;
	if (!--op->parts)
		complete(sm, op, at);
}

void lsu_answer(struct sm *sm, uint32_t token) { part_done(sm, sm->flights.v[token], sm->now + 1); }

void lsu_acknowledged(struct sm *sm, unsigned warp)
{
	if (warp == GROUP_MIXED) {
		if (!--sm->mixed_writes)
			sm_fences_changed(sm);
		return;
	}
	sm->warp[warp].outstanding--;
	if (!--sm->warp[warp].writes && sm->locked)
		sm_fences_changed(sm);
	sm_warp_accessed(sm, warp);
}

static enum l1_result write_access(struct sm *sm, const struct tx *t, unsigned warp, bool local)
{
	enum l1_result r = l1_write(sm, t, warp, local);
	if (r != L1_PENDING)
		return r;
	if (warp == GROUP_MIXED) { /* until it is acknowledged; the instruction itself is done */
		sm->mixed_writes++;
	} else {
		sm->warp[warp].outstanding++;
		sm->warp[warp].writes++;
	}
	return L1_DONE;
}

static enum l1_result start(struct sm *sm, struct entry *e, const struct tx *t, uint32_t *lat)
{
	*lat = sm->m->l1d_lat;
	switch (e->kind) {
	case K_CONST:
		*lat = sm->m->l1c_lat;
		return l1_read(sm, L1C, t, e->op->id);
	case K_TEX:
		*lat = sm->m->l1t_lat;
		return l1_read(sm, L1T, t, e->op->id);
	case K_READ: return l1_read(sm, L1D, t, e->op->id);
	case K_WRITE:
		*lat = 0;
		return write_access(sm, t, e->op->warp, e->local);
	default: return l1_past(sm, t, e->kind == K_ATOMIC, e->op->id);
	}
}

static void waited(struct sm *sm, cycle_t *since)
{
	if (*since != NEVER)
		STAT(&sm->stats, mem_stalls) += sm->now - *since;
	*since = NEVER;
}

/* ---- the pipeline before the tags ---- */

static bool piped(const struct lsu *l, const struct entry *e)
{
	return l->pipe_cap && (e->kind == K_READ || e->kind == K_WRITE);
}

static enum l1_result pipe_put(struct sm *sm, const struct entry *e, const struct tx *t)
{
	struct lsu *l = sm->lsu;
	if (l->pipe_n == l->pipe_cap)
		return L1_REFUSED;
	l->pipe[(l->pipe_head + l->pipe_n++) % l->pipe_cap] =
		(struct stage){e->op, *t, sm->now + sm->m->l1d_lat, e->kind, e->local};
	return L1_PENDING;
}

static void pipe_cycle(struct sm *sm)
{
	struct lsu *l = sm->lsu;
	for (unsigned i = 0; i < sm->m->lsu_width && l->pipe_n && l->pipe[l->pipe_head].at <= sm->now; i++) {
		const struct stage *s = &l->pipe[l->pipe_head];
		sm->l1->direct_retry = NEVER;
		enum l1_result r = s->kind == K_READ ? l1_read(sm, L1D, &s->tx, s->op->id)
						     : write_access(sm, &s->tx, s->op->warp, s->local);
		if (r == L1_REFUSED) {
			if (l->pipe_blocked_at == NEVER)
				l->pipe_blocked_at = sm->now;
			l->pipe_retry = sm->l1->direct_retry;
			return;
		}
		waited(sm, &l->pipe_blocked_at);
		sm->progress = true;
		if (r == L1_DONE) /* a hit leaves without the write-back stage */
			part_done(sm, s->op, sm->now > sm->m->write_lat ? sm->now + 1 - sm->m->write_lat : 0);
		l->pipe_head = (l->pipe_head + 1) % l->pipe_cap;
		l->pipe_n--;
	}
}

static cycle_t pipe_wake(const struct sm *sm)
{
	const struct lsu *l = sm->lsu;
	if (!l->pipe_n)
		return NEVER;
	if (l->pipe_blocked_at != NEVER)
		return sm->l1->moved ? sm->now : l->pipe_retry;
	return l->pipe[l->pipe_head].at;
}

/* ---- instructions ---- */

static void pop(struct lsu *l)
{
	l->head = (l->head + 1) % l->cap;
	l->n--;
}

static void run_entry(struct sm *sm, struct entry *e)
{
	struct lsu *l = sm->lsu;
	uint32_t lat;
	for (unsigned i = 0; i < sm->m->lsu_width && e->next < e->ntx; i++) {
		sm->l1->direct_retry = NEVER;
		bool pipe = piped(l, e);
		enum l1_result r = pipe ? pipe_put(sm, e, &e->tx[e->next]) : start(sm, e, &e->tx[e->next], &lat);
		if (r == L1_REFUSED) {
			if (l->blocked_at == NEVER)
				l->blocked_at = sm->now;
			l->retry = pipe ? NEVER : sm->l1->direct_retry; /* a full pipeline moves on by itself */
			return;
		}
		waited(sm, &l->blocked_at);
		sm->progress = true;
		e->next++;
		l->free = sm->now + 1;
		if (r == L1_DONE)
			part_done(sm, e->op, sm->now + lat);
	}
	if (e->next == e->ntx)
		pop(l);
}

static cycle_t entry_wake(const struct sm *sm)
{
	const struct lsu *l = sm->lsu;
	if (!l->n)
		return NEVER;
	if (l->blocked_at != NEVER && piped(l, &l->q[l->head]))
		return l->pipe_n < l->pipe_cap ? sm->now : NEVER;
	if (l->blocked_at != NEVER)
		return sm->l1->moved ? sm->now : l->retry;
	cycle_t at = l->q[l->head].at;
	return at > l->free ? at : l->free;
}

cycle_t lsu_wake(const struct sm *sm)
{
	cycle_t a = entry_wake(sm), b = pipe_wake(sm);
	return a < b ? a : b;
}

static void entry_cycle(struct sm *sm)
{
	struct lsu *l = sm->lsu;
	struct entry *e = &l->q[l->head];
	if (e->kind != K_DELAY) {
		run_entry(sm, e);
		return;
	}
	l->free = sm->now + e->cycles;
	complete(sm, e->op, sm->now + e->cycles - 1 + e->lat);
	pop(l);
	sm->progress = true;
}

void lsu_cycle(struct sm *sm)
{
	bool pipe = pipe_wake(sm) <= sm->now, moved = sm->l1->moved;
	if (pipe)
		pipe_cycle(sm);
	bool entry = entry_wake(sm) <= sm->now;
	if (entry)
		entry_cycle(sm);
	if (moved && (pipe || entry)) /* what was refused has been tried again with all that moved before */
		sm->l1->moved = false;
}
