/* A sweep: many runs from a few lines, the section [sweep] of a study file.
 *
 * 	[sweep]
 * 	machine = hws, gtx480                configurations; default: the study's own
 * 	set = sm.max_blocks=16               options of all runs, in addition to those of [study]
 * 	workload = BFS, AES                  programs of the suite
 * 	program = ./app {n} --fast           another program with arguments; {n} is the axis arg.n;
 * 	                                     several lines are allowed
 * 	size = test, small                   of workloads (default test)
 * 	arg.n = 100, 200                     an axis for arguments of programs
 * 	sm.scheduler = lrr, gto              an axis: any option
 * 	sm.max_warps = 16..48 step 16        a range; also 8..64 times 2
 * 	seed = 1..3                          of workloads
 * 	repeat = 2                           repetitions of each run
 * 	mode = sampled                       a sample of launches is timed (default: timing, all of them)
 * 	error = 2%                           sampled: half-width of the interval of the cycles
 * 	sample = 0                           sampled: selects another sample
 * 	series = 200                         a time series of at most 200 rows per run (default none)
 * 	zip = sm.max_warps, sm.max_threads   these axes go together: first value with first value
 * 	except = sm.scheduler = gto and sm.max_warps < 32
 * 	                                     combinations to leave out; several lines are allowed
 *
 * Axes that are not zipped are multiplied. The order of lines does not matter. Lists are separated
 * by commas; a line that begins with a blank continues the previous line. */
#ifndef STUDY_LANG_SWEEP_H
#define STUDY_LANG_SWEEP_H
#include <stdint.h>
#include <string.h>
#include "base/diag.h"
#include "base/vec.h"

struct sweep_axis {
	const char *key;
	unsigned line;
	VEC(const char *) value;
	VEC(unsigned) at; /* [value]: line of the file */
	int group;        /* number of the axis's group; axes of a group are varied together */
};

enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };
struct sweep_test {
	unsigned axis;
	enum compare op;
	const char *value;
};
struct sweep_except {
	struct sweep_test test[8]; /* conditions, all of which must hold */
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
	/* line: of the section [sweep]; series: limit of rows of a time series */
	unsigned line, series;
	const char *mode, *error, *sample; /* as the options of heddle run; NULL: not given */
	/* mode_line: line of the key `mode`; sample_line: line of `error` or `sample`, 0: neither
	 * is given */
	unsigned mode_line, sample_line;
	VEC(struct sweep_setting) set; /* settings of [study], then of [sweep] */
	VEC(struct sweep_axis) axes;   /* include machine, program, size, seed and repetition */
	VEC(struct sweep_except) except;
	unsigned groups;
};

/* Reads a sweep. NULL: errors in d, each with its line. combine.h checks the options against the
 * machines. */
struct sweep *sweep_read(const char *path, struct diag *d);
/* Reports an error at a line of the file. */
void sweep_complain(const struct sweep *s, struct diag *d, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Replaces an axis's values: `size` may get any values, `program` only some of its present ones.
 * False: errors in d. */
bool sweep_choose(struct sweep *s, const char *key, const char *list, struct diag *d);
void sweep_free(struct sweep *s);
int sweep_find(const struct sweep *s, const char *key); /* index of an axis; -1: none */
bool sweep_has_value(const struct sweep_axis *x, const char *value);
void sweep_add_value(struct sweep_axis *x, const char *value, unsigned line);
bool sweep_test_holds(const struct sweep_test *t, const char *value);
/* True for a user's own program, which is given by a path, unlike programs of the suite. */
static inline bool sweep_own(const char *program) { return strchr(program, '/') != NULL; }
static inline bool sweep_is_sampled(const struct sweep *s)
{
	return s->mode && !strcmp(s->mode, "sampled");
}
/* True if the axis changes a run of this program. Sizes and seeds are for workloads, arguments for
 * programs that use them. */
bool sweep_matters(const struct sweep_axis *x, const char *program);
/* Returns the number of combinations, including those that are left out. */
uint64_t sweep_size(const struct sweep *s);
/* Sets at[] to the values of combination i, one index per axis. False: the combination is excluded,
 * or is equivalent to another one. */
bool sweep_at(const struct sweep *s, uint64_t i, unsigned *at);

#endif
