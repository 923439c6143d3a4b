/* --check race: a store and a load of two blocks or two warps are ordered by a flag that is
 * published after a fence and read before one, and by nothing less; the history of a sector;
 * asynchronous copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

/* The writer stores data, then its flag; the reader waits for the flag, then loads the data. */
struct message {
	const char *release, *publish, *observe, *acquire;
};
#define STORES "st.relaxed.gpu.global.u32 [%d1+4], 1;"
#define ADDS   "red.relaxed.gpu.global.add.u32 [%d1+4], 1;"
#define LOADS  "ld.relaxed.gpu.global.u32 %r2, [%d1+4];"
#define READS  "atom.relaxed.gpu.global.or.b32 %r2, [%d1+4], 0;"
#define FENCE  "fence.acq_rel.gpu;"

/* Runs kernel k with --check race: blocks of x times y threads, a buffer of the given size. */
static enum heddle_status run(const char *text, unsigned blocks, unsigned x, unsigned y, void *data,
			      size_t bytes, char message[512])
{
	struct heddle_options o = {.check_race = true, .max_instructions = 1000000};
	struct heddle *h;
	struct heddle_module *module;
	uint64_t at;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"test.ptx", text, strlen(text)}, 1, &module))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, bytes, &at), HEDDLE_OK);
	assert_int_equal(heddle_write(h, at, data, bytes), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(module, "k"),
				  .params = &at,
				  .grid = {blocks, 1, 1},
				  .block = {x, y, 1}};
	enum heddle_status s = heddle_launch(h, &l);
	snprintf(message, 512, "%s", s ? heddle_message(h) : "");
	if (!s)
		assert_int_equal(heddle_read(h, data, at, bytes), HEDDLE_OK);
	heddle_close(h);
	return s;
}

/* True if a race is reported when block 0 (or, with one block, warp 0) writes. */
static bool races(const struct message *m, unsigned blocks, char message[512])
{
	char text[2048];
	snprintf(
		text, sizeof text,
		".version 6.4\n.target sm_70\n.address_size 64\n"
		".visible .entry k(.param .u64 p)\n{\n"
		".reg .u32 %%r<4>; .reg .u64 %%d<2>; .reg .pred %%p<3>;\n"
		"ld.param.u64 %%d1, [p];\nmov.u32 %%r1, %%%s;\nsetp.ne.u32 %%p1, %%r1, 0;\n"
		"mov.u32 %%r1, %%tid.x;\nsetp.ne.u32 %%p2, %%r1, 0;\n@%%p2 exit;\n@%%p1 bra READER;\n"
		"st.global.u32 [%%d1], 7;\n%s\n%s\nret;\n"
		"READER:\n%s\nsetp.eq.u32 %%p2, %%r2, 0;\n@%%p2 bra READER;\n%s\n"
		"ld.global.u32 %%r3, [%%d1];\nst.global.u32 [%%d1+8], %%r3;\nret;\n}\n",
		blocks == 2 ? "ctaid.x" : "tid.y", m->release, m->publish, m->observe, m->acquire);
	uint32_t data[4] = {0};
	enum heddle_status s = run(text, blocks, blocks == 2 ? 1 : 32, blocks == 2 ? 1 : 2, data,
				   sizeof data, message);
	if (!s)
		assert_int_equal(data[2], 7);
	return s != HEDDLE_OK;
}

static void assert_ordered(const struct message *m)
{
	char message[512];
	if (races(m, 2, message))
		fail_msg("%s %s | %s %s: %s", m->release, m->publish, m->observe, m->acquire,
			 message);
}

static void assert_race(const struct message *m)
{
	char message[512];
	if (!races(m, 2, message))
		fail_msg("%s %s | %s %s: no race", m->release, m->publish, m->observe, m->acquire);
	if (!strstr(message, "race"))
		fail_msg("not a race: %s", message);
}

/* A thread that reads a flag and then executes a fence knows everything published before the flag's
 * fence. */
static void a_flag_between_two_fences_orders_blocks(void **state)
{
	(void)state;
	assert_ordered(&(struct message){FENCE, STORES, LOADS, FENCE});
	assert_ordered(&(struct message){FENCE, ADDS, LOADS, FENCE});
	assert_ordered(&(struct message){FENCE, STORES, READS, FENCE});
	assert_ordered(&(struct message){FENCE, ADDS, READS, FENCE});
	assert_ordered(&(struct message){"", "st.release.gpu.global.u32 [%d1+4], 1;",
					 "ld.acquire.gpu.global.u32 %r2, [%d1+4];", ""});
}

