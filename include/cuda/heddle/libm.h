/* Device math. The functions that programs use most are in libm_float.h and libm_double.h, the
 * others come from libclc's bitcode, whose functions have OpenCL's mangled names; functions that
 * OpenCL lacks are written here. With fast math the float functions are the approximate
 * instructions, as with nvcc. */
#ifndef HEDDLE_LIBM_H
#define HEDDLE_LIBM_H

#if defined(__CLANG_CUDA_APPROX_TRANSCENDENTALS__) || defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#define __HEDDLE_FAST 1
#else
#define __HEDDLE_FAST 0
#endif

extern "C" {
#define __HD_CLC1(__n, __s)                                                                        \
	__device__ __attribute__((const)) float __clc_##__n##f(float) __asm__("_Z" #__s #__n "f"); \
	__device__ __attribute__((const)) double __clc_##__n(double) __asm__("_Z" #__s #__n "d");
#define __HD_CLC2(__n, __s)                                                                        \
	__device__ __attribute__((const)) float __clc_##__n##f(float, float) __asm__(              \
		"_Z" #__s #__n "ff");                                                              \
	__device__ __attribute__((const)) double __clc_##__n(double,                               \
							     double) __asm__("_Z" #__s #__n "dd");
__HD_CLC1(sin, 3)
__HD_CLC1(cos, 3)
__HD_CLC1(tan, 3)
__HD_CLC1(sinpi, 5) __HD_CLC1(cospi, 5) __HD_CLC1(asin, 4) __HD_CLC1(acos, 4) __HD_CLC1(atan, 4)
	__HD_CLC2(atan2, 5) __HD_CLC1(sinh, 4) __HD_CLC1(cosh, 4) __HD_CLC1(tanh, 4)
		__HD_CLC1(asinh, 5) __HD_CLC1(acosh, 5) __HD_CLC1(atanh, 5) __HD_CLC1(exp, 3)
			__HD_CLC1(exp2, 4) __HD_CLC1(exp10, 5) __HD_CLC1(expm1, 5) __HD_CLC1(log, 3)
				__HD_CLC1(log2, 4) __HD_CLC1(log10, 5) __HD_CLC1(log1p, 5)
					__HD_CLC2(pow, 3) __HD_CLC1(erf, 3) __HD_CLC1(erfc, 4)
						__HD_CLC1(cbrt, 4) __HD_CLC1(lgamma, 6)
							__HD_CLC2(hypot, 5) __HD_CLC2(fmod, 4)
								__HD_CLC2(remainder, 9) __device__
	float __clc_sincosf(float, float *) __asm__("_Z6sincosfPf");
__device__ double __clc_sincos(double, double *) __asm__("_Z6sincosdPd");
__device__ float __clc_remquof(float, float, int *) __asm__("_Z6remquoffPi");
__device__ double __clc_remquo(double, double, int *) __asm__("_Z6remquoddPi");
#undef __HD_CLC1
#undef __HD_CLC2
}

#include "libm_float.h"
#include "libm_double.h"

/* tanh.approx exists from sm_75 on. */
__HD_NV float __nv_fast_tanhf(float __a)
{
#if __CUDA_ARCH__ >= 750
	float __r;
	asm("tanh.approx.f32 %0, %1;" : "=f"(__r) : "f"(__a));
	return __r;
#else
	return __hd_tanhf(__a);
#endif
}

/* Float and double functions by libclc (clc), by libm_float.h and libm_double.h (hd). FAST: float functions that fast
 * math replaces. */
