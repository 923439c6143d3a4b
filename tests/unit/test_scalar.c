/* Scalarization: classes of small programs by hand, kernels built to break a naive one, and random
 * kernels under the run-time check, which must never fire. By hand:
 *
 * 	build/tests/test_scalar FIRST COUNT      prints what fails and goes on
 * 	build/tests/test_scalar show SEED        the text of one */
#include "pass/pass.h"
#include "pass/scalar.h"
#include "func_builder.h"
#include "random_kernel.h"
#include "seeds.h"
#include "timing.h"
#undef HEAD
#include "ptx_reader.h"

/* ---- classes ---- */

struct found {
	struct module *m;
	struct func *f;
	struct arena a;
	struct scalar s;
};

static struct found find(const char *text, enum scalar_rule rule)
{
	struct found x = {.m = load(text)};
	struct pass_info p;
	struct pass_opts o = {0};
	x.f = module_kernel(x.m, "k");
	assert_true(pass_run(x.f, &x.a, &o, &p, &diag));
	scalar_find(&x.s, &x.a, x.f, p.cfg, &p.pdom, &p.live, rule);
	return x;
}

static void found_free(struct found *x)
{
	arena_free(&x->a);
	module_free(x->m);
}

/* One letter per instruction: s (scalar) or v (vector). */
static void expect_rule(const char *text, enum scalar_rule rule, const char *want)
{
	struct found x = find(text, rule);
	char got[256];
	unsigned scalars = 0;
	for (size_t i = 0; i < x.f->code.n; i++) {
		got[i] = x.s.why[i] ? 'v' : 's';
		scalars += !x.s.why[i];
	}
	got[x.f->code.n] = 0;
	assert_string_equal(got, want);
	assert_int_equal(x.s.insts, x.f->code.n);
	assert_int_equal(x.s.scalars, scalars);
	found_free(&x);
}
static void expect(const char *text, const char *want) { expect_rule(text, SCALAR_ALL, want); }

#define REGS ".reg .u32 %r<16>; .reg .pred %p<8>; .reg .u64 %d<8>; .reg .f32 %f<8>;\n"
#define KERNEL(code)                                                                               \
	".version 7.8\n.target sm_75\n.address_size 64\n"                                          \
	".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0)\n{\n" REGS code      \
	"}\n"

/* The loop's counter is uniform among the threads still in the loop, unless code after the loop
 * reads it. */
#define LOOP(after)                                                                                \
	KERNEL("mov.u32 %r1, 0; mov.u32 %r2, %tid.x;\n"                                            \
	       "L: add.u32 %r1, %r1, 1; shl.b32 %r3, %r1, 2; setp.lt.u32 %p1, %r1, %r2;\n"         \
	       "@%p1 bra L;\n" after "ret;\n")

static void test_loop(void **state)
{
	(void)state;
	expect(LOOP(""), "svssvvs");
	expect(LOOP("st.shared.u32 [%r2], %r1;\n"), "vvvvvvvs");
	expect_rule(LOOP(""), SCALAR_CONVERGENT, "vvvvvvs");
}

static void test_special(void **state)
{
	(void)state;
	expect(KERNEL("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %laneid; mov.u32 %r3, %clock; "
		      "mov.u32 %r4, %warpid; mov.u32 %r5, %lanemask_lt; ret;\n"),
	       "svvsvs");
	expect(KERNEL("ld.param.u64 %d1, [pout]; ld.global.u32 %r1, [%d1]; "
		      "ld.volatile.global.u32 %r2, [%d1]; atom.global.add.u32 %r3, [%d1], %r1; "
		      "st.global.u32 [%d1], %r1; red.global.add.u32 [%d1], %r1; ret;\n"),
	       "ssvvsvs");
	expect(KERNEL("ld.param.u32 %r1, [n0]; add.cc.u32 %r2, %r1, 1; addc.u32 %r3, %r1, 0; "
		      "shfl.sync.idx.b32 %r4, %r1, 0, 31, -1; activemask.b32 %r5; "
		      "setp.eq.u32 %p1, %r1, 0; vote.sync.any.pred %p2, %p1, -1; ret;\n"),
	       "svvvvsvs");
	expect(KERNEL(".local .b32 x[4]; ld.param.u32 %r1, [n0]; st.local.u32 [x], %r1; "
		      "ld.local.u32 %r2, [x]; ret;\n"),
	       "svvs");
	/* a generic address can be in local memory only if the address of a local variable is
	 * taken */
	expect(KERNEL("ld.param.u64 %d1, [pin]; ld.u32 %r1, [%d1]; ret;\n"), "sss");
	expect(KERNEL(".local .b32 x[4]; mov.u64 %d2, x; ld.param.u64 %d1, [pin]; "
		      "ld.u32 %r1, [%d1]; ret;\n"),
	       "ssvs");
}

