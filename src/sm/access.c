/* Turns the lane addresses of a memory instruction into accesses. Cached spaces follow the
 * coalescing rule; constants need one access per distinct address, textures one per line with
 * texels, atomics one per group of lanes with distinct words; shared memory takes passes without
 * bank conflicts. lsu.c runs the accesses. */
#include <assert.h>
#include "exec/places.h"
#include "isa/sm70/issue.h"
#include "sm/pipeline.h"
#include "sm/shared_banks.h"
#include "sm/count.h"
#include "sm/lsu.h"

static void add_accesses(struct sm *sm, struct lsu_entry *e, const struct lane_access *a,
			 const uint64_t *addr, unsigned size)
{
	struct coal_tx out[COAL_MAX];
	struct coal_access c = {.addr = addr,
				.mask = a->lanes,
				.lanes = (uint8_t)sm->m->warp_size,
				.size = (uint8_t)size,
				.line = sm->lsu->line,
				.past = e->kind == K_ATOMIC || e->kind == K_PAST};
	unsigned n = sm->lsu->coal->split(&c, out);
	assert(e->ntx + n <= TX_MAX);
	for (unsigned i = 0; i < n; i++)
		e->tx[e->ntx++] = (struct tx){out[i].addr, out[i].pieces, out[i].bytes, out[i].full,
					      size < 4 ? 0 : (uint32_t)out[i].words};
}

/* A subset of `left` in which every address is different: these atomics can run together. */
static lanemask distinct_addresses(const struct lane_access *a, lanemask left)
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

/* An access that bypasses the cache does not fetch whole lines: it keeps only the pieces that lanes
 * use. */
static void trim_to_words(struct tx *t, const struct lane_access *a)
{
	uint32_t pieces = 0;
	for (lanemask m = a->lanes; m; m &= m - 1) {
		uint64_t at = (a->addr[__builtin_ctzll(m)] - t->addr) / MSG_PIECE;
		pieces |= at < 32 ? 1u << at : 0;
	}
	t->pieces &= pieces;
	t->bytes = (uint16_t)(__builtin_popcount(t->pieces) * MSG_PIECE);
}

static void split_atomic(struct sm *sm, struct lsu_entry *e, struct lane_access *a)
{
	for (lanemask left = a->lanes; left; left &= ~a->lanes) {
		uint32_t first = e->ntx;
		a->lanes = distinct_addresses(a, left);
		add_accesses(sm, e, a, a->addr, a->bytes);
		for (uint32_t i = first; i < e->ntx; i++)
			trim_to_words(&e->tx[i], a);
	}
}

static void split_global(struct sm *sm, struct lsu_entry *e, struct lane_access *a)
{
	unsigned size = a->bytes > 16 ? 16 : a->bytes;
	if (size & (size - 1))
		size = 4; /* a vector of three elements is stored as four */
	for (unsigned done = 0; done < a->bytes; done += size) {
		for (lanemask m = done ? a->lanes : 0; m; m &= m - 1)
			a->addr[__builtin_ctzll(m)] += size;
		add_accesses(sm, e, a, a->addr, size);
	}
}

/* A prefetch into the L2 touches whole lines, independent of the coalescing rule. */
static void split_prefetch(struct sm *sm, struct lsu_entry *e, const struct lane_access *a)
{
	uint64_t line = sm->lsu->line;
	for (lanemask m = a->lanes; m; m &= m - 1) {
		uint64_t base = a->addr[__builtin_ctzll(m)] / line * line;
		uint32_t k = 0;
		while (k < e->ntx && e->tx[k].addr != base)
			k++;
		if (k == e->ntx)
			e->tx[e->ntx++] =
				(struct tx){base, (uint32_t)((1ull << line / MSG_PIECE) - 1),
					    (uint16_t)line, false, 0};
	}
}

