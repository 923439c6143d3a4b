/* Euclidean norms: scaled by a power of two so that no square overflows or vanishes. */
#ifndef HEDDLE_LIBM_NORM_H
#define HEDDLE_LIBM_NORM_H

__HD_NV float __hd_pow2_near(float __m)
{
	unsigned int __e = __nv_float_as_uint(__m) & 0x7f800000u;
	return __nv_uint_as_float(__e < 0x00800000u ? 0x00800000u : __e > 0x7e800000u ? 0x7e800000u :
		__e);
}
__HD_NV double __hd_pow2_near(double __m)
{
	unsigned long long __e = __nv_double_as_longlong(__m) & 0x7ff0000000000000ull;
	return __nv_longlong_as_double((long long)(__e < 0x0010000000000000ull ?
		0x0010000000000000ull : __e > 0x7fd0000000000000ull ? 0x7fd0000000000000ull : __e));
}
#define __HD_NORM(__t, __f, __fma, __sqrt, __isinf, __max, __abs) \
__HD_NV __t __nv_norm##__f(int __n, const __t *__v) \
{ \
	__t __m = 0; \
	for (int __i = 0; __i < __n; __i++) { \
		if (__isinf(__v[__i])) return __abs(__v[__i]); \
		__m = __max(__m, __abs(__v[__i])); \
	} \
	__t __s = __hd_pow2_near(__m), __r = (__t)1 / __s, __sum = 0; \
	for (int __i = 0; __i < __n; __i++) \
		__sum = __fma(__v[__i] * __r, __v[__i] * __r, __sum); \
	return __sqrt(__sum) * __s; \
} \
__HD_NV __t __nv_rnorm##__f(int __n, const __t *__v) { return (__t)1 / __nv_norm##__f(__n, __v); } \
__HD_NV __t __nv_norm3d##__f(__t __a, __t __b, __t __c) \
{ __t __v[3] = {__a, __b, __c}; return __nv_norm##__f(3, __v); } \
__HD_NV __t __nv_norm4d##__f(__t __a, __t __b, __t __c, __t __d) \
{ __t __v[4] = {__a, __b, __c, __d}; return __nv_norm##__f(4, __v); } \
__HD_NV __t __nv_rnorm3d##__f(__t __a, __t __b, __t __c) { return (__t)1 / __nv_norm3d##__f(__a, __b, __c); } \
__HD_NV __t __nv_rnorm4d##__f(__t __a, __t __b, __t __c, __t __d) \
{ return (__t)1 / __nv_norm4d##__f(__a, __b, __c, __d); }
__HD_NORM(float, f, __nvvm_fma_rn_f, __nvvm_sqrt_rn_f, __nv_isinff, __nv_fmaxf, __nv_fabsf)
__HD_NORM(double, , __nvvm_fma_rn_d, __nvvm_sqrt_rn_d, __nv_isinfd, __nv_fmax, __nv_fabs)
#undef __HD_NORM

#endif
