/* Runs recorded cases (cases.h) and compares every byte. */
#ifndef GOLDEN_HOPPER_H
#define GOLDEN_HOPPER_H
#include <stdbool.h>
#include "heddle.h"

struct hopper_run {
	/* dir: folder of the cases; more: further folder, or NULL; pattern: pattern of case names,
	 * NULL: all; family: NULL: all */
	const char *dir, *more, *pattern, *family;
	bool verbose;
	const char *config; /* machine for timing mode; NULL: functional mode */
	/* code that PTX is compiled to, as in struct heddle_options; kernels that the compiler
	 * refuses are counted separately */
	enum heddle_code code;
	const char *code_without;
	const char *cubins; /* folder or archive of the modules' machine code; NULL: PTX is run */
};

/* Prints failures, one line per family, and `N passed, N failed`. Returns a CLI_* status. */
int golden_cases(const struct hopper_run *r);

#endif
