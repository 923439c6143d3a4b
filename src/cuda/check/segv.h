/* A program that uses device memory on the host is ended by SIGSEGV, as on a machine with a GPU; a
 * message tells why. A program that crashes otherwise keeps the report on its launches. */
#ifndef CUDA_SEGV_H
#define CUDA_SEGV_H
/* Called once, when the device is open. Handlers of the program's own stay in charge. */
void segv_watch(void);
#endif
