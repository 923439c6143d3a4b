/* Dispatchers: the blocks and warps that an SM holds, the resources that single warps release; no
 * barrier may wait forever for warps that have not started. Worked examples of Xiang 2014 (sections
 * 2 and 4), lifetimes known to the cycle, and thousands of small random machines. */
#include <unistd.h>
#include "timing.h"

/* The paper's microbenchmark (figure 1): the first warp of a block spins, the others end at
 * once. */
static const char spin[] =
	HEAD ".reg .pred %p;\n.reg .b32 %r<2>;\n"
	     "mov.u32 %r0, %tid.x;\nsetp.ge.u32 %p, %r0, 32;\n@%p ret;\nld.param.u32 %r1, [n0];\n"
	     "L:\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p, %r1, 0;\n@%p bra L;\nret;\n}\n";

/* Out[block] += number of threads that passed two barriers; warp w iterates n0 * (w + 1) times
 * between them. Each thread passes its word to its neighbour through shared memory, across
 * warps. */
static const char meet[] = HEAD
	".reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %d<3>;\n.shared .align 4 .b8 room[4096];\n"
	"ld.param.u64 %d0, [pout];\nld.param.u32 %r0, [n0];\nmov.u32 %r1, %tid.x;\n"
	"mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %ctaid.x;\nshl.b32 %r4, %r1, 2;\nmov.u32 %r5, room;\n"
	"add.u32 %r5, %r5, %r4;\nadd.u32 %r6, %r1, %r3;\nst.shared.u32 [%r5], %r6;\n"
	"shr.u32 %r7, %r1, 5;\nadd.u32 %r7, %r7, 1;\nmad.lo.u32 %r7, %r7, %r0, 1;\n"
	"L:\nsub.u32 %r7, %r7, 1;\nsetp.ne.u32 %p, %r7, 0;\n@%p bra L;\n"
	"bar.sync 0;\nadd.u32 %r6, %r1, 37;\nrem.u32 %r6, %r6, %r2;\nshl.b32 %r4, %r6, 2;\n"
	"mov.u32 %r5, room;\nadd.u32 %r5, %r5, %r4;\nld.shared.u32 %r8, [%r5];\nbar.sync 0;\n"
	"mad.lo.u32 %r6, %r3, %r2, %r1;\nmul.wide.u32 %d1, %r6, 4;\nadd.u64 %d0, %d0, %d1;\n"
	"st.global.u32 [%d0], %r8;\nret;\n}\n";

static struct timed run(struct bench *b)
{
	struct timed t;
	b->kernel = "k";
	b->set[0] = "gpu.sms=1";
	b->set[1] = "gpu.perfect_memory=yes";
	b->max_cycles = 10000000;
	t = bench_run(b);
	return t;
}

static void expect_most(struct bench b, const char *dispatch, const char *limit, unsigned blocks)
{
	char name[64];
	snprintf(name, sizeof name, "gpu.dispatch=%s", dispatch);
	b.set[3] = name;
	b.set[4] = limit;
	struct timed t = run(&b);
	if (figure(&t, "block", "most_blocks") != blocks)
		fail_msg("%s, %u threads: %u blocks, expected %u", dispatch, b.block[0],
			 (unsigned)figure(&t, "block", "most_blocks"), blocks);
	assert_int_equal(figure(&t, "block", "ended"), b.grid[0]);
	timed_free(&t);
}

static void first_warps_that_spin(void **state)
{
	(void)state;
	struct bench b = {
		.config = "gtx480", .text = spin, .grid = {60}, .block = {256}, .n = {1500}};
	b.set[2] = "registers.k=32";
	expect_most(b, "block", NULL, 4);
	expect_most(b, "warp-temporal", NULL, 8);
	expect_most(b, "warp", NULL, 8);
	expect_most(b, "warp-threshold", NULL, 8);
	/* The paper gives 48 without that limit; 32 warps of 1024 registers each fill the file. */
	expect_most(b, "warp", "gpu.block_limit=no", 32);
	expect_most(b, "virtual-registers", NULL, 6);
	expect_most(b, "virtual-registers", "virtual-registers.table=200", 6); /* 48 warps */
	expect_most(b, "virtual-registers", "virtual-registers.table=100", 4);
	b.set[2] = "registers.k=20";
	expect_most(b, "warp", "gpu.block_limit=no", 48);
	b.set[2] = "registers.k=32";
	b.block[0] = 1024;
	b.grid[0] = 20;
	expect_most(b, "block", NULL, 1);
	expect_most(b, "virtual-registers", NULL, 1);
	expect_most(b, "warp", NULL, 8);
	expect_most(b, "warp", "gpu.block_limit=no", 20);
}

