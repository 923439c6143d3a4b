/* The code generator: kernels run as machine code of sm_20 leave the memory that they leave as PTX.
 * The kernels of tests/kernels as several compilers wrote them, with all registers and with few, by
 * each rule of the token stack; random kernels. What the machine has no instruction for is refused
 * by name. */
#include <glob.h>
#include <time.h>
#include "kernel_run.h"
#include "random_kernel.h"

/* What a kernel of three parameters may call and name, and itself. Words 4 to 11 of the input are
 * small. */
#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#define ENTRY                                                                                      \
	".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {"                      \
	".reg .u32 %r<10>; .reg .u64 %d<10>; .reg .pred %p<4>; .shared .u32 s[128];"               \
	"ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %ctaid.x;"                  \
	"mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;"                \
	"mul.wide.u32 %d2, %r0, 4; add.u64 %d0, %d0, %d2; add.u64 %d1, %d1, %d2;"                  \
	"ld.global.u32 %r3, [%d0]; and.b32 %r4, %r3, 7;\n"
#define LEAVE "\nst.global.u32 [%d1], %r5; ret; }\n"
static const struct {
	const char *what, *text;
	const char *refused; /* by sm_13; NULL: it is not */
} called[] = {
	{"a function that calls itself twice",
	 HEAD
	 ".func (.param .u32 r) fib(.param .u32 n) { .reg .u32 %r<6>; .reg .pred %p; .param .u32 a;"
	 ".param .u32 b; ld.param.u32 %r0, [n]; st.param.u32 [r], %r0; setp.lt.u32 %p, %r0, 2;"
	 "@%p ret; sub.u32 %r1, %r0, 1; st.param.u32 [a], %r1; call (b), fib, (a);"
	 "ld.param.u32 %r2, [b]; sub.u32 %r1, %r0, 2; st.param.u32 [a], %r1; call (b), fib, (a);"
	 "ld.param.u32 %r3, [b]; add.u32 %r2, %r2, %r3; st.param.u32 [r], %r2; ret; }\n" ENTRY
	 "{ .param .u32 a, b; st.param.u32 [a], %r4; call (b), fib, (a); ld.param.u32 %r5, [b]; }" LEAVE,
	 NULL},
	{"two that call each other, each with a variable the other writes to",
	 HEAD
	 ".func (.param .u32 r) odd(.param .u32 n, .param .u64 p);\n"
	 ".func (.param .u32 r) even(.param .u32 n, .param .u64 p) { .reg .u32 %r<6>; .reg .u64 %d<3>;"
	 ".reg .pred %p; .local .u32 v[2]; .param .u32 a, b; .param .u64 q; ld.param.u32 %r0, [n];"
	 "ld.param.u64 %d0, [p]; mov.u64 %d1, v; cvta.local.u64 %d2, %d1; mov.u32 %r4, 7;"
	 "st.local.u32 [%d1], %r0; st.u32 [%d0], %r0; st.param.u32 [r], %r4; setp.eq.u32 %p, %r0, 0;"
	 "@%p ret; sub.u32 %r1, %r0, 1; st.param.u32 [a], %r1; st.param.u64 [q], %d2;"
	 "call (b), odd, (a, q); ld.param.u32 %r2, [b]; ld.local.u32 %r3, [v];"
	 "mad.lo.u32 %r2, %r2, 3, %r3; st.param.u32 [r], %r2; ret; }\n"
	 ".func (.param .u32 r) odd(.param .u32 n, .param .u64 p) { .reg .u32 %r<6>; .reg .u64 %d<3>;"
	 ".reg .pred %p; .local .u32 w[4]; .param .u32 a, b; .param .u64 q; ld.param.u32 %r0, [n];"
	 "ld.param.u64 %d0, [p]; mov.u64 %d1, w; add.u64 %d1, %d1, 8; cvta.local.u64 %d2, %d1;"
	 "add.u32 %r4, %r0, 100; st.u32 [%d0], %r4; st.param.u32 [r], %r4; setp.eq.u32 %p, %r0, 0;"
	 "@%p ret; sub.u32 %r1, %r0, 1; st.param.u32 [a], %r1; st.param.u64 [q], %d2;"
	 "call (b), even, (a, q); ld.param.u32 %r2, [b]; ld.local.u32 %r3, [w+8];"
	 "mad.lo.u32 %r2, %r2, 5, %r3; st.param.u32 [r], %r2; ret; }\n" ENTRY
	 "{ .param .u32 a, b; .param .u64 q; .local .u32 z; mov.u64 %d3, z; cvta.local.u64 %d3, %d3;"
	 "st.param.u32 [a], %r4; st.param.u64 [q], %d3; call (b), even, (a, q); ld.param.u32 %r5, [b];"
	 "ld.local.u32 %r6, [z]; add.u32 %r5, %r5, %r6; }" LEAVE,
	 NULL},
	{"pointers to functions in a variable, one of them recursive",
	 HEAD
	 ".func (.param .u32 r) down(.param .u32 n) { .reg .u32 %r<4>; .reg .pred %p; .param .u32 a, b;"
	 "ld.param.u32 %r0, [n]; st.param.u32 [r], %r0; setp.eq.u32 %p, %r0, 0; @%p ret;"
	 "sub.u32 %r1, %r0, 1; st.param.u32 [a], %r1; call (b), down, (a); ld.param.u32 %r2, [b];"
	 "mad.lo.u32 %r2, %r2, 10, %r0; st.param.u32 [r], %r2; ret; }\n"
	 ".func (.param .u32 r) twice(.param .u32 n) { .reg .u32 %r; ld.param.u32 %r, [n];"
	 "add.u32 %r, %r, %r; st.param.u32 [r], %r; ret; }\n"
	 ".global .u64 table[3] = {twice, down, twice};\n" ENTRY
	 "{ .param .u32 a, b; st.param.u32 [a], %r4; and.b32 %r6, %r3, 1; mul.wide.u32 %d4, %r6, 8;"
	 "mov.u64 %d3, table+8; add.u64 %d3, %d3, %d4; ld.global.u64 %d3, [%d3];"
	 "P: .callprototype (.param .u32 _) _ (.param .u32 _); call (b), %d3, (a), P;"
	 "ld.param.u32 %r5, [b]; }" LEAVE,
	 NULL},
	{"registers and numbers as arguments",
	 HEAD
	 ".func (.reg .u32 r) f(.reg .u32 a, .reg .u32 b) { mad.lo.u32 r, a, 3, b; ret; }\n" ENTRY
	 "call (%r5), f, (%r3, 17);" LEAVE,
	 NULL},
	{"addresses in an initialiser, of global and constant variables",
	 HEAD
	 ".const .u32 c[4] = {11, 22, 33, 44}; .global .u32 g[2] = {5, 6};\n"
	 ".global .u64 p[3] = {0, generic(g)+4, generic(c)+8};\n" ENTRY
	 "and.b32 %r6, %r3, 1; mul.wide.u32 %d4, %r6, 8; mov.u64 %d3, p; add.u64 %d3, %d3, %d4;"
	 "ld.global.u64 %d3, [%d3+8]; ld.u32 %r5, [%d3]; mov.u64 %d5, c; cvta.const.u64 %d5, %d5;"
	 "ld.u32 %r6, [%d5+4]; add.u32 %r5, %r5, %r6;" LEAVE,
	 NULL},
	{"a pointer to shared memory or one that was loaded",
	 HEAD
	 ".global .u32 g[2] = {5, 6}; .global .u64 p = g;\n" ENTRY
	 "mov.u64 %d3, s; mul.wide.u32 %d4, %r2, 4; add.u64 %d3, %d3, %d4; st.shared.u32 [%d3], %r3;"
	 "cvta.shared.u64 %d3, %d3; ld.global.u64 %d5, [p]; setp.gt.u32 %p0, %r4, 3;"
	 "selp.b64 %d3, %d3, %d5, %p0; ld.u32 %r5, [%d3];" LEAVE,
	 NULL},
	{"shared addresses below a variable and back, and a store under a guard",
	 HEAD ENTRY
	 "mov.u32 %r6, s; mad.lo.u32 %r6, %r2, 4, %r6; st.shared.u32 [%r6], %r3; sub.u32 %r6, %r6, 256; bar.sync 0;"
	 "add.u32 %r7, %r6, 256; ld.shared.u32 %r5, [%r7]; setp.gt.u32 %p0, %r4, 3; @%p0 bra N;"
	 "add.u32 %r7, %r6, 260; xor.b32 %r5, %r5, 77; mul.lo.u32 %r8, %r5, 3; add.u32 %r5, %r8, %r5;"
	 "st.shared.u32 [%r7-4], %r5; N: ld.shared.u32 %r6, [%r6+256]; add.u32 %r5, %r5, %r6;" LEAVE,
	 NULL},
	{"an atomic operation whose address may be of any space",
	 HEAD ENTRY
	 "mov.u64 %d3, s; mov.u32 %r5, 0; st.shared.u32 [s], %r5; bar.sync 0;"
	 "cvta.shared.u64 %d3, %d3; setp.gt.u32 %p0, %r4, 3; selp.b64 %d3, %d3, %d1, %p0;"
	 "red.add.u32 [%d3], %r3; bar.sync 0; ld.shared.u32 %r6, [s]; ld.global.u32 %r5, [%d1];"
	 "add.u32 %r5, %r5, %r6;" LEAVE,
	 NULL},
};

