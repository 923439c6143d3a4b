/* heddle explore: writes the result store as one self-contained page, with its style, its script,
 * the drawing library and the data: columns (column.h), which the browser unpacks when they are
 * first shown, so that 100,000 runs open quickly, and the details of runs. */
#include <string.h>
#include "study/commands.h"
#include "study/report/column.h"
#include "study/report/meaning.h"
#include "study/store/query.h"

/* Parts of the page, from explore/ and the library's file, which the assembler embeds in this
 * program. */
#define ASSET(name, file)                                                                          \
	__asm__(".section .rodata\n.global asset_" #name "\nasset_" #name ":\n.incbin \"" file     \
		"\"\n.byte 0\n.previous\n");                                                       \
	extern const char asset_##name[]
ASSET(css, "src/study/explore/page.css");
ASSET(html, "src/study/explore/page.html");
ASSET(data, "src/study/explore/data.js");
ASSET(table, "src/study/explore/table.js");
ASSET(chart, "src/study/explore/chart.js");
ASSET(run, "src/study/explore/run.js");
ASSET(page, "src/study/explore/page.js");
ASSET(d3, D3_FILE);

enum { O_OUTPUT, O_FIGURES, O_WHERE, O_BY };
static const struct cli_option opts[] = {
	[O_OUTPUT] = {"-o", "FILE.html", "the page (default heddle-results.html)"},
	[O_FIGURES] =
		{"--figures", "LIST",
		 "only these statistics, separated by commas (default: those that vary, up to a useful number)"},
	[O_WHERE] = {"--where", "CONDITIONS", "only these runs, as for heddle results"},
	[O_BY] =
		{"--by", "run|kernel",
		 "a row per run (default), or per kernel of each run, with the kernel's statistics"},
	{NULL},
};
static const struct cli_page page_explore = {
	.usage = "explore [STORE] [OPTIONS]",
	.text = "Writes one page for a browser with all runs of a result store (default $HEDDLE_STORE, else heddle-results.db): a "
		"table with filters; bars, lines, scatter plots, heat maps and Pareto fronts of two or three statistics; a "
		"comparison of two runs (issue slots, energy, statistics, source lines); one run over time with its memory system. "
		"The page loads nothing from elsewhere. Each view has an address of its own and can be saved as SVG and CSV.",
	.opts = opts,
	.examples = "  $ heddle explore results.db -o results.html\n"
		    "  $ heddle explore results.db --by kernel -o kernels.html\n",
};

struct page_data {
	FILE *f;
	char *text;
	size_t n;
};

struct job {
	const char *store, *output, *figures, *where;
	bool by_kernel; /* a row per kernel of a run */
	struct db db;
	struct meanings meanings;
	FILE *f;
	struct page_data data
		[2]; /* [0]: columns that the table shows, written before the script; [1]: other columns */
	VEC(sqlite3_int64) id; /* ids of the rows: of runs or of kernels, rising */
	unsigned long columns, dropped;
};

/* ---- columns ---- */

static sqlite3_stmt *start_query(struct job *j, const char *sql)
{
	sqlite3_stmt *q = NULL;
	if (sqlite3_prepare_v2(j->db.sql, sql, -1, &q, NULL) != SQLITE_OK)
		snprintf(j->db.why, sizeof j->db.why, "%s: %s", j->store,
			 sqlite3_errmsg(j->db.sql));
	return q;
}

/* Reads the rows' numbers, which are not consecutive in a merged store. */
static bool read_ids(struct job *j)
{
	struct answer a;
	struct query q = {.columns = j->by_kernel ? "kernel.id,kernel" : "id",
			  .where = j->where,
			  .order = j->by_kernel ? "kernel.id" : "id"};
	if (!query_run(&j->db, &q, &a))
		return false;
	for (size_t i = 0; i < a.rows; i++)
		vec_push(&j->id, atoll(a.cell.v[i * a.name.n]));
	answer_free(&a);
	return true;
}

/* Fills a column from rows of (id, value), in the order of the ids. */
static bool fill_column(struct job *j, struct column *c, const char *sql, sqlite3_int64 name)
{
	sqlite3_stmt *q = start_query(j, sql);
	size_t at = 0;
	if (q && name)
		sqlite3_bind_int64(q, 1, name);
	while (q && sqlite3_step(q) == SQLITE_ROW) {
		sqlite3_int64 run = sqlite3_column_int64(q, 0);
		while (at < j->id.n && j->id.v[at] < run)
			at++;
		if (at == j->id.n || j->id.v[at] != run || sqlite3_column_type(q, 1) == SQLITE_NULL)
			continue;
		if (c->text)
			column_put_text(c, at, (const char *)sqlite3_column_text(q, 1));
		else
			c->number[at] = sqlite3_column_double(q, 1);
	}
	sqlite3_finalize(q);
	return q != NULL;
}

