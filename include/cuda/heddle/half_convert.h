/* Float to integer with CUDA's saturation, integer to float with a rounding mode, host and device. */
#ifndef HEDDLE_HALF_CONVERT_H
#define HEDDLE_HALF_CONVERT_H
#include "half_common.h"

namespace __hd
{
template <class __I> struct __ilimit;
#define __HD_LIM(__t, __lo, __hi)                                                                  \
	template <> struct __ilimit<__t> {                                                         \
		static __HD_C __t __min() { return __lo; }                                         \
		static __HD_C __t __max() { return __hi; }                                         \
	};
__HD_LIM(int, -2147483647 - 1, 2147483647)
__HD_LIM(unsigned int, 0, 4294967295u)
__HD_LIM(short, -32768, 32767)
__HD_LIM(unsigned short, 0, 65535)
__HD_LIM(long long, -9223372036854775807ll - 1, 9223372036854775807ll)
__HD_LIM(unsigned long long, 0, 18446744073709551615ull)
#undef __HD_LIM
template <class __I> __HD_HD __I __f2int(float __r)
{
	if (__r != __r)
		return sizeof(__I) == 8 ? (__I)(1ull << 63) : 0;
	if (__r <= (float)__ilimit<__I>::__min())
		return __ilimit<__I>::__min();
	if (__r >= (float)__ilimit<__I>::__max())
		return __ilimit<__I>::__max();
	return (__I)__r;
}
/* The float next to an integer in a direction: the nearest float, moved if it lies on the wrong side. */
template <class __I> __HD_HD float __int2f(__I __v, int __dir)
{
	float __f = (float)__v;
	double __lim = sizeof(__I) == 8 ? 9223372036854775808.0 : 4294967296.0;
	if (__dir == 0 || __f >= 2.0 * __lim || (__f >= __lim && (__I)-1 < 0))
		return __f;
	__I __back = (__I)__f;
	bool __above = __back > __v, __below = __back < __v;
	unsigned int __b = __builtin_bit_cast(unsigned int, __f);
	if (__dir < 0 && __above)
		__b = __f > 0 ? __b - 1 : __b + 1;
	if (__dir > 0 && __below)
		__b = __f >= 0 ? __b + 1 : __b - 1;
	return __builtin_bit_cast(float, __b);
}
} // namespace __hd

namespace __hd
{
/* Integer to float towards zero. */
#if defined(__CUDA_ARCH__)
#define __HD_I2F(__t, __p, __k)                                                                    \
	__HD_HD float __int2f_rz(__t __v)                                                          \
	{                                                                                          \
		float __r;                                                                         \
		asm("cvt.rz.f32." __p " %0, %1;" : "=f"(__r) : __k(__v));                          \
		return __r;                                                                        \
	}
__HD_I2F(int, "s32", "r")
__HD_I2F(unsigned int, "u32", "r")
__HD_I2F(long long, "s64", "l") __HD_I2F(unsigned long long, "u64", "l")
#undef __HD_I2F
#else
template <class __I> __HD_HD float __int2f_rz(__I __v) { return __int2f(__v, __v < 0 ? 1 : -1); }
#endif
} // namespace __hd

/* The conversions of a 16-bit type, whose namespace has __from(), its rounding modes, __from_wide() and __to(): from
 * integers in all modes, and to integers where no instruction does it. */
#define __HD_CONVERT_FROM_ONE(__t, __n)                                                            \
	__HD_HD unsigned short __from_##__n##_rn(__t __v) { return __from_wide(__v); }             \
	__HD_HD unsigned short __from_##__n##_rz(__t __v)                                          \
	{                                                                                          \
		return __from_rz(__hd::__int2f_rz(__v));                                           \
	}                                                                                          \
	__HD_HD unsigned short __from_##__n##_rd(__t __v)                                          \
	{                                                                                          \
		return __from_rd(__hd::__int2f(__v, -1));                                          \
	}                                                                                          \
	__HD_HD unsigned short __from_##__n##_ru(__t __v)                                          \
	{                                                                                          \
		return __from_ru(__hd::__int2f(__v, 1));                                           \
	}
#define __HD_CONVERT_FROM                                                                          \
	__HD_CONVERT_FROM_ONE(int, int)                                                            \
	__HD_CONVERT_FROM_ONE(unsigned int, uint)                                                  \
	__HD_CONVERT_FROM_ONE(short, short)                                                        \
	__HD_CONVERT_FROM_ONE(unsigned short, ushort) __HD_CONVERT_FROM_ONE(long long, ll)         \
		__HD_CONVERT_FROM_ONE(unsigned long long, ull)
#define __HD_CONVERT_TO_ONE(__t, __n)                                                              \
	__HD_HD __t __to_##__n##_rn(unsigned short __a)                                            \
	{                                                                                          \
		return __hd::__f2int<__t>(__builtin_rintf(__to(__a)));                             \
	}                                                                                          \
	__HD_HD __t __to_##__n##_rz(unsigned short __a)                                            \
	{                                                                                          \
		return __hd::__f2int<__t>(__builtin_truncf(__to(__a)));                            \
	}                                                                                          \
	__HD_HD __t __to_##__n##_rd(unsigned short __a)                                            \
	{                                                                                          \
		return __hd::__f2int<__t>(__builtin_floorf(__to(__a)));                            \
	}                                                                                          \
	__HD_HD __t __to_##__n##_ru(unsigned short __a)                                            \
	{                                                                                          \
		return __hd::__f2int<__t>(__builtin_ceilf(__to(__a)));                             \
	}
#define __HD_CONVERT_TO                                                                            \
	__HD_CONVERT_TO_ONE(int, int)                                                              \
	__HD_CONVERT_TO_ONE(unsigned int, uint)                                                    \
	__HD_CONVERT_TO_ONE(short, short)                                                          \
	__HD_CONVERT_TO_ONE(unsigned short, ushort) __HD_CONVERT_TO_ONE(long long, ll)             \
		__HD_CONVERT_TO_ONE(unsigned long long, ull)
#endif
