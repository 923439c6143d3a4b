/* A crossbar with a queue for each pair of input and output, whose matching is found by iSLIP (McKeown,
 * IEEE/ACM Transactions on Networking 7(2), 1999, section III). In a cycle, `icnt.iterations` times:
 *
 *   request   an input that is not matched asks every output that it has a packet for;
 *   grant     an output that is not matched chooses the one at or next after its pointer;
 *   accept    an input with grants chooses the one at or next after its pointer. Both pointers move one
 *             beyond the choice, if it was made in the first iteration.
 *
 * A match lasts until the packet's last flit has gone through. Unlike in `crossbar`, an input sends to one
 * output at a time, and outputs take turns among inputs instead of taking packets in order of arrival. */
#include "mem/icnt.h"

#include "conf/machine.h"

enum { NONE = UINT32_MAX };

struct packet {
	struct msg msg;
	uint32_t next;
};

struct queue {
	uint32_t first, last;
};

struct side {         /* an input or an output */
	cycle_t free; /* its match has ended */
	unsigned pointer;
	unsigned choice; /* in this iteration: who was granted, or accepted; NONE */
};

struct xbar {
	struct side *in, *out;
	unsigned nin, nout, words; /* words: of a set of inputs */
	struct queue *queue;       /* of output o and input i: o * nin + i */
	uint64_t *asks;            /* of each output: inputs with packets for it */
	struct packet *pool;
	uint32_t free, held;
	cycle_t now; /* simulated up to here */
	bool to_slices;
};

struct islip {
	struct xbar request, reply;
	struct credit_line slices; /* room of the slices' last buffers */
	unsigned iterations;
};

/* ---- set-up ---- */

static void xbar_init(struct xbar *x, unsigned nin, unsigned nout, unsigned flits, struct arena *a)
{
	x->nin = nin;
	x->nout = nout;
	x->words = (nin + 63) / 64;
	x->in = ARENA_ARRAY(a, struct side, nin);
	x->out = ARENA_ARRAY(a, struct side, nout);
	x->queue = ARENA_ARRAY(a, struct queue, (size_t)nin * nout);
	x->asks = ARENA_ARRAY(a, uint64_t, (size_t)nout * x->words);
	for (size_t i = 0; i < (size_t)nin * nout; i++)
		x->queue[i] = (struct queue){NONE, NONE};
	uint32_t most = nin * nout * flits; /* what the credits allow, one flit a packet */
	x->pool = ARENA_ARRAY(a, struct packet, most);
	for (uint32_t i = 0; i < most; i++)
		x->pool[i].next = i + 1;
}

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	(void)d;
	struct islip *s = n->state = ARENA_NEW(a, struct islip);
	s->iterations = m->icnt_iterations;
	xbar_init(&s->request, n->nport, n->nend, n->flits, a);
	xbar_init(&s->reply, n->nend, n->nport, n->flits, a);
	s->request.to_slices = true;
	credit_line_new(&s->slices, a, n->nend, n->flits);
	return true;
}

/* ---- queues ---- */

static void enter(struct xbar *x, unsigned from, unsigned to, const struct msg *m)
{
	struct queue *q = &x->queue[(size_t)to * x->nin + from];
	uint32_t i = x->free;
	x->free = x->pool[i].next;
	x->pool[i] = (struct packet){*m, NONE};
	if (q->first == NONE)
		q->first = i;
	else
		x->pool[q->last].next = i;
	q->last = i;
	x->asks[(size_t)to * x->words + from / 64] |= 1ull << from % 64;
	x->held++;
}

static struct msg leave(struct xbar *x, unsigned from, unsigned to)
{
	struct queue *q = &x->queue[(size_t)to * x->nin + from];
	struct packet *p = &x->pool[q->first];
	uint32_t i = q->first;
	q->first = p->next;
	if (q->first == NONE)
		x->asks[(size_t)to * x->words + from / 64] &= ~(1ull << from % 64);
	p->next = x->free;
	x->free = i;
	x->held--;
	return p->msg;
}

/* ---- a cycle ---- */

/* Could the first packet of the pair go now? */
static bool may_go(struct islip *s, const struct xbar *x, unsigned from, unsigned to, cycle_t t)
{
	if (x->in[from].free > t)
		return false;
	const struct msg *m = &x->pool[x->queue[(size_t)to * x->nin + from].first].msg;
	return m->time <= t && (!x->to_slices || s->slices.to[to].free >= m->flits);
}

