/* Special functions that OpenCL lacks: inverse error functions, scaled complementary error
 * function, normal distribution and Bessel functions. The float forms compute in double. */
#ifndef HEDDLE_LIBM_SPECIAL_H
#define HEDDLE_LIBM_SPECIAL_H

#define __HD_2_SQRTPI 1.1283791670955126
#define __HD_SQRT1_2 0.70710678118654752440
#define __HD_SQRT1_2_LO -4.8336466567264567e-17

/* exp(x*x) erfc(x): computed directly unless erfc is denormal, otherwise by its continued
 * fraction. */
__HD_NV double __nv_erfcx(double __x)
{
	if (__x < 10.0) {
		double __s = __x * __x, __lo = __nvvm_fma_rn_d(__x, __x, -__s);
		double __e = __nv_exp(__s);
		return __nvvm_fma_rn_d(__e, __lo, __e) * __nv_erfc(__x);
	}
	double __t = __x;
	for (int __k = 30; __k > 0; __k--)
		__t = __x + 0.5 * __k / __t;
	return 0.5 * __HD_2_SQRTPI / __t;
}
__HD_NV float __nv_erfcxf(float __x) { return (float)__nv_erfcx((double)__x); }

/* erfc(-x/sqrt(2))/2, corrected to first order for the rounding of the argument. */
__HD_NV double __nv_normcdf(double __x)
{
	if (__x > 9.0)
		return 1.0;
	if (__x < -38.6)
		return 0.0;
	double __t = -__x * __HD_SQRT1_2;
	double __lo = __nvvm_fma_rn_d(-__x, __HD_SQRT1_2, -__t) - __x * __HD_SQRT1_2_LO;
	double __r = __nv_erfc(__t);
	if (__t > 1.0)
		__r *= 1.0 - 2.0 * __t * __lo;
	return 0.5 * __r;
}
__HD_NV float __nv_normcdff(float __x) { return (float)__nv_normcdf((double)__x); }

/*
 * Inverse of erfc on (0, 2): a start from the tail's logarithm, then Halley steps on erfc itself,
 * or near the centre on erf so that the small result keeps its relative accuracy.
 */
__HD_NV double __nv_erfinv(double __y)
{
	double __a = __nv_fabs(__y);
	if (!(__a < 1.0))
		return __a == 1.0 ? __y * __nv_longlong_as_double(0x7ff0000000000000ll) :
			__nv_longlong_as_double(0x7ff8000000000000ll);
	double __w = __nv_log1p(-__a * __a);
	double __c = 4.330746750799873 + 0.5 * __w;
	double __x = __nvvm_sqrt_rn_d(__nvvm_sqrt_rn_d(__nvvm_fma_rn_d(__c, __c, -__w / 0.147)) - __c);
	if (__a < 1e-8)
		return __y / __HD_2_SQRTPI;
	for (int __k = 0; __k < 3; __k++) {
		double __r = __a < 0.5 ? __nv_erf(__x) - __a : (1.0 - __a) - __nv_erfc(__x);
		double __u = __r / (__HD_2_SQRTPI * __nv_exp(-__x * __x));
		__x -= __u / (1.0 + __x * __u);
	}
	return __nv_copysign(__x, __y);
}
__HD_NV double __nv_erfcinv(double __y)
{
	if (!(__y >= 0.0 && __y <= 2.0))
		return __nv_longlong_as_double(0x7ff8000000000000ll);
	if (__y == 0.0 || __y == 2.0)
		return (1.0 - __y) * __nv_longlong_as_double(0x7ff0000000000000ll);
	if (__y > 0.5)
		return __y > 1.5 ? -__nv_erfcinv(2.0 - __y) : __nv_erfinv(1.0 - __y);
	double __w = __nv_log(__y * (2.0 - __y));
	double __c = 4.330746750799873 + 0.5 * __w;
	double __x = __nvvm_sqrt_rn_d(__nvvm_sqrt_rn_d(__nvvm_fma_rn_d(__c, __c, -__w / 0.147)) - __c);
	for (int __k = 0; __k < 3; __k++) {
		/* erfc(x)-y relative to erfc'(x), all scaled by exp(x*x) so that nothing underflows */
		double __e = __nv_erfcx(__x);
		double __r = __y - __e * __nv_exp(-__x * __x);
		double __u = __x < 5.0 ? __r / (__HD_2_SQRTPI * __nv_exp(-__x * __x)) :
			(__y * __nv_exp(__x * __x) - __e) / __HD_2_SQRTPI;
		__x -= __u / (1.0 + __x * __u);
	}
	return __x;
}
__HD_NV float __nv_erfinvf(float __y) { return (float)__nv_erfinv((double)__y); }
__HD_NV float __nv_erfcinvf(float __y) { return (float)__nv_erfcinv((double)__y); }
__HD_NV double __nv_normcdfinv(double __p)
{
	return -1.4142135623730951 * __nv_erfcinv(2.0 * __p);
}
__HD_NV float __nv_normcdfinvf(float __p) { return (float)__nv_normcdfinv((double)__p); }

