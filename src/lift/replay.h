/* A kernel's trace as a module with one kernel, whose warps follow the recorded paths (ir/replay.h). */
#ifndef LIFT_REPLAY_H
#define LIFT_REPLAY_H
#include "ir/module.h"

/* True for a text that is a trace. */
bool replay_recognise(const char *text, size_t n);
/* Makes the module. False, with errors in d: the trace is not valid, or no operation stands for one
 * of its instructions. */
bool replay_module(struct module *out, const char *file, const char *text, size_t n,
		   struct diag *d);

#endif
