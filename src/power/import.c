#include "power/import.h"

#include <errno.h>
#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "power/model.h"

enum { MAX_BYTES = 16 << 20, MAX_DEPTH = 64 };

/* Parameters that are read; the first of a name counts, which is the system's. */
enum {
	P_node,
	P_kelvin,
	P_idle,
	P_const,
	P_constant,
	P_tot,
	P_ic,
	P_dc,
	P_rd,
	P_wr,
	P_sp,
	P_sfu,
	P_fpu,
	P_shared,
	P_tc,
	P_cc,
	P_l2,
	P_noc,
	P_mem,
	P_pipe,
	P_static,
	P_lane,
	P_COUNT
};
static const struct {
	const char *name;
	double least, most;
	double gtx480; /* x_k of its published file; 0: no coefficient */
} params[P_COUNT] = {
	[P_node] = {"core_tech_node", 5, 130, 0},
	[P_kelvin] = {"temperature", 300, 400, 0},
	[P_idle] = {"idle_core_power", 0, 20, 0},
	[P_const] = {"CONST", 0, 1000, 11},
	[P_constant] = {"constant_power", 0, 200, 0},
	[P_tot] = {"TOT_INST", 0, 1e6, 2.03},
	[P_ic] = {"IC_H", 0, 1e6, 3.83},
	[P_dc] = {"DC_RH", 0, 1e6, 40},
	[P_rd] = {"REG_RD", 0, 1e6, 0.52},
	[P_wr] = {"REG_WR", 0, 1e6, 3.52},
	[P_sp] = {"SP", 0, 1e6, 2.38},
	[P_sfu] = {"SFU", 0, 1e6, 0.51},
	[P_fpu] = {"FPU", 0, 1e6, 0.64},
	[P_shared] = {"SHRD_ACC", 0, 1e6, 40},
	[P_tc] = {"TC_H", 0, 1e6, 18.44},
	[P_cc] = {"CC_H", 0, 1e6, 20},
	[P_l2] = {"L2_RH", 0, 1e6, 38.3},
	[P_noc] = {"NOC_A", 0, 1e6, 600},
	[P_mem] = {"MEM_RD", 0, 1e6, 0.33},
	[P_pipe] = {"PIPE_A", 0, 1e6, 2.57},
	[P_static] = {"static_intfp_flane", 0, 1000, 0},
	[P_lane] = {"static_intfp_addlane", 0, 100, 0},
};

struct reading {
	XML_Parser xml;
	const char *name;
	struct diag *d;
	double value[P_COUNT];
	bool have[P_COUNT];
	unsigned depth;
	bool failed;
};

static void complain(struct reading *r, const char *what)
{
	struct srcloc at = {
		.file = r->name, .line = (unsigned)XML_GetCurrentLineNumber(r->xml), .col = 1};
	if (!r->failed)
		diag_at(r->d, DIAG_ERROR, &at, "%s", what);
	r->failed = true;
	XML_StopParser(r->xml, XML_FALSE);
}

static const char *attribute(const char **attr, const char *name)
{
	for (; *attr; attr += 2)
		if (!strcmp(attr[0], name))
			return attr[1];
	return NULL;
}

static void take(struct reading *r, unsigned k, const char *text)
{
	char *end, what[160];
	double x = text ? strtod(text, &end) : NAN;
	if (!text || end == text || end[strspn(end, " \t\r\n")] ||
	    !(x >= params[k].least && x <= params[k].most)) {
		snprintf(what, sizeof what, "%s = %.40s: expected a number from %g to %g",
			 params[k].name, text ? text : "(none)", params[k].least, params[k].most);
		complain(r, what);
		return;
	}
	r->value[k] = x;
	r->have[k] = true;
}

static void on_start(void *user, const char *element, const char **attr)
{
	struct reading *r = user;
	if (++r->depth > MAX_DEPTH) {
		complain(r, "elements are nested too deeply");
		return;
	}
	const char *name = strcmp(element, "param") ? NULL : attribute(attr, "name");
	for (unsigned k = 0; name && k < P_COUNT; k++)
		if (!strcmp(name, params[k].name) && !r->have[k])
			take(r, k, attribute(attr, "value"));
}

static void on_end(void *user, const char *element)
{
	struct reading *r = user;
	(void)element;
	r->depth--;
}

/* Neither tool writes one; entities could grow without bound. */
static void on_doctype(void *user, const char *name, const char *sys, const char *pub, int internal)
{
	(void)name, (void)sys, (void)pub, (void)internal;
	complain(user, "a document type declaration is not accepted");
}

static bool parse(struct reading *r, const char *text, size_t n)
{
	r->xml = XML_ParserCreate(NULL);
	if (!r->xml)
		abort();
	XML_SetUserData(r->xml, r);
	XML_SetElementHandler(r->xml, on_start, on_end);
	XML_SetStartDoctypeDeclHandler(r->xml, on_doctype);
	if (n > MAX_BYTES)
		complain(r, "larger than 16 MB");
	else if (XML_Parse(r->xml, text, (int)n, 1) != XML_STATUS_OK && !r->failed)
		complain(r, XML_ErrorString(XML_GetErrorCode(r->xml)));
	if (!r->failed && !r->have[P_tot])
		complain(r,
			 "no parameter TOT_INST: neither a file of GPUWattch nor of AccelWattch");
	XML_ParserFree(r->xml);
	return !r->failed;
}