/* Warps compacted from a block's threads stand in the places of its warps. A place is given away when neither its own
 * threads nor others need it: the paper's microbenchmark has as many blocks as without compaction. In the second
 * program odd lanes of even warps and even lanes of odd warps end: the others are compacted into half of the places,
 * but will return to their own, so nothing is given away before the block ends. */
static void places_of_compacted_warps(void **state)
{
	(void)state;
	static const char half[] = HEAD
		".reg .pred %p;\n.reg .b32 %r<4>;\nmov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\n"
		"add.u32 %r1, %r1, %r0;\nand.b32 %r1, %r1, 1;\nsetp.eq.u32 %p, %r1, 0;\n@%p bra E;\n"
		"ld.param.u32 %r2, [n0];\nL:\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p, %r2, 0;\n@%p bra L;\n"
		"E:\nret;\n}\n";
	struct bench b = {
		.config = "gtx480", .text = spin, .grid = {60}, .block = {256}, .n = {1500}};
	b.set[2] = "registers.k=32";
	b.set[5] = "sm.divergence=tbc";
	expect_most(b, "block", "sm.sp_units=2", 4);
	expect_most(b, "warp", "sm.sp_units=2", 8);
	expect_most(b, "warp-temporal", "sm.sp_units=2", 8);
	b.text = half;
	expect_most(b, "warp", "sm.sp_units=2", 4);
}

/* MatrixMultiply's blocks: 8 warps, 6144 registers, 2 KB; five whole blocks and two warps of the
 * sixth fit. */
static void five_blocks_and_two_warps(void **state)
{
	(void)state;
	uint32_t out[6 * 256], want[6 * 256];
	struct bench b = {.config = "gtx480", .text = meet, .grid = {6}, .block = {256}, .n = {50}};
	b.out = out;
	b.bytes = sizeof out;
	b.set[2] = "registers.k=24";
	b.set[3] = "gpu.dispatch=block";
	struct timed t = run(&b);
	memcpy(want, out, sizeof out);
	assert_int_equal(figure(&t, "block", "most_blocks"), 5);
	assert_int_equal(figure(&t, "block", "most_warps"), 40);
	assert_int_equal(figure(&t, "block", "partial"), 0);
	timed_free(&t);
	b.set[3] = "gpu.dispatch=warp";
	t = run(&b);
	assert_memory_equal(out, want, sizeof out);
	assert_int_equal(figure(&t, "block", "most_blocks"), 6);
	assert_int_equal(figure(&t, "block", "most_warps"), 42);
	assert_int_equal(figure(&t, "block", "buffered"), 6);
	assert_true(figure(&t, "block", "partial") > 0);
	timed_free(&t);
	b.set[3] =
		"gpu.dispatch=warp-threshold"; /* 40 warps run, so no partial block is accepted */
	t = run(&b);
	assert_int_equal(figure(&t, "block", "most_warps"), 40);
	timed_free(&t);
	b.set[4] = "warp-threshold.warps=41";
	t = run(&b);
	assert_int_equal(figure(&t, "block", "most_warps"), 41);
	assert_int_equal(figure(&t, "block", "most_blocks"), 6);
	timed_free(&t);
}

/* Warps that do not affect each other: warp w of a block iterates n0 + w * n1 times. */
static const char apart[] =
	HEAD ".reg .pred %p;\n.reg .b32 %r<4>;\nld.param.u32 %r0, [n0];\nld.param.u32 %r1, [n1];\n"
	     "mov.u32 %r2, %tid.x;\nshr.u32 %r2, %r2, 5;\nmad.lo.u32 %r3, %r2, %r1, %r0;\n"
	     "L:\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p, %r3, 0;\n@%p bra L;\nret;\n}\n";

