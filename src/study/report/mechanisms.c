/* What each mechanism of a study is worth on each of its bases: speed, energy, energy-delay product and area, geometric
 * means over the programs with intervals; one table, one picture.
 *
 *	                 old                     new
 *	gto         +4.9 % [+1.2, +9.0]     +0.3 % [-0.2, +0.9]     gone: pays on old alone
 *
 * A gain or a loss counts where the interval of the mean excludes none. */
#include <math.h>
#include <string.h>
#include <jansson.h>
#include "heddle.h"
#include "study/lang/maths.h"
#include "study/report/report.h"

struct worth {                  /* value of a mechanism on a base */
	double mean, low, high; /* geometric mean of a ratio, and its interval */
};

struct measured {
	unsigned n; /* programs that both runs have measured */
	struct worth of[MECHANISM_RATIOS];
	double area, base_area; /* mm2; NAN: unknown */
	int best, worst;        /* programs with most and least speed; -1: none */
	double most, least;
};

static double ratio_of(const struct study *s, const struct study_mechanism *m, unsigned base,
		       unsigned ratio, unsigned program)
{
	return m->ratio[base][ratio] ? expr_eval(m->ratio[base][ratio], &s->world, (int)program)
				     : NAN;
}

static double area_of(const struct study_run *r)
{
	const char *set[2 * 32 + 2];
	unsigned n = 0;
	for (; n < r->nset && n + 1 < sizeof set / sizeof *set; n++)
		set[n] = r->set[n];
	set[n] = NULL;
	return heddle_power_area(r->machine, set);
}

static struct measured measure_mechanism(const struct results *rs, const struct study_mechanism *m,
					 unsigned base)
{
	const struct study *s = rs->s;
	struct measured x = {.best = -1, .worst = -1, .area = NAN, .base_area = NAN};
	double v[EXPR_PROGRAMS];
	for (unsigned k = 0; k < MECHANISM_RATIOS; k++) {
		for (unsigned p = 0; p < s->programs.n; p++)
			v[p] = ratio_of(s, m, base, k, p);
		x.of[k].mean = maths_mean(v, (unsigned)s->programs.n, MEAN_GEOMETRIC);
		maths_interval(v, (unsigned)s->programs.n, &x.of[k].low, &x.of[k].high);
		for (unsigned p = 0; k == MECHANISM_SPEED && p < s->programs.n; p++) {
			if (isnan(v[p]))
				continue;
			x.n++;
			if (x.best < 0 || v[p] > x.most)
				x.best = (int)p, x.most = v[p];
			if (x.worst < 0 || v[p] < x.least)
				x.worst = (int)p, x.least = v[p];
		}
	}
	if (m->run[base] >= 0) {
		x.area = area_of(&s->runs.v[m->run[base]]);
		x.base_area = area_of(&s->runs.v[s->bases.v[base]]);
	}
	return x;
}

static const char *base_name(const struct study *s, unsigned b)
{
	return s->runs.v[s->bases.v[b]].name;
}
static const char *base_label(const struct study *s, unsigned b)
{
	return s->runs.v[s->bases.v[b]].label;
}

/* 1: a gain, -1: a loss, 0: neither within the interval. */
static int sign_of(const struct worth *w, bool less_is_better)
{
	int up = w->low > 1, down = w->high < 1;
	return less_is_better ? down - up : up - down;
}

/* A word for the change of the mechanism's speed from the first base to the last. */
static const char *fate(const struct study *s, const struct study_mechanism *m,
			const struct measured *of)
{
	unsigned last = (unsigned)s->bases.n - 1;
	if (m->run[last] < 0)
		return m->none[last] ? "not there" : "not measured";
	if (isnan(of[last].of[MECHANISM_SPEED].low))
		return "not measured";
	int then = m->run[0] < 0 ? 0 : sign_of(&of[0].of[MECHANISM_SPEED], false),
	    now = sign_of(&of[last].of[MECHANISM_SPEED], false);
	if (now > 0)
		return then > 0 ? "survives" : "gains";
	if (now < 0)
		return then > 0 ? "turns into a loss" : "loses";
	return then > 0 ? "gone" : "none";
}

