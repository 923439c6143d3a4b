/* The device of the process: its options, the report on its launches, questions about it. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H
#include "cuda/process/process.h"

/* Fills *o from the environment (options.c); sets process.report and process.check too. */
void options_read(struct heddle_options *o);

/* Around each launch: progress on a terminal, Ctrl-C ends the launch (report.c). */
void launch_begin(void), launch_end(void);
void report_progress(void *arg, uint64_t done, uint64_t blocks, uint64_t insts);
/* With the device locked: the report, unless it is out already. */
void report_once(void);
/* The program ends at once: the report, unless a kernel runs. */
void rt_leave(void);
/* A signal is about to end the program: the report, unless a kernel runs. */
void report_crash(int sig);
/* Ctrl-C ended a launch: the report, then the program's end. */
_Noreturn void launch_interrupted(void);

/* kernels.c: what timed kernels cost, a row each; which kernels of `heddle cc` use local memory. */
void report_kernels(void), report_local_memory(void);
/* A kernel that `heddle cc` compiled is launched for the first time; bytes of local memory per thread, not 0. */
void report_local_use(const char *kernel, unsigned bytes);

/* A kernel's question to the runtime (device_side.c). */
int64_t device_answer(void *arg, const struct heddle_kernel *kernel, const int64_t question[3]);

#endif
