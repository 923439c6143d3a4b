/* Kernels built to break a naive scalarization, each with results computed here: writes under loops
 * that threads leave one after the other, values that only one side of a branch needs, and warps
 * some of whose threads have ended or never existed. Each kernel runs in functional mode under the
 * check of scalar instructions with every register layout, and timed on lanes that execute scalar
 * instructions once. */
#include "timing.h"

enum { BLOCKS = 3, THREADS = 77, N = 41 }; /* the last warp of a block has 13 threads */

struct hard {
	const char *text;
	uint32_t (*want)(uint32_t block, uint32_t tid); /* value that the thread writes; 0: none */
};

#define BEGIN                                                                                      \
	HEAD ".reg .u32 %r<40>; .reg .pred %p<8>; .reg .u64 %d<4>;\n"                              \
	     "ld.param.u64 %d1, [pout]; ld.param.u32 %r1, [n0]; mov.u32 %r2, %tid.x;\n"            \
	     "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;\n"       \
	     "mul.wide.u32 %d2, %r5, 4; add.u64 %d2, %d1, %d2;\n"
#define END "st.global.u32 [%d2], %r30; ret;\n}\n"

/* ---- writes under divergent loops ---- */

/* A thread counts to its own bound. The counter and its square are uniform among the threads that
 * still count. After the loop, the sum, the last square and the counter are needed, where threads
 * that left early must find their own values. Each iteration contains an inner loop of equal length
 * for all threads; a second divergent loop starts from a constant again. */
static const char loops[] = BEGIN
	"and.b32 %r6, %r2, 7; add.u32 %r6, %r6, 1; mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u32 %r9, 0;\n"
	"L: add.u32 %r7, %r7, 1; mul.lo.u32 %r10, %r7, %r7; mov.u32 %r11, 0; mov.u32 %r12, 0;\n"
	"M: add.u32 %r12, %r12, %r10; add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 3; @%p2 bra M;\n"
	"add.u32 %r8, %r8, %r12; mov.u32 %r9, %r10; setp.lt.u32 %p1, %r7, %r6; @%p1 bra L;\n"
	"and.b32 %r13, %r2, 3; mov.u32 %r14, 5;\n"
	"K: add.u32 %r14, %r14, %r1; setp.ne.u32 %p3, %r13, 0; sub.u32 %r13, %r13, 1; @%p3 bra K;\n"
	"mad.lo.u32 %r30, %r9, 1000, %r8; mad.lo.u32 %r30, %r7, 100000, %r30;\n"
	"mad.lo.u32 %r30, %r14, 7, %r30;\n" END;

static uint32_t loops_want(uint32_t block, uint32_t tid)
{
	uint32_t bound = tid % 8 + 1, sum = 0, counted = 5 + (tid % 4 + 1) * N;
	(void)block;
	for (uint32_t i = 1; i <= bound; i++)
		sum += 3 * i * i;
	return bound * bound * 1000 + sum + bound * 100000 + counted * 7;
}

/* ---- values of one side ---- */

/* Only the second side needs r6, only the first side r7, and the first side has enough temporaries
 * to take every dead register. Both sides branch once more, so that threads wait behind two
 * branches; r8 is overwritten on one side, and the other side reads its old value. */
static const char sides[] = BEGIN
	"add.u32 %r6, %r1, 7; mul.lo.u32 %r7, %r1, 3; add.u32 %r8, %r1, %r3; and.b32 %r9, %r2, 1;\n"
	"and.b32 %r10, %r2, 2; setp.eq.u32 %p1, %r9, 0; setp.eq.u32 %p2, %r10, 0;\n"
	"@%p1 bra B;\n"
	"add.u32 %r11, %r7, 1; add.u32 %r12, %r11, %r1; mul.lo.u32 %r13, %r12, %r11;\n"
	"add.u32 %r14, %r13, %r12; mov.u32 %r8, 900; add.u32 %r14, %r14, %r8;\n"
	"@%p2 bra A2; add.u32 %r15, %r7, %r13; add.u32 %r30, %r15, %r14; bra E;\n"
	"A2: mul.lo.u32 %r16, %r12, 5; sub.u32 %r30, %r16, %r11; bra E;\n"
	"B: add.u32 %r17, %r6, %r8; add.u32 %r18, %r17, 11;\n"
	"@%p2 bra B2; mul.lo.u32 %r19, %r18, %r17; add.u32 %r30, %r19, %r6; bra E;\n"
	"B2: add.u32 %r20, %r18, %r6; mul.lo.u32 %r30, %r20, 13;\n"
	"E: mad.lo.u32 %r30, %r30, 100, %r2;\n" END;

static uint32_t sides_want(uint32_t block, uint32_t tid)
{
	uint32_t six = N + 7, seven = 3 * N, eight = N + block, r;
	if (tid & 1) {
		uint32_t a = seven + 1, b = a + N, c = b * a, d = c + b + 900;
		r = tid & 2 ? seven + c + d : b * 5 - a;
	} else {
		uint32_t a = six + eight, b = a + 11;
		r = tid & 2 ? b * a + six : (b + six) * 13;
	}
	return r * 100 + tid;
}

/* ---- exited threads ---- */

/* Every third thread, lane 0 among them, exits at once; every second of the rest exits after a loop
 * that all of them leave together; the others continue. Values computed in between are uniform,
 * although the warp's first threads have exited. One thread of a block takes a path of its own, in
 * the warp that was never full. */
