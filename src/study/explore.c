/* heddle explore: the store as one page that needs nothing else.
 *
 * The page has its style, its program, the drawing library and the data inside. Data are columns: a text column has its
 * words once and an index a run, so that 100,000 runs stay small. */
#include <string.h>
#include "cli/cli.h"
#include "study/query.h"

/* The parts of the page, from explore/ and the library's file, put into this program by the assembler. */
#define ASSET(name, file)                                                                          \
	__asm__(".section .rodata\n.global asset_" #name "\nasset_" #name ":\n.incbin \"" file     \
		"\"\n.byte 0\n.previous\n");                                                       \
	extern const char asset_##name[]
ASSET(css, "src/study/explore/page.css");
ASSET(html, "src/study/explore/page.html");
ASSET(app, "src/study/explore/app.js");
ASSET(d3, D3_FILE);

enum { O_OUTPUT, O_FIGURES };
static const struct cli_option opts[] = {
	[O_OUTPUT] = {"-o", "FILE.html", "the page (default heddle-results.html)"},
	[O_FIGURES] =
		{"--figures", "LIST",
		 "only these figures, separated by commas (default: all that vary, as many as are useful)"},
	{NULL},
};
const struct cli_page page_explore = {
	.usage = "explore [STORE] [OPTIONS]",
	.text = "Writes one page with all runs of a result store (default $HEDDLE_STORE, else heddle-results.db) to look at in a "
		"browser: a table with filters, bars, lines, scatter, heat maps and Pareto fronts of any figures, two runs compared, one "
		"run with its memory system. Nothing is loaded from elsewhere; the address of a view leads back to it; what is "
		"shown can be saved as SVG and CSV.",
	.opts = opts,
	.examples = "  $ heddle explore results.db -o results.html\n",
};

struct job {
	const char *store, *output, *figures;
	bool help;
	struct db db;
	FILE *f;
	unsigned long runs, dropped;
};

/* Text in a page's script: "</script>" must not end it. */
static void quoted(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 32 || c == '<')
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

/* One column; `sql` gives a value a run in the order of their numbers. */
static bool column(struct job *j, const char *name, const char *kind, const char *sql, bool text)
{
	sqlite3_stmt *q = NULL;
	VEC(char *) words = {0};
	if (sqlite3_prepare_v2(j->db.sql, sql, -1, &q, NULL) != SQLITE_OK) {
		snprintf(j->db.why, sizeof j->db.why, "%s", sqlite3_errmsg(j->db.sql));
		return false;
	}
	fputs(",\n{\"name\":", j->f);
	quoted(j->f, name);
	fprintf(j->f, ",\"kind\":\"%s\",\"values\":[", kind);
	for (unsigned long n = 0; sqlite3_step(q) == SQLITE_ROW; n++) {
		const char *s = (const char *)sqlite3_column_text(q, 0);
		fputs(n ? "," : "", j->f);
		if (!s) {
			fputs("null", j->f);
		} else if (!text) {
			fprintf(j->f, "%.10g", sqlite3_column_double(q, 0));
		} else {
			size_t w = 0;
			while (w < words.n && strcmp(words.v[w], s))
				w++;
			if (w == words.n)
				vec_push(&words, xstrdup(s));
			fprintf(j->f, "%zu", w);
		}
	}
	fputc(']', j->f);
	for (size_t w = 0; text && w < words.n; w++) {
		fputs(w ? "," : ",\"words\":[", j->f);
		quoted(j->f, words.v[w]);
		free(words.v[w]);
	}
	fputs(text && words.n ? "]}" : text ? ",\"words\":[]}" : "}", j->f);
	vec_free(&words);
	sqlite3_finalize(q);
	return true;
}

static bool run_columns(struct job *j)
{
	static const char *const names[][2] = {{"program", "t"}, {"machine", "t"},
					       {"size", "t"},    {"study", "t"},
					       {"host", "t"},    {"wall_seconds", ""}};
	char sql[128];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(sql, sizeof sql, "SELECT %s FROM runs ORDER BY id", names[i][0]);
		if (!column(j, names[i][0], "run", sql, *names[i][1]))
			return false;
	}
	return true;
}

/* Axes that all runs together give more than one value, but those that are columns already. */
static bool axis_columns(struct job *j)
{
	sqlite3_stmt *q = NULL;
	bool ok = true;
	sqlite3_prepare_v2(
		j->db.sql,
		"SELECT n.id, n.name, min(a.value GLOB '*[^0-9.]*') = 0 AND max(a.value GLOB '*[^0-9.]*') = 0 FROM names n JOIN axes a "
		"ON a.name = n.id WHERE n.name NOT IN ('program', 'machine', 'size') GROUP BY n.id HAVING count(DISTINCT a.value) > 1",
		-1, &q, NULL);
	while (ok && sqlite3_step(q) == SQLITE_ROW) {
		char *sql = sqlite3_mprintf(
			"SELECT (SELECT value FROM axes WHERE name = %lld AND run = r.id) FROM runs r ORDER BY r.id",
			sqlite3_column_int64(q, 0));
		ok = column(j, (const char *)sqlite3_column_text(q, 1), "axis", sql,
			    !sqlite3_column_int(q, 2));
		sqlite3_free(sql);
	}
	sqlite3_finalize(q);
	return ok;
}