/* A fence on one side only, or of block scope between blocks, orders nothing. */
static void less_than_that_is_a_race(void **state)
{
	(void)state;
	assert_race(&(struct message){"", STORES, LOADS, FENCE});
	assert_race(&(struct message){FENCE, STORES, LOADS, ""});
	assert_race(&(struct message){"fence.acq_rel.cta;", STORES, LOADS, FENCE});
	assert_race(&(struct message){FENCE, STORES, LOADS, "fence.acq_rel.cta;"});
}

/* Warps of one block are ordered by a fence of block scope. */
static void a_fence_of_block_scope_orders_warps(void **state)
{
	(void)state;
	static const struct message m = {"fence.acq_rel.cta;", STORES, LOADS, "fence.acq_rel.cta;"};
	char message[512];
	if (races(&m, 1, message))
		fail_msg("%s", message);
}

/* A flag carries what was published before its own store, not what another address publishes
 * later. */
static void a_flag_stored_before_the_fence_tells_nothing(void **state)
{
	(void)state;
	assert_race(&(struct message){"", STORES FENCE "st.relaxed.gpu.global.u32 [%d1+12], 1;",
				      LOADS, FENCE});
}

/* ---- whole programs in one block ---- */

/* Threads (x, y) with their words of a global and a shared array, 16 bytes each, and flags after
 * the first 512 bytes. True if a race is reported. */
static bool reported(const char *body, unsigned x, unsigned y, char message[512])
{
	char text[4096];
	snprintf(
		text, sizeof text,
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 p)\n{\n"
		".reg .u32 %%r<9>; .reg .u64 %%d<5>; .reg .pred %%p<5>;\n"
		".shared .align 64 .b8 s[1024]; .shared .align 8 .b64 bar;\n"
		"ld.param.u64 %%d1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%tid.y;\n"
		"shl.b32 %%r3, %%r1, 4; mov.u32 %%r4, s; add.u32 %%r4, %%r4, %%r3;\n"
		"mov.u32 %%r6, bar; cvt.u64.u32 %%d2, %%r3; add.u64 %%d2, %%d1, %%d2;\n"
		"setp.eq.u32 %%p1, %%r2, 0; setp.eq.u32 %%p2, %%r2, 1; setp.eq.u32 %%p3, %%r1, 0;\n"
		"%s\nret;\n}\n",
		body);
	uint32_t data[256] = {0};
	enum heddle_status s = run(text, 1, x, y, data, sizeof data, message);
	if (s && !strstr(message, "race"))
		fail_msg("not a race: %s", message);
	return s != HEDDLE_OK;
}

static void assert_silent(const char *body, unsigned x, unsigned y)
{
	char message[512];
	if (reported(body, x, y, message))
		fail_msg("%s: %s", body, message);
}

static void assert_reported(const char *body, unsigned x, unsigned y, const char *says)
{
	char message[512];
	if (!reported(body, x, y, message))
		fail_msg("%s: no race", body);
	if (!strstr(message, says))
		fail_msg("%s: lacks \"%s\": %s", body, says, message);
}

/* Relaxed flags show the time, but order nothing. */
#define TELL(n) "st.relaxed.gpu.global.u32 [%d1+" #n "], 1;\n"
#define WAIT(n, label)                                                                             \
	label ": ld.relaxed.gpu.global.u32 %r7, [%d1+" #n                                          \
	      "]; setp.eq.u32 %p4, %r7, 0; @%p4 bra " label ";\n"

/* Two warps access 64 bytes and leave a mark each. When the first one's mark is replaced, the
 * second one's stays: a third warp races with it at its bytes and nowhere else. */
static void a_mark_stays_when_another_goes(void **state)
{
	(void)state;
#define WARPS(first, second, third)                                                                \
	"@!%p3 exit; @%p1 bra FIRST; @%p2 bra SECOND;\n" WAIT(512, "A") third                      \
		"\nret;\n"                                                                         \
		"FIRST: " first                                                                    \
		"\n" WAIT(520, "B") "st.shared.u32 [%r4], 5;\n" TELL(512) "ret;\n"                 \
									  "SECOND: " second        \
									  "\n" TELL(520)
	assert_reported(WARPS("ld.shared.u32 %r5, [%r4];", "ld.shared.u32 %r5, [%r4+4];",
			      "st.shared.u32 [%r4+4], 1;"),
			32, 3, "written here");
	assert_reported(WARPS("st.shared.u32 [%r4], 1;", "st.shared.u32 [%r4+4], 1;",
			      "ld.shared.u32 %r5, [%r4+4];"),
			32, 3, "read here");
	assert_silent(WARPS("ld.shared.u32 %r5, [%r4];", "ld.shared.u32 %r5, [%r4+4];",
			    "st.shared.u32 [%r4+8], 1;"),
		      32, 3);
	assert_silent(WARPS("st.shared.u32 [%r4], 1;", "st.shared.u32 [%r4+4], 1;",
			    "ld.shared.u32 %r5, [%r4+8];"),
		      32, 3);
#undef WARPS
}

