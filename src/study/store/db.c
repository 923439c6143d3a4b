/* The result store in SQLite. db.h describes its tables. */
#include "study/store/db.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { APPLICATION = 0x68646c65, VERSION = 1, PATIENCE_MS = 60000 }; /* "hdle" */

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS configs(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, study TEXT, program TEXT, "
	"machine TEXT, size TEXT, seed INTEGER, repetition INTEGER, heddle TEXT, simulator TEXT, wall_seconds REAL, "
	"cpu_seconds REAL, host TEXT, stored TEXT DEFAULT CURRENT_TIMESTAMP, config INTEGER REFERENCES configs(id), "
	"detail TEXT);"
	"CREATE INDEX IF NOT EXISTS runs_program ON runs(program, size);"
	"CREATE TABLE IF NOT EXISTS names(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE IF NOT EXISTS figures(name INTEGER, run INTEGER, value REAL, PRIMARY KEY(name, run)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS axes(name INTEGER, run INTEGER, value TEXT, PRIMARY KEY(name, run)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS kernels(id INTEGER PRIMARY KEY, run INTEGER, kernel TEXT, UNIQUE(run, kernel));"
	"CREATE TABLE IF NOT EXISTS kernel_figures(name INTEGER, kernel INTEGER, value REAL, PRIMARY KEY(name, kernel)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS details(run INTEGER PRIMARY KEY, data BLOB);"
	"CREATE TABLE IF NOT EXISTS failures(key TEXT PRIMARY KEY, title TEXT, why TEXT, tries INTEGER DEFAULT 1);";

static bool report_error(struct db *d, const char *what)
{
	snprintf(d->why, sizeof d->why, "%s: %s%s%s", d->path, what, *what ? ": " : "",
		 d->sql ? sqlite3_errmsg(d->sql) : "out of memory");
	return false;
}

static bool run_statement(struct db *d, const char *sql)
{
	return sqlite3_exec(d->sql, sql, NULL, NULL, NULL) == SQLITE_OK || report_error(d, "");
}

static long query_number(struct db *d, const char *sql)
{
	sqlite3_stmt *q = NULL;
	long n = -1;
	if (sqlite3_prepare_v2(d->sql, sql, -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW)
		n = (long)sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return n;
}

static bool is_new(struct db *d)
{
	return query_number(d, "PRAGMA application_id") == 0 &&
	       query_number(d, "SELECT count(*) FROM sqlite_master") == 0;
}

static bool check_kind(struct db *d)
{
	long app = query_number(d, "PRAGMA application_id"),
	     version = query_number(d, "PRAGMA user_version");
	if (is_new(d))
		return true;
	if (app != APPLICATION) {
		snprintf(d->why, sizeof d->why,
			 "%s: no result store of Heddle's, or a damaged one%s%s", d->path,
			 sqlite3_errcode(d->sql) > SQLITE_OK && sqlite3_errcode(d->sql) < SQLITE_ROW
				 ? ": "
				 : "",
			 sqlite3_errcode(d->sql) > SQLITE_OK && sqlite3_errcode(d->sql) < SQLITE_ROW
				 ? sqlite3_errmsg(d->sql)
				 : "");
		return false;
	}
	if (version != VERSION) {
		snprintf(d->why, sizeof d->why, "%s: a store of version %ld, this program knows %d",
			 d->path, version, VERSION);
		return false;
	}
	return true;
}

static bool check_pages(struct db *d)
{
	sqlite3_stmt *q = NULL;
	const char *answer = "unreadable";
	if (sqlite3_prepare_v2(d->sql, "PRAGMA quick_check(1)", -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW)
		answer = (const char *)sqlite3_column_text(q, 0);
	bool ok = answer && !strcmp(answer, "ok");
	if (!ok)
		snprintf(d->why, sizeof d->why, "%s: damaged (%.300s)", d->path,
			 answer ? answer : "?");
	sqlite3_finalize(q);
	return ok;
}

/* Checks that the file is a complete store of ours. The quick check reads every page, so a query to
 * a large store skips it and detects damage only in the pages it reads. */
static bool check_store(struct db *d, bool all)
{
	enum { LARGE = 16 << 20 };
	return check_kind(d) &&
	       ((!all &&
		 query_number(
			 d,
			 "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") >
			 LARGE) ||
		check_pages(d));
}

/* True if no other process is creating the store: until then it is empty, incomplete or locked. */
static bool is_settled(struct db *d)
{
	struct timespec moment = {0, 100000000};
	for (unsigned tries = 0; tries < 30; tries++) {
		long app = query_number(d, "PRAGMA application_id"),
		     tables = query_number(d, "SELECT count(*) FROM sqlite_master");
		int rc = sqlite3_errcode(d->sql);
		if (app == APPLICATION || (app == 0 && tables == 0) ||
		    (rc != SQLITE_BUSY && rc != SQLITE_LOCKED && tables < 0) ||
		    (app != 0 && app != -1))
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

static bool make_tables(struct db *d)
{
	struct timespec moment = {0, 100000000};
	char mark[128];
	bool ok = false;
	snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
		 APPLICATION, VERSION);
	for (unsigned tries = 0; !ok && tries < 100; tries++) {
		ok = run_statement(d, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;") &&
		     run_statement(d, "BEGIN IMMEDIATE") && run_statement(d, schema) &&
		     run_statement(d, mark) && run_statement(d, "COMMIT");
		int rc = sqlite3_errcode(d->sql);
		if (!ok && rc != SQLITE_BUSY && rc != SQLITE_LOCKED)
			break;
		if (!ok) {
			sqlite3_exec(d->sql, "ROLLBACK", NULL, NULL, NULL);
			nanosleep(&moment, NULL);
		}
	}
	return ok;
}

static bool open_store(struct db *d, const char *path, bool make, bool all)
{
	*d = (struct db){.path = path};
	if (!make && access(path, R_OK)) {
		snprintf(d->why, sizeof d->why, "%s: there is no such store", path);
		return false;
	}
	int flags = SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0);
	if (sqlite3_open_v2(path, &d->sql, flags, NULL) != SQLITE_OK)
		report_error(d, "cannot be opened");
	if (*d->why)
		goto bad;
	sqlite3_busy_timeout(d->sql, PATIENCE_MS);
	is_settled(d);
	if (!check_store(d, all) || (make && !make_tables(d)))
		goto bad;
	return true;
bad:
	db_close(d);
	return false;
}

bool db_open(struct db *d, const char *path, bool make) { return open_store(d, path, make, make); }

void db_close(struct db *d)
{
	for (unsigned i = 0; i < DB_STATEMENTS; i++) {
		sqlite3_finalize(d->ready[i]);
		d->ready[i] = NULL;
	}
	sqlite3_close(d->sql);
	d->sql = NULL;
}

bool db_has(struct db *d, const char *key)
{
	sqlite3_stmt *q = NULL;
	sqlite3_prepare_v2(d->sql, "SELECT 1 FROM runs WHERE key = ?", -1, &q, NULL);
	sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
	bool has = sqlite3_step(q) == SQLITE_ROW;
	sqlite3_finalize(q);
	return has;
}

bool db_has_results(struct db *d)
{
	if (query_number(d, "SELECT count(*) FROM (SELECT 1 FROM runs LIMIT 1)") > 0)
		return true;
	long long failed = (long long)query_number(d, "SELECT count(*) FROM failures");
	if (failed > 0)
		snprintf(d->why, sizeof d->why,
			 "%s: no run has a result; %lld failed: heddle results --failed says why",
			 d->path, failed);
	else
		snprintf(d->why, sizeof d->why, "%s: no run has a result yet", d->path);
	return false;
}

bool db_has_kernels(struct db *d)
{
	if (query_number(d, "SELECT count(*) FROM sqlite_master WHERE name = 'kernels'") > 0)
		return true;
	snprintf(d->why, sizeof d->why,
		 "%s: its runs have no figures of kernels: an earlier version stored them",
		 d->path);
	return false;
}

/* ---- insertion ---- */

/* Returns a prepared statement. A run has hundreds of figures, so statements are prepared once. */
static sqlite3_stmt *ready_statement(struct db *d, enum db_statement s)
{
	static const char *const sql[DB_STATEMENTS] = {
		[DB_FIND_NAME] = "SELECT id FROM names WHERE name = ?",
		[DB_ADD_NAME] = "INSERT OR IGNORE INTO names(name) VALUES(?)",
		[DB_ADD_FIGURE] = "INSERT INTO figures VALUES(?, ?, ?)",
		[DB_ADD_KERNEL_FIGURE] = "INSERT INTO kernel_figures VALUES(?, ?, ?)",
		[DB_ADD_AXIS] = "INSERT INTO axes VALUES(?, ?, ?)",
	};
	if (!d->ready[s])
		sqlite3_prepare_v3(d->sql, sql[s], -1, SQLITE_PREPARE_PERSISTENT, &d->ready[s],
				   NULL);
	return d->ready[s];
}

/* Executes the bound statement and resets it for its next use. */
static bool finish_statement(struct db *d, sqlite3_stmt *q)
{
	bool ok = sqlite3_step(q) == SQLITE_DONE;
	if (!ok)
		report_error(d, "");
	sqlite3_reset(q);
	return ok;
}

static sqlite3_int64 find_name(struct db *d, const char *name)
{
	sqlite3_stmt *q = ready_statement(d, DB_FIND_NAME);
	sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	sqlite3_int64 id = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	return id;
}

static sqlite3_int64 name_id(struct db *d, const char *name)
{
	sqlite3_int64 id = find_name(d, name);
	if (id)
		return id;
	sqlite3_stmt *q = ready_statement(d, DB_ADD_NAME);
	sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	return finish_statement(d, q) ? find_name(d, name) : 0;
}

/* Returns the number of a configuration; adds it if it is new. */
static sqlite3_int64 config_id(struct db *d, const char *text)
{
	static const char *const sql[] = {"INSERT OR IGNORE INTO configs(text) VALUES(?)",
					  "SELECT id FROM configs WHERE text = ?"};
	sqlite3_int64 id = 0;
	for (unsigned i = 0; i < 2; i++) {
		sqlite3_stmt *q = NULL;
		sqlite3_prepare_v2(d->sql, sql[i], -1, &q, NULL);
		sqlite3_bind_text(q, 1, text, -1, SQLITE_STATIC);
		if (sqlite3_step(q) == SQLITE_ROW)
			id = sqlite3_column_int64(q, 0);
		sqlite3_finalize(q);
	}
	return id;
}

static bool add_axis(struct db *d, sqlite3_int64 run, const char *name, const char *value)
{
	sqlite3_int64 id = name_id(d, name);
	sqlite3_stmt *q = ready_statement(d, DB_ADD_AXIS);
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, run);
	sqlite3_bind_text(q, 3, value ? value : "", -1, SQLITE_STATIC);
	return finish_statement(d, q);
}

/* Adds a figure of a run or of a kernel, as the statement says. */
static bool add_figure(struct db *d, enum db_statement of, sqlite3_int64 id, const char *part,
		       const char *name, const json_t *v)
{
	char full[160];
	if (!json_is_number(v))
		return true; /* histograms are part of the details */
	snprintf(full, sizeof full, "%s%s%s", part, *part ? "." : "", name);
	sqlite3_int64 called = name_id(d, full);
	sqlite3_stmt *q = ready_statement(d, of);
	sqlite3_bind_int64(q, 1, called);
	sqlite3_bind_int64(q, 2, id);
	sqlite3_bind_double(q, 3, json_number_value(v));
	return finish_statement(d, q);
}

static bool add_figures(struct db *d, enum db_statement of, sqlite3_int64 id, const json_t *figures)
{
	const char *name, *inner;
	json_t *v, *x;
	bool ok = true;
	json_object_foreach ((json_t *)figures, name, v) {
		if (!json_is_object(v))
			ok = ok && add_figure(d, of, id, "", name, v);
		else
			json_object_foreach (v, inner, x)
				ok = ok && add_figure(d, of, id, name, inner, x);
	}
	return ok;
}

static bool add_kernel(struct db *d, sqlite3_int64 run, const char *kernel, const json_t *figures)
{
	sqlite3_stmt *q = NULL;
	bool ok = sqlite3_prepare_v2(d->sql, "INSERT INTO kernels(run, kernel) VALUES(?, ?)", -1,
				     &q, NULL) == SQLITE_OK;
	sqlite3_bind_int64(q, 1, run);
	sqlite3_bind_text(q, 2, kernel, -1, SQLITE_STATIC);
	ok = ok && sqlite3_step(q) == SQLITE_DONE;
	sqlite3_finalize(q);
	if (!ok)
		return report_error(d, "");
	return add_figures(d, DB_ADD_KERNEL_FIGURE, sqlite3_last_insert_rowid(d->sql), figures);
}

static const char *text_of(const json_t *run, const char *key)
{
	const char *s = json_string_value(json_object_get(run, key));
	return s ? s : "";
}

/* Adds the run's own row. Returns its number; 0: it exists already; -1: failed. */
static sqlite3_int64 add_row(struct db *d, const json_t *run)
{
	static const char *const texts[] = {"key",  "study",  "program",   "machine",
					    "size", "heddle", "simulator", "host"};
	sqlite3_stmt *q = NULL;
	char *detail = json_dumps(json_object_get(run, "figures"), JSON_COMPACT);
	if (sqlite3_prepare_v2(
		    d->sql,
		    "INSERT OR IGNORE INTO runs(key, study, program, machine, size, heddle, simulator, host, seed, "
		    "repetition, wall_seconds, cpu_seconds, config, detail) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		    -1, &q, NULL) != SQLITE_OK) {
		free(detail);
		report_error(d, "");
		return -1;
	}
	for (int i = 0; i < 8; i++)
		sqlite3_bind_text(q, i + 1, text_of(run, texts[i]), -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 9, json_integer_value(json_object_get(run, "seed")));
	sqlite3_bind_int64(q, 10, json_integer_value(json_object_get(run, "repetition")));
	sqlite3_bind_double(q, 11, json_number_value(json_object_get(run, "wall_seconds")));
	sqlite3_bind_double(q, 12, json_number_value(json_object_get(run, "cpu_seconds")));
	sqlite3_bind_int64(q, 13, config_id(d, text_of(run, "config")));
	sqlite3_bind_text(q, 14, detail, -1, SQLITE_STATIC);
	bool ok = sqlite3_step(q) == SQLITE_DONE;
	sqlite3_finalize(q);
	free(detail);
	if (!ok)
		report_error(d, "");
	return !ok ? -1 : sqlite3_changes(d->sql) ? sqlite3_last_insert_rowid(d->sql) : 0;
}

static bool add_detail(struct db *d, sqlite3_int64 run, const json_t *detail)
{
	sqlite3_stmt *q = NULL;
	char *text = detail ? json_dumps(detail, JSON_COMPACT) : NULL;
	uLong n = text ? (uLong)strlen(text) : 0;
	uLongf packed = compressBound(n);
	Bytef *data = text ? malloc(packed) : NULL;
	bool ok = !text ||
		  (data && compress2(data, &packed, (const Bytef *)text, n, Z_BEST_SPEED) == Z_OK);
	if (ok && text) {
		ok = sqlite3_prepare_v2(d->sql, "INSERT INTO details VALUES(?, ?)", -1, &q, NULL) ==
		     SQLITE_OK;
		sqlite3_bind_int64(q, 1, run);
		sqlite3_bind_blob64(q, 2, data, packed, SQLITE_STATIC);
		ok = ok && sqlite3_step(q) == SQLITE_DONE;
		sqlite3_finalize(q);
	}
	free(data);
	free(text);
	return ok || report_error(d, "");
}

static bool forget_failure(struct db *d, const char *key)
{
	sqlite3_stmt *q = NULL;
	sqlite3_prepare_v2(d->sql, "DELETE FROM failures WHERE key = ?", -1, &q, NULL);
	sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
	bool ok = sqlite3_step(q) == SQLITE_DONE;
	sqlite3_finalize(q);
	return ok || report_error(d, "");
}

bool db_add(struct db *d, const json_t *run)
{
	const char *name;
	json_t *v;
	if (!run_statement(d, "BEGIN IMMEDIATE"))
		return false;
	sqlite3_int64 id = add_row(d, run);
	bool ok = id >= 0;
	if (id > 0) {
		json_object_foreach (json_object_get(run, "axes"), name, v)
			ok = ok && add_axis(d, id, name, json_string_value(v));
		json_object_foreach (json_object_get(run, "kernels"), name, v)
			ok = ok && add_kernel(d, id, name, v);
		ok = ok && add_figures(d, DB_ADD_FIGURE, id, json_object_get(run, "figures")) &&
		     add_detail(d, id, json_object_get(run, "detail"));
	}
	ok = ok && forget_failure(d, text_of(run, "key"));
	if (!ok) {
		sqlite3_exec(d->sql, "ROLLBACK", NULL, NULL, NULL);
		return false;
	}
	return run_statement(d, "COMMIT");
}

bool db_failed(struct db *d, const char *key, const char *title, const char *why)
{
	sqlite3_stmt *q = NULL;
	bool ok =
		sqlite3_prepare_v2(
			d->sql,
			"INSERT INTO failures(key, title, why) VALUES(?1, ?2, ?3) ON CONFLICT(key) DO UPDATE SET "
			"why = ?3, tries = tries + 1",
			-1, &q, NULL) == SQLITE_OK;
	sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, title, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 3, why, -1, SQLITE_STATIC);
	ok = ok && sqlite3_step(q) == SQLITE_DONE;
	sqlite3_finalize(q);
	return ok || report_error(d, "");
}

unsigned db_tries(struct db *d, const char *key)
{
	sqlite3_stmt *q = NULL;
	unsigned n = 0;
	sqlite3_prepare_v2(d->sql, "SELECT tries FROM failures WHERE key = ?", -1, &q, NULL);
	sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_ROW)
		n = (unsigned)sqlite3_column_int(q, 0);
	sqlite3_finalize(q);
	return n;
}

double db_seconds(struct db *d, const char *program, const char *size)
{
	sqlite3_stmt *q = NULL;
	double x = -1;
	sqlite3_prepare_v2(d->sql,
			   "SELECT avg(wall_seconds) FROM runs WHERE program = ? AND size = ?", -1,
			   &q, NULL);
	sqlite3_bind_text(q, 1, program, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, 2, size, -1, SQLITE_STATIC);
	if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL)
		x = sqlite3_column_double(q, 0);
	sqlite3_finalize(q);
	return x;
}

/* ---- merging another store ---- */

/* Names and configurations have different numbers in the other store, so rows are matched by their
 * texts. */
static const char merge_sql[] =
	"BEGIN IMMEDIATE;"
	"INSERT OR IGNORE INTO main.names(name) SELECT name FROM other.names;"
	"INSERT OR IGNORE INTO main.configs(text) SELECT text FROM other.configs;"
	"CREATE TEMP TABLE fresh AS SELECT id, key FROM other.runs WHERE key NOT IN (SELECT key FROM main.runs);"
	"INSERT INTO main.runs(key, study, program, machine, size, seed, repetition, heddle, simulator, wall_seconds, "
	"cpu_seconds, host, stored, config, detail) SELECT o.key, o.study, o.program, o.machine, o.size, o.seed, o.repetition, "
	"o.heddle, o.simulator, o.wall_seconds, o.cpu_seconds, o.host, o.stored, m.id, o.detail FROM other.runs o JOIN fresh "
	"USING(key) JOIN other.configs c ON c.id = o.config JOIN main.configs m ON m.text = c.text;"
	"INSERT INTO main.figures SELECT mn.id, mr.id, f.value FROM other.figures f JOIN fresh ON fresh.id = f.run JOIN "
	"main.runs mr ON mr.key = fresh.key JOIN other.names n ON n.id = f.name JOIN main.names mn ON mn.name = n.name;"
	"INSERT INTO main.axes SELECT mn.id, mr.id, f.value FROM other.axes f JOIN fresh ON fresh.id = f.run JOIN "
	"main.runs mr ON mr.key = fresh.key JOIN other.names n ON n.id = f.name JOIN main.names mn ON mn.name = n.name;"
	"DELETE FROM main.failures WHERE key IN (SELECT key FROM main.runs);";
/* Stores of earlier versions have no kernels and no details. */
static const char merge_kernels[] =
	"INSERT INTO main.kernels(run, kernel) SELECT mr.id, k.kernel FROM other.kernels k JOIN fresh ON fresh.id = k.run JOIN "
	"main.runs mr ON mr.key = fresh.key;"
	"INSERT INTO main.kernel_figures SELECT mn.id, mk.id, f.value FROM other.kernel_figures f JOIN other.kernels k ON "
	"k.id = f.kernel JOIN fresh ON fresh.id = k.run JOIN main.runs mr ON mr.key = fresh.key JOIN main.kernels mk ON "
	"mk.run = mr.id AND mk.kernel = k.kernel JOIN other.names n ON n.id = f.name JOIN main.names mn ON mn.name = n.name;";
static const char merge_details[] =
	"INSERT INTO main.details SELECT mr.id, t.data FROM other.details t JOIN fresh ON fresh.id = t.run JOIN main.runs mr "
	"ON mr.key = fresh.key;";

static bool other_has(struct db *d, const char *table)
{
	char sql[128];
	snprintf(sql, sizeof sql, "SELECT count(*) FROM other.sqlite_master WHERE name = '%s'",
		 table);
	return query_number(d, sql) > 0;
}

static bool merge_all(struct db *d)
{
	return run_statement(d, schema) && run_statement(d, merge_sql) &&
	       (!other_has(d, "kernels") || run_statement(d, merge_kernels)) &&
	       (!other_has(d, "details") || run_statement(d, merge_details)) &&
	       run_statement(d, "COMMIT");
}

long db_merge(struct db *d, const char *from)
{
	struct db other;
	if (!open_store(&other, from, false, true)) {
		memcpy(d->why, other.why, sizeof d->why);
		return -1;
	}
	db_close(&other);
	char *attach = sqlite3_mprintf("ATTACH %Q AS other", from);
	long n = -1;
	if (run_statement(d, attach)) {
		if (merge_all(d))
			n = query_number(d, "SELECT count(*) FROM fresh");
		else
			sqlite3_exec(d->sql, "ROLLBACK", NULL, NULL, NULL);
		sqlite3_exec(d->sql, "DROP TABLE IF EXISTS fresh; DETACH other;", NULL, NULL, NULL);
	}
	sqlite3_free(attach);
	return n;
}

const char *db_default(void)
{
	const char *env = getenv("HEDDLE_STORE");
	return env && *env ? env : "heddle-results.db";
}
