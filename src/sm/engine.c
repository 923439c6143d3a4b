#include "sm/engine.h"

#include "exec/tma/log.h"
#include "isa/sm70/issue.h"
#include "sm/lsu.h"

enum { LINE = 128, ENGINE_EVENT = UINT32_MAX };

struct copy { /* a copy that the engine performs */
	struct copy *next;
	struct flight *op;
	struct tx *line;
	uint32_t lines, sent;
	bool write;
	const struct cta *block; /* block that issued the copy */
	VEC(uint32_t) barrier;   /* mbarriers of that block: offsets in shared memory */
};

/* Number of copies that an mbarrier still awaits. */
struct lack {
	const struct cta *block;
	uint32_t at, copies;
};

enum wait_for { FOR_BARRIER, FOR_LANES, FOR_STORES };
struct waiter {
	enum wait_for what;
	struct flight *op; /* NULL: at the end of the wait the mbarrier awaits one copy fewer */
	const struct cta *block;
	uint32_t at;    /* offset of the mbarrier in shared memory */
	uint32_t until; /* FOR_LANES, FOR_STORES: number of the last of the warp's copies that the
		        * wait covers */
	uint16_t warp;
};

struct counts { /* copies of the warps in one slot, since the SM was built */
	uint32_t lanes, lanes_done, stores, stores_done;
};

struct engine {
	struct copy_times t;
	struct copy *first, *last; /* copies that have lines to send; the first is being sent */
	struct copy *sent;         /* copies whose lines have all been sent */
	struct event ev;
	bool posted;  /* ev is in the wheel */
	cycle_t next; /* cycle in which the next copy may start */
	VEC(struct lack) lack;
	VEC(struct waiter) waiter;
	VEC(struct counts) warp;
};

struct engine *engine_new(const struct copy_times *t)
{
	struct engine *c = xcalloc(1, sizeof *c);
	c->t = *t;
	c->ev.kind = EV_PIPE;
	c->ev.arg = ENGINE_EVENT;
	return c;
}

static void free_copy(struct copy *x)
{
	vec_free(&x->barrier);
	free(x->line);
	free(x);
}

static void free_list(struct copy *x)
{
	while (x) {
		struct copy *next = x->next;
		free_copy(x);
		x = next;
	}
}

void engine_free(struct engine *c)
{
	free_list(c->first);
	free_list(c->sent);
	vec_free(&c->lack);
	vec_free(&c->waiter);
	vec_free(&c->warp);
	free(c);
}

static struct counts *counts_of(struct engine *c, unsigned warp)
{
	while (c->warp.n <= warp)
		vec_push(&c->warp, (struct counts){0});
	return &c->warp.v[warp];
}

/* ---- mbarriers ---- */

static struct lack *find_lack(struct engine *c, const struct cta *b, uint32_t at)
{
	for (size_t i = 0; i < c->lack.n; i++)
		if (c->lack.v[i].block == b && c->lack.v[i].at == at)
			return &c->lack.v[i];
	return NULL;
}

static void add_lack(struct engine *c, const struct cta *b, uint32_t at)
{
	struct lack *l = find_lack(c, b, at);
	if (l)
		l->copies++;
	else
		vec_push(&c->lack, (struct lack){b, at, 1});
}

static void wake(struct sm *sm, struct engine *c, struct flight *op)
{
	wheel_post(&sm->wheel, &op->ev, sm->now + c->t.wake);
}

static void drop_waiter(struct engine *c, size_t i) { c->waiter.v[i] = c->waiter.v[--c->waiter.n]; }

static void take_lack(struct sm *sm, struct engine *c, const struct cta *b, uint32_t at)
{
	struct lack *l = find_lack(c, b, at);
	if (!l || --l->copies)
		return;
	*l = c->lack.v[--c->lack.n];
	for (size_t i = c->waiter.n; i--;) {
		const struct waiter *w = &c->waiter.v[i];
		if (w->what != FOR_BARRIER || w->block != b || w->at != at)
			continue;
		wake(sm, c, w->op);
		drop_waiter(c, i);
	}
}

/* ---- the engine ---- */

static void post_engine(struct sm *sm, struct engine *c, cycle_t at)
{
	c->posted = true;
	wheel_post(&sm->wheel, &c->ev, at > sm->now ? at : sm->now + 1);
}

/* Splits the pieces into lines; each row of a box is requested separately. */
static void split_pieces(struct copy *x, const struct copy_log *log)
{
	size_t n = 0;
	for (size_t i = 0; i < log->piece.n; i++)
		n += log->piece.v[i].bytes / LINE + 2;
	x->line = xcalloc(n + 1, sizeof *x->line);
	for (size_t i = 0; i < log->piece.n; i++) {
		uint64_t at = log->piece.v[i].addr, end = at + log->piece.v[i].bytes;
		while (at < end) {
			uint64_t base = at / LINE * LINE;
			uint64_t stop = base + LINE < end ? base + LINE : end;
			uint32_t pieces = msg_pieces(base, at, (uint32_t)(stop - at));
			x->line[x->lines++] = (struct tx){
				.addr = base,
				.pieces = pieces,
				.bytes = (uint16_t)(__builtin_popcount(pieces) * MSG_PIECE),
				.full = stop - at == LINE};
			at = stop;
		}
	}
}

