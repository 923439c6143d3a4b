/* --check race,init: local memory. For each byte of a warp's local memory there are two lane masks:
 * lanes for which nothing has written the byte since the function was called, and lanes for which
 * it lies between two .local variables. Copying unwritten bytes is not an error: compilers copy
 * structures with their gaps, and empty ones. Only loads whose result is used are checked. alloca
 * reuses memory of frames: kernels with alloca are not checked. */
#include "check/check.h"
#include "base/mangled.h"
#include "exec/memory/locals.h"

void frames_new(struct block_check *c, const struct launch *l)
{
	uint32_t any = 0;
	for (uint32_t i = 0; i < l->img->nfuncs; i++)
		any += l->img->funcs[i].nlocal;
	if (!any || l->img->has_alloca)
		return;
	c->stack_bytes = l->stack_bytes;
	c->unwritten = xcalloc((size_t)l->nwarps * l->stack_bytes, sizeof *c->unwritten);
	c->between = xcalloc((size_t)l->nwarps * l->stack_bytes, sizeof *c->between);
}

void frames_free(struct block_check *c)
{
	free(c->unwritten);
	free(c->between);
}

static const struct image_func *func_of(const struct warp *w)
{
	const struct image *img = w->cta->l->img;
	uint32_t i = 0;
	while (i + 1 < img->nfuncs && w->pc >= img->funcs[i].end)
		i++;
	return &img->funcs[i];
}

static void set_lanes(uint32_t *bytes, uint32_t from, uint32_t to, uint32_t m, bool set)
{
	for (uint32_t i = from; i < to; i++)
		bytes[i] = set ? bytes[i] | m : bytes[i] & ~m;
}

void frames_enter(const struct warp *w, const struct image_func *f, uint32_t lbase, uint32_t m)
{
	const struct block_check *c = w->cta->check;
	if (!c || !c->unwritten)
		return;
	uint32_t *unwritten = c->unwritten + (size_t)w->id * c->stack_bytes + lbase;
	uint32_t *between = c->between + (size_t)w->id * c->stack_bytes + lbase;
	set_lanes(unwritten, 0, f->frame_bytes, m, false);
	set_lanes(between, 0, f->frame_bytes, m, false);
	for (uint32_t i = 0; i < f->nlocal; i++) {
		uint32_t end = f->local[i].at + f->local[i].size;
		set_lanes(unwritten, f->local[i].at, end, m, true);
		set_lanes(between, end, end + VAR_GAP, m, true);
	}
}

/* Ends a frame: its variables must not be used any more. */
void frames_leave(const struct warp *w, uint32_t lbase, uint32_t m)
{
	const struct block_check *c = w->cta->check;
	if (!c || !c->unwritten)
		return;
	const struct image_func *f = func_of(w);
	uint32_t *between = c->between + (size_t)w->id * c->stack_bytes + lbase;
	for (uint32_t i = 0; i < f->nlocal; i++)
		set_lanes(between, f->local[i].at, f->local[i].at + f->local[i].size, m, true);
}

/* A store to global or shared memory makes a value visible to other threads. Other stores may be
 * copies: an argument, a structure, a variable of unoptimised code. A select may discard a value
 * that was loaded ahead of its condition. */
void frames_mark_used(const struct inst *in, uint8_t *used)
{
	bool store = inst_is(in, OF_STORE);
	bool copies = (store && in->space != SP_GLOBAL && in->space != SP_SHARED) ||
		      inst_is(in, OF_SELECTS);
	for (unsigned k = copies ? store : in->ns; k-- > 0;)
		if (inst_src(in, k)->reg != NO_REG &&
		    (inst_src(in, k)->kind == OPND_REG || inst_src(in, k)->kind == OPND_MEM))
			used[inst_src(in, k)->reg] |= REG_USED;
}

static bool is_used(const struct image_func *f, const struct inst *in)
{
	for (unsigned k = 0; k < in->nd; k++)
		if (inst_dst(in, k)->kind == OPND_REG && f->used[inst_dst(in, k)->reg] & REG_USED)
			return true;
	return !inst_is(in, OF_LOAD) && op_info[in->op].kind != OPK_SHUFFLE;
}

bool frames_uses(const struct warp *w, const struct inst *in)
{
	const struct image_func *f = func_of(w);
	return !f || !f->used || is_used(f, in);
}

