/* Makes sure that nobody misses an error: errors are counted when they are printed, repeated when
 * the program ends, and change its exit status if that is wanted (HEDDLE_FAIL_ON_FAULT, which
 * `heddle run` sets). */
#ifndef CUDA_FAILURE_H
#define CUDA_FAILURE_H
#include <stdbool.h>

/* Prints an error of the run as a line on stderr, like rt_say(). */
void rt_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A launch ended in a fault or the like; the message has its place. A fault in_page is one that a
 * GPU would not have noticed. */
void failure_launch(const char *message, bool in_page);
/* A launch was not executed, because an earlier one failed. */
void failure_skipped(void);

/* A call of the program returns an error; the program asks for errors or their texts. */
void failure_call(int error);
void failure_seen(int error);

/* Called when the device is opened: observes the exit status from then on. */
void failure_watch(bool exit_status);
/* At the program's end: prints the summary; ends the process with another status if it must. */
void failure_report(bool checked);
void failure_status(int status); /* the program ends by _exit() */
void failure_exit(void);
#endif
