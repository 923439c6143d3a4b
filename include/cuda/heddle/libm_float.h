/*
 * Float functions of device math that programs use most: those of libm.h, in the number of instructions that nvcc
 * needs for them, and with its bits. Ranges are reduced by fused multiply-adds with a constant in two or three parts;
 * then follow a polynomial by Horner's rule or the approximate instruction with an argument that suits it.
 */
#ifndef HEDDLE_LIBM_FLOAT_H
#define HEDDLE_LIBM_FLOAT_H

#define __HD_FMA(__a, __b, __c) __builtin_fmaf(__a, __b, __c)
/* One step of Horner's rule. */
#define __HD_STEP(__p, __x, __c) __p = __builtin_fmaf(__p, __x, __c)
/* Sums of products are fused only where that is written explicitly. */
#define __HD_EXACT _Pragma("clang fp contract(off)")

/* The approximate reciprocal, as an intrinsic: unlike an asm statement, the compiler can move it
 * out of loops and share it. */
__HD_NV float __hd_rcp(float __a) { return __nvvm_div_approx_ftz_f(1.0f, __a); }
__HD_NV float __hd_ex2_ftz(float __a) { return __nvvm_ex2_approx_ftz_f(__a); }

/* ---- sine and cosine ---- */

/* A large x less the nearest multiple of pi/2, in *quarters how many modulo 4: x times the bits of 2/pi that matter, as
 * an integer (Payne and Hanek). */
__HD_NV float __hd_quarters_large(float __x, int *__quarters)
{
	unsigned int __u = __nv_float_as_uint(__x), __m = __u << 8 | 0x80000000u,
		     __sign = __u & 0x80000000u;
	unsigned int __e = (__u >> 23 & 255) - 128, __skip = __e >> 5;
	unsigned long long __s = (unsigned long long)0x3c439041u * __m;
	unsigned int __p2, __p3, __p4, __p5, __p6;
	__s = (unsigned long long)0xdb629599u * __m + (__s >> 32);
	__s = (unsigned long long)0xf534ddc0u * __m + (__s >> 32);
	__p2 = (unsigned int)__s;
	__s = (unsigned long long)0xfc2757d1u * __m + (__s >> 32);
	__p3 = (unsigned int)__s;
	__s = (unsigned long long)0x4e441529u * __m + (__s >> 32);
	__p4 = (unsigned int)__s;
	__s = (unsigned long long)0xa2f9836eu * __m + (__s >> 32);
	__p5 = (unsigned int)__s;
	__p6 = (unsigned int)(__s >> 32);
	unsigned int __hi = __skip == 0 ? __p6 : __skip == 1 ? __p5 : __skip == 2 ? __p4 : __p3;
	unsigned int __mid = __skip == 0 ? __p5 : __skip == 1 ? __p4 : __skip == 2 ? __p3 : __p2;
	unsigned int __lo = __skip == 0 ? __p4 : __skip == 1 ? __p3 : __p2;
	__hi = __builtin_rotateleft32(__hi & 0xffffffffu >> (__e & 31), __e & 31) |
	       (unsigned int)((unsigned long long)__mid << (__e & 31) >> 32);
	__mid = __mid << (__e & 31) | (unsigned int)((unsigned long long)__lo << (__e & 31) >> 32);
	unsigned long long __f = ((unsigned long long)__hi << 32 | __mid) << 2;
	unsigned int __up = (unsigned int)(__f >> 63);
	int __q = (int)((__hi >> 30) + __up);
	*__quarters = __sign ? -__q : __q;
	if (__up) {
		__f = ~__f;
		__sign ^= 0x80000000u;
	}
	float __r = (float)((double)(long long)__f * 0x1.921fb54442d19p-64);
	return __sign ? -__r : __r;
}