static bool wanted(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, name, n) && (!p[n] || p[n] == ','))
			return true;
	return !list;
}

/* Figures that vary, the most asked for first, as many as a browser takes at once. */
static bool figure_columns(struct job *j)
{
	enum { CELLS = 2500000, LEAST = 12 };
	sqlite3_stmt *q = NULL;
	bool ok = true;
	unsigned long most = j->runs ? CELLS
	/ j->runs : CELLS
	, n = 0;
	most = most < LEAST ? LEAST : most;
	sqlite3_prepare_v2(
		j->db.sql,
		"SELECT n.id, n.name FROM names n JOIN figures f ON f.name = n.id GROUP BY n.id HAVING min(f.value) < max(f.value) OR "
		"n.name = 'cycles' ORDER BY CASE WHEN n.name = 'cycles' THEN 0 WHEN n.name NOT LIKE '%.%' THEN 1 WHEN n.name LIKE "
		"'energy.%' OR n.name LIKE 'area.%' OR n.name LIKE 'power.%' THEN 2 WHEN n.name LIKE 'issue.%' THEN 3 WHEN n.name IN "
		"('sm.mem_instructions', 'l1d.accesses', 'l1d.misses', 'icnt.packets', 'l2.accesses', 'l2.misses', 'dram.reads') THEN 4 ELSE 5 "
		"END, n.name",
		-1, &q, NULL);
	while (ok && sqlite3_step(q) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(q, 1);
		if (!wanted(j->figures, name) || n++ >= most) {
			j->dropped++;
			continue;
		}
		char *sql = sqlite3_mprintf(
			"SELECT (SELECT value FROM figures WHERE name = %lld AND run = r.id) FROM runs r ORDER BY r.id",
			sqlite3_column_int64(q, 0));
		ok = column(j, name, "figure", sql, false);
		sqlite3_free(sql);
	}
	sqlite3_finalize(q);
	return ok;
}

static bool write_page(struct job *j)
{
	sqlite3_stmt *q = NULL;
	sqlite3_prepare_v2(j->db.sql, "SELECT count(*) FROM runs", -1, &q, NULL);
	if (sqlite3_step(q) == SQLITE_ROW)
		j->runs = (unsigned long)sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	fprintf(j->f,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
		"content=\"width=device-width,initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>Heddle results</title>\n"
		"<style>\n%s</style></head>\n<body>\n%s<script>\n%s</script>\n<script type=\"application/json\" id=\"data\">{\"store\":",
		asset_css, asset_html, asset_d3);
	quoted(j->f, j->store);
	fprintf(j->f, ",\"runs\":%lu,\"columns\":[", j->runs);
	/* The numbers of the runs in the page come first: a column like others, so that each ends alike. */
	fputs("{\"name\":\"run\",\"kind\":\"run\",\"values\":[", j->f);
	for (unsigned long i = 0; i < j->runs; i++)
		fprintf(j->f, "%s%lu", i ? "," : "", i);
	fputs("]}", j->f);
	bool ok = run_columns(j) && axis_columns(j) && figure_columns(j);
	fprintf(j->f, "],\"dropped\":%lu}</script>\n<script>\n%s</script></body></html>\n",
		j->dropped, asset_app);
	return ok;
}

static int work(struct job *j)
{
	char *text = NULL;
	size_t n = 0;
	struct cli_output o;
	if (!db_open(&j->db, j->store, false)) {
		cli_error("explore", "%s", j->db.why);
		return CLI_FAILED;
	}
	j->f = open_memstream(&text, &n);
	bool ok = j->f && write_page(j);
	if (j->f)
		fclose(j->f);
	if (!ok)
		cli_error("explore", "%s", j->db.why);
	db_close(&j->db);
	ok = ok && cli_output_write("explore", &o, j->output, text, n) &&
	     cli_output_commit("explore", &o);
	if (ok)
		printf("%s: %lu runs, %.1f MB\n", j->output, j->runs, (double)n / 1e6);
	free(text);
	return ok ? CLI_OK : CLI_FAILED;
}

int cmd_explore(int argc, char **argv)
{
	struct job j = {.store = db_default(), .output = "heddle-results.html"};
	struct cli_walk w;
	cli_walk_start(&w, &page_explore, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cmd_help(2, (char *[]){"help", "explore", NULL});
		*(o == O_OUTPUT ? &j.output : o == O_FIGURES ? &j.figures : &j.store) = w.arg[0];
	}
	return work(&j);
}
