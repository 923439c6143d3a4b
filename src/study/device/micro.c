/* Simulates rows of microbenchmark tables with exactly the machine code that was measured. A slope
 * is the difference of an SM's spans at two loop counts, per iteration, so that the start and end
 * of a kernel cancel. A chase follows a ring of pointers; a stream reads or writes a footprint.
 * Sizes test and small omit rows that take long. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/command.h"
#include "heddle.h"
#include "study/device/micro.h"

enum { OUT_BYTES = 64 << 20, CLOCK_BYTES = 32, PATHS = 4096 };

/* ---- the machine ---- */

bool refuse_row(struct rig *r, const char *why)
{
	snprintf(r->why, sizeof r->why, "%.300s", why);
	for (char *c = r->why; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	return false;
}

bool check_call(struct rig *r, enum heddle_status s)
{
	return s == HEDDLE_OK || refuse_row(r, heddle_message(r->h));
}

static void stop_machine(struct rig *r)
{
	if (r->h)
		heddle_close(r->h);
	r->h = NULL;
	*r->loaded = 0;
}

/* Opens a machine in its initial state and loads a family's code: the measured machine code if the
 * machine executes it, else PTX. */
static bool start_machine(struct rig *r, const char *family, bool ptx)
{
	char path[PATHS];
	size_t n;
	stop_machine(r);
	if (ptx)
		snprintf(path, sizeof path, "%s/ptx/micro_%s.ptx.gz", r->d->dir, family);
	else if (!strncmp(family, "micro3_", 7))
		snprintf(path, sizeof path, "%s/sm_90a/%s.cubin.gz", r->d->dir, family);
	else
		snprintf(path, sizeof path, "%s/sm_90/micro_%s.cubin.gz", r->d->dir, family);
	char *code = access(path, R_OK) ? NULL : cli_read_gz("reproduce", path, &n);
	if (!code)
		return refuse_row(r, "the data lack its code");
	struct heddle_options o = {.config = r->config, .timing = true, .sums = true};
	bool ok =
		check_call(r, heddle_open(&r->h, &o)) &&
		check_call(r,
			   heddle_load(r->h,
				       &(struct heddle_text){.name = path, .data = code, .size = n},
				       1, &r->module)) &&
		check_call(r, heddle_malloc(r->h, OUT_BYTES, &r->out));
	free(code);
	snprintf(r->loaded, sizeof r->loaded, "%s", ok ? family : "");
	return ok;
}

bool want_family(struct rig *r, const char *family)
{
	return !strcmp(r->loaded, family) || start_machine(r, family, false);
}

void add_arg(struct args *a, uint64_t v, unsigned size)
{
	a->n = (a->n + size - 1) / size * size;
	memcpy(a->byte + a->n, &v, size); /* little-endian hosts, as the GPU */
	a->n += size;
}

bool launch_blocks(struct rig *r, const char *entry, const struct blocks *b, const struct args *a)
{
	struct heddle_kernel *k = heddle_kernel_find(r->module, entry);
	if (!k)
		return refuse_row(r, "the data lack this kernel");
	struct heddle_launch l = {.kernel = k,
				  .grid = {b->grid, 1, 1},
				  .block = {b->threads, 1, 1},
				  .cluster = {b->cluster, 1, 1},
				  .shared_bytes = b->shared,
				  .params = a->byte};
	return check_call(r, heddle_launch(r->h, &l));
}

static bool launch_entry(struct rig *r, const char *entry, unsigned grid, unsigned threads,
			 const struct args *a)
{
	struct blocks b = {.grid = grid, .threads = threads, .cluster = 1};
	return launch_blocks(r, entry, &b, a);
}

/* The longest time between the clocks of the launch's warps, in SM cycles. */
static bool read_span(struct rig *r, unsigned warps, double *span)
{
	uint64_t *v = xcalloc(warps, CLOCK_BYTES), t0 = UINT64_MAX, t1 = 0;
	bool ok = check_call(r, heddle_read(r->h, v, r->out, (uint64_t)warps * CLOCK_BYTES));
	for (unsigned i = 0; i < warps; i++) {
		t0 = v[i * 4] && v[i * 4] < t0 ? v[i * 4] : t0;
		t1 = v[i * 4 + 1] > t1 ? v[i * 4 + 1] : t1;
	}
	free(v);
	*span = (double)(t1 - t0);
	return ok;
}

/* ---- slopes ---- */

struct shape {
	unsigned grid, threads, i1, i2;
	uint32_t v[3]; /* the kernel's a, b, c */
};

static bool launch_loop(struct rig *r, const char *entry, const struct shape *s, unsigned iters)
{
	struct args a = {.n = 0};
	add_arg(&a, r->out, 8);
	add_arg(&a, iters, 4);
	for (unsigned i = 0; i < 3; i++)
		add_arg(&a, s->v[i], 4);
	return launch_entry(r, entry, s->grid, s->threads, &a);
}

static bool measure_slope(struct rig *r, const char *entry, const struct shape *s, double *slope)
{
	double span[2] = {0};
	unsigned warps = s->grid * ((s->threads + 31) / 32);
	for (int k = -1; k < 2; k++) /* the first launch of three warms the caches */
		if (!launch_loop(r, entry, s, k > 0 ? s->i2 : s->i1) ||
		    !read_span(r, warps, &span[k > 0]))
			return false;
	*slope = (span[1] - span[0]) / (s->i2 - s->i1);
	return true;
}

unsigned count_of(const struct rig *r, unsigned row, const char *column, unsigned otherwise)
{
	const char *s = tsv_text(&r->t, row, column);
	char *end;
	unsigned long v = strtoul(s, &end, 0);
	return end == s ? otherwise : (unsigned)v;
}

/* Operands a, b, c of the measurement: those of the operation's latency row. */
static void take_operands(const struct rig *r, const char *entry, uint32_t v[3])
{
	char lat[128];
	const char *op = strchr(entry, '_');
	v[0] = 1;
	v[1] = 0x3f7d70a4; /* 0.99f */
	v[2] = 0x3c23d70a; /* 0.01f */
	snprintf(lat, sizeof lat, "lat%s", op ? op : "");
	unsigned row = tsv_find(&r->alu, "entry", lat);
	for (unsigned i = 0; row && i < 3; i++)
		v[i] = (uint32_t)strtoul(tsv_text(&r->alu, row,
						  i == 0   ? "a"
						  : i == 1 ? "b"
							   : "c"),
					 NULL, 0);
}

static bool run_chain(struct rig *r, unsigned row, double *x)
{
	const char *entry = tsv_text(&r->t, row, "entry");
	struct shape s = {1, 32, 32, 160, {0}};
	take_operands(r, entry, s.v);
	return want_family(r, "alu") && measure_slope(r, entry, &s, x);
}

/* Rows with warps_on_sm, of any family. */
static bool run_warps(struct rig *r, unsigned row, double *x)
{
	const char *entry = tsv_text(&r->t, row, "entry");
	unsigned at = tsv_find(&r->entries, "entry", entry);
	struct shape s = {1, 32 * count_of(r, row, "warps_on_sm", 1), 16, 80, {0}};
	if (s.threads > 1024 || !at)
		return refuse_row(r,
				  at ? "two blocks on each of 132 SMs" : "its family is not known");
	take_operands(r, entry, s.v);
	return want_family(r, tsv_text(&r->entries, at, "file")) && measure_slope(r, entry, &s, x);
}

static bool run_control(struct rig *r, unsigned row, double *x)
{
	struct shape s = {
		1, count_of(r, row, "threads", 32), 16, 80, {count_of(r, row, "a", 1), 3, 5}};
	return want_family(r, "control") && measure_slope(r, tsv_text(&r->t, row, "entry"), &s, x);
}

static bool run_shared(struct rig *r, unsigned row, double *x)
{
	struct shape s = {
		1, count_of(r, row, "threads", 32), 16, 80, {count_of(r, row, "stride_bytes", 4)}};
	return want_family(r, "shared") && measure_slope(r, tsv_text(&r->t, row, "entry"), &s, x);
}

static bool run_coalescing(struct rig *r, unsigned row, double *x)
{
	struct shape s = {1,
			  count_of(r, row, "threads", 32),
			  8,
			  40,
			  {count_of(r, row, "lane_stride_words(0=random)", 1)}};
	return want_family(r, "global") && measure_slope(r, tsv_text(&r->t, row, "entry"), &s, x);
}

/* ---- chases and streams ---- */

static bool is_too_large(struct rig *r, double bytes, double test, double small)
{
	bool large = (!strcmp(r->size, "test") && bytes > test) ||
		     (!strcmp(r->size, "small") && bytes > small);
	if (large)
		refuse_row(r, "left out at this size, because it takes long");
	return large;
}

static bool make_ring(struct rig *r, uint64_t base, uint64_t n, uint64_t stride, bool lcg)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t next =
			base + (lcg ? (i * 1664525 + 1013904223) % n : (i + 1) % n) * stride;
		if (!check_call(r, heddle_write(r->h, base + i * stride, &next, 8)))
			return false;
	}
	return true;
}

