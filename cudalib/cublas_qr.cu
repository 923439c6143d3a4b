/*
 * QR factors of cuBLAS's batches, and least squares with them: geqrfBatched, gelsBatched. A block works at a matrix.
 */
#include "cublas_vector.cuh"
#include "cusolver_factor.cuh"

/* With right-hand sides in C, each becomes the x of least |A x - c|; info is then the first zero on R's diagonal, from 1, and nothing is
 * solved. */
template <class T>
static __global__ void blas_qr(int m, int n, int nrhs, T *const *a, int lda, T *const *tau, T *const *c, int ldc, int *info)
{
	int z = blockIdx.x, zero = 0;
	T *p = a[z];
	for (int k = 0; k < m && k < n; k++) {
		T *v = p + (size_t)k * lda, t = reflection(v, k, m);
		if (tau && !threadIdx.x)
			tau[z][k] = t;
		__syncthreads();
		for (int j = k + 1 + threadIdx.x; j < n; j += FACTOR_THREADS)
			reflect(v, k, m, conjugate(t), p + (size_t)j * lda, 1);
		for (int q = threadIdx.x; q < nrhs; q += FACTOR_THREADS)
			reflect(v, k, m, conjugate(t), c[z] + (size_t)q * ldc, 1);
		__syncthreads();
	}
	if (!c)
		return;
	for (int k = n; k--;)
		zero = is_zero(p[(size_t)k * lda + k]) ? k + 1 : zero;
	if (info && !threadIdx.x)
		info[z] = zero;
	triangle<T> r = {p, lda, CUBLAS_OP_N, n, false, false, false};
	for (int q = threadIdx.x; q < nrhs && !zero; q += FACTOR_THREADS)
		r.solve(of_real<T>(1), c[z] + (size_t)q * ldc, 1);
}
static int wrong_of(int m, int n, int lda, int count) { return m < 0 ? -1 : n < 0 ? -2 : lda < (m > 1 ? m : 1) ? -4 : count < 0 ? -7 : 0; }

extern "C" {
#define TYPE(L, T) \
cublasStatus_t cublas##L##geqrfBatched(cublasHandle_t h, int m, int n, T *const a[], int lda, T *const tau[], int *info, int count) \
{ \
	NEED(h); \
	*info = wrong_of(m, n, lda, count); \
	if (*info) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	if (m && n && count) \
		blas_qr<T><<<count, FACTOR_THREADS, 0, h->stream>>>(m, n, 0, a, lda, tau, NULL, 0, NULL); \
	return launched(); \
} \
cublasStatus_t cublas##L##gelsBatched(cublasHandle_t h, cublasOperation_t op, int m, int n, int nrhs, T *const a[], int lda, \
	T *const c[], int ldc, int *info, int *each, int count) \
{ \
	NEED(h); \
	*info = wrong_of(m, n, lda, count); \
	if (*info || nrhs < 0 || ldc < (m > 1 ? m : 1)) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	if (op != CUBLAS_OP_N || m < n) \
		return CUBLAS_STATUS_NOT_SUPPORTED; \
	if (n && nrhs && count) \
		blas_qr<T><<<count, FACTOR_THREADS, 0, h->stream>>>(m, n, nrhs, a, lda, NULL, c, ldc, each); \
	return launched(); \
}
TYPE(S, float)
TYPE(D, double)
TYPE(C, cuComplex)
TYPE(Z, cuDoubleComplex)
} /* extern "C" */
