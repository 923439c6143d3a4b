/* The cost of a launch on an SM since Volta (sm.pipeline = volta), in exact cycles: its start, warp by warp and block by
 * block, and its end, which waits for no store. Also the first level of constants (sm/l0c.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"
#include "sm/l0c.h"

static const char text[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry nothing(.param .u64 p) {\n ret; }\n"
	".visible .entry load(.param .u64 p) {\n .reg .b64 %d; .reg .b32 %r;\n"
	" ld.param.u64 %d, [p]; ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 [%d], %r; ret; }\n"
	".visible .entry store(.param .u64 p) {\n .reg .b64 %d;\n"
	" ld.param.u64 %d, [p]; st.global.u32 [%d], 1; ret; }\n"
	/* the second parameter is an operand at issue */
	".visible .entry store_sum(.param .u64 p, .param .u32 v) {\n .reg .b64 %d; .reg .b32 %r, %v;\n"
	" ld.param.u64 %d, [p]; ld.param.u32 %v, [v]; mov.u32 %r, %laneid; add.u32 %r, %r, %v; st.global.u32 [%d], %r; ret; }\n"
	".visible .entry reduce(.param .u64 p) {\n .reg .b64 %d;\n"
	" ld.param.u64 %d, [p]; red.global.add.u32 [%d], 1; ret; }\n"
	/* n rounds of an access of thread t at p + t * step */
	".visible .entry loads(.param .u64 p, .param .u32 n, .param .u32 step) {\n"
	" .reg .b64 %d, %rd0; .reg .b32 %r, %t, %s, %n, %a; .reg .pred %q;\n"
	" ld.param.u64 %d, [p]; ld.param.u32 %n, [n]; ld.param.u32 %s, [step]; mov.u32 %t, %laneid;\n"
	" mul.lo.u32 %t, %t, %s; cvt.u64.u32 %rd0, %t; add.u64 %d, %d, %rd0; mov.u32 %a, 0;\n"
	"L: ld.global.u32 %r, [%d]; sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L; ret; }\n"
	".visible .entry stores(.param .u64 p, .param .u32 n, .param .u32 step) {\n"
	" .reg .b64 %d, %rd0; .reg .b32 %r, %t, %s, %n, %a; .reg .pred %q;\n"
	" ld.param.u64 %d, [p]; ld.param.u32 %n, [n]; ld.param.u32 %s, [step]; mov.u32 %t, %laneid;\n"
	" mul.lo.u32 %t, %t, %s; cvt.u64.u32 %rd0, %t; add.u64 %d, %d, %rd0; mov.u32 %a, 0;\n"
	"L: st.global.u32 [%d], %a; sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L; ret; }\n"
#define ROUNDS(name, body)                                                                          \
	".visible .entry " name "(.param .u64 p, .param .u32 n, .param .u32 step) {\n"              \
	" .reg .b64 %d; .reg .b32 %n; .reg .pred %q; ld.param.u64 %d, [p]; ld.param.u32 %n, [n];\n" \
	"L: " body " sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L; ret; }\n"
	/* clang-format off */
	ROUNDS("meet", "bar.sync 0;")
	ROUNDS("fence_block", "fence.acq_rel.cta;")
	ROUNDS("fence_gpu", "fence.acq_rel.gpu;")
	ROUNDS("store_fence_block", "st.global.u32 [%d], 1; fence.acq_rel.cta;")
	ROUNDS("store_fence_gpu", "st.global.u32 [%d], 1; fence.acq_rel.gpu;")
	ROUNDS("fence_system", "fence.acq_rel.sys;")
	/* each lane a word of its own */
#define ATOMICS(name, op)                                                                          \
	".visible .entry " name "(.param .u64 p, .param .u32 n, .param .u32 step) {\n"              \
	" .reg .b32 %n, %a, %r; .reg .pred %q; .shared .align 4 .b8 words[4096];\n"                 \
	" ld.param.u32 %n, [n]; mov.u32 %r, %tid.x; mul.lo.u32 %r, %r, 4; mov.u32 %a, words; add.u32 %a, %a, %r;\n" \
	"L: " op op op op " sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L;\n"                          \
	" setp.eq.u32 %q, %r, 77; @%q trap; ret; }\n"
	ATOMICS("exchanges", "atom.shared.exch.b32 %r, [%a], %n;")
	ATOMICS("compares", "atom.shared.cas.b32 %r, [%a], %n, 1;")
	/* each round has a line of its own; the rounds are one chain by the words loaded, which are zero */
