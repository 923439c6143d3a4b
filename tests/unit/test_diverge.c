/* Regrouping and hybrid warp size by hand: the figures of Jin's thesis, cycles of the 24-stage
 * pipeline that locks a warp's threads from issue to commit, other warp sizes and widths, refused
 * combinations. */
#include "programs.h"
#include "sm/lanes/squeeze.h"

enum { DEPTH = 24 };

struct shape {
	unsigned threads, blocks; /* blocks: 0 is one */
	const char *set[8];
};

static struct timed run(const char *text, const struct shape *s)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {s->threads},
			  .grid = {s->blocks},
			  .config = "hws",
			  .max_cycles = 10000000};
	memcpy(b.set, s->set, sizeof s->set);
	return bench_run(&b);
}

/* ---- programs ---- */

/* `head`, n times the line `body`, `middle`, m times the line `other`, `tail`. */
static char *program(const char *head, const char *body, unsigned n, const char *middle,
		     const char *other, unsigned m, const char *tail)
{
	char *text = malloc(8192 + n * (strlen(body) + 1) + m * (strlen(other) + 1)), *p = text;
	p += sprintf(p, "%s%s", HEAD REGS "mov.u32 %r1, %tid.x;\n", head);
	while (n--)
		p += sprintf(p, "%s\n", body);
	p += sprintf(p, "%s", middle);
	while (m--)
		p += sprintf(p, "%s\n", other);
	sprintf(p, "%s}\n", tail);
	return text;
}

#define ADD "add.u32 %r8, %r8, 1;"

static char *straight(const char *head, unsigned n)
{
	return program(head, ADD, n, "", "", 0, "ret;\n");
}

/* Two arms of n instructions, for threads with %p1 and for the others: the first n + 6 with `head`
 * of two. */
static char *two_arms(const char *head, unsigned n)
{
	char both[512];
	snprintf(both, sizeof both, "%s@%%p1 bra B;\n", head);
	return program(both, ADD, n, "bra J;\nB:\n", ADD, n, "J: ret;\n");
}

/* Additional cycles per repetition. */
static double each(char *make(const char *, unsigned), const char *head, const struct shape *s)
{
	enum { N = 40 };
	uint64_t c[2];
	for (unsigned k = 0; k < 2; k++) {
		char *text = make(head, N << k);
		struct timed t = run(text, s);
		c[k] = t.cycles;
		assert_slots_add_up(&t, 1);
		timed_free(&t);
		free(text);
	}
	return (double)(c[1] - c[0]) / N;
}

static void assert_each(char *make(const char *, unsigned), const char *head, const struct shape *s,
			double want)
{
	double c = each(make, head, s);
	if (c != want)
		fail_msg("%u threads, %s %s %s: %g cycles, expected %g", s->threads, s->set[0],
			 s->set[1] ? s->set[1] : "", s->set[1] && s->set[2] ? s->set[2] : "", c,
			 want);
}

/* A bucket of a histogram of the SMs. */
static unsigned bucket(const struct timed *t, const char *name, unsigned i)
{
	json_t *h =
		json_object_get(json_object_get(json_object_get(t->launch, "timing"), "sm"), name);
	return (unsigned)json_integer_value(json_array_get(h, i));
}

#define ONE   "gpu.sms=1"
#define DWF   "sm.divergence=dwf"
#define EN    "sm.divergence=en-dwf"
#define HWS   "sm.lanes=hws"
#define AFTER "squeeze.when=after-merge"

/* ---- the thesis's figures ---- */

/* Figure 4.1: the branch sends threads 0 to 3 and 12 to 15 of 32 one way, the rest the other way.
 * Squeezed, the two groups are warps of 8 and of 24 threads: they take 1 + 3 cycles instead of 4 +
 * 4, which saves four. */
