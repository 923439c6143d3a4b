/* Products of a sparse matrix: CSR and COO, both types and bases, transposed, with vectors and matrices, the old call. */
#include <cusparse.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { M = 37, N = 23 };
static int results, bad;

template <class T> struct problem {
	int nnz = 0, *offsets, *rows, *columns, base;
	T *values, dense[M][N] = {};
	explicit problem(int b) : base(b)
	{
		cudaMallocManaged(&offsets, (M + 1) * sizeof(int));
		cudaMallocManaged(&rows, M * N * sizeof(int));
		cudaMallocManaged(&columns, M * N * sizeof(int));
		cudaMallocManaged(&values, M * N * sizeof(T));
		for (int i = 0; i < M; i++) {
			offsets[i] = nnz + base;
			for (int j = 0; j < N; j++)
				if ((i * 7 + j * 5) % 4 == 1) {
					dense[i][j] = values[nnz] = T(i - 2 * j) / 4;
					rows[nnz] = i + base;
					columns[nnz++] = j + base;
				}
		}
		offsets[M] = nnz + base;
	}
};

template <class T> static void compare(const char *what, const T *got, const T *want, int n)
{
	cudaDeviceSynchronize();
	results++;
	for (int i = 0; i < n; i++)
		if (fabs(got[i] - want[i]) > 1e-4) {
			printf("%s: element %d is %g instead of %g\n", what, i, (double)got[i], (double)want[i]);
			bad++;
			return;
		}
}

template <class T> static void vectors(cusparseHandle_t h, cudaDataType type, int base, bool coo, bool t)
{
	problem<T> p(base);
	T alpha = 2, beta = T(0.5), *x, *y, want[M];
	int rows = t ? N : M, cols = t ? M : N;
	cudaMallocManaged(&x, M * sizeof(T));
	cudaMallocManaged(&y, M * sizeof(T));
	for (int i = 0; i < M; i++)
		x[i] = T(i % 5 - 2), y[i] = T(i);
	for (int i = 0; i < rows; i++) {
		want[i] = beta * y[i];
		for (int j = 0; j < cols; j++)
			want[i] += alpha * (t ? p.dense[j][i] : p.dense[i][j]) * x[j];
	}
	cusparseSpMatDescr_t a;
	cusparseDnVecDescr_t vx, vy;
	cusparseIndexBase_t b = (cusparseIndexBase_t)base;
	cusparseOperation_t op = t ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
	if (coo)
		cusparseCreateCoo(&a, M, N, p.nnz, p.rows, p.columns, p.values, CUSPARSE_INDEX_32I, b, type);
	else
		cusparseCreateCsr(&a, M, N, p.nnz, p.offsets, p.columns, p.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, b, type);
	cusparseCreateDnVec(&vx, cols, x, type);
	cusparseCreateDnVec(&vy, rows, y, type);
	size_t bytes = 1;
	bad += cusparseSpMV_bufferSize(h, op, &alpha, a, vx, &beta, vy, type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes) != 0;
	bad += cusparseSpMV(h, op, &alpha, a, vx, &beta, vy, type, CUSPARSE_SPMV_ALG_DEFAULT, NULL) != 0;
	compare(coo ? "coo" : "csr", y, want, rows);
	/* a vector of another length is refused */
	results++;
	bad += cusparseSpMV(h, op, &alpha, a, vy, &beta, vx, type, CUSPARSE_SPMV_ALG_DEFAULT, NULL) == 0;
	cusparseDestroySpMat(a);
	cusparseDestroyDnVec(vx);
	cusparseDestroyDnVec(vy);
}

/* C = A B with B by rows and C by columns; alpha and beta on the device. */
static void matrices(cusparseHandle_t h)
{
	enum { K = 6 };
	problem<float> p(0);
	float *scalars, *b, *c, want[M * K];
	cudaMallocManaged(&scalars, 2 * sizeof(float));
	cudaMallocManaged(&b, N * K * sizeof(float));
	cudaMallocManaged(&c, M * K * sizeof(float));
	scalars[0] = 3;
	scalars[1] = 0;
	for (int i = 0; i < N * K; i++)
		b[i] = (float)(i % 7);
	for (int i = 0; i < M * K; i++) {
		c[i] = NAN; /* beta is 0, so the contents of C do not count */
		want[i] = 0;
		for (int j = 0; j < N; j++)
			want[i] += 3 * p.dense[i % M][j] * b[j * K + i / M];
	}
	cusparseSpMatDescr_t a;
	cusparseDnMatDescr_t mb, mc;
	cusparseCreateCsr(&a, M, N, p.nnz, p.offsets, p.columns, p.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
		CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
	cusparseCreateDnMat(&mb, N, K, K, b, CUDA_R_32F, CUSPARSE_ORDER_ROW);
	cusparseCreateDnMat(&mc, M, K, M, c, CUDA_R_32F, CUSPARSE_ORDER_COL);
	cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE);
	bad += cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars, a, mb, scalars + 1,
		mc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL) != 0;
	cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST);
	compare("matrix", c, want, M * K);
}

