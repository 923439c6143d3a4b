/* --check race: copies to shared memory that are under way.
 *
 *   cp.async      |----------------------------|  until its thread waits for its group, or the phase of an
 *   another use        reads or writes: a race    mbarrier ends that tracks it (cp.async.mbarrier.arrive)
 *
 * The copy counts as its thread's write, and its source as its thread's read, when the thread waits
 * or hands the copy to an mbarrier: other threads must be ordered after that moment, not after the
 * cp.async. The end of a phase alone orders nothing: a thread, even the one that copied, may use
 * the bytes only if it found the end by a wait or is ordered after a thread that did. So a copy
 * stays in this list until every thread has found the end, or another copy overwrites its bytes.
 * cp.async.bulk is a copy that an mbarrier tracks from its beginning, and counts as a write at
 * once.
 *
 * A bulk copy to global memory (PTX only) stays in the list until its thread waits for its bulk group:
 * its source until any wait, its destination until a wait without .read. */
#include <stdio.h>
#include "exec/async/async.h"
#include "exec/cluster.h"
#include "exec/dispatch.h"
#include "exec/tma/copy.h"
#include "check/check.h"

void copies_new(struct copies *c, uint32_t nthreads)
{
	c->groups = xcalloc(nthreads + 1, sizeof *c->groups);
	c->stores = xcalloc(nthreads + 1, sizeof *c->stores);
}

static void forget_all(struct copies *c)
{
	c->v.n = 0;
	for (size_t k = 0; k < c->ended.n; k++)
		free(c->ended.v[k].found);
	c->ended.n = 0;
}

void copies_clear(struct copies *c, uint32_t nthreads)
{
	forget_all(c);
	memset(c->groups, 0, nthreads * sizeof *c->groups);
	memset(c->stores, 0, nthreads * sizeof *c->stores);
}

void copies_free(struct copies *c)
{
	forget_all(c);
	vec_free(&c->v);
	vec_free(&c->ended);
	free(c->groups);
	free(c->stores);
}

/* owner: the block in whose shared memory the bytes are; NULL: global memory. */
static const char *missing_wait(const struct under_way *o, bool shared)
{
	if (o->stores)
		return shared ? "which has not waited for it by cp.async.bulk.wait_group.read"
			      : "which has not waited for it by cp.async.bulk.wait_group";
	return o->group == IN_NO_GROUP ? "without a wait for the copy's mbarrier in between"
				       : "which has not waited for its asynchronous copy";
}

static void report_use(struct warp *w, const struct uop *u, unsigned lane, const struct cta *owner,
		       uint64_t at, uint32_t n, bool writes, const struct under_way *o)
{
	bool shared = owner;
	const struct launch *l = w->cta->l;
	const struct image *img = w->cta->l->img;
	struct report *r =
		check_report(w, u, lane, HEDDLE_FAULT_RACE, at, n, o->pc, "copy under way");
	char place[PLACE_TEXT], whose[PLACE_TEXT], who[100], of[100];
	if (!r)
		return;
	check_where(img, o->pc, place, sizeof place);
	r->other_block = o->block;
	r->other_thread = o->thread;
	report_text(r, "data race in %s memory%s at 0x%llx%s: %s here, copied %s at %s by %s, %s",
		    shared ? "shared" : "global", check_block(of, sizeof of, w, owner),
		    (unsigned long long)at, check_whose(whose, sizeof whose, w, shared, at),
		    writes ? "written" : "read", shared != o->stores ? "to" : "from", place,
		    check_who(who, sizeof who, l->grid, l->block, o->thread, o->block),
		    missing_wait(o, shared));
}

bool shared_offset(const struct warp *w, const struct uop *u, uint64_t a, uint32_t n, uint32_t *at)
{
	unsigned space = u->aux & AUX_SPACE;
	const struct window *win = space == SP_SHARED ? &w->cta->shared_win : &w->cta->shared_gen;
	if (space != SP_SHARED && space != SP_GENERIC)
		return false;
	if (w->cta->cluster)
		return shared_owner(w->cta, u, a, at) == w->cta &&
		       (uint64_t)*at + n <= w->cta->l->shared_bytes;
	if (!window_has(win, a, n))
		return false;
	*at = (uint32_t)(a - win->lo);
	return true;
}

/* ---- phases that have ended ---- */

static struct ended_phase *phase_of(const struct copies *c, const struct under_way *o)
{
	for (size_t k = 0; k < c->ended.n; k++)
		if (c->ended.v[k].number == o->ended)
			return &c->ended.v[k];
	return NULL;
}

