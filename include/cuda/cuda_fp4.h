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

__HD_HD __nv_fp4_storage_t __nv_cvt_double_to_fp4(const double __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return __hd_small::__finite(__builtin_bit_cast(unsigned long long, __x), __hd_fp4::__mant(__kind), __hd_fp4::__bias(__kind),
				    __hd_fp4::__largest, __mode);
}
__HD_HD __nv_fp4_storage_t __nv_cvt_float_to_fp4(const float __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return __nv_cvt_double_to_fp4((double)__x, __kind, __mode);
}
__HD_HD __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(const __half_raw __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return __nv_cvt_float_to_fp4(__half2float(__half(__x)), __kind, __mode);
}
__HD_HD __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(const __nv_bfloat16_raw __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return __nv_cvt_float_to_fp4(__bfloat162float(__nv_bfloat16(__x)), __kind, __mode);
}
__HD_HD __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(const double2 __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return (__nv_fp4x2_storage_t)(__nv_cvt_double_to_fp4(__x.x, __kind, __mode) | __nv_cvt_double_to_fp4(__x.y, __kind, __mode) << 4);
}
__HD_HD __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(const float2 __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return __nv_cvt_double2_to_fp4x2(make_double2(__x.x, __x.y), __kind, __mode);
}
__HD_HD __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(const __half2_raw __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return __nv_cvt_float2_to_fp4x2(__half22float2(__half2(__x)), __kind, __mode);
}
__HD_HD __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(const __nv_bfloat162_raw __x, const __nv_fp4_interpretation_t __kind, const cudaRoundMode __mode)
{
	return __nv_cvt_float2_to_fp4x2(__bfloat1622float2(__nv_bfloat162(__x)), __kind, __mode);
}
__HD_HD __half_raw __nv_cvt_fp4_to_halfraw(const __nv_fp4_storage_t __x, const __nv_fp4_interpretation_t __kind)
{
	__half_raw __r;
	__r.x = __hd_small::__half_bits(__x & (2 * __hd_fp4::__largest + 1), __hd_fp4::__mant(__kind), __hd_fp4::__bias(__kind),
					__hd_fp4::__largest);
	return __r;
}
__HD_HD __half2_raw __nv_cvt_fp4x2_to_halfraw2(const __nv_fp4x2_storage_t __x, const __nv_fp4_interpretation_t __kind)
{
	__half2_raw __r;
	__r.x = __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)__x, __kind).x;
	__r.y = __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(__x >> 4), __kind).x;
	return __r;
}

namespace __hd_fp4 {
template <__nv_fp4_interpretation_t __kind> struct __format {
	enum { __bits = 4, __magnitude = __largest };
	static __HD_C __nv_fp4_storage_t __of(float __f) { return __nv_cvt_float_to_fp4(__f, __kind, cudaRoundNearest); }
	static __HD_C __nv_fp4_storage_t __of(double __f) { return __nv_cvt_double_to_fp4(__f, __kind, cudaRoundNearest); }
	static __HD_C __half __half_of(unsigned __x) { return __half(__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)__x, __kind)); }
};
}
__HD_SMALL_CLASS(__nv_fp4_e2m1, __nv_fp4_storage_t, __hd_fp4::__format<__NV_E2M1>);
__HD_SMALL_PAIR(__nv_fp4x2_e2m1, __nv_fp4x2_storage_t, __hd_fp4::__format<__NV_E2M1>);
__HD_SMALL_QUAD(__nv_fp4x4_e2m1, __nv_fp4x4_storage_t, __nv_fp4x2_e2m1, __nv_fp4x2_storage_t, 8);
#endif
#endif