static void test_called(void **state)
{
	static uint32_t want[WORDS], out[WORDS];
	char why[400];
	(void)state;
	for (unsigned i = 0; i < sizeof called / sizeof *called; i++) {
		const char *text = called[i].text;
		struct heddle_options ptx = {0};
		if (!kernel_run("x/k.ptx", text, strlen(text), ptx, want, why, sizeof why))
			fail_msg("%s: %s", called[i].what, why);
		for (unsigned k = 0; k < 6; k++) {
			struct heddle_options o = {.code = k < 3 ? HEDDLE_CODE_FERMI
								 : HEDDLE_CODE_TESLA,
						   .native_stack = k % 3};
			const char *no = k < 3 ? NULL : called[i].refused;
			bool ran =
				kernel_run("x/k.ptx", text, strlen(text), o, out, why, sizeof why);
			if (ran == !!no || (no && !strstr(why, no)))
				fail_msg("%s: case %u: %s", called[i].what, k, why);
			if (ran && memcmp(out, want, sizeof out))
				fail_msg("%s: another result, case %u", called[i].what, k);
		}
	}
}

static bool may_be_refused(const char *why)
{
	static const char *const known[] = {"'bar.red", "'barrier.red"}; /* sm_13's */
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (strstr(why, known[i]))
			return true;
	return false;
}

/* Singles of sm_13 are cut and flushed: this kernel's result is a hash of the bits of such. */
static bool hashes_floats(const char *path) { return strstr(path, "nbody") != NULL; }

