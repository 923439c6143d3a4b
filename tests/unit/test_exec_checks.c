/* --check race,init: local memory byte by byte and frame by frame, lanes that a shuffle reads, flags
 * that whole warps publish. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

#define VERSION ".version 7.8\n.target sm_80\n.address_size 64\n"
#define ENTRY                                                                                      \
	".visible .entry k(.param .u64 p)\n{\n.reg .u32 %r<9>; .reg .u64 %d<5>; .reg .pred %p<5>;\n"

/* Runs kernel k with blocks of `threads` threads and both checks; returns the message, "" for
 * none. */
static const char *said_of(const char *text, unsigned threads, size_t bytes)
{
	static char message[512];
	struct heddle_options o = {
		.check_race = true, .check_init = true, .max_instructions = 1000000};
	struct heddle *h;
	struct heddle_module *m;
	uint64_t at;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"test.ptx", text, strlen(text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, bytes, &at), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, at, 0, 1, bytes), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
				  .params = &at,
				  .grid = {1, 1, 1},
				  .block = {threads, 1, 1}};
	enum heddle_status s = heddle_launch(h, &l);
	snprintf(message, sizeof message, "%s", s ? heddle_message(h) : "");
	heddle_close(h);
	return message;
}

static const char *said(const char *text, unsigned threads) { return said_of(text, threads, 4096); }

static void silent(const char *text, unsigned threads)
{
	const char *m = said(text, threads);
	if (*m)
		fail_msg("%s: %s", text, m);
}

static void says(const char *text, unsigned threads, const char *what)
{
	const char *m = said(text, threads);
	if (!strstr(m, what))
		fail_msg("%s: lacks \"%s\": %s", text, what, m);
}

/* ---- local memory ---- */

#define LOCAL(code)                                                                                \
	VERSION ENTRY ".local .align 8 .b8 buf[16]; mov.u32 %r1, 5; ld.param.u64 %d1, [p];\n" code \
		      "\nred.global.add.u32 [%d1], %r2; ret;\n}\n"

/* A store initialises all of its bytes, and a read is reported only if none of its bytes was
 * written. */
static void bytes_of_local_memory(void **state)
{
	(void)state;
	silent(LOCAL("st.local.u32 [buf+4], %r1; ld.local.u32 %r2, [buf+4];"), 32);
	silent(LOCAL("st.local.u32 [buf+4], %r1; ld.local.u8 %r2, [buf+7];"), 32);
	silent(LOCAL("st.local.u32 [buf+4], %r1; ld.local.u64 %d2, [buf]; cvt.u32.u64 %r2, %d2;"),
	       32);
	says(LOCAL("st.local.u32 [buf+4], %r1; ld.local.u8 %r2, [buf+3];"), 32,
	     "that nothing has written");
	says(LOCAL("st.local.u32 [buf+4], %r1; ld.local.u32 %r2, [buf+8];"), 32,
	     "that nothing has written");
	/* an address counts as used, whether its access is executed or not */
	says(LOCAL("setp.eq.u32 %p1, %r1, 0; ld.local.u64 %d2, [buf]; mov.u32 %r2, 0;\n"
		   "@%p1 ld.global.u32 %r2, [%d2];"),
	     32, "that nothing has written");
	silent(LOCAL("ld.local.u64 %d2, [buf]; mov.u32 %r2, 0; st.local.u64 [buf+8], %d2;"), 32);
}

/* Arguments of printf lie in local memory, where printf reads them. */
static void arguments_of_printf_are_read(void **state)
{
	(void)state;
#define PRINTS(code)                                                                                                             \
	VERSION ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"                                         \
		".global .align 1 .b8 fmt[5] = {37, 46, 48, 115, 0};\n" ENTRY                                                    \
		".local .align 8 .b8 buf[16]; .global .align 1 .b8 none[1] = {0}; mov.u64 %d1, fmt; cvta.global.u64 %d1, %d1;\n" \
		"mov.u64 %d2, none; cvta.global.u64 %d2, %d2; mov.u64 %d3, buf; cvta.local.u64 %d3, %d3;\n" code                 \
		"{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d1; st.param.b64 [b], %d3;\n"                 \
		"call.uni (r), vprintf, (a, b); }\nret;\n}\n"
	silent(PRINTS("st.local.u64 [buf], %d2;\n"), 1);
	says(PRINTS("st.local.u64 [buf+8], %d2;\n"), 1, "local memory");
