/* cp.async copies when it is issued: programs must not read the data before they wait. Operations
 * that only order or hint do nothing. mbarriers and bulk copies are in tma/. */
#include "exec/memory/access.h"
#include "exec/async/async.h"
#include "exec/observer.h"

uint32_t cp_async_reads(const struct warp *w, const struct uop *u, unsigned lane)
{
	const struct inst *in = u->in;
	uint32_t n = (uint32_t)in->copy_bytes;
	if (in->ns <= 2)
		return n;
	const struct opnd *o = inst_src(in, 2); /* bytes to read, or a predicate: true reads
	                                         * nothing */
	int32_t v = u->v[in->nd + 2];
	if (o->kind == OPND_PRED)
		return (w->pred[v] >> lane & 1) ^ !!(o->mod & OPND_NOT) ? 0 : n;
	return row_u32(w, v)[lane] < n ? row_u32(w, v)[lane] : n;
}

static void cp_async_part(struct warp *w, const struct uop *u)
{
	const struct async_copy *c = u->copy;
	uint32_t n = (uint32_t)u->in->copy_bytes;
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
	if (w->stop) /* the copy's parts are not in the code, so the fault gets the copy's pc */
		w->cta->x->fault.pc = (uint32_t)(u - w->cta->l->img->code);
}

static void nothing(struct warp *w, const struct uop *u)
{
	(void)w;
	(void)u;
}

#define FULL(name)                                                                                 \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->mask = ~0u;                                                                     \
		name##_part(w, u);                                                                 \
	}
FULL(cp_async)

bool bind_async(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_CP_ASYNC: u->flags |= UOP_FAULTS; return bind_pair(u, FN(cp_async));
	case OP_CP_ASYNC_WAIT: /* nothing to wait for: copies are complete when issued */
	case OP_PREFETCH:
	case OP_DISCARD:
	case OP_APPLYPRIO: /* hints */
	case OP_MEMBAR:
	case OP_NANOSLEEP:
	case OP_PMEVENT:
	case OP_WGMMA_GROUP:
	case OP_NOP: u->full = u->part = nothing; return true;
	case OP_BAR_WARP:
		u->flags |= UOP_CROSS; /* .sync: waits for the lanes of its mask */
		u->full = u->part = nothing;
		return true;
	}
	return false;
}
