/* Asynchronous copies and split barriers in shared memory, executed at once: cp.async copies when
 * it is issued (programs must not look before they wait), and an mbarrier's phase flips when its
 * count is reached. An mbarrier is 64 bits of shared memory in our own layout:
 *
 *	63                             41 40      39                20 19               0
 *	[ pending bytes, two's complement | phase | expected arrivals | pending arrivals ] */
#include "exec/memory/access.h"
#include "exec/async/async.h"
#include "exec/observer.h"

uint32_t cp_async_reads(const struct warp *w, const struct uop *u, unsigned lane)
{
	const struct inst *in = u->in;
	uint32_t n = (uint32_t)in->imm;
	if (in->ns <= 2)
		return n;
	const struct opnd *o = inst_src(in, 2); /* bytes to read, or a predicate that says: none */
	int32_t v = u->v[in->nd + 2];
	if (o->kind == OPND_PRED)
		return (w->pred[v] >> lane & 1) ^ !!(o->mod & OPND_NOT) ? 0 : n;
	return row_u32(w, v)[lane] < n ? row_u32(w, v)[lane] : n;
}

static void cp_async_part(struct warp *w, const struct uop *u)
{
	const struct async_copy *c = u->copy;
	uint32_t n = (uint32_t)u->in->imm;
	for (uint32_t m = w->mask; m && !w->stop; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint8_t buf[16] = {0};
		uint32_t have = cp_async_reads(w, u, i);
		if (have)
			mem_load(w, &c->from, i, lane_addr(w, &c->from, (int)i), buf, have,
				 have == n ? n : 1);
		if (!w->stop)
			mem_store(w, &c->to, i, lane_addr(w, &c->to, (int)i), buf, n, n);
	}
	if (w->stop) /* the parts are not in the code: say where it was */
		w->cta->x->fault.pc = (uint32_t)(u - w->cta->l->img->code);
}

/* ---- cp.async.bulk: any multiple of 16 bytes ---- */

static bool bulk_copy(struct warp *w, const struct async_copy *c, unsigned i, uint32_t n)
{
	uint64_t to = lane_addr(w, &c->to, (int)i), from = lane_addr(w, &c->from, (int)i);
	for (uint32_t at = 0; at < n; at += 16) {
		uint8_t buf[16];
		if (!mem_load(w, &c->from, i, from + at, buf, 16, 16) ||
		    !mem_store(w, &c->to, i, to + at, buf, 16, 16))
			if (w->stop)
				return false;
	}
	return true;
}

static void nothing(struct warp *w, const struct uop *u)
{
	(void)w;
	(void)u;
}

/* ---- mbarrier ---- */

enum { CNT_BITS = 20 };
#define CNT_MASK ((1ull << CNT_BITS) - 1)
#define PHASE    (1ull << 40)

static int64_t tx_of(uint64_t b) { return (int64_t)b >> 41; }
static uint64_t with_tx(uint64_t b, int64_t tx)
{
	return (b & ((1ull << 41) - 1)) | (uint64_t)tx << 41;
}

/* The phase is over when nothing is pending: flip it and start again. */
static uint64_t settle(uint64_t b)
{
	if ((b & CNT_MASK) || tx_of(b))
		return b;
	return ((b ^ PHASE) & ~CNT_MASK) | (b >> CNT_BITS & CNT_MASK);
}

static uint64_t value_at(const struct warp *w, const struct uop *u, unsigned src, unsigned lane)
{
	const struct opnd *o = inst_src(u->in, src);
	const uint32_t *p = row_u32(w, u->v[u->in->nd + src]);
	return o->kind == OPND_IMM || type_rows(o->type) == 2 ? pair_get(p, (int)lane) : p[lane];
}

static void mb_result(struct warp *w, const struct uop *u, unsigned lane, uint64_t x)
{
	if (!u->in->nd || u->v[0] == SINK)
		return;
	uint32_t *d = row_u32(w, u->v[0]);
	d[lane] = (uint32_t)x;
	if (type_rows(u->in->opnd[0].type) == 2)
		d[lane + LANES] = (uint32_t)(x >> 32);
}

static uint64_t mb_step(struct warp *w, const struct uop *u, unsigned lane, uint64_t b)
{
	const struct inst *in = u->in;
	uint64_t x = in->ns > 1 ? value_at(w, u, 1, lane) : 1, count = x;
	switch (in->mode) {
	case MB_INIT: return (x & CNT_MASK) | (x & CNT_MASK) << CNT_BITS;
	case MB_INVAL: return 0;
	case MB_ARRIVE:
	case MB_ARRIVE_DROP:
		mb_result(w, u, lane, b);
		if (in->imm & MBF_EXPECT_TX) {
			b = with_tx(b, tx_of(b) + (int64_t)x);
			count = 1;
		}
		if (in->mode == MB_ARRIVE_DROP)
			b -= (count & CNT_MASK) << CNT_BITS;
		return settle(b - (count & CNT_MASK));
	case MB_EXPECT_TX: return with_tx(b, tx_of(b) + (int64_t)x);
	case MB_COMPLETE_TX: return settle(with_tx(b, tx_of(b) - (int64_t)x));
	case MB_CP_ASYNC_ARRIVE: return in->mods & M_NOINC ? settle(b - 1) : b;
	default: { /* TEST_WAIT, TRY_WAIT */
		bool phase = in->imm & MBF_PARITY ? x & 1 : (x & PHASE) != 0;
		bool now = (b & PHASE) != 0;
		uint32_t bit = 1u << lane;
		pred_write(w, u->v[0], phase != now ? bit : 0, bit);
		return b;
	}
	}
}

