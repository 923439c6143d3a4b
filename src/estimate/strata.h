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
	const char *kernel; /* copied by strata_find() */
	uint32_t block[3];
	uint32_t shared; /* dynamic shared memory, bytes */
	uint32_t waves;  /* class of the number of waves, from strata_waves() */
};

struct strata_launch {
	uint64_t instructions; /* warp instructions, never 0 */
	double cycles;         /* cycles of a timed launch; ignored for other launches */
	bool timed;
	/* timed directly behind another timed launch, which left caches and queues as timing mode
	 * does; false: the launch before was functional */
	bool live;
};

struct strata;
/* error: half-width of the 95 % interval of the program's cycles, relative to them; 0: every launch
 * is timed. */
struct strata *strata_new(double error, uint64_t seed);
void strata_free(struct strata *s);
/* Returns the class of a number of waves: 1, 2, 3, 4, then one class per doubling. */
uint32_t strata_waves(uint64_t waves);
/* Returns the number of the key's stratum, which is created if it is new. */
unsigned strata_find(struct strata *s, const struct stratum_key *k);
/* True if a decision about the stratum's next launch does not need figures of launches that have been
 * decided about but not added. */
bool strata_ready(const struct strata *s, unsigned stratum);
/* Decides about the stratum's next launch; true: it is to be timed. Several decisions may be made before
 * the first of these launches is added. */
bool strata_wants(struct strata *s, unsigned stratum);
/* Adds a launch that has ended. Launches are numbered from 0 in the order of these calls. */
void strata_add(struct strata *s, unsigned stratum, const struct strata_launch *l);
size_t strata_count(const struct strata *s); /* number of strata with launches */
/* fraction of all warp instructions that is timed */
double strata_timed_part(const struct strata *s);

/* A timed launch's part in the estimate. Its residual is its figures less the sum of weight x figures of
 * `other`; the variance of a sum over the program is the sum of spread x residual^2. */
struct strata_donor {
	size_t launch;
	/* sum of the launch's own weight, 1, and of the shares with which it stands for functional
	 * launches */
	double weight;
	double spread; /* 0: the donor stands only for itself */
	struct {
		size_t donor; /* index of the launch in the list of donors */
		double weight;
	} other[2];
};
typedef VEC(struct strata_donor) strata_donors;
/* Computes the weights of the launches so far. The caller frees the list with vec_free(). Launches
 * of strata without any timed launch are distributed over all donors' weights, so that they get the
 * mean rate; strata_untimed() returns the added weight. The sum of the donors' figures times the
 * added weight is then also the size of their error. */
void strata_weigh(const struct strata *s, strata_donors *out);
double strata_untimed(const struct strata *s);
/* Functional launches leave caches and queues in another state than timed launches do. This
 * estimates the error: timed launches of a stratum that followed a functional launch are compared
 * with live launches of similar size, the pilot among them. Sets coef[] per donor: the sum of the
 * donors' figures times coef[] is the standard deviation of the program's figures from this cause;
 * 0 unless the difference exceeds twice its own standard error. */
void strata_state(const struct strata *s, const strata_donors *d, double *coef);
/* Returns the estimate of all cycles so far, and the half-width of its 95 % interval. */
double strata_cycles(const struct strata *s, double *half);
/* Returns the degrees of freedom of all donors' residuals together; at least 2. */
double strata_freedom(const struct strata *s, const strata_donors *d);

#endif
