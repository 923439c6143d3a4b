// long
/*
 * Sobol's sequences from direction vectors. The second dimension is of the polynomial x + 1 with m1 = 1:
 * m = 1, 3, 5, 15, 17, .. (m' = 2m ^ m), and starts 0, 1/2, 1/4, 3/4, 3/8, 7/8, 1/8, 5/8 in Gray code
 * order, by hand (v1 = .1, v2 = .11, v3 = .101).
 */
#include <math.h>
#include <curand_kernel.h>
#include "check.h"

enum { DRAWS = 64 };

template <class W> static void vectors(W *v)
{
	W m = 1;
	for (int k = 0; k < (int)sizeof(W) * 8; k++, m = m << 1 ^ m)
		v[k] = m << (sizeof(W) * 8 - 1 - k);
}

struct result {
	unsigned int plain[DRAWS], scrambled[DRAWS], skipped[2];
	unsigned long long plain64[DRAWS], scrambled64[DRAWS], skipped64;
	float uniform, uniform_of_64, normal;
	double wide, wide_of_64;
};

template <class S, class W> __host__ __device__ void draw(S *s, W *to)
{
	for (int i = 0; i < DRAWS; i++)
		to[i] = curand(s);
}

__host__ __device__ void all(unsigned int *v, unsigned long long *w, result *r)
{
	curandStateSobol32_t a;
	curandStateScrambledSobol32 b;
	curandStateSobol64 c;
	curandStateScrambledSobol64_t d;
	curand_init(v, 0, &a);
	draw(&a, r->plain);
	curand_init(v, 0x12345678u, 3, &b);
	draw(&b, r->scrambled);
	curand_init(w, 0, &c);
	draw(&c, r->plain64);
	curand_init(w, 0x123456789abcdefull, 3, &d);
	draw(&d, r->scrambled64);
	curand_init(v, 10, &a);
	r->skipped[0] = curand(&a);
	skipahead(20, &a);
	r->skipped[1] = curand(&a);
	curand_init(w, 1ull << 40, &c);
	r->skipped64 = curand(&c);
	curand_init(v, 4, &a);
	r->uniform = curand_uniform(&a);
	r->wide = curand_uniform_double(&a);
	r->normal = curand_normal(&a);
	curand_init(w, 4, &c);
	r->uniform_of_64 = curand_uniform(&c);
	r->wide_of_64 = curand_uniform_double(&c);
}

__global__ void kernel(unsigned int *v, unsigned long long *w, result *r) { all(v, w, r); }

static void check(const result *r)
{
	static const unsigned int eighths[8] = {0, 4, 2, 6, 3, 7, 1, 5};
	for (int i = 0; i < 8; i++) {
		CHECK(r->plain[i] == eighths[i] << 29);
		CHECK(r->plain64[i] == (unsigned long long)eighths[i] << 61);
	}
	for (int i = 0; i + 3 < DRAWS; i++) {
		CHECK(r->scrambled[i] == (r->plain[i + 3] ^ 0x12345678u));
		CHECK(r->scrambled64[i] == (r->plain64[i + 3] ^ 0x123456789abcdefull));
	}
	CHECK(r->skipped[0] == r->plain[10] && r->skipped[1] == r->plain[31]);
	/* In Gray code 2^40 has bits 40 and 39; the m of a vector is that row of Pascal's triangle modulo 2. */
	CHECK(r->skipped64 == ((1ull << 40 | 1ull << 32 | 1ull << 8 | 1) << 23 ^ 0xffull << 56 ^ 0xffull << 24));
	CHECK(r->uniform == 0.375f && r->uniform_of_64 == 0.375f);
	CHECK(r->wide == 0.875 + ldexp(1, -33) && r->wide_of_64 == 0.875 + ldexp(1, -54));
	CHECK(fabs(r->normal + 1.1503494) < 1e-6); /* the normal number of 1/8 */
}

int main()
{
	unsigned int *v;
	unsigned long long *w;
	result *r, *h = new result;
	CUDA(cudaMallocManaged(&v, sizeof(curandDirectionVectors32_t)));
	CUDA(cudaMallocManaged(&w, sizeof(curandDirectionVectors64_t)));
	CUDA(cudaMallocManaged(&r, sizeof *r));
	vectors(v);
	vectors(w);
	kernel<<<1, 1>>>(v, w, r);
	all(v, w, h);
	CUDA(cudaDeviceSynchronize());
	check(r);
	check(h);
	return failures != 0;
}
