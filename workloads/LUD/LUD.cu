/*
 * LUD: LU decomposition of a dense matrix in tiles of 16x16, without pivoting, in place.
 *
 * Used by: stsimt (Table II: three kernels, 1 to 15x15 blocks of 16, 32 and 256 threads).
 * Geometry: 256x256, 16 rounds. lud_diagonal: one block of 16 threads, one thread a column.
 *   lud_perimeter: a block of 32 threads for each tile of the round's row and column; 16 threads do the
 *   tile of the row, 16 the tile of the column, so every warp diverges. lud_internal: a block of 16x16
 *   threads for each remaining tile.
 * Memory: tiles in shared memory (1 KB, 3 KB, 2 KB).
 * Input: synthetic. Random elements with a heavy diagonal.
 * Check: L and U against an unblocked decomposition in double precision, and L times U against the
 *   matrix.
 */
#include "../common/workload.h"

enum { T = 16 };

__global__ void lud_diagonal(float *m, int n, int at)
{
	__shared__ float tile[T][T];
	int t = threadIdx.x;
	for (int i = 0; i < T; i++)
		tile[i][t] = m[(at + i) * n + at + t];
	__syncthreads();
	for (int i = 0; i < T - 1; i++) {
		if (t > i) { /* column i of L: thread t has row t */
			for (int k = 0; k < i; k++)
				tile[t][i] -= tile[t][k] * tile[k][i];
			tile[t][i] /= tile[i][i];
		}
		__syncthreads();
		if (t > i) /* row i + 1 of U: thread t has column t */
			for (int k = 0; k <= i; k++)
				tile[i + 1][t] -= tile[i + 1][k] * tile[k][t];
		__syncthreads();
	}
	for (int i = 1; i < T; i++)
		m[(at + i) * n + at + t] = tile[i][t];
}

__global__ void lud_perimeter(float *m, int n, int at)
{
	__shared__ float diag[T][T], row[T][T], col[T][T];
	int t = threadIdx.x % T, there = at + (blockIdx.x + 1) * T;
	bool upper = threadIdx.x < T;
	for (int i = 0; i < T; i++) {
		if (upper)
			row[i][t] = m[(at + i) * n + there + t];
		else
			col[i][t] = m[(there + i) * n + at + t];
	}
	for (int i = threadIdx.x / T; i < T; i += 2)
		diag[i][t] = m[(at + i) * n + at + t];
	__syncthreads();
	if (upper) { /* solve L u = row, a column a thread */
		for (int i = 1; i < T; i++)
			for (int k = 0; k < i; k++)
				row[i][t] -= diag[i][k] * row[k][t];
	} else { /* solve l U = col, a row a thread */
		for (int i = 0; i < T; i++) {
			for (int k = 0; k < i; k++)
				col[t][i] -= col[t][k] * diag[k][i];
			col[t][i] /= diag[i][i];
		}
	}
	__syncthreads();
	for (int i = 0; i < T; i++) {
		if (upper)
			m[(at + i) * n + there + t] = row[i][t];
		else
			m[(there + i) * n + at + t] = col[i][t];
	}
}

__global__ void lud_internal(float *m, int n, int at)
{
	__shared__ float row[T][T], col[T][T];
	int x = threadIdx.x, y = threadIdx.y;
	int gx = at + (blockIdx.x + 1) * T + x, gy = at + (blockIdx.y + 1) * T + y;
	row[y][x] = m[(at + y) * n + gx];
	col[y][x] = m[gy * n + at + x];
	__syncthreads();
	float sum = 0;
	for (int k = 0; k < T; k++)
		sum += col[y][k] * row[k][x];
	m[gy * n + gx] -= sum;
}

static std::vector<double> decompose(const std::vector<float> &in, int n)
{
	std::vector<double> a(in.begin(), in.end());
	for (int k = 0; k < n; k++)
		for (int i = k + 1; i < n; i++) {
			double f = a[(size_t)i * n + k] /= a[(size_t)k * n + k];
			for (int j = k + 1; j < n; j++)
				a[(size_t)i * n + j] -= f * a[(size_t)k * n + j];
		}
	return a;
}

static std::vector<double> product(const std::vector<float> &lu, int n)
{
	std::vector<double> out(lu.size());
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double s = 0;
			for (int k = 0; k <= i && k <= j; k++)
				s += (k == i ? 1.0 : (double)lu[(size_t)i * n + k]) * lu[(size_t)k * n + j];
			out[(size_t)i * n + j] = s;
		}
	return out;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("LUD", argc, argv);
	int tiles = workload_pick(&w, 4, 8, 16), n = tiles * T;
	workload_options_end(&w);
	std::vector<float> a((size_t)n * n), lu(a.size());
	for (float &v : a)
		v = rng_range(&w.rng, -1, 1);
	for (int i = 0; i < n; i++)
		a[(size_t)i * n + i] += n / 4.0f;
	float *m = to_device(a);
	for (int i = 0; i < tiles; i++) {
		int rest = tiles - 1 - i;
		lud_diagonal<<<1, T>>>(m, n, i * T);
		CUDA_LAUNCHED();
		if (!rest)
			break;
		lud_perimeter<<<rest, 2 * T>>>(m, n, i * T);
		CUDA_LAUNCHED();
		lud_internal<<<dim3(rest, rest), dim3(T, T)>>>(m, n, i * T);
		CUDA_LAUNCHED();
	}
	from_device(lu, m);
	check_near(&w, "LU", lu, decompose(a, n), 3e-6);
	check_near(&w, "L U", a, product(lu, n), 2e-6, n / 4.0);
	return workload_finish(&w);
}
