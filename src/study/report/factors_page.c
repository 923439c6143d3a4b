/* Presents the results of factors.h: index.html (the best machines, effects, interactions),
 * why.html (the path to the best machine, by mechanism), and tables in CSV. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "command/command.h"
#include "study/report/factors.h"
#include "study/report/style.h"

struct page {
	const struct factors *f;
	FILE *out;
	char *text;
	size_t size;
};

static const char *const measure_name[] = {"Fewest cycles", "Fewest joules",
					   "Least energy-delay product"};

static void put_escaped(FILE *f, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		default: fputc(*s, f);
		}
}

static bool page_open(struct page *p, const struct factors *f)
{
	*p = (struct page){.f = f};
	return (p->out = open_memstream(&p->text, &p->size));
}

static bool page_close(struct page *p, const char *dir, const char *name)
{
	struct cli_output o;
	char *path = NULL;
	bool ok = !fclose(p->out) && asprintf(&path, "%s/%s", dir, name) >= 0 &&
		  cli_output_write("reproduce", &o, path, p->text, p->size) &&
		  cli_output_commit("reproduce", &o);
	free(path);
	free(p->text);
	return ok;
}

static void put_head(struct page *p, const char *title)
{
	fputs("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
	      "content=\"width=device-width,initial-scale=1\"><title>",
	      p->out);
	put_escaped(p->out, title);
	fprintf(p->out, "</title><style>%s</style><main><h1>", page_style);
	put_escaped(p->out, title);
	fputs("</h1>\n", p->out);
}

static void put_number(FILE *f, double x, int digits)
{
	if (isnan(x))
		fputs("<td class=n>&ndash;", f);
	else
		fprintf(f, "<td class=n>%.*f", digits, x);
}

static const char *effect_title(const struct factors *f, const struct factor_effect *e, char *to,
				size_t size)
{
	const char *a = factors_value(f, e->factor[0], e->level[0]),
		   *ka = f->s->axes.v[f->axis[e->factor[0]]].key;
	if (e->factor[0] == e->factor[1])
		snprintf(to, size, "%s = %s", ka, a);
	else
		snprintf(to, size, "%s = %s with %s = %s", ka, a,
			 f->s->axes.v[f->axis[e->factor[1]]].key,
			 factors_value(f, e->factor[1], e->level[1]));
	return to;
}

/* ---- drawing of the Pareto front ---- */

