/* The simulator's own speed: `make bench`.
 *
 *   build/bench DIR [--config NAME] [--threads N] [--kernel NAME] [--dry] [--check] [--once]
 *              [--code ptx|fermi|tesla] [--set KEY=VALUE]...
 *
 * Runs the kernels of DIR (this folder), each in a separate process so that its memory can be
 * measured, compares their results with results computed in C, and reports warp instructions (wi)
 * and thread instructions (ti) per second, the ratio to a calibration loop in this program (a fused
 * multiply-add over rows of 32 lanes, the speed of a perfect translator), bytes of memory per
 * simulated thread, and the time to the first instruction. Seconds are CPU time on one host thread,
 * wall time on several. Appends to DIR/history.csv unless --dry. With --code the kernels run as
 * that code: the results are checked the same way, and nothing is appended.
 *
 * With --config in timing mode on that machine (--set changes an option of it, and nothing is appended): cycles, warp instructions and cycles a second, and
 * memory beyond the kernel's own buffers; appended to DIR/history-timing.csv.
 *
 * "x peer" is the rate relative to GPGPU-Sim's, recorded with one thread of a virtual Xeon of 2.5 GHz
 * (docs/evidence/bench.md), so it means something on such a host; in timing mode for gtx480 alone. Only kernels whose
 * instructions cost alike at any size have a recorded rate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "heddle.h"

enum { BUFFERS = 3 };

/* A run's numbers: the words of its buffers and the scalar parameters. */
struct data {
	uint32_t *buf[BUFFERS];
	uint32_t words[BUFFERS];
};

struct kernel {
	const char *name, *what;
	uint32_t grid[2], block[2];
	const char *params; /* in order: 0, 1, 2 a buffer; a, b a scalar */
	uint32_t words[BUFFERS];
	uint32_t scalar[2];
	void (*fill)(struct data *);
	/* The expected words of the kernel's last buffer. */
	uint32_t (*expect)(const struct kernel *, const struct data *, uint32_t i);
	const char *of; /* kernel whose text and entry this one uses; NULL: its own */
	bool timing;    /* runs only in timing mode */
	bool hopper;    /* runs only in functional mode, as PTX: other machines lack the unit */
	bool singles;   /* results depend on the rounding of singles, which differs on sm_13 */
	/* warp instructions per second of GPGPU-Sim 4.2 (dev, 6b244a5d, gcc 12 -O3) for this kernel at a smaller
	 * size: in timing mode of its SM2_GTX480, in functional mode; 0: not recorded */
	double peer_timing, peer_functional;
};

static uint32_t xorshift(uint32_t *s)
{
	*s ^= *s << 13, *s ^= *s >> 17, *s ^= *s << 5;
	return *s;
}

