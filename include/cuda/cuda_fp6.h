/*
 * 6-bit floating point, E2M3 and E3M2: conversions to and from the wider types, on device and host. There is no
 * infinity and no NaN: numbers saturate, and a NaN becomes the largest number.
 *
 *   E2M3  s ee mmm    bias 1,  largest number 7.5
 *   E3M2  s eee mm    bias 3,  largest number 28
 */
#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__
#define __CUDA_FP6_TYPES_EXIST__

#include "cuda_fp8.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short int __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#if defined(__cplusplus)
namespace __hd_fp6 {
__HD_HD int __mant(__nv_fp6_interpretation_t __kind) { return __kind == __NV_E2M3 ? 3 : 2; }
__HD_HD int __bias(__nv_fp6_interpretation_t __kind) { return __kind == __NV_E2M3 ? 1 : 3; }
enum { __largest = 0x1f };
}

__HD_SMALL_FINITE(6, 8)
__HD_SMALL_CLASS(__nv_fp6_e2m3, __nv_fp6_storage_t, __hd_fp6::__format<__NV_E2M3>);
__HD_SMALL_PAIR(__nv_fp6x2_e2m3, __nv_fp6x2_storage_t, __hd_fp6::__format<__NV_E2M3>);
__HD_SMALL_QUAD(__nv_fp6x4_e2m3, __nv_fp6x4_storage_t, __nv_fp6x2_e2m3, __nv_fp6x2_storage_t, 16);
__HD_SMALL_CLASS(__nv_fp6_e3m2, __nv_fp6_storage_t, __hd_fp6::__format<__NV_E3M2>);
__HD_SMALL_PAIR(__nv_fp6x2_e3m2, __nv_fp6x2_storage_t, __hd_fp6::__format<__NV_E3M2>);
__HD_SMALL_QUAD(__nv_fp6x4_e3m2, __nv_fp6x4_storage_t, __nv_fp6x2_e3m2, __nv_fp6x2_storage_t, 16);
#endif
#endif
