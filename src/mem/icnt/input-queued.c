/* A router with one queue for each input: what is behind the first packet of an input waits with it,
 * wherever it goes. In a step of the router, of which there are `icnt.speedup` in a cycle,
 *
 *   an input whose first packet has arrived asks for that packet's output;
 *   an output that is free takes the one that asks at or next after its pointer, which moves on.
 *
 * Choosing takes a step and so does each flit on its way through the router; then both sides are
 * free. Behind the router the link takes a flit in a cycle. With `mem.sector_requests` a reply
 * is a packet for each 32 bytes, and each of them has to be chosen: packets from other inputs come in
 * between, and the reply is there when its last one is. */
#include "mem/icnt.h"

#include "conf/machine.h"

struct queued {
	struct msg msg;
	uint16_t packets, gone; /* of the message; through the router */
};

struct input {
	RING(struct queued) queue;
	uint64_t free; /* the step from which on it may ask */
};

struct output {
	uint64_t free; /* the step from which on it may be given */
	cycle_t link;  /* the cycle from which on it takes the next flit */
	unsigned pointer;
};

struct router {
	struct input *in;
	struct output *out;
	uint64_t *busy;            /* inputs with packets */
	uint64_t *asks;            /* of each output: inputs that ask for it in this step */
	unsigned *asked;           /* outputs that are asked for */
	unsigned nin, nout, words; /* words: of a set of inputs */
	unsigned held;
	cycle_t now; /* simulated up to here */
	bool to_slices;
};

struct routers {
	struct router request, reply;
	struct credit_line slices; /* room of the slices' last buffers */
	unsigned speedup;
	bool split; /* replies are packets of a sector */
};

/* ---- set-up ---- */

static void router_init(struct router *r, unsigned nin, unsigned nout, unsigned flits,
			struct arena *a)
{
	r->nin = nin;
	r->nout = nout;
	r->words = (nin + 63) / 64;
	r->in = ARENA_ARRAY(a, struct input, nin);
	r->out = ARENA_ARRAY(a, struct output, nout);
	r->busy = ARENA_ARRAY(a, uint64_t, r->words);
	r->asks = ARENA_ARRAY(a, uint64_t, (size_t)nout * r->words);
	r->asked = ARENA_ARRAY(a, unsigned, nout);
	for (unsigned i = 0; i < nin; i++)
		ring_new(&r->in[i].queue, a, flits); /* what the credits allow, one flit a packet */
}

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	(void)d;
	struct routers *s = n->state = ARENA_NEW(a, struct routers);
	s->speedup = m->icnt_speedup;
	s->split = m->sector_requests;
	router_init(&s->request, n->nport, n->nend, n->flits, a);
	router_init(&s->reply, n->nend, n->nport, n->flits, a);
	s->request.to_slices = true;
	credit_line_new(&s->slices, a, n->nend, n->flits);
	return true;
}

static void enter(struct routers *s, struct router *r, unsigned from, const struct msg *m)
{
	struct queued *q = ring_push(&r->in[from].queue);
	*q = (struct queued){.msg = *m, .packets = 1};
	if (s->split && !r->to_slices)
		q->packets = (uint16_t)__builtin_popcount(m->pieces);
	r->busy[from / 64] |= 1ull << from % 64;
	r->held++;
}

/* ---- a step ---- */

static unsigned output_of(const struct router *r, const struct msg *m)
{
	return r->to_slices ? m->dest : m->sm;
}

static unsigned flits_of_packet(const struct queued *q) { return q->msg.flits / q->packets; }

/* The cycle in which the next packet's head is at the input. */
static cycle_t head_time(const struct queued *q)
{
	return q->msg.time + q->gone * flits_of_packet(q);
}

static bool may_ask(const struct routers *s, const struct router *r, unsigned i, cycle_t t,
		    uint64_t step)
{
	const struct input *in = &r->in[i];
	const struct queued *q = ring_front(&in->queue);
	unsigned to = output_of(r, &q->msg);
	return in->free <= step && r->out[to].free <= step && head_time(q) <= t &&
	       (!r->to_slices || s->slices.to[to].free >= q->msg.flits);
}

/* How many outputs are asked for. */
static unsigned ask(const struct routers *s, struct router *r, cycle_t t, uint64_t step)
{
	unsigned n = 0;
	for (unsigned w = 0; w < r->words; w++)
		for (uint64_t set = r->busy[w]; set; set &= set - 1) {
			unsigned i = w * 64 + (unsigned)__builtin_ctzll(set);
			if (!may_ask(s, r, i, t, step))
				continue;
			unsigned to = output_of(r, &ring_front(&r->in[i].queue)->msg);
			uint64_t *asks = r->asks + (size_t)to * r->words;
			bool first = true;
			for (unsigned k = 0; k < r->words; k++)
				first &= !asks[k];
			if (first)
				r->asked[n++] = to;
			asks[w] |= set & -set;
		}
	return n;
}

