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
/* Gives memory and counts the effect that the file has for this launch, in place of running it; false: the
 * file has none (any more), and the launch is to be run. *st: an error, whose message is set. */
bool api_checkpoint_replay(struct heddle *h, const struct heddle_launch *hl, const struct launch *l,
			   struct grid_result *r, enum heddle_status *st);
/* Around a launch that is run: notes memory before it, and writes what it has changed. `counts`: what each
 * pc did. */
struct prof;
void api_checkpoint_before(struct heddle *h, const struct launch *l);
enum heddle_status api_checkpoint_after(struct heddle *h, const struct heddle_launch *hl,
					const struct launch *l, const struct prof *counts);

#endif
