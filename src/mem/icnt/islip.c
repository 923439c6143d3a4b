/* A crossbar with a queue per pair of input and output, whose matching is found by iSLIP
 * (McKeown, IEEE/ACM Transactions on Networking 7(2), 1999, section III). In each cycle,
 * `icnt.iterations` times:
 *
 *   request   an unmatched input asks every output that it has a packet for;
 *   grant     an unmatched output chooses the input at or next after its pointer;
 *   accept    an input with grants chooses the output at or next after its pointer. Both pointers
 *             move one beyond the choice, if it was made in the first iteration.
 *
 * A match lasts until the packet's last flit has gone through. Unlike in `crossbar`, an input sends
 * to one output at a time, and outputs take turns among inputs instead of taking packets in order
 * of arrival. */
#include "conf/machine.h"
#include "mem/icnt/switch.h"

struct options {
	uint32_t iterations;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, iterations, "icnt.iterations", 1, 1, 16, "",
		   "islip: rounds of requests, grants and acceptances per "
		   "cycle"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options)};

enum { NONE = UINT32_MAX };

struct packet {
	struct msg msg;
	uint32_t next;
};

struct queue {
	uint32_t first, last;
};

struct side {         /* an input or an output */
	cycle_t free; /* cycle in which the input's or output's match has ended */
	unsigned pointer;
	unsigned choice; /* partner granted or accepted in this iteration; NONE */
};

struct xbar {
	struct plane p;
	struct side *in, *out;
	struct queue *queue; /* queue of output o and input i: o * nin + i */
	uint64_t *asks;      /* per output: mask of inputs with packets for it */
	struct packet *pool;
	uint32_t free;
};

struct islip {
	struct xswitch s;
	struct xbar request, reply;
	unsigned iterations;
};

/* ---- set-up ---- */

static void xbar_init(struct xbar *x, unsigned flits, struct arena *a)
{
	size_t pairs = (size_t)x->p.nin * x->p.nout;
	x->in = ARENA_ARRAY(a, struct side, x->p.nin);
	x->out = ARENA_ARRAY(a, struct side, x->p.nout);
	x->queue = ARENA_ARRAY(a, struct queue, pairs);
	x->asks = ARENA_ARRAY(a, uint64_t, (size_t)x->p.nout * x->p.words);
	for (size_t i = 0; i < pairs; i++)
		x->queue[i] = (struct queue){NONE, NONE};
	uint32_t most = (uint32_t)pairs * flits; /* capacity by credits, one flit per packet */
	x->pool = ARENA_ARRAY(a, struct packet, most);
	for (uint32_t i = 0; i < most; i++)
		x->pool[i].next = i + 1;
}

/* ---- queues ---- */

static void enter(struct icnt *n, struct plane *p, unsigned from, unsigned to, const struct msg *m)
{
	(void)n;
	struct xbar *x = (struct xbar *)p;
	struct queue *q = &x->queue[(size_t)to * x->p.nin + from];
	uint32_t i = x->free;
	x->free = x->pool[i].next;
	x->pool[i] = (struct packet){*m, NONE};
	if (q->first == NONE)
		q->first = i;
	else
		x->pool[q->last].next = i;
	q->last = i;
	x->asks[(size_t)to * x->p.words + from / 64] |= 1ull << from % 64;
	x->p.held++;
}

static struct msg pop_packet(struct xbar *x, unsigned from, unsigned to)
{
	struct queue *q = &x->queue[(size_t)to * x->p.nin + from];
	struct packet *p = &x->pool[q->first];
	uint32_t i = q->first;
	q->first = p->next;
	if (q->first == NONE)
		x->asks[(size_t)to * x->p.words + from / 64] &= ~(1ull << from % 64);
	p->next = x->free;
	x->free = i;
	x->p.held--;
	return p->msg;
}

/* ---- a cycle ---- */

