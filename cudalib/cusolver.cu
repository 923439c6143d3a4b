/*
 * The part of cuSOLVER that Heddle has: factors of dense matrices (LU, Cholesky, QR), solutions with them, eigenvalues
 * of symmetric matrices and singular values. Here are its calls; the kernels are in the headers.
 */
#include <new>
#include "cusolverDn.h"
#include "cusolver_factor.cuh"
#include "cusolver_jacobi.cuh"

struct cusolverDnContext {
	cudaStream_t stream;
};
struct cusolverDnParams {
	cusolverAlgMode_t algo;
};
struct jacobi_info {
	double tolerance;
	int max_sweeps;
	double *found; /* device memory: the residual and the number of sweeps of the last call */
};
struct syevjInfo : jacobi_info {};
struct gesvdjInfo : jacobi_info {};
enum { THREADS = FACTOR_THREADS, SWEEPS = 100, FOUND = 2 };

static cusolverStatus_t launched()
{
	return cudaPeekAtLastError() ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}
static int grid_for(long long n) { return (int)((n + THREADS - 1) / THREADS); }

template <class T> static cusolverStatus_t buffer(cusolverDnHandle_t h, long long elements, T *lwork)
{
	if (!h || !lwork)
		return h ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_NOT_INITIALIZED;
	*lwork = (T)(elements > 1 ? elements : 1);
	return CUSOLVER_STATUS_SUCCESS;
}
static cusolverStatus_t shape(cusolverDnHandle_t h, long long m, long long n, long long lda, const void *a)
{
	if (!h)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	return m < 0 || n < 0 || m > INT32_MAX || n > INT32_MAX || lda < (m > 1 ? m : 1) || (!a && m && n) ?
		CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}
#define CHECK_SHAPE(m, n, lda, a) \
	if (cusolverStatus_t bad = shape(h, m, n, lda, a)) \
		return bad