static void add_column(struct job *j, struct column *c)
{
	enum { SHOWN_FIRST = 28 };
	const struct meaning *m = meaning_of(&j->meanings, c->name);
	if (m) {
		c->unit = m->unit;
		c->help = m->help;
	}
	fputs(j->columns ? ",\n" : "\n", j->f);
	column_print(c, j->f);
	struct page_data *p = &j->data[j->columns >= SHOWN_FIRST];
	fprintf(p->f, "<script type=\"text/plain\" id=\"c%lu\">", j->columns++);
	column_print_data(c, p->f);
	fputs("</script>\n", p->f);
}

static bool run_columns(struct job *j)
{
	static const char *const names[][2] = {
		{"program", "t"}, {"machine", "t"}, {"size", "t"},       {"study", "t"},
		{"host", "t"},    {"kernel", "t"},  {"wall_seconds", ""}};
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
		struct column c;
		char sql[128];
		if (!strcmp(names[i][0], j->by_kernel ? "wall_seconds" : "kernel"))
			continue;
		snprintf(
			sql, sizeof sql,
			j->by_kernel
				? "SELECT k.id, %s FROM kernels k JOIN runs r ON r.id = k.run ORDER BY 1"
				: "SELECT id, %s FROM runs ORDER BY id",
			names[i][0]);
		column_init(&c, names[i][0], "run", *names[i][1], j->id.n);
		if ((ok = fill_column(j, &c, sql, 0)))
			add_column(j, &c);
		column_free(&c);
	}
	return ok;
}

/* Adds axes with more than one value over all runs and programs' arguments, except those that have
 * a column already. */
static bool axis_columns(struct job *j)
{
	bool ok = true;
	sqlite3_stmt *q = start_query(
		j,
		"SELECT n.id, n.name, max(a.value GLOB '*[^0-9.]*') FROM names n JOIN axes a ON a.name = n.id WHERE n.name NOT IN "
		"('program', 'machine', 'size') GROUP BY n.id");
	while (q && ok && sqlite3_step(q) == SQLITE_ROW) {
		struct column c;
		column_init(&c, (const char *)sqlite3_column_text(q, 1), "axis",
			    sqlite3_column_int(q, 2), j->id.n);
		ok = fill_column(
			j, &c,
			j->by_kernel
				? "SELECT k.id, a.value FROM axes a JOIN kernels k ON k.run = a.run WHERE a.name = ? ORDER BY 1"
				: "SELECT run, value FROM axes WHERE name = ? ORDER BY run",
			sqlite3_column_int64(q, 0));
		/* arguments are part of the program's command line: shown even if all are equal */
		if (ok && (column_varies(&c) || !strncmp(c.name, "arg.", 4)))
			add_column(j, &c);
		column_free(&c);
	}
	sqlite3_finalize(q);
	return q && ok;
}

static bool wanted(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, name, n) && (!p[n] || p[n] == ','))
			return true;
	return !list;
}

/* Adds figures that vary, most frequent first, as many as a browser can handle. */
static bool figure_columns(struct job *j)
{
	enum { CELLS = 6000000, LEAST = 12 };
	bool ok = true;
	size_t most = j->id.n ? CELLS
	/ j->id.n : CELLS
	, n = 0;
	most = most < LEAST ? LEAST : most;
	sqlite3_stmt *q = start_query(
		j,
		"SELECT id, name FROM names WHERE EXISTS(SELECT 1 FROM figures WHERE name = names.id) ORDER BY CASE WHEN name = 'cycles' "
		"THEN 0 WHEN name NOT LIKE '%.%' THEN 1 WHEN name LIKE 'energy.%.%' THEN 6 WHEN name LIKE 'energy.%' OR name LIKE 'area.%' OR "
		"name LIKE 'power.%' THEN 2 WHEN name LIKE 'issue.%' THEN 3 WHEN name LIKE 'l1_.accesses' OR name LIKE 'l1_.misses' OR name "
		"IN ('sm.mem_instructions', 'sm.transactions', 'sm.shared_accesses', 'icnt.request_flits', 'icnt.reply_flits', 'l2.accesses', "
		"'l2.misses', 'slice.read_bytes', 'slice.write_bytes', 'dram.reads', 'dram.writes', 'dram.row_hits') THEN 4 ELSE 5 END, name");
	while (q && ok && sqlite3_step(q) == SQLITE_ROW) {
		struct column c;
		const char *name = (const char *)sqlite3_column_text(q, 1);
		if (n >= most || !wanted(j->figures, name)) {
			j->dropped++;
			continue;
		}
		column_init(&c, name, "figure", false, j->id.n);
		ok = fill_column(
			j, &c,
			j->by_kernel
				? "SELECT kernel, value FROM kernel_figures WHERE name = ? ORDER BY kernel"
				: "SELECT run, value FROM figures WHERE name = ? ORDER BY run",
			sqlite3_column_int64(q, 0));
		if (ok && column_any(&c)) {
			add_column(j, &c);
			n++;
		}
		column_free(&c);
	}
	sqlite3_finalize(q);
	return q && ok;
}

/* ---- details ---- */

/* Prints lines and time series of each run as they are stored: a browser unpacks those it shows.
 * Rows of a run's kernels, after the first, have the number of the first row instead. */
