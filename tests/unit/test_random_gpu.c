/* Random PTX kernels with recorded results of an H200 (tests/random). PTX mode must reproduce the
 * GPU's bits. Machine code for sm_20 must reproduce those of PTX mode, and machine code for sm_13
 * too, in kernels from which single precision is removed.
 *
 * 	test_random_gpu            a sample
 * 	test_random_gpu all        all kernels
 * 	test_random_gpu 12 345     these kernels
 *
 * kernels.ptx.zst contains the kernels one after the other. A kernel begins with a line
 *
 * 	// rnd id=N seed=S grid=G block=X,Y slots=K kinds=...
 *
 * and stores the eight bytes of slot s of thread t at (s * threads + t) * 8; kinds has one letter
 * per slot. gpu.tsv has the GPU's results: FNV-1a of the hashes of all slots, of the 16 groups of
 * shared words and of the threads' own cells. In class nan, all NaNs count as one pattern in the
 * slots' hashes; in class nan-cells, cells contain NaNs too and are left out. A class without a
 * result contains kernels in which the GPU deviates from the PTX manual (docs/code/codegen.md,
 * docs/reference/ptx-support.md). */
#include <zstd.h>
#include "kernel_run.h"
#include "random_inputs.h"

enum {
	INPUT = 16384,
	CELL = 128,
	SHARED = 1024,
	GROUP = 64,
	MOST_THREADS = 128,
	MOST_SLOTS = 1024
};
enum { SAMPLE = 200 }; /* the quick test takes one kernel in SAMPLE, */
/* and these: an atomic sum of doubles with NaNs, a 64-bit shift in place, a result that is its own
 * guard, shuffles with and without a predicate, a constant that slct selects by a single */
static const unsigned always[] = {148, 321, 516, 753, 1231};

struct kernel {
	unsigned id, grid, block[2], slots, threads;
	unsigned long long seed;
	char kinds[MOST_SLOTS];
	char *text;
	size_t size;
	char class[20];
	bool known; /* the GPU's result is recorded and agrees with the PTX manual */
	uint32_t result;
};

struct memory { /* what a kernel leaves */
	uint8_t out[MOST_SLOTS * MOST_THREADS * 8], cell[MOST_THREADS * CELL], shared[SHARED];
};

static struct {
	char *text;
	struct kernel *kernel;
	unsigned n;
	bool *chosen;
} corpus;

/* ---- the corpus ---- */

static char *read_whole(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	char *b = malloc(*size + 1);
	assert_int_equal(fread(b, 1, *size, f), *size);
	b[*size] = 0;
	fclose(f);
	return b;
}

enum { MOST_TEXT = 64 << 20 };

static char *unpack(const char *path)
{
	size_t size;
	char *packed = read_whole(path, &size), *text = malloc(MOST_TEXT);
	size_t n = ZSTD_decompress(text, MOST_TEXT - 1, packed, size);
	if (ZSTD_isError(n))
		fail_msg("%s: %s", path, ZSTD_getErrorName(n));
	text[n] = 0;
	free(packed);
	return text;
}

static void find_kernels(char *text)
{
	static const char mark[] = "// rnd ";
	for (char *p = strstr(text, mark), *next; p; p = next) {
		struct kernel k = {.text = p};
		next = strstr(p + 1, mark);
		k.size = next ? (size_t)(next - p) : strlen(p);
		int n = sscanf(
			p, "// rnd id=%u seed=%llu grid=%u block=%u,%u slots=%u kinds=%1023s",
			&k.id, &k.seed, &k.grid, &k.block[0], &k.block[1], &k.slots, k.kinds);
		assert_int_equal(n, 7);
		k.threads = k.grid * k.block[0] * k.block[1];
		assert_true(k.threads <= MOST_THREADS && k.slots < MOST_SLOTS);
		corpus.kernel = realloc(corpus.kernel, (corpus.n + 1) * sizeof k);
		corpus.kernel[corpus.n++] = k;
	}
}