#undef PRINTS
}

/* A function's frame is uninitialised at each call by each warp; the caller's frame is
 * unaffected. */
static void frames_begin_unwritten(void **state)
{
	(void)state;
#define CALLS(entry)                                                                               \
	VERSION ".func (.param .u32 res) f(.param .u32 depth, .param .u32 w)\n{\n"                 \
		".local .align 4 .b8 buf[8]; .reg .u32 %r<9>; .reg .pred %p<3>;\n"                 \
		"ld.param.u32 %r1, [depth]; ld.param.u32 %r2, [w]; setp.eq.u32 %p1, %r1, 0;\n"     \
		"@%p1 bra LAST; sub.u32 %r1, %r1, 1; st.local.u32 [buf], %r1;\n"                   \
		"{ .param .u32 a; .param .u32 b; .param .u32 c; st.param.u32 [a], %r1;\n"          \
		"st.param.u32 [b], %r2; call (c), f, (a, b); ld.param.u32 %r3, [c]; }\n"           \
		"ld.local.u32 %r4, [buf]; add.u32 %r3, %r3, %r4; bra END;\n"                       \
		"LAST: setp.eq.u32 %p2, %r2, 0; @%p2 bra READ; st.local.u32 [buf+4], %r2;\n"       \
		"READ: ld.local.u32 %r3, [buf+4];\nEND: st.param.u32 [res], %r3; ret;\n}\n" ENTRY  \
		".local .align 4 .b8 own[8]; ld.param.u64 %d1, [p]; mov.u32 %r1, 3;\n"             \
		"st.local.u32 [own], %r1;\n" entry                                                 \
		"ld.local.u32 %r4, [own]; add.u32 %r3, %r3, %r4; red.global.add.u32 [%d1], %r3;\n" \
		"ret;\n}\n"
#define CALL(depth, w)                                                                             \
	"{ .param .u32 a; .param .u32 b; .param .u32 c; st.param.u32 [a], " depth                  \
	"; st.param.u32 [b], " w "; call (c), f, (a, b); ld.param.u32 %r3, [c]; }\n"
	silent(CALLS(CALL("2", "7")), 32);
	silent(CALLS(CALL("2", "7") CALL("1", "7")), 32);
	says(CALLS(CALL("2", "0")), 32, "that nothing has written");
	says(CALLS(CALL("2", "7") CALL("2", "0")), 32, "that nothing has written");
	says(CALLS(CALL("0", "7") CALL("0", "0")), 32, "that nothing has written");
	/* the second warp alone does not write */
	says(CALLS("mov.u32 %r5, %tid.x; setp.lt.u32 %p1, %r5, 32; selp.u32 %r5, 7, 0, %p1;\n" CALL(
		     "1", "%r5")),
	     64, "thread (32,0,0)");
}

/* A function reads an uninitialised variable of its caller, which has no name in the function. */
static void a_variable_of_the_caller(void **state)
{
	(void)state;
#define CALLEE(first)                                                                                                   \
	VERSION ".func f(.param .u64 at, .param .u64 to)\n{\n.reg .u32 %r1; .reg .u64 %d<3>; ld.param.u64 %d1, [at];\n" \
		"ld.param.u64 %d2, [to]; ld.u32 %r1, [%d1]; red.global.add.u32 [%d2], %r1; ret;\n}\n" ENTRY             \
		".local .align 8 .b8 own[16]; mov.u32 %r1, 7; ld.param.u64 %d1, [p]; cvta.local.u64 %d2, own;\n" first  \
		"{ .param .u64 a; .param .u64 b; st.param.u64 [a], %d2; st.param.u64 [b], %d1; call f, (a, b); }\n"     \
		"ret;\n}\n"
	silent(CALLEE("st.local.u32 [own], %r1;\n"), 32);
	says(CALLEE("st.local.u32 [own+4], %r1;\n"), 32,
	     "in local memory that nothing has written");
#undef CALLEE
}

/* ---- shared memory ---- */

/* Lanes 1 to 15 access memory between the two variables; each of the other lanes is checked
 * nevertheless. */
