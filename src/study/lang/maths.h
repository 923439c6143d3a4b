/* Arithmetic of reports. NAN stands for a value that was not measured: means and correlations
 * ignore it, and are NAN themselves if no values are left. */
#ifndef STUDY_LANG_MATHS_H
#define STUDY_LANG_MATHS_H

enum maths_mean { MEAN_ARITHMETIC, MEAN_GEOMETRIC, MEAN_HARMONIC };
double maths_mean(const double *x, unsigned n, enum maths_mean kind);
/* Bounds of the geometric mean's 95 % interval, by resampling the values (percentile bootstrap, 2000 samples, always
 * the same); NAN for fewer than two values. */
void maths_interval(const double *x, unsigned n, double *low, double *high);
double maths_least(const double *x, unsigned n);
double maths_most(const double *x, unsigned n);
/* Pearson's correlation of the pairs that have both values; NAN for fewer than two pairs, or if one
 * variable is constant. */
double maths_correlation(const double *x, const double *y, unsigned n);
/* Jin 2012, equation 6.1: fractions of the time and their speedups; the rest of the time is
 * unchanged. */
double maths_amdahl(const double *fraction, const double *speedup, unsigned n);

#endif
