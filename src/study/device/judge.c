/* Classifies kernels by what limits them on the chip, names suspected causes of errors, and sums up
 * errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/device/device.h"
#include "study/lang/maths.h"

enum { SHORT = 1500 }; /* cycles: start and end of a launch are a large part */
static const double bound = 0.25, wavefronts_per_cycle = 1;

/* The first resource, from the slowest level on, that a launch uses at a quarter of its rate or
 * more. */
static const char *kind_of(const struct device *d, const struct launch_row *r)
{
	double cycles = r->chip.cycles;
	if (cycles < SHORT)
		return "under 1,500 cycles";
	if (r->texture)
		return "textures";
	if (r->chip.dram_bytes > bound * d->peak_dram_bytes * cycles)
		return "DRAM";
	if (32 * r->chip.sectors > bound * d->peak_l2_bytes * cycles)
		return "L2";
	if (r->shared_wavefronts > bound * wavefronts_per_cycle * d->sms * cycles)
		return "shared memory";
	if (r->fp64 > 0.1 * r->chip.instructions)
		return "double precision";
	if (r->chip.instructions > bound * d->sms * d->sub_cores * cycles)
		return "issue";
	return "latency";
}

static bool differs(double chip, double model, double share)
{
	return !isnan(chip) && !isnan(model) && fabs(model - chip) > share * (chip > 0 ? chip : 1);
}

/* The first difference in the order code, traffic, ...: if instructions or traffic differ, the
 * cycles can only agree by chance. */
static const char *cause_of(const struct device *d, const struct launch_row *r)
{
	double bytes = r->chip.cycles * d->peak_dram_bytes;
	bool matters = fmax(r->chip.dram_bytes, r->machine.dram_bytes) > 0.05 * bytes;
	if (isnan(r->machine.cycles))
		return "not run";
	if (differs(r->chip.instructions, r->machine.instructions, 0.001))
		return "instructions differ";
	if (differs(r->chip.sectors, r->machine.sectors, 0.1) && r->chip.sectors > 1000)
		return "sectors from the L1 differ by more than 10 %";
	if (matters && differs(r->chip.dram_bytes, r->machine.dram_bytes, 0.1))
		return "DRAM bytes differ by more than 10 %";
	if (!differs(r->chip.cycles, r->machine.cycles, 0.1))
		return "none needed: within 10 %";
	if (r->chip.cycles < SHORT)
		return "start and end of a launch";
	if (r->texture)
		return "texture timing";
	return "not named: instructions and traffic agree";
}

void judge_launches(const struct device *d, struct launches *l)
{
	for (size_t i = 0; i < l->v.n; i++) {
		l->v.v[i].kind = kind_of(d, &l->v.v[i]);
		l->v.v[i].cause = cause_of(d, &l->v.v[i]);
	}
}

/* ---- sums ---- */

static bool is_whole(const struct error_pair *p) { return p->measured > 0 && p->simulated > 0; }

static struct error_sum sum_group(const struct error_pair *p, unsigned n, const char *group,
				  double *x, double *y)
{
	struct error_sum s = {.name = group ? group : "all", .mean = 0};
	for (unsigned i = 0; i < n; i++) {
		if (!is_whole(&p[i]) || (group && strcmp(p[i].group, group)))
			continue;
		double e = fabs(p[i].simulated / p[i].measured - 1);
		x[s.n] = log(p[i].measured);
		y[s.n++] = log(p[i].simulated);
		s.mean += e;
		s.within += e <= 0.25;
	}
	s.mean = s.n ? s.mean / s.n : NAN;
	s.log_correlation = maths_correlation(x, y, s.n);
	return s;
}

unsigned judge_sums(const struct error_pair *p, unsigned n, struct error_sum *out, unsigned room)
{
	double *x = xcalloc(n, sizeof *x), *y = xcalloc(n, sizeof *y);
	unsigned count = 0;
	for (unsigned i = 0; i < n; i++) {
		bool known = !is_whole(&p[i]);
		for (unsigned k = 0; k < count; k++)
			known |= !strcmp(out[k].name, p[i].group);
		if (!known && count + 1 < room)
			out[count++] = sum_group(p, n, p[i].group, x, y);
	}
	out[count++] = sum_group(p, n, NULL, x, y);
	free(x);
	free(y);
	return count;
}