/* True if the lane knows that a copy to the shared memory of `owner` has completed. */
static bool is_known(const struct warp *w, unsigned lane, const struct cta *owner,
		     const struct under_way *o)
{
	const struct block_check *c = owner->check;
	const struct ended_phase *p = phase_of(&c->copies, o);
	bool own = owner == w->cta;
	if (!p)
		return false;
	if (own && p->found[check_first(w->cta->l, w->id) + lane])
		return true;
	const struct know *k = check_know(w->cta->check, w->cta->l, w->id, lane);
	const struct seen *s =
		own ? know_own(k) : others_get(know_others(k), (uint32_t)owner->index);
	for (uint32_t i = 0; i < c->nthreads; i++)
		if (p->found[i] && seen_knows(s, i, p->found[i]))
			return true;
	return false;
}

/* Removes a copy that need not be kept. */
static void forget_copy(struct copies *c, const struct under_way *o)
{
	struct ended_phase *p = phase_of(c, o);
	if (p && !--p->copies) {
		free(p->found);
		*p = c->ended.v[--c->ended.n];
	}
}

/* Removes the copies of a phase whose end every thread has found. */
static void forget_phase(struct copies *c, uint32_t number)
{
	size_t kept = 0;
	for (size_t k = 0; k < c->v.n; k++)
		if (c->v.v[k].ended == number)
			forget_copy(c, &c->v.v[k]);
		else
			c->v.v[kept++] = c->v.v[k];
	c->v.n = kept;
}

void copies_found(struct warp *w, unsigned lane, uint32_t mbarrier)
{
	struct block_check *c = w->cta->check;
	uint32_t thread = check_first(w->cta->l, w->id) + lane, threads = 0;
	for (uint32_t i = 0; i < c->nwarps && c->copies.ended.n; i++)
		threads += (uint32_t)__builtin_popcount(c->warp[i]->init);
	for (size_t k = c->copies.ended.n; k-- > 0;) {
		struct ended_phase *p = &c->copies.ended.v[k];
		if (p->mbarrier != mbarrier || p->found[thread])
			continue;
		p->found[thread] = w->cta->l->checks->now;
		if (++p->finders == threads)
			forget_phase(&c->copies, p->number);
	}
}

/* ---- uses ---- */

static bool overlaps(const struct under_way *o, uint32_t at, uint32_t n)
{
	return o->n && at < o->at + o->n && o->at < at + n;
}

void copies_at(struct warp *w, const struct uop *u, unsigned lane, const struct cta *owner,
	       uint32_t at, uint32_t n, enum access acc)
{
	const struct copies *c = &owner->check->copies;
	for (size_t k = 0; k < c->v.n; k++) {
		const struct under_way *o = &c->v.v[k];
		bool apart = o->stores ? acc == ACC_READ : o->reduces && acc == ACC_ATOMIC;
		if (overlaps(o, at, n) && !apart && !is_known(w, lane, owner, o)) {
			report_use(w, u, lane, owner, at, n, acc != ACC_READ, o);
			return;
		}
	}
}

/* Checks a lane's access to global memory against copies of the block that may still read or write
 * the bytes. */
static void look_at_global(struct warp *w, const struct uop *u, unsigned lane, uint64_t a,
			   uint32_t n, enum access acc)
{
	const struct copies *c = &w->cta->check->copies;
	for (size_t k = 0; k < c->v.n; k++) {
		const struct under_way *o = &c->v.v[k];
		bool apart = o->stores ? o->reduces && acc == ACC_ATOMIC : acc == ACC_READ;
		if (a < o->from + o->reads && o->from < a + n && !apart &&
		    !is_known(w, lane, w->cta, o)) {
			report_use(w, u, lane, NULL, a, n, acc != ACC_READ, o);
			return;
		}
	}
}

void copies_look(struct warp *w, const struct uop *u, uint32_t n, enum access acc)
{
	uint32_t at;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t a = lane_addr(w, u, (int)i);
		if (shared_offset(w, u, a, n, &at))
			copies_at(w, u, i, w->cta, at, n, acc);
		else if ((u->aux & AUX_SPACE) != SP_LOCAL && (u->aux & AUX_SPACE) != SP_SHARED)
			look_at_global(w, u, i, a, n, acc);
	}
}

/* True if whoever knows that copy o is complete knows it of the ended copy `old`, too. A reduction does not
 * replace earlier reductions: they are known only if one mbarrier tracks both. */
