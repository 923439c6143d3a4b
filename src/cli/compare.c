/* heddle compare-isa: dynamic instruction counts of two runs, opcode by opcode. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/compare.h"
#include "heddle.h"

enum { O_THREAD, O_CLASS, O_SVG, O_PAPER, O_CODES, O_STATIC, O_CSV, O_JSON };
static const struct cli_option opts[] = {
	[O_THREAD] = {"--thread", NULL, "count thread instructions instead of warp instructions"},
	[O_CLASS] = {"--class", NULL,
		     "count by class (add, load, control ...) instead of by opcode"},
	[O_SVG] = {"--svg", "FILE",
		   "also draw the comparison: counts and shares, a pair of bars for each row"},
	[O_PAPER] =
		{"--paper", "KERNEL",
		 "also print the published totals of Tesla and Fermi code: MM, DWT, NN, pathfinder or b+tree"},
	[O_CODES] = {"--codes", "A,B",
		     "of a program or a PTX file: the codes to compare (default tesla,fermi)"},
	[O_STATIC] =
		{"--static", NULL,
		 "of a PTX file: count the instructions of its code, not those that are executed"},
	[O_CSV] = {"--csv", "FILE", "also write the table as CSV"},
	[O_JSON] = {"--json", "FILE", "also write the table as JSON"},
	{NULL},
};
/* Kothiya 2014, tables 7 to 16: dynamic instructions of the same kernel in both machine codes. */
static const struct paper {
	const char *name;
	json_int_t tesla, fermi;
} papers[] = {
	{"MM", 19456, 17152},           {"DWT", 270248, 229312},          {"NN", 367920, 196180},
	{"pathfinder", 916460, 538600}, {"b+tree", 289028114, 236755316},
};
const struct cli_page page_compare = {
	.usage = "compare-isa [OPTIONS] A.json B.json\ncompare-isa [OPTIONS] ./APP ARGS...\n"
		 "compare-isa [OPTIONS] FILE.ptx --grid X --block X PARAMS...",
	.text = "Compares two instruction sets. A program, or a PTX file with a launch as for heddle run, is compiled for both "
		"machines (heddle ptxas) and runs twice; what follows it is its own. Or it reads the statistics of two runs (heddle run --stats) of the same kernel in two instruction sets and "
		"prints how often each opcode was executed, its share of the total, and what the second saves. The published "
		"totals are of the thesis's own builds and sizes of the programs: the saving compares, the counts do only "
		"where the runs are the same.",
	.opts = opts,
	.examples =
		"$ heddle run mm-sm10.sass ... --stats tesla.json\n$ heddle run mm-sm20.sass ... --stats fermi.json\n"
		"$ heddle compare-isa tesla.json fermi.json\n$ heddle compare-isa --class --svg picture.svg ./app 1000",
};

static struct count *row_of(struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].name, name))
			return &t->row[i];
	struct count *row = realloc(t->row, (t->n + 1) * sizeof *row);
	if (!row)
		return NULL;
	t->row = row;
	row[t->n] = (struct count){name, {0, 0}};
	return &row[t->n++];
}

static bool add_row(struct table *t, const char *name, unsigned which, int64_t n, bool by_class)
{
	const char *of = by_class ? "all" : name;
	struct count *c = row_of(t, of);
	if (c && c->name == name && !(c->name = strdup(name))) /* the caller's text does not stay */
		return false;
	if (!c)
		return false;
	c->n[which] += n;
	t->total[which] += n;
	return true;
}

/* All launches of one file; what is counted: "warp" or "thread". */
static bool add_up(struct table *t, const json_t *top, unsigned which, const char *what,
		   bool by_class)
{
	const json_t *list = json_object_get(top, "launches");
	bool any = false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name;
		json_t *v, *ops = json_object_get(json_array_get(list, i), "opcodes");
		json_object_foreach (ops, name, v) {
			const char *class = json_string_value(json_object_get(v, "class"));
			struct count *c = row_of(t, !by_class ? name : class ? class : "other");
			json_int_t n = json_integer_value(json_object_get(v, what));
			if (!c)
				return false;
			c->n[which] += n;
			t->total[which] += n;
			any = true;
		}
	}
	return any;
}

static int by_count(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	int64_t p = x->n[0] > x->n[1] ? x->n[0] : x->n[1],
		q = y->n[0] > y->n[1] ? y->n[0] : y->n[1];
	return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

static double share(json_int_t n, json_int_t of) { return of ? 100.0 * (double)n / (double)of : 0; }

static void print_table(struct table *t, const char *a, const char *b)
{
	qsort(t->row, t->n, sizeof *t->row, by_count);
	printf("%-12s %14s %7s %14s %7s %14s\n", "opcode", a, "share", b, "share", "saved");
	for (size_t i = 0; i < t->n; i++) {
		const struct count *c = &t->row[i];
		printf("%-12s %14lld %6.2f%% %14lld %6.2f%% %14lld\n", c->name, (long long)c->n[0],
		       share(c->n[0], t->total[0]), (long long)c->n[1], share(c->n[1], t->total[1]),
		       (long long)(c->n[0] - c->n[1]));
	}
	printf("%-12s %14lld %7s %14lld %7s %14lld  (%.1f %%)\n", "all", (long long)t->total[0], "",
	       (long long)t->total[1], "", (long long)(t->total[0] - t->total[1]),
	       share(t->total[0] - t->total[1], t->total[0]));
}

static bool draw(const struct table *t, const char *a, const char *b, const char *path)
{
	char *svg = compare_svg(t, a, b);
	struct cli_output o;
	bool ok = svg && cli_output_write("compare-isa", &o, path, svg, strlen(svg)) &&
		  cli_output_commit("compare-isa", &o);
	free(svg);
	return ok;
}

static const struct paper *paper_named(const char *name)
{
	for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
		if (!strcmp(papers[i].name, name))
			return &papers[i];
	cli_error("compare-isa", "--paper %s: expected MM, DWT, NN, pathfinder or b+tree", name);
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *s = strrchr(path, '/');
	return s ? s + 1 : path;
}

struct job {
	const char *file[2], *what, *svg, *csv, *json;
	char *code[2]; /* of runs of its own */
	char **words;
	int nwords;
	unsigned n;
	const struct paper *paper;
	bool by_class, count_static, help;
};

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n > k && !strcmp(s + n - k, end);
}

