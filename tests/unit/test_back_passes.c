/* Results of single passes of the code generator: instructions are counted in listings with the pass
 * and without it, and results compared where the pass computes. */
#include "back_run.h"

/* Neighbouring words of shared memory are loaded by one instruction if the address is aligned and
 * nothing is stored in between. */
static void test_joined(void **state)
{
	static const struct {
		const char *code, *has, *has_not;
	} t[] = {{"shl.b32 %r1, %r0, 4; ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+4];"
		  "ld.shared.u32 %r4, [%r1+12]; ld.shared.u32 %r5, [%r1+8];",
		  "LDS.128", "LDS R"},
		 {"shl.b32 %r1, %r0, 3; ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+4];"
		  "ld.shared.u32 %r4, [%r1+8]; ld.shared.u32 %r5, [%r1+12];",
		  "LDS.64", "LDS.128"},
		 {"shl.b32 %r1, %r0, 2; ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+4];"
		  "ld.shared.u32 %r4, [%r1+8]; ld.shared.u32 %r5, [%r1+12];",
		  "LDS R", "LDS."},
		 {"shl.b32 %r1, %r0, 4; ld.shared.u32 %r2, [%r1]; st.shared.u32 [%r0], %r0;"
		  "ld.shared.u32 %r3, [%r1+4]; mov.u32 %r4, 0; mov.u32 %r5, 0;",
		  "LDS R", "LDS."}};
	(void)state;
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[800], *message = NULL;
		snprintf(
			text, sizeof text,
			".version 7.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) { .reg .b32 %%r<8>;"
			".reg .b64 %%d<2>; ld.param.u64 %%d0, [p]; mov.u32 %%r0, %%tid.x;\n%s\n"
			"add.u32 %%r2, %%r2, %%r3; add.u32 %%r4, %%r4, %%r5; xor.b32 %%r2, %%r2, %%r4;"
			"st.global.u32 [%%d0], %%r2; ret; }\n",
			t[i].code);
		char *sass =
			heddle_native_compile(&(struct heddle_text){"k.ptx", text, strlen(text)}, 1,
					      &(struct heddle_compile){0}, &message);
		if (!sass || !strstr(sass, t[i].has) || strstr(sass, t[i].has_not))
			fail_msg("%u: expected '%s', no '%s': %s%s", i, t[i].has, t[i].has_not,
				 sass ? sass : "", message ? message : "");
		free(message);
		free(sass);
	}
}

/* Occurrences of a word in the code with a pass and without it. */
struct counted {
	unsigned sm;
	const char *code, *word;
	unsigned n, n_without;
};
static void check_counts(const struct counted *t, size_t cases, const char *pass)
{
	for (size_t i = 0; i < cases; i++)
		for (unsigned without = 0; without < 2; without++) {
			char *sass = compile_body(t[i].sm, t[i].code, without ? pass : NULL);
			unsigned n = count_of(sass, t[i].word),
				 want = without ? t[i].n_without : t[i].n;
			if (n != want)
				fail_msg("%s %zu, without %u: %u %s, expected %u:\n%s", pass, i,
					 without, n, t[i].word, want, sass);
			free(sass);
		}
}

/* A register that is written twice is two values, and later passes know each. */
static void test_rename(void **state)
{
	static const struct counted t[] = {
		/* one word describes both fields */
		{20,
		 "ld.param.u32 %r5, [n]; bfe.u32 %r3, %r0, %r5, %r0; mov.u32 %r1, %r3;"
		 "xor.b32 %r4, %r1, 5; mov.u32 %r1, %r5; bfe.u32 %r3, %r4, %r1, %r0; mov.u32 %r1, %r3;"
		 "xor.b32 %r2, %r1, %r4;",
		 "BFI", 1, 2},
		/* three sums in one register */
		{20,
		 "ld.global.u32 %r3, [%d0]; ld.global.u32 %r4, [%d0+4]; add.u32 %r1, %r0, %r3;"
		 "add.u32 %r1, %r1, %r4; xor.b32 %r2, %r1, %r3; add.u32 %r1, %r2, %r4;"
		 "add.u32 %r2, %r1, %r0;",
		 "VADD", 2, 0},
		/* the old upper word is read after the new lower one */
		{20,
		 "ld.global.u64 %d1, [%d0]; add.u64 %d1, %d1, %d1; add.u64 %d1, %d1, %d1;"
		 "shr.u64 %d1, %d1, 9; cvt.u32.u64 %r2, %d1;",
		 "IADD.X", 2, 2},
	};
	(void)state;
	check_counts(t, sizeof t / sizeof *t, "rename");
}

