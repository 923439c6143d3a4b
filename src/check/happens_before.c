/* --check race: the happens-before relation. Fences, atomics and strong accesses by scope and
 * semantics, barriers with the threads that took part, operations of a warp with their lanes
 * (check/know.h has the clocks). A store or atomic publishes at its address what its thread knew at
 * its last fence (or knows now, if it releases); a thread that reads it strongly knows that after
 * its next fence (or at once, if it acquires). A fence or access of block scope (.cta) reaches
 * threads of its own block. An atomic adds to what an address has published; a store replaces
 * it. */
#include "devmem/shadow.h"
#include "check/check.h"

/* ---- addresses that publish ---- */

static uint32_t slot_of(const struct published_map *m, uint64_t addr)
{
	uint32_t i = (uint32_t)((addr >> 2) * 0x9e3779b97f4a7c15u >> 32) & (m->cap - 1);
	while (m->v[i].used && m->v[i].addr != addr)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static struct published *find_published(const struct published_map *m, uint64_t addr)
{
	if (!m->n)
		return NULL;
	uint32_t i = slot_of(m, addr);
	return m->v[i].used ? &m->v[i] : NULL;
}

static struct published *find_or_add(struct published_map *m, uint64_t addr)
{
	if (m->n * 2 >= m->cap) {
		struct published_map old = *m;
		m->cap = old.cap ? old.cap * 2 : 64;
		m->v = xcalloc(m->cap, sizeof *m->v);
		for (uint32_t i = 0; i < old.cap; i++)
			if (old.v[i].used)
				m->v[slot_of(m, old.v[i].addr)] = old.v[i];
		free(old.v);
	}
	uint32_t i = slot_of(m, addr);
	m->n += !m->v[i].used;
	m->v[i].used = true;
	m->v[i].addr = addr;
	return &m->v[i];
}

static void map_clear(struct published_map *m)
{
	for (uint32_t i = 0; i < m->cap; i++) {
		others_drop(m->v[i].gpu);
		others_drop(m->v[i].cta);
		others_drop(m->v[i].done);
	}
	free(m->v);
	*m = (struct published_map){0};
}

/* ---- life ---- */

void launch_check_free(struct launch_check *c)
{
	if (!c)
		return;
	map_clear(&c->global);
	vec_free(&c->reports);
	free(c);
}

struct block_check *block_check_new(const struct launch *l)
{
	struct block_check *c = xcalloc(1, sizeof *c);
	c->nthreads = l->nwarps * LANES;
	c->nwarps = l->nwarps;
	c->t = xcalloc(c->nthreads, sizeof *c->t);
	c->w = xcalloc(c->nwarps, sizeof *c->w);
	c->warp = xcalloc(c->nwarps, sizeof *c->warp);
	copies_new(&c->copies, c->nthreads);
	frames_new(c, l);
	for (unsigned i = 0; i < NBARRIERS; i++) {
		c->bar[i].in = xcalloc(l->nwarps, sizeof(uint32_t));
		c->bar[i].waits = xcalloc(l->nwarps, sizeof(uint32_t));
		c->bar[i].relaxed = xcalloc(l->nwarps, sizeof(uint32_t));
		c->bar[i].pc = xcalloc(l->nwarps, sizeof(uint32_t));
	}
	return c;
}

static void clear_thread(struct thread_check *t)
{
	know_drop(t->k);
	know_drop(t->rel);
	know_drop(t->rel_cta);
	others_drop(t->acq);
	others_drop(t->acq_cta);
	*t = (struct thread_check){0};
}

static void clear_bar(struct bar_check *bar, uint32_t nwarps)
{
	if (!bar->used)
		return;
	know_drop(bar->sum);
	others_drop(bar->rel);
	others_drop(bar->acq);
	memset(bar->in, 0, nwarps * sizeof *bar->in);
	memset(bar->waits, 0, nwarps * sizeof *bar->waits);
	memset(bar->relaxed, 0, nwarps * sizeof *bar->relaxed);
	memset(bar->pc, 0, nwarps * sizeof *bar->pc);
	*bar = (struct bar_check){
		.in = bar->in, .waits = bar->waits, .relaxed = bar->relaxed, .pc = bar->pc};
}

static void clear_block(struct block_check *c)
{
	bool any = false;
	for (uint32_t i = 0; i < c->nwarps; i++)
		any |= c->w[i].differ || c->w[i].fenced;
	for (uint32_t i = 0; i < c->nthreads && any; i++)
		clear_thread(&c->t[i]);
	for (uint32_t i = 0; i < c->nwarps; i++) {
		know_drop(c->w[i].k);
		vec_free(&c->w[i].products);
		c->w[i] = (struct warp_check){0};
	}
	for (unsigned i = 0; i < NBARRIERS; i++)
		clear_bar(&c->bar[i], c->nwarps);
	map_clear(&c->shared);
	c->mbarriers.n = 0;
	copies_clear(&c->copies, c->nthreads);
}

void block_check_start(struct cta *b)
{
	clear_block(b->check);
	proxies_clear(b);
	products_clear(b);
	for (uint32_t i = 0; i < b->check->nwarps; i++)
		frames_enter(b->check->warp[i], &b->l->img->funcs[0], 0, ~0u);
	b->check->ended_at = NO_PC;
}

void block_check_join(struct cta *b)
{
	if (b->shadow->marks)
		b->shadow->marks_ops->forget_all(b->shadow->marks);
}

void block_check_free(struct block_check *c)
{
	if (!c)
		return;
	clear_block(c);
	proxies_free(c);
	products_free(c);
	for (unsigned i = 0; i < NBARRIERS; i++) {
		free(c->bar[i].in);
		free(c->bar[i].waits);
		free(c->bar[i].relaxed);
		free(c->bar[i].pc);
	}
	copies_free(&c->copies);
	vec_free(&c->mbarriers);
	frames_free(c);
	free(c->t);
	free(c->w);
	free(c->warp);
	free(c);
}

/* ---- threads of a warp ---- */

static uint32_t thread_of(const struct warp *w, unsigned lane)
{
	return check_first(w->cta->l, w->id) + lane;
}
static uint32_t now_of(const struct warp *w) { return w->cta->l->checks->now; }
static struct thread_check *check_of(const struct warp *w, unsigned lane)
{
	return &w->cta->check->t[thread_of(w, lane)];
}

static struct warp_check *warp_check(const struct warp *w) { return &w->cta->check->w[w->id]; }

/* The lane's separate reference to its knowledge, which can be changed without affecting other
 * lanes. */
static struct know **know_of(struct warp *w, unsigned lane)
{
	struct warp_check *c = warp_check(w);
	if (!c->differ) {
		for (unsigned i = 0; i < LANES; i++)
			check_of(w, i)->k = know_ref(c->k);
		KNOW_SET(&c->k, know_drop, NULL);
		c->differ = true;
	}
	return &check_of(w, lane)->k;
}

/* Sets the lanes' knowledge to k. */
static void know_all(struct warp *w, uint32_t lanes, struct know *k)
{
	struct warp_check *c = warp_check(w);
	if (w->live & ~lanes) {
		for (uint32_t m = lanes; m; m &= m - 1)
			KNOW_SET(know_of(w, (unsigned)__builtin_ctz(m)), know_drop, know_ref(k));
		return;
	}
	for (unsigned i = 0; i < LANES && c->differ; i++)
		KNOW_SET(&check_of(w, i)->k, know_drop, NULL);
	c->differ = false;
	KNOW_SET(&c->k, know_drop, know_ref(k));
}

/* Knowledge that a thread's stores publish: k, and the thread itself up to a stamp. */
static struct others *told(const struct cta *b, struct know *k, uint32_t thread, uint32_t at)
{
	struct seen *own = seen_with(know_own(k), thread, 1, at);
	struct others *o = others_with(know_others(k), (uint32_t)b->index, own);
	seen_drop(own);
	return o;
}

/* Adds the lanes' knowledge to `sum`, the knowledge of a barrier. */
static void gather_known(struct warp *w, uint32_t lanes, struct know **sum, struct others **rel,
			 struct others **acq)
{
	struct warp_check *c = warp_check(w);
	struct know *before = c->k;
	if (!c->differ)
		KNOW_SET(sum, know_drop, know_join(*sum, c->k));
	for (uint32_t m = c->differ || c->fenced ? lanes : 0; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		struct thread_check *t = check_of(w, i);
		if (c->differ && t->k != before)
			KNOW_SET(sum, know_drop, know_join(*sum, t->k));
		before = t->k;
		if (t->rel) {
			struct others *o = told(w->cta, t->rel, thread_of(w, i), t->rel_at);
			KNOW_SET(rel, others_drop, others_join(*rel, o));
			others_drop(o);
		}
		if (t->acq)
			KNOW_SET(acq, others_drop, others_join(*acq, t->acq));
	}
	c->told = now_of(w);
}

/* Adds everything that the lanes have done so far. */
static void gather_done(struct warp *w, uint32_t lanes, struct know **sum)
{
	struct seen *own =
		seen_with(know_own(*sum), check_first(w->cta->l, w->id), lanes, now_of(w));
	struct know *k = know_new(own, others_ref(know_others(*sum)));
	know_drop(*sum);
	*sum = k;
}

/* Adds what the lanes knew and had done at their last fences, which is all that their arrival
 * releases. */
static void gather_fenced(struct warp *w, uint32_t lanes, struct know **sum)
{
	for (uint32_t m = warp_check(w)->fenced ? lanes : 0; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		struct thread_check *t = check_of(w, i);
		if (!t->rel)
			continue;
		struct others *o = told(w->cta, t->rel, thread_of(w, i), t->rel_at);
		KNOW_SET(sum, know_drop, know_learn(*sum, o, (uint32_t)w->cta->index));
		others_drop(o);
	}
	warp_check(w)->told = now_of(w);
}

/* Adds k to the lanes' knowledge. */
static void know_more(struct warp *w, uint32_t lanes, struct know *k)
{
	for (uint32_t m = lanes; m; m &= m - 1) {
		struct know **own = know_of(w, (unsigned)__builtin_ctz(m));
		KNOW_SET(own, know_drop, know_join(*own, k));
	}
}

/* Releases lanes from the barrier. Fences that other threads executed before the barrier count as
 * fences of these lanes. Lanes `relaxed` arrived without releasing, so the barrier's knowledge
 * lacks theirs. */
static void let_go(struct warp *w, uint32_t lanes, uint32_t relaxed, struct know *sum,
		   struct others *rel, struct others *acq)
{
	if (relaxed)
		know_more(w, lanes, sum);
	else
		know_all(w, lanes, sum);
	for (uint32_t m = rel || acq ? lanes : 0; m; m &= m - 1) {
		struct thread_check *t = check_of(w, (unsigned)__builtin_ctz(m));
		warp_check(w)->fenced = true;
		if (rel)
			KNOW_SET(&t->rel, know_drop,
				 know_learn(t->rel, rel, (uint32_t)w->cta->index));
		if (acq)
			KNOW_SET(&t->acq, others_drop, others_join(t->acq, acq));
	}
}

void check_warp_sync(struct warp *w, uint32_t lanes)
{
	struct know *sum = NULL;
	struct others *rel = NULL, *acq = NULL;
	gather_known(w, lanes, &sum, &rel, &acq);
	gather_done(w, lanes, &sum);
	let_go(w, lanes, 0, sum, rel, acq);
	know_drop(sum);
	others_drop(rel);
	others_drop(acq);
}

void check_bar_arrive(struct warp *w, const struct uop *u, unsigned id, uint32_t lanes)
{
	struct block_check *c = w->cta->check;
	struct bar_check *bar = &c->bar[id];
	/* a cluster's barrier orders from the moment in which it opens, even if a thread waits
	 * later */
	bool waits = u->in->bar != BAR_ARRIVE || id == CLUSTER_BARRIER;
	if (u->in->bar_flags & BAR_WARPGROUP && u->in->vmask != WG_LEAVES_ALL)
		products_wait(w, u, (unsigned)__builtin_ctz(lanes), u->in->vmask);
	if (w->cta->l->check_race)
		arrivals_begin(w, u, id, lanes);
	bar->used = true;
	bar->in[w->id] |= lanes;
	if (id == CLUSTER_BARRIER && u->in->sem == SEM_RELAXED) {
		gather_fenced(w, lanes, &bar->sum);
		bar->waits[w->id] |= lanes;
		bar->relaxed[w->id] |= lanes;
		bar->any_relaxed = true;
		return;
	}
	gather_known(w, lanes, &bar->sum, &bar->rel, &bar->acq);
	if (waits) /* waiting lanes do nothing until the barrier opens, so their accesses are added
		    * then */
		bar->waits[w->id] |= lanes;
	else
		gather_done(w, lanes, &bar->sum);
}

/* True if all threads of the block wait. Then every thread knows all others up to now, so one stamp
 * describes their knowledge. A barrier of the whole block also counts threads that exited. */
static bool everybody(const struct cta *b, const struct bar_check *bar, bool counted)
{
	if (bar->any_relaxed)
		return false;
	for (uint32_t i = 0; i < b->l->nwarps; i++)
		if ((counted ? b->check->warp[i]->init : b->check->warp[i]->live) & ~bar->waits[i])
			return false;
	return true;
}

/* Adds everything that waiting lanes have done so far, if their arrival released it. */
static void gather_waiting(const struct cta *b, const struct bar_check *bar, struct know **sum)
{
	for (uint32_t i = 0; i < b->l->nwarps; i++)
		if (bar->waits[i] & ~bar->relaxed[i])
			gather_done(b->check->warp[i], bar->waits[i] & ~bar->relaxed[i], sum);
}

void check_bar_open(struct cta *b, unsigned id, bool counted)
{
	struct bar_check *bar = &b->check->bar[id];
	if (!counted && b->l->check_race)
		arrivals_end(b, bar);
	if (everybody(b, bar, counted)) {
		struct know *k =
			know_new(seen_all(b->l->checks->now), others_ref(know_others(bar->sum)));
		know_drop(bar->sum);
		bar->sum = k;
	} else {
		gather_waiting(b, bar, &bar->sum);
	}
	for (uint32_t i = 0; i < b->l->nwarps; i++)
		if (bar->waits[i])
			let_go(b->check->warp[i], bar->waits[i], bar->relaxed[i], bar->sum,
			       bar->rel, bar->acq);
	clear_bar(bar, b->l->nwarps);
}

/* Accesses of a block's threads until the barrier of its cluster opens, and their knowledge of
 * others. */
static struct others *known_in_block(const struct cta *b)
{
	const struct bar_check *bar = &b->check->bar[CLUSTER_BARRIER];
	struct know *sum = know_ref(bar->sum);
	if (everybody(b, bar, false)) {
		know_drop(sum);
		sum = know_new(seen_all(b->l->checks->now), others_ref(know_others(bar->sum)));
	} else {
		gather_waiting(b, bar, &sum);
	}
	struct others *o = others_with(know_others(sum), (uint32_t)b->index, know_own(sum));
	know_drop(sum);
	return o;
}

void check_cluster_open(const struct cluster *c)
{
	struct others *all = NULL;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->block[i]->check->bar[CLUSTER_BARRIER].used) {
			struct others *o = known_in_block(c->block[i]);
			KNOW_SET(&all, others_drop, others_join(all, o));
			others_drop(o);
		}
	for (uint32_t i = 0; i < c->n; i++) {
		struct bar_check *bar = &c->block[i]->check->bar[CLUSTER_BARRIER];
		if (bar->used)
			KNOW_SET(&bar->sum, know_drop,
				 know_learn(bar->sum, all, (uint32_t)c->block[i]->index));
	}
	others_drop(all);
}

