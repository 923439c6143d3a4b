/* Writes index.html, one self-contained file. Verdicts and numbers are computed from the results;
 * the words around them are the study's. */
#include <math.h>
#include <string.h>
#include "heddle.h"
#include "study/report/report.h"
#include "study/report/style.h"

/* ---- text ---- */

static void put_char(FILE *f, char c)
{
	switch (c) {
	case '<': fputs("&lt;", f); break;
	case '>': fputs("&gt;", f); break;
	case '&': fputs("&amp;", f); break;
	case '"': fputs("&quot;", f); break;
	default: fputc(c, f);
	}
}

static void text(FILE *f, const char *s)
{
	for (; *s; s++)
		put_char(f, *s);
}

static void put_prose(FILE *f, const struct study *s, const char *t)
{
	if (!*t)
		return;
	fputs("<p>", f);
	study_text(s, t, put_char, f);
	fputs("</p>\n", f);
}

static void number(FILE *f, double x, unsigned digits, const char *class)
{
	fprintf(f, "<td class=\"%s\">", class);
	if (isnan(x))
		fputs("&ndash;", f);
	else
		fprintf(f, "%.*f", (int)digits, x);
	fputs("</td>", f);
}

/* ---- claims ---- */

static const char *const classes[] = {
	[VERDICT_AGREES] = "agrees",       [VERDICT_ON_AVERAGE] = "differs",
	[VERDICT_DIRECTION] = "direction", [VERDICT_DIFFERS] = "differs",
	[VERDICT_UNEXERCISED] = "none",    [VERDICT_WRONG_SIZE] = "none",
	[VERDICT_UNMEASURED] = "none",
};

static void expected(FILE *f, const struct study_claim *c)
{
	static const char *const sign[] = {[EXPECT_NEAR] = "",
					   [EXPECT_AT_LEAST] = "&ge; ",
					   [EXPECT_AT_MOST] = "&le; ",
					   [EXPECT_ABOVE] = "&gt; ",
					   [EXPECT_BELOW] = "&lt; "};
	fprintf(f, "%s%.*f", sign[c->kind], (int)c->digits, c->number);
	if (c->tolerance > 0)
		fprintf(f, " &plusmn; %g", c->tolerance);
}

/* Says which programs the columns of original programs are about. */
static void originals_line(FILE *f, const struct study *s)
{
	const char *comma = ": ";
	fputs("<p>Original programs are those of the folder ", f);
	text(f, s->originals_dir);
	for (unsigned p = 0; p < s->originals->programs.n; p++)
		if (!s->originals->programs.v[p].skipped) {
			fputs(comma, f);
			text(f, s->originals->programs.v[p].name);
			comma = ", ";
		}
	fputs(". Means there are over these programs only. Where the verdicts differ for a statement on the same programs, the "
	      "suite's program or its input is the reason; where both differ from the paper, compiler, machine or mechanism.</p>\n",
	      f);
}

