/* Finds configurations: a path as given, or NAME.ini in the directory of machines (HEDDLE_CONF, the
 * installed one, or conf/ beside the build). Files are only located here; conf/machine.h reads them. */
#ifndef CONF_FIND_H
#define CONF_FIND_H
#include "base/arena.h"

char *conf_find(const char *name); /* path to be freed; NULL: not found */
char *
conf_find_calibration(const char *name); /* path of power/NAME.cal, to be freed; NULL: not found */
const char *conf_names(struct arena *a); /* names of all machines found: "gtx480, hws, ..." */

#endif
