/* Machine code of Turing to Blackwell: the text of NVIDIA's disassembler for 65,662 words of seven
 * chips, conversion of every word to text and back, decoded fields, invalid words and texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "isa/sm70/table.h"

/* Number of words with random modifiers that are printed as by nvdisasm, and that both refuse. */
enum { RANDOM_WORDS_EQUAL = 34067, RANDOM_WORDS_REFUSED = 13291 };

struct row {
	unsigned sm;
	uint64_t word[2], pc;
	char *text; /* ends in ` if a branch target is omitted */
};

static uint64_t hex16(const char *s)
{
	char t[17] = {0};
	memcpy(t, s, 16);
	return strtoull(t, NULL, 16);
}

static bool next_row(gzFile f, char *line, size_t n, struct row *r)
{
	while (gzgets(f, line, (int)n)) {
		if (line[0] == '#')
			continue;
		char *save;
		line[strcspn(line, "\n")] = 0;
		r->sm = (unsigned)strtoul(strtok_r(line, "\t", &save), NULL, 10);
		char *w = strtok_r(NULL, "\t", &save);
		r->word[1] = hex16(w);
		r->word[0] = hex16(w + 16);
		r->pc = strtoull(strtok_r(NULL, "\t", &save), NULL, 16);
		r->text = save;
		return true;
	}
	return false;
}

/* Texts are equal but for blanks, up to a ` in the expected one. */
static bool same_but_blanks(const char *want, const char *got)
{
	for (;; want++, got++) {
		want += strspn(want, " ");
		got += strspn(got, " ");
		if (*want == '`')
			return true;
		if (*want != *got || !*want)
			return *want == *got;
	}
}

static gzFile open_words(void)
{
	gzFile f = gzopen("tests/data/isa/sm70_words.tsv.gz", "rb");
	assert_non_null(f);
	return f;
}

static void test_table_compiles(void **s)
{
	(void)s;
	assert_null(sm70_table_error());
}

static void test_text_of_nvidia(void **s)
{
	(void)s;
	gzFile f = open_words();
	char line[1024], got[512], err[200];
	struct row r;
	unsigned n = 0;
	for (; next_row(f, line, sizeof line, &r); n++) {
		struct sm70_inst in;
		if (!sm70_decode(r.sm, r.word, r.pc, &in, err, sizeof err))
			fail_msg("sm_%u %016llx%016llx (%s): %s", r.sm,
				 (unsigned long long)r.word[1], (unsigned long long)r.word[0],
				 r.text, err);
		sm70_print(&in, SM70_PLAIN, got, sizeof got);
		if (!same_but_blanks(r.text, got))
			fail_msg("sm_%u: %s, not %s", r.sm, got, r.text);
	}
	gzclose(f);
	assert_int_equal(n, 65662);
}

/* The full style of a word must assemble to that word. */
static void expect_again(const struct sm70_inst *in)
{
	struct sm70_inst out;
	char text[512], err[200];
	size_t n = sm70_print(in, SM70_FULL, text, sizeof text);
	assert_int_equal(n, strlen(text));
	if (!sm70_assemble(in->sm, text, n, in->pc, NULL, 0, &out, err, sizeof err))
		fail_msg("sm_%u %s: %s", in->sm, text, err);
	if (out.word[0] != in->word[0] || out.word[1] != in->word[1])
		fail_msg("sm_%u %s: %016llx%016llx, not %016llx%016llx", in->sm, text,
			 (unsigned long long)out.word[1], (unsigned long long)out.word[0],
			 (unsigned long long)in->word[1], (unsigned long long)in->word[0]);
}

