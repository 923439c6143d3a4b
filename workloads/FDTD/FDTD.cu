/*
 * FDTD: an electromagnetic wave in two dimensions by finite differences in the time domain: in each step the two
 *   components of the electric field are advanced by the differences of the magnetic one, then that by theirs. The first
 *   row is driven by a source.
 *
 * Used by: the studies of warp throttling and of caches, which take it from the PolyBench collection.
 * Geometry: one thread a point, blocks of 32 x 8, three launches a step, as the collection's GPU version has them.
 * Memory: row-major fields in global memory, no shared memory. A point reads its left or upper neighbour besides itself, so a
 *   warp touches two lines of a row, or a line of each of two rows, which the next block's warps read again.
 * Input: synthetic. Fields of random values -1 to 1, a source that grows by 1 a step.
 * Check: every value of the three fields against the same steps in double precision.
 */
#include "../common/workload.h"

enum { TX = 32, TY = 8 };

__global__ void advance_ey(const float *source, float *ey, const float *hz, int t, int n)
{
	int j = blockIdx.x * TX + threadIdx.x, i = blockIdx.y * TY + threadIdx.y;
	if (i >= n || j >= n)
		return;
	if (i == 0)
		ey[j] = source[t];
	else
		ey[(size_t)i * n + j] -= 0.5f * (hz[(size_t)i * n + j] - hz[(size_t)(i - 1) * n + j]);
}

__global__ void advance_ex(float *ex, const float *hz, int n)
{
	int j = blockIdx.x * TX + threadIdx.x, i = blockIdx.y * TY + threadIdx.y;
	if (i >= n || j >= n || j == 0)
		return;
	ex[(size_t)i * n + j] -= 0.5f * (hz[(size_t)i * n + j] - hz[(size_t)i * n + j - 1]);
}

/* The last row and column have no neighbours behind them, and stay as they are. */
__global__ void advance_hz(const float *ex, const float *ey, float *hz, int n)
{
	int j = blockIdx.x * TX + threadIdx.x, i = blockIdx.y * TY + threadIdx.y;
	if (i >= n - 1 || j >= n - 1)
		return;
	hz[(size_t)i * n + j] -= 0.7f * (ex[(size_t)i * n + j + 1] - ex[(size_t)i * n + j] +
	                                 ey[(size_t)(i + 1) * n + j] - ey[(size_t)i * n + j]);
}

struct fields {
	std::vector<double> ex, ey, hz;
};

static void advance(struct fields *f, double source, int n)
{
	for (int j = 0; j < n; j++)
		f->ey[j] = source;
	for (int i = 1; i < n; i++)
		for (int j = 0; j < n; j++)
			f->ey[(size_t)i * n + j] -= 0.5 * (f->hz[(size_t)i * n + j] - f->hz[(size_t)(i - 1) * n + j]);
	for (int i = 0; i < n; i++)
		for (int j = 1; j < n; j++)
			f->ex[(size_t)i * n + j] -= 0.5 * (f->hz[(size_t)i * n + j] - f->hz[(size_t)i * n + j - 1]);
	for (int i = 0; i + 1 < n; i++)
		for (int j = 0; j + 1 < n; j++)
			f->hz[(size_t)i * n + j] -= 0.7 * (f->ex[(size_t)i * n + j + 1] - f->ex[(size_t)i * n + j] +
			                                   f->ey[(size_t)(i + 1) * n + j] - f->ey[(size_t)i * n + j]);
}

static std::vector<float> random_field(struct workload *w, int n)
{
	std::vector<float> v((size_t)n * n);
	for (float &x : v)
		x = rng_range(&w->rng, -1, 1);
	return v;
}

static std::vector<double> widened(const std::vector<float> &v)
{
	return std::vector<double>(v.begin(), v.end());
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("FDTD", argc, argv);
	int n = (int)workload_number(&w, "--n", workload_pick(&w, 64, 256, 1024), 2, 1 << 13);
	int steps = (int)workload_number(&w, "--steps", workload_pick(&w, 4, 10, 20), 1, 10000);
	workload_options_end(&w);
	std::vector<float> ex = random_field(&w, n), ey = random_field(&w, n), hz = random_field(&w, n), source(steps);
	struct fields want = {widened(ex), widened(ey), widened(hz)};
	for (int t = 0; t < steps; t++)
		source[t] = (float)t;
	float *dex = to_device(ex), *dey = to_device(ey), *dhz = to_device(hz), *dsource = to_device(source);
	dim3 grid((n + TX - 1) / TX, (n + TY - 1) / TY), block(TX, TY);
	for (int t = 0; t < steps; t++) {
		advance_ey<<<grid, block>>>(dsource, dey, dhz, t, n);
		CUDA_LAUNCHED();
		advance_ex<<<grid, block>>>(dex, dhz, n);
		CUDA_LAUNCHED();
		advance_hz<<<grid, block>>>(dex, dey, dhz, n);
		CUDA_LAUNCHED();
		advance(&want, t, n);
	}
	from_device(ex, dex);
	from_device(ey, dey);
	from_device(hz, dhz);
	check_near(&w, "ex", ex, want.ex, 1e-4, steps);
	check_near(&w, "ey", ey, want.ey, 1e-4, steps);
	check_near(&w, "hz", hz, want.hz, 1e-4, steps);
	return workload_finish(&w);
}
