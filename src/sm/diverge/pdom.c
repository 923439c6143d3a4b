/* Reconvergence at the immediate post-dominator, by a stack for each warp.
 *
 * Entries above another are lanes of it that took a path of their own and will come back to its pc; a
 * lane is at the topmost entry that has it. The top is the warp's group. An entry that waits (at a
 * barrier, for lanes of a .sync operation, or because it polls) lets other entries' own lanes run first,
 * detached from the stack's order: programs that rely on independent thread scheduling make progress,
 * and nothing is different while nobody waits. */
#include "sm/sm.h"

struct entry {
	uint32_t pc, rpc;
	lanemask mask;
	uint8_t state; /* enum below */
	uint8_t bar;
	bool polls; /* in vain: others first */
	struct frame frame;
	lanemask at, need; /* SYNC: lanes to execute the operation, lanes they name */
};
enum { READY, BARRIER, SYNC, FORCED };

struct stack {
	struct entry *e;
	uint32_t n, cap;
	uint32_t rpc; /* of the top when it was exposed: all that most steps ask for */
};

static struct stack *stack_of(const struct div *d, unsigned w)
{
	return &((struct stack *)d->state)[w];
}
static struct entry *top_of(struct stack *s) { return &s->e[s->n - 1]; }

static void push(struct stack *s, struct entry e)
{
	if (s->n == s->cap) {
		s->cap *= 2;
		s->e = xrealloc(s->e, s->cap * sizeof *s->e);
	}
	s->e[s->n++] = e;
}

static void drop_empty(struct stack *s)
{
	while (s->n && !top_of(s)->mask)
		s->n--;
}

/* Brings an entry that can run to the top; with `other`, one that is not there yet and has not polled in
 * vain. */
static bool pick(struct stack *s, bool other)
{
	lanemask above = 0;
	drop_empty(s);
	for (uint32_t i = s->n; i-- > 0;) {
		struct entry *e = &s->e[i];
		lanemask own = e->mask & ~above;
		above |= e->mask;
		if (!own || (e->state != READY && e->state != FORCED) ||
		    (other && (e->polls || i == s->n - 1)))
			continue;
		if (i == s->n - 1)
			return true;
		struct entry run = *e;
		run.mask = own;
		e->mask &= ~own;
		if (!e->mask) {
			memmove(e, e + 1, (s->n - i - 1) * sizeof *e);
			s->n--;
		}
		push(s, run);
		return true;
	}
	return false;
}

static bool force_sync(struct stack *s)
{
	for (uint32_t i = s->n; i-- > 0;)
		if (s->e[i].state == SYNC) {
			s->e[i].state = FORCED;
			return pick(s, false);
		}
	return false;
}

/* Entries that have arrived where they reconverge go; then the top is the warp's group. */
static void expose(struct div *d, unsigned w)
{
	struct stack *s = stack_of(d, w);
	struct group *g = &d->group[w];
	bool runs;
	while ((runs = pick(s, false) || force_sync(s)) && top_of(s)->pc == top_of(s)->rpc)
		s->n--;
	if (!s->n) {
		g->active = 0;
		g->wait = GROUP_NONE;
	} else {
		const struct entry *e = top_of(s);
		s->rpc = e->rpc;
		g->pc = e->pc;
		g->active = e->mask;
		g->frame = e->frame;
		g->wait = runs ? GROUP_RUNS : e->state == SYNC ? GROUP_SYNC : GROUP_BARRIER;
	}
	sm_group_changed(d->sm, (int)w);
}

static void init(struct div *d)
{
	d->state = xcalloc_lines(d->nwarps, sizeof(struct stack));
	for (unsigned w = 0; w < d->nwarps; w++)
		*stack_of(d, w) =
			(struct stack){.e = xcalloc_lines(16, sizeof(struct entry)), .cap = 16};
}

static void fini(struct div *d)
{
	for (unsigned w = 0; w < d->nwarps; w++)
		free(stack_of(d, w)->e);
	free(d->state);
}

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	struct stack *s = stack_of(d, w);
	s->n = 0;
	push(s, (struct entry){.pc = pc, .rpc = NO_PC, .mask = live});
	d->group[w] = (struct group){.warp = (uint16_t)w, .age = age};
	expose(d, w);
}

static void step(struct div *d, int g, uint32_t next)
{
	struct stack *s = stack_of(d, (unsigned)g);
	top_of(s)->pc = next;
	if (next == s->rpc) {
		expose(d, (unsigned)g);
		return;
	}
	d->group[g].pc = next; /* the common case: nothing else changes */
	sm_group_changed(d->sm, g);
}

struct side {
	uint32_t pc;
	lanemask mask;
};