static uint32_t bits_of(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static float float_of(uint32_t u)
{
	float f;
	memcpy(&f, &u, 4);
	return f;
}

static void fill_floats(struct data *d)
{
	uint32_t s = 12345;
	for (unsigned b = 0; b < 2; b++)
		for (uint32_t i = 0; i < d->words[b]; i++)
			d->buf[b][i] = bits_of((float)(xorshift(&s) >> 8) / 0x1p24f);
}

static void fill_permutation(struct data *d)
{
	uint32_t s = 12345;
	for (uint32_t i = 0; i < d->words[0]; i++)
		d->buf[0][i] = i;
	for (uint32_t i = d->words[0] - 1; i > 0; i--) {
		uint32_t j = xorshift(&s) % (i + 1), t = d->buf[0][i];
		d->buf[0][i] = d->buf[0][j];
		d->buf[0][j] = t;
	}
}

/* All nodes are on the frontier and have 15 neighbours. */
static void fill_level(struct data *d)
{
	fill_permutation(d);
	for (uint32_t i = 0; i < d->words[0]; i++)
		d->buf[0][i] = d->buf[0][i] << 8 | 0xf1;
}

static uint32_t expect_vecadd(const struct kernel *k, const struct data *d, uint32_t i)
{
	(void)k;
	return bits_of(float_of(d->buf[0][i]) + float_of(d->buf[1][i]));
}

static uint32_t expect_matmul(const struct kernel *k, const struct data *d, uint32_t i)
{
	uint32_t n = k->scalar[0];
	float acc = 0;
	for (uint32_t j = 0; j < n; j++)
		acc = fmaf(float_of(d->buf[0][i / n * n + j]), float_of(d->buf[1][j * n + i % n]),
			   acc);
	return bits_of(acc);
}

/* Small integers as pairs of f16: sums of their products are exact in any order. */
static void fill_halves(struct data *d)
{
	static const uint16_t small[] = {0, 0x3c00, 0x4000, 0x4200, 0xbc00, 0xc000, 0xc200, 0};
	uint32_t s = 12345;
	for (unsigned b = 0; b < 2; b++)
		for (uint32_t i = 0; i < d->words[b]; i++) {
			uint32_t r = xorshift(&s);
			d->buf[b][i] = small[r >> 8 & 7] | (uint32_t)small[r >> 11 & 7] << 16;
		}
}

static int whole_of(uint32_t half)
{
	uint32_t m = half & 0x7fff;
	int x = m == 0x3c00 ? 1 : m == 0x4000 ? 2 : m == 0x4200 ? 3 : 0;
	return half & 0x8000 ? -x : x;
}

/* Both matrices are contiguous along the inner dimension. */
static uint32_t expect_wgmma(const struct kernel *k, const struct data *d, uint32_t i)
{
	uint32_t n = k->scalar[0] / 2;
	const uint32_t *a = d->buf[0] + i / k->scalar[0] * n, *b = d->buf[1] + i % k->scalar[0] * n;
	int sum = 0;
	for (uint32_t j = 0; j < n; j++)
		sum += whole_of(a[j] & 0xffff) * whole_of(b[j] & 0xffff) +
		       whole_of(a[j] >> 16) * whole_of(b[j] >> 16);
	return bits_of((float)sum);
}

static uint32_t expect_collatz(const struct kernel *k, const struct data *d, uint32_t i)
{
	(void)k, (void)d;
	uint32_t x = i + 1, steps = 0;
	for (; x != 1; steps++)
		x = x & 1 ? 3 * x + 1 : x >> 1;
	return steps;
}

static uint32_t expect_chase(const struct kernel *k, const struct data *d, uint32_t i)
{
	uint32_t p = i * 61 % k->scalar[0];
	for (uint32_t h = 0; h < k->scalar[1]; h++)
		p = d->buf[0][p];
	return p;
}

static uint32_t expect_fmaloop(const struct kernel *k, const struct data *d, uint32_t i)
{
	(void)d;
	float v[4];
	for (unsigned j = 0; j < 4; j++) {
		v[j] = (float)i + (float)j;
		for (uint32_t n = 0; n < k->scalar[0]; n++)
			v[j] = fmaf(v[j], 0.5f, 1.0f);
	}
	return bits_of(v[0] + v[1] + v[2] + v[3]);
}

static uint32_t expect_mandel(const struct kernel *k, const struct data *d, uint32_t i)
{
	(void)d;
	uint32_t w = k->scalar[0], n = 0;
	float cx = (float)(i % w) * 3.2f / (float)w - 2.2f,
	      cy = (float)(i / w) * 2.4f / (float)w - 1.2f;
	float x = 0, y = 0;
	while (n < k->scalar[1] && fmaf(y, y, x * x) < 4) { /* fused as the compiler did */
		float t = x * x - y * y + cx;
		y = fmaf(y, x + x, cy);
		x = t;
		n++;
	}
	return n;
}

static uint32_t expect_bounce(const struct kernel *k, const struct data *d, uint32_t i)
{
	(void)d;
	uint32_t v[256], w[256], steps = k->scalar[0];
	for (uint32_t t = 0; t < 256; t++)
		v[t] = t * 2654435761u;
	for (uint32_t s = 0; s < steps; s++) {
		memcpy(w, v, sizeof w);
		for (uint32_t t = 0; t < 256; t++)
			v[t] = w[(t + 33) & 255] + s;
	}
	return v[i & 255];
}

static uint32_t expect_histogram(const struct kernel *k, const struct data *d, uint32_t i)
{
	uint32_t n = k->scalar[0], first = i / 256 * 256 * n, count = 0;
	for (uint32_t j = first; j < first + 256 * n; j++)
		count += (d->buf[0][j] & 255) == i % 256;
	return count;
}

static uint32_t expect_frontier(const struct kernel *k, const struct data *d, uint32_t i)
{
	uint32_t mine = d->buf[0][i], at = mine * 2654435761u >> 12, found = 0;
	for (uint32_t j = 0; mine & 1 && j < (mine >> 4 & 15); j++) {
		uint32_t next = d->buf[0][(at + j * 7) & (k->scalar[0] - 1)];
		found += next & 1 ? 0 : next >> 8 & 3;
	}
	return found;
}

/* clang-format off */
static const struct kernel kernels[] = {
	{"vecadd", "memory", {4096, 1}, {256, 1}, "012a", {1 << 20, 1 << 20, 1 << 20}, {1 << 20},
	 fill_floats, expect_vecadd, .peer_timing = 6871, .peer_functional = 166900},
	{"wgmma", "tensor core", {2, 8}, {128, 1}, "012a", {1 << 17, 1 << 17, 1 << 18}, {512},
	 fill_halves, expect_wgmma, .hopper = true},
	{"matmul", "shared memory", {16, 16}, {16, 16}, "012a", {1 << 16, 1 << 16, 1 << 16}, {256},
	 fill_floats, expect_matmul, .singles = true, .peer_timing = 11626, .peer_functional = 169500},
	{"collatz", "divergent", {256, 1}, {256, 1}, "2a", {0, 0, 1 << 16}, {1 << 16}, NULL,
	 expect_collatz, .peer_timing = 24928, .peer_functional = 404300},
	{"chase", "scattered loads", {64, 1}, {256, 1}, "02ab", {1 << 20, 0, 1 << 14}, {1 << 20, 16},
	 fill_permutation, expect_chase},
	{"fmaloop", "ALU", {90, 1}, {256, 1}, "2a", {0, 0, 90 * 256}, {512}, NULL, expect_fmaloop,
	 .peer_timing = 21257, .peer_functional = 226200},
	{"mandel", "divergent", {256, 1}, {256, 1}, "2ab", {0, 0, 1 << 16}, {256, 200}, NULL,
	 expect_mandel, .singles = true, .peer_timing = 23940},
	{"bounce", "barriers", {64, 1}, {256, 1}, "2a", {0, 0, 1 << 14}, {400}, NULL, expect_bounce},
	{"histogram", "atomics", {256, 1}, {256, 1}, "02a", {1 << 20, 0, 1 << 16}, {16}, fill_permutation,
	 expect_histogram},
	{"frontier", "divergent loads", {1024, 1}, {256, 1}, "02a", {1 << 18, 0, 1 << 18}, {1 << 18}, fill_permutation,
	 expect_frontier},
	{"level", "uniform loads", {1024, 1}, {256, 1}, "02a", {1 << 18, 0, 1 << 18}, {1 << 18}, fill_level,
	 expect_frontier, "frontier"},
	{"idle", "one thread alone", {1, 1}, {1, 1}, "02ab", {1 << 20, 0, 1}, {1 << 20, 20000}, fill_permutation,
	 expect_chase, "chase", true},
};
/* clang-format on */
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- measuring ---- */

static double clock_seconds(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return clock_seconds(CLOCK_MONOTONIC); }

/* CPU time, which other programs on the machine disturb less; valid while one thread works. */
static double cpu(void) { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }

enum { ROWS = 16 };
static float rows[ROWS][32] __attribute__((aligned(64)));

__attribute__((noinline)) static void row_fma(float *d, const float *a, const float *b,
					      const float *c)
{
	for (unsigned l = 0; l < 32; l++)
		d[l] = a[l] * b[l] + c[l];
}

/* Rows per second of the native loop. */
static double calibrate(void)
{
	double best = 0;
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned l = 0; l < 32; l++)
			rows[r][l] = 0.5f;
	for (unsigned trial = 0; trial < 5; trial++) {
		enum { N = 4000000 };
		double t = cpu();
		for (unsigned i = 0; i < N; i++)
			row_fma(rows[i % ROWS], rows[(i + 3) % ROWS], rows[(i + 7) % ROWS],
				rows[(i + 11) % ROWS]);
		double rate = N / (cpu() - t);
		best = rate > best ? rate : best;
	}
	return best;
}