/* The variable of the running function that contains or precedes an address; none for an address of
 * a caller's frame. */
static const struct local_var *var_before(const struct warp *w, const struct image_func *f,
					  uint32_t off)
{
	const struct local_var *v = NULL;
	for (uint32_t i = 0; i < f->nlocal && off >= w->lbase; i++)
		if (f->local[i].at <= off - w->lbase)
			v = &f->local[i];
	return v && off - w->lbase < v->at + v->size + VAR_GAP ? v : NULL;
}

static void report_between(struct warp *w, const struct uop *u, unsigned lane, uint32_t off,
			   uint32_t n, bool write)
{
	const struct local_var *v = var_before(w, func_of(w), off + n - 1);
	struct report *r =
		check_report(w, u, lane, HEDDLE_FAULT_BOUNDS, off, n, NO_PC, "local variable");
	if (r && v)
		report_text(
			r,
			"%s of %u bytes at local address 0x%x: %u bytes after the start of %s, which has %u bytes",
			write ? "write" : "read", n, off, off - w->lbase - v->at,
			plain_name(v->name).text, v->size);
	else if (r)
		report_text(r, "%s of %u bytes at local address 0x%x, %s", write ? "write" : "read",
			    n, off,
			    off >= w->lbase + func_of(w)->frame_bytes
				    ? "in the frame of a function that has returned"
				    : "past the end of a variable of a caller");
}

static void report_unwritten(struct warp *w, const struct uop *u, unsigned lane, uint32_t off,
			     uint32_t n)
{
	const struct local_var *v = var_before(w, func_of(w), off);
	struct report *r =
		check_report(w, u, lane, HEDDLE_FAULT_UNINIT, off, n, NO_PC, "uninitialised");
	if (r && v)
		report_text(
			r,
			"read of %u bytes at 0x%x in local memory (%s, byte %u of %u) that nothing has written",
			n, off, plain_name(v->name).text, off - w->lbase - v->at, v->size);
	else if (r)
		report_text(r, "read of %u bytes at 0x%x in local memory that nothing has written",
			    n, off);
}

/* Checks an access of lanes m to n bytes of their local memory at one address. */
static void look_at(struct warp *w, const struct uop *u, uint32_t m, uint32_t off, uint32_t n,
		    bool write)
{
	const struct block_check *c = w->cta->check;
	uint32_t *unwritten = c->unwritten + (size_t)w->id * c->stack_bytes + off, none = m,
		 left = 0;
	const uint32_t *between = c->between + (size_t)w->id * c->stack_bytes + off;
	for (uint32_t k = 0; k < n; k++) {
		left |= between[k] & m;
		none &= unwritten[k];
		if (write)
			unwritten[k] &= ~m;
	}
	if (left)
		report_between(w, u, (unsigned)__builtin_ctz(left), off, n, write);
	else if (none && !write && w->cta->l->check_init && is_used(func_of(w), u->in))
		report_unwritten(w, u, (unsigned)__builtin_ctz(none), off, n);
}

uint32_t frames_look(struct warp *w, const struct uop *u, uint32_t n, enum access acc)
{
	const struct block_check *c = w->cta->check;
	unsigned space = u->aux & AUX_SPACE;
	uint64_t base = space == SP_GENERIC ? LOCAL_BASE : 0;
	uint32_t local = 0;
	if (!c || !c->unwritten || (space != SP_LOCAL && space != SP_GENERIC))
		return space == SP_LOCAL ? w->mask : 0;
	for (uint32_t m = w->mask; m; m &= m - 1)
		if (lane_addr(w, u, __builtin_ctz(m)) - base < WINDOW_SPAN)
			local |= m & -m;
	for (uint32_t m = local; m;) {
		uint64_t a = lane_addr(w, u, __builtin_ctz(m)) - base;
		uint32_t same = 0;
		for (uint32_t q = m; q; q &= q - 1)
			if (lane_addr(w, u, __builtin_ctz(q)) - base == a)
				same |= q & -q;
		if (a < c->stack_bytes && c->stack_bytes - a >= n)
			look_at(w, u, same, (uint32_t)a, n, acc != ACC_READ);
		m &= ~same;
	}
	return local;
}

void frames_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t off, uint32_t n,
		   enum access acc)
{
	if (w->cta->check->unwritten)
		look_at(w, u, 1u << lane, (uint32_t)off, n, acc != ACC_READ);
}
