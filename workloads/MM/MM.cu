/*
 * MM: product of two matrices, tile by tile through shared memory.
 *
 * Used by: warpman (Table 2: 8 warps, 2 KB of shared memory and 6144 registers a block; its worked
 *   example); the thesis on ISAs (Table 7: 19,456 instructions, one tile of 16x16: --tiles 1).
 * Geometry: blocks of 16x16 threads, one element of the product each; per pair of tiles a load, a
 *   barrier, 16 multiply-adds, a barrier. 40x20 blocks for 320x320 times 320x640.
 * Memory: two 16x16 tiles of floats in shared memory.
 * Input: uniform numbers from 0 to 1.
 * Options: --tiles N: square matrices of N x N tiles.
 * Check: dot products in double precision.
 */
#include "../common/workload.h"

enum { T = 16 };

/* c (ha x wb) = a (ha x wa) * b (wa x wb), all multiples of T. */
__global__ void multiply(float *c, const float *a, const float *b, int wa, int wb)
{
	__shared__ float as[T][T], bs[T][T];
	int tx = threadIdx.x, ty = threadIdx.y;
	int a_first = wa * T * blockIdx.y, b_first = T * blockIdx.x;
	float sum = 0;
	for (int m = 0; m < wa; m += T) {
		as[ty][tx] = a[a_first + m + wa * ty + tx];
		bs[ty][tx] = b[b_first + wb * (m + ty) + tx];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < T; k++)
			sum += as[ty][k] * bs[k][tx];
		__syncthreads();
	}
	c[wb * (T * blockIdx.y + ty) + b_first + tx] = sum;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("MM", argc, argv);
	int tiles = (int)workload_number(&w, "--tiles", 0, 1, 256);
	workload_options_end(&w);
	int ha = tiles ? T * tiles : workload_pick(&w, 48, 160, 320);
	int wa = tiles ? T * tiles : workload_pick(&w, 80, 160, 320);
	int wb = tiles ? T * tiles : workload_pick(&w, 64, 320, 640);
	std::vector<float> a((size_t)ha * wa), b((size_t)wa * wb), c((size_t)ha * wb);
	for (float &x : a)
		x = rng_range(&w.rng, 0, 1);
	for (float &x : b)
		x = rng_range(&w.rng, 0, 1);
	float *dc = on_device<float>(c.size());
	multiply<<<dim3(wb / T, ha / T), dim3(T, T)>>>(dc, to_device(a), to_device(b), wa, wb);
	CUDA_LAUNCHED();
	from_device(c, dc);
	std::vector<double> want(c.size());
	for (int i = 0; i < ha; i++)
		for (int k = 0; k < wa; k++)
			for (int j = 0; j < wb; j++)
				want[(size_t)i * wb + j] +=
				        (double)a[(size_t)i * wa + k] * b[(size_t)k * wb + j];
	check_near(&w, "product", c, want, 1e-5);
	return workload_finish(&w);
}