struct result {
	bool ok;
	double wi, ti, seconds; /* warp and thread instructions, time of the fastest launch */
	/* cycles of the first launch, in timing mode: later launches find warm caches */
	double cycles;
	double cycle_rate;   /* simulated cycles per second in the fastest launch */
	uint64_t data_bytes; /* buffers, on host and device */
	long rss;            /* resident memory at the end, in KB */
	char message[256];
};

static bool checked; /* with --check race,init */
static bool once;    /* --once: one launch of each kernel */
enum { SETS = 16 };
static const char *sets[SETS + 1]; /* --set, in order; NULL ends them */
static struct heddle_options code; /* --code: the machine code that the PTX is compiled to */

static bool fail(struct result *r, const char *text)
{
	snprintf(r->message, sizeof r->message, "%s", text);
	return false;
}

static char *slurp(const char *dir, const char *name, size_t *n)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s.ptx", dir, name);
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	char *buf = malloc(1 << 20);
	*n = buf ? fread(buf, 1, 1 << 20, f) : 0;
	fclose(f);
	return buf;
}

static bool verify(const struct kernel *k, const struct data *d, struct result *r)
{
	uint32_t n = k->words[BUFFERS - 1], step = n > 4096 ? n / 4093 : 1;
	if (k->singles && code.code == HEDDLE_CODE_TESLA)
		return true;
	for (uint32_t i = 0; i < n; i += step) {
		uint32_t want = k->expect(k, d, i), got = d->buf[BUFFERS - 1][i];
		if (want != got) {
			snprintf(r->message, sizeof r->message,
				 "wrong result: word %u is %#x, expected %#x", i, got, want);
			return false;
		}
	}
	return true;
}

