#include "mem/icnt.h"

#include <assert.h>
#include <string.h>
#include "conf/machine.h"
#include "mem/wires.h"

static const struct stat_def icnt_defs[] = {STAT_DEFS(ICNT_STATS)};
static double mean_latency(const void *p)
{
	const struct icnt_stats *s = p;
	return STAT(s, replies) ? (double)STAT(s, latency_sum) / (double)STAT(s, replies) : 0;
}
static const struct stat_derived icnt_derived[] = {
	{"latency_mean", "core cycles", "mean round-trip time of requests", mean_latency},
};
const struct stat_table icnt_stat_table = STAT_TABLE("icnt", icnt_defs, icnt_derived);

unsigned icnt_max_flits(const struct machine *m)
{
	uint32_t line[] = {m->l1d_line, m->l1i_line, m->l1c_line, m->l1t_line}, most = 128;
	for (unsigned i = 0; i < 4; i++)
		if (line[i] > most)
			most = line[i];
	unsigned whole = flits_of(m->icnt_flit, m->icnt_header, most);
	unsigned pieces = most / MSG_PIECE * flits_of(m->icnt_flit, m->icnt_header, MSG_PIECE);
	return m->sector_requests && pieces > whole ? pieces : whole;
}

/* Allocates boxes and receivers for the largest number of messages that can be under way. */
static void sides_init(struct icnt *n, const struct machine *m, struct arena *a)
{
	uint32_t limit = m->icnt_outstanding,
		 link = (uint32_t)n->round + 2; /* most packets on a link: one per cycle */
	cycle_t cycles = ratio_up(ratio_make(m->icnt_mhz, m->l2_mhz), n->round) +
			 2; /* slice cycles in a window */
	size_t all = (size_t)n->nport * limit;
	mail_init(&n->request, a, n->nport, n->nend,
		  n->ops->unlimited || limit < link ? limit : link, all);
	mail_init(&n->reply, a, n->nend, n->nport, (uint32_t)(ICNT_REPLIES * cycles), all);
	n->at_port = ARENA_APART(a, struct icnt_side, n->nport);
	n->at_end = ARENA_APART(a, struct icnt_side, n->nend);
	for (unsigned i = 0; i < n->nport; i++)
		n->at_port[i].mail = ARENA_APART(a, const struct msg *, limit);
	for (unsigned i = 0; i < n->nend; i++)
		n->at_end[i].mail = ARENA_APART(a, const struct msg *,
						n->ops->unlimited ? all : n->nport * n->flits);
}

bool icnt_init(struct icnt *n, const struct machine *m, struct port *ports, struct netend **ends,
	       unsigned nend, struct arena *a, struct diag *d)
{
	*n = (struct icnt){
		.ops = m->icnt,
		.port = ports,
		.end = ends,
		.nport = m->sms,
		.nend = nend,
		.round = 2 * (cycle_t)m->icnt_lat,
		.to_icnt = ratio_make(m->core_mhz, m->icnt_mhz),
		.to_core = ratio_make(m->icnt_mhz, m->core_mhz),
		.flits = m->icnt_buf * m->icnt_vcs,
		.reply_flits = 1,
		.hops = m->facts.hops,
	};
	if (!n->ops->unlimited && n->flits < icnt_max_flits(m)) {
		diag_error(d,
			   "icnt.buffer_flits = %u: the largest message has %u flits and must fit",
			   m->icnt_buf, icnt_max_flits(m));
		return false;
	}
	sides_init(n, m, a);
	/* A reply may be injected up to one L2 cycle after the window's last edge. */
	n->span = (uint32_t)(n->round + ratio_up(ratio_make(m->l2_mhz, m->icnt_mhz), 2) + 4);
	n->bucket = ARENA_ARRAY(a, uint32_t, n->span + 1);
	n->sorted = ARENA_ARRAY(a, const struct msg *, (size_t)n->nport * m->icnt_outstanding);
	return n->ops->init(n, m, a, d);
}

/* ---- ordering: a counting sort by cycle, stable in source and sequence ---- */

static uint32_t slot_of(const struct icnt *n, const struct msg *m, cycle_t from)
{
	cycle_t s = m->time > from ? m->time - from : 0;
	return s < n->span ? (uint32_t)s : n->span - 1;
}