static unsigned grant(struct islip *s, const struct xbar *x, unsigned to, cycle_t t)
{
	const uint64_t *asks = x->asks + (size_t)to * x->words;
	unsigned start = x->out[to].pointer, w = start / 64;
	uint64_t set = asks[w] >>
		       start % 64 << start % 64; /* those before the pointer: in the last round */
	for (unsigned k = 0; k <= x->words; k++) {
		for (; set; set &= set - 1) {
			unsigned from = w * 64 + (unsigned)__builtin_ctzll(set);
			if (may_go(s, x, from, to, t))
				return from;
		}
		w = (w + 1) % x->words;
		set = asks[w];
	}
	return NONE;
}

static unsigned after(unsigned pointer, unsigned i, unsigned n)
{
	return i >= pointer ? i - pointer : i + n - pointer;
}

static void go(struct icnt *n, struct xbar *x, unsigned from, unsigned to, cycle_t t)
{
	struct islip *s = n->state;
	struct msg m = leave(x, from, to);
	cycle_t end = t + m.flits;
	x->in[from].free = x->out[to].free = end;
	if (x->to_slices) {
		s->slices.to[to].free -= m.flits;
		credit_return(&n->port[from].credits, to, ratio_up(n->to_core, end + n->round),
			      m.flits);
		icnt_arrive(n, &m, t);
	} else {
		STAT(&n->stats, reply_wait) += t - m.time;
		credit_return(&n->end[from]->credits, to, end + n->round, m.flits);
		icnt_deliver(n, &m, t);
	}
}

/* True: something was matched. */
static bool iterate(struct icnt *n, struct xbar *x, cycle_t t, bool first)
{
	struct islip *s = n->state;
	bool any = false;
	for (unsigned i = 0; i < x->nin; i++)
		x->in[i].choice = NONE;
	for (unsigned o = 0; o < x->nout; o++) {
		unsigned i = x->out[o].free <= t ? grant(s, x, o, t) : NONE;
		if (i == NONE)
			continue;
		struct side *in = &x->in[i];
		if (in->choice == NONE ||
		    after(in->pointer, o, x->nout) < after(in->pointer, in->choice, x->nout))
			in->choice = o;
		any = true;
	}
	for (unsigned i = 0; any && i < x->nin; i++) {
		unsigned o = x->in[i].choice;
		if (o == NONE)
			continue;
		go(n, x, i, o, t);
		if (first) {
			x->in[i].pointer = (o + 1) % x->nout;
			x->out[o].pointer = (i + 1) % x->nin;
		}
	}
	return any;
}

static void xbar_run(struct icnt *n, struct xbar *x, cycle_t from, cycle_t to)
{
	struct islip *s = n->state;
	x->now = x->now < from ? from : x->now;
	for (; x->now < to && x->held; x->now++) {
		for (unsigned o = 0; x->to_slices && o < x->nout; o++)
			credit_collect(&s->slices, o, x->now);
		for (unsigned k = 0; k < s->iterations && iterate(n, x, x->now, k == 0); k++)
			;
	}
	x->now = to;
}

/* ---- the policy ---- */

static void requests(struct icnt *n, cycle_t from, cycle_t to)
{
	struct islip *s = n->state;
	unsigned count = icnt_sort_requests(n, from);
	for (unsigned i = 0; i < count; i++)
		enter(&s->request, n->sorted[i]->sm, n->sorted[i]->dest, n->sorted[i]);
	xbar_run(n, &s->request, from, to);
}

static void taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	struct islip *s = n->state;
	credit_return(&s->slices, dest, t + n->round, m->flits);
}

static void replies(struct icnt *n, cycle_t from, cycle_t to)
{
	struct islip *s = n->state;
	unsigned count = icnt_sort_replies(n, from);
	for (unsigned i = 0; i < count; i++)
		enter(&s->reply, n->sorted[i]->dest, n->sorted[i]->sm, n->sorted[i]);
	xbar_run(n, &s->reply, from, to);
}

static cycle_t next(const struct icnt *n)
{
	const struct islip *s = n->state;
	return s->request.held || s->reply.held ? s->request.now : CYCLE_NEVER;
}

static unsigned held(const struct icnt *n)
{
	const struct islip *s = n->state;
	return s->request.held + s->reply.held;
}

/* clang-format off */
const struct icnt_ops icnt_islip = {
	.name = "islip", .help = "a crossbar matched by iSLIP: an input sends to one output at a time",
	.init = init, .requests = requests, .taken = taken, .replies = replies, .next = next, .held = held,
};
/* clang-format on */