/* True if the first packet of the pair could go now. */
static bool may_go(struct islip *s, const struct xbar *x, unsigned from, unsigned to, cycle_t t)
{
	if (x->in[from].free > t)
		return false;
	const struct msg *m = &x->pool[x->queue[(size_t)to * x->p.nin + from].first].msg;
	return m->time <= t && (!x->p.to_slices || s->s.slices.to[to].free >= m->flits);
}

static unsigned choose_input(struct islip *s, const struct xbar *x, unsigned to, cycle_t t)
{
	const uint64_t *asks = x->asks + (size_t)to * x->p.words;
	unsigned start = x->out[to].pointer, w = start / 64;
	uint64_t set = asks[w] >>
		       start % 64 << start % 64; /* inputs before the pointer are examined last */
	for (unsigned k = 0; k <= x->p.words; k++) {
		for (; set; set &= set - 1) {
			unsigned from = w * 64 + (unsigned)__builtin_ctzll(set);
			if (may_go(s, x, from, to, t))
				return from;
		}
		w = (w + 1) % x->p.words;
		set = asks[w];
	}
	return NONE;
}

static unsigned after(unsigned pointer, unsigned i, unsigned n)
{
	return i >= pointer ? i - pointer : i + n - pointer;
}

static void send_packet(struct icnt *n, struct xbar *x, unsigned from, unsigned to, cycle_t t)
{
	struct islip *s = n->state;
	struct msg m = pop_packet(x, from, to);
	cycle_t end = t + m.flits;
	x->in[from].free = x->out[to].free = end;
	if (x->p.to_slices) {
		s->s.slices.to[to].free -= m.flits;
		credit_return(&n->port[from].credits, to, ratio_up(n->to_core, end + n->round),
			      m.flits);
		icnt_arrive(n, &m, t);
	} else {
		STAT(&n->stats, reply_wait) += t - m.time;
		credit_return(&n->end[from]->credits, to, end + n->round, m.flits);
		icnt_deliver(n, &m, t);
	}
}

/* One iteration; true: at least one pair was matched. */
static bool match_once(struct icnt *n, struct xbar *x, cycle_t t, bool first)
{
	struct islip *s = n->state;
	bool any = false;
	for (unsigned i = 0; i < x->p.nin; i++)
		x->in[i].choice = NONE;
	for (unsigned o = 0; o < x->p.nout; o++) {
		unsigned i = x->out[o].free <= t ? choose_input(s, x, o, t) : NONE;
		if (i == NONE)
			continue;
		struct side *in = &x->in[i];
		if (in->choice == NONE ||
		    after(in->pointer, o, x->p.nout) < after(in->pointer, in->choice, x->p.nout))
			in->choice = o;
		any = true;
	}
	for (unsigned i = 0; any && i < x->p.nin; i++) {
		unsigned o = x->in[i].choice;
		if (o == NONE)
			continue;
		send_packet(n, x, i, o, t);
		if (first) {
			x->in[i].pointer = (o + 1) % x->p.nout;
			x->out[o].pointer = (i + 1) % x->p.nin;
		}
	}
	return any;
}

static void cycle(struct icnt *n, struct plane *p, cycle_t t)
{
	struct islip *s = n->state;
	for (unsigned k = 0; k < s->iterations && match_once(n, (struct xbar *)p, t, k == 0); k++)
		;
}

/* ---- the policy ---- */

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	(void)d;
	struct islip *s = n->state = ARENA_NEW(a, struct islip);
	s->s.enter = enter;
	s->s.cycle = cycle;
	s->iterations = ((const struct options *)machine_own(m, &options))->iterations;
	switch_init(n, &s->s, &s->request.p, &s->reply.p, a);
	xbar_init(&s->request, n->flits, a);
	xbar_init(&s->reply, n->flits, a);
	return true;
}

const struct icnt_ops icnt_islip = {
	.p = {"islip", "a crossbar matched by iSLIP: an input sends to one output at a time", "",
	      .options = {&options}},
	.init = init,
	SWITCH_OPS,
};
