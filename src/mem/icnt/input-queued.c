/* A router with one queue per input: packets after the first of an input wait with it, whatever their
 * output (head-of-line blocking). In a step of the router (`icnt.speedup` steps per cycle),
 *
 *   an input whose first packet has arrived asks for that packet's output;
 *   a free output grants the input at or next after its pointer, and the pointer moves on.
 *
 * A grant takes one step, and so does each flit on its way through the router; then both sides are
 * free. After the router the link takes one flit per cycle. With `mem.sector_requests` a reply is one
 * packet per 32 bytes, and each packet needs a grant: packets from other inputs come in between, and
 * the reply has arrived when its last packet has. */
#include "conf/machine.h"
#include "mem/icnt/switch.h"

struct options {
	uint32_t speedup;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, speedup, "icnt.speedup", 1, 1, 4, "",
		   "input-queued: router steps per cycle"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options)};

struct queued {
	struct msg msg;
	uint16_t packets, gone; /* packets of the message; packets through the router */
};

struct input {
	RING(struct queued) queue;
	uint64_t free; /* first step in which the input may request an output */
};

struct output {
	uint64_t free; /* first step in which the output may be granted */
	cycle_t link;  /* cycle in which the link takes the next flit */
	unsigned pointer;
};

struct router {
	struct plane p;
	struct input *in;
	struct output *out;
	uint64_t *busy;  /* mask of inputs with packets */
	uint64_t *asks;  /* per output: mask of inputs that ask for it in this step */
	unsigned *asked; /* list of requested outputs */
};

struct routers {
	struct xswitch s;
	struct router request, reply;
	unsigned speedup;
	bool split; /* replies are packets of one sector */
};

/* ---- set-up ---- */

static void router_init(struct router *r, unsigned flits, struct arena *a)
{
	r->in = ARENA_ARRAY(a, struct input, r->p.nin);
	r->out = ARENA_ARRAY(a, struct output, r->p.nout);
	r->busy = ARENA_ARRAY(a, uint64_t, r->p.words);
	r->asks = ARENA_ARRAY(a, uint64_t, (size_t)r->p.nout * r->p.words);
	r->asked = ARENA_ARRAY(a, unsigned, r->p.nout);
	for (unsigned i = 0; i < r->p.nin; i++)
		ring_new(&r->in[i].queue, a, flits); /* capacity by credits, one flit per packet */
}

static void enter(struct icnt *n, struct plane *p, unsigned from, unsigned to, const struct msg *m)
{
	(void)to; /* unused: the message itself names the output */
	const struct routers *s = n->state;
	struct router *r = (struct router *)p;
	struct queued *q = ring_push(&r->in[from].queue);
	*q = (struct queued){.msg = *m, .packets = 1};
	if (s->split && !r->p.to_slices)
		q->packets = (uint16_t)__builtin_popcount(m->pieces);
	r->busy[from / 64] |= 1ull << from % 64;
	r->p.held++;
}

/* ---- a step ---- */

static unsigned output_of(const struct router *r, const struct msg *m)
{
	return r->p.to_slices ? m->dest : m->sm;
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
	       (!r->p.to_slices || s->s.slices.to[to].free >= q->msg.flits);
}

/* Collects the inputs' requests of a step; returns the number of requested outputs. */
static unsigned collect_requests(const struct routers *s, struct router *r, cycle_t t,
				 uint64_t step)
{
	unsigned n = 0;
	for (unsigned w = 0; w < r->p.words; w++)
		for (uint64_t set = r->busy[w]; set; set &= set - 1) {
			unsigned i = w * 64 + (unsigned)__builtin_ctzll(set);
			if (!may_ask(s, r, i, t, step))
				continue;
			unsigned to = output_of(r, &ring_front(&r->in[i].queue)->msg);
			uint64_t *asks = r->asks + (size_t)to * r->p.words;
			bool first = true;
			for (unsigned k = 0; k < r->p.words; k++)
				first &= !asks[k];
			if (first)
				r->asked[n++] = to;
			asks[w] |= set & -set;
		}
	return n;
}

/* The asking input at or next after the output's pointer; at least one asks. */
static unsigned choose_input(const struct router *r, unsigned to)
{
	const uint64_t *asks = r->asks + (size_t)to * r->p.words;
	unsigned start = r->out[to].pointer, w = start / 64;
	uint64_t set = asks[w] >> start % 64 << start % 64;
	for (; !set; set = asks[w])
		w = w + 1 < r->p.words ? w + 1 : 0;
	return w * 64 + (unsigned)__builtin_ctzll(set);
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Removes a message that has passed completely: its last flit has left the queue before cycle `left`
 * and is over the link before `end`. */
static void pop_message(struct icnt *n, struct router *r, unsigned from, cycle_t left, cycle_t end)
{
	struct routers *s = n->state;
	struct msg m = ring_front(&r->in[from].queue)->msg;
	ring_pop(&r->in[from].queue);
	if (ring_empty(&r->in[from].queue))
		r->busy[from / 64] &= ~(1ull << from % 64);
	r->p.held--;
	if (r->p.to_slices) {
		s->s.slices.to[m.dest].free -= m.flits;
		credit_return(&n->port[from].credits, 0, ratio_up(n->to_core, left + n->round),
			      m.flits);
		icnt_arrive(n, &m, end - m.flits);
	} else {
		STAT(&n->stats, reply_wait) += end - m.flits - m.time;
		credit_return(&n->end[from]->credits, 0, left + n->round, m.flits);
		icnt_arrived(n, &m, end);
	}
}

static void send_packet(struct icnt *n, struct router *r, unsigned from, unsigned to, uint64_t step)
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
	out->pointer = (from + 1) % r->p.nin;
	if (++q->gone == q->packets)
		pop_message(n, r, from, tail / s->speedup + 1, out->link);
}

static void step_router(struct icnt *n, struct router *r, cycle_t t, uint64_t number)
{
	unsigned asked = collect_requests(n->state, r, t, number);
	for (unsigned k = 0; k < asked; k++) {
		unsigned to = r->asked[k], from = choose_input(r, to);
		for (unsigned w = 0; w < r->p.words; w++)
			r->asks[(size_t)to * r->p.words + w] = 0;
		send_packet(n, r, from, to, number);
	}
}

static void cycle(struct icnt *n, struct plane *p, cycle_t t)
{
	const struct routers *s = n->state;
	for (unsigned k = 0; k < s->speedup; k++)
		step_router(n, (struct router *)p, t, t * s->speedup + k);
}

/* ---- the policy ---- */

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	(void)d;
	struct routers *s = n->state = ARENA_NEW(a, struct routers);
	s->s.enter = enter;
	s->s.cycle = cycle;
	s->speedup = ((const struct options *)machine_own(m, &options))->speedup;
	s->split = m->sector_requests;
	switch_init(n, &s->s, &s->request.p, &s->reply.p, a);
	router_init(&s->request, n->flits, a);
	router_init(&s->reply, n->flits, a);
	return true;
}

const struct icnt_ops icnt_input_queued = {
	.p = {"input-queued", "a router with one queue for each input", "", .options = {&options}},
	.one_class = true,
	.init = init,
	SWITCH_OPS,
};
