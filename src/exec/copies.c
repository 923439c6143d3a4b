/* --check race: copies to shared memory that are under way.
 *
 *   cp.async      |----------------------------|  until its thread waits for its group, or the phase of an
 *   another use        reads or writes: a race    mbarrier ends that it told (cp.async.mbarrier.arrive)
 *
 * The copy counts as its thread's write when it waits or tells: others must be ordered behind that,
 * not behind the instruction. cp.async.bulk ends in an mbarrier and is not kept here. */
#include <stdio.h>
#include "exec/async.h"
#include "exec/check.h"

void copies_new(struct copies *c, uint32_t nthreads) { c->groups = xcalloc(nthreads + 1, sizeof *c->groups); }

void copies_clear(struct copies *c, uint32_t nthreads)
{
	c->v.n = 0;
	memset(c->groups, 0, nthreads * sizeof *c->groups);
}

void copies_free(struct copies *c)
{
	vec_free(&c->v);
	free(c->groups);
}

static void report(struct warp *w, const struct uop *u, unsigned lane, uint32_t at, uint32_t n, bool writes,
                   const struct under_way *o)
{
	const struct image *img = w->cta->l->img;
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_RACE, at, n, o->pc, "copy under way");
	char place[300];
	if (!r)
		return;
	if (!check_place(img, o->pc, place, sizeof place))
		snprintf(place, sizeof place, "line %u", img->code[o->pc].in->line);
	r->other_block = w->cta->index;
	r->other_thread = o->thread;
	report_text(r,
	            "data race in shared memory at 0x%x: %s here, copied to at %s by thread %u of block %llu, "
	            "which has not waited for its asynchronous copy",
	            at, writes ? "written" : "read", place, o->thread, (unsigned long long)w->cta->index);
}

/* Where in shared memory a lane's address is; false: elsewhere. */
static bool shared_offset(const struct warp *w, const struct uop *u, uint64_t a, uint32_t n, uint32_t *at)
{
	unsigned space = u->aux & AUX_SPACE;
	const struct window *win = space == SP_SHARED ? &w->cta->shared_win : &w->cta->shared_gen;
	if ((space != SP_SHARED && space != SP_GENERIC) || !window_has(win, a, n))
		return false;
	*at = (uint32_t)(a - win->lo);
	return true;
}

void copies_at(struct warp *w, const struct uop *u, unsigned lane, uint32_t at, uint32_t n, bool writes)
{
	const struct copies *c = &w->cta->check->copies;
	for (size_t k = 0; k < c->v.n; k++)
		if (at < c->v.v[k].at + c->v.v[k].n && c->v.v[k].at < at + n) {
			report(w, u, lane, at, n, writes, &c->v.v[k]);
			return;
		}
}

void copies_look(struct warp *w, const struct uop *u, uint32_t n, bool writes)
{
	uint32_t at;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (shared_offset(w, u, lane_addr(w, u, (int)i), n, &at))
			copies_at(w, u, i, at, n, writes);
	}
}

void copies_begin(struct warp *w, const struct uop *u)
{
	const struct async_copy *a = (const struct async_copy *)(uintptr_t)u->imm;
	struct copies *c = &w->cta->check->copies;
	uint32_t n = (uint32_t)u->in->imm, first = check_first(w->cta->l, w->id), at;
	if (c->v.n)
		copies_look(w, &a->to, n, true);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (shared_offset(w, &a->to, lane_addr(w, &a->to, (int)i), n, &at))
			vec_push(&c->v, (struct under_way){first + i, at, n, w->pc, c->groups[first + i], NO_MBARRIER});
	}
}

static void counts_as_write(struct warp *w, const struct uop *u, unsigned lane, const struct under_way *o)
{
	uint32_t pc = w->pc;
	w->pc = o->pc;
	shadow_access(w, u, lane, o->at, o->n, ACC_WRITE, SP_SHARED, NULL);
	w->pc = pc;
}

void copies_tell(struct warp *w, const struct uop *u, unsigned lane, uint32_t mbarrier)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t thread = check_first(w->cta->l, w->id) + lane;
	for (size_t k = 0; k < c->v.n; k++)
		if (c->v.v[k].thread == thread && c->v.v[k].mbarrier == NO_MBARRIER) {
			counts_as_write(w, u, lane, &c->v.v[k]);
			c->v.v[k].mbarrier = mbarrier;
		}
}

void copies_phase(struct warp *w, uint32_t mbarrier)
{
	struct copies *c = &w->cta->check->copies;
	size_t kept = 0;
	for (size_t k = 0; k < c->v.n; k++)
		if (c->v.v[k].mbarrier != mbarrier)
			c->v.v[kept++] = c->v.v[k];
	c->v.n = kept;
}

void copies_end(struct warp *w, const struct uop *u, unsigned lane, uint32_t left)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t thread = check_first(w->cta->l, w->id) + lane;
	size_t kept = 0;
	for (size_t k = 0; k < c->v.n; k++) {
		struct under_way o = c->v.v[k];
		if (o.thread != thread || (left != COPIES_NONE_LEFT && o.group + left >= c->groups[thread])) {
			c->v.v[kept++] = o;
			continue;
		}
		if (o.mbarrier == NO_MBARRIER)
			counts_as_write(w, u, lane, &o);
	}
	c->v.n = kept;
}

void copies_wait(struct warp *w, const struct uop *u)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t first = check_first(w->cta->l, w->id);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		switch (u->in->mode) {
		case CPW_COMMIT: c->groups[first + i]++; break;
		case CPW_GROUP: copies_end(w, u, i, (uint32_t)u->in->imm); break;
		default: copies_end(w, u, i, COPIES_NONE_LEFT); break;
		}
	}
}
