/* --check control-bits for machine code of sm_75 and later: see isa/sm70/hazard.h. */
#ifndef LIFT_SM70_CONTROL_CHECK_H
#define LIFT_SM70_CONTROL_CHECK_H
#include <stddef.h>
#include "base/diag.h"
#include "ir/module.h"

struct control_sink { /* called with each hazard: three lines of text without the last newline */
	void (*found)(void *arg, const char *text);
	void *arg;
};

/* Reports the hazards of a kernel of machine code and of the functions that it may call; returns
 * their number. */
unsigned control_check_kernel(const struct func *kernel, const struct control_sink *to);

struct control_check {
	unsigned long instructions;
	unsigned functions, found;
};
/* Reports the hazards of all functions of a cubin for sm_75 or later. False: the file is not such a
 * cubin; d has the reason. */
bool control_check_file(const char *file, const void *data, size_t n, const struct control_sink *to,
			struct control_check *out, struct diag *d);

#endif
