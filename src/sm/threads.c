#include "sm/threads.h"

#include "base/assert.h"
#include "sm/flight.h"
#include "sm/share.h"

enum { SCORE_BITS = 320 }; /* registers and predicates of a struct regset */

struct thread_score {
	struct regset pend; /* registers of the thread that instructions in flight will write */
	uint16_t group;     /* group of the thread when the state of its group was last computed */
	uint16_t memory;    /* memory operations in flight */
	uint16_t atomics;   /* atomics among `memory`, counted with quirk blocking-atomics */
};

struct threads {
	struct thread_score *of; /* scores by number of the thread */
	VEC(struct flight_threads)
	flight;                    /* threads of each instruction in flight, by its
					    * number */
	struct flight_threads now; /* threads of the instruction that is being issued */
	uint8_t *kind; /* per warp and bit of a struct regset: enum wait_kind of the last writer */
	bool counts_atomics;
};

void threads_init(struct sm *sm)
{
	size_t n = (size_t)sm->nwarps * sm->m->warp_size;
	if (sm->locked || sm->m->diverge->groups_per_warp == 1)
		return;
	struct threads *t = sm->threads = xcalloc(1, sizeof *t);
	t->of = xcalloc(n, sizeof *t->of);
	t->kind = xcalloc((size_t)sm->nwarps * SCORE_BITS, sizeof *t->kind);
	t->counts_atomics = machine_quirk(sm->m, QUIRK_BLOCKING_ATOMICS);
}

void threads_free(struct sm *sm)
{
	if (!sm->threads)
		return;
	vec_free(&sm->threads->flight);
	free(sm->threads->of);
	free(sm->threads->kind);
	free(sm->threads);
}

static unsigned number_of(const struct sm *sm, struct home h)
{
	return h.warp * sm->m->warp_size + h.lane;
}

static struct thread_score *score_at(const struct sm *sm, const struct group *g, unsigned p)
{
	return &sm->threads->of[number_of(sm, group_thread(g, p))];
}

/* ---- issue ---- */

/* Records the kind of operation that writes the registers: a group that waits for one of them
 * counts its time under that kind. */
static void note_kind(uint8_t *kind, const struct regset *def, enum wait_kind wait)
{
	for (unsigned i = 0; i < 5; i++)
		for (uint64_t q = i < 4 ? def->row[i] : def->pred; q; q &= q - 1)
			kind[i * 64 + (unsigned)__builtin_ctzll(q)] = (uint8_t)wait;
}

void threads_issue(struct sm *sm, int g, const struct tinst *t)
{
	struct threads *s = sm->threads;
	const struct group *gr = &sm->div.group[g];
	struct flight_threads *now = &s->now;
	now->nhomes = (uint8_t)share_homes(sm, gr, now->home);
	now->n = 0;
	for (lanemask q = gr->active; q; q &= q - 1) {
		unsigned i = number_of(sm, group_thread(gr, (unsigned)__builtin_ctzll(q)));
		now->thread[now->n++] = (uint16_t)i;
		regset_add(&s->of[i].pend, &t->def);
		s->of[i].atomics += (t->flags & T_ATOMIC) && s->counts_atomics;
	}
	for (unsigned i = 0; i < now->nhomes; i++) {
		sm->warp[now->home[i]].inflight++;
		note_kind(s->kind + (size_t)now->home[i] * SCORE_BITS, &t->def, t->wait);
	}
}

void threads_let_go(struct sm *sm)
{
	const struct flight_threads now = sm->threads->now;
	for (unsigned i = 0; i < now.nhomes; i++) {
		struct sm_warp *w = &sm->warp[now.home[i]];
		assert_hot(w->inflight);
		w->inflight--;
		if (!w->live)
			sm_warp_maybe_done(sm, now.home[i]);
	}
}

unsigned threads_first_home(const struct sm *sm) { return sm->threads->now.home[0]; }

/* ---- in flight ---- */

const struct flight_threads *threads_of(const struct sm *sm, const struct flight *op)
{
	return &sm->threads->flight.v[op->ev.arg];
}

void threads_take_off(struct sm *sm, struct flight *op)
{
	struct threads *s = sm->threads;
	while (s->flight.n <= op->ev.arg)
		vec_push(&s->flight, (struct flight_threads){0});
	s->flight.v[op->ev.arg] = s->now;
	for (unsigned i = 0; i < s->now.nhomes; i++)
		sm->warp[s->now.home[i]].inflight++;
	for (unsigned i = 0; i < s->now.n && (op->t->flags & T_MEMORY); i++)
		s->of[s->now.thread[i]].memory++;
}