static void test_round_trip(void **s)
{
	(void)s;
	gzFile f = open_words();
	char line[1024], err[200];
	struct row r;
	struct sm70_inst in;
	for (unsigned n = 0; next_row(f, line, sizeof line, &r); n++)
		if (n % 4 == 0) {
			assert_true(sm70_decode(r.sm, r.word, r.pc, &in, err, sizeof err));
			expect_again(&in);
		}
	gzclose(f);
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Real words with bits inverted at random: refused with a message, or reproduced from their
 * text. */
static void test_random_words(void **s)
{
	(void)s;
	static const uint8_t chips[] = {75, 80, 86, 87, 89, 90, 100, 120};
	gzFile f = open_words();
	char line[1024], err[200];
	struct row r;
	struct sm70_inst in;
	uint64_t x = 88172645463325252ull;
	unsigned decoded = 0, refused = 0;
	for (unsigned n = 0; next_row(f, line, sizeof line, &r); n++) {
		unsigned flips = next_random(&x) % 16;
		for (unsigned i = 0; i <= flips; i++) {
			unsigned bit = 9 + next_random(&x) % 119;
			r.word[bit / 64] ^= 1ull << bit % 64;
		}
		if (n % 5)
			continue;
		err[0] = 0;
		if (sm70_decode(chips[next_random(&x) % sizeof chips], r.word, r.pc, &in, err,
				sizeof err)) {
			expect_again(&in);
			decoded++;
		} else {
			assert_true(err[0]);
			refused++;
		}
	}
	gzclose(f);
	assert_true(decoded > 5000);
	assert_true(refused > 500);
}

/* 48,717 words with random modifier bits: tests/data/isa/sm70_random_words.tsv.gz has `sm_NN WORD
 * PC`, a tab, and the text that nvdisasm 13.0 prints, or nothing if it refuses the word. Compilers
 * emit few of them, so not all agree; the number of agreements must never fall. */
static void test_modifiers_of_nvidia(void **s)
{
	(void)s;
	gzFile f = gzopen("tests/data/isa/sm70_random_words.tsv.gz", "rb");
	char line[1024], got[512], err[200];
	unsigned rows = 0, printed = 0, equal = 0, both = 0;
	assert_non_null(f);
	while (gzgets(f, line, sizeof line)) {
		struct sm70_inst in;
		char chip[16], word[33];
		unsigned long long pc;
		line[strcspn(line, "\n")] = 0;
		char *text = strchr(line, '\t');
		assert_non_null(text);
		*text++ = 0;
		assert_int_equal(sscanf(line, "%15s %32s %llx", chip, word, &pc), 3);
		uint64_t half[2] = {hex16(word + 16), hex16(word)};
		bool known = sm70_decode(sm70_chip(chip), half, pc, &in, err, sizeof err);
		if (known)
			sm70_print(&in, SM70_PLAIN, got, sizeof got);
		rows++;
		printed += *text != 0;

		equal += *text && known && same_but_blanks(text, got);
		both += !*text && !known;
	}
	gzclose(f);
	assert_int_equal(rows, 48717);
	assert_int_equal(printed, 35336);
	assert_true(equal >= RANDOM_WORDS_EQUAL);
	assert_true(both >= RANDOM_WORDS_REFUSED);
}

static void decode(unsigned sm, uint64_t hi, uint64_t lo, struct sm70_inst *in)
{
	char err[200];
	assert_true(sm70_decode(sm, (uint64_t[2]){lo, hi}, 0x100, in, err, sizeof err));
}

static void test_fields_of_arithmetic(void **s)
{
	(void)s;
	struct sm70_inst in;
	decode(90, 0x040fe20000010100, 0x3f80000006041823,
	       &in); /* @P1 FFMA.FTZ R4, -R6.reuse, 1, R0 */
	assert_int_equal(in.op, SM70_FFMA);
	assert_int_equal(in.guard, 1);
	assert_int_equal(in.mod[SM70_MOD_FTZ], SM70_W_FTZ);
	assert_int_equal(in.mod[SM70_MOD_RND], SM70_W_NONE);
	const struct sm70_operand *a = sm70_operand_of(&in, SM70_R_A);
	const struct sm70_operand *b = sm70_operand_of(&in, SM70_R_B);
	assert_int_equal(a->kind, SM70_K_GPR);
	assert_int_equal(a->reg, 6);
	assert_true(a->neg && a->reuse && !a->abs);
	assert_int_equal(b->kind, SM70_K_IMM);
	assert_int_equal(b->imm, 0x3f800000);
	assert_null(sm70_operand_of(&in, SM70_R_M));
	/* Carry operands of IADD3 are decoded although the text omits them. */
	decode(90, 0x000fe20007ffe0ff, 0x000000050a057210, &in);
	assert_int_equal(sm70_operand_of(&in, SM70_R_PD)->reg, SM70_PT);
	assert_true(sm70_operand_of(&in, SM70_R_PD)->hidden);
}

static void test_fields_of_memory(void **s)
{
	(void)s;
	struct sm70_inst in;
	/* LDG.E.64.STRONG.GPU R18, desc[UR8][R10.64+-0x10] */
	decode(90, 0x000ea4000c1efb00, 0xfffff0080a127981, &in);
	const struct sm70_operand *m = sm70_operand_of(&in, SM70_R_M);
	assert_int_equal(in.mod[SM70_MOD_SIZE], SM70_W__64);
	assert_int_equal(in.mod[SM70_MOD_SEM], SM70_W_STRONG_GPU);
	assert_int_equal(m->reg, 10);
	assert_int_equal(m->desc, 8);
	assert_int_equal(m->ureg, SM70_NOREG);
	assert_int_equal(m->off, -0x10);
	assert_int_equal(m->scale, SM70_W__64);
}

static void test_columns_of_hgmma(void **s)
{
	(void)s;
	struct sm70_inst in;
	decode(90, 0x000fe6000b802818, 0x07e00000041879f0, &in); /* HGMMA.64x256x8.F32.TF32 */
	assert_int_equal(in.mod[SM70_MOD_N], 256);
	assert_int_equal(in.mod[SM70_MOD_SHAPE], SM70_W__64x256x8);
}

static void expect_text(unsigned sm, uint64_t hi, uint64_t lo, enum sm70_style style,
			const char *text)
{
	struct sm70_inst in;
	char got[512];
	decode(sm, hi, lo, &in);
	sm70_print(&in, style, got, sizeof got);
	assert_string_equal(got, text);
}

static void test_control_bits(void **s)
{
	(void)s;
	struct sm70_inst in;
	expect_text(90, 0x004fe20000000000, 0x0000000504037221, SM70_FULL,
		    "[B--2---:R-:W-:-:S01] FADD R3, R4, R5");
	expect_text(90, 0x0002a40000000800, 0x00000000ff007984, SM70_FULL,
		    "[B------:R1:W2:-:S02] LDS R0, [RZ]");
	decode(90, 0x0002a40000000800, 0x00000000ff007984, &in);
	assert_int_equal(in.control.write, 2);
	assert_int_equal(in.control.read, 1);
	assert_int_equal(in.control.stall, 2);
	assert_int_equal(in.control.wait, 0);
}

static uint64_t assemble(unsigned sm, const char *text, uint64_t pc, uint64_t *hi)
{
	struct sm70_inst in;
	char err[200];
	struct sm70_label label = {".L_x_1", 6, 0x200};
	if (!sm70_assemble(sm, text, strlen(text), pc, &label, 1, &in, err, sizeof err))
		fail_msg("%s: %s", text, err);
	*hi = in.word[1];
	return in.word[0];
}

static void test_assembled_as_ptxas_does(void **s)
{
	(void)s;
	uint64_t hi;
	assert_int_equal(assemble(90, "[B------:R-:W-:Y:S02] IADD3 R5, R10, R5, RZ;", 0, &hi),
			 0x000000050a057210);
	assert_int_equal(hi, 0x000fc40007ffe0ff);
	assert_int_equal(assemble(90, "[B------:R-:W-:-:S05] @!P3 BRA !P0, `(.L_x_1)", 0x100, &hi),
			 0x00000000003cb947);
	assert_int_equal(assemble(80, "[B------:R-:W-:-:S05] BRA 0x200", 0x100, &hi),
			 0x000000f000007947);
}

static void expect_refused(unsigned sm, const char *text, const char *part)
{
	struct sm70_inst in;
	char err[200] = "";
	assert_false(sm70_assemble(sm, text, strlen(text), 0, NULL, 0, &in, err, sizeof err));
	if (!strstr(err, part))
		fail_msg("%s: %s", text, err);
}

static void test_wrong_texts(void **s)
{
	(void)s;
	expect_refused(90, "", "instruction expected");
	expect_refused(90, "FROB R1, R2", "no instruction FROB on sm_90");
	expect_refused(75, "ENDCOLLECTIVE", "no instruction ENDCOLLECTIVE on sm_75");
	expect_refused(90, "FADD R1, R2", "no form of FADD");
	expect_refused(90, "FADD.U32 R1, R2, R3", "no form of FADD");
	expect_refused(90, "FADD R1, R2, R256", "no form of FADD");
	expect_refused(90, "LDS R0, [R1+0x1000000]", "no form of LDS");
	expect_refused(90, "BRA 0x201", "no form of BRA");
	expect_refused(90, "@Q0 EXIT", "guard");
	expect_refused(90, "[B9-----:R-:W-:-:S02] EXIT", "control bits");
	expect_refused(90, "EXIT {0xzz}", "braces");
}

static void test_wrong_words(void **s)
{
	(void)s;
	struct sm70_inst in;
	char err[200];
	assert_false(sm70_decode(90, (uint64_t[2]){0, 0}, 0, &in, err, sizeof err));
	assert_non_null(strstr(err, "opcode 0x000 is not in use"));
	/* LDCU is an instruction of Blackwell alone. */
	uint64_t ldcu[2] = {0x00007500ff1077ac, 0x000e620008000800};
	assert_true(sm70_decode(100, ldcu, 0, &in, err, sizeof err));
	assert_false(sm70_decode(90, ldcu, 0, &in, err, sizeof err));
	assert_int_equal(sm70_chip("sm_90a"), 90);
	assert_int_equal(sm70_chip("sm_70"), 0);
	assert_int_equal(sm70_chip("sm_"), 0);
}

/* A buffer that is too small gets the beginning of the text. */
static void test_short_buffer(void **s)
{
	(void)s;
	struct sm70_inst in;
	char got[8];
	decode(90, 0x004fe20000000000, 0x0000000504037221, &in);
	assert_int_equal(sm70_print(&in, SM70_PLAIN, got, sizeof got), 7);
	assert_string_equal(got, "FADD R3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_compiles),
		cmocka_unit_test(test_text_of_nvidia),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_random_words),
		cmocka_unit_test(test_modifiers_of_nvidia),
		cmocka_unit_test(test_fields_of_arithmetic),
		cmocka_unit_test(test_fields_of_memory),
		cmocka_unit_test(test_columns_of_hgmma),
		cmocka_unit_test(test_control_bits),
		cmocka_unit_test(test_assembled_as_ptxas_does),
		cmocka_unit_test(test_wrong_texts),
		cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_short_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
