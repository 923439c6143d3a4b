/*
 * Random numbers in kernels (and on the host): XORWOW, Philox 4x32-10 and MRG32k3a with their uniform,
 * normal, log-normal and Poisson distributions; Sobol's sequences with all but the last.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "curand.h"
#include "heddle/xorwow_jump.h"
#if !defined(__CUDA__)
#include <math.h>
namespace __hd_rand {
#include "heddle/math_host.h"
}
using __hd_rand::normcdfinv;
using __hd_rand::normcdfinvf;
#endif

#define QUALIFIERS static __HD_INLINE __host__ __device__ __attribute__((unused))
#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_2PI (6.2831855f)
#define CURAND_2POW32_INV_2PI (CURAND_2POW32_INV * CURAND_2PI)
#define EXTRA_FLAG_NORMAL 0x00000001
#define EXTRA_FLAG_LOG_NORMAL 0x00000002

struct curandStateXORWOW {
	unsigned int d, v[5];
	int boxmuller_flag;
	int boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
	uint4 ctr;
	uint4 output;
	uint2 key;
	unsigned int STATE;
	int boxmuller_flag;
	int boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace __hd_rand {

/* XORWOW's linear part, one step. */
QUALIFIERS void __xw_next(unsigned int *__v)
{
	unsigned int __t = __v[0] ^ (__v[0] >> 2);
	__v[0] = __v[1];
	__v[1] = __v[2];
	__v[2] = __v[3];
	__v[3] = __v[4];
	__v[4] = (__v[4] ^ (__v[4] << 4)) ^ (__t ^ (__t << 1));
}

/* a = a * b modulo the characteristic polynomial. */
QUALIFIERS void __xw_mul(unsigned int *__a, const unsigned int *__b)
{
	const unsigned int __p[5] = __HD_XW_POLY;
	unsigned int __r[5] = {0, 0, 0, 0, 0};
	for (int __i = 159; __i >= 0; __i--) {
		unsigned int __carry = __r[4] >> 31 ? 0xffffffffu : 0;
		unsigned int __bit = __a[__i >> 5] >> (__i & 31) & 1 ? 0xffffffffu : 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
		for (int __k = 4; __k > 0; __k--)
			__r[__k] = (__r[__k] << 1 | __r[__k - 1] >> 31) ^ (__p[__k] & __carry) ^ (__b[__k] & __bit);
		__r[0] = (__r[0] << 1) ^ (__p[0] & __carry) ^ (__b[0] & __bit);
	}
	for (int __k = 0; __k < 5; __k++)
		__a[__k] = __r[__k];
}

/*
 * Jumps ahead: the power of x for the distance, reduced, is a polynomial in the step matrix, whose
 * value at the state is the sum of the states it selects.
 */
QUALIFIERS void __xw_jump(unsigned long long __n, const unsigned int (*__table)[5], unsigned int *__v)
{
	unsigned int __c[5] = {1, 0, 0, 0, 0}, __acc[5] = {0, 0, 0, 0, 0};
	if (!__n)
		return;
	for (int __k = 0; __n; __k++, __n >>= 1)
		if (__n & 1)
			__xw_mul(__c, __table[__k]);
	for (int __i = 0; __i < 160; __i++) {
		unsigned int __bit = __c[__i >> 5] >> (__i & 31) & 1 ? 0xffffffffu : 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
		for (int __k = 0; __k < 5; __k++)
			__acc[__k] ^= __v[__k] & __bit;
		__xw_next(__v);
	}
	for (int __k = 0; __k < 5; __k++)
		__v[__k] = __acc[__k];
}

QUALIFIERS unsigned int __mulhilo(unsigned int __a, unsigned int __b, unsigned int *__hi)
{
	unsigned long long __p = (unsigned long long)__a * __b;
	*__hi = (unsigned int)(__p >> 32);
	return (unsigned int)__p;
}
QUALIFIERS uint4 __philox_round(uint4 __c, uint2 __k)
{
	unsigned int __hi0, __hi1;
	unsigned int __lo0 = __mulhilo(0xD2511F53u, __c.x, &__hi0), __lo1 = __mulhilo(0xCD9E8D57u, __c.z, &__hi1);
	return make_uint4(__hi1 ^ __c.y ^ __k.x, __lo1, __hi0 ^ __c.w ^ __k.y, __lo0);
}
QUALIFIERS void __philox_add(curandStatePhilox4_32_10_t *__s, unsigned long long __n)
{
	unsigned long long __lo = (unsigned long long)__s->ctr.y << 32 | __s->ctr.x;
	unsigned long long __hi = (unsigned long long)__s->ctr.w << 32 | __s->ctr.z;
	__lo += __n;
	__hi += __lo < __n;
	__s->ctr = make_uint4((unsigned int)__lo, (unsigned int)(__lo >> 32), (unsigned int)__hi, (unsigned int)(__hi >> 32));
}
}

