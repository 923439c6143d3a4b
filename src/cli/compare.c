/* heddle compare-isa: compares the instructions of two runs, as executed and in the code, by
 * opcode, class or line. compare.h lists the parts. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/commands.h"
#include "cli/compare.h"
#include "heddle.h"

enum { O_THREAD, O_CLASS, O_LINE, O_SVG, O_PAPER, O_CODES, O_STATIC, O_CSV, O_JSON };
static const struct cli_option opts[] = {
	[O_THREAD] = {"--thread", NULL, "count thread instructions instead of warp instructions"},
	[O_CLASS] = {"--class", NULL,
		     "count by class (add, load, control ...) instead of by opcode"},
	[O_LINE] = {"--line", NULL,
		    "count by line of the source, or of the PTX if the PTX names no source"},
	[O_SVG] =
		{"--svg", "FILE",
		 "also draw the comparison: executed, shares and code, a pair of bars for each row; by line, bars made of classes"},
	[O_PAPER] =
		{"--paper", "KERNEL",
		 "also print the published totals of Tesla and Fermi code: MM, DWT, NN, pathfinder or b+tree"},
	[O_CODES] = {"--codes", "A,B",
		     "with a program or a PTX file: the codes to compare (default tesla,fermi)"},
	[O_STATIC] =
		{"--static", NULL,
		 "count the instructions of the code instead of the executed ones; a PTX file is then "
		 "not run"},
	[O_CSV] =
		{"--csv", "FILE",
		 "also write the table as CSV: executed instructions, and instructions of the code"},
	[O_JSON] =
		{"--json", "FILE",
		 "also write the table as JSON: executed instructions, and instructions of the code; by "
		 "line, with classes"},
	{NULL},
};
/* Kothiya 2014, tables 7 to 16: dynamic instructions of one kernel in both machine codes. */
static const struct paper {
	const char *name;
	json_int_t tesla, fermi;
} papers[] = {
	{"MM", 19456, 17152},           {"DWT", 270248, 229312},          {"NN", 367920, 196180},
	{"pathfinder", 916460, 538600}, {"b+tree", 289028114, 236755316},
};
static const struct cli_page page_compare = {
	.usage = "compare-isa [OPTIONS] A.json B.json\ncompare-isa [OPTIONS] ./APP ARGS...\n"
		 "compare-isa [OPTIONS] FILE.ptx --grid X --block X PARAMS...",
	.text = "Compares two instruction sets. Given a program, or a PTX file with a launch as for "
		"heddle run, compiles it for both machines (heddle ptxas) and runs it twice; the words "
		"after it are its arguments. Given the statistics of two runs (heddle run --stats) of "
		"one kernel in two instruction sets, prints how often each opcode was executed, its "
		"share of the total, and how many instructions the second set saves. By line it prints "
		"the executed instructions of each source line and the instructions that the line is "
		"compiled to. The published totals are of the thesis's own builds and input sizes: the "
		"saving can be compared, the counts only for equal runs.",
	.opts = opts,
	.examples =
		"$ heddle run mm-sm10.sass ... --stats tesla.json\n$ heddle run mm-sm20.sass ... --stats fermi.json\n"
		"$ heddle compare-isa tesla.json fermi.json\n$ heddle compare-isa --class --svg picture.svg ./app 1000\n"
		"$ heddle compare-isa --line --svg lines.svg --json lines.json ./app 1000",
};

/* Adds all launches of one file; what: the counted items, "warp" or "thread". */
static bool add_launches(struct table *t, const json_t *top, unsigned which, const char *what)
{
	const json_t *list = json_object_get(top, "launches");
	bool any = false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name;
		json_t *v, *ops = json_object_get(json_array_get(list, i), "opcodes");
		json_object_foreach (ops, name, v) {
			struct kind k = {.opcode = name,
					 .class = json_string_value(json_object_get(v, "class")),
					 .n = json_integer_value(json_object_get(v, what))};
			any = true;
			if (!compare_add(t, which, &k))
				return false;
		}
	}
	return any;
}

/* Adds the kernels' code, once per kernel, and the number of executions of its lines. */
static bool add_code(struct table *t, const json_t *top, unsigned which, const char *what)
{
	const json_t *list = json_object_get(top, "profile");
	json_t *seen = json_object(), *code, *v;
	bool any = false, ok = seen != NULL;
	for (size_t i = 0; ok && i < json_array_size(list); i++) {
		const json_t *kernel = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(kernel, "kernel"));
		bool again = name && json_object_get(seen, name);
		size_t k;
		code = json_object_get(kernel, "code");
		json_array_foreach (code, k, v) {
			struct kind add = {
				.opcode = json_string_value(json_object_get(v, "opcode")),
				.class = json_string_value(json_object_get(v, "class")),
				.file = json_string_value(json_object_get(v, "file")),
				.line = (unsigned)json_integer_value(json_object_get(v, "line")),
				.n = t->by == BY_LINE ? json_integer_value(json_object_get(v, what))
						      : 0,
				.code = again ? 0
					      : json_integer_value(json_object_get(v, "count"))};
			any = t->has_code = true;
			ok = ok && add.opcode && compare_add(t, which, &add);
		}
		if (name)
			json_object_set_new(seen, name, json_true());
	}
	json_decref(seen);
	return ok && (any || t->by != BY_LINE);
}

