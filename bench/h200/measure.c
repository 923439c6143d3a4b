/* Repeats rows of the H200's microbenchmark tables on a simulated machine and prints both figures.
 *
 *   measure TABLES-DIR CONFIG TABLE [TEXT] [SET=VALUE ...]      rows of TABLE whose line contains TEXT
 *
 * TABLES-DIR has micro_TABLE.tsv and sm_90/micro_FAMILY.cubin or ptx/micro_FAMILY.ptx; its README
 * describes each table. Output: row, measured, simulated, simulated / measured - 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "heddle.h"

enum { COLUMNS = 16, LINE = 4096 };
struct row {
	char line[LINE];
	char *cell[COLUMNS];
	unsigned n;
};

struct bench {
	const char *dir, *config;
	const char *set[32];
	struct heddle *h;
	struct heddle_module *module;
	char loaded[64];
	uint64_t out;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "measure: %s: %s\n", what, why);
	exit(1);
}

static void check(struct bench *b, enum heddle_status s, const char *what)
{
	if (s != HEDDLE_OK)
		fail(what, heddle_message(b->h));
}

static char *file_text(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		fail(path, "cannot be read");
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	char *t = malloc(*size + 1);
	if (!t || fread(t, 1, *size, f) != *size)
		fail(path, "cannot be read");
	t[*size] = 0;
	fclose(f);
	return t;
}

enum { OUT_BYTES = 4 << 20 };

/* Makes a machine in its state after power-on, with the PTX of a family. */
static void start_machine(struct bench *b, const char *family)
{
	char path[512];
	size_t size;
	if (b->h)
		heddle_close(b->h);
	struct heddle_options o = {
		.config = b->config, .set = b->set, .timing = true, .sums = true};
	enum heddle_status s = heddle_open(&b->h, &o);
	check(b, s, "machine");
	/* machine code if TABLES-DIR has it (sm_90/), else PTX */
	snprintf(path, sizeof path, "%s/sm_90/micro_%s.cubin", b->dir, family);
	if (access(path, R_OK))
		snprintf(path, sizeof path, "%s/ptx/micro_%s.ptx", b->dir, family);
	char *text = file_text(path, &size);
	struct heddle_text t = {.name = path, .data = text, .size = size};
	check(b, heddle_load(b->h, &t, 1, &b->module), path);
	free(text);
	check(b, heddle_malloc(b->h, OUT_BYTES, &b->out), "output");
}

struct args {
	unsigned char byte[64];
	unsigned n;
};
static void arg(struct args *a, const void *v, unsigned size)
{
	a->n = (a->n + size - 1) / size * size;
	memcpy(a->byte + a->n, v, size);
	a->n += size;
}
static void arg64(struct args *a, uint64_t v) { arg(a, &v, 8); }
static void arg32(struct args *a, uint32_t v) { arg(a, &v, 4); }

static void launch(struct bench *b, const char *kernel, unsigned grid, unsigned block,
		   const struct args *a)
{
	struct heddle_kernel *k = heddle_kernel_find(b->module, kernel);
	if (!k)
		fail(kernel, "no such kernel");
	struct heddle_launch l = {
		.kernel = k, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = a->byte};
	check(b, heddle_launch(b->h, &l), kernel);
}

/* Longest time between the two clocks of the warps that started, in cycles of the SM. */
static double clocks(struct bench *b, unsigned warps)
{
	uint64_t *v = malloc(warps * 32u), t0 = UINT64_MAX, t1 = 0;
	check(b, heddle_read(b->h, v, b->out, warps * 32u), "clocks");
	for (unsigned i = 0; i < warps; i++) {
		t0 = v[i * 4] && v[i * 4] < t0 ? v[i * 4] : t0;
		t1 = v[i * 4 + 1] > t1 ? v[i * 4 + 1] : t1;
	}
	free(v);
	return (double)(t1 - t0);
}