static void figure_4_1(void **state)
{
	(void)state;
	uint64_t b = 0x0000f00f, c = ~b & UINT32_MAX;
	assert_int_equal(squeeze(b, 32, 8, NULL), 0xff);
	assert_int_equal(squeeze_parts(squeeze(c, 32, 8, NULL), 32, 8), 3);
	const char *head =
		"shl.b32 %r2, 1, %r1; and.b32 %r2, %r2, 0xf00f; setp.ne.u32 %p1, %r2, 0;\n";
	struct shape pdom = {32, 1, {ONE}}, hws = {32, 1, {ONE, HWS}},
		     loose = {32, 1, {ONE, HWS, "hws.squeeze=no"}};
	char *text = two_arms(head, 1);
	struct timed p = run(text, &pdom), h = run(text, &hws), l = run(text, &loose);
	/* B: one add. C: one add and the branch over B. The other six instructions are issued for
	 * whole warps. */
	assert_int_equal(bucket(&p, "issued_parts", 4), 9);
	assert_int_equal(bucket(&h, "issued_parts", 1), 1);
	assert_int_equal(bucket(&h, "issued_parts", 3), 2);
	assert_int_equal(bucket(&h, "issued_parts", 4), 6);
	assert_int_equal(bucket(&l, "issued_parts", 2),
			 1); /* without the squeeze B occupies two quarters */
	assert_int_equal(figure(&p, "issue", "port") - figure(&h, "issue", "port"), 3 + 2 * 1);
	timed_free(&p);
	timed_free(&h);
	timed_free(&l);
	free(text);
}

/* Figure 4.3 (the thesis draws it without text: a warp and its outcome). Quarters with 4, 2, 3, 1
 * threads have ranks 0, 2, 1, 3. Lane 7 of #3, lanes 1 and 6 of #2, and lane 4 of #1 move into #0;
 * then #1 takes what is left of #2: nothing. Quarters #0 and #1 remain occupied: mask 0011, a warp
 * of 16. */
static void figure_4_3(void **state)
{
	(void)state;
	enum { Q0 = 0x2d, Q1 = 0x42, Q2 = 0x19, Q3 = 0x80 };
	uint64_t m = Q0 | Q1 << 8 | Q2 << 16 | (uint64_t)Q3 << 24;
	uint8_t from[64];
	uint64_t s = squeeze(m, 32, 8, from);
	assert_int_equal(s, 0xff | 0x09 << 16);
	assert_int_equal(from[7], 24 + 7);
	assert_int_equal(from[1], 8 + 1);
	assert_int_equal(from[6], 8 + 6);
	assert_int_equal(from[4], 16 + 4);
	assert_int_equal(squeeze_parts(s, 32, 8), 2);
}

/* Figure 4.4: seven warps, one of which has a single active quarter: 7 x 4 cycles per round. With
 * hybrid warp size a round takes 6 x 4 + 1; three cycles are saved, and the pipeline of 24 stages
 * is full. */
static void figure_4_4(void **state)
{
	(void)state;
	struct shape pdom = {6 * 32 + 8, 1, {ONE}}, hws = {6 * 32 + 8, 1, {ONE, HWS}};
	assert_each(straight, "", &pdom, 28);
	assert_each(straight, "", &hws, 25);
}

/* Figure 4.5: threads 20 to 23 and 27 of warp 0 (female) have the positions of threads 52 to 55 and
 * 59 of warp 1 (male). The lane of thread 59 is the fourth, whose first position is empty in both
 * warps: the thread moves there. */
static void figure_4_5(void **state)
{
	(void)state;
	uint64_t female = 0xfull << 20 | 1ull << 27 | 0x7,
		 male = 0xfull << (52 - 32) | 1ull << (59 - 32) | 0x700;
	uint8_t to[64];
	assert_int_equal(squeeze_fit(male, female, 32, 8, to), 0);
	assert_int_equal(to[59 - 32], 3);
	for (unsigned t = 52; t < 56; t++)
		assert_int_equal(to[t - 32],
				 t - 32 - 16); /* these lanes have no thread in the first quarter
					        * either */
	for (unsigned t = 40; t < 43; t++)
		assert_int_equal(to[t - 32], t - 32);
	/* A lane without a free position: its conflicting threads stay in a separate group. */
	assert_int_equal(squeeze_fit(0x00000101, 0x01010001, 32, 8, to), 0x1);
	assert_int_equal(to[8], 8);
}

