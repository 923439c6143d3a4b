/* PTXPlus in both directions: every word of the vectors and random words read back as an
 * instruction with an equal text; every kernel of tests/kernels leaves the memory that its listing
 * leaves; an invalid line causes one message with its position. */
#include <glob.h>
#include "kernel_run.h"
#include "native_roundtrip.h"
#include "front/native/module.h"

/* Two instructions with one meaning have one spelling: a number of 20 bits in a 32-bit field, and
 * the launch's shape, read from memory or from a special register. */
static bool same_meaning(const struct ninst *a, const struct ninst *b)
{
	static const uint16_t pair[][2] = {{NI_MOV32I, NI_MOV},
					   {NI_IADD32I, NI_IADD},
					   {NI_FADD32I, NI_FADD},
					   {NI_FMUL32I, NI_FMUL},
					   {NI_FFMA32I, NI_FFMA}};
	for (unsigned i = 0; i < sizeof pair / sizeof *pair; i++)
		if (a->op == pair[i][0] && b->op == pair[i][1])
			return true;
	return (a->op == NI_I2I && b->op == NI_S2R) ||
	       (a->isa == NATIVE_TESLA && a->op == NI_BAR && b->op == NI_BAR); /* barriers of all
									        * threads */
}

/* Bits that no text shows are ignored, as in a full listing. */
static unsigned check_word(const struct ninst *in)
{
	struct ninst back;
	char plus[640], again[640], full[256], other[256], err[200];
	native_ptxplus(in, "k", true, plus, sizeof plus);
	if (!native_ptxplus_assemble(in->isa, plus, strlen(plus), "k", in->pc, &back, err,
				     sizeof err))
		fail_msg("%016llx '%s': %s", (unsigned long long)in->word, plus, err);
	native_ptxplus(&back, "k", true, again, sizeof again);
	assert_string_equal(plus, again);
	native_print(in, NSTYLE_FULL, full, sizeof full);
	native_print(&back, NSTYLE_FULL, other, sizeof other);
	if (strcmp(full, other) && !same_meaning(in, &back))
		fail_msg("%016llx '%s': '%s' came back as '%s'", (unsigned long long)in->word, plus,
			 full, other);
	return !strcmp(full, other);
}

static void check_file(const char *path, enum native_isa isa)
{
	struct vector v;
	struct ninst in;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (vector_next(f, isa, &v))
		if (native_decode(isa, v.word, v.pc, &in))
			check_word(&in);
	fclose(f);
}

static void test_vectors(void **st)
{
	static const char *const fermi[] = {"fermi_nvidia_text", "fermi_real_shapes",
					    "fermi_listing_pairs"},
				 *const tesla[] = {"tesla_nvidia_text", "tesla_real_shapes",
						   "tesla_listing_pairs"};
	char path[80];
	(void)st;
	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "tests/data/isa/%s.tsv", fermi[i]);
		check_file(path, NATIVE_FERMI);
		snprintf(path, sizeof path, "tests/data/isa/%s.tsv", tesla[i]);
		check_file(path, NATIVE_TESLA);
	}
}

static void random_words(enum native_isa isa, unsigned n)
{
	uint64_t seed = 0x2545f4914f6cdd1dull;
	unsigned words = 0, same = 0;
	for (unsigned i = 0; words < n; i++) {
		struct ninst in;
		if (!random_inst(isa, i, &seed, &in))
			continue;
		words++;
		same += check_word(&in);
	}
	assert_true(same > words * 95 / 100);
}

static void test_random_words(void **st)
{
	(void)st;
	random_words(NATIVE_FERMI, 7000);
	random_words(NATIVE_TESLA, 7000);
}

/* ---- kernels ---- */

static void run(const char *path, const char *text, uint32_t *out)
{
	char why[1024];
	if (!kernel_run(path, text, strlen(text), (struct heddle_options){0}, out, why, sizeof why))
		fail_msg("%s: %s", path, why);
}