static void print_details(struct job *j)
{
	enum { MOST_BYTES = 24 << 20 };
	sqlite3_stmt *q = NULL; /* stores of earlier versions have no details */
	size_t at = 0, bytes = 0, first = 0;
	sqlite3_int64 run = -1;
	sqlite3_prepare_v2(
		j->db.sql,
		j->by_kernel
			? "SELECT k.id, k.run, d.data FROM kernels k JOIN details d ON d.run = k.run ORDER BY 1"
			: "SELECT run, run, data FROM details ORDER BY run",
		-1, &q, NULL);
	fputs("<script type=\"application/json\" id=\"details\">{", j->f);
	for (bool any = false; q && sqlite3_step(q) == SQLITE_ROW;) {
		size_t n = (size_t)sqlite3_column_bytes(q, 2);
		while (at < j->id.n && j->id.v[at] < sqlite3_column_int64(q, 0))
			at++;
		if (at == j->id.n || j->id.v[at] != sqlite3_column_int64(q, 0))
			continue;
		if (run == sqlite3_column_int64(q, 1)) {
			fprintf(j->f, ",\n\"%zu\":%zu", at, first);
			continue;
		}
		if ((bytes += n) > MOST_BYTES)
			break;
		fprintf(j->f, "%s\n\"%zu\":\"", any ? "," : "", at);
		column_base64(j->f, sqlite3_column_blob(q, 2), n);
		fputc('"', j->f);
		run = sqlite3_column_int64(q, 1);
		first = at;
		any = true;
	}
	fputs("}</script>\n", j->f);
	sqlite3_finalize(q);
}

static bool write_page(struct job *j)
{
	if (!read_ids(j))
		return false;
	fprintf(j->f,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
		"content=\"width=device-width,initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>Heddle results</title>\n"
		"<style>\n%s</style></head>\n<body>\n%s<script>\n%s</script>\n<script type=\"application/json\" id=\"data\">{\"store\":",
		asset_css, asset_html, asset_d3);
	column_quote(j->f, j->store);
	fprintf(j->f, ",\"row\":\"%s\",\"runs\":%zu,\"columns\":[", j->by_kernel ? "kernel" : "run",
		j->id.n);
	for (unsigned i = 0; i < 2; i++)
		j->data[i].f = open_memstream(&j->data[i].text, &j->data[i].n);
	bool ok = j->data[0].f && j->data[1].f && run_columns(j) && axis_columns(j) &&
		  figure_columns(j);
	for (unsigned i = 0; i < 2; i++)
		if (j->data[i].f)
			fclose(j->data[i].f);
	fprintf(j->f,
		"],\"dropped\":%lu}</script>\n%s<script>\n(function () {\n'use strict';\n%s%s%s%s%s})();\n</script>\n%s",
		j->dropped, ok ? j->data[0].text : "", asset_data, asset_table, asset_chart,
		asset_run, asset_page, ok ? j->data[1].text : "");
	print_details(j);
	fputs("</body></html>\n", j->f);
	for (unsigned i = 0; i < 2; i++)
		free(j->data[i].text);
	return ok;
}

static int explore_store(struct job *j)
{
	char *text = NULL;
	size_t n = 0;
	struct cli_output o;
	if (!db_open(&j->db, j->store, false)) {
		cli_error("explore", "%s", j->db.why);
		return CLI_FAILED;
	}
	j->f = open_memstream(&text, &n);
	meanings_open(&j->meanings);
	bool ok = j->f && db_has_results(&j->db) && (!j->by_kernel || db_has_kernels(&j->db)) &&
		  write_page(j);
	if (j->f)
		fclose(j->f);
	meanings_close(&j->meanings);
	if (!ok)
		cli_error("explore", "%s", j->db.why);
	db_close(&j->db);
	ok = ok && cli_output_write("explore", &o, j->output, text, n) &&
	     cli_output_commit("explore", &o);
	if (ok)
		printf("%s: %zu %s, %.1f MB\n", j->output, j->id.n,
		       j->by_kernel ? "kernels of runs" : "runs", (double)n / 1e6);
	free(text);
	vec_free(&j->id);
	return ok ? CLI_OK : CLI_FAILED;
}

static int cmd_explore(int argc, char **argv)
{
	struct job j = {.store = db_default(), .output = "heddle-results.html"};
	struct cli_walk w;
	cli_walk_start(&w, &page_explore, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cli_help(&command_explore);
		if (o == O_BY) {
			j.by_kernel = !strcmp(w.arg[0], "kernel");
			if (j.by_kernel || !strcmp(w.arg[0], "run"))
				continue;
			cli_error("explore", "--by %s: expected run or kernel", w.arg[0]);
			return CLI_USAGE;
		}
		*(o == O_OUTPUT    ? &j.output
		  : o == O_FIGURES ? &j.figures
		  : o == O_WHERE   ? &j.where
				   : &j.store) = w.arg[0];
	}
	return explore_store(&j);
}

const struct cli_command command_explore = {
	"explore",
	cmd_explore,
	"make a page of the results to look at in a browser",
	&page_explore,
};