static void lives_to_the_cycle(void **state)
{
	(void)state;
	struct bench b = {
		.config = "gtx480", .text = apart, .grid = {1}, .block = {32}, .n = {100, 50}};
	b.set[2] = "sm.schedulers=2";
	b.set[3] = "blocks.histogram_step=10";
	struct timed one = run(&b);
	uint64_t t1 = one.cycles;
	b.n[0] = 150;
	struct timed two = run(&b);
	uint64_t t2 = two.cycles;
	assert_true(t2 > t1);
	b.n[0] = 100;
	b.block[0] = 64;
	struct timed both = run(&b); /* on separate schedulers; fetches alternate */
	assert_int_equal(figure(&both, "block", "rtru_zero"), 0);
	uint64_t apart_by = figure(&both, "block", "apart");
	assert_in_range(apart_by, t2 - t1 - 4, t2 - t1 + 4);
	uint64_t last = both.cycles, want = (1000000 * apart_by + last) / (2 * last);
	assert_int_equal(figure(&both, "block", "rtru"), want);
	assert_int_equal(figure(&both, "sm", "warp_cycles"),
			 last + last - apart_by - 2); /* except for the cycles in which they end */
	assert_int_equal(figure(&both, "block", "registers_ended") * (last - 1),
			 figure(&both, "block", "registers") / 2 * apart_by);
	/* 8 instructions before the loop, 3 per iteration, 1 after it */
	json_t *bins = json_object_get(
		json_object_get(json_object_get(both.launch, "timing"), "block"), "instructions");
	uint64_t n = one.warp_instructions, m = two.warp_instructions;
	assert_int_equal(json_integer_value(json_array_get(bins, n / 10 < 40 ? n / 10 : 40)), 1);
	assert_int_equal(json_integer_value(json_array_get(bins, m / 10 < 40 ? m / 10 : 40)), 1);
	timed_free(&one);
	timed_free(&two);
	timed_free(&both);
}

/* The locked pipeline issues an instruction of a warp every DEPTH cycles; the w-th warp to start in
 * a cycle starts w cycles later. With at most DEPTH warps none affects another: the w-th warp, with
 * n instructions, lives for DEPTH * n + w + 1 cycles. */
enum { DEPTH = 48, BEFORE = 9 };
static const char shares[] = /* iterations: block 0: n0 + w * n1 / 65536; others: n1 % 65536 */
	HEAD ".reg .pred %p;\n.reg .b32 %r<5>;\nld.param.u32 %r0, [n0];\nld.param.u32 %r1, [n1];\n"
	     "mov.u32 %r2, %tid.x;\nshr.u32 %r2, %r2, 5;\nshr.u32 %r3, %r1, 16;\n"
	     "mad.lo.u32 %r3, %r2, %r3, %r0;\nmov.u32 %r4, %ctaid.x;\nsetp.ne.u32 %p, %r4, 0;\n"
	     "@%p and.b32 %r3, %r1, 65535;\n"
	     "L:\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p, %r3, 0;\n@%p bra L;\nret;\n}\n";

static uint64_t life(unsigned rounds, unsigned w)
{
	return DEPTH * (BEFORE + 3 * rounds + 1) + w + 1;
}

static uint64_t slots_of(const struct timed *t)
{
	json_t *v, *slots = json_object_get(
			   json_object_get(json_object_get(t->launch, "timing"), "block"),
			   "slot_registers");
	uint64_t sum = 0;
	size_t i;
	json_array_foreach (slots, i, v)
		sum += (uint64_t)json_integer_value(v);
	return sum;
}

