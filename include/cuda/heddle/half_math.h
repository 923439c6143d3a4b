/* Functions of half, bits to bits: on the device through float with the approximate instructions,
 * as CUDA has them. Rounding the approximation gives the nearest half, except for a few arguments,
 * which __nudge() corrects. */
#ifndef HEDDLE_HALF_MATH_H
#define HEDDLE_HALF_MATH_H

namespace __hd_f16
{
#if defined(__CUDA_ARCH__)
#define __HD_ROUND(__n, __q)                                                                       \
	__HD_HD unsigned short __fn_##__n(unsigned short __a)                                      \
	{                                                                                          \
		unsigned short __r;                                                                \
		asm("cvt." __q ".f16.f16 %0, %1;" : "=h"(__r) : "h"(__a));                         \
		return __r;                                                                        \
	}
__HD_ROUND(trunc, "rzi")
__HD_ROUND(ceil, "rpi")
__HD_ROUND(floor, "rmi")
__HD_ROUND(rint, "rni")
#undef __HD_ROUND
#define __HD_APPROX(__n, __op)                                                                     \
	__HD_HD float __n(float __a)                                                               \
	{                                                                                          \
		float __r;                                                                         \
		asm(__op ".approx.ftz.f32 %0, %1;" : "=f"(__r) : "f"(__a));                        \
		return __r;                                                                        \
	}
	__HD_APPROX(__sqrt_approx, "sqrt") __HD_APPROX(__rsqrt_approx, "rsqrt")
		__HD_APPROX(__rcp_approx, "rcp") __HD_APPROX(__ex2_approx, "ex2")
			__HD_APPROX(__lg2_approx, "lg2")
#undef __HD_APPROX
				__HD_HD unsigned short __fn_sqrt(unsigned short __a)
{
	return __from(__sqrt_approx(__to(__a)));
}
__HD_HD unsigned short __fn_rsqrt(unsigned short __a) { return __from(__rsqrt_approx(__to(__a))); }
__HD_HD unsigned short __fn_rcp(unsigned short __a) { return __from(__rcp_approx(__to(__a))); }

/* The result moved by `by` if x is `at`. */
__HD_HD unsigned short __nudge(unsigned short __r, unsigned short __x, unsigned short __at,
			       unsigned short __by)
{
#if __CUDA_ARCH__ >= 530
	unsigned short __o;
	asm("{.reg .b16 p;\nset.eq.f16.f16 p, %2, %3;\nfma.rn.f16 %0, p, %4, %1;}"
	    : "=h"(__o)
	    : "h"(__r), "h"(__x), "h"(__at), "h"(__by));
	return __o;
#else
	return __x == __at ? __add(__r, __by) : __r;
#endif
}
__HD_HD unsigned short __fn_exp2(unsigned short __a)
{
	float __e = __ex2_approx(__to(__a));
	return __from(__builtin_fmaf(__e, 0x1p-24f, __e));
}
__HD_HD unsigned short __fn_exp(unsigned short __a)
{
	unsigned short __r = __from(__ex2_approx(__builtin_fmaf(__to(__a), 0x1.715476p+0f, -0.0f)));
	__r = __nudge(__r, __a, 0x1f79, 0x9400);
	__r = __nudge(__r, __a, 0x25cf, 0x9400);
	__r = __nudge(__r, __a, 0xc13b, 0x0400);
	return __nudge(__r, __a, 0xc1ef, 0x0200);
}
__HD_HD unsigned short __fn_exp10(unsigned short __a)
{
	unsigned short __r = __from(__ex2_approx(__builtin_fmaf(__to(__a), 0x1.a934fp+1f, -0.0f)));
	__r = __nudge(__r, __a, 0x34de, 0x9800);
	__r = __nudge(__r, __a, 0x9766, 0x9000);
	__r = __nudge(__r, __a, 0x9972, 0x1000);
	__r = __nudge(__r, __a, 0xa5c4, 0x1000);
	return __nudge(__r, __a, 0xbf0a, 0x8100);
}
__HD_HD unsigned short __fn_log2(unsigned short __a)
{
	unsigned short __r = __from(__lg2_approx(__to(__a)));
	__r = __nudge(__r, __r, 0xa2e2, 0x8080);
	return __nudge(__r, __r, 0xbf46, 0x9400);
}
__HD_HD unsigned short __fn_log(unsigned short __a)
{
	unsigned short __r = __from(__lg2_approx(__to(__a)) * 0x1.62e43p-1f);
	__r = __nudge(__r, __a, 0x160d, 0x9c00);
	__r = __nudge(__r, __a, 0x3bfe, 0x8010);
	__r = __nudge(__r, __a, 0x3c0b, 0x8080);
	return __nudge(__r, __a, 0x6051, 0x1c00);
}
__HD_HD unsigned short __fn_log10(unsigned short __a)
{
	unsigned short __r = __from(__lg2_approx(__to(__a)) * 0x1.344136p-2f);
	__r = __nudge(__r, __a, 0x338f, 0x1000);
	__r = __nudge(__r, __a, 0x33f8, 0x9000);
	__r = __nudge(__r, __a, 0x57e1, 0x9800);
	return __nudge(__r, __a, 0x719d, 0x9c00);
}

/* The sine of x + quarter turns: x less a multiple of pi/2 in two steps, then sine's or cosine's polynomial. */
__HD_HD float __sine(float __x, unsigned int __quarters)
{
	const float __big = 0x1.8p+23f; /* a sum with it is an integer in its low bits */
	float __k = __builtin_fmaf(__x, 0x1.45f306p-1f, __big);
	unsigned int __q = __builtin_bit_cast(unsigned int, __k) + __quarters;
	float __m = __nvvm_add_rn_f(__k, -__big);
	float __y = __builtin_fmaf(__m, -0x1.4442dp-24f, __builtin_fmaf(__m, -0x1.921fb4p+0f, __x));
	float __z = __y * __y;
	bool __cosine = __q & 1;
	float __r = __builtin_fmaf(__cosine ? 0x1.99eb9cp-16f : -0x1.9943f2p-13f, __z,
				   __cosine ? -0x1.6c0c34p-10f : 0x1.11073cp-7f);
	__r = __builtin_fmaf(__r, __z, __cosine ? 0x1.55554ap-5f : -0x1.555546p-3f);
	__r = __builtin_fmaf(__r, __z, __cosine ? -0.5f : 0.0f);
	__r = __builtin_fmaf(__r, __cosine ? __z : __y, __cosine ? 1.0f : __y);
	return __q & 2 ? -__r : __r;
}
__HD_HD unsigned short __fn_sin(unsigned short __a)
{
	unsigned short __r = __from(__sine(__to(__a), 0)), __sign = __r & 0x8000, __x = __abs(__a);
	__r = __nudge(__abs(__r), __x, 0x32b3, 0x0800);
	return __nudge(__r, __x, 0x5cb0, 0x9000) | __sign;
}
__HD_HD unsigned short __fn_cos(unsigned short __a)
{
	return __nudge(__from(__sine(__to(__a), 1)), __abs(__a), 0x2b7c, 0x1000);
}
__HD_HD unsigned short __fn_tanh(unsigned short __a)
{
	float __x = __to(__a), __p = __builtin_fabsf(__x), __z = __x * __x;
	float __far = __builtin_fmaf(__rcp_approx(__ex2_approx(__p * 0x1.715476p+1f) + 1.0f), -2.0f,
				     1.0f);
	__far = __builtin_copysignf(__p >= 0x1.205968p+3f ? 1.0f : __far, __x);
	float __near = __builtin_fmaf(0x1.01e104p-6f, __z, -0x1.ac795cp-5f);
	__near = __builtin_fmaf(__near, __z, 0x1.10b282p-3f);
	__near = __builtin_fmaf(__near, __z, -0x1.5553dap-2f);
	__near = __builtin_fmaf(__builtin_fmaf(__near, __z, 0.0f), __x, __x);
	return __from(__p >= 0.6f ? __far : __near);
}
#else
#define __HD_HOST(__n, __e)                                                                        \
	__HD_HD unsigned short __fn_##__n(unsigned short __a)                                      \
	{                                                                                          \
		float __x = __to(__a);                                                             \
		return __from((float)(__e));                                                       \
	}
__HD_HOST(trunc, __builtin_truncf(__x))
__HD_HOST(ceil, __builtin_ceilf(__x))
__HD_HOST(floor, __builtin_floorf(__x))
__HD_HOST(rint, __builtin_rintf(__x)) __HD_HOST(sqrt, ::sqrtf(__x)) __HD_HOST(rcp, 1.0f / __x)
#if defined(__CUDA__)
	__HD_HOST(rsqrt, 1.0f / ::sqrtf(__x)) __HD_HOST(sin, ::sinf(__x)) __HD_HOST(
		cos, ::cosf(__x)) __HD_HOST(exp, ::expf(__x)) __HD_HOST(exp2, ::exp2f(__x))
		__HD_HOST(exp10, ::pow(10.0, __x)) __HD_HOST(log, ::logf(__x)) __HD_HOST(
			log2, ::log2f(__x)) __HD_HOST(log10, ::log10f(__x)) __HD_HOST(tanh,
										      ::tanhf(__x))
#endif
#undef __HD_HOST
#endif

#define __HD_BOTH(__n)                                                                             \
	__HD_HD unsigned int __fn_##__n##2(unsigned int __a)                                       \
	{                                                                                          \
		__hd::__halves __x = __hd::__split(__a);                                           \
		return __hd::__pair(__fn_##__n(__x.__lo), __fn_##__n(__x.__hi));                   \
	}
__HD_BOTH(trunc)
__HD_BOTH(ceil)
__HD_BOTH(floor)
__HD_BOTH(rint) __HD_BOTH(sqrt) __HD_BOTH(rcp)
#if defined(__CUDA__)
	__HD_BOTH(rsqrt) __HD_BOTH(sin) __HD_BOTH(cos) __HD_BOTH(exp) __HD_BOTH(exp2)
		__HD_BOTH(exp10) __HD_BOTH(log) __HD_BOTH(log2) __HD_BOTH(log10) __HD_BOTH(tanh)
#endif
#undef __HD_BOTH
} // namespace __hd_f16
#endif
