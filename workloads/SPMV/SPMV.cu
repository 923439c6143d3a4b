/*
 * SPMV: a sparse matrix in compressed rows times a vector, one thread a row (--kernel scalar) or one warp a row
 * (--kernel vector).
 *
 * Used by: the studies of warp throttling (scalar and vector form side by side), which take it from the SHOC suite.
 * Geometry: blocks of 128 threads.
 * Memory: scalar: each lane walks along its own row, so a warp's loads touch up to 32 lines, which the next elements
 *   of the rows use again. vector: the lanes of a warp read neighbouring elements of one row and add up in shuffles.
 *   Both gather from the vector.
 * Input: synthetic. A quarter of the rows have 8 elements, half 16, the rest up to 63; columns at random, values
 *   -1 to 1.
 * Check: every row against a sum in double precision.
 */
#include "../common/workload.h"

enum { THREADS = 128, WARP = 32 };

__global__ void spmv_scalar(const int *row, const int *column, const float *value, const float *x, float *y, int rows)
{
	int r = blockIdx.x * THREADS + threadIdx.x;
	if (r >= rows)
		return;
	float sum = 0;
	for (int e = row[r]; e < row[r + 1]; e++)
		sum += value[e] * x[column[e]];
	y[r] = sum;
}

__global__ void spmv_vector(const int *row, const int *column, const float *value, const float *x, float *y, int rows)
{
	int r = (blockIdx.x * THREADS + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
	if (r >= rows)
		return;
	float sum = 0;
	for (int e = row[r] + lane; e < row[r + 1]; e += WARP)
		sum += value[e] * x[column[e]];
	for (int d = WARP / 2; d; d /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	if (!lane)
		y[r] = sum;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("SPMV", argc, argv);
	const char *kernel = workload_option(&w, "--kernel", "scalar");
	int rows = (int)workload_number(&w, "--rows", workload_pick(&w, 3000, 20000, 200000), 1, 1 << 22);
	workload_options_end(&w);
	bool vector = !strcmp(kernel, "vector");
	if (!vector && strcmp(kernel, "scalar")) {
		fprintf(stderr, "SPMV: --kernel %s: expected scalar or vector\n", kernel);
		return 2;
	}
	std::vector<int> row(1, 0), column;
	std::vector<float> value, x(rows), y(rows);
	for (int r = 0; r < rows; r++) {
		uint32_t kind = rng_below(&w.rng, 4), n = kind == 0 ? 8 : kind < 3 ? 16 : rng_below(&w.rng, 64);
		for (uint32_t i = 0; i < n; i++) {
			column.push_back((int)rng_below(&w.rng, (uint32_t)rows));
			value.push_back(rng_range(&w.rng, -1, 1));
		}
		row.push_back((int)column.size());
	}
	for (float &v : x)
		v = rng_range(&w.rng, -1, 1);
	int *drow = to_device(row), *dcolumn = to_device(column);
	float *dvalue = to_device(value), *dx = to_device(x), *dy = on_device<float>(rows);
	if (vector)
		spmv_vector<<<(rows + THREADS / WARP - 1) / (THREADS / WARP), THREADS>>>(drow, dcolumn, dvalue, dx, dy, rows);
	else
		spmv_scalar<<<(rows + THREADS - 1) / THREADS, THREADS>>>(drow, dcolumn, dvalue, dx, dy, rows);
	CUDA_LAUNCHED();
	from_device(y, dy);
	std::vector<double> want(rows, 0);
	for (int r = 0; r < rows; r++)
		for (int e = row[r]; e < row[r + 1]; e++)
			want[r] += (double)value[e] * x[column[e]];
	check_near(&w, "y", y, want, 1e-4, 8);
	return workload_finish(&w);
}
