/* Which launches of a program are timed, and how many others each timed one stands for.
 *
 * Launches of one kernel that fill the GPU alike form a stratum. Launches of a stratum are numbered from 0
 * in program order, and ranges of these numbers that double in length are sampled one after the other:
 *
 *	0 ... 7 | 8 ... 15 | 16 ...... 31 | 32 ............. 63 | ...
 *	pilot     n launches at equal distances from a start that the seed chooses
 *
 * The pilot is timed whole. For every later range, n follows from the residuals before it, so it does not
 * depend on what the range itself measures. A decision is made when the launch comes, because the number
 * of launches is not known before the program's end.
 *
 * A launch that is not timed gets the figures of timed launches of its stratum, in proportion to warp
 * instructions, which functional mode counts exactly: of the ones before and after it in program order if
 * they have its number of instructions within 2 %, otherwise of the next smaller and the next larger one.
 * So each figure of a program is a weighted sum over timed launches. Its error follows from leave-one-out
 * residuals: what a timed launch would have got if it had not been timed, less what it has.
 *
 * Decisions depend on the seed and on simulated counts alone. */
#ifndef ESTIMATE_STRATA_H
#define ESTIMATE_STRATA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vec.h"

struct stratum_key {
	const char *kernel; /* copied */
	uint32_t block[3];
	uint32_t shared; /* dynamic shared memory, bytes */
	uint32_t waves;  /* class of the number of waves: strata_waves() */
};

struct strata_launch {
	uint64_t instructions; /* warp instructions, never 0 */
	double cycles;         /* timed launches; otherwise ignored */
	bool timed;
	/* timed, and so was the launch before it, which left caches and queues as timing mode does; otherwise
	 * functional launches did */
	bool live;
};

struct strata;
/* error: half-width of the 95 % interval of the cycles, relative; 0: every launch is timed. */
struct strata *strata_new(double error, uint64_t seed);
void strata_free(struct strata *s);
/* Class of a number of waves: 1, 2, 3, 4, then one class per doubling. */
uint32_t strata_waves(uint64_t waves);
/* Returns the stratum's number. */
unsigned strata_find(struct strata *s, const struct stratum_key *k);
/* True if a decision about the stratum's next launch does not need figures of launches that have been
 * decided about but not added. */
bool strata_ready(const struct strata *s, unsigned stratum);
/* Decides about the stratum's next launch; true: it is to be timed. Several decisions may be made before
 * the first of these launches is added. */
bool strata_wants(struct strata *s, unsigned stratum);
/* Adds a launch that has ended. Launches are numbered from 0 in the order of these calls. */
void strata_add(struct strata *s, unsigned stratum, const struct strata_launch *l);
size_t strata_count(const struct strata *s);      /* number of strata with launches */
double strata_timed_part(const struct strata *s); /* part of all instructions that is timed */

/* A timed launch's part in the estimate. Its residual is its figures less the sum of weight x figures of
 * `other`; the variance of a sum over the program is the sum of spread x residual^2. */
struct strata_donor {
	size_t launch;
	double weight; /* 1 for the launch itself, and what it gives to others */
	double spread; /* 0: the donor stands for nothing but itself */
	struct {
		size_t donor; /* index in the list of donors */
		double weight;
	} other[2];
};
typedef VEC(struct strata_donor) strata_donors;
/* Weighs the launches so far. The caller frees the list with vec_free(). Launches of strata without any
 * timed launch are added to all donors' weights, so that they get the mean rate; strata_untimed() is what
 * was added. The sum of donors' figures times that is then also the size of their error. */
void strata_weigh(const struct strata *s, strata_donors *out);
double strata_untimed(const struct strata *s);
/* What functional launches leave differs from what timed ones would: timed launches of a stratum that followed a
 * functional one are compared with live ones of their size, the pilot among them. Sets coef[] of each donor; the sum of
 * donors' figures times it is the standard deviation of the program's figures by this cause. It is 0 unless the
 * difference is larger than twice its own standard error. */
void strata_state(const struct strata *s, const strata_donors *d, double *coef);
/* Estimate of all cycles so far, and the half-width of its 95 % interval. */
double strata_cycles(const struct strata *s, double *half);
/* Degrees of freedom of the donors' residuals together; at least 2. */
double strata_freedom(const struct strata *s, const strata_donors *d);

#endif
