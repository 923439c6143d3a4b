/* heddle compare-isa: dynamic instruction counts of two runs, opcode by opcode. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"

enum { O_THREAD };
static const struct cli_option opts[] = {
	[O_THREAD] = {"--thread", NULL, "count thread instructions instead of warp instructions"},
	{NULL},
};
const struct cli_page page_compare = {
	.usage = "compare-isa A.json B.json [--thread]",
	.text = "Reads the statistics of two runs (heddle run --stats) of the same kernel in two instruction sets and "
	        "prints how often each opcode was executed, its share of the total, and what the second saves.",
	.opts = opts,
	.examples = "$ heddle run mm-sm10.sass ... --stats tesla.json\n$ heddle run mm-sm20.sass ... --stats fermi.json\n"
	            "$ heddle compare-isa tesla.json fermi.json",
};

struct count {
	const char *name;
	json_int_t n[2];
};
struct table {
	struct count *row;
	size_t n;
	json_int_t total[2];
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
static bool add_up(struct table *t, const json_t *top, unsigned which, const char *what)
{
	const json_t *list = json_object_get(top, "launches");
	bool any = false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name;
		json_t *v, *ops = json_object_get(json_array_get(list, i), "opcodes");
		json_object_foreach(ops, name, v) {
			struct count *c = row_of(t, name);
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
	json_int_t p = x->n[0] > x->n[1] ? x->n[0] : x->n[1], q = y->n[0] > y->n[1] ? y->n[0] : y->n[1];
	return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

static double share(json_int_t n, json_int_t of) { return of ? 100.0 * (double)n / (double)of : 0; }

static void print_table(struct table *t, const char *a, const char *b)
{
	qsort(t->row, t->n, sizeof *t->row, by_count);
	printf("%-12s %14s %7s %14s %7s %14s\n", "opcode", a, "share", b, "share", "saved");
	for (size_t i = 0; i < t->n; i++) {
		const struct count *c = &t->row[i];
		printf("%-12s %14lld %6.2f%% %14lld %6.2f%% %14lld\n", c->name, (long long)c->n[0], share(c->n[0], t->total[0]),
		       (long long)c->n[1], share(c->n[1], t->total[1]), (long long)(c->n[0] - c->n[1]));
	}
	printf("%-12s %14lld %7s %14lld %7s %14lld  (%.1f %%)\n", "all", (long long)t->total[0], "", (long long)t->total[1], "",
	       (long long)(t->total[0] - t->total[1]), share(t->total[0] - t->total[1], t->total[0]));
}

static const char *base_name(const char *path)
{
	const char *s = strrchr(path, '/');
	return s ? s + 1 : path;
}

int cmd_compare(int argc, char **argv)
{
	struct cli_walk w;
	const char *file[2] = {NULL, NULL}, *what = "warp";
	unsigned n = 0;
	cli_walk_start(&w, &page_compare, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cmd_help(2, (char *[]){"help", "compare-isa", NULL});
		if (o == O_THREAD)
			what = "thread";
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
		if (!top[i])
			cli_error("compare-isa", "%s: %s", file[i], e.text);
		else if (!add_up(&t, top[i], i, what))
			cli_error("compare-isa", "%s: no launches with counts by opcode", file[i]);
		else
			continue;
		rc = CLI_FAILED;
	}
	if (rc == CLI_OK)
		print_table(&t, base_name(file[0]), base_name(file[1]));
	free(t.row);
	json_decref(top[0]);
	json_decref(top[1]);
	return rc;
}
