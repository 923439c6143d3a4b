/* Finds configurations: a path as given, or NAME.ini in the directory of machines (HEDDLE_CONF, the
 * installed one, or conf/ beside the build). */
#ifndef CONF_FIND_H
#define CONF_FIND_H
#include "base/arena.h"

char *conf_find(const char *name);             /* malloc'ed path, or NULL */
char *conf_find_calibration(const char *name); /* the same of power/NAME.cal */
const char *conf_names(struct arena *a);       /* "gtx480, hws, ..." of what is shipped */

#endif