static const char ended[] = BEGIN
	"rem.u32 %r6, %r2, 3; setp.eq.u32 %p1, %r6, 0; @%p1 bra X;\n"
	"mul.lo.u32 %r7, %r1, %r3; add.u32 %r7, %r7, 17; mov.u32 %r8, 0; mov.u32 %r9, 0;\n"
	"L: add.u32 %r9, %r9, %r7; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 6; @%p2 bra L;\n"
	"and.b32 %r10, %r2, 1; setp.eq.u32 %p3, %r10, 0; mov.u32 %r30, 1; @%p3 bra S;\n"
	"add.u32 %r11, %r9, %r8; mul.lo.u32 %r12, %r11, 3; setp.ne.u32 %p4, %r2, 73;\n"
	"add.u32 %r30, %r12, 2; @%p4 bra S; mul.lo.u32 %r13, %r12, %r7; add.u32 %r30, %r13, %r3;\n"
	"S: add.u32 %r14, %r9, 1; mad.lo.u32 %r30, %r30, 50, %r14; st.global.u32 [%d2], %r30;\n"
	"X: ret;\n}\n";

static uint32_t ended_want(uint32_t block, uint32_t tid)
{
	uint32_t seven = N * block + 17, nine = 6 * seven, r = 1;
	if (tid % 3 == 0)
		return 0;
	if (tid & 1)
		r = tid == 73 ? (nine + 6) * 3 * seven + block : (nine + 6) * 3 + 2;
	return r * 50 + nine + 1;
}

/* ---- waits ---- */

/* r7 is uniform within each side. The threads of one side keep their value while they wait twice
 * for the other side, whose threads need their own value only between the two waits; after the
 * sides r7 is dead. */
#define HOLDS                                                                                      \
	"add.u32 %r7, %r1, 3; bar.warp.sync 0xffffffff; bar.warp.sync 0xffffffff; add.u32 %r30, %r7, %r2;\n"
#define COMES                                                                                      \
	"bar.warp.sync 0xffffffff; add.u32 %r7, %r1, 9; mul.lo.u32 %r30, %r7, %r2; bar.warp.sync 0xffffffff;\n"
#define WAITS(first, second)                                                                       \
	BEGIN "and.b32 %r6, %r2, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra B;\n" first                  \
	      "bra E;\nB: " second "E: " END
static const char waits[] = WAITS(HOLDS, COMES), waits_behind[] = WAITS(COMES, HOLDS);

static uint32_t waits_want(uint32_t block, uint32_t tid)
{
	(void)block;
	return tid & 1 ? N + 3 + tid : (N + 9) * tid;
}
static uint32_t waits_behind_want(uint32_t block, uint32_t tid)
{
	(void)block;
	return tid & 1 ? (N + 9) * tid : N + 3 + tid;
}

/* ---- all kernels ---- */

static void expect(const struct hard *h, const uint32_t *got, const char *how)
{
	for (uint32_t b = 0; b < BLOCKS; b++)
		for (uint32_t t = 0; t < THREADS; t++)
			if (got[b * THREADS + t] != h->want(b, t))
				fail_msg("%s: thread %u of block %u: %u, expected %u", how, t, b,
					 got[b * THREADS + t], h->want(b, t));
}

static struct bench bench_of(const struct hard *h, uint32_t *got)
{
	return (struct bench){.text = h->text,
			      .kernel = "k",
			      .grid = {BLOCKS},
			      .block = {THREADS},
			      .n = {N},
			      .out = got,
			      .bytes = BLOCKS * THREADS * sizeof *got};
}

static void run_rows(const struct hard *h, const char *rows)
{
	uint32_t got[BLOCKS * THREADS];
	struct bench b = bench_of(h, got);
	b.functional = true;
	if (rows)
		setenv("HEDDLE_ROWS", rows, 1);
	struct timed t = bench_run(&b);
	unsetenv("HEDDLE_ROWS");
	timed_free(&t);
	expect(h, got, rows ? rows : "virtual");
}

static void run_lanes(const struct hard *h, const char *lanes, const char *scalar)
{
	uint32_t got[BLOCKS * THREADS];
	struct bench b = bench_of(h, got);
	b.config = "stsimt";
	b.set[0] = lanes;
	b.set[1] = scalar;
	b.set[2] = "sm.allocation=allocated";
	struct timed t = bench_run(&b);
	timed_free(&t);
	expect(h, got, lanes);
}

static void run_all(const struct hard *h)
{
	static const char *const rows[] = {NULL,
					   "own,scalar",
					   "own,convergent",
					   "allocated",
					   "allocated,scalar",
					   "allocated,convergent",
					   "allocated,scalar,limit=12",
					   "allocated,scalar,preds=1,limit=14"};
	static const char *const lanes[] = {"sm.lanes=tsimt", "sm.lanes=stsimt4",
					    "sm.lanes=tsimt-free", "sm.lanes=simt-scalar"};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		run_rows(h, rows[i]);
	for (unsigned i = 0; i < sizeof lanes / sizeof *lanes; i++) {
		run_lanes(h, lanes[i], "sm.scalar=all");
		run_lanes(h, lanes[i], "sm.scalar=convergent");
	}
}

static void test_loops(void **state)
{
	(void)state;
	run_all(&(struct hard){loops, loops_want});
}

static void test_sides(void **state)
{
	(void)state;
	run_all(&(struct hard){sides, sides_want});
}

static void test_ended(void **state)
{
	(void)state;
	run_all(&(struct hard){ended, ended_want});
}

static void test_waits(void **state)
{
	(void)state;
	run_all(&(struct hard){waits, waits_want});
	run_all(&(struct hard){waits_behind, waits_behind_want});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
