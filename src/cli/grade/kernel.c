/* Labs that ask for a kernel: see grade.h. The kernel's results are compared with results computed
 * here in C, its figures with those of the lab's starter file. */
#include "cli/grade/grade.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 40 };

/* TOO_SLOW: a student's kernel may take this many times the starter's cycles. */
enum { TOO_SLOW = 20, MOST_CYCLES = 20000000 };

/* A launch of a kernel on buffers: the first `outputs` bytes of the last buffer are the result. */
struct kernel_trial {
	const char *ptx, *name, *config;
	const char *const *set;
	uint32_t grid[3], block[3], shared;
	void *in[2];
	size_t in_bytes[2], out_bytes;
	int32_t sizes[3];
	unsigned nin, nsizes;
	const void *want; /* out_bytes; NULL: any result will do */
	uint64_t max_cycles;
	bool want_line;
};

/* The line of the source at which most lanes are off, over all instructions: "kernel.cu:12". */
static void find_worst_line(const struct heddle *h, char out[80])
{
	char *text = heddle_stats_json(h);
	json_t *top = text ? json_loads(text, 0, NULL) : NULL, *profile, *pc;
	json_t *sums = json_object();
	size_t i, k;
	double most = 0;
	json_array_foreach (json_object_get(top, "profile"), i, profile) {
		json_array_foreach (json_object_get(profile, "instructions"), k, pc) {
			const char *source = json_string_value(json_object_get(pc, "source"));
			double lost =
				32.0 * (double)json_integer_value(json_object_get(pc, "issued")) -
				(double)json_integer_value(json_object_get(pc, "lanes"));
			if (!source)
				continue;
			lost += json_real_value(json_object_get(sums, source));
			json_object_set_new(sums, source, json_real(lost));
			if (lost > most) {
				most = lost;
				snprintf(out, 80, "%s",
					 strrchr(source, '/') ? strrchr(source, '/') + 1 : source);
			}
		}
	}
	json_decref(sums);
	json_decref(top);
	free(text);
}

static bool put_params(struct heddle *h, const struct kernel_trial *t, struct heddle_kernel *k,
		       uint8_t block[256], uint64_t *result, char *why, size_t n)
{
	struct heddle_kernel_info info;
	heddle_kernel_info(k, &info);
	unsigned want = t->nin + 1 + t->nsizes;
	if (info.nparam != want || info.param_bytes > 256) {
		snprintf(why, n, "kernel %s has %u parameters, expected %u", t->name, info.nparam,
			 want);
		return false;
	}
	for (unsigned i = 0; i < want; i++) {
		struct heddle_param_info p;
		uint64_t addr = 0;
		heddle_param_info(k, i, &p);
		bool pointer = i <= t->nin;
		if (p.size != (pointer ? 8 : 4)) {
			snprintf(why, n, "parameter %u of kernel %s has %u bytes, expected %u", i,
				 t->name, p.size, pointer ? 8 : 4);
			return false;
		}
		if (!pointer) {
			memcpy(block + p.offset, &t->sizes[i - t->nin - 1], 4);
			continue;
		}
		size_t bytes = i < t->nin ? t->in_bytes[i] : t->out_bytes;
		if (heddle_malloc(h, bytes, &addr) ||
		    (i < t->nin ? heddle_write(h, addr, t->in[i], bytes)
				: heddle_fill(h, addr, 0xff, 1, bytes))) {
			snprintf(why, n, "%s", heddle_message(h));
			return false;
		}
		memcpy(block + p.offset, &addr, 8);
		*result = addr;
	}
	return true;
}

/* The simulator's message, at most a few lines of it; a kernel that is stopped says how slow it is. */
static void explain_failure(const struct kernel_trial *t, const struct heddle *h, char *why,
			    size_t n)
{
	const char *text = heddle_message(h), *end = text;
	for (unsigned lines = 0; *end && lines < 4; lines++)
		end += strcspn(end, "\n") + (end[strcspn(end, "\n")] != 0);
	if (t->max_cycles != MOST_CYCLES && strstr(text, "(--max-cycles)"))
		snprintf(why, n, "it does not end within %llu cycles, %d times the starter's",
			 (unsigned long long)t->max_cycles, TOO_SLOW);
	else
		snprintf(why, n, "%.*s", (int)(end - text), text);
}

