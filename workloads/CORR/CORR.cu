/*
 * CORR: the correlation matrix of the columns of a matrix: their means and deviations, the matrix brought to mean 0 and
 *   length 1, and the products of each pair of columns.
 *
 * Used by: the studies of warp throttling and of caches, which take it from the PolyBench collection.
 * Geometry: means, deviations and products: one thread a column, blocks of 256; bringing to mean 0 and length 1: one
 *   thread an element, blocks of 32 x 8, as the collection's GPU version has them.
 * Memory: a row-major matrix in global memory, no shared memory. A thread of the products walks down its own column and,
 *   once for each, down all columns behind it: neighbouring threads read neighbouring words, and the second column is
 *   another one for each thread. Threads of later columns have fewer products, so warps end one after the other.
 * Input: synthetic. Random values -1 to 1, and a part that all columns share, so that correlations are not near 0.
 * Check: every value against sums in double precision.
 */
#include "../common/workload.h"

enum { THREADS = 256, TX = 32, TY = 8 };

__global__ void find_means(const float *a, float *mean, int n)
{
	int j = blockIdx.x * THREADS + threadIdx.x;
	if (j >= n)
		return;
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[(size_t)i * n + j];
	mean[j] = sum / n;
}

__global__ void find_deviations(const float *a, const float *mean, float *deviation, int n)
{
	int j = blockIdx.x * THREADS + threadIdx.x;
	if (j >= n)
		return;
	float sum = 0, m = mean[j];
	for (int i = 0; i < n; i++) {
		float x = a[(size_t)i * n + j] - m;
		sum += x * x;
	}
	float d = sqrtf(sum / n);
	deviation[j] = d <= 0.005f ? 1.0f : d;
}

__global__ void normalize(float *a, const float *mean, const float *deviation, int n)
{
	int j = blockIdx.x * TX + threadIdx.x, i = blockIdx.y * TY + threadIdx.y;
	if (i >= n || j >= n)
		return;
	a[(size_t)i * n + j] = (a[(size_t)i * n + j] - mean[j]) / (sqrtf((float)n) * deviation[j]);
}

__global__ void correlate(const float *a, float *c, int n)
{
	int j = blockIdx.x * THREADS + threadIdx.x;
	if (j >= n)
		return;
	c[(size_t)j * n + j] = 1;
	for (int k = j + 1; k < n; k++) {
		float sum = 0;
		for (int i = 0; i < n; i++)
			sum += a[(size_t)i * n + j] * a[(size_t)i * n + k];
		c[(size_t)j * n + k] = sum;
		c[(size_t)k * n + j] = sum;
	}
}

/* The matrix, row by row, with each column brought to mean 0 and length 1. */
static std::vector<double> normalized(const std::vector<float> &a, int n)
{
	std::vector<double> b(a.size());
	for (int j = 0; j < n; j++) {
		double mean = 0, square = 0;
		for (int i = 0; i < n; i++)
			mean += a[(size_t)i * n + j];
		mean /= n;
		for (int i = 0; i < n; i++) {
			double x = a[(size_t)i * n + j] - mean;
			b[(size_t)i * n + j] = x;
			square += x * x;
		}
		for (int i = 0; i < n; i++)
			b[(size_t)i * n + j] /= sqrt(square);
	}
	return b;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("CORR", argc, argv);
	int n = (int)workload_number(&w, "--n", workload_pick(&w, 64, 192, 512), 2, 1 << 13);
	workload_options_end(&w);
	std::vector<float> a((size_t)n * n), got((size_t)n * n);
	for (int i = 0; i < n; i++) {
		float shared = rng_range(&w.rng, -1, 1);
		for (int j = 0; j < n; j++)
			a[(size_t)i * n + j] = rng_range(&w.rng, -1, 1) + shared;
	}
	float *da = to_device(a), *dmean = on_device<float>(n), *ddev = on_device<float>(n);
	float *dc = on_device<float>((size_t)n * n);
	int blocks = (n + THREADS - 1) / THREADS;
	find_means<<<blocks, THREADS>>>(da, dmean, n);
	CUDA_LAUNCHED();
	find_deviations<<<blocks, THREADS>>>(da, dmean, ddev, n);
	CUDA_LAUNCHED();
	normalize<<<dim3((n + TX - 1) / TX, (n + TY - 1) / TY), dim3(TX, TY)>>>(da, dmean, ddev, n);
	CUDA_LAUNCHED();
	correlate<<<blocks, THREADS>>>(da, dc, n);
	CUDA_LAUNCHED();
	from_device(got, dc);
	std::vector<double> b = normalized(a, n), want((size_t)n * n, 0);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k <= j; k++)
				want[(size_t)j * n + k] += b[(size_t)i * n + j] * b[(size_t)i * n + k];
	for (int j = 0; j < n; j++)
		for (int k = 0; k < j; k++)
			want[(size_t)k * n + j] = want[(size_t)j * n + k];
	check_near(&w, "correlation", got, want, 1e-4, 1);
	return workload_finish(&w);
}