/* The top's lanes go two ways that meet at reconv; `first` runs first. */
static void diverge(struct stack *s, uint32_t reconv, struct side first, struct side then)
{
	struct entry *e = top_of(s), side = *e;
	if (reconv == NO_PC || reconv == e->rpc) {
		/* The entry to come back to is there already, or there is none: lanes that go straight
		 * to it just leave this entry, so a loop does not grow the stack. */
		bool known = reconv != NO_PC, met = known && then.pc == reconv;
		e->pc = met ? first.pc : then.pc;
		e->mask = met ? first.mask : then.mask;
		if (met || (known && first.pc == reconv))
			return;
		side.pc = first.pc;
		side.mask = first.mask;
		push(s, side);
		return;
	}
	e->pc = reconv;
	side.rpc = reconv;
	if (then.pc != reconv) {
		side.pc = then.pc;
		side.mask = then.mask;
		push(s, side);
	}
	if (first.pc != reconv) {
		side.pc = first.pc;
		side.mask = first.mask;
		push(s, side);
	}
}

static void branch(struct div *d, int g, const struct uop *u, lanemask taken)
{
	struct stack *s = stack_of(d, (unsigned)g);
	struct entry *e = top_of(s);
	struct side to = {u->target, taken}, rest = {e->pc + 1, e->mask & ~taken};
	if (d->sm->m->pdom_first[0] == 't')
		diverge(s, u->reconv, to, rest);
	else
		diverge(s, u->reconv, rest, to);
	expose(d, (unsigned)g);
}

static void ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target)
{
	struct stack *s = stack_of(d, (unsigned)g);
	struct entry *e = top_of(s), side = *e;
	lanemask rest = e->mask & ~who;
	uint32_t pc = e->pc;
	if (u->reconv != NO_PC && e->rpc != u->reconv)
		e->pc = u->reconv;
	else
		s->n--;
	if (u->reconv != NO_PC)
		side.rpc = u->reconv;
	if (rest && pc + 1 != side.rpc) {
		side.pc = pc + 1;
		side.mask = rest;
		push(s, side);
	}
	while (who) {
		uint32_t to = target[__builtin_ctzll(who)];
		lanemask lanes = 0;
		for (lanemask q = who; q; q &= q - 1)
			if (target[__builtin_ctzll(q)] == to)
				lanes |= q & -q;
		who &= ~lanes;
		if (to == side.rpc)
			continue;
		side.pc = to;
		side.mask = lanes;
		push(s, side);
	}
	expose(d, (unsigned)g);
}

static void call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		 uint32_t back)
{
	struct stack *s = stack_of(d, (unsigned)g);
	if (top_of(s)->frame.depth < f->depth)
		top_of(s)->pc = back;
	push(s, (struct entry){.pc = pc, .rpc = NO_PC, .mask = lanes, .frame = *f});
	expose(d, (unsigned)g);
}

static lanemask caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret)
{
	struct stack *s = stack_of(d, (unsigned)g);
	uint32_t i = s->n - 1, depth = s->e[i].frame.depth;
	while (i && (s->e[i].frame.depth >= depth ||
		     !(s->e[i].mask & lanes))) /* others may be between */
		i--;
	*f = s->e[i].frame;
	*ret = s->e[i].pc;
	return lanes;
}

static void ret(struct div *d, int g, lanemask lanes)
{
	struct stack *s = stack_of(d, (unsigned)g);
	uint32_t depth = top_of(s)->frame.depth;
	top_of(s)->pc++; /* guarded: the others go on */
	for (uint32_t i = s->n; i && s->e[i - 1].frame.depth >= depth; i--)
		s->e[i - 1].mask &= ~lanes;
	expose(d, (unsigned)g);
}

/* ---- .sync operations ---- */

static bool waits_with(const struct entry *e, const struct entry *of)
{
	return e->state == SYNC && e->pc == of->pc && e->frame.rows == of->frame.rows;
}

/* Who executes the operation of entry `of` if it is executed now: its own lanes, and those who wait there
 * for or with them. *missing: who of the lanes that they name, and that live, is not there. */
static lanemask together(const struct stack *s, const struct entry *of, lanemask live,
			 lanemask *missing)
{
	lanemask have = of->at, need = of->need, was;
	do {
		was = have;
		for (uint32_t i = 0; i < s->n; i++)
			if (waits_with(&s->e[i], of) && (s->e[i].at & need & ~have)) {
				have |= s->e[i].at;
				need |= s->e[i].need;
			}
	} while (have != was);
	*missing = need & live & ~have;
	return have;
}

