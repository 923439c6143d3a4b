/*
 * Overloads of math functions: float forms of the C names that clang only declares for the device,
 * min and max of every mix of arithmetic types, names of the first CUDA releases.
 */
#ifndef HEDDLE_MATH_OVERLOADS_H
#define HEDDLE_MATH_OVERLOADS_H

#define __HD_DF static __device__ __HD_INLINE __attribute__((unused))
#define __HD_F1(__n) __HD_DF float __n(float __x) { return ::__n##f(__x); }
#define __HD_F2(__n) __HD_DF float __n(float __x, float __y) { return ::__n##f(__x, __y); }
__HD_F1(erf) __HD_F1(erfc) __HD_F1(cbrt) __HD_F1(exp2) __HD_F1(expm1) __HD_F1(log1p) __HD_F1(log2)
__HD_F1(logb) __HD_F1(rint) __HD_F1(round) __HD_F1(trunc) __HD_F1(nearbyint) __HD_F1(acosh)
__HD_F1(asinh) __HD_F1(atanh) __HD_F1(lgamma) __HD_F1(tgamma)
__HD_F2(fdim) __HD_F2(fmax) __HD_F2(fmin) __HD_F2(hypot) __HD_F2(copysign) __HD_F2(nextafter)
__HD_F2(remainder)
__HD_DF float fma(float __x, float __y, float __z) { return ::fmaf(__x, __y, __z); }
__HD_DF int ilogb(float __x) { return ::ilogbf(__x); }
__HD_DF long lrint(float __x) { return ::lrintf(__x); }
__HD_DF long lround(float __x) { return ::lroundf(__x); }
__HD_DF long long llrint(float __x) { return ::llrintf(__x); }
__HD_DF long long llround(float __x) { return ::llroundf(__x); }
__HD_DF float scalbn(float __x, int __n) { return ::scalbnf(__x, __n); }
__HD_DF float scalbln(float __x, long __n) { return ::scalblnf(__x, __n); }
__HD_DF float remquo(float __x, float __y, int *__q) { return ::remquof(__x, __y, __q); }
__HD_DF double nan(const char *) { return __nv_nan(0); }
__HD_DF float nanf(const char *) { return __nv_nanf(0); }
__HD_F1(rsqrt) __HD_F1(rcbrt) __HD_F1(sinpi) __HD_F1(cospi) __HD_F1(exp10) __HD_F1(erfinv)
__HD_F1(erfcinv) __HD_F1(erfcx) __HD_F1(normcdf) __HD_F1(normcdfinv) __HD_F1(j0) __HD_F1(j1)
__HD_F1(y0) __HD_F1(y1) __HD_F1(cyl_bessel_i0) __HD_F1(cyl_bessel_i1)
__HD_F2(rhypot) __HD_F2(fdivide)
__HD_DF void sincospi(float __x, float *__s, float *__c) { ::sincospif(__x, __s, __c); }
__HD_DF void sincos(float __x, float *__s, float *__c) { ::sincosf(__x, __s, __c); }
__HD_DF float norm3d(float __a, float __b, float __c) { return ::norm3df(__a, __b, __c); }
__HD_DF float norm4d(float __a, float __b, float __c, float __d) { return ::norm4df(__a, __b, __c, __d); }
__HD_DF float rnorm3d(float __a, float __b, float __c) { return ::rnorm3df(__a, __b, __c); }
__HD_DF float rnorm4d(float __a, float __b, float __c, float __d) { return ::rnorm4df(__a, __b, __c, __d); }
#undef __HD_F1
#undef __HD_F2

