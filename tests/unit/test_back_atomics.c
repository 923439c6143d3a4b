/* Locks and atomics as machine code: places at which a lock is released, and addresses that may
 * be of two spaces. Memory is that of the PTX run, in functional and in timing mode. */
#include "back_run.h"

#define TAKE(sp) "atom." sp ".cas.b32 %r1, [%l], 0, 1; setp.ne.u32 %q, %r1, 0;"
#define GIVE(sp) "membar.gl; atom." sp ".exch.b32 %r1, [%l], 0;"
#define ADD(n)                                                                                     \
	"ld.volatile.global.u32 %r2, [%c]; add.u32 %r2, %r2, " n                                   \
	"; st.volatile.global.u32 [%c], %r2;"
#define ARMS(sp)                                                                                                                                        \
	{                                                                                                                                               \
		/* released in both arms of a branch after the spin loop; another loop follows */                                                       \
		"L:" TAKE(sp) "@%q bra L; @%o bra B;" ADD("1") GIVE(sp) "bra M; B:" ADD("2") GIVE(                                                      \
			sp) "M: add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3; @%q bra L;", /* as above, with a loop that starts again by falling through */ \
			"bra.uni L; B:" ADD("2") GIVE(                                                                                                  \
				sp) "M: add.u32 %i, %i, 1;"                                                                                             \
				    "setp.eq.u32 %q, %i, 3; @%q bra X; L:" TAKE(                                                                        \
					    sp) "@%q bra L;"                                                                                            \
						"@%o bra B;" ADD("1") GIVE(                                                                             \
							sp) "bra M; X:", /* released in one arm
									  * after a loop, in the other before more
									  * work */                                                         \
			"L:" TAKE(sp) "@%q bra L; @%o bra B;" ADD("1")                                                                                  \
				GIVE(sp) "st.global.u32 [%c+64], 5; bra M; B:" ADD(                                                                     \
					"2") "add.u32 %i, %i, 1;"                                                                                       \
					     "setp.lt.u32 %q, %i, %w; @%q bra B;" GIVE(                                                                 \
						     sp) "M:", /* released in one arm, whose threads
							        * end there */                                                    \
			"L:" TAKE(sp) "@%q bra L; @%o bra B;" ADD("1") GIVE(sp) "ret; B:" ADD("2")                                                      \
				GIVE(sp) "st.global.u32 [%c+64], 7;", /* released in the loop;
								       * waiting threads share its back edge; some threads end */                                                          \
			"bra.uni L; N: setp.lt.u32 %q, %i, 3; @%q bra L; bra.uni X; L:" TAKE(                                                           \
				sp) "@%q bra N;" ADD("1")                                                                                               \
				GIVE(sp) "setp.eq.u32 %q, %w, 3; @%q bra X;"                                                                            \
					 "add.u32 %i, %i, 1; bra.uni N; X:", /* as above, in the arm that is branched to */                             \
			"bra.uni L; E:" ADD("1") GIVE(                                                                                                  \
				sp) "setp.eq.u32 %q, %w, 3; @%q bra X;"                                                                                 \
				    "add.u32 %i, %i, 1; N: setp.ge.u32 %q, %i, 3; @%q bra X; L:" TAKE(                                                  \
					    sp) "@!%q bra E; bra.uni N; X:", /* released in the
									      * loop, which ends when a word is set */                                                         \
			"L:" TAKE(sp) "@%q bra N;" ADD("1") GIVE(                                                                                       \
				sp) "mov.u32 %i, 1; N:"                                                                                                 \
				    "setp.eq.u32 %q, %i, 0; @%q bra L;", /* likewise, on one of two
									  * paths */                                                     \
			"L:" TAKE(sp) "@%q bra N; @%o bra B;" ADD("1")                                                                                  \
				GIVE(sp) "mov.u32 %i, 1;"                                                                                               \
					 "bra N; B:" ADD("2")                                                                                           \
						 GIVE(sp) "bra X; N: setp.eq.u32 %q, %i, 0;"                                                            \
							  "@%q bra L; X:",                                                                              \
	}

/* Threads of a warp that spin for a lock do not keep its owner from releasing it, wherever the
 * release stands. */
