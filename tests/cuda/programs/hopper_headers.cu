// options: -arch=sm_90a -std=c++17
/* Uses of the headers by programs for Hopper: bulk copies at a cuda::barrier, cuda::ptx, the group of a cluster whose
 * dimensions the kernel names, and dynamic shared memory of a structure. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cudaTypedefs.h>
#if __CUDACC_VER_MAJOR__ < 12 || (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 900 || !defined(__CUDA_ARCH_FEAT_SM90_ALL)))
#error "the compiler is not one that knows sm_90a"
#endif
#include "check.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
typedef cuda::barrier<cuda::thread_scope_block> barrier;

enum { N = 256, BLOCKS = 4 };
template <int n> struct box {
	int first[n];
	int second[n];
};

/* Each block loads N words in bulk, adds its rank, and stores them in bulk. */
template <int blocks> __global__ void __cluster_dims__(blocks / 2, 1, 1) __launch_bounds__(N) add_rank(const int *in, int *out)
{
	extern __shared__ __align__(128) box<N> s;
	__shared__ barrier bar;
	cg::cluster_group cluster = cg::this_cluster();
	if (threadIdx.x == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	barrier::arrival_token token;
	if (threadIdx.x == 0) {
		cuda::device::experimental::fence_proxy_async_shared_cta();
		cuda::device::memcpy_async_tx(s.first, in + blockIdx.x * N, sizeof s.first, bar);
		token = cuda::device::barrier_arrive_tx(bar, 1, sizeof s.first);
	} else {
		token = bar.arrive();
	}
	bar.wait(std::move(token));
	s.second[threadIdx.x] = s.first[threadIdx.x] + (int)cluster.block_rank() * 1000 + (int)cluster.num_blocks() * 10000;
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (threadIdx.x == 0) {
		ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * N, s.second, sizeof s.second);
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group(ptx::n32<0>);
	}
}

/* Each thread sends a word to the next block of its cluster with st.async, and adds one to that
 * word with an atomic. */
__global__ void __cluster_dims__(4) ring(int *out)
{
	__shared__ int box[N];
	__shared__ alignas(8) uint64_t bar;
	cg::cluster_group cluster = cg::this_cluster();
	if (threadIdx.x == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, N * 4);
	}
	cluster.sync();
	int next = (cluster.block_rank() + 1) % cluster.num_blocks();
	int *there = cluster.map_shared_rank(box, next);
	ptx::st_async(there + threadIdx.x, (int)(cluster.block_rank() * N + threadIdx.x), ptx::mapa(ptx::space_cluster, &bar, next));
	while (!ptx::mbarrier_try_wait_parity(&bar, 0))
		;
	cluster.barrier_wait(cluster.barrier_arrive());
	atomicAdd(there + threadIdx.x, 1);
	cluster.sync();
	out[cluster.thread_rank()] = box[threadIdx.x] + (cluster.query_shared_rank(there) == next ? 0 : 100000) +
				     (cluster.dim_blocks().x == 4 && cluster.block_index().x == blockIdx.x ? 0 : 200000);
}

int main()
{
	int *in, *out, h[BLOCKS * N];
	void *entry = NULL;
	cudaDriverEntryPointQueryResult found;
	CUDA(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
	PFN_cuTensorMapEncodeTiled_v12000 encode = (PFN_cuTensorMapEncodeTiled_v12000)entry;
	CHECK(encode && found == cudaDriverEntryPointSuccess);
	CUDA(cudaMalloc(&in, sizeof h));
	CUDA(cudaMalloc(&out, sizeof h));
	for (int i = 0; i < BLOCKS * N; i++)
		h[i] = i * 3;
	CUDA(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
	add_rank<BLOCKS><<<BLOCKS, N, sizeof(box<N>)>>>(in, out);
	CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * N; i++)
		CHECK(h[i] == i * 3 + i / N % 2 * 1000 + 20000);
	ring<<<BLOCKS, N>>>(out);
	CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < BLOCKS * N; i++)
		CHECK(h[i] == (i + BLOCKS * N - N) % (BLOCKS * N) + 1);
	return 0;
}
