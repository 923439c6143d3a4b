/* Closed forms of memory instructions in an SM: latencies of dependent loads, host copies in the
 * L2, parameters, registers of a thread. */
#include "timing.h"

/* A loop of dependent loads: a load, a conversion, an addition to the address. The buffer contains
 * the distance to the next address, 0 or a line; the rest of the loop is hidden behind the
 * loads. */
enum { STEPS = 24, LINE = 128 };
static const char chain[] = HEAD ".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p; ld.param.u64 "
				 "%d1, [pin]; ld.param.u32 %r2, [n0];\n"
				 "L: ld.global.u32 %r1, [%d1]; sub.u32 %r2, %r2, 1; setp.ne.u32 "
				 "%p, %r2, 0; cvt.u64.u32 %d2, %r1;\n"
				 "add.u64 %d1, %d1, %d2; @%p bra L;\nret;\n}\n";

static double each_load(unsigned step, const char *config, const char *const *set)
{
	uint32_t data[(2 * STEPS + 1) * LINE / 4] = {0};
	double c[2];
	for (unsigned i = 0; i <= 2 * STEPS; i++)
		data[i * LINE / 4] = step;
	for (unsigned k = 0; k < 2; k++) {
		struct bench b = {.text = chain,
				  .kernel = "k",
				  .block = {1},
				  .config = config,
				  .in = data,
				  .in_bytes = sizeof data,
				  .n = {STEPS << k}};
		for (unsigned i = 0; set[i]; i++)
			b.set[i] = set[i];
		struct timed t = bench_run(&b);
		c[k] = (double)t.cycles;
		timed_free(&t);
	}
	return (c[1] - c[0]) / STEPS;
}

static void expect(const char *what, double got, double want)
{
	if (got != want)
		fail_msg("%s: %g cycles, expected %g", what, got, want);
}

static void a_hit_takes_the_latency(void **state)
{
	(void)state;
	/* Load: 3 cycles to the unit, 40, 3 back. Conversion: 3 + 4 + 3. Addition: likewise. */
	const char *first[] = {"gpu.sms=1", "l1d.latency=40", NULL},
		   *last[] = {"gpu.sms=1", "l1d.latency=40", "sm.quirks=+late-lookup", NULL};
	expect("hit", each_load(0, "gtx480", first), 3 + 40 + 3 + 2 * 10);
	/* A hit at the end of the pipeline is written in the next cycle. */
	expect("hit, tags last", each_load(0, "gtx480", last), 3 + 40 + 1 + 2 * 10);
}

/* A perfect memory answers every access as the L1 answers a hit; without an L1, in the next
 * cycle. */
static void a_perfect_memory_is_a_hit(void **state)
{
	(void)state;
	const char *perfect[] = {"gpu.sms=1", "gpu.perfect_memory=on", "l1d.latency=40", NULL},
		   *none[] = {"gpu.sms=1", "gpu.perfect_memory=on", "l1d.latency=40",
			      "l1d.kind=off", NULL};
	expect("perfect", each_load(LINE, "gtx480", perfect), 3 + 40 + 3 + 2 * 10);
	/* The loop's counter, test and branch then take longer: 32 cycles. */
	expect("perfect, no L1D", each_load(LINE, "gtx480", none), 32);
}

/* A chain of loads that miss waits for memory, and the statistics say so: one round trip for each
 * of 24 loads. */
static void a_chain_of_loads_waits_for_memory(void **state)
{
	(void)state;
	uint32_t data[(STEPS + 1) * LINE / 4] = {0};
	for (unsigned i = 0; i <= STEPS; i++)
		data[i * LINE / 4] = LINE;
	struct bench b = {.text = chain,
			  .kernel = "k",
			  .block = {1},
			  .config = "gtx480",
			  .in = data,
			  .in_bytes = sizeof data,
			  .n = {STEPS},
			  .set = {"gpu.sms=1"}};
	struct timed t = bench_run(&b);
	uint64_t global = figure(&t, "issue", "score_global"), sp = figure(&t, "issue", "score_sp");
	assert_true(global > STEPS * 300); /* the ROP path alone is 240 core cycles */
	assert_true(sp < STEPS * 30);      /* a conversion and an addition, ten each */
	timed_free(&t);
}

