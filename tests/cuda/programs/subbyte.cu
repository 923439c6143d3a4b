// long
// options: -arch=sm_80
/* Matrices of elements smaller than a byte: signed and unsigned 4-bit integers, and single bits
 * combined by xor and by and. */
#include "check.h"
#include <mma.h>
using namespace nvcuda;
namespace sub = wmma::experimental::precision;

template <class T, int K> struct tiles {
	wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 8, 8, K, int> c;
	__device__ void load(const unsigned *pa, const unsigned *pb, const int *pc)
	{
		wmma::load_matrix_sync(a, pa, K);
		wmma::load_matrix_sync(b, pb, K);
		wmma::load_matrix_sync(c, pc, 8, wmma::mem_row_major);
	}
};

__global__ void kernel(int *out, const unsigned *a, const unsigned *b, const int *c)
{
	tiles<sub::u4, 32> u;
	tiles<sub::s4, 32> s;
	tiles<sub::b1, 128> x;
	u.load(a, b, c);
	wmma::mma_sync(u.c, u.a, u.b, u.c);
	wmma::store_matrix_sync(out, u.c, 8, wmma::mem_row_major);
	s.load(a, b, c);
	wmma::mma_sync(s.c, s.a, s.b, s.c);
	wmma::store_matrix_sync(out + 64, s.c, 8, wmma::mem_row_major);
	x.load(a, b, c);
	wmma::bmma_sync(x.c, x.a, x.b, x.c);
	wmma::store_matrix_sync(out + 128, x.c, 8, wmma::mem_row_major);
	wmma::load_matrix_sync(x.c, c, 8, wmma::mem_row_major);
	wmma::bmma_sync(x.c, x.a, x.b, x.c, wmma::experimental::bmmaBitOpAND);
	wmma::store_matrix_sync(out + 192, x.c, 8, wmma::mem_row_major);
	static_assert(decltype(u.a)::num_elements == 8 && decltype(x.a)::num_elements == 32, "");
}

/* A row of a and a column of b are 128 bits: four words. */
static int expected(int which, const unsigned *a, const unsigned *b, int c)
{
	for (int w = 0; w < 4; w++) {
		if (which >= 2)
			c += __builtin_popcount(which == 2 ? a[w] ^ b[w] : a[w] & b[w]);
		for (int i = 0; i < 32 && which < 2; i += 4) {
			int x = a[w] >> i & 15, y = b[w] >> i & 15;
			c += which ? (x - (x & 8) * 2) * (y - (y & 8) * 2) : x * y;
		}
	}
	return c;
}

int main()
{
	struct data {
		int out[256], c[64];
		alignas(32) unsigned a[32], b[32];
	} *d;
	unsigned seed = 1;
	CUDA(cudaMallocManaged(&d, sizeof *d));
	for (int i = 0; i < 32; i++) {
		d->a[i] = (seed = seed * 1664525u + 1013904223u) ^ seed >> 13;
		d->b[i] = (seed = seed * 1664525u + 1013904223u) ^ seed >> 13;
	}
	for (int i = 0; i < 64; i++)
		d->c[i] = i - 20;
	kernel<<<1, 32>>>(d->out, d->a, d->b, d->c);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 256; i++)
		CHECK(d->out[i] == expected(i / 64, d->a + i % 64 / 8 * 4, d->b + i % 8 * 4, d->c[i % 64]));
	return failures != 0;
}
