/* The instruction classes of results, with the names that studies use. Statistics spell them with
 * '-', which in an expression means subtraction. */
#include "study/store/store.h"

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
