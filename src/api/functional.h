/* Launches in functional mode inside the library (functional.c). */
#ifndef API_FUNCTIONAL_H
#define API_FUNCTIONAL_H
#include "api/api.h"

struct effects;

double api_now(void); /* seconds of a monotonic clock */
/* Runs a launch. e: effects of its first blocks, taken from a checkpoint, so that only the other
 * blocks are executed; NULL: all blocks are executed. */
enum heddle_status api_run_functional(struct heddle *h, const struct heddle_launch *hl,
				      struct launch *l, const struct effects *e);
/* Applies the effects of a whole saved launch: to memory, to the counters and, in sampled mode, to
 * the caches. */
enum heddle_status api_replay(struct heddle *h, const struct heddle_launch *hl, struct launch *l,
			      const struct effects *e);

#endif
