/*
 * MRG32k3a, the combined multiple recursive generator of L'Ecuyer ("Good parameters and
 * implementations for combined multiple recursive random number generators", Operations Research
 * 47, 1999): two recurrences of order three modulo primes near 2^32. Subsequences are 2^76 numbers
 * apart, sequences 2^127.
 */
#ifndef HEDDLE_MRG32K3A_H
#define HEDDLE_MRG32K3A_H

struct curandStateMRG32k3a {
	unsigned int s1[3], s2[3];
	int boxmuller_flag;
	int boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace __hd_rand {
typedef unsigned long long __u64;
enum : unsigned int { __m1 = 4294967087u, __m2 = 4294944443u };

/* The recurrences as matrices: one step, 2^76 steps, 2^127 steps. */
struct __mrg_jump {
	unsigned int __a[2][3][3];
};
QUALIFIERS __mrg_jump __mrg_step(int __which)
{
	const __mrg_jump __j[3] = {
		{{{{0u, 1u, 0u},
		   {0u, 0u, 1u},
		   {4294156359u, 1403580u, 0u}},
		  {{0u, 1u, 0u},
		   {0u, 0u, 1u},
		   {4293573854u, 0u, 527612u}}}},
		{{{{82758667u, 1871391091u, 4127413238u},
		   {3672831523u, 69195019u, 1871391091u},
		   {3672091415u, 3528743235u, 69195019u}},
		  {{1511326704u, 3759209742u, 1610795712u},
		   {4292754251u, 1511326704u, 3889917532u},
		   {3859662829u, 4292754251u, 3708466080u}}}},
		{{{{2427906178u, 3580155704u, 949770784u},
		   {226153695u, 1230515664u, 3580155704u},
		   {1988835001u, 986791581u, 1230515664u}},
		  {{1464411153u, 277697599u, 1610723613u},
		   {32183930u, 1464411153u, 1022607788u},
		   {2824425944u, 32183930u, 2093834863u}}}}};
	return __j[__which];
}

QUALIFIERS void __mrg_square(unsigned int (*__a)[3], unsigned int __m)
{
	unsigned int __r[3][3];
	for (int __i = 0; __i < 3; __i++)
		for (int __k = 0; __k < 3; __k++) {
			__u64 __s = 0;
			for (int __l = 0; __l < 3; __l++)
				__s = (__s + (__u64)__a[__i][__l] * __a[__l][__k] % __m) % __m;
			__r[__i][__k] = (unsigned int)__s;
		}
	for (int __i = 0; __i < 9; __i++)
		__a[__i / 3][__i % 3] = __r[__i / 3][__i % 3];
}

QUALIFIERS void __mrg_apply(unsigned int (*__a)[3], unsigned int *__v, unsigned int __m)
{
	unsigned int __r[3];
	for (int __i = 0; __i < 3; __i++) {
		__u64 __s = 0;
		for (int __k = 0; __k < 3; __k++)
			__s = (__s + (__u64)__a[__i][__k] * __v[__k] % __m) % __m;
		__r[__i] = (unsigned int)__s;
	}
	for (int __i = 0; __i < 3; __i++)
		__v[__i] = __r[__i];
}

/* Skips n steps of the given length, using the bits of n. */
QUALIFIERS void __mrg_skip(__u64 __n, int __which, curandStateMRG32k3a_t *__s)
{
	__mrg_jump __j = __mrg_step(__which);
	for (; __n; __n >>= 1) {
		if (__n & 1) {
			__mrg_apply(__j.__a[0], __s->s1, __m1);
			__mrg_apply(__j.__a[1], __s->s2, __m2);
		}
		if (__n > 1) {
			__mrg_square(__j.__a[0], __m1);
			__mrg_square(__j.__a[1], __m2);
		}
	}
}
}

/* The next number, 1 to 4294967087. */
QUALIFIERS double curand_MRG32k3a(curandStateMRG32k3a_t *__s)
{
	using namespace __hd_rand;
	__u64 __p = 1403580ull * __s->s1[1] + 810728ull * (__m1 - __s->s1[0]);
	__u64 __q = 527612ull * __s->s2[2] + 1370589ull * (__m2 - __s->s2[0]);
	unsigned int __x = (unsigned int)(__p % __m1), __y = (unsigned int)(__q % __m2);
	__s->s1[0] = __s->s1[1];
	__s->s1[1] = __s->s1[2];
	__s->s1[2] = __x;
	__s->s2[0] = __s->s2[1];
	__s->s2[1] = __s->s2[2];
	__s->s2[2] = __y;
	return __x <= __y ? __x - __y + __m1 : __x - __y;
}
/* Stretched to all 32 bits. */
QUALIFIERS unsigned int curand(curandStateMRG32k3a_t *__s)
{
	return (unsigned int)(curand_MRG32k3a(__s) * 1.000000048662);
}
QUALIFIERS void skipahead(unsigned long long __n, curandStateMRG32k3a_t *__s)
{
	__hd_rand::__mrg_skip(__n, 0, __s);
}
QUALIFIERS void skipahead_subsequence(unsigned long long __n, curandStateMRG32k3a_t *__s)
{
	__hd_rand::__mrg_skip(__n, 1, __s);
}
QUALIFIERS void skipahead_sequence(unsigned long long __n, curandStateMRG32k3a_t *__s)
{
	__hd_rand::__mrg_skip(__n, 2, __s);
}
QUALIFIERS void curand_init(unsigned long long __seed, unsigned long long __subsequence,
	unsigned long long __offset, curandStateMRG32k3a_t *__s)
{
	using namespace __hd_rand;
	__u64 __x = (unsigned int)__seed ^ 0x55555555u;
	__u64 __y = (unsigned int)(__seed >> 32) ^ 0xaaaaaaaau;
	for (int __i = 0; __i < 3; __i++) {
		bool __odd = __i & 1;
		__s->s1[__i] = __seed ? (unsigned int)((__odd ? __y : __x) * 12345 % __m1) : 12345;
		__s->s2[__i] = __seed ? (unsigned int)((__odd ? __x : __y) * 12345 % __m2) : 12345;
	}
	skipahead_subsequence(__subsequence, __s);
	skipahead(__offset, __s);
	__s->boxmuller_flag = 0;
	__s->boxmuller_flag_double = 0;
	__s->boxmuller_extra = 0.f;
	__s->boxmuller_extra_double = 0.;
}

/* Distributions are computed from the number itself, not from its bits. */
QUALIFIERS double curand_uniform_double(curandStateMRG32k3a_t *__s)
{
	return curand_MRG32k3a(__s) * 2.3283065498378288e-10;
}
QUALIFIERS float curand_uniform(curandStateMRG32k3a_t *__s)
{
	return (float)curand_uniform_double(__s);
}
QUALIFIERS float2 curand_normal2(curandStateMRG32k3a_t *__s)
{
	float __u = curand_uniform(__s), __v = curand_uniform(__s) * CURAND_2PI;
	return __hd_rand::__polar(__u, __v);
}
QUALIFIERS double2 curand_normal2_double(curandStateMRG32k3a_t *__s)
{
	double __u = curand_uniform_double(__s), __v = curand_uniform_double(__s) * 2.0;
	return __hd_rand::__polar_double(__u, __v);
}

#endif