/* The end of a path is the last instruction's; guarded code of three instructions is skipped. */
static void test_ends(void **state)
{
	static const struct counted tail[] = {
		{13, "mov.u32 %r2, 1;", "NOP.EXIT", 0, 1},
		{13, "mov.u32 %r2, 1;", "GST.U32.EXIT", 1, 0},
		/* a branch goes to the end, not to the store */
		{13,
		 "ld.param.u32 %r2, [n]; setp.eq.u32 %p0, %r0, %r2; @%p0 bra E; bar.sync 0;"
		 "st.global.u32 [%d0+4], %r2; E:",
		 "GST.U32.EXIT", 1, 0},
		{20,
		 "setp.gt.u32 %p0, %r0, 7; mov.u32 %r2, 1; @%p0 bra E; bar.sync 0; add.u32 %r2, %r0, 5; E:",
		 "IADD.S", 1, 0},
	};
	static const struct counted skip[] = {
		{20,
		 "setp.gt.u32 %p0, %r0, 7; mov.u32 %r2, 1; @%p0 bra E; ld.global.u32 %r3, [%d0];"
		 "xor.b32 %r3, %r3, %r0; st.global.u32 [%d0], %r3; E:",
		 "BRA.U", 1, 0},
		/* two instructions, four of PTX */
		{20,
		 "setp.gt.u32 %p0, %r0, 7; mov.u32 %r2, 1; @%p0 bra E; shl.b32 %r3, %r0, 2;"
		 "add.u32 %r3, %r3, %r0; mov.u32 %r4, %r3; st.shared.u32 [%r4+4], %r0; E:",
		 "BRA.U", 0, 0},
	};
	(void)state;
	check_counts(tail, sizeof tail / sizeof *tail, "tail");
	check_counts(skip, sizeof skip / sizeof *skip, "bra.u");
}

