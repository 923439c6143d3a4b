/* --check race: a store and a load of two blocks or two warps are ordered by a flag that is
 * published behind a fence and read before one, and by nothing less. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

/* The writer stores data and then its flag, the reader waits for a flag and then loads data. */
struct message {
	const char *release, *publish, *observe, *acquire;
};
#define STORES "st.relaxed.gpu.global.u32 [%d1+4], 1;"
#define ADDS   "red.relaxed.gpu.global.add.u32 [%d1+4], 1;"
#define LOADS  "ld.relaxed.gpu.global.u32 %r2, [%d1+4];"
#define READS  "atom.relaxed.gpu.global.or.b32 %r2, [%d1+4], 0;"
#define FENCE  "fence.acq_rel.gpu;"

/* Is it a race? Block 0 (or warp 0 of the one block) writes. */
static bool races(const struct message *m, unsigned blocks, char message[512])
{
	char text[2048];
	snprintf(
		text, sizeof text,
		".version 6.4\n.target sm_70\n.address_size 64\n"
		".visible .entry k(.param .u64 p)\n{\n"
		".reg .u32 %%r<4>; .reg .u64 %%d<2>; .reg .pred %%p<3>;\n"
		"ld.param.u64 %%d1, [p];\nmov.u32 %%r1, %%%s;\nsetp.ne.u32 %%p1, %%r1, 0;\n"
		"mov.u32 %%r1, %%tid.x;\nsetp.ne.u32 %%p2, %%r1, 0;\n@%%p2 exit;\n@%%p1 bra READER;\n"
		"st.global.u32 [%%d1], 7;\n%s\n%s\nret;\n"
		"READER:\n%s\nsetp.eq.u32 %%p2, %%r2, 0;\n@%%p2 bra READER;\n%s\n"
		"ld.global.u32 %%r3, [%%d1];\nst.global.u32 [%%d1+8], %%r3;\nret;\n}\n",
		blocks == 2 ? "ctaid.x" : "tid.y", m->release, m->publish, m->observe, m->acquire);
	struct heddle_options o = {.check_race = true, .max_instructions = 1000000};
	struct heddle *h;
	struct heddle_module *module;
	uint64_t at;
	uint32_t data[4] = {0};
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"test.ptx", text, strlen(text)}, 1, &module))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, sizeof data, &at), HEDDLE_OK);
	assert_int_equal(heddle_write(h, at, data, sizeof data), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(module, "k"),
				  .params = &at,
				  .grid = {blocks, 1, 1},
				  .block = {blocks == 2 ? 1 : 32, blocks == 2 ? 1 : 2, 1}};
	enum heddle_status s = heddle_launch(h, &l);
	snprintf(message, 512, "%s", s ? heddle_message(h) : "");
	if (!s) {
		assert_int_equal(heddle_read(h, data, at, sizeof data), HEDDLE_OK);
		assert_int_equal(data[2], 7);
	}
	heddle_close(h);
	return s != HEDDLE_OK;
}

static void assert_ordered(const struct message *m)
{
	char message[512];
	if (races(m, 2, message))
		fail_msg("%s %s | %s %s: %s", m->release, m->publish, m->observe, m->acquire,
			 message);
}

static void assert_race(const struct message *m)
{
	char message[512];
	if (!races(m, 2, message))
		fail_msg("%s %s | %s %s: no race", m->release, m->publish, m->observe, m->acquire);
	if (!strstr(message, "race"))
		fail_msg("not a race: %s", message);
}

/* What a store or an atomic publishes behind a fence is known after the fence of who reads it. */
static void a_flag_between_two_fences_orders_blocks(void **state)
{
	(void)state;
	assert_ordered(&(struct message){FENCE, STORES, LOADS, FENCE});
	assert_ordered(&(struct message){FENCE, ADDS, LOADS, FENCE});
	assert_ordered(&(struct message){FENCE, STORES, READS, FENCE});
	assert_ordered(&(struct message){FENCE, ADDS, READS, FENCE});
	assert_ordered(&(struct message){"", "st.release.gpu.global.u32 [%d1+4], 1;",
					 "ld.acquire.gpu.global.u32 %r2, [%d1+4];", ""});
}

/* A fence on one side alone orders nothing, and nor does one that reaches no further than its
 * block. */
static void less_than_that_is_a_race(void **state)
{
	(void)state;
	assert_race(&(struct message){"", STORES, LOADS, FENCE});
	assert_race(&(struct message){FENCE, STORES, LOADS, ""});
	assert_race(&(struct message){"fence.acq_rel.cta;", STORES, LOADS, FENCE});
	assert_race(&(struct message){FENCE, STORES, LOADS, "fence.acq_rel.cta;"});
}

/* Warps of one block are ordered by a fence of block scope. */
static void a_fence_of_block_scope_orders_warps(void **state)
{
	(void)state;
	static const struct message m = {"fence.acq_rel.cta;", STORES, LOADS, "fence.acq_rel.cta;"};
	char message[512];
	if (races(&m, 1, message))
		fail_msg("%s", message);
}

/* A flag tells what its address published, not what was published elsewhere later. */
static void a_flag_stored_before_the_fence_tells_nothing(void **state)
{
	(void)state;
	assert_race(&(struct message){"", STORES FENCE "st.relaxed.gpu.global.u32 [%d1+12], 1;",
				      LOADS, FENCE});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flag_between_two_fences_orders_blocks),
		cmocka_unit_test(less_than_that_is_a_race),
		cmocka_unit_test(a_fence_of_block_scope_orders_warps),
		cmocka_unit_test(a_flag_stored_before_the_fence_tells_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
