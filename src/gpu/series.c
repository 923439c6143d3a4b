/* A time series of bounded length; the rule is in series.h. */
#include "gpu/series.h"

#include "base/vec.h"

void series_init(struct series *s, unsigned most, unsigned width)
{
	most += most & 1; /* an even number, because rows are joined in pairs */
	*s = (struct series){.most = most, .width = width};
	s->end = xcalloc(most, sizeof *s->end);
	s->value = xcalloc((size_t)most * width, sizeof *s->value);
}

void series_free(struct series *s)
{
	free(s->end);
	free(s->value);
}

static void join_pairs(struct series *s)
{
	for (unsigned i = 0; i < s->n; i += 2) {
		const double *a = s->value + (size_t)i * s->width, *b = a + s->width;
		double *to = s->value + (size_t)(i / 2) * s->width;
		for (unsigned k = 0; k < s->width; k++)
			to[k] = a[k] + b[k];
		s->end[i / 2] = s->end[i + 1];
	}
	s->n /= 2;
}

bool series_add(struct series *s, uint64_t cycles, const double *value)
{
	bool full = s->n == s->most;
	if (full)
		join_pairs(s);
	s->end[s->n] = (s->n ? s->end[s->n - 1] : 0) + cycles;
	for (unsigned k = 0; k < s->width; k++)
		s->value[(size_t)s->n * s->width + k] = value[k];
	s->n++;
	return full;
}