/* Splits a lane's bytes into lines; an instruction never has more than TX_MAX of them. */
static void split_bulk(struct sm *sm, struct lsu_entry *e, const struct lane_access *a)
{
	uint64_t line = sm->lsu->line;
	for (lanemask m = a->lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctzll(m);
		uint64_t at = a->addr[i], end = at + a->size[i];
		while (at < end && e->ntx < TX_MAX) {
			uint64_t base = at / line * line,
				 stop = base + line < end ? base + line : end;
			uint32_t pieces = msg_pieces(base, at, (uint32_t)(stop - at));
			uint16_t bytes = (uint16_t)(__builtin_popcount(pieces) * MSG_PIECE);
			e->tx[e->ntx++] = (struct tx){base, pieces, bytes, stop - at == line, 0};
			at = stop;
		}
	}
}

/* Number of threads whose words of local memory are interleaved (quirk local-by-block;
 * local_place() in block.c). */
static uint64_t local_places(const struct sm *sm, const struct flight *op)
{
	const uint16_t *home;
	flight_homes(sm, op, &home);
	const struct kern *k = sm->warp[home[0]].b->k;
	uint64_t sm_has = sm->rule.local_by_block ? k->fit * k->warps : sm->nwarps;
	return sm_has * sm->m->warp_size * sm->m->sms;
}

/* Consecutive words of one thread are local_places() words apart, so that one word of all lanes is
 * contiguous. */
static void split_local(struct sm *sm, struct lsu_entry *e, const struct lane_access *a)
{
	uint64_t addr[MAX_LANES], threads = local_places(sm, e->op);
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

/* One access for each address, or for each line of the constant cache with the quirk constant-lines. */
static void split_const(struct sm *sm, struct lsu_entry *e, const struct lane_access *a)
{
	uint64_t seen[MAX_LANES], unit = sm->rule.const_unit;
	unsigned n = 0;
	for (lanemask m = a->lanes; m; m &= m - 1) {
		uint64_t x = a->addr[__builtin_ctzll(m)] + (a->space == SP_PARAM ? PARAM_PHYS : 0);
		x -= x % unit;
		unsigned i = 0;
		while (i < n && seen[i] != x)
			i++;
		if (i == n)
			seen[n++] = x;
	}
	uint16_t bytes = (uint16_t)(unit > MSG_PIECE ? unit : MSG_PIECE);
	for (unsigned i = 0; i < n; i++)
		e->tx[e->ntx++] =
			(struct tx){seen[i] & ~(uint64_t)(MSG_PIECE - 1),
				    (uint32_t)((1ull << bytes / MSG_PIECE) - 1), bytes, false, 0};
	STAT(&sm->stats, const_accesses)++;
	STAT(&sm->stats, const_cycles) += n;
}

/* One access for each line of the texture cache in which texels lie. */
static void split_texels(struct sm *sm, struct lsu_entry *e)
{
	const struct place_log *l = sm->places;
	uint64_t line = sm->m->l1t_line;
	static_assert((int)PLACES <= (int)TX_MAX, "a line for each texel");
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t base = l->addr[i] / line * line;
		uint32_t k = 0;
		while (k < e->ntx && e->tx[k].addr != base)
			k++;
		if (k == e->ntx)
			e->tx[e->ntx++] = (struct tx){.addr = base};
		e->tx[k].pieces |= 1u << (l->addr[i] - base) / MSG_PIECE;
		e->tx[k].bytes = (uint16_t)(__builtin_popcount(e->tx[k].pieces) * MSG_PIECE);
	}
}

static void set_delay(struct lsu_entry *e, uint32_t cycles, uint32_t lat)
{
	e->kind = K_DELAY;
	e->cycles = cycles;
	e->lat = lat;
}

/* Number of passes that the access takes; adds the words moved to the statistics. wide: bytes per
 * lane of the whole access, of which these passes may move a part. */
