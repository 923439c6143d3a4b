/* Translates fields to SQL and rows to a table. query.h describes queries. */
#include "study/store/query.h"
#include <ctype.h>
#include <string.h>
#include "base/arena.h"

static const char columns[] =
	" id key study program machine size seed repetition heddle simulator wall_seconds cpu_seconds host stored ";

struct asking {
	struct db *d;
	struct arena arena;
	unsigned configs; /* number of temporary tables made */
	bool by_kernel;   /* a row per kernel of a run; its figures are the kernel's */
};

static bool report_error(struct asking *k, const char *fmt, const char *what)
{
	char text[400];
	snprintf(text, sizeof text, fmt, what);
	snprintf(k->d->why, sizeof k->d->why, "%s", text);
	return false;
}

/* ---- fields ---- */

static sqlite3_int64 lookup_name(struct asking *k, const char *sql, const char *name)
{
	sqlite3_stmt *q = NULL;
	sqlite3_int64 id = 0;
	if (sqlite3_prepare_v2(k->d->sql, sql, -1, &q, NULL) == SQLITE_OK) {
		sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
		if (sqlite3_step(q) == SQLITE_ROW)
			id = sqlite3_column_int64(q, 0);
	}
	sqlite3_finalize(q);
	return id;
}

/* The SQL function setting(TEXT, "sm.max_warps"): the value of an option in a configuration's text,
 * "[sm]\nmax_warps = 48\n". */
static void setting_of(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *text = (const char *)sqlite3_value_text(v[0]),
		   *key = (const char *)sqlite3_value_text(v[1]);
	const char *dot = key ? strchr(key, '.') : NULL;
	bool inside = false;
	(void)n;
	for (const char *line = text; dot && line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : "") {
		size_t part = (size_t)(dot - key), name = strlen(dot + 1);
		if (*line == '[')
			inside = !strncmp(line + 1, key, part) && line[part + 1] == ']';
		if (!inside || strncmp(line, dot + 1, name) || strncmp(line + name, " = ", 3))
			continue;
		sqlite3_result_text(c, line + name + 3, (int)strcspn(line + name + 3, "\n"),
				    SQLITE_TRANSIENT);
		return;
	}
	sqlite3_result_null(c);
}

/* Makes a temporary table with an option's value in each configuration. NULL: no configuration has
 * the option. */
static const char *from_config(struct asking *k, const char *name)
{
	char *make = sqlite3_mprintf(
		"CREATE TEMP TABLE config_%u AS SELECT id, setting(text, %Q) AS value FROM configs",
		k->configs, name);
	char *any = sqlite3_mprintf("SELECT count(*) FROM temp.config_%u WHERE value IS NOT NULL",
				    k->configs);
	bool ok = sqlite3_exec(k->d->sql, make, NULL, NULL, NULL) == SQLITE_OK &&
		  lookup_name(k, any, "") > 0;
	sqlite3_free(make);
	sqlite3_free(any);
	unsigned n = k->configs++;
	return ok ? arena_printf(&k->arena,
				 "(SELECT value FROM temp.config_%u t WHERE t.id = r.config)", n)
		  : NULL;
}

/* Returns the SQL for a field; NULL: unknown. */
static const char *field_sql(struct asking *k, const char *name)
{
	char word[128];
	snprintf(word, sizeof word, " %.120s ", name);
	if (strstr(columns, word))
		return arena_printf(&k->arena, "r.%s", name);
	if (!strcmp(name, "kernel"))
		return "k.kernel";
	if (!strcmp(name, "kernel.id") && k->by_kernel)
		return "k.id";
	sqlite3_int64 id = lookup_name(k, "SELECT id FROM names WHERE name = ?", name);
	if (id &&
	    lookup_name(
		    k,
		    "SELECT count(*) FROM (SELECT 1 FROM axes a JOIN names n ON n.id = a.name WHERE n.name = ? LIMIT 1)",
		    name))
		return arena_printf(&k->arena,
				    "(SELECT value FROM axes WHERE name = %lld AND run = r.id)",
				    (long long)id);
	if (id && k->by_kernel)
		return arena_printf(
			&k->arena,
			"(SELECT value FROM kernel_figures WHERE name = %lld AND kernel = k.id)",
			(long long)id);
	if (id)
		return arena_printf(&k->arena,
				    "(SELECT value FROM figures WHERE name = %lld AND run = r.id)",
				    (long long)id);
	const char *sql = strchr(name, '.') ? from_config(k, name) : NULL;
	if (!sql)
		report_error(
			k,
			"%s is not a field: not a column of runs, an axis, a statistic or an option; --fields lists them",
			name);
	return sql;
}