/*
 * Gamma: Stirling's series from 12 on, below by the recurrence, negative arguments by reflection.
 * The power is split in two so that it overflows no sooner than the result.
 */
__HD_NV double __hd_gamma_positive(double __x)
{
	double __p = 1.0, __x0 = __x, __n = 0.0;
	for (; __x0 + __n < 12.0; __n += 1.0)
		__p *= __x0 + __n;
	__x = __x0 + __n;
	/* rounding error of the sum, multiplied by the logarithmic derivative */
	double __lost = (__x0 - (__x - __n)) * (__nv_log(__x) - 0.5 / __x);
	double __r = 1.0 / __x, __q = __r * __r;
	double __s = __r * (0.083333333333333333 + __q * (-0.0027777777777777778 + __q *
		(7.9365079365079365e-4 + __q * (-5.9523809523809524e-4 + __q * (8.4175084175084175e-4 +
		__q * (-1.9175269175269175e-3 + __q * 6.4102564102564103e-3))))));
	double __w = __nv_pow(__x, 0.5 * __x - 0.25);
	return __w * (__nv_exp(-__x) * 2.5066282746310002) * __w * __nv_exp(__s + __lost) / __p;
}
__HD_NV double __nv_tgamma(double __x)
{
	if (__nv_isnand(__x) || __x == __nv_longlong_as_double(0x7ff0000000000000ll))
		return __x;
	if (__x == 0.0)
		return 1.0 / __x;
	if (__x > 0.0)
		return __x > 172.0 ? __nv_longlong_as_double(0x7ff0000000000000ll) : __hd_gamma_positive(__x);
	if (__x == __builtin_floor(__x))
		return __nv_longlong_as_double(0x7ff8000000000000ll);
	if (__x < -184.0)
		return __nv_fmod(__builtin_floor(__x), 2.0) == 0.0 ? 0.0 : -0.0;
	return 3.1415926535897931 / (__nv_sinpi(__x) * __hd_gamma_positive(1.0 - __x));
}
__HD_NV float __nv_tgammaf(float __x) { return (float)__nv_tgamma((double)__x); }