static void a_miss_looks_at_the_tags_first(void **state)
{
	(void)state;
	/* Every load misses the L1. If tags are looked up last, the request leaves later by the
	 * L1's latency. */
	double c[2];
	for (unsigned last = 0; last < 2; last++) {
		const char *set[] = {"gpu.sms=1", "l1d.latency=31",
				     last ? "sm.quirks=+late-lookup" : "sm.quirks=-late-lookup",
				     "l2.host_copies=yes", NULL};
		c[last] = each_load(LINE, "gtx480-700", set);
	}
	expect("difference", c[1] - c[0], 31);
}

/* GPGPU-Sim 4.0 includes the timeline of one warp on its GTX 480
 * (configs/tested-cfgs/SM2_GTX480/golden.log): after a load that hits the L1 the next instruction
 * is issued 39 cycles later, after one that hits the L2 181, after an instruction of one cycle 7,
 * after an addition 10. */
static void the_published_timeline(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=1", NULL};
	expect("L1 hit", each_load(0, "gtx480-700", set), 39 + 7 + 10);
	double c = each_load(LINE, "gtx480-700", set);
	expect("L2 hit", c, 181 + 7 + 10);
}

static void host_copies_are_in_the_l2(void **state)
{
	(void)state;
	const char *yes[] = {"gpu.sms=1", "l2.host_copies=yes", NULL},
		   *no[] = {"gpu.sms=1", "l2.host_copies=no", NULL};
	double hit = each_load(LINE, "gtx480-700", yes), miss = each_load(LINE, "gtx480-700", no);
	/* 100 core cycles to the channel, and at least tCL of 924 MHz. */
	if (miss - hit < 100 + 12 * 700 / 924.0)
		fail_msg("hit %g, miss %g cycles", hit, miss);
}

/* A prefetch that has completed when a load of that word follows, and an addition that needs the
 * load. */
static double load_after(const char *prefetch)
{
	char text[1024];
	uint32_t data[LINE / 4] = {0};
	snprintf(text, sizeof text,
		 HEAD ".reg .u32 %%r<4>; .reg .u64 %%d<4>; .reg .pred %%p; ld.param.u64 %%d1, "
		      "[pin]; ld.param.u32 %%r2, [n0];\n"
		      "%s\n"
		      "L: sub.u32 %%r2, %%r2, 1; setp.ne.u32 %%p, %%r2, 0; @%%p bra L;\n"
		      "ld.global.u32 %%r1, [%%d1]; add.u32 %%r1, %%r1, 1; ret;\n}\n",
		 prefetch);
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {1},
			  .config = "gtx480-700",
			  .set = {"gpu.sms=1", "l2.host_copies=no"},
			  .in = data,
			  .in_bytes = sizeof data,
			  .n = {200}};
	struct timed t = bench_run(&b);
	double c = (double)t.cycles;
	timed_free(&t);
	return c;
}

static void a_prefetch_brings_the_line(void **state)
{
	(void)state;
	double l1 = load_after("prefetch.global.L1 [%d1];"),
	       l2 = load_after("prefetch.global.L2 [%d1];"),
	       other = load_after("prefetch.global.L1 [%d1 + 65536];");
	expect("what the L2 has, more than what the L1 has", l2 - l1, 181 - 39);
	if (other - l2 < 100 + 12 * 700 / 924.0) /* as for host copies above */
		fail_msg("not prefetched %g, prefetched to the L2 %g cycles", other, l2);
}

static void only_the_last_copies_fit(void **state)
{
	(void)state;
	/* 12 slices of 64 sets, 8 ways, 128 bytes; three times that size is copied, then the first
	 * part is read. */
	enum { L2 = 12 * 64 * 8 * 128 };
	static const char text[] =
		HEAD ".reg .u32 %r<4>; .reg .u64 %d<4>; ld.param.u64 %d1, [pin]; ld.param.u32 %r2, "
		     "[n0]; cvt.u64.u32 %d2, %r2;\n"
		     "add.u64 %d1, %d1, %d2; ld.global.u32 %r1, [%d1];\nret;\n}\n";
	void *data = calloc(1, 3 * L2);
	for (unsigned part = 0; part < 3; part++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {1},
				  .config = "gtx480-700",
				  .in = data,
				  .in_bytes = 3 * L2,
				  .n = {part * L2 + L2 / 2},
				  .set = {"gpu.sms=1"}};
		struct timed t = bench_run(&b);
		assert_int_equal(figure(&t, "l2", "hits"), part == 2);
		timed_free(&t);
	}
	free(data);
}

