#include "sm/diverge/bypass.h"

#include "sm/diverge/blockstack.h"

struct own { /* an entry of a warp's own stack: threads of a group at one pc */
	uint32_t pc, rpc;
	lanemask mask;
};

struct prediction {
	const struct image *img; /* NULL: the entry is free */
	uint32_t pc;
	bool alone; /* compaction would not have saved a warp the last time */
};

/* The warps of one block's path that have arrived at a branch, each once. A warp that arrives a
 * second time, before all others have arrived once, is recorded in a further struct arrivals, which
 * collects the second arrivals of all. */
struct arrivals {
	const struct image *img;
	uint32_t pc;
	unsigned come, parts,
		classes;       /* come: warps that have arrived; parts: warps needed after the
			        * branch without compaction */
	bool alone;            /* the prediction that all of these warps follow: true: compaction
			        * does not help */
	uint64_t who[2];       /* set of the numbers of the groups that have arrived */
	VEC(uint16_t) threads; /* number of threads, per class, side of the branch and lane */
};
struct block_arrivals {
	VEC(struct arrivals) at; /* in the order in which their first warps arrived */
	unsigned n;              /* elements of `at` in use; the elements after them keep their
				  * memory for reuse */
};

/* Per branch of an image: whether threads may diverge at the branch on their warp's own stack. */
struct region {
	const struct image *img;
	uint8_t *known; /* per pc */
};
enum { UNKNOWN, PASSES, WAITS };

struct bypass {
	unsigned size, nblocks, ngroups, entries, next;
	struct prediction *table;
	struct block_arrivals *block;
	VEC(struct region) region;
	VEC(uint32_t) todo;
	struct stack {
		VEC(struct own) e;
	} * stack; /* per group */
	struct tbc_stats *stats;
};

struct bypass *bypass_new(const struct div *d, unsigned entries)
{
	struct bypass *y = xcalloc(1, sizeof *y);
	y->size = d->sm->m->warp_size;
	y->nblocks = d->sm->blocks.n;
	y->ngroups = d->ngroups;
	y->entries = entries;
	y->table = xcalloc(entries, sizeof *y->table);
	y->block = xcalloc(y->nblocks, sizeof *y->block);
	y->stack = xcalloc(d->ngroups, sizeof *y->stack);
	y->stats = d->stats;
	return y;
}

void bypass_free(struct bypass *y)
{
	if (!y)
		return;
	for (unsigned i = 0; i < y->nblocks; i++) {
		for (size_t k = 0; k < y->block[i].at.n; k++)
			vec_free(&y->block[i].at.v[k].threads);
		vec_free(&y->block[i].at);
	}
	for (size_t i = 0; i < y->region.n; i++)
		free(y->region.v[i].known);
	for (unsigned g = 0; g < y->ngroups; g++)
		vec_free(&y->stack[g].e);
	vec_free(&y->region);
	vec_free(&y->todo);
	free(y->table);
	free(y->block);
	free(y->stack);
	free(y);
}

void bypass_begin(struct bypass *y, unsigned b) { y->block[b].n = 0; }

/* ---- branches that may be passed ---- */

static uint8_t *known_of(struct bypass *y, const struct image *img)
{
	for (size_t i = 0; i < y->region.n; i++)
		if (y->region.v[i].img == img)
			return y->region.v[i].known;
	uint8_t *known = xcalloc(img->ncode, 1);
	vec_push(&y->region, (struct region){img, known});
	return known;
}

/* True if threads may have to wait for others of their warp at u. */
static bool is_waited_at(const struct uop *u)
{
	return op_info[u->in->op].kind == OPK_BARRIER || (u->flags & UOP_CROSS) ||
	       uop_is(u, OF_CALL) || uop_is(u, OF_INDEXED);
}

/* Visits what lies between branch `from` and the place where its threads meet. */
static bool search_region(struct bypass *y, const struct image *img, uint32_t from, bool *returns)
{
	const struct uop *code = img->code;
	uint32_t end = code[from].reconv;
	uint8_t *seen = xcalloc(img->ncode, 1);
	bool loops = code[from].target <= from, polls = false, waits = end == NO_PC;
	y->todo.n = 0;
	vec_push(&y->todo, code[from].target);
	vec_push(&y->todo, from + 1);
	while (y->todo.n && !waits) {
		uint32_t pc = y->todo.v[--y->todo.n];
		for (; pc != end && pc < img->ncode && !seen[pc]; pc++) {
			const struct uop *u = &code[pc];
			seen[pc] = 1;
			polls |= (u->flags & UOP_POLL) != 0;
			waits |= is_waited_at(u);
			*returns |= uop_is(u, OF_RETURNS);
			if (uop_is(u, OF_BRANCH)) {
				loops |= u->target <= pc;
				vec_push(&y->todo, u->target);
			}
			if (uop_is(u, OF_ENDS) && u->guard < 0)
				break;
		}
	}
	free(seen);
	return !waits && !(loops && polls);
}

bool bypass_may_pass(struct bypass *y, const struct image *img, uint32_t pc, const struct frame *f)
{
	uint8_t *known = &known_of(y, img)[pc];
	bool returns = false;
	if (*known == UNKNOWN) {
		bool passes = search_region(y, img, pc, &returns);
		*known = !passes ? WAITS : returns ? PASSES + WAITS : PASSES;
	}
	return *known == PASSES || (*known == PASSES + WAITS && !f->depth);
}

/* ---- predictions ---- */

