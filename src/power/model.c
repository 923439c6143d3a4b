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

/* Events whose energy a file can set in place of the model's. Some have no energy in the model, and so
 * a row only if a file names them. */
static const struct {
	const char *event;
	enum power_component comp;
	const char *inst, *counter;
	bool timed;
	enum power_split split;
	enum power_class cls;
} named[] = {
	{"schedule", COMP_control, "sm", "warp_instructions", false, SPLIT_OPS, 0},
	{"pipe", COMP_clock, "sm", "warp_instructions", false, SPLIT_OPS, 0},
	{"fetch_miss", COMP_fetch, "sm", "fetch_misses", false, SPLIT_OPS, 0},
	{"l1d_read_hit", COMP_l1d, "l1d", "reads-read_misses", false, SPLIT_CLASS, CLASS_global},
	{"l1d_read_miss", COMP_l1d, "l1d", "read_misses", false, SPLIT_CLASS, CLASS_global},
	{"l1d_write_hit", COMP_l1d, "l1d", "writes-write_misses", false, SPLIT_CLASS, CLASS_global},
	{"l1d_write_miss", COMP_l1d, "l1d", "write_misses", false, SPLIT_CLASS, CLASS_global},
	{"mc_read", COMP_mc, "dram", "read_bursts", false, SPLIT_MEMORY, 0},
	{"mc_store", COMP_mc, "l2", "writes", false, SPLIT_MEMORY, 0},
	{"mc_cycle", COMP_mc, "dram", "cycles", true, SPLIT_CLASS, CLASS_shared_cost},
};

static bool known_event(struct power_model *p, const char *event)
{
	if (power_find(p, event))
		return true;
	for (unsigned i = 0; i < STAT_COUNT_OF(named); i++) {
		if (strcmp(named[i].event, event))
			continue;
		if (p->sm_only && power_components[named[i].comp].home != HOME_SM)
			return true; /* the event belongs to a part of the memory system that the
				      * machine lacks */
		struct power_row *r = power_add(p, named[i].comp, event, named[i].inst,
						named[i].counter, 0, "power.event", "option");
		r->timed = named[i].timed;
		r->split = named[i].split;
		r->cls = named[i].cls;
		return true;
	}
	return false;
}

const char *power_near(const struct power_model *p, const char *event)
{
	const char **names = xcalloc(p->rows.n, sizeof *names);
	for (size_t i = 0; i < p->rows.n; i++)
		names[i] = p->rows.v[i].event;
	const char *near = nearest_name(event, names, p->rows.n);
	free(names);
	return near;
}

/* True for an unknown event, which is reported once. An event of a part that the machine lacks is not an
 * error. */
static bool is_unknown(struct power_model *p, const char *event, struct diag *d)
{
	static const char *const all[] = {
		"l1d_lookup",  "l1d_read",     "l1d_write", "l1d_mshr",      "l1d_fill",
		"l1c_lookup",  "l1c_read",     "l1c_write", "l1t_lookup",    "l1t_read",
		"l1t_write",   "l1i_write",    "l2_lookup", "l2_read",       "l2_write",
		"shared_read", "shared_write", "flit_hop",  "dram_activate", "dram_read",
		"dram_write",  "dram_refresh", "dram_open", "dram_closed",   "dram_idle",
		"phy_burst",   "mc_request",   "clock_idle"};
	for (unsigned i = 0; i < STAT_COUNT_OF(all); i++)
		if (!strcmp(all[i], event))
			return false;
	const char *near = power_near(p, event);
	diag_error(d, "power.event.%s: no such event%s%s%s", event, near ? "; did you mean " : "",
		   near ? near : "", near ? "?" : "");
	return true;
}

static void named_energies(struct power_model *p, struct diag *d)
{
	for (const struct named_num *e = p->m->power_events; e; e = e->next) {
		if (!known_event(p, e->name)) {
			if (is_unknown(p, e->name, d))
				return;
			continue;
		}
		for (size_t i = 0; i < p->rows.n; i++) {
			struct power_row *r = &p->rows.v[i];
			if (strcmp(r->event, e->name))
				continue;
			if (!r->inst) {
				diag_error(
					d,
					"power.event.%s: its energy is proportional to time, so it has no energy per event",
					e->name);
				return;
			}
			r->joule = e->real * 1e-12 * r->scale;
			r->nterms = 0;
			r->formula = "power.event";
			r->source = "option";
		}
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
	power_add_static(
		p); /* must be last: the areas of all other components determine the die's edge */
	power_add_noc(p);
	named_energies(p, d);
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
