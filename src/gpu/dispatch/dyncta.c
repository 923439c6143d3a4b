/* Dynamic number of blocks: each SM starts with half of the blocks that fit, and every
 * dyncta.interval cycles examines what its schedulers waited for.
 *
 * 	cycles without work and without waits for memory   > dyncta.idle    one block more: there is too little work
 * 	cycles in which all groups waited for memory       < dyncta.low     one block more: memory keeps up
 * 	                                                   > dyncta.high    one block fewer: memory is saturated
 *
 * One block fewer means that the youngest block is paused: its warps keep their places and issue
 * nothing. A paused block resumes before a new block starts. Cycles are issue slots divided by the
 * number of schedulers. The defaults of the options are the published thresholds. */
#include "gpu/dispatch/pausing.h"

struct options {
	uint32_t interval, idle, low, high;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, interval, "dyncta.interval", 2048, 1, 100000000, "core cycles",
		   "time between two decisions about an SM's number of blocks"),
	OPTION_NUM(struct options, idle, "dyncta.idle", 16, 0, 100000000, "core cycles",
		   "more cycles of an interval without work: one block more"),
	OPTION_NUM(struct options, low, "dyncta.low", 128, 0, 100000000, "core cycles",
		   "fewer cycles of an interval that wait for memory: one block more"),
	OPTION_NUM(struct options, high, "dyncta.high", 384, 0, 100000000, "core cycles",
		   "more cycles of an interval that wait for memory: one block less"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

enum { MOST_SMS = 1024 };
struct monitors {
	cycle_t next; /* cycle of the next decision */
	struct monitor {
		const struct kern *k;  /* kernel that `blocks` applies to; NULL: none */
		unsigned blocks;       /* blocks that may issue */
		uint64_t idle, memory; /* issue slots idle and waiting for memory, counted up to
				        * the last decision */
	} of[MOST_SMS];
};

static const struct options *options_of(const struct disp *d)
{
	return machine_own(d->m, &options);
}

/* Issue slots in which the scheduler's warps had no work and waited only for other warps; slots
 * that waited for memory. */
static uint64_t idle_slots(const struct sm *sm)
{
	return sm->slots[SLOT_no_warp] + sm->slots[SLOT_drain] + sm->slots[SLOT_barrier] +
	       sm->slots[SLOT_sync];
}
static uint64_t memory_slots(const struct sm *sm)
{
	return sm->slots[SLOT_score_global] + sm->slots[SLOT_score_tex] + sm->slots[SLOT_memory] +
	       sm->slots[SLOT_unit_mem] + sm->slots[SLOT_fence] + sm->slots[SLOT_ordered];
}

static void begin(struct disp *d, cycle_t at)
{
	struct monitors *all = d->state;
	memset(all, 0, sizeof *all);
	all->next = at + options_of(d)->interval;
}

static int place(struct disp *d, const struct kern *k)
{
	struct monitors *all = d->state;
	for (unsigned i = 1; i <= d->nsm; i++) {
		unsigned n = (d->last + i) % d->nsm;
		struct monitor *m = &all->of[n];
		if (m->k != k)
			*m = (struct monitor){k, k->fit > 1 ? k->fit / 2 : 1, m->idle, m->memory};
		if (d->sm[n]->blocks.used >= m->blocks || !block_fits(d->sm[n], k))
			continue;
		d->last = n;
		return (int)n;
	}
	return -1;
}

/* Blocks that may issue in the next interval, from the cycles of the last one. */
static unsigned decide_blocks(const struct options *o, unsigned now, unsigned most, uint64_t idle,
			      uint64_t memory)
{
	if (idle > o->idle || memory < o->low)
		return now < most ? now + 1 : now;
	return memory > o->high && now > 1 ? now - 1 : now;
}

static bool tick(struct disp *d, cycle_t now)
{
	struct monitors *all = d->state;
	const struct options *o = options_of(d);
	bool due = now >= all->next, more = false;
	for (unsigned i = 0; i < d->nsm; i++) {
		struct sm *sm = d->sm[i];
		struct monitor *m = &all->of[i];
		if (due && m->k && sm->blocks.used) {
			uint64_t idle = idle_slots(sm), memory = memory_slots(sm);
			unsigned before = m->blocks;
			m->blocks =
				decide_blocks(o, before, m->k->fit, (idle - m->idle) / sm->nsched,
					      (memory - m->memory) / sm->nsched);
			more |= m->blocks > before;
			m->idle = idle;
			m->memory = memory;
		}
		if (sm->blocks.used)
			pausing_adjust(sm, m->blocks);
	}
	if (due)
		all->next = now + o->interval;
	return more;
}

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	(void)div;
	if (m->sms > MOST_SMS)
		snprintf(buf, n, "gpu.dispatch = dyncta: at most %d SMs, not %u", MOST_SMS, m->sms);
	else
		return NULL;
	return buf;
}

const struct disp_ops disp_dyncta = {
	.p = {"dyncta",
	      "whole blocks, of which each SM pauses as many as its memory cannot keep up with",
	      "Kayiran, Jog, Kandemir, Das, PACT 2013", .state_size = sizeof(struct monitors),
	      .options = {&options}},
	.refuses = refuses,
	.begin = begin,
	.place = place,
	.tick = tick,
};