static void draw_front(struct page *p)
{
	enum { W = 720, H = 420, LEFT = 60, BOTTOM = 50 };
	const struct factors *f = p->f;
	double lo[2] = {INFINITY, INFINITY}, hi[2] = {0, 0}, small = INFINITY, large = 0;
	for (unsigned i = 0; i < f->machines.n; i++) {
		const struct factor_machine *m = &f->machines.v[i];
		for (unsigned k = 0; k < 2 && !isnan(m->mean[k]); k++) {
			lo[k] = fmin(lo[k], m->mean[k]);
			hi[k] = fmax(hi[k], m->mean[k]);
			small = fmin(small, m->area);
			large = fmax(large, m->area);
		}
	}
	for (unsigned k = 0; k < 2; k++) {
		double room = (hi[k] - lo[k]) * 0.05 + 0.01;
		lo[k] -= room;
		hi[k] += room;
	}
#define X(v) (LEFT + ((v)-lo[0]) / (hi[0] - lo[0]) * (W - LEFT - 20))
#define Y(v) (H - BOTTOM - ((v)-lo[1]) / (hi[1] - lo[1]) * (H - BOTTOM - 20))
	fprintf(p->out,
		"<figure><svg viewBox=\"0 0 %d %d\" width=%d role=img aria-label=\"cycles and joules of all machines\" "
		"font-family=sans-serif font-size=12>\n",
		W, H, W);
	for (unsigned i = 0; i <= 5; i++) {
		double x = lo[0] + (hi[0] - lo[0]) * i / 5, y = lo[1] + (hi[1] - lo[1]) * i / 5;
		fprintf(p->out,
			"<path d=\"M%.1f %d V20 M%d %.1f H%d\" stroke=\"#ddd\" fill=none />"
			"<text x=%.1f y=%d text-anchor=middle>%.2f</text>"
			"<text x=%d y=%.1f text-anchor=end>%.2f</text>\n",
			X(x), H - BOTTOM, LEFT, Y(y), W - 20, X(x), H - BOTTOM + 16, x, LEFT - 6,
			Y(y) + 4, y);
	}
	for (unsigned i = 0; i < 2 * f->machines.n; i++) { /* the front is drawn over the others */
		const struct factor_machine *m = &f->machines.v[i % f->machines.n];
		if (isnan(m->mean[0]) || m->front != (i >= f->machines.n))
			continue;
		double r = large > small ? 3 + 5 * (m->area - small) / (large - small) : 4;
		fprintf(p->out,
			"<circle cx=%.1f cy=%.1f r=%.1f fill=\"%s\" fill-opacity=%s><title>",
			X(m->mean[0]), Y(m->mean[1]), r, m->front ? "#bc4c00" : "#0a58ca",
			m->front ? "1" : ".35");
		put_escaped(p->out, m->title);
		fprintf(p->out, ": cycles %.3f, joules %.3f, %.1f mm&#178;</title></circle>\n",
			m->mean[0], m->mean[1], m->area);
	}
	fprintf(p->out,
		"<text x=%d y=%d text-anchor=middle>cycles, relative to the base</text>"
		"<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=middle>joules, relative to the base</text>"
		"</svg><figcaption>Each point is a machine; its size is its area (%.1f to %.1f mm&#178;). Orange: no "
		"other is better in all three.</figcaption></figure>\n",
		(W + LEFT) / 2, H - 10, H / 2 - 10, small, large);
#undef X
#undef Y
}

/* ---- tables ---- */

static void machine_row(struct page *p, unsigned i)
{
	const struct factor_machine *m = &p->f->machines.v[i];
	fputs("<tr><td>", p->out);
	put_escaped(p->out, m->title);
	for (unsigned k = 0; k < MEASURES; k++)
		put_number(p->out, m->mean[k], 3);
	put_number(p->out, m->area, 1);
	fputs("\n", p->out);
}

static void machines_head(struct page *p)
{
	fputs("<div class=wide><table><tr><th>machine (what differs from the base)<th class=n>cycles<th class=n>joules<th "
	      "class=n>EDP<th class=n>mm&#178;\n",
	      p->out);
}

static void front_table(struct page *p)
{
	machines_head(p);
	for (unsigned i = 0; i < p->f->machines.n; i++)
		if (p->f->machines.v[i].front)
			machine_row(p, i);
	machine_row(p, (unsigned)p->f->base);
	fputs("</table></div>\n", p->out);
}

static void best_table(struct page *p)
{
	const struct factors *f = p->f;
	fputs("<div class=wide><table><tr><th>program<th>fewest cycles<th class=n>of base<th>fewest joules<th class=n>of "
	      "base<th>least EDP<th class=n>of base<th class=n>best of all, EDP\n",
	      p->out);
	for (unsigned i = 0; i < f->programs.n; i++) {
		if (isnan(factors_at(f, (unsigned)f->base, i, M_CYCLES)))
			continue;
		fprintf(p->out, "<tr><td>%s", f->programs.v[i]);
		for (unsigned k = 0; k < MEASURES; k++) {
			int b = factors_best(f, i, k);
			fputs("<td>", p->out);
			put_escaped(p->out, f->machines.v[b].title);
			put_number(p->out,
				   factors_at(f, (unsigned)b, i, k) /
					   factors_at(f, (unsigned)f->base, i, k),
				   3);
		}
		put_number(p->out,
			   factors_at(f, (unsigned)f->best, i, M_EDP) /
				   factors_at(f, (unsigned)f->base, i, M_EDP),
			   3);
		fputs("\n", p->out);
	}
	fputs("</table></div>\n", p->out);
}

