/* Makes errors hard to miss: they are counted when they are printed, repeated when the program
 * ends, and change its exit status if HEDDLE_FAIL_ON_FAULT is set, as `heddle run` does. */
#ifndef CUDA_FAILURE_H
#define CUDA_FAILURE_H
#include <stdbool.h>

/* Prints an error of the run as one line on stderr, like rt_say(), and counts it. */
void rt_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Counts a launch that ended in a fault or a similar error; the message contains the kernel, line
 * and thread. in_page: the bad access lies in a mapped page, so a GPU would not have noticed it. */
void failure_launch(const char *message, bool in_page);
/* Counts a launch that was not executed because an earlier one failed. */
void failure_skipped(void);

/* failure_call: a call of the program returns an error. failure_asked: the program queries errors
 * or their texts. */
void failure_call(int error);
void failure_seen(int error);

/* Observes the exit status from now on; called when the device is opened. */
void failure_watch(bool exit_status);
/* Prints the summary at the program's end, and ends the process with another status if required. */
void failure_report(bool checked);
void failure_status(int status); /* called when the program ends by _exit(), with this status */
void failure_exit(void);
#endif