static void test_tesla(void **state)
{
	static char text[1 << 20];
	uint32_t want[WORDS], out[WORDS];
	char why[400];
	unsigned same = 0;
	glob_t g;
	(void)state;
	assert_int_equal(glob("tests/kernels/*.ptx", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *p = g.gl_pathv[i];
		size_t n = read_file(p, text, sizeof text);
		assert_true(
			kernel_run(p, text, n, (struct heddle_options){0}, want, why, sizeof why));
		for (unsigned rule = 0; rule < 3; rule++) {
			struct heddle_options o = {.code = HEDDLE_CODE_TESLA, .native_stack = rule};
			if (!kernel_run(p, text, n, o, out, why, sizeof why)) {
				if (!may_be_refused(why))
					fail_msg("%s: %s", p, why);
				break;
			}
			if (!hashes_floats(p) && memcmp(out, want, sizeof out))
				fail_msg("%s: another result as sm_13 code, rule %u", p, rule);
			same += !rule;
		}
	}
	globfree(&g);
	assert_true(same >= 60);
}

static void test_kernels(void **state)
{
	static char text[1 << 20];
	uint32_t want[WORDS], out[WORDS];
	char why[400];
	unsigned same = 0;
	glob_t g;
	(void)state;
	assert_int_equal(glob("tests/kernels/*.ptx", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *p = g.gl_pathv[i];
		size_t n = read_file(p, text, sizeof text);
		assert_true(
			kernel_run(p, text, n, (struct heddle_options){0}, want, why, sizeof why));
		for (unsigned rule = 0; rule < 3; rule++) {
			struct heddle_options o = {.code = HEDDLE_CODE_FERMI, .native_stack = rule};
			if (!kernel_run(p, text, n, o, out, why, sizeof why)) {
				if (!may_be_refused(why))
					fail_msg("%s: %s", p, why);
				break;
			}
			if (memcmp(out, want, sizeof out))
				fail_msg("%s: another result as machine code, rule %u", p, rule);
			same += !rule;
		}
	}
	globfree(&g);
	assert_true(same >= 70);
}

/* With few registers values go to local memory. */
static void test_spills(void **state)
{
	static const char *const name[] = {"nbody", "transpose", "doubles", "histogram", "wide"};
	static char text[1 << 20];
	uint32_t want[WORDS], out[WORDS];
	char why[400], path[128];
	(void)state;
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
		char *message = NULL;
		snprintf(path, sizeof path, "tests/kernels/%s.clang14-O2.ptx", name[i]);
		size_t n = read_file(path, text, sizeof text);
		assert_true(kernel_run(path, text, n, (struct heddle_options){0}, want, why,
				       sizeof why));
		char *sass = heddle_native_compile(&(struct heddle_text){path, text, n}, 1,
						   &(struct heddle_compile){.max_registers = 20},
						   &message);
		if (!sass)
			fail_msg("%s: %s", path, message);
		free(message);
		if (!kernel_run(path, sass, strlen(sass), (struct heddle_options){0}, out, why,
				sizeof why))
			fail_msg("%s: %s", path, why);
		assert_memory_equal(out, want, sizeof out);
		free(sass);
	}
}

/* 3,000 operations on 1,200 values that are live at once take seconds, not minutes. */
static void test_crowd(void **state)
{
	enum { LIVE = 1200, OPS = 3000, SECONDS = 30 };
	static const char *const op[] = {"add.u32", "xor.b32", "sub.u32", "mul.lo.u32"};
	uint32_t want[WORDS], out[WORDS], draw = 1;
	char why[400], *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	(void)state;
	assert_non_null(f);
	fputs(HEAD ENTRY, f);
	fprintf(f, ".reg .u32 %%x<%u>;\n", LIVE);
	for (unsigned i = 0; i < LIVE; i++)
		fprintf(f, "mad.lo.u32 %%x%u, %%r3, %u, %%r0;\n", i, 2 * i + 1);
	for (unsigned i = 0; i < OPS; i++) {
		unsigned x[4];
		for (unsigned k = 0; k < 4; k++)
			x[k] = (draw = draw * 1664525u + 1013904223u) >> 8;
		fprintf(f, "%s %%x%u, %%x%u, %%x%u;\n", op[x[3] % 4], x[0] % LIVE, x[1] % LIVE,
			x[2] % LIVE);
	}
	fputs("mov.u32 %r5, 0;\n", f);
	for (unsigned i = 0; i < LIVE; i++)
		fprintf(f, "mad.lo.u32 %%r5, %%r5, 3, %%x%u;\n", i);
	fputs(LEAVE, f);
	fclose(f);
	assert_true(
		kernel_run("/k.ptx", text, n, (struct heddle_options){0}, want, why, sizeof why));
	for (unsigned i = 0; i < 2; i++) {
		struct heddle_options o = {0};
		clock_t start = clock();
		assert_null(heddle_code_parse(i ? "tesla" : "fermi", &o));
		if (!kernel_run("/k.ptx", text, n, o, out, why, sizeof why))
			fail_msg("%s", why);
		assert_memory_equal(out, want, sizeof out);
		assert_true(clock() - start < (clock_t)SECONDS * CLOCKS_PER_SEC);
	}
	free(text);
}

/* The memory after a random kernel; false: it was refused. */
static bool run_random(const struct random_kernel *k, struct heddle_options o, uint8_t *out,
		       char *why, size_t nwhy)
{
	struct heddle *h;
	uint64_t buf;
	o.max_instructions = 20000000;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	struct heddle_text text = {"random.ptx", k->text, strlen(k->text)};
	struct heddle_kernel *kernel = kernel_load(h, text, "k", why, nwhy);
	if (!kernel)
		return false;
	assert_int_equal(heddle_malloc(h, k->bytes, &buf), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, buf, 0, 1, k->bytes), HEDDLE_OK);
	struct {
		uint64_t in, out;
		uint32_t n[2];
	} params = {buf, buf, {k->grid[0], 0}};
	struct heddle_launch l = {.kernel = kernel, .params = &params};
	memcpy(l.grid, k->grid, sizeof l.grid);
	memcpy(l.block, k->block, sizeof l.block);
	if (heddle_launch(h, &l))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_read(h, out, buf, k->bytes), HEDDLE_OK);
	heddle_close(h);
	return true;
}

enum { IN_TIMING_MODE = 100 }; /* in place of a rule */

/* code: as --code takes it; rule: of the token stack. locks: with locks and operations of a warp too. */
static unsigned random_kernels_of(uint64_t first, unsigned n, const char *code, unsigned rule,
				  bool locks)
{
	unsigned same = 0;
	bool timing = rule == IN_TIMING_MODE;
	struct heddle_options native = {.native_stack = timing ? 0 : rule, .timing = timing};
	assert_null(heddle_code_parse(code, &native));
	if (timing)
		native.config = native.code == HEDDLE_CODE_TESLA ? "quadro-fx5800" : "tesla-c2050";
	for (uint64_t seed = first; seed < first + n; seed++) {
		struct random_kernel k = {
			.size = 4 + seed % 13, .barriers = seed % 2, .exits = seed % 3 == 0};
		k.warp_ops = locks && seed % 5 == 0;
		k.locks = locks && seed % 7 < 3;
		k.most_blocks = locks ? 6 : 0;
		char why[400] = "";
		random_kernel_make(&k, seed);
		uint8_t *want = malloc(k.bytes), *out = malloc(k.bytes);
		assert_true(want && out);
		if (!run_random(&k, (struct heddle_options){0}, want, why, sizeof why))
			fail_msg("seed %u: %s", (unsigned)seed, why);
		if (run_random(&k, native, out, why, sizeof why)) {
			same++;
			if (memcmp(out, want, k.bytes))
				fail_msg("seed %u: another result as machine code", (unsigned)seed);
		} else if (!may_be_refused(why)) {
			fail_msg("seed %u: %s", (unsigned)seed, why);
		}
		free(want);
		free(out);
		free(k.text);
	}
	return same;
}

static unsigned random_kernels(uint64_t first, unsigned n, const char *code, unsigned rule)
{
	return random_kernels_of(first, n, code, rule, false);
}

/* As ptxas -O0 */
#define PLAIN "-iscadd-imad-vmnmx-vadd-psetp-bra.u-predicate-fold-vector-coalesce-common-divide"