QUALIFIERS uint4 curand_Philox4x32_10(uint4 __c, uint2 __k)
{
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (int __i = 0; __i < 9; __i++) {
		__c = __hd_rand::__philox_round(__c, __k);
		__k.x += 0x9E3779B9u;
		__k.y += 0xBB67AE85u;
	}
	return __hd_rand::__philox_round(__c, __k);
}

/* XORWOW. */
QUALIFIERS unsigned int curand(curandStateXORWOW_t *__s)
{
	__hd_rand::__xw_next(__s->v);
	__s->d += 362437;
	return __s->v[4] + __s->d;
}
QUALIFIERS void skipahead(unsigned long long __n, curandStateXORWOW_t *__s)
{
	__hd_rand::__xw_jump(__n, __hd_rand::__xw_step, __s->v);
	__s->d += 362437 * (unsigned int)__n;
}
QUALIFIERS void skipahead_sequence(unsigned long long __n, curandStateXORWOW_t *__s)
{
	__hd_rand::__xw_jump(__n, __hd_rand::__xw_sub, __s->v);
}
QUALIFIERS void curand_init(unsigned long long __seed, unsigned long long __subsequence,
	unsigned long long __offset, curandStateXORWOW_t *__s)
{
	unsigned int __s0 = (unsigned int)__seed ^ 0xaad26b49u, __s1 = (unsigned int)(__seed >> 32) ^ 0xf7dcefddu;
	unsigned int __t0 = 1099087573u * __s0, __t1 = 2591861531u * __s1;
	__s->d = 6615241 + __t1 + __t0;
	__s->v[0] = 123456789u + __t0;
	__s->v[1] = 362436069u ^ __t0;
	__s->v[2] = 521288629u + __t1;
	__s->v[3] = 88675123u ^ __t1;
	__s->v[4] = 5783321u + __t0;
	skipahead_sequence(__subsequence, __s);
	skipahead(__offset, __s);
	__s->boxmuller_flag = 0;
	__s->boxmuller_flag_double = 0;
	__s->boxmuller_extra = 0.f;
	__s->boxmuller_extra_double = 0.;
}

/* Philox. */
QUALIFIERS void skipahead(unsigned long long __n, curandStatePhilox4_32_10_t *__s)
{
	__s->STATE += (unsigned int)(__n & 3);
	__n /= 4;
	if (__s->STATE > 3) {
		__n++;
		__s->STATE -= 4;
	}
	__hd_rand::__philox_add(__s, __n);
	__s->output = curand_Philox4x32_10(__s->ctr, __s->key);
}
QUALIFIERS void skipahead_sequence(unsigned long long __n, curandStatePhilox4_32_10_t *__s)
{
	unsigned long long __hi = ((unsigned long long)__s->ctr.w << 32 | __s->ctr.z) + __n;
	__s->ctr.z = (unsigned int)__hi;
	__s->ctr.w = (unsigned int)(__hi >> 32);
	__s->output = curand_Philox4x32_10(__s->ctr, __s->key);
}
QUALIFIERS void curand_init(unsigned long long __seed, unsigned long long __subsequence,
	unsigned long long __offset, curandStatePhilox4_32_10_t *__s)
{
	__s->ctr = make_uint4(0, 0, 0, 0);
	__s->key = make_uint2((unsigned int)__seed, (unsigned int)(__seed >> 32));
	__s->STATE = 0;
	__s->boxmuller_flag = 0;
	__s->boxmuller_flag_double = 0;
	__s->boxmuller_extra = 0.f;
	__s->boxmuller_extra_double = 0.;
	skipahead_sequence(__subsequence, __s);
	skipahead(__offset, __s);
}
QUALIFIERS unsigned int curand(curandStatePhilox4_32_10_t *__s)
{
	unsigned int __r = __s->STATE == 0 ? __s->output.x : __s->STATE == 1 ? __s->output.y :
		__s->STATE == 2 ? __s->output.z : __s->output.w;
	if (++__s->STATE == 4) {
		__hd_rand::__philox_add(__s, 1);
		__s->output = curand_Philox4x32_10(__s->ctr, __s->key);
		__s->STATE = 0;
	}
	return __r;
}
QUALIFIERS uint4 curand4(curandStatePhilox4_32_10_t *__s)
{
	uint4 __t = __s->output;
	__hd_rand::__philox_add(__s, 1);
	__s->output = curand_Philox4x32_10(__s->ctr, __s->key);
	switch (__s->STATE) {
	case 1: return make_uint4(__t.y, __t.z, __t.w, __s->output.x);
	case 2: return make_uint4(__t.z, __t.w, __s->output.x, __s->output.y);
	case 3: return make_uint4(__t.w, __s->output.x, __s->output.y, __s->output.z);
	default: return __t;
	}
}

