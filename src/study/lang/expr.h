/* Expressions of a study: quantities computed from what the runs measured.
 *
 *	thread_instructions(pdom) / cycles(pdom)        figures of the present program under a run
 *	sm.active_lanes[1..4](pdom)                     a sum over part of a histogram
 *	speedup    speedup@NN                           a value of the study, here or for another program
 *	mean(x) gmean(x) hmean(x) least(x) most(x)      over all programs; what is missing is left out
 *	sum(x) count(x)                                 the sum; for how many programs x is true (not 0)
 *	correlation(x, y)   amdahl(f, s, f, s, ...)     over all programs; equation 6.1 of Jin 2012
 *	abs(x) min(x, ...) max(x, ...)   + - * /   < <= > >=   and or       comparisons are 1 or 0
 *
 * A program-wise expression outside an aggregate has no value (NAN) when no program is given. */
#ifndef STUDY_LANG_EXPR_H
#define STUDY_LANG_EXPR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct expr;
enum { EXPR_PROGRAMS = 64 }; /* at most */
/* The names that expressions use, and the figures behind them. */
struct expr_world {
	const void *arg;
	int (*run)(const void *arg, const char *name); /* -1: unknown */
	int (*program)(const void *arg, const char *name);
	const struct expr *(*value)(const void *arg, const char *name); /* NULL: unknown */
	unsigned programs;
	/* NAN: not measured. first < 0: a single counter; else buckets first to last of a
	 * histogram. */
	double (*figure)(const void *arg, unsigned program, unsigned run, const char *name,
			 int first, int last);
	/* 0: there is no such figure, 1: a number, more: a histogram of so many buckets. NULL: any
	 * name will do. */
	unsigned (*known)(const void *arg, const char *name);
	/* Whether a run, program or value of that name is in the file, but wrong, which was said. NULL:
	 * none is. */
	bool (*broken)(const void *arg, const char *name);
	/* If set: a bit for each program whose figures were asked for and are missing. */
	uint64_t *missing;
	/* If set: true if a figure was divided by 0, which is missing then too. */
	bool *by_zero;
};

/* NULL: *why (in the arena) says what is wrong and where; "" if what is wrong was said before. */
struct expr *expr_parse(const struct expr_world *w, const char *text, struct arena *a,
			const char **why);
/* True for the names of functions and operators. */
bool expr_reserves(const char *name);
/* program < 0: none in particular. */
double expr_eval(const struct expr *e, const struct expr_world *w, int program);
/* True if it has one value for each program. */
bool expr_varies(const struct expr *e);

#endif
