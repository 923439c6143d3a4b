/* Lazy block scheduling: each SM finds out how many blocks it needs.
 *
 * All blocks that fit start, and the scheduler prefers the oldest (sm.scheduler = gto). When the first of them ends, the
 * instructions that the SM's blocks have issued say how much the others got done beside it:
 *
 *	blocks        A    B    C    D           limit = (1000 + 620 + 300 + 80) / 1000, rounded up = 2
 *	instructions  1000 620  300  80          no block starts while 2 are resident
 *
 * The limit holds until another kernel's block starts on the SM. */
#include "gpu/dispatch/lcs.h"

enum { MOST_SMS = 1024 };
struct monitors {
	struct monitor {              /* of an SM */
		const struct kern *k; /* kernel whose blocks are watched; NULL: none */
		cycle_t from;         /* cycle in which its first block was placed */
		uint64_t ended;       /* blocks that had ended by then */
		unsigned limit;       /* most blocks; 0: not known yet, as many as fit */
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

/* Instructions of each of the kernel's blocks, those that have just ended included. Returns how many blocks there
 * are. */
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
