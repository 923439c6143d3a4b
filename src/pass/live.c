/* Liveness, one register at a time: from each block that reads the register before writing it, walk
 * back over predecessors until a block that writes it. The cost is the size of the answer. Bit sets per
 * block would cost blocks times registers: with 20,000 registers and 10,000 blocks a set takes 25 MB,
 * nearly all zero, because most registers live in a single block. Results are described in
 * pass/live.h. */
#include "pass/live.h"

#include "pass/regs.h"

enum { EV_USE, EV_DEF, EV_KILL }; /* EV_DEF: guarded write, the old value may stay */

struct event {
	uint32_t reg, pc, kind;
};

struct builder {
	const struct cfg *c;
	/* reads and writes by register, then in code order, reads before writes */
	struct event *ev;
	uint32_t *ev_at; /* nregs + 1 entries: first event of each register */
	uint32_t *in, *out,
		*kill;   /* [block] == reg + 1: live at entry, live at exit, overwritten */
	uint32_t *known; /* [block] == reg + 1: the block is in `touched` */
	uint32_t *touched,
		ntouched; /* blocks with events of the register, or in which it is live */
	uint32_t *stack;
	VEC(struct seg) seg, rev;
	VEC(uint32_t) entry;
};

/* ---- events by register ---- */

typedef VEC(struct event) event_vec;

static void scan_inst(event_vec *ev, const struct func *f, uint32_t pc)
{
	const struct inst *in = &f->code.v[pc];
	uint32_t r[INST_REGS];
	unsigned n = inst_uses(f, in, r);
	for (unsigned k = 0; k < n; k++)
		vec_push(ev, (struct event){r[k], pc, EV_USE});
	n = inst_defs(f, in, r);
	for (unsigned k = 0; k < n; k++)
		vec_push(ev, (struct event){r[k], pc, inst_kills(in) ? EV_KILL : EV_DEF});
}

static void find_events(struct builder *s, struct arena *tmp, const struct func *f)
{
	const struct cfg *c = s->c;
	uint32_t nregs = (uint32_t)f->regs.n;
	event_vec ev = {0};
	for (uint32_t b = 0; b < c->n; b++)
		if (cfg_reached(c, b))
			for (uint32_t i = c->block[b].first; i < c->block[b].end; i++)
				scan_inst(&ev, f, i);
	s->ev = ARENA_ARRAY(tmp, struct event, ev.n);
	s->ev_at = ARENA_ARRAY(tmp, uint32_t, nregs + 1);
	for (size_t i = 0; i < ev.n; i++)
		s->ev_at[ev.v[i].reg]++;
	for (uint32_t r = 0, sum = 0; r <= nregs; r++)
		s->ev_at[r] = sum += s->ev_at[r];
	for (size_t i = ev.n; i-- > 0;)
		s->ev[--s->ev_at[ev.v[i].reg]] = ev.v[i];
	vec_free(&ev);
}

/* ---- blocks where a register is live ---- */

static void touch_block(struct builder *s, uint32_t b, uint32_t mark)
{
	if (s->known[b] == mark)
		return;
	s->known[b] = mark;
	s->touched[s->ntouched++] = b;
}

/* Marks the blocks that write the register and pushes the blocks that read it first. */
static uint32_t scan_blocks(struct builder *s, uint32_t reg)
{
	uint32_t depth = 0, mark = reg + 1;
	for (uint32_t i = s->ev_at[reg]; i < s->ev_at[reg + 1]; i++) {
		uint32_t b = s->c->block_of[s->ev[i].pc];
		touch_block(s, b, mark);
		if (s->ev[i].kind == EV_KILL)
			s->kill[b] = mark;
		if (s->ev[i].kind == EV_USE && s->kill[b] != mark && s->in[b] != mark) {
			s->in[b] = mark;
			s->stack[depth++] = b;
		}
	}
	return depth;
}

static void walk_back(struct builder *s, uint32_t reg)
{
	uint32_t depth = scan_blocks(s, reg), mark = reg + 1;
	while (depth) {
		uint32_t b = s->stack[--depth];
		graph_each_pred (&s->c->g, b, p) {
			if (!cfg_reached(s->c, p))
				continue;
			s->out[p] = mark;
			if (s->kill[p] == mark || s->in[p] == mark)
				continue;
			s->in[p] = mark;
			touch_block(s, p, mark);
			s->stack[depth++] = p;
		}
	}
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}

