/* Float to integer with CUDA's saturation, integer to float with a rounding mode, host and device. */
#ifndef HEDDLE_HALF_CONVERT_H
#define HEDDLE_HALF_CONVERT_H
#include "half_common.h"

namespace __hd {
template <class __I> struct __ilimit;
#define __HD_LIM(__t, __lo, __hi) \
template <> struct __ilimit<__t> { static __HD_C __t __min() { return __lo; } static __HD_C __t __max() { return __hi; } };
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
/* The float next to an integer in a direction: the nearest, moved when it lies on the wrong side. */
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
}

#define __HD_CONVERT_INT \
__HD_HD int __f2i_rn(float __a) { return __hd::__f2int<int>(__builtin_rintf(__a)); } \
__HD_HD int __f2i_rz(float __a) { return __hd::__f2int<int>(__builtin_truncf(__a)); } \
__HD_HD int __f2i_rd(float __a) { return __hd::__f2int<int>(__builtin_floorf(__a)); } \
__HD_HD int __f2i_ru(float __a) { return __hd::__f2int<int>(__builtin_ceilf(__a)); } \
__HD_CONVERT_ONE(unsigned int, __f2u) __HD_CONVERT_ONE(short, __f2s) \
__HD_CONVERT_ONE(unsigned short, __f2us) __HD_CONVERT_ONE(long long, __f2ll) \
__HD_CONVERT_ONE(unsigned long long, __f2ull) \
template <class __I> __HD_HD float __i2f_rz(__I __v) { return __hd::__int2f(__v, __v < 0 ? 1 : -1); } \
template <class __I> __HD_HD float __i2f_rd(__I __v) { return __hd::__int2f(__v, -1); } \
template <class __I> __HD_HD float __i2f_ru(__I __v) { return __hd::__int2f(__v, 1); }
#define __HD_CONVERT_ONE(__t, __n) \
__HD_HD __t __n##_rn(float __a) { return __hd::__f2int<__t>(__builtin_rintf(__a)); } \
__HD_HD __t __n##_rz(float __a) { return __hd::__f2int<__t>(__builtin_truncf(__a)); } \
__HD_HD __t __n##_rd(float __a) { return __hd::__f2int<__t>(__builtin_floorf(__a)); } \
__HD_HD __t __n##_ru(float __a) { return __hd::__f2int<__t>(__builtin_ceilf(__a)); }
#endif
