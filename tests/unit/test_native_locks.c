/* Loops that take locks, which functional mode runs as a whole (kernel/lock_loop.c): memory and
 * every count equal those of the loops executed step by step, as they are when a trace is
 * recorded. */
#include "kernel/wstate.h"
#include "api/api.h"
#include "back_run.h"

enum { THREADS = 96, BYTES = 3 * THREADS * 4 + 4096 };

/* Words of shared memory drawn at random, some of which map to one lock; the returned values are
 * part of the result. */
#define EACH(op, value)                                                                            \
	"mad.lo.u32 %r1, %r1, 1664525, 1013904223; shr.u32 %r2, %r1, 20; and.b32 %r2, %r2, %r3;\n" \
	"shl.b32 %r2, %r2, 2; cvt.u64.u32 %d, %r2; add.u64 %d, %d, %s;\n" op " %r4, [%d], " value  \
	"; xor.b32 %r5, %r5, %r4;\n"

static char words[] = HEAD
	".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m)\n"
	"{ .reg .b32 %r<9>; .reg .b64 %d, %s, %g; .reg .pred %q, %o; .shared .align 4 .b8 s[4096];\n"
	"mov.u32 %r0, %tid.x; mov.u32 %r6, %ctaid.x; mad.lo.u32 %r1, %r6, 7919, %r0; mov.u64 %s, s;\n"
	"mov.u32 %r5, 0; mov.u32 %r7, %r0;\n"
	"Z: mul.wide.u32 %d, %r7, 4; add.u64 %d, %d, %s; st.shared.u32 [%d], %r7; add.u32 %r7, %r7, 96;\n"
	"setp.lt.u32 %q, %r7, 1024; @%q bra Z; bar.sync 0; mov.u32 %r7, 0;\n"
	"mov.u32 %r3, 1023; mov.u32 %r8, 0; setp.eq.u32 %q, %r6, 1; @%q mov.u32 %r3, 63;\n"
	"setp.eq.u32 %q, %r6, 2; @%q mov.u32 %r3, 0;\n" /* all threads want one */
	"L:" EACH("atom.shared.add.u32", "3") EACH("atom.shared.max.s32", "%r1") EACH(
		"atom.shared.inc.u32",
		"77") "and.b32 %r4, %r0, 5; setp.eq.u32 %o, %r4, 4; @%o bra N;\n" /* some threads */
	EACH("atom.shared.cas.b32", "%r7, %r1") EACH("atom.shared.exch.b32", "%r1") EACH(
		"atom.shared.and.b32", "%r1") "N:" EACH("atom.shared.min.u32", "%r1")
		EACH("atom.shared.add.f32",
		     "0f3f800000") "add.u32 %r7, %r7, 1; setp.lt.u32 %q, %r7, 5; @%q bra L; bar.sync 0;\n"
				   "ld.param.u64 %g, [p]; mad.lo.u32 %r6, %r6, 96, %r0; mul.wide.u32 %d, %r6, 4; add.u64 %d, %g, %d;\n"
				   "st.global.u32 [%d], %r5; mov.u32 %r7, %r0;\n"
				   "W: mul.wide.u32 %d, %r7, 4; add.u64 %d, %d, %s; ld.shared.u32 %r4, [%d]; mul.wide.u32 %d, %r7, 4;\n"
				   "add.u64 %d, %d, %g; red.global.add.u32 [%d+1152], %r4; add.u32 %r7, %r7, 96;\n"
				   "setp.lt.u32 %q, %r7, 1024; @%q bra W; ret; }\n";

/* The body under the lock's own predicate, as nvcc emits it. */
static char guarded[] =
	"code for sm_20\nFunction : k\n.params 0x0:8 0x8:8 0x10:4\n.shared 4096\n"
	"S2R R0, SR_Tid_X;\nMOV R5, RZ;\nIMUL R1, R0, 0x4;\nSTS [R1], R0;\nSTS [R1+0x400], R0;\nLOP.AND R2, R0, 0xb;\nSHL R2, R2, 0x2;\n"
	"BAR.RED.POPC RZ, RZ;\nSSY done;\nlock:\nLDSLK P0, R3, [R2+0x400];\n@P0 IADD R4, R3, R0;\n"
	"@!P0 IADD R5, R5, 0x1;\n@P0 STSUL [R2+0x400], R4;\n@!P0 BRA lock;\nNOP.S;\ndone:\nBAR.RED.POPC RZ, RZ;\n"
	"LDS R6, [R1+0x400];\nIADD R5, R5, R6;\nIADD R5, R5, R4;\nIADD R1, R1, c [0x0] [0x20];\nST [R1], R5;\nEXIT;\n";

/* No thread uses the old value. */
static char unread[] =
	"code for sm_20\nFunction : k\n.params 0x0:8 0x8:8 0x10:4\n.shared 4096\n"
	"S2R R0, SR_Tid_X;\nLOP.AND R2, R0, 0xb;\nSHL R2, R2, 0x2;\nSSY done;\nlock:\nLDSLK P0, RZ, [R2];\n"
	"@P0 STSUL [R2], R0;\n@!P0 BRA lock;\nNOP.S;\ndone:\nBAR.RED.POPC RZ, RZ;\nLDS R6, [R2];\n"
	"ISCADD R1, R0, c [0x0] [0x20], 0x2;\nST [R1], R6;\nEXIT;\n";

