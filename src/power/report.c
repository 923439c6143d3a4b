#include "power/report.h"

#include "base/map.h"

static void print_head(const struct power_model *p, FILE *f)
{
	const struct tech *t = &p->t;
	const struct calibration *c = &p->m->cal;
	fprintf(f, "# machine %s: %.10g nm, %.10g V (the node's is %.10g V), %.10g K, %s\n",
		p->m->name, t->nm, t->vdd, t->nominal, p->m->power_kelvin, p->m->power_device);
	fprintf(f,
		"# node: cell %.4g um^2, gate %.4g fF/um, sense %.4g fJ, I_off %.4g uA/um, leakage %.4g W/mm^2; %s\n",
		t->cell, t->gate, t->sense, t->ioff, t->leak, t->source);
	fprintf(f,
		"# wire %.5g fJ/mm a transition, activity %.4g, logic %.5g of 40 nm and 0.96 V\n",
		t->wire, t->activity, t->logic);
	if (c->name && c->error >= 0)
		fprintf(f, "# calibration %s, %016llx, mean error %.1f %%\n", c->name,
			(unsigned long long)c->hash, 100 * c->error);
	else if (c->name)
		fprintf(f, "# calibration %s, %016llx, its error is not known\n", c->name,
			(unsigned long long)c->hash);
	else
		fprintf(f, "# uncalibrated\n");
	if (p->sm_only)
		fprintf(f, "# energy covers SMs only: gpu.perfect_memory\n");
}

/* The factor of a row as text: sm.rf_reads, sm.op_threads[6], seconds. */
static const char *counter_name(const struct power_row *r, char *buf, size_t n)
{
	if (!r->inst)
		snprintf(buf, n, "seconds");
	else if (r->slot >= 0)
		snprintf(buf, n, "%s.%s[%d]", r->inst, r->counter, r->slot);
	else
		snprintf(buf, n, "%s.%s", r->inst, r->counter);
	return buf;
}

/* Prints a row: pJ per event, or W. */
static void print_row(const struct power_model *p, const struct power_row *r, FILE *f)
{
	char name[160];
	unsigned n = r->inst ? 1 : p->count[power_components[r->comp].home];
	fprintf(f, "%-10s %-18s %18.12g %-3s x %-30s %-7.4g %s%s; %s\n",
		power_components[r->comp].name, r->event, r->inst ? r->joule * 1e12 : r->joule * n,
		r->inst ? "pJ" : "W", counter_name(r, name, sizeof name), r->scale, r->formula,
		r->timed ? " (time)" : "", r->source);
}

void power_print(const struct power_model *p, FILE *f)
{
	print_head(p, f);
	fprintf(f, "%-10s %-18s %18s %-3s   %-30s %-7s %s\n", "component", "event", "energy", "",
		"counter", "scale", "formula; source");
	for (size_t i = 0; i < p->rows.n; i++)
		print_row(p, &p->rows.v[i], f);
}

bool power_print_event(const struct power_model *p, const char *event, FILE *f, struct diag *d)
{
	const struct power_row *r = power_find(p, event);
	if (!r) {
		const char *near = power_near(p, event);
		diag_error(d, "no event %s%s%s%s", event, near ? "; did you mean " : "",
			   near ? near : "", near ? "?" : "");
		return false;
	}
	print_head(p, f);
	print_row(p, r, f);
	double sum = 0;
	for (unsigned i = 0; i < r->nterms; i++) {
		fprintf(f, "  %-26s %12.6g pJ\n", r->term[i].name, r->term[i].joule * 1e12);
		sum += r->term[i].joule;
	}
	if (r->nterms)
		fprintf(f, "  %-26s %12.6g pJ\n", "sum", sum * 1e12);
	return true;
}

void power_print_area(const struct power_model *p, FILE *f)
{
	static const char *const home[HOME_COUNT] = {"SM", "L2 slice", "channel", "GPU"};
	print_head(p, f);
	fprintf(f, "%-10s %-28s %10s %-9s %6s %10s %10s\n", "component", "what", "mm^2", "each",
		"count", "mm^2", "leakage W");
	for (size_t i = 0; i < p->areas.n; i++) {
		const struct power_area *a = &p->areas.v[i];
		enum power_home h = power_components[a->comp].home;
		fprintf(f, "%-10s %-28s %10.5g %-9s %6u %10.5g %10.5g\n",
			power_components[a->comp].name, a->what, a->mm2, home[h], p->count[h],
			a->mm2 * p->count[h], a->watts * p->count[h]);
	}
	fprintf(f, "modelled %.5g mm^2, die %.5g mm^2, other %.5g mm^2\n", p->modelled, p->die,
		p->die - p->modelled);
}