/* Lane 16 begins where lane 15 ends, and both halves of the warp continue from there: two lanes
 * store one word. */
static void a_half_that_begins_again_is_no_row(void **state)
{
	(void)state;
	assert_reported("setp.ge.u32 %p4, %r1, 16; shl.b32 %r5, %r1, 2; @%p4 sub.u32 %r5, %r5, 4;\n"
			"mov.u32 %r4, s; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r1;",
			32, 1, "lanes of one instruction");
	assert_silent(
		"shl.b32 %r5, %r1, 2; mov.u32 %r4, s; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r1;",
		32, 1);
}

/* If the earlier access was a row of words, one per lane, the report names the lane that accessed the
 * word, whether the row begins in the word's sector or in an earlier one. */
static void the_lane_of_a_row_is_named(void **state)
{
	(void)state;
#define ROW(shift, from, store, at)                                                                \
	"@%p1 bra W;\n" WAIT(512, "A") "@!%p3 exit; ld.shared.u32 %r5, [s+" #at "]; ret;\n"        \
				       "W: shl.b32 %r5, %r1, " #shift                              \
				       "; mov.u32 %r4, s; add.u32 %r4, %r4, %r5;\n" store          \
				       " [%r4+" #from "], %r1;\n" TELL(512)
	assert_reported(
		ROW(3, 0, "cvt.u64.u32 %d3, %r1; st.shared.u64 [%r4], %d3; st.shared.u32", 164), 32,
		2, "by thread (20,0,0)");
	assert_reported(ROW(2, 20, "st.shared.u32", 40), 32, 2, "by thread (5,0,0)");
	assert_reported(ROW(2, 20, "st.shared.u32", 80), 32, 2, "by thread (15,0,0)");
#undef ROW
}

/* One thread reads two words on lines with the same number in two files: the report names the read of
 * the word that is written. */
static void a_line_is_one_of_its_file(void **state)
{
	(void)state;
	static const struct {
		unsigned file, at; /* place of the second read, and the word that is written */
		const char *says;
	} t[] = {{2, 4, "two.cu:7"}, {2, 0, "one.cu:7"}, {1, 4, "one.cu:7"}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[2048], message[512];
		uint32_t data[256] = {0};
		snprintf(
			text, sizeof text,
			".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"one.cu\"\n.file 2 \"two.cu\"\n"
			".visible .entry k(.param .u64 p)\n{\n.reg .u32 %%r<9>; .reg .u64 %%d<5>; .reg .pred %%p<5>;\n"
			".shared .align 64 .b8 s[64];\nld.param.u64 %%d1, [p]; mov.u32 %%r1, %%tid.x; setp.ne.u32 %%p2, %%r1, 0; @%%p2 exit;\n"
			"mov.u32 %%r1, %%tid.y; setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra W;\n.loc 1 7 0\nld.relaxed.cta.shared.u32 %%r2, [s];\n"
			".loc %u 7 0\nld.relaxed.cta.shared.u32 %%r3, [s+4];\n.loc 1 9 0\n%sret;\n"
			"W:\n%s.loc 1 12 0\nst.shared.u32 [s+%u], %%r1;\nret;\n}\n",
			t[i].file, TELL(512), WAIT(512, "A"), t[i].at);
		assert_int_equal(run(text, 1, 32, 2, data, sizeof data, message), HEDDLE_FAULT);
		if (!strstr(message, t[i].says))
			fail_msg("lacks \"%s\": %s", t[i].says, message);
	}
}

/* ---- forgotten accesses ---- */

/* Allocating a block of malloc drops the history of that block only: the history of the
 * neighbouring block, with two writers, stays. */
static void only_new_memory_is_forgotten(void **state)
{
	(void)state;
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
		".visible .entry k(.param .u64 p)\n{\n.reg .u32 %r<4>; .reg .u64 %d<5>; .reg .pred %p;\n"
		".param .b64 x; .param .b64 y;\nld.param.u64 %d1, [p];\n"
		"st.param.b64 [x], 240; call.uni (y), malloc, (x); ld.param.b64 %d2, [y];\n"
		"call.uni (y), malloc, (x); ld.param.b64 %d3, [y];\n"
		"atom.add.u32 %r1, [%d2], 1; atom.add.u32 %r1, [%d2+64], 1; atom.add.u32 %r1, [%d2+128], 1;\n"
		"st.u32 [%d3], 1; st.u32 [%d3+8], 2; st.u32 [%d3+64], 1; st.u32 [%d3+72], 2;\n"
		"st.u32 [%d3+128], 1; st.u32 [%d3+136], 2;\n"
		"st.param.b64 [x], %d2; call.uni free, (x); st.param.b64 [x], 240;\n"
		"call.uni (y), malloc, (x); ld.param.b64 %d4, [y]; setp.ne.u64 %p, %d4, %d2;\n@%p trap;\n"
		"ld.u32 %r1, [%d3+8]; ld.u32 %r2, [%d3+72]; add.u32 %r1, %r1, %r2; st.global.u32 [%d1], %r1;\n"
		"ret;\n}\n";
	char message[512];
	uint32_t data[4] = {0};
	if (run(text, 1, 1, 1, data, sizeof data, message))
		fail_msg("%s", message);
	assert_int_equal(data[0], 4);
}