/* Uniform on (0, 1]. */
QUALIFIERS float _curand_uniform(unsigned int __x) { return __x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f); }
QUALIFIERS double _curand_uniform_double_hq(unsigned int __x, unsigned int __y)
{
	unsigned long long __z = (unsigned long long)__x ^ ((unsigned long long)__y << (53 - 32));
	return (double)__z * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}
/* Box and Muller: two normal numbers from a uniform one and an angle. */
namespace __hd_rand {
QUALIFIERS float2 __polar(float __u, float __angle)
{
	float2 __r;
	float __s = sqrtf(-2.0f * logf(__u));
#if defined(__CUDA_ARCH__)
	__sincosf(__angle, &__r.x, &__r.y);
#else
	__r.x = sinf(__angle);
	__r.y = cosf(__angle);
#endif
	__r.x *= __s;
	__r.y *= __s;
	return __r;
}
QUALIFIERS double2 __polar_double(double __u, double __half_turns)
{
	double2 __r;
	double __s = sqrt(-2.0 * log(__u));
	sincospi(__half_turns, &__r.x, &__r.y);
	__r.x *= __s;
	__r.y *= __s;
	return __r;
}
}
QUALIFIERS float2 _curand_box_muller(unsigned int __x, unsigned int __y)
{
	return __hd_rand::__polar(__x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2),
		__y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2));
}
QUALIFIERS double2 _curand_box_muller_double(unsigned int __x0, unsigned int __x1, unsigned int __y0,
	unsigned int __y1)
{
	unsigned long long __zx = (unsigned long long)__x0 ^ ((unsigned long long)__x1 << (53 - 32));
	unsigned long long __zy = (unsigned long long)__y0 ^ ((unsigned long long)__y1 << (53 - 32));
	return __hd_rand::__polar_double(
		(double)__zx * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0),
		(double)__zy * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE);
}

#include "heddle/mrg32k3a.h"
#include "heddle/sobol.h"

/* Uniform and pairs of normal numbers from the bits. */
#define __HD_BITS(__S) \
QUALIFIERS float curand_uniform(__S *__s) { return _curand_uniform(curand(__s)); } \
QUALIFIERS double curand_uniform_double(__S *__s) \
{ unsigned int __x = curand(__s), __y = curand(__s); return _curand_uniform_double_hq(__x, __y); } \
QUALIFIERS float2 curand_normal2(__S *__s) \
{ unsigned int __x = curand(__s), __y = curand(__s); return _curand_box_muller(__x, __y); } \
QUALIFIERS double2 curand_normal2_double(__S *__s) \
{ unsigned int __a = curand(__s), __b = curand(__s), __c = curand(__s), __d = curand(__s); \
	return _curand_box_muller_double(__a, __b, __c, __d); }
__HD_BITS(curandStateXORWOW_t)
__HD_BITS(curandStatePhilox4_32_10_t)
#undef __HD_BITS

