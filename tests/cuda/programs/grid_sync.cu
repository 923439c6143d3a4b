/* A cooperative launch: every block sees what all blocks wrote before the grid's barrier, several
 * times over, and a second launch finds the barrier reset. */
#include <cooperative_groups.h>
#include "check.h"
namespace cg = cooperative_groups;

__global__ void rounds(int *cells, int *wrong, int n)
{
	cg::grid_group grid = cg::this_grid();
	int block = (int)blockIdx.x, blocks = (int)gridDim.x;
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0)
			cells[block] = i * 100 + block;
		cg::sync(grid);
		int other = (block + 1 + (int)threadIdx.x) % blocks;
		if (cells[other] != i * 100 + other)
			atomicAdd(wrong, 1);
		grid.sync();
	}
}

int main()
{
	int *mem, wrong = -1, n = 5;
	CUDA(cudaMalloc(&mem, 64 * sizeof *mem));
	CUDA(cudaMemset(mem, 0, 64 * sizeof *mem));
	int *bad = mem + 63;
	void *args[] = {&mem, &bad, &n};
	for (int blocks = 2; blocks <= 8; blocks += 6)
		CUDA(cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(96), args, 0, 0));
	CUDA(cudaMemcpy(&wrong, bad, sizeof wrong, cudaMemcpyDeviceToHost));
	CHECK(wrong == 0);
	return failures != 0;
}
