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
enum { EXPR_PROGRAMS = 64 }; /* limit of programs */
/* The names that expressions may use: functions that look up names and figures. */
struct expr_world {
	const void *arg;
	/* returns the number of a run; -1: unknown */
	int (*run)(const void *arg, const char *name);
	int (*program)(const void *arg, const char *name);
	/* returns the expression of a value; NULL: unknown */
	const struct expr *(*value)(const void *arg, const char *name);
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
	/* gets one bit set per program of which a requested figure is missing; NULL: not wanted */
	uint64_t *missing;
	/* set to true if a figure was divided by 0, which counts as missing; NULL: not wanted */
	bool *by_zero;
};

/* Parses an expression. NULL: *why (in the arena) has the error and its position; "": the error has
 * been reported already. */
struct expr *expr_parse(const struct expr_world *w, const char *text, struct arena *a,
			const char **why);
/* True for names of functions and operators. */
bool expr_reserves(const char *name);
/* Evaluates an expression. program < 0: for no particular program. */
double expr_eval(const struct expr *e, const struct expr_world *w, int program);
/* True if the expression has one value per program. */
bool expr_varies(const struct expr *e);

#endif
