/* --check race,init: pointers to local variables that one thread stores and another loads, and
 * pointers to shared variables that another block loads. A local or shared address refers to the
 * memory of the thread or block that uses it, so such a pointer leads to the other thread's or
 * block's own bytes. The place where a thread stores such a pointer is remembered until it is
 * overwritten: in a table of fixed size, where a newer entry replaces an older one. Pointers that a
 * launch leaves in global memory are remembered for later launches, and reported if they are used
 * as addresses. */
#include <stdio.h>
#include "base/mangled.h"
#include "check/check.h"

enum { ESCAPES = 1024, POINTER = 8 };
struct escape {
	uint64_t addr; /* the pointer as a generic address; 0: none */
	uint64_t value, block;
	uint32_t thread, pc;
	bool shared; /* the pointer is to a shared variable */
	char *by;    /* thread and source line that stored the pointer, if an earlier launch did;
		   * NULL: this launch */
};

static bool mark_register(uint8_t *used, uint32_t reg, enum reg_use use)
{
	if (reg == NO_REG || used[reg] & use)
		return false;
	used[reg] |= (uint8_t)use;
	return true;
}

/* A register that is an address, or from which one is computed by moves, sums and selections. */
static bool mark_address(const struct inst *in, uint8_t *used)
{
	bool more = false, copies = inst_is(in, OF_COPIES | OF_ADDS | OF_SELECTS);
	copies = copies && in->nd == 1 && inst_dst(in, 0)->kind == OPND_REG &&
		 used[inst_dst(in, 0)->reg] & REG_ADDRESS;
	for (unsigned k = 0; k < in->ns; k++) {
		const struct opnd *s = inst_src(in, k);
		if ((s->kind == OPND_MEM && !s->sym) || (copies && s->kind == OPND_REG))
			more |= mark_register(used, s->reg, REG_ADDRESS);
	}
	return more;
}

/* The address is computed from cvta.local or cvta.shared by moves, sums and selections. */
bool escapes_mark(const struct inst *in, uint8_t *used)
{
	bool is = inst_is(in, OF_REBASES) && !(in->mods & M_TO) &&
		  (in->space == SP_LOCAL || in->space == SP_FRAME || in->space == SP_SHARED);
	if (inst_is(in, OF_COPIES | OF_ADDS | OF_SELECTS) && !inst_is(in, OF_REBASES))
		for (unsigned k = 0; k < in->ns; k++)
			is |= inst_src(in, k)->kind == OPND_REG &&
			      used[inst_src(in, k)->reg] & REG_OWN_ADDRESS;
	bool more = mark_address(in, used);
	if (!is || in->nd != 1 || inst_dst(in, 0)->kind != OPND_REG ||
	    used[inst_dst(in, 0)->reg] & REG_OWN_ADDRESS)
		return more;
	used[inst_dst(in, 0)->reg] |= REG_OWN_ADDRESS;
	return true;
}

static const uint8_t *uses_at(const struct image *img, uint32_t pc)
{
	for (uint32_t i = 0; i < img->nfuncs; i++)
		if (pc < img->funcs[i].end)
			return img->funcs[i].used;
	return NULL;
}

/* True if element k of a store is the address of a local variable of the lane, or of a shared
 * variable. */
static bool is_own_address(const struct warp *w, const struct uop *u, const uint8_t *used,
			   unsigned k, unsigned lane, bool *shared)
{
	const struct opnd *s = inst_src(u->in, 1 + k);
	if (!used || s->kind != OPND_REG || !(used[s->reg] & REG_OWN_ADDRESS))
		return false;
	uint64_t p = pair_get(row_u32(w, u->v[1 + k]), (int)lane);
	*shared = p - SHARED_BASE < WINDOW_SPAN;
	return *shared || p - LOCAL_BASE < WINDOW_SPAN;
}

static uint64_t generic_address(const struct warp *w, const struct uop *u, unsigned lane)
{
	return lane_addr(w, u, (int)lane) + ((u->aux & AUX_SPACE) == SP_SHARED ? SHARED_BASE : 0);
}

static struct escape *escape_at(const struct devmem *c, uint64_t addr)
{
	return &c->escapes[addr / POINTER % ESCAPES];
}

static void forget_escape(struct escape *e)
{
	free(e->by);
	*e = (struct escape){0};
}

static bool of_block(const struct escape *e, const struct warp *w)
{
	return e->addr - SHARED_BASE >= WINDOW_SPAN || e->block == w->cta->index;
}

static void free_escapes(struct escape *e)
{
	for (unsigned i = 0; i < ESCAPES; i++)
		free(e[i].by);
	free(e);
}

