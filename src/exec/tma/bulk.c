/* Copies by one instruction of a lane: cp.async.bulk, cp.reduce.async.bulk, cp.async.bulk.tensor,
 * and st.async, red.async, tensormap.replace. They are performed when they are issued, and the
 * mbarrier is updated at once: programs must not read the data before they wait. */
#include "exec/async/async.h"
#include "exec/memory/atom.h"
#include "exec/memory/pending.h"
#include "exec/observer.h"
#include "exec/cluster.h"
#include "exec/tma/copy.h"
#include "exec/tma/log.h"
#include "exec/tma/mbarrier.h"

enum { BUFFER = 4096 };

static const struct async_copy *copy_of(const struct uop *u) { return u->copy; }
static int32_t source(const struct uop *u, unsigned k) { return u->v[u->in->nd + k]; }

/* The uops of a copy's parts are not in the code, so a fault is reported at the copy itself. */
static void place_fault(struct warp *w, const struct uop *u)
{
	if (w->stop)
		w->cta->x->fault.pc = (uint32_t)(u - w->cta->l->img->code);
}

static void refuse_copy(struct warp *w, const struct uop *u, unsigned lane, const char *why)
{
	exec_fault(w, u, lane, HEDDLE_FAULT_INSTRUCTION, 0, 0, "%s: %s",
		   u->in->text ? u->in->text : op_info[u->in->op].name, why);
}

/* The target blocks of a copy, as a mask of ranks; without multicast: the owner's rank only. */
static uint32_t targets(const struct warp *w, const struct uop *u, unsigned lane,
			const struct cta *owner)
{
	if (!(u->in->imm & CPF_MULTICAST))
		return 1u << owner->rank;
	return row_u32(w, source(u, u->in->ns - 1u))[lane] & 0xffff;
}

/* Updates the mbarrier of each target, at the offset that `bar` has in the owner's block. The copy has
 * delivered `bytes` to the `span` bytes from offset `to` of the target on. */
static void complete_bytes(struct warp *w, const struct uop *u, unsigned lane, uint32_t ranks,
			   uint32_t bytes, uint32_t to, uint32_t span)
{
	const struct async_copy *c = copy_of(u);
	uint32_t at;
	struct cta *owner =
		shared_find(w, &c->bar, lane, lane_addr(w, &c->bar, (int)lane), 8, 8, &at);
	bool multicast = u->in->imm & CPF_MULTICAST;
	for (uint32_t m = owner ? ranks : 0; m; m &= m - 1) {
		struct cta *b =
			multicast ? cluster_block(w->cta, (unsigned)__builtin_ctz(m)) : owner;
		if (!b)
			continue;
		copy_log_barrier(w, b, at);
		if (w->cta->l->check_race)
			w->cta->l->observer->bulk_copy(w, c, lane, b, to, span, at);
		mbarrier_complete(w, &c->bar, lane, b, at, bytes);
	}
}

/* ---- shared memory of the targets ---- */

/* A swizzle may move a chunk of the last row behind the end of shared memory. */
static bool shared_has(const struct cta *b, uint32_t at, uint32_t n)
{
	return n <= b->l->shared_bytes && at <= b->l->shared_bytes - n;
}

/* Stores n bytes at place `at` in each target; acc: ACC_ATOMIC for a reduction. */
static void put_shared(struct warp *w, const struct uop *u, unsigned lane, uint32_t ranks,
		       uint32_t at, const void *buf, uint32_t n, enum access acc)
{
	for (uint32_t m = ranks; m; m &= m - 1) {
		struct cta *b = cluster_block(w->cta, (unsigned)__builtin_ctz(m));
		if (!b || !shared_has(b, at, n))
			continue;
		if (w->cta->l->observer) {
			w->cta->l->observer->shared(w, u, lane, b, at, n, acc);
			w->cta->l->observer->async_written(b, at, n);
		}
		memcpy(b->shared + at, buf, n);
	}
}

/* Bytes behind the end of shared memory are read as zero. */
static void get_shared(struct warp *w, const struct uop *u, unsigned lane, struct cta *b,
		       uint32_t at, void *buf, uint32_t n)
{
	if (!shared_has(b, at, n)) {
		memset(buf, 0, n);
		return;
	}
	if (w->cta->l->observer)
		w->cta->l->observer->shared(w, u, lane, b, at, n, ACC_READ);
	memcpy(buf, b->shared + at, n);
}

