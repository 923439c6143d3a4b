/* make_<type><n>() for every CUDA vector type. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define __HD_MK static __inline__ __host__ __device__ __attribute__((unused))
#define __HD_MAKE(__n, __t) \
__HD_MK __n##1 make_##__n##1(__t __x) { __n##1 __v; __v.x = __x; return __v; } \
__HD_MK __n##2 make_##__n##2(__t __x, __t __y) { __n##2 __v; __v.x = __x; __v.y = __y; return __v; } \
__HD_MK __n##3 make_##__n##3(__t __x, __t __y, __t __z) \
{ __n##3 __v; __v.x = __x; __v.y = __y; __v.z = __z; return __v; } \
__HD_MK __n##4 make_##__n##4(__t __x, __t __y, __t __z, __t __w) \
{ __n##4 __v; __v.x = __x; __v.y = __y; __v.z = __z; __v.w = __w; return __v; }

__HD_MAKE(char, signed char)
__HD_MAKE(uchar, unsigned char)
__HD_MAKE(short, short)
__HD_MAKE(ushort, unsigned short)
__HD_MAKE(int, int)
__HD_MAKE(uint, unsigned int)
__HD_MAKE(long, long)
__HD_MAKE(ulong, unsigned long)
__HD_MAKE(longlong, long long)
__HD_MAKE(ulonglong, unsigned long long)
__HD_MAKE(float, float)
__HD_MAKE(double, double)
#undef __HD_MAKE
#undef __HD_MK

#endif