static void test_random(void **state)
{
	(void)state;
	assert_int_equal(random_kernels(1, 60, "fermi", 0), 60);
	assert_true(random_kernels(1, 60, "tesla", 0) >= 50);
	assert_true(random_kernels(1, 20, "fermi" PLAIN, 1) >= 18);
	assert_true(random_kernels(1, 20, "tesla" PLAIN, 2) >= 18);
	/* locks of shared memory behind a barrier, by the post-dominator stack */
	assert_int_equal(random_kernels(1008, 1, "fermi", 2) + random_kernels(1018, 1, "fermi", 2),
			 2);
	for (unsigned i = 0; i < 2; i++) { /* barriers in both arms of a branch */
		const char *c = i ? "tesla" : "fermi";
		assert_int_equal(random_kernels(75, 1, c, 1) + random_kernels(121, 1, c, 2), 2);
	}
}

/* With locks, some at the beginning of a loop, and operations of a warp behind loops that are entered from a
 * branch; also by the stack of timing mode. */
static void test_random_locks(void **state)
{
	static const unsigned seed[] = {190, 275, 380, 967, 1204, 1450, 9390, 10487};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *c = i ? "tesla" : "fermi";
		for (unsigned k = 0; k < sizeof seed / sizeof *seed; k++)
			assert_int_equal(random_kernels_of(seed[k], 1, c, 0, true), 1);
		assert_int_equal(random_kernels_of(1, 60, c, 0, true), 60);
		assert_int_equal(random_kernels_of(1, 40, c, IN_TIMING_MODE, true), 40);
		assert_int_equal(random_kernels_of(275, 1, c, IN_TIMING_MODE, true), 1);
	}
}

/* ---- where a lock is given back ---- */

#define TAKE(sp) "atom." sp ".cas.b32 %r1, [%l], 0, 1; setp.ne.u32 %q, %r1, 0;"
#define GIVE(sp) "membar.gl; atom." sp ".exch.b32 %r1, [%l], 0;"
#define ADD(n)                                                                                     \
	"ld.volatile.global.u32 %r2, [%c]; add.u32 %r2, %r2, " n                                   \
	"; st.volatile.global.u32 [%c], %r2;"
#define ARMS(sp)                                                                                                                                   \
	{                                                                                                                                          \
		/* in both arms behind the loop that waits, which begins another */                                                                \
		"L:" TAKE(sp) "@%q bra L; @%o bra B;" ADD("1") GIVE(sp) "bra M; B:" ADD("2") GIVE(                                                 \
			sp) "M: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3; @%q bra L;", /* the same, and the loop begins anew by falling through */ \
			"bra.uni L; B:" ADD("2") GIVE(                                                                                             \
				sp) "M: add.u32 %i, %i, 1;"                                                                                        \
				    "setp.eq.u32 %q, %i, 3; @%q bra X; L:" TAKE(                                                                   \
					    sp) "@%q bra L;"                                                                                       \
						"@%o bra B;" ADD("1") GIVE(                                                                        \
							sp) "bra M; X:", /* in one arm behind a loop, in the other before more work */             \
			"L:" TAKE(sp) "@%q bra L; @%o bra B;" ADD("1")                                                                             \
				GIVE(sp) "st.global.u32 [%c+64], 5; bra M; B:" ADD(                                                                \
					"2") "add.u32 %i, %i, 1;"                                                                                  \
					     "setp.lt.u32 %q, %i, %w; @%q bra B;" GIVE(                                                            \
						     sp) "M:", /* in one arm, whose threads end */                                                 \
			"L:" TAKE(sp) "@%q bra L; @%o bra B;" ADD("1") GIVE(sp) "ret; B:" ADD("2")                                                 \
				GIVE(sp) "st.global.u32 [%c+64], 7;", /* in the loop, on whose way back those that wait come too; some end */      \
			"bra.uni L; N: setp.lt.u32 %q, %i, 3; @%q bra L; bra.uni X; L:" TAKE(                                                      \
				sp) "@%q bra N;" ADD("1")                                                                                          \
				GIVE(sp) "setp.eq.u32 %q, %w, 3; @%q bra X;"                                                                       \
					 "add.u32 %i, %i, 1; bra.uni N; X:", /* the same in the arm that is branched to */                         \
			"bra.uni L; E:" ADD("1") GIVE(                                                                                             \
				sp) "setp.eq.u32 %q, %w, 3; @%q bra X;"                                                                            \
				    "add.u32 %i, %i, 1; N: setp.ge.u32 %q, %i, 3; @%q bra X; L:" TAKE(                                             \
					    sp) "@!%q bra E; bra.uni N; X:", /* in the loop, which a word says is done */                          \
			"L:" TAKE(sp) "@%q bra N;" ADD("1") GIVE(                                                                                  \
				sp) "mov.u32 %i, 1; N:"                                                                                            \
				    "setp.eq.u32 %q, %i, 0; @%q bra L;", /* likewise, by one of two ways */                                        \
			"L:" TAKE(sp) "@%q bra N; @%o bra B;" ADD("1")                                                                             \
				GIVE(sp) "mov.u32 %i, 1;"                                                                                          \
					 "bra N; B:" ADD("2")                                                                                      \
						 GIVE(sp) "bra X; N: setp.eq.u32 %q, %i, 0;"                                                       \
							  "@%q bra L; X:",                                                                         \
	}

