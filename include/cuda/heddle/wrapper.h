/*
 * Included before the first line of every CUDA source. It does for Heddle's headers what clang's
 * own wrapper does for NVIDIA's: standard headers first, while they see an ordinary compiler, then
 * the types, the runtime, and the device functions on top of clang's device headers.
 */
#ifndef HEDDLE_WRAPPER_H
#define HEDDLE_WRAPPER_H

#if !defined(__clang__) || !defined(__CUDA__)
#error "Heddle's CUDA headers need clang's CUDA mode: compile with heddle cc"
#endif

#include <__clang_cuda_math_forward_declares.h>

#define __CUDACC__             1
#define __NVCC__               1
#ifdef __HEDDLE_COMPILER_12
#define __CUDACC_VER_MAJOR__   12
#define __CUDACC_VER_MINOR__   6
#else
#define __CUDACC_VER_MAJOR__   11
#define __CUDACC_VER_MINOR__   8
#endif
#define __CUDACC_VER_BUILD__   89
#define __CUDA_API_VER_MAJOR__ 11
#define __CUDA_API_VER_MINOR__ 8
#define CUDA_VERSION           11080
#define CUDART_VERSION         11080
/* The runtime's version is older than the compiler's, which CCCL's headers refuse. */
#ifndef CCCL_DISABLE_CTK_COMPATIBILITY_CHECK
#define CCCL_DISABLE_CTK_COMPATIBILITY_CHECK
#endif
#ifndef __CUDA_PREC_DIV
#define __CUDA_PREC_DIV 1
#endif

#if defined(__CUDA_ARCH__)
#include "elements.h"
#endif
#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../host_defines.h"
#include "../vector_types.h"

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *__msg, const char *__file, unsigned int __line,
			     const char *__func, size_t __charsize);
static __device__ __HD_INLINE __attribute__((unused)) void
__assert_fail(const char *__msg, const char *__file, unsigned int __line, const char *__func)
{
	__assertfail(__msg, __file, __line, __func, sizeof(char));
}
/* Replaces a host function that device code calls (nvcc/host_calls.c). */
static __device__ __inline__ __attribute__((unused, noreturn)) void
__hd_host_function(const char *__name, const char *__file, unsigned int __line)
{
	__assertfail("a function of the host is called in device code", __file, __line, __name,
		     sizeof(char));
	__builtin_trap();
}
__device__ int printf(const char *, ...);
/* For literals, whose length is a constant. */
static __device__ __inline__ __attribute__((unused)) size_t strlen(const char *__s)
{
	size_t __n = 0;
	while (__s[__n])
		__n++;
	return __n;
}
/* A pure virtual call is a fault; the symbol exists once, whatever the number of modules that
 * define it. */
__device__ inline __attribute__((weak)) void __cxa_pure_virtual(void) { asm volatile("trap;"); }
}
namespace std
{
static __device__ __HD_INLINE __attribute__((unused)) void free(void *__p) { ::free(__p); }
static __device__ __HD_INLINE __attribute__((unused)) void *malloc(size_t __n)
{
	return ::malloc(__n);
}
} // namespace std

#include <__clang_cuda_builtin_vars.h>
#define __HD_BUILTIN(__b)                                                                          \
	__device__ inline __cuda_builtin_##__b##_t::operator dim3() const                          \
	{                                                                                          \
		return dim3(x, y, z);                                                              \
	}                                                                                          \
	__device__ inline __cuda_builtin_##__b##_t::operator uint3() const                         \
	{                                                                                          \
		return uint3{x, y, z};                                                             \
	}
__HD_BUILTIN(threadIdx)
__HD_BUILTIN(blockIdx)
__HD_BUILTIN(blockDim)
__HD_BUILTIN(gridDim)
#undef __HD_BUILTIN

