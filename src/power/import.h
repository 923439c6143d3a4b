/* GPUWattch's and AccelWattch's XML files as calibration files.
 *
 * Their coefficients x_k are factors on energies that their own model computes. What those energies
 * are is known for one file, GTX480's, from its published logs: E_ref. So a coefficient of another
 * file means E_ref x (x_k / x_k of GTX480) x F / 40, and that is the energy of the event
 * (power.event.*). */
#ifndef POWER_IMPORT_H
#define POWER_IMPORT_H
#include <stdbool.h>
#include <stdio.h>
#include "base/diag.h"

/* Prints the calibration; false and one error in d if the file cannot be read as one of theirs:
 * then nothing is printed. */
bool power_import(const char *path, FILE *f, struct diag *d);
/* The same of text in memory. */
bool power_import_text(const char *name, const char *text, size_t n, FILE *f, struct diag *d);

#endif