static void effects_table(struct page *p, const struct factor_effect *e, size_t n)
{
	char title[256];
	fputs("<div class=wide><table><tr><th><th class=n>cycles<th class=n>joules<th class=n>EDP<th class=n>error of "
	      "EDP<th class=n>programs<th class=n>comparisons\n",
	      p->out);
	for (size_t i = 0; i < n; i++) {
		fputs("<tr><td>", p->out);
		put_escaped(p->out, effect_title(p->f, &e[i], title, sizeof title));
		for (unsigned k = 0; k < MEASURES; k++)
			put_number(p->out, e[i].ratio[k], 3);
		put_number(p->out, e[i].error[M_EDP], 3);
		fprintf(p->out, "<td class=n>%u<td class=n>%u\n", e[i].programs, e[i].n);
	}
	fputs("</table></div>\n", p->out);
}

/* Prints interactions larger than twice their error, below 1 or above 1. */
static void interactions_table(struct page *p, bool cancel)
{
	enum { MOST = 20 };
	VEC(struct factor_effect) some = {0};
	for (size_t i = 0; i < p->f->interactions.n && some.n < MOST; i++) {
		const struct factor_effect *e = &p->f->interactions.v[i];
		double x = log(e->ratio[M_EDP]);
		if ((cancel ? x : -x) > 2 * e->error[M_EDP] && (cancel ? x : -x) > 0.0005)
			vec_push(&some, *e);
	}
	if (some.n)
		effects_table(p, some.v, some.n);
	else
		fputs("<p>None that is more than twice its error.</p>\n", p->out);
	vec_free(&some);
}

/* ---- why.html ---- */

/* Returns the base's total: a figure, or the sum of all figures with this prefix. */
static double whole_of(const struct factors *f, unsigned program, const char *whole,
		       const char *prefix, const char *const *name)
{
	double sum = 0;
	char figure[64];
	if (whole)
		return factors_figure(f, (unsigned)f->base, program, whole);
	for (; *name; name++) {
		snprintf(figure, sizeof figure, "%s%s", prefix, *name);
		sum += factors_figure(f, (unsigned)f->base, program, figure);
	}
	return sum;
}

/* Returns a figure's fraction of the base's total, averaged over programs. */
static double mean_share(const struct factors *f, unsigned machine, const char *name,
			 const double *whole)
{
	double sum = 0;
	unsigned n = 0;
	for (unsigned p = 0; p < f->programs.n; p++) {
		if (isnan(factors_at(f, machine, p, 0)) ||
		    isnan(factors_at(f, (unsigned)f->base, p, 0)))
			continue;
		sum += whole[p] > 0 ? factors_figure(f, machine, p, name) / whole[p] : 0;
		n++;
	}
	return n ? sum / n * 100 : NAN;
}

static unsigned path(const struct factors *f, int *step, unsigned most)
{
	unsigned n = 0;
	for (int at = f->base; at >= 0 && n < most; at = factors_step(f, at, f->best)) {
		step[n++] = at;
		if (at == f->best)
			break;
	}
	return n;
}

static void steps_table(struct page *p, const int *step, unsigned n, const char *prefix,
			const char *const *name, const char *whole, const char *unit)
{
	double *all = xcalloc(p->f->programs.n, sizeof *all);
	for (unsigned i = 0; i < p->f->programs.n; i++)
		all[i] = whole_of(p->f, i, whole, prefix, name);
	fprintf(p->out, "<div class=wide><table><tr><th>%s", unit);
	for (unsigned i = 0; i < n; i++) {
		fputs("<th class=n>", p->out);
		put_escaped(p->out, p->f->machines.v[step[i]].title);
	}
	for (; *name; name++) {
		double x[16], most = 0;
		char figure[64];
		snprintf(figure, sizeof figure, "%s%s", prefix, *name);
		for (unsigned i = 0; i < n; i++) {
			x[i] = mean_share(p->f, (unsigned)step[i], figure, all);
			most = fmax(most, x[i]);
		}
		if (most < 0.05)
			continue;
		fprintf(p->out, "\n<tr><td>%s", *name);
		for (unsigned i = 0; i < n; i++)
			put_number(p->out, x[i], 1);
	}
	fputs("\n</table></div>\n", p->out);
	free(all);
}

