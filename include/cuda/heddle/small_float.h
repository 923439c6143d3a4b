/* Shared by the headers of floating-point formats of 4, 6 and 8 bits. */
#ifndef __HEDDLE_SMALL_FLOAT_H
#define __HEDDLE_SMALL_FLOAT_H

#include "../device_types.h"

#if defined(__cplusplus)
namespace __hd_small {
__HD_HD bool __is_nan(unsigned long long __u) { return (__u & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; }

/* The magnitude, rounded, of the double with these bits, which is no NaN: the significand is shifted to the last place
 * of the result; the biased exponent is added on top, so a carry out of the significand lands in it. Numbers
 * that are too large give codes that the format does not have. */
__HD_HD int __round(unsigned long long __u, int __mant, int __bias, cudaRoundMode __mode)
{
	const unsigned long long __a = __u & 0x7fffffffffffffffull;
	const bool __away = __mode == ((long long)__u < 0 ? cudaRoundMinInf : cudaRoundPosInf);
	if (!__a)
		return 0;
	const int __e = (int)(__a >> 52) - 1023, __q = __e < 1 - __bias ? 1 - __bias : __e;
	const int __shift = 52 - __mant + __q - __e;
	if (__shift > 53)
		return __away;
	const unsigned long long __sig = (__a & 0xfffffffffffffull) | 0x10000000000000ull;
	const unsigned long long __rest = __sig & ((1ull << __shift) - 1), __half = 1ull << (__shift - 1);
	int __r = (int)(__sig >> __shift);
	__r += __mode == cudaRoundNearest ? __rest > __half || (__rest == __half && (__r & 1)) : __away && __rest;
	return __r + ((__q + __bias - 1) << __mant);
}

/* Rounds a double to a format without infinity and NaN: numbers saturate, a NaN becomes the largest. The sign is above the magnitude. */
__HD_HD unsigned char __finite(unsigned long long __u, int __mant, int __bias, int __largest, cudaRoundMode __mode)
{
	const int __r = __is_nan(__u) ? __largest : __round(__u, __mant, __bias, __mode);
	const int __sign = __is_nan(__u) ? 0 : (int)(__u >> 63) * (__largest + 1);
	return (unsigned char)(__sign | (__r > __largest ? __largest : __r));
}

/* A number of such a format as a half, which represents all of them exactly. */
__HD_HD unsigned short __half_bits(unsigned __x, int __mant, int __bias, unsigned __largest)
{
	const unsigned __sign = __x > __largest ? 0x8000u : 0;
	unsigned __m = __x & __largest;
	int __e = (int)(__m >> __mant);
	__m &= (1u << __mant) - 1;
	if (!__e) {
		if (!__m)
			return (unsigned short)__sign;
		for (__e = 1; !(__m >> __mant); __e--)
			__m <<= 1;
		__m &= (1u << __mant) - 1;
	}
	return (unsigned short)(__sign | (unsigned)(__e - __bias + 15) << 10 | __m << (10 - __mant));
}
}

/* The conversions of a finite format of __N bits, fp__N; the second number of a pair is __B bits
 * up. The format's header defines __mant, __bias and __largest in __hd_fp__N. */
#define __HD_SMALL_FINITE(__N, __B) \
__HD_HD __nv_fp##__N##_storage_t __nv_cvt_double_to_fp##__N(const double __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return __hd_small::__finite(__builtin_bit_cast(unsigned long long, __x), __hd_fp##__N::__mant(__kind), \
				    __hd_fp##__N::__bias(__kind), __hd_fp##__N::__largest, __mode); \
} \
__HD_HD __nv_fp##__N##_storage_t __nv_cvt_float_to_fp##__N(const float __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return __nv_cvt_double_to_fp##__N((double)__x, __kind, __mode); \
} \
__HD_HD __nv_fp##__N##_storage_t __nv_cvt_halfraw_to_fp##__N(const __half_raw __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return __nv_cvt_float_to_fp##__N(__half2float(__half(__x)), __kind, __mode); \
} \
__HD_HD __nv_fp##__N##_storage_t __nv_cvt_bfloat16raw_to_fp##__N(const __nv_bfloat16_raw __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return __nv_cvt_float_to_fp##__N(__bfloat162float(__nv_bfloat16(__x)), __kind, __mode); \
} \
__HD_HD __nv_fp##__N##x2_storage_t __nv_cvt_double2_to_fp##__N##x2(const double2 __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return (__nv_fp##__N##x2_storage_t)(__nv_cvt_double_to_fp##__N(__x.x, __kind, __mode) | __nv_cvt_double_to_fp##__N(__x.y, __kind, __mode) << __B); \
} \
__HD_HD __nv_fp##__N##x2_storage_t __nv_cvt_float2_to_fp##__N##x2(const float2 __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return __nv_cvt_double2_to_fp##__N##x2(make_double2(__x.x, __x.y), __kind, __mode); \
} \
__HD_HD __nv_fp##__N##x2_storage_t __nv_cvt_halfraw2_to_fp##__N##x2(const __half2_raw __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return __nv_cvt_float2_to_fp##__N##x2(__half22float2(__half2(__x)), __kind, __mode); \
} \
__HD_HD __nv_fp##__N##x2_storage_t __nv_cvt_bfloat16raw2_to_fp##__N##x2(const __nv_bfloat162_raw __x, const __nv_fp##__N##_interpretation_t __kind, const cudaRoundMode __mode) \
{ \
	return __nv_cvt_float2_to_fp##__N##x2(__bfloat1622float2(__nv_bfloat162(__x)), __kind, __mode); \
} \
__HD_HD __half_raw __nv_cvt_fp##__N##_to_halfraw(const __nv_fp##__N##_storage_t __x, const __nv_fp##__N##_interpretation_t __kind) \
{ \
	__half_raw __r; \
	__r.x = __hd_small::__half_bits(__x & (2 * __hd_fp##__N::__largest + 1), __hd_fp##__N::__mant(__kind), \
					__hd_fp##__N::__bias(__kind), __hd_fp##__N::__largest); \
	return __r; \
} \
__HD_HD __half2_raw __nv_cvt_fp##__N##x2_to_halfraw2(const __nv_fp##__N##x2_storage_t __x, const __nv_fp##__N##_interpretation_t __kind) \
{ \
	__half2_raw __r; \
	__r.x = __nv_cvt_fp##__N##_to_halfraw((__nv_fp##__N##_storage_t)__x, __kind).x; \
	__r.y = __nv_cvt_fp##__N##_to_halfraw((__nv_fp##__N##_storage_t)(__x >> __B), __kind).x; \
	return __r; \
} \
namespace __hd_fp##__N { \
template <__nv_fp##__N##_interpretation_t __kind> struct __format { \
	enum { __bits = __B, __magnitude = __largest }; \
	static __HD_C __nv_fp##__N##_storage_t __of(float __f) { return __nv_cvt_float_to_fp##__N(__f, __kind, cudaRoundNearest); } \
	static __HD_C __nv_fp##__N##_storage_t __of(double __f) { return __nv_cvt_double_to_fp##__N(__f, __kind, cudaRoundNearest); } \
	static __HD_C __half __half_of(unsigned __x) { return __half(__nv_cvt_fp##__N##_to_halfraw((__nv_fp##__N##_storage_t)__x, __kind)); } \
}; \
}

/* The classes for a storage type __S and a format __P; conversions to integers truncate. */
#define __HD_SMALL_CLASS(__T, __S, __P)									\
	struct __T {											\
		__S __x;										\
		__T() = default;									\
		__HD_C explicit __T(const float __f) : __x(__P::__of(__f)) {}				\
		__HD_C explicit __T(const double __f) : __x(__P::__of(__f)) {}				\
		__HD_C explicit __T(const __half __f) : __T(__half2float(__f)) {}			\
		__HD_C explicit __T(const __nv_bfloat16 __f) : __T(__bfloat162float(__f)) {}		\
		__HD_C explicit __T(const int __v) : __T((double)__v) {}				\
		__HD_C explicit __T(const unsigned int __v) : __T((double)__v) {}			\
		__HD_C explicit __T(const short __v) : __T((float)__v) {}				\
		__HD_C explicit __T(const unsigned short __v) : __T((float)__v) {}			\
		__HD_C explicit __T(const long __v) : __T((double)__v) {}				\
		__HD_C explicit __T(const unsigned long __v) : __T((double)__v) {}			\
		__HD_C explicit __T(const long long __v) : __T((double)__v) {}				\
		__HD_C explicit __T(const unsigned long long __v) : __T((double)__v) {}			\
		__HD_C explicit operator __half() const { return __P::__half_of(__x); }			\
		__HD_C explicit operator float() const { return __half2float(__half(*this)); }		\
		__HD_C explicit operator double() const { return (double)(float)*this; }		\
		__HD_C explicit operator __nv_bfloat16() const { return __float2bfloat16_rz((float)*this); } \
		__HD_C explicit operator bool() const { return (__x & __P::__magnitude) != 0; }		\
		__HD_C explicit operator char() const { return (char)__half2char_rz(__half(*this)); }	\
		__HD_C explicit operator signed char() const { return __half2char_rz(__half(*this)); }	\
		__HD_C explicit operator unsigned char() const { return __half2uchar_rz(__half(*this)); } \
		__HD_C explicit operator short() const { return __half2short_rz(__half(*this)); }	\
		__HD_C explicit operator unsigned short() const { return __half2ushort_rz(__half(*this)); } \
		__HD_C explicit operator int() const { return __half2int_rz(__half(*this)); }		\
		__HD_C explicit operator unsigned int() const { return __half2uint_rz(__half(*this)); }	\
		__HD_C explicit operator long() const { return (long)__half2ll_rz(__half(*this)); }	\
		__HD_C explicit operator unsigned long() const { return (unsigned long)__half2ull_rz(__half(*this)); } \
		__HD_C explicit operator long long() const { return __half2ll_rz(__half(*this)); }	\
		__HD_C explicit operator unsigned long long() const { return __half2ull_rz(__half(*this)); } \
	}
#define __HD_SMALL_PAIR(__T, __S, __P)									\
	struct __attribute__((aligned(sizeof(__S)))) __T {						\
		__S __x;										\
		__T() = default;									\
		__HD_C explicit __T(const float2 __f) : __x((__S)(__P::__of(__f.x) | __P::__of(__f.y) << __P::__bits)) {} \
		__HD_C explicit __T(const double2 __f) : __x((__S)(__P::__of(__f.x) | __P::__of(__f.y) << __P::__bits)) {} \
		__HD_C explicit __T(const __half2 __f) : __T(__half22float2(__f)) {}			\
		__HD_C explicit __T(const __nv_bfloat162 __f) : __T(__bfloat1622float2(__f)) {}		\
		__HD_C explicit operator __half2() const						\
		{											\
			return __halves2half2(__P::__half_of(__x & ((1u << __P::__bits) - 1)), __P::__half_of(__x >> __P::__bits)); \
		}											\
		__HD_C explicit operator float2() const { return __half22float2(__half2(*this)); }	\
	}
#define __HD_SMALL_QUAD(__T, __S, __P, __SP, __B)							\
	struct __attribute__((aligned(sizeof(__S)))) __T {						\
		__S __x;										\
		__T() = default;									\
		__HD_C explicit __T(const float4 __f)							\
			: __x((__S)(__P(make_float2(__f.x, __f.y)).__x | (unsigned)__P(make_float2(__f.z, __f.w)).__x << __B)) {} \
		__HD_C explicit __T(const double4 __f)							\
			: __x((__S)(__P(make_double2(__f.x, __f.y)).__x | (unsigned)__P(make_double2(__f.z, __f.w)).__x << __B)) {} \
		__HD_C explicit __T(const __half2 __lo, const __half2 __hi)				\
			: __x((__S)(__P(__lo).__x | (unsigned)__P(__hi).__x << __B)) {}			\
		__HD_C explicit __T(const __nv_bfloat162 __lo, const __nv_bfloat162 __hi)		\
			: __x((__S)(__P(__lo).__x | (unsigned)__P(__hi).__x << __B)) {}			\
		__HD_C explicit operator float4() const							\
		{											\
			__P __lo, __hi;									\
			__lo.__x = (__SP)__x;								\
			__hi.__x = (__SP)(__x >> __B);							\
			const float2 __a = float2(__lo), __b = float2(__hi);				\
			return make_float4(__a.x, __a.y, __b.x, __b.y);					\
		}											\
	}
#endif
#endif
