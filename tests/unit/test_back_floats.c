/* Quotients and roots of singles as machine code, in all roundings, of random bits: the bits of PTX
 * on sm_20, and on sm_13 except where it flushes a subnormal operand or result. */
#include "back_run.h"

enum { THREADS = 1 << 14, WORDS_OF_ONE = 16, RESULTS = 12 };
/* a, b, then: */
static const char *const result[RESULTS] = {
	"div.rn.f32 %f, %a, %b;", "div.rz.f32 %f, %a, %b;", "div.rm.f32 %f, %a, %b;",
	"div.rp.f32 %f, %a, %b;", "sqrt.rn.f32 %f, %a;",    "sqrt.rz.f32 %f, %a;",
	"sqrt.rm.f32 %f, %a;",    "sqrt.rp.f32 %f, %a;",    "rcp.rn.f32 %f, %a;",
	"rcp.rz.f32 %f, %a;",     "rcp.rm.f32 %f, %a;",     "rcp.rp.f32 %f, %a;",
};
static uint32_t out[3][THREADS][WORDS_OF_ONE];

/* Half of the threads divide by a number with an exponent near the dividend's, the others by any
 * number; the first few operands by zeros, infinities, a NaN and the ends of the range. */
static void write_kernel(char *text, size_t n)
{
	int at = snprintf(
		text, n,
		HEAD
		".const .b32 odd[16] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1,\n"
		"0x80000001, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0x7e800000,\n"
		"0x7e7fffff, 0x7f000001, 0x40000000, 0x007fffff};\n"
		".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m)\n"
		"{ .reg .b32 %%t, %%x, %%y, %%z; .reg .f32 %%a, %%b, %%f; .reg .pred %%q;\n"
		".reg .b64 %%p, %%w, %%c; ld.param.u64 %%p, [o]; mov.u32 %%t, %%ctaid.x;\n"
		"mov.u32 %%x, %%ntid.x; mov.u32 %%y, %%tid.x; mad.lo.u32 %%t, %%t, %%x, %%y;\n"
		"mul.wide.u32 %%w, %%t, 64; add.u64 %%p, %%p, %%w; mul.lo.u32 %%x, %%t, 0x9e3779b9;\n"
		"shr.u32 %%y, %%x, 15; xor.b32 %%x, %%x, %%y; mul.lo.u32 %%x, %%x, 0x85ebca77;\n"
		"mul.lo.u32 %%y, %%x, 0xc2b2ae3d; shr.u32 %%z, %%y, 13; xor.b32 %%y, %%y, %%z;\n"
		"and.b32 %%z, %%t, 1; setp.eq.u32 %%q, %%z, 0; and.b32 %%z, %%y, 0x80ffffff;\n"
		"@%%q and.b32 %%y, %%x, 0x7f000000; @%%q or.b32 %%y, %%y, %%z;\n"
		"setp.lt.u32 %%q, %%t, 256; and.b32 %%z, %%t, 15; mul.wide.u32 %%w, %%z, 4;\n"
		"mov.u64 %%c, odd; add.u64 %%w, %%w, %%c; @%%q ld.const.u32 %%x, [%%w];\n"
		"bfe.u32 %%z, %%t, 4, 4; mul.wide.u32 %%w, %%z, 4; add.u64 %%w, %%w, %%c;\n"
		"@%%q ld.const.u32 %%y, [%%w]; mov.b32 %%a, %%x; mov.b32 %%b, %%y;\n"
		"st.global.u32 [%%p], %%x; st.global.u32 [%%p+4], %%y;\n");
	for (unsigned i = 0; i < RESULTS; i++)
		at += snprintf(text + at, n - (size_t)at, "%s st.global.f32 [%%p+%u], %%f;\n",
			       result[i], 8 + 4 * i);
	snprintf(text + at, n - (size_t)at, "ret; }\n");
}

static bool subnormal(uint32_t x) { return (x & 0x7fffffff) && (x & 0x7fffffff) < 0x00800000; }

static void test_quotients(void **state)
{
	char text[6000], why[400] = "";
	struct random_kernel r = {.text = text,
				  .bytes = sizeof out[0],
				  .grid = {THREADS / 256, 1, 1},
				  .block = {256, 1, 1}};
	unsigned flushed = 0;
	(void)state;
	write_kernel(text, sizeof text);
	for (unsigned m = 0; m < 3; m++) {
		static const char *const code[] = {"", "fermi", "tesla"};
		struct heddle_options o = {0};
		assert_null(m ? heddle_code_parse(code[m], &o) : NULL);
		if (!run_random(&r, o, (uint8_t *)out[m], why, sizeof why))
			fail_msg("%s", why);
	}
	assert_memory_equal(out[0], out[1], sizeof out[0]);
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 2; i < 2 + RESULTS; i++) {
			const uint32_t *want = out[0][t], *got = out[2][t];
			bool quotient = i < 6; /* the other operations have one operand */
			if (want[i] == got[i])
				continue;
			if (!subnormal(want[0]) && !(quotient && subnormal(want[1])) &&
			    (want[i] & 0x7fffffff) > 0x00800000)
				fail_msg("%s of %08x, %08x: %08x, not %08x", result[i - 2], want[0],
					 want[1], got[i], want[i]);
			flushed++;
		}
	assert_true(flushed < THREADS);
}

/* The routines are short: no loop, no branch, no table. */
static void test_short(void **state)
{
	static const struct {
		unsigned sm;
		const char *body;
		unsigned most;
	} t[] = {
		{20, "div.rn.f32 %f1, %f0, %f0;", 24},
		{13, "div.rn.f32 %f1, %f0, %f0;", 36},
		{13, "sqrt.rn.f32 %f1, %f0;", 36},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char body[200];
		snprintf(body, sizeof body, "ld.global.f32 %%f0, [%%d0]; %s mov.b32 %%r2, %%f1;",
			 t[i].body);
		char *sass = compile_body(t[i].sm, body, NULL);
		if (count_of(sass, ";") > t[i].most || count_of(sass, "BRA"))
			fail_msg("%u, at most %u:\n%s", count_of(sass, ";"), t[i].most, sass);
		free(sass);
	}
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_quotients),
		cmocka_unit_test(test_short),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
