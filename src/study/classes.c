/* The classes of instructions that figures are counted by: the names in results, as studies write them. Statistics
 * name classes with '-', which expressions subtract with. */
#include "study/store.h"

#include <stdio.h>
#include "heddle.h"

const char *results_class(unsigned i)
{
	static char name[32][24];
	const char *class = heddle_class_name(i);
	if (!class || i >= 32)
		return NULL;
	snprintf(name[i], sizeof name[i], "%s", class);
	for (char *c = name[i]; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return name[i];
}
