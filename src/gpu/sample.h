/* A time series: about every N core cycles a row for each SM and one for all of them, written while
 * the run goes on. A row covers whole windows (`from` to before `to`) and ends with the first
 * window that ends N cycles after the last row. So sampling changes nothing, and rows do not depend
 * on the number of threads. */
#ifndef GPU_SAMPLE_H
#define GPU_SAMPLE_H
#include "gpu/gpu.h"

struct sampler;
struct sampler *sampler_new(const struct gpu *g, uint64_t every, FILE *f, bool json);
/* Keeps at most `rows` rows of the whole GPU over all launches: rows get longer as the run does. */
struct sampler *sampler_new_kept(const struct gpu *g, unsigned rows);
/* What it has kept, as JSON: {"columns": [names], "end": [cycles], "rows": [[values]]}. */
void sampler_print(const struct sampler *s, FILE *f);
void sampler_free(struct sampler *s); /* the end of the file; the file stays open */
/* Launches that are handed over together, the first of them with this number, begin at cycle `at`; their figures start
 * from there. */
void sampler_begin(struct sampler *s, uint64_t number, cycle_t at);
cycle_t sampler_from(const struct sampler *s); /* where the present row begins */
cycle_t sampler_next(const struct sampler *s); /* the first cycle at which it is due */
/* A kernel ran in the present row. The name is a row's once, however often; it must outlive it. */
void sampler_kernel(struct sampler *s, const char *name);
void sampler_row(struct sampler *s, cycle_t to); /* all SMs have run until there */

#endif
