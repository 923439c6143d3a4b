/* Sobol's sequences in Gray code order (Antonov and Saleev 1979): number i is the sum modulo 2 of
 * the direction vectors that the bits of i ^ i/2 select, so that adding one vector gives the next
 * number. The caller supplies the vectors of a dimension, and for scrambled sequences the constant
 * to add. */
#ifndef HEDDLE_SOBOL_H
#define HEDDLE_SOBOL_H

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define __HD_SOBOL_STATE(__n, __W, __bits) \
struct __n { \
	__W i, x, c; \
	__W direction_vectors[__bits]; \
}; \
typedef struct __n __n##_t;
__HD_SOBOL_STATE(curandStateSobol32, unsigned int, 32)
__HD_SOBOL_STATE(curandStateScrambledSobol32, unsigned int, 32)
__HD_SOBOL_STATE(curandStateSobol64, unsigned long long, 64)
__HD_SOBOL_STATE(curandStateScrambledSobol64, unsigned long long, 64)
#undef __HD_SOBOL_STATE

namespace __hd_rand {
/* The number at place i. */
template <class __W> QUALIFIERS __W __sobol_at(__W __i, __W __c, const __W *__v)
{
	__W __x = __c;
	for (__W __gray = __i ^ __i >> 1; __gray; __gray >>= 1, __v++)
		if (__gray & 1)
			__x ^= *__v;
	return __x;
}
/* Index of the vector by which numbers i and i + 1 differ: the position of the lowest zero bit of i. */
template <class __W> QUALIFIERS int __sobol_change(__W __i)
{
	int __k = 0;
	for (; __i & 1 && __k < (int)sizeof(__W) * 8 - 1; __i >>= 1)
		__k++;
	return __k;
}
template <class __S, class __W>
QUALIFIERS void __sobol_init(const __W *__v, __W __c, __W __offset, __S *__s)
{
	for (unsigned int __k = 0; __k < sizeof(__W) * 8; __k++)
		__s->direction_vectors[__k] = __v[__k];
	__s->c = __c;
	__s->i = __offset;
	__s->x = __sobol_at(__s->i, __s->c, __s->direction_vectors);
}
}

/* Uniform on (0, 1], from one number: a second number would belong to another point. */
namespace __hd_rand {
QUALIFIERS float __sobol_float(unsigned int __x) { return _curand_uniform(__x); }
QUALIFIERS float __sobol_float(unsigned long long __x)
{
	return _curand_uniform((unsigned int)(__x >> 32));
}
QUALIFIERS double __sobol_double(unsigned int __x)
{
	return __x * CURAND_2POW32_INV_DOUBLE + (CURAND_2POW32_INV_DOUBLE / 2.0);
}
QUALIFIERS double __sobol_double(unsigned long long __x)
{
	return (double)(__x >> 11) * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}
}

/* Normal numbers by the inverse distribution function, which keeps the order of the points. */
#define __HD_SOBOL(__S, __W) \
QUALIFIERS __W curand(__S *__s) \
{ \
	__W __r = __s->x; \
	__s->x ^= __s->direction_vectors[__hd_rand::__sobol_change(__s->i)]; \
	__s->i++; \
	return __r; \
} \
QUALIFIERS void skipahead(__W __n, __S *__s) \
{ \
	__s->i += __n; \
	__s->x = __hd_rand::__sobol_at(__s->i, __s->c, __s->direction_vectors); \
} \
QUALIFIERS float curand_uniform(__S *__s) { return __hd_rand::__sobol_float(curand(__s)); } \
QUALIFIERS double curand_uniform_double(__S *__s) \
{ return __hd_rand::__sobol_double(curand(__s)); } \
QUALIFIERS float curand_normal(__S *__s) { return normcdfinvf(curand_uniform(__s)); } \
QUALIFIERS double curand_normal_double(__S *__s) \
{ return normcdfinv(curand_uniform_double(__s)); } \
QUALIFIERS float curand_log_normal(__S *__s, float __mean, float __dev) \
{ return expf(__mean + (__dev * curand_normal(__s))); } \
QUALIFIERS double curand_log_normal_double(__S *__s, double __mean, double __dev) \
{ return exp(__mean + (__dev * curand_normal_double(__s))); }
__HD_SOBOL(curandStateSobol32_t, unsigned int)
__HD_SOBOL(curandStateScrambledSobol32_t, unsigned int)
__HD_SOBOL(curandStateSobol64_t, unsigned long long)
__HD_SOBOL(curandStateScrambledSobol64_t, unsigned long long)
#undef __HD_SOBOL

QUALIFIERS void curand_init(const unsigned int *__v, unsigned int __offset,
	curandStateSobol32_t *__s)
{
	__hd_rand::__sobol_init(__v, 0u, __offset, __s);
}
QUALIFIERS void curand_init(const unsigned int *__v, unsigned int __c, unsigned int __offset,
	curandStateScrambledSobol32_t *__s)
{
	__hd_rand::__sobol_init(__v, __c, __offset, __s);
}
QUALIFIERS void curand_init(const unsigned long long *__v, unsigned long long __offset,
	curandStateSobol64_t *__s)
{
	__hd_rand::__sobol_init(__v, 0ull, __offset, __s);
}
QUALIFIERS void curand_init(const unsigned long long *__v, unsigned long long __c,
	unsigned long long __offset, curandStateScrambledSobol64_t *__s)
{
	__hd_rand::__sobol_init(__v, __c, __offset, __s);
}
#endif