#define __HD_ONE(__n, __f, __d) \
__HD_NV float __nv_##__n##f(float __a) { return __##__f##_##__n##f(__a); } \
__HD_NV double __nv_##__n(double __a) { return __##__d##_##__n(__a); }
#define __HD_FAST(__n, __f, __d) \
__HD_NV float __nv_##__n##f(float __a) { return __HEDDLE_FAST ? __nv_fast_##__n##f(__a) : __##__f##_##__n##f(__a); } \
__HD_NV double __nv_##__n(double __a) { return __##__d##_##__n(__a); }
#define __HD_TWO(__n) \
__HD_NV float __nv_##__n##f(float __a, float __b) { return __clc_##__n##f(__a, __b); } \
__HD_NV double __nv_##__n(double __a, double __b) { return __clc_##__n(__a, __b); }
/* For a constant argument the compiler computes these itself, unless the host's library reports an exception. */
#define __HD_KNOWN(__a) (__builtin_constant_p(__a) && (__a) >= 0x1p-100 && (__a) <= 80)
#define __HD_FOLD(__n, __f, __d) \
__HD_NV float __nv_##__n##f(float __a) \
{ return __HEDDLE_FAST ? __nv_fast_##__n##f(__a) : __HD_KNOWN(__a) ? __builtin_##__n##f(__a) : __##__f##_##__n##f(__a); } \
__HD_NV double __nv_##__n(double __a) { return __HD_KNOWN(__a) ? __builtin_##__n(__a) : __##__d##_##__n(__a); }
__HD_FOLD(sin, hd, hd) __HD_FOLD(cos, hd, hd) __HD_FAST(tan, hd, clc)
__HD_FOLD(exp, hd, hd) __HD_FAST(exp10, hd, hd)
__HD_FOLD(log, hd, clc) __HD_FOLD(log2, hd, clc) __HD_FOLD(log10, hd, clc)
__HD_ONE(sinpi, clc, clc) __HD_ONE(cospi, clc, clc) __HD_ONE(asin, clc, clc) __HD_ONE(acos, clc, clc)
__HD_ONE(atan, hd, clc) __HD_ONE(sinh, hd, clc) __HD_ONE(cosh, hd, clc) __HD_FAST(tanh, hd, hd)
__HD_ONE(asinh, clc, clc) __HD_ONE(acosh, clc, clc) __HD_ONE(atanh, clc, clc)
__HD_ONE(expm1, clc, clc) __HD_ONE(log1p, clc, clc) __HD_ONE(erf, hd, clc)
__HD_ONE(cbrt, hd, clc) __HD_ONE(lgamma, clc, clc)
__HD_TWO(atan2) __HD_TWO(hypot) __HD_TWO(fmod) __HD_TWO(remainder)
#undef __HD_ONE
#undef __HD_FAST
#undef __HD_FOLD
#undef __HD_TWO

/* libclc's float version is 16 ulp off in the tail, CUDA promises 4. */
__HD_NV double __nv_erfc(double __a) { return __clc_erfc(__a); }
__HD_NV float __nv_erfcf(float __a) { return (float)__clc_erfc((double)__a); }
/* ex2.approx is within 2 ulp over the full range: nvcc uses it for exp2f as it is. */
__HD_NV float __nv_exp2f(float __a) { return __hd_ex2(__a); }
__HD_NV double __nv_exp2(double __a) { return __hd_exp2(__a); }
/* Powers of constants that are well within the type's range. */
#define __HD_KNOWN_POWER(__a, __b, __base, __exponent) \
(__builtin_constant_p(__a) && __builtin_constant_p(__b) && (__a) >= 1 / (__base) && (__a) <= (__base) && \
	(__b) >= -(__exponent) && (__b) <= (__exponent))
__HD_NV float __nv_powf(float __a, float __b)
{
	if (__HEDDLE_FAST)
		return __nv_fast_powf(__a, __b);
	return __HD_KNOWN_POWER(__a, __b, 0x1p8f, 15.0f) ? __builtin_powf(__a, __b) : __hd_powf(__a, __b);
}
__HD_NV double __nv_pow(double __a, double __b)
{
	return __HD_KNOWN_POWER(__a, __b, 0x1p16, 60.0) ? __builtin_pow(__a, __b) : __clc_pow(__a, __b);
}
#undef __HD_KNOWN
#undef __HD_KNOWN_POWER
__HD_NV void __nv_sincosf(float __a, float *__s, float *__c)
{
	if (__HEDDLE_FAST)
		__nv_fast_sincosf(__a, __s, __c);
	else
		__hd_sincosf(__a, __s, __c);
}
__HD_NV void __nv_sincos(double __a, double *__s, double *__c) { __hd_sincos(__a, __s, __c); }
__HD_NV void __nv_sincospif(float __a, float *__s, float *__c)
{
	*__s = __clc_sinpif(__a);
	*__c = __clc_cospif(__a);
}
__HD_NV void __nv_sincospi(double __a, double *__s, double *__c)
{
	*__s = __clc_sinpi(__a);
	*__c = __clc_cospi(__a);
}
__HD_NV float __nv_remquof(float __a, float __b, int *__q)
{
	int __t;
	float __r = __clc_remquof(__a, __b, &__t);
	*__q = __t;
	return __r;
}
__HD_NV double __nv_remquo(double __a, double __b, int *__q)
{
	int __t;
	double __r = __clc_remquo(__a, __b, &__t);
	*__q = __t;
	return __r;
}
__HD_NV double __nv_rsqrt(double __a) { return 1.0 / __nvvm_sqrt_rn_d(__a); }
__HD_NV float __nv_rcbrtf(float __a) { return __hd_rcbrtf(__a); }
__HD_NV double __nv_rcbrt(double __a) { return 1.0 / __clc_cbrt(__a); }
__HD_NV float __nv_rhypotf(float __a, float __b) { return 1.0f / __clc_hypotf(__a, __b); }
__HD_NV double __nv_rhypot(double __a, double __b) { return 1.0 / __clc_hypot(__a, __b); }

/* Exponent surgery. Scaling goes in at most three exact steps, so that only the last one rounds. */
__HD_NV float __nv_ldexpf(float __a, int __n)
{
	if (__n > 127) {
		__a *= 0x1p127f;
		__n -= 127;
		if (__n > 127) {
			__a *= 0x1p127f;
			__n = __n - 127 > 127 ? 127 : __n - 127;
		}
	} else if (__n < -126) {
		__a *= 0x1p-102f;
		__n += 102;
		if (__n < -126) {
			__a *= 0x1p-102f;
			__n = __n + 102 < -126 ? -126 : __n + 102;
		}
	}
	return __a * __nv_int_as_float((__n + 127) << 23);
}
__HD_NV double __nv_ldexp(double __a, int __n)
{
	if (__n > 1023) {
		__a *= 0x1p1023;
		__n -= 1023;
		if (__n > 1023) {
			__a *= 0x1p1023;
			__n = __n - 1023 > 1023 ? 1023 : __n - 1023;
		}
	} else if (__n < -1022) {
		__a *= 0x1p-969;
		__n += 969;
		if (__n < -1022) {
			__a *= 0x1p-969;
			__n = __n + 969 < -1022 ? -1022 : __n + 969;
		}
	}
	return __a * __nv_longlong_as_double((long long)(__n + 1023) << 52);
}
__HD_NV float __nv_scalbnf(float __a, int __n) { return __nv_ldexpf(__a, __n); }
__HD_NV double __nv_scalbn(double __a, int __n) { return __nv_ldexp(__a, __n); }
__HD_NV float __nv_frexpf(float __a, int *__e)
{
	int __bias = 0;
	unsigned int __u = __nv_float_as_uint(__a), __m = __u & 0x7fffffffu;
	if (__m == 0 || __m >= 0x7f800000u) {
		*__e = 0;
		return __a + __a;
	}
	if (__m < 0x00800000u) {
		__u = __nv_float_as_uint(__a * 0x1p24f);
		__bias = 24;
	}
	*__e = (int)(__u >> 23 & 0xff) - 126 - __bias;
	return __nv_uint_as_float((__u & 0x807fffffu) | 0x3f000000u);
}
__HD_NV double __nv_frexp(double __a, int *__e)
{
	int __bias = 0;
	unsigned long long __u = __nv_double_as_longlong(__a), __m = __u & 0x7fffffffffffffffull;
	if (__m == 0 || __m >= 0x7ff0000000000000ull) {
		*__e = 0;
		return __a + __a;
	}
	if (__m < 0x0010000000000000ull) {
		__u = __nv_double_as_longlong(__a * 0x1p54);
		__bias = 54;
	}
	*__e = (int)(__u >> 52 & 0x7ff) - 1022 - __bias;
	return __nv_longlong_as_double(
		(long long)((__u & 0x800fffffffffffffull) | 0x3fe0000000000000ull));
}
__HD_NV int __nv_ilogbf(float __a)
{
	unsigned int __m = __nv_float_as_uint(__a) & 0x7fffffffu;
	if (__m == 0 || __m > 0x7f800000u)
		return -2147483647 - 1;
	if (__m == 0x7f800000u)
		return 2147483647;
	return __m >= 0x00800000u ? (int)(__m >> 23) - 127 : -118 - __nv_clz((int)__m);
}
__HD_NV int __nv_ilogb(double __a)
{
	unsigned long long __m = __nv_double_as_longlong(__a) & 0x7fffffffffffffffull;
	if (__m == 0 || __m > 0x7ff0000000000000ull)
		return -2147483647 - 1;
	if (__m == 0x7ff0000000000000ull)
		return 2147483647;
	return __m >= 0x0010000000000000ull ? (int)(__m >> 52) - 1023
					    : -1011 - __nv_clzll((long long)__m);
}
__HD_NV float __nv_logbf(float __a)
{
	if (__a == 0.0f)
		return -1.0f / (__a * __a);
	return __nv_finitef(__a) ? (float)__nv_ilogbf(__a) : __a * __a;
}
__HD_NV double __nv_logb(double __a)
{
	if (__a == 0.0)
		return -1.0 / (__a * __a);
	return __nv_isfinited(__a) ? (double)__nv_ilogb(__a) : __a * __a;
}
__HD_NV float __nv_modff(float __a, float *__i)
{
	float __t = __builtin_truncf(__a);
	*__i = __t;
	return __builtin_copysignf(__nv_isinff(__a) ? 0.0f : __a - __t, __a);
}
__HD_NV double __nv_modf(double __a, double *__i)
{
	double __t = __builtin_trunc(__a);
	*__i = __t;
	return __builtin_copysign(__nv_isinfd(__a) ? 0.0 : __a - __t, __a);
}
__HD_NV float __nv_nextafterf(float __a, float __b)
{
	if (__nv_isnanf(__a) || __nv_isnanf(__b))
		return __a + __b;
	if (__a == __b)
		return __b;
	if (__a == 0.0f)
		return __builtin_copysignf(__nv_uint_as_float(1), __b);
	return __nv_int_as_float(__nv_float_as_int(__a) + ((__a < __b) == (__a > 0.0f) ? 1 : -1));
}
__HD_NV double __nv_nextafter(double __a, double __b)
{
	if (__nv_isnand(__a) || __nv_isnand(__b))
		return __a + __b;
	if (__a == __b)
		return __b;
	if (__a == 0.0)
		return __builtin_copysign(__nv_longlong_as_double(1), __b);
	return __nv_longlong_as_double((long long)__nv_double_as_longlong(__a) +
				       ((__a < __b) == (__a > 0.0) ? 1 : -1));
}
__HD_NV float __nv_powif(float __a, int __n)
{
	unsigned int __k = __n < 0 ? -(unsigned int)__n : (unsigned int)__n;
	float __r = 1.0f;
	for (; __k; __k >>= 1, __a *= __a)
		if (__k & 1)
			__r *= __a;
	return __n < 0 ? 1.0f / __r : __r;
}
__HD_NV double __nv_powi(double __a, int __n)
{
	unsigned int __k = __n < 0 ? -(unsigned int)__n : (unsigned int)__n;
	double __r = 1.0;
	for (; __k; __k >>= 1, __a *= __a)
		if (__k & 1)
			__r *= __a;
	return __n < 0 ? 1.0 / __r : __r;
}

#include "libm_norm.h"
#include "libm_special.h"

#endif