/* ---- cp.async.bulk, cp.reduce.async.bulk ---- */

/* Computes to = to op from, element by element: f32 keeps denormals, f64 treats NaN like atomics on
 * global memory. */
static void reduce_bytes(const struct uop *u, unsigned type, uint8_t *to, const uint8_t *from,
			 uint32_t n)
{
	unsigned es = type_bytes(type);
	for (uint32_t i = 0; i + es <= n; i += es) {
		uint64_t a = 0, b = 0;
		memcpy(&a, to + i, es);
		memcpy(&b, from + i, es);
		a = atom_combine(u->in->vsel[0], type, a, b, 0, type != T_F64);
		memcpy(to + i, &a, es);
	}
}

static bool is_reduction(const struct inst *in) { return in->mode == CPB_REDUCE; }

/* Reduces in a checked launch, where each element is a separate atomic access. */
static void reduce_cells(struct warp *w, const struct uop *u, const struct uop *g, unsigned type,
			 unsigned lane, uint64_t to, const uint8_t *from, uint32_t n)
{
	unsigned es = type_bytes(type);
	for (uint32_t i = 0; i + es <= n; i += es) {
		uint32_t *local;
		uint8_t *p = mem_lane(w, g, lane, to + i, es, es, ACC_ATOMIC, &local);
		if (!p)
			return;
		reduce_bytes(u, type, p, from + i, es);
	}
}

/* Combines n bytes of global memory at `to`, operand `g` of u, with `from`, element by element. */
static void reduce_global(struct warp *w, const struct uop *u, const struct uop *g, unsigned type,
			  unsigned lane, uint64_t to, const uint8_t *from, uint32_t n)
{
	uint8_t old[BUFFER];
	struct pending *late = pending_of(w);
	uint8_t *cell = late ? mem_find(w, g, to, n, ACC_WRITE) : NULL;
	if (!cell && w->cta->l->checks) {
		reduce_cells(w, u, g, type, lane, to, from, n);
		return;
	}
	if (!cell) {
		if (!bulk_read(w, g, lane, to, old, n))
			return;
		reduce_bytes(u, type, old, from, n);
		bulk_write(w, g, lane, to, old, n);
		return;
	}
	unsigned es = type_bytes(type);
	struct late_reduction r = {
		.op = u->in->vsel[0], .type = (uint8_t)type, .plain = type != T_F64};
	for (uint32_t i = 0; i + es <= n; i += es) {
		r.cell = cell + i;
		memcpy(&r.operand, from + i, es);
		pending_reduce(late, &r, es);
	}
}

/* Copies from global or the block's own shared memory to shared memory of the target blocks. */
static void bulk_to_shared(struct warp *w, const struct uop *u, unsigned lane, uint32_t n)
{
	const struct async_copy *c = copy_of(u);
	uint64_t from = lane_addr(w, &c->from, (int)lane);
	uint8_t buf[BUFFER], old[BUFFER];
	uint32_t at;
	struct cta *owner =
		shared_find(w, &c->to, lane, lane_addr(w, &c->to, (int)lane), n, 16, &at);
	uint32_t ranks = owner ? targets(w, u, lane, owner) : 0;
	if (!(u->in->imm & CPF_FROM_SHARED))
		copy_log_piece(w, from, n, false);
	for (uint32_t done = 0, k; done < n && owner && !w->stop; done += k) {
		k = n - done < BUFFER ? n - done : BUFFER;
		if (!bulk_read(w, &c->from, lane, from + done, buf, k))
			return;
		if (is_reduction(u->in)) {
			memcpy(old, owner->shared + at + done, k);
			reduce_bytes(u, u->in->type, old, buf, k);
			memcpy(buf, old, k);
		}
		put_shared(w, &c->to, lane, ranks, at + done, buf, k,
			   is_reduction(u->in) ? ACC_ATOMIC : ACC_WRITE);
	}
	if (!owner || w->stop)
		return;
	complete_bytes(w, u, lane, ranks, n, at, n);
}