static struct timed run_by_hand(struct bench *b, const char *dispatch, unsigned max_warps)
{
	char name[64], warps[64], depth[64];
	snprintf(name, sizeof name, "gpu.dispatch=%s", dispatch);
	snprintf(warps, sizeof warps, "sm.max_warps=%u", max_warps);
	snprintf(depth, sizeof depth, "sm.locked_depth=%u", DEPTH);
	b->config = "hws";
	b->text = shares;
	b->set[2] = name;
	b->set[3] = warps;
	b->set[4] = depth;
	b->set[5] = "sm.simd_width=32";
	b->set[6] = "registers.k=8";
	b->set[7] = "sm.register_unit=1";
	return run(b);
}

/* One block whose warp w iterates n0 + 4 w times; the last warp may be partial. */
static void one_block_by_hand(const char *dispatch, unsigned threads)
{
	struct bench b = {.grid = {1}, .block = {threads}, .n = {6, 4 << 16}};
	struct timed t = run_by_hand(&b, dispatch, 32);
	unsigned n = (threads + 31) / 32;
	uint64_t longest = life(6 + 4 * (n - 1), n - 1), held = longest - 1, lived = 0, waste = 0;
	bool whole = !strcmp(dispatch, "block");
	for (unsigned w = 0; w < n; w++) {
		lived += life(6 + 4 * w, w) - 1;
		waste += longest - life(6 + 4 * w, w);
	}
	assert_int_equal(t.cycles, longest);
	assert_int_equal(figure(&t, "sm", "warp_cycles"), lived);
	assert_int_equal(figure(&t, "sm", "busy_cycles"), held);
	assert_int_equal(figure(&t, "block", "apart"), longest - life(6, 0));
	assert_int_equal(figure(&t, "block", "rtru"),
			 (uint64_t)(1e6 * (double)waste / (double)(n * longest) + 0.5));
	assert_int_equal(figure(&t, "block", "rtru_zero"), n == 1);
	assert_int_equal(figure(&t, "block", "registers"), 256 * (whole ? n * held : lived));
	assert_int_equal(figure(&t, "block", "registers_ended"), whole ? 256 * waste : 0);
	assert_int_equal(slots_of(&t), figure(&t, "block", "registers"));
	timed_free(&t);
}

/* Both warps of block 0 run; one warp of block 1 has room, and the other follows in the cycle after
 * that one ends, while block 0 continues. */
static void part_of_a_block_by_hand(const char *dispatch)
{
	struct bench b = {.grid = {2}, .block = {64}, .n = {60, 7}};
	struct timed t = run_by_hand(&b, dispatch, 3);
	uint64_t first = life(7, 2), second = life(7, 0), all = life(60, 0) + life(60, 1);
	assert_int_equal(t.cycles, life(60, 1));
	assert_int_equal(figure(&t, "block", "buffered"), 1);
	assert_int_equal(figure(&t, "block", "most_warps"), 3);
	assert_int_equal(figure(&t, "block", "partial"), first);
	assert_int_equal(figure(&t, "block", "resident"), life(60, 1) - 1 + first + second - 1);
	assert_int_equal(figure(&t, "block", "apart"), 1 + second);
	assert_int_equal(figure(&t, "sm", "warp_cycles"), all + first + second - 4);
	assert_int_equal(figure(&t, "block", "registers"), 256 * (all + first + second - 4));
	assert_int_equal(slots_of(&t), figure(&t, "block", "registers"));
	assert_int_equal(figure(&t, "block", "rtru"),
			 (uint64_t)(5e5 / (double)life(60, 1) + 0.5) +
				 (uint64_t)(1e6 / (double)first + 0.5));
	timed_free(&t);
}

static void lives_by_hand(void **state)
{
	(void)state;
	static const char *const name[] = {"block", "warp-temporal", "warp", "virtual-registers"};
	static const unsigned threads[] = {1, 31, 32, 33, 100, 256, 257, 1000, 1024};
	for (unsigned d = 0; d < 4; d++)
		for (unsigned i = 0; i < sizeof threads / sizeof *threads; i++)
			one_block_by_hand(name[d], threads[i]);
	part_of_a_block_by_hand("warp");
	part_of_a_block_by_hand("warp-threshold");
}

/* ---- refused options ---- */