static bool take_program(struct job *j, const struct cli_walk *w)
{
	if (ends_in(w->arg[0], ".sass") || ends_in(w->arg[0], ".cubin")) {
		cli_error(
			"compare-isa",
			"%s: machine code of one machine; expected a program, PTX, or the statistics (.json) of "
			"two runs",
			w->arg[0]);
		return false;
	}
	j->words = w->argv + w->next - 1; /* the rest is its own */
	j->nwords = w->argc - w->next + 1;
	return true;
}

static bool parse_codes(struct job *j, char *list)
{
	char *comma = strchr(list, ',');
	if (!comma) {
		cli_error("compare-isa", "--codes %s: expected two codes with a comma between them",
			  list);
		return false;
	}
	*comma = 0;
	j->code[0] = list;
	j->code[1] = comma + 1;
	return true;
}

static bool parse(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_compare, argc, argv);
	for (int o; !j->words && (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_BAD: return false;
		case CLI_HELP: j->help = true; return true;
		case O_THREAD: j->what = "thread"; break;
		case O_CLASS: j->by_class = true; break;
		case O_STATIC: j->count_static = true; break;
		case O_SVG: j->svg = w.arg[0]; break;
		case O_CSV: j->csv = w.arg[0]; break;
		case O_JSON: j->json = w.arg[0]; break;
		case O_CODES:
			if (!parse_codes(j, w.arg[0]))
				return false;
			break;
		case O_PAPER:
			if (!(j->paper = paper_named(w.arg[0])))
				return false;
			break;
		default:
			if (!j->n && !ends_in(w.arg[0], ".json")) {
				if (!take_program(j, &w))
					return false;
			} else if (j->n++ < 2) {
				j->file[j->n - 1] = w.arg[0];
			}
		}
	}
	if (j->count_static && j->by_class) {
		cli_error("compare-isa", "--static counts by opcode, not by --class");
		return false;
	}
	if (!j->words && j->n != 2)
		cli_error("compare-isa", "two files of statistics, please, or a program to run");
	return j->words || j->n == 2;
}

static bool read_stats(struct job *j, struct table *t, json_t **top, unsigned i)
{
	json_error_t e;
	*top = json_load_file(j->file[i], 0, &e);
	if (!*top && e.line > 0)
		cli_error("compare-isa", "%s:%d: expected what `heddle run --stats` writes: %s",
			  j->file[i], e.line, e.text);
	else if (!*top)
		cli_error("compare-isa", "%s", e.text);
	else if (!add_up(t, *top, i, j->what, j->by_class))
		cli_error("compare-isa", "%s: no launches with counts by opcode", j->file[i]);
	else
		return true;
	return false;
}

static bool count(struct job *j, struct table *t, json_t **top, unsigned i)
{
	if (j->words && j->count_static)
		return compare_static(t, i, j->code[i], j->words[0], add_row, j->by_class);
	if (!j->words)
		return read_stats(j, t, top, i);
	char *stats = compare_run(j->code[i], j->words, j->nwords);
	j->file[i] = stats;
	bool ok = stats && read_stats(j, t, top, i);
	if (stats)
		unlink(stats);
	j->file[i] = j->code[i];
	free(stats);
	return ok;
}

static bool show(const struct job *j, struct table *t)
{
	const char *a = j->words ? j->code[0] : base_name(j->file[0]),
		   *b = j->words ? j->code[1] : base_name(j->file[1]);
	print_table(t, a, b);
	if (j->paper)
		printf("%-12s %14lld %7s %14lld %7s %14lld  (%.1f %%)\n", j->paper->name,
		       (long long)j->paper->tesla, "", (long long)j->paper->fermi, "",
		       (long long)(j->paper->tesla - j->paper->fermi),
		       share(j->paper->tesla - j->paper->fermi, j->paper->tesla));
	return (!j->svg || draw(t, a, b, j->svg)) && (!j->csv || compare_csv(t, a, b, j->csv)) &&
	       (!j->json || compare_json(t, a, b, j->json));
}

int cmd_compare(int argc, char **argv)
{
	char tesla[] = "tesla", fermi[] = "fermi";
	struct job j = {.what = "warp", .code = {tesla, fermi}};
	struct table t = {0};
	json_t *top[2] = {NULL, NULL};
	if (!parse(&j, argc, argv))
		return CLI_USAGE;
	if (j.help)
		return cmd_help(2, (char *[]){"help", "compare-isa", NULL});
	bool ok = count(&j, &t, &top[0], 0) && count(&j, &t, &top[1], 1) && show(&j, &t);
	free(t.row);
	json_decref(top[0]);
	json_decref(top[1]);
	return ok ? CLI_OK : CLI_FAILED;
}
