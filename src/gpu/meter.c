#include "gpu/meter.h"

#include <stdlib.h>

static void read_counters(struct meter *m, cycle_t at)
{
	gpu_count_until(m->g, m->origin, at);
	m->at[m->k] = at;
	power_sum(&m->view, (double)(at - m->origin) / m->g->power->hz, m->of[m->k], &m->all[m->k]);
}

void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, bool instances)
{
	*m = (struct meter){.g = g, .origin = at, .live = stat_report_live()};
	gpu_instances(g, m->live);
	power_bind(&m->view, g->power, m->live);
	for (unsigned i = 0; i < 2 && instances; i++)
		m->of[i] = xcalloc(m->view.base[HOME_COUNT], sizeof *m->of[i]);
	read_counters(m, at);
	m->at[1] = at;
}

void meter_read(struct meter *m, cycle_t to)
{
	m->k = 1 - m->k;
	read_counters(m, to);
}

double meter_span(const struct meter *m)
{
	return (double)(m->at[m->k] - m->at[1 - m->k]) / m->g->power->hz;
}

double meter_watts(const struct meter *m, enum power_component c, int sm)
{
	const struct power_sum *a = sm < 0 ? &m->all[1 - m->k] : &m->of[1 - m->k][sm];
	const struct power_sum *b = sm < 0 ? &m->all[m->k] : &m->of[m->k][sm];
	double s = meter_span(m);
	return s > 0 ? (b->dynamic[c] - a->dynamic[c] + b->timed[c] - a->timed[c]) / s : 0;
}

double meter_total(const struct meter *m, int sm)
{
	double sum = 0;
	for (unsigned c = 0; c < COMP_COUNT; c++)
		sum += meter_watts(m, c, sm);
	return sum;
}

double meter_joule(const struct meter *m)
{
	return power_total(&m->all[m->k]) - power_total(&m->all[1 - m->k]);
}

void meter_end(struct meter *m)
{
	power_unbind(&m->view);
	stat_report_free(m->live);
	free(m->of[0]);
	free(m->of[1]);
}