#define LINES(name, body)                                                                           \
	".visible .entry " name "(.param .u64 p, .param .u32 n, .param .u32 zero) {\n"              \
	" .reg .b64 %d, %e; .reg .b32 %n, %r, %z, %s; .reg .pred %q;\n"                              \
	" ld.param.u64 %d, [p]; ld.param.u32 %n, [n]; ld.param.u32 %z, [zero]; mov.u32 %r, %laneid;\n" \
	" mul.wide.u32 %e, %r, 4; add.u64 %d, %d, %e;\n"                                            \
	"L: " body " mul.wide.u32 %e, %r, 4; add.u64 %d, %d, %e; add.u64 %d, %d, 128;\n"            \
	" sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L;\n"                            \
	" setp.eq.u64 %q, %d, 0; @%q trap; ret; }\n"
	LINES("store_load", "st.global.u32 [%d], %z; ld.global.u32 %r, [%d];")
	LINES("store_part_load", "and.b32 %s, %n, 0; mov.u32 %s, %laneid; and.b32 %s, %s, 1; setp.eq.u32 %q, %s, 0;"
	      " @%q st.global.u32 [%d], %z; ld.global.u32 %r, [%d];")
	LINES("load_fence", "ld.global.u32 %r, [%d]; mul.wide.u32 %e, %r, 4; add.u64 %d, %d, %e; fence.acq_rel.gpu;")
	LINES("load_fence_load", "ld.global.u32 %r, [%d]; mul.wide.u32 %e, %r, 4; add.u64 %d, %d, %e;"
	      " fence.acq_rel.gpu; ld.global.u32 %r, [%d];")
	/* the address of a load depends on the load before; words are zero */
	".visible .entry chained_loads(.param .u64 p, .param .u32 n, .param .u32 step) {\n"
	" .reg .b64 %d, %e; .reg .b32 %n, %r, %s, %t; .reg .pred %q;\n"
	" ld.param.u64 %d, [p]; ld.param.u32 %n, [n]; ld.param.u32 %s, [step]; mov.u32 %t, %laneid;\n"
	" mul.lo.u32 %t, %t, %s; cvt.u64.u32 %e, %t; add.u64 %d, %d, %e;\n"
	"L: ld.global.u32 %r, [%d]; cvt.u64.u32 %e, %r; add.u64 %d, %d, %e;\n"
	" sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L;\n"
	" setp.eq.u64 %q, %d, 0; @%q trap; ret; }\n"
	/* the same with four loads at once */
	".visible .entry four_loads(.param .u64 p, .param .u32 n, .param .u32 step) {\n"
	" .reg .b64 %d, %e; .reg .b32 %n, %r, %s, %t, %u, %v; .reg .pred %q;\n"
	" ld.param.u64 %d, [p]; ld.param.u32 %n, [n]; ld.param.u32 %s, [step]; mov.u32 %t, %laneid;\n"
	" mul.lo.u32 %t, %t, %s; cvt.u64.u32 %e, %t; add.u64 %d, %d, %e;\n"
	"L: ld.global.u32 %r, [%d]; ld.global.u32 %s, [%d+4]; ld.global.u32 %u, [%d+8]; ld.global.u32 %v, [%d+12];\n"
	" add.u32 %r, %r, %s; add.u32 %r, %r, %u; add.u32 %r, %r, %v; cvt.u64.u32 %e, %r; add.u64 %d, %d, %e;\n"
	" sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L;\n"
	" setp.eq.u64 %q, %d, 0; @%q trap; ret; }\n"
	/* lanes load words of a local array in 16 places, which are 16 lines */
	".visible .entry local_loads(.param .u64 p, .param .u32 n, .param .u32 step) {\n"
	" .reg .b64 %d; .reg .b32 %a, %b, %n, %r, %s, %t; .reg .pred %q; .local .align 4 .b8 array[256];\n"
	" ld.param.u32 %n, [n]; ld.param.u32 %s, [step]; mov.u32 %t, %laneid; and.b32 %b, %t, 15; mul.lo.u32 %b, %b, %s;\n"
	" mov.u32 %a, array; add.u32 %a, %a, %b; st.local.u32 [%a], %n;\n"
	"L: ld.local.u32 %r, [%a]; sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L;\n"
	" setp.eq.u32 %q, %r, 0; @%q trap; ret; }\n"
	/* n rounds of a constant for each lane, step bytes apart; the lines of a round are new to the first level */
	".const .align 4 .b32 table[16384];\n"
	".visible .entry constants(.param .u64 p, .param .u32 n, .param .u32 step) {\n"
	" .reg .b64 %a, %b; .reg .b32 %r, %t, %s, %n, %sum; .reg .pred %q; mov.u32 %sum, 0;\n"
	" ld.param.u32 %n, [n]; ld.param.u32 %s, [step]; mov.u32 %t, %laneid; mul.lo.u32 %t, %t, %s; mov.u64 %a, table;\n"
	"L: cvt.u64.u32 %b, %t; add.u64 %b, %a, %b; ld.const.u32 %r, [%b]; add.u32 %sum, %sum, %r;\n"
	" add.u32 %t, %t, 64; and.b32 %t, %t, 65535; sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L;\n"
	" setp.eq.u32 %q, %sum, 1; @%q trap; ret; }\n"
	/* the first warp of a block runs on, the others end at once */
	".visible .entry alone(.param .u64 p) {\n .reg .b32 %t, %n; .reg .pred %q; mov.u32 %t, %tid.x; mov.u32 %n, 3000;\n"
	" setp.gt.u32 %q, %t, 31; @%q ret;\n"
	"L: sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra L; ret; }\n"
	".visible .entry fence(.param .u64 p) {\n .reg .b64 %d;\n"
	" ld.param.u64 %d, [p]; st.global.u32 [%d], 1; fence.acq_rel.gpu; ret; }\n";