/* Thread 0 holds a lock for longer than its warp's turn: threads of other warps that ask for
 * another lock get it. */
static char held[] =
	"code for sm_20\nFunction : k\n.params 0x0:8 0x8:8 0x10:4\n.shared 4096\n"
	"S2R R0, SR_Tid_X;\nMOV32I R2, 0x40;\nISETP.EQ.AND P1, pt, R0, RZ, pt;\n@P1 STS [R2], R0;\n"
	"@P1 STS [R2+0x4], R0;\nMOV R7, RZ;\nMOV R8, RZ;\nBAR.RED.POPC RZ, RZ;\n"
	"ISETP.LT.AND P3, pt, R0, 0x20, pt;\nSSY meet;\n@!P3 NOP.S;\n@P1 LDSLK P2, R3, [R2];\nhave:\n"
	"IADD R7, R7, 0x1;\nISETP.LT.AND P2, pt, R7, 0x20000, pt;\n@P2 BRA have;\n"
	"@P1 IADD R3, R3, 0x64;\n@P1 STSUL [R2], R3;\nNOP.S;\nmeet:\nIADD R8, R8, 0x1;\n"
	"ISETP.LT.AND P2, pt, R8, 0x40, pt;\n@P2 BRA meet;\nLOP.AND R4, R0, 0x1;\nISCADD R4, R4, R2, 0x2;\n"
	"SSY done;\nlock:\nLDSLK P0, R3, [R4];\nIADD R3, R3, R0;\n@P0 STSUL [R4], R3;\n@!P0 BRA lock;\n"
	"NOP.S;\ndone:\nBAR.RED.POPC RZ, RZ;\nLDS R6, [R4];\nISCADD R1, R0, c [0x0] [0x20], 0x2;\n"
	"ST [R1], R6;\nEXIT;\n";

/* How many loops are run as a whole. */
static void count_loops(void *arg, const struct wstate *ws, uint32_t pc)
{
	const struct image *img = ws->w.cta->l->img;
	unsigned *n = arg, found = 0;
	(void)pc;
	for (uint32_t i = 0; i < img->ncode; i++)
		found += img->code[i].op == OP_NATIVE && img->code[i].in->mode == NCTL_SSY &&
			 img->code[i].reconv != NO_PC;
	*n = found;
}

/* All figures of the launch except its wall time, malloc'ed. */
static char *figures(struct heddle *h)
{
	char *s = heddle_stats_json(h);
	for (char *p = s; (p = strstr(p, "seconds\": ")); p++) {
		char *end = p + strcspn(p, ",}\n");
		memmove(p, end, strlen(end) + 1);
	}
	return s;
}

static char *run_text(char *text, const char *code, bool traced, uint8_t *out, unsigned *loops)
{
	struct heddle *h;
	struct heddle_options o = {.max_instructions = 20000000, .threads = 1};
	char why[400] = "";
	uint64_t buf;
	assert_null(code ? heddle_code_parse(code, &o) : NULL);
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	struct heddle_kernel *k =
		kernel_load(h, (struct heddle_text){"k", text, strlen(text)}, "k", why, sizeof why);
	if (!k)
		fail_msg("%s", why);
	h->trace = traced ? count_loops : NULL;
	h->trace_arg = loops;
	assert_int_equal(heddle_malloc(h, BYTES, &buf), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, buf, 0, 1, BYTES), HEDDLE_OK);
	struct {
		uint64_t in, out;
		uint32_t n;
	} params = {buf, buf, 0};
	struct heddle_launch l = {
		.kernel = k, .grid = {3, 1, 1}, .block = {THREADS, 1, 1}, .params = &params};
	if (heddle_launch(h, &l))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_read(h, out, buf, BYTES), HEDDLE_OK);
	char *s = figures(h);
	heddle_close(h);
	return s;
}

static void same(char *text, const char *code, unsigned want)
{
	static uint8_t out[2][BYTES];
	unsigned loops = 0;
	char *s[2];
	for (unsigned i = 0; i < 2; i++)
		s[i] = run_text(text, code, i, out[i], &loops);
	assert_int_equal(loops, want);
	assert_memory_equal(out[0], out[1], BYTES);
	assert_string_equal(s[0], s[1]);
	free(s[0]);
	free(s[1]);
}

static void test_fermi(void **state)
{
	(void)state;
	same(words, "fermi", 8);
}
static void test_tesla(void **state)
{
	(void)state;
	same(words, "tesla", 8);
}
static void test_guarded(void **state)
{
	(void)state;
	same(guarded, NULL, 1);
}
static void test_held(void **state)
{
	(void)state;
	same(held, NULL, 1);
}
static void test_unread(void **state)
{
	(void)state;
	same(unread, NULL, 1);
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_fermi),   cmocka_unit_test(test_tesla),
		cmocka_unit_test(test_guarded), cmocka_unit_test(test_held),
		cmocka_unit_test(test_unread),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