static void run_trial(void *arg, struct outcome *out)
{
	const struct kernel_trial *t = arg;
	struct heddle_options o = {.config = t->config,
				   .set = t->set,
				   .timing = t->config,
				   .max_cycles = t->max_cycles,
				   .max_instructions = 400000000,
				   .profile = t->want_line};
	struct heddle_text text = {"kernel", t->ptx, strlen(t->ptx), NULL};
	struct heddle *h;
	struct heddle_module *m;
	uint8_t params[256] = {0}, *result = malloc(t->out_bytes);
	uint64_t addr = 0;
	struct heddle_launch l = {.params = params, .shared_bytes = t->shared};
	memcpy(l.grid, t->grid, sizeof l.grid);
	memcpy(l.block, t->block, sizeof l.block);
	bool ok = !heddle_open(&h, &o) && !heddle_load(h, &text, 1, &m);
	if (ok && !(l.kernel = heddle_kernel_find(m, t->name)))
		snprintf(out->why, sizeof out->why,
			 "there is no kernel %s; expected extern \"C\" __global__ void %s(...)",
			 t->name, t->name);
	ok = ok && l.kernel && put_params(h, t, l.kernel, params, &addr, out->why, sizeof out->why);
	ok = ok && !heddle_launch(h, &l) && result && !heddle_read(h, result, addr, t->out_bytes);
	if (!ok && !*out->why)
		explain_failure(t, h, out->why, sizeof out->why);
	for (size_t i = 0; ok && t->want && i < t->out_bytes / 4; i++)
		if (((const uint32_t *)t->want)[i] != ((const uint32_t *)(void *)result)[i]) {
			snprintf(out->why, sizeof out->why,
				 "a wrong result: element %zu is 0x%08x, expected 0x%08x", i,
				 ((const uint32_t *)(void *)result)[i],
				 ((const uint32_t *)t->want)[i]);
			ok = false;
		}
	if (ok) {
		const struct heddle_stats *s = heddle_stats_at(h, 0);
		out->cycles = s->cycles;
		out->warp_instructions = s->warp_instructions;
		out->thread_instructions = s->thread_instructions;
		out->simd_efficiency = s->simd_efficiency;
		if (t->want_line)
			find_worst_line(h, out->worst_line);
	}
	out->ok = ok;
	free(result);
	heddle_close(h);
}

static void run(struct kernel_trial *t, struct outcome *out)
{
	apart_run(run_trial, t, SECONDS, out);
}

static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x >> 8;
}

/* Compiles the lab's starter file, to be compared with; NULL: the reason is a part of the grade. */
static char *build_starter(struct grade *g, const char *name, char *why, size_t n)
{
	char *file = teaching_file(name);
	char *ptx = file ? build_kernel(file, why, n) : NULL;
	if (!file)
		snprintf(why, n, "docs/teaching/%s is not installed", name);
	if (!ptx)
		grade_add(g, "starter", 0, 0, "the lab's starter file cannot be compiled: %s", why);
	free(file);
	return ptx;
}

/* A comment of the form "// WORD: text" in the file; malloc'ed text up to the line's end, or NULL. */
static char *find_comment(const char *file, const char *word)
{
	size_t size;
	char *source = cli_read("grade", file, &size), *found = NULL;
	for (char *s = source; s && (s = strstr(s, "//")); s += 2) {
		char *p = s + 2 + strspn(s + 2, " \t");
		if (strncmp(p, word, strlen(word)) || p[strlen(word)] != ':')
			continue;
		p += strlen(word) + 1;
		p += strspn(p, " \t");
		found = strndup(p, strcspn(p, "\r\n"));
		break;
	}
	free(source);
	return found;
}

/* Fraction of the points: all at `full` or better, none at `none` or worse, logarithmic in
 * between. */
static double share(double value, double none, double full)
{
	double part = value > 0 ? log(value / none) / log(full / none) : 0;
	return part < 0 ? 0 : part > 1 ? 1 : part;
}

/* ---- divergence ---- */

enum { ITEMS = 8192, DIVERGENCE_BLOCK = 256 };

/* The value that the lab's kernel computes for one item (docs/teaching/divergence/starter.cu). */
static uint32_t classify(uint32_t x)
{
	uint32_t v = x, n = 8 + (x >> 8 & 31);
	switch (x & 3) {
	case 0:
		for (uint32_t i = 0; i < n; i++)
			v = v * 1664525u + 1013904223u;
		break;
	case 1:
		for (uint32_t i = 0; i < n; i++)
			v = (v << 5 ^ v >> 3) + i;
		break;
	case 2:
		for (uint32_t i = 0; i < n; i++)
			v = v * 9 + (v >> 7);
		break;
	default:
		for (uint32_t i = 0; i < 4 * n; i++)
			v = (v ^ i) * 5 + 1;
		break;
	}
	return v;
}