/* Two threads have written a block of malloc and freed it; its next owner, although unordered after
 * them, does not race with them. */
static void new_memory_has_no_writers(void **state)
{
	(void)state;
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
		".visible .entry k(.param .u64 p)\n{\n.reg .u32 %r<4>; .reg .u64 %d<5>; .reg .pred %p<3>; .shared .align 8 .b64 s;\n"
		".param .b64 x; .param .b64 y;\nld.param.u64 %d1, [p]; st.param.b64 [x], 240;\n"
		"mov.u32 %r1, %tid.x; setp.gt.u32 %p0, %r1, 1; @%p0 exit; setp.ne.u32 %p1, %r1, 0;\n"
		"mov.u32 %r2, %tid.y; setp.ne.u32 %p0, %r2, 0; @%p0 bra NEXT; @%p1 bra MEET;\n"
		"call (y), malloc, (x); ld.param.b64 %d2, [y]; st.shared.u64 [s], %d2;\n"
		"MEET: bar.warp.sync 3; ld.shared.u64 %d2, [s]; @%p1 bra SECOND;\n"
		"st.u32 [%d2], 1; st.u32 [%d2+16], 3; ld.u32 %r2, [%d2+24]; bra DONE;\n"
		"SECOND: st.u32 [%d2+8], 2; ld.u32 %r2, [%d2+32];\nDONE: bar.warp.sync 3; @%p1 exit;\n"
		"st.param.b64 [x], %d2; call free, (x);\n"
		"st.relaxed.cta.global.u64 [%d1+8], %d2; st.relaxed.cta.global.u32 [%d1], 1; ret;\n"
		"NEXT: @%p1 exit;\nPOLL: ld.relaxed.cta.global.u32 %r2, [%d1]; setp.eq.u32 %p0, %r2, 0; @%p0 bra POLL;\n"
		"call (y), malloc, (x); ld.param.b64 %d3, [y]; ld.relaxed.cta.global.u64 %d4, [%d1+8];\n"
		"setp.ne.u64 %p0, %d3, %d4; @%p0 trap;\n"
		"st.u32 [%d3], 1; st.u32 [%d3+8], 1; st.u32 [%d3+16], 1; st.u32 [%d3+24], 1; st.u32 [%d3+32], 1;\nret;\n}\n";
	char message[512];
	uint32_t data[8] = {0};
	if (run(text, 1, 32, 2, data, sizeof data, message))
		fail_msg("%s", message);
}

/* Two blocks of malloc in one sector are freed, the lower one last: the sector's record of who
 * freed that block is dropped when an unordered thread allocates its place. */
static void new_memory_was_not_given_back(void **state)
{
	(void)state;
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
		".visible .entry k(.param .u64 p)\n{\n.reg .u32 %r<4>; .reg .u64 %d<5>; .reg .pred %p<3>;\n"
		".param .b64 x; .param .b64 y;\nld.param.u64 %d1, [p]; st.param.b64 [x], 16;\n"
		"mov.u32 %r1, %tid.x; setp.ne.u32 %p0, %r1, 0; @%p0 exit;\n"
		"mov.u32 %r2, %tid.y; setp.ne.u32 %p0, %r2, 0; @%p0 bra NEXT;\n"
		"call (y), malloc, (x); ld.param.b64 %d2, [y]; call (y), malloc, (x); ld.param.b64 %d3, [y];\n"
		"xor.b64 %d4, %d2, %d3; setp.ge.u64 %p0, %d4, 64; @%p0 trap;\n"
		"st.param.b64 [x], %d3; call free, (x); st.param.b64 [x], %d2; call free, (x);\n"
		"st.relaxed.cta.global.u64 [%d1+8], %d2; st.relaxed.cta.global.u32 [%d1], 1; ret;\n"
		"NEXT:\nPOLL: ld.relaxed.cta.global.u32 %r2, [%d1]; setp.eq.u32 %p0, %r2, 0; @%p0 bra POLL;\n"
		"call (y), malloc, (x); ld.param.b64 %d3, [y]; ld.relaxed.cta.global.u64 %d4, [%d1+8];\n"
		"setp.ne.u64 %p0, %d3, %d4; @%p0 trap;\nst.u32 [%d3], 1; st.u32 [%d3+12], 1;\nret;\n}\n";
	char message[512];
	uint32_t data[8] = {0};
	if (run(text, 1, 32, 2, data, sizeof data, message))
		fail_msg("%s", message);
}