/* Threads of a warp that want a lock do not keep the one that has it from giving it back, wherever that stands. */
static void test_arms(void **state)
{
	static const char *const arms[2][8] = {ARMS("global"), ARMS("shared")};
	static const char *const code[] = {"", "fermi", "tesla"};
	(void)state;
	for (unsigned i = 0; i < 2 * 8 * 5; i++) {
		unsigned shared = i / 40, k = i / 5 % 8, m = i % 5, timing = m > 2;
		static uint8_t out[2][256];
		char text[4000], why[400] = "";
		struct heddle_options o = {.timing = timing};
		struct random_kernel r = {.text = text,
					  .bytes = sizeof out[0],
					  .grid = {2, 1, 1},
					  .block = {48, 1, 1}};
		snprintf(text, sizeof text,
			 HEAD
			 ".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m)\n"
			 "{ .reg .b32 %%r<4>, %%i, %%w; .reg .b64 %%l, %%c; .reg .pred %%q, %%o;\n"
			 ".shared .align 4 .b32 lock; ld.param.u64 %%c, [p]; mov.u64 %%l, %s;\n"
			 "mov.u32 %%i, %%ctaid.x; mul.lo.u32 %%i, %%i, %u; cvt.u64.u32 %%l, %%i;\n"
			 "add.u64 %%c, %%c, %%l; mov.u64 %%l, %s; %s add.u64 %%c, %%c, 4;\n"
			 "mov.u32 %%i, 0; mov.u32 %%w, %%tid.x; and.b32 %%r1, %%w, 1;\n"
			 "setp.ne.u32 %%o, %%r1, 0; and.b32 %%w, %%w, 3;\n%s\nret; }\n",
			 shared ? "lock" : "%c", shared ? 4 : 0, shared ? "lock" : "%c",
			 shared ? "st.shared.u32 [lock], 0; bar.sync 0;" : "", arms[shared][k]);
		assert_null(m ? heddle_code_parse(code[timing ? m - 2 : m], &o) : NULL);
		o.config = timing ? (m == 3 ? "tesla-c2050" : "quadro-fx5800") : NULL;
		if (!run_random(&r, o, out[m > 0], why, sizeof why))
			fail_msg("%s: %s", text, why);
		if (m && memcmp(out[0], out[1], sizeof out[0]))
			fail_msg("%s%s: another result:\n%s", code[timing ? m - 2 : m],
				 timing ? " in timing mode" : "", text);
	}
}

/* Neighbouring words of shared memory come with one load where the address is aligned for it and
 * nothing is written between them. */
static void test_joined(void **state)
{
	static const struct {
		const char *code, *has, *has_not;
	} t[] = {{"shl.b32 %r1, %r0, 4; ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+4];"
		  "ld.shared.u32 %r4, [%r1+12]; ld.shared.u32 %r5, [%r1+8];",
		  "LDS.128", "LDS R"},
		 {"shl.b32 %r1, %r0, 3; ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+4];"
		  "ld.shared.u32 %r4, [%r1+8]; ld.shared.u32 %r5, [%r1+12];",
		  "LDS.64", "LDS.128"},
		 {"shl.b32 %r1, %r0, 2; ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+4];"
		  "ld.shared.u32 %r4, [%r1+8]; ld.shared.u32 %r5, [%r1+12];",
		  "LDS R", "LDS."},
		 {"shl.b32 %r1, %r0, 4; ld.shared.u32 %r2, [%r1]; st.shared.u32 [%r0], %r0;"
		  "ld.shared.u32 %r3, [%r1+4]; mov.u32 %r4, 0; mov.u32 %r5, 0;",
		  "LDS R", "LDS."}};
	(void)state;
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[800], *message = NULL;
		snprintf(
			text, sizeof text,
			".version 7.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) { .reg .b32 %%r<8>;"
			".reg .b64 %%d<2>; ld.param.u64 %%d0, [p]; mov.u32 %%r0, %%tid.x;\n%s\n"
			"add.u32 %%r2, %%r2, %%r3; add.u32 %%r4, %%r4, %%r5; xor.b32 %%r2, %%r2, %%r4;"
			"st.global.u32 [%%d0], %%r2; ret; }\n",
			t[i].code);
		char *sass =
			heddle_native_compile(&(struct heddle_text){"k.ptx", text, strlen(text)}, 1,
					      &(struct heddle_compile){0}, &message);
		if (!sass || !strstr(sass, t[i].has) || strstr(sass, t[i].has_not))
			fail_msg("%u: expected '%s', no '%s': %s%s", i, t[i].has, t[i].has_not,
				 sass ? sass : "", message ? message : "");
		free(message);
		free(sass);
	}
}

/* The code of a kernel whose body is `code`, malloc'ed, on sm: p is %d0, tid.x %r0, and %r2 is
 * stored. */
static char *compile_body(unsigned sm, const char *code, const char *without)
{
	char text[8000], *message = NULL;
	snprintf(text, sizeof text,
		 ".version 7.0\n.target sm_80\n.address_size 64\n"
		 ".entry k(.param .u64 p, .param .u32 n) { .reg .b32 %%r<16>; .reg .pred %%p<4>;"
		 ".reg .b64 %%d<6>; .reg .f32 %%f<8>; .reg .f64 %%g<8>; ld.param.u64 %%d0, [p];"
		 "mov.u32 %%r0, %%tid.x;\n%s\nst.global.u32 [%%d0], %%r2; ret; }\n",
		 code);
	char *sass = heddle_native_compile(&(struct heddle_text){"k.ptx", text, strlen(text)}, 1,
					   &(struct heddle_compile){.sm = sm, .without = without},
					   &message);
	if (!sass)
		fail_msg("%s: %s", code, message ? message : "");
	free(message);
	return sass;
}

static unsigned count_of(const char *text, const char *word)
{
	unsigned n = 0;
	for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
		n++;
	return n;
}

/* How often a word stands in the code, with a pass and without it. */
struct counted {
	unsigned sm;
	const char *code, *word;
	unsigned n, n_without;
};
static void check_counts(const struct counted *t, size_t cases, const char *pass)
{
	for (size_t i = 0; i < cases; i++)
		for (unsigned without = 0; without < 2; without++) {
			char *sass = compile_body(t[i].sm, t[i].code, without ? pass : NULL);
			unsigned n = count_of(sass, t[i].word),
				 want = without ? t[i].n_without : t[i].n;
			if (n != want)
				fail_msg("%s %zu, without %u: %u %s, expected %u:\n%s", pass, i,
					 without, n, t[i].word, want, sass);
			free(sass);
		}
}

/* Atomics whose address is of shared memory in some threads, of global memory in others: on both machines these
 * are different instructions. Where no generic address can be of shared memory, sm_20 has one. */
