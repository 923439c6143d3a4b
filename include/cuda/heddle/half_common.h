/* What the 16-bit floating-point headers share. */
#ifndef HEDDLE_HALF_COMMON_H
#define HEDDLE_HALF_COMMON_H
#include "../host_defines.h"
#include "../vector_types.h"
#include "../vector_functions.h"
#if defined(__CUDA__)
#define __HD_D static __device__ __HD_INLINE __attribute__((unused))
#define __HD_HD static __host__ __device__ __HD_INLINE __attribute__((unused))
#define __HD_C __host__ __device__ __HD_INLINE
#else
#define __HD_HD static inline __attribute__((unused))
#define __HD_C inline
#endif
#endif
