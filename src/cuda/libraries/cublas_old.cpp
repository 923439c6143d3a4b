/* The first version of cuBLAS's interface, on one handle of the second's. */
#include <cstddef>
#include "cublas.h"

static cublasHandle_t handle;
static cublasStatus_t error;

static cublasHandle_t open_handle()
{
	if (!handle)
		error = cublasCreate_v2(&handle);
	return handle;
}
static void note(cublasStatus_t s)
{
	if (s)
		error = s;
}
static cublasOperation_t operation(char c)
{
	return c == 'n' || c == 'N' ? CUBLAS_OP_N : c == 'c' || c == 'C' ? CUBLAS_OP_C : CUBLAS_OP_T;
}

extern "C" {
cublasStatus_t cublasInit(void) { return open_handle() ? CUBLAS_STATUS_SUCCESS : error; }
cublasStatus_t cublasShutdown(void)
{
	cublasStatus_t s = handle ? cublasDestroy_v2(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
	handle = NULL;
	return s;
}
cublasStatus_t cublasGetError(void)
{
	cublasStatus_t s = error;
	error = CUBLAS_STATUS_SUCCESS;
	return s;
}
cublasStatus_t cublasAlloc(int n, int size, void **p)
{
	return cudaMalloc(p, (size_t)n * (size_t)size) ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasFree(void *p) { return cudaFree(p) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetKernelStream(cudaStream_t s) { return cublasSetStream_v2(open_handle(), s); }

#define OLD(L, T) \
void cublas##L##copy(int n, const T *x, int incx, T *y, int incy) \
{ \
	note(cublas##L##copy_v2(open_handle(), n, x, incx, y, incy)); \
} \
void cublas##L##swap(int n, T *x, int incx, T *y, int incy) \
{ \
	note(cublas##L##swap_v2(open_handle(), n, x, incx, y, incy)); \
} \
void cublas##L##scal(int n, T alpha, T *x, int incx) { note(cublas##L##scal_v2(open_handle(), n, &alpha, x, incx)); } \
void cublas##L##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) \
{ \
	note(cublas##L##axpy_v2(open_handle(), n, &alpha, x, incx, y, incy)); \
} \
void cublas##L##gemv(char op, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy) \
{ \
	note(cublas##L##gemv_v2(open_handle(), operation(op), m, n, &alpha, a, lda, x, incx, &beta, y, incy)); \
} \
void cublas##L##gemm(char opa, char opb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, \
	T beta, T *c, int ldc) \
{ \
	note(cublas##L##gemm_v2(open_handle(), operation(opa), operation(opb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, \
				ldc)); \
} \
void cublas##L##trsm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T *a, int lda, T *b, \
	int ldb) \
{ \
	note(cublas##L##trsm_v2(open_handle(), side == 'l' || side == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, \
				uplo == 'l' || uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, \
				operation(op), diag == 'u' || diag == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, \
				m, n, &alpha, a, lda, b, ldb)); \
}
OLD(S, float)
OLD(D, double)
OLD(C, cuComplex)
OLD(Z, cuDoubleComplex)

#define RESULT(type, name, params, call) \
	type name params \
	{ \
		type r = 0; \
		note(call); \
		return r; \
	}
RESULT(float, cublasSdot, (int n, const float *x, int incx, const float *y, int incy),
       cublasSdot_v2(open_handle(), n, x, incx, y, incy, &r))
RESULT(double, cublasDdot, (int n, const double *x, int incx, const double *y, int incy),
       cublasDdot_v2(open_handle(), n, x, incx, y, incy, &r))
RESULT(float, cublasSnrm2, (int n, const float *x, int incx), cublasSnrm2_v2(open_handle(), n, x, incx, &r))
RESULT(double, cublasDnrm2, (int n, const double *x, int incx), cublasDnrm2_v2(open_handle(), n, x, incx, &r))
RESULT(float, cublasSasum, (int n, const float *x, int incx), cublasSasum_v2(open_handle(), n, x, incx, &r))
RESULT(double, cublasDasum, (int n, const double *x, int incx), cublasDasum_v2(open_handle(), n, x, incx, &r))
RESULT(int, cublasIsamax, (int n, const float *x, int incx), cublasIsamax_v2(open_handle(), n, x, incx, &r))
RESULT(int, cublasIdamax, (int n, const double *x, int incx), cublasIdamax_v2(open_handle(), n, x, incx, &r))
void cublasSger(int m, int n, float alpha, const float *x, int incx, const float *y, int incy, float *a, int lda)
{
	note(cublasSger_v2(open_handle(), m, n, &alpha, x, incx, y, incy, a, lda));
}
void cublasDger(int m, int n, double alpha, const double *x, int incx, const double *y, int incy, double *a, int lda)
{
	note(cublasDger_v2(open_handle(), m, n, &alpha, x, incx, y, incy, a, lda));
}
} /* extern "C" */