/* Numbers and sums that are part of another instruction. */
static void test_operands(void **state)
{
	static const struct counted fold[] = {
		{13, "max.s32 %r2, %r0, 3;", "MVI", 0, 1},
		{13, "mov.u32 %r1, 77; mul24.lo.u32 %r2, %r0, %r1;", "MVI", 0, 1},
		{20, "mov.u32 %r2, 0;", "ST [R0], RZ", 1, 0},
		{20, "ld.param.u32 %r1, [n]; setp.gt.u32 %p0, %r1, %r0; selp.u32 %r2, 1, 2, %p0;",
		 "ISETP.LT.U32.AND P0, pt, R", 1, 0},
	};
	static const struct counted address[] = {
		{20, "xor.b32 %r1, %r0, 20; add.u32 %r1, %r1, -64; ld.shared.u32 %r2, [%r1+8];",
		 "+-0x38]", 1, 0},
		/* sm_13: the shift writes an address register, and accesses add the offset */
		{13, "shl.b32 %r1, %r0, 2; add.u32 %r1, %r1, 64; ld.shared.u32 %r2, [%r1+4];",
		 "R2A A1, R1, 0x2", 1, 0},
		{13, "shl.b32 %r1, %r0, 2; add.u32 %r1, %r1, 64; ld.shared.u32 %r2, [%r1+4];",
		 "g [A1+0x11]", 1, 0},
		{13,
		 "add.u32 %r1, %r0, -64; shl.b32 %r1, %r1, 1; ld.shared.u16 %r2, [%r1+256];"
		 "st.shared.u16 [%r1+130], %r2;",
		 "IADD", 0, 1},
		/* one access would begin before the register */
		{13,
		 "add.u32 %r1, %r0, -64; ld.shared.u32 %r2, [%r1+8]; st.shared.u32 [%r1+80], %r2;",
		 "IADD", 1, 1},
		/* the sum has another use */
		{13, "add.u32 %r1, %r0, 64; ld.shared.u32 %r2, [%r1]; st.global.u32 [%d0+4], %r1;",
		 "[A1+0x0]", 1, 1},
		/* the register changes in between */
		{20,
		 "mov.u32 %r3, %r0; add.u32 %r1, %r3, 64; add.u32 %r3, %r3, %r3;"
		 "ld.shared.u32 %r2, [%r1]; add.u32 %r2, %r2, %r3;",
		 "0x40]", 1, 0},
	};
	/* doubles whose low 44 bits are zero become immediates; a negated one, a longer one and a
	 * NaN stay in registers (cvt has a third MOV32I) */
	static const struct counted doubles[] = {
		{20,
		 "cvt.rn.f64.u32 %g0, %r0; add.f64 %g1, %g0, 0d3ff0000000000000;"
		 "mul.f64 %g1, 0d3fe0000000000000, %g1; fma.rn.f64 %g1, %g1, 0d4000000000000000, %g0;"
		 "setp.lt.f64 %p0, %g1, 0dc010000000000000; selp.u32 %r2, 1, 2, %p0;",
		 "MOV32I", 0, 0},
		{20,
		 "cvt.rn.f64.u32 %g0, %r0; sub.f64 %g1, %g0, 0d3ff0000000000000;"
		 "cvt.rzi.u32.f64 %r2, %g1;",
		 "MOV32I", 3, 3},
		{20,
		 "cvt.rn.f64.u32 %g0, %r0; mul.f64 %g1, %g0, 0d3ff1000100000000;"
		 "cvt.rzi.u32.f64 %r2, %g1;",
		 "MOV32I", 3, 3},
		{20,
		 "cvt.rn.f64.u32 %g0, %r0; add.f64 %g1, 0d7ff8000000000000, %g0;"
		 "cvt.rzi.u32.f64 %r2, %g1;",
		 "MOV32I", 3, 3},
	};
	static const struct counted imad[] = {
		{13, "ld.global.u32 %r1, [%d0]; mul24.lo.s32 %r2, %r0, %r1; add.s32 %r2, %r2, %r1;",
		 "IMAD.S24", 1, 0},
	};
	(void)state;
	check_counts(fold, sizeof fold / sizeof *fold, "fold");
	check_counts(address, sizeof address / sizeof *address, "address");
	check_counts(doubles, sizeof doubles / sizeof *doubles, "room");
	check_counts(imad, sizeof imad / sizeof *imad, "imad");
}

/* A value that a dominating block has computed is not computed again unless an operand changes in
 * between. */
