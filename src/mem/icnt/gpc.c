/* The network of a chip with GPCs: every SM to every slice, with limits where wires are shared.
 *
 *	slice --(icnt.slice_flits per cycle)--> GPC --(icnt.gpc_bytes per SM)--> SM (icnt.sm_flits)
 *
 * A reply waits for the link of the SM's GPC, which all its SMs share, then for the SM's port. Requests meet
 * at the slice only; an SM sends one flit per cycle. Reads of the same sectors by SMs of a GPC are merged before
 * (icnt.merge): the first is sent, and its answer is the others' too. The distance between a GPC and a slice adds up to
 * icnt.spread cycles to a reply: the slices of a half stand in a row, and each GPC is next to another place of
 * it. So every SM sees the same mean distance, and SMs of two GPCs see a line at different distances. */
#include "conf/floorplan.h"
#include "conf/machine.h"
#include "mem/icnt.h"
#include "mem/merge.h"

struct options {
	uint32_t gpc_bytes, sm_flits, slice_flits, spread, merge, merge_most;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, gpc_bytes, "icnt.gpc_bytes", 80, 1, 1024, "bytes",
		   "gpc: replies that the link of a GPC takes, per cycle and SM of the GPC"),
	OPTION_NUM(struct options, sm_flits, "icnt.sm_flits", 4, 1, 64, "flits",
		   "gpc: replies to an SM, per cycle"),
	OPTION_NUM(struct options, slice_flits, "icnt.slice_flits", 2, 1, 64, "flits",
		   "gpc: replies of a slice, per cycle"),
	OPTION_NUM(struct options, spread, "icnt.spread", 0, 0, 1000, "icnt cycles",
		   "gpc: additional latency of a reply from the farthest "
		   "slice over one from the nearest"),
	OPTION_NUM(struct options, merge, "icnt.merge", 0, 0, 100000, "icnt cycles",
		   "gpc: a read of a line that another SM of the GPC has asked for at most so long "
		   "before shares its answer; 0: every read is sent"),
	OPTION_NUM(struct options, merge_most, "icnt.merge_most", 4, 2, 1000, "reads",
		   "gpc: reads that share an answer, at most"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options)};

struct gpcs {
	struct floorplan plan;
	const struct options *o;
	uint32_t **of_end, **of_port; /* credits that receivers have returned to each sender */
	uint64_t *gpc_free,
		*sm_free;    /* per link: time at which it is free, in units of a byte's or a flit's
		              * passage */
	uint32_t *gpc_width; /* per GPC: width of its link, bytes per cycle */
	uint32_t flit;       /* bytes */
	uint16_t *distance;  /* cycles, per GPC and slice */
	bool merges;         /* reads of a GPC's SMs are merged */
	struct merge merge;
};

static uint32_t **new_counts(struct arena *a, unsigned receivers, unsigned senders)
{
	uint32_t **c = ARENA_ARRAY(a, uint32_t *, receivers);
	for (unsigned i = 0; i < receivers; i++)
		c[i] = ARENA_APART(a, uint32_t, senders);
	return c;
}

/* Geometry: the slices of a half form a row of length 1; GPC g is at position g / gpcs on a ring
 * around the row. */
static void measure_distances(struct gpcs *x, const struct icnt *n, unsigned halves)
{
	unsigned row = n->nend / halves, gpcs = x->plan.gpcs;
	for (unsigned g = 0; g < gpcs; g++)
		for (unsigned s = 0; s < n->nend; s++) {
			unsigned place = (s % row) * gpcs + g * row; /* place on the row, in units
								      * of 1 / (row * gpcs) */
			x->distance[g * n->nend + s] =
				(uint16_t)((uint64_t)(place % (row * gpcs)) * (x->o->spread + 1) /
					   (row * gpcs));
		}
}

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	struct gpcs *x = n->state = ARENA_NEW(a, struct gpcs);
	x->o = machine_own(m, &options);
	if (!floorplan_init(&x->plan, m, a, d))
		return false;
	x->of_end = new_counts(a, n->nend, n->nport);
	x->of_port = new_counts(a, n->nport, n->nend);
	x->flit = m->icnt_flit;
	x->gpc_free = ARENA_ARRAY(a, uint64_t, x->plan.gpcs);
	x->gpc_width = ARENA_ARRAY(a, uint32_t, x->plan.gpcs);
	for (unsigned i = 0; i < n->nport; i++)
		x->gpc_width[x->plan.gpc[i]] += x->o->gpc_bytes;
	x->sm_free = ARENA_ARRAY(a, uint64_t, n->nport);
	x->distance = ARENA_ARRAY(a, uint16_t, (size_t)x->plan.gpcs * n->nend);
	n->reply_flits = x->o->slice_flits;
	measure_distances(x, n, m->l2_halves);
	x->merges = x->o->merge;
	if (x->merges)
		merge_init(&x->merge, x->o->merge, x->o->merge_most, a);
	return true;
}

