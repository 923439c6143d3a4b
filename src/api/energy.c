/* Energy of a run and of a profile's instructions, as JSON; the coefficients as text. power/ has
 * the model. */
#include <math.h>
#include "api/api.h"

#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "conf/machine.h"
#include "gpu/gpu.h"
#include "power/energy.h"
#include "power/report.h"
#include "sm/sm.h"

const struct machine *api_machine(struct heddle *h)
{
	struct diag d = {0};
	if (h->machine)
		return h->machine;
	if (!h->plain) /* the defaults are consistent, so this cannot fail */
		h->plain = machine_read(NULL, NULL, &d);
	diag_free(&d);
	return h->plain;
}

const struct power_model *api_power(struct heddle *h)
{
	struct diag d = {0};
	if (h->gpu)
		return h->gpu->power;
	if (!h->events && api_machine(h))
		h->events = power_new(api_machine(h), &d);
	diag_free(&d);
	return h->events;
}

void api_energy_free(struct heddle *h)
{
	power_free(h->events);
	machine_free(h->plain);
}

/* ---- of a run ---- */

enum { FIELDS = 8 + 3 * COMP_COUNT + CLASS_COUNT };

static const struct stat_entry *energy_of(const struct stat_report *r)
{
	const struct stat_entry *e;
	for (size_t i = 0; r && (e = stat_report_at(r, i)); i++)
		if (e->t == &power_energy_table)
			return e;
	return NULL;
}

/* Concurrent launches all carry the figures of the group, so a sum would count them several times.
 * The last launch has the figures of the whole group; the others count nothing. */
static const struct stat_report *report_of_group(const struct launch_record *r)
{
	return r->s.shared ? r->together : r->report;
}

static double sum_of(const struct heddle *h, int k)
{
	double sum = 0;
	for (size_t i = 0; i < h->launches.n; i++) {
		const struct stat_entry *e = energy_of(report_of_group(&h->launches.v[i]));
		sum += e ? stat_real(e->values[k]) : 0;
	}
	return sum;
}

void heddle_energy(const struct heddle *h, double *joule, double *seconds)
{
	*joule = *seconds = 0;
	for (size_t i = 0; i < h->launches.n; i++) {
		const struct stat_report *r = report_of_group(&h->launches.v[i]);
		double j, s;
		if (r && power_of_report(r, &j, &s)) {
			*joule += j;
			*seconds += s;
		}
	}
}

const char *heddle_energy_note(const struct heddle *h)
{
	static _Thread_local char text[160];
	const struct machine *m = h->machine;
	if (!h->gpu)
		return "event energy only: functional mode has no time and no memory system";
	const char *sms = m->perfect_mem ? "energy covers SMs only, " : "";
	if (!m->cal.name)
		snprintf(text, sizeof text, "%suncalibrated", sms);
	else if (m->cal.error >= 0)
		snprintf(text, sizeof text, "%s+- %.3g %%", sms, 100 * m->cal.error);
	else
		snprintf(text, sizeof text, "%scalibrated by %s, error unknown", sms, m->cal.name);
	return text;
}

/* Sums joules and seconds first, then sets products and shares. */
static void set_products(json_t *o)
{
	double total = json_number_value(json_object_get(o, "total"));
	double s = json_number_value(json_object_get(o, "seconds"));
	double timed = json_number_value(json_object_get(o, "static"));
	double clock = json_number_value(json_object_get(o, "clock.static")) +
		       json_number_value(json_object_get(o, "lanes.static"));
	double some = total > 0 ? total : 1;
	json_object_set_new(o, "edp", json_real(total * s));
	json_object_set_new(o, "ed2p", json_real(total * s * s));
	json_object_set_new(o, "time_share", json_real(timed / some));
	json_object_set_new(o, "time_share_unclocked", json_real((timed - clock) / some));
	json_object_set_new(o, "mean_watts", json_real(s > 0 ? total / s : 0));
}

