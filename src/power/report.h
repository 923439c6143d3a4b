/* `heddle power MACHINE`: every coefficient with its formula, inputs, source, calibration factor
 * and the counter that it multiplies; one event term by term; areas. The rows printed are those that
 * energies are computed from (power/model.h). */
#ifndef POWER_REPORT_H
#define POWER_REPORT_H
#include "power/model.h"

void power_print(const struct power_model *p, FILE *f);
/* False: no such event; the nearest name is in d. */
bool power_print_event(const struct power_model *p, const char *event, FILE *f, struct diag *d);
void power_print_area(const struct power_model *p, FILE *f);

#endif
