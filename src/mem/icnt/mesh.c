/* Two meshes of routers, one for requests and one for replies; slices are spread evenly among the
 * SMs. Packets go along the row first, then along the column (no cycles, no deadlock), by virtual
 * cut-through: a packet moves on when the next buffer of its virtual channel has room for all of
 * it. A router and its link take icnt.hop_latency cycles; the link takes one flit per cycle; outputs
 * take their inputs round robin. From a source h links away a packet needs icnt.latency + (h + 1)
 * hops. */
#include "mem/icnt.h"

#include "conf/machine.h"

struct options {
	uint32_t hop;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, hop, "icnt.hop_latency", 2, 1, 64, "icnt cycles",
		   "mesh: latency of one router and link"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options)};

enum { EAST, WEST, SOUTH, NORTH, LOCAL, PORTS, NONE = UINT32_MAX };

struct packet {
	struct msg msg;
	cycle_t time; /* earliest cycle in which the packet's head is in this buffer */
	uint32_t next;
	uint16_t to;     /* node of the destination */
	uint8_t vc, out; /* out: port that the packet wants in this router */
};

struct buffer {
	uint32_t first, last;
	uint32_t room; /* free flits */
};

struct router {
	struct buffer *in;   /* buffers, PORTS x vcs */
	cycle_t link[PORTS]; /* per output: cycle in which the link is free */
	uint64_t queued;     /* mask of inputs with packets */
	uint8_t turn[PORTS];
	uint16_t x, y;
	uint16_t index; /* number of the SM or slice at this router */
	bool is_slice;
};

struct mesh {
	struct router *router;
	struct packet *pool;
	uint32_t free, held;
	unsigned nodes, width, vcs;
	bool to_slices;
	cycle_t now; /* cycle up to which the mesh is simulated */
};

struct meshes {
	struct mesh request, reply;
	uint16_t *sm_node, *slice_node;
	struct credit_line slices; /* credits for the slices' last buffers */
	uint32_t hop;
};

/* ---- set-up ---- */

static void place_nodes(struct meshes *s, struct icnt *n, struct mesh *m)
{
	unsigned sm = 0, slice = 0;
	for (unsigned i = 0; i < m->nodes; i++) {
		struct router *r = &m->router[i];
		/* slice j sits in the middle of the j-th share of all nodes */
		r->is_slice = slice < n->nend && i == (2 * slice + 1) * m->nodes / (2 * n->nend);
		r->index = (uint16_t)(r->is_slice ? slice++ : sm++);
		r->x = (uint16_t)(i % m->width);
		r->y = (uint16_t)(i / m->width);
		if (r->is_slice)
			s->slice_node[r->index] = (uint16_t)i;
		else
			s->sm_node[r->index] = (uint16_t)i;
	}
}

static void mesh_init(struct mesh *m, struct icnt *n, const struct machine *conf, unsigned senders,
		      struct arena *a)
{
	m->nodes = n->nport + n->nend;
	m->vcs = conf->icnt_vcs;
	for (m->width = 1; m->width * m->width < m->nodes; m->width++)
		;
	/* The last row may be short. Routing along the row first would leave it where a packet has to turn in a
	 * missing place, so missing places get routers without a node. */
	unsigned all = (m->nodes + m->width - 1) / m->width * m->width;
	m->router = ARENA_ARRAY(a, struct router, all);
	for (unsigned i = 0; i < all; i++) {
		struct router *r = &m->router[i];
		r->x = (uint16_t)(i % m->width);
		r->y = (uint16_t)(i / m->width);
		r->in = ARENA_ARRAY(a, struct buffer, PORTS * m->vcs);
		for (unsigned k = 0; k < PORTS * m->vcs; k++)
			r->in[k] = (struct buffer){NONE, NONE, conf->icnt_buf};
	}
	/* The capacity of credits and buffers, one flit per packet. */
	uint32_t most = senders * n->flits + all * (PORTS - 1) * m->vcs * conf->icnt_buf;
	m->pool = ARENA_ARRAY(a, struct packet, most);
	for (uint32_t i = 0; i < most; i++)
		m->pool[i].next = i + 1;
}

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	if (m->icnt_buf < icnt_max_flits(m)) {
		diag_error(
			d,
			"icnt.buffer_flits = %u: in a mesh a channel's buffer holds the largest packet, %u flits",
			m->icnt_buf, icnt_max_flits(m));
		return false;
	}
	struct meshes *s = n->state = ARENA_NEW(a, struct meshes);
	s->hop = ((const struct options *)machine_own(m, &options))->hop;
	s->sm_node = ARENA_ARRAY(a, uint16_t, n->nport);
	s->slice_node = ARENA_ARRAY(a, uint16_t, n->nend);
	mesh_init(&s->request, n, m, n->nport, a);
	mesh_init(&s->reply, n, m, n->nend, a);
	s->request.to_slices = true;
	place_nodes(s, n, &s->request);
	place_nodes(s, n, &s->reply);
	credit_line_new(&s->slices, a, n->nend, n->flits);
	return true;
}

