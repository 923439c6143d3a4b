/* Metrics of a launch under Nsight Compute's names: see profile.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/profile/profile.h"

/* ---- parts of the expressions in metrics.def ---- */

static double number_of(const json_t *v) { return json_is_number(v) ? json_number_value(v) : NAN; }

static const json_t *find_statistic(const struct profiled *f, const char *component,
				    const char *name)
{
	return json_object_get(json_object_get(json_object_get(f->launch, "timing"), component),
			       name);
}

static double sum_of(const struct profiled *f, const char *component, const char *name)
{
	return number_of(find_statistic(f, component, name));
}

/* A histogram's sum of bucket x count. */
static double weighted_sum(const struct profiled *f, const char *component, const char *name)
{
	const json_t *list = find_statistic(f, component, name), *v;
	double sum = json_is_array(list) ? 0 : NAN;
	size_t i;
	json_array_foreach (list, i, v)
		sum += (double)i * json_number_value(v);
	return sum;
}

static double fact_of(const struct profiled *f, const char *name)
{
	return number_of(json_object_get(json_object_get(f->stats, "machine"), name));
}

static double launch_figure(const struct profiled *f, const char *name)
{
	return number_of(json_object_get(f->launch, name));
}

/* Warp-cycles that instructions of the launch's kernel waited, for causes separated by blanks. The
 * profile counts per kernel, so each launch of a kernel gets the kernel's mean. NAN: the run has no
 * profile. */
static double stalled_warps(const struct profiled *f, const char *causes)
{
	const json_t *list = json_object_get(f->stats, "profile"), *entry, *line;
	const char *kernel = json_string_value(json_object_get(f->launch, "kernel"));
	size_t i, k;
	json_array_foreach (list, i, entry) {
		const char *name = json_string_value(json_object_get(entry, "kernel"));
		double launches = json_number_value(json_object_get(entry, "launches")), sum = 0;
		if (!name || !kernel || strcmp(name, kernel) || launches < 1)
			continue;
		json_array_foreach (json_object_get(entry, "instructions"), k, line) {
			const json_t *stalls = json_object_get(line, "stalls");
			char copy[64], *save, *word;
			snprintf(copy, sizeof copy, "%s", causes);
			for (word = strtok_r(copy, " ", &save); word;
			     word = strtok_r(NULL, " ", &save))
				sum += json_number_value(json_object_get(stalls, word));
		}
		return sum / launches;
	}
	return NAN;
}

/* ---- memory ---- */

/* Sectors that loads read in the L1, and that stores send through it. NAN: an L1 without sectors. */
static double sectors_of_l1(const struct profiled *f)
{
	double size = fact_of(f, "l1_sector_bytes");
	return size > 0 ? sum_of(f, "l1d", "data_reads") + sum_of(f, "slice", "write_bytes") / size
			: NAN;
}

static double share_of_busiest(double a, double b)
{
	return isnan(a) ? b : isnan(b) || a > b ? a : b;
}

/* Of L1, L2 and DRAM, the one with the largest share of its peak. */
static double memory_throughput(const struct profiled *f)
{
	static const char *const parts[] = {"l1tex__throughput.avg.pct_of_peak_sustained_active",
					    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
					    "dram__throughput.avg.pct_of_peak_sustained_elapsed"};
	double most = NAN;
	for (unsigned i = 0; i < 3; i++)
		most = share_of_busiest(most, metric_find(parts[i])->value(f));
	return most;
}

/* ---- occupancy ---- */

static double warps_of_block(const struct profiled *f)
{
	return ceil(launch_figure(f, "threads") / launch_figure(f, "blocks") /
		    number_of(json_object_get(f->stats, "warp_size")));
}

/* Number of blocks for which an SM has enough of one resource. */
static double block_limit(const struct profiled *f, const char *resource)
{
	if (!strcmp(resource, "warps"))
		return floor(fact_of(f, "warps") / warps_of_block(f));
	if (!strcmp(resource, "shared")) {
		double bytes = launch_figure(f, "shared_bytes");
		return bytes > 0 ? floor(fact_of(f, "shared_bytes") / bytes) : fact_of(f, "blocks");
	}
	double registers = launch_figure(f, "registers") * warps_of_block(f) *
			   number_of(json_object_get(f->stats, "warp_size"));
	return floor(fact_of(f, "registers") / registers);
}

/* ---- the tables ---- */

#define S(component, name) sum_of(f, component, name)
#define W(component, name) weighted_sum(f, component, name)
#define L(name)            launch_figure(f, name)
#define M(name)            fact_of(f, name)
#define STALL(causes)      stalled_warps(f, causes)
#define SECTOR             32
#define METRIC_ID(line)    metric_of_line_##line
#define METRIC_FUNCTION(line, expression)                                                          \
	static double METRIC_ID(line)(const struct profiled *f) { return expression; }
#define METRIC_AT(line, expression)    METRIC_FUNCTION(line, expression)
#define METRIC(name, unit, expression) METRIC_AT(__LINE__, expression)
#include "cli/profile/metrics.def"
#undef METRIC
#define METRIC_ROW(line, name, unit)    {name, unit, METRIC_ID(line)},
#define METRIC_ROW_AT(line, name, unit) METRIC_ROW(line, name, unit)
#define METRIC(name, unit, expression)  METRIC_ROW_AT(__LINE__, name, unit)
static const struct metric metrics[] = {
#include "cli/profile/metrics.def"
};
#undef METRIC

unsigned metric_count(void) { return sizeof metrics / sizeof *metrics; }

const struct metric *metric_at(unsigned i) { return &metrics[i]; }

const struct metric *metric_find(const char *name)
{
	for (unsigned i = 0; i < metric_count(); i++)
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}

/* All rows in order. A row without a metric begins a section: `label` is its title, `identifier`
 * its name. */
static const struct {
	const char *identifier, *title;
	struct section_row row;
} lines[] = {
#define SECTION(identifier, title) {identifier, title, {NULL, NULL}},
#define ROW(label, metric)         {NULL, NULL, {label, metric}},
#include "cli/profile/sections.def"
#undef SECTION
#undef ROW
};

enum { MOST_SECTIONS = 16, MOST_ROWS = 24 };

unsigned section_count(void)
{
	unsigned n = 0;
	for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
		n += lines[i].identifier != NULL;
	return n;
}

const struct section *section_at(unsigned wanted)
{
	static struct section_row rows[MOST_ROWS];
	static struct section section;
	section = (struct section){.row = rows};
	for (unsigned i = 0, at = 0; i < sizeof lines / sizeof *lines; i++) {
		at += lines[i].identifier != NULL;
		if (at != wanted + 1)
			continue;
		if (lines[i].identifier) {
			section.identifier = lines[i].identifier;
			section.title = lines[i].title;
		} else if (section.rows < MOST_ROWS) {
			rows[section.rows++] = lines[i].row;
		}
	}
	return &section;
}