static void old_call(cusparseHandle_t h)
{
	problem<double> p(1);
	double one = 1, zero = 0, *x, *y, want[M];
	cusparseMatDescr_t d;
	cudaMallocManaged(&x, N * sizeof *x);
	cudaMallocManaged(&y, M * sizeof *y);
	for (int j = 0; j < N; j++)
		x[j] = j;
	for (int i = 0; i < M; i++) {
		want[i] = 0;
		for (int j = 0; j < N; j++)
			want[i] += p.dense[i][j] * x[j];
	}
	cusparseCreateMatDescr(&d);
	cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE);
	bad += cusparseDcsrmv(h, CUSPARSE_OPERATION_NON_TRANSPOSE, M, N, p.nnz, &one, d, p.values, p.offsets, p.columns, x, &zero, y) != 0;
	compare("csrmv", y, want, M);
	cusparseDestroyMatDescr(d);
}

/* csrmm2 with both matrices plain and transposed; each case of csrmm goes through csrmm2 too. */
static void old_matrices(cusparseHandle_t h, bool ta, bool tb)
{
	enum { K = 5, LD = M + N + K };
	problem<double> p(1);
	double alpha = 2, beta = -1, *b, *c, want[LD * K], before[LD * K];
	int rows = ta ? N : M, inner = ta ? M : N;
	cusparseMatDescr_t d;
	cusparseOperation_t opa = ta ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE,
			    opb = tb ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
	cudaMallocManaged(&b, LD * LD * sizeof *b);
	cudaMallocManaged(&c, LD * K * sizeof *c);
	for (int i = 0; i < LD * LD; i++)
		b[i] = i % 11 - 3;
	for (int i = 0; i < LD * K; i++) {
		int row = i % LD, col = i / LD;
		c[i] = before[i] = want[i] = i % 5;
		if (row >= rows)
			continue;
		want[i] *= beta;
		for (int j = 0; j < inner; j++)
			want[i] += alpha * (ta ? p.dense[j][row] : p.dense[row][j]) * (tb ? b[j * LD + col] : b[col * LD + j]);
	}
	cusparseCreateMatDescr(&d);
	cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE);
	bad += cusparseDcsrmm2(h, opa, opb, M, K, N, p.nnz, &alpha, d, p.values, p.offsets, p.columns, b, LD, &beta, c, LD) != 0;
	compare("csrmm2", c, want, LD * K);
	if (!tb) {
		cudaDeviceSynchronize();
		memcpy(c, before, sizeof before);
		bad += cusparseDcsrmm(h, opa, M, K, N, p.nnz, &alpha, d, p.values, p.offsets, p.columns, b, LD, &beta, c, LD) != 0;
		compare("csrmm", c, want, LD * K);
	}
	results++; /* columns shorter than the matrix are refused */
	bad += cusparseDcsrmm2(h, opa, opb, M, K, N, p.nnz, &alpha, d, p.values, p.offsets, p.columns, b, LD, &beta, c, rows - 1) !=
	       CUSPARSE_STATUS_INVALID_VALUE;
	cusparseDestroyMatDescr(d);
}

int main()
{
	cusparseHandle_t h;
	bad += cusparseCreate(&h) != CUSPARSE_STATUS_SUCCESS;
	for (int k = 0; k < 4; k++) {
		vectors<float>(h, CUDA_R_32F, 0, k & 1, k & 2);
		vectors<double>(h, CUDA_R_64F, 1, k & 1, k & 2);
	}
	matrices(h);
	old_call(h);
	for (int k = 0; k < 4; k++)
		old_matrices(h, k & 1, k & 2);
	cusparseDestroy(h);
	printf("%d results\n", results - bad);
	return bad != 0;
}
