/* Control bits: stall counts for results of fixed latency, counters and wait masks for those of
 * varying latency.
 *
 * 	ISETP.GE.AND P0, PT, R0, R2, PT;     stall 13: the branch reads P0
 * 	@P0 BRA ...;
 * 	LDG.E R4, desc[UR4][R2.64];          write counter 0
 * 	IADD3 R4, R4, 1, RZ;                 waits for counter 0
 *
 * An instruction of varying latency releases one counter: with a result, when the result is
 * available (its sources have been read by then); without a result, when its sources have been
 * read. A load whose address register is overwritten before its result is waited for releases a
 * counter of sources, too. First every block chooses counters. Then a forward data-flow over the
 * blocks finds, for each register, the counters that are not known to be 0 and the cycles until
 * results of fixed latency are available. The cycles that a block's first instruction needs are
 * added to the stall at the end of every preceding block. */
#include <stdlib.h>
#include <string.h>
#include "back/sm90/code.h"

/* Counters 0 to 4 are for results, 5 is for sources: of stores, and of loads whose address is soon
 * overwritten. SPARE: the longest stall that a block's last instruction takes itself. */
enum { COUNTERS = 6, SOURCES = 5, NONE = 7, MOST_STALL = 15, SPARE = 6 };

struct state {
	/* an analysed path leads here; false: the other fields are void */
	bool known;
	uint8_t written[RES_COUNT]; /* [resource]: counters that must be 0 before it is read or
				     * written */
	uint8_t read[RES_COUNT];    /* counters that must be 0 before it is written */
	int8_t ready[RES_COUNT][CONSUMERS]; /* cycles until each kind of consumer may read it */
	/* resources of which one of those may not be 0; in no order */
	uint16_t late[RES_COUNT], nlate;
	bool is_late[RES_COUNT];
};

struct control {
	struct code *c;
	struct issue *issue;      /* [line] */
	VEC(uint32_t) first;      /* [block], one more */
	uint32_t *block_of_label; /* [label] */
	struct state *in;         /* [block] */
	int *need;                /* [block]: cycles that must pass before its first instruction */
	bool *again;              /* [block] */
};

static bool ends_block(const struct mi *in) { return in->name && (in->label || in->ends); }

static void find_blocks(struct control *k)
{
	struct code *c = k->c;
	for (uint32_t i = 0; i < c->line.n; i++) {
		const struct mi *in = &c->line.v[i].in;
		bool leads = !i || ends_block(&c->line.v[i - 1].in) ||
			     (!in->name && c->line.v[i - 1].in.name);
		if (leads)
			vec_push(&k->first, i);
		if (!in->name)
			k->block_of_label[in->label] = (uint32_t)k->first.n - 1;
	}
	vec_push(&k->first, (uint32_t)c->line.n);
}

/* ---- counters ---- */

static bool reads_result(const struct issue *reader, const struct issue *maker)
{
	for (unsigned i = 0; i < reader->nread; i++)
		for (unsigned k = 0; k < maker->nwrite; k++) {
			const struct access *r = &reader->read[i], *w = &maker->write[k];
			if (r->first < w->first + w->n && w->first < r->first + r->n)
				return true;
		}
	return false;
}

static bool gives_result(const struct control *k, size_t i)
{
	return k->c->line.v[i].in.name && k->issue[i].counted && k->issue[i].nwrite;
}

/* Number of instructions with a result of varying latency from i on, up to the first reader of such
 * a result; examines at most a hundred. */
static unsigned count_together(const struct control *k, size_t i)
{
	enum { FAR = 100 };
	unsigned n = 0;
	for (size_t at = i; at < k->c->line.n && at < i + FAR; at++) {
		const struct mi *in = &k->c->line.v[at].in;
		if (!in->name || in->label || in->ends)
			return n;
		for (size_t m = i; m < at; m++)
			if (gives_result(k, m) && reads_result(&k->issue[at], &k->issue[m]))
				return n;
		n += gives_result(k, at);
	}
	return n;
}

