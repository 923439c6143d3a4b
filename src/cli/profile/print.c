/* Output of heddle profile: see profile.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/profile/profile.h"
#include "command/command.h"
#include "heddle.h"

/* ---- choice ---- */

static bool is_in_list(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

static const char *kernel_name(const struct profiled *f)
{
	const char *name = json_string_value(json_object_get(f->launch, "kernel"));
	return name ? name : "";
}

/* True if the launch is to be shown: the plain name of its kernel contains the requested text. */
static bool is_chosen(const struct profile_view *v, const struct profiled *f)
{
	char plain[1024];
	return !v->kernels ||
	       strstr(heddle_plain_name(kernel_name(f), plain, sizeof plain), v->kernels);
}

/* Pairs launches with those of a report, in order: each with the first of a kernel of that name that is not taken.
 * NULL for launches that the report lacks; NULL: no report. */
static const struct imported_launch **pair_launches(const struct imported *in, const json_t *stats)
{
	char mine[1024];
	size_t i;
	const json_t *l, *list = json_object_get(stats, "launches");
	if (!in)
		return NULL;
	const struct imported_launch **pair = calloc(json_array_size(list) + 1, sizeof *pair);
	bool *taken = calloc(in->nlaunches + 1, sizeof *taken);
	unsigned first = 0; /* all before it are taken */
	for (i = 0; pair && taken && (l = json_array_get(list, i)); i++) {
		struct profiled f = {stats, l, (unsigned)i};
		heddle_plain_name(kernel_name(&f), mine, sizeof mine);
		while (first < in->nlaunches && taken[first])
			first++;
		for (unsigned k = first; k < in->nlaunches && !pair[i]; k++)
			if (!taken[k] && kernels_match(in->launch[k].kernel, mine)) {
				taken[k] = true;
				pair[i] = &in->launch[k];
			}
	}
	free(taken);
	return pair;
}

/* ---- causes ---- */

struct pair {
	double ours, theirs;
};

static struct pair look_up(const struct profiled *f, const struct imported_launch *l,
			   const char *metric, const char *title, const char *label)
{
	const struct metric *m = metric_find(metric);
	return (struct pair){m ? m->value(f) : NAN, report_value(l, metric, title, label)};
}

static bool pair_differs(struct pair p, double share)
{
	return isfinite(p.ours) && isfinite(p.theirs) &&
	       fabs(p.ours - p.theirs) > share * fabs(p.theirs);
}

/* The most likely cause of a difference in cycles, from earlier differences: code, traffic,
 * occupancy, stalls. */
static void likely_cause(const struct profiled *f, const struct imported_launch *l, char *out,
			 size_t n)
{
	struct pair cycles =
		look_up(f, l, "gpc__cycles_elapsed.max", "GPU Speed Of Light", "Elapsed Cycles");
	struct pair code = look_up(f, l, "smsp__inst_executed.sum", "Instruction Statistics",
				   "Executed Instructions");
	struct pair dram = look_up(f, l, "dram__bytes.sum", NULL, NULL);
	struct pair l2 = look_up(f, l, "lts__t_bytes.sum", NULL, NULL);
	struct pair warps = look_up(f, l, "sm__warps_active.avg.pct_of_peak_sustained_active",
				    "Occupancy", "Achieved Occupancy");
	double largest = 0.25;
	if (!isfinite(cycles.ours) || !isfinite(cycles.theirs)) {
		snprintf(out, n, "one of them has no cycles");
		return;
	}
	if (!pair_differs(cycles, 0.1)) {
		snprintf(out, n, "cycles agree within 10 %%");
		return;
	}
	snprintf(out, n, "cycles alone: code, traffic, occupancy and stalls that both have agree");
	if (pair_differs(code, 0.01)) {
		snprintf(
			out, n,
			"other code: %.4g and %.4g instructions; compile for the GPU's architecture, or run its machine "
			"code (--code native, --cubins)",
			code.ours, code.theirs);
		return;
	}
	if (pair_differs(dram, 0.1) || pair_differs(l2, 0.1)) {
		struct pair p = pair_differs(dram, 0.1) ? dram : l2;
		snprintf(out, n, "other memory traffic: %.4g and %.4g bytes to %s", p.ours,
			 p.theirs, pair_differs(dram, 0.1) ? "DRAM" : "the L2");
		return;
	}
	if (pair_differs(warps, 0.15)) {
		snprintf(out, n, "other occupancy: %.3g and %.3g %%", warps.ours, warps.theirs);
		return;
	}
	for (unsigned i = 0; i < metric_count(); i++) {
		const char *name = metric_at(i)->name;
		if (!strstr(name, "issue_stalled"))
			continue;
		struct pair p = look_up(f, l, name, NULL, NULL);
		if (isfinite(p.ours) && isfinite(p.theirs) && fabs(p.ours - p.theirs) > largest) {
			largest = fabs(p.ours - p.theirs);
			snprintf(out, n, "%s: %.3g and %.3g warps per issued instruction", name,
				 p.ours, p.theirs);
		}
	}
}

/* ---- numbers ---- */

/* Formats a number for reading, with a prefix of its unit: 3.35 Tbyte/s. */
static void say_number(double v, const char *unit, char *number, char *shown, size_t n)
{
	static const struct {
		const char *unit, *shown;
		double factor;
	} rows[] = {{"hz", "Ghz", 1e9},
		    {"byte/s", "Gbyte/s", 1e9},
		    {"byte", "Mbyte", 1e6},
		    {"ns", "us", 1e3}};
	snprintf(shown, n, "%s", unit);
	if (!isfinite(v)) {
		snprintf(number, n, "n/a");
		return;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].unit, unit) && fabs(v) >= rows[i].factor) {
			v /= rows[i].factor;
			snprintf(shown, n, "%s", rows[i].shown);
		}
	if (v == floor(v) && fabs(v) < 1e15)
		snprintf(number, n, "%.0f", v);
	else
		snprintf(number, n, fabs(v) < 0.01 ? "%.3g" : "%.2f", v);
}

