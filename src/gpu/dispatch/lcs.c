/* Lazy block scheduling: each SM finds the number of blocks that it needs.
 *
 * At first, as many blocks start as fit, and the scheduler prefers the oldest (sm.scheduler = gto).
 * When the first block ends, the instructions issued by the SM's blocks show how much the others
 * progressed meanwhile:
 *
 * 	blocks        A    B    C    D           limit = (1000 + 620 + 300 + 80) / 1000, rounded up = 2
 * 	instructions  1000 620  300  80          no block starts while 2 are resident
 *
 * The limit holds until a block of another kernel starts on the SM. */
#include "gpu/dispatch/lcs.h"

enum { MOST_SMS = 1024 };
struct monitors {
	struct monitor {              /* state of one SM */
		const struct kern *k; /* kernel whose blocks are observed; NULL: none */
		cycle_t from;         /* cycle in which its first block was placed */
		uint64_t ended;       /* blocks that had ended before `from` */
		unsigned limit;       /* largest number of resident blocks; 0: not known yet, as
				       * many as fit */
	} of[MOST_SMS];
};

static void begin(struct disp *d, cycle_t at)
{
	(void)at;
	memset(d->state, 0, sizeof(struct monitors));
}

static int place(struct disp *d, const struct kern *k)
{
	struct monitors *all = d->state;
	for (unsigned i = 1; i <= d->nsm; i++) {
		unsigned n = (d->last + i) % d->nsm;
		const struct sm *sm = d->sm[n];
		struct monitor *m = &all->of[n];
		unsigned limit = m->k == k ? m->limit : 0;
		if ((limit && sm->blocks.used >= limit) || !block_fits(sm, k))
			continue;
		if (m->k != k)
			*m = (struct monitor){k, sm->now, STAT(&sm->blocks.stats, ended), 0};
		d->last = n;
		return (int)n;
	}
	return -1;
}

unsigned lcs_limit(const uint64_t *issued, unsigned n)
{
	uint64_t sum = 0, most = 0;
	for (unsigned i = 0; i < n; i++) {
		sum += issued[i];
		most = issued[i] > most ? issued[i] : most;
	}
	return most ? (unsigned)((sum + most - 1) / most) : 0;
}

/* Collects the instructions of each of the kernel's blocks, including blocks that have just ended;
 * returns the number of blocks. */
static unsigned collect_issued(const struct sm *sm, const struct monitor *m, uint64_t *issued)
{
	unsigned n = 0;
	for (unsigned i = 0; i < sm->blocks.n; i++) {
		const struct block *b = &sm->blocks.block[i];
		if (b->k == m->k && b->start >= m->from)
			issued[n++] = block_issued(sm, b);
	}
	return n;
}

static bool tick(struct disp *d, cycle_t now)
{
	struct monitors *all = d->state;
	uint64_t issued[LCS_BLOCKS];
	(void)now;
	for (unsigned i = 0; i < d->nsm; i++) {
		struct monitor *m = &all->of[i];
		if (m->k && !m->limit && STAT(&d->sm[i]->blocks.stats, ended) != m->ended)
			m->limit = lcs_limit(issued, collect_issued(d->sm[i], m, issued));
	}
	return false;
}

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	(void)div;
	if (m->max_blocks <= LCS_BLOCKS && m->sms <= MOST_SMS)
		return NULL;
	snprintf(buf, n, "gpu.dispatch = lcs: at most %d SMs with %d blocks, not %u with %u",
		 MOST_SMS, LCS_BLOCKS, m->sms, m->max_blocks);
	return buf;
}

const struct disp_ops disp_lcs = {
	.p = {"lcs",
	      "whole blocks, on each SM as many as its first block to end showed to be of use",
	      "Lee et al., HPCA 2014, lazy CTA scheduling", .state_size = sizeof(struct monitors)},
	.refuses = refuses,
	.begin = begin,
	.place = place,
	.tick = tick,
};
