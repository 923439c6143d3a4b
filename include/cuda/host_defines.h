/* CUDA's function and variable qualifiers as macros; empty outside a CUDA compilation. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if !defined(__CUDACC_RTC__) && defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#ifdef __HEDDLE_DEVICE_ALONE /* the program that loads the PTX sets static variables too, so they
			      * are not constant zero */
#define __constant__ __attribute__((constant)) __attribute__((used))
#else
#define __constant__ __attribute__((constant))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __device_builtin__
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#define __cudart_builtin__
#define __grid_constant__
#define __cluster_dims__(...)
/* `heddle cc` writes this into the body of a kernel with __cluster_dims__, and reads it in the PTX. */
#define __HEDDLE_CLUSTER(__dims) __HEDDLE_CLUSTER_OF __dims
#define __HEDDLE_CLUSTER_OF(...) __HEDDLE_CLUSTER_XYZ(__VA_ARGS__, 1, 1, 1)
#define __HEDDLE_CLUSTER_XYZ(__x, __y, __z, ...) \
asm volatile("// heddle.cluster %0 %1 %2" :: "n"(__x), "n"(__y), "n"(__z))
/*
 * __managed__ and, with compilers that do not know it as a keyword, __noinline__ are not macros: `heddle cc` rewrites
 * the tokens, because the one needs a registration and the other is spelled inside attributes
 * of the C++ library.
 */
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __grid_constant__
#define __cluster_dims__(...)
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
/* Functions of headers have no lines of their own, so that their code has the line of the program's
 * call. */
#if defined(__clang__)
#define __HD_QUIET __attribute__((always_inline, nodebug))
#else
#define __HD_QUIET __attribute__((always_inline))
#endif
#define __HD_INLINE __inline__ __HD_QUIET
#define __no_return__ __attribute__((noreturn))
#define __thread__ __thread
#define __align__(n) __attribute__((aligned(n)))
#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
#define __specialization_static static
#define __builtin_align__(a) __align__(a)
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define __CUDA_ARCH_HAS_FEATURE__(feature) 0

#endif