/* x less the nearest multiple of pi/2, in *quarters how many. */
__HD_NV float __hd_quarters(float __x, int *__quarters)
{
	__HD_EXACT
	int __q = __nvvm_f2i_rn(__x * 0x1.45f306p-1f);
	float __n = (float)__q;
	float __r = __HD_FMA(__n, -0x1.84698ap-48f,
			     __HD_FMA(__n, -0x1.4442dp-24f, __HD_FMA(__n, -0x1.921fb4p+0f, __x)));
	if (__builtin_fabsf(__x) >= 105615.0f) {
		if (__nv_isinff(__x)) {
			__r = __x * 0.0f;
			__q = 0;
		} else {
			__r = __hd_quarters_large(__x, &__q);
		}
	}
	*__quarters = __q;
	return __r;
}
/* The sine of r + quarters * pi/2 for an r of at most pi/4: sine's polynomial or cosine's. */
__HD_NV float __hd_sine(float __r, int __quarters)
{
	__HD_EXACT
	bool __cosine = __quarters & 1;
	float __z = __r * __r, __a = __cosine ? 1.0f : __r;
	float __p = __cosine ? __HD_FMA(0x1.9758p-16f, __z, -0x1.6c0fdap-10f) : -0x1.9a82a6p-13f;
	__HD_STEP(__p, __z, __cosine ? 0x1.555576p-5f : 0x1.110bc8p-7f);
	__HD_STEP(__p, __z, __cosine ? -0x1.fffffep-2f : -0x1.55555p-3f);
	__p = __HD_FMA(__p, __HD_FMA(__z, __a, 0.0f), __a);
	return __quarters & 2 ? 0.0f - __p : __p;
}
__HD_NV float __hd_sinf(float __x)
{
	int __q;
	float __r = __hd_quarters(__x, &__q);
	return __hd_sine(__r, __q);
}
__HD_NV float __hd_cosf(float __x)
{
	int __q;
	float __r = __hd_quarters(__x, &__q);
	return __hd_sine(__r, __q + 1);
}
__HD_NV void __hd_sincosf(float __x, float *__sin, float *__cos)
{
	__HD_EXACT
	int __q;
	float __r = __hd_quarters(__x, &__q), __z = __r * __r;
	float __c = __HD_FMA(0x1.9758p-16f, __z, -0x1.6c0fdap-10f), __s = -0x1.9a82a6p-13f;
	__HD_STEP(__c, __z, 0x1.555576p-5f);
	__HD_STEP(__c, __z, -0x1.fffffep-2f);
	__HD_STEP(__c, __z, 1.0f);
	__HD_STEP(__s, __z, 0x1.110bc8p-7f);
	__HD_STEP(__s, __z, -0x1.55555p-3f);
	__s = __HD_FMA(__s, __HD_FMA(__z, __r, 0.0f), __r);
	float __a = __q & 1 ? __c : __s, __b = __q & 1 ? __s : __c;
	*__sin = __q & 2 ? -__a : __a;
	*__cos = (__q + 1) & 2 ? -__b : __b;
}
__HD_NV float __hd_tanf(float __x)
{
	__HD_EXACT
	int __q;
	float __r = __hd_quarters(__x, &__q), __z = __r * __r;
	float __p = __HD_FMA(0x1.32p-7f, __z, 0x1.acp-9f);
	__HD_STEP(__p, __z, 0x1.8ep-6f);
	__HD_STEP(__p, __z, 0x1.b6p-5f);
	__HD_STEP(__p, __z, 0x1.11287p-3f);
	__HD_STEP(__p, __z, 0x1.55551p-2f);
	__p = __HD_FMA(__p, __z * __r, __r);
	__p = __builtin_fabsf(__r) == 0x1.016878p-11f
		      ? __r
		      : __p; /* the only argument that would round to the wrong side */
	return __q & 1 ? __hd_rcp(-__p) : __p;
}

/* ---- exponentials ---- */

/* 2 to the power of x * scale; scale is high + low. The exponent is split into an integer n and a fraction f: the
 * instruction computes 2^f, and 2^n is made from bits. Saturating x * scale / 252 + 1/2 to [0, 1] limits n. */
__HD_NV float __hd_exp_scaled(float __x, float __part, float __high, float __low)
{
	__HD_EXACT
	float __t = __HD_FZ(__nvvm_saturate_, f)(__HD_FMA(__x, __part, 0.5f));
	__t = __HD_FZ(__nvvm_fma_rm_, f)(__t, 252.0f, 12582913.0f);
	float __n = __t - 12583039.0f;
	float __f = __HD_FMA(__x, __low, __HD_FMA(__x, __high, -__n));
	return __hd_ex2_ftz(__f) * __nv_uint_as_float(__nv_float_as_uint(__t) << 23);
}
__HD_NV float __hd_expf(float __x)
{
	return __hd_exp_scaled(__x, 0x1.77313ap-8f, 0x1.715476p+0f, 0x1.4ae0cp-26f);
}
__HD_NV float __hd_exp10f(float __x)
{
	return __hd_exp_scaled(__x, 0x1.aff4c4p-7f, 0x1.a934fp+1f, 0x1.2f346ep-24f);
}

