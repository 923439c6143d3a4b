/* heddle run on traces of Accel-Sim's tracer: a folder with a kernelslist.g, that list, or one kernel's trace
 * (.traceg, also .gz or .xz). */
#ifndef CLI_TRACES_H
#define CLI_TRACES_H
#include "cli/run.h"

/* True if the path is a trace, a list of traces or a folder of traces, judged by its name and file
 * type. */
bool traces_are(const char *path);
/* Runs the kernels in the list's order; returns an exit status. `launch` runs one launch, interruptible by
 * signals. */
int traces_run(struct run *r, struct heddle *h,
	       enum heddle_status (*launch)(struct run *r, struct heddle *h));

#endif
