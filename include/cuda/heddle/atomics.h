/* Atomic functions, with the _block and _system scopes. */
#ifndef HEDDLE_ATOMICS_H
#define HEDDLE_ATOMICS_H

#define __HD_AT static __device__ __HD_INLINE __attribute__((unused))
#define __HD_AT1(__n, __t, __f) \
__HD_AT __t __n(__t *__p, __t __v) { return __f(__p, __v); }
#define __HD_ATL(__n, __t, __f, __ft) \
__HD_AT __t __n(__t *__p, __t __v) { return (__t)__f((__ft *)__p, (__ft)__v); }

#define __HD_ATSET(__s) \
__HD_AT1(atomicAdd##__s, int, __iAtomicAdd##__s) \
__HD_AT1(atomicAdd##__s, unsigned int, __uAtomicAdd##__s) \
__HD_AT1(atomicAdd##__s, unsigned long long, __ullAtomicAdd##__s) \
__HD_AT1(atomicAdd##__s, float, __fAtomicAdd##__s) \
__HD_AT int atomicSub##__s(int *__p, int __v) { return __iAtomicAdd##__s(__p, (int)-(unsigned int)__v); } \
__HD_AT unsigned int atomicSub##__s(unsigned int *__p, unsigned int __v) { return __uAtomicAdd##__s(__p, -__v); } \
__HD_AT1(atomicExch##__s, int, __iAtomicExch##__s) \
__HD_AT1(atomicExch##__s, unsigned int, __uAtomicExch##__s) \
__HD_AT1(atomicExch##__s, unsigned long long, __ullAtomicExch##__s) \
__HD_AT1(atomicExch##__s, float, __fAtomicExch##__s) \
__HD_AT1(atomicMin##__s, int, __iAtomicMin##__s) \
__HD_AT1(atomicMin##__s, unsigned int, __uAtomicMin##__s) \
__HD_AT1(atomicMax##__s, int, __iAtomicMax##__s) \
__HD_AT1(atomicMax##__s, unsigned int, __uAtomicMax##__s) \
__HD_AT1(atomicInc##__s, unsigned int, __uAtomicInc##__s) \
__HD_AT1(atomicDec##__s, unsigned int, __uAtomicDec##__s) \
__HD_AT1(atomicAnd##__s, int, __iAtomicAnd##__s) \
__HD_AT1(atomicAnd##__s, unsigned int, __uAtomicAnd##__s) \
__HD_AT1(atomicOr##__s, int, __iAtomicOr##__s) \
__HD_AT1(atomicOr##__s, unsigned int, __uAtomicOr##__s) \
__HD_AT1(atomicXor##__s, int, __iAtomicXor##__s) \
__HD_AT1(atomicXor##__s, unsigned int, __uAtomicXor##__s) \
__HD_AT int atomicCAS##__s(int *__p, int __c, int __v) { return __iAtomicCAS##__s(__p, __c, __v); } \
__HD_AT unsigned int atomicCAS##__s(unsigned int *__p, unsigned int __c, unsigned int __v) \
{ return __uAtomicCAS##__s(__p, __c, __v); } \
__HD_AT unsigned long long atomicCAS##__s(unsigned long long *__p, unsigned long long __c, unsigned long long __v) \
{ return __ullAtomicCAS##__s(__p, __c, __v); }

#define __HD_ATSET64(__s) \
__HD_AT1(atomicMin##__s, unsigned long long, __ullAtomicMin##__s) \
__HD_AT1(atomicMax##__s, unsigned long long, __ullAtomicMax##__s) \
__HD_AT1(atomicAnd##__s, unsigned long long, __ullAtomicAnd##__s) \
__HD_AT1(atomicOr##__s, unsigned long long, __ullAtomicOr##__s) \
__HD_AT1(atomicXor##__s, unsigned long long, __ullAtomicXor##__s) \
__HD_AT1(atomicMin##__s, long long, __illAtomicMin##__s) \
__HD_AT1(atomicMax##__s, long long, __illAtomicMax##__s)

__HD_ATSET()
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
__HD_ATSET64()
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__HD_ATSET(_block)
__HD_ATSET(_system)
__HD_ATSET64(_block)
__HD_ATSET64(_system)
__HD_AT1(atomicAdd, double, __dAtomicAdd)
__HD_AT1(atomicAdd_block, double, __dAtomicAdd_block)
__HD_AT1(atomicAdd_system, double, __dAtomicAdd_system)
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define __HD_CAS16(__n, __sc) \
__HD_AT unsigned short __n(unsigned short *__p, unsigned short __c, unsigned short __v) \
{ unsigned short __r; asm volatile("atom." __sc "cas.b16 %0, [%1], %2, %3;" \
	: "=h"(__r) : "l"(__p), "h"(__c), "h"(__v) : "memory"); return __r; }
__HD_CAS16(atomicCAS, "")
__HD_CAS16(atomicCAS_block, "cta.")
__HD_CAS16(atomicCAS_system, "sys.")
#undef __HD_CAS16
#endif

#undef __HD_ATSET
#undef __HD_ATSET64
#undef __HD_AT1
#undef __HD_ATL
#undef __HD_AT

#endif
