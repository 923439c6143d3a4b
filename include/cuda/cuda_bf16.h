/* bfloat16: conversions and arithmetic on device and host. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#if defined(__cplusplus)
#include <math.h>
#include "cuda_fp16.h"
#include "heddle/half_convert.h"

namespace __hd_bf16
{
enum { __inf = 0x7f80, __one = 0x3f80 };

__HD_HD unsigned short __soft(float __f, int __dir)
{
	unsigned int __u = __builtin_bit_cast(unsigned int, __f);
	if ((__u & 0x7fffffff) > 0x7f800000)
		return 0x7fff;
	if ((__u & 0x7fffffff) == 0x7f800000)
		return (unsigned short)(__u >> 16);
	if (__dir == 0)
		__u += 0x7fff + (__u >> 16 & 1);
	else if (__dir == 1 ? !(__u >> 31) : __dir == -1 ? __u >> 31 != 0 : false)
		__u += 0xffff;
	return (unsigned short)(__u >> 16);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__HD_HD unsigned short __from(float __f)
{
	unsigned short __r;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(__r) : "f"(__f));
	return __r;
}
#else
__HD_HD unsigned short __from(float __f) { return __soft(__f, 0); }
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__HD_HD unsigned short __from_rz(float __f)
{
	unsigned short __r;
	asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(__r) : "f"(__f));
	return __r;
}
#else
__HD_HD unsigned short __from_rz(float __f) { return __soft(__f, 2); }
#endif
__HD_HD unsigned short __from_rd(float __f) { return __soft(__f, -1); }
__HD_HD unsigned short __from_ru(float __f) { return __soft(__f, 1); }
__HD_HD float __to(unsigned short __h)
{
#if defined(__CUDA_ARCH__)
	float __r;
	asm("mov.b32 %0, {0, %1};" : "=f"(__r) : "h"(__h));
	return __r;
#else
	return __builtin_bit_cast(float, (unsigned int)__h << 16);
#endif
}
__HD_HD float __to_lo(unsigned int __v) { return __builtin_bit_cast(float, __v << 16); }
__HD_HD float __to_hi(unsigned int __v) { return __builtin_bit_cast(float, __v & 0xffff0000u); }
__HD_HD unsigned short __from_double(double __d)
{
	float __f = (float)__d;
	unsigned int __u = __builtin_bit_cast(unsigned int, __f);
	if (__f == __f && (double)__f != __d && (__u & 0x7fffffff) != 0x7f800000) {
		bool __away = (__f < 0 ? -(double)__f : (double)__f) > (__d < 0 ? -__d : __d);
		if (__away)
			__u -= 1;
		__u |= 1;
	}
	return __from(__builtin_bit_cast(float, __u));
}
__HD_HD unsigned int __from2(float __lo, float __hi)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned int __r;
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(__r) : "f"(__hi), "f"(__lo));
	return __r;
#else
	return __hd::__pair(__from(__lo), __from(__hi));
#endif
}

/* Integers, through float. A float rounded to odd, when rounded again, gives the correctly rounded
 * integer. */
template <class __I> __HD_HD unsigned short __from_wide(__I __v)
{
	float __z = __hd::__int2f_rz(__v);
	unsigned int __u = __builtin_bit_cast(unsigned int, __z);
	return __from(__builtin_bit_cast(float, (__I)__z != __v ? __u | 1 : __u));
}
#if defined(__CUDA_ARCH__)
#define __HD_CVT_INT(__t, __n, __p, __k, __m, __q)                                                 \
	__HD_HD __t __to_##__n##_##__m(unsigned short __a)                                         \
	{                                                                                          \
		__t __r;                                                                           \
		asm("cvt." __q "i." __p ".f32 %0, %1;" : "=" __k(__r) : "f"(__to(__a)));           \
		return __r;                                                                        \
	}
#define __HD_CVT_INTS(__t, __n, __p, __k)                                                          \
	__HD_CVT_INT(__t, __n, __p, __k, rn, "rn")                                                 \
	__HD_CVT_INT(__t, __n, __p, __k, rz, "rz")                                                 \
	__HD_CVT_INT(__t, __n, __p, __k, rd, "rm") __HD_CVT_INT(__t, __n, __p, __k, ru, "rp")
__HD_CVT_INTS(int, int, "s32", "r")
__HD_CVT_INTS(unsigned int, uint, "u32", "r")
__HD_CVT_INTS(short, short, "s16", "h")
__HD_CVT_INTS(unsigned short, ushort, "u16", "h") __HD_CVT_INTS(long long, ll, "s64", "l")
	__HD_CVT_INTS(unsigned long long, ull, "u64", "l")