static void print_row(FILE *out, const char *label, const struct metric *m,
		      const struct profiled *f, const struct imported_launch *beside,
		      const struct section *section)
{
	char number[32], unit[32], other[32] = "", ratio[32] = "";
	double v = m->value(f),
	       w = beside ? report_value(beside, m->name, section ? section->title : NULL,
					 section ? label : NULL)
			  : NAN;
	say_number(v, m->unit, number, unit, sizeof number);
	if (!beside) {
		fprintf(out, "    %-44s %-12s %14s\n", label, unit, number);
		return;
	}
	double scale = isfinite(v) && strtod(number, NULL) != 0 ? v / strtod(number, NULL) : 1;
	if (isfinite(w))
		say_number(w / scale, "", other, ratio, sizeof other);
	snprintf(ratio, sizeof ratio, "%s", "");
	if (isfinite(v) && isfinite(w) && w != 0)
		snprintf(ratio, sizeof ratio, "%.2f", v / w);
	fprintf(out, "    %-44s %-12s %14s %14s %7s\n", label, unit, number, *other ? other : "n/a",
		ratio);
}

/* ---- hot lines and the roofline ---- */

struct hot {
	const json_t *line;
	double weight;
};

static int by_weight(const void *a, const void *b)
{
	double x = ((const struct hot *)a)->weight, y = ((const struct hot *)b)->weight;
	return (x < y) - (x > y);
}

static const json_t *profile_of(const struct profiled *f)
{
	const json_t *entry;
	size_t i;
	json_array_foreach (json_object_get(f->stats, "profile"), i, entry)
		if (!strcmp(kernel_name(f),
			    json_string_value(json_object_get(entry, "kernel"))
				    ? json_string_value(json_object_get(entry, "kernel"))
				    : ""))
			return entry;
	return NULL;
}