template <class T, class I>
static cusolverStatus_t lu(cusolverDnHandle_t h, long long m, long long n, T *a, long long lda, I *pivots, int *info)
{
	CHECK_SHAPE(m, n, lda, a);
	dense_lu<T, I><<<1, THREADS, 0, h->stream>>>((int)m, (int)n, a, NULL, (int)lda, pivots, info);
	return launched();
}
static void clear(cusolverDnHandle_t h, int *info)
{
	if (info)
		cudaMemsetAsync(info, 0, sizeof *info, h->stream);
}
template <class T, class I>
static cusolverStatus_t lu_solve(cusolverDnHandle_t h, cublasOperation_t op, long long n, long long nrhs, const T *a,
				 long long lda, const I *pivots, T *b, long long ldb, int *info)
{
	CHECK_SHAPE(n, n, lda, a);
	CHECK_SHAPE(n, nrhs, ldb, b);
	clear(h, info);
	if (nrhs)
		dense_lu_solve<T, I><<<grid_for(nrhs), THREADS, 0, h->stream>>>(op, (int)n, (int)nrhs, a, NULL, (int)lda,
									       pivots, b, NULL, (int)ldb);
	return launched();
}
template <class T>
static cusolverStatus_t cholesky(cusolverDnHandle_t h, cublasFillMode_t uplo, long long n, T *a, T *const *list,
				 long long lda, int *info, int count)
{
	CHECK_SHAPE(n, n, lda, list ? (const void *)list : a);
	if (count)
		solver_cholesky<T><<<count, THREADS, 0, h->stream>>>(uplo == CUBLAS_FILL_MODE_UPPER, (int)n, a, list,
								     (int)lda, info);
	return launched();
}
template <class T>
static cusolverStatus_t cholesky_solve(cusolverDnHandle_t h, cublasFillMode_t uplo, long long n, long long nrhs,
				       const T *a, T *const *list, long long lda, T *b, T *const *list_b, long long ldb,
				       int *info, int count)
{
	CHECK_SHAPE(n, n, lda, list ? (const void *)list : a);
	CHECK_SHAPE(n, nrhs, ldb, list_b ? (const void *)list_b : b);
	clear(h, info);
	if (nrhs && count)
		solver_cholesky_solve<T><<<dim3(grid_for(nrhs), count), THREADS, 0, h->stream>>>(
			uplo == CUBLAS_FILL_MODE_UPPER, (int)n, (int)nrhs, a, list, (int)lda, b, list_b, (int)ldb);
	return launched();
}
template <class T>
static cusolverStatus_t qr(cusolverDnHandle_t h, long long m, long long n, T *a, long long lda, T *tau, int *info)
{
	CHECK_SHAPE(m, n, lda, a);
	solver_qr<T><<<1, THREADS, 0, h->stream>>>((int)m, (int)n, a, (int)lda, tau, info);
	return launched();
}
template <class T>
static cusolverStatus_t q_times(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,
				const T *a, int lda, const T *tau, T *c, int ldc, int *info)
{
	bool left = side == CUBLAS_SIDE_LEFT;
	CHECK_SHAPE(left ? m : n, k, lda, a);
	CHECK_SHAPE(m, n, ldc, c);
	if (k > (left ? m : n) || k < 0 || (sizeof(T) != sizeof(real<T>) && op == CUBLAS_OP_T))
		return CUSOLVER_STATUS_INVALID_VALUE;
	clear(h, info);
	if (m && n)
		solver_q_times<T><<<grid_for(left ? n : m), THREADS, 0, h->stream>>>(left, op == CUBLAS_OP_N, m, n, k, a,
										    lda, tau, c, ldc);
	return launched();
}
template <class T>
static cusolverStatus_t q_form(cusolverDnHandle_t h, int m, int n, int k, T *a, int lda, const T *tau, int *info)
{
	CHECK_SHAPE(m, n, lda, a);
	if (n > m || k > n || k < 0)
		return CUSOLVER_STATUS_INVALID_VALUE;
	solver_q<T><<<1, THREADS, 0, h->stream>>>(m, n, k, a, lda, tau, info);
	return launched();
}
template <class T>
static cusolverStatus_t eigen(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, long long n, T *a,
			      long long lda, real<T> *w, T *work, int *info, const jacobi_info *params = NULL)
{
	CHECK_SHAPE(n, n, lda, a);
	solver_eigen<T><<<1, THREADS, 0, h->stream>>>(uplo == CUBLAS_FILL_MODE_UPPER, job == CUSOLVER_EIG_MODE_VECTOR,
		(int)n, a, (int)lda, w, work, params ? params->tolerance : 0, params ? params->max_sweeps : SWEEPS,
		params ? params->found : NULL, info);
	return launched();
}

/* Elements of work space for singular values. */
static long long svd_work(long long m, long long n)
{
	long long rows = m > n ? m : n, cols = m > n ? n : m;
	return rows * cols + cols * cols + rows * rows + cols;
}
/* left, right: number of wanted singular vectors of A; adjoint: V^H is wanted instead of V. */
template <class T>
static cusolverStatus_t svd(cusolverDnHandle_t h, int m, int n, int left, int right, const T *a, int lda, real<T> *s, T *u,
			    int ldu, T *v, int ldv, bool adjoint, T *work, int *info, const jacobi_info *params = NULL)
{
	CHECK_SHAPE(m, n, lda, a);
	svd_shape p = m >= n ? svd_shape{m, n, false, left, right} : svd_shape{n, m, true, right, left};
	solver_singular<T><<<1, THREADS, 0, h->stream>>>(p, a, lda, s, u, ldu, v, ldv, adjoint, work,
		params ? params->tolerance : 0, params ? params->max_sweeps : SWEEPS, params ? params->found : NULL, info);
	return launched();
}
template <class T>
static cusolverStatus_t gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n, const T *a, int lda,
			      real<T> *s, T *u, int ldu, T *vt, int ldvt, T *work, int *info)
{
	if (m < n || jobu == 'O' || jobvt == 'O')
		return CUSOLVER_STATUS_INVALID_VALUE;
	return svd(h, m, n, jobu == 'A' ? m : jobu == 'S' ? n : 0, jobvt == 'A' || jobvt == 'S' ? n : 0, a, lda, s, u, ldu,
		   vt, ldvt, true, work, info);
}
template <class T>
static cusolverStatus_t gesvdj(cusolverDnHandle_t h, cusolverEigMode_t job, int econ, int m, int n, const T *a, int lda,
			       real<T> *s, T *u, int ldu, T *v, int ldv, T *work, int *info, gesvdjInfo_t params)
{
	int few = m < n ? m : n;
	bool vectors = job == CUSOLVER_EIG_MODE_VECTOR;
	return svd(h, m, n, !vectors ? 0 : econ ? few : m, !vectors ? 0 : econ ? few : n, a, lda, s, u, ldu, v, ldv, false,
		   work, info, params);
}