static void test_common(void **state)
{
	static const struct counted t[] = {
		/* one block */
		{20, "mul.lo.u32 %r1, %r0, %r0; mul.lo.u32 %r3, %r0, %r0; xor.b32 %r2, %r1, %r3;",
		 "IMUL", 1, 2},
		/* a block and the arms it dominates */
		{20,
		 "mul.lo.u32 %r1, %r0, %r0; mov.u32 %r2, %r1; setp.gt.u32 %p0, %r0, 9; @%p0 bra A;"
		 "mul.lo.u32 %r3, %r0, %r0; add.u32 %r2, %r3, 7; st.global.u32 [%d0+4], %r3;"
		 "st.global.u32 [%d0+8], %r0; bra B; A: mul.lo.u32 %r4, %r0, %r0;"
		 "add.u32 %r2, %r4, 9; st.global.u32 [%d0+8], %r3; st.global.u32 [%d0+4], %r4; B:",
		 "IMUL", 1, 3},
		/* two arms, neither of which dominates the other */
		{20,
		 "mov.u32 %r2, 5; setp.gt.u32 %p0, %r0, 9; @%p0 bra A; mul.lo.u32 %r2, %r0, %r0;"
		 "st.global.u32 [%d0+4], %r0; st.global.u32 [%d0+8], %r2;"
		 "bra B; A: st.global.u32 [%d0+8], %r0; mul.lo.u32 %r2, %r0, %r0;"
		 "st.global.u32 [%d0+4], %r2; B:",
		 "IMUL", 2, 2},
		/* an operand that is written in between */
		{20,
		 "mov.u32 %r1, %r0; mul.lo.u32 %r3, %r1, %r1; add.u32 %r1, %r1, 1;"
		 "mul.lo.u32 %r4, %r1, %r1; xor.b32 %r2, %r3, %r4;",
		 "IMUL", 2, 2},
		/* a loop: the last iteration's value is not this iteration's */
		{20,
		 "mov.u32 %r1, %r0; mov.u32 %r2, 0; L: mul.lo.u32 %r3, %r1, %r1; xor.b32 %r2, %r2, %r3;"
		 "add.u32 %r1, %r1, 1; mul.lo.u32 %r4, %r1, %r1; xor.b32 %r2, %r2, %r4;"
		 "setp.lt.u32 %p0, %r1, 9; @%p0 bra L;",
		 "IMUL", 2, 2},
		/* pairs that are read whole */
		{20,
		 "cvt.rn.f64.u32 %g0, %r0; fma.rn.f64 %g1, %g0, %g0, 0d3ff3333333333333;"
		 "fma.rn.f64 %g2, %g1, %g0, 0d3ff3333333333333; cvt.rzi.u32.f64 %r2, %g2;",
		 "0x3ff33333", 1, 2},
		/* a clock is read each time */
		{20, "mov.u32 %r1, %clock; mov.u32 %r3, %clock; sub.u32 %r2, %r3, %r1;", "S2R", 2,
		 2},
		{13, "mul.lo.u32 %r1, %r0, %r0; mul.lo.u32 %r3, %r0, %r0; xor.b32 %r2, %r1, %r3;",
		 "IMUL", 1, 2},
	};
	(void)state;
	check_counts(t, sizeof t / sizeof *t, "common");
}

/* Quotients and remainders by d: of powers of two and their neighbours, random numbers, multiples
 * of d and the numbers just below. */
static void divide_kernel(char *text, size_t n, const char *type, int64_t d)
{
	static const char *const operand[] = {"", "mul.lo.u64 %x, %w, %d;", "sub.u64 %x, %x, 1;"};
	const char *bits = type + 1;
	int at = snprintf(
		text, n,
		HEAD
		".entry k(.param .u64 p, .param .u64 o, .param .u32 n, .param .u32 m) {\n"
		".reg .b32 %%t, %%k, %%i; .reg .b64 %%x, %%p, %%h, %%y, %%w, %%d; .reg .pred %%q;"
		".reg .b%s %%a, %%b, %%c; ld.param.u64 %%p, [o]; mov.u32 %%t, %%tid.x;\n"
		"mul.wide.u32 %%y, %%t, 8; add.u64 %%p, %%p, %%y; and.b32 %%k, %%t, 63;\n"
		"mov.u64 %%y, 1; shl.b64 %%x, %%y, %%k; mov.u64 %%h, 0; shr.u32 %%i, %%t, 6;\n"
		"setp.eq.u32 %%q, %%i, 1; @%%q sub.u64 %%x, %%x, 1;\n"
		"setp.eq.u32 %%q, %%i, 2; @%%q neg.s64 %%x, %%x; cvt.u64.u32 %%w, %%t;\n"
		"mul.lo.u64 %%w, %%w, 0x9e3779b97f4a7c15; shr.u64 %%y, %%w, 29;\n"
		"xor.b64 %%w, %%w, %%y; setp.eq.u32 %%q, %%i, 3; @%%q mov.b64 %%x, %%w;"
		"mov.b64 %%d, %lld;\n",
		bits, (long long)d);
	for (unsigned i = 0; i < 3; i++)
		at += snprintf(
			text + at, n - (size_t)at,
			"%s cvt.u%s.u64 %%a, %%x; div.%s %%b, %%a, %lld; rem.%s %%c, %%a, %lld;\n"
			"cvt.u64.u%s %%y, %%b; mad.lo.u64 %%h, %%h, 0x100000001b3, %%y;\n"
			"cvt.u64.u%s %%y, %%c; mad.lo.u64 %%h, %%h, 0x100000001b3, %%y;\n",
			operand[i], bits, type, (long long)d, type, (long long)d, bits, bits);
	snprintf(text + at, n - (size_t)at, "st.global.u64 [%%p], %%h; ret; }\n");
}

