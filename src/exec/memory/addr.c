/* Address arithmetic between spaces: cvta, isspacep, the address of a local variable, alloca. */
#include "exec/cluster.h"

static uint64_t window_base(unsigned space)
{
	return space == SP_SHARED                       ? SHARED_BASE
	       : space == SP_LOCAL || space == SP_FRAME ? LOCAL_BASE
	       : space == SP_PARAM                      ? PARAM_BASE
				   : 0; /* global and constant addresses are generic */
}

/* d = a + window on registers of 32 or 64 bits: to generic adds the window, from generic subtracts
 * it. */
static void cvta_part(struct warp *w, const struct uop *u)
{
	bool wide = type_rows(u->in->opnd[0].type) == 2, src_wide = u->aux;
	const uint32_t *a = row_u32(w, u->a);
	uint32_t lo[LANES], hi[LANES];
	uint64_t add = u->window;
	if (w->cta->cluster && u->in->space == SP_SHARED)
		add = u->in->mods & M_TO ? -CLUSTER_BASE : CLUSTER_BASE;
	for (int i = 0; i < LANES; i++) {
		uint64_t x = (src_wide ? pair_get(a, i) : a[i]) + add;
		lo[i] = (uint32_t)x;
		hi[i] = (uint32_t)(x >> 32);
	}
	row_blend(row_u32(w, u->d), lo, w->mask);
	if (wide)
		row_blend(row_u32(w, u->d) + LANES, hi, w->mask);
}

/* Global and constant addresses: a move, and frequent: every kernel does it for each pointer. */
static void cvta_copy_full(struct warp *w, const struct uop *u)
{
	memmove(row_u32(w, u->d), row_u32(w, u->a), 2 * ROW);
}
static void cvta_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	cvta_part(w, u);
}

/* `cluster`: .shared::cluster */
static bool in_space(const struct warp *w, unsigned space, bool cluster, uint64_t a)
{
	const struct cta *b = w->cta;
	uint64_t rank = (a - CLUSTER_BASE) / WINDOW_SPAN;
	bool clustered = b->cluster && rank < b->cluster->n;
	switch (space) {
	case SP_SHARED:
		return clustered ? cluster || rank == b->rank : a - SHARED_BASE < WINDOW_SPAN;
	case SP_LOCAL: return a - LOCAL_BASE < WINDOW_SPAN;
	case SP_PARAM: return a - PARAM_BASE < WINDOW_SPAN;
	case SP_CONST: {
		const struct alloc *al = devmem_find(w->cta->l->mem, a);
		return al && al->kind == ALLOC_CONST;
	}
	default: {
		if (a - SHARED_BASE < 3 * WINDOW_SPAN || clustered)
			return false;
		const struct alloc *al = devmem_find(w->cta->l->mem, a);
		return !al || al->kind != ALLOC_CONST;
	}
	}
}

static void isspacep_part(struct warp *w, const struct uop *u)
{
	const uint32_t *a = row_u32(w, u->a);
	uint32_t p = 0;
	for (int i = 0; i < LANES; i++)
		p |= in_space(w, u->in->space, u->in->mods & M_CLUSTER,
			      u->aux ? pair_get(a, i) : a[i])
			     ? 1u << i
			     : 0;
	pred_write(w, u->d, p, w->mask);
}
static void isspacep_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	isspacep_part(w, u);
}

/* mapa: the corresponding address in another block of the cluster; getctarank: the rank of an
 * address's block. A rank that the cluster lacks gives an address that faults when it is used. */
static void mapa_part(struct warp *w, const struct uop *u)
{
	const uint32_t *a = row_u32(w, u->a), *rank = row_u32(w, u->b);
	bool wide = type_rows(u->in->opnd[0].type) == 2;
	uint32_t lo[LANES], hi[LANES], n = w->cta->cluster ? w->cta->cluster->n : 1;
	for (int i = 0; i < LANES; i++) {
		bool there = rank[i] < n;
		uint64_t x = u->aux ? pair_get(a, i) : a[i];
		if (w->cta->cluster)
			x = (x & ~(15ull << RANK_SHIFT)) | (uint64_t)(rank[i] & 15) << RANK_SHIFT;
		lo[i] = there ? (uint32_t)x : ~15u;
		hi[i] = there ? (uint32_t)(x >> 32) : ~0u;
	}
	row_blend(row_u32(w, u->d), lo, w->mask);
	if (wide)
		row_blend(row_u32(w, u->d) + LANES, hi, w->mask);
}
static void mapa_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	mapa_part(w, u);
}
static void getctarank_part(struct warp *w, const struct uop *u)
{
	const uint32_t *a = row_u32(w, u->a);
	uint32_t rank[LANES];
	for (int i = 0; i < LANES; i++)
		rank[i] = w->cta->cluster ? a[i] >> RANK_SHIFT & 15 : 0;
	row_blend(row_u32(w, u->d), rank, w->mask);
}
static void getctarank_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	getctarank_part(w, u);
}

