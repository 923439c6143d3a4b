/* The machines on which tests run programs: with unchanged warps, and under mechanisms that form
 * groups of their own: fragments, thread frontiers, thread-block compaction, regrouping. */
#ifndef TESTS_FORMS_H
#define TESTS_FORMS_H
#include "programs.h"

#define NONE "sm.divergence=none"
#define MIMD "sm.divergence=mimd"
#define TF   "sm.divergence=thread-frontiers"
#define TBC  "sm.divergence=tbc"

#define DWF "sm.divergence=dwf"
#define EN  "sm.divergence=en-dwf"
#define HWS "sm.lanes=hws"

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
	{"hws", {"gpu.sms=2", TBC, "tbc.permute=balanced", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", TBC, "tbc.wait=predicted", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", TBC, "tbc.wait=predicted", "tbc.permute=balanced", "sm.lanes=stsimt4", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", TBC, "tbc.permute=odd-even", "sm.lanes=hws", "gpu.perfect_memory=no", NULL}, 1, 32},
};

/* Schedulers, pipelines, warp sizes, widths, cache and network shapes. */
static const struct test_machine plain_machine[] = {
	{"gtx480", {"gpu.sms=3", NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", "sm.scheduler=gto", "sm.issue_width=2", "gpu.perfect_memory=yes", NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", "sm.scheduler=two-level-active", "sm.scheduler_active=3", "icnt.kind=ideal", NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", "sm.scheduler=oldest", "sm.schedulers=4", "l1d.kind=off", "l2.kind=off", NULL}, 4, 32},
	{"gtx480", {"gpu.sms=2", "gpu.warp_size=64", "sm.simd_width=16", NULL}, 2, 64},
	{"gtx480", {"gpu.sms=2", "gpu.warp_size=8", "sm.simd_width=4", "sm.max_warps=128", "sm.scheduler=majority", NULL}, 2, 8},
	{"gtx480", {"gpu.sms=2", "gpu.warp_size=33", "sm.simd_width=11", NULL}, 2, 33},
	{"gtx480", {"gpu.sms=1", "gpu.warp_size=1", "sm.simd_width=1", "sm.max_warps=128", NULL}, 2, 1},
	{"hws", {"gpu.sms=2", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", "gpu.perfect_memory=no", NULL}, 1, 32},
	{"stsimt", {"gpu.sms=2", NULL}, 1, 32},
	{"quadro-fx5800", {"gpu.sms=2", NULL}, 1, 32},
	{"tesla-c2050", {"gpu.sms=2", "l1d.kind=wb", NULL}, 2, 32},
	{"gtx480-700", {"gpu.sms=2", "l2.allocate=fetch-on-write", NULL}, 2, 32},
	{"gtx480-700", {"gpu.sms=2", "sm.scheduler=lrr", "sm.issue_width=2", "lsu.accesses_per_cycle=2", NULL}, 2, 32},
};

static const struct test_machine regroup_machine[] = {
	{"hws", {"gpu.sms=2", DWF, NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, NULL}, 1, 32},
	{"hws", {"gpu.sms=2", DWF, HWS, NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, HWS, NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, HWS, "squeeze.when=after-merge", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", DWF, HWS, "hws.squeeze=no", "dwf.on_conflict=threads", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, HWS, "dwf.on_conflict=threads", "sm.schedulers=2", NULL}, 2, 32},
	{"hws", {"gpu.sms=2", DWF, "gpu.perfect_memory=no", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, HWS, "gpu.perfect_memory=no", "l1d.kind=wb", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, HWS, "gpu.warp_size=64", "sm.simd_width=16", NULL}, 1, 64},
	{"hws",
	 {"gpu.sms=2", DWF, "gpu.warp_size=16", "sm.simd_width=4", "sm.max_warps=64", NULL},
	 1,
	 16},
	{"hws",
	 {"gpu.sms=2", EN, "gpu.warp_size=8", "sm.simd_width=8", "sm.max_warps=128", NULL},
	 1,
	 8},
	{"hws",
	 {"gpu.sms=2", EN, HWS, "gpu.warp_size=32", "sm.simd_width=32", "sm.scheduler=gto", NULL},
	 1,
	 32},
	{"hws", {"gpu.sms=2", DWF, "sm.scheduler=lrr", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", DWF, "sm.scheduler=minority", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, "sm.scheduler=time-stamp", "en-dwf.lane_aware=no", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", DWF, "sm.scheduler=program-counter", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", EN, HWS, "sm.scheduler=pdom-priority", NULL}, 1, 32},
	{"hws", {"gpu.sms=3", EN, HWS, "scale.scope=gpu", NULL}, 1, 32},
	{"hws", {"gpu.sms=3", EN, HWS, "scale.scope=gpu", "scale.pipeline=steps", NULL}, 1, 32},
	{"hws", {"gpu.sms=3", HWS, "scale.scope=gpu", "gpu.perfect_memory=no", NULL}, 1, 32},
	{"hws",
	 {"gpu.sms=2", EN, "sm.scheduler=two-level-active", "sm.scheduler_active=3", NULL},
	 1,
	 32},
};
/* clang-format on */

#endif