static bool measure(const struct kernel *k, const char *dir, const char *config, unsigned threads,
		    struct result *r)
{
	const char *name = k->of ? k->of : k->name;
	struct heddle *h;
	struct heddle_module *m;
	size_t n;
	char *text = slurp(dir, name, &n);
	if (!text)
		return fail(r, "no such PTX file");
	if (heddle_open(&h, &(struct heddle_options){.threads = threads,
						     .config = config,
						     .timing = config,
						     .set = sets[0] ? sets : NULL,
						     .code = code.code,
						     .code_without = code.code_without,
						     .check_race = checked,
						     .check_init = checked}))
		return fail(r, heddle_message(h));
	if (heddle_load(h, &(struct heddle_text){name, text, n}, 1, &m))
		return fail(r, heddle_message(h));
	struct data d;
	uint64_t addr[BUFFERS] = {0};
	for (unsigned b = 0; b < BUFFERS; b++) {
		d.words[b] = k->words[b];
		d.buf[b] = calloc(k->words[b] + 1u, 4);
		if (!d.buf[b] || (k->words[b] && heddle_malloc(h, 4ull * k->words[b], &addr[b])))
			return fail(r, "out of memory");
		/* memory is measured before the host's copy of the results is written */
		r->data_bytes += (b == BUFFERS - 1 ? 4ull : 8ull) * k->words[b];
	}
	if (k->fill)
		k->fill(&d);
	for (unsigned b = 0; b < BUFFERS; b++)
		if (k->words[b] && heddle_write(h, addr[b], d.buf[b], 4ull * k->words[b]))
			return fail(r, heddle_message(h));
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, name),
				  .grid = {k->grid[0], k->grid[1], 1},
				  .block = {k->block[0], k->block[1], 1}};
	if (!l.kernel)
		return fail(r, "no such kernel");
	uint8_t block[64] = {0};
	unsigned i = 0;
	for (const char *p = k->params; *p; p++, i++) {
		struct heddle_param_info info;
		heddle_param_info(l.kernel, i, &info);
		if (*p < 'a')
			memcpy(block + info.offset, &addr[*p - '0'], 8);
		else
			memcpy(block + info.offset, &k->scalar[*p - 'a'], 4);
	}
	l.params = block;
	double start = now();
	r->seconds = INFINITY;
	for (unsigned runs = 0; !runs || (!once && (runs < 3 || (now() - start < 1 && runs < 50)));
	     runs++) {
		double t = cpu();
		if (heddle_launch(h, &l))
			return fail(r, heddle_message(h));
		t = cpu() - t;
		const struct heddle_stats *s = heddle_stats_at(h, heddle_stats_count(h) - 1);
		t = threads == 1 ? t : s->seconds;
		if (!runs)
			r->cycles = (double)s->cycles;
		if (t < r->seconds)
			r->cycle_rate = (double)s->cycles / t;
		r->seconds = fmin(r->seconds, t);
		r->wi = (double)s->warp_instructions;
		r->ti = (double)s->thread_instructions;
	}
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	r->rss = u.ru_maxrss;
	unsigned last = BUFFERS - 1;
	if (heddle_read(h, d.buf[last], addr[last], 4ull * k->words[last]))
		return fail(r, heddle_message(h));
	return verify(k, &d, r);
}