static char *word(struct asking *k, const char **list)
{
	*list += strspn(*list, ", ");
	size_t n = strcspn(*list, ", ");
	char *w = n ? arena_strndup(&k->arena, *list, n) : NULL;
	*list += n;
	return w;
}

/* ---- conditions ---- */

static char *trim_blanks(struct arena *a, const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return arena_strndup(a, s, n);
}

/* Returns the first sign of a condition and its place in the text; NULL: it has none. */
static const char *find_sign(const char *text, const char **at)
{
	static const char *const signs[] = {"<=", ">=", "!=", "<", ">", "="};
	for (size_t i = 0; i < 6; i++)
		if ((*at = strstr(text, signs[i])))
			return signs[i];
	return NULL;
}

static const char *condition_of(struct asking *k, const char *text)
{
	const char *at, *sign = find_sign(text, &at);
	if (!sign) {
		report_error(k, "%s: expected FIELD = VALUE (or != < <= > >=), joined by and",
			     text);
		return NULL;
	}
	const char *f = field_sql(k, trim_blanks(&k->arena, text, (size_t)(at - text)));
	char *v = trim_blanks(&k->arena, at + strlen(sign), strlen(at + strlen(sign))), *end;
	strtod(v, &end);
	if (!f)
		return NULL;
	if (*v && !*end) /* axes are texts */
		return arena_printf(&k->arena, "CAST(%s AS REAL) %s %s", f, sign, v);
	char *quoted = sqlite3_mprintf("%s %s %Q", f, sign, v);
	const char *sql = arena_strdup(&k->arena, quoted);
	sqlite3_free(quoted);
	return sql;
}

static const char *where(struct asking *k, const char *text)
{
	const char *sql = "";
	for (const char *p = text ? text : ""; *p;) {
		const char *and_ = strstr(p, " and ");
		size_t n = and_ ? (size_t)(and_ - p) : strlen(p);
		const char *c = condition_of(k, trim_blanks(&k->arena, p, n));
		if (!c)
			return NULL;
		sql = arena_printf(&k->arena, "%s %s %s", sql, *sql ? "AND" : "WHERE", c);
		p += n + (and_ ? 5 : 0);
	}
	return sql;
}

/* ---- answers ---- */

void answer_free(struct answer *a)
{
	for (size_t i = 0; i < a->name.n; i++)
		free(a->name.v[i]);
	for (size_t i = 0; i < a->cell.n; i++)
		free(a->cell.v[i]);
	vec_free(&a->name);
	vec_free(&a->cell);
	a->rows = 0;
}

static bool collect_rows(struct asking *k, const char *sql, struct answer *a)
{
	sqlite3_stmt *q = NULL;
	int rc = sqlite3_prepare_v2(k->d->sql, sql, -1, &q, NULL);
	if (rc != SQLITE_OK)
		return report_error(k, "%s", sqlite3_errmsg(k->d->sql));
	int n = sqlite3_column_count(q);
	for (int i = 0; i < n; i++)
		vec_push(&a->name, xstrdup(sqlite3_column_name(q, i)));
	while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++) {
			const char *s = (const char *)sqlite3_column_text(q, i);
			char number[40];
			if (sqlite3_column_type(q, i) == SQLITE_FLOAT) {
				snprintf(number, sizeof number, "%.12g",
					 sqlite3_column_double(q, i));
				s = number;
			}
			vec_push(&a->cell, s ? xstrdup(s) : NULL);
		}
		a->rows++;
	}
	sqlite3_finalize(q);
	return rc == SQLITE_DONE || report_error(k, "%s", sqlite3_errmsg(k->d->sql));
}