/* clang-format on */

static void check(struct heddle *h, enum heddle_status s)
{
	if (s)
		fail_msg("%s", heddle_message(h));
}

/* Runs two launches; returns the cycles of the second; *word: the contents of memory afterwards. ptx: executed as PTX,
 * without control bits. */
static uint64_t run_as(const char *kernel, unsigned blocks, unsigned threads,
		       const char *const *set, uint32_t *word, bool ptx)
{
	struct heddle *h = NULL;
	struct heddle_module *m;
	uint64_t p;
	check(h, heddle_open(&h, &(struct heddle_options){.config = "h200-sm90",
							  .set = set,
							  .timing = true,
							  .keep_ptx = ptx}));
	check(h, heddle_load(h, &(struct heddle_text){"volta.ptx", text, strlen(text)}, 1, &m));
	check(h, heddle_malloc(h, 4, &p));
	const uint64_t params[] = {p, 1};
	check(h, heddle_fill(h, p, 0, 4, 1));
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, kernel),
				  .grid = {blocks, 1, 1},
				  .block = {threads, 1, 1},
				  .params = params};
	assert_non_null(l.kernel);
	for (unsigned i = 0; i < 2; i++)
		check(h, heddle_launch(h, &l));
	uint64_t cycles = heddle_stats_at(h, 1)->cycles;
	if (word)
		check(h, heddle_read(h, word, p, 4));
	heddle_close(h);
	return cycles;
}

static uint64_t run(const char *kernel, unsigned blocks, unsigned threads, const char *const *set,
		    uint32_t *word)
{
	return run_as(kernel, blocks, threads, set, word, true);
}

/* Cycles per round of a kernel: the slope between two numbers of rounds. ptx: executed as PTX, without control bits.
 * Its data begin `at` bytes behind the beginning of zeros. */
