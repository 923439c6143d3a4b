/* The result store: one SQLite database for all sweeps, HEDDLE_STORE or heddle-results.db.
 *
 * 	configs(id, text)                     whole configurations, each once
 * 	runs(id, key, ..., config, detail)    a row per run; key: a 128-bit hash of its inputs
 * 	names(id, name)                       names of figures and axes
 * 	figures(name, run, value)             measured by the run: "cycles", "sm.warp_instructions"
 * 	axes(name, run, value)                varied by the sweep: "sm.scheduler" = "gto"
 * 	kernels(id, run, kernel)              a row per kernel that a run launched
 * 	kernel_figures(name, kernel, value)   figures, summed over the kernel's launches in its run
 * 	details(run, data)                    detail.h's JSON, compressed by zlib
 * 	failures(key, why, tries)             runs without a result, until they have one
 *
 * Several processes of one computer may write at a time (a write-ahead log, one transaction per
 * run): a run is stored completely or not at all. On other computers runs leave files, which
 * work_take() stores; no database is opened over a network. */
#ifndef STUDY_STORE_DB_H
#define STUDY_STORE_DB_H
#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>

enum { KEY_CHARS = 33 };

/* Statements used for each figure, prepared once. */
enum db_statement {
	DB_FIND_NAME,
	DB_ADD_NAME,
	DB_ADD_FIGURE,
	DB_ADD_KERNEL_FIGURE,
	DB_ADD_AXIS,
	DB_STATEMENTS
};

struct db {
	sqlite3 *sql;
	sqlite3_stmt *ready[DB_STATEMENTS];
	const char *path;
	char why[512]; /* message of the last error */
};

/* Opens a store; `make`: creates the store if it does not exist. False: an error, in d->why; a
 * damaged file is refused and left unchanged. A large store that is only queried is not read
 * completely: damage is detected when a query reads the damaged part. */
bool db_open(struct db *d, const char *path, bool make);
void db_close(struct db *d);
bool db_has(struct db *d, const char *key);
/* True if the store has a result. False: d->why states that, and how many runs failed. */
bool db_has_results(struct db *d);
/* False: the store was written by a version without figures of kernels; d->why says so. */
bool db_has_kernels(struct db *d);
/* Stores a run in the form that sweeps write; a run that is stored already is kept:
 *
 * 	{"key", "study", "program", "machine", "size", "seed", "repetition", "heddle", "simulator",
 * 	 "wall_seconds", "cpu_seconds", "host", "config": text, "axes": {..}, "figures": {..},
 * 	 "kernels": {name: figures}, "detail": {..}} */
bool db_add(struct db *d, const json_t *run);
bool db_failed(struct db *d, const char *key, const char *title, const char *why);
unsigned db_tries(struct db *d, const char *key);
/* Returns the mean wall-clock seconds of stored runs of a program and size; negative: none. */
double db_seconds(struct db *d, const char *program, const char *size);
/* Copies from another store the runs that this store lacks. Returns their number; -1: an error, in
 * d->why. */
long db_merge(struct db *d, const char *from);

/* Returns $HEDDLE_STORE, or else heddle-results.db in the current folder. */
const char *db_default(void);

#endif
