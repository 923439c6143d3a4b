/*
 * cuSOLVER: eigenvalues of pairs of matrices, some of the eigenvalues, and batches of matrices, in terms of the functions
 * for one matrix. A x = w B x becomes C y = w y by the Cholesky factor L of B; where B is U^H U, L is U^H.
 */
#include "cusolverDn.h"
#include "dense.cuh"

enum { THREADS = 64 };

/* L from B's factor. */
template <class T> struct factor {
	const T *b;
	int ldb;
	bool upper;
	int n;
	__device__ T get(int i, int j) const
	{
		return upper ? conjugate(b[(size_t)i * ldb + j]) : b[(size_t)j * ldb + i];
	}
	/* x = L^-1 x, L^-H x, L x and L^H x, of n elements `step` apart. */
	__device__ void solve(T *x, int step) const
	{
		for (int i = 0; i < n; i++) {
			T sum = x[i * step];
			for (int j = 0; j < i; j++)
				sum = sub(sum, mul(get(i, j), x[j * step]));
			x[i * step] = quotient(sum, get(i, i));
		}
	}
	__device__ void solve_adjoint(T *x, int step) const
	{
		for (int i = n - 1; i >= 0; i--) {
			T sum = x[i * step];
			for (int j = i + 1; j < n; j++)
				sum = sub(sum, mul(conjugate(get(j, i)), x[j * step]));
			x[i * step] = quotient(sum, conjugate(get(i, i)));
		}
	}
	__device__ void apply(T *x, int step) const
	{
		for (int i = n - 1; i >= 0; i--) {
			T sum = of_real<T>(0);
			for (int j = 0; j <= i; j++)
				sum = add(sum, mul(get(i, j), x[j * step]));
			x[i * step] = sum;
		}
	}
	__device__ void apply_adjoint(T *x, int step) const
	{
		for (int i = 0; i < n; i++) {
			T sum = of_real<T>(0);
			for (int j = i; j < n; j++)
				sum = add(sum, mul(conjugate(get(j, i)), x[j * step]));
			x[i * step] = sum;
		}
	}
};

/* C = L^-1 A L^-H or, of the second and third kind, L^H A L; zeros if B has no factor. One column per thread, then one
 * row: the conjugate of row i of X L^-H is L^-1 times that of X's. */
template <class T>
static __global__ void solver_reduce(bool first, bool upper, int n, const T *a, int lda, factor<T> l, T *c, const int *info)
{
	bool none = *info != 0;
	for (int j = threadIdx.x; j < n; j += THREADS) {
		T *x = c + (size_t)j * n;
		for (int i = 0; i < n; i++) {
			bool stored = upper ? i <= j : i >= j;
			T e = stored ? a[(size_t)j * lda + i] : conjugate(a[(size_t)i * lda + j]);
			x[i] = none ? of_real<T>(0) : i == j ? of_real<T>(real_part(e)) : e;
		}
		if (!none && first)
			l.solve(x, 1);
		else if (!none)
			l.apply_adjoint(x, 1);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < n && !none; i += THREADS) {
		T *x = c + i;
		for (int j = 0; j < n; j++)
			x[j * n] = conjugate(x[j * n]);
		if (first)
			l.solve(x, n);
		else
			l.apply_adjoint(x, n);
		for (int j = 0; j < n; j++)
			x[j * n] = conjugate(x[j * n]);
	}
}

/* The vectors of the pair go to A, the values to w. Where B has no factor both stay, and info is n more. */
template <class T>
static __global__ void solver_restore(bool third, bool vectors, int n, T *a, int lda, factor<T> l, const T *c,
				      const real<T> *values, real<T> *w, const int *found, int *info)
{
	int bad = *info;
	__syncthreads();
	for (int j = threadIdx.x; j < n && !bad; j += THREADS) {
		w[j] = values[j];
		T *x = a + (size_t)j * lda;
		for (int i = 0; i < n && vectors; i++)
			x[i] = c[(size_t)j * n + i];
		if (vectors && third)
			l.apply(x, 1);
		else if (vectors)
			l.solve_adjoint(x, 1);
	}
	if (!threadIdx.x)
		*info = bad ? n + bad : *found;
}

