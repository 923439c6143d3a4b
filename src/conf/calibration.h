/* Calibration files, power/NAME.cal beside the machines: the [power] options that were fitted or
 * published for one device, and the origin of each. A number without an origin is an error. The
 * file's hash goes into results; files are made by power/import.h or by hand.
 *
 *	error = 0.12                 mean of |relative error| on kernels that were not fitted; optional
 *	[power]
 *	scale.units = 2.4
 *	[origin]
 *	scale.units = fitted: fma, mad and lop3 of energy.tsv, every second row */
#ifndef CONF_CALIBRATION_H
#define CONF_CALIBRATION_H
#include "conf/machine.h"

/* Applies the calibration m->power_cal; errors in d. */
void calibration_read(struct machine *m, struct diag *d);

#endif