static void lanes_beside_those_between_variables(void **state)
{
	(void)state;
	says(VERSION ENTRY
	     ".shared .align 4 .b8 a[4]; .shared .align 64 .b8 b[128]; mov.u32 %r1, %tid.x;\n"
	     "ld.param.u64 %d1, [p]; shl.b32 %r2, %r1, 2; mov.u32 %r3, a; add.u32 %r2, %r2, %r3;\n"
	     "ld.shared.u32 %r4, [%r2]; red.global.add.u32 [%d1], %r4;\n"
	     "mov.u32 %r5, b; ld.shared.u32 %r4, [%r5]; red.global.add.u32 [%d1], %r4; ret;\n}\n",
	     32, "that nothing has written");
}

/* The address of a thread's own variable is stored in front of a number: a load finds the address,
 * but does not take the number for one. */
static void an_address_beside_a_number(void **state)
{
	(void)state;
#define ESCAPE(from)                                                                               \
	VERSION ENTRY                                                                              \
		".local .align 8 .b8 a[16]; .shared .align 16 .b8 s[32]; mov.u32 %r1, %tid.x;\n"   \
		"setp.ne.u32 %p1, %r1, 5; cvta.local.u64 %d2, a; mov.u64 %d3, 3; @%p1 bra J;\n"    \
		"st.shared.u64 [s+8], %d2; st.shared.u64 [s], %d3; st.shared.u64 [s+16], %d3;\n"   \
		"J: bar.sync 0; ld.shared.u64 %d4, [s+" from "]; ret;\n}\n"
	says(ESCAPE("8"), 32, "local");
	silent(ESCAPE("0"), 32);
	silent(ESCAPE("16"), 32);
#undef ESCAPE
}

/* An address stays one through moves, sums, differences and selections. */
static void an_address_that_is_computed(void **state)
{
	(void)state;
#define COMPUTED(code)                                                                                           \
	VERSION ENTRY                                                                                            \
		".local .align 8 .b8 a[16]; .shared .align 16 .b8 s[32]; mov.u32 %r1, %tid.x; mov.u64 %d3, 8;\n" \
		"setp.ne.u32 %p1, %r1, 5; setp.eq.u32 %p2, %r1, 5; cvta.local.u64 %d4, a; @%p1 bra J;\n" code    \
		" st.shared.u64 [s+8], %d2;\nJ: bar.sync 0; ld.shared.u64 %d4, [s+8]; ret;\n}\n"
	says(COMPUTED("mov.u64 %d2, %d4;"), 32, "local");
	says(COMPUTED("add.u64 %d2, %d4, 8;"), 32, "local");
	says(COMPUTED("add.u64 %d2, %d3, %d4;"), 32, "local");
	says(COMPUTED("sub.u64 %d2, %d4, 0;"), 32, "local");
	says(COMPUTED("selp.u64 %d2, %d4, %d3, %p2;"), 32, "local");
	says(COMPUTED("selp.u64 %d2, %d3, %d4, %p1;"), 32, "local");
#undef COMPUTED
}

/* Behind a variable no larger than the access, and before the next: the one before is named. */
static void behind_a_small_variable(void **state)
{
	(void)state;
#define BEHIND(at)                                                                                                   \
	VERSION ENTRY                                                                                                \
		".shared .align 4 .b8 a[4]; .shared .align 4 .b8 b[4]; .shared .align 4 .b8 c[4]; mov.u32 %r1, 1;\n" \
		"st.shared.u32 [a], %r1; st.shared.u32 [b], %r1; st.shared.u32 [c], %r1; st.shared.u32 [" at         \
		"], %r1; ret;\n}\n"
	says(BEHIND("b+4"), 1, ": 4 bytes after the start of b, which has 4 bytes");
	says(BEHIND("c+4"), 1, ": 4 bytes after the start of c, which has 4 bytes");
	says(BEHIND("c-4"), 1, " bytes after the start of b, which has 4 bytes");
#undef BEHIND
}

/* Words next to an mbarrier do not belong to it; its own words do. */
static void beside_an_mbarrier(void **state)
{
	(void)state;
#define BESIDE(at)                                                                                 \
	VERSION ENTRY                                                                              \
		".shared .align 8 .b8 s[24]; mov.u32 %r1, 1; mbarrier.init.shared.b64 [s+8], 1;\n" \
		"st.shared.u32 [" at "], %r1; mbarrier.arrive.shared.b64 %d2, [s+8];\n"            \
		"mbarrier.test_wait.shared.b64 %p1, [s+8], %d2; ret;\n}\n"
	silent(BESIDE("s+4"), 1);
	silent(BESIDE("s+16"), 1);
	says(BESIDE("s+8"), 1, "mbarrier");
	says(BESIDE("s+12"), 1, "mbarrier");
#undef BESIDE
}