/* Figure 4.5 in simulation: twelve warps keep the port busy, so that diverged groups wait and
 * others can join them. Every warp sends an equal half to an arm: dwf finds a conflict each time,
 * en-dwf moves threads. */
static void moving_makes_room(void **state)
{
	(void)state;
	const char *half = "and.b32 %r2, %r1, 16; setp.ne.u32 %p1, %r2, 0;\n";
	struct shape d = {384, 1, {ONE, DWF}}, e = {384, 1, {ONE, EN}};
	char *text = two_arms(half, 10);
	struct timed t = run(text, &d), u = run(text, &e);
	/* At J, halves that took different arms may merge; within the arms there is nothing to
	 * merge. */
	assert_true(figure(&t, "regroup", "merges") <= 12);
	assert_int_equal(figure(&t, "regroup", "moved_threads"), 0);
	assert_true(figure(&t, "regroup", "conflicts") > 0);
	assert_int_equal(figure(&t, "regroup", "conflict_threads"),
			 16 * figure(&t, "regroup", "conflicts"));
	/* Twelve halves form six warps in each arm, for eleven or twelve instructions of an arm;
	 * before the branch there are 12 x 4. */
	assert_in_range(u.warp_instructions, 48 + 6 * 11 + 6 * 10 + 6, t.warp_instructions - 1);
	assert_true(figure(&u, "regroup", "moved_threads") > 0);
	assert_int_equal(figure(&u, "regroup", "moved_threads") % 16, 0);
	assert_int_equal(figure(&u, "sm", "bank_conflicts"), 0);
	timed_free(&t);
	timed_free(&u);
	free(text);
}

/* Even warps send lanes 0 to 15 to B, odd warps 8 to 23: eight threads of each conflict. */
static void conflicts_are_of_threads(void **state)
{
	(void)state;
	const char *head = "and.b32 %r2, %r1, 32; shr.u32 %r2, %r2, 2; and.b32 %r3, %r1, 31; "
			   "sub.u32 %r3, %r3, %r2; setp.lt.u32 %p1, %r3, 16;\n";
	struct shape warp = {384, 1, {ONE, DWF, HWS, "hws.squeeze=no"}},
		     threads = {
			     384, 1, {ONE, DWF, HWS, "hws.squeeze=no", "dwf.on_conflict=threads"}};
	char *text = two_arms(head, 10);
	struct timed w = run(text, &warp), t = run(text, &threads);
	/* Whole groups stay apart: sixteen threads at two quarters' places each, never more. */
	assert_int_equal(bucket(&w, "issued_parts", 1), 0);
	assert_int_equal(bucket(&w, "issued_parts", 3), 0);
	assert_int_equal(figure(&w, "regroup", "conflict_threads") % 8, 0);
	assert_in_range(figure(&w, "regroup", "conflict_threads"),
			8 * figure(&w, "regroup", "conflicts") + 1,
			16 * figure(&w, "regroup", "conflicts") - 1);
	/* Eight threads of an odd warp join the sixteen of an even warp, the other eight form a
	 * group of their own. */
	assert_true(bucket(&t, "issued_parts", 3) > 0);
	assert_true(bucket(&t, "issued_parts", 1) > 0);
	assert_true(figure(&t, "regroup", "conflict_threads") <
		    figure(&w, "regroup", "conflict_threads"));
	timed_free(&w);
	timed_free(&t);
	free(text);
}

/* Figure 4.6: the warp of figure 4.3 is squeezed, its threads move off the female's positions, and
 * both become one warp of 24 positions. */
