#include "mem/icnt.h"

#include <assert.h>
#include <string.h>
#include "conf/machine.h"

static const struct stat_def icnt_defs[] = {STAT_DEFS(ICNT_STATS)};
static double mean_latency(const void *p)
{
	const struct icnt_stats *s = p;
	return STAT(s, replies) ? (double)STAT(s, latency_sum) / (double)STAT(s, replies) : 0;
}
static const struct stat_derived icnt_derived[] = {
	{"latency_mean", "core cycles", "round trip of requests", mean_latency},
};
const struct stat_table icnt_stat_table = STAT_TABLE("icnt", icnt_defs, icnt_derived);

#define POLICY(n) extern const struct icnt_ops icnt_##n;
#include "mem_icnt.def"
#undef POLICY
const struct icnt_ops *const *icnt_all(void)
{
	static const struct icnt_ops *const all[] = {
#define POLICY(n) &icnt_##n,
#include "mem_icnt.def"
#undef POLICY
		NULL};
	return all;
}

const struct icnt_ops *icnt_find(const char *name)
{
	for (const struct icnt_ops *const *p = icnt_all(); *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	return NULL;
}

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

bool icnt_init(struct icnt *n, const struct machine *m, struct port *ports, struct netend **ends, unsigned nend,
	       struct arena *a, struct diag *d)
{
	*n = (struct icnt){
		.ops = icnt_find(m->icnt), .port = ports, .end = ends, .nport = m->sms, .nend = nend,
		.round = 2 * (cycle_t)m->icnt_lat,
		.to_icnt = ratio_make(m->core_mhz, m->icnt_mhz), .to_core = ratio_make(m->icnt_mhz, m->core_mhz),
		.flits = m->icnt_buf * m->icnt_vcs,
	};
	if (!n->ops->unlimited && n->flits < icnt_max_flits(m)) {
		diag_error(d, "icnt.buffer_flits = %u: the largest message has %u flits and must fit", m->icnt_buf,
			   icnt_max_flits(m));
		return false;
	}
	n->eject = ARENA_ARRAY(a, cycle_t, n->nport);
	/* A reply may be injected up to one L2 cycle after the window's last edge. */
	n->span = (uint32_t)(n->round + ratio_up(ratio_make(m->l2_mhz, m->icnt_mhz), 2) + 4);
	n->bucket = ARENA_ARRAY(a, uint32_t, n->span + 1);
	size_t most = (size_t)n->nport * m->icnt_outstanding;
	n->sorted = ARENA_ARRAY(a, const struct msg *, most);
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
		any |= n->port[i].nout;
	if (!any)
		return 0;
	memset(n->bucket, 0, n->span * sizeof *n->bucket);
	for (unsigned i = 0; i < n->nport; i++)
		bucket_count(n, n->port[i].out, n->port[i].nout, from);
	unsigned total = bucket_starts(n);
	for (unsigned i = 0; i < n->nport; i++) {
		bucket_place(n, n->port[i].out, n->port[i].nout, from);
		n->port[i].nout = 0;
	}
	STAT(&n->stats, requests) += total;
	return total;
}

unsigned icnt_sort_replies(struct icnt *n, cycle_t from)
{
	bool any = false;
	for (unsigned i = 0; i < n->nend; i++)
		any |= n->end[i]->nout;
	if (!any)
		return 0;
	memset(n->bucket, 0, n->span * sizeof *n->bucket);
	for (unsigned i = 0; i < n->nend; i++)
		bucket_count(n, n->end[i]->out, n->end[i]->nout, from);
	unsigned total = bucket_starts(n);
	for (unsigned i = 0; i < n->nend; i++) {
		bucket_place(n, n->end[i]->out, n->end[i]->nout, from);
		n->end[i]->nout = 0;
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
	STAT(&n->stats, request_flits) += m->flits;
}

void icnt_arrived(struct icnt *n, const struct msg *m, cycle_t end)
{
	struct port *p = &n->port[m->sm];
	struct icnt_stats *s = &n->stats;
	struct msg *in = &p->in[p->in_tail++ & p->in_mask];
	*in = *m;
	in->time = ratio_up(n->to_core, end + n->round);
	uint32_t trip = (uint32_t)in->time - m->sent;
	STAT(s, replies)++;
	STAT(s, reply_flits) += m->flits;
	STAT(s, latency_sum) += trip;
	s->latency[stat_log2_bucket(trip, 20)]++;
	if (trip > STAT(s, latency_max))
		STAT(s, latency_max) = trip;
}

cycle_t icnt_deliver(struct icnt *n, const struct msg *m, cycle_t t)
{
	cycle_t *eject = &n->eject[m->sm];
	if (*eject > t) {
		STAT(&n->stats, reply_wait) += *eject - t;
		t = *eject;
	}
	*eject = t + m->flits;
	icnt_arrived(n, m, *eject);
	return *eject;
}
