/* Double functions of device math that programs use most, as libm_float.h has the float ones. */
#ifndef HEDDLE_LIBM_DOUBLE_H
#define HEDDLE_LIBM_DOUBLE_H

#define __HD_FMA(__a, __b, __c)  __builtin_fma(__a, __b, __c)
#define __HD_STEP(__p, __x, __c) __p = __builtin_fma(__p, __x, __c)
#define __HD_EXACT               _Pragma("clang fp contract(off)")

/* ---- sine and cosine ---- */

/* From 2^31 on, the number of quarter turns exceeds an int: calls libclc's functions. */
#define __HD_TURNS_MOST 0x1p31
/* x less the nearest multiple of pi/2, in *quarters how many. NaN for infinity. */
__HD_NV double __hd_quarters(double __x, int *__quarters)
{
	__HD_EXACT
	if (__nv_isinfd(__x)) {
		*__quarters = 0;
		return __x * 0.0;
	}
	*__quarters = __nvvm_d2i_rn(__x * 0x1.45f306dc9c883p-1);
	double __n = -(double)*__quarters;
	return __HD_FMA(
		__n, 0x1.b839a252049cp-104,
		__HD_FMA(__n, 0x1.1a62633145cp-54, __HD_FMA(__n, 0x1.921fb54442d18p+0, __x)));
}
__HD_NV double __hd_sine(double __r, int __quarters)
{
	__HD_EXACT
	bool __cosine = __quarters & 1;
	double __z = __r * __r, __p = __cosine ? -0x1.8ff8320fd8164p-37 : 0x1.5db65f9785ebap-33;
	__HD_STEP(__p, __z, __cosine ? 0x1.1eea7c1ef8528p-29 : -0x1.ae5f12cb0d246p-26);
	__HD_STEP(__p, __z, __cosine ? -0x1.27e4f8e06e6d9p-22 : 0x1.71de369ace392p-19);
	__HD_STEP(__p, __z, __cosine ? 0x1.a01a019ddbce9p-16 : -0x1.a01a019db62a1p-13);
	__HD_STEP(__p, __z, __cosine ? -0x1.6c16c16c15d47p-10 : 0x1.1111111110818p-7);
	__HD_STEP(__p, __z, __cosine ? 0x1.5555555555551p-5 : -0x1.5555555555554p-3);
	__HD_STEP(__p, __z, __cosine ? -0.5 : 0.0);
	__p = __HD_FMA(__p, __cosine ? __z : __r, __cosine ? 1.0 : __r);
	return __quarters & 2 ? 0.0 - __p : __p;
}
__HD_NV double __hd_sin(double __x)
{
	int __q;
	double __r = __hd_quarters(__x, &__q);
	return __builtin_fabs(__x) >= __HD_TURNS_MOST ? __clc_sin(__x) : __hd_sine(__r, __q);
}
__HD_NV double __hd_cos(double __x)
{
	int __q;
	double __r = __hd_quarters(__x, &__q);
	return __builtin_fabs(__x) >= __HD_TURNS_MOST ? __clc_cos(__x) : __hd_sine(__r, __q + 1);
}
__HD_NV void __hd_sincos(double __x, double *__sin, double *__cos)
{
	if (__builtin_fabs(__x) >= __HD_TURNS_MOST) {
		double __t;
		*__sin = __clc_sincos(__x, &__t);
		*__cos = __t;
		return;
	}
	int __q;
	double __r = __hd_quarters(__x, &__q), __s = __hd_sine(__r, 0), __c = __hd_sine(__r, 1);
	double __a = __q & 1 ? __c : __s, __b = __q & 1 ? __s : __c;
	*__sin = __q & 2 ? 0.0 - __a : __a;
	*__cos = (__q + 1) & 2 ? 0.0 - __b : __b;
}

/* ---- exponentials ---- */