static lanemask sync(struct div *d, int g, lanemask lanes, lanemask need)
{
	struct stack *s = stack_of(d, (unsigned)g);
	struct entry *e = top_of(s);
	bool forced = e->state == FORCED;
	lanemask missing, have;
	e->state = READY;
	e->at = lanes;
	e->need = need;
	have = together(s, e, d->sm->warp[g].live, &missing);
	if (missing && !forced) {
		e->state = SYNC;
		expose(d, (unsigned)g);
		return 0;
	}
	for (uint32_t i = 0; i + 1 < s->n; i++)
		if (waits_with(&s->e[i], e) && (s->e[i].at & have)) {
			s->e[i].state = READY;
			s->e[i].pc++;
		}
	return have;
}

/* Those who waited for lanes that have ended look again who is there. */
static void leave(struct div *d, int g, lanemask done)
{
	struct stack *s = stack_of(d, (unsigned)g);
	lanemask missing;
	top_of(s)->pc++;
	for (uint32_t i = 0; i < s->n; i++) {
		s->e[i].mask &= ~done;
		s->e[i].at &= ~done;
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (s->e[i].state == SYNC &&
		    (together(s, &s->e[i], d->sm->warp[g].live, &missing), !missing))
			s->e[i].state = READY;
	expose(d, (unsigned)g);
}

static void wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	struct stack *s = stack_of(d, (unsigned)g);
	struct entry *e = top_of(s), rest = *e;
	rest.mask = e->mask & ~lanes;
	rest.pc++;
	e->mask = lanes;
	e->state = BARRIER;
	e->bar = (uint8_t)bar;
	if (rest.mask)
		push(s, rest);
	expose(d, (unsigned)g);
}

static void wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	struct stack *s = stack_of(d, w);
	bool any = false;
	for (uint32_t i = 0; i < s->n; i++) {
		struct entry *e = &s->e[i];
		if (e->state != BARRIER || e->bar != bar)
			continue;
		fn(d->sm, w, e->pc, e->mask, &e->frame);
		e->state = READY;
		e->pc++;
		any = true;
	}
	if (any)
		expose(d, w);
}

static lanemask waiting(const struct div *d, unsigned w, unsigned bar)
{
	const struct stack *s = stack_of(d, w);
	lanemask m = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->e[i].state == BARRIER && (s->e[i].bar == bar || bar == NBARRIERS))
			m |= s->e[i].mask;
	return m;
}

static uint32_t where(const struct div *d, unsigned w, unsigned lane)
{
	const struct stack *s = stack_of(d, w);
	uint32_t i = s->n - 1;
	while (i && !(s->e[i].mask >> lane & 1))
		i--;
	return s->e[i].pc;
}

static bool pick_other(struct stack *s)
{
	top_of(s)->polls = true;
	if (pick(s, true))
		return true;
	for (uint32_t i = 0; i + 1 < s->n; i++) /* all have polled: from the first on again */
		s->e[i].polls = false;
	return pick(s, true);
}

static void yield(struct div *d, int g)
{
	if (pick_other(stack_of(d, (unsigned)g)))
		expose(d, (unsigned)g);
	else
		sm_group_yields(d->sm, g, true); /* what it waits for is another warp's to do */
}

/* The token stack takes this one's place: one entry is all there ever is. */
static void skip(struct div *d, int g, uint32_t pc)
{
	top_of(stack_of(d, (unsigned)g))->pc = pc;
	d->group[g].pc = pc;
}

static void native(struct div *d, int g, lanemask active, uint32_t pc)
{
	struct entry *e = top_of(stack_of(d, (unsigned)g));
	e->mask = active;
	e->pc = pc;
	expose(d, (unsigned)g);
}

static bool check(const struct div *d, struct diag *why)
{
	for (unsigned w = 0; w < d->nwarps; w++) {
		const struct stack *s = stack_of(d, w);
		for (uint32_t i = 0; i < s->n; i++)
			if (s->e[i].mask & ~d->sm->warp[w].live) {
				diag_error(why,
					   "warp %u: stack entry %u has lanes that have exited", w,
					   i);
				return false;
			}
	}
	return true;
}

const struct div_ops div_pdom = {
	/* clang-format off */
	.p = {"pdom", "stack of paths for each warp, reconvergence at the immediate post-dominator",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 4"},
	.groups_per_warp = 1,
	.init = init, .fini = fini, .start = start, .step = step, .branch = branch, .ibranch = ibranch,
	.call = call, .caller = caller, .ret = ret, .exit = leave, .wait = wait, .wake = wake,
	.waiting = waiting, .where = where, .sync = sync, .yield = yield, .skip = skip, .native = native,
	.check = check,
};
/* clang-format on */