/* The cause that an instruction's warps waited for most. */
static const char *main_stall(const json_t *line)
{
	const char *cause, *most = "";
	double largest = 0;
	json_t *v;
	json_object_foreach ((json_t *)json_object_get(line, "stalls"), cause, v)
		if (json_number_value(v) > largest) {
			largest = json_number_value(v);
			most = cause;
		}
	return most;
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

void profile_place(const json_t *instruction, char *out, size_t n)
{
	const char *source = json_string_value(json_object_get(instruction, "source")),
		   *file = json_string_value(json_object_get(instruction, "file"));
	long long line = json_integer_value(json_object_get(instruction, "line")),
		  pc = json_integer_value(json_object_get(instruction, "pc"));
	if (source)
		snprintf(out, n, "%s", file_of(source));
	else if (line)
		snprintf(out, n, "%s:%lld", file ? file_of(file) : "line", line);
	else
		snprintf(out, n, "at 0x%llx", (unsigned long long)pc);
}

/* The five instructions at which warps spent most of their time. */
static void print_hot_lines(FILE *out, const struct profiled *f)
{
	const json_t *list = json_object_get(profile_of(f), "instructions"), *line;
	size_t n = json_array_size(list), i;
	struct hot *hot = calloc(n + 1, sizeof *hot);
	double total = 0;
	json_array_foreach (list, i, line) {
		hot[i] = (struct hot){line,
				      json_number_value(json_object_get(line, "stall_cycles")) +
					      json_number_value(json_object_get(line, "issued"))};
		total += hot[i].weight;
	}
	qsort(hot, n, sizeof *hot, by_weight);
	if (total > 0)
		fprintf(out, "    Source Hot Spots\n");
	for (i = 0; i < n && i < 5 && total > 0; i++) {
		const char *text = json_string_value(json_object_get(hot[i].line, "text"));
		char place[256];
		profile_place(hot[i].line, place, sizeof place);
		fprintf(out, "      %5.1f %%  %s  %s  %s\n", 100 * hot[i].weight / total, place,
			text ? text : "", main_stall(hot[i].line));
	}
	free(hot);
}

/* Floating-point operations per thread of an instruction, from its PTX or machine text. */
static unsigned count_flops(const char *text)
{
	static const struct {
		const char *start;
		unsigned count;
	} rows[] = {{"FFMA", 2}, {"FADD", 1},  {"FMUL", 1},  {"DFMA", 2}, {"DADD", 1},
		    {"DMUL", 1}, {"HFMA2", 4}, {"HADD2", 2}, {"HMUL2", 2}};
	const char *floats[] = {".f32", ".f64", ".f16x2", ".bf16x2", ".f16", ".bf16"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strncmp(text, rows[i].start, strlen(rows[i].start)))
			return rows[i].count;
	unsigned n =
		!strncmp(text, "fma", 3) || !strncmp(text, "mad", 3) ? 2
		: !strncmp(text, "add", 3) || !strncmp(text, "sub", 3) || !strncmp(text, "mul", 3)
			? 1
			: 0;
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
		if (strstr(text, floats[i]))
			return i == 2 || i == 3 ? 2 * n : n;
	return 0;
}

/* Arithmetic intensity and rate of the launch; false: the run has no profile. */
static bool roofline(const struct profiled *f, double *flops, double *per_byte, double *per_second)
{
	const json_t *entry = profile_of(f), *line;
	double launches = json_number_value(json_object_get(entry, "launches"));
	const struct metric *bytes = metric_find("dram__bytes.sum");
	size_t i;
	*flops = 0;
	if (!entry || launches < 1)
		return false;
	json_array_foreach (json_object_get(entry, "instructions"), i, line) {
		const char *text = json_string_value(json_object_get(line, "text"));
		if (text)
			*flops += count_flops(text) *
				  json_number_value(json_object_get(line, "lanes")) / launches;
	}
	*flops += 2 * json_number_value(json_object_get(
			      json_object_get(json_object_get(f->launch, "timing"), "sm"),
			      "mma_products"));
	*per_byte = *flops / bytes->value(f);
	*per_second = *flops / json_number_value(json_object_get(f->launch, "gpu_seconds"));
	return *flops > 0 && isfinite(*per_second);
}

/* ---- text ---- */

static void print_title(FILE *out, const struct profiled *f)
{
	char plain[1024];
	const json_t *grid = json_object_get(f->launch, "grid"),
		     *block = json_object_get(f->launch, "block");
	fprintf(out, "  %s (%lld, %lld, %lld)x(%lld, %lld, %lld), launch %u\n",
		heddle_plain_name(kernel_name(f), plain, sizeof plain),
		(long long)json_integer_value(json_array_get(grid, 0)),
		(long long)json_integer_value(json_array_get(grid, 1)),
		(long long)json_integer_value(json_array_get(grid, 2)),
		(long long)json_integer_value(json_array_get(block, 0)),
		(long long)json_integer_value(json_array_get(block, 1)),
		(long long)json_integer_value(json_array_get(block, 2)), f->number);
}

static void print_head(FILE *out, const struct imported_launch *beside)
{
	if (beside)
		fprintf(out, "    %-44s %-12s %14s %14s %7s\n", "Metric Name", "Metric Unit",
			"Heddle", "Report", "Ratio");
	else
		fprintf(out, "    %-44s %-12s %14s\n", "Metric Name", "Metric Unit",
			"Metric Value");
}

static void print_text(const struct profile_view *v, const struct profiled *f,
		       const struct imported_launch *beside, FILE *out)
{
	double flops, per_byte, per_second;
	char cause[512];
	print_title(out, f);
	for (unsigned i = 0; v->raw && i < metric_count(); i++) {
		if (!i)
			print_head(out, beside);
		print_row(out, metric_at(i)->name, metric_at(i), f, beside, NULL);
	}
	for (unsigned i = 0; !v->raw && i < section_count(); i++) {
		const struct section *s = section_at(i);
		if (v->sections && !is_in_list(v->sections, s->identifier))
			continue;
		fprintf(out, "    Section: %s\n", s->title);
		print_head(out, beside);
		for (unsigned k = 0; k < s->rows; k++)
			print_row(out, s->row[k].label, metric_find(s->row[k].metric), f, beside,
				  s);
		fputc('\n', out);
	}
	if (!v->sections && !v->raw) {
		if (roofline(f, &flops, &per_byte, &per_second))
			fprintf(out,
				"    Roofline\n      %.4g FLOP, %.4g FLOP/byte of DRAM, %.4g GFLOP/s\n",
				flops, per_byte, per_second / 1e9);
		print_hot_lines(out, f);
	}
	if (beside) {
		likely_cause(f, beside, cause, sizeof cause);
		fprintf(out, "    Likely Cause\n      %s\n", cause);
	} else if (v->beside) {
		fprintf(out, "The report lacks this launch.\n");
	}
	fputc('\n', out);
}

/* ---- CSV and JSON ---- */

static void print_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		fputs(*text == '"' ? "\"\"" : (char[2]){*text, 0}, out);
	fputc('"', out);
}