/* The words of a line, stored by even lanes and then by odd lanes, then read: nothing has to be
 * fetched. */
static void stores_join_in_the_l2(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p; ld.param.u64 %d1, [pout]; mov.u32 %r1, %tid.x;\n"
		"mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; and.b32 %r2, %r1, 1; setp.eq.u32 %p, %r2, 0;\n"
		"@%p st.global.u32 [%d1], %r1; @!%p st.global.u32 [%d1], %r1; ld.global.u32 %r2, [%d1];\nret;\n}\n";
	uint64_t fetches[2];
	for (unsigned join = 0; join < 2; join++) {
		struct bench b = {
			.text = text,
			.kernel = "k",
			.block = {32},
			.bytes = LINE,
			.config = "gtx480-700",
			.set = {"gpu.sms=1", join ? "l2.join_writes=yes" : "l2.join_writes=no"}};
		struct timed t = bench_run(&b);
		fetches[join] = figure(&t, "l2", "fetches");
		timed_free(&t);
	}
	assert_int_equal(fetches[0] - fetches[1], 1);
}

static void parameters_go_through_the_constant_cache(void **state)
{
	(void)state;
	static const char text[] = HEAD ".reg .u32 %r<4>; ld.param.u32 %r1, [n0]; ld.param.u32 "
					"%r2, [n1]; add.u32 %r1, %r1, %r2;\nret;\n}\n";
	for (unsigned loads = 0; loads < 2; loads++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {64},
				  .config = "gtx480",
				  .set = {"gpu.sms=1", loads ? "sm.quirks=+loaded-parameters"
							     : "sm.quirks=-loaded-parameters"}};
		struct timed t = bench_run(&b);
		assert_int_equal(figure(&t, "sm", "const_accesses"),
				 loads ? 4 : 0); /* two of each of two warps */
		assert_int_equal(figure(&t, "l1c", "misses"), loads ? 1 : 0); /* all in one line */
		timed_free(&t);
	}
}

/* A warp of 64 threads is two warps of the executor: the addresses of both count. Neighbouring
 * words cause as many accesses as those of two warps of 32. */
static void wide_warps_have_all_their_addresses(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .u32 %r<4>; .reg .u64 %d<4>; ld.param.u64 %d1, [pin]; mov.u32 %r1, %tid.x;\n"
		"ld.param.u32 %r2, [n0]; mul.lo.u32 %r2, %r2, %r1; mul.wide.u32 %d2, %r2, 4;\n"
		"add.u64 %d1, %d1, %d2; ld.global.u32 %r3, [%d1]; ret;\n}\n";
	static const struct {
		const char *size;
		unsigned stride, lines; /* lines of 128 bytes */
	} c[] = {{"gpu.warp_size=32", 1, 2},
		 {"gpu.warp_size=64", 1, 2},
		 {"gpu.warp_size=32", 32, 64},
		 {"gpu.warp_size=64", 32, 64},
		 {"gpu.warp_size=64", 4, 8}};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {64},
				  .config = "gtx480",
				  .in_bytes = 64 * 128,
				  .n = {c[i].stride},
				  .set = {"gpu.sms=1", "sm.simd_width=16", "l1d.line=128",
					  "l2.line=128", c[i].size}};
		struct timed t = bench_run(&b);
		assert_int_equal(figure(&t, "l1d", "reads"), c[i].lines);
		assert_int_equal(figure(&t, "l1d", "misses"), c[i].lines);
		timed_free(&t);
	}
}

/* Two kernels, each the first of its module, have separate code addresses: each is fetched from
 * memory once. */
static void code_of_modules_is_apart(void **state)
{
	(void)state;
	static const char text[] =
		".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
	struct heddle *h;
	struct heddle_module *m[2];
	setenv("HEDDLE_CONF", "conf", 0);
	const char *const set[] = {"gpu.sms=1", NULL};
	assert_int_equal(heddle_open(&h, &(struct heddle_options){.config = "gtx480",
								  .set = set,
								  .timing = true}),
			 HEDDLE_OK);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(heddle_load(h,
					     &(struct heddle_text){"t.ptx", text, sizeof text - 1},
					     1, &m[i]),
				 HEDDLE_OK);
	static const unsigned order[] = {0, 1, 0}, misses[] = {1, 1, 0};
	for (unsigned i = 0; i < 3; i++) {
		struct heddle_launch l = {.kernel = heddle_kernel_find(m[order[i]], "k"),
					  .grid = {1, 1, 1},
					  .block = {32, 1, 1}};
		assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
	}
	char *stats = heddle_stats_json(h);
	json_t *all = json_loads(stats, 0, NULL);
	for (unsigned i = 0; i < 3; i++) {
		struct timed r = {.launch = json_array_get(json_object_get(all, "launches"), i)};
		assert_int_equal(figure(&r, "slice", "requests"), misses[i]);
	}
	json_decref(all);
	free(stats);
	heddle_close(h);
}