/* ---- places ---- */

/* Code of a header is reported with the nearest line of the kernel's own file, before or after
 * it. */
static void the_nearest_line_of_its_own_file(void **state)
{
	(void)state;
#define HEADER(before, behind)                                                                     \
	VERSION ".file 1 \"x.cu\"\n.file 2 \"h.h\"\n" ENTRY                                        \
		".local .align 8 .b8 buf[16];\n.loc 1 9 0\n"                                       \
		"ld.param.u64 %d1, [p];\n" before ".loc 2 3 0\nld.local.u32 %r2, [buf];\n" behind  \
		"red.global.add.u32 [%d1], %r2;\n.loc 1 14 0\nret;\n}\n"
	says(HEADER("", ".loc 2 4 0\n"), 32, "near x.cu:9, in h.h:3");
	says(HEADER(".loc 2 2 0\nadd.u64 %d1, %d1, 0;\nadd.u64 %d1, %d1, 0;\n", ".loc 1 12 0\n"),
	     32, "near x.cu:12, in h.h:3");
}

/* ---- global memory ---- */

/* An atomic and a plain access of another warp: the atomic wrote. */
static void an_atomic_beside_a_plain_access(void **state)
{
	(void)state;
#define BESIDE(access)                                                                                \
	VERSION ENTRY                                                                                 \
		"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra A;\n" \
		"mov.u32 %r2, 5;\nW: sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra W;\n"     \
		"setp.ne.u32 %p3, %r1, 40; @%p3 ret;\n" access " ret;\n"                              \
		"A: setp.ne.u32 %p3, %r1, 3; @%p3 ret; red.global.add.u32 [%d1], 1; ret;\n}\n"
	says(BESIDE("st.global.u32 [%d1], %r1;"), 64,
	     "written here, written atomically at line 12 by thread 3");
	says(BESIDE("ld.global.u32 %r3, [%d1]; st.global.u32 [%d1+8], %r3;"), 64,
	     "read here, written atomically at line 12 by thread 3");
}

/* A thread may read its own writes, whatever other lanes read with it, and although other threads
 * wrote to the sector. */
static void a_thread_reads_what_it_wrote(void **state)
{
	(void)state;
#define OWN(store, load)                                                                                         \
	VERSION ENTRY                                                                                            \
		"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n" \
		"and.b32 %r2, %r1, 3; setp." store " %p1, %r2, 1; setp." load " %p2, %r2, 2;\n"                  \
		"@%p1 st.global.u32 [%d1], %r1; @%p2 ld.global.u32 %r3, [%d1]; ret;\n}\n"
	silent(OWN("ge.u32", "eq.u32"), 64);
	silent(OWN("ge.u32", "ge.u32"), 64);
	silent(OWN("eq.u32", "ge.u32"), 64);
}

/* Without checks, a lane whose copy has no valid destination is skipped, and the others copy. */
static void copies_beside_one_that_fails(void **state)
{
	(void)state;
	static const char text[] = VERSION ENTRY
		".shared .align 4 .b8 s[128]; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n"
		"shl.b32 %r2, %r1, 2; cvt.u64.u32 %d2, %r2; add.u64 %d1, %d1, %d2; mov.u32 %r3, s;\n"
		"add.u32 %r3, %r3, %r2; mov.u32 %r5, 0; st.shared.u32 [%r3], %r5; mov.u32 %r4, %r3;\n"
		"setp.eq.u32 %p1, %r1, 3; @%p1 mov.u32 %r4, 0x7000000;\n"
		"cp.async.ca.shared.global [%r4], [%d1], 4; cp.async.wait_all;\n"
		"ld.shared.u32 %r5, [%r3]; st.global.u32 [%d1+128], %r5; ret;\n}\n";
	struct heddle_options o = {.no_check = true};
	struct heddle *h;
	struct heddle_module *m;
	uint64_t at;
	uint32_t got[32];
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"test.ptx", text, strlen(text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, 256, &at), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, at, 9, 4, 64), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
				  .params = &at,
				  .grid = {1, 1, 1},
				  .block = {32, 1, 1}};
	assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
	assert_int_equal(heddle_read(h, got, at + 128, sizeof got), HEDDLE_OK);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(got[i], i == 3 ? 0 : 9);
	heddle_close(h);
}

