/* Messages for programs that crash. A program that uses device memory on the host is ended by
 * SIGSEGV, as on a machine with a GPU, after a message with the reason. After any other crash, the
 * report on its launches is still printed. */
#ifndef CUDA_SEGV_H
#define CUDA_SEGV_H
/* Installs the handlers; called once, when the device is open. Handlers that the program installed
 * stay in charge. */
void segv_watch(void);
#endif