template <class P> static cusolverStatus_t make_info(P *info)
{
	*info = new (std::nothrow) typename std::remove_pointer<P>::type();
	if (!*info || cudaMalloc(&(*info)->found, FOUND * sizeof(double)) || cudaMemset((*info)->found, 0, FOUND * sizeof(double)))
		return CUSOLVER_STATUS_ALLOC_FAILED;
	(*info)->max_sweeps = SWEEPS;
	return CUSOLVER_STATUS_SUCCESS;
}
template <class P> static cusolverStatus_t free_info(P info)
{
	if (info)
		cudaFree(info->found);
	delete info;
	return CUSOLVER_STATUS_SUCCESS;
}
static cusolverStatus_t read_info(cusolverDnHandle_t h, const jacobi_info *info, int which, double *value)
{
	if (!h || !info)
		return CUSOLVER_STATUS_INVALID_VALUE;
	cudaError_t e = cudaMemcpyAsync(value, info->found + which, sizeof *value, cudaMemcpyDeviceToHost, h->stream);
	return e || cudaStreamSynchronize(h->stream) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

extern "C" {
cusolverStatus_t cusolverGetVersion(int *version)
{
	*version = CUSOLVER_VERSION;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *h)
{
	if (!h)
		return CUSOLVER_STATUS_INVALID_VALUE;
	*h = new (std::nothrow) cusolverDnContext();
	return *h ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h)
{
	delete h;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h, cudaStream_t s)
{
	if (!h)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	h->stream = s;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t h, cudaStream_t *s)
{
	if (!h)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	*s = h->stream;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *p)
{
	*p = new (std::nothrow) cusolverDnParams();
	return *p ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t p)
{
	delete p;
	return CUSOLVER_STATUS_SUCCESS;
}
/* There is one algorithm for each result. */
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t p, cusolverDnFunction_t, cusolverAlgMode_t algo)
{
	if (!p)
		return CUSOLVER_STATUS_INVALID_VALUE;
	p->algo = algo;
	return CUSOLVER_STATUS_SUCCESS;
}

#define TYPE(L, T, R, form, times, eig) \
cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t h, int, int, T *, int, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *, int *pivots, int *info) \
{ \
	return lu(h, m, n, a, lda, pivots, info); \
} \
cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n, int nrhs, const T *a, int lda, \
	const int *pivots, T *b, int ldb, int *info) \
{ \
	return lu_solve(h, op, n, nrhs, a, lda, pivots, b, ldb, info); \
} \
cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t, int, T *, int, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda, T *, int, int *info) \
{ \
	return cholesky<T>(h, uplo, n, a, NULL, lda, info, 1); \
} \
cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, const T *a, int lda, \
	T *b, int ldb, int *info) \
{ \
	return cholesky_solve<T>(h, uplo, n, nrhs, a, NULL, lda, b, NULL, ldb, info, 1); \
} \
cusolverStatus_t cusolverDn##L##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a[], int lda, \
	int *info, int count) \
{ \
	return cholesky<T>(h, uplo, n, NULL, a, lda, info, count); \
} \
cusolverStatus_t cusolverDn##L##potrsBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, T *a[], \
	int lda, T *b[], int ldb, int *info, int count) \
{ \
	return cholesky_solve<T>(h, uplo, n, nrhs, NULL, a, lda, NULL, b, ldb, info, count); \
} \
cusolverStatus_t cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t h, int, int, T *, int, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *tau, T *, int, int *info) \
{ \
	return qr(h, m, n, a, lda, tau, info); \
} \
cusolverStatus_t cusolverDn##form##_bufferSize(cusolverDnHandle_t h, int, int, int, const T *, int, const T *, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##form(cusolverDnHandle_t h, int m, int n, int k, T *a, int lda, const T *tau, T *, int, int *info) \
{ \
	return q_form(h, m, n, k, a, lda, tau, info); \
} \
cusolverStatus_t cusolverDn##times##_bufferSize(cusolverDnHandle_t h, cublasSideMode_t, cublasOperation_t, int, int, int, \
	const T *, int, const T *, const T *, int, int *lwork) \
{ \
	return buffer(h, 1, lwork); \
} \
cusolverStatus_t cusolverDn##times(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, \
	const T *a, int lda, const T *tau, T *c, int ldc, T *, int, int *info) \
{ \
	return q_times(h, side, op, m, n, k, a, lda, tau, c, ldc, info); \
} \
cusolverStatus_t cusolverDn##eig##d_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t, int n, const T *, \
	int, const R *, int *lwork) \
{ \
	return buffer(h, 2LL * n * n, lwork); \
} \
cusolverStatus_t cusolverDn##eig##d(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T *a, \
	int lda, R *w, T *work, int, int *info) \
{ \
	return eigen(h, job, uplo, n, a, lda, w, work, info); \
} \
cusolverStatus_t cusolverDn##eig##j_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t, int n, const T *, \
	int, const R *, int *lwork, syevjInfo_t) \
{ \
	return buffer(h, 2LL * n * n, lwork); \
} \
cusolverStatus_t cusolverDn##eig##j(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T *a, \
	int lda, R *w, T *work, int, int *info, syevjInfo_t params) \
{ \
	return eigen(h, job, uplo, n, a, lda, w, work, info, params); \
} \
cusolverStatus_t cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n, int *lwork) { return buffer(h, svd_work(m, n), lwork); } \
cusolverStatus_t cusolverDn##L##gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n, T *a, \
	int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *work, int, R *, int *info) \
{ \
	return gesvd(h, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, info); \
} \
cusolverStatus_t cusolverDn##L##gesvdj_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, int, int m, int n, const T *, \
	int, const R *, const T *, int, const T *, int, int *lwork, gesvdjInfo_t) \
{ \
	return buffer(h, svd_work(m, n), lwork); \
} \
cusolverStatus_t cusolverDn##L##gesvdj(cusolverDnHandle_t h, cusolverEigMode_t job, int econ, int m, int n, T *a, \
	int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int, int *info, gesvdjInfo_t params) \
{ \
	return gesvdj(h, job, econ, m, n, a, lda, s, u, ldu, v, ldv, work, info, params); \
}
TYPE(S, float, float, Sorgqr, Sormqr, Ssyev)
TYPE(D, double, double, Dorgqr, Dormqr, Dsyev)
TYPE(C, cuComplex, float, Cungqr, Cunmqr, Cheev)
TYPE(Z, cuDoubleComplex, double, Zungqr, Zunmqr, Zheev)