/* The thread that wrote the word is named: lane 5 of the second warp. */
static void the_other_thread_is_named(void **state)
{
	(void)state;
	says(VERSION ENTRY
	     "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %d2, %r2, 4;\n"
	     "add.u64 %d2, %d1, %d2; setp.lt.u32 %p1, %r1, 32; @%p1 bra READER;\n"
	     "st.global.u32 [%d2], %r1; st.relaxed.gpu.global.u32 [%d2+1024], 1; ret;\n"
	     "READER: setp.ne.u32 %p2, %r2, 5; @%p2 exit;\n"
	     "W: ld.relaxed.gpu.global.u32 %r4, [%d2+1024]; setp.eq.u32 %p3, %r4, 0; @%p3 bra W;\n"
	     "ld.global.u32 %r5, [%d2]; red.global.add.u32 [%d1+2048], %r5; ret;\n}\n",
	     64, "by thread 37 of block 0");
	/* and a read that would not see the word, although a barrier lies in between */
	says(VERSION ENTRY
	     "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mul.wide.u32 %d2, %r2, 4;\n"
	     "add.u64 %d2, %d1, %d2; setp.ge.u32 %p1, %r1, 32; @%p1 st.global.u32 [%d2], %r1;\n"
	     "bar.sync 0; setp.ne.u32 %p2, %r1, 5; @%p2 exit;\n"
	     "ld.global.nc.u32 %r5, [%d2]; red.global.add.u32 [%d1+2048], %r5; ret;\n}\n",
	     64, "by thread 37 of block 0");
}

/* The record of accesses to a large buffer is freed as it was allocated. */
static void a_large_buffer(void **state)
{
	(void)state;
	static const char text[] = VERSION ENTRY
		"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4096;\n"
		"add.u64 %d2, %d1, %d2; st.global.u32 [%d2], %r1; ret;\n}\n";
	assert_string_equal(said_of(text, 64, 64 << 20), "");
}

/* ---- lanes ---- */

/* Lane 0 is not in the mask: a shuffle must not read it. */
#define SHUFFLE_AND(way, use)                                                                      \
	VERSION ENTRY "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra END;\n"              \
		      "shfl.sync." way ", 0xfffffffe;\n" use "END: ret;\n}\n"
#define SHUFFLE(way) SHUFFLE_AND(way, "add.u32 %r3, %r2, 1;\n")
static void a_shuffle_reads_lanes_of_its_mask(void **state)
{
	(void)state;
	says(SHUFFLE("up.b32 %r2, %r1, 1, 0"), 32, "reads lane 0");   /* lane 1, from the first */
	says(SHUFFLE("idx.b32 %r2, %r1, 0, 31"), 32, "reads lane 0"); /* all */
	says(SHUFFLE("bfly.b32 %r2, %r1, 1, 31"), 32, "reads lane 0");
	silent(SHUFFLE("down.b32 %r2, %r1, 1, 31"), 32); /* lane 31 reads itself */
	silent(SHUFFLE("up.b32 %r2, %r1, 31, 0"), 31);   /* all are out of range */
	silent(SHUFFLE("idx.b32 %r2, %r1, 31, 31"), 32);
	/* the result is an operand of a select that may not take it, or is unused */
	silent(SHUFFLE_AND("up.b32 %r2, %r1, 1, 0", "selp.u32 %r3, %r2, %r1, %p1;\n"), 32);
	silent(SHUFFLE_AND("up.b32 %r2, %r1, 1, 0", ""), 32);
	says(SHUFFLE_AND("up.b32 %r2, %r1, 1, 0",
			 "selp.u32 %r3, %r2, %r1, %p1; setp.eq.u32 %p2, %r2, 0;\n"),
	     32, "reads lane 0");
}

/* ---- flags ---- */

/* Lane l of the first warp stores its word and publishes its flag; lane l of the second warp waits
 * for that flag: 32 adjacent flags, one per thread. */
#define FLAGS(publish, observe, read)                                                              \
	VERSION ENTRY "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;\n"        \
		      "mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;\n"                         \
		      "setp.ge.u32 %p1, %r1, 32; mov.u32 %r3, 1; @%p1 bra READER;\n"               \
		      "st.global.u32 [%d1], %r1;\n" publish " ret;\nREADER:\n" observe             \
		      "setp.eq.u32 %p2, %r4, 0; @%p2 bra READER;\n" read " ret;\n}\n"