/* Measures in a new process; k NULL: the process only opens a GPU, the base of the memory figures. */
static struct result measure_apart(const struct kernel *k, const char *dir, const char *config,
				   unsigned threads)
{
	struct result r = {0};
	int fd[2];
	if (pipe(fd))
		return r;
	pid_t pid = fork();
	if (pid == 0) {
		if (k) {
			r.ok = measure(k, dir, config, threads, &r);
		} else {
			struct heddle *h;
			struct rusage u;
			r.ok = !heddle_open(&h, &(struct heddle_options){.threads = threads});
			getrusage(RUSAGE_SELF, &u);
			r.rss = u.ru_maxrss;
		}
		_exit(write(fd[1], &r, sizeof r) != sizeof r);
	}
	close(fd[1]);
	if (pid < 0 || read(fd[0], &r, sizeof r) != sizeof r) {
		r = (struct result){0};
		snprintf(r.message, sizeof r.message, "the simulator crashed");
	}
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return r;
}

/* Seconds that `heddle run` takes for a kernel of one block in a text of about 1,000 lines, from
 * the start of the process to its end: an upper bound of the time to the first instruction. */
static double first_instruction(const char *heddle)
{
	char path[600];
	snprintf(path, sizeof path, "%s-first.ptx", heddle);
	FILE *f = fopen(path, "w");
	if (!f)
		return NAN;
	fprintf(f, ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k()\n{\n"
		   ".reg .b32 %%r<64>;\nmov.u32 %%r0, %%tid.x;\n");
	for (unsigned i = 0; i < 990; i++)
		fprintf(f, "add.s32 %%r%u, %%r%u, %u;\n", (i + 1) % 64, i % 64, i);
	fprintf(f, "ret;\n}\n");
	fclose(f);
	double best = INFINITY;
	for (unsigned trial = 0; trial < 5; trial++) {
		double t = now();
		pid_t pid = fork();
		if (pid == 0) {
			execl(heddle, heddle, "run", path, "--quiet", "--grid", "1", "--block",
			      "32", (char *)NULL);
			_exit(127);
		}
		int status = 1;
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
			best = NAN;
			break;
		}
		best = fmin(best, now() - t);
	}
	unlink(path);
	return best;
}

