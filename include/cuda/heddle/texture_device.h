/*
 * Texture fetches for objects and references. Each fetch is one tex or tld4 instruction; its
 * result type follows the texel type, or is float where the texture returns normalized values.
 */
#ifndef HEDDLE_TEXTURE_DEVICE_H
#define HEDDLE_TEXTURE_DEVICE_H

#include "texture_cxx.h"

namespace __hd {

/* Texel types: kind of the components as the instruction returns them, number of components. */
template <class __T> struct __texel;
#define __HD_TEXEL(__t, __v) \
template <> struct __texel<__t> { \
	typedef float __norm; \
	static __device__ __HD_INLINE __t __cut(__v __r) { return (__t)__r.x; } \
	static __device__ __HD_INLINE float __cutf(float4 __r) { return __r.x; } \
	typedef __v __wide; };
#define __HD_TEXELS(__n, __t, __v) \
template <> struct __texel<__n##1> { \
	typedef float1 __norm; \
	static __device__ __HD_INLINE __n##1 __cut(__v __r) { return make_##__n##1((__t)__r.x); } \
	static __device__ __HD_INLINE float1 __cutf(float4 __r) { return make_float1(__r.x); } \
	typedef __v __wide; }; \
template <> struct __texel<__n##2> { \
	typedef float2 __norm; \
	static __device__ __HD_INLINE __n##2 __cut(__v __r) \
	{ return make_##__n##2((__t)__r.x, (__t)__r.y); } \
	static __device__ __HD_INLINE float2 __cutf(float4 __r) { return make_float2(__r.x, __r.y); } \
	typedef __v __wide; }; \
template <> struct __texel<__n##4> { \
	typedef float4 __norm; \
	static __device__ __HD_INLINE __n##4 __cut(__v __r) \
	{ return make_##__n##4((__t)__r.x, (__t)__r.y, (__t)__r.z, (__t)__r.w); } \
	static __device__ __HD_INLINE float4 __cutf(float4 __r) { return __r; } \
	typedef __v __wide; };
__HD_TEXEL(char, int4)
__HD_TEXEL(signed char, int4)
__HD_TEXEL(unsigned char, uint4)
__HD_TEXEL(short, int4)
__HD_TEXEL(unsigned short, uint4)
__HD_TEXEL(int, int4)
__HD_TEXEL(unsigned int, uint4)
__HD_TEXEL(float, float4)
__HD_TEXELS(char, signed char, int4)
__HD_TEXELS(uchar, unsigned char, uint4)
__HD_TEXELS(short, short, int4)
__HD_TEXELS(ushort, unsigned short, uint4)
__HD_TEXELS(int, int, int4)
__HD_TEXELS(uint, unsigned int, uint4)
__HD_TEXELS(float, float, float4)
#undef __HD_TEXEL
#undef __HD_TEXELS

template <class __T, enum cudaTextureReadMode __rm> struct __texret { typedef __T __type; };
template <class __T> struct __texret<__T, cudaReadModeNormalizedFloat> {
	typedef typename __texel<__T>::__norm __type;
};

/* The compiler makes a texture<> or surface<> parameter its 64-bit handle; only asm can see it. */
template <class __H> static __device__ __HD_INLINE unsigned long long __handle(__H __h)
{
	unsigned long long __o;
	asm("mov.b64 %0, %1;" : "=l"(__o) : "l"(__h));
	return __o;
}

template <class __Op, class __T, enum cudaTextureReadMode __rm> struct __texget {
	template <class... __A>
	static __device__ __HD_INLINE __T __get(cudaTextureObject_t __o, __A... __a)
	{
		typename __texel<__T>::__wide __r;
		__Op::__fetch(__r, __o, __a...);
		return __texel<__T>::__cut(__r);
	}
};
template <class __Op, class __T> struct __texget<__Op, __T, cudaReadModeNormalizedFloat> {
	template <class... __A>
	static __device__ __HD_INLINE typename __texel<__T>::__norm __get(cudaTextureObject_t __o,
		__A... __a)
	{
		float4 __r;
		__Op::__fetch(__r, __o, __a...);
		return __texel<__T>::__cutf(__r);
	}
};

} /* namespace __hd */