static void refused(struct bench b, const char *set, const char *set2, const char *words)
{
	b.set[2] = set;
	b.set[3] = set2;
	b.want = HEDDLE_INVALID;
	struct timed t = run(&b);
	if (!strstr(b.message, words))
		fail_msg("'%s' is not in: %s", words, b.message);
	timed_free(&t);
}

static void launches_that_have_no_meaning(void **state)
{
	(void)state;
	struct bench b = {.config = "gtx480", .text = meet, .grid = {4}, .block = {256}, .n = {5}};
	refused(b, "gpu.dispatch=warp32", NULL, "bytes of shared memory");
	refused(b, "gpu.dispatch=warp", "warp.partial_blocks=2", "the kernel has barriers");
}

static void machines_that_have_no_meaning(void **state)
{
	(void)state;
	static const char *const set[][6] = {
		{"gpu.dispatch=warp", "sm.divergence=tbc", "warp.partial_blocks=2", NULL,
		 "could wait for each other's room"},
		{"gpu.dispatch=warp-dueling", "warp-dueling.without=0", NULL, NULL, "two SMs duel"},
		{"gpu.dispatch=warp-dueling", "gpu.sms=1", NULL, NULL, "SMs are numbered 0 to 0"},
	};
	for (unsigned i = 0; i < sizeof set / sizeof *set; i++) {
		struct heddle *h;
		struct heddle_options o = {.timing = true, .set = set[i], .config = "gtx480"};
		setenv("HEDDLE_CONF", "conf", 0);
		assert_int_not_equal(heddle_open(&h, &o), HEDDLE_OK);
		if (!strstr(heddle_message(h), set[i][4]))
			fail_msg("'%s' is not in: %s", set[i][4], heddle_message(h));
		heddle_close(h);
	}
}

/* ---- no deadlock ---- */

static uint64_t rng;
static unsigned up_to(unsigned n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(rng >> 33) % n;
}

static const char *const dispatch[] = {
	"block",          "warp-temporal",     "warp", "warp-dueling",
	"warp-threshold", "virtual-registers", "lcs",  "bcs"};
/* With what each needs. */
static const struct mechanism {
	const char *name, *pipeline, *lanes;
	enum heddle_code code; /* what the kernel is compiled to */
	unsigned split; /* number of lanes that divide the register file, each of which holds whole
			 * warps */
} diverge[] = {
	{"pdom", "scoreboard", "simt", 0, 1},
	{"none", "locked", "simt", 0, 1},
	{"thread-frontiers", "scoreboard", "simt", 0, 1},
	{"token", "scoreboard", "simt", HEDDLE_CODE_FERMI, 1},
	{"pdom", "locked", "hws", 0, 1},
	{"pdom", "scoreboard", "stsimt2", 0, 16},
	{"dwf", "locked", "simt", 0, 1},
	{"en-dwf", "locked", "hws", 0, 1},
	{"mimd", "locked", "simt", 0, 1},
	{"tbc", "locked", "simt", 0, 1},
	{"tbc", "scoreboard", "simt", 0, 1},
};
/* Barriers in every warp, different lifetimes, resources for a block and a little more. */
static void one_machine(unsigned seed, const char *disp, const struct mechanism *v)
{
	char set[20][64];
	static uint32_t out[12 * 1024], want[12 * 1024];
	unsigned n = 0, block = 1 + up_to(up_to(12) ? 150 : 1024), grid = 1 + up_to(7);
	unsigned warps = (block + 31) / 32, regs = 4 + up_to(28);
	unsigned need = (warps + v->split - 1) / v->split * v->split * ((regs * 32 + 63) / 64 * 64);
	struct bench b = {.text = meet, .kernel = "k", .grid = {grid}, .block = {block}};
	b.n[0] = up_to(12);
	b.max_cycles = 4000000;
	b.threads = 1 + seed % 2;
	snprintf(set[n++], 64, "gpu.sms=%u", 2 + up_to(2));
	snprintf(set[n++], 64, "gpu.perfect_memory=%s", up_to(8) ? "yes" : "no");
	snprintf(set[n++], 64, "gpu.dispatch=%s", disp);
	snprintf(set[n++], 64, "sm.divergence=%s", v->name);
	snprintf(set[n++], 64, "sm.pipeline=%s", v->pipeline);
	snprintf(set[n++], 64, "sm.lanes=%s", v->lanes);
	snprintf(set[n++], 64, "registers.k=%u", regs);
	snprintf(set[n++], 64, "sm.registers=%u", 256 + need + up_to(3 * need));
	snprintf(set[n++], 64, "sm.max_warps=%u", warps + up_to(2 * warps + 4));
	snprintf(set[n++], 64, "sm.max_threads=%u", 32 * warps + up_to(2 * block + 64));
	snprintf(set[n++], 64, "sm.max_blocks=%u", 1 + up_to(8));
	snprintf(set[n++], 64, "sm.shared_bytes=%u", 4096 * (1 + up_to(8)));
	snprintf(set[n++], 64, "gpu.block_limit=%s", up_to(2) ? "yes" : "no");
	snprintf(set[n++], 64, "warp-threshold.warps=%u", 1 + up_to(48));
	snprintf(set[n++], 64, "warp-dueling.interval=%u", 50 + up_to(500));
	for (unsigned i = 0; i < n; i++)
		b.set[i] = set[i];
	b.set[n] = NULL;
	b.bytes = 4ul * grid * block;
	b.watch.code = v->code;
	struct bench f = b;
	f.watch.code = HEDDLE_CODE_PTX;
	f.functional = true;
	f.out = want;
	b.out = out;
	struct timed t = bench_run(&f);
	timed_free(&t);
	t = bench_run(&b);
	if (memcmp(out, want, b.bytes))
		fail_msg("seed %u, %s, %s: memory differs from functional mode", seed, disp,
			 v->name);
	assert_int_equal(figure(&t, "block", "ended"), grid);
	assert_int_equal(figure(&t, "sm", "warps"), grid * warps);
	assert_int_equal(figure(&t, "block", "registers"), slots_of(&t));
	timed_free(&t);
}