static unsigned bucket_starts(struct icnt *n)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < n->span; i++) {
		uint32_t c = n->bucket[i];
		n->bucket[i] = total;
		total += c;
	}
	return total;
}

static void bucket_count(struct icnt *n, const struct msg *m, uint32_t count, cycle_t from)
{
	for (uint32_t i = 0; i < count; i++)
		n->bucket[slot_of(n, &m[i], from)]++;
}

static void bucket_place(struct icnt *n, const struct msg *m, uint32_t count, cycle_t from)
{
	for (uint32_t i = 0; i < count; i++)
		n->sorted[n->bucket[slot_of(n, &m[i], from)]++] = &m[i];
}

unsigned icnt_sort_requests(struct icnt *n, cycle_t from)
{
	bool any = false;
	for (unsigned i = 0; i < n->nport; i++)
		any |= n->port[i].out.n;
	if (!any)
		return 0;
	memset(n->bucket, 0, n->span * sizeof *n->bucket);
	for (unsigned i = 0; i < n->nport; i++)
		bucket_count(n, n->port[i].out.v, n->port[i].out.n, from);
	unsigned total = bucket_starts(n);
	for (unsigned i = 0; i < n->nport; i++) {
		bucket_place(n, n->port[i].out.v, n->port[i].out.n, from);
		n->port[i].out.n = 0;
	}
	STAT(&n->stats, requests) += total;
	return total;
}

unsigned icnt_sort_replies(struct icnt *n, cycle_t from)
{
	bool any = false;
	for (unsigned i = 0; i < n->nend; i++)
		any |= n->end[i]->out.n;
	if (!any)
		return 0;
	memset(n->bucket, 0, n->span * sizeof *n->bucket);
	for (unsigned i = 0; i < n->nend; i++)
		bucket_count(n, n->end[i]->out.v, n->end[i]->out.n, from);
	unsigned total = bucket_starts(n);
	for (unsigned i = 0; i < n->nend; i++) {
		bucket_place(n, n->end[i]->out.v, n->end[i]->out.n, from);
		n->end[i]->out.n = 0;
	}
	return total;
}

void icnt_arrive(struct icnt *n, const struct msg *m, cycle_t t)
{
	struct netend *e = n->end[m->dest];
	assert(!ring_full(&e->in));
	struct msg *in = ring_push(&e->in);
	*in = *m;
	in->time = t;
	n->at_end[m->dest].flits += m->flits;
}

cycle_t icnt_shared(struct icnt *n, const struct msg *m, cycle_t end)
{
	struct port *p = &n->port[m->sm];
	struct msg *in = &p->in[p->in_tail++ & p->in_mask];
	*in = *m;
	return in->time = ratio_up(n->to_core, end + n->round);
}

void icnt_arrived(struct icnt *n, const struct msg *m, cycle_t end)
{
	struct icnt_side *s = &n->at_port[m->sm];
	uint32_t trip = (uint32_t)icnt_shared(n, m, end) - m->sent;
	s->packets++;
	s->flits += m->flits;
	s->trip += trip;
	s->trips[stat_log2_bucket(trip, ICNT_TRIPS)]++;
	s->longest = trip > s->longest ? trip : s->longest;
}

cycle_t icnt_deliver(struct icnt *n, const struct msg *m, cycle_t t)
{
	struct icnt_side *s = &n->at_port[m->sm];
	if (s->eject > t) {
		s->wait += s->eject - t;
		t = s->eject;
	}
	s->eject = t + m->flits;
	icnt_arrived(n, m, s->eject);
	return s->eject;
}

/* ---- a window ---- */

void icnt_requests(struct icnt *n, cycle_t from, cycle_t to)
{
	if (n->ops->requests) {
		n->ops->requests(n, from, to);
	} else if (n->mailed) {
		mail_close(&n->request);
	} else {
		unsigned count = icnt_sort_requests(n, from);
		for (unsigned i = 0; i < count; i++)
			icnt_arrive(n, n->sorted[i], n->sorted[i]->time);
	}
}

static void reply_leaves(struct icnt *n, const struct msg *m)
{
	cycle_t t = icnt_deliver(n, m, m->time);
	if (n->ops->delivered)
		n->ops->delivered(n, m, t);
}