static double round_cycles_at(const char *const *set, uint64_t at, const char *kernel,
			      unsigned warps, uint32_t step, bool ptx)
{
	struct heddle *h = NULL;
	struct heddle_module *m;
	struct {
		uint64_t p;
		uint32_t n, step;
	} params = {.step = step};
	enum { FEW = 40, MANY = 104 };
	check(h, heddle_open(&h, &(struct heddle_options){.config = "h200-sm90",
							  .set = set,
							  .timing = true,
							  .keep_ptx = ptx}));
	check(h, heddle_load(h, &(struct heddle_text){"volta.ptx", text, strlen(text)}, 1, &m));
	check(h, heddle_malloc(h, 1 << 17, &params.p));
	check(h, heddle_fill(h, params.p, 0, 4, 1 << 15));
	params.p += at;
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, kernel),
				  .grid = {1, 1, 1},
				  .block = {warps * 32, 1, 1},
				  .params = &params};
	assert_non_null(l.kernel);
	for (unsigned i = 0; i < 3; i++) { /* the first launch brings the memory to the L2 */
		params.n = i % 2 ? FEW : MANY;
		check(h, heddle_launch(h, &l));
	}
	double cycles =
		(double)heddle_stats_at(h, 2)->cycles - (double)heddle_stats_at(h, 1)->cycles;
	heddle_close(h);
	return cycles / (MANY - FEW);
}

static double round_cycles(const char *kernel, unsigned warps, uint32_t step, bool ptx)
{
	return round_cycles_at(NULL, 0, kernel, warps, step, ptx);
}

/* Cycles per warp instruction of 16 warps whose lanes access words `step` bytes apart. */
static double access_cycles(const char *kernel, uint32_t step)
{
	return round_cycles(kernel, 16, step, true) / 16;
}

static void assert_near(double got, double want)
{
	if (got < want * 0.93 || got > want * 1.07)
		fail_msg("%.2f cycles, expected %.2f", got, want);
}

/* coalescing table: L1 hits by banks and four lines per cycle; a store takes one cycle per line and
 * one per sector */
static void lanes_apart(void **state)
{
	(void)state;
	assert_near(access_cycles("loads", 31 * 4), 8);
	assert_near(access_cycles("loads", 128), 32);
	assert_near(access_cycles("stores", 32), 40);
	assert_near(access_cycles("stores", 128), 64);
}

/* control table: bar.sync 14.3 cycles with one warp, two more for each further warp; membar.cta 10, 17 after a store;
 * membar.gl 267; membar.sys 1,022. A round is some 20 cycles more. */
static void barriers_and_fences(void **state)
{
	(void)state;
	double one = round_cycles("meet", 1, 0, false), all = round_cycles("meet", 32, 0, false);
	assert_true(one > 13 && one < 45);
	assert_true(all >= 13 + 31 * 2 && all < 13 + 31 * 2 + 40);
	assert_true(round_cycles("fence_block", 1, 0, false) < 45);
	assert_true(round_cycles("store_fence_block", 1, 0, false) < 60);
	double alone = round_cycles("fence_gpu", 1, 0, false);
	assert_true(alone >= 255 && alone < 255 + 40);
	double system = round_cycles("fence_system", 1, 0, false);
	assert_true(system >= 1022 && system < 1022 + 40);
}

/* stages.cu: a fence behind a load or a store takes 390 cycles if the home of the line is in the SM's half of the L2, 588
 * if it is in the other half. Homes are pages of 4 KB. */
static void fences_reach_as_far_as_accesses(void **state)
{
	(void)state;
	static const char *const kernels[] = {"store_fence_gpu", "load_fence"};
	for (unsigned k = 0; k < 2; k++) {
		double least = 1e9, most = 0;
		for (unsigned page = 0; page < 8; page++) {
			double c = round_cycles_at(NULL, page * 4096, kernels[k], 1, 0, false);
			least = c < least ? c : least;
			most = c > most ? c : most;
		}
		/* the load is no part of the fence: 282 cycles in the mean, and the rounds have lines of two pages and more */
		double load = k ? 280 : 0;
		if (least < 390 + load || least > 470 + load + k * 200 ||
		    most < 588 + load - k * 100 || most > 668 + load + k * 150)
			fail_msg("%s: %.0f to %.0f cycles", kernels[k], least, most);
	}
}

/* stages.cu: loads that hit the L1 by one warp take 5,670 cycles for 64, 6,686 with eight lanes in each of four banks,
 * 10,086 with all in one: two cycles for each further pass, and one for each four lines. */
