/* GPGPU-Sim's configuration files (its three dialects) as a machine of ours. */
#ifndef CONF_IMPORT_H
#define CONF_IMPORT_H
#include <stdio.h>
#include "base/diag.h"

/* Reads `path` and writes an INI file to `out`; options that have no counterpart are listed in comments
 * at its end. False and errors in `d`: the file cannot be read or a value makes no sense. */
bool import_gpgpusim(const char *path, FILE *out, struct diag *d);

#endif
