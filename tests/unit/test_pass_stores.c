/* Pointers through which a kernel stores: texts with known answers. */
#include "ptx_reader.h"

#include "pass/stores.h"

/* Analyses a kernel with pointers in %rd0, %rd1, %rd2 and an integer in %r0. */
static uint64_t stores_of(const char *code)
{
	char text[4096];
	snprintf(text, sizeof text,
		 ".version 7.8\n.target sm_80\n.address_size 64\n"
		 ".global .u64 table[4];\n.shared .u64 s[4];\n"
		 ".func f(.param .u64 p) { ret; }\n"
		 ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n,\n"
		 ".param .align 8 .b8 many[512])\n{\n"
		 ".reg .b64 %%rd<9>;\n.reg .b32 %%r<9>;\n.reg .f32 %%f<9>;\n.reg .pred %%p;\n"
		 "ld.param.u64 %%rd0, [a];\nld.param.u64 %%rd1, [b];\n"
		 "ld.param.u64 %%rd2, [c];\nld.param.u32 %%r0, [n];\n%s\nret;\n}\n",
		 code);
	struct module *m = load(text);
	uint64_t s = stores_find(func(m, "k"));
	module_free(m);
	return s;
}

static void pointers_of_parameters_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(stores_of("ld.global.u32 %r1, [%rd0];"), 0);
	assert_int_equal(stores_of("st.global.u32 [%rd1], %r0;"), 2);
	assert_int_equal(stores_of("ld.global.u32 %r1, [%rd0];\nmul.wide.u32 %rd3, %r1, 4;\n"
				   "cvta.to.global.u64 %rd4, %rd2;\nadd.s64 %rd5, %rd4, %rd3;\n"
				   "st.global.u32 [%rd5+8], %r1;"),
			 4);
	assert_int_equal(
		stores_of("atom.global.add.u32 %r1, [%rd0], %r0;\nred.global.add.u32 [%rd2], %r0;"),
		5);
}

static void a_pointer_that_moves_stays_itself(void **state)
{
	(void)state;
	/* the register gets its second value after the store, in a loop */
	assert_int_equal(
		stores_of(
			"mov.u64 %rd3, %rd0;\nL: st.global.u32 [%rd3], %r0;\nsetp.eq.u32 %p, %r0, 3;\n"
			"selp.b64 %rd3, %rd1, %rd3, %p;\n@%p bra L;"),
		3);
}

static void a_pointer_is_known_by_its_place(void **state)
{
	(void)state;
	assert_int_equal(
		stores_of(
			"mul.wide.u32 %rd3, %r0, 4;\nadd.s64 %rd4, %rd3, %rd2;\nst.global.u32 [%rd4], %r0;"),
		4);
	assert_int_equal(stores_of("ld.param.u64 %rd3, [a+8];\nst.global.u32 [%rd3], %r0;"), 2);
	assert_int_equal(
		stores_of("ld.param.v2.u64 {%rd3, %rd4}, [many];\nst.global.u32 [%rd4], %r0;"), 32);
	assert_int_equal(stores_of("ld.param.u64 %rd3, [many+464];\nst.global.u32 [%rd3], %r0;"),
			 1ull << 62);
	assert_true(stores_of("ld.param.u64 %rd3, [many+480];\nst.global.u32 [%rd3], %r0;") &
		    STORES_ANYWHERE);
	assert_true(
		stores_of(
			"mov.u64 %rd4, many;\nld.param.u64 %rd3, [%rd4];\nst.global.u32 [%rd3], %r0;") &
		STORES_ANYWHERE);
}

static void what_is_written_last_is_followed_to_the_first(void **state)
{
	(void)state;
	/* each round of the loop hands the pointer on by one register */
	assert_int_equal(
		stores_of(
			"mov.u64 %rd3, %rd2;\nL: st.global.u32 [%rd6], %r0;\nmov.u64 %rd6, %rd5;\n"
			"mov.u64 %rd5, %rd4;\nmov.u64 %rd4, %rd3;\nsetp.eq.u32 %p, %r0, 3;\n@%p bra L;"),
		4);
}

static void other_operations_store_too(void **state)
{
	(void)state;
	assert_int_equal(stores_of("cp.async.ca.shared.global [s], [%rd1], 4;"), 2);
	assert_int_equal(stores_of("mbarrier.init.shared.b64 [s], %r0;"), 0);
	assert_int_equal(stores_of("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], "
				   "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};"),
			 4);
	assert_int_equal(stores_of("prefetch.global.L2 [%rd1];"), 0);
}

static void shared_memory_is_nobodys_pointer(void **state)
{
	(void)state;
	assert_int_equal(
		stores_of("mov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\nst.u32 [%rd4], %r0;"), 0);
	assert_int_equal(
		stores_of(
			"mov.u64 %rd3, s;\nst.shared.u64 [%rd3], %rd1;\nst.shared.u64 [s+8], %rd1;"),
		0);
}

static void what_comes_from_elsewhere_may_go_anywhere(void **state)
{
	(void)state;
	static const char *const code[] = {
		"ld.global.u64 %rd3, [%rd0];\nst.global.u32 [%rd3], %r0;",
		"ld.shared.u64 %rd3, [s];\nst.global.u32 [%rd3], %r0;",
		"mov.b64 %rd3, {%r0, %r0};\nst.u32 [%rd3], %r0;",
		"or.b64 %rd3, %rd0, %rd1;\nst.u32 [%rd3], %r0;",
		"mov.u64 %rd3, table;\nst.global.u32 [%rd3], %r0;",
		"st.global.u32 [table+8], %r0;",
		"{ .param .u64 x; st.param.u64 [x], %rd0; call f, (x); }",
	};
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		if (!(stores_of(code[i]) & STORES_ANYWHERE))
			fail_msg("taken for a store through known pointers:\n%s", code[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_of_parameters_are_told_apart),
		cmocka_unit_test(a_pointer_that_moves_stays_itself),
		cmocka_unit_test(a_pointer_is_known_by_its_place),
		cmocka_unit_test(what_is_written_last_is_followed_to_the_first),
		cmocka_unit_test(other_operations_store_too),
		cmocka_unit_test(shared_memory_is_nobodys_pointer),
		cmocka_unit_test(what_comes_from_elsewhere_may_go_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