static struct measured *measure_all(const struct results *rs, const struct study_mechanism *m)
{
	static _Thread_local struct measured of[STUDY_BASES];
	for (unsigned b = 0; b < rs->s->bases.n; b++)
		of[b] = measure_mechanism(rs, m, b);
	return of;
}

/* ---- files ---- */

static const char *const ratio_name[MECHANISM_RATIOS] = {
	[MECHANISM_SPEED] = "speed", [MECHANISM_ENERGY] = "energy", [MECHANISM_EDP] = "edp"};

static bool write_means(struct results *rs)
{
	const struct study *s = rs->s;
	struct report_file o;
	if (!report_open(rs, &o, "tables/mechanisms.csv"))
		return false;
	fputs("mechanism,family,base,programs,speed,speed_low,speed_high,energy,energy_low,energy_high,edp,edp_low,edp_high,"
	      "area_mm2,area_ratio,best,best_speed,worst,worst_speed,fate,reason\n",
	      o.f);
	for (size_t i = 0; i < s->mechanisms.n; i++) {
		const struct study_mechanism *m = &s->mechanisms.v[i];
		const struct measured *of = measure_all(rs, m);
		for (unsigned b = 0; b < s->bases.n; b++) {
			const struct measured *x = &of[b];
			fprintf(o.f, "%s,", m->name);
			report_csv_text(o.f, m->family);
			fprintf(o.f, ",%s,%u", base_name(s, b), x->n);
			for (unsigned k = 0; k < MECHANISM_RATIOS; k++) {
				report_csv_number(o.f, x->of[k].mean);
				report_csv_number(o.f, x->of[k].low);
				report_csv_number(o.f, x->of[k].high);
			}
			report_csv_number(o.f, x->area);
			report_csv_number(o.f, x->area / x->base_area);
			fprintf(o.f, ",%s", x->best < 0 ? "" : s->programs.v[x->best].name);
			report_csv_number(o.f, x->best < 0 ? NAN : x->most);
			fprintf(o.f, ",%s", x->worst < 0 ? "" : s->programs.v[x->worst].name);
			report_csv_number(o.f, x->worst < 0 ? NAN : x->least);
			fprintf(o.f, ",%s,", fate(s, m, of));
			report_csv_text(o.f, m->none[b] ? m->none[b] : "");
			fputc('\n', o.f);
		}
	}
	return report_close(&o);
}

static bool write_programs(struct results *rs)
{
	const struct study *s = rs->s;
	struct report_file o;
	if (!report_open(rs, &o, "tables/mechanisms-programs.csv"))
		return false;
	fputs("mechanism,base,program,speed,energy,edp\n", o.f);
	for (size_t i = 0; i < s->mechanisms.n; i++)
		for (unsigned b = 0; b < s->bases.n; b++)
			for (unsigned p = 0; p < s->programs.n; p++) {
				const struct study_mechanism *m = &s->mechanisms.v[i];
				if (isnan(ratio_of(s, m, b, MECHANISM_SPEED, p)))
					continue;
				fprintf(o.f, "%s,%s,%s", m->name, base_name(s, b),
					s->programs.v[p].name);
				for (unsigned k = 0; k < MECHANISM_RATIOS; k++)
					report_csv_number(o.f, ratio_of(s, m, b, k, p));
				fputc('\n', o.f);
			}
	return report_close(&o);
}

static json_t *json_number(double x) { return isnan(x) ? json_null() : json_real(x); }