void engine_copy(struct sm *sm, struct engine *c, struct flight *op)
{
	struct copy_log *log = sm->copies;
	struct copy *x = xcalloc(1, sizeof *x);
	x->op = op;
	x->write = log->write;
	split_pieces(x, log);
	x->block = sm->warp[op->warp].b->cta;
	for (size_t i = 0; i < log->barrier.n; i++)
		if (log->barrier.v[i].block == x->block) {
			vec_push(&x->barrier, log->barrier.v[i].at);
			add_lack(c, x->block, log->barrier.v[i].at);
		}
	if (x->write)
		counts_of(c, op->warp)->stores++;
	log->piece.n = log->barrier.n =
		0; /* the executor skips prefetches, so the log would be an earlier copy's */
	op->unanswered = (uint16_t)(x->write ? 1 : x->lines + 1);
	if (c->last)
		c->last->next = x;
	else
		c->first = x;
	c->last = x;
	if (!c->posted) {
		cycle_t at = sm->now + c->t.delay;
		post_engine(sm, c, at > c->next ? at : c->next);
	}
}

/* Sends the next line. False: the network refuses it. */
static bool send_line(struct sm *sm, struct copy *x)
{
	const struct tx *t = &x->line[x->sent];
	enum l1_result r = x->write ? l1_send_write(sm, t) : l1_past(sm, t, false, x->op->ev.arg);
	if (r == L1_REFUSED)
		return false;
	x->sent++;
	return true;
}

bool engine_event(struct sm *sm, struct engine *c, struct event *ev)
{
	if (ev != &c->ev)
		return false;
	struct copy *x = c->first;
	c->posted = false;
	if (!x)
		return true;
	if (!x->sent)
		c->next = sm->now + (x->write ? c->t.store_interval : c->t.interval);
	bool sent = x->sent < x->lines && send_line(sm, x);
	/* a full line of data leaves the SM in four cycles */
	cycle_t again = sm->now + (sent && x->write ? (x->line[x->sent - 1].bytes + 31u) / 32u : 1);
	if (x->sent == x->lines) {
		c->first = x->next;
		if (!c->first)
			c->last = NULL;
		x->next = c->sent;
		c->sent = x;
		lsu_answer(sm,
			   x->op->ev.arg); /* counts as an answer: op also waits for the sending */
		again = again > c->next ? again : c->next;
	}
	if (c->first)
		post_engine(sm, c, again);
	return true;
}

/* ---- the end of copies ---- */

static void let_waiters_go(struct sm *sm, struct engine *c, enum wait_for what, unsigned warp,
			   uint32_t done)
{
	for (size_t i = c->waiter.n; i--;) {
		struct waiter w = c->waiter.v[i];
		if (w.what != what || w.warp != warp || (int32_t)(done - w.until) < 0)
			continue;
		drop_waiter(c, i);
		if (w.op)
			wake(sm, c, w.op);
		else
			take_lack(sm, c, w.block, w.at);
	}
}

static void end_copy(struct sm *sm, struct engine *c, const struct flight *op)
{
	struct copy **p = &c->sent;
	while (*p && (*p)->op != op)
		p = &(*p)->next;
	struct copy *x = *p;
	if (!x)
		return;
	*p = x->next;
	for (size_t i = 0; i < x->barrier.n; i++)
		take_lack(sm, c, x->block, x->barrier.v[i]);
	if (x->write)
		let_waiters_go(sm, c, FOR_STORES, op->warp, ++counts_of(c, op->warp)->stores_done);
	free_copy(x);
}

void engine_lanes(struct engine *c, unsigned warp) { counts_of(c, warp)->lanes++; }

void engine_ended(struct sm *sm, struct engine *c, const struct flight *op)
{
	switch (op->t->issue ? op->t->issue->asynchronous : SM70_SYNCHRONOUS) {
	case SM70_COPY: end_copy(sm, c, op); break;
	case SM70_LANE_COPY:
		let_waiters_go(sm, c, FOR_LANES, op->warp, ++counts_of(c, op->warp)->lanes_done);
		break;
	}
}

bool engine_wait_barrier(struct sm *sm, struct engine *c, struct flight *op, const struct cta *b,
			 uint32_t at)
{
	(void)sm;
	if (!find_lack(c, b, at))
		return false;
	vec_push(&c->waiter, (struct waiter){.what = FOR_BARRIER, .op = op, .block = b, .at = at});
	return true;
}

static bool wait_for(struct engine *c, enum wait_for what, struct flight *op, uint32_t issued,
		     uint32_t done)
{
	if (issued == done)
		return false;
	vec_push(&c->waiter,
		 (struct waiter){.what = what, .op = op, .warp = op->warp, .until = issued});
	return true;
}

bool engine_wait_lanes(struct engine *c, struct flight *op)
{
	const struct counts *n = counts_of(c, op->warp);
	return wait_for(c, FOR_LANES, op, n->lanes, n->lanes_done);
}

bool engine_wait_stores(struct engine *c, struct flight *op)
{
	const struct counts *n = counts_of(c, op->warp);
	return wait_for(c, FOR_STORES, op, n->stores, n->stores_done);
}

void engine_arrive(struct engine *c, unsigned warp, const struct cta *b, uint32_t at)
{
	const struct counts *n = counts_of(c, warp);
	if (n->lanes == n->lanes_done)
		return;
	add_lack(c, b, at);
	vec_push(&c->waiter, (struct waiter){.what = FOR_LANES,
					     .block = b,
					     .at = at,
					     .until = n->lanes,
					     .warp = (uint16_t)warp});
}