/* A block keeps the address of a local variable in its shared memory; a leftover in the next
 * block's shared memory is not taken for an address. */
static void an_address_in_the_memory_of_another_block(void **state)
{
	(void)state;
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .u32 %r<4>; .reg .u64 %d<5>; .reg .pred %p<3>; .shared .align 8 .b64 s[2]; .local .align 8 .b64 own;\n"
		"ld.param.u64 %d1, [p]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra NEXT;\n"
		"cvta.local.u64 %d2, own; st.shared.u64 [s+8], %d2; ret;\n"
		"NEXT: ld.shared.u64 %d3, [s+8]; st.global.u64 [%d1], %d3; ret;\n}\n";
	char message[512];
	uint32_t data[4] = {0};
	if (run(text, 2, 1, 1, data, sizeof data, message))
		fail_msg("%s", message);
}

/* Before a barrier of the warp, one lane's fence counts for all its lanes: another lane may
 * publish, and a lane other than the one that observed may read. */
static void a_warp_shares_its_fences(void **state)
{
	(void)state;
#define WARPS(release, acquire)                                                                                          \
	".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"                           \
	".reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<4>;\n"                                                          \
	"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0; @%p1 bra READER;\n" \
	"setp.ne.u32 %p2, %r1, 3; @%p2 bra W; st.global.u32 [%d1], 7; " release                                          \
	"\nW: bar.warp.sync -1;\n"                                                                                       \
	"setp.eq.u32 %p3, %r1, 5; @%p3 st.relaxed.gpu.global.u32 [%d1+4], 1; ret;\n"                                     \
	"READER: setp.ne.u32 %p2, %r1, 4; @%p2 bra R;\n"                                                                 \
	"L: ld.relaxed.gpu.global.u32 %r2, [%d1+4]; setp.eq.u32 %p3, %r2, 0; @%p3 bra L; " acquire                       \
	"\nR: bar.warp.sync -1;\n"                                                                                       \
	"setp.ne.u32 %p3, %r1, 9; @%p3 exit; ld.global.u32 %r3, [%d1]; st.global.u32 [%d1+8], %r3; ret;\n}\n"
	char message[512];
	uint32_t data[4] = {0};
	if (run(WARPS(FENCE, FENCE), 2, 32, 1, data, sizeof data, message))
		fail_msg("%s", message);
	assert_int_equal(data[2], 7);
	assert_int_equal(run(WARPS("", FENCE), 2, 32, 1, data, sizeof data, message), HEDDLE_FAULT);
	assert_int_equal(run(WARPS(FENCE, ""), 2, 32, 1, data, sizeof data, message), HEDDLE_FAULT);
#undef WARPS
}

/* A block ends while a barrier still records fences for which nobody waited: the next launch begins
 * without them, and sanitizer builds detect leaks. */
static void a_barrier_that_nobody_waits_at(void **state)
{
	(void)state;
	static const char text[] =
		".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<4>;\n"
		"ld.param.u64 %d1, [p]; ld.acquire.gpu.global.u32 %r1, [%d1]; st.release.gpu.global.u32 [%d1], 1;\n" FENCE
		"\nbar.arrive 3, 64; ret;\n}\n";
	char message[512];
	uint32_t data[4] = {0};
	if (run(text, 3, 32, 1, data, sizeof data, message))
		assert_non_null(strstr(message, "barrier"));
}

/* ---- asynchronous copies ---- */

#define COPY     "cp.async.ca.shared.global [%r4], [%d2], 8;\n"
#define COPY_TO2 "cp.async.ca.shared.global [%r4+512], [%d2], 8;\n"
#define COMMIT   "cp.async.commit_group;\n"
#define READ     "ld.shared.u32 %r5, [%r4];\n"
#define READ2    "ld.shared.u32 %r5, [%r4+512];\n"

static void a_copy_is_there_when_its_thread_has_waited(void **state)
{
	(void)state;
	assert_reported(COPY READ, 32, 1, "has not waited for its asynchronous copy");
	assert_reported(COPY READ, 32, 1, "copied to at line ");
	assert_reported(COPY "st.shared.u32 [%r4+4], 0;", 32, 1, "written here");
	assert_reported(COPY COPY, 32, 1, "written here");
	assert_silent(COPY "ld.shared.u32 %r5, [%r4+8];", 32, 1); /* after it */
	assert_silent(COPY "cp.async.wait_all;\n" READ, 32, 1);
	assert_silent(COPY COMMIT "cp.async.wait_group 0;\n" READ, 32, 1);
	/* the copy is then a write of that thread, which an unordered warp races with */
	assert_reported("@%p2 bra OTHER;\n" COPY
			"cp.async.wait_all;\n" TELL(512) "ret;\nOTHER:\n" WAIT(512, "G") READ,
			32, 2, "read here");
	assert_silent("@%p2 bra OTHER;\n" COPY "cp.async.wait_all;\nOTHER: bar.sync 0;\n" READ, 32,
		      2);
}

