/* A report (stat/stat.h) as JSON objects. Names and values are those of the printed reports. */
#ifndef STAT_JSON_H
#define STAT_JSON_H
#include <jansson.h>
#include <stdbool.h>
#include "stat/stat.h"

/* The report as an object of objects; `instances`: instances too, not only sums. The caller owns the result. */
json_t *stat_json(const struct stat_report *r, bool instances);
/* A statistic's value in each numbered instance of a name; NULL: no such instance. The caller owns the
 * result. */
json_t *stat_spread(const struct stat_report *r, const char *name, const char *stat);

#endif
