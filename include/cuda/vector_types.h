/* CUDA's vector types with their documented sizes and alignments, and dim3. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define __HD_VEC1(__n, __t) struct __n##1 { __t x; }; typedef struct __n##1 __n##1;
#define __HD_VEC2(__n, __t, __al) \
	struct __attribute__((aligned(__al))) __n##2 { __t x, y; }; typedef struct __n##2 __n##2;
#define __HD_VEC3(__n, __t) struct __n##3 { __t x, y, z; }; typedef struct __n##3 __n##3;
#define __HD_VEC4(__n, __t, __al) \
	struct __attribute__((aligned(__al))) __n##4 { __t x, y, z, w; }; typedef struct __n##4 __n##4;
#define __HD_VEC(__n, __t, __a2, __a4) \
	__HD_VEC1(__n, __t) __HD_VEC2(__n, __t, __a2) __HD_VEC3(__n, __t) __HD_VEC4(__n, __t, __a4)

__HD_VEC(char, signed char, 2, 4)
__HD_VEC(uchar, unsigned char, 2, 4)
__HD_VEC(short, short, 4, 8)
__HD_VEC(ushort, unsigned short, 4, 8)
__HD_VEC(int, int, 8, 16)
__HD_VEC(uint, unsigned int, 8, 16)
__HD_VEC(long, long, 16, 16)
__HD_VEC(ulong, unsigned long, 16, 16)
__HD_VEC(longlong, long long, 16, 16)
__HD_VEC(ulonglong, unsigned long long, 16, 16)
__HD_VEC(float, float, 8, 16)
__HD_VEC(double, double, 16, 16)

#undef __HD_VEC
#undef __HD_VEC1
#undef __HD_VEC2
#undef __HD_VEC3
#undef __HD_VEC4

#if defined(__cplusplus)
/* dim3 can be constructed from a uint3, but not from types that only convert to one: gridDim, which
 * converts to both, would be ambiguous. */
template <class __T> struct __hd_only_uint3 {};
template <> struct __hd_only_uint3<uint3> { typedef int __yes; };
#endif
struct dim3 {
	unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
	__host__ __device__ constexpr dim3(unsigned int __x = 1, unsigned int __y = 1,
		unsigned int __z = 1) : x(__x), y(__y), z(__z) {}
	template <class __T>
	__host__ __device__ constexpr dim3(__T __v, typename __hd_only_uint3<__T>::__yes = 0)
		: x(__v.x), y(__v.y), z(__v.z) {}
	__host__ __device__ constexpr operator uint3(void) const { return uint3{x, y, z}; }
#else
	__host__ __device__ dim3(unsigned int __x = 1, unsigned int __y = 1, unsigned int __z = 1)
		: x(__x), y(__y), z(__z) {}
	template <class __T>
	__host__ __device__ dim3(__T __v, typename __hd_only_uint3<__T>::__yes = 0)
		: x(__v.x), y(__v.y), z(__v.z) {}
	__host__ __device__ operator uint3(void) const
	{
		uint3 __t; __t.x = x; __t.y = y; __t.z = z; return __t;
	}
#endif
#endif
};
typedef struct dim3 dim3;

#endif
