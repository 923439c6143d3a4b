/*
 * ST: repeated 7-point stencil on a 3D grid; a thread marches up one column and keeps three planes
 *   in registers.
 *
 * Used by: warpman (Table 2: 32 warps, no shared memory, 17408 registers a block; figures 7 to 9:
 *   64 blocks, 8 of 32 warps work, the others end within 50 instructions).
 * Geometry: 128x128x32 grid. The paper gives 64 blocks of 1024 threads and 8 working warps a block;
 *   blocks of 512x2 threads are the shape that fits: a row of the grid needs 4 of the 16 warps that
 *   the block has for it, the other 12 fall outside and end at once.
 * Memory: global only; five loads and a store a point, the rest from registers.
 * Input: uniform numbers from 0 to 1, borders included; 100 sweeps at size paper.
 * Check: the same stencil in double precision on the CPU.
 */
#include "../common/workload.h"

enum { BX = 512, BY = 2 };
#define C0 (1.0f / 6.0f)
#define C1 (1.0f / 36.0f)

__global__ void block2d_register_tile(const float *in, float *out, int nx, int ny, int nz, float c0,
                                      float c1)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i > 0 && j > 0 && i < nx - 1 && j < ny - 1) {
		int plane = nx * ny, at = j * nx + i;
		float below = in[at], here = in[at + plane];
#pragma unroll 1
		for (int k = 1; k < nz - 1; k++) {
			at += plane;
			float above = in[at + plane];
			out[at] = c1 * (above + below + in[at + 1] + in[at - 1] + in[at + nx] +
			                in[at - nx]) -
			          c0 * here;
			below = here;
			here = above;
		}
	}
}

static void sweep(const std::vector<double> &in, std::vector<double> &out, int nx, int ny, int nz)
{
	auto at = [=](int x, int y, int z) { return ((size_t)z * ny + y) * nx + x; };
	for (int z = 1; z < nz - 1; z++)
		for (int y = 1; y < ny - 1; y++)
			for (int x = 1; x < nx - 1; x++)
				out[at(x, y, z)] =
				        (double)C1 * (in[at(x - 1, y, z)] + in[at(x + 1, y, z)] +
				                      in[at(x, y - 1, z)] + in[at(x, y + 1, z)] +
				                      in[at(x, y, z - 1)] + in[at(x, y, z + 1)]) -
				        (double)C0 * in[at(x, y, z)];
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("ST", argc, argv);
	workload_options_end(&w);
	int nx = workload_pick(&w, 32, 128, 128), ny = nx, nz = workload_pick(&w, 16, 32, 32);
	int sweeps = workload_pick(&w, 3, 4, 100);
	std::vector<float> grid((size_t)nx * ny * nz);
	for (float &x : grid)
		x = rng_range(&w.rng, 0, 1);
	/* Both copies have the borders, which no sweep touches. */
	float *d[2] = {to_device(grid), to_device(grid)};
	std::vector<double> want[2];
	want[0].assign(grid.begin(), grid.end());
	want[1] = want[0];
	dim3 blocks((nx + BX - 1) / BX, (ny + BY - 1) / BY), threads(BX, BY);
	int from = 0;
	for (int s = 0; s < sweeps; s++, from = 1 - from) {
		block2d_register_tile<<<blocks, threads>>>(d[from], d[1 - from], nx, ny, nz, C0,
		                                           C1);
		sweep(want[from], want[1 - from], nx, ny, nz);
	}
	CUDA_LAUNCHED();
	from_device(grid, d[from]);
	check_near(&w, "grid", grid, want[from], 1e-5, 0.01);
	return workload_finish(&w);
}
