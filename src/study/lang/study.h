/* A study: an experiment, a paper's or one's own, as a data file, studies/NAME.ini. Programs times
 * runs (configurations) are simulated; values are computed from the runs' figures; figures
 * draw values; claims compare quantities with the paper; remarks explain, each under a
 * measured condition.
 *
 * 	[study]          title, source, machine, set (for all runs), text
 * 	[program NAME]   workload (of the suite; default NAME), note, class, cost (relative; the longest
 * 	                 start first), timed (SIZE LAUNCHES: only these are timed at that size), set
 * 	                 (options for this program, in all runs)
 * 	[run NAME]       label, note, machine (default the study's), code (ptx, tesla, fermi), set
 * 	                 (key=value, separated by blanks)
 * 	[base NAME]      label, note, machine, set: a run that mechanisms are compared with
 * 	[mechanism NAME] label, family, source, note, set (for each base, or set.BASE for one),
 * 	                 none.BASE (why it has no meaning there), bases (only these): a run BASE.NAME for each base
 * 	[value NAME]     label, is (an expression, see expr.h), digits, paper (PROGRAM:NUMBER ...
 * 	                 mean:NUMBER)
 * 	[figure NAME]    title, kind (bars, stacked, scatter, lines, table), values, over, only, axis,
 * 	                 mean (yes: a column of means), text
 * 	[claim NAME]     figure, says, where, quantity, expect (NUMBER +- NUMBER, or >=, <=, >, < and a
 * 	                 NUMBER), each, direction (a condition: the sign is right), equal (yes: runs
 * 	                 do not differ), sizes, readings (LABEL: EXPRESSION; LABEL: EXPRESSION)
 * 	[remark NAME]    claim, when (an expression; shown if not 0), sizes, text
 * 	[sweep]          many runs from a few lines: see sweep.h
 *
 * A value is defined before it is used. In texts, {EXPRESSION|DIGITS} is a measured number. Lines
 * that begin with a blank continue the previous line. */
#ifndef STUDY_LANG_STUDY_H
#define STUDY_LANG_STUDY_H
#include <stdio.h>
#include "base/diag.h"
#include "base/vec.h"
#include "study/lang/expr.h"

struct study_program {
	/* class: kind of program, as the paper names it */
	const char *name, *workload, *note, *class;
	double cost;
	/* Limit of timed launches: at size `cut`, only the launches in the list `timed` are timed,
	 * and all others run functionally. NULL: all launches are timed. */
	const char *cut, *timed;
	/* Settings of the program's runs, applied after the study's settings and before the run's. */
	const char **set;
	unsigned nset;
	unsigned line, set_line; /* lines in the file */
	bool quick;              /* selected by --quick */
	bool skipped;            /* true: not selected by the user */
};

struct study_run {
	const char *name, *label, *note;
	const char *machine;   /* the run's own machine, otherwise the study's */
	const char *code;      /* machine code that PTX is compiled to */
	const char **set;      /* ended by NULL */
	unsigned nset, shared; /* shared: number of the study's own settings, which come first */
	unsigned line, machine_line, set_line; /* lines in the file */
};

/* Figures of a mechanism relative to its base: cycles of the base over cycles of the mechanism;
 * energy and energy-delay product of the mechanism over those of the base. */
enum mechanism_ratio { MECHANISM_SPEED, MECHANISM_ENERGY, MECHANISM_EDP, MECHANISM_RATIOS };
enum { STUDY_BASES = 4 };
struct study_mechanism {
	const char *name, *label, *family, *source, *note;
	int run[STUDY_BASES]; /* [base]: the mechanism's run on that base; -1: none */
	/* [base]: reason why the mechanism has no meaning on that base; NULL: none given */
	const char *none[STUDY_BASES];
	const struct expr *ratio[STUDY_BASES][MECHANISM_RATIOS];
};

struct study_value {
	const char *name, *label, *is;
	unsigned digits;
	const struct expr *expr;
	double paper[EXPR_PROGRAMS], paper_mean; /* numbers in the paper; NAN: not given */
};

enum figure_kind { FIGURE_BARS, FIGURE_STACKED, FIGURE_SCATTER, FIGURE_LINES, FIGURE_TABLE };
struct study_figure {
	/* only: names of the programs shown; NULL: all */
	const char *name, *title, *axis, *text, *only;
	enum figure_kind kind;
	bool mean;
	int over; /* value drawn as points over the bars, with a separate axis; -1: none */
	unsigned value[24], nvalues; /* indices into study.values */
};

enum expectation { EXPECT_NEAR, EXPECT_AT_LEAST, EXPECT_AT_MOST, EXPECT_ABOVE, EXPECT_BELOW };
struct study_claim {
	const char *name, *figure, *says, *where, *quantity, *expect;
	const struct expr *expr;
	const struct expr *each; /* condition that must hold for each program; NULL: none */
	/* condition that holds if the effect has the right sign, whatever its size; NULL: none */
	const struct expr *direction;
	const char *sizes; /* sizes at which the claim is judged, "small,paper"; NULL: all */
	bool equal;        /* the claim states that runs do not differ */
	enum expectation kind;
	double number, tolerance;
	unsigned digits;
	/* number of alternative readings of the claim, which are shown but not counted */
	unsigned nreadings;
	struct {
		const char *label, *quantity;
		const struct expr *expr;
	} reading[4];
};

