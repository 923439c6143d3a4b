// Rung 3: a warpgroup (128 threads) multiplies 64 x 64 elements of C straight from shared memory (wgmma.m64n64k16). The
// tiles lie in shared memory as core matrices, 8 rows of 16 bytes each:
//
//	core matrix (r, c) of a tile, r = row / 8, c = k / 8     at byte (r * (DEPTH / 8) + c) * 128
//
// so neighbours along K are 128 bytes apart, neighbours along rows DEPTH / 8 * 128. The next tiles are copied by
// cp.async while these are multiplied.
// launch: block 128 tile 64 64
#include <cuda_fp16.h>
#include <stdint.h>

enum { TILE = 64, DEPTH = 64, BYTES = TILE * DEPTH * 2 };

// Addresses and distances of a descriptor count in 16 bytes: start, distance along K, distance along rows.
static __device__ uint64_t describe(unsigned at)
{
	return (uint64_t)(at >> 4 & 0x3fff) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(DEPTH / 8 * 128 >> 4) << 32;
}

static __device__ void multiply(float d[32], uint64_t a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
		     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "%32, %33, 1, 1, 1, 0, 0;"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
		     : "l"(a), "l"(b));
}

static __device__ void copy_tile(unsigned to, const __half *from, int K)
{
	for (int i = threadIdx.x; i < BYTES / 16; i += 128) {
		int row = i / (DEPTH / 8), c = i % (DEPTH / 8);
		unsigned at = to + ((row / 8 * (DEPTH / 8) + c) * 8 + row % 8) * 16;
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + row * K + c * 8));
	}
}

extern "C" __global__ void gemm(const __half *A, const __half *B, float *C, int M, int N, int K)
{
	__shared__ __align__(128) unsigned char tiles[2][2 * BYTES];
	unsigned base = (unsigned)__cvta_generic_to_shared(tiles);
	const __half *a = A + blockIdx.y * TILE * K, *b = B + blockIdx.x * TILE * K;
	float sum[32];
	for (int i = 0; i < 32; i++)
		sum[i] = 0;
	copy_tile(base, a, K);
	copy_tile(base + BYTES, b, K);
	asm volatile("cp.async.commit_group;");
	for (int k0 = 0, turn = 0; k0 < K; k0 += DEPTH, turn ^= 1) {
		unsigned now = base + turn * 2 * BYTES, next = base + (turn ^ 1) * 2 * BYTES;
		if (k0 + DEPTH < K) {
			copy_tile(next, a + k0 + DEPTH, K);
			copy_tile(next + BYTES, b + k0 + DEPTH, K);
		}
		asm volatile("cp.async.commit_group;");
		asm volatile("cp.async.wait_group 1;");
		asm volatile("fence.proxy.async;");
		__syncthreads();
		asm volatile("wgmma.fence.sync.aligned;");
#pragma unroll
		for (int k = 0; k < DEPTH / 16; k++)
			multiply(sum, describe(now + k * 256), describe(now + BYTES + k * 256));
		asm volatile("wgmma.commit_group.sync.aligned;");
		asm volatile("wgmma.wait_group.sync.aligned 0;");
		__syncthreads();
	}
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	float *p = C + (blockIdx.y * TILE + warp * 16 + lane / 4) * N + blockIdx.x * TILE + lane % 4 * 2;
#pragma unroll
	for (int j = 0; j < 8; j++) {
		*(float2 *)(p + 8 * j) = make_float2(sum[4 * j], sum[4 * j + 1]);
		*(float2 *)(p + 8 * N + 8 * j) = make_float2(sum[4 * j + 2], sum[4 * j + 3]);
	}
}