/* Values `from` up to `to`, of rising ones, and their vectors become the first; with limits: those in (low, high]. */
template <class T>
static __global__ void solver_select(int n, T *a, int lda, real<T> *w, bool vectors, bool limits, real<T> low, real<T> high,
				     int from, int to, int *count)
{
	if (limits) {
		for (from = 0; from < n && w[from] <= low; from++)
			;
		for (to = from; to < n && w[to] <= high; to++)
			;
	}
	for (int i = threadIdx.x; i < n && vectors && from; i += THREADS)
		for (int j = from; j < to; j++)
			a[(size_t)(j - from) * lda + i] = a[(size_t)j * lda + i];
	__syncthreads();
	if (threadIdx.x)
		return;
	for (int j = from; j < to; j++)
		w[j - from] = w[j];
	*count = to - from;
}

/* ---- the functions for one matrix, by type ---- */

template <class T> struct dense;
#define DENSE(T, L, eig) \
template <> struct dense<T> { \
	static constexpr auto potrf = cusolverDn##L##potrf; \
	static constexpr auto size = cusolverDn##eig##j_bufferSize; \
	static constexpr auto eigen = cusolverDn##eig##j; \
	static constexpr auto svd_size = cusolverDn##L##gesvdj_bufferSize; \
	static constexpr auto svd = cusolverDn##L##gesvdj; \
}
DENSE(float, S, Ssyev);
DENSE(double, D, Dsyev);
DENSE(cuComplex, C, Cheev);
DENSE(cuDoubleComplex, Z, Zheev);

