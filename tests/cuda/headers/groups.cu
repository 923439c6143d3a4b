/* cooperative_groups.h and its algorithms. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
struct pair { double a; short b; };

template <class G> __device__ float group_sum(G g, float v)
{
	for (int i = g.size() / 2; i > 0; i /= 2)
		v += g.shfl_down(v, i);
	return v;
}
__device__ int base_sum(cg::thread_group g, int *tmp, int v)
{
	tmp[g.thread_rank()] = v;
	g.sync();
	return tmp[g.size() - 1];
}
__global__ void kernel(float *f, int *i, pair *p, double *d)
{
	extern __shared__ int tmp[];
	cg::thread_block b = cg::this_thread_block();
	auto tile = cg::tiled_partition<32>(b);
	cg::thread_block_tile<8> small = cg::tiled_partition<8>(b);
	cg::thread_block_tile<4, cg::thread_block_tile<32, cg::thread_block>> nested = cg::tiled_partition<4>(tile);
	f[b.thread_rank()] = group_sum(tile, f[0]) + group_sum(small, f[1]) + group_sum(nested, f[2]);
	i[0] = base_sum(b, tmp, i[0]) + base_sum(tile, tmp, i[1]) + base_sum(cg::tiled_partition(b, 16), tmp, 3);
	p[b.thread_rank()] = tile.shfl(p[0], 3);
	d[0] = tile.shfl_xor(d[1], 1) + cg::reduce(small, d[2], cg::plus<double>());
	cg::coalesced_group active = cg::coalesced_threads();
	i[1] = active.shfl(i[2], 0) + active.ballot(i[3]) + active.any(i[4]) + active.thread_rank();
	i[2] = cg::reduce(tile, i[3], cg::greater<int>()) + cg::inclusive_scan(tile, i[5]) + cg::exclusive_scan(tile, i[6]);
	i[3] = tile.ballot(i[1] > 2) + tile.all(i[2]) + tile.meta_group_rank() + tile.match_any(i[3]);
	auto lab = cg::labeled_partition(tile, i[3] % 3);
	auto bin = cg::binary_partition(lab, i[3] & 1);
	i[4] = cg::reduce(bin, 1, cg::plus<int>()) + bin.meta_group_size();
	cg::memcpy_async(b, tmp, i, sizeof(int) * 64);
	cg::wait(b);
	cg::sync(b);
	cg::grid_group grid = cg::this_grid();
	grid.sync();
	i[5] = grid.thread_rank() + grid.size() + b.group_index().x + b.thread_index().y + grid.num_blocks();
}
int main()
{
	void *args[4] = {0, 0, 0, 0};
	int n;
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 128, 0);
	cudaLaunchCooperativeKernel((void *)kernel, dim3(n), dim3(128), args, 256, 0);
	cudaLaunchCooperativeKernel(kernel, dim3(n), dim3(128), args);
	return 0;
}
