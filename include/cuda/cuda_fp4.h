/*
 * 4-bit floating point, E2M1: conversions to and from the wider types, on device and host. There is no
 * infinity and no NaN: numbers saturate, and a NaN becomes the largest number.
 *
 *   E2M1  s ee m      bias 1,  largest number 6, two of them in a byte, the first in its low half
 */
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__
#define __CUDA_FP4_TYPES_EXIST__

#include "cuda_fp8.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short int __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#if defined(__cplusplus)
namespace __hd_fp4 {
__HD_HD int __mant(__nv_fp4_interpretation_t) { return 1; }
__HD_HD int __bias(__nv_fp4_interpretation_t) { return 1; }
enum { __largest = 0x7 };
}

__HD_SMALL_FINITE(4, 4)
__HD_SMALL_CLASS(__nv_fp4_e2m1, __nv_fp4_storage_t, __hd_fp4::__format<__NV_E2M1>);
__HD_SMALL_PAIR(__nv_fp4x2_e2m1, __nv_fp4x2_storage_t, __hd_fp4::__format<__NV_E2M1>);
__HD_SMALL_QUAD(__nv_fp4x4_e2m1, __nv_fp4x4_storage_t, __nv_fp4x2_e2m1, __nv_fp4x2_storage_t, 8);
#endif
#endif