static json_t *measured_json(const struct study *s, const struct study_mechanism *m, unsigned b,
			     const struct measured *x)
{
	if (m->none[b])
		return json_pack("{s:s}", "none", m->none[b]);
	json_t *o = json_pack("{s:i, s:o, s:o}", "programs", (int)x->n, "area_mm2",
			      json_number(x->area), "base_area_mm2", json_number(x->base_area));
	for (unsigned k = 0; k < MECHANISM_RATIOS; k++)
		json_object_set_new(o, ratio_name[k],
				    json_pack("{s:o, s:o, s:o}", "mean", json_number(x->of[k].mean),
					      "low", json_number(x->of[k].low), "high",
					      json_number(x->of[k].high)));
	json_t *each = json_object();
	for (unsigned p = 0; p < s->programs.n; p++) {
		double v = ratio_of(s, m, b, MECHANISM_SPEED, p);
		if (!isnan(v))
			json_object_set_new(each, s->programs.v[p].name, json_real(v));
	}
	json_object_set_new(o, "speed_of_programs", each);
	return o;
}

json_t *mechanisms_json(struct results *rs)
{
	const struct study *s = rs->s;
	json_t *all = json_array();
	for (size_t i = 0; i < s->mechanisms.n; i++) {
		const struct study_mechanism *m = &s->mechanisms.v[i];
		const struct measured *of = measure_all(rs, m);
		json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", m->name, "label",
				      m->label, "family", m->family, "source", m->source, "note",
				      m->note, "fate", fate(s, m, of));
		for (unsigned b = 0; b < s->bases.n; b++)
			json_object_set_new(o, base_name(s, b), measured_json(s, m, b, &of[b]));
		json_array_append_new(all, o);
	}
	return all;
}

/* ---- the picture: a row per mechanism, a mark with its interval per base ---- */

enum { LEFT = 230, WIDTH = 900, ROW = 26, TOP = 46, MARGIN = 20 };
static const char *const colour[STUDY_BASES] = {"#bc4c00", "#0a58ca", "#1a7f37", "#6e7781"};

static void svg_text(FILE *f, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		case '"': fputs("&quot;", f); break;
		default: fputc(*s, f);
		}
}

struct scale {
	double low, high; /* ends of the axis, logarithms */
};

static double x_of(const struct scale *c, double v)
{
	double l = log(v) < c->low ? c->low : log(v) > c->high ? c->high : log(v);
	return LEFT + (WIDTH - LEFT - MARGIN) * (l - c->low) / (c->high - c->low);
}

/* Room for all intervals, at least from 0.9 to 1.1 and at most from 0.25 to 4. */
static struct scale find_scale(const struct results *rs)
{
	const struct study *s = rs->s;
	struct scale c = {log(0.9), log(1.1)};
	for (size_t i = 0; i < s->mechanisms.n; i++) {
		const struct measured *of = measure_all(rs, &s->mechanisms.v[i]);
		for (unsigned b = 0; b < s->bases.n; b++) {
			c.low = fmin(c.low, log(of[b].of[MECHANISM_SPEED].low) - 0.02);
			c.high = fmax(c.high, log(of[b].of[MECHANISM_SPEED].high) + 0.02);
		}
	}
	c.low = fmax(c.low, log(0.25));
	c.high = fmin(c.high, log(4));
	return c;
}

static void draw_axis(FILE *f, const struct scale *c, int bottom)
{
	static const double at[] = {0.25, 0.33, 0.5, 0.6, 0.7,  0.8, 0.9, 0.95, 1, 1.05,
				    1.1,  1.2,  1.3, 1.5, 1.75, 2,   2.5, 3,    4};
	double last = -1000;
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		if (log(at[i]) < c->low || log(at[i]) > c->high)
			continue;
		double x = x_of(c, at[i]);
		bool one = at[i] > 0.999 && at[i] < 1.001;
		if (x - last < 34 && !one)
			continue;
		last = x;
		fprintf(f,
			"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#59636e\">%g</text>\n",
			x, TOP - 4, x, bottom, one ? "#1f2328" : "#d1d9e0", x, bottom + 14, at[i]);
	}
}

