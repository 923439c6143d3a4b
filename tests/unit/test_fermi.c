/* Fermi: vectors and random words in both directions, special cases of the text, invalid text. */
#include "native_roundtrip.h"

static void test_nvidia_text(void **s)
{
	(void)s;
	assert_int_equal(check_vectors("tests/data/isa/fermi_nvidia_text.tsv", NATIVE_FERMI, 149),
			 0);
}

static void test_real_shapes(void **s)
{
	(void)s;
	assert_int_equal(check_vectors("tests/data/isa/fermi_real_shapes.tsv", NATIVE_FERMI, 226),
			 0);
}

/* Lines of public listings of later toolkits; the words for sm_30 equal sm_20's except for
 * scheduling. */
static void test_listing_pairs(void **s)
{
	(void)s;
	assert_int_equal(check_vectors("tests/data/isa/fermi_listing_pairs.tsv", NATIVE_FERMI, 53),
			 0);
}

static void test_random_words(void **s)
{
	(void)s;
	check_random(NATIVE_FERMI, 200000, 40000);
}

static void expect(uint64_t word, uint32_t pc, enum native_style st, const char *text)
{
	struct ninst in;
	char buf[256];
	assert_true(native_decode(NATIVE_FERMI, word, pc, &in));
	native_print(&in, st, buf, sizeof(buf));
	assert_string_equal(buf, text);
}

static void test_styles(void **s)
{
	(void)s;
	expect(0x80104000fc411d06ull, 0, NSTYLE_CUDA4, "TEX.P R4, R4, 0x0, 0x0, 2D, 0x1");
	expect(0x6000c0000820de03ull, 0, NSTYLE_CUDA40, "SHL R3, R2, 0x2");
	expect(0x6000c0000820de03ull, 0, NSTYLE_CUDA4, "SHL.W R3, R2, 0x2");
	expect(0x6000c0000820de03ull, 0, NSTYLE_CUDA5, "SHL.W R3, R2, 0x2");
	expect(0x5000c0002030dd00ull, 0, NSTYLE_CUDA4, "FADD R3, R3, 0x8.NEG");
	expect(0x307ed7e000412000ull, 0, NSTYLE_CUDA5,
	       "@!P0 FFMA R4, R4, 18446744073709551616, RZ");
	expect(0x0c0e00004407dc04ull, 0, NSTYLE_CUDA5, "PSETP.OR.AND P3, PT, P0, P1, PT");
	expect(0x2c00000084001c04ull, 0, NSTYLE_CUDA5, "S2R R0, SR_TID.X");
	expect(0x4000000000001df4ull, 0, NSTYLE_CUDA5, "NOP.S");
}

static uint64_t assemble(const char *text, uint32_t pc)
{
	struct ninst in;
	char err[160];
	if (!native_assemble(NATIVE_FERMI, text, strlen(text), pc, NULL, NSTYLE_CUDA4, &in, err,
			     sizeof(err)))
		fail_msg("'%s': %s", text, err);
	return in.word;
}

/* Spellings of either style, blanks anywhere, shortened forms. */
static void test_spellings(void **s)
{
	(void)s;
	assert_int_equal(assemble("MOV R1,c[0x1][0x100];", 0), 0x2800440400005de4ull);
	assert_int_equal(assemble("  MOV  R1 , c [ 0x1 ] [ 0x100 ] ;", 0), 0x2800440400005de4ull);
	assert_int_equal(assemble("ISETP.GE.AND P0, PT, R2, c[0x0][0x2c], PT", 0),
			 0x1b0e4000b021dc23ull);
	assert_int_equal(assemble("S2R R0, SR_CTAID.X", 0), 0x2c00000094001c04ull);
	assert_int_equal(assemble("S2R R2, SR Tid X", 0), 0x2c00000084009c04ull);
	assert_int_equal(assemble("NOP.S", 0), 0x4000000000001df4ull);
	assert_int_equal(assemble("ISUB R5, R2, R0", 0), 0x4800000000215d03ull);
	assert_int_equal(assemble("F2F.TRUNC R8, R8", 0), assemble("F2F.F32.F32.TRUNC R8, R8", 0));
	assert_int_equal(assemble("F2F.PASS R8, |R8|", 0), assemble("F2F.F32.F32 R8, |R8|", 0));
	assert_int_equal(assemble("F2F.FTZ.PASS.SAT.S R8, R8", 0),
			 assemble("F2F.FTZ.F32.F32.SAT.S R8, R8", 0));
	assert_int_equal(assemble("F2F.F64.F64.PASS R8, R8", 0), assemble("F2F.F64.F64 R8, R8", 0));
	/* The machine ignores these guards; nvcc leaves 0 there. */
	assert_int_equal(assemble("@P0 CAL 0x100", 0), assemble("CAL 0x100", 0));
	assert_int_equal(assemble("@!P2 SSY 0x100", 0), assemble("SSY 0x100", 0) | 10ull << 10);
	assert_int_equal(assemble("BAR.RED.POPC RZ, RZ", 0), 0x50ee0000ffffdc04ull);
	assert_int_equal(assemble("FMUL R8, R8, 0.5", 0), assemble("FMUL R8, R8, 0x3f000", 0));
	assert_int_equal(assemble("SHL.W R3, R2, 0x2", 0), 0x6000c0000820de03ull);
}