static void test_arms(void **state)
{
	static const char *const arms[2][8] = {ARMS("global"), ARMS("shared")};
	static const char *const code[] = {"", "fermi", "tesla"};
	(void)state;
	for (unsigned i = 0; i < 2 * 8 * 5; i++) {
		unsigned shared = i / 40, k = i / 5 % 8, m = i % 5, timing = m > 2;
		static uint8_t out[2][256];
		char text[4000], why[400] = "";
		struct heddle_options o = {.timing = timing};
		struct random_kernel r = {.text = text,
					  .bytes = sizeof out[0],
					  .grid = {2, 1, 1},
					  .block = {48, 1, 1}};
		snprintf(text, sizeof text,
			 HEAD
			 ".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m)\n"
			 "{ .reg .b32 %%r<4>, %%i, %%w; .reg .b64 %%l, %%c; .reg .pred %%q, %%o;\n"
			 ".shared .align 4 .b32 lock; ld.param.u64 %%c, [p]; mov.u64 %%l, %s;\n"
			 "mov.u32 %%i, %%ctaid.x; mul.lo.u32 %%i, %%i, %u; cvt.u64.u32 %%l, %%i;\n"
			 "add.u64 %%c, %%c, %%l; mov.u64 %%l, %s; %s add.u64 %%c, %%c, 4;\n"
			 "mov.u32 %%i, 0; mov.u32 %%w, %%tid.x; and.b32 %%r1, %%w, 1;\n"
			 "setp.ne.u32 %%o, %%r1, 0; and.b32 %%w, %%w, 3;\n%s\nret; }\n",
			 shared ? "lock" : "%c", shared ? 4 : 0, shared ? "lock" : "%c",
			 shared ? "st.shared.u32 [lock], 0; bar.sync 0;" : "", arms[shared][k]);
		assert_null(m ? heddle_code_parse(code[timing ? m - 2 : m], &o) : NULL);
		o.config = timing ? (m == 3 ? "tesla-c2050" : "quadro-fx5800") : NULL;
		if (!run_random(&r, o, out[m > 0], why, sizeof why))
			fail_msg("%s: %s", text, why);
		if (m && memcmp(out[0], out[1], sizeof out[0]))
			fail_msg("%s%s: another result:\n%s", code[timing ? m - 2 : m],
				 timing ? " in timing mode" : "", text);
	}
}

/* Atomics whose address is in shared memory for some threads and in global memory for others: both
 * machines have a different instruction for each space. Where no generic address can be in shared
 * memory, sm_20 uses one instruction. */
static void test_mixed(void **state)
{
#define MIXED(cvta)                                                                                \
	HEAD ".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m)\n"              \
	     "{ .reg .b32 %r<4>; .reg .b64 %a, %g, %w, %x; .reg .f32 %f; .reg .pred %q;\n"         \
	     ".shared .align 8 .b8 s[256]; mov.u32 %r0, %tid.x; ld.param.u64 %g, [p];\n"           \
	     "mul.wide.u32 %w, %r0, 8; mov.u64 %a, s; add.u64 %x, %a, %w; mov.u64 %w, 0;\n"        \
	     "setp.lt.u32 %q, %r0, 32; @%q st.shared.u64 [%x], %w; bar.sync 0;\n" cvta             \
	     "and.b32 %r1, %r0, 1; setp.ne.u32 %q, %r1, 0; selp.b64 %a, %a, %g, %q;\n"             \
	     "atom.add.u32 %r1, [%a], %r0; red.max.s32 [%a+4], %r0; mov.f32 %f, 0f3f800000;\n"     \
	     "red.add.f32 [%a+8], %f; atom.cas.b32 %r1, [%a+12], 0, 7; cvt.u64.u32 %w, %r0;\n"     \
	     "atom.shared.add.u32 %r1, [s], 1; red.add.u64 [%a+16], %w; shl.b64 %w, %w, 40;\n"     \
	     "atom.max.u64 %x, [%a+24], %w; atom.exch.b64 %x, [%a+32], 9; bar.sync 0;\n"           \
	     "mul.wide.u32 %w, %r0, 8; mov.u64 %a, s; add.u64 %x, %a, %w; add.u64 %g, %g, %w;\n"   \
	     "setp.lt.u32 %q, %r0, 8; @%q ld.shared.u64 %w, [%x];\n"                               \
	     "@%q st.global.u64 [%g+64], %w; ret; }\n"
	static char mixed[] = MIXED("cvta.shared.u64 %a, %a;"), global[] = MIXED("mov.u64 %a, %g;");
	static const char *const code[] = {"", "fermi", "tesla"};
	(void)state;
	for (unsigned i = 0; i < 2 * 5; i++) {
		unsigned m = i % 5, timing = m > 2;
		static uint8_t out[2][256];
		char why[400] = "";
		struct heddle_options o = {.timing = timing};
		struct random_kernel r = {.text = i < 5 ? mixed : global,
					  .bytes = sizeof out[0],
					  .grid = {1, 1, 1},
					  .block = {96, 1, 1}};
		assert_null(m ? heddle_code_parse(code[timing ? m - 2 : m], &o) : NULL);
		o.config = timing ? (m == 3 ? "tesla-c2050" : "quadro-fx5800") : NULL;
		if (!run_random(&r, o, out[m > 0], why, sizeof why))
			fail_msg("%u: %s", i, why);
		assert_memory_equal(out[0], out[m > 0], sizeof out[0]);
	}
	for (unsigned i = 0; i < 2; i++) { /* one lock is for the .shared one */
		const char *text = i ? global : mixed;
		char *message = NULL, *sass = heddle_native_compile(
					      &(struct heddle_text){"k.ptx", text, strlen(text)}, 1,
					      &(struct heddle_compile){0}, &message);
		if (!sass)
			fail_msg("%s", message ? message : "");
		assert_int_equal(count_of(sass, "LDSLK"), i ? 1 : 8);
		free(sass);
		free(message);
	}
}

int main(void)
{
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_arms),
		cmocka_unit_test(test_mixed),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