/* Modified Bessel functions: power series, and the asymptotic series for large arguments. */
__HD_NV double __hd_bessel_i(int __n, double __x)
{
	double __a = __nv_fabs(__x), __r;
	if (__a < 20.0) {
		/* the rounding error of the square grows with the terms, and is corrected at the
		 * end */
		double __h = 0.5 * __a, __q = __h * __h, __lo = __nvvm_fma_rn_d(__h, __h, -__q);
		double __t = __n ? __h : 1.0, __w = 0.0;
		__r = __t;
		for (int __k = 1; __k < 80 && __t > 1e-17 * __r; __k++) {
			__t = __t * __q / ((double)__k * (__k + __n));
			__r += __t;
			__w += __k * __t;
		}
		if (__q > 0.0)
			__r += __lo / __q * __w;
	} else {
		double __mu = 4.0 * __n * __n, __t = 1.0, __s = 1.0;
		for (int __k = 1; __k < 25; __k++) {
			double __d = 2.0 * __k - 1.0;
			__t *= -(__mu - __d * __d) / (8.0 * __k * __a);
			__s += __t;
		}
		/* in two steps only where the exponential alone would overflow */
		double __f = __s / __nvvm_sqrt_rn_d(6.283185307179586 * __a), __h = __nv_exp(0.5 * __a);
		__r = __a < 700.0 ? __nv_exp(__a) * __f : __h * __f * __h;
	}
	return __n && __x < 0.0 ? -__r : __r;
}
__HD_NV double __nv_cyl_bessel_i0(double __x) { return __hd_bessel_i(0, __x); }
__HD_NV double __nv_cyl_bessel_i1(double __x) { return __hd_bessel_i(1, __x); }
__HD_NV float __nv_cyl_bessel_i0f(float __x) { return (float)__hd_bessel_i(0, __x); }
__HD_NV float __nv_cyl_bessel_i1f(float __x) { return (float)__hd_bessel_i(1, __x); }

/*
 * Bessel functions of integer order. Below 25 by Miller's downward recurrence, normalised with
 * J0 + 2 (J2 + J4 + ...) = 1, and Neumann's series for Y0 and Y1; above by Hankel's expansion.
 * Higher orders follow by recurrence in the direction that is stable.
 */