void icnt_replies(struct icnt *n, cycle_t from, cycle_t to)
{
	if (n->ops->replies) {
		n->ops->replies(n, from, to);
	} else if (n->mailed) {
		mail_close(&n->reply);
	} else {
		unsigned count = icnt_sort_replies(n, from);
		for (unsigned i = 0; i < count; i++)
			reply_leaves(n, n->sorted[i]);
	}
}

void icnt_take(struct icnt *n, unsigned dest)
{
	if (!n->mailed)
		return;
	struct icnt_side *s = &n->at_end[dest];
	unsigned round = n->request.round;
	mail_prefetch(&n->request,
		      dest + n->mailed); /* the receiver that this thread probably takes next */
	if (!turn_begin(&s->turn, round))
		return;
	uint32_t count = mail_count(&n->request, dest);
	mail_read(&n->request, dest, s->mail);
	for (uint32_t i = 0; i < count; i++)
		icnt_arrive(n, s->mail[i], s->mail[i]->time);
	s->packets += count;
	n->take(n->end[dest]);
	turn_end(&s->turn, round);
}

void icnt_deliver_all(struct icnt *n, unsigned sm)
{
	if (!n->mailed)
		return;
	struct icnt_side *s = &n->at_port[sm];
	unsigned round = n->reply.round;
	uint32_t count = mail_count(&n->reply, sm);
	mail_prefetch(&n->reply, sm + n->mailed);
	if (!count || !turn_begin(&s->turn, round))
		return;
	mail_read(&n->reply, sm, s->mail);
	for (uint32_t i = 0; i < count; i++)
		reply_leaves(n, s->mail[i]);
	turn_end(&s->turn, round);
}

/* Sums the data counted on the senders' links. In a mesh each further link of a packet's path
 * counts as much as the first, and a packet is charged the mean number of links. */
static void sum_data(const struct icnt *n, struct icnt_stats *s)
{
	uint64_t bits = 0, toggles = 0, flits = STAT(s, request_flits) + STAT(s, reply_flits);
	for (unsigned i = 0; i < n->nport; i++) {
		toggles += n->at_port[i].toggles;
		bits += n->port[i].wires->bits[WIRES_OUT];
	}
	for (unsigned i = 0; i < n->nend; i++) {
		toggles += n->at_end[i].toggles;
		bits += n->end[i]->wires->bits[WIRES_OUT];
	}
	double links = flits ? (double)STAT(s, flit_hops) / (double)flits : 0;
	uint64_t all = STAT(s, flit_hops) * n->port->flit * 8,
		 data = (uint64_t)((double)bits * links);
	STAT(s, data_toggles) = (uint64_t)((double)toggles * links);
	STAT(s, other_bits) = all > data ? all - data : 0;
}

void icnt_sum_flits(const struct icnt *n, struct icnt_stats *sum)
{
	uint64_t requests = 0, replies = 0, sent = 0, answered = 0;
	for (unsigned i = 0; i < n->nend; i++) {
		requests += n->at_end[i].packets;
		sent += n->at_end[i].flits;
	}
	for (unsigned i = 0; i < n->nport; i++) {
		replies += n->at_port[i].packets;
		answered += n->at_port[i].flits;
	}
	STAT(sum, requests) = STAT(&n->stats, requests) + requests;
	STAT(sum, request_flits) = STAT(&n->stats, request_flits) + sent;
	STAT(sum, replies) = STAT(&n->stats, replies) + replies;
	STAT(sum, reply_flits) = STAT(&n->stats, reply_flits) + answered;
	STAT(sum, flit_hops) = n->hops ? STAT(&n->stats, flit_hops)
				       : STAT(sum, request_flits) + STAT(sum, reply_flits);
	if (n->port->wires)
		sum_data(n, sum);
}

struct icnt_stats icnt_sum(const struct icnt *n)
{
	struct icnt_stats sum = n->stats;
	icnt_sum_flits(n, &sum);
	for (unsigned i = 0; i < n->nport; i++) {
		const struct icnt_side *s = &n->at_port[i];
		STAT(&sum, reply_wait) += s->wait;
		STAT(&sum, latency_sum) += s->trip;
		if (s->longest > STAT(&sum, latency_max))
			STAT(&sum, latency_max) = s->longest;
		for (unsigned k = 0; k < ICNT_TRIPS; k++)
			sum.latency[k] += s->trips[k];
	}
	return sum;
}
