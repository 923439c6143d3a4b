/* Imports register counts of kernels as a vendor's tools print them, into the machine's table
 * registers.*. The dispatcher then uses these counts instead of estimates (pass/regcount.h). From
 * ptxas -v, or nvcc -Xptxas -v:
 *
 *	ptxas info    : Compiling entry function '_Z3addPfS_' for 'sm_20'
 *	ptxas info    : Used 10 registers, 48 bytes cmem[0]
 *
 * From cuobjdump -res-usage:
 *
 *	 Function _Z3addPfS_:
 *	  REG:10 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:352 TEXTURE:0 SURFACE:0 SAMPLER:0 */
#include "conf/importer.h"

#include <stdlib.h>
#include <string.h>

static const char entry[] = "Compiling entry function '", used[] = "Used ",
		  function[] = "Function ", reg[] = "REG:";

bool import_has_registers(const char *text)
{
	return strstr(text, "ptxas info") || (strstr(text, function) && strstr(text, reg));
}

/* The kernel that a line names between `intro` and `end`, terminated in place; NULL: none. */
static char *kernel_of(char *line, const char *intro, char end)
{
	char *at = strstr(line, intro);
	char *stop = at ? strchr(at + strlen(intro), end) : NULL;
	if (!stop)
		return NULL;
	*stop = 0;
	return at + strlen(intro);
}

static long count_of(const char *line)
{
	const char *u = strstr(line, used), *r = strstr(line, reg);
	if (u && strstr(u, " registers"))
		return strtol(u + strlen(used), NULL, 10);
	return r ? strtol(r + strlen(reg), NULL, 10) : 0;
}

void import_registers(struct import *im, char *text)
{
	char *kernel = NULL, *save = NULL;
	unsigned before = im->d->errors;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *name = kernel_of(line, entry, '\'');
		name = name ? name : strstr(line, "ptxas") ? NULL : kernel_of(line, function, ':');
		kernel = name ? name : kernel;
		long n = count_of(line);
		if (kernel && n > 0) {
			char key[1024];
			snprintf(key, sizeof key, "registers.%s", kernel);
			ini_put_num(im, key, n);
			kernel = NULL;
		}
	}
	if (!im->out.n && im->d->errors == before)
		diag_error(im->d, "%s: names no kernel with its registers", im->file);
}
