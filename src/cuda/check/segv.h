/* Messages for programs that a signal ends. A program that uses device memory on the host is ended by
 * SIGSEGV, as on a machine with a GPU, after a message with the reason. After any other crash, Ctrl-C,
 * SIGTERM or SIGHUP the report on its launches is still printed. */
#ifndef CUDA_SEGV_H
#define CUDA_SEGV_H
#include <signal.h>
#include <stdbool.h>
/* Installs the handlers; called once, when the device is open. Handlers that the program installed
 * stay in charge. */
void segv_watch(void);
/* True if a signal with this action is not handled by the program: it has its default or the report. */
bool segv_is_own(const struct sigaction *now);
#endif
