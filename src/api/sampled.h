/* Sampled mode inside the library (sampled.c). All functions but the first two need heddle.sampled. */
#ifndef API_SAMPLED_H
#define API_SAMPLED_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "heddle.h"

/* Reads the options; leaves heddle.sampled NULL if they do not ask for sampled mode. */
enum heddle_status api_sampled_open(struct heddle *h);
void api_sampled_free(struct heddle *h);
/* Returns the number of the launch's stratum, which depends on kernel, block and waves. */
unsigned api_sampled_stratum(struct heddle *h, const struct heddle_launch *l);
/* False: the launches under way must end before the next decision about this stratum. */
bool api_sampled_ready(const struct heddle *h, unsigned stratum);
/* Decides about the stratum's next launch; true: it is to be timed. */
bool api_sampled_wants(struct heddle *h, unsigned stratum);
/* Notes that a launch is timed alone although it could share the GPU with other launches. */
void api_sampled_alone(struct heddle *h);
/* Adds the record of a launch that has ended. Launches that failed are left out. queued: the launch
 * began as it would in timing mode: directly behind the previous launch, or on an idle GPU. */
void api_sampled_add(struct heddle *h, unsigned stratum, size_t record, bool queued);
struct launch_record;
struct image;
/* Returns the number of the launch's blocks that the GPU holds at once; 0: not even one block fits. */
uint64_t api_sampled_wave(const struct heddle *h, const struct heddle_launch *l,
			  const struct image *img);
struct effects;
/* Returns the parts of a launch with this code that is to be timed thinned, malloc'ed; NULL: the
 * launch is simulated whole. e: effects from a checkpoint, which must outlive the result; NULL:
 * none. The caller sets `functional` unless `block_instructions` is set. */
struct thin *api_thin_new(const struct heddle *h, const struct heddle_launch *l,
			  const struct image *img, const struct effects *e);
/* Scales cycles, seconds and energy of a thinned launch's record up to all its blocks. Takes
 * ownership of t, and frees it if no block was skipped. */
void api_thinned(const struct heddle *h, struct launch_record *r, struct thin *t);
void api_thinned_free(struct launch_record *r);
/* api_sampled_json: the program's figures, as object `sampled` of the statistics; the other
 * function: as lines of a text file. */
json_t *api_sampled_json(const struct heddle *h);
void api_sampled_print(const struct heddle *h, FILE *out);

#endif