struct study_remark {
	const char *name, *claim, *text;
	/* sizes for which the remark is shown, such as "paper"; NULL: all */
	const char *sizes;
	const struct expr *when; /* condition; NULL: always */
};

struct results;
struct study {
	struct arena arena;
	const char *name, *path, *title, *source, *machine, *set, *text;
	unsigned machine_line, set_line; /* lines in the file */
	VEC(struct study_program) programs;
	VEC(struct study_run) runs;
	VEC(unsigned) bases; /* runs that the sections [base] define */
	VEC(struct study_mechanism) mechanisms;
	VEC(struct study_value) values;
	VEC(struct study_figure) figures;
	VEC(struct study_claim) claims;
	VEC(struct study_remark) remarks;
	VEC(const char *) broken; /* names of sections with errors */
	struct expr_world world;  /* has no figures until there are results */
	const struct results *results;
	const char *size; /* size of the programs' inputs; NULL before there are results */
	const struct study
		*originals; /* the study with results of original programs; NULL: there are none */
	const char *originals_dir;
	/* only some programs were selected, and claims are judged by them alone */
	bool partial;
	bool has_paper; /* the study has a paper as its source, or numbers of one */
	bool swept;     /* the study has a section [sweep] */
};

/* Reads a study. `name` is a file, or a study that comes with Heddle. NULL: errors in d. */
struct study *study_read(const char *name, struct diag *d);
void study_free(struct study *s);
/* True if the section exists and has the key (NULL: any key). sweep.h lists the keys of [sweep]. */
bool study_section_has(const char *section, const char *key);
const char *study_section_keys(const char *section); /* " title source ... " */
const char *study_sections(void);                    /* all sections, for messages */
/* Checks that the suite has all programs. False: errors in d. */
struct suite;
bool study_check_programs(const struct study *s, const struct suite *suite, struct diag *d);
/* Checks that every run's machine exists and takes its options. False: errors in d. */
bool study_check_options(struct study *s, struct diag *d);
/* Selects the named programs, "A,B"; false: errors in d. */
bool study_choose(struct study *s, const char *list, struct diag *d);
/* Selects the programs marked as quick; false: errors in d. */
bool study_choose_quick(struct study *s, struct diag *d);
/* Returns the launches of a program that are timed at a size; NULL: all. */
const char *study_timed(const struct study_program *p, const char *size);
/* Find a run or a program by name; -1 or NULL: none. */
int study_find_run(const struct study *s, const char *name);
int study_find_program(const struct study *s, const char *name);
int study_find_value(const struct study *s, const char *name);
const struct study_figure *study_find_figure(const struct study *s, const char *name);
const struct study_claim *study_find_claim(const struct study *s, const char *name);
/* True if a section of that name has errors: references to it are then not reported. */
bool study_is_broken(const struct study *s, const char *name);
/* Connects expressions with the study's names and the figures of a run. */
void study_world(struct study *s);

/* Computes a value from the results; NAN: not measured. program < 0: over all programs, for values
 * that do not vary. */
double study_value(const struct study *s, unsigned value, int program);
double study_value_mean(const struct study *s, unsigned value);
/* Returns the number of programs that the mean of a value leaves out, because they were not
 * measured or the value divides by 0 for them. */
unsigned study_value_missing(const struct study *s, unsigned value);
/* Returns the name of the mean in a figure, which says so if it covers fewer programs than the
 * study has or more than the figure shows. Valid until the thread's next call. */
const char *study_mean_name(const struct study *s, const struct study_figure *g);
/* True if the expression divides by 0 for some program. */
bool study_divides_by_zero(const struct study *s, const struct expr *e);
/* ON_AVERAGE: the quantity agrees, but some program does not fulfil `each`. DIRECTION: the number does not
 * agree, but its sign does. UNEXERCISED: the runs that the quantity compares have equal figures. WRONG_SIZE:
 * the claim is for other sizes. UNMEASURED: a part of the quantity is missing. */
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
/* Counts the claims of each verdict. */
void study_count_verdicts(const struct study *s, unsigned count[VERDICTS]);
/* True if the program fulfils the claim's `each`, or the claim has none. */
bool study_claim_holds_for(const struct study *s, const struct study_claim *c, unsigned program);
bool study_figure_has(const struct study_figure *g, const struct study *s, unsigned program);
bool study_remark_holds(const struct study *s, const struct study_remark *r, const char *size);
/* Prints a text with its {EXPRESSION|DIGITS} replaced by numbers; `put` prints each character. */
void study_text(const struct study *s, const char *text, void (*put)(FILE *f, char c), FILE *f);

#endif
