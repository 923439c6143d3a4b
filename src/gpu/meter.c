#include "gpu/meter.h"

#include "base/assert.h"
#include "mem/memsys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* True if a partition is still in the rest period in which it was read, and its slope is known: *joule is then
 * its energy at `at`. */
static bool is_resting(const struct meter_reading *r, uint64_t rest, cycle_t at, double *joule)
{
	if (!rest || rest != r->rest || r->slope < 0)
		return false;
	*joule = r->joule + r->slope * (double)(at - r->at);
	return true;
}

/* Records that the counters give `joule` at `at`, counted from the start. */
static double note_reading(struct meter_reading *r, uint64_t rest, cycle_t at, double joule)
{
	bool same = rest && rest == r->rest && at > r->at;
	double slope = same ? (joule - r->joule) / (double)(at - r->at) : -1;
	*r = (struct meter_reading){.rest = rest, .at = at, .joule = joule, .slope = slope};
	return joule;
}

static double read_sm(const struct meter *m, unsigned i, cycle_t at)
{
	gpu_count_sm(m->g, i, m->origin, at);
	return power_instance(m->view, m->view->base[HOME_SM] + i);
}

/* Reads the SMs' energy. Idle SMs are read again when a block has been placed, because the block
 * may be on one of them. Until then all idle SMs together are one line, which is `resting` J at the
 * start. */
static double read_sms(struct meter *m, cycle_t at)
{
	double sum = 0, cycles = (double)(at - m->origin);
	if (m->placed != m->g->placed) {
		m->placed = m->g->placed;
		m->resting = m->slope = 0;
		for (m->nawake = 0; m->nawake < m->g->nsm; m->nawake++)
			m->awake[m->nawake] = m->nawake;
	}
	double untouched = -1; /* energy of an SM without blocks; below 0: not read */
	unsigned n = 0;
	for (unsigned k = 0; k < m->nawake; k++) {
		unsigned i = m->awake[k];
		struct meter_reading *r = &m->sm[i];
		bool idle = gpu_is_untouched(m->g, i);
		double joule = idle && untouched >= 0 ? untouched : read_sm(m, i, at);
		untouched = idle ? joule : untouched;
		note_reading(r, sm_rest(m->g->sm[i], at), at, joule);
		if (r->slope < 0) {
			m->awake[n++] = i;
			sum += joule;
		} else {
			m->slope += r->slope;
			m->resting += joule - r->slope * cycles;
		}
	}
	m->nawake = n;
	return sum + m->resting + m->slope * cycles;
}

/* Counts a channel and its slices. */
static double count_part(struct meter *m, unsigned part, cycle_t now)
{
	const unsigned *base = m->view->base, parts = m->g->m->parts;
	memsys_count_channel(m->g->mem, part, now);
	double joule = power_instance(m->view, base[HOME_CHANNEL] + part);
	for (unsigned i = base[HOME_SLICE] + part; i < base[HOME_SLICE + 1]; i += parts)
		joule += power_instance(m->view, i);
	return joule;
}

/* Reads the partitions' energy. Partitions count cycles of the DRAM's clock, so the line has whole DRAM
 * cycles. All partitions idle in one state have one slope. */
static double read_parts(struct meter *m, cycle_t at)
{
	cycle_t now = memsys_dram_cycle(m->g->mem, at);
	double sum = 0, joule;
	for (unsigned i = 0; i < m->g->m->parts; i++) {
		struct meter_reading *r = &m->part[i];
		enum dram_state state;
		uint64_t rest = memsys_part_rest(m->g->mem, i, now, &state);
		if (!is_resting(r, rest, now, &joule)) {
			joule = note_reading(r, rest, now, count_part(m, i, now));
			if (r->slope >= 0)
				m->state[state] = r->slope;
			r->slope = m->state[state];
		}
		sum += joule;
	}
	return sum;
}

static double read_gpu(struct meter *m, cycle_t at)
{
	double joule = m->view->watts * (double)(at - m->origin) / m->g->power->hz;
	joule += read_sms(m, at);
	if (!m->g->m->perfect_mem) {
		memsys_count_network(m->g->mem);
		joule += read_parts(m, at);
	}
	for (unsigned i = m->view->base[HOME_GPU]; i < m->view->base[HOME_COUNT]; i++)
		joule += power_instance(m->view, i);
	return joule;
}

static void read_counters(struct meter *m, cycle_t at)
{
	m->at[m->k] = at;
	m->joule[m->k] = read_gpu(m, at);
	if (m->depth < METER_COMPONENTS)
		return;
	gpu_count_until(m->g, m->origin, at);
	power_sum(m->view, NULL, (double)(at - m->origin) / m->g->power->hz, m->of, &m->all[m->k]);
	assert(fabs(m->joule[m->k] - power_total(&m->all[m->k])) <= 1e-9 * m->joule[m->k]);
}

void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, enum meter_depth depth)
{
	*m = (struct meter){.g = g, .origin = at, .depth = depth};
	m->view = g->view;
	m->sm = xcalloc(g->nsm, sizeof *m->sm);
	m->awake = xcalloc(g->nsm, sizeof *m->awake);
	m->placed = ~g->placed; /* differs from g->placed: no SM is known to be idle */
	m->part = xcalloc(g->m->parts, sizeof *m->part);
	for (unsigned i = 0; i < DRAM_STATES; i++)
		m->state[i] = -1;
	m->of = xcalloc(m->view->base[HOME_COUNT], sizeof *m->of);
	m->before = xcalloc(m->view->base[HOME_COUNT], sizeof *m->before);
	read_counters(m, at);
	m->at[1] = at;
}

void meter_read(struct meter *m, cycle_t to)
{
	m->k = 1 - m->k;
	if (m->depth >= METER_SMS)
		memcpy(m->before, m->of, m->view->base[HOME_COUNT] * sizeof *m->of);
	read_counters(m, to);
}

double meter_span(const struct meter *m)
{
	return (double)(m->at[m->k] - m->at[1 - m->k]) / m->g->power->hz;
}

/* Energy of components `from` to `to` - 1 in the span, J. */
static double sum_components(const struct meter *m, unsigned from, unsigned to, int sm)
{
	const struct power_sum *a = sm < 0 ? &m->all[1 - m->k] : &m->before[sm];
	const struct power_sum *b = sm < 0 ? &m->all[m->k] : &m->of[sm];
	double sum = 0;
	for (unsigned c = from; c < to; c++)
		sum += b->dynamic[c] - a->dynamic[c] + b->timed[c] - a->timed[c];
	return sum;
}

double meter_watts(const struct meter *m, enum power_component c, int sm)
{
	double s = meter_span(m);
	return s > 0 ? sum_components(m, c, c + 1, sm) / s : 0;
}

double meter_total(const struct meter *m, int sm)
{
	double s = meter_span(m);
	return s > 0 ? sum_components(m, 0, COMP_COUNT, sm) / s : 0;
}

double meter_joule(const struct meter *m) { return m->joule[m->k] - m->joule[1 - m->k]; }

void meter_end(struct meter *m)
{
	free(m->sm);
	free(m->awake);
	free(m->part);
	free(m->of);
	free(m->before);
}
