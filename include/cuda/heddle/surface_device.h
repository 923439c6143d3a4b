/*
 * Surface loads and stores: unformatted, so an access depends on the element's size alone. The
 * boundary mode is part of the instruction.
 */
#ifndef HEDDLE_SURFACE_DEVICE_H
#define HEDDLE_SURFACE_DEVICE_H

#include "texture_device.h"

namespace __hd {
template <unsigned __n> struct __surfbits;
template <> struct __surfbits<1> { unsigned short __a; };
template <> struct __surfbits<2> { unsigned short __a; };
template <> struct __surfbits<4> { unsigned int __a; };
template <> struct __surfbits<8> { unsigned int __a, __b; };
template <> struct __surfbits<16> { unsigned int __a, __b, __c, __d; };

template <class __T> static __device__ __HD_INLINE __surfbits<sizeof(__T)> __surf_pack(__T __v)
{
	__surfbits<sizeof(__T)> __b = {};
	__builtin_memcpy(&__b, &__v, sizeof(__T));
	return __b;
}
template <class __T> static __device__ __HD_INLINE __T __surf_unpack(__surfbits<sizeof(__T)> __b)
{
	__T __v;
	__builtin_memcpy(&__v, &__b, sizeof(__T));
	return __v;
}
}

#define __HD_LD(__n, __dim, __ty, __mode, __out, __dst, __par, __i, __in) \
static __device__ __HD_INLINE void __load(__surfbits<__n> &__r, cudaSurfaceObject_t __o, __HD_P __par, \
	__mode_##__mode) \
{ asm volatile("suld.b." __dim "." __ty "." #__mode " {" __out "}, [" __i "];" \
	: __HD_P __dst : "l"(__o), __HD_P __in : "memory"); }
#define __HD_ST(__n, __dim, __ty, __mode, __src, __regs, __par, __i, __in) \
static __device__ __HD_INLINE void __store(__surfbits<__n> __r, cudaSurfaceObject_t __o, __HD_P __par, \
	__mode_##__mode) \
{ asm volatile("sust.b." __dim "." __ty "." #__mode " [" __i "], {" __src "};" \
	:: "l"(__o), __HD_P __in, __HD_P __regs : "memory"); }

/*
 * The operand positions differ with the number of data registers (loads put them first) and of
 * coordinates, so a shape gives its address text for loads of 1, 2 and 4 registers and for stores.
 */
#define __HD_SURFM(__mode, __dim, __par, __in, __a1, __a2, __a4, __s, __s1, __s2, __s4) \
__HD_LD(1, __dim, "b8", __mode, "%0", ("=h"(__r.__a)), __par, __a1, __in) \
__HD_LD(2, __dim, "b16", __mode, "%0", ("=h"(__r.__a)), __par, __a1, __in) \
__HD_LD(4, __dim, "b32", __mode, "%0", ("=r"(__r.__a)), __par, __a1, __in) \
__HD_LD(8, __dim, "v2.b32", __mode, "%0, %1", ("=r"(__r.__a), "=r"(__r.__b)), __par, __a2, __in) \
__HD_LD(16, __dim, "v4.b32", __mode, "%0, %1, %2, %3", \
	("=r"(__r.__a), "=r"(__r.__b), "=r"(__r.__c), "=r"(__r.__d)), __par, __a4, __in) \
__HD_ST(1, __dim, "b8", __mode, __s1, ("h"(__r.__a)), __par, __s, __in) \
__HD_ST(2, __dim, "b16", __mode, __s1, ("h"(__r.__a)), __par, __s, __in) \
__HD_ST(4, __dim, "b32", __mode, __s1, ("r"(__r.__a)), __par, __s, __in) \
__HD_ST(8, __dim, "v2.b32", __mode, __s2, ("r"(__r.__a), "r"(__r.__b)), __par, __s, __in) \
__HD_ST(16, __dim, "v4.b32", __mode, __s4, \
	("r"(__r.__a), "r"(__r.__b), "r"(__r.__c), "r"(__r.__d)), __par, __s, __in)

#define __HD_SURF(__rd, __wr, __type, __dim, __par, __arg, __in, __a1, __a2, __a4, __s, __s1, __s2, __s4) \
namespace __hd { struct __op_##__rd { \
struct __mode_zero {}; struct __mode_clamp {}; struct __mode_trap {}; \
__HD_SURFM(zero, __dim, __par, __in, __a1, __a2, __a4, __s, __s1, __s2, __s4) \
__HD_SURFM(clamp, __dim, __par, __in, __a1, __a2, __a4, __s, __s1, __s2, __s4) \
__HD_SURFM(trap, __dim, __par, __in, __a1, __a2, __a4, __s, __s1, __s2, __s4) \
template <class __T> static __device__ __HD_INLINE __T __get(cudaSurfaceObject_t __o, __HD_P __par, \
	cudaSurfaceBoundaryMode __m) { \
	__surfbits<sizeof(__T)> __b; \
	if (__m == cudaBoundaryModeZero) __load(__b, __o, __HD_P __arg, __mode_zero()); \
	else if (__m == cudaBoundaryModeClamp) __load(__b, __o, __HD_P __arg, __mode_clamp()); \
	else __load(__b, __o, __HD_P __arg, __mode_trap()); \
	return __surf_unpack<__T>(__b); } \
template <class __T> static __device__ __HD_INLINE void __put(__T __v, cudaSurfaceObject_t __o, \
	__HD_P __par, cudaSurfaceBoundaryMode __m) { \
	__surfbits<sizeof(__T)> __b = __surf_pack(__v); \
	if (__m == cudaBoundaryModeZero) __store(__b, __o, __HD_P __arg, __mode_zero()); \
	else if (__m == cudaBoundaryModeClamp) __store(__b, __o, __HD_P __arg, __mode_clamp()); \
	else __store(__b, __o, __HD_P __arg, __mode_trap()); } \
}; } \
template <class __T> static __device__ __HD_INLINE __T __rd(cudaSurfaceObject_t __o, __HD_P __par, \
	cudaSurfaceBoundaryMode __m = cudaBoundaryModeTrap) \
{ return __hd::__op_##__rd::__get<__T>(__o, __HD_P __arg, __m); } \
template <class __T> static __device__ __HD_INLINE void __rd(__T *__r, cudaSurfaceObject_t __o, \
	__HD_P __par, cudaSurfaceBoundaryMode __m = cudaBoundaryModeTrap) \
{ *__r = __hd::__op_##__rd::__get<__T>(__o, __HD_P __arg, __m); } \
template <class __T> static __device__ __HD_INLINE void __wr(__T __v, cudaSurfaceObject_t __o, \
	__HD_P __par, cudaSurfaceBoundaryMode __m = cudaBoundaryModeTrap) \
{ __hd::__op_##__rd::__put(__v, __o, __HD_P __arg, __m); } \
template <class __T> static __device__ __HD_INLINE __T __rd(surface<void, __type> __h, __HD_P __par, \
	cudaSurfaceBoundaryMode __m = cudaBoundaryModeTrap) \
{ return __hd::__op_##__rd::__get<__T>(__hd::__handle(__h), __HD_P __arg, __m); } \
template <class __T> static __device__ __HD_INLINE void __rd(__T *__r, surface<void, __type> __h, \
	__HD_P __par, cudaSurfaceBoundaryMode __m = cudaBoundaryModeTrap) \
{ *__r = __hd::__op_##__rd::__get<__T>(__hd::__handle(__h), __HD_P __arg, __m); } \
template <class __T> static __device__ __HD_INLINE void __wr(__T __v, surface<void, __type> __h, \
	__HD_P __par, cudaSurfaceBoundaryMode __m = cudaBoundaryModeTrap) \
{ __hd::__op_##__rd::__put(__v, __hd::__handle(__h), __HD_P __arg, __m); }

__HD_SURF(surf1Dread, surf1Dwrite, cudaSurfaceType1D, "1d", (int __x), (__x), ("r"(__x)),
	"%1, {%2}", "%2, {%3}", "%4, {%5}", "%0, {%1}", "%2", "%2, %3", "%2, %3, %4, %5")
__HD_SURF(surf2Dread, surf2Dwrite, cudaSurfaceType2D, "2d", (int __x, int __y), (__x, __y),
	("r"(__x), "r"(__y)), "%1, {%2, %3}", "%2, {%3, %4}", "%4, {%5, %6}", "%0, {%1, %2}",
	"%3", "%3, %4", "%3, %4, %5, %6")
__HD_SURF(surf3Dread, surf3Dwrite, cudaSurfaceType3D, "3d", (int __x, int __y, int __z),
	(__x, __y, __z), ("r"(__x), "r"(__y), "r"(__z)), "%1, {%2, %3, %4, %4}",
	"%2, {%3, %4, %5, %5}", "%4, {%5, %6, %7, %7}", "%0, {%1, %2, %3, %3}",
	"%4", "%4, %5", "%4, %5, %6, %7")
__HD_SURF(surf1DLayeredread, surf1DLayeredwrite, cudaSurfaceType1DLayered, "a1d",
	(int __x, int __l), (__x, __l), ("r"(__l), "r"(__x)), "%1, {%2, %3}", "%2, {%3, %4}",
	"%4, {%5, %6}", "%0, {%1, %2}", "%3", "%3, %4", "%3, %4, %5, %6")
__HD_SURF(surf2DLayeredread, surf2DLayeredwrite, cudaSurfaceType2DLayered, "a2d",
	(int __x, int __y, int __l), (__x, __y, __l), ("r"(__l), "r"(__x), "r"(__y)),
	"%1, {%2, %3, %4, %4}", "%2, {%3, %4, %5, %5}", "%4, {%5, %6, %7, %7}",
	"%0, {%1, %2, %3, %3}", "%4", "%4, %5", "%4, %5, %6, %7")
__HD_SURF(surfCubemapread, surfCubemapwrite, cudaSurfaceTypeCubemap, "a2d",
	(int __x, int __y, int __face), (__x, __y, __face), ("r"(__face), "r"(__x), "r"(__y)),
	"%1, {%2, %3, %4, %4}", "%2, {%3, %4, %5, %5}", "%4, {%5, %6, %7, %7}",
	"%0, {%1, %2, %3, %3}", "%4", "%4, %5", "%4, %5, %6, %7")
__HD_SURF(surfCubemapLayeredread, surfCubemapLayeredwrite, cudaSurfaceTypeCubemapLayered, "a2d",
	(int __x, int __y, int __lf), (__x, __y, __lf), ("r"(__lf), "r"(__x), "r"(__y)),
	"%1, {%2, %3, %4, %4}", "%2, {%3, %4, %5, %5}", "%4, {%5, %6, %7, %7}",
	"%0, {%1, %2, %3, %3}", "%4", "%4, %5", "%4, %5, %6, %7")

#undef __HD_SURF
#undef __HD_SURFM
#undef __HD_LD
#undef __HD_ST
#undef __HD_P

#endif