/* min and max. The int form exists for the device already. */
#define __HD_HD static __host__ __device__ __HD_INLINE __attribute__((unused))
#define __HD_MM(__r, __a, __b) \
__HD_HD __r min(__a __x, __b __y) { return (__r)__x < (__r)__y ? (__r)__x : (__r)__y; } \
__HD_HD __r max(__a __x, __b __y) { return (__r)__x > (__r)__y ? (__r)__x : (__r)__y; }
static __host__ __inline__ __attribute__((unused)) int min(int __x, int __y) { return __x < __y ? __x : __y; }
static __host__ __inline__ __attribute__((unused)) int max(int __x, int __y) { return __x > __y ? __x : __y; }
__HD_MM(unsigned int, unsigned int, unsigned int)
__HD_MM(unsigned int, int, unsigned int)
__HD_MM(unsigned int, unsigned int, int)
__HD_MM(long, long, long)
__HD_MM(unsigned long, unsigned long, unsigned long)
__HD_MM(unsigned long, long, unsigned long)
__HD_MM(unsigned long, unsigned long, long)
__HD_MM(long long, long long, long long)
__HD_MM(unsigned long long, unsigned long long, unsigned long long)
__HD_MM(unsigned long long, long long, unsigned long long)
__HD_MM(unsigned long long, unsigned long long, long long)
#undef __HD_MM
#if defined(__CUDA_ARCH__)
#define __HD_FMM(__r, __a, __b, __f) \
__HD_HD __r min(__a __x, __b __y) { return __builtin_fmin##__f((__r)__x, (__r)__y); } \
__HD_HD __r max(__a __x, __b __y) { return __builtin_fmax##__f((__r)__x, (__r)__y); }
#else
#define __HD_FMM(__r, __a, __b, __f) \
__HD_HD __r min(__a __x, __b __y) { return ::fmin##__f((__r)__x, (__r)__y); } \
__HD_HD __r max(__a __x, __b __y) { return ::fmax##__f((__r)__x, (__r)__y); }
#endif
__HD_FMM(float, float, float, f)
__HD_FMM(double, double, double, )
__HD_FMM(double, float, double, )
__HD_FMM(double, double, float, )
#undef __HD_FMM
#undef __HD_HD

#include "math_host.h"

/*
 * Names of the first CUDA releases. As templates they yield to a program's own functions of equal names
 * and types. any(bool) and all(bool) are left to programs.
 */
#define __HD_OLD template <int __hd_old = 0> __HD_DF
__HD_OLD int mulhi(int __a, int __b) { return __mulhi(__a, __b); }
__HD_OLD unsigned int mulhi(unsigned int __a, unsigned int __b) { return __umulhi(__a, __b); }
__HD_OLD unsigned int mulhi(int __a, unsigned int __b) { return __umulhi((unsigned int)__a, __b); }
__HD_OLD unsigned int mulhi(unsigned int __a, int __b) { return __umulhi(__a, (unsigned int)__b); }
__HD_OLD long long mul64hi(long long __a, long long __b) { return __mul64hi(__a, __b); }
__HD_OLD unsigned long long mul64hi(unsigned long long __a, unsigned long long __b) { return __umul64hi(__a, __b); }
__HD_OLD int mul24(int __a, int __b) { return __mul24(__a, __b); }
__HD_OLD unsigned int umul24(unsigned int __a, unsigned int __b) { return __umul24(__a, __b); }
__HD_OLD int float_as_int(float __a) { return __float_as_int(__a); }
__HD_OLD float int_as_float(int __a) { return __int_as_float(__a); }
__HD_OLD float saturate(float __a) { return __saturatef(__a); }
__HD_OLD int float2int(float __a, enum cudaRoundMode __m = cudaRoundZero)
{
	return __m == cudaRoundNearest ? __float2int_rn(__a) : __m == cudaRoundPosInf ? __float2int_ru(__a) :
		__m == cudaRoundMinInf ? __float2int_rd(__a) : __float2int_rz(__a);
}
__HD_OLD unsigned int float2uint(float __a, enum cudaRoundMode __m = cudaRoundZero)
{
	return __m == cudaRoundNearest ? __float2uint_rn(__a) : __m == cudaRoundPosInf ? __float2uint_ru(__a) :
		__m == cudaRoundMinInf ? __float2uint_rd(__a) : __float2uint_rz(__a);
}
__HD_OLD float int2float(int __a, enum cudaRoundMode __m = cudaRoundNearest)
{
	return __m == cudaRoundZero ? __int2float_rz(__a) : __m == cudaRoundPosInf ? __int2float_ru(__a) :
		__m == cudaRoundMinInf ? __int2float_rd(__a) : __int2float_rn(__a);
}
__HD_OLD float uint2float(unsigned int __a, enum cudaRoundMode __m = cudaRoundNearest)
{
	return __m == cudaRoundZero ? __uint2float_rz(__a) : __m == cudaRoundPosInf ? __uint2float_ru(__a) :
		__m == cudaRoundMinInf ? __uint2float_rd(__a) : __uint2float_rn(__a);
}
__HD_OLD void syncthreads(void) { __syncthreads(); }
__HD_OLD void threadfence(void) { __threadfence(); }
__HD_OLD void trap(void) { asm volatile("trap;"); }
#undef __HD_OLD
__HD_DF unsigned long long __double_as_ulonglong(double __a) { return __builtin_bit_cast(unsigned long long, __a); }
__HD_DF double __ulonglong_as_double(unsigned long long __a) { return __builtin_bit_cast(double, __a); }
#undef __HD_DF

#endif
