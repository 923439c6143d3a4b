/* Tiles of several warps: ranks, barriers, shuffles, and reductions, also into atomic variables. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include "check.h"
namespace cg = cooperative_groups;

enum { THREADS = 512 };

template <unsigned N> __global__ void sums(int *sum, int *most, int *rank, int *from, int *votes)
{
	__shared__ cg::block_tile_memory<THREADS> memory;
	cg::thread_block block = cg::this_thread_block(memory);
	auto tile = cg::tiled_partition<N>(block);
	int i = threadIdx.x;
	sum[i] = cg::reduce(tile, i, cg::plus<int>());
	most[i] = cg::reduce(tile, i % 37, cg::greater<int>());
	rank[i] = tile.thread_rank() + 1000 * tile.meta_group_rank() + 1000000 * tile.meta_group_size();
	from[i] = tile.shfl(i, (int)N - 3);
	votes[i] = tile.any(i == 70) + 2 * tile.all(i != 70);
	tile.sync();
}

__device__ cuda::atomic<int, cuda::thread_scope_device> total, least, next;

__global__ void updates(int *place)
{
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
	int i = threadIdx.x;
	cg::reduce_update_async(warp, total, i, cg::plus<int>());
	cg::reduce_update_async(warp, least, i + 7, cg::less<int>());
	place[i] = cg::exclusive_scan_update(warp, next, i % 3);
}

template <unsigned N> static void check(int *v)
{
	int *sum = v, *most = v + THREADS, *rank = v + 2 * THREADS, *from = v + 3 * THREADS, *votes = v + 4 * THREADS;
	sums<N><<<1, THREADS>>>(sum, most, rank, from, votes);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < THREADS; i++) {
		int first = i / N * N, s = 0, m = 0;
		for (int k = first; k < first + (int)N; k++) {
			s += k;
			m = k % 37 > m ? k % 37 : m;
		}
		bool has = first <= 70 && 70 < first + (int)N;
		CHECK(sum[i] == s);
		CHECK(most[i] == m);
		CHECK(rank[i] == (int)(i % N + 1000 * (i / N) + 1000000 * (THREADS / N)));
		CHECK(from[i] == first + (int)N - 3);
		CHECK(votes[i] == (has ? 1 : 2));
	}
}

int main()
{
	int *v;
	CUDA(cudaMallocManaged(&v, 5 * THREADS * sizeof *v));
	check<64>(v);
	check<128>(v);
	check<512>(v);
	check<16>(v);

	int start[3] = {5, 1 << 30, 0}, got[3];
	CUDA(cudaMemcpyToSymbol(total, &start[0], 4));
	CUDA(cudaMemcpyToSymbol(least, &start[1], 4));
	CUDA(cudaMemcpyToSymbol(next, &start[2], 4));
	updates<<<1, THREADS>>>(v);
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaMemcpyFromSymbol(&got[0], total, 4));
	CUDA(cudaMemcpyFromSymbol(&got[1], least, 4));
	CUDA(cudaMemcpyFromSymbol(&got[2], next, 4));
	CHECK(got[0] == 5 + THREADS * (THREADS - 1) / 2);
	CHECK(got[1] == 7);
	/* each thread receives a range of its own; together the ranges are all numbers below the
	 * sum */
	static char taken[2 * THREADS];
	int all = 0;
	for (int i = 0; i < THREADS; i++)
		for (int k = 0; k < i % 3; k++, all++) {
			CHECK(v[i] + k < 2 * THREADS && !taken[v[i] + k]);
			taken[v[i] + k] = 1;
		}
	CHECK(got[2] == all);
	return failures != 0;
}