/* A quarter of e^x for x >= 0; infinite only if sinh and cosh are. */
__HD_NV float __hd_quarter_exp(float __x)
{
	__HD_EXACT
	float __n = __builtin_truncf(__x * 0x1.715476p+0f);
	__n = __builtin_fabsf(__n) > 126.0f ? __nv_copysignf(126.0f, __n) : __n;
	float __f = __HD_FMA(__n, 0x1.05c61p-29f, __HD_FMA(__n, -0x1.62e43p-1f, __x));
	return __hd_ex2_ftz(__f * 0x1.715476p+0f) *
	       __nv_uint_as_float(__nv_float_as_uint(__n + 12583037.0f) << 23);
}
__HD_NV float __hd_coshf(float __x)
{
	float __e = __hd_quarter_exp(__builtin_fabsf(__x));
	return __HD_FMA(2.0f, __e, __nvvm_div_approx_ftz_f(0.125f, __e));
}
__HD_NV float __hd_sinhf(float __x)
{
	__HD_EXACT
	float __e = __hd_quarter_exp(__builtin_fabsf(__x)), __z = __x * __x;
	float __far = __HD_FMA(2.0f, __e, __nvvm_div_approx_ftz_f(-0.125f, __e));
	float __p = __HD_FMA(0x1.7a15b4p-19f, __z, 0x1.9ffe92p-13f);
	__HD_STEP(__p, __z, 0x1.111134p-7f);
	__HD_STEP(__p, __z, 0x1.555556p-3f);
	float __near = __HD_FMA(__z * __p, __x, __x);
	return __builtin_fabsf(__x) >= 1.0f ? __nv_copysignf(__far, __x) : __near;
}
/* 1 - 2 / (e^2x + 1), near 0 a polynomial. */
__HD_NV float __hd_tanhf(float __x)
{
	__HD_EXACT
	float __a = __builtin_fabsf(__x), __z = __x * __x;
	float __far = __HD_FMA(__hd_rcp(__hd_ex2_ftz(__a * 0x1.715476p+1f) + 1.0f), -2.0f, 1.0f);
	__far = __nv_copysignf(__a >= 0x1.205968p+3f ? 1.0f : __far, __x);
	float __p = __HD_FMA(0x1.01e104p-6f, __z, -0x1.ac795cp-5f);
	__HD_STEP(__p, __z, 0x1.10b282p-3f);
	__HD_STEP(__p, __z, -0x1.5553dap-2f);
	float __near = __HD_FMA(__HD_FMA(__p, __z, 0.0f), __x, __x);
	return __a >= 0x1.333334p-1f ? __far : __near;
}

/* ---- logarithms ---- */

/* x = 2^e * m. Returns m, which lies between `least` (given as bits) and twice that; *x becomes a
 * normal number if it was denormal. */
__HD_NV float __hd_mantissa(float *__x, unsigned int __least, float *__e)
{
	__HD_EXACT
	bool __small = *__x < 0x1p-126f;
	float __s = __small ? *__x * 0x1p23f : *__x;
	unsigned int __u = __nv_float_as_uint(__s), __k = (__u - __least) & 0xff800000u;
	*__x = __s;
	*__e = __HD_FMA((float)(int)__k, 0x1p-23f, __small ? -23.0f : 0.0f);
	return __nv_uint_as_float(__u - __k);
}
/* The logarithm of arguments that are not positive and finite; r: the result for all other
 * arguments. */
__HD_NV float __hd_log_edges(float __x, float __r, float __scale)
{
	__HD_EXACT
	if (__nv_float_as_uint(__x) >= 0x7f800000u)
		__r = __HD_FMA(__x, __builtin_inff(), __builtin_inff());
	__r = __scale == 1.0f ? __r : __r * __scale;
	return __x == 0.0f ? -__builtin_inff() : __r;
}
__HD_NV float __hd_ln(float __x, float __scale)
{
	__HD_EXACT
	float __e, __m = __hd_mantissa(&__x, 0x3f2aaaab, &__e) - 1.0f;
	float __p = __HD_FMA(-0x1.0aa04ep-3f, __m, 0x1.2073ecp-3f);
	__HD_STEP(__p, __m, -0x1.f19b98p-4f);
	__HD_STEP(__p, __m, 0x1.1e52aap-3f);
	__HD_STEP(__p, __m, -0x1.55b172p-3f);
	__HD_STEP(__p, __m, 0x1.99da16p-3f);
	__HD_STEP(__p, __m, -0x1.fffe44p-3f);
	__HD_STEP(__p, __m, 0x1.5554fp-2f);
	__HD_STEP(__p, __m, -0.5f);
	__p = __HD_FMA(__m * __p, __m, __m);
	return __hd_log_edges(__x, __HD_FMA(__e, 0x1.62e43p-1f, __p), __scale);
}
__HD_NV float __hd_logf(float __x) { return __hd_ln(__x, 1.0f); }
__HD_NV float __hd_log10f(float __x) { return __hd_ln(__x, 0x1.bcb7b2p-2f); }
__HD_NV float __hd_log2f(float __x)
{
	__HD_EXACT
	float __e, __m = __hd_mantissa(&__x, 0x3f3504f3, &__e) - 1.0f;
	float __p = __HD_FMA(0x1.8d64fep-4f, __m, -0x1.58fe6p-3f);
	__HD_STEP(__p, __m, 0x1.5f9e54p-3f);
	__HD_STEP(__p, __m, -0x1.6e9c86p-3f);
	__HD_STEP(__p, __m, 0x1.a417e8p-3f);
	__HD_STEP(__p, __m, -0x1.ec7916p-3f);
	__HD_STEP(__p, __m, 0x1.277f32p-2f);
	__HD_STEP(__p, __m, -0x1.715492p-2f);
	__HD_STEP(__p, __m, 0x1.ec7094p-2f);
	__HD_STEP(__p, __m, -0x1.715476p-1f);
	__p = __HD_FMA(__m, 0x1.715476p+0f, __m * (__m * __p));
	return __hd_log_edges(__x, __e + __p, 1.0f);
}