static void conflicts_delay_loads(void **state)
{
	(void)state;
	double none = round_cycles("chained_loads", 1, 4, false);
	double eight = round_cycles("chained_loads", 1, 32, false);
	double all = round_cycles("chained_loads", 1, 128, false);
	if (eight - none < 13 || eight - none > 19 || all - none < 64 || all - none > 75)
		fail_msg("%.1f cycles, %.1f, %.1f", none, eight, all);
	/* four loads at once: 5,783 cycles for 64 in one bank, 1,799 without conflicts: they return one after the other */
	double four = round_cycles("four_loads", 1, 4, false);
	double slow = round_cycles("four_loads", 1, 128, false);
	if (slow - four < 225 || slow - four > 270)
		fail_msg("four loads: %.1f cycles, %.1f", four, slow);
}

/* share.cu, stages.cu: a line of which a store has written one word keeps its slice for two cycles, its sector and its mask. */
static void writes_of_parts_take_longer(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=1",          "gpu.gpcs=none",    "l2.halves=1",
			     "icnt.kind=crossbar", "mem.partitions=1", "mem.slices=1",
			     "gpu.dispatch=block", "l2.write_part=8",  NULL};
	double nine = round_cycles_at(set, 0, "stores", 4, 128, true) / 4;
	set[7] = "l2.write_part=0";
	double one = round_cycles_at(set, 0, "stores", 4, 128, true) / 4;
	assert_near(one, 64); /* the load/store unit */
	assert_near(nine, 32 * 9 * 1980. / 1620);
}

/* bench/h200/waves.cu: an LDC of 32 words spread over 64 KB takes 351 cycles, eleven per word. */
static void constants_beyond_the_first_level(void **state)
{
	(void)state;
	assert_near(round_cycles("constants", 8, 2048, true) / 8, 351);
	/* share.cu: one warp waits for a missing address before it looks the next one up: 2,565 cycles */
	assert_near(round_cycles("constants", 1, 2048, true), 2565);
}

/* shared atomics table: 32 warps exchange a word per lane in a cycle each, and compare and swap in two;
 * four of them are a round. */
static void compare_and_swap(void **state)
{
	(void)state;
	double exchange = round_cycles("exchanges", 32, 0, false),
	       compare = round_cycles("compares", 32, 0, false);
	if (compare < 4 * 64 || compare > 300 || exchange > 200)
		fail_msg("%.1f cycles, an exchange %.1f", compare, exchange);
}

/* share.cu: a load of words that the SM has stored takes 34 to 61 cycles, one of a line that is stored in part 327. */
static void stores_can_be_loaded(void **state)
{
	(void)state;
	assert_true(round_cycles("store_load", 1, 0, false) < 120);
	assert_true(round_cycles("store_part_load", 1, 0, false) > 250);
}

/* A fence for the GPU empties the L1 (CCTL.IVALL): the load after it comes from the L2. */
static void fences_empty_the_l1(void **state)
{
	(void)state;
	double fence = round_cycles("load_fence", 1, 0, false);
	double loads = round_cycles("load_fence_load", 1, 0, false);
	if (loads < fence + 200)
		fail_msg("%.0f cycles with a load after the fence, %.0f without", loads, fence);
}

/* ends.cu: loads of 16 lines of local memory take four cycles, as many lines as a global load per cycle. */
static void local_loads_of_many_lines(void **state)
{
	(void)state;
	double cycles = round_cycles("local_loads", 32, 16, true) / 32;
	assert_true(cycles >= 4 && cycles < 6);
}

/* On a machine of one SM with two blocks of 1,024 threads: a block that replaces an ended one
 * starts later than one of the first. */
static void a_block_replaces_another(void **state)
{
	(void)state;
	enum { LATER = 154 };
	const char *sets[] = {"gpu.sms=1",          "gpu.gpcs=none",
			      "l2.halves=1",        "icnt.kind=crossbar",
			      "gpu.dispatch=block", "volta.block_replace=0",
			      "volta.crowd=0",      NULL};
	uint64_t before = run("nothing", 3, 1024, sets, NULL),
		 two = run("nothing", 2, 1024, sets, NULL);
	sets[5] = "volta.block_replace=154";
	assert_int_equal(run("nothing", 2, 1024, sets, NULL), two);
	uint64_t after = run("nothing", 3, 1024, sets, NULL);
	assert_in_range(after - before, LATER - 40, LATER + 40);
}