static bool write_why(const struct factors *f, const char *dir)
{
	static const char *const causes[] = {
		"issued",   "port",         "no_warp",     "drain",     "barrier",      "sync",
		"fence",    "ordered",      "ibuffer",     "locked",    "score_sp",     "score_sfu",
		"score_dp", "score_shared", "score_const", "score_tex", "score_global", "unit_sp",
		"unit_sfu", "unit_dp",      "unit_mem",    "memory",    "policy",       NULL};
	static const char *const parts[] = {"fetch",    "control", "divergence", "rf",     "scalar",
					    "lanes",    "units",   "lsu",        "shared", "l1d",
					    "l1c",      "l1t",     "l1i",        "clock",  "logic",
					    "idle_sm",  "l2",      "mc",         "dram",   "noc",
					    "dispatch", "other",   "constant",   NULL};
	static const char *const counts[] = {"warp_instructions", "thread_instructions", NULL};
	struct page p;
	int step[16];
	if (!page_open(&p, f))
		return false;
	unsigned n = path(f, step, 16);
	put_head(&p, "Why the best machine is the best");
	fputs("<p>From the base to the machine with the least energy-delay product, one mechanism at a time, that first "
	      "which saves most. All numbers are means over the programs, relative to the base machine's.</p>\n",
	      p.out);
	machines_head(&p);
	for (unsigned i = 0; i < n; i++)
		machine_row(&p, (unsigned)step[i]);
	fputs("</table></div>\n<h2>Where the cycles go</h2><p>Issue slots by cause, in percent of the base's slots "
	      "(docs/reference/statistics.md, section issue). A mechanism saves cycles where its column has fewer slots than the one "
	      "before.</p>\n",
	      p.out);
	steps_table(&p, step, n, "issue.", causes, NULL, "cause");
	fputs("<h2>What is executed</h2><p>In percent of the base's warp instructions: more threads per warp instruction, or "
	      "fewer warp instructions.</p>\n",
	      p.out);
	steps_table(&p, step, n, "sm.", counts, "sm.warp_instructions", "figure");
	fputs("<h2>Where the energy goes</h2><p>By component, in percent of the base's joules "
	      "(docs/machine/power.md).</p>\n",
	      p.out);
	steps_table(&p, step, n, "energy.", parts, "energy.total", "component");
	fputs("<p><a href=index.html>all machines</a></p></main>\n", p.out);
	return page_close(&p, dir, "why.html");
}

/* ---- CSV ---- */

static bool write_machines(const struct factors *f, const char *dir)
{
	struct page p;
	if (!page_open(&p, f))
		return false;
	for (unsigned k = 0; k < f->n; k++)
		fprintf(p.out, "%s,", f->s->axes.v[f->axis[k]].key);
	fputs("programs,cycles,joules,edp,mm2,front\n", p.out);
	for (unsigned i = 0; i < f->machines.n; i++) {
		const struct factor_machine *m = &f->machines.v[i];
		for (unsigned k = 0; k < f->n; k++)
			fprintf(p.out, "%s,", factors_value(f, k, m->level[k]));
		fprintf(p.out, "%u,%.9g,%.9g,%.9g,%.9g,%d\n", m->programs, m->mean[M_CYCLES],
			m->mean[M_JOULES], m->mean[M_EDP], m->area, m->front);
	}
	return page_close(&p, dir, "machines.csv");
}

static bool write_effects(const struct factors *f, const char *dir, const char *name,
			  const struct factor_effect *e, size_t n)
{
	struct page p;
	char title[256];
	if (!page_open(&p, f))
		return false;
	fputs("what,cycles,joules,edp,error_cycles,error_joules,error_edp,programs,comparisons\n",
	      p.out);
	for (size_t i = 0; i < n; i++) {
		fputs(effect_title(f, &e[i], title, sizeof title), p.out);
		for (unsigned k = 0; k < 3; k++)
			fprintf(p.out, ",%.9g", e[i].ratio[k]);
		for (unsigned k = 0; k < 3; k++) {
			fputc(',', p.out);
			if (!isnan(e[i].error[k])) /* an effect from one comparison has no error */
				fprintf(p.out, "%.3g", e[i].error[k]);
		}
		fprintf(p.out, ",%u,%u\n", e[i].programs, e[i].n);
	}
	return page_close(&p, dir, name);
}

