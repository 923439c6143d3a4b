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

/* Writes the machine, constants, global variables and references; false: errors in d. */
bool listing_variables(const struct listing *x);
/* Writes the code of kernel k. f: k's copy without calls, from which the code was made; shared:
 * bytes of shared memory. */
void listing_code(const struct listing *x, const struct func *k, const struct func *f,
		  const struct mfunc *m, uint32_t shared);
/* Writes the slots of texture and surface objects, which are known after all kernels. */
void listing_objects(const struct listing *x);

#endif