#define __HD_P(...) __VA_ARGS__
#define __HD_FETCH1(__v, __k, __c, __op, __ct, __par, __fmt, __in) \
static __device__ __HD_INLINE void __fetch(__v &__r, cudaTextureObject_t __o, __HD_P __par) \
{ asm(__op "." __k "." __ct " {%0, %1, %2, %3}, " __fmt ";" \
	: "=" __c(__r.x), "=" __c(__r.y), "=" __c(__r.z), "=" __c(__r.w) : "l"(__o), __HD_P __in); }

/*
 * One kind of fetch: name, texture type of references, instruction, coordinate type, parameters,
 * their names, operand text (%4 is the handle) and constraints.
 */
#define __HD_TEX(__name, __dim, __op, __ct, __par, __arg, __fmt, __in) \
namespace __hd { struct __op_##__name { \
__HD_FETCH1(float4, "f32", "f", __op, __ct, __par, __fmt, __in) \
__HD_FETCH1(int4, "s32", "r", __op, __ct, __par, __fmt, __in) \
__HD_FETCH1(uint4, "u32", "r", __op, __ct, __par, __fmt, __in) }; } \
template <class __T> \
static __device__ __HD_INLINE __T __name(cudaTextureObject_t __o, __HD_P __par) \
{ return __hd::__texget<__hd::__op_##__name, __T, cudaReadModeElementType>::__get(__o, __HD_P __arg); } \
template <class __T> \
static __device__ __HD_INLINE void __name(__T *__out, cudaTextureObject_t __o, __HD_P __par) \
{ *__out = __hd::__texget<__hd::__op_##__name, __T, cudaReadModeElementType>::__get(__o, __HD_P __arg); } \
template <class __T, enum cudaTextureReadMode __rm> static __device__ __HD_INLINE \
typename __hd::__texret<__T, __rm>::__type __name(texture<__T, __dim, __rm> __h, __HD_P __par) \
{ return __hd::__texget<__hd::__op_##__name, __T, __rm>::__get(__hd::__handle(__h), __HD_P __arg); }

__HD_TEX(tex1Dfetch, cudaTextureType1D, "tex.1d.v4", "s32", (int __x), (__x),
	"[%4, {%5}]", ("r"(__x)))
__HD_TEX(tex1D, cudaTextureType1D, "tex.1d.v4", "f32", (float __x), (__x),
	"[%4, {%5}]", ("f"(__x)))
__HD_TEX(tex2D, cudaTextureType2D, "tex.2d.v4", "f32", (float __x, float __y), (__x, __y),
	"[%4, {%5, %6}]", ("f"(__x), "f"(__y)))
__HD_TEX(tex3D, cudaTextureType3D, "tex.3d.v4", "f32", (float __x, float __y, float __z),
	(__x, __y, __z), "[%4, {%5, %6, %7, %7}]", ("f"(__x), "f"(__y), "f"(__z)))
__HD_TEX(tex1DLayered, cudaTextureType1DLayered, "tex.a1d.v4", "f32", (float __x, int __l),
	(__x, __l), "[%4, {%5, %6}]", ("r"(__l), "f"(__x)))
__HD_TEX(tex2DLayered, cudaTextureType2DLayered, "tex.a2d.v4", "f32",
	(float __x, float __y, int __l), (__x, __y, __l), "[%4, {%5, %6, %7, %7}]",
	("r"(__l), "f"(__x), "f"(__y)))
__HD_TEX(texCubemap, cudaTextureTypeCubemap, "tex.cube.v4", "f32",
	(float __x, float __y, float __z), (__x, __y, __z), "[%4, {%5, %6, %7, %7}]",
	("f"(__x), "f"(__y), "f"(__z)))
__HD_TEX(texCubemapLayered, cudaTextureTypeCubemapLayered, "tex.acube.v4", "f32",
	(float __x, float __y, float __z, int __l), (__x, __y, __z, __l), "[%4, {%5, %6, %7, %8}]",
	("r"(__l), "f"(__x), "f"(__y), "f"(__z)))
__HD_TEX(tex1DLod, cudaTextureType1D, "tex.level.1d.v4", "f32", (float __x, float __lod),
	(__x, __lod), "[%4, {%5}], %6", ("f"(__x), "f"(__lod)))
__HD_TEX(tex2DLod, cudaTextureType2D, "tex.level.2d.v4", "f32",
	(float __x, float __y, float __lod), (__x, __y, __lod), "[%4, {%5, %6}], %7",
	("f"(__x), "f"(__y), "f"(__lod)))
__HD_TEX(tex3DLod, cudaTextureType3D, "tex.level.3d.v4", "f32",
	(float __x, float __y, float __z, float __lod), (__x, __y, __z, __lod),
	"[%4, {%5, %6, %7, %7}], %8", ("f"(__x), "f"(__y), "f"(__z), "f"(__lod)))
__HD_TEX(tex1DLayeredLod, cudaTextureType1DLayered, "tex.level.a1d.v4", "f32",
	(float __x, int __l, float __lod), (__x, __l, __lod), "[%4, {%5, %6}], %7",
	("r"(__l), "f"(__x), "f"(__lod)))
__HD_TEX(tex2DLayeredLod, cudaTextureType2DLayered, "tex.level.a2d.v4", "f32",
	(float __x, float __y, int __l, float __lod), (__x, __y, __l, __lod),
	"[%4, {%5, %6, %7, %7}], %8", ("r"(__l), "f"(__x), "f"(__y), "f"(__lod)))
__HD_TEX(texCubemapLod, cudaTextureTypeCubemap, "tex.level.cube.v4", "f32",
	(float __x, float __y, float __z, float __lod), (__x, __y, __z, __lod),
	"[%4, {%5, %6, %7, %7}], %8", ("f"(__x), "f"(__y), "f"(__z), "f"(__lod)))
__HD_TEX(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, "tex.level.acube.v4", "f32",
	(float __x, float __y, float __z, int __l, float __lod), (__x, __y, __z, __l, __lod),
	"[%4, {%5, %6, %7, %8}], %9", ("r"(__l), "f"(__x), "f"(__y), "f"(__z), "f"(__lod)))
__HD_TEX(tex1DGrad, cudaTextureType1D, "tex.grad.1d.v4", "f32",
	(float __x, float __dx, float __dy), (__x, __dx, __dy), "[%4, {%5}], {%6}, {%7}",
	("f"(__x), "f"(__dx), "f"(__dy)))
__HD_TEX(tex2DGrad, cudaTextureType2D, "tex.grad.2d.v4", "f32",
	(float __x, float __y, float2 __dx, float2 __dy), (__x, __y, __dx, __dy),
	"[%4, {%5, %6}], {%7, %8}, {%9, %10}",
	("f"(__x), "f"(__y), "f"(__dx.x), "f"(__dx.y), "f"(__dy.x), "f"(__dy.y)))
__HD_TEX(tex3DGrad, cudaTextureType3D, "tex.grad.3d.v4", "f32",
	(float __x, float __y, float __z, float4 __dx, float4 __dy), (__x, __y, __z, __dx, __dy),
	"[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
	("f"(__x), "f"(__y), "f"(__z), "f"(__dx.x), "f"(__dx.y), "f"(__dx.z), "f"(__dy.x),
		"f"(__dy.y), "f"(__dy.z)))
__HD_TEX(texCubemapGrad, cudaTextureTypeCubemap, "tex.grad.cube.v4", "f32",
	(float __x, float __y, float __z, float4 __dx, float4 __dy), (__x, __y, __z, __dx, __dy),
	"[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
	("f"(__x), "f"(__y), "f"(__z), "f"(__dx.x), "f"(__dx.y), "f"(__dx.z), "f"(__dy.x),
		"f"(__dy.y), "f"(__dy.z)))
__HD_TEX(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered, "tex.grad.acube.v4", "f32",
	(float __x, float __y, float __z, int __l, float4 __dx, float4 __dy),
	(__x, __y, __z, __l, __dx, __dy),
	"[%4, {%5, %6, %7, %8}], {%9, %10, %11, %11}, {%12, %13, %14, %14}",
	("r"(__l), "f"(__x), "f"(__y), "f"(__z), "f"(__dx.x), "f"(__dx.y), "f"(__dx.z),
		"f"(__dy.x), "f"(__dy.y), "f"(__dy.z)))
__HD_TEX(tex1DLayeredGrad, cudaTextureType1DLayered, "tex.grad.a1d.v4", "f32",
	(float __x, int __l, float __dx, float __dy), (__x, __l, __dx, __dy),
	"[%4, {%5, %6}], {%7}, {%8}", ("r"(__l), "f"(__x), "f"(__dx), "f"(__dy)))
__HD_TEX(tex2DLayeredGrad, cudaTextureType2DLayered, "tex.grad.a2d.v4", "f32",
	(float __x, float __y, int __l, float2 __dx, float2 __dy), (__x, __y, __l, __dx, __dy),
	"[%4, {%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
	("r"(__l), "f"(__x), "f"(__y), "f"(__dx.x), "f"(__dx.y), "f"(__dy.x), "f"(__dy.y)))

/* Gathers: the component is part of the opcode, and the result always has four elements. */
__HD_TEX(__hd_gather_r, cudaTextureType2D, "tld4.r.2d.v4", "f32", (float __x, float __y),
	(__x, __y), "[%4, {%5, %6}]", ("f"(__x), "f"(__y)))
__HD_TEX(__hd_gather_g, cudaTextureType2D, "tld4.g.2d.v4", "f32", (float __x, float __y),
	(__x, __y), "[%4, {%5, %6}]", ("f"(__x), "f"(__y)))
__HD_TEX(__hd_gather_b, cudaTextureType2D, "tld4.b.2d.v4", "f32", (float __x, float __y),
	(__x, __y), "[%4, {%5, %6}]", ("f"(__x), "f"(__y)))
__HD_TEX(__hd_gather_a, cudaTextureType2D, "tld4.a.2d.v4", "f32", (float __x, float __y),
	(__x, __y), "[%4, {%5, %6}]", ("f"(__x), "f"(__y)))

namespace __hd {
template <class __T> struct __gather4 { typedef __T __type; };
#define __HD_G4(__n, __s) template <> struct __gather4<__s> { typedef __n##4 __type; }; \
	template <> struct __gather4<__n##1> { typedef __n##4 __type; }; \
	template <> struct __gather4<__n##2> { typedef __n##4 __type; };
__HD_G4(char, signed char)
__HD_G4(uchar, unsigned char)
__HD_G4(short, short)
__HD_G4(ushort, unsigned short)
__HD_G4(int, int)
__HD_G4(uint, unsigned int)
__HD_G4(float, float)
template <> struct __gather4<char> { typedef char4 __type; };
#undef __HD_G4
}

template <class __T> static __device__ __HD_INLINE __T tex2Dgather(cudaTextureObject_t __o,
	float __x, float __y, int __comp = 0)
{
	switch (__comp) {
	case 1: return __hd_gather_g<__T>(__o, __x, __y);
	case 2: return __hd_gather_b<__T>(__o, __x, __y);
	case 3: return __hd_gather_a<__T>(__o, __x, __y);
	default: return __hd_gather_r<__T>(__o, __x, __y);
	}
}
template <class __T> static __device__ __HD_INLINE void tex2Dgather(__T *__out,
	cudaTextureObject_t __o, float __x, float __y, int __comp = 0)
{
	*__out = tex2Dgather<__T>(__o, __x, __y, __comp);
}
template <class __T, enum cudaTextureReadMode __rm> static __device__ __HD_INLINE
typename __hd::__texret<typename __hd::__gather4<__T>::__type, __rm>::__type
tex2Dgather(texture<__T, cudaTextureType2D, __rm> __h, float __x, float __y, int __comp = 0)
{
	typedef typename __hd::__gather4<__T>::__type __V;
	unsigned long long __o = __hd::__handle(__h);
	switch (__comp) {
	case 1: return __hd::__texget<__hd::__op___hd_gather_g, __V, __rm>::__get(__o, __x, __y);
	case 2: return __hd::__texget<__hd::__op___hd_gather_b, __V, __rm>::__get(__o, __x, __y);
	case 3: return __hd::__texget<__hd::__op___hd_gather_a, __V, __rm>::__get(__o, __x, __y);
	default: return __hd::__texget<__hd::__op___hd_gather_r, __V, __rm>::__get(__o, __x, __y);
	}
}

#undef __HD_TEX
#undef __HD_FETCH1

#endif