/* Division by a constant has the result of PTX, on both machines. */
static void test_divide(void **state)
{
	static const char *const type[] = {"u16", "s16", "u32", "s32", "u64", "s64"};
	/* beyond 1 to 20: multipliers that need one more bit, and ends of the range */
	static const uint64_t more[] = {21,    28,         100,        641,        1000,
					32767, 32768,      0x7fffffff, 0x80000000, 0x80000001,
					65535, 1000000007, 0xfffffffe, 0xffffffff, 1ull << 63};
	(void)state;
	for (unsigned i = 0; i < 6; i++)
		for (unsigned k = 0; k < 20 + sizeof more / sizeof *more; k++)
			for (unsigned neg = 0; neg <= i % 2; neg++) {
				unsigned spare = 64 - (unsigned)atoi(type[i] + 1);
				uint64_t d = (k < 20 ? k + 1 : more[k - 20]);
				char text[4000], why[400] = "";
				uint8_t out[3][256 * 8];
				struct random_kernel r = {.text = text,
							  .bytes = sizeof out[0],
							  .grid = {1, 1, 1},
							  .block = {256, 1, 1}};
				if (d << spare >> spare != d || (i % 2 && d << spare >> 63))
					continue;
				divide_kernel(text, sizeof text, type[i],
					      neg ? -(int64_t)d : (int64_t)d);
				for (unsigned m = 0; m < 3; m++) {
					struct heddle_options o = {0};
					assert_null(m ? heddle_code_parse(
								m == 1 ? "fermi" : "tesla", &o)
						      : NULL);
					if (!run_random(&r, o, out[m], why, sizeof why))
						fail_msg("%s: %s", text, why);
					if (memcmp(out[m], out[0], sizeof out[0]))
						fail_msg("machine %u: another result:\n%s", m,
							 text);
				}
			}
	/* no routine: a shift, a product */
	static const struct counted t[] = {
		{20, "div.u32 %r2, %r0, 8;", "MUFU", 0, 1},
		{20, "div.u32 %r2, %r0, 8;", "IMUL", 0, 3},
		{20, "rem.s32 %r2, %r0, 10;", "MUFU", 0, 1},
		{13, "rem.u32 %r2, %r0, 16;", "RCP", 0, 1},
		{13, "div.s32 %r2, %r0, 7;", "RCP", 0, 1},
	};
	check_counts(t, sizeof t / sizeof *t, "divide");
}

/* Registers of the kernel in a listing. */
static unsigned registers_of(const char *sass)
{
	const char *at = strstr(sass, ".regs ");
	return at ? (unsigned)strtoul(at + 6, NULL, 10) : 0;
}

/* Products that are needed at the beginning and again at the end are recomputed where keeping them
 * would reduce occupancy: all 256 threads fit with 20 registers, on sm_13 with 16. */
