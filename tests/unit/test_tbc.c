/* Thread-block compaction: the compactor, warps and cycles counted by hand, programs. */
#include "forms.h"
#include "sm/diverge/compact.h"

/* ---- the compactor ---- */

static void the_example_of_the_header(void **state)
{
	(void)state;
	const uint64_t mask[] = {5, 6, 1}; /* lanes 0 2, 1 2, 0 */
	uint16_t place[12] = {0};
	const uint8_t class[3] = {0};
	assert_int_equal(compact(mask, class, NULL, 3, 4, place), 2);
	assert_int_equal(place[0], 0);
	assert_int_equal(place[2], 0);
	assert_int_equal(place[4 + 1], 0);
	assert_int_equal(place[4 + 2], 1);
	assert_int_equal(place[8], 1);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed ^ *seed >> 29;
}

/* No two threads share a position, none leaves its class, there are as many warps as the fullest
 * lane of each class has threads, and full warps are unchanged. */
static void random_sets(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (unsigned round = 0; round < 3000; round++) {
		unsigned n = 1 + (unsigned)(next_random(&seed) % 32),
			 size = 1 + (unsigned)(next_random(&seed) % 64), most = 0;
		uint64_t mask[32], seen[32] = {0}, all = size == 64 ? ~0ull : (1ull << size) - 1;
		uint16_t place[32 * 64];
		uint8_t class[32];
		unsigned classes = round % 2 ? 1 : 1 + (unsigned)(next_random(&seed) % 4);
		for (unsigned i = 0; i < n; i++)
			mask[i] = round % 5 ? next_random(&seed) & all : all;
		for (unsigned i = 0; i < n; i++)
			class[i] = (uint8_t)(next_random(&seed) % classes);
		for (unsigned i = 0; round % 3 == 1 && round % 5 && i < n; i++)
			mask[i] &= next_random(&seed);
		unsigned warps = compact(mask, class, NULL, n, size, place);
		for (unsigned c = 0, fullest = 0; c < classes; c++, most += fullest, fullest = 0)
			for (unsigned lane = 0; lane < size; lane++) {
				unsigned here = 0;
				for (unsigned i = 0; i < n; i++)
					here += class[i] == c && mask[i] >> lane & 1;
				fullest = here > fullest ? here : fullest;
			}
		for (unsigned lane = 0; lane < size; lane++) {
			for (unsigned i = 0; i < n; i++)
				if (mask[i] >> lane & 1) {
					unsigned to = place[i * size + lane];
					assert_false(seen[to] >> lane & 1);
					seen[to] |= 1ull << lane;
					assert_true(round % 5 || to == i);
					assert_int_equal(class[to], class[i]);
				}
		}
		assert_int_equal(warps, most);
	}
}

/* ---- two and four warps ---- */

static struct timed run_one(const char *text, const char *mechanism, unsigned threads)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {threads},
			  .config = "hws",
			  .max_cycles = 1000000,
			  .set = {"gpu.sms=1", mechanism}};
	return bench_run(&b);
}

#define TID "mov.u32 %r1, %tid.x;\n"

/* Blocks release their groups when they end: many more blocks run than an SM has groups for. */
static void groups_are_given_back(void **state)
{
	(void)state;
	static const char text[] = HEAD ".reg .u32 %r<4>;\n" TID "ret;\n}\n";
	struct bench b = {.text = text,
			  .kernel = "k",
			  .grid = {300},
			  .block = {128},
			  .config = "hws",
			  .max_cycles = 1000000,
			  .set = {"gpu.sms=1", "sm.divergence=tbc"}};
	struct timed t = bench_run(&b);
	assert_int_equal(figure(&t, "sm", "blocks"), 300);
	timed_free(&t);
}

/* Two warps; the even lanes of warp 0 and the odd lanes of warp 1 take the arm. After compaction
 * each side is one full warp: the arms of 4 and 5 instructions are issued once each instead of once
 * per warp. */
