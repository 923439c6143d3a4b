/* heddle power validate: interface between its parts. A part runs kernels or asks the model, and
 * prints one line for each target; a target that cannot be computed states the reason. */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H
#include <stdio.h>
#include "power/energy.h"

struct heddle_power_runner;
struct verdicts {
	FILE *f;
	const struct heddle_power_runner *runner; /* runs workloads; NULL: none */
	/* settings changed on every machine; NULL: none */
	const char *const *set;
	unsigned met, missed, open;
};

/* Prints a target's line. limit: a relative difference; from 1 on: a factor. why: printed when the
 * target is missed. */
void validate_line(struct verdicts *n, const char *id, const char *what, double have, double want,
		   double limit, const char *unit, const char *source, const char *why);
/* Prints a target's line; the value `have` must not exceed `most`. */
void validate_most(struct verdicts *n, const char *id, const char *what, double have, double most,
		   const char *unit, const char *source, const char *why);
void validate_open(struct verdicts *n, const char *id, const char *what, const char *why);

/* Measurements of one kernel on one machine. */
struct measure {
	double joule, seconds, mean, peak, least; /* J, s, W */
	double idle;                              /* power of the idle machine, W */
	/* transactions of loads that missed in the L1D */
	double missed;
	struct power_sum of;
};
struct probe {
	const char *machine, *const *set, *ptx;
	/* grid x rows blocks of block x depth threads; 0 counts as 1 */
	unsigned grid, rows, block, depth;
	/* bytes of the buffer that the first parameter points to */
	uint64_t bytes;
	bool random; /* true: random contents; false: zeros */
	/* bytes of the buffer that a host copies before the launch */
	uint64_t copied;
	uint32_t word[4]; /* parameters after the buffer */
};
/* Runs the first kernel of a PTX text with parameters (u64 buffer, u32 word...); false: it did not
 * run. */
bool validate_run(const struct verdicts *n, const struct probe *p, struct measure *m);
/* Returns the settings of a target followed by those of n->set, which take precedence, as one
 * malloc'ed list. */
const char **validate_settings(const struct verdicts *n, const char *const *set);

void validate_gpuwattch(
	/* compares with GPUWattch's published kernel, with GPUWattch's coefficients */
	struct verdicts *n);
void validate_gpuwattch_small(
	struct verdicts *n); /* the parts of GPUWattch's comparison that need no long run */
/* compares h200.cal with the loops it was fitted to, and with the others */
void validate_fit(struct verdicts *n);
/* compares power.data = counted for data that change and data that do not */
void validate_data(struct verdicts *n);
void validate_kernels(struct verdicts *n); /* compares with programs measured on boards */
/* compares with loops measured on an H200 and an A100 */
void validate_chips(struct verdicts *n);

#endif
