/* Means, correlation and Amdahl's law (maths.h). */
#include "study/lang/maths.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

double maths_mean(const double *x, unsigned n, enum maths_mean kind)
{
	double sum = 0;
	unsigned k = 0;
	for (unsigned i = 0; i < n; i++) {
		if (isnan(x[i]))
			continue;
		sum += kind == MEAN_GEOMETRIC ? log(x[i]) : kind == MEAN_HARMONIC ? 1 / x[i] : x[i];
		k++;
	}
	if (!k)
		return NAN;
	return kind == MEAN_GEOMETRIC ? exp(sum / k) : kind == MEAN_HARMONIC ? k / sum : sum / k;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

void maths_interval(const double *x, unsigned n, double *low, double *high)
{
	enum { SAMPLES = 2000, CUT = SAMPLES / 40 };
	static _Thread_local double mean[SAMPLES];
	uint64_t state = 0x9e3779b97f4a7c15u;
	unsigned k = 0;
	*low = *high = NAN;
	for (unsigned i = 0; i < n; i++)
		k += !isnan(x[i]);
	if (k < 2)
		return;
	for (unsigned s = 0; s < SAMPLES; s++) {
		double sum = 0;
		for (unsigned drawn = 0; drawn < k;) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			double y = x[(state >> 32) % n];
			if (isnan(y))
				continue;
			sum += log(y);
			drawn++;
		}
		mean[s] = exp(sum / k);
	}
	qsort(mean, SAMPLES, sizeof *mean, by_number);
	*low = mean[CUT];
	*high = mean[SAMPLES - 1 - CUT];
}

double maths_least(const double *x, unsigned n)
{
	double best = NAN;
	for (unsigned i = 0; i < n; i++)
		best = fmin(best, x[i]); /* fmin and fmax ignore NAN */
	return best;
}

double maths_most(const double *x, unsigned n)
{
	double best = NAN;
	for (unsigned i = 0; i < n; i++)
		best = fmax(best, x[i]);
	return best;
}

double maths_correlation(const double *x, const double *y, unsigned n)
{
	double mx = 0, my = 0, xy = 0, xx = 0, yy = 0;
	unsigned k = 0;
	for (unsigned i = 0; i < n; i++)
		if (!isnan(x[i]) && !isnan(y[i]))
			mx += x[i], my += y[i], k++;
	if (k < 2)
		return NAN;
	mx /= k;
	my /= k;
	for (unsigned i = 0; i < n; i++) {
		if (isnan(x[i]) || isnan(y[i]))
			continue;
		xy += (x[i] - mx) * (y[i] - my);
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

double maths_amdahl(const double *fraction, const double *speedup, unsigned n)
{
	double rest = 1, time = 0;
	for (unsigned i = 0; i < n; i++) {
		rest -= fraction[i];
		time += fraction[i] / speedup[i];
	}
	return 1 / (rest + time);
}
