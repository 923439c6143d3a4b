/* A time series: about every N core cycles one row per SM and one row for all SMs, written during
 * the run. A row covers whole windows (`from` to before `to`) and ends with the first window that
 * ends N cycles after the last row. So sampling changes no result, and rows do not depend on the
 * number of threads. A kept series of bounded length is in gpu/series.h. */
#ifndef GPU_SAMPLE_H
#define GPU_SAMPLE_H
#include "gpu/gpu.h"

struct sampler;
struct sampler *sampler_new(const struct gpu *g, uint64_t every, FILE *f, bool json);
/* Keeps at most `rows` rows of the whole GPU over all launches: rows get longer as the run does. */
struct sampler *sampler_new_kept(const struct gpu *g, unsigned rows);
/* Prints the kept rows as JSON: {"columns": [names], "end": [cycles], "rows": [[values]]}. */
void sampler_print(const struct sampler *s, FILE *f);
void sampler_free(struct sampler *s); /* writes the end of the file; the file stays open */
/* Begins launches that are submitted together at cycle `at`; figures count from there. */
void sampler_begin(struct sampler *s, cycle_t at);
cycle_t sampler_from(const struct sampler *s); /* first cycle of the present row */
cycle_t sampler_next(const struct sampler *s); /* first cycle at which the present row may end */
/* Records that a launch ran in the present row, by its number in the statistics and its kernel's name. A row has
 * the number of the first of its launches and names a kernel once; the name must outlive the row. */
void sampler_launch(struct sampler *s, uint64_t number, const char *name);
void sampler_row(struct sampler *s, cycle_t to); /* ends the row; called when all SMs have run
						  * until `to` */

#endif