/* The input that asks at or next after the output's pointer; there is one. */
static unsigned choose(const struct router *r, unsigned to)
{
	const uint64_t *asks = r->asks + (size_t)to * r->words;
	unsigned start = r->out[to].pointer, w = start / 64;
	uint64_t set = asks[w] >> start % 64 << start % 64;
	for (; !set; set = asks[w])
		w = w + 1 < r->words ? w + 1 : 0;
	return w * 64 + (unsigned)__builtin_ctzll(set);
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The whole message has gone through: its last flit has left the queue before cycle `left` and is over
 * the link before `end`. */
static void leave(struct icnt *n, struct router *r, unsigned from, cycle_t left, cycle_t end)
{
	struct routers *s = n->state;
	struct msg m = ring_front(&r->in[from].queue)->msg;
	ring_pop(&r->in[from].queue);
	if (ring_empty(&r->in[from].queue))
		r->busy[from / 64] &= ~(1ull << from % 64);
	r->held--;
	if (r->to_slices) {
		s->slices.to[m.dest].free -= m.flits;
		credit_return(&n->port[from].credits, 0, ratio_up(n->to_core, left + n->round),
			      m.flits);
		icnt_arrive(n, &m, end - m.flits);
	} else {
		STAT(&n->stats, reply_wait) += end - m.flits - m.time;
		credit_return(&n->end[from]->credits, 0, left + n->round, m.flits);
		icnt_arrived(n, &m, end);
	}
}

static void go(struct icnt *n, struct router *r, unsigned from, unsigned to, uint64_t step)
{
	const struct routers *s = n->state;
	struct input *in = &r->in[from];
	struct output *out = &r->out[to];
	struct queued *q = ring_front(&in->queue);
	unsigned flits = flits_of_packet(q);
	uint64_t tail = later(step + flits, (head_time(q) + flits - 1) * s->speedup);
	cycle_t first = later(out->link, (step + 1) / s->speedup);
	in->free = out->free = tail + 1;
	out->link = later(first + flits, tail / s->speedup + 1);
	out->pointer = (from + 1) % r->nin;
	if (++q->gone == q->packets)
		leave(n, r, from, tail / s->speedup + 1, out->link);
}

static void step(struct icnt *n, struct router *r, cycle_t t, uint64_t number)
{
	unsigned asked = ask(n->state, r, t, number);
	for (unsigned k = 0; k < asked; k++) {
		unsigned to = r->asked[k], from = choose(r, to);
		for (unsigned w = 0; w < r->words; w++)
			r->asks[(size_t)to * r->words + w] = 0;
		go(n, r, from, to, number);
	}
}

static void router_run(struct icnt *n, struct router *r, cycle_t from, cycle_t to)
{
	struct routers *s = n->state;
	r->now = r->now < from ? from : r->now;
	for (; r->now < to && r->held; r->now++) {
		for (unsigned o = 0; r->to_slices && o < r->nout; o++)
			credit_collect(&s->slices, o, r->now);
		for (unsigned k = 0; k < s->speedup; k++)
			step(n, r, r->now, r->now * s->speedup + k);
	}
	r->now = to;
}

/* ---- the policy ---- */

static void requests(struct icnt *n, cycle_t from, cycle_t to)
{
	struct routers *s = n->state;
	unsigned count = icnt_sort_requests(n, from);
	for (unsigned i = 0; i < count; i++)
		enter(s, &s->request, n->sorted[i]->sm, n->sorted[i]);
	router_run(n, &s->request, from, to);
}

static void taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	struct routers *s = n->state;
	credit_return(&s->slices, dest, t + n->round, m->flits);
}

static void replies(struct icnt *n, cycle_t from, cycle_t to)
{
	struct routers *s = n->state;
	unsigned count = icnt_sort_replies(n, from);
	for (unsigned i = 0; i < count; i++)
		enter(s, &s->reply, n->sorted[i]->dest, n->sorted[i]);
	router_run(n, &s->reply, from, to);
}

static cycle_t next(const struct icnt *n)
{
	const struct routers *s = n->state;
	return s->request.held || s->reply.held ? s->request.now : CYCLE_NEVER;
}

static unsigned held(const struct icnt *n)
{
	const struct routers *s = n->state;
	return s->request.held + s->reply.held;
}

/* clang-format off */
const struct icnt_ops icnt_input_queued = {
	.name = "input-queued", .help = "a router with one queue for each input",
	.one_class = true,
	.init = init, .requests = requests, .taken = taken, .replies = replies, .next = next, .held = held,
};
/* clang-format on */