static void figure_4_6(void **state)
{
	(void)state;
	uint64_t male = 0xff | 0x09 << 16, female = 0x0f | 0xf0 << 8;
	uint8_t to[64];
	assert_int_equal(squeeze_fit(male, female, 32, 8, to), 0);
	/* Lanes 0 to 3: position 0 is taken. Lanes 1 and 2 move to quarter 1; lanes 0 and 3 also
	 * have a thread in quarter 2, and quarter 1 is free. Lanes 4 to 7 have no conflict. */
	uint64_t moved = 0;
	for (unsigned p = 0; p < 32; p++)
		moved |= (uint64_t)(male >> p & 1) << to[p];
	assert_int_equal(moved, 0xf0 | 0x0f << 8 | 0x09 << 16);
	assert_int_equal(moved & female, 0);
	assert_int_equal(squeeze_parts(moved | female, 32, 8), 3);
}

/* ---- cycles ---- */

/* Two warps, each with two arms of ten instructions. If the arms run one after the other, a warp
 * executes 4 + 10 + 1 + 10 + 1 = 26 instructions, one per 24 cycles; the second warp starts four
 * cycles later, and the last cycle counts. Regrouped threads run both arms at once: 4 + 10 + 1 + 1
 * = 16 instructions on the longer path. */
static void two_warps(void **state)
{
	(void)state;
	enum { BEHIND = 4, END = 1 };
	static const struct {
		struct shape s;
		unsigned cycles, instructions, port;
	} c[] = {
		{{64, 1, {ONE}}, 26 * DEPTH, 2 * 26, 3 * 52},
		/* Each arm has one half of each warp: two quarters. */
		{{64, 1, {ONE, HWS}}, 26 * DEPTH, 2 * 26, 3 * 2 * 5 + 1 * 2 * 21},
		/* 2 x 4 issued together, then for each warp 12 for the first arm and 11 for the
		 * second */
		{{64, 1, {ONE, DWF}}, 16 * DEPTH, 2 * 4 + 2 * 12 + 2 * 11, 3 * 54},
		/* The second arm of the first warp waits for the port when that of the second warp
		 * arrives: they merge. */
		{{64, 1, {ONE, EN}}, 16 * DEPTH, 2 * 4 + 2 * 12 + 11, 3 * 43},
	};
	char *text = two_arms("and.b32 %r2, %r1, 16; setp.ne.u32 %p1, %r2, 0;\n", 10);
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct timed t = run(text, &c[i].s);
		assert_int_equal(t.cycles, c[i].cycles + BEHIND + END);
		assert_int_equal(t.warp_instructions, c[i].instructions);
		assert_int_equal(figure(&t, "issue", "port"), c[i].port);
		timed_free(&t);
	}
	free(text);
}

/* Twelve warps fill the port. Two arms of halves take 2 x 12 x 4 cycles for one instruction of each
 * arm; hybrid warp size halves that, and so does merging if the halves have different positions.
 * Halves that use every lane (even and odd threads) can neither be squeezed nor moved. */
static void twelve_warps(void **state)
{
	(void)state;
	static const char same[] = "and.b32 %r2, %r1, 16; setp.ne.u32 %p1, %r2, 0;\n";
	static const char turns[] = "shr.u32 %r2, %r1, 1; xor.b32 %r2, %r2, %r1; and.b32 %r2, %r2, "
				    "16; setp.ne.u32 %p1, %r2, 0;\n";
	static const char odd[] = "and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0;\n";
	static const struct {
		struct shape s;
		double same, turns, odd;
	} c[] = {
		{{384, 1, {ONE}}, 96, 96, 96},
		{{384, 1, {ONE, HWS}}, 48, 48, 96},
		{{384, 1, {ONE, DWF}}, 96, 48, 96},
		{{384, 1, {ONE, DWF, HWS}}, 48, 48, 96},
		{{384, 1, {ONE, EN}}, 48, 48, 96},
		{{384, 1, {ONE, EN, HWS}}, 48, 48, 96},
		{{384, 1, {ONE, EN, HWS, AFTER}}, 48, 48, 96},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		assert_each(two_arms, same, &c[i].s, c[i].same);
		assert_each(two_arms, turns, &c[i].s, c[i].turns);
		assert_each(two_arms, odd, &c[i].s, c[i].odd);
	}
}