/* ---- factors ---- */

static double ratio(const struct reading *r, unsigned k)
{
	return r->have[k] ? r->value[k] / params[k].gtx480 *
				    (r->have[P_node] ? r->value[P_node] / 40 : 1)
			  : 0;
}

struct factor {
	const char *component;
	double x;
	const char *from;
};

static double middle(double a, double b) { return a > 0 && b > 0 ? sqrt(a * b) : a + b; }

/* E_ref in J over this model's own energy, times what the file's coefficient is of GTX480's. */
static unsigned factors(const struct reading *r, const struct power_model *p, struct factor *f)
{
	unsigned n = 0;
	double lanes = 4; /* of a register array, power.rf_width's default */
	double read = power_event(p, "rf_read") / lanes,
	       write = power_event(p, "rf_write") / lanes + power_event(p, "rf_word");
	double l1 = power_event(p, "l1d_lookup") + power_event(p, "l1d_read");
	double l2 = power_event(p, "l2_lookup") + power_event(p, "l2_read");
	const struct factor all[] = {
		{"fetch", ratio(r, P_ic) * 63.4e-12 / power_event(p, "fetch"), "IC_H"},
		{"control", ratio(r, P_tot) * 58.5e-12 / power_event(p, "control"), "TOT_INST"},
		{"rf", middle(ratio(r, P_rd) * 7.27e-12 / read, ratio(r, P_wr) * 5.99e-12 / write),
		 "REG_RD, REG_WR"},
		{"units",
		 middle(ratio(r, P_sp) * 2.69e-12 / power_event(p, "unit_int_add"),
			ratio(r, P_sfu) * 48.4e-12 / power_event(p, "unit_sfu")),
		 "SP, SFU"},
		{"l1d", ratio(r, P_dc) * 2.6e-9 / l1, "DC_RH"},
		{"l1c", ratio(r, P_cc), "CC_H, relative to GTX480"},
		{"l1t", ratio(r, P_tc), "TC_H, relative to GTX480"},
		{"shared", ratio(r, P_shared), "SHRD_ACC, relative to GTX480"},
		{"l2", ratio(r, P_l2) * 2.81e-9 / l2, "L2_RH"},
		{"noc", ratio(r, P_noc) * 1.94e-9 / power_event(p, "flit_hop"), "NOC_A"},
		{"dram", ratio(r, P_mem) * 25.57e-9 / power_event(p, "dram_read"), "MEM_RD"},
		{"clock", ratio(r, P_pipe) * 25.5 / 15 / 700e6 / power_event(p, "clock_busy"),
		 "PIPE_A"},
	};
	for (unsigned i = 0; i < STAT_COUNT_OF(all); i++)
		if (all[i].x > 0) {
			f[n] = all[i];
			f[n].x = fmin(fmax(f[n].x, 0.01), 100);
			n++;
		}
	return n;
}

static void number(FILE *f, const char *key, double x) { fprintf(f, "%s = %.6g\n", key, x); }

static void print(const struct reading *r, const struct power_model *p, FILE *f)
{
	struct factor fac[16];
	unsigned n = factors(r, p, fac);
	bool accel = r->have[P_constant] || r->have[P_static];
	fprintf(f, "; imported from %s, a file of %s\n", r->name,
		accel ? "AccelWattch" : "GPUWattch");
	fprintf(f,
		"; warning: the public total of GPUWattch has no leakage term; only idle SMs, the constant and the\n"
		"; pipeline's duty go with time, and so it is here (leak_density)\n[power]\n");
	if (r->have[P_node])
		number(f, "node", r->value[P_node]);
	if (r->have[P_kelvin])
		number(f, "temperature", r->value[P_kelvin]);
	if (r->have[P_idle])
		number(f, "idle_sm", r->value[P_idle]);
	if (r->have[P_constant] || r->have[P_const])
		number(f, "constant",
		       r->have[P_constant] ? r->value[P_constant] : 9.82 * r->value[P_const] / 11);
	number(f, "leak_density", 0);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "scale.%s = %.6g\n", fac[i].component, fac[i].x);
	fprintf(f, "[origin]\n");
	if (r->have[P_node])
		fprintf(f, "node = core_tech_node of %s\n", r->name);
	if (r->have[P_kelvin])
		fprintf(f, "temperature = temperature of %s\n", r->name);
	if (r->have[P_idle])
		fprintf(f, "idle_sm = idle_core_power of %s\n", r->name);
	if (r->have[P_constant])
		fprintf(f, "constant = constant_power of %s\n", r->name);
	else if (r->have[P_const])
		fprintf(f, "constant = CONST of %s, x 9.82 W / 11\n", r->name);
	fprintf(f, "leak_density = the public total has no leakage term\n");
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "scale.%s = %s of %s\n", fac[i].component, fac[i].from, r->name);
}

bool power_import_text(const char *name, const char *text, size_t n, FILE *f, struct diag *d)
{
	struct reading r = {.name = name, .d = d};
	if (!parse(&r, text, n))
		return false;
	char node[64];
	snprintf(node, sizeof node, "power.node=%.10g", r.have[P_node] ? r.value[P_node] : 40);
	const char *set[] = {node, NULL};
	struct machine *m = machine_read(NULL, set, d);
	struct power_model *p = m ? power_new(m, d) : NULL;
	if (p)
		print(&r, p, f);
	power_free(p);
	machine_free(m);
	return p;
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
