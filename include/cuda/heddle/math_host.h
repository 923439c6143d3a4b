/*
 * CUDA's additional functions of math.h on the host. In CUDA sources they are global; headers that the host's compiler
 * reads include them in a namespace of their own.
 */
#ifndef HEDDLE_MATH_HOST_H
#define HEDDLE_MATH_HOST_H

#define __HD_HF static __host__ __inline__ __attribute__((unused))
#define __HD_H(__n, __e, __ef) \
__HD_HF double __n(double __x) { return __e; } \
__HD_HF float __n##f(float __x) { return __ef; } \
__HD_HF float __n(float __x) { return __n##f(__x); }
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

#endif