/* The address of a variable in the current local frame. */
static void local_addr_part(struct warp *w, const struct uop *u)
{
	uint32_t x[LANES], zero[LANES] = {0};
	for (int i = 0; i < LANES; i++)
		x[i] = (uint32_t)(w->lbase + u->frame_at);
	row_blend(row_u32(w, u->d), x, w->mask);
	if (type_rows(u->in->opnd[0].type) == 2)
		row_blend(row_u32(w, u->d) + LANES, zero, w->mask);
}
static void local_addr_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	local_addr_part(w, u);
}

/* ---- alloca: a stack of each thread's own, from the top of its local memory down ---- */

static void lane_result(struct warp *w, const struct uop *u, unsigned i, uint32_t x)
{
	uint32_t *d = row_u32(w, u->d);
	d[i] = x;
	if (type_rows(u->in->opnd[0].type) == 2)
		d[i + LANES] = 0;
}

/* target: end of the function's own frame; imm: the alignment. */
static void alloca_part(struct warp *w, const struct uop *u)
{
	uint32_t top = w->cta->l->stack_bytes, floor = w->lbase + u->target;
	const uint32_t *a = row_u32(w, u->a);
	w->local_used = top;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t size = u->aux ? pair_get(a, (int)i) : a[i];
		uint64_t sp = top - w->dyn[i], mask = u->align - 1;
		if (floor > sp || size > sp - floor || ((sp - size) & ~mask) < floor) {
			exec_fault(w, u, i, HEDDLE_FAULT_STACK, size, 0,
				   "stack overflow: alloca of %llu bytes, %llu are left",
				   (unsigned long long)size,
				   (unsigned long long)(floor > sp ? 0 : sp - floor));
			return;
		}
		sp = (sp - size) & ~mask;
		w->dyn[i] = top - (uint32_t)sp;
		lane_result(w, u, i, (uint32_t)sp);
	}
}
static void stacksave_part(struct warp *w, const struct uop *u)
{
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		lane_result(w, u, i, w->cta->l->stack_bytes - w->dyn[i]);
	}
}
static void stackrestore_part(struct warp *w, const struct uop *u)
{
	uint32_t top = w->cta->l->stack_bytes;
	const uint32_t *a = row_u32(w, u->a);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t sp = u->aux ? pair_get(a, (int)i) : a[i];
		if (sp > top || top - sp > w->dyn[i]) {
			exec_fault(w, u, i, HEDDLE_FAULT_STACK, sp, 0,
				   "stackrestore of 0x%llx, which no stacksave gave",
				   (unsigned long long)sp);
			return;
		}
		w->dyn[i] = top - (uint32_t)sp;
	}
}
#define STACK_FULL(name)                                                                           \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->mask = ~0u;                                                                     \
		name##_part(w, u);                                                                 \
	}
STACK_FULL(alloca)
STACK_FULL(stacksave)
STACK_FULL(stackrestore)

static bool bind_stack(const struct inst *in, struct uop *u)
{
	u->flags |= UOP_FAULTS;
	u->aux = type_bytes(in->type) == 8;
	switch (in->op) {
	case OP_ALLOCA:
		u->align = in->align ? in->align : 8;
		return !(u->align & (u->align - 1)) && u->align <= 1 << 16 &&
		       bind_pair(u, FN(alloca));
	case OP_STACKSAVE: return bind_pair(u, FN(stacksave));
	default: return bind_pair(u, FN(stackrestore));
	}
}

/* createpolicy: an opaque value, which caches ignore. */
static void zero_part(struct warp *w, const struct uop *u)
{
	uint32_t zero[LANES] = {0};
	row_blend(row_u32(w, u->d), zero, w->mask);
	row_blend(row_u32(w, u->d) + LANES, zero, w->mask);
}
static void zero_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	zero_part(w, u);
}

bool bind_local_addr(const struct inst *in, struct uop *u)
{
	(void)in;
	return bind_pair(u, FN(local_addr));
}

bool bind_addr(const struct inst *in, struct uop *u)
{
	const struct opnd *s = in->ns ? inst_src(in, 0) : NULL;
	switch (in->op) {
	case OP_CVTA:
		u->aux = s->kind != OPND_REG || type_rows(s->type) == 2;
		u->window = window_base(in->space);
		if (in->mods & M_TO)
			u->window = -u->window;
		bind_pair(u, FN(cvta));
		if (!u->window && u->aux && type_rows(in->opnd[0].type) == 2)
			u->full = cvta_copy_full;
		return true;
	case OP_ISSPACEP:
		u->aux = s->kind != OPND_REG || type_rows(s->type) == 2;
		return bind_pair(u, FN(isspacep));
	case OP_MAPA:
		u->aux = s->kind != OPND_REG || type_rows(s->type) == 2;
		return bind_pair(u, FN(mapa));
	case OP_GETCTARANK: return bind_pair(u, FN(getctarank));
	case OP_ALLOCA:
	case OP_STACKSAVE:
	case OP_STACKRESTORE: return bind_stack(in, u);
	case OP_CREATEPOLICY: return bind_pair(u, FN(zero));
	}
	return false;
}
