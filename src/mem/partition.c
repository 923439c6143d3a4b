/* Set-up, time and checks of a partition. Slices and channel run in order of time; everything that is still
 * held at the end is reported. What a slice does in a cycle is in mem/slice.c. */
#include "mem/partition.h"

#include <string.h>
#include "conf/machine.h"
#include "mem/slice.h"

static const struct stat_def slice_defs[] = {STAT_DEFS(SLICE_STATS)};
const struct stat_table slice_stat_table = STAT_TABLE_PLAIN("slice", slice_defs);
static const struct stat_def link_defs[] = {STAT_DEFS(LINK_STATS)};
const struct stat_table link_stat_table = STAT_TABLE_PLAIN("link", link_defs);

static void end_init(struct netend *e, unsigned dest, const struct machine *m, struct icnt *net,
		     struct arena *a)
{
	const struct icnt_ops *ops = net->ops;
	e->unlimited = ops->unlimited;
	e->one_class = ops->one_class;
	/* Capacity for every sender's credits, or for everything outstanding: the ring never
	 * overflows. */
	uint32_t in = ops->unlimited   ? m->icnt_outstanding * m->sms
		      : ops->one_class ? net->flits
				       : net->flits * m->sms;
	ring_new(&e->in, a, in);
	if (!ops->unlimited)
		credit_line_new(&e->credits, a, ops->one_class ? 1 : m->sms, net->flits);
	outbox_open(&e->out, &net->reply, dest);
}

/* Allocates, in a slice with a partner, elements for far accesses in addition to those for other
 * accesses. */
static void partner_init(struct slice *s, uint32_t mshrs, struct arena *a)
{
	struct partition *p = s->partition;
	unsigned half = p->nslice / 2;
	s->fars = mshrs > 1 ? mshrs / 2 : 1;
	s->fetches += s->fars;
	s->partner = &p->slice[(s->index + half) % p->nslice];
	ring_new(&s->link, a, s->fars);
}

static bool slice_init(struct slice *s, struct partition *p, unsigned part, unsigned index,
		       const struct machine *m, struct arena *a, struct diag *d)
{
	*s = (struct slice){.next = CYCLE_NEVER,
			    .credit = -1,
			    .partition = p,
			    .index = index,
			    .dest = index * m->parts + part,
			    .has_cache = m->l2_kind != KIND_OFF};
	end_init(&s->end, s->dest, m, p->net, a);
	ring_new(&s->rop, a, m->rop_lat + m->part_queue);
	s->room = ARENA_ARRAY(a, cycle_t, s->rop.cap);
	ring_new(&s->filled, a, m->part_queue);
	if (s->has_cache) {
		struct cache_conf conf;
		if (!CACHE_CONF(m, l2, &conf, d))
			return false;
		if (conf.line < MSG_PIECE) {
			diag_error(d, "l2.line = %u: at least %d bytes", conf.line, MSG_PIECE);
			return false;
		}
		conf.join = m->l2_join;
		cache_init(&s->cache, &conf, a);
		cache_share(&s->cache, m->parts * m->slices / m->l2_halves, m->part_step);
		s->fetches = conf.mshrs * conf.merge;
		s->pends = s->fetches + 1;
		if (p->by_sector && conf.sector)
			s->fetches *= conf.line / conf.sector;
		if (m->l2_halves == 2)
			partner_init(s, conf.mshrs, a);
	} else {
		s->fetches = m->dram_queue + p->dram.path.cap;
		s->pends = s->fetches + 1;
	}
	ring_new(&s->hits, a, m->part_queue + m->l2_lat);
	ring_new(&s->fills, a, s->fetches);
	s->pend = ARENA_ARRAY(a, struct slice_pend, s->pends + s->fars);
	s->fetch = ARENA_ARRAY(a, struct slice_fetch, s->fetches);
	return true;
}

bool partition_init(struct partition *p, unsigned index, const struct machine *m,
		    const struct addrmap *map, struct icnt *net, struct arena *a, struct diag *d)
{
	/* clang-format off */
	*p = (struct partition){
		.map = map, .net = net, .nslice = m->slices,
		.rop = m->rop_lat, .hit = m->l2_lat, .link = m->link_lat, .link_bytes = m->link_bytes, .port = m->l2_port, .write_port = m->l2_write_port ? m->l2_write_port : m->l2_port, .write_part = m->l2_write_part, .atomic = m->atomic_ii, .atomic_sector = m->atomic_sector, .atomic_word = m->atomic_word, .by_sector = m->sector_fetch, .split = m->sector_requests,
		.flit = m->icnt_flit, .header = m->icnt_header,
		.icnt_to_l2 = ratio_make(m->icnt_mhz, m->l2_mhz), .l2_to_icnt = ratio_make(m->l2_mhz, m->icnt_mhz),
		.l2_to_dram = ratio_make(m->l2_mhz, m->dram_mhz), .dram_to_l2 = ratio_make(m->dram_mhz, m->l2_mhz),
		.core_to_l2 = ratio_make(m->core_mhz, m->l2_mhz), .core_to_dram = ratio_make(m->core_mhz, m->dram_mhz),
		.l2_to_core = ratio_make(m->l2_mhz, m->core_mhz), .dram_to_core = ratio_make(m->dram_mhz, m->core_mhz),
	};
	/* clang-format on */
	/* A partition may run beside the SMs if the window's first request is not due within the window,
	 * nor while another request occupies the slice. */
	uint32_t kept = m->sector_requests && m->atomic_ii < MSG_PIECES ? MSG_PIECES : m->atomic_ii;
	uint32_t line = (128 / MSG_PIECE * m->atomic_sector + 128 / 4 * m->atomic_word) / 100 + 1;
	kept = kept > line ? kept : line;
	p->beside = m->rop_lat > ratio_up(p->icnt_to_l2, net->round) + 1 + kept;
	p->path = ratio_up(p->core_to_dram, m->dram_lat);
	dram_init(&p->dram, m, map, p->path, a);
	p->slice = ARENA_ARRAY(a, struct slice, p->nslice);
	for (unsigned i = 0; i < p->nslice; i++)
		if (!slice_init(&p->slice[i], p, index, i, m, a, d))
			return false;
	return true;
}

