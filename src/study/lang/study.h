/* A study: an experiment, a paper's or one's own, as a data file, studies/NAME.ini. Programs times
 * runs (configurations) are simulated; values are computed from what the runs measured; figures
 * draw values; claims compare quantities with what the paper says; remarks explain, each on a
 * measured condition.
 *
 *	[study]          title, source, machine, set (for all runs), text
 *	[program NAME]   workload (of the suite; default NAME), note, class, cost (relative; the longest
 *	                 start first), timed (SIZE LAUNCHES: only these are timed at that size)
 *	[run NAME]       label, note, machine (default the study's), code (ptx, tesla, fermi), set
 *	                 (key=value, separated by blanks)
 *	[value NAME]     label, is (an expression, see expr.h), digits, paper (PROGRAM:NUMBER ...
 *	                 mean:NUMBER)
 *	[figure NAME]    title, kind (bars, stacked, scatter, lines, table), values, over, only, axis,
 *	                 mean (yes: a column of means), text
 *	[claim NAME]     figure, says, where, quantity, expect (NUMBER +- NUMBER, >= NUMBER, <= NUMBER),
 *	                 each, readings (LABEL: EXPRESSION; LABEL: EXPRESSION)
 *	[remark NAME]    claim, when (an expression; shown if not 0), sizes, text
 *	[sweep]          many runs from a few lines: see sweep.h
 *
 * A value is defined before it is used. In texts, {EXPRESSION|DIGITS} is a measured number. Lines
 * that begin with a blank continue the line before. */
#ifndef STUDY_LANG_STUDY_H
#define STUDY_LANG_STUDY_H
#include <stdio.h>
#include "base/diag.h"
#include "base/vec.h"
#include "study/lang/expr.h"

struct study_program {
	const char *name, *workload, *note, *class; /* class: in the paper's words */
	double cost;
	/* At size `cut` only the launches in `timed` are timed, the others run functionally. NULL:
	 * all are timed. */
	const char *cut, *timed;
	unsigned line; /* of the file */
	bool skipped;  /* not chosen */
};

struct study_run {
	const char *name, *label, *note;
	const char *machine;   /* the study's, unless it says another */
	const char *code;      /* what PTX runs as */
	const char **set;      /* ends with NULL */
	unsigned nset, shared; /* shared: of these the study's own, which come first */
	unsigned line, machine_line, set_line; /* of the file */
};

struct study_value {
	const char *name, *label, *is;
	unsigned digits;
	const struct expr *expr;
	double paper[EXPR_PROGRAMS], paper_mean; /* NAN: the paper does not say */
};

enum figure_kind { FIGURE_BARS, FIGURE_STACKED, FIGURE_SCATTER, FIGURE_LINES, FIGURE_TABLE };
struct study_figure {
	const char *name, *title, *axis, *text, *only; /* only: programs, NULL: all */
	enum figure_kind kind;
	bool mean;
	int over; /* a value drawn as points over the bars, on an axis of its own; -1: none */
	unsigned value[24], nvalues; /* of study.values */
};

enum expectation { EXPECT_NEAR, EXPECT_AT_LEAST, EXPECT_AT_MOST, EXPECT_ABOVE, EXPECT_BELOW };
struct study_claim {
	const char *name, *figure, *says, *where, *quantity, *expect;
	const struct expr *expr;
	const struct expr *each; /* must hold for each program; NULL: nothing */
	/* holds if the statement's sign is right whatever its number is; NULL: not asked */
	const struct expr *direction;
	const char *sizes; /* those at which it can be judged, "small,paper"; NULL: all */
	bool equal;        /* the statement is that runs do not differ */
	enum expectation kind;
	double number, tolerance;
	unsigned digits;
	unsigned nreadings; /* other ways to read the statement: shown, not counted */
	struct {
		const char *label, *quantity;
		const struct expr *expr;
	} reading[4];
};

struct study_remark {
	const char *name, *claim, *text;
	const char *sizes;       /* "paper": true of these alone; NULL: of all */
	const struct expr *when; /* NULL: always */
};