static void two_warps_become_one_on_each_side(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS TID "shr.u32 %r2, %r1, 5; add.u32 %r2, %r2, %r1; and.b32 %r2, %r2, 1;\n"
			      "setp.eq.u32 %p1, %r2, 0; @%p1 bra ARM;\n" ADD4 "bra TAIL;\n"
			      "ARM:\n" ADD4 ADD4 "TAIL:\n" ADD4 "ret;\n}\n";
	struct timed p = run_one(text, "sm.divergence=pdom", 64), t = run_one(text, TBC, 64);
	assert_int_equal(p.warp_instructions, 2 * (6 + 5 + 8 + 5));
	assert_int_equal(t.warp_instructions, 2 * 6 + 5 + 8 + 2 * 5);
	assert_int_equal(figure(&t, "sm", "thread_instructions"),
			 figure(&p, "sm", "thread_instructions"));
	assert_int_equal(figure(&t, "tbc", "forks"), 1);
	assert_int_equal(figure(&t, "tbc", "parted"), 1);
	assert_int_equal(figure(&t, "tbc", "warps_in"), 2);
	assert_int_equal(figure(&t, "tbc", "warps_out"), 2);
	timed_free(&p);
	timed_free(&t);
}

/* Equal lanes of both warps take the arm: lanes conflict, compaction gains nothing, and the warps
 * of a path wait for each other. The second warp always issues 4 cycles after the first, so the
 * first waits 4 cycles at the branch and at the end of each arm. */
static void the_same_lanes_conflict(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS TID "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra ARM;\n" ADD4
			      "bra TAIL;\nARM:\n" ADD4 ADD4 "TAIL:\n" ADD4 "ret;\n}\n";
	struct timed p = run_one(text, "sm.divergence=pdom", 64), t = run_one(text, TBC, 64);
	assert_int_equal(t.warp_instructions, p.warp_instructions);
	assert_int_equal(t.warp_instructions, 2 * (4 + 5 + 8 + 5));
	assert_int_equal(figure(&t, "tbc", "warps_out"), 4);
	assert_int_equal(t.cycles - p.cycles, 3 * 4);
	timed_free(&p);
	timed_free(&t);
}

static uint64_t issued_with(const char *text, unsigned threads, const char *permute)
{
	char set[64];
	snprintf(set, sizeof set, "tbc.permute=%s", permute);
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {threads},
			  .config = "hws",
			  .max_cycles = 1000000,
			  .set = {"gpu.sms=1", TBC, set}};
	struct timed t = bench_run(&b);
	uint64_t n = t.warp_instructions;
	timed_free(&t);
	return n;
}

/* Lane permutation: the even lanes of each warp take the arm. With odd warps reversed these are the
 * odd physical lanes of warp 1, and each side is one full warp. If every fourth lane of four warps
 * takes it, reversal yields two sets of physical lanes, balancing all four. */
static void turned_warps_compact(void **state)
{
	(void)state;
	static const char halves[] =
		HEAD REGS TID "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra ARM;\n" ADD4
			      "bra TAIL;\nARM:\n" ADD4 ADD4 "TAIL:\n" ADD4 "ret;\n}\n";
	static const char quarters[] = HEAD REGS TID
		"and.b32 %r2, %r1, 3; setp.ne.u32 %p1, %r2, 0; @%p1 bra TAIL;\n" ADD4 ADD4
		"TAIL:\n" ADD4 "ret;\n}\n";
	assert_int_equal(issued_with(halves, 64, "no"), 2 * (4 + 5 + 8 + 5));
	assert_int_equal(issued_with(halves, 64, "odd-even"), 2 * 4 + 5 + 8 + 2 * 5);
	assert_int_equal(issued_with(halves, 64, "balanced"), 2 * 4 + 5 + 8 + 2 * 5);
	assert_int_equal(issued_with(quarters, 128, "no"), 4 * (4 + 8 + 5));
	assert_int_equal(issued_with(quarters, 128, "odd-even"), 4 * 4 + 2 * 8 + 4 * 5);
	assert_int_equal(issued_with(quarters, 128, "balanced"), 4 * 4 + 8 + 4 * 5);
}