/* "(96, 1, 1)" of a launch's "grid" or "block". */
static void print_sizes(FILE *out, const json_t *sizes)
{
	fputs("\"(", out);
	for (size_t i = 0; i < json_array_size(sizes); i++)
		fprintf(out, "%s%lld", i ? ", " : "",
			(long long)json_integer_value(json_array_get(sizes, i)));
	fputs(")\",", out);
}

/* The columns of both CSV pages that say which launch a row is about. */
static void print_launch_columns(FILE *out, const struct profiled *f)
{
	char plain[1024];
	heddle_plain_name(kernel_name(f), plain, sizeof plain);
	fprintf(out, "\"%u\",", f->number);
	print_quoted(out, plain);
	fputc(',', out);
	print_sizes(out, json_object_get(f->launch, "block"));
	print_sizes(out, json_object_get(f->launch, "grid"));
}

static void print_value(FILE *out, double v)
{
	if (isfinite(v))
		fprintf(out, "\"%.17g\"", v);
}

/* A row per launch and metric, as `ncu --csv --page details`: "Metric Name" is the label. */
static void print_csv(const struct profile_view *v, const struct profiled *f,
		      const struct imported_launch *beside, FILE *out)
{
	for (unsigned i = 0; i < section_count(); i++) {
		const struct section *s = section_at(i);
		for (unsigned k = 0;
		     (!v->sections || is_in_list(v->sections, s->identifier)) && k < s->rows; k++) {
			const struct metric *m = metric_find(s->row[k].metric);
			print_launch_columns(out, f);
			fprintf(out, "\"%s\",\"%s\",\"%s\",", s->title, s->row[k].label, m->unit);
			print_value(out, m->value(f));
			fprintf(out, ",\"%s\"", m->name);
			if (v->beside)
				fputc(',', out);
			print_value(out, beside ? report_value(beside, m->name, s->title,
							       s->row[k].label)
						: NAN);
			fputc('\n', out);
		}
	}
}

/* A row per launch and a column per metric, as `ncu --csv --page raw`: the units are the second row. */
static void print_raw_head(FILE *out)
{
	fputs("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\"", out);
	for (unsigned i = 0; i < metric_count(); i++)
		fprintf(out, ",\"%s\"", metric_at(i)->name);
	fputs("\n\"\",\"\",\"\",\"\"", out);
	for (unsigned i = 0; i < metric_count(); i++)
		fprintf(out, ",\"%s\"", metric_at(i)->unit);
	fputc('\n', out);
}

