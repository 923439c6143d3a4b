/* Imports GPUWattch's and AccelWattch's XML files as calibration files (conf/calibration.h).
 *
 * Their coefficients x_k are factors on energies that the tools' own model computes. These energies
 * are known for one file, GTX480's, from its published logs: E_ref. So a coefficient of another
 * file stands for an energy of E_ref x (x_k / x_k of GTX480) x F / 40, which becomes the energy of
 * the event (power.event.*). */
#ifndef POWER_IMPORT_H
#define POWER_IMPORT_H
#include <stdbool.h>
#include <stdio.h>
#include "base/diag.h"

/* Prints the calibration. False, one error in d and nothing printed: the file cannot be read as
 * either tool's. */
bool power_import(const char *path, FILE *f, struct diag *d);
/* power_import() of text in memory; `name` stands for the file in errors. */
bool power_import_text(const char *name, const char *text, size_t n, FILE *f, struct diag *d);

#endif
