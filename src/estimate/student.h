/* Quantiles of Student's t. */
#ifndef ESTIMATE_STUDENT_H
#define ESTIMATE_STUDENT_H

/* Returns the number of standard errors in half a two-sided 95 % interval; `freedom` at least 1. */
double student_95(double freedom);

#endif