void threads_land(struct sm *sm, struct flight *op)
{
	const struct flight_threads *f = threads_of(sm, op);
	for (unsigned i = 0; i < f->n; i++) {
		struct thread_score *t = &sm->threads->of[f->thread[i]];
		regset_sub(&t->pend, &op->t->def);
		t->memory -= (op->t->flags & T_MEMORY) != 0;
		t->atomics -= (op->t->flags & T_ATOMIC) && t->atomics;
	}
	for (unsigned i = 0; i < f->nhomes; i++) {
		struct sm_warp *w = &sm->warp[f->home[i]];
		assert_hot(w->inflight && w->outstanding >= op->fenced);
		w->inflight--;
		w->outstanding -= op->fenced;
	}
}

static bool may_wait(unsigned state) { return state >= GS_FENCE && state < GS_READY; }

void threads_wake(struct sm *sm, const struct flight *op)
{
	const struct flight_threads *f = threads_of(sm, op);
	unsigned last = UINT32_MAX;
	for (unsigned i = 0; i < f->n; i++) {
		unsigned g = sm->threads->of[f->thread[i]].group;
		if (g == last)
			continue;
		last = g;
		if (may_wait(sm->slot[g].state))
			sm_group_changed(sm, (int)g);
	}
}

/* ---- states of groups ---- */

void threads_look(struct sm *sm, int g)
{
	const struct group *gr = &sm->div.group[g];
	struct gslot *s = &sm->slot[g];
	s->pend = (struct regset){{0}, 0};
	s->atomics = 0;
	for (lanemask q = gr->active; q; q &= q - 1) {
		struct thread_score *t = score_at(sm, gr, (unsigned)__builtin_ctzll(q));
		t->group = (uint16_t)g;
		regset_add(&s->pend, &t->pend);
		s->atomics |= t->atomics;
	}
}

static bool is_pending(const struct regset *a, const struct regset *b, unsigned i, unsigned *bit)
{
	uint64_t both = i < 4 ? a->row[i] & b->row[i] : a->pred & b->pred;
	*bit = both ? i * 64 + (unsigned)__builtin_ctzll(both) : 0;
	return both != 0;
}

enum wait_kind threads_producer(const struct sm *sm, int g, const struct tinst *t)
{
	const struct group *gr = &sm->div.group[g];
	enum wait_kind most = W_SP;
	for (lanemask q = gr->active; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q), bit;
		const uint8_t *kind =
			sm->threads->kind + (size_t)group_thread(gr, p).warp * SCORE_BITS;
		for (unsigned i = 0; i < 5; i++)
			if (is_pending(&score_at(sm, gr, p)->pend, &t->use, i, &bit) &&
			    kind[bit] > most)
				most = kind[bit];
	}
	return most;
}

bool threads_wait_for_deferred(const struct sm *sm, const struct group *g, const struct tinst *t)
{
	uint16_t home[MAX_LANES];
	unsigned n = share_homes(sm, g, home);
	while (n--) {
		const struct sm_warp *w = &sm->warp[home[n]];
		if (w->deferred && flight_waits_for_deferred(w, t))
			return true;
	}
	return false;
}

bool threads_access(const struct sm *sm, const struct group *g)
{
	for (lanemask q = g->active; q; q &= q - 1)
		if (score_at(sm, g, (unsigned)__builtin_ctzll(q))->memory)
			return true;
	return false;
}

int threads_group(const struct sm *sm, unsigned warp, unsigned lane)
{
	struct home h = {(uint16_t)warp, (uint8_t)lane};
	int g = sm->threads->of[number_of(sm, h)].group;
	const struct group *gr = &sm->div.group[g];
	for (lanemask q = gr->active; q; q &= q - 1) {
		struct home x = group_thread(gr, (unsigned)__builtin_ctzll(q));
		if (x.warp == h.warp && x.lane == h.lane)
			return g;
	}
	return -1;
}

void threads_ordered(struct sm *sm)
{
	bool any = false;
	for (unsigned n = 0; n < sm->nsched; n++)
		any |= sm->issuer[n].count[GS_ORDERED] != 0;
	for (unsigned g = 0; any && g < sm->ngroups; g++)
		if (sm->slot[g].state == GS_ORDERED)
			sm_group_changed(sm, (int)g);
}

unsigned threads_homes(const struct sm *sm, const struct flight *op, const uint16_t **list)
{
	*list = threads_of(sm, op)->home;
	return threads_of(sm, op)->nhomes;
}