static void taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	struct gpcs *x = n->state;
	credit_put(&n->port[m->sm].credits, dest, &x->of_end[dest][m->sm],
		   ratio_up(n->to_core, t + n->round), m->flits);
}

/* The cycle after the last of `amount` has passed a link that takes `width` per cycle. */
static cycle_t pass_link(uint64_t *free, cycle_t t, unsigned amount, unsigned width)
{
	uint64_t start = t * width;
	*free = (*free > start ? *free : start) + amount;
	return (*free + width - 1) / width;
}

/* Passes an answer that reaches its SM's port at cycle t. Returns the cycle after its last flit at
 * the port; *end: the cycle after its last flit at the SM. */
static cycle_t pass_port(struct gpcs *x, const struct icnt *n, const struct msg *m, cycle_t t,
			 cycle_t *end)
{
	cycle_t last = pass_link(&x->sm_free[m->sm], t, m->flits, x->o->sm_flits);
	*end = last + x->distance[x->plan.gpc[m->sm] * n->nend + m->dest];
	return last;
}

/* True for reads that may be merged with other reads. Merging was measured for data only. */
static bool merges(const struct gpcs *x, const struct msg *m)
{
	return x->merges && m->kind == MSG_READ && m->class != MSG_CONST && m->class != MSG_INST;
}

/* Delivers answer m to the reads that were merged with m's read: they have their data when the
 * answer has reached the GPC. */
static void share_answer(struct icnt *n, const struct msg *m, cycle_t t)
{
	struct gpcs *x = n->state;
	struct merge_follower *first = merge_take(&x->merge, x->plan.gpc[m->sm], m);
	for (struct merge_follower *f = first; f; f = f->next) {
		struct msg *s = &f->msg;
		cycle_t end;
		s->dest = m->dest;
		s->flits = (uint16_t)((s->bytes + x->flit - 1) / x->flit);
		pass_port(x, n, s, t > s->time ? t : s->time, &end);
		icnt_shared(n, s, end);
		port_sort_last(&n->port[s->sm]);
	}
	merge_end(&x->merge, first);
}

static void replies(struct icnt *n, cycle_t from, cycle_t to)
{
	struct gpcs *x = n->state;
	unsigned count = icnt_sort_replies(n, from);
	(void)to;
	for (unsigned i = 0; i < count; i++) {
		const struct msg *m = n->sorted[i];
		unsigned g = x->plan.gpc[m->sm];
		cycle_t t =
			pass_link(&x->gpc_free[g], m->time, m->flits * x->flit, x->gpc_width[g]);
		cycle_t end, last = pass_port(x, n, m, t - 1, &end);
		icnt_arrived(n, m, end);
		port_sort_last(&n->port[m->sm]);
		n->at_port[m->sm].wait += last - m->time - 1;
		if (merges(x, m))
			share_answer(n, m, t - 1);
		credit_put(&n->end[m->dest]->credits, m->sm, &x->of_port[m->sm][m->dest],
			   last + n->round, m->flits);
	}
}

/* Requests meet only at their slice, unless the network merges reads. */
static void requests(struct icnt *n, cycle_t from, cycle_t to)
{
	struct gpcs *x = n->state;
	unsigned count = icnt_sort_requests(n, from);
	(void)to;
	for (unsigned i = 0; i < count; i++) {
		const struct msg *m = n->sorted[i];
		if (merges(x, m) && merge_join(&x->merge, x->plan.gpc[m->sm], m)) {
			STAT(&n->stats, requests)
			--; /* a merged request reaches no slice, so it
						      * is not counted */
			taken(n, m->dest, m, m->time);
		} else {
			icnt_arrive(n, m, m->time);
		}
	}
}

static cycle_t next(const struct icnt *n)
{
	(void)n;
	return CYCLE_NEVER; /* nothing stays in the network between windows */
}

static unsigned held(const struct icnt *n)
{
	const struct gpcs *x = n->state;
	return x->merges ? x->merge.held : 0;
}

const struct icnt_ops icnt_gpc = {
	.p = {"gpc", "every SM to every slice; SMs of a GPC share a link; distances", "",
	      .options = {&options}},
	.init = init,
	.requests = requests,
	.taken = taken,
	.replies = replies,
	.next = next,
	.held = held,
};