static bool overwrites_source(const struct issue *writer, const struct issue *reader)
{
	for (unsigned i = 0; i < writer->nwrite; i++)
		for (unsigned k = 0; k < reader->nread; k++) {
			const struct access *w = &writer->write[i], *r = &reader->read[k];
			if (r->first < w->first + w->n && w->first < r->first + r->n)
				return true;
		}
	return false;
}

/* True if a source of instruction i is soon overwritten by an instruction that need not wait for i's result. */
static bool loses_source(const struct control *k, size_t i)
{
	enum { NEAR = 60 };
	for (size_t at = i + 1; at < k->c->line.n && at < i + NEAR; at++) {
		if (!k->c->line.v[at].in.name)
			continue;
		if (reads_result(&k->issue[at], &k->issue[i]) || k->issue[at].wall)
			return false;
		if (overwrites_source(&k->issue[at], &k->issue[i]))
			return true;
	}
	return false;
}

/* Number of counters, from 0 on, that are reserved for groups of copies. */
static unsigned count_kept(const struct control *k)
{
	unsigned n = 0;
	for (size_t i = 0; i < k->c->line.n; i++) {
		const struct mi *in = &k->c->line.v[i].in;
		int own = in->name ? issue_own_counter(in) : -1;
		n = own + 1 > (int)n ? (unsigned)own + 1 : n;
	}
	return n;
}

/* Results that are read together share a counter with their neighbours, so that the first reader
 * waits for at most a fifth of them. */
static void choose_counters(struct control *k)
{
	unsigned kept = count_kept(k), next = kept, left = 0, group = 1, in_group = 0;
	for (size_t i = 0; i < k->c->line.n; i++) {
		struct line *l = &k->c->line.v[i];
		const struct issue *x = &k->issue[i];
		l->control = (struct sm70_control){.write = NONE, .read = NONE};
		if (!l->in.name || !x->counted)
			continue;
		int own = issue_own_counter(&l->in);
		if (own >= 0) { /* the counter counts copies and no register: only DEPBAR waits for
				 * it */
			if (mi_is(&l->in, "LDGDEPBAR"))
				l->control.write = (uint8_t)own;
			else
				l->control.read = (uint8_t)own;
			continue;
		}
		if (!x->nwrite) {
			l->control.read = SOURCES;
			continue;
		}
		if (!left) {
			left = count_together(k, i);
			left = left ? left : 1;
			group = (left + SOURCES - kept - 1) / (SOURCES - kept);
			in_group = 0;
		}
		l->control.write = (uint8_t)next;
		if (loses_source(k, i))
			l->control.read = SOURCES;
		left--;
		if (++in_group == group || !left) {
			next = next + 1 < SOURCES ? next + 1 : kept;
			in_group = 0;
		}
	}
}

static void forget_counters(struct state *s, unsigned mask)
{
	for (unsigned r = 0; mask && r < RES_COUNT; r++) {
		s->written[r] &= (uint8_t)~mask;
		s->read[r] &= (uint8_t)~mask;
	}
}

static void note_late(struct state *s, unsigned r)
{
	if (s->is_late[r])
		return;
	s->is_late[r] = true;
	s->late[s->nlate++] = (uint16_t)r;
}

static void pass_time(struct state *s, int cycles)
{
	for (unsigned i = s->nlate; cycles > 0 && i-- > 0;) {
		unsigned r = s->late[i];
		bool more = false;
		for (unsigned k = 0; k < CONSUMERS; k++) {
			s->ready[r][k] =
				(int8_t)(s->ready[r][k] > cycles ? s->ready[r][k] - cycles : 0);
			more |= s->ready[r][k] > 0;
		}
		if (more)
			continue;
		s->is_late[r] = false;
		s->late[i] = s->late[--s->nlate];
	}
}