/* ---- packets ---- */

static uint8_t choose_port(const struct mesh *m, const struct router *r, unsigned to)
{
	unsigned x = to % m->width, y = to / m->width;
	if (x != r->x)
		return x > r->x ? EAST : WEST;
	if (y != r->y)
		return y > r->y ? SOUTH : NORTH;
	return LOCAL;
}

static void buffer_push(struct mesh *m, struct router *r, unsigned port, uint32_t i)
{
	struct packet *p = &m->pool[i];
	struct buffer *b = &r->in[port * m->vcs + p->vc];
	p->out = choose_port(m, r, p->to);
	p->next = NONE;
	if (b->first == NONE)
		b->first = i;
	else
		m->pool[b->last].next = i;
	b->last = i;
	if (port != LOCAL)
		b->room -= p->msg.flits;
	r->queued |= 1ull << (port * m->vcs + p->vc);
}

static uint32_t buffer_pop(struct mesh *m, struct router *r, unsigned input)
{
	struct buffer *b = &r->in[input];
	uint32_t i = b->first;
	b->first = m->pool[i].next;
	if (b->first == NONE) {
		b->last = NONE;
		r->queued &= ~(1ull << input);
	}
	if (input / m->vcs != LOCAL)
		b->room += m->pool[i].msg.flits;
	return i;
}

static void enter_packet(struct mesh *m, unsigned from, unsigned to, const struct msg *msg)
{
	uint32_t i = m->free;
	m->free = m->pool[i].next;
	m->pool[i] = (struct packet){.msg = *msg,
				     .time = msg->time,
				     .to = (uint16_t)to,
				     .vc = (uint8_t)((msg->sm + msg->dest) % m->vcs)};
	buffer_push(m, &m->router[from], LOCAL, i);
	m->held++;
}

/* ---- a router's cycle ---- */

static struct router *neighbour(struct mesh *m, const struct router *r, unsigned out)
{
	unsigned at = r->y * m->width + r->x;
	static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
	return &m->router[(int)at + dx[out] + dy[out] * (int)m->width];
}

static const uint8_t opposite[] = {[EAST] = WEST, [WEST] = EAST, [SOUTH] = NORTH, [NORTH] = SOUTH};

static bool may_leave(struct meshes *s, struct mesh *m, struct router *r, const struct packet *p,
		      cycle_t t)
{
	if (p->out != LOCAL)
		return neighbour(m, r, p->out)->in[opposite[p->out] * m->vcs + p->vc].room >=
		       p->msg.flits;
	if (!m->to_slices)
		return true;
	credit_collect(&s->slices, r->index, t);
	return s->slices.to[r->index].free >= p->msg.flits;
}

static void leave_network(struct icnt *n, struct mesh *m, struct router *r, uint32_t i, cycle_t t)
{
	struct meshes *s = n->state;
	struct packet *p = &m->pool[i];
	if (m->to_slices) {
		s->slices.to[r->index].free -= p->msg.flits;
		icnt_arrive(n, &p->msg, t);
	} else {
		icnt_deliver(n, &p->msg, t);
	}
	p->next = m->free;
	m->free = i;
	m->held--;
}