static void bulk_to_global(struct warp *w, const struct uop *u, unsigned lane, uint32_t n)
{
	const struct async_copy *c = copy_of(u);
	uint64_t to = lane_addr(w, &c->to, (int)lane), from = lane_addr(w, &c->from, (int)lane);
	uint8_t buf[BUFFER];
	copy_log_piece(w, to, n, true);
	for (uint32_t done = 0, k; done < n && !w->stop; done += k) {
		k = n - done < BUFFER ? n - done : BUFFER;
		if (!bulk_read(w, &c->from, lane, from + done, buf, k))
			return;
		if (is_reduction(u->in))
			reduce_global(w, u, &c->to, u->in->type, lane, to + done, buf, k);
		else
			bulk_write(w, &c->to, lane, to + done, buf, k);
	}
}

/* Returns the rule on addresses and sizes that a lane's copy breaks; NULL: none. */
static const char *bulk_refusal(const struct warp *w, const struct uop *u, unsigned lane,
				uint32_t n)
{
	const struct async_copy *c = copy_of(u);
	if (n % 16)
		return "the size is not a multiple of 16";
	if (lane_addr(w, &c->from, (int)lane) % 16)
		return "the source is not on 16 bytes";
	return lane_addr(w, &c->to, (int)lane) % 16 ? "the destination is not on 16 bytes" : NULL;
}

/* Reports to a checker that the copy reads the block's own shared memory. False: the copy reads
 * other memory. */
static bool tell_source(struct warp *w, const struct uop *u, unsigned lane, uint32_t n,
			uint32_t *at)
{
	const struct uop *from = &copy_of(u)->from;
	unsigned space = from->aux & AUX_SPACE;
	if (!w->cta->l->observer || (space != SP_SHARED && space != SP_GENERIC))
		return false;
	uint64_t a = lane_addr(w, from, (int)lane);
	const struct window *win = space == SP_SHARED ? &w->cta->shared_win : &w->cta->shared_gen;
	if (!n || !window_has(win, a, n))
		return false;
	*at = (uint32_t)(a - win->lo);
	w->cta->l->observer->async_read(w, u, lane, *at, n);
	return true;
}

/* True if a lane's plain copy to global memory only repeats that of an earlier lane of the instruction:
 * libraries let all threads of a warp store a tile. A log of copies (timing) has each. */
static bool is_repeated(const struct warp *w, const struct uop *u, unsigned lane, unsigned sources)
{
	const struct async_copy *c = copy_of(u);
	uint32_t earlier = w->mask & ((1u << lane) - 1);
	if (!earlier || w->cta->x->copies)
		return false;
	unsigned first = (unsigned)__builtin_ctz(earlier);
	if (lane_addr(w, &c->to, (int)lane) != lane_addr(w, &c->to, (int)first) ||
	    lane_addr(w, &c->from, (int)lane) != lane_addr(w, &c->from, (int)first))
		return false;
	for (unsigned i = 2; i < 2 + sources; i++) {
		const uint32_t *v = row_u32(w, source(u, i));
		if (v[lane] != v[first])
			return false;
	}
	return true;
}

static void cp_bulk_part(struct warp *w, const struct uop *u)
{
	copy_log_begin(w);
	for (uint32_t m = w->mask; m && !w->stop; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t n = row_u32(w, source(u, 2))[i];
		const char *why = bulk_refusal(w, u, i, n);
		if (why) {
			exec_fault(w, u, i, HEDDLE_FAULT_INSTRUCTION, n, 0,
				   "cp.async.bulk of %u bytes: %s", n, why);
			return;
		}
		if (u->in->space != SP_SHARED && !is_reduction(u->in) && is_repeated(w, u, i, 1))
			continue;
		uint32_t at;
		bool known = tell_source(w, u, i, n, &at);
		if (u->in->space == SP_SHARED) {
			bulk_to_shared(w, u, i, n);
			continue;
		}
		bulk_to_global(w, u, i, n);
		if (known && w->cta->l->check_race && !w->stop)
			w->cta->l->observer->bulk_store(w, u, i, at, n,
							lane_addr(w, &copy_of(u)->to, (int)i), n);
	}
	place_fault(w, u);
}

/* ---- cp.async.bulk.tensor ---- */

