/* Expressions of a study: quantities computed from figures of the runs.
 *
 * 	thread_instructions(pdom) / cycles(pdom)        figures of the present program under a run
 * 	sm.active_lanes[1..4](pdom)                     a sum over part of a histogram
 * 	speedup    speedup@NN                           a value of the study, here or for another program
 * 	mean(x) gmean(x) hmean(x) least(x) most(x)      over all programs; missing values are left out
 * 	sum(x) count(x)                                 the sum; for how many programs x is true (not 0)
 * 	correlation(x, y)   amdahl(f, s, f, s, ...)     over all programs; equation 6.1 of Jin 2012
 * 	abs(x) min(x, ...) max(x, ...)   + - * /   < <= > >=   and or       comparisons are 1 or 0
 *
 * A program-wise expression outside an aggregate has no value (NAN) when no program is given. */
#ifndef STUDY_LANG_EXPR_H
#define STUDY_LANG_EXPR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct expr;
enum { EXPR_PROGRAMS = 64 }; /* most programs */
/* The names that expressions may use, and the figures after them. */
struct expr_world {
	const void *arg;
	int (*run)(const void *arg, const char *name); /* -1: unknown */
	int (*program)(const void *arg, const char *name);
	const struct expr *(*value)(const void *arg, const char *name); /* NULL: unknown */
	unsigned programs;
	/* Returns a figure; NAN: not measured. first < 0: a single counter; otherwise the sum of
	 * buckets first to last of a histogram. */
	double (*figure)(const void *arg, unsigned program, unsigned run, const char *name,
			 int first, int last);
	/* Returns 0 if there is no such figure, 1 for a number, the number of buckets for a
	 * histogram. NULL: all names are accepted. */
	unsigned (*known)(const void *arg, const char *name);
	/* True if a run, program or value of that name is in the file but has an error, which has
	 * been reported. NULL: never. */
	bool (*broken)(const void *arg, const char *name);
	/* If not NULL: gets a bit for each program with a requested figure that is missing. */
	uint64_t *missing;
	/* If not NULL: set to true if a figure was divided by 0, which counts as missing. */
	bool *by_zero;
};

/* Parses an expression. NULL: *why (in the arena) has the error and its place; "" if it was
 * reported before. */
struct expr *expr_parse(const struct expr_world *w, const char *text, struct arena *a,
			const char **why);
/* True for names of functions and operators. */
bool expr_reserves(const char *name);
/* program < 0: no program. */
double expr_eval(const struct expr *e, const struct expr_world *w, int program);
/* True if the expression has one value per program. */
bool expr_varies(const struct expr *e);

#endif