/* ---- report ---- */

static void read_line(const char *command, char *out, size_t n)
{
	FILE *p = popen(command, "r");
	if (!p || !fgets(out, (int)n, p))
		snprintf(out, n, "unknown");
	out[strcspn(out, "\n")] = 0;
	if (p)
		pclose(p);
}

/* ---- settings of all runs ---- */

struct setting {
	const char *dir, *config, *only;
	unsigned threads;
	bool dry;
	char commit[64], date[32], machine[80];
};

static FILE *open_history(const struct setting *o, const char *name, const char *head)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", o->dir, name);
	FILE *f = o->dry ? NULL : fopen(path, "a");
	if (f && ftell(f) == 0)
		fprintf(f, "date,commit,machine,threads,%s\n", head);
	return f;
}

static void history_line(FILE *f, const struct setting *o)
{
	if (f)
		fprintf(f, "%s,%s,%s,%u,", o->date, o->commit, o->machine, o->threads);
}

/* Runs the selected kernels; `show` reports each. False: a kernel failed. */
static bool each(const struct setting *o, FILE *history,
		 void (*show)(const struct setting *o, const struct kernel *k,
			      const struct result *r, FILE *history))
{
	bool ok = true;
	for (unsigned i = 0; i < KERNELS; i++) {
		const struct kernel *k = &kernels[i];
		if ((o->only && strcmp(o->only, k->name)) || (k->timing && !o->config) ||
		    (k->hopper && (o->config || code.code)))
			continue;
		struct result r = measure_apart(k, o->dir, o->config, o->threads);
		if (r.ok)
			show(o, k, &r, history);
		else
			printf("%-8s  %s\n", k->name, r.message);
		ok &= r.ok;
		fflush(stdout);
	}
	if (history)
		fclose(history);
	return ok;
}

/* ---- functional mode ---- */

static double bound;  /* rows per second of the calibration loop */
static long idle_rss; /* resident memory of a simulator that runs nothing, in KB */

/* The rate relative to the peer's, as text; "-": none is recorded. */
static const char *times_peer(double rate, double peer)
{
	static char text[32];
	snprintf(text, sizeof text, peer > 0 ? "%.0f" : "-", rate / peer);
	return text;
}

static void show_functional(const struct setting *o, const struct kernel *k, const struct result *r,
			    FILE *history)
{
	double n = (double)k->grid[0] * k->grid[1] * k->block[0] * k->block[1];
	double bytes = ((double)(r->rss - idle_rss) * 1024 - (double)r->data_bytes) / n;
	bytes = bytes < 0 ? 0 : bytes;
	double wi = r->wi / r->seconds, ti = r->ti / r->seconds;
	printf("%-8s  %-16s %12.0f %9.4f %9.1f %9.0f %7.3f %8.1f %7s\n", k->name, k->what, r->wi,
	       r->seconds, wi / 1e6, ti / 1e6, wi / bound, bytes,
	       times_peer(wi, k->peer_functional));
	history_line(history, o);
	if (history)
		fprintf(history, "%s,%.0f,%.4g,%.4g,%.4f,%.1f\n", k->name, r->wi, wi, ti,
			wi / bound, bytes);
}

static bool functional(const struct setting *o, const char *heddle)
{
	bound = calibrate();
	printf("calibration: %.1f M rows of 32 lanes a second; %u host thread%s\n\n", bound / 1e6,
	       o->threads, o->threads == 1 ? "" : "s");
	printf("%-8s  %-16s %12s %9s %9s %9s %7s %8s %7s\n", "kernel", "stresses", "wi", "seconds",
	       "M wi/s", "M ti/s", "ratio", "B/thread", "x peer");
	idle_rss = measure_apart(NULL, o->dir, NULL, o->threads).rss;
	bool ok = each(o,
		       open_history(o, "history.csv",
				    "kernel,wi,wi_per_s,ti_per_s,ratio,bytes_per_thread"),
		       show_functional);
	if (!o->only)
		printf("\nfirst instruction of a 1,000-line text: at most %.1f ms after the "
		       "process starts\n",
		       1e3 * first_instruction(heddle));
	return ok;
}

