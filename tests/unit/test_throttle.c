/* Dispatchers that limit or pair blocks: the arithmetic of lazy scheduling, pairs on one SM, and pausing. */
#include "gpu/dispatch/lcs.h"
#include "timing.h"

static void limit_of_lazy_scheduling(void **state)
{
	(void)state;
	static const struct {
		uint64_t issued[4];
		unsigned n, limit;
	} c[] = {
		{{1000, 620, 300, 80}, 4, 2}, /* the example of lcs.c */
		{{1000, 620, 300, 81}, 4, 3},
		{{500, 500, 500, 500}, 4, 4},
		{{900, 0, 0, 0}, 4, 1},
		{{700}, 1, 1},
		{{0, 0}, 2, 0},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++)
		assert_int_equal(lcs_limit(c[i].issued, c[i].n), c[i].limit);
}

/* out[block] = number of the block's SM. */
static const char where[] = HEAD
	".reg .b32 %r<4>;\n.reg .b64 %d<3>;\nld.param.u64 %d0, [pout];\nmov.u32 %r0, %ctaid.x;\n"
	"mov.u32 %r1, %smid;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d0, %d0, %d1;\n"
	"st.global.u32 [%d0], %r1;\nret;\n}\n";

static unsigned pairs_apart(const char *dispatch, unsigned blocks, uint32_t *sm)
{
	char set[64];
	unsigned n = 0;
	snprintf(set, sizeof set, "gpu.dispatch=%s", dispatch);
	struct bench b = {.config = "gtx480",
			  .set = {"gpu.sms=3", set},
			  .text = where,
			  .kernel = "k",
			  .grid = {blocks},
			  .block = {64},
			  .out = sm,
			  .bytes = blocks * sizeof *sm};
	struct timed t = bench_run(&b);
	assert_int_equal(figure(&t, "block", "ended"), blocks);
	timed_free(&t);
	for (unsigned i = 0; i + 1 < blocks; i += 2)
		n += sm[i] != sm[i + 1];
	return n;
}

static void pairs_share_an_sm(void **state)
{
	(void)state;
	uint32_t sm[61];
	assert_int_not_equal(pairs_apart("block", 61, sm), 0);
	assert_int_equal(pairs_apart("bcs", 61, sm), 0);
	assert_int_not_equal(sm[0], sm[2]); /* pairs go to the SMs in turn */
	assert_int_equal(pairs_apart("bcs", 1, sm), 0);
}

/* n0 dependent additions per thread; after each eighth one a load from a line of the thread's own. */
static const char work[] = HEAD
	".reg .b32 %r<9>;\n.reg .b64 %d<4>;\n.reg .pred %p;\nld.param.u64 %d0, [pin];\n"
	"ld.param.u64 %d3, [pout];\nld.param.u32 %r0, [n0];\nld.param.u32 %r6, [n1];\n"
	"mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
	"mad.lo.u32 %r4, %r2, %r3, %r1;\nmov.u32 %r5, 0;\n"
	"L:\nadd.u32 %r5, %r5, 1;\nand.b32 %r7, %r5, %r6;\nsetp.ne.u32 %p, %r7, 0;\n@%p bra N;\n"
	"mad.lo.u32 %r8, %r4, 37, %r5;\nand.b32 %r8, %r8, 8191;\nmul.wide.u32 %d1, %r8, 128;\n"
	"add.u64 %d1, %d0, %d1;\nld.global.u32 %r7, [%d1];\nadd.u32 %r7, %r7, %r5;\n"
	"max.u32 %r5, %r5, %r7;\n"
	"N:\nsetp.lt.u32 %p, %r5, %r0;\n@%p bra L;\nmul.wide.u32 %d1, %r4, 4;\n"
	"add.u64 %d3, %d3, %d1;\nst.global.u32 [%d3], %r5;\nret;\n}\n";

enum { BLOCKS = 24, THREADS = 256 };

static struct timed run(const char *dispatch, unsigned mask, const char *const *more)
{
	static uint32_t out[BLOCKS * THREADS];
	static uint8_t in[8192 * 128];
	char set[64];
	snprintf(set, sizeof set, "gpu.dispatch=%s", dispatch);
	struct bench b = {.config = "gtx480",
			  .set = {"gpu.sms=1", "sm.scheduler=gto", set},
			  .text = work,
			  .kernel = "k",
			  .grid = {BLOCKS},
			  .block = {THREADS},
			  .in = in,
			  .in_bytes = sizeof in,
			  .out = out,
			  .bytes = sizeof out,
			  .n = {400, mask}};
	for (unsigned i = 0; more && more[i]; i++)
		b.set[3 + i] = more[i];
	memset(out, 0, sizeof out);
	struct timed t = bench_run(&b);
	for (unsigned i = 0; i < BLOCKS * THREADS; i++)
		assert_int_equal(out[i], 400);
	assert_int_equal(figure(&t, "block", "ended"), BLOCKS);
	assert_slots_add_up(&t, more && !strcmp(more[0], "sm.schedulers=1") ? 1 : 2);
	return t;
}

