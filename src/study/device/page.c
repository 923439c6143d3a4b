/* The report's files: rows.csv, launches.csv, report.json, index.html. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"
#include "study/device/device.h"
#include "study/report/style.h"

enum { SUMS = 40 };

struct section { /* a group of pairs with its sums and its figure */
	const char *name, *title, *unit, *text;
	struct error_pair *pair;
	unsigned n, nsums;
	struct error_sum sum[SUMS];
	char *svg; /* NULL: none */
	const char *why;
};
enum {
	S_MICRO,
	S_ENERGY,
	S_CYCLES,
	S_CAUSES,
	S_INSTRUCTIONS,
	S_SECTORS,
	S_DRAM,
	S_CODE,
	S_CODE_INSTRUCTIONS,
	SECTIONS
};

static void number(FILE *f, double x)
{
	if (!isnan(x))
		fprintf(f, "%.6g", x);
}

static void put_escaped(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '&')
			fputs("&amp;", f);
		else
			fputc(*s, f);
}

/* ---- compared values ---- */

static void add_pair(struct section *s, const char *group, double measured, double simulated)
{
	s->pair[s->n++] = (struct error_pair){group, measured, simulated};
}

static void fill_sections(const struct device_report *r, struct section *s)
{
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct micro_row *m = &r->rows.v[i];
		bool energy = !strncmp(m->table, "energy", 6); /* and energy_of_code */
		add_pair(&s[energy ? S_ENERGY : S_MICRO], m->table, m->measured, m->simulated);
	}
	for (size_t i = 0; i < r->launches.v.n; i++) {
		const struct launch_row *l = &r->launches.v.v[i];
		add_pair(&s[S_CYCLES], l->kind, l->chip.cycles, l->machine.cycles);
		add_pair(&s[S_CAUSES], l->cause, l->chip.cycles, l->machine.cycles);
		add_pair(&s[S_INSTRUCTIONS], l->kind, l->chip.instructions,
			 l->machine.instructions);
		add_pair(&s[S_SECTORS], l->kind, l->chip.sectors, l->machine.sectors);
		add_pair(&s[S_DRAM], l->kind, l->chip.dram_bytes, l->machine.dram_bytes);
		add_pair(&s[S_CODE], l->kind, l->machine.cycles, l->code.cycles);
		add_pair(&s[S_CODE_INSTRUCTIONS], l->kind, l->machine.instructions,
			 l->code.instructions);
	}
}

static void name_sections(struct section *s)
{
	static const struct {
		const char *name, *title, *unit, *text;
	} t[SECTIONS] = {
		[S_MICRO] = {"microbenchmarks", "Microbenchmarks", "the table's unit",
			     "Rows of the tables, with the machine code that was measured."},
		[S_ENERGY] = {"energy", "Energy", "W",
			      "Steady kernels: power of the board, and of the model."},
		[S_CYCLES] =
			{"machine-cycles", "The machine: cycles by kind of kernel", "cycles",
			 "ptxas's machine code on the model, compared with the chip (warm caches, busiest SM). A launch's kind is the first resource that it uses at a quarter of its rate or more."},
		[S_CAUSES] =
			{"machine-causes", "The machine: cycles by suspected cause", "cycles",
			 "The first difference found: if instructions or traffic differ, cycles can agree only by chance."},
		[S_INSTRUCTIONS] = {"machine-instructions", "The machine: warp instructions",
				    "warp instructions", ""},
		[S_SECTORS] = {"machine-sectors", "The machine: sectors from the SMs to the L2",
			       "sectors", ""},
		[S_DRAM] = {"machine-dram", "The machine: DRAM traffic", "bytes", ""},
		[S_CODE] =
			{"code-cycles", "The code: cycles", "cycles",
			 "Machine code that Heddle compiles from nvcc's PTX, compared with ptxas's, both on the model."},
		[S_CODE_INSTRUCTIONS] = {"code-instructions", "The code: warp instructions",
					 "warp instructions", ""},
	};
	for (unsigned i = 0; i < SECTIONS; i++) {
		s[i].name = t[i].name;
		s[i].title = t[i].title;
		s[i].unit = t[i].unit;
		s[i].text = t[i].text;
	}
}

/* ---- CSV and JSON ---- */

static void write_rows(const struct device_report *r, FILE *f)
{
	fputs("table,row,what,unit,measured,simulated,error,note\n", f);
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct micro_row *m = &r->rows.v[i];
		fprintf(f, "%s,%s,\"%s\",%s,", m->table, m->row, m->what, m->unit);
		number(f, m->measured);
		fputc(',', f);
		number(f, m->simulated);
		fputc(',', f);
		number(f, m->simulated / m->measured - 1);
		fprintf(f, ",\"%s\"\n", m->note);
	}
}

