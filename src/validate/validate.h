/* heddle power validate: what its parts share. A part runs kernels or asks the model, and writes a
 * line for each target; a target that cannot be computed says why. */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H
#include <stdio.h>
#include "power/energy.h"

struct heddle_power_runner;
struct verdicts {
	FILE *f;
	const struct heddle_power_runner *runner; /* of workloads; NULL: there is none */
	const char *const *set;                   /* changes to every machine; NULL: none */
	unsigned met, missed, open;
};

/* limit: a relative difference; from 1 on: a factor. why: said when the target is missed. */
void validate_line(struct verdicts *n, const char *id, const char *what, double have, double want,
		   double limit, const char *unit, const char *source, const char *why);
/* `have` must not exceed `most`. */
void validate_most(struct verdicts *n, const char *id, const char *what, double have, double most,
		   const char *unit, const char *source, const char *why);
void validate_open(struct verdicts *n, const char *id, const char *what, const char *why);

/* One kernel on one machine. */
struct measure {
	double joule, seconds, mean, peak, least; /* J, s, W */
	double idle;                              /* W of the machine when nothing runs */
	double missed; /* transactions of loads that the L1D did not have */
	struct power_sum of;
};
struct probe {
	const char *machine, *const *set, *ptx;
	unsigned grid, rows, block, depth; /* grid x rows blocks of block x depth threads; 0: 1 */
	uint64_t bytes;                    /* of the buffer that the first parameter points to */
	bool random;                       /* its contents; else zeros */
	uint64_t copied;                   /* so many of them a host copies before the launch */
	uint32_t word[4];                  /* the parameters after it */
};
/* The first kernel of a PTX text with parameters (u64 buffer, u32 word...); false: it did not run.
 */
bool validate_run(const struct verdicts *n, const struct probe *p, struct measure *m);
/* The settings of a target, then those of n->set, which win. All of it is one malloc'ed list. */
const char **validate_settings(const struct verdicts *n, const char *const *set);

void validate_gpuwattch(struct verdicts *n);       /* its published kernel with its coefficients */
void validate_gpuwattch_small(struct verdicts *n); /* of it what takes no time */
void validate_fit(struct verdicts *n);  /* h200.cal on the loops it was fitted on, and the others */
void validate_data(struct verdicts *n); /* power.data = counted, with data that change or do not */
void validate_kernels(struct verdicts *n); /* programs measured on boards */
void validate_chips(struct verdicts *n);   /* loops of an H200's and an A100's measurements */

#endif