struct results;
struct study {
	struct arena arena;
	const char *name, *path, *title, *source, *machine, *set, *text;
	unsigned machine_line, set_line; /* of the file */
	VEC(struct study_program) programs;
	VEC(struct study_run) runs;
	VEC(struct study_value) values;
	VEC(struct study_figure) figures;
	VEC(struct study_claim) claims;
	VEC(struct study_remark) remarks;
	VEC(const char *) broken; /* names of sections that are wrong */
	struct expr_world world;  /* without figures until results are there */
	const struct results *results;
	const char *size; /* of the runs; NULL before there are results */
	bool has_paper;   /* it names one as its source, or has numbers of one */
	bool swept;       /* it has a [sweep] */
};

/* `name` is a file, or a study that comes with Heddle. NULL: errors in d. */
struct study *study_read(const char *name, struct diag *d);
void study_free(struct study *s);
/* True if the section exists and has the key (NULL: any). sweep.h knows the keys of [sweep]. */
bool study_section_has(const char *section, const char *key);
const char *study_section_keys(const char *section); /* " title source ... " */
const char *study_sections(void);                    /* all, for messages */
/* Checks that the suite has all programs. False: errors in d. */
struct suite;
bool study_check_programs(const struct study *s, const struct suite *suite, struct diag *d);
/* Checks that every run's machine exists and takes its options. False: errors in d. */
bool study_check_options(struct study *s, struct diag *d);
/* Only the named programs are run, "A,B"; false: errors in d. */
bool study_choose(struct study *s, const char *list, struct diag *d);
/* Launches of a program that are timed at a size; NULL: all. */
const char *study_timed(const struct study_program *p, const char *size);
/* By name; -1, NULL: none. */
int study_find_run(const struct study *s, const char *name);
int study_find_program(const struct study *s, const char *name);
int study_find_value(const struct study *s, const char *name);
const struct study_figure *study_find_figure(const struct study *s, const char *name);
const struct study_claim *study_find_claim(const struct study *s, const char *name);
/* True if a section of that name was found wrong: what asks for it is not wrong, too. */
bool study_is_broken(const struct study *s, const char *name);
/* Gives expressions the study's names and the figures that a run has. */
void study_world(struct study *s);

/* A value from the results; NAN: not measured. program < 0: over all, for values that do not
 * vary. */
double study_value(const struct study *s, unsigned value, int program);
double study_value_mean(const struct study *s, unsigned value);
/* How many programs the mean of a value leaves out because they were not measured or it divides by 0
 * for them. */
unsigned study_value_missing(const struct study *s, unsigned value);
/* What the mean in a figure is called: over fewer programs than the study has, or over more than the
 * figure shows, it says so. Valid until the thread's next call. */
const char *study_mean_name(const struct study *s, const struct study_figure *g);
/* True if a quantity of the study divides by 0 for some program. */
bool study_divides_by_zero(const struct study *s, const struct expr *e);
/* ON_AVERAGE: the quantity agrees, but some program does not do what `each` asks. DIRECTION: the number
 * does not agree, its sign does. UNEXERCISED: the runs that the quantity compares have equal figures, so
 * nothing of what the statement is about took place. WRONG_SIZE: the claim is for other sizes. UNMEASURED:
 * part of what the quantity needs is missing. */
enum verdict {
	VERDICT_AGREES,
	VERDICT_ON_AVERAGE,
	VERDICT_DIRECTION,
	VERDICT_DIFFERS,
	VERDICT_UNEXERCISED,
	VERDICT_WRONG_SIZE,
	VERDICT_UNMEASURED,
	VERDICTS
};
enum verdict study_verdict(const struct study *s, const struct study_claim *c, double *measured);
extern const char *const study_verdict_words[VERDICTS];
/* How many claims have each verdict. */
void study_count_verdicts(const struct study *s, unsigned count[VERDICTS]);
/* True if the program does what the claim's `each` asks, or it asks nothing. */
bool study_claim_holds_for(const struct study *s, const struct study_claim *c, unsigned program);
bool study_figure_has(const struct study_figure *g, const struct study *s, unsigned program);
bool study_remark_holds(const struct study *s, const struct study_remark *r, const char *size);
/* Prints a text with its {EXPRESSION|DIGITS} replaced by numbers, each character through `put`. */
void study_text(const struct study *s, const char *text, void (*put)(FILE *f, char c), FILE *f);

#endif