/* Balanced: over warps 0 to 63, each physical lane holds each of a warp's 32 lanes twice. */
static void turns_are_balanced(void **state)
{
	(void)state;
	for (unsigned physical = 0; physical < 32; physical++) {
		unsigned seen[32] = {0};
		for (unsigned i = 0; i < 64; i++)
			seen[physical ^ compact_turn(TURN_BALANCED, i, 32)]++;
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(seen[lane], 2);
	}
	assert_int_equal(compact_turn(TURN_ODD_EVEN, 4, 32), 0);
	assert_int_equal(compact_turn(TURN_ODD_EVEN, 5, 16), 15);
	assert_int_equal(compact_turn(TURN_BALANCED, 5, 32), 2 ^ 31);
}

/* Four warps; a quarter of the lanes of each takes the arm, different lanes in each: one warp
 * instead of four. In the tail the threads are in their home warps again. */
static void four_quarters_become_one_warp(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS TID
		"shr.u32 %r2, %r1, 5; add.u32 %r2, %r2, %r1; and.b32 %r2, %r2, 3;\n"
		"setp.ne.u32 %p1, %r2, 0; @%p1 bra TAIL;\n" ADD4 ADD4 "TAIL:\n" ADD4 "ret;\n}\n";
	struct timed p = run_one(text, "sm.divergence=pdom", 128), t = run_one(text, TBC, 128);
	assert_int_equal(p.warp_instructions, 4 * (6 + 8 + 5));
	assert_int_equal(t.warp_instructions, 4 * 6 + 8 + 4 * 5);
	timed_free(&p);
	timed_free(&t);
}

/* Warp 0 takes one path, warp 1 the other, each as a whole: the paths still run one after the
 * other, because the stack belongs to the block. */
static void paths_of_a_block_run_one_after_the_other(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS TID "shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 0; @%p1 bra ARM;\n" ADD4
			      "bra TAIL;\nARM:\n" ADD4 ADD4 "TAIL:\n" ADD4 "ret;\n}\n";
	struct timed p = run_one(text, "sm.divergence=pdom", 64), t = run_one(text, TBC, 64);
	assert_int_equal(t.warp_instructions, p.warp_instructions);
	/* pdom: warp 0 executes 4 + 8 + 5 instructions; warp 1, with 4 + 5 + 5, is hidden behind
	 * it. tbc: 4, then 5, then 8, then 5; the second warp adds 4 cycles at the branch and again
	 * at the end. */
	assert_int_equal(t.cycles - p.cycles, 5 * 24 + 2 * 4);
	timed_free(&p);
	timed_free(&t);
}

/* ---- barriers ---- */

/* %d2: the thread's own word of pout; %p1: alternating lanes, the other ones in odd warps. */
#define HALVES                                                                                            \
	TID "shr.u32 %r2, %r1, 5; add.u32 %r2, %r2, %r1; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0;\n" \
	    "ld.param.u64 %d1, [pout]; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2;\n"
enum { HALVES_COUNT = 8 };

static struct timed run_barriers(const char *text, const char *mechanism, unsigned threads,
				 uint32_t *out)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {threads},
			  .config = "hws",
			  .bytes = threads * 4,
			  .out = out,
			  .max_cycles = 100000,
			  .set = {"gpu.sms=1", "gpu.perfect_memory=no", mechanism}};
	return bench_run(&b);
}

/* Cycles that groups wait at barriers, from the profile. */
static uint64_t barrier_stalls(const struct timed *t)
{
	uint64_t sum = 0;
	size_t i;
	json_t *e;
	json_array_foreach (t->profile, i, e)
		sum += (uint64_t)json_integer_value(
			json_object_get(json_object_get(e, "stalls"), "barrier"));
	return sum;
}

/* Each arm is two full warps with threads of all four warps. The first arm waits at its barrier
 * until the second has reached its own, and continues in its two warps. Both instructions are one
 * barrier of the block, yet each thread gets its result in the register that its own instruction
 * names. */
