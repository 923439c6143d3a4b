/* Poisson numbers: by products of uniform numbers below a mean of 64 (Knuth, The Art of Computer
 * Programming 2, 3.4.1), by a rounded normal number from 4000 on, and between by transformed
 * rejection (Hoermann, "The transformed rejection method for generating Poisson random variables",
 * Insurance: Mathematics and Economics 12, 1993, algorithm PTRS). The first and the last method
 * give cuRAND's numbers; in between only the distribution is cuRAND's. */
#ifndef HEDDLE_POISSON_H
#define HEDDLE_POISSON_H

namespace __hd_rand {
template <class __S> QUALIFIERS unsigned int __poisson_product(__S *__s, float __mean)
{
	unsigned int __k = 0;
	for (float __p = expf(__mean);; __k++) {
		__p *= curand_uniform(__s);
		if (!(__p > 1.0f))
			return __k;
	}
}

template <class __S> QUALIFIERS unsigned int __poisson_rejection(__S *__s, double __mean)
{
	double __b = 0.931 + 2.53 * sqrt(__mean), __a = -0.059 + 0.02483 * __b;
	double __inv = 1.1239 + 1.1328 / (__b - 3.4), __v_r = 0.9277 - 3.6224 / (__b - 2);
	for (;;) {
		double __u = (double)curand_uniform(__s) - 0.5, __v = (double)curand_uniform(__s);
		double __us = 0.5 - fabs(__u);
		double __k = floor((2 * __a / __us + __b) * __u + __mean + 0.43);
		if (__us >= 0.07 && __v <= __v_r)
			return (unsigned int)__k;
		if (__k < 0 || (__us < 0.013 && __v > __us))
			continue;
		if (log(__v) + log(__inv) - log(__a / (__us * __us) + __b) <=
		    -__mean + __k * log(__mean) - lgamma(__k + 1))
			return (unsigned int)__k;
	}
}
}

template <class __S> QUALIFIERS unsigned int curand_poisson(__S *__s, double __mean)
{
	if (__mean < 64)
		return __hd_rand::__poisson_product(__s, (float)__mean);
	if (__mean > 4000)
		return (unsigned int)(sqrt(__mean) * curand_normal_double(__s) + __mean + 0.5);
	return __hd_rand::__poisson_rejection(__s, __mean);
}
template <class __S> QUALIFIERS uint4 curand_poisson4(__S *__s, double __mean)
{
	uint4 __r;
	__r.x = curand_poisson(__s, __mean);
	__r.y = curand_poisson(__s, __mean);
	__r.z = curand_poisson(__s, __mean);
	__r.w = curand_poisson(__s, __mean);
	return __r;
}

#endif
