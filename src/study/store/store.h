/* Results of a study's runs: one file per run, results/SIZE/PROGRAM.RUN.json, written completely or
 * not at all. A file contains the sums of all figures over the program's launches, and its key:
 * Heddle's version, hashes of the simulator and of the program, the size, and the whole
 * configuration. A file with another key is ignored. */
#ifndef STUDY_STORE_STORE_H
#define STUDY_STORE_STORE_H
#include <jansson.h>
#include "study/lang/study.h"

struct result {
	json_t *all;           /* contents of the file; NULL: none */
	const json_t *figures; /* figures in the file */
	/* reason why there is no result; NULL: none, or the run has not been executed */
	const char *failed;
};

struct results {
	const struct study *s;
	struct arena arena;
	const char *dir, *size;    /* folder of the report */
	const char **config;       /* per run: text of the configuration, without comments */
	const char **program_hash; /* per program: hash */
	const char *simulator, *simulator_hash; /* the library's file, and its hash */
	struct result *r;                       /* indexed by program * runs + run */
};

/* Reads the configurations and makes the folder; false: errors in d. */
bool results_open(struct results *rs, struct study *s, const char *dir, const char *size,
		  struct diag *d);
void results_close(struct results *rs);
/* Loads a program's results that have the current key; `file` is the built program. */
void results_load(struct results *rs, unsigned program, const char *file);
/* Turns statistics, as written by `heddle run --stats`, into a result. False: *why has the
 * error. */
bool results_add(struct results *rs, unsigned program, unsigned run, const char *stats,
		 double seconds, double cpu, const char **why);
/* True if the simulator has been rebuilt since results_open(): its hash in the keys is then
 * outdated. */
bool results_outdated(struct results *rs);
/* Returns "DIR/results/SIZE/PROGRAM.RUN" + what, in the arena. */
const char *results_path(struct results *rs, unsigned program, unsigned run, const char *what);

/* Sums all figures over the launches of a --stats file. */
json_t *results_reduce(const json_t *stats);
/* Sums figures over the launches of each kernel: {"strided": {"cycles": ...}, ...}. Kernels with
 * equal plain names, such as the instances of a template, are summed together. */
json_t *results_by_kernel(const json_t *stats);
/* Returns 64 bits of a hash of a file's contents in hexadecimal, in the arena; "?": it cannot be
 * read. */
const char *results_file_hash(struct arena *a, const char *path);
/* Returns the text of `heddle config show` without alignment and comments, in the arena. */
const char *results_plain_config(struct arena *a, const char *text);

static inline struct result *results_at(const struct results *rs, unsigned program, unsigned run)
{
	return &rs->r[program * rs->s->runs.n + run];
}

/* Returns the i-th class of instructions by its name in expressions; NULL: no more. */
const char *results_class(unsigned i);
#endif