static void compacted_warps_wait_at_the_barrier_of_their_arm(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS HALVES
		"mov.u32 %r10, 0; mov.u32 %r11, 0; @%p1 bra ARM;\n"
		"barrier.red.popc.u32 %r10, 0, %p1;\n" ADD4 "bra TAIL;\n"
		"ARM: barrier.red.popc.u32 %r11, 0, %p1;\n" ADD4
		"TAIL: mad.lo.u32 %r10, %r10, 1000, %r11; st.global.u32 [%d2], %r10; ret;\n}\n";
	uint32_t out[128];
	struct timed t = run_barriers(text, TBC, 128, out);
	for (unsigned i = 0; i < 128; i++)
		assert_int_equal(out[i], (i / 32 + i) % 2 ? 64000 : 64);
	assert_int_equal(t.warp_instructions, 4 * (HALVES_COUNT + 3) + 2 * 6 + 2 * 5 + 4 * 3);
	assert_int_equal(figure(&t, "sm", "barriers"), 1);
	assert_int_equal(figure(&t, "tbc", "early"), 0);
	timed_free(&t);
}

/* A barrier is the last instruction of the arm that runs last, or first: threads that pass it are
 * at the join, and run with the others from there on. */
static void behind_the_barrier_of_an_arm_is_its_join(void **state)
{
	(void)state;
	static const char *const text[] = {
		HEAD REGS HALVES "mov.u32 %r6, 7; @%p1 bra ARM;\nbarrier.sync 0; bra TAIL;\n"
				 "ARM: add.u32 %r6, %r6, 1; barrier.sync 0;\n"
				 "TAIL: st.global.u32 [%d2], %r6; ret;\n}\n",
		HEAD REGS HALVES "mov.u32 %r6, 7; @%p1 bra ARM;\nbarrier.sync 0;\n"
				 "TAIL: st.global.u32 [%d2], %r6; ret;\n"
				 "ARM: add.u32 %r6, %r6, 1; barrier.sync 0; bra TAIL;\n}\n"};
	for (unsigned k = 0; k < 2; k++) {
		uint32_t out[128];
		struct timed t = run_barriers(text[k], TBC, 128, out);
		for (unsigned i = 0; i < 128; i++)
			assert_int_equal(out[i], (i / 32 + i) % 2 ? 7 : 8);
		assert_int_equal(t.warp_instructions,
				 4 * (HALVES_COUNT + 2) + 2 * 1 + 2 * 3 + 4 * 2);
		assert_int_equal(figure(&t, "sm", "barriers"), 1);
		timed_free(&t);
	}
}

/* Threads at barrier 2 stay there when barrier 1 opens, although a later branch would let them run:
 * they read words that are stored between the two barriers. */
static void a_barrier_lets_go_those_who_wait_at_it_alone(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS HALVES
		".shared .b32 s;\nmov.u32 %r5, s; mov.u32 %r6, 0; st.shared.u32 [%r5], %r6;\n"
		"barrier.sync 0; @%p1 bra ARM;\n"
		"barrier.sync 2, 128; ld.shared.u32 %r6, [%r5]; bra TAIL;\n"
		"ARM: barrier.sync 1, 64; setp.eq.u32 %p2, %r6, 1; @%p2 bra TAIL;\n"
		"mov.u32 %r6, 7; st.shared.u32 [%r5], %r6; barrier.sync 2, 128;\n"
		"TAIL: st.global.u32 [%d2], %r6; ret;\n}\n";
	uint32_t out[128];
	struct timed t = run_barriers(text, TBC, 128, out);
	for (unsigned i = 0; i < 128; i++)
		assert_int_equal(out[i], 7);
	assert_int_equal(figure(&t, "sm", "barriers"), 3);
	timed_free(&t);
}

/* The threads of the arm exit while the others wait: with the last exit the barrier opens, and the
 * waiting threads continue in their two warps. */
static void the_last_thread_that_exits_opens_the_barrier(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS HALVES "mov.u32 %r6, 7; @%p1 bra ARM;\n"
				 "barrier.sync 0; st.global.u32 [%d2], %r6; ret;\n"
				 "ARM:\n" ADD4 "ret;\n}\n";
	uint32_t out[128];
	struct timed t = run_barriers(text, TBC, 128, out);
	for (unsigned i = 0; i < 128; i++)
		assert_int_equal(out[i], (i / 32 + i) % 2 ? 7 : 0);
	assert_int_equal(t.warp_instructions, 4 * (HALVES_COUNT + 2) + 2 * 3 + 2 * 5);
	timed_free(&t);
}

/* Without divergence a barrier costs exactly what it costs on a warp's stack: three warps wait at
 * it for the one that loads. */
