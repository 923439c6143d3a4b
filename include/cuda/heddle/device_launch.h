/*
 * The device's part of the runtime: launches from kernels. heddle cc turns k<<<g, b, s, t>>>(x) in device code into
 * __hd_launch(__hd_kernel<decltype(k), k>::__p, g, b, s, t)(x). The four functions of the parameters' buffer are the
 * simulator's, under the names that nvcc's code calls.
 *
 * Launches by a kernel run in order when the kernel has ended, waits for them, copies or frees memory: streams and
 * events are names alone.
 */
#ifndef HEDDLE_DEVICE_LAUNCH_H
#define HEDDLE_DEVICE_LAUNCH_H

#include "../driver_types.h"
#include "questions.h"

extern "C" {
__device__ void *cudaGetParameterBuffer(size_t __alignment, size_t __size);
__device__ void *cudaGetParameterBufferV2(void *__func, dim3 __grid, dim3 __block, unsigned __shared);
__device__ cudaError_t cudaLaunchDevice(void *__func, void *__parameters, dim3 __grid, dim3 __block,
	unsigned __shared, cudaStream_t __stream);
__device__ cudaError_t cudaLaunchDeviceV2(void *__parameters, cudaStream_t __stream);
__device__ cudaError_t cudaDeviceSynchronize(void);
/* Called before operations that execute immediately: waits for earlier launches. */
__device__ void __heddle_wait_if_any(void);
/* Asks the runtime for a property of a kernel, or (NULL) of the device; negative: not available. */
__device__ long long __heddle_ask(const void *__kernel, long long __what, long long __x, long long __y);
#define __HD_DRT static __device__ __inline__ __attribute__((unused))
__HD_DRT cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void) { return cudaDeviceSynchronize(); }
__HD_DRT cudaError_t cudaGetLastError(void) { return cudaSuccess; }
__HD_DRT cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }
__HD_DRT const char *cudaGetErrorString(cudaError_t __e) { return __e ? "an error" : "no error"; }
__HD_DRT const char *cudaGetErrorName(cudaError_t __e) { return __e ? "cudaErrorUnknown" : "cudaSuccess"; }
__HD_DRT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *__s, unsigned)
{
	*__s = (cudaStream_t)16;
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
__HD_DRT cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
__HD_DRT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *__e, unsigned)
{
	*__e = (cudaEvent_t)16;
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
__HD_DRT cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
__HD_DRT cudaError_t cudaMalloc(void **__p, size_t __n)
{
	*__p = malloc(__n);
	return *__p ? cudaSuccess : cudaErrorMemoryAllocation;
}
__HD_DRT cudaError_t cudaFree(void *__p)
{
	free(__p);
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaMemcpyAsync(void *__to, const void *__from, size_t __n, cudaMemcpyKind, cudaStream_t)
{
	__heddle_wait_if_any();
	memcpy(__to, __from, __n);
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaMemsetAsync(void *__to, int __x, size_t __n, cudaStream_t)
{
	__heddle_wait_if_any();
	memset(__to, __x, __n);
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaGetDevice(int *__d)
{
	*__d = 0;
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaGetDeviceCount(int *__n)
{
	*__n = 1;
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaRuntimeGetVersion(int *__v)
{
	*__v = CUDART_VERSION;
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaDeviceGetAttribute(int *__v, enum cudaDeviceAttr __a, int __d)
{
	long long __x = __d ? -1 : __heddle_ask(0, __HD_ASK_ATTRIBUTE, __a, 0);
	if (__x >= 0)
		*__v = (int)__x;
	return __x >= 0 ? cudaSuccess : __d ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
}
__HD_DRT cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *__c)
{
	*__c = cudaFuncCachePreferNone;
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *__c)
{
	*__c = cudaSharedMemBankSizeFourByte;
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *__a, const void *__f)
{
	*__a = cudaFuncAttributes();
	__a->sharedSizeBytes = (size_t)__heddle_ask(__f, __HD_ASK_SHARED, 0, 0);
	__a->constSizeBytes = (size_t)__heddle_ask(__f, __HD_ASK_CONST, 0, 0);
	__a->localSizeBytes = (size_t)__heddle_ask(__f, __HD_ASK_LOCAL, 0, 0);
	__a->maxThreadsPerBlock = (int)__heddle_ask(__f, __HD_ASK_THREADS, 0, 0);
	__a->numRegs = (int)__heddle_ask(__f, __HD_ASK_REGISTERS, 0, 0);
	__a->ptxVersion = (int)__heddle_ask(__f, __HD_ASK_PTX, 0, 0);
	__a->binaryVersion = (int)__heddle_ask(__f, __HD_ASK_BINARY, 0, 0);
	__a->maxDynamicSharedSizeBytes = (int)__heddle_ask(__f, __HD_ASK_DYNAMIC, 0, 0);
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__n, const void *__f, int __threads,
	size_t __shared, unsigned)
{
	long long __x = __heddle_ask(__f, __HD_ASK_BLOCKS, __threads, (long long)__shared);
	if (__x >= 0)
		*__n = (int)__x;
	return __x >= 0 ? cudaSuccess : cudaErrorInvalidValue;
}
__HD_DRT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__n, const void *__f, int __threads,
	size_t __shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__n, __f, __threads, __shared, 0);
}
__HD_DRT cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned) { return cudaSuccess; }
__HD_DRT cudaError_t cudaMemcpy2DAsync(void *__to, size_t __to_pitch, const void *__from, size_t __from_pitch,
	size_t __width, size_t __height, cudaMemcpyKind, cudaStream_t)
{
	__heddle_wait_if_any();
	for (size_t __i = 0; __i < __height; __i++)
		memcpy((char *)__to + __i * __to_pitch, (const char *)__from + __i * __from_pitch, __width);
	return cudaSuccess;
}
__HD_DRT cudaError_t cudaMemset2DAsync(void *__to, size_t __pitch, int __x, size_t __width, size_t __height, cudaStream_t)
{
	__heddle_wait_if_any();
	for (size_t __i = 0; __i < __height; __i++)
		memset((char *)__to + __i * __pitch, __x, __width);
	return cudaSuccess;
}
}
#define cudaStreamTailLaunch    ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)
template <class __T> __HD_DRT cudaError_t cudaMalloc(__T **__p, size_t __n) { return cudaMalloc((void **)__p, __n); }
__HD_DRT cudaError_t cudaMemcpyAsync(void *__to, const void *__from, size_t __n, cudaMemcpyKind __k)
{
	return cudaMemcpyAsync(__to, __from, __n, __k, 0);
}
__HD_DRT cudaError_t cudaMemsetAsync(void *__to, int __x, size_t __n) { return cudaMemsetAsync(__to, __x, __n, 0); }
__HD_DRT cudaError_t cudaEventRecord(cudaEvent_t) { return cudaSuccess; }
__HD_DRT cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t) { return cudaSuccess; }
template <class __T> __HD_DRT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *__a, __T *__f)
{
	return cudaFuncGetAttributes(__a, (const void *)__f);
}
template <class __T>
__HD_DRT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__n, __T __f, int __threads, size_t __shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__n, (const void *)__f, __threads, __shared, 0);
}
template <class __T>
__HD_DRT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__n, __T __f, int __threads,
	size_t __shared, unsigned __flags)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__n, (const void *)__f, __threads, __shared, __flags);
}

