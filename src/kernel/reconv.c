#include "kernel/reconv.h"

#include "base/assert.h"
static void push_path(struct reconv *s, struct split p)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		s->path = xrealloc(s->path, s->cap * sizeof *s->path);
	}
	assert_hot(p.mask);
	s->path[s->n++] = p;
}

void reconv_start(struct reconv *s, uint32_t pc, lanemask mask)
{
	s->n = 0;
	push_path(s, (struct split){.pc = pc, .rpc = NO_PC, .mask = mask});
}

void reconv_free(struct reconv *s)
{
	free(s->path);
	*s = (struct reconv){0};
}

/* ---- choice of the path that runs ---- */

static void drop_empty(struct reconv *s)
{
	while (s->n && !reconv_top(s)->mask)
		s->n--;
}

static bool can_run(const struct split *p)
{
	return p->state == SPLIT_READY || p->state == SPLIT_FORCED;
}

/* Brings a path that can run to the top; with `other`, a path below the top whose last poll has not
 * failed. False: no path can run. */
static bool raise_path(struct reconv *s, bool other)
{
	lanemask above = 0;
	drop_empty(s);
	for (uint32_t i = s->n; i-- > 0;) {
		struct split *p = &s->path[i];
		lanemask own = p->mask & ~above;
		above |= p->mask;
		if (!own || !can_run(p) || (other && (p->polls || i == s->n - 1)))
			continue;
		if (i == s->n - 1)
			return true;
		struct split run = *p; /* this path's own lanes, detached from the paths above */
		run.mask = own;
		p->mask &= ~own;
		if (!p->mask) {
			memmove(p, p + 1, (s->n - i - 1) * sizeof *p);
			s->n--;
		}
		push_path(s, run);
		return true;
	}
	return false;
}

/* All paths wait. First those of machine code go on that only meet others again (BSYNC): no lane relies on that, but
 * other lanes may wait for theirs at WARPSYNC. */
static bool force_sync(struct reconv *s)
{
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = s->n; i-- > 0;) {
			struct split *p = &s->path[i];
			if (p->state != SPLIT_SYNC ||
			    (!round && (!p->waited_at || p->place != SYNC_HERE)))
				continue;
			p->state = SPLIT_FORCED;
			return raise_path(s, false);
		}
	return false;
}

bool reconv_settle_slowly(struct reconv *s)
{
	bool runs;
	while ((runs = raise_path(s, false) || force_sync(s)) &&
	       reconv_top(s)->pc == reconv_top(s)->rpc)
		s->n--;
	return runs;
}

enum reconv_turn reconv_yield(struct reconv *s)
{
	reconv_top(s)->polls = true;
	if (raise_path(s, true))
		return RECONV_NEXT;
	for (uint32_t i = 0; i < s->n; i++) /* all paths have polled: a new round begins */
		s->path[i].polls = false;
	return raise_path(s, true) ? RECONV_ROUND : RECONV_ALONE;
}

/* ---- control flow ---- */

void reconv_branch(struct reconv *s, uint32_t rpc, struct way first, struct way then)
{
	struct split *p = reconv_top(s), side = *p;
	if (rpc == NO_PC || rpc == p->rpc) {
		/* The path at rpc exists already, or no path is needed: lanes that branch straight to
		 * rpc leave this path, so a loop does not grow the stack. */
		bool known = rpc != NO_PC, met = known && then.pc == rpc;
		p->pc = met ? first.pc : then.pc;
		p->mask = met ? first.mask : then.mask;
		if (met || (known && first.pc == rpc))
			return;
		side.pc = first.pc;
		side.mask = first.mask;
		push_path(s, side);
		return;
	}
	p->pc = rpc;
	side.rpc = rpc;
	if (then.pc != rpc) {
		side.pc = then.pc;
		side.mask = then.mask;
		push_path(s, side);
	}
	if (first.pc != rpc) {
		side.pc = first.pc;
		side.mask = first.mask;
		push_path(s, side);
	}
}

void reconv_branch_indexed(struct reconv *s, uint32_t rpc, lanemask who, const uint32_t *target)
{
	struct split *p = reconv_top(s), side = *p;
	lanemask rest = p->mask & ~who;
	uint32_t pc = p->pc;
	if (rpc != NO_PC && p->rpc != rpc)
		p->pc = rpc;
	else
		s->n--;
	if (rpc != NO_PC)
		side.rpc = rpc;
	if (rest && pc + 1 != side.rpc) {
		side.pc = pc + 1;
		side.mask = rest;
		push_path(s, side);
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
		push_path(s, side);
	}
}

void reconv_call(struct reconv *s, lanemask lanes, uint32_t pc, const struct frame *f,
		 uint32_t back)
{
	if (reconv_top(s)->frame.depth < f->depth)
		reconv_top(s)->pc = back;
	push_path(s, (struct split){.pc = pc, .rpc = NO_PC, .mask = lanes, .frame = *f});
}

const struct split *reconv_caller(const struct reconv *s, lanemask lanes)
{
	uint32_t i = s->n - 1, depth = s->path[i].frame.depth;
	while (i && (s->path[i].frame.depth >= depth || !(s->path[i].mask & lanes)))
		i--; /* other paths may be between, if the top waited */
	return &s->path[i];
}

