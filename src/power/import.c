#include "power/import.h"

#include <errno.h>
#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "stat/stat.h"

enum { MAX_BYTES = 16 << 20, MAX_DEPTH = 64 };

struct param {
	const char *name;
	double least, most;
	double gtx480; /* the coefficient in GTX480's published file; 0: none */
};
/* The coefficients that are read. If a name occurs several times, the first element counts, because
 * components repeat names of the system. */
static const struct param params[] = {
#define SYSTEM(id, name, least, most) {name, least, most, 0},
#define COEFFICIENT(id, name, gtx480) {name, 0, 1e6, gtx480},
#include "power/import.def"
};
enum {
#define SYSTEM(id, name, least, most) P_##id,
#define COEFFICIENT(id, name, gtx480) P_##id,
#include "power/import.def"
	P_COUNT
};

struct reading {
	XML_Parser xml;
	const char *name;
	struct diag *d;
	double value[P_COUNT];
	bool have[P_COUNT];
	unsigned component[P_COUNT]; /* component that each value is of, in the order of the file */
	unsigned line[P_COUNT];
	unsigned depth, components;
	unsigned open[MAX_DEPTH + 1]; /* components that enclose the parser's position, by depth */
	bool failed;
};

static void report_error(struct reading *r, const char *what)
{
	struct srcloc at = {
		.file = r->name, .line = (unsigned)XML_GetCurrentLineNumber(r->xml), .col = 1};
	if (!r->failed)
		diag_at(r->d, DIAG_ERROR, &at, "%s", what);
	r->failed = true;
	XML_StopParser(r->xml, XML_FALSE);
}

static const char *find_attribute(const char **attr, const char *name)
{
	for (; *attr; attr += 2)
		if (!strcmp(attr[0], name))
			return attr[1];
	return NULL;
}

static void read_value(struct reading *r, unsigned k, const char *text)
{
	char *end, what[160];
	double x = text ? strtod(text, &end) : NAN;
	unsigned in = r->open[r->depth - 1];
	if (r->have[k] && r->component[k] != in)
		return;
	if (!text || end == text || end[strspn(end, " \t\r\n")] ||
	    !(x >= params[k].least && x <= params[k].most)) {
		snprintf(what, sizeof what, "%s = %.40s: expected a number from %g to %g",
			 params[k].name, text ? text : "(none)", params[k].least, params[k].most);
		report_error(r, what);
		return;
	}
	if (r->have[k] && r->value[k] != x) {
		snprintf(what, sizeof what, "%s = %g: the component has it with %g in line %u",
			 params[k].name, x, r->value[k], r->line[k]);
		report_error(r, what);
	}
	if (r->have[k])
		return;
	r->value[k] = x;
	r->have[k] = true;
	r->component[k] = in;
	r->line[k] = (unsigned)XML_GetCurrentLineNumber(r->xml);
}

static void on_start(void *user, const char *element, const char **attr)
{
	struct reading *r = user;
	if (++r->depth > MAX_DEPTH) {
		report_error(r, "elements are nested too deeply");
		return;
	}
	const char *name = strcmp(element, "param") ? NULL : find_attribute(attr, "name");
	r->open[r->depth] = name ? r->open[r->depth - 1] : ++r->components;
	for (unsigned k = 0; name && k < P_COUNT; k++)
		if (!strcmp(name, params[k].name))
			read_value(r, k, find_attribute(attr, "value"));
}

static void on_end(void *user, const char *element)
{
	struct reading *r = user;
	(void)element;
	r->depth--;
}

/* Refuses a document type: neither tool writes one, and entities could grow without bound. */
static void on_doctype(void *user, const char *name, const char *sys, const char *pub, int internal)
{
	(void)name, (void)sys, (void)pub, (void)internal;
	report_error(user, "a document type declaration is not accepted");
}

static bool parse_xml(struct reading *r, const char *text, size_t n)
{
	r->xml = XML_ParserCreate(NULL);
	if (!r->xml)
		abort();
	XML_SetUserData(r->xml, r);
	XML_SetElementHandler(r->xml, on_start, on_end);
	XML_SetStartDoctypeDeclHandler(r->xml, on_doctype);
	if (n > MAX_BYTES)
		report_error(r, "larger than 16 MB");
	else if (XML_Parse(r->xml, text, (int)n, 1) != XML_STATUS_OK && !r->failed)
		report_error(r, XML_ErrorString(XML_GetErrorCode(r->xml)));
	if (!r->failed && !r->have[P_TOT_INST])
		report_error(
			r, "no parameter TOT_INST: neither a file of GPUWattch nor of AccelWattch");
	XML_ParserFree(r->xml);
	return !r->failed;
}

/* ---- energies ---- */

/* Energy of one event of a coefficient in GTX480's file, pJ, from its published logs (500 cycles
 * of 700 MHz per sample). `why`: the source where the logs show none. */
