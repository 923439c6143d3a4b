/* Launches from kernels. They are kept until the launching kernel has ended, and then run one by
 * one in the order of blocks, so that host threads have no influence. On a GPU, too, a launch takes
 * longer than the blocks around it, and programs rely on that. A block that waits for its launches
 * (cudaDeviceSynchronize) runs them at that point; timing mode cannot. */
#ifndef API_CHILDREN_H
#define API_CHILDREN_H
#include <pthread.h>
#include "api/api.h"

enum { MAX_NESTED = 24 }; /* deepest nesting, as in CUDA */

struct kept {
	struct heddle_launch launch; /* params: malloc'ed */
	uint64_t block, order;
};

struct children {
	struct heddle *h;
	struct heddle_module *m; /* module of the kernel that launches */
	bool can_wait;
	pthread_mutex_t lock;
	VEC(struct kept) kept;
};

/* Call children_init() before a launch and children_fini() after it; l gets the hook through which
 * the kernel launches other kernels. */
void children_init(struct children *c, struct heddle *h, struct heddle_module *m, bool can_wait,
		   struct launch *l);
void children_free(struct children *c);
/* Drops the launches that the kernel has made so far, because the kernel is run again. */
void children_forget(struct launch *l);
/* True if code of this module may wait for its launches. Such a kernel runs on one host thread,
 * because the launches run on the thread of the waiting block. */
bool children_may_wait(const struct module *m);
/* Runs the kept launches with `run` until one fails. */
enum heddle_status children_run(struct children *c,
				enum heddle_status (*run)(struct heddle *,
							  const struct heddle_launch *));

/* Runs a launch in functional mode inside another launch (launch.c). */
enum heddle_status api_launch_inside(struct heddle *h, const struct heddle_launch *hl);

#endif
