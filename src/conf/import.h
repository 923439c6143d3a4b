/* Other programs' files as configurations of ours: GPGPU-Sim's machines (its three dialects), and
 * the register counts that a vendor's tools print. */
#ifndef CONF_IMPORT_H
#define CONF_IMPORT_H
#include <stdio.h>
#include "base/diag.h"

/* Reads `path`, tells by its content what it is, and writes an INI file to `out`; options that have
 * no counterpart are listed in comments at its end. False and errors in `d`: the file cannot be
 * read or a value makes no sense. */
bool import_config(const char *path, FILE *out, struct diag *d);

#endif