/* Any warp size and width: halves that alternate, and enough warps to fill the port. */
static void other_sizes(void **state)
{
	(void)state;
	static const struct {
		unsigned log_size, width, warps;
	} c[] = {{6, 16, 16}, {4, 4, 16}, {3, 8, 64}, {5, 32, 32}, {5, 4, 8}, {6, 64, 16}};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		unsigned size = 1u << c[i].log_size, port = size / c[i].width;
		char head[256], w[32], s[32];
		snprintf(head, sizeof head,
			 "shr.u32 %%r2, %%r1, 1; xor.b32 %%r2, %%r2, %%r1; and.b32 %%r2, %%r2, %u; "
			 "setp.ne.u32 %%p1, %%r2, 0;\n",
			 size / 2);
		snprintf(w, sizeof w, "gpu.warp_size=%u", size);
		snprintf(s, sizeof s, "sm.simd_width=%u", c[i].width);
		struct shape shape = {size * c[i].warps,
				      1,
				      {ONE, w, s, "sm.max_warps=64", "sm.max_block_threads=1024"}};
		double all = 2.0 * c[i].warps * port, floor = 2 * DEPTH;
		assert_each(two_arms, head, &shape, all > floor ? all : floor);
		shape.set[5] = DWF;
		/* At best half as many groups; they merge while they wait for the port. Each arm
		 * takes at least the pipeline's depth. */
		double c_dwf = each(two_arms, head, &shape);
		assert_true(c_dwf >= (all / 2 > DEPTH ? all / 2 : DEPTH));
		assert_true(c_dwf < all);
	}
}

/* Two SMs: one has 24 full warps and n instructions, the other 24 warps with a quarter of their
 * threads and 4 n instructions. Alone, the second takes 24 cycles per round and both end together;
 * in lock step it takes the first SM's 96 while that runs, and executes the other 3 n rounds at its
 * own pace. */
static void all_sms_in_step(void **state)
{
	(void)state;
	for (unsigned in_step = 0; in_step < 2; in_step++) {
		uint64_t c[2];
		for (unsigned k = 0; k < 2; k++) {
			unsigned n = 20u << k;
			char *text = program(
				"mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 0; @%p1 bra B;\n"
				"and.b32 %r4, %r1, 24; setp.ne.u32 %p2, %r4, 0; @%p2 exit;\n",
				ADD, 4 * n, "bra J;\nB:\n", ADD, n, "J: ret;\n");
			struct shape s = {
				768,
				2,
				{"gpu.sms=2", HWS, in_step ? "scale.scope=gpu" : "scale.scope=sm"}};
			struct timed t = run(text, &s);
			c[k] = t.cycles;
			assert_slots_add_up(&t, 1);
			timed_free(&t);
			free(text);
		}
		assert_int_equal(c[1] - c[0], 20 * (in_step ? 96 + 3 * 24 : 96));
	}
}

/* The thesis's simulator: six stages, each a common step of all SMs. A single warp with a quarter
 * of its threads takes one cycle in the step that issues it and four in each of the five until it
 * commits; a full warp takes 24. Eight quarter warps need no idle step: eight cycles for one
 * instruction of each, where eight full warps take 32. */