static bool covers(const struct under_way *o, const struct under_way *old)
{
	return old->ended && old->at >= o->at && old->at + old->n <= o->at + o->n &&
	       (!o->reduces || old->mbarrier == o->mbarrier);
}

/* Begins a copy and removes the copies that it covers. */
static void begin_copy(struct copies *c, struct under_way o)
{
	size_t kept = 0;
	for (size_t k = 0; k < c->v.n; k++)
		if (covers(&o, &c->v.v[k]))
			forget_copy(c, &c->v.v[k]);
		else
			c->v.v[kept++] = c->v.v[k];
	c->v.n = kept;
	vec_push(&c->v, o);
}

void copies_begin(struct warp *w, const struct uop *u)
{
	const struct async_copy *a = u->copy;
	struct copies *c = &w->cta->check->copies;
	uint32_t n = (uint32_t)u->in->copy_bytes, first = check_first(w->cta->l, w->id), at;
	if (c->v.n)
		copies_look(w, &a->to, n, ACC_WRITE);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (shared_offset(w, &a->to, lane_addr(w, &a->to, (int)i), n, &at))
			begin_copy(c,
				   (struct under_way){.thread = first + i,
						      .block = w->cta->index,
						      .at = at,
						      .n = n,
						      .pc = w->pc,
						      .from = lane_addr(w, &a->from, (int)i),
						      .reads = exec_ops()->cp_async_reads(w, u, i),
						      .group = c->groups[first + i],
						      .mbarrier = NO_MBARRIER});
	}
}

/* True for cp.reduce.async.bulk, its tensor form and red.async, which reads what it posts to. */
static bool is_reduction(const struct inst *in)
{
	if (inst_is(in, OF_BULK))
		return in->mode == CPB_REDUCE;
	if (inst_is(in, OF_TENSOR))
		return in->mode == TENSOR_REDUCE;
	return inst_is(in, OF_POSTED) && inst_is(in, OF_READS);
}

void copies_bulk(struct warp *w, const struct async_copy *a, unsigned lane, struct cta *owner,
		 uint32_t at, uint32_t n, uint32_t mbarrier)
{
	/* `from` of a tensor copy is its map */
	bool reads = owner == w->cta && a->from.in && !inst_is(a->to.in, OF_TENSOR) &&
		     (a->from.aux & AUX_SPACE) != SP_SHARED;
	if (n)
		begin_copy(&owner->check->copies,
			   (struct under_way){.thread = check_first(w->cta->l, w->id) + lane,
					      .block = w->cta->index,
					      .at = at,
					      .n = n,
					      .pc = w->pc,
					      .from = reads ? lane_addr(w, &a->from, (int)lane) : 0,
					      .reads = reads ? n : 0,
					      .reduces = is_reduction(a->to.in),
					      .group = IN_NO_GROUP,
					      .mbarrier = mbarrier});
}

static void counts_as_done(struct warp *w, const struct uop *u, unsigned lane,
			   const struct under_way *o)
{
	uint32_t pc = w->pc;
	w->pc = o->pc;
	shadow_access(w, u, lane, o->at, o->n, ACC_WRITE, SP_SHARED, NULL);
	if (o->reads)
		shadow_access(w, u, lane, o->from, o->reads, ACC_READ, SP_GLOBAL,
			      devmem_find(w->cta->l->mem, o->from));
	w->pc = pc;
}

void copies_tell(struct warp *w, const struct uop *u, unsigned lane, uint32_t mbarrier)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t thread = check_first(w->cta->l, w->id) + lane;
	for (size_t k = 0; k < c->v.n; k++)
		if (c->v.v[k].thread == thread && c->v.v[k].mbarrier == NO_MBARRIER &&
		    !c->v.v[k].stores) {
			counts_as_done(w, u, lane, &c->v.v[k]);
			c->v.v[k].mbarrier = mbarrier;
		}
}

void copies_phase(struct cta *b, uint32_t mbarrier)
{
	struct copies *c = &b->check->copies;
	struct ended_phase p = {.number = c->phases + 1, .mbarrier = mbarrier};
	for (size_t k = 0; k < c->v.n; k++)
		if (c->v.v[k].mbarrier == mbarrier && !c->v.v[k].ended) {
			c->v.v[k].ended = p.number;
			p.copies++;
		}
	if (!p.copies)
		return;
	p.found = xcalloc(b->check->nthreads, sizeof *p.found);
	c->phases++;
	vec_push(&c->ended, p);
}