static void move_packet(struct icnt *n, struct mesh *m, struct router *r, unsigned input, cycle_t t)
{
	struct meshes *s = n->state;
	uint32_t i = buffer_pop(m, r, input);
	struct packet *p = &m->pool[i];
	unsigned flits = p->msg.flits;
	r->link[p->out] = t + flits;
	if (input / m->vcs == LOCAL) { /* space is free again at the network's entrance */
		if (m->to_slices)
			credit_return(&n->port[p->msg.sm].credits, 0,
				      ratio_up(n->to_core, t + n->round), flits);
		else
			credit_return(&n->end[p->msg.dest]->credits, 0, t + n->round, flits);
	}
	if (p->out == LOCAL) {
		leave_network(n, m, r, i, t + s->hop);
		return;
	}
	struct router *to = neighbour(m, r, p->out);
	p->time = t + s->hop;
	STAT(&n->stats, hops)++;
	STAT(&n->stats, flit_hops) += flits;
	buffer_push(m, to, opposite[p->out], i);
}

static void router_cycle(struct icnt *n, struct mesh *m, struct router *r, cycle_t t)
{
	uint64_t want[PORTS] = {0};
	for (uint64_t q = r->queued; q; q &= q - 1) {
		unsigned i = (unsigned)__builtin_ctzll(q);
		const struct packet *p = &m->pool[r->in[i].first];
		if (p->time <= t && r->link[p->out] <= t)
			want[p->out] |= q & -q;
	}
	for (unsigned out = 0; out < PORTS; out++) {
		/* inputs at or after the turn go first */
		uint64_t w = want[out], later = w & ~((1ull << r->turn[out]) - 1);
		while (w) {
			uint64_t c = later ? later : w;
			unsigned i = (unsigned)__builtin_ctzll(c);
			if (may_leave(n->state, m, r, &m->pool[r->in[i].first], t)) {
				move_packet(n, m, r, i, t);
				r->turn[out] = (uint8_t)(i + 1);
				break;
			}
			w &= ~(1ull << i);
			later &= ~(1ull << i);
		}
	}
}

static void mesh_run(struct icnt *n, struct mesh *m, cycle_t from, cycle_t to)
{
	unsigned all = (m->nodes + m->width - 1) / m->width * m->width;
	if (m->now < from)
		m->now = from;
	for (; m->now < to && m->held; m->now++)
		for (unsigned i = 0; i < all; i++)
			if (m->router[i].queued)
				router_cycle(n, m, &m->router[i], m->now);
	m->now = to;
}

/* ---- the policy ---- */

static void requests(struct icnt *n, cycle_t from, cycle_t to)
{
	struct meshes *s = n->state;
	unsigned count = icnt_sort_requests(n, from);
	for (unsigned i = 0; i < count; i++) {
		const struct msg *msg = n->sorted[i];
		enter_packet(&s->request, s->sm_node[msg->sm], s->slice_node[msg->dest], msg);
	}
	mesh_run(n, &s->request, from, to);
}

static void taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	struct meshes *s = n->state;
	credit_return(&s->slices, dest, t + n->round, m->flits);
}

static void replies(struct icnt *n, cycle_t from, cycle_t to)
{
	struct meshes *s = n->state;
	unsigned count = icnt_sort_replies(n, from);
	for (unsigned i = 0; i < count; i++) {
		const struct msg *msg = n->sorted[i];
		enter_packet(&s->reply, s->slice_node[msg->dest], s->sm_node[msg->sm], msg);
	}
	mesh_run(n, &s->reply, from, to);
}

static cycle_t next(const struct icnt *n)
{
	const struct meshes *s = n->state;
	return s->request.held || s->reply.held ? s->request.now : CYCLE_NEVER;
}

static unsigned held(const struct icnt *n)
{
	const struct meshes *s = n->state;
	return s->request.held + s->reply.held;
}

/* clang-format off */
static void describe(const struct machine *m, struct facts *f)
{
	(void)m;
	f->hops = true;
}

const struct icnt_ops icnt_mesh = {
	.p = {"mesh", "two-dimensional meshes, packets along rows, then columns", "", .options = {&options}, .describe = describe},
	.one_class = true,
	.init = init, .requests = requests, .taken = taken, .replies = replies, .next = next, .held = held,
};
/* clang-format on */
