/* Tables micro3_*: tensor cores, shared memory, barriers, copies into shared memory, clusters,
 * constants as operands, instruction fetch. bench/h200/micro3.py writes the kernels' PTX. All
 * kernels have equal parameters; a row is the slope of an SM's span between two loop counts, divided by
 * the operations of an iteration. */
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "study/device/micro.h"

enum {
	BUFFER = 768 << 20, /* bytes of the buffer that all kernels of a family use */
	REGION =
		64
		<< 20, /* bytes of it for data in the L2; the rest is DRAM that nothing has touched */
	CLOCKS = 32,   /* bytes of a warp's output */
	ALIGN = 2 << 20
};

struct loop {
	struct blocks b;
	unsigned i1, i2;
	uint32_t v[3]; /* the kernel's a, b, c */
	/* address of the loop's buffer in each of the two launches that are measured */
	uint64_t at[2];
	const uint8_t *map[2]; /* the loop's tensor maps; NULL: none */
	unsigned per;          /* operations per iteration */
	bool cold;             /* no launch warms the caches, and each launch uses other data */
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The median of the blocks' spans; blocks without clocks did not work. */
static bool read_spans(struct rig *r, const struct blocks *b, double *span)
{
	unsigned warps = (b->threads + 31) / 32, n = 0;
	uint64_t *v = xcalloc((size_t)warps * b->grid, CLOCKS);
	double *each = xcalloc(b->grid, sizeof *each);
	bool ok = check_call(r, heddle_read(r->h, v, r->out, (uint64_t)warps * b->grid * CLOCKS));
	for (unsigned k = 0; k < b->grid; k++) {
		uint64_t t0 = UINT64_MAX, t1 = 0;
		for (unsigned w = 0; w < warps; w++) {
			const uint64_t *c = v + ((size_t)k * warps + w) * 4;
			t0 = c[0] && c[0] < t0 ? c[0] : t0;
			t1 = c[1] > t1 ? c[1] : t1;
		}
		if (t1)
			each[n++] = (double)(t1 - t0);
	}
	qsort(each, n, sizeof *each, compare_doubles);
	*span = n ? each[n / 2] : 0;
	free(each);
	free(v);
	return ok && (n || refuse_row(r, "no block has written clocks"));
}

static bool run_loop(struct rig *r, const char *entry, const struct loop *l, double *x)
{
	double span[2] = {0};
	for (int k = l->cold ? 0 : -1; k < 2; k++) {
		struct args a = {.n = 0};
		add_arg(&a, r->out, 8);
		add_arg(&a, k == 0 ? l->i1 : l->i2, 4);
		for (unsigned i = 0; i < 3; i++)
			add_arg(&a, l->v[i], 4);
		add_arg(&a, l->at[k > 0], 8);
		a.n = 48; /* in the constant bank, where parameters begin at 0x210, the map is at a multiple of 64 */
		if (l->map[k > 0])
			memcpy(a.byte + a.n, l->map[k > 0], 128);
		if (!launch_blocks(r, entry, &l->b, &a) || !read_spans(r, &l->b, &span[k > 0]))
			return false;
	}
	*x = (span[1] - span[0]) / (l->i2 - l->i1) / (l->per ? l->per : 1);
	return true;
}

/* Code and data of a family; the buffer begins at a page of 2 MB. */
static bool start_family(struct rig *r, const char *family)
{
	if (!strcmp(r->loaded, family))
		return true;
	if (!want_family(r, family))
		return false;
	if (!check_call(r, heddle_malloc(r->h, BUFFER + ALIGN, &r->buffer))) {
		*r->loaded = 0; /* the next row tries again */
		return false;
	}
	r->buffer = (r->buffer + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
	r->fresh = r->buffer + REGION;
	return true;
}

/* Chooses the data of the two launches: equal data, or bytes that no launch has touched. At the
 * buffer's end the choice begins at its start again; by then the L2 has evicted those bytes. */
static void place_data(struct rig *r, struct loop *l)
{
	for (unsigned k = 0; k < 2; k++) {
		l->at[k] = l->cold ? r->fresh : r->buffer;
		if (l->cold)
			r->fresh += REGION / 2;
		if (r->fresh >= r->buffer + BUFFER)
			r->fresh = r->buffer + REGION;
	}
}

static bool is_at(const struct rig *r, unsigned row, const char *column, const char *value)
{
	return !strcmp(tsv_text(&r->t, row, column), value);
}

static const char *entry_of(const struct rig *r, unsigned row)
{
	return tsv_text(&r->t, row, "entry");
}

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* ---- inside the SM ---- */

static struct loop one_block(unsigned threads, unsigned shared, unsigned per)
{
	return (struct loop){.b = {1, threads, 1, shared},
			     .i1 = 8,
			     .i2 = 24,
			     .v = {1, 0x3f7d70a4, 0x3c23d70a},
			     .per = per};
}

static bool run_mma(struct rig *r, unsigned row, double *x)
{
	struct loop l = one_block(32 * count_of(r, row, "warps", 1), 0, 32);
	if (starts(entry_of(r, row), "mma_sp"))
		l.v[0] = 0x44444444; /* the two first of four */
	return start_family(r, "micro3_mma") && run_loop(r, entry_of(r, row), &l, x);
}

static bool run_wgmma(struct rig *r, unsigned row, double *x)
{
	struct loop l = one_block(128 * count_of(r, row, "warpgroups", 1), 160 << 10, 1);
	char family[64];
	const char *kind = entry_of(r, row) + 6;
	size_t n = strcspn(kind, "_");
	if (starts(kind, "f16") && !starts(kind, "f16h"))
		n = 3;
	snprintf(family, sizeof family, "micro3_wgmma_%.*s", (int)n, kind);
	l.v[2] = 0;
	return start_family(r, family) && run_loop(r, entry_of(r, row), &l, x);
}

static bool run_pairs(struct rig *r, unsigned row, double *x)
{
	static const struct {
		const char *entry;
		unsigned per;
	} per[] = {{"nanosleep", 1}, {"elect", 8},       {"vote_uni", 8},
		   {"redux_add", 8}, {"branch_dep", 16}, {"ldg_l1_off32", 16}};
	struct loop l = one_block(32, 1024, 32);
	const char *entry = entry_of(r, row);
	for (unsigned i = 0; i < sizeof per / sizeof *per; i++)
		if (!strcmp(entry, per[i].entry))
			l.per = per[i].per;
	l.v[0] = count_of(r, row, "parameter", 1);
	if (!strcmp(entry, "branch_dep"))
		l.v[0] = UINT32_MAX;
	if (starts(entry, "lds_chain")) { /* the address stays: (x + 0) and (1 * x + 0) */
		l.v[0] = 0;
		l.v[1] = 1;
	}
	if (!start_family(r, "micro3_pairs"))
		return false;
	place_data(r, &l);
	return run_loop(r, entry, &l, x);
}

static bool run_ldmatrix(struct rig *r, unsigned row, double *x)
{
	const char *entry = entry_of(r, row);
	struct loop l = one_block(32 * count_of(r, row, "warps", 1), 64 << 10,
				  starts(entry, "sts_lds") || starts(entry, "stsm_ldsm") ? 16 : 32);
	l.v[0] = count_of(r, row, "stride_bytes", 16);
	return start_family(r, "micro3_smem") && run_loop(r, entry, &l, x);
}

static bool run_lds(struct rig *r, unsigned row, double *x)
{
	struct loop l = one_block(32 * count_of(r, row, "warps", 1), 64 << 10, 32);
	if (is_at(r, row, "where", "one sub-core") && l.b.threads > 32)
		return refuse_row(r, "the other sub-cores' warps that leave at once");
	l.v[0] = count_of(r, row, "stride_bytes", 4);
	return start_family(r, "micro3_smem") && run_loop(r, entry_of(r, row), &l, x);
}

static bool run_shared_atomics(struct rig *r, unsigned row, double *x)
{
	struct loop l = one_block(32 * count_of(r, row, "warps", 1), 64 << 10, 8);
	l.v[0] = count_of(r, row, "lanes_per_word", 1);
	l.v[1] = count_of(r, row, "bytes_between_warps", 0);
	l.v[2] = 0;
	return start_family(r, "micro3_smem") && run_loop(r, entry_of(r, row), &l, x);
}

static bool run_constants(struct rig *r, unsigned row, double *x)
{
	struct loop l =
		one_block(32 * count_of(r, row, "warps", 1), 0, count_of(r, row, "operands", 1));
	return start_family(r, "micro3_const") && run_loop(r, entry_of(r, row), &l, x);
}

static bool run_icache(struct rig *r, unsigned row, double *x)
{
	unsigned kb = count_of(r, row, "kilobytes", 1);
	struct loop l = one_block(32 * count_of(r, row, "warps", 1), 0, kb * 64);
	char entry[64];
	snprintf(entry, sizeof entry, "icache_%uk", kb);
	l.i1 = 2;
	l.i2 = 6;
	return start_family(r, "micro3_fetch") && run_loop(r, entry, &l, x);
}

/* ---- barriers and clusters ---- */

static bool run_barriers(struct rig *r, unsigned row, double *x)
{
	static const struct {
		const char *entry;
		unsigned per;
	} per[] = {{"mbar_arrive", 32},   {"mbar_self", 8},       {"mbar_self_test", 8},
		   {"mbar_try_done", 16}, {"mbar_test_done", 16}, {"mbar_expect_tx", 8},
		   {"mbar_all", 4},       {"mbar_warps", 4},      {"bar_groups", 16},
		   {"bar_red", 8},        {"cluster_bar", 8},     {"cluster_bar_relaxed", 8}};
	unsigned cluster = count_of(r, row, "cluster", 0), a = count_of(r, row, "a", 0);
	struct loop l = one_block(count_of(r, row, "threads", 32), 4096, 1);
	const char *entry = entry_of(r, row);
	if (cluster == 1)
		return refuse_row(
			r,
			"the simulator launches a cluster of one block as a block without cluster");
	for (unsigned i = 0; i < sizeof per / sizeof *per; i++)
		if (!strcmp(entry, per[i].entry))
			l.per = per[i].per;
	l.b.cluster = l.b.grid = cluster ? cluster : 1;
	l.v[0] = a;
	l.v[1] = 0;
	for (l.v[2] = 0; a >> l.v[2] > 1; l.v[2]++) /* log2 of a group's threads */
		;
	return start_family(r, "micro3_sync") && run_loop(r, entry, &l, x);
}

static bool run_cluster_latency(struct rig *r, unsigned row, double *x)
{
	struct loop l = one_block(1, 4096, 16);
	l.b.cluster = l.b.grid = count_of(r, row, "cluster", 1);
	l.v[0] = count_of(r, row, "target_rank", 0);
	l.v[1] = l.v[2] = 0;
	return start_family(r, "micro3_sync") && run_loop(r, entry_of(r, row), &l, x);
}

static bool run_cluster_bandwidth(struct rig *r, unsigned row, double *x)
{
	struct loop l = one_block(32 * count_of(r, row, "warps", 1), 64 << 10, 8);
	l.b.cluster = count_of(r, row, "cluster", 1);
	l.b.grid = l.b.cluster * count_of(r, row, "clusters", 1);
	l.v[0] = is_at(r, row, "target", "own") ? 0 : 1;
	l.v[1] = is_at(r, row, "target", "rank 0")          ? 1
		 : is_at(r, row, "target", "rank xor half") ? 2
							    : 0;
	l.v[2] = is_at(r, row, "working_blocks", "one");
	return start_family(r, "micro3_sync") && run_loop(r, entry_of(r, row), &l, x);
}

static bool run_cluster_copies(struct rig *r, unsigned row, double *x)
{
	struct loop l = one_block(1, 4096 + 2 * count_of(r, row, "bytes", 16), 1);
	l.b.cluster = count_of(r, row, "cluster", 2);
	l.b.grid = l.b.cluster * count_of(r, row, "clusters", 1);
	l.v[0] = count_of(r, row, "rank_xor", 1);
	l.v[1] = count_of(r, row, "bytes", 16);
	l.v[2] = 0;
	return start_family(r, "micro3_sync") && run_loop(r, "dsmem_bulk", &l, x);
}

/* ---- global memory ---- */

/* The last figure of the entry: loads or copies of an iteration. */
static unsigned number_at_end(const char *entry)
{
	size_t n = strlen(entry);
	while (n && entry[n - 1] >= '0' && entry[n - 1] <= '9')
		n--;
	return (unsigned)strtoul(entry + n, NULL, 10);
}

static unsigned bytes_of(const char *entry)
{
	return strstr(entry, "16") ? 16 : strstr(entry, "8_") || !strcmp(entry, "stg8") ? 8 : 4;
}

/* Each step of all threads goes on in a footprint of a power of two bytes. */
static struct loop stream(struct rig *r, unsigned row, const char *entry, uint32_t footprint,
			  unsigned per)
{
	unsigned warps = count_of(r, row, "warps", count_of(r, row, "warps_per_sm", 1)),
		 sms = count_of(r, row, "sms", 1);
	struct loop l = one_block(32 * warps, 0, per);
	l.b.grid = sms;
	l.v[0] = footprint;
	l.v[2] = 32 * warps * sms * bytes_of(entry);
	place_data(r, &l);
	return l;
}

static bool run_l1(struct rig *r, unsigned row, double *x)
{
	const char *entry = entry_of(r, row);
	if (!start_family(r, "micro3_copy"))
		return false;
	struct loop l = stream(r, row, entry, 16 << 10, number_at_end(entry));
	if (!l.v[2])
		return refuse_row(r, "no warp");
	l.i1 += (16 << 10) / l.v[2]; /* all lines have been loaded */
	l.i2 = l.i1 + 16;
	return run_loop(r, entry, &l, x);
}

static bool run_stores(struct rig *r, unsigned row, double *x)
{
	const char *entry = entry_of(r, row);
	if (!start_family(r, "micro3_copy"))
		return false;
	struct loop l = stream(r, row, entry, count_of(r, row, "where", 16) << 10, 8);
	return run_loop(r, entry, &l, x);
}

static bool run_copies(struct rig *r, unsigned row, double *x)
{
	const char *entry = entry_of(r, row), *where = tsv_text(&r->t, row, "where");
	uint32_t footprint = strstr(where, "line")    ? 128
			     : strstr(where, "16 KB") ? 16 << 10
			     : strstr(where, "1 MB")  ? 1 << 20
			     : strstr(where, "4 MB")  ? 4 << 20
						      : 16 << 20;
	bool chain = strstr(entry, "_lat") != NULL;
	if (!start_family(r, "micro3_copy"))
		return false;
	struct loop l = stream(r, row, entry, footprint, chain ? 4 : number_at_end(entry));
	if (!l.v[2])
		return refuse_row(r, "no warp");
	l.b.shared = 8 * 1024 * bytes_of(entry) + 16384;
	l.v[1] = 0;
	if (chain && l.v[2] < 128) /* a new line each time */
		l.v[2] = 128;
	if (footprint == 16 << 10 && !chain) { /* all lines have been loaded */
		l.i1 += footprint / l.v[2];
		l.i2 = l.i1 + 16;
	}
	if (!strcmp(where, "DRAM")) {
		l.cold = true;
		l.v[0] = 1 << 24;
		l.v[2] = 4096;
		l.i1 = 4;
		l.i2 = 8;
		place_data(r, &l);
	}
	return run_loop(r, entry, &l, x);
}

static bool run_bandwidth(struct rig *r, unsigned row, double *x)
{
	unsigned u = count_of(r, row, "loads_of_16_bytes_in_flight_per_thread", 1);
	char entry[32];
	if (is_at(r, row, "where", "DRAM"))
		return refuse_row(r, "data that no launch has touched");
	if (!start_family(r, "micro3_copy"))
		return false;
	snprintf(entry, sizeof entry, "ldg_cg16_u%u", u);
	struct loop l = stream(r, row, entry, 16 << 20, 1);
	l.i1 = 4;
	l.i2 = 12;
	if (!run_loop(r, entry, &l, x))
		return false;
	*x = u * 16.0 * l.b.threads / *x;
	return true;
}

static bool run_tma(struct rig *r, unsigned row, double *x)
{
	const char *entry = entry_of(r, row);
	unsigned inner = count_of(r, row, "inner_bytes", 128), rows = count_of(r, row, "rows", 1);
	unsigned sms = count_of(r, row, "sms", 1), n = number_at_end(entry), bytes = inner * rows;
	bool tensor = starts(entry, "tma2d"), load = strstr(entry, "_ld") != NULL;
	uint8_t map[2][128];
	if (!inner || !rows || (uint64_t)inner * rows > 227 << 10)
		return refuse_row(r, "a copy of 0 bytes, or of more than a block's shared memory");
	if (!start_family(r, "micro3_tma"))
		return false;
	unsigned batch = strstr(entry, "_ldB") ? 16 : load ? n : 4, held = load ? n : 1;
	struct loop l = one_block(1, 2048 + held * ((bytes + 127) & ~127u), batch);
	l.i1 = 4;
	l.i2 = 12;
	if (l.b.shared > 227u << 10)
		return refuse_row(r, "more shared memory than a block has");
	l.b.grid = sms;
	l.cold = is_at(r, row, "where", "DRAM");
	place_data(r, &l);
	l.v[0] = bytes;
	uint64_t height = (l.cold ? 16u << 20 : 512u << 10) / inner;
	for (unsigned k = 0; tensor && k < 2; k++) {
		struct heddle_tensor_map m = {.type = 0, /* bytes */
					      .rank = 2,
					      .addr = l.at[k],
					      .dim = {inner, height},
					      .stride = {inner},
					      .box = {inner, rows},
					      .element_stride = {1, 1},
					      .swizzle = count_of(r, row, "swizzle", 0)};
		if (inner > 128 || m.swizzle) { /* a box's row has at most 256 elements */
			m.type = 2;
			m.dim[0] = m.box[0] = inner / 4;
		}
		const char *wrong = heddle_tensor_map(&m, map[k]);
		if (wrong)
			return refuse_row(r, wrong);
		l.map[k] = map[k];
	}
	l.v[1] = tensor ? (uint32_t)height - 1 : (16 << 20) - 1;
	l.v[2] = tensor ? rows : bytes;
	return run_loop(r, entry, &l, x);
}

const struct micro_table micro3_tables[] = {
	{"mma", "micro3_mma", "cycles_per_mma_per_warp", "cycles", "entry warps", run_mma},
	{"wgmma", "micro3_wgmma", "cycles_per_iteration_of_a_warpgroup", "cycles per iteration",
	 "entry warpgroups", run_wgmma},
	{"pairs", "micro3_pairs", "cycles_per_step_or_pair", "cycles", "entry parameter",
	 run_pairs},
	{"ldmatrix", "micro3_ldmatrix", "cycles_per_instr_of_a_warp", "cycles",
	 "entry warps stride_bytes", run_ldmatrix},
	{"lds", "micro3_lds", "cycles_per_instr_of_a_warp", "cycles",
	 "entry warps where stride_bytes", run_lds},
	{"shared_atomics", "micro3_shared_atomics", "cycles_per_instr_of_a_warp", "cycles",
	 "entry warps lanes_per_word bytes_between_warps", run_shared_atomics},
	{"barriers", "micro3_barriers", "cycles", "cycles", "entry cluster threads a",
	 run_barriers},
	{"dsmem_latency", "micro3_dsmem_latency", "cycles", "cycles", "entry cluster target_rank",
	 run_cluster_latency},
	{"dsmem_bandwidth", "micro3_dsmem_bandwidth", "cycles_per_instr_of_a_warp", "cycles",
	 "entry cluster clusters warps target working_blocks", run_cluster_bandwidth},
	{"dsmem_bulk", "micro3_dsmem_bulk", "cycles_per_copy", "cycles",
	 "cluster clusters bytes rank_xor", run_cluster_copies},
	{"constant_operands", "micro3_constant_operands", "cycles_per_operand_and_fma", "cycles",
	 "entry warps", run_constants},
	{"fetch", "micro3_icache", "cycles_per_instr_of_a_warp", "cycles", "kilobytes warps",
	 run_icache},
	{"l1_bandwidth", "micro3_l1_bandwidth", "cycles_per_instr_of_a_warp", "cycles",
	 "entry warps", run_l1},
	{"stores", "micro3_stores", "cycles_per_instr_of_a_warp", "cycles", "entry where sms warps",
	 run_stores},
	{"cpasync", "micro3_cpasync", "cycles_per_instr_of_a_warp", "cycles",
	 "entry where sms warps", run_copies},
	{"l2_bandwidth", "micro3_bandwidth", "bytes_per_cycle_per_sm", "bytes per cycle and SM",
	 "where sms warps_per_sm loads_of_16_bytes_in_flight_per_thread", run_bandwidth},
	{"tma", "micro3_tma", "cycles_per_copy", "cycles",
	 "entry where sms inner_bytes rows swizzle", run_tma},
};
const unsigned micro3_table_count = sizeof micro3_tables / sizeof *micro3_tables;