static void claims_table(FILE *f, const struct study *s)
{
	if (!s->claims.n)
		return;
	const char *whose = s->has_paper ? "paper" : "study";
	fprintf(f,
		"<h2 id=\"verdict\">What agrees, what does not</h2>\n<p>Each statement of the %s "
		"beside the same quantity "
		"computed from these runs. Tolerances are the study's, in its file.</p>\n<div "
		"class=\"wide\"><table id=\"claims\"><tr><th>the %s says</th><th>where</th><th "
		"class=\"n\">expected</th><th "
		"class=\"n\">measured</th><th>verdict</th>%s</tr>\n",
		whose, whose,
		s->originals ? "<th class=\"n\">original programs</th><th>verdict</th>" : "");
	for (size_t i = 0; i < s->claims.n; i++) {
		const struct study_claim *c = &s->claims.v[i];
		double x;
		enum verdict v = study_verdict(s, c, &x);
		fprintf(f, "<tr><td><a href=\"#claim-%s\">", c->name);
		text(f, c->says);
		fputs("</a></td><td>", f);
		text(f, c->where);
		fputs("</td><td class=\"n\">", f);
		expected(f, c);
		fputs("</td>", f);
		number(f, x, c->digits + 1, "n");
		fprintf(f, "<td class=\"v %s\">%s</td>", classes[v], study_verdict_words[v]);
		if (s->originals) {
			v = study_verdict(s->originals, &s->originals->claims.v[i], &x);
			number(f, x, c->digits + 1, "n");
			fprintf(f, "<td class=\"v %s\">%s</td>", classes[v],
				study_verdict_words[v]);
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
	if (s->originals)
		originals_line(f, s);
}

/* Explains a missing quantity; it may be missing although every run has its result. */
static const char *missing_reason(const struct study *s, const struct expr *e)
{
	return study_divides_by_zero(s, e) ? ", it divides by 0" : "";
}

/* Prints the claim's condition on each program and the programs that fail it, and other readings of
 * the statement. */
static void claim_details(FILE *f, const struct study *s, const struct study_claim *c)
{
	const char *comma = "<p>Not so for ";
	bool any = false;
	for (unsigned p = 0; p < s->programs.n; p++)
		if (!study_claim_holds_for(s, c, p)) {
			fputs(comma, f);
			text(f, s->programs.v[p].name);
			comma = ", ";
			any = true;
		}
	if (any)
		fputs(".</p>\n", f);
	for (unsigned i = 0; i < c->nreadings; i++) {
		double x = expr_eval(c->reading[i].expr, &s->world, -1);
		fputs("<p class=\"soft\">Read otherwise, ", f);
		text(f, c->reading[i].label);
		if (isnan(x))
			fprintf(f, ": not measured%s", missing_reason(s, c->reading[i].expr));
		else
			fprintf(f, ": %.*f", (int)c->digits + 1, x);
		fputs(" (<code>", f);
		text(f, c->reading[i].quantity);
		fputs("</code>)</p>\n", f);
	}
}

static void claim(FILE *f, const struct results *rs, const struct study_claim *c)
{
	const struct study *s = rs->s;
	double x;
	enum verdict v = study_verdict(s, c, &x);
	fprintf(f, "<div class=\"claim %s\" id=\"claim-%s\"><p><span class=\"v %s\">%s</span>: ",
		classes[v], c->name, classes[v], study_verdict_words[v]);
	text(f, c->says);
	fputs(" <span class=\"soft\">(", f);
	text(f, c->where);
	fputs(": ", f);
	expected(f, c);
	if (isnan(x))
		fprintf(f, "; not measured%s", missing_reason(s, c->expr));
	else
		fprintf(f, "; measured %.*f%s", (int)c->digits + 1, x,
			v == VERDICT_UNEXERCISED  ? ", all runs that it compares are equal"
			: v != VERDICT_UNMEASURED ? ""
			: study_divides_by_zero(s, c->expr)
				? " without programs where it divides by 0"
				: " without programs that are missing");
	fputs(", <code>", f);
	text(f, c->quantity);
	fputs("</code>)</span></p>\n", f);
	claim_details(f, s, c);
	for (size_t i = 0; i < s->remarks.n; i++)
		if (!strcmp(s->remarks.v[i].claim, c->name) &&
		    study_remark_holds(s, &s->remarks.v[i], rs->size))
			put_prose(f, s, s->remarks.v[i].text);
	fputs("</div>\n", f);
}

static void claims_of(FILE *f, const struct results *rs, const char *figure)
{
	const struct study *s = rs->s;
	for (size_t i = 0; i < s->claims.n; i++)
		if (!strcmp(s->claims.v[i].figure, figure))
			claim(f, rs, &s->claims.v[i]);
}

/* ---- figures ---- */

/* Includes the drawing without its XML head. Identifiers in it get the figure's name as a prefix,
 * because all figures share one page. */
static void inline_svg(FILE *f, const char *svg, const char *name)
{
	static const char *const refs[] = {"id=\"", "id='", "href=\"#", "href='#", "url(#"};
	const char *p = strstr(svg, "<svg");
	while (p && *p) {
		size_t n = 0;
		for (size_t i = 0; !n && i < sizeof refs / sizeof *refs; i++)
			if (!strncmp(p, refs[i], strlen(refs[i])) && p[-1] != 'd')
				n = strlen(refs[i]);
		if (n) {
			fprintf(f, "%.*sfigure-%s-", (int)n, p, name);
			p += n;
		} else {
			fputc(*p++, f);
		}
	}
}

static bool has_paper(const struct study *s, unsigned v)
{
	const struct study_value *x = &s->values.v[v];
	bool any = !isnan(x->paper_mean);
	for (unsigned p = 0; p < s->programs.n; p++)
		any |= !isnan(x->paper[p]);
	return any;
}

/* True if programs have classes in the paper, which tables then show. */
static bool any_class(const struct study *s, const struct study_figure *g)
{
	for (unsigned p = 0; p < s->programs.n && g->kind == FIGURE_TABLE; p++)
		if (*s->programs.v[p].class)
			return true;
	return false;
}

static void figure_head(FILE *f, const struct study *s, const struct study_figure *g)
{
	enum { MANY = 10 }; /* columns that fit the page at the usual size */
	unsigned columns = 1 + any_class(s, g) + g->nvalues;
	for (unsigned i = 0; i < g->nvalues; i++)
		columns += has_paper(s, g->value[i]);
	fprintf(f, "<div class=\"wide\"><table%s><tr><th>program</th>",
		columns > MANY ? " class=\"many\"" : "");
	if (any_class(s, g))
		fputs("<th>class</th>", f);
	for (unsigned i = 0; i < g->nvalues; i++) {
		fputs("<th class=\"n\">", f);
		text(f, s->values.v[g->value[i]].label);
		fputs("</th>", f);
		if (has_paper(s, g->value[i]))
			fputs("<th class=\"n\">paper</th>", f);
	}
	fputs("</tr>\n", f);
}

static void figure_table(FILE *f, const struct study *s, const struct study_figure *g)
{
	bool unsaid = false; /* a number that the paper's text does not contain */
	figure_head(f, s, g);
	for (unsigned p = 0; p <= s->programs.n; p++) {
		bool mean = p == s->programs.n;
		if (mean ? !g->mean : !study_figure_has(g, s, p))
			continue;
		fprintf(f, "<tr%s><td>", mean ? " class=\"mean\"" : "");
		text(f, mean ? study_mean_name(s, g) : s->programs.v[p].name);
		fputs("</td>", f);
		if (any_class(s, g)) {
			fputs("<td>", f);
			text(f, mean ? "" : s->programs.v[p].class);
			fputs("</td>", f);
		}
		for (unsigned i = 0; i < g->nvalues; i++) {
			const struct study_value *v = &s->values.v[g->value[i]];
			number(f,
			       mean ? study_value_mean(s, g->value[i])
				    : study_value(s, g->value[i], (int)p),
			       v->digits, "n");
			if (!has_paper(s, g->value[i]))
				continue;
			double said = mean ? v->paper_mean : v->paper[p];
			unsaid |= isnan(said);
			number(f, said, v->digits, "n p");
		}
		fputs("</tr>\n", f);
	}
	fprintf(f,
		"</table></div><p class=\"soft\">The same as <a "
		"href=\"tables/%s.csv\">tables/%s.csv</a>.%s</p>\n",
		g->name, g->name,
		unsaid ? " &ndash; under <i>paper</i>: its text gives no number." : "");
}

static void figure(FILE *f, const struct results *rs, const struct study_figure *g, const char *svg,
		   const char *no_svg)
{
	const struct study *s = rs->s;
	fprintf(f, "<h2 id=\"figure-%s\">", g->name);
	text(f, g->title);
	fputs("</h2>\n", f);
	put_prose(f, s, g->text);
	if (g->kind == FIGURE_TABLE) {
		figure_table(f, s, g);
		claims_of(f, rs, g->name);
		return;
	}
	fprintf(f, "<figure class=\"plot\" data-figure=\"%s\">", g->name);
	if (svg) {
		inline_svg(f, svg, g->name);
	} else {
		fputs("<p class=\"warn\">No drawing: ", f);
		text(f, no_svg ? no_svg : "nothing of it was measured");
		fputs("</p>", f);
	}
	fputs("</figure>\n", f);
	fprintf(f, "<details%s><summary>Numbers</summary>\n",
		svg && g->kind == FIGURE_STACKED ? "" : " open");
	figure_table(f, s, g);
	fputs("</details>\n", f);
	claims_of(f, rs, g->name);
}

/* ---- how the report was made ---- */

static void print_settings(FILE *f, const char **set, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fputs("<code>", f);
		text(f, set[i]);
		fputs("</code> ", f);
	}
}

static void programs(FILE *f, const struct results *rs)
{
	const struct study *s = rs->s;
	fputs("<h3>Programs</h3><div "
	      "class=\"wide\"><table><tr><th>program</th><th>workload</th><th>input</th><th>set for "
	      "it</th><th>file</th></tr>\n",
	      f);
	for (unsigned p = 0; p < s->programs.n; p++) {
		const struct study_program *x = &s->programs.v[p];
		if (x->skipped)
			continue;
		fputs("<tr><td>", f);
		text(f, x->name);
		fputs("</td><td><code>", f);
		text(f, x->workload);
		fputs("</code></td><td>", f);
		text(f, x->note);
		fputs("</td><td>", f);
		print_settings(f, x->set, x->nset);
		fprintf(f, "</td><td><code>%s</code></td></tr>\n",
			rs->program_hash[p] ? rs->program_hash[p] : "?");
	}
	fputs("</table></div>\n", f);
}

static void runs(FILE *f, const struct study *s)
{
	fputs("<h3>Configurations</h3><div "
	      "class=\"wide\"><table><tr><th>run</th><th>what</th><th>set on the machine"
	      "</th></tr>\n",
	      f);
	for (size_t r = 0; r < s->runs.n; r++) {
		const struct study_run *x = &s->runs.v[r];
		fputs("<tr><td><code>", f);
		text(f, x->name);
		fputs("</code></td><td>", f);
		text(f, x->label);
		if (*x->note) {
			fputs(". ", f);
			text(f, x->note);
		}
		fputs("</td><td>", f);
		if (strcmp(x->machine, s->machine) || strcmp(x->code, "ptx")) {
			fputs("<code>", f);
			text(f, x->machine);
			fputs("</code> <code>--code ", f);
			text(f, x->code);
			fputs("</code> ", f);
		}
		print_settings(f, x->set, x->nset);
		fputs("</td></tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

/* Prints a table row with the numbers of one run. */
static void print_run(FILE *f, const struct results *rs, unsigned p, unsigned r)
{
	const struct result *x = results_at(rs, p, r);
	double cycles = json_number_value(json_object_get(x->figures, "cycles"));
	double threads = json_number_value(json_object_get(x->figures, "thread_instructions"));
	fputs("<tr><td>", f);
	text(f, rs->s->programs.v[p].name);
	fputs("</td><td><code>", f);
	text(f, rs->s->runs.v[r].name);
	fputs("</code></td>", f);
	if (x->figures) {
		number(f, cycles, 0, "n");
		number(f, threads, 0, "n");
		number(f, cycles > 0 ? threads / cycles : NAN, 2, "n");
		number(f, json_number_value(json_object_get(x->all, "cpu_seconds")), 1, "n");
	} else {
		fputs("<td colspan=\"4\" class=\"differs\">", f);
		text(f, x->failed ? x->failed : "not run");
		fputs("</td>", f);
	}
	fputs("</tr>\n", f);
}

static void made_by(FILE *f, const struct results *rs)
{
	const struct study *s = rs->s;
	fputs("<h2 id=\"made\">What made this report</h2>\n<p>Heddle " HEDDLE_VERSION
	      ", simulator <code>",
	      f);
	text(f, rs->simulator_hash);
	fputs("</code>, machine <code>", f);
	text(f, s->machine);
	fputs("</code>, size <code>", f);
	text(f, rs->size);
	fputs("</code>, study <code>", f);
	text(f, s->name);
	fprintf(f,
		"</code>. One run by hand: <code>heddle workload %s --size %s --config %s --set "
		"KEY=VALUE ... --stats "
		"FILE.json</code>. All numbers: <a href=\"report.json\">report.json</a>, <a "
		"href=\"tables/runs.csv\">"
		"tables/runs.csv</a>.</p>\n",
		s->programs.v[0].workload, rs->size, s->machine);
	programs(f, rs);
	runs(f, s);
	fputs("<details><summary>All runs</summary><div "
	      "class=\"wide\"><table><tr><th>program</th><th>run</th><th class=\"n\">"
	      "cycles</th><th class=\"n\">thread instructions</th><th class=\"n\">a cycle</th><th "
	      "class=\"n\">processor seconds"
	      "</th></tr>\n",
	      f);
	for (unsigned p = 0; p < s->programs.n; p++)
		for (unsigned r = 0; r < s->runs.n && !s->programs.v[p].skipped; r++)
			print_run(f, rs, p, r);
	fputs("</table></div></details>\n<details><summary>The whole configuration of the first "
	      "run</summary><pre>",
	      f);
	text(f, rs->config[0]);
	fputs("</pre></details>\n", f);
}

/* ---- the page ---- */

/* The verdicts in the order of the first lines of the page. */
static const char *const tile[] = {
	[VERDICT_AGREES] = "statements agree",
	[VERDICT_ON_AVERAGE] = "on average only",
	[VERDICT_DIRECTION] = "in direction only",
	[VERDICT_DIFFERS] = "differ",
	[VERDICT_UNEXERCISED] = "not exercised",
	[VERDICT_WRONG_SIZE] = "not measured at this size",
	[VERDICT_UNMEASURED] = "not measured",
};

static void summary(FILE *f, const struct results *rs, const char *no_svg)
{
	const struct study *s = rs->s;
	unsigned count[VERDICTS], all, failed = report_failures(rs, &all), skipped = 0;
	study_count_verdicts(s, count);
	for (size_t i = 0; i < s->programs.n; i++)
		skipped += s->programs.v[i].skipped;
	fputs("<div class=\"sum\">", f);
	for (unsigned v = 0; s->claims.n && v < VERDICTS; v++)
		if (count[v] || v == VERDICT_AGREES || v == VERDICT_DIFFERS)
			fprintf(f, "<div><b class=\"%s\">%u</b>%s</div>", classes[v], count[v],
				tile[v]);
	fprintf(f, "<div><b>%u</b>runs, %u without result</div><div><b>", all, failed);
	text(f, rs->size);
	fputs("</b>size</div></div>\n", f);
	if (s->has_paper && strcmp(rs->size, "paper"))
		fputs("<p class=\"warn\">The programs ran with smaller inputs than the paper's: "
		      "compare numbers with care, and use "
		      "<code>--size paper</code> to repeat the experiment.</p>\n",
		      f);
	if (skipped)
		fprintf(f,
			"<p class=\"warn\">%u programs of the study were left out "
			"(<code>--programs</code>): means are over the "
			"others and say so, and statements about all programs are not judged.</p>\n",
			skipped);
	if (no_svg) {
		fputs("<p class=\"warn\">The figures are not drawn: ", f);
		text(f, no_svg);
		fputs("</p>\n", f);
	}
}

static void put_failures(FILE *f, const struct results *rs)
{
	unsigned all;
	if (!report_failures(rs, &all))
		return;
	fputs("<h2 id=\"failed\">Runs without a result</h2>\n<table class=\"broken\">\n", f);
	for (unsigned p = 0; p < rs->s->programs.n; p++)
		for (unsigned r = 0; r < rs->s->runs.n && !rs->s->programs.v[p].skipped; r++)
			if (!results_at(rs, p, r)->figures)
				print_run(f, rs, p, r);
	fputs("</table>\n", f);
}

bool page_write(struct results *rs, char *const *svg, const char *no_svg)
{
	const struct study *s = rs->s;
	struct report_file o;
	if (!report_open(rs, &o, "index.html"))
		return false;
	FILE *f = o.f;
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
	      "name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\"><link rel=\"icon\" "
	      "href=\"data:,\"><title>",
	      f);
	text(f, s->title);
	fprintf(f, "</title>\n<style>\n%s</style></head>\n<body><main>\n<h1>", page_style);
	text(f, s->title);
	fputs("</h1>\n<p class=\"lead\">", f);
	text(f, s->source);
	fputs("</p>\n", f);
	summary(f, rs, no_svg);
	put_prose(f, s, s->text);
	if (s->mechanisms.n)
		mechanisms_page(f, rs);
	claims_table(f, s);
	for (size_t i = 0; i < s->figures.n; i++)
		figure(f, rs, &s->figures.v[i], svg[i], no_svg);
	bool rest = false;
	for (size_t i = 0; i < s->claims.n; i++)
		rest |= !*s->claims.v[i].figure;
	if (rest)
		fputs("<h2>Further statements</h2>\n", f);
	claims_of(f, rs, "");
	put_failures(f, rs);
	made_by(f, rs);
	fputs("</main></body></html>\n", f);
	return report_close(&o);
}
