/* heddle results: queries the result store. store/query.h does the work. */
#include <string.h>
#include "study/commands.h"
#include "study/store/query.h"

enum {
	O_STORE,
	O_COLUMNS,
	O_WHERE,
	O_GROUP,
	O_PIVOT,
	O_VALUES,
	O_WITH,
	O_ORDER,
	O_LIMIT,
	O_FORMAT,
	O_FIELDS,
	O_FAILED,
	O_MERGE
};
static const struct cli_option opts[] = {
	[O_STORE] = {"--store", "FILE",
		     "the result store (default $HEDDLE_STORE, else heddle-results.db)"},
	[O_COLUMNS] =
		{"--columns", "LIST",
		 "fields to print, separated by commas (default: fields that vary, and cycles)"},
	[O_WHERE] = {"--where", "CONDITIONS",
		     "only runs with FIELD = VALUE, or != < <= > >=; joined by and"},
	[O_GROUP] = {"--group", "LIST", "one row for each combination of these fields"},
	[O_PIVOT] = {"--pivot", "FIELD", "with --group: a column for each value of this field"},
	[O_VALUES] = {"--values", "LIST", "with --group: fields to summarise (default cycles)"},
	[O_WITH] = {"--with", "mean|min|max|sum|count",
		    "with --group: how to summarise them (default mean)"},
	[O_ORDER] = {"--order", "FIELD", "sort by a field; -FIELD: in descending order"},
	[O_LIMIT] = {"--limit", "N", "print at most N rows"},
	[O_FORMAT] = {"--format", "table|csv|json", "output format (default table)"},
	[O_FIELDS] = {"--fields", NULL, "list the axes and figures that the store has"},
	[O_FAILED] = {"--failed", NULL, "list the runs without a result, and why"},
	[O_MERGE] = {"--merge", "OTHER", "add the runs that only the store OTHER has"},
	{NULL},
};
static const struct cli_page page_results = {
	.usage = "results [OPTIONS]",
	.text = "Prints the results of heddle sweep. A field is a column of the runs (program, machine, size, seed, "
		"repetition, study, wall_seconds, host, stored), an axis of a sweep (sm.scheduler), a statistic (cycles, "
		"sm.warp_instructions), any option of the runs' configurations, or kernel: one row per kernel of each run, with "
		"the kernel's statistics. A damaged store is refused and left unchanged.",
	.opts = opts,
	.examples =
		"  $ heddle results --where 'program = BFS and sm.max_warps >= 24' --order cycles\n"
		"  $ heddle results --group program --pivot sm.scheduler --values cycles\n"
		"  $ heddle results --merge other.db\n",
};

struct job {
	struct query q;
	const char *store, *merge;
	enum answer_format format;
	bool fields, failed, help;
};

static bool take_option(struct job *j, int o, const char *arg)
{
	static const char *const formats[] = {"table", "csv", "json"};
	uint64_t n;
	switch (o) {
	case O_STORE: j->store = arg; return true;
	case O_COLUMNS: j->q.columns = arg; return true;
	case O_WHERE: j->q.where = arg; return true;
	case O_GROUP: j->q.group = arg; return true;
	case O_PIVOT: j->q.pivot = arg; return true;
	case O_VALUES: j->q.values = arg; return true;
	case O_WITH: j->q.with = arg; return true;
	case O_ORDER: j->q.order = arg; return true;
	case O_FIELDS: j->fields = true; return true;
	case O_FAILED: j->failed = true; return true;
	case O_MERGE: j->merge = arg; return true;
	case O_LIMIT:
		if (!cli_u64(arg, &n) || n > 1000000000) {
			cli_error("results", "--limit %s: expected a number", arg);
			return false;
		}
		j->q.limit = (unsigned)n;
		return true;
	case O_FORMAT:
		for (unsigned i = 0; i < 3; i++)
			if (!strcmp(arg, formats[i])) {
				j->format = (enum answer_format)i;
				return true;
			}
		cli_error("results", "--format %s: expected table, csv or json", arg);
		return false;
	default:
		cli_error("results", "%s: expected an option; --store names the store", arg);
		return false;
	}
}

static bool read_options(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_results, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP) {
			j->help = true;
			return true;
		}
		if (o == CLI_BAD || !take_option(j, o, w.arg[0]))
			return false;
	}
	if ((j->q.pivot || j->q.values || j->q.with) && !j->q.group) {
		cli_error("results", "--pivot, --values and --with need --group");
		return false;
	}
	return true;
}

static bool failures(struct db *d, struct answer *a)
{
	sqlite3_stmt *q = NULL;
	*a = (struct answer){.rows = 0};
	static const char *const names[] = {"run", "tries", "why"};
	for (size_t i = 0; i < 3; i++)
		vec_push(&a->name, xstrdup(names[i]));
	sqlite3_prepare_v2(d->sql, "SELECT title, tries, why FROM failures ORDER BY title", -1, &q,
			   NULL);
	for (; sqlite3_step(q) == SQLITE_ROW; a->rows++)
		for (int i = 0; i < 3; i++)
			vec_push(&a->cell, xstrdup((const char *)sqlite3_column_text(q, i)));
	sqlite3_finalize(q);
	return true;
}

static int run_query(struct job *j, struct db *d)
{
	struct answer a;
	if (j->merge) {
		long n = db_merge(d, j->merge);
		if (n < 0)
			return CLI_FAILED;
		printf("%ld runs of %s\n", n, j->merge);
		return CLI_OK;
	}
	if (!j->fields && !j->failed && !db_has_results(d))
		return CLI_FAILED;
	bool ok = j->fields   ? query_names(d, &a)
		  : j->failed ? failures(d, &a)
			      : query_run(d, &j->q, &a);
	if (!ok)
		return CLI_USAGE;
	answer_print(&a, j->format, stdout);
	answer_free(&a);
	return CLI_OK;
}

static int cmd_results(int argc, char **argv)
{
	struct job j = {.store = db_default()};
	struct db d;
	if (!read_options(&j, argc, argv))
		return CLI_USAGE;
	if (j.help)
		return cli_help(&command_results);
	int rc = CLI_FAILED;
	if (db_open(&d, j.store, j.merge != NULL)) {
		rc = run_query(&j, &d);
		db_close(&d);
	}
	if (rc)
		cli_error("results", "%s", d.why);
	return rc;
}

const struct cli_command command_results = {
	"results",
	cmd_results,
	"ask the store of results",
	&page_results,
};