static const char matrices[] =
	".version 7.8\n.target sm_90\n.address_size 64\n"
	".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .u32 %%r<20>; .reg .u64 %%d<4>; .shared .align 128 .b8 s[4096]; ld.param.u64 %%d1, "
	"[pin]; mov.u32 %%r9, s;\n"
	"mov.u32 %%r8, %%laneid; mad.lo.u32 %%r8, %%r8, %u, %%r9;\n%s\nret;\n}\n";

static void matrices_are_read_in_pieces(void **state)
{
	(void)state;
	static const struct {
		unsigned stride; /* stride of the rows whose addresses the lanes supply */
		const char *text;
		unsigned cycles, accesses; /* cycles of shared memory; accesses of the L1D */
	} c[] = {
		/* Adjacent rows of 16 bytes: eight rows cover all 32 banks, one matrix per
		 * cycle. */
		{16, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r8];", 4, 0},
		{16, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r8];", 1, 0},
		/* Rows 128 bytes apart: all in the first four banks. */
		{128, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r8];", 8, 0},
		{128, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r8], {%r1,%r2};", 16, 0},
		/* 16 x 16 halves in adjacent rows of 32 bytes: 512 bytes, four lines. */
		{0,
		 "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
		 "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r10}, [%d1];",
		 0, 4},
	};
	static const uint32_t zero[1024];
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		char text[4096];
		snprintf(text, sizeof text, matrices, c[i].stride, c[i].text);
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {32},
				  .config = "gtx480-700",
				  .in = zero,
				  .in_bytes = sizeof zero,
				  .set = {"gpu.sms=1"}};
		struct timed t = bench_run(&b);
		assert_int_equal(figure(&t, "sm", "shared_cycles"), c[i].cycles);
		if (c[i].accesses) /* each line at least once; every piece of every lane is in one
				    * of the lines */
			assert_int_equal(figure(&t, "l1d", "misses"), c[i].accesses);
		timed_free(&t);
	}
}

static void a_bulk_copy_reads_and_writes_lines(void **state)
{
	(void)state;
	/* One thread copies 1040 bytes to shared memory (eight lines and a piece of the ninth) and
	 * 512 bytes back: four lines. */
	static const char text[] = HEAD
		".reg .u64 %d<4>; .reg .pred %p; .reg .u32 %r<4>; .shared .align 128 .b8 to[1152]; "
		".shared .align 8 .b64 bar;\n"
		"ld.param.u64 %d1, [pin]; mbarrier.init.shared.b64 [bar], 1;\n"
		"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1040;\n"
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [%d1], "
		"1040, [bar];\n"
		"cp.async.bulk.global.shared::cta.bulk_group [%d1 + 2048], [to], 512;\n"
		"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nret;\n}\n";
	static const uint32_t zero[1024];
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {1},
			  .config = "gtx480-700",
			  .in = zero,
			  .in_bytes = sizeof zero,
			  .set = {"gpu.sms=1", "l2.host_copies=no"}};
	struct timed t = bench_run(&b);
	assert_int_equal(figure(&t, "l1d", "misses"), 9 + 4);
	timed_free(&t);
}

