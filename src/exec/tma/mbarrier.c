/* mbarrier operations; mbarrier.h describes the word. A lane's operation takes effect at once. An
 * ordinary load sees the word as it is; hardware shows the word only after mbarrier.inval. */
#include "exec/tma/mbarrier.h"

#include "exec/observer.h"
#include "exec/cluster.h"

static uint64_t value_at(const struct warp *w, const struct uop *u, unsigned src, unsigned lane)
{
	const struct opnd *o = inst_src(u->in, src);
	const uint32_t *p = row_u32(w, u->v[u->in->nd + src]);
	return o->kind == OPND_IMM || type_rows(o->type) == 2 ? pair_get(p, (int)lane) : p[lane];
}

static void put_result(struct warp *w, const struct uop *u, unsigned lane, uint64_t x)
{
	if (!u->in->nd || u->v[0] == SINK)
		return;
	uint32_t *d = row_u32(w, u->v[0]);
	d[lane] = (uint32_t)x;
	if (type_rows(u->in->opnd[0].type) == 2)
		d[lane + LANES] = (uint32_t)(x >> 32);
}

static uint64_t arrive_at(struct warp *w, const struct uop *u, unsigned lane, uint64_t b,
			  uint32_t x)
{
	const struct inst *in = u->in;
	uint32_t count = in->imm & MBF_EXPECT_TX ? 1 : x;
	if (in->imm & MBF_LANES) {
		uint32_t earlier = (uint32_t)__builtin_popcount(w->mask & ((1u << lane) - 1));
		uint64_t first = b - ((uint64_t)(earlier * count) << MBW_PENDING_AT);
		put_result(w, u, lane, (first & ~0xffffffffull) | w->mask);
	} else {
		put_result(w, u, lane, mbw_token(b, in->imm & MBF_NOCOMPLETE));
	}
	if (in->imm & MBF_EXPECT_TX)
		b = mbw_expect(b, x);
	return mbw_arrive(b, count, in->mode == MB_ARRIVE_DROP);
}

/* Returns the word after the operation. */
static uint64_t step_phase(struct warp *w, const struct uop *u, unsigned lane, uint64_t b)
{
	const struct inst *in = u->in;
	uint64_t x = in->ns > 1 ? value_at(w, u, 1, lane) : 1;
	switch (in->mode) {
	case MB_INIT: return mbw_init((uint32_t)x);
	case MB_INVAL: return b;
	case MB_EXCHANGE: put_result(w, u, lane, b); return x;
	case MB_ARRIVE:
	case MB_ARRIVE_DROP: return arrive_at(w, u, lane, b, (uint32_t)x);
	case MB_EXPECT_TX: return mbw_expect(b, (uint32_t)x);
	case MB_COMPLETE_TX: return mbw_complete(b, (uint32_t)x);
	case MB_CP_ASYNC_ARRIVE: return in->mods & M_NOINC ? mbw_arrive(b, 1, false) : b;
	default: { /* TEST_WAIT, TRY_WAIT */
		bool phase = in->imm & MBF_PARITY ? x & 1 : mbw_phase(x);
		uint32_t bit = 1u << lane;
		pred_write(w, u->v[0], phase != mbw_phase(b) ? bit : 0, bit);
		return b;
	}
	}
}

/* --check race: a thread that finds the phase ended knows what happened before the arrivals. */
static void note_phase(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		       bool ended, enum access acc, uint32_t at)
{
	unsigned mode = u->in->op == OP_MBARRIER ? u->in->mode : MB_COMPLETE_TX;
	bool waits = mode == MB_TEST_WAIT || mode == MB_TRY_WAIT;
	const struct observer *o = w->cta->l->observer;
	if (at < w->cta->l->reserved_at)
		o->mbarrier_used(w, u, lane, owner, at);
	if (acc != ACC_ATOMIC)
		return;
	if (mode == MB_CP_ASYNC_ARRIVE)
		o->mbarrier(w, u, lane, owner, at, MB_COPIES_TOLD);
	if (!waits)
		o->mbarrier(w, u, lane, owner, at, MB_ARRIVES);
	if (ended)
		o->mbarrier(w, u, lane, owner, at, MB_ENDS);
	if (waits && (w->pred[u->v[0]] >> lane & 1))
		o->mbarrier(w, u, lane, owner, at, MB_FOUND_END);
}

static void store_word(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		       uint32_t at, uint64_t before, uint64_t after, enum access acc)
{
	bool ended = acc == ACC_ATOMIC && (before ^ after) & MBW_PHASE;
	memcpy(owner->shared + at, &after, 8);
	owner->barriers += ended;
	if (w->cta->l->check_race)
		note_phase(w, u, lane, owner, ended, acc, at);
}

static void mbarrier_part(struct warp *w, const struct uop *u)
{
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (u->in->mode == MB_PENDING_COUNT) {
			put_result(w, u, i, mbw_pending(value_at(w, u, 0, i)));
			continue;
		}
		uint32_t at;
		uint64_t a = lane_addr(w, u, (int)i), b;
		struct cta *owner = shared_find(w, u, i, a, 8, 8, &at);
		if (!owner) {
			if (w->stop)
				return;
			continue;
		}
		unsigned mode = u->in->mode;
		bool writes = mode == MB_INIT || mode == MB_EXCHANGE || mode == MB_INVAL;
		enum access acc = writes ? ACC_WRITE : ACC_ATOMIC;
		if (w->cta->l->observer)
			w->cta->l->observer->shared(w, u, i, owner, at, 8, acc);
		memcpy(&b, owner->shared + at, 8);
		store_word(w, u, i, owner, at, b, step_phase(w, u, i, b), acc);
	}
}

static void mbarrier_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	mbarrier_part(w, u);
}

void mbarrier_complete(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		       uint32_t at, uint32_t bytes)
{
	if (w->cta->l->observer)
		w->cta->l->observer->shared(w, u, lane, owner, at, 8, ACC_ATOMIC);
	bool pieces = w->cta->l->copies_in_pieces;
	while (bytes) {
		uint64_t b;
		memcpy(&b, owner->shared + at, 8);
		int32_t due = mbw_bytes(b);
		uint32_t n = pieces && due > 0 && (uint32_t)due < bytes && !mbw_pending(b)
				     ? (uint32_t)due
				     : bytes;
		store_word(w, u, lane, owner, at, b, mbw_complete(b, n), ACC_ATOMIC);
		bytes -= n;
	}
}

bool bind_mbarrier(const struct inst *in, struct uop *u)
{
	if (in->op != OP_MBARRIER)
		return false;
	u->flags |=
		UOP_FAULTS | (in->mode == MB_TEST_WAIT || in->mode == MB_TRY_WAIT ? UOP_POLL : 0);
	return bind_pair(u, FN(mbarrier));
}
