/* The device of the process: its options, the report on its launches, and requests from kernels.
 * process.h has the state. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H
#include "cuda/process/process.h"

/* Fills *o from the environment (options.c); also sets process.report and process.check. */
void options_read(struct heddle_options *o);

/* Called before and after each launch: show progress on a terminal, and let Ctrl-C end the launch
 * (report.c). */
void launch_begin(void), launch_end(void);
void report_progress(void *arg, uint64_t done, uint64_t blocks, uint64_t insts);
/* Prints the report, unless it has been printed already. Call with the device locked. */
void report_once(void);
/* Called when the program ends immediately (_exit()): prints the report, unless a kernel runs. */
void rt_leave(void);
/* Called when a signal is about to end the program: prints the report, unless a kernel runs. */
void report_crash(int sig);
/* Called when Ctrl-C has ended a launch: prints the report and ends the program. */
_Noreturn void launch_interrupted(void);

/* kernels.c. report_kernels: prints the cost of timed kernels, one row per kernel.
 * report_local_memory: prints the kernels of `heddle cc` that use local memory. */
void report_kernels(void), report_local_memory(void);
/* Notes the first launch of a kernel that `heddle cc` compiled; bytes: local memory per thread, not
 * 0. */
void report_local_use(const char *kernel, unsigned bytes);

/* Answers a query that device code makes to the runtime, such as cudaFuncGetAttributes()
 * (device_side.c). */
int64_t device_answer(void *arg, const struct heddle_kernel *kernel, const int64_t question[3]);

#endif
