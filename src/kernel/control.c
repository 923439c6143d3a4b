#include "kernel/control.h"

#include "check/check.h"
#include "exec/lanes.h"
#include "kernel/call.h"
#include "kernel/trap.h"

enum { SHARES_MAX = 64 }; /* one per lane of the largest group */

/* The lane of the share that holds the thread at position p. */
static unsigned lane_at(const struct control *c, const struct share *s, unsigned p)
{
	return (c->lane ? c->lane[p] : p) - s->shift;
}

static bool has_fault(const struct control *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->share[i].ws->w.stop == STOP_FAULT)
			return true;
	return false;
}

static void run_brx(const struct control *c)
{
	const struct targets *t = c->u->targets;
	uint32_t to[SHARES_MAX];
	for (unsigned i = 0; i < c->n; i++) {
		struct warp *w = &c->share[i].ws->w;
		const uint32_t *index = row_u32(w, c->u->a);
		for (lanemask q = c->share[i].pos; q; q &= q - 1) {
			unsigned at = (unsigned)__builtin_ctzll(q);
			unsigned k = lane_at(c, &c->share[i], at);
			if (index[k] >= t->n) {
				exec_fault(w, c->u, k, HEDDLE_FAULT_BAD_CALL, index[k], 0,
					   "brx.idx with index %u: the list has %u targets",
					   index[k], t->n);
				return;
			}
			to[at] = t->pc[index[k]];
		}
	}
	c->ops->branch_indexed(c, to);
}

/* The lanes of the share that call f, among the lanes whose call has not been performed yet. */
static uint32_t lanes_calling(const struct control *c, const struct share *s,
			      const struct image_func *f)
{
	uint32_t lanes = 0;
	for (uint32_t q = s->lanes; q; q &= q - 1)
		if (call_target(s->ws, c->u, (uint32_t)__builtin_ctz(q)) == f)
			lanes |= q & -q;
	return lanes;
}

static lanemask positions_of(const struct control *c, const struct share *s, uint32_t lanes)
{
	lanemask m = 0;
	for (lanemask q = s->pos; q; q &= q - 1)
		if (lanes >> lane_at(c, s, (unsigned)__builtin_ctzll(q)) & 1)
			m |= q & -q;
	return m;
}

/* Makes the lanes that call function f leave their shares and enter it. Frames of all shares have one
 * layout, so the callee's frame is one for all. False: a fault. */
static bool enter_function(struct control *c, const struct image_func *f)
{
	struct frame callee = c->frame;
	lanemask lanes = 0;
	for (unsigned i = 0; i < c->n; i++) {
		struct share *s = &c->share[i];
		uint32_t own = lanes_calling(c, s, f);
		if (!own)
			continue;
		callee = c->frame;
		if (!call_frame(s->ws, c->u, f, &callee, own))
			return false;
		lanes |= positions_of(c, s, own);
		s->lanes &= ~own;
	}
	if (has_fault(c))
		return false;
	c->ops->call(c, lanes, f, &callee);
	return true;
}

/* Performs a call. An indirect call runs each function in turn, for the lanes that call it: the paths share one
 * frame, of which each lane has its own columns. */
static void run_call(struct control *c)
{
	if (c->u->call->builtin) {
		for (unsigned i = 0; i < c->n; i++)
			call_builtin(c->share[i].ws, c->u, &c->frame, c->share[i].lanes);
		c->ops->step(c, c->pc + 1);
		return;
	}
	for (unsigned i = 0; i < c->n; i++)
		while (c->share[i].lanes) {
			uint32_t first = (uint32_t)__builtin_ctz(c->share[i].lanes);
			const struct image_func *f = call_target(c->share[i].ws, c->u, first);
			if (!f || !enter_function(c, f))
				return;
		}
}

static void run_return(const struct control *c)
{
	const struct uop *code = c->share[0].ws->w.cta->l->img->code;
	struct share s[SHARES_MAX];
	struct frame to;
	uint32_t back;
	for (unsigned i = 0; i < c->n; i++)
		frames_leave(&c->share[i].ws->w, c->frame.lbase, c->share[i].lanes);
	for (lanemask rest = c->lanes, together; rest; rest &= ~together) {
		together = c->ops->caller(c, rest, &to, &back);
		unsigned n = c->ops->shares(c, together, s);
		for (unsigned i = 0; i < n; i++)
			call_results(s[i].ws, &code[back - 1], &to, c->frame.lbase, s[i].lanes);
	}
	c->ops->leave(c);
}

void control_end_lanes(struct wstate *ws, uint32_t lanes, uint32_t pc)
{
	struct cta *b = ws->w.cta;
	ws->w.live &= ~lanes;
	b->live -= (uint32_t)__builtin_popcount(lanes);
	if (b->live || !b->check)
		return;
	b->check->ended_at = pc;
	if (b->l->check_race)
		copies_left(&ws->w);
}

static void run_exit(const struct control *c)
{
	for (unsigned i = 0; i < c->n; i++)
		control_end_lanes(c->share[i].ws, c->share[i].lanes, c->pc);
	c->ops->ended(c);
}

bool control_run(struct control *c)
{
	uint64_t facts = op_info[c->u->op].facts;
	if ((facts & OF_EXITS) || ((facts & OF_RETURNS) && !c->frame.depth)) {
		run_exit(c);
		return true; /* the warp may have ended, so its storage must not be touched */
	}
	if (facts & OF_RETURNS)
		run_return(c);
	else if (facts & OF_INDEXED)
		run_brx(c);
	else if (facts & OF_CALL)
		run_call(c);
	else if (facts & OF_TRAPS)
		trap_executed(&c->share[0].ws->w, c->u, (unsigned)__builtin_ctz(c->share[0].lanes));
	else
		c->ops->step(c, c->pc + 1);
	return !has_fault(c);
}