static void test_mixed(void **state)
{
#define MIXED(cvta)                                                                                \
	HEAD ".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m)\n"              \
	     "{ .reg .b32 %r<4>; .reg .b64 %a, %g, %w, %x; .reg .f32 %f; .reg .pred %q;\n"         \
	     ".shared .align 8 .b8 s[256]; mov.u32 %r0, %tid.x; ld.param.u64 %g, [p];\n"           \
	     "mul.wide.u32 %w, %r0, 8; mov.u64 %a, s; add.u64 %x, %a, %w; mov.u64 %w, 0;\n"        \
	     "setp.lt.u32 %q, %r0, 32; @%q st.shared.u64 [%x], %w; bar.sync 0;\n" cvta             \
	     "and.b32 %r1, %r0, 1; setp.ne.u32 %q, %r1, 0; selp.b64 %a, %a, %g, %q;\n"             \
	     "atom.add.u32 %r1, [%a], %r0; red.max.s32 [%a+4], %r0; mov.f32 %f, 0f3f800000;\n"     \
	     "red.add.f32 [%a+8], %f; atom.cas.b32 %r1, [%a+12], 0, 7; cvt.u64.u32 %w, %r0;\n"     \
	     "atom.shared.add.u32 %r1, [s], 1; red.add.u64 [%a+16], %w; shl.b64 %w, %w, 40;\n"     \
	     "atom.max.u64 %x, [%a+24], %w; atom.exch.b64 %x, [%a+32], 9; bar.sync 0;\n"           \
	     "mul.wide.u32 %w, %r0, 8; mov.u64 %a, s; add.u64 %x, %a, %w; add.u64 %g, %g, %w;\n"   \
	     "setp.lt.u32 %q, %r0, 8; @%q ld.shared.u64 %w, [%x];\n"                               \
	     "@%q st.global.u64 [%g+64], %w; ret; }\n"
	static char mixed[] = MIXED("cvta.shared.u64 %a, %a;"), global[] = MIXED("mov.u64 %a, %g;");
	static const char *const code[] = {"", "fermi", "tesla"};
	(void)state;
	for (unsigned i = 0; i < 2 * 5; i++) {
		unsigned m = i % 5, timing = m > 2;
		static uint8_t out[2][256];
		char why[400] = "";
		struct heddle_options o = {.timing = timing};
		struct random_kernel r = {.text = i < 5 ? mixed : global,
					  .bytes = sizeof out[0],
					  .grid = {1, 1, 1},
					  .block = {96, 1, 1}};
		assert_null(m ? heddle_code_parse(code[timing ? m - 2 : m], &o) : NULL);
		o.config = timing ? (m == 3 ? "tesla-c2050" : "quadro-fx5800") : NULL;
		if (!run_random(&r, o, out[m > 0], why, sizeof why))
			fail_msg("%u: %s", i, why);
		assert_memory_equal(out[0], out[m > 0], sizeof out[0]);
	}
	for (unsigned i = 0; i < 2; i++) { /* one lock is for the .shared one */
		const char *text = i ? global : mixed;
		char *message = NULL, *sass = heddle_native_compile(
					      &(struct heddle_text){"k.ptx", text, strlen(text)}, 1,
					      &(struct heddle_compile){0}, &message);
		if (!sass)
			fail_msg("%s", message ? message : "");
		assert_int_equal(count_of(sass, "LDSLK"), i ? 1 : 8);
		free(sass);
		free(message);
	}
}

/* A register that is written twice is two values, each known to the passes behind. */
static void test_rename(void **state)
{
	static const struct counted t[] = {
		/* both fields are described by the same word */
		{20,
		 "ld.param.u32 %r5, [n]; bfe.u32 %r3, %r0, %r5, %r0; mov.u32 %r1, %r3;"
		 "xor.b32 %r4, %r1, 5; mov.u32 %r1, %r5; bfe.u32 %r3, %r4, %r1, %r0; mov.u32 %r1, %r3;"
		 "xor.b32 %r2, %r1, %r4;",
		 "BFI", 1, 2},
		/* three sums in one register */
		{20,
		 "ld.global.u32 %r3, [%d0]; ld.global.u32 %r4, [%d0+4]; add.u32 %r1, %r0, %r3;"
		 "add.u32 %r1, %r1, %r4; xor.b32 %r2, %r1, %r3; add.u32 %r1, %r2, %r4;"
		 "add.u32 %r2, %r1, %r0;",
		 "VADD", 2, 0},
		/* the old upper word is read behind the new lower one */
		{20,
		 "ld.global.u64 %d1, [%d0]; add.u64 %d1, %d1, %d1; add.u64 %d1, %d1, %d1;"
		 "shr.u64 %d1, %d1, 9; cvt.u32.u64 %r2, %d1;",
		 "IADD.X", 2, 2},
	};
	(void)state;
	check_counts(t, sizeof t / sizeof *t, "rename");
}

/* The end of a path is the last instruction's; guarded code of three instructions is skipped. */
static void test_ends(void **state)
{
	static const struct counted tail[] = {
		{13, "mov.u32 %r2, 1;", "NOP.EXIT", 0, 1},
		{13, "mov.u32 %r2, 1;", "GST.U32.EXIT", 1, 0},
		/* a branch goes to the end, not to the store */
		{13,
		 "ld.param.u32 %r2, [n]; setp.eq.u32 %p0, %r0, %r2; @%p0 bra E; bar.sync 0;"
		 "st.global.u32 [%d0+4], %r2; E:",
		 "GST.U32.EXIT", 1, 0},
		{20,
		 "setp.gt.u32 %p0, %r0, 7; mov.u32 %r2, 1; @%p0 bra E; bar.sync 0; add.u32 %r2, %r0, 5; E:",
		 "IADD.S", 1, 0},
	};
	static const struct counted skip[] = {
		{20,
		 "setp.gt.u32 %p0, %r0, 7; mov.u32 %r2, 1; @%p0 bra E; ld.global.u32 %r3, [%d0];"
		 "xor.b32 %r3, %r3, %r0; st.global.u32 [%d0], %r3; E:",
		 "BRA.U", 1, 0},
		/* two instructions, four of PTX */
		{20,
		 "setp.gt.u32 %p0, %r0, 7; mov.u32 %r2, 1; @%p0 bra E; shl.b32 %r3, %r0, 2;"
		 "add.u32 %r3, %r3, %r0; mov.u32 %r4, %r3; st.shared.u32 [%r4+4], %r0; E:",
		 "BRA.U", 0, 0},
	};
	(void)state;
	check_counts(tail, sizeof tail / sizeof *tail, "tail");
	check_counts(skip, sizeof skip / sizeof *skip, "bra.u");
}