/* e^r for |r| <= ln(2) / 2. */
__HD_NV double __hd_exp_near(double __r)
{
	double __p = __HD_FMA(0x1.ade1569ce2bdfp-26, __r, 0x1.28af3fca213eap-22);
	__HD_STEP(__p, __r, 0x1.71dee62401315p-19);
	__HD_STEP(__p, __r, 0x1.a01997c89eb71p-16);
	__HD_STEP(__p, __r, 0x1.a01a014761f65p-13);
	__HD_STEP(__p, __r, 0x1.6c16c1852b7afp-10);
	__HD_STEP(__p, __r, 0x1.1111111122322p-7);
	__HD_STEP(__p, __r, 0x1.55555555502a1p-5);
	__HD_STEP(__p, __r, 0x1.5555555555511p-3);
	__HD_STEP(__p, __r, 0x1.000000000000bp-1);
	__HD_STEP(__p, __r, 1.0);
	__HD_STEP(__p, __r, 1.0);
	return __p;
}
/* p * 2^n by the bits of p. */
__HD_NV double __hd_scaled(double __p, int __n)
{
	return __nv_hiloint2double(__nv_double2hiint(__p) + (__n << 20), __nv_double2loint(__p));
}
/* p * 2^n where x is too large for __hd_scaled(): beyond the range, the value given by `limit`;
 * otherwise in two steps. The high half of x as a float grows monotonically with x. */