/* --check race: a thread that finds the phase ended knows what happened before the arrivals. */
static void note_phase(struct warp *w, const struct uop *u, unsigned lane, uint64_t before,
		       uint64_t after, enum access acc, const uint8_t *p)
{
	unsigned mode = u->in->op == OP_MBARRIER ? u->in->mode : MB_COMPLETE_TX;
	bool waits = mode == MB_TEST_WAIT || mode == MB_TRY_WAIT;
	uint64_t a = lane_addr(w, u, (int)lane);
	uint32_t at = (uint32_t)(p - w->cta->shared);
	const struct observer *o = w->cta->l->observer;
	if (w->cta->l->check_race && p >= w->cta->shared && at < w->cta->l->reserved_at)
		o->mbarrier_used(w, u, lane, at);
	if (acc == ACC_ATOMIC && ((before ^ after) & PHASE))
		w->cta->barriers++;
	if (acc != ACC_ATOMIC || !w->cta->l->check_race)
		return;
	if (mode == MB_CP_ASYNC_ARRIVE)
		o->mbarrier(w, u, lane, a, at, MB_COPIES_TOLD);
	if (!waits)
		o->mbarrier(w, u, lane, a, at, MB_ARRIVES);
	if ((before ^ after) & PHASE)
		o->mbarrier(w, u, lane, a, at, MB_ENDS);
	if (waits && (w->pred[u->v[0]] >> lane & 1))
		o->mbarrier(w, u, lane, a, at, MB_FOUND_END);
}

static void mbarrier_part(struct warp *w, const struct uop *u)
{
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t *local;
		uint64_t b;
		if (u->in->mode == MB_PENDING_COUNT) {
			mb_result(w, u, i, value_at(w, u, 0, i) & CNT_MASK);
			continue;
		}
		enum access acc =
			u->in->mode == MB_INIT || u->in->mode == MB_INVAL ? ACC_WRITE : ACC_ATOMIC;
		uint8_t *p = mem_lane(w, u, i, lane_addr(w, u, (int)i), 8, 8, acc, &local);
		if (!p) {
			if (w->stop)
				return;
			continue;
		}
		memcpy(&b, p, 8);
		uint64_t next = mb_step(w, u, i, b);
		memcpy(p, &next, 8);
		note_phase(w, u, i, b, next, acc, p);
	}
}

/* Tells the mbarrier about the bytes once they are there, like mbarrier.complete_tx. */
static bool bulk_complete(struct warp *w, const struct uop *u, unsigned i, uint32_t n)
{
	uint32_t *local;
	uint64_t b;
	uint8_t *p = mem_lane(w, u, i, lane_addr(w, u, (int)i), 8, 8, ACC_ATOMIC, &local);
	if (p) {
		memcpy(&b, p, 8);
		uint64_t next = settle(with_tx(b, tx_of(b) - (int64_t)n));
		memcpy(p, &next, 8);
		note_phase(w, u, i, b, next, ACC_ATOMIC, p);
	}
	return p || !w->stop;
}

static void cp_bulk_part(struct warp *w, const struct uop *u)
{
	const struct async_copy *c = u->copy;
	const struct inst *in = u->in;
	for (uint32_t m = w->mask; m && !w->stop; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t n = row_u32(w, u->v[in->nd + 2])[i];
		if (n % 16) {
			exec_fault(w, u, i, HEDDLE_FAULT_INSTRUCTION, n, 0,
				   "cp.async.bulk of %u bytes: the size is a multiple of 16", n);
			return;
		}
		if (!bulk_copy(w, c, i, n) || in->ns <= 3)
			continue;
		if (w->cta->l->check_race)
			w->cta->l->observer->bulk_copy(w, c, i, n);
		bulk_complete(w, &c->bar, i, n);
	}
	if (w->stop) /* the parts are not in the code: say where it was */
		w->cta->x->fault.pc = (uint32_t)(u - w->cta->l->img->code);
}

#define FULL(name)                                                                                 \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->mask = ~0u;                                                                     \
		name##_part(w, u);                                                                 \
	}
FULL(cp_async)
FULL(cp_bulk)
FULL(mbarrier)

bool bind_async(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_CP_ASYNC: u->flags |= UOP_FAULTS; return bind_pair(u, FN(cp_async));
	case OP_CP_BULK: u->flags |= UOP_FAULTS; return bind_pair(u, FN(cp_bulk));
	case OP_MBARRIER:
		u->flags |= UOP_FAULTS |
			    (in->mode == MB_TEST_WAIT || in->mode == MB_TRY_WAIT ? UOP_POLL : 0);
		return bind_pair(u, FN(mbarrier));
	case OP_CP_ASYNC_WAIT: /* copies are done when they are issued */
	case OP_PREFETCH:
	case OP_DISCARD:
	case OP_APPLYPRIO: /* hints */
	case OP_MEMBAR:
	case OP_NANOSLEEP:
	case OP_PMEVENT:
	case OP_NOP: u->full = u->part = nothing; return true;
	case OP_BAR_WARP:
		u->flags |= UOP_CROSS; /* .sync: waits for its members */
		u->full = u->part = nothing;
		return true;
	}
	return false;
}