static double share(json_int_t n, json_int_t of) { return of ? 100.0 * (double)n / (double)of : 0; }

static void print_table(const struct table *t, const char *a, const char *b)
{
	const int64_t *all = compare_total(t);
	printf("%-12s %14s %7s %14s %7s %14s\n", "opcode", a, "share", b, "share", "saved");
	for (size_t i = 0; i < t->n; i++) {
		const int64_t *n = compare_of(t, &t->row[i]);
		if (n[0] || n[1])
			printf("%-12s %14lld %6.2f%% %14lld %6.2f%% %14lld\n", t->row[i].name,
			       (long long)n[0], share(n[0], all[0]), (long long)n[1],
			       share(n[1], all[1]), (long long)(n[0] - n[1]));
	}
	printf("%-12s %14lld %7s %14lld %7s %14lld  (%.1f %%)\n", "all", (long long)all[0], "",
	       (long long)all[1], "", (long long)(all[0] - all[1]), share(all[0] - all[1], all[0]));
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
	/* machine code of the two runs that this command starts; NULL: given files */
	char *code[2];
	char **words;
	int nwords;
	unsigned n;
	const struct paper *paper;
	enum compare_by by;
	bool count_static, help;
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
	j->words = w->argv + w->next - 1; /* the remaining words belong to the program */
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

static bool read_options(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_compare, argc, argv);
	for (int o; !j->words && (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_BAD: return false;
		case CLI_HELP: j->help = true; return true;
		case O_THREAD: j->what = "thread"; break;
		case O_CLASS: j->by = BY_CLASS; break;
		case O_LINE: j->by = BY_LINE; break;
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
	if (!j->words && j->n != 2)
		cli_error("compare-isa", "expected two files of statistics, or a program to run");
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
	else if (t->by != BY_LINE && !add_launches(t, *top, i, j->what))
		cli_error("compare-isa", "%s: no launches with counts by opcode", j->file[i]);
	else if (!add_code(t, *top, i, j->what))
		cli_error("compare-isa", "%s: no counts by line", j->file[i]);
	else
		return true;
	return false;
}

static bool count_runs(struct job *j, struct table *t, json_t **top, unsigned i)
{
	if (j->words && j->count_static && ends_in(j->words[0], ".ptx"))
		return compare_static(t, i, j->code[i], j->words[0]);
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

static bool show_tables(const struct job *j, struct table *t)
{
	const char *a = j->words ? j->code[0] : base_name(j->file[0]),
		   *b = j->words ? j->code[1] : base_name(j->file[1]);
	compare_sort(t);
	if (t->by == BY_LINE)
		compare_lines_print(t, a, b);
	else
		print_table(t, a, b);
	if (j->paper)
		printf("%-12s %14lld %7s %14lld %7s %14lld  (%.1f %%)\n", j->paper->name,
		       (long long)j->paper->tesla, "", (long long)j->paper->fermi, "",
		       (long long)(j->paper->tesla - j->paper->fermi),
		       share(j->paper->tesla - j->paper->fermi, j->paper->tesla));
	return (!j->svg || compare_write(j->svg, t->by == BY_LINE ? compare_lines_svg(t, a, b)
								  : compare_svg(t, a, b))) &&
	       (!j->csv || compare_csv(t, a, b, j->csv)) &&
	       (!j->json || compare_json(t, a, b, j->json));
}

static int cmd_compare(int argc, char **argv)
{
	char tesla[] = "tesla", fermi[] = "fermi";
	struct job j = {.what = "warp", .code = {tesla, fermi}};
	json_t *top[2] = {NULL, NULL};
	if (!read_options(&j, argc, argv))
		return CLI_USAGE;
	if (j.help)
		return cli_help(&command_compare);
	struct table t = {.by = j.by, .by_code = j.count_static};
	bool ok = count_runs(&j, &t, &top[0], 0) && count_runs(&j, &t, &top[1], 1) &&
		  show_tables(&j, &t);
	compare_free(&t);
	json_decref(top[0]);
	json_decref(top[1]);
	return ok ? CLI_OK : CLI_FAILED;
}

const struct cli_command command_compare = {
	"compare-isa",
	cmd_compare,
	"compare instruction counts of two runs",
	&page_compare,
};