static void test_kernels(void **st)
{
	static char text[1 << 20];
	uint32_t want[WORDS], out[WORDS];
	unsigned same = 0;
	glob_t g;
	(void)st;
	assert_int_equal(glob("tests/kernels/*.ptx", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc * 2; i++) {
		const char *p = g.gl_pathv[i / 2];
		char *message = NULL;
		struct heddle_text ptx = {p, text, read_file(p, text, sizeof text)};
		char *sass = heddle_native_compile(
			&ptx, 1, &(struct heddle_compile){.sm = i % 2 ? 13 : 20}, &message);
		free(message);
		if (!sass) /* the machine lacks an instruction: see test_back.c */
			continue;
		char *plus =
			heddle_native_list(&(struct heddle_text){p, sass, strlen(sass), "full"},
					   HEDDLE_SASS_PTXPLUS, &message);
		assert_non_null(plus);
		free(message);
		run(p, sass, want);
		run(p, plus, out);
		if (memcmp(want, out, sizeof out))
			fail_msg("%s: another result from PTXPlus of sm_%u", p, i % 2 ? 13 : 20);
		same++;
		free(sass);
		free(plus);
	}
	globfree(&g);
	assert_true(same >= 130);
}

/* A whole program with variables, constants, relocations and a stack survives conversion to text
 * and back. */
static void test_files(void **st)
{
	static const char *const path[] = {"tests/native/fermi.sass", "tests/native/tesla.sass",
					   "tests/native/fig9.sass", "tests/native/fig11.sass"};
	static char text[1 << 16];
	(void)st;
	for (unsigned i = 0; i < 4; i++) {
		char *message = NULL, *first, *second;
		size_t n = read_file(path[i], text, sizeof text);
		first = heddle_native_list(&(struct heddle_text){path[i], text, n},
					   HEDDLE_SASS_PTXPLUS, &message);
		assert_non_null(first);
		free(message);
		second = heddle_native_list(&(struct heddle_text){"again", first, strlen(first)},
					    HEDDLE_SASS_PTXPLUS, &message);
		if (!second)
			fail_msg("%s: %s", path[i], message);
		assert_string_equal(first, second);
		free(message);
		free(first);
		free(second);
	}
}

/* ---- bad text ---- */

static void refuse(const char *body, const char *why)
{
	char text[600];
	struct diag d = {0};
	struct nmodule m = {0};
	snprintf(text, sizeof text, ".version 1.4+\n%s", body);
	assert_false(native_read(&m, "bad.ptxplus", text, strlen(text), &d));
	char *s = diag_string(&d);
	assert_int_equal(d.errors, 1);
	if (!strstr(s, why))
		fail_msg("expected '%s' in '%s'", why, s);
	free(s);
	diag_free(&d);
}

static void test_bad(void **st)
{
	(void)st;
	refuse(".entry k {\n\tnop;\n}\n", "bad.ptxplus:3:1: error: '.target sm_13'");
	refuse(".target sm_35\n", "bad.ptxplus:2:1: error: '.target sm_10' to");
	refuse(".target sm_13\n.entry k {\n\tfly.u32 $r0, $r1;\n}\n",
	       "bad.ptxplus:4:1: error: sm_13 has no 'fly.u32'");
	refuse(".target sm_13\n.entry k {\n\n\tadd.u32 $r0, $r1;\n}\n",
	       "bad.ptxplus:5:1: error: the operands do not fit sm_13's 'add.u32'");
	refuse(".target sm_13\n.entry k {\n\tadd.u32 $r0, $r1, $r2\n}\n",
	       "bad.ptxplus:4:1: error: ';' is expected");
	refuse(".target sm_13\n.entry k {\n\tnop; nop;\n}\n",
	       "bad.ptxplus:4:1: error: one instruction a line");
	refuse(".target sm_13\n.entry k {\n\t@$p0 nop;\n}\n",
	       "bad.ptxplus:4:1: error: a guard '@$p0.TEST'");
	refuse(".target sm_20\n.entry k {\n\t@$r0 nop;\n}\n",
	       "bad.ptxplus:4:1: error: a guard '@$p0'");
	refuse(".target sm_20\n.entry k {\n\tadd.u32 $r0,, $r1;\n}\n",
	       "bad.ptxplus:4:1: error: operands are expected between");
	refuse(".target sm_20\n.entry k {\n\tbra.u32 l0x00000100;\n}\n",
	       "bad.ptxplus:4:1: error: operands do not fit 'BRA': no label 'l0x00000100'");
	refuse(".target sm_20\n.entry k {\n\t@$p0 ;\n}\n",
	       "bad.ptxplus:4:1: error: the name of an");
	refuse(".target sm_20\n.entry (a) {\n", "bad.ptxplus:3:1: error: the name of a kernel");
	refuse(".target sm_20\n.entry k (.param .v7 a) {\n", "bad.ptxplus:3:1: error: a parameter");
	refuse(".target sm_20\n.entry k {\n}\n",
	       "bad.ptxplus:4:1: error: function k has no instructions");
	refuse(".target sm_20\n.entry k {\n\texit.u32;\n}\n.entry k {\n\texit.u32;\n}\n",
	       "function k is here twice");
	refuse(".target sm_20\n.entry k {\n\texit.u32;\n",
	       "bad.ptxplus:4:1: error: the text ends here, but '}'");
}

/* PTXPlus by other tools: parameters in the header, declared registers, labels of any name, .half
 * of an immediate. */
static void test_other_tools(void **st)
{
	static const char text[] =
		".version 1.4+\n.target sm_10\n.entry k (.param .u32 a, .param .f32 b)\n{\n"
		"\t.reg .u32 $r<124>;\n"
		"\tcvt.u32.u16 $r1, $r0.lo; // thread\n"
		"\tadd.half.u32 $r2, $r1, 0x00000001;\n"
		"\tset.gt.u32.u32 $p0|$o127, $r1, $r2;\n"
		"\t@$p0.ne bra over;\n"
		"\tadd.u32 $r1, s[0x10], $r1;\n"
		"over: st.global.u32 [$r2], $r1;\n"
		"\tnop.exit;\n}\n";
	struct diag d = {0};
	struct nmodule m = {0};
	char b[256];
	(void)st;
	if (!native_read(&m, "other", text, strlen(text), &d))
		fail_msg("%s", diag_string(&d));
	const struct nkernel *k = &m.kernel.v[0];
	assert_int_equal(m.sm, 10);
	assert_int_equal(k->ninst, 7);
	assert_int_equal(k->nparam, 2);
	assert_int_equal(k->param[1].offset, 4);
	static const char *const want[] = {"I2I.U32.U16 R1, R0L",
					   "IADD32I R2, R1, 0x1",
					   "ISET.C0 o [0x7f], R1, R2, GT",
					   "BRA C0.NE, 0x28",
					   "IADD R1, g [0x4], R1",
					   "GST.U32 global14 [R2], R1",
					   "NOP"};
	for (unsigned i = 0; i < 7; i++) {
		native_print(&k->inst[i], NSTYLE_CUDA4, b, sizeof b);
		assert_string_equal(b, want[i]);
	}
	assert_true(k->inst[6].exit);
	native_module_free(&m);
	diag_free(&d);
}

/* test_ptxplus COUNT: COUNT random words of each machine. */
int main(int argc, char **argv)
{
	if (argc > 1) {
		random_words(NATIVE_FERMI, (unsigned)atoi(argv[1]));
		random_words(NATIVE_TESLA, (unsigned)atoi(argv[1]));
		printf("2 passed, 0 failed\n");
		return 0;
	}
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_vectors), cmocka_unit_test(test_random_words),
		cmocka_unit_test(test_kernels), cmocka_unit_test(test_files),
		cmocka_unit_test(test_bad),     cmocka_unit_test(test_other_tools),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
