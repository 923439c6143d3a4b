/* Equalizer: each SM has as many blocks as its warps' states ask for. Every equalizer.sample cycles the states of its
 * warps are counted, and every equalizer.interval cycles their means decide, with W warps in a block:
 *
 *	ready for memory, not issued     > W                       one block fewer: the caches are contended for
 *	ready for arithmetic, not issued > W                       no change: the units are busy
 *	ready for memory, not issued     > equalizer.bandwidth     no change: the bandwidth is used up
 *	waiting for results              > half of the warps       one block more: there is too little work
 *
 * A change takes place when equalizer.agree decisions in a row ask for it. One block fewer means that the youngest block
 * is paused. The mechanism's other half changes the clocks of SMs and memory, which are fixed here. Samples are taken at
 * the first window's end after they are due. */
#include "gpu/dispatch/pausing.h"

struct options {
	uint32_t sample, interval, bandwidth, agree;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, sample, "equalizer.sample", 128, 1, 1000000, "core cycles",
		   "time between two samples of the states of an SM's warps"),
	OPTION_NUM(struct options, interval, "equalizer.interval", 4096, 1, 100000000,
		   "core cycles", "time between two decisions about an SM's number of blocks"),
	OPTION_NUM(struct options, bandwidth, "equalizer.bandwidth", 2, 0, 1000, "warps",
		   "more warps that are ready for memory and cannot issue: no further block"),
	OPTION_NUM(struct options, agree, "equalizer.agree", 3, 1, 1000, "decisions",
		   "decisions in a row that change the number of blocks"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

enum { MOST_SMS = 1024 };
struct monitors {
	cycle_t sample, decide; /* cycles of the next sample and decision */
	struct monitor {
		const struct kern *k; /* kernel that `blocks` applies to; NULL: none */
		unsigned blocks;      /* blocks that may issue */
		int wish, wishes;     /* change that the last decision asked for; equal decisions
				       * in a row */
		/* sums over the samples since the last decision */
		uint64_t samples, active, waiting, alu, memory;
	} of[MOST_SMS];
};

static const struct options *options_of(const struct disp *d)
{
	return machine_own(d->m, &options);
}

static void begin(struct disp *d, cycle_t at)
{
	struct monitors *all = d->state;
	memset(all, 0, sizeof *all);
	all->sample = at + options_of(d)->sample;
	all->decide = at + options_of(d)->interval;
}

static int place(struct disp *d, const struct kern *k)
{
	struct monitors *all = d->state;
	for (unsigned i = 1; i <= d->nsm; i++) {
		unsigned n = (d->last + i) % d->nsm;
		struct monitor *m = &all->of[n];
		if (m->k != k)
			*m = (struct monitor){.k = k, .blocks = k->fit};
		if (d->sm[n]->blocks.used >= m->blocks || !block_fits(d->sm[n], k))
			continue;
		d->last = n;
		return (int)n;
	}
	return -1;
}

/* Counts the states of the groups of one scheduler that are not paused. The one that issues in this cycle is ready too,
 * so one that is ready does not count. */
static void sample_scheduler(struct monitor *m, const struct sm *sm, unsigned n)
{
	const uint64_t *paused = sm_set(sm, n, SET_PAUSED);
	unsigned alu = 0, memory = 0;
	for (unsigned g = n; g < sm->ngroups; g += sm->nsched) {
		unsigned state = sm->slot[g].state, k = g / sm->nsched;
		if (state <= GS_DRAIN || (paused[k / 64] >> k % 64 & 1))
			continue;
		m->active++;
		m->waiting += state >= GS_SCORE && state < GS_READY;
		memory += state == GS_READY + UNIT_MEM;
		alu += state >= GS_READY && state != GS_READY + UNIT_MEM;
	}
	m->alu += alu ? alu - 1 : 0;
	m->memory += alu || !memory ? memory : memory - 1;
}

static void take_sample(struct monitor *m, const struct sm *sm)
{
	m->samples++;
	for (unsigned n = 0; n < sm->nsched; n++)
		sample_scheduler(m, sm, n);
}

/* The change of the number of blocks that the interval's samples ask for; w: warps of a block. */
static int wish_of(const struct options *o, const struct monitor *m, unsigned w)
{
	if (m->memory > w * m->samples)
		return -1;
	if (m->alu > w * m->samples || m->memory > o->bandwidth * m->samples)
		return 0;
	return m->waiting * 2 > m->active ? 1 : 0;
}

/* True: the SM may have more blocks than before. */
static bool decide(const struct options *o, struct monitor *m, const struct kern *k)
{
	unsigned before = m->blocks;
	int wish = m->samples ? wish_of(o, m, k->warps) : 0;
	m->wishes = wish == m->wish ? m->wishes + 1 : 1;
	m->wish = wish;
	m->samples = m->active = m->waiting = m->alu = m->memory = 0;
	if (wish && m->wishes >= (int)o->agree) {
		m->wishes = 0;
		if (wish > 0 && m->blocks < k->fit)
			m->blocks++;
		if (wish < 0 && m->blocks > 1)
			m->blocks--;
	}
	return m->blocks > before;
}

static bool tick(struct disp *d, cycle_t now)
{
	struct monitors *all = d->state;
	const struct options *o = options_of(d);
	bool samples = now >= all->sample, decides = now >= all->decide, more = false;
	for (unsigned i = 0; i < d->nsm; i++) {
		struct sm *sm = d->sm[i];
		struct monitor *m = &all->of[i];
		if (!m->k || !sm->blocks.used)
			continue;
		if (samples)
			take_sample(m, sm);
		if (decides)
			more |= decide(o, m, m->k);
		pausing_adjust(sm, m->blocks);
	}
	if (samples)
		all->sample = now + o->sample;
	if (decides)
		all->decide = now + o->interval;
	return more;
}

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	(void)div;
	if (m->sms <= MOST_SMS)
		return NULL;
	snprintf(buf, n, "gpu.dispatch = equalizer: at most %d SMs, not %u", MOST_SMS, m->sms);
	return buf;
}

const struct disp_ops disp_equalizer = {
	.p = {"equalizer",
	      "whole blocks, as many as the states of the SM's warps ask for; the others are paused",
	      "Sethia, Mahlke, MICRO 2014", .state_size = sizeof(struct monitors),
	      .options = {&options}},
	.refuses = refuses,
	.begin = begin,
	.place = place,
	.tick = tick,
};
