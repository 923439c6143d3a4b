/* IEEE half precision: conversions and arithmetic on device and host. */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#if defined(__cplusplus)
#include <math.h>
#include "heddle/half_convert.h"

namespace __hd_f16
{
enum { __inf = 0x7c00, __one = 0x3c00 };

/* Rounding of a float to half in software: dir 0 nearest even, -1 down, 1 up, 2 towards zero. */
__HD_HD unsigned short __soft(float __f, int __dir)
{
	unsigned int __u = __builtin_bit_cast(unsigned int, __f), __s = __u >> 16 & 0x8000,
		     __m = __u & 0x7fffffff;
	if (__m > 0x7f800000)
		return 0x7fff;
	if (__m == 0x7f800000)
		return (unsigned short)(__s | 0x7c00);
	bool __up = __dir == 1 ? !__s : __dir == -1 ? __s != 0 : false;
	unsigned int __h, __rest, __half;
	if (__m >= 0x47800000) {
		/* 65536 and above: beyond the largest finite number */
		__h = 0x7bff;
		__rest = 1;
		__half = __dir == 0 ? 0 : 2;
	} else if (__m >= 0x38800000) {
		__h = (__m >> 13) - 0x1c000;
		__rest = __m & 0x1fff;
		__half = 0x1000;
	} else if (__m >= 0x32800000) {
		unsigned int __sh = 126 - (__m >> 23), __f24 = (__m & 0x7fffff) | 0x800000;
		__h = __f24 >> __sh;
		__rest = __f24 & ((1u << __sh) - 1);
		__half = 1u << (__sh - 1);
	} else {
		__h = 0;
		__rest = __m != 0;
		__half = 2;
	}
	if (__dir == 0 ? __rest > __half || (__rest == __half && (__h & 1)) : __up && __rest)
		__h++;
	return (unsigned short)(__s | __h);
}
#if defined(__CUDA_ARCH__)
#define __HD_CVT(__n, __m, __dir)                                                                  \
	__HD_HD unsigned short __n(float __f)                                                      \
	{                                                                                          \
		unsigned short __r;                                                                \
		asm("cvt." __m ".f16.f32 %0, %1;" : "=h"(__r) : "f"(__f));                         \
		return __r;                                                                        \
	}
#else
#define __HD_CVT(__n, __m, __dir)                                                                  \
	__HD_HD unsigned short __n(float __f) { return __soft(__f, __dir); }
#endif
__HD_CVT(__from, "rn", 0)
__HD_CVT(__from_rz, "rz", 2)
__HD_CVT(__from_rd, "rm", -1)
__HD_CVT(__from_ru, "rp", 1)
#undef __HD_CVT
__HD_HD float __to(unsigned short __h)
{
#if defined(__CUDA_ARCH__)
	float __r;
	asm("cvt.f32.f16 %0, %1;" : "=f"(__r) : "h"(__h));
	return __r;
#else
	unsigned int __s = (unsigned int)(__h & 0x8000) << 16, __m = __h & 0x7fff;
	if (__m >= 0x7c00)
		return __builtin_bit_cast(float, __s | 0x7f800000 | (__m & 0x3ff) << 13);
	if (__m >= 0x400)
		return __builtin_bit_cast(float, __s | ((__m << 13) + 0x38000000));
	float __f = (float)__m * 5.9604644775390625e-8f;
	return __s ? -__f : __f;
#endif
}
__HD_HD float __to_lo(unsigned int __v) { return __to(__hd::__split(__v).__lo); }
__HD_HD float __to_hi(unsigned int __v) { return __to(__hd::__split(__v).__hi); }
#if defined(__CUDA_ARCH__)
__HD_HD unsigned short __from_double(double __d)
{
	unsigned short __r;
	asm("cvt.rn.f16.f64 %0, %1;" : "=h"(__r) : "d"(__d));
	return __r;
}
#else
/* From double without double rounding: to float rounded to odd first. */
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
#endif
__HD_HD unsigned int __from2(float __lo, float __hi)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned int __r;
	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(__r) : "f"(__hi), "f"(__lo));
	return __r;
