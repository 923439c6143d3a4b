#include "func/simt.h"

void simt_push(struct wstate *ws, struct split s)
{
	if (ws->sp == ws->cap) {
		ws->cap *= 2;
		ws->stack = xrealloc(ws->stack, ws->cap * sizeof *ws->stack);
	}
	ws->stack[ws->sp++] = s;
}

void simt_start(struct wstate *ws, uint32_t pc, uint32_t mask)
{
	ws->sp = 0;
	if (!ws->cap) {
		ws->cap = 16;
		ws->stack = xmalloc(ws->cap * sizeof *ws->stack);
	}
	simt_push(ws, (struct split){.pc = pc, .rpc = NO_PC, .mask = mask});
}

static void drop_empty(struct wstate *ws)
{
	while (ws->sp && !simt_top(ws)->mask)
		ws->sp--;
}

void simt_diverge(struct wstate *ws, uint32_t pc, uint32_t target, uint32_t reconv, uint32_t taken,
		  uint32_t rest)
{
	struct split *s = simt_top(ws), side = *s;
	if (reconv == NO_PC || reconv == s->rpc) {
		/* The entry to come back to is there already, or there is none: lanes that go straight
		 * to it just leave this entry, so a loop does not grow the stack. */
		bool known = reconv != NO_PC;
		if (known && target == reconv) {
			s->mask = rest;
			s->pc = pc + 1;
			return;
		}
		s->pc = target;
		s->mask = taken;
		if (known && pc + 1 == reconv)
			return;
		side.pc = pc + 1;
		side.mask = rest;
		simt_push(ws, side);
		return;
	}
	s->pc = reconv;
	side.rpc = reconv;
	if (target != reconv) {
		side.pc = target;
		side.mask = taken;
		simt_push(ws, side);
	}
	if (pc + 1 != reconv) {
		side.pc = pc + 1;
		side.mask = rest;
		simt_push(ws, side);
	}
}

void simt_reconverge(struct wstate *ws) { ws->sp--; }

struct split *simt_caller(struct wstate *ws, uint32_t lanes)
{
	uint32_t i = ws->sp - 1, depth = ws->stack[i].depth;
	while (i && (ws->stack[i].depth >= depth || !(ws->stack[i].mask & lanes)))
		i--;
	return &ws->stack[i];
}

void simt_return(struct wstate *ws, uint32_t lanes)
{
	uint32_t i = ws->sp, depth = simt_top(ws)->depth;
	while (i && ws->stack[i - 1].depth >= depth)
		ws->stack[--i].mask &= ~lanes;
	drop_empty(ws);
}

/* ---- .sync operations ---- */

/* Who executes the operation of entry `of` if it is executed now: its own lanes, and those who wait there for
 * or with them. *missing: who of the lanes that they name, and that live, is not there. */
static uint32_t together(const struct wstate *ws, const struct split *of, uint32_t *missing)
{
	uint32_t have = of->at, need = of->need, was;
	do {
		was = have;
		for (uint32_t i = 0; i < ws->sp; i++) {
			const struct split *s = &ws->stack[i];
			if (s->state == SPLIT_SYNC && s->pc == of->pc && s->rows == of->rows &&
			    (s->at & need & ~have)) {
				have |= s->at;
				need |= s->need;
			}
		}
	} while (have != was);
	*missing = need & ws->w.live & ~have;
	return have;
}

/* Lanes that have met go on together if their way back is the same, as the hardware's do: programs count on it that
 * none runs ahead of one that still has to do its part. */
static void join(struct split *top, struct split *s, bool forced)
{
	if (forced || s->rpc != top->rpc || s->depth != top->depth || s->at != s->mask ||
	    top->at != top->mask)
		return;
	top->mask |= s->mask;
	top->at = top->mask;
	s->mask = 0;
}

bool simt_sync_waits(struct wstate *ws, uint32_t *m)
{
	struct split *top = simt_top(ws);
	bool forced = top->state == SPLIT_FORCED;
	uint32_t missing, have = together(ws, top, &missing);
	top->state = missing && !forced ? SPLIT_SYNC : SPLIT_READY;
	if (top->state == SPLIT_SYNC)
		return true;
	for (uint32_t i = 0; i + 1 < ws->sp; i++) {
		struct split *s = &ws->stack[i];
		if (s->state == SPLIT_SYNC && s->pc == top->pc && s->rows == top->rows &&
		    (s->at & have)) {
			s->state = SPLIT_READY;
			s->pc++;
			join(top, s, forced);
		}
	}
	*m = have;
	return false;
}

/* Those who waited for lanes that have ended look again who is there. */
void simt_exit(struct wstate *ws, uint32_t lanes)
{
	uint32_t missing;
	for (uint32_t i = 0; i < ws->sp; i++) {
		ws->stack[i].mask &= ~lanes;
		ws->stack[i].at &= ~lanes;
	}
	drop_empty(ws);
	for (uint32_t i = 0; i < ws->sp; i++)
		if (ws->stack[i].state == SPLIT_SYNC &&
		    (together(ws, &ws->stack[i], &missing), !missing))
			ws->stack[i].state = SPLIT_READY;
}

static bool can_run(const struct split *s)
{
	return s->state == SPLIT_READY || s->state == SPLIT_FORCED;
}

bool simt_yield(struct wstate *ws)
{
	simt_top(ws)->polls = true;
	if (simt_pick(ws, true))
		return true;
	for (uint32_t i = 0; i < ws->sp; i++) /* all have polled: from the first on again, */
		ws->stack[i].polls = false;
	simt_pick(ws, true);
	return false; /* but other warps and blocks first: these lanes may wait for them */
}

bool simt_pick(struct wstate *ws, bool other)
{
	uint32_t above = 0;
	drop_empty(ws);
	for (uint32_t i = ws->sp; i-- > 0;) {
		struct split *s = &ws->stack[i];
		uint32_t own = s->mask & ~above;
		above |= s->mask;
		if (!own || !can_run(s) || (other && (s->polls || i == ws->sp - 1)))
			continue;
		if (i == ws->sp - 1)
			return true;
		struct split run = *s; /* detach the lanes that are here, on top of the others */
		run.mask = own;
		s->mask &= ~own;
		if (!s->mask) {
			memmove(s, s + 1, (ws->sp - i - 1) * sizeof *s);
			ws->sp--;
		}
		simt_push(ws, run);
		return true;
	}
	return false;
}