static inline unsigned find_passes(struct sm *sm, const struct lane_access *a, const uint64_t *addr,
				   unsigned bytes, unsigned wide)
{
	struct shared_access s = {.addr = addr,
				  .mask = a->lanes,
				  .lanes = (uint8_t)sm->m->warp_size,
				  .size = (uint8_t)(bytes > 16 ? 16 : bytes),
				  .pairs = sm->m->shared_pairs};
	unsigned words, n = bytes > 16 ? bytes / 16 : 1;
	unsigned p = shared_passes(&s, sm->m->shared_banks, sm->m->shared_half, &words);
	unsigned times = wide / bytes;
	words *= n * (times ? times : 1);
	sm->stats.shared_words[0] += a->atomic || !a->write ? words : 0;
	sm->stats.shared_words[1] += a->atomic || a->write ? words : 0;
	return p * n;
}

static void count_passes(struct sm *sm, const struct lsu_entry *e, unsigned n)
{
	STAT(&sm->stats, shared_accesses)++;
	STAT(&sm->stats, shared_cycles) += n;
	if (sm->watch && n > 1)
		watch_conflicts(sm, e->op, n - 1);
}

/* Fragments of a matrix: all lanes' first pieces together, then all lanes' second pieces. */
static void split_matrix(struct sm *sm, struct lsu_entry *e, const struct lane_access *a)
{
	const struct place_log *l = sm->places;
	uint32_t per = l->n / (uint32_t)__builtin_popcountll(a->lanes), n = 0;
	for (uint32_t k = 0; k < per; k++) {
		uint64_t addr[MAX_LANES];
		const uint64_t *from = l->addr + k;
		for (lanemask m = a->lanes; m; m &= m - 1, from += per)
			addr[__builtin_ctzll(m)] = *from;
		if (a->space == SP_SHARED)
			n += find_passes(sm, a, addr, l->bytes, 0);
		for (uint32_t done = 0; a->space != SP_SHARED && done < l->bytes; done += 16) {
			add_accesses(sm, e, a, addr, l->bytes < 16 ? l->bytes : 16);
			for (lanemask m = a->lanes; m; m &= m - 1)
				addr[__builtin_ctzll(m)] += 16;
		}
	}
	if (a->space != SP_SHARED)
		return;
	count_passes(sm, e, n);
	set_delay(e, n, sm->m->shared_lat);
}

/* Cycles that conflicts and wide words add to the latency of an access of n passes, beyond the passes. */
static uint32_t shared_late(const struct sm *sm, const struct lane_access *a, uint32_t n,
			    bool matrix)
{
	uint32_t words = a->bytes > 16 ? 4 : a->bytes > 4 ? a->bytes / 4u : 1;
	if (matrix)
		words = 1;
	return (n - 1) * sm->m->shared_conflict + (words - 1) * sm->m->shared_wide +
	       (a->atomic ? sm->m->shared_atomic : 0);
}

/* The access is to shared memory of another block, and takes `e->cycles` there. */
static void reach_other_block(struct sm *sm, struct lsu_entry *e, const struct lane_access *a)
{
	uint32_t busy, bytes = a->bytes * (uint32_t)__builtin_popcountll(a->lanes);
	uint32_t lat = sm->pipe->remote(sm, bytes, a->atomic, &busy);
	set_delay(e, busy > e->cycles ? busy : e->cycles, lat);
}

static void split_shared(struct sm *sm, struct lsu_entry *e, struct lane_access *a)
{
	unsigned n = 0, bytes = sm->rule.first_word && a->bytes > 4 ? 4 : a->bytes;
	const struct sm70_issue *i = e->op->t->issue;
	if (a->atomic && sm->rule.serial_atomics && !(i && (i->counts || i->spins)))
		for (lanemask left = a->lanes; left; left &= ~a->lanes) {
			a->lanes = distinct_addresses(a, left);
			n += find_passes(sm, a, a->addr, bytes, a->bytes);
		}
	else
		n = find_passes(sm, a, a->addr, bytes, a->bytes);
	if (i && i->compares)
		n *= 2;
	count_passes(sm, e, n);
	set_delay(e, n, sm->m->shared_lat + shared_late(sm, a, n, i && i->matrix));
	if (a->remote && sm->pipe->remote)
		reach_other_block(sm, e, a);
}