/* Additions keep the schedulers busy with few blocks: the dispatcher learns that when the first
 * block ends, and makes fewer resident from then on. */
static void the_first_block_shows_the_limit(void **state)
{
	(void)state;
	static const char *const one[] = {"sm.schedulers=1", NULL};
	struct timed all = run("block", 1023, one), lcs = run("lcs", 1023, one);
	assert_int_equal(figure(&all, "block", "most_blocks"),
			 figure(&lcs, "block", "most_blocks"));
	double before = (double)figure(&all, "block", "resident") /
			(double)figure(&all, "block", "busy"),
	       after = (double)figure(&lcs, "block", "resident") /
		       (double)figure(&lcs, "block", "busy");
	if (after > 0.95 * before || after < 0.4 * before)
		fail_msg("%.2f blocks resident without a limit, %.2f with", before, after);
	assert_true(lcs.cycles < all.cycles * 1.1);
	timed_free(&all);
	timed_free(&lcs);
}

/* Depending on the threshold, every wait for memory pauses a block, down to one block, or none ever
 * does. */
static void waits_for_memory_pause_blocks(void **state)
{
	(void)state;
	static const char *const pauses[] = {"dyncta.interval=200", "dyncta.idle=100000",
					     "dyncta.low=0", "dyncta.high=0", NULL},
				 *const never[] = {"dyncta.interval=200", "dyncta.idle=0",
						   "dyncta.low=100000", NULL};
	struct timed all = run("block", 7, NULL), few = run("dyncta", 7, pauses),
		     many = run("dyncta", 7, never);
	unsigned fit = (unsigned)figure(&all, "block", "most_blocks");
	assert_int_equal(figure(&few, "block", "most_blocks"), fit / 2); /* where it begins */
	assert_int_equal(figure(&many, "block", "most_blocks"), fit);
	assert_int_not_equal(figure(&few, "issue", "policy"), 0); /* ready warps of paused blocks */
	assert_int_equal(figure(&many, "issue", "policy"), 0);
	assert_true(few.cycles > many.cycles);
	timed_free(&all);
	timed_free(&few);
	timed_free(&many);
}

/* Warps whose stores take 32 accesses each are ready for memory and cannot issue: more than a block's one warp, so blocks
 * are paused one by one. Where more would have to be ready, or the decisions never agree, none is. */
static void warps_ready_for_memory_pause_blocks(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .b32 %r<3>;\n.reg .b64 %d<3>;\n.reg .pred %p;\nld.param.u64 %d0, [pin];\n"
		"mov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 128;\nadd.u64 %d1, %d0, %d1;\nmov.u32 %r0, 0;\n"
		"L:\nst.global.u32 [%d1], %r1;\nst.global.u32 [%d1+4], %r1;\nst.global.u32 [%d1+8], %r1;\n"
		"st.global.u32 [%d1+12], %r1;\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p, %r0, 40;\n@%p bra L;\nret;\n}\n";
	static const char *const how[][2] = {{"equalizer.agree=1", ""},
					     {"equalizer.agree=1000", ""},
					     {"equalizer.agree=1", "equalizer.interval=1000000"}};
	static uint8_t in[32 * 128];
	unsigned paused[3];
	for (unsigned i = 0; i < 3; i++) {
		struct bench b = {.config = "gtx480",
				  .set = {"gpu.sms=1", "gpu.dispatch=equalizer", "sm.max_blocks=8",
					  "equalizer.sample=20", "equalizer.interval=200",
					  how[i][0], *how[i][1] ? how[i][1] : NULL},
				  .text = text,
				  .kernel = "k",
				  .grid = {8},
				  .block = {32},
				  .in = in,
				  .in_bytes = sizeof in,
				  .max_cycles = 1000000};
		struct timed t = bench_run(&b);
		assert_int_equal(figure(&t, "block", "most_blocks"), 8);
		paused[i] = (unsigned)figure(&t, "issue", "policy");
		timed_free(&t);
	}
	assert_true(paused[0] > 0);
	assert_int_equal(paused[1], 0);
	assert_int_equal(paused[2], 0);
}

/* Block 0 polls for a word that a later block writes, and the others wait for block 0: a paused
 * block must be resumed in any case. */