static void find_results(const char *path)
{
	size_t size;
	char *table = read_whole(path, &size), *line = strchr(table, '\n');
	for (unsigned i = 0; i < corpus.n; i++) {
		struct kernel *k = &corpus.kernel[i];
		unsigned id;
		char result[12];
		assert_non_null(line);
		assert_int_equal(sscanf(line + 1, "%u %19s %11s", &id, k->class, result), 3);
		assert_int_equal(id, k->id);
		k->known = *result != '-';
		k->result = (uint32_t)strtoul(result, NULL, 16);
		line = strchr(line + 1, '\n');
	}
	free(table);
}

static char **asked; /* the command's words, NULL after the last */

static int read_corpus(void **state)
{
	(void)state;
	corpus.text = unpack("tests/random/kernels.ptx.zst");
	find_kernels(corpus.text);
	find_results("tests/random/gpu.tsv");
	corpus.chosen = calloc(corpus.n, sizeof *corpus.chosen);
	bool all = *asked && !strcmp(*asked, "all");
	for (unsigned i = 0; i < corpus.n; i++) {
		corpus.chosen[i] = all || (!*asked && i % SAMPLE == 0);
		for (unsigned k = 0; k < sizeof always / sizeof *always && !*asked; k++)
			corpus.chosen[i] |= always[k] == corpus.kernel[i].id;
		for (char **a = asked; *a && !all; a++)
			corpus.chosen[i] |= strtoul(*a, NULL, 10) == corpus.kernel[i].id;
	}
	return 0;
}

static int free_corpus(void **state)
{
	(void)state;
	free(corpus.chosen);
	free(corpus.kernel);
	free(corpus.text);
	return 0;
}

/* ---- a run ---- */

static uint64_t input(struct heddle *h, const struct kernel *k, unsigned bytes, unsigned first)
{
	uint64_t words[MOST_THREADS * CELL / 8], at;
	for (unsigned i = 0; i < bytes / 8; i++)
		words[i] = random_word(k->seed, first + i);
	assert_int_equal(heddle_malloc(h, bytes, &at), HEDDLE_OK);
	assert_int_equal(heddle_write(h, at, words, bytes), HEDDLE_OK);
	return at;
}

/* False: `why` has the reason. */
static bool run(const struct kernel *k, enum heddle_code code, struct memory *m, char *why,
		size_t nwhy)
{
	struct heddle_options o = {
		.code = code, .max_instructions = 20000000, .memory_bytes = 1 << 28};
	struct heddle *h;
	uint32_t bytes = k->slots * k->threads * 8;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	struct heddle_kernel *kernel = kernel_load(
		h, (struct heddle_text){"random.ptx", k->text, k->size}, "k", why, nwhy);
	if (!kernel)
		return false;
	struct {
		uint64_t in, out, cell, shared;
		uint32_t u32, f32;
		uint64_t u64, f64;
		uint16_t u16, pad[3];
		uint64_t bytes[4];
	} p = {.in = input(h, k, INPUT, 0),
	       .cell = input(h, k, MOST_THREADS * CELL, 4096),
	       .shared = input(h, k, SHARED, 8192),
	       .u32 = (uint32_t)random_word(k->seed, 9000),
	       .f32 = (uint32_t)random_word(k->seed, 9001),
	       .u64 = random_word(k->seed, 9002),
	       .f64 = random_word(k->seed, 9003),
	       .u16 = (uint16_t)random_word(k->seed, 9004)};
	for (unsigned i = 0; i < 4; i++)
		p.bytes[i] = random_word(k->seed, 9100 + i);
	assert_int_equal(heddle_malloc(h, bytes, &p.out), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, p.out, 0xa5, 1, bytes), HEDDLE_OK);
	struct heddle_launch l = {.kernel = kernel,
				  .grid = {k->grid, 1, 1},
				  .block = {k->block[0], k->block[1], 1},
				  .params = &p};
	bool ok = !heddle_launch(h, &l);
	if (ok) {
		assert_int_equal(heddle_read(h, m->out, p.out, bytes), HEDDLE_OK);
		assert_int_equal(heddle_read(h, m->cell, p.cell, k->threads * CELL), HEDDLE_OK);
		assert_int_equal(heddle_read(h, m->shared, p.shared, SHARED), HEDDLE_OK);
	} else {
		snprintf(why, nwhy, "%s", heddle_message(h));
	}
	heddle_close(h);
	return ok;
}