static void pipeline_in_steps(void **state)
{
	(void)state;
	static const struct {
		unsigned warps;
		const char *active;
		unsigned cycles, in_steps;
	} c[] = {{1, "0", 24, 24}, {1, "24", 24, 21}, {1, "16", 24, 22},
		 {8, "0", 32, 32}, {8, "24", 24, 8},  {6, "24", 24, 6}};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++)
		for (unsigned steps = 0; steps < 2; steps++) {
			uint64_t at[2];
			char head[128];
			snprintf(head, sizeof head,
				 "and.b32 %%r4, %%r1, %s; setp.ne.u32 %%p2, %%r4, 0; @%%p2 exit;\n",
				 c[i].active);
			for (unsigned k = 0; k < 2; k++) {
				char *text = program(head, ADD, 20u << k, "", "", 0, "ret;\n");
				struct shape s = {
					32 * c[i].warps,
					1,
					{"gpu.sms=2", HWS, "scale.scope=gpu",
					 steps ? "scale.pipeline=steps" : "scale.pipeline=cycles"}};
				struct timed t = run(text, &s);
				at[k] = t.cycles;
				assert_slots_add_up(&t, 1);
				timed_free(&t);
				free(text);
			}
			assert_int_equal(at[1] - at[0], 20 * (steps ? c[i].in_steps : c[i].cycles));
		}
}

/* Threads that may move to any position may share a register bank there, and wait for each
 * other. */
static void banks(void **state)
{
	(void)state;
	const char *odd = "and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0;\n";
	struct shape s = {384, 1, {ONE, EN, "en-dwf.lane_aware=no"}};
	char *text = two_arms(odd, 40);
	struct timed t = run(text, &s);
	uint64_t lost = figure(&t, "sm", "bank_conflicts");
	assert_true(figure(&t, "regroup", "merges") > 0);
	/* Even threads of two warps in one group: each part of eight has two threads per bank and
	 * loses a cycle. */
	assert_true(lost > 0);
	assert_int_equal(figure(&t, "issue", "port"), 3 * t.warp_instructions + lost);
	timed_free(&t);
	free(text);
}

/* ---- refused options ---- */

static void assert_refused(const char *const *set, const char *why)
{
	struct heddle *h;
	struct heddle_options o = {.config = "hws", .set = set, .timing = true};
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_not_equal(heddle_open(&h, &o), HEDDLE_OK);
	if (!strstr(heddle_message(h), why))
		fail_msg("%s: no word of \"%s\"", heddle_message(h), why);
	heddle_close(h);
}

static void what_makes_no_sense(void **state)
{
	(void)state;
	assert_refused((const char *[]){DWF, "sm.pipeline=scoreboard", "sm.chaining=yes", NULL},
		       "sm.chaining = yes");
	assert_refused((const char *[]){AFTER, HWS, NULL}, "merges no warps");
	assert_refused((const char *[]){DWF, AFTER, NULL}, "nothing is squeezed");
	assert_refused((const char *[]){DWF, HWS, "hws.squeeze=no", AFTER, NULL},
		       "nothing is squeezed");
	assert_refused((const char *[]){"dwf.on_conflict=threads", NULL}, "merges no warps");
	assert_refused((const char *[]){"scale.scope=gpu", NULL}, "does not scale warps");
	assert_refused((const char *[]){HWS, "scale.scope=gpu", "sm.pipeline=scoreboard", NULL},
		       "has no issue port");
	assert_refused((const char *[]){HWS, "scale.pipeline=steps", NULL}, "has SMs in step");
	assert_refused((const char *[]){HWS, "scale.scope=gpu", "scale.pipeline=steps",
					"gpu.perfect_memory=no", NULL},
		       "answers in cycles");
	assert_refused((const char *[]){HWS, "scale.scope=gpu", "scale.pipeline=steps",
					"sm.locked_depth=22", NULL},
		       "not a number of steps");
	assert_refused((const char *[]){"sm.scheduler=pdom-priority", NULL},
		       "keeps them in their warps");
	assert_refused((const char *[]){DWF, "en-dwf.lane_aware=no", NULL}, "moves no threads");
	assert_refused((const char *[]){EN, HWS, "en-dwf.lane_aware=no", NULL},
		       "stay in their lanes");
	assert_refused((const char *[]){DWF, "sm.simd_width=7", NULL}, "does not divide");
}

/* ---- warp-level operations ---- */