/* bench/h200/blocks.cu: the first five blocks of 256 threads begin at once, 31 cycles after each other (block_schedule),
 * the sixth 366 cycles after the first, the eighth 568. */
static void later_blocks_start_slowly(void **state)
{
	(void)state;
	static const char *const one_sm[] = {"gpu.sms=1",          "gpu.gpcs=none",
					     "l2.halves=1",        "icnt.kind=crossbar",
					     "gpu.dispatch=block", NULL};
	uint64_t cycles[9];
	for (unsigned n = 3; n <= 8; n++)
		cycles[n] = run("nothing", n, 256, one_sm, NULL);
	assert_in_range(cycles[4] - cycles[3], 29, 33);
	assert_in_range(cycles[5] - cycles[4], 29, 33);
	assert_in_range(cycles[6] - cycles[3], 280, 296);
	assert_in_range(cycles[8] - cycles[6], 155, 165);
}

/* ends: a kernel that reads one parameter at issue takes 35 to 175 cycles longer on 132 SMs than on one. */
static void parameters_come_in_turn(void **state)
{
	(void)state;
	static const char *const none[] = {"volta.operand_share=0", NULL};
	uint64_t one = run_as("store_sum", 1, 256, NULL, NULL, false),
		 all = run_as("store_sum", 132, 256, NULL, NULL, false),
		 free = run_as("store_sum", 132, 256, none, NULL, false);
	assert_in_range(all - one, 35, 175);
	assert_true(free <= one && free + 20 >= one);
}

/* A kernel's first launch starts later than others, and the more so the more SMs it has: 60 cycles with one block, 180
 * with 132. */
static void code_is_cold_once(void **state)
{
	(void)state;
	for (unsigned blocks = 1; blocks <= 132; blocks += 131) {
		struct heddle *h = NULL;
		struct heddle_module *m;
		const uint64_t params[] = {0};
		check(h, heddle_open(&h, &(struct heddle_options){.config = "h200-sm90",
								  .timing = true}));
		check(h, heddle_load(h, &(struct heddle_text){"volta.ptx", text, strlen(text)}, 1,
				     &m));
		struct heddle_launch l = {.kernel = heddle_kernel_find(m, "nothing"),
					  .grid = {blocks, 1, 1},
					  .block = {32, 1, 1},
					  .params = params};
		for (unsigned i = 0; i < 3; i++)
			check(h, heddle_launch(h, &l));
		uint64_t first = heddle_stats_at(h, 0)->cycles,
			 second = heddle_stats_at(h, 1)->cycles;
		assert_int_equal(second, heddle_stats_at(h, 2)->cycles);
		assert_in_range(first - second, 60 + blocks * 9 / 10, 60 + blocks * 9 / 10 + 20);
		heddle_close(h);
	}
}

/* bench/h200/first_touch.cu: an empty kernel is active for 119 cycles with one warp, 133 with 8, 149 with 16. */
static void an_empty_kernel(void **state)
{
	(void)state;
	uint64_t one = run("nothing", 1, 32, NULL, NULL);
	assert_in_range(one, 114, 122);
	assert_int_equal(run("nothing", 1, 256, NULL, NULL), one + 7 * 2);
	assert_int_equal(run("nothing", 1, 512, NULL, NULL), one + 15 * 2);
	assert_int_equal(run("nothing", 1, 32, (const char *const[]){"volta.start=0", NULL}, NULL),
			 one - 114);
}

/* On a machine of one SM: the second block starts after the first. */
static void blocks_start_one_after_the_other(void **state)
{
	(void)state;
	static const char *const one_sm[] = {"gpu.sms=1",
					     "gpu.gpcs=none",
					     "l2.halves=1",
					     "icnt.kind=crossbar",
					     "gpu.dispatch=block",
					     "volta.block_start=7",
					     "volta.block_warp_start=3",
					     NULL};
	uint64_t one = run("nothing", 1, 256, one_sm, NULL);
	assert_int_equal(run("nothing", 3, 256, one_sm, NULL), one + 2 * (7 + 8 * 3));
}