#define READS_WORD "ld.global.u32 %r5, [%d1]; st.global.u32 [%d1+256], %r5;\n"
static void flags_of_a_whole_warp(void **state)
{
	(void)state;
	silent(FLAGS("st.release.gpu.global.u32 [%d1+128], %r3;",
		     "ld.acquire.gpu.global.u32 %r4, [%d1+128];\n", READS_WORD),
	       64);
	silent(FLAGS("fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%d1+128], %r3;",
		     "ld.relaxed.gpu.global.u32 %r4, [%d1+128];\n",
		     "fence.acq_rel.gpu;\n" READS_WORD),
	       64);
	silent(FLAGS("fence.acq_rel.gpu; red.relaxed.gpu.global.add.u32 [%d1+128], %r3;",
		     "atom.relaxed.gpu.global.or.b32 %r4, [%d1+128], 0;\n",
		     "fence.acq_rel.gpu;\n" READS_WORD),
	       64);
	says(FLAGS("st.relaxed.gpu.global.u32 [%d1+128], %r3;",
		   "ld.relaxed.gpu.global.u32 %r4, [%d1+128];\n",
		   "fence.acq_rel.gpu;\n" READS_WORD),
	     64, "race");
	/* each flag publishes its own word, not the neighbour's */
	says(FLAGS("st.release.gpu.global.u32 [%d1+128], %r3;",
		   "ld.acquire.gpu.global.u32 %r4, [%d1+128];\n",
		   "xor.b32 %r6, %r2, 1; sub.s32 %r6, %r6, %r2; mul.wide.s32 %d3, %r6, 4;\n"
		   "add.u64 %d3, %d1, %d3; ld.global.u32 %r5, [%d3];\n"),
	     64, "race");
}

/* ---- copies ---- */

/* A copy transfers initialised and uninitialised bytes as they are: between two allocations, inside
 * one with overlap, and into one that was fully written. */
static void copies_carry_what_is_written(void **state)
{
	(void)state;
	enum { BYTES = 300, ROUNDS = 400 };
	struct heddle_options o = {.check_init = true};
	struct heddle *h;
	uint64_t at[2];
	bool written[2][BYTES] = {{0}};
	uint32_t r = 1;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(heddle_malloc(h, BYTES, &at[i]), HEDDLE_OK);
	assert_false(heddle_written(h, at[0], BYTES));
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned v[5];
		for (unsigned i = 0; i < 5; i++)
			v[i] = (r = r * 1664525 + 1013904223) >> 16;
		unsigned n = 1 + v[0] % 140, dst = v[1] % (BYTES - n), src = v[2] % (BYTES - n);
		unsigned to = v[3] & 1, from = v[4] & 1;
		bool old[BYTES];
		if (round % 16 ==
		    0) { /* fully written: needs no check until unwritten bytes are copied into it */
			assert_int_equal(heddle_fill(h, at[0], 0, 1, BYTES), HEDDLE_OK);
			memset(written[0], 1, BYTES);
		} else if (round % 16 == 1) {
			heddle_free(h, at[1]);
			assert_int_equal(heddle_malloc(h, BYTES, &at[1]), HEDDLE_OK);
			memset(written[1], 0, BYTES);
		} else if (round % 4 == 0) {
			assert_int_equal(heddle_fill(h, at[to] + dst, 1, 1, n % 9), HEDDLE_OK);
			memset(written[to] + dst, 1, n % 9);
		} else {
			assert_int_equal(heddle_copy(h, at[to] + dst, at[from] + src, n),
					 HEDDLE_OK);
			memcpy(old, written[from], BYTES);
			memcpy(written[to] + dst, old + src, n);
		}
		for (unsigned i = 0; i < 2 * BYTES; i++)
			if (heddle_written(h, at[i / BYTES] + i % BYTES, 1) !=
			    written[i / BYTES][i % BYTES])
				fail_msg("round %u: byte %u of %u", round, i % BYTES, i / BYTES);
	}
	heddle_close(h);
}

/* Unordered launches of two kernels store to one word: the report names the first by its launch, as
 * long as its module is loaded. */