static void write_launches(const struct device_report *r, FILE *f)
{
	fputs("program,kernel,launch,kind,suspected cause", f);
	static const char *const who[] = {"chip", "machine", "code"}, *const what[] = {
									      "cycles",
									      "warp_instructions",
									      "l2_sectors",
									      "dram_bytes"};
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 4; k++)
			fprintf(f, ",%s %s", who[i], what[k]);
	fputs(",registers,own_registers\n", f);
	for (size_t i = 0; i < r->launches.v.n; i++) {
		const struct launch_row *l = &r->launches.v.v[i];
		const struct figures *g[] = {&l->chip, &l->machine, &l->code};
		fprintf(f, "%s,\"%s\",%u,%s,\"%s\"", l->program, l->kernel, l->number, l->kind,
			l->cause);
		for (unsigned k = 0; k < 3; k++) {
			const double x[] = {g[k]->cycles, g[k]->instructions, g[k]->sectors,
					    g[k]->dram_bytes};
			for (unsigned q = 0; q < 4; q++) {
				fputc(',', f);
				number(f, x[q]);
			}
		}
		fputc(',', f);
		number(f, l->registers);
		fputc(',', f);
		number(f, l->own_registers);
		fputc('\n', f);
	}
}

static json_t *real_or_null(double x) { return isnan(x) ? json_null() : json_real(x); }

static json_t *section_json(const struct section *s)
{
	json_t *a = json_array();
	for (unsigned i = 0; i < s->nsums; i++)
		json_array_append_new(
			a, json_pack("{s:s, s:i, s:o, s:i, s:o}", "group", s->sum[i].name, "pairs",
				     (int)s->sum[i].n, "mean error", real_or_null(s->sum[i].mean),
				     "within 25 %", (int)s->sum[i].within, "log-correlation",
				     real_or_null(s->sum[i].log_correlation)));
	return a;
}

static bool write_json(const struct device_report *r, const struct section *s, const char *path)
{
	json_t *o = json_pack("{s:s, s:s, s:s}", "device", r->d->title, "machine", r->d->machine,
			      "size", r->size);
	json_t *notes = json_array();
	for (unsigned i = 0; i < SECTIONS; i++)
		json_object_set_new(o, s[i].name, section_json(&s[i]));
	for (size_t i = 0; i < r->notes.n; i++)
		json_array_append_new(notes, json_string(r->notes.v[i]));
	json_object_set_new(o, "without result", notes);
	bool ok = !json_dump_file(o, path, JSON_INDENT(1));
	json_decref(o);
	return ok;
}

/* ---- the page ---- */

static void write_sums(FILE *f, const struct section *s)
{
	fputs("<table><tr><th>group</th><th>pairs</th><th>mean error</th><th>within 25 %</th><th>log-correlation</th></tr>\n",
	      f);
	for (unsigned i = 0; i < s->nsums; i++) {
		const struct error_sum *e = &s->sum[i];
		fputs("<tr><td>", f);
		put_escaped(f, e->name);
		fprintf(f, "</td><td>%u</td>", e->n);
		if (e->n)
			fprintf(f, "<td>%.1f %%</td><td>%.0f %%</td>", 100 * e->mean,
				100.0 * e->within / e->n);
		else
			fputs("<td>&ndash;</td><td>&ndash;</td>", f);
		if (isnan(e->log_correlation))
			fputs("<td>&ndash;</td></tr>\n", f);
		else
			fprintf(f, "<td>%.3f</td></tr>\n", e->log_correlation);
	}
	fputs("</table>\n", f);
}

static int by_error(const void *a, const void *b)
{
	const struct launch_row *x = *(const struct launch_row *const *)a,
				*y = *(const struct launch_row *const *)b;
	double p = fabs(x->machine.cycles / x->chip.cycles - 1),
	       q = fabs(y->machine.cycles / y->chip.cycles - 1);
	return p < q ? 1 : p > q ? -1 : 0;
}