/* Returns the default columns: program, machine and size, the axes that vary, and cycles. */
static const char *usual_columns(struct asking *k)
{
	const char *list = "program,machine,size";
	sqlite3_stmt *q = NULL;
	sqlite3_prepare_v2(
		k->d->sql,
		"SELECT n.name FROM axes a JOIN names n ON n.id = a.name WHERE n.name NOT IN "
		"('program','machine','size') GROUP BY n.name HAVING count(DISTINCT a.value) > 1",
		-1, &q, NULL);
	while (sqlite3_step(q) == SQLITE_ROW)
		list = arena_printf(&k->arena, "%s,%s", list, sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	return arena_printf(&k->arena, "%s,cycles", list);
}

/* True if a list of fields, each of which may begin with "-", has the field `kernel`. */
static bool lists_kernel(struct asking *k, const char *list)
{
	for (char *name; list && (name = word(k, &list));)
		if (!strcmp(name + (*name == '-'), "kernel"))
			return true;
	return false;
}

static bool tests_kernel(struct asking *k, const char *text)
{
	while (text) {
		const char *at, *sign = find_sign(text, &at);
		if (sign && lists_kernel(k, arena_strndup(&k->arena, text, (size_t)(at - text))))
			return true;
		text = strstr(text, " and ");
		text = text ? text + 5 : NULL;
	}
	return false;
}

static bool query_has_kernel(struct asking *k, const struct query *q)
{
	return lists_kernel(k, q->columns) || tests_kernel(k, q->where) ||
	       lists_kernel(k, q->group) || lists_kernel(k, q->pivot) || lists_kernel(k, q->order);
}

static const char *from_sql(const struct asking *k)
{
	return k->by_kernel ? "runs r JOIN kernels k ON k.run = r.id" : "runs r";
}

/* Returns " ORDER BY ... LIMIT ...". */
static const char *tail_sql(struct asking *k, const struct query *q)
{
	const char *sql = "";
	if (q->order) {
		bool falling = *q->order == '-';
		const char *f = field_sql(k, q->order + falling);
		if (!f)
			return NULL;
		sql = arena_printf(&k->arena, " ORDER BY %s%s", f, falling ? " DESC" : "");
	}
	return q->limit ? arena_printf(&k->arena, "%s LIMIT %u", sql, q->limit) : sql;
}

static bool list_runs(struct asking *k, const struct query *q, struct answer *a)
{
	const char *select = "", *list = q->columns ? q->columns : usual_columns(k),
		   *w = where(k, q->where), *end = tail_sql(k, q);
	if (!w || !end)
		return false;
	for (char *name; (name = word(k, &list));) {
		const char *f = field_sql(k, name);
		if (!f)
			return false;
		select = arena_printf(&k->arena, "%s%s%s AS \"%s\"", select, *select ? ", " : "", f,
				      name);
	}
	return collect_rows(
		k, arena_printf(&k->arena, "SELECT %s FROM %s%s%s", select, from_sql(k), w, end),
		a);
}

/* Selects group fields, the pivot field, then an aggregate of each value. */
static bool group_runs(struct asking *k, const struct query *q, struct answer *a)
{
	static const char *const with[][2] = {{"mean", "avg"},
					      {"min", "min"},
					      {"max", "max"},
					      {"sum", "sum"},
					      {"count", "count"}};
	const char *fn = NULL, *select = "", *by = "", *w = where(k, q->where), *list = q->group,
		   *values = q->values ? q->values : "cycles";
	unsigned n = 0;
	for (size_t i = 0; i < 5; i++)
		if (!strcmp(with[i][0], q->with ? q->with : "mean"))
			fn = with[i][1];
	if (!fn)
		return report_error(k, "with %s: expected mean, min, max, sum or count", q->with);
	if (!w)
		return false;
	if (q->pivot)
		list = arena_printf(&k->arena, "%s,%s", list, q->pivot);
	for (char *name; (name = word(k, &list)); n++) {
		const char *f = field_sql(k, name);
		if (!f)
			return false;
		select = arena_printf(&k->arena, "%s%s AS \"%s\", ", select, f, name);
		by = arena_printf(&k->arena, "%s%s%u", by, n ? ", " : "", n + 1);
	}
	for (char *name; (name = word(k, &values));) {
		const char *f = field_sql(k, name);
		if (!f)
			return false;
		select = arena_printf(&k->arena, "%s%s(%s) AS \"%s\", ", select, fn, f, name);
	}
	return collect_rows(
		k,
		arena_printf(&k->arena,
			     "SELECT %scount(*) AS runs FROM %s%s GROUP BY %s ORDER BY %s", select,
			     from_sql(k), w, by, by),
		a);
}

/* Turns the rows of a grouped answer, which begin with g group fields and the pivot's value, into
 * one row per group. */
static void pivot_answer(struct answer *in, size_t g, struct answer *out)
{
	size_t n = in->name.n, values = n - g - 2; /* without the pivot and the count of runs */
	VEC(char *) column = {0};
	for (size_t r = 0; r < in->rows; r++) {
		char *v = in->cell.v[r * n + g];
		size_t c = 0;
		while (c < column.n && strcmp(column.v[c] ? column.v[c] : "", v ? v : ""))
			c++;
		if (c == column.n)
			vec_push(&column, v);
	}
	for (size_t i = 0; i < g; i++)
		vec_push(&out->name, xstrdup(in->name.v[i]));
	for (size_t v = 0; v < values; v++)
		for (size_t c = 0; c < column.n; c++) {
			char name[256];
			snprintf(name, sizeof name, "%s%s%s",
				 values > 1 ? in->name.v[g + 1 + v] : "", values > 1 ? " " : "",
				 column.v[c] ? column.v[c] : "-");
			vec_push(&out->name, xstrdup(name));
		}
	size_t wide = out->name.n, row = 0;
	for (size_t r = 0; r < in->rows; r++) {
		bool same = r > 0;
		for (size_t i = 0; same && i < g; i++) {
			const char *x = in->cell.v[r * n + i], *y = in->cell.v[(r - 1) * n + i];
			same = !strcmp(x ? x : "", y ? y : "");
		}
		if (!same) {
			row = out->rows++;
			for (size_t i = 0; i < wide; i++)
				vec_push(&out->cell, i < g && in->cell.v[r * n + i]
							     ? xstrdup(in->cell.v[r * n + i])
							     : NULL);
		}
		size_t c = 0;
		while (strcmp(column.v[c] ? column.v[c] : "",
			      in->cell.v[r * n + g] ? in->cell.v[r * n + g] : ""))
			c++;
		for (size_t v = 0; v < values; v++) {
			char **cell = &out->cell.v[row * wide + g + v * column.n + c];
			const char *x = in->cell.v[r * n + g + 1 + v];
			free(*cell);
			*cell = x ? xstrdup(x) : NULL;
		}
	}
	vec_free(&column);
}

bool query_run(struct db *d, const struct query *q, struct answer *a)
{
	struct asking k = {.d = d};
	*a = (struct answer){.rows = 0};
	k.by_kernel = query_has_kernel(&k, q);
	if (k.by_kernel && !db_has_kernels(d)) {
		arena_free(&k.arena);
		return false;
	}
	sqlite3_create_function(d->sql, "setting", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
				setting_of, NULL, NULL);
	bool ok = q->group ? group_runs(&k, q, a) : list_runs(&k, q, a);
	if (ok && q->group && q->pivot) {
		struct answer wide = {.rows = 0};
		size_t g = 1;
		for (const char *p = q->group; *p; p++)
			g += *p == ',';
		pivot_answer(a, g, &wide);
		answer_free(a);
		*a = wide;
	}
	for (unsigned i = 0; i < k.configs; i++)
		sqlite3_exec(d->sql,
			     arena_printf(&k.arena, "DROP TABLE IF EXISTS temp.config_%u", i), NULL,
			     NULL, NULL);
	if (!ok)
		answer_free(a);
	arena_free(&k.arena);
	return ok;
}

bool query_names(struct db *d, struct answer *a)
{
	struct asking k = {.d = d};
	*a = (struct answer){.rows = 0};
	bool ok = collect_rows(
		&k,
		"SELECT n.name AS field, 'axis' AS kind, count(DISTINCT a.value) AS \"values\" FROM names n JOIN axes a ON "
		"a.name = n.id GROUP BY n.id UNION ALL SELECT n.name, 'figure', NULL FROM names n WHERE EXISTS(SELECT 1 FROM "
		"figures f WHERE f.name = n.id) ORDER BY 2, 1",
		a);
	arena_free(&k.arena);
	return ok;
}

/* ---- printing ---- */

static bool is_number(const char *s)
{
	char *end;
	strtod(s, &end);
	return *s && !*end;
}

static void print_table(const struct answer *a, FILE *out)
{
	size_t n = a->name.n, *wide = xcalloc(n + 1, sizeof *wide);
	for (size_t r = 0; r <= a->rows; r++)
		for (size_t i = 0; i < n; i++) {
			const char *s = r ? a->cell.v[(r - 1) * n + i] : a->name.v[i];
			size_t w = s ? strlen(s) : 1;
			wide[i] = w > wide[i] ? w : wide[i];
		}
	for (size_t r = 0; r <= a->rows; r++) {
		for (size_t i = 0; i < n; i++) {
			const char *s = r ? a->cell.v[(r - 1) * n + i] : a->name.v[i];
			bool right = a->rows && a->cell.v[i] && is_number(a->cell.v[i]);
			fprintf(out, right ? "%s%*s" : "%s%-*s", i ? "  " : "",
				i + 1 < n || right ? (int)wide[i] : 0, s ? s : "-");
		}
		fputc('\n', out);
	}
	free(wide);
}

static void print_csv(const struct answer *a, FILE *out)
{
	size_t n = a->name.n;
	for (size_t r = 0; r <= a->rows; r++)
		for (size_t i = 0; i < n; i++) {
			const char *s = r ? a->cell.v[(r - 1) * n + i] : a->name.v[i];
			bool quote = s && strpbrk(s, ",\"\n");
			if (quote)
				fputc('"', out);
			for (const char *p = s ? s : ""; *p; p++)
				fputs(*p == '"' ? "\"\"" : (char[]){*p, 0}, out);
			fputs(quote ? "\"" : "", out);
			fputc(i + 1 < n ? ',' : '\n', out);
		}
}

static void print_json(const struct answer *a, FILE *out)
{
	size_t n = a->name.n;
	json_t *list = json_array();
	for (size_t r = 0; r < a->rows; r++) {
		json_t *o = json_object();
		for (size_t i = 0; i < n; i++) {
			const char *s = a->cell.v[r * n + i];
			json_object_set_new(o, a->name.v[i],
					    !s             ? json_null()
					    : is_number(s) ? json_real(strtod(s, NULL))
							   : json_string(s));
		}
		json_array_append_new(list, o);
	}
	json_dumpf(list, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	fputc('\n', out);
	json_decref(list);
}

void answer_print(const struct answer *a, enum answer_format f, FILE *out)
{
	(f == ANSWER_CSV ? print_csv : f == ANSWER_JSON ? print_json : print_table)(a, out);
}