static void without_branches_barriers_are_those_of_warps(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS HALVES "setp.lt.u32 %p2, %r1, 32; @%p2 ld.global.u32 %r3, [%d2];\n"
				 "bar.sync 0;\n" ADD4 "st.global.u32 [%d2], %r1; ret;\n}\n";
	uint32_t out[128];
	struct timed p = run_barriers(text, "sm.divergence=pdom", 128, out),
		     t = run_barriers(text, TBC, 128, out);
	assert_int_equal(t.cycles, p.cycles);
	assert_true(barrier_stalls(&p) > 3 * 100);
	assert_int_equal(barrier_stalls(&t), barrier_stalls(&p));
	assert_int_equal(t.warp_instructions, p.warp_instructions);
	assert_int_equal(figure(&t, "sm", "barriers"), 1);
	timed_free(&p);
	timed_free(&t);
}

/* ---- predictions ---- */

/* Three rounds of a loop with a branch inside, in two warps. In the first round nothing is known, and both warps wait at
 * both branches; the loop's own is uniform, so compaction cannot help there, and the warps pass it alone from then on. If
 * both warps take the same lanes, it does not help inside either: 2 warps in rounds 2 and 3 part alone. If they take
 * complementary lanes, it does, and 2 rounds' predictions are right. */
static void warps_wait_where_that_saves_warps(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS TID
		"mov.u32 %r4, 0; ld.param.u32 %r5, [n0]; shr.u32 %r2, %r1, 5;\n"
		"mul.lo.u32 %r2, %r2, %r5; add.u32 %r2, %r2, %r1; and.b32 %r2, %r2, 1;\n"
		"setp.eq.u32 %p1, %r2, 0;\nLOOP:\n@%p1 bra ARM;\n" ADD4 "bra TAIL;\n"
		"ARM:\n" ADD4 ADD4 "TAIL:\nadd.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 3;\n"
		"@%p2 bra LOOP;\nret;\n}\n";
	for (uint32_t other = 0; other < 2; other++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {64},
				  .config = "hws",
				  .n = {other},
				  .max_cycles = 1000000,
				  .set = {"gpu.sms=1", TBC, "tbc.wait=predicted"}};
		struct timed t = bench_run(&b);
		unsigned arms = other ? 1 : 2; /* warps of a side */
		assert_int_equal(t.warp_instructions, 2 * 8 + 3 * (2 * 4 + arms * (5 + 8)) + 2);
		assert_int_equal(figure(&t, "tbc", "passed"), other ? 0 : 4);
		assert_int_equal(figure(&t, "tbc", "warps_out"), other ? 3 * 2 : 4);
		assert_int_equal(figure(&t, "tbc", "predicted"), 6);
		assert_int_equal(figure(&t, "tbc", "predicted_right"), other ? 5 : 4);
		timed_free(&t);
	}
}

/* ---- programs ---- */

static void programs_on_all_machines(void **state)
{
	(void)state;
	run_programs(tbc_machine, COUNT_OF(tbc_machine));
}

static void a_meeting_that_cannot_be_is_reported(void **state)
{
	(void)state;
	run_no_meeting(TBC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_the_header),
		cmocka_unit_test(random_sets),
		cmocka_unit_test(two_warps_become_one_on_each_side),
		cmocka_unit_test(the_same_lanes_conflict),
		cmocka_unit_test(turned_warps_compact),
		cmocka_unit_test(turns_are_balanced),
		cmocka_unit_test(four_quarters_become_one_warp),
		cmocka_unit_test(paths_of_a_block_run_one_after_the_other),
		cmocka_unit_test(compacted_warps_wait_at_the_barrier_of_their_arm),
		cmocka_unit_test(behind_the_barrier_of_an_arm_is_its_join),
		cmocka_unit_test(a_barrier_lets_go_those_who_wait_at_it_alone),
		cmocka_unit_test(the_last_thread_that_exits_opens_the_barrier),
		cmocka_unit_test(without_branches_barriers_are_those_of_warps),
		cmocka_unit_test(warps_wait_where_that_saves_warps),
		cmocka_unit_test(programs_on_all_machines),
		cmocka_unit_test(a_meeting_that_cannot_be_is_reported),
		cmocka_unit_test(groups_are_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