/* A guard that differs between threads makes the write a vector write. */
static void test_guard(void **state)
{
	(void)state;
	expect(KERNEL("ld.param.u32 %r1, [n0]; setp.eq.u32 %p1, %r1, 0; @%p1 mov.u32 %r1, 5; ret;\n"),
	       "ssss");
	expect(KERNEL("mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; mov.u32 %r1, 4; "
		      "@%p1 mov.u32 %r1, 5; add.u32 %r3, %r1, 1; ret;\n"),
	       "vvvvvs");
}

/* %r1 is dead where the sides meet, but the second side reads the old value. */
static void test_other_side(void **state)
{
	(void)state;
	expect(KERNEL("mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0; mov.u32 %r1, 1;\n"
		      "@%p1 bra B;\n"
		      "mov.u32 %r1, 2; add.u32 %r3, %r1, 1; st.shared.u32 [%r2], %r3; bra E;\n"
		      "B: add.u32 %r4, %r1, 2; st.shared.u32 [%r2], %r4;\n"
		      "E: ret;\n"),
	       "vvvvvvvsvvs");
	/* both sides write a value of their own: one scalar register serves both, one after the
	 * other */
	expect(KERNEL("mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;\n"
		      "@%p1 bra B;\n"
		      "mov.u32 %r1, 2; add.u32 %r3, %r1, 1; st.shared.u32 [%r2], %r3; bra E;\n"
		      "B: mov.u32 %r1, 3; add.u32 %r4, %r1, 2; st.shared.u32 [%r2], %r4;\n"
		      "E: ret;\n"),
	       "vvvssvsssvs");
	/* unless the first side may have to wait for the second in between */
	expect(KERNEL("mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;\n"
		      "@%p1 bra B;\n"
		      "mov.u32 %r1, 2; bar.sync 0; add.u32 %r3, %r1, 1; st.shared.u32 [%r2], %r3; bra E;\n"
		      "B: mov.u32 %r1, 3; bar.sync 0; add.u32 %r4, %r1, 2; st.shared.u32 [%r2], %r4;\n"
		      "E: ret;\n"),
	       "vvvvsvvsvsvvs");
	/* and the second side no longer needs its value when it waits, whichever side runs first */
#define HOLDS "add.u32 %r1, %r5, 3; bar.warp.sync 0xffffffff; add.u32 %r3, %r1, %r2;\n"
#define COMES "add.u32 %r1, %r5, 9; add.u32 %r4, %r1, %r2; bar.warp.sync 0xffffffff;\n"
#define WAITS(first, second)                                                                               \
	KERNEL("ld.param.u32 %r5, [n0]; mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 5; @%p1 bra B;\n" first \
	       "bra E;\nB: " second "E: ret;\n")
	expect(WAITS(HOLDS, COMES), "svvvvsvsvvss");
	expect(WAITS(COMES, HOLDS), "svvvvvssvsvs");
	expect(WAITS(COMES, COMES), "svvvsvsssvss");
}

/* After an early exit nothing is divergent for the remaining threads, except by the narrow rule. */
static void test_early_end(void **state)
{
	(void)state;
	static const char text[] =
		KERNEL("mov.u32 %r2, %tid.x; ld.param.u32 %r1, [n0]; setp.ge.u32 %p1, %r2, %r1;\n"
		       "@%p1 bra E;\n"
		       "add.u32 %r3, %r1, 1; st.shared.u32 [%r2], %r3;\n"
		       "E: ret;\n");
	expect(text, "vsvvsvs");
	expect_rule(text, SCALAR_CONVERGENT, "vsvvvvs");
}

/* Code under a uniform branch before a divergent branch is not under the divergent branch. */
static void test_before(void **state)
{
	(void)state;
	expect_rule(KERNEL("mov.u32 %r2, %tid.x; ld.param.u32 %r1, [n0]; setp.eq.u32 %p1, %r2, 0;\n"
			   "setp.eq.u32 %p2, %r1, 0;\n"
			   "@%p2 bra B;\n"
			   "add.u32 %r3, %r1, 1; st.shared.u32 [0], %r3;\n"
			   "B: @%p1 bra E;\n"
			   "add.u32 %r4, %r1, 1; st.shared.u32 [0], %r4;\n"
			   "E: st.shared.u32 [0], %r1; ret;\n"),
		    SCALAR_CONVERGENT, "vsvssssvvvss");
}

/* Machine code with a token stack is entirely vector. A lock is not a token: flattened code with a
 * lock is classified as usual. */