static void a_launch_whose_module_is_gone(void **state)
{
	(void)state;
	static const char text[] =
		VERSION ENTRY "ld.param.u64 %d1, [p]; st.global.u64 [%d1], %d1; ret;\n}\n";
	for (unsigned gone = 0; gone < 2; gone++) {
		struct heddle_options o = {.check_race = true};
		struct heddle_text t = {"test.ptx", text, strlen(text)};
		struct heddle *h;
		struct heddle_module *one, *two;
		uint64_t at, first = 7;
		assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
		assert_int_equal(heddle_load(h, &t, 1, &one), HEDDLE_OK);
		assert_int_equal(heddle_load(h, &t, 1, &two), HEDDLE_OK);
		assert_int_equal(heddle_malloc(h, 256, &at), HEDDLE_OK);
		struct heddle_launch l = {.kernel = heddle_kernel_find(one, "k"),
					  .params = &at,
					  .grid = {1, 1, 1},
					  .block = {1, 1, 1},
					  .ticket = first};
		assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
		if (gone)
			heddle_unload(h, one);
		l.kernel = heddle_kernel_find(two, "k");
		l.ticket = 8;
		l.beside = &first;
		l.nbeside = 1;
		assert_int_equal(heddle_launch(h, &l), gone ? HEDDLE_OK : HEDDLE_FAULT);
		heddle_close(h);
	}
}

/* The padding between shared variables belongs to the simulator: a kernel that uses all the shared
 * memory a block may have loads, is described and runs as without checks, and the padding is still
 * watched. */
static void gaps_are_not_the_kernels(void **state)
{
	static const char text[] = VERSION ENTRY
		".shared .align 4 .b8 a[100]; .shared .align 16 .b8 b[32768]; .shared .align 4 .b8 c[200592];\n"
		"ld.param.u64 %d1, [p]; mov.u32 %r1, 1; st.shared.u32 [a], %r1; st.shared.u32 [b], %r1;\n"
		"st.shared.u32 [c], %r1; mov.u32 %r2, %total_smem_size; st.global.u32 [%d1], %r2; ret;\n}\n";
	(void)state;
	for (unsigned check = 0; check < 2; check++) {
		struct heddle_options o = {.check_race = check, .check_init = check};
		struct heddle_kernel_info info;
		struct heddle_stats s;
		struct heddle *h;
		struct heddle_module *m;
		uint64_t at;
		uint32_t total;
		assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
		assert_int_equal(heddle_load(h,
					     &(struct heddle_text){"test.ptx", text, strlen(text)},
					     1, &m),
				 HEDDLE_OK);
		assert_int_equal(heddle_malloc(h, 256, &at), HEDDLE_OK);
		struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
					  .params = &at,
					  .grid = {1, 1, 1},
					  .block = {1, 1, 1}};
		heddle_kernel_info(l.kernel, &info);
		assert_int_equal(info.shared_bytes, 228 << 10);
		assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
		assert_int_equal(heddle_read(h, &total, at, 4), HEDDLE_OK);
		assert_int_equal(total, 228 << 10);
		s = *heddle_stats_at(h, 0);
		assert_int_equal(s.shared_bytes, 228 << 10);
		heddle_close(h);
	}
	says(VERSION ENTRY
	     ".shared .align 4 .b8 a[4]; .shared .align 4 .b8 b[196608]; mov.u32 %r1, 1;\n"
	     "st.shared.u32 [b], %r1; st.shared.u32 [a+4], %r1; ret;\n}\n",
	     1, "shared");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_local_memory),
		cmocka_unit_test(arguments_of_printf_are_read),
		cmocka_unit_test(frames_begin_unwritten),
		cmocka_unit_test(lanes_beside_those_between_variables),
		cmocka_unit_test(an_address_beside_a_number),
		cmocka_unit_test(a_variable_of_the_caller),
		cmocka_unit_test(an_address_that_is_computed),
		cmocka_unit_test(behind_a_small_variable),
		cmocka_unit_test(beside_an_mbarrier),
		cmocka_unit_test(the_nearest_line_of_its_own_file),
		cmocka_unit_test(copies_beside_one_that_fails),
		cmocka_unit_test(a_thread_reads_what_it_wrote),
		cmocka_unit_test(an_atomic_beside_a_plain_access),
		cmocka_unit_test(the_other_thread_is_named),
		cmocka_unit_test(a_large_buffer),
		cmocka_unit_test(a_shuffle_reads_lanes_of_its_mask),
		cmocka_unit_test(flags_of_a_whole_warp),
		cmocka_unit_test(copies_carry_what_is_written),
		cmocka_unit_test(a_launch_whose_module_is_gone),
		cmocka_unit_test(gaps_are_not_the_kernels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