/* ---- powers ---- */

/* |a|^b for finite a and b: the logarithm of a to base 2 in two floats, times b, and 2 to that. */
__HD_NV float __hd_pow_finite(float __a, float __b)
{
	__HD_EXACT
	bool __small = __a < 0x1p-126f;
	unsigned int __u = __nv_float_as_uint(__small ? __a * 0x1p24f : __a),
		     __k = (__u - 0x3f3504f3u) & 0xff800000u;
	float __e = __HD_FMA((float)(int)__k, 0x1p-23f, __small ? -24.0f : 0.0f);
	float __m = __nv_uint_as_float(__u - __k), __d = __m - 1.0f, __i = __hd_rcp(__m + 1.0f);
	/* log(m) = 2 atanh(d / (m + 1)); q is twice the quotient, l its rounding error */
	float __q = (__d + __d) * __i, __z = __q * __q, __t = __d - __q;
	float __l = __i * __HD_FMA(-__q, __d, __t + __t);
	float __p = __HD_FMA(0x1.5865c8p-11f, __z, 0x1.a5cfb6p-9f);
	__HD_STEP(__p, __z, 0x1.2776e6p-6f);
	__HD_STEP(__p, __z, 0x1.ec709ep-4f);
	__p = __p * __z;
	float __h = __HD_FMA(__q, 0x1.715476p+0f, __e);
	float __r = __HD_FMA(__l, 0x1.715476p+0f, __HD_FMA(__q, 0x1.715476p+0f, __e - __h));
	__r = __HD_FMA(__p, __q, __HD_FMA(__p * 3.0f, __l, __HD_FMA(__q, 0x1.4abc68p-26f, __r)));
	float __high = __h + __r, __low = __r - (__high - __h);
	float __y = __high * __b, __y_low = __HD_FMA(__low, __b, __HD_FMA(__high, __b, -__y));
	float __n = __builtin_rintf(__y), __f = __y_low + (__y - __n);
	float __g = __HD_FMA(0x1.3f971cp-13f, __f, 0x1.5f0bdap-10f);
	__HD_STEP(__g, __f, 0x1.3b30acp-7f);
	__HD_STEP(__g, __f, 0x1.c6af76p-5f);
	__HD_STEP(__g, __f, 0x1.ebfbd8p-3f);
	__HD_STEP(__g, __f, 0x1.62e43p-1f);
	__HD_STEP(__g, __f, 1.0f);
	/* 2^n in two factors, so that results may be denormal */
	unsigned int __shift = __n > 0.0f ? 0 : 0x83000000u;
	float __w = __g * __nv_uint_as_float(__shift + 0x7f000000u);
	__w = __w * __nv_uint_as_float(((unsigned int)__nvvm_f2i_rz(__n) << 23) - __shift);
	return __builtin_fabsf(__y) > 152.0f ? (__y < 0.0f ? 0.0f : __builtin_inff()) : __w;
}
__HD_NV float __hd_powf(float __a, float __b)
{
	__HD_EXACT
	float __half = __builtin_truncf(__b * 0.5f);
	bool __odd = __builtin_fabsf(__b - (__half + __half)) == 1.0f;
	float __size = __builtin_fabsf(__a), __r = __hd_pow_finite(__size, __b);
	if (__a == 1.0f || __b == 0.0f)
		return 1.0f;
	if (__nv_isnanf(__a) || __nv_isnanf(__b))
		return __a + __b;
	if (__a == 0.0f || __size == __builtin_inff()) {
		unsigned int __u = __nv_float_as_uint(__a + __a);
		__u = __b < 0.0f ? __u ^ 0x7f800000u : __u;
		return __nv_uint_as_float(__odd ? __u : __u & 0x7fffffffu);
	}
	if (__a == -1.0f && __nv_isinff(__b))
		return 1.0f;
	if (__a >= 0.0f)
		return __r;
	return __builtin_floorf(__b) != __b ? __nv_uint_as_float(0x7fffffffu) : __odd ? -__r : __r;
}
/* a^(-2/3) by the instructions; times a, that is a^(1/3), for one step of Newton's method. */
__HD_NV float __hd_cbrtf(float __x)
{
	__HD_EXACT
	float __a = __builtin_fabsf(__x),
	      __i = __hd_ex2_ftz(__nvvm_lg2_approx_f(__a) * -0x1.555556p-1f);
	float __r = __a * __i, __d = __i * __r;
	__r = __HD_FMA(__r, __HD_FMA(__r, -__d, 1.0f) * 0x1.555556p-2f, __r);
	float __twice = __x + __x; /* x itself for 0 and infinity */
	return __twice == __x ? __twice : __x < 0.0f ? -__r : __r;
}
/* a^(-1/3) by the instructions, then one step. */
__HD_NV float __hd_rcbrtf(float __x)
{
	__HD_EXACT
	float __a = __builtin_fabsf(__x),
	      __i = __hd_ex2_ftz(__nvvm_lg2_approx_f(__a) * -0x1.555556p-2f);
	__i = __HD_FMA(__i, __HD_FMA(-(__a * __i), __i * __i, 1.0f) * 0x1.555556p-2f, __i);
	__i = __a == 0.0f ? __builtin_inff() : __a == __builtin_inff() ? 0.0f : __i;
	return __nv_copysignf(__i, __x);
}