/* ---- results ---- */

static uint32_t hash(uint32_t h, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	while (n--)
		h = (h ^ *b++) * 16777619u;
	return h;
}

enum { NO_HASH = 2166136261u };

/* Replaces NaNs in a slot of the given kind by one pattern; kinds q and w may contain the bits of
 * one. */
static uint64_t without_payload(uint64_t u, char kind)
{
	unsigned wide = kind == 'x' || kind == 'y' ? 32 : 16;
	uint32_t infinite = kind == 'b' || kind == 'y' ? 0x7f80 : 0x7c00;
	switch (kind) {
	case 'f': return (u & 0x7fffffff) > 0x7f800000 ? u >> 32 << 32 | 0x7fffffff : u;
	case 'e': return u << 1 > 0xffe0000000000000 ? 0x7fffffffffffffff : u;
	case 'g':
	case 'x':
	case 'b':
	case 'y':
		for (unsigned i = 0; i < wide; i += 16)
			if ((u >> i & 0x7fff) > infinite)
				u = (u | UINT64_C(0x7fff) << i) & ~(UINT64_C(0x8000) << i);
		return u;
	case 'q':
	case 'w': return 0;
	default: return u;
	}
}

static uint32_t result_of(const struct kernel *k, const struct memory *m)
{
	bool plain = !strncmp(k->class, "nan", 3);
	uint32_t all = NO_HASH;
	for (unsigned s = 0; s < k->slots; s++) {
		uint32_t h = NO_HASH;
		for (unsigned t = 0; t < k->threads; t++) {
			uint64_t u;
			memcpy(&u, m->out + ((size_t)s * k->threads + t) * 8, 8);
			u = plain ? without_payload(u, k->kinds[s]) : u;
			h = hash(h, &u, 8);
		}
		all = hash(all, &h, 4);
	}
	for (unsigned i = 0; i < SHARED; i += GROUP) {
		uint32_t h = hash(NO_HASH, m->shared + i, GROUP);
		all = hash(all, &h, 4);
	}
	uint32_t h = hash(NO_HASH, m->cell, k->threads * CELL);
	return strcmp(k->class, "nan-cells") ? hash(all, &h, 4) : all;
}

/* Finds the first difference between two results; false: they are equal. */
static bool differ(const struct kernel *k, const struct memory *a, const struct memory *b,
		   char *where, size_t n)
{
	for (size_t i = 0; i < (size_t)k->slots * k->threads; i++)
		if (memcmp(a->out + 8 * i, b->out + 8 * i, 8)) {
			uint64_t x, y;
			memcpy(&x, a->out + 8 * i, 8);
			memcpy(&y, b->out + 8 * i, 8);
			snprintf(where, n, "slot %zu (%c), thread %zu: 0x%016llx, not 0x%016llx",
				 i / k->threads, k->kinds[i / k->threads], i % k->threads,
				 (unsigned long long)x, (unsigned long long)y);
			return true;
		}
	bool shared = memcmp(a->shared, b->shared, SHARED),
	     cell = memcmp(a->cell, b->cell, k->threads * CELL);
	snprintf(where, n, "%s", shared ? "shared words" : "its own cells");
	return shared || cell;
}

/* ---- sm_13 ----
 *
 * Its singles are not PTX's: they flush, and a product in a multiply-add is cut. Every kernel computes with some, so sm_13
 * runs each without them, against PTX mode: registers of singles hold words, and an instruction that computes with singles
 * becomes one that mixes the bits of its operands.
 *
 *	fma.rn.ftz.f32 %f1, %f2, %f3, %f4;     xor.b32 %f1, %f2, %f3;
 *	setp.ltu.and.f32 %p1, %f1, %f2, %p2;   setp.lt.and.s32 %p1, %f1, %f2, %p2;
 *	cvt.rn.f64.f32 %e1, %f2;               mov.b64 %e1, {%f2, %f2}; */