/* Half a warp waits for a vote of all its lanes, the other half at the block's barrier: the run is
 * reported as stuck. */
static void a_vote_that_can_never_be_taken(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS
		"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; @%p1 bra V;\n"
		"bar.sync 0; bra J;\nV: vote.sync.ballot.b32 %r2, %p1, 0xffffffff;\nJ: ret;\n}\n";
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32},
			  .config = "hws",
			  .set = {ONE, DWF},
			  .want = HEDDLE_FAULT};
	struct timed t = bench_run(&b);
	assert_non_null(strstr(b.message, "lanes 0xffff of the warp wait here"));
	assert_non_null(strstr(b.message, "vote"));
	timed_free(&t);
}

/* Votes and shuffles without a member mask gather the whole warp, in loops that its threads leave
 * one by one. */
static void operations_gather_their_warp(void **state)
{
	(void)state;
	static const char text[] =
		".version 6.0\n.target sm_35\n.address_size 64\n"
		".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 "
		"n1)\n{\n" REGS "mov.u32 %r1, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r3, %r3, "
		"192, %r1; ld.param.u64 %d1, [pout];\n"
		"mul.wide.u32 %d2, %r3, 4; add.u64 %d1, %d1, %d2; mul.lo.u32 %r4, %r3, 2654435761; "
		"shr.u32 %r4, %r4, 27;\n"
		"mov.u32 %r5, 0; mov.u32 %r8, 0;\n"
		"L: and.b32 %r6, %r5, 3; and.b32 %r7, %r4, 3; setp.eq.u32 %p1, %r6, %r7; @!%p1 bra "
		"S; add.u32 %r8, %r8, %r4; S:\n"
		"vote.ballot.b32 %r9, %p1; add.u32 %r8, %r8, %r9; shfl.down.b32 %r10, %r8, 1, 31; "
		"xor.b32 %r8, %r8, %r10;\n"
		"add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 12; @%p2 bra L;\nst.global.u32 [%d1], "
		"%r8; ret;\n}\n";
	static const struct test_machine m[] = {
		{"hws", {"gpu.sms=2", DWF, NULL}, 1, 32},
		{"hws", {"gpu.sms=2", EN, HWS, NULL}, 1, 32},
		{"hws", {"gpu.sms=1", EN, HWS, AFTER, "dwf.on_conflict=threads", NULL}, 1, 32},
	};
	for (size_t i = 0; i < sizeof m / sizeof *m; i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {192},
				  .grid = {5},
				  .bytes = 5 * 192 * 4};
		same_memory(&b, &m[i], "votes");
	}
}

/* Lanes of each warp wait at two barriers: when one opens, only its own waiting lanes continue; the
 * others read what is stored between the two openings. */
static void lanes_wait_at_barriers_of_their_own(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS
		".shared .b32 s;\nld.param.u64 %d1, [pout]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;\n"
		"add.u64 %d2, %d1, %d2; mov.u32 %r5, s; mov.u32 %r6, 0; st.shared.u32 [%r5], %r6;\n"
		"ld.param.u32 %r7, [n0]; add.u32 %r2, %r1, %r7; and.b32 %r2, %r2, 3; setp.ge.u32 %p1, %r2, 2;\n"
		"barrier.sync 0; @%p1 bra ARM;\n"
		"barrier.sync 2, 128; ld.shared.u32 %r6, [%r5]; bra TAIL;\n"
		"ARM: barrier.sync 1, 64; mov.u32 %r6, 7; st.shared.u32 [%r5], %r6; barrier.sync 2, 128;\n"
		"TAIL: st.global.u32 [%d2], %r6; ret;\n}\n";
	static const struct test_machine m[] = {
		{"hws", {"gpu.sms=1", DWF, NULL}, 1, 32},
		{"hws", {"gpu.sms=1", EN, HWS, NULL}, 1, 32},
		{"hws", {"gpu.sms=1", "sm.divergence=tbc", NULL}, 1, 32},
		{"hws", {"gpu.sms=1", "sm.divergence=none", NULL}, 1, 32},
		{"hws", {"gpu.sms=1", "sm.divergence=thread-frontiers", NULL}, 1, 32},
		{"hws", {"gpu.sms=1", NULL}, 1, 32},
	};
	for (size_t i = 0; i < 4 * sizeof m / sizeof *m; i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {128},
				  .bytes = 128 * 4,
				  .n = {(uint32_t)i % 4}};
		same_memory(&b, &m[i / 4], "two barriers");
	}
}

