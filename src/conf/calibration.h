/* Calibration files, power/NAME.cal beside the machines: the [power] options that were fitted or
 * published for one device, and for each of them where it came from.
 *
 *	error = 0.12                 mean of |relative error| on kernels that were not fitted; optional
 *	[power]
 *	scale.units = 2.4
 *	[origin]
 *	scale.units = fitted: fma, mad and lop3 of energy.tsv, every second row
 *
 * A number without an origin is an error. The file's hash goes into results. */
#ifndef CONF_CALIBRATION_H
#define CONF_CALIBRATION_H
#include "conf/machine.h"

/* Applies m->power_cal. Errors in d. */
void calibration_read(struct machine *m, struct diag *d);

#endif
