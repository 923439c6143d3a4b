/* The C form of asynchronous copies to shared memory. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_
#include "cuda_runtime.h"
static __device__ __forceinline__ void __pipeline_memcpy_async(void *__d, const void *__s, size_t __n, size_t __zfill = 0)
{
	size_t __copy = __n - __zfill;
	for (size_t __i = 0; __i < __n / 4; __i++)
		((unsigned int *)__d)[__i] = 4 * __i < __copy ? ((const unsigned int *)__s)[__i] : 0;
}
static __device__ __forceinline__ void __pipeline_commit(void) {}
static __device__ __forceinline__ void __pipeline_wait_prior(size_t) {}
#endif
