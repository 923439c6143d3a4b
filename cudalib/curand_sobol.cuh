/*
 * Direction vectors of Sobol's sequences, after Joe and Kuo ("Constructing Sobol sequences with better two-dimensional
 * projections", SIAM Journal on Scientific Computing 30, 2008; their file new-joe-kuo-6): a primitive polynomial and the first
 * vectors of each dimension; the others follow by the polynomial's recurrence. The first dimension is van der Corput's.
 */
#ifndef CURAND_SOBOL_CUH
#define CURAND_SOBOL_CUH

static const struct sobol_dimension {
	unsigned char degree, inner; /* degree of the polynomial; its inner coefficients as bits */
	unsigned char first[7];
} sobol_dimensions[] = {
	{1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}},
	{5, 2, {1, 1, 5, 5, 17}}, {5, 4, {1, 1, 5, 5, 5}}, {5, 7, {1, 1, 7, 11, 19}}, {5, 11, {1, 1, 5, 1, 1}},
	{5, 13, {1, 1, 1, 3, 11}}, {5, 14, {1, 3, 5, 5, 31}}, {6, 1, {1, 3, 3, 9, 7, 49}}, {6, 13, {1, 1, 1, 15, 21, 21}},
	{6, 16, {1, 3, 1, 13, 27, 49}}, {6, 19, {1, 1, 1, 15, 7, 5}}, {6, 22, {1, 3, 1, 15, 13, 25}},
	{6, 25, {1, 1, 5, 5, 19, 61}}, {7, 1, {1, 3, 7, 11, 23, 15, 103}}, {7, 4, {1, 3, 7, 13, 13, 15, 69}},
	{7, 7, {1, 1, 3, 13, 7, 35, 63}}, {7, 8, {1, 3, 5, 9, 1, 25, 53}}, {7, 14, {1, 3, 1, 13, 9, 35, 107}},
	{7, 19, {1, 3, 1, 5, 27, 61, 31}}, {7, 21, {1, 1, 5, 11, 19, 41, 61}}, {7, 28, {1, 3, 5, 3, 3, 13, 69}},
	{7, 31, {1, 1, 7, 13, 1, 19, 1}}, {7, 32, {1, 3, 7, 5, 13, 19, 59}}, {7, 37, {1, 1, 3, 9, 25, 29, 41}},
	{7, 41, {1, 3, 5, 13, 23, 1, 55}}, {7, 42, {1, 3, 7, 3, 13, 59, 17}}, {7, 50, {1, 3, 1, 3, 5, 53, 69}},
	{7, 55, {1, 1, 5, 5, 23, 33, 13}}, {7, 56, {1, 1, 7, 7, 1, 61, 123}}, {7, 59, {1, 1, 7, 9, 13, 61, 49}},
};
enum { SOBOL_DIMENSIONS = 1 + sizeof sobol_dimensions / sizeof *sobol_dimensions };

/* The vectors of a dimension, from 0: as many as W has bits. */
template <class W> static void sobol_vectors(int dimension, W *v)
{
	const int bits = sizeof(W) * 8;
	for (int i = 0; i < bits; i++) {
		if (!dimension) {
			v[i] = (W)1 << (bits - 1 - i);
			continue;
		}
		const sobol_dimension &d = sobol_dimensions[dimension - 1];
		if (i < d.degree) {
			v[i] = (W)d.first[i] << (bits - 1 - i);
			continue;
		}
		v[i] = v[i - d.degree] ^ v[i - d.degree] >> d.degree;
		for (int k = 1; k < d.degree; k++)
			if (d.inner >> (d.degree - 1 - k) & 1)
				v[i] ^= v[i - k];
	}
}

/* The scramble that is added to all numbers of a dimension: random bits (splitmix64 of the dimension's number). */
template <class W> static W sobol_scramble(int dimension)
{
	unsigned long long z = (dimension + 1) * 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (W)((z ^ z >> 31) >> (64 - sizeof(W) * 8));
}
#endif
