/* Launches in functional mode inside the library (functional.c). */
#ifndef API_FUNCTIONAL_H
#define API_FUNCTIONAL_H
#include "api/api.h"

struct effects;

double api_now(void); /* seconds of a monotonic clock */
/* Runs the launch, or, after a checkpoint's effects, its other blocks; e: NULL: no checkpoint has any. */
enum heddle_status api_run_functional(struct heddle *h, const struct heddle_launch *hl,
				      struct launch *l, const struct effects *e);
/* Gives memory, counts and, in sampled mode, the caches the effects of a whole launch. */
enum heddle_status api_replay(struct heddle *h, const struct heddle_launch *hl, struct launch *l,
			      const struct effects *e);

#endif