/* Counters that must be 0 before the instruction issues. */
static unsigned waits_of(const struct state *s, const struct issue *x)
{
	unsigned mask = x->wall ? (1u << COUNTERS) - 1 : 0;
	for (unsigned i = 0; i < x->nread; i++)
		for (unsigned r = x->read[i].first; r < x->read[i].first + (unsigned)x->read[i].n;
		     r++)
			mask |= s->written[r];
	for (unsigned i = 0; i < x->nwrite; i++)
		for (unsigned r = x->write[i].first;
		     r < x->write[i].first + (unsigned)x->write[i].n; r++)
			mask |= s->written[r] | s->read[r];
	return mask;
}

/* Cycles until the instruction may issue. */
static int needs_of(const struct state *s, const struct issue *x)
{
	int need = 0;
	for (unsigned i = 0; i < x->nread; i++) {
		unsigned by = x->read[i].guard ? BY_GUARD : x->consumer;
		for (unsigned r = x->read[i].first; r < x->read[i].first + (unsigned)x->read[i].n;
		     r++)
			need = s->ready[r][by] > need ? s->ready[r][by] : need;
	}
	for (unsigned i = 0; i < x->nwrite; i++) /* a later write is not overtaken */
		for (unsigned r = x->write[i].first;
		     r < x->write[i].first + (unsigned)x->write[i].n; r++) {
			int own = x->counted ? 0 : (int)issue_latency(x, r, BY_OTHER);
			int left = s->ready[r][BY_OTHER] - own + 1;
			need = s->ready[r][BY_OTHER] && left > need ? left : need;
		}
	return need;
}

static void write_results(struct state *s, const struct issue *x, const struct sm70_control *l)
{
	for (unsigned i = 0; i < x->nread; i++)
		for (unsigned r = x->read[i].first; r < x->read[i].first + (unsigned)x->read[i].n;
		     r++)
			s->read[r] |= (uint8_t)(l->read != NONE    ? 1u << l->read
						: l->write != NONE ? 1u << l->write
								   : 0);
	for (unsigned i = 0; i < x->nwrite; i++)
		for (unsigned r = x->write[i].first;
		     r < x->write[i].first + (unsigned)x->write[i].n; r++) {
			if (l->write != NONE) {
				s->written[r] |= (uint8_t)(1u << l->write);
				memset(s->ready[r], 0, sizeof s->ready[r]);
				continue;
			}
			for (unsigned c = 0; c < CONSUMERS; c++)
				s->ready[r][c] = (int8_t)issue_latency(x, r, c);
			note_late(s, r);
		}
}

/* Walks through a block from the state at its beginning and sets stalls that satisfy each
 * instruction; returns the cycles that must pass before the first one. */
static int walk_block(struct control *k, uint32_t b, struct state *s)
{
	int need_first = -1;
	struct line *before = NULL;
	for (uint32_t i = k->first.v[b]; i < k->first.v[b + 1]; i++) {
		struct line *l = &k->c->line.v[i];
		const struct issue *x = &k->issue[i];
		if (!l->in.name)
			continue;
		unsigned wait = waits_of(s, x);
		forget_counters(s, wait);
		int need = needs_of(s, x);
		if (before) {
			before->control.stall = (uint8_t)(before->control.stall + need);
		} else {
			need_first = need;
		}
		pass_time(s, need);
		l->control.wait = (uint8_t)wait;
		l->control.stall = x->stall;
		write_results(s, x, &l->control);
		pass_time(s, x->stall);
		before = l;
	}
	return need_first < 0 ? 0 : need_first;
}

static bool merge_state(struct state *to, const struct state *from)
{
	bool change = !to->known;
	to->known = true;
	for (unsigned r = 0; r < RES_COUNT; r++) {
		uint8_t w = to->written[r] | from->written[r], d = to->read[r] | from->read[r];
		change |= w != to->written[r] || d != to->read[r];
		to->written[r] = w;
		to->read[r] = d;
		for (unsigned c = 0; c < CONSUMERS; c++)
			if (from->ready[r][c] > to->ready[r][c]) {
				to->ready[r][c] = from->ready[r][c];
				note_late(to, r);
				change = true;
			}
	}
	return change;
}

