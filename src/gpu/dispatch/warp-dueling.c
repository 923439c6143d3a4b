/* Like `warp`, but only while that pays. One SM always takes partial blocks, one never does; the
 * others follow whichever of the two issued more thread instructions in the last
 * warp-dueling.interval cycles. On a tie the policy stays unchanged. An SM with a partial block always
 * serves it to its end. */
#include "gpu/dispatch.h"

struct options {
	uint32_t with, without, interval;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, with, "warp-dueling.with", 0, 0, 1023, "",
		   "the SM that always takes partial blocks"),
	OPTION_NUM(struct options, without, "warp-dueling.without", 1, 0, 1023, "",
		   "the SM that never takes partial blocks"),
	OPTION_NUM(struct options, interval, "warp-dueling.interval", 2000, 1, 100000000,
		   "core cycles", "time between two decisions"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

struct duel {
	cycle_t next;
	/* instructions of the SM with partial blocks and of the SM without, at the last decision */
	uint64_t with, without;
	const struct options *o;
};

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	const char *why = disp_refuses_warp(m, div, buf, n);
	if (why)
		return why;
	const struct options *o = machine_own(m, &options);
	if (o->with == o->without)
		snprintf(buf, n, "warp-dueling.with = warp-dueling.without = %u: two SMs duel",
			 o->with);
	else if (o->with >= m->sms || o->without >= m->sms)
		snprintf(buf, n,
			 "warp-dueling.with = %u, warp-dueling.without = %u: SMs are numbered 0 "
			 "to %u",
			 o->with, o->without, m->sms - 1);
	else
		return NULL;
	return buf;
}

static uint64_t issued(const struct disp *d, unsigned sm)
{
	return sm_thread_instructions(d->sm[sm]);
}

static void begin(struct disp *d, cycle_t at)
{
	const struct options *o = machine_own(d->m, &options);
	*(struct duel *)d->state = (struct duel){.next = at + o->interval, .o = o};
	for (unsigned i = 0; i < d->nsm; i++)
		d->sm[i]->blocks.spatial = i != o->without;
}

static bool tick(struct disp *d, cycle_t now)
{
	struct duel *s = d->state;
	if (now < s->next)
		return false;
	const struct options *o = s->o;
	uint64_t with = issued(d, o->with), without = issued(d, o->without);
	uint64_t gain = with - s->with, other = without - s->without;
	*s = (struct duel){now + o->interval, with, without, o};
	for (unsigned i = 0; i < d->nsm && gain != other; i++)
		if (i != o->with && i != o->without)
			d->sm[i]->blocks.spatial = gain > other;
	return gain > other;
}

const struct disp_ops disp_warp_dueling = {
	.p = {"warp-dueling", "as warp, on SMs that follow the better of two that duel",
	      "Xiang 2014, section 6.1, 'dueling'", .state_size = sizeof(struct duel),
	      .options = {&options, &disp_warp_options}, .describe = disp_describe_buffers},
	.rule = disp_rule_warp,
	.refuses = refuses,
	.refuses_launch = disp_refuses_partial,
	.begin = begin,
	.place = disp_whole_or_part,
	.tick = tick,
};
