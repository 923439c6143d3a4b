/* Registers that are constant rows (kernel/fixed.h): which registers are, and that all others keep
 * each thread's own value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { THREADS = 64 };

static void check(struct heddle *h, enum heddle_status s)
{
	if (s)
		fail_msg("%s", heddle_message(h));
}

/* Runs a body that computes thread %t's result in %r; p is 100, q 2000, b the byte 0x85. */
static void run(const char *functions, const char *body, uint32_t out[THREADS])
{
	static char text[4096];
	struct heddle *h;
	struct heddle_module *m;
	uint64_t addr;
	snprintf(
		text, sizeof text,
		".version 6.0\n.target sm_70\n.address_size 64\n%s"
		".visible .entry k(.param .u64 out, .param .u32 p, .param .u32 q, .param .u64 b)\n{\n"
		".reg .pred %%odd, %%z;\n.reg .u32 %%t, %%r, %%a, %%c, %%i, %%bit;\n"
		".reg .u64 %%o, %%g, %%at, %%w;\n.reg .f64 %%d;\n"
		"mov.u32 %%t, %%tid.x;\nand.b32 %%bit, %%t, 1;\nsetp.ne.u32 %%odd, %%bit, 0;\n"
		"mov.u32 %%r, 0;\n%s"
		"ld.param.u64 %%o, [out];\ncvta.to.global.u64 %%g, %%o;\nmul.wide.u32 %%at, %%t, 4;\n"
		"add.u64 %%at, %%g, %%at;\nst.global.u32 [%%at], %%r;\nret;\n}\n",
		functions, body);
	check(NULL, heddle_open(&h, &(struct heddle_options){0}));
	check(h, heddle_load(h, &(struct heddle_text){"k.ptx", text, strlen(text)}, 1, &m));
	check(h, heddle_malloc(h, 4 * THREADS, &addr));
	uint64_t params[] = {addr, 100 | (uint64_t)2000 << 32, 0x85};
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
				  .grid = {1, 1, 1},
				  .block = {THREADS, 1, 1},
				  .params = params};
	check(h, heddle_launch(h, &l));
	check(h, heddle_read(h, out, addr, 4 * THREADS));
	heddle_close(h);
}

/* Expects a result in even threads and one in odd threads. */
static void gives(const char *functions, const char *body, uint32_t even, uint32_t odd)
{
	uint32_t out[THREADS];
	run(functions, body, out);
	for (uint32_t i = 0; i < THREADS; i++)
		if (out[i] != (i & 1 ? odd : even))
			fail_msg("thread %u has %u, not %u, of\n%s", i, out[i], i & 1 ? odd : even,
				 body);
}

static void a_parameter_read_by_some(void **state)
{
	(void)state;
	gives("", "@!%odd bra NO;\nld.param.u32 %a, [p];\nadd.u32 %r, %a, 1;\nNO:\n", 0, 101);
}

static void a_register_that_is_written_twice(void **state)
{
	(void)state;
	gives("",
	      "@%odd bra ODD;\nld.param.u32 %a, [p];\nbra.uni BOTH;\nODD:\nld.param.u32 %a, [q];\nBOTH:\nmov.u32 %r, %a;\n",
	      100, 2000);
	gives("", "mov.u32 %a, 5;\n@%odd mov.u32 %a, 6;\nmov.u32 %r, %a;\n", 5, 6);
}

static void a_register_that_some_threads_write(void **state)
{
	(void)state;
	gives("", "@%odd mov.u32 %a, 6;\nmov.u32 %r, %a;\n", 0, 6);
	gives("", "@%odd ld.param.u32 %a, [q];\nadd.u32 %r, %a, 1;\n", 1, 2001);
}

/* A register read before its first write is zero. */
static void a_register_that_is_read_before(void **state)
{
	(void)state;
	gives("",
	      "mov.u32 %i, 0;\nTURN:\nadd.u32 %r, %r, %a;\nld.param.u32 %a, [p];\nadd.u32 %i, %i, 1;\n"
	      "setp.lt.u32 %z, %i, 4;\n@%z bra TURN;\n",
	      300, 300);
}

static void what_a_fixed_register_is_copied_to(void **state)
{
	(void)state;
	gives("", "mov.u32 %a, 7;\nmov.u32 %c, %a;\n@%odd add.u32 %r, %a, %c;\n", 0, 14);
	gives("", "mov.u64 %w, 0x700000003;\nmov.b64 {%a, %c}, %w;\nmad.lo.u32 %r, %a, 10, %c;\n",
	      37, 37);
	gives("", "mov.f64 %d, 0d4008000000000000;\ncvt.rzi.u32.f64 %r, %d;\n", 3, 3);
	gives("",
	      "ld.param.u32 %a, [p];\nmov.u32 %c, %a;\nadd.u32 %c, %c, 1;\nadd.u32 %r, %a, %c;\n",
	      201, 201);
}

static void parameters_of_one_byte(void **state)
{
	(void)state;
	gives("", "ld.param.u8 %a, [b];\nmov.u32 %r, %a;\n", 0x85, 0x85);
	gives("", "ld.param.s8 %a, [b];\nmov.u32 %r, %a;\n", 0xffffff85, 0xffffff85);
}

/* The value that is read is fixed, but its address is not. */
static void a_parameter_at_a_fixed_address(void **state)
{
	(void)state;
	gives("",
	      "mov.u64 %w, 8;\nld.param.u32 %a, [%w];\nld.param.u32 %c, [%w+4];\nadd.u32 %r, %a, %c;\n",
	      2100, 2100);
}

/* A function's own registers; a parameter that is a register has a value before its only write. */
static void registers_of_functions(void **state)
{
	(void)state;
	const char *twice = ".func (.param .u32 r) f (.param .u32 x)\n{\n.reg .u32 %x, %two;\n"
			    "mov.u32 %two, 2;\nld.param.u32 %x, [x];\nmul.lo.u32 %x, %x, %two;\n"
			    "st.param.u32 [r], %x;\nret;\n}\n";
	const char *call =
		"{\n.param .u32 x;\n.param .u32 y;\nst.param.u32 [x], %bit;\ncall (y), f, (x);\n"
		"ld.param.u32 %r, [y];\n}\n";
	gives(twice, call, 0, 2);
	const char *registers =
		".func (.reg .u32 %y) f (.reg .u32 %x)\n{\n.reg .u32 %s;\n"
		"add.u32 %s, %x, 1;\nmov.u32 %x, 40;\nadd.u32 %y, %s, %x;\nret;\n}\n";
	gives(registers, "call (%r), f, (%bit);\n", 41, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parameter_read_by_some),
		cmocka_unit_test(a_register_that_is_written_twice),
		cmocka_unit_test(a_register_that_some_threads_write),
		cmocka_unit_test(a_register_that_is_read_before),
		cmocka_unit_test(what_a_fixed_register_is_copied_to),
		cmocka_unit_test(parameters_of_one_byte),
		cmocka_unit_test(a_parameter_at_a_fixed_address),
		cmocka_unit_test(registers_of_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