__HD_NV double __hd_scaled_far(double __p, int __n, double __x, float __most, double __limit)
{
	if (!(__builtin_fabsf(__nv_int_as_float(__nv_double2hiint(__x))) < __most))
		return __limit;
	int __half = __n / 2;
	return __hd_scaled(__p, __half) *
	       __nv_hiloint2double(((__n - __half) << 20) + 0x3ff00000, 0);
}
__HD_NV bool __hd_is_below(double __x, float __most)
{
	return __builtin_fabsf(__nv_int_as_float(__nv_double2hiint(__x))) < __most;
}
#define __HD_BIG 0x1.8p52 /* a sum with it is an integer in its low bits */
__HD_NV double __hd_exp(double __x)
{
	__HD_EXACT
	double __t = __HD_FMA(__x, 0x1.71547652b82fep+0, __HD_BIG), __k = __t - __HD_BIG;
	int __n = __nv_double2loint(__t);
	double __p = __hd_exp_near(
		__HD_FMA(__k, -0x1.abc9e3b39803fp-56, __HD_FMA(__k, -0x1.62e42fefa39efp-1, __x)));
	if (__hd_is_below(__x, 0x1.0c4656p+2f))
		return __hd_scaled(__p, __n);
	return __hd_scaled_far(__p, __n, __x, 0x1.0e9p+2f, __x < 0.0 ? 0.0 : __x + __builtin_inf());
}
/* Powers of 2 and 10 beyond their ranges. */
__HD_NV double __hd_exp_limit(double __x)
{
	return __nv_isnand(__x) ? __x + __x : __nv_double2hiint(__x) < 0 ? 0.0 : __builtin_inf();
}
__HD_NV double __hd_exp2(double __x)
{
	__HD_EXACT
	double __t = __x + __HD_BIG, __f = __x - (__t - __HD_BIG);
	int __n = __nv_double2loint(__t);
	double __p =
		__hd_exp_near(__HD_FMA(__f, 0x1.62e42fefa39efp-1, __f * 0x1.abc9e3b39803fp-56));
	if (__hd_is_below(__x, 0x1.1fep+2f))
		return __hd_scaled(__p, __n);
	return __hd_scaled_far(__p, __n, __x, 0x1.2198p+2f, __hd_exp_limit(__x));
}
__HD_NV double __hd_exp10(double __x)
{
	__HD_EXACT
	double __t = __HD_FMA(__x, 0x1.a934f0979a371p+1, __HD_BIG), __k = __t - __HD_BIG;
	int __n = __nv_double2loint(__t);
	double __f =
		__HD_FMA(__k, 0x1.9dc1da994fd21p-59, __HD_FMA(__k, -0x1.34413509f79ffp-2, __x));
	double __p =
		__hd_exp_near(__HD_FMA(__f, 0x1.26bb1bbb55516p+1, __f * -0x1.f48ad494ea3e9p-53));
	if (__hd_is_below(__x, 0x1.e674e2p+1f))
		return __hd_scaled(__p, __n);
	return __hd_scaled_far(__p, __n, __x, 0x1.e8737p+1f, __hd_exp_limit(__x));
}
/* 1 - 2 / (e^2x + 1) by e^2x - 1, near 0 a polynomial. */
__HD_NV double __hd_tanh_near(double __x)
{
	__HD_EXACT
	double __z = __x * __x, __p = __HD_FMA(-0x1.0bc46e2f5e964p-16, __z, 0x1.4359f420afc3dp-14);
	__HD_STEP(__p, __z, -0x1.df9f0728c5d84p-13);
	__HD_STEP(__p, __z, 0x1.337d1cec4f033p-11);
	__HD_STEP(__p, __z, -0x1.7d6e9674335b3p-10);
	__HD_STEP(__p, __z, 0x1.d6d000d7aad3dp-9);
	__HD_STEP(__p, __z, -0x1.226e1f3cf1ef5p-7);
	__HD_STEP(__p, __z, 0x1.664f47ec0c8cfp-6);
	__HD_STEP(__p, __z, -0x1.ba1ba1b80ab4p-5);
	__HD_STEP(__p, __z, 0x1.111111110fa4ap-3);
	__HD_STEP(__p, __z, -0x1.555555555555p-2);
	return __HD_FMA(__HD_FMA(__p, __z, 0.0), __x, __x);
}
__HD_NV double __hd_tanh_far(double __a)
{
	__HD_EXACT
	double __y = __a + __a;
	float __n = __builtin_rintf((float)__y * 0x1.715476p+0f);
	double __r = __HD_FMA(-(double)__n, 0x1.62e42fefa39efp-1, __y);
	double __p = __HD_FMA(0x1.ae904a4741b81p-26, __r, 0x1.28a27f89b6999p-22);
	__HD_STEP(__p, __r, 0x1.71de715ff7e07p-19);
	__HD_STEP(__p, __r, 0x1.a019a6b0ac45ap-16);
	__HD_STEP(__p, __r, 0x1.a01a017eed94fp-13);
	__HD_STEP(__p, __r, 0x1.6c16c17f2a71bp-10);
	__HD_STEP(__p, __r, 0x1.11111111173c4p-7);
	__HD_STEP(__p, __r, 0x1.555555555211ap-5);
	__HD_STEP(__p, __r, 0x1.555555555554p-3);
	__HD_STEP(__p, __r, 0x1.0000000000005p-1);
	__p = __HD_FMA(__r * __p, __r, __r);
	double __scale = __nvvm_ex2_approx_ftz_f(__n),
	       __d = 2.0 - __HD_FMA(-__p, __scale, 1.0 - __scale);
	double __i = __nvvm_rcp_approx_ftz_d(__d), __e = __HD_FMA(-__d, __i, 1.0);
	__i = __HD_FMA(__HD_FMA(__e, __e, __e), __i, __i);
	return __HD_FMA(2.0, -__i, 1.0);
}
__HD_NV double __hd_tanh(double __x)
{
	double __a = __builtin_fabs(__x);
	if (!(__a >= 0x1.4f92224dd2f1ap-1))
		return __hd_tanh_near(__x);
	return __nv_copysign(
		(unsigned int)__nv_double2hiint(__a) > 1077088193u ? 1.0 : __hd_tanh_far(__a), __x);
}

#undef __HD_FMA
#undef __HD_STEP
#undef __HD_EXACT
#undef __HD_TURNS_MOST
#undef __HD_BIG
#endif