enum { EACH = 18 };
static void barriers_on_small_machines(void **state)
{
	(void)state;
	unsigned seed = 0;
	for (unsigned d = 0; d < sizeof dispatch / sizeof *dispatch; d++)
		for (unsigned v = 0; v < sizeof diverge / sizeof *diverge; v++)
			for (unsigned i = 0; i < EACH; i++, seed++) {
				rng = seed * 7919u + 1;
				one_machine(seed, dispatch[d], &diverge[v]);
			}
}

/* `test_warpman FIRST COUNT` runs more seeds. */
static int more(unsigned first, unsigned count)
{
	for (unsigned s = first; s < first + count; s++) {
		rng = s * 7919u + 1;
		unsigned d = up_to(sizeof dispatch / sizeof *dispatch),
			 v = up_to(sizeof diverge / sizeof *diverge);
		one_machine(s, dispatch[d], &diverge[v]);
	}
	printf("%u machines\n", count);
	return 0;
}

/* A scheduler's warps are bits of words: one warp more than a word has bits is scheduled too. */
static void one_warp_more_than_a_word(void **state)
{
	(void)state;
	struct bench b = {
		.config = "gtx480", .text = spin, .grid = {5}, .block = {13 * 32}, .n = {20}};
	b.set[2] = "sm.max_warps=65";
	b.set[3] = "sm.max_threads=2080";
	b.set[4] = "sm.schedulers=1";
	b.set[5] = "registers.k=8";
	struct timed t = run(&b);
	assert_int_equal(figure(&t, "block", "most_warps"), 65);
	assert_int_equal(figure(&t, "block", "ended"), 5);
	timed_free(&t);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return more((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_warp_more_than_a_word),
		cmocka_unit_test(first_warps_that_spin),
		cmocka_unit_test(places_of_compacted_warps),
		cmocka_unit_test(five_blocks_and_two_warps),
		cmocka_unit_test(lives_to_the_cycle),
		cmocka_unit_test(lives_by_hand),
		cmocka_unit_test(launches_that_have_no_meaning),
		cmocka_unit_test(machines_that_have_no_meaning),
		cmocka_unit_test(barriers_on_small_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