static bool run_chase(struct rig *r, unsigned row, double *x)
{
	enum { ALIGN = 2 << 20 };
	uint64_t bytes = (uint64_t)tsv_number(&r->t, row, "footprint_bytes"), base, cycles;
	uint64_t stride = (uint64_t)tsv_number(&r->t, row, "stride_bytes");
	unsigned hops = count_of(r, row, "timed_hops", 1);
	struct args a = {.n = 0};
	char entry[64];
	if (is_too_large(r, (double)bytes, 1 << 20, 64 << 20))
		return false;
	if (!stride || !start_machine(r, "global", false) ||
	    !check_call(r, heddle_malloc(r->h, bytes + ALIGN, &base)))
		return false;
	base = (base + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
	if (!make_ring(r, base, bytes / stride, stride,
		       !strcmp(tsv_text(&r->t, row, "pattern"), "lcg")))
		return false;
	snprintf(entry, sizeof entry, "chase_%s", tsv_text(&r->t, row, "load"));
	add_arg(&a, r->out, 8);
	add_arg(&a, base, 8);
	add_arg(&a, count_of(r, row, "warm_hops", 1), 4);
	add_arg(&a, hops, 4);
	add_arg(&a, UINT32_MAX, 4);
	if (!launch_entry(r, entry, 1, 1, &a) ||
	    !check_call(r, heddle_read(r->h, &cycles, r->out, 8)))
		return false;
	*x = (double)cycles / hops;
	return true;
}

/* Element size of the entry: read1 reads words, read2 pairs, others 16 bytes. */
static unsigned element_of(const char *entry)
{
	return !strncmp(entry, "read1", 5) ? 4 : !strncmp(entry, "read2", 5) ? 8 : 16;
}

static bool launch_stream(struct rig *r, const char *entry, unsigned grid, unsigned threads,
			  const uint64_t at[2], uint64_t elements, unsigned rounds)
{
	struct args a = {.n = 0};
	add_arg(&a, r->out, 8);
	add_arg(&a, at[0], 8);
	add_arg(&a, at[1], 8);
	add_arg(&a, elements, 8);
	add_arg(&a, rounds, 4);
	return launch_entry(r, entry, grid, threads, &a);
}

static bool run_stream(struct rig *r, unsigned row, double *x)
{
	const char *entry = tsv_text(&r->t, row, "entry");
	double bytes = tsv_number(&r->t, row, "footprint_bytes"), moved, span[2] = {0};
	unsigned grid = count_of(r, row, "blocks", 1), rounds = count_of(r, row, "rounds", 1);
	unsigned threads = count_of(r, row, "threads_per_block", 32),
		 most = bytes > 64 << 20 ? 1 : 6;
	uint64_t at[2];
	if (is_too_large(r, bytes * (grid > 8 ? 8 : 1), 1 << 20, 256 << 20))
		return false;
	moved = tsv_number(&r->t, row, "bytes_moved") / rounds;
	rounds = rounds < most ? rounds : most;
	if (!start_machine(r, "global", false) ||
	    !check_call(r, heddle_malloc(r->h, (uint64_t)bytes, &at[0])))
		return false;
	at[1] = at[0];
	bool writes = !strncmp(entry, "copy", 4) || !strncmp(entry, "write", 5);
	if (writes && !check_call(r, heddle_malloc(r->h, (uint64_t)bytes, &at[1])))
		return false;
	unsigned first = rounds > 1 ? 1 : 0;
	for (int k = first ? -1 : 1; k < 2; k++) /* the first launch of three warms the L2 */
		if (!launch_stream(r, entry, grid, threads, at, (uint64_t)bytes / element_of(entry),
				   k > 0 ? rounds : first) ||
		    !read_span(r, grid * threads / 32, &span[k > 0]))
			return false;
	double sms = r->d->sms;
	*x = moved * (rounds - first) / (span[1] - span[0]) / (grid < sms ? grid : sms);
	return true;
}

/* ---- energy ---- */

/* Power of a kernel in steady state, from its energies at two loop counts. */
static bool run_energy(struct rig *r, unsigned row, double *x)
{
	const char *entry = tsv_text(&r->t, row, "entry");
	unsigned at = tsv_find(&r->entries, "entry", entry),
		 lanes = count_of(r, row, "active_lanes", 32);
	struct shape s = {
		count_of(r, row, "blocks", 0), count_of(r, row, "threads_per_block", 0), 2, 6, {0}};
	double joule[2] = {0}, seconds[2] = {0};
	if (!at || !s.grid || lanes != 32)
		return refuse_row(r,
				  at ? "other lanes than 32, or idle" : "not an arithmetic loop");
	if (is_too_large(r, (double)s.grid * s.threads, 1 << 10, 1 << 30))
		return false;
	take_operands(r, entry, s.v);
	if (!strcmp(tsv_text(&r->entries, at, "file"), "shared")) /* bytes between lanes */
		s.v[0] = strstr(tsv_text(&r->t, row, "what"), "one bank") ? 128
			 : strstr(entry, "16")                            ? 16
									  : 4;
	if (!start_machine(r, tsv_text(&r->entries, at, "file"), true))
		return false;
	for (unsigned k = 0; k < 2; k++) {
		double j0, s0;
		heddle_energy(r->h, &j0, &s0);
		if (!launch_loop(r, entry, &s, k ? s.i2 : s.i1))
			return false;
		heddle_energy(r->h, &joule[k], &seconds[k]);
		joule[k] -= j0;
		seconds[k] -= s0;
	}
	*x = (joule[1] - joule[0]) / (seconds[1] - seconds[0]);
	return true;
}

/* ---- tables ---- */

static const struct micro_table tables[] = {
	{"alu_latency", "micro_alu_latency", "cycles_per_iter_median", "cycles per iteration",
	 "entry", run_chain},
	{"alu_throughput", "micro_alu_throughput", "cycles_per_iter_median", "cycles per iteration",
	 "entry warps_on_sm", run_warps},
	{"ilp", "micro_ilp", "cycles_per_iter_median", "cycles per iteration", "entry warps_on_sm",
	 run_warps},
	{"issue_rate", "micro_issue_rate", "cycles_per_iter", "cycles per iteration",
	 "entry warps_on_sm", run_warps},
	{"icache", "micro_icache", "cycles_per_iter_median", "cycles per iteration",
	 "entry warps_on_sm", run_warps},
	{"mix_throughput", "micro_mix_throughput", "cycles_per_iter_median", "cycles per iteration",
	 "entry warps_on_sm", run_warps},
	{"control", "micro_control", "cycles_per_iter_median", "cycles per iteration",
	 "entry threads a", run_control},
	{"shared", "micro_shared", "cycles_per_iter_median", "cycles per iteration",
	 "entry threads stride_bytes", run_shared},
	{"coalescing", "micro_coalescing", "cycles_per_iter_median", "cycles per iteration",
	 "entry threads lane_stride_words(0=random)", run_coalescing},
	{"latency_curve", "micro_latency_curve", "cycles_per_load_median", "cycles per load",
	 "load pattern footprint_bytes stride_bytes", run_chase},
	{"bandwidth", "micro_bandwidth", "bytes_per_cycle_per_active_sm", "bytes per cycle and SM",
	 "entry blocks threads_per_block footprint_bytes", run_stream},
	{"energy", "energy", "average_W_by_counter", "W", "run what", run_energy},
	{"energy_of_code", "energy", "average_W_by_counter", "W", "run what", run_energy},
};
enum { TABLES = sizeof tables / sizeof *tables };

const char *micro_name(unsigned i)
{
	return i < TABLES                        ? tables[i].name
	       : i - TABLES < micro3_table_count ? micro3_tables[i - TABLES].name
						 : NULL;
}

static const struct micro_table *find_table(const char *name)
{
	for (unsigned i = 0; micro_name(i); i++)
		if (!strcmp(micro_name(i), name))
			return i < TABLES ? &tables[i] : &micro3_tables[i - TABLES];
	return NULL;
}

/* Makes the row's name from these columns, separated by blanks. */
static void name_row(const struct rig *r, const struct micro_table *t, unsigned row, char *buf,
		     size_t n)
{
	char columns[200], *save;
	snprintf(columns, sizeof columns, "%s", t->what);
	*buf = 0;
	for (char *c = strtok_r(columns, " ", &save); c; c = strtok_r(NULL, " ", &save)) {
		size_t at = strlen(buf);
		snprintf(buf + at, n - at, "%s%s", at ? " " : "", tsv_text(&r->t, row, c));
	}
}

/* At size test, every eighth row is run, so that rows of one entry are spread over the table. */
static bool is_chosen(const struct rig *r, unsigned row)
{
	return strcmp(r->size, "test") || row % 8 == 1;
}

static void run_rows(struct rig *r, const struct micro_table *t, FILE *out)
{
	for (unsigned row = 1; row <= r->t.rows; row++) {
		char name[300];
		double x = NAN, m = tsv_number(&r->t, row, t->measured);
		*r->why = 0;
		if (!is_chosen(r, row) || isnan(m))
			continue;
		if (!t->run(r, row, &x)) {
			x = NAN;
			stop_machine(
				r); /* after a failed launch the machine's state is discarded */
		}
		name_row(r, t, row, name, sizeof name);
		fprintf(out, "%s\t%u\t%s\t%s\t%.6g\t%.6g\t%s\n", t->name, row, name, t->unit, m, x,
			r->why);
		fflush(out);
	}
}

bool micro_measure(const struct device *d, const char *table, const char *size, FILE *out)
{
	struct rig r = {.d = d, .size = size};
	const struct micro_table *t = find_table(table);
	if (!t) {
		cli_error("reproduce", "no table %s can be repeated", table);
		return false;
	}
	/* energies of PTX on the machine that they were fitted on; of our compiler's machine code on the other */
	r.config = !strcmp(t->name, "energy") ? d->energy_machine : d->machine;
	bool ok = tsv_open(&r.t, "reproduce", d->dir, t->file) &&
		  tsv_open(&r.alu, "reproduce", d->dir, "micro_alu_latency") &&
		  tsv_open(&r.entries, "reproduce", d->dir, "micro_entries");
	if (ok) {
		fputs("table\trow\twhat\tunit\tmeasured\tsimulated\tnote\n", out);
		run_rows(&r, t, out);
	}
	stop_machine(&r);
	tsv_close(&r.t);
	tsv_close(&r.alu);
	tsv_close(&r.entries);
	return ok;
}
