/* What went wrong, so that nobody misses it: errors are counted as they are printed, said again when
 * the program ends, and change its exit status where that is wanted (HEDDLE_FAIL_ON_FAULT, which
 * `heddle run` sets). */
#ifndef CUDA_FAILURE_H
#define CUDA_FAILURE_H
#include <stdbool.h>

/* A line on stderr, as rt_say() writes it, that is an error of the run. */
void rt_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A launch ended in a fault or the like; the message has its place. A fault in_page is one that a GPU
 * would not have noticed. */
void failure_launch(const char *message, bool in_page);
/* A launch was not executed, because an earlier one failed. */
void failure_skipped(void);

/* When the device is opened: learns the exit status from then on. */
void failure_watch(bool exit_status);
/* When the program ends: the summary; and the end itself, if it must be another one. */
void failure_report(void);
void failure_exit(void);
#endif
