/* cuda/barrier, cuda/pipeline, cuda_pipeline.h. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void with_barrier(int *p, const float4 *g)
{
	__shared__ barrier bar;
	__shared__ float4 tile[64];
	auto block = cg::this_thread_block();
	if (block.thread_rank() == 0)
		init(&bar, block.size());
	block.sync();
	barrier::arrival_token token = bar.arrive();
	p[threadIdx.x] = 1;
	bar.wait(std::move(token));
	cuda::memcpy_async(block, tile, g, sizeof(tile), bar);
	bar.arrive_and_wait();
	p[0] = (int)tile[3].x;
}
__global__ void with_pipeline(float *p, const float *g)
{
	__shared__ float s[128];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	pipe.producer_acquire();
	cuda::memcpy_async(block, s, g, sizeof(s), pipe);
	pipe.producer_commit();
	pipe.consumer_wait();
	p[threadIdx.x] = s[threadIdx.x];
	pipe.consumer_release();
	auto mine = cuda::make_pipeline();
	cuda::memcpy_async(s + threadIdx.x, g + threadIdx.x, cuda::aligned_size_t<4>(4), mine);
	mine.producer_commit();
	cuda::pipeline_consumer_wait_prior<0>(mine);
	__pipeline_memcpy_async(s, g, 16);
	__pipeline_commit();
	__pipeline_wait_prior(0);
}
int main()
{
	with_barrier<<<1, 32>>>(0, 0);
	with_pipeline<<<1, 32>>>(0, 0);
	return 0;
}