struct statement {                             /* the parts of one line of PTX */
	char guard[16], name[64], part[6][48]; /* part: the words of the name between dots */
	char operand[6][64];
	unsigned parts, operands;
};

static bool read_statement(const char *line, struct statement *s)
{
	const char *p = line + strspn(line, "\t ");
	size_t n = *p == '@' ? strcspn(p, " ") + 1 : 0;
	memset(s, 0, sizeof *s);
	if (n >= sizeof s->guard)
		return false;
	memcpy(s->guard, p, n);
	p += n;
	n = strcspn(p, " ;");
	if (!n || n >= sizeof s->name || strchr("{}.%$/", *p) || p[n] != ' ' || p[n - 1] == ':')
		return false;
	memcpy(s->name, p, n);
	for (const char *q = s->name, *end; *q && s->parts < 6; q = *end ? end + 1 : end) {
		end = q + strcspn(q, ".");
		memcpy(s->part[s->parts++], q, (size_t)(end - q));
	}
	for (p += n + 1; *p && *p != ';' && s->operands < 6; p += *p == ',') {
		p += strspn(p, " ");
		n = strcspn(p, ",;");
		if (n >= sizeof s->operand[0])
			return false;
		memcpy(s->operand[s->operands++], p, n);
		p += n;
	}
	return *p == ';';
}
static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list))
		list++;
	return *list != NULL;
}

/* The width of a register, by its name. */
static unsigned bits_of(const char *operand)
{
	if (!strncmp(operand, "%tb", 3))
		return operand[3] == '6' ? 64 : operand[3] == '3' ? 32 : 16;
	if (*operand != '%')
		return 32;
	return strchr("dew", operand[1]) ? 64 : strchr("hgb", operand[1]) ? 16 : 32;
}

static const char *int_compare(const char *cmp)
{
	static const char *const of[][2] = {{"equ", "eq"}, {"neu", "ne"}, {"ltu", "lt"},
					    {"leu", "le"}, {"gtu", "gt"}, {"geu", "ge"},
					    {"num", "eq"}, {"nan", "ne"}};
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
		if (!strcmp(cmp, of[i][0]))
			return of[i][1];
	return cmp;
}

/* Rewrites comparisons and selections for words. */
static void write_compare(const struct statement *s, FILE *f)
{
	bool last = !strcmp(s->part[s->parts - 1], "f32");
	fprintf(f, "%s%s", s->guard, s->part[0]);
	for (unsigned i = 1; i < s->parts; i++) {
		const char *part = i == 1 && last ? int_compare(s->part[i]) : s->part[i];
		if (!strcmp(part, "f32"))
			part = i + 1 < s->parts ? (!strcmp(s->part[0], "set") ? "u32" : "b32")
						: "s32";
		if (strcmp(part, "ftz"))
			fprintf(f, ".%s", part);
	}
	for (unsigned i = 0; i < s->operands; i++)
		fprintf(f, "%s%s", i ? ", " : " ", s->operand[i]);
	fprintf(f, ";\n");
}

/* Converts between the bits of two registers of any width. */
static void write_convert(const struct statement *s, FILE *f)
{
	const char *d = s->operand[0], *a = s->operand[1];
	unsigned to = bits_of(d), from = bits_of(a);
	if (s->operands > 2 && to == 32)
		fprintf(f, "%sxor.b32 %s, %s, %s;\n", s->guard, d, a, s->operand[2]);
	else if (to == from)
		fprintf(f, "%smov.b%u %s, %s;\n", s->guard, to, d, a);
	else if (from == 64)
		fprintf(f, "%smov.b64 {%s, _}, %s;\n", s->guard, d, a);
	else if (to == 64)
		fprintf(f, "%smov.b64 %s, {%s, %s};\n", s->guard, d, a, a);
	else
		fprintf(f, "%scvt.u%u.u%u %s, %s;\n", s->guard, to, from, d, a);
}