static void draw_worth(FILE *f, const struct scale *c, const struct worth *w, double y, unsigned b)
{
	if (isnan(w->mean))
		return;
	if (!isnan(w->low))
		fprintf(f,
			"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"/>",
			x_of(c, w->low), y, x_of(c, w->high), y, colour[b]);
	fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x_of(c, w->mean), y,
		colour[b]);
}

static void draw_picture(FILE *f, const struct results *rs)
{
	const struct study *s = rs->s;
	struct scale c = find_scale(rs);
	int bottom = TOP + ROW * (int)s->mechanisms.n;
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, bottom + 24, WIDTH);
	for (unsigned b = 0, x = LEFT; b < s->bases.n; b++, x += 220) {
		fprintf(f,
			"<circle cx=\"%u\" cy=\"16\" r=\"4\" fill=\"%s\"/><text x=\"%u\" y=\"20\">",
			x, colour[b], x + 10);
		svg_text(f, base_label(s, b));
		fputs("</text>\n", f);
	}
	draw_axis(f, &c, bottom);
	for (size_t i = 0; i < s->mechanisms.n; i++) {
		const struct study_mechanism *m = &s->mechanisms.v[i];
		const struct measured *of = measure_all(rs, m);
		double y = TOP + ROW * (double)i + 8;
		fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 12, y + 6);
		svg_text(f, m->label);
		fputs("</text>\n", f);
		for (unsigned b = 0; b < s->bases.n; b++)
			draw_worth(f, &c, &of[b].of[MECHANISM_SPEED],
				   y - 4 + 16.0 * (b + 0.5) / (double)s->bases.n - 4, b);
	}
	fputs("</svg>\n", f);
}

static bool write_picture(struct results *rs)
{
	struct report_file o;
	if (!report_open(rs, &o, "figures/mechanisms.svg"))
		return false;
	draw_picture(o.f, rs);
	return report_close(&o);
}

bool mechanisms_write(struct results *rs)
{
	return write_means(rs) && write_programs(rs) && write_picture(rs);
}

/* ---- the page ---- */

/* A ratio as a change in per cent, with its interval. */
static void put_change(FILE *f, const struct worth *w, bool less_is_better)
{
	int sign = isnan(w->low) ? 0 : sign_of(w, less_is_better);
	if (isnan(w->mean)) {
		fputs("<td class=\"n\">&ndash;</td>", f);
		return;
	}
	fprintf(f, "<td class=\"n\"><span class=\"v %s\">%+.1f&nbsp;%%</span>",
		sign > 0   ? "agrees"
		: sign < 0 ? "differs"
			   : "none",
		100 * w->mean - 100);
	if (!isnan(w->low))
		fprintf(f, "<br><span class=\"soft\">%+.1f to %+.1f</span>", 100 * w->low - 100,
			100 * w->high - 100);
	fputs("</td>", f);
}

static void put_row(FILE *f, const struct results *rs, const struct study_mechanism *m)
{
	const struct study *s = rs->s;
	const struct measured *of = measure_all(rs, m);
	fputs("<tr><td><b>", f);
	svg_text(f, m->label);
	fputs("</b>", f);
	if (*m->source) {
		fputs("<br><span class=\"soft\">", f);
		svg_text(f, m->source);
		fputs("</span>", f);
	}
	fputs("</td>", f);
	for (unsigned b = 0; b < s->bases.n; b++) {
		if (m->none[b]) {
			fputs("<td colspan=\"4\" class=\"soft\">", f);
			svg_text(f, m->none[b]);
			fputs("</td>", f);
			continue;
		}
		put_change(f, &of[b].of[MECHANISM_SPEED], false);
		put_change(f, &of[b].of[MECHANISM_ENERGY], true);
		put_change(f, &of[b].of[MECHANISM_EDP], true);
		if (isnan(of[b].area / of[b].base_area))
			fputs("<td class=\"n\">&ndash;</td>", f);
		else
			fprintf(f, "<td class=\"n\">%+.2f&nbsp;%%</td>",
				100 * of[b].area / of[b].base_area - 100);
	}
	fprintf(f, "<td>%s</td></tr>\n", fate(s, m, of));
}

