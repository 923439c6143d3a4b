/* Shared by the programs of this folder: a check that prints its line on failure, and the exit
 * status of main(). */
#ifndef PROGRAMS_CHECK_H
#define PROGRAMS_CHECK_H
#include <stdio.h>
#include <cuda_runtime.h>

static int failures;

#define CHECK(c)                                                                  \
	do {                                                                      \
		if (!(c)) {                                                       \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #c);    \
			failures++;                                               \
		}                                                                 \
	} while (0)

#define CUDA(call)                                                                \
	do {                                                                      \
		cudaError_t e_ = (call);                                          \
		if (e_ != cudaSuccess) {                                          \
			printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); \
			failures++;                                               \
		}                                                                 \
	} while (0)
#endif
