/* A timeline as a JSON array of Chrome trace events, which Perfetto opens: SMs are processes;
 * groups (warps) and block slots are threads; a core cycle is shown as a microsecond. The file is
 * written window by window, from the buffers that SMs fill (sm/). */
#ifndef GPU_TRACE_H
#define GPU_TRACE_H
#include "gpu/gpu.h"

struct trace_range {
	cycle_t from, to;        /* range of core cycles of the GPU's clock; to 0: no end */
	unsigned sm_from, sm_to; /* SMs, both included */
};

struct tracer;
struct tracer *tracer_new(struct gpu *g, const struct trace_range *r, FILE *f);
void tracer_free(struct tracer *t);  /* writes the end of the array; the file stays open */
void tracer_begin(struct tracer *t); /* called when launches begin */
/* Writes the end of launch number n among the concurrent launches. */
void tracer_launch(struct tracer *t, unsigned n, const char *kernel, cycle_t from, cycle_t to);
struct meter;
/* Writes the power of each component in the meter's last span, W, as counter tracks. */
void tracer_power(struct tracer *t, const struct meter *m);
/* Called between windows: writes the events that the SMs have buffered. */
void tracer_window(struct tracer *t);
/* Called when all launches have ended: closes every open slice. */
void tracer_end(struct tracer *t, cycle_t at);

#endif