static void put_extremes(FILE *f, const struct results *rs, const struct study_mechanism *m)
{
	const struct study *s = rs->s;
	const struct measured *of = measure_all(rs, m);
	fputs("<tr><td>", f);
	svg_text(f, m->label);
	fputs("</td>", f);
	for (unsigned b = 0; b < s->bases.n; b++) {
		if (of[b].best < 0)
			fputs("<td>&ndash;</td>", f);
		else
			fprintf(f, "<td>%s %+.1f&nbsp;%%, %s %+.1f&nbsp;%%; %u programs</td>",
				s->programs.v[of[b].best].name, 100 * of[b].most - 100,
				s->programs.v[of[b].worst].name, 100 * of[b].least - 100, of[b].n);
	}
	fputs("<td>", f);
	svg_text(f, m->note);
	fputs("</td></tr>\n", f);
}

void mechanisms_page(FILE *f, struct results *rs)
{
	const struct study *s = rs->s;
	fputs("<h2 id=\"mechanisms\">What each mechanism is worth</h2>\n<p>Speed: the base's cycles over the mechanism's, "
	      "for equal work, so the ratio of IPC. Energy and energy-delay product (EDP): the mechanism's over the base's. Geometric "
	      "means over the programs, with the interval of 95&nbsp;% that resampling the programs gives; a change counts "
	      "(coloured) if its interval excludes none. Area: of the modelled chip.</p>\n<figure>",
	      f);
	draw_picture(f, rs);
	fputs("<figcaption>Speed over the base: geometric mean and interval</figcaption></figure>\n<div class=\"wide\"><table "
	      "class=\"many\"><tr><th rowspan=\"2\">mechanism</th>",
	      f);
	for (unsigned b = 0; b < s->bases.n; b++) {
		fputs("<th colspan=\"4\">", f);
		svg_text(f, base_label(s, b));
		fputs("</th>", f);
	}
	fputs("<th rowspan=\"2\">its gain</th></tr>\n<tr>", f);
	for (unsigned b = 0; b < s->bases.n; b++)
		fputs("<th class=\"n\">speed</th><th class=\"n\">energy</th><th class=\"n\">EDP</th><th class=\"n\">area</th>",
		      f);
	fputs("</tr>\n", f);
	const char *family = "";
	for (size_t i = 0; i < s->mechanisms.n; i++) {
		const struct study_mechanism *m = &s->mechanisms.v[i];
		if (strcmp(family, m->family)) {
			fprintf(f, "<tr><th colspan=\"%u\">", (unsigned)(2 + 4 * s->bases.n));
			svg_text(f, family = m->family);
			fputs("</th></tr>\n", f);
		}
		put_row(f, rs, m);
	}
	fputs("</table></div>\n<details><summary>The program with most and with least speed</summary><div class=\"wide\"><table>"
	      "<tr><th>mechanism</th>",
	      f);
	for (unsigned b = 0; b < s->bases.n; b++) {
		fputs("<th>", f);
		svg_text(f, base_label(s, b));
		fputs("</th>", f);
	}
	fputs("<th>note</th></tr>\n", f);
	for (size_t i = 0; i < s->mechanisms.n; i++)
		put_extremes(f, rs, &s->mechanisms.v[i]);
	fputs("</table></div></details>\n<p>The same numbers: <a href=\"tables/mechanisms.csv\">mechanisms.csv</a>, "
	      "<a href=\"tables/mechanisms-programs.csv\">for each program</a>.</p>\n",
	      f);
}
