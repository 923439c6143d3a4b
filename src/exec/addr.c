/* Address arithmetic between spaces: cvta, isspacep, the address of a local variable, alloca. */
#include "exec/access.h"

static uint64_t window_base(unsigned space)
{
	return space == SP_SHARED ? SHARED_BASE : space == SP_LOCAL || space == SP_FRAME ? LOCAL_BASE :
	       space == SP_PARAM ? PARAM_BASE : 0; /* global and constant addresses are generic */
}

/* d = a + imm on registers of 32 or 64 bits: to generic adds the window, from generic subtracts it. */
static void cvta_part(struct warp *w, const struct uop *u)
{
	bool wide = type_rows(u->in->opnd[0].type) == 2, src_wide = u->aux;
	const uint32_t *a = row_u32(w, u->a);
	uint32_t lo[LANES], hi[LANES];
	for (int i = 0; i < LANES; i++) {
		uint64_t x = (src_wide ? pair_get(a, i) : a[i]) + u->imm;
		lo[i] = (uint32_t)x;
		hi[i] = (uint32_t)(x >> 32);
	}
	row_blend(row_u32(w, u->d), lo, w->mask);
	if (wide)
		row_blend(row_u32(w, u->d) + LANES, hi, w->mask);
}

/* Global and constant: a move, and hot: every kernel does it for each pointer. */
static void cvta_copy_full(struct warp *w, const struct uop *u) { memmove(row_u32(w, u->d), row_u32(w, u->a), 2 * ROW); }
static void cvta_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	cvta_part(w, u);
}

static bool in_space(const struct warp *w, unsigned space, uint64_t a)
{
	(void)w;
	switch (space) {
	case SP_SHARED: return a - SHARED_BASE < WINDOW_SPAN;
	case SP_LOCAL: return a - LOCAL_BASE < WINDOW_SPAN;
	case SP_PARAM: return a - PARAM_BASE < WINDOW_SPAN;
	case SP_CONST: {
		const struct alloc *al = devmem_find(w->cta->l->mem, a);
		return al && al->kind == ALLOC_CONST;
	}
	default: {
		if (a - SHARED_BASE < 3 * WINDOW_SPAN)
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
		p |= in_space(w, u->in->space, u->aux ? pair_get(a, i) : a[i]) ? 1u << i : 0;
	pred_write(w, u->d, p, w->mask);
}
static void isspacep_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	isspacep_part(w, u);
}

/* The address of a variable in the current local frame. */
static void local_addr_part(struct warp *w, const struct uop *u)
{
	uint32_t x[LANES], zero[LANES] = {0};
	for (int i = 0; i < LANES; i++)
		x[i] = (uint32_t)(w->lbase + u->imm);
	row_blend(row_u32(w, u->d), x, w->mask);
	if (type_rows(u->in->opnd[0].type) == 2)
		row_blend(row_u32(w, u->d) + LANES, zero, w->mask);
}
static void local_addr_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	local_addr_part(w, u);
}

/* createpolicy: an opaque value; caches do not look at it. */
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
		u->imm = window_base(in->space);
		if (in->mods & M_TO)
			u->imm = -u->imm;
		bind_pair(u, FN(cvta));
		if (!u->imm && u->aux && type_rows(in->opnd[0].type) == 2)
			u->full = cvta_copy_full;
		return true;
	case OP_ISSPACEP:
		u->aux = s->kind != OPND_REG || type_rows(s->type) == 2;
		return bind_pair(u, FN(isspacep));
	case OP_CREATEPOLICY: return bind_pair(u, FN(zero));
	}
	return false;
}