/* Temporal lanes: the bundles of a warp pass one after the other, so its threads conflict with
 * threads of other lanes, not with each other. */
static void share_banks(struct sm *sm, struct lsu_entry *e, const struct lane_access *a)
{
	unsigned n = sm->lanes.ops->shared(&sm->lanes, e->op->lane, e->at, a);
	count_passes(sm, e, 1 + n);
	set_delay(e, 1, sm->m->shared_lat + n);
}

/* quirk accesses-down: orders accesses from the last lane to the first; of accesses with equal
 * addresses the last comes first. */
static void order_down(struct lsu_entry *e)
{
	struct tx *t = e->tx;
	for (uint32_t i = 1; i < e->ntx; i++) {
		struct tx x = t[i];
		uint32_t k = i;
		for (; k && t[k - 1].addr <= x.addr; k--)
			t[k] = t[k - 1];
		t[k] = x;
	}
}

static void count_accesses(struct sm *sm, const struct lsu_entry *e)
{
	STAT(&sm->stats, mem_instructions)++;
	STAT(&sm->stats, transactions) += e->ntx;
	const uint16_t *home;
	flight_homes(sm, e->op, &home);
	count_at(sm->warp[home[0]].b->prof, e->op->pc, e->op->t)->transactions += e->ntx;
}

static enum kind kind_of(uint16_t flags)
{
	return flags & T_ATOMIC  ? K_ATOMIC
	       : flags & T_STORE ? K_WRITE
	       : flags & T_PAST  ? K_PAST
				 : K_READ;
}

/* Perfect memory: the number of accesses that an instruction is serialised into, for the kinds that
 * perfect.* charges. */
static unsigned count_serial(struct sm *sm, struct lsu_entry *e, struct lane_access *a,
			     uint16_t flags)
{
	bool constant = a->space == SP_CONST || a->space == SP_PARAM;
	if (!(constant ? sm->m->perfect_const : sm->m->perfect_coal) || a->space == SP_TEX ||
	    (flags & (T_MATRIX | T_BULK)))
		return 1;
	e->kind = constant ? K_CONST : kind_of(flags);
	if (constant)
		split_const(sm, e, a);
	else if (e->kind == K_ATOMIC && a->bytes <= 16)
		split_atomic(sm, e, a);
	else if (a->space == SP_LOCAL)
		split_local(sm, e, a);
	else
		split_global(sm, e, a);
	unsigned n = e->ntx;
	if (!constant)
		count_accesses(sm, e);
	e->ntx = 0;
	return n ? n : 1;
}

unsigned access_serial(struct sm *sm, struct flight *op, struct lane_access *a)
{
	struct lsu_entry e = {.op = op};
	uint16_t flags = op->t->flags;
	if (a->space != SP_SHARED)
		return count_serial(sm, &e, a, flags);
	if (!sm->m->perfect_banks)
		return 1;
	if (flags & T_MATRIX)
		split_matrix(sm, &e, a);
	else
		split_shared(sm, &e, a);
	return e.cycles ? e.cycles : 1;
}

/* Cycles of a load that hits. Words pass through the banks of shared memory, so neighbouring words
 * of a full warp pass without conflicts. */
static uint32_t load_cycles(const struct sm *sm, const struct lsu_entry *e,
			    const struct lane_access *a)
{
	uint32_t bytes = 0, size = a->bytes > 16 ? 16 : a->bytes;
	unsigned words;
	bool dense = true;
	for (uint32_t i = 0; i < e->ntx; i++) {
		dense &= e->tx[i].full;
		bytes += e->tx[i].bytes;
	}
	if (dense && bytes == sm->m->warp_size * a->bytes)
		return (bytes + 127) / 128;
	struct shared_access s = {.addr = a->addr,
				  .mask = a->lanes,
				  .lanes = (uint8_t)sm->m->warp_size,
				  .size = (uint8_t)(size & (size - 1) ? 4 : size)};
	return shared_passes(&s, sm->m->shared_banks, false, &words);
}

