/* Tesla: vectors and random words in both directions, the thesis's lines, invalid text. */
#include "native_roundtrip.h"

static void test_nvidia_text(void **s)
{
	(void)s;
	/* In ten lines the instruction ends the thread; cuobjdump does not print that EXIT. */
	assert_int_equal(check_vectors("tests/data/isa/tesla_nvidia_text.tsv", NATIVE_TESLA, 705),
			 10);
}

/* Lines of public listings of sm_10 kernels; one listing omits the EXIT of its last instruction. */
static void test_listing_pairs(void **s)
{
	(void)s;
	assert_int_equal(check_vectors("tests/data/isa/tesla_listing_pairs.tsv", NATIVE_TESLA, 109),
			 1);
}

static void test_real_shapes(void **s)
{
	(void)s;
	/* Two instructions that end the thread, one F2F with the round-to-integral flag, and TEX,
	 * printed without these parts. */
	assert_int_equal(check_vectors("tests/data/isa/tesla_real_shapes.tsv", NATIVE_TESLA, 163),
			 4);
}

static void test_random_words(void **s)
{
	(void)s;
	check_random(NATIVE_TESLA, 200000, 90000);
}

static uint64_t assemble(const char *text)
{
	struct ninst in;
	char err[160];
	if (!native_assemble(NATIVE_TESLA, text, strlen(text), 0x100, NULL, NSTYLE_CUDA5, &in, err,
			     sizeof(err)))
		fail_msg("'%s': %s", text, err);
	return in.word;
}

/* Lines of the thesis that are printed without their word, and forms missing from the vectors. */
static void test_lines(void **s)
{
	/* clang-format off */
	static const char *const line[] = { "SHL R1, R2, 0x4", "IADD32 R5, R2, R0", "IADD R4, g [0x4], R4",
		"GLD.U32 R4, global14[R4]", "R2A A1, R1, 0x2", "IADD32I R7, -R1, 0xfe", "ISET.S32 R2, R0, R3, LE",
		"LOP.AND.C0 o[0x7f], R5, R2", "SSY 0x228", "MOV R2, R124", "BRA C0.EQ, 0x228",
		"IADD32 R7, g [0xa], R1", "MOV32 R2, g [0x8]", "IMUL.U16.U16 R8, R2L, R7H",
		"IMAD.U16 R8, R2H, R7L, R8", "G2R.U32 R2, g [A1+0xc].U32", "IMIN.S32 R8, g [A3+0xc], R2",
		"R2G.U32.U32 g[A3+0x10c], R2", "MVI R2, 0x1", "NOP.S", "GATOM.IADD.U32 R1, global14[R0], R2",
		"GATOM.CAS.U32 R1, global14[R0], R2, R3", "GRED.IADD.U32 global14[R0], R2", "VOTE.ANY C0, C1.NE",
		"FSET R1, -|R2|, R3, GTU", "DADD R2, R4, -R6", "LLD.U32 R1, local [0x8]", "BRK C1.NE", "PBK 0x80",
		"IADD32I R1, R2, -0x4", "FMAD.SAT R1, R2, R3, -R4", "IADD.CARRY2 R1, R2, R3",
		"LOP32I.OR R1, ~R2, 0xff", "A2R R1, A3", "F2I.S32.F32.TRUNC R1, |g| [0x4]" };
	/* clang-format on */
	(void)s;
	for (unsigned i = 0; i < sizeof(line) / sizeof(*line); i++) {
		struct ninst in;
		char buf[256];
		assert_true(native_decode(NATIVE_TESLA, assemble(line[i]), 0x100, &in));
		native_print(&in, NSTYLE_CUDA5, buf, sizeof(buf));
		assert_string_equal(buf, line[i]);
	}
}

static void test_hidden_tail(void **s)
{
	struct ninst in;
	char buf[256];
	(void)s;
	assert_true(native_decode(NATIVE_TESLA, 0xa0c00781d00e0005ull, 0, &in));
	assert_true(in.exit);
	native_print(&in, NSTYLE_CUDA5, buf, sizeof(buf));
	assert_string_equal(buf, "GST.U32 global14[R0], R1");
	native_print(&in, NSTYLE_FULL, buf, sizeof(buf));
	assert_string_equal(buf, "GST.U32.EXIT global14[R0], R1");
	assert_int_equal(assemble(buf), 0xa0c00781d00e0005ull);
}

/* .HI is printed before the types, as by other tools, and may stand behind them. */
static void test_high_product(void **s)
{
	static const char *const text[][2] = {
		{"IMUL.HI.U24.U24 R4, R5, R6", "IMUL.U24.U24.HI R4, R5, R6"},
		{"IMUL.HI.S24.S24 R4, R5, R6", "IMUL.S24.S24.HI R4, R5, R6"},
		{"IMUL.HI.S24.S24.C1 R4, R5, R6", "IMUL.S24.S24.HI.C1 R4, R5, R6"},
		{"IMUL32.HI.U24.U24 R4, R5, R6", "IMUL32.U24.U24.HI R4, R5, R6"},
		{"IMUL32I.HI.S24.S24 R4, R5, 0x12", "IMUL32I.S24.S24.HI R4, R5, 0x12"}};
	(void)s;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		uint64_t word = assemble(text[i][0]);
		struct ninst in;
		char buf[200];
		assert_int_equal(assemble(text[i][1]), word);
		assert_true(native_decode(NATIVE_TESLA, word, 0, &in));
		native_print(&in, NSTYLE_FULL, buf, sizeof(buf));
		assert_string_equal(buf, text[i][0]);
	}
}

static void test_refused(void **s)
{
	struct ninst in;
	(void)s;
	check_refused(NATIVE_TESLA, "FROB R1, R2", "unknown mnemonic 'FROB'");
	check_refused(NATIVE_TESLA, "IADD R1, R2", "operands do not fit");
	check_refused(NATIVE_TESLA, "IADD32 R64, R2, R3", "operands do not fit");
	check_refused(NATIVE_TESLA, "IMUL.U16.U16 R1, R2, R3", "operands do not fit");
	check_refused(NATIVE_TESLA, "MOV32 R1 (C0.NE), R2", "operands do not fit");
	check_refused(NATIVE_TESLA, "MOV R1 (C0.FOO), R2", "cannot read");
	check_refused(NATIVE_TESLA, "BRA 0x2", "operands do not fit");
	check_refused(NATIVE_TESLA, "IADD R1, g [0x40], R2", "operands do not fit");
	assert_false(native_decode(NATIVE_TESLA, 0x80000000ull, 0, &in));
}

static void test_styles_read_back(void **s)
{
	(void)s;
	check_styles("tests/data/isa/tesla_nvidia_text.tsv", NATIVE_TESLA, 1);
	check_styles("tests/data/isa/tesla_real_shapes.tsv", NATIVE_TESLA, 1);
	check_styles("tests/data/isa/tesla_listing_pairs.tsv", NATIVE_TESLA, 1);
	check_styles(NULL, NATIVE_TESLA, 100000);
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_nvidia_text),
		cmocka_unit_test(test_real_shapes),
		cmocka_unit_test(test_listing_pairs),
		cmocka_unit_test(test_random_words),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_hidden_tail),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_high_product),
		cmocka_unit_test(test_styles_read_back),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
