/* A program that uses device memory on the host is ended by SIGSEGV, as on a machine with a GPU.
 * Before that, a message tells why. */
#ifndef CUDA_SEGV_H
#define CUDA_SEGV_H
/* Called once, when the device is open. If the program has a handler of its own, that one stays in
 * charge. */
void segv_watch(void);
#endif