static bool write_cells(const struct factors *f, const char *dir)
{
	struct page p;
	if (!page_open(&p, f))
		return false;
	fputs("machine,program,cycles,joules\n", p.out);
	for (unsigned i = 0; i < f->machines.n; i++)
		for (unsigned k = 0; k < f->programs.n; k++)
			if (!isnan(factors_at(f, i, k, 0)))
				fprintf(p.out, "%s,%s,%.9g,%.9g\n", f->machines.v[i].title,
					f->programs.v[k], factors_at(f, i, k, M_CYCLES),
					factors_at(f, i, k, M_JOULES));
	return page_close(&p, dir, "runs.csv");
}

/* ---- the page ---- */

static void put_summary(struct page *p)
{
	const struct factors *f = p->f;
	unsigned least[2] = {(unsigned)f->best, (unsigned)f->best}, whole = 0;
	for (unsigned i = 0; i < f->machines.n; i++) {
		whole += !isnan(f->machines.v[i].mean[0]);
		for (unsigned k = 0; k < 2; k++)
			if (f->machines.v[i].mean[k] < f->machines.v[least[k]].mean[k])
				least[k] = i;
	}
	fprintf(p->out,
		"<p>%zu machines, %u of them with results of all programs that the base has; size %s.</p><ul>\n",
		f->machines.n, whole, f->size);
	const unsigned who[] = {least[0], least[1], (unsigned)f->best};
	for (unsigned k = 0; k < MEASURES; k++) {
		const struct factor_machine *m = &f->machines.v[who[k]];
		fprintf(p->out, "<li>%s: <b>", measure_name[k]);
		put_escaped(p->out, m->title);
		fprintf(p->out,
			"</b>, %.3f of the base's (cycles %.3f, joules %.3f, %.1f mm&#178;)\n",
			m->mean[k], m->mean[0], m->mean[1], m->area);
	}
	fputs("</ul><p><a href=why.html>Why the best one is the best</a></p>\n", p->out);
}

bool factors_write(const struct factors *f, const char *dir, const char *title, const char *text)
{
	struct page p;
	if (!page_open(&p, f))
		return false;
	put_head(&p, title);
	fputs("<p>", p.out);
	put_escaped(p.out, text);
	fputs("</p>\n", p.out);
	put_summary(&p);
	fputs("<h2>The front</h2>\n", p.out);
	draw_front(&p);
	front_table(&p);
	fputs("<h2>Best for whom</h2>\n", p.out);
	best_table(&p);
	fputs("<h2>What each mechanism does alone</h2><p>Over all pairs of machines that differ in nothing else. Below 1: "
	      "less than without it.</p>\n",
	      p.out);
	effects_table(&p, f->effects.v, f->effects.n);
	fputs("<h2>What adds up to more</h2><p>Both together over the product of what each does, over all quadruples of "
	      "machines that differ in nothing else; 1 would be a plain sum. Those beyond twice their error, largest first.</p>\n",
	      p.out);
	interactions_table(&p, false);
	fputs("<h2>What cancels</h2>\n", p.out);
	interactions_table(&p, true);
	fputs("<p>All of it in CSV: <a href=machines.csv>machines</a>, <a href=effects.csv>effects</a>, <a "
	      "href=interactions.csv>interactions</a>, <a href=runs.csv>runs</a>.</p></main>\n",
	      p.out);
	return page_close(&p, dir, "index.html") && write_why(f, dir) && write_machines(f, dir) &&
	       write_effects(f, dir, "effects.csv", f->effects.v, f->effects.n) &&
	       write_effects(f, dir, "interactions.csv", f->interactions.v, f->interactions.n) &&
	       write_cells(f, dir);
}