#if __cplusplus >= 201103L
/* Stands in for a device function whose address host code takes; host code cannot call it. */
static inline void __hd_device_function() { __builtin_trap(); }
/* The kernel as a constant: clang looks for launches in expressions, not in templates' arguments. */
template <class __T, __T *__f> struct __hd_kernel {
	static constexpr __T *__p = __f;
};
/* A template's parameter that is a pointer to a kernel, likewise. */
template <class __T, __T __f> struct __hd_constant {
	static constexpr __T __p = __f;
};
#if __cplusplus >= 201402L
/* The address of one of several kernels, once its type is known; __l gives it. */
template <class __T> struct __hd_type {
	typedef __T type;
};
template <class __L> struct __hd_any {
	__L __l;
	template <class __T> __host__ __device__ operator __T *() const { return __l(__hd_type<__T>()); }
};
template <class __L> __host__ __device__ __hd_any<__L> __hd_address(__L __l) { return {__l}; }
#endif

__HD_DRT void __hd_put(char *, size_t) {}
template <class __T, class... __Rest>
__HD_DRT void __hd_put(char *__to, size_t __at, const __T &__x, const __Rest &...__rest)
{
	__at = (__at + alignof(__T) - 1) & ~(alignof(__T) - 1);
	__builtin_memcpy(__to + __at, (const void *)&__x, sizeof __x);
	__hd_put(__to, __at + sizeof __x, __rest...);
}
template <class... __P> struct __hd_launcher {
	void (*__f)(__P...);
	dim3 __grid, __block;
	unsigned __shared_bytes;
	cudaStream_t __stream;
	__device__ void operator()(__P... __p) const
	{
		char *__to = (char *)cudaGetParameterBufferV2((void *)__f, __grid, __block, __shared_bytes);
		if (!__to) {
			asm volatile("trap;");
			return;
		}
		__hd_put(__to, 0, __p...);
		cudaLaunchDeviceV2(__to, __stream);
	}
};
template <class... __P>
__HD_DRT __hd_launcher<__P...> __hd_launch(void (*__f)(__P...), dim3 __grid, dim3 __block,
	size_t __shared_bytes = 0, cudaStream_t __stream = 0)
{
	return {__f, __grid, __block, (unsigned)__shared_bytes, __stream};
}
#endif
#undef __HD_DRT

#endif
