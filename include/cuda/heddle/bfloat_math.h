/* Functions of bfloat16, bits to bits: on the device through float with the approximate instructions, as CUDA has them. */
#ifndef HEDDLE_BFLOAT_MATH_H
#define HEDDLE_BFLOAT_MATH_H

namespace __hd_bf16
{
#define __HD_FLOAT(__n, __e)                                                                       \
	__HD_HD unsigned short __fn_##__n(unsigned short __a)                                      \
	{                                                                                          \
		float __x = __to(__a);                                                             \
		return __from((float)(__e));                                                       \
	}                                                                                          \
	__HD_HD unsigned int __fn_##__n##2(unsigned int __a)                                       \
	{                                                                                          \
		float __x = __to_lo(__a), __lo = (float)(__e);                                     \
		__x = __to_hi(__a);                                                                \
		return __from2(__lo, (float)(__e));                                                \
	}
__HD_FLOAT(trunc, __builtin_truncf(__x))
__HD_FLOAT(ceil, __builtin_ceilf(__x))
__HD_FLOAT(floor, __builtin_floorf(__x))
__HD_FLOAT(rint, __builtin_rintf(__x))
#if defined(__CUDA_ARCH__)
#define __HD_APPROX(__n, __op)                                                                     \
	__HD_HD float __n(float __a)                                                               \
	{                                                                                          \
		float __r;                                                                         \
		asm(__op ".approx.f32 %0, %1;" : "=f"(__r) : "f"(__a));                            \
		return __r;                                                                        \
	}
	__HD_APPROX(__sqrt_approx, "sqrt") __HD_APPROX(__rsqrt_approx, "rsqrt") __HD_APPROX(
		__rcp_approx, "rcp") __HD_APPROX(__ex2_approx, "ex2") __HD_APPROX(__lg2_approx,
										  "lg2")
#undef __HD_APPROX
		__HD_FLOAT(sqrt, __sqrt_approx(__x)) __HD_FLOAT(rsqrt, __rsqrt_approx(__x))
			__HD_FLOAT(rcp, __rcp_approx(__x)) __HD_FLOAT(exp2, __ex2_approx(__x))
				__HD_FLOAT(exp, __ex2_approx(__x * 0x1.715478p+0f))
					__HD_FLOAT(log2, __lg2_approx(__x)) __HD_FLOAT(
						log, __lg2_approx(__x) * 0x1.62e43p-1f)
						__HD_FLOAT(log10,
							   __lg2_approx(__x) * 0x1.344136p-2f)
							__HD_FLOAT(sin, ::sinf(__x))
								__HD_FLOAT(cos, ::cosf(__x)) __HD_HD
	unsigned short __fn_exp10(unsigned short __a)
{
	/* the one argument whose result the approximation rounds to the wrong side */
	return __a == 0xbc95 ? 0x3f75 : __from(__ex2_approx(__to(__a) * 0x1.a934fp+1f));
}
__HD_HD unsigned int __fn_exp102(unsigned int __a)
{
	__hd::__halves __x = __hd::__split(__a);
	return __hd::__pair(__fn_exp10(__x.__lo), __fn_exp10(__x.__hi));
}
#if __CUDA_ARCH__ >= 750
__HD_HD float __tanh_approx(float __a)
{
	float __r;
	asm("tanh.approx.f32 %0, %1;" : "=f"(__r) : "f"(__a));
	return __r;
}
__HD_FLOAT(tanh, __tanh_approx(__x))
#else
__HD_FLOAT(tanh, ::tanhf(__x))
#endif
#else
	__HD_FLOAT(sqrt, ::sqrtf(__x)) __HD_FLOAT(rcp, 1.0f / __x)
#if defined(__CUDA__)
		__HD_FLOAT(rsqrt, 1.0f / ::sqrtf(__x)) __HD_FLOAT(sin, ::sinf(__x))
			__HD_FLOAT(cos, ::cosf(__x)) __HD_FLOAT(exp, ::expf(__x))
				__HD_FLOAT(exp2, ::exp2f(__x)) __HD_FLOAT(exp10, ::pow(10.0, __x))
					__HD_FLOAT(log, ::logf(__x)) __HD_FLOAT(log2, ::log2f(__x))
						__HD_FLOAT(log10, ::log10f(__x))
							__HD_FLOAT(tanh, ::tanhf(__x))
#endif
#endif
#undef __HD_FLOAT
} // namespace __hd_bf16
#endif