/* A warp-level operation whose guard is false in all lanes does not wait. */
static void an_operation_of_no_lane_goes_on(void **state)
{
	(void)state;
	static const char text[] =
		HEAD ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;\nld.param.u64 %d, [pout];\n"
		     "mov.u32 %r1, %tid.x; setp.gt.u32 %p, %r1, 99;\nmov.u32 %r2, 7;\n"
		     "@%p shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;\n"
		     "@%p bar.warp.sync 0xffffffff;\nst.global.u32 [%d], %r2;\nret;\n}\n";
	static const char *const how[] = {"sm.divergence=pdom", "sm.divergence=none",
					  "sm.divergence=thread-frontiers", "sm.divergence=dwf"};
	for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
		uint32_t out = 0;
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {32},
				  .config = "hws",
				  .max_cycles = 100000,
				  .out = &out,
				  .bytes = sizeof out,
				  .set = {how[i]}};
		struct timed t = bench_run(&b);
		assert_int_equal(out, 7);
		timed_free(&t);
	}
}

/* Half of a warp waits for the whole warp; the other half exits, and that releases the first
 * half. */
static void who_exits_is_waited_for_no_longer(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<3>;\nld.param.u64 %d1, [pout];\n"
		"mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
		"and.b32 %r2, %r1, 1; setp.eq.u32 %p, %r2, 1; mov.u32 %r3, 5; @%p bra OUT;\n"
		"bar.warp.sync 0xffffffff;\nst.global.u32 [%d1], 7;\nret;\n"
		"OUT: mul.lo.u32 %r3, %r3, %r3; mul.lo.u32 %r3, %r3, %r3; mul.lo.u32 %r3, %r3, %r3;\n"
		"st.global.u32 [%d1], %r3;\nexit;\n}\n";
	static const char *const how[] = {
		"sm.divergence=pdom", "sm.divergence=none",   "sm.divergence=thread-frontiers",
		"sm.divergence=dwf",  "sm.divergence=en-dwf", "sm.divergence=tbc"};
	for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
		uint32_t out[64] = {0};
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {64},
				  .config = "hws",
				  .max_cycles = 100000,
				  .out = out,
				  .bytes = sizeof out,
				  .set = {how[i]}};
		struct timed t = bench_run(&b);
		for (unsigned k = 0; k < 64; k++)
			assert_int_equal(out[k], k & 1 ? 390625 : 7);
		timed_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_wait_at_barriers_of_their_own),
		cmocka_unit_test(an_operation_of_no_lane_goes_on),
		cmocka_unit_test(who_exits_is_waited_for_no_longer),
		cmocka_unit_test(figure_4_1),
		cmocka_unit_test(figure_4_3),
		cmocka_unit_test(figure_4_4),
		cmocka_unit_test(figure_4_5),
		cmocka_unit_test(moving_makes_room),
		cmocka_unit_test(conflicts_are_of_threads),
		cmocka_unit_test(figure_4_6),
		cmocka_unit_test(two_warps),
		cmocka_unit_test(twelve_warps),
		cmocka_unit_test(other_sizes),
		cmocka_unit_test(all_sms_in_step),
		cmocka_unit_test(pipeline_in_steps),
		cmocka_unit_test(banks),
		cmocka_unit_test(what_makes_no_sense),
		cmocka_unit_test(a_vote_that_can_never_be_taken),
		cmocka_unit_test(operations_gather_their_warp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
