#include "gpu/meter.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* J of SM i from the start until `at`. */
static double read_sm(struct meter *m, unsigned i, cycle_t at)
{
	struct sm_reading *s = &m->sm[i];
	struct sm *sm = m->g->sm[i];
	uint64_t rest = sm_rest(sm, at);
	bool same = rest && rest == s->rest;
	if (same && s->slope >= 0)
		return s->joule + s->slope * (double)(at - s->at);
	gpu_count_sm(m->g, i, m->origin, at);
	double joule = power_instance(&m->view, m->view.base[HOME_SM] + i);
	double slope = same && at > s->at ? (joule - s->joule) / (double)(at - s->at) : -1;
	*s = (struct sm_reading){.rest = rest, .at = at, .joule = joule, .slope = slope};
	return joule;
}

static double read_gpu(struct meter *m, cycle_t at)
{
	double joule = m->view.watts * (double)(at - m->origin) / m->g->power->hz;
	gpu_count_memory(m->g, at);
	for (unsigned i = 0; i < m->g->nsm; i++)
		joule += read_sm(m, i, at);
	for (unsigned i = m->view.base[HOME_SM + 1]; i < m->view.base[HOME_COUNT]; i++)
		joule += power_instance(&m->view, i);
	return joule;
}

static void read_counters(struct meter *m, cycle_t at)
{
	m->at[m->k] = at;
	m->joule[m->k] = read_gpu(m, at);
	if (m->depth < METER_COMPONENTS)
		return;
	gpu_count_until(m->g, m->origin, at);
	power_sum(&m->view, (double)(at - m->origin) / m->g->power->hz, m->of, &m->all[m->k]);
	assert(fabs(m->joule[m->k] - power_total(&m->all[m->k])) <= 1e-9 * m->joule[m->k]);
}

void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, enum meter_depth depth)
{
	*m = (struct meter){.g = g, .origin = at, .depth = depth, .live = stat_report_live()};
	gpu_instances(g, m->live);
	power_bind(&m->view, g->power, m->live);
	m->sm = xcalloc(g->nsm, sizeof *m->sm);
	m->of = xcalloc(m->view.base[HOME_COUNT], sizeof *m->of);
	m->before = xcalloc(m->view.base[HOME_COUNT], sizeof *m->before);
	read_counters(m, at);
	m->at[1] = at;
}

void meter_read(struct meter *m, cycle_t to)
{
	m->k = 1 - m->k;
	if (m->depth >= METER_SMS)
		memcpy(m->before, m->of, m->view.base[HOME_COUNT] * sizeof *m->of);
	read_counters(m, to);
}

double meter_span(const struct meter *m)
{
	return (double)(m->at[m->k] - m->at[1 - m->k]) / m->g->power->hz;
}

/* J of components `from` to `to` - 1 in the span. */
static double joules(const struct meter *m, unsigned from, unsigned to, int sm)
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
	return s > 0 ? joules(m, c, c + 1, sm) / s : 0;
}

double meter_total(const struct meter *m, int sm)
{
	double s = meter_span(m);
	return s > 0 ? joules(m, 0, COMP_COUNT, sm) / s : 0;
}

double meter_joule(const struct meter *m) { return m->joule[m->k] - m->joule[1 - m->k]; }

void meter_end(struct meter *m)
{
	power_unbind(&m->view);
	stat_report_free(m->live);
	free(m->sm);
	free(m->of);
	free(m->before);
}
