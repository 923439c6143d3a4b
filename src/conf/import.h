/* Imports other programs' files: GPGPU-Sim's machines (three dialects), and register counts that a
 * vendor's tools print. The result is an INI file that conf/machine.h reads; every option of the
 * file is converted or listed as ignored. */
#ifndef CONF_IMPORT_H
#define CONF_IMPORT_H
#include <stdio.h>
#include "base/diag.h"

/* Reads `path`, recognises its kind by its content, and writes an INI file to `out`; options
 * without a counterpart are listed in comments at its end. False and errors in `d`: the file cannot
 * be read or a value makes no sense. */
bool import_config(const char *path, FILE *out, struct diag *d);

#endif
