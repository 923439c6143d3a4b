/*
 * GAU: Gaussian elimination of a dense system, one column at a time, then back substitution.
 *
 * Used by: stsimt (Table II: two kernels, 1 block of 512 and 2704 blocks of 16 threads).
 * Geometry: a system of 208 unknowns. gauss_multipliers (Fan1) has one thread a row in one block of
 *   512; gauss_eliminate (Fan2) has one thread an element in blocks of 4x4, 52x52 blocks. Both are
 *   launched with the full grid for every column, so that fewer and fewer threads have work.
 * Memory: matrix, multipliers and right-hand side in global memory; no shared memory, no barriers.
 * Input: synthetic. Random elements from -1 to 1 with a heavy diagonal (no pivoting is needed).
 * Check: the solution against Gauss-Jordan with pivoting in double precision, and the residual of the
 *   original system.
 */
#include "../common/workload.h"

enum { FAN1 = 512, FAN2 = 4 };

__global__ void gauss_multipliers(float *m, const float *a, int n, int column)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n - 1 - column)
		return;
	int row = column + 1 + i;
	m[row * n + column] = a[row * n + column] / a[column * n + column];
}

__global__ void gauss_eliminate(const float *m, float *a, float *b, int n, int column)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= n - 1 - column || j >= n - column)
		return;
	int row = column + 1 + i;
	float factor = m[row * n + column];
	a[row * n + column + j] -= factor * a[column * n + column + j];
	if (j == 0)
		b[row] -= factor * b[column];
}

static std::vector<double> solve(const std::vector<float> &af, const std::vector<float> &bf, int n)
{
	std::vector<double> a(af.begin(), af.end()), b(bf.begin(), bf.end());
	for (int c = 0; c < n; c++) {
		int p = c;
		for (int r = c + 1; r < n; r++)
			if (fabs(a[r * n + c]) > fabs(a[p * n + c]))
				p = r;
		for (int k = 0; k < n; k++)
			std::swap(a[c * n + k], a[p * n + k]);
		std::swap(b[c], b[p]);
		for (int r = 0; r < n; r++) {
			if (r == c)
				continue;
			double f = a[r * n + c] / a[c * n + c];
			for (int k = c; k < n; k++)
				a[r * n + k] -= f * a[c * n + k];
			b[r] -= f * b[c];
		}
	}
	for (int r = 0; r < n; r++)
		b[r] /= a[r * n + r];
	return b;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("GAU", argc, argv);
	int n = (int)workload_number(&w, "--n", workload_pick(&w, 48, 104, 208), 2, 4096);
	workload_options_end(&w);
	std::vector<float> a((size_t)n * n), b(n), x(n);
	for (float &v : a)
		v = rng_range(&w.rng, -1, 1);
	for (int i = 0; i < n; i++) {
		a[(size_t)i * n + i] += n / 4.0f;
		b[i] = rng_range(&w.rng, -1, 1);
	}
	float *da = to_device(a), *db = to_device(b), *dm = zeroed_on_device<float>(a.size());
	dim3 grid2((n + FAN2 - 1) / FAN2, (n + FAN2 - 1) / FAN2);
	for (int c = 0; c < n - 1; c++) {
		gauss_multipliers<<<(n + FAN1 - 1) / FAN1, FAN1>>>(dm, da, n, c);
		CUDA_LAUNCHED();
		gauss_eliminate<<<grid2, dim3(FAN2, FAN2)>>>(dm, da, db, n, c);
		CUDA_LAUNCHED();
	}
	std::vector<float> upper(a.size()), right(n), residual(n);
	from_device(upper, da);
	from_device(right, db);
	for (int i = n - 1; i >= 0; i--) {
		double s = right[i];
		for (int k = i + 1; k < n; k++)
			s -= (double)upper[(size_t)i * n + k] * x[k];
		x[i] = (float)(s / upper[(size_t)i * n + i]);
	}
	for (int i = 0; i < n; i++) {
		double s = 0;
		for (int k = 0; k < n; k++)
			s += (double)a[(size_t)i * n + k] * x[k];
		residual[i] = (float)s;
	}
	check_near(&w, "x", x, solve(a, b, n), 3e-6, 0.05);
	check_near(&w, "a x", residual, b, 5e-6);
	return workload_finish(&w);
}