/* A warp waits for its loads, but for its stores only at a fence. */
static void stores_are_posted(void **state)
{
	(void)state;
	uint32_t word;
	uint64_t store = run("store", 1, 32, NULL, &word);
	assert_int_equal(word, 1);
	uint64_t load = run("load", 1, 32, NULL, &word);
	assert_int_equal(word, 2);
	uint64_t reduce = run("reduce", 1, 32, NULL, &word);
	assert_int_equal(word, 64);
	uint64_t fence = run("fence", 1, 32, NULL, &word);
	assert_int_equal(word, 1);
	assert_true(store < 200 && reduce < 250);
	assert_true(load > store + 200);
	assert_true(fence > store + 200);
}

static void first_level_of_constants(void **state)
{
	(void)state;
	struct l0c c;
	bool missed;
	l0c_clear(&c);
	assert_int_equal(l0c_look_up(&c, 0, 100, 70, &missed), 170);
	assert_true(missed);
	/* one line, in flight and present */
	assert_int_equal(l0c_look_up(&c, 63, 130, 70, &missed), 170);
	assert_false(missed);
	assert_int_equal(l0c_look_up(&c, 4, 200, 70, &missed), 200);
	assert_false(missed);
	/* constant table: a ring over 2,048 bytes always hits, one over 2,560 always misses,
	 * whatever its step */
	for (unsigned step = 64; step <= 256; step *= 4)
		for (unsigned bytes = 2048; bytes <= 2560; bytes += 512) {
			unsigned misses = 0;
			l0c_clear(&c);
			for (unsigned round = 0; round < 3; round++)
				for (unsigned a = 0; a < bytes; a += step) {
					l0c_look_up(&c, a, 1000, 70, &missed);
					misses += round && missed;
				}
			assert_int_equal(misses, bytes == 2048 ? 0 : 2 * bytes / step);
		}
}

/* Warps of a block that is granted in parts begin for the time of a warp, not of a block: partial blocks cost no more
 * than whole ones. */
static void a_block_granted_in_parts_begins_once(void **state)
{
	(void)state;
	const char *const whole[] = {"gpu.sms=1",
				     "gpu.gpcs=A",
				     "gpu.dispatch=warp-temporal",
				     "volta.crowd=0",
				     "volta.crowd_warp_start=0",
				     NULL};
	const char *const parts[] = {"gpu.sms=1",
				     "gpu.gpcs=A",
				     "gpu.dispatch=warp",
				     "volta.crowd=0",
				     "volta.crowd_warp_start=0",
				     NULL};
	uint64_t w = run("alone", 24, 1024, whole, NULL), p = run("alone", 24, 1024, parts, NULL);
	if (p > w + w / 50)
		fail_msg("%llu cycles, %llu by whole blocks", (unsigned long long)p,
			 (unsigned long long)w);
}

int main(void)
{
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_kernel),
		cmocka_unit_test(blocks_start_one_after_the_other),
		cmocka_unit_test(later_blocks_start_slowly),
		cmocka_unit_test(parameters_come_in_turn),
		cmocka_unit_test(stores_are_posted),
		cmocka_unit_test(first_level_of_constants),
		cmocka_unit_test(lanes_apart),
		cmocka_unit_test(compare_and_swap),
		cmocka_unit_test(stores_can_be_loaded),
		cmocka_unit_test(fences_empty_the_l1),
		cmocka_unit_test(local_loads_of_many_lines),
		cmocka_unit_test(barriers_and_fences),
		cmocka_unit_test(fences_reach_as_far_as_accesses),
		cmocka_unit_test(conflicts_delay_loads),
		cmocka_unit_test(writes_of_parts_take_longer),
		cmocka_unit_test(code_is_cold_once),
		cmocka_unit_test(constants_beyond_the_first_level),
		cmocka_unit_test(a_block_replaces_another),
		cmocka_unit_test(a_block_granted_in_parts_begins_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