void escapes_store(struct warp *w, const struct uop *u, uint32_t n)
{
	struct devmem *c = w->cta->l->mem;
	bool pointers = uop_is(u, OF_STORE) && type_bytes(u->in->type) == POINTER;
	const uint8_t *used = pointers ? uses_at(w->cta->l->img, w->pc) : NULL;
	if (!used && !c->escapes)
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t a = generic_address(w, u, lane);
		for (uint32_t at = 0; at < n; at += POINTER) {
			bool shared = false,
			     is = is_own_address(w, u, used, at / POINTER, lane, &shared);
			if (is && !c->escapes) {
				c->escapes = xcalloc(ESCAPES, sizeof *c->escapes);
				c->escapes_free = free_escapes;
			}
			struct escape *e = c->escapes ? escape_at(c, a + at) : NULL;
			if (is) {
				forget_escape(e);
				*e = (struct escape){
					a + at,
					pair_get(row_u32(w, u->v[1 + at / POINTER]), (int)lane),
					w->cta->index,
					check_first(w->cta->l, w->id) + lane,
					w->pc,
					shared,
					NULL};
			} else if (e && e->addr == ((a + at) & ~(uint64_t)(POINTER - 1))) {
				forget_escape(e);
			}
		}
	}
}

/* Reports a pointer that a thread of this launch reads. */
static void report_escape(struct warp *w, const struct uop *u, unsigned lane,
			  const struct escape *e)
{
	const struct image *img = w->cta->l->img;
	char at[PLACE_TEXT], who[100];
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_BOUNDS, e->addr, POINTER, e->pc,
					e->shared ? "shared pointer" : "local pointer");
	if (!r)
		return;
	check_where(img, e->pc, at, sizeof at);
	r->other_block = e->block;
	r->other_thread = e->thread;
	check_who(who, sizeof who, w->cta->l->grid, w->cta->l->block, e->thread, e->block);
	if (e->shared)
		report_text(
			r,
			"the pointer read here is to a shared variable of another block, stored by %s at %s: here it "
			"means this block's own shared memory",
			who, at);
	else
		report_text(
			r,
			"the pointer read here is to a local variable of %s, stored at %s: here it means this "
			"thread's own local memory",
			who, at);
}

/* Reports a pointer that an earlier launch left, if it is still stored there and the register is used as an
 * address. */
static void report_old(struct warp *w, const struct uop *u, unsigned lane, const struct escape *e,
		       unsigned k)
{
	const uint8_t *used = uses_at(w->cta->l->img, w->pc);
	const struct opnd *d = inst_dst(u->in, k);
	const struct alloc *al = devmem_find(w->cta->l->mem, e->addr);
	if (!used || d->kind != OPND_REG || !(used[d->reg] & REG_ADDRESS) || !al || al->freed ||
	    al->size - (e->addr - al->lo) < POINTER ||
	    memcmp(al->host + (e->addr - al->lo), &e->value, POINTER))
		return;
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_BOUNDS, e->addr, POINTER, NO_PC,
					"pointer of a launch");
	if (r)
		report_text(
			r,
			"the pointer read here is to a %s variable of %s, an earlier launch: here it means this %s own "
			"%s memory",
			e->shared ? "shared" : "local", e->by, e->shared ? "block's" : "thread's",
			e->shared ? "shared" : "local");
}

void escapes_load(struct warp *w, const struct uop *u, uint32_t n)
{
	const struct devmem *c = w->cta->l->mem;
	if (!c->escapes || type_bytes(u->in->type) != POINTER)
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m), k = 0;
		for (uint64_t a = generic_address(w, u, lane), end = a + n; a < end;
		     a += POINTER, k++) {
			const struct escape *e = escape_at(c, a);
			uint32_t thread = check_first(w->cta->l, w->id) + lane;
			if (e->addr != a || !of_block(e, w))
				continue;
			if (e->by)
				report_old(w, u, lane, e, k);
			else if (e->block != w->cta->index || (e->thread != thread && !e->shared))
				report_escape(w, u, lane, e);
		}
	}
}

/* Called at the launch's end, when its shared and local memory cease to exist. */
void escapes_end(const struct launch *l)
{
	char at[PLACE_TEXT], who[100];
	for (unsigned i = 0; l->mem->escapes && i < ESCAPES; i++) {
		struct escape *e = &l->mem->escapes[i];
		if (!e->addr || e->by)
			continue;
		if (e->addr < HEAP_BASE) {
			forget_escape(e);
			continue;
		}
		check_where(l->img, e->pc, at, sizeof at);
		check_who(who, sizeof who, l->grid, l->block, e->thread, e->block);
		if (asprintf(&e->by, "%s, stored at %s by %s",
			     plain_name(l->img->kernel->name).text, at, who) < 0)
			*e = (struct escape){0};
	}
}
