#include "power/model.h"

#include <string.h>
#include "base/map.h"

const struct power_component_info power_components[COMP_COUNT] = {
#define COMPONENT(name, home, help) {#name, help, HOME_##home},
#include "power/component.def"
#undef COMPONENT
};

static double scale_of(const struct power_model *p, enum power_component c)
{
	for (const struct named_num *e = p->m->power_scale; e; e = e->next)
		if (!strcmp(e->name, power_components[c].name))
			return e->real;
	return 1;
}

struct power_row *power_add(struct power_model *p, enum power_component c, const char *event,
			    const char *inst, const char *counter, double fj, const char *formula,
			    const char *source)
{
	double scale = scale_of(p, c);
	struct power_row r = {.comp = c,
			      .event = event,
			      .inst = inst,
			      .counter = counter,
			      .slot = -1,
			      .joule = fj * 1e-15 * scale,
			      .scale = scale,
			      .formula = formula,
			      .source = source,
			      .cls = CLASS_shared_cost};
	vec_push(&p->rows, r);
	return &p->rows.v[p->rows.n - 1];
}

void power_term(struct power_row *r, const char *name, double fj)
{
	if (r->nterms < STAT_COUNT_OF(r->term))
		r->term[r->nterms++] = (struct power_term){name, fj * 1e-15 * r->scale};
}

void power_static(struct power_model *p, enum power_component c, const char *what, double mm2,
		  double watts)
{
	struct power_area a = {what, c, mm2, watts};
	vec_push(&p->areas, a);
}

static void check_scales(const struct power_model *p, struct diag *d)
{
	const char *names[COMP_COUNT];
	for (unsigned i = 0; i < COMP_COUNT; i++)
		names[i] = power_components[i].name;
	for (const struct named_num *e = p->m->power_scale; e; e = e->next) {
		bool known = false;
		for (unsigned i = 0; i < COMP_COUNT; i++)
			known |= !strcmp(names[i], e->name);
		const char *near = nearest_name(e->name, names, COMP_COUNT);
		if (!known)
			diag_error(d, "power.scale.%s: no such component%s%s%s", e->name,
				   near ? "; did you mean " : "", near ? near : "",
				   near ? "?" : "");
	}
}

struct power_model *power_new(const struct machine *m, struct diag *d)
{
	struct power_model *p = xcalloc(1, sizeof *p);
	unsigned before = d->errors;
	p->m = m;
	p->hz = m->core_mhz * 1e6;
	p->sm_only = m->perfect_mem;
	p->count[HOME_SM] = m->sms;
	p->count[HOME_SLICE] = m->parts * m->slices;
	p->count[HOME_CHANNEL] = m->parts;
	p->count[HOME_GPU] = 1;
	check_scales(p, d);
	if (!tech_of(&p->t, m, d)) {
		power_free(p);
		return NULL;
	}
	power_add_front(p);
	power_add_rf(p);
	power_add_units(p);
	power_add_caches(p);
	power_add_policies(p);
	power_add_dram(p, d);
	power_add_static(p); /* the areas of all above are known now, and so is the die's edge */
	power_add_noc(p);
	if (d->errors == before)
		return p;
	power_free(p);
	return NULL;
}

void power_free(struct power_model *p)
{
	if (!p)
		return;
	vec_free(&p->rows);
	vec_free(&p->areas);
	arena_free(&p->arena);
	free(p);
}

const struct power_row *power_find(const struct power_model *p, const char *event)
{
	for (size_t i = 0; i < p->rows.n; i++)
		if (!strcmp(p->rows.v[i].event, event))
			return &p->rows.v[i];
	return NULL;
}

double power_event(const struct power_model *p, const char *event)
{
	const struct power_row *r = power_find(p, event);
	return r ? r->joule : 0;
}
