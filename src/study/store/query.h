/* Queries to the result store: fields of runs, filtered, grouped, pivoted.
 *
 * A field is a column of the runs (program, machine, size, seed, repetition, study, wall_seconds,
 * ...), an axis of a sweep (sm.scheduler, arg.n), a figure (cycles, sm.warp_instructions), or any
 * option of the configuration.
 *
 * A query that names the field `kernel` has a row per kernel of a run instead of a row per run, and
 * its figures are the kernel's: {.group = "program,kernel", .values = "cycles"}. The field `kernel.id` is the
 * number of a kernel's row. */
#ifndef STUDY_STORE_QUERY_H
#define STUDY_STORE_QUERY_H
#include "base/vec.h"
#include "study/store/db.h"

struct query {
	const char *columns; /* "a,b"; NULL: the fields that vary, and cycles */
	const char *where;   /* "FIELD OP VALUE and ..."; NULL: all runs */
	/* "a,b": one row per combination of values of these fields; NULL: one row per run */
	const char *group;
	const char *pivot;  /* with group: one column per value of this field */
	const char *values; /* with group: figures; NULL: cycles */
	const char *with;   /* with group: mean, min, max, sum or count; NULL: mean */
	const char *order;  /* field by which rows are sorted; "-a": descending */
	unsigned limit;     /* limit of rows; 0: none */
};

struct answer {
	VEC(char *) name;
	VEC(char *) cell; /* row by row; NULL: an empty cell */
	size_t rows;
};

/* Runs a query. False: d->why has the error. */
bool query_run(struct db *d, const struct query *q, struct answer *a);
void answer_free(struct answer *a);
enum answer_format { ANSWER_TABLE, ANSWER_CSV, ANSWER_JSON };
void answer_print(const struct answer *a, enum answer_format f, FILE *out);
/* Lists the names of all fields of one kind ("axes" or "figures"), with the number of runs that
 * have each. */
bool query_names(struct db *d, struct answer *a);

#endif