void divergence_grade(struct grade *g, const struct lab *l)
{
	static const char *const set[] = {"gpu.sms=2", NULL};
	static uint32_t in[ITEMS], want[ITEMS];
	uint32_t x = g->seed + 7;
	char why[GRADE_TEXT - 200] = "the file cannot be read";
	struct outcome plain, own;
	(void)l;
	for (unsigned i = 0; i < ITEMS; i++) {
		in[i] = next_random(&x);
		want[i] = classify(in[i]);
	}
	struct kernel_trial t = {.name = "classify",
				 .config = "gtx480",
				 .set = set,
				 .grid = {ITEMS / DIVERGENCE_BLOCK, 1, 1},
				 .block = {DIVERGENCE_BLOCK, 1, 1},
				 .in = {in},
				 .in_bytes = {sizeof in},
				 .nin = 1,
				 .out_bytes = sizeof want,
				 .sizes = {ITEMS},
				 .nsizes = 1,
				 .want = want,
				 .want_line = true,
				 .max_cycles = MOST_CYCLES};
	char *starter = build_starter(g, "divergence/starter.cu", why, sizeof why), *ptx = NULL;
	if (!starter)
		return;
	t.ptx = starter;
	run(&t, &plain);
	if (!plain.ok)
		grade_add(g, "starter", 0, 0, "the starter file does not run: %s", plain.why);
	char *answer = find_comment(g->file, "worst line");
	const char *colon = strrchr(plain.worst_line, ':');
	bool right = answer && colon && strtoul(answer, NULL, 10) == strtoul(colon + 1, NULL, 10);
	grade_add(g, "worst line", right ? 20 : 0, 20, "%s",
		  right     ? "yes: heddle annotate puts it first"
		  : !answer ? "no comment `// worst line: N`"
			    : "no: sort the output of heddle annotate by its column `lost`");
	ptx = build_kernel(g->file, why, sizeof why);
	grade_add(g, "build", ptx ? 10 : 0, 10, "%s", ptx ? "compiled" : why);
	own.ok = false;
	snprintf(own.why, sizeof own.why, "not looked at");
	if (ptx) {
		t.ptx = ptx;
		t.max_cycles = plain.ok ? TOO_SLOW * plain.cycles : MOST_CYCLES;
		run(&t, &own);
	}
	grade_add(g, "results", own.ok ? 20 : 0, 20, "%s", own.ok ? "all right" : own.why);
	double simd = own.ok ? own.simd_efficiency : 0,
	       speed = own.ok && plain.ok ? (double)plain.cycles / (double)own.cycles : 0;
	grade_add(
		g, "SIMD efficiency", 25 * share(simd, plain.simd_efficiency * 1.02, 0.7), 25,
		"%.1f %%, the starter's is %.1f %% (all points from 70 %% on)%s", 100 * simd,
		100 * plain.simd_efficiency,
		simd < 0.7 && own.ok
			? ": threads of one warp should have items of one kind, and of similar length"
			: "");
	grade_add(g, "speed", 25 * share(speed, 1.02, 1.6), 25,
		  "%.2f times the starter's (all points from 1.6 on)", speed);
	free(answer);
	free(starter);
	free(ptx);
}

/* ---- gemm ---- */

enum { GEMM_M = 128, GEMM_N = 64, GEMM_K = 128 };

static uint16_t small_half(int v)
{
	/* -4 to 4, exact */
	static const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
	return (uint16_t)(v < 0 ? bits[-v] | 0x8000 : bits[v]);
}

/* "block 128 tile 64 64 shared 0" */
static bool read_launch(const char *text, struct kernel_trial *t, char *why, size_t n)
{
	unsigned block = 0, tm = 0, tn = 0, shared = 0;
	int got =
		text ? sscanf(text, "block %u tile %u %u shared %u", &block, &tm, &tn, &shared) : 0;
	if (got < 3 || !block || block > 1024 || !tm || !tn || GEMM_M % tm || GEMM_N % tn ||
	    shared > 227 << 10) {
		snprintf(
			why, n,
			"expected a comment `// launch: block THREADS tile ROWS COLUMNS [shared BYTES]` whose tile divides "
			"%d x %d",
			GEMM_M, GEMM_N);
		return false;
	}
	t->block[0] = block;
	t->grid[0] = GEMM_N / tn;
	t->grid[1] = GEMM_M / tm;
	t->shared = shared;
	return true;
}

