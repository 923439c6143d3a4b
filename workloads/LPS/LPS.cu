/*
 * LPS: Jacobi iteration for the Laplace equation on a 3D grid.
 *
 * Used by: hws (thesis, section 5.2: 100x100x100, one iteration), stsimt (Table II: 100 blocks of 128).
 * Geometry: blocks of 32x4 threads cover the grid's x-y plane (4x25 blocks for 100x100) and march along
 *   z; a block keeps three planes of its tile with a halo of one point in shared memory.
 * Memory: each point is read from global memory once by its tile; halo points are loaded by a few
 *   threads only, so most warps diverge at every plane.
 * Input: synthetic. Random values 0 to 1; boundary points are kept.
 * Check: every point against the same number of steps in plain loops.
 */
#include "../common/workload.h"

enum { TX = 32, TY = 4, HX = TX + 2, HY = TY + 2, HALO = 2 * TX + 2 * TY };

/* Places of the 2 (TX + TY) halo points around the tile; corners are never needed. */
static __device__ void halo_place(int h, int *x, int *y)
{
	if (h < 2 * TX) {
		*x = h % TX + 1;
		*y = h < TX ? 0 : HY - 1;
	} else {
		*x = h - 2 * TX < TY ? 0 : HX - 1;
		*y = (h - 2 * TX) % TY + 1;
	}
}

__global__ void laplace(float *out, const float *in, int nx, int ny, int nz)
{
	__shared__ float plane[3][HY][HX];
	int i = blockIdx.x * TX + threadIdx.x, j = blockIdx.y * TY + threadIdx.y;
	int t = threadIdx.y * TX + threadIdx.x, hx = 0, hy = 0;
	halo_place(t, &hx, &hy);
	int hi = blockIdx.x * TX + hx - 1, hj = blockIdx.y * TY + hy - 1;
	bool inside = i < nx && j < ny;
	bool halo = t < HALO && hi >= 0 && hi < nx && hj >= 0 && hj < ny;
	int at = i + j * nx, halo_at = hi + hj * nx, area = nx * ny;
	int x = threadIdx.x + 1, y = threadIdx.y + 1;
	bool edge = i == 0 || i == nx - 1 || j == 0 || j == ny - 1;
	for (int k = -1; k < nz; k++) {
		int above = (k + 1) % 3;
		if (k + 1 < nz) {
			if (inside)
				plane[above][y][x] = in[at + (k + 1) * area];
			if (halo)
				plane[above][hy][hx] = in[halo_at + (k + 1) * area];
		}
		__syncthreads();
		if (inside && k >= 0) {
			int here = k % 3, below = (k + 2) % 3;
			float v = plane[here][y][x];
			if (!edge && k > 0 && k < nz - 1)
				v = (plane[here][y][x - 1] + plane[here][y][x + 1] + plane[here][y - 1][x] +
				     plane[here][y + 1][x] + plane[below][y][x] + plane[above][y][x]) * (1.0f / 6.0f);
			out[at + k * area] = v;
		}
		__syncthreads();
	}
}

static void step(std::vector<float> &out, const std::vector<float> &in, int nx, int ny, int nz)
{
	out = in;
	size_t sy = (size_t)nx, sz = (size_t)nx * ny;
	for (int k = 1; k < nz - 1; k++)
		for (int j = 1; j < ny - 1; j++)
			for (int i = 1; i < nx - 1; i++) {
				size_t p = i + j * sy + k * sz;
				double sum = (double)in[p - 1] + in[p + 1] + in[p - sy] + in[p + sy] + in[p - sz] + in[p + sz];
				out[p] = (float)(sum / 6);
			}
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("LPS", argc, argv);
	int n = (int)workload_number(&w, "--side", workload_pick(&w, 36, 64, 100), 3, 512);
	int steps = (int)workload_number(&w, "--steps", 1, 1, 1000);
	workload_options_end(&w);
	std::vector<float> u((size_t)n * n * n), want, other;
	for (float &x : u)
		x = rng_range(&w.rng, 0, 1);
	want = u;
	float *a = to_device(u), *b = on_device<float>(u.size());
	dim3 block(TX, TY), grid((n + TX - 1) / TX, (n + TY - 1) / TY);
	for (int s = 0; s < steps; s++) {
		laplace<<<grid, block>>>(b, a, n, n, n);
		CUDA_LAUNCHED();
		float *swap = a;
		a = b;
		b = swap;
		step(other, want, n, n, n);
		want.swap(other);
	}
	from_device(u, a);
	check_near(&w, "u", u, want, 1e-6 * steps);
	return workload_finish(&w);
}
