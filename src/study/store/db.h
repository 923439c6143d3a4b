/* The result store: one SQLite database for all sweeps, HEDDLE_STORE or heddle-results.db.
 *
 *	configs(id, text)                     whole configurations, each once
 *	runs(id, key, ..., config, detail)    a row per run; key: a 128-bit hash of its inputs
 *	names(id, name)                       of figures and axes
 *	figures(name, run, value)             what the run measured: "cycles", "sm.warp_instructions"
 *	axes(name, run, value)                what the sweep varied: "sm.scheduler" = "gto"
 *	details(run, data)                    detail.h's JSON, compressed by zlib
 *	failures(key, why, tries)             runs without a result, until they have one
 *
 * Several processes of one computer may write at a time (a write-ahead log, a transaction a run): a
 * run is there whole or not at all. Across computers runs leave files, which work_take() puts in; no
 * database is opened over a network. */
#ifndef STUDY_STORE_DB_H
#define STUDY_STORE_DB_H
#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>

enum { KEY_CHARS = 33 };

/* Statements used for each figure, prepared once. */
enum db_statement { DB_FIND_NAME, DB_ADD_NAME, DB_ADD_FIGURE, DB_ADD_AXIS, DB_STATEMENTS };

struct db {
	sqlite3 *sql;
	sqlite3_stmt *ready[DB_STATEMENTS];
	const char *path;
	char why[512]; /* after a failure */
};

/* Opens a store; `make`: creates it if there is none. False: `why`; a damaged file is refused and
 * left as it is. A large store that is only queried is not read whole: damage is found where a
 * query meets it. */
bool db_open(struct db *d, const char *path, bool make);
void db_close(struct db *d);
bool db_has(struct db *d, const char *key);
/* Stores a run as sweeps write it; one that is there already stays:
 *
 *	{"key", "study", "program", "machine", "size", "seed", "repetition", "heddle", "simulator",
 *	 "wall_seconds", "cpu_seconds", "host", "config": text, "axes": {..}, "figures": {..},
 *	 "detail": {..}} */
bool db_add(struct db *d, const json_t *run);
bool db_failed(struct db *d, const char *key, const char *title, const char *why);
unsigned db_tries(struct db *d, const char *key);
/* Mean wall seconds of stored runs of a program and size; negative: none. */
double db_seconds(struct db *d, const char *program, const char *size);
/* Copies the runs that only the other store has. Returns how many; -1: `why`. */
long db_merge(struct db *d, const char *from);

/* $HEDDLE_STORE, else heddle-results.db here. */
const char *db_default(void);

#endif
