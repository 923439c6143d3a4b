// Rung 1: a block of 256 threads keeps tiles of A and B in shared memory; each thread computes 4 x 4 elements of C.
// launch: block 256 tile 64 64
#include <cuda_fp16.h>

enum { TILE = 64, DEPTH = 16 };

extern "C" __global__ void gemm(const __half *A, const __half *B, float *C, int M, int N, int K)
{
	__shared__ float a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
	int t = threadIdx.x, ty = t / 16, tx = t % 16;
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
	float sum[4][4] = {};
	for (int k0 = 0; k0 < K; k0 += DEPTH) {
		for (int i = t; i < TILE * DEPTH; i += 256) {
			a[i % DEPTH][i / DEPTH] = __half2float(A[(row + i / DEPTH) * K + k0 + i % DEPTH]);
			b[i % DEPTH][i / DEPTH] = __half2float(B[(column + i / DEPTH) * K + k0 + i % DEPTH]);
		}
		__syncthreads();
		for (int k = 0; k < DEPTH; k++)
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					sum[i][j] += a[k][ty + 16 * i] * b[k][tx + 16 * j];
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			C[(row + ty + 16 * i) * N + column + tx + 16 * j] = sum[i][j];
}