/* A line without singles. */
static void write_line(char *line, FILE *f)
{
	static const char *const moves[] = {"ld", "ldu", "st", "mov", "selp", "shfl", "call", NULL},
				 *const compares[] = {"setp", "set", "slct", NULL},
				 *const atomics[] = {"atom", "red", NULL};
	struct statement s;
	if (!strstr(line, ".f32")) {
		fprintf(f, "%s\n", line);
		return;
	}
	for (char *p = line; (p = strstr(p, " 0f")); p++)
		p[2] = 'x';
	bool computes = read_statement(line, &s) && !is_one_of(s.part[0], moves);
	bool atomic = computes && is_one_of(s.part[0], atomics);
	if (!computes || atomic) {
		for (char *p = line; (p = strstr(p, ".f32")); p++)
			p[1] = atomic ? 'u' : 'b';
		fprintf(f, "%s\n", line);
	} else if (is_one_of(s.part[0], compares)) {
		write_compare(&s, f);
	} else if (!strcmp(s.part[0], "testp")) {
		fprintf(f, "%ssetp.lt.s32 %s, %s, 0;\n", s.guard, s.operand[0], s.operand[1]);
	} else if (!strcmp(s.part[0], "cvt")) {
		write_convert(&s, f);
	} else if (s.operands > 2) {
		fprintf(f, "%sxor.b32 %s, %s, %s;\n", s.guard, s.operand[0], s.operand[1],
			s.operand[2]);
	} else {
		fprintf(f, "%snot.b32 %s, %s;\n", s.guard, s.operand[0], s.operand[1]);
	}
}

/* The kernel with single precision removed; its text is malloc'ed. */
static struct kernel without_singles(const struct kernel *k)
{
	struct kernel n = *k;
	char *text = strndup(k->text, k->size), *save = NULL;
	FILE *f = open_memstream(&n.text, &n.size);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		write_line(line, f);
	fclose(f);
	free(text);
	return n;
}

static unsigned failures;
static void complain(const struct kernel *k, const char *who, const char *why)
{
	failures++;
	print_error("%04u (%s) %s: %.*s\n", k->id, k->class, who, (int)strcspn(why, "\n"), why);
}

static void check_code(const struct kernel *k, enum heddle_code code, const char *name,
		       const struct memory *ptx)
{
	static struct memory m;
	char why[1000];
	if (!run(k, code, &m, why, sizeof why) || differ(k, &m, ptx, why, sizeof why))
		complain(k, name, why);
}

static void check_without_singles(const struct kernel *k)
{
	static struct memory m;
	char why[1000];
	struct kernel n = without_singles(k);
	if (!run(&n, HEDDLE_CODE_PTX, &m, why, sizeof why))
		complain(k, "ptx without singles", why);
	else
		check_code(&n, HEDDLE_CODE_TESLA, "sm_13", &m);
	free(n.text);
}

static void kernels_have_the_results_of_a_gpu(void **state)
{
	static struct memory m;
	char why[1000];
	(void)state;
	for (unsigned i = 0; i < corpus.n; i++) {
		const struct kernel *k = &corpus.kernel[i];
		if (!corpus.chosen[i])
			continue;
		if (!run(k, HEDDLE_CODE_PTX, &m, why, sizeof why))
			complain(k, "ptx", why);
		else if (k->known && result_of(k, &m) != k->result)
			complain(k, "ptx", "not the GPU's result");
		check_code(k, HEDDLE_CODE_FERMI, "sm_20", &m);
		check_without_singles(k);
	}
	if (failures)
		fail_msg("%u differ", failures);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_have_the_results_of_a_gpu)};
	asked = argv + (argc > 0);
	return cmocka_run_group_tests(tests, read_corpus, free_corpus);
}
