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

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)
namespace __hd_fp8 {
/* The nearest 8-bit number, ties to even, of the double with these bits: the significand is shifted to
 * the last place of the result; the biased exponent is added on top, so a carry out of the significand
 * lands in it. */
__HD_HD __nv_fp8_storage_t __round(unsigned long long __u, __nv_saturation_t __sat, __nv_fp8_interpretation_t __kind)
{
	const int __mant = __kind == __NV_E4M3 ? 3 : 2, __bias = __kind == __NV_E4M3 ? 7 : 15;
	const int __largest = __kind == __NV_E4M3 ? 0x7e : 0x7b;
	const int __sign = (int)(__u >> 63) << 7;
	const unsigned long long __a = __u & 0x7fffffffffffffffull;
	if (__a > 0x7ff0000000000000ull)
		return (__nv_fp8_storage_t)(__sign | (__kind == __NV_E4M3 ? 0x7f : 0x7e));
	const int __e = (int)(__a >> 52) - 1023, __q = __e < 1 - __bias ? 1 - __bias : __e;
	const int __shift = 52 - __mant + __q - __e;
	if (__shift > 53)
		return (__nv_fp8_storage_t)__sign;
	const unsigned long long __sig = (__a & 0xfffffffffffffull) | 0x10000000000000ull;
	const unsigned long long __rest = __sig & ((1ull << __shift) - 1), __half = 1ull << (__shift - 1);
	int __r = (int)(__sig >> __shift);
	__r += __rest > __half || (__rest == __half && (__r & 1));
	__r += (__q + __bias - 1) << __mant;
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
	/* a NaN loses its sign here, but not where it comes from a double: so do NVIDIA's */
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

/* The classes: numbers saturate on the way in, and integers on the way out are truncated. */
#define __HD_FP8_CLASS(__T, __K)                                                                          \
	struct __T {                                                                                      \
		__nv_fp8_storage_t __x;                                                                   \
		__T() = default;                                                                          \
		__HD_C explicit __T(const float __f) : __x(__nv_cvt_float_to_fp8(__f, __NV_SATFINITE, __K)) {} \
		__HD_C explicit __T(const double __f) : __x(__nv_cvt_double_to_fp8(__f, __NV_SATFINITE, __K)) {} \
		__HD_C explicit __T(const __half __f) : __T(__half2float(__f)) {}                         \
		__HD_C explicit __T(const __nv_bfloat16 __f) : __T(__bfloat162float(__f)) {}              \
		__HD_C explicit __T(const int __v) : __T((double)__v) {}                                  \
		__HD_C explicit __T(const unsigned int __v) : __T((double)__v) {}                         \
		__HD_C explicit __T(const short __v) : __T((float)__v) {}                                 \
		__HD_C explicit __T(const unsigned short __v) : __T((float)__v) {}                        \
		__HD_C explicit __T(const long __v) : __T((double)__v) {}                                 \
		__HD_C explicit __T(const unsigned long __v) : __T((double)__v) {}                        \
		__HD_C explicit __T(const long long __v) : __T((double)__v) {}                            \
		__HD_C explicit __T(const unsigned long long __v) : __T((double)__v) {}                   \
		__HD_C explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, __K)); } \
		__HD_C explicit operator float() const { return __half2float(__half(*this)); }            \
		__HD_C explicit operator double() const { return (double)(float)*this; }                  \
		__HD_C explicit operator __nv_bfloat16() const { return __float2bfloat16_rz((float)*this); } \
		__HD_C explicit operator bool() const { return (__x & 0x7f) != 0; }                       \
		__HD_C explicit operator char() const { return (char)__half2char_rz(__half(*this)); }     \
		__HD_C explicit operator signed char() const { return __half2char_rz(__half(*this)); }    \
		__HD_C explicit operator unsigned char() const { return __half2uchar_rz(__half(*this)); } \
		__HD_C explicit operator short() const { return __half2short_rz(__half(*this)); }         \
		__HD_C explicit operator unsigned short() const { return __half2ushort_rz(__half(*this)); } \
		__HD_C explicit operator int() const { return __half2int_rz(__half(*this)); }             \
		__HD_C explicit operator unsigned int() const { return __half2uint_rz(__half(*this)); }   \
		__HD_C explicit operator long() const { return (long)__half2ll_rz(__half(*this)); }       \
		__HD_C explicit operator unsigned long() const { return (unsigned long)__half2ull_rz(__half(*this)); } \
		__HD_C explicit operator long long() const { return __half2ll_rz(__half(*this)); }        \
		__HD_C explicit operator unsigned long long() const { return __half2ull_rz(__half(*this)); } \
	}
#define __HD_FP8_PAIR(__T, __K)                                                                           \
	struct __attribute__((aligned(2))) __T {                                                          \
		__nv_fp8x2_storage_t __x;                                                                 \
		__T() = default;                                                                          \
		__HD_C explicit __T(const float2 __f) : __x(__nv_cvt_float2_to_fp8x2(__f, __NV_SATFINITE, __K)) {} \
		__HD_C explicit __T(const double2 __f) : __x(__nv_cvt_double2_to_fp8x2(__f, __NV_SATFINITE, __K)) {} \
		__HD_C explicit __T(const __half2 __f) : __T(__half22float2(__f)) {}                      \
		__HD_C explicit __T(const __nv_bfloat162 __f) : __T(__bfloat1622float2(__f)) {}           \
		__HD_C explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __K)); } \
		__HD_C explicit operator float2() const { return __half22float2(__half2(*this)); }        \
	}
#define __HD_FP8_QUAD(__T, __P)                                                                           \
	struct __attribute__((aligned(4))) __T {                                                          \
		__nv_fp8x4_storage_t __x;                                                                 \
		__T() = default;                                                                          \
		__HD_C explicit __T(const float4 __f)                                                     \
			: __x(__P(make_float2(__f.x, __f.y)).__x | (unsigned)__P(make_float2(__f.z, __f.w)).__x << 16) {} \
		__HD_C explicit __T(const double4 __f)                                                    \
			: __x(__P(make_double2(__f.x, __f.y)).__x | (unsigned)__P(make_double2(__f.z, __f.w)).__x << 16) {} \
		__HD_C explicit __T(const __half2 __lo, const __half2 __hi)                               \
			: __x(__P(__lo).__x | (unsigned)__P(__hi).__x << 16) {}                           \
		__HD_C explicit __T(const __nv_bfloat162 __lo, const __nv_bfloat162 __hi)                 \
			: __x(__P(__lo).__x | (unsigned)__P(__hi).__x << 16) {}                           \
		__HD_C explicit operator float4() const                                                   \
		{                                                                                         \
			__P __lo, __hi;                                                                   \
			__lo.__x = (__nv_fp8x2_storage_t)__x;                                             \
			__hi.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                     \
			const float2 __a = float2(__lo), __b = float2(__hi);                              \
			return make_float4(__a.x, __a.y, __b.x, __b.y);                                   \
		}                                                                                         \
	}

__HD_FP8_CLASS(__nv_fp8_e4m3, __NV_E4M3);
__HD_FP8_CLASS(__nv_fp8_e5m2, __NV_E5M2);
__HD_FP8_PAIR(__nv_fp8x2_e4m3, __NV_E4M3);
__HD_FP8_PAIR(__nv_fp8x2_e5m2, __NV_E5M2);
__HD_FP8_QUAD(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3);
__HD_FP8_QUAD(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2);
#undef __HD_FP8_CLASS
#undef __HD_FP8_PAIR
#undef __HD_FP8_QUAD
#endif
#endif
