/* Messages for programs that a signal ends. A program that uses device memory on the host is ended by
 * SIGSEGV, as on a machine with a GPU, after a message with the reason. After any other crash, Ctrl-C,
 * SIGTERM or SIGHUP the report on its launches is still printed. */
#ifndef CUDA_SEGV_H
#define CUDA_SEGV_H
#include <signal.h>
#include <stdbool.h>
/* Installs the handlers; called once, when the device is open. Handlers that the program has
 * installed stay active. */
void segv_watch(void);
/* True if the program does not handle a signal with this action: the action is the default or the
 * report's handler. */
bool segv_is_own(const struct sigaction *now);
#endif
