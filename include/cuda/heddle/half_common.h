/* Declarations shared by the 16-bit floating-point headers. */
#ifndef HEDDLE_HALF_COMMON_H
#define HEDDLE_HALF_COMMON_H
#include "../host_defines.h"
#include "../vector_types.h"
#include "../vector_functions.h"
#if defined(__CUDA__)
#define __HD_D  static __device__ __HD_INLINE __attribute__((unused))
#define __HD_HD static __host__ __device__ __HD_INLINE __attribute__((unused))
#define __HD_C  __host__ __device__ __HD_INLINE
#else
#define __HD_HD static inline __attribute__((unused))
#define __HD_C  inline
#endif
/* Constant expressions may have these constructors; those of C++11 would need an empty body. */
#if __cplusplus >= 201402L
#define __HD_CX constexpr __HD_C
#else
#define __HD_CX __HD_C
#endif

namespace __hd
{
/* Two elements as one word, the first one in the low half. */
__HD_HD unsigned int __pair(unsigned short __lo, unsigned short __hi)
{
#if defined(__CUDA_ARCH__)
	if (!__builtin_constant_p(__lo) || !__builtin_constant_p(__hi)) {
		unsigned int __r;
		asm("mov.b32 %0, {%1, %2};" : "=r"(__r) : "h"(__lo), "h"(__hi));
		return __r;
	}
#endif
	return (unsigned int)__hi << 16 | __lo;
}
struct __halves {
	unsigned short __lo, __hi;
};
__HD_HD __halves __split(unsigned int __v)
{
	__halves __r;
#if defined(__CUDA_ARCH__)
	if (!__builtin_constant_p(__v)) {
		asm("mov.b32 {%0, %1}, %2;" : "=h"(__r.__lo), "=h"(__r.__hi) : "r"(__v));
		return __r;
	}
#endif
	__r.__lo = (unsigned short)__v;
	__r.__hi = (unsigned short)(__v >> 16);
	return __r;
}
} // namespace __hd

/* NAME on an element and NAME2 on a pair, each one instruction. */
#define __HD_OPCODE1(__n, __op, __t)                                                               \
	__HD_HD unsigned short __n(unsigned short __a)                                             \
	{                                                                                          \
		unsigned short __r;                                                                \
		asm(__op "." __t " %0, %1;" : "=h"(__r) : "h"(__a));                               \
		return __r;                                                                        \
	}                                                                                          \
	__HD_HD unsigned int __n##2(unsigned int __a)                                              \
	{                                                                                          \
		unsigned int __r;                                                                  \
		asm(__op "." __t "x2 %0, %1;" : "=r"(__r) : "r"(__a));                             \
		return __r;                                                                        \
	}
#define __HD_OPCODE2(__n, __op, __t)                                                               \
	__HD_HD unsigned short __n(unsigned short __a, unsigned short __b)                         \
	{                                                                                          \
		unsigned short __r;                                                                \
		asm(__op "." __t " %0, %1, %2;" : "=h"(__r) : "h"(__a), "h"(__b));                 \
		return __r;                                                                        \
	}                                                                                          \
	__HD_HD unsigned int __n##2(unsigned int __a, unsigned int __b)                            \
	{                                                                                          \
		unsigned int __r;                                                                  \
		asm(__op "." __t "x2 %0, %1, %2;" : "=r"(__r) : "r"(__a), "r"(__b));               \
		return __r;                                                                        \
	}
#define __HD_OPCODE3(__n, __op, __t)                                                               \
	__HD_HD unsigned short __n(unsigned short __a, unsigned short __b, unsigned short __c)     \
	{                                                                                          \
		unsigned short __r;                                                                \
		asm(__op "." __t " %0, %1, %2, %3;" : "=h"(__r) : "h"(__a), "h"(__b), "h"(__c));   \
		return __r;                                                                        \
	}                                                                                          \
	__HD_HD unsigned int __n##2(unsigned int __a, unsigned int __b, unsigned int __c)          \
	{                                                                                          \
		unsigned int __r;                                                                  \
		asm(__op "." __t "x2 %0, %1, %2, %3;" : "=r"(__r) : "r"(__a), "r"(__b), "r"(__c)); \
		return __r;                                                                        \
	}
#endif
