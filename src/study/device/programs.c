/* Launches of the workload suite: Nsight Compute's figures and the statistics of runs, matched by the kernel's name and the number
 * of its launch. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/device/device.h"
#include "study/device/tsv.h"

static const struct figures unknown = {NAN, NAN, NAN, NAN};

static struct launch_row *find_launch(struct launches *l, const char *program, const char *kernel,
				      unsigned number)
{
	for (size_t i = 0; i < l->v.n; i++)
		if (l->v.v[i].number == number && !strcmp(l->v.v[i].kernel, kernel) &&
		    !strcmp(l->v.v[i].program, program))
			return &l->v.v[i];
	return NULL;
}

static void add_counters(const struct tsv *t, unsigned row, struct launch_row *r)
{
	/* the L1 is empty at every launch, so its traffic does not depend on the L2's state; DRAM's
	 * does */
	r->chip.sectors = tsv_number(t, row, "l2_sectors_from_sms");
	if (!strcmp(tsv_text(t, row, "caches"), "warm"))
		r->chip.dram_bytes = tsv_number(t, row, "dram_bytes_read") +
				     tsv_number(t, row, "dram_bytes_written");
	r->shared_wavefronts = tsv_number(t, row, "shared_wavefronts");
	r->fp64 = tsv_number(t, row, "pipe_fp64_instr");
	r->xu = tsv_number(t, row, "pipe_xu_instr");
}

bool programs_read(const struct device *d, const char *size, struct launches *l, struct arena *a)
{
	char name[100];
	struct tsv t, c;
	/* the largest size that was measured */
	const char *at = !strcmp(size, "paper") ? "small" : size;
	snprintf(name, sizeof name, "workloads_%s_cycles", at);
	if (!tsv_open(&t, "reproduce", d->dir, name))
		return false;
	for (unsigned i = 1; i <= t.rows; i++) {
		struct launch_row r = {.program = arena_strdup(a, tsv_text(&t, i, "program")),
				       .kernel = arena_strdup(a, tsv_text(&t, i, "kernel")),
				       .number = (unsigned)atoi(tsv_text(&t, i, "launch")),
				       .chip = unknown,
				       .machine = unknown,
				       .code = unknown,
				       .shared_wavefronts = NAN,
				       .fp64 = NAN,
				       .xu = NAN,
				       .own_registers = NAN};
		r.chip.cycles = tsv_number(&t, i, "sm_cycles_active_max_warm_median");
		r.chip.instructions = tsv_number(&t, i, "warp_instr");
		r.registers = tsv_number(&t, i, "registers");
		vec_push(&l->v, r);
	}
	tsv_close(&t);
	snprintf(name, sizeof name, "workloads_%s_counters", at);
	if (!tsv_open(&c, "reproduce", d->dir, name))
		return false;
	for (unsigned i = 1; i <= c.rows; i++) {
		struct launch_row *r =
			find_launch(l, tsv_text(&c, i, "program"), tsv_text(&c, i, "kernel"),
				    (unsigned)atoi(tsv_text(&c, i, "launch")));
		if (r)
			add_counters(&c, i, r);
	}
	tsv_close(&c);
	return true;
}

const char *programs_workload(struct arena *a, const char *program)
{
	char *s = arena_strdup(a, program), *bar = strchr(s, '_');
	if (bar)
		*bar = '.';
	return s;
}

/* The function's own name in a mangled one: bfs_expand of _Z10bfs_expandPKiS0_Ph. */
static const char *plain_kernel(struct arena *a, const char *name)
{
	char *end;
	if (strncmp(name, "_Z", 2) || !isdigit((unsigned char)name[2]))
		return name;
	unsigned long n = strtoul(name + 2, &end, 10);
	return strlen(end) < n ? name : arena_printf(a, "%.*s", (int)n, end);
}

static double sum_of(json_t *launch, const char *part, const char *field)
{
	json_t *x =
		json_object_get(json_object_get(json_object_get(launch, "timing"), part), field);
	return json_is_number(x) ? json_number_value(x) : 0;
}

static bool uses_textures(json_t *launch)
{
	json_t *ops = json_object_get(launch, "opcodes");
	return json_object_get(ops, "TEX") || json_object_get(ops, "TLD") ||
	       json_object_get(ops, "TLD4");
}

static struct figures figures_of(json_t *launch, double burst, double constant_line)
{
	return (struct figures){
		.cycles = json_number_value(json_object_get(launch, "cycles")),
		.instructions = json_number_value(json_object_get(launch, "warp_instructions")),
		/* bytes to and from slices, without lines of constants, which are not data
		 * sectors */
		.sectors = (sum_of(launch, "slice", "read_bytes") +
			    sum_of(launch, "slice", "write_bytes") -
			    constant_line * sum_of(launch, "l1c", "fetches")) /
			   32,
		.dram_bytes = burst * (sum_of(launch, "dram", "read_bursts") +
				       sum_of(launch, "dram", "write_bursts"))};
}

const char *programs_add(const struct device *d, struct launches *l, const char *program, bool own,
			 const char *stats, struct arena *a)
{
	json_error_t e;
	json_t *top = json_load_file(stats, 0, &e), *launch;
	size_t i, matched = 0;
	if (!top)
		return arena_printf(a, "%s: %s", stats, e.text);
	json_t *all = json_object_get(top, "launches");
	double burst =
		json_number_value(json_object_get(json_object_get(top, "machine"), "burst_bytes"));
	json_array_foreach (all, i, launch) {
		const char *kernel =
			plain_kernel(a, json_string_value(json_object_get(launch, "kernel")));
		unsigned number = 1;
		for (size_t k = 0; k < i; k++)
			number += !strcmp(kernel, plain_kernel(a, json_string_value(json_object_get(
									  json_array_get(all, k),
									  "kernel"))));
		struct launch_row *r = find_launch(l, program, kernel, number);
		if (!r || !json_number_value(json_object_get(launch, "timed")))
			continue;
		matched++;
		*(own ? &r->code : &r->machine) = figures_of(launch, burst, d->constant_line);
		r->texture |= uses_textures(launch);
		if (own)
			r->own_registers = json_number_value(json_object_get(launch, "registers"));
	}
	json_decref(top);
	return matched ? NULL : arena_printf(a, "none of its launches was measured");
}
