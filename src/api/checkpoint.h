/* Checkpoints of a program inside the library (checkpoint.c). */
#ifndef API_CHECKPOINT_H
#define API_CHECKPOINT_H
#include <stdbool.h>
#include "heddle.h"

struct grid_result;
struct launch;

/* Opens the files of the options save and restore. */
enum heddle_status api_checkpoint_open(struct heddle *h);
void api_checkpoint_free(struct heddle *h);
/* Applies the effect that the file has for this launch to memory and counts, instead of executing
 * it. False: the file has no effect for it, and the launch must be executed. *st: an error, whose
 * message is set. */
bool api_checkpoint_replay(struct heddle *h, const struct heddle_launch *hl, const struct launch *l,
			   struct grid_result *r, enum heddle_status *st);
/* Called around a launch that is executed: records memory before it, and writes the changes after
 * it. `counts`: executions of each pc. */
struct prof;
void api_checkpoint_before(struct heddle *h, const struct launch *l);
enum heddle_status api_checkpoint_after(struct heddle *h, const struct heddle_launch *hl,
					const struct launch *l, const struct prof *counts);

#endif
