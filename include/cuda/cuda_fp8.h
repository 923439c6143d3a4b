/*
 * 8-bit floating point, E4M3 and E5M2: conversions to and from the wider types, on device and host.
 * There is no arithmetic: programs convert, compute, and convert back.
 *
 *   E4M3  s eeee mmm   bias 7,  no infinity, NaN is s.1111.111, largest number 448
 *   E5M2  s eeeee mm   bias 15, infinity and NaN as in half,    largest number 57344
 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "heddle/small_float.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)
namespace __hd_fp8 {
/* The nearest 8-bit number, ties to even, of the double with these bits. */
__HD_HD __nv_fp8_storage_t __round(unsigned long long __u, __nv_saturation_t __sat, __nv_fp8_interpretation_t __kind)
{
	const int __largest = __kind == __NV_E4M3 ? 0x7e : 0x7b;
	const int __sign = (int)(__u >> 63) << 7;
	if (__hd_small::__is_nan(__u))
		return (__nv_fp8_storage_t)(__sign | (__kind == __NV_E4M3 ? 0x7f : 0x7e));
	int __r = __kind == __NV_E4M3 ? __hd_small::__round(__u, 3, 7, cudaRoundNearest) :
					__hd_small::__round(__u, 2, 15, cudaRoundNearest);
	if (__r > __largest)
		__r = __sat == __NV_SATFINITE ? __largest : __kind == __NV_E4M3 ? 0x7f : 0x7c;
	return (__nv_fp8_storage_t)(__sign | __r);
}

__HD_HD unsigned short __half_bits(__nv_fp8_storage_t __x, __nv_fp8_interpretation_t __kind)
{
	const unsigned __sign = (__x & 0x80u) << 8, __a = __x & 0x7fu;
	if (__kind == __NV_E5M2)
		return (unsigned short)(__a > 0x7c ? 0x7fff : __sign | __a << 8);
	if (__a == 0x7f)
		return 0x7fff;
	if (__a >= 8)
		return (unsigned short)(__sign | ((__a << 7) + (8u << 10)));
	if (__a == 0)
		return (unsigned short)__sign;
	/* subnormal: __a * 2^-9 is a normal half */
	const unsigned __top = __a >= 4 ? 2 : __a >= 2 ? 1 : 0;
	return (unsigned short)(__sign | (6 + __top) << 10 | ((__a << (10 - __top)) & 0x3ff));
}

__HD_HD __nv_fp8x2_storage_t __pair(__nv_fp8_storage_t __lo, __nv_fp8_storage_t __hi)
{
	return (__nv_fp8x2_storage_t)(__lo | __hi << 8);
}
}

__HD_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double __x, const __nv_saturation_t __sat,
						  const __nv_fp8_interpretation_t __kind)
{
	return __hd_fp8::__round(__builtin_bit_cast(unsigned long long, __x), __sat, __kind);
}
__HD_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float __x, const __nv_saturation_t __sat,
						 const __nv_fp8_interpretation_t __kind)
{
	/* a NaN loses its sign here, but not one from a double, as in NVIDIA's header */
	return __x != __x ? (__nv_fp8_storage_t)0x7f : __nv_cvt_double_to_fp8((double)__x, __sat, __kind);
}
__HD_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw __x, const __nv_saturation_t __sat,
						   const __nv_fp8_interpretation_t __kind)
{
	return __nv_cvt_float_to_fp8(__half2float(__half(__x)), __sat, __kind);
}
__HD_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw __x, const __nv_saturation_t __sat,
						       const __nv_fp8_interpretation_t __kind)
{
	return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(__x)), __sat, __kind);
}
__HD_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 __x, const __nv_saturation_t __sat,
						       const __nv_fp8_interpretation_t __kind)
{
	return __hd_fp8::__pair(__nv_cvt_double_to_fp8(__x.x, __sat, __kind), __nv_cvt_double_to_fp8(__x.y, __sat, __kind));
}
__HD_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 __x, const __nv_saturation_t __sat,
						      const __nv_fp8_interpretation_t __kind)
{
	return __hd_fp8::__pair(__nv_cvt_float_to_fp8(__x.x, __sat, __kind), __nv_cvt_float_to_fp8(__x.y, __sat, __kind));
}
__HD_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw __x, const __nv_saturation_t __sat,
							const __nv_fp8_interpretation_t __kind)
{
	__half_raw __lo, __hi;
	__lo.x = __x.x;
	__hi.x = __x.y;
	return __hd_fp8::__pair(__nv_cvt_halfraw_to_fp8(__lo, __sat, __kind), __nv_cvt_halfraw_to_fp8(__hi, __sat, __kind));
}
__HD_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw __x, const __nv_saturation_t __sat,
							    const __nv_fp8_interpretation_t __kind)
{
	__nv_bfloat16_raw __lo, __hi;
	__lo.x = __x.x;
	__hi.x = __x.y;
	return __hd_fp8::__pair(__nv_cvt_bfloat16raw_to_fp8(__lo, __sat, __kind),
				__nv_cvt_bfloat16raw_to_fp8(__hi, __sat, __kind));
}
__HD_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t __x, const __nv_fp8_interpretation_t __kind)
{
	__half_raw __r;
	__r.x = __hd_fp8::__half_bits(__x, __kind);
	return __r;
}
__HD_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t __x, const __nv_fp8_interpretation_t __kind)
{
	__half2_raw __r;
	__r.x = __hd_fp8::__half_bits((__nv_fp8_storage_t)__x, __kind);
	__r.y = __hd_fp8::__half_bits((__nv_fp8_storage_t)(__x >> 8), __kind);
	return __r;
}

/* The classes: numbers saturate on the way in. */
namespace __hd_fp8 {
template <__nv_fp8_interpretation_t __kind> struct __format {
	enum { __bits = 8, __magnitude = 0x7f };
	static __HD_C __nv_fp8_storage_t __of(float __f) { return __nv_cvt_float_to_fp8(__f, __NV_SATFINITE, __kind); }
	static __HD_C __nv_fp8_storage_t __of(double __f) { return __nv_cvt_double_to_fp8(__f, __NV_SATFINITE, __kind); }
	static __HD_C __half __half_of(unsigned __x)
	{
		return __half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)__x, __kind));
	}
};
}
__HD_SMALL_CLASS(__nv_fp8_e4m3, __nv_fp8_storage_t, __hd_fp8::__format<__NV_E4M3>);
__HD_SMALL_CLASS(__nv_fp8_e5m2, __nv_fp8_storage_t, __hd_fp8::__format<__NV_E5M2>);
__HD_SMALL_PAIR(__nv_fp8x2_e4m3, __nv_fp8x2_storage_t, __hd_fp8::__format<__NV_E4M3>);
__HD_SMALL_PAIR(__nv_fp8x2_e5m2, __nv_fp8x2_storage_t, __hd_fp8::__format<__NV_E5M2>);
__HD_SMALL_QUAD(__nv_fp8x4_e4m3, __nv_fp8x4_storage_t, __nv_fp8x2_e4m3, __nv_fp8x2_storage_t, 16);
__HD_SMALL_QUAD(__nv_fp8x4_e5m2, __nv_fp8x4_storage_t, __nv_fp8x2_e5m2, __nv_fp8x2_storage_t, 16);
#endif
#endif