static void print_raw_row(const struct profiled *f, FILE *out)
{
	print_launch_columns(out, f);
	for (unsigned i = 0; i < metric_count(); i++) {
		fputs(i ? "," : "", out);
		print_value(out, metric_at(i)->value(f));
	}
	fputc('\n', out);
}

static json_t *launch_json(const struct profiled *f, const struct imported_launch *beside)
{
	char plain[1024], cause[512];
	double flops, per_byte, per_second;
	json_t *o = json_object(), *metrics = json_object(), *report = json_object();
	heddle_plain_name(kernel_name(f), plain, sizeof plain);
	for (unsigned i = 0; i < metric_count(); i++) {
		const struct metric *m = metric_at(i);
		double x = m->value(f),
		       y = beside ? report_value(beside, m->name, NULL, NULL) : NAN;
		if (isfinite(x))
			json_object_set_new(metrics, m->name, json_real(x));
		if (isfinite(y))
			json_object_set_new(report, m->name, json_real(y));
	}
	for (unsigned i = 0; beside && i < section_count(); i++) {
		const struct section *s = section_at(i);
		for (unsigned k = 0; k < s->rows; k++) {
			double y =
				report_value(beside, s->row[k].metric, s->title, s->row[k].label);
			if (isfinite(y))
				json_object_set_new(report, s->row[k].metric, json_real(y));
		}
	}
	json_object_set_new(o, "launch", json_integer(f->number));
	json_object_set_new(o, "kernel", json_string(plain));
	json_object_set(o, "grid", json_object_get(f->launch, "grid"));
	json_object_set(o, "block", json_object_get(f->launch, "block"));
	json_object_set_new(o, "metrics", metrics);
	if (roofline(f, &flops, &per_byte, &per_second))
		json_object_set_new(o, "roofline",
				    json_pack("{s:f, s:f, s:f}", "flop", flops, "flop_per_byte",
					      isfinite(per_byte) ? per_byte : 0, "flop_per_second",
					      per_second));
	if (beside) {
		likely_cause(f, beside, cause, sizeof cause);
		json_object_set(o, "report", report);
		json_object_set_new(o, "likely_cause", json_string(cause));
	}
	json_decref(report);
	return o;
}

bool profile_print(const struct profile_view *v, const json_t *stats, FILE *out)
{
	const json_t *list = json_object_get(stats, "launches"), *l;
	json_t *all = v->format == PROFILE_JSON ? json_array() : NULL;
	unsigned shown = 0, untimed = 0;
	const struct imported_launch **pair = pair_launches(v->beside, stats);
	size_t i;
	if (v->format == PROFILE_CSV && v->raw)
		print_raw_head(out);
	else if (v->format == PROFILE_CSV)
		fprintf(out,
			"\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\","
			"\"Metric Unit\",\"Metric Value\",\"Metric\"%s\n",
			v->beside ? ",\"Report Value\"" : "");
	json_array_foreach (list, i, l) {
		struct profiled f = {stats, l, (unsigned)i};
		if (!json_is_true(json_object_get(l, "timed")) &&
		    !json_integer_value(json_object_get(l, "timed"))) {
			untimed++;
			continue;
		}
		if (!is_chosen(v, &f))
			continue;
		const struct imported_launch *beside = pair ? pair[i] : NULL;
		if (v->format == PROFILE_TEXT)
			print_text(v, &f, beside, out);
		else if (v->format == PROFILE_CSV)
			v->raw ? print_raw_row(&f, out) : print_csv(v, &f, beside, out);
		else
			json_array_append_new(all, launch_json(&f, beside));
		shown++;
	}
	free(pair);
	if (all && shown) {
		char *text = json_dumps(all, JSON_INDENT(1));
		fprintf(out, "%s\n", text ? text : "[]");
		free(text);
	}
	json_decref(all);
	if (!shown && v->kernels && i > untimed)
		cli_error("profile", "no timed launch of a kernel with %s in its name", v->kernels);
	else if (!shown)
		cli_error("profile", "%s",
			  untimed ? "the run has no timed launch; expected timing mode (--config)"
				  : "the run has no launch");
	return shown > 0;
}
