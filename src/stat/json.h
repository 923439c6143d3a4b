/* A report (stat/stat.h) as JSON objects. Names and values are those of the printed reports. */
#ifndef STAT_JSON_H
#define STAT_JSON_H
#include <jansson.h>
#include "stat/stat.h"

/* The report as an object of objects. The caller owns the result. */
json_t *stat_json(const struct stat_report *r);

#endif