__HD_NV void __hd_bessel_miller(double __x, int __n, double *__j0, double *__j1, double *__jn,
	double *__y0, double *__y1)
{
	int __top = 2 * (((int)__x + (__n > (int)__x ? __n - (int)__x : 0) + 40) / 2);
	double __hi = 0.0, __cur = 1e-300, __sum = 0.0, __neu = 0.0, __neu1 = 0.0, __want = 0.0, __one = 0.0;
	for (int __k = __top; __k > 0; __k--) {
		double __lo = 2.0 * __k / __x * __cur - __hi;
		__hi = __cur;
		__cur = __lo;
		/* now cur ~ J(k-1) */
		if (__k - 1 == __n)
			__want = __cur;
		if (__k - 1 == 1)
			__one = __cur;
		if ((__k - 1) % 2 == 0 && __k - 1 > 0) {
			__sum += 2.0 * __cur;
			__neu += ((__k - 1) / 2 % 2 ? -1.0 : 1.0) * __cur / ((__k - 1) / 2);
		} else if (__k - 1 > 1) {
			int __h = (__k - 2) / 2;
			__neu1 += (__h % 2 ? -1.0 : 1.0) * __cur * (__k - 1) / (__h * (__h + 1.0));
		}
		if (__nv_fabs(__cur) > 1e250) {
			__cur *= 1e-250;
			__hi *= 1e-250;
			__sum *= 1e-250;
			__neu *= 1e-250;
			__neu1 *= 1e-250;
			__want *= 1e-250;
			__one *= 1e-250;
		}
	}
	double __inv = 1.0 / (__sum + __cur);
	*__j0 = __cur * __inv;
	*__j1 = __one * __inv;
	*__jn = __want * __inv;
	double __l = __nv_log(0.5 * __x) + 0.57721566490153286;
	*__y0 = 0.63661977236758134 * (__l * *__j0 - 2.0 * __neu * __inv);
	*__y1 = 0.63661977236758134 * ((__l - 1.0) * *__j1 - *__j0 / __x - __neu1 * __inv);
}
__HD_NV void __hd_bessel_hankel(double __x, int __n, double *__j, double *__y)
{
	double __mu = 4.0 * __n * __n, __t = 1.0, __p = 1.0, __q = 0.0;
	for (int __k = 1; __k < 40; __k++) {
		double __d = 2.0 * __k - 1.0, __f = (__mu - __d * __d) / (8.0 * __k * __x);
		if (__nv_fabs(__f) >= 1.0)
			break;
		__t *= __f;
		if (__k & 1)
			__q += (__k & 2) ? -__t : __t;
		else
			__p += (__k & 2) ? -__t : __t;
	}
	double __s, __c, __a = __nvvm_sqrt_rn_d(0.63661977236758134 / __x) * __HD_SQRT1_2;
	__nv_sincos(__x, &__s, &__c);
	/* cos(x - pi/4) and sin(x - pi/4), turned by n quarter circles */
	double __cc = __c + __s, __ss = __s - __c, __u;
	for (int __k = __n & 3; __k; __k--) {
		__u = __cc;
		__cc = __ss;
		__ss = -__u;
	}
	*__j = __a * (__p * __cc - __q * __ss);
	*__y = __a * (__p * __ss + __q * __cc);
}
__HD_NV double __nv_jn(int __n, double __x)
{
	double __sign = 1.0, __j0, __j1, __jn, __y;
	if (__n < 0) {
		__n = -__n;
		__sign = __n & 1 ? -1.0 : 1.0;
	}
	if (__x < 0.0) {
		__x = -__x;
		if (__n & 1)
			__sign = -__sign;
	}
	if (__nv_isnand(__x))
		return __x;
	if (__x == 0.0)
		return __n == 0 ? 1.0 : 0.0;
	if (__x > 1e300)
		return 0.0;
	if (__x < 25.0 || __x < __n) {
		double __y1;
		__hd_bessel_miller(__x, __n, &__j0, &__j1, &__jn, &__y, &__y1);
		return __sign * __jn;
	}
	__hd_bessel_hankel(__x, 0, &__j0, &__y);
	__hd_bessel_hankel(__x, 1, &__j1, &__y);
	if (__n == 0)
		return __sign * __j0;
	for (int __k = 1; __k < __n; __k++) {
		__jn = 2.0 * __k / __x * __j1 - __j0;
		__j0 = __j1;
		__j1 = __jn;
	}
	return __sign * __j1;
}
__HD_NV double __nv_yn(int __n, double __x)
{
	double __sign = 1.0, __j0, __j1, __jn, __y0, __y1, __t;
	if (__n < 0) {
		__n = -__n;
		__sign = __n & 1 ? -1.0 : 1.0;
	}
	if (__nv_isnand(__x) || __x < 0.0)
		return __nv_longlong_as_double(0x7ff8000000000000ll);
	if (__x == 0.0)
		return __nv_longlong_as_double((long long)0xfff0000000000000ull);
	if (__x > 1e300)
		return 0.0;
	if (__x < 25.0) {
		__hd_bessel_miller(__x, 0, &__j0, &__j1, &__jn, &__y0, &__y1);
	} else {
		__hd_bessel_hankel(__x, 0, &__t, &__y0);
		__hd_bessel_hankel(__x, 1, &__t, &__y1);
	}
	if (__n == 0)
		return __sign * __y0;
	for (int __k = 1; __k < __n; __k++) {
		__t = 2.0 * __k / __x * __y1 - __y0;
		__y0 = __y1;
		__y1 = __t;
	}
	return __sign * __y1;
}
__HD_NV double __nv_j0(double __x) { return __nv_jn(0, __x); }
__HD_NV double __nv_j1(double __x) { return __nv_jn(1, __x); }
__HD_NV double __nv_y0(double __x) { return __nv_yn(0, __x); }
__HD_NV double __nv_y1(double __x) { return __nv_yn(1, __x); }
__HD_NV float __nv_j0f(float __x) { return (float)__nv_jn(0, __x); }
__HD_NV float __nv_j1f(float __x) { return (float)__nv_jn(1, __x); }
__HD_NV float __nv_jnf(int __n, float __x) { return (float)__nv_jn(__n, __x); }
__HD_NV float __nv_y0f(float __x) { return (float)__nv_yn(0, __x); }
__HD_NV float __nv_y1f(float __x) { return (float)__nv_yn(1, __x); }
__HD_NV float __nv_ynf(int __n, float __x) { return (float)__nv_yn(__n, __x); }

#undef __HD_2_SQRTPI
#undef __HD_SQRT1_2
#undef __HD_SQRT1_2_LO

#endif