static void a_thread_can_wait_for_its_older_groups(void **state)
{
	(void)state;
	assert_silent(COPY COMMIT COPY_TO2 COMMIT "cp.async.wait_group 1;\n" READ, 32, 1);
	assert_reported(COPY COMMIT COPY_TO2 COMMIT "cp.async.wait_group 1;\n" READ2, 32, 1,
			"has not waited");
	assert_reported(COPY COMMIT COPY_TO2 "cp.async.wait_group 0;\n" READ2, 32, 1,
			"has not waited");
}

/* Bytes copied by other threads are visible after the mbarrier to which the copies were
 * attached. */
#define INIT(n) "@%p3 mbarrier.init.shared.b64 [%r6], " #n ";\nbar.sync 0;\n"
#define NOTE    "cp.async.mbarrier.arrive.noinc.shared.b64 [%r6];\n"
#define PHASE   "C: mbarrier.test_wait.parity.shared.b64 %p4, [%r6], 0; @!%p4 bra C;\n"
#define NEXT    "xor.b32 %r4, %r4, 16;\n"
static void an_mbarrier_is_told_of_copies(void **state)
{
	(void)state;
	assert_silent(INIT(32) COPY NOTE PHASE NEXT READ, 32, 1);
	/* Nothing is visible until all have arrived. */
	assert_reported(INIT(33) COPY NOTE READ, 32, 1, "has not waited");
	/* A copy that was not attached to the mbarrier. */
	assert_reported(INIT(32) COPY NOTE COPY_TO2 PHASE READ2, 32, 1, "has not waited");
	/* A warp that does not wait races with the copy, even after the copy has ended. */
	assert_reported("@%p2 bra OTHER;\n@%p3 mbarrier.init.shared.b64 [%r6], 32;\n"
			"bar.warp.sync 0xffffffff;\n" COPY NOTE PHASE TELL(
				512) "ret;\n"
				     "OTHER:\n" WAIT(512, "D") READ,
			32, 2, "read here");
}

/* A copy counts as its thread's write from the thread's wait on, not from the copy's start: a
 * barrier between the two orders nothing. */
static void a_copy_is_written_when_its_thread_waits(void **state)
{
	(void)state;
	assert_reported(COPY "bar.sync 0;\ncp.async.wait_all;\n" NEXT READ, 32, 1, "read here");
	assert_silent(COPY "cp.async.wait_all;\nbar.sync 0;\n" NEXT READ, 32, 1);
}

/* The end of a phase informs only threads that test for it: not the copying thread, and not through
 * a barrier after the copy. A thread that has tested may pass the knowledge on. */
static void a_phase_that_nobody_looked_at_tells_nothing(void **state)
{
	(void)state;
	assert_reported(INIT(32) COPY NOTE READ, 32, 1, "has not waited");
	assert_reported(INIT(32) COPY NOTE "st.shared.u32 [%r4], 0;", 32, 1, "written here");
	assert_reported(INIT(32) COPY NOTE "bar.sync 0;\n" READ, 32, 1, "has not waited");
	assert_reported(INIT(32) COPY NOTE "bar.sync 0;\n" NEXT READ, 32, 1, "has not waited");
	assert_silent(INIT(32) COPY NOTE PHASE READ, 32, 1);
	assert_silent(INIT(32) COPY NOTE "cp.async.wait_all;\n" READ, 32, 1);
	/* Thread 0 tests the phase, and a barrier passes that on; without the barrier only thread 0
	 * knows. */
#define FIRST_LOOKS "@!%p3 bra E;\n" PHASE "E:\n"
	assert_silent(INIT(32) COPY NOTE FIRST_LOOKS "bar.sync 0;\n" READ, 32, 1);
	assert_silent(INIT(32) COPY NOTE FIRST_LOOKS "@!%p3 exit;\n" READ, 32, 1);
	assert_reported(INIT(32) COPY NOTE FIRST_LOOKS READ, 32, 1, "has not waited");
	/* One phase later: the end of the first phase does not cover copies attached to the
	 * second. */
#define PHASE2 "F: mbarrier.test_wait.parity.shared.b64 %p4, [%r6], 1; @!%p4 bra F;\n"
	assert_reported(INIT(32) COPY NOTE PHASE COPY_TO2 NOTE READ2, 32, 1, "has not waited");
	assert_silent(INIT(32) COPY NOTE PHASE COPY NOTE PHASE2 READ, 32, 1);
	assert_silent(INIT(32) COPY NOTE COPY_TO2 NOTE PHASE2 READ READ2, 32, 1);
	/* The next copy to these bytes counts as a use of them. */
	assert_reported(INIT(32) COPY NOTE COPY, 32, 1, "written here");
	/* A copy that another copy has overwritten need not be waited for. */
	assert_silent(INIT(32) COPY NOTE FIRST_LOOKS "bar.sync 0;\n" COPY
						     "cp.async.wait_all;\n" READ,
		      32, 1);
}