/* Since CUDA 5 a difference is printed as ISUB, with its operands in the order of the
 * subtraction. */
static void test_difference(void **s)
{
	static const struct {
		uint64_t word;
		const char *cuda4, *cuda5;
	} line[] = {
		{0x4800000000215d03ull, "IADD R5, R2, -R0", "ISUB R5, R2, R0"},
		{0x4800c00100105d03ull, "IADD R1, R1, 0x40.NEG", "ISUB R1, R1, 0x40"},
		{0x4800400560209d03ull, "IADD R2, R2, -c [0x0] [0x158]",
		 "ISUB R2, R2, c[0x0][0x158]"},
		{0x4800400560209e03ull, "IADD R2, -R2, c [0x0] [0x158]",
		 "ISUB R2, c[0x0][0x158], R2"},
		{0x4800000028309e03ull, "IADD R2, -R3, R10", "IADD R2, -R3, R10"},
		{0x48004005602c9e43ull, "IADD.X R50, -R2, c [0x0] [0x158]",
		 "ISUB.X R50, c[0x0][0x158], R2"},
		{0x4801fffffc4fdd03ull, "IADD RZ.CC, R4, -0x1.NEG", "ISUB RZ.CC, R4, -0x1"},
	};
	(void)s;
	for (unsigned i = 0; i < sizeof(line) / sizeof(*line); i++) {
		expect(line[i].word, 0, NSTYLE_CUDA4, line[i].cuda4);
		expect(line[i].word, 0, NSTYLE_CUDA5, line[i].cuda5);
		assert_int_equal(assemble(line[i].cuda4, 0), line[i].word);
		assert_int_equal(assemble(line[i].cuda5, 0), line[i].word);
	}
}

static void test_styles_read_back(void **s)
{
	(void)s;
	check_styles("tests/data/isa/fermi_nvidia_text.tsv", NATIVE_FERMI, 149);
	check_styles("tests/data/isa/fermi_real_shapes.tsv", NATIVE_FERMI, 226);
	check_styles("tests/data/isa/fermi_listing_pairs.tsv", NATIVE_FERMI, 53);
	check_styles(NULL, NATIVE_FERMI, 100000);
}

/* A decimal number is a float if the field is a float. */
static void test_decimal(void **s)
{
	(void)s;
	assert_int_equal(assemble("FADD R4, R4, 1", 0), assemble("FADD R4, R4, 0x3f800", 0));
	assert_int_equal(assemble("FADD R4, R4, -2", 0), assemble("FADD R4, R4, 0xc0000", 0));
	assert_int_equal(assemble("FADD R4, R4, -0", 0), assemble("FADD R4, R4, 0x80000", 0));
	assert_int_equal(assemble("FADD R4, R4, 1.NEG", 0),
			 assemble("FADD R4, R4, 0x3f800.NEG", 0));
	assert_int_equal(assemble("FMUL R4, R4, 1.5e+1", 0), assemble("FMUL R4, R4, 0x41700", 0));
	assert_int_equal(assemble("FADD R4, R4, +INF ", 0), assemble("FADD R4, R4, 0x7f800", 0));
	assert_int_equal(assemble("FADD R4, R4, -QNAN ", 0), assemble("FADD R4, R4, 0xffc00", 0));
	assert_int_equal(assemble("DADD R4, R4, 2", 0), assemble("DADD R4, R4, 0x40000", 0));
	assert_int_equal(assemble("FADD32I R4, R4, 3", 0),
			 assemble("FADD32I R4, R4, 0x40400000", 0));
	assert_int_equal(assemble("F2F.F64.F32 R4, 1", 0), assemble("F2F.F64.F32 R4, 0x3f800", 0));
	assert_int_equal(assemble("IADD R4, R4, 17", 0), assemble("IADD R4, R4, 0x11", 0));
	assert_int_equal(assemble("IADD R4, R4, -17", 0), assemble("IADD R4, R4, -0x11", 0));
	check_refused(NATIVE_FERMI, "IADD R4, R4, 1.5", "operands do not fit");
	check_refused(NATIVE_FERMI, "FADD R4, R4, 0.1", "operands do not fit");
}