/* One block: span of the SM at two iteration counts, cycles per iteration. */
static double slope(struct bench *b, const char *entry, unsigned grid, unsigned threads,
		    unsigned i1, unsigned i2, const uint32_t v[3])
{
	double span[2] = {0};
	for (int k = -1; k < 2; k++) { /* the first launch of three warms the caches */
		struct args a = {.n = 0};
		arg64(&a, b->out);
		arg32(&a, k > 0 ? i2 : i1);
		for (unsigned n = 0; n < 3; n++)
			arg32(&a, v[n]);
		launch(b, entry, grid, threads, &a);
		span[k > 0] = clocks(b, grid * ((threads + 31) / 32));
	}
	return (span[1] - span[0]) / (i2 - i1);
}

/* ---- tables: each returns the simulated figure and sets what was measured ---- */

static double column(const struct row *r, const struct row *head, const char *name)
{
	for (unsigned i = 0; i < head->n && i < r->n; i++)
		if (!strcmp(head->cell[i], name))
			return strtod(r->cell[i], NULL);
	fail(name, "no such column");
	return 0;
}

static uint32_t word(const struct row *r, const struct row *head, const char *name)
{
	for (unsigned i = 0; i < head->n; i++)
		if (!strcmp(head->cell[i], name))
			return (uint32_t)strtoul(r->cell[i], NULL, 0);
	fail(name, "no such column");
	return 0;
}

static double latency_curve(struct bench *b, const struct row *r, const struct row *head, double *m)
{
	uint64_t bytes = (uint64_t)column(r, head, "footprint_bytes"),
		 stride = (uint64_t)column(r, head, "stride_bytes"), n = bytes / stride, base;
	bool lcg = !strcmp(r->cell[1], "lcg");
	unsigned warm = word(r, head, "warm_hops"), hops = word(r, head, "timed_hops");
	*m = column(r, head, "cycles_per_load_median");
	start_machine(b, "global");
	check(b, heddle_malloc(b->h, bytes + (2 << 20), &base), "ring");
	base = (base + (2 << 20) - 1) & ~(uint64_t)((2 << 20) - 1);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t next =
			base + (lcg ? (i * 1664525 + 1013904223) % n : (i + 1) % n) * stride;
		check(b, heddle_write(b->h, base + i * stride, &next, 8), "ring");
	}
	struct args a = {.n = 0};
	char kernel[32];
	snprintf(kernel, sizeof kernel, "chase_%s", r->cell[0]);
	arg64(&a, b->out);
	arg64(&a, base);
	arg32(&a, warm);
	arg32(&a, hops);
	arg32(&a, UINT32_MAX);
	launch(b, kernel, 1, 1, &a);
	uint64_t cycles; /* the kernel stores the difference of its clocks */
	check(b, heddle_read(b->h, &cycles, b->out, 8), "clocks");
	return (double)cycles / hops;
}

static double bandwidth(struct bench *b, const struct row *r, const struct row *head, double *m)
{
	uint64_t bytes = (uint64_t)column(r, head, "footprint_bytes"), src, dst;
	unsigned grid = word(r, head, "blocks"), threads = word(r, head, "threads_per_block"),
		 rounds = word(r, head, "rounds");
	bool copies = !strncmp(r->cell[1], "copy", 4);
	unsigned element = !strncmp(r->cell[1], "read1", 5)   ? 4
			   : !strncmp(r->cell[1], "read2", 5) ? 8
							      : 16;
	unsigned limit = bytes > 64 << 20 ? 1 : 6;
	double moved = column(r, head, "bytes_moved") / rounds;
	*m = column(r, head, "bytes_per_cycle_per_active_sm");
	rounds = rounds < limit ? rounds : limit;
	start_machine(b, "global");
	check(b, heddle_malloc(b->h, bytes, &src), "source");
	dst = src;
	if (copies || !strncmp(r->cell[1], "write", 5))
		check(b, heddle_malloc(b->h, bytes, &dst), "destination");
	double cycles[2] = {0};
	unsigned first = rounds > 1 ? 1 : 0;
	for (int k = first ? -1 : 1; k < 2; k++) { /* the first launch of three warms the L2 */
		struct args a = {.n = 0};
		arg64(&a, b->out);
		arg64(&a, src);
		arg64(&a, dst);
		arg64(&a, bytes / element);
		arg32(&a, k > 0 ? rounds : first);
		launch(b, r->cell[1], grid, threads, &a);
		cycles[k > 0] = clocks(b, grid * threads / 32);
	}
	return moved * (rounds - first) / (cycles[1] - cycles[0]) / (grid < 132 ? grid : 132);
}