/* Until its wait, a copy may still read its source: a write to the source races with it, also by
 * its own thread. Bytes that the copy skips are not read. */
#define CHANGE "st.global.u32 [%d2+4], 1;\n"
static void what_a_copy_reads_is_not_written_meanwhile(void **state)
{
	(void)state;
	assert_reported(COPY CHANGE, 32, 1, "written here, copied from at line ");
	assert_reported(COPY CHANGE, 32, 1, "by thread 0 of block 0, which has not waited");
	assert_reported(COPY "red.global.add.u32 [%d2], 1;", 32, 1, "copied from");
	assert_reported(COPY "st.u32 [%d2], 1;", 32, 1, "copied from"); /* a generic address */
	assert_silent(COPY "ld.global.u32 %r5, [%d2+4];", 32, 1);
	assert_silent(COPY "st.global.u32 [%d2+8], 1;", 32, 1); /* after it */
	assert_silent(COPY "cp.async.wait_all;\n" CHANGE, 32, 1);
	assert_reported(COPY COMMIT COPY_TO2 COMMIT "cp.async.wait_group 1;\n" CHANGE, 32, 1,
			"copied from");
	/* four bytes of eight, none */
#define COPY_SOME "cp.async.ca.shared.global [%r4], [%d2], 8, %r8;\n"
	assert_silent("mov.u32 %r8, 4;\n" COPY_SOME CHANGE, 32, 1);
	assert_reported("mov.u32 %r8, 5;\n" COPY_SOME CHANGE, 32, 1, "copied from");
	assert_silent("mov.u32 %r8, 0;\n" COPY_SOME "st.global.u32 [%d2], 1;", 32, 1);
	/* The read counts as its thread's from the wait on: an earlier barrier orders nobody after
	 * it. */
	assert_reported("@%p2 bra OTHER;\n" COPY
			"bar.sync 0;\ncp.async.wait_all;\nret;\nOTHER: bar.sync 0;\n" CHANGE,
			32, 2, "race in global memory");
	assert_silent("@%p2 bra OTHER;\n" COPY
		      "cp.async.wait_all;\nbar.sync 0;\nret;\nOTHER: bar.sync 0;\n" CHANGE,
		      32, 2);
	/* told to an mbarrier */
	assert_reported(INIT(32) COPY NOTE CHANGE, 32, 1, "copied from");
	assert_silent(INIT(32) COPY NOTE PHASE CHANGE, 32, 1);
}

/* Volatile accesses are strong. Lanes that store together and then load each other's words rely on
 * lock step and are reported; a flag of one lane, another warp, global memory and atomics are
 * not. */
static void volatile_does_not_make_lock_step(void **state)
{
	(void)state;
#define MATE "xor.b32 %r4, %r4, 16;\n"
	assert_reported("st.volatile.shared.u32 [%r4], 1;\n" MATE
			"ld.volatile.shared.u32 %r5, [%r4];",
			32, 1, "__syncwarp() is missing");
	assert_silent("st.volatile.shared.u32 [%r4], 1; bar.warp.sync 0xffffffff;\n" MATE
		      "ld.volatile.shared.u32 %r5, [%r4];",
		      32, 1);
	assert_silent("@%p3 st.volatile.shared.u32 [%r6], 1;\nld.volatile.shared.u32 %r5, [%r6];",
		      32, 1);
	assert_silent("st.volatile.shared.u32 [%r4], 1; mov.u32 %r4, s;\n"
		      "@%p3 ld.volatile.shared.u32 %r5, [%r4+16];",
		      32, 1);
	assert_silent("st.volatile.shared.u32 [%r4], 1;\n" MATE
		      "atom.shared.add.u32 %r5, [%r4], 1;",
		      32, 1);
	assert_silent("atom.shared.add.u32 %r5, [%r4], 1;\n" MATE
		      "ld.volatile.shared.u32 %r5, [%r4];",
		      32, 1);
	assert_silent("st.volatile.global.u32 [%d2], 1; xor.b64 %d2, %d2, 16;\n"
		      "ld.volatile.global.u32 %r5, [%d2];",
		      32, 1);
	assert_silent(
		"@%p2 bra SECOND;\nst.volatile.shared.u32 [%r4], 1;\n" TELL(
			512) "ret;\nSECOND:\n" WAIT(512, "A") "ld.volatile.shared.u32 %r5, [%r4];",
		32, 2);
}