static struct prediction *find_prediction(struct bypass *y, const struct image *img, uint32_t pc)
{
	for (unsigned i = 0; i < y->entries; i++)
		if (y->table[i].img == img && y->table[i].pc == pc)
			return &y->table[i];
	return NULL;
}

static struct arrivals *arrivals_at(struct bypass *y, const struct bypass_arrival *a)
{
	struct block_arrivals *b = &y->block[a->block];
	for (unsigned i = 0; i < b->n; i++) {
		struct arrivals *r = &b->at.v[i];
		if (r->img == a->img && r->pc == a->pc &&
		    !(r->who[a->place / 64] >> a->place % 64 & 1))
			return r;
	}
	if (b->n == b->at.n)
		vec_push(&b->at, (struct arrivals){0});
	struct arrivals *r = &b->at.v[b->n++];
	r->img = a->img;
	r->pc = a->pc;
	r->come = r->parts = 0;
	r->who[0] = r->who[1] = 0;
	r->classes = a->classes;
	r->threads.n = 0;
	for (unsigned i = 0; i < a->classes * 2 * y->size; i++)
		vec_push(&r->threads, 0);
	return r;
}

/* Removes an element of `at`, whose memory is kept after the elements in use. */
static void drop_arrivals(struct block_arrivals *b, struct arrivals *r)
{
	struct arrivals was = *r;
	unsigned i = (unsigned)(r - b->at.v);
	b->n--;
	memmove(r, r + 1, (b->n - i) * sizeof *r);
	b->at.v[b->n] = was;
}

/* Number of warps into which compaction would have put the threads that arrived. */
static unsigned count_compacted(const struct bypass *y, const struct arrivals *r)
{
	unsigned n = 0;
	for (unsigned side = 0; side < 2 * r->classes; side++) {
		unsigned most = 0;
		for (unsigned l = 0; l < y->size; l++) {
			unsigned here = r->threads.v[side * y->size + l];
			most = here > most ? here : most;
		}
		n += most;
	}
	return n;
}

/* Called when all warps of a path have arrived: sets the prediction by whether compaction would
 * have saved a warp. */
static void learn(struct bypass *y, const struct arrivals *r)
{
	bool alone = count_compacted(y, r) >= r->parts;
	struct prediction *p = find_prediction(y, r->img, r->pc);
	STAT(y->stats, predicted)++;
	STAT(y->stats, predicted_right) += r->alone == alone;
	if (!p) {
		p = &y->table[y->next];
		y->next = (y->next + 1) % y->entries;
		*p = (struct prediction){.img = r->img, .pc = r->pc};
	}
	p->alone = alone;
}

bool bypass_note(struct bypass *y, const struct bypass_arrival *a)
{
	struct arrivals *r = arrivals_at(y, a);
	if (!r->come) { /* the first warp's prediction holds for all: warps that wait would
			 * otherwise wait for warps that pass */
		const struct prediction *p = find_prediction(y, a->img, a->pc);
		r->alone = p && p->alone;
	}
	bool alone = r->alone;
	uint16_t *n = &r->threads.v[(size_t)a->class * 2 * y->size];
	for (lanemask q = a->active; q; q &= q - 1) {
		unsigned at = (unsigned)__builtin_ctzll(q);
		n[(a->taken >> at & 1) * y->size + a->lane[at]]++;
	}
	r->parts += (a->taken != 0) + (a->taken != a->active);
	r->who[a->place / 64] |= 1ull << a->place % 64;
	if (++r->come >= a->n) {
		learn(y, r);
		drop_arrivals(&y->block[a->block], r);
	}
	return alone;
}

/* ---- a warp's own stack ---- */

bool bypass_is_parted(const struct bypass *y, int g) { return y->stack[g].e.n != 0; }

void bypass_part(struct bypass *y, struct div *d, int g, const struct uop *u, lanemask taken)
{
	struct stack *s = &y->stack[g];
	struct group *gr = &d->group[g];
	lanemask rest = gr->active & ~taken;
	if (s->e.n && s->e.v[s->e.n - 1].rpc == u->reconv) {
		s->e.n--; /* the entry below already waits for these threads at u->reconv */
	} else {
		if (s->e.n)
			s->e.v[s->e.n - 1].pc = u->reconv;
		else
			vec_push(&s->e, (struct own){u->reconv, NO_PC, gr->active});
	}
	vec_push(&s->e, (struct own){u->target, u->reconv, taken});
	vec_push(&s->e, (struct own){gr->pc + 1, u->reconv, rest});
	STAT(y->stats, passed)++;
	gr->active = rest;
	gr->pc++;
	sm_group_changed(d->sm, g);
}

void bypass_settle(struct bypass *y, struct div *d, int g)
{
	struct stack *s = &y->stack[g];
	struct group *gr = &d->group[g];
	while (s->e.n > 1 && (!gr->active || gr->pc == s->e.v[s->e.n - 1].rpc)) {
		const struct own *x = &s->e.v[--s->e.n - 1];
		lanemask live = 0;
		for (lanemask q = x->mask; q; q &= q - 1) {
			struct home h = group_thread(gr, (unsigned)__builtin_ctzll(q));
			if (d->sm->warp[h.warp].live >> h.lane & 1)
				live |= q & -q;
		}
		gr->active = live;
		gr->pc = x->pc;
		gr->wait = live ? GROUP_RUNS : GROUP_NONE;
	}
	if (s->e.n == 1)
		s->e.n = 0;
}