/* ---- time ---- */

static cycle_t slices_next(const struct partition *p)
{
	cycle_t t = CYCLE_NEVER;
	for (unsigned i = 0; i < p->nslice; i++) {
		cycle_t n = slice_next(&p->slice[i]);
		t = n < t ? n : t;
	}
	return t;
}

static void dram_run(struct partition *p)
{
	struct dram *d = &p->dram;
	cycle_t now = d->next;
	bool moved = dram_step(d, now);
	for (; !ring_empty(&d->done); ring_pop(&d->done)) {
		const struct dram_done *done = ring_front(&d->done);
		struct slice *s = &p->slice[done->token >> SLICE_TOKEN_BITS];
		uint32_t fetch = done->token & SLICE_TOKEN_MASK;
		slice_data(s, fetch, ratio_up(p->dram_to_l2, done->time));
	}
	for (unsigned i = 0; moved && i < p->nslice; i++)
		if (p->slice[i].wants_dram)
			slice_wake(&p->slice[i], ratio_up(p->dram_to_l2, now));
}

/* Runs the slices in cycle `now`. The first to use the channel rotates. */
static void slices_run(struct partition *p, cycle_t now)
{
	if (p->nslice == 1) {
		slice_step(&p->slice[0], now);
		return;
	}
	for (unsigned i = 0; i < p->nslice; i++) {
		struct slice *s = &p->slice[(p->turn + i) % p->nslice];
		if (slice_next(s) <= now)
			slice_step(s, now);
	}
	p->turn = (p->turn + 1) % p->nslice;
}

void partition_take(struct netend *e)
{
	slice_take((struct slice *)((char *)e - offsetof(struct slice, end)));
}

bool partition_run(struct partition *p, cycle_t to)
{
	p->late = !p->net->mailed ? 0 : ratio_up(p->net->to_icnt, to);
	cycle_t to_l2 = ratio_up(p->core_to_l2, to), to_dram = ratio_up(p->core_to_dram, to);
	for (bool any = false;; any = true) {
		cycle_t l2 = slices_next(p), dram = p->dram.next;
		bool l2_first = ratio_not_after(p->l2_to_dram, l2, dram);
		if (l2_first && l2 < to_l2)
			slices_run(p, l2);
		else if (!l2_first && dram < to_dram)
			dram_run(p);
		else
			return any;
	}
}

cycle_t partition_next(const struct partition *p)
{
	cycle_t l2 = ratio_down(p->l2_to_core, slices_next(p)),
		dram = ratio_down(p->dram_to_core, p->dram.next);
	return l2 < dram ? l2 : dram;
}

/* ---- invariants when no request is left ---- */

static void check_slice(const struct slice *s, struct diag *d)
{
	unsigned in = ring_count(&s->end.in), rop = ring_count(&s->rop);
	unsigned replies = ring_count(&s->hits) + ring_count(&s->filled);
	if (in || rop || replies || s->npend)
		diag_error(
			d,
			"L2 slice %u: %u requests at its network port, %u before the cache, %u waiting for data, "
			"%u replies waiting for the network",
			s->dest, in, rop, s->npend, replies);
	if (s->nfetch)
		diag_error(d,
			   "L2 slice %u: %u fetches under way in its DRAM channel or its partner",
			   s->dest, s->nfetch);
	if (s->partner && (!ring_empty(&s->link) || s->nfar || s->nlinked))
		diag_error(d, "L2 slice %u: %u accesses wait for its partner, %u of its partner's",
			   s->dest, s->nfar, ring_count(&s->link) + s->nlinked);
	if (s->has_cache && !cache_idle(&s->cache))
		diag_error(d,
			   "L2 slice %u: cache has %u MSHRs in use, %u requests in its miss queue",
			   s->dest, s->cache.mshr.used, ring_count(&s->cache.out));
	if (STAT(&s->stats, requests) != STAT(&s->stats, replies))
		diag_error(d, "L2 slice %u: %llu requests, %llu replies", s->dest,
			   (unsigned long long)STAT(&s->stats, requests),
			   (unsigned long long)STAT(&s->stats, replies));
}

bool partition_check(const struct partition *p, struct diag *d)
{
	unsigned before = d->errors;
	for (unsigned i = 0; i < p->nslice; i++)
		check_slice(&p->slice[i], d);
	if (!dram_idle(&p->dram))
		diag_error(
			d,
			"DRAM of L2 slice %u: %u reads and %u writes queued, %u requests on the way to it",
			p->slice[0].dest, p->dram.queued[0], p->dram.queued[1],
			ring_count(&p->dram.path));
	return d->errors == before;
}