/* One line's word in the dialects of CUDA 4.0, 4.1 and 4.2. */
static void test_dialects(void **s)
{
	static const struct {
		uint64_t word;
		const char *v40, *v41, *v42;
	} line[] = {
		{0x5800000008209c03ull, "SHR.U32.W R2, R2, R2", "SHR.U32 R2, R2, R2",
		 "SHR.U32 R2, R2, R2"},
		{0x6000c0000820de03ull, "SHL R3, R2, 0x2", "SHL.W R3, R2, 0x2",
		 "SHL.W R3, R2, 0x2"},
		{0x6800fffffc001c03ull, "LOP.AND R0, R0, 0xfffff", "LOP.AND R0, R0, 0xfffff",
		 "LOP.AND R0, R0, -0x1"},
		{0x4800c00080105d03ull, "IADD R1, R1, -0x20", "IADD R1, R1, -0x20",
		 "IADD R1, R1, 0x20.NEG"},
		{0x0c0e0000006ddc04ull, "PSETP.AND.AND P6, pt, pt, P0, P6",
		 "PSETP.AND.AND P6, pt, P6, P0, pt", "PSETP.AND.AND P6, pt, P6, P0, pt"},
		{0x080e00001c251c04ull, "PSET.AND.AND R20, pt, pt, P2",
		 "PSET.AND.AND R20, P2, pt, pt", "PSET.AND.AND R20, P2, pt, pt"},
		{0x309400002ca31e00ull, "FFMA.RM R12, R10, -R11, R10",
		 "FFMA.RM R12, -R10, R11, R10", "FFMA.RM R12, -R10, R11, R10"},
		{0x1bffe0000001ddf2ull, "MOV32I.S R7, -0x80000", "MOV32I.S R7, -0x80000",
		 "MOV32I.S R7, 0xfff80000"},
		{0x1000000009b11c04ull, "F2F.F64.F64.PASS R4, R2", "F2F.F64.F64 R4, R2",
		 "F2F.F64.F64 R4, R2"},
		{0x100000000d209c04ull, "F2F.PASS R2, R3", "F2F.F32.F32 R2, R3",
		 "F2F.F32.F32 R2, R3"},
		{0x1086000021221ca4ull, "F2F.FTZ.TRUNC.SAT R8, R8",
		 "F2F.FTZ.F32.F32.TRUNC.SAT R8, R8", "F2F.FTZ.F32.F32.TRUNC.SAT R8, R8"},
		{0x1000000009b11c84ull, "F2F.F64.F64.ROUND R4, R2", "F2F.F64.F64.ROUND R4, R2",
		 "F2F.F64.F64.ROUND R4, R2"},
	};
	(void)s;
	for (unsigned i = 0; i < sizeof(line) / sizeof(*line); i++) {
		const char *text[] = {line[i].v40, line[i].v41, line[i].v42};
		static const enum native_style st[] = {NSTYLE_CUDA40, NSTYLE_CUDA41, NSTYLE_CUDA4};
		for (unsigned j = 0; j < 3; j++) {
			struct ninst in;
			char err[160];
			expect(line[i].word, 0, st[j], text[j]);
			assert_true(native_assemble(NATIVE_FERMI, text[j], strlen(text[j]), 0, NULL,
						    st[j], &in, err, sizeof(err)));
			assert_int_equal(in.word, line[i].word);
		}
	}
}