void copies_end(struct warp *w, const struct uop *u, unsigned lane, uint32_t left)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t thread = check_first(w->cta->l, w->id) + lane;
	size_t kept = 0;
	for (size_t k = 0; k < c->v.n; k++) {
		struct under_way o = c->v.v[k];
		if (o.thread != thread || o.group == IN_NO_GROUP || o.stores ||
		    (left != COPIES_NONE_LEFT && o.group + left >= c->groups[thread])) {
			c->v.v[kept++] = o;
			continue;
		}
		if (o.mbarrier == NO_MBARRIER)
			counts_as_done(w, u, lane, &o);
		forget_copy(c, &o);
	}
	c->v.n = kept;
}

void copies_wait(struct warp *w, const struct uop *u)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t first = check_first(w->cta->l, w->id);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		switch (u->in->copy_wait) {
		case CPW_COMMIT: c->groups[first + i]++; break;
		case CPW_GROUP: copies_end(w, u, i, (uint32_t)u->in->groups_left); break;
		default: copies_end(w, u, i, COPIES_NONE_LEFT); break;
		}
	}
}

void copies_store(struct warp *w, const struct uop *u, unsigned lane, uint32_t at, uint32_t n,
		  uint64_t to, uint32_t bytes)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t thread = check_first(w->cta->l, w->id) + lane;
	if (!w->cta->l->img->kernel->native) /* machine code's waits for copies cannot be
					      * distinguished from other waits */
		begin_copy(c, (struct under_way){.thread = thread,
						 .block = w->cta->index,
						 .at = at,
						 .n = n,
						 .pc = w->pc,
						 .from = to,
						 .reads = bytes,
						 .stores = true,
						 .reduces = is_reduction(u->in),
						 .group = c->stores[thread],
						 .mbarrier = NO_MBARRIER});
}

/* A lane's copies to global memory, except those of its last `left` groups, have read their
 * sources, or (all) are complete. The copies' accesses count as accesses of the lane at this
 * point. */
static void end_stores(struct warp *w, const struct uop *u, unsigned lane, uint32_t left, bool all)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t thread = check_first(w->cta->l, w->id) + lane, pc = w->pc;
	size_t kept = 0;
	for (size_t k = 0; k < c->v.n; k++) {
		struct under_way o = c->v.v[k];
		if (o.stores && o.thread == thread && o.group + left < c->stores[thread]) {
			w->pc = o.pc;
			if (o.n)
				shadow_shared(w, u, lane, w->cta, o.at, o.n, ACC_READ);
			if (all && o.reads)
				shadow_access(w, u, lane, o.from, o.reads,
					      o.reduces ? ACC_ATOMIC : ACC_WRITE, SP_GLOBAL,
					      devmem_find(w->cta->l->mem, o.from));
			o.n = 0;
			if (all || !o.reads)
				continue;
		}
		c->v.v[kept++] = o;
	}
	w->pc = pc;
	c->v.n = kept;
}

void copies_stores_wait(struct warp *w, const struct uop *u)
{
	struct copies *c = &w->cta->check->copies;
	uint32_t first = check_first(w->cta->l, w->id);
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (u->in->copy_wait == CPW_COMMIT)
			c->stores[first + i]++;
		else
			end_stores(w, u, i,
				   u->in->copy_wait == CPW_GROUP ? (uint32_t)u->in->groups_left : 0,
				   !strstr(u->in->text, ".read"));
	}
}

void copies_left(struct warp *w)
{
	const struct copies *c = &w->cta->check->copies;
	uint32_t pc = w->pc;
	for (size_t k = 0; k < c->v.n; k++) {
		const struct under_way *o = &c->v.v[k];
		const struct ended_phase *p = phase_of(c, o);
		char whose[PLACE_TEXT], who[100];
		if (o->mbarrier == NO_MBARRIER || o->group != IN_NO_GROUP || (p && p->finders))
			continue;
		w->pc = o->pc;
		struct report *r = check_report(w, NULL, o->thread % LANES, HEDDLE_FAULT_RACE,
						o->at, o->n, NO_PC, "left");
		if (!r)
			continue;
		report_text(r,
			    "the block ends while a copy to shared memory at 0x%x%s is under way: "
			    "%s began it here, and no thread has waited for the mbarrier at 0x%x",
			    o->at, check_whose(whose, sizeof whose, w, true, o->at),
			    check_who(who, sizeof who, w->cta->l->grid, w->cta->l->block, o->thread,
				      o->block),
			    o->mbarrier);
	}
	w->pc = pc;
}
