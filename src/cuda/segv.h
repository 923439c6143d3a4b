/* A program that uses device memory on the host is ended by SIGSEGV, here as on a GPU. Before that it is told why. */
#ifndef CUDA_SEGV_H
#define CUDA_SEGV_H
/* Once, when the device is open. A handler of the program's own stays in charge. */
void segv_watch(void);
#endif