#undef __HD_CVT_INT
#undef __HD_CVT_INTS
#else
__HD_CONVERT_TO
#endif
		__HD_CONVERT_FROM

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	__HD_OPCODE3(__fma, "fma.rn", "bf16")
#if __CUDA_ARCH__ >= 900
		__HD_OPCODE2(__add, "add", "bf16") __HD_OPCODE2(__sub, "sub", "bf16")
			__HD_OPCODE2(__mul, "mul", "bf16")
#else
	/* a*1+b, b*-1+a, a*b-0 */
	__HD_HD unsigned short __add(unsigned short __a, unsigned short __b)
{
	return __fma(__a, 0x3f80, __b);
}
__HD_HD unsigned short __sub(unsigned short __a, unsigned short __b)
{
	return __fma(__b, 0xbf80, __a);
}
__HD_HD unsigned short __mul(unsigned short __a, unsigned short __b)
{
	return __fma(__a, __b, 0x8000);
}
__HD_HD unsigned int __add2(unsigned int __a, unsigned int __b)
{
	return __fma2(__a, 0x3f803f80u, __b);
}
__HD_HD unsigned int __sub2(unsigned int __a, unsigned int __b)
{
	return __fma2(__b, 0xbf80bf80u, __a);
}
__HD_HD unsigned int __mul2(unsigned int __a, unsigned int __b)
{
	return __fma2(__a, __b, 0x80008000u);
}
#endif
#else
#define __HD_NO_OPCODES
#endif
#include "heddle/half_plain.h"
} // namespace __hd_bf16

#define __HD_S    __hd_bf16
#define __HD_TYPE "bf16"
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define __HD_HAS_SIGN
#define __HD_HAS_MINMAX
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define __HD_HAS_SET
#endif
#include "heddle/half_ops.h"
#include "heddle/bfloat_math.h"

#define __HD_T     __nv_bfloat16
#define __HD_T2    __nv_bfloat162
#define __HD_RAW   __nv_bfloat16_raw
#define __HD_RAW2  __nv_bfloat162_raw
#define __HD_N     bfloat16
#define __HD_N2    bfloat162
#define __HD_OTHER __half
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define __HD_YIELDS
#endif
#include "heddle/half_impl.h"
#undef __HD_YIELDS

__HD_C __nv_bfloat16::__nv_bfloat16(const __half __v) : __x(__hd_bf16::__from((float)__v)) {}
__HD_C __half::__half(const __nv_bfloat16 __v) : __x(__hd_f16::__from((float)__v)) {}

#if defined(__CUDA__)
/* Hardware has these from sm_90 on; for older GPUs CUDA uses a compare-and-swap loop. For GPUs
 * before sm_80, programs may define these functions themselves: as templates, ours yield to
 * those. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define __HD_DY template <int = 0> __HD_D
#else
#define __HD_DY __HD_D
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__HD_DY __nv_bfloat16 atomicAdd(__nv_bfloat16 *__p, __nv_bfloat16 __v)
{
	unsigned short __old = *(volatile unsigned short *)__p, __seen;
	do {
		__seen = __old;
		__old = atomicCAS((unsigned short *)__p, __seen, __hd_bf16::__add(__seen, __v.__x));
	} while (__old != __seen);
	return __hd_bf16::__mk(__old);
}
#endif
__HD_DY __nv_bfloat162 atomicAdd(__nv_bfloat162 *__p, __nv_bfloat162 __v)
{
	unsigned int __old = *(volatile unsigned int *)__p, __seen;
	do {
		__seen = __old;
		__old = atomicCAS((unsigned int *)__p, __seen,
				  __hd_bf16::__add2(__seen, __hd_bf16::__bits(__v)));
	} while (__old != __seen);
	return __hd_bf16::__mk2(__old);
}
#undef __HD_DY
#endif
#if defined(__CUDA__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
__HD_D __nv_bfloat16 htanh_approx(__nv_bfloat16 __a)
{
	unsigned short __r;
	asm("tanh.approx.bf16 %0, %1;" : "=h"(__r) : "h"(__a.__x));
	return __hd_bf16::__mk(__r);
}
__HD_D __nv_bfloat162 h2tanh_approx(__nv_bfloat162 __a)
{
	unsigned int __r;
	asm("tanh.approx.bf16x2 %0, %1;" : "=r"(__r) : "r"(__hd_bf16::__bits(__a)));
	return __hd_bf16::__mk2(__r);
}
#endif

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define CUDART_INF_BF16        __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16        __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_ZERO_BF16       __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16        __ushort_as_bfloat16((unsigned short)0x3F80U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#endif

#endif