static void test_sharing(void **state)
{
	(void)state;
	for (unsigned tesla = 0; tesla < 2; tesla++) {
		/* n: number of products made twice. Few fit the registers that are free anyway; of
		 * many, as many are shared as fit. */
		for (unsigned n = 8; n <= 24; n += 16) {
			char body[6000];
			size_t at = (size_t)sprintf(body, ".reg .b32 %%a<64>; mov.u32 %%r2, 0;");
			for (unsigned i = 0; i < 2 * n; i++)
				at += (size_t)sprintf(
					body + at,
					"mul24.lo.u32 %%a%u, %%r0, %u;"
					"xor.b32 %%r2, %%r2, %%a%u; shl.b32 %%r2, %%r2, 1;",
					i, 1000 + i % n * 2, i);
			char *with = compile_body(tesla ? 13 : 20, body, NULL),
			     *without = compile_body(tesla ? 13 : 20, body, "common");
			unsigned most = tesla ? 16 : 20; /* registers with which all blocks fit */
			unsigned a = count_of(with, "IMUL"), b = count_of(without, "IMUL");
			if (registers_of(with) > most || registers_of(without) > most || a >= b ||
			    (n > 8 && a < n + n / 4))
				fail_msg("%u products: %u in %u registers, %u without sharing:\n%s",
					 n, a, registers_of(with), b, with);
			free(with);
			free(without);
		}
	}
}

/* Bytes of local memory in a listing. */
static unsigned local_of(const char *sass)
{
	const char *at = strstr(sass, ".local ");
	return at ? (unsigned)strtoul(at + 7, NULL, 10) : 0;
}

/* Forty values that are summed up before the next forty are computed need forty slots; values that
 * an enclosing loop needs have slots of their own. */
static void test_slots(void **state)
{
	enum { LIVE = 40, GROUPS = 4, REGISTERS = 16 };
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		unsigned sm = i % 2 ? 20 : 13, loop = i / 2, stored = 0;
		char body[16000];
		size_t at = (size_t)sprintf(body,
					    ".reg .b32 %%a<%u>; mov.u32 %%r2, 0; mov.u32 %%r3, 0;",
					    LIVE * GROUPS + LIVE);
		for (unsigned k = 0; k < LIVE / 4 && loop; k++)
			at += (size_t)sprintf(body + at, "ld.global.u32 %%a%u, [%%d0+%u];",
					      LIVE * GROUPS + k, 4 * k);
		at += (size_t)sprintf(body + at, "L:");
		for (unsigned g = 0; g < GROUPS; g++) {
			for (unsigned k = 0; k < LIVE; k++)
				at += (size_t)sprintf(body + at,
						      "ld.volatile.global.u32 %%a%u, [%%d0+%u];",
						      g * LIVE + k, 4 * k);
			for (unsigned k = 0; k < LIVE; k++)
				at += (size_t)sprintf(body + at, "mad.lo.u32 %%r2, %%r2, 3, %%a%u;",
						      g * LIVE + k);
		}
		for (unsigned k = 0; k < LIVE / 4 && loop; k++)
			at += (size_t)sprintf(body + at, "mad.lo.u32 %%r2, %%r2, 5, %%a%u;",
					      LIVE * GROUPS + k);
		if (loop)
			sprintf(body + at,
				"add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p0, %%r3, 9; @%%p0 bra L;");
		char *sass = compile_body_as(&(struct heddle_compile){.sm = sm,
								      .max_registers = REGISTERS,
								      .without = "common"},
					     body);
		stored = count_of(sass, sm == 20 ? "STL" : "LST");
		if (stored < GROUPS * (LIVE - REGISTERS) ||
		    local_of(sass) > 4 * (LIVE + (loop ? LIVE / 4 + 4 : 0)))
			fail_msg("%u bytes for %u stores:\n%s", local_of(sass), stored, sass);
		free(sass);
	}
}

int main(void)
{
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_joined),  cmocka_unit_test(test_rename),
		cmocka_unit_test(test_ends),    cmocka_unit_test(test_operands),
		cmocka_unit_test(test_common),  cmocka_unit_test(test_divide),
		cmocka_unit_test(test_sharing), cmocka_unit_test(test_slots),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