static json_t *rows_json(const struct power_model *p)
{
	json_t *list = json_array();
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct power_row *r = &p->rows.v[i];
		unsigned n = r->inst ? 1 : p->count[power_components[r->comp].home];
		json_t *o = json_pack("{s:s, s:s, s:f, s:b}", "event", r->event, "component",
				      power_components[r->comp].name, "joule", r->joule * n,
				      "timed", r->timed);
		if (r->inst)
			json_object_set_new(o, "counter",
					    json_sprintf("%s.%s", r->inst, r->counter));
		if (r->hz > 0)
			json_object_set_new(o, "hz", json_real(r->hz));
		if (r->slot >= 0)
			json_object_set_new(o, "slot", json_integer(r->slot));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *model_json(const struct heddle *h, const struct power_model *p)
{
	const struct calibration *c = &p->m->cal;
	json_t *o = json_pack("{s:f, s:f, s:s, s:o}", "node", p->t.nm, "vdd", p->t.vdd, "note",
			      heddle_energy_note(h), "rows", rows_json(p));
	if (c->name) {
		json_object_set_new(o, "calibration", json_string(c->name));
		json_object_set_new(o, "hash",
				    json_sprintf("%016llx", (unsigned long long)c->hash));
		if (c->error >= 0)
			json_object_set_new(o, "error", json_real(c->error));
	}
	return o;
}

/* Returns the energy of the events of all profiled instructions. */
static json_t *events_json(struct heddle *h)
{
	const struct power_model *p = api_power(h);
	struct sm_stats s = {0};
	if (!p)
		return json_object();
	api_profiles_count(h, &s);
	struct stat_report *r = stat_report_new();
	stat_report_add(r, &sm_stats, "sm", 0, &s);
	power_report(p, r, 0, NULL);
	const struct stat_entry *e = energy_of(r);
	json_t *o = json_object();
	for (unsigned i = 0; i < e->t->n; i++)
		if (e->values[i])
			json_object_set_new(o, e->t->def[i].name,
					    json_real(stat_real(e->values[i])));
	json_object_set_new(o, "note", json_string(heddle_energy_note(h)));
	stat_report_free(r);
	return o;
}

void api_energy_json(struct heddle *h, json_t *top)
{
	if (!h->gpu) {
		json_object_set_new(top, "energy", events_json(h));
		return;
	}
	json_t *o = json_object();
	for (unsigned i = 0; i < power_energy_table.n; i++)
		json_object_set_new(o, power_energy_table.def[i].name,
				    json_real(sum_of(h, (int)i)));
	set_products(o);
	json_object_set_new(o, "note", json_string(heddle_energy_note(h)));
	json_object_set_new(top, "energy", o);
	json_object_set_new(top, "power_model", model_json(h, h->gpu->power));
}

double api_launch_joule(const struct stat_report *r)
{
	const struct stat_entry *e = energy_of(r);
	return e ? stat_real(e->values[0]) : 0;
}

/* ---- of instructions ---- */

static const uint8_t class_of_op[OPC_COUNT] = {
#define REPORTED(name, report, pj, help, source) CLASS_##report,
	OPCLASSES(REPORTED)
#undef REPORTED
};

/* Coefficients of the events that an instruction causes itself. */
struct own {
	double control, read, write, word, product, unit[OPC_COUNT];
};

static struct own own_costs(const struct power_model *p)
{
	static const char *const unit[OPC_COUNT] = {
#define UNIT(name, report, pj, help, source) "unit_" #name,
		OPCLASSES(UNIT)
#undef UNIT
	};
	struct own o = {.control = power_event(p, "control"),
			.read = power_event(p, "rf_read"),
			.write = power_event(p, "rf_write"),
			.word = power_event(p, "rf_word"),
			.product = power_event(p, "mma_product")};
	for (unsigned i = 0; i < OPC_COUNT; i++)
		o.unit[i] = power_event(p, unit[i]);
	return o;
}

static double weight_of(const struct prof *c)
{
	return (double)(c->transactions ? c->transactions : c->lanes);
}

/* event[i]: energy of instruction i's own events. w: the energy of its class's other events (fetch,
 * memory), to be divided in proportion to accesses, or to threads if the class has no accesses; and
 * the time-proportional energy, to be divided in proportion to issue slots (api_energy_spread()).
 * The sum over all instructions is the launches' energy. */
void api_energy_own(struct heddle *h, const struct pc_cost *pc, uint32_t n, double *event,
		    struct class_pool *w)
{
	const struct power_model *p = api_power(h);
	if (!p)
		return;
	struct own o = own_costs(p);
	for (uint32_t i = 0; i < n; i++) {
		const struct prof *c = pc[i].sum;
		unsigned k = class_of_op[pc[i].opclass];
		event[i] = (double)c->issued * o.control +
			   (double)pc[i].reads * pc[i].nread * o.read +
			   (double)pc[i].writes * pc[i].nwrite * o.write +
			   (double)c->lanes * pc[i].nwrite * o.word +
			   (double)c->lanes * o.unit[pc[i].opclass] +
			   (double)c->issued * pc[i].products * o.product;
		w->left[k] -= event[i];
		w->weight[k] += weight_of(c);
		w->issued += (double)c->issued;
	}
}

static bool ran_beside(const struct heddle *h, const char *kernel)
{
	for (size_t i = 0; i < h->launches.n; i++)
		if (h->launches.v[i].s.shared && !strcmp(h->launches.v[i].s.kernel, kernel))
			return true;
	return false;
}

bool api_energy_shared(const struct heddle *h, const char *kernel, const char *other)
{
	return !strcmp(kernel, other) || (ran_beside(h, kernel) && ran_beside(h, other));
}

void api_energy_fill(const struct heddle *h, const char *kernel, struct class_pool *w)
{
	for (size_t i = 0; h->gpu && i < h->launches.n; i++) {
		const struct launch_record *r = &h->launches.v[i];
		const struct stat_entry *e = energy_of(report_of_group(r));
		if (!e || !api_energy_shared(h, kernel, r->s.kernel))
			continue;
		for (unsigned k = 0; k < CLASS_COUNT; k++)
			w->left[k] += stat_real(e->values[FIELDS - CLASS_COUNT + k]);
	}
}

void api_energy_spread(const struct class_pool *w, const struct pc_cost *pc, uint32_t n,
		       double *event, double *timed)
{
	for (uint32_t i = 0; i < n; i++) {
		unsigned k = class_of_op[pc[i].opclass];
		if (w->weight[k] > 0)
			event[i] += w->left[k] * weight_of(pc[i].sum) / w->weight[k];
		if (w->issued > 0)
			timed[i] =
				w->left[CLASS_shared_cost] * (double)pc[i].sum->issued / w->issued;
	}
}

/* ---- text ---- */

bool heddle_power(const char *name, const char *const *set, const char *event, bool area,
		  char **text)
{
	struct diag *d = xcalloc(1, sizeof *d);
	struct machine *m = machine_read(name, set, d);
	struct power_model *p = m ? power_new(m, d) : NULL;
	size_t n;
	FILE *f = p ? open_memstream(text, &n) : NULL;
	bool ok = f;
	if (ok && event)
		ok = power_print_event(p, event, f, d);
	else if (ok && area)
		power_print_area(p, f);
	else if (ok)
		power_print(p, f);
	if (f)
		fclose(f);
	if (!ok) {
		if (f)
			free(*text);
		*text = diag_string(d);
	}
	power_free(p);
	machine_free(m);
	diag_free(d);
	free(d);
	return ok;
}

double heddle_power_area(const char *name, const char *const *set)
{
	struct diag *d = xcalloc(1, sizeof *d);
	struct machine *m = machine_read(name, set, d);
	struct power_model *p = m ? power_new(m, d) : NULL;
	double area = p ? p->modelled : NAN;
	power_free(p);
	machine_free(m);
	diag_free(d);
	free(d);
	return area;
}
