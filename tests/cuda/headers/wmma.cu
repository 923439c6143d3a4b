/* mma.h: every element type and shape once. */
// options: -arch=sm_80
#include <mma.h>
using namespace nvcuda;

template <int M, int N, int K, class T, class C, class LA, class LB> __device__ void tile(const T *a, const T *b, C *c)
{
	wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
	wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
	wmma::fill_fragment(fc, 0.0f);
	wmma::load_matrix_sync(fa, a, K);
	wmma::load_matrix_sync(fb, b, K);
	wmma::load_matrix_sync(fd, c, N, wmma::mem_row_major);
	wmma::mma_sync(fc, fa, fb, fc);
	for (int i = 0; i < fc.num_elements; i++)
		fc.x[i] = fc.x[i] + fd.x[i];
	wmma::store_matrix_sync(c, fc, N, wmma::mem_col_major);
}
__global__ void kernel(half *h, float *f, signed char *s, unsigned char *u, int *i, __nv_bfloat16 *b, double *d)
{
	tile<16, 16, 16, half, float, wmma::row_major, wmma::col_major>(h, h, f);
	tile<32, 8, 16, half, half, wmma::col_major, wmma::row_major>(h, h, h);
	tile<8, 32, 16, signed char, int, wmma::row_major, wmma::col_major>(s, s, i);
	tile<16, 16, 16, unsigned char, int, wmma::row_major, wmma::row_major>(u, u, i);
	tile<16, 16, 16, __nv_bfloat16, float, wmma::row_major, wmma::col_major>(b, b, f);
	tile<8, 8, 4, double, double, wmma::row_major, wmma::col_major>(d, d, d);
	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
	wmma::load_matrix_sync(fa, f, 8);
	wmma::load_matrix_sync(fb, f, 8);
	for (int k = 0; k < fa.num_elements; k++)
		fa.x[k] = wmma::__float_to_tf32(fa.x[k]);
	wmma::fill_fragment(fc, 0.0f);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(f, fc, 16, wmma::mem_row_major);
}
int main()
{
	kernel<<<1, 32>>>(0, 0, 0, 0, 0, 0, 0);
	return 0;
}
