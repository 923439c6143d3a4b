/* --check race: bytes of shared memory that a thread has stored (the generic proxy), and that
 * tensor instructions and bulk copies read (the async proxy). Between the two there must be a
 * fence.proxy.async: without one the reader may find the old bytes, although barriers order the
 * threads.
 *
 *   st.shared            by thread t
 *   fence.proxy.async    by t, or after the barrier by a thread of the group that reads
 *   bar.sync
 *   wgmma, cp.async.bulk from shared memory
 *
 * For each 16 bytes the last store is recorded. Bytes written by an asynchronous copy need no
 * fence. Machine code has FENCE.VIEW.ASYNC in place of fence.proxy.async. */
#include <stdio.h>
#include "check/check.h"

enum { UNIT = 16 };

static uint32_t unit_count(const struct cta *b) { return b->l->shared_bytes / UNIT + 1; }

static void make_units(struct cta *b)
{
	struct block_check *c = b->check;
	if (c->stored)
		return;
	c->stored = xcalloc(unit_count(b), sizeof *c->stored);
	c->fenced = xcalloc(c->nthreads, sizeof *c->fenced);
}

void proxies_clear(struct cta *b)
{
	struct block_check *c = b->check;
	if (!c->stored)
		return;
	memset(c->stored, 0, unit_count(b) * sizeof *c->stored);
	memset(c->fenced, 0, c->nthreads * sizeof *c->fenced);
}

void proxies_free(struct block_check *c)
{
	free(c->stored);
	free(c->fenced);
}

void proxies_store(struct warp *w, unsigned lane, uint32_t at, uint32_t n)
{
	struct block_check *c = w->cta->check;
	make_units(w->cta);
	c->events++;
	for (uint32_t i = at / UNIT; n && i <= (at + n - 1) / UNIT && i < unit_count(w->cta); i++)
		c->stored[i] = (struct generic_store){c->events,
						      check_first(w->cta->l, w->id) + lane, w->pc};
}

void proxies_fence(struct warp *w)
{
	struct block_check *c = w->cta->check;
	make_units(w->cta);
	c->events++;
	for (uint32_t m = w->mask; m; m &= m - 1)
		c->fenced[check_first(w->cta->l, w->id) + (uint32_t)__builtin_ctz(m)] = c->events;
}

void proxies_written(struct cta *b, uint32_t at, uint32_t n)
{
	struct block_check *c = b->check;
	for (uint32_t i = (at + UNIT - 1) / UNIT; c && c->stored && i < (at + n) / UNIT; i++)
		c->stored[i].when = 0;
}

/* Time of the last fence by a thread of the warps [first, first + count). */
static uint32_t last_fence(const struct warp *w, uint32_t first, uint32_t count)
{
	const struct block_check *c = w->cta->check;
	uint32_t from = check_first(w->cta->l, first), to = check_first(w->cta->l, first + count);
	uint32_t last = 0;
	for (uint32_t t = from; t < to && t < c->nthreads; t++)
		last = c->fenced[t] > last ? c->fenced[t] : last;
	return last;
}

static void report_read(struct warp *w, const struct uop *u, unsigned lane, uint32_t at, uint32_t n,
			const struct generic_store *s)
{
	const struct launch *l = w->cta->l;
	char place[PLACE_TEXT], whose[PLACE_TEXT], who[100];
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_RACE, at, n, s->pc, "proxy");
	if (!r)
		return;
	check_where(l->img, s->pc, place, sizeof place);
	r->other_block = w->cta->index;
	r->other_thread = s->thread;
	report_text(r,
		    "shared memory at 0x%x%s: read here by %s, stored at %s by %s without a "
		    "fence.proxy.async in between",
		    at, check_whose(whose, sizeof whose, w, true, at),
		    uop_is(u, OF_PRODUCT) ? "wgmma" : "an asynchronous copy", place,
		    check_who(who, sizeof who, l->grid, l->block, s->thread, w->cta->index));
}

void proxies_read(struct warp *w, const struct uop *u, unsigned lane, uint32_t at, uint32_t n)
{
	struct block_check *c = w->cta->check;
	bool group = uop_is(u, OF_PRODUCT);
	if (!c->stored)
		return;
	for (uint32_t i = at / UNIT; n && i <= (at + n - 1) / UNIT && i < unit_count(w->cta); i++) {
		struct generic_store *s = &c->stored[i];
		if (!s->when || c->fenced[s->thread] > s->when ||
		    last_fence(w, group ? w->id / 4 * 4 : w->id, group ? 4 : 1) > s->when)
			continue;
		report_read(w, u, lane, i * UNIT, UNIT, s);
		s->when = 0;
	}
}
