#include "gpu/meter.h"

#include <stdlib.h>
#include <string.h>

static void read_counters(struct meter *m, cycle_t at)
{
	const struct gpu *g = m->g;
	gpu_count_until(g, m->origin, at);
	for (unsigned i = 0; i < g->nsm; i++) {
		uint64_t rest = sm_rest(g->sm[i]);
		m->still[i] = rest && rest == m->rest[i];
		m->rest[i] = rest;
	}
	m->at[m->k] = at;
	power_sum_again(&m->view, (double)(at - m->origin) / g->power->hz, m->still, m->of,
			&m->all[m->k]);
}

void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, bool instances)
{
	*m = (struct meter){.g = g, .origin = at, .live = stat_report_live()};
	gpu_instances(g, m->live);
	power_bind(&m->view, g->power, m->live);
	m->of = xcalloc(m->view.base[HOME_COUNT], sizeof *m->of);
	m->before = instances ? xcalloc(m->view.base[HOME_COUNT], sizeof *m->before) : NULL;
	m->rest = xcalloc(g->nsm, sizeof *m->rest);
	m->still = xcalloc(g->nsm, sizeof *m->still);
	read_counters(m, at);
	m->at[1] = at;
}

void meter_read(struct meter *m, cycle_t to)
{
	m->k = 1 - m->k;
	if (m->before)
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

double meter_joule(const struct meter *m) { return joules(m, 0, COMP_COUNT, -1); }

void meter_end(struct meter *m)
{
	power_unbind(&m->view);
	stat_report_free(m->live);
	free(m->of);
	free(m->before);
	free(m->rest);
	free(m->still);
}