void reconv_return(struct reconv *s, lanemask lanes)
{
	uint32_t depth = reconv_top(s)->frame.depth;
	reconv_top(s)->pc++; /* guarded: the lanes that do not return continue */
	for (uint32_t i = s->n; i && s->path[i - 1].frame.depth >= depth; i--)
		s->path[i - 1].mask &= ~lanes;
}

/* ---- barriers ---- */

void reconv_wait(struct reconv *s, lanemask lanes, unsigned bar)
{
	struct split *p = reconv_top(s);
	lanemask others = p->mask & ~lanes;
	uint8_t state = p->state;
	p->mask = lanes;
	p->state = SPLIT_BARRIER;
	p->bar = (uint8_t)bar;
	if (others) {
		struct split rest = *p;
		rest.mask = others;
		rest.state = state;
		rest.pc++;
		push_path(s, rest);
	}
}

bool reconv_wake(struct reconv *s, unsigned bar, void (*fn)(void *arg, const struct split *p),
		 void *arg)
{
	bool any = false;
	for (uint32_t i = 0; i < s->n; i++) {
		struct split *p = &s->path[i];
		if (p->state != SPLIT_BARRIER || p->bar != bar)
			continue;
		if (fn)
			fn(arg, p);
		p->state = SPLIT_READY;
		p->pc++;
		any = true;
	}
	return any;
}

lanemask reconv_waiting(const struct reconv *s, unsigned bar)
{
	lanemask m = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->path[i].state == SPLIT_BARRIER &&
		    (s->path[i].bar == bar || bar == NBARRIERS))
			m |= s->path[i].mask;
	return m;
}

uint32_t reconv_where(const struct reconv *s, unsigned lane)
{
	uint32_t i = s->n - 1;
	while (i && !(s->path[i].mask >> lane & 1))
		i--;
	return s->path[i].pc;
}

/* ---- .sync operations ---- */

static bool is_at(const struct split *p, const struct split *of)
{
	return p->pc == of->pc && p->frame.rows == of->frame.rows;
}

static bool waits_with(const struct split *p, const struct split *of)
{
	return p->state == SPLIT_SYNC &&
	       ((p->place != SYNC_HERE && p->place == of->place) || is_at(p, of));
}

/* The lanes that would execute path `of`'s operation now: the path's own, and lanes of paths that wait at the
 * same operation (or anywhere, as it does) and are named by these lanes or name them. *missing: live lanes that are named and
 * have not arrived. */
static lanemask gather_partners(const struct reconv *s, const struct split *of, lanemask live,
				lanemask *missing)
{
	lanemask have = of->at, need = of->need, was;
	do {
		was = have;
		for (uint32_t i = 0; i < s->n; i++)
			if (waits_with(&s->path[i], of) && (s->path[i].at & need & ~have)) {
				have |= s->path[i].at;
				need |= s->path[i].need;
			}
	} while (have != was);
	*missing = need & live & ~have;
	return have;
}

/* Merges lanes that have met into one path if they return to one path, as hardware does: programs
 * rely on no lane running ahead of a lane that still has to do its part. */
static void merge_path(struct split *top, struct split *p)
{
	if (p->rpc != top->rpc || p->frame.depth != top->frame.depth || p->at != p->mask ||
	    top->at != top->mask)
		return;
	top->mask |= p->mask;
	top->at = top->mask;
	p->mask = 0;
}

void reconv_drop_empty(struct reconv *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->path[i].mask || i == s->n - 1)
			s->path[n++] = s->path[i];
	s->n = n;
}

lanemask reconv_sync(struct reconv *s, lanemask lanes, lanemask need, lanemask live, uint32_t place)
{
	struct split *top = reconv_top(s);
	bool forced = top->state == SPLIT_FORCED;
	lanemask missing, have;
	top->state = SPLIT_READY;
	top->at = lanes;
	top->need = need;
	top->place = forced && place >= SYNC_EXCHANGES ? SYNC_HERE : place;
	have = gather_partners(s, top, live, &missing);
	if (missing && !forced) {
		top->state = SPLIT_SYNC;
		return 0;
	}
	for (uint32_t i = 0; i + 1 < s->n; i++) {
		struct split *p = &s->path[i];
		if (!waits_with(p, top) || !(p->at & have))
			continue;
		if (place >= SYNC_EXCHANGES && !is_at(p, top)) {
			p->state = SPLIT_FORCED;
			have &= ~p->at;
			continue;
		}
		bool together = !forced && (place == SYNC_GATHERS || is_at(p, top));
		p->state = SPLIT_READY;
		p->pc++;
		if (together)
			merge_path(top, p);
	}
	return have;
}

/* Removes lanes that have ended: paths that waited for them check again. */
void reconv_exit(struct reconv *s, lanemask lanes, lanemask live)
{
	lanemask missing;
	reconv_top(s)->pc++; /* guarded: the lanes that do not exit continue */
	for (uint32_t i = 0; i < s->n; i++) {
		s->path[i].mask &= ~lanes;
		s->path[i].at &= ~lanes;
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (s->path[i].state == SPLIT_SYNC &&
		    (gather_partners(s, &s->path[i], live, &missing), !missing))
			s->path[i].state = SPLIT_READY;
}

void reconv_look_again(struct reconv *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->path[i].state == SPLIT_SYNC)
			s->path[i].state = SPLIT_READY;
}
