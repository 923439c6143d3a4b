/* The classes of instructions that figures are counted by: the names in results, as studies write them. */
#include "study/store.h"

#include <stddef.h>

const char *results_class(unsigned i)
{
	static const char *const name[] = {
		"add",     "shift_add",   "multiply", "multiply_add", "shift", "logic", "minimum",
		"compare", "convert",     "move",     "function",     "load",  "store", "atomic",
		"texture", "synchronise", "control",  "nothing",      "video", "other"};
	return i < sizeof name / sizeof *name ? name[i] : NULL;
}