static double alu_latency(struct bench *b, const struct row *r, const struct row *head, double *m)
{
	uint32_t v[3] = {word(r, head, "a"), word(r, head, "b"), word(r, head, "c")};
	*m = column(r, head, "cycles_per_iter_median");
	if (strcmp(b->loaded, "alu")) {
		start_machine(b, "alu");
		strcpy(b->loaded, "alu");
	}
	return slope(b, r->cell[0], 1, 32, 32, 160, v);
}

static double shared(struct bench *b, const struct row *r, const struct row *head, double *m)
{
	uint32_t v[3] = {word(r, head, "stride_bytes")};
	*m = column(r, head, "cycles_per_iter_median");
	if (strcmp(b->loaded, "shared")) {
		start_machine(b, "shared");
		strcpy(b->loaded, "shared");
	}
	return slope(b, r->cell[0], 1, word(r, head, "threads"), 16, 80, v);
}

static double coalescing(struct bench *b, const struct row *r, const struct row *head, double *m)
{
	uint32_t v[3] = {word(r, head, "lane_stride_words(0=random)")};
	*m = column(r, head, "cycles_per_iter_median");
	if (strcmp(b->loaded, "global")) {
		start_machine(b, "global");
		strcpy(b->loaded, "global");
	}
	return slope(b, r->cell[0], 1, word(r, head, "threads"), 8, 40, v);
}

static double alu_throughput(struct bench *b, const struct row *r, const struct row *head,
			     double *m)
{
	uint32_t v[3] = {1, 0x3f7d70a4, 0x3c23d70a};
	*m = column(r, head, "cycles_per_iter_median");
	if (strcmp(b->loaded, "alu")) {
		start_machine(b, "alu");
		strcpy(b->loaded, "alu");
	}
	return slope(b, r->cell[0], 1, 32 * word(r, head, "warps_on_sm"), 16, 80, v);
}

static const struct table {
	const char *name;
	double (*run)(struct bench *b, const struct row *r, const struct row *head, double *m);
} tables[] = {
	{"latency_curve", latency_curve},   {"bandwidth", bandwidth}, {"alu_latency", alu_latency},
	{"alu_throughput", alu_throughput}, {"shared", shared},       {"coalescing", coalescing},
};

/* ---- rows ---- */

static void split(struct row *r)
{
	r->n = 0;
	r->line[strcspn(r->line, "\n")] = 0;
	for (char *c = r->line; c && r->n < COLUMNS;) {
		r->cell[r->n++] = c;
		c = strchr(c, '\t');
		if (c)
			*c++ = 0;
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		fail("usage", "measure TABLES-DIR CONFIG TABLE [TEXT] [SET=VALUE ...]");
	struct bench b = {.dir = argv[1], .config = argv[2]};
	const char *text = argc > 4 ? argv[4] : "";
	const struct table *t = NULL;
	for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!strcmp(tables[i].name, argv[3]))
			t = &tables[i];
	if (!t)
		fail(argv[3], "no such table");
	for (int i = 5; i < argc && i < 35; i++)
		b.set[i - 5] = argv[i];
	char path[512];
	snprintf(path, sizeof path, "%s/micro_%s.tsv", b.dir, t->name);
	FILE *f = fopen(path, "r");
	static struct row head, row;
	if (!f || !fgets(head.line, LINE, f))
		fail(path, "cannot be read");
	split(&head);
	double sum = 0;
	unsigned n = 0;
	while (fgets(row.line, LINE, f)) {
		char whole[LINE];
		strcpy(whole, row.line);
		whole[strcspn(whole, "\n")] = 0;
		if (!strstr(whole, text))
			continue;
		split(&row);
		double measured, got = t->run(&b, &row, &head, &measured);
		printf("%-60.60s %10.2f %10.2f %+7.1f %%\n", whole, measured, got,
		       100 * (got / measured - 1));
		fflush(stdout);
		sum += fabs(got / measured - 1);
		n++;
	}
	printf("%u rows, mean error %.1f %%\n", n, n ? 100 * sum / n : 0);
	return 0;
}