static void grade_rungs(struct grade *g, double speed, const char *ptx)
{
	static const struct {
		const char *name, *hint;
		double from, full, points;
	} rows[] = {
		{"rung 1: tiles",
		 "keep tiles of A and B in shared memory, so that each element is loaded once per block",
		 1.2, 1.8, 20},
		{"rung 2: mma", "let the tensor cores multiply: mma.sync.aligned.m16n8k16", 2.2,
		 6.2, 25},
		{"rung 3: wgmma",
		 "a warpgroup multiplies from shared memory (wgmma.mma_async) while the next tiles come",
		 7.5, 27, 25},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double part = share(speed, rows[i].from, rows[i].full);
		grade_add(
			g, rows[i].name, rows[i].points * part, rows[i].points,
			"%.2f times the starter's speed (points from %.1f on, all from %.1f on)%s%s",
			speed, rows[i].from, rows[i].full, part < 1 ? ": " : "",
			part < 1 ? rows[i].hint : "");
	}
	grade_add(g, "instructions", 0, 0, "the kernel %s mma and %s wgmma",
		  ptx && strstr(ptx, "mma.sync") ? "has" : "has no",
		  ptx && strstr(ptx, "wgmma.mma_async") ? "has" : "has no");
}

void gemm_grade(struct grade *g, const struct lab *l)
{
	static const char *const set[] = {"gpu.gpcs=Aa", "gpu.sms=4", NULL};
	static uint16_t a[GEMM_M * GEMM_K], b[GEMM_N * GEMM_K];
	static int ai[GEMM_M * GEMM_K], bi[GEMM_N * GEMM_K];
	static float c[GEMM_M * GEMM_N];
	uint32_t x = g->seed + 11;
	char why[GRADE_TEXT - 200] = "the file cannot be read";
	struct outcome plain, own = {.why = "not looked at"};
	(void)l;
	for (unsigned i = 0; i < GEMM_M * GEMM_K; i++)
		a[i] = small_half(ai[i] = (int)(next_random(&x) % 9) - 4);
	for (unsigned i = 0; i < GEMM_N * GEMM_K; i++)
		b[i] = small_half(bi[i] = (int)(next_random(&x) % 9) - 4);
	for (unsigned i = 0; i < GEMM_M; i++)
		for (unsigned j = 0; j < GEMM_N; j++) {
			int s = 0;
			for (unsigned k = 0; k < GEMM_K; k++)
				s += ai[i * GEMM_K + k] * bi[j * GEMM_K + k];
			c[i * GEMM_N + j] = (float)s;
		}
	struct kernel_trial t = {.name = "gemm",
				 .config = "h200-sm90",
				 .set = set,
				 .grid = {1, 1, 1},
				 .block = {1, 1, 1},
				 .in = {a, b},
				 .in_bytes = {sizeof a, sizeof b},
				 .nin = 2,
				 .out_bytes = sizeof c,
				 .sizes = {GEMM_M, GEMM_N, GEMM_K},
				 .nsizes = 3,
				 .want = c,
				 .max_cycles = MOST_CYCLES};
	char *starter = build_starter(g, "gemm/starter.cu", why, sizeof why), *ptx = NULL;
	if (!starter)
		return;
	t.ptx = starter;
	t.block[0] = 256;
	t.grid[0] = GEMM_N / 16;
	t.grid[1] = GEMM_M / 16;
	run(&t, &plain);
	if (!plain.ok)
		grade_add(g, "starter", 0, 0, "the starter file does not run: %s", plain.why);
	char *launch = find_comment(g->file, "launch");
	bool shaped = read_launch(launch, &t, why, sizeof why);
	ptx = shaped ? build_kernel(g->file, why, sizeof why) : NULL;
	grade_add(g, "build", ptx ? 10 : 0, 10, "%s", ptx ? "compiled" : why);
	if (ptx) {
		t.ptx = ptx;
		t.max_cycles = plain.ok ? TOO_SLOW * plain.cycles : MOST_CYCLES;
		run(&t, &own);
	}
	grade_add(g, "results", own.ok ? 20 : 0, 20, "%s", own.ok ? "all right" : own.why);
	grade_rungs(g, own.ok && plain.ok ? (double)plain.cycles / (double)own.cycles : 0, ptx);
	free(launch);
	free(starter);
	free(ptx);
}
