/* A report as JSON objects. */
#ifndef STAT_JSON_H
#define STAT_JSON_H
#include <jansson.h>
#include <stdbool.h>
#include "stat/stat.h"

/* An object of objects; `instances`: with instances, not only sums. The caller owns it. */
json_t *stat_json(const struct stat_report *r, bool instances);
/* A statistic's value in each numbered instance of a name; NULL: there is none. The caller owns
 * it. */
json_t *stat_spread(const struct stat_report *r, const char *name, const char *stat);

#endif