/* ---- timing mode ---- */

static void show_timing(const struct setting *o, const struct kernel *k, const struct result *r,
			FILE *history)
{
	double mb = ((double)r->rss * 1024 - (double)r->data_bytes) * 1e-6;
	double peer = strcmp(o->config, "gtx480") ? 0 : k->peer_timing;
	printf("%-8s  %-16s %12.0f %10.0f %9.4f %7s %9.2f %12.3f %6.1f\n", k->name, k->what, r->wi,
	       r->cycles, r->seconds, times_peer(r->wi / r->seconds, peer),
	       r->wi / r->seconds * 1e-6, r->cycle_rate * 1e-6, mb);
	history_line(history, o);
	if (history)
		fprintf(history, "%s,%s,%.0f,%.0f,%.4g,%.4g,%.1f\n", o->config, k->name, r->wi,
			r->cycles, r->wi / r->seconds, r->cycle_rate, mb);
}

static bool timing(const struct setting *o)
{
	printf("timing mode, %s, %u host thread%s\n\n", o->config, o->threads,
	       o->threads == 1 ? "" : "s");
	printf("%-8s  %-16s %12s %10s %9s %7s %9s %12s %6s\n", "kernel", "stresses", "wi", "cycles",
	       "seconds", "x peer", "M wi/s", "M cycles/s", "MB");
	setenv("HEDDLE_CONF", "conf", 0); /* the benchmark runs in the root of the tree */
	return each(o,
		    open_history(o, "history-timing.csv",
				 "config,kernel,wi,cycles,wi_per_s,cycles_per_s,mb"),
		    show_timing);
}

int main(int argc, char **argv)
{
	struct setting o = {.dir = "bench", .threads = 1};
	unsigned nsets = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--dry"))
			o.dry = true;
		else if (!strcmp(argv[i], "--check"))
			checked = o.dry = true;
		else if (!strcmp(argv[i], "--once"))
			once = o.dry = true;
		else if (!strcmp(argv[i], "--code") && i + 1 < argc) {
			const char *why = heddle_code_parse(argv[++i], &code);
			if (why)
				return fprintf(stderr, "bench: %s\n", why), 2;
			o.dry = true;
		} else if (!strcmp(argv[i], "--set") && i + 1 < argc && nsets < SETS) {
			sets[nsets++] = argv[++i];
			o.dry = true;
		} else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
			o.threads = (unsigned)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--kernel") && i + 1 < argc)
			o.only = argv[++i];
		else if (!strcmp(argv[i], "--config") && i + 1 < argc)
			o.config = argv[++i];
		else if (argv[i][0] != '-')
			o.dir = argv[i];
		else
			return fprintf(stderr,
				       "usage: bench [DIR] [--config NAME] [--threads N] "
				       "[--kernel NAME] [--dry] [--check] [--once] [--code CODE] [--set KEY=VALUE]\n"),
			       2;
	}
	char heddle[512];
	struct utsname u;
	uname(&u);
	snprintf(o.machine, sizeof o.machine, "%s", u.machine);
	time_t t = time(NULL);
	strftime(o.date, sizeof o.date, "%Y-%m-%d", gmtime(&t));
	read_line("git rev-parse --short HEAD 2>/dev/null", o.commit, sizeof o.commit);
	const char *slash = strrchr(argv[0], '/');
	snprintf(heddle, sizeof heddle, "%.*sheddle", (int)(slash ? slash + 1 - argv[0] : 0),
		 argv[0]);
	return o.config ? !timing(&o) : !functional(&o, heddle);
}