static void atomics_on_one_word_come_one_by_one(void **state)
{
	(void)state;
	for (unsigned words = 1; words <= 32; words *= 2)
		for (unsigned shared = 0; shared < 3; shared++) {
			char text[1024];
			snprintf(text, sizeof text,
				 HEAD
				 ".reg .u32 %%r<8>; .reg .u64 %%d<4>; .shared .b32 s[32]; "
				 "ld.param.u64 %%d1, [pin];\n"
				 "mov.u32 %%r3, s; mov.u32 %%r1, %%laneid; and.b32 %%r1, %%r1, %u; "
				 "mul.wide.u32 %%d2, %%r1, 4; add.u64 %%d1, %%d1, %%d2;\n"
				 "mad.lo.u32 %%r3, %%r1, 4, %%r3; atom.%s.add.u32 %%r2, [%s], "
				 "1;\nret;\n}\n",
				 words - 1, shared == 1 ? "shared" : "global",
				 shared == 1 ? "%r3" : "%d1");
			struct bench b = {.text = text,
					  .kernel = "k",
					  .block = {32},
					  .config = "gtx480-700",
					  .in_bytes = 128,
					  .set = {"gpu.sms=1", "sm.quirks=-free-shared-atomics",
						  shared == 2 ? NULL : "lsu.coalescing=cc2x"}};
			struct timed t = bench_run(&b);
			/* The given number of lanes shares each word; words of one line, or of 32
			 * bytes, are processed together. */
			if (shared == 1)
				assert_int_equal(figure(&t, "sm", "shared_cycles"), 32 / words);
			else if (!shared)
				assert_int_equal(figure(&t, "sm", "transactions"), 32 / words);
			else
				assert_int_equal(figure(&t, "sm", "transactions"),
						 words > 8 ? 4 : 32 / words);
			timed_free(&t);
		}
}

static void atomics_can_block_a_warp(void **state)
{
	(void)state;
	/* Three reductions whose results are unused. If reductions block, each waits for the one
	 * before. */
	static const char text[] =
		HEAD ".reg .u64 %d<4>; ld.param.u64 %d1, [pin]; red.global.add.u32 [%d1], 1;\n"
		     "red.global.add.u32 [%d1+4], 1; red.global.add.u32 [%d1+8], 1;\nret;\n}\n";
	uint64_t c[2];
	for (unsigned block = 0; block < 2; block++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {1},
				  .config = "gtx480",
				  .in_bytes = 128,
				  .set = {"gpu.sms=1", block ? "sm.quirks=+blocking-atomics"
							     : "sm.quirks=-blocking-atomics"}};
		struct timed t = bench_run(&b);
		c[block] = t.cycles;
		assert_slots_add_up(&t, 2);
		timed_free(&t);
	}
	if (c[1] < c[0] + 2 * 120) /* at least the ROP path twice more */
		fail_msg("%llu cycles, blocked %llu", (unsigned long long)c[0],
			 (unsigned long long)c[1]);
}

/* Each thread writes a word at n0 times its number, then reads a word n1 bytes behind it. */
static const char far_apart[] =
	HEAD ".reg .u32 %r<6>; .reg .u64 %d<4>; ld.param.u64 %d1, [pout]; ld.param.u32 %r1, [n0];\n"
	     "mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, %r1; add.u64 %d1, %d1, %d2;\n"
	     "st.global.u32 [%d1], %r2; ld.param.u32 %r3, [n1]; cvt.u64.u32 %d2, %r3;\n"
	     "add.u64 %d2, %d1, %d2; ld.global.u32 %r3, [%d2]; add.u32 %r3, %r3, 1; ret;\n}\n";

/* A read misses; the only way holds a dirty line, and the queue has room for one of the two
 * messages: the victim leaves first, and only the cache knows of it. */
static void a_victim_leaves_before_the_read(void **state)
{
	(void)state;
	struct bench b = {.text = far_apart,
			  .kernel = "k",
			  .bytes = 8192,
			  .n = {0, 4096},
			  .set = {"gpu.sms=1", "l1d.kind=wb", "l1d.sets=1", "l1d.ways=1",
				  "l1d.miss_queue=1"}};
	struct timed t = bench_run(&b);
	assert_int_equal(figure(&t, "l1d", "write_backs"), 1);
	timed_free(&t);
}

/* Writes that nobody waits for may take longer than the kernel: 256 rows of one bank, a million
 * core cycles each. All complete before the run is checked. */
static void a_slow_channel_writes_to_its_end(void **state)
{
	(void)state;
	struct bench b = {.text = far_apart,
			  .kernel = "k",
			  .block = {256},
			  .bytes = 256 * 32768,
			  .n = {32768},
			  .set = {"gpu.sms=1", "l1d.kind=off", "l2.kind=off", "mem.partitions=1",
				  "gpu.core_mhz=5000", "gpu.dram_mhz=5", "dram.tRC=1000",
				  "dram.write_queue=256", "dram.write_high=256"}};
	struct timed t = bench_run(&b);
	assert_true(figure(&t, "dram", "writes") < 256); /* the kernel's end came before */
	timed_free(&t);
}

