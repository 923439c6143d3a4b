/* The C form of asynchronous copies to shared memory. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_
#include "heddle/mbarrier.h"
/* Copies __n bytes (4, 8 or 16), of which the last __zfill become zero. */
static __device__ __HD_INLINE void __pipeline_memcpy_async(void *__d, const void *__s, size_t __n, size_t __zfill = 0)
{
	if (!__zfill) {
		__hd_copy(__d, __s, __n);
	} else if (__hd_cp_able(__d, __s)) {
		unsigned int __have = (unsigned int)(__n - __zfill);
		if (__n == 16)
			__hd_cp<16>(__d, __s, __have);
		else if (__n == 8)
			__hd_cp<8>(__d, __s, __have);
		else
			__hd_cp<4>(__d, __s, __have);
	} else {
		for (size_t __i = 0; __i < __n; __i++)
			((char *)__d)[__i] = __i < __n - __zfill ? ((const char *)__s)[__i] : 0;
	}
}
static __device__ __HD_INLINE void __pipeline_commit(void) { __hd_cp_commit(); }
static __device__ __HD_INLINE void __pipeline_wait_prior(size_t __n) { __hd_cp_wait_prior(__n); }
static __device__ __HD_INLINE void __pipeline_arrive_on(unsigned long long *__b) { __hd_cp_arrive(__b); }
#endif