static cusolverStatus_t launched()
{
	return cudaPeekAtLastError() ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

/* Work space of a pair: C, that of its eigenvalues, the values, and an int. */
template <class T> static cusolverStatus_t pair_size(cusolverDnHandle_t h, int n, int *lwork)
{
	cusolverStatus_t s = n < 0 || !lwork ? CUSOLVER_STATUS_INVALID_VALUE :
		dense<T>::size(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, NULL, n, NULL, lwork, NULL);
	if (!s)
		*lwork += n * n + n + 1;
	return s;
}
template <class T>
static cusolverStatus_t pair(cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo, int n,
			     T *a, int lda, T *b, int ldb, real<T> *w, T *work, int *info, syevjInfo_t params)
{
	if (kind < CUSOLVER_EIG_TYPE_1 || kind > CUSOLVER_EIG_TYPE_3 || lda < n || lda < 1)
		return CUSOLVER_STATUS_INVALID_VALUE;
	bool upper = uplo == CUBLAS_FILL_MODE_UPPER, vectors = job == CUSOLVER_EIG_MODE_VECTOR;
	cusolverStatus_t s = dense<T>::potrf(h, uplo, n, b, ldb, work, 1, info);
	cudaStream_t stream;
	if (s || !n || (s = cusolverDnGetStream(h, &stream)))
		return s;
	factor<T> l = {b, ldb, upper, n};
	T *c = work, *values = c + (size_t)n * n, *rest = values + n;
	int *found = (int *)rest++;
	solver_reduce<T><<<1, THREADS, 0, stream>>>(kind == CUSOLVER_EIG_TYPE_1, upper, n, a, lda, l, c, info);
	s = dense<T>::eigen(h, job, CUBLAS_FILL_MODE_LOWER, n, c, n, (real<T> *)values, rest, 2 * n * n, found, params);
	if (s)
		return s;
	solver_restore<T><<<1, THREADS, 0, stream>>>(kind == CUSOLVER_EIG_TYPE_3, vectors, n, a, lda, l, c,
						     (const real<T> *)values, w, found, info);
	return launched();
}

/* Which eigenvalues of all are wanted, with the count on the host. */
template <class R> struct range {
	cusolverEigRange_t kind;
	R low, high;
	long long from, to; /* from 1 */
	bool right(long long n) const
	{
		if (kind == CUSOLVER_EIG_RANGE_I)
			return from >= 1 && to <= n && (from <= to || !n);
		return kind == CUSOLVER_EIG_RANGE_ALL || (kind == CUSOLVER_EIG_RANGE_V && low < high);
	}
};
template <class T>
static cusolverStatus_t select(cusolverDnHandle_t h, const range<real<T>> &r, cusolverEigMode_t job, int n, T *a, int lda,
			       real<T> *w, T *work, int *count)
{
	cudaStream_t stream;
	cusolverStatus_t s = cusolverDnGetStream(h, &stream);
	if (s)
		return s;
	*count = n;
	if (r.kind == CUSOLVER_EIG_RANGE_ALL || !n)
		return CUSOLVER_STATUS_SUCCESS;
	int *found = (int *)work;
	solver_select<T><<<1, THREADS, 0, stream>>>(n, a, lda, w, job == CUSOLVER_EIG_MODE_VECTOR,
		r.kind == CUSOLVER_EIG_RANGE_V, r.low, r.high, (int)r.from - 1, (int)r.to, found);
	cudaError_t e = cudaMemcpyAsync(count, found, sizeof *count, cudaMemcpyDeviceToHost, stream);
	return e || cudaStreamSynchronize(stream) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}
template <class T>
static cusolverStatus_t some(cusolverDnHandle_t h, const range<real<T>> &r, cusolverEigMode_t job, cublasFillMode_t uplo, int n,
			     T *a, int lda, real<T> *w, T *work, int *info, int *count)
{
	if (!count || !r.right(n))
		return CUSOLVER_STATUS_INVALID_VALUE;
	cusolverStatus_t s = dense<T>::eigen(h, job, uplo, n, a, lda, w, work, 2 * n * n, info, NULL);
	return s ? s : select<T>(h, r, job, n, a, lda, w, work, count);
}
template <class T>
static cusolverStatus_t some_of_pair(cusolverDnHandle_t h, const range<real<T>> &r, cusolverEigType_t kind,
				     cusolverEigMode_t job, cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb,
				     real<T> *w, T *work, int *info, int *count)
{
	if (!count || !r.right(n))
		return CUSOLVER_STATUS_INVALID_VALUE;
	cusolverStatus_t s = pair<T>(h, kind, job, uplo, n, a, lda, b, ldb, w, work, info, NULL);
	return s ? s : select<T>(h, r, job, n, a, lda, w, work, count);
}

extern "C" {
#define TYPE(L, T, R, ev, gv) \
cusolverStatus_t cusolverDn##gv##d_bufferSize(cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, \
	int n, const T *, int, const T *, int, const R *, int *lwork) \
{ \
	return pair_size<T>(h, n, lwork); \
} \
cusolverStatus_t cusolverDn##gv##d(cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo, \
	int n, T *a, int lda, T *b, int ldb, R *w, T *work, int, int *info) \
{ \
	return pair<T>(h, kind, job, uplo, n, a, lda, b, ldb, w, work, info, NULL); \
} \
cusolverStatus_t cusolverDn##gv##j_bufferSize(cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, \
	int n, const T *, int, const T *, int, const R *, int *lwork, syevjInfo_t) \
{ \
	return pair_size<T>(h, n, lwork); \
} \
cusolverStatus_t cusolverDn##gv##j(cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t job, cublasFillMode_t uplo, \
	int n, T *a, int lda, T *b, int ldb, R *w, T *work, int, int *info, syevjInfo_t params) \
{ \
	return pair<T>(h, kind, job, uplo, n, a, lda, b, ldb, w, work, info, params); \
} \
cusolverStatus_t cusolverDn##gv##dx_bufferSize(cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t, \
	cusolverEigRange_t, cublasFillMode_t, int n, const T *, int, const T *, int, R, R, int, int, int *, const R *, \
	int *lwork) \
{ \
	return pair_size<T>(h, n, lwork); \
} \
cusolverStatus_t cusolverDn##gv##dx(cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t job, \
	cusolverEigRange_t which, cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, R low, R high, int from, int to, \
	int *count, R *w, T *work, int, int *info) \
{ \
	return some_of_pair<T>(h, {which, low, high, from, to}, kind, job, uplo, n, a, lda, b, ldb, w, work, info, count); \
} \
cusolverStatus_t cusolverDn##ev##dx_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t job, cusolverEigRange_t, \
	cublasFillMode_t uplo, int n, const T *a, int lda, R, R, int, int, int *, const R *w, int *lwork) \
{ \
	return dense<T>::size(h, job, uplo, n, a, lda, w, lwork, NULL); \
} \
cusolverStatus_t cusolverDn##ev##dx(cusolverDnHandle_t h, cusolverEigMode_t job, cusolverEigRange_t which, \
	cublasFillMode_t uplo, int n, T *a, int lda, R low, R high, int from, int to, int *count, R *w, T *work, int, \
	int *info) \
{ \
	return some<T>(h, {which, low, high, from, to}, job, uplo, n, a, lda, w, work, info, count); \
} \
cusolverStatus_t cusolverDn##ev##jBatched_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, \
	int n, const T *a, int lda, const R *w, int *lwork, syevjInfo_t params, int) \
{ \
	return dense<T>::size(h, job, uplo, n, a, lda, w, lwork, params); \
} \
cusolverStatus_t cusolverDn##ev##jBatched(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T *a, \
	int lda, R *w, T *work, int lwork, int *info, syevjInfo_t params, int count) \
{ \
	cusolverStatus_t s = count < 0 ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS; \
	for (long long i = 0; i < count && !s; i++) \
		s = dense<T>::eigen(h, job, uplo, n, a + i * lda * n, lda, w + i * n, work, lwork, info + i, params); \
	return s; \
} \
cusolverStatus_t cusolverDn##L##gesvdjBatched_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t job, int m, int n, \
	const T *a, int lda, const R *s, const T *u, int ldu, const T *v, int ldv, int *lwork, gesvdjInfo_t params, int) \
{ \
	return dense<T>::svd_size(h, job, 0, m, n, a, lda, s, u, ldu, v, ldv, lwork, params); \
} \
cusolverStatus_t cusolverDn##L##gesvdjBatched(cusolverDnHandle_t h, cusolverEigMode_t job, int m, int n, T *a, int lda, R *s, \
	T *u, int ldu, T *v, int ldv, T *work, int lwork, int *info, gesvdjInfo_t params, int count) \
{ \
	long long few = m < n ? m : n; \
	cusolverStatus_t e = count < 0 ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS; \
	for (long long i = 0; i < count && !e; i++) \
		e = dense<T>::svd(h, job, 0, m, n, a + i * lda * n, lda, s + i * few, u + i * ldu * m, ldu, v + i * ldv * n, \
				  ldv, work, lwork, info + i, params); \
	return e; \
}
TYPE(S, float, float, Ssyev, Ssygv)
TYPE(D, double, double, Dsyev, Dsygv)
TYPE(C, cuComplex, float, Cheev, Chegv)
TYPE(Z, cuDoubleComplex, double, Zheev, Zhegv)

cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t p, cusolverEigMode_t job,
	cusolverEigRange_t, cublasFillMode_t uplo, int64_t n, cudaDataType ta, const void *a, int64_t lda, void *, void *,
	int64_t, int64_t, int64_t *, cudaDataType tw, const void *w, cudaDataType compute, size_t *device, size_t *host)
{
	return cusolverDnXsyevd_bufferSize(h, p, job, uplo, n, ta, a, lda, tw, w, compute, device, host);
}
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t h, cusolverDnParams_t p, cusolverEigMode_t job, cusolverEigRange_t which,
	cublasFillMode_t uplo, int64_t n, cudaDataType ta, void *a, int64_t lda, void *low, void *high, int64_t from, int64_t to,
	int64_t *count, cudaDataType tw, void *w, cudaDataType compute, void *device, size_t on_device, void *host,
	size_t on_host, int *info)
{
	bool limits = which == CUSOLVER_EIG_RANGE_V, twice = ta == CUDA_R_64F || ta == CUDA_C_64F;
	if (!count || (limits && (!low || !high)) || n > INT32_MAX)
		return CUSOLVER_STATUS_INVALID_VALUE;
	range<double> r = {which, limits ? twice ? *(double *)low : *(float *)low : 0,
			   limits ? twice ? *(double *)high : *(float *)high : 0, from, to};
	if (!r.right(n))
		return CUSOLVER_STATUS_INVALID_VALUE;
	cusolverStatus_t s =
		cusolverDnXsyevd(h, p, job, uplo, n, ta, a, lda, tw, w, compute, device, on_device, host, on_host, info);
	int found = 0;
	if (s)
		return s;
	range<float> narrow = {which, (float)r.low, (float)r.high, from, to};
	switch (ta) {
	case CUDA_R_32F: s = select<float>(h, narrow, job, n, (float *)a, lda, (float *)w, (float *)device, &found); break;
	case CUDA_R_64F: s = select<double>(h, r, job, n, (double *)a, lda, (double *)w, (double *)device, &found); break;
	case CUDA_C_32F: s = select<cuComplex>(h, narrow, job, n, (cuComplex *)a, lda, (float *)w, (cuComplex *)device, &found); break;
	default: s = select<cuDoubleComplex>(h, r, job, n, (cuDoubleComplex *)a, lda, (double *)w, (cuDoubleComplex *)device, &found);
	}
	*count = found;
	return s;
}
} /* extern "C" */