static void registers_of_a_thread_can_be_said(void **state)
{
	(void)state;
	static const char text[] = HEAD ".reg .u32 %r<4>; mov.u32 %r1, %tid.x;\nret;\n}\n";
	static const struct {
		const char *set;
		unsigned want;
	} c[] = {
		{"sm.registers_per_thread=34",
		 3}, /* 32768 registers, 34 * 32 in units of 64: 1088 per warp, 8704 per block */
		{"sm.registers_per_thread=21", 5}, /* 704 per warp, 5632 per block */
		{"sm.registers_per_thread=0", 6},  /* as many registers as the code needs: threads
						    * are the limit */
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .grid = {4},
				  .block = {256},
				  .set = {c[i].set, "gpu.perfect_memory=yes"}};
		struct timed t = bench_run(&b);
		assert_int_equal(json_integer_value(json_object_get(t.launch, "blocks_per_sm")),
				 c[i].want);
		timed_free(&t);
	}
}

/* Number of stores of 32 cycles each that enter the load/store unit before one has to wait: the
 * places of its queue, its collectors and its port, and the store being processed. */
static unsigned stores_until_full(unsigned queue, unsigned collectors)
{
	enum { STORES = 16 };
	static char text[4096], q[32], c[32];
	char *p = text;
	p += sprintf(p, HEAD
		     ".reg .u32 %%r<40>; .reg .u64 %%d1; .shared .align 4 .b8 s[4096];\n"
		     "ld.param.u64 %%d1, [pout]; mov.u32 %%r1, %%tid.x; shl.b32 %%r1, %%r1, 7;\n"
		     "mov.u32 %%r2, s; add.u32 %%r2, %%r2, %%r1;\n");
	for (unsigned i = 0; i <= STORES; i++)
		p += sprintf(p, "mov.u32 %%r%u, %%clock;\n%s\n", 10 + i,
			     i < STORES ? "st.shared.u32 [%r2], %r1;" : "");
	for (unsigned i = 0; i < STORES; i++)
		p += sprintf(p, "sub.u32 %%r3, %%r%u, %%r%u; st.global.u32 [%%d1+%u], %%r3;\n",
			     11 + i, 10 + i, 4 * i);
	sprintf(p, "ret;\n}\n");
	sprintf(q, "lsu.queue=%u", queue);
	sprintf(c, "sm.collectors_mem=%u", collectors);
	uint32_t took[STORES];
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32},
			  .config = "gtx480",
			  .out = took,
			  .bytes = sizeof took,
			  .set = {"gpu.sms=1", "gpu.perfect_memory=on", q, c}};
	struct timed t = bench_run(&b);
	timed_free(&t);
	unsigned n = 0;
	while (n < STORES && took[n] <= 10)
		n++;
	return n;
}

static void the_unit_holds_what_its_options_say(void **state)
{
	(void)state;
	for (unsigned queue = 1; queue < 3; queue++)
		for (unsigned collectors = 2; collectors < 5; collectors += 2)
			assert_int_equal(stores_until_full(queue, collectors),
					 1 + queue + collectors + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hit_takes_the_latency),
		cmocka_unit_test(the_unit_holds_what_its_options_say),
		cmocka_unit_test(a_perfect_memory_is_a_hit),
		cmocka_unit_test(a_chain_of_loads_waits_for_memory),
		cmocka_unit_test(a_miss_looks_at_the_tags_first),
		cmocka_unit_test(the_published_timeline),
		cmocka_unit_test(host_copies_are_in_the_l2),
		cmocka_unit_test(a_prefetch_brings_the_line),
		cmocka_unit_test(only_the_last_copies_fit),
		cmocka_unit_test(stores_join_in_the_l2),
		cmocka_unit_test(parameters_go_through_the_constant_cache),
		cmocka_unit_test(wide_warps_have_all_their_addresses),
		cmocka_unit_test(code_of_modules_is_apart),
		cmocka_unit_test(matrices_are_read_in_pieces),
		cmocka_unit_test(a_bulk_copy_reads_and_writes_lines),
		cmocka_unit_test(atomics_on_one_word_come_one_by_one),
		cmocka_unit_test(atomics_can_block_a_warp),
		cmocka_unit_test(a_victim_leaves_before_the_read),
		cmocka_unit_test(a_slow_channel_writes_to_its_end),
		cmocka_unit_test(registers_of_a_thread_can_be_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
