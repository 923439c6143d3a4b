// Rung 2: tensor cores. Four warps of a block compute 32 x 32 elements each of a tile of 64 x 64, by products of
// 16 x 8 x 16 (mma.m16n8k16). Both operands run fastest along K, as the instruction wants them.
// launch: block 128 tile 64 64
#include <cuda_fp16.h>

enum { TILE = 64, DEPTH = 32, PITCH = DEPTH + 8 };

static __device__ void multiply(float d[4], const unsigned a[4], const unsigned b[2])
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void gemm(const __half *A, const __half *B, float *C, int M, int N, int K)
{
	__shared__ __align__(16) unsigned short a[TILE * PITCH], b[TILE * PITCH];
	int t = threadIdx.x, lane = t % 32, warp = t / 32, group = lane / 4, in = lane % 4 * 2;
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE, wr = warp / 2 * 32, wc = warp % 2 * 32;
	float sum[2][4][4] = {};
	for (int k0 = 0; k0 < K; k0 += DEPTH) {
		for (int i = t; i < TILE * DEPTH / 8; i += 128) {
			int r = i / (DEPTH / 8), c = i % (DEPTH / 8) * 8;
			*(uint4 *)&a[r * PITCH + c] = *(const uint4 *)&A[(row + r) * K + k0 + c];
			*(uint4 *)&b[r * PITCH + c] = *(const uint4 *)&B[(column + r) * K + k0 + c];
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DEPTH; k += 16) {
			unsigned fa[2][4], fb[4][2];
#pragma unroll
			for (int i = 0; i < 2; i++) {
				const unsigned short *p = &a[(wr + 16 * i + group) * PITCH + k + in];
				fa[i][0] = *(const unsigned *)p;
				fa[i][1] = *(const unsigned *)(p + 8 * PITCH);
				fa[i][2] = *(const unsigned *)(p + 8);
				fa[i][3] = *(const unsigned *)(p + 8 * PITCH + 8);
			}
#pragma unroll
			for (int j = 0; j < 4; j++) {
				const unsigned short *p = &b[(wc + 8 * j + group) * PITCH + k + in];
				fb[j][0] = *(const unsigned *)p;
				fb[j][1] = *(const unsigned *)(p + 8);
			}
#pragma unroll
			for (int i = 0; i < 2; i++)
#pragma unroll
				for (int j = 0; j < 4; j++)
					multiply(sum[i][j], fa[i], fb[j]);
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < 2; i++)
#pragma unroll
		for (int j = 0; j < 4; j++) {
			float *p = &C[(row + wr + 16 * i + group) * N + column + wc + 8 * j + in];
			*(float2 *)p = make_float2(sum[i][j][0], sum[i][j][1]);
			*(float2 *)(p + 8 * N) = make_float2(sum[i][j][2], sum[i][j][3]);
		}
}
