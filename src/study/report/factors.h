/* Analyses a sweep over machines. Its axes of options are factors; the first value of each
 * belongs to the base machine. Machines are compared as ratios, program by program; a mean is
 * geometric.
 *
 * The effect of a value is its ratio over all pairs of machines that differ in this factor alone:
 * one with the value, the other with the base's.
 *
 * The interaction of two values is what both together change beyond the product of their effects,
 * over all quadruples (neither, one, the other, both) with the rest equal. 1 means that they
 * combine independently. For cycles and joules, below 1 they help each other, above 1 they cancel
 * in part.
 *
 * Refused combinations form no pairs, so nothing is compared with a machine that cannot exist. */
#ifndef STUDY_REPORT_FACTORS_H
#define STUDY_REPORT_FACTORS_H
#include "study/store/db.h"
#include "study/lang/sweep.h"

enum { FACTORS_MOST = 12 };
enum measure { M_CYCLES, M_JOULES, M_EDP, MEASURES };

struct factor_machine {
	unsigned level[FACTORS_MOST];
	const char *title; /* differences from the base; "base" for the base */
	double area;       /* mm^2; NAN: unknown */
	/* geometric means of ratios to the base; NAN: some programs are missing */
	double mean[MEASURES];
	unsigned programs; /* number of programs with results */
	/* on the Pareto front: no other is better in cycles, joules and area */
	bool front;
};

struct factor_effect {
	unsigned factor[2], level[2]; /* the second entries are for interactions */
	double ratio[MEASURES];       /* geometric mean; 1: no effect */
	/* relative error of the mean over programs; NAN: only one program */
	double error[MEASURES];
	unsigned n;        /* number of pairs or quadruples, times programs */
	unsigned programs; /* number of programs among them */
};

struct factors {
	struct arena arena;
	const struct sweep *s;
	struct db *db;
	const char *size, *simulator;
	unsigned axis[FACTORS_MOST], n; /* axes of the factors, and their number */
	VEC(const char *) programs;
	VEC(struct factor_machine) machines;
	int *at;       /* machine by its levels combined to one number; -1: none */
	double *value; /* (machine * programs + program) * MEASURES + measure; NAN: none */
	int64_t *run;  /* run in the store; 0: none */
	/* sorted by effect on EDP, largest first */
	VEC(struct factor_effect) effects, interactions;
	int base, best; /* indices of machines; best: least mean EDP. -1: none */
};

/* Reads the results of this sweep, size and simulator. False: db->why has the error, or there are
 * no results. */
bool factors_open(struct factors *f, const struct sweep *s, struct db *db, const char *size,
		  const char *simulator);
void factors_close(struct factors *f);
const char *factors_value(const struct factors *f, unsigned factor, unsigned level);
int factors_find(const struct factors *f, const unsigned *level);
double factors_at(const struct factors *f, unsigned machine, unsigned program, enum measure m);
/* Returns the next machine on the path from the base to `to`: it takes over the value (or two
 * values, if each alone is refused) that saves most EDP. -1: none. */
int factors_step(const struct factors *f, int from, int to);
/* Returns the best machine for a program; -1: none. */
int factors_best(const struct factors *f, unsigned program, enum measure m);
/* Returns a figure of a run, summed over launches; 0: none. */
double factors_figure(const struct factors *f, unsigned machine, unsigned program,
		      const char *name);

/* ---- factors_page.c ---- */
/* Writes DIR/index.html, DIR/why.html, and tables in CSV. False: an error, reported. */
bool factors_write(const struct factors *f, const char *dir, const char *title, const char *text);

#endif