/* Numbers and sums that are part of another instruction. */
static void test_operands(void **state)
{
	static const struct counted fold[] = {
		{13, "max.s32 %r2, %r0, 3;", "MVI", 0, 1},
		{13, "mov.u32 %r1, 77; mul24.lo.u32 %r2, %r0, %r1;", "MVI", 0, 1},
		{20, "mov.u32 %r2, 0;", "ST [R0], RZ", 1, 0},
		{20, "ld.param.u32 %r1, [n]; setp.gt.u32 %p0, %r1, %r0; selp.u32 %r2, 1, 2, %p0;",
		 "ISETP.LT.U32.AND P0, pt, R", 1, 0},
	};
	static const struct counted address[] = {
		{20, "xor.b32 %r1, %r0, 20; add.u32 %r1, %r1, -64; ld.shared.u32 %r2, [%r1+8];",
		 "+-0x38]", 1, 0},
		/* the register changes in between */
		{20,
		 "mov.u32 %r3, %r0; add.u32 %r1, %r3, 64; add.u32 %r3, %r3, %r3;"
		 "ld.shared.u32 %r2, [%r1]; add.u32 %r2, %r2, %r3;",
		 "0x40]", 1, 0},
	};
	static const struct counted imad[] = {
		{13, "ld.global.u32 %r1, [%d0]; mul24.lo.s32 %r2, %r0, %r1; add.s32 %r2, %r2, %r1;",
		 "IMAD.S24", 1, 0},
	};
	(void)state;
	check_counts(fold, sizeof fold / sizeof *fold, "fold");
	check_counts(address, sizeof address / sizeof *address, "address");
	check_counts(imad, sizeof imad / sizeof *imad, "imad");
}

/* What a block above has computed is not computed again; what changes in between is. */
static void test_common(void **state)
{
	static const struct counted t[] = {
		/* one block */
		{20, "mul.lo.u32 %r1, %r0, %r0; mul.lo.u32 %r3, %r0, %r0; xor.b32 %r2, %r1, %r3;",
		 "IMUL", 1, 2},
		/* a block above, and its arms */
		{20,
		 "mul.lo.u32 %r1, %r0, %r0; mov.u32 %r2, %r1; setp.gt.u32 %p0, %r0, 9; @%p0 bra A;"
		 "mul.lo.u32 %r3, %r0, %r0; add.u32 %r2, %r3, 7; st.global.u32 [%d0+4], %r3;"
		 "st.global.u32 [%d0+8], %r0; bra B; A: mul.lo.u32 %r4, %r0, %r0;"
		 "add.u32 %r2, %r4, 9; st.global.u32 [%d0+8], %r3; st.global.u32 [%d0+4], %r4; B:",
		 "IMUL", 1, 3},
		/* two arms, neither above the other */
		{20,
		 "mov.u32 %r2, 5; setp.gt.u32 %p0, %r0, 9; @%p0 bra A; mul.lo.u32 %r2, %r0, %r0;"
		 "st.global.u32 [%d0+4], %r0; st.global.u32 [%d0+8], %r2;"
		 "bra B; A: st.global.u32 [%d0+8], %r0; mul.lo.u32 %r2, %r0, %r0;"
		 "st.global.u32 [%d0+4], %r2; B:",
		 "IMUL", 2, 2},
		/* an operand that is written in between */
		{20,
		 "mov.u32 %r1, %r0; mul.lo.u32 %r3, %r1, %r1; add.u32 %r1, %r1, 1;"
		 "mul.lo.u32 %r4, %r1, %r1; xor.b32 %r2, %r3, %r4;",
		 "IMUL", 2, 2},
		/* a loop: what the last turn left is not what this one makes */
		{20,
		 "mov.u32 %r1, %r0; mov.u32 %r2, 0; L: mul.lo.u32 %r3, %r1, %r1; xor.b32 %r2, %r2, %r3;"
		 "add.u32 %r1, %r1, 1; mul.lo.u32 %r4, %r1, %r1; xor.b32 %r2, %r2, %r4;"
		 "setp.lt.u32 %p0, %r1, 9; @%p0 bra L;",
		 "IMUL", 2, 2},
		/* pairs that are read whole */
		{20,
		 "cvt.rn.f64.u32 %g0, %r0; fma.rn.f64 %g1, %g0, %g0, 0d3ff3333333333333;"
		 "fma.rn.f64 %g2, %g1, %g0, 0d3ff3333333333333; cvt.rzi.u32.f64 %r2, %g2;",
		 "0x3ff33333", 1, 2},
		/* a clock is read each time */
		{20, "mov.u32 %r1, %clock; mov.u32 %r3, %clock; sub.u32 %r2, %r3, %r1;", "S2R", 2,
		 2},
		{13, "mul.lo.u32 %r1, %r0, %r0; mul.lo.u32 %r3, %r0, %r0; xor.b32 %r2, %r1, %r3;",
		 "IMUL", 1, 2},
	};
	(void)state;
	check_counts(t, sizeof t / sizeof *t, "common");
}

/* Quotients and remainders by d: of powers of two, what lies beside them, random numbers, multiples
 * of d and what lies below them. */
static void divide_kernel(char *text, size_t n, const char *type, int64_t d)
{
	static const char *const operand[] = {"", "mul.lo.u64 %x, %w, %d;", "sub.u64 %x, %x, 1;"};
	const char *bits = type + 1;
	int at = snprintf(
		text, n,
		HEAD
		".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m) {\n"
		".reg .b32 %%t, %%k, %%i; .reg .b64 %%x, %%p, %%h, %%y, %%w, %%d; .reg .pred %%q;"
		".reg .b%s %%a, %%b, %%c; ld.param.u64 %%p, [o]; mov.u32 %%t, %%tid.x;\n"
		"mul.wide.u32 %%y, %%t, 8; add.u64 %%p, %%p, %%y; and.b32 %%k, %%t, 63;\n"
		"mov.u64 %%y, 1; shl.b64 %%x, %%y, %%k; mov.u64 %%h, 0; shr.u32 %%i, %%t, 6;\n"
		"setp.eq.u32 %%q, %%i, 1; @%%q sub.u64 %%x, %%x, 1;\n"
		"setp.eq.u32 %%q, %%i, 2; @%%q neg.s64 %%x, %%x; cvt.u64.u32 %%w, %%t;\n"
		"mul.lo.u64 %%w, %%w, 0x9e3779b97f4a7c15; shr.u64 %%y, %%w, 29;\n"
		"xor.b64 %%w, %%w, %%y; setp.eq.u32 %%q, %%i, 3; @%%q mov.b64 %%x, %%w;"
		"mov.b64 %%d, %lld;\n",
		bits, (long long)d);
	for (unsigned i = 0; i < 3; i++)
		at += snprintf(
			text + at, n - (size_t)at,
			"%s cvt.u%s.u64 %%a, %%x; div.%s %%b, %%a, %lld; rem.%s %%c, %%a, %lld;\n"
			"cvt.u64.u%s %%y, %%b; mad.lo.u64 %%h, %%h, 0x100000001b3, %%y;\n"
			"cvt.u64.u%s %%y, %%c; mad.lo.u64 %%h, %%h, 0x100000001b3, %%y;\n",
			operand[i], bits, type, (long long)d, type, (long long)d, bits, bits);
	snprintf(text + at, n - (size_t)at, "st.global.u64 [%%p], %%h; ret; }\n");
}

