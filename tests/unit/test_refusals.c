/* Machines with contradictory options are refused with the reason; a valid machine can be made afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

/* says: a part of the expected message; NULL: the machine is accepted. */
struct machine_case {
	const char *set[6], *says;
};

static void check(const struct machine_case *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct heddle *h;
		struct heddle_options o = {.set = c[i].set, .timing = true};
		enum heddle_status s = heddle_open(&h, &o);
		if (!c[i].says && s)
			fail_msg("%s ...: %s", c[i].set[0], heddle_message(h));
		if (c[i].says && !s)
			fail_msg("%s ...: not refused, which should say \"%s\"", c[i].set[0],
				 c[i].says);
		if (c[i].says && !strstr(heddle_message(h), c[i].says))
			fail_msg("%s ...: no word of \"%s\": %s", c[i].set[0], c[i].says,
				 heddle_message(h));
		heddle_close(h);
	}
}
#define CHECK(...)                                                                                 \
	do {                                                                                       \
		static const struct machine_case cases_[] = {__VA_ARGS__};                         \
		check(cases_, sizeof cases_ / sizeof *cases_);                                     \
	} while (0)

static void lanes_and_warps(void **state)
{
	(void)state;
	CHECK({{"sm.simd_width=12"}, "sm.simd_width = 12 does not divide gpu.warp_size = 32"},
	      {{"sm.simd_width=16"}, NULL},
	      {{"sm.scalar=all"}, "sm.lanes = simt executes nothing once for a warp"},
	      {{"sm.scalar=all", "sm.lanes=simt-scalar"}, NULL},
	      {{"sm.register_grain=thread"}, "sm.lanes = simt names registers of a whole warp"},
	      {{"sm.divergence=token", "gpu.warp_size=64", "sm.simd_width=64"},
	       "a token's mask has 32 threads, gpu.warp_size = 64"},
	      {{"sm.divergence=dwf", "sm.chaining=yes"}, "the predecessor may be another group's"},
	      {{"sm.scheduler=pdom-priority", "sm.pipeline=locked"},
	       "counts what threads that regroup have passed"},
	      {{"sm.scheduler=pdom-priority", "sm.pipeline=locked", "sm.divergence=dwf"}, NULL});
}

static void dispatch(void **state)
{
	(void)state;
#define DUEL "gpu.dispatch=warp-dueling", "gpu.sms=4"
	CHECK({{DUEL, "warp-dueling.with=2", "warp-dueling.without=2"}, "two SMs duel"},
	      {{DUEL, "warp-dueling.with=4"}, "SMs are numbered 0 to 3"},
	      {{DUEL, "warp-dueling.without=4"}, "SMs are numbered 0 to 3"},
	      {{DUEL, "warp-dueling.with=3"}, NULL}, {{DUEL, "warp-dueling.without=3"}, NULL},
	      {{"gpu.dispatch=warp", "sm.divergence=tbc", "warp.partial_blocks=2"},
	       "could wait for each other's room"});
#undef DUEL
}

/* By default a burst of 8 transfers takes 2 cycles. From the activation that delays a refresh to
 * the next column access: the row is open for tRAS = 28, tRP = 12, tRFC = 100, tRC = 40, tRRD = 6,
 * tRCD = 12, and the bus may turn: tWL + tCL + two bursts + tWTR + tCCD + tCCDL + 2 = 32. */
static void memory(void **state)
{
	(void)state;
	CHECK({{"dram.tRFC=100", "dram.tREFI=230"}, "dram.tREFI = 230: between two refreshes"},
	      {{"dram.tRFC=100", "dram.tREFI=1"}, "an access to a row, 230 cycles"},
	      {{"dram.tRFC=100", "dram.tREFI=231"}, NULL},
	      {{"dram.tRFC=100", "dram.tREFI=1", "dram.burst=3"}, "228 cycles"}, /* 1 cycle */
	      {{"dram.tRFC=100", "dram.tREFI=1", "dram.tRAS=10"}, "220 cycles"}, /* written: 18 */
	      {{"dram.tRFC=100", "dram.tREFI=1", "dram.tFAW=20"}, "244 cycles"},
	      {{"l1d.miss_room=9", "l1d.miss_queue=8"}, "the queue has 8 places"},
	      {{"l1d.miss_room=8", "l1d.miss_queue=8"}, NULL},
	      {{"icnt.latency=1", "gpu.icnt_mhz=10000", "gpu.core_mhz=100"},
	       "round trip is shorter than a core cycle"});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_and_warps),
		cmocka_unit_test(dispatch),
		cmocka_unit_test(memory),
	};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
