/* As `warp`, where that pays: one SM always takes partial blocks, one never does, and the others do as the one
 * of the two did that issued more thread instructions in the last warp-dueling.interval cycles (the IPC of equal
 * times). On a tie they stay as they are. An SM that has a partial block serves it to its end in any case. */
#include "gpu/dispatch.h"

struct duel {
	cycle_t next;
	uint64_t with, without; /* instructions of the two at the last decision */
};

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	const char *why = disp_refuses_warp(m, div, buf, n);
	if (why)
		return why;
	if (m->duel_with == m->duel_without)
		snprintf(buf, n, "warp-dueling.with = warp-dueling.without = %u: two SMs duel",
			 m->duel_with);
	else if (m->duel_with >= m->sms || m->duel_without >= m->sms)
		snprintf(buf, n,
			 "warp-dueling.with = %u, warp-dueling.without = %u: SMs are numbered 0 "
			 "to %u",
			 m->duel_with, m->duel_without, m->sms - 1);
	else
		return NULL;
	return buf;
}

static uint64_t issued(const struct disp *d, unsigned sm)
{
	return STAT(&d->sm[sm]->stats, thread_instructions);
}

static void begin(struct disp *d, cycle_t at)
{
	*(struct duel *)d->state = (struct duel){.next = at + d->m->duel_interval};
	for (unsigned i = 0; i < d->nsm; i++)
		d->sm[i]->blocks.spatial = i != d->m->duel_without;
}

static bool tick(struct disp *d, cycle_t now)
{
	struct duel *s = d->state;
	if (now < s->next)
		return false;
	uint64_t with = issued(d, d->m->duel_with), without = issued(d, d->m->duel_without);
	uint64_t gain = with - s->with, other = without - s->without;
	*s = (struct duel){now + d->m->duel_interval, with, without};
	for (unsigned i = 0; i < d->nsm && gain != other; i++)
		if (i != d->m->duel_with && i != d->m->duel_without)
			d->sm[i]->blocks.spatial = gain > other;
	return gain > other;
}

const struct disp_ops disp_warp_dueling = {
	.p = {"warp-dueling", "as warp, on SMs that follow the better of two that duel",
	      "Xiang 2014, section 6.1, 'dueling'", .state_size = sizeof(struct duel)},
	.rule = disp_rule_warp,
	.refuses = refuses,
	.refuses_launch = disp_refuses_partial,
	.begin = begin,
	.place = disp_whole_or_part,
	.tick = tick,
};
