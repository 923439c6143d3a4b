// C = A * B', A has M x K halves, B N x K, C M x N floats; all are stored row by row. One thread computes one element
// from global memory. Your work: the ladder in README.md.
//
// The block's threads and the tile of C that it computes; the grid follows from them. A third part, `shared BYTES`, asks
// for dynamic shared memory.
// launch: block 256 tile 16 16
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const __half *A, const __half *B, float *C, int M, int N, int K)
{
	int row = blockIdx.y * 16 + threadIdx.x / 16, column = blockIdx.x * 16 + threadIdx.x % 16;
	float sum = 0;
	for (int k = 0; k < K; k++)
		sum += __half2float(A[row * K + k]) * __half2float(B[column * K + k]);
	C[row * N + column] = sum;
}