#define INFO(Kind, kind) \
cusolverStatus_t cusolverDnCreate##Kind##Info(kind##Info_t *info) { return make_info(info); } \
cusolverStatus_t cusolverDnDestroy##Kind##Info(kind##Info_t info) { return free_info(info); } \
cusolverStatus_t cusolverDnX##kind##SetTolerance(kind##Info_t info, double tolerance) \
{ \
	info->tolerance = tolerance; \
	return CUSOLVER_STATUS_SUCCESS; \
} \
cusolverStatus_t cusolverDnX##kind##SetMaxSweeps(kind##Info_t info, int sweeps) \
{ \
	info->max_sweeps = sweeps; \
	return CUSOLVER_STATUS_SUCCESS; \
} \
cusolverStatus_t cusolverDnX##kind##SetSortEig(kind##Info_t, int) { return CUSOLVER_STATUS_SUCCESS; } /* eigenvalues are sorted always */ \
cusolverStatus_t cusolverDnX##kind##GetResidual(cusolverDnHandle_t h, kind##Info_t info, double *r) { return read_info(h, info, 0, r); } \
cusolverStatus_t cusolverDnX##kind##GetSweeps(cusolverDnHandle_t h, kind##Info_t info, int *sweeps) \
{ \
	double n = 0; \
	cusolverStatus_t s = read_info(h, info, 1, &n); \
	*sweeps = (int)n; \
	return s; \
}
INFO(Syevj, syevj)
INFO(Gesvdj, gesvdj)

