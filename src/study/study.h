/* A study: a paper's experiment as a data file, studies/NAME.ini. Programs times runs
 *(configurations) are simulated; values are computed from what the runs measured; figures draw
 *values; claims compare quantities with what the paper says; remarks explain, each on a measured
 *condition.
 *
 *	[study]          title, source, machine, set (for all runs), text
 *	[program NAME]   workload (of the suite; default NAME), note, cost (relative; the longest
 *start first) [run NAME]       label, set (key=value, separated by blanks), note [value NAME]
 *label, is (an expression, see expr.h), digits, paper (PROGRAM:NUMBER ... mean:NUMBER) [figure
 *NAME]    title, kind (bars, stacked, scatter), values, axis, mean (yes: a column of means), text
 *	[claim NAME]     figure, says, where, quantity, expect (NUMBER +- NUMBER, >= NUMBER, <=
 *NUMBER) [remark NAME]    claim (or figure), when (an expression; shown if not 0), text
 *
 * A value is defined before it is used. In texts, {EXPRESSION|DIGITS} is a measured number. Lines
 *that begin with a blank continue the line before. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H
#include <stdio.h>
#include "base/diag.h"
#include "base/vec.h"
#include "study/expr.h"

struct study_program {
	const char *name, *workload, *note;
	double cost;
	bool skipped; /* not chosen */
};

struct study_run {
	const char *name, *label, *note;
	const char **set; /* ends with NULL */
	unsigned nset;
};

struct study_value {
	const char *name, *label, *is;
	unsigned digits;
	const struct expr *expr;
	double paper[EXPR_PROGRAMS], paper_mean; /* NAN: the paper does not say */
};

enum figure_kind { FIGURE_BARS, FIGURE_STACKED, FIGURE_SCATTER };
struct study_figure {
	const char *name, *title, *axis, *text;
	enum figure_kind kind;
	bool mean;
	unsigned value[24], nvalues; /* of study.values */
};

enum expectation { EXPECT_NEAR, EXPECT_AT_LEAST, EXPECT_AT_MOST };
struct study_claim {
	const char *name, *figure, *says, *where, *quantity, *expect;
	const struct expr *expr;
	enum expectation kind;
	double number, tolerance;
	unsigned digits;
};

struct study_remark {
	const char *name, *claim, *text;
	const struct expr *when; /* NULL: always */
};

struct results;
struct study {
	struct arena arena;
	const char *name, *path, *title, *source, *machine, *set, *text;
	VEC(struct study_program) programs;
	VEC(struct study_run) runs;
	VEC(struct study_value) values;
	VEC(struct study_figure) figures;
	VEC(struct study_claim) claims;
	VEC(struct study_remark) remarks;
	struct expr_world world; /* without figures until results are there */
	const struct results *results;
};

/* `name` is a file, or a study that comes with Heddle. NULL: errors in d. */
struct study *study_read(const char *name, struct diag *d);
void study_free(struct study *s);
/* Only the named programs are run, "A,B"; false: errors in d. */
bool study_choose(struct study *s, const char *list, struct diag *d);
int study_find_value(const struct study *s, const char *name); /* -1: none */

/* Of results: NAN if not measured. program < 0: over all, for values that do not vary. */
double study_value(const struct study *s, unsigned value, int program);
double study_value_mean(const struct study *s, unsigned value);
enum verdict { VERDICT_AGREES, VERDICT_DIFFERS, VERDICT_UNMEASURED };
enum verdict study_verdict(const struct study *s, const struct study_claim *c, double *measured);
bool study_remark_holds(const struct study *s, const struct study_remark *r);
/* Prints a text with its {EXPRESSION|DIGITS} replaced by numbers, each character through `put`. */
void study_text(const struct study *s, const char *text, void (*put)(FILE *f, char c), FILE *f);

#endif
