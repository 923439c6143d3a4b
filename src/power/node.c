#include "power/node.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
	double nm, length, vdd, cell, gate, sense, ioff, longch, leak;
	const char *source;
} rows[] = {
#define NODE(nm, length, v, cell, gate, sense, ioff, longch, leak, source)                         \
	{nm, length, v, cell, gate, sense, ioff, longch, leak, source},
#include "power/node.def"
#undef NODE
};
enum { NROWS = sizeof rows / sizeof *rows };

static double interpolate(double a, double b, double x) { return a + (b - a) * x; }

/* I_off by CACTI's table at 45 nm, high performance. */
double tech_temperature(double kelvin)
{
	static const double at[] = {300, 320, 350, 380, 400}, k[] = {0.349, 0.474, 0.709, 1, 1.225};
	unsigned i = 0;
	while (i < 3 && kelvin > at[i + 1])
		i++;
	return interpolate(k[i], k[i + 1], (kelvin - at[i]) / (at[i + 1] - at[i]));
}

/* Applies a transistor flavour relative to high performance: supply, off current. ITRS: low operating
 * power trades speed for a lower supply, low standby power for a higher threshold. */
static void set_flavour(struct tech *t, const char *device)
{
	if (!strcmp(device, "lop")) {
		t->nominal *= 0.8;
		t->ioff *= 0.05;
		t->leak *= 0.05;
	} else if (!strcmp(device, "lstp")) {
		t->nominal *= 1.1;
		t->ioff *= 3e-4;
		t->leak *= 3e-4;
	}
}

/* Reads one "MHz:V" of a curve; NULL: the text is not one. */
static const char *read_point(const char *s, double *mhz, double *v)
{
	char *e;
	*mhz = strtod(s, &e);
	if (e == s || *e != ':' || !(*mhz > 0 && *mhz <= 1e5))
		return NULL;
	s = e + 1;
	*v = strtod(s, &e);
	if (e == s || !(*v >= 0.3 && *v <= 1.5))
		return NULL;
	while (isspace((unsigned char)*e) || *e == ',')
		e++;
	return e;
}

/* Interpolates linearly between points; constant outside them. */
static bool on_curve(const char *curve, double mhz, double *out, struct diag *d)
{
	double f0 = 0, v0 = 0, f, v;
	bool found = false;
	const char *s = curve;
	do { /* a curve has at least one point */
		s = read_point(s, &f, &v);
		if (!s || f <= f0) {
			diag_error(
				d,
				"power.vdd_curve = %s: expected MHz:V, ... by rising clock, 0.3 to 1.5 V",
				curve);
			return false;
		}
		if (!found && mhz <= f) {
			*out = f0 > 0 ? interpolate(v0, v, (mhz - f0) / (f - f0)) : v;
			found = true;
		}
		f0 = f;
		v0 = v;
	} while (*s);
	if (!found)
		*out = v0;
	return true;
}

bool tech_of(struct tech *t, const struct machine *m, struct diag *d)
{
	unsigned i = 0;
	while (i < NROWS - 2 && m->power_node < rows[i + 1].nm)
		i++;
	const struct row *a = &rows[i], *b = &rows[i + 1];
	double x = (m->power_node - a->nm) / (b->nm - a->nm);
	*t = (struct tech){.nm = m->power_node,
			   .f = interpolate(a->length, b->length, x) * 1e-3,
			   .nominal = interpolate(a->vdd, b->vdd, x),
			   .cell = interpolate(a->cell, b->cell, x),
			   .gate = interpolate(a->gate, b->gate, x),
			   .sense = interpolate(a->sense, b->sense, x),
			   .ioff = interpolate(a->ioff, b->ioff, x),
			   .longch = interpolate(a->longch, b->longch, x),
			   .leak = interpolate(a->leak, b->leak, x),
			   .activity = m->power_activity,
			   .source = x < 0.5 ? a->source : b->source};
	set_flavour(t, m->power_device);
	t->vdd = m->power_vdd > 0 ? m->power_vdd : t->nominal;
	if (strcmp(m->power_curve, "none") && !on_curve(m->power_curve, m->core_mhz, &t->vdd, d))
		return false;
	double v2 = t->vdd * t->vdd, warm = tech_temperature(m->power_kelvin);
	t->ioff *= warm;
	if (m->power_leak >= 0)
		t->leak = m->power_leak; /* given at the node's supply and this temperature */
	else
		t->leak *= warm;
	t->leak *= t->vdd / t->nominal;
	if (!m->power_leakage)
		t->ioff = t->leak = 0;
	t->sense *= v2 / (t->nominal * t->nominal);
	t->wire = 260 * v2;
	t->logic = t->f / 0.040 * v2 / (0.96 * 0.96);
	return true;
}
