/* Report at the end of a run, by kernel: a table of the cost of timed kernels, most expensive
 * first, and a note on kernels of `heddle cc` that use local memory. */
#include <stdio.h>
#include "cuda/device/device.h"
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

enum { ROWS_MOST = 20 };

/* Sums over all timed launches of a kernel. */
struct row {
	const char *kernel;
	unsigned launches;
	uint64_t cycles, warp_instructions;
	double seconds;
	double occupied; /* sum of cycles times occupancy of the launches */
};

/* Returns the fraction of an SM's threads that blocks of a launch can occupy. */
static double launch_occupancy(const struct heddle_stats *s)
{
	const struct heddle_device *d = &process.device.info;
	unsigned threads = s->block[0] * s->block[1] * s->block[2];
	unsigned warps = (threads + d->warp_size - 1) / d->warp_size;
	unsigned blocks =
		heddle_occupancy(process.device.h, threads, s->registers, s->shared_bytes);
	double share = (double)blocks * warps * d->warp_size / d->threads_per_sm;
	return share < 1 ? share : 1;
}

static struct row *find_row(struct row *row, unsigned n, const char *kernel)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(row[i].kernel, kernel))
			return &row[i];
	return NULL;
}

static void add_launch(struct row *r, const struct heddle_stats *s)
{
	r->launches++;
	r->cycles += s->cycles;
	r->warp_instructions += s->warp_instructions;
	r->seconds += s->gpu_seconds;
	r->occupied += (double)s->cycles * launch_occupancy(s);
}

static int by_cycles(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return x->cycles != y->cycles ? (x->cycles < y->cycles ? 1 : -1)
				      : strcmp(x->kernel, y->kernel);
}

static void print_rows(const struct row *row, unsigned n)
{
	unsigned shown = n < ROWS_MOST ? n : ROWS_MOST;
	rt_say("%9s %12s %7s %9s %10s  kernel", "launches", "cycles", "IPC", "occupancy", "ms");
	for (unsigned i = 0; i < shown; i++) {
		const struct row *r = &row[i];
		char plain[256];
		double cycles = r->cycles ? (double)r->cycles : 1;
		rt_say("%9u %12llu %7.2f %7.0f %% %10.6g  %s", r->launches,
		       (unsigned long long)r->cycles, (double)r->warp_instructions / cycles,
		       100 * r->occupied / cycles, r->seconds * 1e3,
		       heddle_plain_name(r->kernel, plain, sizeof plain));
	}
	if (shown < n)
		rt_say("and %u more kernels, which took less time", n - shown);
}

void report_kernels(void)
{
	unsigned launches = heddle_stats_count(process.device.h), n = 0;
	struct row *row = rt_alloc(launches * sizeof *row);
	for (unsigned i = 0; i < launches; i++) {
		const struct heddle_stats *s = heddle_stats_at(process.device.h, i);
		if (!s->timed)
			continue;
		struct row *r = find_row(row, n, s->kernel);
		if (!r)
			(r = &row[n++])->kernel = s->kernel;
		add_launch(r, s);
	}
	qsort(row, n, sizeof *row, by_cycles);
	double cycles, half;
	if (n && heddle_sampled_cycles(process.device.h, &cycles, &half))
		rt_say("the timed launches by kernel:");
	if (n)
		print_rows(row, n);
	free(row);
}

/* ---- local memory ---- */

void report_local_use(const char *kernel, unsigned bytes)
{
	struct report_local *l = &process.report.local;
	if (l->bytes) {
		l->others++;
		return;
	}
	snprintf(l->kernel, sizeof l->kernel, "%s", kernel);
	l->bytes = bytes;
}

void report_local_memory(void)
{
	const struct report_local *l = &process.report.local;
	if (!l->bytes)
		return;
	char plain[256], others[48] = "";
	if (l->others)
		snprintf(others, sizeof others, " and %u other kernel%s", l->others,
			 l->others == 1 ? "" : "s");
	rt_say("note: %s (%u bytes per thread)%s: arrays that `heddle cc` could not keep in registers are in local memory",
	       heddle_plain_name(l->kernel, plain, sizeof plain), l->bytes, others);
}