/* ---- fences and strong accesses ---- */

void check_fence(struct warp *w, unsigned lane, bool cta)
{
	struct thread_check *t = check_of(w, lane);
	struct warp_check *c = warp_check(w);
	uint32_t block = (uint32_t)w->cta->index;
	if (t->acq_cta)
		KNOW_SET(know_of(w, lane), know_drop,
			 know_learn(*know_of(w, lane), t->acq_cta, block));
	if (t->acq && !cta)
		KNOW_SET(know_of(w, lane), know_drop, know_learn(*know_of(w, lane), t->acq, block));
	KNOW_SET(&t->acq_cta, others_drop, NULL);
	struct know *k = know_ref(c->differ ? t->k : c->k);
	if (!k) /* a fence was executed, although it published no knowledge */
		k = know_new(NULL, NULL);
	KNOW_SET(&t->rel_cta, know_drop, know_ref(k));
	t->rel_cta_at = c->told = now_of(w);
	c->fenced = true;
	if (!cta) {
		KNOW_SET(&t->acq, others_drop, NULL);
		KNOW_SET(&t->rel, know_drop, know_ref(k));
		t->rel_at = now_of(w);
	}
	know_drop(k);
}

static void learn_published(struct warp *w, unsigned lane, const struct published *p, bool at_once,
			    bool cta)
{
	struct thread_check *t = check_of(w, lane);
	uint32_t block = (uint32_t)w->cta->index;
	struct others *own = p->cta && p->block == block ? p->cta : NULL;
	if (at_once) {
		struct know **k = know_of(w, lane);
		KNOW_SET(k, know_drop, know_learn(*k, own, block));
		if (!cta)
			KNOW_SET(k, know_drop, know_learn(*k, p->gpu, block));
		return;
	}
	warp_check(w)->fenced = true;
	KNOW_SET(&t->acq_cta, others_drop, others_join(t->acq_cta, own));
	KNOW_SET(&t->acq, others_drop, others_join(t->acq, p->gpu));
}

