/* Programs under every mechanism that regroups threads: the same memory as in functional mode, no
 * deadlock, figures that add up, the same with any number of host threads. */
#include "programs.h"

#define DWF "sm.divergence=dwf"
#define EN  "sm.divergence=en-dwf"
#define HWS "sm.lanes=hws"

static const struct test_machine machine[] = {
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
        {"hws", {"gpu.sms=2", EN, "sm.scheduler=two-level", "sm.scheduler_active=3", NULL}, 1, 32},
};
enum { MACHINES = sizeof machine / sizeof *machine };

static void kernels_of_the_compilers(void **state)
{
	(void)state;
	run_kernels(machine, MACHINES, 2);
}

static void programs_on_all_machines(void **state)
{
	(void)state;
	for (unsigned m = 0; m < MACHINES; m++) {
		run_mix(&machine[m]);
		run_locks(&machine[m]);
		run_crossed(&machine[m]);
		run_waits(&machine[m]);
		run_arms(&machine[m]);
	}
}

static void the_same_with_two_threads(void **state)
{
	(void)state;
	for (unsigned m = 0; m < MACHINES; m++)
		same_with_two_threads(&machine[m]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(kernels_of_the_compilers),
	        cmocka_unit_test(programs_on_all_machines),
	        cmocka_unit_test(the_same_with_two_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