/* ---- others ---- */

__HD_NV float __hd_atanf(float __x)
{
	__HD_EXACT
	float __a = __builtin_fabsf(__x), __t = __a > 1.0f ? __hd_rcp(__a) : __a, __z = __t * __t;
	float __p = __HD_FMA(0x1.412154p-9f, __z, -0x1.d7c29ep-7f);
	__HD_STEP(__p, __z, 0x1.4672fcp-5f);
	__HD_STEP(__p, __z, -0x1.2914f4p-4f);
	__HD_STEP(__p, __z, 0x1.aed642p-4f);
	__HD_STEP(__p, __z, -0x1.223d1p-3f);
	__HD_STEP(__p, __z, 0x1.995ecp-3f);
	__HD_STEP(__p, __z, -0x1.55544ep-2f);
	__p = __HD_FMA(__z * __p, __t, __t);
	__p = __a > 1.0f ? __HD_FMA(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, -__p) : __p;
	return __nv_isnanf(__x) ? __p : __nv_copysignf(__p, __x);
}
/* Near 0 a polynomial in x^2; beyond, 1 - 2^q with a polynomial q in x. */
__HD_NV float __hd_erff(float __x)
{
	__HD_EXACT
	float __a = __builtin_fabsf(__x);
	bool __far = __a >= 0x1.00c1fcp+0f;
	float __z = __far ? __a : __x * __x;
	float __p = __HD_FMA(__far ? 0x1.d69874p-14f : 0x1.63d2d4p-14f, __z,
			     __far ? -0x1.5c00b6p-10f : -0x1.ae9a4p-11f);
	__HD_STEP(__p, __z, __far ? 0x1.13233ep-7f : 0x1.55abd4p-8f);
	__HD_STEP(__p, __z, __far ? -0x1.49b334p-5f : -0x1.b837cep-6f);
	__HD_STEP(__p, __z, __far ? 0x1.46aa32p-3f : 0x1.ce315ep-4f);
	__HD_STEP(__p, __z, __far ? 0x1.d369f2p-1f : -0x1.812758p-2f);
	__HD_STEP(__p, __z, __far ? 0x1.421428p-1f : 0x1.06eba6p-3f);
	float __s = __far ? -__a : __x;
	__p = __HD_FMA(__p, __s, __s);
	return __far ? __nv_copysignf(1.0f - __hd_ex2_ftz(__p), __x) : __p;
}

#undef __HD_FMA
#undef __HD_STEP
#undef __HD_EXACT
#endif