/* The other party of a block of two dimensions is named by its coordinates. */
static void threads_of_planes_have_coordinates(void **state)
{
	(void)state;
	assert_reported("@%p1 bra FIRST;\n" WAIT(512, "A") READ
			"ret;\nFIRST:\n"
			"st.shared.u32 [%r4], 1;\n" TELL(512),
			32, 2, "by thread (0,0,0) of block (0,0,0)");
	assert_reported("@%p2 bra SECOND;\n" WAIT(512, "A") READ
			"ret;\nSECOND:\n"
			"st.shared.u32 [%r4], 1;\n" TELL(512),
			32, 2, "by thread (0,1,0) of block (0,0,0)");
	assert_reported("st.shared.u32 [%r6], %r1;", 32, 1, "by thread 0 of block 0");
}

/* cp.async.bulk is attached to its mbarrier from its start; waits for groups do not cover it. */
#define BULK                                                                                       \
	"@%p3 mbarrier.arrive.expect_tx.shared.b64 %d3, [%r6], 64;\n"                              \
	"@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d1], "    \
	"%r8, [%r6];\n"
static void a_bulk_copy_is_there_when_its_phase_was_found_ended(void **state)
{
	(void)state;
#define SIZE "mov.u32 %r8, 64;\n"
	assert_silent(SIZE INIT(1) BULK PHASE READ, 4, 1);
	assert_silent(SIZE INIT(1) BULK "@%p3 exit;\n" PHASE READ, 4, 1);
	assert_reported(SIZE INIT(1) BULK "@!%p3 exit;\n" READ, 4, 1,
			"without a wait for the copy's mbarrier");
	assert_reported(SIZE INIT(1) BULK "@!%p3 exit;\ncp.async.wait_all;\n" READ, 4, 1,
			"without a wait for the copy's mbarrier");
	assert_reported(SIZE INIT(1) BULK "bar.sync 0;\n" READ, 4, 1,
			"without a wait for the copy's mbarrier");
	assert_reported(SIZE INIT(2) BULK "@!%p3 exit;\n"
					  "ld.shared.u32 %r5, [%r4+60];\n",
			4, 1, "without a wait for the copy's mbarrier");
	assert_silent(SIZE INIT(1) BULK "@!%p3 exit;\nld.shared.u32 %r5, [%r4+64];\n" PHASE, 4, 1);
	/* All threads of the first warp have found the copy complete, none of the second. */
	assert_reported(
		SIZE INIT(1) "@%p2 bra W;\n" BULK PHASE TELL(512) "ret;\nW:\n" WAIT(512, "A") READ,
		32, 2, "without a wait for the copy's mbarrier");
	/* nor may its source be written before its end */
	assert_reported(SIZE INIT(1) BULK "@!%p3 exit;\nst.global.u32 [%d1+60], 1;\n", 4, 1,
			"copied from");
	assert_silent(SIZE INIT(1) BULK "@!%p3 exit;\nst.global.u32 [%d1+64], 1;\n" PHASE, 4, 1);
	assert_silent(SIZE INIT(1) BULK "@!%p3 exit;\n" PHASE "st.global.u32 [%d1+60], 1;\n", 4, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flag_between_two_fences_orders_blocks),
		cmocka_unit_test(less_than_that_is_a_race),
		cmocka_unit_test(a_fence_of_block_scope_orders_warps),
		cmocka_unit_test(a_flag_stored_before_the_fence_tells_nothing),
		cmocka_unit_test(a_mark_stays_when_another_goes),
		cmocka_unit_test(a_half_that_begins_again_is_no_row),
		cmocka_unit_test(only_new_memory_is_forgotten),
		cmocka_unit_test(new_memory_has_no_writers),
		cmocka_unit_test(new_memory_was_not_given_back),
		cmocka_unit_test(a_barrier_that_nobody_waits_at),
		cmocka_unit_test(a_warp_shares_its_fences),
		cmocka_unit_test(an_address_in_the_memory_of_another_block),
		cmocka_unit_test(the_lane_of_a_row_is_named),
		cmocka_unit_test(a_line_is_one_of_its_file),
		cmocka_unit_test(a_copy_is_there_when_its_thread_has_waited),
		cmocka_unit_test(a_thread_can_wait_for_its_older_groups),
		cmocka_unit_test(an_mbarrier_is_told_of_copies),
		cmocka_unit_test(a_copy_is_written_when_its_thread_waits),
		cmocka_unit_test(a_phase_that_nobody_looked_at_tells_nothing),
		cmocka_unit_test(what_a_copy_reads_is_not_written_meanwhile),
		cmocka_unit_test(volatile_does_not_make_lock_step),
		cmocka_unit_test(threads_of_planes_have_coordinates),
		cmocka_unit_test(a_bulk_copy_is_there_when_its_phase_was_found_ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