static void polls_end_a_pause(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .b32 %r<6>;\n.reg .b64 %d<3>;\n.reg .pred %p;\nld.param.u64 %d0, [pout];\n"
		"ld.param.u32 %r0, [n0];\nmov.u32 %r1, %ctaid.x;\nadd.u32 %r2, %r1, 1;\n"
		"rem.u32 %r3, %r2, %r0;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d0, %d1;\n"
		"mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d0, %d2;\nsetp.eq.u32 %p, %r3, 0;\n"
		"@%p bra W;\n"
		"L:\nld.volatile.global.u32 %r4, [%d2];\nsetp.eq.u32 %p, %r4, 0;\n@%p bra L;\n"
		"W:\nst.volatile.global.u32 [%d1], 1;\nret;\n}\n";
	uint32_t out[4] = {0};
	struct bench b = {.config = "gtx480",
			  .set = {"gpu.sms=1", "gpu.dispatch=dyncta", "dyncta.interval=100",
				  "dyncta.idle=100000", "dyncta.low=0", "dyncta.high=0",
				  "sm.max_blocks=8"},
			  .text = text,
			  .kernel = "k",
			  .grid = {4},
			  .block = {32},
			  .n = {4},
			  .out = out,
			  .bytes = sizeof out,
			  .max_cycles = 1000000};
	struct timed t = bench_run(&b);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(out[i], 1);
	timed_free(&t);
}

/* Where groups part and merge, groups of paused blocks wait too; a group of several blocks' threads goes on while one of
 * its blocks does. */
static void groups_are_paused(void **state)
{
	(void)state;
	static const char *const div[] = {"sm.divergence=none", "sm.divergence=tbc",
					  "sm.divergence=dwf"};
	for (unsigned i = 0; i < sizeof div / sizeof *div; i++) {
		const char *pauses[] = {"dyncta.interval=200",
					"dyncta.idle=100000",
					"dyncta.low=0",
					"dyncta.high=0",
					div[i],
					NULL},
			   *never[] = {"dyncta.interval=200", "dyncta.idle=0", "dyncta.low=100000",
				       div[i], NULL};
		struct timed few = run("dyncta", 7, pauses), many = run("dyncta", 7, never);
		if (!figure(&few, "issue", "policy") || figure(&many, "issue", "policy") ||
		    few.cycles <= many.cycles)
			fail_msg("%s: %llu cycles, %u slots; never paused: %llu, %u", div[i],
				 (unsigned long long)few.cycles,
				 (unsigned)figure(&few, "issue", "policy"),
				 (unsigned long long)many.cycles,
				 (unsigned)figure(&many, "issue", "policy"));
		timed_free(&few);
		timed_free(&many);
	}
}

/* Sixteen blocks of a warp, each a chain of eight loads that miss; an SM has entries for two blocks and room for eight.
 * A block that waits is exchanged for one that can issue, so eight chains run at a time instead of two. */
static void waiting_blocks_give_their_entries_away(void **state)
{
	(void)state;
#define LOAD "ld.global.u32 %r1, [%d1];\ncvt.u64.u32 %d2, %r1;\nadd.u64 %d1, %d1, %d2;\n"
	static const char chain[] = HEAD
		".reg .b32 %r<3>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, [pin];\nmov.u32 %r0, %ctaid.x;\n"
		"mul.wide.u32 %d2, %r0, 128;\nadd.u64 %d1, %d1, %d2;\n" LOAD LOAD LOAD LOAD LOAD
			LOAD LOAD LOAD "ret;\n}\n";
	static const struct {
		const char *set[3];
	} how[] = {{{"gpu.dispatch=block", "sm.max_blocks=2"}},
		   {{"gpu.dispatch=block", "sm.max_blocks=8"}},
		   {{"gpu.dispatch=virtual-thread", "virtual-thread.blocks=2",
		     "virtual-thread.swap=0"}},
		   {{"gpu.dispatch=virtual-thread", "virtual-thread.blocks=2",
		     "virtual-thread.swap=100"}}};
	static uint8_t in[16 * 128];
	uint64_t cycles[4];
	for (unsigned i = 0; i < 4; i++) {
		struct bench b = {.config = "gtx480",
				  .set = {"gpu.sms=1", "l1d.kind=off", how[i].set[0], how[i].set[1],
					  how[i].set[2]},
				  .text = chain,
				  .kernel = "k",
				  .grid = {16},
				  .block = {32},
				  .in = in,
				  .in_bytes = sizeof in};
		struct timed t = bench_run(&b);
		assert_int_equal(figure(&t, "block", "most_blocks"), i ? 8 : 2);
		cycles[i] = t.cycles;
		timed_free(&t);
	}
	if (cycles[2] > cycles[0] / 2 || cycles[2] < cycles[1] || cycles[3] <= cycles[2] ||
	    cycles[3] >= cycles[0])
		fail_msg("2 blocks %u, 8 blocks %u, exchanged %u, slowly %u", (unsigned)cycles[0],
			 (unsigned)cycles[1], (unsigned)cycles[2], (unsigned)cycles[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_of_lazy_scheduling),
		cmocka_unit_test(pairs_share_an_sm),
		cmocka_unit_test(the_first_block_shows_the_limit),
		cmocka_unit_test(waits_for_memory_pause_blocks),
		cmocka_unit_test(warps_ready_for_memory_pause_blocks),
		cmocka_unit_test(polls_end_a_pause),
		cmocka_unit_test(groups_are_paused),
		cmocka_unit_test(waiting_blocks_give_their_entries_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