static unsigned next_blocks(const struct control *k, uint32_t b, uint32_t to[2])
{
	uint32_t end = k->first.v[b + 1];
	const struct mi *last = &k->c->line.v[end - 1].in;
	unsigned n = 0;
	bool falls = !last->name || !last->ends || last->guard != V_TRUE;
	if (falls && b + 2 < k->first.n)
		to[n++] = b + 1;
	if (last->name && last->label)
		to[n++] = k->block_of_label[last->label - 1];
	return n;
}

static void connect_blocks(struct control *k)
{
	uint32_t n = (uint32_t)k->first.n - 1;
	struct state *s = xmalloc(sizeof *s);
	k->in[0].known = true;
	k->again[0] = true;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = 0; b < n; b++) {
			if (!k->again[b])
				continue;
			k->again[b] = false;
			*s = k->in[b];
			k->need[b] = walk_block(k, b, s);
			uint32_t to[2];
			unsigned count = next_blocks(k, b, to);
			for (unsigned i = 0; i < count; i++)
				if (merge_state(&k->in[to[i]], s)) {
					k->again[to[i]] = true;
					more = true;
				}
		}
	}
	free(s);
}

static struct line nop_line(int stall)
{
	return (struct line){.in = {.name = "NOP", .guard = V_TRUE},
			     .control = {.stall = (uint8_t)stall, .write = NONE, .read = NONE}};
}

/* A stall that exceeds its field becomes NOPs. Cycles that all paths into a block need become a
 * stall at the block's beginning if the previous instruction's stall field cannot hold them. */
static void place_stalls(struct control *k)
{
	VEC(struct line) out = {0};
	uint32_t n = (uint32_t)k->first.n - 1;
	for (uint32_t b = 0; b < n; b++) {
		bool late = k->need[b] > MOST_STALL - SPARE, begun = false;
		uint32_t last = k->first.v[b + 1];
		while (last > k->first.v[b] && !k->c->line.v[last - 1].in.name)
			last--;
		for (uint32_t i = k->first.v[b]; i < k->first.v[b + 1]; i++) {
			struct line l = k->c->line.v[i];
			if (l.in.name && !begun) {
				begun = true;
				for (int left = late ? k->need[b] : 0; left > 0; left -= MOST_STALL)
					vec_push(&out,
						 nop_line(left < MOST_STALL ? left : MOST_STALL));
			}
			int stall = l.control.stall, more = 0;
			if (l.in.name && i + 1 == last)
				for (unsigned q = 0; q < 2; q++) {
					uint32_t to[2];
					if (q >= next_blocks(k, b, to))
						break;
					int need = k->need[to[q]];
					if (need <= MOST_STALL - SPARE && need > more)
						more = need;
				}
			stall += more;
			int rest = stall > MOST_STALL ? stall - MOST_STALL : 0;
			l.control.stall = (uint8_t)(stall - rest);
			l.control.yield = l.control.stall >= 12;
			vec_push(&out, l);
			for (; rest > 0; rest -= MOST_STALL)
				vec_push(&out, nop_line(rest < MOST_STALL ? rest : MOST_STALL));
		}
	}
	vec_free(&k->c->line);
	k->c->line.v = out.v;
	k->c->line.n = out.n;
	k->c->line.cap = out.cap;
}

void code_control(struct code *c)
{
	struct control k = {.c = c};
	size_t n = c->line.n;
	k.issue = xcalloc(n + 1, sizeof *k.issue);
	k.block_of_label = xcalloc(c->m->labels + 1, sizeof *k.block_of_label);
	for (size_t i = 0; i < n; i++)
		issue_find(&k.issue[i], c->m, &c->line.v[i].in);
	find_blocks(&k);
	size_t blocks = k.first.n;
	k.in = xcalloc(blocks, sizeof *k.in);
	k.need = xcalloc(blocks, sizeof *k.need);
	k.again = xcalloc(blocks, sizeof *k.again);
	choose_counters(&k);
	if (n)
		connect_blocks(&k);
	place_stalls(&k);
	free(k.issue);
	free(k.block_of_label);
	free(k.in);
	free(k.need);
	free(k.again);
	vec_free(&k.first);
}