static bool read_box(struct warp *w, const struct uop *u, unsigned lane, struct tensor_box *b)
{
	const struct async_copy *c = copy_of(u);
	const struct inst *in = u->in;
	uint8_t map[TENSORMAP_BYTES];
	unsigned rank = in->vec, at = 2 + rank + (in->mode == TENSOR_LOAD);
	uint64_t a = lane_addr(w, &c->from, (int)lane);
	*b = (struct tensor_box){.what = in->mode, .im2col = in->geom};
	/* Parameters of machine code lie on boundaries of the bank that they are in, not of PARAM_BASE. */
	if (a % 64 && a - PARAM_BASE >= WINDOW_SPAN) {
		refuse_copy(w, u, lane, "the tensor map is not on 64 bytes");
		return false;
	}
	if (!bulk_read(w, &c->from, lane, a, map, sizeof map))
		return false;
	if (!tensormap_read(map, &b->map)) {
		refuse_copy(w, u, lane, "the 128 bytes are not a tensor map");
		return false;
	}
	for (unsigned i = 0; i < rank; i++)
		b->at[i] = (int32_t)row_u32(w, source(u, 2 + i))[lane];
	for (unsigned i = 0;
	     in->geom && in->mode != TENSOR_STORE && in->mode != TENSOR_REDUCE && i + 2 < rank; i++)
		b->offset[i] = (uint16_t)row_u32(w, source(u, at + i))[lane];
	const char *why = b->map.rank != rank ? "the tensor map has another number of dimensions"
					      : tensor_copy_refusal(b, in->vsel[0]);
	if (why)
		refuse_copy(w, u, lane, why);
	return !why;
}

/* The memory operand through which rows of the tensor are accessed. */
static struct uop tensor_operand(const struct uop *u)
{
	struct uop g = copy_of(u)->global;
	g.in = u->in;
	return g;
}

static void load_row(struct warp *w, const struct uop *g, unsigned lane,
		     const struct tensor_rows *r, uint8_t *buf)
{
	const struct tensormap *t = &r->b->map;
	tensor_fill(t, buf, 0, r->lo);
	copy_log_piece(w, t->addr + (uint64_t)r->from + r->lo, r->hi - r->lo, false);
	if (r->hi > r->lo)
		bulk_read(w, g, lane, t->addr + (uint64_t)r->from + r->lo, buf + r->lo,
			  r->hi - r->lo);
	tensor_convert(t, buf + r->lo, r->hi - r->lo);
	tensor_fill(t, buf + r->hi, r->hi, r->bytes - r->hi);
}

static void tensor_load(struct warp *w, const struct uop *u, unsigned lane,
			const struct tensor_box *b)
{
	const struct async_copy *c = copy_of(u);
	struct uop g = tensor_operand(u);
	struct tensor_rows r;
	uint8_t buf[BUFFER];
	uint32_t base;
	tensor_rows_start(&r, b);
	struct cta *owner = shared_find(w, &c->to, lane, lane_addr(w, &c->to, (int)lane),
					(r.n - 1) * r.pitch + r.bytes, 128, &base);
	uint32_t ranks = owner ? targets(w, u, lane, owner) : 0;
	while (owner && !w->stop && tensor_rows_next(&r)) {
		load_row(w, &g, lane, &r, buf);
		for (uint32_t k = 0; k < r.bytes && !w->stop; k += 16)
			put_shared(w, &c->to, lane, ranks,
				   tensor_swizzle(&b->map, base, r.row * r.pitch + k), buf + k,
				   r.bytes - k < 16 ? r.bytes - k : 16, ACC_WRITE);
	}
	if (!owner || w->stop)
		return;
	complete_bytes(w, u, lane, ranks, r.n * r.bytes, base, (r.n - 1) * r.pitch + r.bytes);
}

static void tensor_store(struct warp *w, const struct uop *u, unsigned lane,
			 const struct tensor_box *b)
{
	const struct async_copy *c = copy_of(u);
	struct uop g = tensor_operand(u);
	struct tensor_rows r;
	uint8_t buf[BUFFER];
	uint32_t base;
	unsigned type = b->what == TENSOR_REDUCE ? tensor_reduce_type(&b->map, u->in->vsel[0]) : 0;
	tensor_rows_start(&r, b);
	struct cta *owner = shared_find(w, &c->to, lane, lane_addr(w, &c->to, (int)lane),
					(r.n - 1) * r.pitch + r.bytes, 128, &base);
	if (w->cta->l->observer && owner == w->cta && !w->stop)
		w->cta->l->observer->async_read(w, u, lane, base, (r.n - 1) * r.pitch + r.bytes);
	while (owner && !w->stop && tensor_rows_next(&r)) {
		uint64_t to = b->map.addr + (uint64_t)r.from + r.lo;
		uint32_t n = r.hi - r.lo;
		copy_log_piece(w, to, n, true);
		for (uint32_t k = 0; k < r.bytes && n; k += 16)
			get_shared(w, &c->to, lane, owner,
				   tensor_swizzle(&b->map, base, r.row * r.pitch + k), buf + k,
				   r.bytes - k < 16 ? r.bytes - k : 16);
		if (type && n)
			reduce_global(w, u, &g, type, lane, to, buf + r.lo, n);
		else if (n)
			bulk_write(w, &g, lane, to, buf + r.lo, n);
	}
	if (w->cta->l->check_race && owner == w->cta && !w->stop)
		w->cta->l->observer->bulk_store(w, u, lane, base, (r.n - 1) * r.pitch + r.bytes, 0,
						0);
}