static void test_native(void **state)
{
	(void)state;
	for (unsigned token = 0; token < 2; token++) {
		struct fb b = fb_new(true);
		struct arena a = {0};
		struct cfg *c;
		struct domtree pdom;
		struct live l;
		struct scalar s;
		uint32_t x = fb_reg(&b, T_U32), y = fb_reg(&b, T_U32);
		fb_reg_op(&b, OP_ADD, T_U32, 1, 2, y, x, x);
		fb_reg_op(&b, OP_NATIVE, T_U32, 0, 0)->mode = token ? NCTL_TPOP : NCTL_LOCK;
		fb_ret(&b, NO_REG);
		c = cfg_build(&a, &b.f);
		pdom_build(&pdom, c);
		live_build(&l, &b.f, c);
		scalar_find(&s, &a, &b.f, c, &pdom, &l, SCALAR_ALL);
		assert_int_equal(s.why[0], token ? VEC_NATIVE : VEC_NOT);
		arena_free(&a);
		fb_free(&b);
	}
}

static void test_why(void **state)
{
	(void)state;
	struct found x = find(LOOP("st.shared.u32 [%r2], %r1;\n"), SCALAR_ALL);
	char buf[256];
	assert_string_equal(scalar_text(&x.s, x.f, 1, buf, sizeof buf), "differs between threads");
	assert_string_equal(scalar_text(&x.s, x.f, 2, buf, sizeof buf),
			    "reads vector %r1, written under the branch in line 9, live where its "
			    "sides meet");
	assert_string_equal(scalar_text(&x.s, x.f, 4, buf, sizeof buf),
			    "reads vector %r2, written in line 7");
	found_free(&x);
}

/* ---- the check at run time ---- */

static void run_kernel(const struct random_kernel *k, const char *rows, uint8_t *out)
{
	struct bench b = {.text = k->text,
			  .kernel = "k",
			  .n = {k->grid[0]},
			  .bytes = k->bytes,
			  .out = out,
			  .functional = true};
	memcpy(b.grid, k->grid, sizeof b.grid);
	memcpy(b.block, k->block, sizeof b.block);
	if (rows)
		setenv("HEDDLE_ROWS", rows, 1);
	struct timed t = bench_run(&b);
	unsetenv("HEDDLE_ROWS");
	timed_free(&t);
}

static void make(struct random_kernel *k, uint64_t seed)
{
	uint64_t r = ~seed;
	*k = (struct random_kernel){.warp_ops = random_next(&r) >> 60 & 1,
				    .locks = !(random_next(&r) >> 62),
				    .barriers = random_next(&r) >> 62 != 0,
				    .exits = random_next(&r) >> 60 & 1,
				    .size = 4 + (unsigned)(random_next(&r) >> 40) % 30};
	random_kernel_make(k, seed);
}

static void run_seed(uint64_t seed)
{
	static const char *const how[] = {"own,scalar",
					  "own,convergent",
					  "allocated",
					  "allocated,scalar",
					  "allocated,convergent",
					  "allocated,limit=16",
					  "allocated,scalar,limit=12",
					  "allocated,preds=2",
					  "allocated,scalar,preds=1,limit=14"};
	struct random_kernel k;
	make(&k, seed);
	uint8_t *want = malloc(k.bytes), *got = malloc(k.bytes);
	run_kernel(&k, NULL, want);
	for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
		run_kernel(&k, how[i], got);
		if (memcmp(want, got, k.bytes))
			fail_msg("seed %llu: %s: memory differs", (unsigned long long)seed, how[i]);
	}
	free(want);
	free(got);
	free(k.text);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++)
		run_seed(seed);
}

/* ---- by hand ---- */

static int show(uint64_t seed)
{
	struct random_kernel k;
	make(&k, seed);
	printf("// %u blocks of %u x %u x %u, %zu bytes\n%s", k.grid[0], k.block[0], k.block[1],
	       k.block[2], k.bytes, k.text);
	free(k.text);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_loop, teardown),
		cmocka_unit_test_teardown(test_special, teardown),
		cmocka_unit_test_teardown(test_guard, teardown),
		cmocka_unit_test_teardown(test_other_side, teardown),
		cmocka_unit_test_teardown(test_early_end, teardown),
		cmocka_unit_test_teardown(test_before, teardown),
		cmocka_unit_test(test_native),
		cmocka_unit_test_teardown(test_why, teardown),
		cmocka_unit_test(test_random),
	};
	const struct seeds seeds = {.run = run_seed, .show = show, .seconds = 60};
	int status;
	if (seeds_asked(&seeds, argc, argv, &status))
		return status;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
