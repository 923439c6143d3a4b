/* A report as JSON objects. */
#ifndef STAT_JSON_H
#define STAT_JSON_H
#include <jansson.h>
#include <stdbool.h>
#include "stat/stat.h"

/* An object of objects; `instances`: not only sums. The caller's. */
json_t *stat_json(const struct stat_report *r, bool instances);
/* What a statistic is in each numbered instance of a name; NULL: there is none. The caller's. */
json_t *stat_spread(const struct stat_report *r, const char *name, const char *stat);

#endif
