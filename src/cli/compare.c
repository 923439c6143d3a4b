/* heddle compare-isa: dynamic instruction counts of two runs, opcode by opcode. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/compare.h"

enum { O_THREAD, O_CLASS, O_SVG, O_PAPER };
static const struct cli_option opts[] = {
	[O_THREAD] = {"--thread", NULL, "count thread instructions instead of warp instructions"},
	[O_CLASS] = {"--class", NULL,
		     "count by class (add, load, control ...) instead of by opcode"},
	[O_SVG] = {"--svg", "FILE",
		   "also draw the comparison: counts and shares, a pair of bars for each row"},
	[O_PAPER] =
		{"--paper", "KERNEL",
		 "also print the published totals of Tesla and Fermi code: MM, DWT, NN, pathfinder or b+tree"},
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
	.usage = "compare-isa A.json B.json [--thread] [--class] [--svg FILE] [--paper KERNEL]",
	.text = "Reads the statistics of two runs (heddle run --stats) of the same kernel in two instruction sets and "
		"prints how often each opcode was executed, its share of the total, and what the second saves. The published "
		"totals are of the thesis's own builds and sizes of the programs: the saving compares, the counts do only "
		"where the runs are the same.",
	.opts = opts,
	.examples =
		"$ heddle run mm-sm10.sass ... --stats tesla.json\n$ heddle run mm-sm20.sass ... --stats fermi.json\n"
		"$ heddle compare-isa tesla.json fermi.json",
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

int cmd_compare(int argc, char **argv)
{
	struct cli_walk w;
	const char *file[2] = {NULL, NULL}, *what = "warp", *svg = NULL;
	const struct paper *paper = NULL;
	bool by_class = false;
	unsigned n = 0;
	cli_walk_start(&w, &page_compare, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cmd_help(2, (char *[]){"help", "compare-isa", NULL});
		if (o == O_THREAD)
			what = "thread";
		else if (o == O_CLASS)
			by_class = true;
		else if (o == O_SVG)
			svg = w.arg[0];
		else if (o == O_PAPER && !(paper = paper_named(w.arg[0])))
			return CLI_USAGE;
		else if (o == O_PAPER)
			continue;
		else if (n++ < 2)
			file[n - 1] = w.arg[0];
	}
	if (n != 2) {
		cli_error("compare-isa", "two files of statistics, please");
		return CLI_USAGE;
	}
	json_t *top[2] = {NULL, NULL};
	struct table t = {0};
	int rc = CLI_OK;
	for (unsigned i = 0; i < 2 && rc == CLI_OK; i++) {
		json_error_t e;
		top[i] = json_load_file(file[i], 0, &e);
		if (!top[i] && e.line > 0)
			cli_error("compare-isa",
				  "%s:%d: expected what `heddle run --stats` writes: %s", file[i],
				  e.line, e.text);
		else if (!top[i])
			cli_error("compare-isa", "%s", e.text);
		else if (!add_up(&t, top[i], i, what, by_class))
			cli_error("compare-isa", "%s: no launches with counts by opcode", file[i]);
		else
			continue;
		rc = CLI_FAILED;
	}
	if (rc == CLI_OK)
		print_table(&t, base_name(file[0]), base_name(file[1]));
	if (rc == CLI_OK && paper)
		printf("%-12s %14lld %7s %14lld %7s %14lld  (%.1f %%)\n", paper->name,
		       (long long)paper->tesla, "", (long long)paper->fermi, "",
		       (long long)(paper->tesla - paper->fermi),
		       share(paper->tesla - paper->fermi, paper->tesla));
	if (rc == CLI_OK && svg && !draw(&t, base_name(file[0]), base_name(file[1]), svg))
		rc = CLI_FAILED;
	free(t.row);
	json_decref(top[0]);
	json_decref(top[1]);
	return rc;
}
