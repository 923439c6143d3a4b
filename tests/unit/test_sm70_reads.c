/* Registers that an instruction reads from the two banks: the fuller bank counts, a register named twice counts
 * once, and slots that the operand cache serves do not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "isa/sm70/issue.h"
#include "isa/sm70/sm70.h"

enum { A = 1, B = 2, C = 4 };

/* An fma, or with `wide` a double-precision one, which reads pairs of registers. */
static struct sm70_issue reads(bool wide, uint16_t a, uint16_t b, uint16_t c)
{
	struct sm70_inst in = {.op = wide ? SM70_DFMA : SM70_FFMA, .nop = 3};
	const uint16_t reg[] = {a, b, c};
	const uint8_t role[] = {SM70_R_A, SM70_R_B, SM70_R_C};
	for (unsigned i = 0; i < 3; i++)
		in.o[i] = (struct sm70_operand){.kind = SM70_K_GPR, .role = role[i], .reg = reg[i]};
	return sm70_issue_of(&in);
}

static void fuller_bank_counts(void **state)
{
	(void)state;
	assert_int_equal(reads(false, 2, 4, 6).reads, 3);
	assert_int_equal(reads(false, 2, 4, 7).reads, 2);
	assert_int_equal(reads(false, 2, 3, SM70_RZ).reads, 1);
	assert_int_equal(reads(false, SM70_RZ, SM70_RZ, SM70_RZ).reads, 0);
	assert_int_equal(reads(true, 2, 4, 6).reads, 3); /* pairs: one of each bank */
}

static void register_named_twice_counts_once(void **state)
{
	(void)state;
	assert_int_equal(reads(false, 2, 2, 2).reads, 1);
	assert_int_equal(reads(false, 2, 4, 2).reads, 2);
}

static void cached_slots_do_not_count(void **state)
{
	(void)state;
	struct sm70_issue i = reads(false, 2, 4, 7);
	assert_int_equal(sm70_bank_reads(&i, B | C), 1);
	assert_int_equal(sm70_bank_reads(&i, C), 1);
	assert_int_equal(sm70_bank_reads(&i, 0), 0);
	i = reads(false, 2, 2, 5); /* slot A is cached, so B's equal register is there, too */
	assert_int_equal(sm70_bank_reads(&i, B | C), 1);
	assert_int_equal(sm70_bank_reads(&i, B), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fuller_bank_counts),
		cmocka_unit_test(register_named_twice_counts_once),
		cmocka_unit_test(cached_slots_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
