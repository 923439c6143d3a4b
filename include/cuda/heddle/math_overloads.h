/*
 * Overloads of math functions: float forms of the C names that clang only declares for the device,
 * min and max of every mix of arithmetic types, and CUDA's additional functions for the host.
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

/* CUDA's functions on the host. */
#define __HD_HF static __host__ __inline__ __attribute__((unused))
#define __HD_H(__n, __e, __ef) \
__HD_HF double __n(double __x) { return __e; } \
__HD_HF float __n##f(float __x) { return __ef; } \
__HD_HF float __n(float __x) { return ::__n##f(__x); }
__HD_H(rsqrt, 1.0 / ::sqrt(__x), 1.0f / ::sqrtf(__x))
__HD_H(rcbrt, 1.0 / ::cbrt(__x), 1.0f / ::cbrtf(__x))
__HD_HF double __hd_host_sinpi(double __x)
{
	double __r = __x - 2.0 * ::rint(0.5 * __x), __q = ::rint(2.0 * __r);
	double __t = 3.14159265358979323846 * (__r - 0.5 * __q);
	int __k = (int)__q & 3;
	double __v = __k & 1 ? ::cos(__t) : ::sin(__t);
	return __k & 2 ? -__v : __v;
}
__HD_HF double __hd_host_cospi(double __x)
{
	double __r = __x - 2.0 * ::rint(0.5 * __x), __q = ::rint(2.0 * __r);
	double __t = 3.14159265358979323846 * (__r - 0.5 * __q);
	int __k = ((int)__q + 1) & 3;
	double __v = __k & 1 ? ::cos(__t) : ::sin(__t);
	return __k & 2 ? -__v : __v;
}
__HD_H(sinpi, __hd_host_sinpi(__x), (float)__hd_host_sinpi(__x))
__HD_H(cospi, __hd_host_cospi(__x), (float)__hd_host_cospi(__x))
__HD_H(normcdf, 0.5 * ::erfc(-__x * 0.70710678118654752440), (float)(0.5 * ::erfc(-(double)__x * 0.70710678118654752440)))
__HD_HF double __hd_host_erfcx(double __x)
{
	if (__x < 10.0)
		return ::exp(__x * __x) * ::erfc(__x);
	double __t = __x;
	for (int __k = 30; __k > 0; __k--)
		__t = __x + 0.5 * __k / __t;
	return 0.56418958354775628 / __t;
}
__HD_H(erfcx, __hd_host_erfcx(__x), (float)__hd_host_erfcx(__x))
__HD_HF double __hd_host_erfcinv(double __y)
{
	if (!(__y > 0.0 && __y < 2.0))
		return __y == 0.0 ? __builtin_inf() : __y == 2.0 ? -__builtin_inf() : __builtin_nan("");
	if (__y > 1.0)
		return -__hd_host_erfcinv(2.0 - __y);
	double __w = ::log(__y * (2.0 - __y)), __c = 4.330746750799873 + 0.5 * __w;
	double __x = ::sqrt(::sqrt(__c * __c - __w / 0.147) - __c);
	for (int __k = 0; __k < 4; __k++) {
		double __u = (__y - ::erfc(__x)) / (1.1283791670955126 * ::exp(-__x * __x));
		if (__x > 5.0)
			__u = (__y * ::exp(__x * __x) - __hd_host_erfcx(__x)) / 1.1283791670955126;
		__x -= __u / (1.0 + __x * __u);
	}
	return __x;
}
__HD_H(erfcinv, __hd_host_erfcinv(__x), (float)__hd_host_erfcinv(__x))
__HD_H(erfinv, __hd_host_erfcinv(1.0 - __x), (float)__hd_host_erfcinv(1.0 - (double)__x))
__HD_H(normcdfinv, -1.4142135623730951 * __hd_host_erfcinv(2.0 * __x),
	(float)(-1.4142135623730951 * __hd_host_erfcinv(2.0 * (double)__x)))
#undef __HD_H
__HD_HF void sincospi(double __x, double *__s, double *__c) { *__s = sinpi(__x); *__c = cospi(__x); }
__HD_HF void sincospif(float __x, float *__s, float *__c) { *__s = sinpif(__x); *__c = cospif(__x); }
__HD_HF void sincospi(float __x, float *__s, float *__c) { sincospif(__x, __s, __c); }
__HD_HF void sincos(float __x, float *__s, float *__c) { ::sincosf(__x, __s, __c); }
__HD_HF double rhypot(double __x, double __y) { return 1.0 / ::hypot(__x, __y); }
__HD_HF float rhypotf(float __x, float __y) { return 1.0f / ::hypotf(__x, __y); }
__HD_HF float fdividef(float __x, float __y) { return __x / __y; }
__HD_HF double fdivide(double __x, double __y) { return __x / __y; }
__HD_HF double norm3d(double __a, double __b, double __c) { return ::hypot(::hypot(__a, __b), __c); }
__HD_HF float norm3df(float __a, float __b, float __c) { return ::hypotf(::hypotf(__a, __b), __c); }
__HD_HF double norm4d(double __a, double __b, double __c, double __d)
{
	return ::hypot(::hypot(__a, __b), ::hypot(__c, __d));
}
__HD_HF float norm4df(float __a, float __b, float __c, float __d)
{
	return ::hypotf(::hypotf(__a, __b), ::hypotf(__c, __d));
}
__HD_HF unsigned int umin(unsigned int __x, unsigned int __y) { return __x < __y ? __x : __y; }
__HD_HF unsigned int umax(unsigned int __x, unsigned int __y) { return __x > __y ? __x : __y; }
__HD_HF long long llmin(long long __x, long long __y) { return __x < __y ? __x : __y; }
__HD_HF long long llmax(long long __x, long long __y) { return __x > __y ? __x : __y; }
__HD_HF unsigned long long ullmin(unsigned long long __x, unsigned long long __y) { return __x < __y ? __x : __y; }
__HD_HF unsigned long long ullmax(unsigned long long __x, unsigned long long __y) { return __x > __y ? __x : __y; }
#undef __HD_HF

/*
 * Names of the first CUDA releases. As templates they give way to a program's own functions of the same
 * names and types. any(bool) and all(bool), which no program of ours calls, are left to programs.
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