static void sort_touched(struct builder *s, uint32_t mark)
{
	if (s->ntouched >
	    s->c->n / 16) { /* many: collecting them in order costs less than sorting */
		s->ntouched = 0;
		for (uint32_t b = 0; b < s->c->n; b++)
			if (s->known[b] == mark)
				s->touched[s->ntouched++] = b;
	} else if (s->ntouched > 1) {
		qsort(s->touched, s->ntouched, sizeof *s->touched, by_number);
	}
}

/* ---- segments ---- */

static void add_seg(struct builder *s, uint32_t first, struct seg g)
{
	if (s->seg.n > first && s->seg.v[s->seg.n - 1].to >= g.from)
		s->seg.v[s->seg.n - 1].to = g.to;
	else
		vec_push(&s->seg, g);
}

/* The register's segments in one block, found from the block's end to its start. ev[0 .. n-1] are the
 * register's events in the block. */
static void block_segs(struct builder *s, uint32_t b, uint32_t mark, const struct event *ev,
		       uint32_t n, uint32_t first)
{
	const struct basic_block *blk = &s->c->block[b];
	bool live = s->out[b] == mark;
	uint32_t end = 2 * blk->end;
	s->rev.n = 0;
	for (uint32_t i = n; i-- > 0;) {
		uint32_t pc = ev[i].pc;
		if (ev[i].kind == EV_USE) {
			end = live ? end : 2 * pc + 1;
			live = true;
		} else if (!live) {
			vec_push(&s->rev, (struct seg){2 * pc + 1, 2 * pc + 2}); /* never read */
		} else if (ev[i].kind == EV_KILL) {
			vec_push(&s->rev, (struct seg){2 * pc + 1, end});
			live = false;
		}
	}
	if (live)
		add_seg(s, first, (struct seg){2 * blk->first, end});
	for (size_t i = s->rev.n; i-- > 0;)
		add_seg(s, first, s->rev.v[i]);
}

static void reg_segs(struct builder *s, uint32_t reg)
{
	uint32_t mark = reg + 1, i = s->ev_at[reg], first = (uint32_t)s->seg.n;
	s->ntouched = 0;
	walk_back(s, reg);
	sort_touched(s, mark);
	for (uint32_t k = 0; k < s->ntouched; k++) {
		uint32_t b = s->touched[k], j = i;
		while (j < s->ev_at[reg + 1] && s->c->block_of[s->ev[j].pc] == b)
			j++;
		block_segs(s, b, mark, &s->ev[i], j - i, first);
		i = j;
	}
	if (s->c->n && s->in[0] == mark)
		vec_push(&s->entry, reg);
}

void live_build(struct live *l, const struct func *f, const struct cfg *c)
{
	struct arena tmp = {0};
	struct builder s = {.c = c};
	uint32_t nregs = (uint32_t)f->regs.n,
		 **array[] = {&s.in, &s.out, &s.kill, &s.known, &s.touched, &s.stack};
	for (size_t i = 0; i < sizeof array / sizeof *array; i++)
		*array[i] = ARENA_ARRAY(&tmp, uint32_t, c->n + 1);
	find_events(&s, &tmp, f);
	l->nregs = nregs;
	l->at = ARENA_ARRAY(c->arena, uint32_t, nregs + 1);
	for (uint32_t r = 0; r < nregs; r++) {
		reg_segs(&s, r);
		l->at[r + 1] = (uint32_t)s.seg.n;
	}
	l->seg = ARENA_ARRAY(c->arena, struct seg, s.seg.n);
	l->entry = ARENA_ARRAY(c->arena, uint32_t, s.entry.n);
	l->nentry = (uint32_t)s.entry.n;
	if (s.seg.n)
		memcpy(l->seg, s.seg.v, s.seg.n * sizeof *l->seg);
	if (s.entry.n)
		memcpy(l->entry, s.entry.v, s.entry.n * sizeof *l->entry);
	vec_free(&s.seg);
	vec_free(&s.rev);
	vec_free(&s.entry);
	arena_free(&tmp);
}

bool live_at(const struct live *l, uint32_t reg, uint32_t point)
{
	uint32_t lo = l->at[reg], hi = l->at[reg + 1];
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (l->seg[mid].to <= point)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->at[reg + 1] && l->seg[lo].from <= point;
}