static void publish_known(struct warp *w, struct published *p, struct thread_check *t,
			  uint32_t thread, bool adds)
{
	const struct cta *b = w->cta;
	struct others *gpu = t->rel ? told(b, t->rel, thread, t->rel_at) : NULL;
	struct others *cta = t->rel_cta ? told(b, t->rel_cta, thread, t->rel_cta_at) : NULL;
	bool same = p->block == (uint32_t)b->index;
	KNOW_SET(&p->gpu, others_drop, others_join(adds ? p->gpu : NULL, gpu));
	KNOW_SET(&p->cta, others_drop, others_join(adds && same ? p->cta : NULL, cta));
	p->block = (uint32_t)b->index;
	others_drop(gpu);
	others_drop(cta);
}

void check_strong(struct warp *w, const struct uop *u, unsigned lane, uint64_t addr,
		  struct cta *owner, bool reads, bool writes)
{
	struct published_map *map = owner ? &owner->check->shared : &w->cta->l->checks->global;
	struct thread_check *t = check_of(w, lane);
	unsigned sem = u->in->sem;
	bool cta = u->in->scope == SCOPE_CTA;
	/* The system's part of shared memory, where groups of warps meet, orders every access. */
	bool both = owner && addr >= w->cta->l->reserved_at;
	bool acquires = both || sem == SEM_ACQUIRE || sem == SEM_ACQ_REL || sem == SEM_SC;
	bool releases = both || sem == SEM_RELEASE || sem == SEM_ACQ_REL || sem == SEM_SC;
	struct published *p = find_published(map, addr);
	if (reads && p)
		learn_published(w, lane, p, acquires, cta && !both);
	if (!writes)
		return;
	if (!releases && !t->rel && !t->rel_cta && (!p || reads))
		return; /* the thread has no knowledge to publish */
	p = find_or_add(map, addr);
	struct know nothing = {1, NULL, NULL};
	struct thread_check says = *t;
	if (releases) {
		struct know *k = warp_check(w)->differ ? t->k : warp_check(w)->k;
		says.rel = says.rel_cta = k ? k : &nothing;
		says.rel_at = says.rel_cta_at = now_of(w);
	}
	if (cta && !both)
		says.rel = NULL;
	warp_check(w)->told = now_of(w);
	publish_known(w, p, &says, thread_of(w, lane), reads);
}

void check_mbarrier(struct warp *w, unsigned lane, struct cta *owner, uint32_t at, enum mb_event e)
{
	struct published *p = find_or_add(&owner->check->shared, at);
	struct others *o;
	switch (e) {
	case MB_COPIES_TOLD: break;
	case MB_ARRIVES:
		warp_check(w)->told = now_of(w);
		o = told(w->cta, *know_of(w, lane), thread_of(w, lane), now_of(w));
		KNOW_SET(&p->gpu, others_drop, others_join(p->gpu, o));
		others_drop(o);
		break;
	case MB_ENDS: KNOW_SET(&p->done, others_drop, others_ref(p->gpu)); break;
	case MB_FOUND_END:
		KNOW_SET(know_of(w, lane), know_drop,
			 know_learn(*know_of(w, lane), p->done, (uint32_t)w->cta->index));
		break;
	}
}
