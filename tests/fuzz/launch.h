/* Launches a kernel of a mutated program. Parameters of eight bytes receive the buffer's address,
 * all others a number. */
#ifndef FUZZ_LAUNCH_H
#define FUZZ_LAUNCH_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "heddle.h"

static inline void discard(void *arg, const char *text, size_t n)
{
	(void)arg, (void)text, (void)n;
}

/* Launches with the shape of `l`; sets its kernel and parameters. */
static inline void launch_with(struct heddle *h, struct heddle_launch *l, struct heddle_kernel *k,
			       uint64_t buffer, uint64_t number)
{
	struct heddle_kernel_info info;
	heddle_kernel_info(k, &info);
	if (info.param_bytes > 1 << 16)
		return;
	uint64_t *params = calloc(info.param_bytes / 8 + 2, 8);
	for (unsigned i = 0; i < info.nparam; i++) {
		struct heddle_param_info p;
		heddle_param_info(k, i, &p);
		uint64_t v = p.size == 8 ? buffer : number;
		if (p.size <= 8)
			memcpy((char *)params + p.offset, &v, p.size);
	}
	l->kernel = k;
	l->params = params;
	heddle_launch(h, l);
	free(params);
}

#endif
