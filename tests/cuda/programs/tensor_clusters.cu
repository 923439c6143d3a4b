// options: -arch=sm_90a
/* Tensor maps made by the driver API, copies of tiles into the blocks of a cluster, and a block's
 * tile read by the other block. */
#include <cstdint>
#include <cuda.h>
#include "check.h"

enum { SIDE = 16, ROWS = 8, TILE = SIDE * ROWS };

/* Each block copies a tile chosen by its rank, and stores the tile of the other block. */
__global__ void swap_tiles(const __grid_constant__ CUtensorMap map, float *out)
{
	__shared__ alignas(128) float tile[TILE];
	__shared__ alignas(8) uint64_t bar;
	uint32_t t = (uint32_t)__cvta_generic_to_shared(tile), b = (uint32_t)__cvta_generic_to_shared(&bar);
	uint32_t rank, other;
	float x;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
		asm volatile("fence.mbarrier_init.release.cluster;");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(b));
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1, {%2, %3}], [%4];" ::"r"(t),
			     "l"(&map), "r"(0), "r"((int)rank * ROWS), "r"(b)
			     : "memory");
	}
	__syncthreads();
	asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W;}" ::"r"(b)
		     : "memory");
	asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(t), "r"(rank ^ 1));
	asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(other + threadIdx.x * 4) : "memory");
	out[rank * TILE + threadIdx.x] = x;
	asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
static CUresult encode(CUtensorMap *m, float *in, cuuint32_t width)
{
	cuuint64_t size[2] = {SIDE, SIDE}, stride[1] = {SIDE * sizeof(float)};
	cuuint32_t box[2] = {width, ROWS}, step[2] = {1, 1};
	return cuTensorMapEncodeTiled(m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, size, stride, box, step,
				      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
				      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

int main()
{
	float *in, *out, h[2 * TILE];
	CUtensorMap m;
	CUDA(cudaMalloc(&in, sizeof h));
	CUDA(cudaMalloc(&out, sizeof h));
	for (int i = 0; i < 2 * TILE; i++)
		h[i] = i;
	CUDA(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
	CHECK(encode(&m, in, 3) == CUDA_ERROR_INVALID_VALUE); /* 12 bytes */
	CHECK(encode(&m, in, SIDE) == CUDA_SUCCESS);
	cudaLaunchAttribute a;
	a.id = cudaLaunchAttributeClusterDimension;
	a.val.clusterDim = {2, 1, 1};
	cudaLaunchConfig_t c = {};
	c.gridDim = 2;
	c.blockDim = TILE;
	c.attrs = &a;
	c.numAttrs = 1;
	CUDA(cudaLaunchKernelEx(&c, swap_tiles, m, out));
	CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 2 * TILE; i++)
		CHECK(h[i] == (i + TILE) % (2 * TILE));
	c.gridDim = 3;
	CHECK(cudaLaunchKernelEx(&c, swap_tiles, m, out) == cudaErrorInvalidClusterSize);
	return failures != 0;
}