#if defined(__HEDDLE_LIBDEVICE)
#include <__clang_cuda_libdevice_declares.h>
#else
#include "libdevice.h"
#endif
/* Votes and shuffles without a mask cover the threads that execute them; from sm_70 on instructions
 * must name those threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define __HD_ACTIVE ".reg .b32 m; activemask.b32 m; "
#define __HD_SYNC   ".sync"
#define __HD_MASK   ", m"
#else
#define __HD_ACTIVE
#define __HD_SYNC
#define __HD_MASK
#endif
/* Votes as text: clang's builtins have no instruction below sm_30. */
#define __HD_VOTE(__n, __vote, __result)                                                           \
	static __device__ __HD_INLINE __attribute__((unused)) int __hd_vote_##__n(int __p)         \
	{                                                                                          \
		int __r;                                                                           \
		asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; " __HD_ACTIVE                  \
			     "vote" __HD_SYNC __vote __HD_MASK "; " __result "}"                   \
			     : "=r"(__r)                                                           \
			     : "r"(__p));                                                          \
		return __r;                                                                        \
	}
__HD_VOTE(all, ".all.pred p, p", "selp.s32 %0, 1, 0, p; ")
__HD_VOTE(any, ".any.pred p, p", "selp.s32 %0, 1, 0, p; ")
__HD_VOTE(ballot, ".ballot.b32 %0, p", "")
#undef __HD_VOTE
#pragma push_macro("__forceinline__")
#undef __forceinline__
#define __forceinline__    __HD_INLINE
#define __nvvm_vote_all    __hd_vote_all
#define __nvvm_vote_any    __hd_vote_any
#define __nvvm_vote_ballot __hd_vote_ballot
#include <__clang_cuda_device_functions.h>
#undef __nvvm_vote_all
#undef __nvvm_vote_any
#undef __nvvm_vote_ballot
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
#pragma pop_macro("__forceinline__")
#include "../device_types.h"
#include "math_overloads.h"
#include "intrinsics.h"
#include "dpx.h"
#include "sync.h"
#include "atomics.h"
#include "cluster.h"
#include "../cuda_runtime.h"
#include "../texture_types.h"
#include "texture_device.h"
#include "surface_device.h"
#include "device_launch.h"

/* A managed variable is a host variable that the runtime also maps for the device. It has pages of
 * its own, so that the runtime can watch them (src/cuda/check/touch.c): each variable of its
 * section begins a page, and the last one is padded to a full page. */
#if !defined(__CUDA_ARCH__)
extern "C" void __heddleRegisterManaged(void *__host, const char *__name, size_t __size);
extern "C" void __heddleManagedPages(const void *__start, const void *__stop);
#define __HD_SECTION __attribute__((weak, visibility("hidden")))
extern "C" __HD_SECTION char __start_heddle_managed[], __stop_heddle_managed[],
	__start_heddle_managed_zero[], __stop_heddle_managed_zero[];
#define __HD_PAGE __attribute__((aligned(4096)))
#define __HEDDLE_MANAGED_PAGES                                                                     \
	_Pragma("clang section bss=\"heddle_managed_zero\" data=\"heddle_managed\"") __HD_PAGE
#define __HEDDLE_MANAGED(__v)                                                                      \
	static __HD_PAGE __attribute__((used)) char __hd_zero_##__v[4096],                         \
		__hd_page_##__v[4096] = {1};                                                       \
	static __attribute__((constructor(101))) void __hd_managed_##__v(void)                     \
	{                                                                                          \
		__heddleRegisterManaged((void *)&__v, "hdm_" #__v, sizeof(__v));                   \
		__heddleManagedPages(__start_heddle_managed, __stop_heddle_managed);               \
		__heddleManagedPages(__start_heddle_managed_zero, __stop_heddle_managed_zero);     \
	}
#define __HEDDLE_MANAGED_END _Pragma("clang section bss=\"\" data=\"\"")
#endif

/* Headers that nvcc includes in every source. */
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__
#define __COMMON_FUNCTIONS_H__

#include <__clang_cuda_complex_builtins.h>
#include <new>
#include <utility>

#endif
