/* A sweep: many runs from a few lines, the section [sweep] of a study file.
 *
 *	[sweep]
 *	machine = hws, gtx480                configurations; the study's own if there is none
 *	set = sm.max_blocks=16               options of all runs, beside those of [study]
 *	workload = BFS, AES                  programs of the suite
 *	program = ./app {n} --fast           a program of one's own with arguments; {n}: the axis arg.n. May be there several times
 *	size = test, small                   of workloads (default test)
 *	arg.n = 100, 200                     an axis for arguments of programs
 *	sm.scheduler = lrr, gto              an axis: any option
 *	sm.max_warps = 16..48 step 16        a range, also 8..64 times 2
 *	seed = 1..3                          of workloads
 *	repeat = 2                           each run so often
 *	series = 200                         a time series with each run, of at most so many rows (default none)
 *	zip = sm.max_warps, sm.max_threads   these go together: the first of one with the first of the other
 *	except = sm.scheduler = gto and sm.max_warps < 32      combinations to leave out; may be there several times
 *
 * Axes that are not zipped are multiplied. The same in any order: keys have values, lists are separated by commas, a line
 * that begins with a blank continues the one before. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H
#include <stdint.h>
#include <string.h>
#include "base/diag.h"
#include "base/vec.h"

struct sweep_axis {
	const char *key;
	unsigned line;
	VEC(const char *) value;
	VEC(unsigned) at; /* the line of each value */
	int group;        /* axes of one group go together */
};

enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };
struct sweep_test {
	unsigned axis;
	enum compare op;
	const char *value;
};
struct sweep_except {
	struct sweep_test test[8]; /* all must hold */
	unsigned n;
};

/* An option of all runs. */
struct sweep_setting {
	const char *word; /* key=value */
	unsigned line;
};

struct sweep {
	struct arena arena;
	const char *path, *name;
	unsigned line, series;         /* line: of [sweep] */
	VEC(struct sweep_setting) set; /* [study]'s, then [sweep]'s */
	VEC(struct sweep_axis) axes;   /* machine, program, size, seed, repetition among them */
	VEC(struct sweep_except) except;
	unsigned groups;
};

/* NULL: errors in d, each with its line. That options are the machines' own is combine.h's to know. */
struct sweep *sweep_read(const char *path, struct diag *d);
/* An error at a line of the file. */
void sweep_complain(const struct sweep *s, struct diag *d, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Other values than the file's for an axis: of `size` any, of `program` some of those it has. False: errors in d. */
bool sweep_choose(struct sweep *s, const char *key, const char *list, struct diag *d);
void sweep_free(struct sweep *s);
int sweep_find(const struct sweep *s, const char *key); /* axis, or -1 */
bool sweep_has_value(const struct sweep_axis *x, const char *value);
void sweep_add_value(struct sweep_axis *x, const char *value, unsigned line);
bool sweep_test_holds(const struct sweep_test *t, const char *value);
/* Is it a program of the user's own, not of the suite? */
static inline bool sweep_own(const char *program) { return strchr(program, '/') != NULL; }
/* Does the axis change what this program runs? Sizes and seeds are for workloads, arguments for programs that name them. */
bool sweep_matters(const struct sweep_axis *x, const char *program);
/* How many combinations there are before any is left out. */
uint64_t sweep_size(const struct sweep *s);
/* The values of combination i, one an axis, into at[]: indices. False: it is left out, or another one runs the same. */
bool sweep_at(const struct sweep *s, uint64_t i, unsigned *at);

#endif
