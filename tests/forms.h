/* The machines on which tests run programs under mechanisms that form groups of their own:
 * fragments, thread frontiers, thread-block compaction. */
#ifndef TESTS_FORMS_H
#define TESTS_FORMS_H
#include "programs.h"

#define NONE "sm.divergence=none"
#define MIMD "sm.divergence=mimd"
#define TF   "sm.divergence=thread-frontiers"
#define TBC  "sm.divergence=tbc"

#define COUNT_OF(x) (sizeof(x) / sizeof *(x))

/* clang-format off */
static const struct test_machine fragment_machine[] = {
	{"hws", {"gpu.sms=2", NONE, NULL}, 1, 32},
	{"hws", {"gpu.sms=2", MIMD, NULL}, 8, 32},
	{"hws", {"gpu.sms=2", NONE, "sm.lanes=hws", "gpu.perfect_memory=no", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", MIMD, "gpu.perfect_memory=no", "sm.scheduler=lrr", NULL}, 8, 32},
	{"hws",
	 {"gpu.sms=2", NONE, "gpu.warp_size=64", "sm.simd_width=16", "sm.schedulers=2", NULL},
	 2,
	 64},
	{"hws", {"gpu.sms=2", MIMD, "gpu.warp_size=64", "sm.simd_width=64", NULL}, 64, 64},
	{"hws",
	 {"gpu.sms=2", NONE, "gpu.warp_size=8", "sm.simd_width=4", "sm.max_warps=128", NULL},
	 1,
	 8},
	{"hws", {"gpu.sms=2", MIMD, "gpu.warp_size=33", "sm.simd_width=11", NULL}, 11, 33},
};

static const struct test_machine frontier_machine[] = {
	{"hws", {"gpu.sms=2", TF, NULL}, 1, 32},
	{"gtx480", {"gpu.sms=2", TF, NULL}, 2, 32},
	{"hws", {"gpu.sms=2", TF, "sm.lanes=hws", NULL}, 1, 32},
	{"gtx480", {"gpu.sms=2", TF, "sm.issue_width=2", "sm.scheduler=gto", "gpu.perfect_memory=yes", NULL}, 2, 32},
	{"hws", {"gpu.sms=2", TF, "gpu.warp_size=64", "sm.simd_width=16", "sm.lanes=hws", NULL}, 1, 64},
	{"gtx480", {"gpu.sms=2", TF, "gpu.warp_size=33", "sm.simd_width=11", NULL}, 2, 33},
	{"hws", {"gpu.sms=2", TF, "gpu.warp_size=8", "sm.simd_width=4", "sm.max_warps=128", NULL}, 1, 8},
	{"gtx480", {"gpu.sms=1", TF, "gpu.warp_size=1", "sm.simd_width=1", "sm.max_warps=128", NULL}, 2, 1},
};

static const struct test_machine tbc_machine[] = {
	{"hws", {"gpu.sms=2", TBC, NULL}, 1, 32},
	{"hws", {"gpu.sms=2", TBC, "sm.lanes=hws", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", TBC, "gpu.perfect_memory=no", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", TBC, "sm.scheduler=gto", "sm.schedulers=2", NULL}, 2, 32},
	{"hws", {"gpu.sms=2", TBC, "gpu.warp_size=64", "sm.simd_width=16", "sm.lanes=hws", NULL}, 1, 64},
	{"hws", {"gpu.sms=2", TBC, "gpu.warp_size=8", "sm.simd_width=4", "sm.max_warps=128", NULL}, 1, 8},
	{"hws", {"gpu.sms=2", TBC, "gpu.warp_size=33", "sm.simd_width=11", NULL}, 1, 33},
};
/* clang-format on */

#endif
