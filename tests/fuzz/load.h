/* Loads a mutated file as a program: either it is refused with a message, or its kernels can be
 * built. */
#ifndef FUZZ_LOAD_H
#define FUZZ_LOAD_H
#include <stdlib.h>
#include "heddle.h"

static inline void load(const struct heddle_text *t)
{
	static struct heddle *h;
	struct heddle_module *m;
	struct heddle_options o = {0};
	if (!h && heddle_open(&h, &o))
		abort();
	if (heddle_load(h, t, 1, &m)) {
		if (!heddle_message(h)[0])
			abort();
		return;
	}
	for (unsigned i = 0; i < heddle_kernel_count(m); i++) {
		struct heddle_kernel_info info;
		heddle_kernel_info(heddle_kernel_at(m, i), &info);
	}
	heddle_unload(h, m);
}

#endif
