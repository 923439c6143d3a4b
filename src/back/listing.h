/* Text of a compiled module (listing.c), written part by part. */
#ifndef BACK_LISTING_H
#define BACK_LISTING_H
#include "back/select/sel.h"

struct listing {
	const struct module *m;
	const struct layout *l;
	const char *machine; /* sm_20 */
	FILE *out;
	struct diag *d;
};

/* The machine, constants, global variables and references; false: errors in d. */
bool listing_variables(const struct listing *x);
/* The kernel k as code: f is its copy without calls, whose lines the code has; shared: bytes of shared memory. */
void listing_code(const struct listing *x, const struct func *k, const struct func *f,
		  const struct mfunc *m, uint32_t shared);
/* Slots of texture and surface objects, which are known when all kernels are made. */
void listing_objects(const struct listing *x);

#endif