/* Cycles of a store: one per line and one per sector; a fully written line takes half a cycle per
 * sector and nothing else. */
static uint32_t store_cycles(const struct lsu_entry *e)
{
	uint32_t halves = 0;
	for (uint32_t i = 0; i < e->ntx; i++) {
		uint32_t n = (uint32_t)__builtin_popcount(e->tx[i].pieces);
		halves += e->tx[i].full ? n : 2 * (n + 1);
	}
	return (halves + 1) / 2;
}

/* An atomic's line costs a cycle per sector, and one more if the sectors are several. */
static uint32_t atomic_cycles(const struct lsu_entry *e)
{
	uint32_t cycles = 0;
	for (uint32_t i = 0; i < e->ntx; i++) {
		uint32_t n = (uint32_t)__builtin_popcount(e->tx[i].pieces);
		cycles += n + (n > 1);
	}
	return cycles;
}

static uint32_t held_cycles(const struct sm *sm, const struct lsu_entry *e,
			    const struct lane_access *a)
{
	enum { TEXTURE_LANES = 8 }; /* addresses per cycle */
	switch (e->kind) {
	case K_READ: return e->local ? (a->bytes + 3u) / 4u : load_cycles(sm, e, a);
	case K_WRITE: return store_cycles(e);
	case K_ATOMIC: return atomic_cycles(e);
	case K_TEX: return sm->m->warp_size / TEXTURE_LANES;
	default: return 0;
	}
}

void access_decide(struct sm *sm, struct lsu_entry *e, struct lane_access *a)
{
	uint16_t flags = e->op->t->flags;
	bool shared = a->space == SP_SHARED;
	if (a->space == SP_TEX && sm->places->n && !sm->perfect) {
		e->kind = flags & T_STORE ? K_WRITE : K_TEX;
		split_texels(sm, e);
		count_accesses(sm, e);
	} else if (!a->lanes) {
		set_delay(e, 1, a->space == SP_TEX ? sm->m->l1t_lat : 1);
	} else if (shared) {
		if (flags & T_MATRIX)
			split_matrix(sm, e, a);
		else if (sm->lanes.ops->shared)
			share_banks(sm, e, a);
		else
			split_shared(sm, e, a);
	} else if (sm->perfect) {
		set_delay(e, count_serial(sm, e, a, flags), sm->rule.perfect_delay);
	} else if (a->space == SP_CONST || a->space == SP_PARAM) {
		e->kind = K_CONST;
		split_const(sm, e, a);
	} else {
		e->local = a->space == SP_LOCAL;
		e->kind = kind_of(flags);
		if (flags & T_MATRIX)
			split_matrix(sm, e, a);
		else if (flags & T_BULK)
			split_bulk(sm, e, a);
		else if (e->kind == K_ATOMIC && a->bytes <= 16)
			split_atomic(sm, e, a);
		else if (e->kind == K_PAST && !e->op->t->nwrite)
			split_prefetch(sm, e, a);
		else if (e->local)
			split_local(sm, e, a);
		else
			split_global(sm, e, a);
		count_accesses(sm, e);
		if (sm->watch)
			watch_access(sm, e, a);
	}
	if (sm->m->lsu_data && !(flags & (T_MATRIX | T_BULK)))
		e->held = held_cycles(sm, e, a);
	if (e->ntx > 1 && sm->lsu->down)
		order_down(e);
	if (e->kind != K_DELAY && !e->ntx) /* a copy of zero bytes */
		set_delay(e, 1, 1);
}