/* Lines of the thesis that are printed without their word. */
static void test_thesis_lines(void **s)
{
	/* clang-format off */
	static const char *const line[] = { "ISCADD R5, R4, c [0x0] [0x28], 0x2", "STS [R12+0x180], R11",
		"LDS R12, [R9+0x2e80]", "@P0 BRA.U 0x860", "MOV R10, c [0x2] [0x4]", "LDU R10, [R5]",
		"LD_LDU.32.32 R16, R15, [R17], [R5+0x4]", "F2F.F32.F64 R6, R8", "@P0 FMUL R8, R8, 0x3f000",
		"RRO.EX2 R7, R8", "MUFU.EX2 R9, R7", "MUFU.RCP R7, R7", "FFMA R7, R9, R7, c [0x10] [0xc]",
		"SEL R8, R8, c [0x10] [0x10], P0", "LDC.64 R2, c [0x2] [R5+0x8]",
		"LD_LDU.32.32 R15, R12, [R11+0x2a4], [R0+0x24]", "ICMP.LT R6, R8, RZ, R4",
		"IMNMX R5, R5, R6, !pt", "VADD.S32.S8.MIN R7, R0, 0x1, R7", "PSETP.AND.AND P1, pt, P2, P1, P0",
		"VMNMX.ACC R11, R10, R8, R11", "IMAD.U32.U32 R6, R6, 0xff4, R7", "LD R6, [R8+0x7f8]",
		"ST.E.S [R6], R2", "@P1 PSETP.AND.AND P0, pt, pt, pt, pt", "@P1 IMNMX R8, R9, R8, pt",
		"@!P1 BRA.U 0x1c0", "IMAD.U32.U32 RZ, R1, RZ, RZ", "LDSLK P0, R2, [R3]", "@P0 STSUL [R3], R2",
		"BRX R0 -0x110", "VOTE.ANY RZ, P0, !P1", "ATOM.E.ADD R0, [R2], R4", "ATOM.CAS R0, [R2+-0x4], R4, R5",
		"RED.E.ADD.F32.FTZ.RN [R2+0x10], R5", "MEMBAR.GL", "TLD.LZ R0, R2, 0x3, 1D, 0xf",
		"I2F.F32.U32.RP R0, R4", "F2I.FTZ.U32.F32.TRUNC R0, R3", "BFE.U32.BREV R0, R1, 0x2000" };
	/* clang-format on */
	(void)s;
	for (unsigned i = 0; i < sizeof(line) / sizeof(*line); i++) {
		struct ninst in;
		char buf[256];
		assert_true(native_decode(NATIVE_FERMI, assemble(line[i], 0x100), 0x100, &in));
		native_print(&in, NSTYLE_CUDA4, buf, sizeof(buf));
		assert_string_equal(buf, line[i]);
	}
}

static void test_refused(void **s)
{
	struct ninst in;
	(void)s;
	check_refused(NATIVE_FERMI, "FROB R1, R2", "unknown mnemonic 'FROB'");
	check_refused(NATIVE_FERMI, "IADD R1, R2", "operands do not fit");
	check_refused(NATIVE_FERMI, "IADD.FTZ R1, R2, R3", "modifiers do not fit");
	check_refused(NATIVE_FERMI, "F2F.F64.F32.PASS R2, R3", "modifiers do not fit");
	check_refused(NATIVE_FERMI, "F2F.PASS.TRUNC R2, R3", "modifiers do not fit");
	check_refused(NATIVE_FERMI, "F2F R2, R3", "modifiers do not fit");
	check_refused(NATIVE_FERMI, "IADD R64, R2, R3", "operands do not fit");
	check_refused(NATIVE_FERMI, "IADD R1, R2, 0x100000", "operands do not fit");
	check_refused(NATIVE_FERMI, "IADD R1, -R2, -R3", "operands do not fit");
	check_refused(NATIVE_FERMI, "@P9 IADD R1, R2, R3", "guard");
	check_refused(NATIVE_FERMI, "IADD R1, R2,", "missing");
	check_refused(NATIVE_FERMI, "LDS R1, [R2+0x1000000]", "operands do not fit");
	check_refused(NATIVE_FERMI, "", "no mnemonic");
	assert_false(native_decode(NATIVE_FERMI, 0x4000000000000000ull, 0, &in));
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_nvidia_text),   cmocka_unit_test(test_real_shapes),
		cmocka_unit_test(test_listing_pairs), cmocka_unit_test(test_difference),
		cmocka_unit_test(test_random_words),  cmocka_unit_test(test_styles),
		cmocka_unit_test(test_spellings),     cmocka_unit_test(test_thesis_lines),
		cmocka_unit_test(test_refused),       cmocka_unit_test(test_styles_read_back),
		cmocka_unit_test(test_decimal),       cmocka_unit_test(test_dialects),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