static void write_worst(FILE *f, const struct device_report *r)
{
	enum { WORST = 25 };
	const struct launch_row **v = xcalloc(r->launches.v.n, sizeof *v);
	size_t n = 0;
	for (size_t i = 0; i < r->launches.v.n; i++)
		if (!isnan(r->launches.v.v[i].machine.cycles))
			v[n++] = &r->launches.v.v[i];
	qsort(v, n, sizeof *v, by_error);
	fputs("<h2>Launches with the largest errors of the machine</h2>\n<table><tr><th>program</th><th>kernel</th><th>launch</th><th>kind</th>"
	      "<th>chip</th><th>model</th><th>error</th><th>suspected cause</th></tr>\n",
	      f);
	for (size_t i = 0; i < n && i < WORST; i++) {
		fprintf(f, "<tr><td>%s</td><td>", v[i]->program);
		put_escaped(f, v[i]->kernel);
		fprintf(f,
			"</td><td>%u</td><td>%s</td><td>%.0f</td><td>%.0f</td><td>%+.0f %%</td><td>",
			v[i]->number, v[i]->kind, v[i]->chip.cycles, v[i]->machine.cycles,
			100 * (v[i]->machine.cycles / v[i]->chip.cycles - 1));
		put_escaped(f, v[i]->cause);
		fputs("</td></tr>\n", f);
	}
	fputs("</table>\n", f);
	free(v);
}

static void write_page(const struct device_report *r, const struct section *s, FILE *f)
{
	fputs("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>", f);
	put_escaped(f, r->d->title);
	fprintf(f, "</title><style>%s</style><main><h1>", page_style);
	put_escaped(f, r->d->title);
	fprintf(f,
		"</h1>\n<p>Measurements of the chip beside the simulation on <code>%s</code>, size %s. Errors are |simulated / measured - 1|.</p>\n",
		r->d->machine, r->size);
	for (unsigned i = 0; i < SECTIONS; i++) {
		fprintf(f, "<h2>%s</h2>\n<p>%s</p>\n", s[i].title, s[i].text);
		write_sums(f, &s[i]);
		if (s[i].svg)
			fputs(strstr(s[i].svg, "<svg"), f);
		else if (s[i].why)
			fprintf(f, "<p>No figure: %s.</p>\n", s[i].why);
	}
	write_worst(f, r);
	if (r->notes.n)
		fputs("<h2>Without result</h2>\n<ul>\n", f);
	for (size_t i = 0; i < r->notes.n; i++) {
		fputs("<li>", f);
		put_escaped(f, r->notes.v[i]);
		fputs("</li>\n", f);
	}
	fputs(r->notes.n ? "</ul>\n</main></html>\n" : "</main></html>\n", f);
}

static bool write_file(const struct device_report *r, const char *name,
		       void (*write)(const struct device_report *, FILE *))
{
	const char *path = arena_printf(&r->d->arena, "%s/%s", r->dir, name);
	FILE *f = fopen(path, "w");
	if (f)
		write(r, f);
	bool ok = f && !ferror(f);
	if (f && fclose(f))
		ok = false;
	if (!ok)
		cli_error("reproduce", "%s: %s", path, strerror(errno));
	return ok;
}

static void print_sums(const struct section *s)
{
	const struct error_sum *all = &s->sum[s->nsums - 1];
	if (all->n)
		printf("%-48s %5u pairs, mean error %5.1f %%, %3.0f %% within 25 %%\n", s->title,
		       all->n, 100 * all->mean, 100.0 * all->within / all->n);
}

bool device_report_write(struct device_report *r)
{
	struct section *s = xcalloc(SECTIONS, sizeof *s);
	struct arena *a = &r->d->arena;
	size_t room = r->rows.n + r->launches.v.n + 1;
	judge_launches(r->d, &r->launches);
	name_sections(s);
	for (unsigned i = 0; i < SECTIONS; i++)
		s[i].pair = xcalloc(room, sizeof *s[i].pair);
	fill_sections(r, s);
	for (unsigned i = 0; i < SECTIONS; i++) {
		s[i].nsums = judge_sums(s[i].pair, s[i].n, s[i].sum, SUMS);
		s[i].svg = chart_scatter(a, r->dir, s[i].name, s[i].title, s[i].unit, s[i].pair,
					 s[i].n, &s[i].why);
		print_sums(&s[i]);
	}
	bool ok = write_file(r, "rows.csv", write_rows) &&
		  write_file(r, "launches.csv", write_launches);
	const char *json = arena_printf(a, "%s/report.json", r->dir),
		   *page = arena_printf(a, "%s/index.html", r->dir);
	if (ok && !write_json(r, s, json)) {
		cli_error("reproduce", "%s: %s", json, strerror(errno));
		ok = false;
	}
	FILE *f = ok ? fopen(page, "w") : NULL;
	if (f) {
		write_page(r, s, f);
		ok = !fclose(f);
	}
	if (ok && !f) {
		cli_error("reproduce", "%s: %s", page, strerror(errno));
		ok = false;
	}
	for (unsigned i = 0; i < SECTIONS; i++) {
		free(s[i].pair);
		free(s[i].svg);
	}
	free(s);
	return ok;
}