/* Division by a constant has the result of PTX, on both machines. */
static void test_divide(void **state)
{
	static const char *const type[] = {"u16", "s16", "u32", "s32", "u64", "s64"};
	/* besides 1 to 20: multipliers of one bit more, ends of the range */
	static const uint64_t more[] = {21,    28,         100,        641,        1000,
					32767, 32768,      0x7fffffff, 0x80000000, 0x80000001,
					65535, 1000000007, 0xfffffffe, 0xffffffff, 1ull << 63};
	(void)state;
	for (unsigned i = 0; i < 6; i++)
		for (unsigned k = 0; k < 20 + sizeof more / sizeof *more; k++)
			for (unsigned neg = 0; neg <= i % 2; neg++) {
				unsigned spare = 64 - (unsigned)atoi(type[i] + 1);
				uint64_t d = (k < 20 ? k + 1 : more[k - 20]);
				char text[4000], why[400] = "";
				uint8_t out[3][256 * 8];
				struct random_kernel r = {.text = text,
							  .bytes = sizeof out[0],
							  .grid = {1, 1, 1},
							  .block = {256, 1, 1}};
				if (d << spare >> spare != d || (i % 2 && d << spare >> 63))
					continue;
				divide_kernel(text, sizeof text, type[i],
					      neg ? -(int64_t)d : (int64_t)d);
				for (unsigned m = 0; m < 3; m++) {
					struct heddle_options o = {0};
					assert_null(m ? heddle_code_parse(
								m == 1 ? "fermi" : "tesla", &o)
						      : NULL);
					if (!run_random(&r, o, out[m], why, sizeof why))
						fail_msg("%s: %s", text, why);
					if (memcmp(out[m], out[0], sizeof out[0]))
						fail_msg("machine %u: another result:\n%s", m,
							 text);
				}
			}
	/* no routine: a shift, a product */
	static const struct counted t[] = {
		{20, "div.u32 %r2, %r0, 8;", "MUFU", 0, 1},
		{20, "div.u32 %r2, %r0, 8;", "IMUL", 0, 3},
		{20, "rem.s32 %r2, %r0, 10;", "MUFU", 0, 1},
		{13, "rem.u32 %r2, %r0, 16;", "RCP", 0, 1},
		{13, "div.s32 %r2, %r0, 7;", "RCP", 0, 1},
	};
	check_counts(t, sizeof t / sizeof *t, "divide");
}

/* Registers of the kernel in a listing. */
static unsigned registers_of(const char *sass)
{
	const char *at = strstr(sass, ".regs ");
	return at ? (unsigned)strtoul(at + 6, NULL, 10) : 0;
}

/* Products that are needed at the beginning and again at the end are not kept where that takes
 * blocks from the machine: all of 256 threads have room with 20 registers, on sm_13 with 16. */
static void test_sharing(void **state)
{
	(void)state;
	for (unsigned tesla = 0; tesla < 2; tesla++) {
		/* n: products that are made twice; few of them fit the registers that are free anyway */
		for (unsigned n = 8; n <= 24; n += 16) {
			char body[6000];
			size_t at = (size_t)sprintf(body, ".reg .b32 %%a<64>; mov.u32 %%r2, 0;");
			for (unsigned i = 0; i < 2 * n; i++)
				at += (size_t)sprintf(
					body + at,
					"mul24.lo.u32 %%a%u, %%r0, %u;"
					"xor.b32 %%r2, %%r2, %%a%u; shl.b32 %%r2, %%r2, 1;",
					i, 1000 + i % n * 2, i);
			char *with = compile_body(tesla ? 13 : 20, body, NULL),
			     *without = compile_body(tesla ? 13 : 20, body, "common");
			unsigned most = tesla ? 16 : 20; /* registers with which all blocks fit */
			unsigned a = count_of(with, "IMUL"), b = count_of(without, "IMUL");
			if (registers_of(with) > most || registers_of(without) > most ||
			    (n == 8 ? a >= b : a != b))
				fail_msg("%u products: %u in %u registers, %u without sharing:\n%s",
					 n, a, registers_of(with), b, with);
			free(with);
			free(without);
		}
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *code, *why;
	} t[] = {{"mbarrier.init.shared.b64 [0], 1;",
		  "k.ptx:5:1: error: sm_20 has no 'mbarrier.init.shared.b64': barriers that are"},
		 {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r0,%r1}, {%r2},"
		  "{%r0,%r1};",
		  "sm_20 has no 'mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16': a matrix unit"},
		 {"mov.u32 %r1, %globaltimer_lo;", "the special register %globaltimer_lo"},
		 {".reg .b128 %q; .reg .b64 %a; atom.global.exch.b128 %q, [%a], %q;",
		  "atomics of more than 64 bits"}};
	(void)state;
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[400], *message = NULL;
		snprintf(
			text, sizeof text,
			".version 8.3\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 %%r<4>;\n%s\nret; }\n",
			t[i].code);
		assert_null(
			heddle_native_compile(&(struct heddle_text){"k.ptx", text, strlen(text)}, 1,
					      &(struct heddle_compile){0}, &message));
		if (!message || !strstr(message, t[i].why))
			fail_msg("'%s' in '%s'", t[i].why, message);
		free(message);
	}
}

/* By hand: build/tests/test_back FIRST COUNT [CODE [RULE]], CODE as of --code, RULE 0 to 2 */
int main(int argc, char **argv)
{
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	if (argc >= 3) {
		printf("%u compared\n",
		       random_kernels_of(strtoull(argv[1], NULL, 10), (unsigned)atoi(argv[2]),
					 argc > 3 ? argv[3] : "fermi",
					 argc > 4 ? (unsigned)atoi(argv[4]) : 0, argc > 5));
		return 0;
	}
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_kernels),      cmocka_unit_test(test_tesla),
		cmocka_unit_test(test_spills),       cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_locks), cmocka_unit_test(test_joined),
		cmocka_unit_test(test_called),       cmocka_unit_test(test_common),
		cmocka_unit_test(test_divide),       cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_rename),       cmocka_unit_test(test_ends),
		cmocka_unit_test(test_operands),     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_crowd),        cmocka_unit_test(test_arms),
		cmocka_unit_test(test_mixed),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