#define __HD_DIST(__S) \
QUALIFIERS float curand_normal(__S *__s) \
{ \
	if (__s->boxmuller_flag != EXTRA_FLAG_NORMAL) { \
		float2 __v = curand_normal2(__s); \
		__s->boxmuller_extra = __v.y; \
		__s->boxmuller_flag = EXTRA_FLAG_NORMAL; \
		return __v.x; \
	} \
	__s->boxmuller_flag = 0; \
	return __s->boxmuller_extra; \
} \
QUALIFIERS double curand_normal_double(__S *__s) \
{ \
	if (__s->boxmuller_flag_double != EXTRA_FLAG_NORMAL) { \
		double2 __v = curand_normal2_double(__s); \
		__s->boxmuller_extra_double = __v.y; \
		__s->boxmuller_flag_double = EXTRA_FLAG_NORMAL; \
		return __v.x; \
	} \
	__s->boxmuller_flag_double = 0; \
	return __s->boxmuller_extra_double; \
} \
QUALIFIERS float curand_log_normal(__S *__s, float __mean, float __dev) \
{ \
	if (__s->boxmuller_flag != EXTRA_FLAG_LOG_NORMAL) { \
		float2 __v = curand_normal2(__s); \
		__s->boxmuller_extra = expf(__mean + (__dev * __v.y)); \
		__s->boxmuller_flag = EXTRA_FLAG_LOG_NORMAL; \
		return expf(__mean + (__dev * __v.x)); \
	} \
	__s->boxmuller_flag = 0; \
	return __s->boxmuller_extra; \
} \
QUALIFIERS float2 curand_log_normal2(__S *__s, float __mean, float __dev) \
{ float2 __v = curand_normal2(__s); __v.x = expf(__mean + (__dev * __v.x)); __v.y = expf(__mean + (__dev * __v.y)); return __v; } \
QUALIFIERS double curand_log_normal_double(__S *__s, double __mean, double __dev) \
{ \
	if (__s->boxmuller_flag_double != EXTRA_FLAG_LOG_NORMAL) { \
		double2 __v = curand_normal2_double(__s); \
		__s->boxmuller_extra_double = exp(__mean + (__dev * __v.y)); \
		__s->boxmuller_flag_double = EXTRA_FLAG_LOG_NORMAL; \
		return exp(__mean + (__dev * __v.x)); \
	} \
	__s->boxmuller_flag_double = 0; \
	return __s->boxmuller_extra_double; \
} \
QUALIFIERS double2 curand_log_normal2_double(__S *__s, double __mean, double __dev) \
{ \
	double2 __v = curand_normal2_double(__s); \
	__v.x = exp(__mean + (__dev * __v.x)); \
	__v.y = exp(__mean + (__dev * __v.y)); \
	return __v; \
}
__HD_DIST(curandStateXORWOW_t)
__HD_DIST(curandStatePhilox4_32_10_t)
__HD_DIST(curandStateMRG32k3a_t)
#undef __HD_DIST

QUALIFIERS float4 curand_uniform4(curandStatePhilox4_32_10_t *__s)
{
	uint4 __x = curand4(__s);
	return make_float4(_curand_uniform(__x.x), _curand_uniform(__x.y), _curand_uniform(__x.z), _curand_uniform(__x.w));
}
QUALIFIERS double2 curand_uniform2_double(curandStatePhilox4_32_10_t *__s)
{
	uint4 __x = curand4(__s);
	return make_double2(_curand_uniform_double_hq(__x.x, __x.y), _curand_uniform_double_hq(__x.z, __x.w));
}
QUALIFIERS float4 curand_normal4(curandStatePhilox4_32_10_t *__s)
{
	uint4 __x = curand4(__s);
	float2 __a = _curand_box_muller(__x.x, __x.y), __b = _curand_box_muller(__x.z, __x.w);
	return make_float4(__a.x, __a.y, __b.x, __b.y);
}
QUALIFIERS float4 curand_log_normal4(curandStatePhilox4_32_10_t *__s, float __mean, float __dev)
{
	float4 __v = curand_normal4(__s);
	return make_float4(expf(__mean + (__dev * __v.x)), expf(__mean + (__dev * __v.y)),
		expf(__mean + (__dev * __v.z)), expf(__mean + (__dev * __v.w)));
}

QUALIFIERS double4 curand_uniform4_double(curandStatePhilox4_32_10_t *__s)
{
	double2 __a = curand_uniform2_double(__s), __b = curand_uniform2_double(__s);
	return make_double4(__a.x, __a.y, __b.x, __b.y);
}
QUALIFIERS double4 curand_normal4_double(curandStatePhilox4_32_10_t *__s)
{
	uint4 __x = curand4(__s), __y = curand4(__s);
	double2 __a = _curand_box_muller_double(__x.x, __x.y, __x.z, __x.w);
	double2 __b = _curand_box_muller_double(__y.x, __y.y, __y.z, __y.w);
	return make_double4(__a.x, __a.y, __b.x, __b.y);
}
QUALIFIERS double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *__s, double __mean,
	double __dev)
{
	double4 __v = curand_normal4_double(__s);
	return make_double4(exp(__mean + (__dev * __v.x)), exp(__mean + (__dev * __v.y)),
		exp(__mean + (__dev * __v.z)), exp(__mean + (__dev * __v.w)));
}

#include "heddle/poisson.h"

#undef QUALIFIERS
#endif
