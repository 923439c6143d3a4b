/* Finds configurations: a path as given, or NAME.ini in the directory of machines (HEDDLE_CONF, the
 * installed one, or conf/ beside the build). Files are only located here; conf/machine.h reads them. */
#ifndef CONF_FIND_H
#define CONF_FIND_H
#include "base/arena.h"

char *conf_find(const char *name); /* returns a path to be freed; NULL: not found */
char *
conf_find_calibration(const char *name); /* path of power/NAME.cal, to be freed; NULL: not found */
/* names of all machines in the directory: "gtx480, hws, ..." */
const char *conf_names(struct arena *a);

#endif
