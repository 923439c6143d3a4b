/* Results of a study's runs: one file per run, results/SIZE/PROGRAM.RUN.json, written whole or not
 * at all. A file holds the sums of all figures over the program's launches, and its key: Heddle's
 * version, hashes of the simulator and of the program, the size, and the whole configuration. A
 * file with another key is ignored. */
#ifndef STUDY_STORE_STORE_H
#define STUDY_STORE_STORE_H
#include <jansson.h>
#include "study/lang/study.h"

struct result {
	json_t *all;           /* the file; NULL: none */
	const json_t *figures; /* of it */
	const char *failed;    /* why there is none; NULL: not run */
};

struct results {
	const struct study *s;
	struct arena arena;
	const char *dir, *size;    /* the report's folder */
	const char **config;       /* text of each run's configuration, without comments */
	const char **program_hash; /* of each program */
	const char *simulator, *simulator_hash; /* the library's file */
	struct result *r;                       /* program-major: program * runs + run */
};

/* Reads the configurations; false: errors in d. The folder is made. */
bool results_open(struct results *rs, struct study *s, const char *dir, const char *size,
		  struct diag *d);
void results_close(struct results *rs);
/* Loads a program's results with the current key; `file` is the built program. */
void results_load(struct results *rs, unsigned program, const char *file);
/* Turns statistics, as `heddle run --stats` writes them, into a result. False: *why says what is
 * wrong. */
bool results_add(struct results *rs, unsigned program, unsigned run, const char *stats,
		 double seconds, double cpu, const char **why);
/* True if the simulator has been rebuilt since: then runs and keys do not belong together. */
bool results_outdated(struct results *rs);
/* "DIR/results/SIZE/PROGRAM.RUN" + what; in the arena. */
const char *results_path(struct results *rs, unsigned program, unsigned run, const char *what);

/* Sums of all figures over the launches of a --stats file. */
json_t *results_reduce(const json_t *stats);
/* 64 bits of a file's contents in hexadecimal, in the arena; "?": it cannot be read. */
const char *results_file_hash(struct arena *a, const char *path);
/* The text of `heddle config show` without alignment and comments, in the arena. */
const char *results_plain_config(struct arena *a, const char *text);

static inline struct result *results_at(const struct results *rs, unsigned program, unsigned run)
{
	return &rs->r[program * rs->s->runs.n + run];
}

/* Classes of instructions as expressions name them; NULL: no more. */
const char *results_class(unsigned i);
#endif
