/* A tile of 8 x 8 sums that device functions fill by nested loops is in registers: no local memory. */
#include "check.h"

enum { ROWS = 8, COLUMNS = 8, DEPTH = 16 };

__device__ void load(const float *from, float *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i];
}

template <int M, int N> __device__ void add_products(float *sum, const float *a, const float *b)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			sum[i * N + j] += a[i] * b[j];
}

__global__ void product(const float *a, const float *b, float *out)
{
	float sum[ROWS * COLUMNS] = {0}, row[ROWS], column[COLUMNS];
	for (int k = 0; k < DEPTH; k++) {
		load(a + k * ROWS, row, ROWS);
		load(b + k * COLUMNS, column, COLUMNS);
		add_products<ROWS, COLUMNS>(sum, row, column);
	}
	for (int i = 0; i < ROWS * COLUMNS; i++)
		out[i] = sum[i];
}

int main()
{
	float a[DEPTH * ROWS], b[DEPTH * COLUMNS], out[ROWS * COLUMNS], *da, *db, *dout;
	for (int i = 0; i < DEPTH * ROWS; i++)
		a[i] = (float)(i % 7), b[i] = (float)(i % 5);
	CUDA(cudaMalloc(&da, sizeof a));
	CUDA(cudaMalloc(&db, sizeof b));
	CUDA(cudaMalloc(&dout, sizeof out));
	CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
	product<<<1, 1>>>(da, db, dout);
	CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			float sum = 0;
			for (int k = 0; k < DEPTH; k++)
				sum += a[k * ROWS + i] * b[k * COLUMNS + j];
			CHECK(out[i * COLUMNS + j] == sum);
		}
	cudaFuncAttributes attributes;
	CUDA(cudaFuncGetAttributes(&attributes, product));
	CHECK(attributes.localSizeBytes == 0);
	return failures != 0;
}
