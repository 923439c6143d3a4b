/* What a sweep over machines shows. Its axes of options are factors; the first value of each
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
	const char *title;     /* what differs from the base; "base" */
	double area;           /* mm^2; NAN: unknown */
	double mean[MEASURES]; /* of ratios to the base; NAN: not all programs */
	unsigned programs;     /* that it has results of */
	bool front;            /* no other is better in cycles, joules and area */
};

struct factor_effect {
	unsigned factor[2], level[2]; /* the second for interactions */
	double ratio[MEASURES];       /* geometric mean; 1: nothing */
	double error[MEASURES];       /* of the mean over programs, relative; NAN: of one program */
	unsigned n;                   /* pairs or quadruples, times programs */
	unsigned programs;            /* that they are of */
};

struct factors {
	struct arena arena;
	const struct sweep *s;
	struct db *db;
	const char *size, *simulator;
	unsigned axis[FACTORS_MOST], n; /* the factors' axes */
	VEC(const char *) programs;
	VEC(struct factor_machine) machines;
	int *at;       /* machine by levels as one number; -1: none */
	double *value; /* (machine * programs + program) * MEASURES + measure; NAN: none */
	int64_t *run;  /* in the store; 0: none */
	VEC(struct factor_effect) effects, interactions; /* the largest in EDP first */
	int base, best; /* machines; best: least mean EDP. -1: none */
};

/* Reads the results of this sweep, size and simulator. False: db->why, or there are none. */
bool factors_open(struct factors *f, const struct sweep *s, struct db *db, const char *size,
		  const char *simulator);
void factors_close(struct factors *f);
const char *factors_value(const struct factors *f, unsigned factor, unsigned level);
int factors_find(const struct factors *f, const unsigned *level);
double factors_at(const struct factors *f, unsigned machine, unsigned program, enum measure m);
/* The next machine on the way from the base to `to`: it takes over the one value (two if one alone
 * is refused) that saves most EDP. -1: there is none. */
int factors_step(const struct factors *f, int from, int to);
/* The best machine of a program; -1: none. */
int factors_best(const struct factors *f, unsigned program, enum measure m);
/* A figure of a run, summed over launches; 0: it has none. */
double factors_figure(const struct factors *f, unsigned machine, unsigned program,
		      const char *name);

/* ---- factors_page.c ---- */
/* DIR/index.html, DIR/why.html, and tables in CSV. False: reported. */
bool factors_write(const struct factors *f, const char *dir, const char *title, const char *text);

#endif