static const struct energy {
	const char *event;
	double pj;
	unsigned from; /* the coefficient that it is proportional to */
	const char *why;
} energies[] = {
#define ENERGY(event, pj, id, why) {event, pj, P_##id, why},
#include "power/import.def"
};

/* Events that neither tool has, or that both tools count under other events. */
static const char *const none[] = {
#define NONE(event) event,
#include "power/import.def"
};

/* The event's energy: E_ref x (x / x of GTX480) x F / 40, pJ; below 0: the file lacks the coefficient. */
static double event_energy(const struct reading *r, const struct energy *e)
{
	double node = r->have[P_node] ? r->value[P_node] / 40 : 1;
	return r->have[e->from] ? e->pj * r->value[e->from] / params[e->from].gtx480 * node : -1;
}

static bool is_accelwattch(const struct reading *r)
{
	return r->have[P_constant] || r->have[P_first_lane];
}

/* Prints numbers or their origins: the two halves of a calibration file have the same keys. */
static void print_system(const struct reading *r, FILE *f, bool origin)
{
	static const struct {
		unsigned k;
		const char *key;
		double times;
	} sys[] = {{P_node, "node", 1},
		   {P_kelvin, "temperature", 1},
		   {P_idle, "idle_sm", 1},
		   {P_constant, "constant", 1},
		   {P_const, "constant", 9.82 / 11}};
	for (unsigned i = 0; i < STAT_COUNT_OF(sys); i++) {
		if (!r->have[sys[i].k] || (sys[i].k == P_const && r->have[P_constant]))
			continue;
		if (origin)
			fprintf(f, "%s = %s of %s\n", sys[i].key, params[sys[i].k].name, r->name);
		else
			fprintf(f, "%s = %.6g\n", sys[i].key, r->value[sys[i].k] * sys[i].times);
	}
	if (r->have[P_first_lane] && r->have[P_add_lane] && origin)
		fprintf(f, "active_sms = first lane and 31 more of %s\n", r->name);
	else if (r->have[P_first_lane] && r->have[P_add_lane])
		fprintf(f, "active_sms = %.6g\n",
			r->value[P_first_lane] + 31 * r->value[P_add_lane]);
	fputs(origin ? "leakage = the public total has no leakage term\n"
		       "rf_gate = operands are counted by threads\n"
		     : "leakage = no\nrf_gate = lane\n",
	      f);
}

static void print_energies(const struct reading *r, FILE *f, bool origin)
{
	for (unsigned i = 0; i < STAT_COUNT_OF(energies); i++) {
		const struct energy *e = &energies[i];
		bool later =
			false; /* true: a later row sets this event (AccelWattch's own name of a unit comes after GPUWattch's) */
		for (unsigned k = i + 1; k < STAT_COUNT_OF(energies); k++)
			later |= !strcmp(energies[k].event, e->event) &&
				 event_energy(r, &energies[k]) >= 0;
		double pj = event_energy(r, e);
		if (pj < 0 || later)
			continue;
		if (origin)
			fprintf(f, "event.%s = %s of %s; %s\n", e->event, params[e->from].name,
				r->name, e->why);
		else
			fprintf(f, "event.%s = %.6g\n", e->event, pj);
	}
	for (unsigned i = 0; i < STAT_COUNT_OF(none); i++)
		fprintf(f,
			origin ? "event.%s = counted elsewhere by the tool, or not at all\n"
			       : "event.%s = 0\n",
			none[i]);
}

static void print_calibration(const struct reading *r, FILE *f)
{
	fprintf(f, "; imported from %s, a file of %s\n", r->name,
		is_accelwattch(r) ? "AccelWattch" : "GPUWattch");
	fprintf(f,
		"; warning: the public total of GPUWattch has no leakage term; only idle SMs, the constant and the\n"
		"; pipeline's duty go with time, and so it is here (leakage)\n[power]\n");
	print_system(r, f, false);
	print_energies(r, f, false);
	fprintf(f, "[origin]\n");
	print_system(r, f, true);
	print_energies(r, f, true);
}

bool power_import_text(const char *name, const char *text, size_t n, FILE *f, struct diag *d)
{
	struct reading r = {.name = name, .d = d};
	if (!parse_xml(&r, text, n))
		return false;
	print_calibration(&r, f);
	return true;
}

bool power_import(const char *path, FILE *f, struct diag *d)
{
	FILE *in = fopen(path, "rb");
	char *text = in ? malloc(MAX_BYTES + 2) : NULL;
	size_t n = text ? fread(text, 1, MAX_BYTES + 1, in) : 0;
	bool ok = text && !ferror(in);
	if (!ok)
		diag_error(d, "%s: %s", path, in ? "cannot be read" : strerror(errno));
	else
		ok = power_import_text(path, text, n, f, d);
	if (in)
		fclose(in);
	free(text);
	return ok;
}