static void cp_tensor_part(struct warp *w, const struct uop *u)
{
	copy_log_begin(w);
	for (uint32_t m = w->mask; m && !w->stop; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		struct tensor_box b;
		if (u->in->mode == TENSOR_STORE && is_repeated(w, u, i, u->in->vec))
			continue;
		if (!read_box(w, u, i, &b))
			break;
		if (b.what == TENSOR_LOAD)
			tensor_load(w, u, i, &b);
		else if (b.what != TENSOR_PREFETCH)
			tensor_store(w, u, i, &b);
	}
	place_fault(w, u);
}

/* ---- st.async, red.async ---- */

static void st_async_part(struct warp *w, const struct uop *u)
{
	const struct async_copy *c = copy_of(u);
	const struct inst *in = u->in;
	unsigned es = type_bytes(in->type), n = in->vec, rows = (es + 3) / 4;
	for (uint32_t m = w->mask; m && !w->stop; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t at, bytes = es * n;
		uint8_t buf[16], old[16];
		struct cta *o =
			shared_find(w, &c->to, i, lane_addr(w, &c->to, (int)i), bytes, bytes, &at);
		for (unsigned k = 0; k < n * rows; k++)
			memcpy(buf + 4 * k,
			       &row_u32(w, source(u, 2 + k / rows))[i + k % rows * LANES], 4);
		if (!o)
			break;
		if (in->op == OP_RED_ASYNC) {
			memcpy(old, o->shared + at, bytes);
			reduce_bytes(u, in->type, old, buf, bytes);
			memcpy(buf, old, bytes);
		}
		put_shared(w, &c->to, i, 1u << o->rank, at, buf, bytes,
			   in->op == OP_RED_ASYNC ? ACC_ATOMIC : ACC_WRITE);
		complete_bytes(w, u, i, 1u << o->rank, bytes, at, bytes);
	}
	place_fault(w, u);
}

/* ---- tensormap.replace, tensormap.cp_fenceproxy ---- */

static void tensormap_part(struct warp *w, const struct uop *u)
{
	const struct async_copy *c = copy_of(u);
	const struct inst *in = u->in;
	for (uint32_t m = w->mask; m && !w->stop; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint8_t map[TENSORMAP_BYTES];
		bool copies = in->mode == TENSORMAP_COPY;
		const struct uop *from = copies ? &c->from : &c->to;
		if (!bulk_read(w, from, i, lane_addr(w, from, (int)i), map, sizeof map))
			break;
		if (!copies) {
			const uint32_t *v = row_u32(w, source(u, 1));
			uint64_t x = in->type == T_B64 ? pair_get(v, (int)i) : v[i];
			tensormap_replace(map, in->mode, (unsigned)in->imm, x);
		}
		bulk_write(w, &c->to, i, lane_addr(w, &c->to, (int)i), map, sizeof map);
	}
	place_fault(w, u);
}

#define FULL(name)                                                                                 \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->mask = ~0u;                                                                     \
		name##_part(w, u);                                                                 \
	}
FULL(cp_bulk)
FULL(cp_tensor)
FULL(st_async)
FULL(tensormap)

bool bind_bulk(const struct inst *in, struct uop *u)
{
	u->flags |= UOP_FAULTS;
	switch (in->op) {
	case OP_CP_BULK: return bind_pair(u, FN(cp_bulk));
	case OP_CP_TENSOR: return bind_pair(u, FN(cp_tensor));
	case OP_ST_ASYNC:
	case OP_RED_ASYNC: return bind_pair(u, FN(st_async));
	case OP_TENSORMAP: return bind_pair(u, FN(tensormap));
	}
	u->flags &= (uint8_t)~UOP_FAULTS;
	return false;
}
