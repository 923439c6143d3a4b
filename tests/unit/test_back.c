/* The code generator: kernels run as machine code of sm_20 leave the memory that they leave as PTX.
 * The kernels of tests/kernels as compiled by several compilers, with all registers and with few, by
 * each rule of the token stack; random kernels. Operations that the machine lacks are refused by
 * name. */
#include <glob.h>
#include <time.h>
#include "back_run.h"

/* A kernel of three parameters, with functions and variables that it may use. Words 4 to 11 of the input are
 * small. */
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
	const char *refused; /* sm_13's reason for refusing the kernel; NULL: compiles */
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

/* sm_13 truncates products and flushes subnormal singles; this kernel's result is a hash of such
 * bits. */
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

/* With few registers values are spilled to local memory, where values that are never live together
 * share a slot. */
static void test_spills(void **state)
{
	static const char *const name[] = {"nbody", "transpose", "doubles", "histogram", "wide"};
	static char text[1 << 20];
	uint32_t want[WORDS], out[WORDS];
	char why[400], path[128];
	(void)state;
	for (unsigned i = 0; i < 2 * 2 * sizeof name / sizeof *name; i++) {
		struct heddle_compile c = {.max_registers = i % 2 ? 20 : 16,
					   .sm = i / 2 % 2 ? 20 : 13};
		char *message = NULL;
		snprintf(path, sizeof path, "tests/kernels/%s.clang14-O2.ptx", name[i / 4]);
		size_t n = read_file(path, text, sizeof text);
		assert_true(kernel_run(path, text, n, (struct heddle_options){0}, want, why,
				       sizeof why));
		char *sass = heddle_native_compile(&(struct heddle_text){path, text, n}, 1, &c,
						   &message);
		if (!sass)
			fail_msg("%s: %s", path, message);
		free(message);
		if (!kernel_run(path, sass, strlen(sass), (struct heddle_options){0}, out, why,
				sizeof why))
			fail_msg("%s: %s", path, why);
		if ((c.sm == 20 || !hashes_floats(path)) && memcmp(out, want, sizeof out))
			fail_msg("%s: another result on sm_%u", path, c.sm);
		free(sass);
	}
}

/* 3,000 operations on 1,200 values that are live at once compile in seconds, not minutes. */
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

enum { IN_TIMING_MODE = 100 }; /* stands in place of a rule */

/* Runs random kernels. code: as for --code; rule: of the token stack; locks: include locks and
 * warp-level operations. */
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

/* With locks, some at the beginning of a loop, and warp-level operations after loops that are
 * entered from a branch; also with the stack of timing mode. */
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

/* By hand: build/tests/test_back FIRST COUNT [CODE [RULE]], CODE as for --code, RULE 0 to 2 */
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
		cmocka_unit_test(test_random_locks), cmocka_unit_test(test_called),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_crowd),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