#else
	return __hd::__pair(__from(__lo), __from(__hi));
#endif
}

#if defined(__CUDA_ARCH__)
/* Integers: CUDA's name of the type, PTX's, its constraint. */
#define __HD_CVT_INT(__t, __n, __p, __k, __m, __q)                                                 \
	__HD_HD __t __to_##__n##_##__m(unsigned short __a)                                         \
	{                                                                                          \
		__t __r;                                                                           \
		asm("cvt." __q "i." __p ".f16 %0, %1;" : "=" __k(__r) : "h"(__a));                 \
		return __r;                                                                        \
	}                                                                                          \
	__HD_HD unsigned short __from_##__n##_##__m(__t __v)                                       \
	{                                                                                          \
		unsigned short __r;                                                                \
		asm("cvt." __q ".f16." __p " %0, %1;" : "=h"(__r) : __k(__v));                     \
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
__HD_HD unsigned short __from_wide(long long __v)
{
	return __from(__v > 100000 ? 100000.0f : __v < -100000 ? -100000.0f : (float)__v);
}
__HD_HD unsigned short __from_wide(unsigned long long __v)
{
	return __from(__v > 100000 ? 100000.0f : (float)__v);
}
__HD_HD unsigned short __from_wide(int __v) { return __from_wide((long long)__v); }
__HD_HD unsigned short __from_wide(unsigned int __v)
{
	return __from_wide((unsigned long long)__v);
}
__HD_HD unsigned short __from_wide(short __v) { return __from_wide((long long)__v); }
__HD_HD unsigned short __from_wide(unsigned short __v)
{
	return __from_wide((unsigned long long)__v);
}
__HD_CONVERT_FROM
__HD_CONVERT_TO
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
		__HD_OPCODE2(__add, "add", "f16") __HD_OPCODE2(__sub, "sub", "f16")
			__HD_OPCODE2(__mul, "mul", "f16") __HD_OPCODE3(__fma, "fma.rn", "f16")
#else
#define __HD_NO_OPCODES
#endif
#include "heddle/half_plain.h"
} // namespace __hd_f16

#define __HD_S    __hd_f16
#define __HD_TYPE "f16"
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define __HD_HAS_SIGN
#define __HD_HAS_SAT
#define __HD_HAS_SET
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define __HD_HAS_MINMAX
#endif
#include "heddle/half_ops.h"
#include "heddle/half_math.h"

#define __HD_T     __half
#define __HD_T2    __half2
#define __HD_RAW   __half_raw
#define __HD_RAW2  __half2_raw
#define __HD_N     half
#define __HD_N2    half2
#define __HD_OTHER __nv_bfloat16
#include "heddle/half_impl.h"

#if defined(__CUDA__)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__HD_D __half2 atomicAdd(__half2 *__p, __half2 __v)
{
	unsigned int __r;
	asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
		     : "=r"(__r)
		     : "l"(__p), "r"(__hd_f16::__bits(__v))
		     : "memory");
	return __hd_f16::__mk2(__r);
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__HD_D __half atomicAdd(__half *__p, __half __v)
{
	unsigned short __r;
	asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
		     : "=h"(__r)
		     : "l"(__p), "h"(__v.__x)
		     : "memory");
	return __hd_f16::__mk(__r);
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
__HD_D __half htanh_approx(__half __a)
{
	unsigned short __r;
	asm("tanh.approx.f16 %0, %1;" : "=h"(__r) : "h"(__a.__x));
	return __hd_f16::__mk(__r);
}
__HD_D __half2 h2tanh_approx(__half2 __a)
{
	unsigned int __r;
	asm("tanh.approx.f16x2 %0, %1;" : "=r"(__r) : "r"(__hd_f16::__bits(__a)));
	return __hd_f16::__mk2(__r);
}
#endif
#endif

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
#define CUDART_INF_FP16        __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16        __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16   __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16       __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16        __ushort_as_half((unsigned short)0x3C00U)
#else
typedef struct {
	unsigned short x;
} __half_raw;
typedef struct {
	unsigned short x, y;
} __half2_raw;
typedef __half_raw __half;
typedef __half2_raw __half2;
#endif

#endif