/* Types by number. */
#define BY_TYPE(type, call) \
	switch (type) { \
	case CUDA_R_32F: { typedef float T; return call; } \
	case CUDA_R_64F: { typedef double T; return call; } \
	case CUDA_C_32F: { typedef cuComplex T; return call; } \
	case CUDA_C_64F: { typedef cuDoubleComplex T; return call; } \
	default: return CUSOLVER_STATUS_NOT_SUPPORTED; \
	}
static cusolverStatus_t bytes(cusolverDnHandle_t h, long long elements, cudaDataType type, size_t *device, size_t *host)
{
	*host = 0;
	BY_TYPE(type, buffer(h, elements * (long long)sizeof(T), device))
}
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t, int64_t, cudaDataType ta,
	const void *, int64_t, cudaDataType, size_t *device, size_t *host)
{
	return bytes(h, 1, ta, device, host);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType ta, void *a,
	int64_t lda, int64_t *pivots, cudaDataType, void *, size_t, void *, size_t, int *info)
{
	BY_TYPE(ta, lu(h, m, n, (T *)a, lda, pivots, info))
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t op, int64_t n, int64_t nrhs,
	cudaDataType ta, const void *a, int64_t lda, const int64_t *pivots, cudaDataType tb, void *b, int64_t ldb, int *info)
{
	if (ta != tb)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	BY_TYPE(ta, lu_solve(h, op, n, nrhs, (const T *)a, lda, pivots, (T *)b, ldb, info))
}
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t, int64_t,
	cudaDataType ta, const void *, int64_t, cudaDataType, size_t *device, size_t *host)
{
	return bytes(h, 1, ta, device, host);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
	cudaDataType ta, void *a, int64_t lda, cudaDataType, void *, size_t, void *, size_t, int *info)
{
	BY_TYPE(ta, cholesky<T>(h, uplo, n, (T *)a, NULL, lda, info, 1))
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
	cudaDataType ta, const void *a, int64_t lda, cudaDataType tb, void *b, int64_t ldb, int *info)
{
	if (ta != tb)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	BY_TYPE(ta, cholesky_solve<T>(h, uplo, n, nrhs, (const T *)a, NULL, lda, (T *)b, NULL, ldb, info, 1))
}
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t, int64_t, cudaDataType ta,
	const void *, int64_t, cudaDataType, const void *, cudaDataType, size_t *device, size_t *host)
{
	return bytes(h, 1, ta, device, host);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType ta, void *a,
	int64_t lda, cudaDataType tt, void *tau, cudaDataType, void *, size_t, void *, size_t, int *info)
{
	if (ta != tt)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	BY_TYPE(ta, qr(h, m, n, (T *)a, lda, (T *)tau, info))
}
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t,
	int64_t n, cudaDataType ta, const void *, int64_t, cudaDataType, const void *, cudaDataType, size_t *device,
	size_t *host)
{
	return bytes(h, 2 * n * n, ta, device, host);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t job, cublasFillMode_t uplo,
	int64_t n, cudaDataType ta, void *a, int64_t lda, cudaDataType, void *w, cudaDataType, void *device, size_t, void *,
	size_t, int *info)
{
	BY_TYPE(ta, eigen(h, job, uplo, n, (T *)a, lda, (real<T> *)w, (T *)device, info))
}
} /* extern "C" */
