/* Writes the numbers after the figures: CSV for spreadsheets, JSON for programs. */
#include <math.h>
#include <string.h>
#include "heddle.h"
#include "study/report/report.h"

void report_csv_text(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		fputs(*s == '"' ? "\"\"" : (char[]){*s, 0}, f);
	fputc('"', f);
}

void report_csv_number(FILE *f, double x)
{
	if (isnan(x))
		fputc(',', f);
	else
		fprintf(f, ",%.10g", x);
}

/* Writes a row per program: for each value the measured and the paper's number; means last. */
bool table_write(struct results *rs, const struct study_figure *g)
{
	const struct study *s = rs->s;
	struct report_file o;
	if (!report_open(rs, &o, "tables/%s.csv", g->name))
		return false;
	fputs("program", o.f);
	for (unsigned v = 0; v < g->nvalues; v++) {
		fputc(',', o.f);
		report_csv_text(o.f, s->values.v[g->value[v]].label);
		fputc(',', o.f);
		report_csv_text(o.f, "paper");
	}
	fputc('\n', o.f);
	for (unsigned p = 0; p <= s->programs.n; p++) {
		bool mean = p == s->programs.n;
		if (!mean && !study_figure_has(g, s, p))
			continue;
		fputs(mean ? study_mean_name(s, g) : s->programs.v[p].name, o.f);
		for (unsigned v = 0; v < g->nvalues; v++) {
			const struct study_value *x = &s->values.v[g->value[v]];
			report_csv_number(o.f, mean ? study_value_mean(s, g->value[v])
						    : study_value(s, g->value[v], (int)p));
			report_csv_number(o.f, mean ? x->paper_mean : x->paper[p]);
		}
		fputc('\n', o.f);
	}
	return report_close(&o);
}

bool table_write_runs(struct results *rs)
{
	static const char *const figures[] = {
		"cycles",   "warp_instructions",  "thread_instructions",
		"branches", "divergent_branches", "launches"};
	const struct study *s = rs->s;
	struct report_file o;
	if (!report_open(rs, &o, "tables/runs.csv"))
		return false;
	fputs("program,run,cycles,warp_instructions,thread_instructions,branches,divergent_"
	      "branches,launches,ipc,"
	      "cpu_seconds\n",
	      o.f);
	for (unsigned p = 0; p < s->programs.n; p++)
		for (unsigned r = 0; r < s->runs.n; r++) {
			const struct result *x = results_at(rs, p, r);
			if (!x->figures)
				continue;
			double cycles = json_number_value(json_object_get(x->figures, "cycles"));
			fprintf(o.f, "%s,%s", s->programs.v[p].name, s->runs.v[r].name);
			for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
				report_csv_number(o.f, json_number_value(json_object_get(
							       x->figures, figures[i])));
			report_csv_number(o.f, json_number_value(json_object_get(
						       x->figures, "thread_instructions")) /
						       cycles);
			report_csv_number(
				o.f, json_number_value(json_object_get(x->all, "cpu_seconds")));
			fputc('\n', o.f);
		}
	return report_close(&o);
}

static json_t *json_number(double x) { return isnan(x) ? json_null() : json_real(x); }

static json_t *values_json(const struct study *s)
{
	json_t *all = json_object();
	for (unsigned v = 0; v < s->values.n; v++) {
		const struct study_value *x = &s->values.v[v];
		json_t *measured = json_object(), *paper = json_object();
		for (unsigned p = 0; expr_varies(x->expr) && p < s->programs.n; p++) {
			if (s->programs.v[p].skipped)
				continue;
			json_object_set_new(measured, s->programs.v[p].name,
					    json_number(study_value(s, v, (int)p)));
			if (!isnan(x->paper[p]))
				json_object_set_new(paper, s->programs.v[p].name,
						    json_real(x->paper[p]));
		}
		json_object_set_new(measured, "mean", json_number(study_value_mean(s, v)));
		if (!isnan(x->paper_mean))
			json_object_set_new(paper, "mean", json_real(x->paper_mean));
		json_object_set_new(all, x->name,
				    json_pack("{s:s, s:s, s:o, s:o}", "label", x->label, "is",
					      x->is, "measured", measured, "paper", paper));
	}
	return all;
}

static json_t *claims_json(const struct study *s)
{
	json_t *all = json_array();
	for (size_t i = 0; i < s->claims.n; i++) {
		const struct study_claim *c = &s->claims.v[i];
		double x;
		enum verdict v = study_verdict(s, c, &x);
		json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s}", "name",
						     c->name, "says", c->says, "where", c->where,
						     "quantity", c->quantity, "expected", c->expect,
						     "measured", json_number(x), "verdict",
						     study_verdict_words[v]));
	}
	return all;
}

static json_t *runs_json(const struct results *rs)
{
	const struct study *s = rs->s;
	json_t *all = json_array();
	for (unsigned p = 0; p < s->programs.n; p++)
		for (unsigned r = 0; r < s->runs.n && !s->programs.v[p].skipped; r++) {
			const struct result *x = results_at(rs, p, r);
			json_t *o =
				x->all ? json_deep_copy(x->all)
				       : json_pack("{s:s, s:s, s:s}", "program",
						   s->programs.v[p].name, "run", s->runs.v[r].name,
						   "failed", x->failed ? x->failed : "not run");
			json_t *key = json_object_get(o, "key");
			if (key)
				json_object_del(key, "configuration"); /* written once, below */
			json_array_append_new(all, o);
		}
	return all;
}

bool table_write_json(struct results *rs)
{
	const struct study *s = rs->s;
	struct report_file o;
	if (!report_open(rs, &o, "report.json"))
		return false;
	json_t *configs = json_object();
	for (size_t r = 0; r < s->runs.n; r++)
		json_object_set_new(configs, s->runs.v[r].name, json_string(rs->config[r]));
	json_t *all =
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "study", s->name,
			  "title", s->title, "heddle", HEDDLE_VERSION, "simulator",
			  rs->simulator_hash, "size", rs->size, "claims", claims_json(s), "values",
			  values_json(s), "configurations", configs, "runs", runs_json(rs));
	if (all && s->originals)
		json_object_set_new(all, "originals",
				    json_pack("{s:s, s:o, s:o}", "dir", s->originals_dir, "claims",
					      claims_json(s->originals), "runs",
					      runs_json(s->originals->results)));
	if (all && s->mechanisms.n)
		json_object_set_new(all, "mechanisms", mechanisms_json(rs));
	bool ok = all && !json_dumpf(all, o.f, JSON_INDENT(1));
	fputc('\n', o.f);
	json_decref(all);
	return report_close(&o) && ok;
}
