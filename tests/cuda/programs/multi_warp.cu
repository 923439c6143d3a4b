/* Tiles of several warps: their barrier, shuffles, reductions of structures, and two sizes side by
 * side. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 256 };
struct wide { short least, most; int product; };

struct combine {
	__device__ wide operator()(const wide &a, const wide &b) const
	{
		return {a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,
			a.product * b.product % 10007};
	}
};

template <unsigned N> __global__ void tiles(const int *in, int *sum, wide *all, int *passed, int *votes, int *late)
{
	__shared__ cg::block_tile_memory<THREADS> memory;
	__shared__ volatile int stage[THREADS];
	auto tile = cg::tiled_partition<N>(cg::this_thread_block(memory));
	auto halves = cg::tiled_partition<N / 2>(tile);
	unsigned t = threadIdx.x, m = tile.meta_group_rank();
	sum[t] = cg::reduce(tile, in[t], cg::plus<int>());
	wide w = cg::reduce(tile, wide{(short)in[t], (short)in[t], in[t] + 1}, combine());
	if (tile.thread_rank() == 0)
		all[m] = w;
	passed[t] = tile.shfl(in[t] * 10, N - 3);
	votes[t] = tile.any(in[t] == in[m * N]) + 2 * tile.all(in[t] < 90) + 4 * tile.any(in[t] < 0);
	/* the last warp of a tile arrives late; the others must wait for its writes */
	if (tile.thread_rank() >= N - 32)
		for (int k = 0; k < 40; k++)
			stage[t] = in[t] + k - 39;
	else
		stage[t] = in[t];
	tile.sync();
	late[t] = stage[m * N + (N - 1 - tile.thread_rank())];
	sum[t] += 1000 * (int)cg::reduce(halves, 1, cg::plus<int>());
}

template <unsigned N> static void check(const int *in, int *o, wide *all)
{
	int *sum = o, *passed = o + THREADS, *votes = o + 2 * THREADS, *late = o + 3 * THREADS;
	tiles<N><<<1, THREADS>>>(in, sum, all, passed, votes, late);
	CUDA(cudaDeviceSynchronize());
	for (unsigned m = 0; m < THREADS / N; m++) {
		const int *p = in + m * N;
		int want = 0, least = p[0], most = 0, small = 1, product = 1;
		for (unsigned i = 0; i < N; i++) {
			want += p[i];
			product = product * (p[i] + 1) % 10007;
			least = p[i] < least ? p[i] : least;
			most = p[i] > most ? p[i] : most;
			small &= p[i] < 90;
		}
		CHECK(all[m].least == least && all[m].product == product && all[m].most == most);
		for (unsigned i = 0; i < N; i++) {
			unsigned t = m * N + i;
			CHECK(sum[t] == want + 1000 * (int)(N / 2));
			CHECK(passed[t] == p[N - 3] * 10);
			CHECK(votes[t] == 1 + 2 * small);
			CHECK(late[t] == p[N - 1 - i]);
		}
	}
}

int main()
{
	int *in, *out;
	wide *all;
	CUDA(cudaMallocManaged(&in, THREADS * sizeof *in));
	CUDA(cudaMallocManaged(&out, 4 * THREADS * sizeof *out));
	CUDA(cudaMallocManaged(&all, 8 * sizeof *all));
	for (int i = 0; i < THREADS; i++)
		in[i] = i < 64 ? i : i * 7 % 100;
	check<64>(in, out, all);
	check<128>(in, out, all);
	check<256>(in, out, all);
	return failures != 0;
}
